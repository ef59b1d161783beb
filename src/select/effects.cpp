// Which columns have an effect, at a stated false discovery rate.                                          docs/math/effects.md
#include "ardvark/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/refusals.hpp"
#include "select/class_chain.hpp"
#include "select/family_chains.hpp"
#include "select/knockoffs.hpp"
#include "select/table_effects.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr int first_sweeps = 300, num_draws = 3000;  // of the chain that is read
constexpr double least_seed = 0.05;                  // share of the draws from which a column has sets
constexpr double least_neighbour = 0.005;            // and from which it may join the set of another
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

// What a chain of models has drawn.
struct DrawnModels {
  std::vector<Index> which;              // [m] positions of the columns in the table
  std::vector<Draws> draws;              // [m]
  std::vector<std::vector<Index>> near;  // [m] positions in these lists
};

void run(auto& chain, std::vector<Draws>& draws) {
  for (int i = 0; i < first_sweeps; ++i) chain.sweep();
  for (int i = 0; i < num_draws; ++i) {
    chain.sweep();
    for (const Index j : chain.included()) draws[static_cast<std::size_t>(j)].add(i);
  }
}

DrawnModels models_of_numbers(ChainColumns columns, std::uint64_t seed) {
  const WeightedRows weighted = weighted_rows(columns, columns.target, columns.weights);
  if (!(weighted.rows.squared > 0)) return {};
  DrawnModels out{std::move(columns.which), {}, neighbours_in(weighted.rows.gram)};
  out.draws.resize(out.which.size());
  InclusionChain chain(weighted.rows, out.near, seed);
  run(chain, out.draws);
  return out;
}

// \param chain  of these columns
DrawnModels models_of(auto&& chain, const ChainColumns& columns) {
  DrawnModels out{columns.which, std::vector<Draws>(columns.which.size()), chain.near()};
  run(chain, out.draws);
  return out;
}

DrawnModels models_of_classes(const ChainColumns& all, std::uint64_t seed) {
  const ChainColumns columns = class_columns_in_play(all, seed);
  return columns.which.empty() ? DrawnModels{} : models_of(ClassChain(columns, seed), columns);
}

DrawnModels models_of_family(const ChainColumns& all, const EffectFamily& family, std::uint64_t seed) {
  const bool is_student = family.family == Family::student;
  const ColumnsInPlay in_play =
      is_student ? student_columns_in_play(all, family.degrees_of_freedom, seed) : count_columns_in_play(all, family, seed);
  const ChainColumns& columns = in_play.columns;
  if (columns.which.empty()) return {};
  return is_student ? models_of(StudentChain(in_play, family.degrees_of_freedom, seed), columns)
                    : models_of(CountChain(in_play, family, seed), columns);
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

Effects checked_effects(const FitTable& X, VectorView target, const EffectOptions& options) {
  if (!options.inclusion.empty() && options.inclusion.size() != X.cols())
    throw wrong_size("inclusion", options.inclusion.size(), fmt::format("X has {} columns", X.cols()));
  for (const Index j : options.flat)
    if (j < 0 || j >= X.cols()) throw wrong("flat", j, fmt::format("it must be a column of X, 0 to {}", X.cols() - 1));
  if (options.task == Task::counts) throw refused("task", "cannot be counts here: their effects are those of a fit_model with fdr");
  X.check_shape("X");
  X.check_finite("X", {});
  return effects_of_table(X, target, options);
}

}  // namespace

Effects internal::effects_of_table(const FitTable& X, VectorView target, const EffectOptions& options, const EffectFamily& family) {
  if (options.guarantee == Guarantee::knockoffs) return effects_by_knockoffs(X, target, options, family);
  ChainColumns columns = chain_columns(X, target, options, family.offset_column);
  Effects effects;
  if (!(columns.num_columns > 0)) return effects;
  const DrawnModels models = options.task == Task::logistic    ? models_of_classes(columns, options.seed)
                             : family.family == Family::normal ? models_of_numbers(std::move(columns), options.seed)
                                                               : models_of_family(columns, family, options.seed);
  const std::vector<Draws>& draws = models.draws;
  std::vector<Index> seeds;
  for (std::size_t j = 0; j < draws.size(); ++j)
    if (draws[j].share() >= least_seed) seeds.push_back(static_cast<Index>(j));
  std::ranges::stable_sort(seeds, std::greater{}, [&](Index j) { return draws[static_cast<std::size_t>(j)].share(); });
  for (const Index seed : seeds) {
    effects.nested.push_back(nested_sets(seed, draws, models.near[static_cast<std::size_t>(seed)]));
    for (EffectSet& set : effects.nested.back())
      for (Index& j : set.columns) j = models.which[static_cast<std::size_t>(j)];
  }
  return effects;
}

Effects find_effects(MatrixView X, VectorView target, const EffectOptions& options) { return checked_effects(X, target, options); }
Effects find_effects(CscView X, VectorView target, const EffectOptions& options) { return checked_effects(X, target, options); }

std::vector<EffectSet> effects_at(const Effects& effects, double fdr) {
  if (!(fdr > 0 && fdr < 1)) throw wrong("fdr", fdr, "it must lie between 0 and 1");
  std::vector<EffectSet> chosen;
  if (effects.guarantee == Guarantee::knockoffs) {
    const double threshold = knockoff_threshold(effects.differences, fdr);
    for (std::size_t i = 0; i < effects.differences.size() && effects.differences[i] >= threshold; ++i)
      chosen.push_back(effects.nested[i].front());
    return chosen;
  }
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
