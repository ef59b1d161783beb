// A simulated decoding experiment: which of 2000 voxels distinguish two conditions, and how well? See README.md in this folder.
//
//     decoding                            the tables, some minutes
//     decoding --quick --csv table.csv    one number of trials, two experiments
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <future>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "ardvark/logistic.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/select.hpp"
#include "ardvark/softmax.hpp"

namespace {

using ardvark::FitOptions, ardvark::Index, ardvark::Matrix, ardvark::Vector;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

// ---- The experiment.

// Voxels in a 20 x 10 x 10 box. Half of the noise variance is smooth (its correlation falls by a factor of 0.7 with each step along an
// axis), half is independent for each voxel: neighbours have a correlation of 0.35. In ten voxels, no two of them neighbours, the
// conditions differ by one standard deviation, up or down. All others have the same mean in both conditions.
constexpr Index extent[3] = {20, 10, 10}, num_voxels = 2000, num_informative = 10, num_test = 1000;
constexpr double fall = 0.7, smooth = 0.5, shift = 0.5;

class Random {  // the same numbers with every compiler, unlike the distributions of <random>
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  Index below(Index count) { return static_cast<Index>(uniform() * static_cast<double>(count)); }

 private:
  std::mt19937_64 bits_;
};

std::array<Index, 3> place(Index voxel) { return {voxel / (extent[1] * extent[2]), voxel / extent[2] % extent[1], voxel % extent[2]}; }

Index distance(Index a, Index b) {  // in steps along the axes
  const auto x = place(a), y = place(b);
  return std::abs(x[0] - y[0]) + std::abs(x[1] - y[1]) + std::abs(x[2] - y[2]);
}

// Along each axis in turn x_i <- fall x_{i-1} + sqrt(1 - fall^2) x_i: variance 1, correlation fall^distance.
Vector smooth_noise(Random& random) {
  Vector x(num_voxels);
  for (double& value : x) value = random.normal();
  const Index step[3] = {extent[1] * extent[2], extent[2], 1};
  for (int axis = 0; axis < 3; ++axis)
    for (Index v = 0; v < num_voxels; ++v)
      if (place(v)[static_cast<std::size_t>(axis)] > 0) x[v] = fall * x[v - step[axis]] + std::sqrt(1 - fall * fall) * x[v];
  return x;
}

struct Trials {
  Matrix X;       // [trials, voxels]
  Vector labels;  // 0 or 1, equally many
};

struct Experiment {
  std::vector<Index> informative;
  Vector mean;  // [voxels] of condition 1; the mean of condition 0 is its negative
  Trials training, test;
};

Trials observe(Random& random, const Vector& mean, Index num_trials) {
  Trials trials{Matrix(num_trials, num_voxels), Vector(num_trials)};
  for (Index i = 0; i < num_trials; ++i) {
    trials.labels[i] = static_cast<double>(i % 2);
    trials.X.row(i) = std::sqrt(smooth) * smooth_noise(random) + (i % 2 == 1 ? mean : Vector(-mean));
    for (Index v = 0; v < num_voxels; ++v) trials.X(i, v) += std::sqrt(1 - smooth) * random.normal();
  }
  return trials;
}

Experiment experiment(Index num_trials, int number) {
  Random random(1000 + static_cast<std::uint64_t>(number));
  Experiment e;
  e.mean = Vector::Zero(num_voxels);
  while (std::ssize(e.informative) < num_informative) {
    const Index voxel = random.below(num_voxels);
    if (std::any_of(e.informative.begin(), e.informative.end(), [&](Index other) { return distance(voxel, other) < 3; })) continue;
    e.informative.push_back(voxel);
    e.mean[voxel] = random.uniform() < 0.5 ? shift : -shift;
  }
  e.test = observe(random, e.mean, num_test);
  e.training = observe(random, e.mean, num_trials);
  return e;
}

// Accuracy of the best possible rule, which knows mean and covariance, on these voxels: Phi(sqrt(mean' covariance^-1 mean)).
double best_accuracy(const Experiment& e, bool informative_only) {
  std::vector<Index> voxels = e.informative;
  if (!informative_only) {
    voxels.resize(num_voxels);
    for (Index v = 0; v < num_voxels; ++v) voxels[static_cast<std::size_t>(v)] = v;
  }
  Matrix covariance(std::ssize(voxels), std::ssize(voxels));
  for (Index i = 0; i < covariance.rows(); ++i)
    for (Index j = 0; j < covariance.cols(); ++j)
      covariance(i, j) =
          smooth * std::pow(fall, static_cast<double>(distance(voxels[static_cast<std::size_t>(i)], voxels[static_cast<std::size_t>(j)]))) +
          (i == j ? 1 - smooth : 0);
  const Vector mean = e.mean(voxels);
  return 0.5 * std::erfc(-std::sqrt(mean.dot(covariance.llt().solve(mean)) / 2));
}

// ---- Methods.

struct Found {
  std::vector<bool> survived;  // [voxels]; empty: the method selects none
  Vector loss;                 // [test] -ln of the probability of the true condition
  Vector correct;              // [test] 0 or 1
};

struct Method {
  std::string name;
  std::function<Found(const Experiment&)> run;  // empty: not in this library
};

Found tested(std::vector<bool> survived, const Vector& probability, const Vector& labels) {
  Found found{std::move(survived), Vector(labels.size()), Vector(labels.size())};
  for (Index i = 0; i < labels.size(); ++i) {
    const double p = labels[i] > 0 ? probability[i] : 1 - probability[i];
    found.correct[i] = p > 0.5 ? 1 : 0;
    found.loss[i] = -std::log(std::max(p, 1e-9));  // the error of probabilities is 2e-9
  }
  return found;
}

Found logistic(const Experiment& e, FitOptions options) {
  options.keep_covariance = ardvark::Keep::always;
  options.threads = 1;
  const ardvark::LogisticFit fit = ardvark::fit_logistic(e.training.X, e.training.labels, options);
  return tested(fit.relevant, ardvark::predict(fit, e.test.X).probability, e.test.labels);
}

// Fits of two classes.
Found several_classes(const Experiment& e, ardvark::SoftmaxOptions options) {
  options.keep_covariance = ardvark::Keep::always;
  options.threads = 1;
  const ardvark::SoftmaxFit fit = ardvark::fit_softmax(e.training.X, e.training.labels, options);
  return tested(fit.relevant, ardvark::predict(fit, e.test.X).probability.col(1), e.test.labels);
}

Method preset(const std::string& name) {
  if (ardvark::is_softmax_preset(name))
    return {name, [name](const Experiment& e) { return several_classes(e, ardvark::softmax_options_for_preset(name)); }};
  return {name, [name](const Experiment& e) { return logistic(e, ardvark::options_for_preset(name)); }};
}

// The relevance vector machine of the toolbox, with the linear kernel between trials. It selects trials.
Found relevance_vectors(const Experiment& e) {
  ardvark::RelevanceOptions options{.kernel = ardvark::Kernel::linear(), .search = ardvark::KernelSearch::none};
  options.algorithm = ardvark::RelevanceAlgorithm::pruned;
  options.threads = 1;
  const ardvark::RelevanceClassification fit = ardvark::fit_relevance_classification(e.training.X, e.training.labels, options);
  return tested({}, ardvark::predict(fit, e.test.X).probability.col(1), e.test.labels);
}

// The ten voxels with the highest SC-values, and a fit with a shared precision on them.
Found first_by_selection_counts(const Experiment& e, bool quick) {
  const ardvark::SelectionCounts counts =
      ardvark::select_columns(e.training.X, e.training.labels, ardvark::logistic_selection(ardvark::options_for_preset("slr_var")),
                              {.folds = quick ? 5 : 10, .repeats = quick ? 1 : 5, .threads = 1});
  std::vector<Index> first = ardvark::ranking(counts);
  first.resize(num_informative);
  std::vector<bool> survived(num_voxels, false);
  for (const Index v : first) survived[static_cast<std::size_t>(v)] = true;
  const Matrix X = e.training.X(Eigen::all, first), X_test = e.test.X(Eigen::all, first);
  FitOptions options{.prior = ardvark::Prior::shared()};
  options.threads = 1;
  const ardvark::LogisticFit fit = ardvark::fit_logistic(X, e.training.labels, options);
  return tested(survived, ardvark::predict(fit, X_test).probability, e.test.labels);
}

// Chooses lambda by the log loss of 5-fold cross-validation, among ten values below the smallest lambda with all weights zero.
Found l1(const Experiment& e) {
  const Matrix centred = e.training.X.rowwise() - e.training.X.colwise().mean();
  const Eigen::RowVectorXd sd = (centred.colwise().squaredNorm() / static_cast<double>(centred.rows())).cwiseSqrt();
  const Vector residual = e.training.labels.array() - e.training.labels.mean();
  const double lambda_max = (residual.transpose() * centred).cwiseQuotient(sd).cwiseAbs().maxCoeff();
  double best = lambda_max, least = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= 10; ++i) {
    const double lambda = lambda_max * std::pow(0.75, i);
    const ardvark::SelectionCounts counts =
        ardvark::select_columns(e.training.X, e.training.labels, ardvark::logistic_selection({.prior = ardvark::Prior::laplace(lambda)}),
                                {.folds = 5, .repeats = 1, .threads = 1});
    if (counts.log_loss.mean < least) least = counts.log_loss.mean, best = lambda;
  }
  return logistic(e, {.prior = ardvark::Prior::laplace(best)});
}

std::vector<Method> methods(bool quick) {
  std::vector<Method> all;
  for (const char* name : {"slr_var", "slr_lap", "rlr_var", "rlr_lap"}) all.push_back(preset(name));
  all.push_back({"slr_rvm", relevance_vectors});
  for (const char* name : {"l1_slr_lap", "l1_slr_c", "smlr"}) all.push_back(preset(name));
  all.push_back({"VG with ARD", [](const Experiment& e) { return logistic(e, {.prior = ardvark::Prior::ard()}); }});
  all.push_back({"VG shared", [](const Experiment& e) { return logistic(e, {.prior = ardvark::Prior::shared()}); }});
  all.push_back({"L1, lambda by CV", l1});
  all.push_back({"slr_var, SC-value", [quick](const Experiment& e) { return first_by_selection_counts(e, quick); }});
  return all;
}

// ---- The table.

struct Cell {
  double hits = none, false_alarms = none, beside = none, accuracy = none, log_loss = none, seconds = none;
};

// Processor time of this thread: experiments run in parallel, each method on one thread.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Cell measure(const Method& method, const Experiment& e) {
  const double start = thread_seconds();
  const Found found = method.run(e);
  Cell cell;
  cell.seconds = thread_seconds() - start;
  cell.accuracy = found.correct.mean();
  cell.log_loss = found.loss.mean();
  if (found.survived.empty()) return cell;
  cell.hits = cell.false_alarms = cell.beside = 0;
  for (Index v = 0; v < num_voxels; ++v) {
    if (!found.survived[static_cast<std::size_t>(v)]) continue;
    Index nearest = num_voxels;
    for (const Index i : e.informative) nearest = std::min(nearest, distance(v, i));
    ++(nearest == 0 ? cell.hits : cell.false_alarms);
    if (nearest == 1) ++cell.beside;
  }
  return cell;
}

// Runs f(0), ..., f(count - 1) in parallel. Each fit uses one thread.
void in_parallel(int count, const std::function<void(int)>& f) {
  std::atomic<int> next = 0;
  std::vector<std::future<void>> workers;
  for (unsigned w = 0; w < std::max(std::thread::hardware_concurrency(), 1U); ++w)
    workers.push_back(std::async(std::launch::async, [&] {
      for (int i = next++; i < count; i = next++) f(i);
    }));
  for (std::future<void>& worker : workers) worker.get();
}

std::string number(const std::vector<Cell>& cells, double Cell::*value, const char* format) {
  Eigen::ArrayXd x(std::ssize(cells));
  for (Index i = 0; i < x.size(); ++i) x[i] = cells[static_cast<std::size_t>(i)].*value;
  if (!std::isfinite(x.mean())) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, x.mean());
  return text;
}

void report(Index num_trials, int num_experiments, bool quick, const std::string& only, std::FILE* csv) {
  std::vector<Method> all = methods(quick);
  std::erase_if(all, [&](const Method& m) { return !only.empty() && m.name != only; });
  std::vector<std::vector<Cell>> cells(all.size(), std::vector<Cell>(static_cast<std::size_t>(num_experiments)));
  Vector best(num_experiments), best_of_ten(num_experiments);
  in_parallel(num_experiments, [&](int number) {
    const Experiment e = experiment(num_trials, number);
    best[number] = best_accuracy(e, false);
    best_of_ten[number] = best_accuracy(e, true);
    for (std::size_t m = 0; m < all.size(); ++m)
      if (all[m].run) cells[m][static_cast<std::size_t>(number)] = measure(all[m], e);
  });
  std::printf("%td trials, %d experiments; the best rule reaches %.3f, on the ten voxels alone %.3f\n\n", num_trials, num_experiments,
              best.mean(), best_of_ten.mean());
  std::printf("| method            | found of 10 |  false | of these beside | accuracy | log loss | seconds |\n");
  std::printf("|-------------------|------------:|-------:|----------------:|---------:|---------:|--------:|\n");
  for (std::size_t m = 0; m < all.size(); ++m) {
    const std::vector<Cell>& c = cells[m];
    std::printf("| %-17s | %11s | %6s | %15s | %8s | %8s | %7s |\n", all[m].name.c_str(), number(c, &Cell::hits, "%.1f").c_str(),
                number(c, &Cell::false_alarms, "%.1f").c_str(), number(c, &Cell::beside, "%.1f").c_str(),
                number(c, &Cell::accuracy, "%.3f").c_str(), number(c, &Cell::log_loss, "%.3f").c_str(),
                number(c, &Cell::seconds, "%.2f").c_str());
    for (std::size_t i = 0; csv && all[m].run && i < c.size(); ++i)
      std::fprintf(csv, "%td,%zu,\"%s\",%s,%s,%s,%.6g,%.6g,%.4g,%.6g\n", num_trials, i, all[m].name.c_str(),
                   number({c[i]}, &Cell::hits, "%.0f").c_str(), number({c[i]}, &Cell::false_alarms, "%.0f").c_str(),
                   number({c[i]}, &Cell::beside, "%.0f").c_str(), c[i].accuracy, c[i].log_loss, c[i].seconds, best[static_cast<Index>(i)]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  std::string csv_path, only;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* option) { return std::strcmp(argv[i], option) == 0; };
    if (is("--quick"))
      quick = true;
    else if (is("--csv") && i + 1 < argc)
      csv_path = argv[++i];
    else if (is("--only") && i + 1 < argc)
      only = argv[++i];
    else {
      std::fprintf(stderr, "usage: decoding [--quick] [--csv FILE] [--only METHOD]\n");
      return 2;
    }
  }
  try {
    std::FILE* csv = nullptr;
    if (!csv_path.empty() && (csv = std::fopen(csv_path.c_str(), "w")) == nullptr) throw std::runtime_error("cannot write " + csv_path);
    if (csv) std::fprintf(csv, "trials,experiment,method,found,false,beside,accuracy,log_loss,seconds,best_accuracy\n");
    for (const Index num_trials : quick ? std::vector<Index>{100} : std::vector<Index>{50, 100, 200})
      report(num_trials, quick ? 2 : 10, quick, only, csv);
    if (csv && std::fclose(csv) != 0) throw std::runtime_error("cannot write " + csv_path);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "decoding: %s\n", e.what());
    return 1;
  }
}
