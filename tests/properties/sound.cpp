// Results are finite, in range, and correct for the rows that they describe.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <set>

#include "invariance.hpp"

namespace ardvark::testing {
namespace {

// With few degrees of freedom nu, Student's t has P(|t| > x) = x^-nu to the leading order, so that its quantile is (1 - level)^(-1/nu). Its
// product with a scale may exceed the largest number, 1e308.
bool has_huge_quantiles(double degrees_of_freedom, double level) { return -std::log10(1 - level) / degrees_of_freedom > 280; }

// Results that may be infinite or absent according to their documentation; they are null in JSON.
bool may_be_null(const Subject& subject, const std::string& name) {
  static const std::set<std::string> always = {
      "precision",         "preset", "target", "relevance_rows", "covariance",
      "precision_history", "noise"};  // with one row, the interval of the noise may have no upper end
  if (always.contains(name)) return true;
  if (name.starts_with("khat")) return true;  // cannot be computed if the draws have no information about the tail             (KHAT.1)
  if (name == "log_det_V")                    // of a mixture it is not computed
    return subject.model->softmax() || (subject.is_linear_score() && (subject.fit().sparse || subject.fit().completed_tables > 0));
  if (name == "odds_ratio" || name == "rate_ratio") return subject.fit().mean.maxCoeff() > std::log(std::numeric_limits<double>::max());
  // A softmax without a maximum has the coefficients of the last sweep, and no covariance.
  if (subject.model->softmax() && subject.report().status == Status::separated) return name != "mean" && name != "classes";
  if (name == "bound" || name == "starts") return name == "starts";
  if (const KernelFit* process = subject.model->process())  // an input that does not vary has an infinite width
    return (name == "hypotheses" || name == "machines") && process->input_scale.minCoeff() == 0;
  if (!subject.is_regression() || !subject.is_linear_score()) return name == "degrees_of_freedom" && subject.is_regression();
  // A Student-t of at most two degrees of freedom has no variance, and an interval has no end that is a number if they are tiny.
  const double degrees = subject.fit().degrees_of_freedom();
  if (name == "degrees_of_freedom") return std::isinf(degrees);  // a normal distribution
  if (name == "variance" || name == "sd" || name == "intercept") return degrees <= 2;
  return name == "interval" && has_huge_quantiles(degrees, subject.prepared.options.level);
}

std::string first_null(const Json& json, const std::string& at) {
  if (json.is_null()) return at;
  if (json.is_object() || json.is_array())
    for (const auto& [name, value] : json.items()) {
      const std::string place = first_null(value, at + "." + name);
      if (!place.empty()) return place;
    }
  return "";
}

std::string out_of_range(const char* name, double value, double low, double high) {
  return value >= low && value <= high ? "" : fmt::format("{} is {}, not in [{}, {}]", name, value, low, high);
}

std::string check_sparse(const SparseResult& sparse) {
  for (const double q : sparse.inclusion)
    if (auto place = out_of_range("an inclusion", q, 0, 1); !place.empty()) return place;
  if (auto place = out_of_range("dense_fraction", sparse.dense_fraction, 0, 1); !place.empty()) return place;
  double total = 0;
  for (const SparseStart& start : sparse.starts) {
    if (auto place = out_of_range("the weight of a start", start.weight, 0, 1); !place.empty()) return place;
    total += start.weight;
  }
  if (!(std::abs(total - 1) <= 1e-12)) return fmt::format("the weights of the starts sum to {}", total);
  for (const CredibleSet& set : sparse.sets)
    for (const double q : set.probability)
      if (auto place = out_of_range("a probability in a credible set", q, 0, 1); !place.empty()) return place;
  return "";
}

std::string check_fit(const Fit& fit) {
  for (Index j = 0; j < fit.num_columns(); ++j) {
    if (!(fit.variance[j] >= 0)) return fmt::format("the variance of column {} is {}", j + 1, fit.variance[j]);
    if (auto place = out_of_range("a relevance", fit.relevance[j], 0, 1); !place.empty()) return place;
    if (fit.left_out[static_cast<std::size_t>(j)] && (fit.mean[j] != 0 || fit.variance[j] != 0))
      return fmt::format("column {} was left out, but has a mean or a variance", j + 1);
  }
  if (fit.intercept && !(fit.intercept->variance >= 0)) return fmt::format("the variance of the intercept is {}", fit.intercept->variance);
  if (fit.task == Task::linear && !(fit.noise.shape > 0 && fit.noise.rate > 0))
    return fmt::format("the posterior of the noise precision is Gamma({}, {})", fit.noise.shape, fit.noise.rate);
  return fit.sparse ? check_sparse(*fit.sparse) : "";
}

std::string check_probabilities(const Json& prediction) {
  for (const Json& row : prediction.at("probability")) {
    double total = 0;
    for (const Json& p : row) {
      if (p.is_null()) return "a probability is not a number";
      if (auto place = out_of_range("a probability", p.get<double>(), 0, 1); !place.empty()) return place;
      total += p.get<double>();
    }
    if (!(std::abs(total - 1) <= 1e-12)) return fmt::format("the probabilities of a row sum to {:.17g}", total);
  }
  return "";
}

double weight(const Subject& subject, Index i);

// The largest eigenvalue of the correlations of the columns, divided by the smallest one that the fit uses.                     (SP.2)
double condition_of_gram(const Subject& subject) {
  const Matrix& X = subject.prepared.X;
  Matrix scaled = X.rowwise() - (subject.fit().intercept ? 1.0 : 0.0) * X.colwise().mean();
  for (Index j = 0; j < X.cols(); ++j)
    if (const double size = scaled.col(j).norm(); size > 0) scaled.col(j) /= size;
  const Vector l = Eigen::SelfAdjointEigenSolver<Matrix>(scaled.transpose() * scaled, Eigen::EigenvaluesOnly).eigenvalues();
  const double largest = l[l.size() - 1];
  double least = largest;
  for (const double value : l)
    if (value > 1e-12 * largest) least = std::min(least, value);
  return largest > 0 ? largest / least : 1;
}

double variance_of_target(const Subject& subject) {
  double total = 0, mean = 0, square = 0;
  for (Index i = 0; i < subject.problem.rows(); ++i) total += weight(subject, i), mean += weight(subject, i) * subject.prepared.target[i];
  mean = subject.fit().intercept ? mean / total : 0;
  for (Index i = 0; i < subject.problem.rows(); ++i) square += weight(subject, i) * std::pow(subject.prepared.target[i] - mean, 2);
  return square / total;
}

// Far from the data, a count may be beyond the range of numbers.
bool has_huge_counts(const Json& prediction) {
  if (!prediction.contains("log_mean")) return false;
  const auto m = prediction.at("log_mean").get<std::vector<double>>(), s = prediction.at("log_variance").get<std::vector<double>>();
  for (std::size_t i = 0; i < m.size(); ++i)
    if (m[i] + std::max(s[i], 5 * std::sqrt(s[i])) > 700) return true;
  return false;
}

double weight(const Subject& subject, Index i) { return subject.problem.weights.size() > 0 ? subject.problem.weights[i] : 1; }

}  // namespace

Verdict results_are_sound(const Subject& subject) {
  if (!subject.model)
    return subject.refusal.size() > 10 ? says_nothing() : fails("the message of the refusal is too short: '" + subject.refusal + "'");
  const Report& report = subject.report();
  if (report.status == Status::failed || report.message.empty())
    return fails(fmt::format("the status is {}: '{}'", to_string(report.status), report.message));
  if (!subject.has_posterior())
    return report.status == Status::converged ? fails("the status is converged, but there is no posterior") : says_nothing();
  const Json json = json_of(*subject.model, subject.keeps_covariance());
  for (const auto& [name, value] : json.items())
    if (const std::string at = first_null(value, name); !at.empty() && !may_be_null(subject, name)) return fails(at + " is not finite");
  std::string place;
  if (subject.is_linear_score()) place = check_fit(subject.fit());
  if (place.empty() && json.contains("accuracy")) place = out_of_range("accuracy", json.at("accuracy").get<double>(), 0, 1);
  if (place.empty() && json.contains("log_loss")) place = out_of_range("log_loss", json.at("log_loss").get<double>(), 0, 1e300);
  if (place.empty() && json.contains("r_squared")) place = out_of_range("r_squared", json.at("r_squared").get<double>(), -1e300, 1);
  if (!place.empty()) return fails(place);
  if (!subject.keeps_covariance()) return holds();
  const Matrix& X = subject.prepared.X;
  for (const Matrix& rows : {X, new_rows(subject)}) {
    const Json prediction = json_of(predict(*subject.model, rows), *subject.model);
    if (subject.is_classification()) place = check_probabilities(prediction);
    if (!place.empty()) return fails(place);
    for (const auto& [name, value] : prediction.items()) {
      const bool mixture = subject.model->process() && (name == "scale" || name == "degrees_of_freedom");  // no such number
      const bool huge = (name == "lower" || name == "upper") && subject.is_linear_score() && subject.is_regression() &&
                        has_huge_quantiles(subject.fit().degrees_of_freedom(), 0.95);
      const bool huge_count = (name == "mean" || name == "sd" || name == "lower" || name == "upper") && has_huge_counts(prediction);
      const bool infinite = mixture || huge || huge_count || ((name == "sd" || name == "degrees_of_freedom") && subject.is_regression());
      if (const std::string at = first_null(value, name); !at.empty() && !infinite) return fails("prediction: " + at + " is not finite");
    }
  }
  return holds();
}

Verdict derived_numbers_are_sound(const Subject& subject) {
  if (!subject.has_posterior() || !subject.is_linear_score()) return says_nothing();
  const Fit& fit = subject.fit();
  std::string place =
      out_of_range("effective_parameters", fit.effective_parameters, 0, static_cast<double>(fit.num_columns() + 1) * (1 + 1e-12));
  if (fit.sparse)
    for (const CredibleSet& set : fit.sparse->sets)
      if (place.empty()) place = out_of_range("the inclusion of a credible set", set.inclusion, 0, 1);
  return place.empty() ? holds() : fails(place);
}

// The documentation promises a rising bound only for full variational Bayes of one linear score. Other rules and approximations need not
// raise the bound.
Verdict bound_rises(const Subject& subject) {
  if (!subject.is_linear_score()) return says_nothing();
  const Fit& fit = subject.fit();
  const ModelOptions& options = subject.prepared.options;
  const std::string preset = options.preset;
  const bool vb = options.update_rule == "vb" && !options.prune_at;
  const bool published = preset.starts_with("vb_l") || preset.starts_with("vrvm");
  if (!vb || (!preset.empty() && !published) || options.compat || preset == "vb_logit_fit_iter") return says_nothing();
  if (fit.sparse && fit.task == Task::logistic) return says_nothing();  // (SL.6)
  if (fit.task == Task::logistic && fit.likelihood == LogisticLikelihood::laplace && fit.prior != PriorKind::laplace) return says_nothing();
  const std::vector<double>& history = fit.report.bound_history;
  if (static_cast<int>(history.size()) != fit.report.sweeps)
    return fails(fmt::format("there are {} sweeps, but {} bounds", fit.report.sweeps, history.size()));
  // If there is almost no noise, the squares of the residuals are differences of numbers that are larger by a factor of 1/s^2.  (BOUND.5)
  double magnified = 0;
  double rounding = allowed_gain(subject) - promised_gain(subject);
  if (fit.sparse && fit.task != Task::linear) rounding = std::max(rounding, 1e-5);  // a smaller fall does not count     (SL.6)
  if (fit.sparse && fit.task == Task::linear)
    for (const SparseStart& start : fit.sparse->starts)
      magnified = std::max(magnified, fit.num_rows * variance_of_target(subject) / (start.noise_sd * start.noise_sd));
  for (std::size_t i = 1; i < history.size(); ++i)
    if (!(history[i] >= history[i - 1] - 1e-9 * (1 + std::abs(history[i]) + fit.num_rows) - 1e-15 * magnified - rounding))
      return fails(fmt::format("the bound falls by {} in sweep {} of {}, from {}", history[i - 1] - history[i], i + 1, history.size(),
                               history[i - 1]));
  return holds();
}

namespace {

// The deviance of the training rows from the means of predict().                                                     (POIS.5), (POIS.8)
Verdict counts_are_described(const Subject& subject, const Json& json, const Json& prediction) {
  const Vector& y = subject.prepared.target;
  const Fit& fit = subject.fit();
  const auto exposure = [&](Index i) {
    if (fit.offset_column) return std::exp(subject.prepared.X(i, *fit.offset_column));
    return fit.exposure ? subject.prepared.X(i, *fit.exposure) : 1.0;
  };
  double rows = 0, counted = 0, exposed = 0, found = 0, constant = 0, doubt = 0;
  for (Index i = 0; i < y.size(); ++i)
    rows += weight(subject, i), counted += weight(subject, i) * y[i], exposed += weight(subject, i) * exposure(i);
  const double dispersion = fit.family.dispersion;  // (NB.7)
  const auto deviance = [dispersion](double count, double mu) {
    const double of_ratio = count > 0 ? count * std::log(count / mu) : 0.0;
    if (dispersion == 0) return 2 * (of_ratio - (count - mu));
    return 2 * (of_ratio - (count + 1 / dispersion) * std::log((1 + dispersion * count) / (1 + dispersion * mu)));
  };
  // predict() and the fit compute x'Vx by two different sums. Some rows have no variance, where infinity would be no number.
  const double of_V = std::min(1e-15 + rounding_of_condition(subject), 1e100);
  for (Index i = 0; i < y.size(); ++i) {
    const double mu = prediction.at("mean")[static_cast<std::size_t>(i)].get<double>(), k = weight(subject, i);
    found += k * deviance(y[i], mu);
    constant += k * deviance(y[i], counted / exposed * exposure(i));
    doubt += k * std::abs(mu - y[i]) * of_V * variance_before(subject, size_of(subject, subject.prepared.X.row(i).transpose())) +
             1e-12 * k * (mu + y[i]) * (1 + std::abs(std::log(std::max(mu, 1e-300))));  // a mean may be 0
  }
  const double given = json.at("deviance").get<double>(), explained = json.at("deviance_explained").get<double>();
  if (!(std::abs(given - found / rows) <= 1e-9 * (1 + found / rows) + doubt / rows))
    return fails(fmt::format("deviance is {}, by hand {}", given, found / rows));
  if (constant > 1e-9 * counted && !(std::abs(explained - (1 - found / constant)) <= 1e-9 * (1 + found / constant) + doubt / constant))
    return fails(fmt::format("deviance_explained is {}, by hand {}", explained, 1 - found / constant));
  return holds();
}

}  // namespace

Verdict rows_are_described(const Subject& subject) {
  if (!subject.has_posterior() || !subject.keeps_covariance()) return says_nothing();
  const Json json = json_of(*subject.model, false), prediction = json_of(predict(*subject.model, subject.prepared.X), *subject.model);
  if (json.contains("deviance")) return counts_are_described(subject, json, prediction);
  const Vector& target = subject.prepared.target;
  double total = 0, loss = 0, correct = 0, centre = 0, around = 0, residual = 0;
  for (Index i = 0; i < target.size(); ++i) total += weight(subject, i), centre += weight(subject, i) * target[i];
  // Without an intercept, R^2 is relative to the sum of squares about zero, as everywhere in the library.
  const bool constant = subject.is_linear_score() ? subject.fit().intercept.has_value() : true;
  centre = constant ? centre / total : 0;
  if (!(std::abs(json.at("num_rows").get<double>() - total) <= 1e-12 * total))
    return fails(fmt::format("num_rows is {}, the weights sum to {}", json.at("num_rows").get<double>(), total));
  std::set<double> values(target.begin(), target.end());
  if (subject.problem.weights.size() > 0) {
    values.clear();
    for (Index i = 0; i < target.size(); ++i)
      if (weight(subject, i) > 0) values.insert(target[i]);
  }
  // The fit and predict() compute x'Vx by two different sums. -ln p changes by at most half of their difference.
  const double of_V = subject.is_linear_score() && !subject.is_regression() ? 1e-15 + rounding_of_condition(subject) : 0;
  double worst = 0, doubt = 0;
  for (Index i = 0; i < target.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double k = weight(subject, i);
    if (k == 0) continue;
    if (subject.is_regression()) {
      const double m = prediction.at("mean")[row].get<double>();
      residual += k * (target[i] - m) * (target[i] - m);
      around += k * (target[i] - centre) * (target[i] - centre);
      continue;
    }
    if (subject.is_linear_score()) {
      const double before = variance_before(subject, size_of(subject, subject.prepared.X.row(i).transpose()));
      if (before > 0) doubt += 0.5 * k * of_V * before;
    }
    const auto c = static_cast<std::size_t>(std::distance(values.begin(), values.find(target[i])));
    const Json& p = prediction.at("probability")[row];
    if (p.size() != values.size()) return says_nothing();  // there is only one class
    double others = 0;
    for (std::size_t other = 0; other < p.size(); ++other)
      if (other != c) others = std::max(others, p[other].get<double>());
    loss -= k * std::log(std::max(p[c].get<double>(), 1e-300));
    worst = std::max(worst, -std::log(std::max(p[c].get<double>(), 1e-300)));
    const double own = p[c].get<double>();
    correct += std::abs(own - others) < 1e-8 ? std::nan("") : own > others ? k : 0;  // ties, up to the error of (PRED.2), are not checked
  }
  if (subject.is_regression()) {
    const double by_hand = around > 0 ? 1 - residual / around : 0, given = json.at("r_squared").get<double>();
    double rounding = 1e-9 * (1 + std::abs(by_hand));
    if (subject.is_linear_score() && subject.fit().sparse) {  // directions below 1e-12 of the largest eigenvalue are not used  (SP.2)
      const Vector& w = subject.fit().standardized_mean;
      const double unseen = 1e-6 * std::sqrt(static_cast<double>(w.size())) * w.norm();
      rounding += 2 * unseen * std::sqrt(std::max(1 - by_hand, 0.0)) + unseen * unseen;
      rounding += 4 * std::numeric_limits<double>::epsilon() * condition_of_gram(subject);  // rounding of y~ along a direction
    }
    const double far = centre * centre / (around / total + 1e-300);  // digits are lost if the target is far from zero
    if (around > 0 && far < 1e6 && !(std::abs(given - by_hand) <= rounding))
      return fails(fmt::format("r_squared is {}, by hand {}", given, by_hand));
    return holds();
  }
  // Both have an error of 2.2e-9 in p (PRED.2), which -ln p multiplies by 1/p. The fit uses -E softplus if this is higher (VG.3), with an
  // error of 8.2e-9.
  const double given = json.at("log_loss").get<double>(), by_hand = loss / total;
  const double rounding = 1e-9 * (1 + by_hand) + 4.4e-9 * std::exp(std::min(worst, 600.0)) + 8.2e-9 + doubt / total;
  if (!(std::abs(given - by_hand) <= rounding)) return fails(fmt::format("log_loss is {}, by hand {}", given, by_hand));
  if (std::isfinite(correct) && !(std::abs(json.at("accuracy").get<double>() - correct / total) <= 1e-12))
    return fails(fmt::format("accuracy is {}, by hand {}", json.at("accuracy").get<double>(), correct / total));
  return holds();
}

}  // namespace ardvark::testing
