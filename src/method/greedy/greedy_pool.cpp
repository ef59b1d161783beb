#include "method/greedy/greedy_pool.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/rearrange.hpp"
#include "core/resize.hpp"
#include "core/scale_rows.hpp"

namespace ardvark::internal {

namespace {

// Number of columns of n numbers that stay in the cache while they are multiplied: a few MB.
Index chunk_of(Index n) { return std::clamp<Index>((Index{1} << 18) / n, 8, 64); }

// F'F, both triangles.
Matrix form_of(const Matrix& F) {
  Matrix form(F.cols(), F.cols());
  blas::syrk(blas::Transpose::yes, F.cols(), F.rows(), 1.0, F.data(), F.rows(), 0.0, form.data(), F.cols());
  mirror(form);
  return form;
}

// c'Gc of each column.
Vector quadratic_forms(const Matrix& G, const Eigen::Ref<const Matrix>& columns) {
  const Index m = columns.rows(), count = columns.cols();
  Matrix product(m, count);
  blas::gemm(blas::Transpose::no, blas::Transpose::no, m, count, m, 1.0, G.data(), m, columns.data(), columns.outerStride(), 0.0,
             product.data(), m);
  return product.cwiseProduct(columns).colwise().sum().transpose();
}

}  // namespace

void GreedyPool::for_chunks(Index rows, auto&& f) const {
  constexpr Index parallel_from = 1 << 20;  // numbers: with fewer, threads cost more than they gain
  const Index chunk = chunk_of(rows), threads = rows * size() >= parallel_from ? num_threads_ : 1;
  parallel_for((size() + chunk - 1) / chunk, threads, [&](Index piece) { f(piece * chunk, std::min(chunk, size() - piece * chunk)); });
}

void GreedyPool::load_range(Design& design, Index first, Index count, Vector& length) {
  ids_.resize(static_cast<std::size_t>(count));
  std::iota(ids_.begin(), ids_.end(), first);
  begin_columns(design, length);
  if (left_ != nullptr) return load_factors(design.factors()->right.middleCols(first, count), length);
  resize(B_, design.rows(), count);
  for_chunks(design.rows(), [&](Index begin, Index size) {
    auto columns = B_.middleCols(begin, size);
    design.columns(first + begin, size, columns);
    for (Index j = 0; j < size; ++j) {
      const double norm = columns.col(j).norm();
      length[first + begin + j] = std::isfinite(norm) ? norm : 0.0;
      if (norm > 0 && std::isfinite(norm))
        columns.col(j) /= norm;
      else
        columns.col(j).setZero();
    }
  });
}

// The squared length of a column is a quadratic form in its coefficients.                                               (GREEDY.11)
void GreedyPool::load_factors(const Eigen::Ref<const Matrix>& right, Vector& length) {
  const Matrix form = form_of(*left_);
  assign(B_, right);
  for_chunks(B_.rows(), [&](Index begin, Index size) {
    auto columns = B_.middleCols(begin, size);
    const Vector square = quadratic_forms(form, columns);
    for (Index j = 0; j < size; ++j) {
      const double norm = square[j] > 0 && std::isfinite(square[j]) ? std::sqrt(square[j]) : 0.0;
      length[id(begin + j)] = norm;
      columns.col(j) *= norm > 0 ? 1 / norm : 0.0;
    }
  });
}

void GreedyPool::begin_columns(Design& design, const Vector& length) {
  design_ = &design;
  lengths_ = &length;
  left_ = design.factors() != nullptr ? &design.factors()->left : nullptr;
  near_.clear();
  k_ = 0;
}

void GreedyPool::load(Design& design, const std::vector<Index>& ids, const Vector& length) {
  ids_ = ids;
  begin_columns(design, length);
  left_ = nullptr;
  resize(B_, design.rows(), size());
  for (Index row = 0; row < size(); ++row) {
    design.columns(id(row), 1, B_.col(row));
    B_.col(row) /= length[id(row)];
  }
}

Vector GreedyPool::column(Index row) const {
  if (left_ == nullptr) return B_.col(row);
  Matrix out(design_->rows(), 1);
  design_->columns(id(row), 1, out);
  return out / (*lengths_)[id(row)];
}

// With factors, the rows are already multiplied by F', and the form is F' omega F.
GreedyPool::Rows GreedyPool::rows_of(const GreedyModel& model) const {
  const auto& now = model.state();
  Rows out{Matrix(now.omega.size(), model.size() + 1), now.omega, {}};
  scale_rows(now.omega, model.Phi(), out.rows.leftCols(model.size()));
  out.rows.col(model.size()) = model.residual();
  if (left_ == nullptr) return out;
  const Index n = left_->rows(), rank = left_->cols();
  Matrix rooted(n, rank);
  scale_rows(now.omega.cwiseSqrt(), *left_, rooted);
  out.form = form_of(rooted);
  Matrix reduced(rank, out.rows.cols());
  blas::gemm(blas::Transpose::yes, blas::Transpose::no, rank, reduced.cols(), n, 1.0, left_->data(), n, out.rows.data(), n, 0.0,
             reduced.data(), rank);
  out.rows = std::move(reduced);
  return out;
}

void GreedyPool::begin_products(const GreedyModel& model) {
  k_ = model.size();
  tau_ = model.state().tau;
  if (cross_.rows() != size() || cross_.cols() < k_) resize(cross_, size(), std::max<Index>(2 * k_, 8));
  resize(diagonal_, size());
  resize(Q_, size());
}

GreedyPool::ProductsOfColumns GreedyPool::products_of(const Eigen::Ref<const Matrix>& columns, const Rows& with) {
  const Index m = columns.rows(), count = columns.cols(), width = with.rows.cols();
  ProductsOfColumns out{Matrix(count, width), Vector(count)};
  blas::gemm(blas::Transpose::yes, blas::Transpose::no, count, width, m, 1.0, columns.data(), columns.outerStride(), with.rows.data(), m,
             0.0, out.cross.data(), count);
  if (with.form.size() > 0) {
    out.diagonal = quadratic_forms(with.form, columns);
  } else {
    for (Index j = 0; j < count; ++j) out.diagonal[j] = columns.col(j).cwiseAbs2().dot(with.omega);
  }
  return out;
}

void GreedyPool::products(Index begin, const Eigen::Ref<const Matrix>& columns, const Rows& rows) {
  const ProductsOfColumns found = products_of(columns, rows);
  const Index count = columns.cols();
  cross_.block(begin, 0, count, k_) = found.cross.leftCols(k_);
  Q_.segment(begin, count) = found.cross.col(k_);
  diagonal_.segment(begin, count) = found.diagonal;
}

void GreedyPool::survey(Design& design, Index first, Index count, const GreedyModel& model, Vector& length) {
  ids_.resize(static_cast<std::size_t>(count));
  std::iota(ids_.begin(), ids_.end(), first);
  left_ = nullptr;
  begin_products(model);
  const Rows rows = rows_of(model);
  const Index n = design.rows();
  for_chunks(n, [&](Index begin, Index size) {
    Matrix panel(n, size);
    design.columns(first + begin, size, panel);
    products(begin, panel, rows);
    for (Index j = 0; j < size; ++j) {
      const double norm = panel.col(j).norm(), scale = norm > 0 && std::isfinite(norm) ? 1 / norm : 0.0;
      const Index row = begin + j;
      length[first + row] = scale > 0 ? norm : 0.0;
      if (scale > 0) {
        cross_.row(row).head(k_) *= scale;
        Q_[row] *= scale;
        diagonal_[row] *= scale * scale;
      } else {
        cross_.row(row).head(k_).setZero();
        Q_[row] = diagonal_[row] = 0;
      }
    }
  });
  from_cross(model);
}

void GreedyPool::refresh(const GreedyModel& model) {
  rows_ = rows_of(model);
  refresh_rest(model);
}

void GreedyPool::refresh_rest(const GreedyModel& model) {
  begin_products(model);
  for_chunks(B_.rows(), [&](Index begin, Index count) { products(begin, B_.middleCols(begin, count), rows_); });
  from_cross(model);
  if (!model.is_gaussian()) return;
  assign(zero_, Q_ + (k_ > 0 ? Vector(cross_.leftCols(k_) * model.state().w) : Vector(Vector::Zero(size()))));
  zero_ /= tau_;
}

void GreedyPool::narrow(std::vector<Index> rows) {
  near_ = std::move(rows);
  for (Vector* v : {&diagonal_, &S_, &Q_})
    if (v->size() != size()) *v = Vector(Vector::Zero(size()));
  is_near_.assign(ids_.size(), false);
  for (Index row : near_) is_near_[static_cast<std::size_t>(row)] = true;
  resize(B_near_, B_.rows(), static_cast<Index>(near_.size()));
  for (std::size_t i = 0; i < near_.size(); ++i) B_near_.col(static_cast<Index>(i)) = B_.col(near_[i]);
}

void GreedyPool::refresh_near(const GreedyModel& model) {
  const Index k = model.size();
  rows_ = rows_of(model);
  const ProductsOfColumns found = products_of(B_near_, rows_);
  const Vector explained = (found.cross.leftCols(k) * model.state().V).cwiseProduct(found.cross.leftCols(k)).rowwise().sum();
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const auto at = static_cast<Index>(i), row = near_[i];
    diagonal_[row] = found.diagonal[at];
    S_[row] = found.diagonal[at] - explained[at];
    Q_[row] = found.cross(at, k);
  }
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
  assign(S_, diagonal_);
  for (Index i = 0; i < k_; ++i) S_ -= W_.col(i).cwiseProduct(cross_.col(i));
}

void GreedyPool::prepare_exchange(const GreedyModel& model) {
  resize(W_, size(), k_);
  if (k_ > 0 && size() > 0)
    blas::gemm(blas::Transpose::no, blas::Transpose::no, size(), k_, k_, 1.0, cross_.data(), size(), model.state().V.data(), k_, 0.0,
               W_.data(), size());
}

void GreedyPool::multiply(const GreedyModel& model, Index position) {
  Vector weighted = tau_ / model.state().tau * model.state().omega.cwiseProduct(model.Phi().col(position));
  if (left_ != nullptr) weighted = left_->transpose() * weighted;
  for_chunks(B_.rows(), [&](Index begin, Index count) {
    blas::gemv(blas::Transpose::yes, B_.rows(), count, 1.0, B_.col(begin).data(), B_.rows(), weighted.data(), 0.0,
               cross_.col(position).data() + begin);
  });
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

}  // namespace ardvark::internal
