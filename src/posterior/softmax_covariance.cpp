// The covariance of the class scores of a row.                                                          docs/math/softmax.md (SMX.4),
// (SMX.5)
#include <algorithm>

#include "posterior/softmax_solver.hpp"

namespace ardvark::internal {

void ClassCovariance::score_covariances(const TableDesign& X, const std::function<void(Index, const Matrix&)>& visit) const {
  const auto P = static_cast<Index>(column.size());
  const Index width = kind == Kind::triangular ? P : U.rows();
  const Index block = std::clamp<Index>((Index{1} << 18) / std::max<Index>(X.cols(), 1), 1, 256);
  std::vector<std::vector<Index>> weights(static_cast<std::size_t>(num_classes));
  for (Index i = 0; i < P; ++i) weights[static_cast<std::size_t>(class_of[static_cast<std::size_t>(i)])].push_back(i);
  Matrix panel(std::min(block, X.rows()), X.cols());
  std::vector<Matrix> Y(static_cast<std::size_t>(num_classes)), Q(static_cast<std::size_t>(num_classes));
  Matrix own(panel.rows(), num_classes), S(num_classes, num_classes);
  for (Index first = 0; first < X.rows(); first += block) {
    const Index count = std::min(block, X.rows() - first);
    X.read_rows(first, count, nullptr, panel);
    for (Index c = 0; c < num_classes; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const std::vector<Index>& of = weights[at];
      Matrix x(count, static_cast<Index>(of.size())), factor(width, x.cols());
      for (Index k = 0; k < x.cols(); ++k) {
        const Index i = of[static_cast<std::size_t>(k)];
        x.col(k) = panel.col(column[static_cast<std::size_t>(i)]).head(count);
        factor.col(k) = kind == Kind::triangular ? L_inverse.col(i) : U.col(i);
      }
      Y[at].noalias() = x * factor.transpose();
      own.col(c).setZero();
      if (kind == Kind::triangular) continue;
      for (Index k = 0; k < x.cols(); ++k) factor.col(k) = T.col(of[static_cast<std::size_t>(k)]);
      own.col(c).head(count) = x.cwiseAbs2() * d(of) - (x * factor.transpose()).rowwise().squaredNorm();
      Q[at].noalias() = x * (B(of, Eigen::all) * R.transpose());
    }
    for (Index n = 0; n < count; ++n) {
      for (Index c = 0; c < num_classes; ++c)
        for (Index e = 0; e <= c; ++e) {
          const auto i = static_cast<std::size_t>(c), j = static_cast<std::size_t>(e);
          S(c, e) = Y[i].row(n).dot(Y[j].row(n)) + (c == e ? own(n, c) : 0.0);
          if (kind == Kind::reduced) S(c, e) += Q[i].row(n).dot(Q[j].row(n));
          S(e, c) = S(c, e);
        }
      visit(first + n, S);
    }
  }
}

Matrix ClassCovariance::matrix() const {
  const auto P = static_cast<Index>(column.size());
  if (kind == Kind::triangular) {
    const Matrix L = L_inverse.triangularView<Eigen::Lower>();
    return L.transpose() * L;
  }
  const Matrix BR = B * R.transpose();
  Matrix V = U.transpose() * U + BR * BR.transpose();
  for (Index i = 0; i < P; ++i)
    for (Index j = 0; j < P; ++j)
      if (class_of[static_cast<std::size_t>(i)] == class_of[static_cast<std::size_t>(j)]) V(i, j) -= T.col(i).dot(T.col(j));
  V.diagonal() += d;
  return V;
}

}  // namespace ardvark::internal
