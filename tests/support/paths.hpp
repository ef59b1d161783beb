// Where the files of this checkout and the programs of this build are. Only paths.cpp is compiled with them: the objects of all other
// tests do not hang on the folder they were built in, and a compiler cache knows them again in another clone.
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
