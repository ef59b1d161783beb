// Relevance vector machines in files: what comes back, and what a damaged file does.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "ardvark/model_file.hpp"
#include "ardvark/relevance.hpp"
#include "mutations.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;
using Names = std::vector<std::string>;

struct Points {
  Matrix X;
  Vector y, two, three;  // a smooth function with noise; two and three classes
};

// Inputs of different place and scale.
Points points(Index n, Index d, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Points p{Matrix(n, d), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    Vector z(d);
    for (Index j = 0; j < d; ++j) {
      z[j] = normal(random);
      p.X(i, j) = 10.0 * static_cast<double>(j) + (1.0 + static_cast<double>(j)) * z[j];
    }
    p.y[i] = 3 + std::sin(2 * z[0]) + 0.1 * normal(random);
    p.two[i] = z.squaredNorm() + 0.3 * normal(random) > static_cast<double>(d) ? 1 : 0;
    p.three[i] = std::floor(std::fmod(std::atan2(z[d > 1 ? 1 : 0], z[0]) / std::numbers::pi + 3.0, 2.0) * 1.5);
  }
  return p;
}

void expect_same(const RelevanceFit& loaded, const RelevanceFit& fit) {
  EXPECT_EQ(summary(loaded), summary(fit));
  EXPECT_EQ(loaded.task, fit.task);
  EXPECT_EQ(loaded.kernel.spec(), fit.kernel.spec());
  EXPECT_EQ(loaded.search, fit.search);
  EXPECT_EQ(loaded.algorithm, fit.algorithm);
  EXPECT_EQ(loaded.bands, fit.bands);
  EXPECT_EQ(loaded.band_rows, fit.band_rows);
  EXPECT_EQ(loaded.input_center, fit.input_center);
  EXPECT_EQ(loaded.input_scale, fit.input_scale);
  EXPECT_EQ(loaded.input_range, fit.input_range);
  EXPECT_EQ(loaded.input_names, fit.input_names);
  EXPECT_EQ(loaded.relevance_vectors, fit.relevance_vectors);
  EXPECT_EQ(loaded.relevance_rows, fit.relevance_rows);
  EXPECT_EQ(loaded.log_evidence, fit.log_evidence);
  EXPECT_EQ(loaded.classes, fit.classes);
  EXPECT_EQ(loaded.num_rows, fit.num_rows);
  EXPECT_EQ(loaded.r_squared, fit.r_squared);
  EXPECT_EQ(loaded.accuracy, fit.accuracy);
  EXPECT_EQ(loaded.log_loss, fit.log_loss);
  EXPECT_EQ(loaded.report.bound, fit.report.bound);
  EXPECT_EQ(loaded.report.bound_history, fit.report.bound_history);
  EXPECT_EQ(loaded.report.notes, fit.report.notes);
  ASSERT_EQ(loaded.trials.size(), fit.trials.size());
  for (std::size_t i = 0; i < fit.trials.size(); ++i) {
    EXPECT_EQ(loaded.trials[i].parameters, fit.trials[i].parameters);
    EXPECT_EQ(loaded.trials[i].log_evidence, fit.trials[i].log_evidence);
    EXPECT_EQ(loaded.trials[i].num_vectors, fit.trials[i].num_vectors);
  }
  ASSERT_EQ(loaded.machines.size(), fit.machines.size());
  for (std::size_t k = 0; k < fit.machines.size(); ++k) {
    const RelevanceMachine &a = loaded.machines[k], &b = fit.machines[k];
    EXPECT_EQ(a.vectors, b.vectors);
    EXPECT_EQ(a.log_evidence, b.log_evidence);
    EXPECT_EQ(a.fit.mean, b.fit.mean);
    EXPECT_EQ(a.fit.variance, b.fit.variance);
    EXPECT_EQ(a.fit.column_names, b.fit.column_names);
    EXPECT_EQ(a.fit.bound, b.fit.bound);
    EXPECT_EQ(a.fit.covariance(), b.fit.covariance());
  }
}

SavedModel saved_and_loaded(const RelevanceFit& fit) {
  const TemporaryFolder folder;
  save_model(folder / "m.ardvark", fit);
  SavedModel model = load_model(folder / "m.ardvark");
  EXPECT_EQ(model.score(), nullptr);
  EXPECT_EQ(model.encoding.names(), fit.input_names);
  return model;
}

// Predictions included, to the last bit.
void expect_regression_back(const RelevanceRegression& fit, const Matrix& X_new) {
  const SavedModel model = saved_and_loaded(fit);
  ASSERT_TRUE(model.relevance());
  expect_same(*model.relevance(), fit);
  const StudentPrediction expected = predict(fit, X_new), predicted = predict(RelevanceRegression{*model.relevance()}, X_new);
  EXPECT_EQ(predicted.mean, expected.mean);
  EXPECT_EQ(predicted.scale, expected.scale);
  EXPECT_EQ(predicted.degrees_of_freedom, expected.degrees_of_freedom);
}

void expect_classification_back(const RelevanceClassification& fit, const Matrix& X_new) {
  const SavedModel model = saved_and_loaded(fit);
  ASSERT_TRUE(model.relevance());
  expect_same(*model.relevance(), fit);
  const ClassProbabilities expected = predict(fit, X_new), predicted = predict(RelevanceClassification{*model.relevance()}, X_new);
  EXPECT_EQ(predicted.probability, expected.probability);
  EXPECT_EQ(predicted.most_probable, expected.most_probable);
}

const Points training = points(60, 2, 1), fresh = points(25, 2, 2);

// With the kernel as it is: the search has a test of its own.
RelevanceOptions with_kernel(const Kernel& kernel = Kernel::gaussian(1)) {
  RelevanceOptions options;
  options.kernel = kernel;
  options.search = KernelSearch::none;
  return options;
}

TEST(RelevanceFile, GivesBackARegression) {
  expect_regression_back(fit_relevance_regression(training.X, training.y), fresh.X);
  RelevanceOptions each;
  each.kernel = Kernel::gaussian({1, 1});
  each.search = KernelSearch::each;
  each.input_names = {"length, in mm", "größe"};
  expect_regression_back(fit_relevance_regression(training.X, training.y, each), fresh.X);
}

TEST(RelevanceFile, GivesBackOpenBands) {
  RelevanceOptions options = with_kernel();
  options.bands = Bands::open;
  expect_regression_back(fit_relevance_regression(training.X, training.y, options), 10 * fresh.X);
  expect_classification_back(fit_relevance_classification(training.X, training.three, options), 10 * fresh.X);
}

TEST(RelevanceFile, GivesBackTwoClasses) {
  for (const LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound}) {
    RelevanceOptions options = with_kernel();
    options.likelihood = likelihood;
    expect_classification_back(fit_relevance_classification(training.X, training.two, options), fresh.X);
  }
}

TEST(RelevanceFile, GivesBackThreeClasses) {
  const RelevanceClassification fit = fit_relevance_classification(training.X, training.three, with_kernel());
  ASSERT_EQ(fit.machines.size(), 3u);
  expect_classification_back(fit, fresh.X);
}

TEST(RelevanceFile, GivesBackEachAlgorithm) {
  for (const RelevanceAlgorithm algorithm : {RelevanceAlgorithm::plain, RelevanceAlgorithm::type_two}) {
    RelevanceOptions options = with_kernel();
    options.algorithm = algorithm;
    expect_regression_back(fit_relevance_regression(training.X, training.y, options), fresh.X);
    expect_classification_back(fit_relevance_classification(training.X, training.two, options), fresh.X);
  }
}

TEST(RelevanceFile, GivesBackEachKernel) {
  for (const Kernel& kernel :
       {Kernel::laplacian(0.7), Kernel::cauchy(1.0 / 3), Kernel::linear(), Kernel::polynomial(3, 0.1), Kernel::spline(),
        Kernel::gaussian(0.4) + 2.5 * (Kernel::linear() * Kernel::gaussian({0.1, 7})), 0.2 * Kernel::polynomial(2, 0)}) {
    expect_regression_back(fit_relevance_regression(training.X, training.y, with_kernel(kernel)), fresh.X);
  }
}

TEST(RelevanceFile, GivesBackCentresThatAreNoRows) {
  RelevanceOptions options = with_kernel();
  options.centres = Centres::kmeans;
  options.num_centres = 8;
  const RelevanceRegression fit = fit_relevance_regression(training.X, training.y, options);
  for (const Index row : fit.relevance_rows) EXPECT_EQ(row, -1);
  expect_regression_back(fit, fresh.X);
}

TEST(RelevanceFile, GivesBackABiasAlone) {
  const Vector constant = Vector::Constant(60, 3.0);
  const RelevanceRegression fit = fit_relevance_regression(training.X, constant, with_kernel());
  ASSERT_EQ(fit.num_vectors(), 0);
  EXPECT_LT((predict(fit, fresh.X).mean.array() - 3).abs().maxCoeff(), 1e-9);
  expect_regression_back(fit, fresh.X);
}

// The file grows with the relevance vectors, not with the rows.
TEST(RelevanceFile, HoldsNoOtherRows) {
  const TemporaryFolder folder;
  const Points large = points(600, 2, 3);
  const RelevanceRegression fit = fit_relevance_regression(large.X, large.y, with_kernel());
  save_model(folder / "m.ardvark", fit);
  ASSERT_LT(fit.num_vectors(), 30);
  EXPECT_LT(read_bytes(folder / "m.ardvark").size(), 600 * sizeof(double) + 12000);
}

TEST(RelevanceFile, RefusesAKernelThatCannotBeStored) {
  const TemporaryFolder folder;
  const Kernel mine = Kernel::callable([](const double* x, const double* c, Index) { return std::exp(-std::abs(x[0] - c[0])); }, "mine");
  const RelevanceRegression fit = fit_relevance_regression(training.X, training.y, with_kernel(mine));
  EXPECT_NE(message_of<InvalidArgument>([&] { save_model(folder / "m.ardvark", fit); }).find("mine"), std::string::npos);
  EXPECT_EQ(folder.num_files(), 0u);
  EXPECT_NE(summary(fit).find("kernel mine"), std::string::npos) << summary(fit);
}

TEST(RelevanceFile, RefusesAFitWithoutAPosterior) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<InvalidArgument>([&] { save_model(folder / "m.ardvark", RelevanceFit()); }),
            "the fit holds no posterior to save (status: failed): the fit has not run");
  const RelevanceRegression fit = fit_relevance_regression(training.X, training.y, with_kernel());
  FeatureEncoding one;
  one.features.push_back({"x", false, {}});
  EXPECT_EQ(message_of<InvalidArgument>([&] { save_model(folder / "m.ardvark", fit, one); }),
            "the encoding makes 1 columns; the fit has 2 inputs");
  EXPECT_EQ(folder.num_files(), 0u);
}

// ---- damage ---------------------------------------------------------------------------------------------------------------------------

using testing::header_length;
using testing::with_header;

class DamagedFile : public ::testing::Test {
 protected:
  DamagedFile() {
    save_model(path_, fit_relevance_regression(training.X, training.y));
    regression_ = testing::without_checksums(read_bytes(path_));
    save_model(path_, fit_relevance_classification(training.X, training.three, with_kernel()));
    classification_ = testing::without_checksums(read_bytes(path_));
  }

  // Loads and uses what the bytes hold; false if they are refused.
  bool is_read(const std::string& bytes) const {
    write_bytes(path_, bytes);
    try {
      const SavedModel model = load_model(path_);
      if (!model.relevance()) return true;
      (void)summary(*model.relevance());
      if (model.relevance()->task == Task::linear)
        (void)predict(RelevanceRegression{*model.relevance()}, fresh.X);
      else
        (void)predict(RelevanceClassification{*model.relevance()}, fresh.X);
      return true;
    } catch (const InvalidArgument&) {
    } catch (const EnvironmentError&) {
    }
    return false;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "m.ardvark", regression_, classification_;
};

TEST_F(DamagedFile, IsReadOrRefused) {
  std::mt19937 random(7);
  for (const std::string& whole : {regression_, classification_}) {
    ASSERT_TRUE(is_read(whole));
    const std::string header = whole.substr(8, header_length(whole));
    int num_read = 0;
    for (int trial = 0; trial < 250; ++trial) {
      const std::string damaged = testing::mutated(header, "[]{}:,\"\\0123456789-e.", random);
      num_read += is_read(with_header(whole, damaged)) ? 1 : 0;
      num_read += is_read(testing::mutated(whole, "[]{}:,\"0123456789-e.", random)) ? 1 : 0;
    }
    EXPECT_GT(num_read, 0);
    EXPECT_LT(num_read, 500);
  }
}

TEST_F(DamagedFile, MayHaveAnyOfItsNumbersBroken) {
  std::mt19937 random(8);
  const double values[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0, -1.0, 1e308, -1e308, 1e-308, 1e18};
  for (const std::string& whole : {regression_, classification_})
    for (std::size_t at = 8 + header_length(whole); at + 8 <= whole.size(); at += 8) {
      std::string broken = whole;
      std::copy_n(reinterpret_cast<const char*>(&values[random() % std::size(values)]), sizeof(double), broken.data() + at);
      (void)is_read(broken);
    }
}

// The curves of bounds and evidences hold what was met on the way; a variance is infinite where the noise's is, the precision where a
// column was left out.
TEST_F(DamagedFile, IsRefusedWhereANumberIsNone) {
  const std::string linear = [&] {
    save_model(path_, fit_linear(training.X, training.y));
    return testing::without_checksums(read_bytes(path_));
  }();
  for (const std::string& whole : {regression_, classification_, linear}) {
    const nlohmann::json header = nlohmann::json::parse(whole.substr(8, header_length(whole)));
    int num_refused = 0;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__" || name.ends_with("bound_history") || entry["data_offsets"][0] == entry["data_offsets"][1]) continue;
      for (double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        const bool may_be_infinite = name.ends_with("variance") || name.ends_with("precision") || name.ends_with("scalars");
        if (bad == HUGE_VAL && may_be_infinite) continue;
        std::string broken = whole;
        const std::size_t at = 8 + header_length(whole) + entry["data_offsets"][0].get<std::size_t>() + (name.ends_with("scalars") ? 8 : 0);
        std::copy_n(reinterpret_cast<const char*>(&bad), sizeof bad, broken.data() + at);
        write_bytes(path_, broken);
        const std::string message = message_of<InvalidArgument>([&] { (void)load_model(path_); });
        EXPECT_NE(message.find("damaged"), std::string::npos) << name << ": " << message;
        EXPECT_NE(message.find(name), std::string::npos) << name << ": " << message;
        ++num_refused;
      }
    }
    EXPECT_GT(num_refused, 20);
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

TEST_F(DamagedFile, IsRefusedWhereItsListsDoNotFit) {
  const auto refused = [&](const std::string& whole, const std::string& from, const std::string& to, const char* why) {
    const std::string header = whole.substr(8, header_length(whole));
    write_bytes(path_, with_header(whole, replaced(header, from, to)));
    const std::string message = message_of<InvalidArgument>([&] { (void)load_model(path_); });
    EXPECT_NE(message.find(path_), std::string::npos) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
  };
  refused(regression_, R"(\"kind\":\"gaussian\")", R"(\"kind\":\"gauss\")", "gauss");
  refused(regression_, R"(\"kind\":\"gaussian\")", R"(\"kind\":\"spline\")", "kernel");
  refused(regression_, R"(\"kind\":\"gaussian\",\"parameters\":[)", R"(\"kind\":\"gaussian\",\"parameters\":[1,2,)", "kernel");
  refused(regression_, R"(\"kind\":\"gaussian\",\"parameters\":[)", R"(\"kind\":\"gaussian\",\"parameters\":[-)", "kernel");
  refused(regression_, R"(\"relevance_rows\":[)", R"(\"relevance_rows\":[3,)", "relevance_vectors");
  refused(regression_, R"(\"vectors\":[0)", R"(\"vectors\":[-1)", "list of relevance vectors");
  refused(regression_, R"(\"vectors\":[0)", R"(\"vectors\":[99999)", "list of relevance vectors");
  refused(regression_, R"(\"features\":[\"x1\")", R"(\"features\":[\"x0\",\"x1\")", "wrong size");
  refused(regression_, R"(\"machines\":[{)", R"(\"machines\":[{},{)", "list of machines");
  refused(regression_, R"(\"algorithm\":\"variational\")", R"(\"algorithm\":\"other\")", "other");
  refused(classification_, R"(\"classes\":[\"0\",\"1\",\"2\"])", R"(\"classes\":[\"0\",\"1\"])", "list of machines");
  refused(classification_, R"(\"classes\":[\"0\",\"1\",\"2\"])", R"(\"classes\":[])", "list of machines");

  std::string deep = R"(\"kernel\":)";
  for (int i = 0; i < 20000; ++i) deep += R"({\"kind\":\"scaled\",\"parameters\":[1],\"parts\":[)";
  for (int i = 0; i < 20000; ++i) deep += "]}";
  refused(regression_, R"(\"kernel\":)", deep + R"(,\"was\":)", "nested too deep");
}

}  // namespace
}  // namespace ardvark
