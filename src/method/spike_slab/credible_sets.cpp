// Which other columns could explain an effect that was found.                                                docs/math/sparse.md (SP.9)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/products.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "method/spike_slab/subset_posterior.hpp"

namespace ardvark::internal {
namespace {

// Probabilities that differ by rounding only, as those of equal columns do, are ties: which comes first must not depend on the processor.
float rounded(double probability) { return static_cast<float>(probability); }

// The columns with an inclusion probability above 0.1, the largest first, ties by position, at most 200.
std::vector<Index> likely_columns(const SpikeSlab& q) {
  constexpr double least = 0.1;
  constexpr std::size_t most = 200;
  std::vector<Index> chosen;
  for (Index j = 0; j < q.which().size(); ++j)
    if (q.inclusion()[j] > least) chosen.push_back(j);
  std::stable_sort(chosen.begin(), chosen.end(), [&](Index a, Index b) { return rounded(q.inclusion()[a]) > rounded(q.inclusion()[b]); });
  if (chosen.size() > most) chosen.resize(most);
  return chosen;
}

// A sum of some columns of Z.
struct Combination {
  std::vector<Index> columns;
  Vector weights;
};

// Calls use(j, Z'D of(j)) for each j of the list, in blocks. Takes the products from the Gram matrix if there is one and D is 1.
void for_products(const ReducedRows& rows, const Vector& D, const std::vector<Index>& list, auto&& of, auto&& use) {
  constexpr std::size_t block = 32;
  const bool is_known = rows.gram && (D.array() == 1).all();
  for (std::size_t first = 0; first < list.size(); first += block) {
    const auto count = static_cast<Index>(std::min(block, list.size() - first));
    Matrix sums(is_known ? rows.size() : rows.rank(), count);
    for (Index i = 0; i < count; ++i) {
      const auto [columns, weights] = of(list[first + static_cast<std::size_t>(i)]);
      sums.col(i).setZero();
      for (std::size_t l = 0; l < columns.size(); ++l) {
        const double weight = weights[static_cast<Index>(l)];
        if (is_known)
          sums.col(i) += weight * rows.gram->col(columns[l]);
        else
          sums.col(i) += weight * rows.Z().col(columns[l]);
      }
    }
    if (!is_known) sums = products::transposed_times(rows.Z(), D.asDiagonal() * sums);
    for (Index i = 0; i < count; ++i) use(list[first + static_cast<std::size_t>(i)], sums.col(i));
  }
}

// The smallest set of columns that has this part of the sum, largest first, ties by position.
std::vector<Index> smallest_set(const Vector& share, double level) {
  const double total = share.sum(), too_small = (1 - level) * total / static_cast<double>(share.size());  // never needed
  std::vector<Index> order;
  for (Index l = 0; l < share.size(); ++l)
    if (share[l] >= too_small) order.push_back(l);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return rounded(share[a]) > rounded(share[b]); });
  double held = 0;
  std::size_t count = 0;
  while (count < order.size() && held < level * total) held += share[order[count++]];
  order.resize(count);
  return order;
}

// The joint posterior of a block with other prior odds for some of its columns: certainly included, or certainly not.          (SP.14)
class BlockPosterior {
 public:
  BlockPosterior(const SpikeSlab& q, Index set) : hyper_(q.hyper()) {
    const std::span<const Index> columns = q.sets().columns_of(set);
    columns_.assign(columns.begin(), columns.end());
    const Matrix Z = q.rows().Z()(Eigen::all, columns_);
    A_ = Z.transpose() * q.D().asDiagonal() * Z;
    c_ = Z.transpose() * q.Dr() + A_ * q.mean()(columns_);
    odds_ = Vector::Constant(A_.rows(), std::log(hyper_.pi) - std::log1p(-hyper_.pi));
  }

  [[nodiscard]] SubsetPosterior with(Index column, double log_odds) const { return with(std::vector<Index>{column}, log_odds); }
  [[nodiscard]] SubsetPosterior with(const std::vector<Index>& columns, double log_odds) const {
    Vector odds = odds_;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (std::find(columns.begin(), columns.end(), columns_[i]) != columns.end()) odds[static_cast<Index>(i)] = log_odds;
    SubsetPosterior out;
    posterior_of_subsets({A_.rows(), A_.data(), c_.data(), odds.data(), hyper_.kappa, hyper_.s2}, out);
    return out;
  }
  // The probability that at least one of these columns is included.
  [[nodiscard]] double any_of(const std::vector<Index>& columns) const {
    return std::max(-std::expm1(with(columns, certain_out).log_evidence - with({}, 0).log_evidence), 0.0);
  }

  static constexpr double certain_in = 600, certain_out = -1e100;

 private:
  SpikeSlabHyper hyper_;
  std::vector<Index> columns_;
  Matrix A_;
  Vector c_, odds_;
};

// The correlations of these columns in the rows of q, or of what the table says.
Matrix correlations_of(const SpikeSlab& q, const std::vector<Index>& some, const Correlations& in_table) {
  if (in_table) {
    std::vector<Index> columns;
    for (const Index l : some) columns.push_back(q.which().columns[static_cast<std::size_t>(l)]);
    return in_table(columns);
  }
  if (q.rows().gram) return correlations_from((*q.rows().gram)(some, some));
  const Matrix Z = q.rows().Z()(Eigen::all, some);
  return correlations_from(Z.transpose() * Z);
}

// Whether each two columns of the set are alike. Of more than a hundred columns, a hundred are compared, in equal steps: first two of
// them, then twice as many each time, because two columns of most sets that are not pure show it.                               (SP.9)
bool is_pure(const SpikeSlab& q, const std::vector<Index>& set, const Correlations& in_table) {
  constexpr double least = 0.5;
  constexpr std::size_t most = 100;
  if (set.size() < 2) return true;
  const std::size_t count = std::min(set.size(), most);
  std::vector<Index> some;
  for (std::size_t step = count - 1, i = 0; some.size() < count; i = (i + step) % count)  // the last of all comes second
    some.push_back(set[i * (set.size() - 1) / (count - 1)]);
  for (std::size_t compared = std::min<std::size_t>(2, count);; compared = std::min(2 * compared, count)) {
    const std::vector<Index> first(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(compared));
    const Matrix correlations = correlations_of(q, first, in_table) + Matrix::Identity(std::ssize(first), std::ssize(first));
    if (correlations.minCoeff() < least) return false;
    if (compared == count) return true;
  }
}

// Takes the effect of column j out of a block, given that j is included.
struct Alone {
  Vector back;                       // [|B|] what is added back to the residual: E b_j, and E b_l - E(b_l | b_j != 0) of the others
  std::vector<Index> also_included;  // other columns with an inclusion probability above 1/2, given that j is included
  bool has(Index column) const { return std::find(also_included.begin(), also_included.end(), column) != also_included.end(); }
};

Alone take_out(const SpikeSlab& q, Index j) {
  const Index set = q.sets().set_of(j);
  const std::span<const Index> columns = q.sets().columns_of(set);
  Alone out{Vector::Constant(1, q.mean()[j]), {}};
  if (columns.size() == 1) return out;
  const SubsetPosterior given = BlockPosterior(q, set).with(j, BlockPosterior::certain_in);
  out.back.resize(static_cast<Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Index l = columns[i];
    out.back[static_cast<Index>(i)] = q.mean()[l] - (l == j ? 0 : given.mean[i]);
    if (l != j && given.inclusion[i] > 0.5) out.also_included.push_back(l);
  }
  return out;
}

}  // namespace

Matrix correlations_from(const Matrix& products) {
  const Vector length = products.diagonal().cwiseSqrt(), unit = (length.array() > 0).select(length.cwiseInverse(), 0.0);
  return (unit.asDiagonal() * products * unit.asDiagonal()).cwiseAbs();
}

// For each likely column j: b_j is taken out, and each other column is scored as its replacement, except the other included ones. Columns
// that are not alike are no set: it would only say that there may be an effect somewhere.                                      (SP.9)
std::vector<CredibleSet> credible_sets(const SpikeSlab& q, const Correlations& in_table) {
  constexpr double level = 0.95;
  std::vector<CredibleSet> found;
  const PenalisedColumns& which = q.which();
  const ColumnSets& sets = q.sets();
  if (which.num_groups() != which.size() || q.hyper().kappa == 0) return found;
  const double kappa = q.hyper().kappa, s2 = q.hyper().s2;
  const std::vector<Index> chosen = likely_columns(q);
  if (chosen.empty()) return found;
  const SpikeSlab::AllProducts look = q.look();
  const Eigen::ArrayXd room = 1 + kappa * look.d.array(), gain = 0.5 * kappa / s2 / room, flat = -0.5 * room.log();
  std::vector<std::vector<Index>> stands_for(static_cast<std::size_t>(which.size()));  // the credible set of each column that has one
  std::vector<double> left(static_cast<std::size_t>(sets.size()), 0.0);                // [blocks] expected effects, minus credible sets
  for (Index j = 0; j < which.size(); ++j) left[static_cast<std::size_t>(sets.set_of(j))] += q.inclusion()[j];
  const auto taken_out = [&](Index j) {
    const std::span<const Index> columns = sets.columns_of(sets.set_of(j));
    return Combination{{columns.begin(), columns.end()}, take_out(q, j).back};
  };
  for_products(q.rows(), q.D(), chosen, taken_out, [&](Index j, const auto& product) {
    const Index block = sets.set_of(j);
    const Alone alone = take_out(q, j);
    // No set of its own if the column only replaces another column, whose set has it, and the block has no second effect.
    double& effects = left[static_cast<std::size_t>(block)];
    const bool is_told = std::ranges::any_of(sets.columns_of(block), [&](Index l) {
      const std::vector<Index>& of_other = stands_for[static_cast<std::size_t>(l)];
      return std::find(of_other.begin(), of_other.end(), j) != of_other.end() && !alone.has(l);
    });
    if (is_told && effects < 0.5) return;
    const Eigen::ArrayXd c = look.of_residual + product;
    Vector score = c.square() * gain + flat;
    for (const Index other : chosen)
      if (other != j && (sets.set_of(other) == block ? alone.has(other) : q.inclusion()[other] > 0.5))
        score[other] = -std::numeric_limits<double>::infinity();
    const Vector share = (score.array() - score.maxCoeff()).exp();
    const double total = share.sum();
    const std::vector<Index> columns = smallest_set(share, level);
    if (!is_pure(q, columns, in_table)) return;
    CredibleSet set;
    for (const Index l : columns) {
      set.columns.push_back(which.columns[static_cast<std::size_t>(l)]);
      set.probability.push_back(share[l] / total);
    }
    set.inclusion = sets.columns_of(block).size() == 1 ? q.inclusion()[j] : BlockPosterior(q, block).any_of(columns);
    effects -= 1;
    stands_for[static_cast<std::size_t>(j)] = columns;
    found.push_back(std::move(set));
  });
  return found;
}

// Lists columns that are correlated above 0.99 with a column j, if the inclusion probabilities of all of these and of j sum to more than
// 1/2. Only for the j with the largest inclusion probability among them.
std::string interchangeable_columns(const SpikeSlab& q, const Correlations& in_table, const std::vector<std::string>& names) {
  constexpr double least = 0.99;
  const PenalisedColumns& which = q.which();
  if (which.num_groups() != which.size()) return {};
  const auto Z = q.rows().Z();
  const Vector length = Z.colwise().norm().transpose();
  const auto quoted = [&](Index j) { return "'" + names[static_cast<std::size_t>(which.columns[static_cast<std::size_t>(j)])] + "'"; };
  std::vector<std::string> pairs;
  const auto alone = [](Index j) { return Combination{{j}, Vector::Ones(1)}; };
  for_products(q.rows(), Vector::Ones(Z.rows()), likely_columns(q), alone, [&](Index j, const auto& product) {
    std::vector<Index> close;
    for (Index l = 0; l < which.size(); ++l)
      if (l != j && std::abs(product[l]) > least * length[l] * length[j] &&
          (!in_table || correlations_of(q, {l, j}, in_table)(0, 1) > least))
        close.push_back(l);
    double together = q.inclusion()[j];
    bool is_first = true;  // has the largest inclusion; among equal ones, the first
    for (const Index l : close) {
      together += q.inclusion()[l];
      const float of_other = rounded(q.inclusion()[l]), of_this = rounded(q.inclusion()[j]);
      is_first = is_first && (of_other < of_this || (of_other == of_this && l > j));
    }
    if (together > 0.5 && is_first)
      for (const Index l : close) pairs.push_back(quoted(l) + " for " + quoted(j));
  });
  if (pairs.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < pairs.size() && i < 5; ++i) text += (i > 0 ? ", " : "") + pairs[i];
  if (pairs.size() > 5) text += fmt::format(" and {} more", pairs.size() - 5);
  return "columns correlated above 0.99 could take the place of selected ones; the data do not say which one has the effect: " + text;
}

}  // namespace ardvark::internal
