// Files that take their place whole: through links, with the old one's permissions, beside other writers, up to the limit of a disk.
#include "io/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#include "ardvark/errors.hpp"
#include "temporary_file.hpp"

namespace ardvark::internal::io {
namespace {

namespace fs = std::filesystem;
using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

void put(const std::string& path, const std::string& text) {
  FileInTheMaking file(path);
  file.write(text.data(), text.size());
  file.commit();
}

unsigned mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

TEST(FileInTheMaking, WritesWhatALinkLeadsToAndLeavesTheLink) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "models");
  write_bytes(folder / "models/first", "old");
  fs::create_symlink("models/first", folder / "relative");  // as seen from the link
  fs::create_symlink(folder / "relative", folder / "chain");
  put(folder / "chain", "new");
  EXPECT_EQ(read_bytes(folder / "models/first"), "new");
  EXPECT_EQ(fs::read_symlink(folder / "chain"), folder / "relative");
  EXPECT_EQ(fs::read_symlink(folder / "relative"), "models/first");
  EXPECT_FALSE(fs::is_symlink(folder / "models/first"));
  EXPECT_EQ(folder.num_files(), 3u);
}

TEST(FileInTheMaking, MakesTheFileThatADanglingLinkLeadsTo) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "models");
  fs::create_symlink("models/later", folder / "link");
  put(folder / "link", "new");
  EXPECT_EQ(read_bytes(folder / "models/later"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));

  fs::create_symlink("absent/later", folder / "nowhere");
  const std::string absent = folder / "absent";
  EXPECT_EQ(message_of<EnvironmentError>([&] { put(folder / "nowhere", "new"); }),
            "cannot write '" + folder / "nowhere" + "': the folder '" + absent + "' does not exist; create it first");
  EXPECT_TRUE(fs::is_symlink(folder / "nowhere"));
}

TEST(FileInTheMaking, RefusesLinksThatGoRound) {
  const TemporaryFolder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_EQ(message_of<EnvironmentError>([&] { put(folder / "a", "new"); }),
            "cannot write '" + folder / "a" + "': Too many levels of symbolic links");
  EXPECT_EQ(fs::read_symlink(folder / "a"), "b");
  EXPECT_EQ(folder.num_files(), 2u);
}

TEST(FileInTheMaking, KeepsThePermissionsOfTheFileItReplaces) {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  for (const unsigned mode : {0600U, 0640U, 0666U, 0755U}) {
    write_bytes(path, "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    put(path, "new");
    EXPECT_EQ(mode_of(path), mode);
    EXPECT_EQ(read_bytes(path), "new");
  }
}

// While it is written, nobody may read it who may not read the old one.
TEST(FileInTheMaking, IsNoMoreOpenThanTheFileItReplaces) {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  write_bytes(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const FileInTheMaking file(path);
  for (const auto& entry : fs::directory_iterator(folder.path())) EXPECT_EQ(mode_of(entry.path().string()), 0600U) << entry.path();
}

TEST(FileInTheMaking, OfANewFileHasTheUsersDefaultPermissions) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  put(folder / "m", "new");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "m"), 0640U);
}

TEST(FileInTheMaking, LeavesAFileAloneThatMayNotBeWritten) {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  write_bytes(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  const bool root = ::geteuid() == 0;  // who may write anything: be nobody for a while
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  EXPECT_EQ(message_of<EnvironmentError>([&] { put(path, "new"); }),
            "cannot write '" + path + "': Permission denied; check who may write there, or give another path");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.num_files(), 1u);
}

// Threads have one process number.
TEST(FileInTheMaking, HasANameOfItsOwnBesideOtherWritersOfThePath) {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  auto first = std::make_unique<FileInTheMaking>(path), second = std::make_unique<FileInTheMaking>(path);
  EXPECT_EQ(folder.num_files(), 2u);
  first->write("first", 5);
  second->write("second", 6);
  second->commit();
  EXPECT_EQ(read_bytes(path), "second");
  first->commit();
  EXPECT_EQ(read_bytes(path), "first");
  first.reset();
  second.reset();
  EXPECT_EQ(folder.num_files(), 1u);

  std::vector<std::thread> writers;
  for (int writer = 0; writer < 8; ++writer)
    writers.emplace_back([&, writer] {
      const std::string text(100'000, static_cast<char>('a' + writer));
      for (int repetition = 0; repetition < 20; ++repetition) put(path, text);
    });
  for (std::thread& writer : writers) writer.join();
  const std::string last = read_bytes(path);
  EXPECT_EQ(last, std::string(100'000, last.at(0)));  // of one of them, whole
  EXPECT_EQ(folder.num_files(), 1u);
}

// A name takes at most 255 bytes, and the partial file's is longer.
TEST(FileInTheMaking, MayHaveALongName) {
  const TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'n');
  put(path, "new");
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(folder.num_files(), 1u);
}

// By default SIGXFSZ ends a program that writes beyond the limit; here it must not, whatever the caller does with signals.
TEST(FileInTheMaking, SurvivesALimitOnTheSizeOfFiles) {
  const TemporaryFolder folder;
  const std::string path = folder / "m", text(100'000, 'x');
  write_bytes(path, "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_DFL);
  const rlimit small{10'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  sigset_t pending, mask;
  try {
    put(path, text);
  } catch (const EnvironmentError& e) {
    message = e.what();
  }
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot write '" + path + "': File too large; free space or give another path");
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  EXPECT_EQ(sigismember(&mask, SIGXFSZ), 0);  // as it was
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.num_files(), 1u);
}

}  // namespace
}  // namespace ardvark::internal::io
