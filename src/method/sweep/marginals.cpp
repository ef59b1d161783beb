#include "method/sweep/marginals.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/rearrange.hpp"
#include "design/dense.hpp"

namespace ardvark::internal {
namespace {

using Tilt = TiltedNormal::Tilt;

constexpr double most_multiplications = 3e8;  // a tenth of a second: beyond, the third order alone is taken, and no average
constexpr double negligible = 0.01;           // sd, of an end of a 95% interval
// Nats for the weights of a group, against zeros. With less, the posterior of its precision has a second maximum, without effects, and no
// smooth marginal holds both.                                                                                                  (SKEW.7)
constexpr double least_for_effects = 20;
// Precisions of such a group that a marginal is averaged over: ln alpha in equal steps, from the fit on until the density has fallen by so
// many nats.                                                                                                                    (SKEW.8)
constexpr double longest_step = 0.9, shortest_step = 0.3, deep = 12, smallest_weight = 1e-4;
constexpr int most_precisions = 50;
// For an end that moves by less, in sd, four conditional distributions are enough, each after a step that leaves less of the bound, in
// nats: the error is .003 sd at 95%, else .001.
constexpr double nearly = 0.1;
constexpr double enough_nearly = 0.1, enough_else = 0.02;

double end_of_third(double skewness) { return (1.96 * 1.96 - 1) / 6 * skewness; }  // Cornish and Fisher's expansion
double end_of_spread(double squared_change) { return 1.96 / 4 * squared_change; }

// The rows at the fit, and how their weights change with the linear predictor.
struct RowsAtFit {
  Vector omega, slope;  // omega_n and dE_n/dm
  Vector third;         // d omega_n/dm
  double expected = 0;  // log likelihood, own parameters integrated
};

std::optional<RowsAtFit> rows_at(const Likelihood& likelihood, const Vector& m, const Vector& s) {
  constexpr double h = 1e-4;  // its error is h^2 of that of the third order
  const Index n = m.size();
  Rows rows{Vector(n), Vector(n)}, above = rows, below = rows;
  const std::optional<ExpectedRows> expected = likelihood.expected_at(m, s, rows);
  if (!expected) return {};
  if (!likelihood.expected_at(m.array() + h, s, above) || !likelihood.expected_at(m.array() - h, s, below)) return {};
  return RowsAtFit{rows.omega, rows.r - rows.omega.cwiseProduct(m), (above.omega - below.omega) / (2 * h),
                   expected->value + expected->of_own};
}

// V = root' root; columns with no variance are zero.
Matrix root_of(const CovarianceFactor& factor, const Matrix& V) {
  if (factor.kind == CovarianceFactor::Kind::triangular && factor.columns.empty()) return factor.L_inverse.triangularView<Eigen::Lower>();
  std::vector<Index> varying;
  for (Index j = 0; j < V.cols(); ++j)
    if (V(j, j) > 0) varying.push_back(j);
  Matrix root = Matrix::Zero(static_cast<Index>(varying.size()), V.cols());
  root(Eigen::all, varying) = lower_root(V(varying, varying));
  return root;
}

// The weights of a group in the coordinates of the fit: w + B (a z + P theta), B B' = V of its columns.                          (SKEW.7)
struct GroupAtFit {
  Matrix B, square;  // [columns, r], B' B
  Vector w;
  double shape, precision, prior_rate;
  double expected;                            // |w|^2 + tr V
  std::optional<double> held = std::nullopt;  // a precision that is given                                                     (SKEW.8)

  GroupAtFit(const PrecisionGroup& group, const Vector& all, const Matrix& root)
      : B(root(Eigen::all, group.columns).transpose()),
        square(B.transpose() * B),
        w(all(group.columns)),
        shape(group.shape),
        precision(group.precision),
        prior_rate(group.prior_rate),
        expected(w.squaredNorm() + B.squaredNorm()) {}

  // How much larger the rate of q(alpha) is where E|w|^2 has this value, as a share.
  [[nodiscard]] double growth(double square_there) const { return 0.5 * precision * (square_there - expected) / shape; }
  // What the bound gets where E|w|^2 has this value, and by how much the precision is larger than in the fit.
  struct There {
    double value, stiffer;
  };
  [[nodiscard]] There at(double square_there) const {
    if (held) return {-0.5 * (*held - precision) * (square_there - expected), *held - precision};
    const double more = growth(square_there);
    return {shape * (more - std::log1p(more)), -precision * more / (1 + more)};  // (SKEW.7)
  }
  // ln of the density of ln alpha, with all terms of the bound that do not depend on q(w).                                     (SKEW.8)
  [[nodiscard]] double log_density(double alpha) const { return shape * std::log(alpha) - alpha * (prior_rate + 0.5 * expected); }
};

// The fit given the precision of a group.                                                                                       (SKEW.8)
struct GivenPrecision {
  double log_weight;
  Posterior q;  // w, m, s
  RowsAtFit at;
  Matrix root, R;
};

// The conditional distributions given one combination z of the weights: eta = m + c z + R P theta, where theta has the distribution
// N(0, I) under q, and P takes out the direction of z.                                                                (SKEW.1), (SKEW.2)
class Conditional {
 public:
  Conditional(const Likelihood& likelihood, const Posterior& q, const std::vector<PrecisionGroup>& groups, const RowsAtFit& at,
              const Matrix& root, const Matrix& R)
      : likelihood_(likelihood), q_(q), at_(at), root_(root), R_(R), weighted_(gram(at.omega)) {
    for (const PrecisionGroup& group : groups) groups_.emplace_back(group, q.w, root);
  }

  /// \param a  of length 1: the direction of z. \param is_nearly_normal  whether fewer nodes are enough
  [[nodiscard]] Tilt tilt(const Vector& a, bool is_nearly_normal) const {
    const Along along{a, R_ * a, is_nearly_normal ? enough_nearly : enough_else};
    if (!is_nearly_normal) return TiltedNormal::through(values_at_nodes<TiltedNormal::degree + 1>(along));
    return TiltedNormal::through(values_at_nodes<5>(along));
  }

  [[nodiscard]] Index num_rows() const { return R_.rows(); }

  // The fits given values of the precision of a group, and their weights, which sum to 1. Empty if they were not found.           (SKEW.8)
  [[nodiscard]] std::vector<GivenPrecision> given_precisions(std::size_t g) {
    const double step = std::clamp(1.2 / std::sqrt(groups_[g].shape), shortest_step, longest_step);
    std::vector<GivenPrecision> out;
    double highest = -std::numeric_limits<double>::infinity();
    for (const int side : {1, -1}) {
      Point now;
      now.mu = Vector::Zero(R_.cols());
      for (int i = side == 1 ? 0 : 1; i < most_precisions; ++i) {
        pulse();
        std::optional<GivenPrecision> one = given_precision(groups_[g], groups_[g].precision * std::exp(side * i * step), now);
        if (!one) return {};
        const double fall = highest - one->log_weight;
        highest = std::max(highest, one->log_weight);
        if (fall > deep) break;
        out.push_back(std::move(*one));
      }
    }
    double sum = 0;
    std::erase_if(out, [&](const GivenPrecision& one) { return one.log_weight < highest + std::log(smallest_weight); });
    for (const GivenPrecision& one : out) sum += std::exp(one.log_weight - highest);
    for (GivenPrecision& one : out) one.log_weight -= highest + std::log(sum);
    return out;
  }

 private:
  struct Along {
    const Vector& a;
    Vector c;       // [n] R a
    double enough;  // nats: a step with this gain is the last
  };
  // N(mu, (L L')^-1) of theta, with its value of the bound (SKEW.3) and what the next step needs.
  struct Point {
    Vector mu;
    Matrix L;  // empty: I
    double value = -std::numeric_limits<double>::infinity();
    Rows rows;
    double of_own = 0;
    Vector gradient;              // of the bound in mu
    std::vector<double> stiffer;  // by how much the precision of each group is larger than in the fit
  };

  // t at nodes of equal distance. In a nearly normal marginal, that in the middle is the bound itself: they differ by the product of the
  // fourth derivative of the rows with c^4/8.
  template <std::size_t count>
  [[nodiscard]] std::array<double, count> values_at_nodes(const Along& along) const {
    std::array<double, count> values;
    for (std::size_t i = 0; i < count; ++i) {
      const double z = TiltedNormal::reach * (2.0 * static_cast<double>(i) / (count - 1) - 1);
      values[i] = count == 5 && i == 2 ? at_.expected : log_density(along, z) + 0.5 * z * z;
    }
    return values;
  }

  // R' diag(omega) R
  [[nodiscard]] Matrix gram(const Vector& omega) const {
    const Index n = R_.rows(), r = R_.cols();
    const Matrix scaled = R_.array().colwise() * omega.cwiseMax(0.0).cwiseSqrt().array();
    Matrix G(r, r);
    blas::syrk(blas::Transpose::yes, r, n, 1.0, scaled.data(), n, 0.0, G.data(), r);
    mirror(G);
    return G;
  }

  void evaluate(const Along& along, double z, Point& at) const {
    const Index n = R_.rows();
    Vector move = z * along.c, s = (q_.s - along.c.cwiseAbs2()).cwiseMax(0.0);
    Vector u = z * along.a;
    double own = 0;  // -tr W/2 + ln|W|/2 + r/2
    if (at.L.size() > 0) {
      move += R_ * at.mu;
      u += at.mu;
      Matrix half = R_.transpose() - along.a * along.c.transpose();
      at.L.triangularView<Eigen::Lower>().solveInPlace(half);
      s = half.colwise().squaredNorm();
      const Matrix inverse = at.L.triangularView<Eigen::Lower>().solve(Matrix::Identity(at.L.rows(), at.L.rows()));
      own = 0.5 * static_cast<double>(at.L.rows()) - 0.5 * inverse.squaredNorm() - at.L.diagonal().array().log().sum();
    }
    const Vector m = q_.m + move;
    at.rows.omega.resize(n), at.rows.r.resize(n);
    const ExpectedRows expected = likelihood_.expected_at(m, s, at.rows).value_or(ExpectedRows{std::numeric_limits<double>::quiet_NaN()});
    at.of_own = expected.of_own;
    at.value = expected.value - at_.slope.dot(move) + 0.5 * at_.omega.dot(move.cwiseAbs2() + s - q_.s) - 0.5 * z * z -
               0.5 * at.mu.squaredNorm() + own;  // (SKEW.3)
    const Vector d = at.rows.r - at.rows.omega.cwiseProduct(m) - at_.slope + at_.omega.cwiseProduct(move);
    at.gradient = R_.transpose() * d - at.mu;
    at.stiffer.clear();
    for (const GroupAtFit& group : groups_) add_group(group, along, u, at);
    at.gradient -= along.a * along.a.dot(at.gradient);
  }

  // The best q(alpha) given z, or the precision that is held, in place of that of the fit.                            (SKEW.7), (SKEW.8)
  static void add_group(const GroupAtFit& group, const Along& along, const Vector& u, Point& at) {
    const Vector along_a = group.B * along.a, w = group.w + group.B * u;
    double square = w.squaredNorm();
    if (at.L.size() > 0) {
      Matrix half = group.B.transpose() - along.a * along_a.transpose();
      at.L.triangularView<Eigen::Lower>().solveInPlace(half);
      square += half.squaredNorm();
    } else {
      square += std::max(group.B.squaredNorm() - along_a.squaredNorm(), 0.0);
    }
    const GroupAtFit::There there = group.at(square);
    at.value += there.value;
    at.stiffer.push_back(there.stiffer);
    at.gradient -= at.stiffer.back() * (group.B.transpose() * w);
  }

  // max over mu and W, up to what is left by a last step that gains little.                                            (SKEW.3), (SKEW.4)
  [[nodiscard]] double log_density(const Along& along, double z) const {
    Point now;
    now.mu = Vector::Zero(R_.cols());
    return maximise(along, z, now);
  }

  // \param now  where the search begins, and then where it ended
  [[nodiscard]] std::optional<GivenPrecision> given_precision(GroupAtFit& group, double alpha, Point& now) const {
    constexpr double enough = 1e-6;  // nats: the marginals ask for rows at the best
    const Vector nowhere = Vector::Zero(R_.cols());
    group.held = alpha;
    const double value = maximise({nowhere, R_ * nowhere, enough}, 0, now);
    group.held.reset();
    if (!std::isfinite(value)) return {};
    GivenPrecision out{value + group.log_density(alpha), {}, {}, root_, R_};
    if (now.L.size() > 0) {
      now.L.triangularView<Eigen::Lower>().solveInPlace(out.root);
      now.L.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(out.R);
    }
    out.q.w = q_.w + root_.transpose() * now.mu;
    out.q.m = q_.m + R_ * now.mu;
    out.q.s = out.R.rowwise().squaredNorm();
    std::optional<RowsAtFit> at = rows_at(likelihood_, out.q.m, out.q.s);
    if (!at) return {};
    out.at = std::move(*at);
    return out;
  }

  // From `now` on, whose value, rows and gradient are not read.
  [[nodiscard]] double maximise(const Along& along, double z, Point& now) const {
    constexpr int most_steps = 30;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const Index r = R_.cols();
    evaluate(along, z, now);
    for (int step = 0; step < most_steps; ++step) {
      Matrix D = gram(now.rows.omega) - weighted_, L;
      for (std::size_t g = 0; g < groups_.size(); ++g) D += now.stiffer[g] * groups_[g].square;
      const Vector along_a = D * along.a;
      D -= along.a * along_a.transpose();
      D -= (D * along.a) * along.a.transpose();
      Matrix H = D + Matrix::Identity(r, r);
      if (!factor(H, L)) return nan;
      Vector change = now.gradient;
      blas::trsv(blas::Transpose::no, r, L.data(), r, change.data());
      double gain = 0.5 * change.squaredNorm() - L.diagonal().array().log().sum();
      blas::trsv(blas::Transpose::yes, r, L.data(), r, change.data());
      gain += 0.5 * (trace_of(H, now.L) - static_cast<double>(r)) + (now.L.size() > 0 ? now.L.diagonal().array().log().sum() : 0);
      if (!(gain > along.enough)) return now.value + now.of_own + gain;
      if (!take_step(along, z, H, change, gain, now)) return nan;
    }
    return nan;
  }

  // A step that is shortened until the bound rises. One that gains little is taken as it is: own parameters are at their best only nearly.
  [[nodiscard]] bool take_step(const Along& along, double z, const Matrix& H, const Vector& change, double gain, Point& now) const {
    constexpr double little = 1e-4;
    const Index r = R_.cols();
    const Matrix precision = now.L.size() > 0 ? Matrix(now.L.triangularView<Eigen::Lower>() * now.L.transpose()) : Matrix::Identity(r, r);
    for (double part = 1; part > 1e-4; part *= 0.5) {
      Point next;
      next.mu = now.mu + part * change;
      if (!factor((1 - part) * precision + part * H, next.L)) return false;
      evaluate(along, z, next);
      if (!(next.value > now.value || gain < little)) continue;
      now = std::move(next);
      return true;
    }
    return false;
  }

  static bool factor(const Matrix& H, Matrix& L) {
    L = H;
    if (!blas::potrf(L.rows(), L.data(), L.rows())) return false;
    L.triangularView<Eigen::StrictlyUpper>().setZero();
    return true;
  }

  // tr H W with W = (L L')^-1
  static double trace_of(const Matrix& H, const Matrix& L) {
    if (L.size() == 0) return H.trace();
    Matrix inside = L.triangularView<Eigen::Lower>().solve(H);
    inside.transposeInPlace();
    L.triangularView<Eigen::Lower>().solveInPlace(inside);
    return inside.trace();
  }

  const Likelihood& likelihood_;
  const Posterior& q_;
  const RowsAtFit& at_;
  const Matrix& root_;
  const Matrix& R_;  // [n, r] R R' = X V X'
  Matrix weighted_;  // R' diag(omega) R at the fit
  std::vector<GroupAtFit> groups_;
};

// How far an end moves because the precision of a group is uncertain: it has the shape of q(alpha), ln alpha moves the mean by `move`
// standard deviations, and by half of `share` the logarithm of the standard deviation.                                          (SKEW.7)
double end_of_precision(double move, double share, double shape) {
  return end_of_spread(2 * move * move / shape) + end_of_third(3 * std::abs(move) * share / shape) + 0.5 * std::abs(move) / shape;
}

// The largest of any combination of the weights.
double end_of_precisions(const FittedRows& fit) {
  double end = 0;
  Matrix row = Matrix::Zero(1, fit.X.cols());
  Vector square(1);
  for (const PrecisionGroup& group : fit.groups) {
    row.setZero();
    row(0, group.columns) = fit.q.w(group.columns).transpose();
    DenseDesign design(row, {});
    fit.factor.row_variance(design, square);
    const double share = std::min(group.precision * fit.q.V_diagonal(group.columns).sum(), 1.0);
    end += end_of_precision(group.precision * std::sqrt(std::max(square[0], 0.0)), share, group.shape);
  }
  return end;
}

// Savage and Dickey's ratio: the density of the prior at zero, over that of the posterior.                                        (SKEW.7)
bool has_effects(const PrecisionGroup& group, const Vector& all, const Matrix& V) {
  const Eigen::LLT<Matrix> L(Matrix(V(group.columns, group.columns)));
  const Vector w = all(group.columns);
  const double log_ratio = 0.5 * static_cast<double>(w.size()) * std::log(group.precision) + L.matrixLLT().diagonal().array().log().sum() +
                           0.5 * w.dot(L.solve(w));
  return L.info() == Eigen::Success && log_ratio > least_for_effects;
}

// The skewness of each marginal to first order, and how far all that is left out may move an end.                               (SKEW.6)
struct FirstOrder {
  Vector skewness, end;
};
// \param directions  [any number, count] of length 1 in units of sd  \param along  gives the rows' c of some of them, [n, some]
using ColumnsAlong = std::function<void(Index first, Index some, Matrix& C)>;
FirstOrder first_order(const RowsAtFit& at, const Vector& s, Index count, const ColumnsAlong& along) {
  const Index n = s.size(), block = std::max<Index>(1, (Index{1} << 22) / std::max<Index>(n, 1));
  const Vector spread = (at.omega.array() > 0).select(at.third.cwiseAbs2().cwiseProduct(s).cwiseQuotient(at.omega), 0.0);
  FirstOrder out{Vector(count), Vector(count)};
  Matrix C;
  for (Index first = 0; first < count; first += block) {
    pulse();
    const Index some = std::min(block, count - first);
    along(first, some, C);
    for (Index j = 0; j < some; ++j) {
      out.skewness[first + j] = -at.third.dot(C.col(j).cwiseAbs2().cwiseProduct(C.col(j)));
      out.end[first + j] = end_of_third(std::abs(out.skewness[first + j])) + end_of_spread(spread.dot(C.col(j).cwiseAbs2()));
    }
  }
  return out;
}

bool is_normal(const RowsAtFit& at, const FittedRows& fit) {
  const Vector& s = fit.q.s;
  const Vector ratio = (at.omega.array() > 0).select(at.third.array().abs() / at.omega.array(), 0.0) * s.array().cwiseMax(0.0).sqrt();
  const double most = ratio.size() > 0 ? ratio.maxCoeff() : 0;
  const double end = end_of_third(most) + end_of_spread(most * most);
  return end < negligible && end + end_of_precisions(fit) < negligible;
}

bool is_density(const Tilt& tilt) {
  return std::ranges::all_of(tilt, [](double t) { return std::isfinite(t); }) && TiltedNormal(tilt).falls();
}

double work_of(Index count, Index n, Index q) {
  return 4 * static_cast<double>(count) * static_cast<double>(n + q) * static_cast<double>(q) * static_cast<double>(q);
}

// The directions whose marginals a normal distribution may miss.
std::vector<Index> not_normal(const FirstOrder& first) {
  std::vector<Index> out;
  for (Index j = 0; j < first.end.size(); ++j)
    if (first.end[j] >= negligible) out.push_back(j);
  return out;
}

// The tilt of each direction, zeros where a normal marginal is good enough. \param tilt_of  of one of the others
std::vector<Tilt> tilts_of(const FirstOrder& first, double work, const std::function<Tilt(Index)>& tilt_of) {
  std::vector<Tilt> out(static_cast<std::size_t>(first.end.size()), Tilt{});
  const std::vector<Index> which = not_normal(first);
  const blas::ThreadScope one{blas::ThreadScope::OursAlone{}};
  parallel_for(static_cast<Index>(which.size()), blas::threads_for(work), [&](Index i) {
    const Index j = which[static_cast<std::size_t>(i)];
    if (const Tilt tilt = tilt_of(j); is_density(tilt)) out[static_cast<std::size_t>(j)] = tilt;
  });
  return out;
}

std::vector<Tilt> third_orders(const FirstOrder& first) {
  return tilts_of(first, 0, [&](Index j) { return Tilt{-0.5 * first.skewness[j], 0, first.skewness[j] / 6}; });
}

// \param directions  of length 1 in the coordinates of the fit
std::vector<Tilt> tilts_along(const Conditional& conditional, const FirstOrder& first, const Matrix& directions, double work) {
  return tilts_of(first, work, [&](Index j) { return conditional.tilt(directions.col(j), first.end[j] < nearly); });
}

// The marginals given each precision, in sd from the means of the fit. Empty where there is none.                               (SKEW.8)
std::vector<TiltedParts> average_over(const std::vector<GivenPrecision>& given, const FittedRows& fit,
                                      const std::vector<PrecisionGroup>& others, const Matrix& combinations, const Vector& sd) {
  const Index count = combinations.cols();
  std::vector<TiltedParts> out(given.empty() ? 0 : static_cast<std::size_t>(count));
  for (const GivenPrecision& one : given) {
    Matrix directions = one.root * combinations;
    const Vector there = directions.colwise().norm();
    for (Index j = 0; j < count; ++j) directions.col(j) *= there[j] > 0 ? 1 / there[j] : 0;
    const FirstOrder first = first_order(
        one.at, one.q.s, count, [&](Index from, Index some, Matrix& C) { C.noalias() = one.R * directions.middleCols(from, some); });
    const double work = work_of(static_cast<Index>(not_normal(first).size()), one.R.rows(), one.R.cols());
    const bool may_search = work * static_cast<double>(given.size()) <= most_multiplications;
    const std::vector<Tilt> tilts =
        may_search ? tilts_along(Conditional(fit.likelihood, one.q, others, one.at, one.root, one.R), first, directions, work)
                   : third_orders(first);
    const Vector center = combinations.transpose() * (one.q.w - fit.q.w);
    for (Index j = 0; j < count; ++j)
      if (sd[j] > 0 && there[j] > 0)
        out[static_cast<std::size_t>(j)].push_back(
            {std::exp(one.log_weight), center[j] / sd[j], there[j] / sd[j], tilts[static_cast<std::size_t>(j)]});
  }
  for (TiltedParts& parts : out)
    if (parts.size() == 1 && parts[0].center == 0 && parts[0].scale == 1 && parts[0].tilt == Tilt{}) parts.clear();  // a normal one
  return out;
}

// The column that a combination is.
std::optional<Index> only_column(const Vector& combination) {
  Index j = 0;
  const bool is_one = combination.maxCoeff(&j) == 1 && (combination.array() != 0).count() == 1;
  return is_one ? std::optional(j) : std::nullopt;
}

}  // namespace

std::vector<TiltedParts> tilted_marginals(FittedRows fit, const Matrix& combinations) {
  using Kind = CovarianceFactor::Kind;
  const Index n = fit.X.rows(), q = fit.X.cols(), count = combinations.cols();
  if (fit.factor.kind != Kind::triangular && fit.factor.kind != Kind::reduced) return {};
  const std::optional<RowsAtFit> at = rows_at(fit.likelihood, fit.q.m, fit.q.s);
  const double once = work_of(1, n, q);
  if (once > most_multiplications) fit.groups.clear();
  if (!at || (fit.groups.empty() && is_normal(*at, fit))) return {};
  const Matrix V = fit.factor.covariance(q);
  std::vector<PrecisionGroup> groups, without_effects;
  for (PrecisionGroup& group : fit.groups) (has_effects(group, fit.q.w, V) ? groups : without_effects).push_back(std::move(group));
  fit.groups = groups;
  if (most_precisions * once > most_multiplications) without_effects.clear();
  if (without_effects.empty() && is_normal(*at, fit)) return {};
  Matrix directions(q, count);
  Vector sd(count);
  for (Index j = 0; j < count; ++j) {
    const std::optional<Index> column = only_column(combinations.col(j));
    directions.col(j) = column ? Vector(V.col(*column)) : V * combinations.col(j);
    sd[j] = std::sqrt(std::max(combinations.col(j).dot(directions.col(j)), 0.0));
    directions.col(j) *= sd[j] > 0 ? 1 / sd[j] : 0;
  }
  FirstOrder first = first_order(*at, fit.q.s, count,
                                 [&](Index from, Index some, Matrix& C) { fit.X.apply_several(directions.middleCols(from, some), C); });
  for (const PrecisionGroup& group : fit.groups)
    for (Index j = 0; j < count; ++j) {
      const Vector d = directions.col(j)(group.columns);
      first.end[j] += end_of_precision(group.precision * d.dot(fit.q.w(group.columns)), group.precision * d.squaredNorm(), group.shape);
    }
  const auto work = [&] { return work_of(static_cast<Index>(not_normal(first).size()), n, q); };
  if (without_effects.empty() && work() == 0) return {};

  std::vector<TiltedParts> out(static_cast<std::size_t>(count));
  const auto take = [&](const std::vector<Tilt>& tilts) {
    for (std::size_t j = 0; j < out.size(); ++j)
      if (tilts[j] != Tilt{}) out[j].push_back({.tilt = tilts[j]});
  };
  if (without_effects.empty() && work() > most_multiplications) {
    take(third_orders(first));
    return out;
  }
  const Matrix root = root_of(fit.factor, V);
  Matrix R;
  fit.X.apply_several(root.transpose(), R);
  for (const PrecisionGroup& group : without_effects) {
    std::vector<PrecisionGroup> all = groups;
    all.push_back(group);
    Conditional with_group(fit.likelihood, fit.q, all, *at, root, R);
    std::vector<Index> which;  // combinations with its columns
    for (Index j = 0; j < count; ++j)
      if ((combinations.col(j)(group.columns).array() != 0).any()) which.push_back(j);
    const std::vector<GivenPrecision> given = with_group.given_precisions(all.size() - 1);
    std::vector<TiltedParts> averaged = average_over(given, fit, groups, combinations(Eigen::all, which), sd(which));
    for (std::size_t i = 0; i < averaged.size(); ++i) {
      out[static_cast<std::size_t>(which[i])] = std::move(averaged[i]);
      first.end[which[i]] = 0;  // no other tilt
    }
  }
  if (work() > most_multiplications) {
    take(third_orders(first));
  } else if (work() > 0) {
    Matrix along = root * combinations;
    for (Index j = 0; j < count; ++j) along.col(j) *= sd[j] > 0 ? 1 / sd[j] : 0;
    take(tilts_along(Conditional(fit.likelihood, fit.q, fit.groups, *at, root, R), first, along, work()));
  }
  if (std::ranges::all_of(out, [](const TiltedParts& one) { return one.empty(); })) return {};
  return out;
}

}  // namespace ardvark::internal
