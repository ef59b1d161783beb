#include "method/sweep/settle.hpp"

#include <algorithm>

#include "design/table_design.hpp"

namespace ardvark::internal {
namespace {

// The groups of which the data determine more than 2 % per column; at most as many as rows.
std::vector<Index> groups_that_matter(const PrecisionPrior& prior, const Posterior& q) {
  Vector share;
  prior.well_determined(q, share);
  share.array() /= prior.size().array();
  std::vector<Index> groups;
  for (Index g = 0; g < share.size(); ++g)
    if (share[g] > 0.02) groups.push_back(g);
  const Index most = q.m.size();
  if (static_cast<Index>(groups.size()) > most) {
    std::nth_element(groups.begin(), groups.begin() + most, groups.end(),
                     [&](Index g, Index h) { return share[g] != share[h] ? share[g] > share[h] : g < h; });
    groups.resize(static_cast<std::size_t>(most));
    std::sort(groups.begin(), groups.end());
  }
  return groups;
}

}  // namespace

Settled settle(const Likelihood& likelihood, const PrecisionPrior& prior, Solver& solver, const Rows& rows, const Posterior& q,
               const SweepSettings& settings, double last_gain) {
  Settled out{groups_that_matter(prior, q), {}};
  if (out.groups.empty()) return {};
  std::vector<Index> columns;
  PrecisionPrior few = prior.subset(out.groups, columns);
  Matrix X;
  Vector y;
  if (!solver.condense(rows, columns, X, y)) return {};
  const std::unique_ptr<Likelihood> condensed = likelihood.with_response(y);
  if (!condensed) return {};
  const auto design = table_design(X);
  const std::unique_ptr<Solver> primal = make_primal({*design, few.partition(), condensed->traits()});
  Posterior of_few;
  of_few.w = of_few.V_diagonal = Vector::Zero(static_cast<Index>(columns.size()));
  of_few.m = Vector::Zero(y.size());
  of_few.group_square = of_few.group_variance = Vector::Zero(static_cast<Index>(out.groups.size()));
  SweepSettings inner = settings;
  inner.condense = false;
  inner.on_sweep = nullptr;
  inner.num_plain_sweeps = 0;
  inner.max_sweeps = 40;
  inner.tolerance = std::max(0.1 * settings.tolerance, 0.05 * last_gain / settings.num_rows);
  static_cast<void>(sweep(*condensed, few, *primal, of_few, inner));
  out.expected = few.expected();
  return out;
}

}  // namespace ardvark::internal
