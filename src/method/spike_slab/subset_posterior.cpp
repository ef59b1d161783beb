#include "method/spike_slab/subset_posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/eight.hpp"

namespace ardvark::internal {
namespace {

constexpr Index width = 2 * lanes;  // size of a row, which has one number for each column; the rest is padding
constexpr double never = -1e300;    // exponent of a subset that does not exist
constexpr Index most_pairs = most_in_block * (most_in_block - 1) / 2;

typedef double Row[width];

// The subsets {i, j, k} of one pair i, j, one entry for each k > j. Column k is eliminated last.
struct Triples {
  Row pivot_inverse, c, g, weight;
};

// Columns of M = I + kappa A are eliminated one by one. After the elimination of i, or of i and j, the pivot of column k is M_kk - ...,
// which is at least 1. A row has the values of all k; ln q(S) = exponent - 1/2 ln|M_S| + const.
struct Workspace {
  alignas(64) Row M[most_in_block];
  alignas(64) Row pivot, c, odds;                                                            // before elimination
  alignas(64) Row pivot_inverse1[most_in_block], c1[most_in_block], weight1[most_in_block];  // after elimination of i: {i, k}
  alignas(64) Row weight0;                                                                   // {k}
  alignas(64) Triples triples[most_pairs];
  alignas(64) Row determinant1[most_in_block], determinant2[most_pairs];
};

[[gnu::always_inline]] inline void indices(Index half, Eight& out) {
  for (Index l = 0; l < lanes; ++l) out[l] = static_cast<double>(half * lanes + l);
}

[[gnu::always_inline]] inline void larger(const Eight& x, Eight& most) { most = x > most ? x : most; }

// Replaces exponents by weights. Adds to the sum of the weights, and to that of weight times exponent.
[[gnu::always_inline]] inline void weigh(double* exponent, const Eight& determinant, double top, Eight& sum, Eight& sum_of_exponents) {
  Eight e, weight, root;
  load(exponent, e);
  e -= top;
  exp_of(e, weight);
  inverse_root_of(determinant, root);
  weight *= root;
  sum += weight;
  sum_of_exponents += weight * e;
  store(weight, exponent);
}

// The columns before elimination, in two halves.
struct Columns {
  Index n, halves;
  double gain;  // kappa / (2 s2)
  Eight index[2], odds[2], diagonal[2], c[2];
};

[[gnu::always_inline]] inline void begin(const SubsetProblem& problem, Workspace& at, Columns& of) {
  const Index n = of.n = problem.count;
  of.halves = (n + lanes - 1) / lanes;
  const double kappa = problem.kappa;
  of.gain = 0.5 * kappa / problem.s2;
  for (Index k = 0; k < width; ++k) {
    at.pivot[k] = k < n ? 1 + kappa * problem.A[k * n + k] : 1;
    at.c[k] = k < n ? problem.c[k] : 0;
    at.odds[k] = k < n ? problem.log_odds[k] : never;
    for (Index i = 0; i < n; ++i) at.M[i][k] = k < n ? kappa * problem.A[k * n + i] : 0;
  }
  for (Index h = 0; h < of.halves; ++h) {
    indices(h, of.index[h]);
    load(at.odds + h * lanes, of.odds[h]);
    load(at.pivot + h * lanes, of.diagonal[h]);
    load(at.c + h * lanes, of.c[h]);
  }
}

// Writes the exponents of all subsets to the places of their weights. Returns the largest; the empty subset has exponent 0.
[[gnu::always_inline]] inline double exponents(const Columns& of, Workspace& at) {
  const auto& [n, halves, gain, index, odds, diagonal, c] = of;
  Eight most = {};
  for (Index h = 0; h < halves; ++h) {
    const Eight exponent = odds[h] + gain * c[h] * c[h] / diagonal[h];
    larger(exponent, most);
    store(exponent, at.weight0 + h * lanes);
  }
  const Eight none = Eight{} + never, one = Eight{} + 1.0;
  Index pair = 0;
  for (Index i = 0; i + 1 < n; ++i) {
    const double inverse_i = 1 / at.pivot[i], c_i = at.c[i], of_i = at.odds[i] + gain * c_i * c_i * inverse_i;
    Eight row[2], pivot1[2], c1[2];
    for (Index h = 0; h < halves; ++h) {
      load(at.M[i] + h * lanes, row[h]);
      const Eight f = row[h] * inverse_i;
      pivot1[h] = diagonal[h] - f * row[h];
      larger(one, pivot1[h]);
      c1[h] = c[h] - f * c_i;
      const Eight inverse = 1 / pivot1[h];
      Eight exponent = of_i + odds[h] + gain * c1[h] * c1[h] * inverse;
      exponent = index[h] > static_cast<double>(i) ? exponent : none;
      larger(exponent, most);
      store(exponent, at.weight1[i] + h * lanes);
      store(inverse, at.pivot_inverse1[i] + h * lanes);
      store(c1[h], at.c1[i] + h * lanes);
      store(at.pivot[i] * pivot1[h], at.determinant1[i] + h * lanes);
    }
    for (Index j = i + 1; j + 1 < n; ++j, ++pair) {
      const double inverse_j = at.pivot_inverse1[i][j], c_j = at.c1[i][j], f_j = at.M[i][j] * inverse_i;
      const double of_j = of_i + at.odds[j] + gain * c_j * c_j * inverse_j, determinant = at.determinant1[i][j];
      Triples& triples = at.triples[pair];
      for (Index h = (j + 1) / lanes; h < halves; ++h) {
        Eight left;
        load(at.M[j] + h * lanes, left);
        left -= f_j * row[h];
        const Eight g = left * inverse_j, c2 = c1[h] - g * c_j;
        Eight pivot2 = pivot1[h] - g * left;
        larger(one, pivot2);
        const Eight inverse = 1 / pivot2;
        Eight exponent = of_j + odds[h] + gain * c2 * c2 * inverse;
        exponent = index[h] > static_cast<double>(j) ? exponent : none;
        larger(exponent, most);
        store(exponent, triples.weight + h * lanes);
        store(inverse, triples.pivot_inverse + h * lanes);
        store(g, triples.g + h * lanes);
        store(c2, triples.c + h * lanes);
        store(determinant * pivot2, at.determinant2[pair] + h * lanes);
      }
    }
  }

  double top = 0;
  for (Index l = 0; l < lanes; ++l) top = std::max(top, most[l]);
  return top;
}

// Sums over all subsets except the empty one, of the weights e^(exponent - top) |M_S|^-1/2 and of weight times (exponent - top).
struct Sums {
  double weight, exponents;
};

[[gnu::always_inline]] inline Sums weights(const Columns& of, double top, Workspace& at) {
  const Index n = of.n, halves = of.halves;
  Eight sum = {}, sum_of_exponents = {}, determinant;
  for (Index h = 0; h < halves; ++h) weigh(at.weight0 + h * lanes, of.diagonal[h], top, sum, sum_of_exponents);
  Index pair = 0;
  for (Index i = 0; i + 1 < n; ++i) {
    for (Index h = (i + 1) / lanes; h < halves; ++h) {
      load(at.determinant1[i] + h * lanes, determinant);
      weigh(at.weight1[i] + h * lanes, determinant, top, sum, sum_of_exponents);
    }
    for (Index j = i + 1; j + 1 < n; ++j, ++pair)
      for (Index h = (j + 1) / lanes; h < halves; ++h) {
        load(at.determinant2[pair] + h * lanes, determinant);
        weigh(at.triples[pair].weight + h * lanes, determinant, top, sum, sum_of_exponents);
      }
  }
  return {total(sum), total(sum_of_exponents)};
}

// Sums over subsets. The weights are not yet divided by their sum, and coefficients are in units of kappa.
struct SubsetMoments {
  Eight inclusion[2] = {}, mean[2] = {}, second[2] = {};  // for the last column of a subset
  Eight before[most_in_block][3] = {};                    // inclusion, mean, second for the columns before it
  alignas(64) Row across[most_in_block] = {};             // E b_i b_k
};

// With x = M^-1 c, mu = kappa x and V = s2 kappa M^-1, from the last eliminated column to the first.
// \param least  triples with a smaller weight are skipped
[[gnu::always_inline]] inline void moments(const Columns& of, double slab, double square, double least, const Workspace& at,
                                           SubsetMoments& out) {
  const Index n = of.n, halves = of.halves;
  const auto& diagonal = of.diagonal;
  const auto& c = of.c;
  auto& [inclusion, mean, second, before, across] = out;
  for (Index h = 0; h < halves; ++h) {
    Eight w;
    load(at.weight0 + h * lanes, w);
    const Eight V = 1 / diagonal[h], x = c[h] * V;
    inclusion[h] = w;
    mean[h] = w * x;
    second[h] = w * (slab * V + square * x * x);
  }
  Index pair = 0;
  for (Index i = 0; i + 1 < n; ++i) {
    const double inverse_i = 1 / at.pivot[i], x_i = at.c[i] * inverse_i;
    Eight f[2], of_pairs[2] = {};
    for (Index h = (i + 1) / lanes; h < halves; ++h) {
      Eight w, row, V, c1;
      load(at.weight1[i] + h * lanes, w);
      load(at.M[i] + h * lanes, row);
      load(at.pivot_inverse1[i] + h * lanes, V);
      load(at.c1[i] + h * lanes, c1);
      f[h] = row * inverse_i;
      const Eight x = c1 * V, xi = x_i - f[h] * x, Vi = -f[h] * V, Vii = inverse_i - f[h] * Vi;
      inclusion[h] += w;
      mean[h] += w * x;
      second[h] += w * (slab * V + square * x * x);
      of_pairs[h] = w * (slab * Vi + square * x * xi);
      before[i][0] += w;
      before[i][1] += w * xi;
      before[i][2] += w * (slab * Vii + square * xi * xi);
    }
    for (Index j = i + 1; j + 1 < n; ++j, ++pair) {
      const Triples& triples = at.triples[pair];
      const double inverse_j = at.pivot_inverse1[i][j], x_j = at.c1[i][j] * inverse_j, f_j = at.M[i][j] * inverse_i;
      Eight of_ij = {};
      for (Index h = (j + 1) / lanes; h < halves; ++h) {
        Eight w, g, V, c2, jk;
        load(triples.weight + h * lanes, w);
        if (!(total(w) > least)) continue;
        load(triples.g + h * lanes, g);
        load(triples.pivot_inverse + h * lanes, V);
        load(triples.c + h * lanes, c2);
        const Eight x = c2 * V, xj = x_j - g * x, xi = x_i - f_j * xj - f[h] * x;
        const Eight Vj = -g * V, Vjj = inverse_j - g * Vj;
        const Eight Vi = -f_j * Vj - f[h] * V, Vij = -f_j * Vjj - f[h] * Vj, Vii = inverse_i - f_j * Vij - f[h] * Vi;
        inclusion[h] += w;
        mean[h] += w * x;
        second[h] += w * (slab * V + square * x * x);
        of_pairs[h] += w * (slab * Vi + square * x * xi);
        load(across[j] + h * lanes, jk);
        store(jk + w * (slab * Vj + square * x * xj), across[j] + h * lanes);
        of_ij += w * (slab * Vij + square * xi * xj);
        before[i][0] += w;
        before[i][1] += w * xi;
        before[i][2] += w * (slab * Vii + square * xi * xi);
        before[j][0] += w;
        before[j][1] += w * xj;
        before[j][2] += w * (slab * Vjj + square * xj * xj);
      }
      across[i][j] += total(of_ij);
    }
    for (Index h = (i + 1) / lanes; h < halves; ++h) {
      Eight ik;
      load(across[i] + h * lanes, ik);
      store(ik + of_pairs[h], across[i] + h * lanes);
    }
  }
}

[[gnu::always_inline]] inline void posterior(const SubsetProblem& problem, SubsetPosterior& out) {
  Workspace at;
  Columns of;
  begin(problem, at, of);
  const double top = exponents(of, at), empty = std::exp(-top);
  const Sums sums = weights(of, top, at);
  const double whole = empty + sums.weight, kappa = problem.kappa, slab = problem.s2 * kappa;
  SubsetMoments sum;
  moments(of, slab, kappa * kappa, 1e-18 * whole, at, sum);

  const Index n = of.n;
  out.included = out.square = 0;
  for (Index j = 0; j < n; ++j) {
    const Index h = j / lanes, l = j % lanes;
    out.inclusion[j] = std::min((sum.inclusion[h][l] + total(sum.before[j][0])) / whole, 1.0);
    out.mean[j] = kappa * (sum.mean[h][l] + total(sum.before[j][1])) / whole;
    const double own = (sum.second[h][l] + total(sum.before[j][2])) / whole;
    out.included += out.inclusion[j];
    out.square += own;
    out.covariance[j * n + j] = std::max(own - out.mean[j] * out.mean[j], 0.0);
    for (Index i = 0; i < j; ++i)
      out.covariance[j * n + i] = out.covariance[i * n + j] = sum.across[i][j] / whole - out.mean[i] * out.mean[j];
  }
  out.log_evidence = top + std::log(whole);
  out.negentropy = (sums.exponents - empty * top) / whole - std::log(whole) - 0.5 * out.included * std::log(slab);
}

#define ARDVARK_SUBSET_POSTERIOR(name, ...) \
  __VA_ARGS__ void posterior_##name(const SubsetProblem& problem, SubsetPosterior& out) { posterior(problem, out); }
ARDVARK_FOR_SIMD(ARDVARK_SUBSET_POSTERIOR)

}  // namespace

std::span<const SubsetKernel> subset_kernels() {
#define ARDVARK_SUBSET_KERNEL(name, ...) SubsetKernel{simd::Level::name, posterior_##name},
  static const std::array kernels = {ARDVARK_FOR_SIMD(ARDVARK_SUBSET_KERNEL)};
  return kernels;
}

void posterior_of_subsets(const SubsetProblem& problem, SubsetPosterior& out) {
  static const SubsetKernel& best = simd::best(subset_kernels());
  best.posterior(problem, out);
}

}  // namespace ardvark::internal
