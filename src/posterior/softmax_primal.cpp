// V^-1 as one matrix of all weights, ordered by class.                                              docs/math/softmax.md, ridge.md
// (RIDGE.8)
#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "design/column_subset.hpp"
#include "posterior/softmax_solver.hpp"

namespace ardvark::internal {
namespace {

class ClassPrimal final : public ClassSolver {
 public:
  ClassPrimal(Design& X, ClassWeights weights, const ClassLikelihood& likelihood)
      : weights_(std::move(weights)), n_(X.rows()), P_(weights_.size()), C_(likelihood.num_classes()) {
    std::vector<Index> all = weights_.column;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    Z_.resize(n_, static_cast<Index>(all.size()));
    ColumnSubset(X, all).columns(0, Z_.cols(), Z_);
    begin_.assign(static_cast<std::size_t>(C_) + 1, P_);
    for (Index i = P_ - 1; i >= 0; --i)
      for (Index c = 0; c <= class_of(i); ++c) begin_[static_cast<std::size_t>(c)] = i;
    for (const Index j : weights_.column) place_.push_back(std::lower_bound(all.begin(), all.end(), j) - all.begin());
    H_.resize(P_, P_);
    panel_.resize(std::min(block, n_), P_);
    for (Index c = 0; c < C_; ++c) own_.emplace_back(count(c), count(c));
  }

  [[nodiscard]] SolverKind kind() const override { return SolverKind::primal; }

  void begin(const Vector& a, const Vector& w) override {
    a_ = a;
    w_ = w;
    is_current_ = false;
    apply(w_, F_);
  }
  [[nodiscard]] const Matrix& scores() const override { return F_; }
  [[nodiscard]] double penalty() const override { return a_.dot(w_.cwiseAbs2()); }

  // delta = V (X'e - A w)                                                                                                      (SMX.3)
  [[nodiscard]] bool step(const SoftmaxRows& rows, double& length) override {
    rows_ = rows;
    if (!is_current_) {
      rows.hessian == nullptr ? hessian(rows) : copy(*rows.hessian);
      if (!blas::potrf(P_, H_.data(), P_)) return false;
      inverted_ = false;
    }
    is_current_ = rows.hessian != nullptr;  // it is the same everywhere
    outlook_.assign(static_cast<std::size_t>(C_), {});
    Vector gradient(P_);
    const Matrix projected = Z_.transpose() * rows.E;
    for (Index i = 0; i < P_; ++i) gradient[i] = projected(place(i), class_of(i)) - a_[i] * w_[i];
    delta_ = gradient;
    blas::trsv(blas::Transpose::no, P_, H_.data(), P_, delta_.data());
    length = delta_.squaredNorm();
    blas::trsv(blas::Transpose::yes, P_, H_.data(), P_, delta_.data());
    w_before_ = w_;
    F_before_ = F_;
    apply(delta_, F_delta_);
    move(1);
    return std::isfinite(length);
  }
  void move(double part) override {
    w_ = w_before_ + part * delta_;
    F_ = F_before_ + part * F_delta_;
  }

  void weights(Vector& w) override { w = w_; }
  [[nodiscard]] bool variances(Vector& V, double& log_det) override {
    log_det = log_det_gauge_ - 2 * H_.diagonal().array().log().sum();
    if (!invert()) return false;
    V.resize(P_);
    for (Index i = 0; i < P_; ++i) V[i] = H_.col(i).tail(P_ - i).squaredNorm() - gauge_[i];
    return V.allFinite() && std::isfinite(log_det);
  }

  // Of the columns of L^-1 the mean is taken away before they are squared: V_jj - 1/(aC) would be a small difference of large numbers if
  // the data say much more of a weight than the prior.                                                                            (SMX.11)
  [[nodiscard]] Vector centred_variances(const Vector& V) override {
    Vector out = V;
    if (!invert()) return out;
    const Index each = P_ / C_;
    for (Index j = 0; j < each; ++j) {
      if (weights_.flat[static_cast<std::size_t>(j)]) continue;
      Vector mean = Vector::Zero(P_);
      for (Index i = j; i < P_; i += each) mean.tail(P_ - i) += H_.col(i).tail(P_ - i) / static_cast<double>(C_);
      for (Index i = j; i < P_; i += each) out[i] = mean.head(i).squaredNorm() + (H_.col(i) - mean).tail(P_ - i).squaredNorm();
    }
    return out;
  }

  // U x = L^-1 [X_d' diag(omega_dc) x]: the part of a column of class c that the weights explain.                                (SMX.6)
  void curvature(Index c, const Eigen::Ref<const Matrix>& columns, Vector& S) override {
    Matrix& U = outlook_[static_cast<std::size_t>(c)];
    Vector own(n_);
    for (Index n = 0; n < n_; ++n) own[n] = rows_.D(n, c) * others(rows_.P, n, c);
    if (U.size() == 0) {
      U.resize(P_, n_);
      for (Index i = 0; i < P_; ++i) {
        const Index d = class_of(i);
        if (d == c)
          U.row(i) = own.cwiseProduct(Z_.col(place(i)));
        else
          U.row(i) = -rows_.D.col(c).cwiseProduct(rows_.P.col(d)).cwiseProduct(Z_.col(place(i)));
      }
      if (!invert()) U.setZero();
      blas::trmm(blas::Side::left, blas::Transpose::no, P_, n_, H_.data(), P_, U.data(), P_);
    }
    S = columns.cwiseAbs2().transpose() * own - (U * columns).colwise().squaredNorm().transpose();
  }

  [[nodiscard]] ClassCovariance covariance() override {
    ClassCovariance V;
    if (!invert()) return V;
    V.kind = ClassCovariance::Kind::triangular;
    V.num_classes = C_;
    V.class_of = weights_.class_of;
    V.column = weights_.column;
    V.L_inverse = H_.triangularView<Eigen::Lower>();
    return V;
  }

 private:
  static constexpr Index block = 256;  // rows
  [[nodiscard]] Index class_of(Index i) const { return weights_.class_of[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Index column(Index i) const { return weights_.column[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Index place(Index i) const { return place_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Index first(Index c) const { return begin_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] Index count(Index c) const { return first(c + 1) - first(c); }

  void apply(const Vector& w, Matrix& F) const {
    Matrix W = Matrix::Zero(Z_.cols(), C_);
    for (Index i = 0; i < P_; ++i) W(place(i), class_of(i)) = w[i];
    F.noalias() = Z_ * W;
  }

  // H <- diag(a) + sum_n omega_n,cd x_n x_n', one block of rows after another: first -k p p' for all classes, then the diagonal blocks
  // k p (1 - p), where a difference would cancel. gauge() adds a term for each flat column.
  void hessian(const SoftmaxRows& rows) {
    H_.triangularView<Eigen::Lower>().setZero();
    for (Matrix& own : own_) own.setZero();
    for (Index row = 0; row < n_; row += block) {
      const Index m = std::min(block, n_ - row), ld = panel_.rows();
      for (Index i = 0; i < P_; ++i)
        panel_.col(i).head(m) = Z_.col(place(i)).segment(row, m).array() *
                                (rows.D.col(class_of(i)).segment(row, m).array() * rows.P.col(class_of(i)).segment(row, m).array()).sqrt();
      blas::syrk(blas::Transpose::yes, P_, m, -1.0, panel_.data(), ld, 1.0, H_.data(), P_);
      Vector root(m);
      for (Index c = 0; c < C_; ++c) {
        if (count(c) == 0) continue;
        for (Index n = 0; n < m; ++n) root[n] = std::sqrt(rows.D(row + n, c) * others(rows.P, row + n, c));
        for (Index i = first(c); i < first(c + 1); ++i) panel_.col(i).head(m) = Z_.col(place(i)).segment(row, m).cwiseProduct(root);
        Matrix& own = own_[static_cast<std::size_t>(c)];
        blas::syrk(blas::Transpose::yes, count(c), m, 1.0, panel_.col(first(c)).data(), ld, 1.0, own.data(), count(c));
      }
    }
    for (Index c = 0; c < C_; ++c)
      H_.block(first(c), first(c), count(c), count(c)).triangularView<Eigen::Lower>() = own_[static_cast<std::size_t>(c)];
    gauge();
    H_.diagonal() += a_;
  }

  // The same from a matrix of the weights of all columns: X is then the unit matrix.
  void copy(const Matrix& all) {
    for (Index j = 0; j < P_; ++j)
      for (Index i = j; i < P_; ++i) H_(i, j) = all(class_of(i) * n_ + column(i), class_of(j) * n_ + column(j));
    gauge();
    H_.diagonal() += a_;
  }

  // A number added to all weights of a flat column changes nothing. So kappa v v' is added in this direction, v = 1/sqrt(C). Then V is that
  // of the other directions plus v v'/kappa, for any kappa. (SMX.5)
  void gauge() {
    gauge_ = Vector::Zero(P_);
    log_det_gauge_ = 0;
    std::vector<std::vector<Index>> flat(static_cast<std::size_t>(Z_.cols()));
    for (Index i = 0; i < P_; ++i)
      if (weights_.flat[static_cast<std::size_t>(i)]) flat[static_cast<std::size_t>(place(i))].push_back(i);
    for (const std::vector<Index>& same : flat) {
      if (same.empty()) continue;
      const auto C = static_cast<double>(C_);
      double kappa = 0;
      for (Index i : same) kappa += H_(i, i) / C;
      if (!(kappa > 0)) kappa = 1;
      for (std::size_t r = 0; r < same.size(); ++r)
        for (std::size_t s = 0; s <= r; ++s) H_(same[r], same[s]) += kappa / C;
      for (Index i : same) gauge_[i] = 1 / (kappa * C);
      log_det_gauge_ += std::log(kappa);
    }
  }

  bool invert() {
    is_current_ = false;
    if (!inverted_) inverted_ = blas::trtri(P_, H_.data(), P_);
    return inverted_;
  }

  ClassWeights weights_;
  Index n_, P_, C_;
  Matrix Z_;                  // the columns of all classes, each once
  std::vector<Index> place_;  // per weight, the place of its column in Z_
  std::vector<Index> begin_;  // first weight of each class
  Matrix H_, panel_;          // H_: first V^-1, then its factor L, then L^-1; lower
  std::vector<Matrix> own_;   // the diagonal blocks of H_
  std::vector<Matrix> outlook_;
  Vector a_, w_, w_before_, delta_, gauge_;
  Matrix F_, F_before_, F_delta_;
  double log_det_gauge_ = 0;
  bool inverted_ = false, is_current_ = false;  // is_current_: H_ is the factor at each point for these a
  SoftmaxRows rows_;                            // the rows of the last step
};

}  // namespace

std::unique_ptr<ClassSolver> make_class_primal(Design& X, ClassWeights weights, const ClassLikelihood& likelihood) {
  return std::make_unique<ClassPrimal>(X, std::move(weights), likelihood);
}

// Compares the costs of one sweep, about three Newton steps.
std::unique_ptr<ClassSolver> make_class_solver(Design& X, ClassWeights weights, const ClassLikelihood& likelihood, SolverKind asked) {
  const auto n = static_cast<double>(X.rows()), P = static_cast<double>(weights.size()), C = static_cast<double>(weights.num_classes);
  const double primal = 3 * (n * P * P + P * P * P / 3) + P * P * P / 3, dual = 3 * (C + 1) * 1.7 * n * n * n + 3 * n * n * P;
  const bool is_dual = asked == SolverKind::dual || (asked != SolverKind::primal && dual < primal);
  return is_dual ? make_class_dual(X, std::move(weights), likelihood) : make_class_primal(X, std::move(weights), likelihood);
}

}  // namespace ardvark::internal
