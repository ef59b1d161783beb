#include "process/evidence.hpp"

#include <array>

#include "core/anderson.hpp"
#include "core/blas.hpp"
#include "core/logistic_moments.hpp"
#include "core/special.hpp"

namespace ardvark::internal {

ProcessEvidence::ProcessEvidence(Covariance covariance, Vector k, double unit)
    : covariance_(std::move(covariance)), k_(std::move(k)), N_(k_.sum()), unit_(unit) {
  usual_log_rho_ = -0.5 * std::log(2.0 * static_cast<double>(std::max<Index>(covariance_.num_inputs(), 1)));
  inputs_of_width_ = Vector::Zero(covariance_.num_widths());
  for (const Index g : covariance_.groups())
    if (g >= 0) ++inputs_of_width_[g];
  const Matrix& X = covariance_.inputs();
  spread_ = (k_.dot(X.rowwise().squaredNorm()) - (X.transpose() * k_).squaredNorm() / N_) / (N_ - 1);
}

double ProcessEvidence::log_constant() const {
  const auto G = static_cast<double>(covariance_.num_widths());
  const double of_widths = G == 0 ? 0 : -std::log(sd_of_log_rho) - 0.5 * ln_2pi + (G - 1) * std::log(2.0) - G * log_gamma(1 / G);
  return std::log1p(share_exponent) + of_widths;
}

// What (KM.2) says of S = sum_g n_g rho_g^2: ln sqrt(2S), and the shares in S.
ProcessEvidence::SquaredWidths ProcessEvidence::squared_widths(const Vector& log_rho) const {
  const Vector log_parts = 2 * log_rho + inputs_of_width_.array().log().matrix();
  const double most = log_parts.maxCoeff(), log_S = most + std::log((log_parts.array() - most).exp().sum());
  return {0.5 * (log_S + std::log(2.0)), log_parts.array() - log_S};
}

double ProcessEvidence::log_prior_of_widths(const Vector& log_rho) const {
  if (log_rho.size() == 0) return 0;
  const SquaredWidths squared = squared_widths(log_rho);
  const double off = squared.log_size / sd_of_log_rho;
  return -0.5 * off * off + squared.log_share.mean();
}

double ProcessEvidence::linear_share(const Hyperparameters& theta) {
  if (covariance_.has_linear_part()) static_cast<void>(at(theta, false));
  return linear_share_;
}

double ProcessEvidence::add_prior(const Hyperparameters& theta, double l, Slope& out) {
  const Index widths = covariance_.num_widths();
  const double line = std::exp(theta[0]) * covariance_.linear_weight(theta) * spread_, all = std::max(l + line, 1e-300);
  const double x = all / unit_;
  constexpr double power = 2 + share_exponent;
  out.value += std::log(x) - power * std::log1p(x);
  double d_l = (1 / x - power / (1 + x)) / unit_;
  if (out.gradient.size() > 0) out.gradient[0] += d_l * all;
  if (covariance_.has_linear_part()) {  // the share of the linear part is uniform in (0, 1)                                     (KM.11)
    const double uneven = (l - line) / all;
    linear_share_ = line / all;
    out.value += std::log(line / all) + std::log(l / all);
    if (out.gradient.size() > 0) out.gradient[out.gradient.size() - 1] += d_l * line + uneven;
    d_l -= uneven / l;
  }
  if (widths == 0) return d_l;
  const Vector log_rho = theta.segment(1, widths);
  out.value += log_prior_of_widths(log_rho);
  if (out.gradient.size() > 0) {
    const SquaredWidths squared = squared_widths(log_rho);
    const double of_size = -squared.log_size / (sd_of_log_rho * sd_of_log_rho) - 2;
    out.gradient.segment(1, widths).array() += 2 / static_cast<double>(widths) + of_size * squared.log_share.array().exp();
  }
  return d_l;
}

namespace {

class ExactEvidence : public FullEvidence {
 public:
  using FullEvidence::FullEvidence;

  Slope at(const Hyperparameters& theta, bool with_gradient) override {
    const Index n = covariance_.num_rows(), widths = covariance_.num_widths();
    const double h = std::exp(theta[0]), nu = N_ - 1;
    const Vector parameters = theta.tail(theta.size() - 1);
    covariance_.evaluate(parameters, K_, with_gradient ? &decline_ : nullptr);
    Vector Kk(n);
    blas::symv(n, K_.data(), n, k_.data(), Kk.data());
    const double l = h * std::max((N_ - k_.dot(Kk) / N_) / nu, 1e-300);
    covariance_.add_linear_part(parameters, K_);
    Slope out;
    Matrix& M = slope_;
    double d_log_h = 0;
    out.value = log_evidence(theta, K_, with_gradient ? &M : nullptr, &d_log_h);
    known_.resize(0);
    if (!std::isfinite(out.value)) return {};
    if (with_gradient) out.gradient = Vector::Zero(theta.size());
    const double d_l = add_prior(theta, l, out);
    if (!with_gradient) {
      known_ = theta;
      return out;
    }
    out.gradient[0] += d_log_h;
    if (covariance_.has_linear_part()) out.gradient[theta.size() - 1] += h * covariance_.linear_slope(parameters, M);
    for (Index j = 0; j < n; ++j) M.col(j).tail(n - j) = h * (M.col(j).tail(n - j) - d_l * k_[j] / (N_ * nu) * k_.tail(n - j));
    out.gradient.segment(1, widths) += covariance_.slope(parameters, decline_, M);
    return out;
  }

  FullPosterior posterior(const Hyperparameters& theta, double tolerance) override {
    const bool iterates = set_tolerance(tolerance), is_known = known_.size() == theta.size() && known_ == theta;
    if ((iterates || !is_known) && !std::isfinite(at(theta, false).value))
      throw InvalidArgument("the kernel matrix of the rows cannot be factorised");
    FullPosterior out;
    complete(K_, out);
    known_.resize(0);
    out.moments.variance = out.moments.variance.cwiseMax(0);
    return out;
  }

 protected:
  /// Log evidence. K is kappa and is overwritten. If M is not null: M [n,n] lower, with d/d ln rho = sum_ij M_ij d(h kappa_ij)/d ln rho,
  /// and d/d ln h.
  virtual double log_evidence(const Hyperparameters& theta, Matrix& K, Matrix* M, double* d_log_h) = 0;
  /// Rows and moments after log_evidence() without M, of which K is what it left, and is overwritten.
  virtual void complete(Matrix& K, FullPosterior& of) = 0;

 private:
  Matrix K_, decline_, slope_;
  Hyperparameters known_;  // of which log_evidence() has left K_; empty: it is of none
};

// A^-1, lower triangle, from its Cholesky factor.
void invert_factor(Matrix& L) {
  static_cast<void>(blas::trtri(L.rows(), L.data(), L.rows()));  // its diagonal is positive
  blas::lauum(L.rows(), L.data(), L.rows());
}

double log_determinant(const Matrix& L) { return 2 * L.diagonal().array().log().sum(); }

class RegressionEvidence final : public ExactEvidence {
 public:
  RegressionEvidence(Covariance covariance, Vector k, Vector y) : ExactEvidence(std::move(covariance), std::move(k), 1), y_(std::move(y)) {}

 private:
  double log_evidence(const Hyperparameters& theta, Matrix& C, Matrix* M, double* d_log_h) override {
    const Index n = C.rows();
    const double nu = N_ - 1, h = std::exp(theta[0]);
    for (Index j = 0; j < n; ++j) C.col(j).tail(n - j) *= h;
    if (!solve(C)) return -std::numeric_limits<double>::infinity();
    const double value = log_gamma(0.5 * nu) - 0.5 * nu * std::log(pi * q_) - 0.5 * log_determinant(C) - 0.5 * std::log(sum_);
    if (M == nullptr) return value;
    divide_by_transposed(C);
    invert_factor(C);
    M->resize(n, n);
    const double ratio = nu / q_;
    double trace = 0;  // of P diag(1/k)
    for (Index j = 0; j < n; ++j) {
      const Index rest = n - j;
      trace += (C(j, j) - one_[j] * one_[j] / sum_) / k_[j];
      M->col(j).tail(rest) = 0.5 * (ratio * alpha_[j] * alpha_.tail(rest) - C.col(j).tail(rest) + one_[j] / sum_ * one_.tail(rest));
    }
    const double explained = q_ - least_misfit - (alpha_.array().square() / k_.array()).sum();
    *d_log_h = 0.5 * (ratio * explained - static_cast<double>(n - 1) + trace);
    return value;
  }

  // C <- its Cholesky factor L, from h kappa; one_ = L^-1 1, alpha_ = L^-1 (y - b).
  bool solve(Matrix& C) {
    const Index n = C.rows();
    C.diagonal() += k_.cwiseInverse();
    if (!blas::potrf(n, C.data(), n)) return false;
    one_ = Vector::Ones(n), alpha_ = y_;
    blas::trsv(blas::Transpose::no, n, C.data(), n, one_.data());
    blas::trsv(blas::Transpose::no, n, C.data(), n, alpha_.data());
    sum_ = one_.squaredNorm();
    alpha_ -= one_.dot(alpha_) / sum_ * one_;
    q_ = alpha_.squaredNorm() + least_misfit;
    return true;
  }
  // one_ <- C^-1 1, alpha_ <- P y
  void divide_by_transposed(const Matrix& L) {
    for (Vector* v : {&one_, &alpha_}) blas::trsv(blas::Transpose::yes, L.rows(), L.data(), L.rows(), v->data());
  }

  // y - mean = (1/k) P y; the variance is (1/k - (1/k) C^-1 (1/k))_ii and the intercept's part.
  void complete(Matrix& L, FullPosterior& of) override {
    const Index n = L.rows();
    divide_by_transposed(L);
    static_cast<void>(blas::trtri(n, L.data(), n));
    of.rows = {.omega = k_, .z = y_, .s2 = q_ / (N_ - 1), .nu = N_ - 1};
    of.moments.mean = y_.array() - alpha_.array() / k_.array();
    of.moments.variance.resize(n);
    for (Index i = 0; i < n; ++i) {
      const double off = one_[i] / k_[i];
      of.moments.variance[i] = (1 - L.col(i).tail(n - i).squaredNorm() / k_[i]) / k_[i] + off * off / sum_;
    }
  }

  static constexpr double pi = 3.14159265358979323846;
  static constexpr double least_misfit = 1e-200;  // of a constant target; a number, so that value and slope agree
  Vector y_, one_, alpha_;
  double sum_ = 0, q_ = 0;
};

class ClassEvidence final : public ExactEvidence {
 public:
  ClassEvidence(Covariance covariance, Vector k, Vector t)
      : ExactEvidence(std::move(covariance), std::move(k), 4),
        t_(std::move(t)),
        found_(with_intercept(t_.size())),
        first_(2 * (t_.size() + 1)),
        anderson_(2 * (t_.size() + 1), 8) {
    first_ = from_nothing();
  }

  bool set_tolerance(double nats) override {
    least_gain_ = std::max(nats, 0.001 * rounding());
    return true;
  }

  // Means and ln variances of the posterior that was found for the nearest hyper-parameters.
  [[nodiscard]] Vector posterior_near(const Hyperparameters& theta) const override {
    const Before* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Before& one : before_)
      if (one.theta.size() > 0 && (one.theta - theta).squaredNorm() < least) {
        nearest = &one;
        least = (one.theta - theta).squaredNorm();
      }
    if (nearest != nullptr) return nearest->moments;
    return first_;
  }
  void begin_with(const Vector& moments) override { first_ = moments; }

 private:
  // The posterior of the rows and, last, of the intercept: mean m = K u + b, variance s, and the omega of which s and F were computed.
  struct State {
    Vector m, s, u, omega;
    double b = 0, F = -std::numeric_limits<double>::infinity();
  };
  static State with_intercept(Index n) { return {Vector(n + 1), Vector(n + 1), Vector(n + 1), Vector(n + 1)}; }

  double log_evidence(const Hyperparameters& theta, Matrix& K, Matrix* M, double* d_log_h) override {
    const Index n = K.rows();
    const double h = std::exp(theta[0]);
    for (Index j = 0; j < n; ++j) K.col(j).tail(n - j) *= h;
    const double F = find_posterior(theta, K);
    if (M != nullptr && std::isfinite(F)) write_slope(K, *M, *d_log_h);
    return F;
  }

  void complete(Matrix&, FullPosterior& of) override {
    const Index n = t_.size();
    const Vector& omega = found_.omega;
    const Vector z = found_.m.array() + found_.u.array() / omega.array();
    of.rows = {.omega = omega.head(n), .z = z.head(n), .intercept_omega = omega[n], .intercept_z = z[n]};
    of.moments = {found_.m.head(n), found_.s.head(n)};
  }

  [[nodiscard]] Vector from_nothing() const {
    Vector out(2 * (t_.size() + 1));
    out << Vector::Zero(t_.size() + 1), Vector::Constant(t_.size() + 1, std::log(1e-2));
    return out;
  }
  // Less than the F of a posterior near zero. Where the weights are large, the steps from a posterior of other hyper-parameters may leave
  // the numbers that have digits, and do not come back.
  [[nodiscard]] double least_value() const { return -std::log(2.0) * N_ - 40.0 * static_cast<double>(t_.size() + 1); }

  double find_posterior(const Hyperparameters& theta, const Matrix& K) {
    double F = climb(posterior_near(theta), K);
    if (!(F >= least_value())) F = climb(from_nothing(), K);
    if (!(F >= least_value())) return F;  // no start for others
    Before& at = before_[calls_++ % before_.size()];
    at.theta = theta;
    at.moments.resize(found_.m.size() + found_.s.size());
    at.moments << found_.m, found_.s.array().log();
    return F;
  }

  // (KM.5). The intercept's row has the target 1/2 and weight 1: with 1/pi this is its prior. found_ becomes the posterior.       (SP.20)
  double climb(const Vector& start, const Matrix& K) {
    const Index n = K.rows();
    State state = found_, next = with_intercept(n);
    state.F = -std::numeric_limits<double>::infinity();
    anderson_.begin();
    Vector in(2 * (n + 1)), out(in.size()), mixed;  // means and ln variances before and after a step
    const Vector unit = Vector::Ones(in.size());
    in = start;
    bool is_mixed = false;
    double gain_before = 0;
    has_factor_ = false;
    constexpr int most_steps = 60;
    for (int step = 0; step < most_steps; ++step) {
      const Vector m = in.head(n + 1), s = in.tail(n + 1).array().exp();
      if (!solve(K, working_response(m, s, next.omega), next)) return -std::numeric_limits<double>::infinity();
      const double gain = next.F - state.F;
      if (!(gain > -least_gain_)) {  // back to the last step that rose, and from there half of the way
        if (!is_mixed) {
          halve(K, state, next);
          if (!(next.F > state.F)) break;
          std::swap(state, next);
        }
        anderson_.forget();
        gain_before = 0;
        in << state.m, state.s.array().log();
        is_mixed = false;
        continue;
      }
      std::swap(state, next);
      // What the next step would gain; the steps are extrapolated, so one that gained little may be chance.
      has_factor_ = gain * (gain_before > 0 ? std::clamp(gain / gain_before, 0.1, 1.0) : 1.0) < least_gain_;
      gain_before = std::isfinite(gain) ? gain : 0;
      if (has_factor_) break;
      out << state.m, state.s.array().log();
      anderson_.extrapolate(in, out, unit, mixed);
      is_mixed = mixed.allFinite() && anderson_.has_differences();
      in = is_mixed ? mixed : out;
    }
    found_ = std::move(state);
    return found_.F;
  }

  [[nodiscard]] double weight(Index i) const { return i < k_.size() ? k_[i] : 1.0; }
  [[nodiscard]] double target(Index i) const { return i < k_.size() ? t_[i] : 0.5; }

  // m + r/omega, with the omega of these moments.
  Vector working_response(const Vector& m, const Vector& s, Vector& omega) {
    Vector z(m.size());
    moments_.of(m, s);
    for (Index i = 0; i < z.size(); ++i) {
      omega[i] = weight(i) * std::max(moments_.slope[i], least_omega);
      z[i] = m[i] + weight(i) * (target(i) - moments_.sigma[i]) / omega[i];
    }
    return z;
  }

  // Steps from `from` towards the result `to` that are so short that the bound rises: in ln omega and in u. `to` becomes the result.
  void halve(const Matrix& K, const State& from, State& to) {
    Vector omega = to.omega, u = to.u, m = to.m;
    for (int halving = 0; halving < 12; ++halving) {
      omega = (omega.array() * from.omega.array()).sqrt();
      u = 0.5 * (u + from.u);
      m = 0.5 * (m + from.m);
      to.omega = omega;
      if (!solve(K, m.array() + u.array() / omega.array(), to) || to.F > from.F) return;
    }
  }

  // Fills all of `next` but omega.
  bool solve(const Matrix& K, const Vector& z, State& next) {
    const Index n = K.rows();
    const Vector& omega = next.omega;
    const Vector root = omega.head(n).cwiseSqrt();
    factor_ = K;
    for (Index j = 0; j < n; ++j) factor_.col(j).tail(n - j).array() *= root[j] * root.tail(n - j).array();
    factor_.diagonal().array() += 1;
    if (!blas::potrf(n, factor_.data(), n)) return false;
    const double log_det = log_determinant(factor_);
    static_cast<void>(blas::trtri(n, factor_.data(), n));  // A = (I + root K root)^-1 = factor' factor
    Vector Bz = root.array() * z.head(n).array(), B1 = root;
    for (Vector* v : {&Bz, &B1}) {
      blas::trmv(blas::Transpose::no, n, factor_.data(), n, v->data());
      blas::trmv(blas::Transpose::yes, n, factor_.data(), n, v->data());
      v->array() *= root.array();
    }
    const double sum = B1.sum() + omega[n];
    next.b = (Bz.sum() + omega[n] * z[n]) / sum;
    next.u.head(n) = Bz - next.b * B1;
    next.u[n] = omega[n] * (z[n] - next.b);
    next.m = z.array() - next.u.array() / omega.array();
    next.s[n] = 1 / sum;
    double F = 0.5 * ln_2pi - ln_pi - 0.5 * log_det - 0.5 * std::log(sum);
    for (Index i = 0; i < n; ++i) {
      const double w = omega[i], off = B1[i] / w;  // 1 - K B 1
      next.s[i] = (1 - factor_.col(i).tail(n - i).squaredNorm()) / w + off * off / sum;
    }
    moments_.of(next.m, next.s);
    for (Index i = 0; i <= n; ++i) F += weight(i) * (target(i) * next.m[i] - moments_.softplus[i]) + 0.5 * omega[i] * next.s[i];
    const Vector f = next.m.head(n).array() - next.b;
    next.F = F - 0.5 * next.u.head(n).dot(f);  // u'K u
    B1_ = B1;
    return true;
  }

  // 1/2 (u u' - P), with P = B - B 1 1'B / 1'B 1.
  void write_slope(const Matrix& K, Matrix& M, double& d_log_h) {
    const Index n = K.rows();
    const State& state = found_;
    if (State again = state; !has_factor_) static_cast<void>(solve(K, state.m.array() + state.u.array() / state.omega.array(), again));
    blas::lauum(n, factor_.data(), n);
    const Vector root = state.omega.head(n).cwiseSqrt();
    const double sum = 1 / state.s[n];
    M.resize(n, n);
    for (Index j = 0; j < n; ++j) {
      const Index rest = n - j;
      M.col(j).tail(rest) =
          0.5 * (state.u[j] * state.u.segment(j, rest).array() - root[j] * root.tail(rest).array() * factor_.col(j).tail(rest).array() +
                 B1_[j] / sum * B1_.tail(rest).array());
    }
    const Vector f = state.m.head(n).array() - state.b;
    const double trace = static_cast<double>(n) - factor_.trace() - B1_.dot(Vector(1 - B1_.array() / state.omega.head(n).array())) / sum;
    d_log_h = 0.5 * (state.u.head(n).dot(f) - trace);
  }

  static constexpr double least_omega = 1e-9;  // per unit of weight: below, 1 - omega s has no digits
  static constexpr double ln_pi = 1.1447298858494001741;
  struct Before {
    Hyperparameters theta;
    Vector moments;
  };
  Vector t_;
  State found_;
  Vector first_;  // means and ln variances before anything is known
  LogisticMoments moments_;
  Anderson anderson_;  // its differences are those of posteriors before, too
  std::array<Before, 64> before_;
  std::size_t calls_ = 0;
  double least_gain_ = exact;  // nats
  Matrix factor_;
  Vector B1_;
  bool has_factor_ = false;  // whether factor_ and B1_ are of found_, and not of a step that was not taken
};

}  // namespace

Matrix FullEvidence::signal_covariance(const Hyperparameters& theta) const {
  Matrix K;
  covariance_.evaluate(theta.tail(theta.size() - 1), K, nullptr);
  K *= std::exp(theta[0]);
  return K;
}

std::unique_ptr<FullEvidence> regression_evidence(Covariance covariance, Vector k, Vector y) {
  return std::make_unique<RegressionEvidence>(std::move(covariance), std::move(k), std::move(y));
}
std::unique_ptr<FullEvidence> class_evidence(Covariance covariance, Vector k, Vector t) {
  return std::make_unique<ClassEvidence>(std::move(covariance), std::move(k), std::move(t));
}

}  // namespace ardvark::internal
