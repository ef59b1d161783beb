#include "process/kernel_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ardvark/logistic.hpp"
#include "core/special.hpp"
#include "frame/prepare.hpp"
#include "kernel/kernel_function.hpp"
#include "predict/one_class.hpp"

namespace ardvark::internal {

void KernelSums::operator+=(const KernelSums& other) {
  sums += other.sums;
  fk += other.fk;
  log_likelihood += other.log_likelihood;
  scores.merge(other.scores);
}

Vector KernelSums::packed() const {
  const Index m = fk.size();
  Vector out(num_numbers(m));
  Index at = 0;
  for (Index j = 0; j < m; at += m - j, ++j) out.segment(at, m - j) = sums.S.col(j).tail(m - j);
  out.tail(out.size() - at) << sums.f1, sums.fz, fk, sums.omega, sums.z, sums.zz, sums.rest, log_likelihood, scores.correct, scores.loss;
  return out;
}

KernelSums KernelSums::unpacked(const Vector& numbers, Index m) {
  if (numbers.size() != num_numbers(m)) throw InvalidArgument("the sums over the rows answer another question");
  KernelSums out(m);
  Index at = 0;
  for (Index j = 0; j < m; at += m - j, ++j) out.sums.S.col(j).tail(m - j) = numbers.segment(at, m - j);
  for (Vector* v : {&out.sums.f1, &out.sums.fz, &out.fk}) *v = numbers.segment(at, m), at += m;
  for (double* number :
       {&out.sums.omega, &out.sums.z, &out.sums.zz, &out.sums.rest, &out.log_likelihood, &out.scores.correct, &out.scores.loss})
    *number = numbers[at++];
  return out;
}

KernelSums KernelSums::mixed(const KernelSums& other, double share) const {
  return unpacked((1 - share) * packed() + share * other.packed(), fk.size());
}

FeatureSums KernelSums::scaled(const Vector& root_scale) const {
  FeatureSums out = sums;
  out.S = root_scale.asDiagonal() * sums.S * root_scale.asDiagonal();
  out.f1 = root_scale.cwiseProduct(sums.f1);
  out.fz = root_scale.cwiseProduct(sums.fz);
  return out;
}

namespace {

struct ScoreMoments {
  Vector mean, variance;
  Vector rest;  // of the variance, what the features leave open
};

// Of the rows of a block under the posterior of the question.
ScoreMoments score_moments(const KernelQuestion& asked, const Matrix& Phi) {
  const Index n = Phi.rows(), all = Phi.cols(), m = asked.centres.rows();
  Matrix V(n, all + 1);
  V << Phi, Vector::Ones(n);
  const Vector mean = V * asked.mean;
  blas::trmm(blas::Side::right, blas::Transpose::yes, n, all + 1, asked.root.data(), all + 1, V.data(), n);
  const double h = std::exp(asked.theta[0]);
  const Vector rest = asked.h / h * (h - Phi.leftCols(m).rowwise().squaredNorm().array()).max(0.0);
  return {mean, V.rowwise().squaredNorm() + rest, rest};
}

// Precision and response of these rows; adds what they say of the posterior.                                                    (KM.5)
void weigh(const KernelQuestion& asked, const Matrix& Phi, const Vector& t, Vector& omega, Vector& z, KernelSums& to) {
  const ScoreMoments score = score_moments(asked, Phi);
  for (Index i = 0; i < t.size(); ++i) {
    const double k = omega[i];
    const WorkingRow row = working_row(k, t[i], score.mean[i], score.variance[i]);
    const bool is_second = t[i] > 0.5;
    to.log_likelihood += row.log_likelihood;
    to.scores.add(k, (row.probability > 0.5) == is_second, is_second ? row.probability : 1 - row.probability);
    omega[i] = row.omega, z[i] = row.z;
  }
}

void require_good(const Features& features) {
  if (!features.is_good()) throw InvalidArgument("the kernel matrix of the centres cannot be factorised");
}

}  // namespace

Index KernelQuestion::num_numbers() const {
  if (slope) return *std::ranges::max_element(group) + 1;
  return KernelSums::num_numbers(num_features());
}

Matrix KernelQuestion::inputs(const RowBlock& block) const {
  Matrix Z(block.X.rows(), center.size());
  for (Index j = 0; j < Z.cols(); ++j)
    for (Index i = 0; i < Z.rows(); ++i) Z(i, j) = (block.X(i, j) - center[j]) * scale[j];
  return Z;
}

Vector KernelQuestion::targets(const RowBlock& block) const {
  if (own_label) return (block.y.eigen().array() == *own_label).cast<double>();
  return (block.y.eigen().array() - target_center) / target_scale;
}

Vector KernelQuestion::sums_of(const RowBlock& block) const {
  const Vector t = targets(block), k = weights_or_ones(block.weights, block.X.rows());
  const Matrix Z = inputs(block);
  const Covariance covariance(kernel, Z, group, linear_part);
  const Features features(covariance, centres, theta);
  require_good(features);
  std::vector<KernelSums> lanes(Features::num_lanes, KernelSums(slope ? 0 : num_features()));
  std::vector<Vector> slopes(Features::num_lanes, Vector::Zero(covariance.num_widths()));
  features.for_blocks(slope.has_value(), [&](Index lane, const FeatureBlock& rows) {
    KernelSums& to = lanes[static_cast<std::size_t>(lane)];
    const Vector weights = k.segment(rows.first, rows.Phi.rows());
    Vector omega = weights, z = t.segment(rows.first, rows.Phi.rows());
    if (classes) weigh(*this, rows.Phi, t.segment(rows.first, rows.Phi.rows()), omega, z, to);
    if (slope) return features.add_slope(*slope, rows, omega, z, weights, slopes[static_cast<std::size_t>(lane)]);
    to.fk += rows.Phi.transpose() * weights;
    features.add(rows.Phi, omega, z, to.sums);
  });
  KernelSums sums(lanes.front().fk.size());
  Vector d_widths = Vector::Zero(covariance.num_widths());
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) sums += lanes[lane], d_widths += slopes[lane];
  return slope ? d_widths : sums.packed();
}

KernelQuestion::Answers KernelQuestion::answers(const RowBlock& block) const {
  const Matrix Z = inputs(block);
  const Vector t = targets(block), k = weights_or_ones(block.weights, block.X.rows());
  const Covariance covariance(kernel, Z, group, linear_part);
  const Features features(covariance, centres, theta);
  require_good(features);
  Answers out{Vector(block.X.rows()), Vector(block.X.rows())};
  features.for_blocks(false, [&](Index, const FeatureBlock& rows) {
    const ScoreMoments score = score_moments(*this, rows.Phi);
    for (Index i = 0; i < score.mean.size(); ++i) {
      const Index row = rows.first + i;
      out.probability[row] = expected_sigmoid(score.mean[i], score.variance[i]);
      out.left_out[row] = left_out_probability(t[row] > 0.5, k[row], score.mean[i], score.variance[i] - score.rest[i], score.rest[i]);
    }
  });
  return out;
}

Vector KernelQuestions::sums_of(const RowBlock& block) const {
  if (!compares) {
    std::vector<double> out;
    for (const auto& machine : machines) std::ranges::copy(machine->sums_of(block), std::back_inserter(out));
    return VectorView(out).eigen();
  }
  const Index n = block.X.rows(), C = static_cast<Index>(machines.size());
  Matrix probability(n, C), left_out(n, C);
  std::vector<Index> own(static_cast<std::size_t>(n), -1);
  for (Index c = 0; c < C; ++c) {
    const KernelQuestion& machine = *machines[static_cast<std::size_t>(c)];
    KernelQuestion::Answers answers = machine.answers(block);
    probability.col(c) = answers.probability, left_out.col(c) = answers.left_out;
    for (Index i = 0; i < n; ++i)
      if (block.y[i] == *machine.own_label) own[static_cast<std::size_t>(i)] = c;
  }
  PowerSums sums;
  sums.add(probability, left_out, own, weights_or_ones(block.weights, block.X.rows()));
  return sums.numbers();
}

void KernelQuestion::write(WorkWriter& to) const {
  to.text("kind", kernel);
  to.flag("linear_part", linear_part);
  to.flag("classes", classes);
  to.whole_numbers("group", group);
  to.flag("slope", slope.has_value());
  to.vector("center", center);
  to.vector("scale", scale);
  std::vector<double> numbers = {target_center, target_scale, h};
  if (own_label) numbers.push_back(*own_label);
  to.numbers("numbers", numbers);
  to.vector("theta", theta);
  to.matrix("centres", centres);
  to.vector("mean", mean);
  to.matrix("root", root);
  if (!slope) return;
  to.matrix("Y", slope->Y);
  to.vector("v1", slope->v1);
  to.vector("v0", slope->v0);
  to.vector("of_k", slope->d_k);
  to.numbers("b", {slope->b});
}

namespace {

FeatureSlope read_slope(const WorkReader& from, Index num_features, Index num_centres) {
  const Vector b = from.vector("b");
  require_consistent(b.size() == 1);
  FeatureSlope out = {from.matrix("Y"), from.vector("v1"), from.vector("v0"), from.vector("of_k"), {}, b[0]};
  require_consistent(out.Y.rows() == num_features && out.Y.cols() == num_centres);
  for (const Vector* v : {&out.v1, &out.v0, &out.d_k}) require_consistent(v->size() == num_centres);
  return out;
}

}  // namespace

std::shared_ptr<const RowWork> KernelQuestion::read(const WorkReader& from) {
  auto out = std::make_shared<KernelQuestion>();
  out->kernel = from.text("kind");
  out->linear_part = from.flag("linear_part");
  out->classes = from.flag("classes");
  out->group = from.whole_numbers("group");
  out->center = from.vector("center");
  out->scale = from.vector("scale");
  const Vector numbers = from.vector("numbers");
  require_consistent(numbers.size() == 3 || numbers.size() == 4);
  out->target_center = numbers[0], out->target_scale = numbers[1], out->h = numbers[2];
  if (numbers.size() == 4) out->own_label = numbers[3];
  out->theta = from.vector("theta");
  out->centres = from.matrix("centres");
  out->mean = from.vector("mean");
  out->root = from.matrix("root");
  const Index d = from.question().num_columns, size = out->num_features() + 1;
  require_consistent(out->center.size() == d && out->scale.size() == d && out->centres.cols() == d && std::ssize(out->group) == d && d > 0);
  require_consistent(is_distance_kernel(out->kernel));
  require_consistent(out->theta.size() == *std::ranges::max_element(out->group) + (out->linear_part ? 3 : 2));
  for (const Index one : out->group) require_consistent(one >= -1);
  require_consistent(!out->classes || (out->mean.size() == size && out->root.rows() == size && out->root.cols() == size));
  if (from.flag("slope")) out->slope = read_slope(from, size - 1, out->centres.rows());
  return out;
}

void KernelQuestions::write(WorkWriter& to) const {
  to.flag("compares", compares);
  to.whole_number("parts", std::ssize(machines));
  for (std::size_t i = 0; i < machines.size(); ++i) to.part(i, *machines[i]);
}

std::shared_ptr<const RowWork> KernelQuestions::read(const WorkReader& from) {
  auto out = std::make_shared<KernelQuestions>();
  out->compares = from.flag("compares");
  for (Index i = 0, count = from.count("parts"); i < count; ++i) {
    const auto part = from.part(static_cast<std::size_t>(i), KernelQuestion::own_name);
    out->machines.push_back(std::static_pointer_cast<const KernelQuestion>(KernelQuestion::read(*part)));
    require_consistent(out->machines.back()->own_label && out->machines.back()->classes);
  }
  return out;
}

}  // namespace ardvark::internal
