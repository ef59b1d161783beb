// What a model file holds: of each kind of fit a description in JSON, and arrays, whose names may begin with a prefix.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "ardvark/effects.hpp"
#include "ardvark/fit.hpp"
#include "ardvark/impute.hpp"
#include "ardvark/kernel_machine.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"
#include "io/json.hpp"
#include "io/many_columns.hpp"
#include "io/safetensors.hpp"
#include "posterior/mixture.hpp"

namespace ardvark::internal::io {

/// In the description if it is finite: files of before have none, and their marginals are normal.
inline constexpr const char* student_degrees = "student_degrees";
inline constexpr const char* added_covariance = "added_covariance";  ///< true: the factor has U
inline constexpr const char* deviance = "deviance";                  ///< of a fit of counts
inline constexpr const char* family_key = "family";                  ///< its parameter, or what it was chosen from
inline constexpr const char* exposure = "exposure";                  ///< of a fit of counts
inline constexpr const char* offset_column = "offset_column";        ///< the same
inline constexpr const char* has_row_offset = "has_row_offset";      ///< the same

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

/// Of the arrays of one of several machines, which are counted from 0 here and from 1 in the file.
[[nodiscard]] inline std::string prefix_of_machine(std::size_t machine) { return fmt::format("machine{}.", machine + 1); }

// The same of the other fits, and of what is part of a fit. A fit must exist until the file is written.
[[nodiscard]] Json describe(const SoftmaxFit& fit);
void add_arrays(SafetensorsWriter& file, const SoftmaxFit& fit);
[[nodiscard]] SoftmaxFit read_softmax(const SafetensorsReader& file, const Json& description, std::vector<std::string> column_names);

/// \throws InvalidArgument  a kernel that cannot be stored
[[nodiscard]] Json describe(const RelevanceFit& fit);
/// Each machine must hold a posterior.
void add_arrays(SafetensorsWriter& file, const RelevanceFit& fit);
[[nodiscard]] RelevanceFit read_relevance(const SafetensorsReader& file, const Json& description, std::vector<std::string> input_names);

[[nodiscard]] Json describe(const KernelFit& fit);
void add_arrays(SafetensorsWriter& file, const KernelFit& fit);
[[nodiscard]] KernelFit read_kernel_fit(const SafetensorsReader& file, const Json& description, std::vector<std::string> input_names);
[[nodiscard]] Json to_json(const KernelSpec& spec);
/// \throws InvalidArgument  it is no kernel of points with d inputs
[[nodiscard]] Kernel read_kernel(const Json& description, Index d, const std::string& path);

[[nodiscard]] Json describe(const Imputation& imputation);
void add_arrays(SafetensorsWriter& file, const Imputation& imputation);
/// For the columns that this encoding makes. \throws InvalidArgument  sizes do not fit together, or numbers are invalid
[[nodiscard]] Imputation read_imputation(const SafetensorsReader& file, const Json& description, const FeatureEncoding& encoding);

[[nodiscard]] Json describe(const SparseResult& sparse);
[[nodiscard]] Json describe(const Effects& effects);
/// Of a fit to genotypes.
[[nodiscard]] Json describe(const VariantAlleles& alleles);
/// \param encoding  of all columns, the variants first
/// \throws InvalidArgument  they name a column that is no variant, or one twice; an allele is not there
[[nodiscard]] VariantAlleles read_alleles(const Json& description, const FeatureEncoding& encoding, const std::string& path);
[[nodiscard]] Effects read_effects(const Json& description, Index num_columns, const std::string& path);
/// \param inclusion  [p], stored as an array of its own. \throws InvalidArgument  the description is invalid
[[nodiscard]] SparseResult read_sparse(const Json& description, Vector inclusion, const std::string& path);
[[nodiscard]] Json describe(const Mixture& mixture);
void add_arrays(SafetensorsWriter& file, const std::string& prefix, const Mixture& mixture);
/// For a design with so many columns. \throws InvalidArgument  sizes do not fit together, or numbers are invalid
[[nodiscard]] Mixture read_mixture(const SafetensorsReader& file, const std::string& prefix, const Json& description, Index num_columns);

/// \throws InvalidArgument  always: the file is not a model file, and why
[[noreturn]] void fail_model(const std::string& path, const std::string& why);
/// \throws InvalidArgument  always: the array of this name holds an invalid number
[[noreturn]] void fail_damaged(const std::string& path, const std::string& name);
template <typename Array>
Array checked_finite(Array array, const std::string& name, const std::string& path) {
  if (!array.allFinite()) fail_damaged(path, name);
  return array;
}

/// The part of a file under a prefix: arrays of a given size, and the error if they have another.
struct RecordReader {
  const SafetensorsReader& file;
  std::string prefix = {};

  [[nodiscard]] const std::string& path() const { return file.path(); }
  [[noreturn]] void fail(const std::string& what) const { fail_model(path(), what + " has the wrong size"); }
  [[nodiscard]] Vector vector(const std::string& name, Index size, bool may_be_empty = false) const {
    Vector v = vector_of_entries(file, prefix + name, size);
    if (v.size() != size && !(may_be_empty && v.size() == 0)) fail(prefix + name);
    return v;
  }
  [[nodiscard]] Vector finite_vector(const std::string& name, Index size, bool may_be_empty = false) const {
    return checked_finite(vector(name, size, may_be_empty), prefix + name, path());
  }
  [[nodiscard]] Matrix finite_matrix(const std::string& name) const {
    return checked_finite(file.matrix(prefix + name), prefix + name, path());
  }
};

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
