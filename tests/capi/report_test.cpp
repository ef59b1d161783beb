// Reports of the C interface, against the library.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "ardvark/html_report.hpp"
#include "ardvark/plot.hpp"
#include "capi/calls.hpp"
#include "io/temporary_file.hpp"

namespace ardvark {
namespace {

struct ReportTable {
  Matrix X{40, 2};
  Vector y{40};
  ReportTable() {
    for (Index i = 0; i < 40; ++i) {
      X(i, 0) = std::sin(1.7 * static_cast<double>(i)), X(i, 1) = std::cos(2.9 * static_cast<double>(i));
      y[i] = 2 * X(i, 0) + 0.3 * std::sin(13.0 * static_cast<double>(i));
    }
  }
  [[nodiscard]] Model model() const { return fitted(view(X), y, options_of({{"model", "linear"}, {"prior", "shared"}})); }
  [[nodiscard]] SavedModel saved() const { return fit_model(X, y, {.model = "linear", .prior = "shared"}); }
};

TEST(CReport, IsThatOfTheLibrary) {
  const ReportTable table;
  const Model model = table.model();
  const ardvark_matrix X = view(table.X);
  const ardvark_report_words words{sizeof words, "A title", "a command", nullptr};
  ardvark_error error = empty_error();
  char* html = nullptr;
  ASSERT_EQ(ardvark_model_report(model.get(), &X, table.y.data(), nullptr, &words, nullptr, &html, &error), ARDVARK_OK) << error.message;
  ReportRows rows;
  rows.X = table.X, rows.target = MatrixView(table.y.data(), 40, 1);
  EXPECT_EQ(std::string(html), html_report(table.saved(), rows, {.title = "A title", .command = "a command"}));
  ardvark_free(html);
  const Options options = options_of({{"level", "0.5"}});
  ASSERT_EQ(ardvark_model_report(model.get(), nullptr, nullptr, options.get(), nullptr, nullptr, &html, &error), ARDVARK_OK)
      << error.message;
  EXPECT_EQ(std::string(html), html_report(table.saved(), {}, {.level = 0.5}));
  ardvark_free(html);
}

TEST(CReport, WritesAFileAndNamesThatOfTheRows) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "r.html", data = folder / "rows.csv";
  testing::write_bytes(data, "abc");
  const ReportTable table;
  const Model model = table.model();
  const ardvark_matrix X = view(table.X);
  const ardvark_report_words words{sizeof words, nullptr, nullptr, data.c_str()};
  ardvark_error error = empty_error();
  ASSERT_EQ(ardvark_model_report(model.get(), &X, table.y.data(), nullptr, &words, path.c_str(), nullptr, &error), ARDVARK_OK)
      << error.message;
  const std::string page = testing::read_bytes(path);
  EXPECT_NE(page.find("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  rows.csv"), std::string::npos);
  EXPECT_EQ(page.find(folder.path()), std::string::npos);
}

TEST(CReport, RefusesWhatIsWrong) {
  const ReportTable table;
  const Model model = table.model();
  const ardvark_matrix X = view(table.X);
  ardvark_error error = empty_error();
  char* html = nullptr;
  EXPECT_EQ(ardvark_model_report(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &html, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "model");
  EXPECT_EQ(ardvark_model_report(model.get(), &X, nullptr, nullptr, nullptr, nullptr, &html, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "target");
  EXPECT_EQ(ardvark_model_report(model.get(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "html");
  const ardvark_report_words none{};
  EXPECT_EQ(ardvark_model_report(model.get(), nullptr, nullptr, nullptr, &none, nullptr, &html, &error), ARDVARK_INVALID_ARGUMENT);
  const ardvark_report_words absent{sizeof absent, nullptr, nullptr, "/no/such/file.csv"};
  EXPECT_EQ(ardvark_model_report(model.get(), nullptr, nullptr, nullptr, &absent, nullptr, &html, &error), ARDVARK_ENVIRONMENT);
  EXPECT_EQ(ardvark_model_report(model.get(), nullptr, nullptr, nullptr, nullptr, "/no/such/folder/r.html", nullptr, &error),
            ARDVARK_ENVIRONMENT);
}

TEST(CReport, DrawsAModel) {
  const ReportTable table;
  const Model model = table.model();
  ardvark_error error = empty_error();
  char* text = nullptr;
  ASSERT_EQ(ardvark_model_drawing(model.get(), 0, nullptr, &text, &error), ARDVARK_OK) << error.message;
  EXPECT_EQ(std::string(text), drawing(table.saved()));
  ardvark_free(text);
  const Options options = options_of({{"level", "0.5"}});
  ASSERT_EQ(ardvark_model_drawing(model.get(), 30, options.get(), &text, &error), ARDVARK_OK) << error.message;
  EXPECT_EQ(std::string(text), drawing(table.saved(), 30, 0.5));
  ardvark_free(text);
  EXPECT_EQ(ardvark_model_drawing(model.get(), 10, nullptr, &text, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "width");
}

TEST(CReport, OfComparisonsAndSelections) {
  const ReportTable table;
  const ardvark_matrix X = view(table.X);
  ardvark_error error = empty_error();
  ardvark_result* made = nullptr;
  const Options options = options_of({{"model", "linear"}});
  ASSERT_EQ(ardvark_compare(&X, table.y.data(), "shared,dense", nullptr, options.get(), &made, &error), ARDVARK_OK) << error.message;
  const Result compared(made);
  const ardvark_report_words words{sizeof words, nullptr, "a command", nullptr};
  char* html = nullptr;
  ASSERT_EQ(ardvark_result_report(compared.get(), &words, nullptr, &html, &error), ARDVARK_OK) << error.message;
  ComparisonOptions same;
  same.priors = {"shared", "dense"};
  EXPECT_EQ(std::string(html), html_report(compare_models(table.X, table.y, same), {}, {.command = "a command"}));
  ardvark_free(html);
  const Options selection = options_of({{"model", "linear"}, {"prior", "ard"}, {"folds", "3"}, {"repeats", "2"}});
  ASSERT_EQ(ardvark_select(&X, table.y.data(), selection.get(), &made, &error), ARDVARK_OK) << error.message;
  const Result selected(made);
  ASSERT_EQ(ardvark_result_report(selected.get(), nullptr, nullptr, &html, &error), ARDVARK_OK) << error.message;
  ModelOptions how{.model = "linear", .prior = "ard"};
  how.folds = 3, how.repeats = 2;
  EXPECT_EQ(std::string(html), html_report(select_columns(table.X, table.y, how)));
  ardvark_free(html);
  const Result fit = result_of(table.model());
  EXPECT_EQ(ardvark_result_report(fit.get(), nullptr, nullptr, &html, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "result");
}

TEST(CReport, OfManyTargets) {
  const ReportTable table;
  Matrix Y(40, 2);
  Y << table.y, table.X.col(1) + 0.1 * table.y;
  const ardvark_matrix X = view(table.X), all = view(Y);
  const char* const names[] = {"a", "b"};
  const Options options = options_of({{"model", "linear"}, {"prior", "shared"}});
  ardvark_error error = empty_error();
  ardvark_targets* targets = nullptr;
  Matrix mean(2, 2);
  const ardvark_columns to{sizeof to, mean.data(), ARDVARK_FLOAT64, 0};
  ASSERT_EQ(ardvark_fit_targets(&X, &all, names, options.get(), 0, &to, nullptr, nullptr, &targets, &error), ARDVARK_OK) << error.message;
  const testing::Owned<ardvark_targets> owned(targets);
  const ardvark_matrix coefficients = view(mean);
  char* html = nullptr;
  ASSERT_EQ(ardvark_targets_report(targets, &X, &all, &coefficients, 0.2, nullptr, nullptr, &html, &error), ARDVARK_OK) << error.message;
  const std::string page = html;
  ardvark_free(html);
  EXPECT_NE(page.find("at a rate of false discoveries of 0.2"), std::string::npos);
  EXPECT_NE(page.find("Predictions and observations"), std::string::npos);
  EXPECT_NE(page.find("Coefficients</h2>"), std::string::npos);
  EXPECT_EQ(ardvark_targets_report(targets, &X, nullptr, nullptr, 0.2, nullptr, nullptr, &html, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "Y");
  EXPECT_EQ(ardvark_targets_report(targets, nullptr, nullptr, nullptr, 2, nullptr, nullptr, &html, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "fdr");
}

}  // namespace
}  // namespace ardvark
