// The loops over one line of a table in every instruction set that this machine has, against sums in long double.
#include "core/line_kernels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Long;
using testing::Random;

constexpr Index lengths[] = {1, 3, 4, 7, 8, 15, 16, 17, 100, 1001};

template <typename T>
class LineKernel : public ::testing::Test {
 protected:
  static std::vector<T> line(Index size, Random& random) {
    std::vector<T> x;
    for (Index i = 0; i < size; ++i)
      x.push_back(std::is_integral_v<T> ? static_cast<T>(random.integer(-128, 127)) : static_cast<T>(3 * random.normal()));
    return x;
  }

  // use(kernels) for every instruction set of this machine.
  static void for_levels(auto&& use) {
    for (const LineKernels<T>& kernels : line_kernels<T>()) {
      if (kernels.level > simd::of_processor()) continue;
      SCOPED_TRACE(simd::name(kernels.level));
      use(kernels);
    }
  }
};
using Scalars = ::testing::Types<double, float, std::int8_t>;
TYPED_TEST_SUITE(LineKernel, Scalars);

TYPED_TEST(LineKernel, MultipliesALineWithVectors) {
  this->for_levels([&](const LineKernels<TypeParam>& kernels) {
    Random random(1);
    for (const Index size : lengths)
      for (Index count = 1; count <= kernels.most; ++count) {
        const std::vector<TypeParam> x = this->line(size, random);
        const Matrix R = random.normals(size, count);
        std::array<const double*, 4> r{};
        for (Index k = 0; k < count; ++k) r[static_cast<std::size_t>(k)] = R.col(k).data();
        std::array<double, 4> out{9, 9, 9, 9};
        kernels.dots(x.data(), size, r.data(), count, out.data());
        for (Index k = 0; k < 4; ++k) {
          Long sum = 0, absolute = 0;
          for (Index i = 0; k < count && i < size; ++i) {
            const Long product = Long(x[static_cast<std::size_t>(i)]) * R(i, k);
            sum += product, absolute += std::abs(product);
          }
          const double expected = k < count ? static_cast<double>(sum) : 9;
          EXPECT_NEAR(out[static_cast<std::size_t>(k)], expected, 1e-15 * static_cast<double>(absolute)) << size << " " << k;
        }
      }
  });
}

// Sums of 1024 products in each of eight parts: an error of some roundings of single precision, relative to the sum of absolute products.
TYPED_TEST(LineKernel, MultipliesTwoLinesInSinglePrecision) {
  this->for_levels([&](const LineKernels<TypeParam>& kernels) {
    Random random(5);
    for (const Index size : {1, 7, 8, 9, 100, 8192, 8200, 20'001})
      for (Index count = 1; count <= kernels.most; ++count) {
        const std::array<std::vector<TypeParam>, 2> lines = {this->line(size, random), this->line(size, random)};
        const Eigen::MatrixXf R = random.normals(size, count).cast<float>();
        std::array<const float*, 4> r{};
        for (Index k = 0; k < count; ++k) r[static_cast<std::size_t>(k)] = R.col(k).data();
        std::array<double, 8> out{};
        out.fill(9);
        kernels.dots_in_single(lines[0].data(), lines[1].data(), size, r.data(), count, out.data());
        for (std::size_t line = 0; line < 2; ++line)
          for (Index k = 0; k < 4; ++k) {
            Long sum = 0, absolute = 0;
            for (Index i = 0; k < count && i < size; ++i) {
              const Long product = Long(lines[line][static_cast<std::size_t>(i)]) * Long(R(i, k));
              sum += product, absolute += std::abs(product);
            }
            const double expected = k < count ? static_cast<double>(sum) : 9;
            EXPECT_NEAR(out[4 * line + static_cast<std::size_t>(k)], expected, 3e-6 * static_cast<double>(absolute)) << size << " " << k;
          }
      }
  });
}

TYPED_TEST(LineKernel, AddsLinesTimesFactors) {
  this->for_levels([&](const LineKernels<TypeParam>& kernels) {
    Random random(2);
    for (const Index size : lengths)
      for (Index count = 1; count <= kernels.most; ++count) {
        std::vector<std::vector<TypeParam>> lines;
        std::array<const TypeParam*, 4> x{};
        for (Index k = 0; k < count; ++k) lines.push_back(this->line(size, random));
        for (Index k = 0; k < count; ++k) x[static_cast<std::size_t>(k)] = lines[static_cast<std::size_t>(k)].data();
        const Vector factor = random.normals(count), before = random.normals(size + 1);
        Vector out = before;
        kernels.combine(x.data(), size, factor.data(), count, out.data());
        for (Index i = 0; i < size; ++i) {
          Long sum = before[i];
          for (Index k = 0; k < count; ++k) sum += Long(factor[k]) * lines[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
          EXPECT_NEAR(out[i], static_cast<double>(sum), 1e-12) << size << " " << count;
        }
        EXPECT_EQ(out[size], before[size]) << "one too many";
      }
  });
}

TYPED_TEST(LineKernel, CentresAndScalesALine) {
  this->for_levels([&](const LineKernels<TypeParam>& kernels) {
    Random random(3);
    for (const Index size : lengths) {
      const std::vector<TypeParam> x = this->line(size, random);
      Vector out = Vector::Constant(size + 1, 9);
      Eigen::VectorXf single = Eigen::VectorXf::Constant(size + 1, 9);
      kernels.to_double(x.data(), size, 0.7, 1.3, -2, out.data());
      kernels.to_float(x.data(), size, 0.7, 1.3, -2, single.data());
      for (Index i = 0; i < size; ++i) {
        const double expected = (static_cast<double>(x[static_cast<std::size_t>(i)]) - 0.7) * 1.3 * -2;
        EXPECT_EQ(out[i], expected);
        EXPECT_EQ(single[i], static_cast<float>(expected));
      }
      EXPECT_EQ(out[size], 9) << "one too many";
      EXPECT_EQ(single[size], 9) << "one too many";
    }
  });
}

TYPED_TEST(LineKernel, SumsWeightedDeviations) {
  this->for_levels([&](const LineKernels<TypeParam>& kernels) {
    Random random(4);
    for (const Index size : lengths) {
      const std::vector<TypeParam> x = this->line(size, random);
      const Vector k = random.normals(size).cwiseAbs();
      const LineSums found = kernels.sums(x.data(), k.data(), 0.7, size);
      Long first = 0, second = 0, absolute = 0;
      for (Index i = 0; i < size; ++i) {
        const Long deviation = Long(x[static_cast<std::size_t>(i)]) - Long(0.7);
        first += k[i] * deviation, second += k[i] * deviation * deviation, absolute += k[i] * std::abs(deviation);
      }
      EXPECT_NEAR(found.first, static_cast<double>(first), 1e-14 * static_cast<double>(absolute));
      EXPECT_NEAR(found.second, static_cast<double>(second), 1e-14 * static_cast<double>(second));
    }
  });
}

}  // namespace
}  // namespace ardvark::internal
