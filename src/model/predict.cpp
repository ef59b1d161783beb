// Predicts with any model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "io/text.hpp"
#include "model/choice.hpp"
#include "model/missing.hpp"
#include "model/pieces.hpp"
#include "predict/counts.hpp"
#include "predict/predictive.hpp"
#include "predict/process.hpp"
#include "predict/relevance.hpp"
#include "predict/softmax.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

const std::map<std::string, PredictiveRule>& predictive_rules() {
  static const std::map<std::string, PredictiveRule> rules = {{"automatic", PredictiveRule::automatic},
                                                              {"exact", PredictiveRule::exact},
                                                              {"plug-in", PredictiveRule::plug_in},
                                                              {"mackay", PredictiveRule::plug_in_corrected},
                                                              {"published", PredictiveRule::published_row},
                                                              {"published-batch", PredictiveRule::published_batch},
                                                              {"published-incremental", PredictiveRule::published_incremental}};
  return rules;
}

constexpr const char* mixture = "mixture";  // a rule for regressions with a factorised posterior

// For more than two classes: a softmax or several logistic regressions.
ClassRule class_rule(const ModelOptions& options) {
  static const std::map<std::string, ClassRule> rules = {{"automatic", ClassRule::automatic},
                                                         {"exact", ClassRule::integrated},
                                                         {"plug-in", ClassRule::plug_in},
                                                         {"average", ClassRule::average}};
  const auto found = rules.find(options.rule);
  if (found == rules.end())
    throw wrong(options.spelled("rule"), options.rule,
                "for a model of several classes it must be one of automatic, exact, plug-in, average");
  return found->second;
}

PredictiveRule predictive_rule(const SavedModel& model, const ModelOptions& options) {
  const Task task = task_of(model);
  if (model.process() != nullptr && options.rule != "automatic")
    throw refused(options, "rule", options.rule,
                  "cannot be used with a kernel machine: its predictions average over all that is uncertain");
  const bool is_joint = model.score() != nullptr && model.score()->is_joint();
  if (options.rule == mixture) {
    if (has_noise(task) && !is_joint) return PredictiveRule::automatic;
    throw refused(options, "rule", mixture,
                  fmt::format("applies only to regressions with a factorised posterior: vrvm_regression and relevance vector machines{}",
                              is_joint ? "; this posterior is joint, and its predictions are exact without it" : ""));
  }
  const auto found = predictive_rules().find(options.rule);
  if (found == predictive_rules().end())
    throw wrong(options.spelled("rule"), options.rule,
                "it must be one of automatic, mixture, exact, plug-in, mackay, published, published-batch, published-incremental");
  if (!has_classes(task) && found->second != PredictiveRule::automatic)
    throw refused(options, "rule", options.rule, "applies only to logistic models");
  if (model.relevance() && options.rule.starts_with("published"))
    throw refused(
        options, "rule", options.rule,
        "applies only to logistic models on the table's columns; relevance vector machines have automatic, exact, plug-in and mackay");
  return found->second;
}

PredictionOf prediction_of(const SavedModel& model, const ModelOptions& options) {
  const auto what =
      choose<PredictionOf>(options, "interval", options.interval, {{"new", PredictionOf::new_observation}, {"mean", PredictionOf::mean}});
  if (what == PredictionOf::new_observation) return what;
  if (has_classes(task_of(model)))
    throw refused(options, "interval", options.interval,
                  "applies only to regressions; a classifier predicts probabilities, without intervals");
  if (options.rule == mixture)
    throw refused(options, "interval", options.interval,
                  fmt::format("and {} cannot be used together: the mean has no noise to integrate out", options.spelled("rule", mixture)));
  return what;
}

Prediction predict_complete(const SavedModel& model, MatrixView X_new, const ModelOptions& options) {
  const PredictionOf what = prediction_of(model, options);
  pulse("predicting");
  if (const SoftmaxFit* fit = model.softmax()) return predict(*fit, X_new, class_rule(options));
  const PredictiveRule rule = predictive_rule(model, options);
  if (const KernelFit* fit = model.process())
    return has_noise(fit->task) ? Prediction(mixture_prediction(*fit, X_new, what)) : Prediction(class_probabilities(*fit, X_new));
  const auto regression = [&](const auto& fit) {
    return options.rule == mixture ? Prediction(noise_mixture_prediction(fit, X_new)) : Prediction(student_prediction(fit, X_new, what));
  };
  const bool numbers = has_noise(task_of(model));
  if (const RelevanceFit* fit = model.relevance()) return numbers ? regression(*fit) : Prediction(class_probabilities(*fit, X_new, rule));
  const Fit& fit = *model.score();
  if (is_count(fit.task)) return count_prediction(fit, X_new, what);
  return numbers ? regression(fit) : Prediction(class_prediction(fit, X_new, rule));
}

const KernelFit& process_of(const SavedModel& model) {
  if (const KernelFit* const fit = model.process()) return *fit;
  throw InvalidArgument(
      "joint predictions are those of a kernel machine (model kernel); for a linear or logistic model, they follow from its covariance");
}

}  // namespace

void check_rule(const SavedModel& model, const ModelOptions& options) {
  static_cast<void>(prediction_of(model, options));
  if (model.softmax())
    static_cast<void>(class_rule(options));
  else
    static_cast<void>(predictive_rule(model, options));
}

bool predicts_each_row_alone(const SavedModel& model, const ModelOptions& options) {
  check_rule(model, options);
  return model.score() == nullptr || !has_classes(task_of(model)) ||
         resolved(predictive_rule(model, options), *model.score()) != PredictiveRule::published_batch;
}

namespace {

// The offsets that rows of counts bring themselves.                                                                            (POIS.9)
Prediction with_row_offset(const SavedModel& model, const ModelOptions& options, Prediction prediction) {
  if (auto* const counts = std::get_if<CountPrediction>(&prediction)) {
    if (model.score()->has_row_offset && options.spelling == Spelling::command_line)
      throw InvalidArgument(
          "the rows of the fit had offsets that are no column of a table: predict where the model was fitted, as in Python by "
          "predict(X, offset=...), or fit again with --offset-column");
    add_row_offset(*model.score(), options.row_offset, *counts);
  } else if (!options.row_offset.empty())
    throw refused(options.spelled("row_offset"), "applies only to regressions of counts");
  return prediction;
}

Prediction predict_dense(const SavedModel& model, MatrixView X_new, const ModelOptions& options) {
  const auto of_complete = [&](MatrixView X) { return predict_complete(model, X, options); };
  const auto of_rows = [&](MatrixView X) {
    if (model.imputation && has_gaps(X)) return predict_with_gaps(model, X, of_complete);
    return with_remedy(remedy_of_new_gap(model, options), [&] { return of_complete(X); });
  };
  if (X_new.rows() <= rows_of_a_piece(X_new.cols()) || !predicts_each_row_alone(model, options)) return of_rows(X_new);
  try {
    return predict_in_pieces(X_new, of_rows);
  } catch (const InvalidArgument&) {
    return of_rows(X_new);  // throws the message again, with the number of the row in the whole table
  }
}

Prediction predict_in_form(const SavedModel& model, const FitTable& X_new, const char* dense, const ModelOptions& options) {
  if (model.process() != nullptr || model.relevance() != nullptr)
    throw InvalidArgument({.argument = "X_new",
                           .value = X_new.form(),
                           .why = "a kernel machine needs dense rows",
                           .remedy = *dense == '\0' ? "" : fmt::format("give it {}", dense)});
  if (const SoftmaxFit* classes = model.softmax()) return probabilities(*classes, X_new, class_rule(options));
  const Fit* fit = model.score();
  const PredictionOf what = prediction_of(model, options);
  const PredictiveRule rule = predictive_rule(model, options);
  if (is_count(fit->task)) return count_prediction(*fit, X_new, what);
  if (has_classes(fit->task)) return class_prediction(*fit, X_new, rule);
  if (options.rule == mixture) throw refused(options, "rule", mixture, "needs dense rows");
  return student_prediction(*fit, X_new, what);
}

}  // namespace

Prediction predict(const SavedModel& model, MatrixView X_new, const ModelOptions& options) {
  return with_row_offset(model, options, predict_dense(model, X_new, options));
}
Prediction predict(const SavedModel& model, CscView X_new, const ModelOptions& options) {
  return with_row_offset(model, options, predict_in_form(model, X_new, X_new.dense(), options));
}
Prediction predict(const SavedModel& model, GenotypeView X_new, const ModelOptions& options) {
  return with_row_offset(model, options, predict_in_form(model, X_new, X_new.dense(), options));
}

std::vector<JointPrediction> predict_joint(const SavedModel& model, MatrixView X_new, const ModelOptions& options) {
  return joint_predictions(process_of(model), X_new, prediction_of(model, options));
}
std::vector<Matrix> draw(const SavedModel& model, MatrixView X_new, Index num_draws, const ModelOptions& options) {
  return joint_draws(process_of(model), X_new, num_draws, seed_of(options), prediction_of(model, options));
}

namespace {

// The input in which a row is farthest outside the training rows, in widths if each input has its own.
Index farthest_input(const RelevanceFit& fit, MatrixView X, Index row) {
  const std::vector<double> widths = fit.kernel.spec().parameters;
  const bool has_each = static_cast<Index>(widths.size()) == X.cols();
  Index farthest = 0;
  double most = 0;
  for (Index j = 0; j < X.cols(); ++j) {
    const double outside = std::max(fit.input_range(j, 0) - X(row, j), X(row, j) - fit.input_range(j, 1)) * fit.input_scale[j];
    const double widths_outside = outside / (has_each ? widths[static_cast<std::size_t>(j)] : 1);
    if (widths_outside > most) most = widths_outside, farthest = j;
  }
  return farthest;
}

}  // namespace

void PredictionWarnings::add(MatrixView X_new, std::span<const Index> rows) {
  const Index before = std::exchange(num_rows_, num_rows_ + X_new.rows());
  const RelevanceFit* const fit = model_->relevance();
  if (fit == nullptr || fit->bands == Bands::open) return;
  const std::vector<Index> beyond = rows_beyond_data(*fit, X_new);
  num_beyond_ += static_cast<Index>(beyond.size());
  if (beyond.empty() || !first_.empty()) return;
  const Index first = beyond.front(), input = farthest_input(*fit, X_new, first);
  first_ = fmt::format("row {}, in which '{}' is {:.6g} (training rows: {:.6g} to {:.6g})",
                       rows.empty() ? before + first + 1 : rows[static_cast<std::size_t>(first)],
                       io::shown(fit->input_names[static_cast<std::size_t>(input)]), X_new(first, input), fit->input_range(input, 0),
                       fit->input_range(input, 1));
}

std::vector<std::string> PredictionWarnings::texts() const {
  if (num_beyond_ == 0) return {};
  return {fmt::format(
      "{} of {} rows {} far outside the training rows, by more than a kernel width or half the range of an input; predictions there follow "
      "the kernel, not the data, and are too certain; the first is {}",
      num_beyond_, num_rows_, num_beyond_ == 1 ? "lies" : "lie", first_)};
}

std::vector<std::string> warnings_of_prediction(const SavedModel& model, MatrixView X_new, std::span<const Index> rows) {
  PredictionWarnings warnings(model);
  warnings.add(X_new, rows);
  return warnings.texts();
}

namespace {

Index position(VectorView y, Index i, Index num_classes) {
  if (!(y[i] >= 0 && y[i] < static_cast<double>(num_classes)) || y[i] != std::floor(y[i]))
    throw InvalidArgument({.argument = "y",
                           .value = fmt::format("{}", y[i]),
                           .row = i + 1,
                           .why = fmt::format("for a classifier it must be the position of the class, 0 to {}", num_classes - 1)});
  return static_cast<Index>(y[i]);
}

struct LogDensity {
  VectorView y;

  Vector operator()(const StudentPrediction& p) const { return p.log_density(y); }
  Vector operator()(const NoiseMixturePrediction& p) const { return p.log_density(y); }
  Vector operator()(const TMixturePrediction& p) const { return p.log_density(y); }
  Vector operator()(const CountPrediction& p) const { return p.log_density(y); }
  Vector operator()(const ClassPrediction& p) const {
    validate::vector(y, p.mean.size(), "y");
    Vector out(p.mean.size());
    for (Index i = 0; i < out.size(); ++i) out[i] = position(y, i, 2) == 1 ? std::log(p.probability[i]) : std::log1p(-p.probability[i]);
    return out;
  }
  Vector operator()(const ClassProbabilities& p) const {
    validate::vector(y, p.probability.rows(), "y");
    Vector out(p.probability.rows());
    for (Index i = 0; i < out.size(); ++i) out[i] = std::log(p.probability(i, position(y, i, p.probability.cols())));
    return out;
  }
};

}  // namespace

Vector log_density(const Prediction& prediction, VectorView y) { return std::visit(LogDensity{y}, prediction); }

}  // namespace ardvark
