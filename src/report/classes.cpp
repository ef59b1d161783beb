// The coefficients of several classes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/class_pairs.hpp"
#include "core/special.hpp"
#include "io/column_unit.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "report/sections.hpp"

namespace ardvark::internal::report {
namespace {

using io::number;

// The coefficient of a column for a class, or for a pair of classes.
struct Weight {
  Index column, of;
};

bool has_inclusions(const SoftmaxFit& fit) { return fit.prior == PriorKind::sparse || fit.prior == PriorKind::slab; }

std::vector<std::string> names_of_scores(const SoftmaxFit& fit) {
  if (fit.coding != ClassCoding::one_against_one) return fit.classes;
  std::vector<std::string> names;
  for (const auto& [low, high] : class_pairs(fit.num_classes()))
    names.push_back(fmt::format("{}/{}", fit.classes[static_cast<std::size_t>(high)], fit.classes[static_cast<std::size_t>(low)]));
  return names;
}

double size_of_weight(const SoftmaxFit& fit, const Weight& w) {
  return std::abs(fit.mean(w.column, w.of)) / std::sqrt(fit.variance(w.column, w.of));
}

// The largest weights, of one score if `of` is not negative.
std::vector<Weight> largest_weights(const SoftmaxFit& fit, Index of, Index most) {
  std::vector<Weight> weights;
  for (Index j = 0; j < fit.num_columns(); ++j)
    for (Index c = of < 0 ? 0 : of; c < (of < 0 ? fit.mean.cols() : of + 1); ++c)
      if (fit.variance(j, c) > 0) weights.push_back({j, c});
  const auto end = weights.begin() + std::min<Index>(most, std::ssize(weights));
  std::partial_sort(weights.begin(), end, weights.end(), [&](const Weight& a, const Weight& b) {
    const double x = size_of_weight(fit, a), y = size_of_weight(fit, b);
    return x != y ? x > y : (a.column != b.column ? a.column < b.column : a.of < b.of);
  });
  weights.erase(end, weights.end());
  return weights;
}

Interval interval_of_weight(const SoftmaxFit& fit, const Weight& w, double level) {
  const double half = student_t_quantile(std::numeric_limits<double>::infinity(), level) * std::sqrt(fit.variance(w.column, w.of));
  return {fit.mean(w.column, w.of) - half, fit.mean(w.column, w.of) + half};
}

// The mean for a column as it is scaled inside, divided by the mean in its own unit.
double to_standard(const SoftmaxFit& fit, const Weight& w) {
  const double mean = fit.mean(w.column, w.of);
  return mean == 0 || fit.standardized_mean.rows() <= w.column ? 1 : fit.standardized_mean(w.column, w.of) / mean;
}

const std::string& column_of(const SoftmaxFit& fit, const Weight& w) { return fit.column_names[static_cast<std::size_t>(w.column)]; }

void draw_score(Page& page, const SoftmaxFit& fit, Index of, const std::string& name, double level) {
  constexpr Index most_columns = 12;
  const std::vector<IntervalLine> lines = coefficient_lines(fit, of, level, most_columns);
  if (lines.empty()) return;
  const std::string largest = lines.size() == 1 ? "largest coefficient" : fmt::format("{} largest coefficients", lines.size());
  draw_intervals(page.html(),
                 {page.next_id(), "Coefficients of " + shortened(name, 40),
                  fmt::format("The {} of {} with their {} intervals. The table below has the numbers.", largest, shortened(name, 40),
                              level_in_words(level)),
                  fmt::format("{}: the {}. Filled dot and bold name: the {} interval does not hold zero.", shortened(name, 40), largest,
                              level_in_words(level))},
                 lines, "log odds per " + io::in_words(io::column_unit(fit), true), "", 0);
}

}  // namespace

std::string score_name(const SoftmaxFit& fit, Index of) { return names_of_scores(fit)[static_cast<std::size_t>(of)]; }

std::vector<IntervalLine> coefficient_lines(const SoftmaxFit& fit, Index of, double level, Index most) {
  std::vector<IntervalLine> lines;
  for (const Weight& w : largest_weights(fit, of, most)) {
    const double unit = to_standard(fit, w);
    const Interval ends = interval_of_weight(fit, w, level);
    const double a = ends.lower * unit, b = ends.upper * unit;
    lines.push_back(
        {column_of(fit, w), fit.mean(w.column, of) * unit, std::min(a, b), std::max(a, b), -1, !(ends.lower <= 0 && ends.upper >= 0)});
  }
  return lines;
}

void write_coefficients(Page& page, const SoftmaxFit& fit, double level) {
  page.section("Coefficients");
  const std::vector<std::string> names = names_of_scores(fit);
  constexpr Index most_figures = 6;
  page.html().open("div", {{"class", "figures"}});
  for (Index c = 0; c < std::min(fit.mean.cols(), most_figures); ++c) draw_score(page, fit, c, names[static_cast<std::size_t>(c)], level);
  page.html().close("div");
  const bool pairs = fit.coding == ClassCoding::one_against_one, dense = fit.prior == PriorKind::dense,
             laplace = fit.prior == PriorKind::laplace;
  const bool judged = io::judges_columns(fit);
  const Matrix directions = laplace ? Matrix() : direction(fit);
  PlainTable table{page.next_id(),
                   "Coefficients in the units of the data, the largest first by mean divided by sd",
                   {"Column", pairs ? "Pair" : "Class", "Mean", "Sd", level_in_words(level) + " from", "To"},
                   {}};
  if (!dense) table.titles.emplace_back(has_inclusions(fit) ? "Inclusion" : "Relevance");
  if (!laplace) table.titles.emplace_back("Direction");
  if (judged && !dense) table.titles.emplace_back("Verdict");
  const std::vector<Weight> weights = largest_weights(fit, -1, most_lines);
  for (const Weight& w : weights) {
    const Interval ends = interval_of_weight(fit, w, level);
    std::vector<std::string> cells = {shortened(column_of(fit, w)),
                                      shortened(names[static_cast<std::size_t>(w.of)], 30),
                                      number(fit.mean(w.column, w.of)),
                                      number(std::sqrt(fit.variance(w.column, w.of))),
                                      number(ends.lower),
                                      number(ends.upper)};
    if (!dense) cells.push_back(fmt::format("{:.2f}", fit.relevance(w.column, w.of)));
    if (!laplace) cells.push_back(fmt::format("{:.3f}", directions(w.column, w.of)));
    if (judged && !dense)
      cells.emplace_back(!fit.machines.empty() ? io::verdict(fit.machines[static_cast<std::size_t>(w.of)], w.column)
                         : fit.relevant[static_cast<std::size_t>(w.column)] ? "kept"
                                                                            : "-");
    table.lines.push_back(std::move(cells));
  }
  write_table(page.html(), table);
  const Index num_all = (fit.variance.array() > 0).count();
  if (std::ssize(weights) < num_all)
    page.paragraph(fmt::format("The table has the {} largest of {} coefficients.", weights.size(), num_all));
  std::vector<std::string> words = {fmt::format("Mean: {}, per unit of the column.", io::ratio_in_words(fit))};
  add_words_of_shares(has_inclusions(fit), fit.prior, words);
  page.list(words);
}

void write_evidence(Page& page, const SoftmaxFit& fit) {
  page.section("What the evidence says");
  const bool is_mode = fit.prior == PriorKind::laplace;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Accuracy, rows of the fit", percent(fit.accuracy)},
      {"Log loss, rows of the fit", fmt::format("{:.4f} nats per row", fit.log_loss)}};
  if (io::judges_columns(fit))
    facts.emplace_back("Kept", fmt::format("{} of {} columns, for one class at least",
                                           std::count(fit.relevant.begin(), fit.relevant.end(), true), fit.num_columns()));
  facts.emplace_back("Effective parameters",
                     fmt::format("{:.2f}: so many the data determine, in {:.10g} rows", fit.effective_parameters, fit.num_rows));
  facts.emplace_back(is_mode ? "Log density at the mode" : "Log evidence",
                     io::evidence_in_words("", fit.bound, fit.prior, bound_scope(fit)));
  page.facts(facts);
}

}  // namespace ardvark::internal::report
