// k-hat of a posterior: draws, importance ratios and the tail of the ratios.                                         docs/math/khat.md
#include "ardvark/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/normals.hpp"
#include "core/parallel.hpp"
#include "core/pareto.hpp"
#include "core/pulse.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "design/with_row.hpp"
#include "frame/frame.hpp"
#include "frame/precision_rate.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "likelihood/intercept_row.hpp"
#include "likelihood/negative_binomial.hpp"
#include "method/spike_slab/class_rows.hpp"
#include "method/spike_slab/prior_choice.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "posterior/state.hpp"
#include "predict/relevance.hpp"
#include "result/largest_khat.hpp"
#include "table/fit_table.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

constexpr Index num_draws = 4000, draws_in_block = 250;
constexpr Index most_columns = 5000;
constexpr std::uint64_t seed = 20150707;

// q(w) of the columns with a positive variance: a normal distribution or a mixture of them.
struct Normal {
  double weight = 1;
  Vector mean;  // [varying]
  Matrix root;  // root root' is the covariance, lower triangular
  double log_det_root = 0;
};
struct Proposal {
  std::vector<Index> columns;  // of the design
  std::vector<Normal> parts;
};

bool root_of_covariance(const Matrix& V, const std::vector<Index>& columns, Normal& out) {
  out.root = V(columns, columns);
  const Index size = out.root.rows();
  if (size > 0 && !blas::potrf(size, out.root.data(), size)) return false;
  out.root.triangularView<Eigen::StrictlyUpper>().setZero();
  out.log_det_root = size > 0 ? out.root.diagonal().array().log().sum() : 0;
  return std::isfinite(out.log_det_root);
}

// If there is no proposal, `why_not` says why.
Proposal proposal_of(const Fit& fit, std::string& why_not) {
  const FitState& state = *fit.state;
  const Index q = state.w.size();
  Proposal out;
  std::vector<MixtureComponent> components;
  if (state.factor.kind == CovarianceFactor::Kind::mixture) components = state.factor.mixture.components;
  const auto count = std::max<std::size_t>(components.size(), 1);
  for (std::size_t c = 0; c < count; ++c) {
    Normal part;
    Matrix V;
    Vector mean = state.w;
    if (components.empty()) {
      V = state.factor.covariance(q);
    } else {
      part.weight = components[c].weight;
      Mixture alone{{components[c]}, state.factor.mixture.columns, state.factor.mixture.flat_columns};
      alone.components.front().weight = 1;
      V = alone.covariance(q);
      mean = alone.mean(q);
    }
    if (c == 0)
      for (Index j = 0; j < q; ++j)
        if (V(j, j) > 0 && !(j < fit.num_columns() && fit.left_out[static_cast<std::size_t>(j)])) out.columns.push_back(j);
    if (!root_of_covariance(V, out.columns, part)) {
      why_not = "the covariance of the weights is not positive definite";
      return out;
    }
    part.mean = mean(out.columns);
    out.parts.push_back(std::move(part));
  }
  if (out.columns.empty()) why_not = "no weight varies";
  return out;
}

struct Draws {
  Matrix w;      // [design columns, draws]
  Vector log_q;  // [draws]
};

double log_sum_exp(const Eigen::Ref<const Vector>& x) {
  const double most = x.maxCoeff();
  return most + std::log((x.array() - most).exp().sum());
}

// Draws first .. first + draws_in_block - 1. They depend only on `first`, so the result does not depend on the number of threads.
void draw_block(const Proposal& q, Index first, Draws& out) {
  Normals random(seed + static_cast<std::uint64_t>(first));
  const auto size = static_cast<Index>(q.columns.size()), parts = static_cast<Index>(q.parts.size());
  Matrix W(size, draws_in_block);
  for (Index s = 0; s < draws_in_block; ++s) {
    double at = random.uniform();
    std::size_t part = 0;
    while (part + 1 < q.parts.size() && at > q.parts[part].weight) at -= q.parts[part++].weight;
    for (Index j = 0; j < size; ++j) W(j, s) = random();
    const Normal& one = q.parts[part];
    blas::trmv(blas::Transpose::no, size, one.root.data(), size, W.col(s).data());
    W.col(s) += one.mean;
  }
  Matrix log_density(parts, draws_in_block);
  for (Index c = 0; c < parts; ++c) {
    const Normal& one = q.parts[static_cast<std::size_t>(c)];
    Matrix z = W.colwise() - one.mean;
    one.root.triangularView<Eigen::Lower>().solveInPlace(z);
    log_density.row(c) =
        std::log(one.weight) - one.log_det_root - 0.5 * static_cast<double>(size) * ln_2pi - 0.5 * z.colwise().squaredNorm().array();
  }
  for (Index s = 0; s < draws_in_block; ++s) {
    out.log_q[first + s] = log_sum_exp(log_density.col(s));
    for (Index j = 0; j < size; ++j) out.w(q.columns[static_cast<std::size_t>(j)], first + s) = W(j, s);
  }
}

Draws draw(const Proposal& q, Index num_columns, Index threads) {
  Draws out{Matrix::Zero(num_columns, num_draws), Vector(num_draws)};
  parallel_for(num_draws / draws_in_block, threads, [&](Index block) { draw_block(q, block * draws_in_block, out); });
  return out;
}

// ln p of a row given its linear predictor, in the units of the design.                                           (KHAT.1), (KHAT.6)
class RowDensity {
 public:
  RowDensity(const Fit& fit, Vector target, Vector offset = {}) : target_(std::move(target)), offset_(std::move(offset)) {
    const FamilyResult& family = fit.family;
    if (has_classes(fit.task)) {
      term_ = classes;
      return;
    }
    if (has_noise(fit.task)) {
      const double scale = fit.state->y_scale;
      term_ = student;
      nu_ = family.degrees_of_freedom;
      tau_ = fit.noise.shape / fit.noise.rate * scale * scale;
      target_ = (target_.array() - fit.state->y_center) / scale;
      constant_ = Vector::Constant(
          target_.size(), log_gamma(0.5 * (nu_ + 1)) - log_gamma(0.5 * nu_) + 0.5 * (std::log(tau_ / nu_) - std::log(std::numbers::pi)));
      return;
    }
    k_ = family.dispersion;
    term_ = family.family == Family::poisson ? poisson : negative_binomial;
    constant_.resize(target_.size());
    for (Index i = 0; i < target_.size(); ++i)
      constant_[i] = (term_ == poisson ? 0 : log_rising(target_[i], k_).value) - log_gamma(target_[i] + 1);
  }

  [[nodiscard]] double operator()(Index i, double eta) const {
    const double y = target_[i];
    if (offset_.size() > 0) eta += offset_[i];
    switch (term_) {
      case classes: return log_sigmoid(y > 0.5 ? eta : -eta);
      case student: return constant_[i] - 0.5 * (nu_ + 1) * std::log1p(tau_ * (y - eta) * (y - eta) / nu_);
      case poisson: return constant_[i] + y * eta - std::exp(eta);
      case negative_binomial: return constant_[i] + y * eta - (y + 1 / k_) * softplus(eta + std::log(k_));
    }
    throw InternalError("no such likelihood");
  }

 private:
  enum { classes, student, poisson, negative_binomial } term_ = classes;
  Vector target_, offset_, constant_;
  double nu_ = 0, tau_ = 0, k_ = 0;
};

// sum_n k_n ln p(t_n | x_n'w) for each draw, in blocks of rows.
Vector log_likelihood(const TableDesign& X, const RowDensity& density, const Vector& k, const Matrix& W, Index threads) {
  constexpr Index rows_in_block = 512;
  Vector out = Vector::Zero(W.cols());
  Matrix panel(std::min(rows_in_block, X.rows()), X.cols());
  for (Index first = 0; first < X.rows(); first += rows_in_block) {
    pulse("checking", {.done = first, .total = X.rows()});
    const Index rows = std::min(rows_in_block, X.rows() - first);
    X.read_rows(first, rows, nullptr, panel);
    parallel_for(W.cols() / draws_in_block, threads, [&](Index block) {
      Matrix eta(rows, draws_in_block);
      blas::gemm(blas::Transpose::no, blas::Transpose::no, rows, draws_in_block, X.cols(), 1.0, panel.data(), panel.rows(),
                 W.col(block * draws_in_block).data(), W.rows(), 0.0, eta.data(), rows);
      for (Index s = 0; s < draws_in_block; ++s) {
        double sum = 0;
        for (Index i = 0; i < rows; ++i)
          if (k[first + i] > 0) sum += k[first + i] * density(first + i, eta(i, s));
        out[block * draws_in_block + s] += sum;
      }
    });
  }
  return out;
}

// ---- priors of the weights that vary ----------------------------------------------------------------------------------------------------

struct GroupOfColumns {
  std::vector<Index> columns;
  double shape = 0, rate = 0;  // hyper-prior of the precision; both 0: none
};
struct WeightPrior {
  std::vector<GroupOfColumns> groups;
  std::vector<Index> fixed;  // columns with a given precision
  Vector a;                  // [design columns] estimated or given precisions; 0 for flat columns
};

double log_normal(double square, double size, double precision) {
  return 0.5 * (size * (std::log(precision) - ln_2pi) - precision * square);
}

double square_of(const Eigen::Ref<const Vector>& w, const std::vector<Index>& columns) {
  double sum = 0;
  for (const Index j : columns) sum += w[j] * w[j];
  return sum;
}

double log_prior_held(const WeightPrior& prior, const Eigen::Ref<const Vector>& w) {
  double sum = 0;
  for (const GroupOfColumns& group : prior.groups)
    for (const Index j : group.columns) sum += log_normal(w[j] * w[j], 1, prior.a[j]);
  for (const Index j : prior.fixed) sum += log_normal(w[j] * w[j], 1, prior.a[j]);
  return sum;
}

// With the precisions integrated out: multivariate Student-t distributions.                                                    (KHAT.4)
double log_prior(const WeightPrior& prior, const Eigen::Ref<const Vector>& w) {
  double sum = 0;
  for (const GroupOfColumns& group : prior.groups) {
    const double half = 0.5 * static_cast<double>(group.columns.size()), c = group.shape + half;
    sum += log_gamma(c) - log_gamma(group.shape) + group.shape * std::log(group.rate) -
           c * std::log(group.rate + 0.5 * square_of(w, group.columns)) - half * ln_2pi;
  }
  for (const Index j : prior.fixed) sum += log_normal(w[j] * w[j], 1, prior.a[j]);
  return sum;
}

// The prior of b + u in a group: (1 - pi) N(0, h) + pi N(0, h + kappa).                                                        (KHAT.5)
struct SparsePrior {
  std::vector<std::vector<Index>> groups;
  double pi = 0, kappa = 0, h = 0;

  // The variance of the log odds.                                                                                                (SP.20)
  [[nodiscard]] double signal() const {
    double columns = 0;
    for (const std::vector<Index>& group : groups) columns += static_cast<double>(group.size());
    return columns * (h + (kappa > 0 ? pi * kappa : 0));
  }

  [[nodiscard]] double operator()(const Eigen::Ref<const Vector>& w) const {
    double sum = 0;
    for (const std::vector<Index>& group : groups) {
      const double square = square_of(w, group), size = static_cast<double>(group.size());
      const double dense = log_normal(square, size, 1 / h);
      if (!(pi > 0 && kappa > 0)) {
        sum += dense;
        continue;
      }
      const Eigen::Vector2d both(std::log1p(-pi) + dense, std::log(pi) + log_normal(square, size, 1 / (h + kappa)));
      sum += log_sum_exp(both);
    }
    return sum;
  }
};

// The precision of each column of the design inside V.
Vector precisions_of(const Fit& fit) {
  const Index q = fit.state->w.size(), p = fit.num_columns();
  if (fit.state->a.size() == q) return fit.state->a;
  if (fit.report.solver == SolverKind::sequential) return Vector::Constant(q, static_cast<double>(p));  // (SEQ.1)
  Vector a = Vector::Zero(q);
  Index groups = 0;
  for (Index j = 0; j < p; ++j) {
    const Index g = fit.group[static_cast<std::size_t>(j)];
    groups = std::max(groups, g + 1);
    if (g >= 0) a[j] = fit.precision[g];
  }
  if (q > p && fit.precision.size() > 0 && (fit.precision.size() > groups || (fit.prior == PriorKind::shared && fit.report.preset != "")))
    a[p] = fit.precision[fit.precision.size() - 1];  // an intercept with a precision
  return a;
}

bool estimates_precisions_only(const Fit& fit, const FitOptions& options) {
  return fit.report.solver == SolverKind::sequential || fit.report.solver == SolverKind::greedy || options.precision.shape == 0;
}

WeightPrior prior_of(const Fit& fit, const FitOptions& options, const std::vector<Index>& varying) {
  WeightPrior out{{}, {}, precisions_of(fit)};
  if (estimates_precisions_only(fit, options)) {
    for (const Index j : varying)
      if (out.a[j] > 0) out.fixed.push_back(j);
    return out;
  }
  const PreparedPrior prepared = prepare_prior(options, fit.num_columns(), fit.left_out);
  out.groups.resize(prepared.partition.group_size.size());
  for (const Index j : varying) {
    const Index g = prepared.partition.group[static_cast<std::size_t>(j)];
    if (g >= 0)
      out.groups[static_cast<std::size_t>(g)].columns.push_back(j);
    else if (g == Partition::fixed)
      out.fixed.push_back(j);
  }
  for (std::size_t g = 0; g < out.groups.size(); ++g) {
    out.groups[g].shape = prepared.shape[static_cast<Index>(g)];
    out.groups[g].rate = prepared.rate[static_cast<Index>(g)];
  }
  std::erase_if(out.groups, [](const GroupOfColumns& group) { return group.columns.empty(); });
  return out;
}

// The prior at the hyper-parameters of the best start; if h = 0 there, at the posterior mean of h. An averaged fit takes those of the
// hypothesis with small effects, because without small effects a weight has no density.                      (KHAT.5), (SP.15), (SP.21)
SparsePrior sparse_prior_of(const Fit& fit, const FitOptions& options, std::string& why_not) {
  const auto lighter = [](const auto& a, const auto& b) { return a.weight < b.weight; };  // the weight grows with the bound
  const std::vector<SparseStart>& starts = fit.sparse->starts;
  const bool is_averaged = starts.back().name == "small effects";
  const SparseStart& best = is_averaged ? starts.back() : *std::max_element(starts.begin(), starts.end(), lighter);
  SparsePrior out;
  out.pi = best.inclusion_prior;
  const double unit = fit.state->y_scale * fit.state->y_scale;
  out.kappa = best.slab_sd * best.slab_sd / unit;
  out.h = best.dense_sd * best.dense_sd / unit;
  const std::vector<MixtureComponent>& components = fit.state->factor.mixture.components;
  const MixtureComponent& heaviest = *std::max_element(components.begin(), components.end(), lighter);
  if (out.h == 0 && heaviest.spread) out.h = heaviest.spread->variance;
  if (!(out.h > 0)) why_not = "this fit has no dense part, and without it the prior of a weight has no density";
  const PenalisedColumns which = penalised_columns(options, fit.num_columns(), fit.left_out);
  for (Index g = 0; g < which.num_groups(); ++g) {
    const auto first = which.columns.begin() + which.group_begin(g);
    out.groups.emplace_back(first, first + which.group_size(g));
  }
  return out;
}

// ln p(b) of the intercept of two classes, where b is the log odds at the means of the columns.                                 (SP.20)
class InterceptPrior {
 public:
  /// \param signal  none: the width that is best for the draws
  InterceptPrior(const Fit& fit, Design& design, const Vector& k, const Matrix& draws, std::optional<double> signal)
      : is_there_(fit.state->proper_intercept) {
    if (!is_there_) return;
    means_ = row_of_means(design, k);
    const Vector b = draws.transpose() * means_;
    c_ = signal ? narrowing_of(*signal) : intercept_row(b.mean(), (b.array() - b.mean()).square().mean()).narrowing;
  }
  [[nodiscard]] double operator()(const Eigen::Ref<const Vector>& w) const {
    if (!is_there_) return 0;
    const double b = c_ * means_.dot(w);
    return std::log(c_ / std::numbers::pi) + 0.5 * (log_sigmoid(b) + log_sigmoid(-b));
  }

 private:
  bool is_there_;
  double c_ = 1;
  Vector means_;
};

// ---- from a fit to its k-hat ------------------------------------------------------------------------------------------------------------

Diagnosis not_computed() {
  Diagnosis out;
  out.khat = out.khat_given_precisions = out.effective_share = std::numeric_limits<double>::quiet_NaN();
  out.threshold = khat_threshold(num_draws);
  return out;
}

// (sum r)^2 / (S sum r^2)                                                                                                     (KHAT.3)
double effective_share(const Vector& log_ratios) {
  const Vector ratios = (log_ratios.array() - log_ratios.maxCoeff()).exp();
  const double mean = ratios.mean();
  return mean * mean / ratios.cwiseAbs2().mean();
}

double khat_of(const Draws& draws, const Vector& log_likelihood, double offset, auto&& log_prior, Vector& log_ratios) {
  log_ratios.resize(num_draws);
  for (Index s = 0; s < num_draws; ++s)
    log_ratios[s] = log_likelihood[s] + log_prior(draws.w.col(s)) - draws.log_q[s] + offset;  // (KHAT.1)
  return pareto_khat(log_ratios);
}

void require_density(const Fit& fit) {
  if (fit.prior == PriorKind::laplace)
    throw InvalidArgument(
        "k-hat compares distributions; a fit under the Laplace prior is a mode, and most of its weights are exactly zero");
  if (fit.prior == PriorKind::slab)
    throw InvalidArgument("k-hat compares densities; under prior slab a weight is zero with a positive probability: use prior sparse");
}

/// What the rows of a fit are: its target, and what is added to the linear predictors; empty: nothing.
struct RowsOfFit {
  Vector target, offset;
};

Diagnosis diagnose_fit(const Fit& fit, MatrixView X, RowsOfFit rows, const Vector& k, const FitOptions& options, std::string& why_not) {
  require_density(fit);
  Diagnosis out = not_computed();
  if (has_noise(fit.task) && fit.family.family != Family::student) {
    why_not = "the noise is normal, and there is nothing to compare the posterior with";
  } else if (fit.state == nullptr || !fit.mean.allFinite()) {
    why_not = "the fit has no posterior";
  } else if (fit.state->factor.kind == CovarianceFactor::Kind::none) {
    why_not = "the fit kept no covariance; it needs keep_covariance = always";
  } else if (fit.state->w.size() > most_columns) {
    why_not = fmt::format("there are {} columns; k-hat is computed for at most {}", fit.state->w.size(), most_columns);
  }
  if (!why_not.empty()) return out;
  pulse("checking");
  const blas::ThreadScope asked(options.threads);
  const Index threads = blas::threads_for(static_cast<double>(num_draws) * static_cast<double>(X.rows() * (X.cols() + 1)));
  const blas::ThreadScope one{blas::ThreadScope::OursAlone{}};
  const Proposal q = proposal_of(fit, why_not);
  if (!why_not.empty()) return out;
  const Draws draws = draw(q, fit.state->w.size(), threads);
  const auto design = table_design(X, fit.state->standardization);
  const Vector likelihood = log_likelihood(*design, RowDensity(fit, std::move(rows.target), std::move(rows.offset)), k, draws.w, threads);
  std::vector<Index> flat;
  for (const Index j : q.columns)
    if (j < fit.num_columns() && fit.group[static_cast<std::size_t>(j)] == Partition::flat) flat.push_back(j);
  if (has_noise(fit.task) && fit.intercept) flat.push_back(fit.num_columns());
  const double offset = bound_offset(flat, *fit.state, has_noise(fit.task) ? k.sum() : 0);
  if (is_sparse(fit.prior)) {
    const SparsePrior prior = sparse_prior_of(fit, options, why_not);
    if (!why_not.empty()) return out;
    const InterceptPrior intercept(fit, *design, k, draws.w, prior.signal());
    out.khat = out.khat_given_precisions = khat_of(
        draws, likelihood, offset, [&](const Eigen::Ref<const Vector>& w) { return prior(w) + intercept(w); }, out.log_ratios);
    out.effective_share = effective_share(out.log_ratios);
    return out;
  }
  const WeightPrior prior = prior_of(fit, options, q.columns);
  const InterceptPrior intercept(fit, *design, k, draws.w, std::nullopt);
  const auto held = [&](const Eigen::Ref<const Vector>& w) { return log_prior_held(prior, w) + intercept(w); };
  out.khat = out.khat_given_precisions = khat_of(draws, likelihood, offset, held, out.log_ratios);
  if (!prior.groups.empty())
    out.khat = khat_of(
        draws, likelihood, offset, [&](const Eigen::Ref<const Vector>& w) { return log_prior(prior, w) + intercept(w); }, out.log_ratios);
  out.effective_share = effective_share(out.log_ratios);
  return out;
}

// 1 for rows of the second class: the higher of two labels, or a single label that is positive.
Vector second_class(VectorView labels) {
  const auto [low, high] = std::minmax_element(labels.begin(), labels.end());
  Vector t(labels.size());
  for (Index i = 0; i < t.size(); ++i) t[i] = (*low < *high ? labels[i] == *high : labels[i] > 0) ? 1 : 0;
  return t;
}

}  // namespace

Diagnosis largest_khat(std::size_t num_machines, const std::function<Diagnosis(std::size_t)>& diagnosis_of, const std::string& why_not) {
  Diagnosis largest = not_computed();
  for (std::size_t m = 0; m < num_machines; ++m) {
    Diagnosis one = diagnosis_of(m);
    if (!why_not.empty()) return one;
    if (m == 0 || !(one.khat <= largest.khat)) largest = std::move(one);
  }
  return largest;
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

Diagnosis diagnose(const Fit& fit, MatrixView X, VectorView target, const FitOptions& options, std::string& why_not) {
  validate::vector(target, X.rows(), facts_of(fit.task).argument);
  const Vector k = weights_or_ones(options.weights, X.rows());
  const std::optional<Index> beside = fit.exposure ? fit.exposure : fit.offset_column;
  FitOptions chosen = with_chosen_prior(options, fit.task, X.rows(), X.cols() - (beside ? 1 : 0)).options;
  RowsOfFit rows{has_classes(fit.task) ? second_class(target) : Vector(target.eigen()), options.row_offset.eigen()};
  if (beside) rows.offset = offset_in("X", X, {*beside, fit.exposure.has_value()}, validate::column_name(fit.column_names, *beside), k);
  if (has_noise(fit.task)) {
    chosen.posterior = fit.posterior;
    chosen = in_units_of_target(chosen, k.dot(rows.target.cwiseAbs2()) / k.sum());
  }
  return diagnose_fit(fit, X, std::move(rows), k, chosen, why_not);
}

Diagnosis diagnose(const RelevanceFit& fit, MatrixView X, VectorView labels, const RelevanceOptions& options, std::string& why_not) {
  validate::vector(labels, X.rows(), "labels");
  if (!has_classes(fit.task)) throw InvalidArgument("k-hat of a relevance vector machine exists only for classifications");
  const Vector k = weights_or_ones(options.weights, X.rows());
  const Classes classes = read_classes(labels, k, {});
  FitOptions of_machine;
  of_machine.prior = Prior::ard();
  const bool has_prior = fit.algorithm == RelevanceAlgorithm::variational || fit.algorithm == RelevanceAlgorithm::plain;
  of_machine.precision = has_prior ? options.precision : GammaDistribution{0, 0};
  of_machine.threads = options.threads;
  const Matrix K = kernel_columns(fit, X);
  return largest_khat(
      fit.machines.size(),
      [&](std::size_t c) {
        const RelevanceMachine& machine = fit.machines[c];
        const double own = fit.machines.size() == 1 ? classes.labels.back() : classes.labels[c];
        Vector t(labels.size());
        for (Index i = 0; i < t.size(); ++i) t[i] = labels[i] == own ? 1 : 0;
        const Matrix columns = K(Eigen::all, machine.vectors);
        return diagnose_fit(machine.fit, columns, {t, {}}, k, of_machine, why_not);
      },
      why_not);
}

std::string warning_of(const Diagnosis& d) {
  if (d.khat <= d.threshold || std::isnan(d.khat)) return {};
  const std::string found = fmt::format("k-hat is {:.2f}, above {:.2f}: ", d.khat, d.threshold);
  if (d.effective_share > 0.9)
    return found +
           fmt::format(
               "the exact posterior of the weights has heavier tails than this one; near the centre the two agree (effective share of the "
               "draws {:.0f}%), and so do their means and intervals",
               100 * d.effective_share);
  const std::string differs =
      found + "the exact posterior of the weights differs from this one, so intervals and probabilities may be too confident";
  if (d.khat == d.khat_given_precisions) return differs;
  return differs + fmt::format("; with the precisions fixed at their estimates k-hat is {:.2f}, so {}", d.khat_given_precisions,
                               d.khat_given_precisions <= d.threshold
                                   ? "what is missing is the uncertainty of the precisions, and not the shape of the distribution"
                                   : "a normal distribution is not a good description even then");
}

}  // namespace ardvark
