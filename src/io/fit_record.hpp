// One Fit in a model file: a description in JSON, and arrays whose names begin with a prefix.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"

namespace ardvark::internal::io {

/// In the description if it is finite: files of before have none, and their marginals are normal.
inline constexpr const char* student_degrees = "student_degrees";
inline constexpr const char* added_covariance = "added_covariance";  ///< true: the factor has U
inline constexpr const char* deviance = "deviance";                  ///< of a fit of counts
inline constexpr const char* exposure = "exposure";                  ///< of a fit of counts

/// Everything except arrays and the names of the columns.
[[nodiscard]] Json describe(const Fit& fit);
/// Without the bounds, because JSON has no infinity.
[[nodiscard]] Json describe(const Report& report);
/// The fit must hold a posterior, and must exist until the file is written.
void add_arrays(SafetensorsWriter& file, const std::string& prefix, const Fit& fit);

// Reading \throws JsonError or InvalidArgument: the file holds something else.
[[nodiscard]] Fit read_fit(const SafetensorsReader& file, const std::string& prefix, const Json& description,
                           std::vector<std::string> column_names);
[[nodiscard]] Status status_from(const Json& name, const std::string& path);
[[nodiscard]] Report read_report(const Json& description, const std::string& path);

/// \throws InvalidArgument  always: the file is not a model file, and why
[[noreturn]] void fail_model(const std::string& path, const std::string& why);
/// \throws InvalidArgument  always: the array of this name holds an invalid number
[[noreturn]] void fail_damaged(const std::string& path, const std::string& name);
template <typename Array>
Array checked_finite(Array array, const std::string& name, const std::string& path) {
  if (!array.allFinite()) fail_damaged(path, name);
  return array;
}

/// A share or a probability, in [0, 1]. Values of earlier programs can exceed 1 by 2e-16 through rounding, but not by more.
/// \throws InvalidArgument  the value is not in the range; names `what`
[[nodiscard]] double checked_share(double value, const char* what, const std::string& path);
/// A number of sweeps. \throws InvalidArgument  no fit can have so many
[[nodiscard]] int checked_count(const Json& number, const std::string& path);
[[nodiscard]] bool has_repeats(std::vector<Index> indices);

inline constexpr std::initializer_list<PriorKind> all_priors = {PriorKind::automatic, PriorKind::shared, PriorKind::ard,
                                                                PriorKind::groups,    PriorKind::none,   PriorKind::laplace,
                                                                PriorKind::sparse,    PriorKind::slab,   PriorKind::dense};

/// The file holds the name of every enum value.
template <typename Enum>
Enum from_name(const Json& name, std::initializer_list<Enum> values, const std::string& path) {
  const std::string& text = name.text();
  for (Enum value : values)
    if (text == to_string(value)) return value;
  fail_model(path, "'" + text + "' is unknown to this program");
}

}  // namespace ardvark::internal::io
