#include "method/spike_slab/prior_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "method/spike_slab/sparse.hpp"
#include "posterior/decomposition.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

std::string obstacle_to_sparse(const FitOptions& options, Task task, Index num_rows, Index num_columns, const std::string& need_of_small) {
  if (const std::string name = foreign_to_sparse(options, task); !name.empty()) return fmt::format("{} cannot be used with it", name);
  if (!need_of_small.empty()) return "it " + need_of_small;
  const bool is_large = std::min(num_rows, num_columns) > most_to_decompose;
  if (is_large && !has_normal_noise(options, task) && !is_fitted_wide(options, task, num_rows, num_columns))
    return fmt::format("{}{} rows and {} columns are too many for its decomposition", has_noise(task) ? "with Student-t noise, " : "",
                       num_rows, num_columns);
  return {};
}

}  // namespace

PriorChoice choose_prior(PriorKind asked, const std::string& obstacle, double rows, Index num_columns) {
  if (asked != PriorKind::automatic) return {asked, ""};
  if (obstacle.empty()) return {PriorKind::sparse, ""};
  const bool ard = rows >= 5 * static_cast<double>(num_columns);
  return {ard ? PriorKind::ard : PriorKind::shared,
          fmt::format("prior auto: {} was taken, not sparse, because {}; {:.10g} rows are {} 5 times {} columns{}", ard ? "ard" : "shared",
                      obstacle, rows, ard ? "at least" : "fewer than", num_columns,
                      ard ? "" : " (the intervals of ARD are too narrow with so few rows)")};
}

ChosenOptions with_chosen_prior(const FitOptions& options, Task task, Index num_rows, Index num_columns, const std::string& need_of_small) {
  const VectorView& k = options.weights;
  const double rows = k.empty() ? static_cast<double>(num_rows) : std::accumulate(k.begin(), k.end(), 0.0);
  const std::string obstacle = obstacle_to_sparse(options, task, num_rows, num_columns, need_of_small);
  PriorChoice choice = choose_prior(options.prior.kind, obstacle, rows, num_columns);
  const bool is_chosen = options.prior.kind == PriorKind::automatic;
  if (is_chosen && obstacle.empty() && num_rows > most_to_decompose_soon && num_columns > num_rows &&
      is_fitted_wide(options, task, num_rows, num_columns))
    choice = {
        PriorKind::slab,
        fmt::format("prior auto: slab was taken, not sparse, because the decomposition of {} rows takes minutes; many small effects {}",
                    num_rows, has_noise(task) ? "count as noise" : "are left out")};
  if (is_chosen && choice.kind == PriorKind::ard && has_noise(task) && std::min(num_rows, num_columns) > most_to_decompose)
    choice = {PriorKind::shared, fmt::format("prior auto: shared was taken, not sparse, because {}; ard needs a matrix of {} x {} numbers",
                                             obstacle, num_columns, num_columns)};
  ChosenOptions chosen{options, std::move(choice.note), need_of_small};
  chosen.options.prior.kind = choice.kind;
  const Index of_table = num_columns + (options.exposure.empty() ? 0 : 1);
  if (is_sparse(choice.kind)) validate_sparse(chosen.options, task, of_table);
  return chosen;
}

}  // namespace ardvark::internal
