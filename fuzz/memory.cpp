#include "memory.hpp"

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace ardvark::fuzz {
namespace {

// Signed, because memory that was allocated before the first limit may be freed under it.
std::atomic<long long> held{0}, peak{0};

void on_malloc(const volatile void* /*memory*/, std::size_t size) {
  const long long now = held += static_cast<long long>(size);
  long long seen = peak;
  while (now > seen && !peak.compare_exchange_weak(seen, now)) {
  }
}
void on_free(const volatile void* memory) {
  if (memory != nullptr) held -= static_cast<long long>(__sanitizer_get_allocated_size(memory));
}

const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);

}  // namespace

MemoryLimit::MemoryLimit(std::size_t input_size, std::size_t fixed, std::size_t factor)
    : input_size_(input_size), limit_(factor * input_size + fixed) {
  if (installed == 0) std::abort();
  held = 0;
  peak = 0;
}

MemoryLimit::~MemoryLimit() {
  const auto most = static_cast<std::size_t>(peak.load());
  if (most <= limit_) return;
  std::fprintf(stderr, "== memory: an input of %zu bytes took %zu at a time; the limit is %zu\n", input_size_, most, limit_);
  std::abort();
}

}  // namespace ardvark::fuzz
