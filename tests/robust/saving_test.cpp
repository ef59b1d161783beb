// A save that is killed, a disk that is full, a folder that may not be written, two writers of a path: the path holds the old file or the
// new one, whole.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "ardvark/errors.hpp"
#include "ardvark/model.hpp"
#include "failing.hpp"
#include "io/temporary_file.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

using testing::Disk;
using testing::FailingDisk;

// Two models of the same columns, of half a megabyte each: a matrix of 240 x 240 and what belongs to it.
SavedModel model_of(std::uint64_t seed) {
  testing::Random random(seed);
  const Matrix X = random.normals(300, 240);
  const Vector y = X.col(0) + 0.1 * random.normals(300);
  ModelOptions options;
  options.set("model", std::string("linear"));
  options.set("prior", std::string("shared"));
  options.set("keep_covariance", std::string("always"));
  options.set("max_sweeps", 5.0);
  return fit_model({X.data(), X.rows(), X.cols()}, {y.data(), y.size()}, options);
}

struct Models {
  SavedModel a = model_of(1), b = model_of(2);
  std::string bytes_of_a = model_to_bytes(a), bytes_of_b = model_to_bytes(b);
  [[nodiscard]] bool is_one(const std::string& bytes) const { return bytes == bytes_of_a || bytes == bytes_of_b; }
};
const Models& models() {
  static const Models both;
  return both;
}

// The work in a process of its own; its exit status, or minus the signal that ended it.
class Child {
 public:
  explicit Child(const std::function<int()>& work) : id_(::fork()) {
    if (id_ == 0) ::_exit(work());
  }
  void kill() const { ::kill(id_, SIGKILL); }
  int wait() const {
    int status = 0;
    ::waitpid(id_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t id_;
};

[[noreturn]] void save_for_ever(const std::string& path) {
  for (;;) {
    save_model(path, models().b);
    save_model(path, models().a);
  }
}

// The sentence of a save that fails, and names the path; empty if it did not fail.
std::string complaint_of_save(const std::string& path, const SavedModel& model) try {
  save_model(path, model);
  return {};
} catch (const EnvironmentError& e) {
  EXPECT_NE(std::string(e.what()).find(path), std::string::npos) << e.what();
  return e.what();
}

TEST(Saving, KilledAtAnyMomentLeavesTheOldFileOrTheNewOne) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model";
  testing::Random random(11);
  const std::int64_t kills = testing::times("ARDVARK_TEST_KILLS", 25);
  std::int64_t in_the_making = 0, old_ones = 0;
  for (std::int64_t kill = 0; kill < kills; ++kill) {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) std::filesystem::remove(entry);
    testing::write_bytes(path, models().bytes_of_a);
    const Child child([&]() -> int { save_for_ever(path); });
    std::this_thread::sleep_for(std::chrono::microseconds(random.integer(0, 20000)));
    child.kill();
    ASSERT_EQ(child.wait(), -SIGKILL);
    const std::string left = testing::read_bytes(path);
    ASSERT_TRUE(models().is_one(left)) << "kill " << kill << " leaves " << left.size() << " bytes";
    old_ones += left == models().bytes_of_a ? 1 : 0;
    EXPECT_EQ(num_inputs(load_model(path)), 240);
    in_the_making += folder.num_files() > 1 ? 1 : 0;
    // What the killed one has left beside it does not matter to the next.
    save_model(path, models().b);
    ASSERT_EQ(testing::read_bytes(path), models().bytes_of_b);
  }
  EXPECT_GT(in_the_making, 0) << "no kill came in a save";
  std::printf("figure: %lld kills, %lld of them in a save; %lld left the first file, %lld the second, none anything else\n",
              static_cast<long long>(kills), static_cast<long long>(in_the_making), static_cast<long long>(old_ones),
              static_cast<long long>(kills - old_ones));
}

TEST(Saving, KilledBeforeAnyCallLeavesTheOldFileOrTheNewOne) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model";
  std::int64_t call = 1;
  for (bool is_done = false; !is_done; ++call) {
    testing::write_bytes(path, models().bytes_of_a);
    const Child child([&] {
      const FailingDisk failing({.killed_at = call, .most_bytes_a_write = 65536});
      save_model(path, models().b);
      return 0;
    });
    const int end = child.wait();
    is_done = end == 0;
    ASSERT_TRUE(is_done || end == -SIGKILL) << end;
    ASSERT_EQ(testing::read_bytes(path), is_done ? models().bytes_of_b : models().bytes_of_a) << "call " << call;
  }
  EXPECT_GT(call, 10);
  std::printf("figure: killed before each of %lld calls of a save: the old file\n", static_cast<long long>(call - 2));
}

TEST(Saving, OnAFullDiskLeavesTheOldFileAtEveryBlock) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model";
  testing::write_bytes(path, models().bytes_of_a);
  const auto size = static_cast<std::int64_t>(models().bytes_of_b.size());
  const std::int64_t block = testing::times("ARDVARK_TEST_BLOCK", 32768);
  std::int64_t blocks = 0;
  for (std::int64_t room = 0; room < size; room += block, ++blocks) {
    std::string complaint;
    {
      const FailingDisk failing({.free_bytes = room});
      complaint = complaint_of_save(path, models().b);
    }
    ASSERT_NE(complaint.find("free space"), std::string::npos) << complaint;
    ASSERT_EQ(folder.num_files(), 1U);
    ASSERT_EQ(testing::read_bytes(path), models().bytes_of_a);
  }
  const FailingDisk enough({.free_bytes = size});
  EXPECT_EQ(complaint_of_save(path, models().b), "");
  std::printf("figure: disk full after each of %lld blocks of %lld bytes: an error, the old file, nothing beside it\n",
              static_cast<long long>(blocks), static_cast<long long>(block));
}

TEST(Saving, AnyCallThatFailsLeavesTheOldFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model";
  std::int64_t call = 1;
  for (bool is_done = false; !is_done; ++call)
    for (const int error : {ENOSPC, EIO, EDQUOT}) {
      testing::write_bytes(path, models().bytes_of_a);
      const FailingDisk failing({.fails_at = call, .error = error, .most_bytes_a_write = 65536});
      const std::string complaint = complaint_of_save(path, models().b);
      is_done = FailingDisk::num_calls() < call;
      ASSERT_EQ(complaint.empty(), is_done) << "call " << call << ", error " << error;
      ASSERT_EQ(testing::read_bytes(path), is_done ? models().bytes_of_b : models().bytes_of_a) << "call " << call;
      ASSERT_EQ(folder.num_files(), 1U) << "call " << call;
    }
  std::printf("figure: each of %lld calls of a save fails once with ENOSPC, EIO, EDQUOT: an error, the old file, nothing beside it\n",
              static_cast<long long>(call - 2));
}

TEST(Saving, GoesOnAfterPartialAndInterruptedWrites) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model";
  {
    const FailingDisk partial({.most_bytes_a_write = 1000});
    save_model(path, models().a);
  }
  EXPECT_EQ(testing::read_bytes(path), models().bytes_of_a);
  const FailingDisk interrupted({.fails_at = 2, .error = EINTR});
  save_model(path, models().b);
  EXPECT_EQ(testing::read_bytes(path), models().bytes_of_b);
}

TEST(Saving, InAFolderThatMayNotBeWrittenIsAnError) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model";
  testing::write_bytes(path, models().bytes_of_a);
  const bool is_root = ::geteuid() == 0;  // whom permissions do not bind
  if (!is_root) ::chmod(folder.path().c_str(), 0555);
  const Child child([&] {
    constexpr uid_t nobody = 65534;
    if (is_root && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) return 2;
    const std::string old_one = complaint_of_save(path, models().b), new_one = complaint_of_save(folder / "new", models().b);
    return old_one.find("check who may write there") != std::string::npos && new_one.find("check who may write there") != std::string::npos
               ? 0
               : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  if (!is_root) ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(folder.num_files(), 1U);
  EXPECT_EQ(testing::read_bytes(path), models().bytes_of_a);
}

TEST(Saving, ByTwoWritersAtOnceLeavesTheFileOfOne) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model";
  save_model(path, models().a);
  const std::int64_t saves = testing::times("ARDVARK_TEST_SAVES", 25);
  std::atomic<int> complaints{0};
  const auto write_often = [&](const SavedModel& model) {
    for (std::int64_t i = 0; i < saves; ++i) try {
        save_model(path, model);
      } catch (const EnvironmentError&) {
        ++complaints;
      }
    return complaints > 0 ? 1 : 0;
  };
  // Two programs, and in one of them two threads; who reads meanwhile sees one file or the other.
  const Child other([&] { return write_often(models().a); });
  std::int64_t reads = 0, torn = 0;
  {
    std::jthread first([&] { write_often(models().a); });
    std::jthread second([&] { write_often(models().b); });
    std::jthread reader([&](const std::stop_token& stop) {
      for (; !stop.stop_requested(); ++reads) torn += models().is_one(testing::read_bytes(path)) ? 0 : 1;
    });
    first.join();
    second.join();
    reader.request_stop();
  }
  EXPECT_EQ(other.wait(), 0);
  EXPECT_EQ(complaints, 0);
  EXPECT_GT(reads, 0);
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(folder.num_files(), 1U);
  EXPECT_TRUE(models().is_one(testing::read_bytes(path)));
  std::printf("figure: three writers of one path, %lld saves each: %lld reads meanwhile, %lld of them torn\n",
              static_cast<long long>(saves), static_cast<long long>(reads), static_cast<long long>(torn));
}

// A program that was killed may have had the number that this one has.
TEST(Saving, IsNotHinderedByWhatAKilledProgramHasLeft) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model", left = path + ".partial-" + std::to_string(::getpid());
  testing::write_bytes(left, "half a fi");
  save_model(path, models().a);
  EXPECT_EQ(testing::read_bytes(path), models().bytes_of_a);
}

}  // namespace
}  // namespace ardvark
