// An encoded table as sparse columns.
#pragma once

#include <cstdint>
#include <vector>

#include "ardvark/table.hpp"

namespace ardvark::internal::io {

/// Owns its columns; of a text column with many levels, only the ones are stored.
struct SparseTable {
  Index rows = 0;
  Index cols = 0;
  std::vector<std::int32_t> start, row;
  std::vector<double> value;
  [[nodiscard]] CscView X() const { return {start.data(), row.data(), value.data(), rows, cols}; }
};

/// The X that encode() makes of the table, which does not change.
/// \throws InvalidArgument  as encode(); the table has gaps, or 2^31 entries or more that are not zero
[[nodiscard]] SparseTable encode_sparse(const Table& table, const FeatureEncoding& encoding);

}  // namespace ardvark::internal::io
