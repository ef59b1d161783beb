#include "select/columns_in_play.hpp"

#include <algorithm>
#include <functional>

namespace ardvark::internal {
namespace {

constexpr int least_rounds = 4, unread_of_round = 100, draws_of_round = 20, between = 10;
constexpr int unread = 200, sweeps_read = 1000;  // of the last chain
constexpr double least_share = 0.002;            // of these sweeps: a column is in play
constexpr std::size_t most_in_play = 300;
constexpr double steady = 5;  // of twice a distance in nats: the mean of the draws of a round alone is uncertain by 0.1 for each effect

MomentsOfScores drawn_moments(const ChainColumns& columns, const WeightedRows& rows, InclusionChain& chain) {
  const Index n = rows.root.size();
  MomentsOfScores out{Vector::Zero(n), Vector::Zero(n), 0};
  for (int i = 1; i <= draws_of_round; ++i) {
    for (int k = 0; k < between; ++k) chain.sweep();
    const Vector scores = scores_of(columns, rows, chain.effects(), nullptr), step = scores - out.mean;
    out.mean += step / i;
    out.variance += step.cwiseProduct(scores - out.mean);
    out.noise += chain.noise_variance() / draws_of_round;
  }
  out.variance /= draws_of_round;
  const Vector of_flat = out.noise * rows.flat.rowwise().squaredNorm();
  out.variance += (rows.root.array() > 0).select(of_flat.cwiseQuotient(rows.root.cwiseAbs2()), 0.0);
  return out;
}

}  // namespace

ColumnsInPlay columns_in_play(const ChainColumns& columns, const Approximation& approximate, MomentsOfScores first, std::uint64_t seed,
                              int most_rounds) {
  MomentsOfScores scores = std::move(first);
  WeightedRows rows = approximate(columns, scores);
  const auto near = neighbours_in(rows.rows.gram);
  bool is_steady = false;
  for (int round = 0; round < least_rounds || (round < most_rounds && !is_steady); ++round) {
    InclusionChain chain(rows.rows, near, ++seed);
    for (int i = 0; i < unread_of_round; ++i) chain.sweep();
    MomentsOfScores next = drawn_moments(columns, rows, chain);
    is_steady = rows.root.cwiseProduct(next.mean - scores.mean).squaredNorm() < steady;
    scores = std::move(next);
    rows = approximate(columns, scores);
  }
  InclusionChain chain(rows.rows, near, ++seed);
  for (int i = 0; i < unread; ++i) chain.sweep();
  std::vector<int> count(columns.which.size(), 0);
  for (int i = 0; i < sweeps_read; ++i) {
    chain.sweep();
    for (const Index j : chain.included()) ++count[static_cast<std::size_t>(j)];
  }
  std::vector<Index> in_play;
  for (std::size_t j = 0; j < count.size(); ++j)
    if (count[j] >= least_share * sweeps_read) in_play.push_back(static_cast<Index>(j));
  std::ranges::stable_sort(in_play, std::greater{}, [&](Index j) { return count[static_cast<std::size_t>(j)]; });
  if (in_play.size() > most_in_play) in_play.resize(most_in_play);
  std::ranges::sort(in_play);
  return {some_of(columns, in_play), std::move(scores)};
}

}  // namespace ardvark::internal
