// fit, show and predict of many targets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit.hpp"

namespace ardvark::cli {

/// Rate of false discoveries among the targets that are explained, if none is given.
inline constexpr double usual_fdr_of_targets = 0.1;

/// Whether the options name several targets.
[[nodiscard]] bool has_many_targets(const FitArguments& args);
[[nodiscard]] int fit_many_targets(FitArguments args);
/// Completes and checks the options of such a fit. Returns the rate of false discoveries. \throws InvalidArgument
[[nodiscard]] double check_many_targets(FitArguments& args);
/// Writes and prints such a fit. Returns the exit code.
[[nodiscard]] int finish_targets(const FitArguments& args, const SavedTargets& targets, double fdr);

/// Whether a file has many targets. Of a file that cannot be read, load_model() says what is wrong.
[[nodiscard]] bool holds_targets(const std::string& path);
/// \param fdr  rate of false discoveries among the targets that are explained
[[nodiscard]] int show_targets(const std::string& path, bool json, double fdr);

struct TargetsToPredict {
  std::string model, output;
  std::vector<std::string> files, missing_markers;
  TableFormat format;
  bool with_sd = false;
  std::optional<int> digits;
};
/// Writes a column for each target: its mean; with_sd: and one for the standard deviation of a new observation.
[[nodiscard]] int predict_targets(const TargetsToPredict& args);

}  // namespace ardvark::cli
