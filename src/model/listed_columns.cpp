#include "model/listed_columns.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/summary_text.hpp"

namespace ardvark::internal {
namespace {

constexpr Index most_columns = 5000, most_effects = 1000;

void add_kept(const std::vector<bool>& relevant, std::vector<Index>& columns) {
  for (std::size_t j = 0; j < relevant.size(); ++j)
    if (relevant[j]) columns.push_back(static_cast<Index>(j));
}

// By the class in which it is largest.
std::vector<Index> largest_effects(const SoftmaxFit& fit, Index most) {
  Vector size(fit.num_columns());
  for (Index j = 0; j < size.size(); ++j) {
    size[j] = 0;
    for (Index c = 0; c < fit.mean.cols(); ++c)
      if (fit.variance(j, c) > 0) size[j] = std::max(size[j], std::abs(fit.mean(j, c)) / std::sqrt(fit.variance(j, c)));
  }
  return io::largest(size, most);
}

}  // namespace

ListedColumns::ListedColumns(const Fit& fit, bool all) : num_columns_(fit.num_columns()), are_all_(all || num_columns_ <= most_columns) {
  if (are_all_) return;
  std::vector<Index> columns = io::largest_effects(fit, most_effects);
  if (io::judges_columns(fit)) add_kept(fit.relevant, columns);
  if (fit.sparse)
    for (const CredibleSet& set : fit.sparse->sets) columns.insert(columns.end(), set.columns.begin(), set.columns.end());
  list(std::move(columns));
}

ListedColumns::ListedColumns(const SoftmaxFit& fit, bool all)
    : num_columns_(fit.num_columns()), are_all_(all || num_columns_ <= most_columns) {
  if (are_all_) return;
  std::vector<Index> columns = largest_effects(fit, most_effects);
  if (io::judges_columns(fit)) add_kept(fit.relevant, columns);
  list(std::move(columns));
}

void ListedColumns::list(std::vector<Index> columns) {
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  listed_ = std::move(columns);
}

bool ListedColumns::lists(Index column) const { return are_all_ || column >= num_columns_ || std::ranges::binary_search(listed_, column); }

Matrix ListedColumns::rows_of(const Matrix& m) const {
  if (are_all_ || m.rows() < num_columns_) return m;
  const auto count = static_cast<Index>(listed_.size()), behind = m.rows() - num_columns_;
  Matrix out(count + behind, m.cols());
  for (Index i = 0; i < count; ++i) out.row(i) = m.row(listed_[static_cast<std::size_t>(i)]);
  out.bottomRows(behind) = m.bottomRows(behind);
  return out;
}

std::vector<std::string> ListedColumns::of(const std::vector<std::string>& names) const {
  if (are_all_) return names;
  std::vector<std::string> out;
  for (const Index j : listed_) out.push_back(names[static_cast<std::size_t>(j)]);
  return out;
}

std::vector<bool> ListedColumns::of(std::vector<bool> flags) const {
  for (std::size_t j = 0; !are_all_ && j < flags.size(); ++j) flags[j] = flags[j] && lists(static_cast<Index>(j));
  return flags;
}

std::vector<Index> ListedColumns::of(const std::vector<Index>& numbers) const {
  if (are_all_) return numbers;
  std::vector<Index> out;
  for (const Index j : listed_) out.push_back(numbers[static_cast<std::size_t>(j)]);
  return out;
}

std::pair<std::vector<Index>, std::vector<Index>> listed_groups(const ListedColumns& columns, const std::vector<Index>& group) {
  std::vector<Index> of_columns = columns.of(group), used;
  std::ranges::copy_if(of_columns, std::back_inserter(used), [](Index g) { return g >= 0; });
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (Index& g : of_columns)
    if (g >= 0) g = std::ranges::lower_bound(used, g) - used.begin();
  return {std::move(of_columns), std::move(used)};
}

}  // namespace ardvark::internal
