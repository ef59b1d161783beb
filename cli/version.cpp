// What --version says.
#include <fmt/format.h>

#include "cli_version.hpp"
#include "commands.hpp"
#include "core/blas_library.hpp"
#include "source_commit.hpp"

namespace ardvark::cli {

std::string version_of(const std::string& program) {
  const std::string commit = ARDVARK_COMMIT;
  return fmt::format("{} {}\ncommit {}\nBLAS: {}", program, version(),
                     commit.empty() ? "unknown: the sources came without their history" : commit, internal::blas::name_of_library());
}

std::string version() { return ARDVARK_VERSION; }

std::string date_of_sources() { return ARDVARK_DATE; }

}  // namespace ardvark::cli
