// Words that the sections share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/sections.hpp"

namespace ardvark::internal::report {

std::string counted(double number, const std::string& one, const std::string& many) {
  return fmt::format("{:.10g} {}", number, number == 1 ? one : many);
}

Index num_predictors(const Fit& fit) { return fit.num_columns() - (fit.exposure ? 1 : 0); }

std::string percent(double share) {
  if (!std::isfinite(share)) return "-";
  const double hundred = 100 * share;
  const bool is_near_an_end = hundred != 0 && hundred != 100 && (hundred < 1 || hundred > 99);
  return fmt::format("{:.{}f}%", hundred, is_near_an_end ? 1 : 0);
}

std::string enumerated(const std::vector<std::string>& names, std::size_t most) {
  std::string out;
  const std::size_t shown = std::min(names.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += shortened(names[i], 40);
  }
  return shown < names.size() ? out + fmt::format(" and {} more", names.size() - shown) : out;
}

std::string level_in_words(double level) { return fmt::format("{:g}%", 100 * level); }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string target_or(const std::string& target, const std::string& otherwise) {
  return target.empty() ? otherwise : shortened(target, 40);
}

std::string words_of_own_rows() {
  return "They are the rows of the fit: as many, and predicted as well. New rows are predicted a little worse than those that a fit has "
         "seen.";
}
std::string words_of_other_rows(double num_rows_of_fit) {
  return fmt::format(
      "They are other rows than those of the fit, which had {:.10g}; or some of those; or the fit gave them weights. If none of them was "
      "in "
      "the fit, how well they are predicted is how well new rows are.",
      num_rows_of_fit);
}
std::string words_of_some_rows() { return "The page cannot tell whether they are those of the fit."; }

std::string source_of(const ReportRows& rows) {
  if (rows.files.empty()) return "rows in memory";
  std::vector<std::string> names;
  for (const ReportFile& file : rows.files) names.push_back(file.name);
  return enumerated(names, 3);
}

void write_status(Page& page, const Report& report, const std::vector<std::string>& more_warnings) {
  constexpr std::size_t most_texts = 40, most_characters = 600;
  std::vector<std::string> warnings;
  if (report.status != Status::converged)
    warnings.push_back(fmt::format("The fit did not converge ({}): {}", to_string(report.status), report.message));
  warnings.insert(warnings.end(), report.warnings.begin(), report.warnings.end());
  warnings.insert(warnings.end(), more_warnings.begin(), more_warnings.end());
  const auto more = [](std::size_t size) { return size > most_texts ? fmt::format("{} more are not shown.", size - most_texts) : ""; };
  page.section("What to know first");
  for (std::size_t i = 0; i < std::min(warnings.size(), most_texts); ++i) page.warning(shortened(warnings[i], most_characters));
  page.paragraph(more(warnings.size()));
  if (warnings.empty()) page.paragraph("It converged, and there are no warnings.");
  if (report.notes.empty()) return;
  page.paragraph("What was decided without being asked, and other notes:");
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < std::min(report.notes.size(), most_texts); ++i) notes.push_back(shortened(report.notes[i], most_characters));
  page.list(notes);
  page.paragraph(more(report.notes.size()));
}

}  // namespace ardvark::internal::report
