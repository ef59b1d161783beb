// Reports in the C interface.
#include <filesystem>

#include "ardvark/html_report.hpp"
#include "capi/arguments.hpp"
#include "capi/target_arguments.hpp"
#include "core/refusals.hpp"

namespace ardvark::internal::capi {
namespace {

// \param rows  gets the file
ReportOptions report_options(const ardvark_report_words* words, ReportRows& rows) {
  ReportOptions out;
  if (words == nullptr) return out;
  const ardvark_report_words& w = sized(words, "words", "ardvark_report_words");
  if (w.title != nullptr) out.title = w.title;
  if (w.command != nullptr) out.command = w.command;
  if (w.file != nullptr) rows.files.push_back({std::filesystem::path(w.file).filename().string(), sha256_of_file(w.file)});
  return out;
}

// Writes the page, or gives it to the caller.
void deliver(const std::string& page, const char* path, char** html) {
  if (path != nullptr)
    write_text_file(path, page);
  else
    store(html, "html", [&] { return copy(page); });
}

}  // namespace
}  // namespace ardvark::internal::capi

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

ardvark_code ardvark_model_report(const ardvark_model* model, const ardvark_matrix* X, const double* target, const ardvark_options* options,
                                  const ardvark_report_words* words, const char* path, char** html, ardvark_error* error) {
  return guarded(error, [&] {
    const SavedModel& saved = *required(model, "model").model;
    std::optional<Data> data;
    ReportRows rows;
    if (X != nullptr) {
      data.emplace(X, "X");
      rows.X = data->X();
      rows.target = MatrixView(vector_of(target, rows.X.rows(), "target").data(), rows.X.rows(), 1);
    }
    const CallOptions asked(options);
    rows.row_offset = VectorView(asked.values.row_offset);
    ReportOptions chosen = report_options(words, rows);
    chosen.level = asked.values.level;
    chosen.column_names = asked.values.column_names;
    deliver(html_report(saved, rows, chosen), path, html);
  });
}

ardvark_code ardvark_targets_report(const ardvark_targets* targets, const ardvark_matrix* X, const ardvark_matrix* Y,
                                    const ardvark_matrix* coefficients, double rate, const ardvark_report_words* words, const char* path,
                                    char** html, ardvark_error* error) {
  return guarded(error, [&] {
    const SavedTargets& saved = *required(targets, "targets").saved;
    std::optional<Data> columns, all, given;
    ReportRows rows;
    if (X != nullptr) {
      rows.X = columns.emplace(X, "X").X();
      rows.target = all.emplace(Y, "Y").X();
    }
    ReportOptions chosen = report_options(words, rows);
    chosen.fdr = rate;
    if (coefficients != nullptr) chosen.coefficients = given.emplace(coefficients, "coefficients").X();
    deliver(html_report(saved, rows, chosen), path, html);
  });
}

ardvark_code ardvark_result_report(const ardvark_result* result, const ardvark_report_words* words, const char* path, char** html,
                                   ardvark_error* error) {
  return guarded(error, [&] {
    const ardvark_result& found = required(result, "result");
    if (!found.report) throw refused("result", "has no report; those of ardvark_compare and ardvark_select have one");
    ReportRows rows;
    const ReportOptions chosen = report_options(words, rows);
    deliver(found.report(rows, chosen), path, html);
  });
}
}
