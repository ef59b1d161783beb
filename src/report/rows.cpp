// Rows that are given, beside their predictions: residuals, intervals and probabilities that hold what they promise, or do not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/refusals.hpp"
#include "frame/describe.hpp"
#include "io/text.hpp"
#include "predict/predictive.hpp"
#include "report/curves.hpp"
#include "report/sections.hpp"
#include "target/target.hpp"

namespace ardvark::internal::report {
namespace {

using io::number;

// Rows that are predicted, and numbers that a copy of them has.
constexpr Index most_rows = 20000, most_numbers = Index{1} << 24, least_rows = 1000;
constexpr std::size_t most_dots = 1200;

// The rows whose target is known, or some of them.
struct KnownRows {
  std::vector<Index> at;  // positions in the rows that are given
  Index num_known = 0;    // of which they are some
  Matrix X;
  Vector y, row_offset;
  [[nodiscard]] bool are_all() const { return std::ssize(at) == num_known; }
};

KnownRows known_rows(const ReportRows& rows) {
  KnownRows out;
  std::vector<Index> known;
  for (Index i = 0; i < rows.X.rows(); ++i)
    if (!std::isnan(rows.target(i, 0))) known.push_back(i);
  out.num_known = std::ssize(known);
  const Index most = std::clamp(most_numbers / std::max<Index>(1, rows.X.cols()), least_rows, most_rows);
  const Index step = std::max<Index>(1, (out.num_known + most - 1) / most);
  for (Index i = 0; i < out.num_known; i += step) out.at.push_back(known[static_cast<std::size_t>(i)]);
  const Index n = std::ssize(out.at);
  out.X.resize(n, rows.X.cols());
  out.y.resize(n);
  if (!rows.row_offset.empty()) out.row_offset.resize(n);
  for (Index i = 0; i < n; ++i) {
    const Index row = out.at[static_cast<std::size_t>(i)];
    for (Index j = 0; j < rows.X.cols(); ++j) out.X(i, j) = rows.X(row, j);
    out.y[i] = rows.target(row, 0);
    if (!rows.row_offset.empty()) out.row_offset[i] = rows.row_offset[row];
  }
  return out;
}

// Wilson's interval of a share, at 95%.
Interval interval_of_share(double count, double n) {
  constexpr double z = 1.959963984540054;
  const double share = count / n, center = share + z * z / (2 * n), half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {(center - half) / (1 + z * z / n), (center + half) / (1 + z * z / n)};
}

// What the fit says of its own rows: R^2, log loss or deviance.
struct OwnRows {
  double num_rows = 0, score = 0;
};
OwnRows own_rows(const SavedModel& model) {
  return std::visit(
      [](const auto& fit) -> OwnRows {
        if constexpr (requires { fit.deviance; })
          return {fit.num_rows, has_noise(fit.task) ? fit.r_squared : is_count(fit.task) ? fit.deviance : fit.log_loss};
        else if constexpr (requires { fit.r_squared; })
          return {fit.num_rows, has_noise(fit.task) ? fit.r_squared : fit.log_loss};
        else
          return {fit.num_rows, fit.log_loss};
      },
      model.fit);
}

// Whether these are the rows of the fit: as many, and predicted as well to six digits. A fit that had them with weights, or only some of
// them, is not told from one that had others.
std::string whose_rows(const SavedModel& model, const KnownRows& known, double score) {
  const OwnRows own = own_rows(model);
  if (!known.are_all()) return words_of_some_rows();
  const bool as_many = static_cast<double>(known.num_known) == own.num_rows;
  if (as_many && std::abs(score - own.score) <= 1e-6 * std::max(1.0, std::abs(own.score))) return words_of_own_rows();
  if (const Fit* fit = model.score(); as_many && fit != nullptr && fit->completed_tables > 0)
    return "They are as many as the rows of the fit, whose gaps were filled: the page cannot tell whether they are the same.";
  return words_of_other_rows(own.num_rows);
}

std::string row_name(const ReportRows& rows, Index row) {
  return fmt::format("{}", rows.numbers.empty() ? row + 1 : rows.numbers[static_cast<std::size_t>(row)]);
}

void write_counts(Page& page, const ReportRows& rows, const KnownRows& known, bool has_classes) {
  const auto rows_in_words = [](auto number) { return counted(static_cast<double>(number), "row", "rows"); };
  std::string text = fmt::format("{}: {}", source_of(rows), rows_in_words(rows.X.rows()));
  if (rows.num_left_out > 0) text += fmt::format(", without {} in which a value is missing", rows_in_words(rows.num_left_out));
  if (known.num_known < rows.X.rows())
    text += fmt::format("; {} have {}", known.num_known, has_classes ? "a class of the fit, and only they are compared" : "a known target");
  if (!known.are_all()) text += fmt::format("; {} of them, evenly spaced, are compared here", known.at.size());
  page.paragraph(text + ".");
}

// Of a regression, what does not depend on the form of its predictions.
struct Regression {
  Vector mean;
  std::vector<double> levels;
  std::vector<std::pair<Vector, Vector>> ends;  // of the intervals at each level
};

constexpr double half = 0.5, most_of = 0.8, nearly_all = 0.95;

Regression regression_of(const auto& p) {
  Regression out{p.mean, {half, most_of, nearly_all}, {}};
  for (const double level : out.levels) out.ends.push_back(interval_of(p, level));
  return out;
}

double count_inside(const std::pair<Vector, Vector>& ends, const Vector& y) {
  return static_cast<double>((ends.first.array() <= y.array() && y.array() <= ends.second.array()).count());
}

void write_coverage(Page& page, const Regression& r, const Vector& y, bool is_discrete) {
  const auto n = static_cast<double>(y.size());
  PlainTable table{
      page.next_id(), "How many rows lie inside of their predictive intervals", {"Interval", "Rows inside", "Share", "95% from", "To"}, {}};
  bool all_agree = true;
  for (std::size_t k = 0; k < r.levels.size(); ++k) {
    const double inside = count_inside(r.ends[k], y);
    const Interval ends = interval_of_share(inside, n);
    const bool agrees = is_discrete ? ends.upper >= r.levels[k] : ends.lower <= r.levels[k] && r.levels[k] <= ends.upper;
    all_agree = all_agree && agrees;
    table.lines.push_back({level_in_words(r.levels[k]), fmt::format("{:.10g} of {:.10g}", inside, n), percent(inside / n),
                           percent(ends.lower), percent(ends.upper)});
  }
  write_table(page.html(), table);
  page.paragraph(std::string(all_agree
                                 ? "The intervals hold what they promise, as far as so many rows can tell: each share is near its level."
                                 : "A share is further from its level than chance explains: look at the residuals below.") +
                 (is_discrete ? " Intervals of counts end at whole numbers and hold at least their probability." : ""));
}

// The mean residual in ten groups of rows with similar fitted values: a bend is what the model does not describe.
std::vector<IntervalLine> group_means(const Vector& fitted, const Vector& residual) {
  std::vector<Index> order(static_cast<std::size_t>(fitted.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index i) { return fitted[i]; });
  const Index num_groups = std::clamp<Index>(fitted.size() / 15, 1, 10);
  std::vector<IntervalLine> groups;
  for (Index g = 0; g < num_groups; ++g) {
    const Index first = g * fitted.size() / num_groups, end = (g + 1) * fitted.size() / num_groups, n = end - first;
    double x = 0, sum = 0, squares = 0;
    for (Index i = first; i < end; ++i) {
      const Index at = order[static_cast<std::size_t>(i)];
      x += fitted[at] / static_cast<double>(n), sum += residual[at], squares += residual[at] * residual[at];
    }
    const double mean = sum / static_cast<double>(n), variance = n > 1 ? (squares - sum * mean) / static_cast<double>(n - 1) : 0;
    const double error = 1.96 * std::sqrt(std::max(0.0, variance) / static_cast<double>(n));
    groups.push_back({fmt::format("{}", x), mean, mean - error, mean + error, x, false});
  }
  return groups;
}

void draw_residuals(Page& page, const Regression& r, const Vector& y, const std::string& target, bool has_groups) {
  const Vector residual = y - r.mean;
  AxisExtent fitted, off;
  for (Index i = 0; i < y.size(); ++i) fitted.add(r.mean[i]), off.add(residual[i]);
  const PlotFrame frame{across(fitted), upwards(off), "predicted " + target, "observed minus predicted"};
  const std::size_t step = std::max<std::size_t>(1, (static_cast<std::size_t>(y.size()) + most_dots - 1) / most_dots);
  std::vector<std::pair<double, double>> inside, outside;
  std::size_t num_outside = 0;
  for (Index i = 0; i < y.size(); ++i) {
    const bool is_outside = y[i] < r.ends.back().first[i] || y[i] > r.ends.back().second[i];
    const std::pair<double, double> at(frame.x(r.mean[i]), frame.y(residual[i]));
    num_outside += is_outside ? 1 : 0;
    if (is_outside ? outside.size() < most_dots : static_cast<std::size_t>(i) % step == 0) (is_outside ? outside : inside).push_back(at);
  }
  const std::vector<IntervalLine> groups = group_means(r.mean, residual);
  const std::string some =
      (step > 1 ? fmt::format(" Of the dots inside, every {}th is drawn.", step) : "") +
      (num_outside > outside.size() ? fmt::format(" Of the dots outside, the first {} are drawn.", outside.size()) : "");
  Figure figure(
      page.html(),
      {page.next_id(), "Residuals against predictions",
       fmt::format("A dot for each row: what was observed minus what is predicted, over the prediction. {} of {} rows lie outside of "
                   "their 95% interval.",
                   num_outside, y.size()),
       std::string("Dots: rows; the larger ones in another colour lie outside of their 95% interval.") +
           (has_groups ? " Vertical lines: the mean of rows with similar predictions, with its 95% interval; they should hold zero." : "") +
           some},
      plot_width, plot_height);
  draw_frame(figure, frame);
  figure.line(frame.x.from, frame.y(0), frame.x.to, frame.y(0), "limit");
  figure.dots(inside, "points");
  figure.dots(outside, "outside");
  for (const IntervalLine& group : groups) {
    if (!has_groups) break;
    const double x = frame.x(group.share);
    figure.line(x, frame.y(group.lower), x, frame.y(group.upper), "mark");
    figure.dot(x, frame.y(group.mean), 3, "full");
  }
  const auto table = [&](Html& html) {
    PlainTable numbers{
        page.next_id(), "Mean residuals of rows with similar predictions", {"Prediction", "Mean residual", "95% from", "To"}, {}};
    for (const IntervalLine& group : groups)
      numbers.lines.push_back({number(group.share), number(group.mean), number(group.lower), number(group.upper)});
    write_table(html, numbers);
  };
  figure.finish(table);
}

void draw_observed(Page& page, const Regression& r, const Vector& y, const std::string& target) {
  AxisExtent all;
  for (Index i = 0; i < y.size(); ++i) all.add(r.mean[i]), all.add(y[i]);
  const PlotFrame frame{across(all), upwards(all), "predicted " + target, "observed " + target};
  const std::size_t step = std::max<std::size_t>(1, (static_cast<std::size_t>(y.size()) + most_dots - 1) / most_dots);
  std::vector<std::pair<double, double>> dots;
  for (std::size_t i = 0; i < static_cast<std::size_t>(y.size()); i += step)
    dots.emplace_back(frame.x(r.mean[static_cast<Index>(i)]), frame.y(y[static_cast<Index>(i)]));
  Figure figure(page.html(),
                {page.next_id(), "Observations against predictions",
                 "A dot for each row: what was observed over what is predicted, with the line on "
                 "which both are equal.",
                 "Dots: rows. On the dashed line, observation and prediction are equal."},
                plot_width, plot_height);
  draw_frame(figure, frame);
  figure.line(frame.x(all.low()), frame.y(all.low()), frame.x(all.high()), frame.y(all.high()), "limit");
  figure.dots(dots, "points");
  figure.finish();
}

void write_furthest(Page& page, const Regression& r, const KnownRows& known, const ReportRows& rows) {
  std::vector<std::pair<double, Index>> far;
  for (Index i = 0; i < known.y.size(); ++i) {
    const double up = r.ends.back().second[i] - r.mean[i], down = r.mean[i] - r.ends.back().first[i], off = known.y[i] - r.mean[i];
    const double room = off > 0 ? up : down;
    if (std::isfinite(room) && std::abs(off) > room) far.emplace_back(room > 0 ? std::abs(off) / room : 1e300, i);
  }
  std::ranges::sort(far, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  if (far.empty()) return;
  page.subsection("Rows furthest from their prediction");
  PlainTable table{
      page.next_id(), "Rows outside of their 95% interval, the furthest first", {"Row", "Observed", "Predicted", "95% from", "To"}, {}};
  for (const auto& [how_far, i] : far) {
    if (table.lines.size() >= 10) break;
    table.lines.push_back({row_name(rows, known.at[static_cast<std::size_t>(i)]), number(known.y[i]), number(r.mean[i]),
                           number(r.ends.back().first[i]), number(r.ends.back().second[i])});
  }
  write_table(page.html(), table);
}

void write_regression(Page& page, const SavedModel& model, const ReportRows& rows, const KnownRows& known, const auto& prediction) {
  const Regression r = regression_of(prediction);
  const bool is_discrete = is_count(task_of(model));
  const std::string target = target_or(target_name(model), "target");
  const Vector residual = known.y - r.mean;
  const double spread = (known.y.array() - known.y.mean()).square().sum();
  const double r_squared = 1 - residual.squaredNorm() / spread;
  double own = r_squared;
  if (is_discrete) {
    CountTally tally;
    for (Index i = 0; i < known.y.size(); ++i) tally.add(known.y[i], 1, std::log(r.mean[i]), 0, 0, model.score()->family.dispersion);
    own = tally.deviance / tally.weight;
  } else if (const Fit* fit = model.score(); fit != nullptr && !fit->intercept) {
    own = 1 - residual.squaredNorm() / known.y.squaredNorm();
  }
  page.paragraph(whose_rows(model, known, own));
  std::vector<std::pair<std::string, std::string>> facts;
  if (spread > 0 && std::isfinite(r_squared)) facts.emplace_back("R\u00b2", fmt::format("{:.4f}", r_squared));
  facts.emplace_back("Root mean squared error", number(std::sqrt(residual.squaredNorm() / static_cast<double>(known.y.size()))));
  facts.emplace_back("Mean log density", fmt::format("{:.4f} nats per row", log_density(prediction, known.y).mean()));
  page.facts(facts);
  write_coverage(page, r, known.y, is_discrete);
  page.html().open("div", {{"class", "figures"}});
  draw_residuals(page, r, known.y, target, known.y.size() >= 30);
  draw_observed(page, r, known.y, target);
  page.html().close("div");
  write_furthest(page, r, known, rows);
}

// Probabilities of one class, and whether it was observed, in groups of equal size.
struct Group {
  double predicted = 0, observed = 0, n = 0;
  Interval ends;
};
std::vector<Group> groups_of(const Vector& probability, const std::vector<bool>& happened) {
  std::vector<Index> order(static_cast<std::size_t>(probability.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index i) { return probability[i]; });
  const Index num_groups = std::clamp<Index>(probability.size() / 20, 1, 10);
  std::vector<Group> groups;
  for (Index g = 0; g < num_groups; ++g) {
    const Index first = g * probability.size() / num_groups, end = (g + 1) * probability.size() / num_groups;
    Group group;
    for (Index i = first; i < end; ++i) {
      const Index at = order[static_cast<std::size_t>(i)];
      group.predicted += probability[at], group.observed += happened[static_cast<std::size_t>(at)] ? 1 : 0, group.n += 1;
    }
    group.predicted /= group.n;
    group.ends = interval_of_share(group.observed, group.n);
    group.observed /= group.n;
    groups.push_back(group);
  }
  return groups;
}

void draw_calibration(Page& page, const std::vector<Group>& groups, const std::string& what) {
  const Scale x{0, 1, across(AxisExtent{}).from, across(AxisExtent{}).to}, y{0, 1, upwards(AxisExtent{}).from, upwards(AxisExtent{}).to};
  const PlotFrame frame{x, y, "predicted probability of " + what, "observed share", true, true};
  Index off = 0;
  for (const Group& group : groups) off += group.predicted < group.ends.lower || group.predicted > group.ends.upper ? 1 : 0;
  Figure figure(
      page.html(),
      {page.next_id(), "Calibration of the probabilities",
       fmt::format("For {} groups of rows with similar probabilities: the share that was observed, with its 95% interval, over the mean "
                   "probability. In {} of them the interval does not hold the probability.",
                   groups.size(), off),
       "Dots: groups of rows with similar probabilities; lines: 95% intervals of the shares. On the dashed line, predictions are right."},
      plot_width, plot_height);
  draw_frame(figure, frame);
  figure.line(x(0), y(0), x(1), y(1), "limit");
  for (const Group& group : groups) {
    figure.line(x(group.predicted), y(group.ends.lower), x(group.predicted), y(group.ends.upper), "mark");
    figure.dot(x(group.predicted), y(group.observed), 4, "full");
  }
  const auto table = [&](Html& html) {
    PlainTable numbers{
        page.next_id(), "Predicted probabilities and observed shares", {"Predicted", "Observed", "95% from", "To", "Rows"}, {}};
    for (const Group& group : groups)
      numbers.lines.push_back({percent(group.predicted), percent(group.observed), percent(group.ends.lower), percent(group.ends.upper),
                               fmt::format("{:.0f}", group.n)});
    write_table(html, numbers);
  };
  figure.finish(table);
}

void write_confusion(Page& page, const std::vector<std::string>& classes, const std::vector<Index>& predicted, const Vector& y) {
  const Index C = std::ssize(classes);
  Matrix counts = Matrix::Zero(C, C);
  for (Index i = 0; i < y.size(); ++i) counts(static_cast<Index>(y[i]), predicted[static_cast<std::size_t>(i)]) += 1;
  constexpr Index most_classes = 12;
  const Index shown = std::min(C, most_classes);
  PlainTable table{page.next_id(), "Rows by their class and by the class that is most probable", {"Observed"}, {}};
  for (Index c = 0; c < shown; ++c) table.titles.push_back("predicted " + shortened(classes[static_cast<std::size_t>(c)], 24));
  for (Index c = 0; c < shown; ++c) {
    std::vector<std::string> cells = {shortened(classes[static_cast<std::size_t>(c)], 40)};
    for (Index d = 0; d < shown; ++d) cells.push_back(fmt::format("{:.0f}", counts(c, d)));
    table.lines.push_back(std::move(cells));
  }
  write_table(page.html(), table);
  if (shown < C) page.paragraph(fmt::format("The table has the first {} of {} classes.", shown, C));
}

void write_classes(Page& page, const SavedModel& model, const KnownRows& known, const Prediction& prediction, const Matrix& probability,
                   const std::vector<Index>& most_probable) {
  const std::vector<std::string>& classes = classes_of(model);
  const Vector density = log_density(prediction, known.y);
  const auto n = static_cast<double>(known.y.size());
  double right = 0, of_largest = 0;
  Vector counts = Vector::Zero(std::ssize(classes));
  for (Index i = 0; i < known.y.size(); ++i) {
    right += static_cast<double>(most_probable[static_cast<std::size_t>(i)]) == known.y[i] ? 1 : 0;
    counts[static_cast<Index>(known.y[i])] += 1;
  }
  of_largest = counts.maxCoeff() / n;
  page.paragraph(whose_rows(model, known, -density.mean()));
  const Interval ends = interval_of_share(right, n);
  double entropy = 0;
  for (const double count : counts)
    if (count > 0) entropy -= count / n * std::log(count / n);
  page.facts({{"Accuracy", fmt::format("{} (95% {} to {}); always the most frequent class: {}", percent(right / n), percent(ends.lower),
                                       percent(ends.upper), percent(of_largest))},
              {"Log loss", fmt::format("{:.4f} nats per row; with the shares of the classes alone: {:.4f}", -density.mean(), entropy)}});
  std::vector<bool> happened;
  Vector shown(known.y.size());
  const bool is_two = classes.size() == 2;
  for (Index i = 0; i < known.y.size(); ++i) {
    const Index c = is_two ? 1 : most_probable[static_cast<std::size_t>(i)];
    shown[i] = probability(i, c);
    happened.push_back(known.y[i] == static_cast<double>(c));
  }
  draw_calibration(page, groups_of(shown, happened), is_two ? shortened(classes[1], 20) : "the top class");
  write_confusion(page, classes, most_probable, known.y);
}

void require_classes(const KnownRows& known, Index num_classes) {
  for (Index i = 0; i < known.y.size(); ++i)
    if (const double y = known.y[i]; !(y >= 0 && y < static_cast<double>(num_classes)) || y != std::floor(y))
      throw refused("target", fmt::format("has {} in row {}; it must be a position of a class, from 0 to {}, or NaN", y,
                                          known.at[static_cast<std::size_t>(i)] + 1, num_classes - 1));
}

}  // namespace

void write_rows(Page& page, const SavedModel& model, const ReportRows& rows) {
  if (rows.X.rows() == 0) return;
  page.section("Predictions and observations");
  if (rows.target.rows() == 0) {
    page.paragraph("The rows have no target, so that predictions cannot be compared with observations.");
    return;
  }
  const KnownRows known = known_rows(rows);
  write_counts(page, rows, known, has_classes(task_of(model)));
  if (known.at.empty()) {
    page.paragraph("The target of no row is known.");
    return;
  }
  if (has_classes(task_of(model))) require_classes(known, std::ssize(classes_of(model)));
  ModelOptions how;
  how.row_offset.assign(known.row_offset.begin(), known.row_offset.end());
  const Prediction prediction = predict(model, known.X, how);
  for (const std::string& warning : warnings_of_prediction(model, known.X)) page.warning(warning);
  std::visit(
      [&](const auto& p) {
        if constexpr (requires { p.most_probable(); }) {  // two classes
          Matrix both(p.probability.size(), 2);
          both << (1 - p.probability.array()).matrix(), p.probability;
          write_classes(page, model, known, prediction, both, p.most_probable());
        } else if constexpr (requires { p.most_probable; }) {
          write_classes(page, model, known, prediction, p.probability, p.most_probable);
        } else {
          write_regression(page, model, rows, known, p);
        }
      },
      prediction);
}

}  // namespace ardvark::internal::report
