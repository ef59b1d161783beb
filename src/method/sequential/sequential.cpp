// Logistic regression, one observation at a time, in blocks of rows.                                docs/math/sequential.md
//
// Within a block, all computations are in B x B: G = X_B V X_B' and m = X_B w give each row's s and m, and
//     v_j = P_j - sum_{i<j} c_i v_i (v_i'x_j),   c_i = 2 lambda_i/(1 + 2 lambda_i s_i),   P = V X_B'
// so that with g_j = X_B v_j the block's matrix is G <- G - c_j g_j g_j'. One product gives P before, one rank-B update gives V after.
#include "method/sequential/sequential.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "design/table_design.hpp"
#include "frame/row_order.hpp"
#include "posterior/state.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr int max_inner = 500;

struct Row {  // the scalars of one row after its inner iteration
  double two_lambda = 0.25, m = 0, s = 0, log_det_change = 0, quadratic_change = 0, xi_terms = 0;
  bool converged = false;
};

// The inner iteration is scalar: O(1) per step. A weight k multiplies the terms of the row: k y, k lambda. (SEQ.1), (SEQ.3), (SEQ.5)
Row iterate(double y, double k, double m, double s, double quadratic, double log_det) {
  Row row;
  if (k == 0) return {.two_lambda = 0, .m = m, .s = s, .converged = true};
  y *= k;
  double xi = 0, last = 0;
  for (int step = 0; step <= max_inner; ++step) {
    const double lambda = k * jj_lambda(xi), d = 1 + 2 * lambda * s;
    row.two_lambda = 2 * lambda;
    row.s = s / d;
    row.m = (m + 0.5 * y * s) / d;
    row.log_det_change = -std::log(d);
    row.quadratic_change = (m * y + 0.25 * k * k * s - 2 * lambda * m * m) / d;
    row.xi_terms = k * (log_sigmoid(xi) - 0.5 * xi) + lambda * xi * xi;
    const double L = 0.5 * (quadratic + row.quadratic_change) + 0.5 * (log_det + row.log_det_change) + row.xi_terms;
    if (step > 0 && std::abs(L - last) < 1e-5 * std::abs(L)) {
      row.converged = true;
      break;
    }
    last = L;
    if (step < max_inner) xi = std::sqrt(row.s + row.m * row.m);
  }
  return row;
}

}  // namespace

// Sizes the workspace by the rows that come, not by `block`: without rows, a filter with large blocks, or one from from_bytes(), needs no
// memory.
void SequentialLogistic::State::size_workspace(Index count) {
  if (count <= room) return;
  room = 0;  // until all memory is allocated
  P.resize(p, count);
  R.resize(p, count);
  G.resize(count, count);
  U.resize(count, count);
  rows.resize(count, count);
  m.resize(count);
  c.resize(count);
  coefficient.resize(count);
  room = count;
}

void SequentialLogistic::State::absorb_block(Index count, const Vector& y, const Vector& k, Index first) {
  blas::symm(p, count, 1.0, V.data(), p, R.data(), p, 0.0, P.data(), p);  // P = V X_B'
  blas::gemm(blas::Transpose::yes, blas::Transpose::no, count, count, p, 1.0, R.data(), p, P.data(), p, 0.0, G.data(), G.outerStride());
  blas::gemv(blas::Transpose::yes, p, count, 1.0, R.data(), p, w.data(), 0.0, m.data());  // m = X_B w
  // Row j of U (unit lower triangular) has the coefficients of v_j in the columns of P, so that all v_j come from one TRMM.
  U.setZero();
  for (Index j = 0; j < count; ++j) {
    const Row row = iterate(y[first + j], k[first + j], m[j], G(j, j), quadratic, log_det_V);
    c[j] = row.two_lambda / (1 + row.two_lambda * G(j, j));  // (SEQ.2)
    coefficient[j] = 0.5 * k[first + j] * y[first + j] - row.two_lambda * row.m;
    quadratic += row.quadratic_change;
    log_det_V += row.log_det_change;
    sum_xi += row.xi_terms;
    if (!row.converged) ++not_converged;
    // v_j = P_j - sum_{i<j} c_i (v_i'x_j) v_i; in coefficients of P: U_j = e_j - sum_i c_i g_i[j] U_i
    U(j, j) = 1;
    for (Index i = 0; i < j; ++i) U.row(j).head(i + 1) -= (c[i] * rows(i, j)) * U.row(i).head(i + 1);
    rows.row(j).head(count) = G.col(j).head(count).transpose();  // g_j = X_B v_j
    for (Index l = j + 1; l < count; ++l) m[l] += G(l, j) * coefficient[j];
    for (Index l = j + 1; l < count; ++l)
      for (Index i = j + 1; i < count; ++i) G(i, l) -= c[j] * rows(j, i) * rows(j, l);
  }
  // columns of P become v_j: P <- P U'
  blas::trmm(blas::Side::right, blas::Transpose::yes, p, count, U.data(), U.outerStride(), P.data(), p);
  blas::gemv(blas::Transpose::no, p, count, 1.0, P.data(), p, coefficient.data(), 1.0, w.data());
  for (Index j = 0; j < count; ++j) P.col(j) *= std::sqrt(c[j]);
  blas::syrk(blas::Transpose::no, p, count, -1.0, P.data(), p, 1.0, V.data(), p);  // V <- V - sum c_j v_j v_j'
}

void SequentialLogistic::State::absorb(MatrixView X, const Vector& y, const Vector& k) {
  const auto design = table_design(X);
  size_workspace(std::min(block, X.rows()));
  Matrix panel(room, p);
  for (Index first = 0; first < X.rows(); first += block) {
    const Index count = std::min(block, X.rows() - first);
    design->read_rows(first, count, nullptr, panel);
    R.leftCols(count) = panel.topRows(count).transpose();
    absorb_block(count, y, k, first);
  }
}

void SequentialLogistic::State::absorb(MatrixView X, const Vector& y, const OrderedRows& ordered) {
  const auto size = static_cast<Index>(ordered.rows.size());
  const Vector labels = y(ordered.rows);
  size_workspace(std::min(block, size));
  for (Index first = 0; first < size; first += block) {
    const Index count = std::min(block, size - first);
    for (Index j = 0; j < p; ++j)
      for (Index i = 0; i < count; ++i) R(j, i) = X(ordered.rows[static_cast<std::size_t>(first + i)], j);
    absorb_block(count, labels, ordered.weights, first);
  }
}

SequentialLogistic::SequentialLogistic(Index num_columns, const SequentialOptions& options) : state_(std::make_unique<State>()) {
  if (num_columns < 1) throw wrong("num_columns", num_columns, "it must be at least 1");
  if (options.block_rows < 1) throw wrong("block_rows", options.block_rows, "it must be at least 1");
  if (options.threads < 0) throw wrong("threads", options.threads, "it must be 0 or more");
  const double precision = options.precision.value_or(static_cast<double>(num_columns));
  validate::positive(precision, "precision");
  State& s = *state_;
  s.p = num_columns;
  s.block = options.block_rows;
  s.threads = options.threads;
  s.precision = precision;
  s.w = Vector::Zero(s.p);
  s.V = Matrix::Identity(s.p, s.p) / precision;
  s.log_det_V = s.prior_log_det = -static_cast<double>(s.p) * std::log(precision);
}

SequentialLogistic::~SequentialLogistic() = default;
SequentialLogistic::SequentialLogistic(SequentialLogistic&&) noexcept = default;
SequentialLogistic& SequentialLogistic::operator=(SequentialLogistic&&) noexcept = default;

void SequentialLogistic::update(MatrixView X, VectorView labels, VectorView weights, RowOrder order) {
  State& s = *state_;
  validate::matrix(X, "X");
  if (X.cols() != s.p) throw refused("X", fmt::format("has {} columns; the fit has {}", X.cols(), s.p));
  validate::vector(labels, X.rows(), "labels");
  for (Index i = 0; i < labels.size(); ++i)
    if (labels[i] != 1.0 && labels[i] != -1.0)
      throw InvalidArgument({.argument = "labels", .value = fmt::format("{}", labels[i]), .row = i + 1, .why = "labels must be -1 or +1"});
  if (weights.size() > 0) validate::vector(weights, X.rows(), "weights");
  for (Index i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0))
      throw InvalidArgument(
          {.argument = "weights", .value = fmt::format("{}", weights[i]), .row = i + 1, .why = "weights must not be negative"});
  const blas::ThreadScope threads(s.threads);
  const Vector y = labels.eigen();
  const Vector k = weights.size() > 0 ? Vector(weights.eigen()) : Vector::Ones(X.rows());
  if (order == RowOrder::as_given)
    s.absorb(X, y, k);
  else
    s.absorb(X, y, order_by_content(X, y, k));
  s.num_rows += (k.array() > 0).count();
}

const Vector& SequentialLogistic::mean() const { return state_->w; }
Matrix SequentialLogistic::covariance() const { return state_->V.selfadjointView<Eigen::Lower>(); }
double SequentialLogistic::log_det_V() const { return state_->log_det_V; }
Index SequentialLogistic::num_rows() const { return state_->num_rows; }
double SequentialLogistic::precision() const { return state_->precision; }
double SequentialLogistic::bound() const {
  return state_->sum_xi + 0.5 * state_->quadratic + 0.5 * state_->log_det_V - 0.5 * state_->prior_log_det;
}

namespace {

// Without Solution::rows.
Solution solution_without_rows(const SequentialLogistic& filter, double precision) {
  const Matrix V = filter.covariance();
  const Index p = V.rows();
  Solution out;
  out.prior = PriorKind::none;
  out.group.assign(static_cast<std::size_t>(p), Partition::fixed);
  out.log_det_V = filter.log_det_V();
  out.num_in_use = p;
  out.relevance = (1 - precision * V.diagonal().array()).max(0.0);
  out.relevant.assign(static_cast<std::size_t>(p), true);
  out.effective_parameters = out.relevance.sum();
  Report& report = out.report;
  report.status = Status::converged;
  report.sweeps = 1;
  report.bound = filter.bound();
  report.bound_history = {report.bound};
  report.solver = SolverKind::sequential;
  report.solver_reason = "one observation at a time";
  report.message = fmt::format("one pass over {} rows; the result depends on their order", filter.num_rows());
  out.factor = triangular_factor_of(V);
  if (out.factor.kind == CovarianceFactor::Kind::none) {
    out.usable = false;
    report.status = Status::not_positive_definite;
    report.message =
        "because of rounding, the covariance is not positive definite: the columns are too far from zero, too large or too similar";
    return out;
  }
  out.w = filter.mean();
  out.V_diagonal = V.diagonal();
  Vector half = out.w;  // w'V^-1 w = ||M'^-1 w||^2
  blas::trsv(blas::Transpose::yes, p, out.factor.L_inverse.data(), p, half.data());
  out.quadratic = half.squaredNorm();
  return out;
}

}  // namespace

LogisticFit SequentialLogistic::fit(const std::vector<std::string>& column_names) const {
  const Index p = state_->p;
  if (!column_names.empty() && static_cast<Index>(column_names.size()) != p)
    throw wrong_size("column_names", column_names.size(), fmt::format("it must have one per column: {}", p));
  Frame frame;
  frame.options.likelihood = LogisticLikelihood::bound;
  frame.task = Task::logistic;
  frame.classes = {"-1", "1"};
  frame.names = complete_names(column_names, p);
  frame.left_out.assign(static_cast<std::size_t>(p), false);
  frame.rows = static_cast<double>(num_rows());
  return {assemble(frame, solution_without_rows(*this, state_->precision))};
}

namespace {

// Each column says 1 - relevance = precision V_jj; the one with the least relevance says it with the most digits.
double precision_of(const Fit& fit, std::optional<double> given) {
  Index j = 0;
  const double left = 1 - fit.relevance.minCoeff(&j), found = left / fit.V_diagonal[j];
  const double expected = given.value_or(static_cast<double>(fit.num_columns()));
  const double rounding = 16 * std::numeric_limits<double>::epsilon() / left;
  if (!(left > 0) || std::abs(found - expected) <= rounding * expected) return expected;
  if (given) throw wrong("precision", *given, fmt::format("that of the model is {}", found));
  return found;
}

}  // namespace

SequentialLogistic SequentialLogistic::from_fit(const Fit& fit, const SequentialOptions& options) {
  if (fit.report.solver != SolverKind::sequential || fit.state == nullptr || fit.state->factor.kind != CovarianceFactor::Kind::triangular)
    throw InvalidArgument(
        "the model was fitted to all of its rows together, so no rows can be added; fit all rows again, or absorb them one by one from "
        "the start (sequential regression)");
  if (options.precision) validate::positive(*options.precision, "precision");
  SequentialOptions all = options;
  all.precision = precision_of(fit, options.precision);
  SequentialLogistic filter(fit.num_columns(), all);
  State& s = *filter.state_;  // (SEQ.7)
  s.num_rows = static_cast<Index>(fit.num_rows);
  s.w = fit.state->w;
  s.V = fit.state->factor.covariance(s.p);
  s.log_det_V = fit.log_det_V;
  s.quadratic = fit.state->quadratic;
  s.sum_xi = fit.bound - 0.5 * (s.quadratic + s.log_det_V - s.prior_log_det);
  return filter;
}

}  // namespace ardvark

namespace ardvark::internal {

Solution solve_sequentially(const Frame& frame) {
  const Index n = frame.X.rows(), p = frame.num_columns();
  const RowOrder order = frame.options.row_order;
  SequentialLogistic filter(p);
  filter.update(frame.X.dense("preset 'vb_logit_fit_iter'"), Vector(2 * frame.target.array() - 1), {}, order);
  Solution out = solution_without_rows(filter, static_cast<double>(p));
  if (order == RowOrder::by_content) out.report.message = fmt::format("one pass over {} rows, ordered by content", n);
  if (!out.usable) return out;
  const auto design = frame.design();
  out.rows = {Vector(n), Vector(n)};
  design->apply(out.w, out.rows.m);
  out.factor.row_variance(*design, out.rows.s);
  return out;
}

}  // namespace ardvark::internal
