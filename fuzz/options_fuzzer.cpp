// Sets options by name through the C interface, then makes a fit, a fit to a table with a text column, a selection, a path or a filter of a
// small table with them.
//
// An input consists of lines. The first line names the work and the table, each other line is an option:
//     fit 2
//     t prior sparse        a text
//     n max_sweeps 30       a number
//     l weights 1,1,2,1     numbers
//     s column_names a,b    texts
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../tests/support/handles.hpp"
#include "ardvark/ardvark.h"
#include "memory.hpp"

namespace {

using ardvark::testing::Owned;

// An error has a code of the header and a message. No input may lead to an internal error.
bool succeeds(ardvark_code code, const ardvark_error& error) {
  ardvark::fuzz::require(error.code == code);
  if (code == ARDVARK_OK) return true;
  ardvark::fuzz::require(code == ARDVARK_INVALID_ARGUMENT || code == ARDVARK_ENVIRONMENT);
  ardvark::fuzz::require(std::strlen(error.message) > 10);
  return false;
}

ardvark_error new_error() {
  ardvark_error error;
  error.struct_size = sizeof error;
  error.code = -1;
  error.message[0] = '\0';
  return error;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

void set_option(ardvark_options* options, const std::string& line) {
  const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (first != 1 || second == std::string::npos) return;
  const std::string name = line.substr(2, second - 2), value = line.substr(second + 1);
  ardvark_error error = new_error();
  switch (line[0]) {
    case 't': succeeds(ardvark_options_set_text(options, name.c_str(), value.c_str(), &error), error); break;
    case 'n': succeeds(ardvark_options_set_number(options, name.c_str(), std::strtod(value.c_str(), nullptr), &error), error); break;
    case 'l': {
      std::vector<double> numbers;
      for (const std::string& part : split(value, ',')) numbers.push_back(std::strtod(part.c_str(), nullptr));
      succeeds(ardvark_options_set_numbers(options, name.c_str(), numbers.data(), static_cast<std::int64_t>(numbers.size()), &error),
               error);
      break;
    }
    case 's': {
      const std::vector<std::string> parts = split(value, ',');
      std::vector<const char*> texts;
      for (const std::string& part : parts) texts.push_back(part.c_str());
      succeeds(ardvark_options_set_texts(options, name.c_str(), texts.data(), static_cast<std::int64_t>(texts.size()), &error), error);
      break;
    }
    default: break;
  }
}

// Small tables: a regression, two classes, three classes, signs; a constant column, fewer rows than columns, huge and tiny numbers, NaN, no
// row, one row; gaps, in a regression and with two classes.
struct Table {
  std::int64_t rows, columns;
  std::vector<double> X, y;
};

Table table_of(unsigned which) {
  Table t;
  t.rows = which == 6 ? 0 : which == 7 ? 1 : which == 4 ? 3 : 12;
  t.columns = which == 4 ? 5 : which == 8 ? 1 : 3;
  std::uint64_t state = 88172645463325252U;
  const auto noise = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
  };
  for (std::int64_t i = 0; i < t.rows * t.columns; ++i) t.X.push_back(noise());
  for (std::int64_t i = 0; i < t.rows; ++i) {
    const double score = t.X[static_cast<std::size_t>(i)] + 0.3 * noise();
    t.y.push_back(which == 0 || which == 4 || (which >= 9 && which != 12) ? score
                  : which == 2                                            ? static_cast<double>(i % 3)
                  : score > 0                                             ? 1
                  : which == 3                                            ? -1
                                                                          : 0);
  }
  const auto column = [&](std::int64_t j, auto value) {
    for (std::int64_t i = 0; i < t.rows; ++i) t.X[static_cast<std::size_t>(i + j * t.rows)] = value(i);
  };
  if (which == 5) column(1, [](std::int64_t) { return 3.0; });
  if (which == 9) column(0, [](std::int64_t i) { return i % 2 == 0 ? 1e200 : -1e-200; });
  if (which == 10) column(2, [](std::int64_t) { return std::numeric_limits<double>::quiet_NaN(); });
  for (std::int64_t i = 0; which >= 11 && i < t.rows * t.columns; i += 5) t.X[static_cast<std::size_t>(i)] = std::nan("");
  return t;
}

// Stops a fit after some sweeps, and a selection after some fits.
int stop_soon(const ardvark_progress* progress, void* context) {
  static_cast<void>(progress);
  return ++*static_cast<int*>(context) < 30;
}

void read_result(const ardvark_result* result) {
  ardvark_error error = new_error();
  char* text = nullptr;
  ardvark::fuzz::require(succeeds(ardvark_result_text(result, nullptr, &text, &error), error));
  const Owned<char> kept(text);
  ardvark::fuzz::require(text[0] == '{');
  for (const char* name : {"mean", "covariance", "probability", "status"}) {
    ardvark_array array = {};
    array.struct_size = sizeof array;
    if (succeeds(ardvark_result_array(result, name, &array, &error), error)) ardvark_free(array.data);
  }
}

void read_model(const ardvark_model* model, const ardvark_matrix& X, const ardvark_options* options) {
  ardvark_error error = new_error();
  ardvark_result* result = nullptr;
  if (succeeds(ardvark_model_result(model, options, &result, &error), error)) read_result(Owned<ardvark_result>(result).get());
  char* text = nullptr;
  if (succeeds(ardvark_model_summary(model, options, &text, &error), error)) ardvark_free(text);
  result = nullptr;
  if (succeeds(ardvark_predict(model, &X, nullptr, options, &result, &error), error)) read_result(Owned<ardvark_result>(result).get());
  // A model that was written can be read.
  void* bytes = nullptr;
  std::size_t size = 0;
  if (!succeeds(ardvark_model_to_bytes(model, &bytes, &size, &error), error)) return;
  const Owned<char> kept(static_cast<char*>(bytes));
  ardvark_model* again = nullptr;
  ardvark::fuzz::require(succeeds(ardvark_model_from_bytes(bytes, size, &again, &error), error));
  const Owned<ardvark_model> loaded(again);
}

// The first column as a text of three levels, or as a gap; the others as they are.
Owned<ardvark_table> table_with_text(const ardvark_matrix& X, const double* values) {
  static const char* const levels[] = {"Bonn", "Oslo", "week 2"};
  ardvark_error error = new_error();
  ardvark_table* made = nullptr;
  if (!succeeds(ardvark_table_create(X.rows, &made, &error), error)) return nullptr;
  Owned<ardvark_table> table(made);
  std::vector<const char*> texts;
  for (std::int64_t i = 0; i < X.rows; ++i)
    texts.push_back(std::isnan(values[i]) ? nullptr : levels[values[i] > 0.2 ? 2 : values[i] > -0.2 ? 1 : 0]);
  succeeds(ardvark_table_add_texts(made, "city", texts.data(), &error), error);
  for (std::int64_t j = 1; j < X.columns; ++j)
    succeeds(ardvark_table_add_numbers(made, ("x" + std::to_string(j)).c_str(), values + j * X.rows, &error), error);
  return table;
}

// An encoding that was made for a table applies to it; the model keeps it.
void fit_table(const ardvark_matrix& X, const double* values, const double* y, ardvark_options* options) {
  const auto table = table_with_text(X, values);
  ardvark_error error = new_error();
  ardvark_encoding* made = nullptr;
  if (!table || !succeeds(ardvark_encoding_create(table.get(), options, &made, &error), error)) return;
  const Owned<ardvark_encoding> encoding(made);
  ardvark_array encoded = {};
  encoded.struct_size = sizeof encoded;
  if (!succeeds(ardvark_encoding_apply(made, table.get(), &encoded, &error), error)) return;
  const Owned<double> kept(encoded.data);
  if (!succeeds(ardvark_options_set_encoding(options, made, &error), error)) return;
  const std::int64_t columns = encoded.shape[1];
  const ardvark_matrix all = {sizeof(ardvark_matrix), encoded.data, ARDVARK_FLOAT64, X.rows, columns, columns, 1};
  ardvark_model* model = nullptr;
  if (!succeeds(ardvark_fit(&all, y, options, &model, &error), error)) return;
  const Owned<ardvark_model> fitted(model);
  read_model(model, all, options);
  ardvark_encoding* again = nullptr;
  ardvark::fuzz::require(succeeds(ardvark_model_encoding(model, &again, &error), error));
  ardvark_encoding_free(again);
}

void do_work(const std::string& work, const ardvark_matrix& X, const double* y, ardvark_options* options) {
  ardvark_error error = new_error();
  ardvark_model* model = nullptr;
  ardvark_result* result = nullptr;
  if (work == "fit") {
    if (succeeds(ardvark_fit(&X, y, options, &model, &error), error)) read_model(Owned<ardvark_model>(model).get(), X, options);
  } else if (work == "table") {
    fit_table(X, static_cast<const double*>(X.data), y, options);
  } else if (work == "select") {
    if (succeeds(ardvark_select(&X, y, options, &result, &error), error)) read_result(Owned<ardvark_result>(result).get());
  } else if (work == "path") {
    if (succeeds(ardvark_path(&X, y, nullptr, 5, 0, options, &result, &error), error)) read_result(Owned<ardvark_result>(result).get());
  } else if (work == "filter") {
    ardvark_sequential* filter = nullptr;
    if (!succeeds(ardvark_sequential_create(X.columns, options, &filter, &error), error)) return;
    const Owned<ardvark_sequential> kept(filter);
    succeeds(ardvark_sequential_update_weighted(filter, &X, y, nullptr, options, &error), error);
    if (succeeds(ardvark_sequential_model(filter, options, &model, &error), error))
      read_model(Owned<ardvark_model>(model).get(), X, options);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> lines = split(std::string(reinterpret_cast<const char*>(data), size), '\n');
  if (lines.empty() || lines.size() > 24) return 0;
  const std::size_t space = lines[0].find(' ');
  if (space == std::string::npos) return 0;
  const ardvark::fuzz::MemoryLimit limit(size, ardvark::fuzz::of_small_tables);
  const Owned<ardvark_options> options(ardvark_options_create());
  for (std::size_t i = 1; i < lines.size(); ++i) set_option(options.get(), lines[i]);
  int count = 0;
  ardvark_options_set_progress(options.get(), stop_soon, &count, 0);
  const Table table = table_of(static_cast<unsigned>(std::abs(std::atoi(lines[0].c_str() + space + 1)) % 13));
  const ardvark_matrix X = {sizeof(ardvark_matrix), table.X.data(), ARDVARK_FLOAT64, table.rows, table.columns, 1, table.rows};
  do_work(lines[0].substr(0, space), X, table.y.data(), options.get());
  return 0;
}
