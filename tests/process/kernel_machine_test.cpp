// Fits of kernel machines against the formulas of the full process, and on functions that are known.          docs/math/process.md (KM)
#include "ardvark/kernel_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <map>

#include "core/normals.hpp"
#include "process/plain_process.hpp"

namespace ardvark {
namespace {

struct Data {
  Matrix X;
  Vector y;
};

double sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }

Data noisy_sinc(Index n, std::uint64_t seed, double noise = 0.1) {
  internal::Normals normal(seed);
  Data out{Matrix(n, 1), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    out.X(i, 0) = 20 * normal.uniform() - 10;
    out.y[i] = sinc(out.X(i, 0)) + noise * normal();
  }
  return out;
}

// Mean and variance of f by (KM.1), with every row, for inputs and a target that are standardised here.
void expect_full_process(const KernelRegression& fit, const Data& data, const Matrix& X_new, double tolerance) {
  const Index n = data.X.rows(), d = data.X.cols();
  const auto standard = [&](const Matrix& X) {
    Matrix Z = X;
    for (Index j = 0; j < d; ++j) Z.col(j) = (X.col(j).array() - fit.input_center[j]) * fit.input_scale[j];
    return Z;
  };
  const TMixturePrediction p = predict(fit, X_new, PredictionOf::mean);
  ASSERT_EQ(p.degrees_of_freedom, static_cast<double>(n - 1));
  const Vector y = (data.y.array() - fit.target_center) / fit.target_scale, one = Vector::Ones(n);
  for (std::size_t i = 0; i < fit.processes[0].points.size(); ++i) {
    const KernelPoint& point = fit.processes[0].points[i];
    Matrix K(n, n), k(n, X_new.rows());
    point.kernel.evaluate(standard(data.X), standard(data.X), K);
    point.kernel.evaluate(standard(data.X), standard(X_new), k);
    const Matrix C = point.signal * K + Matrix::Identity(n, n), c = point.signal * k, inverse = C.inverse();
    const double sum = one.dot(inverse * one), b = one.dot(inverse * y) / sum;
    const double s2 = (y.dot(inverse * y) - b * b * sum) / static_cast<double>(n - 1);
    EXPECT_NEAR(point.noise_variance, s2, tolerance);
    for (Index r = 0; r < X_new.rows(); ++r) {
      const Vector w = inverse * c.col(r);
      const double off = 1 - w.sum(), variance = s2 * (point.signal - c.col(r).dot(w) + off * off / sum);
      EXPECT_NEAR(p.part_mean(r, static_cast<Index>(i)), fit.target_center + fit.target_scale * (b + w.dot(y) - b * w.sum()), tolerance);
      EXPECT_NEAR(p.part_scale(r, static_cast<Index>(i)), fit.target_scale * std::sqrt(variance), tolerance);
    }
  }
}

TEST(KernelMachine, OfAllRowsIsTheFullProcess) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Data data = noisy_sinc(35, seed);
    KernelOptions options;
    options.all_vectors = true;
    const KernelRegression fit = fit_kernel_regression(data.X, data.y, options);
    EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
    const Matrix X_new = Vector::LinSpaced(9, -25, 25);
    expect_full_process(fit, data, X_new, 5e-6);
    EXPECT_LT(fit.processes[0].divergence, 1e-8);
  }
}

TEST(KernelMachine, KeepsFewVectorsWithinTheStatedDivergence) {
  const Data data = noisy_sinc(100, 5);
  const KernelRegression fit = fit_kernel_regression(data.X, data.y);
  EXPECT_LT(fit.num_vectors(), 30);
  EXPECT_LE(fit.processes[0].divergence, 0.01);
  KernelOptions options;
  options.all_vectors = true;
  const KernelRegression full = fit_kernel_regression(data.X, data.y, options);
  // The mean divergence between the two predictions at the rows, with normal distributions of their moments, and the change of a mean.
  const auto moments = [&](const KernelRegression& of) {
    const TMixturePrediction p = predict(of, data.X);
    const Vector second = (p.part_mean.array().square() + p.part_scale.array().square()).matrix() * p.weight;
    return std::pair(p.mean, Vector(second.array() - p.mean.array().square()));
  };
  const auto [m, v] = moments(full);
  const auto [of_m, of_v] = moments(fit);
  const Vector ratio = v.array() / of_v.array();
  const double divergence = (0.5 * (ratio.array() - 1 - ratio.array().log() + (m - of_m).array().square() / of_v.array())).mean();
  EXPECT_NEAR(divergence, fit.processes[0].divergence, 1e-6);
  EXPECT_NEAR(((m - of_m).array().abs() / v.array().sqrt()).maxCoeff(), fit.processes[0].largest_change, 1e-5);
}

// Constant inputs leave only the intercept: nothing is said of a noise that the rows would not show.
TEST(KernelMachine, OfConstantInputsSaysNothingOfTheNoise) {
  internal::Normals normal(3);
  const Vector y = Vector::NullaryExpr(40, [&] { return normal(); });
  const KernelRegression fit = fit_kernel_regression(Matrix(Matrix::Ones(40, 2)), y);
  EXPECT_EQ(fit.report.notes, std::vector<std::string>{"constant inputs, left out: 'x1', 'x2'"});
  EXPECT_NEAR(predict(fit, Matrix(Matrix::Ones(1, 2))).mean[0], y.mean(), 1e-9);
}

// Whatever is allowed, of either task; more rows where less is allowed; and never more than were asked for.
TEST(KernelMachine, LosesNoMoreThanIsAllowed) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    internal::Normals normal(seed);
    const Index n = 60, d = 2;
    const Matrix X = Matrix::NullaryExpr(n, d, [&] { return normal(); });
    const Vector f = 3 * X.col(0).array().sin() * (1 + X.col(1).array().square()).log();
    const Vector y = f + 0.3 * Vector::NullaryExpr(n, [&] { return normal(); });
    const Vector labels = (f.array() + 0.5 * y.array() > 0.2).cast<double>();
    for (const bool classes : {false, true}) {
      const auto fit = [&](const KernelOptions& options) -> KernelFit {
        if (classes) return fit_kernel_classification(X, labels, options);
        return fit_kernel_regression(X, y, options);
      };
      Index before = n;
      for (const double allowed : {1e-4, 1e-3, 1e-2, 1e-1}) {
        KernelOptions options;
        options.divergence = allowed;
        const KernelFit few = fit(options);
        EXPECT_LE(few.processes[0].divergence, allowed);
        EXPECT_LE(few.num_vectors(), before);
        before = few.num_vectors();
      }
      EXPECT_LT(before, 20);
      for (const Index most : {1, 7, 25}) {
        KernelOptions options;
        options.num_vectors = most;
        EXPECT_LE(fit(options).num_vectors(), most);
      }
    }
  }
}

TEST(KernelMachine, BandsOpenAwayFromTheData) {
  const Data data = noisy_sinc(50, 2);
  const KernelRegression fit = fit_kernel_regression(data.X, data.y);
  const Matrix X_new = (Matrix(3, 1) << 0, 25, 1000).finished();
  const Vector sd = predict(fit, X_new).standard_deviation();
  EXPECT_GT(sd[1], 2 * sd[0]);
  EXPECT_GE(sd[2], 0.999 * sd[1]);
}

TEST(KernelMachine, QuantilesAreThoseOfTheMixture) {
  TMixturePrediction p;
  p.weight = (Vector(2) << 0.3, 0.7).finished();
  p.part_mean = (Matrix(1, 2) << -1, 2).finished();
  p.part_scale = (Matrix(1, 2) << 0.5, 1.5).finished();
  p.mean = p.part_mean * p.weight;
  p.degrees_of_freedom = 7;
  const boost::math::students_t t(7);
  for (const double probability : {1e-7, 0.025, 0.3, 0.5, 0.9, 0.975}) {
    const double x = p.quantile(probability)[0];
    EXPECT_NEAR(0.3 * cdf(t, (x + 1) / 0.5) + 0.7 * cdf(t, (x - 2) / 1.5), probability, 2e-9);
  }
  const double variance = 7.0 / 5 * (0.3 * 0.25 + 0.7 * 2.25) + 0.3 * 0.7 * 9;
  EXPECT_NEAR(p.standard_deviation()[0], std::sqrt(variance), 1e-12);
  const double density = 0.3 * pdf(t, (0.4 + 1) / 0.5) / 0.5 + 0.7 * pdf(t, (0.4 - 2) / 1.5) / 1.5;
  EXPECT_NEAR(p.log_density(std::vector<double>{0.4})[0], std::log(density), 1e-12);
}

TEST(KernelMachine, ClassesOfTwoAndThree) {
  internal::Normals normal(4);
  const Index n = 120;
  Matrix X(n, 2);
  Vector labels(n);
  for (Index i = 0; i < n; ++i) {
    labels[i] = static_cast<double>(i % 3);
    X(i, 0) = 3 * std::cos(2.1 * labels[i]) + normal();
    X(i, 1) = 3 * std::sin(2.1 * labels[i]) + normal();
  }
  const KernelClassification three = fit_kernel_classification(X, labels);
  EXPECT_GT(three.accuracy, 0.93);
  const ClassProbabilities p = predict(three, X);
  EXPECT_LT((p.probability.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  const Vector two = (labels.array() == 1).cast<double>();
  const KernelClassification fit = fit_kernel_classification(X, two);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_GT(fit.accuracy, 0.9);
  const Matrix far = (Matrix(1, 2) << 1000, -1000).finished();  // nothing is known there but the frequency of the classes
  const double q = predict(fit, far).probability(0, 1);
  EXPECT_GT(q, 0.05);
  EXPECT_LT(q, 0.6);
}

// The order of rows and the unit of the inputs and the target do not matter; repeated rows are weights.
TEST(KernelMachine, DoesNotDependOnOrderUnitsOrRepetition) {
  const Data data = noisy_sinc(30, 8);
  const Index n = 30;
  const Matrix X_new = Vector::LinSpaced(7, -14, 14);
  const TMixturePrediction plain = predict(fit_kernel_regression(data.X, data.y), X_new);
  const Matrix reversed_X = data.X.colwise().reverse();
  const Vector reversed_y = data.y.reverse();
  const TMixturePrediction reversed = predict(fit_kernel_regression(reversed_X, reversed_y), X_new);
  EXPECT_TRUE(plain.part_mean == reversed.part_mean);
  EXPECT_TRUE(plain.part_scale == reversed.part_scale);
  const Matrix scaled_X = 1e3 * data.X.array() + 5, scaled_new = 1e3 * X_new.array() + 5;
  const Vector scaled_y = 1e-4 * data.y.array() - 3;
  const TMixturePrediction scaled = predict(fit_kernel_regression(scaled_X, scaled_y), scaled_new);
  EXPECT_LT((scaled.mean - Vector(1e-4 * plain.mean.array() - 3)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((scaled.standard_deviation() / 1e-4 - plain.standard_deviation()).cwiseAbs().maxCoeff(), 1e-4);
  Matrix twice_X(2 * n, 1);
  twice_X << data.X, data.X;
  Vector twice_y(2 * n);
  twice_y << data.y, data.y;
  KernelOptions weighted;
  const Vector twos = Vector::Constant(n, 2);
  weighted.weights = twos;
  const TMixturePrediction a = predict(fit_kernel_regression(twice_X, twice_y), X_new);
  const TMixturePrediction b = predict(fit_kernel_regression(data.X, data.y, weighted), X_new);
  EXPECT_TRUE(a.part_mean == b.part_mean);
  EXPECT_TRUE(a.part_scale == b.part_scale);
}

// f = 2 x_1 + x_2 + 0 x_3, so the shares are those of the variances of 2 x_1 and x_2; x_2 has a rare value. No input explains a product by
// itself.                                                                                                                         (KM.9)
TEST(KernelMachine, TellsTheShareOfEachInput) {
  internal::Normals random(3);
  const Index n = 300;
  Matrix X(n, 3);
  Vector sum(n), product(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 3; ++j) X(i, j) = 2 * random.uniform() - 1;
    product[i] = X(i, 0) * X(i, 2) + 0.05 * random();
    X(i, 1) = X(i, 1) > 0.8 ? 3 : 0;
    sum[i] = 2 * X(i, 0) + X(i, 1) + 0.05 * random();
  }
  const Vector variance = (X.rowwise() - X.colwise().mean()).colwise().squaredNorm();
  const double of_first = 4 * variance[0] / (4 * variance[0] + variance[1]);
  const Vector of_sum = fit_kernel_regression(X, sum).variance_share, of_product = fit_kernel_regression(X, product).variance_share;
  EXPECT_NEAR(of_sum[0], of_first, 0.01);
  EXPECT_NEAR(of_sum[1], 1 - of_first, 0.01);
  EXPECT_NEAR(of_sum[2], 0, 0.001);
  EXPECT_LT(of_product.maxCoeff(), 0.03);
}

TEST(KernelMachine, OfManyRowsHasTheCentresAsVectors) {
  const Data data = noisy_sinc(2500, 3);
  const KernelRegression fit = fit_kernel_regression(data.X, data.y);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_LT(fit.num_vectors(), 300);
  const Matrix X_new = Vector::LinSpaced(101, -10, 10);
  const Vector mean = predict(fit, X_new).mean;
  for (Index i = 0; i < 101; ++i) EXPECT_NEAR(mean[i], sinc(X_new(i, 0)), 0.05);
  EXPECT_NEAR(fit.noise_sd, 0.1, 0.01);
  Vector labels = (data.y.array() > 0.1).cast<double>();
  KernelOptions options;
  options.centres = 40;
  const KernelClassification classes = fit_kernel_classification(data.X.topRows(900), Vector(labels.head(900)), options);
  EXPECT_EQ(classes.report.status, Status::converged) << classes.report.message;
  EXPECT_LE(classes.num_vectors(), 40);
  EXPECT_GT(classes.accuracy, 0.8);
}

// A row that stands twice is one row, so it counts once among the rows of which some are centres.
TEST(KernelMachine, OfARepeatedTableRefusesWhatItRefusesOfTheTable) {
  Data data = noisy_sinc(12, 4), twice = data;
  twice.X = data.X.replicate(2, 1), twice.y = data.y.replicate(2, 1);
  const Vector weights = Vector::Constant(12, 2.0), of_half = (Vector(24) << Vector::Ones(12), Vector::Zero(12)).finished();
  KernelOptions options;
  options.num_vectors = 3;
  for (const Index centres : {11, 12, 13}) {
    options.centres = centres;
    const bool refused = centres < 12;
    const auto expect_the_same = [&](const Data& of, const Vector& k, bool classes) {
      KernelOptions weighted = options;
      weighted.weights = k;
      const Vector labels = (of.y.array() > 0).cast<double>();
      std::string message;
      try {
        if (classes)
          static_cast<void>(fit_kernel_classification(of.X, labels, weighted));
        else
          static_cast<void>(fit_kernel_regression(of.X, of.y, weighted));
      } catch (const InvalidArgument& error) {
        message = error.what();
      }
      EXPECT_EQ(message.find("of 12 different rows the fit takes 11 as centres") != std::string::npos, refused)
          << centres << ": " << message;
      EXPECT_EQ(message.empty(), !refused) << message;
    };
    for (const bool classes : {false, true}) {
      expect_the_same(data, {}, classes);
      expect_the_same(data, weights, classes);
      expect_the_same(twice, {}, classes);
      expect_the_same(twice, of_half, classes);
    }
  }
}

TEST(KernelMachine, RefusesAWidthThatLeavesNoFunction) {
  const Data data = noisy_sinc(20, 3);
  KernelOptions options;
  options.search = WidthSearch::given;
  options.widths = {1e300};
  try {
    static_cast<void>(fit_kernel_regression(data.X, data.y, options));
    ADD_FAILURE() << "it was fitted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("a width of 1e+300 is so large that the kernel is the same for every two rows"),
              std::string::npos)
        << error.what();
  }
  options.widths = {300};
  EXPECT_LT(fit_kernel_regression(data.X, data.y, options).log_evidence, 0);
}

// The log evidence of a hypothesis is in the units of the data, like that of the fit: the mean of their exponentials.
TEST(KernelMachine, HasOneScaleOfEvidence) {
  const Data data = noisy_sinc(40, 6);
  const Vector y = 1e3 * data.y;
  const KernelRegression fit = fit_kernel_regression(data.X, y);
  double sum = 0;
  for (const KernelHypothesis& one : fit.processes[0].hypotheses) sum += std::exp(one.log_evidence - fit.log_evidence);
  EXPECT_EQ(fit.processes[0].hypotheses.size(), 2u);  // gaussian and cauchy, both kept
  EXPECT_NEAR(sum, 2, 1e-9);
}

// The intervals are those of a normal distribution of the logarithm.
TEST(KernelMachine, HasIntervalsOfWidthsForAnyLevel) {
  const KernelHypothesis one = fit_kernel_regression(noisy_sinc(40, 6).X, noisy_sinc(40, 6).y).processes[0].hypotheses[0];
  const double sd = std::log(one.intervals[0].upper / one.intervals[0].lower) / (2 * 1.959963984540054);
  const Interval half = width_intervals(one, 0.5)[0];
  EXPECT_NEAR(half.upper, one.widths[0] * std::exp(0.6744897501960817 * sd), 1e-9 * half.upper);
  EXPECT_NEAR(half.lower, one.widths[0] * std::exp(-0.6744897501960817 * sd), 1e-9 * half.lower);
  EXPECT_THROW(static_cast<void>(width_intervals(one, 1)), InvalidArgument);
}

TEST(KernelMachine, FindsACurveWithEveryKernel) {
  const Data data = noisy_sinc(100, 9);
  const Matrix X_new = Vector::LinSpaced(101, -9, 9);
  for (const char* kernel : {"gaussian", "laplacian", "cauchy", "matern32", "matern52"}) {
    KernelOptions options;
    options.kernel = kernel;
    const KernelRegression fit = fit_kernel_regression(data.X, data.y, options);
    EXPECT_EQ(fit.report.status, Status::converged) << kernel << ": " << fit.report.message;
    const Vector mean = predict(fit, X_new).mean;
    for (Index i = 0; i < 101; ++i) EXPECT_NEAR(mean[i], sinc(X_new(i, 0)), 0.25) << kernel;
    EXPECT_NEAR(fit.noise_sd, 0.1, 0.03) << kernel;
  }
}

// With many rows, the points of the two kernels are together as many as those of one; each kernel keeps its weight.             (KM.4)
TEST(KernelMachine, OfManyRowsSharesPointsAmongKernels) {
  internal::Normals normal(4);
  const Index n = 320, d = 6;
  const Matrix X = Matrix::NullaryExpr(n, d, [&] { return normal(); });
  Vector y(n);
  for (Index i = 0; i < n; ++i) y[i] = std::sin(2 * X(i, 0)) + X(i, 1) / (1 + X(i, 2) * X(i, 2)) + 0.3 * normal();
  const KernelRegression fit = fit_kernel_regression(X, y);
  const KernelProcess& process = fit.processes.front();
  ASSERT_EQ(process.hypotheses.size(), 2U);
  EXPECT_EQ(process.points.size(), static_cast<std::size_t>(d + 2));
  std::map<std::string, double> weight;
  for (const KernelPoint& point : process.points) weight[point.kernel.spec().kind] += point.weight;
  for (const KernelHypothesis& one : process.hypotheses) EXPECT_NEAR(weight[one.kernel.spec().kind], one.weight, 1e-12);
}

// Fifty inputs, of which two matter; another order of the columns changes nothing but the last digits.
TEST(KernelMachine, OfFiftyInputsDoesNotDependOnTheirOrder) {
  internal::Normals normal(6);
  const Index n = 80, d = 50;
  const Matrix X = Matrix::NullaryExpr(n, d, [&] { return normal(); });
  const Vector y = X.col(3).array() + X.col(40).array().square() + 0.1 * Vector::NullaryExpr(n, [&] { return normal(); }).array();
  KernelOptions options;
  options.average = false;
  options.kernel = "gaussian";
  const KernelRegression fit = fit_kernel_regression(X, y, options);
  const Matrix reversed = X.rowwise().reverse();
  const KernelRegression other = fit_kernel_regression(reversed, y, options);
  EXPECT_NEAR(fit.log_evidence, other.log_evidence, 1e-3);
  EXPECT_LT((predict(fit, X).mean - predict(other, reversed).mean).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_EQ(fit.processes[0].hypotheses[0].each, true);
  const std::vector<double>& widths = fit.processes[0].hypotheses[0].widths;
  EXPECT_EQ(std::min_element(widths.begin(), widths.end()) - widths.begin(), 40);  // the other one is a line: its width is large
}

// A target without noise: the size of the function ends at its limit, and the fit says so. With noise, no search ends at a limit.
TEST(KernelMachine, SaysThatASearchEndedAtItsLimit) {
  const auto said = [](const KernelRegression& fit) {
    const std::vector<std::string>&notes = fit.report.notes, &warnings = fit.report.warnings;
    const auto is_it = [](const std::string& text) {
      return text.find("hardly any noise") != std::string::npos || text.find("ended at its limit") != std::string::npos;
    };
    return std::any_of(notes.begin(), notes.end(), is_it) || std::any_of(warnings.begin(), warnings.end(), is_it);
  };
  const KernelRegression exact = fit_kernel_regression(noisy_sinc(40, 1, 0).X, noisy_sinc(40, 1, 0).y);
  EXPECT_NEAR(std::log(exact.processes[0].hypotheses[0].signal), 18, 1e-9);
  EXPECT_TRUE(said(exact));
  const KernelRegression noisy = fit_kernel_regression(noisy_sinc(40, 1).X, noisy_sinc(40, 1).y);
  EXPECT_LT(std::log(noisy.processes[0].hypotheses[0].signal), 17);
  EXPECT_FALSE(said(noisy));
}

TEST(KernelMachine, TakesCentresWithinTheRowsAndTheMemory) {
  const Data data = noisy_sinc(30, 4);
  KernelOptions options;
  options.centres = 1000;
  EXPECT_EQ(fit_kernel_regression(data.X, data.y, options).log_evidence, fit_kernel_regression(data.X, data.y).log_evidence);
  const Index n = 600000;
  const Vector x = Vector::LinSpaced(n, 0, 1);
  const Matrix X = x;
  options.centres = 0;
  options.all_centres = true;
  try {
    static_cast<void>(fit_kernel_regression(X, x, options));
    ADD_FAILURE() << "it was fitted";
  } catch (const InvalidArgument& error) {  // 5 * 8 * 600000^2 bytes
    EXPECT_NE(std::string(error.what()).find("centres = all takes about 13411 GiB of memory for 600000 rows"), std::string::npos)
        << error.what();
  }
}

TEST(KernelMachine, TakesSmallAndOddTables) {
  const Matrix two = (Matrix(2, 1) << 0, 1).finished();
  const std::vector<double> y = {1, 3};
  EXPECT_TRUE(predict(fit_kernel_regression(two, y), two).mean.allFinite());
  const Matrix constant = Matrix::Constant(5, 2, 3.0);
  const std::vector<double> z = {1, 2, 3, 4, 5};
  const KernelRegression flat = fit_kernel_regression(constant, z);
  EXPECT_NEAR(predict(flat, constant).mean[0], 3, 1e-9);
  const std::vector<double> fives = {5, 5, 5, 5, 5};  // one distinct row
  EXPECT_NEAR(predict(fit_kernel_regression(constant, fives), constant).mean[0], 5, 1e-9);
  const std::vector<double> same = {7, 7, 7};
  const Matrix X = (Matrix(3, 1) << 1, 2, 3).finished();
  EXPECT_NEAR(predict(fit_kernel_regression(X, same), X).mean[1], 7, 1e-9);
  const Data exact = noisy_sinc(40, 1, 0);
  const KernelRegression noise_free = fit_kernel_regression(exact.X, exact.y);
  EXPECT_GT(noise_free.r_squared, 0.9999);
}

}  // namespace
}  // namespace ardvark
