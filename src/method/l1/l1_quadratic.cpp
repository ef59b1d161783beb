#include "method/l1/l1_quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/blas.hpp"
#include "core/resize.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

double optimality_excess(double g, double w, double lambda) { return w != 0 ? std::abs(g - lambda * sign(w)) : std::abs(g) - lambda; }

// Column by column: near the maximum, a difference of sums would be rounding.
double predicted_gain(const Vector& gradient, const Vector& lambda, const Vector& from, const Vector& to) {
  double gain = 0;
  for (Index i = 0; i < from.size(); ++i) {
    const double change = to[i] - from[i];
    const double longer =
        sign(to[i]) * sign(from[i]) < 0 ? std::abs(to[i]) - std::abs(from[i]) : change * (from[i] != 0 ? sign(from[i]) : sign(to[i]));
    gain += gradient[i] * change - lambda[i] * longer;
  }
  return gain;
}

void L1Quadratic::reserve(Index size) {
  if (size > G_.rows()) G_.conservativeResize(std::max(size, 2 * G_.rows()), std::max(size, 2 * G_.cols()));
}

void L1Quadratic::rebuild(const HeldColumns& X, const Vector& omega) {
  size_ = 0;
  is_factored_ = false;
  assign(omega_, omega);
  append(X);
}

void L1Quadratic::set(Matrix G) {
  size_ = G.rows();
  G_ = std::move(G);
  is_factored_ = false;
}

void L1Quadratic::append(const HeldColumns& X) {
  if (X.size() == size_) return;
  reserve(X.size());
  X.gram(size_, omega_, G_);
  size_ = X.size();
}

void L1Quadratic::keep(const std::vector<Index>& positions) {
  const auto count = static_cast<Index>(positions.size());
  for (Index j = 0; j < count; ++j) {
    const Index from = positions[static_cast<std::size_t>(j)];
    for (Index i = 0; i < count; ++i) G_(i, j) = G_(positions[static_cast<std::size_t>(i)], from);
  }
  size_ = count;
  is_factored_ = false;
}

// Passes find the signs, a jump finds the weights. Each lowers the model, so that the result is lower wherever it stops.         (L1.4)
void L1Quadratic::minimise(const Vector& g, const Vector& lambda, double accuracy, Vector& v) {
  assign(c_, g);
  const double goal = std::max(accuracy, 1e-8) * violation(lambda, v) + 1e-13 * (size_ > 0 ? g.cwiseAbs().maxCoeff() : 0);
  // So many passes cost less than a factorisation.
  const int most_passes = 10 + (accuracy > 0 ? static_cast<int>(size_ / 16) : 0), most_rounds = 100;
  bool at_face_minimum = true;
  for (int round = 0; round < most_rounds; ++round) {
    // If columns are almost linearly dependent, a pass would bring back a weight that a jump has just set to zero. Then there are only
    // jumps, to the minimum with fewer and fewer weights, and one pass from there.
    const int passes = round < 3 ? most_passes : at_face_minimum ? 1 : 0;
    for (int pass = 0; pass < passes && (descend(lambda, v) || accuracy > 0); ++pass)
      if (accuracy > 0 && violation(lambda, v) <= goal) return;
    at_face_minimum = jump(lambda, v);
    if (at_face_minimum && violation(lambda, v) <= goal) return;
  }
}

namespace {

// The minimum in one weight, whose gradient is g.                                                                                (L1.3)
double least(double v, double g, double curvature, double lambda) {
  const double u = curvature * v + g;
  return std::max(std::abs(u) - lambda, 0.0) * sign(u) / curvature;
}

}  // namespace

// With x = f z + s, the residual of the model is u - shift omega: a step of x changes u in the entries of z only, and the shift.  (L1.17)
bool minimise_by_columns(const HeldColumns& X, const Vector& omega, const Vector& r, const Vector& lambda, double accuracy, Vector& v) {
  const Index size = X.size(), most_passes = std::max<Index>(50, size / 8);
  constexpr Index between = 10;  // passes, after which the others are foreseen
  const double of_omega = omega.sum();
  Vector plain(size), curvature(size);
  for (Index j = 0; j < size; ++j) {
    const HeldColumns::Held& x = X.at(j);
    plain[j] = x.column->dot(omega);
    curvature[j] = x.factor * x.factor * x.column->square(omega) + 2 * x.factor * x.shift * plain[j] + x.shift * x.shift * of_omega;
  }
  Vector u = r;
  double total = u.sum(), shift = 0, goal = 0, before = 0;
  for (Index pass = 0; pass < most_passes; ++pass) {
    double worst = 0, largest = 0;
    for (Index j = 0; j < size; ++j) {
      if (!(curvature[j] > 0)) continue;
      const HeldColumns::Held& x = X.at(j);
      const double g = x.factor * (x.column->dot(u) - shift * plain[j]) + x.shift * (total - shift * of_omega);
      worst = std::max(worst, optimality_excess(g, v[j], lambda[j]));
      largest = std::max(largest, std::abs(g));
      const double next = least(v[j], g, curvature[j], lambda[j]), change = next - v[j];
      if (change == 0) continue;
      v[j] = next;
      const double step = x.factor * change;
      x.column->subtract(step, omega, u);
      total -= step * plain[j];
      shift += x.shift * change;
    }
    if (pass == 0) goal = std::max(accuracy, 1e-8) * worst + 1e-13 * largest;
    if (worst <= goal) return true;
    if (pass % between != 0) continue;
    const double passes_left = pass > 0 ? between * std::log(goal / worst) / std::log(worst / before) : 0;
    if (!(passes_left >= 0 && passes_left < static_cast<double>(most_passes - pass))) return false;
    before = worst;
  }
  return false;
}

double L1Quadratic::violation(const Vector& lambda, const Vector& v) const {
  double worst = 0;
  for (Index j = 0; j < size_; ++j) worst = std::max(worst, optimality_excess(c_[j], v[j], lambda[j]));
  return worst;
}

bool L1Quadratic::descend(const Vector& lambda, Vector& v) {
  bool changed = false;
  for (Index j = 0; j < size_; ++j) {
    const double curvature = G_(j, j);
    if (!(curvature > 0)) continue;
    const double next = least(v[j], c_[j], curvature, lambda[j]), change = next - v[j];
    if (change == 0) continue;
    changed = changed || (lambda[j] > 0 && sign(next) != sign(v[j]));
    v[j] = next;
    c_.head(size_) -= change * G_.col(j).head(size_);
  }
  return changed;
}

bool L1Quadratic::jump(const Vector& lambda, Vector& v) {
  support_.clear();
  for (Index j = 0; j < size_; ++j)
    if (G_(j, j) > 0 && (v[j] != 0 || lambda[j] == 0)) support_.push_back(j);
  if (support_.empty()) return true;
  if (!is_factored_ || support_ != factored_) factorise();
  const auto count = static_cast<Index>(support_.size());
  resize(step_, count);
  for (Index i = 0; i < count; ++i) {
    const Index j = support_[static_cast<std::size_t>(i)];
    step_[i] = c_[j] - lambda[j] * sign(v[j]);
  }
  blas::trsv(blas::Transpose::no, count, factor_.data(), factor_.outerStride(), step_.data());
  blas::trsv(blas::Transpose::yes, count, factor_.data(), factor_.outerStride(), step_.data());
  double length = 1;  // up to the first weight that reaches zero
  Index zero = -1;
  for (Index i = 0; i < count; ++i) {
    const Index j = support_[static_cast<std::size_t>(i)];
    if (lambda[j] > 0 && sign(step_[i]) == -sign(v[j]) && std::abs(v[j]) <= length * std::abs(step_[i])) {
      length = std::abs(v[j] / step_[i]);
      zero = j;
    }
  }
  assign(full_step_, Vector::Zero(size_));
  for (Index i = 0; i < count; ++i) {
    const Index j = support_[static_cast<std::size_t>(i)];
    const double next = j == zero ? 0 : v[j] + length * step_[i];
    full_step_[j] = next - v[j];
    v[j] = next;
  }
  blas::gemv(blas::Transpose::yes, size_, size_, -1.0, G_.data(), G_.outerStride(), full_step_.data(), 1.0, c_.data());
  return zero < 0;
}

// With linearly dependent columns, G is singular. A small addition to the diagonal limits the step; the passes do the rest.
void L1Quadratic::factorise() {
  const auto count = static_cast<Index>(support_.size());
  factored_ = support_;
  is_factored_ = true;
  resize(factor_, count, count);
  Vector diagonal(count);
  for (double ridge = 0; ridge < 1; ridge = ridge == 0 ? 1e-14 : 100 * ridge) {
    for (Index j = 0; j < count; ++j)
      for (Index i = j; i < count; ++i) factor_(i, j) = G_(support_[static_cast<std::size_t>(i)], support_[static_cast<std::size_t>(j)]);
    diagonal = factor_.diagonal();
    factor_.diagonal() *= 1 + ridge;
    bool sound = blas::potrf(count, factor_.data(), count);
    for (Index j = 0; j < count && sound && ridge == 0; ++j) sound = !pivot_is_rounding(factor_(j, j), diagonal[j], count);
    if (sound) return;
  }
  factor_ = Matrix(diagonal.cwiseSqrt().asDiagonal());
}

}  // namespace ardvark::internal
