// The sections of reports, each for what it describes.
#pragma once

#include <string>
#include <vector>

#include "ardvark/html_report.hpp"
#include "report/chart.hpp"
#include "report/page.hpp"

namespace ardvark::internal::report {

/// Lines of a table, and of a figure. More columns are counted in a sentence.
inline constexpr Index most_lines = 100, most_in_figure = 30;

/// "1 row", "12 columns".
[[nodiscard]] std::string counted(double number, const std::string& one, const std::string& many);
/// Columns that may have an effect: all but that of the exposure.
[[nodiscard]] Index num_predictors(const Fit& fit);
/// "74%", "0.3%".
[[nodiscard]] std::string percent(double share);
/// "a, b and c"; of more than `most` names, the first ones and how many more there are.
[[nodiscard]] std::string enumerated(const std::vector<std::string>& names, std::size_t most = 10);
/// "95%".
[[nodiscard]] std::string level_in_words(double level);
/// The first line of what `summary` prints: model, prior, rows and columns.
[[nodiscard]] std::string first_line(const std::string& text);

/// The text in lines of at most so many characters, broken at blanks.
[[nodiscard]] std::string wrapped_line(std::string text, int width);

/// The largest coefficients of the columns in use, per standard deviation where columns are scaled.
[[nodiscard]] std::vector<IntervalLine> coefficient_lines(const Fit& fit, double level, Index most);
/// What they are: "log odds per sd of the column".
[[nodiscard]] std::string coefficient_unit(const Fit& fit);
/// Those of one class, or pair of classes, and its name.
[[nodiscard]] std::vector<IntervalLine> coefficient_lines(const SoftmaxFit& fit, Index of, double level, Index most);
[[nodiscard]] std::string score_name(const SoftmaxFit& fit, Index of);

/// Status, warnings and notes of a fit; and what the caller adds to the warnings.
void write_status(Page& page, const Report& report, const std::vector<std::string>& more_warnings = {});

/// What inclusion or relevance, and direction, mean in a table of coefficients.
void add_words_of_shares(bool has_inclusion, PriorKind prior, std::vector<std::string>& words);
/// Coefficients with intervals, sorted, with a figure, alternatives and what the words mean.
void write_coefficients(Page& page, const Fit& fit, const FeatureEncoding& encoding, double level);
/// Of several classes.
void write_coefficients(Page& page, const SoftmaxFit& fit, double level);

/// What the evidence says of the noise, of small effects, of starts, of lambda; of kernels and widths.
void write_evidence(Page& page, const Fit& fit, double level);
void write_evidence(Page& page, const SoftmaxFit& fit);
void write_evidence(Page& page, const KernelFit& fit, double level);
void write_evidence(Page& page, const RelevanceFit& fit, double level);

/// Curves of a kernel machine or relevance vector machine over each of its inputs.
void write_machine(Page& page, const SavedModel& model, const ReportRows& rows, double level);

/// The rows that are given, beside their predictions.
void write_rows(Page& page, const SavedModel& model, const ReportRows& rows);

/// How to make the fit again.
void write_reproduction(Page& page, const SavedModel& model, const ReportRows& rows, const ReportOptions& options);
/// Below a command: the columns that the fit reads, and what the command does not say.
/// \param is_given  the command comes from the caller, so that it is none of the program
void write_beside_the_command(Page& page, const FeatureEncoding& encoding, const std::vector<std::pair<std::string, OptionValue>>& options,
                              bool is_given);
/// The checksums of the rows.
void write_checksums(Page& page, const ReportRows& rows);
/// The command of the program that fits these targets.
[[nodiscard]] std::string command_of_targets(const SavedTargets& targets, const ReportRows& rows);
/// What to write in a paper.
[[nodiscard]] std::string methods_of(const SavedModel& model, double level);

/// What follows if rows are those of a fit; if they are not, or had weights in it; and if this cannot be told.
[[nodiscard]] std::string words_of_own_rows();
[[nodiscard]] std::string words_of_other_rows(double num_rows_of_fit);
[[nodiscard]] std::string words_of_some_rows();

/// Where the rows come from: their files, or the memory.
[[nodiscard]] std::string source_of(const ReportRows& rows);

/// The name of the target, or `otherwise`.
[[nodiscard]] std::string target_or(const std::string& target, const std::string& otherwise);

}  // namespace ardvark::internal::report
