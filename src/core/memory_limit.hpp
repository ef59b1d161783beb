// What a control group of Linux lets its programs take of the memory.
#pragma once

#include <istream>
#include <string>

namespace ardvark::internal {

/// Bytes: the smallest limit of the groups of a program and of the groups above them; infinity without one.
/// \param groups  as /proc/self/cgroup: lines "0::/PATH" (version 2) and "N:memory:/PATH" (version 1)
/// \param root    where the groups are folders: /sys/fs/cgroup
[[nodiscard]] double limit_of_groups(std::istream& groups, const std::string& root);

}  // namespace ardvark::internal
