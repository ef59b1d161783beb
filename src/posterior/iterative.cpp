// The iterative solver: one precision a for all penalised columns, rows that never change, and neither a p x p nor an n x n matrix. Means
// come from conjugate gradients, traces and ln|V| from Lanczos' method with random vectors, variances from draws of the posterior.
//                                                                                        docs/math/ridge.md (RIDGE.12) to (RIDGE.15)
#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/normals.hpp"
#include "core/products.hpp"
#include "core/pulse.hpp"
#include "design/some_products.hpp"
#include "posterior/krylov.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

using products::times;
using products::transposed_times;

constexpr Index num_probes = 32;
constexpr Index most_steps = 2000;                      // of Lanczos' method
constexpr double of_response = 1e-7, of_probes = 1e-3;  // relative errors of Gauss' quadrature, as their roots
constexpr double of_mean = 1e-6;                        // largest error of a mean, in its standard deviations
constexpr double of_draw = 1e-2;                        // the same of a draw
constexpr double enough_for_draws = 0.05;               // relative error of the standard deviations
constexpr double least_for_single = 1e-4;               // of the largest eigenvalue: the precision with which single precision serves
constexpr double most_of_steps = 256e6;                 // bytes
constexpr Index fewest_draws = 64, most_draws = 256;

// P D X of the penalised columns, with D = diag(omega)^1/2, and P = I - QQ' without what the flat columns F explain.         (RIDGE.7)
class PenalisedRows {
 public:
  PenalisedRows(Design& X, const Partition& partition, const Vector& omega)
      : X_(X), root_(omega.cwiseSqrt()), is_penalised_(Vector::Zero(partition.num_columns())) {
    for (Index j = 0; j < partition.num_columns(); ++j)
      if (partition.group[static_cast<std::size_t>(j)] >= 0) is_penalised_[j] = 1;
    const auto f = partition.num_flat();
    F_.resize(X.rows(), f);
    for (Index k = 0; k < f; ++k) X.columns(partition.flat_columns[static_cast<std::size_t>(k)], 1, F_.middleCols(k, 1));
    is_usable_ = orthonormalise();
    if (!is_usable_) return;
    Matrix products;
    X_.project_several(root_.asDiagonal() * Q_, products);
    QX_ = is_penalised_.asDiagonal() * products;
    squares_ = is_penalised_.cwiseProduct(column_squares() - QX_.rowwise().squaredNorm()).cwiseMax(0.0);
  }

  [[nodiscard]] bool is_usable() const { return is_usable_; }  ///< the flat columns are independent
  [[nodiscard]] Index rows() const { return root_.size(); }
  [[nodiscard]] Index num_flat() const { return F_.cols(); }
  [[nodiscard]] const Vector& root() const { return root_; }
  [[nodiscard]] const Vector& is_penalised() const { return is_penalised_; }  ///< [columns] 1 or 0
  [[nodiscard]] Index num_penalised() const { return static_cast<Index>(is_penalised_.sum()); }
  [[nodiscard]] const Vector& squares() const { return squares_; }  ///< [columns] z~_j'z~_j
  [[nodiscard]] const Matrix& R() const { return R_; }              ///< R'R = (F' diag(omega) F)^-1
  [[nodiscard]] Matrix B() const { return transposed_times(R_, QX_.transpose()); }
  [[nodiscard]] double log_det_H() const { return -2 * R_.diagonal().array().log().sum(); }

  /// W is 0 outside the penalised columns.
  [[nodiscard]] Matrix to_rows(const Matrix& W, Products products = Products::double_precision) const {
    Matrix out;
    if (W.cols() == 1) {
      Vector product(rows());
      X_.apply(W.col(0), product);
      out = product;
    } else {
      products == Products::single_precision ? apply_in_single(X_, W, out) : X_.apply_several(W, out);
    }
    return without_flat(root_.asDiagonal() * out);
  }
  [[nodiscard]] Matrix to_columns(const Matrix& R, Products products = Products::double_precision) const {
    Matrix out;
    const Matrix response = root_.asDiagonal() * without_flat(R);
    if (R.cols() == 1) {
      Vector product(X_.cols());
      X_.project(response.col(0), product);
      out = product;
    } else {
      products == Products::single_precision ? project_in_single(X_, response, out) : X_.project_several(response, out);
    }
    return is_penalised_.asDiagonal() * out;
  }
  [[nodiscard]] Matrix without_flat(Matrix R) const {
    if (num_flat() > 0) R -= times(Q_, transposed_times(Q_, R));
    return R;
  }
  /// Weights of the flat columns for a response r if the penalised columns explain m of the rows.
  [[nodiscard]] Vector flat_weights(const Vector& r, const Vector& m) const {
    return R_.transpose() * (R_ * (F_.transpose() * (r - root_.cwiseAbs2().cwiseProduct(m))));
  }
  [[nodiscard]] const Matrix& F() const { return F_; }

 private:
  // Q = D F R' by Cholesky, twice: once loses digits if the flat columns are nearly dependent.
  bool orthonormalise() {
    const Index f = F_.cols();
    Q_ = root_.asDiagonal() * F_;
    R_ = Matrix::Identity(f, f);
    for (int turn = 0; turn < 2 && f > 0; ++turn) {
      const Matrix gram = transposed_times(Q_, Q_);
      Matrix L = gram;
      if (!blas::potrf(f, L.data(), f) || (turn == 0 && collinear(gram, L))) return false;
      L.triangularView<Eigen::StrictlyUpper>().setZero();
      if (!blas::trtri(f, L.data(), f)) return false;
      Q_ = times(Q_, L.transpose());
      R_ = (L * R_).eval();
    }
    return true;
  }

  // x_j' diag(omega) x_j
  [[nodiscard]] Vector column_squares() const {
    const Vector omega = root_.cwiseAbs2();
    const double total = omega.sum();
    Vector out(X_.cols());
    const Index threads = blas::threads_to_read(X_.rows() * X_.cols());
    products::tiles(X_.cols(), threads, [&](Index first, Index count) {
      Matrix column(X_.rows(), 1);
      SparseColumn entries;
      for (Index j = first; j < first + count; ++j) {
        if (!X_.entries_of(j, entries)) {
          X_.columns(j, 1, column);
          out[j] = column.col(0).cwiseAbs2().dot(omega);
          continue;
        }
        double sum = entries.shift * entries.shift * total;
        for (std::size_t e = 0; e < entries.row.size(); ++e)
          sum += omega[entries.row[e]] * entries.value[e] * (entries.value[e] + 2 * entries.shift);
        out[j] = sum;
      }
    });
    return out;
  }

  Design& X_;
  Vector root_, is_penalised_, squares_;
  Matrix F_, Q_, R_, QX_;
  bool is_usable_ = false;
};

// The mean of a form z'f(S)z over random vectors z, times the dimension: tr f(S). As tr I and tr S are known, only what z'z and z'Sz do
// not explain of it is random.                                                                                              (RIDGE.13)
SampledNumber trace_of(const Vector& form, const Vector& first, const Vector& squares, double dimension, double trace) {
  const auto m = static_cast<double>(form.size());
  const Vector value = dimension * form.cwiseQuotient(squares), known = dimension * first;
  const Vector off = value.array() - value.mean(), known_off = known.array() - known.mean();
  const double slope = known_off.squaredNorm() > 0 ? off.dot(known_off) / known_off.squaredNorm() : 0.0;
  return {value.mean() + slope * (trace - known.mean()), std::sqrt((off - slope * known_off).squaredNorm() / ((m - 2) * m))};
}

// Sums over the draws, of a column's deviation d, of u = -z~'e and of the normal variate of its prior, b.                       (RIDGE.15)
struct DrawSums {
  Vector dd, du, db, uu, bb, ub;
  double draws = 0;
  explicit DrawSums(Index size) : dd(Vector::Zero(size)), du(dd), db(dd), uu(dd), bb(dd), ub(dd) {}
  void add(const Matrix& d, const Matrix& u, const Matrix& b) {
    dd += d.cwiseAbs2().rowwise().sum();
    du += d.cwiseProduct(u).rowwise().sum();
    db += d.cwiseProduct(b).rowwise().sum();
    uu += u.cwiseAbs2().rowwise().sum();
    bb += b.cwiseAbs2().rowwise().sum();
    ub += u.cwiseProduct(b).rowwise().sum();
    draws += static_cast<double>(d.cols());
  }
  /// The most likely variance of column j, whose z~'z~ is s, and its relative error. With v = (1 + t)/(s + a + a t) is the variance of d
  /// given u and b equal to dv / d ln t.
  [[nodiscard]] SampledNumber variance(Index j, double s, double a) const {
    if (!(s > 1e-12 * a)) return {1 / (a + s), 0};
    const double D = s + a, root = std::sqrt(a);
    const double yy = dd[j] - 2 * du[j] / s + uu[j] / (s * s), yt = root * db[j] - a / s * du[j] - root / s * ub[j] + a / (s * s) * uu[j],
                 tt = a * bb[j] - 2 * a * root / s * ub[j] + a * a / (s * s) * uu[j];
    const auto at = [&](double log_t) { return (1 + std::exp(log_t)) / (D + a * std::exp(log_t)); };
    double guess = std::clamp(dd[j] / draws, 1 / D + 1e-3 * (1 / a - 1 / D), 1 / a - 1e-3 * (1 / a - 1 / D));
    double log_t = std::log((D * guess - 1) / (1 - a * guess)), information = 1;
    for (int step = 0; step < 50; ++step) {
      const double v = at(log_t), rest = (1 - a * v) * (D * v - 1) / s, slope = (D + a - 2 * a * D * v) / s;
      const double score = yt - v * tt + slope * ((yy - 2 * v * yt + v * v * tt) / rest - draws) / 2;
      information = draws * (a * D / s * rest + slope * slope / 2);
      const double change = std::clamp(score / information, -1.0, 1.0);
      log_t = std::clamp(log_t + change, -30.0, 30.0);
      if (std::abs(change) < 1e-8) break;
    }
    const double v = at(log_t), rest = (1 - a * v) * (D * v - 1) / s;
    return {v, rest / (v * std::sqrt(information))};
  }
};

class Iterative final : public Solver {
 public:
  Iterative(System system, std::uint64_t seed) : system_(system), seed_(seed) {}

  [[nodiscard]] SolverKind kind() const override { return SolverKind::iterative; }

  [[nodiscard]] bool solve(const Rows& rows, const Vector& a_columns, Posterior& q) override {
    if (rows_ == nullptr && !prepare(rows)) return false;
    const double a = precision_in(a_columns), p = static_cast<double>(rows_->num_penalised());
    remaining_ = advance(*response_, square_of_rows(), a, of_response);
    double of_forms = advance(*probes_, square(products_), a, of_probes);
    if (products_ == Products::single_precision && a < least_for_single * probes_->largest()) {  // rounding is relative to the largest
      products_ = Products::double_precision;
      start_probes();
      of_forms = advance(*probes_, square(products_), a, of_probes);
    }
    remaining_ = std::max(remaining_, of_forms);

    const Lanczos::Solved x = response_->solve(0, a);
    Vector inverse(probes_->count()), logarithm(probes_->count()), first(probes_->count());
    for (Index i = 0; i < inverse.size(); ++i) {
      inverse[i] = probes_->solve(i, a).zx;
      logarithm[i] = probes_->log_form(i, a);
      first[i] = probes_->first(i);
    }
    const double dimension = static_cast<double>(is_dual_ ? rows_->rows() - rows_->num_flat() : rows_->num_penalised());
    const double trace = rows_->squares().sum();
    const SampledNumber of_inverse = trace_of(inverse, first, probes_->squares(), dimension, trace);
    const SampledNumber log_det = trace_of(logarithm, first, probes_->squares(), dimension, trace);
    sampled_.trace = {(p - dimension) / a + of_inverse.value, of_inverse.error};
    sampled_.bound_error = log_det.error / 2;
    q.residual = a * a * x.xx;
    q.group_square[0] = x.xSx;
    q.group_variance[0] = sampled_.trace.value;
    q.penalty = a * x.xSx;
    q.log_det_V = -(p - dimension) * std::log(a) - log_det.value - rows_->log_det_H();
    // Left-out columns: w_j = 0, V_jj = 1 at precision 1.
    q.fixed_variance = static_cast<double>(system_.partition.num_left_out());
    q.explained = static_cast<double>(system_.partition.num_columns()) - a * sampled_.trace.value - q.fixed_variance;
    return std::isfinite(q.log_det_V) && std::isfinite(x.xSx);
  }

  [[nodiscard]] bool finish(const Rows& rows, const Vector& a_columns, Posterior& q) override {
    if (!solve(rows, a_columns, q)) return false;
    a_ = precision_in(a_columns);
    // An error of the residual moves no mean by more than this many standard deviations.                                      (RIDGE.12)
    const double noise = std::sqrt((q.residual + q.penalty) / std::max(q.total_weight, 1.0));
    const double most = of_mean * noise;
    while (response_->steps() < most_steps && response_->solve(0, a_).remaining > 0.25 * most) response_->advance(square_of_rows());
    Matrix x = response_->solution(a_), correction;
    if (x.size() == 0) x = Matrix::Zero(rows_->rows(), 1);
    const Matrix rest = target_ - square_of_rows()(x) - a_ * x;
    const double left = solve_by_gradients(square_of_rows(), square_of_rows(), a_, rest, most, correction);
    if (left > most) remaining_ = std::max(remaining_, left / noise / of_mean);
    x += correction;
    q.w = rows_->to_columns(x);
    system_.X.apply(q.w, q.m);
    const Vector flat = rows_->flat_weights(rows.r, q.m);
    for (Index k = 0; k < flat.size(); ++k) q.w[system_.partition.flat_columns[static_cast<std::size_t>(k)]] = flat[k];
    q.m += rows_->F() * flat;
    draw(q);
    return q.w.allFinite() && q.V_diagonal.allFinite();
  }

  [[nodiscard]] Vector precision_diagonal(const Posterior& q) override {
    Vector out = q.V_diagonal.cwiseInverse();
    for (Index j = 0; j < out.size(); ++j)
      if (rows_->is_penalised()[j] > 0) out[j] = rows_->squares()[j] + a_;
    const Matrix H_inverse = transposed_times(rows_->R(), rows_->R());
    for (Index k = 0; k < rows_->num_flat(); ++k)  // as in the dual solver
      out[system_.partition.flat_columns[static_cast<std::size_t>(k)]] *=
          rows_->root().cwiseProduct(rows_->F().col(k)).squaredNorm() * H_inverse(k, k);
    return out;
  }

  [[nodiscard]] double variance_of(const Vector& x) override { return variances_of(x)[0]; }

  // V = U'U, U the draws divided by the root of their number.                                                              (RIDGE.15)
  [[nodiscard]] CovarianceFactor factor() override {
    CovarianceFactor c;
    const Index p = system_.partition.num_columns();
    c.kind = CovarianceFactor::Kind::reduced;
    c.flat_columns = system_.partition.flat_columns;
    c.d = Vector::Zero(p);
    c.T = Matrix(0, p);
    c.B = rows_->B();
    c.R = rows_->R();
    c.U = draws_;
    return c;
  }

  [[nodiscard]] std::optional<SampledPosterior> sampled() const override { return sampled_; }
  [[nodiscard]] double remaining() const override { return remaining_; }

 private:
  bool prepare(const Rows& rows) {
    auto penalised = std::make_unique<PenalisedRows>(system_.X, system_.partition, rows.omega);
    if (!penalised->is_usable()) return false;
    rows_ = std::move(penalised);
    const Vector& root = rows_->root();
    target_ = rows_->without_flat((root.array() > 0).select(rows.r.array() / root.array(), 0.0).matrix());
    response_ = std::make_unique<Lanczos>(target_, most_of_steps);
    is_dual_ = rows_->rows() < rows_->num_penalised();
    start_probes();
    return true;
  }

  void start_probes() {
    Normals random(seed_);
    Matrix start(is_dual_ ? rows_->rows() : system_.partition.num_columns(), num_probes);
    for (double& z : start.reshaped()) z = random.uniform() < 0.5 ? -1 : 1;
    start = is_dual_ ? rows_->without_flat(std::move(start)) : Matrix(rows_->is_penalised().asDiagonal() * start);
    probes_ = std::make_unique<Lanczos>(std::move(start));
  }

  // Until the error of z'(S + a)^-1 z, relative to it, is at most the square of `most`. Returns the last error in units of `most`.
  static double advance(Lanczos& steps, const SquareProduct& S, double a, double most) {
    const auto left = [&] {
      double largest = 0;
      for (Index i = 0; i < steps.count(); ++i)
        if (const Lanczos::Solved x = steps.solve(i, a); x.zx > 0) largest = std::max(largest, x.remaining / std::sqrt(a * x.zx));
      return steps.steps() > 0 ? largest / most : 2.0;
    };
    double now = left();
    while (now > 1 && steps.steps() < most_steps) {
      steps.advance(S);
      now = left();
    }
    return now;
  }

  [[nodiscard]] double precision_in(const Vector& a) const {
    for (Index j = 0; j < a.size(); ++j)
      if (rows_->is_penalised()[j] > 0) return a[j];
    return 1.0;
  }

  [[nodiscard]] SquareProduct square_of_rows(Products products = Products::double_precision) const {
    return [this, products](const Matrix& V) { return rows_->to_rows(rows_->to_columns(V, products), products); };
  }
  [[nodiscard]] SquareProduct square_of_columns(Products products = Products::double_precision) const {
    return [this, products](const Matrix& V) { return rows_->to_columns(rows_->to_rows(V, products), products); };
  }
  [[nodiscard]] SquareProduct square(Products products) const { return is_dual_ ? square_of_rows(products) : square_of_columns(products); }

  Matrix solved(const SquareProduct& S, const SquareProduct& quick, const Matrix& B, double most) {
    Matrix X;
    const double left = solve_by_gradients(S, quick, a_, B, most, X);
    if (left > most) remaining_ = std::max(remaining_, left / most);
    return X;
  }

  // x'Vx of each column of x [columns, any]
  Vector variances_of(const Matrix& x) {
    const std::vector<Index>& flat = system_.partition.flat_columns;
    const Matrix f = x(flat, Eigen::all);
    const Matrix z = rows_->is_penalised().asDiagonal() * (x - transposed_times(rows_->B(), f));
    Vector out = (rows_->R() * f).colwise().squaredNorm();
    const double size = z.colwise().norm().maxCoeff();
    const bool matters =
        size * size / a_ > 1e-12 * (out.size() > 0 ? out.minCoeff() : 0.0);  // of centred columns, z of the intercept is rounding
    if (matters) out += z.cwiseProduct(solved(square_of_columns(), square_of_columns(), z, 1e-8 * size)).colwise().sum().transpose();
    for (Index j = 0; j < x.rows(); ++j)
      if (system_.partition.group[static_cast<std::size_t>(j)] == Partition::left_out) out += x.row(j).cwiseAbs2().transpose();
    return out;
  }

  // Deviations from the mean that have the covariance V, of the penalised columns; u and b as DrawSums has them.             (RIDGE.14)
  Matrix deviations(Normals& random, Index count, Matrix& u, Matrix& b) {
    Matrix e(rows_->rows(), count);
    b = Matrix(system_.partition.num_columns(), count);
    for (double& z : e.reshaped()) z = random();
    for (double& z : b.reshaped()) z = random();
    b = (rows_->is_penalised().asDiagonal() * b).eval();
    u = -rows_->to_columns(e);
    const auto solution = [&](const Matrix& right, double most) {
      return solved(square(Products::double_precision), square(products_), right, most);
    };
    if (!is_dual_) return solution(u + std::sqrt(a_) * b, of_draw * std::sqrt(a_));
    const Matrix prior = b / std::sqrt(a_);
    return prior - rows_->to_columns(solution(rows_->without_flat(std::move(e)) + rows_->to_rows(prior), of_draw));
  }

  void draw(Posterior& q) {
    const Index p = system_.partition.num_columns();
    const Index width = std::clamp<Index>((Index{1} << 22) / std::max(rows_->rows(), p) / 8 * 8, 8, 32);
    Normals random(seed_ + 1);
    DrawSums sums(p);
    draws_.resize(0, 0);
    Vector error(p);
    const auto judge = [&] {
      for (Index j = 0; j < p; ++j) {
        if (rows_->is_penalised()[j] == 0) continue;
        const SampledNumber v = sums.variance(j, rows_->squares()[j], a_);
        q.V_diagonal[j] = v.value;
        error[j] = v.error / 2;
      }
      sampled_.sd_error = std::sqrt(error.squaredNorm() / static_cast<double>(rows_->num_penalised()));
    };
    q.V_diagonal = (1 - rows_->is_penalised().array()).matrix();
    error.setZero();
    std::vector<Matrix> all;
    Matrix u, b;
    while (sums.draws < most_draws) {
      all.push_back(deviations(random, width, u, b));
      sums.add(all.back(), u, b);
      if (sums.draws < fewest_draws) continue;
      judge();
      if (sampled_.sd_error <= enough_for_draws) break;
    }
    sampled_.draws = static_cast<Index>(sums.draws);
    draws_.resize(sampled_.draws, p);
    for (std::size_t i = 0; i < all.size(); ++i) draws_.middleRows(static_cast<Index>(i) * width, width) = all[i].transpose();
    draws_ /= std::sqrt(sums.draws);
    const std::vector<Index>& flat = system_.partition.flat_columns;
    if (flat.empty()) return;
    Matrix unit = Matrix::Zero(p, rows_->num_flat());
    for (std::size_t k = 0; k < flat.size(); ++k) unit(flat[k], static_cast<Index>(k)) = 1;
    q.V_diagonal(flat) = variances_of(unit);
  }

  System system_;
  std::uint64_t seed_;
  std::unique_ptr<PenalisedRows> rows_;
  std::unique_ptr<Lanczos> response_, probes_;
  bool is_dual_ = false;
  Products products_ = Products::single_precision;  // of the probes
  Matrix target_;                                   // [n, 1] D^-1 r without what the flat columns explain
  Matrix draws_;                                    // [draws, columns]
  double a_ = 1;                                    // of finish()
  double remaining_ = 1;
  SampledPosterior sampled_;
};

}  // namespace

std::unique_ptr<Solver> make_iterative(System system, std::uint64_t seed) { return std::make_unique<Iterative>(system, seed); }

}  // namespace ardvark::internal
