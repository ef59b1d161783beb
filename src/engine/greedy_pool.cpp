#include "engine/greedy_pool.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace ardvark {

void GreedyPool::load_range(Design& design, Index first, Index count, Vector& length) {
  ids_.resize(static_cast<std::size_t>(count));
  B_.resize(design.rows(), count);
  design.columns(first, count, B_);
  for (Index j = 0; j < count; ++j) {
    ids_[static_cast<std::size_t>(j)] = first + j;
    const double norm = B_.col(j).norm();
    length[first + j] = std::isfinite(norm) ? norm : 0.0;
    if (norm > 0 && std::isfinite(norm))
      B_.col(j) /= norm;
    else
      B_.col(j).setZero();
  }
  k_ = 0;
}

void GreedyPool::load(Design& design, const std::vector<Index>& ids, const Vector& length) {
  ids_ = ids;
  B_.resize(design.rows(), size());
  for (Index row = 0; row < size(); ++row) {
    design.columns(id(row), 1, B_.col(row));
    B_.col(row) /= length[id(row)];
  }
  k_ = 0;
}

// In chunks that stay in the cache: a pass over a large design would otherwise wait for the memory.
void GreedyPool::survey(Design& design, Index first, Index count, const GreedyModel& model, Index num_threads, Vector& length) {
  const auto& now = model.state();
  const Index n = design.rows(), k = model.size(), chunk = std::clamp<Index>((Index{1} << 18) / n, 8, 64);
  ids_.resize(static_cast<std::size_t>(count));
  std::iota(ids_.begin(), ids_.end(), first);
  k_ = k;
  tau_ = now.tau;
  cross_.resize(count, k);
  diagonal_.resize(count);
  Q_.resize(count);
  Matrix rows(n, k + 1);
  rows << now.omega.asDiagonal() * model.Phi(), model.residual();
  parallel_for((count + chunk - 1) / chunk, num_threads, [&](Index piece) {
    const Index begin = piece * chunk, size = std::min(chunk, count - begin);
    Matrix panel(n, size), products(size, k + 1);
    design.columns(first + begin, size, panel);
    blas::gemm(blas::Transpose::yes, blas::Transpose::no, size, k + 1, n, 1.0, panel.data(), n, rows.data(), n, 0.0, products.data(), size);
    for (Index j = 0; j < size; ++j) {
      const auto square = panel.col(j).cwiseAbs2();
      const double norm = std::sqrt(square.sum());
      const bool usable = norm > 0 && std::isfinite(norm);
      length[first + begin + j] = usable ? norm : 0.0;
      diagonal_[begin + j] = usable ? square.dot(now.omega) / (norm * norm) : 0.0;
      if (usable)
        products.row(j) /= norm;
      else
        products.row(j).setZero();
    }
    cross_.middleRows(begin, size) = products.leftCols(k);
    Q_.segment(begin, size) = products.col(k);
  });
  from_cross(model);
}

void GreedyPool::refresh(const GreedyModel& model) {
  const auto& now = model.state();
  const Index n = B_.rows(), k = model.size();
  k_ = k;
  tau_ = now.tau;
  if (cross_.rows() != size() || cross_.cols() < k) cross_.resize(size(), std::max<Index>(2 * k, 8));
  const Matrix weighted = now.omega.asDiagonal() * model.Phi();
  if (k > 0 && size() > 0)
    blas::gemm(blas::Transpose::yes, blas::Transpose::no, size(), k, n, 1.0, B_.data(), n, weighted.data(), n, 0.0, cross_.data(), size());
  diagonal_.resize(size());
  for (Index row = 0; row < size(); ++row) diagonal_[row] = B_.col(row).cwiseAbs2().dot(now.omega);
  from_cross(model);
  project(model);
  zero_ = Q_ + (k > 0 ? Vector(cross_.leftCols(k) * now.w) : Vector(Vector::Zero(size())));
  zero_ /= tau_;
}

void GreedyPool::rescale(const GreedyModel& model) {
  const double ratio = model.state().tau / tau_;
  tau_ = model.state().tau;
  cross_.leftCols(k_) *= ratio;
  diagonal_ *= ratio;
  from_cross(model);
  Q_ = tau_ * zero_ - cross_.leftCols(k_) * model.state().w;
}

void GreedyPool::replace(Index position, const GreedyModel& model) {
  multiply(model, position);
  rescale(model);
}

// S from the cross products.                                                                                             (GREEDY.1)
void GreedyPool::from_cross(const GreedyModel& model) {
  prepare_exchange(model);
  S_ = diagonal_;
  for (Index i = 0; i < k_; ++i) S_ -= W_.col(i).cwiseProduct(cross_.col(i));
}

void GreedyPool::prepare_exchange(const GreedyModel& model) {
  W_.resize(size(), k_);
  if (k_ > 0 && size() > 0)
    blas::gemm(blas::Transpose::no, blas::Transpose::no, size(), k_, k_, 1.0, cross_.data(), size(), model.state().V.data(), k_, 0.0,
               W_.data(), size());
}

void GreedyPool::project(const GreedyModel& model) {
  const Vector residual = model.residual();
  Q_.resize(size());
  if (size() > 0) blas::gemv(blas::Transpose::yes, B_.rows(), size(), 1.0, B_.data(), B_.rows(), residual.data(), 0.0, Q_.data());
}

void GreedyPool::multiply(const GreedyModel& model, Index position) {
  const Vector weighted = tau_ / model.state().tau * model.state().omega.cwiseProduct(model.Phi().col(position));
  blas::gemv(blas::Transpose::yes, B_.rows(), size(), 1.0, B_.data(), B_.rows(), weighted.data(), 0.0, cross_.col(position).data());
}

void GreedyPool::add(const GreedyModel& model, const RankOne& change) {
  const Index k = k_;
  if (cross_.cols() < k + 1) cross_.conservativeResize(Eigen::NoChange, 2 * (k + 1));
  multiply(model, k);
  const Vector e = cross_.col(k) - cross_.leftCols(k) * change.direction;
  S_ += change.factor * e.cwiseAbs2();
  Q_ += change.shift * e;
  ++k_;
}

void GreedyPool::reestimate(const RankOne& change) {
  const Vector e = cross_.leftCols(k_) * change.direction;
  S_ += change.factor * e.cwiseAbs2();
  Q_ += change.shift * e;
}

void GreedyPool::remove(Index position, const RankOne& change) {
  reestimate(change);
  cross_.col(position) = cross_.col(k_ - 1);
  --k_;
}

}  // namespace ardvark
