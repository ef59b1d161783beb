#include "core/validate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ardvark/errors.hpp"

namespace ardvark::validate {
namespace {

// One pass in memory order; a sum that stays finite times zero is zero, so one accumulator tells whether any entry is not finite.
template <typename Scalar>
bool all_finite(const MatrixView& X) {
  const bool by_column = X.layout() == Layout::column_major;
  const Index outer = by_column ? X.cols() : X.rows(), inner = by_column ? X.rows() : X.cols();
  for (Index o = 0; o < outer; ++o) {
    const Scalar* line = static_cast<const Scalar*>(X.data()) + o * X.stride();
    Scalar sum[4] = {0, 0, 0, 0};
    Index i = 0;
    for (; i + 4 <= inner; i += 4)
      for (int k = 0; k < 4; ++k) sum[k] += line[i + k] * Scalar(0);
    for (; i < inner; ++i) sum[0] += line[i] * Scalar(0);
    if (!(sum[0] + sum[1] + sum[2] + sum[3] == Scalar(0))) return false;
  }
  return true;
}

}  // namespace

std::string column_name(const std::vector<std::string>& names, Index j) {
  return static_cast<std::size_t>(j) < names.size() ? names[static_cast<std::size_t>(j)] : fmt::format("x{}", j + 1);
}

void matrix(const MatrixView& X, const char* what, const std::vector<std::string>& column_names) {
  if (X.rows() < 1) throw InvalidArgument(fmt::format("{} has {} rows; it must have at least 1", what, X.rows()));
  if (X.cols() < 1) throw InvalidArgument(fmt::format("{} has {} columns; it must have at least 1", what, X.cols()));
  if (X.data() == nullptr) throw InvalidArgument(fmt::format("{} is a null pointer", what));
  const Index least = X.layout() == Layout::column_major ? X.rows() : X.cols();
  if (X.stride() < least) throw InvalidArgument(fmt::format("the stride of {} is {}; it must be at least {}", what, X.stride(), least));
  if (X.scalar() == ScalarType::float64 ? all_finite<double>(X) : all_finite<float>(X)) return;
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j)
      if (!std::isfinite(X(i, j)))
        throw InvalidArgument(
            fmt::format("{} at row {}, column '{}' is {}; all values must be finite", what, i + 1, column_name(column_names, j), X(i, j)));
}

void vector(VectorView v, Index size, const char* what) {
  if (v.size() != size) throw InvalidArgument(fmt::format("{} has {} entries; it must have one per row of X: {}", what, v.size(), size));
  for (Index i = 0; i < size; ++i)
    if (!std::isfinite(v[i])) throw InvalidArgument(fmt::format("{} at row {} is {}; all values must be finite", what, i + 1, v[i]));
}

void weights(VectorView w, Index rows) {
  if (w.empty()) return;
  vector(w, rows, "weights");
  double sum = 0;
  for (Index i = 0; i < rows; ++i) {
    if (!(w[i] >= 0)) throw InvalidArgument(fmt::format("weights at row {} is {}; weights must not be negative", i + 1, w[i]));
    sum += w[i];
  }
  if (!(sum < 1e150)) throw InvalidArgument(fmt::format("the sum of the weights is {}; it must be below 1e150", sum));
  if (!(sum > 0)) throw InvalidArgument("all weights are zero; at least one must be positive");
}

double spread(double sd, bool all_equal, const std::string& what) {
  if (all_equal) return 0;
  if (!std::isfinite(sd) || sd < 1e-150)  // 0 where the squares have vanished
    throw InvalidArgument(
        fmt::format("the values of {} are beyond what squares of doubles hold (about 1e-150 to 1e150): rescale it", what));
  return sd;
}

void positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value)) throw InvalidArgument(fmt::format("{} is {}; it must be positive and finite", what, value));
}

void gamma(const GammaDistribution& g, const char* shape_name, const char* rate_name) {
  positive(g.shape, shape_name);
  positive(g.rate, rate_name);
}

}  // namespace ardvark::validate
