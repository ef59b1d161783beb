// fit_softmax as its callers see it.                                                                               docs/math/softmax.md
#include "ardvark/softmax.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>
#include <vector>

#include "support/random_problem.hpp"
#include "support/thrown.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::Random;

struct Data {
  Matrix X;
  Vector y;
};

// Two columns tell the classes apart, the others do not.
Data make(std::uint64_t seed, Index n, Index p, Index C, double strength = 1.5) {
  Random random(seed);
  Data out{random.normals(n, p), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    double best = -1e300;
    for (Index c = 0; c < C; ++c) {
      const double angle = 6.283185307179586 * static_cast<double>(c) / static_cast<double>(C);
      const double score =
          strength * (std::cos(angle) * out.X(i, 0) + std::sin(angle) * out.X(i, 1)) - std::log(-std::log(random.uniform()));
      if (score > best) best = score, out.y[i] = static_cast<double>(c);
    }
    if (i < C) out.y[i] = static_cast<double>(i);
  }
  return out;
}

SoftmaxOptions with(Prior prior) {
  SoftmaxOptions options;
  options.prior = std::move(prior);
  return options;
}

std::vector<Index> all_columns(Index p) {
  std::vector<Index> all;
  for (Index j = 0; j < p; ++j) all.push_back(j);
  return all;
}

// w_2 - w_1 has the prior precision a/2 when each has a.
TEST(Softmax, OfTwoClassesIsLogisticRegressionInTheDifferences) {
  const Data d = make(1, 120, 6, 2);
  FitOptions two;
  two.likelihood = LogisticLikelihood::laplace;
  two.prior = Prior::shared().fixed(all_columns(6), 0.8);
  const LogisticFit logistic = fit_logistic(d.X, d.y, two);
  for (const SolverKind solver : {SolverKind::primal, SolverKind::dual}) {
    SoftmaxOptions options = with(Prior::shared().fixed(all_columns(6), 1.6));
    options.solver = solver;
    const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    const Vector difference = fit.mean.col(1) - fit.mean.col(0);
    EXPECT_LE((difference - logistic.mean).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_NEAR(fit.intercept[1] - fit.intercept[0], logistic.intercept->mean, 1e-7);
    EXPECT_NEAR(4 * fit.intercept_variance[1], logistic.intercept->variance, 1e-6);        // of the half of the difference
    EXPECT_LE((4 * fit.variance.col(1) - logistic.variance).cwiseAbs().maxCoeff(), 1e-6);  // each is half of the difference (SMX.11)
    EXPECT_LE((fit.relevance.col(0) - logistic.relevance).cwiseAbs().maxCoeff(), 1e-6);
    const Matrix probability = predict(fit, d.X).probability;
    EXPECT_LE((probability.col(1) - predict(logistic, d.X).probability).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_NEAR(fit.log_loss, logistic.log_loss, 1e-7);
    EXPECT_NEAR(fit.bound, logistic.bound, 1e-6);  // (SMX.12)
    EXPECT_EQ(fit.accuracy, logistic.accuracy);
  }
}

// The gradient of ln p(y|w) - a/2 ||w||^2 in the units of X, the columns as they are.
TEST(Softmax, MeanIsTheMode) {
  const Data d = make(2, 60, 90, 3);
  for (const SolverKind solver : {SolverKind::primal, SolverKind::dual}) {
    SoftmaxOptions options = with(Prior::shared());
    options.solver = solver;
    options.standardize = false;
    const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    Matrix X(61, 90);
    X << d.X, d.X.colwise().mean();  // half an observation of each class at the means                                            (SMX.12)
    const Matrix F = (X * fit.mean).rowwise() + fit.intercept.transpose();
    Matrix E = Matrix::Zero(61, 3);
    for (Index n = 0; n < 61; ++n) {
      E.row(n) = -F.row(n).array().exp() / F.row(n).array().exp().sum();
      if (n < 60)
        E(n, static_cast<Index>(d.y[n])) += 1;
      else
        E.row(n) = 1.5 * E.row(n).array() + 0.5;
    }
    const Matrix gradient = X.transpose() * E - fit.precision.cwiseProduct(fit.mean);
    EXPECT_LE(gradient.cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LE(E.colwise().sum().cwiseAbs().maxCoeff(), 1e-7);  // the intercepts
  }
}

// (OPT.6) at its fixed point: a = (weights + 2 c0 - a sum V)/(2 d0 + sum w^2), where V has 1/(a C) more than the centred weights. (SMX.11)
// The inverse of sum_n (diag p - pp') x x' + A, in the units of X, without the directions that nothing is known of; then centred.
Matrix centred_inverse_hessian(const SoftmaxFit& fit, const Matrix& table, double a) {
  const Index n = table.rows() + 1, p = table.cols(), q = p + 1, C = fit.num_classes();
  Matrix X(n, p);
  X << table, table.colwise().mean();  // of weight C/2                                                                            (SMX.12)
  const Matrix probability = predict(fit, X, ClassRule::plug_in).probability;
  Matrix H = Matrix::Zero(C * q, C * q);
  for (Index i = 0; i < n; ++i) {
    Vector x(q), P = probability.row(i);
    x << X.row(i).transpose(), 1;
    const Matrix omega = (i + 1 < n ? 1 : 0.5 * static_cast<double>(C)) * (Matrix(P.asDiagonal()) - P * P.transpose());
    for (Index c = 0; c < C; ++c)
      for (Index e = 0; e < C; ++e) H.block(c * q, e * q, q, q) += omega(c, e) * x * x.transpose();
  }
  for (Index j = 0; j < p; ++j)
    for (Index c = 0; c < C; ++c) H(c * q + j, c * q + j) += a * (table.col(j).array() - table.col(j).mean()).square().mean();
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(H);
  const Vector inverse = (axes.eigenvalues().array() > 1e-9 * axes.eigenvalues().maxCoeff()).select(axes.eigenvalues().cwiseInverse(), 0.0);
  EXPECT_EQ((inverse.array() == 0).count(), 1);  // a number added to all intercepts
  const Matrix K = Matrix::Identity(C, C).array() - 1 / static_cast<double>(C);
  Matrix centring = Matrix::Zero(C * q, C * q);
  for (Index c = 0; c < C; ++c)
    for (Index e = 0; e < C; ++e) centring.block(c * q, e * q, q, q).diagonal().setConstant(K(c, e));
  return centring * (axes.eigenvectors() * inverse.asDiagonal() * axes.eigenvectors().transpose()) * centring;
}

TEST(Softmax, CovarianceIsTheInverseHessianOfCentredWeights) {  // (SMX.11)
  Data d = make(21, 90, 4, 3);
  d.X.col(1) = 3 * d.X.col(1).array() + 5;
  d.X.col(2) *= 0.2;
  for (const SolverKind solver : {SolverKind::primal, SolverKind::dual}) {
    SoftmaxOptions options = with(Prior::shared().fixed(all_columns(4), 0.7));
    options.solver = solver;
    const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    const Matrix V = fit.covariance(), expected = centred_inverse_hessian(fit, d.X, 0.7);
    ASSERT_EQ(V.rows(), 15);
    EXPECT_LE((V - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff()) << to_string(fit.report.solver);
    for (Index c = 0; c < 3; ++c) {
      EXPECT_LE((V.diagonal().segment(5 * c, 4) - fit.variance.col(c)).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_NEAR(V(5 * c + 4, 5 * c + 4), fit.intercept_variance[c], 1e-9);
    }
  }
}

// As if the weights were C - 1 contrasts, each with the prior: nothing is taken away. Data say more and more of column 1 than its prior.
TEST(Softmax, VariancesHaveTheirDigitsInUnitsThatAreFarFromThePrior) {  // (SMX.11)
  constexpr Index p = 3, C = 3;
  const Matrix contrasts{{1 / std::sqrt(2.0), 1 / std::sqrt(6.0)}, {-1 / std::sqrt(2.0), 1 / std::sqrt(6.0)}, {0, -2 / std::sqrt(6.0)}};
  for (const double unit : {1.0, 1e3, 1e5}) {
    Data d = make(24, 300, p, C);
    d.X.col(1) *= unit;
    SoftmaxOptions options = with(Prior::shared().fixed(all_columns(p), 0.02));
    options.standardize = options.intercept = false;
    options.tolerance = 1e-12;
    options.solver = SolverKind::primal;
    const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
    const Matrix F = d.X * fit.mean;
    Matrix H = Matrix::Zero(p * (C - 1), p * (C - 1));
    for (Index i = 0; i < d.X.rows(); ++i) {
      const Vector share = F.row(i).array().exp() / F.row(i).array().exp().sum();
      const Matrix omega = contrasts.transpose() * (Matrix(share.asDiagonal()) - share * share.transpose()) * contrasts;
      for (Index e = 0; e < C - 1; ++e)
        for (Index f = 0; f < C - 1; ++f) H.block(e * p, f * p, p, p) += omega(e, f) * d.X.row(i).transpose() * d.X.row(i);
    }
    H.diagonal().array() += 0.02;
    const Matrix V = H.llt().solve(Matrix::Identity(H.rows(), H.rows())), covariance = fit.covariance();
    for (Index j = 0; j < p; ++j)
      for (Index c = 0; c < C; ++c) {
        double expected = 0;
        for (Index e = 0; e < C - 1; ++e)
          for (Index f = 0; f < C - 1; ++f) expected += contrasts(c, e) * V(e * p + j, f * p + j) * contrasts(c, f);
        EXPECT_NEAR(fit.variance(j, c) / expected, 1, 1e-6) << "unit " << unit << ", column " << j << ", class " << c;
        EXPECT_NEAR(covariance(c * p + j, c * p + j) / expected, 1, 1e-6) << "unit " << unit << ", column " << j << ", class " << c;
      }
  }
}

TEST(Softmax, CovarianceHasTheReportedVariancesOnItsDiagonal) {
  const Data d = make(22, 120, 6, 4);
  for (const bool per_class : {false, true})
    for (const SolverKind solver : {SolverKind::primal, SolverKind::dual}) {
      SoftmaxOptions options = with(Prior::ard());
      options.precision_per_class = per_class;
      options.solver = solver;
      const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
      const Matrix V = fit.covariance();
      for (Index c = 0; c < 4; ++c) {
        EXPECT_LE((V.diagonal().segment(7 * c, 6) - fit.variance.col(c)).cwiseAbs().maxCoeff(), 1e-8) << per_class;
        EXPECT_NEAR(V(7 * c + 6, 7 * c + 6), fit.intercept_variance[c], 1e-8);
      }
      EXPECT_LE((V - V.transpose()).cwiseAbs().maxCoeff(), 1e-12);
    }
}

// Without a word on it: the priors that a softmax does not have, and many classes of few rows, are one against the rest.       (SMX.9)
TEST(Softmax, CodingIsChosenWhereNoneIsGiven) {
  const auto chosen = [](const Data& d, Prior prior, auto&& change) {
    SoftmaxOptions options = with(std::move(prior));
    change(options);
    return fit_softmax(d.X, d.y, options).coding;
  };
  const auto nothing = [](SoftmaxOptions&) {};
  const Data three = make(23, 100, 3, 3), few = make(24, 150, 10, 8), many = make(25, 170, 10, 8);  // 2 x 10 x 8 = 160
  Prior sparse;
  sparse.kind = PriorKind::sparse;
  EXPECT_EQ(chosen(three, {}, nothing), ClassCoding::softmax);
  EXPECT_EQ(chosen(three, sparse, nothing), ClassCoding::one_against_rest);
  EXPECT_EQ(chosen(few, {}, nothing), ClassCoding::one_against_rest);
  EXPECT_EQ(chosen(many, {}, nothing), ClassCoding::softmax);
  EXPECT_EQ(chosen(few, Prior::shared(), nothing), ClassCoding::softmax);
  EXPECT_EQ(chosen(few, {}, [](SoftmaxOptions& o) { o.precision_per_class = true; }), ClassCoding::softmax);
  EXPECT_EQ(chosen(few, {}, [](SoftmaxOptions& o) { o.precision = {1, 1}; }), ClassCoding::softmax);
  EXPECT_EQ(chosen(few, {}, [](SoftmaxOptions& o) { o.coding = ClassCoding::softmax; }), ClassCoding::softmax);
  EXPECT_THROW(static_cast<void>(chosen(three, sparse, [](SoftmaxOptions& o) { o.coding = ClassCoding::softmax; })), InvalidArgument);
}

TEST(Softmax, MachinesKnowNothingOfEachOther) {
  const Data d = make(23, 100, 3, 3);
  for (const ClassCoding coding : {ClassCoding::one_against_rest, ClassCoding::one_against_one}) {
    SoftmaxOptions options = with(Prior::shared());
    options.coding = coding;
    const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
    Matrix V = fit.covariance();
    for (Index m = 0; m < 3; ++m) {
      EXPECT_LE((V.diagonal().segment(4 * m, 3) - fit.variance.col(m)).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_NEAR(V(4 * m + 3, 4 * m + 3), fit.intercept_variance[m], 1e-12);
      V.block(4 * m, 4 * m, 4, 4).setZero();
    }
    EXPECT_EQ(V.cwiseAbs().maxCoeff(), 0);
  }
}

TEST(Softmax, SaysOnceWhatAllMachinesRemark) {
  Data d = make(23, 100, 3, 3);
  d.X.col(2) = d.X.col(1);
  SoftmaxOptions options = with(Prior::shared());
  options.coding = ClassCoding::one_against_rest;
  const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
  std::vector<std::string> found;
  for (const std::string& note : fit.report.notes)
    if (note.find("repeats another column") != std::string::npos) found.push_back(note);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("each regression: ")) << found[0];
}

TEST(Softmax, MachinesAreFittedAsTheirOptionsSay) {  // also where these are the softmax's own
  const Data d = make(24, 60, 4, 3);
  const auto expect_machines_of = [&](const SoftmaxOptions& options) {
    const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
    for (Index c = 0; c < 3; ++c) {
      const Vector own = (d.y.array() == static_cast<double>(c)).cast<double>();
      const LogisticFit alone = fit_logistic(d.X, own, options);
      EXPECT_EQ(fit.machines[static_cast<std::size_t>(c)].prior, alone.prior);
      EXPECT_EQ(Vector(fit.mean.col(c)), alone.mean);
      EXPECT_EQ(Vector(fit.variance.col(c)), alone.variance);
    }
    return fit;
  };
  SoftmaxOptions options;
  options.coding = ClassCoding::one_against_rest;
  EXPECT_EQ(expect_machines_of(options).prior, PriorKind::sparse);
  options.likelihood = LogisticLikelihood::laplace;  // was taken for nobody's word, and dropped
  options.rule = UpdateRule::vb;
  EXPECT_NE(expect_machines_of(options).prior, PriorKind::sparse);
  options.likelihood = LogisticLikelihood::gaussian;
  options.rule = UpdateRule::mackay;
  EXPECT_NE(expect_machines_of(options).prior, PriorKind::sparse);
  options.likelihood.reset();
  options.rule.reset();
  options.prior = Prior::laplace(0.5);  // was refused for a rule that nobody had named
  options.coding.reset();               // of this prior one against the rest without being told
  const SoftmaxFit lasso = expect_machines_of(options);
  EXPECT_EQ(lasso.coding, ClassCoding::one_against_rest);
  EXPECT_EQ(lasso.prior, PriorKind::laplace);
  EXPECT_NE(summary(lasso).find("log density at mode"), std::string::npos) << summary(lasso);
}

TEST(Softmax, PrecisionIsMacKaysFixedPoint) {
  const Data d = make(2, 200, 6, 3, 3);
  SoftmaxOptions options = with(Prior::shared());
  options.standardize = false;
  options.tolerance = 1e-12;
  const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
  ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
  const double a = fit.precision(0, 0);
  EXPECT_NEAR(a, (18 - 6 + 2e-2 - a * fit.variance.sum()) / (2e-4 + fit.mean.squaredNorm()), 1e-4 * a);
}

TEST(Softmax, PrimalIsDual) {
  for (const char* preset : {"", "smlr", "rmlr"}) {
    const Data d = make(3, 50, 70, 4, 3);
    SoftmaxOptions options = *preset != 0 ? softmax_options_for_preset(preset) : SoftmaxOptions();
    options.solver = SolverKind::primal;
    const SoftmaxFit primal = fit_softmax(d.X, d.y, options);
    options.solver = SolverKind::dual;
    const SoftmaxFit dual = fit_softmax(d.X, d.y, options);
    EXPECT_EQ(primal.report.solver, SolverKind::primal);
    EXPECT_EQ(dual.report.solver, SolverKind::dual);
    EXPECT_LE((primal.mean - dual.mean).cwiseAbs().maxCoeff(), 1e-5) << preset;
    EXPECT_LE((primal.variance - dual.variance).cwiseAbs().maxCoeff(), 1e-5) << preset;
    EXPECT_LE((primal.intercept_variance - dual.intercept_variance).cwiseAbs().maxCoeff(), 1e-5) << preset;
    EXPECT_NEAR(primal.bound, dual.bound, 1e-5) << preset;
    EXPECT_LE((predict(primal, d.X).probability - predict(dual, d.X).probability).cwiseAbs().maxCoeff(), 1e-5) << preset;
  }
}

TEST(Softmax, NamesOfClassesAndUnitsOfColumnsChangeNothing) {
  const Data d = make(4, 150, 5, 3);
  const SoftmaxFit fit = fit_softmax(d.X, d.y);
  const Vector other = d.y.unaryExpr([](double c) { return c == 0 ? 7.0 : c == 1 ? -2.0 : 3.5; });  // order 2, 0, 1 -> 1, 2, 0
  const SoftmaxFit permuted = fit_softmax(d.X, other);
  EXPECT_EQ(permuted.classes, (std::vector<std::string>{"-2", "3.5", "7"}));
  const Index place[] = {2, 0, 1};
  for (Index c = 0; c < 3; ++c) {
    EXPECT_LE((fit.mean.col(c) - permuted.mean.col(place[c])).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_NEAR(fit.intercept[c], permuted.intercept[place[c]], 1e-8);
    EXPECT_LE((predict(fit, d.X).probability.col(c) - predict(permuted, d.X).probability.col(place[c])).cwiseAbs().maxCoeff(), 1e-8);
  }
  EXPECT_NEAR(fit.bound, permuted.bound, 1e-8);

  Matrix Z = d.X;
  Z.col(2) = 1000 * Z.col(2).array() + 5;
  const SoftmaxFit scaled = fit_softmax(Z, d.y);
  EXPECT_LE((1000 * scaled.mean.row(2) - fit.mean.row(2)).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_NEAR(scaled.bound, fit.bound, 1e-6);
  EXPECT_LE((predict(scaled, Z).probability - predict(fit, d.X).probability).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Softmax, AWeightIsARepetition) {
  const Data d = make(5, 40, 3, 3);
  Vector k(40);
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    k[i] = static_cast<double>(i < 3 ? 1 : i % 3);
    for (Index r = 0; r < (i < 3 ? 1 : i % 3); ++r) rows.push_back(i);
  }
  for (const SolverKind solver : {SolverKind::primal, SolverKind::dual}) {
    SoftmaxOptions options = with(Prior::shared());
    options.solver = solver;
    const SoftmaxFit repeated = fit_softmax(d.X(rows, Eigen::all).eval(), d.y(rows).eval(), options);
    options.weights = k;
    const SoftmaxFit weighted = fit_softmax(d.X, d.y, options);
    EXPECT_LE((weighted.mean - repeated.mean).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_NEAR(weighted.bound, repeated.bound, 1e-7);
    EXPECT_NEAR(weighted.log_loss, repeated.log_loss, 1e-8);
  }
}

TEST(Softmax, FindsTheColumnsThatMatter) {
  const Data d = make(6, 400, 12, 3, 3);
  for (const char* preset : {"", "smlr", "slr_lap_ovr", "slr_var_ovr", "slr_var_ovo"}) {
    const SoftmaxFit fit = fit_softmax(d.X, d.y, *preset != 0 ? softmax_options_for_preset(preset) : with(Prior::ard()));
    EXPECT_TRUE(fit.relevant[0] && fit.relevant[1]) << preset;
    EXPECT_LE(std::count(fit.relevant.begin(), fit.relevant.end(), true), 10) << preset;
    EXPECT_GE(fit.accuracy, 0.6) << preset;
    const Matrix p = predict(fit, d.X).probability;
    EXPECT_LE((p.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12) << preset;
  }
}

TEST(Softmax, SeparableClassesStayFinite) {
  Matrix X(9, 1);
  X << -3, -2.9, -3.1, 0, 0.1, -0.1, 3, 2.9, 3.1;
  Vector y(9);
  y << 0, 0, 0, 1, 1, 1, 2, 2, 2;
  for (const char* preset : {"", "smlr", "rmlr", "slr_lap_ovr"}) {
    const SoftmaxFit fit = fit_softmax(X, y, *preset != 0 ? softmax_options_for_preset(preset) : SoftmaxOptions());
    EXPECT_TRUE(fit.mean.allFinite()) << preset;
    EXPECT_TRUE(predict(fit, X).probability.allFinite()) << preset;
  }
  SoftmaxOptions few = softmax_options_for_preset("smlr");
  few.max_sweeps = 2;
  const SoftmaxFit stopped = fit_softmax(X, y, few);
  EXPECT_EQ(stopped.report.status, Status::max_sweeps);
  ASSERT_EQ(stopped.report.warnings.size(), 1u);
  EXPECT_NE(stopped.report.warnings[0].find("separated"), std::string::npos);
}

// Of a fit without a posterior every column is still spoken of: what reads it looks at each.
TEST(Softmax, WithoutAPosteriorHasNumbersForEveryColumn) {
  Data d = make(31, 40, 4, 3);
  d.X.col(3) = d.X.col(0) + d.X.col(1);
  const SoftmaxFit fit = fit_softmax(d.X, d.y, with(Prior::none()));
  ASSERT_EQ(fit.report.status, Status::not_positive_definite);
  for (const Matrix* each : {&fit.mean, &fit.variance, &fit.relevance}) {
    ASSERT_EQ(each->rows(), 4);
    ASSERT_EQ(each->cols(), 3);
    EXPECT_TRUE(each->array().isNaN().all());
  }
  EXPECT_EQ(fit.precision, Matrix::Zero(4, 3));
  EXPECT_EQ(fit.relevant.size(), 4u);
  EXPECT_EQ(bound_scope(fit), BoundScope::nothing);
}

TEST(Softmax, AClassMayHaveOneRow) {
  Data d = make(7, 60, 4, 2);
  d.y[17] = 5;
  const SoftmaxFit fit = fit_softmax(d.X, d.y);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_EQ(fit.class_weight[2], 1);
  EXPECT_TRUE(fit.mean.allFinite() && fit.variance.allFinite());
  // The intercepts fit the frequencies of the rows and of half an observation of each class at the means.                     (SMX.12)
  const double at_means = predict(fit, Matrix(d.X.colwise().mean()), ClassRule::plug_in).probability(0, 2);
  EXPECT_NEAR(predict(fit, d.X, ClassRule::plug_in).probability.col(2).sum() + 1.5 * at_means, 1.5, 1e-6);
}

// Of many rows, those whose scores vary little are summed over few points: the same to five digits.                          (PASS.8)
TEST(Softmax, ManyRowsHaveTheLogLossOfTheirPredictions) {
  const Index n = 5200, C = 4;
  const Data d = make(31, n, 3, C);
  const SoftmaxFit fit = fit_softmax(d.X, d.y, with(Prior::shared()));
  const ClassProbabilities p = predict(fit, d.X);
  double loss = 0, correct = 0;
  for (Index i = 0; i < n; ++i) {
    const auto own = static_cast<Index>(d.y[i]);
    loss -= std::log(p.probability(i, own)) / static_cast<double>(n);
    if (p.most_probable[static_cast<std::size_t>(i)] == own) correct += 1 / static_cast<double>(n);
  }
  EXPECT_NEAR(fit.log_loss, loss, 1e-5);
  EXPECT_NE(fit.log_loss, loss);  // which would take many times as long
  EXPECT_NEAR(fit.accuracy, correct, 1e-3);
}

TEST(Softmax, NoiseAloneLeavesTheIntercepts) {
  Random random(8);
  const Matrix X = random.normals(300, 4);
  Vector y(300);
  for (double& label : y) label = static_cast<double>(random.integer(0, 2));
  const SoftmaxFit fit = fit_softmax(X, y, softmax_options_for_preset("smlr"));
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_LE((fit.variance.array() > 0).count(), 6);
  EXPECT_FALSE(fit.report.pruning.empty());
  const Matrix p = predict(fit, X, ClassRule::plug_in).probability;
  for (Index c = 0; c < 3; ++c) EXPECT_NEAR(p.col(c).mean(), fit.class_weight[c] / 300, 1e-7);
}

TEST(Softmax, ConstantColumnsTakeNoPart) {
  Data d = make(9, 80, 3, 3);
  d.X.col(1).setConstant(4);
  const SoftmaxFit fit = fit_softmax(d.X, d.y);
  EXPECT_TRUE(fit.left_out[1]);
  EXPECT_EQ(fit.mean.row(1).cwiseAbs().sum(), 0);
  EXPECT_FALSE(fit.relevant[1]);
  EXPECT_EQ(fit.report.status, Status::converged);
}

// In the user's units the intercept is the score at x = 0: mean and variance of the machine there, which has seen (x - mean)/largest.
TEST(Softmax, PublishedPairsHaveTheInterceptOfTheColumnsAsGiven) {
  Data d = make(12, 90, 4, 3);
  d.X.col(1).array() += 5;
  d.X.col(2).setConstant(7);
  SoftmaxOptions options = softmax_options_for_preset("slr_var_ovo", true);
  options.max_sweeps = 5;
  options.keep_covariance = Keep::always;
  const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
  EXPECT_EQ(fit.left_out, (std::vector<bool>{false, false, true, false}));
  Vector origin(5);
  for (Index j = 0; j < 4; ++j) {
    const double mean = d.X.col(j).mean(), largest = (d.X.col(j).array() - mean).abs().maxCoeff();
    origin[j] = j == 2 ? 0 : -mean / largest;
  }
  origin[4] = 1;
  for (Index k = 0; k < 3; ++k) {
    const Fit& machine = fit.machines[static_cast<std::size_t>(k)];
    EXPECT_NEAR(fit.intercept[k], origin.dot(machine.standardized_mean), 1e-12);
    EXPECT_NEAR(fit.intercept_variance[k], origin.dot(machine.covariance() * origin), 1e-12 * fit.intercept_variance[k]);
    EXPECT_GT(fit.intercept_variance[k], 2 * machine.intercept->variance);
  }
}

TEST(Softmax, AverageOfPairsIsTheMeanOfWhatTheySay) {  // (SMX.10)
  const Data d = make(31, 80, 3, 4);
  SoftmaxOptions options = with(Prior::shared());
  options.coding = ClassCoding::one_against_one;
  const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
  Matrix expected = Matrix::Zero(80, 4);
  Index pair = 0;
  for (Index low = 0; low < 4; ++low)
    for (Index high = low + 1; high < 4; ++high, ++pair) {
      LogisticFit machine;
      static_cast<Fit&>(machine) = fit.machines[static_cast<std::size_t>(pair)];
      const Vector p = predict(machine, d.X).probability;
      expected.col(high) += p / 6;
      expected.col(low) += (1 - p.array()).matrix() / 6;
    }
  const ClassProbabilities average = predict(fit, d.X, ClassRule::average), product = predict(fit, d.X);
  EXPECT_LE((average.probability - expected).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT((average.probability - product.probability).cwiseAbs().maxCoeff(), 0.05);
  options.coding = ClassCoding::one_against_rest;
  const SoftmaxFit rest = fit_softmax(d.X, d.y, options);
  expect_invalid([&] { static_cast<void>(predict(rest, d.X, ClassRule::average)); }, {"rule is average", "one-against-one"});
}

TEST(Softmax, BeginsWhereItIsTold) {
  const Data d = make(32, 150, 4, 3);
  for (const ClassCoding coding : {ClassCoding::softmax, ClassCoding::one_against_rest, ClassCoding::one_against_one}) {
    SoftmaxOptions options = with(coding == ClassCoding::softmax ? Prior::ard() : Prior::shared());
    options.coding = coding;
    options.precision_per_class = coding == ClassCoding::softmax;
    const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
    SoftmaxOptions again = options;
    for (Index c = 0; c < 3; ++c) {
      for (Index j = 0; j < 4; ++j) again.start_precision.push_back(fit.precision(j, c));
      again.start_precision.push_back(1);  // of the intercept, which has none
    }
    const SoftmaxFit other = fit_softmax(d.X, d.y, again);
    EXPECT_LT(other.report.sweeps, fit.report.sweeps) << to_string(coding);
    EXPECT_LE((other.mean - fit.mean).cwiseAbs().maxCoeff(), 2e-3) << to_string(coding);
    again.start_precision.pop_back();
    expect_invalid([&] { static_cast<void>(fit_softmax(d.X, d.y, again)); }, {"start_precision has 14 entries", "12", "15"});
    again.start_precision.assign(15, 1.0);
    again.start_precision[7] = -1;
    expect_invalid([&] { static_cast<void>(fit_softmax(d.X, d.y, again)); }, {"start_precision", "-1"});
  }
}

TEST(Softmax, SaysWhatIsWrong) {
  const Data d = make(10, 20, 2, 3);
  const auto fit_with = [&](const Vector& y, const SoftmaxOptions& options) { static_cast<void>(fit_softmax(d.X, y, options)); };
  expect_invalid([&] { fit_with(Vector::Ones(20), {}); }, {"only one class (1)"});
  SoftmaxOptions options;
  options.class_names = {"a", "b"};
  expect_invalid([&] { fit_with(d.y, options); }, {"is 2; class_names has 2 entries"});
  options = {};
  options.preset = "slr_lap";
  expect_invalid([&] { fit_with(d.y, options); }, {"'slr_lap' is not for several classes"});
  options = {};
  options.solver = SolverKind::spectral;
  expect_invalid([&] { fit_with(d.y, options); }, {"spectral", "primal or dual"});
  options = {};
  const Vector k = (d.y.array() != 1).cast<double>();
  options.weights = k;
  expect_invalid([&] { fit_with(d.y, options); }, {"class '1'", "weight zero"});
  options = {};
  options.prior = Prior::laplace(3);
  options.coding = ClassCoding::softmax;
  expect_invalid([&] { fit_with(d.y, options); }, {"'laplace'", "two classes"});
  expect_invalid([&] { static_cast<void>(fit_logistic(d.X, d.y, options_for_preset("smlr"))); }, {"smlr", "fit_softmax"});
  options = {};
  options.keep_covariance = Keep::never;
  const SoftmaxFit bare = fit_softmax(d.X, d.y, options);
  expect_invalid([&] { static_cast<void>(predict(bare, d.X)); }, {"keep_covariance"});
  EXPECT_NEAR(predict(bare, d.X, ClassRule::plug_in).probability.sum(), 20, 1e-9);
}

TEST(Softmax, ThatWasStoppedAmongItsRegressionsPredictsNothing) {
  const Data d = make(10, 30, 2, 3);
  SoftmaxOptions options = with(Prior::shared());
  options.on_sweep = [](const Progress& progress) { return progress.fit < 2; };
  for (const ClassCoding coding : {ClassCoding::one_against_rest, ClassCoding::one_against_one}) {
    options.coding = coding;
    const SoftmaxFit fit = fit_softmax(d.X, d.y, options);
    EXPECT_EQ(fit.report.status, Status::stopped_by_user);
    expect_invalid([&] { static_cast<void>(predict(fit, d.X)); }, {"2 of 3 logistic regressions", "stopped_by_user"});
  }
}

// Without a prior the likelihood of separable classes has no maximum, and a fit says so; its signs are still right.
TEST(FitSoftmax, SaysThatFlatColumnsSeparateTheClasses) {
  for (const Index C : {3, 4}) {
    Random random(31);
    const Matrix X = random.normals(60, 4);
    Vector y(60);
    for (Index i = 0; i < 60; ++i) {
      Index largest = 0;
      X.row(i).head(C).maxCoeff(&largest);
      y[i] = static_cast<double>(largest);
    }
    SoftmaxOptions options;
    options.prior = Prior::none();
    const SoftmaxFit fit = fit_softmax(X, y, options);
    EXPECT_EQ(fit.report.status, Status::separated) << fit.report.message;
    EXPECT_EQ(fit.report.warnings.size(), 1u);
    EXPECT_EQ(fit.accuracy, 1);
    EXPECT_LT(fit.log_loss, 1e-6);
    EXPECT_TRUE((fit.variance.array() == std::numeric_limits<double>::infinity()).all());
    const ClassProbabilities p = predict(fit, X);
    for (Index i = 0; i < 60; ++i) EXPECT_EQ(static_cast<double>(p.most_probable[static_cast<std::size_t>(i)]), y[i]);
    // Half of one class in the middle of the others: a maximum, and no complaint.
    for (Index i = 0; i < 60; i += 3) y[i] = static_cast<double>(i / 3 % C);
    const SoftmaxFit sound = fit_softmax(X, y, options);
    EXPECT_EQ(sound.report.status, Status::converged);
    EXPECT_TRUE(sound.variance.allFinite());
  }
}

}  // namespace
}  // namespace ardvark
