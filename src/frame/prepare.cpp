#include "frame/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/digits.hpp"
#include "core/validate.hpp"
#include "frame/prior_partition.hpp"

namespace ardvark::internal {
namespace {

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < 5; ++i) text += (i > 0 ? ", " : "") + items[i];
  if (items.size() > 5) text += fmt::format(" and {} more", items.size() - 5);
  return text;
}

// The size of a column, checked for overflow of its square.
double spread_of(double size, Index j, const FitOptions& options) {
  return validate::spread(std::sqrt(size * size), size == 0, fmt::format("column '{}'", validate::column_name(options.column_names, j)));
}

// Columns that stay as they are: their squares must be finite.
void refuse_large(const FitTable& table, const std::vector<std::string>& names) {
  Vector largest = Vector::Zero(table.cols());
  if (table.is_dense()) {
    const MatrixView X = table.dense("a preset");
    for (Index i = 0; i < X.rows(); ++i)
      for (Index j = 0; j < X.cols(); ++j) largest[j] = std::max(largest[j], std::abs(X(i, j)));
  } else {  // by the root of the mean square, which is not far below
    Vector center;
    table.moments(Vector::Ones(table.rows()), false, center, largest);
  }
  for (Index j = 0; j < table.cols(); ++j)
    static_cast<void>(validate::spread(largest[j], largest[j] < 1, fmt::format("column '{}'", validate::column_name(names, j))));
}

// The published normalisation: mean and largest |x - mean|, of each column or of the table.                                      (SLR.4)
Prepared prepare_by_largest(MatrixView X, const FitOptions& options) {
  const Index n = X.rows(), p = X.cols();
  Prepared out;
  Standardization& s = out.standardization;
  s.intercept = options.intercept;
  s.center.resize(p);
  s.scale.resize(p);
  const bool table = options.scaling == Scaling::largest_of_table;
  const auto raw = table_design(X);
  Matrix x(n, 1);
  const auto columns = [&](auto&& visit) {
    for (Index j = 0; j < p; ++j) {
      raw->columns(j, 1, x);
      visit(j, x.col(0));
    }
  };
  columns([&](Index j, auto column) { s.center[j] = column.mean(); });
  if (table) s.center.setConstant(s.center.mean());
  columns([&](Index j, auto column) {
    const double size = (column.array() - s.center[j]).abs().maxCoeff();
    s.scale[j] = table ? size : spread_of(size, j, options);
  });
  const double largest = table ? validate::spread(std::sqrt(s.scale.maxCoeff() * s.scale.maxCoeff()), s.scale.isZero(0), "the table") : 0.0;
  out.left_out.assign(static_cast<std::size_t>(p), false);
  std::vector<std::string> constant;
  for (Index j = 0; j < p; ++j) {
    if (table) s.scale[j] = largest;
    const bool varies = is_spread(s.scale[j], s.center[j]) && std::isfinite(1 / s.scale[j]);
    if (!varies) {  // the published program divides zero by zero and returns NaN everywhere
      out.left_out[static_cast<std::size_t>(j)] = true;
      constant.push_back(fmt::format("'{}'", validate::column_name(options.column_names, j)));
    }
    s.scale[j] = varies ? 1 / s.scale[j] : 0;
  }
  if (!constant.empty())
    out.notes.push_back(fmt::format("{} {} constant and left out, where the published program divides zero by zero: {}", constant.size(),
                                    constant.size() == 1 ? "column is" : "columns are", listed(constant)));
  if (!options.intercept)
    out.notes.push_back(
        table ? "there is no intercept, but the mean of the table is subtracted from every column, as the published program does: scores "
                "are computed from the differences"
              : "there is no intercept, but the mean of each column is subtracted from it, as the published program does: scores are "
                "computed from the differences");
  return out;
}

}  // namespace

std::string few_digits(const std::string& what, double spread, double mean) {
  const double step = std::nextafter(std::abs(mean), std::numeric_limits<double>::infinity()) - std::abs(mean);
  return fmt::format(
      "{} varies by {:.2g} around {:.6g}, where numbers are stored in steps of {:.2g}: its differences have {:.0f} digit{} left, and "
      "smaller differences are lost; subtract {:.6g} before the numbers are stored",
      what, spread, mean, step, std::max(1.0, std::floor(std::log10(spread / step))), spread / step < 100 ? "" : "s", mean);
}

Vector weights_or_ones(VectorView weights, Index n) { return weights.empty() ? Vector::Ones(n) : Vector(weights.eigen()); }

Prepared prepare_columns(const FitTable& X, const Vector& k, const FitOptions& options, const StandIn& stand_in,
                         const std::optional<OffsetColumn>& offset) {
  const Index p = X.cols();
  Prepared out;
  out.left_out.assign(static_cast<std::size_t>(p), false);
  out.standardization.intercept = options.intercept;
  const bool as_they_are = !options.preset.empty() && !options.standardize;
  const bool by_largest = options.standardize && options.scaling != Scaling::deviation;
  Standardization s;
  if (!as_they_are && !by_largest) X.moments(k, options.intercept, s.center, s.scale);
  // If a sum is finite, all its numbers are finite. This saves a pass over X.
  if (s.scale.size() == 0 || !s.scale.allFinite()) X.check_finite("X", options.column_names);
  if (as_they_are) {
    refuse_large(X, options.column_names);
    return out;
  }
  if (by_largest) return prepare_by_largest(X.dense("this scaling of columns"), options);

  std::vector<std::string> constant, copies;
  for (Index j = 0; j < p; ++j) {
    const std::string name = fmt::format("column '{}'", validate::column_name(options.column_names, j));
    if (offset && j == offset->column) {
      s.scale[j] = 0;
      out.left_out[static_cast<std::size_t>(j)] = true;
      out.notes.push_back(
          fmt::format("{} is {}", name,
                      offset->is_exposure ? "the exposure: rates are per unit of it" : "the offset: it is added to the linear predictor"));
      continue;
    }
    s.scale[j] = validate::spread(s.scale[j], s.scale[j] < 1e-150 && X.all_equal(j, k, options.intercept), name);
    const double mean = s.center[j] + stand_in.at(j);
    if (!is_spread(s.scale[j], mean)) {
      s.scale[j] = 0;
      out.left_out[static_cast<std::size_t>(j)] = true;
      constant.push_back(fmt::format("'{}'", validate::column_name(options.column_names, j)));
    } else {
      if (has_few_digits(s.scale[j], mean)) out.warnings.push_back(few_digits(name, s.scale[j], mean));
      s.scale[j] = 1 / s.scale[j];
    }
  }
  // Under a sparse prior, copies share an effect, and the fit reports it.                                                        (SP.9)
  const std::vector<bool> is_flat = marked_columns(options.prior.flat_columns, "prior.flat_columns", p);
  using Copies = std::vector<std::pair<Index, Index>>;
  for (const auto& [copy, original] : is_sparse(options.prior.kind) ? Copies() : duplicates(X, k, s, is_flat)) {
    out.left_out[static_cast<std::size_t>(copy)] = true;
    copies.push_back(fmt::format("'{}' (copy of '{}')", validate::column_name(options.column_names, copy),
                                 validate::column_name(options.column_names, original)));
  }
  if (!constant.empty())
    out.notes.push_back(fmt::format("{} {} constant and left out: {}", constant.size(), constant.size() == 1 ? "column is" : "columns are",
                                    listed(constant)));
  if (!copies.empty())
    out.notes.push_back(fmt::format("{} another column up to shift and scale and {} left out: {}",
                                    copies.size() == 1 ? "1 column repeats" : fmt::format("{} columns repeat", copies.size()),
                                    copies.size() == 1 ? "is" : "are", listed(copies)));
  // With a flat intercept, centring does not change the model and avoids a cancellation in the solvers.
  if (!options.standardize) s.scale = Vector::Ones(p);
  for (Index j = 0; j < p; ++j)
    if (out.left_out[static_cast<std::size_t>(j)]) s.scale[j] = 0;
  s.intercept = options.intercept;
  out.standardization = std::move(s);
  return out;
}

}  // namespace ardvark::internal
