// The report of a fit is a page: every text is escaped, every id is one of a kind, nothing is loaded.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "ardvark/html_report.hpp"
#include "property.hpp"
#include "report/page_check.hpp"

namespace ardvark::testing {
namespace {

// The target as a report wants it: positions of classes.
Vector target_of_report(const Subject& subject) {
  Vector y = subject.prepared.target;
  if (classes_of(*subject.model).empty() || !subject.prepared.options.class_names.empty()) return y;
  const std::set<double> labels(y.begin(), y.end());
  for (double& label : y) label = static_cast<double>(std::distance(labels.begin(), labels.find(label)));
  return y;
}

bool predicts(const Subject& subject) {
  try {
    (void)predict(*subject.model, subject.prepared.X);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

std::string fault_of(const std::string& page) {
  const CheckedPage checked_page = checked(page);
  if (!checked_page.faults.empty()) return checked_page.faults.front();
  return page.size() < 300000 ? "" : fmt::format("it has {} bytes", page.size());
}

}  // namespace

Verdict report_is_a_page(const Subject& subject) {
  if (!subject.model) return says_nothing();
  ReportRows rows;
  const Vector target = target_of_report(subject);
  if (const std::string fault = fault_of(html_report(*subject.model)); !fault.empty()) return fails("without rows: " + fault);
  if (!predicts(subject)) return holds();
  rows.X = subject.prepared.X;
  rows.target = MatrixView(target.data(), target.size(), 1);
  const std::string page = html_report(*subject.model, rows);
  if (const std::string fault = fault_of(page); !fault.empty()) return fails(fault);
  if (page != html_report(*subject.model, rows)) return fails("the same report has other bytes");
  const SavedModel again = model_from_bytes(model_to_bytes(*subject.model));
  return fault_of(html_report(again, rows)).empty() ? holds() : fails("of a saved model: " + fault_of(html_report(again, rows)));
}

}  // namespace ardvark::testing
