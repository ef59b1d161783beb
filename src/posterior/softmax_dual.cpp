// For many more columns than rows: an n x n matrix for each class, and one for all classes.               docs/math/softmax.md (SMX.4)
#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/rearrange.hpp"
#include "design/column_subset.hpp"
#include "posterior/softmax_solver.hpp"

namespace ardvark::internal {
namespace {

constexpr auto no = blas::Transpose::no, yes = blas::Transpose::yes;

void product(blas::Transpose transpose_a, const Matrix& A, const Eigen::Ref<const Matrix>& B, Matrix& out) {
  const Index m = transpose_a == no ? A.rows() : A.cols(), k = transpose_a == no ? A.cols() : A.rows();
  out.resize(m, B.cols());
  if (out.size() > 0) blas::gemm(transpose_a, no, m, B.cols(), k, 1.0, A.data(), A.rows(), B.data(), B.outerStride(), 0.0, out.data(), m);
}

// K_c = Z A_c^-1 Z' over the penalised columns of class c, F the flat columns, Omega of all classes [nC, nC].
//
//     M = (K + Omega^-1)^-1 = E - E R (sum_c E_c)^-1 R' E,    E_c = (K_c + D_c^-1)^-1,    R = C identity matrices stacked
//     H = F' M F,    M~ = M - M F H^-1 F' M
//
// w = A^-1 Z' g,  u flat: g = b - M (K b + F u), F'g = 0, with b = Omega f + e.                                                    (SMX.4)
class ClassDual final : public ClassSolver {
 public:
  ClassDual(Design& X, ClassWeights weights, const ClassLikelihood& likelihood)
      : X_(X), weights_(std::move(weights)), n_(X.rows()), P_(weights_.size()), C_(likelihood.num_classes()) {
    classes_.resize(static_cast<std::size_t>(C_));
    std::vector<Index> flat;
    for (Index i = 0; i < P_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Index c = weights_.class_of[at];
      if (!weights_.flat[at]) {
        of(c).weight.push_back(i);
        of(c).column.push_back(weights_.column[at]);
        continue;
      }
      if (c == 0) flat.push_back(weights_.column[at]);
      flat_weight_.push_back(i);
    }
    f_ = static_cast<Index>(flat.size());
    F_.resize(n_, f_);
    for (Index k = 0; k < f_; ++k) X_.columns(flat[static_cast<std::size_t>(k)], 1, F_.col(k));
    block_ = std::clamp<Index>((Index{1} << 17) / std::max<Index>(n_, 1), 16, 1024);  // 1 MB
  }

  [[nodiscard]] SolverKind kind() const override { return SolverKind::dual; }

  void begin(const Vector& a, const Vector& w) override {
    a_ = a;
    for (Index c = 0; c < C_; ++c) of(c).inverse = a(of(c).weight).cwiseInverse();
    outer();
    point_ = {};
    base_ = w;
    point_.base = 1;
    point_.g = Matrix::Zero(n_, C_);
    point_.u.resize(f_, C_);
    for (Index i = 0; i < f_ * C_; ++i) point_.u(i % f_, i / f_) = w[flat_weight_[static_cast<std::size_t>(i)]];
    point_.FZ = Matrix::Zero(n_, C_);
    for (Index c = 0; c < C_; ++c)
      over_panels(c, [&](Index first, const auto& panel) { point_.FZ.col(c) += panel * w(of(c).weight).segment(first, panel.cols()); });
    point_.penalty = 0;
    for (Index i = 0; i < P_; ++i)
      if (!weights_.flat[static_cast<std::size_t>(i)]) point_.penalty += a[i] * w[i] * w[i];
    F_now_ = point_.FZ + F_ * point_.u;
  }
  [[nodiscard]] const Matrix& scores() const override { return F_now_; }
  [[nodiscard]] double penalty() const override { return point_.penalty; }

  [[nodiscard]] bool step(const SoftmaxRows& rows, double& length) override {
    if (!factorise(rows)) return false;
    before_ = point_;
    Matrix b(n_, C_), Kb(n_, C_), v;
    for (Index n = 0; n < n_; ++n) {
      const double mean = rows.P.row(n).dot(F_now_.row(n));
      for (Index c = 0; c < C_; ++c) b(n, c) = rows.D(n, c) * (F_now_(n, c) - mean) + rows.E(n, c);
    }
    apply_K(b, Kb);
    apply_M(Kb, v);
    v = b - v;
    target_.u.resize(f_, C_);
    if (f_ > 0) {
      Vector h(f_ * C_);
      for (Index c = 0; c < C_; ++c) h.segment(c * f_, f_) = F_.transpose() * v.col(c);
      h = RH_.transpose() * (RH_ * h);
      target_.u = h.reshaped(f_, C_);
      for (Index c = 0; c < C_; ++c) v.col(c) -= MF_[static_cast<std::size_t>(c)] * h;
    }
    target_.g = v;
    target_.FZ.resize(n_, C_);
    apply_K(target_.g, target_.FZ);
    target_.penalty = target_.FZ.cwiseProduct(target_.g).sum();
    mixed_ = before_.FZ.cwiseProduct(target_.g).sum();                                                // w'A w_new
    length = before_.base == 0 ? (target_.g - before_.g).cwiseProduct(target_.FZ - before_.FZ).sum()  // nothing cancels
                               : std::max(target_.penalty - 2 * mixed_ + before_.penalty, 0.0);
    move(1);
    const Matrix change = F_now_ - before_.FZ - F_ * before_.u;
    for (Index n = 0; n < n_; ++n) {
      const double mean = rows.P.row(n).dot(change.row(n));
      for (Index c = 0; c < C_; ++c) length += rows.D(n, c) * (change(n, c) - mean) * (change(n, c) - mean);
    }
    return std::isfinite(length);
  }

  void move(double t) override {
    point_.base = (1 - t) * before_.base;
    point_.g = (1 - t) * before_.g + t * target_.g;
    point_.u = (1 - t) * before_.u + t * target_.u;
    point_.FZ = (1 - t) * before_.FZ + t * target_.FZ;
    point_.penalty = (1 - t) * (1 - t) * before_.penalty + 2 * t * (1 - t) * mixed_ + t * t * target_.penalty;
    F_now_ = point_.FZ + F_ * point_.u;
  }

  void weights(Vector& w) override {
    w = point_.base * base_;
    for (Index c = 0; c < C_; ++c) {
      const Class& own = of(c);
      over_panels(c, [&](Index first, const auto& panel) {
        const Vector product = panel.transpose() * point_.g.col(c);
        for (Index j = 0; j < panel.cols(); ++j) w[own.weight[static_cast<std::size_t>(first + j)]] += own.inverse[first + j] * product[j];
      });
    }
    for (Index i = 0; i < f_ * C_; ++i) w[flat_weight_[static_cast<std::size_t>(i)]] = point_.u(i % f_, i / f_);
  }

  // V_jj = 1/a_j - x_j'M~_cc x_j / a_j^2                                                                                       (SMX.4)
  [[nodiscard]] bool variances(Vector& V, double& log_det) override {
    log_det = -log_det_;
    V.resize(P_);
    for (Index c = 0; c < C_; ++c) {
      const Class& own = of(c);
      inner(c);
      for (const double inverse : own.inverse) log_det += std::log(inverse);
      Matrix MX;
      over_panels(c, [&](Index first, const auto& panel) {
        product(no, inner_[static_cast<std::size_t>(c)], panel, MX);
        for (Index j = 0; j < panel.cols(); ++j) {
          const double inverse = own.inverse[first + j];
          // Rounding must not make a small variance negative.
          V[own.weight[static_cast<std::size_t>(first + j)]] = inverse * std::max(1 - inverse * panel.col(j).dot(MX.col(j)), 1e-16);
        }
      });
    }
    for (Index i = 0; i < f_ * C_; ++i) V[flat_weight_[static_cast<std::size_t>(i)]] = RH_.col(i).squaredNorm() - gauge_[i % f_];
    return V.allFinite() && std::isfinite(log_det);
  }

  // V_jj - 1/(a_j C)                                                                                                          (SMX.11)
  [[nodiscard]] Vector centred_variances(const Vector& V) override {
    Vector out = V;
    for (const Class& own : classes_)
      for (std::size_t j = 0; j < own.weight.size(); ++j) {
        double& variance = out[own.weight[j]];
        variance = std::max(variance - own.inverse[static_cast<Index>(j)] / static_cast<double>(C_), 1e-16 * variance);
      }
    return out;
  }

  void curvature(Index c, const Eigen::Ref<const Matrix>& columns, Vector& S) override {
    Matrix MX;
    product(no, inner(c), columns, MX);
    S = columns.cwiseProduct(MX).colwise().sum();
  }

  [[nodiscard]] ClassCovariance covariance() override {
    ClassCovariance V;
    V.kind = ClassCovariance::Kind::reduced;
    V.num_classes = C_;
    V.class_of = weights_.class_of;
    V.column = weights_.column;
    V.d = Vector::Zero(P_);
    V.T = Matrix::Zero(n_, P_);
    V.U = Matrix::Zero(n_, P_);
    V.B = Matrix::Zero(P_, f_ * C_);
    V.R = RH_;
    for (Index c = 0; c < C_; ++c) {
      const Class& own = of(c);
      Matrix N = E_[static_cast<std::size_t>(c)];
      blas::trmm(blas::Side::left, no, n_, n_, sum_inverse_.data(), n_, N.data(), n_);
      Matrix TX, UX;
      over_panels(c, [&](Index first, const auto& panel) {
        TX = panel;
        blas::trmm(blas::Side::left, no, n_, panel.cols(), root_[static_cast<std::size_t>(c)].data(), n_, TX.data(), n_);
        product(no, N, panel, UX);
        for (Index j = 0; j < panel.cols(); ++j) {
          const Index i = own.weight[static_cast<std::size_t>(first + j)];
          const double inverse = own.inverse[first + j];
          V.d[i] = inverse;
          V.T.col(i) = inverse * TX.col(j);
          V.U.col(i) = inverse * UX.col(j);
          V.B.row(i) = -inverse * (panel.col(j).transpose() * MF_[static_cast<std::size_t>(c)]);
        }
      });
    }
    for (Index i = 0; i < f_ * C_; ++i) V.B(flat_weight_[static_cast<std::size_t>(i)], i) = 1;
    return V;
  }

 private:
  struct Class {
    std::vector<Index> weight, column;  // the penalised ones
    Vector inverse;                     // 1/a
  };
  // w = base * (the w given to begin()) + A^-1 Z' g, u
  struct Point {
    double base = 0, penalty = 0;
    Matrix g, u, FZ;  // FZ: the scores of the penalised weights
  };
  [[nodiscard]] Class& of(Index c) { return classes_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] const Class& of(Index c) const { return classes_[static_cast<std::size_t>(c)]; }

  void over_panels(Index c, auto&& f) {
    const Class& own = of(c);
    const auto size = static_cast<Index>(own.column.size());
    panel_.resize(n_, block_);
    for (Index first = 0; first < size; first += block_) {
      const Index count = std::min(block_, size - first);
      for (Index from = 0; from < count;) {  // adjacent columns are read together
        const Index start = own.column[static_cast<std::size_t>(first + from)];
        Index run = 1;
        while (from + run < count && own.column[static_cast<std::size_t>(first + from + run)] == start + run) ++run;
        X_.columns(start, run, panel_.middleCols(from, run));
        from += run;
      }
      f(first, panel_.leftCols(count));
    }
  }

  // K_c, computed once for classes with the same columns and precisions, and kept while the precisions change only by a factor.
  void outer() {
    K_.resize(static_cast<std::size_t>(C_));
    K_of_.assign(static_cast<std::size_t>(C_), 0);
    K_scale_.assign(static_cast<std::size_t>(C_), 1.0);
    for (Index c = 0; c < C_; ++c) {
      const auto at = static_cast<std::size_t>(c);
      K_of_[at] = c;
      for (Index d = 0; d < c; ++d)
        if (of(d).column == of(c).column && of(d).inverse == of(c).inverse) K_of_[at] = K_of_[static_cast<std::size_t>(d)];
      if (K_of_[at] != c) {
        K_scale_[at] = K_scale_[static_cast<std::size_t>(K_of_[at])];
        continue;
      }
      const Vector& inverse = of(c).inverse;
      const bool uniform = inverse.size() > 0 && (inverse.array() == inverse[0]).all();
      if (uniform) K_scale_[at] = inverse[0];
      if (uniform && unit_.size() > 0 && unit_columns_ == of(c).column) {
        K_[at] = unit_;
        continue;
      }
      Matrix& K = K_[at];
      K = Matrix::Zero(n_, n_);
      over_panels(c, [&](Index first, auto panel) {
        if (!uniform)
          for (Index j = 0; j < panel.cols(); ++j) panel.col(j) *= std::sqrt(inverse[first + j]);
        blas::syrk(no, n_, panel.cols(), 1.0, panel.data(), n_, 1.0, K.data(), n_);
      });
      mirror(K);
      if (uniform) {
        unit_ = K;
        unit_columns_ = of(c).column;
      }
    }
  }
  [[nodiscard]] const Matrix& K(Index c) const { return K_[static_cast<std::size_t>(K_of_[static_cast<std::size_t>(c)])]; }
  [[nodiscard]] double K_scale(Index c) const { return K_scale_[static_cast<std::size_t>(c)]; }

  void apply_K(const Matrix& v, Matrix& out) const {
    for (Index c = 0; c < C_; ++c) blas::gemv(no, n_, n_, K_scale(c), K(c).data(), n_, v.col(c).data(), 0.0, out.col(c).data());
  }

  // out <- M v
  void apply_M(const Matrix& v, Matrix& out) const {
    out.resize(n_, C_);
    Vector sum = Vector::Zero(n_), product(n_);
    for (Index c = 0; c < C_; ++c) {
      blas::gemv(no, n_, n_, 1.0, E_[static_cast<std::size_t>(c)].data(), n_, v.col(c).data(), 0.0, out.col(c).data());
      sum += out.col(c);
    }
    solve_sum(sum);
    for (Index c = 0; c < C_; ++c) {
      blas::gemv(no, n_, n_, 1.0, E_[static_cast<std::size_t>(c)].data(), n_, sum.data(), 0.0, product.data());
      out.col(c) -= product;
    }
  }
  void solve_sum(Vector& x) const {
    blas::trmv(no, n_, sum_inverse_.data(), n_, x.data());
    blas::trmv(yes, n_, sum_inverse_.data(), n_, x.data());
  }

  // E_c = D^1/2 (I + D^1/2 K D^1/2)^-1 D^1/2, the factor of sum_c E_c, H and ln|V^-1| without ln|A|.
  bool factorise(const SoftmaxRows& rows) {
    E_.resize(static_cast<std::size_t>(C_));
    root_.resize(static_cast<std::size_t>(C_));
    inner_.assign(static_cast<std::size_t>(C_), {});
    sum_inverse_ = Matrix::Zero(n_, n_);
    log_det_ = 0;
    for (Index c = 0; c < C_; ++c) {
      const Vector root = rows.D.col(c).cwiseSqrt();
      Matrix& G = root_[static_cast<std::size_t>(c)];  // L^-1 D^1/2
      G.resize(n_, n_);
      for (Index j = 0; j < n_; ++j)
        G.col(j).tail(n_ - j) = (root[j] * K_scale(c)) * root.tail(n_ - j).cwiseProduct(K(c).col(j).tail(n_ - j));
      G.diagonal().array() += 1;
      if (!blas::potrf(n_, G.data(), n_)) return false;
      log_det_ += 2 * G.diagonal().array().log().sum();
      if (!blas::trtri(n_, G.data(), n_)) return false;
      G.triangularView<Eigen::StrictlyUpper>().setZero();
      for (Index j = 0; j < n_; ++j) G.col(j).tail(n_ - j) *= root[j];
      Matrix& E = E_[static_cast<std::size_t>(c)];
      E.resize(n_, n_);
      blas::syrk(yes, n_, n_, 1.0, G.data(), n_, 0.0, E.data(), n_);
      sum_inverse_.triangularView<Eigen::Lower>() += E;
      mirror(E);
    }
    for (Index n = 0; n < n_; ++n) {
      if (rows.k[n] > 0)
        log_det_ -= std::log(rows.k[n]);
      else
        sum_inverse_(n, n) = 1;  // a row of weight zero
    }
    if (!blas::potrf(n_, sum_inverse_.data(), n_)) return false;
    log_det_ += 2 * sum_inverse_.diagonal().array().log().sum();
    if (!blas::trtri(n_, sum_inverse_.data(), n_)) return false;
    MF_.assign(static_cast<std::size_t>(C_), Matrix(n_, f_ * C_));
    RH_.resize(f_ * C_, f_ * C_);
    return f_ == 0 || project_flat();
  }

  // M F, H = F'MF plus kappa v v' in directions that it does not determine, R'R = H^-1. (SMX.5)
  bool project_flat() {
    const Index size = f_ * C_;
    Matrix v = Matrix::Zero(n_, C_), Mv;
    for (Index i = 0; i < size; ++i) {
      v.setZero();
      v.col(i / f_) = F_.col(i % f_);
      apply_M(v, Mv);
      for (Index c = 0; c < C_; ++c) MF_[static_cast<std::size_t>(c)].col(i) = Mv.col(c);
    }
    Matrix H(size, size);
    for (Index c = 0; c < C_; ++c) H.middleRows(c * f_, f_) = F_.transpose() * MF_[static_cast<std::size_t>(c)];
    gauge_.resize(f_);
    const auto C = static_cast<double>(C_);
    for (Index k = 0; k < f_; ++k) {
      double kappa = 0;
      for (Index c = 0; c < C_; ++c) kappa += H(c * f_ + k, c * f_ + k) / C;
      if (!(kappa > 0)) kappa = 1;
      for (Index c = 0; c < C_; ++c)
        for (Index d = 0; d < C_; ++d) H(c * f_ + k, d * f_ + k) += kappa / C;
      gauge_[k] = 1 / (kappa * C);
      log_det_ -= std::log(kappa);
    }
    if (!blas::potrf(size, H.data(), size)) return false;
    log_det_ += 2 * H.diagonal().array().log().sum();
    if (!blas::trtri(size, H.data(), size)) return false;
    RH_ = H.triangularView<Eigen::Lower>();
    return true;
  }

  // M~_cc
  const Matrix& inner(Index c) {
    Matrix& M = inner_[static_cast<std::size_t>(c)];
    if (M.size() > 0) return M;
    Matrix N = E_[static_cast<std::size_t>(c)];
    M = N;
    blas::trmm(blas::Side::left, no, n_, n_, sum_inverse_.data(), n_, N.data(), n_);
    blas::syrk(yes, n_, n_, -1.0, N.data(), n_, 1.0, M.data(), n_);
    if (f_ > 0) {
      const Matrix Q = MF_[static_cast<std::size_t>(c)] * RH_.transpose();
      blas::syrk(no, n_, Q.cols(), -1.0, Q.data(), n_, 1.0, M.data(), n_);
    }
    mirror(M);
    return M;
  }

  Design& X_;
  ClassWeights weights_;
  Index n_, P_, C_, f_ = 0, block_ = 0;
  std::vector<Class> classes_;
  std::vector<Index> flat_weight_;  // ordered by class
  Matrix F_, panel_;
  std::vector<Matrix> K_;
  std::vector<Index> K_of_;
  std::vector<double> K_scale_;
  Matrix unit_;  // Z Z' of unit_columns_
  std::vector<Index> unit_columns_;
  std::vector<Matrix> root_, E_, inner_, MF_;
  Matrix sum_inverse_, RH_;  // L^-1 of sum_c E_c, lower
  Vector a_, base_, gauge_;
  Point point_, before_, target_;
  Matrix F_now_;
  double mixed_ = 0, log_det_ = 0;
};

}  // namespace

std::unique_ptr<ClassSolver> make_class_dual(Design& X, ClassWeights weights, const ClassLikelihood& likelihood) {
  return std::make_unique<ClassDual>(X, std::move(weights), likelihood);
}

}  // namespace ardvark::internal
