// Where a property is known not to hold of what is drawn, and why. A failure here is counted, not hidden; --strict shows it.
#include <algorithm>
#include <string>

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
bool climbs_in_blocks(const Subject& s) { return has_own_precisions(s) && s.is_regression(); }
// Every row on its own side: the bound may be level for many sweeps before coefficients grow on.                                 (VG.5)
bool is_told_apart(const Subject& s) { return s.model && s.is_linear_score() && !s.is_regression() && s.fit().accuracy == 1; }
// Under a sparse prior, columns correlated above .99: which of them has the effect the data do not say, and some start may take another one
// for a change in the last bit.                                                                                          (SP.8), (SP.9)
bool is_sparse_with_near_copies(const Subject& s) {
  const bool sparse = s.model && ((s.is_linear_score() && s.fit().sparse) ||
                                  (s.model->softmax && !s.model->softmax->machines.empty() && s.model->softmax->machines[0].sparse));
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
  return s.model && !s.is_regression() && !s.model->relevance && !s.problem.flat.empty() &&
         (s.model->softmax ? !s.model->softmax->machines.empty() && s.model->softmax->machines[0].sparse.has_value()
                           : s.fit().sparse.has_value());
}
bool searches_widths(const Subject& s) {
  return s.model && s.model->relevance && (s.prepared.options.width == "auto" || s.prepared.options.width == "each");
}
bool is_wide_and_prunes(const Subject& s) { return s.model && is_wide(s) && s.prepared.options.prune_at.has_value(); }
bool takes_many_sweeps(const Subject& s) { return s.model && s.report().sweeps > 100; }
bool is_type_two_machine(const Subject& s) { return s.model && s.model->relevance && s.prepared.options.algorithm == "type-two"; }

}  // namespace

const std::vector<Exemption>& exemptions() {
  static const std::vector<Exemption> all = {
      {"solvers", climbs_in_blocks, "the dual climbs in blocks of columns (BLOCK.1), and may end at another maximum or saddle"},
      {"solvers", is_wide_with_own_precisions, "with more columns than rows the bound has many maxima (OPT, warning i)"},
      {"columns", is_wide_with_own_precisions, "with more columns than rows the bound has many maxima, and blocks follow the order"},
      {"weights", is_wide_with_own_precisions, "with more columns than rows the bound has many maxima, and blocks follow the rows"},
      {"converged", is_wide_with_own_precisions, "with more columns than rows the foretold gain may come out more than ten times as large"},
      {"rows", is_wide_with_own_precisions, "with more columns than rows the bound has many maxima, and rounding may decide"},
      {"memory", is_wide_with_own_precisions, "with more columns than rows the bound has many maxima, and rounding may decide"},
      {"memory", is_wide_and_prunes, "with more columns than rows rounding may decide which column leaves first"},
      {"rows", is_wide_and_prunes, "with more columns than rows rounding may decide which column leaves first"},
      {"weights", is_sparse_beside_flat, "a flat column that separates some rows has a coefficient that grows a little a step for ever"},
      {"converged", takes_many_sweeps, "gains that shrink slowly are hard to sum: up to 15 times the foretold gain was left"},
      {"converged", is_told_apart, "of rows that are told apart the bound may be level for many sweeps and then rise again"},
      {"rows", is_sparse_with_near_copies, "of columns correlated above .99 a start may take another one for a change in the last bit"},
      {"columns", is_sparse_with_near_copies, "of columns correlated above .99 a start may take another one for a change in the last bit"},
      {"units", is_sparse_with_near_copies, "of columns correlated above .99 a start may take another one for a change in the last bit"},
      {"weights", is_sparse_with_near_copies, "of columns correlated above .99 a start may take another one for a change in the last bit"},
      {"memory", is_sparse_with_near_copies, "of columns correlated above .99 a start may take another one for a change in the last bit"},
      {"target", searches_widths, "a search of widths ends where it gains little, which is in no unit"},
      {"columns", is_type_two_machine, "the evidence of a kernel machine by type-II maximum likelihood has several maxima"},
  };
  return all;
}

const Exemption* exemption_of(const std::string& property, const Subject& subject) {
  for (const Exemption& exemption : exemptions())
    if (property == exemption.property && exemption.applies(subject)) return &exemption;
  return nullptr;
}

}  // namespace ardvark::testing
