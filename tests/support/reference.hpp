// Reference data of the tests: their paths, reading them, and comparing results with them.
#pragma once

#include <string>

#include "ardvark/types.hpp"
#include "support/paths.hpp"

namespace ardvark::testing {

[[nodiscard]] bool has_data(const std::string& name);

/// The numbers of a CSV file without header below tests/data. \throws std::runtime_error if it is absent, ragged or not numeric
[[nodiscard]] Matrix load_matrix(const std::string& name);
[[nodiscard]] Vector load_vector(const std::string& name);  ///< one column
[[nodiscard]] double load_number(const std::string& name);  ///< one number
/// The whole number after `key=` in a status file below tests/data. \throws std::runtime_error if it is absent
[[nodiscard]] int load_count(const std::string& name, const std::string& key);

/// |a - b|/|b|; 0 for two zeros, infinity when one is NaN.
[[nodiscard]] double relative_difference(double a, double b);
/// The largest over the components.
[[nodiscard]] double relative_difference(const Vector& a, const Vector& b);
/// max|a - b| / max|b|: for coefficients, whose small ones carry the rounding of the large ones.
[[nodiscard]] double difference_to_largest(const Vector& a, const Vector& b);

/// A column of ones, followed by Gaussian kernel columns: K_ij = exp(-|x_i - c_j|^2 / width^2).
[[nodiscard]] Matrix gaussian_kernel(const Matrix& points, const Matrix& centres, double width);

/// The design matrix of a reference set: X.csv (X_test.csv for `test` if there is one, else X.csv), or computed from its definition.
[[nodiscard]] Matrix load_design(const std::string& set, bool test = false);

}  // namespace ardvark::testing
