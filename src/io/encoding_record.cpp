#include "io/encoding_record.hpp"

#include <algorithm>

namespace ardvark::internal::io {
namespace {

constexpr const char* every_level = "every_level";

Json features_of(const FeatureEncoding& encoding) {
  Json features = Json::array();
  for (const FeatureColumn& f : encoding.features) {  // only a name: a numeric column. Most tables have only these, and some have many
    if (f.categorical)
      features.push_back({{"name", f.name}, {"levels", f.levels}, {"reference", f.reference}, {"reference_rows", f.reference_rows}});
    else
      features.push_back(f.name);
  }
  return features;
}

// The numeric columns that are true or false. Earlier versions of the library do not read this list, and take them as numbers.
std::vector<std::string> truths_of(const FeatureEncoding& encoding) {
  std::vector<std::string> names;
  for (const FeatureColumn& f : encoding.features)
    if (f.is_truth) names.push_back(f.name);
  return names;
}

}  // namespace

void add_encoding(Json& description, const FeatureEncoding& encoding) {
  description["features"] = features_of(encoding);
  if (encoding.dummies == Dummies::every_level) description["dummies"] = every_level;
  if (const std::vector<std::string> truths = truths_of(encoding); !truths.empty()) description["truths"] = truths;
}

FeatureEncoding read_encoding(const Json& description) {
  FeatureEncoding encoding;
  if (description.contains("dummies")) {  // otherwise: all levels but the first
    if (!description.at("dummies").is_text(every_level)) throw JsonError("its kind of dummies is unknown");
    encoding.dummies = Dummies::every_level;
  }
  for (const Json& f : description.at("features").list()) {
    if (f.is_string()) {
      encoding.features.push_back({f.text()});
      continue;
    }
    FeatureColumn& feature = encoding.features.emplace_back(FeatureColumn{f.at("name").text(), true, f.at("levels").texts()});
    if (!f.contains("reference")) continue;  // an older file: the first level
    feature.reference = f.at("reference").whole_number();
    feature.reference_rows = f.at("reference_rows").number();
    if (feature.reference < 0 || feature.reference >= std::max<Index>(1, static_cast<Index>(feature.levels.size())))
      throw JsonError("a text column has a reference that is not one of its levels");
  }
  if (!description.contains("truths")) return encoding;
  for (const std::string& name : description.at("truths").texts()) {
    const auto found = std::ranges::find(encoding.features, name, &FeatureColumn::name);
    if (found == encoding.features.end() || found->categorical)
      throw JsonError("a column of true and false is not one of its numeric columns");
    found->is_truth = true;
  }
  return encoding;
}

}  // namespace ardvark::internal::io
