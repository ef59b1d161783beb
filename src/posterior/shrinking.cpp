// A solver for a problem whose columns leave and return: after each change, it uses the cheaper of primal and dual for the active columns.
#include <algorithm>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "design/column_subset.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

class Shrinking final : public Solver {
 public:
  Shrinking(System system, SolverKind kind) : system_(system), asked_(kind), num_threads_(blas::num_threads()) { rebuild(system.X); }

  [[nodiscard]] SolverKind kind() const override { return inner_->kind(); }
  [[nodiscard]] bool solve(const Rows& rows, const Vector& a, Posterior& q) override { return inner_->solve(rows, a, q); }
  [[nodiscard]] bool solve_mean(const Rows& rows, const Vector& a, Posterior& q) override { return inner_->solve_mean(rows, a, q); }
  [[nodiscard]] bool complete(const Rows& rows, const Vector& a, Posterior& q) override { return inner_->complete(rows, a, q); }
  [[nodiscard]] bool respond(const Vector& r, const Vector& a, Posterior& q) override { return inner_->respond(r, a, q); }
  [[nodiscard]] bool finish(const Rows& rows, const Vector& a, Posterior& q) override { return inner_->finish(rows, a, q); }
  [[nodiscard]] bool shared_system(const Rows& rows, SharedSystem& out) override { return inner_->shared_system(rows, out); }
  [[nodiscard]] double variance_of(const Vector& x) override { return inner_->variance_of(x); }
  [[nodiscard]] CovarianceFactor factor() override { return inner_->factor(); }
  [[nodiscard]] Vector precision_diagonal(const Posterior& q) override { return inner_->precision_diagonal(q); }

  [[nodiscard]] bool restrict_to(const std::vector<Index>& columns) override {
    const bool first = left_ == nullptr;
    if (first)
      left_ = std::make_unique<ColumnSubset>(system_.X, columns);
    else
      left_->choose(columns);
    if (first || is_dual(*left_) != (inner_->kind() == SolverKind::dual) || !inner_->columns_changed()) rebuild(*left_);
    return true;
  }

  [[nodiscard]] bool look_outside(const Rows& rows, const std::vector<Index>& columns, const Vector& w, Vector& S, Vector& Q) override {
    Outlook view;
    if (!inner_->outlook(rows, view)) return false;
    const auto size = static_cast<Index>(columns.size()), n = system_.X.rows();
    Vector m(n);
    (left_ != nullptr ? *left_ : system_.X).apply(w, m);
    const Vector e = rows.r - rows.omega.cwiseProduct(m);
    ColumnSubset outside(system_.X, columns);
    const Index block = std::clamp<Index>((Index{1} << 16) / std::max<Index>(n, 1), 16, 1024);  // half a MB
    S.resize(size);
    Q.resize(size);
    parallel_for((size + block - 1) / block, num_threads_, [&](Index i) {
      const Index first = i * block, count = std::min(block, size - first);
      Matrix panel(n, count), product(view.U.rows(), count);
      outside.columns(first, count, panel);
      blas::gemm(blas::Transpose::no, blas::Transpose::no, view.U.rows(), count, n, 1.0, view.U.data(), view.U.rows(), panel.data(), n, 0.0,
                 product.data(), product.rows());
      Q.segment(first, count).noalias() = panel.transpose() * e;
      const Vector explained = product.colwise().squaredNorm();
      for (Index j = 0; j < count; ++j)
        S[first + j] = view.complement ? rows.omega.dot(panel.col(j).cwiseAbs2()) - explained[j] : explained[j];
    });
    return true;
  }

 private:
  [[nodiscard]] bool is_dual(const Design& X) const {
    const Index flat = system_.partition.num_flat();
    return asked_ == SolverKind::dual ||
           (asked_ != SolverKind::primal && asked_ != SolverKind::qr && X.cols() - flat > X.rows() && flat < X.rows());
  }
  void rebuild(Design& X) {
    const System system{X, system_.partition, system_.likelihood};
    inner_.reset();
    inner_ = is_dual(X) ? make_dual(system) : asked_ == SolverKind::qr ? make_qr(system) : make_primal(system);
  }

  System system_;  // X is the whole design
  SolverKind asked_;
  Index num_threads_;
  std::unique_ptr<ColumnSubset> left_;
  std::unique_ptr<Solver> inner_;
};

}  // namespace

std::unique_ptr<Solver> make_shrinking(System system, SolverKind kind) { return std::make_unique<Shrinking>(system, kind); }

}  // namespace ardvark::internal
