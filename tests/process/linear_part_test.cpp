// A kernel and a straight line: evidence, vectors, predictions.                                               docs/math/process.md (KM.11)
#include <gtest/gtest.h>

#include <numeric>

#include "ardvark/kernel_machine.hpp"
#include "ardvark/model.hpp"
#include "core/normals.hpp"
#include "process/low_rank.hpp"
#include "process/plain_process.hpp"
#include "process/vectors.hpp"

namespace ardvark::internal {
namespace {

struct LinedRows {
  Matrix X;
  Vector y, t, k;
};

LinedRows lined_rows(Index n, Index d, std::uint64_t seed, double noise = 0.3) {
  Normals normal(seed);
  LinedRows out{Matrix(n, d), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) out.X(i, j) = normal();
    const double f = 0.5 * std::sin(2 * out.X(i, 0)) + out.X(i, d - 1);
    out.y[i] = f + noise * normal();
    out.t[i] = f + noise * normal() > 0 ? 1 : 0;
    out.k[i] = std::floor(1 + 3 * normal.uniform());
  }
  out.t[0] = 0, out.t[1] = 1;
  return out;
}

Covariance with_line(const Matrix& X) { return {"gaussian", X, {0, 1, 1}, true}; }

const Hyperparameters at = (Vector(4) << 0.9, 0.3, -0.7, -0.4).finished();  // ln h, two ln rho, ln g

// (KM.1) and (KM.2) with h (kappa + g x'x): contrasts of y, and a share of the linear part that is uniform.
TEST(LinearPart, OfARegressionHasTheEvidenceOfContrasts) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Index n = 4 + static_cast<Index>(seed);
    const LinedRows rows = lined_rows(n, 3, seed);
    const Vector log_rho = (Vector(3) << at[1], at[2], at[2]).finished(), ones = Vector::Ones(n);
    const double h = std::exp(at[0]), g = std::exp(at[3]), nu = static_cast<double>(n - 1);
    const Matrix kappa = plain::covariance("gaussian", rows.X, rows.X, log_rho), line = g * rows.X * rows.X.transpose();
    const Matrix Q = Matrix(Eigen::HouseholderQR<Matrix>(ones).householderQ()).rightCols(n - 1);
    const Matrix S = Q.transpose() * (h * (kappa + line) + Matrix::Identity(n, n)) * Q;
    const Vector c = Q.transpose() * rows.y;
    const double q = c.dot(S.inverse() * c);
    const double J =
        std::lgamma(nu / 2) - nu / 2 * std::log(M_PI * q) - 0.5 * std::log(S.determinant()) - 0.5 * std::log(static_cast<double>(n));
    const auto variance = [&](const Matrix& K) { return h * (K.trace() - K.sum() / static_cast<double>(n)) / nu; };
    const double of_kernel = variance(kappa), of_line = variance(line), all = of_kernel + of_line, share = of_line / all;
    const double first = std::exp(2 * at[1]), others = 2 * std::exp(2 * at[2]), sum = first + others;  // of rho^2 over the inputs
    const double off = 0.5 * std::log(2 * sum);
    const double of_widths = -off * off / (2 * 2.25) + 0.5 * (std::log(first / sum) + std::log(others / sum));
    const double prior = std::log(all) - 2.25 * std::log1p(all) + std::log(share) + std::log(1 - share) + of_widths;
    const auto evidence = regression_evidence(with_line(rows.X), ones, rows.y);
    EXPECT_NEAR(evidence->at(at, false).value, J + prior, 1e-9) << seed;
    EXPECT_NEAR(evidence->linear_share(at), share, 1e-12);
  }
}

std::unique_ptr<FullEvidence> exact_with_line(const LinedRows& rows, bool classes) {
  return classes ? class_evidence(with_line(rows.X), rows.k, rows.t) : regression_evidence(with_line(rows.X), rows.k, rows.y);
}
std::unique_ptr<LowRankEvidence> low_rank_with_line(const LinedRows& rows, bool classes) {
  return classes ? low_rank_classes(with_line(rows.X), rows.k, rows.t) : low_rank_regression(with_line(rows.X), rows.k, rows.y);
}

void expect_slopes(ProcessEvidence& evidence, double step, double tolerance) {
  const Vector gradient = evidence.at(at, true).gradient;
  for (Index i = 0; i < at.size(); ++i) {
    Hyperparameters up = at, down = at;
    up[i] += step, down[i] -= step;
    EXPECT_NEAR(gradient[i], (evidence.at(up, false).value - evidence.at(down, false).value) / (2 * step), tolerance) << i;
  }
}

TEST(LinearPart, HasTheGradientOfFiniteDifferences) {
  for (const bool classes : {false, true})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      expect_slopes(*exact_with_line(lined_rows(15, 3, seed), classes), 1e-4, classes ? 2e-4 : 1e-6);
      const LinedRows many = lined_rows(700, 3, seed);  // more than one block
      const auto bound = low_rank_with_line(many, classes);
      bound->set_centres(choose_centres(bound->covariance(), at, 25));
      expect_slopes(*bound, 1e-3, classes ? 0.02 : 2e-3);
    }
}

TEST(LinearPart, OfAllRowsAsCentresIsTheExactEvidence) {
  std::vector<Index> all(60);
  std::iota(all.begin(), all.end(), Index{0});
  for (const bool classes : {false, true})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const LinedRows rows = lined_rows(60, 3, seed);
      const auto bound = low_rank_with_line(rows, classes);
      const auto exact = exact_with_line(rows, classes);
      bound->set_centres(all);
      const Slope a = bound->at(at, true), b = exact->at(at, true);
      EXPECT_NEAR(a.value, b.value, classes ? 2e-6 : 1e-6) << seed;
      EXPECT_LT((a.gradient - b.gradient).cwiseAbs().maxCoeff(), classes ? 5e-3 : 1e-5) << seed;
      bound->set_centres({all.begin(), all.begin() + 8});
      EXPECT_LT(bound->at(at, false).value, a.value);
    }
}

// With every row as a vector, the posterior in the features is the full one; together as one by one.                            (KM.6)
TEST(LinearPart, IsExactInThePosteriorOfVectors) {
  for (const bool classes : {false, true}) {
    const LinedRows rows = lined_rows(40, 3, 2);
    const auto evidence = exact_with_line(rows, classes);
    const FullPosterior all = evidence->posterior(at);
    const ProcessRows& working = all.rows;
    const Matrix K = std::exp(at[0]) * plain::covariance("gaussian", rows.X, rows.X, (Vector(3) << at[1], at[2], at[2]).finished());
    const Matrix linear = evidence->covariance().linear_features(rows.X, at);
    const FunctionMoments& full = all.moments;
    EXPECT_LT((evidence->signal_covariance(at) - K).triangularView<Eigen::Lower>().toDenseMatrix().cwiseAbs().maxCoeff(), 1e-12 * K(0, 0));
    VectorChoice one_by_one(K, working, rows.k, classes, full, linear), together = one_by_one;
    one_by_one.grow(0, 0, 12);
    together.add_first(one_by_one.rows());
    EXPECT_LT((one_by_one.moments().mean - together.moments().mean).cwiseAbs().maxCoeff(), 1e-9);
    one_by_one.grow(0, 0, 20);
    together.grow(0, 0, 20);
    EXPECT_EQ(one_by_one.rows(), together.rows());
    one_by_one.add_all();
    EXPECT_LT(one_by_one.mean_divergence(), 1e-9);
    const FeaturePosterior posterior = one_by_one.posterior();
    EXPECT_EQ(posterior.mean.size(), static_cast<Index>(one_by_one.rows().size()) + 3 + 1);
  }
}

}  // namespace
}  // namespace ardvark::internal

namespace ardvark {
namespace {

using internal::lined_rows;
using internal::LinedRows;

KernelOptions with_linear_part() {
  KernelOptions options;
  options.linear_part = true;
  return options;
}

// Every point by (KM.1), with h (kappa + g x'x) and every row.
TEST(LinearPart, OfAllRowsPredictsAsTheFullProcess) {
  const LinedRows rows = lined_rows(30, 2, 4);
  KernelOptions options = with_linear_part();
  options.all_vectors = true;
  const KernelRegression fit = fit_kernel_regression(rows.X, rows.y, options);
  const auto standard = [&](const Matrix& X) {
    return Matrix((X.rowwise() - fit.input_center.transpose()) * fit.input_scale.asDiagonal());
  };
  const Matrix Z = standard(rows.X), X_new = 3 * lined_rows(6, 2, 5).X, Z_new = standard(X_new);
  const Vector y = (rows.y.array() - fit.target_center) / fit.target_scale, one = Vector::Ones(30);
  const TMixturePrediction p = predict(fit, X_new, PredictionOf::mean);
  for (std::size_t i = 0; i < fit.processes[0].points.size(); ++i) {
    const KernelPoint& point = fit.processes[0].points[i];
    ASSERT_GT(point.linear, 0);
    Matrix K(30, 30), k(30, 6);
    point.kernel.evaluate(Z, Z, K);
    point.kernel.evaluate(Z, Z_new, k);
    const Matrix inverse = (point.signal * K + point.linear * Z * Z.transpose() + Matrix::Identity(30, 30)).inverse();
    const Matrix c = point.signal * k + point.linear * Z * Z_new.transpose();
    const double sum = one.dot(inverse * one), b = one.dot(inverse * y) / sum, s2 = (y.dot(inverse * y) - b * b * sum) / 29;
    for (Index r = 0; r < 6; ++r) {
      const Vector w = inverse * c.col(r);
      const double off = 1 - w.sum();
      const double variance = s2 * (point.signal + point.linear * Z_new.row(r).squaredNorm() - c.col(r).dot(w) + off * off / sum);
      EXPECT_NEAR(p.part_mean(r, static_cast<Index>(i)), fit.target_center + fit.target_scale * (b + w.dot(y) - b * w.sum()), 1e-5);
      EXPECT_NEAR(p.part_scale(r, static_cast<Index>(i)), fit.target_scale * std::sqrt(variance), 1e-5);
    }
  }
}

// The line goes on outside the data, and the band opens; without it, the mean returns to a constant.
TEST(LinearPart, GoesOnOutsideTheData) {
  internal::Normals normal(3);
  const Index n = 60;
  Matrix X(n, 2);
  Vector y(n), labels(n);
  for (Index i = 0; i < n; ++i) {
    X(i, 0) = normal(), X(i, 1) = normal();
    y[i] = 5 + 2 * X(i, 0) - X(i, 1) + 0.2 * normal();
    labels[i] = X(i, 0) + 0.5 * normal() > 0 ? 1 : 0;
  }
  const KernelRegression fit = fit_kernel_regression(X, y, with_linear_part());
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_GT(fit.processes[0].hypotheses[0].linear_share, 0.5);
  const Matrix far = (Matrix(2, 2) << 0, 0, 30, 0).finished();
  const TMixturePrediction p = predict(fit, far);
  const Vector sd = p.standard_deviation();
  EXPECT_LT(std::abs(p.mean[1] - 65), 3 * sd[1]);
  EXPECT_GT(sd[1], 3 * sd[0]);
  EXPECT_GT(std::abs(predict(fit_kernel_regression(X, y), far).mean[1] - 65), 2 * std::abs(p.mean[1] - 65));
  const Vector share = fit.variance_share;  // of 2 x_1 - x_2 with independent inputs                                           (KM.9)
  const Vector variance = (X.rowwise() - X.colwise().mean()).colwise().squaredNorm();
  const double of_first = 4 * variance[0] / (4 * variance[0] + variance[1]);
  EXPECT_NEAR(share[0], of_first, 0.03);
  EXPECT_NEAR(share[1], 1 - of_first, 0.03);
  const Matrix right = (Matrix(1, 2) << 30, 0).finished();
  const KernelClassification classes = fit_kernel_classification(X, labels, with_linear_part());
  EXPECT_GT(predict(classes, right).probability(0, 1), 0.9);
  EXPECT_LT(predict(fit_kernel_classification(X, labels), right).probability(0, 1), 0.9);
}

TEST(LinearPart, IsInTheCentresOfManyRowsAndInFiles) {
  const LinedRows rows = lined_rows(900, 3, 6);
  KernelOptions options = with_linear_part();
  options.centres = 30;
  const KernelRegression fit = fit_kernel_regression(rows.X, rows.y, options);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_EQ(fit.processes[0].points[0].mean.size(), fit.num_vectors() + 3 + 1);
  EXPECT_NEAR(fit.noise_sd, 0.3, 0.03);
  options.centres = 0;
  const Vector some = rows.y.head(400);
  const TMixturePrediction a = predict(fit, rows.X), b = predict(fit_kernel_regression(rows.X.topRows(400), some, options), rows.X);
  EXPECT_LT((a.mean - b.mean).cwiseAbs().mean(), 0.1);
  SavedModel model;
  model.fit = static_cast<const KernelFit&>(fit);
  model.encoding = FeatureEncoding::of_numbers(fit.input_names);
  const std::string bytes = model_to_bytes(model);
  const SavedModel again = model_from_bytes(bytes);
  EXPECT_TRUE(std::get<TMixturePrediction>(predict(again, rows.X)).part_mean == a.part_mean);
  EXPECT_EQ(again.process()->processes[0].hypotheses[0].linear_share, fit.processes[0].hypotheses[0].linear_share);
  EXPECT_NE(bytes.find("\"format_version\":\"8\""), std::string::npos);
  KernelOptions plain;
  plain.centres = 30;
  model.fit = static_cast<const KernelFit&>(fit_kernel_regression(rows.X, rows.y, plain));
  EXPECT_NE(model_to_bytes(model).find("\"format_version\":\"7\""), std::string::npos);
}

// The order of rows does not matter; repeated rows are weights; constant inputs have no line.
TEST(LinearPart, DoesNotDependOnOrderRepetitionOrConstants) {
  const LinedRows rows = lined_rows(25, 2, 8);
  const Matrix X_new = 2 * lined_rows(5, 2, 9).X;
  const TMixturePrediction plain = predict(fit_kernel_regression(rows.X, rows.y, with_linear_part()), X_new);
  const Matrix reversed = rows.X.colwise().reverse();
  const Vector reversed_y = rows.y.reverse();
  const TMixturePrediction other = predict(fit_kernel_regression(reversed, reversed_y, with_linear_part()), X_new);
  EXPECT_TRUE(plain.part_mean == other.part_mean);
  EXPECT_TRUE(plain.part_scale == other.part_scale);
  Matrix twice(50, 2);
  twice << rows.X, rows.X;
  Vector twice_y(50);
  twice_y << rows.y, rows.y;
  KernelOptions weighted = with_linear_part();
  const Vector twos = Vector::Constant(25, 2);
  weighted.weights = twos;
  const TMixturePrediction a = predict(fit_kernel_regression(twice, twice_y, with_linear_part()), X_new);
  const TMixturePrediction b = predict(fit_kernel_regression(rows.X, rows.y, weighted), X_new);
  EXPECT_TRUE(a.part_mean == b.part_mean);
  Matrix constant(25, 3);
  constant << rows.X, Vector::Constant(25, 4);
  Matrix constant_new(5, 3);
  constant_new << X_new, Vector::Constant(5, 4);
  const TMixturePrediction c = predict(fit_kernel_regression(constant, rows.y, with_linear_part()), constant_new);
  EXPECT_LT((c.mean - plain.mean).cwiseAbs().maxCoeff(), 1e-9);
  const Matrix all_constant = Matrix::Constant(5, 2, 3.0);
  const std::vector<double> z = {1, 2, 3, 4, 5};
  EXPECT_NEAR(predict(fit_kernel_regression(all_constant, z, with_linear_part()), all_constant).mean[0], 3, 1e-9);
}

}  // namespace
}  // namespace ardvark
