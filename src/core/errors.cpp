// How the message of an InvalidArgument follows from its fields.
#include "ardvark/errors.hpp"

#include <fmt/format.h>

#include <utility>

namespace ardvark {
namespace {

std::string name_of_row(const ErrorFields& fields) {
  if (fields.row == 0) return {};
  return fields.row_name.empty() ? fmt::format("row {}", fields.row) : fields.row_name;
}

std::string before_row(const ErrorFields& fields) { return fields.argument.empty() || fields.row == 0 ? "" : " at "; }

std::string sentence_of(const ErrorFields& fields) {
  const std::string column = fields.column.empty() ? "" : fmt::format(", column '{}'", fields.column);
  return column + (fields.value.empty() ? " " : fmt::format(" is {}; ", fields.value)) + fields.why;
}

std::string end_of(const std::string& sentence, const std::string& remedy) {
  return remedy.empty() ? "" : (sentence.ends_with(':') ? " " : "; ") + remedy;
}

}  // namespace

InvalidArgument::InvalidArgument(ErrorFields fields) : InvalidArgument(fields, sentence_of(fields)) {}

InvalidArgument::InvalidArgument(ErrorFields fields, std::string sentence)
    : InvalidArgument(fields, before_row(fields), std::move(sentence)) {}

InvalidArgument::InvalidArgument(ErrorFields fields, const std::string& before, std::string sentence)
    : InvalidArgument(Parts{std::move(fields), before, std::move(sentence)}) {}

InvalidArgument::InvalidArgument(Parts parts)
    : Error(parts.fields.argument + parts.before + name_of_row(parts.fields) + parts.sentence +
            end_of(parts.sentence, parts.fields.remedy)) {
  if (parts.fields.row != 0) {
    parts.row_begin = parts.fields.argument.size() + parts.before.size();
    parts.row_end = parts.row_begin + name_of_row(parts.fields).size();
  }
  parts_ = std::make_shared<const Parts>(std::move(parts));
}

}  // namespace ardvark
