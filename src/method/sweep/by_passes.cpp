// Sweeps over rows that are not in memory: each pass makes a quadratic problem of one row per column, which is solved whole.
//                                                                                                   docs/math/passes.md (PASS.3), (PASS.4)
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/blas.hpp"
#include "core/special.hpp"
#include "frame/prior_partition.hpp"
#include "frame/separation.hpp"
#include "likelihood/negative_binomial.hpp"
#include "likelihood/own_parameter.hpp"
#include "likelihood/registry.hpp"
#include "likelihood/student_noise.hpp"
#include "method/sweep/sweep_fit.hpp"
#include "passes/passes.hpp"
#include "passes/small_table.hpp"

namespace ardvark::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), least_share = 1e-6;

// What replaces the likelihood of the rows near a posterior: -(w'Gw + tr GV)/2 + w'c and a constant.
struct Tangent {
  Matrix G;
  Vector c;
  [[nodiscard]] Tangent towards(const Tangent& aim, double share) const { return {G + share * (aim.G - G), c + share * (aim.c - c)}; }
  // E of the quadratic form, without its constant.
  [[nodiscard]] double at(const WeightMoments& q) const { return q.w.dot(c) - 0.5 * (q.w.dot(G * q.w) + G.cwiseProduct(q.V).sum()); }
};

// A posterior, and the rows there.
struct SweepIterate {
  WeightMoments q;
  Solution solution;
  double bound = -infinity, rounding = 0;  // of the bound, about
  Tangent rows;
  ClassTally scores;
  CountTally counts;
  double log_likelihood = 0;  // expected, of the rows
  double farthest = 0;        // m^2 + s of the row that is farthest from zero
  bool all_in_class = false, runs_away = false;
  double log_k = 0;       // of counts with a dispersion
  AtDispersion of_log_k;  // the derivatives of the bound
  NoiseParameters noise;  // of a regression
  NoiseSums noise_rows;
  NoiseCurve of_noise;
  OwnParameters own;  // at the end
};

// The step of the likelihood's own parameters that their derivatives promise most of, and the nats it promises.  (PASS.11), (PASS.12)
struct OwnStep {
  double of_log_k = 0, gain = 0;
  NoiseStep of_noise;
};
OwnStep own_step(const SweepIterate& now) {
  OwnStep out;
  if (now.of_noise.xx != 0) out.of_noise = noise_step(now.noise, now.of_noise, false);  // a regression
  out.gain = 0.5 * out.of_noise.slope;
  constexpr double longest = 2;
  const AtDispersion& at = now.of_log_k;
  const double curvature = -at.curve > 0 ? -at.curve : std::abs(at.slope);
  if (at.slope == 0) return out;
  out.of_log_k =
      std::clamp(now.log_k + std::clamp(at.slope / curvature, -longest, longest), least_log_dispersion, most_log_dispersion) - now.log_k;
  if (out.of_log_k != 0) out.gain = 0.5 * at.slope * at.slope / curvature;
  return out;
}

class SweepsByPasses {
 public:
  SweepsByPasses(const Frame& frame, Passes& passes, CountPasses* counts, NoisePasses* noise = nullptr)
      : frame_(frame),
        passes_(passes),
        row_(likelihood_row(passes.question().likelihood)),
        counts_(counts),
        noise_(noise),
        has_classes_(counts == nullptr && noise == nullptr) {
    prior_ = prepare_prior(frame.options, frame.num_columns(), frame.left_out);
    to_mode_ = row_.make({Vector(), Vector()})->traits().to_mode;
    proper_ = has_classes_ && has_proper_intercept(frame.options, prior_.partition.flat_columns);
  }

  Solution run(WeightMoments start, ClassTally& scores) {
    SweepIterate now;
    now.q = std::move(start);
    if (has_dispersion()) now.log_k = *counts_->log_dispersion;
    if (noise_ != nullptr) now.noise = noise_->start;
    look(now, {}, 0);
    bool may_begin_again = !now.q.w.isZero(0);
    const auto begin_again = [&] {
      may_begin_again = false;
      if (counts_ != nullptr)
        now.q = counts_->at_constant_rate;
      else
        now.q.w.setZero(), now.q.V.setZero();
      if (noise_ != nullptr) now.noise = noise_->at_zero;
      look(now, {}, 0);
    };
    if (may_begin_again && has_classes_ && !(now.log_likelihood >= -ln_2 * frame_.rows))
      begin_again();  // the sample misled: zero is nearer
    Tangent used = now.rows;
    double share = 1;
    int steps_at_share = 1, patience = 1;  // patience: steps after which the step length is doubled
    std::vector<double> history;
    const auto end = [&](Status status, std::string message) {
      if (has_dispersion()) look_at_spread(now);
      if (noise_ != nullptr && !history.empty()) {
        look_at_spread_of_degrees(now);
        Solution whole = solve(used, now.solution.precision, noise_share(now.noise_rows, frame_.rows));
        if (!whole.usable) return failed(std::move(whole));
        now.solution = std::move(whole);
      }
      scores = now.scores;
      if (counts_ != nullptr) counts_->scores = now.counts;
      return finished(std::move(now), std::move(history), status, std::move(message));
    };
    for (;;) {
      const double whole_step = share < 1 && !history.empty() ? promise_of_whole_step(now) : infinity;
      Tangent tangent = used.towards(now.rows, share);
      Solution solution = solve(tangent, now.solution.precision);
      if (!solution.usable && history.empty() && may_begin_again) {  // a sample whose classes are (nearly) separated
        begin_again();
        used = now.rows;
        continue;
      }
      if (!solution.usable && !history.empty() && share > least_share) {
        share *= 0.5;
        continue;
      }
      if (!solution.usable) return failed(std::move(solution));
      WeightMoments q{solution.w, solution.factor.covariance(solution.w.size())};
      if (!history.empty()) {
        const double of_weights = share == 1 ? promised(now.q, q) : whole_step;
        const double gain = remaining(of_weights + own_step(now).gain, history.size());
        if (gain <= allowed())
          return end(Status::converged,
                     fmt::format("converged after {} passes over the rows: the next one would change the bound by about {:.2g} nats "
                                 "(allowed: {:.2g})",
                                 passes_.count(), gain, allowed()));
      }
      if (static_cast<int>(history.size()) + falls_ >= frame_.options.max_sweeps)
        return end(Status::max_sweeps, fmt::format("not converged after {} passes over the rows; increase max_sweeps", passes_.count()));
      SweepIterate next;
      next.q = std::move(q), next.solution = std::move(solution);
      const OwnStep own = own_step(now);
      next.log_k = now.log_k + share * own.of_log_k;
      next.noise = {now.noise.x + share * own.of_noise.x, now.noise.u + share * own.of_noise.u};
      look(next, tangent, next.solution.report.bound);
      const bool is_first = history.empty();
      if (is_first && overshoots(now, next)) {
        if (may_begin_again) {
          begin_again();
          used = now.rows;
          continue;
        }
        used = {now.rows.G, now.rows.G * now.q.w};  // whose maximum is here, so that a share of the step can be taken
      }
      if (is_first ? overshoots(now, next) : !to_mode_ && next.bound < now.bound - slack(now, next)) {
        ++falls_;
        if (steps_at_share == 0) patience = std::min(2 * patience, 16);  // it was too early for a longer step
        share *= 0.5;
        steps_at_share = 0;
        if (share < least_share) {
          const Vector step = next.q.w - now.q.w;
          if (counts_ != nullptr && pushes_all_into_their_class(step)) return end(Status::separated, why_unlimited(after_passes()));
          return end(Status::bound_fell, after_passes() + " no step raises the bound");
        }
        continue;
      }
      used = tangent;
      if (++steps_at_share >= patience && share < 1) share *= 2, steps_at_share = 0;
      const Vector step = next.q.w - now.q.w;
      if (oscillates(step, next.q.V)) share *= 0.5, steps_at_share = 0, patience = std::max(patience, 4);
      now = std::move(next);
      history.push_back(now.bound);
      farthest_.push_back(now.farthest);
      if (const std::string why = why_separated(now, step); !why.empty()) return end(Status::separated, why);
      if (now.runs_away && has_classes_)
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
  // \param steps  so far; a step that is repeated shorter is not another one
  [[nodiscard]] double remaining(double gain, std::size_t steps) {
    if (steps > steps_before_) gain_before_ = std::exchange(last_gain_, gain), steps_before_ = steps;
    return rest_of_steps(gain, gain_before_);
  }
  // Rates grow with the exponential of a step. Without a bound of the start, the likelihood says whether the first one is too long: the
  // prior takes less than a nat of it for each column.
  [[nodiscard]] bool overshoots(const SweepIterate& from, const SweepIterate& to) const {
    return counts_ != nullptr && !(to.log_likelihood >= from.log_likelihood - static_cast<double>(to.q.w.size()));
  }
  [[nodiscard]] std::string after_passes() const { return fmt::format("after {} passes over the rows", passes_.count()); }
  [[nodiscard]] double slack(const SweepIterate& from, const SweepIterate& to) const {
    return std::isfinite(from.bound) ? 1e-11 * (std::abs(from.bound) + frame_.rows) + from.rounding + to.rounding : 0;
  }

  // The rows at a posterior, and the bound there, from the bound of the quadratic problem whose solution it is.
  void look(SweepIterate& at, const Tangent& tangent, double bound_of_tangent) {
    if (has_dispersion()) passes_.set_dispersion(at.log_k);
    if (noise_ != nullptr) passes_.set_noise({at.noise});
    const PassSums sums = passes_.sums({&at.q}, true, noise_ == nullptr);
    at.scores = sums.scores;
    at.counts = sums.counts;
    at.rows = {sums.gram(), sums.response};
    double log_likelihood = at.log_likelihood = sums.log_likelihood[0];
    if (has_dispersion()) {
      at.of_log_k = prior_of_dispersion(at.log_k);
      log_likelihood += at.of_log_k.value;
      at.of_log_k.slope += sums.of_dispersion[0], at.of_log_k.curve += sums.of_dispersion[1];
    }
    if (noise_ != nullptr) {
      at.noise_rows = noise_rows_of(sums, 0);
      at.of_noise = noise_curve(at.noise, at.noise_rows, frame_.rows, noise_->prior);
      log_likelihood = at.log_likelihood = at.of_noise.value;
    }
    if (proper_) log_likelihood += add_intercept(at);
    if (to_mode_) log_likelihood -= 0.5 * at.rows.G.cwiseProduct(at.q.V).sum();  // (LAP.3)
    at.farthest = sums.extent.farthest;
    at.runs_away = sums.nearest > 1e6 && sums.log_likelihood[0] > -0.7 * frame_.rows;  // (VG.5)
    at.all_in_class = has_classes_ && sums.least_margin > 0;
    if (tangent.c.size() == 0) return;
    at.bound = bound_of_tangent - quadratic_bound(tangent, at.q) + log_likelihood;
    constexpr double of_sums = 1e-15;  // of w'c, which the first term has and the second one takes away: of counts, mu ln mu of each row
    at.rounding = of_sums * at.q.w.cwiseAbs().dot(tangent.c.cwiseAbs());
  }

  [[nodiscard]] bool has_dispersion() const { return counts_ != nullptr && counts_->log_dispersion; }

  // What the bound gets for the spread of ln k (NB.5), and the deviance at the rate of the rows, which is known now: (PASS.11)
  void look_at_spread(SweepIterate& at) {
    constexpr int ahead = 20;
    passes_.set_constant_rate(at.counts.counted / at.counts.exposed);
    const auto profile = [&](const std::vector<double>& log_k) {
      passes_.set_dispersion(at.log_k, log_k);
      const PassSums sums = passes_.sums({&at.q}, false, true);
      at.counts = sums.counts;
      std::vector<double> out;
      for (std::size_t i = 0; i < log_k.size(); ++i)
        out.push_back(sums.of_dispersion[2 + static_cast<Index>(i)] + prior_of_dispersion(log_k[i]).value);
      return out;
    };
    const double width = 1 / std::sqrt(std::max(-at.of_log_k.curve, 1e-2));
    const auto nearly_normal = spread_if_nearly_normal(profile, at.log_k, width);
    const SpreadOfParameter spread = nearly_normal ? *nearly_normal : spread_of_parameter(profile, at.log_k, width, ahead);
    at.own = {.dispersion = std::exp(at.log_k), .log_mean = spread.mean, .log_sd = spread.sd, .spread = spread.log_integral};
  }

  static NoiseSums noise_rows_of(const PassSums& sums, std::size_t i) {
    const Vector& all = sums.of_noise;
    const auto at = 3 * static_cast<Index>(i);
    return {all[at], all[at + 1], all[at + 2]};
  }

  // What the bound gets for the spread of ln nu (TN.4). For each ln nu, ln E tau begins where the curvatures say, and takes Newton steps in
  // passes that the values share; what the last step would gain is added.                                                      (PASS.12)
  void look_at_spread_of_degrees(SweepIterate& at) {
    constexpr int ahead = 20, most_steps = 30;
    constexpr double least_gain = 1e-4;
    const NoiseCurve& curve = at.of_noise;
    const auto profile = [&](const std::vector<double>& log_degrees) {
      std::vector<NoiseParameters> points;
      for (const double u : log_degrees) points.push_back({at.noise.x - curve.xu / std::min(curve.xx, -1e-300) * (u - at.noise.u), u});
      std::vector<double> out(points.size());
      double most = infinity;
      for (int i = 0; i < most_steps && most > least_gain; ++i) {
        most = 0;
        passes_.set_noise(points);
        const PassSums sums = passes_.sums({&at.q}, false);
        for (std::size_t j = 0; j < points.size(); ++j) {
          const NoiseCurve there = noise_curve(points[j], noise_rows_of(sums, j), frame_.rows, noise_->prior);
          const NoiseStep step = noise_step(points[j], there, true);
          out[j] = there.value + 0.5 * step.slope;
          points[j].x += step.x;
          most = std::max(most, 0.5 * step.slope);
        }
      }
      return out;
    };
    const double width = 1 / std::sqrt(std::max(curve.curvature(), 0.1));
    const auto nearly_normal = spread_if_nearly_normal(profile, at.noise.u, width);
    const SpreadOfParameter spread = nearly_normal ? *nearly_normal : spread_of_parameter(profile, at.noise.u, width, ahead);
    at.own = {.degrees_of_freedom = std::exp(at.noise.u), .log_mean = spread.mean, .log_sd = spread.sd, .spread = spread.log_integral};
  }

  // The row of the prior of the intercept. Returns its term of the bound.                                                        (SP.20)
  double add_intercept(SweepIterate& at) const {
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

  // The posterior, with all precisions, for these quadratic rows. The precisions begin at those of the last posterior: from elsewhere, they
  // may reach another maximum, and then no step, however short, leads on from that posterior.
  // Rows that are sure of a wrong class pull without a curve. Where so a direction is lost, `tangent` becomes what is solved instead.
  // \param share  of the tangent in V, at the end                                                                                (TN.6)
  Solution solve(Tangent& tangent, const Vector& precision, double share = 1) {
    const Index q = tangent.c.size();
    Matrix C = Matrix::Zero(q + 1, q + 1);
    C.topLeftCorner(q, q) = tangent.G;
    C.row(q).head(q) = tangent.c.transpose();
    C(q, q) = 1;
    const Matrix A = root_of_cross(std::move(C), q).A;
    Z_ = A.leftCols(q);
    const Vector z = A.col(q);
    square_ = z.squaredNorm();
    if (const Vector c = Z_.transpose() * z; !((c - tangent.c).norm() <= 1e-6 * tangent.c.norm())) tangent = {Z_.transpose() * Z_, c};
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
    if (precision.size() > 0 && (precision.array() > 0).all() && precision.allFinite()) {
      inner.options.start_precision.assign(static_cast<std::size_t>(q), 1.0);
      for (Index j = 0; j < q; ++j)
        if (const Index g = prior_.partition.group[static_cast<std::size_t>(j)]; g >= 0)
          inner.options.start_precision[static_cast<std::size_t>(j)] = precision[g];
    }
    const auto likelihood = make_quadratic(z, share);
    return solve_by_sweeps({inner, *likelihood, prior_});
  }

  // Nats that the next step promises: a quarter of the squared distances of the means and of ln of the variances, of weights that vary.
  [[nodiscard]] static double promised(const WeightMoments& from, const WeightMoments& to) {
    std::vector<Index> vary;
    for (Index j = 0; j < to.w.size(); ++j)
      if (to.V(j, j) > 0) vary.push_back(j);
    const Matrix V = to.V(vary, vary), L = lower_root(V);
    Vector x = (to.w - from.w)(vary);
    blas::trsv(blas::Transpose::yes, L.rows(), L.data(), L.rows(), x.data());
    double of_variances = 0;
    if (from.V.size() > 0)
      for (const Index j : vary) of_variances += std::pow(from.V(j, j) / to.V(j, j) - 1, 2);
    return 0.5 * x.squaredNorm() + 0.25 * of_variances;
  }

  [[nodiscard]] double promise_of_whole_step(const SweepIterate& now) {
    Tangent rows = now.rows;
    const Solution whole = solve(rows, now.solution.precision);
    return whole.usable ? promised(now.q, {whole.w, whole.factor.covariance(whole.w.size())}) : infinity;
  }

  Solution finished(SweepIterate now, std::vector<double> history, Status status, std::string message) {
    Solution out = std::move(now.solution);
    Report& report = out.report;
    report.status = status;
    report.message = std::move(message);
    report.sweeps = static_cast<int>(history.size());
    report.bound = now.bound + now.own.spread;
    report.bound_history = std::move(history);
    for (double& bound : report.bound_history) bound += now.own.spread;
    out.own = std::move(now.own);
    if (noise_ != nullptr) {
      const double shape = noise_->prior.shape + 0.5 * frame_.rows;
      out.noise = {shape, shape / std::exp(now.noise.x)};
    }
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

  // Whether the steps oscillate: each of the last ones reverses most of the one before. Such steps
  // are too long, although the bound rises. (PASS.4)
  bool oscillates(const Vector& step, const Matrix& V) {
    constexpr double against = -0.7, part = 0.7;
    constexpr int most = 4;
    Vector now = Vector::Zero(step.size());
    for (Index j = 0; j < now.size(); ++j)
      if (V(j, j) > 0) now[j] = step[j] / std::sqrt(V(j, j));
    const Vector before = std::exchange(last_step_, std::move(now));
    const double last = before.norm(), length = last_step_.norm();
    const bool goes_back = before.size() > 0 && length > part * last && before.dot(last_step_) < against * last * length;
    turns_ = goes_back ? turns_ + 1 : 0;
    return turns_ >= most;
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

  // The margin of each row under this change of the columns without a prior: none is pushed towards the other class by more than 1e-6 of
  // the largest change. Of counts: no rate of a row with counts changes by more than that, and none of the others rises.
  [[nodiscard]] bool pushes_all_into_their_class(const Vector& step) {
    const std::vector<Index>& flat = prior_.partition.flat_columns;
    WeightMoments of_flat{Vector::Zero(step.size()), {}};
    of_flat.w(flat) = step(flat);
    const PassSums sums = passes_.sums({&of_flat}, false);
    return sums.extent.farthest > 0 && sums.least_margin >= -1e-6 * std::sqrt(sums.extent.farthest);
  }

  // Columns without a prior that put every row into its class. Empty: they do not, or it is not yet time to look again.
  std::string why_separated(const SweepIterate& now, const Vector& step) {
    const std::size_t steps = farthest_.size();
    const std::vector<Index>& flat = prior_.partition.flat_columns;
    const bool all_are_flat = prior_.partition.num_flat() + prior_.partition.num_left_out() == prior_.partition.num_columns();
    if (proper_ || noise_ != nullptr || flat.empty()) return "";
    if (steps >= next_look_ && goes_on_growing()) {  // it takes a pass
      next_look_ = steps + steps / 3;
      if (const bool is_separated = pushes_all_into_their_class(step); is_separated && counts_ != nullptr)
        return why_unlimited(after_passes());
      else if (is_separated)
        return fmt::format(
            "after {} passes over the rows the log odds of some rows still grow in each pass, as where columns without a prior{} separate "
            "rows: then the likelihood has no maximum; give these columns a prior that limits them (--prior shared --a0 1 --b0 1)",
            passes_.count(), column_that_grows(frame_, flat, step));
    }
    if (!now.all_in_class) return "";
    if (!all_are_flat) {
      if (!std::has_single_bit(steps)) return "";  // it takes a pass
      WeightMoments of_flat{Vector::Zero(step.size()), {}};
      of_flat.w(flat) = now.q.w(flat);
      if (!(passes_.sums({&of_flat}, false).least_margin > 0)) return "";
    }
    return fmt::format(
        "after {} passes over the rows all of them are classified correctly: columns without a prior{} separate the classes, so the "
        "likelihood has no maximum; the coefficients grow without limit; give the columns a prior that limits them (--prior shared --a0 1 "
        "--b0 1)",
        passes_.count(), column_that_grows(frame_, flat, step));
  }

  Solution failed(Solution out) {
    out.report.status = Status::not_positive_definite;
    out.report.message = fmt::format(
        "{} the linear system is not positive definite: columns without a prior are linearly dependent{}; leave some of them out, or give "
        "them a prior (--prior shared)",
        after_passes(),
        has_classes_         ? ", or they separate the classes"
        : counts_ != nullptr ? ", or they tell rows whose counts are all 0 from the others"
                             : "");
    out.rows = {};
    out.flat = prior_.partition.flat_columns;
    return out;
  }

  const Frame& frame_;
  Passes& passes_;
  const LikelihoodRow& row_;
  CountPasses* counts_;
  NoisePasses* noise_;
  bool has_classes_;
  PreparedPrior prior_;
  bool proper_ = false, to_mode_ = false;
  int falls_ = 0, turns_ = 0;
  Matrix Z_;                      // of the last solve()
  Vector last_step_;              // in standard deviations
  std::vector<double> farthest_;  // after each step
  std::size_t next_look_ = 0;     // steps
  double square_ = 0;             // of its targets
  double last_gain_ = infinity, gain_before_ = infinity;
  std::size_t steps_before_ = 0;
};

}  // namespace

Solution solve_flat_by_passes(const Frame& frame, const std::vector<Index>& others, Passes& passes) {
  Frame only = frame;
  only.options.prior = Prior::none();
  only.options.tolerance.reset();
  only.options.on_sweep = nullptr;
  Standardization units = passes.question().units;
  if (units.scale.size() == 0) units.scale = Vector::Ones(frame.num_columns());
  for (const Index j : others) only.left_out[static_cast<std::size_t>(j)] = true, units.scale[j] = 0;
  const Index q = frame.num_columns() + (units.intercept ? 1 : 0);
  Passes of_flat = passes.with_units(std::move(units));
  ClassTally unused;
  Solution found = SweepsByPasses(only, of_flat, nullptr).run({Vector::Zero(q), Matrix::Zero(q, q)}, unused);
  passes.add_to_count(of_flat.count());
  return found;
}

Solution solve_sweeps_by_passes(const Frame& frame, Passes& passes, const StartOfPasses& start, ClassTally& scores, CountPasses* counts,
                                NoisePasses* noise) {
  WeightMoments from = start();
  return SweepsByPasses(frame, passes, counts, noise).run(std::move(from), scores);
}

}  // namespace ardvark::internal
