#include "progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "commands.hpp"

namespace ardvark::cli {
namespace {

constexpr double patience = 1;  // seconds of the command before there is a line

using Clock = std::chrono::steady_clock;
const Clock::time_point started = Clock::now();
double seconds_so_far() { return std::chrono::duration<double>(Clock::now() - started).count(); }

bool is_drawable() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(2) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

ProgressLine::ProgressLine(bool wanted, const char* stage) : listening_([this](const Progress& progress) { return hear(progress); }) {
  say(stage);
  if (!wanted || !is_drawable()) return;
  try {
    drawer_ = std::jthread([this](const std::stop_token& stop) { draw_until(stop); });
  } catch (const std::system_error&) {  // no thread: no line
  }
}

ProgressLine::~ProgressLine() {
  drawer_ = {};  // ends it
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::say(const char* stage) {
  Progress now;
  now.stage = stage;
  hear(now);
}

Answer ProgressLine::hear(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  last_ = progress;
  told_at_ = seconds_so_far();
  return is_interrupted() ? Answer::leave : Answer::go_on;
}

void ProgressLine::draw_until(const std::stop_token& stop) {
  constexpr auto pause = std::chrono::milliseconds(250);
  std::unique_lock lock(mutex_);
  while (!waiting_.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
    if (stop.stop_requested()) return;
    const double now = seconds_so_far();
    if (now < patience) continue;
    shown_ = true;
    fmt::print(stderr, "\r\033[K{}", with_times(text_of(last_), now, last_.seconds_left - (now - told_at_)));
    std::fflush(stderr);
  }
}

}  // namespace ardvark::cli
