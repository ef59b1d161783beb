// The line on a terminal that says what a long command does.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "ardvark/progress.hpp"

namespace ardvark::cli {

/// While this object exists, the library tells it what it does. If the command has run for a second, a line on a terminal shows it; the
/// line is erased at the end. A thread of its own draws it, so that the time goes on in every step.
class ProgressLine {
 public:
  /// \param wanted  false: no line
  /// \param stage   what is done first, such as "reading"
  ProgressLine(bool wanted, const char* stage);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void say(const char* stage);
  [[nodiscard]] SweepCallback on_sweep() const { return listening_.on_sweep(); }
  [[nodiscard]] SelectionCallback on_fit() const { return listening_.on_fit(); }

 private:
  Answer hear(const Progress& progress);
  void draw_until(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any waiting_;
  Progress last_;
  double told_at_ = 0;  // seconds since the program started
  bool shown_ = false;
  Listening listening_;
  std::jthread drawer_;
};

}  // namespace ardvark::cli
