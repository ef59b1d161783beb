#include "support/paths.hpp"

namespace ardvark::testing {

std::string data_path(const std::string& name) { return std::string(ARDVARK_TEST_DATA) + "/" + name; }
std::string example_path(const std::string& name) { return std::string(ARDVARK_EXAMPLE_DATA) + (name.empty() ? "" : "/" + name); }
const char* program_path() { return ARDVARK_PROGRAM; }

}  // namespace ardvark::testing
