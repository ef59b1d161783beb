#include "io/csv_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/csv_rows.hpp"

namespace ardvark::internal::io {

CsvForm form_of_csv(const std::string& path, const CsvOptions& options) {
  CsvRows rows(options, true);
  rows.open(path);
  const Index most_rows = std::clamp<Index>(200'000 / rows.num_columns(), 2, 1000);
  std::vector<double> row(static_cast<std::size_t>(rows.num_columns()));
  CsvForm form;
  for (Index i = 0; i < most_rows && rows.next(row.data()); ++i)
    if (i == 0) form.lines_before = rows.line() - 1;
  const CsvDialect& dialect = rows.records().dialect();
  form.delimiter = dialect.delimiter, form.decimal = dialect.decimal;
  form.names = rows.records().names();
  form.blank = rows.blank_fields();
  form.has_row_names = rows.has_row_names();
  form.notes = rows.notes();
  form.refused = rows.refused_columns();
  std::string header = dialect.header;
  std::erase(header, '"');
  form.has_plain_header = header == fmt::format("{}", fmt::join(form.names, ","));
  for (std::size_t i = 0; i < dialect.num_trailing; ++i) {
    form.blank.push_back(form.names.size());
    form.names.push_back(fmt::format("Unnamed: {}", form.names.size()));
  }
  return form;
}

}  // namespace ardvark::internal::io
