#include "io/encoding_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/many_columns.hpp"

namespace ardvark::internal::io {
namespace {

constexpr const char* every_level = "every_level";

// A name that ends with a number, as it is counted: without zeros before it.
struct CountedName {
  std::string_view prefix;
  Index number = -1;  // -1: the name is not counted

  explicit CountedName(std::string_view name) {
    constexpr std::size_t most_digits = 15;
    const std::size_t last = name.find_last_not_of("0123456789");
    prefix = name.substr(0, last + 1);
    const std::string_view digits = name.substr(prefix.size());
    if (digits.empty() || digits.size() > most_digits || (digits.size() > 1 && digits.front() == '0')) return;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
};

// How many features from here on are numbers whose names count on.
Index num_counted(const std::vector<FeatureColumn>& features, std::size_t from) {
  const CountedName first(features[from].name);
  Index count = 0;
  for (std::size_t f = from; first.number >= 0 && f < features.size(); ++f, ++count) {
    const CountedName name(features[f].name);
    if (features[f].categorical || features[f].is_truth || name.prefix != first.prefix || name.number != first.number + count) break;
  }
  return count;
}

Json features_of(const FeatureEncoding& encoding, bool counts_names) {
  constexpr Index shortest_run = 8;
  Json features = Json::array();
  for (std::size_t at = 0; at < encoding.features.size(); ++at) {
    const FeatureColumn& f = encoding.features[at];
    const Index count = counts_names ? num_counted(encoding.features, at) : 0;
    if (count >= shortest_run) {
      const CountedName first(f.name);
      features.push_back({{"prefix", first.prefix}, {"first", first.number}, {"count", count}});
      at += static_cast<std::size_t>(count) - 1;
    } else if (f.categorical) {
      features.push_back({{"name", f.name}, {"levels", f.levels}, {"reference", f.reference}, {"reference_rows", f.reference_rows}});
    } else {  // only a name: a numeric column. Most tables have only these, and some have many
      features.push_back(f.name);
    }
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

void add_counted(const Json& names, Index most, FeatureEncoding& encoding) {
  const std::string& prefix = names.at("prefix").text();
  const Index first = names.at("first").whole_number(), count = names.at("count").whole_number();
  if (first < 0 || count < 1 || count > most - static_cast<Index>(encoding.features.size()))
    throw JsonError("it counts more columns than it has numbers");
  for (Index k = 0; k < count; ++k) encoding.features.push_back({fmt::format("{}{}", prefix, first + k)});
}

}  // namespace

void add_encoding(Json& description, const FeatureEncoding& encoding, bool counts_names) {
  description["features"] = features_of(encoding, counts_names);
  if (encoding.dummies == Dummies::every_level) description["dummies"] = every_level;
  if (const std::vector<std::string> truths = truths_of(encoding); !truths.empty()) description["truths"] = truths;
}

FeatureEncoding read_encoding(const Json& description, Index most) {
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
    if (f.contains("prefix")) {
      add_counted(f, most, encoding);
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
  auto next = encoding.features.begin();  // they are in the order of the features
  for (const std::string& name : description.at("truths").texts()) {
    auto found = std::find_if(next, encoding.features.end(), [&](const FeatureColumn& f) { return f.name == name; });
    if (found == encoding.features.end()) found = std::ranges::find(encoding.features, name, &FeatureColumn::name);
    if (found == encoding.features.end() || found->categorical)
      throw JsonError("a column of true and false is not one of its numeric columns");
    found->is_truth = true;
    next = found;
  }
  return encoding;
}

}  // namespace ardvark::internal::io
