// Facts about a published program that its options do not contain.
#pragma once

#include <optional>
#include <string>

#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark::internal {

/// The method of a program.
enum class PresetMethod {
  sweeps,      ///< over all columns at once
  greedy,      ///< one column at a time, by its evidence                  (GREEDY.1)
  sequential,  ///< one row at a time                                      (SEQ.1)
  coordinate,  ///< the mode, one weight at a time                         (L1.9)
};

struct PresetFacts {
  PresetMethod method = PresetMethod::sweeps;
  bool slr_toolbox = false;                     ///< from the SLR toolbox: no hyper-priors; the user chooses intercept and scaling
  bool kernel = false;                          ///< fits the columns of a kernel                                                  (SLR.6)
  bool signs = false;                           ///< labels are -1 and 1, and one of them may be absent
  bool laplace_prior = false;                   ///< the result is a mode, not a distribution
  bool table_scale = false;                     ///< with compat: one scale for the whole table instead of one for each column
  std::optional<ClassCoding> coding = {};       ///< programs for several classes: their coding
  const char* machine = nullptr;                ///< of these: the program for each pair of classes, or for each class against the rest
  PredictiveRule rule = PredictiveRule::exact;  ///< the default rule of predictions
  PredictiveRule compat_rule = PredictiveRule::exact;  ///< the default rule with compat
};

/// Why a preset needs a dense X: what it writes out, or reads from its rows. Empty: it takes a sparse X, as a model does.
/// \param preset  a name; with an unknown one, or none, the answer is empty
[[nodiscard]] std::string need_of_dense(const std::string& preset, bool compat);

/// Facts of a preset by name; without a preset, or with an unknown name, the facts of a model.
[[nodiscard]] const PresetFacts& preset_facts(const std::string& name);

}  // namespace ardvark::internal
