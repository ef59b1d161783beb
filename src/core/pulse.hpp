// Long steps tell the listener of their caller that they go on, and end if it asks for that.                   ardvark/progress.hpp
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

class Listener;

namespace detail {
inline thread_local Listener* listener = nullptr;  // of the call that this thread works for
inline thread_local bool may_tell = false;         // whether the callback belongs to this thread
void pulse();
}  // namespace detail

/// Pieces of work that are counted.
struct Pieces {
  const char* name = "";  ///< empty: parts of a whole, shown as a percentage
  Index done = 0;
  Index total = 0;        ///< 0: not known
  bool alike = true;      ///< each takes about the same time, so that the time that is left can be told
  bool may_grow = false;  ///< there may be more than `total`
  bool of_step = false;   ///< of the step after those that were told, not of the whole fit
  Index rows = 0;         ///< of the table, read so far; 0: not counted
};

/// Call this in the loop of a long step. Without a listener it costs nothing. \throws Stopped
inline void pulse() {
  if (detail::listener != nullptr) detail::pulse();
}
/// Sets the stage that progress reports from now on. `stage` and the name are literals.
/// \throws Stopped
void pulse(const char* stage, const Pieces& pieces = {});

/// Whether the listener asked for an end.
[[nodiscard]] bool is_stopping();

/// While this object exists, pulses do not change what the listener is told: it is about the whole of which they are a part.
class OneStage {
 public:
  OneStage();
  ~OneStage();
  OneStage(const OneStage&) = delete;
  OneStage& operator=(const OneStage&) = delete;

 private:
  Listener* listener_ = detail::listener;
};

/// Seconds until all pieces are done, if those so far took `seconds` and the current one has taken `since` more; NaN without any.
[[nodiscard]] double seconds_for_rest(Index done, Index total, double seconds, double since = 0);

}  // namespace ardvark::internal
