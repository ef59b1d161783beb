#include "posterior/weights.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/products.hpp"

namespace ardvark::internal {
namespace {

using products::times;
using products::transposed_times;

Matrix normals(Index rows, Index cols, Normals& random) {
  Matrix out(rows, cols);
  for (Index c = 0; c < cols; ++c)
    for (Index i = 0; i < rows; ++i) out(i, c) = random();
  return out;
}

// (1 - sqrt(1 - k))/k, which is (1 - sqrt(1 - k)) / (1 - (1 - k)).
Vector half_narrowing(const Vector& k) { return 1 / (1 + (1 - k.array().max(0.0).min(1.0)).sqrt()); }

// (I - S'S)^1/2 X = X - S'Q a Q'S X with S S' = Q k Q'.                                                                        (SP.28)
Matrix by_root_of_rest(const Matrix& S, Matrix X) {
  if (S.rows() == 0) return X;
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(products::times_transposed(S, S));
  const Matrix SQ = transposed_times(S, solved.eigenvectors());
  X -= times(SQ, half_narrowing(solved.eigenvalues()).asDiagonal() * transposed_times(SQ, X));
  return X;
}

// X - h Z'DZ X                                                                                                                 (SP.6)
Matrix seen_past_the_rows(const MixtureComponent& one, const Matrix& X) {
  if (one.h == 0) return X;
  const Vector hD = one.h * (1 + one.h * one.basis->l.array()).inverse();
  return X - transposed_times(one.basis->Z(), hD.asDiagonal() * times(one.basis->Z(), X));
}

Matrix effects_times(const MixtureComponent& one, const Matrix& X) {
  Matrix out = one.v.asDiagonal() * X;
  if (!one.active.empty()) out(one.active, Eigen::all) = transposed_times(one.F, times(one.F, X(one.active, Eigen::all)));
  return out;
}

// Cov(w) X of one component.                                                                                          (SP.6), (SP.15)
Matrix component_times(const MixtureComponent& one, const Matrix& X) {
  if (!one.has_dense() || X.rows() == 0) return effects_times(one, X);
  const DenseSpread u = one.dense();
  const Matrix ZX = times(one.basis->Z(), X);
  Matrix inside = (-u.narrowing).asDiagonal() * ZX;
  if (u.moves.cols() > 0) inside += times(u.moves, transposed_times(u.moves, ZX));
  return u.variance * X + transposed_times(one.basis->Z(), inside) +
         seen_past_the_rows(one, effects_times(one, seen_past_the_rows(one, X)));
}

// With the flat weights, which are a part of the target minus G w: Cov(flat, w) = -G C.                                     (RIDGE.7)
Matrix mixture_times(const Mixture& mixture, const Matrix& X) {
  const Vector centre = mixture.mean(X.rows());
  Matrix out = Matrix::Zero(X.rows(), X.cols());
  const Matrix of_weights = X(mixture.columns, Eigen::all), of_flat = X(mixture.flat_columns, Eigen::all);
  for (const MixtureComponent& one : mixture.components) {
    const Matrix &G = one.basis->G, &R = one.basis->R;
    const Matrix found = component_times(one, of_weights - transposed_times(G, of_flat));
    out(mixture.columns, Eigen::all) += one.weight * found;
    out(mixture.flat_columns, Eigen::all) += one.weight * (one.dense().flat * transposed_times(R, times(R, of_flat)) - times(G, found));
    Vector off = -centre;
    off(mixture.columns) += one.w;
    off(mixture.flat_columns) += one.flat_mean;
    out += one.weight * off * (off.transpose() * X);
  }
  return out;
}

Matrix reduced_times(const CovarianceFactor& V, const Matrix& X) {
  const std::vector<Index>& flat = V.flat_columns;
  Matrix inside = X;
  const Matrix of_flat = X(flat, Eigen::all);
  if (!flat.empty()) inside -= transposed_times(V.B, of_flat);
  Matrix out = V.d.asDiagonal() * inside;
  if (V.T.rows() > 0) out -= transposed_times(V.T, times(V.T, inside));
  if (V.U.rows() > 0) out += transposed_times(V.U, times(V.U, inside));
  if (!flat.empty()) out(flat, Eigen::all) = transposed_times(V.R, times(V.R, of_flat)) - times(V.B, out);
  return out;
}

// u + P b with the root of (SP.28), and what h moves.
Matrix component_deviations(const MixtureComponent& one, Index count, Normals& random) {
  const auto Z = one.basis->Z();
  const Index p = one.w.size();
  if (one.spread && one.h == 0 && static_cast<Index>(one.active.size()) == p)  // F has the covariance given h, of few columns    (SP.16)
    return transposed_times(lower_root(one.covariance()), normals(p, count, random));
  Matrix effects = one.v.cwiseSqrt().asDiagonal() * normals(p, count, random);
  if (!one.active.empty())
    effects(one.active, Eigen::all) = transposed_times(one.F, normals(static_cast<Index>(one.active.size()), count, random));
  if (!one.has_dense()) return effects;
  const DenseSpread u = one.dense();
  const Matrix free = std::sqrt(u.variance) * normals(p, count, random);
  const Vector c = u.narrowing / u.variance, a = c.cwiseProduct(half_narrowing(c.cwiseProduct(one.basis->l)));
  Matrix inside = (-a).asDiagonal() * times(Z, free);
  if (u.moves.cols() > 0) inside += times(u.moves, normals(u.moves.cols(), count, random));
  return free + transposed_times(Z, inside) + seen_past_the_rows(one, effects);
}

Matrix mixture_deviations(const Mixture& mixture, Index num_columns, Index count, Normals& random) {
  const Vector centre = mixture.mean(num_columns);
  std::vector<std::vector<Index>> draws(mixture.components.size());
  for (Index i = 0; i < count; ++i) {
    std::size_t c = 0;
    const double at = random.uniform();
    for (double sum = mixture.components[0].weight; c + 1 < draws.size() && !(at < sum);) sum += mixture.components[++c].weight;
    draws[c].push_back(i);
  }
  Matrix out = Matrix::Zero(num_columns, count);
  for (std::size_t c = 0; c < draws.size(); ++c) {
    if (draws[c].empty()) continue;
    const MixtureComponent& one = mixture.components[c];
    const auto some = static_cast<Index>(draws[c].size());
    const Matrix found = component_deviations(one, some, random), &R = one.basis->R;
    const Matrix flat = std::sqrt(one.dense().flat) * transposed_times(R, normals(R.rows(), some, random)) - times(one.basis->G, found);
    Vector off = -centre;
    off(mixture.columns) += one.w;
    off(mixture.flat_columns) += one.flat_mean;
    out(mixture.columns, draws[c]) = found;
    out(mixture.flat_columns, draws[c]) = flat;
    for (const Index i : draws[c]) out.col(i) += off;
  }
  return out;
}

Matrix reduced_deviations(const CovarianceFactor& V, Index count, Normals& random) {
  const Vector root = V.d.cwiseMax(0.0).cwiseSqrt(), inverse = root.unaryExpr([](double r) { return r > 0 ? 1 / r : 0.0; });
  Matrix out = root.asDiagonal() * by_root_of_rest(V.T * inverse.asDiagonal(), normals(V.d.size(), count, random));
  if (V.U.rows() > 0) out += transposed_times(V.U, normals(V.U.rows(), count, random));
  if (!V.flat_columns.empty())
    out(V.flat_columns, Eigen::all) = transposed_times(V.R, normals(V.R.rows(), count, random)) - times(V.B, out);
  return out;
}

}  // namespace

Matrix times(const CovarianceFactor& V, const Matrix& X) {
  if (V.kind == CovarianceFactor::Kind::mixture) return mixture_times(V.mixture, X);
  const Matrix inside = V.columns.empty() ? X : Matrix(X(V.columns, Eigen::all));
  const Matrix found =
      V.kind == CovarianceFactor::Kind::triangular ? transposed_times(V.L_inverse, times(V.L_inverse, inside)) : reduced_times(V, inside);
  if (V.columns.empty()) return found;
  Matrix out = Matrix::Zero(X.rows(), X.cols());
  out(V.columns, Eigen::all) = found;
  return out;
}

Matrix deviations(const CovarianceFactor& V, Index num_columns, Index count, Normals& random) {
  if (V.kind == CovarianceFactor::Kind::mixture) return mixture_deviations(V.mixture, num_columns, count, random);
  const Matrix found = V.kind == CovarianceFactor::Kind::triangular
                           ? transposed_times(V.L_inverse, normals(V.L_inverse.rows(), count, random))
                           : reduced_deviations(V, count, random);
  if (V.columns.empty()) return found;
  Matrix out = Matrix::Zero(num_columns, count);
  out(V.columns, Eigen::all) = found;
  return out;
}

}  // namespace ardvark::internal
