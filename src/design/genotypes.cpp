#include "design/genotypes.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "core/blas.hpp"
#include "core/genotype_kernels.hpp"
#include "core/parallel.hpp"
#include "core/resize.hpp"

namespace ardvark::internal {
namespace {

constexpr Index most_together = GenotypeKernels::most;

}  // namespace

GenotypeDesign::GenotypeDesign(const GenotypeView& X, Standardization standardization) : X_(X), s_(std::move(standardization)) {
  if (s_.center.size() == 0) s_.center = Vector::Zero(X.cols());
  if (s_.scale.size() == 0) s_.scale = Vector::Ones(X.cols());
}

void GenotypeDesign::project(const Vector& r, Vector& out) {
  out.resize(cols());
  project_to(r, out);
}

void GenotypeDesign::project_several(const Matrix& R, Matrix& out) {
  resize(out, cols(), R.cols());
  project_to(R, out);
}

void GenotypeDesign::project_to(const Eigen::Ref<const Matrix>& R, Eigen::Ref<Matrix> out) const {
  const Vector total = R.colwise().sum();
  parallel_ranges(X_.variants(), blas::threads_to_read(X_.variants() * rows() * R.cols()), [&](Index from, Index to) {
    constexpr Index block = 256;  // variants whose bytes stay in the cache
    for (Index k = 0; k < R.cols(); k += most_together) {
      const Index count = std::min(most_together, R.cols() - k);
      for (Index j = from; j < to; j += block)
        project_variants(R.middleCols(k, count), total.segment(k, count), j, std::min(j + block, to), out.middleCols(k, count));
    }
  });
  for (Index j = X_.variants(); j < X_.cols(); ++j) {
    const double center = s_.center[j];
    for (Index k = 0; k < R.cols(); ++k) {
      double sum = 0;
      for (Index i = 0; i < rows(); ++i) sum += (X_(i, j) - center) * R(i, k);
      out(j, k) = s_.scale[j] * sum;
    }
  }
  if (s_.intercept) out.row(X_.cols()) = total.transpose();
}

// x~'r = scale (sign a'r + shift (1'r - e'r) + missing e'r - center 1'r), with e the missing genotypes. R has up to `most_together`
// columns; some rows of it at a time, which stay in the first-level cache. (GENO.2)
void GenotypeDesign::project_variants(const Eigen::Ref<const Matrix>& R, const Vector& total, Index from, Index to,
                                      Eigen::Ref<Matrix> out) const {
  const auto count = static_cast<std::size_t>(R.cols());
  const Index tile = 2048 / R.cols() / 4 * 4;
  std::array<const double*, most_together> r{};
  std::array<double, most_together> some{};
  Eigen::Matrix<double, most_together, Eigen::Dynamic> copies = decltype(copies)::Zero(most_together, to - from);
  for (Index first = 0; first < rows(); first += tile) {
    for (std::size_t a = 0; a < count; ++a) r[a] = R.col(static_cast<Index>(a)).data() + first;
    for (Index j = from; j < to; ++j) {
      const std::uint8_t* const line = X_.line(j);
      if (line == nullptr) continue;
      genotype_kernel().dots(line + first / 4, std::min(tile, rows() - first), r.data(), R.cols(), some.data());
      for (std::size_t a = 0; a < count; ++a) copies(static_cast<Index>(a), j - from) += some[a];
    }
  }
  for (Index j = from; j < to; ++j) {
    Vector of_missing = Vector::Zero(R.cols());
    const std::uint8_t* const line = X_.line(j);
    if (line == nullptr)
      of_missing = total;  // all are missing
    else
      for_missing(line, rows(), [&](Index i) { of_missing += R.row(i).transpose(); });
    for (Index a = 0; a < R.cols(); ++a) put_product(j, copies(a, j - from), of_missing[a], total[a], out(j, a));
  }
}

// \param copies, of_missing  a'r and e'r                                                                                         (GENO.2)
void GenotypeDesign::put_product(Index j, double copies, double of_missing, double total, double& out) const {
  const CountedAllele counted(X_.counts_second(j));
  out = s_.scale[j] * (counted.sign * copies + (counted.shift - s_.center[j]) * total + (X_.missing(j) - counted.shift) * of_missing);
}

// Variants with a weight are added four at a time. Threads have rows of their own, so that the order of the sum is the same.    (GENO.2)
void GenotypeDesign::apply(const Vector& w, Vector& out) {
  double shift = s_.intercept ? w[X_.cols()] : 0.0;
  out.setZero(rows());
  std::vector<Index> used;
  std::vector<double> factor;
  for (Index j = 0; j < X_.variants(); ++j) {
    const double unit = s_.scale[j] * w[j];
    if (unit == 0) continue;
    const bool is_nowhere = X_.line(j) == nullptr;
    const CountedAllele counted(X_.counts_second(j));
    shift += unit * ((is_nowhere ? X_.missing(j) : counted.shift) - s_.center[j]);
    if (is_nowhere) continue;
    used.push_back(j);
    factor.push_back(counted.sign * unit);
  }
  constexpr Index block = 1024;  // rows: their sums stay in the cache
  const Index blocks = (rows() + block - 1) / block, work = rows() * static_cast<Index>(used.size());
  parallel_for(blocks, blas::threads_to_read(work), [&](Index b) {
    const Index first = b * block, count = std::min(block, rows() - first);
    double* const sum = out.data() + first;
    std::array<const std::uint8_t*, most_together> lines{};
    for (std::size_t at = 0; at < used.size(); at += most_together) {
      const std::size_t some = std::min<std::size_t>(most_together, used.size() - at);
      for (std::size_t a = 0; a < some; ++a) lines[a] = X_.line(used[at + a]) + first / 4;
      genotype_kernel().combine(lines.data(), count, factor.data() + at, static_cast<Index>(some), sum);
      for (std::size_t a = 0; a < some; ++a) {
        const Index j = used[at + a];
        const CountedAllele counted(X_.counts_second(j));
        const double of_missing = s_.scale[j] * w[j] * (X_.missing(j) - counted.shift);
        for_missing(lines[a], count, [&](Index i) { sum[i] += of_missing; });
      }
    }
  });
  for (Index j = X_.variants(); j < X_.cols(); ++j)
    for (Index i = 0; s_.scale[j] * w[j] != 0 && i < rows(); ++i) out[i] += s_.scale[j] * w[j] * (X_(i, j) - s_.center[j]);
  out.array() += shift;
}

// Rows first .. first+count-1 of a column, times factor. `first` is a multiple of 4.
void GenotypeDesign::write_column(Index j, Index first, Index count, double factor, auto* out) const {
  using Real = std::remove_reference_t<decltype(*out)>;
  if (j == X_.cols()) {
    std::fill_n(out, count, static_cast<Real>(factor));
    return;
  }
  const double center = s_.center[j], unit = s_.scale[j] * factor;
  if (j >= X_.variants()) {
    for (Index i = 0; i < count; ++i) out[i] = static_cast<Real>(unit == 0 ? 0.0 : (X_(first + i, j) - center) * unit);
    return;
  }
  const auto of_missing = static_cast<Real>((X_.missing(j) - center) * unit);
  const std::uint8_t* const line = X_.line(j);
  if (line == nullptr || unit == 0) {
    std::fill_n(out, count, of_missing);
    return;
  }
  const CountedAllele counted(X_.counts_second(j));
  if constexpr (std::is_same_v<Real, float>)
    genotype_kernel().to_float(line + first / 4, count, counted.sign, counted.shift - center, unit, out);
  else
    genotype_kernel().to_double(line + first / 4, count, counted.sign, counted.shift - center, unit, out);
  for_missing(line + first / 4, count, [&](Index i) { out[i] = of_missing; });
}

SinglePanels GenotypeDesign::in_single() const {
  return {rows(), X_.cols(), true, [this](Index first, Index count, Eigen::MatrixXf& panel) {
            for (Index j = 0; j < count; ++j) write_column(first + j, 0, rows(), 1.0, panel.col(j).data());
          }};
}

Vector GenotypeDesign::column_squares() const {
  Vector out(X_.cols());
  for (Index j = 0; j < X_.cols(); ++j) {
    const auto squared = [&](double x) { return (x - s_.center[j]) * (x - s_.center[j]); };
    double sum = 0;
    if (j < X_.variants()) {
      const std::uint8_t* const line = X_.line(j);
      const GenotypeCounts found = line == nullptr ? GenotypeCounts{.missing = rows()} : genotype_kernel().counts(line, rows());
      const CountedAllele counted(X_.counts_second(j));
      for (const auto& [copies, count] : {std::pair{2.0, found.two}, std::pair{1.0, found.one}, std::pair{0.0, found.none}})
        sum += static_cast<double>(count) * squared(counted.sign * copies + counted.shift);
      sum += static_cast<double>(found.missing) * squared(X_.missing(j));
    } else {
      for (Index i = 0; i < rows(); ++i) sum += squared(X_(i, j));
    }
    out[j] = s_.scale[j] == 0 ? 0.0 : s_.scale[j] * s_.scale[j] * sum;
  }
  return out;
}

void GenotypeDesign::row_gram(Matrix& K) {
  if (blas::is_small(blas::multiplications(X_.cols(), rows())) || !are_even(column_squares())) return Design::row_gram(K);
  resize(K, rows(), rows());
  row_gram_of_panels(in_single(), K);
  if (!is_spread_out(K)) Design::row_gram(K);
}

void GenotypeDesign::scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) {
  for (Index j = 0; j < count; ++j) write_column(first + j, 0, rows(), scale != nullptr ? scale[j] : 1.0, panel.col(j).data());
}

void GenotypeDesign::read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const {
  const Index skipped = first % 4;  // a byte holds four rows
  Vector column(skipped + count);
  for (Index j = 0; j < cols(); ++j) {
    write_column(j, first - skipped, skipped + count, 1.0, column.data());
    panel.col(j).head(count) = column.tail(count);
  }
  if (row_scale != nullptr) panel.topRows(count) = row_scale->segment(first, count).asDiagonal() * panel.topRows(count);
}

void GenotypeDesign::by_row_blocks(auto&& use) const {
  constexpr Index numbers = Index{1} << 20;  // 8 MB
  const Index block = std::clamp<Index>(numbers / std::max<Index>(cols(), 1) / 4 * 4, 128, std::max<Index>(rows(), 128));
  Matrix panel(std::min(block, rows()), cols());
  for (Index first = 0; first < rows(); first += block) {
    pulse();
    const Index count = std::min(block, rows() - first);
    read_rows(first, count, nullptr, panel);
    use(first, panel.topRows(count));
  }
}

void GenotypeDesign::gram(const Vector& omega, Matrix& G) {
  G.triangularView<Eigen::Lower>().setZero();
  by_row_blocks([&](Index first, auto panel) {
    panel = omega.segment(first, panel.rows()).cwiseSqrt().asDiagonal() * panel;
    blas::syrk(blas::Transpose::yes, cols(), panel.rows(), 1.0, panel.data(), panel.outerStride(), 1.0, G.data(), G.outerStride());
  });
}

void GenotypeDesign::row_variance(const Matrix& L_inverse, Vector& out) {
  out.resize(rows());
  by_row_blocks([&](Index first, auto panel) {
    blas::trmm(blas::Side::right, blas::Transpose::yes, panel.rows(), cols(), L_inverse.data(), L_inverse.outerStride(), panel.data(),
               panel.outerStride());
    out.segment(first, panel.rows()) = panel.rowwise().squaredNorm();
  });
}

}  // namespace ardvark::internal
