#include "io/column_unit.hpp"

#include <algorithm>

#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"
#include "target/target.hpp"

namespace ardvark::internal::io {
namespace {

// A column that is left out has the scale 0. Scales of 1 say that the column is used as it is.
ColumnUnit unit_of(const Vector& scale, bool has_intercept, const Report& report) {
  if (std::ranges::all_of(scale, [](double x) { return x == 0 || x == 1; })) return ColumnUnit::own;
  return report.compat ? ColumnUnit::largest : has_intercept ? ColumnUnit::deviation : ColumnUnit::mean_square;
}

}  // namespace

ColumnUnit column_unit(const Fit& fit) {
  return fit.state == nullptr ? ColumnUnit::own : unit_of(fit.state->standardization.scale, fit.intercept.has_value(), fit.report);
}

ColumnUnit column_unit(const SoftmaxFit& fit) {
  if (fit.state == nullptr) return ColumnUnit::own;
  const Vector& own = fit.state->standardization.scale;
  const bool is_in_machines = own.size() == 0 && !fit.machines.empty() && fit.machines.front().state != nullptr;
  return unit_of(is_in_machines ? fit.machines.front().state->standardization.scale : own, fit.intercept.size() > 0, fit.report);
}

std::string in_words(ColumnUnit unit, bool brief) {
  switch (unit) {
    case ColumnUnit::own: break;
    case ColumnUnit::deviation: return brief ? "sd of the column" : "standard deviation of the column";
    case ColumnUnit::mean_square: return brief ? "rms of the column" : "root mean square of the column";
    case ColumnUnit::largest: return brief ? "largest |x - mean|" : "largest distance of the column from its mean";
  }
  return "unit of the column";
}

bool has_scaled_target(const Fit& fit) { return has_noise(fit.task) && fit.state != nullptr && fit.state->y_scale != 1; }

}  // namespace ardvark::internal::io
