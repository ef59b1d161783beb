#include "frame/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/special.hpp"
#include "frame/few_rows.hpp"
#include "predict/predictive.hpp"
#include "preset/preset.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

void ClassTally::merge(const ClassTally& right) {
  ClassScores::merge(right);
  for (const std::size_t c : {0, 1}) weight[c] += right.weight[c];
}

void ClassTally::describe(Fit& fit) const {
  for (const std::size_t c : {0, 1}) fit.class_weight[c] = weight[c];
  ClassScores::describe(weight[0] + weight[1], fit);
}

void describe_classes(const Vector& t, const Vector& k, const Vector& m, const Vector& s, Fit& fit) {
  const PredictiveRule rule = resolved(PredictiveRule::automatic, fit);
  ClassTally tally;
  for (Index i = 0; i < t.size(); ++i)
    tally.add(t[i], k[i], class_probability(rule, m[i], s[i]), [&](double sign) { return log_class_probability(rule, m[i], s[i], sign); });
  tally.describe(fit);
}

void describe_classes(const Vector& t, const Vector& k, const Mixture& mixture,
                      const std::function<ComponentMoments(Index first, Index count)>& moments_of, Fit& fit) {
  constexpr Index block = 16384;  // rows
  ClassTally tally;
  for (Index first = 0; first < t.size(); first += block) {
    const Index count = std::min(block, t.size() - first);
    const ComponentMoments moments = moments_of(first, count);
    for (Index i = 0; i < count; ++i)
      tally.add(t[first + i], k[first + i], class_probability(mixture, moments, i),
                [&](double sign) { return log_class_probability(mixture, moments, i, sign); });
  }
  tally.describe(fit);
}

void CountTally::add(double y, double k, double log_mean, double log_exposure, double constant_rate, double dispersion) {
  const auto of = [&](double mu) {
    const double of_ratio = y > 0 ? y * std::log(y / mu) : 0.0;
    if (dispersion == 0) return 2 * k * (of_ratio - (y - mu));
    const double of_count = 1 + dispersion * y, of_mean = 1 + dispersion * mu;
    const double log_ratio = of_count > 0.5 * of_mean ? std::log1p(dispersion * (y - mu) / of_mean) : std::log(of_count / of_mean);
    return 2 * k * (of_ratio - (y + 1 / dispersion) * log_ratio);  // (NB.7)
  };
  const double exposure = std::exp(log_exposure);
  if (k > 0 && !(log_mean <= largest)) largest = log_mean;
  weight += k, counted += k * y, exposed += k * exposure;
  deviance += of(std::exp(log_mean));
  if (constant_rate > 0) at_constant += of(constant_rate * exposure);
}

void CountTally::merge(const CountTally& right) {
  weight += right.weight, counted += right.counted, exposed += right.exposed;
  deviance += right.deviance, at_constant += right.at_constant;
  if (!(right.largest <= largest)) largest = right.largest;
}

void CountTally::describe(double constant_rate, Fit& fit) const {
  const double rate = counted / exposed;
  const double constant = rate > 0 ? at_constant + 2 * ((rate - constant_rate) * exposed - counted * std::log(rate / constant_rate)) : 0;
  fit.deviance = deviance / weight;
  fit.deviance_explained = constant > 0 ? 1 - deviance / constant : 0;
  if (fit.family.dispersion == 0 && fit.deviance > 1.2 + 3 * std::sqrt(2 / weight))  // (POIS.6)
    fit.report.warnings.push_back(
        fmt::format("the deviance per row is {:.3g}, and about 1 if the counts are Poisson: they vary more, so standard deviations and "
                    "intervals are too narrow, those of coefficients by a factor of about {:.2g}; the family negative-binomial has this "
                    "variation",
                    fit.deviance, std::sqrt(fit.deviance)));
}

void describe_counts(const Vector& y, const Vector& k, const Vector& mu, const Vector& offset, Fit& fit) {
  const Vector log_exposure = offset.size() > 0 ? offset : Vector(Vector::Zero(y.size()));  // (POIS.8)
  const double rate = k.dot(y) / k.dot(log_exposure.array().exp().matrix());
  CountTally tally;
  for (Index i = 0; i < y.size(); ++i) tally.add(y[i], k[i], std::log(mu[i]), log_exposure[i], rate, fit.family.dispersion);
  tally.describe(rate, fit);
}

std::string note_of_few_rows(const FitOptions& options, const Fit& fit) {
  if (fit.num_rows > 30 || options.preset.empty() || !has_noise(fit.task)) return {};
  const char* covered = nullptr;
  switch (fit.prior) {
    case PriorKind::shared: covered = "90 to 94% of new observations"; break;
    case PriorKind::ard: covered = "45 to 69% of new observations, the fewer the more columns"; break;
    default: return {};
  }
  return fmt::format(
      "{:.10g} rows are few: 95% intervals of this published method on tables of up to 30 rows have covered {}; it takes as known what "
      "models (--model linear) integrate over (docs/reliability.md)",
      fit.num_rows, covered);
}

std::string note_of_few_rows_of_classes(PriorKind prior, double num_rows, Index num_columns) {
  constexpr Index most_averaged = 100;  // columns; (SP.21)
  if (num_rows > 30) return {};
  const char* covered = nullptr;
  switch (prior) {
    case PriorKind::groups: covered = "85 to 92% of the log odds"; break;
    case PriorKind::shared: covered = "89 to 91% of the log odds, with a single column 70 to 91%"; break;
    case PriorKind::laplace: covered = "80 to 86% of the log odds"; break;
    case PriorKind::ard:
      covered = "47 to 67% of the log odds, and probabilities above 80% were stated as 95 to 97% and true in 58 to 68%";
      break;
    case PriorKind::sparse:
    case PriorKind::slab:
    case PriorKind::dense:
      if (num_columns <= most_averaged) return {};
      covered = prior == PriorKind::slab ? "63 to 67% of the log odds" : "78 to 84% of the log odds";
      break;
    default: return {};
  }
  return fmt::format(
      "{:.10g} rows are few: 95% intervals under this prior on tables of up to 30 rows{} have covered {}{} (docs/reliability.md)", num_rows,
      is_sparse(prior) ? fmt::format(" and more than {} columns", most_averaged) : "", covered,
      num_columns > most_averaged ? "" : "; the priors sparse and dense integrate over what this prior takes as known");
}

// Two classes whose rows are all classified correctly: with fewer rows for each effective parameter, the largest probabilities of fresh
// rows were on average .02 to .42 above the share that was right; with more, at most .04.
constexpr double rows_of_a_parameter = 15;

void warn_if_too_confident(const FitOptions& options, Fit& fit, Index num_columns, const std::string& need_of_small) {
  const bool is_model_of_classes = has_classes(fit.task) && options.preset.empty();
  if (std::string note =
          is_model_of_classes ? note_of_few_rows_of_classes(fit.prior, fit.num_rows, num_columns) : note_of_few_rows(options, fit);
      !note.empty())
    fit.report.notes.push_back(std::move(note));
  if (!options.preset.empty() || (fit.prior != PriorKind::ard && fit.prior != PriorKind::groups)) return;
  const auto columns = static_cast<double>(num_columns);
  FitOptions used = options;
  used.prior.kind = fit.prior;  // it may have been chosen
  const std::string prior = "(--prior sparse)" + (need_of_small.empty() ? "" : ", which " + need_of_small);
  const bool is_integrated = share_of_few_rows(fit.num_rows) == 1 && integrates_few_rows(fit.task, used, fit.num_rows);
  if (is_integrated) {
    if (columns > fit.num_rows && fit.effective_parameters > 0.8 * fit.num_rows)
      fit.report.warnings.push_back(fmt::format(
          "{:.0f} effective parameters describe {:.10g} rows: with more columns than rows the mean under this prior describes the "
          "noise too; intervals allow for it, but the default prior, sparse, predicts better {}",
          fit.effective_parameters, fit.num_rows, prior));
  } else if (columns > fit.num_rows && fit.effective_parameters > 0.8 * fit.num_rows)
    fit.report.warnings.push_back(
        fmt::format("{:.0f} effective parameters describe {:.10g} rows: with more columns than rows the fit under this prior describes the "
                    "noise too, so noise, intervals and predictions are far too confident; use the default prior, sparse {}",
                    fit.effective_parameters, fit.num_rows, prior));
  else if (has_noise(fit.task) && fit.num_rows < 2 * columns)
    fit.report.warnings.push_back(
        fmt::format("{:.10g} rows are fewer than twice {} columns: under this prior the noise is underestimated and 95% intervals have "
                    "covered {}; use the default prior, sparse {}",
                    fit.num_rows, num_columns, fit.num_rows > 30 ? "80 to 92%" : "10 to 90%", prior));
  else if (has_classes(fit.task) && fit.accuracy == 1 &&
           fit.num_rows < std::min(5 * columns, rows_of_a_parameter * fit.effective_parameters))
    fit.report.warnings.push_back(fmt::format(
        "all {:.10g} rows are classified correctly with {} columns under this prior: probabilities and intervals are far too confident; "
        "use the default prior, sparse {}",
        fit.num_rows, num_columns, prior));
}

namespace {

// A hyper-prior can be narrowed only if there is one: sparse priors and columns without a prior have none.
const char* what_to_do_about_growth(const FitOptions& options) {
  if (!options.preset.empty()) return "fit a model with a hyper-prior (--model logistic)";
  if (options.prior.kind == PriorKind::none || !options.prior.flat_columns.empty())
    return "give the columns without a prior one that limits them (--prior shared --a0 1 --b0 1)";
  if (is_sparse(options.prior.kind)) return "use one precision with a narrow hyper-prior (--prior shared --a0 1 --b0 1)";
  return "use a narrower hyper-prior (--a0 1 --b0 1)";
}

}  // namespace

void describe_separation(const FitOptions& options, Fit& fit) {
  if (fit.accuracy < 1) return;
  const PresetFacts& facts = preset_facts(options.preset);
  if (fit.report.status == Status::converged)
    fit.report.notes.push_back(
        "all rows are classified correctly: the classes can be separated, and only the prior limits the coefficients");
  else if (fit.report.status == Status::separated)
    fit.report.warnings.push_back(
        std::string("all rows are classified correctly: the classes can be separated, and neither the prior nor the data limit the "
                    "coefficients; they, their intervals and the bound are those of the last sweep and mean little; ") +
        what_to_do_about_growth(options));
  else if (fit.report.status == Status::max_sweeps && !options.compat &&
           (options.preset.empty() || (facts.slr_toolbox && facts.method == PresetMethod::sweeps)))
    fit.report.warnings.push_back(
        std::string("all rows are classified correctly: the classes can be separated, and so far this prior does not limit the "
                    "coefficients; they, their intervals and the bound are those of the last sweep; if they only grow with more sweeps, ") +
        what_to_do_about_growth(options));
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

const char* to_string(Status status) {
  switch (status) {
    case Status::failed: return "failed";
    case Status::converged: return "converged";
    case Status::max_sweeps: return "max_sweeps";
    case Status::stopped_by_user: return "stopped_by_user";
    case Status::not_positive_definite: return "not_positive_definite";
    case Status::separated: return "separated";
    case Status::bound_fell: return "bound_fell";
    case Status::false_stop: return "false_stop";
  }
  return "unknown";
}

const char* to_string(SolverKind kind) {
  switch (kind) {
    case SolverKind::automatic: return "automatic";
    case SolverKind::primal: return "primal";
    case SolverKind::dual: return "dual";
    case SolverKind::spectral: return "spectral";
    case SolverKind::sequential: return "sequential";
    case SolverKind::greedy: return "greedy";
    case SolverKind::coordinate: return "coordinate";
    case SolverKind::qr: return "qr";
    case SolverKind::iterative: return "iterative";
  }
  return "unknown";
}

const char* to_string(PriorKind kind) {
  switch (kind) {
    case PriorKind::automatic: return "auto";
    case PriorKind::shared: return "shared";
    case PriorKind::ard: return "ard";
    case PriorKind::groups: return "groups";
    case PriorKind::none: return "none";
    case PriorKind::sparse: return "sparse";
    case PriorKind::slab: return "slab";
    case PriorKind::dense: return "dense";
    case PriorKind::laplace: return "laplace";
  }
  return "unknown";
}

const char* to_string(UpdateRule rule) {
  switch (rule) {
    case UpdateRule::vb: return "vb";
    case UpdateRule::mackay: return "mackay";
    case UpdateRule::laplace: return "laplace";
  }
  return "unknown";
}

const char* to_string(LogisticLikelihood likelihood) {
  switch (likelihood) {
    case LogisticLikelihood::gaussian: return "gaussian";
    case LogisticLikelihood::bound: return "bound";
    case LogisticLikelihood::laplace: return "laplace";
  }
  return "unknown";
}

const char* to_string(Family family) {
  switch (family) {
    case Family::automatic: return "auto";
    case Family::normal: return "normal";
    case Family::student: return "student";
    case Family::poisson: return "poisson";
    case Family::negative_binomial: return "negative-binomial";
  }
  return "unknown";
}

const char* to_string(LinearPosterior posterior) { return posterior == LinearPosterior::joint ? "joint" : "factorised"; }

const char* to_string(Task task) { return internal::facts_of(task).name; }

}  // namespace ardvark
