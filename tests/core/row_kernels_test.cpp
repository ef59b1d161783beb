// The loops over the rows of a table in every instruction set that this machine has, against their definition.
#include "core/row_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

class RowKernel : public ::testing::TestWithParam<RowKernels> {
 protected:
  void SetUp() override {
    if (GetParam().level > simd::of_processor()) GTEST_SKIP() << "this machine has no " << simd::name(GetParam().level);
  }

  template <typename Scalar>
  static std::vector<Scalar> row(Index size, Random& random) {
    std::vector<Scalar> x;
    for (Index j = 0; j < size; ++j) x.push_back(static_cast<Scalar>(3 * random.normal()));
    return x;
  }

  template <typename Scalar, typename Out>
  static void expect_read(double precision) {
    Random random(3);
    for (Index size : {Index{0}, Index{1}, Index{7}, Index{8}, Index{9}, Index{100}}) {
      const std::vector<Scalar> x = row<Scalar>(size, random);
      const Vector center = random.normals(size), scale = random.normals(size), square = random.normals(size),
                   product = random.normals(size);
      const double factor = 1.5, target = -0.7;
      Vector new_square = square, new_product = product;
      std::vector<Out> out(static_cast<std::size_t>(size) + 1, 9);
      GetParam().read<Scalar, Out>()(x.data(), center.data(), scale.data(), factor, target, size, out.data(),
                                     {new_square.data(), new_product.data()});
      for (Index j = 0; j < size; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const double expected = (static_cast<double>(x[at]) - center[j]) * scale[j] * factor;
        EXPECT_NEAR(static_cast<double>(out[at]), expected, precision * std::abs(expected));
        EXPECT_NEAR(new_square[j], square[j] + expected * expected, 1e-13);
        EXPECT_NEAR(new_product[j], product[j] + target * expected, 1e-13);
      }
      EXPECT_EQ(out.back(), Out{9}) << "one too many";
    }
  }

  template <typename Scalar>
  static void expect_deviations() {
    Random random(4);
    for (Index size : {Index{1}, Index{8}, Index{21}}) {
      const std::vector<Scalar> x = row<Scalar>(size, random);
      const Vector center = random.normals(size), first = random.normals(size), second = random.normals(size);
      Vector new_first = first, new_second = second;
      GetParam().deviations<Scalar>()(x.data(), center.data(), 0.3, size, new_first.data(), new_second.data());
      for (Index j = 0; j < size; ++j) {
        const double deviation = static_cast<double>(x[static_cast<std::size_t>(j)]) - center[j];
        EXPECT_NEAR(new_first[j], first[j] + 0.3 * deviation, 1e-14);
        EXPECT_NEAR(new_second[j], second[j] + 0.3 * deviation * deviation, 1e-14);
      }
    }
  }
};

TEST_P(RowKernel, ReadsStandardisedWithItsSums) {
  expect_read<double, double>(1e-15);
  expect_read<float, double>(1e-15);
  expect_read<double, float>(6e-8);
  expect_read<float, float>(6e-8);
  expect_read<std::int8_t, double>(1e-15);
  expect_read<std::int8_t, float>(6e-8);
}

TEST_P(RowKernel, AddsDeviations) {
  expect_deviations<double>();
  expect_deviations<float>();
  expect_deviations<std::int8_t>();
}

INSTANTIATE_TEST_SUITE_P(Instructions, RowKernel, ::testing::ValuesIn(row_kernels().begin(), row_kernels().end()),
                         [](const auto& tested) { return std::string(simd::name(tested.param.level)); });

}  // namespace
}  // namespace ardvark::internal
