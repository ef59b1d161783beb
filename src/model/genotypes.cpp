// Fits to genotypes, and predictions of new ones, whose variants are found by name and alleles.      docs/math/genotypes.md (GENO.1)
#include "ardvark/genotypes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/refusals.hpp"
#include "io/text.hpp"
#include "model/fit_parts.hpp"
#include "posterior/state.hpp"

namespace ardvark {

using namespace internal;

namespace {

// The names of the columns of the design.
std::vector<std::string> names_of_columns(const Genotypes& X, const FeatureEncoding& covariates, const ModelOptions& options) {
  std::vector<std::string> names, beside = covariates.names();
  names.reserve(static_cast<std::size_t>(X.num_variants()) + beside.size());
  for (Index j = 0; j < X.num_variants(); ++j) {
    names.push_back(X.name(j));
    for (const std::string& other : beside)
      if (other == names.back())
        throw refused(options.spelling == Spelling::command_line ? "--covariates" : "covariates",
                      fmt::format("has a column '{}', which is the name of a variant; give it another name", io::shown(other)));
  }
  names.insert(names.end(), beside.begin(), beside.end());
  return names;
}

bool is_used(const Fit& fit, Index j) { return fit.state->w[j] != 0 || fit.V_diagonal[j] != 0; }

VariantAlleles alleles_of(const Fit& fit, const Genotypes& X) {
  VariantAlleles out;
  out.num_variants = X.num_variants();
  for (Index j = 0; j < X.num_variants(); ++j) {
    if (!is_used(fit, j)) continue;
    out.column.push_back(j);
    out.counted.emplace_back(X.counted_allele(j));
    out.other.emplace_back(X.other_allele(j));
  }
  return out;
}

}  // namespace

SavedModel fit_model(const Genotypes& X, VectorView target, const ModelOptions& options, const GenotypeCovariates& covariates) {
  const Index num_beside = covariates.encoding.num_columns();
  if (num_beside != covariates.X.cols())
    throw refused("covariates", fmt::format("has {} columns, and the encoding {}", covariates.X.cols(), num_beside));
  ModelOptions all = options;
  all.encoding = {};
  all.column_names = names_of_columns(X, covariates.encoding, options);
  for (Index j = 0; j < num_beside; ++j) all.flat.push_back(X.num_variants() + j);
  SavedModel model = fit_model(X.view(num_beside > 0 ? covariates.X : MatrixView()), target, all);
  all = {};
  if (model.score() != nullptr && holds_posterior(*model.score())) model.alleles = alleles_of(*model.score(), X);
  std::vector<FeatureColumn>& features = model.encoding.features;
  features.resize(static_cast<std::size_t>(X.num_variants()));
  features.insert(features.end(), covariates.encoding.features.begin(), covariates.encoding.features.end());
  std::vector<std::string>& notes = report_of(model).notes;
  const std::vector<std::string> of_X = X.notes();
  notes.insert(notes.begin(), of_X.begin(), of_X.end());
  return model;
}

Index num_variants(const SavedModel& model) { return model.alleles ? model.alleles->num_variants : 0; }

namespace {

enum class AlleleMatch { same, swapped, other };

// The allele 0 is one that no sample has.
AlleleMatch match_of(std::string_view counted, std::string_view other, std::string_view new_counted, std::string_view new_other) {
  const auto is = [](std::string_view known, std::string_view found) { return found == "0" || known == "0" || known == found; };
  if (counted == new_counted && is(other, new_other)) return AlleleMatch::same;
  if (other == new_other && is(counted, new_counted)) return AlleleMatch::same;
  if (counted == new_other && is(other, new_counted)) return AlleleMatch::swapped;
  if (other == new_counted && is(counted, new_other)) return AlleleMatch::swapped;
  return AlleleMatch::other;
}

std::string others(Index count) { return count > 1 ? fmt::format(" and {} more", count - 1) : ""; }

// What is said of variants that are not there as the model has them.
struct Unmatched {
  Index num_absent = 0, num_other = 0;
  std::string first_absent, first_other;
};

void refuse_unmatched(const Unmatched& found, const std::string& path) {
  const bool is_absent = found.num_absent > 0;
  const std::string why = is_absent
                              ? fmt::format("has no variant '{}', which the model uses{}", found.first_absent, others(found.num_absent))
                              : fmt::format("has other alleles than the model: {}{}", found.first_other, others(found.num_other));
  throw InvalidArgument({.value = is_absent ? found.first_absent : found.first_other,
                         .why = why,
                         .remedy = is_absent ? "variants at their mean are predicted with --absent-variants mean (absent_variants=\"mean\")"
                                             : "they may be of the other strand; to take their mean: --absent-variants mean "
                                               "(absent_variants=\"mean\")"},
                        fmt::format("'{}' {}", path, why));
}

}  // namespace

MatchedGenotypes::MatchedGenotypes(const SavedModel& model, const Genotypes& X_new, AbsentVariants absent) : X_(X_new) {
  if (!model.alleles)
    throw InvalidArgument({.argument = "model",
                           .why = "was not fitted to genotypes, so the alleles that it counts are not known",
                           .remedy = "give a table with its columns"});
  const VariantAlleles& known = *model.alleles;
  const Fit& fit = *model.score();
  const Standardization& units = fit.state->standardization;
  const bool knows_means = units.center.size() > 0 && units.intercept;
  const auto p = static_cast<std::size_t>(known.num_variants);
  line_.assign(p, -1), counts_second_.assign(p, 0), missing_.assign(p, 0.0);
  for (std::size_t j = 0; j < p && units.center.size() > 0; ++j) missing_[j] = units.center[static_cast<Index>(j)];
  std::unordered_map<std::string_view, std::size_t> wanted;
  for (std::size_t a = 0; a < known.column.size(); ++a) wanted.emplace(fit.column_names[static_cast<std::size_t>(known.column[a])], a);
  Unmatched unmatched;
  Index num_swapped = 0;
  std::vector<bool> is_there(known.column.size(), false);
  for (Index j = 0; j < X_new.num_variants(); ++j) {
    const auto found = wanted.find(X_new.name(j));
    if (found == wanted.end()) continue;
    const std::size_t a = found->second, column = static_cast<std::size_t>(known.column[a]);
    is_there[a] = true;
    const AlleleMatch match = match_of(known.counted[a], known.other[a], X_new.counted_allele(j), X_new.other_allele(j));
    if (match == AlleleMatch::other) {
      if (unmatched.num_other++ == 0)
        unmatched.first_other = fmt::format("'{}' has {} and {}, in the model {} and {}", X_new.name(j), X_new.counted_allele(j),
                                            X_new.other_allele(j), known.counted[a], known.other[a]);
      continue;
    }
    const bool is_swapped = match == AlleleMatch::swapped;
    num_swapped += is_swapped ? 1 : 0;
    line_[column] = j;
    counts_second_[column] = is_swapped == (X_new.count_allele() == 1) ? 1 : 0;
    const double mean = X_new.means()[j];
    if (!knows_means) missing_[column] = is_swapped ? 2 - mean : mean;
  }
  for (std::size_t a = 0; a < is_there.size(); ++a)
    if (!is_there[a] && unmatched.num_absent++ == 0) unmatched.first_absent = fit.column_names[static_cast<std::size_t>(known.column[a])];
  const Index num_unmatched = unmatched.num_absent + unmatched.num_other;
  if (num_unmatched > 0 && (absent == AbsentVariants::refuse || !knows_means)) refuse_unmatched(unmatched, X_new.path());
  if (num_swapped > 0)
    notes_.push_back(fmt::format("of {} of {} variants, allele {} of '{}' is counted, because the model counts it", num_swapped,
                                 known.column.size(), 3 - X_new.count_allele(), X_new.path()));
  if (num_unmatched > 0)
    notes_.push_back(fmt::format("of {} variants of the model, {} are not in '{}' and {} have other alleles there; they count as the mean",
                                 known.column.size(), unmatched.num_absent, X_new.path(), unmatched.num_other));
}

GenotypeView MatchedGenotypes::view(const MatrixView& beside) const {
  return {
      X_.view().line(0), X_.num_samples(), static_cast<Index>(line_.size()), {missing_.data(), counts_second_.data(), line_.data()}, beside,
      "X.to_numpy()"};
}

Prediction predict(const SavedModel& model, const Genotypes& X_new, const MatrixView& beside, const ModelOptions& options,
                   AbsentVariants absent) {
  const MatchedGenotypes matched(model, X_new, absent);
  return predict(model, matched.view(beside), options);
}

}  // namespace ardvark
