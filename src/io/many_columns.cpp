#include "io/many_columns.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ardvark/errors.hpp"

namespace ardvark::internal::io {
namespace {

struct RunOfNumbers {
  Index first = 0, step = 0, length = 1;
  [[nodiscard]] Index next() const { return first + step * length; }
};

template <typename Number>
std::vector<RunOfNumbers> runs_in(const std::vector<Number>& numbers) {
  std::vector<RunOfNumbers> runs;
  for (const auto element : numbers) {
    const auto number = static_cast<Index>(element);
    if (!runs.empty() && runs.back().length == 1 && number == runs.back().first + 1) runs.back().step = 1;
    if (!runs.empty() && number == runs.back().next())
      ++runs.back().length;
    else
      runs.push_back({number, 0, 1});
  }
  return runs;
}

template <typename Number>
Json in_shorter_form(const std::vector<Number>& numbers) {
  if (numbers.size() <= many_columns) return Json(numbers);
  const std::vector<RunOfNumbers> runs = runs_in(numbers);
  if (3 * runs.size() >= numbers.size()) return Json(numbers);
  std::vector<Index> all;
  all.reserve(3 * runs.size());
  for (const RunOfNumbers& run : runs) all.insert(all.end(), {run.first, run.step, run.length});
  return {{"runs", all}};
}

// Calls use(number) for each number of the runs.
void for_each_of_runs(const Json& list, Index most, auto&& use) {
  const std::vector<Index> all = list.at("runs").whole_numbers();
  if (all.size() % 3 != 0) throw JsonError("a list of runs is cut");
  Index size = 0;
  for (std::size_t i = 0; i < all.size(); i += 3) {
    const RunOfNumbers run{all[i], all[i + 1], all[i + 2]};
    if (run.step < 0 || run.step > 1 || run.length < 1 || run.length > most - size) throw JsonError("a run of numbers has the wrong size");
    size += run.length;
    for (Index k = 0; k < run.length; ++k) use(run.first + run.step * k);
  }
}

// If one number has more than half of the entries, it is this one.
double majority(const Vector& v) {
  double candidate = 0;
  Index lead = 0;
  for (const double x : v) {
    if (lead == 0) candidate = x;
    lead += x == candidate ? 1 : -1;
  }
  return candidate;
}

}  // namespace

Json by_runs(const std::vector<Index>& numbers) { return in_shorter_form(numbers); }
Json by_runs(const std::vector<bool>& flags) { return in_shorter_form(flags); }

std::vector<Index> whole_numbers_of(const Json& list, Index most) {
  if (!list.is_object()) return list.whole_numbers();
  std::vector<Index> numbers;
  for_each_of_runs(list, most, [&](Index number) { numbers.push_back(number); });
  return numbers;
}

std::vector<bool> flags_of(const Json& list, Index most) {
  if (!list.is_object()) return list.flags();
  std::vector<bool> flags;
  for_each_of_runs(list, most, [&](Index number) {
    if (number != 0 && number != 1) throw JsonError("true or false is expected");
    flags.push_back(number == 1);
  });
  return flags;
}

void add_by_entries(SafetensorsWriter& file, const std::string& name, const Vector& v) {
  const double common = majority(v);
  const auto differs = [&](double x) { return x != common || std::signbit(x) != std::signbit(common); };
  Index count = 0;
  for (const double x : v) count += differs(x) ? 1 : 0;
  if (v.size() <= static_cast<Index>(many_columns) || 2 * (count + 1) >= v.size()) {
    file.add_vector(name, v);
    return;
  }
  Vector column(count + 1), value(count + 1);
  column[0] = static_cast<double>(v.size()), value[0] = common;
  for (Index j = 0, at = 1; j < v.size(); ++j)
    if (differs(v[j])) column[at] = static_cast<double>(j), value[at++] = v[j];
  file.add_vector(name + ".column", std::move(column));
  file.add_vector(name + ".value", std::move(value));
}

Vector vector_of_entries(const SafetensorsReader& file, const std::string& name, Index most) {
  if (file.has(name) || !file.has(name + ".column")) return file.vector(name);
  const Vector column = file.vector(name + ".column"), value = file.vector(name + ".value");
  const auto fail = [&] {
    throw InvalidArgument(fmt::format("'{}' is not an ardvark model file: the entries of '{}' are invalid", file.path(), name));
  };
  const auto is_whole = [](double x, double to) { return x >= 0 && x <= to && x == std::floor(x); };
  if (column.size() < 1 || column.size() != value.size() || !is_whole(column[0], static_cast<double>(most))) fail();
  Vector v = Vector::Constant(static_cast<Index>(column[0]), value[0]);
  for (Index i = 1; i < column.size(); ++i) {
    if (!is_whole(column[i], column[0] - 1) || (i > 1 && !(column[i] > column[i - 1]))) fail();
    v[static_cast<Index>(column[i])] = value[i];
  }
  return v;
}

}  // namespace ardvark::internal::io
