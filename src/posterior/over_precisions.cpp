#include "posterior/over_precisions.hpp"

#include <cmath>
#include <numbers>

#include "core/blas.hpp"

namespace ardvark::internal {
namespace {

// The poles are at ln l +- i pi: on a cell of half-width 1, the error falls by the factor pi + sqrt(pi^2 + 1) = 6.4 with each node.
constexpr int nodes = 20;
constexpr double width = 2;     // of a cell, in ln a
constexpr double edge = 1e290;  // beyond it, a node may be beyond the range of numbers
constexpr int of_zero = 1 << 20;

double node(int k) { return std::cos((2 * k + 1) * std::numbers::pi / (2 * nodes)); }

// The weights of the nodes at x in [-1, 1]: the barycentric formula for Chebyshev nodes of the first kind.
Vector weights_at(double x) {
  Vector out(nodes);
  for (int k = 0; k < nodes; ++k) {
    const double distance = x - node(k);
    if (distance == 0) return Vector::Unit(nodes, k);
    out[k] = (k % 2 == 0 ? 1 : -1) * std::sin((2 * k + 1) * std::numbers::pi / (2 * nodes)) / distance;
  }
  return out / out.sum();
}

}  // namespace

Matrix OverPrecisions::values(const Vector& precisions) const {
  Matrix inverse(l_.size(), precisions.size()), out = Matrix::Zero(S_.rows(), precisions.size());
  for (Index k = 0; k < precisions.size(); ++k) inverse.col(k) = (l_.array() + precisions[k]).inverse();
  if (S_.size() > 0)
    blas::gemm(blas::Transpose::no, blas::Transpose::no, S_.rows(), out.cols(), S_.cols(), 1.0, S_.data(), S_.rows(), inverse.data(),
               inverse.rows(), 0.0, out.data(), out.rows());
  return out;
}

const Matrix& OverPrecisions::cell(int number) const {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = cells_.try_emplace(number);
  if (is_new) {
    Vector precisions = Vector::Zero(1);
    if (number != of_zero)
      precisions = Vector::NullaryExpr(nodes, [&](Index k) { return std::exp(width * (number + 0.5 * (1 + node(static_cast<int>(k))))); });
    at->second = values(precisions);
  }
  return at->second;
}

Vector OverPrecisions::at(double a) const {
  if (a == 0) return cell(of_zero).col(0);
  if (!(a > 1 / edge && a < edge)) return values(Vector::Constant(1, a));
  const double place = std::log(a) / width, number = std::floor(place);
  return cell(static_cast<int>(number)) * weights_at(2 * (place - number) - 1);
}

}  // namespace ardvark::internal
