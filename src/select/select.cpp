// Repeated stratified cross-validation.                                                                       docs/math/selection.md
#include "ardvark/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "frame/folds.hpp"
#include "table/row_subset.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

// The target. A regression has one class, which has all rows, and no name.
struct SelectionTarget : Classes {
  Task task = Task::logistic;
  Vector row_weight;    // [n]
  VectorView y;         // [n] a regression: the numbers
  double variance = 0;  // of them
  [[nodiscard]] bool is_linear() const { return has_noise(task); }
};

SelectionTarget read_target(VectorView labels, const SelectionOptions& options) {
  SelectionTarget target;
  target.row_weight = options.weights.empty() ? Vector::Ones(labels.size()) : Vector(options.weights.eigen());
  const Vector& k = target.row_weight;
  if (!has_noise(options.task)) {
    static_cast<Classes&>(target) = read_classes(labels, options.weights, options.class_names);
    return target;
  }
  target.task = Task::linear;
  target.y = labels;
  target.labels = {0}, target.names = {""};
  for (const double weight : k) target.number.push_back(weight > 0 ? 0 : -1);
  target.num_rows = {std::count(target.number.begin(), target.number.end(), Index{0})};
  target.weight = Vector::Constant(1, k.sum());
  const double mean = k.dot(labels.eigen()) / k.sum();
  target.variance = k.dot(Vector((labels.eigen().array() - mean).square())) / k.sum();
  if (!(target.variance > 0)) throw InvalidArgument("the target is constant: there is nothing to explain");
  return target;
}

void check(const SelectionTarget& classes, const SelectionMethod& method, const SelectionOptions& options) {
  if (!method) throw InvalidArgument("the method is empty; it must be a function, for example logistic_selection(options)");
  if (options.folds < 2) throw wrong("folds", options.folds, "it must be at least 2");
  if (options.repeats < 1) throw wrong("repeats", options.repeats, "it must be at least 1");
  if (options.threads < 0) throw wrong("threads", options.threads, "it must be 0 or more");
  const Index rows = std::accumulate(classes.num_rows.begin(), classes.num_rows.end(), Index{0});
  if (options.folds > rows) throw wrong("folds", options.folds, fmt::format("there are {} rows, and each fold tests at least one", rows));
  for (Index c = 0; c < classes.size(); ++c)
    if (!classes.is_linear() && classes.num_rows[static_cast<std::size_t>(c)] == 1)
      throw InvalidArgument(fmt::format("class {} has one row; it needs at least two, one to test and one to learn from", classes.name(c)));
}

// A fit and its test, with the contributions of the test rows.
struct Tested {
  bool done = false;
  SelectionFold fold;
  std::vector<bool> survived;
  std::vector<Index> rows;
  Vector correct, loss;  // [rows] of each test row
};

// What each row adds to R^2, and to the log loss.                                                                               (SEL.5)
void score_numbers(const SelectionFit& fit, const SelectionTarget& target, Tested& tested) {
  const Vector y = target.y.eigen()(tested.rows);
  if (fit.mean.size() != y.size() || !fit.log_density)
    throw InvalidArgument(
        fmt::format("the method returned a mean of {} rows; it must have {}, and a log density", fit.mean.size(), y.size()));
  tested.correct = 1 - (y - fit.mean).array().square() / target.variance;
  tested.loss = -fit.log_density(y);
}

void score(const SelectionFit& fit, const SelectionTarget& classes, Tested& tested) {
  const Index m = static_cast<Index>(tested.rows.size());
  if (classes.is_linear()) return score_numbers(fit, classes, tested);
  if (fit.log_probability.rows() != m || fit.log_probability.cols() != classes.size() || fit.log_probability.array().isNaN().any())
    throw InvalidArgument(fmt::format("the method returned log_probability of {} x {}; it must be {} x {}, without NaN",
                                      fit.log_probability.rows(), fit.log_probability.cols(), m, classes.size()));
  tested.correct.resize(m);
  tested.loss.resize(m);
  for (Index i = 0; i < m; ++i) {
    const Index truth = classes.number[static_cast<std::size_t>(tested.rows[static_cast<std::size_t>(i)])];
    Index most = 0;
    fit.log_probability.row(i).maxCoeff(&most);
    tested.correct[i] = most == truth ? 1 : 0;
    tested.loss[i] = -fit.log_probability(i, truth);
  }
}

// Means over the test rows.
void summarise(const SelectionFit& fit, const SelectionTarget& target, Tested& tested) {
  const Vector weight = target.row_weight(tested.rows);
  SelectionFold& fold = tested.fold;
  fold.num_test = weight.sum();
  fold.accuracy = weight.dot(tested.correct) / fold.num_test;
  fold.log_loss = weight.dot(tested.loss) / fold.num_test;
  fold.num_survivors = std::count(fit.survived.begin(), fit.survived.end(), true);
  fold.status = fit.status;
}

Tested fit_and_test(MatrixView X, const SelectionTarget& classes, bool weighted, const std::vector<int>& deal, int fold,
                    const SelectionMethod& method, const std::function<bool()>& go_on) {
  Tested tested;
  tested.fold.fold = fold;
  std::vector<Index> training;
  std::vector<double> labels, weights;
  for (std::size_t i = 0; i < deal.size(); ++i) {
    if (deal[i] < 0) continue;
    if (deal[i] == fold) {
      tested.rows.push_back(static_cast<Index>(i));
      continue;
    }
    training.push_back(static_cast<Index>(i));
    labels.push_back(classes.is_linear() ? classes.y[static_cast<Index>(i)] : static_cast<double>(classes.number[i]));
    if (weighted) weights.push_back(classes.row_weight[static_cast<Index>(i)]);
  }
  const RowSubset X_training(X, training), X_test(X, tested.rows);
  SelectionFit fit = method({X_training.view(), labels, weights, X_test.view(), classes.is_linear() ? 0 : classes.size(), go_on});
  if (!go_on()) return tested;
  if (static_cast<Index>(fit.survived.size()) != X.cols())
    throw InvalidArgument(fmt::format("the method returned survived of {} columns; X has {}", fit.survived.size(), X.cols()));
  score(fit, classes, tested);
  summarise(fit, classes, tested);
  tested.survived = std::move(fit.survived);
  tested.done = true;
  return tested;
}

SelectionSpread spread(const std::vector<double>& values) {
  SelectionSpread s;
  if (values.empty()) return s;
  const Eigen::Map<const Eigen::ArrayXd> v(values.data(), static_cast<Index>(values.size()));
  s.mean = v.mean();
  if (v.size() > 1) s.sd = std::sqrt((v - s.mean).square().sum() / static_cast<double>(v.size() - 1));
  return s;
}

// The standard error of the mean of these values over rows.                                                                     (SEL.3)
double standard_error(const Vector& values, const Vector& k) {
  const double mean = k.dot(values) / k.sum();
  return std::sqrt(k.dot((values.array() - mean).square().matrix())) / k.sum();
}

void count_survivors(const std::vector<Tested>& all, Index p, SelectionCounts& out) {
  out.count.assign(static_cast<std::size_t>(p), 0);
  out.sc_value = Vector::Zero(p);
  for (const Tested& tested : all) {
    if (!tested.done) continue;
    out.fits.push_back(tested.fold);
    for (Index j = 0; j < p; ++j) {
      if (!tested.survived[static_cast<std::size_t>(j)]) continue;
      ++out.count[static_cast<std::size_t>(j)];
      out.sc_value[j] += std::max(tested.fold.accuracy, 0.0);  // (SEL.1)
    }
  }
  out.share.resize(p);
  for (Index j = 0; j < p; ++j)
    out.share[j] = static_cast<double>(out.count[static_cast<std::size_t>(j)]) / static_cast<double>(std::max<Index>(out.num_fits(), 1));
}

// Averages over the complete repeats: each has tested every row once.                                                  (SEL.2), (SEL.3)
void average(const std::vector<Tested>& all, const SelectionTarget& classes, SelectionCounts& out) {
  const Vector& k = classes.row_weight;
  Vector correct = Vector::Zero(k.size()), loss = correct;
  std::vector<double> accuracy, log_loss, survivors;
  const auto folds = static_cast<std::size_t>(out.folds);
  for (std::size_t first = 0; first < all.size(); first += folds) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first), end = begin + out.folds;
    if (!std::all_of(begin, end, [](const Tested& t) { return t.done; })) continue;
    double hits = 0, losses = 0, kept = 0;
    for (auto tested = begin; tested != end; ++tested) {
      hits += tested->fold.num_test * tested->fold.accuracy;
      losses += tested->fold.num_test * tested->fold.log_loss;
      kept += static_cast<double>(tested->fold.num_survivors);
      correct(tested->rows) += tested->correct;
      loss(tested->rows) += tested->loss;
    }
    accuracy.push_back(std::min(hits / k.sum(), 1.0));
    log_loss.push_back(losses / k.sum());
    survivors.push_back(kept / out.folds);
  }
  out.accuracy = spread(accuracy);
  out.log_loss = spread(log_loss);
  out.num_survivors = spread(survivors);
  const auto repeats = static_cast<double>(accuracy.size());
  out.accuracy_error = standard_error(correct / repeats, k);
  out.log_loss_error = standard_error(loss / repeats, k);
}

void note_unused(const SelectionTarget& target, SelectionCounts& out) {
  const Index unused = std::count(target.number.begin(), target.number.end(), Index{-1});
  if (unused > 0) out.notes.push_back(fmt::format("{} {} of weight 0 took no part", unused, unused == 1 ? "row" : "rows"));
}

void describe(const SelectionTarget& classes, SelectionCounts& out) {
  out.task = classes.task;
  note_unused(classes, out);
  if (classes.is_linear()) {
    out.chance_log_loss = 0.5 * (std::log(2 * std::numbers::pi * classes.variance) + 1);  // (SEL.5)
    return;
  }
  const Vector share = classes.weight / classes.weight.sum();
  out.chance_accuracy = share.maxCoeff();  // (SEL.4)
  out.chance_log_loss = -(share.array() * share.array().log()).sum();
  out.class_weight = classes.weight;
  for (Index c = 0; c < classes.size(); ++c) {
    out.classes.push_back(classes.name(c));
    if (classes.num_rows[static_cast<std::size_t>(c)] < out.folds)
      out.notes.push_back(fmt::format("class {} has {} rows, fewer than {} folds: {} folds of each repeat test none of it", classes.name(c),
                                      classes.num_rows[static_cast<std::size_t>(c)], out.folds,
                                      out.folds - classes.num_rows[static_cast<std::size_t>(c)]));
  }
}

// Writes status and warnings. \return  the number of fits that did not converge
Index judge(SelectionCounts& out) {
  Index unfinished = 0, kept = 0;
  for (const SelectionFold& fit : out.fits) {
    kept += fit.num_survivors;
    if (fit.status == Status::converged) continue;
    if (unfinished++ == 0 && out.status == Status::converged) out.status = fit.status;
  }
  if (unfinished > 0)
    out.warnings.push_back(
        fmt::format("{} of {} fits did not converge (the first: {})", unfinished, out.num_fits(), to_string(out.status)));
  if (out.num_fits() > 0 && kept == out.num_fits() * out.num_columns())
    out.warnings.push_back(
        "every column survived every fit: this prior removes none, or every column has an effect; the counts do not tell them apart");
  if (out.accuracy.mean - out.chance_accuracy < 2 * out.accuracy_error)
    out.warnings.push_back(fmt::format("{} {:.3f} is less than two standard errors above chance ({:.3f}): the counts may be those of noise",
                                       has_noise(out.task) ? "R^2" : "accuracy", out.accuracy.mean, out.chance_accuracy));
  return unfinished;
}

}  // namespace

SelectionCounts select_columns(MatrixView X, VectorView labels, const SelectionMethod& method, const SelectionOptions& options) {
  validate::matrix(X, "X", options.column_names);
  validate::vector(labels, X.rows(), "labels");
  validate::weights(options.weights, X.rows());
  const SelectionTarget classes = read_target(labels, options);
  check(classes, method, options);
  const Stopwatch watch;

  SelectionCounts out;
  out.folds = options.folds, out.repeats = options.repeats, out.seed = options.seed;
  for (Index j = 0; j < X.cols(); ++j) out.column_names.push_back(validate::column_name(options.column_names, j));
  describe(classes, out);

  std::vector<std::vector<int>>& deals = out.deal;
  StratifiedDealer dealer(options.seed);
  for (int r = 0; r < options.repeats; ++r) pulse(), deals.push_back(dealer.deal(classes.number, classes.size(), options.folds));

  const Index num_fits = static_cast<Index>(options.repeats) * options.folds;
  std::vector<Tested> all(static_cast<std::size_t>(num_fits));
  std::atomic<bool> cancelled = false;
  std::mutex mutex;
  Index num_done = 0;
  {
    const Index threads = options.threads > 0 ? options.threads : blas::num_threads();
    const blas::ThreadScope one(1);  // one thread inside each fit: sums are then the same to the last bit
    pulse("fitting", {.name = "fold", .total = num_fits});
    const OneStage of_folds;
    const std::function<bool()> go_on = [&] {
      pulse();
      if (is_stopping()) cancelled = true;
      return !cancelled;
    };
    parallel_for(num_fits, threads, [&](Index i) {
      if (cancelled) return;
      const Index repeat = i / options.folds;
      Tested& tested = all[static_cast<std::size_t>(i)];
      tested = fit_and_test(X, classes, !options.weights.empty(), deals[static_cast<std::size_t>(repeat)],
                            static_cast<int>(i % options.folds), method, go_on);
      tested.fold.repeat = static_cast<int>(repeat);
      const std::lock_guard<std::mutex> lock(mutex);
      if (tested.done && options.on_fit && !options.on_fit({++num_done, num_fits, watch.seconds()})) cancelled = true;
    });
  }
  out.status = cancelled ? Status::stopped_by_user : Status::converged;
  count_survivors(all, X.cols(), out);
  average(all, classes, out);
  const Index unfinished = judge(out);
  out.seconds = watch.seconds();
  const std::string ended = unfinished > 0 ? fmt::format("{} of {} fits did not converge; ", unfinished, out.num_fits()) : "";
  out.message =
      fmt::format("{}{} of {} fits in {:.3g} s{}", ended, out.num_fits(), num_fits, out.seconds, cancelled ? ", then cancelled" : "");
  return out;
}

std::vector<Index> ranking(const SelectionCounts& counts) {
  std::vector<Index> order(counts.count.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return counts.sc_value[a] > counts.sc_value[b]; });
  return order;
}

}  // namespace ardvark
