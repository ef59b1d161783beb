// Which columns have an effect, at a stated false discovery rate.                                          docs/math/effects.md
#include "ardvark/effects.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "select/chain_columns.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr int first_sweeps = 300, num_draws = 3000;                                        // of the chain that is read
constexpr int rounds = 6, first_sweeps_of_round = 100, draws_of_round = 20, between = 10;  // of those that find the working weights
constexpr double least_seed = 0.05;        // share of the draws from which a column has sets
constexpr double least_neighbour = 0.005;  // and from which it may join the set of another
constexpr double least_gain = 0.005, enough = 0.995;
constexpr std::size_t most_in_set = 10;

// In which draws a column, or one of a set, is in the model.
class Draws {
 public:
  Draws() : bits_(words, 0) {}
  void add(int draw) { bits_[static_cast<std::size_t>(draw / 64)] |= std::uint64_t{1} << (draw % 64); }
  void join(const Draws& other) {
    for (std::size_t i = 0; i < words; ++i) bits_[i] |= other.bits_[i];
  }
  [[nodiscard]] double share() const {
    return std::accumulate(bits_.begin(), bits_.end(), 0.0, [](double sum, std::uint64_t w) { return sum + std::popcount(w); }) / num_draws;
  }
  /// Share of the draws in which `other` is, and none of these.
  [[nodiscard]] double gain(const Draws& other) const {
    int sum = 0;
    for (std::size_t i = 0; i < words; ++i) sum += std::popcount(other.bits_[i] & ~bits_[i]);
    return static_cast<double>(sum) / num_draws;
  }

 private:
  static constexpr std::size_t words = (num_draws + 63) / 64;
  std::vector<std::uint64_t> bits_;
};

WeightedRows rows_for(const ChainColumns& columns, const EffectOptions& options) {
  if (options.task != Task::logistic) return weighted_rows(columns, columns.target, columns.weights);
  WeightedRows rows = class_rows(columns, first_scores(columns));
  for (int round = 0; round < rounds; ++round) {
    const auto near = neighbours_in(rows.rows.gram);
    InclusionChain chain(rows.rows, near, options.seed + static_cast<std::uint64_t>(round) + 1);
    for (int i = 0; i < first_sweeps_of_round; ++i) chain.sweep();
    const DrawnScores scores = scores_of(rows, draws_of_round, [&]() -> const Vector& {
      for (int i = 0; i < between; ++i) chain.sweep();
      return chain.effects();
    });
    rows = class_rows(columns, scores);
  }
  return rows;
}

std::vector<Draws> drawn(const ChainRows& rows, const std::vector<std::vector<Index>>& near, std::uint64_t seed) {
  std::vector<Draws> draws(near.size());
  InclusionChain chain(rows, near, seed);
  for (int i = 0; i < first_sweeps; ++i) chain.sweep();
  for (int i = 0; i < num_draws; ++i) {
    chain.sweep();
    for (const Index j : chain.included()) draws[static_cast<std::size_t>(j)].add(i);
  }
  return draws;
}

// The column alone, then each time with the neighbour that adds most.                                                       (FDR.3)
std::vector<EffectSet> nested_sets(Index seed, const std::vector<Draws>& draws, std::vector<Index> near) {
  Draws in = draws[static_cast<std::size_t>(seed)];
  std::vector<EffectSet> sets = {{{seed}, in.share()}};
  std::erase_if(near, [&](Index k) { return draws[static_cast<std::size_t>(k)].share() <= least_neighbour; });
  while (!near.empty() && sets.size() < most_in_set && sets.back().probability < enough) {
    const auto best = std::ranges::max_element(near, {}, [&](Index k) { return in.gain(draws[static_cast<std::size_t>(k)]); });
    const Draws& joins = draws[static_cast<std::size_t>(*best)];
    if (in.gain(joins) < least_gain) break;
    in.join(joins);
    EffectSet larger{sets.back().columns, in.share()};
    larger.columns.push_back(*best);
    sets.push_back(std::move(larger));
    near.erase(best);
  }
  return sets;
}

bool meets(const EffectSet& set, const std::vector<EffectSet>& chosen) {
  return std::ranges::any_of(chosen, [&](const EffectSet& other) {
    return std::ranges::any_of(set.columns, [&](Index j) { return std::ranges::find(other.columns, j) != other.columns.end(); });
  });
}

// The largest of the nested sets that meets none of the chosen ones, or nullptr.
const EffectSet* largest_free(const std::vector<EffectSet>& nested, const std::vector<EffectSet>& chosen) {
  const EffectSet* found = nullptr;
  for (const EffectSet& set : nested)
    if (!meets(set, chosen)) found = &set;
  return found;
}

}  // namespace

Effects find_effects(MatrixView X, VectorView target, const EffectOptions& options) {
  validate::matrix(X, "X");
  const ChainColumns columns = chain_columns(X, target, options);
  Effects effects;
  if (columns.which.empty()) return effects;
  const WeightedRows weighted = rows_for(columns, options);
  if (!(weighted.rows.squared > 0)) return effects;
  const auto near = neighbours_in(weighted.rows.gram);
  const std::vector<Draws> draws = drawn(weighted.rows, near, options.seed);
  std::vector<Index> seeds;
  for (std::size_t j = 0; j < draws.size(); ++j)
    if (draws[j].share() >= least_seed) seeds.push_back(static_cast<Index>(j));
  std::ranges::stable_sort(seeds, std::greater{}, [&](Index j) { return draws[static_cast<std::size_t>(j)].share(); });
  for (const Index seed : seeds) {
    effects.nested.push_back(nested_sets(seed, draws, near[static_cast<std::size_t>(seed)]));
    for (EffectSet& set : effects.nested.back())
      for (Index& j : set.columns) j = columns.which[static_cast<std::size_t>(j)];
  }
  return effects;
}

std::vector<EffectSet> effects_at(const Effects& effects, double fdr) {
  if (!(fdr > 0 && fdr < 1)) throw wrong("fdr", fdr, "it must lie between 0 and 1");
  std::vector<EffectSet> chosen;
  for (const std::vector<EffectSet>& nested : effects.nested)
    for (const EffectSet& set : nested)
      if (set.probability >= 1 - fdr && !meets(set, chosen)) {
        chosen.push_back(set);
        break;
      }
  double expected = 0;  // number of sets without an effect
  for (const EffectSet& set : chosen) expected += 1 - set.probability;
  std::vector<const EffectSet*> rest;
  for (const std::vector<EffectSet>& nested : effects.nested)
    if (const EffectSet* set = largest_free(nested, chosen)) rest.push_back(set);
  std::ranges::stable_sort(rest, std::greater{}, &EffectSet::probability);
  for (const EffectSet* set : rest) {
    if (meets(*set, chosen)) continue;
    expected += 1 - set->probability;
    if (expected > fdr * static_cast<double>(chosen.size() + 1)) break;
    chosen.push_back(*set);
  }
  return chosen;
}

}  // namespace ardvark
