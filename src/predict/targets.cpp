// Predictions of many targets.                                                                      docs/math/targets.md (TGT.8)
#include "ardvark/targets.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "posterior/state.hpp"
#include "posterior/targets_state.hpp"
#include "predict/predictive.hpp"

namespace ardvark {

using namespace internal;

namespace {

// A [m,K] matrix of predictions, in its memory or in that of the caller.
class Output {
 public:
  Output(const TargetColumns& given, Matrix& own, Index m, Index K) : given_(given), stride_(given.stride() != 0 ? given.stride() : m) {
    if (given_.is_null()) own = Matrix::Constant(m, K, std::numeric_limits<double>::quiet_NaN()), given_ = TargetColumns(own.data());
    if (stride_ < m) throw InvalidArgument(fmt::format("the stride of predictions is {}; X_new has {} rows", stride_, m));
  }
  void write(Index first, Index target, const Vector& values) const {
    if (double* to = given_.doubles()) Eigen::Map<Vector>(to + target * stride_ + first, values.size()) = values;
    if (float* to = given_.floats()) Eigen::Map<Eigen::VectorXf>(to + target * stride_ + first, values.size()) = values.cast<float>();
  }

 private:
  TargetColumns given_;
  Index stride_ = 0;
};

void multiply(const Matrix& A, const Matrix& B, Matrix& out) {
  out = Matrix::Zero(A.rows(), B.cols());
  if (A.rows() > 0 && B.cols() > 0 && A.cols() > 0)
    blas::gemm(blas::Transpose::no, blas::Transpose::no, A.rows(), B.cols(), A.cols(), 1.0, A.data(), A.rows(), B.data(), B.rows(), 0.0,
               out.data(), out.rows());
}

// The rows of one piece of X_new along the axes.                                                                              (TGT.8)
struct RowsOnAxes {
  Matrix all;      // [m,p] in the units of the design
  Matrix squares;  // [m,r] of the parts of the rows along the axes
  Vector beside;   // [m] squared length of the part of a row in directions that no training row has

  RowsOnAxes(MatrixView X, const SharedTargetsState& state, bool with_squares) : all(X.rows(), X.cols()) {
    FitTable(X).design(state.units)->columns(0, X.cols(), all);
    if (!with_squares) return;
    const SharedAxes& axes = state.axes;
    Matrix z(all.rows(), std::ssize(state.penalised));
    for (Index j = 0; j < z.cols(); ++j) z.col(j) = all.col(state.penalised[static_cast<std::size_t>(j)]).array() - axes.mean[j];
    multiply(z, axes.back, squares);
    squares = squares.cwiseAbs2();
    beside = Vector::Zero(z.rows());
    if (!axes.dual) return;
    // B'B = diag(l): the columns of B are no unit vectors; a row without length is that of the constant.
    const double least = 1e-13 * static_cast<double>(axes.l.size()) * axes.largest();
    for (Index i = 0; i < squares.cols(); ++i) squares.col(i) *= axes.l[i] > least ? 1 / axes.l[i] : 0.0;
    beside = (z.rowwise().squaredNorm() - squares.rowwise().sum()).cwiseMax(0.0);
  }
};

class SharedPrediction {
 public:
  SharedPrediction(const SharedTargetsState& state, MatrixView coefficients, const TargetsPredictOptions& options)
      : state_(state), coefficients_(coefficients), options_(options) {}

  void predict(MatrixView X, Index first, const Output& mean, const Output* sd) const {
    const RowsOnAxes rows(X, state_, sd != nullptr);
    constexpr Index width = 256;
    const Index K = std::ssize(state_.targets);
    parallel_for((K + width - 1) / width, blas::num_threads(), [&](Index block) {
      const Index from = block * width, count = std::min(width, K - from);
      Matrix w(X.cols(), count), out;
      for (Index k = 0; k < count; ++k)
        for (Index j = 0; j < w.rows(); ++j) w(j, k) = coefficient(j, target(from + k));
      multiply(rows.all, w, out);
      for (Index k = 0; k < count; ++k) {
        const Vector values = out.col(k).array() + state_.at_center[from + k];
        mean.write(first, target(from + k), values);
      }
      if (sd == nullptr) return;
      Matrix d(state_.axes.l.size(), count);
      for (Index k = 0; k < count; ++k) d.col(k) = (state_.axes.l.array() + (d.rows() > 0 ? state_.precision[from + k] : 0)).inverse();
      multiply(rows.squares, d, out);
      const double constant = state_.axes.intercept ? 1 / state_.axes.rows : 0;
      for (Index k = 0; k < count; ++k) {
        const Index at = from + k;
        Vector variance = out.col(k).array() + constant;
        if (state_.axes.dual) variance += rows.beside / state_.precision[at];
        if (options_.what == PredictionOf::new_observation) variance.array() += 1;
        const double nu = state_.degrees[at];
        const double unit = nu > 2 ? state_.noise_scale[at] * std::sqrt(student_t_variance(nu)) : std::numeric_limits<double>::infinity();
        sd->write(first, target(at), unit * variance.cwiseSqrt());
      }
    });
  }

 private:
  [[nodiscard]] Index target(Index k) const { return state_.targets[static_cast<std::size_t>(k)]; }
  // In the units of the design.
  [[nodiscard]] double coefficient(Index j, Index k) const {
    const Vector& scale = state_.units.scale;
    if (scale.size() == 0) return coefficients_(j, k);
    return scale[j] > 0 ? coefficients_(j, k) / scale[j] : 0.0;
  }

  const SharedTargetsState& state_;
  MatrixView coefficients_;
  const TargetsPredictOptions& options_;
};

void predict_alone(const Fit& fit, MatrixView X, Index first, Index target, PredictionOf what, const Output& mean, const Output* sd) {
  if (sd == nullptr) {
    Vector m;
    predictive_moments(fit, X, m, nullptr);
    return mean.write(first, target, Vector(fit.state->y_center + fit.state->y_scale * m.array()));
  }
  const StudentPrediction prediction = student_prediction(fit, X, what);
  mean.write(first, target, prediction.mean);
  sd->write(first, target, prediction.standard_deviation());
}

}  // namespace

TargetsPrediction predict(const TargetsFit& fit, MatrixView X_new, const TargetsPredictOptions& options) {
  if (X_new.cols() != fit.num_columns())
    throw refused("X_new", fmt::format("has {} columns; the fit has {}", X_new.cols(), fit.num_columns()));
  if (fit.state == nullptr ||
      (fit.state->shared.empty() && fit.state->alone.empty() && fit.num_targets() > 0 && !fit.bound.array().isNaN().all()))
    throw InvalidArgument("the fits kept nothing to predict from; fit again with predictions = true");
  const TargetsState& state = *fit.state;
  const MatrixView W = options.coefficients.cols() > 0 ? options.coefficients : MatrixView(fit.mean);
  if (!state.shared.empty() && (W.rows() != fit.num_columns() || W.cols() != fit.num_targets()))
    throw InvalidArgument(
        fmt::format("the coefficients are {} x {}; they must be {} x {}", W.rows(), W.cols(), fit.num_columns(), fit.num_targets()));
  for (const auto& [target, alone] : state.alone)
    if (options.standard_deviations && alone->state->factor.kind == CovarianceFactor::Kind::none)
      throw InvalidArgument(
          "the fits kept no covariance factors, by keep_covariance or because these would take more than 256 MB, so their predictions have "
          "no standard deviations; fit fewer targets at once, or predict without standard deviations");
  const blas::ThreadScope threads(options.threads);
  TargetsPrediction out;
  const Index m = X_new.rows(), K = fit.num_targets();
  const Output mean(options.mean, out.mean, m, K);
  std::optional<Output> sd;
  if (options.standard_deviations) sd.emplace(options.sd, out.sd, m, K);
  const Output* const to_sd = sd ? &*sd : nullptr;
  validate::shape(X_new, "X_new");
  for (const SharedTargetsState& shared : state.shared)
    FitTable(X_new).check_new_rows(fit.column_names, shared.units.center, shared.units.scale);
  const auto nothing = [&](Index target) {
    const Vector none = Vector::Constant(m, std::numeric_limits<double>::quiet_NaN());
    mean.write(0, target, none);
    if (to_sd != nullptr) to_sd->write(0, target, none);
  };
  for (Index k = 0; k < K; ++k)
    if (std::isnan(fit.bound[k])) nothing(k);
  for (const SharedTargetsState& shared : state.shared) {
    constexpr Index piece = 2048;  // rows
    const SharedPrediction prediction(shared, W, options);
    for (Index first = 0; first < m; first += piece)
      prediction.predict(X_new.row_range(first, std::min(piece, m - first)), first, mean, to_sd);
  }
  parallel_for(std::ssize(state.alone), blas::num_threads(), [&](Index i) {
    const auto& [target, alone] = state.alone[static_cast<std::size_t>(i)];
    predict_alone(*alone, X_new, 0, target, options.what, mean, to_sd);
  });
  return out;
}

}  // namespace ardvark
