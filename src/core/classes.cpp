#include "core/classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/errors.hpp"
#include "core/refusals.hpp"

namespace ardvark::internal {
namespace {

std::string text_of(double label) { return fmt::format("{}", label); }

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Labels that may have been other numbers before they were rounded would join classes without a word.
void require_exact(VectorView labels) {
  for (Index i = 0; i < labels.size(); ++i)
    if (may_be_rounded(labels[i]))
      throw InvalidArgument({.argument = "labels",
                             .value = text_of(labels[i]),
                             .row = i + 1,
                             .why = fmt::format("{}; give the positions 0, 1, ... of the classes, and their names", why_rounded)});
}

// The two labels, ascending.
std::pair<double, double> two_labels(VectorView labels, bool signs) {
  require_exact(labels);
  double low = labels[0], high = labels[0];
  for (double label : labels) low = std::min(low, label), high = std::max(high, label);
  if (low == high && signs && std::abs(low) == 1) return {-1, 1};
  if (low == high) throw refused("labels", fmt::format("has only one class ({}); logistic regression needs exactly two", text_of(low)));
  for (Index i = 0; i < labels.size(); ++i)
    if (labels[i] != low && labels[i] != high)
      throw InvalidArgument(
          {.argument = "labels", .value = text_of(labels[i]), .row = i + 1, .why = "logistic regression needs exactly two"},
          fmt::format(" has more than two classes ({}, {}, {}, first at ", text_of(low), text_of(labels[i]), text_of(high)),
          "); logistic regression needs exactly two");
  return {low, high};
}

}  // namespace

bool may_be_rounded(double label) {
  constexpr double first = 9007199254740992;  // 2^53: it may have been 2^53 + 1
  return std::abs(label) >= first;
}

void require_names(VectorView labels, const std::vector<std::string>& names) {
  for (Index i = 0; i < labels.size() && !names.empty(); ++i)
    if (!(labels[i] >= 0 && labels[i] < static_cast<double>(names.size()) && labels[i] == std::floor(labels[i])))
      throw InvalidArgument(
          {.argument = "labels",
           .value = fmt::format("{}", labels[i]),
           .row = i + 1,
           .why = fmt::format("class_names has {} entries, so labels must be numbers from 0 to {}", names.size(), names.size() - 1)});
}

Classes read_classes(VectorView labels, VectorView k, const std::vector<std::string>& names) {
  require_names(labels, names);
  if (names.empty()) require_exact(labels);
  const auto counts = [&](Index i) { return k.empty() || k[i] > 0; };
  std::vector<double> of_rows;
  for (Index i = 0; i < labels.size(); ++i)
    if (counts(i)) of_rows.push_back(labels[i]);
  Classes out;
  out.labels = distinct(std::move(of_rows));
  for (const double label : out.labels) out.names.push_back(names.empty() ? text_of(label) : names[static_cast<std::size_t>(label)]);
  if (out.size() < 2)
    throw refused("labels",
                  fmt::format("has only one class ({}); a classification needs at least two", out.names.empty() ? "" : out.names.front()));
  out.num_rows.assign(out.labels.size(), 0);
  out.weight = Vector::Zero(out.size());
  for (Index i = 0; i < labels.size(); ++i) {
    if (!counts(i)) {
      out.number.push_back(-1);
      continue;
    }
    const Index c = std::lower_bound(out.labels.begin(), out.labels.end(), labels[i]) - out.labels.begin();
    out.number.push_back(c);
    ++out.num_rows[static_cast<std::size_t>(c)];
    out.weight[c] += k.empty() ? 1 : k[i];
  }
  return out;
}

// Up to three different labels are enough to know whether there are more than two.
Index count_classes(VectorView labels) {
  std::vector<double> seen;
  for (const double label : labels) {
    if (std::find(seen.begin(), seen.end(), label) != seen.end()) continue;
    seen.push_back(label);
    if (seen.size() > 2) return static_cast<Index>(distinct({labels.begin(), labels.end()}).size());
  }
  return static_cast<Index>(seen.size());
}

TwoClasses read_two_classes(VectorView labels, const Vector& k, bool signs) {
  const auto [low, high] = two_labels(labels, signs);
  TwoClasses out{{text_of(low), text_of(high)}, Vector(labels.size())};
  for (Index i = 0; i < labels.size(); ++i) out.t[i] = labels[i] == high ? 1.0 : 0.0;
  if (!signs && (k.dot(out.t) == 0 || k.dot(out.t) == k.sum()))
    throw InvalidArgument("all rows of one class have weight zero; logistic regression needs two classes");
  return out;
}

}  // namespace ardvark::internal
