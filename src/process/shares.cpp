// What each input explains of the variance of a kernel machine's function.                                      docs/math/process.md (KM.9)
#include <algorithm>
#include <map>
#include <numeric>

#include "core/normals.hpp"
#include "predict/process.hpp"
#include "process/fit_parts.hpp"

namespace ardvark::internal {
namespace {

// The rows in the order of a group of inputs. Equal ones have the same value.
struct OrderedRows {
  std::vector<Index> row;    // [n] of X
  Vector upto;               // [n] the weight of this row and those before
  std::vector<Index> value;  // [n]
  std::vector<double> edge;  // [values + 1] the weight before each

  OrderedRows(MatrixView X, const DifferentRows& rows, const std::vector<Index>& columns) : upto(rows.k.size()), edge{0} {
    const auto before = [&](Index a, Index b) {
      for (const Index j : columns)
        if (X(a, j) != X(b, j)) return X(a, j) < X(b, j);
      return false;
    };
    std::vector<std::size_t> order(rows.first.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(rows.first[a], rows.first[b]); });
    double sum = 0;
    for (const std::size_t i : order) {
      if (!row.empty() && before(row.back(), rows.first[i])) edge.push_back(sum);
      row.push_back(rows.first[i]);
      value.push_back(std::ssize(edge) - 1);
      upto[std::ssize(row) - 1] = sum += rows.k[static_cast<Index>(i)];
    }
    edge.push_back(sum);
  }
  // Values in cells of about the same weight; each in its own if they are few.
  [[nodiscard]] Index cell_of(Index of_value, Index num_cells) const {
    const auto at = static_cast<std::size_t>(of_value);
    if (std::ssize(edge) - 1 <= num_cells) return of_value;
    return static_cast<Index>(0.5 * (edge[at] + edge[at + 1]) / edge.back() * static_cast<double>(num_cells));
  }
};

// Draws of a group of inputs, one from each of equal parts of the weight, in random order; and the effect of the group.           (KM.9)
class GroupDraws {
 public:
  GroupDraws(MatrixView X, const OrderedRows& rows, const std::vector<Index>& columns, Index num_cells, Normals& random, Matrix& table)
      : cell_(static_cast<std::size_t>(table.rows())), count_(Vector::Zero(num_cells)), effect_(count_) {
    const double part = rows.edge.back() / static_cast<double>(table.rows());
    std::vector<std::size_t> place(cell_.size());
    std::iota(place.begin(), place.end(), 0);
    for (std::size_t i = place.size() - 1; i > 0; --i)
      std::swap(place[i], place[static_cast<std::size_t>(random.uniform() * static_cast<double>(i + 1))]);
    std::size_t drawn = 0;
    double before = 0;
    for (const std::size_t i : place) {
      const double at = before + random.uniform() * part;
      before += part;
      while (drawn + 1 < rows.row.size() && rows.upto[static_cast<Index>(drawn)] < at) ++drawn;
      for (const Index j : columns) table(static_cast<Index>(i), j) = X(rows.row[drawn], j);
      cell_[i] = rows.cell_of(rows.value[drawn], num_cells);
      ++count_[cell_[i]];
    }
  }

  // The effect becomes the mean of each cell; the rest is without it before and after.
  void update(Vector& rest) {
    Vector sum = Vector::Zero(count_.size());
    for (std::size_t i = 0; i < cell_.size(); ++i) sum[cell_[i]] += rest[static_cast<Index>(i)];
    const Vector change = sum.cwiseQuotient(count_.cwiseMax(1));
    effect_ += change;
    for (std::size_t i = 0; i < cell_.size(); ++i) rest[static_cast<Index>(i)] -= change[cell_[i]];
  }
  [[nodiscard]] double variance() const { return count_.dot(effect_.cwiseAbs2()) / count_.sum(); }
  [[nodiscard]] double freedom() const { return static_cast<double>((count_.array() > 0).count() - 1); }

 private:
  std::vector<Index> cell_;  // [draws]
  Vector count_, effect_;    // [cells]
};

}  // namespace

// One table whose groups of inputs are independent, and the analysis of variance of the function there: what the means over the cells of a
// group vary, less what the rest lets them vary.                                                                                 (KM.9)
Vector variance_shares(MatrixView X, const DifferentRows& rows, const std::vector<Index>& groups, const KernelFit& fit) {
  const Index d = X.cols();
  std::map<Index, std::vector<Index>> inputs;  // of each group
  for (Index j = 0; j < d; ++j) inputs[groups.empty() ? j : groups[static_cast<std::size_t>(j)]].push_back(j);
  const Index num_groups = std::ssize(inputs), draws = std::max<Index>(2048, 16 * num_groups);
  const Index num_cells = std::clamp<Index>(draws / (4 * num_groups), 4, 64);
  Matrix table(draws, d);
  Normals random(1);
  std::vector<GroupDraws> effects;
  for (const auto& [group, columns] : inputs) effects.emplace_back(X, OrderedRows(X, rows, columns), columns, num_cells, random, table);
  Vector rest = function_mean(fit, 0, table);
  rest.array() -= rest.mean();
  Vector share = Vector::Zero(d);
  if (!(rest.squaredNorm() > 0)) return share;
  if (num_groups == 1) return Vector::Ones(d);
  constexpr int sweeps = 3;  // the groups are nearly uncorrelated in the table
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (GroupDraws& one : effects) one.update(rest);
  double freedom = static_cast<double>(draws) - 1;
  for (const GroupDraws& one : effects) freedom -= one.freedom();
  const double noise = rest.squaredNorm() / freedom;
  double all = noise * (static_cast<double>(draws) - 1);  // without the covariances of the effects in the table
  for (auto one = effects.begin(); const auto& [group, columns] : inputs) {
    const double explained = std::max(static_cast<double>(draws) * one->variance() - noise * one->freedom(), 0.0);
    all += explained;
    for (const Index j : columns) share[j] = explained;
    ++one;
  }
  return share / all;
}

}  // namespace ardvark::internal
