#include "core/memory.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

namespace ardvark::internal {
namespace {

double number_in(const std::filesystem::path& path) {
  constexpr double none = std::numeric_limits<double>::infinity();
  double number = none;
  std::ifstream(path) >> number;
  return number > 0 ? number : none;  // "max", or there is no such file
}

}  // namespace

double physical_memory() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const auto pages = static_cast<double>(sysconf(_SC_PHYS_PAGES)), size = static_cast<double>(sysconf(_SC_PAGESIZE));
  return pages > 0 && size > 0 ? pages * size : 0;
#else
  return 0;
#endif
}

double limit_of_groups(std::istream& groups, const std::string& root) {
  namespace fs = std::filesystem;
  double bytes = std::numeric_limits<double>::infinity();
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const bool is_first_version = controllers.find(",memory,") != std::string::npos;
    if (!is_first_version && controllers != ",,") continue;
    const fs::path top = is_first_version ? fs::path(root) / "memory" : fs::path(root);
    fs::path group = fs::path(line.substr(second + 1)).relative_path();
    for (;; group = group.parent_path()) {
      bytes = std::min(bytes, number_in(top / group / (is_first_version ? "memory.limit_in_bytes" : "memory.max")));
      if (group.empty()) break;
    }
  }
  return bytes;
}

}  // namespace ardvark::internal
