#include "core/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ardvark::internal {
namespace {

std::string digits_of(const std::string& text) {
  Sha256 sum;
  sum.add(text.data(), text.size());
  return sum.digits();
}

// The examples of FIPS 180-2, appendix B, and the empty message of NIST's test vectors.
TEST(Sha256, GivesTheDigitsOfTheStandard) {
  EXPECT_EQ(digits_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digits_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digits_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digits_of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// By hashlib of Python: sha256(b"x" * n) about the length of a block.
TEST(Sha256, DoesNotDependOnThePieces) {
  EXPECT_EQ(digits_of(std::string(55, 'x')), "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  for (const std::size_t length : {std::size_t{55}, std::size_t{56}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{200}}) {
    const std::string text(length, 'x');
    for (std::size_t piece = 1; piece < length; piece += 7) {
      Sha256 sum;
      for (std::size_t at = 0; at < length; at += piece) sum.add(text.data() + at, std::min(piece, length - at));
      EXPECT_EQ(sum.digits(), digits_of(text)) << length << " " << piece;
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
