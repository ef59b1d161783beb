#include "ardvark/model_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/state.hpp"
#include "io/fit_record.hpp"
#include "io/safetensors.hpp"

namespace ardvark {
namespace {

using nlohmann::json;
constexpr const char* format_name = "ardvark-model";
constexpr int format_version = 1;

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

FeatureEncoding read_encoding(const json& features) {
  FeatureEncoding encoding;
  for (const json& f : features) {
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

}  // namespace

void save_model(const std::string& path, const Fit& fit) { save_model(path, fit, numeric_columns(fit.column_names)); }

void save_model(const std::string& path, const Fit& fit, const FeatureEncoding& encoding) {
  if (fit.state == nullptr || fit.state->w.size() == 0)
    throw InvalidArgument(fmt::format("the fit holds no posterior to save (status: {})", to_string(fit.report.status)));
  json description = io::describe(fit);
  description["features"] = describe(encoding);
  io::SafetensorsWriter file;
  file.metadata["format"] = format_name;
  file.metadata["format_version"] = std::to_string(format_version);
  file.metadata["fit"] = description.dump(-1, ' ', false, json::error_handler_t::replace);
  io::add_arrays(file, "", fit);
  file.write(path);
}

SavedModel load_model(const std::string& path) {
  const io::SafetensorsReader file(path);
  io::check_format(file, format_name, format_version);
  SavedModel model;
  try {
    const json description = json::parse(file.text("fit"));
    model.encoding = read_encoding(description.at("features"));
    model.fit = io::read_fit(file, "", description, model.encoding.names());
  } catch (const json::exception& e) {
    io::fail_model(path, fmt::format("its description cannot be read ({})", e.what()));
  }
  return model;
}

}  // namespace ardvark
