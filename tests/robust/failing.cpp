#include "failing.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace ardvark::testing {
namespace {

constexpr std::int64_t never = Disk::never;
std::atomic<std::int64_t> live{0}, live_bytes{0}, peak_bytes{0}, until_failure{never};
std::atomic<bool> failed{false}, fails_forever{false};

// What was freed just before the allocation that failed, while nobody has been given it again: Eigen frees, then allocates, and a matrix of
// ours must not free it once more. The C library notices that only sometimes. It is that of all threads: another one may have been given
// it.
std::atomic<void*> last_freed{nullptr}, not_to_be_freed{nullptr};
std::atomic<std::int64_t> freed_twice{0};

bool allocation_fails() {
  if (until_failure.load(std::memory_order_relaxed) == never) return false;
  const std::int64_t left = --until_failure;
  if (left > 0 || (left < 0 && !fails_forever)) return false;
  if (!failed.exchange(true)) not_to_be_freed = last_freed.load();
  return true;
}

// As many bytes as the allocator gives, a little more than was asked for.
void* counted(void* memory) {
  if (memory == nullptr) return memory;
  last_freed = nullptr;
  if (memory == not_to_be_freed) not_to_be_freed = nullptr;
  ++live;
  const std::int64_t now = live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  std::int64_t seen = peak_bytes;
  while (now > seen && !peak_bytes.compare_exchange_weak(seen, now)) {
  }
  return memory;
}
void uncount(void* memory) {
  if (memory == nullptr) return;
  last_freed = memory;
  --live;
  live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
}

Disk disk;
std::atomic<std::int64_t> calls{0}, bytes_left{never};
std::atomic<bool> disk_watched{false};

// Whether this call has to fail; errno then says why.
bool disk_call_fails() {
  if (!disk_watched) return false;
  const std::int64_t call = ++calls;
  if (call == disk.killed_at) ::raise(SIGKILL);
  if (call != disk.fails_at) return false;
  errno = disk.error;
  return true;
}

}  // namespace

FailingAllocation::FailingAllocation(std::int64_t k, bool forever) {
  failed = false;
  not_to_be_freed = nullptr;
  freed_twice = 0;
  fails_forever = forever;
  until_failure = k;
}
FailingAllocation::~FailingAllocation() { until_failure = never; }
NoFailingAllocation::NoFailingAllocation() : until_failure_(until_failure.exchange(never)) {}
NoFailingAllocation::~NoFailingAllocation() { until_failure = until_failure_; }
bool FailingAllocation::has_failed() { return failed; }
bool FailingAllocation::has_freed_twice() { return freed_twice > 0; }
std::int64_t num_live_allocations() { return live; }

PeakMemory::PeakMemory() : before_(live_bytes) { peak_bytes = before_; }
std::int64_t PeakMemory::bytes() const { return peak_bytes - before_; }

FailingDisk::FailingDisk(const Disk& wanted) {
  disk = wanted;
  calls = 0;
  bytes_left = disk.free_bytes;
  disk_watched = true;
}
FailingDisk::~FailingDisk() { disk_watched = false; }
std::int64_t FailingDisk::num_calls() { return calls; }

std::int64_t times(const char* name, std::int64_t otherwise) {
  const char* const said = std::getenv(name);
  return said == nullptr ? otherwise : std::atoll(said);
}

}  // namespace ardvark::testing

using namespace ardvark::testing;

extern "C" {

void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
int __real_posix_memalign(void** memory, std::size_t alignment, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
void __real_free(void* memory);
int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int descriptor, const void* from, std::size_t size);
int __real_fsync(int descriptor);
int __real_close(int descriptor);
int __real_rename(const char* from, const char* to);

void* __wrap_malloc(std::size_t size) { return allocation_fails() ? nullptr : counted(__real_malloc(size)); }
void* __wrap_calloc(std::size_t count, std::size_t size) { return allocation_fails() ? nullptr : counted(__real_calloc(count, size)); }
void* __wrap_realloc(void* memory, std::size_t size) {
  if (allocation_fails()) return nullptr;
  const std::int64_t before = memory == nullptr ? 0 : static_cast<std::int64_t>(malloc_usable_size(memory));
  void* const moved = __real_realloc(memory, size);
  if (moved == nullptr) return moved;
  if (memory != nullptr) --live, live_bytes -= before;
  return counted(moved);
}
int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (allocation_fails()) return ENOMEM;
  const int error = __real_posix_memalign(memory, alignment, size);
  if (error == 0) counted(*memory);
  return error;
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocation_fails() ? nullptr : counted(__real_aligned_alloc(alignment, size));
}
void __wrap_free(void* memory) {
  if (memory != nullptr && memory == not_to_be_freed) {
    ++freed_twice;
    return;
  }
  uncount(memory);
  __real_free(memory);
}

int __wrap_open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const bool to_write = (flags & O_ACCMODE) != O_RDONLY;
  if (to_write && disk_call_fails()) return -1;
  return __real_open(path, flags, mode);
}
ssize_t __wrap_write(int descriptor, const void* from, std::size_t size) {
  if (!disk_watched) return __real_write(descriptor, from, size);
  if (disk_call_fails()) return -1;
  const auto wanted = static_cast<std::int64_t>(size);
  const std::int64_t most = std::min({wanted, disk.most_bytes_a_write, bytes_left.load()});
  if (most == 0 && wanted > 0) {
    errno = ENOSPC;
    return -1;
  }
  const ssize_t put = __real_write(descriptor, from, static_cast<std::size_t>(most));
  if (put > 0 && bytes_left != never) bytes_left -= put;
  return put;
}
int __wrap_fsync(int descriptor) { return disk_call_fails() ? -1 : __real_fsync(descriptor); }
// What fails at closing is closed all the same, as on Linux.
int __wrap_close(int descriptor) {
  const bool fails = disk_call_fails();
  const int error = errno;
  const int result = __real_close(descriptor);
  if (fails) errno = error;
  return fails ? -1 : result;
}
int __wrap_rename(const char* from, const char* to) { return disk_call_fails() ? -1 : __real_rename(from, to); }

}  // extern "C"

void* operator new(std::size_t size) {
  void* const memory = allocation_fails() ? nullptr : counted(__real_malloc(size > 0 ? size : 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// That of the address sanitizer would be another one; std::stable_sort asks for it.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return allocation_fails() ? nullptr : counted(__real_malloc(size > 0 ? size : 1));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  void* const memory = allocation_fails() ? nullptr : counted(__real_aligned_alloc(step, (size + step - 1) / step * step));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { __wrap_free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { __wrap_free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { __wrap_free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept { __wrap_free(memory); }
