// What a regression and working rows have in common if only some columns are in memory.        docs/math/sparse.md (SP.26), (SP.27)
#pragma once

#include "method/spike_slab/sparse_fit.hpp"
#include "method/spike_slab/wide_search.hpp"

namespace ardvark::internal {

/// With no more numbers in the matrix that a fit of all columns makes (128 MB), that fit is faster.
inline constexpr Index most_at_once = Index{1} << 24;
/// The same for working rows, which need this matrix in each step (16 MB): classes, counts, Student-t noise.
inline constexpr Index most_at_once_of_steps = Index{1} << 21;

/// Each start of a fit of all columns visits every column in each sweep, however few rows there are: with 3 rows and 200,000 columns for
/// minutes. With more columns than this and fewer rows, a fit takes some of them at a time.
inline constexpr Index most_columns_at_once = Index{1} << 15;

inline constexpr int most_rounds = 40;
inline constexpr double rough = 50;            ///< while many columns come in, starts end at so many tolerances
inline constexpr std::size_t many_more = 20;   ///< columns
inline constexpr double least_to_tell = 0.02;  ///< inclusion of a column that is not followed, although it should be

/// The parts of the prior; a warning says if the dense part is too expensive. \param num_columns  with the prior
[[nodiscard]] SparseParts wide_parts(Frame& frame, Index num_columns);
/// A note on the search, and a warning if it is not complete.
void tell_of_search(Index num_active, Index num_columns, int passes, bool is_complete, Frame& frame, Solution& out);

/// [p] Sums of weight times squared entry of the columns, before the flat columns are projected out.
[[nodiscard]] Vector squares_of(const Frame& frame, const PenalisedColumns& which);
/// The same with these weights, of the rows of the table.
[[nodiscard]] Vector squares_of(const Frame& frame, const PenalisedColumns& which, const Vector& weights);

/// A fit after its last pass.
struct WideOutcome {
  const WideTable& table;
  const WideSearch& search;
  const PenalisedColumns& all;
  const AveragedFits& averaged;
  const std::vector<std::vector<std::size_t>>& members;  ///< of each component of the posterior: its starts
  std::vector<Index> places;                             ///< of each start: its products in the last pass
};

/// X X', both triangles.
[[nodiscard]] Matrix gram_of_rows(Design& X);
/// The posterior of all columns with a dense part: the mean of every column, and `count` directions of the rows.             (SP.27)
[[nodiscard]] Mixture with_all_columns(const Mixture& of_active, const WideOutcome& fit, Index count);
/// As Marginals::effective_parameters, of a component of the active columns that stands for all.
[[nodiscard]] double effective_parameters_of(const MixtureComponent& one);
[[nodiscard]] double effective_parameters_of(const Mixture& of_active);
/// The posterior of all columns with as many directions of the rows as the options let it keep; a note says if these are not all.
[[nodiscard]] Mixture kept_of_all_columns(const Mixture& of_active, const WideOutcome& fit, Frame& frame);
/// Replaces the posterior of the active columns by that of all.
void take_all_columns(const Mixture& of_active, const WideOutcome& fit, Frame& frame, Solution& out);
/// The variance of predictions from effects of columns that are not active, of a posterior without a dense part.                (SP.26)
void add_beside(const WideOutcome& fit, Mixture& of_active);
/// Results for the columns that are not active.
void tell_of_others(const WideOutcome& fit, const Frame& frame, Solution& out);

}  // namespace ardvark::internal
