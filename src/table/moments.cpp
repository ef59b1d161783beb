// Moments of the columns.
#include <algorithm>
#include <array>

#include "core/blas.hpp"
#include "core/genotype_kernels.hpp"
#include "core/line_kernels.hpp"
#include "core/numbers.hpp"
#include "core/parallel.hpp"
#include "core/row_kernels.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {
namespace {

// sum_i k_i (x_ij - shift_j) and sum_i k_i (x_ij - shift_j)^2.
struct ColumnSums {
  Vector first, second;
};

constexpr Index rows_of_a_sum = 256;  // rows that are summed separately

// Rows from <= i < to of a row-major X.
template <typename Scalar>
ColumnSums sums_of_rows(const MatrixView& X, const Vector& k, const Vector& shift, Index from, Index to) {
  const auto add_deviations = row_kernel().deviations<Scalar>();
  const auto* data = static_cast<const Scalar*>(X.data());
  const Index p = X.cols();
  ColumnSums out{Vector::Zero(p), Vector::Zero(p)}, some;
  for (; from < to; from += rows_of_a_sum) {
    some = {Vector::Zero(p), Vector::Zero(p)};
    for (Index i = from; i < std::min(from + rows_of_a_sum, to); ++i)
      add_deviations(data + i * X.stride(), shift.data(), k[i], p, some.first.data(), some.second.data());
    out.first += some.first;
    out.second += some.second;
  }
  return out;
}

// Columns from <= j < to of a column-major X.
template <typename Scalar>
void sums_of_columns(const MatrixView& X, const Vector& k, const Vector& shift, Index from, Index to, ColumnSums& out) {
  const auto sums = line_kernel<Scalar>().sums;
  const auto* data = static_cast<const Scalar*>(X.data());
  for (Index j = from; j < to; ++j)
    for (Index row = 0; row < X.rows(); row += rows_of_a_sum) {
      const Index count = std::min(rows_of_a_sum, X.rows() - row);
      const LineSums some = sums(data + j * X.stride() + row, k.data() + row, shift[j], count);
      out.first[j] += some.first;
      out.second[j] += some.second;
    }
}

// Reads X in the order of its memory, with one part for each thread. The parts of rows depend only on the shape of X, so the result is the
// same to the last bit with any number of threads.
template <typename Scalar>
ColumnSums column_sums(const MatrixView& X, const Vector& k, const Vector& shift) {
  const Index n = X.rows(), p = X.cols(), threads = blas::threads_to_read(n * p);
  ColumnSums out{Vector::Zero(p), Vector::Zero(p)};
  if (X.layout() == Layout::column_major) {
    parallel_ranges(p, threads, [&](Index from, Index to) { sums_of_columns<Scalar>(X, k, shift, from, to, out); });
    return out;
  }
  constexpr Index most_parts = 8;
  const Index parts = std::clamp<Index>(n / rows_of_a_sum, 1, most_parts);
  std::vector<ColumnSums> of_part(static_cast<std::size_t>(parts));
  parallel_for(parts, threads, [&](Index part) {
    of_part[static_cast<std::size_t>(part)] = sums_of_rows<Scalar>(X, k, shift, part * n / parts, (part + 1) * n / parts);
  });
  for (const ColumnSums& part : of_part) {
    out.first += part.first;
    out.second += part.second;
  }
  return out;
}

ColumnSums column_sums(const MatrixView& X, const Vector& k, const Vector& shift) {
  return with_scalar(X.scalar(), [&](auto of_type) { return column_sums<decltype(of_type)>(X, k, shift); });
}

// A row without an entry counts as 0. If all rows with a weight have one, the others weigh nothing: a difference of two sums would be
// rounding, which gives a constant column a spread.
ColumnSums column_sums(const CscView& X, const Vector& k, const Vector& shift) {
  const double total = k.sum();
  const Index num_weighted = (k.array() > 0).count();
  ColumnSums out{Vector(X.cols()), Vector(X.cols())};
  parallel_ranges(X.cols(), blas::threads_to_read(X.entries()), [&](Index from, Index to) {
    with_entries(X, [&](const auto* row, const auto* value) {
      for (Index j = from; j < to; ++j) {
        double first = 0, second = 0, stored = 0;
        Index num_stored = 0;
        for (Index e = X.start(j), end = X.start(j + 1); e < end; ++e) {
          const double weight = k[row[e]], x = static_cast<double>(value[e]) - shift[j];
          stored += weight, first += weight * x, second += weight * x * x;
          num_stored += weight > 0 ? 1 : 0;
        }
        const double others = num_stored == num_weighted ? 0.0 : total - stored;
        out.first[j] = first - others * shift[j];
        out.second[j] = second + others * shift[j] * shift[j];
      }
    });
  });
  return out;
}

// Sums of the weights of the samples with two copies of allele 1, with one, with none, and with a missing genotype.
struct WeightsOfGenotypes {
  double two = 0, one = 0, none = 0, missing = 0;
};

// Of genotypes that no sample with a weight has, the sum is 0, and not the rounding of a difference of sums.                    (GENO.3)
WeightsOfGenotypes weights_of_genotypes(const std::uint8_t* line, const Vector& k, const Vector& has_weight, double total) {
  const GenotypeKernels& kernel = genotype_kernel();
  const std::array<const double*, 2> weights = {k.data(), has_weight.data()};
  std::array<double, 2> copies{}, squares{}, missing{};
  kernel.dots(line, k.size(), weights.data(), 2, copies.data());
  kernel.square_dots(line, k.size(), weights.data(), 2, squares.data());
  for_missing(line, k.size(), [&](Index i) { missing[0] += k[i], missing[1] += has_weight[i]; });
  const auto sum_if_any = [](double sum, double count) { return count > 0 ? sum : 0.0; };
  const double num_two = 0.5 * (squares[1] - copies[1]), num_one = 2 * copies[1] - squares[1];
  WeightsOfGenotypes out;
  out.two = sum_if_any(0.5 * (squares[0] - copies[0]), num_two);
  out.one = sum_if_any(2 * copies[0] - squares[0], num_one);
  out.missing = missing[0];
  out.none = sum_if_any(total - out.two - out.one - out.missing, has_weight.sum() - num_two - num_one - missing[1]);
  return out;
}

WeightsOfGenotypes counts_of_genotypes(const std::uint8_t* line, Index n) {
  const GenotypeCounts counts = genotype_kernel().counts(line, n);
  return {static_cast<double>(counts.two), static_cast<double>(counts.one), static_cast<double>(counts.none),
          static_cast<double>(counts.missing)};
}

ColumnSums column_sums(const GenotypeView& X, const Vector& k, const Vector& shift) {
  ColumnSums out{Vector(X.cols()), Vector(X.cols())};
  const Index v = X.variants(), n = X.rows();
  const bool are_ones = (k.array() == 1).all();
  const double total = k.sum();
  const Vector has_weight = (k.array() > 0).cast<double>();
  parallel_ranges(v, blas::threads_to_read(v * n), [&](Index from, Index to) {
    for (Index j = from; j < to; ++j) {
      const std::uint8_t* const line = X.line(j);
      const WeightsOfGenotypes of = line == nullptr ? WeightsOfGenotypes{.missing = total}
                                    : are_ones      ? counts_of_genotypes(line, n)
                                                    : weights_of_genotypes(line, k, has_weight, total);
      const double missing = X.missing(j) - shift[j], one = 1 - shift[j];
      const double two = (X.counts_second(j) ? 0 : 2) - shift[j], none = (X.counts_second(j) ? 2 : 0) - shift[j];
      out.first[j] = of.two * two + of.one * one + of.none * none + of.missing * missing;
      out.second[j] = of.two * two * two + of.one * one * one + of.none * none * none + of.missing * missing * missing;
    }
  });
  if (v == X.cols()) return out;
  const ColumnSums beside = column_sums(X.beside(), k, Vector(shift.tail(X.cols() - v)));
  out.first.tail(X.cols() - v) = beside.first;
  out.second.tail(X.cols() - v) = beside.second;
  return out;
}

// Usually one pass over X is enough. If the mean is far from 0 compared with the deviation, a second pass computes deviations from the
// mean: a difference of two sums would be only rounding.
void moments_of(const auto& X, const Vector& k, bool centred, Vector& center, Vector& scale) {
  constexpr double far = 1e3;  // squared, in variances
  const double total = k.sum();
  const auto sums = [&] { return column_sums(X, k, center); };
  center = Vector::Zero(X.cols());
  const ColumnSums around_zero = sums();
  Vector variance = around_zero.second / total;
  if (centred) {
    center = around_zero.first / total;
    variance -= center.cwiseAbs2();
    if ((center.array().square() > far * variance.array()).any()) {
      const ColumnSums around_mean = sums();
      const Vector off = around_mean.first / total;  // rounding of the first sum: at 1e14, it exceeds a spread of 1
      variance = around_mean.second / total - off.cwiseAbs2();
      center += (off.array().square() > 1e-12 * variance.array()).select(off, 0.0).matrix();
    }
  }
  scale = (variance.array() < 0).select(0.0, variance.array()).sqrt();
}

}  // namespace

void FitTable::moments(const Vector& k, bool centred, Vector& center, Vector& scale) const {
  std::visit([&](const auto& X) { moments_of(X, k, centred, center, scale); }, X_);
}

}  // namespace ardvark::internal
