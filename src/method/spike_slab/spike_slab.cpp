#include "method/spike_slab/spike_slab.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/eigen_solvers.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/special.hpp"
#include "method/spike_slab/column_pass.hpp"
#include "method/spike_slab/subset_posterior.hpp"

namespace ardvark::internal {

void SpikeSlabSettings::take_units(const Vector& squares) {
  const Vector units = squares / num_rows;
  if (!(units.sum() > 0)) return;
  column_unit = units.mean();
  smallest_unit = (units.array() > 0).select(units, column_unit).minCoeff();
}

SpikeSlab::SpikeSlab(const PenalisedColumns& which, const SpikeSlabSettings& settings, std::shared_ptr<const ColumnSets> sets)
    : which_(&which),
      settings_(settings),
      sets_(sets ? std::move(sets) : std::make_shared<const ColumnSets>(groups_of(which))),
      m_(Vector::Zero(which.size())),
      v_(Vector::Zero(which.size())),
      inclusion_(Vector::Zero(which.num_groups())),
      large_(static_cast<std::size_t>(sets_->has_one_indicator() ? sets_->size() : 0)) {}

// Allocates memory for the sets whose matrices are computed.
void SpikeSlab::make_room() {
  if (!covariance_.empty()) return;
  covariance_.resize(static_cast<std::size_t>(sets_->covariance_size()), 0.0);
  const Index largest = sets_->largest();
  scratch_.z.resize(static_cast<std::size_t>(largest));
  scratch_.A.resize(largest * largest);
  scratch_.c.resize(largest);
  scratch_.change.resize(largest);
  scratch_.odds.resize(largest);
}

void SpikeSlab::set_rows(const ReducedRows& rows) {
  rows_ = &rows;
  g_ = Vector::Zero(rows.rank());
  set_hyper(hyper_);
}

void SpikeSlab::set_hyper(const SpikeSlabHyper& hyper) {
  hyper_ = hyper;
  D_ = (1 + hyper_.h * rows_->l.array()).inverse();
  set_mean(m_);
}

void SpikeSlab::set_mean(const Vector& m) {
  if (&m != &m_) m_ = m;
  u_ = rows_->y;
  const auto Z = rows_->Z();
  for (Index j = 0; j < m_.size(); ++j)
    if (m_[j] != 0) u_ -= m_[j] * Z.col(j);
  u_.array() *= D_.array();
}

void SpikeSlab::set_state(const Vector& m, const SpikeSlabHyper& hyper) {
  m_ = m;
  set_hyper(hyper);
}

void SpikeSlab::free_dense(double h) {
  settings_.fit_dense = true;
  SpikeSlabHyper hyper = hyper_;
  hyper.h = h;
  set_hyper(hyper);
}

SpikeSlab::Sums& SpikeSlab::Sums::operator+=(const Sums& other) {
  included += other.included;
  slab_columns += other.slab_columns;
  square += other.square;
  negentropy += other.negentropy;
  return *this;
}

// What the columns beside add to the sums.                                                                                     (SP.26)
void SpikeSlab::add_beside() {
  of_beside_ = beside_ ? beside_->sums(hyper_) : SumsBeside();
  pi_of_beside_ = hyper_.pi;
  sums_ += {of_beside_.included, of_beside_.included, of_beside_.square, of_beside_.negentropy};
}

void SpikeSlab::sweep(std::span<const Index> order) {
  raised_.clear();
  others_ = {};
  others_g_.resize(0);
  g_.setZero();
  pi_of_others_ = hyper_.pi;
  pass(order, Pass::whole);
}

void SpikeSlab::sweep_raised() {
  if (others_g_.size() == 0) {
    others_g_ = g_;
    for (const Index set : raised_) take_spread(set, others_g_);
  }
  g_ = others_g_;
  pass(raised_, Pass::raised);
}

void SpikeSlab::pass(std::span<const Index> order, Pass which) {
  const double s2 = hyper_.s2, kappa = hyper_.kappa, odds = std::log(hyper_.pi) - std::log1p(-hyper_.pi);
  const double log_slab = std::log(s2 * kappa);
  Sums raised;
  Index set = 0;
  const auto count = [&](bool data_raised, const Sums& part) {
    const bool is_raised = which == Pass::raised || data_raised;
    (is_raised ? raised : others_) += part;
    if (which == Pass::whole && is_raised) raised_.push_back(set);
  };
  // One logarithm of a product replaces ln(1 - q) of many columns.
  double excluded[2] = {1, 1};  // of those that are not raised, and that are
  const auto take_logarithm = [&](bool is_raised) {
    (is_raised ? raised : others_).negentropy += std::log(excluded[is_raised]);
    excluded[is_raised] = 1;
  };
  // With c and d = z'Dz of this column, the exact maximiser of the bound in q(b_j).                                              (SP.4)
  constexpr double most_gain = 200;  // products with its exponential do not overflow
  const double prior_ratio = std::exp(odds);
  const auto one = [&](Index j, double c, double d) {
    const double shrink = 1 / (1 + kappa * d), mu = kappa * c * shrink, slab = s2 * kappa * shrink, gain = 0.5 * c * mu / s2;
    double q = 0, negentropy = 0;
    bool data_raised = true;
    if (gain < most_gain) {
      const double from_data = std::sqrt(shrink) * std::exp(gain), without = 1 / (1 + prior_ratio * from_data);
      q = prior_ratio * from_data * without;
      data_raised = from_data > 1;
      if (q > 0) negentropy = q * (odds + gain - 0.5 * log_slab);  // ln q - ln(1 - q) - 1/2 ln slab, where ln shrink cancels
      const bool is_raised = which == Pass::raised || data_raised;
      excluded[is_raised] *= without;
      if (excluded[is_raised] < 1e-200) take_logarithm(is_raised);
    } else {
      const double log_shrink = std::log(shrink);
      const auto [probability, negative_entropy] = indicator(odds + 0.5 * log_shrink + gain);
      q = probability;
      negentropy = negative_entropy - 0.5 * q * (log_slab + log_shrink);
    }
    const double variance = q * slab + q * (1 - q) * mu * mu;
    inclusion_[sets_->unit_of(set, j)] = q;
    v_[j] = variance;
    count(data_raised, {q, q, q * (slab + mu * mu), negentropy});
    return ColumnUpdate{q * mu, variance > 1e-14 * s2 / std::max(d, 1e-300) ? variance : 0};
  };
  const ColumnKernels& kernel = column_kernel();
  const auto is_single = [&](std::size_t at) { return at < order.size() && sets_->columns_of(order[at]).size() == 1; };
  for (std::size_t at = 0; at < order.size(); ++at) {
    set = order[at];
    const Index first = sets_->columns_of(set)[0];
    if (is_single(at) && is_single(at + 1)) {
      const Index next = order[++at];
      update_pair(kernel, *rows_, first, sets_->columns_of(next)[0], D_, m_, u_, g_, [&](Index j, double c, double d) {
        if (j != first) set = next;
        return one(j, c, d);
      });
    } else if (is_single(at)) {
      update_column(kernel, *rows_, first, D_, m_, u_, g_, one);
    } else {
      Sums part;
      const bool data_raised = update_set(set, part);
      count(data_raised, part);
    }
  }
  take_logarithm(true);
  take_logarithm(false);
  sums_ = others_;
  sums_ += raised;
  add_beside();
}

void SpikeSlab::gather(Index set) {
  const std::span<const Index> columns = sets_->columns_of(set);
  for (std::size_t i = 0; i < columns.size(); ++i) scratch_.z[i] = rows_->Z().data() + columns[i] * rows_->rank();
}

Eigen::Map<Matrix> SpikeSlab::stored_covariance(Index set) {
  const auto size = static_cast<Index>(sets_->columns_of(set).size());
  return {covariance_.data() + sets_->covariance_begin(set), size, size};
}

// Updates columns with a joint posterior. True if the data raised their odds of inclusion.                                      (SP.12)
bool SpikeSlab::update_set(Index set, Sums& part) {
  const auto at = static_cast<std::size_t>(set);
  if (sets_->has_one_indicator()) large_[at].inverse = nullptr;
  if (sets_->has_one_indicator() && !rows_->systems.empty() && rows_->systems[at])
    update_large_group(set, part);
  else
    update_jointly(set, part);
  return part.included > hyper_.pi * static_cast<double>(sets_->has_one_indicator() ? 1 : sets_->columns_of(set).size());
}

// A = Z_B'DZ_B, c = Z_B'Dr + A m_B.                                                                                     (SP.10), (SP.14)
void SpikeSlab::update_jointly(Index set, Sums& part) {
  const std::span<const Index> columns = sets_->columns_of(set);
  const auto size = static_cast<Index>(columns.size());
  const ColumnKernels& kernel = column_kernel();
  make_room();
  gather(set);
  kernel.joint_products(scratch_.z.data(), size, u_.data(), D_.data(), rows_->rank(), scratch_.A.data(), scratch_.c.data());
  for (Index i = 0; i < size; ++i) {
    const double m = m_[columns[static_cast<std::size_t>(i)]];
    scratch_.change[i] = -m;
    if (m != 0) scratch_.c.head(size) += m * scratch_.A.segment(i * size, size);
  }
  if (sets_->has_one_indicator())
    update_group(set, part);
  else
    update_block(set, part);
  const auto covariance = stored_covariance(set);
  for (Index i = 0; i < size; ++i) {
    const Index j = columns[static_cast<std::size_t>(i)];
    scratch_.change[i] += m_[j];
    v_[j] = covariance(i, i);
  }
  kernel.joint_move(scratch_.z.data(), size, D_.data(), rows_->rank(), scratch_.change.data(), covariance.data(), u_.data(), g_.data());
}

// The same for a group of many columns.                                                                                 (SP.10), (SP.17)
void SpikeSlab::update_large_group(Index set, Sums& part) {
  const double s2 = hyper_.s2, kappa = hyper_.kappa;
  const std::span<const Index> columns = sets_->columns_of(set);
  const auto size = static_cast<Index>(columns.size());
  LargeGroup& own = large_[static_cast<std::size_t>(set)];
  auto m = m_.segment(columns[0], size);  // a group's columns lie side by side
  const Vector before = times_columns(set, m);
  own.inverse = rows_->systems[static_cast<std::size_t>(set)]->invert(hyper_.h, kappa);
  const Vector c = project_on_columns(set, u_ + D_.cwiseProduct(before));
  own.mu = own.inverse->times(c);
  own.s2 = s2;
  const double count = static_cast<double>(size), stretch = own.inverse->stretch(), trace = s2 * own.inverse->trace();
  const double x = std::log(hyper_.pi) - std::log1p(-hyper_.pi) - 0.5 * stretch + 0.5 * c.dot(own.mu) / s2;
  const auto [q, negative_entropy] = indicator(x);
  own.q = inclusion_[set] = q;
  m = q * own.mu;
  const Vector along = times_columns(set, own.mu);
  u_ -= D_.cwiseProduct(q * along - before);
  own.g = q * s2 * own.inverse->spread() + q * (1 - q) * along.cwiseAbs2();
  g_ += own.g;
  part = {q, q * count, q * (trace + own.mu.squaredNorm()),
          negative_entropy - (q > 0 ? 0.5 * q * (count * std::log(s2 * kappa) - stretch) : 0)};
}

Vector SpikeSlab::times_columns(Index set, const Vector& x) const {  // Z_B x
  const Index m = rows_->rank(), first = sets_->columns_of(set)[0];
  Vector out = Vector::Zero(m);
  if (m > 0 && (x.array() != 0).any())
    blas::gemv(blas::Transpose::no, m, x.size(), 1.0, rows_->Z().data() + first * m, m, x.data(), 0.0, out.data());
  return out;
}

Vector SpikeSlab::project_on_columns(Index set, const Vector& x) const {  // Z_B'x
  const std::span<const Index> columns = sets_->columns_of(set);
  const Index m = rows_->rank();
  Vector out(static_cast<Index>(columns.size()));
  blas::gemv(blas::Transpose::yes, m, out.size(), 1.0, rows_->Z().data() + columns[0] * m, m, x.data(), 0.0, out.data());
  return out;
}

// mu = (A + I/kappa)^-1 c, V = s2 (A + I/kappa)^-1.                                                                             (SP.10)
void SpikeSlab::update_group(Index set, Sums& part) {
  const double s2 = hyper_.s2, kappa = hyper_.kappa;
  const std::span<const Index> columns = sets_->columns_of(set);
  const auto size = static_cast<Index>(columns.size());
  const Eigen::Map<const Matrix> A(scratch_.A.data(), size, size);
  const auto c = scratch_.c.head(size);
  Matrix shrunk = kappa * A;
  shrunk.diagonal().array() += 1;  // I + kappa A
  const Eigen::LLT<Matrix> factor(shrunk);
  const Vector mu = kappa * factor.solve(c);
  const Matrix slab = s2 * kappa * factor.solve(Matrix::Identity(size, size));
  const double stretch = 2 * Matrix(factor.matrixL()).diagonal().array().log().sum(), count = static_cast<double>(size);
  const double x = std::log(hyper_.pi) - std::log1p(-hyper_.pi) - 0.5 * stretch + 0.5 * c.dot(mu) / s2;
  const auto [q, negative_entropy] = indicator(x);
  stored_covariance(set) = q * slab + q * (1 - q) * mu * mu.transpose();
  for (Index i = 0; i < size; ++i) m_[columns[static_cast<std::size_t>(i)]] = q * mu[i];
  inclusion_[set] = q;
  part = {q, q * count, q * (slab.trace() + mu.squaredNorm()),
          negative_entropy - (q > 0 ? 0.5 * q * (count * std::log(s2 * kappa) - stretch) : 0)};
}

// The sum over the subsets of the block.                                                                                        (SP.14)
void SpikeSlab::update_block(Index set, Sums& part) {
  const std::span<const Index> columns = sets_->columns_of(set);
  const auto size = static_cast<Index>(columns.size());
  scratch_.odds.head(size).setConstant(std::log(hyper_.pi) - std::log1p(-hyper_.pi));
  SubsetPosterior found;
  posterior_of_subsets({size, scratch_.A.data(), scratch_.c.data(), scratch_.odds.data(), hyper_.kappa, hyper_.s2}, found);
  for (Index i = 0; i < size; ++i) {
    const Index j = columns[static_cast<std::size_t>(i)];
    m_[j] = found.mean[i];
    inclusion_[j] = found.inclusion[i];
  }
  stored_covariance(set) = Eigen::Map<const Matrix>(found.covariance, size, size);
  part = {found.included, found.included, found.square, found.negentropy};
}

// from -= diag(Z_B Cov(b_B) Z_B').
void SpikeSlab::take_spread(Index set, Vector& from) {
  const std::span<const Index> columns = sets_->columns_of(set);
  const auto size = static_cast<Index>(columns.size());
  if (size == 1) {
    from -= v_[columns[0]] * rows_->Z().col(columns[0]).cwiseAbs2();
    return;
  }
  if (const LargeGroup* own = large_group(set)) {
    from -= own->g;
    return;
  }
  gather(set);
  scratch_.change.head(size).setZero();
  scratch_.A.head(size * size) = -Eigen::Map<const Vector>(stored_covariance(set).data(), size * size);
  column_kernel().joint_move(scratch_.z.data(), size, D_.data(), rows_->rank(), scratch_.change.data(), scratch_.A.data(), u_.data(),
                             from.data());
}

Matrix SpikeSlab::covariance_of(Index set) const {
  const std::span<const Index> columns = sets_->columns_of(set);
  const auto size = static_cast<Index>(columns.size());
  if (size == 1) return Matrix::Constant(1, 1, v_[columns[0]]);
  if (const LargeGroup* own = large_group(set)) {
    return own->q * own->s2 * own->inverse->matrix() + own->q * (1 - own->q) * own->mu * own->mu.transpose();
  }
  if (covariance_.empty()) return Matrix::Zero(size, size);  // before a sweep
  return Eigen::Map<const Matrix>(covariance_.data() + sets_->covariance_begin(set), size, size);
}

std::optional<CovarianceInRows> SpikeSlab::covariance_in_rows(Index set) const {
  const LargeGroup* own = large_group(set);
  if (own == nullptr) return std::nullopt;
  auto [a, Y, sign] = own->inverse->in_the_rows();
  const double scale = own->q * own->s2;
  return CovarianceInRows{scale * a, std::sqrt(scale) * Y, sign, std::sqrt(own->q * (1 - own->q)) * times_columns(set, own->mu)};
}

const SpikeSlab::LargeGroup* SpikeSlab::large_group(Index set) const {
  if (large_.empty()) return nullptr;
  const LargeGroup& own = large_[static_cast<std::size_t>(set)];
  return own.inverse ? &own : nullptr;
}

Vector SpikeSlab::variance() const {
  Vector out = v_;
  for (Index set = 0; set < static_cast<Index>(large_.size()); ++set)
    if (const LargeGroup* own = large_group(set))
      out.segment(sets_->columns_of(set)[0], own->mu.size()) =
          own->q * own->s2 * own->inverse->diagonal() + own->q * (1 - own->q) * own->mu.cwiseAbs2();
  return out;
}

SpikeSlab::AllProducts SpikeSlab::look() const {
  const Index p = which_->size(), m = rows_->rank();
  const auto Z = rows_->Z();
  AllProducts out{Vector(p), Vector(p)};
  parallel_ranges(p, blas::threads_to_read(m * p), [&](Index from, Index to) {
    for (Index j = from; j < to; ++j) {
      const ColumnProducts found = column_kernel().products(Z.col(j).data(), u_.data(), D_.data(), m);
      out.of_residual[j] = found.with_residual;
      out.d[j] = found.square;
    }
  });
  return out;
}

}  // namespace ardvark::internal
