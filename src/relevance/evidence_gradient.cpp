#include "relevance/evidence_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "core/special.hpp"

namespace ardvark::internal {

Matrix column_gradient(Design& basis, const Vector& target, GreedyLikelihood likelihood, const GreedyOutcome& fit, ColumnLength length,
                       const Vector& row_weights) {
  const Index n = basis.rows(), k = static_cast<Index>(fit.columns.size());
  Matrix Phi(n, k);
  for (Index j = 0; j < k; ++j) basis.columns(fit.columns[static_cast<std::size_t>(j)], 1, Phi.middleCols(j, 1));
  const Matrix PhiV = Phi * fit.V;
  const Vector s = PhiV.cwiseProduct(Phi).rowwise().sum();
  Vector omega(n), e(n), g = Vector::Zero(n);  // e = r - omega m; g: derivative of 1/2 ln|V| through omega with respect to m
  for (Index i = 0; i < n; ++i) {
    const double weight = row_weights.size() > 0 ? row_weights[i] : 1.0, m = fit.m[i];
    switch (likelihood) {
      case GreedyLikelihood::gaussian:
        omega[i] = weight * fit.noise_precision;
        e[i] = omega[i] * (target[i] - m);
        break;
      case GreedyLikelihood::bernoulli: {
        const double p = sigmoid(m), slope = p * sigmoid(-m);
        omega[i] = weight * slope;
        e[i] = weight * (target[i] - p);
        g[i] = -0.5 * weight * s[i] * slope * (sigmoid(-m) - p);
        break;
      }
      case GreedyLikelihood::logistic_bound:
        omega[i] = weight * 2 * jj_lambda(std::sqrt(m * m + std::max(s[i], 0.0)));  // (JJ.2), (JJ.3)
        e[i] = weight * (target[i] - 0.5) - omega[i] * m;
        break;
    }
  }
  Matrix D = e * fit.w.transpose() - omega.asDiagonal() * PhiV;  // (RVM.5b)
  if (likelihood == GreedyLikelihood::bernoulli) {               // the mode also moves
    const Vector h = PhiV.transpose() * g;
    D += (g - omega.cwiseProduct(Phi * h)) * fit.w.transpose() + e * h.transpose();
  }
  if (length == ColumnLength::fixed)  // (RVM.5c)
    for (Index j = 0; j < k; ++j) {
      const Vector weighted = row_weights.size() > 0 ? row_weights.cwiseProduct(Phi.col(j)) : Vector(Phi.col(j));
      D.col(j) -= D.col(j).dot(Phi.col(j)) / Phi.col(j).dot(weighted) * weighted;
    }
  return D;
}

Vector kernel_gradient(const Kernel& kernel, const Matrix& X, const Matrix& C, const Vector& scale, const std::vector<Index>& columns,
                       const Matrix& D) {
  Vector gradient = Vector::Zero(kernel.num_parameters());
  constexpr Index block = 64;
  Matrix centres(block, C.cols()), weight(X.rows(), block), slope(X.rows(), block);
  for (std::size_t next = 0; next < columns.size();) {
    Index count = 0;
    for (; next < columns.size() && count < block; ++next) {
      const Index c = columns[next];
      if (c >= C.rows()) continue;
      centres.row(count) = C.row(c);
      weight.col(count++) = D.col(static_cast<Index>(next)) * (scale.size() > 0 ? scale[c] : 1.0);
    }
    for (Index parameter = 0; count > 0 && parameter < gradient.size(); ++parameter) {
      kernel.derivative(X, centres.topRows(count), parameter, slope.leftCols(count));
      gradient[parameter] += weight.leftCols(count).cwiseProduct(slope.leftCols(count)).sum();  // (RVM.5c)
    }
  }
  return gradient;
}

}  // namespace ardvark::internal
