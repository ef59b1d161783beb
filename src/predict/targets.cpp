// Predictions of many targets.                                                                      docs/math/targets.md (TGT.8)
#include "ardvark/targets.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/numbers.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "posterior/over_precisions.hpp"
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
  template <typename Values>
  void write(Index first, Index target, const Eigen::MatrixBase<Values>& values, double center = 0) const {
    if (double* to = given_.doubles()) Eigen::Map<Vector>(to + target * stride_ + first, values.size()).array() = values.array() + center;
    if (float* to = given_.floats())
      Eigen::Map<Eigen::VectorXf>(to + target * stride_ + first, values.size()).array() = (values.array() + center).template cast<float>();
  }
  [[nodiscard]] bool is_single() const { return given_.floats() != nullptr; }

 private:
  TargetColumns given_;
  Index stride_ = 0;
};

template <typename Number>
using MatrixOf = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;

template <typename Number>
void multiply(const MatrixOf<Number>& A, const MatrixOf<Number>& B, MatrixOf<Number>& out) {
  out.resize(A.rows(), B.cols());
  if (A.rows() > 0 && B.cols() > 0 && A.cols() > 0)
    blas::gemm(blas::Transpose::no, blas::Transpose::no, A.rows(), B.cols(), A.cols(), Number{1}, A.data(), A.rows(), B.data(), B.rows(),
               Number{0}, out.data(), out.rows());
  else
    out.setZero();
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
    for (Index i = 0; i < squares.cols(); ++i) squares.col(i) *= axes.l[i] > axes.least() ? 1 / axes.l[i] : 0.0;
    beside = (z.rowwise().squaredNorm() - squares.rowwise().sum()).cwiseMax(0.0);
  }
};

class SharedPrediction {
 public:
  SharedPrediction(const SharedTargetsState& state, MatrixView coefficients, const TargetsPredictOptions& options)
      : state_(state), coefficients_(coefficients), options_(options), inverse_scale_(Vector::Ones(coefficients.rows())) {
    if (const Vector& scale = state.units.scale; scale.size() > 0)
      inverse_scale_ = scale.unaryExpr([](double one) { return one > 0 ? 1 / one : 0.0; });
  }

  // Products are of single precision if their results are, and the rows within its range.
  void predict(MatrixView X, Index first, const Output& mean, const Output* sd) const {
    const RowsOnAxes rows(X, state_, sd != nullptr);
    if (mean.is_single() && are_alike(rows.all.colwise().lpNorm<Eigen::Infinity>()))
      predict_rows<float>(rows, first, mean, sd);
    else
      predict_rows<double>(rows, first, mean, sd);
  }

 private:
  // Whether the sizes of columns, and so of coefficients, are within the range of single precision.
  static bool are_alike(const Vector& sizes) {
    constexpr double most = 1e30, ratio = 1e15;
    const double largest = sizes.size() > 0 ? sizes.maxCoeff() : 0.0;
    return largest < most && ((sizes.array() == 0) || (sizes.array() * ratio > largest)).all();
  }

  template <typename Number>
  void predict_rows(const RowsOnAxes& rows, Index first, const Output& mean, const Output* sd) const {
    const MatrixOf<Number> all = rows.all.cast<Number>();
    std::optional<OverPrecisions> along_axes;
    if (sd != nullptr) along_axes.emplace(rows.squares, state_.axes.l);
    constexpr Index width = 256;
    const Index K = std::ssize(state_.targets);
    parallel_for((K + width - 1) / width, blas::num_threads(), [&](Index block) {
      const Index from = block * width, count = std::min(width, K - from);
      MatrixOf<Number> factors(all.cols(), count), product;
      Vector unit = Vector::Ones(count);  // of the coefficients of each target, which are then within the range of their type
      for (Index k = 0; k < count; ++k) {
        const Vector w = coefficients(target(from + k));
        if (const double largest = w.cwiseAbs().maxCoeff(); largest > 0) unit[k] = largest;
        factors.col(k) = (w / unit[k]).template cast<Number>();
      }
      multiply(all, factors, product);
      for (Index k = 0; k < count; ++k)
        mean.write(first, target(from + k), product.col(k).template cast<double>() * unit[k], state_.at_center[from + k]);
      if (sd == nullptr) return;
      const double constant = (state_.axes.intercept ? 1 / state_.axes.rows : 0) + (options_.what == PredictionOf::new_observation ? 1 : 0);
      for (Index k = 0; k < count; ++k) {
        const Index at = from + k;
        Vector variance = Vector::Constant(rows.all.rows(), constant);
        if (state_.axes.l.size() > 0) variance += along_axes->at(state_.precision[at]);
        if (state_.axes.dual) variance += rows.beside / state_.precision[at];
        const double nu = state_.degrees[at];
        const double scale = nu > 2 ? state_.noise_scale[at] * std::sqrt(student_t_variance(nu)) : std::numeric_limits<double>::infinity();
        sd->write(first, target(at), scale * variance.cwiseSqrt());
      }
    });
  }

  [[nodiscard]] Index target(Index k) const { return state_.targets[static_cast<std::size_t>(k)]; }
  // [p] in the units of the design.
  [[nodiscard]] Vector coefficients(Index k) const {
    return with_scalar(coefficients_.scalar(), [&](auto of_type) -> Vector {
      using Given = decltype(of_type);
      const bool by_target = coefficients_.layout() == Layout::column_major;
      const Index stride = coefficients_.stride();
      const Eigen::Map<const Eigen::Matrix<Given, Eigen::Dynamic, 1>, 0, Eigen::InnerStride<>> given(
          static_cast<const Given*>(coefficients_.data()) + k * (by_target ? stride : 1), coefficients_.rows(),
          Eigen::InnerStride<>(by_target ? 1 : stride));
      return given.template cast<double>().cwiseProduct(inverse_scale_);
    });
  }

  const SharedTargetsState& state_;
  MatrixView coefficients_;
  const TargetsPredictOptions& options_;
  Vector inverse_scale_;  // [p]
};

void predict_alone(const Fit& fit, MatrixView X, Index first, Index target, PredictionOf what, const Output& mean, const Output* sd) {
  if (sd == nullptr) {
    Vector m;
    predictive_moments(fit, X, m, nullptr);
    return mean.write(first, target, fit.state->y_scale * m, fit.state->y_center);
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
