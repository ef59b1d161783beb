// What a long call does, told to whoever listens.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>

#include "ardvark/errors.hpp"
#include "ardvark/progress.hpp"
#include "core/pulse.hpp"
#include "core/stopwatch.hpp"

namespace ardvark::internal {

/// Several threads may work for a call. One at a time changes what is told; only the caller's thread, or a thread that has ended a sweep or
/// a fit, calls the callback.
class Listener {
 public:
  Listener(ProgressCallback callback, double seconds) : callback_(std::move(callback)), seconds_(seconds) {
    now_.stage = "preparing";
    now_.bound = -std::numeric_limits<double>::infinity();
  }

  /// A sweep or a fit has ended. False: stop.
  bool hear(Progress progress) {
    const std::lock_guard lock(mutex_);
    if (progress.total == 0 && is(now_.stage, progress.stage)) {  // the pieces of which the sweep is a part
      progress.piece = now_.piece, progress.done = now_.done, progress.total = now_.total;
      progress.total_may_grow = now_.total_may_grow, progress.is_of_step = now_.is_of_step;
      if (std::isnan(progress.seconds_left)) progress.seconds_left = now_.seconds_left;
    }
    now_ = progress;
    ask();
    return answer_ == Answer::go_on;
  }

  void begin(const char* stage, const Pieces& pieces) {
    const std::lock_guard lock(mutex_);
    if (stages_held_ > 0) return;
    const double time = watch_.seconds();
    if (!is(now_.stage, stage) || !is(now_.piece, pieces.name) || pieces.done < now_.done || now_.total == 0)
      began_ = time, done_then_ = pieces.done;
    if (pieces.rows < now_.rows || now_.rows == 0) rows_began_ = time, rows_then_ = pieces.rows;
    now_.rows = pieces.rows;
    now_.rows_per_second = time > rows_began_ ? static_cast<double>(pieces.rows - rows_then_) / (time - rows_began_) : 0;
    now_.stage = stage, now_.piece = pieces.name, now_.done = pieces.done, now_.total = pieces.total;
    now_.total_may_grow = pieces.may_grow, now_.is_of_step = pieces.of_step;
    now_.seconds_left = pieces.alike && !pieces.may_grow && !pieces.of_step
                            ? seconds_for_rest(pieces.done - done_then_, pieces.total - done_then_, time - began_)
                            : std::numeric_limits<double>::quiet_NaN();
  }

  void pulse(bool may_tell) {
    if (may_tell) {
      const std::lock_guard lock(mutex_);
      if (watch_.seconds() - told_ >= seconds_) ask();
    }
    if (answer_ == Answer::leave) throw Stopped();
  }

  void hold(int count) {
    const std::lock_guard lock(mutex_);
    stages_held_ += count;
  }

  [[nodiscard]] Answer answer() const { return answer_; }

 private:
  static bool is(const char* a, const char* b) { return std::string_view(a) == b; }

  void ask() {
    if (answer_ == Answer::go_on) {
      now_.elapsed_seconds = told_ = watch_.seconds();
      const auto silent = std::exchange(detail::listener, nullptr);  // the callback may call the library
      Answer answer = Answer::leave;
      try {
        answer = callback_(now_);
      } catch (...) {
        detail::listener = silent;
        answer_ = Answer::leave;
        throw;
      }
      detail::listener = silent;
      const bool has_result = is(now_.stage, "preparing") || is(now_.stage, "fitting");  // at the end of the next sweep
      answer_ = answer == Answer::stop && !has_result ? Answer::leave : answer;
    }
    if (answer_ == Answer::leave) throw Stopped();
  }

  const ProgressCallback callback_;
  const double seconds_;
  const Stopwatch watch_;
  std::mutex mutex_;
  Progress now_;
  double told_ = 0, began_ = 0, rows_began_ = 0;
  Index rows_then_ = 0;
  Index done_then_ = 0;
  int stages_held_ = 0;
  std::atomic<Answer> answer_ = Answer::go_on;
};

void detail::pulse() { listener->pulse(may_tell); }

void pulse(const char* stage, const Pieces& pieces) {
  if (detail::listener == nullptr) return;
  detail::listener->begin(stage, pieces);
  detail::pulse();
}

bool is_stopping() { return detail::listener != nullptr && detail::listener->answer() != Answer::go_on; }

OneStage::OneStage() {
  if (listener_ != nullptr) listener_->hold(1);
}
OneStage::~OneStage() {
  if (listener_ != nullptr) listener_->hold(-1);
}

double seconds_for_rest(Index done, Index total, double seconds, double since) {
  if (done < 1 || total < done) return std::numeric_limits<double>::quiet_NaN();
  return std::max(seconds / static_cast<double>(done) * static_cast<double>(total - done) - since, 0.0);
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

Listening::Listening(ProgressCallback callback, double seconds)
    : listener_(std::make_shared<Listener>(std::move(callback), seconds)),
      before_(std::exchange(detail::listener, listener_.get())),
      was_telling_(std::exchange(detail::may_tell, true)) {}

Listening::~Listening() {
  detail::listener = before_;
  detail::may_tell = was_telling_;
}

SweepCallback Listening::on_sweep() const {
  return [listener = listener_](const Progress& progress) { return listener->hear(progress); };
}

SelectionCallback Listening::on_fit() const {
  return [listener = listener_](const SelectionProgress& p) {
    Progress progress{static_cast<int>(p.num_done), 0, p.elapsed_seconds};
    progress.piece = "fold", progress.done = p.num_done, progress.total = p.num_fits;
    progress.seconds_left = seconds_for_rest(p.num_done, p.num_fits, p.elapsed_seconds);
    return listener->hear(progress);
  };
}

std::string text_of(const Progress& p) {
  std::string out = p.stage;
  const char* before = ": ";
  const auto add = [&](const std::string& text) { out += std::exchange(before, ", ") + text; };
  if (p.rows > 0) add(fmt::format("{} rows", p.rows));
  if (p.rows > 0 && p.rows_per_second > 0) add(fmt::format("{:.0f} rows/s", p.rows_per_second));
  if (p.num_fits > 1) add(fmt::format("{} {} of {}", p.fit_name, p.fit, p.num_fits));
  const bool is_fitting = std::string_view(p.stage) == "fitting";
  if (is_fitting && p.total > 0 && p.is_of_step) add(fmt::format("step {}", p.sweep + 1));
  if (p.total > 0 && *p.piece == '\0')
    add(fmt::format("{}%", 100 * p.done / p.total));
  else if (p.total > 0)
    add(fmt::format("{} {} of {}{}", p.piece, p.done, p.total_may_grow ? "at least " : "", p.total));
  else if (is_fitting && p.sweep > 0)
    add(fmt::format("step {}", p.sweep));
  return out;
}

namespace {

std::string duration(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 99.5 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string with_times(const std::string& text, double elapsed_seconds, double seconds_left) {
  const std::string left = std::isnan(seconds_left) ? "" : fmt::format(", about {} left", duration(std::max(seconds_left, 1.0)));
  return fmt::format("{}, {}{}", text, duration(elapsed_seconds), left);
}

}  // namespace ardvark
