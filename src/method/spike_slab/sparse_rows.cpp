// Working rows under the priors sparse, slab and dense, whatever their likelihood.                                  docs/math/sparse.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "design/column_panels.hpp"
#include "frame/conditioning.hpp"
#include "frame/describe.hpp"
#include "frame/prior_partition.hpp"
#include "method/spike_slab/class_grid.hpp"
#include "method/spike_slab/class_starts.hpp"
#include "method/spike_slab/row_covariance.hpp"
#include "method/spike_slab/sparse_classes.hpp"
#include "posterior/decomposition.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

constexpr double vague = 0.01;          // s / (m^2 + s) of a row whose class is certain: the parts of the grid disagree on it
constexpr double most_to_repeat = 4e7;  // multiplications of a Gram matrix; if it needs fewer, each cell of the grid may have its own

// With no more columns than rows from one matrix of all columns per component, otherwise as for new rows.                (SP.7), (SL.8)
MomentsOfRows moments_of_rows(const Mixture& mixture, MatrixView X, const Standardization& standardization) {
  const Index num_columns = X.cols() + (standardization.intercept ? 1 : 0);
  const bool is_wide = static_cast<Index>(mixture.columns.size()) > X.rows();
  std::vector<Vector> means;
  std::vector<Matrix> roots;
  for (const MixtureComponent& one : mixture.components) {
    if (is_wide) break;
    ComponentOfMixture all = component_of_mixture(mixture, one, num_columns);
    means.push_back(std::move(all.mean));
    roots.push_back(lower_root(all.covariance));
  }
  return [X, &standardization, means, roots](const Mixture& of, Index first, Index count) {
    const auto some = table_design(X.row_range(first, count), standardization);
    if (means.empty()) return of.component_moments(*some);
    const auto components = static_cast<Index>(means.size());
    ComponentMoments out{Matrix(count, components), Matrix(count, components)};
    Vector of_rows(count);
    for (Index c = 0; c < components; ++c) {
      some->apply(means[static_cast<std::size_t>(c)], of_rows);
      out.mean.col(c) = of_rows;
      some->row_variance(roots[static_cast<std::size_t>(c)], of_rows);
      out.variance.col(c) = of_rows;
    }
    return out;
  };
}

// What both ways to fit need.
struct Problem {
  ClassRows& rows;
  const PenalisedColumns& which;
  SpikeSlabSettings slab;
  SparseParts parts;
  ClassStepSettings steps;
  int max_sweeps;
  Index threads;
};

// The posterior of the weights, and the fits that it averages.
struct AveragedPosterior {
  AveragedFits averaged;
  SparsePosterior posterior;
  bool is_rough = false;  // in memory, each part of the grid would have rows of its own                                      (SL.11)
};

// The blocks of columns that are correlated if all rows have the same log odds. All points of the grid use them.                (SP.13)
std::shared_ptr<const ColumnSets> first_sets(const Problem& problem) {
  const WorkingSites sites = problem.rows.first_sites();
  ReducedRows reduced;
  const bool can_be_told = problem.rows.reduce(problem.which, sites, problem.rows.target_of(sites), KeepBasis::no, reduced);
  return can_be_told ? sets_of(problem.which, reduced) : nullptr;
}

// Few columns: the average over all values of the hyper-parameters. None: no fit reached a finite bound.             (SP.21), (SL.10)
std::optional<AveragedPosterior> average_over_grid(const Problem& problem) {
  const PenalisedColumns& which = problem.which;
  ClassRows& rows = problem.rows;
  const bool with_effects = problem.parts != SparseParts::dense_only;
  const auto blocks = with_effects ? first_sets(problem) : nullptr;
  const auto sets = blocks ? blocks : std::make_shared<const ColumnSets>(groups_of(which));
  const ClassGridSettings settings{problem.steps, problem.parts, problem.threads};
  ClassGrid found = fit_class_grid(rows, which, sets, problem.slab, settings);
  // If some log odds are almost certain, the working rows depend on the hyper-parameters.                                     (SL.11)
  const double work = static_cast<double>(rows.num_rows()) * std::pow(static_cast<double>(which.size()), 2);
  const bool depends = found.extent.farthest > rows.saturated() && work < most_to_repeat;
  if (depends && rows.design() != nullptr && found.status != Status::stopped_by_user)
    found = fit_class_cells(rows, which, sets, problem.slab, settings);
  if (found.grid.points.empty()) return std::nullopt;
  StartOutcome& best = found.grid.points[found.grid.best];
  best.bound = found.grid.log_evidence;
  best.history = found.history;
  best.sweeps = found.steps;
  best.status = found.status;
  return AveragedPosterior{averaged_grid(std::move(found.grid)), std::move(found.posterior),
                           depends && rows.design() == nullptr && found.extent.vaguest > vague};
}

// Many columns: the starts.                                                                                            (SP.8), (SL.12)
std::optional<AveragedPosterior> from_starts(const Problem& problem) {
  const ClassStartSettings settings{problem.steps, problem.max_sweeps, problem.parts, problem.threads};
  ClassStarts found = fit_class_starts(problem.rows, problem.which, problem.slab, settings);
  if (!(found.weight.size() > 0 && found.weight.sum() > 0)) return std::nullopt;
  const std::vector<std::shared_ptr<const ReducedRows>> each(found.starts.size(), found.rows);
  SparsePosterior posterior = posterior_of(problem.which, found.starts, each, found.weight, problem.slab.seen());
  return AveragedPosterior{{std::move(found.starts), std::move(found.weight), std::nullopt}, std::move(posterior)};
}

// The solution without its rows.
Solution solve_classes(const Frame& frame, const PenalisedColumns& which, ClassRows& rows, const SpikeSlabSettings& slab,
                       ClassStepSettings steps, const Correlations& in_table) {
  const FitOptions& options = frame.options;
  require_weights_that_leave_digits(options, frame.rows);
  const int threads = blas::num_threads();
  steps.tolerance = options.tolerance.value_or(has_classes(frame.task) ? 2e-3 : 1e-3);
  steps.max_steps = options.max_sweeps;
  std::optional<AveragedPosterior> found;
  {
    const blas::ThreadScope one{1};
    run_reported(options, bound_offset(which.flat, frame.units, frame.rows), [&](const SweepReport& report_sweep) {
      steps.on_step = report_sweep;
      const Problem problem{rows, which, slab, parts_of(options.prior.kind), steps, options.max_sweeps, threads};
      found = is_averaged(which, frame.rows) ? average_over_grid(problem) : from_starts(problem);
    });
  }
  if (!found) return failed_solution(frame, "no start reached a finite bound");
  Solution out = solution_of(frame, which, found->averaged, std::move(found->posterior), in_table);
  out.proper_intercept = rows.is_proper();
  if (found->is_rough)
    out.report.warnings.emplace_back(
        "some rows are almost certain of their class, but their log odds are vague, as those of a rare level of which all rows have one "
        "class: there the fit by passes and the fit in memory may differ, in weights by up to a standard deviation; to avoid it, read the "
        "table into memory");
  return out;
}

}  // namespace

SpikeSlabSettings slab_of_rows(const Frame& frame, double noise, SparseParts parts, const Vector& squares) {
  SpikeSlabSettings slab;
  slab.num_rows = frame.rows;
  slab.noise = noise;
  if (squares.size() > 0) slab.take_units(squares);
  slab.kappa_tail = has_noise(frame.task) ? 0.5 : 1;
  if (!has_noise(frame.task)) slab.grid = prior_of_class_grid;
  slab.fit_noise = false;
  slab.least_kappa = 1 / slab.seen();  // (SL.12)
  slab.fit_dense = parts != SparseParts::slab_only;
  return slab;
}

// A log likelihood is about the sum of the weights; above this sum, its rounding is a nat, and no two fits can be compared.
void require_weights_that_leave_digits(const FitOptions& options, double sum) {
  constexpr double most = 1e15;
  if (sum <= most) return;
  throw InvalidArgument(fmt::format(
      "the sum of the weights is {:.6g}; under prior {}, classes need a sum of at most {:g}, because rounding hides the differences of "
      "larger log likelihoods: a weight is a number of repetitions; divide all weights by the same number, or take prior shared",
      sum, to_string(options.prior.kind), most));
}

MomentsOfRows moments_of_rows(const Mixture& mixture, Design& X) {
  ComponentMoments all;
  if (static_cast<Index>(mixture.columns.size()) > X.rows()) {
    all = mixture.component_moments(X);
  } else {
    const auto components = static_cast<Index>(mixture.components.size());
    all = {Matrix(X.rows(), components), Matrix(X.rows(), components)};
    Vector of_rows(X.rows());
    for (Index c = 0; c < components; ++c) {
      const ComponentOfMixture one = component_of_mixture(mixture, mixture.components[static_cast<std::size_t>(c)], X.cols());
      X.apply(one.mean, of_rows);
      all.mean.col(c) = of_rows;
      X.row_forms(one.covariance, of_rows);
      all.variance.col(c) = of_rows;
    }
  }
  for (std::size_t c = 0; c < mixture.components.size(); ++c)
    all.variance.col(static_cast<Index>(c)).array() += mixture.components[c].beside;
  return [all](const Mixture&, Index first, Index count) {
    return ComponentMoments{all.mean.middleRows(first, count), all.variance.middleRows(first, count)};
  };
}

Matrix correlations_in(const Frame& frame, const std::vector<Index>& columns) {
  Matrix some(frame.X.rows(), std::ssize(columns));
  const auto whole = frame.design();
  for (Index i = 0; i < some.cols(); ++i) whole->columns(columns[static_cast<std::size_t>(i)], 1, some.middleCols(i, 1));
  return correlations_from(some.transpose() * frame.k.asDiagonal() * some);
}

ComponentOfMixture component_of_mixture(const Mixture& mixture, const MixtureComponent& one, Index num_columns) {
  ComponentOfMixture out{Vector::Zero(num_columns), {}};
  out.mean(mixture.columns) = one.w;
  out.mean(mixture.flat_columns) = one.flat_mean;
  out.covariance = with_flat(one.covariance(), mixture.columns, mixture.flat_columns, *one.basis, num_columns, one.dense().flat);
  return out;
}

Solution solve_sparse_rows(const Frame& frame, const PenalisedColumns& which, ClassRows& rows, const Vector& squares,
                           ClassStepSettings steps, const Correlations& in_table) {
  SpikeSlabSettings slab = slab_of_rows(frame, rows.noise(), parts_of(frame.options.prior.kind), squares);
  return solve_classes(frame, which, rows, slab, std::move(steps), in_table);
}

std::unique_ptr<Design> TableOfRows::design() const {
  if (sparse) return std::make_unique<SparseDesign>(X.dense("a copy of its rows"), standardization, sparse);
  return X.design(standardization);
}

MomentsOfRows TableOfRows::moments(const Mixture& posterior) const {
  const bool are_sparse = sparse != nullptr || !X.is_dense();
  return are_sparse ? moments_of_rows(posterior, *design()) : moments_of_rows(posterior, X.dense("a copy of its rows"), standardization);
}

void require_decomposition(const Frame& frame, const PenalisedColumns& which) {
  if (std::min(frame.X.rows(), which.size()) > most_to_decompose)
    throw refused("prior", to_string(frame.options.prior.kind),
                  fmt::format("with {} needs a decomposition, which is too expensive for {} rows and {} columns; use prior {}",
                              has_classes(frame.task) ? "classes" : facts_of(frame.task).name, frame.X.rows(), which.size(),
                              has_classes(frame.task) ? "laplace" : "shared"));
}

Solution solve_table(Frame& frame, const PenalisedColumns& which, TableOfRows& table, const Vector& k,
                     const std::function<std::unique_ptr<RowsInMemory>(std::unique_ptr<Design>)>& make_rows) {
  const FitOptions& options = frame.options;
  Vector squares;
  {
    const auto design = table.X.design(table.standardization);
    warn_of_flat_columns(*design, which.flat, k, options.column_names, frame.warnings);
    if (which.size() > 0 && !options.standardize) {
      squares = Vector::Zero(which.size());
      for_column_panels(*design, which.columns,
                        [&](const auto& panel, const std::vector<Index>& at) { squares(at) = panel.cwiseAbs2().transpose() * k; });
    }
  }
  if (which.size() <= table.X.rows() && table.X.is_dense())
    table.sparse = SparseRows::of(table.X.dense("a copy of its rows"), table.standardization);

  const std::unique_ptr<RowsInMemory> rows = make_rows(table.design());
  if (!is_averaged(which, frame.rows)) rows->set_products(products_of(options, table.X.rows(), which.size()));
  const bool has_groups = which.num_groups() < which.size();
  if (options.prior.kind == PriorKind::slab && !has_groups) rows->set_rotation(Rotation::to_triangle);
  ClassStepSettings steps;
  if (rows->products() == Products::single_precision) steps.rounding = 1e-8 * static_cast<double>(k.size());
  const auto in_table = [&](const std::vector<Index>& columns) { return correlations_in(frame, columns); };
  return solve_sparse_rows(frame, which, *rows, squares, std::move(steps), in_table);
}

}  // namespace ardvark::internal
