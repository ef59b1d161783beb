#include "core/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "ardvark/errors.hpp"
#include "core/blas.hpp"
#include "core/numbers.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "core/simd.hpp"

namespace ardvark::internal::validate {
namespace {

// One pass in memory order. A finite value times zero is zero, so a sum of such products that is not 0 shows that an entry times `scale` is
// not finite.
template <typename Scalar>
bool all_finite(const MatrixView& X, double scale) {
  const bool by_column = X.layout() == Layout::column_major;
  const Index outer = by_column ? X.cols() : X.rows(), inner = by_column ? X.rows() : X.cols();
  const auto are_finite = [&](Index from, Index to) {
    for (Index o = from; o < to; ++o) {
      const Scalar* line = static_cast<const Scalar*>(X.data()) + o * X.stride();
      double sum[4] = {0, 0, 0, 0};
      Index i = 0;
      for (; i + 4 <= inner; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += static_cast<double>(line[i + k]) * scale * 0.0;
      for (; i < inner; ++i) sum[0] += static_cast<double>(line[i]) * scale * 0.0;
      if (!(sum[0] + sum[1] + sum[2] + sum[3] == 0.0)) return false;
    }
    return true;
  };
  std::atomic<bool> all = true;
  parallel_ranges(outer, blas::threads_to_read(outer * inner), [&](Index from, Index to) {
    if (!are_finite(from, to)) all = false;
  });
  return all;
}

bool all_finite(const MatrixView& X, double scale = 1) {
  return with_scalar(X.scalar(), [&](auto of_type) {
    using Number = decltype(of_type);
    return std::is_integral_v<Number> ? std::isfinite(128 * scale) : all_finite<Number>(X, scale);
  });
}

// Written like this in other programs of the field.
std::string shown(double x) { return std::isnan(x) ? "NaN" : fmt::format("{}", x); }

void entry(double x, const char* what, Index i, Index j, const std::vector<std::string>& names) {
  if (!std::isfinite(x))
    throw InvalidArgument(
        {.argument = what, .value = shown(x), .row = i + 1, .column = column_name(names, j), .why = "all values must be finite"});
}

constexpr double square_limit = 1e150;

// An entry of new rows. The fit uses (x - center) * scale.
void new_entry(double x, Index i, Index j, const std::vector<std::string>& names, const Vector& center, const Vector& scale) {
  const double unit = scale.size() > 0 ? scale[j] : 1.0;
  entry(x, "X_new", i, j, names);
  if (unit != 0 && !(std::abs(x - (center.size() > 0 ? center[j] : 0.0)) * unit < square_limit))
    throw InvalidArgument({.argument = "X_new",
                           .value = shown(x),
                           .row = i + 1,
                           .column = column_name(names, j),
                           .why = "in the units of the fit its size must be below 1e150, or its square overflows"});
}

}  // namespace

std::string column_name(const std::vector<std::string>& names, Index j) {
  return static_cast<std::size_t>(j) < names.size() ? names[static_cast<std::size_t>(j)] : fmt::format("x{}", j + 1);
}

void shape(const MatrixView& X, const char* what) {
  (void)simd::level();  // every fit and prediction calls this, so a wrong ARDVARK_SIMD is refused before any work
  if (X.rows() < 1) throw refused(what, fmt::format("has {} rows; it must have at least 1", X.rows()));
  if (X.cols() < 1) throw refused(what, fmt::format("has {} columns; it must have at least 1", X.cols()));
  if (X.data() == nullptr) throw refused(what, "is a null pointer");
  const Index least = X.layout() == Layout::column_major ? X.rows() : X.cols();
  if (X.stride() < least) throw InvalidArgument(fmt::format("the stride of {} is {}; it must be at least {}", what, X.stride(), least));
}

void finite(const MatrixView& X, const char* what, const std::vector<std::string>& column_names) {
  if (all_finite(X)) return;
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j) entry(X(i, j), what, i, j, column_names);
}

void shape(const CscView& X, const char* what) {
  (void)simd::level();
  if (X.rows() < 1) throw refused(what, fmt::format("has {} rows; it must have at least 1", X.rows()));
  if (X.cols() < 1) throw refused(what, fmt::format("has {} columns; it must have at least 1", X.cols()));
  if (X.is_null()) throw refused(what, "is a null pointer");
  if (X.start(0) != 0) throw InvalidArgument(fmt::format("{}: the first column starts at entry {}; it must be 0", what, X.start(0)));
  for (Index j = 0; j < X.cols(); ++j) {
    if (X.entries(j) < 0) throw InvalidArgument(fmt::format("{}: column {} ends before it starts", what, j + 1));
    for (Index e = X.start(j), last = -1; e < X.start(j + 1); last = X.row(e), ++e)
      if (X.row(e) <= last || X.row(e) >= X.rows())
        throw InvalidArgument(fmt::format("{}: the row numbers of column {} must ascend from 0 to {}; {} follows {}", what, j + 1,
                                          X.rows() - 1, X.row(e), last));
  }
}

void finite(const CscView& X, const char* what, const std::vector<std::string>& column_names) {
  for (Index j = 0; j < X.cols(); ++j)
    for (Index e = X.start(j); e < X.start(j + 1); ++e) entry(X.value(e), what, X.row(e), j, column_names);
}

void shape(const GenotypeView& X, const char* what) {
  (void)simd::level();
  if (X.rows() < 1) throw refused(what, fmt::format("has {} rows; it must have at least 1", X.rows()));
  if (X.cols() < 1) throw refused(what, fmt::format("has {} columns; it must have at least 1", X.cols()));
  if (X.is_null()) throw refused(what, "is a null pointer");
  if (X.beside().cols() == 0) return;
  shape(X.beside(), what);
  if (X.beside().rows() != X.rows())
    throw refused(what, fmt::format("has {} samples, and {} rows in the columns beside the genotypes; both must have as many", X.rows(),
                                    X.beside().rows()));
}

// Genotypes are finite numbers, unless what the missing ones count as is none.
void finite(const GenotypeView& X, const char* what, const std::vector<std::string>& column_names) {
  for (Index j = 0; j < X.variants(); ++j)
    if (!std::isfinite(X.missing(j)))
      for (Index i = 0; i < X.rows(); ++i) entry(X(i, j), what, i, j, column_names);
  for (Index j = X.variants(); j < X.cols(); ++j)
    for (Index i = 0; i < X.rows(); ++i) entry(X(i, j), what, i, j, column_names);
}

void matrix(const MatrixView& X, const char* what, const std::vector<std::string>& column_names) {
  shape(X, what);
  finite(X, what, column_names);
}

void new_rows(const MatrixView& X, const std::vector<std::string>& column_names, const Vector& center, const Vector& scale) {
  shape(X, "X_new");
  constexpr double largest = std::numeric_limits<double>::max();
  const double center_size = center.size() > 0 ? center.lpNorm<Eigen::Infinity>() : 0.0;
  const double plain = 0.5 * square_limit / std::max(1.0, scale.size() > 0 ? scale.maxCoeff() : 1.0);  // usually all entries are below this
  if (center_size < plain && plain >= 1 && all_finite(X, largest / plain)) return;
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j) new_entry(X(i, j), i, j, column_names, center, scale);
}

void new_rows(const CscView& X, const std::vector<std::string>& column_names, const Vector& center, const Vector& scale) {
  shape(X, "X_new");
  for (Index j = 0; j < X.cols(); ++j)
    for (Index e = X.start(j); e < X.start(j + 1); ++e) new_entry(X.value(e), X.row(e), j, column_names, center, scale);
}

void new_rows(const GenotypeView& X, const std::vector<std::string>& column_names, const Vector& center, const Vector& scale) {
  shape(X, "X_new");
  finite(X, "X_new", column_names);
  for (Index j = X.variants(); j < X.cols(); ++j)
    for (Index i = 0; i < X.rows(); ++i) new_entry(X(i, j), i, j, column_names, center, scale);
}

void predicted(const Eigen::Ref<const Matrix>& values, Index first_row) {
  if (values.allFinite()) return;
  for (Index i = 0; i < values.rows(); ++i)
    if (!values.row(i).allFinite())
      throw InvalidArgument({.argument = "X_new", .row = first_row + i + 1, .why = "holds values so large that its prediction overflows"});
}

void vector(VectorView v, Index size, const char* what, Index rows_before) {
  if (v.size() != size) throw wrong_size(what, v.size(), fmt::format("it must have one per row of X: {}", size));
  for (Index i = 0; i < size; ++i)
    if (!std::isfinite(v[i]))
      throw InvalidArgument({.argument = what, .value = shown(v[i]), .row = rows_before + i + 1, .why = "all values must be finite"});
}

void weights(VectorView w, Index rows, Index rows_before) {
  if (w.empty()) return;
  vector(w, rows, "weights", rows_before);
  double sum = 0;
  for (Index i = 0; i < rows; ++i) {
    if (!(w[i] >= 0))
      throw InvalidArgument(
          {.argument = "weights", .value = fmt::format("{}", w[i]), .row = rows_before + i + 1, .why = "weights must not be negative"});
    sum += w[i];
  }
  if (!(sum < 1e150)) throw InvalidArgument(fmt::format("the sum of the weights is {}; it must be below 1e150", sum));
  if (!(sum > 0)) throw InvalidArgument("all weights are zero; at least one must be positive");
}

double spread(double sd, bool all_equal, const std::string& what) {
  if (all_equal) return 0;
  if (!(sd >= 1e-150 && sd <= 1e150))  // 0 or infinite if the squares are
    throw InvalidArgument(
        fmt::format("the values of {} are too large or too small to be squared (the range is about 1e-150 to 1e150): rescale it", what));
  return sd;
}

void positive(double value, const Name& name) {
  constexpr const char* why = "it must be positive and finite";
  if (!(value > 0) || !std::isfinite(value))
    throw InvalidArgument({.argument = name.argument, .value = fmt::format("{}", value), .why = why},
                          fmt::format("{} is {}; {}", name.more, value, why));
}

void gamma(const GammaDistribution& g, const Name& shape, const Name& rate) {
  positive(g.shape, shape);
  positive(g.rate, rate);
}

}  // namespace ardvark::internal::validate
