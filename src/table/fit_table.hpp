// The columns of a fit in the form in which the caller has them. This file is the one place that knows the forms.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "design/table_design.hpp"

namespace ardvark::internal {

/// A view: the caller's arrays must exist as long as it.
class FitTable {
 public:
  FitTable() = default;
  template <std::convertible_to<MatrixView> Dense>
  FitTable(const Dense& X) : X_(MatrixView(X)) {}
  FitTable(CscView X) : X_(X) {}
  FitTable(GenotypeView X) : X_(X) {}

  [[nodiscard]] Index rows() const;
  [[nodiscard]] Index cols() const;
  [[nodiscard]] bool is_sparse() const { return std::holds_alternative<CscView>(X_); }
  /// The numbers lie one after the other, so that dense() has them. Any other form is never written out.
  [[nodiscard]] bool is_dense() const { return std::holds_alternative<MatrixView>(X_); }
  /// "sparse", "genotypes"; for messages.
  [[nodiscard]] const char* form() const { return is_dense() ? "dense" : is_sparse() ? "sparse" : "genotypes"; }
  /// "needs a dense X", and how the caller makes it so; empty: it is dense.
  [[nodiscard]] std::string need_of_dense() const;
  /// What keeps the priors sparse, slab and dense from a table that is not dense: their matrix of min(rows, columns) x columns numbers,
  /// which does not fit into memory that is small beside that of a dense X; empty: nothing.
  [[nodiscard]] std::string need_of_small() const;
  /// \param who  what needs a dense table, for the message: "prior 'laplace'"
  /// \throws InvalidArgument  the table is not dense
  [[nodiscard]] MatrixView dense(const std::string& who) const;

  /// \param memory  that of a dense table, if the design may overwrite it
  [[nodiscard]] std::unique_ptr<TableDesign> design(Standardization standardization = {}, std::shared_ptr<double[]> memory = nullptr) const;

  /// f(X) with the table in its form, a MatrixView, a CscView or a GenotypeView. For this folder.
  decltype(auto) visit(auto&& f) const { return std::visit(f, X_); }

  /// core/validate.hpp
  void check_shape(const char* what) const;
  void check_finite(const char* what, const std::vector<std::string>& column_names) const;
  void check_new_rows(const std::vector<std::string>& column_names, const Vector& center, const Vector& scale) const;

  /// Weighted mean of each column (0 if not centred) and root mean square deviation from it; not finite if an entry is not, or its square.
  void moments(const Vector& k, bool centred, Vector& center, Vector& scale) const;
  /// Whether all entries of column j with a positive weight are equal; if not centred, whether they are zero.
  [[nodiscard]] bool all_equal(Index j, const Vector& k, bool centred) const;

 private:
  std::variant<MatrixView, CscView, GenotypeView> X_;
};

/// A column that is added to the linear predictor of counts, without a coefficient.                                  (POIS.8), (POIS.9)
struct OffsetColumn {
  Index column = 0;
  bool is_exposure = false;  ///< its logarithm is added
};
/// e to an offset of a larger size is no rate.
inline constexpr double most_offset = 709;
inline constexpr const char* offset_limits = "the offset must be from -709 to 709, because e to it is a factor of the rate";
/// [rows] What it adds.
/// \param what    the table, for messages: "X"
/// \param k       weights of the rows: one of weight 0 may have any value, and gets 0; empty: ones
/// \param before  number of rows before those of X, for messages
/// \throws InvalidArgument  an offset is larger than most_offset; an exposure is not finite, or not above 0
[[nodiscard]] Vector offset_in(const char* what, const FitTable& X, const OffsetColumn& offset, const std::string& name,
                               const Vector& k = {}, Index before = 0);

/// "X is sparse, and WHO needs a dense X; a sparse X WHAT"; of genotypes: "X holds genotypes, ...; an X of genotypes WHAT".
[[noreturn]] void refuse_sparse(const FitTable& X, const std::string& who,
                                const char* what = "has models of every prior, without a preset");

/// Pairs of a column that is a copy of another one up to shift and scale, and the one that stays: the first, or the first that is flat.
[[nodiscard]] std::vector<std::pair<Index, Index>> duplicates(const FitTable& X, const Vector& k, const Standardization& s,
                                                              const std::vector<bool>& is_flat);

}  // namespace ardvark::internal
