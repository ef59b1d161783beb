#include "posterior/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/products.hpp"
#include "core/pulse.hpp"
#include "core/rearrange.hpp"
#include "design/column_panels.hpp"

namespace ardvark::internal {
namespace {

using blas::Transpose;
using products::times;
using products::times_transposed;
using products::transposed_times;

Vector shrinkage(const MixtureComponent& c) { return (1 + c.h * c.basis->l.array()).inverse(); }

// Z diag(v) Z', lower triangle.
Matrix spread_of_inactive(const MixtureComponent& c) {
  const auto Z = c.basis->Z();
  const Index m = Z.rows();
  std::vector<Index> rest;
  for (Index j = 0; j < c.v.size(); ++j)
    if (c.v[j] > 0) rest.push_back(j);
  const auto count = static_cast<Index>(rest.size());
  constexpr Index block = 256;
  const Index lanes = products::num_lanes(count, m);
  std::vector<Matrix> sum(static_cast<std::size_t>(lanes), Matrix::Zero(m, m));
  const auto add = [&](Index from, Index to, Matrix& W, auto&& square) {
    Matrix panel(m, block);
    for (; from < to; from += block) {
      pulse();
      const Index width = std::min(block, to - from);
      for (Index j = 0; j < width; ++j) {
        const Index at = rest[static_cast<std::size_t>(from + j)];
        panel.col(j) = std::sqrt(c.v[at]) * Z.col(at);
      }
      square(width, panel.data(), W.data());
    }
  };
  if (lanes == 1) {
    add(0, count, sum[0], [&](Index width, const double* A, double* W) { blas::syrk(Transpose::no, m, width, 1.0, A, m, 1.0, W, m); });
    return sum[0];
  }
  const blas::ThreadScope one{blas::ThreadScope::OursAlone{}};
  parallel_for(lanes, blas::threads_for(static_cast<double>(m * m) * static_cast<double>(count)), [&](Index lane) {
    add(lane * count / lanes, (lane + 1) * count / lanes, sum[static_cast<std::size_t>(lane)],
        [&](Index width, const double* A, double* W) { blas::syrk(Transpose::no, m, width, 1.0, A, m, 1.0, W, m); });
  });
  for (Index lane = 1; lane < lanes; ++lane) sum[0] += sum[static_cast<std::size_t>(lane)];
  return sum[0];
}

// x_j'Wx_j of each column of X; W symmetric.
Vector forms(const Matrix& W, const Matrix& X) { return times(W, X).cwiseProduct(X).colwise().sum().transpose(); }

// These columns of Z, copied only if they are not adjacent.
Eigen::Ref<const Matrix> columns_of(const DenseBasis& basis, const std::vector<Index>& at, Matrix& copy) {
  const auto count = static_cast<Index>(at.size());
  const bool together = std::adjacent_find(at.begin(), at.end(), [](Index a, Index b) { return b != a + 1; }) == at.end();
  if (together && count > 0) return basis.Z().middleCols(at.front(), count);
  copy = basis.Z()(Eigen::all, at);
  return copy;
}

// F A', some columns at a time: use(first, tile). Takes half the time if F is lower triangular.
void for_tiles_of_product(const Matrix& F, const Eigen::Ref<const Matrix>& A, auto&& use) {
  const Index a = F.rows(), m = A.rows();
  if (a == 0 || m == 0) return;
  const bool is_lower = F.isLowerTriangular(0);
  products::tiles(m, blas::threads_for(static_cast<double>(a * a) * static_cast<double>(m)), [&](Index first, Index count) {
    Matrix tile = A.middleRows(first, count).transpose();
    if (is_lower)
      blas::trmm(blas::Side::left, Transpose::no, a, count, F.data(), a, tile.data(), a);
    else
      tile = times(F, tile);
    use(first, tile);
  });
}

// |F A'|^2
double square_of_product(const Matrix& F, const Eigen::Ref<const Matrix>& A) {
  Vector part = Vector::Zero((A.rows() + products::tile_width - 1) / products::tile_width);
  for_tiles_of_product(F, A, [&](Index first, const Matrix& tile) { part[first / products::tile_width] = tile.squaredNorm(); });
  return part.sum();
}

// Of the flat columns, the dense part, and effects with this sum of variances of rows in units of s2. If it is uncertain whether an effect
// is zero, it varies by more than the noise of its rows.                                                                        (SP.6)
double effective_of(const MixtureComponent& c, double of_effects) {
  const double flat = static_cast<double>(c.basis->R.rows()), most = static_cast<double>(std::min(c.basis->G.cols(), c.basis->l.size()));
  return flat + std::min((c.h * c.basis->l.array() * shrinkage(c).array()).sum() + of_effects, most);
}

}  // namespace

DenseSpread MixtureComponent::dense() const {
  return spread ? *spread : DenseSpread{s2 * h, s2 * h * h * shrinkage(*this), Matrix(basis->l.size(), 0), s2};
}

double MixtureComponent::effective_parameters() const {
  const auto Z = basis->Z();
  Matrix copy;
  const auto ZA = columns_of(*basis, active, copy);
  if (h == 0) {
    const double of_active = effective_of_active ? *effective_of_active : square_of_product(F, ZA) / s2;
    return effective_of(*this, of_active + Z.colwise().squaredNorm().dot(v) / s2);
  }
  const Vector D = shrinkage(*this);
  double of_inactive = 0;
  for (Index j = 0; j < v.size(); ++j)
    if (v[j] > 0) of_inactive += v[j] * D.cwiseProduct(Z.col(j)).squaredNorm();
  return effective_of(*this, (of_inactive + square_of_product(F, D.asDiagonal() * ZA)) / s2);
}

// The diagonal of (SP.6), or (SP.15), with P = I - h Z'DZ, and tr Z Cov(w) Z' = s2 h sum l D + tr M, M = D Z B Z' D: for active columns
// from F P and the inactive part of M, for others from v (1 - 2 h d) + h^2 z'Mz.
Marginals MixtureComponent::marginals() const {
  const auto Z = basis->Z();
  const Index p = Z.cols(), m = Z.rows(), a = static_cast<Index>(active.size());
  const Index threads = blas::threads_for(static_cast<double>(m * m) * static_cast<double>(p));
  Matrix copy;
  const auto ZA = columns_of(*basis, active, copy);
  Marginals out{v};
  const DenseSpread u = dense();
  const auto spread_of = [&](const auto& panel) {
    Vector variance = u.variance - (panel.cwiseAbs2().transpose() * u.narrowing).array();
    if (u.moves.cols() > 0) variance += transposed_times(u.moves, panel).colwise().squaredNorm().transpose();
    return variance;
  };
  if (h == 0) {  // P = I
    out.variance(active) = F.colwise().squaredNorm().transpose();
    out.effective_parameters = effective_parameters();
    if (spread)
      products::tiles(p, threads,
                      [&](Index first, Index count) { out.variance.segment(first, count) += spread_of(Z.middleCols(first, count)); });
  } else {
    const bool has_inactive = v.size() > 0 && v.maxCoeff() > 0;
    const Vector D = shrinkage(*this);
    Matrix M = Matrix::Zero(m, m);
    Matrix FZD(a, m);
    for_tiles_of_product(F, D.asDiagonal() * ZA, [&](Index first, const Matrix& tile) { FZD.middleCols(first, tile.cols()) = tile; });
    if (has_inactive) M = D.asDiagonal() * spread_of_inactive(*this) * D.asDiagonal();
    out.effective_parameters = effective_of(*this, (M.trace() + FZD.squaredNorm()) / s2);
    mirror(M);
    Vector of_active(a);
    products::tiles(a, threads, [&](Index first, Index count) {
      const auto panel = ZA.middleCols(first, count);
      const Matrix FP = F.middleCols(first, count) - h * times(FZD, panel);
      of_active.segment(first, count) = FP.colwise().squaredNorm().transpose() + spread_of(panel);
      if (has_inactive) of_active.segment(first, count) += h * h * forms(M, panel);
    });
    std::vector<bool> is_active(static_cast<std::size_t>(p), false);
    for (const Index j : active) is_active[static_cast<std::size_t>(j)] = true;
    std::vector<Index> others;
    for (Index j = 0; j < p; ++j)
      if (!is_active[static_cast<std::size_t>(j)]) others.push_back(j);
    if (!others.empty()) {  // one quadratic form: h^2 M, with all of B, and the spread
      blas::syrk(Transpose::yes, m, a, 1.0, FZD.data(), a, 1.0, M.data(), m);
      M *= h * h;
      M.diagonal() -= u.narrowing;
      M += u.moves * u.moves.transpose();
      mirror(M);
    }
    products::tiles(static_cast<Index>(others.size()), threads, [&](Index first, Index count) {
      const std::vector<Index> at(others.begin() + first, others.begin() + first + count);
      const Matrix panel = Z(Eigen::all, at);
      Vector variance = forms(M, panel).array() + u.variance;
      if (has_inactive) variance.array() -= 2 * h * (panel.cwiseAbs2().transpose() * D).array() * v(at).array();
      out.variance(at) += variance;
    });
    out.variance(active) = of_active;
  }
  out.variance = out.variance.cwiseMax(0.0);
  return out;
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

// t = x~ - h Z'DZ x~ with x~ = x - G'f:  s2 |R f|^2 + s2 h (x~'x~ - h (Z x~)'D(Z x~)) + t'B t, in two passes over the columns.      (SP.7)
// The terms before t'B t hold for known h and s2; otherwise (SP.15).
ComponentMoments Mixture::component_moments(Design& X) const {
  const Index n = X.rows();
  const std::size_t count = components.size();
  const Matrix F = read_columns(X, flat_columns);
  ComponentMoments out{Matrix::Zero(n, static_cast<Index>(count)), Matrix::Zero(n, static_cast<Index>(count))};
  std::vector<Matrix> ZX(count), T(count);  // [n, m] x~'Z', then times D; [n, active] of t
  std::vector<DenseSpread> u(count);
  std::vector<std::vector<Index>> place(count);
  Matrix copy;
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
      if (same && components[c - 1].has_dense()) continue;  // same product as for the component before
      ZX[c] += times_transposed(x, columns_of(*one.basis, at, copy));
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
    if (u[c].moves.cols() > 0) variance += times(ZX[c], u[c].moves).rowwise().squaredNorm();
    if (one.h > 0) ZX[c] *= shrinkage(one).asDiagonal();
  }
  for_column_panels(X, columns, [&](const auto& panel, const std::vector<Index>& at) {
    for (std::size_t c = 0; c < count; ++c) {
      const MixtureComponent& one = components[c];
      Matrix t = without_flat(panel, at, *one.basis);
      if (one.h > 0) t -= one.h * times(ZX[c], columns_of(*one.basis, at, copy));
      out.variance.col(static_cast<Index>(c)) += t.cwiseAbs2() * one.v(at);
      for (std::size_t j = 0; j < at.size(); ++j)
        if (const Index to = place[c][static_cast<std::size_t>(at[j])]; to >= 0) T[c].col(to) = t.col(static_cast<Index>(j));
    }
  });
  for (std::size_t c = 0; c < count; ++c)
    if (T[c].cols() > 0) out.variance.col(static_cast<Index>(c)) += times_transposed(T[c], components[c].F).rowwise().squaredNorm();
  out.variance = out.variance.cwiseMax(0.0);
  return out;
}

void Mixture::normalise_weights() {
  double sum = 0, largest = 0;
  for (const MixtureComponent& c : components) sum += c.weight, largest = std::max(largest, c.weight);
  const double rounding = static_cast<double>(components.size()) * std::numeric_limits<double>::epsilon();
  if (std::abs(sum - 1) <= rounding && largest <= 1) return;
  for (MixtureComponent& c : components) c.weight /= sum;  // at most 1: no term exceeds a sum of positive terms
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

double Mixture::effective_parameters() const {
  double out = 0;
  for (const MixtureComponent& c : components) out += c.weight * c.effective_parameters();
  return out;
}

Marginals Mixture::marginals() const {
  Vector centre = Vector::Zero(static_cast<Index>(columns.size()));
  for (const MixtureComponent& c : components) centre += c.weight * c.w;
  Marginals out{Vector::Zero(centre.size())};
  for (const MixtureComponent& c : components) {
    const Marginals one = c.marginals();
    out.variance += c.weight * (one.variance + (c.w - centre).cwiseAbs2());
    out.effective_parameters += c.weight * one.effective_parameters;
  }
  return out;
}

double Mixture::beside() const {
  double out = 0;
  for (const MixtureComponent& c : components) out += c.weight * c.beside;
  return out;
}

Matrix Mixture::covariance(Index num_columns) const {
  const Vector centre = mean(num_columns);
  Matrix out = Matrix::Zero(num_columns, num_columns);
  for (const MixtureComponent& c : components) {
    const Matrix C = c.covariance(), GC = c.basis->G * C;  // flat weights: the part of the target minus G w                     (RIDGE.7)
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

}  // namespace ardvark::internal
