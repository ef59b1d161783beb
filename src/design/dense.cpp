#include "design/dense.hpp"

#include <algorithm>

#include "core/blas.hpp"
#include "core/line_kernels.hpp"
#include "core/numbers.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/pulse.hpp"
#include "core/rearrange.hpp"

namespace ardvark::internal {
namespace {

// A block of rows is about 8 MB: large enough for the full speed of SYRK and TRMM, small enough for the caches.
Index choose_block_rows(Index rows, Index cols) {
  const Index target = (Index{1} << 20) / std::max<Index>(cols, 1);
  return std::clamp<Index>(target, 128, std::max<Index>(rows, 1) < 128 ? 128 : std::max<Index>(rows, 1));
}

constexpr Index block_of_lane = 256;  // rows

template <typename Scalar>
const Scalar* element(const MatrixView& X, Index i, Index j) {
  const Index at = X.layout() == Layout::column_major ? i + j * X.stride() : i * X.stride() + j;
  return static_cast<const Scalar*>(X.data()) + at;
}

}  // namespace

DenseDesign::DenseDesign(MatrixView X, Standardization standardization, std::shared_ptr<double[]> memory)
    : X_(X),
      memory_(std::move(memory)),
      s_(std::move(standardization)),
      block_rows_(choose_block_rows(X.rows(), X.cols())),
      row_scale_(X.rows()),
      scaled_w_(cols()) {}

template <typename Scalar, typename Out>
void DenseDesign::read_as(const Block& block, Out* out, Index ld) const {
  // Named one by one: with clang 14, a lambda cannot capture structured bindings.
  const Index row0 = block.row0, num_rows = block.num_rows, col0 = block.col0, num_cols = block.num_cols;
  const double *row_scale = block.row_scale, *column_scale = block.column_scale;
  const bool scaled = s_.scale.size() > 0, centred = s_.center.size() > 0;
  const auto standardise = line_kernel<Scalar>().template standardise<Out>();
  const auto own_scale = [&](Index j) { return column_scale != nullptr ? column_scale[j - col0] : 1.0; };
  // column <- (source - center) * scale * row_scale for `count` rows from `from` on, in double precision until it is stored
  const auto write = [&](Index j, Index from, Index count, const Scalar* source, Out* column) {
    const double scale = scaled ? s_.scale[j] : 1.0, center = centred ? s_.center[j] : 0.0;
    if (scale == 0) {
      std::fill_n(column, count, Out{0});
    } else if (row_scale != nullptr) {
      const auto centred_source = Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>(source, count).template cast<double>() - center;
      Eigen::Map<Eigen::Array<Out, Eigen::Dynamic, 1>>(column, count) =
          (centred_source * (scale * own_scale(j) * Eigen::Map<const Eigen::ArrayXd>(row_scale + from, count))).template cast<Out>();
    } else {
      standardise(source, count, center, scale, own_scale(j), column);  // from left to right, so a scale of 1e-300 cannot underflow
    }
  };
  const Index from_X = std::min(num_cols, std::max<Index>(X_.cols() - col0, 0));
  if (X_.layout() == Layout::column_major) {
    for (Index j = 0; j < from_X; ++j) write(col0 + j, 0, num_rows, element<Scalar>(X_, row0, col0 + j), out + j * ld);
  } else {
    // Transpose in tiles that keep both sides in the first-level cache.
    constexpr Index tile_columns = 16, tile_rows = 128;
    Scalar tile[tile_columns][tile_rows];
    for (Index j0 = 0; j0 < from_X; j0 += tile_columns) {
      const Index j1 = std::min(j0 + tile_columns, from_X);
      for (Index i0 = 0; i0 < num_rows; i0 += tile_rows) {
        const Index count = std::min(tile_rows, num_rows - i0);
        for (Index i = 0; i < count; ++i) {
          const Scalar* source = element<Scalar>(X_, row0 + i0 + i, col0);
          for (Index j = j0; j < j1; ++j) tile[j - j0][i] = source[j];
        }
        for (Index j = j0; j < j1; ++j) write(col0 + j, i0, count, tile[j - j0], out + j * ld + i0);
      }
    }
  }
  for (Index j = from_X; j < num_cols; ++j) {
    Eigen::Map<Eigen::Array<Out, Eigen::Dynamic, 1>> target(out + j * ld, num_rows);
    if (row_scale != nullptr)
      target = (own_scale(col0 + j) * Eigen::Map<const Eigen::ArrayXd>(row_scale, num_rows)).template cast<Out>();
    else
      target.setConstant(static_cast<Out>(own_scale(col0 + j)));
  }
}

void DenseDesign::read(const Block& block, auto* out, Index ld) const {
  with_scalar(X_.scalar(), [&](auto scalar) { read_as<decltype(scalar)>(block, out, ld); });
}

void DenseDesign::read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const {
  read({first, count, 0, cols(), row_scale != nullptr ? row_scale->data() + first : nullptr, nullptr}, panel.data(), panel.outerStride());
}

void DenseDesign::scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) {
  read({0, rows(), first, count, nullptr, scale}, panel.data(), panel.outerStride());
}

std::shared_ptr<double[]> DenseDesign::surrender_columns() {
  if (memory_ == nullptr) return nullptr;
  const Index n = X_.rows(), p = X_.cols();
  if (X_.layout() == Layout::row_major) rows_to_columns(memory_.get(), n, p);
  X_ = MatrixView(memory_.get(), n, p);
  scaled_columns(0, p, nullptr, Eigen::Map<Matrix>(memory_.get(), n, p));  // in place: each number is read before it is overwritten
  return std::move(memory_);
}

bool DenseDesign::set_products(Products products) {
  products_ = products;
  return true;
}

void DenseDesign::by_blocks(const double* row_scale, auto& panel, auto&& f) const {
  panel.resize(block_rows_, cols());
  for (Index first = 0; first < rows(); first += block_rows_) {
    const Index count = std::min(block_rows_, rows() - first);
    parallel_ranges(count, blas::threads_to_read(count * cols()), [&](Index from, Index to) {
      const double* scale = row_scale != nullptr ? row_scale + first + from : nullptr;
      read({first + from, to - from, 0, cols(), scale, nullptr}, panel.data() + from, panel.outerStride());
    });
    f(first, count);
  }
}

// Reads rows of a row-major X as columns of the panel, without transposing.
template <typename Scalar, typename Out>
void DenseDesign::read_rows_as_they_lie(Index first, Index count, const double* target, Out* out, RowSums sums) const {
  const Index p = X_.cols();
  const Vector center = s_.center.size() > 0 ? s_.center : Vector::Zero(p), scale = s_.scale.size() > 0 ? s_.scale : Vector::Ones(p);
  const auto read_row = row_kernel().read<Scalar, Out>();
  for (Index i = 0; i < count; ++i, out += cols()) {
    const double factor = row_scale_[first + i], of_row = target != nullptr ? target[i] : 0.0;
    read_row(element<Scalar>(X_, first + i, 0), center.data(), scale.data(), factor, of_row, p, out, sums);
    if (!s_.intercept) continue;
    out[p] = static_cast<Out>(factor);
    sums.square[p] += factor * factor;
    sums.product[p] += of_row * factor;
  }
}

// Writes rows `at` and following of a panel [rows, cols], or these columns of a panel [cols, rows] if X is row-major. Adds to the sums;
// target [count] may be null.
template <typename Out>
void DenseDesign::read_to_square(Index first, Index count, const double* target, Panel<Out>& panel, Index at, RowSums sums) const {
  if (X_.layout() == Layout::column_major) {
    read({first, count, 0, cols(), row_scale_.data() + first, nullptr}, panel.data() + at, panel.outerStride());
    for (Index j = 0; j < cols(); ++j) {
      const auto x = panel.col(j).segment(at, count).template cast<double>();
      sums.square[j] += x.squaredNorm();
      if (target != nullptr) sums.product[j] += x.dot(Eigen::Map<const Vector>(target, count));
    }
  } else {
    with_scalar(X_.scalar(),
                [&](auto scalar) { read_rows_as_they_lie<decltype(scalar)>(first, count, target, panel.col(at).data(), sums); });
  }
}

void DenseDesign::gram(const Vector& omega, Matrix& G) {
  row_scale_ = omega.cwiseSqrt();
  if (products::num_lanes(rows(), cols()) > 1)
    gram_in_lanes(nullptr, G, nullptr);
  else
    gram_in_blocks(G);
}

void DenseDesign::gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) {
  if (products::num_lanes(rows(), cols()) == 1) return Design::gram_and_project(omega, r, G, Xr);
  row_scale_ = omega.cwiseSqrt();
  gram_in_lanes(&r, G, &Xr);
}

void DenseDesign::gram_in_blocks(Matrix& G) {
  if (products_ == Products::single_precision) return gram_in_single(G);
  const bool by_columns = X_.layout() == Layout::column_major;
  const Index n = rows(), p = cols();
  by_columns ? panel_.resize(block_rows_, p) : panel_.resize(p, block_rows_);
  for (Index first = 0; first < n; first += block_rows_) {
    const Index count = std::min(block_rows_, n - first);
    parallel_ranges(count, blas::threads_to_read(count * p), [&](Index from, Index to) {
      Vector square = Vector::Zero(p), product = square;  // not used
      read_to_square(first + from, to - from, nullptr, panel_, from, {square.data(), product.data()});
    });
    blas::syrk(by_columns ? blas::Transpose::yes : blas::Transpose::no, p, count, 1.0, panel_.data(), panel_.outerStride(),
               first == 0 ? 0.0 : 1.0, G.data(), G.outerStride());
  }
}

void DenseDesign::gram_in_lanes(const Vector* r, Matrix& G, Vector* Xr) const {
  const Index p = cols(), lanes = products::num_lanes(rows(), p);
  std::vector<LaneSum> sum(static_cast<std::size_t>(lanes));
  {
    const blas::ThreadScope one{blas::ThreadScope::OursAlone{}};
    parallel_for(lanes, blas::num_threads(), [&](Index lane) {
      LaneSum& own = sum[static_cast<std::size_t>(lane)];
      const Index from = lane * rows() / lanes, to = (lane + 1) * rows() / lanes;
      if (products_ == Products::single_precision)
        add_rows<float>(from, to, r, own);
      else
        add_rows<double>(from, to, r, own);
    });
  }
  products::tiles(p, blas::num_threads(), [&](Index first, Index count) {
    for (Index j = first; j < first + count; ++j) {
      G.col(j).tail(p - j) = sum[0].gram.col(j).tail(p - j);
      for (std::size_t lane = 1; lane < sum.size(); ++lane) G.col(j).tail(p - j) += sum[lane].gram.col(j).tail(p - j);
    }
  });
  if (r == nullptr) return;
  *Xr = sum[0].product;
  for (std::size_t lane = 1; lane < sum.size(); ++lane) *Xr += sum[lane].product;
}

// Products in double are added by SYRK itself. Those in single precision are added in double, and their diagonals are summed in double.
// (MP.1)
template <typename Real>
void DenseDesign::add_rows(Index from, Index to, const Vector* r, LaneSum& sum) const {
  constexpr bool is_single = std::is_same_v<Real, float>;
  constexpr Index block = is_single ? 4 * block_of_lane : block_of_lane;
  const bool by_columns = X_.layout() == Layout::column_major;
  const auto transpose = by_columns ? blas::Transpose::yes : blas::Transpose::no;
  const Index p = cols();
  Panel<Real> panel(by_columns ? block : p, by_columns ? p : block), of_block;
  if constexpr (is_single) of_block.resize(p, p);
  sum.gram.resize(p, p);
  sum.product = Vector::Zero(p);
  Vector square = Vector::Zero(p), target;
  for (Index first = from; first < to; first += block) {
    pulse();
    const Index count = std::min(block, to - first);
    if (r != nullptr) target = row_scale_.segment(first, count).cwiseProduct(r->segment(first, count));
    read_to_square(first, count, r != nullptr ? target.data() : nullptr, panel, 0, {square.data(), sum.product.data()});
    if constexpr (is_single) {
      blas::syrk(transpose, p, count, 1.0F, panel.data(), panel.outerStride(), 0.0F, of_block.data(), p);
      for (Index j = 0; j < p; ++j) {
        auto column = sum.gram.col(j).tail(p - j);
        if (first == from)
          column = of_block.col(j).tail(p - j).template cast<double>();
        else
          column += of_block.col(j).tail(p - j).template cast<double>();
      }
    } else {
      blas::syrk(transpose, p, count, 1.0, panel.data(), panel.outerStride(), first == from ? 0.0 : 1.0, sum.gram.data(), p);
    }
  }
  if constexpr (is_single) sum.gram.diagonal() = square;
}

void DenseDesign::gram_in_single(Matrix& G) {
  // Each block has its own sum, which is added in double; the diagonal is summed in double.                                       (MP.1)
  const Index p = cols();
  square_single_.resize(p, p);
  G.triangularView<Eigen::Lower>().setZero();
  by_blocks(row_scale_.data(), panel_single_, [&](Index, Index count) {
    blas::syrk(blas::Transpose::yes, p, count, 1.0F, panel_single_.data(), panel_single_.outerStride(), 0.0F, square_single_.data(), p);
    for (Index j = 0; j < p; ++j) {
      G(j, j) += panel_single_.col(j).head(count).cast<double>().squaredNorm();
      G.col(j).tail(p - j - 1) += square_single_.col(j).tail(p - j - 1).cast<double>();
    }
  });
}

void DenseDesign::row_variance(const Matrix& L_inverse, Vector& out) {
  const auto accumulate = [&](auto& panel, const auto& L) {
    by_blocks(nullptr, panel, [&](Index first, Index count) {
      blas::trmm(blas::Side::right, blas::Transpose::yes, count, cols(), L.data(), L.outerStride(), panel.data(), panel.outerStride());
      out.segment(first, count).setZero();
      for (Index j = 0; j < cols(); ++j) out.segment(first, count) += panel.col(j).head(count).template cast<double>().cwiseAbs2();
    });
  };
  if (products_ == Products::double_precision) {
    accumulate(panel_, L_inverse);
  } else {
    square_single_ = L_inverse.cast<float>();
    accumulate(panel_single_, square_single_);
  }
}

}  // namespace ardvark::internal
