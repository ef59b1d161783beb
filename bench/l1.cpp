// L1 logistic regression compared with two peers at the same objective, 2000 rows and 5000 columns.
//
// The peers are liblinear, if liblinear-dev is installed, and glmnet, if Rscript and r-cran-glmnet are (bench/glmnet.R, by scripts/bench).
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "ardvark/logistic.hpp"
#include "relevance.hpp"
#ifdef ARDVARK_HAS_LIBLINEAR
#include <linear.h>
#endif

namespace {

using namespace ardvark;
using bench::Seconds;

// Neighbouring columns have correlation 1/2, fifty have a weight.
struct Data {
  Matrix X;
  Vector labels;  // 0, 1

  Data(Index n, Index p) : X(n, p), labels(n) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < p; ++j) X(i, j) = j == 0 ? normal(random) : 0.5 * X(i, j - 1) + std::sqrt(0.75) * normal(random);
    Vector w = Vector::Zero(p);
    for (int i = 0; i < 50; ++i) w[static_cast<Index>(random() % static_cast<std::uint64_t>(p))] = 0.7 * normal(random);
    const Vector m = X * w;
    for (Index i = 0; i < n; ++i) labels[i] = uniform(random) < 1 / (1 + std::exp(-m[i])) ? 1 : 0;
    for (Index j = 0; j < p; ++j) {
      X.col(j).array() -= X.col(j).mean();
      X.col(j) *= std::sqrt(static_cast<double>(n)) / X.col(j).norm();
    }
  }
  // sum ln p(t) - lambda sum |w|, for columns that are not scaled.
  [[nodiscard]] double objective(const Vector& w, double intercept, double lambda) const {
    const Vector m = (X * w).array() + intercept;
    double sum = -lambda * w.lpNorm<1>();
    for (Index i = 0; i < m.size(); ++i) {
      const double z = labels[i] > 0 ? m[i] : -m[i];
      sum -= z > 0 ? std::log1p(std::exp(-z)) : -z + std::log1p(std::exp(z));
    }
    return sum;
  }
};

#ifdef ARDVARK_HAS_LIBLINEAR
// Neither has an intercept: liblinear would penalise its own.
void against_liblinear(const Data& data) {
  const Index n = data.X.rows(), p = data.X.cols();
  std::vector<feature_node> nodes(static_cast<std::size_t>(n * (p + 1)));
  std::vector<feature_node*> rows(static_cast<std::size_t>(n));
  std::vector<double> y(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    feature_node* row = nodes.data() + i * (p + 1);
    for (Index j = 0; j < p; ++j) row[j] = {static_cast<int>(j + 1), data.X(i, j)};
    row[p] = {-1, 0};
    rows[static_cast<std::size_t>(i)] = row;
    y[static_cast<std::size_t>(i)] = data.labels[i] > 0 ? 1 : -1;
  }
  problem table{static_cast<int>(n), static_cast<int>(p), y.data(), rows.data(), -1};
  set_print_string_function([](const char*) {});
  const double lambda_max = (data.X.transpose() * (data.labels.array() - 0.5).matrix()).cwiseAbs().maxCoeff();
  for (double part : {0.3, 0.1, 0.03, 0.01}) {
    const double lambda = part * lambda_max;
    FitOptions options;
    options.prior = Prior::laplace(lambda);
    options.intercept = options.standardize = false;
    LogisticFit fit;
    const Seconds ours = bench::median_of(3, [&] { fit = fit_logistic(data.X, data.labels, options); });
    const double best = data.objective(fit.mean, 0, lambda);
    fmt::print("lambda {:.2f} lambda_max, {} columns: {:.3f} s, {}\n", part, (fit.mean.array() != 0).count(), ours.clock,
               fit.report.message);
    for (double eps = 1e-2; eps > 1e-12; eps /= 10) {
      parameter settings{};
      settings.solver_type = L1R_LR;
      settings.C = 1 / lambda;
      settings.eps = eps;
      model* peer = nullptr;
      const Seconds theirs = bench::time_of([&] { peer = train(&table, &settings); });
      const double sign = peer->label[0] > 0 ? 1 : -1;
      const double objective = data.objective(sign * Eigen::Map<const Vector>(peer->w, p), 0, lambda);
      free_and_destroy_model(&peer);
      const double behind = (best - objective) / std::abs(best);
      if (behind > 1e-6 && theirs.clock < 60) continue;
      fmt::print("        liblinear {:.3f} s at eps {:.0e}, its objective {:.1e} behind: {:.1f} times as long\n", theirs.clock, eps, behind,
                 theirs.clock / ours.clock);
      break;
    }
  }
}
#endif

// Writes the table and the objectives for glmnet.R: doubles, X by columns.
void path(const Data& data, const std::string& folder) {
  const Index n = data.X.rows();
  for (const double smallest : {0.05, 0.01}) {
    LambdaPath path;
    const Seconds time = bench::median_of(3, [&] { path = fit_logistic_path(data.X, data.labels, {.count = 50, .smallest = smallest}); });
    int passes = 0;
    double worst = 0;
    std::vector<double> record;
    for (Index i = 0; i < path.lambda.size(); ++i) {
      passes += path.reports[static_cast<std::size_t>(i)].sweeps;
      record.push_back(path.lambda[i] / static_cast<double>(n));
      record.push_back(data.objective(path.mean.col(i), path.intercept[i], path.lambda[i]));
      worst = std::max(worst, path.reports[static_cast<std::size_t>(i)].status == Status::converged ? 0.0 : 1.0);
    }
    fmt::print("path of 50 lambdas to {} lambda_max, {} columns at the end: {:.3f} s, {} steps{}\n", smallest, path.num_nonzero.back(),
               time.clock, passes, worst > 0 ? ", NOT CONVERGED" : "");
    if (folder.empty()) continue;
    record.push_back(time.clock);
    std::ofstream out(folder + fmt::format("/path_{}.bin", smallest), std::ios::binary);
    out.write(reinterpret_cast<const char*>(record.data()), static_cast<std::streamsize>(record.size() * sizeof(double)));
  }
  if (folder.empty()) return;
  std::ofstream X(folder + "/X.bin", std::ios::binary), y(folder + "/labels.bin", std::ios::binary);
  X.write(reinterpret_cast<const char*>(data.X.data()), static_cast<std::streamsize>(data.X.size() * 8));
  y.write(reinterpret_cast<const char*>(data.labels.data()), static_cast<std::streamsize>(data.labels.size() * 8));
}

}  // namespace

int main(int argc, char** argv) {
  const Data data(2000, 5000);
  const std::string what = argc > 2 ? argv[2] : "all";
  if (what != "liblinear") path(data, argc > 1 ? argv[1] : "");
#ifdef ARDVARK_HAS_LIBLINEAR
  if (what != "path") against_liblinear(data);
#else
  fmt::print("(no liblinear here)\n");
#endif
}
