// The model of a fit that names none: what its target suggests.
#pragma once

#include <string>

#include "fit.hpp"

namespace ardvark::cli {

/// Chooses a model, unless one or a preset is given: logistic for texts, for true and false, and for two different values; linear for
/// other numbers. Of numbers, it reads only as many rows as decide.
/// \return  what to say of the choice, with the command that names it; empty: nothing was chosen
/// \throws InvalidArgument  the target does not tell, or the options are none of the model that it tells; the message names --model
[[nodiscard]] std::string choose_model(FitArguments& args);

}  // namespace ardvark::cli
