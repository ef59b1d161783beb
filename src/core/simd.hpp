// The one choice of vector instructions for our own kernels, and what a table of their versions is made of.
#pragma once

#include <algorithm>
#include <span>

namespace ardvark::internal::simd {

/// In rising order: a processor that has one has those before it.
enum class Level { baseline, avx2, avx512 };

/// As ARDVARK_SIMD spells it.
[[nodiscard]] const char* name(Level level);
/// The highest that this processor has; everywhere but on x86-64 that is the baseline.
[[nodiscard]] Level of_processor();
/// What `wish` (the value of ARDVARK_SIMD, or null) asks of a processor that has `has`; null or empty: all that it has.
/// \throws InvalidArgument  a word that is no level, or a level above `has`
[[nodiscard]] Level resolve(const char* wish, Level has);
/// resolve() of this process: the variable is read once. \throws as resolve() does, at each call
[[nodiscard]] Level level();

/// Of the versions of one kernel, fastest first and the last for every processor, the one to be used: `level` is a member of each.
template <typename Version>
[[nodiscard]] const Version& best(std::span<const Version> versions) {
  const Level most = level();
  return *std::ranges::find_if(versions, [&](const Version& version) { return version.level <= most; });
}

}  // namespace ardvark::internal::simd

// What compiles a function for a level: ARDVARK_FOR_SIMD(f) expands f(level, attribute) for each, fastest first.
#if defined(__x86_64__)
#define ARDVARK_FOR_SIMD(expand) \
  expand(avx512, [[gnu::target("avx512f,avx512dq,fma")]]) expand(avx2, [[gnu::target("avx2,fma")]]) expand(baseline, )
#else
#define ARDVARK_FOR_SIMD(expand) expand(baseline, )
#endif
