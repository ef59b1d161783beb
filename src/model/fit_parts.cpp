#include "model/fit_parts.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "io/text.hpp"
#include "model/resolve.hpp"
#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

// If each dummy is judged separately, some levels of a text column may be kept and others not.
void note_parted_levels(const FeatureEncoding& encoding, auto& fit) {
  if (fit.state == nullptr || encoding.dummies == Dummies::every_level) return;
  std::size_t j = 0;
  for (const FeatureColumn& f : encoding.features) {
    std::vector<std::string> kept, gone;
    for (Index level = 0; f.categorical && level < static_cast<Index>(f.levels.size()); ++level) {
      if (level == f.reference) continue;
      if (!fit.left_out[j]) (fit.relevant[j] ? kept : gone).push_back(f.levels[static_cast<std::size_t>(level)]);
      ++j;
    }
    if (!f.categorical) ++j;
    if (!kept.empty() && !gone.empty())
      fit.report.notes.push_back(
          fmt::format("the levels of text column '{}' are judged separately here, with different results: kept {}; not kept {}", f.name,
                      io::listed(kept), io::listed(gone)));
  }
}
void note_parted_levels(const FeatureEncoding&, RelevanceFit&) {}
void note_parted_levels(const FeatureEncoding&, KernelFit&) {}

}  // namespace

SavedModel with_encoding(SavedModel model) {
  model.encoding = FeatureEncoding::of_numbers(names_of(model));
  return model;
}

void add_remarks(const Report& remarks, Report& report) {
  report.warnings.insert(report.warnings.end(), remarks.warnings.begin(), remarks.warnings.end());
  report.notes.insert(report.notes.end(), remarks.notes.begin(), remarks.notes.end());
}

SavedModel described(SavedModel model, const ModelOptions& options) {
  model.options = options_to_keep(options);
  if (options.encoding.features.empty()) return with_encoding(std::move(model));
  std::visit([&](auto& fit) { note_parted_levels(options.encoding, fit); }, model.fit);
  model.encoding = options.encoding;
  return model;
}

}  // namespace ardvark::internal
