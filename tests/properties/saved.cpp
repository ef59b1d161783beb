// A saved fit can be loaded, and is the same fit.
#include <fmt/format.h>

#include "property.hpp"

namespace ardvark::testing {
namespace {

// The predictions by this rule.
Json prediction_of(const SavedModel& model, const Matrix& rows, const char* rule) {
  ModelOptions options;
  options.rule = rule;
  return json_of(predict(model, rows, options), model);
}

}  // namespace

Verdict saved_is_what_was_fitted(const Subject& subject) {
  if (!subject.has_posterior()) return says_nothing();
  const SavedModel& model = *subject.model;
  const std::string bytes = model_to_bytes(model);
  const SavedModel loaded = model_from_bytes(bytes);
  const bool covariance = subject.keeps_covariance();
  const Json fitted = json_of(model, covariance);
  Json read = json_of(loaded, covariance);
  if (fitted.contains("row_weight")) read["row_weight"] = fitted["row_weight"];  // of the rows of the fit, which are in no file
  std::string place = difference(fitted, read);
  if (!place.empty()) return fails("the fit in memory and the one in the file differ: " + place);
  if (summary(model) != summary(loaded)) return fails("the summary of the file differs from that of the fit");
  if (model_to_bytes(loaded) != bytes) return fails("the file, read and written again, has other bytes");
  if (!covariance) return holds();
  const Matrix rows = new_rows(subject);
  for (const char* rule : {"automatic", "plug-in", "exact", "mixture"}) {
    try {
      place = difference(prediction_of(model, rows, rule), prediction_of(loaded, rows, rule));
      if (!place.empty())
        return fails(fmt::format("predictions of the fit in memory and of the one in the file differ, rule {}: {}", rule, place));
    } catch (const InvalidArgument&) {
      if (std::string(rule) == "automatic") throw;
    }
  }
  return holds();
}

}  // namespace ardvark::testing
