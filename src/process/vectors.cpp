#include "process/vectors.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/products.hpp"
#include "core/pulse.hpp"
#include "core/special.hpp"

namespace ardvark::internal {
namespace {

// Divergence of a normal distribution from another one.
double normal_divergence(double mean, double variance, double of_mean, double of_variance) {
  const double ratio = variance / of_variance, off = mean - of_mean;
  return 0.5 * (ratio - 1 - std::log(ratio) + off * off / of_variance);
}

double bernoulli_divergence(double p, double q) {
  const auto part = [](double a, double b) { return a > 0 ? a * std::log(a / b) : 0.0; };
  return part(p, q) + part(1 - p, 1 - q);
}

}  // namespace

VectorChoice::VectorChoice(const Matrix& K, const WorkingRows& rows, const Vector& weights, bool classes, const RowMoments& full,
                           Matrix linear)
    : K_(K), linear_(std::move(linear)), rows_(rows), full_(full), share_(weights / weights.sum()), classes_(classes) {
  if (linear_.cols() == 0) linear_.resize(K.rows(), 0);
  least_ = 1e-11 * std::max(K.diagonal().maxCoeff(), 1e-300);
  begin();
  if (linear_.cols() > 0) add_first({});
}

// With the intercept alone.
void VectorChoice::begin() {
  const Index n = K_.rows();
  residual_ = K_.diagonal();
  const double total = rows_.omega.sum() + rows_.intercept_omega;
  mean_ = Vector::Constant(n, (rows_.omega.dot(rows_.z) + rows_.intercept_omega * rows_.intercept_z) / total);
  variance_ = Vector::Constant(n, 1 / total);
}

// For each row j, with the residual kernel R and w = Omega (z - mean): u_j = R_j'w, c_j = R_j' Omega R_j, q_j = R_j' B R_j.
void VectorChoice::start_gains() {
  const Index n = K_.rows(), of_rows = static_cast<Index>(chosen_.size()), m = num_features();
  const Vector& omega = rows_.omega;
  Matrix R = K_;
  if (of_rows > 0) blas::syrk(blas::Transpose::no, n, of_rows, -1.0, Phi_.col(m - of_rows).data(), n, 1.0, R.data(), n);
  u_.resize(n), c_.resize(n);
  const Vector w = omega.array() * (rows_.z - mean_).array();
  blas::symv(n, R.data(), n, w.data(), u_.data());
  // B = Omega - G G': the columns of G are the intercept's and those of the rows so far.
  Matrix G(n, m + 1), RG(n, m + 1);
  G.col(0) = omega / std::sqrt(omega.sum() + rows_.intercept_omega);
  for (Index i = 0; i < m; ++i) G.col(i + 1) = omega.array() * P_.col(i).array() / std::sqrt(1 + a_[i]);
  blas::symm(n, m + 1, 1.0, R.data(), n, G.data(), n, 0.0, RG.data(), n);
  c_.setZero();
  for (Index j = 0; j < n; ++j) {  // of the lower triangle
    const Index rest = n - j - 1;
    const auto below = R.col(j).tail(rest).array().square();
    c_[j] += omega[j] * R(j, j) * R(j, j) + (omega.tail(rest).array() * below).sum();
    c_.tail(rest).array() += omega[j] * below;
  }
  q_ = c_ - RG.rowwise().squaredNorm();
}

// As add() for one row after the other, by matrix products. With LL' = K_zz, Phi = K_z L^-T; with Phi_c = Phi - V_before Omega Phi and the
// Cholesky factor T of I + Phi_c' Omega Phi, the p of add() are the columns of Phi_c T^-T times the diagonal of T, whose squares are 1 + a.
void VectorChoice::add_first(const std::vector<Index>& rows) {
  const Index n = K_.rows(), most = static_cast<Index>(rows.size());
  if (!chosen_.empty()) throw InternalError("add_first was called after a row was added");
  const auto entry = [this](Index i, Index j) { return i >= j ? K_(i, j) : K_(j, i); };
  Matrix L = Matrix::Zero(most, most);
  for (const Index row : rows) {
    const Index m = static_cast<Index>(chosen_.size());
    Vector l(m);
    for (Index i = 0; i < m; ++i) l[i] = entry(row, chosen_[static_cast<std::size_t>(i)]);
    if (m > 0) blas::trsv(blas::Transpose::no, m, L.data(), most, l.data());
    const double rest = K_(row, row) - l.squaredNorm();
    if (!(rest > least_)) continue;
    L.row(m).head(m) = l;
    L(m, m) = std::sqrt(rest);
    chosen_.push_back(row);
  }
  begin();
  const Index first = linear_.cols(), m = num_features();
  if (m == 0) return;
  Phi_.resize(n, m);
  Phi_.leftCols(first) = linear_;
  for (Index j = first; j < m; ++j) {
    const Index row = chosen_[static_cast<std::size_t>(j - first)];
    Phi_.col(j).head(row) = K_.row(row).head(row);
    Phi_.col(j).tail(n - row) = K_.col(row).tail(n - row);
  }
  const auto divide = [n](Matrix& T, Index ld, auto&& F) {   // F <- F T^-T
    static_cast<void>(blas::trtri(F.cols(), T.data(), ld));  // its diagonal is positive
    blas::trmm(blas::Side::right, blas::Transpose::yes, n, F.cols(), T.data(), ld, F.data(), n);
  };
  if (m > first) divide(L, most, Phi_.rightCols(m - first));
  residual_ -= Phi_.rightCols(m - first).rowwise().squaredNorm();
  for (const Index row : chosen_) residual_[row] = 0;
  const Vector& omega = rows_.omega;
  const Vector shift = Phi_.transpose() * omega / (omega.sum() + rows_.intercept_omega);
  P_ = Phi_.rowwise() - shift.transpose();
  Matrix weighted = Phi_;
  for (Index j = 0; j < m; ++j) weighted.col(j).array() *= omega.array();
  const Vector response = weighted.transpose() * (rows_.z - mean_);
  Matrix T = products::transposed_times(P_, weighted);
  T.diagonal().array() += 1;
  if (!blas::potrf(m, T.data(), m)) throw InvalidArgument("the posterior of the relevance vectors cannot be factorised");
  const Vector diagonal = T.diagonal();
  Vector rise = response;
  blas::trsv(blas::Transpose::no, m, T.data(), m, rise.data());
  divide(T, m, P_);
  mean_ += P_ * rise;
  variance_ += P_.rowwise().squaredNorm();
  P_ = P_ * diagonal.asDiagonal();
  a_ = diagonal.array().square() - 1;
}

bool VectorChoice::add(Index row) {
  const Index n = K_.rows(), m = num_features(), of_rows = static_cast<Index>(chosen_.size());
  if (!(residual_[row] > least_)) return false;
  if (Phi_.cols() == m) {
    const Index room = std::min(n + linear_.cols(), std::max<Index>(16, 2 * m));
    Phi_.conservativeResize(n, room);
    P_.conservativeResize(n, room);
    a_.conservativeResize(room);
  }
  const auto Phi = Phi_.middleCols(m - of_rows, of_rows), P = P_.leftCols(m);
  Vector l(n);
  l.head(row) = K_.row(row).head(row);
  l.tail(n - row) = K_.col(row).tail(n - row);
  l -= Phi * Phi.row(row).transpose();
  l /= std::sqrt(residual_[row]);
  const Vector& omega = rows_.omega;
  const Vector ol = omega.array() * l.array();
  // p = l - V Omega l, with V the covariance of the rows so far.
  const double total = omega.sum() + rows_.intercept_omega;
  Vector p = l.array() - ol.sum() / total;
  if (m > 0) p -= P * ((P.transpose() * ol).array() / (1 + a_.head(m).array())).matrix();
  const Vector g = omega.array() * p.array();
  const double a = std::max(g.dot(l), 0.0), keep = 1 / (1 + a);
  const Vector w = omega.array() * (rows_.z - mean_).array();
  const double rise = l.dot(w) * keep;  // of the new feature's weight
  if (u_.size() > 0) {                  // R g and R Omega l by the kernel itself
    Vector Rg(n), Rl(n);
    blas::symv(n, K_.data(), n, g.data(), Rg.data());
    blas::symv(n, K_.data(), n, ol.data(), Rl.data());
    if (of_rows > 0) {
      Rg -= Phi * (Phi.transpose() * g);
      Rl -= Phi * (Phi.transpose() * ol);
    }
    const double lol = l.dot(ol);
    q_.array() += -2 * l.array() * Rg.array() + a * l.array().square() - keep * (Rg - a * l).array().square();
    c_.array() += -2 * l.array() * Rl.array() + lol * l.array().square();
    u_ -= l.dot(w) * l + rise * (Rg - a * l);
  }
  mean_ += rise * p;
  variance_.array() += keep * p.array().square();
  residual_.array() -= l.array().square();
  residual_[row] = 0;
  Phi_.col(m) = l;
  P_.col(m) = p;
  a_[m] = a;
  chosen_.push_back(row);
  return true;
}

// The gain of row j, with d_j its residual and a_j = q_j/d_j: -1/2 ln(1 + a_j) + 1/2 u_j^2/(d_j (1 + a_j)) + 1/2 c_j/d_j, the first two in
// units of s2.
Index VectorChoice::best_row() const {
  Index best = -1;
  double most = -std::numeric_limits<double>::infinity();
  for (Index j = 0; j < residual_.size(); ++j) {
    const double d = residual_[j];
    if (!(d > least_)) continue;
    const double a = std::max(q_[j] / d, 0.0), c = std::max(c_[j], 0.0);
    const double gain = -0.5 * std::log1p(a) + 0.5 * u_[j] * u_[j] / (rows_.s2 * d * (1 + a)) + 0.5 * c / d;
    if (gain > most) {
      most = gain;
      best = j;
    }
  }
  return best;
}

Reduction VectorChoice::reduction() const {
  const Index n = mean_.size();
  Reduction out{Vector(n), full_.mean, mean_, Vector::Ones(n)};
  const double sd = std::sqrt(rows_.s2);
  for (Index i = 0; i < n; ++i) {
    const double variance = variance_[i] + std::max(residual_[i], 0.0);
    if (classes_) {
      out.full[i] = expected_sigmoid(full_.mean[i], full_.variance[i]);
      out.reduced[i] = expected_sigmoid(mean_[i], variance);
      out.divergence[i] = bernoulli_divergence(out.full[i], out.reduced[i]);
    } else {
      out.sd[i] = sd * std::sqrt(full_.variance[i] + 1);
      out.divergence[i] = normal_divergence(full_.mean[i] / sd, full_.variance[i] + 1, mean_[i] / sd, variance + 1);
    }
  }
  return out;
}

void VectorChoice::grow(double most, Index most_rows) {
  while (static_cast<Index>(chosen_.size()) < most_rows && mean_divergence() > most) {
    pulse();
    if (u_.size() == 0) start_gains();
    const Index row = best_row();
    if (row < 0 || !add(row)) return;
  }
}

void VectorChoice::add_all() {
  for (;;) {
    pulse();
    Index row = 0;
    residual_.maxCoeff(&row);
    if (!add(row)) return;
  }
}

FeaturePosterior VectorChoice::posterior() const {
  const Index n = K_.rows(), m = num_features(), of_rows = static_cast<Index>(chosen_.size());
  Matrix F(n, m + 1);
  F.leftCols(of_rows) = Phi_.middleCols(m - of_rows, of_rows);
  F.middleCols(of_rows, m - of_rows) = linear_;
  F.col(m).setOnes();
  Vector r = F.transpose() * Vector(rows_.omega.array() * rows_.z.array());
  r[m] += rows_.intercept_omega * rows_.intercept_z;
  for (Index j = 0; j <= m; ++j) F.col(j).array() *= rows_.omega.array().sqrt();
  FeaturePosterior out;
  out.factor = Matrix::Zero(m + 1, m + 1);
  blas::syrk(blas::Transpose::yes, m + 1, n, 1.0, F.data(), n, 0.0, out.factor.data(), m + 1);
  out.factor.diagonal().head(m).array() += 1;
  out.factor(m, m) += rows_.intercept_omega;
  if (!blas::potrf(m + 1, out.factor.data(), m + 1)) throw InvalidArgument("the posterior of the relevance vectors cannot be factorised");
  out.factor.triangularView<Eigen::StrictlyUpper>().setZero();
  blas::trsv(blas::Transpose::no, m + 1, out.factor.data(), m + 1, r.data());
  blas::trsv(blas::Transpose::yes, m + 1, out.factor.data(), m + 1, r.data());
  out.mean = std::move(r);
  return out;
}

}  // namespace ardvark::internal
