// A report of many targets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/version.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "report/sections.hpp"

namespace ardvark {

using namespace internal;
using namespace internal::report;

namespace {

using io::number;

std::string target_at(const SavedTargets& targets, Index k) {
  return targets.target_names.empty() ? fmt::format("y{}", k + 1) : targets.target_names[static_cast<std::size_t>(k)];
}

bool is_fitted_target(const TargetsFit& fit, Index k) { return !std::isnan(fit.bound[k]); }

std::string cell(double x, int decimals) { return std::isnan(x) ? "-" : fmt::format("{:.{}f}", x, decimals); }

// What all sections need.
struct TargetsReport {
  const SavedTargets& targets;
  const ReportRows& rows;
  const ReportOptions& options;
  Page& page;
  ExplainedTargets explained;
  std::vector<Index> order;  // the targets that are listed, the best explained first

  [[nodiscard]] const TargetsFit& fit() const { return targets.fit; }
  [[nodiscard]] Index count(auto... which) const {
    return std::ranges::count_if(fit().status, [&](TargetStatus status) { return ((status == which) || ...); });
  }
  [[nodiscard]] Index num_selected() const { return std::ranges::count(explained.selected, true); }
  [[nodiscard]] Index num_unfitted() const {
    return count(TargetStatus::not_finite, TargetStatus::few_rows, TargetStatus::out_of_range, TargetStatus::failed);
  }
  [[nodiscard]] double num_rows() const {
    return fit().num_targets() == 0 ? 0 : fit().num_rows.unaryExpr([](double x) { return std::isnan(x) ? 0.0 : x; }).maxCoeff();
  }
  // Of few targets, the share that is estimated from all of them says little.
  [[nodiscard]] bool has_share() const { return has_evidence() && fit().num_targets() >= 20; }
  [[nodiscard]] bool has_evidence() const { return (fit().evidence.array() == fit().evidence.array()).any(); }
};

void write_targets_in_short(const TargetsReport& r) {
  r.page.section("In short");
  std::vector<std::string> sentences = {fmt::format("A linear regression of each of {} on the same {}.",
                                                    counted(static_cast<double>(r.fit().num_targets()), "target", "targets"),
                                                    counted(static_cast<double>(r.fit().num_columns()), "column", "columns"))};
  if (r.has_evidence()) {
    sentences.push_back(fmt::format("The columns explain {} of {} targets, at a rate of false discoveries of {:g}.", r.num_selected(),
                                    r.fit().num_targets(), r.options.fdr));
    if (r.has_share())
      sentences.push_back(fmt::format("Estimated from all of them, they explain {} of the targets.", percent(r.explained.share)));
  }
  r.page.list(sentences);
}

void write_targets_status(const TargetsReport& r) {
  Report report;
  report.status = Status::converged;
  report.notes = r.fit().notes;
  report.warnings = r.fit().warnings;
  std::vector<std::string> more;
  const auto targets_of = [](Index n) { return counted(static_cast<double>(n), "target", "targets"); };
  if (r.num_unfitted() > 0)
    more.push_back(
        fmt::format("{} not fitted: {} not finite, {} with too few rows, {} out of the range of numbers, {} with numerical trouble.",
                    targets_of(r.num_unfitted()), r.count(TargetStatus::not_finite), r.count(TargetStatus::few_rows),
                    r.count(TargetStatus::out_of_range), r.count(TargetStatus::failed)));
  if (const Index n = r.count(TargetStatus::max_sweeps); n > 0)
    more.push_back(fmt::format("{} did not converge within the sweeps.", targets_of(n)));
  if (const Index n = r.count(TargetStatus::constant); n > 0)
    more.push_back(fmt::format("{} constant: there is nothing to explain.", targets_of(n)));
  write_status(r.page, report, more);
}

void write_targets_what(const TargetsReport& r) {
  r.page.section("What was fitted, and on what");
  r.page.facts({{"Model", fmt::format("Linear regressions of {}, prior {}, {:.10g} rows, {}",
                                      counted(static_cast<double>(r.fit().num_targets()), "target", "targets"), to_string(r.fit().prior),
                                      r.num_rows(), counted(static_cast<double>(r.fit().num_columns()), "column", "columns"))},
                {"Targets", enumerated(
                                [&] {
                                  std::vector<std::string> names;
                                  for (Index k = 0; k < std::min<Index>(r.fit().num_targets(), 12); ++k)
                                    names.push_back(target_at(r.targets, k));
                                  return names;
                                }(),
                                12) +
                                (r.fit().num_targets() > 12 ? fmt::format(" and {} more", r.fit().num_targets() - 12) : "")},
                {"Columns", enumerated(r.fit().column_names, 12)}});
}

void write_targets_table(const TargetsReport& r) {
  r.page.section("Targets");
  const TargetsFit& fit = r.fit();
  std::vector<BarLine> bars;
  double least = 0;
  for (const Index k : r.order) {
    if (std::ssize(bars) >= most_in_figure || !is_fitted_target(fit, k)) break;
    bars.push_back({target_at(r.targets, k), fit.r_squared[k], fmt::format("{:.2f}", fit.r_squared[k]),
                    r.explained.selected[static_cast<std::size_t>(k)]});
    least = std::min(least, std::isnan(fit.r_squared[k]) ? 0.0 : fit.r_squared[k]);
  }
  if (!bars.empty())
    draw_bars(
        r.page.html(),
        {r.page.next_id(), "How well the columns explain each target",
         fmt::format(
             "R\u00b2 of the rows of the fit for {} targets, the best explained first: from {} to {}. The table below has the numbers.",
             bars.size(), bars.front().label, bars.back().label),
         r.has_evidence() ? "R\u00b2 of the rows of the fit. Strong bar and bold name: explained at the stated rate."
                          : "R\u00b2 of the rows of the fit."},
        bars, "R\u00b2", least, 1);
  PlainTable table{r.page.next_id(),
                   "Targets, the best explained first",
                   {"Target", "R\u00b2", "Unseen", "Noise sd", "Effects", "Evidence", "Probability", "Explained"},
                   {}};
  for (const Index k : r.order) {
    const auto at = static_cast<std::size_t>(k);
    const double effects =
        fit.inclusion.size() > 0 ? fit.inclusion.col(k).sum() : fit.effective_parameters[k] - (fit.intercept.size() > 0 ? 1 : 0);
    const bool fitted = is_fitted_target(fit, k) && fit.status[at] != TargetStatus::constant;
    table.lines.push_back({shortened(target_at(r.targets, k)), cell(fit.r_squared[k], 3), cell(fit.r_squared_loo[k], 3),
                           std::isnan(fit.noise_sd[k]) ? "-" : number(fit.noise_sd[k]), fitted ? cell(effects, 1) : "-",
                           cell(fit.evidence[k], 1), cell(r.explained.probability[k], 3),
                           !fitted                    ? to_string(fit.status[at])
                           : r.explained.selected[at] ? "yes"
                                                      : "no"});
  }
  write_table(r.page.html(), table);
  if (std::ssize(r.order) < fit.num_targets())
    r.page.paragraph(fmt::format("The table has {} of {} targets; the others have less evidence.", r.order.size(), fit.num_targets()));
  r.page.list({"R\u00b2: the share of the variance that the predictions explain, in the rows of the fit; it is too good for new rows.",
               "Unseen: the same of rows that the fit has not seen, each predicted from all others. A dash: the target was fitted alone, "
               "or this was not asked for.",
               "Evidence: the log evidence above that of no effect, in nats.",
               fmt::format("Explained: at a rate of false discoveries of {:g}; about that share of the targets with \u201cyes\u201d is "
                           "explained by chance.",
                           r.options.fdr)});
}

// The largest coefficients of the targets that are explained best.
void write_targets_coefficients(const TargetsReport& r) {
  const TargetsFit& fit = r.fit();
  const MatrixView given = r.options.coefficients;
  const bool are_given = given.rows() > 0;
  if (fit.mean.size() == 0 && !are_given) return;
  const auto mean = [&](Index j, Index k) { return are_given ? given(j, k) : fit.mean(j, k); };
  const bool has_sd = fit.sd.size() > 0, has_inclusions = fit.inclusion.size() > 0;
  r.page.section("Coefficients");
  PlainTable table{r.page.next_id(), "The largest coefficients of the targets that are explained best", {"Target", "Column", "Mean"}, {}};
  if (has_sd) table.titles.emplace_back("Sd");
  if (has_inclusions) table.titles.emplace_back("Inclusion");
  constexpr Index most_targets = 12, most_columns = 8;
  Index num_targets = 0;
  for (const Index k : r.order) {
    if (num_targets >= most_targets || !is_fitted_target(fit, k)) break;
    ++num_targets;
    Vector size(fit.num_columns());
    for (Index j = 0; j < size.size(); ++j)
      size[j] = has_inclusions ? fit.inclusion(j, k) : std::abs(mean(j, k)) / (has_sd && fit.sd(j, k) > 0 ? fit.sd(j, k) : 1);
    for (const Index j : io::largest(size, std::min(most_columns, size.size()))) {
      std::vector<std::string> cells = {shortened(target_at(r.targets, k)), shortened(fit.column_names[static_cast<std::size_t>(j)]),
                                        number(mean(j, k))};
      if (has_sd) cells.push_back(number(fit.sd(j, k)));
      if (has_inclusions) cells.push_back(fmt::format("{:.2f}", fit.inclusion(j, k)));
      table.lines.push_back(std::move(cells));
    }
  }
  write_table(r.page.html(), table);
  r.page.paragraph(fmt::format("Of {}, the {} largest coefficients each, by {}; in the units of the data.",
                               counted(static_cast<double>(num_targets), "target", "targets"), std::min(most_columns, fit.num_columns()),
                               has_inclusions ? "inclusion"
                               : has_sd       ? "mean divided by sd"
                                              : "size"));
}

// Rows that are compared: of many, every k-th.
Matrix some_rows(MatrixView all, Index step) {
  Matrix out((all.rows() + step - 1) / step, all.cols());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < all.cols(); ++j) out(i, j) = all(i * step, j);
  return out;
}

constexpr double levels_of_targets[] = {0.5, 0.8, 0.95};

// How the observations of a target lie about their predictions.
struct TargetScore {
  double count = 0, squared_error = 0, spread = 0;
  double inside[std::size(levels_of_targets)] = {};
};

TargetScore score_of_target(const TargetsFit& fit, const TargetsPrediction& p, const Matrix& Y, Index k) {
  TargetScore out;
  const double nu = fit.degrees_of_freedom[k], unit = std::isfinite(nu) && nu > 2 ? std::sqrt((nu - 2) / nu) : 1;
  double reach[std::size(levels_of_targets)] = {}, mean = 0;
  for (std::size_t l = 0; l < std::size(levels_of_targets); ++l) reach[l] = unit * student_t_quantile(nu, levels_of_targets[l]);
  for (Index i = 0; i < Y.rows(); ++i) {
    if (!std::isfinite(Y(i, k))) continue;
    const double off = Y(i, k) - p.mean(i, k), before = Y(i, k) - mean;
    out.count += 1, mean += before / out.count, out.spread += before * (Y(i, k) - mean);
    out.squared_error += off * off;
    for (std::size_t l = 0; l < std::size(levels_of_targets); ++l) out.inside[l] += std::abs(off) <= reach[l] * p.sd(i, k) ? 1 : 0;
  }
  return out;
}

std::vector<std::string> line_of_score(const std::string& name, const TargetScore& score, bool has_intervals) {
  std::vector<std::string> cells = {name, fmt::format("{:.0f}", score.count),
                                    score.spread > 0 ? fmt::format("{:.3f}", 1 - score.squared_error / score.spread) : "-",
                                    number(std::sqrt(score.squared_error / score.count))};
  for (const double inside : score.inside)
    if (has_intervals) cells.push_back(percent(inside / score.count));
  return cells;
}

// Whether these are the rows of the fits: as many for each target, and predicted as well to six digits.
std::string whose_rows_of_targets(const TargetsReport& r, const std::vector<TargetScore>& scores) {
  const TargetsFit& fit = r.fit();
  // Without an intercept, the R^2 of the fit has another origin.
  if (fit.intercept.size() == 0 || fit.num_rows.size() == 0) return words_of_some_rows();
  Index num_equal = 0, num_compared = 0;
  for (Index k = 0; k < fit.num_targets(); ++k) {
    const TargetScore& score = scores[static_cast<std::size_t>(k)];
    if (!is_fitted_target(fit, k) || fit.status[static_cast<std::size_t>(k)] == TargetStatus::constant) continue;
    ++num_compared;
    num_equal += score.count == fit.num_rows[k] && std::abs(1 - score.squared_error / score.spread - fit.r_squared[k]) <= 1e-6 ? 1 : 0;
  }
  if (num_compared == 0) return words_of_some_rows();
  return num_equal == num_compared ? words_of_own_rows() : words_of_other_rows(r.num_rows());
}

void write_targets_rows(const TargetsReport& r) {
  if (r.rows.X.rows() == 0 || r.rows.target.rows() == 0) return;
  const TargetsFit& fit = r.fit();
  r.page.section("Predictions and observations");
  constexpr Index most_rows_of_targets = 20000, least_rows_of_targets = 500, most_numbers_of_targets = Index{1} << 23;
  const Index n = r.rows.X.rows(), widest = std::max<Index>({r.rows.X.cols(), fit.num_targets(), 1});
  const Index most = std::clamp(most_numbers_of_targets / widest, least_rows_of_targets, most_rows_of_targets);
  const Index step = std::max<Index>(1, (n + most - 1) / most);
  const Matrix X = some_rows(r.rows.X, step), Y = some_rows(r.rows.target, step);
  TargetsPredictOptions how;
  how.coefficients = r.options.coefficients;
  const TargetsPrediction p = predict(fit, X, how);
  r.page.paragraph(fmt::format("{}: {}{}.", source_of(r.rows), counted(static_cast<double>(n), "row", "rows"),
                               step > 1 ? fmt::format("; {} of them, evenly spaced, are compared here", X.rows()) : ""));
  // The degrees of freedom are those of normal noise.
  const bool has_intervals = std::ranges::none_of(r.targets.options, [](const auto& option) { return option.first == "noise"; });
  PlainTable table{
      r.page.next_id(), "How well the targets of these rows are predicted", {"Target", "Rows", "R\u00b2", "Root mean squared error"}, {}};
  if (has_intervals) table.titles.insert(table.titles.end(), {"In 50%", "In 80%", "In 95%"});
  TargetScore all;
  std::vector<TargetScore> scores(static_cast<std::size_t>(fit.num_targets()));
  for (Index k = 0; k < fit.num_targets(); ++k) {
    if (!is_fitted_target(fit, k)) continue;
    const TargetScore& score = scores[static_cast<std::size_t>(k)] = score_of_target(fit, p, Y, k);
    if (fit.status[static_cast<std::size_t>(k)] == TargetStatus::constant) continue;  // it is predicted without error
    all.count += score.count;
    for (std::size_t l = 0; l < std::size(levels_of_targets); ++l) all.inside[l] += score.inside[l];
  }
  r.page.paragraph(step > 1 ? words_of_some_rows() : whose_rows_of_targets(r, scores));
  for (const Index k : r.order)
    if (const TargetScore& score = scores[static_cast<std::size_t>(k)]; score.count > 0)
      table.lines.push_back(line_of_score(shortened(target_at(r.targets, k)), score, has_intervals));
  if (all.count > 0 && has_intervals)
    r.page.paragraph(
        fmt::format("Of all observations of targets that vary, {} lie in their 50% interval, {} in their 80% and {} in their 95%.",
                    percent(all.inside[0] / all.count), percent(all.inside[1] / all.count), percent(all.inside[2] / all.count)));
  write_table(r.page.html(), table);
}

std::string method_of_targets(const TargetsReport& r) {
  std::string out = fmt::format(
      "We fitted a Bayesian linear regression of each of {} on the same {} ({:.10g} rows) with ardvark {} (sparse Bayesian models by "
      "variational inference), under the prior {}, each with "
      "a noise of its own.",
      counted(static_cast<double>(r.fit().num_targets()), "target", "targets"),
      counted(static_cast<double>(r.fit().num_columns()), "column", "columns"), r.num_rows(), library_version(), to_string(r.fit().prior));
  if (r.has_evidence())
    out += fmt::format(" By their log evidence, {} of them are explained at a rate of false discoveries of {:g}{}.", r.num_selected(),
                       r.options.fdr,
                       r.has_share() ? fmt::format("; the estimated share of all targets is {}", percent(r.explained.share)) : "");
  return out;
}

void write_targets_reproduction(const TargetsReport& r) {
  r.page.section("How to make this fit again");
  r.page.paragraph(fmt::format("ardvark {}, and this command:", library_version()));
  r.page.code(shortened(r.options.command.empty() ? command_of_targets(r.targets, r.rows) : r.options.command, 4000));
  write_beside_the_command(r.page, r.targets.encoding, r.targets.options, !r.options.command.empty());
  write_checksums(r.page, r.rows);
}

void check_targets(const SavedTargets& targets, const ReportRows& rows, const ReportOptions& options) {
  const TargetsFit& fit = targets.fit;
  if (!(options.fdr > 0 && options.fdr < 1)) throw wrong("fdr", options.fdr, "it must lie between 0 and 1");
  if (!options.column_names.empty()) throw refused("column_names", "cannot be given for many targets");
  if (rows.X.rows() == 0) return;
  if (rows.X.cols() != fit.num_columns())
    throw refused("X", fmt::format("has {} columns; the fit has {}", rows.X.cols(), fit.num_columns()));
  if (rows.target.rows() == 0) return;
  if (rows.target.rows() != rows.X.rows())
    throw wrong_size("target", rows.target.rows(), fmt::format("it must have one for each row of X: {}", rows.X.rows()));
  if (rows.target.cols() != fit.num_targets())
    throw refused("target", fmt::format("has {} columns; the fit has {} targets", rows.target.cols(), fit.num_targets()));
}

}  // namespace

std::string html_report(const SavedTargets& targets, const ReportRows& rows, const ReportOptions& options) {
  check_targets(targets, rows, options);
  const TargetsFit& fit = targets.fit;
  const std::string lead =
      fmt::format("Linear regressions of {}, prior {}, {}", counted(static_cast<double>(fit.num_targets()), "target", "targets"),
                  to_string(fit.prior), counted(static_cast<double>(fit.num_columns()), "column", "columns"));
  Page page(options.title.empty() ? fmt::format("Regressions of {} targets", fit.num_targets()) : shortened(options.title, 200), lead);
  const Vector evidence = fit.evidence.unaryExpr([](double x) { return std::isnan(x) ? -1e300 : x; });
  TargetsReport r{targets, rows, options, page, explained_targets(fit.log_bayes, fit.log_bayes_of_noise, options.fdr), {}};
  const Vector by = r.has_evidence() ? evidence : Vector(fit.r_squared.unaryExpr([](double x) { return std::isnan(x) ? -1e300 : x; }));
  r.order = io::largest(by, std::min(fit.num_targets(), most_lines));
  write_targets_in_short(r);
  write_targets_status(r);
  write_targets_what(r);
  write_targets_table(r);
  write_targets_coefficients(r);
  write_targets_rows(r);
  write_targets_reproduction(r);
  page.section("What to write about it");
  page.paragraph("For the methods and results of a paper; every number is of these fits:");
  page.quotation(method_of_targets(r));
  return page.finish();
}

}  // namespace ardvark
