// Chooses the vector instructions for our own kernels, and helps to make the tables of their versions.
#pragma once

#include <algorithm>
#include <span>

namespace ardvark::internal::simd {

/// In rising order: a processor that has a level has all levels before it.
enum class Level { baseline, avx2, avx512, amx };

/// As ARDVARK_SIMD spells it.
[[nodiscard]] const char* name(Level level);
/// The highest level of this processor; baseline if it is not x86-64.
[[nodiscard]] Level of_processor();
/// The level that `wish` (the value of ARDVARK_SIMD, or null) sets on a processor with the level `has`; null or empty: `has`.
/// \throws InvalidArgument  a word that is not a level, or a level above `has`
[[nodiscard]] Level resolve(const char* wish, Level has);
/// resolve() for this process: the variable is read only once. Throws like resolve(), at each call
[[nodiscard]] Level level();

/// Chooses among the versions of a kernel the one to use. The fastest comes first, the last runs on every processor; each has a member
/// `level`.
template <typename Version>
[[nodiscard]] const Version& best(std::span<const Version> versions) {
  const Level most = level();
  return *std::ranges::find_if(versions, [&](const Version& version) { return version.level <= most; });
}

}  // namespace ardvark::internal::simd

// Compiles a function for every level: ARDVARK_FOR_SIMD(f) expands f(level, attribute) for each level, fastest first.
#if defined(__x86_64__)
#define ARDVARK_FOR_SIMD(expand) \
  expand(avx512, [[gnu::target("avx512f,avx512dq,fma")]]) expand(avx2, [[gnu::target("avx2,fma")]]) expand(baseline, )
#else
#define ARDVARK_FOR_SIMD(expand) expand(baseline, )
#endif
