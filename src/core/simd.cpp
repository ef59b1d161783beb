#include "core/simd.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "ardvark/errors.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ardvark::internal::simd {

const char* name(Level level) {
  switch (level) {
    case Level::amx: return "amx";
    case Level::avx512: return "avx512";
    case Level::avx2: return "avx2";
    case Level::baseline: break;
  }
  return "baseline";
}

#if defined(__x86_64__)
namespace {

// Tiles of bfloat16 (compilers before 2023 do not know the name), which the system has to know, too.
bool has_amx() {
#if defined(__linux__)
  constexpr unsigned amx_bfloat16 = 1U << 22U, amx_tile = 1U << 24U;
  constexpr long supported = 0x1021;              // ARCH_GET_XCOMP_SUPP
  constexpr unsigned long of_tiles = 3UL << 17U;  // their shape and their data
  unsigned a = 0, b = 0, c = 0, d = 0;
  unsigned long states = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & amx_bfloat16) != 0 && (d & amx_tile) != 0 &&
         syscall(SYS_arch_prctl, supported, &states) == 0 && (states & of_tiles) == of_tiles;
#else
  return false;
#endif
}

}  // namespace
#endif

Level of_processor() {
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return has_amx() ? Level::amx : Level::avx512;
  if (has_avx2) return Level::avx2;
#endif
  return Level::baseline;
}

Level resolve(const char* wish, Level has) {
  const std::string_view word = wish != nullptr ? wish : "";
  if (word.empty()) return has;
  for (const Level level : {Level::baseline, Level::avx2, Level::avx512, Level::amx}) {
    if (word != name(level)) continue;
    if (level > has)
      throw InvalidArgument(
          fmt::format("the environment variable ARDVARK_SIMD is {}, but this processor supports at most {}", word, name(has)));
    return level;
  }
  throw InvalidArgument(fmt::format("the environment variable ARDVARK_SIMD is '{}'; it must be baseline, avx2, avx512 or amx", word));
}

Level level() {
  static const Level chosen = resolve(std::getenv("ARDVARK_SIMD"), of_processor());
  return chosen;
}

}  // namespace ardvark::internal::simd
