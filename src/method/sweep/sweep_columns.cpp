// Columns that leave the model and come back.                                                          docs/math/slr.md (SLR.2), (SLR.3)
#include <fmt/format.h>

#include <algorithm>

#include "ardvark/errors.hpp"
#include "method/sweep/sweep_loop.hpp"

namespace ardvark::internal {

bool Sweep::change_columns() {
  look_outside();
  if (!book_.active.will_change()) return true;
  if (!book_.active.apply(q_.w)) {
    end(Status::converged, fmt::format("no column is left after {} sweeps", out_.sweeps));
    return false;
  }
  if (!solver_.restrict_to(book_.active.columns())) throw InternalError("this solver cannot remove columns");
  // Workspace of another size is allocated anew; new vectors are made first and then moved.                          (core/resize.hpp)
  for (Vector* v : {&a_in_, &expected_in_, &next_, &gradient_, &step_, &w_before_}) *v = Vector();
  q_.V_diagonal = Vector(Vector::Zero(q_.w.size()));
  q_.group_square = Vector(Vector::Zero(prior_.partition().num_groups()));
  q_.group_variance = Vector(q_.group_square);
  mode_search_.columns_changed();
  return true;
}

// Checks the columns outside the model, but not while the precisions still change much. If no column comes back, the number of sweeps until
// the next check doubles.                                                                                                        (SLR.2)
void Sweep::look_outside() {
  const int every = settings_.pruning.readmit_every;
  if (every == 0 || out_.sweeps < std::max(next_look_, every) || !(promised_ < 1e-3 * settings_.num_rows)) return;
  look_interval_ = readmit(3) ? every : std::max(2 * look_interval_, every);
  next_look_ = out_.sweeps + look_interval_;
}

// Brings back the column outside that would raise the bound most, at its best precision. All else is fixed.             (OPT.2), (OPT.5)
bool Sweep::readmit(int most_returns) {
  std::vector<Index> outside;
  for (Index j = 0; j < book_.active.all().num_columns(); ++j)
    if (book_.active.may_return(j, most_returns)) outside.push_back(j);
  Vector S, Q;
  if (outside.empty() || !solver_.look_outside(rows_in_, outside, q_.w, S, Q)) return false;
  double best = std::max(settings_.tolerance * settings_.num_rows, 1e-6), precision = 0;
  Index chosen = -1;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    double a = 0;
    const double gain = prior_.gain_of_adding(S[static_cast<Index>(i)], Q[static_cast<Index>(i)], likelihood_.noise_precision(), a);
    if (gain > best && a < settings_.pruning.threshold) {
      best = gain;
      precision = a;
      chosen = outside[i];
    }
  }
  if (chosen < 0) return false;
  book_.active.readmit(chosen, precision, out_.sweeps);
  return true;
}

}  // namespace ardvark::internal
