#include "process/pass_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/special.hpp"
#include "process/search.hpp"

namespace ardvark::internal {

KernelSums ask_rows(Passes& passes, const KernelQuestion& question) {
  return KernelSums::unpacked(passes.numbers(std::make_shared<const KernelQuestion>(question)), question.num_features());
}

PassEvidence::PassEvidence(Covariance covariance, Vector k, double weight, double spread, Passes& passes, const KernelQuestion& question)
    : ProcessEvidence(std::move(covariance), std::move(k), question.classes ? 4 : 1),
      classes_(question.classes),
      passes_(passes),
      question_(question) {
  stand_for(weight, spread);
}

void PassEvidence::set_rows(KernelSums rows, const WorkingRow& intercept) {
  rows_ = std::move(rows);
  intercept_ = intercept;
}

Index PassEvidence::num_centres() const { return rows_.fk.size() - (covariance_.has_linear_part() ? covariance_.inputs().cols() : 0); }

Vector PassEvidence::root_scale(const Hyperparameters& theta) const {
  Vector out = Vector::Constant(rows_.fk.size(), std::exp(0.5 * theta[0]));
  if (covariance_.has_linear_part()) out.tail(out.size() - num_centres()) *= std::sqrt(covariance_.linear_weight(theta));
  return out;
}

FeatureSums PassEvidence::sums(const Hyperparameters& theta) const {
  FeatureSums out = rows_.scaled(root_scale(theta));
  out.rest *= std::exp(theta[0]);
  out.zz += intercept_.omega * intercept_.z * intercept_.z;
  return out;
}

double PassEvidence::variance_of_signal(const Hyperparameters& theta) const {
  return std::exp(theta[0]) * (N_ - rows_.fk.head(num_centres()).squaredNorm() / N_) / (N_ - 1);
}

double PassEvidence::log_prior(const Hyperparameters& theta) {
  Slope out{0, {}};
  static_cast<void>(add_prior(theta, variance_of_signal(theta), out));
  return out.value;
}

Slope PassEvidence::at(const Hyperparameters& theta, bool with_gradient) {
  if (!classes_ && (rows_.fk.size() == 0 || widths_of(theta) != widths_of(question_.theta))) {
    question_.theta.setZero();
    question_.theta.segment(1, covariance_.num_widths()) = widths_of(theta);
    rows_ = ask_rows(passes_, question_);
  }
  const FeatureSums sums = this->sums(theta);
  const SolvedFeatures s = solution(sums);
  if (s.w.size() == 0) return {};
  const double q = misfit(sums, s), ratio = classes_ ? 1 : (N_ - 1) / q;
  Slope out;
  out.value = classes_ ? -0.5 * (q + s.log_det + std::log(s.one) + sums.rest) : log_evidence_of_regression(sums, s, N_);
  if (with_gradient) out.gradient = Vector::Zero(theta.size());
  const double d_l = add_prior(theta, variance_of_signal(theta), out);
  if (!with_gradient) return out;
  out.gradient[0] += slope_of_scale(s, ratio, 0) - 0.5 * sums.rest;
  if (covariance_.has_linear_part()) out.gradient[theta.size() - 1] += slope_of_scale(s, ratio, num_centres());
  auto d_widths = out.gradient.segment(1, covariance_.num_widths());
  if (wants_slope_)
    d_widths += slope_of_widths(theta, sums, s, ratio, d_l);
  else
    d_widths.setZero();
  return out;
}

Vector PassEvidence::slope_of_widths(const Hyperparameters& theta, const FeatureSums& sums, const SolvedFeatures& s, double ratio,
                                     double d_l) {
  const Vector fk = root_scale(theta).cwiseProduct(rows_.fk);
  KernelQuestion question = question_;
  if (classes_) {  // the posterior is that in the features of h = 1, g = 1
    Vector to_unit = Vector::Ones(question.mean.size());
    to_unit.head(fk.size()) = root_scale(theta).cwiseInverse();
    question.mean = to_unit.cwiseProduct(question.mean);
    question.root = question.root * to_unit.asDiagonal();
  }
  question.theta = theta;
  question.slope = kernel_slope(sums, s, ratio, fk, -d_l / (N_ * (N_ - 1)), num_centres());
  const Vector of_rows = passes_.numbers(std::make_shared<const KernelQuestion>(question));
  if (of_rows.size() != covariance_.num_widths()) throw InvalidArgument("the sums over the rows answer another question");
  return of_rows + Features(covariance_, question.centres, theta).slope_of_centres(*question.slope);
}

FeaturePosterior PassEvidence::posterior(const Hyperparameters& theta) const {
  const FeatureSums sums = this->sums(theta);
  const SolvedFeatures s = solution(sums);
  if (s.w.size() == 0) return {};
  return posterior_of(sums, s, intercept_.omega);
}

PassEvidence::Fitted PassEvidence::fitted(const Hyperparameters& theta) const {
  const FeatureSums sums = this->sums(theta);
  const SolvedFeatures s = solution(sums);
  const double of_w = sums.f1.dot(s.w) / N_, wSw = s.w.dot(sums.S.selfadjointView<Eigen::Lower>() * s.w);
  const double squares = wSw + 2 * s.b * N_ * of_w + N_ * s.b * s.b;  // of the means
  const double left = sums.zz - 2 * (sums.fz.dot(s.w) + s.b * sums.z) + squares, all = sums.zz - sums.z * sums.z / N_;
  return {misfit(sums, s) / (N_ - 1), all > 0 ? 1 - left / all : 0, std::sqrt(std::max(wSw / N_ - of_w * of_w, 0.0))};
}

namespace {

// L^-1: the variances of the weights are the squared lengths of its columns.
Matrix root_of(const FeaturePosterior& posterior) {
  Matrix root = posterior.factor;
  static_cast<void>(blas::trtri(root.rows(), root.data(), root.rows()));
  return root;
}

}  // namespace

// The posterior in the features of h = 1, g = 1.
KernelQuestion ClassPasses::asked(const State& state, const Matrix& root) const {
  Vector scale = Vector::Ones(state.posterior.mean.size());
  scale.head(scale.size() - 1) = evidence_.root_scale(state.theta);
  KernelQuestion out = question_;
  out.theta.setZero();
  out.theta.segment(1, evidence_.covariance().num_widths()) = state.theta.segment(1, evidence_.covariance().num_widths());
  out.h = std::exp(state.theta[0]);
  out.mean = scale.cwiseProduct(state.posterior.mean);
  out.root = root * scale.asDiagonal();
  return out;
}

KernelQuestion ClassPasses::question() const { return asked(at_, root_of(at_.posterior)); }

// The bound of a posterior by its Cholesky factor.                                                                                 (KM.5)
void ClassPasses::read(State& state) {
  const FeaturePosterior& p = state.posterior;
  const Index size = p.mean.size(), m = size - 1;
  if (size == 0) throw InvalidArgument("the posterior of all rows cannot be factorised");
  const Matrix root = root_of(p);
  const double b = p.mean[m], of_intercept = root.col(m).squaredNorm(), of_others = root.leftCols(m).squaredNorm();
  state.intercept = working_row(1, 0.5, b, of_intercept);  // (SP.20)
  KernelQuestion question = asked(state, root);
  state.rows = ask_rows(passes_, question);
  constexpr double ln_pi = 1.1447298858494001741;
  evidence_.set_rows(*state.rows, state.intercept);
  evidence_.set_question(std::move(question));
  state.bound = state.rows->log_likelihood + state.intercept.log_likelihood + 0.5 * ln_2pi - ln_pi - 0.5 * p.mean.head(m).squaredNorm() -
                p.factor.diagonal().array().log().sum() + 0.5 * (static_cast<double>(size) - of_others) + evidence_.log_prior(state.theta);
}

// The posterior, and h and g, with the highest bound if the likelihood is quadratic.
ClassPasses::State ClassPasses::step(const State& from, const KernelSums& rows, const WorkingRow& intercept) {
  evidence_.set_rows(rows, intercept);
  State out;
  out.theta = maximum_at_widths(evidence_, from.theta).theta;
  out.posterior = evidence_.posterior(out.theta);
  return out;
}

void ClassPasses::run(const Hyperparameters& theta, FeaturePosterior start) {
  constexpr double tolerance = 1e-3;  // nats
  constexpr int most_passes = 40;
  at_ = {.theta = theta, .posterior = std::move(start), .rows = {}};
  converged_ = false;
  evidence_.set_rows(KernelSums(question_.num_features()));
  read(at_);
  State next = step(at_, *at_.rows, at_.intercept);
  KernelSums before = *at_.rows;  // the rows that gave the last posterior
  WorkingRow intercept_before = at_.intercept;
  double share = 1;
  for (int pass = 1; pass < most_passes && !converged_; ++pass) {
    read(next);
    const double gain = next.bound - at_.bound;
    if (pass > 1 && gain < -tolerance) {
      share *= 0.5;
      next = step(at_, before.mixed(*at_.rows, share), intercept_before);
      continue;
    }
    converged_ = pass > 1 && gain < tolerance;
    if (pass > 1) before = *at_.rows, intercept_before = at_.intercept;
    at_ = std::move(next);
    share = 1;
    if (!converged_) next = step(at_, *at_.rows, at_.intercept);
  }
  evidence_.set_rows(*at_.rows, at_.intercept);
  best_ = at_;
}

namespace {

// What a quadratic likelihood promises: the divergence of its posterior from the one where it touches.
double promised_gain(const FeaturePosterior& from, const FeaturePosterior& to) {
  const Vector move = to.factor.triangularView<Eigen::Lower>().transpose() * (to.mean - from.mean);
  const Matrix ratio = root_of(from).triangularView<Eigen::Lower>() * to.factor;
  return 0.5 * (move.squaredNorm() + ratio.squaredNorm() - static_cast<double>(move.size())) - ratio.diagonal().array().log().sum();
}

// The sums in the features of other widths, as if both kernels interpolated alike between the centres. \param T  [centres, centres]
KernelSums moved(KernelSums rows, const Matrix& T) {
  const Index m = T.rows();
  FeatureSums& sums = rows.sums;
  sums.S.triangularView<Eigen::StrictlyUpper>() = sums.S.transpose();
  sums.S.topRows(m) = T.transpose() * sums.S.topRows(m);
  sums.S.leftCols(m) = sums.S.leftCols(m) * T;
  for (Vector* v : {&sums.f1, &sums.fz, &rows.fk}) v->head(m) = T.transpose() * v->head(m);
  return rows;
}

}  // namespace

FeaturePosterior ClassPasses::posterior_near(const Hyperparameters& theta) {
  Hyperparameters from = best_.theta, to = theta;
  from[0] = to[0] = 0;
  const Features known(covariance_, question_.centres, from), wanted(covariance_, question_.centres, to);
  if (!known.is_good() || !wanted.is_good()) return {};
  evidence_.set_rows(moved(*best_.rows, known.relation_to(wanted)), best_.intercept);
  return evidence_.posterior(theta);
}

// A step from a posterior nearby promises what it gains up to terms of the third order, and slopes are right up to the second.  (PASS.7)
Slope ClassPasses::at(const Hyperparameters& theta, bool with_gradient) {
  constexpr double small = 1;  // nats
  constexpr int most_passes = 6;
  State state{.theta = theta, .posterior = posterior_near(theta), .rows = {}};
  double before = -std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < most_passes; ++pass) {
    if (state.posterior.mean.size() == 0) return {};
    read(state);
    if (!(state.bound > before)) return {};  // the widths are too far away
    FeaturePosterior next = evidence_.posterior(theta);
    const double gain = promised_gain(state.posterior, next);
    if (gain < small) {
      evidence_.want_slope_of_widths(with_gradient);
      Slope out = evidence_.at(theta, with_gradient);
      evidence_.want_slope_of_widths(false);
      out.value = state.bound + gain;
      state.bound = out.value;
      if (state.bound > best_.bound) best_ = std::move(state);
      return out;
    }
    before = state.bound;
    state.posterior = std::move(next);
  }
  return {};
}

}  // namespace ardvark::internal
