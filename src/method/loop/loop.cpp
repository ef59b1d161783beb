#include "method/loop/loop.hpp"

#include <fmt/format.h>

namespace ardvark::internal {

void LoopBook::record(double bound, double seconds, LoopOutcome& out) {
  ++out.sweeps;
  active.record(out.sweeps);
  out.bound = bound;
  out.bound_history.push_back(bound);
  if (settings_.on_sweep && !settings_.on_sweep({out.sweeps, bound, seconds}))
    end(out, Status::stopped_by_user,
        fmt::format("stopped by the caller after {} {}; {} was {:.6f}", out.sweeps, out.sweeps == 1 ? "sweep" : "sweeps", words_.bound,
                    bound));
}

void LoopBook::finish(bool as_at_the_end, LoopOutcome& out) {
  out.expected = active.expected();
  out.pruned = active.pruned();
  out.pruning = active.events();
  out.history = active.history(out.sweeps, as_at_the_end);
}

void LoopBook::converge(double remaining, LoopOutcome& out) const {
  const std::string outside =
      settings_.pruning.readmit_every > 0 ? fmt::format(", and no {} outside the model would raise {}", words_.column, words_.bound) : "";
  end(out, Status::converged,
      fmt::format("converged after {} sweeps: the predicted gain of the next steps of {} is {:.2g} nats (allowed: {:.2g}){}", out.sweeps,
                  words_.steps, remaining, settings_.allowed(), outside));
}

void LoopBook::stop_after_all_sweeps(double promised, LoopOutcome& out) const {
  if (out.sweeps < settings_.max_sweeps) return;
  const bool quiet = is_quiet(promised);
  end(out, quiet ? Status::converged : Status::max_sweeps,
      fmt::format("made {} sweeps, as requested, because the published program has no convergence test; the predicted gain of the next "
                  "one is {:.2g} nats ({} {:.2g})",
                  out.sweeps, promised, quiet ? "converged; allowed:" : "not converged; allowed:", settings_.allowed()));
}

}  // namespace ardvark::internal
