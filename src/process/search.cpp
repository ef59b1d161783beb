#include "process/search.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/pulse.hpp"
#include "core/special.hpp"

namespace ardvark::internal {
namespace {

// nats: a gain that is worth a step. Where the kernel matrix is nearly singular, the evidence itself has no more digits.
double least_gain(double value) { return 1e-6 * std::max(1.0, std::abs(value)); }

// The direction of steepest ascent is cut where it leads out of the limits.
Vector within(const Vector& x, const Vector& g, const SearchSpace& space) {
  Vector out = Vector::Zero(x.size());
  for (const Index i : space.free)
    if (g[i] > 0 ? x[i] < space.high[i] : x[i] > space.low[i]) out[i] = g[i];
  return out;
}

// H <- the BFGS update of an inverse Hessian of -f after a move, with the fall of the gradient.
void update_inverse(Matrix& H, const Vector& move, const Vector& fall, bool& fresh) {
  const double curvature = move.dot(fall);
  if (!(curvature > 1e-10 * move.norm() * fall.norm())) return;
  if (fresh) H *= curvature / fall.squaredNorm();
  const Vector Hf = H * fall;
  H += (1 + fall.dot(Hf) / curvature) / curvature * move * move.transpose() - (Hf * move.transpose() + move * Hf.transpose()) / curvature;
  fresh = false;
}

// From `here`, where the slope is known.
// \param inverse     [theta, theta] of minus the Hessian at the start, about; empty: not known
// \param worthwhile  nats: a step that gains less is not taken
Maximum rise_from(const Objective& objective, const SearchSpace& space, Maximum here, Slope slope, int max_steps, const Matrix& inverse,
                  double worthwhile) {
  if (!std::isfinite(slope.value)) return here;
  const Index size = here.theta.size();
  Matrix H = inverse.size() > 0 ? inverse : Matrix::Identity(size, size);
  bool fresh = inverse.size() == 0;
  for (; here.steps < max_steps; ++here.steps) {
    pulse();
    const Vector g = within(here.theta, slope.gradient, space);
    Vector direction = (g.array() == 0).select(0, H * g);
    if (!(direction.dot(g) > 0)) {
      H.setIdentity();
      fresh = true;
      direction = g;
    }
    if (fresh) direction *= std::min(1.0, 0.5 / std::max(g.cwiseAbs().maxCoeff(), 1e-300));
    direction /= std::max(1.0, direction.cwiseAbs().maxCoeff() / 2);
    if (direction.dot(g) < std::max(worthwhile, least_gain(slope.value))) {
      here.converged = true;
      break;
    }
    Slope there;
    Vector move;
    bool rises = false;
    for (double length = 1; length > 1e-4 && !rises; length *= 0.4) {
      move = (here.theta + length * direction).cwiseMax(space.low).cwiseMin(space.high) - here.theta;
      there = objective(here.theta + move, true);
      rises = there.value > slope.value + 1e-4 * g.dot(move);
    }
    if (!rises) {
      if (fresh) break;
      H.setIdentity();
      fresh = true;
      continue;
    }
    update_inverse(H, move, slope.gradient - there.gradient, fresh);
    here.theta += move;
    slope = std::move(there);
  }
  here.value = slope.value;
  here.gradient = slope.gradient;
  here.inverse = std::move(H);
  for (const Index i : space.free)
    if (here.theta[i] <= space.low[i] || here.theta[i] >= space.high[i]) here.at_limit.push_back(i);
  return here;
}

Maximum rise(const Objective& objective, const SearchSpace& space, const Hyperparameters& start, int max_steps, double worthwhile) {
  Maximum here{.theta = start.cwiseMax(space.low).cwiseMin(space.high)};
  Slope slope = objective(here.theta, true);
  return rise_from(objective, space, std::move(here), std::move(slope), max_steps, {}, worthwhile);
}

class HypothesisSearch {
 public:
  HypothesisSearch(ProcessEvidence& evidence, const Vector& given) : evidence_(evidence), given_(given) {
    const Index size = evidence.size();
    const bool several = evidence.covariance().num_widths() > 1;
    space_.low = Vector::Constant(size, evidence.usual_log_rho() - (several ? widest_of_several : widest));
    space_.high = Vector::Constant(size, evidence.usual_log_rho() + widest);
    space_.low[0] = least_log_h;
    space_.high[0] = std::max(evidence.most_log_h(), least_log_h + 1);
    if (given.size() > 0) space_.low.segment(1, given.size()) = space_.high.segment(1, given.size()) = given;
    if (evidence.covariance().has_linear_part()) space_.low[size - 1] = -most_log_g, space_.high[size - 1] = most_log_g;
    for (Index i = 0; i < size; ++i)
      if (i == 0 || i > given.size()) space_.free.push_back(i);
  }

  WidthHypothesis run(const SearchOutlook& from, bool average) {
    return around(std::isfinite(from.slope.value) ? climb_from(from, average ? small_gain : 0) : climb(0, starts()));
  }
  WidthHypothesis run(const WidthHypothesis& from, double more, Ending ending) {
    const double worthwhile = ending == Ending::rough ? rough_gain : ending == Ending::of_steps ? small_gain : 0;
    set_tolerance_for(worthwhile);
    Maximum best{.theta = from.best.theta.cwiseMax(space_.low).cwiseMin(space_.high)};
    Slope slope = evidence_.at(best.theta, true);
    best = rise_from(objective(evidence_), space_, std::move(best), std::move(slope), max_steps, grown(from.covariance, more),
                     at_least(worthwhile));
    if (ending == Ending::exact || !std::isfinite(best.value)) return around(std::move(best));
    const Eigen::SelfAdjointEigenSolver<Matrix> solved(best.inverse(space_.free, space_.free));
    return around(std::move(best), {solved.eigenvectors(), solved.eigenvalues().cwiseInverse()});
  }

  Maximum climb_further(const WidthHypothesis& from, double more, int most) {
    constexpr double worthwhile = 0.1;
    Maximum at{.theta = from.best.theta};
    Slope slope = evidence_.at(at.theta, true);
    return rise_from(objective(evidence_), space_, std::move(at), std::move(slope), most, grown(from.covariance, more),
                     at_least(worthwhile));
  }
  // Only ln h and ln g are searched. The value at the start may be large: without it, small gains count.
  Maximum maximum_at_widths(const Hyperparameters& start) {
    SearchSpace scales = space_;
    const Index widths = evidence_.covariance().num_widths();
    std::erase_if(scales.free, [&](Index i) { return i > 0 && i <= widths; });
    const double at_start = evidence_.at(start, false).value;
    const auto gain = [&](const Hyperparameters& theta, bool with_gradient) {
      Slope out = evidence_.at(theta, with_gradient);
      out.value -= at_start;
      return out;
    };
    const double rounding = 1e-8 * std::abs(at_start);  // of sums over rows, which a system that is nearly singular enlarges
    Maximum out = rise(gain, scales, start, max_steps, at_least(std::max(1e-5, rounding)));
    out.value += at_start;
    return out;
  }
  WidthHypothesis run_at_widths(const WidthHypothesis& from, double more) {
    WidthHypothesis out;
    out.best = maximum_at_widths(from.best.theta);
    if (!std::isfinite(out.best.value)) return out;
    out.covariance = grown(from.covariance, more)(space_.free, space_.free);
    const Eigen::SelfAdjointEigenSolver<Matrix> curve(out.covariance);
    out.log_evidence = out.best.value + volume(curve.eigenvalues().cwiseInverse());
    out.points = {out.best.theta};
    for (const Index at : from.best.at_limit)
      if (at > 0 && at <= evidence_.covariance().num_widths()) out.best.at_limit.push_back(at);
    return out;
  }

  // Of evidence_ as that of a part of the rows: its maximum, with its curvature.
  SearchOutlook begin(const Hyperparameters& near) {
    const Maximum best = near.size() > 0 ? climb(rough_gain, {as_many_widths(near)}) : climb(rough_gain, starts());
    if (!std::isfinite(best.value)) return {};
    const Curvature curve = curvature(best, 1e-6, 2e-2);
    SearchOutlook out;
    out.theta = best.theta;
    out.inverse = curve.axes * curve.eigenvalues.cwiseInverse().asDiagonal() * curve.axes.transpose();
    out.log_evidence = best.value + volume(curve.eigenvalues);
    return out;
  }
  SearchOutlook from(const SearchOutlook& part, double more) {
    if (!std::isfinite(part.log_evidence)) return {};
    const Eigen::SelfAdjointEigenSolver<Matrix> solved(part.inverse);
    SearchOutlook out;
    out.theta = part.theta;
    out.inverse = grown(part.inverse, more);
    set_tolerance_for(small_gain);
    out.slope = evidence_.at(out.theta, true);
    if (!std::isfinite(out.slope.value)) return {};
    out.log_evidence = out.slope.value + volume(more_curved(solved.eigenvalues().cwiseInverse(), more));
    out.gain = 0.5 * out.slope.gradient.dot(out.inverse * out.slope.gradient);
    return out;
  }

  // Corners of a regular simplex, or of a pentagon, each where the objective has fallen by D/2: the typical set.                    (KM.4)
  void place_points(FullEvidence& evidence, WidthHypothesis& out, const std::optional<std::vector<Index>>& which) {
    const auto D = static_cast<Index>(space_.free.size());
    const Eigen::SelfAdjointEigenSolver<Matrix> covariance(out.covariance);
    Matrix axes = covariance.eigenvectors() * covariance.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
    for (Index i = 0; i < D; ++i)  // the sign of an eigenvector is arbitrary
      if (axes.col(i).sum() > 0) axes.col(i) *= -1;
    axes = Matrix(axes * corners(D));
    if (which) axes = Matrix(axes(Eigen::all, *which));
    out.points.clear();
    if (axes.cols() == 0) axes = Matrix::Zero(D, 1);
    for (Index p = 0; p < axes.cols(); ++p) {
      evidence.set_tolerance(places_roughly() ? rough_of_many : rough);
      out.points.push_back(axes.col(p).isZero(0) ? out.best.theta : point_along(axes.col(p), out.best));
      out.posteriors.push_back(evidence.posterior(out.points.back(), has_many_rows() ? of_points : ProcessEvidence::exact));
    }
  }

 private:
  [[nodiscard]] bool has_many_rows() const { return evidence_.covariance().num_rows() >= many_rows; }
  [[nodiscard]] bool places_roughly() const { return has_many_rows() && std::ssize(space_.free) > few_dimensions; }
  // With more rows: the curvature of the evidence grows with them, that of the prior does not.
  static Vector more_curved(const Vector& eigenvalues, double more) {
    return eigenvalues.array() + (more - 1) * (eigenvalues.array() - prior_curvature).max(0.0);
  }
  // [theta, theta], or empty: not known. \param covariance  [free, free]; empty after a search without a maximum
  [[nodiscard]] Matrix grown(const Matrix& covariance, double more) const {
    if (covariance.size() == 0 || !covariance.allFinite()) return {};
    const Index size = space_.low.size();
    const Eigen::SelfAdjointEigenSolver<Matrix> solved(covariance);
    const Vector e = more_curved(solved.eigenvalues().cwiseMax(1e-300).cwiseInverse(), more);
    Matrix out = Matrix::Zero(size, size);
    out(space_.free, space_.free) = solved.eigenvectors() * e.cwiseInverse().asDiagonal() * solved.eigenvectors().transpose();
    return out;
  }

  struct Curvature {
    Matrix axes;         // [free, free]
    Vector eigenvalues;  // of minus the Hessian, at least a part of the prior's
  };

  WidthHypothesis around(Maximum best) {
    if (!std::isfinite(best.value)) {
      WidthHypothesis none;
      none.best = std::move(best);  // a later search begins there
      return none;
    }
    const Curvature curve = has_many_rows() ? curvature(best, 1e-6, 1e-2) : curvature(best, ProcessEvidence::exact, 2e-3);
    return around(std::move(best), curve);
  }
  WidthHypothesis around(Maximum best, const Curvature& curve) const {
    WidthHypothesis out;
    out.best = std::move(best);
    out.log_evidence = out.best.value + volume(curve.eigenvalues);
    out.covariance = curve.axes * curve.eigenvalues.cwiseInverse().asDiagonal() * curve.axes.transpose();
    out.points = {out.best.theta};
    return out;
  }

  static constexpr double of_steps = 1e-5;         // nats: a tenth of least_gain, or less
  static constexpr double rough = 0.02;            // nats: to rank starts and to place points
  static constexpr double rough_of_many = 0.1;     // nats: to place points where the fall may be off by a nat
  static constexpr double of_points = 1e-4;        // nats over all rows: moments are off by a hundredth of their standard deviation
  static constexpr double small_gain = 0.005;      // nats, of a step to a maximum that is averaged over
  static constexpr double rough_gain = 0.02;       // nats, of a step with a part of the rows
  static constexpr double widest_of_several = 13;  // an input that says nothing goes far if the rows are many
  static constexpr double widest = 9;              // six standard deviations of the prior
  static constexpr double least_log_h = -16, most_log_g = 18;
  static constexpr int max_steps = 80;
  static constexpr double prior_curvature = 1 / (ProcessEvidence::sd_of_log_rho * ProcessEvidence::sd_of_log_rho);

  static Objective objective(ProcessEvidence& evidence) {
    return [&evidence](const Hyperparameters& theta, bool with_gradient) { return evidence.at(theta, with_gradient); };
  }

  [[nodiscard]] double at_least(double worthwhile) const { return std::max(worthwhile, evidence_.rounding()); }

  // What Laplace's approximation adds to the objective at its maximum.
  [[nodiscard]] double volume(const Vector& eigenvalues) const {
    return -0.5 * eigenvalues.array().log().sum() + 0.5 * static_cast<double>(space_.free.size()) * ln_2pi +
           (given_.size() > 0 ? std::log1p(ProcessEvidence::share_exponent) - evidence_.log_prior_of_widths(given_)
                              : evidence_.log_constant());
  }

  // For steps that must promise this gain.
  void set_tolerance_for(double worthwhile) { evidence_.set_tolerance(worthwhile > 0 ? 0.1 * worthwhile : of_steps); }

  Maximum climb(double worthwhile, const std::vector<Hyperparameters>& points) {
    Maximum best;
    set_tolerance_for(worthwhile);
    for (const Hyperparameters& start : points) {
      Maximum found = rise(objective(evidence_), space_, start, max_steps, at_least(worthwhile));
      if (best.theta.size() == 0 || found.value > best.value) best = std::move(found);
    }
    return best;
  }

  Maximum climb_from(const SearchOutlook& from, double worthwhile) {
    set_tolerance_for(worthwhile);
    return rise_from(objective(evidence_), space_, {.theta = from.theta}, from.slope, max_steps, from.inverse, at_least(worthwhile));
  }

  // ln h, ln rho of one width and perhaps ln g as parameters of this evidence.
  [[nodiscard]] Hyperparameters as_many_widths(const Hyperparameters& of_one) const {
    Hyperparameters theta = Hyperparameters::Constant(evidence_.size(), of_one[1]);
    theta[0] = of_one[0];
    if (evidence_.covariance().has_linear_part()) theta[theta.size() - 1] = of_one[of_one.size() - 1];
    return theta;
  }

  // Twelve points, ranked; with a width each also from the best that is wider by .5.                                            (KM.3)
  std::vector<Hyperparameters> starts() {
    evidence_.set_tolerance(rough);
    std::vector<Hyperparameters> points;
    const std::vector<double> factors = given_.size() > 0 ? std::vector<double>{1} : std::vector<double>{0.25, 0.5, 1, 2};
    for (const double factor : factors)
      for (const double h : {0.3, 3.0, 30.0}) {
        Hyperparameters theta(evidence_.size());
        theta.setConstant(evidence_.usual_log_rho() - std::log(factor));
        if (given_.size() > 0) theta.segment(1, given_.size()) = given_;
        theta[0] = std::log(h);
        // Half of the variance is linear: x'x is about the number of inputs.
        const Covariance& covariance = evidence_.covariance();
        if (covariance.has_linear_part()) theta[theta.size() - 1] = -std::log(static_cast<double>(covariance.num_inputs()));
        points.push_back(theta);
      }
    std::vector<double> values;
    for (const Hyperparameters& theta : points) values.push_back(evidence_.at(theta, false).value);
    const auto best = static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
    std::vector<Hyperparameters> out = {points[best]};
    if (const Index widths = evidence_.covariance().num_widths(); given_.size() == 0 && widths > 1) {
      out.push_back(points[best]);
      out.back().segment(1, widths).array() -= 0.5;
    }
    return out;
  }

  // Minus the Hessian by differences of gradients: they are off by about the step.
  Curvature curvature(const Maximum& best, double tolerance, double step) {
    const Vector gradient = evidence_.set_tolerance(tolerance) ? evidence_.at(best.theta, true).gradient : best.gradient;
    const auto D = static_cast<Index>(space_.free.size());
    Matrix H = Matrix::Zero(D, D);
    for (Index i = 0; i < D; ++i) {
      pulse();
      Hyperparameters theta = best.theta;
      theta[space_.free[static_cast<std::size_t>(i)]] += step;
      const Slope there = evidence_.at(theta, true);
      if (std::isfinite(there.value)) H.col(i) = (gradient - there.gradient)(space_.free) / step;
    }
    const Eigen::SelfAdjointEigenSolver<Matrix> solved(0.5 * (H + H.transpose()));
    constexpr double least = 0.15 * prior_curvature;
    return {solved.eigenvectors(), solved.eigenvalues().cwiseMax(least)};
  }

  // Where the objective has fallen by D/2, within a fifth; with many rows and dimensions, within two fifths.
  Hyperparameters point_along(const Vector& axis, const Maximum& best) {
    const auto D = static_cast<Index>(space_.free.size());
    const double wanted = 0.5 * static_cast<double>(D), off = places_roughly() ? 0.4 : 0.2;
    double c = std::sqrt(static_cast<double>(D));
    Hyperparameters theta;
    for (int trial = 0; trial < 8; ++trial) {
      theta = best.theta;
      for (Index i = 0; i < D; ++i) {
        const Index at = space_.free[static_cast<std::size_t>(i)];
        theta[at] = std::clamp(theta[at] + c * axis[i], space_.low[at], space_.high[at]);
      }
      pulse();
      const double fall = best.value - evidence_.at(theta, false).value;
      if (std::abs(fall - wanted) <= off * wanted) break;
      c *= fall > 0 ? std::clamp(std::sqrt(wanted / fall), 0.5, 1.5) : 1.5;
    }
    return theta;
  }

  // [D, points] of length 1.
  static Matrix corners(Index D) {
    if (D == 1) return (Matrix(1, 2) << 1, -1).finished();
    if (D == 2) {
      Matrix V(2, 5);
      for (Index i = 0; i < 5; ++i) {
        const double angle = 0.4 * 3.14159265358979323846 * static_cast<double>(i);
        V.col(i) << std::cos(angle), std::sin(angle);
      }
      return V;
    }
    // The last corner is (1, .., 1)/sqrt D, the others a e_i - b with lengths of 1 and a sum of 0.
    const double d = static_cast<double>(D), a = std::sqrt(1 + 1 / d), b = (a + 1 / std::sqrt(d)) / d;
    Matrix V(D, D + 1);
    V.leftCols(D) = a * Matrix::Identity(D, D) - Matrix::Constant(D, D, b);
    V.col(D).setConstant(1 / std::sqrt(d));
    return V;
  }

  ProcessEvidence& evidence_;
  const Vector& given_;
  SearchSpace space_;
};

}  // namespace

SearchOutlook outlook_of_part(ProcessEvidence& part, const Vector& given, const Hyperparameters& near) {
  return HypothesisSearch(part, given).begin(near);
}
SearchOutlook outlook(ProcessEvidence& evidence, const Vector& given, const SearchOutlook& of_part, double more) {
  return HypothesisSearch(evidence, given).from(of_part, more);
}
WidthHypothesis find_hypothesis(ProcessEvidence& evidence, const Vector& given, const SearchOutlook& from, bool average) {
  return HypothesisSearch(evidence, given).run(from, average);
}
WidthHypothesis find_hypothesis(ProcessEvidence& evidence, const Vector& given, const WidthHypothesis& from, double more, Ending ending) {
  return HypothesisSearch(evidence, given).run(from, more, ending);
}
Maximum climb_further(ProcessEvidence& evidence, const Vector& given, const WidthHypothesis& from, double more, int max_steps) {
  return HypothesisSearch(evidence, given).climb_further(from, more, max_steps);
}
Maximum maximum_at_widths(ProcessEvidence& evidence, const Hyperparameters& start) {
  return HypothesisSearch(evidence, {}).maximum_at_widths(start);
}
WidthHypothesis hypothesis_at_widths(ProcessEvidence& evidence, const Vector& given, const WidthHypothesis& from, double more) {
  return HypothesisSearch(evidence, given).run_at_widths(from, more);
}
void place_points(FullEvidence& evidence, const Vector& given, WidthHypothesis& hypothesis,
                  const std::optional<std::vector<Index>>& corners) {
  HypothesisSearch(evidence, given).place_points(evidence, hypothesis, corners);
}
Index num_corners(const WidthHypothesis& hypothesis) {
  const Index D = hypothesis.covariance.cols();
  return D == 2 ? 5 : D + 1;
}

}  // namespace ardvark::internal
