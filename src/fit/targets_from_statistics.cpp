// Many targets from statistics: the fits of a small table that has the same sums.                       docs/math/targets.md (TGT.11)
#include <fmt/format.h>

#include <algorithm>

#include "ardvark/target_statistics.hpp"
#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "fit/collinear.hpp"
#include "fit/target_table.hpp"
#include "passes/small_targets.hpp"

namespace ardvark {

using namespace internal;

namespace {

void refuse_what_reads_rows(const TargetsOptions& options) {
  const FitOptions& fit = options.fit;
  if (!fit.weights.empty()) throw refused("weights", "cannot be given with statistics: they belong to the rows, in update()");
  if (options.leave_one_out) throw refused("leave_one_out", "reads rows, which statistics do not have; fit the rows themselves");
  if (options.drop_missing)
    throw refused("drop_missing",
                  "reads rows, which statistics do not have; leave out rows with gaps in update(), or fit the rows themselves");
  if (const Family family = fit.family.value_or(Family::normal); family != Family::normal)
    throw wrong("family", to_string(family), "it reads the rows themselves, and statistics do not have them");
  if (fit.scaling != Scaling::deviation)
    throw refused("scaling", "by the largest values reads the rows themselves, and statistics do not have them");
  if (fit.prior.kind == PriorKind::laplace && !(fit.prior.lambda > 0))
    throw refused("prior", "is 'laplace' without a lambda; its cross-validation reads rows, which statistics do not have: give a lambda");
}

void refuse_large_columns(const Matrix& cross, const std::vector<std::string>& names) {
  for (Index j = 0; j < cross.rows(); ++j)
    if (!cross.col(j).tail(cross.rows() - j).allFinite())
      throw wrong_column(validate::column_name(names, j), "has squares whose sum is beyond the range of numbers", "rescale the column");
}

void warn_of_explained(const SmallTargets& table, TargetsFit& fit) {
  const auto count = std::ranges::count(table.is_explained, true);
  if (count > 0)
    fit.warnings.push_back(
        fmt::format("the columns explain {} target{} up to the rounding of cross-products: the noise of these is too uncertain to be "
                    "trusted; a fit of the "
                    "rows themselves keeps it",
                    count, count == 1 ? "" : "s"));
}

}  // namespace

TargetsFit fit_targets(const TargetStatistics& statistics, const TargetsOptions& given) {
  const Stopwatch watch;
  refuse_what_reads_rows(given);
  const blas::ThreadScope threads(given.fit.threads);
  const ClosedTargets closed = statistics.state().closed();
  const TargetStatistics::State& state = closed.get();
  if (!(state.sums.weight > 0)) throw InvalidArgument("the statistics have no rows: call update() first");
  TargetsOptions options = given;
  if (options.fit.column_names.empty()) options.fit.column_names = state.columns;
  const Matrix cross = state.sums.cross.value().selfadjointView<Eigen::Lower>();
  refuse_large_columns(cross, options.fit.column_names);
  const SmallTargets table = small_targets(state, is_about_the_mean(options.fit));
  refuse_collinear_columns(cross, table.X, table.stand_in, options.fit, "fit the rows themselves, ");
  const Vector weights = Vector::Constant(table.X.rows(), table.stand_in.weight);
  options.fit.weights = weights;
  TargetsFit fit = fit_target_table({table.X, table.Y, table.stand_in, table.origin, state.status}, options);
  warn_of_explained(table, fit);
  fit.seconds = watch.seconds();
  return fit;
}

}  // namespace ardvark
