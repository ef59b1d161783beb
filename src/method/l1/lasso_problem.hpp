// One regression under a Laplace prior as its searches see it: columns, what is flat, units.                         docs/math/l1.md
#pragma once

#include <memory>
#include <vector>

#include "core/stopwatch.hpp"
#include "frame/frame.hpp"
#include "method/l1/coordinate_ascent.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {

/// The columns, which of them are flat, and the search. Lambdas are in the units of the caller: a linear target is scaled inside.
struct LassoProblem {
  explicit LassoProblem(const Frame& frame);
  [[nodiscard]] RowLoss loss() const { return is_linear ? RowLoss::squared : RowLoss::logistic; }
  [[nodiscard]] double lambda_max() { return unit * ascent.lambda_max(); }
  CoordinateOutcome solve(double lambda, const CoordinateSettings& settings) { return ascent.solve(lambda / unit, settings); }

  std::unique_ptr<Design> table;
  std::shared_ptr<ColumnStore> store;
  bool is_linear;
  double unit, rows, square;
  std::vector<Index> flat;
  Index num_penalised;
  CoordinateAscent ascent;
};

/// The posterior of the noise precision, in the units of the design, if so many columns are not zero.                          (L1.11)
[[nodiscard]] GammaDistribution noise_of(double squared_residuals, double rows, Index num_columns, double square_of_target);

/// ln p(t, w | lambda), and the noise precision, from the maximised terms, F.                                           (L1.1), (L1.10)
struct LogDensity {
  double constant = 0, factor = 1;
  [[nodiscard]] double operator()(double objective) const { return constant + factor * objective; }
};
[[nodiscard]] LogDensity log_density_of(const LassoProblem& problem, double lambda, double noise_precision = 1);

/// \param options  must exist as long as the settings
[[nodiscard]] CoordinateSettings settings_of(const FitOptions& options, const LogDensity& density, const Stopwatch& watch);
[[nodiscard]] Report report_of(const CoordinateOutcome& outcome, const LogDensity& density);

/// Writes a path while its lambdas are solved, one after the other.
class PathWriter {
 public:
  /// The three must exist as long as the writer.
  PathWriter(const Frame& frame, const LassoProblem& problem, const std::vector<double>& lambdas, double lambda_max);
  /// The mode at the next lambda.
  void add(const CoordinateOutcome& outcome);
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index last_nonzero() const { return path_.num_nonzero.back(); }
  /// The path up to the last lambda that was added.
  [[nodiscard]] LambdaPath end();

 private:
  const Frame& frame_;
  const LassoProblem& problem_;
  const std::vector<double>& lambdas_;
  LambdaPath path_;
  Index count_ = 0;
};

}  // namespace ardvark::internal
