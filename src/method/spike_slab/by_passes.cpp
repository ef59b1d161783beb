// Two classes under a sparse prior, with rows that are not in memory.                                    docs/math/passes.md (PASS.5)
#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "core/blas.hpp"
#include "core/triangle.hpp"
#include "frame/conditioning.hpp"
#include "frame/prior_partition.hpp"
#include "method/spike_slab/sparse.hpp"
#include "method/spike_slab/sparse_classes.hpp"
#include "passes/passes.hpp"
#include "passes/small_table.hpp"

namespace ardvark::internal {
namespace {

constexpr double square_of_a_step = 1e4;

// Of `LogOdds`, m is the mean of the weights and s their covariance, column by column. Of `Sites`, omega has the lower triangle of
// X'omega X, column by column, and then the sum of omega; response is X'r.
class PassedClassRows final : public ClassRows {
 public:
  PassedClassRows(Passes& passes, const KnownRows& known, bool proper)
      : ClassRows(proper), passes_(passes), known_(known), q_(known.to_class.size()) {}

  [[nodiscard]] Index num_rows() const override { return known_.num_rows; }
  [[nodiscard]] Index num_columns() const override { return q_; }

  [[nodiscard]] LogOdds before(bool has_flat) const override {
    LogOdds out{Vector::Zero(q_), Vector::Zero(q_ * q_)};
    const double share = std::clamp(known_.share, 1e-6, 1 - 1e-6);
    if (has_flat && passes_.question().units.intercept) out.m[q_ - 1] = std::log(share / (1 - share));
    return out;
  }

  [[nodiscard]] ClassRowsAt at(const LogOdds& known) const override {
    const PassSums& sums = look(known, true).sums;
    ClassRowsAt out{{with_weight(sums.packed, sums.weight), sums.response}, sums.log_likelihood[0]};
    if (!is_proper()) return out;
    const AtIntercept last = of_intercept(known);
    out.sites.omega[sums.packed.size() - 1] += last.omega;  // the last column is the intercept
    out.sites.omega[sums.packed.size()] += last.omega;
    out.sites.response[q_ - 1] += last.response;
    out.log_likelihood += last.log_likelihood;
    return out;
  }
  [[nodiscard]] double log_likelihood(const LogOdds& known) const override {
    return look(known, false).sums.log_likelihood[0] + (is_proper() ? of_intercept(known).log_likelihood : 0.0);
  }
  // One pass for all: the first one, which has the largest weight more often than others, with the sums for a step.
  void expect(const std::vector<const LogOdds*>& all) const override {
    std::vector<WeightMoments> moments;
    for (const LogOdds* one : all) moments.push_back(moments_of(*one));
    std::vector<const WeightMoments*> asked;
    for (const WeightMoments& one : moments) asked.push_back(&one);
    if (asked.empty()) return;
    const PassSums sums = passes_.sums(asked, true);
    for (std::size_t i = all.size(); i-- > 0;) {
      Looked one{*all[i], sums, i == 0};
      one.sums.log_likelihood = Vector::Constant(1, sums.log_likelihood[static_cast<Index>(i)]);
      remember(std::move(one));
    }
  }
  [[nodiscard]] bool are_steps(const LogOdds& known) const override {
    const PassSums& sums = look(known, true).sums;
    return sums.nearest > square_of_a_step && sums.log_likelihood[0] > -0.7 * known_.weight;
  }
  [[nodiscard]] Extent extent(const Sites&, const LogOdds& known) const override { return look(known, true).sums.extent; }

  [[nodiscard]] LogOdds log_odds(const Vector& w, const Matrix& V) override { return {w, V.reshaped()}; }
  [[nodiscard]] LogOdds average(const std::vector<std::pair<double, const LogOdds*>>& parts) const override {
    LogOdds out{Vector::Zero(q_), Vector::Zero(q_ * q_)};
    for (const auto& [share, odds] : parts) out.m += share * odds->m;
    for (const auto& [share, odds] : parts) {
      const Vector off = odds->m - out.m;
      out.s += share * (odds->s + (off * off.transpose()).reshaped());
    }
    return out;
  }

  [[nodiscard]] Vector target_of(const Sites& sites) const override { return root_of(sites).col(q_); }
  [[nodiscard]] double weight_of(const Sites& sites) const override { return sites.omega[sites.omega.size() - 1]; }
  [[nodiscard]] double misfit(const Sites& sites, const Vector& target, const LogOdds& known) const override {
    const Matrix G = gram_of(sites);
    return 0.5 * (target.squaredNorm() - 2 * known.m.dot(sites.response) + known.m.dot(G * known.m) + known.s.dot(G.reshaped()));
  }
  // The sum of omega (x'Ax)^2 / 4 x'Vx over the rows, A the change of V, as if x'Vx were the same in all rows and x were normal.
  [[nodiscard]] double distance(const LogOdds& from, const LogOdds& to, const Sites& sites) const override {
    const Matrix G = gram_of(sites);
    const Vector off = to.m - from.m;
    const Matrix AG = (to.s - from.s).reshaped(q_, q_) * G;
    const double variance = to.s.dot(G.reshaped()), change = AG.trace();
    const double of_variances = variance > 0 ? 0.25 * (2 * AG.cwiseProduct(AG.transpose()).sum() + change * change) / variance : 0;
    return off.dot(G * off) + std::max(of_variances, 0.0);
  }
  [[nodiscard]] bool reduce(const PenalisedColumns& which, const Sites& sites, const Vector& target, KeepBasis basis,
                            ReducedRows& out) override {
    const Matrix Z = root_of(sites).leftCols(q_);
    return reduce_rows(*table_design(Z), which, Vector::Ones(Z.rows()), target, weight_of(sites), basis, out);
  }
  [[nodiscard]] Sites first_sites() const override { return {with_weight(packed_triangle(known_.cross), known_.weight), known_.to_class}; }

 private:
  struct Looked {
    LogOdds at;
    PassSums sums;
    bool has_step = false;
  };

  [[nodiscard]] WeightMoments moments_of(const LogOdds& odds) const { return {odds.m, odds.s.reshaped(q_, q_)}; }
  [[nodiscard]] std::pair<double, double> moments_of_intercept(const LogOdds& known) const override {
    return {known.m[q_ - 1], known.s[q_ * q_ - 1]};
  }
  [[nodiscard]] AtIntercept of_intercept(const LogOdds& known) const {
    const auto [mean, variance] = moments_of_intercept(known);
    return at_intercept(mean, variance);
  }
  // The sums at these weights, from a pass if they are not remembered.
  const Looked& look(const LogOdds& known, bool needs_step) const {
    for (const Looked& one : remembered_)
      if ((one.has_step || !needs_step) && one.at.m == known.m && one.at.s == known.s) return one;
    const bool are_equal = passes_.question().units.intercept && known.s.isZero(0) && known.m.head(q_ - 1).isZero(0);
    if (are_equal) return remember({known, sums_of_equal_odds(known_, known.m[q_ - 1]), true});
    const WeightMoments moments = moments_of(known);
    return remember({known, passes_.sums({&moments}, true), true});
  }
  const Looked& remember(Looked one) const {
    constexpr std::size_t most = 12;
    if (remembered_.size() == most) remembered_.pop_back();
    remembered_.push_front(std::move(one));
    return remembered_.front();
  }
  [[nodiscard]] Matrix gram_of(const Sites& sites) const {
    PassSums sums;
    sums.packed = sites.omega.head(sites.omega.size() - 1);
    sums.response = sites.response;
    return sums.gram();
  }
  [[nodiscard]] static Vector with_weight(const Vector& packed, double weight) {
    Vector out(packed.size() + 1);
    out << packed, weight;
    return out;
  }
  // [Z z] with Z'Z = X'omega X and Z'z = X'r.
  [[nodiscard]] Matrix root_of(const Sites& sites) const {
    Matrix C = Matrix::Zero(q_ + 1, q_ + 1);
    C.topLeftCorner(q_, q_) = gram_of(sites);
    C.row(q_).head(q_) = sites.response.transpose();
    C(q_, q_) = 1;
    return root_of_cross(std::move(C), q_).A;
  }

  Passes& passes_;
  const KnownRows& known_;
  Index q_;
  mutable std::deque<Looked> remembered_;
};

// The posterior that the scores of the rows are averaged over.
std::vector<std::pair<double, WeightMoments>> mixture_of(const Solution& solution) {
  const Index q = solution.w.size();
  std::vector<std::pair<double, WeightMoments>> out;
  for (const MixtureComponent& one : solution.factor.mixture.components) {
    ComponentOfMixture all = component_of_mixture(solution.factor.mixture, one, q);
    out.push_back({one.weight, {std::move(all.mean), std::move(all.covariance)}});
  }
  return out;
}

// If columns without a prior separate the classes or are dependent, there is no posterior: a fit to them alone says so.
std::optional<Solution> without_posterior(const Frame& frame, const PenalisedColumns& which, Passes& passes) {
  if (which.flat.size() == (frame.options.intercept ? 1U : 0U)) return std::nullopt;
  const Solution found = solve_flat_by_passes(frame, which.columns, passes);
  if (found.report.status != Status::separated && found.report.status != Status::not_positive_definite) return std::nullopt;
  Solution out = failed_solution(frame, found.report.message);
  out.report.status = found.report.status;
  out.flat = which.flat;
  return out;
}

}  // namespace

Solution solve_sparse_by_passes(Frame& frame, Passes& passes, const KnownRows& known, const StartOfPasses& start, ClassTally& scores) {
  const FitOptions& options = frame.options;
  const PenalisedColumns which = penalised_columns(options, frame.num_columns(), frame.left_out);
  warn_of_flat_columns(*frame.design(), which.flat, frame.k, options.column_names, frame.warnings);
  if (std::optional<Solution> none = without_posterior(frame, which, passes)) return std::move(*none);
  PassedClassRows rows(passes, known, has_proper_intercept(options, which.flat));
  // The average is a bound only up to the approximation of (SL.5): from a start nearby, it may fall a little on the way to its fixed point.
  constexpr double of_the_approximation = 2e-3;  // nats
  ClassStepSettings steps;
  steps.rounding = of_the_approximation;
  // Many columns have several maxima. From the rows of a sample the starts reach lower ones than from rows without information.
  if (is_averaged(which, frame.rows)) {
    const WeightMoments from = start();
    steps.start = rows.log_odds(from.w, from.V);
  }
  const Vector diagonal = known.cross.diagonal();
  const auto in_table = [&](Index one, Index other, double least) {
    return std::abs(known.cross(one, other)) > least * std::sqrt(diagonal[one] * diagonal[other]);
  };
  const Vector squares = options.standardize ? Vector() : Vector(diagonal(which.columns));
  Solution out = solve_sparse_rows(frame, which, rows, squares, std::move(steps), in_table);
  if (out.usable) scores = passes.scores(mixture_of(out));
  return out;
}

}  // namespace ardvark::internal
