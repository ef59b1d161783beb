// Readable text: texts of the user's files in messages, numbers, columns of a table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/fit.hpp"

namespace ardvark::internal::io {

/// Whether the bytes are well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// The text for a message: at most 60 characters; control characters and bytes that are not UTF-8 as \xNN.
[[nodiscard]] std::string shown(std::string_view text);

/// The whole text; control characters and bytes that are not UTF-8 as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

/// Latin letters only.
[[nodiscard]] std::string lower_case(std::string text);

/// Whether the text says true or false, as programs write them (True, TRUE, true, ...); nothing: neither.
[[nodiscard]] std::optional<bool> truth_of(std::string_view text);

/// The text as a level: spellings of the same decimal number are one, the plain one, digit by digit and not as doubles. So 1.0, +1, 1. and
/// 1.000e+00 are the level 1, 1e+05 is 100000, and .10 is 0.1. Digits with zeros before them, such as 007, and 1E5, whose E may be a letter
/// of a name, stay what they are.
[[nodiscard]] std::string code_of(std::string_view text);
/// \param room  where a text that changes is written
[[nodiscard]] std::string_view code_of(std::string_view text, std::string& room);

/// "'a', 'b', 'c'"; beyond 20 names "... and 5 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

/// Whether there are texts, and all are true or false.
[[nodiscard]] bool hold_truths(const std::vector<std::string>& texts);
/// What the levels of a column of true and false are whose spellings differ: False and True. Other levels stay, and so do one spelling of
/// each. \param levels  sorted
[[nodiscard]] std::vector<std::string> with_one_spelling(const std::vector<std::string>& levels);

/// Whether the text often means a missing value, although it may be a category: ".", "n.a.", "<NA>", ...
[[nodiscard]] bool may_mean_missing(std::string_view text);

/// Whether two texts that differ may look the same: an accent is a character of its own in one of them, or a blank is another kind of
/// blank.
[[nodiscard]] bool look_alike(std::string_view a, std::string_view b);

/// "; did you mean 'type'?" if one of the names is similar to `name`, otherwise empty. If both look the same, it says so.
[[nodiscard]] std::string did_you_mean(const std::string& name, const std::vector<std::string>& names);

/// A number with about 4 significant digits: enough for a value near its standard deviation, of which two digits matter.
[[nodiscard]] std::string number(double x);

/// Width of UTF-8 text on the screen, one column per character.
[[nodiscard]] std::size_t width(std::string_view text);

/// The text, filled with blanks up to this width.
[[nodiscard]] std::string padded(const std::string& text, std::size_t to);

/// The log evidence for a summary, with the models that it may be compared with, or that it may not be compared.                  (CMP.3)
/// \param what  how the number is near to it: "at least ", "about "
[[nodiscard]] std::string evidence_in_words(const char* what, double bound, PriorKind prior, BoundScope scope);

/// "row 12, column 'bmi': WHY; REMEDY". \param cell  its row and column, as Table::cell() gives them
[[nodiscard]] InvalidArgument wrong_cell(ErrorFields cell, std::string value, const std::string& why, std::string remedy = {});

/// What the fit says of a column: kept, -, undecided; flat: it has no prior, so that nothing is judged.
[[nodiscard]] const char* verdict(const Fit& fit, Index j);
/// The columns that are kept because of their effect. Flat columns are kept in any case, and do not count.
[[nodiscard]] Index num_effects(const Fit& fit);

}  // namespace ardvark::internal::io
