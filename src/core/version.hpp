// The version of the library.
#pragma once

namespace ardvark::internal {

/// "0.1.0".
[[nodiscard]] const char* library_version();

}  // namespace ardvark::internal
