#include "posterior/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/pulse.hpp"

namespace ardvark::internal {
namespace {

Matrix with_column(const Matrix& A, const Vector& last) {
  Matrix out(A.rows(), A.cols() + 1);
  out << A, last;
  return out;
}

// Scales the columns to length 1; those that are no more than `rounding` become 0.
void normalise(Matrix& V, const Vector& length, const Vector& rounding) {
  for (Index i = 0; i < V.cols(); ++i) V.col(i) *= length[i] > rounding[i] ? 1 / length[i] : 0.0;
}

}  // namespace

Lanczos::Lanczos(Matrix start, double most_kept)
    : now_(std::move(start)),
      before_(Matrix::Zero(now_.rows(), now_.cols())),
      squares_(now_.colwise().squaredNorm().transpose()),
      most_kept_(static_cast<Index>(most_kept / (8 * static_cast<double>(std::max<Index>(now_.rows(), 1))))) {
  diagonal_.resize(now_.cols(), 0);
  off_diagonal_.resize(now_.cols(), 0);
  normalise(now_, squares_.cwiseSqrt(), Vector::Zero(squares_.size()));
}

void Lanczos::advance(const SquareProduct& S) {
  pulse();
  Matrix next = S(now_);
  if (steps() > 0) next -= before_ * off_diagonal_.col(steps() - 1).asDiagonal();
  const Vector diagonal = next.cwiseProduct(now_).colwise().sum().transpose();
  next -= now_ * diagonal.asDiagonal();
  Vector length = next.colwise().norm().transpose();
  const Vector rounding = 8 * std::numeric_limits<double>::epsilon() * diagonal.cwiseAbs();
  normalise(next, length, rounding);  // the vectors so far span all that S makes of z
  length = (length.array() > rounding.array()).select(length, 0.0);
  if (steps() == static_cast<Index>(kept_.size()) && steps() < most_kept_) kept_.push_back(now_.col(0));
  before_ = std::move(now_);
  now_ = std::move(next);
  diagonal_ = with_column(diagonal_, diagonal);
  off_diagonal_ = with_column(off_diagonal_, length);
  quadratures_.clear();
}

// (T + a I)x = |z| e_1 by L D L'.
Vector Lanczos::coefficients(Index i, double a) const {
  const Index k = steps();
  Vector pivot(k), x(k);
  for (Index s = 0; s < k; ++s) {
    const double ratio = s > 0 ? off_diagonal_(i, s - 1) / pivot[s - 1] : 0.0;
    pivot[s] = diagonal_(i, s) + a - (s > 0 ? ratio * off_diagonal_(i, s - 1) : 0.0);
    x[s] = s > 0 ? -ratio * x[s - 1] : std::sqrt(squares_[i]);
  }
  for (Index s = k - 1; s >= 0; --s) x[s] = (x[s] - (s + 1 < k ? off_diagonal_(i, s) * x[s + 1] : 0.0)) / pivot[s];
  return x;
}

Vector Lanczos::solution(double a) const {
  if (static_cast<Index>(kept_.size()) < steps()) return {};
  const Vector x = coefficients(0, a);
  Vector out = Vector::Zero(now_.rows());
  for (std::size_t s = 0; s < kept_.size(); ++s) out += x[static_cast<Index>(s)] * kept_[s];
  return out;
}

Lanczos::Solved Lanczos::solve(Index i, double a) const {
  const Index k = steps();
  const Vector x = coefficients(i, a);
  Solved out{0, 0, 0, std::sqrt(squares_[i])};
  for (Index s = 0; s < k; ++s) {
    out.xx += x[s] * x[s];
    out.xSx += x[s] * (diagonal_(i, s) * x[s] + (s + 1 < k ? 2 * off_diagonal_(i, s) * x[s + 1] : 0.0));
  }
  if (k == 0) return out;
  out.zx = std::sqrt(squares_[i]) * x[0];
  out.xSx = std::max(out.xSx, 0.0);
  out.remaining = off_diagonal_(i, k - 1) * std::abs(x[k - 1]);
  return out;
}

// Eigenvalues of T and the squares of the first elements of its eigenvectors, by the implicit QL method (Golub and Welsch 1969).
Lanczos::Quadrature Lanczos::quadrature(Index i) const {
  const Index k = steps();
  Vector d = diagonal_.row(i).transpose(), e = off_diagonal_.row(i).transpose(), z = Vector::Unit(k, 0);
  for (Index l = 0; l < k; ++l)
    for (int turn = 0; turn < 60; ++turn) {
      Index m = l;
      while (m + 1 < k && std::abs(e[m]) > std::numeric_limits<double>::epsilon() * (std::abs(d[m]) + std::abs(d[m + 1]))) ++m;
      if (m == l) break;
      double g = (d[l + 1] - d[l]) / (2 * e[l]);
      g = d[m] - d[l] + e[l] / (g + std::copysign(std::hypot(g, 1.0), g));
      double s = 1, c = 1, p = 0;
      for (Index j = m - 1; j >= l; --j) {
        const double f = s * e[j], b = c * e[j], r = std::hypot(f, g);
        e[j + 1] = r;
        if (r == 0) {
          d[j + 1] -= p;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[j + 1] - p;
        const double t = (d[j] - g) * s + 2 * c * b;
        p = s * t;
        d[j + 1] = g + p;
        g = c * t - b;
        const double upper = z[j + 1];
        z[j + 1] = s * z[j] + c * upper;
        z[j] = c * z[j] - s * upper;
      }
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  return {d.cwiseMax(0.0), z.cwiseAbs2()};
}

// Gershgorin's discs.
double Lanczos::largest() const {
  double out = 0;
  for (Index s = 0; s < steps(); ++s)
    for (Index i = 0; i < count(); ++i)
      out = std::max(out, diagonal_(i, s) + (s > 0 ? off_diagonal_(i, s - 1) : 0.0) + (s + 1 < steps() ? off_diagonal_(i, s) : 0.0));
  return out;
}

double Lanczos::log_form(Index i, double a) {
  if (quadratures_.empty())
    for (Index v = 0; v < count(); ++v) quadratures_.push_back(quadrature(v));
  const Quadrature& q = quadratures_[static_cast<std::size_t>(i)];
  return squares_[i] * q.weight.dot((q.node.array() + a).log().matrix());
}

double solve_by_gradients(const SquareProduct& S, const SquareProduct& quick, double a, const Matrix& B, double most, Matrix& X) {
  constexpr int most_steps = 5000, most_rounds = 6;
  constexpr double of_round = 1e-4;  // more than this, steps with few digits do not gain
  X = Matrix::Zero(B.rows(), B.cols());
  Matrix R = B;
  double largest = std::numeric_limits<double>::infinity();
  int steps = 0;
  for (int round = 0; round < most_rounds; ++round) {
    Vector square = R.colwise().squaredNorm().transpose();
    const double now = std::sqrt(square.size() > 0 ? square.maxCoeff() : 0.0);
    if (now <= most || !(now < 0.5 * largest)) return now;
    largest = now;
    const double enough = std::pow(std::max(0.5 * most, of_round * now), 2);
    Matrix P = R;
    for (; steps < most_steps && (square.array() > enough).any(); ++steps) {
      pulse();
      const Matrix SP = quick(P) + a * P;
      const Vector curvature = P.cwiseProduct(SP).colwise().sum().transpose();
      const Vector step = (curvature.array() > 0).select(square.array() / curvature.array(), 0.0);
      X += P * step.asDiagonal();
      R -= SP * step.asDiagonal();
      const Vector next = R.colwise().squaredNorm().transpose();
      const Vector turn = (square.array() > 0).select(next.array() / square.array(), 0.0);
      P = (R + P * turn.asDiagonal()).eval();
      square = next;
    }
    R = B - S(X) - a * X;  // itself: what the steps carry along drifts away from it
  }
  return R.colwise().norm().maxCoeff();
}

}  // namespace ardvark::internal
