// The fits to completed tables as one fit, whose posterior is a mixture.                              docs/math/missing.md (MI.4), (MI.5)
#pragma once

#include <vector>

#include "frame/frame.hpp"

namespace ardvark::internal {

struct Combined {
  Fit fit;
  Vector missing_information;  ///< [p] (MI.5)
};

/// \param fits   to tables in the units of `frame`, made without scaling; each holds a posterior and its covariance
/// \param frame  columns, target and options of the caller; its target is not read
[[nodiscard]] Combined combined(const std::vector<Fit>& fits, const Frame& frame);

}  // namespace ardvark::internal
