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

constexpr unsigned bit(unsigned k) { return 1U << k; }

// The answer of the processor to one question (cpuid); zeros where it does not know the question.
struct Answer {
  unsigned a = 0, b = 0, c = 0, d = 0;

  explicit Answer(unsigned question) { __get_cpuid_count(question, 0, &a, &b, &c, &d); }
};

// Whether the system keeps all these registers of a thread: bits of XCR0.
bool system_keeps(unsigned registers) {
  constexpr unsigned xsave = bit(27);
  if ((Answer(1).c & xsave) == 0) return false;
  unsigned low = 0, high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & registers) == registers;
}

// Tiles of bfloat16 (compilers before 2023 do not know the name), which the system has to know, too.
bool has_amx() {
#if defined(__linux__)
  constexpr unsigned amx_bfloat16 = bit(22), amx_tile = bit(24);
  constexpr long supported = 0x1021;              // ARCH_GET_XCOMP_SUPP
  constexpr unsigned long of_tiles = 3UL << 17U;  // their shape and their data
  const unsigned features = Answer(7).d;
  unsigned long states = 0;
  return (features & amx_bfloat16) != 0 && (features & amx_tile) != 0 && syscall(SYS_arch_prctl, supported, &states) == 0 &&
         (states & of_tiles) == of_tiles;
#else
  return false;
#endif
}

}  // namespace
#endif

// Asks the processor itself: __builtin_cpu_supports depends on a library of the compiler, and that of Zig 0.17 always says no.
Level of_processor() {
#if defined(__x86_64__)
  constexpr unsigned fma = bit(12), avx2 = bit(5), avx512f = bit(16), avx512dq = bit(17);
  constexpr unsigned of_avx = bit(1) | bit(2), of_avx512 = of_avx | bit(5) | bit(6) | bit(7);
  const unsigned features = Answer(7).b;
  if ((Answer(1).c & fma) == 0 || (features & avx2) == 0 || !system_keeps(of_avx)) return Level::baseline;
  if ((features & avx512f) == 0 || (features & avx512dq) == 0 || !system_keeps(of_avx512)) return Level::avx2;
  return has_amx() ? Level::amx : Level::avx512;
#else
  return Level::baseline;
#endif
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
