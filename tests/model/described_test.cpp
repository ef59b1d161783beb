// What a fit says of its training rows is what its predictions of them say; what is saved says the same. Every model and preset.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "ardvark/model_file.hpp"
#include "every_model.hpp"

namespace ardvark {
namespace {

using testing::any_table;
using testing::AnyTable;
using testing::NamedModel;
using Json = nlohmann::ordered_json;

// [n, classes] and the class of each row.
struct Probabilities {
  Matrix probability;
  std::vector<Index> most_probable;
};

struct InClasses {
  Probabilities operator()(const ClassPrediction& p) const {
    Matrix both(p.probability.size(), 2);
    both << Vector(1 - p.probability.array()), p.probability;
    return {both, p.most_probable()};
  }
  Probabilities operator()(const ClassProbabilities& p) const { return {p.probability, p.most_probable}; }
  template <typename Regression>
  Probabilities operator()(const Regression&) const {
    return {};
  }
};

struct Score {
  double accuracy, log_loss;
};
Score score_of(const SavedModel& model) {
  if (model.relevance()) return {model.relevance()->accuracy, model.relevance()->log_loss};
  if (model.softmax()) return {model.softmax()->accuracy, model.softmax()->log_loss};
  return {model.score()->accuracy, model.score()->log_loss};
}

void expect_score_of_predictions(const NamedModel& named, const SavedModel& model, const AnyTable& table) {
  const Vector labels = table.target(named.num_classes);
  const Vector k = named.takes_weights() ? table.weights : Vector::Ones(labels.size());
  const Probabilities p = std::visit(InClasses{}, predict(model, table.X));
  double correct = 0, loss = 0, rounding = 0;
  for (Index i = 0; i < labels.size(); ++i) {
    const auto own = static_cast<Index>(labels[i]);
    Index best = 0;  // of equal ones the first
    for (Index c = 1; c < p.probability.cols(); ++c)
      if (p.probability(i, c) > p.probability(i, best)) best = c;
    EXPECT_EQ(p.most_probable[static_cast<std::size_t>(i)], best) << named.name << ", row " << i;
    if (best == own) correct += k[i];
    loss -= k[i] * std::log(p.probability(i, own));
    rounding += k[i] * 5e-9 / p.probability(i, own);  // a probability is known to 2.2e-9                                       (PRED.2)
  }
  const Score score = score_of(model);
  EXPECT_NEAR(score.accuracy, correct / k.sum(), 1e-12) << named.name;
  EXPECT_NEAR(score.log_loss, loss / k.sum(), rounding / k.sum() + 1e-9) << named.name;
}

class EveryModel : public ::testing::TestWithParam<int> {};

TEST_P(EveryModel, SaysOfItsRowsWhatItPredictsOfThem) {
  const AnyTable table = any_table(static_cast<std::uint64_t>(GetParam()), 36, 4, 0.8);
  for (const NamedModel& named : testing::every_model()) {
    if (named.num_classes == 0) continue;
    const SavedModel model = fit_to(named, table);
    if (has_posterior(model)) expect_score_of_predictions(named, model, table);
  }
}

TEST_P(EveryModel, SaysTheSameOnceItWasSaved) {
  const AnyTable table = any_table(static_cast<std::uint64_t>(GetParam()), 24, 3, 0.8);
  for (const NamedModel& named : testing::every_model()) {
    const SavedModel model = fit_to(named, table);
    if (!has_posterior(model)) continue;
    const Json before = Json::parse(to_json(model, 0.9)), after = Json::parse(to_json(model_from_bytes(model_to_bytes(model)), 0.9));
    for (const auto& [name, value] : before.items()) EXPECT_EQ(after.value(name, Json("missing")), value) << named.name << ": " << name;
    EXPECT_EQ(after.size(), before.size()) << named.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryModel, ::testing::Range(0, 4));

// Equally many rows of both classes, and a column that says nothing of them: each probability is one half, and the first class is named.
TEST(OneHalf, IsOneDecision) {
  Matrix X(8, 1);
  X << 1, -1, 1, -1, 1, -1, 1, -1;
  Vector labels(8);
  labels << 0, 0, 1, 1, 0, 0, 1, 1;
  for (const NamedModel& named : testing::every_model()) {
    if (named.num_classes != 2 || named.options.prior == "none") continue;
    const SavedModel model = fit_model(X, labels, named.options);
    if (!has_posterior(model)) continue;
    const Probabilities p = std::visit(InClasses{}, predict(model, X));
    Index correct = 0;
    for (Index i = 0; i < 8; ++i) {
      if (named.options.preset != "vb_logit_fit_iter") {            // which depends on the order of the rows
        EXPECT_NEAR(p.probability(i, 1), 0.5, 1e-6) << named.name;  // a published bound lies below
      }
      EXPECT_EQ(p.most_probable[static_cast<std::size_t>(i)], p.probability(i, 1) > 0.5 ? 1 : 0) << named.name;
      if (p.most_probable[static_cast<std::size_t>(i)] == static_cast<Index>(labels[i])) ++correct;
    }
    EXPECT_EQ(score_of(model).accuracy, static_cast<double>(correct) / 8) << named.name;
  }
}

// The bound under `none` moves with the units of a column (CMP.3), that under a prior does not, where columns are standardised.
TEST(BoundComparable, IsFalseWhereAUnitDecides) {
  const AnyTable table = any_table(3, 40, 3, 0.8);
  AnyTable other = table;
  other.X.col(0) *= 10;
  const Matrix several = table.X;
  for (const NamedModel& named : testing::every_linear_score()) {
    if (named.options.prior == "laplace") continue;  // a density at a mode
    const SavedModel model = fit_to(named, table), in_other_units = fit_to(named, other);
    const Json j = Json::parse(to_json(model)), k = Json::parse(to_json(in_other_units));
    const bool moves = std::abs(j["bound"].get<double>() - k["bound"].get<double>()) > 0.5;  // ln 10 for each class
    EXPECT_EQ(j["bound_comparable"].get<bool>(), !moves) << named.name;
    const std::string text = summary(model);
    if (report_of(model).status == Status::separated) continue;  // of several classes no bound is printed
    EXPECT_EQ(text.find("not comparable: no column has a prior") != std::string::npos, moves) << text;
  }
  ModelOptions flat;
  flat.set("model", std::string("linear"));
  flat.set("prior", std::string("shared"));
  flat.set("flat", std::vector<double>{0});
  const SavedModel model = fit_model(table.X, table.y, flat), in_other_units = fit_model(other.X, table.y, flat);
  EXPECT_NEAR(in_other_units.score()->bound - model.score()->bound, -std::log(10),
              1e-6);  // numbers ten times as large: a tenth of the unit (CMP.3)
  EXPECT_NE(summary(model).find("nats, comparable only with models in which the same columns have no prior\n"), std::string::npos);
  EXPECT_FALSE(Json::parse(to_json(model))["bound_comparable"].get<bool>());
}

TEST(SummaryOfDense, HasNoColumnOfRelevances) {
  const AnyTable table = any_table(5, 60, 3, 0.8);
  for (const Index classes : {0, 2, 3}) {
    ModelOptions options;
    options.set("model", std::string(classes == 0 ? "linear" : "logistic"));
    options.set("prior", std::string("dense"));
    if (classes == 3) options.set("coding", std::string("one-against-rest"));
    const std::string text = summary(fit_model(table.X, table.target(classes), options));
    EXPECT_EQ(text.find("relevance"), std::string::npos) << text;
    EXPECT_EQ(text.find("0.00\n"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace ardvark
