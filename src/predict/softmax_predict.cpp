// Class probabilities of new rows.                                                              docs/math/softmax.md (SMX.8), (SMX.9),
// (SMX.10)
#include <fmt/format.h>

#include "core/blas.hpp"
#include "core/class_pairs.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"
#include "predict/predictive.hpp"
#include "predict/softmax.hpp"

namespace ardvark {

using namespace internal;

namespace {

// \param own  [rows] classes of training rows: where their scores vary little, only the probability of this class has to be exact
void of_softmax(const SoftmaxFit& fit, const FitTable& X, ClassRule rule, const std::vector<Index>* own, Matrix& probability) {
  const SoftmaxState& state = *fit.state;
  const Index C = fit.num_classes();
  const auto design = X.design(state.standardization);
  Matrix F(X.rows(), C);
  Vector f(X.rows());
  for (Index c = 0; c < C; ++c) {
    design->apply(state.W.col(c), f);
    F.col(c) = f;
  }
  validate::predicted(F);
  Vector p(C);
  if (rule == ClassRule::plug_in) {
    for (Index n = 0; n < X.rows(); ++n) {
      plain_softmax(F.row(n).transpose(), p);
      probability.row(n) = p;
    }
    return;
  }
  ExpectedSoftmax expected(C);
  NarrowSoftmax narrow(C);
  const auto class_of = [own](Index n) { return own == nullptr ? Index{-1} : (*own)[static_cast<std::size_t>(n)]; };
  state.covariance.score_covariances(*design, [&](Index n, const Matrix& S) {
    validate::predicted(S.reshaped(1, C * C), n);
    if (class_of(n) < 0 || !narrow(F.row(n), S, class_of(n), p)) expected(F.row(n), S, p);
    validate::predicted(p.transpose(), n);  // in a forged file, variances may be finite but their sums infinite
    probability.row(n) = p;
  });
}

// p_c = 2/(C(C-1)) sum of the probabilities from the pairs of c. As published, every other pair adds a half before the sum is
// scaled to 1.                                                                                                                 (SMX.10)
void average_of_pairs(const SoftmaxFit& fit, const Matrix& log_for, const Matrix& log_against, Matrix& probability) {
  const auto pairs = class_pairs(fit.num_classes());
  const double others = 0.5 * static_cast<double>(static_cast<Index>(pairs.size()) - (fit.num_classes() - 1));
  probability.setConstant(fit.report.compat ? others : 0.0);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    probability.col(pairs[i].first) += log_against.col(static_cast<Index>(i)).array().exp().matrix();
    probability.col(pairs[i].second) += log_for.col(static_cast<Index>(i)).array().exp().matrix();
  }
  probability.array().colwise() /= probability.rowwise().sum().array();
}

// From ln p of the two sides of each machine, by the rule.
void of_machines(const SoftmaxFit& fit, FitTable X, ClassRule rule, bool average, Matrix& probability) {
  const SoftmaxState& state = *fit.state;
  Matrix Z;
  if (state.standardization.scale.size() > 0) {  // the machines were fitted to scaled columns
    Z = read_table(X.dense("a published coding"), {state.standardization.center, state.standardization.scale, false});
    X = Z;
  }
  const Index n = X.rows(), C = fit.num_classes(), machines = static_cast<Index>(fit.machines.size());
  Matrix log_for(n, machines), log_against(n, machines), mean(n, machines);
  Vector m, s = Vector::Zero(n);
  for (Index i = 0; i < machines; ++i) {
    predictive_moments(fit.machines[static_cast<std::size_t>(i)], X, m, rule == ClassRule::plug_in ? nullptr : &s);
    mean.col(i) = m;
    for (Index k = 0; k < n; ++k) {
      const bool plain = rule == ClassRule::plug_in;
      log_for(k, i) = plain ? log_sigmoid(m[k]) : log_expected_sigmoid(m[k], s[k]);  // (PRED.2)
      log_against(k, i) = plain ? log_sigmoid(-m[k]) : log_expected_sigmoid(-m[k], s[k]);
    }
  }
  if (average) return average_of_pairs(fit, log_for, log_against, probability);
  Matrix log_score = Matrix::Zero(n, C);
  if (fit.coding == ClassCoding::one_against_rest) {
    log_score = rule == ClassRule::plug_in ? mean : log_for;
  } else {
    const auto pairs = class_pairs(C);
    for (Index i = 0; i < machines; ++i) {
      log_score.col(pairs[static_cast<std::size_t>(i)].first) += log_against.col(i);
      log_score.col(pairs[static_cast<std::size_t>(i)].second) += log_for.col(i);
    }
  }
  Vector p(C);
  for (Index k = 0; k < n; ++k) {
    plain_softmax(log_score.row(k).transpose(), p);
    probability.row(k) = p;
  }
}

ClassProbabilities probabilities_of(const SoftmaxFit& fit, const FitTable& X, ClassRule rule, const std::vector<Index>* own) {
  if (X.cols() != fit.num_columns()) throw refused("X_new", fmt::format("has {} columns; the fit has {}", X.cols(), fit.num_columns()));
  if (fit.state == nullptr || (fit.coding == ClassCoding::softmax ? fit.state->W.size() == 0 : fit.machines.empty()))
    throw InvalidArgument(fmt::format("the fit has no posterior to predict from (status: {})", to_string(fit.report.status)));
  if (fit.coding != ClassCoding::softmax && static_cast<Index>(fit.machines.size()) < fit.mean.cols())
    throw InvalidArgument(fmt::format("only {} of {} logistic regressions were fitted (status: {}); there is nothing to predict from",
                                      fit.machines.size(), fit.mean.cols(), to_string(fit.report.status)));
  const Standardization& units = fit.state->standardization;
  X.check_new_rows(fit.column_names, units.center, units.scale);
  const bool average = rule == ClassRule::average;
  if (average && fit.coding != ClassCoding::one_against_one)
    throw InvalidArgument(
        {.argument = "rule",
         .value = "average",
         .why = fmt::format("it applies only to the pairs of one-against-one, and the coding is {}", to_string(fit.coding))});
  if (rule == ClassRule::automatic || average)
    rule = fit.report.compat || (fit.report.status == Status::separated && fit.coding == ClassCoding::softmax) ? ClassRule::plug_in
                                                                                                               : ClassRule::integrated;
  if (rule == ClassRule::integrated && fit.coding == ClassCoding::softmax && fit.state->covariance.kind == ClassCovariance::Kind::none)
    throw InvalidArgument(
        "the fit kept no covariance, so its predictions have no uncertainty; fit again with keep_covariance = always, or plug the means "
        "in");
  const blas::ThreadScope threads(0);
  ClassProbabilities out;
  out.probability.resize(X.rows(), fit.num_classes());
  if (fit.coding == ClassCoding::softmax)
    of_softmax(fit, X, rule, own, out.probability);
  else
    of_machines(fit, X, rule, average, out.probability);
  out.most_probable = most_probable(out.probability);
  return out;
}

}  // namespace

ClassProbabilities predict(const SoftmaxFit& fit, MatrixView X, ClassRule rule) { return probabilities_of(fit, X, rule, nullptr); }
ClassProbabilities predict(const SoftmaxFit& fit, CscView X, ClassRule rule) { return probabilities_of(fit, X, rule, nullptr); }
ClassProbabilities internal::probabilities(const SoftmaxFit& fit, const FitTable& X, ClassRule rule) {
  return probabilities_of(fit, X, rule, nullptr);
}

ClassProbabilities internal::training_probabilities(const SoftmaxFit& fit, const FitTable& X, ClassRule rule,
                                                    const std::vector<Index>& own) {
  constexpr Index many_rows = 5000;
  return probabilities_of(fit, X, rule, X.rows() > many_rows ? &own : nullptr);
}

}  // namespace ardvark
