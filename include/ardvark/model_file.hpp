// Fits in files: the safetensors layout, a JSON description and raw little-endian arrays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "ardvark/diagnose.hpp"
#include "ardvark/fit.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"
#include "ardvark/table.hpp"

namespace ardvark {

/// What a model file holds: enough to predict and to print the summary.
struct SavedModel {
  /// A linear score (regressions, two classes), a relevance vector machine without the rows that are no relevance vectors, or more than two
  /// classes.
  std::variant<Fit, RelevanceFit, SoftmaxFit> fit;
  std::optional<Diagnosis> diagnosis = {};  ///< k-hat, of a fit that was asked for it; in a file without the draws
  /// How a table's columns become columns of X; numeric columns of the fit's names if it was not made from a table.
  FeatureEncoding encoding = {};

  /// The one that it is; nullptr: it is another.
  [[nodiscard]] const Fit* score() const { return std::get_if<Fit>(&fit); }
  [[nodiscard]] const RelevanceFit* relevance() const { return std::get_if<RelevanceFit>(&fit); }
  [[nodiscard]] const SoftmaxFit* softmax() const { return std::get_if<SoftmaxFit>(&fit); }
  [[nodiscard]] Fit* score() { return std::get_if<Fit>(&fit); }
  [[nodiscard]] RelevanceFit* relevance() { return std::get_if<RelevanceFit>(&fit); }
  [[nodiscard]] SoftmaxFit* softmax() { return std::get_if<SoftmaxFit>(&fit); }
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
