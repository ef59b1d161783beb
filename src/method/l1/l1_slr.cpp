// The preset l1_slr_c.                                                                    docs/math/l1.md (L1.9)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/special.hpp"
#include "core/stopwatch.hpp"
#include "method/l1/lasso.hpp"

namespace ardvark::internal {

// Updates all weights at once from one gradient g, with the largest curvature of each single weight: B_j = 1/4 sum_n x_nj^2.    (L1.9)
Solution solve_l1_slr(const Frame& frame) {
  const Stopwatch watch;
  const FitOptions& options = frame.options;
  const Vector& t = frame.target;
  const Index n = frame.X.rows();
  const auto table = frame.design();
  Design& design = *table;
  Matrix x(n, 1);
  const Index q = design.cols();
  Vector B(q);
  for (Index j = 0; j < q; ++j) {
    design.columns(j, 1, x);
    B[j] = 0.25 * x.squaredNorm();
  }
  const double lambda = options.prior.lambda, constant = static_cast<double>(q) * std::log(0.5 * lambda);
  Report report;
  Vector w = Vector::Zero(q), m = Vector::Zero(n), g(q), r(n);
  report.status = Status::max_sweeps;
  int falls = 0;
  for (int sweep = 1; sweep <= options.max_sweeps; ++sweep) {
    for (Index i = 0; i < n; ++i) r[i] = t[i] > 0.5 ? sigmoid(-m[i]) : -sigmoid(m[i]);
    design.project(r, g);
    for (Index j = 0; j < q; ++j) {
      if (!(B[j] > 0)) continue;
      const double u = w[j] + g[j] / B[j];
      w[j] = std::copysign(std::max(std::abs(u) - lambda / B[j], 0.0), u);
    }
    design.apply(w, m);
    double objective = constant - lambda * w.lpNorm<1>();
    for (Index i = 0; i < n; ++i) objective += log_sigmoid(t[i] > 0.5 ? m[i] : -m[i]);
    if (!report.bound_history.empty() && objective < report.bound_history.back() - 1e-12 * std::abs(objective)) ++falls;
    report.bound_history.push_back(objective);
    report.sweeps = sweep;
    if (options.on_sweep && !options.on_sweep({sweep, objective, watch.seconds()})) {
      report.status = Status::stopped_by_user;
      break;
    }
  }
  report.bound = report.bound_history.back();
  report.message = fmt::format("{} simultaneous updates, as published; the objective fell in {} of them", report.sweeps, falls);
  report.solver = SolverKind::coordinate;
  report.solver_reason = "updates all weights at once from one gradient, as published";

  LassoMode mode{{}, {}, HeldColumns(std::make_shared<ColumnStore>(design)), m, Vector(n)};
  for (Index i = 0; i < n; ++i) mode.omega[i] = sigmoid(m[i]) * sigmoid(-m[i]);
  for (Index j = 0; j < q; ++j)
    if (w[j] != 0) mode.columns.push_back(j), mode.X.append(j);
  mode.w = w(mode.columns);
  return solution_of(mode, {}, frame, std::move(report));
}

}  // namespace ardvark::internal
