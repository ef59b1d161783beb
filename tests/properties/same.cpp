// Other solvers, memory orders and numbers of threads give the same result.
#include <fmt/format.h>

#include "core/blas.hpp"
#include "invariance.hpp"

namespace ardvark::testing {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// For columns that are not scaled, the first matrix of the dual, at the mean of the hyper-prior, may have no correct digits, even if the
// last one has some.
bool rounding_decides_the_start(const Subject& subject) {
  const ModelOptions& options = subject.prepared.options;
  if (options.standardize && !subject.is_preset()) return false;
  const GammaDistribution prior = subject.is_regression() ? GammaDistribution{options.c0.value_or(1e-2), options.d0.value_or(1e-4)}
                                                          : GammaDistribution{options.a0.value_or(1e-2), options.b0.value_or(1e-4)};
  return 1e-16 * subject.prepared.X.squaredNorm() * prior.rate / prior.shape > 1e-4;
}

Json comparable(const SavedModel& model) { return json_of(model, false); }

}  // namespace

Verdict solvers_agree(const Subject& subject) {
  if (!subject.is_converged() || !subject.is_linear_score() || subject.is_preset() || subject.fit().sparse) return says_nothing();
  bool applies = false;
  for (const std::string& solver : words_of("solver")) {
    if (solver == "iterative") continue;  // the same within the errors that it reports: tests/fit/iterative_fit_test.cpp
    DrawnProblem other = subject.problem;
    set_option(other, "solver", solver);
    set_option(other, "max_sweeps", 20000.0);                                                           // one solver may need more sweeps
    if (!subject.is_preset()) set_option(other, "prior", std::string(to_string(subject.fit().prior)));  // what `auto` chose
    std::optional<SavedModel> model;
    try {
      model = fit_of(prepare(other));
    } catch (const InvalidArgument&) {
      continue;  // a solver that this prior does not have
    }
    applies = true;
    // If the matrix has no correct digits, the solver that was asked for says so.                                               (RIDGE.9)
    const Status status = report_of(*model).status;
    const bool gave_up = status == Status::not_positive_definite || status == Status::bound_fell || status == Status::max_sweeps;
    if (gave_up && status != Status::max_sweeps && rounding_decides_the_start(subject)) continue;
    if (gave_up && rounding_of_condition(subject) + rounding_of_rows(subject) > 1e-4) continue;
    if (report_of(*model).status != Status::converged)
      return fails(fmt::format("solver {}: the status is {}: {}", solver, to_string(report_of(*model).status), report_of(*model).message));
    const double rounding = rounding_of_rows(subject) * static_cast<double>(subject.prepared.X.cols() + 1);
    const double gain = allowed_gain(subject) + rounding;
    std::string place = apart(estimates_of(*model), estimates_of(*subject.model), gain);
    if (!place.empty())
      place = apart(estimates_of(fit_of(prepare(taken_further(subject, other)))),
                    estimates_of(fit_of(prepare(taken_further(subject, subject.problem)))), gain);
    if (!place.empty()) return fails(fmt::format("solver {} and {}: {}", solver, to_string(subject.report().solver), place));
  }
  return applies ? holds() : says_nothing();
}

Verdict memory_order_does_not_matter(const Subject& subject) {
  if (!subject.model) return says_nothing();
  const PreparedProblem& prepared = subject.prepared;
  const RowMajor by_row = prepared.X;
  Matrix wide = Matrix::Constant(prepared.X.rows() + 3, prepared.X.cols() + 2, 1e30);
  wide.block(2, 1, prepared.X.rows(), prepared.X.cols()) = prepared.X;
  const Json expected = comparable(*subject.model);
  std::string place = difference(comparable(fit_model(OwnedMatrix(Matrix(prepared.X)), prepared.target, prepared.options)), expected);
  if (!place.empty()) return fails("with a moved table: " + place);
  const MatrixView rows(by_row.data(), by_row.rows(), by_row.cols(), Layout::row_major);
  for (const auto& [what, X] : {std::pair<const char*, MatrixView>{"row by row", rows},
                                {"a block of a larger table", wide.block(2, 1, prepared.X.rows(), prepared.X.cols())}}) {
    const SavedModel model = fit_model(X, prepared.target, prepared.options);
    const bool one_took_all = report_of(model).status == Status::max_sweeps || subject.report().status == Status::max_sweeps;
    if (one_took_all && is_sparse_fit(subject))
      continue;  // with the maximum number of sweeps, the working rows may or may not have converged
    if (report_of(model).status != subject.report().status)
      return fails(
          fmt::format("{}: the status is {}, not {}", what, to_string(report_of(model).status), to_string(subject.report().status)));
    if (!subject.is_converged() || !subject.has_posterior()) continue;
    // A published rule may stop some sweeps sooner or later, because it stops while the bound still changes.
    if (follows_published_stop(subject) && report_of(model).sweeps != subject.report().sweeps) continue;
    place = apart(estimates_of(model), estimates_of(*subject.model), allowed_gain(subject));
    if (!place.empty() && !subject.is_machine()) {
      const PreparedProblem further = prepare(taken_further(subject, subject.problem));
      place = apart(estimates_of(fit_model(X, further.target, further.options)), estimates_of(fit_of(further)), allowed_gain(subject));
    }
    if (!place.empty()) return fails(std::string(what) + ": " + place);
  }
  return holds();
}

Verdict threads_do_not_matter(const Subject& subject) {
  if (!subject.model) return says_nothing();
  PreparedProblem prepared = subject.prepared;
  const int before = prepared.options.threads > 0 ? prepared.options.threads : blas::num_threads();
  prepared.options.threads = before == 1 ? 2 : 1;
  const std::string place = difference(comparable(fit_of(prepared)), comparable(*subject.model));
  return place.empty() ? holds() : fails(fmt::format("threads: {} and {} differ: {}", prepared.options.threads, before, place));
}

Verdict the_same_again(const Subject& subject) {
  if (!subject.model) return says_nothing();
  PreparedProblem prepared = subject.prepared;
  prepared.options.on_sweep = [](const Progress&) { return true; };  // a callback must not change the result
  const std::string place = difference(comparable(fit_of(prepared)), comparable(*subject.model));
  return place.empty() ? holds() : fails("the same fit, made again: " + place);
}

}  // namespace ardvark::testing
