#include "frame/class_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/errors.hpp"

namespace ardvark {
namespace {

std::string text_of(double label) { return fmt::format("{}", label); }

// The two labels, ascending. `signs`: they are -1 and 1, of which one may be absent, as under a proper prior of every column it may.
std::pair<double, double> two_labels(VectorView labels, bool signs) {
  double low = labels[0], high = labels[0];
  for (double label : labels) low = std::min(low, label), high = std::max(high, label);
  if (low == high && signs && std::abs(low) == 1) return {-1, 1};
  if (low == high)
    throw InvalidArgument(fmt::format("labels has one class only ({}); logistic regression needs exactly two", text_of(low)));
  for (Index i = 0; i < labels.size(); ++i)
    if (labels[i] != low && labels[i] != high)
      throw InvalidArgument(
          fmt::format("labels has more than two classes ({}, {}, {}, first at row {}); logistic regression needs exactly two", text_of(low),
                      text_of(labels[i]), text_of(high), i + 1));
  return {low, high};
}

}  // namespace

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
    out.names.push_back(names.empty() ? text_of(value) : names[static_cast<std::size_t>(value)]);
  }
  for (const double label : labels) out.label.push_back(std::lower_bound(values.begin(), values.end(), label) - values.begin());
  return out;
}

TwoClasses read_two_classes(VectorView labels, const Vector& k, bool signs) {
  const auto [low, high] = two_labels(labels, signs);
  TwoClasses out{{text_of(low), text_of(high)}, Vector(labels.size())};
  for (Index i = 0; i < labels.size(); ++i) out.t[i] = labels[i] == high ? 1.0 : 0.0;
  if (!signs && (k.dot(out.t) == 0 || k.dot(out.t) == k.sum()))
    throw InvalidArgument("all rows of one class have weight zero; logistic regression needs two classes");
  return out;
}

}  // namespace ardvark
