#include "process/features.hpp"

#include <algorithm>
#include <cmath>

#include "core/products.hpp"
#include "core/special.hpp"

namespace ardvark::internal {

namespace {

constexpr double jitter = 1e-9;  // of the kernel of the centres, in units of h: it stays below the kernel itself

}  // namespace

Features::Features(const Covariance& covariance, const Matrix& centres, const Hyperparameters& theta, Index passes)
    : covariance_(covariance),
      h_(std::exp(theta[0])),
      theta_(theta),
      log_rho_(theta.tail(theta.size() - 1)),
      C_(covariance.scaled(centres, log_rho_)) {
  covariance.between(C_, C_, K_, &decline_);
  inverse_ = h_ * K_;
  inverse_.diagonal().array() += h_ * jitter;
  is_good_ = blas::potrf(size(), inverse_.data(), size()) && blas::trtri(size(), inverse_.data(), size());
  inverse_.triangularView<Eigen::StrictlyUpper>().setZero();
  constexpr Index most_kept = Index{1} << 23;  // numbers: 64 MiB
  if (const Index n = covariance_.num_rows(); passes > 2 && n * size_with_linear_part() <= most_kept)
    kept_.resize(static_cast<std::size_t>((n + rows_of_block - 1) / rows_of_block));
}

Matrix Features::relation_to(const Features& others) const {
  Matrix out = others.inverse_;
  static_cast<void>(blas::trtri(size(), out.data(), size()));
  return inverse_.triangularView<Eigen::Lower>() * out;
}

Matrix Features::evaluate(Index first, Index count, Matrix& Phi, Matrix* decline) const {
  const Index m = size();
  const auto inputs = covariance_.inputs().middleRows(first, count);
  Matrix A = covariance_.scaled(inputs, log_rho_);
  covariance_.between(A, C_, Phi, decline);
  Phi *= h_;
  blas::trmm(blas::Side::right, blas::Transpose::yes, count, m, inverse_.data(), m, Phi.data(), count);
  if (covariance_.has_linear_part()) {
    Phi.conservativeResize(count, size_with_linear_part());
    Phi.rightCols(Phi.cols() - m) = covariance_.linear_features(inputs, theta_);
  }
  return A;
}

void Features::add(const Matrix& Phi, const Vector& omega, const Vector& z, FeatureSums& to) const {
  const Index count = Phi.rows(), m = Phi.cols();
  const Vector oz = omega.cwiseProduct(z);
  to.f1 += Phi.transpose() * omega;
  to.fz += Phi.transpose() * oz;
  to.omega += omega.sum(), to.z += oz.sum(), to.zz += oz.dot(z);
  to.rest += omega.dot((h_ - Phi.leftCols(size()).rowwise().squaredNorm().array()).matrix());
  const Matrix weighted = omega.cwiseSqrt().asDiagonal() * Phi;
  blas::syrk(blas::Transpose::yes, m, count, 1.0, weighted.data(), count, 1.0, to.S.data(), m);
}

FeatureSums Features::sums(const Vector& omega, const Vector& z) const {
  return sum(FeatureSums(size_with_linear_part()), [&](FeatureSums& to, Index first, const Matrix& Phi) {
    add(Phi, omega.segment(first, Phi.rows()), z.segment(first, Phi.rows()), to);
  });
}

void Features::add_slope(const FeatureSlope& of, const FeatureBlock& block, const Vector& omega, const Vector& z, const Vector& k,
                         Vector& to) const {
  const Index count = block.Phi.rows(), m = size();
  Matrix M = products::times(block.Phi, of.Y);
  M += (z.array() - of.b).matrix() * of.v1.transpose();
  M.rowwise() += of.v0.transpose();
  M = omega.asDiagonal() * M;
  M += k * of.d_k.transpose();
  blas::trmm(blas::Side::right, blas::Transpose::no, count, m, inverse_.data(), m, M.data(), count);
  M *= h_;
  covariance_.add_slope(block.A, C_, block.decline, M, to);
}

Vector Features::slope_of_rows(const FeatureSlope& of, const Vector& omega, const Vector& z, const Vector& k) const {
  std::vector<Vector> lanes(static_cast<std::size_t>(num_lanes), Vector::Zero(covariance_.num_widths()));
  for_blocks(true, [&](Index lane, const FeatureBlock& block) {
    const Index first = block.first, count = block.Phi.rows();
    add_slope(of, block, omega.segment(first, count), z.segment(first, count), k.segment(first, count),
              lanes[static_cast<std::size_t>(lane)]);
  });
  Vector out = Vector::Zero(covariance_.num_widths());
  for (const Vector& lane : lanes) out += lane;
  return out;
}

Vector Features::slope_of_centres(const FeatureSlope& of) const {
  const Index m = size();
  Matrix M = of.G;
  blas::trmm(blas::Side::right, blas::Transpose::no, m, m, inverse_.data(), m, M.data(), m);
  blas::trmm(blas::Side::left, blas::Transpose::yes, m, m, inverse_.data(), m, M.data(), m);
  M *= h_;
  Vector out = Vector::Zero(covariance_.num_widths());
  covariance_.add_slope(C_, C_, decline_, M, out);
  return out;
}

FeatureSlope kernel_slope(const FeatureSums& sums, const SolvedFeatures& s, double ratio, const Vector& fk, double d_l_per_kk, Index m) {
  const Index all = s.w.size();
  const Matrix outer = ratio * s.w * s.w.head(m).transpose() + s.g * s.g.head(m).transpose() / s.one;
  Matrix S = sums.S.topLeftCorner(m, m);
  S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
  const Vector f = fk.head(m);
  FeatureSlope out;
  out.Y = Matrix::Identity(all, m) - s.inverse.leftCols(m) - outer;
  out.v1 = ratio * s.w.head(m), out.v0 = s.g.head(m) / s.one;
  out.b = s.b;
  out.d_k = 2 * d_l_per_kk * f;
  out.G = -0.5 * (outer.topRows(m) - Matrix::Identity(m, m) + s.inverse.topLeftCorner(m, m) + S) - d_l_per_kk * f * f.transpose();
  return out;
}

SolvedFeatures solved(const FeatureSums& sums, double intercept_omega, double intercept_z) {
  SolvedFeatures out;
  const Index m = sums.f1.size();
  out.factor = sums.S;
  out.factor.diagonal().array() += 1;
  if (!blas::potrf(m, out.factor.data(), m)) return out;
  out.factor.triangularView<Eigen::StrictlyUpper>().setZero();
  out.inverse = out.factor;
  static_cast<void>(blas::trtri(m, out.inverse.data(), m));
  blas::lauum(m, out.inverse.data(), m);
  out.inverse.triangularView<Eigen::StrictlyUpper>() = out.inverse.transpose();
  out.g = out.inverse * sums.f1;
  out.one = sums.omega + intercept_omega - sums.f1.dot(out.g);
  out.b = (sums.z + intercept_omega * intercept_z - sums.fz.dot(out.g)) / out.one;
  out.w = out.inverse * (sums.fz - out.b * sums.f1);
  out.log_det = 2 * out.factor.diagonal().array().log().sum();
  return out;
}

FeaturePosterior posterior_of(const FeatureSums& sums, const SolvedFeatures& s, double intercept_omega) {
  const Index m = sums.f1.size();
  FeaturePosterior out{Vector(m + 1), Matrix::Zero(m + 1, m + 1)};
  out.mean << s.w, s.b;
  out.factor.topLeftCorner(m, m) = s.factor;
  Vector row = sums.f1;
  blas::trsv(blas::Transpose::no, m, s.factor.data(), m, row.data());
  out.factor.row(m).head(m) = row.transpose();
  out.factor(m, m) = std::sqrt(std::max(sums.omega + intercept_omega - row.squaredNorm(), 1e-300));
  return out;
}

double slope_of_scale(const SolvedFeatures& s, double ratio, Index first) {
  const Index count = s.w.size() - first;
  return 0.5 * (ratio * s.w.tail(count).squaredNorm() - (static_cast<double>(count) - s.inverse.diagonal().tail(count).sum()) +
                s.g.tail(count).squaredNorm() / s.one);
}

WorkingRow working_row(double k, double t, double m, double s) {
  const LogisticExpectation e = expected_logistic(m, s);
  const double omega = k * std::max(e.slope, 1e-9);
  return {omega, m + k * (t - e.sigma) / omega, k * (t * m - e.softplus), e.sigma};
}

double misfit(const FeatureSums& sums, const SolvedFeatures& s) {
  return std::max(sums.zz - sums.fz.dot(s.inverse * sums.fz) - s.b * s.b * s.one, 1e-200);
}

double log_evidence_of_regression(const FeatureSums& sums, const SolvedFeatures& s, double N) {
  const double nu = N - 1;
  return log_gamma(0.5 * nu) - 0.5 * nu * std::log(3.14159265358979323846 * misfit(sums, s)) - 0.5 * s.log_det - 0.5 * std::log(s.one) -
         0.5 * sums.rest;
}

}  // namespace ardvark::internal
