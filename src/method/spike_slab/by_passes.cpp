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

class PassedClassRows final : public ClassRows {
 public:
  PassedClassRows(Passes& passes, const KnownRows& known, bool proper)
      : ClassRows(proper), passes_(passes), known_(known), q_(known.to_class.size()) {}

  [[nodiscard]] Index num_rows() const override { return known_.num_rows; }
  [[nodiscard]] Index num_columns() const override { return q_; }

  [[nodiscard]] KnownOdds before(bool has_flat) const override {
    OddsOfWeights out{Vector::Zero(q_), Matrix::Zero(q_, q_)};
    const double share = std::clamp(known_.share, 1e-6, 1 - 1e-6);
    if (has_flat && passes_.question().units.intercept) out.w[q_ - 1] = std::log(share / (1 - share));
    return out;
  }

  [[nodiscard]] ClassRowsAt at(const KnownOdds& known) const override {
    const PassSums& sums = look(known, true).sums;
    SumsOfSites sites{sums.packed, sums.weight, sums.response};
    if (!is_proper()) return {std::move(sites), sums.log_likelihood[0]};
    const AtIntercept last = of_intercept(known);
    sites.packed[sites.packed.size() - 1] += last.omega;  // the last column is the intercept
    sites.weight += last.omega;
    sites.response[q_ - 1] += last.response;
    return {std::move(sites), sums.log_likelihood[0] + last.log_likelihood};
  }
  [[nodiscard]] double log_likelihood(const KnownOdds& known) const override {
    return look(known, false).sums.log_likelihood[0] + (is_proper() ? of_intercept(known).log_likelihood : 0.0);
  }
  // One pass for all: the first one, which has the largest weight more often than others, with the sums for a step.
  void expect(const std::vector<const KnownOdds*>& all) const override {
    std::vector<WeightMoments> moments;
    for (const KnownOdds* one : all) moments.push_back(moments_of(*one));
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
  [[nodiscard]] bool are_steps(const KnownOdds& known) const override {
    const PassSums& sums = look(known, true).sums;
    return sums.nearest > square_of_a_step && sums.log_likelihood[0] > -0.7 * known_.weight;
  }
  [[nodiscard]] Extent extent(const WorkingSites&, const KnownOdds& known) const override { return look(known, true).sums.extent; }

  [[nodiscard]] KnownOdds log_odds(const Vector& w, const Matrix& V) override { return OddsOfWeights{w, V}; }
  [[nodiscard]] KnownOdds average(const std::vector<std::pair<double, const KnownOdds*>>& parts) const override {
    OddsOfWeights out{Vector::Zero(q_), Matrix::Zero(q_, q_)};
    for (const auto& [share, odds] : parts) out.w += share * std::get<OddsOfWeights>(*odds).w;
    for (const auto& [share, odds] : parts) {
      const auto& [w, V] = std::get<OddsOfWeights>(*odds);
      const Vector off = w - out.w;
      out.V += share * (V + off * off.transpose());
    }
    return out;
  }

  [[nodiscard]] Vector target_of(const WorkingSites& sites) const override { return root_of(sites).col(q_); }
  [[nodiscard]] double weight_of(const WorkingSites& sites) const override { return std::get<SumsOfSites>(sites).weight; }
  [[nodiscard]] double misfit(const WorkingSites& sites, const Vector& target, const KnownOdds& known) const override {
    const Matrix G = gram_of(sites);
    const auto& [w, V] = std::get<OddsOfWeights>(known);
    return 0.5 * (target.squaredNorm() - 2 * w.dot(std::get<SumsOfSites>(sites).response) + w.dot(G * w) + V.cwiseProduct(G).sum());
  }
  // The sum of omega (x'Ax)^2 / 4 x'Vx over the rows, A the change of V, as if x'Vx were the same in all rows and x were normal.
  [[nodiscard]] double distance(const KnownOdds& from, const KnownOdds& to, const WorkingSites& sites) const override {
    const Matrix G = gram_of(sites);
    const auto &one = std::get<OddsOfWeights>(from), &other = std::get<OddsOfWeights>(to);
    const Vector off = other.w - one.w;
    const Matrix AG = (other.V - one.V) * G;
    const double variance = other.V.cwiseProduct(G).sum(), change = AG.trace();
    const double of_variances = variance > 0 ? 0.25 * (2 * AG.cwiseProduct(AG.transpose()).sum() + change * change) / variance : 0;
    return off.dot(G * off) + std::max(of_variances, 0.0);
  }
  [[nodiscard]] bool reduce(const PenalisedColumns& which, const WorkingSites& sites, const Vector& target, KeepBasis basis,
                            ReducedRows& out) override {
    const Matrix Z = root_of(sites).leftCols(q_);
    return reduce_rows(*table_design(Z), which, Vector::Ones(Z.rows()), target, weight_of(sites), basis, out);
  }
  [[nodiscard]] WorkingSites first_sites() const override {
    return SumsOfSites{packed_triangle(known_.cross), known_.weight, known_.to_class};
  }

 private:
  struct Looked {
    KnownOdds at;
    PassSums sums;
    bool has_step = false;
  };

  [[nodiscard]] static WeightMoments moments_of(const KnownOdds& odds) {
    const auto& [w, V] = std::get<OddsOfWeights>(odds);
    return {w, V};
  }
  [[nodiscard]] std::pair<double, double> moments_of_intercept(const KnownOdds& known) const override {
    const auto& [w, V] = std::get<OddsOfWeights>(known);
    return {w[q_ - 1], V(q_ - 1, q_ - 1)};
  }
  [[nodiscard]] AtIntercept of_intercept(const KnownOdds& known) const {
    const auto [mean, variance] = moments_of_intercept(known);
    return at_intercept(mean, variance);
  }
  // The sums at these weights, from a pass if they are not remembered.
  const Looked& look(const KnownOdds& known, bool needs_step) const {
    for (const Looked& one : remembered_)
      if ((one.has_step || !needs_step) && are_equal(one.at, known)) return one;
    const WeightMoments moments = moments_of(known);
    const bool has_equal_odds = passes_.question().units.intercept && moments.V.isZero(0) && moments.w.head(q_ - 1).isZero(0);
    if (has_equal_odds) return remember({known, sums_of_equal_odds(known_, moments.w[q_ - 1]), true});
    return remember({known, passes_.sums({&moments}, true), true});
  }
  const Looked& remember(Looked one) const {
    constexpr std::size_t most = 12;
    if (remembered_.size() == most) remembered_.pop_back();
    remembered_.push_front(std::move(one));
    return remembered_.front();
  }
  [[nodiscard]] Matrix gram_of(const WorkingSites& sites) const {
    PassSums sums;
    sums.packed = std::get<SumsOfSites>(sites).packed;
    sums.response = std::get<SumsOfSites>(sites).response;
    return sums.gram();
  }
  // [Z z] with Z'Z = X'omega X and Z'z = X'r.
  [[nodiscard]] Matrix root_of(const WorkingSites& sites) const {
    Matrix C = Matrix::Zero(q_ + 1, q_ + 1);
    C.topLeftCorner(q_, q_) = gram_of(sites);
    C.row(q_).head(q_) = std::get<SumsOfSites>(sites).response.transpose();
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
  const auto in_table = [&](const std::vector<Index>& columns) { return correlations_from(known.cross(columns, columns)); };
  const Vector squares = options.standardize ? Vector() : Vector(diagonal(which.columns));
  Solution out = solve_sparse_rows(frame, which, rows, squares, std::move(steps), in_table);
  if (out.usable) scores = passes.scores(mixture_of(out));
  return out;
}

}  // namespace ardvark::internal
