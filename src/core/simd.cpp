#include "core/simd.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "ardvark/errors.hpp"

namespace ardvark::internal::simd {

const char* name(Level level) {
  switch (level) {
    case Level::avx512: return "avx512";
    case Level::avx2: return "avx2";
    case Level::baseline: break;
  }
  return "baseline";
}

Level of_processor() {
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return Level::avx512;
  if (has_avx2) return Level::avx2;
#endif
  return Level::baseline;
}

Level resolve(const char* wish, Level has) {
  const std::string_view word = wish != nullptr ? wish : "";
  if (word.empty()) return has;
  for (const Level level : {Level::baseline, Level::avx2, Level::avx512}) {
    if (word != name(level)) continue;
    if (level > has)
      throw InvalidArgument(
          fmt::format("the environment variable ARDVARK_SIMD is {}, but this processor supports at most {}", word, name(has)));
    return level;
  }
  throw InvalidArgument(fmt::format("the environment variable ARDVARK_SIMD is '{}'; it must be baseline, avx2 or avx512", word));
}

Level level() {
  static const Level chosen = resolve(std::getenv("ARDVARK_SIMD"), of_processor());
  return chosen;
}

}  // namespace ardvark::internal::simd
