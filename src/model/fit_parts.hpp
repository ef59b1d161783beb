// What the fits of any model share, of rows in memory and of sums over rows.
#pragma once

#include "ardvark/model.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// The names of the columns of the table.
[[nodiscard]] const std::vector<std::string>& names_of(const SavedModel& model);
/// What a fit keeps of its options.
[[nodiscard]] SavedModel described(SavedModel model, const ModelOptions& options);
/// The encoding of a model whose columns are numbers.
[[nodiscard]] SavedModel with_encoding(SavedModel model);
/// \throws InvalidArgument  the target of a regression is text
void require_numbers(const ModelOptions& options);
/// \throws InvalidArgument  labels do not fit to the names that the options give
void require_two_classes(const ModelOptions& options, VectorView labels);
/// Gives two classes the names that the options have, if any.
void name_classes(const ModelOptions& options, VectorView labels, Fit& fit);
/// If the options have an fdr, what a selection at any rate is made from.                                                      (FDR.1)
/// \param how  the options of the fit in `model` \param X  was checked by the fit \throws InvalidArgument  the fit has no inclusions
void add_selected(const ModelOptions& options, const FitOptions& how, const FitTable& X, VectorView target, SavedModel& model);
void add_remarks(const Report& remarks, Report& report);

}  // namespace ardvark::internal
