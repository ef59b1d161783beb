// Reads classes: turns the caller's labels into numbers 0 .. C-1 with names.
#pragma once

#include <string>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

struct Classes {
  std::vector<double> labels;      ///< [C] ascending
  std::vector<std::string> names;  ///< [C]
  std::vector<Index> number;       ///< [n] the class of each row; -1: a row that does not count
  std::vector<Index> num_rows;     ///< [C] rows that count
  Vector weight;                   ///< [C] sum of the weights of these rows

  [[nodiscard]] Index size() const { return static_cast<Index>(labels.size()); }
  [[nodiscard]] const std::string& name(Index c) const { return names[static_cast<std::size_t>(c)]; }
};

/// \param k      [n] observation weights: rows of weight 0 do not count; empty: every row counts, with weight 1
/// \param names  names of the labels 0, 1, ..; empty: the numbers themselves
/// \throws InvalidArgument  only one class, a label without a name, or one that may be rounded
[[nodiscard]] Classes read_classes(VectorView labels, VectorView k, const std::vector<std::string>& names);

/// Whether the label is so large that it may stand for several whole numbers, which a double does not tell apart.
[[nodiscard]] bool may_be_rounded(double label);
inline constexpr const char* why_rounded = "from 2^53 on, whole numbers that differ become one number, and so would classes";

/// \throws InvalidArgument  a label that is not a position in `names`, unless `names` is empty
void require_names(VectorView labels, const std::vector<std::string>& names);

[[nodiscard]] Index count_classes(VectorView labels);

struct TwoClasses {
  std::vector<std::string> names;  ///< the two labels, ascending
  Vector t;                        ///< [n] 1: the second class, 0: the first
};

/// \param signs  labels are -1 and 1; one of them may be absent, as every column has a proper prior
/// \throws InvalidArgument  any other number of classes
[[nodiscard]] TwoClasses read_two_classes(VectorView labels, const Vector& k, bool signs);

}  // namespace ardvark::internal
