#include "relevance/of_columns.hpp"

#include <fmt/format.h>

#include <memory>

#include "core/eigen_solvers.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

// V of these few columns of the design, as a factor; it does not contain columns without a variance.                      (RIDGE.7)
CovarianceFactor factor_of(const Matrix& V) {
  std::vector<Index> inside;
  for (Index j = 0; j < V.cols(); ++j)
    if (V(j, j) > 0) inside.push_back(j);
  const Matrix V_inside = V(inside, inside);
  CovarianceFactor factor;
  factor.kind = CovarianceFactor::Kind::reduced;
  factor.d = Vector::Zero(V.cols());
  factor.T.resize(0, V.cols());
  factor.B = Matrix::Zero(static_cast<Index>(inside.size()), V.cols());
  factor.R = V_inside.llt().matrixU();
  factor.flat_columns = std::move(inside);
  return factor;
}

}  // namespace

Fit of_columns(const Fit& all, const std::vector<Index>& columns, double prune_at) {
  const Index p = all.num_columns(), k = static_cast<Index>(columns.size());
  auto state = std::make_shared<FitState>(*all.state);
  Standardization& s = state->standardization;
  std::vector<Index> design = columns, group_of;
  for (Index j : columns) group_of.push_back(all.group[static_cast<std::size_t>(j)]);
  if (s.intercept) design.push_back(p);
  const bool bias_has_precision =
      s.intercept && all.precision.size() > 0 && all.group.size() < static_cast<std::size_t>(all.precision.size());
  if (bias_has_precision) group_of.push_back(all.precision.size() - 1);

  Fit fit = all;
  fit.mean = all.mean(columns);
  fit.variance = all.variance(columns);
  fit.V_diagonal = all.V_diagonal(columns);
  fit.relevance = all.relevance(columns);
  fit.precision = all.precision(group_of);
  fit.group.clear();
  fit.column_names.clear();
  for (Index j : columns) {
    fit.group.push_back(static_cast<Index>(fit.group.size()));
    fit.column_names.push_back(all.column_names[static_cast<std::size_t>(j)]);
  }
  fit.relevant.assign(columns.size(), true);
  fit.left_out.assign(columns.size(), false);

  if (s.center.size() > 0) s.center = Vector(s.center(columns));
  if (s.scale.size() > 0) s.scale = Vector(s.scale(columns));
  state->w = Vector(state->w(design));
  const Matrix V = all.state->factor.covariance(p + (s.intercept ? 1 : 0));
  state->factor = factor_of(V(design, design));
  if (bias_has_precision && !(fit.precision[k] < prune_at)) {
    state->w[k] = 0;  // it left after the last sweep
    fit.intercept->mean = 0;
  }
  fit.standardized_mean = state->w;
  std::size_t pruned = 0, readmitted = 0;
  for (const PruningEvent& event : all.report.pruning) pruned += event.pruned.size(), readmitted += event.readmitted.size();
  if (pruned > 0)
    fit.report.notes.push_back(fmt::format("{} of {} kernel columns left the computation in sweeps {} to {}{}", p - k, p,
                                           all.report.pruning.front().sweep, all.report.pruning.back().sweep,
                                           readmitted > 0 ? fmt::format("; {} came back", readmitted) : ""));
  fit.report.pruning.clear();
  fit.state = std::move(state);
  return fit;
}

}  // namespace ardvark::internal
