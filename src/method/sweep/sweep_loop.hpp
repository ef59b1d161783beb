// The class of the loop of all sweep models.                                           docs/math/bound.md, docs/math/optimum.md
#pragma once

#include <limits>

#include "core/stopwatch.hpp"
#include "method/sweep/extrapolation.hpp"
#include "method/sweep/mode_search.hpp"
#include "method/sweep/settle.hpp"
#include "method/sweep/sweep.hpp"

namespace ardvark::internal {

class Sweep {
 public:
  Sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings);
  SweepOutcome run();

 private:
  bool start();
  bool advance();  // one sweep, in the order of the settings; false: it cannot continue
  void record();
  void end_in_double();

  // The parts of a round. False: the system is not positive definite.
  bool solve();
  bool solve_inside();  // V, w from rows_in_ and a_in_
  bool solve_once();
  [[nodiscard]] double mode_tolerance() const;
  void update_likelihood();
  void update_prior();
  void polish();
  double published_start();
  void remember_state();  // the state that gave the present rows, for the stopping rule

  // Columns that leave and come back: sweep_columns.cpp
  bool change_columns();  // changes prior, solver and posterior to the columns now in the model; false: there are none
  void look_outside();
  bool readmit(int most_returns);

  // Rounds: sweep_round.cpp
  bool guarded_round();                  // never accepts a lower bound
  bool open_round();                     // for fits with pruning, or with another rule for the precisions
  bool attempt(const Vector& expected);  // q, the likelihood and the bound from the rows in target_ and these precisions
  void take_back();
  bool search_along_step(double least);  // shortens the step until the bound is at least that
  bool return_to_previous();
  void leave_single_precision();
  [[nodiscard]] double slack(double bound) const;
  [[nodiscard]] double slack() const { return slack(bound_); }
  [[nodiscard]] bool fell() const { return !(bound_ >= last_bound_ - slack()); }

  // Whether to stop, and the message: sweep_stopping.cpp
  bool done();
  void stop_as_published();
  void stop_on_remaining_gain();
  void stop_at_standstill();
  [[nodiscard]] bool runs_away() const;
  double promised_gain();
  [[nodiscard]] const char* sweeps_word() const { return out_.sweeps == 1 ? "sweep" : "sweeps"; }
  void end(Status status, std::string message) { internal::end(out_, status, std::move(message)); }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  Likelihood& likelihood_;
  PrecisionPrior& prior_;
  Solver& solver_;
  Posterior& q_;
  const SweepSettings& settings_;
  bool damped_, to_mode_, polishes_;
  Stopwatch watch_;

  Rows rows_;                              // those for the next solve
  Rows rows_in_, previous_rows_, target_;  // those that gave q; those before them; those of an attempt
  Vector a_in_, previous_a_, expected_in_, previous_expected_;
  Vector next_, fallback_;  // [groups] E[alpha]: of an attempt; used instead if the attempt lowers the bound
  double bound_ = -infinity, last_bound_ = bound_, last_gain_ = infinity;
  double published_constant_ = 0;
  SweepOutcome out_;

  LoopBook book_;
  int look_interval_ = 0, next_look_ = 0;  // sweeps
  ModeSearch mode_search_;
  Extrapolation extrapolation_;
  Settled settled_;
  bool single_ = false, just_left_ = false;  // products in single precision; left single precision in this sweep

  int num_quiet_ = 0;
  double fall_ = 0;              // by how much the last sweep lowered the bound before it was undone
  double promised_ = infinity;   // predicted gain of the next step of precisions and rows
  Vector state_in_;              // state of the likelihood that gave the present rows
  Vector state_, state_weight_;  // workspace from here on
  Vector gradient_, step_, w_before_, m_before_, response_;
};

}  // namespace ardvark::internal
