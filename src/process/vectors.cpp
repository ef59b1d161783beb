#include "process/vectors.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/logistic_moments.hpp"
#include "core/products.hpp"
#include "core/pulse.hpp"

namespace ardvark::internal {

double normal_divergence(double mean, double variance, double of_mean, double of_variance) {
  const double ratio = variance / of_variance, off = mean - of_mean;
  return 0.5 * (ratio - 1 - std::log(ratio) + off * off / of_variance);
}

double bernoulli_divergence(double p, double q) {
  const auto part = [](double a, double b) { return a > 0 ? a * std::log(a / b) : 0.0; };
  return part(p, q) + part(1 - p, 1 - q);
}

VectorChoice::VectorChoice(const Matrix& K, const ProcessRows& rows, const Vector& weights, bool classes, const FunctionMoments& full,
                           Matrix linear)
    : K_(K), linear_(std::move(linear)), rows_(rows), full_(full), share_(weights / weights.sum()), classes_(classes) {
  if (linear_.cols() == 0) linear_.resize(K.rows(), 0);
  if (classes_) {
    LogisticMoments moments;
    moments.of(full_.mean, full_.variance);
    full_probability_ = moments.sigma;
  }
  least_ = 1e-11 * std::max(K.diagonal().maxCoeff(), 1e-300);
  begin();
  if (linear_.cols() > 0) add_first({});
}

// With the intercept alone.
void VectorChoice::begin() {
  const Index n = K_.rows();
  residual_ = K_.diagonal();
  Phi_.resize(n, 0), P_.resize(n, 0);
  const double total = rows_.omega.sum() + rows_.intercept_omega;
  mean_ = Vector::Constant(n, (rows_.omega.dot(rows_.z) + rows_.intercept_omega * rows_.intercept_z) / total);
  variance_ = Vector::Constant(n, 1 / total);
}

// Chooses those that are not explained by the ones before. L: the factor of their covariance. Returns what the worst of all rows adds.
double VectorChoice::factorise(const std::vector<Index>& rows, Matrix& L) {
  const Index most = static_cast<Index>(rows.size());
  double smallest = std::numeric_limits<double>::infinity();
  L = Matrix::Zero(most, most);
  chosen_.clear();
  for (const Index row : rows) {
    const Index m = static_cast<Index>(chosen_.size());
    Vector l(m);
    for (Index i = 0; i < m; ++i) l[i] = covariance(row, chosen_[static_cast<std::size_t>(i)]);
    if (m > 0) blas::trsv(blas::Transpose::no, m, L.data(), most, l.data());
    const double rest = K_(row, row) - l.squaredNorm();
    smallest = std::min(smallest, rest);
    if (!(rest > least_)) continue;
    L.row(m).head(m) = l;
    L(m, m) = std::sqrt(rest);
    chosen_.push_back(row);
  }
  return smallest;
}

// Lower.
Matrix VectorChoice::covariance_of(const std::vector<Index>& rows) const {
  const Index size = static_cast<Index>(rows.size());
  Matrix out(size, size);
  for (Index j = 0; j < size; ++j)
    for (Index i = j; i < size; ++i) out(i, j) = covariance(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
  return out;
}

// In any order, rounding errors can make rows look new that the others explain. Where the worst explained row comes next, they stay small.
std::vector<Index> VectorChoice::independent(const std::vector<Index>& rows) const {
  const Index size = static_cast<Index>(rows.size());
  const auto row = [&](Index i) { return rows[static_cast<std::size_t>(i)]; };
  Matrix L(size, size);
  Vector rest(size);
  for (Index i = 0; i < size; ++i) rest[i] = K_(row(i), row(i));
  std::vector<Index> positions;
  for (Index m = 0, next = 0; m < size && rest.maxCoeff(&next) > least_; ++m) {
    const double root = std::sqrt(rest[next]);
    for (Index i = 0; i < size; ++i) L(i, m) = (covariance(row(i), row(next)) - L.row(i).head(m).dot(L.row(next).head(m))) / root;
    rest -= L.col(m).cwiseAbs2();
    rest[next] = 0;
    positions.push_back(next);
  }
  std::sort(positions.begin(), positions.end());
  std::vector<Index> out;
  for (const Index i : positions) out.push_back(row(i));
  return out;
}

// As add() for one row after the other, by matrix products. With LL' = K_zz, Phi = K_z L^-T; with Phi_c = Phi - V_before Omega Phi and the
// Cholesky factor T of I + Phi_c' Omega Phi, the p of add() are the columns of Phi_c T^-T times the diagonal of T, whose squares are 1 + a.
void VectorChoice::add_first(const std::vector<Index>& rows) {
  if (!chosen_.empty()) throw InternalError("add_first was called after a row was added");
  const Index n = K_.rows();
  const double nearly_explained = 1e4 * least_;  // rounding errors may have grown that far
  Matrix L = covariance_of(rows);
  if (rows.empty() || (blas::potrf(L.rows(), L.data(), L.rows()) && !(L.diagonal().cwiseAbs2().minCoeff() < nearly_explained)))
    chosen_ = rows;
  else if (factorise(rows, L) < nearly_explained)
    factorise(independent(rows), L);
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
  if (m > first) divide(L, L.rows(), Phi_.rightCols(m - first));
  residual_ -= Phi_.rightCols(m - first).rowwise().squaredNorm();
  for (const Index row : rows) residual_[row] = 0;  // chosen, or explained by the others
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

// The row with the feature l and p = l - V Omega l, V being the covariance of the rows so far. Returns the mean of the feature's weight.
double VectorChoice::append(Index row, const Vector& l, const Vector& p) {
  const Index n = K_.rows(), m = num_features();
  if (Phi_.cols() == m) {
    const Index room = std::min(n + linear_.cols(), std::max<Index>(16, 2 * m));
    Phi_.conservativeResize(n, room);
    P_.conservativeResize(n, room);
    a_.conservativeResize(room);
  }
  const Vector& omega = rows_.omega;
  const double a = std::max(l.dot(omega.cwiseProduct(p)), 0.0);
  const double rise = l.dot(Vector(omega.array() * (rows_.z - mean_).array())) / (1 + a);  // mean of the new feature's weight
  mean_ += rise * p;
  variance_.array() += p.array().square() / (1 + a);
  residual_.array() -= l.array().square();
  residual_[row] = 0;
  Phi_.col(m) = l;
  P_.col(m) = p;
  a_[m] = a;
  chosen_.push_back(row);
  return rise;
}

bool VectorChoice::add(Index row) {
  if (!(residual_[row] > least_)) return false;
  Pool pool = residuals({row});
  add(pool, 0);
  return true;
}

VectorChoice::Pool VectorChoice::residuals(std::vector<Index> rows) const {
  const Index n = K_.rows(), of_rows = static_cast<Index>(chosen_.size()), m = num_features(), count = static_cast<Index>(rows.size());
  Pool pool{std::move(rows), Matrix(n, count)};
  Matrix known(of_rows, count);
  for (Index i = 0; i < count; ++i) {
    const Index row = pool.rows[static_cast<std::size_t>(i)];
    pool.R.col(i).head(row) = K_.row(row).head(row);
    pool.R.col(i).tail(n - row) = K_.col(row).tail(n - row);
    if (of_rows > 0) known.col(i) = Phi_.row(row).segment(m - of_rows, of_rows).transpose();
  }
  if (of_rows > 0) pool.R -= products::times(Phi_.middleCols(m - of_rows, of_rows), known);
  const Matrix weighted = rows_.omega.asDiagonal() * pool.R;
  pool.W = pool.R.rowwise() - weighted.colwise().sum() / (rows_.omega.sum() + rows_.intercept_omega);
  if (m > 0) {
    Matrix through = products::transposed_times(P_.leftCols(m), weighted);
    through.array().colwise() /= 1 + a_.head(m).array();
    pool.W -= products::times(P_.leftCols(m), through);
  }
  pool.S.resize(3, count);
  pool.S.row(0) = (rows_.z - mean_).transpose() * weighted;
  pool.S.row(1) = weighted.cwiseProduct(pool.R).colwise().sum();
  pool.S.row(2) = weighted.cwiseProduct(pool.W).colwise().sum();
  return pool;
}

// Those with the largest part in the divergence. Columns of the pool before are not computed again.
VectorChoice::Pool VectorChoice::worst_rows(Index count, const Pool& before) const {
  const Vector divergence = this->divergence();
  std::vector<std::pair<double, Index>> order;
  for (Index j = 0; j < divergence.size(); ++j)
    if (residual_[j] > least_) order.emplace_back(-share_[j] * divergence[j], j);
  count = std::min(count, static_cast<Index>(order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end());
  Pool out;
  std::vector<Index> kept, rows_of_new;  // positions in the pool before
  for (Index i = 0; i < count; ++i) {
    const Index row = order[static_cast<std::size_t>(i)].second;
    const auto at = std::find(before.rows.begin(), before.rows.end(), row);
    if (at == before.rows.end()) {
      rows_of_new.push_back(row);
    } else {
      kept.push_back(at - before.rows.begin());
      out.rows.push_back(row);
    }
  }
  const Pool fresh = residuals(std::move(rows_of_new));
  out.rows.insert(out.rows.end(), fresh.rows.begin(), fresh.rows.end());
  const auto joined = [&](const Matrix& old, const Matrix& of_new) {
    Matrix all(of_new.rows(), count);
    for (Index i = 0; i < std::ssize(kept); ++i) all.col(i) = old.col(kept[static_cast<std::size_t>(i)]);
    all.rightCols(of_new.cols()) = of_new;
    return all;
  };
  out.R = joined(before.R, fresh.R), out.W = joined(before.W, fresh.W), out.S = joined(before.S, fresh.S);
  return out;
}

// With d = R_jj, u = R_j'w, w = Omega (z - mean), c = R_j' Omega R_j and a = R_j' B R_j/d, the gain of row j is
// -1/2 ln(1 + a) + 1/2 u^2/(d (1 + a)) + 1/2 c/d, the first two in units of s2. -1 if no row of the pool has anything to add.
Index VectorChoice::best_of(const Pool& pool) const {
  Index best = -1;
  double most = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < pool.S.cols(); ++i) {
    const double d = residual_[pool.rows[static_cast<std::size_t>(i)]], u = pool.S(0, i), a = std::max(pool.S(2, i) / d, 0.0);
    if (!(d > least_)) continue;
    const double gain = -0.5 * std::log1p(a) + 0.5 * u * u / (rows_.s2 * d * (1 + a)) + 0.5 * pool.S(1, i) / d;
    if (gain > most) most = gain, best = i;
  }
  return best;
}

// With l_S the entries of l at the rows of the pool, g = Omega p and t = (R'g + l_S)/(1 + a): R <- R - l l_S', W <- W - p t', with R
// before. The mean rises by r p; W'Omega l = R'g, because p = l - V Omega l.
void VectorChoice::add(Pool& pool, Index position) {
  const Index row = pool.rows[static_cast<std::size_t>(position)];
  const double root = std::sqrt(residual_[row]);
  const Vector l = pool.R.col(position) / root, p = pool.W.col(position) / root;
  const Vector weighted = rows_.omega.cwiseProduct(l);
  const double of_w = weighted.dot(rows_.z - mean_), rise = append(row, l, p);
  if (pool.rows.size() == 1) return;
  const double a = a_[num_features() - 1], length = weighted.dot(l);
  const Eigen::RowVectorXd of_pool = l(pool.rows).transpose();
  Matrix both(l.size(), 2);
  both << rows_.omega.cwiseProduct(p), weighted;
  const Matrix products = both.transpose() * pool.R;  // [2, rows]
  const Eigen::RowVectorXd through = (products.row(0) + of_pool) / (1 + a);
  pool.R.noalias() -= l * of_pool;
  pool.W.noalias() -= p * through;
  pool.S.row(0) -= rise * products.row(0) + (of_w - rise * a) * of_pool;
  pool.S.row(1).array() -= of_pool.array() * (2 * products.row(1) - length * of_pool).array();
  pool.S.row(2).array() -= through.array() * (products.row(0) - a * of_pool).array() + of_pool.array() * products.row(0).array();
}

Vector VectorChoice::divergence() const {
  const Index n = mean_.size();
  const FunctionMoments now = moments();
  Vector out(n);
  if (classes_) {
    LogisticMoments reduced;
    reduced.of(now.mean, now.variance);
    for (Index i = 0; i < n; ++i) out[i] = bernoulli_divergence(full_probability_[i], reduced.sigma[i]);
    return out;
  }
  const Eigen::ArrayXd variance = now.variance.array() + 1, ratio = (full_.variance.array() + 1) / variance;
  return 0.5 * (ratio - 1 - ratio.log() + (full_.mean - now.mean).array().square() / (rows_.s2 * variance));
}

void VectorChoice::grow(double most, double worthwhile, Index most_rows) {
  constexpr Index size_of_pool = 32, most_picks = 16;
  constexpr std::size_t last = 2;  // rows, of which the mean gain is taken
  Pool pool;
  std::vector<double> divergences = {mean_divergence()};
  const auto gains = [&] {
    const std::size_t size = divergences.size(), back = std::min(last, size - 1);
    return back > 0 && divergences[size - 1 - back] - divergences.back() > static_cast<double>(back) * worthwhile;
  };
  for (Index picks = 0; static_cast<Index>(chosen_.size()) < most_rows && (divergences.back() > most || gains());) {
    pulse();
    if (picks == 0) {
      pool = worst_rows(size_of_pool, pool);
      if (pool.rows.empty()) return;
      picks = std::clamp<Index>(static_cast<Index>(chosen_.size()) / 8, 1, most_picks);
    }
    const Index best = best_of(pool);
    picks = best < 0 ? 0 : picks - 1;
    if (best < 0) continue;
    add(pool, best);
    divergences.push_back(mean_divergence());
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
