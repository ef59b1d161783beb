// Files that may be compressed.
#include "io/input_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "../support/packed.hpp"
#include "../support/thrown.hpp"
#include "ardvark/table.hpp"

namespace ardvark {
namespace {

using internal::io::InputFile;
using testing::expect_invalid;
using testing::gzipped;
using testing::message_of;
using testing::TemporaryFolder;
using testing::write_bytes;
using testing::zstd_packed;

std::string text_of_file(const std::string& path, std::size_t size) {
  InputFile file(path);
  std::string text, block(size, '\0');
  while (const std::size_t got = file.read(block.data(), size)) text.append(block.data(), got);
  EXPECT_EQ(file.read(block.data(), size), 0U);
  EXPECT_EQ(file.num_bytes_read(), file.file().size());
  return text;
}

std::string table_of(int rows, unsigned seed) {
  std::mt19937 random(seed);
  std::string text = "x,k,y\n";
  for (int i = 0; i < rows; ++i) text += fmt::format("{},{},{}\n", random() % 1000, random() % 3 == 0 ? "a" : "b", random() % 7);
  return text;
}

enum class Packer { none, gzip, zstd };
std::optional<std::string> packed(Packer packer, const std::string& text) {
  return packer == Packer::gzip ? gzipped(text) : packer == Packer::zstd ? zstd_packed(text) : std::optional(text);
}

class InputFiles : public ::testing::TestWithParam<Packer> {
 protected:
  std::string put(const std::string& bytes) const {
    write_bytes(folder_ / "t.csv", bytes);
    return folder_ / "t.csv";
  }
  // Skips the test where the library is not there.
  std::optional<std::string> pack(const std::string& text) const { return packed(GetParam(), text); }
  TemporaryFolder folder_;
};

#define PACK(name, text)                                                      \
  const auto name##_or_none = pack(text);                                     \
  if (!name##_or_none) GTEST_SKIP() << "the library that packs is not there"; \
  const std::string& name = *name##_or_none

TEST_P(InputFiles, HaveTheTextForPiecesOfAnySize) {
  for (const int rows : {0, 1, 50, 100000}) {
    const std::string text = table_of(rows, 3);
    PACK(bytes, text);
    for (const std::size_t size : {std::size_t{7}, std::size_t{65536}, std::size_t{10} << 20})
      EXPECT_TRUE(text_of_file(put(bytes), size) == text) << rows << " rows, " << size << " bytes";
  }
  PACK(nothing, "");
  EXPECT_EQ(text_of_file(put(nothing), 100), "");
  PACK(byte, "x");
  EXPECT_EQ(text_of_file(put(byte), 100), "x");
}

// As cat makes one file of several.
TEST_P(InputFiles, MayHaveSeveralParts) {
  const std::string first = table_of(300, 1), second = table_of(2000, 2);
  PACK(a, first);
  PACK(b, second);
  PACK(nothing, "");
  EXPECT_TRUE(text_of_file(put(a + b), 1000) == first + second);
  EXPECT_TRUE(text_of_file(put(nothing + a + nothing + b), 100000) == first + second);
}

INSTANTIATE_TEST_SUITE_P(EveryPacker, InputFiles, ::testing::Values(Packer::none, Packer::gzip, Packer::zstd));

class PackedFiles : public InputFiles {};

TEST_P(PackedFiles, AreTheSameTable) {
  const std::string text = table_of(5000, 4);
  PACK(bytes, text);
  const Table plain = read_csv(put(text)), table = read_csv(put(bytes));
  ASSERT_EQ(table.num_rows, plain.num_rows);
  for (Index i = 0; i < plain.num_rows; ++i)
    for (Index j = 0; j < 3; ++j) ASSERT_EQ(table.value(i, j), plain.value(i, j));
  EXPECT_EQ(table.columns[1].levels, plain.columns[1].levels);
  put(*pack(table_of(3000, 4) + "1,a\n"));
  expect_invalid([&] { static_cast<void>(read_csv(folder_ / "t.csv")); }, {"row 3001 (line 3002) has 2 fields"});
}

TEST_P(PackedFiles, AreRefusedIfTheyAreCut) {
  const std::string text = table_of(200, 5);
  PACK(bytes, text);
  for (std::size_t size = 4; size < bytes.size(); ++size) {
    put(bytes.substr(0, size));
    expect_invalid([&] { static_cast<void>(read_csv(folder_ / "t.csv")); }, {"t.csv' ends before its compressed text does: it was cut"});
  }
  put(bytes + bytes.substr(0, bytes.size() / 2));
  expect_invalid([&] { static_cast<void>(text_of_file(folder_ / "t.csv", 1000)); }, {"it was cut"});
}

// A byte that changes is noticed, or does not matter: gzip has a checksum, and this frame of zstd has none, but it must never crash.
TEST_P(PackedFiles, AreRefusedIfTheyAreDamaged) {
  const std::string text = table_of(200, 5);
  PACK(bytes, text);
  int num_refused = 0;
  for (std::size_t at = 4; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    put(damaged);
    try {
      const std::string read = text_of_file(folder_ / "t.csv", 1000);
      EXPECT_TRUE(read == text || GetParam() == Packer::zstd) << at;
    } catch (const InvalidArgument& e) {
      ++num_refused;
      const std::string message = e.what();
      EXPECT_TRUE(message.find("t.csv' is damaged: its compressed text cannot be unpacked (") != std::string::npos ||
                  message.find("it was cut") != std::string::npos)
          << message;
    }
  }
  EXPECT_GT(num_refused, static_cast<int>(bytes.size() / 10));
}

TEST_P(PackedFiles, AreRefusedIfOtherBytesFollow) {
  PACK(bytes, table_of(100, 6));
  put(bytes + "more, which is no compressed text");
  expect_invalid([&] { static_cast<void>(read_csv(folder_ / "t.csv")); }, {"t.csv' is damaged"});
}

INSTANTIATE_TEST_SUITE_P(EveryPacker, PackedFiles, ::testing::Values(Packer::gzip, Packer::zstd));

TEST(InputFile, IgnoresTheZerosAfterAGzipFile) {  // of a tape
  const TemporaryFolder folder;
  const std::string text = table_of(100, 7);
  const auto bytes = gzipped(text);
  if (!bytes) GTEST_SKIP() << "zlib is not there";
  write_bytes(folder / "t.csv", *bytes + std::string(1000, '\0'));
  EXPECT_TRUE(text_of_file(folder / "t.csv", 100) == text);
  write_bytes(folder / "t.csv", *bytes + std::string(10, '\0') + "x");
  expect_invalid([&] { static_cast<void>(text_of_file(folder / "t.csv", 100)); }, {"there are other bytes after its end"});
}

TEST(InputFile, NamesOtherFormats) {
  const TemporaryFolder folder;
  for (const auto& [bytes, name] :
       {std::pair<std::string, const char*>{"BZh91AY&SY", "bzip2"},
        {std::string("\xFD"
                     "7zXZ\0\0\4",
                     8),
         "xz"},
        {"PK\x03\x04\x14", "a zip archive or a spreadsheet"},
        {std::string("ARROW1\0\0\xFF\xFF\xFF\xFF", 12), "a table of Arrow, which is not read here; write it as Parquet"},
        {std::string("FEA1\0\0\0\0", 8), "a table of Arrow"},
        {std::string("\xFF\xFF\xFF\xFF\xA8\0\0\0", 8), "a table of Arrow"},
        {"PAR1, in the middle", "Parquet"}}) {
    write_bytes(folder / "t.csv", bytes);
    expect_invalid([&] { static_cast<void>(text_of_file(folder / "t.csv", 100)); }, {"t.csv' is ", name, "; "});
  }
}

TEST(DynamicLibrary, SaysWhatIsNotThere) {
  const internal::DynamicLibrary none({"libardvark_nowhere.so.1"});
  EXPECT_FALSE(none.is_open());
  EXPECT_NE(none.error().find("libardvark_nowhere.so.1"), std::string::npos);
  const internal::DynamicLibrary here({"libardvark_nowhere.so.1", "libc.so.6"});
  ASSERT_TRUE(here.is_open());
  EXPECT_EQ(here.name(), "libc.so.6");
  int (*absolute)(int) = nullptr;
  here.find("abs", absolute);
  EXPECT_EQ(absolute(-3), 3);
  EXPECT_NE(message_of<EnvironmentError>([&] { here.find("ardvark_nowhere", absolute); }).find("has no function ardvark_nowhere"),
            std::string::npos);
}

}  // namespace
}  // namespace ardvark
