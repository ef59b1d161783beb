// The tables of the papers on relevance vector machines: published numbers and those of ardvark. See README.md in this folder.
//
//     relevance_vectors                                 all, some minutes; run it in the folder that holds examples/data
//     relevance_vectors --quick --csv tables.csv        fewer sets, no cross-validation
//     relevance_vectors --data FOLDER --only boston     one problem
//     relevance_vectors --method "kernel machine"       one column
#include <Eigen/Dense>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <future>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <thread>

#include "ardvark/kernel_machine.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/table.hpp"

namespace {

using ardvark::Index, ardvark::Kernel, ardvark::KernelSearch, ardvark::Matrix, ardvark::RelevanceOptions, ardvark::Vector;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

// ---- Random numbers that are the same with every compiler, unlike the distributions of <random>.

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double uniform(double from = 0, double to = 1) { return from + (to - from) * static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  std::vector<Index> permutation(Index n) {
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t i = order.size(); i-- > 1;)
      std::swap(order[i], order[static_cast<std::size_t>(uniform() * static_cast<double>(i + 1))]);
    return order;
  }

 private:
  std::mt19937_64 bits_;
};

// ---- Data.

struct Sample {
  Matrix X;
  Vector y;  // the target, or classes 0 and 1
};

Sample rows_of(const Sample& sample, const std::vector<Index>& rows) { return {sample.X(rows, Eigen::all), sample.y(rows)}; }

Sample read(const std::string& path, const std::string& target) {
  ardvark::Table table = ardvark::read_csv(path);
  const Vector y = ardvark::column_values(table, table.at(target));
  const ardvark::FeatureEncoding encoding = ardvark::make_encoding(table, {target});
  const ardvark::EncodedTable inputs = ardvark::encode(std::move(table), encoding);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return {Eigen::Map<const RowMajor>(inputs.values.get(), inputs.rows, inputs.cols), y};
}

// Rows drawn from a box, with a function of each row as target.
template <typename Function>
Sample generate(Random& random, Index n, const std::vector<std::pair<double, double>>& box, Function&& f, double noise_sd) {
  Sample sample{Matrix(n, static_cast<Index>(box.size())), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < box.size(); ++j) sample.X(i, static_cast<Index>(j)) = random.uniform(box[j].first, box[j].second);
    sample.y[i] = f(sample.X.row(i)) + noise_sd * random.normal();
  }
  return sample;
}

struct Split {
  Sample training, test;  // in generated data, the test rows have no noise
};

// ---- The problems, with the numbers in the papers.

struct Numbers {
  double error = none, vectors = none, noise = none;
};

// The columns of the table. The first three have the same kernel.
enum Method { plain, variational, type_two, automatic, kernel_machine, num_methods };
constexpr const char* method_names[num_methods] = {"plain", "variational", "type-II", "auto", "kernel machine"};

struct Problem {
  std::string name, title, error_name;
  int decimals = 2;
  bool classes = false;
  std::function<double(const Vector& residual)> error;  // of the test rows; classes: the residual is 1 if the class is wrong
  Numbers published = {};
  int sets = 1, quick_sets = 1;
  std::function<Split(int set)> split = {};
  Kernel kernel = Kernel::gaussian(1);  // not used by `auto`
  bool standardize = true;              // not used by `auto`
  std::vector<double> grid = {};        // values of the kernel's parameter for cross-validation; empty: the kernel does not change
  bool validate_each = false;           // true: each set has its own parameter; false: all use that of the first set
  double quick_parameter = 1;           // the parameter with --quick
  RelevanceOptions auto_options = {};
  std::vector<Method> methods = {plain, variational, type_two, automatic, kernel_machine};
  std::vector<Method> quick_methods = {plain, variational, type_two, automatic};
};

double mean_square(const Vector& residual) { return residual.squaredNorm() / static_cast<double>(residual.size()); }
double root_mean_square(const Vector& residual) { return std::sqrt(mean_square(residual)); }
double percent(const Vector& wrong) { return 100 * wrong.mean(); }
double count(const Vector& wrong) { return wrong.sum(); }

double sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }

Split sinc_split(int repetition) {
  Random random(1000 + static_cast<std::uint64_t>(repetition));
  Split split{generate(
                  random, 50, {{-10, 10}}, [](const auto& x) { return sinc(x[0]); }, 0.1),
              {}};
  split.test.X = Vector::LinSpaced(1001, -10, 10);
  split.test.y = split.test.X.col(0).unaryExpr(&sinc);
  return split;
}

template <typename Function>
Split friedman_split(std::uint64_t seed, const std::vector<std::pair<double, double>>& box, Function&& f, double noise_sd) {
  Random random(seed);
  return {generate(random, 240, box, f, noise_sd), generate(random, 1000, box, f, 0)};
}

using Row = Eigen::RowVectorXd;
double friedman_1(const Row& x) {
  return 10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * std::pow(x[2] - 0.5, 2) + 10 * x[3] + 5 * x[4];
}
double reactance(const Row& x) { return x[1] * x[2] - 1 / (x[1] * x[3]); }
double friedman_2(const Row& x) { return std::hypot(x[0], reactance(x)); }  // impedance of an alternating current circuit
double friedman_3(const Row& x) { return std::atan(reactance(x) / x[0]); }  // its phase

Split boston_split(const Sample& tracts, const ardvark::Table& partitions, int repetition) {
  std::vector<bool> is_test(static_cast<std::size_t>(tracts.y.size()));
  for (Index i = 0; i < partitions.num_rows; ++i) is_test.at(static_cast<std::size_t>(partitions.value(i, repetition)) - 1) = true;
  std::vector<Index> training, test;
  for (std::size_t i = 0; i < is_test.size(); ++i) (is_test[i] ? test : training).push_back(static_cast<Index>(i));
  return {rows_of(tracts, training), rows_of(tracts, test)};
}

std::vector<Problem> all_problems(const std::string& data) {
  const Sample tracts = read(data + "/Boston.csv", "medv");
  const auto partitions = std::make_shared<const ardvark::Table>(ardvark::read_csv(data + "/boston_splits_481_25.csv"));
  const auto boston = [=](int repetition) { return boston_split(tracts, *partitions, repetition); };
  const Sample synthetic = read(data + "/synth.tr.csv", "yc"), synthetic_test = read(data + "/synth.te.csv", "yc");
  const auto ripley = [=](int repetition) {
    std::vector<Index> rows = Random(2000 + static_cast<std::uint64_t>(repetition)).permutation(synthetic.y.size());
    rows.resize(100);
    return Split{rows_of(synthetic, rows), synthetic_test};
  };
  const Split women{read(data + "/Pima.tr.csv", "type"), read(data + "/Pima.te.csv", "type")};

  const std::vector<std::pair<double, double>> cube(10, {0, 1});
  const double pi = std::numbers::pi;
  const std::vector<std::pair<double, double>> circuit{{0, 100}, {40 * pi, 560 * pi}, {0, 1}, {1, 11}};
  const auto friedman = [](const auto& box, auto f, double noise_sd, std::uint64_t seed) {
    return [=](int repetition) { return friedman_split(seed + static_cast<std::uint64_t>(repetition), box, f, noise_sd); };
  };
  const std::vector<double> widths{1, 1.5, 2, 3, 4, 6, 8, 12};  // for standardised inputs
  const RelevanceOptions a_width_per_input{.kernel = Kernel::gaussian(std::vector<double>(cube.size(), 1.0)), .search = KernelSearch::each};
  const std::vector<Method> quickly{plain, variational, type_two};

  std::vector<Problem> all;
  all.push_back({.name = "sinc",
                 .title = "sinc",
                 .error_name = "rms error",
                 .decimals = 4,
                 .error = root_mean_square,
                 .published = {0.0494, 7.4, 0.0950},
                 .sets = 25,
                 .quick_sets = 10,
                 .split = sinc_split,
                 .standardize = false,
                 .grid = {1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6},
                 .validate_each = true,
                 .quick_parameter = 3});
  all.push_back({.name = "boston",
                 .title = "Boston housing",
                 .error_name = "mean square error",
                 .error = mean_square,
                 .published = {10.36, 40.9},
                 .sets = 10,
                 .split = boston,
                 .kernel = Kernel::polynomial(3),
                 .grid = {1, 3, 10, 30, 100, 300, 1000},
                 .quick_parameter = 3,
                 .auto_options = {.kernel = Kernel::polynomial(3)},
                 .quick_methods = {variational}});
  all.push_back({.name = "ripley",
                 .title = "Ripley's synthetic data",
                 .error_name = "error, %",
                 .decimals = 1,
                 .classes = true,
                 .error = percent,
                 .published = {9.2, 4},
                 .sets = 25,
                 .quick_sets = 10,
                 .split = ripley,
                 .kernel = Kernel::gaussian(0.5),
                 .standardize = false,
                 .quick_methods = quickly});
  all.push_back({.name = "pima",
                 .title = "Pima diabetes",
                 .error_name = "errors of 332",
                 .decimals = 0,
                 .classes = true,
                 .error = count,
                 .published = {65, 4},
                 .split = [=](int) { return women; },
                 .grid = {2, 3, 4, 6, 8, 12, 16},
                 .quick_parameter = 6,
                 .quick_methods = quickly});
  all.push_back({.name = "friedman_1",
                 .title = "Friedman 1",
                 .error_name = "mean square error",
                 .error = mean_square,
                 .published = {2.80, 59.4},
                 .sets = 5,
                 .split = friedman(cube, friedman_1, 1, 3000),
                 .grid = widths,
                 .quick_parameter = 6,
                 .quick_methods = {plain}});
  all.push_back({.name = "friedman_1_each",
                 .title = "Friedman 1, a width per input",
                 .error_name = "mean square error",
                 .error = mean_square,
                 .published = {0.27, 6.3},
                 .sets = 5,
                 .split = friedman(cube, friedman_1, 1, 3000),
                 .auto_options = a_width_per_input,
                 .methods = {automatic},
                 .quick_methods = {}});
  all.push_back({.name = "friedman_2",
                 .title = "Friedman 2",
                 .error_name = "mean square error",
                 .decimals = 0,
                 .error = mean_square,
                 .published = {3505, 6.9},
                 .sets = 5,
                 .split = friedman(circuit, friedman_2, 125, 4000),
                 .grid = widths,
                 .quick_parameter = 6,
                 .quick_methods = quickly});
  all.push_back({.name = "friedman_3",
                 .title = "Friedman 3",
                 .error_name = "mean square error",
                 .decimals = 4,
                 .error = mean_square,
                 .published = {0.0164, 11.5},
                 .sets = 5,
                 .split = friedman(circuit, friedman_3, 0.1, 5000),
                 .grid = widths,
                 .quick_parameter = 3,
                 .quick_methods = quickly});
  return all;
}

// ---- Fits.

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

Vector indicator(const std::vector<Index>& most_probable, const Vector& y) {
  Vector wrong(y.size());
  for (Index i = 0; i < y.size(); ++i) wrong[i] = most_probable[static_cast<std::size_t>(i)] != static_cast<Index>(y[i]);
  return wrong;
}

Numbers measure(const Problem& problem, const Split& split, const RelevanceOptions& options) {
  const auto& [training, test] = split;
  if (problem.classes) {
    const ardvark::RelevanceClassification fit = ardvark::fit_relevance_classification(training.X, training.y, options);
    return {problem.error(indicator(ardvark::predict(fit, test.X).most_probable, test.y)), static_cast<double>(fit.num_vectors())};
  }
  const ardvark::RelevanceRegression fit = ardvark::fit_relevance_regression(training.X, training.y, options);
  return {problem.error(ardvark::predict(fit, test.X).mean - test.y), static_cast<double>(fit.num_vectors()),
          ardvark::noise_sd(fit.machines.front().fit)};
}

Numbers measure_kernel_machine(const Problem& problem, const Split& split) {
  const auto& [training, test] = split;
  const ardvark::KernelOptions options{.threads = 1};
  if (problem.classes) {
    const ardvark::KernelClassification fit = ardvark::fit_kernel_classification(training.X, training.y, options);
    return {problem.error(indicator(ardvark::predict(fit, test.X).most_probable, test.y)), static_cast<double>(fit.num_vectors())};
  }
  const ardvark::KernelRegression fit = ardvark::fit_kernel_regression(training.X, training.y, options);
  return {problem.error(ardvark::predict(fit, test.X).mean - test.y), static_cast<double>(fit.num_vectors()), fit.noise_sd};
}

// Loss on rows left out: the sum of squared errors, or of -ln of the predicted probability of the true class.
double loss(const Problem& problem, const Split& split, const RelevanceOptions& options) {
  const auto& [training, test] = split;
  if (!problem.classes)
    return (ardvark::predict(ardvark::fit_relevance_regression(training.X, training.y, options), test.X).mean - test.y).squaredNorm();
  const Matrix p = ardvark::predict(ardvark::fit_relevance_classification(training.X, training.y, options), test.X).probability;
  double sum = 0;
  for (Index i = 0; i < p.rows(); ++i) sum -= std::log(p(i, static_cast<Index>(test.y[i])));
  return sum;
}

Kernel with_parameter(const Kernel& kernel, double value) { return kernel.with_log_parameters({std::log(value)}); }

// The kernel with the smallest loss over five folds.
Kernel cross_validated(const Problem& problem, const Sample& sample, RelevanceOptions options, Random random) {
  constexpr std::size_t num_folds = 5;
  const std::vector<Index> order = random.permutation(sample.y.size());
  std::vector<double> losses(problem.grid.size(), 0);
  for (std::size_t fold = 0; fold < num_folds; ++fold) {
    std::vector<Index> in, out;
    for (std::size_t i = 0; i < order.size(); ++i) (i % num_folds == fold ? out : in).push_back(order[i]);
    const Split split{rows_of(sample, in), rows_of(sample, out)};
    for (std::size_t g = 0; g < problem.grid.size(); ++g) {
      options.kernel = with_parameter(problem.kernel, problem.grid[g]);
      losses[g] += loss(problem, split, options);
    }
  }
  const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
  return with_parameter(problem.kernel, problem.grid[static_cast<std::size_t>(best)]);
}

// The options of the first three methods, without the algorithm.
RelevanceOptions options_for(const Problem& problem, int set, bool quick) {
  RelevanceOptions options{.kernel = problem.kernel, .search = KernelSearch::none, .standardize = problem.standardize, .threads = 1};
  if (problem.grid.empty()) return options;
  options.kernel = quick ? with_parameter(problem.kernel, problem.quick_parameter)
                         : cross_validated(problem, problem.split(set).training, options, Random(static_cast<std::uint64_t>(set)));
  return options;
}

struct Cell {
  Numbers numbers;
  double seconds = 0;
};

// [sets][methods]
std::vector<std::vector<Cell>> run(const Problem& problem, bool quick) {
  using ardvark::RelevanceAlgorithm;
  const int sets = quick ? problem.quick_sets : problem.sets;
  const std::vector<Method>& methods = quick ? problem.quick_methods : problem.methods;
  const bool all_auto = std::ranges::all_of(methods, [](Method method) { return method >= automatic; });
  const RelevanceOptions of_first = problem.validate_each || all_auto ? RelevanceOptions{} : options_for(problem, 0, quick);
  std::vector<std::vector<Cell>> cells(static_cast<std::size_t>(sets), std::vector<Cell>(num_methods));
  in_parallel(sets, [&](int set) {
    const Split split = problem.split(set);
    const RelevanceOptions same = problem.validate_each ? options_for(problem, set, quick) : of_first;
    for (const Method method : methods) {
      RelevanceOptions options = method == automatic ? problem.auto_options : same;
      options.threads = 1;
      if (method == plain) options.algorithm = RelevanceAlgorithm::plain;
      if (method == type_two) options.algorithm = RelevanceAlgorithm::type_two;
      const auto start = std::chrono::steady_clock::now();
      Cell& cell = cells[static_cast<std::size_t>(set)][method];
      cell.numbers = method == kernel_machine ? measure_kernel_machine(problem, split) : measure(problem, split, options);
      cell.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  });
  return cells;
}

// ---- The table.

struct Average {
  double mean = none, standard_error = none;
};

Average average(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const Eigen::Map<const Eigen::ArrayXd> x(values.data(), static_cast<Index>(values.size()));
  return {x.mean(), values.size() > 1 ? std::sqrt((x - x.mean()).square().sum() / (n - 1) / n) : none};
}

std::string number(double value, int decimals) {
  if (std::isnan(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string number(const Average& value, int decimals) {
  const std::string mean = number(value.mean, decimals);
  return std::isnan(value.standard_error) ? mean : mean + " ± " + number(value.standard_error, decimals);
}

void print_cell(const std::string& text, int width) {
  const bool has_sign = text.find("±") != std::string::npos;  // two bytes, but one character
  std::printf(" %*s |", width + has_sign, text.c_str());
}

struct Line {
  std::string quantity;
  int decimals;
  double published;
  double Numbers::*value;
};

void report(const Problem& problem, bool quick, std::FILE* csv) {
  const std::vector<std::vector<Cell>> cells = run(problem, quick);
  const Line lines[] = {{problem.error_name, problem.decimals, problem.published.error, &Numbers::error},
                        {"relevance vectors", 1, problem.published.vectors, &Numbers::vectors},
                        {"noise sd", 4, problem.published.noise, &Numbers::noise}};
  for (const Line& line : lines) {
    if (line.value == &Numbers::noise && std::isnan(line.published)) continue;
    const bool first = line.value == &Numbers::error;
    std::printf("| %-29s | %4s | %-17s |", first ? problem.title.c_str() : "", first ? std::to_string(cells.size()).c_str() : "",
                line.quantity.c_str());
    print_cell(number(line.published, line.decimals), 9);
    for (std::size_t method = 0; method < num_methods; ++method) {
      std::vector<double> values, seconds;
      for (const std::vector<Cell>& set : cells) {
        values.push_back(set[method].numbers.*line.value);
        seconds.push_back(set[method].seconds);
      }
      const Average obtained = average(values);
      print_cell(number(obtained, line.decimals), 16);
      if (csv == nullptr || std::isnan(obtained.mean)) continue;
      std::fprintf(csv, "%s,\"%s\",%s,%s,%zu,%.6g,%s,%.3g\n", problem.name.c_str(), line.quantity.c_str(), method_names[method],
                   number(line.published, line.decimals).c_str(), cells.size(), obtained.mean,
                   std::isnan(obtained.standard_error) ? "" : number(obtained.standard_error, 6).c_str(), average(seconds).mean);
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  std::string data = "examples/data", csv_path, only, column;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* option) { return std::strcmp(argv[i], option) == 0; };
    if (is("--quick"))
      quick = true;
    else if (is("--data") && i + 1 < argc)
      data = argv[++i];
    else if (is("--csv") && i + 1 < argc)
      csv_path = argv[++i];
    else if (is("--only") && i + 1 < argc)
      only = argv[++i];
    else if (is("--method") && i + 1 < argc)
      column = argv[++i];
    else {
      std::fprintf(stderr, "usage: relevance_vectors [--quick] [--data FOLDER] [--csv FILE] [--only PROBLEM] [--method NAME]\n");
      return 2;
    }
  }
  try {
    std::vector<Problem> all = all_problems(data);
    if (!column.empty())
      for (Problem& problem : all) std::erase_if(problem.methods, [&](Method one) { return column != method_names[one]; });
    std::FILE* csv = nullptr;
    if (!csv_path.empty() && (csv = std::fopen(csv_path.c_str(), "w")) == nullptr) throw std::runtime_error("cannot write " + csv_path);
    if (csv) std::fprintf(csv, "problem,quantity,method,published,sets,mean,standard_error,seconds\n");
    std::printf("| %-29s | sets | %-17s | %9s |", "problem", "quantity", "published");
    for (const char* name : method_names) std::printf(" %16s |", name);
    std::printf("\n|%s|-----:|%s|----------:|", std::string(31, '-').c_str(), std::string(19, '-').c_str());
    for (int method = 0; method < num_methods; ++method) std::printf("%s:|", std::string(17, '-').c_str());
    std::printf("\n");
    for (const Problem& problem : all)
      if ((only.empty() || problem.name == only) && !(quick ? problem.quick_methods : problem.methods).empty()) report(problem, quick, csv);
    if (csv && std::fclose(csv) != 0) throw std::runtime_error("cannot write " + csv_path);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "relevance_vectors: %s\n", e.what());
    return 1;
  }
}
