// The coefficients of a regression, or of two classes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "io/column_unit.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "posterior/state.hpp"
#include "report/sections.hpp"
#include "target/target.hpp"

namespace ardvark::internal::report {
namespace {

using io::number;

bool has_inclusion(const Fit& fit) { return fit.sparse.has_value() && fit.prior != PriorKind::dense; }

// Whether the column has a coefficient: it was neither left out, nor did it leave the computation.
bool is_used(const Fit& fit, Index j) {
  if (fit.left_out[static_cast<std::size_t>(j)]) return false;
  return fit.report.pruning.empty() || fit.mean[j] != 0 || fit.variance[j] != 0;
}

// What a coefficient is multiplied by for a column, and a target, of standard deviation 1.
double per_deviation(const Fit& fit, Index j) {
  const Vector& scale = fit.state->standardization.scale;
  return 1 / (fit.state->y_scale * (scale.size() > 0 ? scale[j] : 1));
}

const std::string& name_of(const Fit& fit, Index j) { return fit.column_names[static_cast<std::size_t>(j)]; }

// The mean, which beside its sd is zero if all weight of an average is on hypotheses in which it is.
double shown_mean(double mean, double sd) { return std::isfinite(sd) && std::abs(mean) < 1e-99 * sd ? 0 : mean; }

PlainTable table_of(Page& page, const Fit& fit, const std::vector<Index>& shown, double level, bool judged) {
  const bool shares = fit.prior != PriorKind::dense, laplace = fit.prior == PriorKind::laplace;
  const bool ratios = is_count(fit.task) || (has_classes(fit.task) && fit.classes.size() == 2);
  std::optional<Vector> signs;
  if (!laplace) signs = direction(fit);
  PlainTable table{page.next_id(), "Coefficients in the units of the data, largest first", {"Column", "Mean", "Sd"}, {}};
  table.titles.insert(table.titles.end(), {level_in_words(level) + " from", "To"});
  if (ratios) table.titles.emplace_back(is_count(fit.task) ? "Rate ratio" : "Odds ratio");
  if (shares) table.titles.emplace_back(has_inclusion(fit) ? "Inclusion" : "Relevance");
  if (signs) table.titles.emplace_back("Direction");
  if (judged && shares) table.titles.emplace_back("Verdict");
  const auto add = [&](const std::string& name, double mean, double variance, const Interval& ends, Index j) {
    const double sd = std::sqrt(variance);
    std::vector<std::string> cells = {shortened(name), number(shown_mean(mean, sd))};
    if (laplace && j >= 0 && mean == 0)
      cells.insert(cells.end(), {"-", "-", "-"});
    else
      cells.insert(cells.end(), {number(sd), number(ends.lower), number(ends.upper)});
    if (ratios) cells.push_back(j < 0 ? "" : number(std::exp(mean)));
    if (shares) cells.push_back(j < 0 ? "" : fmt::format("{:.2f}", fit.relevance[j]));
    if (signs) cells.push_back(j < 0 ? "" : fmt::format("{:.3f}", (*signs)[j]));
    if (judged && shares) cells.push_back(j < 0 ? "" : io::verdict(fit, j));
    table.lines.push_back(std::move(cells));
  };
  if (fit.intercept) add("(intercept)", fit.intercept->mean, fit.intercept->variance, credible_interval(fit, -1, level), -1);
  for (const Index j : shown) add(name_of(fit, j), fit.mean[j], fit.variance[j], credible_interval(fit, j, level), j);
  return table;
}

// What the words of the table mean, in this fit.
std::vector<std::string> words_of(const Fit& fit, double level, bool judged) {
  const std::string target = target_or(fit.target, "the target");
  std::vector<std::string> words;
  if (has_noise(fit.task))
    words.push_back(
        fmt::format("Mean: by how much {} changes per unit of the column, if all others stay. Sd and the ends of the {} "
                    "interval say how well this is known.",
                    target, level_in_words(level)));
  else if (is_count(fit.task))
    words.push_back(
        fmt::format("Mean: by how much the logarithm of the expected {} changes per unit of the column, if all others stay; the "
                    "rate ratio is the factor for the expected number.",
                    target));
  else
    words.push_back(
        fmt::format("Mean: by how much the log odds of {} change per unit of the column, if all others stay; the odds ratio is "
                    "the factor for the odds.",
                    fit.classes.size() == 2 ? shortened(fit.classes[1], 40) : "the second class"));
  add_words_of_shares(has_inclusion(fit), fit.prior, words);
  if (judged && has_inclusion(fit))
    words.push_back(
        fmt::format("Kept: {}. Undecided: the effect is probable, but its sign, or the hypotheses that are averaged, leave it "
                    "open. A dash does not prove that a column has no effect; these rows do not need it.",
                    io::rule_of_inclusion(io::has_groups(fit))));
  else if (judged && fit.prior != PriorKind::laplace)
    words.push_back(fmt::format("Kept: {}. A dash does not prove that a column has no effect; these rows do not need it.",
                                io::rule_of_size(io::has_groups(fit), false)));
  return words;
}

void write_alternatives(Page& page, const Fit& fit) {
  if (!fit.sparse) return;
  std::vector<std::string> sentences;
  for (const CredibleSet& set : fit.sparse->sets) {
    if (set.columns.size() < 2 || set.inclusion < 0.5 || sentences.size() >= 20) continue;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < set.columns.size(); ++i)
      names.push_back(fmt::format("{} (probability {:.2f})", shortened(name_of(fit, set.columns[i]), 40), set.probability[i]));
    std::string sentence = "One of ";
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 6); ++i) sentence += (i > 0 ? ", " : "") + names[i];
    if (names.size() > 6) sentence += fmt::format(" and {} more", names.size() - 6);
    sentences.push_back(sentence);
  }
  if (sentences.empty()) return;
  page.subsection("Alternatives");
  page.paragraph("These columns go together. One column of each line has the effect, and the data do not say which:");
  page.list(sentences);
}

void write_unused(Page& page, const Fit& fit, const FeatureEncoding& encoding) {
  std::vector<std::string> left_out, pruned, sentences;
  for (Index j = 0; j < fit.num_columns(); ++j) {
    if (is_used(fit, j) || fit.exposure == j || fit.offset_column == j) continue;
    (fit.left_out[static_cast<std::size_t>(j)] ? left_out : pruned).push_back(name_of(fit, j));
  }
  if (fit.exposure) sentences.push_back(fmt::format("Rates are per unit of {}.", shortened(name_of(fit, *fit.exposure), 40)));
  if (fit.offset_column)
    sentences.push_back(fmt::format("{} is added to the linear predictor as it is.", shortened(name_of(fit, *fit.offset_column), 40)));
  if (!left_out.empty())
    sentences.push_back(fmt::format("Not used, because constant or a copy of another column: {}.", enumerated(left_out)));
  if (!pruned.empty()) sentences.push_back(fmt::format("Left the computation, because not needed: {}.", enumerated(pruned)));
  for (const FeatureColumn& f : encoding.features) {
    if (!f.categorical || f.levels.empty() || encoding.dummies == Dummies::every_level || sentences.size() > 30) continue;
    const std::string level = shortened(f.levels[static_cast<std::size_t>(f.reference)], 40);
    sentences.push_back(f.levels.size() == 1
                            ? fmt::format("The text column {} is {} in every row, so it is not used.", shortened(f.name, 40), level)
                            : fmt::format("The levels of the text column {} are compared with {}.", shortened(f.name, 40), level));
  }
  page.list(sentences);
}

// The columns in use with the largest effects.
std::vector<Index> columns_in_use(const Fit& fit, Index most) {
  Index num_unused = 0;
  for (Index j = 0; j < fit.num_columns(); ++j) num_unused += is_used(fit, j) ? 0 : 1;
  std::vector<Index> shown;
  for (const Index j : io::largest_effects(fit, std::min(fit.num_columns(), most + num_unused)))
    if (is_used(fit, j) && std::ssize(shown) < most) shown.push_back(j);
  return shown;
}

}  // namespace

void add_words_of_shares(bool has_inclusion, PriorKind prior, std::vector<std::string>& words) {
  if (has_inclusion)
    words.emplace_back(
        "Inclusion: the probability that the column has an effect of its own, in addition to the small effect that every "
        "column may have.");
  else if (prior != PriorKind::dense)
    words.emplace_back("Relevance: how much the data, and not the prior, determine the coefficient; 1: the data alone.");
  if (prior != PriorKind::laplace)
    words.emplace_back("Direction: the probability that the effect has the sign of its mean.");
  else
    words.emplace_back(
        "Under this prior the means are those of the mode. Intervals are only a guide; there are none of coefficients that "
        "are zero.");
}

std::string coefficient_unit(const Fit& fit) {
  const io::ColumnUnit unit = io::column_unit(fit);
  std::string what = has_noise(fit.task) ? "effect" : has_classes(fit.task) ? "log odds" : "log rate";
  if (io::has_scaled_target(fit)) what = unit == io::ColumnUnit::mean_square ? "rms of the target" : "sd of the target";
  return what + " per " + io::in_words(unit, true);
}

std::vector<IntervalLine> coefficient_lines(const Fit& fit, double level, Index most) {
  const bool judged = io::judges_columns(fit);
  std::vector<IntervalLine> lines;
  for (const Index j : columns_in_use(fit, most)) {
    const double unit = per_deviation(fit, j);
    const Interval ends = credible_interval(fit, j, level);
    const bool kept = judged ? fit.relevant[static_cast<std::size_t>(j)] : !(ends.lower <= 0 && ends.upper >= 0);
    lines.push_back({name_of(fit, j), shown_mean(fit.mean[j], std::sqrt(fit.variance[j])) * unit, ends.lower * unit, ends.upper * unit,
                     fit.prior == PriorKind::dense || fit.prior == PriorKind::none ? -1 : fit.relevance[j], kept});
  }
  return lines;
}

void write_coefficients(Page& page, const Fit& fit, const FeatureEncoding& encoding, double level) {
  page.section("Coefficients");
  const std::vector<Index> shown = columns_in_use(fit, most_lines);
  Index num_used = 0;
  for (Index j = 0; j < fit.num_columns(); ++j) num_used += is_used(fit, j) ? 1 : 0;
  const bool judged = io::judges_columns(fit);
  const std::string by = has_inclusion(fit) ? "inclusion" : "mean divided by sd";
  if (!shown.empty()) {
    const std::vector<IntervalLine> lines = coefficient_lines(fit, level, most_in_figure);
    const bool shares = lines.front().share >= 0;
    const std::string more = std::ssize(lines) < num_used ? fmt::format(" The {} largest of {} by {}.", lines.size(), num_used, by) : "";
    const std::string marked = judged ? "kept" : "whose interval does not hold zero";
    draw_intervals(
        page.html(),
        {page.next_id(), "Coefficients with their intervals",
         fmt::format("For each of {} columns the mean and the {} interval of its coefficient{}. The table below has the numbers.",
                     lines.size(), level_in_words(level),
                     shares ? ", and its " + std::string(has_inclusion(fit) ? "inclusion" : "relevance") : ""),
         fmt::format("Dot: mean; line: {} interval. Filled dot and bold name: column {}.{}", level_in_words(level), marked, more)},
        lines, coefficient_unit(fit),
        !shares              ? ""
        : has_inclusion(fit) ? "inclusion"
                             : "relevance",
        0);
  }
  write_table(page.html(), table_of(page, fit, shown, level, judged));
  if (std::ssize(shown) < num_used)
    page.paragraph(fmt::format("The table has the {} largest of {} columns by {}. The others are smaller{}.", shown.size(), num_used, by,
                               has_inclusion(fit) && !shown.empty()
                                   ? fmt::format(": no inclusion is above {:.2f}", std::ceil(100 * fit.relevance[shown.back()]) / 100)
                                   : ""));
  page.list(words_of(fit, level, judged));
  write_alternatives(page, fit);
  write_unused(page, fit, encoding);
}

}  // namespace ardvark::internal::report
