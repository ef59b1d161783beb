// The covariance of the weights of several classes, in the units of X.                              docs/math/softmax.md (SMX.5), (SMX.11)

#include "core/validate.hpp"
#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"

namespace ardvark {

using namespace internal;

namespace {

// For each class: w_user = D w, and the intercept is the prediction at x = 0.
Matrix to_user_units(const Standardization& s, Index p, Index q) {
  Matrix map = Matrix::Identity(q, q);
  for (Index j = 0; j < p; ++j) {
    if (s.scale.size() > 0) map(j, j) = s.scale[j];
    if (q > p && s.center.size() > 0) map(p, j) = -map(j, j) * s.center[j];
  }
  return map;
}

// If the classes share the precision of a column, or it is flat, its weights are known only up to a common number:
// K V K takes their mean out.                                                                                                  (SMX.11)
bool is_centred(const SoftmaxFit& fit, Index j) {
  return j >= fit.precision.rows() || (fit.precision.row(j).array() == fit.precision(j, 0)).all();
}
void center_over_classes(const SoftmaxFit& fit, Index q, Eigen::Ref<Matrix> columns) {
  for (Index j = 0; j < q; ++j) {
    if (!is_centred(fit, j)) continue;
    const auto at = Eigen::seqN(j, fit.num_classes(), q);
    Matrix some = columns(Eigen::all, at);
    some.colwise() -= some.rowwise().mean().eval();
    columns(Eigen::all, at) = some;
  }
}

// V = F'F keeps the digits of what is left of a column's weights without their mean, as the reported variances do.
Matrix of_softmax(const SoftmaxFit& fit, Index p, Index q) {
  const ClassCovariance& covariance = fit.state->covariance;
  const Index C = fit.num_classes(), P = std::ssize(covariance.column);
  const bool has_factor = covariance.kind == ClassCovariance::Kind::triangular;
  const Matrix map = to_user_units(fit.state->standardization, p, q);
  std::vector<Index> place;
  for (std::size_t i = 0; i < covariance.column.size(); ++i) place.push_back(covariance.class_of[i] * q + covariance.column[i]);
  Matrix out = Matrix::Zero(has_factor ? P : C * q, C * q);
  if (has_factor)
    out(Eigen::all, place) = covariance.L_inverse.triangularView<Eigen::Lower>().toDenseMatrix();
  else
    out(place, place) = covariance.matrix();
  const auto to_centred_weights = [&] {
    for (Index c = 0; c < C; ++c) out.middleCols(c * q, q) = (out.middleCols(c * q, q) * map.transpose()).eval();
    center_over_classes(fit, q, out);
  };
  to_centred_weights();
  if (has_factor) return out.transpose() * out;
  out.transposeInPlace();
  to_centred_weights();
  return out;
}

Matrix of_machines(const SoftmaxFit& fit, Index p, Index q) {
  const auto number = static_cast<Index>(fit.machines.size());
  const Matrix map = to_user_units(fit.state->standardization, p, q);
  Matrix V = Matrix::Zero(number * q, number * q);
  for (Index m = 0; m < number; ++m)
    V.block(m * q, m * q, q, q) = map * fit.machines[static_cast<std::size_t>(m)].covariance() * map.transpose();
  return V;
}

}  // namespace

Matrix SoftmaxFit::covariance() const {
  const Index p = num_columns(), q = p + (intercept.size() > 0 ? 1 : 0);
  if (state != nullptr && coding == ClassCoding::softmax && state->covariance.kind != ClassCovariance::Kind::none)
    return of_softmax(*this, p, q);
  if (state != nullptr && coding != ClassCoding::softmax && static_cast<Index>(machines.size()) == mean.cols())
    return of_machines(*this, p, q);
  throw InvalidArgument("the fit kept no covariance; fit again with keep_covariance = always");
}

}  // namespace ardvark
