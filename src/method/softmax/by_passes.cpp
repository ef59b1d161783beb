#include "method/softmax/by_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/blas.hpp"
#include "core/stopwatch.hpp"
#include "design/with_row.hpp"
#include "likelihood/class_quadratic.hpp"
#include "likelihood/intercept_row.hpp"
#include "passes/passes.hpp"

namespace ardvark::internal {
namespace {

// The rows near a point, with the row of the prior of the intercepts.
struct SoftmaxIterate {
  Matrix W;
  SoftmaxSums sums;
  Matrix H;  // lower
};

class SoftmaxByPasses {
 public:
  SoftmaxByPasses(const SoftmaxModel& model, SoftmaxQuestion question, AskSoftmax ask, SoftmaxPassSettings settings)
      : model_(model),
        question_(std::move(question)),
        ask_(std::move(ask)),

        q_(model.rows->cols()),
        C_(std::ssize(question_.labels)),
        on_sweep_(std::move(settings.on_sweep)) {
    if (model.proper) means_ = row_of_means(*model.rows, model.frame.k);
    inner_ = model.settings();
    allowed_ = model.options.tolerance ? inner_.allowed() : 0.5e-4;  // a hundredth of a standard deviation
    may_separate_ = inner_.may_separate;
    inner_.may_separate = false;
    inner_.solver = SolverKind::primal;
    inner_.max_sweeps = std::max(inner_.max_sweeps, 2000);
    inner_.on_sweep = nullptr;
    every_ = std::exchange(inner_.record_every, 0);
    precisions_ = {model.prior.expected()};
  }

  // From these weights to the end.
  ClassOutcome run(const Matrix& start) {
    inner_.num_rows = 1;
    inner_.tolerance = std::max(2e-6 * allowed_, 1e-11);
    SoftmaxIterate now = look(start);
    std::optional<ClassOutcome> last;
    for (;;) {
      ClassOutcome next = solve(now, last, sweeps_of_next());
      if (next.solver == nullptr) return next;  // no column is in the model
      if (!is_usable(next)) return failed(std::move(next));
      const Matrix W = all_weights(next);
      const double of_means = promised_by_means(now, next);
      if (last) {
        const double promised = of_means + promised_by_variances(*last, next);
        const double gain = rest_of_steps(promised, std::exchange(last_gain_, promised));
        // A step that moves a row, and gains almost nothing: the next ones show whether they separate classes.
        if (gain <= allowed_ && next.status == Status::converged && now.sums.num_moved == 0) return converged(std::move(next), gain);
        if (static_cast<int>(history_.size()) + falls_ >= model_.options.max_sweeps)
          return end(std::move(*last), Status::max_sweeps,
                     fmt::format("not converged after {} passes over the rows; increase max_sweeps", num_passes_));
      }
      // With precisions that have not changed, it rises if it is short enough.
      std::optional<SoftmaxIterate> there = step(now, W, next, calm_ == 0 ? 0.05 : 1);
      ++calm_;
      if (!there) {
        calm_ = 0;
        bound_curvature(now);
        next = solve(now, last, 1);
        if (!is_usable(next)) return failed(std::move(next));
        next.expected = last ? last->expected : model_.prior.expected();  // this curvature says nothing of the precisions
        there = step(now, all_weights(next), next, 1e-6);
      }
      if (!there)
        return end(last ? std::move(*last) : std::move(next), Status::bound_fell,
                   fmt::format("after {} passes over the rows no step raises the log evidence", num_passes_));
      move_to(*there, now, next);
      const Vector lengths = (there->W - now.W).rowwise().norm();
      now = std::move(*there);
      last = std::move(next);
      record(*last);
      if (all_are_flat() && now.sums.num_missed == 0) return separated(std::move(*last), "all of them are classified correctly", lengths);
      // Steps of almost no gain that still move a row, and none towards another class.                                         (PASS.8)
      if (of_means <= allowed_ && now.sums.num_moved > 0 && now.sums.num_pushed == 0)
        return separated(std::move(*last), "the scores of some still grow", lengths);
      if (on_sweep_ && !on_sweep_({static_cast<int>(history_.size()), last->bound, watch_.seconds()}))
        return end(std::move(*last), Status::stopped_by_user, fmt::format("stopped after {} passes over the rows", num_passes_));
    }
  }

 private:
  [[nodiscard]] Matrix all_weights(const ClassOutcome& o) const { return weights_of_classes(o, q_, C_); }

  SoftmaxIterate look(const Matrix& W, const Matrix* before = nullptr) {
    ++num_passes_;
    auto question = std::make_shared<SoftmaxQuestion>(question_);
    question->W = W;
    if (before != nullptr) question->before = *before;
    SoftmaxIterate out{W, SoftmaxSums::unpacked(ask_(std::move(question)), q_, C_), {}};
    out.H = out.sums.hessian();
    out.sums.of.clear();
    if (model_.proper) add_intercepts(out);
    return out;
  }

  // And how the columns without a prior move the scores, if they may separate classes.
  SoftmaxIterate look_beyond(const SoftmaxIterate& now, const Matrix& W) {
    if (!may_separate_) return look(W);
    Matrix before = W;
    for (const Index j : model_.one.partition.flat_columns) before.row(j) = now.W.row(j);
    return look(W, &before);
  }

  // One row at the means.                                                                                                      (SMX.12)
  void add_intercepts(SoftmaxIterate& at) const {
    const InterceptScores prior = intercept_scores(at.W.transpose() * means_);
    const double s = prior.narrowing, half = 0.5 * static_cast<double>(C_);
    const Vector& p = prior.probability;
    at.sums.log_likelihood += prior.log_prior;
    at.sums.gradient += s * means_ * (0.5 - half * p.array()).matrix().transpose();
    for (Index c = 0; c < C_; ++c)
      for (Index d = c; d < C_; ++d)
        at.H.block(d * q_, c * q_, q_, q_) += half * s * s * ((c == d ? p[c] : 0.0) - p[c] * p[d]) * means_ * means_.transpose();
  }

  // No likelihood is curved more than this anywhere, so a step with it rises, also where rows that are almost certain of a wrong class
  // curve it hardly.                                                                                                           (PASS.8)
  void bound_curvature(SoftmaxIterate& at) const {
    Vector k = Vector::Zero(model_.rows->rows());  // without the row of the means
    k.head(model_.frame.k.size()) = model_.frame.k;
    Matrix G = Matrix::Zero(q_, q_);
    model_.rows->gram(k, G);
    G.triangularView<Eigen::StrictlyUpper>() = G.transpose();
    for (Index c = 0; c < C_; ++c)
      for (Index d = c; d < C_; ++d) at.H.block(d * q_, c * q_, q_, q_) += 0.5 * ((c == d ? 1.0 : 0.0) - 1.0 / static_cast<double>(C_)) * G;
  }

  // The posterior, with all precisions, for the quadratic function that the rows are near this place.                          (PASS.8)
  ClassOutcome solve(const SoftmaxIterate& at, const std::optional<ClassOutcome>& last, int most_sweeps) const {
    const Matrix unit = Matrix::Identity(q_, q_);
    const auto design = table_design(unit);
    const ClassQuadratic rows(at.W, at.sums.log_likelihood, at.sums.gradient, at.H);
    PrecisionPrior prior = model_.prior;
    if (last) prior.set_expected(start_of_precisions(last->expected, at.H));
    ClassSettings settings = inner_;
    settings.max_sweeps = std::min(settings.max_sweeps, most_sweeps);
    return sweep_classes(*design, rows, std::move(prior), settings);
  }

  // Those of the last posterior. One that has gone to infinity would stay there: it begins at what the rows say.
  [[nodiscard]] Vector start_of_precisions(Vector a, const Matrix& H) const {
    const Partition& groups = model_.prior.partition();
    Vector most = Vector::Zero(a.size());
    for (Index i = 0; i < groups.num_columns(); ++i)
      if (const Index g = groups.group[static_cast<std::size_t>(i)]; g >= 0) most[g] = std::max(most[g], H(i, i));
    return (most.array() > 0).select(a.cwiseMin(most), a);
  }

  // Far from the mode the quadratic function misleads the precisions: there they take a few steps only.
  [[nodiscard]] int sweeps_of_next() const {
    constexpr std::array<int, 5> first = {1, 1, 2, 4, 10};
    return calm_ < std::ssize(first) ? first[static_cast<std::size_t>(calm_)] : inner_.max_sweeps;
  }

  [[nodiscard]] static bool is_usable(const ClassOutcome& o) {
    return (o.status == Status::converged || o.status == Status::max_sweeps) && o.w.allFinite() && o.V.allFinite() &&
           std::isfinite(o.bound);
  }

  [[nodiscard]] Vector all_precisions(const ClassOutcome& o) const {
    Vector a = Vector::Zero(q_ * C_);
    a(o.weights) = o.a;
    return a;
  }
  [[nodiscard]] double penalised(const SoftmaxIterate& at, const Vector& a) const {
    return at.sums.log_likelihood - 0.5 * a.dot(at.W.reshaped().cwiseAbs2());
  }

  // The rows at the next weights. A step that lowers the penalised log likelihood, with the new precisions, is halved.
  // \param shortest  part of the step that is tried
  std::optional<SoftmaxIterate> step(const SoftmaxIterate& now, const Matrix& W, const ClassOutcome& next, double shortest) {
    const Vector a = all_precisions(next);
    const double before = penalised(now, a), slack = 1e-11 * (std::abs(before) + model_.frame.rows);
    for (double part = 1; part >= shortest; part *= 0.5, ++falls_)
      if (SoftmaxIterate there = look_beyond(now, part == 1 ? W : Matrix(now.W + part * (W - now.W)));
          penalised(there, a) >= before - slack)
        return there;
    return std::nullopt;
  }

  // Nats that the next step promises: half the squared distance of the means, and a quarter of that of ln of the variances.      (PASS.4)
  [[nodiscard]] double promised_by_means(const SoftmaxIterate& now, const ClassOutcome& next) const {
    const Matrix step = all_weights(next) - now.W;
    Vector Hs(step.size());
    blas::symv(step.size(), now.H.data(), now.H.rows(), step.data(), Hs.data());
    return 0.5 * (step.reshaped().dot(Hs) + all_precisions(next).dot(step.reshaped().cwiseAbs2()));
  }
  [[nodiscard]] static double promised_by_variances(const ClassOutcome& last, const ClassOutcome& next) {
    return 0.25 * (last.V.array() / next.V.array() - 1).square().sum();
  }

  // Moves the posterior to where the rows have been seen.
  void move_to(const SoftmaxIterate& there, const SoftmaxIterate& now, ClassOutcome& o) const {
    const Vector a = all_precisions(o);
    const Matrix W = all_weights(o);
    SoftmaxRows rows;
    ClassQuadratic(now.W, now.sums.log_likelihood, now.sums.gradient, now.H).update(W, rows);
    o.bound += penalised(there, a) - (rows.log_likelihood - 0.5 * a.dot(W.reshaped().cwiseAbs2()));
    o.w = there.W.reshaped()(o.weights);
  }

  ClassOutcome converged(ClassOutcome next, double gain) {
    record(next);
    return end(std::move(next), Status::converged,
               fmt::format("converged after {} passes over the rows: the next one would change the log evidence by about {:.2g} nats "
                           "(allowed: {:.2g})",
                           num_passes_, gain, allowed_));
  }
  // \param lengths  of the last step, by column
  ClassOutcome separated(ClassOutcome o, const char* why, const Vector& lengths) const {
    return end(std::move(o), Status::separated,
               fmt::format("after {} passes over the rows {}: columns without a prior{} separate the classes, so the likelihood has no "
                           "maximum; the coefficients grow without limit; give the columns a prior that limits them (--prior shared)",
                           num_passes_, why, column_that_grows(model_.frame, model_.one.partition.flat_columns, lengths)));
  }
  ClassOutcome failed(ClassOutcome o) const {
    if (o.status == Status::bound_fell) return o;  // it is not finite
    const bool has_flat = model_.one.partition.num_flat() > (model_.options.intercept ? 1 : 0);
    return end(
        std::move(o), Status::not_positive_definite,
        fmt::format("after {} passes over the rows the linear system is not positive definite: {} (--prior shared)", num_passes_,
                    has_flat
                        ? "columns without a prior are linearly dependent, or they separate the classes; leave some of them out, or give "
                          "them a prior"
                        : "rounding, where the rows hardly determine some weights; use the shared prior"));
  }
  ClassOutcome end(ClassOutcome o, Status status, std::string message) const {
    o.status = status;
    o.message = std::move(message);
    o.sweeps = static_cast<int>(history_.size());
    o.bound_history = history_;
    if (every_ == 0) return o;
    o.history = Matrix(o.expected.size(), 1 + model_.options.max_sweeps / every_);
    for (Index i = 0; i < o.history.cols(); ++i)
      o.history.col(i) = i < std::ssize(precisions_) ? precisions_[static_cast<std::size_t>(i)] : o.expected;
    return o;
  }
  void record(const ClassOutcome& o) {
    history_.push_back(o.bound);
    if (every_ > 0 && std::ssize(history_) % every_ == 0) precisions_.push_back(o.expected);
  }
  [[nodiscard]] bool all_are_flat() const {
    const Partition& one = model_.one.partition;
    return may_separate_ && one.num_flat() + one.num_left_out() == one.num_columns();
  }

  const SoftmaxModel& model_;
  SoftmaxQuestion question_;
  AskSoftmax ask_;
  Index q_, C_;
  Vector means_;         // of the columns of the design, if the intercepts have a prior
  ClassSettings inner_;  // of the quadratic functions
  bool may_separate_ = false;
  double allowed_ = 0, last_gain_ = std::numeric_limits<double>::infinity();
  int num_passes_ = 0, falls_ = 0;
  int calm_ = 1'000;             // steps since one had to be made shorter
  std::vector<double> history_;  // the log evidence after each pass
  int every_;                    // passes between two records of the precisions
  std::vector<Vector> precisions_;
  SweepCallback on_sweep_;
  Stopwatch watch_;
};

}  // namespace

ClassOutcome sweep_classes_by_passes(const SoftmaxModel& model, SoftmaxQuestion question, AskSoftmax ask, const Matrix& start,
                                     SoftmaxPassSettings settings) {
  return SoftmaxByPasses(model, std::move(question), std::move(ask), std::move(settings)).run(start);
}

Matrix weights_of_shares(const SoftmaxModel& model, const Vector& class_weight) {
  Matrix W = Matrix::Zero(model.rows->cols(), class_weight.size());
  if (!model.options.intercept) return W;
  auto intercepts = W.row(W.rows() - 1);
  intercepts = class_weight.array().log().transpose();
  intercepts.array() -= intercepts.mean();
  return W;
}

Matrix weights_of_classes(const ClassOutcome& o, Index q, Index num_classes) {
  Matrix W = Matrix::Zero(q, num_classes);
  W.reshaped()(o.weights) = o.w;
  return W;
}

}  // namespace ardvark::internal
