#include "fit/softmax_passes.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/refusals.hpp"
#include "fit/softmax_machines.hpp"
#include "method/softmax/by_passes.hpp"
#include "method/spike_slab/prior_choice.hpp"
#include "passes/small_table.hpp"

namespace ardvark::internal {
namespace {

SoftmaxQuestion question_of(const FirstLook& look, const SoftmaxModel& model) {
  SoftmaxQuestion out;
  out.labels = look.labels;
  out.units = model.frame.user_units().standardization;
  return out;
}

// Where the passes start: the mode of the sample, with weights that add up to those of all rows.                                (PASS.2)
Matrix start_from(const RowSample& sample, const FirstLook& look, const SoftmaxModel& model) {
  double sum = 0;
  for (const double weight : sample.weights) sum += weight;
  std::vector<double> weights = sample.weights;
  for (double& weight : weights) weight *= look.total.weight / sum;
  const auto n = static_cast<Index>(sample.y.size());
  const MatrixView X(sample.X.data(), n, look.num_columns(), Layout::row_major);
  const AskSoftmax ask = [&](std::shared_ptr<const SoftmaxQuestion> work) {
    RowQuestion::State question;
    question.labels = look.labels;
    question.work = std::move(work);
    RowSums sums(RowQuestion(std::make_shared<const RowQuestion::State>(std::move(question))));
    sums.update(X, VectorView(sample.y), VectorView(weights));
    return sums.state().total()->of_work;
  };
  const Matrix origin = weights_of_shares(model, look.weights);
  const ClassOutcome o = sweep_classes_by_passes(model, question_of(look, model), ask, origin, {.is_from_far = true});
  const bool can_be_used = (o.status == Status::converged || o.status == Status::max_sweeps) && o.solver != nullptr && o.w.allFinite();
  return can_be_used ? weights_of_classes(o, origin.rows(), origin.cols()) : origin;
}

}  // namespace

ClassCoding coding_by_passes(const SoftmaxOptions& options, Index C, Index num_rows, Index p, Report& report) {
  constexpr double most = 2e9;
  const ClassCoding coding = coding_of(options, C, num_rows, p);
  if (coding == ClassCoding::one_against_one)
    throw refused("coding",
                  "one-against-one needs the whole table, and the rows are not in memory; use coding softmax or one-against-rest (--coding "
                  "one-against-rest), or read the table into memory");
  // Matrices of all weights: two Hessians, two factors, the covariance, and sums, of which some are kept at a time.
  const double weights = static_cast<double>((p + 1) * C), bytes = 6 * 8 * weights * weights;
  if (coding != ClassCoding::softmax || bytes <= most) return coding;
  const std::string why = fmt::format(
      "a softmax of {} classes and {} columns needs about {:.2g} GB for its linear system, more than the {:.2g} GB that a fit by passes "
      "may "
      "take",
      C, p, 1e-9 * bytes, 1e-9 * most);
  if (options.coding) throw InvalidArgument(why + "; use coding one-against-rest (--coding one-against-rest), or leave columns out");
  report.notes.push_back(fmt::format("each of {} classes has a regression against the rest: {}", C, why));
  return ClassCoding::one_against_rest;
}

void fit_softmax_by_passes(const AskRows& ask, const FirstLook& look, const SoftmaxOptions& given, SoftmaxFit& fit) {
  SoftmaxOptions options = given;
  PriorChoice choice = choose_prior(given.prior.kind, "a softmax of several classes has no sparse prior", fit.num_rows, look.num_columns());
  options.prior.kind = choice.kind;
  if (!choice.note.empty()) fit.report.notes.push_back(std::move(choice.note));
  const SmallTable table = small_table(look.answer.state().statistics.state(), look.total, is_about_the_mean(options));
  const SoftmaxModel model(frame_of(look, Task::logistic, fit.classes, table, options), options, fit);
  int num_passes = 1;  // the first look
  const AskSoftmax ask_all = [&](std::shared_ptr<const SoftmaxQuestion> work) {
    ++num_passes;
    RowQuestion::State question = pass_of(look);
    question.units = work->units;
    question.work = std::move(work);
    return ask_rows(ask, std::move(question)).of_work;
  };
  const Matrix start = start_from(look.sample, look, model);
  const auto state =
      model.finish(sweep_classes_by_passes(model, question_of(look, model), ask_all, start, {.on_sweep = options.on_sweep}), fit);
  fit.report.solver_reason = "a pass over the rows gives a system with one row for each column and class";
  if (state != nullptr) {
    auto question = std::make_shared<SoftmaxQuestion>(question_of(look, model));
    question->W = state->W;
    question->describes = true;
    question->covariance = state->covariance;
    const Vector described = ask_all(std::move(question));
    if (described.size() != 2) throw InvalidArgument("the sums over the rows answer another question");
    ClassScores{described[0], described[1]}.describe(fit.num_rows, fit);
    if (options.keep_covariance == Keep::never) state->covariance = {};
  }
  fit.report.notes.push_back(
      fmt::format("the rows were read {} times; the passes began at the fit of a sample of {} rows", num_passes, look.sample.y.size()));
}

}  // namespace ardvark::internal
