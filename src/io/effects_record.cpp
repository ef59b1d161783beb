// The part of a model file for a selection at a stated false discovery rate.                                    docs/math/effects.md
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "io/fit_record.hpp"

namespace ardvark::internal::io {

// Of the nested sets only the longest list of columns is stored: a set is its beginning.
Json describe(const Effects& effects) {
  Json nested = Json::array();
  for (const std::vector<EffectSet>& sets : effects.nested) {
    std::vector<double> probability;
    for (const EffectSet& set : sets) probability.push_back(set.probability);
    nested.push_back({{"columns", sets.back().columns}, {"probability", probability}});
  }
  Json out = {{"fdr", effects.fdr}, {"nested", nested}};
  if (effects.guarantee == Guarantee::knockoffs) out["differences"] = effects.differences;
  return out;
}

Effects read_effects(const Json& description, Index num_columns, const std::string& path) {
  Effects effects;
  effects.fdr = description.at("fdr").number();
  if (!(effects.fdr > 0 && effects.fdr < 1)) fail_model(path, "its false discovery rate is not between 0 and 1");
  for (const Json& list : description.at("nested").list()) {
    const std::vector<Index> columns = list.at("columns").whole_numbers();
    const std::vector<double> probability = list.at("probability").numbers();
    if (columns.empty() || columns.size() != probability.size()) fail_model(path, "a set of columns with an effect has the wrong size");
    for (const Index j : columns)
      if (j < 0 || j >= num_columns) fail_model(path, "a set of columns with an effect names no column");
    if (has_repeats(columns)) fail_model(path, "a set of columns with an effect names a column twice");
    std::vector<EffectSet> sets;
    for (std::size_t size = 1; size <= columns.size(); ++size)
      sets.push_back({{columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(size)},
                      checked_share(probability[size - 1], "the probability of a set of columns", path)});
    effects.nested.push_back(std::move(sets));
  }
  if (!description.contains("differences")) return effects;
  effects.guarantee = Guarantee::knockoffs;
  effects.differences = description.at("differences").numbers();
  const auto is_wrong = [](double d) { return !(d != 0 && std::abs(d) <= 1); };
  if (effects.differences.size() != effects.nested.size() || !std::ranges::is_sorted(effects.differences, std::greater{}) ||
      std::ranges::any_of(effects.differences, is_wrong))
    fail_model(path, "its differences to knockoffs have the wrong size, order or range");
  return effects;
}

}  // namespace ardvark::internal::io
