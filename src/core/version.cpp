#include "core/version.hpp"

namespace ardvark::internal {

const char* library_version() { return ARDVARK_VERSION; }

}  // namespace ardvark::internal
