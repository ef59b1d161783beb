// How the compiler rounds: the same on every processor.
#include <gtest/gtest.h>

namespace ardvark::internal {
namespace {

TEST(Rounding, OfAProductComesBeforeItsSum) {  // in one rounding 2^-60 would be left
  volatile double x = 1 + 0x1p-30;             // its square is 1 + 2^-29 + 2^-60, of which a double holds the first two terms
  const double a = x, b = x, c = 1 + 0x1p-29;
  EXPECT_EQ(a * b - c, 0);
}

}  // namespace
}  // namespace ardvark::internal
