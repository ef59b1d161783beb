// All new rows of a kernel machine together: their covariance, and draws.                                     docs/math/process.md (KM.10)

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/eigen_solvers.hpp"
#include "core/normals.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "design/table_design.hpp"
#include "predict/kernel_point.hpp"
#include "predict/process.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// The parts of the mixture for these rows, in the units of the target: mean, and the squared scale of a Student-t or normal distribution.
class JointParts {
 public:
  JointParts(const KernelFit& fit, MatrixView X, PredictionOf what)
      : fit_(fit), noise_(has_noise(fit.task) && what == PredictionOf::new_observation ? 1 : 0), vectors_(vectors_as_used(fit)) {
    check_new_rows(fit, X);
    X_ = read_table(X, {fit.input_center, fit.input_scale, false});
    if (has_classes(fit.task)) nu_ = std::numeric_limits<double>::infinity(), center_ = 0, unit_ = 1;
  }

  [[nodiscard]] Index num_rows() const { return X_.rows(); }
  [[nodiscard]] double degrees_of_freedom() const { return nu_; }
  [[nodiscard]] Matrix of(const KernelPoint& point, Vector& mean) const {
    pulse();
    Matrix scale = PointPredictor(point, vectors_).joint_moments(X_, mean);
    validate::predicted(mean, 0);
    validate::predicted(scale.diagonal(), 0);
    scale.diagonal().array() = scale.diagonal().array().max(0.0) + noise_;
    scale *= unit_ * unit_ * point.noise_variance;
    mean = center_ + unit_ * mean.array();
    return scale;
  }

 private:
  const KernelFit& fit_;
  double noise_, nu_ = fit_.degrees_of_freedom, center_ = fit_.target_center, unit_ = fit_.target_scale;
  Matrix vectors_, X_;
};

JointPrediction joint_prediction(const JointParts& parts, const KernelProcess& process) {
  const Index rows = parts.num_rows();
  const double nu = parts.degrees_of_freedom(), factor = std::isinf(nu) ? 1 : nu / (nu - 2);
  Matrix means(rows, static_cast<Index>(process.points.size()));
  Vector weight(means.cols()), mean;
  JointPrediction out{Vector(), Matrix::Zero(rows, rows)};
  for (Index i = 0; i < means.cols(); ++i) {
    const KernelPoint& point = process.points[static_cast<std::size_t>(i)];
    weight[i] = point.weight;
    out.covariance += factor * point.weight * parts.of(point, mean);
    means.col(i) = mean;
  }
  out.mean = means * weight;
  means = (means.colwise() - out.mean) * weight.cwiseSqrt().asDiagonal();
  blas::syrk(blas::Transpose::no, rows, means.cols(), 1.0, means.data(), rows, 1.0, out.covariance.data(), rows);
  out.covariance.triangularView<Eigen::StrictlyUpper>() = out.covariance.transpose();
  if (!(nu > 2)) out.covariance.setConstant(std::numeric_limits<double>::infinity());
  return out;
}

// L with LL' = A, which is positive semidefinite up to rounding errors: rows close to each other have nearly the same value.
Matrix root_of(const Matrix& A) {
  Matrix L = A;
  if (blas::potrf(A.rows(), L.data(), A.rows())) {
    L.triangularView<Eigen::StrictlyUpper>().setZero();
    return L;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(A);
  return solved.eigenvectors() * solved.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

// The part of the mixture that a number in (0, 1) chooses.
std::size_t part_at(const KernelProcess& process, double at) {
  std::size_t part = 0;
  for (double sum = process.points[0].weight; part + 1 < process.points.size() && !(at < sum);) sum += process.points[++part].weight;
  return part;
}

// What is random in the draws of a process: the part of each, how much wider it is than its scale, and independent normal variates.
struct Drawn {
  std::vector<std::size_t> part;
  Vector spread;   // [draws]
  Matrix normals;  // [rows, draws]
};

Drawn drawn(const KernelProcess& process, Index num_rows, Index num_draws, double nu, Normals& random) {
  Drawn out{{}, Vector::Ones(num_draws), Matrix(num_rows, num_draws)};
  for (Index c = 0; c < num_draws; ++c) {
    out.part.push_back(part_at(process, random.uniform()));
    if (!std::isinf(nu)) out.spread[c] = std::sqrt(nu / gamma_quantile(0.5 * nu, 0.5, random.uniform()));
    for (Index i = 0; i < num_rows; ++i) out.normals(i, c) = random();
  }
  return out;
}

Matrix draws_of(const JointParts& parts, const KernelProcess& process, const Drawn& drawn) {
  Matrix out(drawn.normals.rows(), drawn.normals.cols());
  Vector mean;
  for (std::size_t i = 0; i < process.points.size(); ++i) {
    if (std::find(drawn.part.begin(), drawn.part.end(), i) == drawn.part.end()) continue;
    const Matrix root = root_of(parts.of(process.points[i], mean));
    for (Index c = 0; c < out.cols(); ++c)
      if (drawn.part[static_cast<std::size_t>(c)] == i) out.col(c) = mean + drawn.spread[c] * (root * drawn.normals.col(c));
  }
  return out;
}

}  // namespace

std::vector<JointPrediction> joint_predictions(const KernelFit& fit, MatrixView X_new, PredictionOf what) {
  const blas::ThreadScope threads(0);
  const JointParts parts(fit, X_new, what);
  std::vector<JointPrediction> out;
  for (const KernelProcess& process : fit.processes) out.push_back(joint_prediction(parts, process));
  return out;
}

std::vector<Matrix> joint_draws(const KernelFit& fit, MatrixView X_new, Index num_draws, std::uint64_t seed, PredictionOf what) {
  if (num_draws < 1) throw wrong("num_draws", num_draws, "it must be at least 1");
  const blas::ThreadScope threads(0);
  const JointParts parts(fit, X_new, what);
  std::vector<Matrix> out;
  for (std::size_t k = 0; k < fit.processes.size(); ++k) {
    const std::uint64_t stream = seed + 0x9e3779b97f4a7c15 * k;  // scores are independent
    Normals random(stream);
    const KernelProcess& process = fit.processes[k];
    out.push_back(draws_of(parts, process, drawn(process, parts.num_rows(), num_draws, parts.degrees_of_freedom(), random)));
  }
  return out;
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

JointPrediction predict_joint(const KernelRegression& fit, MatrixView X_new, PredictionOf what) {
  return std::move(joint_predictions(fit, X_new, what).front());
}
std::vector<JointPrediction> predict_joint(const KernelClassification& fit, MatrixView X_new) {
  return joint_predictions(fit, X_new, PredictionOf::mean);
}
Matrix draw(const KernelRegression& fit, MatrixView X_new, Index num_draws, std::uint64_t seed, PredictionOf what) {
  return std::move(joint_draws(fit, X_new, num_draws, seed, what).front());
}
std::vector<Matrix> draw(const KernelClassification& fit, MatrixView X_new, Index num_draws, std::uint64_t seed) {
  return joint_draws(fit, X_new, num_draws, seed, PredictionOf::mean);
}

}  // namespace ardvark
