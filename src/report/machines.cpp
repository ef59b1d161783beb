// Kernel machines and relevance vector machines: curves, kernels and what the evidence says of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/refusals.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "report/curves.hpp"
#include "report/sections.hpp"
#include "target/target.hpp"

namespace ardvark::internal::report {
namespace {

using io::number;

constexpr Index num_points = 61;  // of a curve
constexpr std::size_t most_curves = 6;
constexpr Index most_observations = 600;  // drawn beside a curve

std::vector<std::pair<double, double>> placed(const PlotFrame& frame, const std::vector<double>& x, const Vector& y) {
  std::vector<std::pair<double, double>> out;
  for (std::size_t i = 0; i < x.size(); ++i) out.emplace_back(frame.x(x[i]), frame.y(y[static_cast<Index>(i)]));
  return out;
}

// One curve: what is drawn, and what is said about it.
struct DrawnCurve {
  std::string name, target;  // of the input and of the target
  std::vector<double> x;
  MachineCurve curve;
  std::string others;                               // where the other inputs are
  std::vector<std::pair<double, double>> observed;  // of the only input, beside a regression

  [[nodiscard]] bool is_regression() const { return curve.is_regression(); }
};

DrawnCurve drawn_curve_of(const SavedModel& model, const MachineInputs& inputs, Index j, const ReportRows& rows, double level) {
  const Matrix X = grid_of(inputs, j, num_points);
  const bool is_only = inputs.center.size() == 1;
  DrawnCurve out{shortened(inputs.names[static_cast<std::size_t>(j)], 40),
                 target_or(target_name(model), "target"),
                 {X.col(j).begin(), X.col(j).end()},
                 curve_at(model, X, level),
                 is_only ? "" : "; the other inputs are at their means",
                 {}};
  if (!out.is_regression() || !is_only || rows.target.rows() != rows.X.rows()) return out;
  const Index step = std::max<Index>(1, rows.X.rows() / most_observations);
  for (Index i = 0; i < rows.X.rows(); i += step)
    if (std::isfinite(rows.target(i, 0))) out.observed.emplace_back(rows.X(i, 0), rows.target(i, 0));
  return out;
}

FigureText text_of_curve(const DrawnCurve& d, const std::string& id, std::size_t num_classes, double level) {
  const auto from = number(d.x.front()), to = number(d.x.back());
  const Vector& first = d.curve.lines[0];
  if (d.is_regression())
    return {id, d.target + " over " + d.name,
            fmt::format("The predicted {} as {} goes from {} to {}{}: from {} at the left to {} at the right.", d.target, d.name, from, to,
                        d.others, number(first[0]), number(first[num_points - 1])),
            fmt::format("Line: mean; band: {} interval of the curve{}.{}", level_in_words(level), d.others,
                        d.observed.empty() ? "" : " Dots: rows.")};
  static constexpr const char* kinds[] = {"solid", "dashed", "dotted"};
  std::string lines = d.curve.lines.size() == 1 ? "Line: probability of " + shortened(d.curve.names[0], 24) : "Probabilities of ";
  for (std::size_t c = 0; d.curve.lines.size() > 1 && c < d.curve.lines.size(); ++c)
    lines += fmt::format("{}{} ({})", c > 0 ? ", " : "", shortened(d.curve.names[c], 24), kinds[c]);
  return {id, "Probabilities over " + d.name,
          fmt::format("The probability of {} as {} goes from {} to {}{}: from {} to {}.", shortened(d.curve.names[0], 24), d.name, from, to,
                      d.others, percent(first[0]), percent(first[num_points - 1])),
          fmt::format("{}{}{}.", lines, d.others, num_classes > 3 ? fmt::format("; the first 3 of {} classes", num_classes) : "")};
}

PlainTable table_of_curve(const DrawnCurve& d, const std::string& id, double level) {
  PlainTable table{id, "The curve at eleven places", {d.name}, {}};
  if (d.is_regression())
    table.titles.insert(table.titles.end(), {"Mean", level_in_words(level) + " from", "To"});
  else
    for (const std::string& one : d.curve.names) table.titles.push_back("Probability of " + shortened(one, 24));
  for (Index i = 0; i < num_points; i += (num_points - 1) / 10) {
    std::vector<std::string> cells = {number(d.x[static_cast<std::size_t>(i)])};
    for (const Vector& line : d.curve.lines) cells.push_back(d.is_regression() ? number(line[i]) : percent(line[i]));
    if (d.is_regression()) cells.insert(cells.end(), {number(d.curve.lower[i]), number(d.curve.upper[i])});
    table.lines.push_back(std::move(cells));
  }
  return table;
}

PlotFrame frame_of_curve(const DrawnCurve& d) {
  AxisExtent horizontal, vertical;
  horizontal.add(d.x.front()), horizontal.add(d.x.back());
  if (!d.is_regression()) return {across(horizontal, 0.02), {0, 1, upwards({}).from, upwards({}).to}, d.name, "probability", false, true};
  for (Index i = 0; i < num_points; ++i) vertical.add(d.curve.lower[i]), vertical.add(d.curve.upper[i]);
  for (const auto& [x, y] : d.observed) vertical.add(y);
  return {across(horizontal, 0.02), upwards(vertical), d.name, d.target};
}

void draw_curve(Page& page, const SavedModel& model, const MachineInputs& inputs, Index j, const ReportRows& rows, double level) {
  const DrawnCurve d = drawn_curve_of(model, inputs, j, rows, level);
  const PlotFrame frame = frame_of_curve(d);
  Figure figure(page.html(), text_of_curve(d, page.next_id(), classes_of(model).size(), level), plot_width, plot_height);
  if (d.is_regression()) {
    auto band = placed(frame, d.x, d.curve.lower), upper = placed(frame, d.x, d.curve.upper);
    band.insert(band.end(), upper.rbegin(), upper.rend());
    figure.path(band, "band", true);
  }
  draw_frame(figure, frame);
  std::vector<std::pair<double, double>> dots;
  for (const auto& [x, y] : d.observed) dots.emplace_back(frame.x(x), frame.y(y));
  figure.dots(dots, "points");
  for (std::size_t c = d.curve.lines.size(); c-- > 0;)
    figure.path(placed(frame, d.x, d.curve.lines[c]), c == 0 ? Literal("mark") : c == 1 ? Literal("second") : Literal("third"));
  figure.finish([&](Html& html) { write_table(html, table_of_curve(d, page.next_id(), level)); });
}

// Of a column of texts: a prediction for each of its levels.
void draw_levels(Page& page, const SavedModel& model, const MachineInputs& inputs, const FeatureColumn& feature, Index first,
                 double level) {
  constexpr Index most_levels = 20;
  const Index num_levels = std::min<Index>(std::ssize(feature.levels), most_levels);
  const MachineCurve all = curve_at(model, rows_of_levels(inputs, first, std::ssize(feature.levels)).topRows(num_levels), level);
  const bool regression = all.is_regression();
  std::vector<IntervalLine> lines;
  for (Index i = 0; i < num_levels; ++i) {
    const double mean = all.lines[0][i];
    lines.push_back(
        {feature.levels[static_cast<std::size_t>(i)], mean, regression ? all.lower[i] : mean, regression ? all.upper[i] : mean, -1, true});
  }
  const std::string name = shortened(feature.name, 40), target = target_or(target_name(model), "target");
  const std::string what = regression ? target : "probability of " + shortened(all.names[0], 24);
  draw_intervals(page.html(),
                 {page.next_id(), what + " for each level of " + name,
                  fmt::format("The predicted {} for each of {} levels of {}; the other inputs are at their means.", what, num_levels, name),
                  fmt::format("{}: {} for each level; the other inputs are at their means.{}", name, what,
                              std::ssize(feature.levels) > most_levels ? " The first 20 levels." : "")},
                 lines, what, "", std::numeric_limits<double>::quiet_NaN(), [&](Html& html) {
                   PlainTable table{page.next_id(), "Predictions for the levels", {name, regression ? "Mean" : "Probability"}, {}};
                   if (regression) table.titles.insert(table.titles.end(), {level_in_words(level) + " from", "To"});
                   for (const IntervalLine& line : lines) {
                     std::vector<std::string> cells = {shortened(line.name, 40), regression ? number(line.mean) : percent(line.mean)};
                     if (regression) cells.insert(cells.end(), {number(line.lower), number(line.upper)});
                     table.lines.push_back(std::move(cells));
                   }
                   write_table(html, table);
                 });
}

void write_curves_of(Page& page, const SavedModel& model, const MachineInputs& inputs, const ReportRows& rows, double level) {
  page.section("Curves");
  const std::vector<MachineFeature> features = features_of(model, inputs);
  page.html().open("div", {{"class", "figures"}});
  for (std::size_t k = 0; k < std::min(features.size(), most_curves); ++k) {
    if (features[k].texts != nullptr)
      draw_levels(page, model, inputs, *features[k].texts, features[k].first, level);
    else
      draw_curve(page, model, inputs, features[k].first, rows, level);
  }
  page.html().close("div");
  if (features.size() > most_curves) page.paragraph(fmt::format("The {} inputs that matter most, of {}.", most_curves, features.size()));
  if (features.size() > 1)
    page.paragraph(
        "Each curve shows one input, while the others stay at their means. Where inputs act together, a curve is not the whole answer.");
}

void write_hypotheses(Page& page, const KernelFit& fit, double level) {
  const bool several = fit.processes.size() > 1;
  PlainTable table{page.next_id(),
                   several ? "The kernel with the largest weight, for each class" : "Kernels, by their weight in the predictions",
                   {several ? "Class" : "Kernel", "Widths", "Linear share", "Weight", "Log evidence"},
                   {}};
  const auto add = [&](const std::string& name, const KernelHypothesis& one) {
    table.lines.push_back({name, one.each ? "one for each input" : "one for all", fmt::format("{:.2f}", one.linear_share),
                           fmt::format("{:.3f}", one.weight), fmt::format("{:.4f}", one.log_evidence)});
  };
  if (several)
    for (std::size_t k = 0; k < std::min<std::size_t>(fit.processes.size(), 40); ++k)
      add(shortened(fit.classes[k], 40), fit.processes[k].hypotheses.front());
  else
    for (const KernelHypothesis& one : fit.processes.front().hypotheses) add(one.kernel.spec().kind, one);
  write_table(page.html(), table);
  if (several) return;
  const KernelHypothesis& best = fit.processes.front().hypotheses.front();
  const std::vector<Interval> ends = width_intervals(best, level);
  PlainTable widths{page.next_id(),
                    "Widths of the kernel with the largest weight: over how much of an input the function changes",
                    {"Input", "Width", level_in_words(level) + " from", "To", "Share of variance"},
                    {}};
  const bool of_each = best.widths.size() > 1 || fit.num_inputs() == 1;
  std::vector<Index> order(best.widths.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (of_each && fit.variance_share.size() == std::ssize(order))
    std::ranges::stable_sort(order, [&](Index a, Index b) { return fit.variance_share[a] > fit.variance_share[b]; });
  for (const Index j : order) {
    if (std::ssize(widths.lines) >= most_in_figure) break;
    const auto at = static_cast<std::size_t>(j);
    const bool constant = !std::isfinite(best.widths[at]);
    widths.lines.push_back({of_each ? shortened(fit.input_names[at]) : "all inputs (in sd)",
                            constant ? "constant" : number(best.widths[at]), constant ? "-" : number(ends[at].lower),
                            constant ? "-" : number(ends[at].upper),
                            of_each && fit.variance_share.size() > j ? percent(fit.variance_share[j]) : "-"});
  }
  write_table(page.html(), widths);
  if (order.size() > widths.lines.size())
    page.paragraph(fmt::format("The {} inputs with the largest shares, of {}.", widths.lines.size(), order.size()));
}

void write_trials(Page& page, const RelevanceFit& fit) {
  std::vector<KernelTrial> trials;
  for (const KernelTrial& trial : fit.trials)
    if (std::isfinite(trial.log_evidence) && trial.parameters.size() == 1 && trial.parameters[0] > 0) trials.push_back(trial);
  if (trials.size() < 3) return;
  AxisExtent horizontal, vertical;
  for (const KernelTrial& trial : trials) horizontal.add(std::log10(trial.parameters[0])), vertical.add(trial.log_evidence);
  const PlotFrame frame{across(horizontal), upwards(vertical), "log10 of the parameter of the kernel", "log evidence, nats"};
  std::vector<std::pair<double, double>> points;
  for (const KernelTrial& trial : trials) points.emplace_back(frame.x(std::log10(trial.parameters[0])), frame.y(trial.log_evidence));
  const KernelTrial& best = *std::ranges::max_element(trials, {}, &KernelTrial::log_evidence);
  Figure figure(
      page.html(),
      {page.next_id(), "Log evidence of the kernels that were tried",
       fmt::format("The log evidence of {} trials over the logarithm of the parameter of the kernel; the highest, {:.2f} nats, is at {}.",
                   trials.size(), best.log_evidence, number(best.parameters[0])),
       fmt::format("Trials of the kernel's parameter. The highest evidence is at {}.", number(best.parameters[0]))},
      plot_width, plot_height);
  draw_frame(figure, frame);
  figure.path(points, "faint");
  figure.dots(points, "points");
  figure.dot(frame.x(std::log10(best.parameters[0])), frame.y(best.log_evidence), 5, "full");
  figure.finish([&](Html& html) {
    PlainTable table{page.next_id(), "Trials of the kernel's parameter", {"Parameter", "Log evidence", "Relevance vectors"}, {}};
    const std::size_t step = std::max<std::size_t>(1, (trials.size() + most_lines - 1) / most_lines);
    for (std::size_t i = 0; i < trials.size(); i += step)
      table.lines.push_back(
          {number(trials[i].parameters[0]), fmt::format("{:.4f}", trials[i].log_evidence), fmt::format("{}", trials[i].num_vectors)});
    write_table(html, table);
  });
}

// How well a machine describes the rows of its fit.
void add_scores(const auto& fit, std::vector<std::pair<std::string, std::string>>& facts) {
  if (has_noise(fit.task)) {
    facts.emplace_back("R\u00b2, rows of the fit", fmt::format("{:.4f}", fit.r_squared));
  } else {
    facts.emplace_back("Accuracy, rows of the fit", percent(fit.accuracy));
    facts.emplace_back("Log loss, rows of the fit", fmt::format("{:.4f} nats per row", fit.log_loss));
  }
}

}  // namespace

void write_machine(Page& page, const SavedModel& model, const ReportRows& rows, double level) {
  write_curves_of(page, model, inputs_of(model, rows), rows, level);
}

void write_evidence(Page& page, const KernelFit& fit, double level) {
  page.section("What the evidence says");
  std::vector<std::pair<std::string, std::string>> facts;
  if (has_noise(fit.task))
    facts.emplace_back("Noise sd",
                       fmt::format("{}; the function itself varies over the rows with sd {}", number(fit.noise_sd), number(fit.signal_sd)));
  add_scores(fit, facts);
  facts.emplace_back("Rows that carry it", fmt::format("{} of {:.10g}", fit.num_vectors(), fit.num_rows));
  facts.emplace_back("Log evidence", fmt::format("{:.4f} nats", fit.log_evidence));
  page.facts(facts);
  write_hypotheses(page, fit, level);
}

void write_evidence(Page& page, const RelevanceFit& fit, double level) {
  page.section("What the evidence says");
  std::vector<std::pair<std::string, std::string>> facts = {{"Kernel", shortened(fit.kernel.name(), 200)}};
  if (has_noise(fit.task)) facts.emplace_back("Noise sd", io::noise_in_words(fit.machines.front().fit, level));
  add_scores(fit, facts);
  facts.emplace_back("Relevance vectors", fmt::format("{} of {:.10g} rows", fit.num_vectors(), fit.num_rows));
  facts.emplace_back("Log evidence", fmt::format("{:.4f} nats", fit.log_evidence));
  page.facts(facts);
  write_trials(page, fit);
}

}  // namespace ardvark::internal::report
