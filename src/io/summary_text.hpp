// The parts that the summaries of all kinds of fits share.
#pragma once

#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/kernel_machine.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark::internal::io {

/// What the fit says, and what is to be known of it: status, notes and warnings. A model puts more lines between the two.
struct SummaryText {
  std::string body, ending;
  [[nodiscard]] std::string whole() const { return body + ending; }
};

/// \throws InvalidArgument  an option does not apply to this fit
[[nodiscard]] SummaryText summary_text(const Fit& fit, const SummaryOptions& options);
[[nodiscard]] SummaryText summary_text(const SoftmaxFit& fit, const SummaryOptions& options);
[[nodiscard]] SummaryText summary_text(const RelevanceFit& fit, const SummaryOptions& options);
[[nodiscard]] SummaryText summary_text(const KernelFit& fit, const SummaryOptions& options);

/// A line: the label, and the text in the column after the labels.
[[nodiscard]] std::string labelled(const char* label, const std::string& text);
/// The positions of the largest numbers, in their order; of equal ones the first comes first; NaN counts as 0.
[[nodiscard]] std::vector<Index> largest(const Vector& given, Index most);
/// The columns with the largest effects: by inclusion, or by mean/sd.
[[nodiscard]] std::vector<Index> largest_effects(const Fit& fit, Index most);
/// Whether the fit keeps some columns and not others.
[[nodiscard]] bool judges_columns(const Fit& fit);
[[nodiscard]] bool judges_columns(const SoftmaxFit& fit);
/// Which factor of which odds the coefficients of several classes are.
[[nodiscard]] std::string ratio_in_words(const SoftmaxFit& fit);
/// Whether some columns, such as the levels of a text column, are judged together.
[[nodiscard]] bool has_groups(const Fit& fit);
/// How a column is kept, in words. By its inclusion and its sign:                                                              (SP.22)
/// \param shared  some columns have one inclusion, or one precision, together: they are kept together
[[nodiscard]] std::string rule_of_inclusion(bool shared);
/// By its size:                                                                                                                (OPT.3)
/// \param over_classes  a column has one precision for all classes
[[nodiscard]] std::string rule_of_size(bool shared, bool over_classes);
/// Status, notes and warnings. How a fit converged is told only if it is asked for.
[[nodiscard]] std::string ending_of(const Report& report, bool verbose);
/// For fits without a single linear score. \throws InvalidArgument  the options ask for coefficients in other units
/// \param instead_of_odds  what the user can do
void refuse_other_units(const SummaryOptions& options, const char* instead_of_odds);
/// The standard deviation of the noise of a regression, with its interval.
[[nodiscard]] std::string noise_in_words(const Fit& fit, double level);
/// "Logistic regression", "Linear regression, Student-t noise".
[[nodiscard]] const char* regression_in_words(const Fit& fit);
/// Of a fit without a posterior.
[[nodiscard]] std::string why_nothing(const Report& report);

}  // namespace ardvark::internal::io
