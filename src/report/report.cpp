// A report of a fit: the order of its sections.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ardvark/html_report.hpp"
#include "core/refusals.hpp"
#include "core/sha256.hpp"
#include "io/file.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "model/fit_parts.hpp"
#include "report/curves.hpp"
#include "report/sections.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;
using namespace internal::report;

namespace {

void require_size(const char* name, Index size, Index wanted, const char* of) {
  if (size != wanted) throw wrong_size(name, size, fmt::format("it must have {}: {}", of, wanted));
}

void check(const SavedModel& model, const ReportRows& rows, const ReportOptions& options) {
  if (!(options.level > 0 && options.level < 1)) throw wrong("level", options.level, "it must lie between 0 and 1");
  const Index p = num_inputs(model);
  if (!options.column_names.empty()) require_size("column_names", std::ssize(options.column_names), p, "one for each column of the model");
  if (rows.X.rows() == 0) return;
  if (rows.X.cols() != p) throw refused("X", fmt::format("has {} columns; the model has {}", rows.X.cols(), p));
  if (rows.target.rows() > 0) {
    require_size("target", rows.target.rows(), rows.X.rows(), "one for each row of X");
    if (rows.target.cols() != 1) throw refused("target", fmt::format("has {} columns; the model has one target", rows.target.cols()));
  }
  if (!rows.numbers.empty()) require_size("numbers", std::ssize(rows.numbers), rows.X.rows(), "one for each row of X");
}

SavedModel renamed(SavedModel model, const std::vector<std::string>& names) {
  std::visit(
      [&](auto& fit) {
        if constexpr (requires { fit.column_names; })
          fit.column_names = names;
        else
          fit.input_names = names;
      },
      model.fit);
  if (!model.encoding.has_text()) model.encoding = FeatureEncoding::of_numbers(names);
  return model;
}

std::string kind_of(const Fit& fit) { return io::regression_in_words(fit); }
std::string kind_of(const SoftmaxFit&) { return "Classification"; }
std::string kind_of(const RelevanceFit&) { return "Relevance vector machine"; }
std::string kind_of(const KernelFit&) { return "Kernel machine"; }

std::string title_of(const SavedModel& model) {
  return std::visit([](const auto& fit) { return fmt::format("{} of {}", kind_of(fit), target_or(fit.target, "a target")); }, model.fit);
}

// How the kept columns are said in one sentence.
std::string columns_in_short(const Fit& fit) {
  if (!io::judges_columns(fit)) return "";
  std::vector<std::string> kept;
  for (const Index j : io::largest_effects(fit, fit.num_columns())) {
    const auto at = static_cast<std::size_t>(j);
    if (fit.relevant[at] && !fit.left_out[at] && fit.group[at] != -1) kept.push_back(fit.column_names[at]);
  }
  if (kept.empty()) return fmt::format("None of the {} columns is kept: the rows do not show that one has an effect.", num_predictors(fit));
  return fmt::format("{} of {} {} kept: {}.", kept.size(), counted(static_cast<double>(num_predictors(fit)), "column", "columns"),
                     kept.size() == 1 ? "is" : "are", enumerated(kept, 8));
}

std::vector<std::string> in_short(const Fit& fit, double level) {
  std::vector<std::string> out;
  const std::string target = target_or(fit.target, "the target");
  if (has_noise(fit.task)) {
    out.push_back(fmt::format("The model explains {} of the variance of {} in {}.", percent(fit.r_squared), target,
                              counted(fit.num_rows, "row", "rows")));
    out.push_back(fmt::format("Around a prediction, {} varies with a standard deviation of {}.", target, io::noise_in_words(fit, level)));
  } else if (is_count(fit.task)) {
    out.push_back(fmt::format("The model explains {} of the deviance of {} in {}.", percent(fit.deviance_explained), target,
                              counted(fit.num_rows, "row", "rows")));
  } else {
    out.push_back(
        fmt::format("The most probable class is the right one in {} of {}.", percent(fit.accuracy), counted(fit.num_rows, "row", "rows")));
  }
  if (const std::string columns = columns_in_short(fit); !columns.empty()) out.push_back(columns);
  return out;
}

std::vector<std::string> in_short(const SoftmaxFit& fit, double) {
  std::vector<std::string> kept;
  for (Index j = 0; j < fit.num_columns(); ++j)
    if (fit.relevant[static_cast<std::size_t>(j)] && !fit.left_out[static_cast<std::size_t>(j)])
      kept.push_back(fit.column_names[static_cast<std::size_t>(j)]);
  std::vector<std::string> out = {fmt::format("The most probable of {} classes is the right one in {} of {}.", fit.num_classes(),
                                              percent(fit.accuracy), counted(fit.num_rows, "row", "rows"))};
  if (io::judges_columns(fit))
    out.push_back(kept.empty() ? fmt::format("None of the {} columns is kept.", fit.num_columns())
                               : fmt::format("{} of {} columns are kept for one class at least: {}.", kept.size(), fit.num_columns(),
                                             enumerated(kept, 8)));
  return out;
}

std::vector<std::string> in_short(const auto& machine, double) {
  std::vector<std::string> out;
  if (has_noise(machine.task))
    out.push_back(fmt::format("The curve explains {} of the variance of {} in {}.", percent(machine.r_squared),
                              target_or(machine.target, "the target"), counted(machine.num_rows, "row", "rows")));
  else
    out.push_back(fmt::format("The most probable class is the right one in {} of {}.", percent(machine.accuracy),
                              counted(machine.num_rows, "row", "rows")));
  const Index num_vectors = machine.num_vectors();
  out.push_back(fmt::format("{} the predictions.", counted(static_cast<double>(num_vectors), "row carries", "rows carry")));
  return out;
}

std::string classes_in_words(const SavedModel& model) {
  const std::vector<std::string>& classes = classes_of(model);
  if (const Fit* fit = model.score(); fit != nullptr && classes.size() == 2)
    return fmt::format("{} ({:.10g} rows) and {} ({:.10g} rows); probabilities and odds are those of {}", shortened(classes[0], 40),
                       fit->class_weight[0], shortened(classes[1], 40), fit->class_weight[1], shortened(classes[1], 40));
  if (const SoftmaxFit* fit = model.softmax()) {
    std::vector<std::string> named;
    for (std::size_t c = 0; c < classes.size(); ++c)
      named.push_back(fmt::format("{} ({:.10g} rows)", shortened(classes[c], 24), fit->class_weight[static_cast<Index>(c)]));
    return enumerated(named, 12);
  }
  return enumerated(classes, 12);
}

void write_what(Page& page, const SavedModel& model) {
  page.section("What was fitted, and on what");
  std::vector<std::pair<std::string, std::string>> facts;
  const std::string line = first_line(std::visit([](const auto& fit) { return io::summary_text(fit, SummaryOptions()).body; }, model.fit));
  facts.emplace_back("Model", line);
  if (!target_name(model).empty()) facts.emplace_back("Target", shortened(target_name(model)));
  if (!classes_of(model).empty()) facts.emplace_back("Classes", classes_in_words(model));
  std::vector<std::string> texts;
  for (const FeatureColumn& f : model.encoding.features)
    if (f.categorical) texts.push_back(f.name);
  if (!texts.empty()) facts.emplace_back("Columns of texts", enumerated(texts, 12));
  if (model.imputation) {
    std::vector<std::string> gaps;
    for (std::size_t k = 0; k < model.imputation->columns.size(); ++k)
      gaps.push_back(fmt::format("{} ({})", shortened(model.imputation->columns[k], 40), model.imputation->gaps[k]));
    facts.emplace_back("Missing values", fmt::format("imputed {} times: {}", model.imputation->imputations, enumerated(gaps, 12)));
  }
  page.facts(facts);
}

void write_selected(Page& page, const SavedModel& model) {
  if (!model.effects || model.score() == nullptr) return;
  page.subsection(fmt::format("Selected at a false discovery rate of {:.3g}", model.effects->fdr));
  std::vector<std::string> sentences;
  for (const EffectSet& set : effects_at(*model.effects, model.effects->fdr)) {
    if (sentences.size() >= 50) break;
    std::vector<std::string> names;
    for (const Index j : set.columns) names.push_back(model.score()->column_names[static_cast<std::size_t>(j)]);
    sentences.push_back(
        fmt::format("{}{} (probability {:.3f})", names.size() > 1 ? "one or more of " : "", enumerated(names, 6), set.probability));
  }
  if (sentences.empty()) sentences.emplace_back("Nothing can be selected at this rate.");
  page.list(sentences);
}

std::vector<std::string> warnings_of(const SavedModel& model) {
  if (!model.diagnosis) return {};
  const std::string warning = warning_of(*model.diagnosis);
  const std::vector<std::string>& known = report_of(model).warnings;
  return warning.empty() || std::ranges::find(known, warning) != known.end() ? std::vector<std::string>{}
                                                                             : std::vector<std::string>{warning};
}

void write_posterior(Page& page, const SavedModel& model, const ReportRows& rows, double level) {
  if (const Fit* fit = model.score()) {
    write_coefficients(page, *fit, model.encoding, level);
    write_selected(page, model);
  } else if (const SoftmaxFit* softmax = model.softmax()) {
    write_coefficients(page, *softmax, level);
  } else {
    write_machine(page, model, rows, level);
  }
}

void write_more_evidence(Page& page, const SavedModel& model, double level) {
  if (const Fit* fit = model.score()) write_evidence(page, *fit, level);
  if (const SoftmaxFit* fit = model.softmax()) write_evidence(page, *fit);
  if (const KernelFit* fit = model.process()) write_evidence(page, *fit, level);
  if (const RelevanceFit* fit = model.relevance()) write_evidence(page, *fit, level);
  if (model.diagnosis && !std::isnan(model.diagnosis->khat))
    page.paragraph(
        fmt::format("k-hat is {:.2f} (up to {:.2f} is good): how far the posterior is from the exact one, by importance sampling.",
                    model.diagnosis->khat, model.diagnosis->threshold));
}

}  // namespace

std::string html_report(const SavedModel& model, const ReportRows& rows, const ReportOptions& options) {
  check(model, rows, options);
  if (!options.column_names.empty()) {
    ReportOptions plain = options;
    plain.column_names = {};
    return html_report(renamed(model, options.column_names), rows, plain);
  }
  const std::string line = first_line(std::visit([](const auto& fit) { return io::summary_text(fit, SummaryOptions()).body; }, model.fit));
  Page page(options.title.empty() ? title_of(model) : shortened(options.title, 200), line);
  if (!has_posterior(model)) {
    write_status(page, report_of(model));
    page.paragraph("There is no result to show.");
    return page.finish();
  }
  page.section("In short");
  page.list(std::visit([&](const auto& fit) { return in_short(fit, options.level); }, model.fit));
  write_status(page, report_of(model), warnings_of(model));
  write_what(page, model);
  write_posterior(page, model, rows, options.level);
  write_rows(page, model, rows);
  write_more_evidence(page, model, options.level);
  write_reproduction(page, model, rows, options);
  page.section("What to write about it");
  page.paragraph("For the methods and results of a paper; every number is of this fit:");
  page.quotation(methods_of(model, options.level));
  return page.finish();
}

std::string sha256_of_file(const std::string& path) {
  io::File file = io::File::open(path);
  Sha256 sum;
  std::vector<char> some(std::size_t{1} << 18);
  for (std::size_t size = 0; (size = file.read(some.data(), some.size())) > 0;) sum.add(some.data(), size);
  return sum.digits();
}

std::string sha256_of_numbers(MatrixView X, MatrixView target) {
  static_assert(std::endian::native == std::endian::little);
  if (target.rows() > 0) require_size("target", target.rows(), X.rows(), "one for each row of X");
  Sha256 sum;
  std::vector<double> row(static_cast<std::size_t>(X.cols() + (target.rows() > 0 ? target.cols() : 0)));
  for (Index i = 0; i < X.rows(); ++i) {
    std::size_t at = 0;
    for (Index j = 0; j < X.cols(); ++j) row[at++] = X(i, j);
    for (Index k = 0; target.rows() > 0 && k < target.cols(); ++k) row[at++] = target(i, k);
    sum.add(row.data(), row.size() * sizeof(double));
  }
  return sum.digits();
}

}  // namespace ardvark
