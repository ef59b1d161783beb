// What the option table says of the options of a fit: where one cannot be used, which values it takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// What the options say that the fit is of: model, prior, preset.
[[nodiscard]] FitCases cases_of(const ModelOptions& options);

/// An option that cannot be used, in the spelling of the interface: "--solver qr" "needs a dense X"
/// " (--solver may be automatic, ...)".
struct Refused {
  std::string argument, value;  // "--solver", "qr"
  std::string what, why, otherwise;
};
/// The first option that was given and cannot be used in one of these cases. Of the forms of the rows:
/// that has another value than its default, or a word that cannot be used there. A number without a
/// default is given if it has a value.
[[nodiscard]] std::optional<Refused> refused_in(const ModelOptions& options, FitCases cases);
/// \throws InvalidArgument  there is one
void refuse_in(const ModelOptions& options, FitCases cases);

/// The words that an option may be in these cases, in alphabetical order.
[[nodiscard]] std::vector<std::string> words_of(const ModelOption& option, FitCases cases);
/// Whether the option table says that an option cannot be this word in one of these cases.
[[nodiscard]] bool is_refused(std::string_view option, std::string_view word, FitCases cases);

/// The models and priors among the cases, and the forms of the rows as "statistics", "passes",
/// "many rows in passes", "sparse X".
[[nodiscard]] std::vector<std::string> names_of_cases(FitCases cases);

/// Whether X is mostly zeros, because texts have many levels, and the fit takes it as sparse columns with the numbers of a dense one. A
/// small X stays dense: there is nothing to save.
[[nodiscard]] bool is_better_sparse(Index num_rows, const FeatureEncoding& encoding, const ModelOptions& options);

/// \throws InvalidArgument  a number is out of the range of its option
void check_ranges(const ModelOptions& options);
void check_range(const ModelOptions& options, const ModelOption& option);

}  // namespace ardvark::internal
