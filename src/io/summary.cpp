// A fit as readable text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "ardvark/fit.hpp"
#include "core/refusals.hpp"
#include "io/column_unit.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "posterior/state.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::labelled;
using io::number;
using io::padded;

// Whether the column left the computation before the last sweep.
bool is_pruned(const Fit& fit, Index j) {
  return !fit.report.pruning.empty() && fit.mean[j] == 0 && fit.variance[j] == 0 && !fit.left_out[static_cast<std::size_t>(j)];
}

std::string pruning_text(const Report& report) {
  std::size_t pruned = 0, readmitted = 0;
  for (const PruningEvent& event : report.pruning) pruned += event.pruned.size(), readmitted += event.readmitted.size();
  return fmt::format("{} {} the computation, sweep {} to {}{}", pruned, pruned == 1 ? "column left" : "columns left",
                     report.pruning.front().sweep, report.pruning.back().sweep,
                     readmitted > 0 ? fmt::format("; {} came back", readmitted) : "");
}

// What a coefficient is multiplied by for a column, and a target, of standard deviation 1.
double standard_unit(const Fit& fit, Index j) {
  const Vector& scale = fit.state->standardization.scale;
  return 1 / (fit.state->y_scale * (scale.size() > 0 ? scale[j] : 1));
}

// \param direction  null if the probabilities of the signs are not known
void coefficient_line(std::string& out, const Fit& fit, Index j, const SummaryOptions& options, std::size_t name_width, bool judged,
                      const Vector* direction) {
  const bool intercept = j < 0;
  const std::string name = intercept ? "(intercept)" : fit.column_names[static_cast<std::size_t>(j)];
  if (!intercept && fit.left_out[static_cast<std::size_t>(j)]) {
    out += fmt::format("  {}  {:>10}\n", padded(name, name_width),
                       fit.exposure == j        ? "exposure"
                       : fit.offset_column == j ? "offset"
                                                : "left out");
    return;
  }
  if (!intercept && is_pruned(fit, j)) {
    out += fmt::format("  {}  {:>10}\n", padded(name, name_width), "pruned");
    return;
  }
  if (!intercept && fit.prior == PriorKind::laplace && fit.mean[j] == 0) {  // no variance, and so no interval
    out += fmt::format("  {}  {:>10}  {:>48}\n", padded(name, name_width), 0, "-");
    return;
  }
  Interval interval = credible_interval(fit, j, options.level);
  double mean = intercept ? fit.intercept->mean : fit.mean[j], sd = std::sqrt(intercept ? fit.intercept->variance : fit.variance[j]);
  if (options.standardized) {
    const double unit = standard_unit(fit, j);
    mean *= unit, sd *= unit, interval.lower *= unit, interval.upper *= unit;
  }
  out += "  " + padded(name, name_width);
  if (options.odds)
    out +=
        fmt::format("  {:>10}  {:>10}  {:>10}", number(std::exp(mean)), number(std::exp(interval.lower)), number(std::exp(interval.upper)));
  else
    // Beside its sd it is zero: all weight of the average is on hypotheses in which it is.
    out += fmt::format("  {:>10}  {:>10}  {:>10}  {:>10}", number(std::isfinite(sd) && std::abs(mean) < 1e-99 * sd ? 0 : mean), number(sd),
                       number(interval.lower), number(interval.upper));
  if (!intercept && fit.prior != PriorKind::dense) out += fmt::format("  {:>9.2f}", fit.relevance[j]);
  if (!intercept && direction != nullptr) out += fmt::format("  {:>9.3f}", (*direction)[j]);
  if (!intercept && fit.prior != PriorKind::dense && judged) out += fmt::format("  {}", io::verdict(fit, j));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
}

bool has_inclusion(const Fit& fit) { return fit.sparse && fit.prior != PriorKind::dense; }

// How many columns have an effect, and which of them can replace each other.
std::string effects_text(const Fit& fit, bool judged) {
  const auto kept = std::count(fit.relevant.begin(), fit.relevant.end(), true);
  std::string out;
  if (has_inclusion(fit)) {
    const auto undecided = std::count(fit.sparse->undecided.begin(), fit.sparse->undecided.end(), true);
    out += labelled("effects",
                    fmt::format("{} of {} kept ({}){}", io::num_effects(fit), fit.num_columns(), io::rule_of_inclusion(io::has_groups(fit)),
                                undecided > 0 ? fmt::format(", {} undecided", undecided) : ""));
  } else if (judged && !fit.sparse) {
    const bool by_size = fit.prior == PriorKind::ard && fit.report.pruning.empty() && fit.report.solver != SolverKind::greedy;
    const std::string rule =
        fmt::format(" ({}: of seven columns of noise, about one is kept)", io::rule_of_size(io::has_groups(fit), false));
    out += labelled("kept", fmt::format("{} of {}{}", kept, fit.num_columns(), by_size ? rule : ""));
  }
  if (!fit.sparse) return out;
  for (const CredibleSet& set : fit.sparse->sets) {
    if (set.columns.size() < 2 || set.inclusion < 0.5) continue;
    std::string names;
    for (std::size_t i = 0; i < set.columns.size() && i < 6; ++i)
      names +=
          fmt::format("{}{} {:.2f}", i > 0 ? ", " : "", fit.column_names[static_cast<std::size_t>(set.columns[i])], set.probability[i]);
    if (set.columns.size() > 6) names += fmt::format(" and {} more", set.columns.size() - 6);
    out += labelled("alternatives", "one of " + names);
  }
  return out;
}

// How the result was computed.
std::string computation_text(const Fit& fit) {
  const Report& report = fit.report;
  std::string out = labelled("effective parameters", fmt::format("{:.2f}", fit.effective_parameters));
  if (fit.sparse && fit.prior != PriorKind::slab)
    out += labelled("dense fraction", fmt::format("{:.2f} (share of the small effects in the variance of small effects and noise)",
                                                  fit.sparse->dense_fraction));
  if (fit.sparse && fit.sparse->starts.size() > 1) {
    std::string weights;
    for (const SparseStart& start : fit.sparse->starts)
      if (start.weight >= 0.005) weights += fmt::format("{}{} {:.2f}", weights.empty() ? "" : ", ", start.name, start.weight);
    out += labelled(fit.sparse->starts.front().name == "no small effects" ? "averaged, by weight" : "starts, by weight", weights);
  }
  if (!report.pruning.empty()) out += labelled("pruned", pruning_text(report));
  const char* one_round = report.solver == SolverKind::coordinate ? "step" : "sweep";
  return out + labelled("fit", fmt::format("{} {}{}, {:.3g} s, solver {} ({})", report.sweeps, one_round, report.sweeps == 1 ? "" : "s",
                                           report.seconds, to_string(report.solver), report.solver_reason));
}

// Laplace's approximation and the objective of the greedy presets are not bounds. For a mode, it is a density.
std::string evidence_line(const Fit& fit) {
  const bool greedy = fit.report.solver == SolverKind::greedy;
  const bool approximate = has_classes(fit.task) && (greedy || fit.likelihood == LogisticLikelihood::laplace);
  if (fit.completed_tables > 0)
    return labelled("log evidence", fmt::format("not comparable: it is an average over {} completed tables", fit.completed_tables));
  const auto line = [&](const char* label, const char* what) {
    return labelled(label, io::evidence_in_words(what, fit.bound, fit.prior, bound_scope(fit)) + (approximate ? " (Laplace)" : ""));
  };
  if (fit.prior == PriorKind::laplace)
    return labelled(fit.report.solver == SolverKind::coordinate ? "log density at mode" : "penalised likelihood",
                    io::evidence_in_words("", fit.bound, fit.prior, bound_scope(fit)));
  return line("log evidence", approximate || fit.report.sampled ? "about " : greedy ? "" : "at least ");
}

}  // namespace

std::string summary(const Fit& fit, const SummaryOptions& options) { return io::summary_text(fit, options).whole(); }

}  // namespace ardvark

namespace ardvark::internal::io {

std::string labelled(const char* label, const std::string& text) { return fmt::format("{:<22}{}\n", label, text); }

void refuse_other_units(const SummaryOptions& options, const char* instead_of_odds) {
  if (options.odds) throw refused("odds", fmt::format("applies only to logistic regressions of two classes{}", instead_of_odds));
  if (options.standardized) throw refused("standardized", "applies only to regressions and to logistic regressions of two classes");
}

std::vector<Index> largest(const Vector& given, Index most) {
  const Vector size = given.array().isNaN().select(0.0, given);  // numbers that can be sorted
  std::vector<Index> order(static_cast<std::size_t>(size.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min(most, size.size());
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) { return size[a] != size[b] ? size[a] > size[b] : a < b; });
  order.erase(end, order.end());
  return order;
}

std::vector<Index> largest_effects(const Fit& fit, Index most) {
  if (has_inclusion(fit)) return largest(fit.relevance, most);
  return largest((fit.variance.array() > 0).select(fit.mean.array().abs() / fit.variance.array().sqrt(), 0.0), most);
}

bool judges_columns(const Fit& fit) {
  return fit.prior == PriorKind::ard || fit.prior == PriorKind::groups || fit.prior == PriorKind::laplace || has_inclusion(fit);
}

bool has_groups(const Fit& fit) {
  std::vector<Index> groups;
  std::ranges::copy_if(fit.group, std::back_inserter(groups), [](Index g) { return g >= 0; });
  std::ranges::sort(groups);
  return std::ranges::adjacent_find(groups) != groups.end();
}

std::string rule_of_inclusion(bool shared) {
  return std::string("inclusion above one half and known sign, or sign beyond doubt") +
         (shared ? "; levels of a text column and groups: by inclusion, or one sign beyond doubt" : "");
}

std::string rule_of_size(bool shared, bool over_classes) {
  if (!shared && !over_classes) return "mean^2 above 2 sd^2 relevance";
  const char* over = !shared ? "the classes" : over_classes ? "the classes and a text column or group" : "a text column or group";
  return fmt::format("mean^2 / (sd^2 relevance) above 2, on average over {}", over);
}

std::string why_nothing(const Report& report) { return fmt::format("\nstatus  {}: {}\n", to_string(report.status), report.message); }

std::string ending_of(const Report& report, bool verbose) {
  const bool brief = report.status == Status::converged && !verbose;
  std::string out = labelled("status", brief ? "converged" : fmt::format("{}: {}", to_string(report.status), report.message));
  for (const std::string& note : report.notes) out += labelled("note", note);
  for (const std::string& warning : report.warnings) out += labelled("WARNING", warning);
  return out;
}

std::string noise_in_words(const Fit& fit, double level) {
  const Interval sd = noise_sd_interval(fit, level);
  const double mean = noise_sd(fit);
  if (!(mean >= sd.lower && mean <= sd.upper)) return "not determined by these rows";  // a posterior without a scale
  return fmt::format("{} ({:g}% {} to {})", number(mean), 100 * level, number(sd.lower), number(sd.upper));
}

// The parameter of the family with its interval, and what the data prefer.
std::string family_text(const Fit& fit, double level) {
  const FamilyResult& family = fit.family;
  std::string out;
  const auto with_interval = [&](double value) {
    const Interval ends = family_interval(fit, level);
    return fmt::format("{} ({:g}% {} to {})", number(value), 100 * level, number(ends.lower), number(ends.upper));
  };
  if (family.family == Family::student)
    out += labelled("degrees of freedom", with_interval(family.degrees_of_freedom) +
                                              (family.degrees_of_freedom > 100 ? ": the noise is about normal" : ": Student-t noise"));
  if (family.family == Family::negative_binomial)
    out += labelled("dispersion k", with_interval(family.dispersion) + ": the variance is mu + k mu^2");
  if (family.other)
    out += labelled("family", fmt::format("{}, log evidence {:.2f} nats above {}", to_string(family.family), family.preferred_by,
                                          to_string(*family.other)));
  return out;
}

const char* regression_in_words(const Fit& fit) {
  if (fit.family.family == Family::negative_binomial) return "Negative binomial regression";
  if (fit.family.family == Family::student) return "Linear regression, Student-t noise";
  return facts_of(fit.task).regression;
}

SummaryText summary_text(const Fit& fit, const SummaryOptions& options) {
  if (options.odds && !is_count(fit.task) && (!has_classes(fit.task) || fit.classes.size() != 2))
    throw refused("odds", "applies only to logistic regressions of two classes and to regressions of counts");
  const char* ratio = is_count(fit.task) ? "rate ratio" : "odds ratio";
  const double level = options.level;
  std::string out;
  const Report& report = fit.report;
  out += fmt::format("{}{}, prior {}{}, {:.10g} {}, {} {}\n", regression_in_words(fit),
                     report.preset.empty() ? "" : fmt::format(" (preset {}{})", report.preset, report.compat ? ", compat" : ""),
                     to_string(fit.prior), fit.prior == PriorKind::laplace ? fmt::format(" (lambda {:.6g})", fit.lambda) : "", fit.num_rows,
                     fit.num_rows == 1 ? "row" : "rows", fit.num_columns(), fit.num_columns() == 1 ? "column" : "columns");
  if (has_classes(fit.task) && fit.classes.size() == 2)
    out += fmt::format("target {}: probability of {} ({:.10g} rows) against {} ({:.10g} rows)\n", fit.target, fit.classes[1],
                       fit.class_weight[1], fit.classes[0], fit.class_weight[0]);
  else if (!fit.target.empty())
    out += fmt::format("target {}\n", fit.target);
  if (fit.state == nullptr || !fit.mean.allFinite()) return {out, why_nothing(report)};

  if (options.standardized)
    out += fmt::format("{}s per {}{}\n", options.odds ? ratio : "coefficient", in_words(column_unit(fit), false),
                       has_scaled_target(fit) ? " and of the target" : "");

  // If there are more columns than fit on a screen, only the largest effects are listed, by inclusion or by mean/sd.
  constexpr Index most = 60;
  std::vector<Index> shown(static_cast<std::size_t>(std::min(fit.num_columns(), most)));
  std::iota(shown.begin(), shown.end(), Index{0});
  if (fit.num_columns() > most) shown = largest_effects(fit, most);
  std::size_t name_width = 11;
  for (Index j : shown) name_width = std::max(name_width, io::width(fit.column_names[static_cast<std::size_t>(j)]));
  name_width = std::min<std::size_t>(name_width, 40);
  const bool laplace = fit.prior == PriorKind::laplace, judged = judges_columns(fit);
  const std::string percent = fmt::format("{:g}%", 100 * level);
  // Under prior dense no column has an effect of its own: all effects have the same prior variance.
  const char* judgement = fit.prior == PriorKind::dense ? "" : has_inclusion(fit) ? "  inclusion" : "  relevance";
  std::optional<Vector> signs;
  if (!laplace) signs = direction(fit);
  const Vector* known = signs ? &*signs : nullptr;
  out += fmt::format("\n  {}  {:>10}{}  {:>10}  {:>10}{}{}\n", padded("coefficient", name_width), options.odds ? ratio : "mean",
                     options.odds ? "" : "          sd", percent + " from", "to", judgement, known != nullptr ? "  direction" : "");
  if (fit.intercept && !options.standardized) coefficient_line(out, fit, -1, options, name_width, judged, known);
  for (Index j : shown) coefficient_line(out, fit, j, options, name_width, judged, known);
  if (fit.num_columns() > most)
    out += fmt::format("  ... the {} largest of {} by {}\n", most, fit.num_columns(), has_inclusion(fit) ? "inclusion" : "mean/sd");

  out += '\n';
  if (has_noise(fit.task)) {
    out +=
        labelled("R^2, training rows", fmt::format("{:.4f}{}", fit.r_squared, fit.intercept ? "" : " (uncentred: there is no intercept)"));
    out += labelled(fit.family.family == Family::student ? "noise scale" : "noise sd", io::noise_in_words(fit, level));
  } else if (is_count(fit.task)) {
    out += labelled("deviance explained", fmt::format("{:.4f}, training rows", fit.deviance_explained));
    out += labelled("deviance per row",
                    fmt::format("{:.4f}{}", fit.deviance, fit.family.dispersion > 0 ? "" : " (about 1 if the counts are Poisson)"));
  } else {
    out += labelled("accuracy, training", fmt::format("{:.4f}", fit.accuracy));
    out += labelled("log loss, training", fmt::format("{:.4f}", fit.log_loss));
  }
  out += family_text(fit, level);
  out += effects_text(fit, judged);
  out += evidence_line(fit);
  if (options.verbose) out += computation_text(fit);
  return {out, ending_of(report, options.verbose)};
}

}  // namespace ardvark::internal::io
