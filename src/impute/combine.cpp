#include "impute/combine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/eigen_solvers.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "posterior/state.hpp"
#include "target/target.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {
namespace {

double mean_over(const std::vector<Fit>& fits, auto&& value) {
  double sum = 0;
  for (const Fit& fit : fits) sum += value(fit);
  return sum / static_cast<double>(fits.size());
}
Vector mean_vector(const std::vector<Fit>& fits, auto&& value) {
  Vector sum = value(fits.front());
  for (std::size_t m = 1; m < fits.size(); ++m) sum += value(fits[m]);
  return sum / static_cast<double>(fits.size());
}
std::vector<bool> majority(const std::vector<Fit>& fits, auto&& value) {
  std::vector<bool> out(value(fits.front()).size());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = mean_over(fits, [&](const Fit& fit) { return value(fit)[j] ? 1.0 : 0.0; }) > 0.5;
  return out;
}

// The posterior of the noise precision: the mean of the noise, and the spread of its logarithm.                                (SP.11)
GammaDistribution noise_of(const std::vector<Fit>& fits) {
  const auto noise = [](const Fit& fit) { return fit.noise.rate / fit.noise.shape; };
  const double centre = mean_over(fits, [&](const Fit& fit) { return std::log(noise(fit)); });
  const double spread = mean_over(fits, [&](const Fit& fit) {
    const double off = std::log(noise(fit)) - centre;
    return 1 / fit.noise.shape + off * off;
  });
  return {1 / spread, mean_over(fits, noise) / spread};
}

// A sparse posterior for columns that were centred at d, as one for columns that were not: with f = A f', f the flat columns,
// x~ = x - d 1 - G'A f'.                                                                                                        (MI.4)
class WithoutCentre {
 public:
  WithoutCentre(const Fit& fit, Index intercept) : state_(*fit.state), mixture_(state_.factor.mixture) {
    const std::vector<Index>& flat = mixture_.flat_columns;
    const auto found = std::find(flat.begin(), flat.end(), intercept);
    const auto f = static_cast<Index>(flat.size());
    A_ = Matrix::Identity(f, f);
    if (found == flat.end() || state_.standardization.center.size() == 0) return;
    at_ = found - flat.begin();
    for (Index k = 0; k < f; ++k)
      if (k != at_) A_(k, at_) -= state_.standardization.center[flat[static_cast<std::size_t>(k)]];
    d_ = state_.standardization.center(mixture_.columns);
  }
  MixtureComponent of(MixtureComponent c) {
    std::shared_ptr<const DenseBasis>& basis = bases_[c.basis.get()];
    if (!basis) {
      auto moved = std::make_shared<DenseBasis>(*c.basis);
      moved->G = A_.transpose() * moved->G;
      moved->R = moved->R * A_;
      if (at_ >= 0) moved->G.row(at_) += d_.transpose();
      basis = std::move(moved);
    }
    c.flat_mean = A_.transpose() * c.flat_mean;
    if (at_ >= 0) c.flat_mean[at_] += state_.y_center - c.w.dot(d_);
    c.basis = basis;
    return c;
  }

 private:
  const FitState& state_;
  const Mixture& mixture_;
  Matrix A_;
  Vector d_;
  Index at_ = -1;  // of the intercept among the flat columns
  std::map<const DenseBasis*, std::shared_ptr<const DenseBasis>> bases_;
};

// C^-1 b; in directions without variance, 0.
Vector solved(const Matrix& C, const Vector& b) {
  if (b.size() == 0) return b;
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(C);
  const Vector& variance = axes.eigenvalues();
  const double least = 1e-14 * variance.maxCoeff();
  const Vector inverse = variance.unaryExpr([&](double x) { return x > least ? 1 / x : 0.0; });
  return axes.eigenvectors() * inverse.asDiagonal() * (axes.eigenvectors().transpose() * b);
}

// The squared scale of all weights, which is their covariance if they are normal.                                             (SP.25)
Matrix squared_scale(const Fit& fit) { return (fit.is_joint() ? fit.noise.rate / fit.noise.shape : 1) * fit.V(); }

// A posterior as a component: the intercept given the weights is b - G (w - mean), with the rest of its variance.       (MI.4)
MixtureComponent normal_component(const Fit& fit, const Matrix& C, const std::vector<Index>& columns) {
  const Index p = fit.num_columns(), q = static_cast<Index>(columns.size()), f = fit.intercept ? 1 : 0;
  MixtureComponent out;
  const Matrix within = C(columns, columns);
  auto basis = std::make_shared<DenseBasis>();
  basis->storage = std::shared_ptr<double[]>(new double[1]);
  basis->G = Matrix::Zero(f, q);
  basis->R = Matrix::Zero(f, f);
  out.flat_mean.resize(f);
  out.F = root_of(within).transpose();
  if (f > 0) {
    const Vector across = C.col(p)(columns);
    const Vector along = solved(within, across);
    basis->G.row(0) = -along.transpose();
    basis->R(0, 0) = std::sqrt(std::max(C(p, p) - along.dot(across), 0.0));
    out.flat_mean[0] = fit.intercept->mean;
  }
  out.w = fit.mean(columns);
  out.v = Vector::Zero(q);
  out.active.resize(columns.size());
  std::iota(out.active.begin(), out.active.end(), Index{0});
  out.basis = std::move(basis);
  return out;
}

std::vector<MixtureComponent> components_of_table(const Fit& fit, const Mixture& whole) {
  std::vector<MixtureComponent> out;
  if (fit.state->factor.kind == CovarianceFactor::Kind::mixture) {
    WithoutCentre without(fit, fit.num_columns());
    for (const MixtureComponent& component : fit.state->factor.mixture.components) out.push_back(without.of(component));
  } else {
    out.push_back(normal_component(fit, squared_scale(fit), whole.columns));
  }
  return out;
}

// The equal-weight mixture. The means of the tables move away from their average until the variance between them is Rubin's.   (MI.4)
Mixture mixture_of(const std::vector<Fit>& fits) {
  const auto M = static_cast<double>(fits.size());
  const Fit& first = fits.front();
  const Index p = first.num_columns();
  Mixture out;
  if (first.state->factor.kind == CovarianceFactor::Kind::mixture) {
    out.columns = first.state->factor.mixture.columns;
    out.flat_columns = first.state->factor.mixture.flat_columns;
  } else {
    for (Index j = 0; j < p; ++j)
      if (std::any_of(fits.begin(), fits.end(), [&](const Fit& fit) { return fit.variance[j] > 0; })) out.columns.push_back(j);
    if (first.intercept) out.flat_columns.push_back(p);
  }
  std::vector<std::vector<MixtureComponent>> tables;
  for (const Fit& fit : fits) tables.push_back(components_of_table(fit, out));
  const auto centre = [&](auto member) {
    Vector sum = Vector::Zero((tables.front().front().*member).size());
    for (const auto& table : tables)
      for (const MixtureComponent& c : table) sum += c.weight / M * (c.*member);
    return sum;
  };
  const Vector w = centre(&MixtureComponent::w), b = centre(&MixtureComponent::flat_mean);
  const double away = M > 1 ? std::sqrt((M + 1) / (M - 1)) - 1 : 0;
  for (std::vector<MixtureComponent>& table : tables) {
    Vector w_here = Vector::Zero(w.size()), b_here = Vector::Zero(b.size());
    for (const MixtureComponent& c : table) w_here += c.weight * c.w, b_here += c.weight * c.flat_mean;
    for (MixtureComponent& c : table) {
      c.w += away * (w_here - w);
      c.flat_mean += away * (b_here - b);
      c.weight /= M;
      out.components.push_back(std::move(c));
    }
  }
  out.normalise_weights();
  return out;
}

// Rubin's share of the information on each coefficient that is missing, with his degrees of freedom.                            (MI.5)
Vector missing_information_of(const std::vector<Fit>& fits) {
  const auto M = static_cast<double>(fits.size());
  const Index p = fits.front().num_columns();
  Vector out = Vector::Zero(p);
  if (fits.size() < 2) return out;
  const Vector centre = mean_vector(fits, [](const Fit& fit) { return fit.mean; });
  const Vector within = mean_vector(fits, [](const Fit& fit) { return fit.variance; });
  const Vector squares = mean_vector(fits, [&](const Fit& fit) { return Vector((fit.mean - centre).cwiseAbs2()); });
  for (Index j = 0; j < p; ++j) {
    const double between = (1 + 1 / M) * M / (M - 1) * squares[j];
    if (!(between > 0) || !(within[j] > 0) || !std::isfinite(within[j])) continue;
    const double r = between / within[j];
    if (!std::isfinite(r)) {
      out[j] = 1;
      continue;
    }
    const double nu = (M - 1) * (1 + 1 / r) * (1 + 1 / r);
    out[j] = std::min((r + 2 / (nu + 3)) / (r + 1), 1.0);
  }
  return out;
}

// The hypotheses, or starts, of the same name together.
std::vector<SparseStart> mean_starts(const std::vector<Fit>& fits) {
  const auto M = static_cast<double>(fits.size());
  std::vector<SparseStart> out;
  const auto add = [](double share, const SparseStart& one, SparseStart& sum) {
    for (auto member : {&SparseStart::inclusion_prior, &SparseStart::slab_sd, &SparseStart::dense_sd, &SparseStart::noise_sd,
                        &SparseStart::dense_fraction, &SparseStart::bound})
      sum.*member += share * (one.*member - sum.*member);
  };
  std::map<std::string, int> seen;
  const auto added = [](double sum, double share) { return std::min(sum + share, 1.0); };  // shares of 1/M add up to 1 and rounding
  for (const Fit& fit : fits)
    for (SparseStart one : fit.sparse->starts) {
      one.weight /= M;
      const auto same = std::ranges::find(out, one.name, &SparseStart::name);
      const int count = ++seen[one.name];
      if (same == out.end()) {
        out.push_back(std::move(one));
        continue;
      }
      add(1.0 / count, one, *same);
      same->weight = added(same->weight, one.weight);
      same->sweeps = std::max(same->sweeps, one.sweeps);
      if (one.status != Status::converged) same->status = one.status;
    }
  return out;
}

// Sets of the same columns together; a table without the set counts as zero. A table may have several effects that the same columns
// share: its first set of these columns belongs to the first of the other tables, and so on.
std::vector<CredibleSet> mean_sets(const std::vector<Fit>& fits) {
  const auto M = static_cast<double>(fits.size());
  using Key = std::pair<std::vector<Index>, int>;  // the columns, and which of the sets of these columns
  std::map<Key, std::map<Index, double>> probability;
  std::map<Key, std::pair<double, double>> inclusion_and_count;
  for (const Fit& fit : fits) {
    std::map<std::vector<Index>, int> times;
    for (const CredibleSet& set : fit.sparse->sets) {
      std::vector<Index> columns = set.columns;
      std::ranges::sort(columns);
      const Key key = {columns, times[columns]++};
      for (std::size_t i = 0; i < set.columns.size(); ++i) probability[key][set.columns[i]] += set.probability[i];
      double& inclusion = inclusion_and_count[key].first;
      inclusion = std::min(inclusion + set.inclusion / M, 1.0);
      inclusion_and_count[key].second += 1;
    }
  }
  std::vector<CredibleSet> out;
  for (const auto& [key, found] : inclusion_and_count) {
    if (!(found.first > 0.1)) continue;
    CredibleSet& set = out.emplace_back(CredibleSet{key.first, {}, found.first});
    const auto of = [&, &shares = probability[key], count = found.second](Index j) { return std::min(shares[j] / count, 1.0); };
    std::ranges::sort(set.columns, std::greater(), of);
    for (const Index j : set.columns) set.probability.push_back(of(j));
  }
  std::ranges::stable_sort(out, std::greater(), &CredibleSet::inclusion);
  return out;
}

// The averages, and the columns that are kept: probable in the average, and decided in most tables.                            (SP.22)
void take_sparse(const std::vector<Fit>& fits, Solution& out) {
  SparseResult& sparse = out.sparse.emplace();
  sparse.inclusion = mean_vector(fits, [](const Fit& fit) { return fit.sparse->inclusion; });
  const Vector sign = mean_vector(fits, [](const Fit& fit) { return fit.mean; });
  sparse.direction = mean_vector(fits, [&](const Fit& fit) {
    Vector of_sign = fit.sparse->direction;
    for (Index j = 0; j < sign.size(); ++j)
      if (fit.mean[j] * sign[j] < 0) of_sign[j] = 1 - of_sign[j];
    return of_sign;
  });
  sparse.direction = sparse.direction.cwiseMax(0.5).cwiseMin(1.0);
  sparse.undecided = majority(fits, [](const Fit& fit) { return fit.sparse->undecided; });
  for (auto member : {&SparseResult::dense_fraction, &SparseResult::peak_bound})
    sparse.*member = mean_over(fits, [&](const Fit& fit) { return (*fit.sparse).*member; });
  sparse.starts = mean_starts(fits);
  sparse.sets = mean_sets(fits);
}

Report report_of_all(const std::vector<Fit>& fits) {
  Report out = fits.front().report;
  std::set<std::string> known;
  const auto without_digits = [](std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
    return text;
  };
  for (const std::string& warning : out.warnings) known.insert(without_digits(warning));
  out.bound = mean_over(fits, [](const Fit& fit) { return fit.bound; });
  if (!out.bound_history.empty())
    for (double& bound : out.bound_history) bound += out.bound - fits.front().bound;
  out.pruning.clear();
  for (const Fit& fit : fits) {
    if (out.status == Status::converged && fit.report.status != Status::converged) {
      out.status = fit.report.status;
      out.message = fit.report.message;
    }
    out.sweeps = std::max(out.sweeps, fit.report.sweeps);
    for (const std::string& warning : fit.report.warnings)
      if (known.insert(without_digits(warning)).second) out.warnings.push_back(warning);
  }
  out.solver_reason = fmt::format("{} completed tables; {}", fits.size(), out.solver_reason);
  return out;
}

}  // namespace

Combined combined(const std::vector<Fit>& fits, const Frame& frame) {
  const Fit& first = fits.front();
  Solution out;
  out.prior = first.prior;
  out.posterior = LinearPosterior::factorised;  // the noise does not scale the variance between the tables
  out.student_degrees = first.degrees_of_freedom();
  out.group = first.group;
  for (Index j = 0; j < first.num_columns(); ++j)
    if (first.group[static_cast<std::size_t>(j)] == Partition::flat) out.flat.push_back(j);
  if (first.intercept) out.flat.push_back(first.num_columns());
  if (has_noise(first.task)) out.noise = noise_of(fits);
  take_mixture(mixture_of(fits), frame, out);
  out.effective_parameters = mean_over(fits, [](const Fit& fit) { return fit.effective_parameters; });
  out.relevance = mean_vector(fits, [](const Fit& fit) { return fit.relevance; });
  out.relevant = majority(fits, [](const Fit& fit) { return fit.relevant; });
  if (first.sparse) take_sparse(fits, out);
  if (first.precision.size() > 0) out.precision = mean_vector(fits, [](const Fit& fit) { return fit.precision; });
  out.report = report_of_all(fits);

  Combined all{assemble(frame, std::move(out)), missing_information_of(fits)};
  Fit& fit = all.fit;
  fit.completed_tables = static_cast<Index>(fits.size());
  fit.num_rows = first.num_rows;
  fit.r_squared = mean_over(fits, [](const Fit& one) { return one.r_squared; });
  fit.accuracy = mean_over(fits, [](const Fit& one) { return one.accuracy; });
  fit.log_loss = mean_over(fits, [](const Fit& one) { return one.log_loss; });
  for (const std::size_t c : {0, 1}) fit.class_weight[c] = first.class_weight[c];
  return all;
}

}  // namespace ardvark::internal
