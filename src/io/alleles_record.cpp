// The part of a model file that new genotypes are compared with.
#include <algorithm>
#include <utility>

#include "io/fit_record.hpp"
#include "io/many_columns.hpp"

namespace ardvark::internal::io {

Json describe(const VariantAlleles& alleles) {
  return {
      {"num_variants", alleles.num_variants}, {"columns", by_runs(alleles.column)}, {"counted", alleles.counted}, {"other", alleles.other}};
}

VariantAlleles read_alleles(const Json& description, const FeatureEncoding& encoding, const std::string& path) {
  const std::vector<FeatureColumn>& features = encoding.features;
  VariantAlleles out;
  out.num_variants = description.at("num_variants").whole_number();
  if (out.num_variants < 0 || out.num_variants > static_cast<Index>(features.size()) ||
      std::any_of(features.begin(), features.begin() + out.num_variants, [](const FeatureColumn& one) { return one.categorical; }))
    fail_model(path, "it has more variants than columns of numbers");
  out.column = whole_numbers_of(description.at("columns"), out.num_variants);
  out.counted = description.at("counted").texts();
  out.other = description.at("other").texts();
  if (out.counted.size() != out.column.size() || out.other.size() != out.column.size())
    fail_model(path, "a list of alleles has the wrong size");
  for (std::size_t a = 0; a < out.column.size(); ++a)
    if (out.column[a] < (a > 0 ? out.column[a - 1] + 1 : 0) || out.column[a] >= out.num_variants)
      fail_model(path, "its alleles are not those of its variants");
  return out;
}

}  // namespace ardvark::internal::io
