// The levels of a text column: their order, their dummies, and the one that the others are compared with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardvark/table.hpp"

namespace ardvark::internal::io {

/// The order in which a person would list them: numbers by value, then texts.
[[nodiscard]] std::vector<std::string> in_order(std::vector<std::string> levels);

/// The position of the dummy of a level among those of its feature; -1: it has none.
[[nodiscard]] Index column_of_level(const FeatureColumn& feature, const std::string& level, Dummies dummies);

/// Each level becomes a column. With so many, the cross-products of a fit take 800 MB.
inline constexpr std::size_t most_levels = 10'000;
/// \throws InvalidArgument  there are more than most_levels
void refuse_many_levels(const std::string& column, std::size_t num_levels);

/// The level with the most rows is the reference; of several such levels the first. \param rows  [levels] sums of weights
void choose_reference(const std::vector<double>& rows, FeatureColumn& feature);

using RowsOfLevel = std::function<double(const FeatureColumn& feature, const std::string& level)>;
/// \param text  COLUMN=LEVEL; both may contain "=". \throws InvalidArgument  there is no such text column or level
void set_reference(const std::string& text, const RowsOfLevel& rows_of, FeatureEncoding& encoding);

}  // namespace ardvark::internal::io
