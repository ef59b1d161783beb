// Fits in files: the safetensors layout, a JSON description and raw little-endian arrays.
#pragma once

#include <string>

#include "ardvark/fit.hpp"
#include "ardvark/table.hpp"

namespace ardvark {

/// What a model file holds: enough to predict and to print the summary.
struct SavedModel {
  Fit fit;
  FeatureEncoding
      encoding;  ///< how a table's columns become columns of X; numeric columns of the fit's names if it was not made from a table
};

/// Writes through a temporary file and a rename: whole or not at all.
/// \throws InvalidArgument   the fit holds no posterior
/// \throws EnvironmentError  the file cannot be written
void save_model(const std::string& path, const Fit& fit);
void save_model(const std::string& path, const Fit& fit, const FeatureEncoding& encoding);

/// \throws InvalidArgument   no model file, a truncated one, or one of a newer version
/// \throws EnvironmentError  the file does not exist or cannot be read
[[nodiscard]] SavedModel load_model(const std::string& path);

}  // namespace ardvark
