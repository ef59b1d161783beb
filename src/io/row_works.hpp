// Works in questions to rows as bytes: each has a name, and says what it consists of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/json.hpp"
#include "io/safetensors.hpp"
#include "passes/row_work.hpp"

namespace ardvark::internal::io {

/// 64 bits in hexadecimal digits: a JSON number does not hold them exactly.
[[nodiscard]] std::string digits(std::uint64_t bits);
/// \throws InvalidArgument  the text is not such digits
[[nodiscard]] std::uint64_t bits_of(const std::string& text);

/// Before the names of what belongs to one of the parts of a question.
[[nodiscard]] std::string part_name(std::size_t i);
/// How many posteriors or parts there are.
[[nodiscard]] Index count_in(const Json& description, const char* name);

/// The work must exist until the file is written. \param prefix  of the names in the file: empty, or that of a part
void add_work(const RowWork& work, const std::string& prefix, SafetensorsWriter& file, Json& description);
/// \param question  columns, labels and units have been read
/// \return null: the description has no work
[[nodiscard]] std::shared_ptr<const RowWork> read_work(const SafetensorsReader& file, const Json& description, const std::string& prefix,
                                                       const RowQuestion::State& question);

}  // namespace ardvark::internal::io
