#include "table/row_subset.hpp"

#include <algorithm>
#include <bit>

#include "core/numbers.hpp"

namespace ardvark::internal {
namespace {

template <typename T>
void gather_rows(const MatrixView& X, const std::vector<Index>& rows, std::vector<T>& out) {
  const T* from = static_cast<const T*>(X.data());
  out.resize(rows.size() * static_cast<std::size_t>(X.cols()));
  auto to = out.begin();
  if (X.layout() == Layout::row_major) {
    for (const Index row : rows) to = std::copy_n(from + row * X.stride(), X.cols(), to);
  } else {
    for (Index j = 0; j < X.cols(); ++j, from += X.stride())
      to = std::transform(rows.begin(), rows.end(), to, [&](Index row) { return from[row]; });
  }
}

// For each row of a table, its places among the chosen rows, in ascending order: place[begin[i]] .. place[begin[i + 1] - 1].
struct Places {
  std::vector<std::size_t> begin;
  std::vector<std::int64_t> place;

  Places(Index num_rows, const std::vector<Index>& rows) : begin(static_cast<std::size_t>(num_rows) + 1, 0), place(rows.size()) {
    for (const Index row : rows) ++begin[static_cast<std::size_t>(row) + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < rows.size(); ++i) place[next[static_cast<std::size_t>(rows[i])]++] = static_cast<std::int64_t>(i);
  }
};

// Fibonacci hashing; the high bits are folded into the low bits.
std::uint64_t mix(std::uint64_t key, std::uint64_t bits) {
  key = (key ^ bits) * 0x9E3779B97F4A7C15U;
  return key ^ key >> 29U;
}
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x + 0.0); }  // + 0.0: -0 and 0 are the same

// Another mixture of the same bits (the finaliser of MurmurHash3).
std::uint64_t mix_otherwise(std::uint64_t key, std::uint64_t bits) {
  key = (key ^ bits) + 0x632BE59BD9B4E019U;
  key = (key ^ key >> 33U) * 0xFF51AFD7ED558CCDU;
  key = (key ^ key >> 33U) * 0xC4CEB9FE1A85EC53U;
  return key ^ key >> 33U;
}

}  // namespace

RowSubset::RowSubset(const FitTable& X, const std::vector<Index>& rows)
    : table_(X.visit([&](const auto& table) { return gather(table, rows); })) {}

FitTable RowSubset::gather(const MatrixView& X, const std::vector<Index>& rows) {
  return with_scalar(X.scalar(), [&](auto of_type) -> FitTable {
    auto& out = numbers<decltype(of_type)>();
    gather_rows(X, rows, out);
    return MatrixView(out.data(), static_cast<Index>(rows.size()), X.cols(), X.layout());
  });
}

FitTable RowSubset::gather(const CscView& X, const std::vector<Index>& rows) {
  const Places places(X.rows(), rows);
  start_.assign(1, 0);
  return with_entries(X, [&](const auto* row, const auto* value) -> FitTable {
    using T = std::remove_cvref_t<decltype(*value)>;
    std::vector<T>& out = numbers<T>();
    std::vector<std::pair<std::int64_t, T>> column;
    for (Index j = 0; j < X.cols(); ++j) {
      column.clear();
      for (Index e = X.start(j), end = X.start(j + 1); e < end; ++e)
        for (std::size_t at = places.begin[static_cast<std::size_t>(row[e])]; at < places.begin[static_cast<std::size_t>(row[e]) + 1]; ++at)
          column.emplace_back(places.place[at], value[e]);
      std::ranges::sort(column, {}, &std::pair<std::int64_t, T>::first);
      for (const auto& [place, number] : column) row_.push_back(place), out.push_back(number);
      start_.push_back(static_cast<std::int64_t>(row_.size()));
    }
    return CscView(start_.data(), row_.data(), out.data(), static_cast<Index>(rows.size()), X.cols(), X.dense());
  });
}

// The variants that are somewhere, one after the other.
FitTable RowSubset::gather(const GenotypeView& X, const std::vector<Index>& rows) {
  const auto count = static_cast<Index>(rows.size());
  const Index width = GenotypeView::bytes_of_line(count);
  GenotypeCoding coding = X.coding();
  genotypes_.reserve(static_cast<std::size_t>(width * X.variants()));
  for (Index j = 0; j < X.variants(); ++j) {
    const std::uint8_t* const line = X.line(j);
    if (coding.line != nullptr) start_.push_back(line == nullptr ? -1 : static_cast<std::int64_t>(genotypes_.size()) / width);
    if (line == nullptr) continue;
    genotypes_.resize(genotypes_.size() + static_cast<std::size_t>(width));
    std::uint8_t* const to = genotypes_.data() + genotypes_.size() - width;
    for (Index i = 0; i < count; ++i) {
      const Index from = rows[static_cast<std::size_t>(i)];
      to[i / 4] = static_cast<std::uint8_t>(to[i / 4] | (line[from / 4] >> (2 * (from % 4)) & 3) << (2 * (i % 4)));
    }
  }
  if (coding.line != nullptr) coding.line = start_.data();
  if (genotypes_.empty()) genotypes_.resize(1);  // whose address is not null
  const MatrixView beside = X.cols() == X.variants() ? MatrixView() : gather(X.beside(), rows).dense("a view of rows");
  return GenotypeView(genotypes_.data(), count, X.variants(), coding, beside, X.dense());
}

std::vector<bool> have_entries(const FitTable& table) {
  std::vector<bool> out(static_cast<std::size_t>(table.rows()), !table.is_sparse());
  table.visit([&](const auto& X) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(X)>, CscView>)
      for (Index e = X.start(0); e < X.start(X.cols()); ++e)
        if (X.value(e) != 0) out[static_cast<std::size_t>(X.row(e))] = true;
  });
  return out;
}

RowContent::RowContent(const FitTable& table, const Vector& y) : X_(table), y_(y) {
  for (Index i = 0; i < table.rows(); ++i) keys_.push_back(mix(0, bits_of(y[i])));
  if (table.is_sparse()) second_keys_ = keys_;
  const auto key_of = [&](Index i) -> std::uint64_t& { return keys_[static_cast<std::size_t>(i)]; };
  const auto of_dense = [&](const auto& X) {
    constexpr Index block = 512;  // rows; both memory orders are then read line by line
    for (Index first = 0; first < X.rows(); first += block)
      for (Index j = 0; j < X.cols(); ++j)
        for (Index i = first; i < std::min(first + block, X.rows()); ++i) key_of(i) = mix(key_of(i), bits_of(X(i, j)));
  };
  const auto of_sparse = [&](const CscView& X) {  // columns come in order; a stored zero is none
    for (Index j = 0; j < X.cols(); ++j)
      for (Index e = X.start(j); e < X.start(j + 1); ++e) {
        if (X.value(e) == 0) continue;
        const auto column = static_cast<std::uint64_t>(j);
        std::uint64_t& second = second_keys_[static_cast<std::size_t>(X.row(e))];
        key_of(X.row(e)) = mix(mix(key_of(X.row(e)), column), bits_of(X.value(e)));
        second = mix_otherwise(mix_otherwise(second, column), bits_of(X.value(e)));
      }
  };
  table.visit([&](const auto& X) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(X)>, CscView>)
      of_sparse(X);
    else
      of_dense(X);
  });
}

std::weak_ordering RowContent::compare(Index a, Index b) const {
  const auto order = [](const auto& x, const auto& y) {
    return x < y ? std::weak_ordering::less : y < x ? std::weak_ordering::greater : std::weak_ordering::equivalent;
  };
  if (y_[a] != y_[b]) return order(y_[a], y_[b]);
  if (!second_keys_.empty()) return order(second_keys_[static_cast<std::size_t>(a)], second_keys_[static_cast<std::size_t>(b)]);
  return X_.visit([&](const auto& X) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(X)>, CscView>)
      for (Index j = 0; j < X.cols(); ++j)
        if (X(a, j) != X(b, j)) return order(X(a, j), X(b, j));
    return std::weak_ordering::equivalent;
  });
}

}  // namespace ardvark::internal
