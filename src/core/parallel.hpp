// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark {

/// f(0) .. f(count - 1) on so many threads. The pieces must not depend on each other, so the result does not depend on the number of
/// threads. The first exception that a piece throws is thrown again. BLAS should be held at one thread meanwhile, and just before: the idle
/// threads of OpenBLAS spin for a while after a call.
template <typename Function>
void parallel_for(Index count, Index num_threads, Function&& f) {
  num_threads = std::min(count, num_threads);
  if (num_threads <= 1) {
    for (Index i = 0; i < count; ++i) f(i);
    return;
  }
  std::atomic<Index> next = 0;
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto work = [&] {
    for (Index i = next++; i < count; i = next++) try {
        f(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!thrown) thrown = std::current_exception();
        next = count;
      }
  };
  {
    std::vector<std::jthread> others;
    for (Index t = 1; t < num_threads; ++t) others.emplace_back(work);
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace ardvark
