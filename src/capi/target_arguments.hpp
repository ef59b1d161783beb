// The arguments of calls for many targets.
#pragma once

#include "capi/arguments.hpp"
#include "core/refusals.hpp"

struct ardvark_targets {
  std::shared_ptr<const ardvark::SavedTargets> saved;
};

namespace ardvark::internal::capi {

/// Memory of the caller; none for NULL. \param rows  numbers of a target
inline TargetColumns columns_of(const ardvark_columns* columns, Index rows, const char* name) {
  if (columns == nullptr) return {};
  const ardvark_columns& c = sized(columns, name, "ardvark_columns");
  if (c.stride != 0 && c.stride < rows) throw refused(name, fmt::format("has the stride {}; a target has {} numbers", c.stride, rows));
  switch (scalar_of(c.type, name)) {
    case ScalarType::float64: return {&required(static_cast<double*>(c.data), name), c.stride};
    case ScalarType::float32: return {&required(static_cast<float*>(c.data), name), c.stride};
    case ScalarType::int8: break;
  }
  throw refused(name, "has the type ARDVARK_INT8; it must be ARDVARK_FLOAT64 or ARDVARK_FLOAT32");
}

/// What a fit computes, and where. \param p  columns
inline TargetsOptions results_of(std::int32_t what, const ardvark_columns* mean, const ardvark_columns* sd,
                                 const ardvark_columns* inclusion, Index p) {
  TargetsOptions results;
  results.standard_deviations = sd != nullptr || (what & ARDVARK_TARGETS_SD) != 0;
  results.leave_one_out = (what & ARDVARK_TARGETS_LEAVE_ONE_OUT) != 0;
  results.predictions = (what & ARDVARK_TARGETS_NO_PREDICTIONS) == 0;
  results.mean = columns_of(mean, p, "mean");
  results.sd = columns_of(sd, p, "sd");
  results.inclusion = columns_of(inclusion, p, "inclusion");
  return results;
}

}  // namespace ardvark::internal::capi
