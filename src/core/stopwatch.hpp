// Measures seconds since its construction.
#pragma once

#include <chrono>

namespace ardvark::internal {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_ = Clock::now();
};

}  // namespace ardvark::internal
