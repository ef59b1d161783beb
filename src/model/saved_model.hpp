// What every kind of saved model has.
#pragma once

#include <string>
#include <vector>

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// The names of the columns of the table.
[[nodiscard]] const std::vector<std::string>& names_of(const SavedModel& model);

}  // namespace ardvark::internal
