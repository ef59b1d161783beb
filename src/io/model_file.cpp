#include "ardvark/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "io/encoding_record.hpp"
#include "io/fit_record.hpp"
#include "io/json_reader.hpp"
#include "io/option_values.hpp"
#include "io/safetensors.hpp"
#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::Json;
constexpr const char* format_name = "ardvark-model";
// Version 1: a fit; 2: also relevance vector machines; 3: also pruned fits and machines; 4: also several classes; 5: the header has a
// checksum; 6: values were imputed; 7: kernel machines, and open bands of relevance vector machines; 8: kernel machines with a linear part;
// 9: kernel machines of several classes whose power is not 1; 10: gaps are drawn together, and Student-t marginals of a regression that is
// not joint, and the covariance of few rows; 11: counts; 12: many columns, by runs and entries; 13: counts with an offset that is
// no exposure, or under a sparse prior, and families (files without such parts still have version 5)
constexpr int newest_version = 13, version_with_many = 12, version_with_counts = 11, version_with_joint_gaps = 10, version_with_power = 9,
              version_with_line = 8, version_with_process = 7, version_with_imputation = 6, version_without = 5, first_with_checksum = 5;
constexpr const char* process = "process";

// Where a model is written: a file or memory.
using Sink = std::function<void(const io::SafetensorsWriter&)>;

Sink to_file(const std::string& path) {
  return [path](const io::SafetensorsWriter& file) { file.write(path); };
}

void write(io::SafetensorsWriter& file, const char* kind, Json description, const FeatureEncoding& encoding, const Sink& sink) {
  // A reader takes counted names only if the file has a number for each.
  const bool is_wide = std::max(encoding.features.size(), static_cast<std::size_t>(encoding.num_columns())) > io::many_columns;
  io::add_encoding(description, encoding, is_wide && encoding.features.size() <= file.num_bytes() / sizeof(double));
  file.metadata["format"] = format_name;
  const bool is_new = kind == process || description.contains("bands");
  const bool has_offset = description.contains(io::offset_column) || description.contains(io::has_row_offset);
  const bool is_mixture_of_counts = description.contains(io::deviance) && description.contains("mixture");
  const Json* const imputation = description.find("imputation");
  const bool is_newest = description.contains(io::student_degrees) || description.contains(io::added_covariance) ||
                         (imputation && imputation->contains("sequence"));
  file.metadata["format_version"] =
      std::to_string(has_offset || is_mixture_of_counts || description.contains(io::family_key) ? newest_version
                     : is_wide                                                                  ? version_with_many
                     : description.contains(io::deviance)                                       ? version_with_counts
                     : is_newest                                                                ? version_with_joint_gaps
                     : description.contains("odds_power")                                       ? version_with_power
                     : description.contains("linear_part")                                      ? version_with_line
                     : is_new                                                                   ? version_with_process
                     : imputation                                                               ? version_with_imputation
                                                                                                : version_without);
  file.metadata[kind] = description.dump();
  description = {};  // frees memory: with many columns it is as long as an array, and the file holds its text
  file.add_checksums();
  sink(file);
}

void check_posterior(const auto& fit) {
  if (!holds_posterior(fit))
    throw InvalidArgument(
        fmt::format("the fit holds no posterior to save (status: {}): {}", to_string(fit.report.status), fit.report.message));
}

// What a SavedModel has besides the fit and the encoding.
struct Extras {
  std::optional<Diagnosis> diagnosis = {};
  io::OptionValues options = {};
  const Imputation* imputation = nullptr;
  const Effects* effects = nullptr;
  const VariantAlleles* alleles = nullptr;
};

// Adds to the description of the fit. JSON has no infinity, so such numbers are texts.
void add(const Extras& extras, Json& description) {
  if (!extras.options.empty()) description["options"] = io::json_of(extras.options);
  if (extras.imputation != nullptr) description["imputation"] = io::describe(*extras.imputation);
  if (extras.effects != nullptr) description["effects"] = io::describe(*extras.effects);
  if (extras.alleles != nullptr) description["alleles"] = io::describe(*extras.alleles);
  const std::optional<Diagnosis>& diagnosis = extras.diagnosis;
  if (!diagnosis) return;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : "inf"); };
  description["diagnosis"] = {{"khat", number(diagnosis->khat)},
                              {"khat_given_precisions", number(diagnosis->khat_given_precisions)},
                              {"threshold", diagnosis->threshold},
                              {"effective_share", number(diagnosis->effective_share)}};
}

std::optional<Diagnosis> read_diagnosis(const Json& description) {
  if (!description.contains("diagnosis")) return {};
  const Json& found = description.at("diagnosis");
  const auto number = [&](const char* name) {
    const Json& value = found.at(name);
    if (!value.is_string()) return value.number();
    return value.is_text("inf") ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  };
  return Diagnosis{number("khat"), number("khat_given_precisions"), number("threshold"), number("effective_share"), {}};
}

template <typename AnyFit>
constexpr const char* kind_of = "fit";
template <>
constexpr const char* kind_of<RelevanceFit> = "relevance";
template <>
constexpr const char* kind_of<SoftmaxFit> = "softmax";
template <>
constexpr const char* kind_of<KernelFit> = process;

void check_columns(const FeatureEncoding& encoding, Index num_columns, const char* what) {
  if (encoding.num_columns() != num_columns)
    throw InvalidArgument(fmt::format("the encoding makes {} columns; the fit has {}{}", encoding.num_columns(), num_columns, what));
}

template <typename AnyFit>
void save(const AnyFit& fit, const FeatureEncoding& encoding, const Sink& sink, const Extras& extras = {}) {
  check_posterior(fit);
  if constexpr (requires { fit.num_inputs(); }) check_columns(encoding, fit.num_inputs(), " inputs");
  if constexpr (std::is_same_v<AnyFit, SoftmaxFit>) check_columns(encoding, fit.num_columns(), "");
  io::SafetensorsWriter file;
  Json description = io::describe(fit);
  add(extras, description);
  if constexpr (std::is_same_v<AnyFit, Fit>)
    io::add_arrays(file, "", fit);
  else
    io::add_arrays(file, fit);
  if (extras.imputation != nullptr) io::add_arrays(file, *extras.imputation);
  write(file, kind_of<AnyFit>, std::move(description), encoding, sink);
}

void save(const SavedModel& model, const Sink& sink) {
  std::visit(
      [&](const auto& fit) {
        save(fit, model.encoding, sink,
             {model.diagnosis, model.options, model.imputation ? &*model.imputation : nullptr, model.effects ? &*model.effects : nullptr,
              model.alleles ? &*model.alleles : nullptr});
      },
      model.fit);
}

SavedModel load(const io::SafetensorsReader& file) {
  const int version = io::check_format(file, format_name, newest_version, first_with_checksum);
  const bool relevance = version >= 2 && file.metadata().contains("relevance");
  const bool softmax = version >= 4 && file.metadata().contains("softmax");
  const bool kernel = version >= version_with_process && file.metadata().contains(process);
  SavedModel model;
  try {
    const std::string& text = file.text(relevance ? "relevance" : softmax ? "softmax" : kernel ? process : "fit");
    const Json description = io::bounded_json(text, file.most_bytes_of_tree(), file.path());
    model.encoding = io::read_encoding(description, static_cast<Index>(file.num_bytes() / sizeof(double)));
    if (relevance)
      model.fit = io::read_relevance(file, description, model.encoding.names());
    else if (softmax)
      model.fit = io::read_softmax(file, description, model.encoding.names());
    else if (kernel)
      model.fit = io::read_kernel_fit(file, description, model.encoding.names());
    else
      model.fit = io::read_fit(file, "", description, model.encoding.names());
    if (model.score() != nullptr && description.contains("imputation"))
      model.imputation = io::read_imputation(file, description.at("imputation"), model.encoding);
    model.diagnosis = read_diagnosis(description);
    if (model.score() != nullptr && description.contains("effects"))
      model.effects = io::read_effects(description.at("effects"), model.score()->num_columns(), file.path());
    if (model.score() != nullptr && description.contains("alleles"))
      model.alleles = io::read_alleles(description.at("alleles"), model.encoding, file.path());
    if (description.contains("options")) model.options = io::option_values_of(description.at("options"));
  } catch (const io::JsonError& e) {
    io::fail_model(file.path(), fmt::format("its description cannot be read ({})", e.what()));
  }
  file.check_unread_arrays();
  return model;
}

}  // namespace

void save_model(const std::string& path, const Fit& fit) { save_model(path, fit, FeatureEncoding::of_numbers(fit.column_names)); }
void save_model(const std::string& path, const Fit& fit, const FeatureEncoding& encoding) { save(fit, encoding, to_file(path)); }
void save_model(const std::string& path, const RelevanceFit& fit) { save_model(path, fit, FeatureEncoding::of_numbers(fit.input_names)); }
void save_model(const std::string& path, const RelevanceFit& fit, const FeatureEncoding& encoding) { save(fit, encoding, to_file(path)); }
void save_model(const std::string& path, const SoftmaxFit& fit) { save_model(path, fit, FeatureEncoding::of_numbers(fit.column_names)); }
void save_model(const std::string& path, const SoftmaxFit& fit, const FeatureEncoding& encoding) { save(fit, encoding, to_file(path)); }
void save_model(const std::string& path, const KernelFit& fit) { save_model(path, fit, FeatureEncoding::of_numbers(fit.input_names)); }
void save_model(const std::string& path, const KernelFit& fit, const FeatureEncoding& encoding) { save(fit, encoding, to_file(path)); }
void save_model(const std::string& path, const SavedModel& model) { save(model, to_file(path)); }

std::string model_to_bytes(const SavedModel& model) {
  std::string bytes;
  save(model, [&](const io::SafetensorsWriter& file) { bytes = file.bytes(); });
  return bytes;
}

SavedModel load_model(const std::string& path) { return load(io::SafetensorsReader(path)); }
SavedModel model_from_bytes(std::string_view bytes) { return load(io::SafetensorsReader(bytes, "the bytes given")); }

}  // namespace ardvark
