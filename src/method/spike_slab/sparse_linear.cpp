// Linear regression under the priors sparse, slab and dense.                                                        docs/math/sparse.md
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "frame/conditioning.hpp"
#include "frame/noise_prior.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "frame/separation.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "posterior/decomposition.hpp"

namespace ardvark::internal {

// The noise has no prior, so its posterior needs a row more than the columns without a prior, which meet as many rows as they are. A table
// of one row is fitted nevertheless: its mean is that row.
void require_row_for_noise(const FitOptions& options, double rows, Index num_flat) {
  const bool intercept_only = num_flat == (options.intercept ? 1 : 0);
  if (intercept_only || rows - static_cast<double>(num_flat) >= 2 * least_noise_shape) return;
  throw InvalidArgument(fmt::format(
      "{:.10g} rows cannot determine the noise and {} columns without a prior{}; under prior {}, a linear fit needs more rows than these "
      "columns{}: make fewer columns flat (--flat)",
      rows, num_flat, options.intercept ? ", the intercept among them" : "", to_string(options.prior.kind),
      options.weights.empty() ? "" : " (their number is the sum of the weights)"));
}

SpikeSlabSettings slab_of_regression(Frame& frame, const Vector& squares, Index num_flat, double square_of_target, double degrees) {
  SpikeSlabSettings slab;
  slab.num_rows = frame.rows;
  if (squares.size() > 0) slab.take_units(squares);
  // With a constant target, the noise has no scale, and the bound no limit: use the rounding of a target with spread 1.          (SP.11)
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  const double around_flat = square_of_target / std::max(degrees, 1.0);
  const NoiseDegrees of_noise{frame.rows, num_flat, squares.size()};
  slab.least_s2 = around_flat > 0 ? (of_noise.show_noise() ? 1e-10 : 1e-8) * around_flat : rounding * rounding;  // (SP.5)
  if (!(degrees > 0))
    frame.warnings.emplace_back(
        "the data do not determine the noise: the table has one row, and the intercept meets it; ignore the noise, the intervals and the "
        "bound");
  slab.least_kappa = 4 / slab.seen();
  slab.kappa_tail = 0.5;
  return slab;
}

Solution solve_sparse_linear(Frame& frame) { return is_wide(frame) ? solve_wide_linear(frame) : solve_linear_in_memory(frame); }

namespace {

struct SlabTable {
  PenalisedColumns which;
  SparseParts parts = SparseParts::both;
  Rotation rotation = Rotation::to_diagonal;
  Vector squares;  // [p] of the columns
  std::shared_ptr<const ColumnSets> sets;

  // Which columns are correlated enough for a block, and in which order: by their products with the target.                   (SP.13)
  void take_sets(const ReducedRows& rows) {
    sets = may_block() ? sets_of(which, rows) : std::make_shared<const ColumnSets>(groups_of(which));
  }
  // No blocks without rotation: the correlations of so many columns cost as much as the rotation.
  [[nodiscard]] bool may_block() const { return parts != SparseParts::dense_only && rotation == Rotation::to_diagonal; }
  void take(ReducedRows& rows) {
    squares = rows.Z().colwise().squaredNorm();
    take_sets(rows);
    rows.systems = group_systems(rows, *sets, parts != SparseParts::slab_only);
  }
};

struct SlabColumns final : MethodColumns {
  SlabTable table;
  std::unique_ptr<ReducedColumns> reduced;
};

SlabTable table_of(const Frame& frame) {
  SlabTable out;
  out.which = penalised_columns(frame.options, frame.X.cols(), frame.left_out);
  out.parts = parts_of(frame.options.prior.kind);
  return out;
}

bool is_too_large_to_rotate(const Frame& frame, const SlabTable& table) {
  return std::min(frame.X.rows(), table.which.size()) > most_to_decompose;
}

void reduce_one(Frame& frame, SlabTable& table, ReducedRows& rows) {
  const FitTable X = frame.X;
  const FitOptions& options = frame.options;
  const auto design = X.design(frame.units.standardization, std::move(frame.memory));
  const PenalisedColumns& which = table.which;
  if (is_too_large_to_rotate(frame, table)) {
    if (table.parts == SparseParts::dense_only)
      throw refused("prior", "dense",
                    fmt::format("needs a decomposition, which is too expensive for {} rows and {} columns; use prior shared, a ridge that "
                                "is fitted without one",
                                X.rows(), which.size()));
    if (table.parts == SparseParts::both)
      frame.warnings.push_back(fmt::format(
          "the dense part is off: its decomposition is too expensive for {} rows and {} columns; many small effects count as noise",
          X.rows(), which.size()));
    table.parts = SparseParts::slab_only;
    table.rotation = Rotation::as_they_are;
  }
  warn_of_flat_columns(*design, which.flat, frame.k, options.column_names, frame.warnings);
  if (!reduce_rows(*design, which, frame.k, frame.target, frame.rows, KeepBasis::no, rows, table.rotation,
                   products_of(options, X.rows(), which.size())))
    throw InvalidArgument(dependent_flat_columns);
  table.take(rows);
}

}  // namespace

std::shared_ptr<const MethodColumns> sparse_columns(const Frame& columns) {
  if (!has_normal_noise(columns.options, Task::linear) || is_wide(columns)) return {};
  auto out = std::make_shared<SlabColumns>();
  out->table = table_of(columns);
  if (is_too_large_to_rotate(columns, out->table)) return {};
  out->reduced = reduce_columns(*columns.design(), out->table.which, columns.k, columns.rows);
  if (!out->reduced) return {};
  ReducedRows& rows = out->reduced->rows;
  constexpr Index wide = 16;  // columns for each row: with more, the lists cost as much as the blocks of many targets
  if (out->table.may_block() && out->table.which.num_groups() == rows.size() && rows.size() <= wide * rows.rank())
    rows.near = near_columns(rows);
  out->table.take(rows);
  return out;
}

Solution solve_linear_in_memory(Frame& frame) {
  const FitOptions& options = frame.options;
  const auto shared = std::dynamic_pointer_cast<const SlabColumns>(frame.of_columns);
  SlabTable table = shared ? shared->table : table_of(frame);
  const PenalisedColumns& which = table.which;
  const auto num_flat = std::ssize(which.flat);
  require_rows(options, frame.rows, num_flat);
  require_row_for_noise(options, frame.rows, num_flat);
  const int threads = blas::num_threads();
  const auto reduced = std::make_shared<ReducedRows>();  // the starts and the posterior share it
  ReducedRows& rows = *reduced;
  if (shared) {
    rows = shared->reduced->with_target(frame.target);
    table.take_sets(rows);  // systems are those of groups, which do not depend on the target; blocks are too small to have any
  } else {
    reduce_one(frame, table, rows);
  }
  const SparseParts parts = table.parts;
  const auto& sets = table.sets;
  const SpikeSlabSettings slab = slab_of_regression(frame, table.squares, num_flat, rows.rest + rows.y.squaredNorm(), rows.degrees);
  const bool over_grid = is_averaged(which) && table.rotation == Rotation::to_diagonal;
  AveragedFits averaged;
  SparsePosterior posterior;
  {
    const blas::ThreadScope one{1};
    run_reported(options, bound_offset(which.flat, frame.units, frame.rows), [&](const SweepReport& report_sweep) {
      AscentSettings ascent;
      ascent.tolerance = options.tolerance.value_or(ascent.tolerance);
      ascent.max_sweeps = options.max_sweeps;
      ascent.on_sweep = report_sweep;
      if (over_grid) {
        HyperGrid grid = run_grid(rows, which, sets, slab, {.ascent = ascent, .parts = parts}, threads);
        posterior = posterior_of(which, grid, reduced);
        averaged = averaged_grid(std::move(grid));
      } else {
        averaged.fits = run_starts(rows, which, sets, slab, ascent, parts, threads);
        std::vector<double> bounds;
        for (const StartOutcome& start : averaged.fits) bounds.push_back(start.bound);
        averaged.weight = start_weights(bounds);  // (SP.8)
      }
    });
  }
  if (!(averaged.weight.sum() > 0)) return failed_solution(frame, "no start reached a finite bound");
  if (!over_grid) {
    const std::vector<std::shared_ptr<const ReducedRows>> each(averaged.fits.size(), reduced);
    posterior = posterior_of(which, averaged.fits, each, averaged.weight, slab.seen(), frame.needs_signs ? Signs::known : Signs::unknown);
  }
  Solution out = solution_of(frame, which, averaged, std::move(posterior));
  rows.gram.reset();
  rows.systems.clear();
  // |y - F beta - X w|^2 = the part outside the rows of Z, and |y~ - Z w|^2.                                                     (SP.2)
  out.rows.missed = rows.rest + (rows.y - rows.Z() * out.w(which.columns)).squaredNorm();
  return out;
}

}  // namespace ardvark::internal
