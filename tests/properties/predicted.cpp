// Predictions computed by hand from the results: mean, intercept, covariance, noise, components, relevance vectors and kernel.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ardvark/counts.hpp"
#include "model/components.hpp"
#include "property.hpp"
#include "support/plain.hpp"

namespace ardvark::testing {

using namespace internal;

Vector size_of(const Subject& subject, const Vector& x) {
  Vector size = x.cwiseAbs();
  if (subject.fit().intercept) size.head(subject.prepared.X.cols()) += subject.prepared.X.colwise().mean().cwiseAbs().transpose();
  return size;
}

// sum_j x_j^2/a_j: with more columns than rows, x'Vx is the difference of this prior variance and the information of the rows. A column of
// relevance r has V_jj = (1 - r)/a_j. (RIDGE.5) For a sparse prior, the prior variance is that of slab and dense part; their widths are in
// units of the target per standard deviation of the column. (SP.6)
double variance_before(const Subject& subject, const Vector& size) {
  const Fit& fit = subject.fit();
  double sum = 0;
  if (fit.sparse) {
    double width = 0;
    for (const SparseStart& start : fit.sparse->starts)
      width = std::max(width, start.slab_sd * start.slab_sd + start.dense_sd * start.dense_sd);
    const Matrix centred = subject.prepared.X.rowwise() - (fit.intercept ? 1.0 : 0.0) * subject.prepared.X.colwise().mean();
    Vector deviation = centred.colwise().norm().transpose() / std::sqrt(static_cast<double>(centred.rows()));
    if (!subject.prepared.options.standardize) deviation.setOnes();  // widths are in units of the columns that were fitted
    for (Index j = 0; j < fit.num_columns(); ++j)
      if (deviation[j] > 0) sum += width * std::pow(size[j] / deviation[j], 2);
    return sum;
  }
  for (Index j = 0; j < fit.num_columns(); ++j)
    if (fit.relevance[j] < 1 && fit.V_diagonal[j] > 0) sum += size[j] * size[j] * fit.V_diagonal[j] / (1 - fit.relevance[j]);
  return sum;
}

namespace {

// x'w and x'Cx with bounds on their rounding errors. The intercept is itself a sum over the means of the columns, and so are its entries
// of C.
struct Moments {
  double mean = 0, mean_size = 0, variance = 0, variance_size = 0;
};

Moments moments_of(const Vector& x, const Vector& w, const Matrix& C, const Vector& size) {
  Moments out;
  out.mean = x.dot(w);
  out.mean_size = size.dot(w.cwiseAbs());
  out.variance = x.dot(C * x);
  out.variance_size = size.dot(C.cwiseAbs() * size);
  return out;
}

// Subtracts from the rows what a published program without an intercept subtracts: the mean of each column, or of the table. A note of the
// fit says which.                                                                                                               (SLR.4)
Matrix as_scored(const Subject& subject, const Matrix& rows) {
  const auto reports = [&](const Report& report, const char* what) {
    return std::ranges::any_of(report.notes, [&](const std::string& note) { return note.find(what) != std::string::npos; });
  };
  const auto says = [&](const char* what) {
    if (reports(subject.report(), what)) return true;
    return subject.model->softmax() &&
           std::ranges::any_of(subject.model->softmax()->machines, [&](const Fit& machine) { return reports(machine.report, what); });
  };
  if (!says("there is no intercept, but the mean of")) return rows;
  Eigen::RowVectorXd centre = subject.prepared.X.colwise().mean();
  if (says("there is no intercept, but the mean of the table")) centre.setConstant(centre.mean());
  return rows.rowwise() - centre;
}

Vector with_intercept(const Fit& fit, const Vector& x) {
  if (!fit.intercept) return x;
  Vector out(x.size() + 1);
  out << x, 1;
  return out;
}

Vector coefficients(const Fit& fit) {
  if (!fit.intercept) return fit.mean;
  Vector out(fit.mean.size() + 1);
  out << fit.mean, fit.intercept->mean;
  return out;
}

std::string unlike(const char* name, Index row, double given, double by_hand, double allowed) {
  return std::abs(given - by_hand) <= allowed
             ? ""
             : fmt::format("{} of row {} is {:.17g}, by hand {:.17g} (may differ by {:.2g})", name, row + 1, given, by_hand, allowed);
}

constexpr double digits = 1e-11;  // a sum of up to 60 products, whose factors have errors of about 1e-14 each, and the condition of a fit

std::string check_regression(const Subject& subject, const Matrix& X, const StudentPrediction& p, const Matrix& C) {
  const Fit& fit = subject.fit();
  const Vector w = coefficients(fit);
  const double of_V = digits + rounding_of_condition(subject);
  const double noise = fit.noise.rate / fit.noise.shape;
  const bool has_student_noise = std::isfinite(fit.family.degrees_of_freedom);  // (TN.5): the mean is normal, and beside it
  if (p.degrees_of_freedom != (has_student_noise ? fit.family.degrees_of_freedom : fit.degrees_of_freedom()))
    return "degrees_of_freedom is not that of the fit";
  for (Index i = 0; i < X.rows(); ++i) {
    const Vector x = with_intercept(fit, X.row(i).transpose());
    const Vector row = size_of(subject, x);
    const Moments m = moments_of(x, w, C, row);
    // (LIN.4): V/tau of a joint posterior; (VR.4): the covariance itself
    const double s = fit.is_joint() ? noise * (1 + m.variance) : noise + m.variance;
    const double size = (fit.is_joint() ? noise : 1) * (of_V * m.variance_size + digits * variance_before(subject, row));
    std::string place = unlike("mean", i, p.mean[i], m.mean, digits * m.mean_size);
    if (place.empty() && !has_student_noise) place = unlike("scale^2", i, p.scale[i] * p.scale[i], s, digits * noise + size);
    if (place.empty() && has_student_noise) place = unlike("scale^2", i, p.scale[i] * p.scale[i], noise, digits * noise);
    if (place.empty() && has_student_noise) place = unlike("variance of the mean", i, p.variance_of_mean[i], m.variance, size);
    if (!place.empty()) return place;
  }
  return "";
}

std::string check_counts(const Subject& subject, const Matrix& X) {  // (POIS.4), (POIS.8), (POIS.9)
  const Fit& fit = subject.fit();
  const Vector w = coefficients(fit);
  const Matrix C = fit.covariance();
  const double of_V = digits + rounding_of_condition(subject);
  const CountPrediction p = predict(CountFit{fit}, X);
  const Vector sd = p.standard_deviation();
  std::vector<NormalComponent> parts = components_of(fit);
  if (parts.size() < 2) parts = {{1, w, C}};
  for (Index i = 0; i < X.rows(); ++i) {
    const Vector x = with_intercept(fit, X.row(i).transpose());
    const Vector row = size_of(subject, x);
    const Moments m = moments_of(x, w, C, row);
    const double offset = fit.exposure ? std::log(X(i, *fit.exposure)) : fit.offset_column ? X(i, *fit.offset_column) : 0;
    std::string place = unlike("log mean", i, p.log_mean[i], m.mean + offset, digits * (m.mean_size + std::abs(offset)));
    if (place.empty())
      place = unlike("log variance", i, p.log_variance[i], m.variance, of_V * m.variance_size + digits * variance_before(subject, row));
    double e = 0, square = 0;  // of the rate
    // Moments of the prediction itself, once they are right: the exponential of a wide posterior stretches their rounding.
    for (std::size_t c = 0; c < parts.size() && place.empty(); ++c) {
      const NormalComponent& part = parts[c];
      double mean = p.log_mean[i], variance = p.log_variance[i];
      if (parts.size() > 1) {
        const Moments of_part = moments_of(x, part.mean, part.covariance, row);
        mean = p.part_mean(i, static_cast<Index>(c)), variance = p.part_variance(i, static_cast<Index>(c));
        place = unlike("log mean of a part", i, mean, of_part.mean + offset, digits * (of_part.mean_size + std::abs(offset)));
        if (place.empty())
          place = unlike("log variance of a part", i, variance, of_part.variance,
                         of_V * of_part.variance_size + digits * variance_before(subject, row));
      }
      const double rate = std::exp(mean + 0.5 * variance);
      e += part.weight * rate;
      square += part.weight * rate * rate * std::exp(variance);
    }
    if (!place.empty()) return place;
    const double of_law = fit.family.dispersion * square;  // (NB.6)
    const double spread =
        parts.size() == 1 ? std::sqrt(e + e * e * std::expm1(p.log_variance[i]) + of_law) : std::sqrt(e + square - e * e + of_law);
    const double of_mixture = parts.size() == 1 ? 1 : 1e3 * std::max(1.0, square / (spread * spread));  // cancellation
    if (place.empty() && std::isfinite(spread)) place = unlike("mean", i, p.mean[i], e, of_mixture * digits * e);
    if (place.empty() && std::isfinite(spread)) place = unlike("sd", i, sd[i], spread, of_mixture * digits * spread);
    if (!place.empty()) return place;
  }
  return "";
}

double expected_probability(double m, double s) {
  return normal_expectation(m, std::max(s, 0.0), [](double u) { return 1 / (1 + std::exp(-u)); });
}

std::string check_two_classes(const Subject& subject, const Matrix& X) {
  const Fit& fit = subject.fit();
  const Matrix C = fit.covariance();
  const Vector w = coefficients(fit);
  const std::vector<NormalComponent> components = components_of(fit);
  const Matrix scored = as_scored(subject, X);
  const double of_V = digits + rounding_of_condition(subject);
  for (const auto& [word, rule] :
       {std::pair{"exact", PredictiveRule::exact}, {"plug-in", PredictiveRule::plug_in}, {"mackay", PredictiveRule::plug_in_corrected}}) {
    const ClassPrediction p = predict(LogisticFit{fit}, X, rule);
    for (Index i = 0; i < X.rows(); ++i) {
      const Vector x = with_intercept(fit, scored.row(i).transpose());
      const Vector row = size_of(subject, x);
      const Moments m = moments_of(x, w, C, row);
      const double doubt_of_variance = of_V * m.variance_size + digits * variance_before(subject, row);
      std::string place = unlike("log odds", i, p.mean[i], m.mean, digits * m.mean_size);
      if (place.empty()) place = unlike("variance", i, p.variance[i], m.variance, doubt_of_variance);
      if (!place.empty()) return place;
      double by_hand = 0, doubt = 0.25 * m.mean_size + 0.1 * m.variance_size;  // the slopes of E sigma in mean and variance
      if (rule == PredictiveRule::plug_in) by_hand = 1 / (1 + std::exp(-m.mean));
      if (rule == PredictiveRule::plug_in_corrected) by_hand = 1 / (1 + std::exp(-p.mean[i] / std::sqrt(1 + M_PI * p.variance[i] / 8)));
      if (rule == PredictiveRule::exact && components.empty()) by_hand = expected_probability(p.mean[i], p.variance[i]);
      if (rule == PredictiveRule::exact)
        for (const NormalComponent& component : components) {
          const Moments part = moments_of(x, component.mean, component.covariance, row);
          by_hand += component.weight * expected_probability(part.mean, part.variance);
          doubt += component.weight * (0.25 * part.mean_size + 0.1 * part.variance_size);
        }
      place = unlike(fmt::format("probability ({})", word).c_str(), i, p.probability[i], by_hand,
                     2.3e-9 + digits * doubt + 0.1 * doubt_of_variance);  // (PRED.2)
      if (!place.empty()) return place;
    }
  }
  return "";
}

// For pairs of classes, in the order (1,2), (1,3), ..., (2,3), ...: the product of the probabilities that its pairs give a class, or their
// sum; as published, the sum has one half for each pair that does not contain the class. (SMX.10)
Vector by_pairs(const SoftmaxFit& fit, const Vector& score, ClassRule rule) {
  const Index C = fit.num_classes();
  Vector p = Vector::Constant(C, rule == ClassRule::average ? 0 : 1);
  if (rule == ClassRule::average && fit.report.compat) p.setConstant(0.5 * static_cast<double>(score.size() - (C - 1)));
  Index pair = 0;
  for (Index a = 0; a < C; ++a)
    for (Index b = a + 1; b < C; ++b, ++pair) {
      const double second = 1 / (1 + std::exp(-score[pair])), first = 1 / (1 + std::exp(score[pair]));
      if (rule == ClassRule::average)
        p[a] += first, p[b] += second;
      else
        p[a] *= first, p[b] *= second;
    }
  return p / p.sum();
}

// The softmax of the mean scores, which for machines is their odds scaled to a sum of one; for pairs, by_pairs().
std::string check_softmax(const Subject& subject, const Matrix& X) {
  const SoftmaxFit& fit = *subject.model->softmax();
  const Matrix scored = as_scored(subject, X);
  const bool has_pairs = fit.coding == ClassCoding::one_against_one;
  std::vector<ClassRule> rules = {ClassRule::plug_in};
  if (has_pairs && fit.report.compat) rules.push_back(ClassRule::average);  // with compat, pairs have plug-in probabilities
  for (const ClassRule rule : rules) {
    const ClassProbabilities p = predict(fit, X, rule);
    for (Index i = 0; i < X.rows(); ++i) {
      Vector score(fit.mean.cols());
      double size = 0;
      for (Index c = 0; c < score.size(); ++c) {
        const double b = fit.intercept.size() > 0 ? fit.intercept[c] : 0;
        score[c] = scored.row(i).dot(fit.mean.col(c)) + b;
        const Vector row =
            X.row(i).cwiseAbs() + scored.row(i).cwiseAbs();  // if values are far from zero, subtracting the mean of the column loses digits
        size = std::max(size, row.dot(fit.mean.col(c).cwiseAbs()) + std::abs(b));
      }
      const Vector e = (score.array() - score.maxCoeff()).exp();
      const Vector by_hand = has_pairs ? by_pairs(fit, score, rule) : Vector(e / e.sum());
      if (!by_hand.allFinite()) continue;  // every product is below the smallest double
      for (Index c = 0; c < fit.num_classes(); ++c)
        if (auto place = unlike("probability", i, p.probability(i, c), by_hand[c], 1e-12 + digits * size); !place.empty()) return place;
    }
  }
  return "";
}

double kernel_by_hand(const KernelSpec& spec, const Vector& x, const Vector& c) {
  const auto distance2 = [&](bool scaled) {
    double sum = 0;
    for (Index j = 0; j < x.size(); ++j) {
      const double width = scaled ? spec.parameters[spec.parameters.size() == 1 ? 0 : static_cast<std::size_t>(j)] : 1;
      sum += (x[j] - c[j]) * (x[j] - c[j]) / (width * width);
    }
    return sum;
  };
  if (spec.kind == "gaussian") return std::exp(-distance2(true));                                     // (KER.2)
  if (spec.kind == "laplacian") return std::exp(-std::sqrt(distance2(true)));                         // (KER.3)
  if (spec.kind == "cauchy") return 1 / (1 + distance2(true));                                        // (KER.4)
  if (spec.kind == "linear") return x.dot(c);                                                         // (KER.5)
  if (spec.kind == "polynomial") return std::pow(x.dot(c) + spec.parameters[1], spec.parameters[0]);  // (KER.6)
  if (spec.kind == "matern32" || spec.kind == "matern52") {                                           // (KER.14), (KER.15)
    const double r = std::sqrt((spec.kind == "matern32" ? 6 : 10) * distance2(true));
    return (1 + r + (spec.kind == "matern52" ? r * r / 3 : 0)) * std::exp(-r);
  }
  double product = 1;  // (KER.7)
  for (Index j = 0; j < x.size(); ++j) {
    const double u = x[j], v = c[j], m = std::min(u, v);
    product *= 1 + u * v + u * v * m - (u + v) / 2 * m * m + m * m * m / 3;
  }
  return product;
}

// The weighted sum of kernel functions of standardised inputs, plus a bias.
std::string check_relevance(const RelevanceFit& fit, const Matrix& X) {
  const KernelSpec spec = fit.kernel.spec();
  const auto units = [&](const Vector& x) { return Vector((x - fit.input_center).cwiseProduct(fit.input_scale)); };
  const Prediction p = fit.task == Task::linear ? Prediction(predict(RelevanceRegression{fit}, X))
                                                : Prediction(predict(RelevanceClassification{fit}, X, PredictiveRule::plug_in));
  for (Index i = 0; i < X.rows(); ++i) {
    Vector score(static_cast<Index>(fit.machines.size()));
    double size = 0;
    for (std::size_t k = 0; k < fit.machines.size(); ++k) {
      const RelevanceMachine& machine = fit.machines[k];
      double m = machine.fit.intercept ? machine.fit.intercept->mean : 0;
      size = std::max(size, std::abs(m));
      for (std::size_t v = 0; v < machine.vectors.size(); ++v) {
        const double part =
            machine.fit.mean[static_cast<Index>(v)] *
            kernel_by_hand(spec, units(X.row(i).transpose()), units(fit.relevance_vectors.row(machine.vectors[v]).transpose()));
        m += part;
        size += std::abs(part);
      }
      if (!std::isfinite(m)) return "";  // the plain formula overflows
      score[static_cast<Index>(k)] = m;
    }
    const double allowed = 1e-12 + 1e-9 * size;  // columns have errors of 1e-13 each (KER.11), weights those of the machine's condition
    if (fit.task == Task::linear) {
      if (auto place = unlike("mean", i, std::get<StudentPrediction>(p).mean[i], score[0], allowed); !place.empty()) return place;
      continue;
    }
    const Vector sigma = 1 / (1 + (-score.array()).exp());
    const bool is_alone = fit.machines.size() == 1;
    // All probabilities may be too small for a double, but their ratios are not.
    const Vector log_sigma = score.unaryExpr([](double x) { return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x)); });
    const Vector relative = (log_sigma.array() - log_sigma.maxCoeff()).exp();
    for (Index k = 0; k < sigma.size(); ++k) {
      const double given = std::get<ClassProbabilities>(p).probability(i, is_alone ? 1 : k);
      const double by_hand = is_alone ? sigma[k] : relative[k] / relative.sum();
      const double total = is_alone ? 1 : std::max(sigma.sum(), 1e-3);
      if (auto place = unlike("probability", i, given, by_hand, 1e-12 + allowed / total); !place.empty()) return place;
    }
  }
  return "";
}

// The kernel of these rows with the vectors of a point, times its h.
Matrix kernel_by_hand(const KernelFit& fit, const KernelPoint& point, const Matrix& X) {
  const auto units = [&](const Vector& x) { return Vector((x - fit.input_center).cwiseProduct(fit.input_scale)); };
  Matrix K(X.rows(), static_cast<Index>(point.vectors.size()));
  for (Index i = 0; i < K.rows(); ++i)
    for (Index j = 0; j < K.cols(); ++j)
      K(i, j) = point.signal * kernel_by_hand(point.kernel.spec(), units(X.row(i).transpose()),
                                              units(fit.relevance_vectors.row(point.vectors[static_cast<std::size_t>(j)]).transpose()));
  return K;
}

// The features of the linear part: the inputs in their units, times the root of the variance of its slopes.                     (KM.11)
Matrix line_by_hand(const KernelFit& fit, const KernelPoint& point, const Matrix& X) {
  if (point.linear == 0) return Matrix(X.rows(), 0);
  return std::sqrt(point.linear) * (X.rowwise() - fit.input_center.transpose()) * fit.input_scale.asDiagonal();
}

// Regressions: the posterior given the vectors is computed from the table. With K_zz = L L', the mean at x is k' a + b for the a and b of
// the least squares with the penalty a' K_zz a.                                                                                    (KM.6)
std::string check_process(const Subject& subject, const KernelFit& fit, const Matrix& X_new) {
  if (fit.task != Task::linear) return "";
  const Index n = subject.problem.rows();
  const Vector k = subject.problem.weights.size() > 0 ? subject.problem.weights : Vector(Vector::Ones(n));
  const Vector y = (subject.prepared.target.array() - fit.target_center) / fit.target_scale;
  const TMixturePrediction p = predict(KernelRegression{fit}, X_new, PredictionOf::mean);
  for (std::size_t i = 0; i < fit.processes[0].points.size(); ++i) {
    const KernelPoint& point = fit.processes[0].points[i];
    const auto m = static_cast<Index>(point.vectors.size());
    if (m == 0) continue;
    Matrix Kzz(m, fit.num_inputs());
    for (Index j = 0; j < m; ++j) Kzz.row(j) = fit.relevance_vectors.row(point.vectors[static_cast<std::size_t>(j)]);
    Kzz = kernel_by_hand(fit, point, Kzz);
    const Eigen::SelfAdjointEigenSolver<Matrix> solved(Kzz);
    if (!(solved.eigenvalues()[0] > 1e-7 * solved.eigenvalues()[m - 1])) continue;  // too few digits for the plain formulas
    const Matrix root = solved.eigenvectors() * solved.eigenvalues().cwiseSqrt().cwiseInverse().asDiagonal();
    const Index all = m + (point.linear == 0 ? 0 : fit.num_inputs());
    Matrix F(n, all + 1), G(X_new.rows(), all + 1);
    F << kernel_by_hand(fit, point, subject.prepared.X) * root, line_by_hand(fit, point, subject.prepared.X), Vector::Ones(n);
    G << kernel_by_hand(fit, point, X_new) * root, line_by_hand(fit, point, X_new), Vector::Ones(X_new.rows());
    Matrix A = F.transpose() * k.asDiagonal() * F;
    A.diagonal().head(all).array() += 1;
    const Eigen::LDLT<Matrix> factor(A);
    const Vector of_A = Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(of_A[0] > 0)) continue;  // no digit is left
    // The plain formulas lose the digits of the condition of A, and those of K_zz.
    const double digits_left = 1e-6 + 4 * std::numeric_limits<double>::epsilon() * of_A[all] / of_A[0];
    const Vector mean = G * factor.solve(F.transpose() * k.cwiseProduct(y));
    const Matrix open = G * factor.solve(Matrix(G.transpose()));
    for (Index r = 0; r < X_new.rows(); ++r) {
      const auto part = static_cast<Index>(i);
      const double variance = point.signal - G.row(r).head(m).squaredNorm() + open(r, r);
      const double scale = fit.target_scale, rounding = digits_left * scale * (1 + mean.cwiseAbs().maxCoeff());
      if (auto place = unlike("mean", r, p.part_mean(r, part), fit.target_center + scale * mean[r], rounding); !place.empty()) return place;
      const double s2 = scale * scale * point.noise_variance, given = p.part_scale(r, part) * p.part_scale(r, part);
      if (auto place = unlike("variance", r, given, s2 * variance, digits_left * s2 * (1 + point.signal + G.row(r).squaredNorm()));
          !place.empty())
        return place;
    }
  }
  return "";
}

}  // namespace

Verdict predictions_by_hand(const Subject& subject) {
  if (!subject.has_posterior() || !subject.keeps_covariance()) return says_nothing();
  const SavedModel& model = *subject.model;
  const Matrix X = new_rows(subject, 4);
  std::string place;
  if (model.relevance())
    place = check_relevance(*model.relevance(), X);
  else if (model.process())
    place = check_process(subject, *model.process(), X);
  else if (model.softmax())
    place = check_softmax(subject, X);
  else if (model.score()->task == Task::linear)
    place = check_regression(subject, X, predict(LinearFit{*model.score()}, X), model.score()->V());
  else if (model.score()->task == Task::counts)
    place = check_counts(subject, X);
  else
    place = check_two_classes(subject, X);
  return place.empty() ? holds() : fails(place);
}

}  // namespace ardvark::testing
