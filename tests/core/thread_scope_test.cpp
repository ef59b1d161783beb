// Whose threads work: those of BLAS or ours, and for how long.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <optional>
#include <thread>
#include <vector>

#include "../support/plain.hpp"
#include "blas_matrices.hpp"
#include "core/blas.hpp"

extern "C" {
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] int openblas_get_num_threads(void);
}

namespace ardvark::internal {
namespace {

using blas::Transpose;
using testing::Random;

TEST(ThreadScope, RestoresTheSettingAlsoWhenAnExceptionPasses) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  const int two = openblas_get_num_threads();
  {
    const blas::ThreadScope one(1);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    {
      const blas::ThreadScope keep(0);
      EXPECT_EQ(openblas_get_num_threads(), 1);
    }
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), two);
  try {
    const blas::ThreadScope one(1);
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(openblas_get_num_threads(), two);
  openblas_set_num_threads(before);
}

TEST(ThreadScope, HoldsBlasAtOneThreadAndTellsTheNumberOfOurs) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  const int two = openblas_get_num_threads();
  EXPECT_EQ(blas::num_threads(), two);
  {
    const blas::ThreadScope callers(0);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    EXPECT_EQ(blas::num_threads(), two);
    const blas::ThreadScope one(1), alone{blas::ThreadScope::OursAlone{}};
    EXPECT_EQ(openblas_get_num_threads(), 1);
    EXPECT_EQ(blas::num_threads(), 1);  // that of the scope around it
    const blas::ThreadScope asked(5);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    EXPECT_EQ(blas::num_threads(), 5);
  }
  EXPECT_EQ(openblas_get_num_threads(), two);
  EXPECT_EQ(blas::multiplications(10, 3), 90);
  EXPECT_EQ(blas::multiplications(3, 10), 90);
  openblas_set_num_threads(before);
}

TEST(ThreadScope, IsMadeByACallThatHasNone) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  const int before = openblas_get_num_threads();
  Random random(22);
  const Matrix A = random.normals(600, 600);
  const auto square = [&] {
    Matrix out = Matrix::Zero(600, 600);
    blas::syrk(Transpose::no, 600, 600, 1.0, A.data(), 600, 0.0, out.data(), 600);
    return out;
  };
  openblas_set_num_threads(1);
  const Matrix of_one = square();
  openblas_set_num_threads(3);
  const int three = openblas_get_num_threads();
  EXPECT_EQ(square(), of_one);
  EXPECT_EQ(openblas_get_num_threads(), three);
  openblas_set_num_threads(before);
}

// One number for the process: scopes of several threads, and those that do not end in the order in which they began.
TEST(ThreadScope, OfSeveralThreadsComeBackToTheCallersNumberInAnyOrder) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  const int two = openblas_get_num_threads();
  std::optional<blas::ThreadScope> here(std::in_place, 1), later(std::in_place, 1);
  EXPECT_EQ(openblas_get_num_threads(), 1);
  std::thread([&] {
    const blas::ThreadScope small(1);
    EXPECT_EQ(blas::num_threads(), 1);
    const blas::ThreadScope asked(2);  // the largest number of two threads
    EXPECT_EQ(blas::num_threads(), 2);
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }).join();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  here.reset();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  later.reset();
  EXPECT_EQ(openblas_get_num_threads(), two);
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([] {
      for (int i = 0; i < 2000; ++i) const blas::ThreadScope scope(1 + i % 2);
    });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(openblas_get_num_threads(), two);
  openblas_set_num_threads(before);
}

}  // namespace
}  // namespace ardvark::internal
