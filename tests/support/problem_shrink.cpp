// Reduces a problem that fails, so that a person can see why it fails.
#include <cmath>
#include <numeric>
#include <set>

#include "support/problem_generator.hpp"

namespace ardvark::testing {
namespace {

using Problems = std::vector<DrawnProblem>;

std::vector<Index> range(Index first, Index last, Index step = 1) {
  std::vector<Index> all;
  for (Index i = first; i < last; i += step) all.push_back(i);
  return all;
}

std::vector<Index> without(Index size, Index one) {
  std::vector<Index> all = range(0, size);
  all.erase(all.begin() + one);
  return all;
}

// The two halves; if there are few, also all but each single one.
std::vector<std::vector<Index>> subsets(Index size) {
  std::vector<std::vector<Index>> all;
  if (size < 2) return all;
  all.push_back(range(0, size / 2));
  all.push_back(range(size / 2, size));
  if (size > 3) all.insert(all.end(), {range(0, size, 2), range(size / 4, size), range(0, size - size / 4)});
  for (Index i = 0; size <= 12 && i < size; ++i) all.push_back(without(size, i));
  return all;
}

Vector rounded(const Vector& values, int digits) {
  Vector out = values;
  for (double& x : out) {
    if (x == 0) continue;
    const double unit = std::pow(10, std::floor(std::log10(std::abs(x))) - digits + 1);
    x = std::round(x / unit) * unit;
  }
  return out;
}

// Each is a step smaller; the largest steps come first.
Problems smaller(const DrawnProblem& problem) {
  Problems all;
  for (const auto& rows : subsets(problem.rows())) all.push_back(with_rows(problem, rows));
  for (const auto& columns : subsets(problem.num_columns())) all.push_back(with_columns(problem, columns));
  for (const auto& [name, value] : problem.options) {
    if (name == "model" || name == "preset" || name == "task" || name == "prior") continue;  // another model would fail for another reason
    all.push_back(problem);
    drop_option(all.back(), name);
  }
  const auto change = [&](auto&& what) {
    all.push_back(problem);
    what(all.back());
  };
  if (problem.weights.size() > 0) change([](DrawnProblem& p) { p.weights = {}; });
  if (!problem.group.empty() && problem.word("prior") != "groups") change([](DrawnProblem& p) { p.group = {}; });
  if (!problem.flat.empty()) change([](DrawnProblem& p) { p.flat = {}; });
  for (std::size_t j = 0; j < problem.columns.size(); ++j)
    if (!problem.columns[j].levels.empty()) change([j](DrawnProblem& p) { p.columns[j].levels = {}; });
  return all;
}

// Problems of the same size that are easier to read, one change after the other.
DrawnProblem with_plain_names(DrawnProblem problem) {
  for (std::size_t j = 0; j < problem.columns.size(); ++j) problem.columns[j].name = "x" + std::to_string(j + 1);
  return problem;
}

DrawnProblem with_digits(DrawnProblem problem, int digits) {
  for (DrawnColumn& column : problem.columns) column.values = rounded(column.values, digits);
  if (std::set<double>(problem.target.begin(), problem.target.end()).size() > 5) problem.target = rounded(problem.target, digits);
  problem.weights = rounded(problem.weights, digits);
  return problem;
}

}  // namespace

DrawnProblem shrink(DrawnProblem problem, const std::function<bool(const DrawnProblem&)>& fails, int attempts) {
  const auto take = [&](DrawnProblem&& candidate) {
    if (--attempts < 0 || !fails(candidate)) return false;
    problem = std::move(candidate);
    return true;
  };
  problem.traits.clear();  // the traits belong to the problem as it was drawn
  for (bool found = true; found && attempts > 0;) {
    found = false;
    for (DrawnProblem& candidate : smaller(problem))
      if (take(std::move(candidate))) {
        found = true;
        break;
      }
  }
  take(with_plain_names(problem));
  for (const int digits : {1, 2, 4})
    if (take(with_digits(problem, digits))) break;
  return problem;
}

}  // namespace ardvark::testing
