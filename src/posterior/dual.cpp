// The dual solver, n x n, for p > n. Never forms p x p.                                             docs/math/ridge.md
//
// With Z the penalised and F the flat columns, S = I - F H^-1 F' diag(omega), H = F' diag(omega) F, Z~ = S Z (weighted centring):
//
//     K = Z~ A^-1 Z~'      M = I + diag(omega)^1/2 K diag(omega)^1/2 = L L'       T = L^-1 diag(omega)^1/2 Z~ A^-1/2
//     V_jj = (1 - ||T_j||^2) / a_j      w_Z = A^-1 Z~' g,  g = diag(omega)^1/2 M^-1 diag(omega)^-1/2 S' r     (RIDGE.4), (RIDGE.7)
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/blas.hpp"
#include "core/eigen_solvers.hpp"
#include "core/parallel.hpp"
#include "core/resize.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

class Dual final : public Solver {
 public:
  explicit Dual(System system)
      : system_(system),
        n_(system.X.rows()),
        p_(system.X.cols()),
        f_(system.partition.num_flat()),
        keep_raw_(f_ > 0 || system.likelihood.constant_rows),
        block_(std::clamp<Index>((Index{1} << 17) / std::max<Index>(n_, 1), 128, std::max<Index>(p_, 128))),
        num_threads_(blas::num_threads()),
        K_(n_, n_),
        L_inverse_(n_, n_),
        F_(n_, f_),
        root_omega_(n_),
        g_(n_),
        h_(n_),
        x_(n_),
        a_inverse_root_(p_),
        H_inverse_(f_, f_),
        U_(n_, f_),
        FOmega_(n_, f_),
        KOF_(n_, f_),
        w_F_(f_) {
    cut_into_pieces();
    for (Index k = 0; k < f_; ++k) {
      Matrix column(n_, 1);
      system_.X.columns(flat(k), 1, column);
      F_.col(k) = column;
    }
  }

  [[nodiscard]] SolverKind kind() const override { return SolverKind::dual; }

  [[nodiscard]] bool solve(const Rows& rows, const Vector& a, Posterior& q) override {
    return factorise(rows, a, q) && complete(rows, a, q);
  }

  // If the precisions are the same as in the last call, no product of columns is computed.
  [[nodiscard]] bool solve_mean(const Rows& rows, const Vector& a, Posterior& q) override {
    if (!factorise(rows, a, q)) return false;
    unproject_g();
    over_pieces([&](Piece& piece) { weights(piece, q); });
    row_means(rows, q);
    for (Index k = 0; k < f_; ++k) q.w[flat(k)] = w_F_[k];
    return q.w.allFinite();
  }

  [[nodiscard]] bool complete(const Rows& rows, const Vector& a, Posterior& q) override {
    if (!blas::trtri(n_, L_inverse_.data(), n_)) return false;
    is_inverted_ = true;
    weights_and_variances(rows, a, q, nullptr);
    if (system_.likelihood.row_moments) {
      row_means(rows, q);
      row_variances(rows, q);
    }
    return std::isfinite(q.log_det_V) && q.w.allFinite();
  }

  [[nodiscard]] bool columns_changed() override {
    p_ = system_.X.cols();
    cut_into_pieces();
    resize(a_inverse_root_, p_);
    K_is_current_ = K_is_unit_ = final_ = false;
    return true;
  }

  [[nodiscard]] bool finish(const Rows& rows, const Vector& a, Posterior& q) override {
    a_ = a;
    rows_ = &rows;
    set_response(rows.r);  // the caller may have rejected the last response
    if (f_ > 0) {          // V_FF, which sweeps do not need
      final_ = true;
      weights_and_variances(rows, a, q, nullptr);
    }
    if (!system_.likelihood.row_moments) system_.X.apply(q.w, q.m);
    return true;
  }

  [[nodiscard]] bool shared_system(const Rows& rows, SharedSystem& out) override {
    const Vector ones = Vector::Ones(p_);
    root_omega_ = rows.omega.cwiseSqrt();
    set_precisions(ones);
    outer(ones);
    if (f_ > 0 && !project_out_flat_columns(rows)) return false;
    out.dual = true;
    out.C = root_omega_.asDiagonal() * K_ * root_omega_.asDiagonal();
    project_response(rows.r);
    out.c = Vector::Zero(n_);
    for (Index i = 0; i < n_; ++i)
      if (root_omega_[i] > 0) out.c[i] = h_[i] / root_omega_[i];
    out.response_square = out.c.squaredNorm();
    out.log_det_H = log_det_H_;
    return true;
  }

  [[nodiscard]] bool condense(const Rows& rows, const std::vector<Index>& columns, Matrix& X, Vector& y) override {
    if (!system_.likelihood.constant_rows) return false;
    const Index k = static_cast<Index>(columns.size());
    X.resize(n_, k);
    for (Index i = 0; i < k; ++i) system_.X.columns(columns[static_cast<std::size_t>(i)], 1, X.col(i));
    const Matrix scaled = X * a_inverse_root_(columns).asDiagonal();
    Matrix R = K_scale_ * K_raw_;  // K_I = Z A^-1 Z' without the columns of A
    blas::syrk(blas::Transpose::no, n_, k, -1.0, scaled.data(), n_, 1.0, R.data(), n_);
    for (Index j = 0; j < n_; ++j) R.col(j).tail(n_ - j).array() *= root_omega_[j] * root_omega_.tail(n_ - j).array();
    R.diagonal().array() += 1;
    if (!blas::potrf(n_, R.data(), n_) || !blas::trtri(n_, R.data(), n_)) return false;
    X = root_omega_.asDiagonal() * X;
    y = (root_omega_.array() > 0).select(rows.r.array() / root_omega_.array(), 0.0);
    blas::trmm(blas::Side::left, blas::Transpose::no, n_, k, R.data(), n_, X.data(), n_);
    blas::trmv(blas::Transpose::no, n_, R.data(), n_, y.data());
    return X.allFinite() && y.allFinite();
  }

  // The formulas of solve(), but M^-1 is known, and two products with a vector replace the passes over the panels.
  [[nodiscard]] bool respond(const Vector& r, const Vector& a, Posterior& q) override {
    set_response(r);
    unproject_g();
    system_.X.project(h_, q.w);
    q.w.array() *= a_inverse_root_.array().square();
    system_.X.apply(q.w, q.m);
    if (f_ > 0) {
      w_F_ = H_inverse_ * (F_.transpose() * r - FOmega_.transpose() * q.m);
      for (Index k = 0; k < f_; ++k) q.w[flat(k)] = w_F_[k];
      q.m.noalias() += F_ * w_F_;
    }
    sum_by_group(system_.partition, a, q);
    return q.w.allFinite();
  }

  // f'H^-1 f + sum z~_j^2/a_j - ||L^-1 diag(omega)^1/2 S Z A^-1 z~||^2, z~ = z - B'f: two products with X.         (RIDGE.4), (RIDGE.7)
  [[nodiscard]] double variance_of(const Vector& x) override {
    Vector z = x, v(n_);
    double flat_part = 0;
    if (f_ > 0) {
      Vector f(f_), product(p_);
      for (Index k = 0; k < f_; ++k) f[k] = x[flat(k)];
      flat_part = f.dot(H_inverse_ * f);
      const Vector t = FOmega_ * (H_inverse_ * f);
      system_.X.project(t, product);
      z -= product;
    }
    z = z.cwiseProduct(a_inverse_root_);
    const double prior_part = z.squaredNorm();
    z = z.cwiseProduct(a_inverse_root_);
    system_.X.apply(z, v);
    if (f_ > 0) v -= U_ * (FOmega_.transpose() * v);
    v = root_omega_.cwiseProduct(v);
    blas::trmv(blas::Transpose::no, n_, L_inverse_.data(), n_, v.data());
    return std::max(flat_part + prior_part - v.squaredNorm(), 0.0);
  }

  // (Omega^-1 + Z A^-1 Z')^-1 = Omega^1/2 M^-1 Omega^1/2, with the flat columns projected out: ||L^-1 Omega^1/2 S z||^2
  [[nodiscard]] bool outlook(const Rows&, Outlook& out) override {
    out.complement = false;
    out.U = L_inverse_.triangularView<Eigen::Lower>();
    out.U = out.U * root_omega_.asDiagonal();
    if (f_ > 0) {
      const Matrix UF = out.U * U_;
      out.U.noalias() -= UF * FOmega_.transpose();
    }
    return true;
  }

  // Only the correlations among flat columns count here: those of the penalised columns are in M.
  [[nodiscard]] Vector precision_diagonal(const Posterior& q) override {
    Vector diagonal = q.V_diagonal.cwiseInverse();
    for (Index k = 0; k < f_; ++k) diagonal[flat(k)] *= FOmega_.col(k).dot(F_.col(k)) * H_inverse_(k, k);
    return diagonal;
  }

  [[nodiscard]] CovarianceFactor factor() override {
    CovarianceFactor c;
    c.kind = CovarianceFactor::Kind::reduced;
    c.flat_columns = system_.partition.flat_columns;
    c.d = a_inverse_root_.cwiseAbs2();
    c.T.resize(n_, p_);
    c.B.resize(f_, p_);
    Posterior scratch;
    scratch.w.resize(p_);
    scratch.V_diagonal.resize(p_);
    scratch.group_square.resize(system_.partition.num_groups());
    scratch.group_variance.resize(system_.partition.num_groups());
    weights_and_variances(*rows_, a_, scratch, &c);  // the same pass again, keeping T and B
    c.R = Eigen::LLT<Matrix>(H_inverse_).matrixU();
    return c;
  }

 private:
  // A fixed part of the columns, the same for any number of threads, with the workspace that one thread needs for it. Sums over the columns
  // are added in the order of the pieces.
  struct Piece {
    Index first, last;
    Matrix panel;       // a block of columns, n x block at least
    bool holds_all;     // the panel holds Z A^-1/2 of the whole piece, for the current precisions
    Matrix K;           // its part of K_; the first piece writes into K_ itself
    Matrix FP, BB, TB;  // for the flat columns
    Vector FOZw;        // F' diag(omega) Z w_Z
  };

  // Multiplications of one pass. With fewer than small_work, threads do not help.
  [[nodiscard]] double work() const { return static_cast<double>(n_) * static_cast<double>(n_) * static_cast<double>(p_); }
  static constexpr double small_work = 4e6;

  // Each piece except the first needs a matrix K of its own. These matrices may take at most half as much memory as the columns, and there
  // are at most 8 pieces; if this allows fewer than 4, there is one piece. If K has at most 8 MB and there is enough work, the number is
  // rounded up to an even one instead, so that two threads get equally many pieces. A larger workspace from before is kept.
  void cut_into_pieces() {
    const Index room = 1 + p_ / (2 * std::max<Index>(n_, 1));
    Index num = room < 4 ? 1 : std::min<Index>(room, 8);  // with one piece, the threads share each product
    if (n_ <= 1024 && work() >= small_work) num = std::min<Index>((room + 1) / 2 * 2, 8);
    pieces_.resize(static_cast<std::size_t>(num));
    for (Index i = 0; i < num; ++i) {
      Piece& piece = pieces_[static_cast<std::size_t>(i)];
      piece.first = p_ * i / num;
      piece.last = p_ * (i + 1) / num;
      piece.holds_all = false;
      const Index width = std::min(block_, piece.last - piece.first), own = i == 0 ? 0 : n_;
      if (piece.panel.cols() < width) resize(piece.panel, n_, width);
      piece.K.resize(own, own);
      resize(piece.FP, f_, piece.panel.cols());
      piece.BB = Matrix::Zero(f_, f_);
      piece.TB = Matrix::Zero(n_, f_);
      piece.FOZw = Vector::Zero(f_);
    }
  }
  void over_pieces(auto&& f) {
    parallel_for(static_cast<Index>(pieces_.size()), num_threads_, [&](Index i) { f(pieces_[static_cast<std::size_t>(i)]); });
  }

  [[nodiscard]] bool is_penalised(Index j) const {
    const Index g = system_.partition.group[static_cast<std::size_t>(j)];
    return g >= 0 || g == Partition::fixed;
  }
  [[nodiscard]] Index flat(Index k) const { return system_.partition.flat_columns[static_cast<std::size_t>(k)]; }

  // Computes K (kept up to a factor while all penalised precisions are equal), the factor of M, ln|V|, g and the residual.
  bool factorise(const Rows& rows, const Vector& a, Posterior& q) {
    root_omega_ = rows.omega.cwiseSqrt();
    set_precisions(a);
    outer(a);
    if (f_ > 0 && !project_out_flat_columns(rows)) return false;

    L_inverse_.triangularView<Eigen::Lower>() = K_;
    for (Index j = 0; j < n_; ++j) L_inverse_.col(j).tail(n_ - j).array() *= (root_omega_[j] * K_scale_) * root_omega_.tail(n_ - j).array();
    L_inverse_.diagonal().array() += 1;
    if (!blas::potrf(n_, L_inverse_.data(), n_)) return false;
    q.log_det_V = -2 * L_inverse_.diagonal().array().log().sum();
    for (Index j = 0; j < p_; ++j)
      if (a_inverse_root_[j] > 0) q.log_det_V += 2 * std::log(a_inverse_root_[j]);
    q.log_det_V -= log_det_H_;

    is_inverted_ = false;
    set_response(rows.r);
    q.residual = x_.squaredNorm();  // omega^1/2 (r/omega - X w) = M^-1 omega^-1/2 S' r
    return true;
  }

  // g and x = omega^1/2 (r/omega - X w), by the stable one of two forms: dividing by omega^1/2 is accurate unless a quotient is much larger
  // than the others.
  void set_response(const Vector& r) {
    project_response(r);
    for (Index i = 0; i < n_; ++i) x_[i] = h_[i] != 0 ? h_[i] / root_omega_[i] : 0.0;
    if (may_divide()) {
      solve_M(x_);
      g_ = root_omega_.cwiseProduct(x_);
    } else {
      blas::symv(n_, K_.data(), n_, h_.data(), x_.data());
      x_ = K_scale_ * root_omega_.cwiseProduct(x_);
      solve_M(x_);
      g_ = h_ - root_omega_.cwiseProduct(x_);
      for (Index i = 0; i < n_; ++i) x_[i] = root_omega_[i] > 0 ? g_[i] / root_omega_[i] : 0.0;
    }
  }

  void set_precisions(const Vector& a) {
    for (Index j = 0; j < p_; ++j) {
      const double root = is_penalised(j) ? 1 / std::sqrt(a[j]) : 0.0;
      K_is_current_ = K_is_current_ && root == a_inverse_root_[j];
      a_inverse_root_[j] = root;
    }
    if (K_is_current_) return;
    for (Piece& piece : pieces_) piece.holds_all = false;
  }

  // Whether no quotient in x_ = h_ / omega^1/2 is much larger than the others.
  [[nodiscard]] bool may_divide() const {
    return x_.lpNorm<Eigen::Infinity>() * root_omega_.maxCoeff() <= 1e4 * h_.lpNorm<Eigen::Infinity>();
  }

  // h_ <- S' r
  void project_response(const Vector& r) {
    h_ = r;
    if (f_ == 0) return;
    w_F_.noalias() = F_.transpose() * r;
    w_F_ = H_inverse_ * w_F_;
    h_.noalias() -= FOmega_ * w_F_;
  }

  void solve_M(Vector& x) {
    if (is_inverted_) {
      blas::trmv(blas::Transpose::no, n_, L_inverse_.data(), n_, x.data());
      blas::trmv(blas::Transpose::yes, n_, L_inverse_.data(), n_, x.data());
      return;
    }
    blas::trsv(blas::Transpose::no, n_, L_inverse_.data(), n_, x.data());
    blas::trsv(blas::Transpose::yes, n_, L_inverse_.data(), n_, x.data());
  }

  // K_ <- Z A^-1 Z' (lower), in panels of columns. If all precisions are equal, it is computed once with A = I, and K_scale_ holds 1/a.
  void outer(const Vector& a) {
    if (std::exchange(K_is_current_, true)) {
      if (keep_raw_) K_ = K_raw_;
      return;
    }
    bool uniform = true;
    double value = 0;
    for (Index j = 0; j < p_; ++j)
      if (a_inverse_root_[j] > 0) {
        if (value == 0) value = a[j];
        uniform = uniform && a[j] == value;
      }
    K_scale_ = uniform && value > 0 ? 1 / value : 1.0;
    if (uniform && K_is_unit_) {
      if (keep_raw_) K_ = K_raw_;
      return;
    }
    const Vector scale = uniform ? Vector((a_inverse_root_.array() > 0).cast<double>()) : a_inverse_root_;
    over_pieces([&](Piece& piece) {
      Matrix& K = &piece == pieces_.data() ? K_ : piece.K;
      piece.holds_all = piece.last - piece.first <= block_ && (!uniform || value == 1);
      for (Index first = piece.first; first < piece.last; first += block_) {
        const Index count = std::min(block_, piece.last - first);
        system_.X.scaled_columns(first, count, scale.data() + first, piece.panel.leftCols(count));
        blas::syrk(blas::Transpose::no, n_, count, 1.0, piece.panel.data(), n_, first == piece.first ? 0.0 : 1.0, K.data(), n_);
      }
    });
    for (std::size_t i = 1; i < pieces_.size(); ++i)
      for (Index j = 0; j < n_; ++j) K_.col(j).tail(n_ - j) += pieces_[i].K.col(j).tail(n_ - j);
    K_is_unit_ = uniform;
    if (keep_raw_) K_raw_ = K_;
  }

  // K_ <- S K S'                                                                                                (RIDGE.7)
  bool project_out_flat_columns(const Rows& rows) {
    FOmega_ = rows.omega.asDiagonal() * F_;
    const Matrix H = F_.transpose() * FOmega_;
    const Eigen::LLT<Matrix> llt(H);
    if (llt.info() != Eigen::Success || collinear(H, llt.matrixLLT())) return false;
    log_det_H_ = 2 * llt.matrixLLT().diagonal().array().log().sum();
    H_inverse_ = llt.solve(Matrix::Identity(f_, f_));
    U_ = F_ * H_inverse_;
    for (Index k = 0; k < f_; ++k) blas::symv(n_, K_.data(), n_, FOmega_.col(k).data(), KOF_.col(k).data());
    const Matrix inner = FOmega_.transpose() * KOF_;
    // S K S' = K - U (K Omega F)' - (K Omega F) U' + U inner U', on the lower triangle: symmetric rank-2 form with C = K Omega F - U inner
    // / 2
    KOF_ -= 0.5 * U_ * inner;
    for (Index j = 0; j < n_; ++j)
      for (Index k = 0; k < f_; ++k) K_.col(j).tail(n_ - j) -= U_.col(k).tail(n_ - j) * KOF_(j, k) + KOF_.col(k).tail(n_ - j) * U_(j, k);
    return true;
  }

  // h_ <- S' g
  void unproject_g() {
    h_ = g_;
    if (f_ == 0) return;
    w_F_.noalias() = U_.transpose() * g_;
    h_.noalias() -= FOmega_ * w_F_;
  }

  // One pass over the panels: w_Z, V_jj, and what the flat columns need. With `keep`, T and B are stored for prediction.
  void weights_and_variances(const Rows& rows, const Vector& a, Posterior& q, CovarianceFactor* keep) {
    unproject_g();
    // L^-1 diag(omega)^1/2 is lower triangular, too, so the factor includes the weights during this pass.
    for (Index j = 0; j < n_; ++j) L_inverse_.col(j).tail(n_ - j) *= root_omega_[j];
    over_pieces([&](Piece& piece) { visit(piece, q, keep); });
    for (Index j = 0; j < n_; ++j)
      if (root_omega_[j] > 0) L_inverse_.col(j).tail(n_ - j) /= root_omega_[j];
    for (Index j = 0; j < p_; ++j)
      if (system_.partition.group[static_cast<std::size_t>(j)] == Partition::left_out) q.w[j] = 0, q.V_diagonal[j] = 1;
    if (f_ > 0) flat_columns(rows, q);
    sum_by_group(system_.partition, a, q);
  }

  // Only w_Z.
  void weights(Piece& piece, Posterior& q) {
    for (Index first = piece.first; first < piece.last; first += block_) {
      const Index count = std::min(block_, piece.last - first);
      if (!piece.holds_all) system_.X.scaled_columns(first, count, a_inverse_root_.data() + first, piece.panel.leftCols(count));
      blas::gemv(blas::Transpose::yes, n_, count, 1.0, piece.panel.data(), n_, h_.data(), 0.0, q.w.data() + first);
      q.w.segment(first, count).array() *= a_inverse_root_.segment(first, count).array();
    }
  }

  // Uses the panel that outer() left if it holds the whole piece. TRMM overwrites the panel.
  void visit(Piece& piece, Posterior& q, CovarianceFactor* keep) {
    piece.FOZw.setZero();
    piece.BB.setZero();
    piece.TB.setZero();
    for (Index first = piece.first; first < piece.last; first += block_) {
      const Index count = std::min(block_, piece.last - first);
      auto panel = piece.panel.leftCols(count);
      auto FP = piece.FP.leftCols(count);
      if (!piece.holds_all) system_.X.scaled_columns(first, count, a_inverse_root_.data() + first, panel);
      blas::gemv(blas::Transpose::yes, n_, count, 1.0, panel.data(), n_, h_.data(), 0.0, q.w.data() + first);
      if (f_ > 0) {  // panel <- S panel, with F' diag(omega) Z A^-1/2 kept for V_FF
        FP.noalias() = FOmega_.transpose() * panel;
        piece.FOZw.noalias() += FP * q.w.segment(first, count);
        panel.noalias() -= U_ * FP;
        if (final_) piece.BB.noalias() += FP * FP.transpose();
        if (keep != nullptr)
          for (Index j = 0; j < count; ++j)
            keep->B.col(first + j) =
                a_inverse_root_[first + j] > 0 ? Vector(H_inverse_ * FP.col(j) / a_inverse_root_[first + j]) : Vector::Zero(f_);
      }
      q.w.segment(first, count).array() *= a_inverse_root_.segment(first, count).array();
      blas::trmm(blas::Side::left, blas::Transpose::no, n_, count, L_inverse_.data(), n_, panel.data(), n_);
      if (f_ > 0 && final_) piece.TB.noalias() += panel * FP.transpose();
      for (Index j = 0; j < count; ++j) {
        const double root = a_inverse_root_[first + j];
        // Rounding must not make a small variance negative.
        q.V_diagonal[first + j] = root * root * std::max(1 - panel.col(j).squaredNorm(), 1e-16);
        if (keep != nullptr) keep->T.col(first + j) = root * panel.col(j);
      }
    }
    piece.holds_all = false;
  }

  // w_F = H^-1 F'(r - diag(omega) Z w_Z),  V_FF = H^-1 + B V_ZZ B'                                              (RIDGE.7)
  void flat_columns(const Rows& rows, Posterior& q) {
    w_F_.noalias() = F_.transpose() * rows.r;
    Piece& sum = pieces_.front();
    for (std::size_t i = 1; i < pieces_.size(); ++i) {
      sum.FOZw += pieces_[i].FOZw;
      sum.BB += pieces_[i].BB;
      sum.TB += pieces_[i].TB;
    }
    w_F_ = H_inverse_ * (w_F_ - sum.FOZw);
    for (Index k = 0; k < f_; ++k) q.w[flat(k)] = w_F_[k];
    if (!final_) return;
    const Matrix V_FF = H_inverse_ + H_inverse_ * (sum.BB - sum.TB.transpose() * sum.TB) * H_inverse_;
    for (Index k = 0; k < f_; ++k) q.V_diagonal[flat(k)] = V_FF(k, k);
  }

  // X w = Z A^-1 Z' S' g + F w_F and w_F, with S' g in h_                                                       (RIDGE.4), (RIDGE.7)
  void row_means(const Rows& rows, Posterior& q) {
    blas::symv(n_, keep_raw_ ? K_raw_.data() : K_.data(), n_, h_.data(), q.m.data());
    q.m *= K_scale_;
    if (f_ == 0) return;
    w_F_ = H_inverse_ * (F_.transpose() * rows.r - FOmega_.transpose() * q.m);
    q.m.noalias() += F_ * w_F_;
  }

  // x_n'Vx_n = f'H^-1 f + (1 - [M^-1]_nn)/omega_n. If omega_n K_nn is small, the difference loses its digits, and another form is used:
  // K_nn - ||L^-1 diag(omega)^1/2 K_:n||^2.
  void row_variances(const Rows& rows, Posterior& q) {
    for (Index i = 0; i < n_; ++i) {
      const double K_ii = K_scale_ * K_(i, i);
      double s;
      if (rows.omega[i] * K_ii > 1e-4) {
        s = (1 - L_inverse_.col(i).tail(n_ - i).squaredNorm()) / rows.omega[i];
      } else {
        for (Index j = 0; j < n_; ++j) x_[j] = K_scale_ * root_omega_[j] * (j > i ? K_(j, i) : K_(i, j));
        blas::trmv(blas::Transpose::no, n_, L_inverse_.data(), n_, x_.data());
        s = K_ii - x_.squaredNorm();
      }
      if (f_ > 0) s += F_.row(i) * H_inverse_ * F_.row(i).transpose();
      q.s[i] = std::max(s, 0.0);
    }
  }

  System system_;
  Index n_, p_, f_;
  bool keep_raw_;
  Index block_;
  Index num_threads_;  // threads for the pieces
  std::vector<Piece> pieces_;
  Matrix K_;          // lower triangle
  Matrix K_raw_;      // Z A^-1 Z' before projection, kept where flat columns change K_ or the problem may be condensed
  Matrix L_inverse_;  // lower triangle; holds L until the posterior is complete
  bool is_inverted_ = false;
  Matrix F_;
  Vector root_omega_, g_, h_, x_, a_inverse_root_;
  Matrix H_inverse_, U_, FOmega_, KOF_;
  Vector w_F_;
  double K_scale_ = 1, log_det_H_ = 0;
  bool K_is_unit_ = false, K_is_current_ = false;  // K_ or K_raw_ is for A = I; for the current precisions
  Vector a_;
  const Rows* rows_ = nullptr;
  bool final_ = false;  // the pass after the last sweep
};

}  // namespace

std::unique_ptr<Solver> make_dual(System system) { return std::make_unique<Dual>(system); }

}  // namespace ardvark::internal
