#include "posterior/mixture.hpp"

#include "core/blas.hpp"
#include "core/products.hpp"
#include "design/column_panels.hpp"

namespace ardvark {
namespace {

using blas::Transpose;
using products::times;
using products::times_transposed;
using products::transposed_times;

Vector shrinkage(const MixtureComponent& c) { return (1 + c.h * c.basis->l.array()).inverse(); }

// Z diag(v) Z'.
Matrix spread_of_inactive(const MixtureComponent& c) {
  const auto Z = c.basis->Z();
  const Index m = Z.rows();
  Matrix W = Matrix::Zero(m, m);
  std::vector<Index> rest;
  for (Index j = 0; j < c.v.size(); ++j)
    if (c.v[j] > 0) rest.push_back(j);
  constexpr std::size_t block = 512;
  Matrix panel(m, static_cast<Index>(std::min(block, rest.size())));
  for (std::size_t first = 0; first < rest.size(); first += block) {
    const auto count = static_cast<Index>(std::min(block, rest.size() - first));
    for (Index j = 0; j < count; ++j) {
      const Index at = rest[first + static_cast<std::size_t>(j)];
      panel.col(j) = std::sqrt(c.v[at]) * Z.col(at);
    }
    blas::syrk(Transpose::no, m, count, 1.0, panel.data(), m, 1.0, W.data(), m);
  }
  W.triangularView<Eigen::StrictlyUpper>() = W.transpose();
  return W;
}

}  // namespace

DenseSpread MixtureComponent::dense() const {
  return spread ? *spread : DenseSpread{s2 * h, s2 * h * h * shrinkage(*this), Matrix(basis->l.size(), 0), s2};
}

// The diagonal of (SP.6), or (SP.15): P = I - h Z'DZ, the active columns of B by F P, the others through Z diag(v) Z'.
Vector MixtureComponent::variances() const {
  const auto Z = basis->Z();
  Vector out = v;
  if (h == 0) out(active) = F.colwise().squaredNorm().transpose();  // P = I
  if (!has_dense()) return out;
  const bool has_inactive = h > 0 && v.size() > 0 && v.maxCoeff() > 0;
  const Vector D = shrinkage(*this);
  const DenseSpread u = dense();
  const Index a = h > 0 ? static_cast<Index>(active.size()) : 0;
  Matrix of_Z(a + u.moves.cols(), D.size());  // what multiplies Z: - h F Z_A'D, and the moves below it
  if (a > 0) of_Z.topRows(a) = -h * times_transposed(F, D.asDiagonal() * Z(Eigen::all, active));
  of_Z.bottomRows(u.moves.cols()) = u.moves.transpose();
  Matrix of_squares(2, D.size());
  of_squares << D.transpose(), u.narrowing.transpose();
  const Matrix DWD = has_inactive ? Matrix(D.asDiagonal() * spread_of_inactive(*this) * D.asDiagonal()) : Matrix();
  constexpr Index block = 512;
  std::size_t next = 0;  // of the active columns, which ascend
  for (Index first = 0; first < Z.cols(); first += block) {
    const Index count = std::min(block, Z.cols() - first);
    const auto panel = Z.middleCols(first, count);
    auto part = out.segment(first, count);
    const Eigen::Array2Xd d = of_squares * panel.cwiseAbs2();
    part.array() += (u.variance - d.row(1).transpose()).max(0.0) - 2 * h * d.row(0).transpose() * part.array();
    if (has_inactive) part += h * h * times(DWD, panel).cwiseProduct(panel).colwise().sum().transpose();
    Matrix FP = times(of_Z, panel);
    for (; static_cast<Index>(next) < a && active[next] < first + count; ++next)
      FP.col(active[next] - first).head(a) += F.col(static_cast<Index>(next));
    part += FP.colwise().squaredNorm().transpose();
  }
  return out.cwiseMax(0.0);
}

Matrix MixtureComponent::covariance() const {
  const auto Z = basis->Z();
  const Index p = w.size();
  Matrix B = v.asDiagonal();
  if (!active.empty()) B(active, active) = transposed_times(F, F);
  if (!has_dense() || p == 0) return B;
  const DenseSpread u = dense();
  Matrix inside = u.moves * u.moves.transpose();
  inside.diagonal() -= u.narrowing;
  Matrix out = transposed_times(Z, times(inside, Z));
  out.diagonal().array() += u.variance;
  if (h > 0) {
    Matrix P = -h * transposed_times(shrinkage(*this).asDiagonal() * Z, Z);
    P.diagonal().array() += 1;
    out += times(times(P, B), P.transpose());
  } else {
    out += B;
  }
  return 0.5 * (out + out.transpose());
}

double MixtureComponent::effective_parameters() const {
  // Z Cov(w) Z' = s2 h diag(l D) + D Z B Z' D
  const auto Z = basis->Z();
  const Vector D = shrinkage(*this), D2 = D.cwiseAbs2();
  double of_b = 0;
  for (Index j = 0; j < v.size(); ++j)
    if (v[j] > 0) of_b += v[j] * D2.dot(Z.col(j).cwiseAbs2());
  if (!active.empty()) of_b += times_transposed(F, D.asDiagonal() * Z(Eigen::all, active)).squaredNorm();
  return (h * basis->l.array() * D.array()).sum() + of_b / s2 + static_cast<double>(basis->R.rows());
}

// t = x~ - h Z'DZ x~ with x~ = x - G'f:  s2 |R f|^2 + s2 h (x~'x~ - h (Z x~)'D(Z x~)) + t'B t, in two passes over the columns.      (SP.7)
// The terms before t'B t are those of h and s2 as known; else (SP.15).
ComponentMoments Mixture::component_moments(Design& X) const {
  const Index n = X.rows();
  const std::size_t count = components.size();
  const Matrix F = read_columns(X, flat_columns);
  ComponentMoments out{Matrix::Zero(n, static_cast<Index>(count)), Matrix::Zero(n, static_cast<Index>(count))};
  std::vector<Matrix> ZX(count), T(count);  // [n, m] x~'Z', then times D; [n, active] of t
  std::vector<DenseSpread> u(count);
  std::vector<std::vector<Index>> place(count);
  const auto without_flat = [&](const auto& panel, const std::vector<Index>& at, const DenseBasis& basis) {
    const Matrix G = basis.G(Eigen::all, at);
    return Matrix(panel - F * G);
  };
  for (std::size_t c = 0; c < count; ++c) {
    const MixtureComponent& one = components[c];
    ZX[c] = Matrix::Zero(n, one.basis->l.size());
    T[c].resize(n, static_cast<Index>(one.active.size()));
    place[c].assign(columns.size(), -1);
    for (std::size_t i = 0; i < one.active.size(); ++i) place[c][static_cast<std::size_t>(one.active[i])] = static_cast<Index>(i);
    out.mean.col(static_cast<Index>(c)) = F * one.flat_mean;
    u[c] = one.dense();
    out.variance.col(static_cast<Index>(c)) = u[c].flat * (F * one.basis->R.transpose()).rowwise().squaredNorm();
  }
  for_column_panels(X, columns, [&](const auto& panel, const std::vector<Index>& at) {
    Matrix x;
    for (std::size_t c = 0; c < count; ++c) {
      const MixtureComponent& one = components[c];
      auto mean = out.mean.col(static_cast<Index>(c)), variance = out.variance.col(static_cast<Index>(c));
      mean += panel * one.w(at);
      if (!one.has_dense()) continue;
      const bool same = c > 0 && one.basis == components[c - 1].basis;
      if (!same || x.size() == 0) x = without_flat(panel, at, *one.basis);
      variance += u[c].variance * x.rowwise().squaredNorm();
      if (same && components[c - 1].has_dense()) continue;  // its product is that of the component before
      ZX[c] += times_transposed(x, Matrix(one.basis->Z()(Eigen::all, at)));
    }
  });
  for (std::size_t c = 0; c < count; ++c) {
    const MixtureComponent& one = components[c];
    if (!one.has_dense()) continue;
    if (c > 0 && one.basis == components[c - 1].basis && components[c - 1].has_dense()) ZX[c] = ZX[c - 1];
  }
  for (std::size_t c = 0; c < count; ++c) {
    const MixtureComponent& one = components[c];
    if (!one.has_dense()) continue;
    auto variance = out.variance.col(static_cast<Index>(c));
    variance -= ZX[c].cwiseAbs2() * u[c].narrowing;
    variance = variance.cwiseMax(0.0);
    if (u[c].moves.cols() > 0) variance += times(ZX[c], u[c].moves).rowwise().squaredNorm();
    ZX[c] *= shrinkage(one).asDiagonal();
  }
  for_column_panels(X, columns, [&](const auto& panel, const std::vector<Index>& at) {
    for (std::size_t c = 0; c < count; ++c) {
      const MixtureComponent& one = components[c];
      Matrix t = without_flat(panel, at, *one.basis);
      if (one.h > 0) t -= one.h * times(ZX[c], Matrix(one.basis->Z()(Eigen::all, at)));
      out.variance.col(static_cast<Index>(c)) += t.cwiseAbs2() * one.v(at);
      for (std::size_t j = 0; j < at.size(); ++j)
        if (const Index to = place[c][static_cast<std::size_t>(at[j])]; to >= 0) T[c].col(to) = t.col(static_cast<Index>(j));
    }
  });
  for (std::size_t c = 0; c < count; ++c)
    if (T[c].cols() > 0) out.variance.col(static_cast<Index>(c)) += times_transposed(T[c], components[c].F).rowwise().squaredNorm();
  return out;
}

void Mixture::row_variance(Design& X, Vector& out) const {
  const ComponentMoments moments = component_moments(X);
  Vector mean = Vector::Zero(X.rows());
  out = Vector::Zero(X.rows());
  for (std::size_t c = 0; c < components.size(); ++c) mean += components[c].weight * moments.mean.col(static_cast<Index>(c));
  for (std::size_t c = 0; c < components.size(); ++c) {
    const auto at = static_cast<Index>(c);
    out += components[c].weight * (moments.variance.col(at) + (moments.mean.col(at) - mean).cwiseAbs2());
  }
}

Vector Mixture::mean(Index num_columns) const {
  Vector out = Vector::Zero(num_columns);
  for (const MixtureComponent& c : components) {
    out(columns) += c.weight * c.w;
    out(flat_columns) += c.weight * c.flat_mean;
  }
  return out;
}

Vector Mixture::variances() const {
  Vector centre = Vector::Zero(static_cast<Index>(columns.size())), out = centre;
  for (const MixtureComponent& c : components) centre += c.weight * c.w;
  for (const MixtureComponent& c : components) out += c.weight * (c.variances() + (c.w - centre).cwiseAbs2());
  return out;
}

Matrix Mixture::covariance(Index num_columns) const {
  const Vector centre = mean(num_columns);
  Matrix out = Matrix::Zero(num_columns, num_columns);
  for (const MixtureComponent& c : components) {
    const Matrix C = c.covariance(), GC = c.basis->G * C;  // flat weights: the target's part less G w                         (RIDGE.7)
    Vector difference = -centre;
    difference(columns) += c.w;
    difference(flat_columns) += c.flat_mean;
    out(columns, columns) += c.weight * C;
    out(flat_columns, columns) -= c.weight * GC;
    out(columns, flat_columns) -= c.weight * GC.transpose();
    out(flat_columns, flat_columns) += c.weight * (c.dense().flat * c.basis->R.transpose() * c.basis->R + GC * c.basis->G.transpose());
    out += c.weight * difference * difference.transpose();
  }
  return out;
}

}  // namespace ardvark
