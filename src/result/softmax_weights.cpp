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
void center_over_classes(const SoftmaxFit& fit, Index q, Matrix& V) {
  const Index C = fit.num_classes();
  for (Index j = 0; j < q; ++j) {
    const bool is_free = j >= fit.precision.rows();
    if (!is_free && !(fit.precision.row(j).array() == fit.precision(j, 0)).all()) continue;
    const auto at = Eigen::seqN(j, C, q);
    Matrix rows = V(at, Eigen::all);
    rows.rowwise() -= rows.colwise().mean().eval();
    V(at, Eigen::all) = rows;
    Matrix columns = V(Eigen::all, at);
    columns.colwise() -= columns.rowwise().mean().eval();
    V(Eigen::all, at) = columns;
  }
}

Matrix of_softmax(const SoftmaxFit& fit, Index p, Index q) {
  const ClassCovariance& covariance = fit.state->covariance;
  const Index C = fit.num_classes();
  const Matrix inner = covariance.matrix(), map = to_user_units(fit.state->standardization, p, q);
  std::vector<Index> place;
  for (std::size_t i = 0; i < covariance.column.size(); ++i) place.push_back(covariance.class_of[i] * q + covariance.column[i]);
  Matrix V = Matrix::Zero(C * q, C * q);
  V(place, place) = inner;
  for (Index c = 0; c < C; ++c)
    for (Index e = 0; e < C; ++e) V.block(c * q, e * q, q, q) = (map * V.block(c * q, e * q, q, q) * map.transpose()).eval();
  center_over_classes(fit, q, V);
  return V;
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
