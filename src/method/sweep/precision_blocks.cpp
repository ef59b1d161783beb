#include "method/sweep/precision_blocks.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/rearrange.hpp"

namespace ardvark::internal {

// The steps of a block of k columns cost k^2 per column, its products n^2. k is small compared with n, and large enough for fast BLAS.
PrecisionBlocks::PrecisionBlocks(Design& X)
    : X_(X),
      n_(X.rows()),
      p_(X.cols()),
      width_(std::clamp<Index>(n_ / 10, 8, 48)),
      num_threads_(blas::num_threads()),
      C_(n_, n_),
      G_(width_, width_),
      V_(width_, width_),
      CXM_(n_, width_),
      w_(width_),
      a_(width_),
      inverse_(width_),
      along_(width_),
      P_(n_, n_),
      N_(n_, n_),
      L_(n_, n_) {
  for (Block* block : {&now_, &coming_}) {
    block->X.resize(n_, width_);
    block->CX.resize(n_, width_);
  }
}

bool PrecisionBlocks::serve(const PrecisionPrior& prior) {
  const auto& size = prior.partition().group_size;
  return !size.empty() && !prior.has_improper() && std::ranges::all_of(size, [](Index s) { return s == 1; });
}

double PrecisionBlocks::climb(Solver& solver, const Rows& rows, const PrecisionPrior& prior, const Posterior& q, GammaDistribution noise,
                              const Effort& effort, Vector& next) {
  next = prior.expected();
  shape_ = noise.shape;
  rate_ = noise.rate;
  choose(prior, q);
  if (chosen_.empty() || !solver.outlook(rows, look_) || look_.complement || !look_.U.allFinite()) return 0;
  y_ = (rows.omega.array() > 0).select(rows.r.array() / rows.omega.array(), 0.0);
  const blas::ThreadScope one_thread(1);  // the strips of C use the other threads
  now_.groups.clear();
  const bool looks = effort.common_factor && --rest_ < 0;
  const double gain = looks ? find_common_factor(prior, q, next) : 0;
  blas::syrk(blas::Transpose::yes, n_, n_, 1.0, look_.U.data(), n_, 0.0, C_.data(), n_);
  mirror(C_);
  // Near the end, few columns change, and slowly. They are visited again while this costs little compared with the next solve.
  const double first = visit(prior, effort.enough, next);
  double visited = first, last = first;
  for (std::size_t cost = 2 * chosen_.size(); 2 * cost <= column_of_group_.size() && last > std::max(0.1 * first, effort.enough);
       cost += chosen_.size())
    visited += last = visit(prior, effort.enough, next);
  if (looks) rest_ = gain > 0.2 * visited ? 0 : 3;
  return gain + visited;
}

// The fewest columns that promise 90 % of the gain of all, each at its own best precision.                           (OPT.2), (OPT.3)
void PrecisionBlocks::choose(const PrecisionPrior& prior, const Posterior& q) {
  const Partition& partition = prior.partition();
  const double tau = shape_ / rate_;
  column_of_group_.resize(static_cast<std::size_t>(partition.num_groups()));
  for (Index j = 0; j < p_; ++j)
    if (const Index g = partition.group[static_cast<std::size_t>(j)]; g >= 0) column_of_group_[static_cast<std::size_t>(g)] = j;
  promise_.resize(partition.num_groups());
  for (Index g = 0; g < promise_.size(); ++g) {
    const double a = prior.expected()[g], V = q.group_variance[g], s = 1 / V - a, Q = tau * q.group_square[g] / (V * V);
    promise_[g] = s > 1e-10 * a ? std::max(prior.gain_of_changing(g, s, Q, a, prior.best(g, s, Q, a)), 0.0) : 0.0;
  }
  chosen_.resize(column_of_group_.size());
  std::iota(chosen_.begin(), chosen_.end(), Index{0});
  std::ranges::sort(chosen_, [&](Index g, Index h) { return promise_[g] != promise_[h] ? promise_[g] > promise_[h] : g < h; });
  double left = promise_.sum();
  const double negligible = 0.1 * left;
  std::size_t count = 0;
  while (count < chosen_.size() && left > negligible) left -= promise_[chosen_[count++]];
  chosen_.resize(count);
  std::ranges::sort(chosen_);
}

// ---- one factor for all columns in use -----------------------------------------------------------------------------------------------

// a_R <- e^-t a_R. With E = X_R A_R^-1/2, P = U E E' U', N = I + (e^t - 1) P and u = U y:
//
//     F(t) = -1/2 ln|N| - a_N ln b_N(t) - c0 t |R| - d0 e^-t sum_R a + constant,   b_N(t) = b_N + 1/2 (u' N^-1 u - u'u)      (BLOCK.2)
double PrecisionBlocks::find_common_factor(const PrecisionPrior& prior, const Posterior& q, Vector& next) {
  const Vector start = next;
  std::vector<Index> in_use;
  prior.gradient(q, shape_ / rate_, promise_);
  double slope = 0;
  for (Index g = 0; g < start.size(); ++g)
    if (start[g] * q.group_variance[g] < 0.5) {
      in_use.push_back(g);
      slope -= promise_[g];  // (OPT.1)
    }
  const auto r = static_cast<Index>(in_use.size());
  if (r == 0) return 0;
  E_.resize(n_, r);
  UE_.resize(n_, r);
  for (Index i = 0; i < r; ++i) {
    const Index g = in_use[static_cast<std::size_t>(i)];
    const double scale = 1 / std::sqrt(start[g]);
    X_.scaled_columns(column_of_group_[static_cast<std::size_t>(g)], 1, &scale, E_.col(i));
  }
  blas::gemm(blas::Transpose::no, blas::Transpose::no, n_, r, n_, 1.0, look_.U.data(), n_, E_.data(), n_, 0.0, UE_.data(), n_);
  blas::syrk(blas::Transpose::no, n_, r, 1.0, UE_.data(), n_, 0.0, P_.data(), n_);
  const Vector u = look_.U * y_;
  Vector v;
  double best = 0, highest = 0, rate = rate_;
  const auto gain_at = [&](double t) {
    for (Index j = 0; j < n_; ++j) N_.col(j).tail(n_ - j) = std::expm1(t) * P_.col(j).tail(n_ - j);
    N_.diagonal().array() += 1;
    if (!blas::potrf(n_, N_.data(), n_)) return -std::numeric_limits<double>::infinity();
    v = u;
    blas::trsv(blas::Transpose::no, n_, N_.data(), n_, v.data());
    const double b = rate_ + 0.5 * (v.squaredNorm() - u.squaredNorm());
    double gain = -N_.diagonal().array().log().sum() - shape_ * std::log(b / rate_);
    for (Index g : in_use) gain += prior.gain_of_hyperprior(g, start[g], start[g] * std::exp(-t));
    if (gain > highest) {
      highest = gain;
      best = t;
      rate = b;
      L_.swap(N_);
    }
    return gain;
  };
  // Parabolas through value and slope at 0 and the value at the last t.
  double t = slope > 0 ? 0.5 : -0.5;
  for (int step = 0; step < 3; ++step) {
    const double curvature = 2 * (gain_at(t) - slope * t) / (t * t), last = t;
    t = std::clamp(curvature < 0 ? -slope / curvature : 2 * t, -2.0, 2.0);
    if (!(std::abs(t - last) > 0.1 * std::abs(last))) break;
  }
  if (!(highest > 0) || !blas::trtri(n_, L_.data(), n_)) return 0;
  rate_ = rate;
  for (Index g : in_use) next[g] = start[g] * std::exp(-best);
  blas::trmm(blas::Side::left, blas::Transpose::no, n_, n_, L_.data(), n_, look_.U.data(), n_);
  return highest;
}

// ---- block by block --------------------------------------------------------------------------------------------------------------------

double PrecisionBlocks::visit(const PrecisionPrior& prior, double enough, Vector& next) {
  double gain = 0;
  for (std::size_t first = 0; first < chosen_.size(); first += static_cast<std::size_t>(width_)) {
    read(first, coming_);
    update_and_look(now_, coming_);
    std::swap(now_, coming_);
    gain += climb_block(prior, now_, enough, next);
  }
  return gain;
}

void PrecisionBlocks::read(std::size_t first, Block& block) {
  const std::size_t last = std::min(chosen_.size(), first + static_cast<std::size_t>(width_));
  block.groups.assign(chosen_.begin() + static_cast<std::ptrdiff_t>(first), chosen_.begin() + static_cast<std::ptrdiff_t>(last));
  for (std::size_t i = 0; i < block.groups.size(); ++i)
    X_.columns(column_of_group_[static_cast<std::size_t>(block.groups[i])], 1, block.X.col(static_cast<Index>(i)));
}

// C <- C - C X M X'C with the last block, then C X of the coming one, a strip of C's columns (by symmetry, its rows) at a time.
void PrecisionBlocks::update_and_look(const Block& last, Block& coming) {
  constexpr Index strip = 128;
  const auto k = static_cast<Index>(last.groups.size()), m = static_cast<Index>(coming.groups.size());
  parallel_for((n_ + strip - 1) / strip, num_threads_, [&](Index i) {
    const Index first = i * strip, count = std::min(strip, n_ - first);
    double* C = C_.col(first).data();
    if (k > 0)
      blas::gemm(blas::Transpose::no, blas::Transpose::yes, n_, count, k, -1.0, CXM_.data(), n_, last.CX.data() + first, n_, 1.0, C, n_);
    blas::gemm(blas::Transpose::yes, blas::Transpose::no, count, m, n_, 1.0, C, n_, coming.X.data(), n_, 0.0, coming.CX.data() + first, n_);
  });
}

//     V = A^-1 - A^-1 G A^-1    w = A^-1 X' C y    G = X' C X    M = D (I + G D)^-1    D = A_new^-1 - A^-1                  (BLOCK.1)
double PrecisionBlocks::climb_block(const PrecisionPrior& prior, const Block& block, double enough, Vector& next) {
  const auto k = static_cast<Index>(block.groups.size());
  auto G = G_.topLeftCorner(k, k);
  auto V = V_.topLeftCorner(k, k);
  auto inverse = inverse_.head(k);
  a_.head(k) = next(block.groups);
  inverse = a_.head(k).cwiseInverse();
  blas::gemm(blas::Transpose::yes, blas::Transpose::no, k, k, n_, 1.0, block.X.data(), n_, block.CX.data(), n_, 0.0, G_.data(), width_);
  V = -(inverse.asDiagonal() * G * inverse.asDiagonal());
  V.diagonal() += inverse;
  w_.head(k) = inverse.cwiseProduct(block.CX.leftCols(k).transpose() * y_);
  const double share = enough / static_cast<double>(p_);
  double gain = 0;
  for (int round = 0; round < 3; ++round) {
    const double more = pass(prior, block.groups, 0.01 * share);
    gain += more;
    if (!(more > share * static_cast<double>(k))) break;
  }
  next(block.groups) = a_.head(k);
  const Vector D = a_.head(k).cwiseInverse() - inverse;
  Matrix I_GD = G * D.asDiagonal();
  I_GD.diagonal().array() += 1;
  const Matrix M = D.asDiagonal() * I_GD.partialPivLu().inverse();
  blas::gemm(blas::Transpose::no, blas::Transpose::no, n_, k, k, 1.0, block.CX.data(), n_, M.data(), k, 0.0, CXM_.data(), n_);
  return gain;
}

// Moves each precision of the block once to its maximiser, with fixed noise precision. With the best noise precision, the gain is at least
// as large.
double PrecisionBlocks::pass(const PrecisionPrior& prior, const std::vector<Index>& groups, double negligible) {
  const auto k = static_cast<Index>(groups.size());
  auto V = V_.topLeftCorner(k, k);
  double total = 0;
  for (Index i = 0; i < k; ++i) {
    const Index g = groups[static_cast<std::size_t>(i)];
    const double V_ii = V(i, i), a = a_[i], s = 1 / V_ii - a, q = w_[i] / V_ii;  // (OPT.2)
    if (!(s > 1e-10 * a)) continue;
    const double a_new = prior.best(g, s, shape_ / rate_ * q * q, a);    // (OPT.3)
    const double rate = rate_ + 0.5 * q * q * (V_ii - 1 / (a_new + s));  // (BLOCK.1)
    const double gain = prior.gain_of_changing(g, s, 0, a, a_new) - shape_ * std::log(rate / rate_);
    if (!(gain > negligible)) continue;
    const double part = (a_new - a) / (1 + (a_new - a) * V_ii);
    along_.head(k) = V.col(i);
    w_.head(k) -= (part * w_[i]) * along_.head(k);
    for (Index j = 0; j < k; ++j) V.col(j) -= (part * along_[j]) * along_.head(k);
    a_[i] = a_new;
    rate_ = rate;
    total += gain;
  }
  return total;
}

}  // namespace ardvark::internal
