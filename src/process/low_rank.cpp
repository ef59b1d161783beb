#include "process/low_rank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/anderson.hpp"
#include "core/blas.hpp"
#include "core/special.hpp"
#include "process/features.hpp"

namespace ardvark::internal {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// A sum over the inputs, so that their order does not matter; without their last bits, which the units of the table decide.
std::uint64_t hash_of(const Matrix& X, Index row) {
  std::uint64_t sum = 0;
  for (Index j = 0; j < X.cols(); ++j) sum += mixed(std::bit_cast<std::uint32_t>(static_cast<float>(X(row, j)) + 0.0F));
  return mixed(sum);
}

// d / d ln h of the part with the features, and the slope in ln rho. \param ratio  nu/q; classes: 1
void add_slopes(const Features& features, const FeatureSums& sums, const SolvedFeatures& s, const Vector& omega, const Vector& z,
                double ratio, const Vector& k, const Vector& fk, double d_l_per_kk, Vector& gradient) {
  const Index all = s.w.size(), m = features.size();
  gradient[0] += slope_of_scale(s, ratio, 0) - 0.5 * sums.rest;
  if (all > m) gradient[gradient.size() - 1] += slope_of_scale(s, ratio, m);
  if (features.num_widths() == 0) return;
  const FeatureSlope slope = kernel_slope(sums, s, ratio, fk, d_l_per_kk, m);
  gradient.segment(1, features.num_widths()) += features.slope_of_centres(slope) + features.slope_of_rows(slope, omega, z, k);
}

class LowRankRegression final : public LowRankEvidence {
 public:
  LowRankRegression(Covariance covariance, Vector k, Vector y)
      : LowRankEvidence(std::move(covariance), std::move(k), 1), y_(std::move(y)) {}

  Slope at(const Hyperparameters& theta, bool with_gradient) override {
    const Features features(covariance_, centres_, theta);
    if (!features.is_good()) return {};
    const FeatureSums sums = features.sums(k_, y_);
    const SolvedFeatures s = solved(sums, 0, 0);
    if (s.w.size() == 0) return {};
    const double nu = N_ - 1;
    q_ = misfit(sums, s);
    Slope out;
    out.value = log_evidence_of_regression(sums, s, N_) + 0.5 * k_.array().log().sum();
    if (with_gradient) out.gradient = Vector::Zero(theta.size());
    const double l = (N_ * features.h() - sums.f1.head(features.size()).squaredNorm() / N_) / nu;
    const double d_l = add_prior(theta, l, out);
    if (with_gradient) add_slopes(features, sums, s, k_, y_, nu / q_, k_, sums.f1, -d_l / (N_ * nu), out.gradient);
    return out;
  }
  ProcessRows rows(const Hyperparameters& theta) override {
    static_cast<void>(at(theta, false));
    return {.omega = k_, .z = y_, .s2 = q_ / (N_ - 1), .nu = N_ - 1};
  }
  FeaturePosterior posterior(const Hyperparameters& theta) override {
    const Features features(covariance_, centres_, theta);
    const FeatureSums sums = features.sums(k_, y_);
    return posterior_of(sums, solved(sums, 0, 0), 0);
  }

 private:
  Vector y_;
  double q_ = 0;
};

class LowRankClasses final : public LowRankEvidence {
 public:
  LowRankClasses(Covariance covariance, Vector k, Vector t)
      : LowRankEvidence(std::move(covariance), std::move(k), 4),
        t_(std::move(t)),
        m_(Vector::Zero(t_.size() + 1)),
        s_(Vector::Constant(t_.size() + 1, 0.01)),
        anderson_(2 * (t_.size() + 1), 8) {}

  bool set_tolerance(double nats) override {
    least_gain_ = std::max({nats, 1e-7, 0.001 * rounding()});
    return true;
  }

  Slope at(const Hyperparameters& theta, bool with_gradient) override {
    const Features features(covariance_, centres_, theta, 20);
    if (!features.is_good()) return {};
    Vector fk = Vector::Zero(features.size_with_linear_part());
    fk = features.sum(fk, [&](Vector& to, Index first, const Matrix& Phi) { to += Phi.transpose() * k_.segment(first, Phi.rows()); });
    Slope out;
    out.value = find_posterior(features);
    if (!std::isfinite(out.value)) return {};
    if (with_gradient) out.gradient = Vector::Zero(theta.size());
    const double nu = N_ - 1, l = (N_ * features.h() - fk.head(features.size()).squaredNorm() / N_) / nu;
    const double d_l = add_prior(theta, l, out);
    if (!with_gradient) return out;
    const Index n = t_.size();
    const FeatureSums sums = features.sums(omega_.head(n), z_.head(n));
    add_slopes(features, sums, solved(sums, omega_[n], z_[n]), omega_.head(n), z_.head(n), 1, k_, fk, -d_l / (N_ * nu), out.gradient);
    return out;
  }
  ProcessRows rows(const Hyperparameters& theta) override {
    static_cast<void>(at(theta, false));
    const Index n = t_.size();
    return {.omega = omega_.head(n), .z = z_.head(n), .intercept_omega = omega_[n], .intercept_z = z_[n]};
  }
  FeaturePosterior posterior(const Hyperparameters& theta) override {
    const Features features(covariance_, centres_, theta);
    const ProcessRows r = rows(theta);
    const FeatureSums sums = features.sums(r.omega, r.z);
    return posterior_of(sums, solved(sums, r.intercept_omega, r.intercept_z), r.intercept_omega);
  }

 private:
  [[nodiscard]] WorkingRow row(Index i, double m, double s) const {
    const bool is_row = i < t_.size();
    return working_row(is_row ? k_[i] : 1, is_row ? t_[i] : 0.5, m, s);
  }

  // The bound at the posterior for these features; leaves omega and z, from which it comes, and means and variances.
  double find_posterior(const Features& features) {
    const Index n = t_.size();
    double best = -std::numeric_limits<double>::infinity();
    Vector in(2 * (n + 1)), out(in.size()), mixed, kept;
    in << m_, s_.array().log();
    anderson_.begin();
    const Vector unit = Vector::Ones(in.size());
    bool is_mixed = false;
    double share = 1;  // of the step: less where a whole one falls
    for (int step = 0; step < 80; ++step) {
      Vector omega(n + 1), z(n + 1);
      for (Index i = 0; i <= n; ++i) {
        const WorkingRow r = row(i, in[i], std::exp(in[n + 1 + i]));
        omega[i] = r.omega, z[i] = r.z;
      }
      if (share < 1) {  // between these rows and those that gave the last posterior the bound rises
        z = (1 - share) * omega_.cwiseProduct(z_) + share * omega.cwiseProduct(z);
        omega = (1 - share) * omega_ + share * omega;
        z = z.cwiseQuotient(omega);
      }
      Vector m(n + 1), s(n + 1);
      const double F = result(features, omega, z, m, s);
      const double gain = F - best;
      if (!(gain > -0.1 * least_gain_)) {
        if (!is_mixed) {
          const double rounding = std::max(least_gain_, 1e-10 * std::abs(best));
          if (!std::isfinite(best) || gain > -rounding || share < 1e-3) break;  // the plain step has no more to give
          share *= 0.5;
        }
        anderson_.forget();
        in = kept;
        is_mixed = false;
        continue;
      }
      best = F;
      const bool was_short = std::exchange(share, std::min(1.0, 2 * share)) < 1;
      omega_ = std::move(omega), z_ = std::move(z), m_ = std::move(m), s_ = std::move(s);
      out << m_, s_.array().log();
      kept = out;
      if (gain < least_gain_ && !was_short) break;
      anderson_.extrapolate(in, out, unit, mixed);
      is_mixed = share == 1 && mixed.allFinite() && anderson_.has_differences();
      in = is_mixed ? mixed : out;
    }
    return best;
  }

  // The bound with this omega and z, and the means and variances of the scores, the intercept last.
  double result(const Features& features, const Vector& omega, const Vector& z, Vector& m, Vector& s) const {
    const Index n = t_.size(), size = features.size_with_linear_part();
    const FeatureSums sums = features.sums(omega.head(n), z.head(n));
    const SolvedFeatures p = solved(sums, omega[n], z[n]);
    if (p.w.size() == 0) return -std::numeric_limits<double>::infinity();
    m[n] = p.b;
    s[n] = 1 / p.one;
    Matrix root = p.factor;
    static_cast<void>(blas::trtri(size, root.data(), size));
    double F = 0.5 * ln_2pi - 1.1447298858494001741 - 0.5 * p.w.squaredNorm() - 0.5 * p.log_det - 0.5 * std::log(p.one);
    F += features.sum(0.0, [&](double& to, Index first, const Matrix& Phi) {
      Matrix V = Phi;
      blas::trmm(blas::Side::right, blas::Transpose::yes, Phi.rows(), size, root.data(), size, V.data(), Phi.rows());
      const Vector mean = Phi * p.w, off = Phi * p.g;
      for (Index i = 0; i < Phi.rows(); ++i) {
        const double rest = std::max(features.h() - Phi.row(i).head(features.size()).squaredNorm(), 0.0), far = 1 - off[i];
        const double of_features = V.row(i).squaredNorm() + far * far / p.one;
        m[first + i] = mean[i] + p.b;
        s[first + i] = of_features + rest;
        to += row(first + i, m[first + i], s[first + i]).log_likelihood + 0.5 * omega[first + i] * of_features;
      }
    });
    return F + row(n, m[n], s[n]).log_likelihood + 0.5 * omega[n] * s[n];
  }

  Vector t_, m_, s_, omega_, z_;
  Anderson anderson_;          // its differences are those of posteriors before, too
  double least_gain_ = exact;  // nats
};

}  // namespace

std::vector<Index> rows_by_hash(const Matrix& X, Index count) {
  std::vector<std::pair<std::uint64_t, Index>> keyed;
  for (Index i = 0; i < X.rows(); ++i) keyed.emplace_back(hash_of(X, i), i);  // rows are sorted by content: ties are, too
  count = std::min(count, X.rows());
  std::partial_sort(keyed.begin(), keyed.begin() + count, keyed.end());
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(keyed[static_cast<std::size_t>(i)].second);
  return rows;
}

std::vector<Index> choose_centres(const Covariance& covariance, const Hyperparameters& theta, Index count) {
  const std::vector<Index> pool = rows_by_hash(covariance.inputs(), std::max<Index>(10 * count, 5000));
  const Matrix A = covariance.scaled(covariance.inputs()(pool, Eigen::all), theta.tail(theta.size() - 1));
  const Index n = A.rows();
  constexpr double least = 1e-8;  // a row that is explained so well adds nothing
  Vector residual = Vector::Ones(n);
  Matrix Phi(n, std::min(count, n)), column;
  std::vector<Index> chosen;
  for (Index m = 0; m < Phi.cols(); ++m) {
    pulse();
    Index pivot = 0;
    if (!(residual.maxCoeff(&pivot) > least)) break;
    covariance.between(A, A.row(pivot), column, nullptr);
    Vector l = column.col(0) - Phi.leftCols(m) * Phi.row(pivot).head(m).transpose();
    l /= std::sqrt(residual[pivot]);
    residual -= l.cwiseAbs2();
    residual[pivot] = 0;
    Phi.col(m) = l;
    chosen.push_back(pool[static_cast<std::size_t>(pivot)]);
  }
  return chosen;
}

void LowRankEvidence::set_centres(const std::vector<Index>& rows) { centres_ = covariance_.inputs()(rows, Eigen::all); }

std::unique_ptr<LowRankEvidence> low_rank_regression(Covariance covariance, Vector k, Vector y) {
  return std::make_unique<LowRankRegression>(std::move(covariance), std::move(k), std::move(y));
}
std::unique_ptr<LowRankEvidence> low_rank_classes(Covariance covariance, Vector k, Vector t) {
  return std::make_unique<LowRankClasses>(std::move(covariance), std::move(k), std::move(t));
}

}  // namespace ardvark::internal
