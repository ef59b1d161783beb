// Checks of the caller's arguments: argument, value, constraint, in one sentence.
#pragma once

#include <string>

#include "ardvark/genotype_view.hpp"
#include "ardvark/prior.hpp"
#include "ardvark/types.hpp"

namespace ardvark::internal::validate {

/// \throws InvalidArgument unless X is not empty; `what` names it ("X", "X_new"). Also throws if simd::level() does.
void shape(const MatrixView& X, const char* what);
/// \throws InvalidArgument  an entry is not finite; names row, column and value
void finite(const MatrixView& X, const char* what, const std::vector<std::string>& column_names = {});
/// The same for sparse columns: also the row numbers, which must ascend in each column.
void shape(const CscView& X, const char* what);
void finite(const CscView& X, const char* what, const std::vector<std::string>& column_names = {});
/// The same for genotypes, and the columns beside them.
void shape(const GenotypeView& X, const char* what);
void finite(const GenotypeView& X, const char* what, const std::vector<std::string>& column_names = {});
/// \throws InvalidArgument  like shape() and finite()
void matrix(const MatrixView& X, const char* what, const std::vector<std::string>& column_names = {});
/// Checks the rows of a prediction. The fit uses the columns as (X - center) * scale (empty: 0 and 1; scale 0: the column is not used).
/// \throws InvalidArgument  an entry is not finite, or too large to be squared; names row, column and value
void new_rows(const MatrixView& X, const std::vector<std::string>& column_names, const Vector& center, const Vector& scale);
void new_rows(const CscView& X, const std::vector<std::string>& column_names, const Vector& center, const Vector& scale);
void new_rows(const GenotypeView& X, const std::vector<std::string>& column_names, const Vector& center, const Vector& scale);
/// \throws InvalidArgument unless all values [rows, any] predicted for the rows from `first_row` on are finite; names the row
void predicted(const Eigen::Ref<const Matrix>& values, Index first_row = 0);
/// \throws InvalidArgument unless v has this many entries, all finite.
void vector(VectorView v, Index size, const char* what, Index rows_before = 0);
/// \throws InvalidArgument unless weights are finite, >= 0 and not all zero (or empty).
void weights(VectorView weights, Index rows, Index rows_before = 0);
/// An argument as the caller knows it, and what follows in the message: "a0", " (noise.shape)". No argument: "", "a fixed precision".
struct Name {
  Name(const char* its_argument, const char* then = "") : argument(its_argument), more(then) {}
  const char *argument, *more;
};
/// \throws InvalidArgument unless shape and rate are finite and > 0
void gamma(const GammaDistribution& g, const Name& shape, const Name& rate);
/// Returns sd, or 0 if all values are equal.
/// \throws InvalidArgument  sd is too large or too small to be squared; `what` names the values ("the target")
[[nodiscard]] double spread(double sd, bool all_equal, const std::string& what);
/// \throws InvalidArgument unless value > 0 and finite.
void positive(double value, const Name& name);
[[nodiscard]] std::string column_name(const std::vector<std::string>& names, Index j);

}  // namespace ardvark::internal::validate
