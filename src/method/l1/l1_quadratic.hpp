// A quadratic model with an L1 penalty, and its minimum.                                                         docs/math/l1.md (L1.4)
#pragma once

#include <vector>

#include "method/l1/held_columns.hpp"

namespace ardvark::internal {

[[nodiscard]] inline int sign(double x) { return (x > 0) - (x < 0); }

/// By how much a weight w with gradient g violates its condition of the maximum; lambda = 0 for a flat column. May be negative. (L1.2)
[[nodiscard]] double optimality_excess(double g, double w, double lambda);
/// The rise of the log likelihood minus the penalty from one w to another that the gradient there predicts.                      (L1.4)
[[nodiscard]] double predicted_gain(const Vector& gradient, const Vector& lambda, const Vector& from, const Vector& to);

/// 1/2 d'G d - g'd + sum_j lambda_j |v_j + d_j|  with  G = X' diag(omega) X  over the active columns; lambda_j = 0 for flat ones.
class L1Quadratic {
 public:
  [[nodiscard]] Index size() const { return size_; }
  /// G of the columns; omega [n] >= 0.
  void rebuild(const HeldColumns& X, const Vector& omega);
  /// G as it is, both triangles; no columns can be appended.
  void set(Matrix G);
  /// Adds the columns from size() on, with the omega of the last rebuild.
  void append(const HeldColumns& X);
  /// Keeps only these positions, ascending.
  void keep(const std::vector<Index>& positions);
  /// v <- v + d at the minimum. With accuracy > 0, it stops when the violation of the model's optimality conditions is at most this part of
  /// that at the start. \param g  [size] gradient of the log likelihood at v
  void minimise(const Vector& g, const Vector& lambda, double accuracy, Vector& v);
  [[nodiscard]] const Vector& omega() const { return omega_; }

 private:
  bool descend(const Vector& lambda, Vector& v);  // one pass over the columns; true: a sign changed
  bool jump(const Vector& lambda, Vector& v);     // to the minimum at these signs; false: a weight reached zero on the way
  void factorise();
  [[nodiscard]] double violation(const Vector& lambda, const Vector& v) const;
  void reserve(Index size);

  Index size_ = 0;
  Matrix G_;  // both triangles
  Vector omega_;
  Vector c_;                    // gradient of the model at v
  std::vector<Index> support_;  // positions that are not zero, or flat
  std::vector<Index> factored_;
  bool is_factored_ = false;
  Matrix factor_;  // of G over factored_
  Vector step_, full_step_;
};

/// The same minimum without G: each pass goes over the entries of the columns. False: passes alone would take longer than G. (L1.17)
/// \param r  [rows] whose products with the columns are the gradient at v
[[nodiscard]] bool minimise_by_columns(const HeldColumns& X, const Vector& omega, const Vector& r, const Vector& lambda, double accuracy,
                                       Vector& v);

}  // namespace ardvark::internal
