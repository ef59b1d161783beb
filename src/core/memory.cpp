#include "core/memory.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace ardvark::internal {

double physical_memory() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const auto pages = static_cast<double>(sysconf(_SC_PHYS_PAGES)), size = static_cast<double>(sysconf(_SC_PAGESIZE));
  return pages > 0 && size > 0 ? pages * size : 0;
#else
  return 0;
#endif
}

}  // namespace ardvark::internal
