// How a fit is made again, and what to write about it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/version.hpp"
#include "io/column_unit.hpp"
#include "io/csv_numbers.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "model/fit_parts.hpp"
#include "posterior/state.hpp"
#include "report/curves.hpp"
#include "report/sections.hpp"
#include "target/target.hpp"

namespace ardvark::internal::report {
namespace {

// A word of the shell.
std::string quoted(const std::string& word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' || c == '-' ||
           c == ',';
  });
  if (is_plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// In a list of names, one with a comma is in double quotes.
std::string in_list(const std::string& name) {
  if (name.find(',') == std::string::npos && name.find('"') == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// " --target y"; a word that begins as an option does is joined to its own: " --target=-y".
std::string with_word(const std::string& option, const std::string& word) {
  return " " + option + (word.starts_with('-') ? "=" : " ") + quoted(word);
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + in_list(text);
  return out;
}

std::string name_of_option(const std::string& name) {
  std::string out = "--" + name;
  std::ranges::replace(out, '_', '-');
  return out;
}

bool is_flag(const std::string& name) { return std::holds_alternative<bool ModelOptions::*>(model_option(name).member); }

// Whether `ardvark fit` takes the option. Of these five, it reads columns of the table, so that they are no plain options of the program.
bool is_of_program(const std::string& name) {
  constexpr const char* by_columns[] = {"model", "reference", "missing", "group", "flat"};
  return std::ranges::find(by_columns, name) != std::end(by_columns) || (model_option(name).facts.commands & in_command::fit) != 0;
}

// The columns of the table that have these columns of X: a column of texts has several.
std::vector<std::string> columns_at(const std::vector<Index>& positions, const FeatureEncoding& encoding) {
  const std::vector<Index> feature_of = encoding.feature_of_columns();
  std::vector<std::string> names;
  for (const Index j : positions) {
    if (j < 0 || j >= std::ssize(feature_of)) continue;
    const std::string& name = encoding.features[static_cast<std::size_t>(feature_of[static_cast<std::size_t>(j)])].name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// A group has the number of the column that is named first.
std::string groups_for_shell(const std::vector<double>& groups, const FeatureEncoding& encoding) {
  const std::vector<Index> own = encoding.groups();
  std::string out;
  Index num_groups = 0;
  for (const double group : std::set<double>(groups.begin(), groups.end())) {
    std::vector<Index> members;
    for (std::size_t j = 0; j < std::min(groups.size(), own.size()); ++j)
      if (groups[j] == group) members.push_back(static_cast<Index>(j));
    std::stable_partition(members.begin(), members.end(),
                          [&](Index j) { return static_cast<double>(own[static_cast<std::size_t>(j)]) == group; });
    const std::vector<std::string> names = columns_at(members, encoding);
    if (names.size() > 1) out += fmt::format(" --group {}", quoted(fmt::format("g{}={}", ++num_groups, list_of(names))));
  }
  return out;
}

// " --prior ard", as the program takes it.
std::string spelled_for_shell(const std::string& name, const OptionValue& value, const FeatureEncoding& encoding) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (is_flag(name)) return *number != 0 ? " " + name_of_option(name) : " --no-" + name_of_option(name).substr(2);
    return fmt::format(" {} {}", name_of_option(name), *number);
  }
  if (const auto* text = std::get_if<std::string>(&value)) return with_word(name_of_option(name), *text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::string out;
    for (const std::string& one : *texts) out += with_word(name_of_option(name), one);
    return out;
  }
  const auto& numbers = std::get<std::vector<double>>(value);
  if (name == "group") return groups_for_shell(numbers, encoding);
  return with_word(name_of_option(name), list_of(columns_at(std::vector<Index>(numbers.begin(), numbers.end()), encoding)));
}

using Options = std::vector<std::pair<std::string, OptionValue>>;

std::string options_for_shell(const Options& options, const FeatureEncoding& encoding) {
  std::string out;
  for (const auto& [name, value] : options)
    if (is_of_program(name)) out += spelled_for_shell(name, value, encoding);
  return out;
}

// Columns of texts are read as such without being told, but not if their levels are numbers.
std::string categories_for_shell(const FeatureEncoding& encoding) {
  std::vector<std::string> names;
  const auto is_number = [](const std::string& level) {
    double value = 0;
    return io::read_number(level, '.', value) || io::read_number(level, ',', value);
  };
  for (const FeatureColumn& f : encoding.features)
    if (f.categorical && std::ranges::all_of(f.levels, is_number)) names.push_back(f.name);
  return names.empty() ? "" : with_word("--categorical", list_of(names));
}

// Other rows than those of the fit, if there are not as many, do not make it again.
std::string files_of(const ReportRows& rows, double num_rows_of_fit) {
  std::string files;
  if (static_cast<double>(rows.X.rows()) != num_rows_of_fit) return "TABLE.csv";
  for (const ReportFile& file : rows.files) files += (files.empty() ? "" : " ") + quoted(file.name);
  return files.empty() ? "TABLE.csv" : files;
}

// A model of columns of numbers may have none.
FeatureEncoding encoding_of(const SavedModel& model) {
  return model.encoding.features.empty() ? FeatureEncoding::of_numbers(names_of(model)) : model.encoding;
}

std::vector<std::string> names_of(const FeatureEncoding& encoding) {
  std::vector<std::string> names;
  for (const FeatureColumn& f : encoding.features) names.push_back(f.name);
  return names;
}

// A fit by names of options has one of these two.
bool has_options(const SavedModel& model) {
  return std::ranges::any_of(model.options, [](const auto& option) { return option.first == "model" || option.first == "preset"; });
}

std::string command_of(const SavedModel& model, const ReportRows& rows) {
  const double num_rows = std::visit([](const auto& fit) { return fit.num_rows; }, model.fit);
  const std::string& target = target_name(model);
  const std::string out = "ardvark fit " + files_of(rows, num_rows) + with_word("--target", target.empty() ? "TARGET" : target);
  const FeatureEncoding encoding = encoding_of(model);
  return out + categories_for_shell(encoding) + options_for_shell(model.options, encoding) + " -o model.ardvark";
}

std::string prior_in_words(const Fit& fit) {
  switch (fit.prior) {
    case PriorKind::sparse:
      return "a spike-and-slab prior over many small effects (prior sparse): a few columns have an effect of their own and all may have a "
             "small "
             "one; how many and how large was learned from the data";
    case PriorKind::slab: return "a spike-and-slab prior (prior slab), whose parameters were learned from the data";
    case PriorKind::dense: return "one normal prior of all effects (prior dense), whose variance was integrated over";
    case PriorKind::shared: return "a normal prior with one precision for all columns (prior shared), learned from the data";
    case PriorKind::ard:
      return "a normal prior with a precision for each column (automatic relevance determination), learned from the data";
    case PriorKind::groups: return "a normal prior with a precision for each group of columns (prior groups), learned from the data";
    case PriorKind::none: return "no prior (prior none)";
    case PriorKind::laplace:
      return fmt::format("a Laplace prior (L1, lambda {:.4g}{}{}); the coefficients are those of the mode", fit.lambda,
                         io::column_unit(fit) == io::ColumnUnit::deviation ? " for standardised columns" : "",
                         fit.lambda_choice ? fmt::format(", chosen by {}-fold cross-validation", fit.lambda_choice->folds) : "");
    case PriorKind::automatic: break;
  }
  return "its default prior";
}

std::string with_ardvark() { return fmt::format("with ardvark {} (sparse Bayesian models by variational inference)", library_version()); }

std::string preset_in_words(const Report& report) {
  return report.preset.empty() ? "" : fmt::format(", which reproduces the published program {}", report.preset);
}

std::string method_of(const Fit& fit, double level) {
  const std::string target = target_or(fit.target, "the target"), percents = level_in_words(level);
  std::string kind = io::regression_in_words(fit);
  kind.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(kind.front())));
  std::string out = fmt::format("We fitted a Bayesian {} of {} on {} ({}) {}{}. ", kind, target,
                                counted(static_cast<double>(num_predictors(fit)), "column", "columns"),
                                counted(fit.num_rows, "row", "rows"), with_ardvark(), preset_in_words(fit.report));
  if (fit.exposure)
    out += fmt::format("Rates are per unit of {}. ", shortened(fit.column_names[static_cast<std::size_t>(*fit.exposure)], 40));
  if (fit.report.preset.empty()) out += fmt::format("The coefficients have {}. ", prior_in_words(fit));
  if (const io::ColumnUnit unit = io::column_unit(fit); unit != io::ColumnUnit::own)
    out += fmt::format("Columns were {} for the fit; coefficients are reported in the units of the data. ",
                       unit == io::ColumnUnit::deviation     ? "standardised"
                       : unit == io::ColumnUnit::mean_square ? "divided by their root mean squares"
                                                             : "divided by their largest distance from the mean");
  if (fit.completed_tables > 0)
    out += fmt::format("Missing values were imputed {} times, and the posteriors averaged. ", fit.completed_tables);
  if (fit.prior != PriorKind::laplace)
    out += fmt::format("We report posterior means with central {} credible intervals{}. ", percents,
                       fit.sparse && fit.prior != PriorKind::dense
                           ? ", and the posterior probability that a column has an effect of its own (inclusion)"
                           : "");
  if (io::judges_columns(fit) && fit.sparse)
    out += fmt::format("A column was kept by the rule: {}; {} of {} were. ", io::rule_of_inclusion(io::has_groups(fit)),
                       io::num_effects(fit), num_predictors(fit));
  if (has_noise(fit.task))
    out += fmt::format("The model explains {} of the variance of {} in these rows; the standard deviation of the noise is {}. ",
                       percent(fit.r_squared), target, io::noise_in_words(fit, level));
  else if (is_count(fit.task))
    out += fmt::format("The model explains {} of the deviance in these rows. ", percent(fit.deviance_explained));
  else
    out += fmt::format("In these rows its accuracy is {} and its log loss {:.3f} nats. ", percent(fit.accuracy), fit.log_loss);
  out.pop_back();
  return out;
}

std::string method_of(const SoftmaxFit& fit, double) {
  const char* const what = fit.coding == ClassCoding::softmax            ? "a Bayesian softmax regression"
                           : fit.coding == ClassCoding::one_against_rest ? "Bayesian logistic regressions of each class against the rest"
                                                                         : "Bayesian logistic regressions of each pair of classes";
  return fmt::format(
      "We fitted {} of {} ({} classes) on {} ({}) {}{}, with the prior {}. In these rows the accuracy is {} and the log loss {:.3f} nats.",
      what, target_or(fit.target, "the target"), fit.num_classes(), counted(static_cast<double>(fit.num_columns()), "column", "columns"),
      counted(fit.num_rows, "row", "rows"), with_ardvark(), preset_in_words(fit.report), to_string(fit.prior), percent(fit.accuracy),
      fit.log_loss);
}

std::string quality_of(const auto& fit) {
  return has_noise(fit.task)
             ? fmt::format("The machine explains {} of the variance in these rows.", percent(fit.r_squared))
             : fmt::format("In these rows the accuracy is {} and the log loss {:.3f} nats.", percent(fit.accuracy), fit.log_loss);
}

std::string method_of(const RelevanceFit& fit, double) {
  return fmt::format("We fitted a relevance vector machine ({}) of {} on {} ({}) {}{}. Its kernel is {}{}; {} are relevance vectors. {}",
                     facts_of(fit.task).machine, target_or(fit.target, "the target"),
                     counted(static_cast<double>(fit.num_inputs()), "input", "inputs"), counted(fit.num_rows, "row", "rows"),
                     with_ardvark(), preset_in_words(fit.report), shortened(fit.kernel.name(), 60),
                     fit.search == KernelSearch::none ? "" : ", whose parameters maximise the log evidence",
                     counted(static_cast<double>(fit.num_vectors()), "row", "rows"), quality_of(fit));
}

std::string method_of(const KernelFit& fit, double) {
  std::string kernels;
  if (!fit.processes.empty() && !fit.processes.front().hypotheses.empty())
    kernels = fmt::format(" Its main kernel is {}; widths, signal and noise come from the evidence{}.",
                          fit.processes.front().hypotheses.front().kernel.spec().kind,
                          fit.processes.front().points.size() > 1 ? ", and predictions average over what it leaves open" : "");
  return fmt::format("We fitted a Gaussian process ({}) of {} on {} ({}) {}.{} {}", facts_of(fit.task).machine,
                     target_or(fit.target, "the target"), counted(static_cast<double>(fit.num_inputs()), "input", "inputs"),
                     counted(fit.num_rows, "row", "rows"), with_ardvark(), kernels, quality_of(fit));
}

}  // namespace

std::string command_of_targets(const SavedTargets& targets, const ReportRows& rows) {
  constexpr std::size_t most_names = 40;
  const std::vector<std::string>& names = targets.target_names;
  std::string out = fmt::format(
      "ardvark fit {}", files_of(rows, targets.fit.num_rows.size() > 0 ? targets.fit.num_rows.maxCoeff<Eigen::PropagateNumbers>() : 0));
  out += names.empty() || names.size() > most_names ? std::string(" --targets TARGETS.csv") : with_word("--target", list_of(names));
  return out + categories_for_shell(targets.encoding) + options_for_shell(targets.options, targets.encoding) + " -o model.ardvark";
}

std::string methods_of(const SavedModel& model, double level) {
  const Status status = report_of(model).status;
  const bool goes_on = std::ranges::any_of(model.options, [](const auto& option) {
    return option == std::pair{std::string("converge"), OptionValue(1.0)};
  });
  return std::visit([&](const auto& fit) { return method_of(fit, level); }, model.fit) +
         (goes_on ? " Unlike the published program, its rule of stopping is convergence." : "") +
         (status == Status::converged ? "" : fmt::format(" The fit did not converge ({}).", to_string(status)));
}

void write_checksums(Page& page, const ReportRows& rows) {
  if (!rows.files.empty()) {
    page.paragraph("The files that this page describes, and their SHA-256 (as sha256sum prints it):");
    std::string text;
    constexpr std::size_t most_files = 30;
    for (std::size_t i = 0; i < std::min(rows.files.size(), most_files); ++i)
      text += fmt::format("{}{}  {}", i > 0 ? "\n" : "", rows.files[i].sha256, shortened(rows.files[i].name, 200));
    if (rows.files.size() > most_files) text += fmt::format("\n... and {} files more", rows.files.size() - most_files);
    page.code(text);
    return;
  }
  if (rows.X.rows() == 0) return;
  page.paragraph("The rows came from the memory. SHA-256 of their numbers, with the Python code that gives it again:");
  page.code(fmt::format("{}\nhashlib.sha256(numpy.column_stack([X, y]).astype(\"<f8\").tobytes()).hexdigest()",
                        sha256_of_numbers(rows.X, rows.target)));
}

void write_beside_the_command(Page& page, const FeatureEncoding& encoding, const std::vector<std::pair<std::string, OptionValue>>& options,
                              bool is_given) {
  std::vector<std::string> unknown;
  const std::string reads = fmt::format("The columns that the fit reads: {}. ", enumerated(names_of(encoding), 60));
  if (is_given) {
    page.paragraph(reads +
                   "Leave out any other column of the table. If the rows had weights or offsets that the command does not name, give them, "
                   "too.");
    return;
  }
  page.paragraph(reads +
                 "A model does not keep how the table was read: leave out any other column (--ignore), and give --weights, "
                 "--missing-marker, --delimiter and --decimal again if the fit had them.");
  for (const auto& [name, value] : options)
    if (!is_of_program(name)) unknown.push_back(name);
  if (!unknown.empty())
    page.paragraph(fmt::format("The fit had {} that the program does not have: {}. It is made again in the language in which it was made.",
                               unknown.size() == 1 ? "an option" : "options", enumerated(unknown, 20)));
}

void write_reproduction(Page& page, const SavedModel& model, const ReportRows& rows, const ReportOptions& options) {
  page.section("How to make this fit again");
  if (options.command.empty() && !has_options(model)) {
    page.paragraph(fmt::format(
        "ardvark {}. The model does not hold the options of its fit, as a file of an earlier version, so that the page has no command. The "
        "columns that the fit reads: {}.",
        library_version(), enumerated(names_of(encoding_of(model)), 60)));
    write_checksums(page, rows);
    return;
  }
  page.paragraph(fmt::format("ardvark {}, and this command:", library_version()));
  page.code(shortened(options.command.empty() ? command_of(model, rows) : options.command, 4000));
  write_beside_the_command(page, encoding_of(model), model.options, !options.command.empty());
  write_checksums(page, rows);
}

}  // namespace ardvark::internal::report
