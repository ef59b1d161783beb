// Fits in files: the safetensors layout, a JSON description and raw little-endian arrays.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ardvark/diagnose.hpp"
#include "ardvark/fit.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"
#include "ardvark/table.hpp"

namespace ardvark {

/// What a model file holds: enough to predict and to print the summary. One of three kinds of fit:
///
///     model.relevance ? summary(*model.relevance) : model.softmax ? summary(*model.softmax) : summary(model.fit);
struct SavedModel {
  Fit fit;                                ///< linear or logistic; without a posterior if one of the next two holds the model
  std::optional<RelevanceFit> relevance;  ///< a relevance vector machine, without the rows that are no relevance vectors
  std::optional<SoftmaxFit> softmax;      ///< more than two classes
  std::optional<Diagnosis> diagnosis;     ///< k-hat, of a fit that was asked for it; in a file without the draws
  FeatureEncoding
      encoding;  ///< how a table's columns become columns of X; numeric columns of the fit's names if it was not made from a table
};

/// Writes through a temporary file and a rename: whole or not at all. A symbolic link stays, and what it leads to is written; a file that
/// was there before leaves its permissions to the new one.
/// \throws InvalidArgument   the fit holds no posterior; the encoding makes another number of inputs; a kernel that cannot be stored
/// \throws EnvironmentError  the file cannot be written
void save_model(const std::string& path, const Fit& fit);
void save_model(const std::string& path, const Fit& fit, const FeatureEncoding& encoding);
void save_model(const std::string& path, const RelevanceFit& fit);
void save_model(const std::string& path, const RelevanceFit& fit, const FeatureEncoding& encoding);
void save_model(const std::string& path, const SoftmaxFit& fit);
void save_model(const std::string& path, const SoftmaxFit& fit, const FeatureEncoding& encoding);
void save_model(const std::string& path, const SavedModel& model);
/// The bytes of that file.
[[nodiscard]] std::string model_to_bytes(const SavedModel& model);

/// \throws InvalidArgument   no model file, one in which anything has changed since it was written, or one of a newer version
/// \throws EnvironmentError  the file does not exist or cannot be read
[[nodiscard]] SavedModel load_model(const std::string& path);
[[nodiscard]] SavedModel model_from_bytes(std::string_view bytes);

}  // namespace ardvark
