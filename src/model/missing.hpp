// Rows with missing values: left out before a fit, or predicted as an average over draws.                          docs/math/missing.md
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// The option `missing`; keep: impute. \throws InvalidArgument  it has no such word, or `imputations` does not apply
[[nodiscard]] Missing missing_of(const ModelOptions& options);

/// "3 rows were dropped because a value was missing; most gaps are in column 'bmi' (2)". \param column  empty: the target
[[nodiscard]] std::string note_of_dropped(Index num_dropped, const std::string& column, Index gaps);

/// A copy of these rows, in the same memory order.
[[nodiscard]] OwnedMatrix rows_of(MatrixView X, const std::vector<Index>& rows);

/// The rows that a fit uses.
struct RowsInUse {
  std::vector<Index> rows;       ///< positions among those given; empty: all
  std::optional<OwnedMatrix> X;  ///< if rows were dropped
  Vector target;
  ModelOptions options;  ///< with the weights of these rows
  std::string note;      ///< empty: no row was dropped
};
/// Without the rows in which the target is missing and, unless gaps are kept, those in which a column is.
/// \throws InvalidArgument  no row is left; a column has no value
[[nodiscard]] RowsInUse rows_in_use(MatrixView X, VectorView target, const ModelOptions& options, Missing missing);
/// Gives each row of a relevance vector another number.
void renumber_rows(const std::function<Index(Index)>& number_of, KernelFit& fit);
void renumber_rows(const std::function<Index(Index)>& number_of, RelevanceFit& fit);
/// Numbers of rows in the model count those that were dropped.
void count_dropped_rows(const RowsInUse& rows, SavedModel& model);

/// \throws InvalidArgument  `missing` is impute
void refuse_to_impute(const ModelOptions& options, const char* what);

/// Whether impute applies to the model; to that of options, as far as they determine it.
[[nodiscard]] bool can_impute(const ModelOptions& options);
[[nodiscard]] bool can_impute(const SavedModel& model);
/// What to do about a gap in a table to fit: "--missing drop leaves such rows out, --missing impute fills the gaps".
[[nodiscard]] std::string remedy_of_gap(const ModelOptions& options, bool may_impute);
/// What to do about a row that lacks the target.
[[nodiscard]] std::string remedy_of_target_gap(const ModelOptions& options);
/// What to do about a gap in new rows, which the model refuses.
[[nodiscard]] std::string remedy_of_new_gap(const SavedModel& model, const ModelOptions& options);

/// If the work refuses NaN, the message says what can be done about it.
/// \param of_target  the remedy if the NaN is in y
auto with_remedy(const std::string& remedy, auto&& work, const std::string& of_target = {}) {
  try {
    return work();
  } catch (const InvalidArgument& e) {
    const bool is_gap = e.fields().row > 0 && e.fields().value == "NaN";
    if (remedy.empty() || !is_gap) throw;
    throw e.changed([&](ErrorFields& fields) {
      const bool is_target = !of_target.empty() && fields.argument == "y";
      fields.remedy = "if the value is missing: " + (is_target ? of_target : remedy);
    });
  }
}

/// Options of an imputation. \throws InvalidArgument  seed or imputations are out of range
[[nodiscard]] ImputationOptions imputation_options(const ModelOptions& options);
/// \throws InvalidArgument  seed is no whole number of this range
[[nodiscard]] std::uint64_t seed_of(const ModelOptions& options);

[[nodiscard]] bool has_gaps(MatrixView X);
/// Rows with gaps are completed several times; the prediction is that of the mixture.                                            (MI.6)
/// \param of_complete  predicts rows without gaps
[[nodiscard]] Prediction predict_with_gaps(const SavedModel& model, MatrixView X_new,
                                           const std::function<Prediction(MatrixView)>& of_complete);

}  // namespace ardvark::internal
