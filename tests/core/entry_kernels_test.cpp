// The loop over the entries of a sparse column in every instruction set that this machine has, against sums in long double.
#include "core/entry_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Long;
using testing::Random;

template <typename Case>
class EntryKernels : public ::testing::Test {};
using Cases = ::testing::Types<std::tuple<std::int32_t, double, double>, std::tuple<std::int32_t, double, float>,
                               std::tuple<std::int64_t, float, float>, std::tuple<std::int32_t, std::int8_t, double>,
                               std::tuple<std::int64_t, std::int8_t, float>>;
TYPED_TEST_SUITE(EntryKernels, Cases);

TYPED_TEST(EntryKernels, SumEightVectorsAtOnce) {
  using Row = std::tuple_element_t<0, TypeParam>;
  using T = std::tuple_element_t<1, TypeParam>;
  using Real = std::tuple_element_t<2, TypeParam>;
  const double rounding = std::is_same_v<Real, float> ? 1e-6 : 1e-15;
  for (const EntryKernel<Row, T, Real>& kernel : entry_kernels<Row, T, Real>()) {
    if (kernel.level > simd::of_processor()) continue;
    SCOPED_TRACE(simd::name(kernel.level));
    Random random(1);
    for (const Index count : {0, 1, 2, 3, 100, 4096, 4097, 9001}) {
      const Index n = 2 * count + 3;
      const auto r = Eigen::Matrix<Real, 8, Eigen::Dynamic>(random.normals(8, n).template cast<Real>());
      std::vector<Row> row;
      std::vector<T> value;
      for (Index e = 0; e < count; ++e) {
        row.push_back(static_cast<Row>(2 * e + random.integer(0, 1)));
        value.push_back(std::is_integral_v<T> ? static_cast<T>(random.integer(-128, 127)) : static_cast<T>(random.normal()));
      }
      Vector out = Vector::Constant(9, 9);
      kernel.sums(row.data(), value.data(), count, r.data(), out.data());
      for (Index k = 0; k < 8; ++k) {
        Long sum = 0, absolute = 0;
        for (std::size_t e = 0; e < row.size(); ++e) {
          const Long product = Long(value[e]) * Long(r(k, static_cast<Index>(row[e])));
          sum += product, absolute += std::abs(product);
        }
        EXPECT_NEAR(out[k], static_cast<double>(sum), rounding * static_cast<double>(absolute)) << count << " " << k;
      }
      EXPECT_EQ(out[8], 9) << "one too many";
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
