// How much memory the machine has.
#pragma once

namespace ardvark::internal {

/// Bytes; 0: not known.
[[nodiscard]] double physical_memory();

}  // namespace ardvark::internal
