// k-hat of several machines.                                                                                  docs/math/khat.md (KHAT.4)
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ardvark/diagnose.hpp"

namespace ardvark::internal {

/// The diagnosis of the machine with the largest k-hat. If a machine has none and sets `why_not`, its empty diagnosis.
[[nodiscard]] Diagnosis largest_khat(std::size_t num_machines, const std::function<Diagnosis(std::size_t)>& diagnosis_of,
                                     const std::string& why_not);

}  // namespace ardvark::internal
