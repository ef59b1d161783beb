#include "ardvark/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "kernel/kernel_function.hpp"

namespace ardvark {

using namespace internal;

namespace {

// A tile of 256 x 64 doubles is 128 KiB: two tiles and the points fit in a level-2 cache.
constexpr Index tile_rows = 256, tile_cols = 64;

void check_points(const Points& X, const Points& C, const Eigen::Ref<Matrix>& out, const KernelFunction& function) {
  validate::matrix(X, "X");
  validate::matrix(C, "C");
  if (X.cols() != C.cols()) throw refused("C", fmt::format("has {} columns; it must have as many as X: {}", C.cols(), X.cols()));
  if (out.rows() != X.rows() || out.cols() != C.rows())
    throw refused("out", fmt::format("is {} x {}; it must have a row per row of X and a column per row of C: {} x {}", out.rows(),
                                     out.cols(), X.rows(), C.rows()));
  function.check_inputs(X.cols());
}

void for_each_tile(const Points& X, const Points& C, Eigen::Ref<Matrix>& out, auto&& work) {
  Matrix tile;
  for (Index j = 0; j < C.rows(); j += tile_cols)
    for (Index i = 0; i < X.rows(); i += tile_rows) {
      const Index rows = std::min(tile_rows, X.rows() - i), cols = std::min(tile_cols, C.rows() - j);
      tile.resize(rows, cols);
      work(Points(X.middleRows(i, rows)), Points(C.middleRows(j, cols)), tile);
      out.block(i, j, rows, cols) = tile;
    }
}

void check_counts(const KernelSpec& spec, std::size_t num_parameters, std::size_t least_parts, std::size_t most_parts) {
  if (spec.parameters.size() != num_parameters)
    throw refused("kernel", spec.kind, fmt::format("has {} parameters; it must have {}", spec.parameters.size(), num_parameters));
  if (spec.parts.size() < least_parts || spec.parts.size() > most_parts)
    throw refused(
        "kernel", spec.kind,
        fmt::format("has {} parts; it must have {}{}", spec.parts.size(), most_parts > least_parts ? "at least " : "", least_parts));
}

Kernel polynomial_from(double degree, double offset) {
  constexpr int most = std::numeric_limits<int>::max();
  if (!(degree >= 1 && degree <= most && degree == std::floor(degree)))
    throw wrong("degree", degree, fmt::format("it must be a whole number from 1 to {}", most));
  return Kernel::polynomial(static_cast<int>(degree), offset);
}

}  // namespace

std::string Kernel::name() const { return function_->name(); }

Index Kernel::num_parameters() const { return static_cast<Index>(function_->parameters().size()); }

std::vector<double> Kernel::log_parameters() const {
  std::vector<double> logs = function_->parameters();
  for (double& parameter : logs) parameter = std::log(parameter);
  return logs;
}

Kernel Kernel::with_log_parameters(const std::vector<double>& log_parameters) const {
  if (static_cast<Index>(log_parameters.size()) != num_parameters())
    throw wrong_size("log_parameters", log_parameters.size(),
                     fmt::format("it must have one per parameter of the kernel: {}", num_parameters()));
  std::vector<double> parameters(log_parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i] = std::exp(log_parameters[i]);
    if (!(parameters[i] > 0) || !std::isfinite(parameters[i]))
      throw refused("log_parameters",
                    fmt::format("at {} is {}; it must be finite, and its exponential positive and finite", i, log_parameters[i]));
  }
  return function_->with_parameters(parameters);
}

void Kernel::evaluate(const Eigen::Ref<const Matrix>& X, const Eigen::Ref<const Matrix>& C, Eigen::Ref<Matrix> out) const {
  check_points(X, C, out, *function_);
  for_each_tile(X, C, out, [this](const Points& x, const Points& c, Matrix& K) { function_->value(x, c, K); });
}

void Kernel::derivative(const Eigen::Ref<const Matrix>& X, const Eigen::Ref<const Matrix>& C, Index parameter,
                        Eigen::Ref<Matrix> out) const {
  check_points(X, C, out, *function_);
  const Index num = num_parameters();
  if (num == 0) throw wrong("parameter", parameter, fmt::format("the kernel {} has no parameters", name()));
  if (parameter < 0 || parameter >= num) throw wrong("parameter", parameter, fmt::format("it must be from 0 to {}", num - 1));
  for_each_tile(X, C, out, [&](const Points& x, const Points& c, Matrix& D) { function_->derivative(x, c, parameter, D); });
}

KernelSpec Kernel::spec() const { return function_->spec(); }

Kernel Kernel::from_spec(const KernelSpec& spec) {
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  const std::string& kind = spec.kind;
  const std::vector<double>& values = spec.parameters;
  if (is_distance_kernel(kind)) {
    check_counts(spec, std::max<std::size_t>(values.size(), 1), 0, 0);
    return of_distance_kernel(kind, values);
  }
  if (kind == "polynomial") {
    check_counts(spec, 2, 0, 0);
    return polynomial_from(values[0], values[1]);
  }
  if (kind == "linear" || kind == "spline") {
    check_counts(spec, 0, 0, 0);
    return kind == "linear" ? linear() : spline();
  }
  if (kind == "scaled") {
    check_counts(spec, 1, 1, 1);
    return values[0] * from_spec(spec.parts[0]);
  }
  if (kind == "sum" || kind == "product") {
    check_counts(spec, 0, 2, any);
    Kernel all = from_spec(spec.parts[0]);
    for (std::size_t i = 1; i < spec.parts.size(); ++i)
      all = kind == "sum" ? all + from_spec(spec.parts[i]) : all * from_spec(spec.parts[i]);
    return all;
  }
  throw refused(
      "kernel", kind,
      "is unknown; it must be one of gaussian, laplacian, cauchy, matern32, matern52, linear, polynomial, spline, scaled, sum, product");
}

}  // namespace ardvark
