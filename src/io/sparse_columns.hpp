// Sparse columns from entries in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "io/matrix_file.hpp"

namespace ardvark::internal::io {

/// Columns, and how many entries were added to another one of their place.
struct ColumnsFound {
  SparseColumns columns;
  Index num_added = 0;
};

namespace columns {

template <typename Place, typename Value>
struct Arrays {
  std::vector<Place> start, row;
  std::vector<Value> value;
};

/// Sorts the entries from `begin` to `end` by their rows; equal rows stay in their order.
template <typename Place, typename Value>
void sort_rows(Arrays<Place, Value>& to, std::size_t begin, std::size_t end, std::vector<std::pair<Place, Value>>& room) {
  room.clear();
  for (std::size_t i = begin; i < end; ++i) room.emplace_back(to.row[i], to.value[i]);
  std::stable_sort(room.begin(), room.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = begin; i < end; ++i) std::tie(to.row[i], to.value[i]) = room[i - begin];
}

/// Adds entries of the same place, and moves the others together. \returns how many were added
template <typename Place, typename Value>
Index add_equal_places(Arrays<Place, Value>& to) {
  std::size_t written = 0, begin = 0;
  for (std::size_t j = 0; j + 1 < to.start.size(); ++j) {
    const auto end = static_cast<std::size_t>(to.start[j + 1]);
    const std::size_t first = written;
    for (std::size_t i = begin; i < end; ++i) {
      if (written > first && to.row[written - 1] == to.row[i]) {
        to.value[written - 1] = static_cast<Value>(to.value[written - 1] + to.value[i]);
      } else {
        to.row[written] = to.row[i];
        to.value[written++] = to.value[i];
      }
    }
    to.start[j + 1] = static_cast<Place>(written);
    begin = end;
  }
  const auto added = static_cast<Index>(to.row.size() - written);
  to.row.resize(written), to.value.resize(written);
  return added;
}

/// Puts each entry into its column.
template <typename Place, typename Value>
void distribute(Arrays<Place, Value>& to, Index cols, Index entries, auto&& each) {
  to.start.assign(static_cast<std::size_t>(cols) + 1, 0);
  to.row.resize(static_cast<std::size_t>(entries));
  to.value.resize(static_cast<std::size_t>(entries));
  each([&](Index, Index col, double) { ++to.start[static_cast<std::size_t>(col) + 1]; });
  Place begin = 0;
  for (std::size_t j = 1; j < to.start.size(); ++j) begin += std::exchange(to.start[j], begin);
  each([&](Index row, Index col, double value) {
    const auto at = static_cast<std::size_t>(to.start[static_cast<std::size_t>(col) + 1]++);
    to.row[at] = static_cast<Place>(row);
    to.value[at] = static_cast<Value>(value);
  });
}

template <typename Place, typename Value>
std::optional<ColumnsFound> found_in(Index rows, Index cols, Index entries, auto&& each) {
  const auto kept = std::make_shared<Arrays<Place, Value>>();
  Arrays<Place, Value>& to = *kept;
  distribute(to, cols, entries, each);
  bool has_equal = false;
  std::vector<std::pair<Place, Value>> room;
  for (std::size_t j = 0; j + 1 < to.start.size(); ++j) {
    const auto begin = static_cast<std::size_t>(to.start[j]), end = static_cast<std::size_t>(to.start[j + 1]);
    const auto first = to.row.begin() + static_cast<std::ptrdiff_t>(begin), last = to.row.begin() + static_cast<std::ptrdiff_t>(end);
    if (!std::is_sorted(first, last)) sort_rows(to, begin, end, room);
    has_equal = has_equal || std::adjacent_find(first, last) != last;
  }
  if constexpr (!std::is_same_v<Value, double>)
    if (has_equal) return std::nullopt;  // a sum of small numbers may not be one
  ColumnsFound found;
  if (has_equal) found.num_added = add_equal_places(to);
  found.columns = {rows, cols, sizeof(Place) == 8, to.start.data(), to.row.data(), to.value.data(), scalar_type<Value>, std::move(kept)};
  return found;
}

}  // namespace columns

/// The columns of entries in any order. Those of the same place are added; then the values are double.
/// \param each  calls its argument with (row, column, value) for each of so many entries; it is called several times
template <TableScalar Value>
ColumnsFound columns_of(Index rows, Index cols, Index entries, auto&& each) {
  if (std::max(entries, rows) <= std::numeric_limits<std::int32_t>::max()) {
    if (auto found = columns::found_in<std::int32_t, Value>(rows, cols, entries, each)) return std::move(*found);
    return *columns::found_in<std::int32_t, double>(rows, cols, entries, each);
  }
  if (auto found = columns::found_in<std::int64_t, Value>(rows, cols, entries, each)) return std::move(*found);
  return *columns::found_in<std::int64_t, double>(rows, cols, entries, each);
}

/// "3 entries of 'a.mtx' have the place of another and were added to it"; empty: there are none.
[[nodiscard]] std::string note_of_added(Index num_added, const std::string& path);

}  // namespace ardvark::internal::io
