// Relevance vector machines: the fast algorithm compared with plain sweeps, large designs, and two peers on the same data and kernel.
//
// The peers are dlib, if libdlib-dev is installed, and kernlab, if Rscript and r-cran-kernlab are (bench/kernlab.R, by scripts/bench).
#include "relevance.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "ardvark/relevance.hpp"
#include "core/logistic_rows.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "design/kernel_design.hpp"
#if __has_include(<dlib/svm.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <dlib/svm.h>
#pragma GCC diagnostic pop
#define ARDVARK_HAS_DLIB 1
#endif

namespace {

using namespace ardvark;
using namespace ardvark::internal;
using bench::Data;
using bench::Seconds;

RelevanceOptions fixed_width(double width) {
  RelevanceOptions options;
  options.kernel = Kernel::gaussian(width);
  options.search = KernelSearch::none;
  options.standardize = false;
  options.compare_up_to = 0;
  return options;
}

// Sweeps of the published variational program until one gains less than a millionth of a nat.
void against_plain_sweeps() {
  const Data data = bench::sinc(500);
  RelevanceRegression fast, plain;
  const Seconds quick = bench::median_of(5, [&] { fast = fit_relevance_regression(data.x, data.y, fixed_width(3)); });
  RelevanceOptions options = fixed_width(3);
  options.algorithm = RelevanceAlgorithm::plain;
  options.max_sweeps = 100000;
  double last = -1e300;
  int sweeps = 0;
  options.on_sweep = [&](const Progress& p) {
    ++sweeps;
    const bool go_on = std::abs(p.bound - last) > 1e-6;
    last = p.bound;
    return go_on;
  };
  const Seconds slow = bench::time_of([&] { plain = fit_relevance_regression(data.x, data.y, options); });
  fmt::print("sinc, 500 rows: fast {:.4f} s, log evidence {:.4f}, {} vectors\n", quick.clock, fast.log_evidence, fast.num_vectors());
  fmt::print("        plain sweeps {:.2f} s, log evidence {:.4f}, {} vectors, {} sweeps: {:.0f} times as long\n", slow.clock,
             plain.log_evidence, plain.num_vectors(), sweeps, slow.clock / quick.clock);
}

void large(Index n) {
  const Data data = bench::sinc(n);
  RelevanceRegression fit;
  const Seconds time = bench::time_of([&] { fit = fit_relevance_regression(data.x, data.y, fixed_width(3)); });
  fmt::print("sinc, {} rows: {:.2f} s, {} vectors, log evidence {:.3f}, peak memory {:.0f} MB\n", n, time.clock, fit.num_vectors(),
             fit.log_evidence, bench::peak_megabytes());
}

#ifdef ARDVARK_HAS_DLIB
// The log evidence of dlib's machine, which dlib does not return. At its weights w the gradient is zero, so alpha_j w_j equals the gradient
// of the log likelihood, phi_j'(t - sigma(Phi w)) or tau phi_j'(t - Phi w). For the noise, the best tau is taken.
// (GREEDY.4), (GREEDY.5)
double evidence_at(const Matrix& Phi, const Vector& t, const Vector& w, GreedyLikelihood likelihood) {
  const Index n = t.size();
  const Vector m = Phi * w;
  const auto evidence = [&](const Vector& omega, const Vector& error, double log_likelihood) {
    const Vector alpha = (Phi.transpose() * error).cwiseQuotient(w);
    Matrix H = Phi.transpose() * omega.asDiagonal() * Phi;
    H.diagonal() += alpha;
    const Vector pivots = Eigen::LLT<Matrix>(H).matrixLLT().diagonal();
    return log_likelihood - 0.5 * alpha.dot(w.cwiseAbs2()) + 0.5 * alpha.array().log().sum() - pivots.array().log().sum();
  };
  if (likelihood == GreedyLikelihood::bernoulli) {
    Vector p, q;
    const double height = logistic_rows(m, t, Vector::Ones(n), p, q);
    return evidence(p.cwiseProduct(q), t - p, height);
  }
  const double square = (t - m).squaredNorm();
  double best = -std::numeric_limits<double>::infinity();
  for (double factor = 0.8; factor < 1.25; factor *= 1.001) {
    const double tau = factor * static_cast<double>(n) / square;
    best = std::max(best, evidence(Vector::Constant(n, tau), tau * (t - m),
                                   0.5 * static_cast<double>(n) * (std::log(tau) - ln_2pi) - 0.5 * tau * square));
  }
  return best;
}

// dlib adds 0.001 to the kernel and has no bias. Its decision function uses the kernel with that constant. It is partly chance in which
// maximum each program ends, so there are several data sets.
template <typename Trainer, int inputs>
void against_dlib(const char* name, Data (*draw)(Index, unsigned), Index n, double width, GreedyLikelihood likelihood) {
  using Point = dlib::matrix<double, inputs, 1>;
  using Radial = dlib::radial_basis_kernel<Point>;
  std::vector<double> ratios;
  for (unsigned seed = 1; seed <= 7; ++seed) {
    const Data data = draw(n, seed);
    std::vector<Point> x(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i)
      for (int j = 0; j < inputs; ++j) x[static_cast<std::size_t>(i)](j) = data.x(i, j);
    const std::vector<double> y(data.y.begin(), data.y.end());
    Trainer trainer;
    trainer.set_kernel(Radial(1 / (width * width)));
    dlib::decision_function<Radial> theirs;
    const Seconds slow = bench::time_of([&] { theirs = trainer.train(x, y); });
    const Vector t = likelihood == GreedyLikelihood::gaussian ? data.y : Vector((data.y.array() > 0).cast<double>());
    GreedyOutcome ours;
    const Seconds quick = bench::median_of(3, [&] {
      const bool regression = likelihood == GreedyLikelihood::gaussian;
      GreedySettings settings;
      settings.likelihood = likelihood;
      settings.alike = true;
      if (!regression) settings.tolerance = 1e-3;  // as dlib's epsilon
      KernelDesign design(Kernel::gaussian(width) + 0.001 * Kernel::gaussian(1e8), data.x, data.x, false, KernelDesign::Keep::factors,
                          regression ? KernelDesign::Factoring{} : KernelDesign::Factoring::rough(n, settings.tolerance));
      ours = greedy(design, t, settings);
    });
    Matrix C(theirs.basis_vectors.size(), inputs), K(n, C.rows());
    for (Index i = 0; i < C.rows(); ++i)
      for (int j = 0; j < inputs; ++j) C(i, j) = theirs.basis_vectors(i)(j);
    Kernel::gaussian(width).evaluate(data.x, C, K);
    K.array() += 0.001;
    const Vector w = Eigen::Map<const Vector>(theirs.alpha.begin(), C.rows());
    const double their_evidence = evidence_at(K, t, w, likelihood);
    ratios.push_back(slow.clock / quick.clock);
    fmt::print("{}, {} rows: dlib {:.3f} s, {} vectors, log evidence {:.3f}; ardvark {:.3f} s, {} vectors, {:.3f}: {:.1f} times\n", name, n,
               slow.clock, C.rows(), their_evidence, quick.clock, ours.columns.size(), ours.log_evidence, ratios.back());
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print("        median: {:.1f} times as fast\n", ratios[ratios.size() / 2]);
}
#endif

// Writes the data for kernlab.R, which prints its own time.
void against_kernlab(const std::string& folder) {
  const Data data = bench::sinc(1000);
  std::ofstream file(folder + "/sinc.csv");
  file << "x,y\n";
  for (Index i = 0; i < 1000; ++i) file << fmt::format("{},{}\n", data.x(i, 0), data.y[i]);
  file.close();
  RelevanceRegression fit;
  const Seconds time = bench::median_of(3, [&] { fit = fit_relevance_regression(data.x, data.y, fixed_width(3)); });
  fmt::print("sinc, 1000 rows: ardvark {:.3f} s, {} vectors, training error {:.5f}\n", time.clock, fit.num_vectors(),
             (predict(fit, data.x).mean - data.y).norm() / std::sqrt(1000.0));
}

}  // namespace

int main(int argc, char** argv) {
  against_plain_sweeps();
  large(2000);
#ifdef ARDVARK_HAS_DLIB
  using Line = dlib::radial_basis_kernel<dlib::matrix<double, 1, 1>>;
  using Plane = dlib::radial_basis_kernel<dlib::matrix<double, 2, 1>>;
  against_dlib<dlib::rvm_regression_trainer<Line>, 1>("sinc", bench::sinc, 2000, 3, GreedyLikelihood::gaussian);
  against_dlib<dlib::rvm_trainer<Plane>, 2>("two classes", bench::two_classes, 2000, 0.5, GreedyLikelihood::bernoulli);
#else
  std::puts("(dlib was not there when this was built: apt-get install libdlib-dev)");
#endif
  if (argc > 1) against_kernlab(argv[1]);
  large(20000);
  return 0;
}
