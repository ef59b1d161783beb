// Several pieces of work that take turns and wait for answers, which all get at the same time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/pulse.hpp"

namespace ardvark::internal {

/// Each piece of work has a thread of its own, but only one of them runs at a time, in the order of their numbers, until it asks or ends.
/// Then the caller's thread answers all questions at once. So results do not depend on threads, and the work needs no locks. The first
/// exception ends all work.
template <typename Question, typename Answer>
class SideBySide {
 public:
  /// Gives an answer to each question, in their order. Runs on the caller's thread.
  using AnswerAll = std::function<std::vector<Answer>(std::vector<Question> questions)>;
  explicit SideBySide(AnswerAll answer_all) : answer_all_(std::move(answer_all)) {}

  /// What a piece of work knows of the others: how to ask.
  class Place {
   public:
    Answer ask(Question question) {
      question_ = std::move(question);
      all_->give_turn(*this);
      Answer answer = std::move(*answer_);
      answer_.reset();
      return answer;
    }
    /// Runs f on the caller's thread, now, and throws its exception here.
    void on_caller(const std::function<void()>& f) {
      call_ = &f;
      all_->give_turn(*this);
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

   private:
    friend class SideBySide;
    SideBySide* all_ = nullptr;
    std::jthread thread_;
    std::optional<Question> question_;
    std::optional<Answer> answer_;
    const std::function<void()>* call_ = nullptr;
    std::exception_ptr thrown_;
    bool done_ = false;
  };

  /// Runs work(0, place) .. work(count - 1, place).
  void run(Index count, auto&& work) {
    std::vector<Place> places(static_cast<std::size_t>(count));
    try {
      for (;;) {
        std::vector<Place*> asking;
        for (Index i = 0; i < count; ++i) {
          Place& place = places[static_cast<std::size_t>(i)];
          if (place.done_) continue;
          take_turn(place, [&, i] { work(i, place); });
          if (place.done_ && place.thrown_) std::rethrow_exception(place.thrown_);
          if (!place.done_) asking.push_back(&place);
        }
        if (asking.empty()) return;
        answer(asking);
      }
    } catch (...) {
      end(places);
      throw;
    }
  }

  /// The same, of at most `at_once` pieces together.
  void run(Index count, Index at_once, auto&& work) {
    for (Index first = 0; first < count; first += at_once)
      SideBySide(answer_all_).run(std::min(at_once, count - first), [&](Index i, Place& place) { work(first + i, place); });
  }

 private:
  struct Ended {};  // thrown in work whose result nobody wants

  void answer(const std::vector<Place*>& asking) {
    std::vector<Question> questions;
    for (Place* place : asking) questions.push_back(std::move(*place->question_)), place->question_.reset();
    std::vector<Answer> answers = answer_all_(std::move(questions));
    for (std::size_t i = 0; i < asking.size(); ++i) asking[i]->answer_ = std::move(answers[i]);
  }

  // On the thread of the work.
  void give_turn(Place& place) {
    std::unique_lock lock(mutex_);
    if (!is_ending_) {
      running_ = nullptr;
      changed_.notify_all();
      changed_.wait(lock, [&] { return running_ == &place; });
    }
    if (is_ending_) throw Ended();
  }

  // On the caller's thread: lets the work run until it asks or ends.
  void take_turn(Place& place, const auto& work) {
    for (;;) {
      wait_for(place, work);
      if (place.call_ == nullptr) return;
      try {
        (*std::exchange(place.call_, nullptr))();
      } catch (...) {
        place.thrown_ = std::current_exception();
      }
    }
  }

  void wait_for(Place& place, const auto& work) {
    std::unique_lock lock(mutex_);
    running_ = &place;
    if (!place.thread_.joinable()) {
      place.all_ = this;
      place.thread_ = started([this, &place, work, listener = detail::listener, inside = detail::is_at_a_piece] {
        detail::listener = listener;
        detail::is_at_a_piece = inside;
        run_here(place, work);
      });
    }
    changed_.notify_all();
    std::exception_ptr left;
    const auto is_over = [&] { return running_ == nullptr; };
    while (!is_over()) {
      if (detail::listener == nullptr || left) {
        changed_.wait(lock, is_over);
      } else if (!changed_.wait_for(lock, std::chrono::milliseconds(50), is_over)) {
        lock.unlock();
        try {
          pulse();
        } catch (...) {
          left = std::current_exception();
        }
        lock.lock();
      }
    }
    if (left) std::rethrow_exception(left);
  }

  void run_here(Place& place, const auto& work) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return running_ == &place; });
    }
    try {
      work();
    } catch (const Ended&) {
    } catch (...) {
      place.thrown_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    place.done_ = true;
    running_ = nullptr;
    changed_.notify_all();
  }

  void end(std::vector<Place>& places) {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    for (Place& place : places) {
      if (!place.thread_.joinable() || place.done_) continue;
      running_ = &place;
      changed_.notify_all();
      changed_.wait(lock, [&] { return running_ == nullptr; });
    }
  }

  AnswerAll answer_all_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Place* running_ = nullptr;
  bool is_ending_ = false;
};

}  // namespace ardvark::internal
