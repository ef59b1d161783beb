// Many targets: the table is prepared and decomposed once, then the targets are fitted in blocks.                docs/math/targets.md
#include "ardvark/targets.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "fit/checked.hpp"
#include "fit/validate_options.hpp"
#include "frame/few_rows.hpp"
#include "frame/noise_prior.hpp"
#include "frame/standard_target.hpp"
#include "method/targets/shared_targets.hpp"
#include "posterior/decomposition.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void refuse_if(bool is_given, const char* option, const std::string& why) {
  if (is_given) throw refused(option, why);
}

void validate_targets(MatrixView X, MatrixView Y, const TargetsOptions& all) {
  const FitOptions& options = all.fit;
  validate::shape(X, "X");
  if (Y.cols() == 0) throw refused("Y", "has no columns; each column is a target");
  validate::shape(Y, "Y");
  if (Y.rows() != X.rows()) throw refused("Y", fmt::format("has {} rows and X has {}", Y.rows(), X.rows()));
  validate::weights(options.weights, X.rows());
  const std::string one = "cannot be given for many targets; fit them one by one with fit_linear";
  refuse_if(!options.preset.empty(), "preset", one);
  if (options.prior.kind != PriorKind::shared)
    throw wrong("prior", to_string(options.prior.kind), "many targets need prior 'shared'; fit them one by one with fit_linear");
  refuse_if(!options.prior.flat_columns.empty(), "prior.flat_columns", one);
  refuse_if(!options.prior.fixed_columns.empty(), "prior.fixed_columns", one);
  refuse_if(options.penalize_intercept, "penalize_intercept", one);
  refuse_if(options.posterior != LinearPosterior::joint, "posterior", "must be joint for many targets");
  refuse_if(options.family.value_or(Family::normal) != Family::normal, "family", "must be normal for many targets");
  refuse_if(options.rule.value_or(UpdateRule::vb) != UpdateRule::vb, "rule", "must be vb for many targets");
  refuse_if(options.pruning.is_on(), "pruning", one);
  refuse_if(static_cast<bool>(options.on_sweep), "on_sweep", one);
  refuse_if(options.solver != SolverKind::automatic && options.solver != SolverKind::spectral, "solver",
            "must be spectral or automatic for many targets");
  refuse_if(options.start_precision.size() > 1, "start_precision", "must have one entry for many targets");
  validate_options(options, Task::linear, X.cols());
}

/// A [p,K] matrix of the result, in its memory or in that of the caller.
class Columns {
 public:
  Columns() = default;
  Columns(const TargetColumns& given, Matrix& own, Index p, Index K) : given_(given) {
    if (given_.is_null()) own.resize(p, K), given_ = TargetColumns(own.data());
    if (given_.stride() != 0 && given_.stride() < p)
      throw InvalidArgument(fmt::format("the stride of results is {}; X has {} columns", given_.stride(), p));
    stride_ = given_.stride() != 0 ? given_.stride() : p;
  }
  [[nodiscard]] bool is_null() const { return given_.is_null(); }
  void write(Index target, const Vector& values) const {
    if (double* to = given_.doubles()) Eigen::Map<Vector>(to + target * stride_, values.size()) = values;
    if (float* to = given_.floats()) Eigen::Map<Eigen::VectorXf>(to + target * stride_, values.size()) = values.cast<float>();
  }

 private:
  TargetColumns given_;
  Index stride_ = 0;
};

TargetStatus status_of(Status status) {
  if (status == Status::converged) return TargetStatus::converged;
  return status == Status::max_sweeps ? TargetStatus::max_sweeps : TargetStatus::failed;
}

class Targets {
 public:
  Targets(const Frame& frame, MatrixView Y, const TargetsOptions& options, TargetsFit& out)
      : frame_(frame), Y_(Y), options_(options.fit), out_(out), prior_(prepare_prior(options_, frame.num_columns(), frame.left_out)) {
    const Index p = frame.num_columns(), K = Y.cols();
    for (Index j = 0; j < p; ++j)
      if (!frame.left_out[static_cast<std::size_t>(j)]) penalised_.push_back(j);
    degrees_ = {frame.rows, prior_.partition.num_flat(), static_cast<Index>(penalised_.size())};
    require_rows(options_, frame.rows, degrees_.num_flat);
    FitOptions with_noise = options_;
    with_noise.noise = noise_prior(options_, 1, degrees_);
    require_noise_shape(with_noise, frame.rows, degrees_.num_flat);
    mean_ = Columns(options.mean, out.mean, p, K);
    if (options.standard_deviations) sd_ = Columns(options.sd, out.sd, p, K);
    out.status.assign(static_cast<std::size_t>(K), TargetStatus::failed);
    out.sweeps.assign(static_cast<std::size_t>(K), 0);
    for (Vector* numbers : {&out.precision, &out.noise_sd, &out.bound, &out.r_squared, &out.effective_parameters, &out.intercept})
      *numbers = Vector::Constant(numbers == &out.intercept && !options_.intercept ? 0 : K, nan);
    out.noise_shape = with_noise.noise.shape + 0.5 * (frame.rows - static_cast<double>(degrees_.num_flat));
    spread_ = student_t_variance(2 * out.noise_shape);
    alone_.assign(static_cast<std::size_t>(K), 0);
  }

  void fit() {
    const Index least = std::min(Y_.rows(), static_cast<Index>(penalised_.size()));
    if (least > most_to_decompose)
      throw refused("X", fmt::format("needs a decomposition of {} numbers squared for many targets, and at most {} are decomposed", least,
                                     most_to_decompose));
    std::optional<SharedBasis> basis;
    if (!integrates_few_rows(Task::linear, options_, frame_.rows)) basis = decompose_shared(frame_, penalised_);
    if (basis && basis->sizes_differ) basis.reset();
    if (basis) {
      fit_blocks(*basis);
    } else {
      alone_.assign(alone_.size(), 1);
    }
    fit_alone();
  }

 private:
  // Products of a target with the decomposition have the same bits whatever targets are beside it, if all products have one size.  (TGT.5)
  [[nodiscard]] Index width() const { return std::max(Y_.rows(), frame_.num_columns()) > 20000 ? 64 : 256; }

  [[nodiscard]] Matrix read(Index first, Index count) const {
    Matrix out = Matrix::Zero(Y_.rows(), width());
    if (Y_.layout() == Layout::row_major) {
      for (Index i = 0; i < out.rows(); ++i)
        for (Index k = 0; k < count; ++k) out(i, k) = Y_(i, first + k);
    } else {
      for (Index k = 0; k < count; ++k)
        for (Index i = 0; i < out.rows(); ++i) out(i, k) = Y_(i, first + k);
    }
    return out;
  }

  TargetStatus& status(Index target) { return out_.status[static_cast<std::size_t>(target)]; }

  // False: the target cannot be fitted.
  bool standardise(Index target, Eigen::Ref<Matrix> y, StandardTarget& standard) {
    if (!y.allFinite()) return status(target) = TargetStatus::not_finite, false;
    try {
      standard = standard_target(y, frame_.k, options_);
    } catch (const InvalidArgument&) {  // its squares overflow
      return status(target) = TargetStatus::out_of_range, false;
    }
    y = standard.y;
    return true;
  }

  void fit_blocks(const SharedBasis& basis) {
    if (!sd_.is_null()) squares_ = basis.back.cwiseAbs2();
    origin_ = frame_.origin()(penalised_) - basis.mean;
    scale_ = Vector::Ones(static_cast<Index>(penalised_.size()));
    if (const Vector& scale = frame_.units.standardization.scale; scale.size() > 0) scale_ = scale(penalised_);
    parallel_for((Y_.cols() + width() - 1) / width(), blas::num_threads(), [&](Index block) {
      const Index first = block * width();
      fit_block(basis, first, std::min(width(), Y_.cols() - first));
    });
  }

  void fit_block(const SharedBasis& basis, Index first, Index count) {
    const Index n = Y_.rows(), r = basis.l.size(), p = basis.num_columns();
    Matrix y = read(first, count), c = Matrix::Zero(r, width());
    std::vector<StandardTarget> standard(static_cast<std::size_t>(count));
    std::vector<double> mean_square(static_cast<std::size_t>(count), nan);  // NaN: the target cannot be fitted
    for (Index k = 0; k < count; ++k) {
      auto column = y.col(k);
      StandardTarget& target = standard[static_cast<std::size_t>(k)];
      if (!standardise(first + k, column, target)) {
        column.setZero();
        continue;
      }
      const double square = frame_.k.dot(column.cwiseAbs2()) / basis.rows;
      mean_square[static_cast<std::size_t>(k)] = square > 0 ? square : 1;
      if (basis.intercept) column.array() -= frame_.k.dot(column) / basis.rows;  // what rounding left
      column.array() *= basis.root_weight.array();
    }
    if (r > 0)
      blas::gemm(blas::Transpose::yes, blas::Transpose::no, r, width(), n, 1.0, basis.projection.data(), n, y.data(), n, 0.0, c.data(), r);

    SharedTargets sweeps(basis, prior_, options_, frame_.num_columns());
    std::vector<SharedFit> fits(static_cast<std::size_t>(count));
    Matrix inverse = Matrix::Zero(sd_.is_null() ? 0 : r, sd_.is_null() ? 0 : width());
    for (Index k = 0; k < width(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (k >= count || std::isnan(mean_square[at])) continue;
      SharedFit& fit = fits[at];
      fit = sweeps.fit(y.col(k), c.col(k), noise_prior(options_, mean_square[at], degrees_));
      const Vector d = (basis.l.array() + (r > 0 ? fit.precision : 0)).inverse();
      c.col(k).array() *= d.array();
      if (!sd_.is_null()) inverse.col(k) = d;
      constexpr double most_ratio = 1e6;  // ten digits of the smallest eigenvalue are left                                    (TGT.3)
      const bool has_few_digits = !basis.dual && r > 0 && d[0] > most_ratio * d[r - 1];
      if (has_few_digits || !c.col(k).allFinite()) alone_[static_cast<std::size_t>(first + k)] = 1;
    }
    Matrix w = Matrix::Zero(p, width()), V = Matrix::Zero(sd_.is_null() ? 0 : p, sd_.is_null() ? 0 : width());
    if (r > 0)
      blas::gemm(blas::Transpose::no, blas::Transpose::no, p, width(), r, 1.0, basis.back.data(), p, c.data(), r, 0.0, w.data(), p);
    if (V.size() > 0 && r > 0)
      blas::gemm(blas::Transpose::no, blas::Transpose::no, p, width(), r, 1.0, squares_.data(), p, inverse.data(), r, 0.0, V.data(), p);
    for (Index k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (std::isnan(mean_square[at])) {
        write_nothing(first + k);
      } else if (alone_[static_cast<std::size_t>(first + k)] == 0) {
        if (basis.dual && V.size() > 0) V.col(k) = (1 - V.col(k).array()).max(1e-16) / fits[at].precision;  // (TGT.4)
        write(first + k, standard[at], fits[at], {w.col(k), y.col(k).squaredNorm()}, V.size() > 0 ? Vector(V.col(k)) : Vector());
      }
    }
  }

  void write_nothing(Index target) {
    const Vector none = Vector::Constant(frame_.num_columns(), nan);
    mean_.write(target, none);
    if (!sd_.is_null()) sd_.write(target, none);
  }

  struct Found {
    Vector w;       // [penalised]
    double square;  // of the target
  };

  // In the units of the caller.
  void write(Index target, const StandardTarget& standard, const SharedFit& fit, const Found& found, const Vector& V) {
    const double u = standard.scale, noise = std::sqrt(fit.noise.rate / fit.noise.shape) * u;
    const bool is_usable = fit.status != Status::not_positive_definite && std::isfinite(fit.bound);
    const Vector scaled = u * scale_.cwiseProduct(found.w);
    if (!is_usable || !scaled.allFinite() || !std::isnormal(noise * noise)) {
      status(target) = is_usable ? TargetStatus::out_of_range : TargetStatus::failed;
      return write_nothing(target);
    }
    status(target) = standard.is_constant ? TargetStatus::constant : status_of(fit.status);
    out_.sweeps[static_cast<std::size_t>(target)] = fit.sweeps;
    out_.precision[target] = fit.precision;
    out_.noise_sd[target] = noise;
    out_.bound[target] = fit.bound + (static_cast<double>(degrees_.num_flat) - frame_.rows) * std::log(u);  // (LIN.5)
    out_.r_squared[target] = found.square > 0 ? 1 - fit.residual / found.square : 0.0;
    out_.effective_parameters[target] = fit.explained;
    if (options_.intercept) out_.intercept[target] = standard.center + u * found.w.dot(origin_);
    Vector all = Vector::Zero(frame_.num_columns());
    all(penalised_) = scaled;
    mean_.write(target, all);
    if (sd_.is_null()) return;
    all(penalised_) = std::sqrt(spread_) * noise * scale_.cwiseProduct(V.cwiseSqrt());
    sd_.write(target, all);
  }

  // By fit_linear, with the same columns.
  void fit_alone() {
    std::vector<Index> targets;
    for (Index k = 0; k < Y_.cols(); ++k)
      if (alone_[static_cast<std::size_t>(k)] != 0) targets.push_back(k);
    out_.num_alone = std::ssize(targets);
    FitOptions options = options_;
    options.keep_covariance = Keep::never;
    parallel_for(out_.num_alone, blas::num_threads(), [&](Index i) {
      const Index target = targets[static_cast<std::size_t>(i)];
      Vector y(Y_.rows());
      for (Index row = 0; row < y.size(); ++row) y[row] = Y_(row, target);
      if (!y.allFinite()) {
        status(target) = TargetStatus::not_finite;
        return write_nothing(target);
      }
      try {
        std::optional<Frame> columns = frame_;
        const bool is_constant = standard_target(y, frame_.k, options_).is_constant;
        take(target, fit_columns(Task::linear, frame_.X, y, options, columns), is_constant);
      } catch (const InvalidArgument&) {  // squares are beyond the range of numbers
        status(target) = TargetStatus::out_of_range;
        write_nothing(target);
      }
    });
  }

  void take(Index target, const Fit& fit, bool is_constant) {
    if (!fit.mean.allFinite()) return write_nothing(target);
    status(target) = is_constant ? TargetStatus::constant : status_of(fit.report.status);
    out_.sweeps[static_cast<std::size_t>(target)] = fit.report.sweeps;
    if (fit.precision.size() > 0) out_.precision[target] = fit.precision[0];
    out_.noise_sd[target] = noise_sd(fit);
    out_.bound[target] = fit.bound;
    out_.r_squared[target] = fit.r_squared;
    out_.effective_parameters[target] = fit.effective_parameters;
    if (fit.intercept) out_.intercept[target] = fit.intercept->mean;
    mean_.write(target, fit.mean);
    if (!sd_.is_null()) sd_.write(target, fit.variance.cwiseSqrt());
  }

  const Frame& frame_;
  MatrixView Y_;
  const FitOptions& options_;
  TargetsFit& out_;
  PreparedPrior prior_;
  std::vector<Index> penalised_;
  NoiseDegrees degrees_;
  Columns mean_, sd_;
  double spread_ = 1;        // the variance of a weight is this times V and the noise
  std::vector<char> alone_;  // [targets] 1: fitted by fit_linear; several threads write their own
  Vector origin_, scale_;    // [penalised]
  Matrix squares_;           // [penalised, r] of the basis
};

}  // namespace

const char* to_string(TargetStatus status) {
  switch (status) {
    case TargetStatus::converged: return "converged";
    case TargetStatus::max_sweeps: return "max_sweeps";
    case TargetStatus::constant: return "constant";
    case TargetStatus::not_finite: return "not_finite";
    case TargetStatus::out_of_range: return "out_of_range";
    case TargetStatus::failed: return "failed";
  }
  return "failed";
}

TargetsFit fit_targets(MatrixView X, MatrixView Y, const TargetsOptions& options) {
  const Stopwatch watch;
  validate_targets(X, Y, options);
  const blas::ThreadScope threads(options.fit.threads);
  Frame frame = frame_of_columns(X, options.fit);
  TargetsFit out;
  Targets(frame, Y, options, out).fit();
  out.left_out = std::move(frame.left_out);
  out.column_names = std::move(frame.names);
  out.num_rows = frame.rows;
  out.notes = std::move(frame.notes);
  out.warnings = std::move(frame.warnings);
  out.seconds = watch.seconds();
  return out;
}

}  // namespace ardvark
