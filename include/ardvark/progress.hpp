// Who is told what a long call does, and may end it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ardvark/report.hpp"
#include "ardvark/select.hpp"

namespace ardvark {

enum class Answer {
  go_on,
  stop,   ///< a fit ends after this sweep (status = stopped_by_user); a call that has no result to return yet throws Stopped
  leave,  ///< nobody wants the result: the call throws Stopped as soon as it can
};
using ProgressCallback = std::function<Answer(const Progress&)>;

namespace internal {
class Listener;
}

/// While this object exists, the calls of this thread tell the callback what they do, also in long steps between two sweeps.
///
///     const ardvark::Listening listening([](const ardvark::Progress& p) { ...; return ardvark::Answer::go_on; });
///     options.on_sweep = listening.on_sweep();
///
/// Inside the callback, calls tell nothing. With several objects, the last one is told.
class Listening {
 public:
  /// \param seconds  in long steps, at least between two calls of the callback
  explicit Listening(ProgressCallback callback, double seconds = 0.05);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  /// The callback as FitOptions::on_sweep and as SelectionOptions::on_fit, to be called while this object exists.
  [[nodiscard]] SweepCallback on_sweep() const;
  [[nodiscard]] SelectionCallback on_fit() const;

 private:
  std::shared_ptr<internal::Listener> listener_;
  internal::Listener* before_;
  bool was_telling_;
};

/// "fitting: fold 37 of 100"
[[nodiscard]] std::string text_of(const Progress& progress);
/// "fitting: fold 37 of 100, 12 s, about 20 s left". \param seconds_left  NaN: not known
[[nodiscard]] std::string with_times(const std::string& text, double elapsed_seconds, double seconds_left);

}  // namespace ardvark
