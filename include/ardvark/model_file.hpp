// Files of fits. They have the safetensors layout: a JSON description and raw little-endian arrays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ardvark/diagnose.hpp"
#include "ardvark/effects.hpp"
#include "ardvark/fit.hpp"
#include "ardvark/impute.hpp"
#include "ardvark/kernel_machine.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"
#include "ardvark/table.hpp"
#include "ardvark/targets.hpp"

namespace ardvark {

/// The value of an option that is set by name.
using OptionValue = std::variant<std::string, double, std::vector<double>, std::vector<std::string>>;

/// Of a fit to genotypes: the alleles of the variants whose coefficients are not zero. Genotypes that are predicted must have the same
/// ones.
struct VariantAlleles {
  Index num_variants = 0;                   ///< the first columns of X are variants
  std::vector<Index> column;                ///< positions of those whose coefficients are not zero, ascending
  std::vector<std::string> counted, other;  ///< for each of them, the allele whose copies are the numbers of X, and the other one
};

/// The contents of a model file: enough to predict and to print the summary.
struct SavedModel {
  /// A linear score (regressions, two classes), a relevance vector machine or a kernel machine with only the rows that are relevance
  /// vectors, or a model of more than two classes.
  std::variant<Fit, RelevanceFit, SoftmaxFit, KernelFit> fit;
  std::optional<Diagnosis> diagnosis = {};  ///< k-hat, if the options asked for it; a file does not have the draws
  std::optional<Effects> effects = {};      ///< what columns are selected from, if the options asked for it
  /// A linear score that was fitted with missing = impute: it predicts rows with gaps, too.
  std::optional<Imputation> imputation = {};
  /// A fit to genotypes.
  std::optional<VariantAlleles> alleles = {};
  /// How the columns of a table become columns of X; without a table, numeric columns with the names of the fit.
  FeatureEncoding encoding = {};
  /// The options of the fit that differ from their defaults, without those that name or weight rows and columns or concern only the
  /// machine: with the same table they give the same fit. Empty for a model that no options made.
  std::vector<std::pair<std::string, OptionValue>> options = {};

  /// The fit if it has this type, else nullptr.
  [[nodiscard]] const Fit* score() const { return std::get_if<Fit>(&fit); }
  [[nodiscard]] const RelevanceFit* relevance() const { return std::get_if<RelevanceFit>(&fit); }
  [[nodiscard]] const SoftmaxFit* softmax() const { return std::get_if<SoftmaxFit>(&fit); }
  [[nodiscard]] const KernelFit* process() const { return std::get_if<KernelFit>(&fit); }
  [[nodiscard]] Fit* score() { return std::get_if<Fit>(&fit); }
  [[nodiscard]] RelevanceFit* relevance() { return std::get_if<RelevanceFit>(&fit); }
  [[nodiscard]] SoftmaxFit* softmax() { return std::get_if<SoftmaxFit>(&fit); }
  [[nodiscard]] KernelFit* process() { return std::get_if<KernelFit>(&fit); }
};

/// Writes a temporary file and renames it, so that the path has either the old file or the whole new one. If the path is a symbolic link,
/// the file that it points to is replaced. The new file has the permissions of the old one. \throws InvalidArgument   the fit has no
/// posterior; the encoding gives another number of inputs; the kernel cannot be stored \throws EnvironmentError  the file cannot be written
void save_model(const std::string& path, const Fit& fit);
void save_model(const std::string& path, const Fit& fit, const FeatureEncoding& encoding);
void save_model(const std::string& path, const RelevanceFit& fit);
void save_model(const std::string& path, const RelevanceFit& fit, const FeatureEncoding& encoding);
void save_model(const std::string& path, const SoftmaxFit& fit);
void save_model(const std::string& path, const SoftmaxFit& fit, const FeatureEncoding& encoding);
void save_model(const std::string& path, const KernelFit& fit);
void save_model(const std::string& path, const KernelFit& fit, const FeatureEncoding& encoding);
void save_model(const std::string& path, const SavedModel& model);
/// The bytes of the file.
[[nodiscard]] std::string model_to_bytes(const SavedModel& model);

/// \throws InvalidArgument   the file is not a model file, has changed since it was written, or has a newer format version
/// \throws EnvironmentError  the file does not exist or cannot be read
[[nodiscard]] SavedModel load_model(const std::string& path);
[[nodiscard]] SavedModel model_from_bytes(std::string_view bytes);

/// The contents of a file of many targets: one file for all.
struct SavedTargets {
  TargetsFit fit;
  std::vector<std::string> target_names = {};                     ///< [K] or empty
  FeatureEncoding encoding = {};                                  ///< as SavedModel::encoding
  std::vector<std::pair<std::string, OptionValue>> options = {};  ///< as SavedModel::options
};

/// \param coefficients  [p,K] of fits that wrote them elsewhere; the file has them
/// \throws InvalidArgument   the fits have no coefficients, or their names have the wrong number \throws EnvironmentError  as save_model
void save_targets(const std::string& path, const SavedTargets& targets, MatrixView coefficients = {});
[[nodiscard]] std::string targets_to_bytes(const SavedTargets& targets, MatrixView coefficients = {});
/// \throws InvalidArgument  as load_model
[[nodiscard]] SavedTargets load_targets(const std::string& path);
[[nodiscard]] SavedTargets targets_from_bytes(std::string_view bytes);

}  // namespace ardvark
