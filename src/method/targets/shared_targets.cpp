#include "method/targets/shared_targets.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/eigenvalue_sums.hpp"
#include "core/normals.hpp"
#include "core/parallel.hpp"
#include "method/sweep/sweep_choice.hpp"

namespace ardvark::internal {
namespace {

SharedBasis rows_of(const Frame& frame) {
  SharedBasis out;
  out.intercept = frame.units.standardization.intercept;
  out.rows = frame.rows;
  out.root_weight = frame.k.cwiseSqrt();
  return out;
}

// Z of (TGT.1): the columns with a prior, times the roots of the weights, without what the intercept explains.
Matrix weighted_columns(const Frame& frame, const std::vector<Index>& penalised, SharedBasis& basis) {
  const auto p = static_cast<Index>(penalised.size());
  const auto design = frame.design();
  Matrix Z(design->rows(), p);
  if (p == frame.num_columns()) {
    design->columns(0, p, Z);
  } else {
    for (Index i = 0; i < p; ++i) design->columns(penalised[static_cast<std::size_t>(i)], 1, Z.col(i));
  }
  basis.mean = Vector::Zero(p);
  if (basis.intercept) {
    basis.mean = Z.transpose() * frame.k / basis.rows;  // (RIDGE.7)
    Z.rowwise() -= basis.mean.transpose();
  }
  for (Index j = 0; j < p; ++j) Z.col(j).array() *= basis.root_weight.array();
  if (basis.flat.cols() > 0) Z -= basis.flat * (basis.flat.transpose() * Z);
  return Z;
}

void take_flat_columns(const Frame& frame, const std::vector<Index>& flat, SharedBasis& basis) {
  basis.log_det_flat = basis.intercept ? std::log(basis.rows) : 0.0;
  basis.flat = Matrix(frame.X.rows(), std::ssize(flat));
  if (flat.empty()) return;
  const auto design = frame.design();
  for (Index i = 0; i < basis.flat.cols(); ++i) design->columns(flat[static_cast<std::size_t>(i)], 1, basis.flat.col(i));
  if (basis.intercept) basis.flat.rowwise() -= (basis.flat.transpose() * frame.k / basis.rows).transpose();
  basis.flat = basis.root_weight.asDiagonal() * basis.flat;
  const Eigen::HouseholderQR<Matrix> qr(basis.flat);
  basis.log_det_flat += 2 * qr.matrixQR().diagonal().array().abs().log().sum();
  basis.flat = qr.householderQ() * Matrix::Identity(basis.flat.rows(), basis.flat.cols());
}

// Of so many degrees of freedom, whose number need not be whole.
double chi_square(double degrees, Normals& random) {
  constexpr double many = 200;
  if (degrees > many) {  // the cube root is nearly normal: Wilson and Hilferty (1931)
    const double spread = 2 / (9 * degrees), root = 1 - spread + std::sqrt(spread) * random();
    return degrees * root * root * root;
  }
  double out = 0;
  for (double left = degrees; left > 0; left -= 1) {
    const double z = random();
    out += std::min(left, 1.0) * z * z;
  }
  return out;
}

// A partition of as few columns as have the same sweeps: one stands for all that share the precision, and the intercept.
Partition short_partition(const Partition& all) {
  Partition out;
  out.group_size = all.group_size;
  if (all.num_groups() > 0) out.group.push_back(0);
  if (all.num_flat() > 0) {
    out.flat_columns.push_back(out.num_columns());
    out.group.push_back(Partition::flat);
  }
  return out;
}

}  // namespace

Vector SharedBasis::beside(const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& c) const {
  Vector out = y;
  blas::gemv(blas::Transpose::no, y.size(), c.size(), -1.0, projection.data(), y.size(), c.data(), 1.0, out.data());
  return out;
}

std::optional<LeastSquares> decompose_least_squares(const Frame& frame, const std::vector<Index>& columns) {
  LeastSquares out{rows_of(frame), {}};
  take_flat_columns(frame, {}, out.basis);
  Matrix Z = weighted_columns(frame, columns, out.basis);
  const Index n = Z.rows(), p = Z.cols();
  if (n < p) return {};
  const Vector lengths = Z.colwise().norm();
  Eigen::HouseholderQR<Eigen::Ref<Matrix>> qr(Z);
  out.R = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
  constexpr double least = 1e-6;  // ten digits of a coefficient are left
  if ((out.R.diagonal().array().abs() < least * lengths.array()).any() || !out.R.allFinite()) return {};
  out.basis.log_det_flat += 2 * out.R.diagonal().array().abs().log().sum();
  out.basis.back = out.R.triangularView<Eigen::Upper>().solve(Matrix::Identity(p, p));
  out.basis.projection = qr.householderQ() * Matrix::Identity(n, p);
  out.basis.l = Vector::Ones(p);
  return out;
}

std::optional<SharedBasis> decompose_shared(const Frame& frame, const std::vector<Index>& penalised, const std::vector<Index>& flat) {
  SharedBasis basis = rows_of(frame);
  take_flat_columns(frame, flat, basis);
  const Matrix Z = weighted_columns(frame, penalised, basis);
  const Index n = Z.rows(), p = Z.cols();
  basis.dual = p > n;
  const Index r = std::min(n, p);
  Matrix Q = Matrix::Zero(r, r);
  basis.l = Vector::Zero(r);
  if (r > 0) {
    blas::syrk(basis.dual ? blas::Transpose::no : blas::Transpose::yes, r, basis.dual ? p : n, 1.0, Z.data(), n, 0.0, Q.data(), r);
    constexpr double most_ratio = 1e8;  // of squared sizes, as in the spectral solver
    basis.sizes_differ = !basis.dual && (Q.diagonal().array() * most_ratio < Q.diagonal().maxCoeff()).any();
    if (!blas::syevd(r, Q.data(), r, basis.l.data()) || !basis.l.allFinite()) return {};
    basis.l = basis.l.cwiseMax(0.0);
  }
  Matrix other(basis.dual ? p : n, r);
  if (r > 0)
    blas::gemm(basis.dual ? blas::Transpose::yes : blas::Transpose::no, blas::Transpose::no, other.rows(), r, basis.dual ? n : p, 1.0,
               Z.data(), n, Q.data(), r, 0.0, other.data(), other.rows());
  basis.projection = basis.dual ? std::move(Q) : std::move(other);
  basis.back = basis.dual ? std::move(other) : std::move(Q);
  return basis;
}

EffectSizes::EffectSizes(const SharedBasis& basis) : degrees_(basis.degrees()) {
  // What a size adds to the expected square of the target, in variances of the noise: from two standard deviations of what noise adds
  // there.
  const double total = basis.l.sum();
  const double directions = std::max(1.0, total * total / std::max(basis.l.squaredNorm(), 1e-300));
  const Index count = total > 0 ? most : 0;
  share_ = Matrix(count, basis.l.size());
  log_det_ = Vector(count);
  double added = 2 * std::sqrt(2 * directions);
  for (Index g = 0; g < count; ++g, added *= 2) {
    const double size = added / total;
    const Eigen::ArrayXd widened = 1 + size * basis.l.array();
    log_det_[g] = widened.log().sum();
    share_.row(g) = (size / widened).matrix().transpose();
    if (basis.dual) share_.row(g).array() *= basis.l.array().transpose();
  }
  constexpr double rounding = 1e-12;
  const Eigen::ArrayXd length = basis.dual ? Eigen::ArrayXd::Ones(basis.l.size()) : Eigen::ArrayXd(basis.l.array().sqrt());
  spread_ = (basis.l.array() > rounding * basis.largest()).select(length, 0.0);
}

Matrix EffectSizes::explained(const Eigen::Ref<const Matrix>& c) const {
  const Matrix squares = c.cwiseAbs2();
  Matrix out = Matrix::Zero(count(), c.cols());
  if (count() > 0)
    blas::gemm(blas::Transpose::no, blas::Transpose::no, count(), c.cols(), c.rows(), 1.0, share_.data(), count(), squares.data(), c.rows(),
               0.0, out.data(), count());
  return out;
}

Vector EffectSizes::log_bayes(double square, const Eigen::Ref<const Vector>& explained, GammaDistribution noise) const {
  const double shape = noise.shape + 0.5 * degrees_, without = noise.rate + 0.5 * square;
  Vector out(count());
  for (Index g = 0; g < out.size(); ++g) {
    const double left = noise.rate + 0.5 * std::max(square - explained[g], 1e-13 * square);
    out[g] = -0.5 * log_det_[g] - shape * std::log(left / without);
  }
  return out;
}

Matrix EffectSizes::log_bayes_of_noise(Index count, GammaDistribution noise) const {
  constexpr Index block = 256;
  const Index r = spread_.size();
  const double beside = std::max(0.0, degrees_ - static_cast<double>((spread_.array() > 0).count()));
  Matrix out(log_det_.size(), count);
  parallel_for((count + block - 1) / block, blas::num_threads(), [&](Index i) {
    Normals random(static_cast<std::uint64_t>(i));
    const Index first = i * block, some = std::min(block, count - first);
    Matrix c(r, some);
    Vector square(some);
    for (Index k = 0; k < some; ++k) {
      square[k] = chi_square(beside, random);
      for (Index j = 0; j < r; ++j) {
        const double z = spread_[j] > 0 ? random() : 0.0;
        c(j, k) = spread_[j] * z;
        square[k] += z * z;
      }
    }
    const Matrix found = explained(c);
    for (Index k = 0; k < some; ++k) out.col(first + k) = log_bayes(square[k], found.col(k), noise);
  });
  return out;
}

// The solver of the sweeps of one target.                                                                        (TGT.2), (TGT.3)
class SharedTargets::Diagonal final : public Solver {
 public:
  explicit Diagonal(const SharedBasis& basis)
      : basis_(basis), energy_(basis.l.size()), moved_(basis.l.size()), base_((basis.l.array() + basis.reference()).inverse()) {}

  void take(const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& c) {
    energy_ = c.cwiseAbs2();
    rest_ = 0;
    if (basis_.dual) return;
    const double square = y.squaredNorm(), reference = basis_.reference();
    rest_ = square - (energy_.array() * (basis_.l.array() + 2 * reference) * base_.square()).sum();
    if (energy_.size() == 0 || rest_ >= 1e-4 * square) return;
    // The difference has lost digits: the residuals themselves.                                                              (TGT.3)
    moved_ = c.array() * base_;
    rest_ = basis_.beside(y, moved_).squaredNorm();
  }

  [[nodiscard]] SolverKind kind() const override { return SolverKind::spectral; }

  [[nodiscard]] bool solve(const Rows&, const Vector& precisions, Posterior& q) override {
    const auto flat = static_cast<double>(basis_.intercept ? 1 : 0), p = static_cast<double>(basis_.num_columns());
    q.log_det_V = basis_.intercept ? -std::log(basis_.rows) : 0.0;
    q.residual = rest_;
    q.penalty = 0;
    q.explained = flat;
    if (basis_.l.size() == 0) return true;
    const double a = precisions[0], largest = basis_.largest() + a;
    if (!(basis_.l[0] + a >= std::numeric_limits<double>::min() && largest <= std::numeric_limits<double>::max())) return false;
    const double beside = p - static_cast<double>(basis_.l.size());  // directions that no row determines
    const EigenvalueSums sums = eigenvalue_sums(basis_.l.data(), energy_.data(), a, basis_.l.size());
    const double variance = beside / a + sums.inverse;
    q.log_det_V -= beside * std::log(a) + sums.log_sum;
    double square;
    if (basis_.dual) {
      square = sums.weighted;
      q.residual = a * a * sums.square;
    } else {
      const double reference = basis_.reference();
      moved_ = (a - reference) * base_ / (basis_.l.array() + a);
      q.residual += (energy_.array() * moved_.array() * (2 * reference * base_ + basis_.l.array() * moved_.array())).sum();
      square = sums.square;
    }
    q.group_square[0] = square;
    q.group_variance[0] = variance;
    q.penalty = a * square;
    q.explained += p - a * variance;
    return std::isfinite(q.log_det_V) && std::isfinite(square);
  }

  // What sweeps do not ask for: weights and their variances are computed for many targets at once.
  [[nodiscard]] bool finish(const Rows&, const Vector&, Posterior&) override { throw InternalError("no weights of one target"); }
  [[nodiscard]] Vector precision_diagonal(const Posterior&) override { throw InternalError("no weights of one target"); }
  [[nodiscard]] double variance_of(const Vector&) override { throw InternalError("no weights of one target"); }
  [[nodiscard]] CovarianceFactor factor() override { throw InternalError("no weights of one target"); }

 private:
  const SharedBasis& basis_;
  Vector energy_;        // [r] c^2
  Vector moved_;         // [r]
  Eigen::ArrayXd base_;  // [r] 1/(l + reference)
  double rest_ = 0;      // squared length of the residuals at the reference precision
};

SharedTargets::SharedTargets(const SharedBasis& basis, const PreparedPrior& prior, const FitOptions& options, Index num_columns)
    : basis_(basis), solver_(std::make_unique<Diagonal>(basis)), prior_(prior) {
  const Gaussian likelihood(Vector::Zero(1), Vector::Constant(1, basis.rows), 1, 1, prior.partition.num_flat(), basis.num_columns());
  settings_ = sweep_settings(options, Task::linear, likelihood.traits(), basis.rows, num_columns);
  settings_.record_every = 0;
  Partition partition = short_partition(prior.partition);
  unnamed_ = static_cast<double>(basis.num_columns() + prior.partition.num_flat() - partition.num_columns());
  start_.emplace(std::move(partition), prior.shape, prior.rate, UpdateRule::vb);
  if (!options.start_precision.empty() && prior.partition.num_groups() > 0)
    start_->set_expected(Vector::Constant(1, options.start_precision.front()));
}

SharedTargets::~SharedTargets() = default;

SharedFit SharedTargets::fit(const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& c, GammaDistribution noise) {
  solver_->take(y, c);
  // The likelihood reads the rows by their sums only: one row with the weight of all.                                          (LIN.6)
  Gaussian likelihood(Vector::Zero(1), Vector::Constant(1, basis_.rows), noise.shape, noise.rate, prior_.partition.num_flat(),
                      basis_.num_columns());
  PrecisionPrior precisions = *start_;
  Posterior q;
  q.w = q.V_diagonal = Vector::Zero(precisions.partition().num_columns());
  q.group_square = q.group_variance = Vector::Zero(precisions.partition().num_groups());
  const SweepOutcome outcome = sweep(likelihood, precisions, *solver_, q, settings_);
  SharedFit out;
  out.status = outcome.status;
  out.sweeps = outcome.sweeps;
  out.precision = outcome.expected.size() > 0 ? outcome.expected[0] : std::numeric_limits<double>::quiet_NaN();
  out.bound = outcome.bound + 0.5 * unnamed_;  // (BOUND.1) has one half for each column
  out.noise = likelihood.noise();
  out.residual = q.residual;
  out.explained = std::max(q.explained, 0.0);
  return out;
}

}  // namespace ardvark::internal
