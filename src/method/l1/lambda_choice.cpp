#include "method/l1/lambda_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "frame/folds.hpp"
#include "frame/prepare.hpp"
#include "frame/row_order.hpp"
#include "method/l1/fold_paths.hpp"
#include "method/l1/lasso.hpp"
#include "passes/row_folds.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// Units, shifts and constant columns do not change this order.                                                                    (L1.14)
void order_by_number(const Vector& number, OrderedRows& rows) {
  std::vector<std::size_t> order(rows.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return number[rows.rows[i]]; });
  const OrderedRows given = rows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    rows.rows[i] = given.rows[order[i]];
    rows.weights[static_cast<Index>(i)] = given.weights[static_cast<Index>(order[i])];
  }
}

// The numbers of the rows are those of standardised columns, whether the fit standardises them or not.
Vector numbers_of(const Frame& frame, VectorView y) {
  const bool is_ready = frame.options.standardize && frame.options.preset.empty();
  return is_ready ? fold_numbers(frame) : fold_numbers(frame.task, frame.X, y, frame.options);
}

// Equal rows are one row with the sum of their weights: a fit must not have seen what tests it.
RowsOfFolds divide(const Frame& frame, VectorView y) {
  const Task task = frame.task;
  const FitOptions& options = frame.options;
  const Vector target = y.eigen();
  OrderedRows rows = order_by_content(frame.X, target, frame.k);
  const auto n = static_cast<Index>(rows.rows.size());
  const double second = n > 0 ? Vector(target(rows.rows)).maxCoeff() : 0;  // the label of the second class
  const auto is_second = [&](Index row) { return has_classes(task) && target[row] == second; };
  const Index of_second = std::ranges::count_if(rows.rows, is_second), fewest = has_classes(task) ? std::min(n - of_second, of_second) : n;
  if (fewest < 2 || n < 3)
    throw InvalidArgument(fmt::format("{} {} rows that differ: too few to choose lambda by cross-validation; give lambda",
                                      has_classes(task) ? "a class has" : "there are", fewest));
  std::vector<Index> first_equal(rows.at.size(), -1);
  for (std::size_t i = 0; i < rows.at.size(); ++i)
    if (rows.at[i] >= 0) first_equal[i] = rows.rows[static_cast<std::size_t>(rows.at[i])];
  order_by_number(numbers_of(frame, y), rows);
  std::vector<Index> classes;
  for (const Index row : rows.rows) classes.push_back(is_second(row) ? 1 : 0);
  RowsOfFolds out{std::vector<int>(rows.at.size(), -1), static_cast<int>(std::min<Index>(options.folds, n))};
  const std::vector<int> dealt = StratifiedDealer(options.seed).deal(classes, has_classes(task) ? 2 : 1, out.count);
  for (std::size_t i = 0; i < dealt.size(); ++i) out.fold[static_cast<std::size_t>(rows.rows[i])] = dealt[i];
  for (std::size_t i = 0; i < out.fold.size(); ++i)
    if (first_equal[i] >= 0) out.fold[i] = out.fold[static_cast<std::size_t>(first_equal[i])];
  return out;
}

// Means over folds and their standard errors; then the two lambdas.                                                            (L1.12)
void average(const std::vector<FoldLoss>& all, LambdaChoice& choice) {
  const Index count = choice.lambda.size();
  choice.loss = choice.loss_error = Vector::Zero(count);
  double weight = 0;
  for (const FoldLoss& fold : all) choice.loss += fold.weight * fold.loss, weight += fold.weight;
  choice.loss /= weight;
  const double unit = std::max(choice.loss.maxCoeff(), std::numeric_limits<double>::min());  // squares of squares of the target
  for (const FoldLoss& fold : all) choice.loss_error += fold.weight / weight * ((fold.loss - choice.loss) / unit).cwiseAbs2();
  choice.loss_error = unit * (choice.loss_error / static_cast<double>(all.size() - 1)).cwiseSqrt();
  Index best = 0;
  const double least = choice.loss.minCoeff(&best);
  choice.smallest_loss = choice.lambda[best];
  Index first = 0;
  while (choice.loss[first] > least + choice.loss_error[best]) ++first;
  choice.one_standard_error = choice.lambda[first];
}

// The losses that `work` finds with a callback of its own. Without a value: the caller has stopped it.
using Losses = std::optional<std::vector<FoldLoss>>;
Losses told_to_caller(const FitOptions& options, int num_fits,
                      const std::function<Losses(const std::function<SweepCallback(int fit)>&)>& work) {
  if (!options.on_sweep) return work([](int) { return SweepCallback(); });
  const Stopwatch watch;
  bool stopped = false;
  Relay<Progress> relay([&](const Progress& progress) {
    stopped = !options.on_sweep(progress);
    return !stopped;
  });
  Losses out;
  relay.run([&] {
    out = work([&](int fit) {
      return [&relay, &watch, fit, num_fits](Progress progress) {
        progress.fit = fit, progress.num_fits = num_fits;
        progress.elapsed_seconds = watch.seconds();
        return relay.ask(progress);
      };
    });
  });
  if (stopped) return std::nullopt;
  return out;
}

// One fold after the other.
Losses losses_of_folds(const DividedRows& rows, const FitOptions& options, LambdaPath& path) {
  // The path of all rows, the folds, the fit.
  return told_to_caller(options, rows.count + 2, [&](const auto& callback_of) -> Losses {
    const auto options_of = [&](int fit) {
      FitOptions one = options;
      one.on_sweep = callback_of(fit);
      return one;
    };
    std::vector<FoldLoss> losses(static_cast<std::size_t>(rows.count));
    path = rows.path_of_all(options_of(1));
    const Index threads = options.threads > 0 ? options.threads : blas::num_threads();
    const blas::ThreadScope one(1);
    std::atomic<Index> num_done = 0;
    const auto tell = [&](Index done) { pulse("fitting", {.name = "fold", .done = done, .total = rows.count}); };
    tell(0);
    parallel_for(rows.count, threads, [&](Index f) {
      losses[static_cast<std::size_t>(f)] = rows.test(static_cast<int>(f), path.lambda, options_of(static_cast<int>(f) + 2));
      tell(++num_done);
    });
    pulse("fitting");
    return losses;
  });
}

bool has_to_choose(const FitOptions& options) { return options.prior.kind == PriorKind::laplace && options.prior.lambda == 0; }

}  // namespace

Index count_unfinished(const LambdaPath& path) {
  return std::count_if(path.reports.begin(), path.reports.end(), [](const Report& one) { return one.status != Status::converged; });
}

ChosenLambda with_chosen_lambda(const Frame& frame, VectorView y) {
  const FitOptions& options = frame.options;
  if (!has_to_choose(options)) return {options};
  if (options.folds < 2) throw wrong("folds", options.folds, "it must be at least 2");
  const blas::ThreadScope threads(options.threads);
  const RowsOfFolds folds = divide(frame, y);
  LambdaPath path;
  constexpr int paths_and_fit = 2;
  const Losses losses =
      told_to_caller(options, paths_and_fit, [&](const auto& callback_of) { return losses_of_folds(frame, folds, callback_of(1), path); });
  if (!losses) return stopped_choice(options, path.lambda_max);
  return chosen_lambda(options, std::move(path), *losses);
}

void take_choice(ChosenLambda lambda, Fit& fit) {
  fit.lambda_choice = std::move(lambda.choice);
  if (!lambda.warning.empty()) fit.report.warnings.push_back(std::move(lambda.warning));
  if (!lambda.note.empty()) fit.report.notes.insert(fit.report.notes.begin(), std::move(lambda.note));
}

ChosenLambda stopped_choice(FitOptions options, double lambda_max) {
  ChosenLambda out{std::move(options)};
  out.options.prior.lambda = 0.5 * lambda_max;
  out.options.on_sweep = [](const Progress&) { return false; };
  out.note = "the choice of lambda by cross-validation was stopped";
  return out;
}

ChosenLambda chosen_lambda(FitOptions options, LambdaPath path, const std::vector<FoldLoss>& losses) {
  ChosenLambda out{std::move(options)};
  LambdaChoice& choice = out.choice.emplace();
  Index num_unfinished = count_unfinished(path);
  for (const FoldLoss& fold : losses) num_unfinished += fold.num_unfinished;
  choice.lambda = path.lambda;
  choice.num_nonzero = std::move(path.num_nonzero);
  choice.mean = std::move(path.mean);
  choice.intercept = std::move(path.intercept);
  choice.rule = out.options.lambda_rule;
  choice.folds = static_cast<int>(losses.size());
  average(losses, choice);
  if (num_unfinished > 0)
    out.warning =
        fmt::format("{} of {} fits of the cross-validation did not converge, so that another lambda may be better: raise max_sweeps",
                    num_unfinished, (choice.folds + 1) * choice.lambda.size());
  const bool smallest = choice.rule == LambdaRule::smallest_loss;
  out.options.prior.lambda = smallest ? choice.smallest_loss : choice.one_standard_error;
  out.note = fmt::format("lambda is {:.4g}, by {}-fold cross-validation: {}", out.options.prior.lambda, choice.folds,
                         smallest ? fmt::format("the loss is smallest there; it is at most one standard error larger up to lambda {:.4g}",
                                                choice.one_standard_error)
                                  : fmt::format("the largest lambda whose loss is at most one standard error above the smallest, at {:.4g}",
                                                choice.smallest_loss));
  if (choice.smallest_loss == choice.lambda[choice.lambda.size() - 1])
    out.note += "; this is the end of the path, so that the rows may need no penalty";
  return out;
}

ChosenLambda with_chosen_lambda(FitOptions options, const std::function<DividedRows()>& divided) {
  if (!has_to_choose(options)) return {std::move(options)};
  LambdaPath path;
  const blas::ThreadScope threads(options.threads);
  const Losses losses = losses_of_folds(divided(), options, path);
  if (!losses) return stopped_choice(std::move(options), path.lambda_max);
  return chosen_lambda(std::move(options), std::move(path), *losses);
}

}  // namespace ardvark::internal
