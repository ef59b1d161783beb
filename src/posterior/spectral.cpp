// The spectral solver: one precision a for all penalised columns and rows that never change.             docs/math/ridge.md
//
// C is reduced once to a tridiagonal T = Q'CQ (no eigenvectors are needed); each sweep then solves (T + a I) x = Q'c and takes its
// determinant and the trace of its inverse in O(min(n,p)).                                                      (RIDGE.6)
#include <cmath>

#include "core/blas.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

class Spectral final : public Solver {
 public:
  Spectral(System system, std::unique_ptr<Solver> exact) : system_(system), exact_(std::move(exact)) {}

  [[nodiscard]] SolverKind kind() const override { return SolverKind::spectral; }

  [[nodiscard]] bool solve(const Rows& rows, const Vector& a_columns, Posterior& q) override {
    if (!prepared_ && !prepare(rows)) return false;
    if (sizes_differ_) return exact_->solve(rows, a_columns, q);
    const double a = penalised_precision(a_columns);
    double log_det = 0, trace = 0;
    if (!solve_tridiagonal(a, log_det, trace)) return false;

    const auto k = static_cast<double>(size_), penalised = static_cast<double>(num_penalised_);
    const double xx = x_.squaredNorm(), cx = c_.dot(x_);
    const double xCx = std::max(cx - a * xx, 0.0);
    double square, variance;
    if (shared_.dual) {
      square = xCx;
      q.residual = a * a * xx;
      variance = (penalised - k) / a + trace;
      q.log_det_V = -(penalised - k) * std::log(a) - log_det;
    } else {
      square = xx;
      q.residual = shared_.response_square - 2 * cx + xCx;
      variance = trace;
      q.log_det_V = -log_det;
      // For a nearly perfect fit this difference has too few digits: the exact solver then uses the rows.
      if (q.residual < 1e-6 * shared_.response_square) return exact_->solve(rows, a_columns, q);
    }
    q.log_det_V -= shared_.log_det_H;
    q.group_square[0] = square;
    q.group_variance[0] = variance;
    q.penalty = a * square;
    // Left-out columns: w_j = 0, V_jj = 1 at precision 1.
    q.fixed_variance = static_cast<double>(system_.partition.num_left_out());
    q.explained = static_cast<double>(system_.partition.num_columns()) - a * variance - q.fixed_variance;
    return std::isfinite(q.log_det_V) && std::isfinite(square);
  }

  [[nodiscard]] bool finish(const Rows& rows, const Vector& a, Posterior& q) override {
    return exact_->solve(rows, a, q) && exact_->finish(rows, a, q);
  }
  [[nodiscard]] bool shared_system(const Rows& rows, SharedSystem& out) override { return exact_->shared_system(rows, out); }
  [[nodiscard]] double variance_of(const Vector& x) override { return exact_->variance_of(x); }
  [[nodiscard]] CovarianceFactor factor() override { return exact_->factor(); }
  [[nodiscard]] Vector precision_diagonal(const Posterior& q) override { return exact_->precision_diagonal(q); }

 private:
  bool prepare(const Rows& rows) {
    if (!exact_->shared_system(rows, shared_)) return false;
    size_ = shared_.c.size();
    // If columns have very different sizes, a tridiagonal matrix keeps no digits of the small ones; a Cholesky factor does.
    constexpr double most_ratio = 1e8;  // of squared sizes
    const Vector squares = shared_.C.diagonal();
    const double largest = size_ > 0 ? squares.maxCoeff() : 0;
    sizes_differ_ = !shared_.dual && ((squares.array() > 0) && (squares.array() * most_ratio < largest)).any();
    num_penalised_ = system_.partition.group_size[0];
    diagonal_.resize(size_);
    off_diagonal_.resize(std::max<Index>(size_ - 1, 1));
    Vector tau(std::max<Index>(size_ - 1, 1));
    blas::sytrd(size_, shared_.C.data(), shared_.C.outerStride(), diagonal_.data(), off_diagonal_.data(), tau.data());
    c_ = shared_.c;
    blas::apply_reflectors_transposed(size_, shared_.C.data(), shared_.C.outerStride(), tau.data(), c_.data());
    shared_.C.resize(0, 0);
    forward_.resize(size_);
    x_.resize(size_);
    prepared_ = true;
    return true;
  }

  [[nodiscard]] double penalised_precision(const Vector& a) const {
    for (Index j = 0; j < system_.partition.num_columns(); ++j)
      if (system_.partition.group[static_cast<std::size_t>(j)] == 0) return a[j];
    return 1.0;
  }

  // (T + a I) x = c by L D L' from the top; with L D L' from the bottom, [(T + a I)^-1]_ii = 1/(top_i + bottom_i - (T_ii + a)).
  bool solve_tridiagonal(double a, double& log_det, double& trace) {
    for (Index i = 0; i < size_; ++i) {
      const double ratio = i > 0 ? off_diagonal_[i - 1] / forward_[i - 1] : 0.0;
      forward_[i] = diagonal_[i] + a - (i > 0 ? ratio * off_diagonal_[i - 1] : 0.0);
      x_[i] = c_[i] - (i > 0 ? ratio * x_[i - 1] : 0.0);
      if (!(forward_[i] > 0)) return false;
      log_det += std::log(forward_[i]);
    }
    double backward = 0;
    for (Index i = size_ - 1; i >= 0; --i) {
      const bool last = i + 1 == size_;
      x_[i] = (x_[i] - (last ? 0.0 : off_diagonal_[i] * x_[i + 1])) / forward_[i];
      backward = diagonal_[i] + a - (last ? 0.0 : off_diagonal_[i] * off_diagonal_[i] / backward);
      if (!(backward > 0)) return false;
      trace += 1 / (forward_[i] + backward - (diagonal_[i] + a));
    }
    return true;
  }

  System system_;
  std::unique_ptr<Solver> exact_;
  SharedSystem shared_;
  Index size_ = 0, num_penalised_ = 0;
  Vector diagonal_, off_diagonal_, c_, forward_, x_;
  bool prepared_ = false, sizes_differ_ = false;
};

}  // namespace

std::unique_ptr<Solver> make_spectral(System system, std::unique_ptr<Solver> exact) {
  return std::make_unique<Spectral>(system, std::move(exact));
}

}  // namespace ardvark::internal
