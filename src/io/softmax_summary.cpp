// A classification with several classes as readable text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ardvark/softmax.hpp"
#include "core/class_pairs.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::number;
using io::padded;

std::string what_it_is(const SoftmaxFit& fit) {
  switch (fit.coding) {
    case ClassCoding::softmax: return "Softmax regression";
    case ClassCoding::one_against_rest: return "Logistic regressions, each class against the rest";
    case ClassCoding::one_against_one: return "Logistic regressions, each pair of classes";
  }
  return {};
}

// The names of the columns of coefficients.
std::vector<std::string> names_of(const SoftmaxFit& fit) {
  if (fit.coding != ClassCoding::one_against_one) return fit.classes;
  std::vector<std::string> names;
  for (const auto& [low, high] : class_pairs(fit.num_classes()))
    names.push_back(fmt::format("{}/{}", fit.classes[static_cast<std::size_t>(high)], fit.classes[static_cast<std::size_t>(low)]));
  return names;
}

struct Weight {
  Index column, of;  // column -1: the intercept
};

std::string lambda_of(const SoftmaxFit& fit) {
  const auto [least, most] =
      std::minmax_element(fit.machines.begin(), fit.machines.end(), [](const Fit& a, const Fit& b) { return a.lambda < b.lambda; });
  return least->lambda == most->lambda ? fmt::format(" (lambda {:.6g})", least->lambda)
                                       : fmt::format(" (lambda {:.4g} to {:.4g})", least->lambda, most->lambda);
}

// The model, its rows and its classes.
std::string heading(const SoftmaxFit& fit) {
  const Report& report = fit.report;
  std::string out =
      fmt::format("{}{}, prior {}{}, {:.10g} rows, {} columns\n", what_it_is(fit),
                  report.preset.empty() ? "" : fmt::format(" (preset {}{})", report.preset, report.compat ? ", compat" : ""),
                  to_string(fit.prior), fit.prior == PriorKind::laplace ? lambda_of(fit) : "", fit.num_rows, fit.num_columns());
  out += fmt::format("target {}: {} classes: ", fit.target, fit.classes.size());
  constexpr Index most_classes = 10;
  for (Index c = 0; c < std::min(fit.num_classes(), most_classes); ++c)
    out += fmt::format("{}{} ({:.10g} rows)", c > 0 ? ", " : "", fit.classes[static_cast<std::size_t>(c)], fit.class_weight[c]);
  return out + (fit.num_classes() > most_classes ? fmt::format(" and {} more\n", fit.num_classes() - most_classes) : "\n");
}

// If there are more than fit on a screen, only the largest effects, by mean/sd, are listed.
constexpr std::size_t most_listed = 60;

std::vector<Weight> weights_of(const SoftmaxFit& fit) {
  std::vector<Weight> weights;
  for (Index j = 0; j < fit.num_columns(); ++j)
    for (Index c = 0; c < fit.mean.cols(); ++c)
      if (fit.variance(j, c) > 0) weights.push_back({j, c});
  return weights;
}

// The intercepts, and the weights that are listed.
std::vector<Weight> lines_of(const SoftmaxFit& fit, std::vector<Weight> weights) {
  if (weights.size() > most_listed) {
    const auto size = [&](const Weight& w) { return std::abs(fit.mean(w.column, w.of)) / std::sqrt(fit.variance(w.column, w.of)); };
    std::stable_sort(weights.begin(), weights.end(), [&](const Weight& a, const Weight& b) { return size(a) > size(b); });
    weights.resize(most_listed);
  }
  std::vector<Weight> lines;
  for (Index c = 0; c < std::min<Index>(fit.intercept.size(), static_cast<Index>(most_listed)); ++c) lines.push_back({-1, c});
  lines.insert(lines.end(), weights.begin(), weights.end());
  return lines;
}

bool has_inclusion(const SoftmaxFit& fit) { return fit.prior == PriorKind::sparse || fit.prior == PriorKind::slab; }

// What the fit says of a column: of each regression for itself, if every class has one.
std::string verdict(const SoftmaxFit& fit, const Weight& w) {
  if (fit.machines.empty()) return fit.relevant[static_cast<std::size_t>(w.column)] ? "  kept" : "  -";
  return fmt::format("  {}", io::verdict(fit.machines[static_cast<std::size_t>(w.of)], w.column));
}

// The rule of `kept`.                                                                                                   (OPT.3), (SP.22)
std::string rule_of(const SoftmaxFit& fit) {
  std::set<double> known;
  const Vector first = fit.machines.empty() ? Vector(fit.precision.col(0)) : Vector();
  bool groups = std::ranges::any_of(first, [&](double a) { return a > 0 && std::isfinite(a) && !known.insert(a).second; });
  if (!fit.machines.empty()) groups = io::has_groups(fit.machines.front());
  if (has_inclusion(fit)) return fmt::format(", in one class at least ({})", io::rule_of_inclusion(groups));
  if (fit.prior == PriorKind::laplace || !fit.report.pruning.empty()) return ", in one class at least";
  const bool together = fit.machines.empty() && fit.precision == first.replicate(1, fit.precision.cols());
  return fmt::format("{} ({})", together ? "" : ", in one class at least", io::rule_of_size(groups, together));
}

std::string coefficients(const SoftmaxFit& fit, double level) {
  const std::vector<std::string> names = names_of(fit);
  const std::vector<Weight> weights = weights_of(fit), lines = lines_of(fit, weights);
  const auto name = [&](const Weight& w) {
    return w.column < 0 ? std::string("(intercept)") : fit.column_names[static_cast<std::size_t>(w.column)];
  };
  std::size_t name_width = 11, class_width = 5;
  for (const Weight& w : lines) {
    name_width = std::max(name_width, io::width(name(w)));
    class_width = std::max(class_width, io::width(names[static_cast<std::size_t>(w.of)]));
  }
  name_width = std::min<std::size_t>(name_width, 40);
  class_width = std::min<std::size_t>(class_width, 30);
  const double half_width = student_t_quantile(std::numeric_limits<double>::infinity(), level);
  const bool dense = fit.prior == PriorKind::dense;  // no column has an effect of its own: all effects have the same prior variance
  const bool laplace = fit.prior == PriorKind::laplace;
  const Matrix directions = laplace ? Matrix() : direction(fit);
  std::string out = fmt::format("\n  {}  {}  {:>10}  {:>10}  {:>10}  {:>10}{}{}\n", padded("coefficient", name_width),
                                padded(fit.coding == ClassCoding::one_against_one ? "pair" : "class", class_width), "mean", "sd",
                                fmt::format("{:g}% from", 100 * level), "to",
                                dense                ? ""
                                : has_inclusion(fit) ? "  inclusion"
                                                     : "  relevance",
                                laplace ? "" : "  direction");
  for (const Weight& w : lines) {
    const bool intercept = w.column < 0;
    const double mean = intercept ? fit.intercept[w.of] : fit.mean(w.column, w.of);
    const double sd = std::sqrt(intercept ? fit.intercept_variance[w.of] : fit.variance(w.column, w.of));
    out += fmt::format("  {}  {}  {:>10}  {:>10}  {:>10}  {:>10}", padded(name(w), name_width),
                       padded(names[static_cast<std::size_t>(w.of)], class_width), number(mean), number(sd), number(mean - half_width * sd),
                       number(mean + half_width * sd));
    if (!intercept && !dense) out += fmt::format("  {:>9.2f}", fit.relevance(w.column, w.of));
    if (!intercept && !laplace) out += fmt::format("  {:>9.3f}", directions(w.column, w.of));
    if (!intercept && !dense && io::judges_columns(fit)) out += verdict(fit, w);
    out += '\n';
  }
  if (weights.size() > most_listed) out += fmt::format("  ... the {} largest of {} by mean/sd\n", most_listed, weights.size());
  return out;
}

std::string quality(const SoftmaxFit& fit) {
  std::string out = "\n" + io::labelled("accuracy, training", fmt::format("{:.4f}", fit.accuracy)) +
                    io::labelled("log loss, training", fmt::format("{:.4f}", fit.log_loss));
  if (io::judges_columns(fit))
    out += io::labelled("kept", fmt::format("{} of {} columns{}", std::count(fit.relevant.begin(), fit.relevant.end(), true),
                                            fit.num_columns(), rule_of(fit)));
  if (fit.report.status == Status::separated && fit.coding == ClassCoding::softmax) return out;
  const bool approximate = fit.coding == ClassCoding::softmax || fit.machines.front().likelihood == LogisticLikelihood::laplace;
  const bool is_mode = fit.prior == PriorKind::laplace;
  const std::string bound = io::evidence_in_words(is_mode       ? ""
                                                  : approximate ? "about "
                                                                : "at least ",
                                                  fit.bound, fit.prior, bound_scope(fit));
  return out + io::labelled(is_mode ? "log density at mode" : "log evidence",
                            fmt::format("{}{}{}", bound, approximate && !is_mode ? " (Laplace)" : "",
                                        fit.coding == ClassCoding::softmax ? "" : ", all regressions together"));
}

// How the result was computed.
std::string course(const SoftmaxFit& fit) {
  const Report& report = fit.report;
  std::string out = io::labelled("effective parameters", fmt::format("{:.2f}", fit.effective_parameters)) +
                    io::labelled("fit", fmt::format("{} sweeps, {:.3g} s, solver {} ({})", report.sweeps, report.seconds,
                                                    to_string(report.solver), report.solver_reason));
  std::size_t pruned = 0, readmitted = 0;
  for (const PruningEvent& event : report.pruning) pruned += event.pruned.size(), readmitted += event.readmitted.size();
  if (pruned > 0)
    out += io::labelled("pruned", fmt::format("{} of {} weights, in sweeps {} to {}{}", pruned - readmitted, fit.standardized_mean.size(),
                                              report.pruning.front().sweep, report.pruning.back().sweep,
                                              readmitted > 0 ? fmt::format("; {} came back", readmitted) : ""));
  return out;
}

}  // namespace

std::string summary(const SoftmaxFit& fit, const SummaryOptions& options) { return io::summary_text(fit, options).whole(); }

namespace internal::io {

bool judges_columns(const SoftmaxFit& fit) {
  return fit.prior == PriorKind::ard || fit.prior == PriorKind::groups || fit.prior == PriorKind::laplace || has_inclusion(fit);
}

// Only coefficients whose sum over the classes is zero are those of a class against all; programs with a precision for each class have
// others.
std::string ratio_in_words(const SoftmaxFit& fit) {
  constexpr double same = 1e-6;  // far above rounding
  if (fit.coding == ClassCoding::one_against_one)
    return "e to the power of a coefficient is the factor for the odds of the first class of its pair against the second";
  if (fit.coding == ClassCoding::one_against_rest)
    return "e to the power of a coefficient is the factor for the odds of its class against the rest";
  if (fit.mean.size() == 0 || fit.mean.rowwise().sum().cwiseAbs().maxCoeff() <= same * fit.mean.cwiseAbs().maxCoeff())
    return "e to the power of a coefficient is the factor for the odds of its class against the geometric mean of all classes";
  return "e to the power of the difference between the coefficients of two classes is the factor for the odds of the one against the other";
}

SummaryText summary_text(const SoftmaxFit& fit, const SummaryOptions& options) {
  if (!(options.level > 0 && options.level < 1)) throw wrong("level", options.level, "it must lie between 0 and 1");
  refuse_other_units(options, ("; here, " + ratio_in_words(fit)).c_str());
  if (fit.state == nullptr || !fit.mean.allFinite()) return {heading(fit), why_nothing(fit.report)};
  return {heading(fit) + coefficients(fit, options.level) + quality(fit) + (options.verbose ? course(fit) : ""),
          ending_of(fit.report, options.verbose)};
}

}  // namespace internal::io

}  // namespace ardvark
