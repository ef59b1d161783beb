#include "method/spike_slab/column_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/products.hpp"
#include "method/spike_slab/subset_posterior.hpp"

namespace ardvark::internal {
namespace {

constexpr double least_correlation = 0.5;
constexpr double correlation_error = 1e-3;  // error of a correlation in single precision: at most 6e-8 m, for m up to 16,000
constexpr double grains = 0x1p30;
constexpr Index panel = products::tile_width;

// Computes the correlations of columns with later ones, a panel at a time, and makes blocks from them.
class Blocks {
 public:
  Blocks(const ReducedRows& rows, const std::vector<Index>& order)
      : rows_(rows), order_(order), is_free_(order.size(), true), length_(rows.size()) {
    const double m = static_cast<double>(rows.rank()), p = static_cast<double>(rows.size());
    threads_ = blas::threads_for(0.25 * m * p * std::min(m, p));
    products::tiles(rows.size(), threads_, [&](Index first, Index count) {
      length_.segment(first, count) = rows.Z().middleCols(first, count).colwise().norm().transpose();
    });
    if (!rows.near) return;
    place_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place_[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  }

  std::vector<std::vector<Index>> take() {
    const Index p = rows_.size(), openers = std::min(p, rows_.rank());
    std::vector<std::vector<Index>> blocks;
    for (Index first = 0; first < openers;) {
      std::vector<Index> some;  // positions in the order
      for (; first < openers && static_cast<Index>(some.size()) < panel; ++first)
        if (is_free_[static_cast<std::size_t>(first)]) some.push_back(first);
      if (some.empty()) break;
      const std::vector<std::vector<Index>> near = candidates(some);
      for (std::size_t i = 0; i < some.size(); ++i)
        if (is_free_[static_cast<std::size_t>(some[i])])
          if (std::vector<Index> block = block_of(some[i], near[i]); block.size() > 1) blocks.push_back(std::move(block));
    }
    return blocks;
  }

 private:
  // Reads these columns, scaled to length one. A column of zeros stays zero.
  void read(const std::vector<Index>& places, std::vector<float>& out) const {
    const Index m = rows_.rank();
    out.resize(places.size() * static_cast<std::size_t>(m));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Index j = order_[static_cast<std::size_t>(places[i])];
      const double unit = length_[j] > 0 ? 1 / length_[j] : 0;
      Eigen::Map<Eigen::VectorXf>(out.data() + static_cast<Index>(i) * m, m) = (unit * rows_.Z().col(j)).cast<float>();
    }
  }

  [[nodiscard]] std::vector<Index> candidates_of(Index opener) const {
    const Index j = order_[static_cast<std::size_t>(opener)];
    std::vector<Index> near;
    for (Index place = opener + 1; place < rows_.size(); ++place) {
      const Index l = order_[static_cast<std::size_t>(place)];
      if (is_free_[static_cast<std::size_t>(place)] &&
          std::abs((*rows_.gram)(l, j)) > (least_correlation - correlation_error) * length_[j] * length_[l])
        near.push_back(place);
    }
    return near;
  }

  // The same from the columns that are known to be near each one.
  [[nodiscard]] std::vector<Index> known_candidates_of(Index opener) const {
    std::vector<Index> near;
    for (const Index l : (*rows_.near)[static_cast<std::size_t>(order_[static_cast<std::size_t>(opener)])])
      if (const Index place = place_[static_cast<std::size_t>(l)]; place > opener && is_free_[static_cast<std::size_t>(place)])
        near.push_back(place);
    return near;
  }

 public:
  // For each of these positions, the later free ones that may be correlated enough.
  [[nodiscard]] std::vector<std::vector<Index>> candidates(const std::vector<Index>& some) {
    std::vector<std::vector<Index>> near(some.size());
    if (rows_.near) {
      for (std::size_t i = 0; i < some.size(); ++i) near[i] = known_candidates_of(some[i]);
      return near;
    }
    if (rows_.gram) {
      for (std::size_t i = 0; i < some.size(); ++i) near[i] = candidates_of(some[i]);
      return near;
    }
    const Index m = rows_.rank(), p = rows_.size(), count = static_cast<Index>(some.size());
    std::vector<float> left;
    read(some, left);
    std::vector<Index> others;
    for (Index place = some.front(); place < p; ++place)
      if (is_free_[static_cast<std::size_t>(place)]) others.push_back(place);
    const Index panels = (static_cast<Index>(others.size()) + panel - 1) / panel;
    std::vector<std::vector<std::pair<std::size_t, Index>>> found(static_cast<std::size_t>(panels));  // of each panel
    products::tiles(static_cast<Index>(others.size()), threads_, [&](Index first, Index width) {
      const std::vector<Index> here(others.begin() + first, others.begin() + first + width);
      std::vector<float> right, product(some.size() * here.size());
      read(here, right);
      blas::gemm(blas::Transpose::yes, blas::Transpose::no, count, width, m, 1.0F, left.data(), m, right.data(), m, 0.0F, product.data(),
                 count);
      constexpr auto least = static_cast<float>(least_correlation - correlation_error);
      for (Index l = 0; l < width; ++l) {
        const Eigen::Map<const Eigen::ArrayXf> with(product.data() + l * count, count);
        if (!(with.abs() > least).any()) continue;  // the usual case
        const Index other = here[static_cast<std::size_t>(l)];
        for (std::size_t i = 0; i < some.size(); ++i)
          if (std::abs(with[static_cast<Index>(i)]) > least && other > some[i])
            found[static_cast<std::size_t>(first / panel)].emplace_back(i, other);
      }
    });
    for (const auto& of_panel : found)
      for (const auto& [i, other] : of_panel) near[i].push_back(other);
    return near;
  }

 private:
  // The block of the most correlated columns that are still free, ties by position. They are no longer free. Columns with few different
  // values often have correlations that are equal, or one half, except for rounding. Therefore they are rounded to grains first.
  [[nodiscard]] std::vector<Index> block_of(Index opener, const std::vector<Index>& near) {
    const Index j = order_[static_cast<std::size_t>(opener)];
    std::vector<std::pair<double, Index>> found;
    for (const Index place : near) {
      if (!is_free_[static_cast<std::size_t>(place)]) continue;
      const Index l = order_[static_cast<std::size_t>(place)];
      const double alike = std::round(grains * std::abs(rows_.Z().col(j).dot(rows_.Z().col(l))) / (length_[j] * length_[l]));
      if (alike > grains * least_correlation) found.emplace_back(-alike, place);
    }
    std::sort(found.begin(), found.end());
    if (static_cast<Index>(found.size()) > most_in_block - 1) found.resize(static_cast<std::size_t>(most_in_block - 1));
    std::vector<Index> block = {j};
    is_free_[static_cast<std::size_t>(opener)] = false;
    for (const auto& [alike, place] : found) {
      is_free_[static_cast<std::size_t>(place)] = false;
      block.push_back(order_[static_cast<std::size_t>(place)]);
    }
    std::sort(block.begin(), block.end());
    return block;
  }

  const ReducedRows& rows_;
  const std::vector<Index>& order_;
  std::vector<bool> is_free_;  // by position in the order
  std::vector<Index> place_;   // of each column in the order, if the rows know which columns are near
  Vector length_;
  Index threads_ = 1;
};

}  // namespace

std::shared_ptr<const NearColumns> near_columns(const ReducedRows& rows) {
  constexpr Index most = 64;  // pairs for each column: with more, the list may be as large as the table
  const Index p = rows.size();
  std::vector<Index> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), Index{0});
  Blocks blocks(rows, order);
  auto out = std::make_shared<NearColumns>(static_cast<std::size_t>(p));
  Index count = 0;
  for (Index first = 0; first < p; first += panel) {
    const std::vector<Index> some(order.begin() + first, order.begin() + std::min(first + panel, p));
    const std::vector<std::vector<Index>> later = blocks.candidates(some);
    for (std::size_t i = 0; i < some.size(); ++i)
      for (const Index l : later[i]) {
        (*out)[static_cast<std::size_t>(some[i])].push_back(l);
        (*out)[static_cast<std::size_t>(l)].push_back(some[i]);
        if (++count > most * p) return nullptr;
      }
  }
  return out;
}

ColumnSets::ColumnSets(std::vector<Index> columns, std::vector<Index> begin, Indicators indicators)
    : columns_(std::move(columns)), begin_(std::move(begin)), set_of_(columns_.size()), indicators_(indicators) {
  covariance_begin_.push_back(0);
  for (Index set = 0; set < size(); ++set) {
    const std::span<const Index> members = columns_of(set);
    for (const Index j : members) set_of_[static_cast<std::size_t>(j)] = set;
    const auto count = static_cast<Index>(members.size());
    covariance_begin_.push_back(covariance_begin_.back() + (count > 1 ? count * count : 0));
    largest_ = std::max(largest_, count);
  }
}

std::vector<Index> ColumnSets::in_order_of(std::span<const Index> units) const {
  if (has_one_indicator()) return {units.begin(), units.end()};
  std::vector<Index> order;
  std::vector<bool> is_in(static_cast<std::size_t>(size()), false);
  for (const Index j : units)
    if (const Index set = set_of(j); !is_in[static_cast<std::size_t>(set)]) {
      is_in[static_cast<std::size_t>(set)] = true;
      order.push_back(set);
    }
  return order;
}

ColumnSets groups_of(const PenalisedColumns& which) {
  std::vector<Index> columns(static_cast<std::size_t>(which.size()));
  std::iota(columns.begin(), columns.end(), Index{0});
  const bool single = which.num_groups() == which.size();
  return {std::move(columns), which.begin, single ? ColumnSets::Indicators::of_each_column : ColumnSets::Indicators::one};
}

ColumnSets correlated_blocks(const ReducedRows& rows, const std::vector<Index>& order) {
  std::vector<std::vector<Index>> blocks = Blocks(rows, order).take();
  std::vector<bool> is_in(static_cast<std::size_t>(rows.size()), false);
  for (const std::vector<Index>& block : blocks)
    for (const Index j : block) is_in[static_cast<std::size_t>(j)] = true;
  for (Index j = 0; j < rows.size(); ++j)
    if (!is_in[static_cast<std::size_t>(j)]) blocks.push_back({j});
  std::sort(blocks.begin(), blocks.end());  // by first column; without blocks, in the order of the columns
  std::vector<Index> columns, begin = {0};
  for (const std::vector<Index>& block : blocks) {
    columns.insert(columns.end(), block.begin(), block.end());
    begin.push_back(static_cast<Index>(columns.size()));
  }
  return {std::move(columns), std::move(begin), ColumnSets::Indicators::of_each_column};
}

}  // namespace ardvark::internal
