// Reports of comparisons and of selections.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/version.hpp"
#include "io/text.hpp"
#include "report/sections.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;
using namespace internal::report;

namespace {

void write_made_again(Page& page, const ReportRows& rows, const ReportOptions& options, const std::string& otherwise) {
  page.section("How to make it again");
  page.paragraph(fmt::format("ardvark {}, and this command:", library_version()));
  page.code(shortened(options.command.empty() ? otherwise : options.command, 4000));
  write_checksums(page, rows);
}

// Status, notes and warnings of what is no single fit.
Report report_of(Status status, const std::string& message, const std::vector<std::string>& notes,
                 const std::vector<std::string>& warnings) {
  Report out;
  out.status = status, out.message = message, out.notes = notes, out.warnings = warnings;
  return out;
}

// ---- comparisons

// The last column of the table.
std::string quality_name(const Comparison& comparison) {
  return has_noise(comparison.task) ? "Noise sd" : is_count(comparison.task) ? "Deviance explained" : "Log loss";
}
std::string quality_of_model(const Comparison& comparison, const ComparedModel& model) {
  if (has_noise(comparison.task)) return std::isnan(model.noise_sd) ? "-" : io::number(model.noise_sd);
  const double score = is_count(comparison.task) ? model.deviance_explained : model.log_loss;
  return std::isnan(score) ? "-" : is_count(comparison.task) ? percent(score) : fmt::format("{:.4f}", score);
}

void draw_differences(Page& page, const Comparison& comparison) {
  std::vector<BarLine> bars;
  double least = 0;
  for (const ComparedModel& model : comparison.models) {
    if (!model.comparable || std::ssize(bars) >= most_in_figure) continue;
    bars.push_back({model.name, model.difference, fmt::format("{:.1f}", model.difference), bars.empty()});
    if (std::isfinite(model.difference)) least = std::min(least, model.difference);
  }
  if (bars.empty()) return;
  draw_bars(page.html(),
            {page.next_id(), "Log evidence of the models",
             fmt::format("The log evidence of {} models below that of the best one, {}, in nats. The table below has the numbers.",
                         bars.size(), bars.front().name),
             "Log evidence less that of the best model. A difference below 5 nats decides nothing."},
            bars, "difference, nats", std::min(least * 1.05, -1.0), 0);
}

void write_compared(Page& page, const Comparison& comparison) {
  page.section("Models");
  draw_differences(page, comparison);
  PlainTable table{page.next_id(),
                   "Models, the best first; nats",
                   {"Model", "Bound", "Comparable", "Difference", "Parameters", "Effects", quality_name(comparison), "Status"},
                   {}};
  std::vector<std::string> remarks;
  for (const ComparedModel& model : comparison.models) {
    if (std::ssize(table.lines) >= most_lines) break;
    table.lines.push_back({shortened(model.name), fmt::format("{:.3f}", model.bound),
                           model.comparable ? fmt::format("{:.3f}", model.evidence) : "-",
                           model.comparable ? fmt::format("{:.3f}", model.difference) : "-",
                           model.effective_parameters >= 0 ? fmt::format("{:.2f}", model.effective_parameters) : "-",
                           model.probable_effects ? fmt::format("{}", *model.probable_effects) : "-", quality_of_model(comparison, model),
                           to_string(model.status)});
    if (!model.remark.empty()) remarks.push_back(shortened(model.name + ": " + model.remark, 400));
  }
  write_table(page.html(), table);
  page.list(
      {"Bound: the lower bound on the log evidence that the fit reports. Comparable: the same without the price of hyper-priors, which not "
       "all models have.",
       "Parameters: how many the data determine. Effects: columns that are kept."});
  page.list(remarks);
}

std::string method_of_comparison(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedModel& model : comparison.models)
    if (model.comparable) names.push_back(fmt::format("{} ({:.1f})", model.name, model.difference));
  return fmt::format(
      "We compared models of {} on {} ({:.10g} rows) by their log evidence, with ardvark {} (sparse Bayesian models by variational "
      "inference); in nats, relative to the best: {}.",
      target_or(comparison.target, "the target"), counted(static_cast<double>(comparison.num_columns), "column", "columns"),
      comparison.num_rows, library_version(), enumerated(names, 20));
}

// ---- selections

std::string with_spread(const SelectionSpread& spread, int decimals) {
  const std::string mean = fmt::format("{:.{}f}", spread.mean, decimals);
  return std::isnan(spread.sd) ? mean : fmt::format("{} (sd over repeats {:.{}f})", mean, spread.sd, decimals);
}

std::string fits_in_words(const SelectionCounts& counts) {
  return fmt::format("{} ({}, {}, seed {})", counted(static_cast<double>(counts.num_fits()), "fit", "fits"),
                     counted(counts.folds, "fold", "folds"), counted(counts.repeats, "repeat", "repeats"), counts.seed);
}

void write_counts_of_columns(Page& page, const SelectionCounts& counts, const std::vector<Index>& order, Index survived) {
  page.section("Columns");
  std::vector<BarLine> bars;
  for (const Index j : order) {
    if (std::ssize(bars) >= most_in_figure) break;
    bars.push_back({counts.column_names[static_cast<std::size_t>(j)], counts.share[j], percent(counts.share[j]), counts.share[j] >= 0.5});
  }
  if (!bars.empty())
    draw_bars(page.html(),
              {page.next_id(), "How often each column is kept",
               fmt::format("The share of the fits that keep a column, for {} columns: from {} to {}. The table below has the numbers.",
                           bars.size(), bars.front().label, bars.back().label),
               "Share of the fits that keep the column. Strong bar and bold name: at least half of them."},
              bars, "share of the fits", 0, 1);
  PlainTable table{page.next_id(), "Columns by their SC-value", {"Column", "Kept in fits", "Share", "SC-value"}, {}};
  for (const Index j : order)
    table.lines.push_back({shortened(counts.column_names[static_cast<std::size_t>(j)]),
                           fmt::format("{}", counts.count[static_cast<std::size_t>(j)]), fmt::format("{:.3f}", counts.share[j]),
                           fmt::format("{:.2f}", counts.sc_value[j])});
  write_table(page.html(), table);
  if (std::ssize(order) < survived)
    page.paragraph(fmt::format("The table has {} of {} columns that were kept at least once.", order.size(), survived));
  page.paragraph(fmt::format("Never kept: {} of {} columns.", counts.num_columns() - survived, counts.num_columns()));
  page.paragraph(fmt::format("SC-value: the sum of the {} of the rows that were left out, over the fits that kept the column.",
                             has_noise(counts.task) ? "R\u00b2" : "accuracies"));
}

std::string method_of_selection(const SelectionCounts& counts) {
  return fmt::format(
      "We counted how often each of {} is kept in a repeated cross-validation: {}{}, with ardvark {} (sparse Bayesian models by "
      "variational inference). {} of rows that were left out: {:.4f}, "
      "standard error {:.4f} (chance {:.4f}).",
      counted(static_cast<double>(counts.num_columns()), "column", "columns"), fits_in_words(counts),
      counts.method.empty() ? "" : ", " + shortened(counts.method), library_version(), has_noise(counts.task) ? "R\u00b2" : "Accuracy",
      counts.accuracy.mean, counts.accuracy_error, counts.chance_accuracy);
}

}  // namespace

std::string html_report(const Comparison& comparison, const ReportRows& rows, const ReportOptions& options) {
  const std::string target = target_or(comparison.target, "the target");
  Page page(options.title.empty() ? "Comparison of models of " + target : shortened(options.title, 200),
            fmt::format("{}, {:.10g} rows, {}", counted(static_cast<double>(comparison.models.size()), "model", "models"),
                        comparison.num_rows, counted(static_cast<double>(comparison.num_columns), "column", "columns")));
  page.section("In short");
  page.paragraph(comparison.verdict);
  std::vector<std::string> warnings;
  for (const ComparedModel& model : comparison.models) {
    if (model.status != Status::converged)
      warnings.push_back(fmt::format("{} did not converge ({}): {}", model.name, to_string(model.status), model.message));
    for (const std::string& warning : model.warnings)
      if (model.comparable) warnings.push_back(model.name + ": " + warning);
  }
  write_status(page, report_of(Status::converged, "", comparison.notes, warnings));
  write_compared(page, comparison);
  std::string priors;
  for (const ComparedModel& model : comparison.models) priors += (priors.empty() ? "" : ", ") + model.name;
  write_made_again(page, rows, options, fmt::format("ardvark compare TABLE.csv --target {} (models: {})", target, priors));
  page.section("What to write about it");
  page.quotation(method_of_comparison(comparison));
  return page.finish();
}

std::string html_report(const SelectionCounts& counts, const ReportRows& rows, const ReportOptions& options) {
  std::vector<Index> order = ranking(counts);
  const Index survived = std::ranges::count_if(counts.count, [](Index c) { return c > 0; });
  order.resize(static_cast<std::size_t>(std::min(most_lines, survived)));
  const std::string target = target_or(counts.target, "the target");
  Page page(options.title.empty() ? "Columns selected for " + target : shortened(options.title, 200), fits_in_words(counts));
  page.section("In short");
  std::vector<std::string> often;
  for (const Index j : order)
    if (counts.share[j] >= 0.5) often.push_back(counts.column_names[static_cast<std::size_t>(j)]);
  const std::string score = has_noise(counts.task) ? "R\u00b2" : "accuracy";
  page.list({often.empty()
                 ? "No column is kept in half of the fits."
                 : fmt::format("{} kept in at least half of the fits: {}.",
                               often.size() == 1 ? "One column is" : fmt::format("{} columns are", often.size()), enumerated(often)),
             fmt::format("The {} of rows that were left out is {}, standard error {:.4f} (chance {:.4f}).", score,
                         with_spread(counts.accuracy, 4), counts.accuracy_error, counts.chance_accuracy),
             fmt::format("A fit keeps {} of {} columns.", with_spread(counts.num_survivors, 1), counts.num_columns())});
  write_status(page, report_of(counts.status, counts.message, counts.notes, counts.warnings));
  page.section("What was done");
  std::vector<std::pair<std::string, std::string>> facts = {{"Fits", fits_in_words(counts)}};
  if (!counts.method.empty()) facts.emplace_back("Method", shortened(counts.method, 200));
  std::vector<std::string> classes;
  for (std::size_t c = 0; c < counts.classes.size(); ++c)
    classes.push_back(fmt::format("{} ({:.10g} rows)", shortened(counts.classes[c], 24), counts.class_weight[static_cast<Index>(c)]));
  if (!classes.empty() && !has_noise(counts.task)) facts.emplace_back("Classes", enumerated(classes, 12));
  facts.emplace_back("Log loss", fmt::format("{}, standard error {:.4f} (chance {:.4f})", with_spread(counts.log_loss, 4),
                                             counts.log_loss_error, counts.chance_log_loss));
  page.facts(facts);
  write_counts_of_columns(page, counts, order, survived);
  write_made_again(page, rows, options,
                   fmt::format("ardvark select TABLE.csv --target {} --folds {} --repeats {} --seed {}", target, counts.folds,
                               counts.repeats, counts.seed));
  page.section("What to write about it");
  page.quotation(method_of_selection(counts));
  return page.finish();
}

}  // namespace ardvark
