// Which columns a result lists: JSON of a million columns is for nobody.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark::internal {

/// All columns, or, of more than 5000, those that the fit keeps, those of credible sets, and the 1000 largest effects.
class ListedColumns {
 public:
  ListedColumns(const Fit& fit, bool all);
  ListedColumns(const SoftmaxFit& fit, bool all);

  [[nodiscard]] bool are_all() const { return are_all_; }
  [[nodiscard]] Index num_columns() const { return num_columns_; }               ///< of the fit
  [[nodiscard]] const std::vector<Index>& positions() const { return listed_; }  ///< ascending; if they are not all

  /// Their entries; what stands behind the columns, the intercept, stays.
  [[nodiscard]] Vector of(const Vector& v) const { return are_all_ ? v : Vector(rows_of(v)); }
  [[nodiscard]] Matrix rows_of(const Matrix& m) const;
  [[nodiscard]] std::vector<std::string> of(const std::vector<std::string>& names) const;
  [[nodiscard]] std::vector<bool> of(std::vector<bool> flags) const;  ///< [p] false where a column is not listed
  [[nodiscard]] std::vector<Index> of(const std::vector<Index>& numbers) const;
  [[nodiscard]] bool lists(Index column) const;  ///< true of what stands behind the columns

 private:
  void list(std::vector<Index> columns);

  Index num_columns_;
  bool are_all_;
  std::vector<Index> listed_;
};

/// The groups of the columns that are listed, numbered from 0, and the numbers that these groups had.
[[nodiscard]] std::pair<std::vector<Index>, std::vector<Index>> listed_groups(const ListedColumns& columns,
                                                                              const std::vector<Index>& group);

}  // namespace ardvark::internal
