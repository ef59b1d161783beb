// A table as text.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/text.hpp"

namespace ardvark::internal::io {

/// Lines of cells. All columns but the first are right-aligned. Cells beyond the columns of the first line follow at the end of their line.
class Cells {
 public:
  explicit Cells(std::vector<std::string> titles) : num_columns_(titles.size()) { add(std::move(titles)); }
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths(num_columns_, 9);
    widths[0] = 0;
    for (const auto& line : lines_)
      for (std::size_t j = 0; j < std::min(line.size(), num_columns_); ++j) widths[j] = std::max(widths[j], width(line[j]));
    std::string out = "\n";
    for (const auto& line : lines_) {
      std::string shown;
      for (std::size_t j = 0; j < line.size(); ++j) {
        const std::string blanks(j < num_columns_ ? widths[j] - width(line[j]) : 0, ' ');
        shown += j == 0 ? "  " + line[j] + blanks : "  " + blanks + line[j];
      }
      shown.erase(shown.find_last_not_of(' ') + 1);
      out += shown + '\n';
    }
    return out;
  }

 private:
  std::size_t num_columns_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace ardvark::internal::io
