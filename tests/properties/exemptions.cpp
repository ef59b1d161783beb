// The cases in which a property is known to fail, and why. A failure here is counted, not hidden; --strict shows it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "invariance.hpp"
#include "property.hpp"

namespace ardvark::testing {
namespace {

bool has_own_precisions(const Subject& s) {
  return s.model && s.is_linear_score() && (s.fit().prior == PriorKind::ard || s.fit().prior == PriorKind::groups);
}
// Compares the columns with the number of rows, or with the sum of the weights if this is smaller, because weights are repetitions of rows.
bool is_wide(const Subject& s) {
  double rows = static_cast<double>(s.problem.rows());
  if (s.problem.weights.size() > 0) rows = std::min(rows, s.problem.weights.sum());
  return static_cast<double>(s.prepared.X.cols()) + 1 >= rows;
}
bool is_wide_with_own_precisions(const Subject& s) { return has_own_precisions(s) && is_wide(s); }
bool climbs_in_blocks(const Subject& s) {
  const bool has_one_column = s.model && s.is_linear_score() && s.fit().prior == PriorKind::shared &&
                              std::count(s.fit().left_out.begin(), s.fit().left_out.end(), false) == 1;
  return (has_own_precisions(s) || has_one_column) && s.is_regression();
}
// All rows are classified correctly: the bound may be constant for many sweeps before coefficients grow again.                   (VG.5)
bool is_told_apart(const Subject& s) { return s.model && s.is_linear_score() && !s.is_regression() && s.fit().accuracy == 1; }
bool is_told_apart_with_own_precisions(const Subject& s) { return is_told_apart(s) && has_own_precisions(s); }
// Columns correlated above .99 under a sparse prior: the data do not say which of them has the effect. After a change in the last bit, a
// start may take another one.                                                                                            (SP.8), (SP.9)
bool is_sparse_with_near_copies(const Subject& s) {
  const bool sparse = s.model && ((s.is_linear_score() && s.fit().sparse) ||
                                  (s.model->softmax() && !s.model->softmax()->machines.empty() && s.model->softmax()->machines[0].sparse));
  if (!sparse) return false;
  Matrix X = s.prepared.X.rowwise() - (s.prepared.options.intercept ? 1.0 : 0.0) * s.prepared.X.colwise().mean();
  for (Index j = 0; j < X.cols(); ++j)
    if (const double size = X.col(j).norm(); size > 0) X.col(j) /= size;
  Matrix alike = (X.transpose() * X).cwiseAbs();
  alike.diagonal().setZero();
  return alike.maxCoeff() > 0.99;
}
// At a point of the grid of hyper-parameters, the bound then has several maxima, and it is nearly constant on the way to one of them.
// (SP.21)
bool is_sparse_and_told_apart(const Subject& s) { return is_told_apart(s) && s.fit().sparse; }
// For starts and points of a grid, the bound then has several maxima, and the tolerance decides which of them a fit reaches.
// (SP.8), (SP.21)
bool is_sparse_of_few_rows(const Subject& s) {
  const double columns = static_cast<double>(s.prepared.X.cols() + 1);
  return s.model && is_sparse_fit(s) && (is_wide(s) || static_cast<double>(s.prepared.X.rows()) < 3 * columns);
}
bool is_sparse_of_classes_in_groups(const Subject& s) {
  return s.model && !s.is_regression() && is_sparse_fit(s) && !s.problem.group.empty();
}
bool is_sparse_without_noise(const Subject& s) { return s.model && is_sparse_fit(s) && s.problem.has_trait("no noise"); }
// If m^2 + s exceeds 30, each cell of the grid has its own working rows, otherwise all cells share them: a fit near this limit may cross
// it. (SL.11)
bool is_class_near_doubt(const Subject& s) {
  if (!s.is_linear_score() || s.is_regression() || !is_sparse_fit(s) || s.prepared.X.cols() > 20 || !s.has_posterior()) return false;
  const ClassPrediction found = predict(LogisticFit{s.fit()}, s.prepared.X);
  return (found.mean.cwiseAbs2() + found.variance).maxCoeff() > 15;
}
bool searches_widths(const Subject& s) {
  return s.model && s.model->relevance() && (s.prepared.options.width == "auto" || s.prepared.options.width == "each");
}
bool is_wide_and_prunes(const Subject& s) { return s.model && is_wide(s) && s.prepared.options.prune_at.has_value(); }
bool takes_many_sweeps(const Subject& s) { return s.model && s.report().sweeps > 100; }
// No column is correlated with a constant target, so none comes first: their positions decide which are in a block together.     (SP.14)
bool is_sparse_of_a_constant_target(const Subject& s) {
  return s.is_linear_score() && s.fit().sparse && s.problem.has_trait("constant target");
}
bool searches_a_width_each(const Subject& s) { return searches_widths(s) && s.prepared.options.width == "each"; }
bool chooses_centres_while_it_searches(const Subject& s) { return searches_widths(s) && takes_some_centres(s.prepared.options); }
bool follows_mackay(const Subject& s) { return s.model && s.prepared.options.update_rule == "mackay"; }
// The Gram matrix of such columns has no correct digit: rounding decides whether it can be factorised. (RIDGE.9)
bool asks_for_a_gram_matrix_without_digits(const Subject& s) {
  return s.model && s.prepared.options.solver == "primal" && s.is_linear_score() && rounding_of_condition(s) > 1e-4;
}
bool is_laplace_with_copies(const Subject& s) {
  return s.model && s.is_linear_score() && s.fit().prior == PriorKind::laplace && is_wide(s);
}
bool is_wide_with_one_precision(const Subject& s) {
  return s.model && s.is_linear_score() && s.is_regression() && s.fit().prior == PriorKind::shared && is_wide(s);
}
// Softmax of columns that are not standardised: its mode is known only up to rounding relative to their size.
bool is_softmax_of_raw_columns(const Subject& s) { return s.model && s.model->softmax() && !s.prepared.options.standardize; }
// Laplace's approximation may still change when its precisions no longer do: the log evidence changes with the remaining distance to the
// fixed point, the means hardly.
bool is_laplace_approximation(const Subject& s) {
  return s.model && s.is_linear_score() && s.fit().likelihood == LogisticLikelihood::laplace && s.fit().prior != PriorKind::laplace;
}
// Several classes without a prior, some of them separable: the bound grows until it no longer changes.                         (VG.5)
bool is_flat_and_told_apart(const Subject& s) {
  return s.model && s.model->softmax() && s.prepared.options.prior == "none" && s.problem.has_trait("separable");
}
bool is_machine_of_many_sweeps(const Subject& s) { return takes_many_sweeps(s) && s.model->relevance(); }
bool has_draws(const Subject& s) { return s.is_linear_score() && s.fit().report.sampled.has_value(); }
bool is_type_two_machine(const Subject& s) { return s.model && s.model->relevance() && s.prepared.options.algorithm == "type-two"; }

}  // namespace

const std::vector<Exemption>& exemptions() {
  static const std::vector<Exemption> all = {
      {{"solvers"},
       climbs_in_blocks,
       "regressions with a precision for each column or group, or with one column",
       "the dual solver optimises blocks of columns in turn (BLOCK.1), and may end at another maximum or saddle"},
      {{"solvers"},
       is_told_apart_with_own_precisions,
       "a precision for each column or group, all training rows classified correctly",
       "the bound has several maxima, and a fit that changes to solver qr may end at another one"},
      {{"solvers", "columns", "weights", "rows", "memory", "converged"},
       is_wide_with_own_precisions,
       "more columns than rows, a precision for each column or group",
       "the bound has many maxima (OPT, warning i); the order of rows and columns, or rounding, decides"},
      {{"memory", "rows"},
       is_wide_and_prunes,
       "more columns than rows, and some columns leave",
       "rounding may decide which column leaves first"},
      {{"weights"},
       is_sparse_and_told_apart,
       "sparse priors, all training rows classified correctly",
       "at a point of the grid of hyper-parameters, the bound has several maxima, and rounding may decide"},
      {{"converged"},
       is_sparse_of_few_rows,
       "sparse priors, fewer than three rows per column",
       "for a start, or a point of the grid, the bound has several maxima, and the tolerance may decide"},
      {{"converged"},
       is_class_near_doubt,
       "sparse priors for classes, up to 20 columns, some rows with an almost certain class",
       "after a little more progress, each part of the average gets its own working rows, and the bound changes"},
      {{"converged"},
       is_sparse_of_classes_in_groups,
       "sparse priors for classes, columns in groups",
       "for a large group, the slab is as good a ridge as the dense part, and one slowly replaces the other (SP.18)"},
      {{"converged"}, is_sparse_without_noise, "sparse priors, no noise", "the bound continues to rise as the noise falls"},
      {{"converged"},
       takes_many_sweeps,
       "more than 100 sweeps",
       "the sum of slowly shrinking gains is hard to predict: up to 15 times the predicted gain was left"},
      {{"converged"},
       is_told_apart,
       "all training rows classified correctly",
       "the bound may be constant for many sweeps and then rise again"},
      {{"rows", "columns", "units", "target", "weights", "memory", "converged"},
       is_sparse_with_near_copies,
       "sparse priors, two columns correlated above .99",
       "after a change in the last bit, a start may take another one of these columns"},
      {{"columns"},
       is_sparse_of_a_constant_target,
       "sparse priors, a constant target",
       "no column comes first, and their positions decide which columns have a joint posterior"},
      {{"target", "units"},
       searches_widths,
       "kernel machines that search their widths",
       "the search ends when its gain is small, so widths are not exact; rows are sorted by value, and other units may change their order"},
      {{"columns"},
       chooses_centres_while_it_searches,
       "the same, with a choice of centres",
       "the order of likely centres depends on the rounding of kernels"},
      {{"columns"}, searches_a_width_each, "the same, with a width for each column", "rounding decides the first steps of the search"},
      {{"solvers"},
       follows_mackay,
       "precisions by MacKay's rule",
       "a step may lower the bound, and the sweeps may repeat a cycle without converging"},
      {{"rows", "weights"},
       asks_for_a_gram_matrix_without_digits,
       "solver primal where the Gram matrix has no digits left",
       "rounding decides whether it can be factorised"},
      {{"solvers"},
       is_laplace_approximation,
       "Laplace's approximation",
       "its log evidence depends on the remaining distance to the fixed point"},
      {{"rows", "weights", "memory"},
       is_flat_and_told_apart,
       "several classes without a prior, some of them separable",
       "coefficients grow until the bound no longer changes"},
      {{"columns", "units"},
       is_machine_of_many_sweeps,
       "kernel machines of more than 100 sweeps",
       "the sum of slowly shrinking gains is hard to predict"},
      {{"columns"},
       is_laplace_with_copies,
       "the prior laplace, more columns than rows",
       "many sets of coefficients have the same, smallest sum of absolute values"},
      {{"weights"},
       is_wide_with_one_precision,
       "regressions with one precision, more columns than rows",
       "the columns can fit the rows exactly, so there is no noise, and the bound has no maximum"},
      {{"rows"},
       is_softmax_of_raw_columns,
       "a softmax of columns that are not standardised",
       "the mode for large columns is known only up to rounding relative to their size"},
      {{"rows", "columns", "units", "weights", "solvers"},
       has_draws,
       "solver iterative",
       "the same random vectors meet other rows and columns: answers are the same within the errors that the fit reports (RIDGE.13)"},
      {{"columns"}, is_type_two_machine, "kernel machines, algorithm type-two", "the evidence has several maxima"},
  };
  return all;
}

std::string table_of_exemptions() {
  std::string table = "| property | fits | why it may not hold |\n|---|---|---|\n";
  for (const Exemption& one : exemptions()) table += fmt::format("| {} | {} | {} |\n", fmt::join(one.properties, ", "), one.of, one.reason);
  return table;
}

const Exemption* exemption_of(const std::string& property, const Subject& subject) {
  for (const Exemption& exemption : exemptions())
    if (std::ranges::find(exemption.properties, property) != exemption.properties.end() && exemption.applies(subject)) return &exemption;
  return nullptr;
}

}  // namespace ardvark::testing
