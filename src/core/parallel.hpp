// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/types.hpp"
#include "core/pulse.hpp"

namespace ardvark::internal {

namespace detail {
/// Whether this thread is running a piece of a parallel_for: a parallel_for inside that piece then runs on this thread only.
inline thread_local bool is_at_a_piece = false;
}  // namespace detail

/// Calls f(0) .. f(count - 1) on so many threads, or on as many as can be started. The calls must not depend on each other; then the result
/// does not depend on the number of threads. The first exception of a call is thrown again. Each call begins with a pulse. BLAS should be
/// limited to one thread during this and just before: the idle threads of OpenBLAS use the processor for a while after a call.
void parallel_for(Index count, Index num_threads, auto&& f) {
  num_threads = std::min(count, num_threads);
  if (num_threads <= 1 || detail::is_at_a_piece) {
    for (Index i = 0; i < count; ++i) pulse(), f(i);
    return;
  }
  std::atomic<Index> next = 0;
  std::exception_ptr thrown;
  std::mutex mutex;
  Listener* const listener = detail::listener;
  const auto work = [&] {
    detail::is_at_a_piece = true;
    detail::listener = listener;
    for (Index i = next++; i < count; i = next++) try {
        pulse();
        f(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!thrown) thrown = std::current_exception();
        next = count;
      }
    detail::is_at_a_piece = false;
  };
  {
    std::vector<std::jthread> others;
    try {
      for (Index t = 1; t < num_threads; ++t) others.emplace_back(work);
    } catch (const std::system_error&) {  // not enough memory or threads: those that run do all the work
    }
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}

/// Calls f(from, to) for ranges of about equal length that cover 0 .. count - 1, one range per thread.
void parallel_ranges(Index count, Index num_threads, auto&& f) {
  num_threads = std::clamp<Index>(num_threads, 1, std::max<Index>(count, 1));
  const Index part = (count + num_threads - 1) / num_threads;
  parallel_for(num_threads, num_threads, [&](Index t) { f(std::min(t * part, count), std::min((t + 1) * part, count)); });
}

/// Starts a thread. \throws EnvironmentError  if it cannot be started
template <typename Work>
std::jthread started(Work&& work) try {
  return std::jthread(std::forward<Work>(work));
} catch (const std::system_error& e) {
  throw EnvironmentError("cannot start a thread: " + e.code().message() +
                         "; there is not enough memory, or the number of threads is limited (ulimit)");
}

/// Lets work on other threads call the user's callback. The callback runs only on the caller's thread, one call at a time, while the
/// threads that ask wait for the answer. After its first `false` it is not called again, and every answer is `false`. While nobody asks,
/// the caller's thread pulses.
template <typename Message>
class Relay {
 public:
  explicit Relay(std::function<bool(const Message&)> answer) : answer_(std::move(answer)) {}

  /// May be called from any thread of the work of run().
  bool ask(const Message& message) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return question_ == nullptr || stopped_; });
    if (stopped_) return false;
    Question question{message};
    question_ = &question;
    changed_.notify_all();
    changed_.wait(lock, [&] { return question.is_answered; });
    return question.answer;
  }

  /// Runs work() on another thread and throws its exception, or that of the callback, here.
  void run(auto&& work) {
    bool done = false;
    std::exception_ptr of_work, of_answer;
    Listener* const listener = detail::listener;
    {
      const std::jthread other = started([&] {
        detail::listener = listener;
        try {
          work();
        } catch (...) {
          of_work = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        done = true;
        changed_.notify_all();
      });
      std::unique_lock lock(mutex_);
      while (true) {
        const auto has_news = [&] { return done || question_ != nullptr; };
        if (listener == nullptr) {
          changed_.wait(lock, has_news);
        } else if (!changed_.wait_for(lock, std::chrono::milliseconds(50), has_news)) {
          lock.unlock();
          try {
            pulse();
          } catch (...) {
            of_answer = std::current_exception();
          }
          lock.lock();
          stopped_ = stopped_ || of_answer != nullptr;
          changed_.notify_all();
          continue;
        }
        if (question_ == nullptr) break;
        Question& question = *question_;  // exists while its thread waits
        lock.unlock();
        bool go_on = false;
        try {
          go_on = answer_(question.message);
        } catch (...) {
          of_answer = std::current_exception();
        }
        lock.lock();
        question.answer = go_on;
        question.is_answered = true;
        question_ = nullptr;
        stopped_ = stopped_ || !go_on;
        changed_.notify_all();
      }
    }
    if (of_answer) std::rethrow_exception(of_answer);
    if (of_work) std::rethrow_exception(of_work);
  }

 private:
  struct Question {
    const Message& message;
    bool is_answered = false, answer = false;
  };

  std::function<bool(const Message&)> answer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Question* question_ = nullptr;
  bool stopped_ = false;
};

}  // namespace ardvark::internal
