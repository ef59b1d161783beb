// Numbers as other places and instruments write them, among the texts of a column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ardvark::internal::io {

/// Whether the text is a number, perhaps with a decimal comma, such as "1,5" or "1.234,5".
[[nodiscard]] bool holds_comma(std::string_view text);

/// The number in a formula that a spreadsheet shows as a text: 24.27 in ="24.27". Empty: the text is none. Digits after zeros are a name.
[[nodiscard]] std::string_view number_in_formula(std::string_view text);

/// Whether the text says that its row sums up others, such as "Total" or "Mean".
[[nodiscard]] bool names_a_sum(std::string_view text);

/// For texts that nearly all are numbers in another notation, or begin with a number: what that may mean, such as "nearly all of its texts
/// begin with a number ('5 kg'); ...", or that they are dates. Otherwise empty; so are whole numbers without a unit, which may be codes.
[[nodiscard]] std::string remark_on_numbers(const std::vector<std::string>& levels);

/// For a text among numbers that is a number in another notation, or begins with one: what to write instead, such as "write the digits
/// without marks". Empty: the text is none, or a limit such as "<0.05".
[[nodiscard]] std::string remedy_of_notation(std::string_view text);

}  // namespace ardvark::internal::io
