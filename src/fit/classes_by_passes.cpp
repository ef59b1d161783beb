// fit_softmax for rows that are not in memory; a regression for each class against the rest.           docs/math/passes.md (PASS.6)
#include <fmt/format.h>

#include <algorithm>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/side_by_side.hpp"
#include "core/stopwatch.hpp"
#include "fit/from_passes.hpp"
#include "fit/softmax_machines.hpp"
#include "fit/softmax_passes.hpp"
#include "frame/frame.hpp"
#include "frame/prior_partition.hpp"
#include "method/softmax/softmax_model.hpp"
#include "posterior/softmax_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

using Machines = SideBySide<RowQuestion::State, PassSums>;

// How many machines share a pass. The posteriors in their questions (up to 20 each under a sparse
// prior) take at most 128 MB, and the gradients of a cross-validation a quarter of that.
Index machines_at_once(const FitOptions& options, Index q) {
  constexpr Index most = 16'000'000, posteriors = 20;  // numbers
  const bool chooses = options.prior.kind == PriorKind::laplace && options.prior.lambda == 0;
  return std::max<Index>(1, most / (posteriors * q * q + (chooses ? 4 * PathGrid().count * options.folds * q : 0)));
}

class ClassesByPasses {
 public:
  ClassesByPasses(const AskRows& ask, const FirstLook& look, const SoftmaxOptions& options) : ask_(ask), look_(look), options_(options) {}

  // One machine for each class, in their order; each read of the rows answers all of them that still ask.
  std::vector<ClassFit> fit_all() {
    const auto C = static_cast<Index>(look_.labels.size());
    std::vector<ClassFit> out(static_cast<std::size_t>(C));
    Machines([&](std::vector<RowQuestion::State> parts) {
      return answer(std::move(parts));
    }).run(C, machines_at_once(options_, look_.num_columns() + 1), [&](Index i, Machines::Place& place) {
      out[static_cast<std::size_t>(i)] = fit_one(i, place);
    });
    return out;
  }

  // Accuracy and log loss of the rows, by the probabilities of all machines.                                                     (SMX.9)
  void describe(const std::vector<ClassFit>& fits, SoftmaxFit& fit) {
    RowQuestion::State question = pass_of(look_);
    question.compares_parts = true;
    for (const ClassFit& one : fits) {
      RowQuestion::State part = one.question;
      part.is_mixture = true;  // so that no likelihood is computed
      const FitState& state = *one.fit.state;
      part.at = {sent({state.w, state.factor.covariance(state.w.size())})};
      question.parts.push_back(std::move(part));
    }
    const ClassScores scores = ask(std::move(question)).scores;
    scores.describe(look_.total.weight, fit);
  }

  [[nodiscard]] int num_passes() const { return num_passes_; }

 private:
  PassSums ask(RowQuestion::State question) {
    ++num_passes_;
    return ask_rows(ask_, std::move(question));
  }

  std::vector<PassSums> answer(std::vector<RowQuestion::State> parts) {
    RowQuestion::State question = pass_of(look_);
    question.parts = std::move(parts);
    return ask(std::move(question)).parts;
  }

  ClassFit fit_one(Index number, Machines::Place& place) {
    const blas::ThreadScope threads(options_.threads);
    const auto C = static_cast<Index>(look_.labels.size());
    FitOptions each = options_;
    each.keep_covariance = Keep::always;  // needed to describe the rows
    each.start_precision = start_of_model(options_, C, number);
    if (options_.on_sweep)
      each.on_sweep = [&](const Progress& progress) {
        place.on_caller([&] { tell(progress, number, C); });
        return !stopped_;
      };
    std::string note;
    const FitOptions here = options_of(each, look_.answer.num_rows(), look_.num_columns(), note);
    ClassFit out = fit_class(look_, look_.labels[static_cast<std::size_t>(number)], {"0", "1"}, here,
                             [&](RowQuestion::State part) { return place.ask(std::move(part)); });
    if (!note.empty()) out.fit.report.notes.insert(out.fit.report.notes.begin(), std::move(note));
    return out;
  }

  void tell(Progress progress, Index number, Index num_machines) {
    if (stopped_) return;
    progress.elapsed_seconds = watch_.seconds();
    progress.fit = static_cast<int>(number) + 1;
    progress.num_fits = static_cast<int>(num_machines);
    progress.fit_name = "class";
    stopped_ = !options_.on_sweep(progress);
  }

  const AskRows& ask_;
  const FirstLook& look_;
  const SoftmaxOptions& options_;
  const Stopwatch watch_;
  int num_passes_ = 1;  // the first look
  bool stopped_ = false;
};

SoftmaxFit without_weights(const FirstLook& look, const SoftmaxOptions& options) {
  SoftmaxFit fit;
  fit.classes = read_classes(look.labels, {}, options.class_names).names;
  for (Index c = 0; c < fit.num_classes(); ++c)
    if (!(look.weights[c] > 0))
      throw InvalidArgument(fmt::format("all rows of class '{}' have weight zero", fit.classes[static_cast<std::size_t>(c)]));
  fit.column_names = complete_names(options.column_names, look.num_columns());
  fit.num_rows = look.total.weight;
  fit.class_weight = look.weights;
  return fit;
}

void fit_machines_by_passes(const AskRows& ask, const FirstLook& look, const SoftmaxOptions& options, SoftmaxFit& fit) {
  ClassesByPasses classes(ask, look, options);
  std::vector<ClassFit> fits = classes.fit_all();
  std::vector<std::string> names;
  for (const std::string& name : fit.classes) names.push_back(against_the_rest(name));
  take_machines(names, look.num_columns(), {}, options, fit, [&](Index m) { return fits[static_cast<std::size_t>(m)].fit; });
  fit.state = std::make_shared<SoftmaxState>();
  if (holds_posterior(fit)) {
    classes.describe(fits, fit);
    if (options.keep_covariance == Keep::never) drop_covariances(fit);
  }
  fit.report.notes.push_back(fmt::format("the rows were read {} times, for all {} regressions together{}", classes.num_passes(),
                                         fit.num_classes(), fits[0].start));
}

}  // namespace

SoftmaxFit fit_softmax(const AskRows& ask, const SoftmaxOptions& given) {
  const Stopwatch watch;
  const blas::ThreadScope threads(given.threads);
  refuse_weights(given);
  pulse("preparing");
  const FirstLook look = look_at(ask, given.column_names, most_classes_by_passes);
  SoftmaxFit fit = without_weights(look, given);
  if (look.sample.is_complete())
    return fit_sample(look.sample, given, [](MatrixView X, VectorView y, const SoftmaxOptions& all) { return fit_softmax(X, y, all); });
  SoftmaxOptions options = given;
  const Index C = fit.num_classes(), n = look.answer.num_rows(), p = look.num_columns();
  refuse_what_needs_rows(given, coding_of(given, C, n, p) == ClassCoding::softmax);
  options.coding = fit.coding = coding_by_passes(given, C, n, p, fit.report);
  validate_options(options, p);
  validate_start(options, p, num_starts(options, C));
  fit.coding == ClassCoding::softmax ? fit_softmax_by_passes(ask, look, options, fit) : fit_machines_by_passes(ask, look, options, fit);
  warn_of_classes(options, fit);
  fit.report.seconds = watch.seconds();
  return fit;
}

}  // namespace ardvark
