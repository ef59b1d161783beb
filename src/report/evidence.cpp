// What the evidence says of the noise, of small effects, of starts and of lambda.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "report/sections.hpp"
#include "target/target.hpp"

namespace ardvark::internal::report {
namespace {

using io::number;
using Facts = std::vector<std::pair<std::string, std::string>>;

void add_quality(Facts& facts, const Fit& fit, double level) {
  if (has_noise(fit.task)) {
    facts.emplace_back(fit.family.family == Family::student ? "Noise scale" : "Noise sd",
                       fmt::format("{}, in units of {}", io::noise_in_words(fit, level), target_or(fit.target, "the target")));
    facts.emplace_back("R\u00b2, rows of the fit",
                       fmt::format("{:.4f}{}", fit.r_squared, fit.intercept ? "" : " (uncentred: there is no intercept)"));
  } else if (is_count(fit.task)) {
    facts.emplace_back("Deviance explained", fmt::format("{}, rows of the fit", percent(fit.deviance_explained)));
    facts.emplace_back("Deviance per row",
                       fmt::format("{:.4f}{}", fit.deviance, fit.family.dispersion > 0 ? "" : " (about 1 if the counts are Poisson)"));
  } else {
    facts.emplace_back("Accuracy, rows of the fit", percent(fit.accuracy));
    facts.emplace_back("Log loss, rows of the fit", fmt::format("{:.4f} nats per row", fit.log_loss));
  }
}

void add_family(Facts& facts, const Fit& fit, double level) {
  const FamilyResult& family = fit.family;
  const auto with_interval = [&](double value) {
    const Interval ends = family_interval(fit, level);
    return fmt::format("{} ({} {} to {})", number(value), level_in_words(level), number(ends.lower), number(ends.upper));
  };
  if (family.family == Family::student)
    facts.emplace_back("Degrees of freedom of the noise",
                       with_interval(family.degrees_of_freedom) +
                           (family.degrees_of_freedom > 100 ? ": the noise is about normal" : ": Student-t noise, with outliers"));
  if (family.family == Family::negative_binomial)
    facts.emplace_back("Dispersion k", with_interval(family.dispersion) + ": the variance is mu + k mu\u00b2");
  if (family.other)
    facts.emplace_back("Family", fmt::format("{}; its log evidence is {:.2f} nats above that of {}", to_string(family.family),
                                             family.preferred_by, to_string(*family.other)));
}

std::string evidence_of(const Fit& fit) {
  if (fit.completed_tables > 0) return fmt::format("not comparable: an average over {} completed tables", fit.completed_tables);
  return io::evidence_in_words("", fit.bound, fit.prior, bound_scope(fit));
}

void write_starts(Page& page, const SparseResult& sparse) {
  if (sparse.starts.size() < 2) return;
  const bool hypotheses = sparse.starts.front().name == "no small effects";
  page.subsection(hypotheses ? "Hypotheses" : "Starts");
  page.paragraph(hypotheses ? "The result is an average over two hypotheses, by their posterior probabilities:"
                            : "The search began at several points. The result is an average over what they found, by weight:");
  PlainTable table{
      page.next_id(),
      hypotheses ? "Hypotheses that were averaged" : "Starts that were averaged",
      {hypotheses ? "Hypothesis" : "Start", "Weight", "Log evidence", "Share of columns with an effect", "Share of small effects"},
      {}};
  for (const SparseStart& start : sparse.starts) {
    if (table.lines.size() >= 30) break;
    table.lines.push_back({start.name, fmt::format("{:.3f}", start.weight), fmt::format("{:.2f}", start.bound),
                           fmt::format("{:.3g}", start.inclusion_prior), fmt::format("{:.2f}", start.dense_fraction)});
  }
  write_table(page.html(), table);
  const auto heaviest = std::ranges::max_element(sparse.starts, {}, &SparseStart::weight);
  if (heaviest->weight < 0.9)
    page.paragraph("No single one of them has nearly all of the weight: the numbers of this page allow for all of them.");
}

void write_lambda(Page& page, const Fit& fit) {
  if (!fit.lambda_choice) return;
  const LambdaChoice& choice = *fit.lambda_choice;
  page.subsection("How lambda was chosen");
  page.paragraph(
      fmt::format("Cross-validation with {} folds took lambda = {:.4g}: {}. The smallest loss is at {:.4g}.", choice.folds, fit.lambda,
                  choice.rule == LambdaRule::smallest_loss ? "that with the smallest loss"
                                                           : "the largest whose loss is at most one standard error above the smallest",
                  choice.smallest_loss));
  AxisExtent across_all, up;
  std::vector<std::pair<double, double>> curve, upper, band;
  for (Index i = 0; i < choice.lambda.size(); ++i) {
    across_all.add(std::log10(choice.lambda[i]));
    up.add(choice.loss[i] - choice.loss_error[i]), up.add(choice.loss[i] + choice.loss_error[i]);
  }
  const PlotFrame frame{across(across_all), upwards(up), "log10 of lambda", "loss of rows that were left out"};
  for (Index i = 0; i < choice.lambda.size(); ++i) {
    const double x = frame.x(std::log10(choice.lambda[i]));
    curve.emplace_back(x, frame.y(choice.loss[i]));
    upper.emplace_back(x, frame.y(choice.loss[i] + choice.loss_error[i]));
    band.emplace_back(x, frame.y(choice.loss[i] - choice.loss_error[i]));
  }
  band.insert(band.end(), upper.rbegin(), upper.rend());
  Figure figure(page.html(),
                {page.next_id(), "Loss for each lambda",
                 "The loss of the rows that were left out, as a curve over the logarithm of lambda, with its "
                 "standard error; a dashed line is at the lambda that was taken.",
                 "Line: mean loss over the folds; band: its standard error; dashed: the lambda that was taken."},
                plot_width, plot_height);
  figure.path(band, "band", true);
  draw_frame(figure, frame);
  figure.path(curve, "mark");
  if (fit.lambda > 0) figure.line(frame.x(std::log10(fit.lambda)), frame.y.from, frame.x(std::log10(fit.lambda)), frame.y.to, "limit");
  figure.finish([&](Html& html) {
    PlainTable table{
        page.next_id(), "Losses of rows that were left out", {"Lambda", "Loss", "Standard error", "Columns that are not zero"}, {}};
    const Index step = std::max<Index>(1, (choice.lambda.size() + most_lines - 1) / most_lines);
    for (Index i = 0; i < choice.lambda.size(); i += step)
      table.lines.push_back({fmt::format("{:.4g}", choice.lambda[i]), number(choice.loss[i]), number(choice.loss_error[i]),
                             fmt::format("{}", choice.num_nonzero[static_cast<std::size_t>(i)])});
    write_table(html, table);
  });
}

}  // namespace

void write_evidence(Page& page, const Fit& fit, double level) {
  page.section("What the evidence says");
  Facts facts;
  add_quality(facts, fit, level);
  add_family(facts, fit, level);
  if (fit.sparse && fit.prior != PriorKind::dense) {
    const auto undecided = std::count(fit.sparse->undecided.begin(), fit.sparse->undecided.end(), true);
    facts.emplace_back("Effects", fmt::format("{} of {} columns kept{}", io::num_effects(fit), num_predictors(fit),
                                              undecided > 0 ? fmt::format(", {} undecided", undecided) : ""));
  }
  if (fit.sparse && fit.prior != PriorKind::slab) {
    const double share = fit.sparse->dense_fraction;
    facts.emplace_back("Small effects",
                       fmt::format("all columns together: {} of the variance that the kept effects leave{}", percent(share),
                                   share < 0.05  ? "; they explain hardly anything"
                                   : share > 0.5 ? "; they explain more than is left as noise"
                                                 : ""));
  }
  facts.emplace_back("Effective parameters",
                     fmt::format("{:.2f}: so many the data determine, in {:.10g} rows", fit.effective_parameters, fit.num_rows));
  facts.emplace_back(fit.prior == PriorKind::laplace ? "Log density at the mode" : "Log evidence", evidence_of(fit));
  page.facts(facts);
  if (fit.sparse) write_starts(page, *fit.sparse);
  write_lambda(page, fit);
}

}  // namespace ardvark::internal::report
