// ardvark fit --model kernel and --model rvm: kernel machines.
#include <fmt/format.h>

#include "fit.hpp"
#include "model/missing.hpp"
#include "target/target.hpp"

namespace ardvark::cli {

using internal::renumber_rows;

namespace {

Task task_of_target(const ModelOptions& args, const TableColumn& target, const Vector& values) {
  const Task task = relevance_task(args, values);
  if (internal::has_noise(task) && target.categorical)
    throw refused("target", target.name, fmt::format("is text ('{}', ...); --task regression needs numbers", target.levels.front()));
  return task;
}

// The messages of the library say "labels"; here the message names the column of the table.
void require_two_classes(const FitArguments& args, const TableColumn& target, const Vector& values, const Vector& weights) {
  Index first = 0;
  while (weights.size() > 0 && weights[first] == 0) ++first;
  for (Index i = first; i < values.size(); ++i)
    if (values[i] != values[first] && (weights.size() == 0 || weights[i] > 0)) return;
  const std::string only = target.categorical ? target.levels[static_cast<std::size_t>(values[first])] : fmt::format("{}", values[first]);
  throw refused("target", args.target, fmt::format("has only one class ({}); a classification needs at least two", only));
}

void count_rows_as_the_file(const std::vector<Index>& file_rows, auto& fit) {
  if (file_rows.empty()) return;  // no row was dropped
  renumber_rows([&](Index row) { return file_row(file_rows, row) - 1; }, fit);
}

}  // namespace

int fit_machine(const FitArguments& args) {
  if (args.covariance)
    throw refused("--covariance",
                  fmt::format("cannot be used with {}", args.preset.empty() ? "--model " + args.model : "--preset slr_rvm"));
  Table table = read_table(args);
  const Index column = table.at(args.target);
  const TableColumn target = table.columns[static_cast<std::size_t>(column)];
  ModelProblem problem;
  problem.options = args;
  problem.options.class_names = target.levels;
  problem.target = column_values(table, column);
  const Task task = task_of_target(problem.options, target, problem.target);
  problem.training = training_of(std::move(table), args);
  Training& training = problem.training;
  if (internal::has_classes(task)) {
    if (!target.categorical) require_exact_classes(args.target, {fmt::format("{}", problem.target.cwiseAbs().maxCoeff())});
    require_two_classes(args, target, problem.target, training.weights);
    check_classes(args.target, target, problem.target, args.preset.empty() ? "--task regression" : "--model rvm --task regression");
  }
  problem.options.weights.assign(training.weights.begin(), training.weights.end());
  problem.options.encoding = training.encoding;
  SavedModel model = fit_with_progress(args, problem);
  if (RelevanceFit* fit = model.relevance()) count_rows_as_the_file(training.file_rows, *fit);
  if (KernelFit* fit = model.process()) count_rows_as_the_file(training.file_rows, *fit);
  return finish_fit(args, model, training);
}

}  // namespace ardvark::cli
