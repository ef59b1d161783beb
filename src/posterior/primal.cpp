// The primal solver, p x p.                                                                        docs/math/ridge.md
//
//     V^-1 = diag(a) + X' diag(omega) X = L L'       w = L'^-1 L^-1 X' r                                      (RIDGE.3)
#include <cmath>

#include "core/blas.hpp"
#include "core/eigen_solvers.hpp"
#include "posterior/triangular.hpp"

namespace ardvark::internal {

void sum_by_group(const Partition& partition, const Vector& a, Posterior& q) {
  q.group_square.setZero();
  q.group_variance.setZero();
  q.penalty = q.fixed_square = q.fixed_variance = q.explained = 0;
  for (Index j = 0; j < partition.num_columns(); ++j) {
    const double square = q.w[j] * q.w[j];
    q.penalty += a[j] * square;
    const Index g = partition.group[static_cast<std::size_t>(j)];
    if (g >= 0) {
      q.group_square[g] += square;
      q.group_variance[g] += q.V_diagonal[j];
    } else if (g != Partition::flat) {
      q.fixed_square += a[j] * square;
      q.fixed_variance += a[j] * q.V_diagonal[j];
    }
    q.explained += 1 - a[j] * q.V_diagonal[j];  // (RIDGE.5)
  }
}

namespace {

class Primal final : public Triangular {
 public:
  explicit Primal(System system) : Triangular(system), gram_(Matrix::Zero(p_, p_)), Xr_(p_), Gw_(p_) {}

  [[nodiscard]] SolverKind kind() const override { return SolverKind::primal; }

  [[nodiscard]] bool solve_mean(const Rows& rows, const Vector& a, Posterior& q) override {
    Design& X = system_.X;
    if (!gram_is_current_) {
      X.gram(rows.omega, gram_);
      gram_is_current_ = system_.likelihood.constant_rows;
      if (system_.likelihood.constant_rows) remember_response(rows);
    }
    if (!system_.likelihood.constant_rows) {
      if (system_.likelihood.residual)
        remember_response(rows);
      else
        X.project(rows.r, Xr_);
    }

    for (Index j = 0; j < p_; ++j) L_inverse_.col(j).tail(p_ - j) = gram_.col(j).tail(p_ - j);
    L_inverse_.diagonal() += a;
    a_ = a;
    if (!blas::potrf(p_, L_inverse_.data(), p_) || flat_columns_are_collinear()) return false;
    q.log_det_V = -2 * L_inverse_.diagonal().array().log().sum();
    q.w = Xr_;
    blas::trsv(blas::Transpose::no, p_, L_inverse_.data(), p_, q.w.data());
    blas::trsv(blas::Transpose::yes, p_, L_inverse_.data(), p_, q.w.data());
    if (system_.likelihood.row_moments) X.apply(q.w, q.m);
    return q.w.allFinite();
  }

  bool set_products(Products products) override { return !system_.likelihood.constant_rows && system_.X.set_products(products); }

  // C = Z'Omega Z - Z'Omega F H^-1 F'Omega Z, c = Z'r - Z'Omega F H^-1 F'r                                       (RIDGE.7)
  [[nodiscard]] bool shared_system(const Rows& rows, SharedSystem& out) override {
    system_.X.gram(rows.omega, gram_);
    remember_response(rows);
    gram_is_current_ = true;
    const auto& flat = system_.partition.flat_columns;
    std::vector<Index> penalised;
    for (Index j = 0; j < p_; ++j)
      if (system_.partition.group[static_cast<std::size_t>(j)] >= 0) penalised.push_back(j);
    const Matrix G = gram_.selfadjointView<Eigen::Lower>();
    out.dual = false;
    out.C = G(penalised, penalised);
    out.c = Xr_(penalised);
    out.response_square = response_square_;
    if (flat.empty()) return true;
    const Matrix G_FF = G(flat, flat);
    const Eigen::LLT<Matrix> H(G_FF);
    if (H.info() != Eigen::Success || collinear(G_FF, H.matrixLLT())) return false;
    const Matrix half = H.matrixL().solve(G(flat, penalised));
    const Vector half_response = H.matrixL().solve(Vector(Xr_(flat)));
    out.C.noalias() -= half.transpose() * half;
    out.c.noalias() -= half.transpose() * half_response;
    out.response_square -= half_response.squaredNorm();
    out.log_det_H = 2 * H.matrixLLT().diagonal().array().log().sum();
    return true;
  }

  [[nodiscard]] Vector precision_diagonal(const Posterior&) override { return gram_.diagonal() + a_; }

 private:
  // If the columns before a flat column span it, its pivot is only rounding error.
  [[nodiscard]] bool flat_columns_are_collinear() const {
    for (Index j : system_.partition.flat_columns)
      if (pivot_is_rounding(L_inverse_(j, j), gram_(j, j), p_)) return true;
    return false;
  }

  void remember_response(const Rows& rows) {
    system_.X.project(rows.r, Xr_);
    response_square_ = 0;
    for (Index n = 0; n < rows.r.size(); ++n)
      if (rows.omega[n] > 0) response_square_ += rows.r[n] * rows.r[n] / rows.omega[n];
  }

  // z'diag(omega)z - 2 w'X'r + w'X'diag(omega)X w costs p^2 and no pass over the rows. But its terms cancel if the fit is nearly perfect or
  // if there are large weights of opposite sign. Below 1e-6 of their sizes (10 digits left), the rows are used instead. (RIDGE.10)
  [[nodiscard]] double residual(const Rows& rows, Posterior& q) override {
    blas::symv(p_, gram_.data(), p_, q.w.data(), Gw_.data());
    const double by_gram = response_square_ - 2 * q.w.dot(Xr_) + q.w.dot(Gw_);
    const double size = std::sqrt(response_square_) + gram_.diagonal().cwiseSqrt().dot(q.w.cwiseAbs());
    if (by_gram > 1e-6 * size * size) return by_gram;
    system_.X.apply(q.w, q.m);
    double sum = 0;
    for (Index n = 0; n < q.m.size(); ++n)
      if (rows.omega[n] > 0) {
        const double e = rows.r[n] / rows.omega[n] - q.m[n];
        sum += rows.omega[n] * e * e;
      }
    return sum;
  }

  Matrix gram_;  // lower triangle of X' diag(omega) X
  Vector Xr_, Gw_, a_;
  double response_square_ = 0;  // sum omega (r/omega)^2
  bool gram_is_current_ = false;
};

}  // namespace

std::unique_ptr<Solver> make_primal(System system) { return std::make_unique<Primal>(system); }

}  // namespace ardvark::internal
