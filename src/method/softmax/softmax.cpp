#include "method/softmax/softmax.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/special.hpp"
#include "core/stopwatch.hpp"
#include "design/column_subset.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

class ClassSweep {
 public:
  ClassSweep(Design& X, const ClassLikelihood& likelihood, PrecisionPrior prior, const ClassSettings& settings)
      : X_(X),
        likelihood_(likelihood),
        settings_(settings),
        prior_(std::move(prior)),
        book_(settings, prior_, {"the log evidence", "the precisions", "weight"}) {}

  ClassOutcome run() {
    book_.active.drop_left_out();
    out_.w = Vector::Zero(book_.active.all().num_columns());
    book_.begin();
    while (out_.status == Status::failed && sweep()) stop();
    book_.finish(!settings_.all_sweeps, out_);
    return std::move(out_);
  }

 private:
  // ---- one sweep ------------------------------------------------------------------------------------------------------------------

  bool sweep() {
    const int every = settings_.pruning.readmit_every;
    if (every > 0 && out_.sweeps > 0 && out_.sweeps % every == 0) static_cast<void>(readmit());
    if (book_.active.will_change() && !change_columns()) return false;
    out_.a = prior_.columns();
    out_.solver->begin(out_.a, out_.w);
    if (!to_mode() || !out_.solver->variances(out_.V, out_.log_det_V)) {
      end(out_, Status::not_positive_definite,
          fmt::format(
              "sweep {}: the linear system is not positive definite (columns without a prior, or with almost none, may be collinear)",
              out_.sweeps + 1));
      return false;
    }
    out_.solver->weights(out_.w);
    out_.scores = out_.solver->scores();
    q_.w = out_.w;
    q_.V_diagonal = out_.V;
    sum_by_group(prior_.partition(), out_.a, q_);
    out_.bound = evidence();
    promised_ = prior_.promised_gain(q_, 1, gradient_, next_);
    update_prior();
    if (settings_.pruning.is_on()) book_.active.prune(settings_.pruning.threshold, out_.sweeps + 1);
    book_.record(out_.bound, watch_.seconds(), out_);
    return true;
  }

  // Newton's method from the present w. A step is halved while it lowers the penalised log likelihood.                           (SMX.3)
  bool to_mode() {
    ClassSolver& solver = *out_.solver;
    likelihood_.update(solver.scores(), rows_);
    double last_length = std::numeric_limits<double>::infinity();
    if (settings_.may_separate) last_scores_ = solver.scores();
    for (int step = 0; step < 200; ++step) {
      const double value = objective();
      double length = 0;
      if (!solver.step(rows_, length)) return false;
      likelihood_.update(solver.scores(), rows_);
      const bool rounding = length < 1e-8 && length > 0.25 * last_length;
      if (!(length > settings_.mode_tolerance) || rounding) {
        separated_ = settings_.may_separate && !((solver.scores() - last_scores_).cwiseAbs().maxCoeff() < 0.1);
        return std::isfinite(length);
      }
      last_length = length;
      if (settings_.may_separate) last_scores_ = solver.scores();
      for (double part = 0.5; part > 1e-9 && !(objective() >= value - 1e-14 * (std::abs(value) + 1)); part *= 0.5) {
        solver.move(part);
        likelihood_.update(solver.scores(), rows_);
      }
    }
    double length = 0;
    return solver.step(rows_, length);
  }
  [[nodiscard]] double objective() const { return rows_.log_likelihood - 0.5 * out_.solver->penalty(); }

  // ln p(y|w) + ln p(w|a) + 1/2 ln|V| + parameters/2 ln 2 pi, and the hyper-priors.                                              (SMX.7)
  double evidence() {
    const auto flat = static_cast<double>(prior_.partition().num_flat()), C = static_cast<double>(likelihood_.num_classes());
    const auto size = static_cast<double>(out_.w.size());
    const double parameters = size - flat / C, flat_parameters = flat - flat / C;
    out_.explained = parameters - out_.a.dot(out_.V);
    return rows_.log_likelihood - 0.5 * out_.explained + prior_.bound(q_, 1) + 0.5 * out_.log_det_V + 0.5 * parameters +
           0.5 * flat_parameters * ln_2pi;
  }

  void update_prior() {
    expected_in_ = prior_.expected();
    prior_.update(q_, 1, next_);
    if (!settings_.pruning.is_on())
      for (double& a : next_) a = a > 0 && a < 1e15 ? a : a > 0 || std::isnan(a) ? 1e15 : 1e-15;  // rounding of 1 - a V; nothing left
    else if (!settings_.all_sweeps)
      for (double& a : next_)
        if (!(a > 0)) a = std::numeric_limits<double>::infinity();
    prior_.set_expected(next_);
  }

  // ---- weights that leave and come back -----------------------------------------------------------------------------------------------

  // Changes prior, solver and posterior to the weights that are now in the model. False if there are none.
  bool change_columns() {
    if (!book_.active.apply(out_.w)) {
      end(out_, Status::converged, fmt::format("no weight is left after {} sweeps", out_.sweeps));
      return false;
    }
    out_.weights = book_.active.columns();
    ClassWeights there;
    there.num_classes = likelihood_.num_classes();
    for (const Index i : out_.weights) {
      there.class_of.push_back(i / X_.cols());
      there.column.push_back(i % X_.cols());
      there.flat.push_back(book_.active.all().group[static_cast<std::size_t>(i)] == Partition::flat);
    }
    out_.solver = make_class_solver(X_, std::move(there), likelihood_, settings_.solver);
    // Workspace of another size is allocated anew.                                                                   (core/resize.hpp)
    for (Vector* v : {&out_.a, &out_.V, &q_.w, &q_.V_diagonal, &expected_in_, &next_, &gradient_}) *v = Vector();
    q_.group_square = Vector(Vector::Zero(prior_.partition().num_groups()));
    q_.group_variance = Vector(q_.group_square);
    return true;
  }

  // Brings back the weight outside the model that would raise the log evidence most, at its best precision. All else is fixed.
  // (SMX.6), (OPT.5)
  bool readmit() {
    double best = std::max(settings_.tolerance * settings_.num_rows, 1e-6), precision = 0;
    Index chosen = -1;
    for (Index c = 0; c < likelihood_.num_classes(); ++c) {
      std::vector<Index> outside;
      for (Index j = 0; j < X_.cols(); ++j)
        if (book_.active.may_return(c * X_.cols() + j, 3)) outside.push_back(j);
      if (outside.empty()) continue;
      ColumnSubset columns(X_, outside);
      const Index size = columns.cols(), block = std::clamp<Index>((Index{1} << 17) / X_.rows(), 16, std::max<Index>(size, 16));
      Matrix panel(X_.rows(), std::min(block, size));
      for (Index first = 0; first < size; first += block) {
        const Index count = std::min(block, size - first);
        Vector S;
        columns.columns(first, count, panel.leftCols(count));
        out_.solver->curvature(c, panel.leftCols(count), S);
        const Vector Q = panel.leftCols(count).transpose() * rows_.E.col(c);
        for (Index j = 0; j < count; ++j) {
          double a = 0;
          const double gain = prior_.gain_of_adding(S[j], Q[j], 1, a);
          if (!(gain > best && a < settings_.pruning.threshold)) continue;
          best = gain;
          precision = a;
          chosen = c * X_.cols() + outside[static_cast<std::size_t>(first + j)];
        }
      }
    }
    if (chosen < 0) return false;
    book_.active.readmit(chosen, precision, out_.sweeps);
    return true;
  }

  // ---- stopping -------------------------------------------------------------------------------------------------------------------------

  void stop() {
    if (out_.status != Status::failed) return;
    if (!std::isfinite(out_.bound)) {
      end(out_, Status::bound_fell, fmt::format("sweep {}: the log evidence is not finite", out_.sweeps));
    } else if (separated_) {
      end(out_, Status::separated,
          fmt::format("sweep {}: columns without a prior separate the classes, so that the likelihood has no maximum; every step makes "
                      "the weights larger and gains less than 1e-8 nats",
                      out_.sweeps));
    } else if (settings_.all_sweeps) {
      book_.stop_after_all_sweeps(promised_, out_);
    } else {
      book_.stop_at_standstill(
          q_, 1, expected_in_, promised_, [&] { static_cast<void>(readmit()); }, out_);
      if (out_.status != Status::failed || out_.sweeps < settings_.max_sweeps) return;
      end(out_, Status::max_sweeps,
          fmt::format(
              "not converged after {} sweeps: the predicted gain of the next one is {:.3g} nats (allowed: {:.2g}); increase max_sweeps",
              out_.sweeps, promised_, settings_.allowed()));
    }
  }

  Design& X_;
  const ClassLikelihood& likelihood_;
  const ClassSettings& settings_;
  PrecisionPrior prior_;  // of the weights in the model
  LoopBook book_;         // of weights: class * columns of the design + column
  ClassOutcome out_;
  SoftmaxRows rows_;
  Posterior q_;
  Vector next_, gradient_, expected_in_;
  Matrix last_scores_;
  double promised_ = 0;
  bool separated_ = false;
  Stopwatch watch_;
};

}  // namespace

ClassOutcome sweep_classes(Design& X, const ClassLikelihood& likelihood, PrecisionPrior prior, const ClassSettings& settings) {
  return ClassSweep(X, likelihood, std::move(prior), settings).run();
}

}  // namespace ardvark::internal
