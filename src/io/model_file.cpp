#include "ardvark/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/softmax_state.hpp"
#include "engine/state.hpp"
#include "io/fit_record.hpp"
#include "io/relevance_record.hpp"
#include "io/safetensors.hpp"
#include "io/softmax_record.hpp"

namespace ardvark {
namespace {

using nlohmann::json;
constexpr const char* format_name = "ardvark-model";
constexpr const char* every_level = "every_level";
// 1: a fit; 2: or a relevance vector machine; 3: pruned ones of both; 4: or of several classes
constexpr int newest_version = 4;

json describe(const FeatureEncoding& encoding) {
  json features = json::array();
  for (const FeatureColumn& f : encoding.features) {  // a name alone is a numeric column: most tables have nothing else, and some have many
    if (f.categorical)
      features.push_back({{"name", f.name}, {"levels", f.levels}});
    else
      features.push_back(f.name);
  }
  return features;
}

FeatureEncoding read_encoding(const json& description, const std::string& path) {
  FeatureEncoding encoding;
  if (description.contains("dummies")) {  // else all but the first
    if (description.at("dummies") != every_level) io::fail_model(path, "its dummies are of no known kind");
    encoding.dummies = Dummies::every_level;
  }
  for (const json& f : description.at("features")) {
    if (f.is_string())
      encoding.features.push_back({f.get<std::string>(), false, {}});
    else
      encoding.features.push_back({f.at("name").get<std::string>(), true, f.at("levels").get<std::vector<std::string>>()});
  }
  return encoding;
}

FeatureEncoding numeric_columns(const std::vector<std::string>& names) {
  FeatureEncoding encoding;
  for (const std::string& name : names) encoding.features.push_back({name, false, {}});
  return encoding;
}

// Where a model goes: to a file or into memory.
using Sink = std::function<void(const io::SafetensorsWriter&)>;

Sink to_file(const std::string& path) {
  return [path](const io::SafetensorsWriter& file) { file.write(path); };
}

void write(io::SafetensorsWriter& file, const char* kind, int version, json description, const FeatureEncoding& encoding,
           const Sink& sink) {
  description["features"] = describe(encoding);
  if (encoding.dummies == Dummies::every_level) description["dummies"] = every_level;
  file.metadata["format"] = format_name;
  file.metadata["format_version"] = std::to_string(version);
  file.metadata[kind] = description.dump(-1, ' ', false, json::error_handler_t::replace);
  description = {};  // of many columns, as long as an array, and the file is about to hold it
  file.add_checksums();
  sink(file);
}

bool holds_posterior(const Fit& fit) { return fit.state != nullptr && fit.state->w.size() > 0; }

bool holds_posterior(const RelevanceFit& fit) {
  return !fit.machines.empty() && std::all_of(fit.machines.begin(), fit.machines.end(),
                                              [](const RelevanceMachine& machine) { return holds_posterior(machine.fit); });
}

bool holds_posterior(const SoftmaxFit& fit) {
  if (fit.state == nullptr || !fit.mean.allFinite()) return false;
  return fit.coding == ClassCoding::softmax
             ? fit.state->W.size() > 0
             : static_cast<Index>(fit.machines.size()) == fit.mean.cols() &&
                   std::all_of(fit.machines.begin(), fit.machines.end(), [](const Fit& machine) { return holds_posterior(machine); });
}

template <typename AnyFit>
void check_posterior(const AnyFit& fit) {
  if (!holds_posterior(fit))
    throw InvalidArgument(fmt::format("the fit holds no posterior to save (status: {})", to_string(fit.report.status)));
}

void save(const Fit& fit, const FeatureEncoding& encoding, const Sink& sink) {
  check_posterior(fit);
  io::SafetensorsWriter file;
  io::add_arrays(file, "", fit);
  write(file, "fit", fit.state->factor.columns.empty() ? 1 : 3, io::describe(fit), encoding, sink);
}

void save(const RelevanceFit& fit, const FeatureEncoding& encoding, const Sink& sink) {
  check_posterior(fit);
  if (encoding.num_columns() != fit.num_inputs())
    throw InvalidArgument(fmt::format("the encoding makes {} columns; the fit has {} inputs", encoding.num_columns(), fit.num_inputs()));
  io::SafetensorsWriter file;
  json description = io::describe(fit);
  io::add_arrays(file, fit);
  write(file, "relevance", fit.algorithm == RelevanceAlgorithm::pruned ? 3 : 2, std::move(description), encoding, sink);
}

void save(const SoftmaxFit& fit, const FeatureEncoding& encoding, const Sink& sink) {
  check_posterior(fit);
  if (encoding.num_columns() != fit.num_columns())
    throw InvalidArgument(fmt::format("the encoding makes {} columns; the fit has {}", encoding.num_columns(), fit.num_columns()));
  io::SafetensorsWriter file;
  io::add_arrays(file, fit);
  write(file, "softmax", 4, io::describe(fit), encoding, sink);
}

void save(const SavedModel& model, const Sink& sink) {
  if (model.relevance)
    save(*model.relevance, model.encoding, sink);
  else if (model.softmax)
    save(*model.softmax, model.encoding, sink);
  else
    save(model.fit, model.encoding, sink);
}

SavedModel load(const io::SafetensorsReader& file) {
  const int version = io::check_format(file, format_name, newest_version);
  const bool relevance = version >= 2 && file.metadata().contains("relevance");
  const bool softmax = version >= 4 && file.metadata().contains("softmax");
  SavedModel model;
  try {
    const json description = json::parse(file.text(relevance ? "relevance" : softmax ? "softmax" : "fit"));
    model.encoding = read_encoding(description, file.path());
    if (relevance)
      model.relevance = io::read_relevance(file, description, model.encoding.names());
    else if (softmax)
      model.softmax = io::read_softmax(file, description, model.encoding.names());
    else
      model.fit = io::read_fit(file, "", description, model.encoding.names());
  } catch (const json::exception& e) {
    io::fail_model(file.path(), fmt::format("its description cannot be read ({})", e.what()));
  }
  return model;
}

}  // namespace

void save_model(const std::string& path, const Fit& fit) { save_model(path, fit, numeric_columns(fit.column_names)); }
void save_model(const std::string& path, const Fit& fit, const FeatureEncoding& encoding) { save(fit, encoding, to_file(path)); }
void save_model(const std::string& path, const RelevanceFit& fit) { save_model(path, fit, numeric_columns(fit.input_names)); }
void save_model(const std::string& path, const RelevanceFit& fit, const FeatureEncoding& encoding) { save(fit, encoding, to_file(path)); }
void save_model(const std::string& path, const SoftmaxFit& fit) { save_model(path, fit, numeric_columns(fit.column_names)); }
void save_model(const std::string& path, const SoftmaxFit& fit, const FeatureEncoding& encoding) { save(fit, encoding, to_file(path)); }
void save_model(const std::string& path, const SavedModel& model) { save(model, to_file(path)); }

std::string model_to_bytes(const SavedModel& model) {
  std::string bytes;
  save(model, [&](const io::SafetensorsWriter& file) { bytes = file.bytes(); });
  return bytes;
}

SavedModel load_model(const std::string& path) { return load(io::SafetensorsReader(path)); }
SavedModel model_from_bytes(std::string_view bytes) { return load(io::SafetensorsReader(bytes, "the bytes given")); }

}  // namespace ardvark
