#include "posterior/mixture.hpp"

#include "core/blas.hpp"
#include "design/column_panels.hpp"

namespace ardvark {
namespace {

using blas::Transpose;

Vector shrinkage(const MixtureComponent& c) { return (1 + c.h * c.basis->l.array()).inverse(); }

// A [m,n] B [n,k], by BLAS.
Matrix times(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {
  Matrix C = Matrix::Zero(A.rows(), B.cols());
  if (C.size() > 0 && A.cols() > 0)
    blas::gemm(Transpose::no, Transpose::no, A.rows(), B.cols(), A.cols(), 1.0, A.data(), A.outerStride(), B.data(), B.outerStride(), 0.0,
               C.data(), C.rows());
  return C;
}
Matrix times_transposed(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {  // A B'
  Matrix C = Matrix::Zero(A.rows(), B.rows());
  if (C.size() > 0 && A.cols() > 0)
    blas::gemm(Transpose::no, Transpose::yes, A.rows(), B.rows(), A.cols(), 1.0, A.data(), A.outerStride(), B.data(), B.outerStride(), 0.0,
               C.data(), C.rows());
  return C;
}
Matrix transposed_times(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {  // A' B
  Matrix C = Matrix::Zero(A.cols(), B.cols());
  if (C.size() > 0 && A.rows() > 0)
    blas::gemm(Transpose::yes, Transpose::no, A.cols(), B.cols(), A.rows(), 1.0, A.data(), A.outerStride(), B.data(), B.outerStride(), 0.0,
               C.data(), C.rows());
  return C;
}

// B with the active block put in: of few columns only.
Matrix columns_of_B(const MixtureComponent& c) { return c.F.transpose() * c.F; }

// Z B Z'.
Matrix spread_of_b(const MixtureComponent& c) {
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
  if (!c.active.empty()) {
    const Matrix FZ = times_transposed(c.F, Z(Eigen::all, c.active));  // F Z_A'
    W += transposed_times(FZ, FZ);
  }
  return W;
}

}  // namespace

Vector MixtureComponent::variances() const {
  const auto Z = basis->Z();
  Vector out = v;
  const Matrix B = columns_of_B(*this);
  for (std::size_t i = 0; i < active.size(); ++i) out[active[i]] = B(static_cast<Index>(i), static_cast<Index>(i));
  if (h == 0) return out;
  const Vector D = shrinkage(*this);
  // diag(P B P') = B_jj - 2 h (Z'DZ B)_jj + h^2 z_j'D W D z_j,  diag(s2 h P) = s2 h (1 - h z_j'Dz_j)
  Vector d(Z.cols());
  for (Index j = 0; j < d.size(); ++j) d[j] = D.dot(Z.col(j).cwiseAbs2());
  out -= 2 * h * d.cwiseProduct(v);
  if (!active.empty()) {
    const Matrix ZB = times(Matrix(Z(Eigen::all, active)), B);  // [m, active]
    for (std::size_t i = 0; i < active.size(); ++i)
      out[active[i]] -= 2 * h * (D.asDiagonal() * ZB.col(static_cast<Index>(i))).dot(Z.col(active[i]));
  }
  const Matrix DWD = D.asDiagonal() * spread_of_b(*this) * D.asDiagonal();
  constexpr Index block = 512;
  for (Index first = 0; first < Z.cols(); first += block) {
    const Index count = std::min(block, Z.cols() - first);
    const Matrix WZ = times(DWD, Z.middleCols(first, count));
    out.segment(first, count) += h * h * WZ.cwiseProduct(Z.middleCols(first, count)).colwise().sum().transpose();
  }
  out.array() += s2 * h * (1 - h * d.array()).max(0.0);
  return out.cwiseMax(0.0);
}

Matrix MixtureComponent::covariance() const {
  const auto Z = basis->Z();
  const Index p = w.size();
  Matrix B = v.asDiagonal();
  if (!active.empty()) B(active, active) = columns_of_B(*this);
  if (h == 0) return B;
  Matrix P = -h * transposed_times(shrinkage(*this).asDiagonal() * Z, Z);
  P.diagonal().array() += 1;
  Matrix out = times(times(P, B), P.transpose()) + s2 * h * P;
  out = 0.5 * (out + out.transpose()).eval();
  return p > 0 ? out : Matrix(0, 0);
}

double MixtureComponent::effective_parameters() const {
  // Z Cov(w) Z' = s2 h diag(l D) + D W D
  const Vector D = shrinkage(*this);
  const Matrix W = spread_of_b(*this);
  return (h * basis->l.array() * D.array()).sum() + (D.array().square() * W.diagonal().array()).sum() / s2 +
         static_cast<double>(basis->R.rows());
}

// t = x~ - h Z'DZ x~ with x~ = x - G'f:  s2 |R f|^2 + s2 h (x~'x~ - h (Z x~)'D(Z x~)) + t'B t, in two passes over the columns.      (SP.7)
ComponentMoments Mixture::component_moments(Design& X) const {
  const Index n = X.rows();
  const std::size_t count = components.size();
  const Matrix F = read_columns(X, flat_columns);
  ComponentMoments out{Matrix::Zero(n, static_cast<Index>(count)), Matrix::Zero(n, static_cast<Index>(count))};
  std::vector<Matrix> ZX(count), T(count);  // [n, m] x~'Z', then times D; [n, active] of t
  std::vector<std::vector<Index>> place(count);
  const auto without_flat = [&](const auto& panel, const std::vector<Index>& at, const DenseBasis& basis) {
    return Matrix(panel - F * basis.G(Eigen::all, at));
  };
  for (std::size_t c = 0; c < count; ++c) {
    const MixtureComponent& one = components[c];
    ZX[c] = Matrix::Zero(n, one.basis->l.size());
    T[c].resize(n, static_cast<Index>(one.active.size()));
    place[c].assign(columns.size(), -1);
    for (std::size_t i = 0; i < one.active.size(); ++i) place[c][static_cast<std::size_t>(one.active[i])] = static_cast<Index>(i);
    out.mean.col(static_cast<Index>(c)) = F * one.flat_mean;
    out.variance.col(static_cast<Index>(c)) = one.s2 * (F * one.basis->R.transpose()).rowwise().squaredNorm();
  }
  for_column_panels(X, columns, [&](const auto& panel, const std::vector<Index>& at) {
    Matrix x;
    for (std::size_t c = 0; c < count; ++c) {
      const MixtureComponent& one = components[c];
      auto mean = out.mean.col(static_cast<Index>(c)), variance = out.variance.col(static_cast<Index>(c));
      mean += panel * one.w(at);
      if (one.h == 0) continue;
      const bool same = c > 0 && one.basis == components[c - 1].basis;
      if (!same || x.size() == 0) x = without_flat(panel, at, *one.basis);
      variance += one.s2 * one.h * x.rowwise().squaredNorm();
      if (same && components[c - 1].h > 0) continue;  // its product is that of the component before
      ZX[c] += times_transposed(x, Matrix(one.basis->Z()(Eigen::all, at)));
    }
  });
  for (std::size_t c = 0; c < count; ++c) {
    const MixtureComponent& one = components[c];
    if (one.h == 0) continue;
    if (c > 0 && one.basis == components[c - 1].basis && components[c - 1].h > 0) ZX[c] = ZX[c - 1];
  }
  for (std::size_t c = 0; c < count; ++c) {
    const MixtureComponent& one = components[c];
    if (one.h == 0) continue;
    const Matrix DZX = ZX[c] * shrinkage(one).asDiagonal();
    auto variance = out.variance.col(static_cast<Index>(c));
    variance -= one.s2 * one.h * one.h * ZX[c].cwiseProduct(DZX).rowwise().sum();
    variance = variance.cwiseMax(0.0);
    ZX[c] = DZX;
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
    out(flat_columns, flat_columns) += c.weight * (c.s2 * c.basis->R.transpose() * c.basis->R + GC * c.basis->G.transpose());
    out += c.weight * difference * difference.transpose();
  }
  return out;
}

}  // namespace ardvark
