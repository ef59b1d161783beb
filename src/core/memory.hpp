// How much memory a program may take.
#pragma once

#include <istream>
#include <string>

namespace ardvark::internal {

/// What the machine has, in bytes; 0: not known.
[[nodiscard]] double physical_memory();

/// What the control groups of Linux let a program take, in bytes: the smallest limit of its groups and of the groups above them; infinity
/// without one.
/// \param groups  as /proc/self/cgroup: lines "0::/PATH" (version 2) and "N:memory:/PATH" (version 1)
/// \param root    where the groups are folders: /sys/fs/cgroup
[[nodiscard]] double limit_of_groups(std::istream& groups, const std::string& root);

}  // namespace ardvark::internal
