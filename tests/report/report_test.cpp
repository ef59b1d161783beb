#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "ardvark/html_report.hpp"
#include "page_check.hpp"

namespace ardvark {
namespace {

using testing::checked;
using testing::CheckedPage;

struct Drawn {
  Matrix X;
  Vector y, labels;
};

// y = 2 x1 - x2 + noise of sd 0.5; labels: whether this is positive.
Drawn drawn(Index n, Index p, unsigned seed = 1) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Drawn out{Matrix(n, p), Vector(n), Vector(n)};
  for (double& x : out.X.reshaped()) x = normal(engine);
  for (Index i = 0; i < n; ++i) {
    out.y[i] = 1 + 2 * out.X(i, 0) - (p > 1 ? out.X(i, 1) : 0) + 0.5 * normal(engine);
    out.labels[i] = out.y[i] > 1 ? 1 : 0;
  }
  return out;
}

MatrixView column(const Vector& y) { return {y.data(), y.size(), 1}; }

CheckedPage page_of(const std::string& page) {
  CheckedPage out = checked(page);
  EXPECT_TRUE(out.faults.empty()) << ::testing::PrintToString(out.faults);
  EXPECT_LT(page.size(), 300000u);
  return out;
}

bool has(const CheckedPage& page, const std::string& text) { return page.text().find(text) != std::string::npos; }

// The cells of the line of a table that begins with this name.
std::vector<std::string> line_of(const CheckedPage& page, const std::string& name) {
  std::vector<std::string> cells;
  bool is_in = false;
  for (const testing::PageElement& element : page.elements) {
    if (element.tag == "th" && element.attributes.at("scope") == "row") is_in = element.text == name && cells.empty();
    if (element.tag == "td" && is_in) cells.push_back(element.text);
  }
  return cells;
}

TEST(HtmlReport, HoldsWhatTheSummaryHolds) {
  const Drawn d = drawn(120, 4);
  ModelOptions options{.model = "linear"};
  options.column_names = {"alpha", "beta", "gamma", "delta"};
  options.target = "weight";
  const SavedModel model = fit_model(d.X, d.y, options);
  const CheckedPage page = page_of(html_report(model));
  const Fit& fit = *model.score();
  EXPECT_EQ(page.all("h1").front().text, "Linear regression of weight");
  for (Index j = 0; j < 4; ++j) {
    const std::vector<std::string> cells = line_of(page, options.column_names[static_cast<std::size_t>(j)]);
    ASSERT_EQ(cells.size(), 7u);
    const Interval ends = credible_interval(fit, j);
    EXPECT_NEAR(std::stod(cells[0]), fit.mean[j], 1e-3 * std::abs(fit.mean[j]));
    EXPECT_NEAR(std::stod(cells[2]), ends.lower, 1e-3 * std::abs(ends.lower));
    EXPECT_NEAR(std::stod(cells[3]), ends.upper, 1e-3 * std::abs(ends.upper));
    EXPECT_NEAR(std::stod(cells[4]), fit.sparse->inclusion[j], 0.0051);
    EXPECT_EQ(cells[6], j < 2 ? "kept" : "-");
  }
  EXPECT_TRUE(has(page, fmt::format("{:.4f} nats", fit.bound)));
  EXPECT_TRUE(has(page, "2 of 4 columns are kept: alpha and beta."));
  EXPECT_TRUE(has(page, "ardvark fit TABLE.csv --target weight --model linear -o model.ardvark"));

  // The command names the table if it has as many rows as the fit: other rows do not make the fit again.
  ReportRows rows;
  rows.X = d.X, rows.target = column(d.y);
  rows.files = {{"mice.csv", std::string(64, '0')}};
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "ardvark fit mice.csv --target weight"));
  const Drawn other = drawn(60, 4, 7);
  rows.X = other.X, rows.target = column(other.y);
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "ardvark fit TABLE.csv --target weight"));
}

TEST(HtmlReport, ListsAlternativesThatGoTogether) {
  const Drawn d = drawn(150, 4);
  SavedModel model = fit_model(d.X, d.y, {.model = "linear", .prior = "slab"});
  model.score()->sparse->sets = {{{2, 0}, {0.704, 0.291}, 0.9}, {{1}, {1}, 1}, {{0, 1, 2}, {0.5, 0.3, 0.2}, 0.4}};
  const CheckedPage page = page_of(html_report(model));
  EXPECT_TRUE(has(page, "One of x3 (probability 0.70), x1 (probability 0.29)"));
  EXPECT_FALSE(has(page, "One of x1"));  // it has probably no effect at all
}

// The shares by the intervals of predict(), counted here.
TEST(HtmlReport, CountsRowsInsideOfTheirIntervals) {
  const Drawn d = drawn(80, 3), other = drawn(200, 3, 7);
  const SavedModel model = fit_model(d.X, d.y, {.model = "linear", .prior = "shared"});
  ReportRows rows;
  rows.X = other.X, rows.target = column(other.y);
  const CheckedPage page = page_of(html_report(model, rows));
  const auto prediction = std::get<StudentPrediction>(predict(model, other.X));
  for (const auto& [level, name] : {std::pair{0.5, "50%"}, {0.8, "80%"}, {0.95, "95%"}}) {
    const Vector half = prediction.half_width(level);
    int inside = 0;
    for (Index i = 0; i < 200; ++i) inside += std::abs(other.y[i] - prediction.mean[i]) <= half[i] ? 1 : 0;
    ASSERT_FALSE(line_of(page, name).empty());
    EXPECT_EQ(line_of(page, name)[0], fmt::format("{} of 200", inside));
  }
  EXPECT_TRUE(has(page, "They are other rows than those of the fit"));
  rows.X = d.X, rows.target = column(d.y);
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "They are the rows of the fit"));
}

TEST(HtmlReport, CountsClassesAndTheirProbabilities) {
  const Drawn d = drawn(150, 3);
  ModelOptions options{.model = "logistic"};
  options.class_names = {"no", "yes"};
  const SavedModel model = fit_model(d.X, d.labels, options);
  ReportRows rows;
  rows.X = d.X, rows.target = column(d.labels);
  const CheckedPage page = page_of(html_report(model, rows));
  const auto prediction = std::get<ClassPrediction>(predict(model, d.X));
  int no_no = 0, yes_yes = 0, no = 0;
  for (Index i = 0; i < 150; ++i) {
    const bool says_yes = prediction.probability[i] > 0.5, is_yes = d.labels[i] == 1;
    no += is_yes ? 0 : 1, no_no += !says_yes && !is_yes ? 1 : 0, yes_yes += says_yes && is_yes ? 1 : 0;
  }
  EXPECT_EQ(line_of(page, "no"), (std::vector<std::string>{fmt::format("{}", no_no), fmt::format("{}", no - no_no)}));
  EXPECT_EQ(line_of(page, "yes"), (std::vector<std::string>{fmt::format("{}", 150 - no - yes_yes), fmt::format("{}", yes_yes)}));
  EXPECT_TRUE(has(page, "They are the rows of the fit"));
  EXPECT_TRUE(has(page, "Calibration of the probabilities"));
}

TEST(HtmlReport, LeavesOutRowsWithoutATarget) {
  Drawn d = drawn(60, 2);
  const SavedModel model = fit_model(d.X, d.y, {.model = "linear"});
  d.y[3] = NAN;
  ReportRows rows;
  rows.X = d.X, rows.target = column(d.y);
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "rows in memory: 60 rows; 59 have a known target."));
  d.y.setConstant(NAN);
  rows.target = column(d.y);
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "The target of no row is known."));
  rows.target = {};
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "The rows have no target"));
}

// What a name says stays a text: no element, no attribute and no entity comes of it.
TEST(HtmlReport, EscapesNames) {
  const Drawn d = drawn(100, 3);
  ModelOptions options{.model = "logistic"};
  const std::string script = "<script>alert(1)</script>", quote = "\" onload=\"alert(2)", entity = "a&lt;b & 'c'";
  options.column_names = {script, quote, entity};
  options.target = "</title><img src=x>";
  options.class_names = {"<b>no</b>", "yes\x1b[31m"};
  const SavedModel model = fit_model(d.X, d.labels, options);
  ReportRows rows;
  rows.X = d.X, rows.target = column(d.labels);
  rows.files = {{"<i>x</i>.csv", std::string(64, '0')}};
  ReportOptions how;
  how.title = "<h1>&";
  how.command = "fit --x '<&>'";
  const CheckedPage page = page_of(html_report(model, rows, how));
  for (const std::string& text :
       {script, quote, entity, std::string("<i>x</i>.csv"), std::string("fit --x '<&>'"), std::string("<b>no</b>")})
    EXPECT_TRUE(has(page, text)) << text;
  EXPECT_EQ(page.all("h1").front().text, "<h1>&");
  EXPECT_TRUE(has(page, "yes\\x1b[31m"));
}

TEST(HtmlReport, StaysSmallWithManyColumnsAndLongNames) {
  const Drawn d = drawn(60, 3000);
  ModelOptions options{.model = "linear", .prior = "ard"};
  for (Index j = 0; j < 3000; ++j) options.column_names.push_back(fmt::format("{}&{}", std::string(500, 'x'), j));
  const SavedModel model = fit_model(d.X, d.y, options);
  ReportRows rows;
  rows.X = d.X, rows.target = column(d.y);
  const CheckedPage page = page_of(html_report(model, rows));
  Index in_table = 0;
  for (const testing::PageElement& element : page.elements)
    in_table += element.tag == "th" && element.attributes.at("scope") == "row" && element.text.starts_with("xxx") ? 1 : 0;
  EXPECT_LE(in_table, 100);
  EXPECT_GE(in_table, 1);
}

// What is said of the columns that are not shown holds of each of them.
TEST(HtmlReport, RoundsABoundUp) {
  const Drawn d = drawn(60, 150);
  const SavedModel model = fit_model(d.X, d.y, {.model = "linear", .prior = "slab"});
  const std::string text = page_of(html_report(model)).text();
  std::vector<double> inclusion(model.score()->relevance.begin(), model.score()->relevance.end());
  std::ranges::sort(inclusion, std::greater<>());
  const std::size_t at = text.find("no inclusion is above ");
  ASSERT_NE(at, std::string::npos);
  const double bound = std::stod(text.substr(at + 22));
  EXPECT_GE(bound, inclusion[100]);
  EXPECT_LE(bound, inclusion[99] + 0.01);
  EXPECT_GT(bound, 0);
}

TEST(HtmlReport, ComparesEveryKthOfManyRows) {
  const Drawn d = drawn(41000, 1);
  const SavedModel model = fit_model(MatrixView(d.X).row_range(0, 50), VectorView(d.y.data(), 50), ModelOptions{.model = "linear"});
  ReportRows rows;
  rows.X = d.X, rows.target = column(d.y);
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "13667 of them, evenly spaced"));  // every third
}

TEST(HtmlReport, DrawsCurvesOfMachines) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  Matrix X(60, 1);
  Vector y(60);
  for (Index i = 0; i < 60; ++i) X(i, 0) = 0.1 * static_cast<double>(i), y[i] = std::sin(X(i, 0)) + 0.1 * normal(engine);
  for (const char* const kind : {"kernel", "rvm"}) {
    ModelOptions options{.model = kind, .task = "regression"};
    options.column_names = {"time"};
    options.target = "height";
    const SavedModel model = fit_model(X, y, options);
    ReportRows rows;
    rows.X = X, rows.target = column(y);
    const CheckedPage page = page_of(html_report(model, rows));
    ASSERT_TRUE(has(page, "height over time"));
    // The table of the curve: at the ends, the predictions of the model.
    const std::vector<std::string> first = line_of(page, "0"), last = line_of(page, "5.900");
    ASSERT_EQ(first.size(), 3u);
    ASSERT_EQ(last.size(), 3u);
    ModelOptions mean;
    mean.interval = "mean";
    Matrix ends(2, 1);
    ends << 0, 5.9;
    std::visit(
        [&](const auto& p) {
          if constexpr (requires { p.half_width(0.95); }) {
            EXPECT_NEAR(std::stod(first[0]), p.mean[0], 1e-3);
            EXPECT_NEAR(std::stod(last[0]), p.mean[1], 1e-3);
            EXPECT_NEAR(std::stod(last[2]), p.mean[1] + p.half_width(0.95)[1], 1e-3);
          }
        },
        predict(model, ends, mean));
  }
}

TEST(HtmlReport, ShowsSeveralClasses) {
  const Drawn d = drawn(200, 3);
  Vector labels(200);
  for (Index i = 0; i < 200; ++i) labels[i] = d.y[i] < 0 ? 0 : d.y[i] < 2 ? 1 : 2;
  ModelOptions options{.model = "logistic"};
  options.class_names = {"low", "middle", "high"};
  for (const char* const coding : {"softmax", "one-against-rest", "one-against-one"}) {
    options.coding = coding;
    const SavedModel model = fit_model(d.X, labels, options);
    ReportRows rows;
    rows.X = d.X, rows.target = column(labels);
    const CheckedPage page = page_of(html_report(model, rows));
    EXPECT_TRUE(has(page, std::string(coding) == "one-against-one" ? "Coefficients of middle/low" : "Coefficients of middle")) << coding;
    EXPECT_TRUE(has(page, "They are the rows of the fit")) << coding;
    EXPECT_TRUE(has(page, "predicted probability of the top class")) << coding;
    EXPECT_EQ(line_of(page, "low").size(), 3u);
  }
  for (const auto& [prior, titles] : std::map<std::string, std::vector<std::string>>{
           {"shared", {"Relevance", "Direction"}}, {"sparse", {"Inclusion", "Direction"}}, {"laplace", {"Relevance"}}}) {
    options = {.model = "logistic"};
    options.prior = prior;
    const CheckedPage page = page_of(html_report(fit_model(d.X, labels, options)));
    for (const char* const title : {"Inclusion", "Relevance", "Direction"})  // explained where the table has it
      EXPECT_EQ(has(page, std::string(title) + ": "), std::ranges::find(titles, title) != titles.end()) << prior << ", " << title;
  }
  options = {.model = "kernel", .task = "classification"};
  options.class_names = {"low", "middle", "high"};
  const CheckedPage page = page_of(html_report(fit_model(d.X, labels, options)));
  EXPECT_TRUE(has(page, "Probabilities over x1"));
  EXPECT_TRUE(has(page, "Probabilities of low (solid), middle (dashed), high (dotted); the other inputs are at their means."));
}

// Coefficients that sum to zero over the classes are those against all of them; of others only differences mean something.
TEST(HtmlReport, SaysWhichOddsCoefficientsOfClassesAre) {
  const Drawn d = drawn(150, 3);
  Vector labels(150);
  for (Index i = 0; i < 150; ++i) labels[i] = d.y[i] < 0 ? 0 : d.y[i] < 2 ? 1 : 2;
  const auto said = [&](const char* text, const ModelOptions& options) {
    return has(page_of(html_report(fit_model(d.X, labels, options))), std::string(text) + ", per unit of the column.");
  };
  ModelOptions options{.model = "logistic"};
  options.coding = "softmax";
  EXPECT_TRUE(said("against the geometric mean of all classes", options));
  options.prior = "ard", options.precision_per_class = true;
  EXPECT_TRUE(
      said("the difference between the coefficients of two classes is the factor for the odds of the one against the other", options));
  EXPECT_TRUE(said("for the odds of the one against the other", {.preset = "smlr"}));
  options = {.model = "logistic"}, options.coding = "one-against-rest";
  EXPECT_TRUE(said("for the odds of its class against the rest", options));
}

// What is written about a fit that has not converged says so, whatever the fit is.
TEST(HtmlReport, WritesThatAFitDidNotConverge) {
  const Drawn d = drawn(150, 3);
  Vector labels(150);
  for (Index i = 0; i < 150; ++i) labels[i] = d.y[i] < 0 ? 0 : d.y[i] < 2 ? 1 : 2;
  std::vector<std::pair<ModelOptions, const Vector*>> fits = {
      {{.model = "linear", .prior = "ard"}, &d.y}, {{.model = "logistic"}, &labels}, {{.model = "rvm", .task = "classification"}, &labels}};
  for (auto& [options, target] : fits) {
    options.max_sweeps = 1;
    const SavedModel model = fit_model(d.X, *target, options);
    ASSERT_NE(report_of(model).status, Status::converged) << options.model;
    EXPECT_TRUE(page_of(html_report(model)).all("blockquote").front().text.ends_with("The fit did not converge (max_sweeps)."))
        << options.model;
  }
}

TEST(HtmlReport, CountsAllDotsThatItDoesNotDraw) {
  const Drawn d = drawn(3000, 1);
  const SavedModel model = fit_model(MatrixView(d.X).row_range(0, 50), VectorView(d.y.data(), 50), ModelOptions{.model = "linear"});
  const Vector far = d.y.array() + 100;
  ReportRows rows;
  rows.X = d.X, rows.target = column(far);
  const CheckedPage page = page_of(html_report(model, rows));
  EXPECT_TRUE(has(page, "3000 of 3000 rows lie outside of their 95% interval."));
  EXPECT_TRUE(has(page, "Of the dots outside, the first 1200 are drawn."));
}

TEST(HtmlReport, ShowsCounts) {
  std::mt19937_64 engine(5);
  Matrix X(200, 2);
  Vector y(200);
  std::normal_distribution<double> normal;
  for (Index i = 0; i < 200; ++i) {
    X(i, 0) = normal(engine), X(i, 1) = normal(engine);
    y[i] = std::poisson_distribution<int>(std::exp(1 + 0.5 * X(i, 0)))(engine);
  }
  const SavedModel model = fit_model(X, y, {.model = "counts"});
  ReportRows rows;
  rows.X = X, rows.target = column(y);
  const CheckedPage page = page_of(html_report(model, rows));
  EXPECT_TRUE(has(page, "Rate ratio"));
  EXPECT_TRUE(has(page, "They are the rows of the fit"));
  ModelOptions rates{.model = "counts", .prior = "none"};
  rates.column_names = {"a", "days"}, rates.exposure = "days";
  X.col(1) = X.col(1).array().exp();
  const std::string written = page_of(html_report(fit_model(X, y, rates))).all("blockquote").front().text;
  EXPECT_NE(written.find("on 1 column (200 rows)"), std::string::npos) << written;  // the exposure is none that has an effect
  EXPECT_NE(written.find("Rates are per unit of days. The coefficients have no prior (prior none)."), std::string::npos) << written;
  rates.prior = "sparse";
  EXPECT_TRUE(has(page_of(html_report(fit_model(X, y, rates))), "1 of 1 column is kept: a."));
}

// The deviance that tells whose rows they are is that of the family.
TEST(HtmlReport, KnowsTheRowsOfANegativeBinomialFit) {
  Drawn d = drawn(120, 2);
  for (Index i = 0; i < 120; ++i) d.y[i] = std::floor(std::exp(0.5 * d.y[i]) * (i % 5 == 0 ? 4 : 1));
  std::vector<double> offset(120);
  for (std::size_t i = 0; i < 120; ++i) offset[i] = 0.1 * static_cast<double>(i % 7);
  ModelOptions options{.model = "counts", .prior = "shared"};
  options.family = "negative-binomial", options.row_offset = offset;
  const SavedModel model = fit_model(d.X, d.y, options);
  ReportRows rows;
  rows.X = d.X, rows.target = column(d.y), rows.row_offset = {offset.data(), 120};
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "They are the rows of the fit"));
}

// The filled rows of the fit are predicted without their targets, so that the measures of both differ.
TEST(HtmlReport, DoesNotKnowTheRowsOfAFitWithGaps) {
  Drawn d = drawn(80, 3);
  d.X(5, 0) = d.X(9, 1) = NAN;
  ModelOptions options{.model = "linear", .prior = "shared"};
  options.missing = "impute";
  const SavedModel model = fit_model(d.X, d.y, options);
  ReportRows rows;
  rows.X = d.X, rows.target = column(d.y);
  EXPECT_TRUE(has(page_of(html_report(model, rows)), "whose gaps were filled: the page cannot tell whether they are the same"));
}

TEST(HtmlReport, ShowsHowLambdaWasChosen) {
  const Drawn d = drawn(100, 5);
  const CheckedPage page = page_of(html_report(fit_model(d.X, d.y, {.model = "linear", .prior = "laplace"})));
  EXPECT_TRUE(has(page, "Cross-validation with 10 folds"));
  EXPECT_TRUE(has(page, "Loss for each lambda"));
  EXPECT_TRUE(has(page, "Columns that are not zero"));
}

TEST(HtmlReport, ListsManyTargets) {
  const Drawn d = drawn(120, 3), noise = drawn(120, 3, 9);
  Matrix Y(120, 40);
  for (Index k = 0; k < 40; ++k)
    Y.col(k) = k < 10 ? Vector(d.y + 0.3 * noise.X.col(k % 3))
                      : Vector(noise.X.col(k % 3) + 0.1 * static_cast<double>(k) * noise.X.col((k + 1) % 3));
  std::vector<std::string> names;
  for (Index k = 0; k < 40; ++k) names.push_back(fmt::format("<t{}>", k));
  const SavedTargets targets =
      fit_targets(d.X, Y, ModelOptions{.model = "linear", .prior = "shared"}, names, {.standard_deviations = true, .leave_one_out = true});
  ReportRows rows;
  rows.X = d.X, rows.target = Y;
  const CheckedPage page = page_of(html_report(targets, rows));
  const ExplainedTargets explained = explained_targets(targets.fit.log_bayes, targets.fit.log_bayes_of_noise, 0.1);
  EXPECT_TRUE(has(page, fmt::format("The columns explain {} of 40 targets", std::ranges::count(explained.selected, true))));
  const std::vector<std::string> cells = line_of(page, "<t3>");
  ASSERT_EQ(cells.size(), 7u);
  EXPECT_EQ(cells[0], fmt::format("{:.3f}", targets.fit.r_squared[3]));
  EXPECT_EQ(cells[1], fmt::format("{:.3f}", targets.fit.r_squared_loo[3]));
  EXPECT_EQ(cells[6], "yes");
  // The rows are those of the fit, so that R^2 is the same; the shares are counted here.
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < page.elements.size(); ++i)
    if (page.elements[i].tag == "th" && page.elements[i].text == "<t3>") {
      std::vector<std::string> line;
      for (std::size_t j = i + 1; page.elements[j].tag == "td"; ++j) line.push_back(page.elements[j].text);
      lines.push_back(line);
    }
  const TargetsPrediction p = predict(targets.fit, d.X);
  const double nu = targets.fit.degrees_of_freedom[3], unit = std::sqrt((nu - 2) / nu);
  const double quantile = boost::math::quantile(boost::math::students_t(nu), 0.975);
  const Index inside = ((Y.col(3) - p.mean.col(3)).array().abs() <= unit * quantile * p.sd.col(3).array()).count();
  EXPECT_EQ(lines.back()[0], "120");
  EXPECT_EQ(lines.back()[1], cells[0]);
  EXPECT_EQ(lines.back()[5], fmt::format("{:.{}f}%", static_cast<double>(inside) / 1.2, inside > 118 && inside < 120 ? 1 : 0));
  EXPECT_TRUE(has(page, "They are the rows of the fit: as many, and predicted as well."));
  rows.X = MatrixView(d.X).row_range(0, 60), rows.target = MatrixView(Y).row_range(0, 60);
  EXPECT_TRUE(has(page_of(html_report(targets, rows)), "They are other rows than those of the fit, which had 120; or some of those"));
  rows.X = noise.X, rows.target = Y;
  EXPECT_TRUE(has(page_of(html_report(targets, rows)), "They are other rows than those of the fit, which had 120;"));
  EXPECT_THROW((void)html_report(targets, {}, {.fdr = 1.5}), InvalidArgument);
  rows.target = column(d.y);
  EXPECT_THROW((void)html_report(targets, rows), InvalidArgument);
}

// A constant target lies in each of its intervals, which says nothing about the others.
TEST(HtmlReport, CountsOnlyTargetsThatVary) {
  const Drawn d = drawn(90, 2);
  Matrix Y(90, 2);
  Y.col(0) = d.y, Y.col(1).setConstant(7);
  const SavedTargets targets = fit_targets(d.X, Y, ModelOptions{.model = "linear", .prior = "shared"}, {"y", "k"}, {});
  ReportRows rows;
  rows.X = d.X, rows.target = Y;
  const CheckedPage page = page_of(html_report(targets, rows));
  std::vector<std::string> line;
  for (std::size_t i = 0; i < page.elements.size(); ++i)
    if (page.elements[i].tag == "th" && page.elements[i].text == "y") {
      line.clear();
      for (std::size_t j = i + 1; page.elements[j].tag == "td"; ++j) line.push_back(page.elements[j].text);
    }
  ASSERT_EQ(line.size(), 6u);
  EXPECT_TRUE(
      has(page, fmt::format("Of all observations of targets that vary, {} lie in their 50% interval, {} in their 80%", line[3], line[4])))
      << page.text();
}

TEST(HtmlReport, RanksModels) {
  const Drawn d = drawn(100, 4);
  ComparisonOptions options;
  options.model.target = "<y>";
  const Comparison comparison = compare_models(d.X, d.y, options);
  const CheckedPage page = page_of(html_report(comparison, {}, {.command = "ardvark compare 'a <b>.csv'"}));
  EXPECT_TRUE(has(page, comparison.verdict));
  EXPECT_TRUE(page.all("blockquote").front().text.ends_with(")."));  // what to write gives no advice
  EXPECT_TRUE(has(page, "ardvark compare 'a <b>.csv'"));
  for (const ComparedModel& model : comparison.models) {
    const std::vector<std::string> cells = line_of(page, model.name);
    ASSERT_EQ(cells.size(), 7u);
    EXPECT_EQ(cells[0], fmt::format("{:.3f}", model.bound));
    EXPECT_EQ(cells[2], model.comparable ? fmt::format("{:.3f}", model.difference) : "-");
  }
}

TEST(HtmlReport, ListsHowOftenColumnsAreKept) {
  const Drawn d = drawn(100, 5);
  ModelOptions options{.model = "logistic", .prior = "ard"};
  options.folds = 3, options.repeats = 2;
  options.column_names = {"a", "b", "<c>", "d", "e"};
  const SelectionCounts counts = select_columns(d.X, d.labels, options);
  const CheckedPage page = page_of(html_report(counts));
  ASSERT_EQ(counts.count[0], 6);
  EXPECT_EQ(line_of(page, "a"), (std::vector<std::string>{"6", "1.000", fmt::format("{:.2f}", counts.sc_value[0])}));
  EXPECT_TRUE(has(page, "6 fits (3 folds, 2 repeats, seed 1)"));
}

TEST(HtmlReport, OfAFitWithoutResultSaysWhy) {
  SavedModel model;
  model.fit = Fit();
  const CheckedPage page = page_of(html_report(model));
  EXPECT_TRUE(has(page, "the fit has not run"));
  EXPECT_TRUE(has(page, "There is no result to show."));
}

TEST(HtmlReport, RepeatsTheOptionsInTheCommand) {
  const Drawn d = drawn(100, 3);
  ModelOptions options{.model = "linear", .prior = "shared"};
  options.column_names = {"a b", "it's", "c"};
  options.target = "y z";
  options.set("intercept", 0.0);
  options.set("max_sweeps", 300.0);
  options.set("flat", std::vector<double>{0, 1});
  const CheckedPage page = page_of(html_report(fit_model(d.X, d.y, options)));
  bool found = false;
  for (const testing::PageElement& code : page.all("code"))
    found = found || (code.text.starts_with("ardvark fit TABLE.csv --target 'y z' --model linear") &&
                      code.text.find(" --no-intercept") != std::string::npos && code.text.find(" --max-sweeps 300") != std::string::npos &&
                      code.text.find(" --flat 'a b,it'\\''s'") != std::string::npos);
  EXPECT_TRUE(found) << page.text();
}

TEST(HtmlReport, SaysIfAPresetWentOnUntilItConverged) {
  const Drawn d = drawn(60, 3);
  for (const double converge : {0.0, 1.0}) {
    ModelOptions options{.preset = "vb_linear_fit_ard"};
    options.set("converge", converge);
    EXPECT_EQ(has(page_of(html_report(fit_model(d.X, d.y, options))), "Unlike the published program"), converge == 1);
  }
}

TEST(HtmlReport, HasNoShareOfSquaresThatOverflow) {
  const Drawn d = drawn(60, 3);
  ReportRows rows;
  const Vector far = 1e250 * d.y;
  rows.X = d.X, rows.target = column(far);
  const CheckedPage page = page_of(html_report(fit_model(d.X, d.y, {.model = "linear"}), rows));
  EXPECT_FALSE(has(page, "nan"));
}

TEST(HtmlReport, RefusesWhatDoesNotMatch) {
  const Drawn d = drawn(50, 3);
  const SavedModel model = fit_model(d.X, d.y, {.model = "linear", .prior = "shared"});
  ReportRows rows;
  rows.X = MatrixView(d.X).column_range(0, 2), rows.target = column(d.y);
  EXPECT_THROW((void)html_report(model, rows), InvalidArgument);
  rows.X = d.X, rows.target = MatrixView(d.y.data(), 49, 1);
  EXPECT_THROW((void)html_report(model, rows), InvalidArgument);
  ReportOptions how;
  how.level = 1;
  EXPECT_THROW((void)html_report(model, {}, how), InvalidArgument);
  how = {};
  how.column_names = {"one"};
  EXPECT_THROW((void)html_report(model, {}, how), InvalidArgument);
  ModelOptions two{.model = "logistic", .prior = "shared"};
  const SavedModel classes = fit_model(d.X, d.labels, two);
  const Vector wrong = Vector::Constant(50, 2);
  rows.X = d.X, rows.target = column(wrong);
  EXPECT_THROW((void)html_report(classes, rows), InvalidArgument);
}

// hashlib.sha256(np.column_stack([[[1., 2.], [3., 4.]], [5., 6.]]).astype("<f8").tobytes()).hexdigest() of Python
TEST(Checksum, OfNumbersIsThatOfTheirBytes) {
  Matrix X(2, 2);
  X << 1, 2, 3, 4;
  const Vector y = Vector::LinSpaced(2, 5, 6);
  EXPECT_EQ(sha256_of_numbers(X, column(y)), "1b97e2b36fe83006ade52996ceb7b65c4b55c852048a7bf31b407b9f19c658e8");
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = X;
  EXPECT_EQ(sha256_of_numbers(by_row, column(y)), sha256_of_numbers(X, column(y)));
  EXPECT_NE(sha256_of_numbers(X, {}), sha256_of_numbers(X, column(y)));
}

}  // namespace
}  // namespace ardvark
