// What is true of a published program, beyond the options that it stands for.
#pragma once

#include <optional>
#include <string>

#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark::internal {

/// What carries a program out.
enum class PresetMethod {
  sweeps,      ///< over all columns at once
  greedy,      ///< one column at a time, by its evidence                  (GREEDY.1)
  sequential,  ///< one row at a time                                      (SEQ.1)
  coordinate,  ///< the mode, one weight at a time                         (L1.9)
};

struct PresetFacts {
  PresetMethod method = PresetMethod::sweeps;
  bool slr_toolbox = false;                ///< of the SLR toolbox: no hyper-priors; intercept and scaling are the user's choice
  bool kernel = false;                     ///< its columns are those of a kernel                                                  (SLR.6)
  bool signs = false;                      ///< labels are -1 and 1, and one of them may be absent
  bool laplace_prior = false;              ///< a mode, no distribution
  bool table_scale = false;                ///< with compat one scale for the whole table, not one for each column
  std::optional<ClassCoding> coding = {};  ///< of programs for several classes: how they are told apart
  const char* machine = nullptr;           ///< of these: the program of each pair of classes, or of each class against the rest
  PredictiveRule rule = PredictiveRule::exact;         ///< that predicts unless the caller names one
  PredictiveRule compat_rule = PredictiveRule::exact;  ///< the same with compat
};

/// Facts of a preset by name; of no preset and of an unknown name, those of a model.
[[nodiscard]] const PresetFacts& preset_facts(const std::string& name);

}  // namespace ardvark::internal
