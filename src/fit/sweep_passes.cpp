// Sweeps over rows that are not in memory: each pass makes a quadratic problem of one row per column, which is solved whole.
//                                                                                                   docs/math/passes.md (PASS.3), (PASS.4)
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "core/blas.hpp"
#include "fit/passes.hpp"
#include "fit/small_table.hpp"
#include "frame/separation.hpp"
#include "likelihood/registry.hpp"
#include "method/sweep/sweep_fit.hpp"

namespace ardvark::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What replaces the likelihood of the rows near a posterior: -(w'Gw + tr GV)/2 + w'c and a constant.
struct Tangent {
  Matrix G;
  Vector c;
  [[nodiscard]] Tangent towards(const Tangent& aim, double share) const { return {G + share * (aim.G - G), c + share * (aim.c - c)}; }
  // E of the quadratic form, without its constant.
  [[nodiscard]] double at(const WeightMoments& q) const { return q.w.dot(c) - 0.5 * (q.w.dot(G * q.w) + G.cwiseProduct(q.V).sum()); }
};

// A posterior, and the rows there.
struct Standing {
  WeightMoments q;
  Solution solution;
  double bound = -infinity;
  Tangent rows;
  ClassTally scores;
};

class SweepsByPasses {
 public:
  SweepsByPasses(const Frame& frame, Passes& passes) : frame_(frame), passes_(passes), row_(likelihood_row(passes.question().likelihood)) {
    prior_ = prepare_prior(frame.options, frame.num_columns(), frame.left_out);
    to_mode_ = row_.make({Vector(), Vector()})->traits().to_mode;
    proper_ = has_proper_intercept(frame.options, prior_.partition.flat_columns);
  }

  Solution run(WeightMoments start, ClassTally& scores) {
    Standing now;
    now.q = std::move(start);
    look(now, {}, 0);
    Tangent used = now.rows;
    double share = 1;
    std::vector<double> history;
    const auto end = [&](Status status, std::string message) {
      scores = now.scores;
      return finished(std::move(now), std::move(history), status, std::move(message));
    };
    for (;;) {
      const Tangent tangent = used.towards(now.rows, share);
      Solution solution = solve(tangent);
      if (!solution.usable) return failed(std::move(solution));
      WeightMoments q{solution.w, solution.factor.covariance(solution.w.size())};
      if (!history.empty() && share == 1) {
        const double gain = remaining(promised(now.q, q));
        if (gain <= allowed())
          return end(Status::converged,
                     fmt::format("converged after {} passes over the rows: the next one would change the bound by about {:.2g} nats "
                                 "(allowed: {:.2g})",
                                 passes_.count(), gain, allowed()));
      }
      if (static_cast<int>(history.size()) >= frame_.options.max_sweeps)
        return end(Status::max_sweeps, fmt::format("not converged after {} passes over the rows; increase max_sweeps", passes_.count()));
      Standing next{std::move(q), std::move(solution), 0, {}, {}};
      look(next, tangent, next.solution.report.bound);
      if (!to_mode_ && next.bound < now.bound - slack(now.bound)) {
        ++falls_;
        share *= 0.5;
        if (share < 1e-6)
          return end(Status::bound_fell, fmt::format("after {} passes over the rows no step raises the bound", passes_.count()));
        continue;
      }
      used = tangent;
      share = std::min(1.0, 2 * share);
      now = std::move(next);
      history.push_back(now.bound);
      if (const std::string why = why_separated(static_cast<int>(history.size())); !why.empty()) return end(Status::separated, why);
      if (runs_away_)
        return end(Status::separated,
                   fmt::format("stopped after {} passes over the rows: the classes can be separated, and the coefficients grow "
                               "without limit",
                               passes_.count()));
      if (frame_.options.on_sweep && !frame_.options.on_sweep({.sweep = static_cast<int>(history.size()), .bound = now.bound}))
        return end(Status::stopped_by_user, fmt::format("stopped after {} passes over the rows", passes_.count()));
    }
  }

 private:
  [[nodiscard]] double allowed() const {
    constexpr double hundredth_of_an_sd = 0.5e-4;
    return frame_.options.tolerance ? *frame_.options.tolerance * frame_.rows : hundredth_of_an_sd;
  }
  // Steps shrink at least by the factor of the last two: the rest of a geometric series of their lengths.
  [[nodiscard]] double remaining(double gain) {
    const double ratio = std::min(std::sqrt(gain / last_gain_), 0.99);
    last_gain_ = gain;
    return std::isfinite(ratio) ? gain / ((1 - ratio) * (1 - ratio)) : gain;
  }
  [[nodiscard]] double slack(double bound) const { return std::isfinite(bound) ? 1e-11 * (std::abs(bound) + frame_.rows) : 0; }

  // The rows at a posterior, and the bound there, from the bound of the quadratic problem whose solution it is.
  void look(Standing& at, const Tangent& tangent, double bound_of_tangent) {
    const PassSums sums = passes_.sums({&at.q}, true, true);
    at.scores = sums.scores;
    at.rows = {sums.gram(), sums.response};
    double log_likelihood = sums.log_likelihood[0];
    if (proper_) log_likelihood += add_intercept(at);
    if (to_mode_) log_likelihood -= 0.5 * at.rows.G.cwiseProduct(at.q.V).sum();  // (LAP.3)
    farthest_.push_back(sums.extent.farthest);
    runs_away_ = sums.nearest > 1e6 && sums.log_likelihood[0] > -0.7 * frame_.rows;  // (VG.5)
    all_in_class_ = sums.least_margin > 0;
    now_ = at.q.w;
    at.bound = tangent.c.size() > 0 ? bound_of_tangent - quadratic_bound(tangent, at.q) + log_likelihood : -infinity;
  }

  // The row of the prior of the intercept. Returns its term of the bound.                                                        (SP.20)
  double add_intercept(Standing& at) const {
    const Index b = frame_.num_columns();
    LikelihoodInput input{Vector(), Vector(), 1};
    input.last = LastRow::intercept;
    const auto likelihood = row_.make(std::move(input));
    Posterior q;
    q.m = Vector::Constant(1, at.q.w[b]);
    q.s = Vector::Constant(1, at.q.V.size() > 0 ? at.q.V(b, b) : 0.0);
    Rows rows;
    likelihood->start(rows);
    likelihood->update(q, rows);
    at.rows.G(b, b) += rows.omega[0];
    at.rows.c[b] += rows.r[0];
    return likelihood->traits().to_mode ? likelihood->log_likelihood() : likelihood->bound(q);
  }

  // The bound of make_quadratic at this posterior.
  [[nodiscard]] double quadratic_bound(const Tangent& tangent, const WeightMoments& q) const { return tangent.at(q) - 0.5 * square_; }

  // The posterior, with all precisions, for these quadratic rows.
  Solution solve(const Tangent& tangent) {
    const Index q = tangent.c.size();
    Matrix C = Matrix::Zero(q + 1, q + 1);
    C.topLeftCorner(q, q) = tangent.G;
    C.row(q).head(q) = tangent.c.transpose();
    C(q, q) = 1;
    const Matrix A = root_of_cross(std::move(C), q).A;
    Z_ = A.leftCols(q);
    const Vector z = A.col(q);
    square_ = z.squaredNorm();
    Frame inner = frame_;
    inner.X = Z_;
    inner.k = Vector::Ones(Z_.rows());
    inner.units = {};
    inner.stand_in = {};
    inner.options.on_sweep = nullptr;
    inner.options.tolerance = 1e-11;
    inner.options.max_sweeps = std::max(inner.options.max_sweeps, 2000);
    inner.options.keep_covariance = Keep::always;
    inner.options.likelihood.reset();
    const auto likelihood = make_quadratic(z);
    return solve_by_sweeps({inner, *likelihood, prior_});
  }

  // Nats that the next step promises: a quarter of the squared distances of the means and of ln of the variances.
  [[nodiscard]] static double promised(const WeightMoments& from, const WeightMoments& to) {
    const Vector sd = to.V.diagonal().cwiseMax(0.0).cwiseSqrt();
    const Vector off = to.w - from.w;
    const Matrix L = lower_root(to.V);
    Vector x = off;
    for (Index j = 0; j < x.size(); ++j)
      if (!(sd[j] > 0)) x[j] = 0;
    blas::trsv(blas::Transpose::yes, L.rows(), L.data(), L.rows(), x.data());
    double of_variances = 0;
    for (Index j = 0; j < sd.size(); ++j)
      if (sd[j] > 0 && from.V.size() > 0) of_variances += std::pow(from.V(j, j) / (sd[j] * sd[j]) - 1, 2);
    return 0.5 * x.squaredNorm() + 0.25 * of_variances;
  }

  Solution finished(Standing now, std::vector<double> history, Status status, std::string message) {
    Solution out = std::move(now.solution);
    Report& report = out.report;
    report.status = status;
    report.message = std::move(message);
    report.sweeps = static_cast<int>(history.size());
    report.bound = now.bound;
    report.bound_history = std::move(history);
    report.pruning.clear();
    report.solver = SolverKind::primal;
    report.solver_reason = "a pass over the rows gives a system with one row for each column";
    if (falls_ > 0)
      report.notes.push_back(fmt::format("{} {} repeated with a shorter step", falls_, falls_ == 1 ? "pass was" : "passes were"));
    out.flat = prior_.partition.flat_columns;
    out.proper_intercept = proper_;
    out.rows = {};
    out.a.resize(0);
    out.omega.resize(0);
    if (frame_.units.standardization.intercept) {
      const Matrix origin = frame_.origin().transpose();
      Vector variance(1);
      out.factor.row_variance(*table_design(origin), variance);
      out.origin_variance = variance[0];
    }
    return out;
  }

  // Some log odds, far from zero already, grow in each pass by much of what they are: a maximum would have been near.          (PASS.4)
  [[nodiscard]] bool goes_on_growing() const {
    constexpr std::size_t passes = 6;
    constexpr double far = 100, factor = 1.02;
    if (farthest_.size() <= passes || farthest_.back() < far) return false;
    for (std::size_t i = farthest_.size() - passes; i < farthest_.size(); ++i)
      if (farthest_[i] < factor * farthest_[i - 1]) return false;
    return true;
  }

  // Columns without a prior that put every row into its class. Empty: they do not, or it is not yet time to look again.
  std::string why_separated(int steps) {
    const std::vector<Index>& flat = prior_.partition.flat_columns;
    const bool all_are_flat = prior_.partition.num_flat() + prior_.partition.num_left_out() == prior_.partition.num_columns();
    if (proper_ || flat.empty()) return "";
    if (goes_on_growing())
      return fmt::format(
          "after {} passes over the rows the log odds of some rows still grow in each pass, as where columns without a prior separate "
          "rows: "
          "then the likelihood has no maximum; give these columns a prior that limits them (--prior shared --a0 1 --b0 1)",
          passes_.count());
    if (!all_in_class_) return "";
    if (!all_are_flat) {
      if (!std::has_single_bit(static_cast<unsigned>(steps))) return "";  // it takes a pass
      WeightMoments of_flat{Vector::Zero(now_.size()), {}};
      of_flat.w(flat) = now_(flat);
      if (!(passes_.sums({&of_flat}, false).least_margin > 0)) return "";
    }
    return fmt::format(
        "after {} passes over the rows all of them are classified correctly: columns without a prior separate the classes, so the "
        "likelihood "
        "has no maximum; the coefficients grow without limit; give the columns a prior that limits them (--prior shared --a0 1 --b0 1)",
        passes_.count());
  }

  Solution failed(Solution out) {
    out.report.status = Status::not_positive_definite;
    out.report.message = fmt::format(
        "after {} passes over the rows the linear system is not positive definite: columns without a prior are linearly dependent, or they "
        "separate the classes; leave some of them out, or give them a prior (--prior shared)",
        passes_.count());
    out.rows = {};
    out.flat = prior_.partition.flat_columns;
    return out;
  }

  const Frame& frame_;
  Passes& passes_;
  const LikelihoodRow& row_;
  PreparedPrior prior_;
  bool proper_ = false, to_mode_ = false, runs_away_ = false, all_in_class_ = false;
  int falls_ = 0;
  Matrix Z_;                      // of the last solve()
  Vector now_;                    // the weights of the last pass
  std::vector<double> farthest_;  // m^2 + s of the row that is farthest from zero, in each pass
  double square_ = 0;             // of its targets
  double last_gain_ = infinity;
};

}  // namespace

Solution solve_sweeps_by_passes(const Frame& frame, Passes& passes, const StartOfPasses& start, ClassTally& scores) {
  return SweepsByPasses(frame, passes).run(start(), scores);
}

}  // namespace ardvark::internal
