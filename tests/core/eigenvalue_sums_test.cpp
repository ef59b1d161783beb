// Sums over eigenvalues, by each instruction set.
#include "core/eigenvalue_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ardvark::internal {
namespace {

TEST(EigenvalueSums, AreThoseOfTheirTermsInEachVersion) {  // (TGT.2)
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> power(-30, 30);
  for (const Index size : {Index{0}, Index{1}, Index{7}, Index{8}, Index{13}, Index{2048}, Index{2051}, Index{5000}})
    for (const double a : {1e-20, 1e-3, 7.0, 1e25}) {
      Vector l(size), energy(size);
      for (Index i = 0; i < size; ++i) l[i] = i % 5 == 0 ? 0 : std::pow(10, power(random)), energy[i] = std::pow(10, 0.1 * power(random));
      long double log_sum = 0, size_of_logs = 1, inverse = 0, square = 0, weighted = 0;
      for (Index i = 0; i < size; ++i) {
        const long double sum = l[i] + a, d = 1 / sum;
        log_sum += std::log(sum), size_of_logs += std::abs(std::log(sum));
        inverse += d, square += energy[i] * d * d, weighted += l[i] * energy[i] * d * d;
      }
      for (const EigenvalueSumsVersion& version : eigenvalue_sums_versions()) {
        if (version.level > simd::of_processor()) continue;
        SCOPED_TRACE(::testing::Message() << simd::name(version.level) << ", " << size << " numbers, a = " << a);
        const EigenvalueSums found = version.run(l.data(), energy.data(), a, size);
        EXPECT_NEAR(found.log_sum, static_cast<double>(log_sum), 1e-14 * static_cast<double>(size_of_logs));
        EXPECT_NEAR(found.inverse, static_cast<double>(inverse), 1e-14 * static_cast<double>(inverse));
        EXPECT_NEAR(found.square, static_cast<double>(square), 1e-14 * static_cast<double>(square));
        EXPECT_NEAR(found.weighted, static_cast<double>(weighted), 1e-14 * static_cast<double>(weighted));
      }
    }
}

}  // namespace
}  // namespace ardvark::internal
