// Labels as the caller numbers them, to classes 0 .. C-1 with their names.
#pragma once

#include <string>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark {

struct ClassLabels {
  std::vector<std::string> names;  ///< [C] in the order of the labels
  std::vector<Index> label;        ///< [n] of each row, 0 .. C-1
};

/// \param names  of the labels 0, 1, ..; empty: the numbers themselves
/// \throws InvalidArgument  one class only, or a label without a name
[[nodiscard]] ClassLabels read_classes(VectorView labels, const std::vector<std::string>& names);

struct TwoClasses {
  std::vector<std::string> names;  ///< the two labels, ascending
  Vector t;                        ///< [n] 1: the second
};

/// \param k      observation weights
/// \param signs  labels are -1 and 1, of which one may be absent
/// \throws InvalidArgument  any other number of classes
[[nodiscard]] TwoClasses read_two_classes(VectorView labels, const Vector& k, bool signs);

}  // namespace ardvark
