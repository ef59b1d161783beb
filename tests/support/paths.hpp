// Paths of the files of this checkout and of the programs of this build. Only paths.cpp is compiled with them: the object files of all
// other tests do not depend on the build folder, so that a compiler cache can use them in another clone.
#pragma once

#include <string>

namespace ardvark::testing {

/// tests/data/`name`.
std::string data_path(const std::string& name);
/// examples/data/`name`, or the folder itself.
std::string example_path(const std::string& name = {});
/// The command-line program.
const char* program_path();

}  // namespace ardvark::testing
