// Compares one sweep of each solver with the BLAS and LAPACK calls of the same shapes alone, in turns in one run; medians.
//
// Stages: gram (SYRK), factor (POTRF), invert (TRTRI), moments (TRMM, and two products with a vector). The calls alone work on arrays that
// are ready; the solver also reads, weights and standardises the rows.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <random>

#include "core/blas.hpp"
#include "design/dense.hpp"
#include "posterior/solver.hpp"

namespace {

using namespace ardvark;
using namespace ardvark::internal;
using Clock = std::chrono::steady_clock;

double time_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

constexpr int repeats = 11;

void compare(const std::string& name, Index n, Index p, const std::function<void()>& sweep, const std::function<void()>& bare) {
  std::vector<double> ours, theirs, ratios;
  sweep();
  bare();
  for (int i = 0; i < repeats; ++i) {
    ours.push_back(time_of(sweep));
    theirs.push_back(time_of(bare));
    ratios.push_back(ours.back() / theirs.back());
  }
  fmt::print("{:>6} x {:<5} {:<28} {:>9.2f} ms {:>9.2f} ms {:>7.2f}\n", n, p, name, 1e3 * median(ours), 1e3 * median(theirs),
             median(ratios));
}

Posterior posterior_for(Index n, Index p, Index groups) {
  Posterior q;
  q.w = q.V_diagonal = Vector::Zero(p);
  q.m = q.s = Vector::Zero(n);
  q.group_square = q.group_variance = Vector::Zero(groups);
  return q;
}

void run(Index n, Index p, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = normal(random);
  Rows rows{Vector::Constant(n, 0.2), Vector(n)};
  for (double& r : rows.r) r = normal(random);

  Partition ard;
  for (Index j = 0; j < p; ++j) {
    ard.group.push_back(j);
    ard.group_size.push_back(1);
  }
  Partition shared;
  shared.group.assign(static_cast<std::size_t>(p), 0);
  shared.group_size = {p};
  Standardization standardization{Vector::Constant(p, 0.01), Vector::Constant(p, 1.01), false};
  DenseDesign design(X, standardization);
  Vector a = Vector::Constant(p, 3.0);

  // the calls alone, on their own arrays
  const bool dual = p > n;
  const Index k = std::min(n, p);
  Matrix S(k, k), L(k, k), copy = X;
  Vector w = Vector::Ones(p), m(n);
  const auto syrk = [&] {
    if (dual)
      blas::syrk(blas::Transpose::no, n, p, 1.0, X.data(), n, 0.0, S.data(), k);
    else
      blas::syrk(blas::Transpose::yes, p, n, 1.0, X.data(), n, 0.0, S.data(), k);
  };
  const auto factor = [&] {
    L = S;
    L.diagonal().array() += 100;
    if (!blas::potrf(k, L.data(), k) || !blas::trtri(k, L.data(), k)) std::abort();
  };
  const auto trmm = [&] {
    if (dual)
      blas::trmm(blas::Side::left, blas::Transpose::no, n, p, L.data(), k, copy.data(), n);
    else
      blas::trmm(blas::Side::right, blas::Transpose::yes, n, p, L.data(), k, copy.data(), n);
  };
  const auto products = [&] {
    blas::gemv(blas::Transpose::no, n, p, 1.0, X.data(), n, w.data(), 0.0, m.data());
    blas::gemv(blas::Transpose::yes, n, p, 1.0, X.data(), n, m.data(), 0.0, w.data());
  };

  if (!dual) {
    auto logistic = make_primal({design, ard, {.row_moments = true}});
    Posterior q = posterior_for(n, p, p);
    compare(
        "primal, new rows (logistic)", n, p,
        [&] {
          if (!logistic->solve(rows, a, q)) std::abort();
        },
        [&] {
          syrk();
          factor();
          copy = X;
          trmm();
          products();
        });
    auto linear = make_primal({design, ard, {.residual = true, .constant_rows = true}});
    compare(
        "primal, same rows (linear)", n, p,
        [&] {
          if (!linear->solve(rows, a, q)) std::abort();
        },
        [&] {
          factor();
          blas::symv(k, S.data(), k, w.data(), w.data());
          w.setOnes();
        });
  } else {
    Posterior q = posterior_for(n, p, p);
    for (Index j = 0; j < p; ++j) a[j] = 3.0 + 1e-3 * static_cast<double>(j);
    auto logistic = make_dual({design, ard, {.row_moments = true}});
    compare(
        "dual, new rows (logistic)", n, p,
        [&] {
          if (!logistic->solve(rows, a, q)) std::abort();
        },
        [&] {
          syrk();
          factor();
          copy = X;
          trmm();
          products();
        });
    auto linear = make_dual({design, ard, {.residual = true, .constant_rows = true}});
    compare(
        "dual, new precisions (linear)", n, p,
        [&] {
          if (!linear->solve(rows, a, q)) std::abort();
        },
        [&] {
          syrk();
          factor();
          copy = X;
          trmm();
          products();
        });
  }
  // Spectral: the start of a fit and a hundred sweeps, compared with the reduction alone.
  Vector diagonal(k), off(k), tau(k);
  Posterior q = posterior_for(n, p, 1);
  a.setConstant(3.0);
  const LikelihoodTraits traits{.residual = true, .constant_rows = true};
  compare(
      "spectral, start + 100 sweeps", n, p,
      [&] {
        auto spectral =
            make_spectral({design, shared, traits}, dual ? make_dual({design, shared, traits}) : make_primal({design, shared, traits}));
        for (int i = 0; i < 100; ++i)
          if (!spectral->solve(rows, a, q)) std::abort();
      },
      [&] {
        syrk();
        L = S;
        blas::sytrd(k, L.data(), k, diagonal.data(), off.data(), tau.data());
        products();
      });
}

double dgemm_rate() {
  constexpr Index n = 1500;
  Matrix A = Matrix::Random(n, n), B = A, C = A;
  std::vector<double> seconds;
  for (int i = 0; i < 7; ++i)
    seconds.push_back(
        time_of([&] { blas::gemm(blas::Transpose::no, blas::Transpose::no, n, n, n, 1.0, A.data(), n, B.data(), n, 0.0, C.data(), n); }));
  return 2e-9 * n * n * n / median(seconds);
}

}  // namespace

int main() {
  fmt::print("dgemm of 1500 x 1500: {:.0f} Gflop/s\n\n", dgemm_rate());
  fmt::print("{:>6}   {:<5} {:<28} {:>12} {:>12} {:>7}\n", "n", "p", "one sweep of", "ardvark", "bare calls", "ratio");
  std::mt19937_64 random(1);
  for (auto [n, p] : {std::pair<Index, Index>{20000, 500}, {2000, 1000}, {500, 1000}, {1000, 4000}}) run(n, p, random);
}
