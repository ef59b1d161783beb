#include "method/sweep/marginals.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/rearrange.hpp"
#include "design/dense.hpp"

namespace ardvark::internal {
namespace {

using Tilt = TiltedNormal::Tilt;

constexpr double most_multiplications = 1e9;  // some tenths of a second: beyond, the third order alone is taken
constexpr double negligible = 0.01;           // sd, of an end of a 95% interval
// Nats for the weights of a group, against zeros. With less, the posterior of its precision has a second maximum, without effects, and no
// smooth marginal holds both.                                                                                                  (SKEW.7)
constexpr double least_for_effects = 2;
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
  double expected = 0;  // log likelihood
};

std::optional<RowsAtFit> rows_at(const Likelihood& likelihood, const Vector& m, const Vector& s) {
  constexpr double h = 1e-4;  // its error is h^2 of that of the third order
  const Index n = m.size();
  Rows rows{Vector(n), Vector(n)}, above = rows, below = rows;
  const std::optional<double> expected = likelihood.expected_at(m, s, rows);
  if (!expected) return {};
  if (!likelihood.expected_at(m.array() + h, s, above) || !likelihood.expected_at(m.array() - h, s, below)) return {};
  return RowsAtFit{rows.omega, rows.r - rows.omega.cwiseProduct(m), (above.omega - below.omega) / (2 * h), *expected};
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
  double shape, precision;
  double expected;  // |w|^2 + tr V

  GroupAtFit(const PrecisionGroup& group, const Vector& all, const Matrix& root)
      : B(root(Eigen::all, group.columns).transpose()),
        square(B.transpose() * B),
        w(all(group.columns)),
        shape(group.shape),
        precision(group.precision),
        expected(w.squaredNorm() + B.squaredNorm()) {}

  // How much larger the rate of q(alpha) is where E|w|^2 has this value, as a share.
  [[nodiscard]] double growth(double square_there) const { return 0.5 * precision * (square_there - expected) / shape; }
};

// The conditional distributions given one combination z of the weights: eta = m + c z + R P theta, where theta has the distribution
// N(0, I) under q, and P takes out the direction of z.                                                                (SKEW.1), (SKEW.2)
class Conditional {
 public:
  Conditional(const FittedRows& fit, const RowsAtFit& at, const Matrix& root, const Matrix& R)
      : likelihood_(fit.likelihood), q_(fit.q), at_(at), R_(R), weighted_(gram(at.omega)) {
    for (const PrecisionGroup& group : fit.groups) groups_.emplace_back(group, fit.q.w, root);
  }

  /// \param a  of length 1: the direction of z. \param is_nearly_normal  whether fewer nodes are enough
  [[nodiscard]] Tilt tilt(const Vector& a, bool is_nearly_normal) const {
    const Along along{a, R_ * a, is_nearly_normal ? enough_nearly : enough_else};
    if (!is_nearly_normal) return TiltedNormal::through(values_at_nodes<TiltedNormal::degree + 1>(along));
    return TiltedNormal::through(values_at_nodes<5>(along));
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
    const double expected = likelihood_.expected_at(m, s, at.rows).value_or(std::numeric_limits<double>::quiet_NaN());
    at.value = expected - at_.slope.dot(move) + 0.5 * at_.omega.dot(move.cwiseAbs2() + s - q_.s) - 0.5 * z * z - 0.5 * at.mu.squaredNorm() +
               own;  // (SKEW.3)
    const Vector d = at.rows.r - at.rows.omega.cwiseProduct(m) - at_.slope + at_.omega.cwiseProduct(move);
    at.gradient = R_.transpose() * d - at.mu;
    at.stiffer.clear();
    for (const GroupAtFit& group : groups_) add_group(group, along, u, at);
    at.gradient -= along.a * along.a.dot(at.gradient);
  }

  // The best q(alpha) given z, in place of that of the fit.                                                                    (SKEW.7)
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
    const double growth = group.growth(square);
    at.value += group.shape * (growth - std::log1p(growth));
    at.stiffer.push_back(-group.precision * growth / (1 + growth));
    at.gradient -= at.stiffer.back() * (group.B.transpose() * w);
  }

  // max over mu and W, up to what is left by a last step that gains little.                                            (SKEW.3), (SKEW.4)
  [[nodiscard]] double log_density(const Along& along, double z) const {
    constexpr int most_steps = 30;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const Index r = R_.cols();
    Point now{Vector::Zero(r), {}, 0, {}, {}, {}};
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
      if (!(gain > along.enough)) return now.value + gain;
      if (!take_step(along, z, H, change, now)) return nan;
    }
    return nan;
  }

  // A step that is shortened until the bound rises.
  [[nodiscard]] bool take_step(const Along& along, double z, const Matrix& H, const Vector& change, Point& now) const {
    const Index r = R_.cols();
    const Matrix precision = now.L.size() > 0 ? Matrix(now.L.triangularView<Eigen::Lower>() * now.L.transpose()) : Matrix::Identity(r, r);
    for (double part = 1; part > 1e-4; part *= 0.5) {
      Point next;
      next.mu = now.mu + part * change;
      if (!factor((1 - part) * precision + part * H, next.L)) return false;
      evaluate(along, z, next);
      if (!(next.value > now.value)) continue;
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
FirstOrder first_order(const FittedRows& fit, const RowsAtFit& at, const Matrix& directions) {
  const Index n = fit.X.rows(), count = directions.cols(), block = std::max<Index>(1, (Index{1} << 22) / std::max<Index>(n, 1));
  const Vector spread = (at.omega.array() > 0).select(at.third.cwiseAbs2().cwiseProduct(fit.q.s).cwiseQuotient(at.omega), 0.0);
  FirstOrder out{Vector(count), Vector(count)};
  Matrix C;
  for (Index first = 0; first < count; first += block) {
    pulse();
    const Index some = std::min(block, count - first);
    fit.X.apply_several(directions.middleCols(first, some), C);
    for (Index j = 0; j < some; ++j) {
      out.skewness[first + j] = -at.third.dot(C.col(j).cwiseAbs2().cwiseProduct(C.col(j)));
      out.end[first + j] = end_of_third(std::abs(out.skewness[first + j])) + end_of_spread(spread.dot(C.col(j).cwiseAbs2()));
      for (const PrecisionGroup& group : fit.groups) {
        const Vector d = directions.col(first + j)(group.columns);
        out.end[first + j] +=
            end_of_precision(group.precision * d.dot(fit.q.w(group.columns)), group.precision * d.squaredNorm(), group.shape);
      }
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

}  // namespace

std::vector<Tilt> tilted_marginals(FittedRows fit, const Matrix& combinations) {
  using Kind = CovarianceFactor::Kind;
  const Index n = fit.X.rows(), q = fit.X.cols(), count = combinations.cols();
  if (fit.factor.kind != Kind::triangular && fit.factor.kind != Kind::reduced) return {};
  const std::optional<RowsAtFit> at = rows_at(fit.likelihood, fit.q.m, fit.q.s);
  if (!at || is_normal(*at, fit)) return {};
  const Matrix V = fit.factor.covariance(q);
  std::erase_if(fit.groups, [&](const PrecisionGroup& group) { return !has_effects(group, fit.q.w, V); });
  Matrix directions = V * combinations;
  Vector sd(count);
  for (Index j = 0; j < count; ++j) {
    sd[j] = std::sqrt(std::max(combinations.col(j).dot(directions.col(j)), 0.0));
    directions.col(j) *= sd[j] > 0 ? 1 / sd[j] : 0;
  }
  const FirstOrder first = first_order(fit, *at, directions);
  std::vector<Index> which;
  for (Index j = 0; j < count; ++j)
    if (first.end[j] >= negligible) which.push_back(j);
  if (which.empty()) return {};

  std::vector<Tilt> out(static_cast<std::size_t>(count), Tilt{});
  const auto rows = static_cast<double>(n), columns = static_cast<double>(q), some = static_cast<double>(which.size());
  const double work = 4 * some * rows * columns * columns;
  if (!(work <= most_multiplications)) {
    for (const Index j : which)
      if (const Tilt third{-0.5 * first.skewness[j], 0, first.skewness[j] / 6}; is_density(third)) out[static_cast<std::size_t>(j)] = third;
    return out;
  }
  const Matrix root = root_of(fit.factor, V);
  Matrix R;
  fit.X.apply_several(root.transpose(), R);
  const Index threads = blas::threads_for(work);
  const blas::ThreadScope one{blas::ThreadScope::OursAlone{}};
  const Conditional conditional(fit, *at, root, R);
  parallel_for(static_cast<Index>(which.size()), threads, [&](Index i) {
    const Index j = which[static_cast<std::size_t>(i)];
    const Tilt tilt = conditional.tilt(root * combinations.col(j) / sd[j], first.end[j] < nearly);
    if (is_density(tilt)) out[static_cast<std::size_t>(j)] = tilt;
  });
  return out;
}

}  // namespace ardvark::internal
