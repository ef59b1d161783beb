// Checks problems one after the other, by seed. Each failure is reduced to a small problem and printed with the command that repeats it.
#pragma once

#include <cstdint>
#include <string>

#include "property.hpp"

namespace ardvark::testing {

struct RunOptions {
  std::uint64_t seed = 1, count = 1;
  std::string wanted;                             ///< names of properties, separated by commas; empty: all
  std::string failures = "build/check/failures";  ///< where small problems that fail are written; empty: nowhere
  std::string file;                               ///< the problem is read from this file instead of drawn by seed
  std::string folder;                             ///< problems and their results are written there, for other languages
  std::uint64_t shell_every = 1;                  ///< one of so many problems also runs with the program; 0: none
  bool extreme = false;                           ///< draw_extreme_problem; if `wanted` is empty: only properties that need no other fit
  bool strict = false;                            ///< failures under an exemption count, too
  bool show = false;                              ///< print each problem
  bool brief = false;                             ///< a problem whose fit makes very many steps is only checked without further fits
  bool digest = false;  ///< instead of checking properties: print a number for each answer, to compare two versions
};

struct RunOutcome {
  std::uint64_t num_problems = 0, num_fitted = 0, num_refused = 0, num_failures = 0;
};

/// Prints what fails, then a line "figure: ..." for each property. \throws std::runtime_error  a property that does not exist
RunOutcome run_properties(const RunOptions& options);

}  // namespace ardvark::testing
