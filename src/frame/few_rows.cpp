#include "frame/few_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/blas.hpp"
#include "core/eigen_solvers.hpp"
#include "core/special.hpp"
#include "frame/noise_prior.hpp"
#include "frame/precision_average.hpp"
#include "frame/prior_partition.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

double share_of_few_rows(double num_rows) { return std::clamp((60 - num_rows) / 30, 0.0, 1.0); }

bool integrates_few_rows(Task task, const FitOptions& options, double num_rows) {
  const PriorKind kind = options.prior.kind;
  const bool is_asked = kind == PriorKind::shared || kind == PriorKind::groups || kind == PriorKind::ard || kind == PriorKind::laplace;
  const bool has_draws = options.solver == SolverKind::iterative;  // whose variances have errors that the fit reports
  return has_noise(task) && is_asked && !has_draws && options.integrate_few_rows && options.preset.empty() && !options.compat &&
         options.prior.fixed_columns.empty() && share_of_few_rows(num_rows) > 0;
}

namespace {

struct Columns {
  std::vector<Index> penalised, flat;  // of the design
};

Columns columns_of(const Solution& solution) {
  Columns out{{}, solution.flat};
  for (std::size_t j = 0; j < solution.group.size(); ++j)
    if (solution.group[j] != Partition::left_out && solution.group[j] != Partition::flat) out.penalised.push_back(static_cast<Index>(j));
  return out;
}

// Columns and target times the roots of the weights, minus their regression on the flat columns.
// (RIDGE.7)
struct Explained {
  Matrix Z;        // [n, penalised]
  Vector u;        // [n]
  Matrix B, root;  // [flats, penalised], [flats, flats]: root'root = H^-1
};

Explained explained(const Frame& frame, const Columns& columns) {
  const Vector k = frame.k.cwiseSqrt();
  Matrix X(k.size(), frame.num_columns() + (frame.units.standardization.intercept ? 1 : 0));
  frame.design()->columns(0, X.cols(), X);
  const Matrix F = k.asDiagonal() * X(Eigen::all, columns.flat);
  Explained out{k.asDiagonal() * X(Eigen::all, columns.penalised), k.cwiseProduct(frame.target), {}, {}};
  const Index f = F.cols();
  out.B = Matrix::Zero(f, out.Z.cols());
  out.root = Matrix::Identity(f, f);
  if (f == 0) return out;
  const Eigen::LLT<Matrix> H(Matrix(F.transpose() * F));
  out.B = H.solve(F.transpose() * out.Z);
  out.Z -= F * out.B;
  out.u -= F * H.solve(F.transpose() * out.u);
  H.matrixL().solveInPlace(out.root);
  return out;
}

// Each column is divided by the root of its precision, relative to the others. A vague hyper-prior says nothing of the units: precisions of
// columns that are not standardised then differ as their mean squares do, under ard and laplace; those of groups as the groups' do.
Vector scales_of(const Frame& frame, const Columns& columns, const Matrix& Z, GammaDistribution& precision) {
  const FitOptions& options = frame.options;
  const PriorKind kind = options.prior.kind;
  const Index p = Z.cols();
  precision = options.precision;
  Vector scale = Vector::Ones(p);
  if (kind == PriorKind::shared && options.prior.hyperprior.empty()) return scale;
  if (kind != PriorKind::laplace && !options.prior.hyperprior.empty()) {
    const PreparedPrior prior = prepare_prior(options, frame.num_columns(), frame.left_out);
    precision = {prior.shape.mean(), prior.rate.mean()};
    if (!((prior.shape.array() > 0).all() && (prior.rate.array() > 0).all())) return scale;
    for (Index i = 0; i < p; ++i) {
      const Index g = prior.partition.group[static_cast<std::size_t>(columns.penalised[static_cast<std::size_t>(i)])];
      scale[i] = std::sqrt(prior.rate[g] / prior.shape[g] * precision.mean());
    }
    return scale;
  }
  if (options.standardize || !(precision.shape < 1)) return scale;
  const Vector square = Z.colwise().squaredNorm().transpose() / frame.rows;
  std::vector<Index> group(static_cast<std::size_t>(p), 0);
  if (kind != PriorKind::laplace) {
    const PreparedPrior prior = prepare_prior(options, frame.num_columns(), frame.left_out);
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = prior.partition.group[static_cast<std::size_t>(columns.penalised[i])];
  }
  for (Index i = 0; i < p; ++i) {
    double sum = 0;
    Index count = 0;
    for (Index j = 0; j < p; ++j)
      if (group[static_cast<std::size_t>(j)] == group[static_cast<std::size_t>(i)]) sum += square[j], ++count;
    if (sum > 0) scale[i] = std::sqrt(static_cast<double>(count) / sum);
  }
  return scale;
}

// V_ZZ = diag(d) - T'T + U'U over the penalised columns, and the noise.
struct Spread {
  double noise = 0;
  Vector d;
  Matrix T, U;
  double log_det = 0;  // of V_ZZ
};

// Z = U diag(values) Q', with the target along U.
struct Decomposed {
  Vector values, z;  // [r] descending, > 0
  Matrix Q;          // [p, r]
  double rest = 0;   // squared length of the target beside U
};

// A triangle has the same values. The decomposition of a square matrix allocates nothing beside its result: core/resize.hpp.
Decomposed decompose(const Matrix& Z, const Vector& u) {
  const Index n = Z.rows(), p = Z.cols(), size = std::min(n, p);
  const bool is_tall = n > p;
  Matrix all = is_tall ? Matrix(n, p + 1) : Matrix(Z.transpose());
  if (is_tall) all << Z, u;
  blas::triangularise(all.rows(), all.cols(), all.data(), all.rows());
  const Matrix R = all.topLeftCorner(size, size).triangularView<Eigen::Upper>();
  const Vector target = is_tall ? Vector(all.col(p).head(p)) : u;
  const Matrix square = is_tall ? R : Matrix(R.transpose());
  const Eigen::JacobiSVD<Matrix, Eigen::NoQRPreconditioner> svd(square, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector& values = svd.singularValues();
  const double rounding = 16 * static_cast<double>(std::max(n, p)) * std::numeric_limits<double>::epsilon();
  Index r = 0;
  while (r < size && values[r] > rounding * values[0]) ++r;
  const Matrix U = svd.matrixU().leftCols(r);
  Decomposed out{values.head(r), U.transpose() * target, {}, 0};
  out.rest = (target - U * out.z).squaredNorm() + (is_tall ? all(p, p) * all(p, p) : 0.0);
  out.Q = is_tall ? Matrix(svd.matrixV().leftCols(r)) : Matrix(Z.transpose() * U * out.values.cwiseInverse().asDiagonal());
  return out;
}

// Half of the squared distance between m and the mean of the exact posterior: an interval about m needs no more to hold 95%.     (LIN.9)
constexpr double share_of_distance = 0.5;

// ln|Q diag(given) Q' + unknown (I - QQ') + Q moments Q' + distance distance'|.                                                  (LIN.9)
// d - T'T is exact to the last digit of `unknown` only.
double log_det_of(const PrecisionAverage& exact, const Matrix& moments, const Matrix& Q, const Vector& distance) {
  const Vector root = (exact.given + moments.diagonal()).cwiseSqrt();
  Matrix C = moments;
  C.diagonal() += exact.given;
  const Eigen::LLT<Matrix> L(root.cwiseInverse().asDiagonal() * C * root.cwiseInverse().asDiagonal());
  const Vector along = Q.transpose() * distance, beside = distance - Q * along;
  double length = L.matrixL().solve(root.cwiseInverse().cwiseProduct(along)).squaredNorm();
  double out = 2 * (root.array().log().sum() + Matrix(L.matrixL()).diagonal().array().log().sum());
  if (const Index rest = Q.rows() - Q.cols(); rest > 0) {
    out += static_cast<double>(rest) * std::log(exact.unknown);
    length += beside.squaredNorm() / exact.unknown;
  }
  return out + std::log1p(length);
}

// The covariance of the exact posterior for one precision, and a share of the squared distance of its mean from m, as a squared scale.
Spread spread_about(const Vector& m, const Explained& rows, const Vector& scale, SpectralSums sums) {
  const Matrix Z = rows.Z * scale.asDiagonal();
  const Decomposed found = decompose(Z, rows.u);
  const Index p = Z.cols(), r = found.values.size();
  if (r == 0 || !found.values.allFinite()) return {};
  const Matrix& Q = found.Q;
  sums.l = found.values.cwiseAbs2();
  sums.z = found.z;
  sums.rest = found.rest;
  const bool is_whole = r == p;
  const PrecisionAverage exact = average_over_precision(sums, !is_whole);
  if (!(exact.noise > 0 && std::isfinite(exact.noise))) return {};

  const double degrees = 2 * sums.shape, of_moments = degrees > 2 ? (degrees - 2) / degrees : 0;
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(exact.moves * exact.moves.transpose());
  Spread out{exact.noise, Vector::Zero(p), Matrix(is_whole ? 0 : r, p), Matrix(2 * r + 1, p)};
  out.U.topRows(r) = exact.given.cwiseSqrt().asDiagonal() * Q.transpose();
  if (!is_whole) {
    out.d.setConstant(exact.unknown);
    out.T = std::sqrt(exact.unknown) * Q.transpose();
    const double rounding = 64 * static_cast<double>(r) * std::numeric_limits<double>::epsilon();
    for (Index j = 0; j < p; ++j)  // a column that the rows know whole: the difference would be rounding
      if (1 - Q.row(j).squaredNorm() < rounding) out.d[j] = 0, out.T.col(j).setZero();
  }
  const Vector distance = std::sqrt(share_of_distance * of_moments) * (m.cwiseQuotient(scale) - Q * exact.mean);
  out.log_det = log_det_of(exact, of_moments * exact.moves * exact.moves.transpose(), Q, distance) + 2 * scale.array().log().sum();
  const Vector lengths = (of_moments * axes.eigenvalues().array().max(0.0)).sqrt();
  out.U.middleRows(r, r) = lengths.asDiagonal() * axes.eigenvectors().transpose() * Q.transpose();
  out.U.row(2 * r) = distance.transpose();
  out.d = out.d.cwiseProduct(scale.cwiseAbs2());
  out.T = out.T * scale.asDiagonal();
  out.U = out.U * scale.asDiagonal();
  return out;
}

void append_rows(const Matrix& more, Matrix& all) {
  const Index before = all.rows();
  all.conservativeResize(before + more.rows(), Eigen::NoChange);
  all.bottomRows(more.rows()) = more;
}

// Adds `share` times V_ZZ from the factor of the method.
void add(double share, const CovarianceFactor& factor, const std::vector<Index>& penalised, Spread& spread) {
  const auto p = static_cast<Index>(penalised.size());
  const double root = std::sqrt(share);
  std::vector<Index> place;  // in the factor, of the penalised columns that it has
  std::vector<Index> here;
  for (Index i = 0; i < p; ++i) {
    const Index j = penalised[static_cast<std::size_t>(i)];
    const auto at = std::lower_bound(factor.columns.begin(), factor.columns.end(), j);
    if (!factor.columns.empty() && (at == factor.columns.end() || *at != j)) continue;
    place.push_back(factor.columns.empty() ? j : at - factor.columns.begin());
    here.push_back(i);
  }
  const auto scattered = [&](const Matrix& M) {
    Matrix out = Matrix::Zero(M.rows(), p);
    out(Eigen::all, here) = root * M(Eigen::all, place);
    return out;
  };
  if (factor.kind == CovarianceFactor::Kind::triangular) {
    append_rows(scattered(factor.L_inverse), spread.U);
  } else {
    spread.d(here) += share * factor.d(place);
    append_rows(scattered(factor.T), spread.T);
    if (factor.U.rows() > 0) append_rows(scattered(factor.U), spread.U);
  }
}

double log_det(const Spread& spread) {
  const Index t = spread.T.rows(), u = spread.U.rows(), p = spread.d.size();
  if (!(spread.d.array() > 0).all()) {
    Matrix V = spread.U.transpose() * spread.U - spread.T.transpose() * spread.T;
    V.diagonal() += spread.d;
    return 2 * Matrix(Eigen::LLT<Matrix>(V).matrixL()).diagonal().array().log().sum();
  }
  Matrix W(t + u, p);  // ln|D + W'JW| = ln|D| + ln|I + J W D^-1 W'|
  W << spread.T, spread.U;
  Matrix M = W * spread.d.cwiseInverse().asDiagonal() * W.transpose();
  M.topRows(t) *= -1;
  M.diagonal().array() += 1;
  return spread.d.array().log().sum() + M.householderQr().matrixQR().diagonal().array().abs().log().sum();
}

// The factor of V over all columns of the design.
CovarianceFactor factor_of(const Spread& spread, const Explained& rows, const Columns& columns, Index num_columns) {
  CovarianceFactor out;
  out.kind = CovarianceFactor::Kind::reduced;
  out.flat_columns = columns.flat;
  out.d = Vector::Zero(num_columns);
  out.T = Matrix::Zero(spread.T.rows(), num_columns);
  out.U = Matrix::Zero(spread.U.rows(), num_columns);
  out.B = Matrix::Zero(rows.B.rows(), num_columns);
  out.d(columns.penalised) = spread.d;
  out.T(Eigen::all, columns.penalised) = spread.T;
  out.U(Eigen::all, columns.penalised) = spread.U;
  out.B(Eigen::all, columns.penalised) = rows.B;
  out.R = rows.root;
  return out;
}

// x'Vx for one row of the design.
double variance_at(const Vector& x, const CovarianceFactor& factor) {
  const Vector f = x(factor.flat_columns), z = x - factor.B.transpose() * f;
  return std::max((factor.d.array() * z.array().square()).sum() - (factor.T * z).squaredNorm(), 0.0) + (factor.U * z).squaredNorm() +
         (factor.R * f).squaredNorm();
}

void take_variances(const Frame& frame, const Columns& columns, const CovarianceFactor& factor, Solution& out) {
  const Vector beside = (factor.d - factor.T.colwise().squaredNorm().transpose()).cwiseMax(0.0);
  const Vector variance = beside + factor.U.colwise().squaredNorm().transpose();
  for (const Index j : columns.penalised) out.V_diagonal[j] = variance[j];
  for (const Index j : columns.flat) out.V_diagonal[j] = variance_at(Vector::Unit(factor.d.size(), j), factor);
  if (frame.units.standardization.intercept) out.origin_variance = variance_at(frame.origin(), factor);
}

}  // namespace

void integrate_few_rows(const Frame& frame, Solution& solution) {
  if (!solution.usable || !integrates_few_rows(frame.task, frame.options, frame.rows)) return;
  const Columns columns = columns_of(solution);
  const auto num_flat = static_cast<double>(columns.flat.size());
  const double share = share_of_few_rows(frame.rows);
  const bool has_factor = solution.factor.kind != CovarianceFactor::Kind::none;
  if (columns.penalised.empty() || (share < 1 && !has_factor)) return;

  const auto num_penalised = static_cast<Index>(columns.penalised.size());
  const GammaDistribution noise = noise_prior(frame, {frame.rows, static_cast<Index>(columns.flat.size()), num_penalised});
  const Explained rows = explained(frame, columns);
  SpectralSums sums;
  sums.shape = noise.shape + 0.5 * (frame.rows - num_flat);
  sums.noise_rate = noise.rate;
  const Vector scale = scales_of(frame, columns, rows.Z, sums.precision);
  Spread spread = spread_about(solution.w(columns.penalised), rows, scale, std::move(sums));
  if (!(spread.noise > 0)) return;

  const bool is_joint = solution.posterior == LinearPosterior::joint;
  const double before = solution.noise.rate / solution.noise.shape, unit = is_joint ? before : 1;  // V of the method times this is a scale
  spread.noise = share * spread.noise + (1 - share) * before;
  spread.d *= share, spread.T *= std::sqrt(share), spread.U *= std::sqrt(share);
  if (share < 1) add((1 - share) * unit, solution.factor, columns.penalised, spread);
  const double to_V = is_joint ? 1 / spread.noise : 1;
  spread.d *= to_V, spread.T *= std::sqrt(to_V), spread.U *= std::sqrt(to_V);

  CovarianceFactor factor = factor_of(spread, rows, columns, solution.w.size());
  factor.R *= std::sqrt(spread.noise * to_V);
  take_variances(frame, columns, factor, solution);
  solution.num_in_use = static_cast<Index>(columns.penalised.size() + columns.flat.size());
  const double log_det_Z = share < 1 ? log_det(spread) : spread.log_det + static_cast<double>(num_penalised) * std::log(to_V);
  solution.log_det_V = log_det_Z + 2 * factor.R.diagonal().array().abs().log().sum();
  const double shape = noise.shape + 0.5 * (frame.rows - num_flat);
  solution.noise = {shape, shape * spread.noise};
  if (!is_joint) solution.student_degrees = 2 * shape;
  solution.a = {};  // V is no longer (diag(a) + X'X)^-1
  if (has_factor) solution.factor = std::move(factor);
}

}  // namespace ardvark::internal
