// Tables for the program: CSV texts, and what they hold.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::testing {

using Numbers = std::vector<double>;
inline Numbers numbers(const Vector& v) { return {v.begin(), v.end()}; }

struct Sample {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor X;     // [n,p], columns x1, x2, ..., as a table lies in memory: sums then have the same bits
  Vector y;       // [n]
  Vector labels;  // [n] 0 or 1

  [[nodiscard]] MatrixView view() const { return {X.data(), X.rows(), X.cols(), Layout::row_major}; }

  /// x1, ..., xp, then y and label, each with the digits that bring it back.
  [[nodiscard]] std::string csv() const {
    std::string text;
    for (Index j = 0; j < X.cols(); ++j) text += fmt::format("x{},", j + 1);
    text += "y,label\n";
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index j = 0; j < X.cols(); ++j) text += fmt::format("{},", X(i, j));
      text += fmt::format("{},{}\n", y[i], labels[i]);
    }
    return text;
  }
};

/// The first three columns matter; columns differ in place and scale, both labels occur.
inline Sample sample(Index n, Index p, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Sample s{Sample::RowMajor(n, p), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    double m = 0.3;
    for (Index j = 0; j < p; ++j) {
      const double z = normal(random);
      s.X(i, j) = static_cast<double>(j % 4) + (1.0 + static_cast<double>(j % 3)) * z;
      if (j < 3) m += (j == 1 ? -1.0 : 1.5) * z;
    }
    s.y[i] = 5 + 2 * m + normal(random);
    s.labels[i] = m + normal(random) > 0 ? 1 : 0;
  }
  s.labels[0] = 0;
  s.labels[n - 1] = 1;
  return s;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The fields of a line without quotes.
inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

/// One column of a CSV text without quotes.
inline std::vector<double> column(const std::string& csv, const std::string& name) {
  const std::vector<std::string> lines = lines_of(csv), names = fields_of(lines.at(0));
  const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  std::vector<double> values;
  for (std::size_t i = 1; i < lines.size(); ++i) values.push_back(std::stod(fields_of(lines[i]).at(place)));
  return values;
}

}  // namespace ardvark::testing
