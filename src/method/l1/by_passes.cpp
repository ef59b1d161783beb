#include "method/l1/by_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "frame/prepare.hpp"
#include "method/l1/l1_points.hpp"
#include "method/l1/lasso.hpp"

namespace ardvark::internal {
namespace {

constexpr double beyond_all = 1e300;  // as lambda, it keeps a weight at zero

class LassoPasses {
 public:
  LassoPasses(Frame frame, Passes& passes, const KnownRows& known, const StartOfPath& start)
      : frame_(std::move(frame)), passes_(passes), known_(known), start_(start), flat_(flat_columns_of(frame_)) {
    for (Index j = 0; j < frame_.num_columns(); ++j)
      if (!frame_.left_out[static_cast<std::size_t>(j)] && !std::ranges::binary_search(flat_, j)) penalised_.push_back(j);
    w0_ = Vector::Zero(size());
    if (!frame_.options.intercept) return;
    const double share = std::clamp(known_.share, 1e-300, 1 - 1e-16);
    w0_[size() - 1] = std::log(share / (1 - share));
  }

  LassoByPasses run(ClassTally& scores) {
    if (std::optional<Solution> none = without_posterior()) return {std::move(*none), {frame_.options}};
    ChosenLambda chosen{frame_.options};
    if (chosen.options.prior.lambda == 0) chosen = choose();
    frame_.options = chosen.options;
    return {fit(scores), std::move(chosen)};
  }

 private:
  [[nodiscard]] Index size() const { return known_.to_class.size(); }
  [[nodiscard]] Vector length() const { return known_.cross.diagonal().cwiseMax(0.0).cwiseSqrt(); }
  [[nodiscard]] Vector lambdas(double lambda) const {
    Vector out = Vector::Constant(size(), lambda);
    out(flat_).setZero();
    return out;
  }

  // Columns without a prior that are dependent, or separate rows: a fit to them alone says so.                                    (L1.13)
  std::optional<Solution> without_posterior() {
    if (flat_.size() == (frame_.options.intercept ? 1U : 0U)) return std::nullopt;
    Solution found = solve_flat_by_passes(frame_, penalised_, passes_);
    if (found.report.status != Status::separated && found.report.status != Status::not_positive_definite) {
      if (found.usable) w0_ = found.w;
      return std::nullopt;
    }
    Solution out = solution_of(LassoSums{{}, Vector(), Matrix(0, 0), 0}, flat_, frame_, {});
    out.report = {};
    leave_no_posterior(found.report.status, found.report.message, out);
    return out;
  }

  // ---- one lambda -----------------------------------------------------------------------------------------------------------------------

  L1Point point_at(double lambda, Vector start) const {
    L1Point point;
    point.lambda = lambdas(lambda);
    point.unit = lambda;
    point.w = std::move(start);
    return point;
  }

  Solution fit(ClassTally& scores) {
    const FitOptions& options = frame_.options;
    const double lambda = options.prior.lambda, constant = log_prior_constant(static_cast<Index>(penalised_.size()), lambda);
    Vector start = best_.size() > 0 ? best_ : w0_;
    if (best_.size() == 0)
      if (const Matrix found = start_({lambda}); found.size() > 0) start = found.col(0);
    std::vector<L1Point> points{point_at(lambda, std::move(start))};
    const L1Point& point = points.front();
    L1Points search(passes_, length());
    L1Settings settings;
    settings.tolerance = options.tolerance.value_or(settings.tolerance);
    settings.max_rounds = options.max_sweeps;
    const Stopwatch watch;
    if (options.on_sweep)
      settings.on_round = [&] {
        return options.on_sweep({static_cast<int>(point.objective.size()), constant + point.value(), watch.seconds()});
      };
    const Status status = search.run(points, settings);
    Solution out = solution_at(point, search.gram_at(point), report_of(point, status, constant, settings.tolerance));
    const bool all_zero = (point.w(penalised_).array() == 0).all();
    finish_lasso(options, all_zero ? most_of(point.gradient) : std::numeric_limits<double>::infinity(), out);
    if (out.usable) scores = passes_.scores({{1.0, {out.w, out.factor.covariance(size())}}});
    return out;
  }

  [[nodiscard]] double most_of(const Vector& gradient) const {
    return penalised_.empty() ? 0.0 : gradient(penalised_).cwiseAbs().maxCoeff();
  }

  Report report_of(const L1Point& point, Status status, double constant, double tolerance) const {
    Report report;
    report.status = status;
    report.solver = SolverKind::coordinate;
    report.solver_reason = "Newton steps, each from a pass over the rows";
    report.sweeps = static_cast<int>(point.objective.size());
    report.bound = constant + point.value();
    report.bound_history = point.objective;
    for (double& bound : report.bound_history) bound += constant;
    const std::string size = point.violation > 0 ? fmt::format("{:.2g} lambda", point.violation) : "rounding";
    const std::string effort = fmt::format("after {} passes over the rows", passes_.count());
    if (status == Status::converged)
      report.message = fmt::format("the optimality conditions hold within {} {}{}", size, effort,
                                   point.violation > tolerance ? "; rounding limits the precision" : "");
    else
      report.message = fmt::format("{}the optimality conditions are violated by {} {}",
                                   status == Status::stopped_by_user ? "stopped; " : "", size, effort);
    return report;
  }

  Solution solution_at(const L1Point& point, const Matrix& gram, Report report) const {
    LassoSums mode;
    for (Index j = 0; j < size(); ++j)
      if (point.w[j] != 0 || std::ranges::binary_search(flat_, j)) mode.columns.push_back(j);
    mode.w = point.w(mode.columns);
    mode.gram = gram(mode.columns, mode.columns);
    mode.explained = mode.w.dot(mode.gram * mode.w);
    return solution_of(mode, flat_, frame_, std::move(report));
  }

  // ---- the choice of lambda -------------------------------------------------------------------------------------------------------------

  // Standardised columns, from the sums over the rows: the fit may leave the columns as they are.                                (L1.14)
  [[nodiscard]] RowFolds folds() const {
    const Index p = frame_.num_columns();
    const Vector sd = (known_.cross.diagonal().head(p) / known_.weight).cwiseMax(0.0).cwiseSqrt();
    const double spread_of_class = std::sqrt(known_.share * (1 - known_.share));
    const Vector correlation = (sd.array() > 0).select(known_.to_class.head(p).cwiseQuotient(known_.weight * spread_of_class * sd), 0.0);
    const Vector direction = (sd.array() > 0).select(fold_factors(frame_.left_out, correlation).cwiseQuotient(sd), 0.0);
    const double spread = std::sqrt(std::max(direction.dot(known_.cross.topLeftCorner(p, p) * direction) / known_.weight, 0.0));
    const Vector& scale = passes_.question().units.scale;
    RowFolds out{frame_.options.folds, frame_.options.seed, scale.size() > 0 ? Vector(direction.cwiseProduct(scale)) : direction, 1};
    if (spread > 0) out.width = std::ldexp(spread, -20);
    return out;
  }

  [[nodiscard]] L1Settings settings_of_path() const {
    L1Settings out;
    out.tolerance = 1e-4;  // of lambda, which differs by a tenth between two points
    out.max_rounds = frame_.options.max_sweeps;
    out.keeps_gram = true;
    if (const auto& tell = frame_.options.on_sweep)
      out.on_round = [&tell, round = 0]() mutable { return tell({.sweep = ++round, .bound = -std::numeric_limits<double>::infinity()}); };
    return out;
  }

  // The maximum of the columns without a prior, with the gradients of the others.                                                 (L1.5)
  // \return  false: the caller has stopped it; lambda_max is then not known
  bool find_lambda_max(double& lambda_max) {
    std::vector<L1Point> points{point_at(beyond_all, w0_)};
    points.front().unit = known_.weight;
    L1Settings settings = settings_of_path();
    settings.tolerance = 1e-12;
    L1Points search(passes_, length());
    const Status status = search.run(points, settings);
    w0_ = points.front().w;
    lambda_max = most_of(points.front().gradient);
    return status != Status::stopped_by_user;
  }

  ChosenLambda choose() {
    const FitOptions& options = frame_.options;
    if (options.folds < 2) throw wrong("folds", options.folds, "it must be at least 2");
    if (options.folds > most_folds_by_passes)
      throw wrong("folds", options.folds, fmt::format("rows that are not in memory are divided into at most {}", most_folds_by_passes));
    double lambda_max = 0;
    if (!find_lambda_max(lambda_max)) return stopped_choice(options, lambda_max);
    LambdaPath path = empty_path(frame_, lambdas_of({}, lambda_max, is_tall(frame_)), lambda_max);
    std::vector<FoldLoss> losses(static_cast<std::size_t>(options.folds), FoldLoss{Vector::Zero(path.lambda.size()), 0, 0});
    const Index count = path.lambda.size(), at_once = points_at_once();
    const Matrix starts = start_({path.lambda.begin(), path.lambda.end()});
    Matrix W(size(), count);
    for (Index first = 0; first < count; first += at_once) {
      std::vector<L1Point> points;
      for (Index i = first; i < std::min(first + at_once, count); ++i)
        points.push_back(point_at(path.lambda[i], i > 0 && starts.size() > 0 ? Vector(starts.col(i)) : w0_));
      L1Points search(passes_, length(), folds());
      if (search.run(points, settings_of_path()) == Status::stopped_by_user) return stopped_choice(options, lambda_max);
      note_path(points, first, path);
      note_losses(search.tests(points), first, losses);
      for (std::size_t i = 0; i < points.size(); ++i) W.col(first + static_cast<Index>(i)) = points[i].w;
    }
    const std::string warning = warning_of_folds(losses);
    std::erase_if(losses, [](const FoldLoss& fold) { return fold.weight == 0; });
    if (losses.size() < 2)
      throw InvalidArgument("too few rows differ to choose lambda by cross-validation: equal rows are in one fold; give lambda");
    const Vector lambda = path.lambda;
    ChosenLambda chosen = chosen_lambda(options, std::move(path), losses);
    best_ = W.col(std::ranges::find(lambda, chosen.options.prior.lambda) - lambda.begin());
    if (!warning.empty()) chosen.warning += (chosen.warning.empty() ? "" : "; ") + warning;
    return chosen;
  }

  // Many rows that differ fill the folds evenly.
  static std::string warning_of_folds(const std::vector<FoldLoss>& losses) {
    double total = 0, most = 0;
    for (const FoldLoss& fold : losses) total += fold.weight, most = std::max(most, fold.weight);
    const double share = most / total;
    if (share <= 1.5 / static_cast<double>(losses.size())) return "";
    return fmt::format(
        "few of the rows differ, and equal rows are in the same fold of the cross-validation: the largest of {} folds has {:.0f} % of the "
        "rows, so that another seed may choose another lambda",
        losses.size(), 100 * share);
  }

  // The gradients of all folds are in the answer of a pass.
  [[nodiscard]] Index points_at_once() const {
    constexpr Index most_numbers = 4'000'000;
    return std::max<Index>(5, most_numbers / (frame_.options.folds * (size() + 1)));
  }

  void note_path(const std::vector<L1Point>& points, Index first, LambdaPath& path) const {
    for (const L1Point& point : points) {
      write_weights(frame_, flat_, point.w, first++, path);
      path.reports.emplace_back().status = point.has_ended ? Status::converged : Status::max_sweeps;
    }
  }

  static void note_losses(const L1Points::Tests& tests, Index first, std::vector<FoldLoss>& losses) {
    for (std::size_t f = 0; f < losses.size(); ++f) {
      const auto fold = static_cast<Index>(f);
      losses[f].weight = tests.weight[fold];
      if (losses[f].weight > 0)
        losses[f].loss.segment(first, tests.log_likelihood.cols()) = -tests.log_likelihood.row(fold).transpose() / losses[f].weight;
    }
  }

  Frame frame_;
  Passes& passes_;
  const KnownRows& known_;
  const StartOfPath& start_;
  std::vector<Index> flat_, penalised_;
  Vector w0_;    // the maximum of the columns without a prior, or near it
  Vector best_;  // the weights at the chosen lambda
};

}  // namespace

LassoByPasses solve_lasso_by_passes(Frame frame, Passes& passes, const KnownRows& known, const StartOfPath& start, ClassTally& scores) {
  return LassoPasses(std::move(frame), passes, known, start).run(scores);
}

}  // namespace ardvark::internal
