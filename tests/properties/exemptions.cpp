// Where a property is known not to hold of what is drawn, and why. A failure here is counted, not hidden; --strict shows it.
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
// By the rows, and by the weights, which stand for rows.
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
// Every row on its own side: the bound may be level for many sweeps before coefficients grow on.                                 (VG.5)
bool is_told_apart(const Subject& s) { return s.model && s.is_linear_score() && !s.is_regression() && s.fit().accuracy == 1; }
bool is_told_apart_with_own_precisions(const Subject& s) { return is_told_apart(s) && has_own_precisions(s); }
// Under a sparse prior, columns correlated above .99: which of them has the effect the data do not say, and some start may take another one
// for a change in the last bit.                                                                                          (SP.8), (SP.9)
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
// A flat column that separates some of the rows has a coefficient that grows for ever, a little a step.                          (SL.6)
bool is_sparse_beside_flat(const Subject& s) {
  return s.model && !s.is_regression() && !s.model->relevance() && !s.problem.flat.empty() &&
         (s.model->softmax() ? !s.model->softmax()->machines.empty() && s.model->softmax()->machines[0].sparse.has_value()
                             : s.fit().sparse.has_value());
}
// A point of the grid of hyper-parameters then has several maxima, and its way to one of them goes over ground that is nearly level.
// (SP.21)
bool is_sparse_and_told_apart(const Subject& s) { return is_told_apart(s) && s.fit().sparse; }
// Starts and points of a grid have several maxima there, and the tolerance decides which of them a fit comes to.                 (SP.8),
// (SP.21)
bool is_sparse_of_few_rows(const Subject& s) {
  const double columns = static_cast<double>(s.prepared.X.cols() + 1);
  return s.model && is_sparse_fit(s) && (is_wide(s) || static_cast<double>(s.prepared.X.rows()) < 3 * columns);
}
bool is_sparse_of_classes_in_groups(const Subject& s) {
  return s.model && !s.is_regression() && is_sparse_fit(s) && !s.problem.group.empty();
}
bool is_sparse_without_noise(const Subject& s) { return s.model && is_sparse_fit(s) && s.problem.has_trait("no noise"); }
// Beyond m^2 + s = 30 each cell of the grid has its working rows, not all together: on either side a fit may step over.             (SL.11)
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
// No column follows a target that is constant, and none comes first by that: their place decides which stand in a block together. (SP.14)
bool is_sparse_of_a_constant_target(const Subject& s) {
  return s.is_linear_score() && s.fit().sparse && s.problem.has_trait("constant target");
}
bool searches_a_width_each(const Subject& s) { return searches_widths(s) && s.prepared.options.width == "each"; }
bool chooses_centres_while_it_searches(const Subject& s) { return searches_widths(s) && s.prepared.options.centres != "all"; }
bool follows_mackay(const Subject& s) { return s.model && s.prepared.options.update_rule == "mackay"; }
// The Gram matrix of such columns has no digit left: whether it factorises rounding decides.                                   (RIDGE.9)
bool asks_for_a_gram_matrix_without_digits(const Subject& s) {
  return s.model && s.prepared.options.solver == "primal" && s.is_linear_score() && rounding_of_condition(s) > 1e-4;
}
bool is_laplace_with_copies(const Subject& s) {
  return s.model && s.is_linear_score() && s.fit().prior == PriorKind::laplace && is_wide(s);
}
bool is_wide_with_one_precision(const Subject& s) {
  return s.model && s.is_linear_score() && s.is_regression() && s.fit().prior == PriorKind::shared && is_wide(s);
}
// Softmax of columns as they are: its mode is found to rounding of their size.
bool is_softmax_of_raw_columns(const Subject& s) { return s.model && s.model->softmax() && !s.prepared.options.standardize; }
// Laplace's approximation does not stand still where its precisions do: the evidence moves with the way that is left, the means hardly.
bool is_laplace_approximation(const Subject& s) {
  return s.model && s.is_linear_score() && s.fit().likelihood == LogisticLikelihood::laplace && s.fit().prior != PriorKind::laplace;
}
// Several classes without a prior, some told apart: their bound grows until it is level.                                       (VG.5)
bool is_flat_and_told_apart(const Subject& s) {
  return s.model && s.model->softmax() && s.prepared.options.prior == "none" && s.problem.has_trait("separable");
}
bool is_machine_of_many_sweeps(const Subject& s) { return takes_many_sweeps(s) && s.model->relevance(); }
bool is_type_two_machine(const Subject& s) { return s.model && s.model->relevance() && s.prepared.options.algorithm == "type-two"; }

}  // namespace

const std::vector<Exemption>& exemptions() {
  static const std::vector<Exemption> all = {
      {{"solvers"},
       climbs_in_blocks,
       "regressions with a precision for each column or group, or with one column",
       "the dual climbs in blocks of columns (BLOCK.1), and may end at another maximum or saddle"},
      {{"solvers"},
       is_told_apart_with_own_precisions,
       "a precision for each column or group, every training row on its own side",
       "the bound has several maxima, and a fit that goes over to solver qr on its way may end at another one"},
      {{"solvers", "columns", "weights", "rows", "memory", "converged"},
       is_wide_with_own_precisions,
       "more columns than rows, a precision for each column or group",
       "the bound has many maxima (OPT, warning i); the order of rows and columns, or rounding, decides"},
      {{"memory", "rows"}, is_wide_and_prunes, "more columns than rows, of which some leave", "rounding may decide which leaves first"},
      {{"weights"},
       is_sparse_beside_flat,
       "sparse priors of classes beside columns without a prior",
       "one that separates some rows has a coefficient that grows a little a step for ever"},
      {{"weights"},
       is_sparse_and_told_apart,
       "sparse priors, every training row on its own side",
       "a point of the grid of hyper-parameters has several maxima, and rounding may decide"},
      {{"converged"},
       is_sparse_of_few_rows,
       "sparse priors, less than three rows a column",
       "a start, or a point of the grid, has several maxima, and the tolerance may decide"},
      {{"converged"},
       is_class_near_doubt,
       "sparse priors of classes, up to 20 columns, some rows near beyond doubt",
       "a little further on the parts of the average get working rows of their own, and its bound another value"},
      {{"converged"},
       is_sparse_of_classes_in_groups,
       "sparse priors of classes, columns in groups",
       "of a large group the slab is as good a ridge as the dense part, and the two give way to each other slowly (SP.18)"},
      {{"converged"}, is_sparse_without_noise, "sparse priors, no noise", "the bound goes on rising as the noise falls"},
      {{"converged"},
       takes_many_sweeps,
       "more than 100 sweeps",
       "gains that shrink slowly are hard to sum: up to 15 times the foretold gain was left"},
      {{"converged"}, is_told_apart, "every training row on its own side", "the bound may be level for many sweeps and then rise again"},
      {{"rows", "columns", "units", "weights", "memory", "converged"},
       is_sparse_with_near_copies,
       "sparse priors, two columns correlated above .99",
       "a start may take another one of them for a change in the last bit"},
      {{"columns"},
       is_sparse_of_a_constant_target,
       "sparse priors, a constant target",
       "no column comes first, and their place decides which have a posterior together"},
      {{"target", "units"},
       searches_widths,
       "kernel machines that search their widths",
       "a search ends where it gains little, which is in no unit, and takes rows in the order of their values"},
      {{"columns"},
       chooses_centres_while_it_searches,
       "the same, with a choice of centres",
       "likely centres are taken in the order in which kernels round"},
      {{"columns"}, searches_a_width_each, "the same, with a width for each column", "the search follows a way that rounding begins"},
      {{"solvers"}, follows_mackay, "MacKay's rule", "it raises no bound, and may go round for ever"},
      {{"rows", "weights"},
       asks_for_a_gram_matrix_without_digits,
       "solver primal where the Gram matrix has no digits left",
       "whether it factorises rounding decides"},
      {{"solvers"}, is_laplace_approximation, "Laplace's approximation", "its evidence moves with the way that is left"},
      {{"rows", "weights", "memory"},
       is_flat_and_told_apart,
       "several classes without a prior, some told apart",
       "coefficients grow until the bound is level"},
      {{"columns", "units"},
       is_machine_of_many_sweeps,
       "kernel machines of more than 100 sweeps",
       "gains that shrink slowly are hard to sum"},
      {{"columns"},
       is_laplace_with_copies,
       "the prior laplace, more columns than rows",
       "many coefficients share the smallest sum of sizes"},
      {{"weights"},
       is_wide_with_one_precision,
       "regressions with one precision, more columns than rows",
       "rows that the columns meet exactly leave no noise, and the bound has no end"},
      {{"rows"},
       is_softmax_of_raw_columns,
       "a softmax of columns as they are",
       "the mode of large columns is known to rounding of their size"},
      {{"columns"}, is_type_two_machine, "kernel machines, algorithm type-two", "the evidence has several maxima"},
  };
  return all;
}

std::string table_of_exemptions() {
  std::string table = "| property | of | why it may not hold |\n|---|---|---|\n";
  for (const Exemption& one : exemptions()) table += fmt::format("| {} | {} | {} |\n", fmt::join(one.properties, ", "), one.of, one.reason);
  return table;
}

const Exemption* exemption_of(const std::string& property, const Subject& subject) {
  for (const Exemption& exemption : exemptions())
    if (std::ranges::find(exemption.properties, property) != exemption.properties.end() && exemption.applies(subject)) return &exemption;
  return nullptr;
}

}  // namespace ardvark::testing
