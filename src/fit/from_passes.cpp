// fit_logistic for rows that are not in memory.                                                                docs/math/passes.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/stopwatch.hpp"
#include "fit/checked.hpp"
#include "fit/passes.hpp"
#include "fit/prior_choice.hpp"
#include "fit/small_table.hpp"
#include "fit/validate_options.hpp"
#include "frame/describe.hpp"
#include "likelihood/registry.hpp"
#include "method/spike_slab/sparse.hpp"

namespace ardvark {

using namespace internal;

namespace {

void refuse_what_needs_rows(const FitOptions& options) {
  const auto refuse = [](const std::string& what) {
    throw InvalidArgument(what +
                          " needs the whole table, and the rows are not in memory; read the table into memory, or leave the option out");
  };
  if (!options.preset.empty()) refuse(fmt::format("preset '{}'", options.preset));
  if (options.prior.kind == PriorKind::laplace) refuse("prior 'laplace' of two classes");
  if (options.pruning.is_on()) refuse("pruning");
  if (options.rule.value_or(UpdateRule::vb) != UpdateRule::vb) refuse("a rule for the precisions other than vb");
  if (options.solver != SolverKind::automatic) refuse(fmt::format("solver '{}'", to_string(options.solver)));
}

// The table of the first look, if the sample has all of its rows.
LogisticFit fit_sample(const RowSample& sample, FitOptions options) {
  const auto n = static_cast<Index>(sample.y.size());
  const bool all_ones = std::ranges::all_of(sample.weights, [](double weight) { return weight == 1; });
  options.weights = all_ones ? VectorView() : VectorView(sample.weights);
  const MatrixView X(sample.X.data(), n, static_cast<Index>(sample.X.size()) / n, Layout::row_major);
  return fit_logistic(X, sample.y, options);
}

// The posterior of a fit in the units of another design.
WeightMoments moments_in(const Standardization& units, const Fit& fit) {
  const Index p = fit.num_columns(), q = p + (units.intercept ? 1 : 0);
  Matrix D = Matrix::Zero(q, q);
  for (Index j = 0; j < p; ++j) {
    const double scale = units.scale.size() > 0 ? units.scale[j] : 1.0;
    if (scale == 0) continue;  // left out
    D(j, j) = 1 / scale;
    if (units.intercept && units.center.size() > 0) D(p, j) = units.center[j];
  }
  Vector w(q);
  w.head(p) = fit.mean;
  if (units.intercept) D(p, p) = 1, w[p] = fit.intercept->mean;
  return {D * w, D * fit.covariance() * D.transpose()};
}

// Where the passes start: a fit of the sample, with weights that add up to those of all rows. Without such a fit at zero.    (PASS.2)
WeightMoments start_from(const RowSample& sample, const Standardization& units, const FitOptions& options, double total_weight) {
  const Index q = static_cast<Index>(sample.X.size() / sample.y.size()) + (units.intercept ? 1 : 0);
  const WeightMoments zero{Vector::Zero(q), Matrix::Zero(q, q)};
  RowSample some = sample;
  double sum = 0;
  for (const double weight : some.weights) sum += weight;
  for (double& weight : some.weights) weight *= total_weight / sum;
  FitOptions quick = options;
  quick.keep_covariance = Keep::always;
  quick.on_sweep = nullptr;
  try {
    const LogisticFit fit = fit_sample(some, quick);
    const bool can_be_used = fit.report.status == Status::converged || fit.report.status == Status::max_sweeps;
    if (!can_be_used || !fit.mean.allFinite() || !fit.variance.allFinite()) return zero;
    WeightMoments out = moments_in(units, fit);
    return out.w.allFinite() && out.V.allFinite() ? out : zero;
  } catch (const InvalidArgument&) {  // such as one class only in the sample
    return zero;
  }
}

KnownRows known_rows(const Moments& total, const Standardization& units, double label_of_second, double label_of_first, Index num_rows) {
  const Index p = total.size() - 1, q = p + (units.intercept ? 1 : 0);
  KnownRows out;
  out.weight = total.weight;
  out.num_rows = num_rows;
  const double width = label_of_second - label_of_first;
  out.share = (total.mean[p] - label_of_first) / width;
  Vector scale = units.scale.size() > 0 ? units.scale : Vector(Vector::Ones(p));
  const Vector off = (total.mean.head(p) - (units.center.size() > 0 ? units.center : Vector(Vector::Zero(p)))).cwiseProduct(scale);
  const Matrix cross = total.cross();
  out.cross = Matrix::Zero(q, q);
  out.cross.topLeftCorner(p, p) = scale.asDiagonal() * cross.topLeftCorner(p, p) * scale.asDiagonal();
  out.cross.topLeftCorner(p, p) += total.weight * off * off.transpose();
  out.to_class = Vector::Zero(q);
  out.to_class.head(p) = cross.col(p).head(p).cwiseProduct(scale) / width;
  if (units.intercept) {
    out.cross.col(p).head(p) = total.weight * off;
    out.cross.row(p).head(p) = total.weight * off.transpose();
    out.cross(p, p) = total.weight;
  }
  return out;
}

// What the first look says of the rows.
struct FirstLook {
  RowSums answer;
  Moments total;
  std::vector<double> labels;  // the two, ascending
  std::vector<std::string> classes;
  RowSample sample;

  [[nodiscard]] Index num_columns() const { return total.size() - 1; }
};

FirstLook look_at(const AskRows& ask, const FitOptions& options) {
  RowQuestion::State question;
  question.is_first_look = true;
  question.names = options.column_names;
  RowSums answer = ask(RowQuestion(std::make_shared<const RowQuestion::State>(std::move(question))));
  const RowSums::State& state = answer.state();
  std::optional<Moments> total = state.statistics.state().total();
  if (!total) throw InvalidArgument("there are no rows");
  std::vector<double> labels;
  for (const auto& [label, weight] : state.weight_of_label) labels.push_back(label);
  TwoClasses classes = read_two_classes(labels, Vector::Ones(static_cast<Index>(labels.size())), false);
  RowSample sample = state.sample;
  if (const Index p = total->size() - 1; !sample.is_complete()) sample.keep(most_sample_rows(p), p);
  return {std::move(answer), std::move(*total), std::move(labels), std::move(classes.names), std::move(sample)};
}

// \param table  has the moments of the rows; must exist as long as the frame
Frame frame_of(const FirstLook& look, const SmallTable& table, FitOptions options) {
  const Vector k = Vector::Constant(table.Z.rows(), table.stand_in.weight);
  options.weights = k;
  Frame frame = frame_of_columns(table.Z.leftCols(look.num_columns()), options, nullptr, table.stand_in);
  frame.options.weights = {};
  frame.task = Task::logistic;
  frame.classes = look.classes;
  frame.rows = look.total.weight;
  frame.stand_in.y = 0;  // that of the labels
  return frame;
}

RowQuestion::State pass_of(const FirstLook& look, const Frame& frame) {
  const RowSums::State& state = look.answer.state();
  RowQuestion::State pass;
  pass.likelihood = likelihood_row(Task::logistic, frame.options).name;
  std::ranges::copy(look.labels, pass.label);
  pass.units = frame.user_units().standardization;
  pass.num_rows = state.num_rows;
  pass.num_columns = look.num_columns();
  pass.fingerprint = state.fingerprint;
  return pass;
}

}  // namespace

LogisticFit fit_logistic(const AskRows& ask, const FitOptions& given) {
  const Stopwatch watch;
  const blas::ThreadScope threads(given.threads);
  if (!given.weights.empty()) throw InvalidArgument("weights cannot be given with rows that are read in passes: they belong to the rows");
  pulse("preparing");
  const FirstLook look = look_at(ask, given);
  if (look.sample.is_complete()) return fit_sample(look.sample, given);
  refuse_what_needs_rows(given);
  const Index p = look.num_columns(), num_rows = look.answer.num_rows();
  validate_options(given, Task::logistic, p);
  ChosenOptions chosen = with_chosen_prior(given, Task::logistic, num_rows, p);
  const SmallTable table = small_table(look.answer.state().statistics.state(), look.total, is_about_the_mean(chosen.options));
  Frame frame = frame_of(look, table, chosen.options);
  Passes passes(ask, pass_of(look, frame));
  const Standardization& units = passes.question().units;
  std::string start_of_passes;
  const auto start = [&] {
    start_of_passes = fmt::format("; the passes began at the fit of a sample of {} rows", look.sample.y.size());
    return start_from(look.sample, units, chosen.options, look.total.weight);
  };
  ClassTally scores;
  Solution solution =
      is_sparse(frame.options.prior.kind)
          ? solve_sparse_by_passes(frame, passes, known_rows(look.total, units, look.labels[1], look.labels[0], num_rows), start, scores)
          : solve_sweeps_by_passes(frame, passes, start, scores);
  if (given.keep_covariance == Keep::never) solution.factor = {};
  const bool usable = solution.usable;
  LogisticFit fit{assemble(frame, std::move(solution))};
  if (usable) scores.describe(fit);
  for (const std::size_t c : {0, 1}) fit.class_weight[c] = look.answer.state().weight_of_label.at(look.labels[c]);
  describe_separation(chosen.options, fit);
  std::vector<std::string>& notes = fit.report.notes;
  notes.push_back(fmt::format("the rows were read {} times{}", passes.count() + 1, start_of_passes));
  if (!chosen.note.empty()) notes.insert(notes.begin(), chosen.note);
  warn_if_too_confident(chosen.options, fit, p);
  fit.report.seconds = watch.seconds();
  return fit;
}

}  // namespace ardvark
