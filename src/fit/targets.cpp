// Many targets: the table is prepared and decomposed once, then the targets are fitted in blocks.                docs/math/targets.md
#include "ardvark/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "fit/checked.hpp"
#include "fit/target_groups.hpp"
#include "fit/target_results.hpp"
#include "fit/target_table.hpp"
#include "fit/validate_options.hpp"
#include "frame/few_rows.hpp"
#include "frame/noise_prior.hpp"
#include "frame/standard_target.hpp"
#include "method/spike_slab/prior_choice.hpp"
#include "method/spike_slab/sparse.hpp"
#include "method/targets/shared_targets.hpp"
#include "posterior/decomposition.hpp"
#include "posterior/over_precisions.hpp"
#include "posterior/targets_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void refuse_if(bool is_given, const char* option) {
  if (is_given) throw refused(option, "cannot be given for many targets; fit them one by one with fit_linear");
}

void validate_targets(MatrixView X, MatrixView Y, const FitOptions& options) {
  validate::shape(X, "X");
  if (Y.cols() == 0) throw refused("Y", "has no columns; each column is a target");
  validate::shape(Y, "Y");
  if (Y.rows() != X.rows()) throw refused("Y", fmt::format("has {} rows and X has {}", Y.rows(), X.rows()));
  validate::weights(options.weights, X.rows());
  refuse_if(!options.preset.empty(), "preset");
  refuse_if(static_cast<bool>(options.on_sweep), "on_sweep");
  refuse_if(options.solver == SolverKind::iterative, "solver 'iterative'");
  refuse_if(options.start_precision.size() > 1, "start_precision of each column");
  validate_options(options, Task::linear, X.cols());
}

// Whether the columns have one prior, and the method is the usual one.
bool is_plain(const FitOptions& options, PriorKind prior, SolverKind solver) {
  return options.prior.kind == prior && options.prior.flat_columns.empty() && options.prior.fixed_columns.empty() &&
         !options.penalize_intercept && options.posterior == LinearPosterior::joint &&
         options.family.value_or(Family::normal) == Family::normal && options.rule.value_or(UpdateRule::vb) == UpdateRule::vb &&
         !options.pruning.is_on() && (options.solver == SolverKind::automatic || options.solver == solver);
}

// Whether one decomposition serves all targets.
bool shares_work(const FitOptions& options, double rows, Index least) {
  return is_plain(options, PriorKind::shared, SolverKind::spectral) && least <= most_to_decompose &&
         !integrates_few_rows(Task::linear, options, rows);
}

// Whether each target is a regression by least squares, with a degree of freedom for its noise.
bool is_least_squares(const FitOptions& options, double rows, Index num_columns) {
  return is_plain(options, PriorKind::none, SolverKind::qr) && num_columns > 0 &&
         rows >= static_cast<double>(num_columns + (options.intercept ? 1 : 0)) + 1;
}

TargetStatus status_of(Status status) {
  if (status == Status::converged) return TargetStatus::converged;
  return status == Status::max_sweeps ? TargetStatus::max_sweeps : TargetStatus::failed;
}

// The log evidence of columns without a prior.                                                                             (TGT.6)
// \param square  of what they leave of the target, with so many degrees of freedom
double log_evidence_without_prior(double square, double degrees, double log_det, GammaDistribution noise) {
  const double shape = noise.shape + 0.5 * degrees, rate = noise.rate + 0.5 * square;
  return noise.shape * std::log(noise.rate) - log_gamma(noise.shape) + log_gamma(shape) - shape * std::log(rate) - 0.5 * degrees * ln_2pi -
         0.5 * log_det;
}

// That of the columns without a prior alone, under the same prior of the noise.
double log_evidence_of_flat(double square, const SharedBasis& basis, GammaDistribution noise) {
  return log_evidence_without_prior(square, basis.degrees(), basis.log_det_flat, noise);
}

// The same at the best noise, which the priors sparse, slab and dense take.                                          (SP.3), (TGT.6)
double best_log_likelihood_of_flat(double square, const SharedBasis& basis) {
  const double degrees = basis.degrees();
  return -0.5 * degrees * (ln_2pi + std::log(square / degrees) + 1) - 0.5 * basis.log_det_flat;
}

class GroupFit {
 public:
  GroupFit(const Frame& frame, const TargetTable& table, const TargetGroup& group, const FitOptions& options, const TargetsOptions& asked,
           TargetResults& results)
      : frame_(frame),
        table_(table),
        Y_(table.Y),
        group_(group),
        options_(options),
        asked_(asked),
        results_(results),
        out_(*results),
        num_rows_(frame.X.rows()),
        alone_(group.targets.size(), 0) {
    const std::vector<Index>& flat = options.prior.flat_columns;
    for (Index j = 0; j < frame.num_columns(); ++j)
      if (!frame.left_out[static_cast<std::size_t>(j)]) (std::ranges::count(flat, j) > 0 ? flat_ : penalised_).push_back(j);
  }

  void fit(TargetsState& state) {
    const auto num_penalised = static_cast<Index>(penalised_.size());
    std::optional<SharedBasis> basis;
    const Index least = std::min(num_rows_, num_penalised);
    if (is_least_squares(options_, frame_.rows, num_penalised)) least_squares_ = decompose_least_squares(frame_, penalised_);
    const bool shares = least_squares_ || shares_work(options_, frame_.rows, least);
    if (shares) {
      prior_ = prepare_prior(options_, frame_.num_columns(), frame_.left_out);
      degrees_ = noise_degrees();
      require_rows(options_, frame_.rows, degrees_.num_flat);
      FitOptions with_noise = options_;
      with_noise.noise = noise_prior(options_, 1, degrees_);
      require_noise_shape(with_noise, frame_.rows, degrees_.num_flat);
      noise_shape_ = with_noise.noise.shape + 0.5 * (frame_.rows - static_cast<double>(degrees_.num_flat));
      spread_ = student_t_variance(2 * noise_shape_);
    }
    constexpr Index most_for_evidence = 4000;  // fits one by one take longer than this decomposition
    if (shares || least <= most_for_evidence) basis = decompose_shared(frame_, penalised_, flat_);
    if (basis) sizes_.emplace(*basis);
    if (basis && out_.log_bayes_of_noise.cols() == 0) {
      const Index draws = std::clamp<Index>(out_.num_targets(), 2000, 5000);
      out_.log_bayes_of_noise = sizes_->log_bayes_of_noise(draws, noise_prior(options_, 1, noise_degrees()));
    }
    if (least_squares_) {
      offset_of_columns_ = bound_offset(penalised_, Units{frame_.units.standardization, 0, 1}, frame_.rows);
      if (basis) to_sizes_ = basis->back.transpose() * least_squares_->R.transpose();
      fit_blocks(least_squares_->basis, state);
    } else if (shares && basis && !basis->sizes_differ) {
      fit_blocks(*basis, state);
    } else {
      alone_.assign(alone_.size(), 1);
    }
    fit_alone(basis ? &*basis : nullptr, state);
  }

 private:
  [[nodiscard]] NoiseDegrees noise_degrees() const {
    const Index num_flat = std::ssize(flat_) + (options_.intercept ? 1 : 0), others = std::ssize(penalised_);
    return options_.prior.kind == PriorKind::none ? NoiseDegrees{frame_.rows, num_flat + others, 0}
                                                  : NoiseDegrees{frame_.rows, num_flat, others};
  }
  [[nodiscard]] Index num_targets() const { return std::ssize(group_.targets); }
  [[nodiscard]] Index target(Index k) const { return group_.targets[static_cast<std::size_t>(k)]; }
  // Whatever a row of weight 0 holds, it takes no part.                                                                     (LIN.6)
  [[nodiscard]] double value(Index i, Index k) const {
    return frame_.k[i] == 0 ? 0.0 : Y_(group_.rows.empty() ? i : group_.rows[static_cast<std::size_t>(i)], target(k));
  }

  // Products of a target with the decomposition have the same bits whatever targets are beside it, if all products have one size.  (TGT.5)
  [[nodiscard]] Index width() const { return std::max(num_rows_, frame_.num_columns()) > 20000 ? 64 : 256; }

  [[nodiscard]] Matrix read(Index first, Index count) const {
    Matrix out = Matrix::Zero(num_rows_, width());
    if (Y_.layout() == Layout::row_major) {
      for (Index i = 0; i < out.rows(); ++i)
        for (Index k = 0; k < count; ++k) out(i, k) = value(i, first + k);
    } else {
      for (Index k = 0; k < count; ++k)
        for (Index i = 0; i < out.rows(); ++i) out(i, k) = value(i, first + k);
    }
    return out;
  }

  // Empty: the target cannot be fitted.
  [[nodiscard]] std::optional<StandardTarget> standardise(Index k, const Vector& y) {
    if (!table_.has(target(k))) return results_.write_nothing(target(k), table_.status_of(target(k))), std::nullopt;
    if (!y.allFinite()) return results_.write_nothing(target(k), TargetStatus::not_finite), std::nullopt;
    try {
      StandardTarget out = standard_target(y, frame_.k, options_, table_.origin_of(target(k)));
      out.center += table_.origin_of(target(k));
      return out;
    } catch (const InvalidArgument&) {  // its squares overflow
      return results_.write_nothing(target(k), TargetStatus::out_of_range), std::nullopt;
    }
  }

  void fit_blocks(const SharedBasis& basis, TargetsState& state) {
    if (results_.has_sd()) take_squares(basis);
    if (asked_.leave_one_out) leverages_.emplace(basis.projection.cwiseAbs2(), basis.l);
    const bool is_single = asked_.mean.floats() != nullptr;
    const Factors factors{{basis.back, is_single}, {basis.projection, is_single && basis.dual && asked_.leave_one_out}};
    origin_ = frame_.origin()(penalised_) - basis.mean;
    scale_ = Vector::Ones(static_cast<Index>(penalised_.size()));
    if (const Vector& scale = frame_.units.standardization.scale; scale.size() > 0) scale_ = scale(penalised_);
    SharedTargetsState kept{frame_.user_units().standardization, penalised_, basis, {}, {}, {}, {}, {}};
    for (Vector* numbers : {&kept.at_center, &kept.noise_scale, &kept.precision}) *numbers = Vector::Constant(num_targets(), nan);
    parallel_for((num_targets() + width() - 1) / width(), blas::num_threads(), [&](Index block) {
      const Index first = block * width();
      fit_block(basis, factors, first, std::min(width(), num_targets() - first), kept);
    });
    kept.degrees = Vector::Constant(num_targets(), 2 * noise_shape_);
    kept.targets = group_.targets;
    if (asked_.predictions) state.shared.push_back(std::move(kept));
  }

  // What is multiplied for results alone.
  struct ForResults {
    const Matrix& doubles;
    Eigen::MatrixXf single;  // empty: coefficients of doubles
    ForResults(const Matrix& A, bool is_single) : doubles(A) {
      if (is_single && A.size() > 0) single = A.cast<float>();
    }
  };

  struct Factors {
    ForResults back, projection;
  };

  // V_jj of the weights: beside_[j]/a and what the axes add.                                                                (TGT.4)
  void take_squares(const SharedBasis& basis) {
    Matrix squares = basis.back.cwiseAbs2();
    if (basis.dual) {
      const double least = basis.least();
      for (Index i = 0; i < squares.cols(); ++i) squares.col(i) *= basis.l[i] > least ? 1 / basis.l[i] : 0.0;
      beside_ = (1 - squares.rowwise().sum().array()).max(0.0);
    }
    variances_.emplace(std::move(squares), basis.l);
  }
  [[nodiscard]] Vector variances(double precision) const {
    Vector out = variances_->at(precision);
    if (beside_.size() > 0) out += beside_ / precision;
    return out;
  }

  // [rows or columns, width] A X, with an A of so many rows.
  static Matrix product(blas::Transpose transpose, Index rows, const Matrix& A, const Matrix& X) {
    Matrix out = Matrix::Zero(rows, X.cols());
    if (rows > 0 && X.rows() > 0)
      blas::gemm(transpose, blas::Transpose::no, rows, X.cols(), X.rows(), 1.0, A.data(), A.rows(), X.data(), X.rows(), 0.0, out.data(),
                 rows);
    return out;
  }

  // The same in single precision, if the coefficients are written so.
  static Matrix product(Index rows, const ForResults& A, const Matrix& X) {
    if (A.single.size() == 0) return product(blas::Transpose::no, rows, A.doubles, X);
    const Eigen::MatrixXf of_X = X.cast<float>();
    Eigen::MatrixXf out(rows, X.cols());
    blas::gemm(blas::Transpose::no, blas::Transpose::no, rows, X.cols(), X.rows(), 1.0F, A.single.data(), rows, of_X.data(), X.rows(), 0.0F,
               out.data(), rows);
    return out.cast<double>();
  }

  void fit_block(const SharedBasis& basis, const Factors& factors, Index first, Index count, SharedTargetsState& kept) {
    const Index r = basis.l.size(), p = basis.num_columns();
    Matrix y = read(first, count);
    std::vector<std::optional<StandardTarget>> standard(static_cast<std::size_t>(count));
    Vector mean_square(count);
    for (Index k = 0; k < count; ++k) {
      auto column = y.col(k);
      auto& found = standard[static_cast<std::size_t>(k)] = standardise(first + k, column);
      if (!found) {
        column.setZero();
        continue;
      }
      column = found->y;
      const double square = frame_.k.dot(column.cwiseAbs2()) / basis.rows;
      mean_square[k] = square > 0 ? square : 1;
      if (basis.intercept) column.array() -= frame_.k.dot(column) / basis.rows;  // what rounding left
      column.array() *= basis.root_weight.array();
    }
    Matrix c = product(blas::Transpose::yes, r, basis.projection, y);
    Matrix explained;
    if (sizes_) explained = sizes_->explained(least_squares_ ? product(blas::Transpose::no, r, to_sizes_, c) : c);

    std::optional<SharedTargets> sweeps;
    if (!least_squares_) sweeps.emplace(basis, prior_, options_, frame_.num_columns());
    std::vector<SharedFit> fits(static_cast<std::size_t>(count));
    for (Index k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (!standard[at]) continue;
      SharedFit& fit = fits[at];
      const GammaDistribution noise = noise_prior(options_, mean_square[k], degrees_);
      fit = sweeps ? sweeps->fit(y.col(k), c.col(k), noise) : fit_least_squares(y.col(k), c.col(k), noise);
      if (!standard[at]->is_constant && sizes_) {
        const double square = y.col(k).squaredNorm();
        if (sweeps) fit.evidence = fit.bound - log_evidence_of_flat(square, basis, noise);
        fit.log_bayes = sizes_->log_bayes(square, explained.col(k), noise);
      }
      const Vector d = (basis.l.array() + (r > 0 ? fit.precision : 0)).inverse();
      c.col(k).array() *= d.array();
      constexpr double most_ratio = 1e6;  // ten digits of the smallest eigenvalue are left                                    (TGT.3)
      const bool has_few_digits = !basis.dual && r > 0 && d[0] > most_ratio * d[r - 1];
      if (has_few_digits || !c.col(k).allFinite()) alone_[static_cast<std::size_t>(first + k)] = 1;
    }
    const Matrix w = product(p, factors.back, c);
    Vector precision = Vector::Zero(width());
    for (Index k = 0; k < count; ++k) precision[k] = fits[static_cast<std::size_t>(k)].precision;
    const Vector missed = asked_.leave_one_out ? left_out_squares(basis, factors, y, std::move(c), precision) : Vector();
    for (Index k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (!standard[at] || alone_[static_cast<std::size_t>(first + k)] != 0) continue;
      if (!write(first + k, *standard[at], fits[at], {w.col(k), y.col(k).squaredNorm()})) continue;
      kept.at_center[first + k] = standard[at]->center - standard[at]->scale * w.col(k).dot(basis.mean);
      kept.noise_scale[first + k] = out_.noise_sd[target(first + k)];
      kept.precision[first + k] = fits[at].precision;
      if (missed.size() > 0) out_.r_squared_loo[target(first + k)] = missed[k];
    }
  }

  // Without sweeps: the posterior is exact.                                                                                (TGT.10)
  [[nodiscard]] SharedFit fit_least_squares(const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& c,
                                            GammaDistribution noise) const {
    const SharedBasis& basis = least_squares_->basis;
    SharedFit out;
    const double square = y.squaredNorm();
    out.residual = square - c.squaredNorm();
    if (out.residual < 1e-4 * square) out.residual = basis.beside(y, c).squaredNorm();  // the difference has lost digits
    const auto num_columns = static_cast<double>(degrees_.num_flat);
    out.status = Status::converged;
    out.sweeps = 1;
    out.noise = {noise_shape_, noise.rate + 0.5 * out.residual};
    out.bound = log_evidence_without_prior(out.residual, frame_.rows - num_columns, basis.log_det_flat, noise);
    out.explained = num_columns;
    return out;
  }

  // [width] R^2 of rows that the fit has not seen, at the same precision.                                                    (TGT.7)
  // \param c  [r, width] diag(d) projection'y. \param precision  [width] a
  [[nodiscard]] Vector left_out_squares(const SharedBasis& basis, const Factors& factors, const Matrix& y, Matrix c,
                                        const Vector& precision) const {
    if (basis.dual) c *= precision.asDiagonal();
    Matrix residual = product(num_rows_, factors.projection, c);
    if (!basis.dual) residual = y - residual;
    const Vector of_constant = basis.intercept ? Vector(basis.root_weight.cwiseAbs2() / basis.rows) : Vector::Zero(num_rows_);
    const auto beyond = [](const auto& of_fit, const auto& own) {
      return (of_fit.array() / own.array().max(1e-12)).matrix().squaredNorm();
    };
    Vector out(y.cols());
    for (Index k = 0; k < y.cols(); ++k) {
      const double a = precision[k], alone = beyond(y.col(k), 1 - of_constant.array());
      out[k] = 0;
      if (!(alone > 0)) continue;
      Vector left = leverages_->at(a);
      left = (basis.dual ? Vector(a * left) : Vector(1 - left.array())) - of_constant;
      constexpr double digits = 1e-9;  // without such a row, nothing is known of one of the coefficients
      out[k] = left.minCoeff() > digits ? 1 - beyond(residual.col(k), left) / alone : nan;
    }
    return out;
  }

  struct Found {
    Vector w;       // [penalised]
    double square;  // of the target
  };

  // In the units of the caller. False: they have no such numbers.
  bool write(Index k, const StandardTarget& standard, const SharedFit& fit, const Found& found) {
    const Index to = target(k);
    const double u = standard.scale, noise = std::sqrt(fit.noise.rate / fit.noise.shape) * u;
    const bool is_usable = fit.status != Status::not_positive_definite && std::isfinite(fit.bound);
    const Vector scaled = u * scale_.cwiseProduct(found.w);
    if (!is_usable || !scaled.allFinite() || !std::isnormal(noise * noise) || !results_.holds_coefficients(scaled)) {
      results_.write_nothing(to, is_usable ? TargetStatus::out_of_range : TargetStatus::failed);
      return false;
    }
    results_.write_status(to, standard.is_constant ? TargetStatus::constant : status_of(fit.status));
    out_.sweeps[static_cast<std::size_t>(to)] = fit.sweeps;
    if (!least_squares_) out_.precision[to] = fit.precision;
    out_.noise_sd[to] = noise;
    out_.degrees_of_freedom[to] = 2 * noise_shape_;
    out_.num_rows[to] = frame_.rows;
    out_.bound[to] = fit.bound + offset_of_columns_ + (static_cast<double>(degrees_.num_flat) - frame_.rows) * std::log(u);  // (LIN.5)
    results_.write_evidence(to, fit.evidence, fit.log_bayes);
    out_.r_squared[to] = found.square > 0 ? 1 - fit.residual / found.square : 0.0;
    out_.effective_parameters[to] = fit.explained;
    if (options_.intercept) out_.intercept[to] = standard.center + u * found.w.dot(origin_);
    Vector all = Vector::Zero(frame_.num_columns());
    all(penalised_) = scaled;
    results_.write_coefficients(to, all);
    if (!results_.has_sd()) return true;
    all(penalised_) = std::sqrt(spread_) * noise * scale_.cwiseProduct(variances(fit.precision).cwiseSqrt());
    if (spread_ < std::numeric_limits<double>::infinity() && !results_.holds_sd(all)) {
      results_.write_nothing(to, TargetStatus::out_of_range);
      return false;
    }
    results_.write_sd(to, all);
    return true;
  }

  // By fit_linear, with the same columns.
  // \param basis  null: without the evidence of sizes
  void fit_alone(const SharedBasis* basis, TargetsState& state) {
    std::vector<Index> alone;
    for (Index k = 0; k < num_targets(); ++k)
      if (alone_[static_cast<std::size_t>(k)] != 0) alone.push_back(k);
    const auto count = std::ssize(alone);
    out_.num_alone += count;
    FitOptions options = options_;
    if (!keeps_factors(count)) options.keep_covariance = Keep::never;
    std::vector<std::shared_ptr<const Fit>> kept(alone.size());
    const std::shared_ptr<const MethodColumns> shared = is_sparse(options.prior.kind) && count > 0 ? sparse_columns(frame_) : nullptr;
    parallel_for(count, blas::num_threads(), [&](Index i) {
      const Index k = alone[static_cast<std::size_t>(i)];
      Vector y(num_rows_);
      for (Index row = 0; row < y.size(); ++row) y[row] = value(row, k);
      const std::optional<StandardTarget> standard = standardise(k, y);
      if (!standard) return;
      try {
        std::optional<Frame> columns = frame_;
        columns->of_columns = shared;
        columns->needs_variances = results_.has_sd();
        columns->needs_signs = false;
        columns->stand_in.y = table_.origin_of(target(k));
        Fit fit = fit_columns(Task::linear, frame_.X, y, options, columns);
        take(k, *standard, fit, basis);
        if (asked_.predictions && !std::isnan(out_.num_rows[target(k)]))
          kept[static_cast<std::size_t>(i)] = for_predictions(std::move(fit));
      } catch (const InvalidArgument&) {  // or squares are beyond the range of numbers
        const auto num_flat = std::ssize(flat_) + (options_.prior.kind == PriorKind::none ? std::ssize(penalised_) : 0);
        const bool has_few_rows = frame_.rows <= static_cast<double>(num_flat + 2);
        results_.write_nothing(target(k), has_few_rows ? TargetStatus::few_rows : TargetStatus::out_of_range);
      }
    });
    for (std::size_t i = 0; i < alone.size(); ++i)
      if (kept[i]) state.alone.emplace_back(target(alone[i]), std::move(kept[i]));
  }

  // Whether what all fits keep for standard deviations is as small as a single fit may keep it.
  [[nodiscard]] bool keeps_factors(Index count) const {
    if (!asked_.predictions || options_.keep_covariance == Keep::never) return false;
    constexpr double most = 256.0 * (1 << 20);
    const auto p = static_cast<double>(penalised_.size() + 1), least = std::min(p, static_cast<double>(num_rows_));
    return options_.keep_covariance == Keep::always || static_cast<double>(count) * 8 * p * least <= most;
  }

  // What a prediction does not read, and is the same for all targets or was not computed, is left out.
  static std::shared_ptr<const Fit> for_predictions(Fit fit) {
    fit.column_names.clear();
    if (fit.sparse) {
      fit.variance.setZero(), fit.V_diagonal.setZero();
      fit.sparse->direction.setConstant(0.5);
      if (fit.intercept) fit.intercept->variance = 0;
    }
    return std::make_shared<const Fit>(std::move(fit));
  }

  void take(Index k, const StandardTarget& standard, const Fit& fit, const SharedBasis* basis) {
    const Index to = target(k);
    if (!fit.mean.allFinite()) return results_.write_nothing(to, TargetStatus::failed);
    if (!results_.holds_coefficients(fit.mean)) return results_.write_nothing(to, TargetStatus::out_of_range);
    results_.write_status(to, standard.is_constant ? TargetStatus::constant : status_of(fit.report.status));
    out_.sweeps[static_cast<std::size_t>(to)] = fit.report.sweeps;
    if (out_.prior == PriorKind::shared && fit.precision.size() > 0) out_.precision[to] = fit.precision[0];
    out_.noise_sd[to] = noise_sd(fit);
    out_.degrees_of_freedom[to] = fit.degrees_of_freedom();
    out_.num_rows[to] = frame_.rows;
    out_.bound[to] = fit.bound;
    if (fit.family.family == Family::normal && basis != nullptr && !standard.is_constant) write_evidence(to, standard, fit, *basis);
    out_.r_squared[to] = fit.r_squared;
    out_.effective_parameters[to] = fit.effective_parameters;
    if (fit.intercept) out_.intercept[to] = fit.intercept->mean;
    results_.write_coefficients(to, fit.mean);
    if (results_.has_sd()) results_.write_sd(to, fit.variance.cwiseSqrt());
    if (fit.sparse) results_.write_inclusion(to, fit.sparse->inclusion);
  }

  void write_evidence(Index to, const StandardTarget& standard, const Fit& fit, const SharedBasis& basis) {
    const double mean_square = frame_.k.dot(standard.y.cwiseAbs2()) / frame_.rows;
    const GammaDistribution noise = noise_prior(options_, mean_square, noise_degrees());
    Vector y = standard.y;
    if (basis.intercept) y.array() -= frame_.k.dot(y) / frame_.rows;
    y.array() *= basis.root_weight.array();
    y -= basis.flat * (basis.flat.transpose() * y);
    const double square = y.squaredNorm();
    Vector of_sizes;
    if (basis.l.size() > 0) of_sizes = sizes_->log_bayes(square, sizes_->explained(basis.projection.transpose() * y), noise);
    double evidence = nan;
    if (bound_scope(fit) != BoundScope::nothing) {
      const Units units{frame_.units.standardization, standard.center, standard.scale};
      std::vector<Index> flat = flat_;
      if (basis.intercept) flat.push_back(frame_.num_columns());
      const double alone = is_sparse(out_.prior) ? best_log_likelihood_of_flat(square, basis) : log_evidence_of_flat(square, basis, noise);
      evidence = fit.bound - bound_offset(flat, units, frame_.rows) - alone;  // (LIN.5)
    }
    results_.write_evidence(to, evidence, of_sizes);
  }

  const Frame& frame_;
  const TargetTable& table_;
  MatrixView Y_;
  const TargetGroup& group_;
  const FitOptions& options_;
  const TargetsOptions& asked_;
  TargetResults& results_;
  TargetsFit& out_;
  Index num_rows_;
  PreparedPrior prior_;
  std::vector<Index> penalised_, flat_;  // columns of the table; the intercept is in neither
  NoiseDegrees degrees_;
  double noise_shape_ = 0;                               // a_N
  double offset_of_columns_ = 0;                         // of the bound, by the units of columns without a prior
  double spread_ = 1;                                    // the variance of a weight is this times V and the noise
  std::vector<char> alone_;                              // [targets] 1: fitted by fit_linear; several threads write their own
  Vector origin_, scale_;                                // [penalised]
  std::optional<OverPrecisions> variances_, leverages_;  // (TGT.4), (TGT.7)
  Vector beside_;                                        // [penalised] squared part of a unit weight beside all rows; empty: 0
  std::optional<EffectSizes> sizes_;
  std::optional<LeastSquares> least_squares_;
  Matrix to_sizes_;  // [p,p] from the coordinates of least squares to those of the sizes                                   (TGT.10)
};

// \param left_out  [p] columns that all targets lack. Returns whether these lack another one.
bool fit_incomplete(const TargetTable& table, const TargetGroup& group, const FitOptions& of_all, const TargetsOptions& asked,
                    const std::vector<bool>& left_out, TargetResults& results, TargetsState& state) {
  const auto refuse = [&] {
    for (const Index target : group.targets) results.write_nothing(target, TargetStatus::few_rows);
    return false;
  };
  if (group.rows.empty()) return refuse();
  const SomeRows some(table.X, group.rows, of_all);
  if (!some.options.weights.empty() && !(some.weights.sum() > 0)) return refuse();
  try {
    const Frame frame = frame_of_columns(MatrixView(some.X), some.options);
    GroupFit(frame, table, group, some.options, asked, results).fit(state);
    return frame.left_out != left_out;
  } catch (const InvalidArgument&) {  // the checks of the whole table passed
    return refuse();
  }
}

// Coefficients of 0 that mean "not known".
void warn_of_gaps(const std::vector<Index>& targets, std::vector<std::string>& warnings) {
  if (targets.empty()) return;
  warnings.push_back(
      fmt::format("in the rows of {} target{}, a column is constant or a copy of another one, and left out, because of gaps: its "
                  "coefficient is 0 and not "
                  "known; the first is target {}",
                  targets.size(), targets.size() == 1 ? "" : "s", *std::ranges::min_element(targets) + 1));
}

}  // namespace

const char* to_string(TargetStatus status) {
  switch (status) {
    case TargetStatus::converged: return "converged";
    case TargetStatus::max_sweeps: return "max_sweeps";
    case TargetStatus::constant: return "constant";
    case TargetStatus::not_finite: return "not_finite";
    case TargetStatus::few_rows: return "few_rows";
    case TargetStatus::out_of_range: return "out_of_range";
    case TargetStatus::failed: return "failed";
  }
  return "failed";
}

TargetsFit internal::fit_target_table(const TargetTable& table, const TargetsOptions& options) {
  const Stopwatch watch;
  const MatrixView &X = table.X, &Y = table.Y;
  validate_targets(X, Y, options.fit);
  const ChosenOptions chosen = with_chosen_prior(options.fit, Task::linear, X.rows(), X.cols());
  const blas::ThreadScope threads(options.fit.threads);
  Frame frame = frame_of_columns(X, chosen.options, nullptr, table.stand_in);
  TargetsFit out;
  TargetResults results(chosen.options, options, X.cols(), Y.cols(), out);
  auto state = std::make_shared<TargetsState>();
  const std::vector<TargetGroup> groups = groups_of_targets(Y, options.drop_missing);
  GroupFit(frame, table, groups.front(), chosen.options, options, results).fit(*state);
  std::vector<Index> without_a_column;
  for (std::size_t g = 1; g < groups.size(); ++g)
    if (fit_incomplete(table, groups[g], chosen.options, options, frame.left_out, results, *state))
      without_a_column.insert(without_a_column.end(), groups[g].targets.begin(), groups[g].targets.end());
  out.state = std::move(state);
  out.left_out = std::move(frame.left_out);
  out.column_names = std::move(frame.names);
  out.notes = std::move(frame.notes);
  if (!chosen.note.empty()) out.notes.push_back(chosen.note);
  out.warnings = std::move(frame.warnings);
  warn_of_gaps(without_a_column, out.warnings);
  out.seconds = watch.seconds();
  return out;
}

TargetsFit fit_targets(MatrixView X, MatrixView Y, const TargetsOptions& options) { return fit_target_table({X, Y}, options); }

}  // namespace ardvark
