// Problems by their seeds, tried one after the other; each failure is made small and printed with the command that shows it again.
#pragma once

#include <cstdint>
#include <string>

#include "property.hpp"

namespace ardvark::testing {

struct RunOptions {
  std::uint64_t seed = 1, count = 1;
  std::string wanted;                             ///< names of properties, with commas; empty: all
  std::string failures = "build/check/failures";  ///< where small problems that fail are written; empty: nowhere
  std::string file;                               ///< one problem of a file instead of the seeds
  std::string folder;                             ///< problems and their results are written there, for other languages
  std::uint64_t shell_every = 1;                  ///< of so many problems one is taken to the program; 0: none
  bool strict = false;                            ///< what falls under a named exemption is a failure too
  bool show = false;                              ///< print each problem
  bool digest = false;  ///< in place of properties: print a number for each answer; two versions are compared by it
};

struct RunOutcome {
  std::uint64_t num_problems = 0, num_fitted = 0, num_refused = 0, num_failures = 0;
};

/// Prints what fails, then a line "figure: ..." for each property. \throws std::runtime_error  a property that does not exist
RunOutcome run_properties(const RunOptions& options);

}  // namespace ardvark::testing
