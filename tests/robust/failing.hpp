// Calls that fail when a test wants it: allocations (operator new, and malloc and its kin of whatever is linked into this program: our code
// and Eigen's, not the C library's or BLAS's) and those by which a file is written. The linker puts ours in their place (--wrap).
#pragma once

#include <cstdint>
#include <limits>

namespace ardvark::testing {

/// While it lives the k-th allocation of this program from here on fails, and every later one too if `forever`.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::int64_t k, bool forever = false);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  [[nodiscard]] static bool has_failed();
  [[nodiscard]] static bool has_freed_twice();  ///< what was freed before the allocation that failed, to make place for it
};

/// While it lives none fails: a test looks at what has become.
class NoFailingAllocation {
 public:
  NoFailingAllocation();
  ~NoFailingAllocation();
  NoFailingAllocation(const NoFailingAllocation&) = delete;
  NoFailingAllocation& operator=(const NoFailingAllocation&) = delete;

 private:
  std::int64_t until_failure_;
};

/// Allocations that were not freed yet.
[[nodiscard]] std::int64_t num_live_allocations();

/// The most bytes that were held at a time since its construction, beyond those held then.
class PeakMemory {
 public:
  PeakMemory();
  [[nodiscard]] std::int64_t bytes() const;

 private:
  std::int64_t before_;
};

/// What becomes of the calls that make a file (open to write, write, fsync, close, rename) while it lives.
struct Disk {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::int64_t fails_at = never;  ///< the k-th of these calls fails with `error`, and does nothing
  int error = 0;
  std::int64_t killed_at = never;           ///< this program ends by SIGKILL before the k-th of these calls
  std::int64_t free_bytes = never;          ///< so many bytes are written, then ENOSPC: a full disk
  std::int64_t most_bytes_a_write = never;  ///< a write takes part of what it is given, as write(2) may
};
class FailingDisk {
 public:
  explicit FailingDisk(const Disk& disk);
  ~FailingDisk();
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;
  [[nodiscard]] static std::int64_t num_calls();
};

/// How often: the number of this name in the environment, or else this one. scripts/check asks for more than ctest.
[[nodiscard]] std::int64_t times(const char* name, std::int64_t otherwise);

}  // namespace ardvark::testing
