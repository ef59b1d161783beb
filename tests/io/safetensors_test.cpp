#include "io/safetensors.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <csignal>
#include <cstring>
#include <limits>
#include <random>

#include "ardvark/errors.hpp"
#include "mutations.hpp"
#include "temporary_file.hpp"

namespace ardvark::internal::io {
namespace {

using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

std::string bytes_of(double value) { return std::string(std::bit_cast<std::array<char, 8>>(value).data(), 8); }

// A file of this layout, made without the writer: 8 bytes of length, the header, the data.
std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  return std::string(std::bit_cast<std::array<char, 8>>(length).data(), 8) + header + data;
}

std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.ardvark";
  write_bytes(path, bytes);
  std::string message = message_of<InvalidArgument>([&] { SafetensorsReader reader(path); });
  return message.replace(message.find(folder.path() + "/"), folder.path().size() + 1, "");
}

std::string foreign(const std::string& why) { return "'m.ardvark' is not an ardvark model or statistics file: " + why; }

std::string array_header(const std::string& shape, const std::string& offsets) {
  return R"({"x":{"dtype":"F64","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

TEST(Safetensors, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.ardvark";
  const Vector mean = (Vector(3) << -0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::infinity()).finished();
  const Matrix matrix = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  const Vector none(0);
  SafetensorsWriter writer;
  writer.metadata = {{"format", "ardvark"}, {"names", "[\"Z\xC3\xBCrich\",\"a \\\"b\\\"\"]"}, {"a \"key\"\n", "\x01\t\x1F\x7F/\\\\ "}};
  writer.add_vector("mean", mean);
  writer.add_matrix("covariance", matrix);
  writer.add_vector("none", none);
  writer.write(path);
  EXPECT_EQ(folder.num_files(), 1u);  // no partial file stays

  const SafetensorsReader reader(path);
  EXPECT_EQ(reader.metadata(), writer.metadata);
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"covariance", "mean", "none"}));
  EXPECT_EQ(std::memcmp(reader.vector("mean").data(), mean.data(), 24), 0);
  EXPECT_EQ(reader.matrix("covariance"), matrix);
  EXPECT_EQ(reader.vector("none").size(), 0);
  EXPECT_EQ(reader.text("format"), "ardvark");
}

TEST(Safetensors, WritesTheLayoutByteForByte) {
  const TemporaryFolder folder;
  const Matrix matrix = (Matrix(2, 1) << 1.0, -2.0).finished();  // one column of two: safetensors' [1, 2]
  SafetensorsWriter writer;
  writer.metadata["k"] = "v";
  writer.add_matrix("x", matrix);
  writer.write(folder / "m");
  const std::string header = R"({"__metadata__":{"k":"v"},"x":{"data_offsets":[0,16],"dtype":"F64","shape":[1,2]}})";  // 81 bytes
  EXPECT_EQ(read_bytes(folder / "m"), file_of(header + std::string(88 - header.size(), ' '), bytes_of(1.0) + bytes_of(-2.0)));
}

TEST(Safetensors, WritesTextsAlone) {
  const TemporaryFolder folder;
  SafetensorsWriter writer;
  writer.write(folder / "none");
  EXPECT_EQ(read_bytes(folder / "none"), file_of("{}      ", ""));
  writer.metadata = {{"a", "1\\2"}, {"b", ""}};
  writer.write(folder / "m");
  EXPECT_EQ(read_bytes(folder / "m"), file_of(R"({"__metadata__":{"a":"1\\2","b":""}}    )", ""));
  EXPECT_EQ(writer.bytes(), read_bytes(folder / "m"));
}

TEST(Safetensors, ReadsAFileOfAnotherWriter) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"b":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
  write_bytes(folder / "m", file_of(header, bytes_of(3.5) + bytes_of(4.5)));
  const SafetensorsReader reader(folder / "m");
  EXPECT_EQ(reader.vector("a")[0], 3.5);
  EXPECT_EQ(reader.vector("b")[0], 4.5);
  EXPECT_TRUE(reader.metadata().empty());
}

TEST(Safetensors, ReplacesAnExistingFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "m", "old");
  SafetensorsWriter().write(folder / "m");
  EXPECT_EQ(read_bytes(folder / "m"), file_of("{}      ", ""));
}

TEST(Safetensors, SaysWhyAFileCannotBeWritten) {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) { return message_of<EnvironmentError>([&] { SafetensorsWriter().write(path); }); };
  const std::string absent = folder / "absent";
  EXPECT_EQ(message(absent + "/m"), "cannot write '" + absent + "/m': the folder '" + absent + "' does not exist; create it first");
  EXPECT_EQ(message(folder.path()), "cannot write '" + folder.path() + "': it exists and is not a regular file; give another path");
  EXPECT_EQ(message(""), "cannot write a file: its path is empty");
  EXPECT_EQ(folder.num_files(), 0u);
}

// A limit on the size of files stands in for a full disk.
TEST(Safetensors, LeavesTheOldFileAndNoPartialOneWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  write_bytes(path, "old");
  const Vector large = Vector::Ones(100'000);
  SafetensorsWriter writer;
  writer.add_vector("large", large);

  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of<EnvironmentError>([&] { writer.write(path); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(message, "cannot write '" + path + "': File too large; free space or give another path");
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(Safetensors, SaysWhoMayNotWrite) {
  const TemporaryFolder folder;
  using std::filesystem::perms;
  std::filesystem::permissions(folder.path(), perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec);
  const std::string path = folder / "m";
  const bool root = ::geteuid() == 0;  // root may write anywhere: be nobody for a while
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  EXPECT_EQ(message_of<EnvironmentError>([&] { SafetensorsWriter().write(path); }),
            "cannot write '" + path + "': Permission denied; check who may write there, or give another path");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(Safetensors, RefusesTextThatIsNotUtf8BeforeItWrites) {
  const TemporaryFolder folder;
  SafetensorsWriter writer;
  writer.metadata["names"] = "Z\xFCrich";
  EXPECT_EQ(message_of<InvalidArgument>([&] { writer.write(folder / "m"); }),
            "cannot write '" + folder / "m" + "': a name or a text to be stored is not UTF-8");
  EXPECT_EQ(folder.num_files(), 0u);
}

TEST(Safetensors, RefusesANameThatIsTaken) {
  const Vector x = Vector::Ones(1);
  SafetensorsWriter writer;
  writer.add_vector("x", x);
  EXPECT_THROW(writer.add_vector("x", x), InternalError);
  EXPECT_THROW(writer.add_vector("__metadata__", x), InternalError);
}

TEST(Safetensors, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  const std::string absent = folder / "absent";
  EXPECT_EQ(message_of<EnvironmentError>([&] { SafetensorsReader reader(absent); }),
            "cannot open '" + absent + "': No such file or directory; check the path and the current folder");
  EXPECT_EQ(message_of<EnvironmentError>([&] { SafetensorsReader reader(folder.path()); }),
            "cannot read '" + folder.path() + "': it is a directory; give the path of a file");
  EXPECT_EQ(message_of<EnvironmentError>([&] { SafetensorsReader reader("/dev/null"); }),
            "cannot read '/dev/null': it is not a regular file");
}

TEST(Safetensors, SaysThatAForeignFileIsNoneOfOurs) {
  EXPECT_EQ(refusal(""), foreign("it is empty"));
  EXPECT_EQ(refusal("1234567"), foreign("it has only 7 bytes"));
  EXPECT_EQ(refusal("age,bmi,glu\n1,2,3\n"), foreign("it is a text, such as a table; fit -o, stats -o or save writes one"));
  EXPECT_EQ(refusal(file_of("{]", "")), foreign("its header is not valid JSON"));
  EXPECT_EQ(refusal(file_of("{\"\xFF\":{}}", "")), foreign("its header is not valid JSON"));
  EXPECT_EQ(refusal(file_of("{\"x\":1}", "")), foreign("the entry 'x' of its header is not an object"));
  EXPECT_EQ(refusal(file_of(R"({"__metadata__":{"k":1}})", "")), foreign("the metadata 'k' is not a text"));
  EXPECT_EQ(refusal(file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", bytes_of(0))),
            foreign("its array 'x' is not of type F64 (a file of another program, or of a newer ardvark)"));
}

TEST(Safetensors, RefusesAHeaderBeyondItsLimitWithoutReadingIt) {
  std::string bytes = file_of("{}", "");
  const std::uint64_t length = 100'000'001;
  std::memcpy(bytes.data(), &length, 8);
  EXPECT_EQ(refusal(bytes), foreign("it does not begin with a safetensors header"));
}

TEST(Safetensors, RefusesAHeaderNestedTooDeep) {
  EXPECT_EQ(refusal(file_of("{\"x\":{\"shape\":" + std::string(1'000'000, '['), "")), foreign("its header is nested too deep"));
}

TEST(Safetensors, RefusesShapesAndOffsetsThatDoNotFit) {
  const std::string no_valid = foreign("the array 'x' has no valid shape and data_offsets");
  for (const char* shape : {"[-1]", "[1.0]", "[\"1\"]", "1", "null", "[[1]]", "[18446744073709551615]", "[9223372036854775808]"})
    EXPECT_EQ(refusal(file_of(array_header(shape, "[0,8]"), bytes_of(0))),
              std::string_view(shape) == "[[1]]" ? foreign("its header is nested too deep") : no_valid)
        << shape;
  for (const char* offsets : {"[0]", "[0,8,8]", "[-8,0]", "{}", "[0,18446744073709551616]"})
    EXPECT_EQ(refusal(file_of(array_header("[1]", offsets), bytes_of(0))), no_valid) << offsets;

  EXPECT_EQ(refusal(file_of(array_header("[2, 1]", "[0,8]"), bytes_of(0))),
            foreign("the shape [2, 1] of the array 'x' does not match its data_offsets"));
  EXPECT_EQ(refusal(file_of(array_header("[1]", "[8,0]"), bytes_of(0))),
            foreign("the shape [1] of the array 'x' does not match its data_offsets"));
  // 2^32 * 2^32 * 8 bytes is 0 in 64 bits
  EXPECT_EQ(refusal(file_of(array_header("[4294967296,4294967296]", "[0,0]"), "")),
            foreign("the shape [4294967296, 4294967296] of the array 'x' does not match its data_offsets"));
}

TEST(Safetensors, RefusesAnEmptyArrayOfMoreColumnsThanTheFileHasBytes) {
  EXPECT_EQ(refusal(file_of(array_header("[0,4294967296]", "[0,0]"), "")),
            foreign("the shape [0, 4294967296] of the array 'x' is too large for the file"));
}

TEST(Safetensors, RefusesArraysThatOverlapOrLeaveGaps) {
  const auto header = [](const char* second) {
    return R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"F64","shape":[1],"data_offsets":)" + std::string(second) +
           "}}";
  };
  EXPECT_EQ(refusal(file_of(header("[0,8]"), bytes_of(0))), foreign("its arrays overlap or leave gaps"));
  EXPECT_EQ(refusal(file_of(header("[16,24]"), std::string(24, '\0'))), foreign("its arrays overlap or leave gaps"));
  EXPECT_EQ(refusal(file_of(header("[8,16]"), std::string(17, '\0'))), foreign("1 byte(s) follow its last array"));
}

TEST(Safetensors, SaysThatATruncatedFileIsTruncated) {
  const TemporaryFolder folder;
  const Vector x = Vector::Ones(4);
  SafetensorsWriter writer;
  writer.metadata["format"] = "ardvark";
  writer.add_vector("x", x);
  writer.write(folder / "m");
  const std::string whole = read_bytes(folder / "m");
  EXPECT_EQ(refusal(whole.substr(0, whole.size() - 1)), "'m.ardvark' is truncated: its contents take " + std::to_string(whole.size()) +
                                                            " bytes, the file has " + std::to_string(whole.size() - 1) +
                                                            "; write or copy it again");
  EXPECT_EQ(refusal(whole.substr(0, 20)), "'m.ardvark' is truncated: its header takes " + std::to_string(whole.size() - 32) +
                                              " bytes, the file has 20; write or copy it again");
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(refusal(whole.substr(0, size)).empty()) << size;
}

TEST(Safetensors, NamesArraysThatAreAbsentOrOfAnotherRank) {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  const Vector x = Vector::Ones(4);
  SafetensorsWriter writer;
  writer.add_vector("x", x);
  writer.write(path);
  const SafetensorsReader reader(path);
  EXPECT_TRUE(reader.has("x"));
  EXPECT_FALSE(reader.has("y"));
  const std::string begin = "'" + path + "' is not an ardvark model or statistics file: ";
  EXPECT_EQ(message_of<InvalidArgument>([&] { (void)reader.vector("y"); }), begin + "it lacks the array 'y'");
  EXPECT_EQ(message_of<InvalidArgument>([&] { (void)reader.matrix("x"); }),
            begin + "its array 'x' has the shape [4], 2 dimensions are expected");
  EXPECT_EQ(message_of<InvalidArgument>([&] { (void)reader.text("k"); }), begin + "it lacks the entry 'k'");
}

TEST(CheckFormat, TakesKnownVersionsAndExplainsOthers) {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  const auto checked = [&](Metadata metadata) {
    SafetensorsWriter writer;
    writer.metadata = std::move(metadata);
    writer.write(path);
    return check_format(SafetensorsReader(path), "ardvark", 2, 3);
  };
  const auto message = [&](const Metadata& metadata) { return message_of<InvalidArgument>([&] { checked(metadata); }); };
  EXPECT_EQ(checked({{"format", "ardvark"}, {"format_version", "1"}}), 1);
  EXPECT_EQ(checked({{"format", "ardvark"}, {"format_version", "2"}}), 2);
  EXPECT_EQ(message({{"format", "ardvark"}, {"format_version", "3"}}),
            "'" + path + "' was written by a newer ardvark (format 3, this program reads up to 2); update ardvark");
  const std::string another = "'" + path + "' is not an ardvark model file: it is a safetensors file of another program";
  EXPECT_EQ(message({}), another);
  EXPECT_EQ(message({{"format", "pt"}}), another);
  for (const char* version : {"", "0", "-1", "1.0", "one", "99999999999"})
    EXPECT_NE(message({{"format", "ardvark"}, {"format_version", version}}).find("is not a number from 1"), std::string::npos) << version;
}

TEST(Safetensors, KeepsTemporaries) {
  const TemporaryFolder folder;
  SafetensorsWriter writer;
  writer.metadata = {{"format", "ardvark"}, {"format_version", "1"}};
  for (int i = 0; i < 50; ++i) {
    writer.add_vector("x" + std::to_string(i), Vector(Vector::Constant(i, i)));
    writer.add_matrix("V" + std::to_string(i), Matrix(Matrix::Constant(i, 2, -i)));
  }
  writer.write(folder / "m");
  const SafetensorsReader reader(folder / "m");
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(reader.vector("x" + std::to_string(i)), Vector::Constant(i, i));
    EXPECT_EQ(reader.matrix("V" + std::to_string(i)), Matrix::Constant(i, 2, -i));
  }
}

TEST(Safetensors, ReadsOrRefusesDamagedFiles) {
  std::mt19937 random(3);
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  const Vector x = Vector::Ones(2);
  const Matrix matrix = Matrix::Ones(2, 2);
  SafetensorsWriter writer;
  writer.metadata = {{"format", "ardvark"}, {"format_version", "1"}};
  writer.add_vector("x", x);
  writer.add_matrix("V", matrix);
  writer.write(path);
  const std::string whole = read_bytes(path);
  int num_read = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    write_bytes(path, testing::mutated(whole, "[]{}:,\"0123456789-e.", random));
    try {
      const SafetensorsReader reader(path);
      check_format(reader, "ardvark", 1, 2);
      (void)reader.vector("x");
      (void)reader.matrix("V");
      ++num_read;
    } catch (const InvalidArgument&) {
    } catch (const EnvironmentError&) {
    }
  }
  EXPECT_GT(num_read, 0);
  EXPECT_LT(num_read, 3000);
}

}  // namespace
}  // namespace ardvark::internal::io
