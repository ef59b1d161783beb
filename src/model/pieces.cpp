#include "model/pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/pulse.hpp"

namespace ardvark::internal {
namespace {

// The members of a prediction that have a row for each row of X.
template <typename P>
auto rows_of(P& p) {
  using Kind = std::remove_const_t<P>;
  if constexpr (std::is_same_v<Kind, StudentPrediction>)
    return std::tie(p.mean, p.scale);
  else if constexpr (std::is_same_v<Kind, NoiseMixturePrediction>)
    return std::tie(p.mean, p.variance_of_mean);
  else if constexpr (std::is_same_v<Kind, TMixturePrediction>)
    return std::tie(p.mean, p.part_mean, p.part_scale);
  else if constexpr (std::is_same_v<Kind, CountPrediction>)
    return std::tie(p.mean, p.log_mean, p.log_variance, p.part_mean, p.part_variance);
  else if constexpr (std::is_same_v<Kind, ClassPrediction>)
    return std::tie(p.probability, p.mean, p.variance);
  else
    return std::tie(p.probability);
}

template <typename P>
void put(const P& part, Index first, Index num_rows, P& all) {
  if (first == 0) all = part;  // what all rows share, too
  const auto put_one = [&](const auto& from, auto& to) {
    if (first == 0) to.conservativeResize(num_rows, from.cols());
    to.middleRows(first, from.rows()) = from;
  };
  const auto parts = rows_of(part);
  const auto wholes = rows_of(all);
  [&]<std::size_t... k>(std::index_sequence<k...>) { (put_one(std::get<k>(parts), std::get<k>(wholes)), ...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(wholes)>>());
  if constexpr (std::is_same_v<P, ClassProbabilities>)
    if (first > 0) all.most_probable.insert(all.most_probable.end(), part.most_probable.begin(), part.most_probable.end());
}

}  // namespace

Prediction predict_in_pieces(MatrixView X, const std::function<Prediction(MatrixView)>& of_rows) {
  Prediction all;
  const Index most = rows_of_a_piece(X.cols());
  for (Index first = 0; first < X.rows(); first += most) {
    pulse("predicting", {.done = first, .total = X.rows()});
    const OneStage one;
    const Prediction part = of_rows(X.row_range(first, std::min(most, X.rows() - first)));
    std::visit(
        [&](const auto& p) {
          using Kind = std::decay_t<decltype(p)>;
          if (first == 0) all.emplace<Kind>();
          put(p, first, X.rows(), std::get<Kind>(all));
        },
        part);
  }
  return all;
}

}  // namespace ardvark::internal

namespace ardvark {

Index rows_of_a_piece(Index num_columns) {
  constexpr Index most_rows = 8192, fewest_rows = 256, most_numbers = Index{1} << 23;  // 64 MB
  const Index rows = most_numbers / std::max<Index>(num_columns, 1);
  return std::clamp(rows - rows % fewest_rows, fewest_rows, most_rows);
}

}  // namespace ardvark
