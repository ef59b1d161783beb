#include "frame/class_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/errors.hpp"

namespace ardvark {

ClassLabels read_classes(VectorView labels, const std::vector<std::string>& names) {
  std::vector<double> values(labels.begin(), labels.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() < 2)
    throw InvalidArgument(fmt::format("labels has one class only ({}); a classification needs two or more", values[0]));
  ClassLabels out;
  for (const double value : values) {
    const bool named = value >= 0 && value < static_cast<double>(names.size()) && value == std::floor(value);
    if (!names.empty() && !named)
      throw InvalidArgument(
          fmt::format("labels holds {}; with class_names it must hold numbers from 0 to {} only", value, names.size() - 1));
    out.names.push_back(names.empty() ? fmt::format("{}", value) : names[static_cast<std::size_t>(value)]);
  }
  for (const double label : labels) out.label.push_back(std::lower_bound(values.begin(), values.end(), label) - values.begin());
  return out;
}

}  // namespace ardvark
