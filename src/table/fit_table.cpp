#include "table/fit_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "core/validate.hpp"

namespace ardvark::internal {
namespace {

// Of a dense table, or of genotypes.
bool all_equal(const auto& X, Index j, const Vector& k, bool centred) {
  bool is_first = centred;
  double value = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    if (k[i] == 0) continue;
    if (is_first) value = X(i, j);
    is_first = false;
    if (X(i, j) != value) return false;
  }
  return true;
}

// Reads the entries only: of a million columns, many may have none.
bool all_equal(const CscView& X, Index j, const Vector& k, bool centred) {
  Index stored = 0;
  double first = 0;
  const bool are_equal = with_entries(X, [&](const auto* row, const auto* value) {
    for (Index e = X.start(j), end = X.start(j + 1); e < end; ++e) {
      if (k[row[e]] == 0) continue;
      if (stored++ == 0) first = static_cast<double>(value[e]);
      if (static_cast<double>(value[e]) != first) return false;
    }
    return true;
  });
  return are_equal && (first == 0 || (centred && stored == (k.array() != 0).count()));  // the rows without an entry are 0
}

// How the caller makes the table dense.
const char* way_to_dense(const MatrixView&) { return ""; }
const char* way_to_dense(const auto& X) { return X.dense(); }

}  // namespace

std::string FitTable::need_of_dense() const {
  if (is_dense()) return "";
  const char* const way = std::visit([](const auto& X) { return way_to_dense(X); }, X_);
  return fmt::format("needs a dense X{}{}", *way == '\0' ? "" : ", ", way);
}

std::string FitTable::need_of_small() const {
  constexpr Index most = Index{1} << 24;  // numbers, 128 MB
  const Index smaller = std::min(rows(), cols());
  if (is_dense() || smaller * cols() <= most) return "";
  return fmt::format("needs a matrix of {} x {} numbers, more than it makes of {}", smaller, cols(),
                     is_sparse() ? "a sparse X" : "genotypes");
}

void refuse_sparse(const FitTable& X, const std::string& who, const char* what) {
  const std::string why = fmt::format("{} {}", who, X.need_of_dense());
  const bool is_sparse = X.is_sparse();
  throw InvalidArgument({.argument = "X",
                         .value = X.form(),
                         .why = why,
                         .remedy = fmt::format("{} {}", is_sparse ? "a sparse X" : "an X of genotypes", what)},
                        fmt::format(" {}, and {}", is_sparse ? "is sparse" : "holds genotypes", why));
}

Index FitTable::rows() const {
  return std::visit([](const auto& X) { return X.rows(); }, X_);
}
Index FitTable::cols() const {
  return std::visit([](const auto& X) { return X.cols(); }, X_);
}

MatrixView FitTable::dense(const std::string& who) const {
  if (const auto* X = std::get_if<MatrixView>(&X_)) return *X;
  refuse_sparse(*this, who);
}

std::unique_ptr<TableDesign> FitTable::design(Standardization standardization, std::shared_ptr<double[]> memory) const {
  if (const auto* X = std::get_if<MatrixView>(&X_)) return table_design(*X, std::move(standardization), std::move(memory));
  if (const auto* X = std::get_if<CscView>(&X_)) return table_design(*X, std::move(standardization));
  return table_design(std::get<GenotypeView>(X_), std::move(standardization));
}

void FitTable::check_shape(const char* what) const {
  std::visit([&](const auto& X) { validate::shape(X, what); }, X_);
}
void FitTable::check_finite(const char* what, const std::vector<std::string>& column_names) const {
  std::visit([&](const auto& X) { validate::finite(X, what, column_names); }, X_);
}
void FitTable::check_new_rows(const std::vector<std::string>& column_names, const Vector& center, const Vector& scale) const {
  std::visit([&](const auto& X) { validate::new_rows(X, column_names, center, scale); }, X_);
}

bool FitTable::all_equal(Index j, const Vector& k, bool centred) const {
  return std::visit([&](const auto& X) { return internal::all_equal(X, j, k, centred); }, X_);
}

Vector offset_in(const char* what, const FitTable& X, const OffsetColumn& offset, const std::string& name, const Vector& k, Index before) {
  const bool is_exposure = offset.is_exposure;
  Matrix values(X.rows(), 1);
  X.design()->columns(offset.column, 1, values);
  for (Index i = 0; i < X.rows(); ++i) {
    double& value = values(i, 0);
    if (k.size() > 0 && k[i] == 0) value = is_exposure ? 1 : 0;
    const bool is_good = is_exposure ? value > 0 && std::isfinite(value) : std::abs(value) <= most_offset;
    if (!is_good)
      throw InvalidArgument({.argument = what,
                             .value = fmt::format("{}", value),
                             .row = before + i + 1,
                             .column = name,
                             .why = is_exposure ? "the exposure must be above 0" : offset_limits});
  }
  return is_exposure ? Vector(values.array().log()) : Vector(values);
}

}  // namespace ardvark::internal
