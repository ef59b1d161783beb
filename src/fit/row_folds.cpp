#include "fit/row_folds.hpp"

#include <cmath>

#include "fit/row_sums.hpp"

namespace ardvark::internal {

double fold_factor(Index number) { return 0.5 + std::ldexp(static_cast<double>(mixed_bits(static_cast<std::uint64_t>(number) + 1)), -64); }

Vector fold_factors(const std::vector<bool>& left_out) {
  Vector out = Vector::Zero(static_cast<Index>(left_out.size()));
  Index number = 0;
  for (Index j = 0; j < out.size(); ++j)
    if (!left_out[static_cast<std::size_t>(j)]) out[j] = fold_factor(++number);
  return out;
}

Vector fold_numbers(Task task, MatrixView X, VectorView y, FitOptions options) {
  options.standardize = true;
  options.preset.clear();
  const Frame frame = make_frame(task, X, y, options);
  const auto design = frame.design();
  const Vector factor = fold_factors(frame.left_out);
  Vector out = task == Task::linear ? Vector(fold_factor(0) * frame.target) : Vector(Vector::Zero(X.rows()));
  Matrix column(X.rows(), 1);
  for (Index j = 0; j < factor.size(); ++j) {
    if (factor[j] == 0) continue;
    design->columns(j, 1, column);
    out += factor[j] * column.col(0);
  }
  return out;
}

Index RowFolds::fold_of(double number, bool is_own) const {
  const auto cell = static_cast<std::int64_t>(std::floor(std::clamp(number / width, -1e18, 1e18)));
  const std::uint64_t hash = mixed_bits(mixed_bits(seed + 1) ^ static_cast<std::uint64_t>(cell));
  return static_cast<Index>(mixed_bits(hash + (is_own ? 1 : 0)) % static_cast<std::uint64_t>(count));
}

}  // namespace ardvark::internal
