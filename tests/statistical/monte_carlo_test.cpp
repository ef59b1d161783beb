// The bound is what it is said to be: E_q[ln p(everything) - ln q], by sampling from the fit's own q, and never above the exact log
// evidence, by quadrature. Small problems, everything in the units of the data, from the public results of a fit alone.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark {
namespace {

constexpr double ln_2pi = 1.837877066409345483560659472811;

double log_gamma_density(double x, double shape, double rate) {
  return shape * std::log(rate) - std::lgamma(shape) + (shape - 1) * std::log(x) - rate * x;
}
double log_normal_density(double x, double variance) { return -0.5 * (ln_2pi + std::log(variance) + x * x / variance); }
double log_sigmoid(double x) { return x > 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x)); }
double jj_lambda(double xi) { return std::tanh(xi / 2) / (4 * xi); }

// ---- a small problem
// ----------------------------------------------------------------------------------------------------------------------

struct Problem {
  Matrix X;
  Vector y, t;  // a linear target; labels -1, 1

  Problem(std::uint64_t seed, Index n, Index p) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0, 1);
    X.resize(n, p);
    y.resize(n);
    t.resize(n);
    for (Index j = 0; j < p; ++j)
      for (Index i = 0; i < n; ++i) X(i, j) = (1 + static_cast<double>(j)) * normal(random) + 0.3;
    for (Index i = 0; i < n; ++i) {
      double mean = 0.4;
      for (Index j = 0; j < p; j += 2) mean += X(i, j) / (1 + static_cast<double>(j));  // every second column matters
      y[i] = mean + 0.5 * normal(random);
      t[i] = uniform(random) < 1 / (1 + std::exp(-mean)) ? 1 : -1;
    }
  }
};

// ---- E_q by sampling
// ----------------------------------------------------------------------------------------------------------------------

enum class Target { linear, exact_sigmoid, sigmoid_bound };

struct Case {
  std::string name;
  Target target;
  FitOptions options;
};

// What a fit's options say about the columns, in the units of the data.
struct PriorInWords {
  static constexpr Index flat = -1, fixed = -2;
  std::vector<Index> group;  // of each column, the intercept's last
  Vector precision;          // of fixed columns
  Vector scale;              // a coefficient times this is the one that the prior speaks of (but for the noise)
  double y_scale = 1;

  PriorInWords(const Problem& problem, const Case& c) {
    const FitOptions& o = c.options;
    const Index p = problem.X.cols();
    const double total = o.weights.empty() ? static_cast<double>(problem.X.rows()) : o.weights.eigen().sum();
    const Vector k = o.weights.empty() ? Vector::Ones(problem.X.rows()) : Vector(o.weights.eigen());
    const auto weighted_sd = [&](const Vector& v) {
      const double mean = k.dot(v) / total;
      return std::sqrt(k.dot((v.array() - mean).square().matrix()) / total);
    };
    precision = Vector::Zero(p + 1);
    scale = Vector::Ones(p + 1);
    for (Index j = 0; j < p; ++j) {
      const auto at = static_cast<std::size_t>(j);
      group.push_back(o.prior.kind == PriorKind::shared ? 0 : o.prior.kind == PriorKind::groups ? o.prior.group[at] : j);
      if (o.standardize) scale[j] = weighted_sd(problem.X.col(j));
    }
    for (Index j : o.prior.flat_columns) group[static_cast<std::size_t>(j)] = flat;
    for (std::size_t i = 0; i < o.prior.fixed_columns.size(); ++i) {
      group[static_cast<std::size_t>(o.prior.fixed_columns[i])] = fixed;
      precision[o.prior.fixed_columns[i]] = o.prior.fixed_precision[i];
    }
    if (o.intercept) group.push_back(flat);
    if (o.standardize && c.target == Target::linear) y_scale = weighted_sd(problem.y);
  }
  [[nodiscard]] Index num_groups() const {
    Index most = -1;
    for (Index g : group) most = std::max(most, g);
    return most + 1;
  }
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

struct Estimate {
  double mean = 0, standard_error = 0;
};

Estimate average(int samples, const std::function<double()>& draw) {
  double mean = 0, squares = 0;
  for (int i = 1; i <= samples; ++i) {
    const double value = draw(), step = value - mean;
    mean += step / i;
    squares += step * (value - mean);
  }
  return {mean, std::sqrt(squares / (samples - 1.0) / samples)};
}

// Jeffreys' prior of the share of a class, of the log odds at the means of the columns, as wide as 1/c.                         (SP.20)
double log_prior_of_intercept(double log_odds, double c) {
  return std::log(c / std::numbers::pi) + 0.5 * (log_sigmoid(c * log_odds) + log_sigmoid(-c * log_odds));
}

// Of at most 1 the c under which it is most probable in the mean, among many: near the best one all are as good.
double best_narrowing(const std::function<double(double c)>& expected) {
  double best = 1;
  for (double c = 1; c > 1e-3; c *= 0.998)
    if (expected(c) > expected(best)) best = c;
  return best;
}

double best_narrowing(double m, double s) {
  return best_narrowing([&](double c) {
    double sum = 0;
    for (double z = -8; z <= 8; z += 0.1) sum += 0.1 * std::exp(log_normal_density(z, 1)) * log_prior_of_intercept(m + std::sqrt(s) * z, c);
    return sum;
  });
}

// The log odds at the means of the columns under a fit.
struct AtTheMeans {
  double mean, variance;
  AtTheMeans(const LogisticFit& fit, const Matrix& X) {
    Vector x(X.cols() + 1);
    x << X.colwise().mean().transpose(), 1;
    mean = x.head(X.cols()).dot(fit.mean) + fit.intercept->mean;
    variance = x.dot(fit.covariance() * x);
  }
};

// E_q[ln p(y|w,tau) + ln p(w|tau,alpha) + ln p(alpha) + ln p(tau) - ln q(w|tau) - ln q(tau) - ln q(alpha)]
Estimate sampled_bound(const Problem& problem, const Case& c, const Fit& fit, int samples, std::uint64_t seed) {
  const FitOptions& o = c.options;
  const bool linear = c.target == Target::linear;
  const PriorInWords prior(problem, c);
  const auto d = static_cast<Index>(prior.group.size());
  const Index n = problem.X.rows();

  Vector mean(d);
  mean.head(fit.num_columns()) = fit.mean;
  Matrix X(n, d);
  X.leftCols(fit.num_columns()) = problem.X;
  if (o.intercept) {
    mean[d - 1] = fit.intercept->mean;
    X.col(d - 1).setOnes();
  }
  Matrix V = fit.covariance();
  if (linear) V *= (fit.noise.shape - 1) / fit.noise.rate;  // q(w|tau) = N(mean, V/tau)
  const Matrix root = V.llt().matrixL();
  const double log_det_root = root.diagonal().array().log().sum();
  const Vector m = X * mean, s = (X * V).cwiseProduct(X).rowwise().sum();
  const Vector total = o.weights.empty() ? Vector::Ones(n) : Vector(o.weights.eigen()), means = X.transpose() * total / total.sum();
  const bool proper = !linear && o.intercept && std::count(prior.group.begin(), prior.group.end(), PriorInWords::flat) == 1;
  const double of_intercept = std::sqrt(std::pow(means.dot(mean), 2) + means.dot(V * means));
  const bool is_exact = c.target == Target::exact_sigmoid;
  const double narrowing = !proper    ? 1
                           : is_exact ? best_narrowing(means.dot(mean), means.dot(V * means))
                                      : best_narrowing([&](double each) { return log_prior_of_intercept(of_intercept, each); });

  // q(alpha_g) = Gamma(c0 + |g|/2, rate), of mean E[alpha_g].
  std::vector<double> shape(static_cast<std::size_t>(prior.num_groups()), o.precision.shape), rate(shape.size());
  for (Index g : prior.group)
    if (g >= 0) shape[static_cast<std::size_t>(g)] += 0.5;
  for (std::size_t g = 0; g < shape.size(); ++g) rate[g] = shape[g] / fit.precision[static_cast<Index>(g)];

  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto draw_gamma = [&](double a, double b) { return std::gamma_distribution<double>(a, 1 / b)(random); };
  Vector z(d), w(d), alpha(static_cast<Index>(shape.size()));
  return average(samples, [&] {
    double tau = 1, sum = 0;
    if (linear) {
      tau = draw_gamma(fit.noise.shape, fit.noise.rate);
      const double scaled = tau * prior.y_scale * prior.y_scale;  // the prior speaks of the scaled target's precision
      sum += log_gamma_density(scaled, o.noise.shape, o.noise.rate) + 2 * std::log(prior.y_scale);
      sum -= log_gamma_density(tau, fit.noise.shape, fit.noise.rate);
    }
    for (std::size_t g = 0; g < shape.size(); ++g) {
      alpha[static_cast<Index>(g)] = draw_gamma(shape[g], rate[g]);
      sum += log_gamma_density(alpha[static_cast<Index>(g)], o.precision.shape, o.precision.rate);
      sum -= log_gamma_density(alpha[static_cast<Index>(g)], shape[g], rate[g]);
    }
    for (Index j = 0; j < d; ++j) z[j] = normal(random);
    w = mean + root * z / std::sqrt(tau);
    sum += 0.5 * z.squaredNorm() + 0.5 * static_cast<double>(d) * (ln_2pi - std::log(tau)) + log_det_root;  // - ln q(w|tau)
    for (Index j = 0; j < d; ++j) {
      const Index g = prior.group[static_cast<std::size_t>(j)];
      if (g == PriorInWords::flat) continue;  // a density of one
      const double a = g == PriorInWords::fixed ? prior.precision[j] : alpha[g];
      sum += log_normal_density(w[j], 1 / (tau * a * prior.scale[j] * prior.scale[j]));
    }
    if (const double x = means.dot(w); proper && is_exact)
      sum += log_prior_of_intercept(x, narrowing);
    else if (proper)  // its bound, from where it touches                                                                  (JJ.1), (JJ.3)
      sum += log_prior_of_intercept(of_intercept, narrowing) -
             jj_lambda(narrowing * of_intercept) * narrowing * narrowing * (x * x - of_intercept * of_intercept);
    for (Index i = 0; i < n; ++i) {
      const double x = X.row(i).dot(w), k = o.weights.empty() ? 1.0 : o.weights[i];
      if (linear) {
        sum += k * log_normal_density(problem.y[i] - x, 1 / tau);
      } else if (c.target == Target::exact_sigmoid) {
        sum += k * log_sigmoid(problem.t[i] * x);
      } else {  // the bound on the sigmoid at its best xi                                                                  (JJ.1), (JJ.3)
        const double xi = std::sqrt(m[i] * m[i] + s[i]);
        sum += k * (log_sigmoid(xi) + 0.5 * (problem.t[i] * x - xi) - jj_lambda(xi) * (x * x - xi * xi));
      }
    }
    return sum;
  });
}

std::vector<Case> sampled_cases() {
  static const Vector weights = (Vector(15) << 1, 2, 1, 1, 3, 1, 0.5, 1, 1, 2, 1, 1, 1, 4, 1).finished();
  FitOptions plain;
  plain.intercept = plain.standardize = false;
  plain.precision = {0.5, 0.2};
  plain.noise = {1, 0.5};
  plain.integrate_few_rows = false;  // the bound is that of the variational posterior
  FitOptions full = plain;
  full.intercept = full.standardize = true;
  const auto with = [](FitOptions o, const Prior& prior, int max_sweeps = 500) {
    o.prior = prior;
    o.max_sweeps = max_sweeps;
    return o;
  };
  const auto weighted = [](FitOptions o) {
    o.weights = weights;
    return o;
  };
  const Prior mixed = Prior::groups({0, 0, 1, 1}).flat({1}).fixed({2}, 2.5);
  std::vector<Case> all;
  for (const auto& [name, preset] : {std::pair{"LinearPresetShared", "vb_linear_fit"}, {"LinearPresetArd", "vb_linear_fit_ard"}}) {
    all.push_back({name, Target::linear, options_for_preset(preset)});
    FitOptions short_of_it = options_for_preset(preset);
    short_of_it.max_sweeps = 1;
    all.push_back({std::string(name) + "OneSweep", Target::linear, short_of_it});
  }
  const auto add = [&](const std::string& name, Target target) {
    all.push_back({name + "Shared", target, with(plain, Prior::shared())});
    all.push_back({name + "ArdScaled", target, with(full, Prior::ard())});
    all.push_back({name + "ArdScaledTwoSweeps", target, with(full, Prior::ard(), 2)});
    all.push_back({name + "MixedScaled", target, with(full, mixed)});
    all.push_back({name + "MixedWeighted", target, weighted(with(full, mixed))});
    if (target == Target::sigmoid_bound)
      for (auto it = all.end() - 5; it != all.end(); ++it) it->options.likelihood = LogisticLikelihood::bound;
  };
  add("Linear", Target::linear);
  add("LogisticGaussian", Target::exact_sigmoid);
  add("LogisticBound", Target::sigmoid_bound);
  return all;
}

class BoundBySampling : public ::testing::TestWithParam<Case> {};

// 5 standard errors: a false alarm has probability 6e-7 a case, 1e-5 for all of them. Seeds 21 and 22.
TEST_P(BoundBySampling, AgreesWithTheBoundOfTheFit) {
  const Case& c = GetParam();
  const Problem problem(21, 15, 4);
  Fit fit;
  if (c.target == Target::linear)
    fit = fit_linear(problem.X, problem.y, c.options);
  else
    fit = fit_logistic(problem.X, problem.t, c.options);
  ASSERT_TRUE(fit.report.status == Status::converged || fit.report.status == Status::max_sweeps) << fit.report.message;
  const Estimate estimate = sampled_bound(problem, c, fit, 200000, 22);
  EXPECT_LT(estimate.standard_error, 0.01);
  EXPECT_LE(std::abs(fit.bound - estimate.mean), 5 * estimate.standard_error)
      << "bound " << fit.bound << ", sampled " << estimate.mean << " +- " << estimate.standard_error;
}
INSTANTIATE_TEST_SUITE_P(Small, BoundBySampling, ::testing::ValuesIn(sampled_cases()), [](const auto& each) { return each.param.name; });

// ---- the exact evidence
// -------------------------------------------------------------------------------------------------------------------

// ln of sum of e^terms
class LogSum {
 public:
  void add(double term) {
    if (term > largest_) {
      sum_ = sum_ * std::exp(largest_ - term) + 1;
      largest_ = term;
    } else {
      sum_ += std::exp(term - largest_);
    }
  }
  [[nodiscard]] double value() const { return largest_ + std::log(sum_); }

 private:
  double largest_ = -1e300, sum_ = 0;
};

// ln p(y | alpha) of a linear model: y is N(0, C/tau), C = I + X A^-1 X', and tau is integrated out.
double log_evidence_given(const Problem& problem, const FitOptions& o, const Vector& alpha) {
  const Index n = problem.X.rows();
  const Matrix C = Matrix::Identity(n, n) + problem.X * alpha.cwiseInverse().asDiagonal() * problem.X.transpose();
  const Eigen::LLT<Matrix> factor(C);
  const double log_det = 2 * Matrix(factor.matrixL()).diagonal().array().log().sum();
  const double shape = o.noise.shape + 0.5 * static_cast<double>(n), rate = o.noise.rate + 0.5 * problem.y.dot(factor.solve(problem.y));
  return std::lgamma(shape) - std::lgamma(o.noise.shape) + o.noise.shape * std::log(o.noise.rate) - shape * std::log(rate) -
         0.5 * static_cast<double>(n) * ln_2pi - 0.5 * log_det;
}

// The trapezoid rule in u = ln alpha. The integrands are analytic for |Im u| < pi/2 and fall off at both ends (as e^(u/2) at least to the
// left, as e^(-rate e^u) to the right), so a step of 0.25 errs by the order of e^(-pi^2/0.25) = 1e-17, and [-90, 20] cuts off e^-40 of the
// rest.
constexpr double alpha_step = 0.25, alpha_first = -90, alpha_last = 20;

double linear_evidence(const Problem& problem, const FitOptions& o) {
  const Index p = problem.X.cols();
  const bool two = p == 2 && o.prior.kind == PriorKind::ard;
  const auto log_prior = [&](double u) {
    return log_gamma_density(std::exp(u), o.precision.shape, o.precision.rate) + u + std::log(alpha_step);
  };
  LogSum sum;
  for (double u = alpha_first; u <= alpha_last; u += alpha_step) {
    if (!two) {
      sum.add(log_prior(u) + log_evidence_given(problem, o, Vector::Constant(p, std::exp(u))));
      continue;
    }
    for (double v = alpha_first; v <= alpha_last; v += alpha_step)
      sum.add(log_prior(u) + log_prior(v) + log_evidence_given(problem, o, (Vector(2) << std::exp(u), std::exp(v)).finished()));
  }
  return sum.value();
}

// ln of the prior of the coefficients that share one precision, alpha integrated out.
double log_coefficient_prior(double square, int count, const GammaDistribution& hyper) {
  const double shape = hyper.shape + 0.5 * count;
  return hyper.shape * std::log(hyper.rate) - std::lgamma(hyper.shape) - 0.5 * count * ln_2pi + std::lgamma(shape) -
         shape * std::log(hyper.rate + 0.5 * square);
}

// The trapezoid rule in u, w = c sinh(u), in one to three dimensions: fine near 0, where the prior has a peak of width sqrt(2 rate), and
// coarse far out, where the likelihood falls off exponentially. The intercept comes last.
/// \param narrowing  of the prior of the intercept; none: there is no intercept
double logistic_evidence(const Problem& problem, const FitOptions& o, std::optional<double> narrowing) {
  const bool intercept = narrowing.has_value();
  const Index n = problem.X.rows(), p = problem.X.cols(), d = p + (intercept ? 1 : 0);
  const double step = d == 3 ? 0.2 : 0.05, c = std::sqrt(2 * o.precision.rate), reach = std::asinh(200 / c);
  std::vector<double> at, log_weight;
  for (double u = -reach; u <= reach; u += step) {
    at.push_back(c * std::sinh(u));
    log_weight.push_back(std::log(step * c * std::cosh(u)));
  }
  Vector w(d);
  LogSum sum;
  const std::function<void(Index, double, const Vector&)> nest = [&](Index j, double log_volume, const Vector& log_odds) {
    if (j == d) {
      double term = log_volume;
      if (!o.prior.fixed_columns.empty())
        for (Index i = 0; i < p; ++i) term += log_normal_density(w[i], 1 / o.prior.fixed_precision[static_cast<std::size_t>(i)]);
      else if (o.prior.kind == PriorKind::shared)
        term += log_coefficient_prior(w.head(p).squaredNorm(), static_cast<int>(p), o.precision);
      else
        for (Index i = 0; i < p; ++i) term += log_coefficient_prior(w[i] * w[i], 1, o.precision);
      for (Index i = 0; i < n; ++i) term += log_sigmoid(problem.t[i] * log_odds[i]);
      if (intercept) term += log_prior_of_intercept(log_odds.mean(), *narrowing);
      sum.add(term);
      return;
    }
    for (std::size_t i = 0; i < at.size(); ++i) {
      w[j] = at[i];
      nest(j + 1, log_volume + log_weight[i], j < p ? Vector(log_odds + at[i] * problem.X.col(j)) : Vector(log_odds.array() + at[i]));
    }
  };
  nest(0, 0, Vector::Zero(n));
  return sum.value();
}

struct EvidenceCase {
  std::string name;
  Index p;
  Prior prior;
  GammaDistribution precision;
  bool intercept = false;

  [[nodiscard]] FitOptions options() const {
    FitOptions o;
    o.standardize = false;
    o.intercept = intercept;
    o.prior = prior;
    o.precision = precision;
    o.noise = {1e-2, 1e-4};  // the evidence below needs its numbers
    o.tolerance = 1e-12;
    return o;
  }
};

void PrintTo(const EvidenceCase& c, std::ostream* out) { *out << c.name; }

// The published hyper-prior is nearly flat in ln alpha up to a precision of 1e4: with so few rows the exact posterior then has two lumps
// for each precision, the column in use and the column at zero, and q can have only one of them. Missing half of the mass costs ln 2 nats.
const GammaDistribution published = {1e-2, 1e-4}, informative = {1, 0.5};

double allowed_gap(const EvidenceCase& c) {
  if (!c.prior.fixed_columns.empty()) return 0.05;  // q(w) alone is approximate
  return c.precision.shape < 1 ? 1.5 : 0.35;
}

class LinearEvidence : public ::testing::TestWithParam<EvidenceCase> {};

// Gaps here: 0.1 nats with the informative hyper-prior; 0.1 (one column), 0.4 (two, shared) and 0.7 (two, ARD) with the published one.
TEST_P(LinearEvidence, IsNotExceededAndNearlyReached) {
  const EvidenceCase& c = GetParam();
  const Problem problem(23, 12, c.p);
  const LinearFit fit = fit_linear(problem.X, problem.y, c.options());
  const double gap = linear_evidence(problem, c.options()) - fit.bound;
  RecordProperty("gap_in_nats", std::to_string(gap));
  EXPECT_GE(gap, -1e-9);
  EXPECT_LE(gap, allowed_gap(c));
}
INSTANTIATE_TEST_SUITE_P(Small, LinearEvidence,
                         ::testing::Values(EvidenceCase{"OnePublished", 1, Prior::shared(), published},
                                           EvidenceCase{"OneInformative", 1, Prior::shared(), informative},
                                           EvidenceCase{"TwoSharedPublished", 2, Prior::shared(), published},
                                           EvidenceCase{"TwoSharedInformative", 2, Prior::shared(), informative},
                                           EvidenceCase{"TwoArdPublished", 2, Prior::ard(), published},
                                           EvidenceCase{"TwoArdInformative", 2, Prior::ard(), informative}),
                         [](const auto& each) { return each.param.name; });

// With every precision given, q is the exact posterior and the bound the evidence.
TEST(LinearEvidenceOfFixedPrecisions, IsTheBound) {
  const Problem problem(24, 12, 3);
  FitOptions options;
  options.intercept = options.standardize = false;
  options.noise = {2, 3};
  const Vector alpha = (Vector(3) << 0.3, 2, 40).finished();
  options.prior = Prior::none().fixed({0}, alpha[0]).fixed({1}, alpha[1]).fixed({2}, alpha[2]);
  const LinearFit fit = fit_linear(problem.X, problem.y, options);
  EXPECT_NEAR(fit.bound, log_evidence_given(problem, options, alpha), 1e-10 * std::abs(fit.bound));
}

class LogisticEvidence : public ::testing::TestWithParam<EvidenceCase> {};

// Gaps here, Gaussian posterior and Jaakkola-Jordan: 0.02 and 0.3 nats at fixed precisions; 0.1 to 0.3 and 0.3 to 0.7 with the informative
// hyper-prior; 0.2 to 1.3 and 0.7 to 1.3 with the published one.
TEST_P(LogisticEvidence, IsNotExceededAndTheGaussianPosteriorIsNearer) {
  const EvidenceCase& c = GetParam();
  const Problem problem(25, 20, c.p);
  FitOptions options = c.options();
  const LogisticFit fit = fit_logistic(problem.X, problem.t, options);
  const double gaussian = fit.bound;
  std::optional<double> narrowing;
  if (c.intercept) {
    const AtTheMeans b(fit, problem.X);
    narrowing = best_narrowing(b.mean, b.variance);
  }
  options.likelihood = LogisticLikelihood::bound;
  const double jaakkola_jordan = fit_logistic(problem.X, problem.t, options).bound;
  const double evidence = logistic_evidence(problem, options, narrowing);
  RecordProperty("gap_gaussian_in_nats", std::to_string(evidence - gaussian));
  RecordProperty("gap_bound_in_nats", std::to_string(evidence - jaakkola_jordan));
  EXPECT_GE(evidence - gaussian, -7e-9 * 20);  // the error of E softplus, for 20 rows
  EXPECT_GE(gaussian, jaakkola_jordan);
  EXPECT_LE(evidence - gaussian, allowed_gap(c));
  EXPECT_LE(evidence - jaakkola_jordan, allowed_gap(c) + 0.5);
}
INSTANTIATE_TEST_SUITE_P(Small, LogisticEvidence,
                         ::testing::Values(EvidenceCase{"OnePublished", 1, Prior::ard(), published},
                                           EvidenceCase{"OneInformative", 1, Prior::ard(), informative},
                                           EvidenceCase{"OneFixed", 1, Prior::none().fixed({0}, 0.5), informative},
                                           EvidenceCase{"OneAndIntercept", 1, Prior::ard(), informative, true},
                                           EvidenceCase{"TwoSharedPublished", 2, Prior::shared(), published},
                                           EvidenceCase{"TwoSharedInformative", 2, Prior::shared(), informative},
                                           EvidenceCase{"TwoArdPublished", 2, Prior::ard(), published},
                                           EvidenceCase{"TwoArdInformative", 2, Prior::ard(), informative},
                                           EvidenceCase{"TwoFixed", 2, Prior::none().fixed({0, 1}, 0.5), informative},
                                           EvidenceCase{"TwoAndIntercept", 2, Prior::ard(), informative, true}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace ardvark
