// The BLAS that is there, and the numbers of threads: that of OpenBLAS, which is one while the library works, and our own.
#include "core/blas_threads.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ardvark/errors.hpp"
#include "core/blas_library.hpp"
#include "core/blas_names.hpp"
#include "core/parallel.hpp"

extern "C" {
// Only OpenBLAS has these. With another BLAS the thread option has no effect, and the last bits of results depend on its own threads.
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] char* openblas_get_config(void);
void dpotrf_(const char*, const int*, double*, const int*, int*);
}

namespace ardvark::internal::blas {

std::string name_of_library() {
  std::string name = openblas_get_config == nullptr ? "not OpenBLAS" : openblas_get_config();
  Dl_info found = {};
  if (::dladdr(reinterpret_cast<const void*>(&dpotrf_), &found) != 0 && found.dli_fname != nullptr)
    if (const std::string file = found.dli_fname; file.find(".so") != std::string::npos) name += ", " + file;
  return name;
}

// Two threads are faster from about a millisecond of work on, but on a busy machine they can lose more than they gain.
bool is_small(double multiplications) { return multiplications < 4e7; }

double multiplications(Index n, Index p) { return static_cast<double>(n) * static_cast<double>(p) * static_cast<double>(std::min(n, p)); }

namespace {

// The existing scopes of the whole process; OpenBLAS's setting is one per process, too.
class Scopes {
 public:
  void enter(const ThreadScope* scope, int threads) {
    const std::lock_guard lock(mutex_);
    if (live_.empty()) {
      callers_ = openblas_get_num_threads();
      set(1);
    }
    live_.push_back({scope, std::this_thread::get_id(), threads});
    any_ = true;
  }
  void leave(const ThreadScope* scope) {
    const std::lock_guard lock(mutex_);
    std::erase_if(live_, [&](const Live& live) { return live.scope == scope; });
    any_ = !live_.empty();
    if (live_.empty()) set(callers_);
  }

  [[nodiscard]] bool any() const { return any_; }

  [[nodiscard]] int allowed() {
    const std::lock_guard lock(mutex_);
    if (live_.empty()) return openblas_get_num_threads();
    int most = 0;
    for (auto it = live_.begin(); it != live_.end(); ++it)
      if (it->threads > 0 && std::none_of(it + 1, live_.end(), [&](const Live& later) { return later.of == it->of && later.threads > 0; }))
        most = std::max(most, it->threads);
    return most > 0 ? most : callers_;
  }

 private:
  struct Live {
    const ThreadScope* scope;
    std::thread::id of;
    int threads;
  };

  static void set(int threads) {
    if (threads != openblas_get_num_threads()) openblas_set_num_threads(threads);
  }

  std::mutex mutex_;
  std::vector<Live> live_;  // oldest first
  std::atomic<bool> any_ = false;
  int callers_ = 0;
};

Scopes& scopes() {
  static Scopes all;
  return all;
}

bool is_settable() { return openblas_set_num_threads != nullptr && openblas_get_num_threads != nullptr; }

thread_local int scopes_of_this_thread = 0;

// OpenBLAS allocates a buffer for each thread that is in a call and keeps it for later calls. If the allocation fails, it tries again
// without end (0.3.21, memory.c). So we check before whether there is memory, and use only one thread if memory is limited from outside.
class Buffers {
 public:
  /// Makes OpenBLAS allocate the buffer of one thread, which it then keeps. False: there is not enough memory for it.
  bool take_one() {
    const std::lock_guard lock(mutex_);
    if (!is_taken_ && has_room()) {
      const int n = 1;
      double number = 1;
      int info = 0;
      dpotrf_("L", &n, &number, &n, &info);
      is_taken_ = true;
    }
    return is_taken_;
  }
  [[nodiscard]] bool are_limited() const { return are_limited_; }

 private:
  static bool has_room() {
    constexpr std::size_t bytes = (std::size_t{128} << 20) + (std::size_t{1} << 16);
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at != MAP_FAILED && ::munmap(at, bytes) == 0;
  }
  static bool is_limited(decltype(RLIMIT_AS) resource) {
    rlimit limit = {};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  }

  std::mutex mutex_;
  bool is_taken_ = false;
  const bool are_limited_ = is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA);
};

Buffers& buffers() {
  static Buffers all;
  return all;
}

}  // namespace

int num_threads() { return is_settable() && !buffers().are_limited() ? scopes().allowed() : 1; }

Index threads_for(double multiplications) { return is_small(multiplications) ? 1 : num_threads(); }

bool is_small_to_read(Index entries) { return is_small(64.0 * static_cast<double>(entries)); }

Index threads_to_read(Index entries) { return is_small_to_read(entries) ? 1 : num_threads(); }

ThreadScope::ThreadScope(int threads) {
  if (!is_settable()) return;
  if (!buffers().take_one())
    throw OutOfMemory("not enough memory: OpenBLAS needs 128 MB of address space; raise the limit of the program (ulimit -v, -d)");
  scopes().enter(this, threads);
  ++scopes_of_this_thread;
}

ThreadScope::~ThreadScope() {
  if (!is_settable()) return;
  scopes().leave(this);
  --scopes_of_this_thread;
}

// A piece of a parallel_for runs inside the scope of the thread that started the parallel_for.
AtOneThread::AtOneThread() {
  if (scopes_of_this_thread == 0 && !(detail::is_at_a_piece && scopes().any())) own_.emplace(0);
}

}  // namespace ardvark::internal::blas
