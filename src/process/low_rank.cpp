#include "process/low_rank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/anderson.hpp"
#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/special.hpp"

namespace ardvark::internal {
namespace {

constexpr double jitter = 1e-9;  // of the kernel of the centres, in units of h: it stays below the kernel itself
constexpr Index rows_of_block = 512;
constexpr Index num_lanes = 8;  // partial sums, whatever the number of threads

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

namespace {

// Sums over the rows with precisions omega and responses z, in features that include sqrt(h).
struct Sums {
  Matrix S;                                   // Phi' Omega Phi, lower
  Vector f1, fz;                              // Phi' omega, Phi' Omega z
  double omega = 0, z = 0, zz = 0, rest = 0;  // sums of omega, omega z, omega z^2, omega (h - |phi|^2)

  explicit Sums(Index m) : S(Matrix::Zero(m, m)), f1(Vector::Zero(m)), fz(Vector::Zero(m)) {}
  void operator+=(const Sums& other) {
    S += other.S, f1 += other.f1, fz += other.fz;
    omega += other.omega, z += other.z, zz += other.zz, rest += other.rest;
  }
};

// The posterior of the features' weights and of the intercept, A = I + S.
struct Solved {
  Matrix inverse, factor;  // A^-1, both triangles, and its Cholesky factor
  Vector g, w;             // A^-1 f1; mean of the weights
  double b = 0, one = 0, log_det = 0;
};

// What a low-rank evidence of either task does with features.
class Features {
 public:
  /// \param passes  over the rows, about: with many, features are kept if they are few enough
  Features(const Covariance& covariance, const Matrix& centres, const Hyperparameters& theta, Index passes = 1)
      : covariance_(covariance),
        h_(std::exp(theta[0])),
        theta_(theta),
        log_rho_(theta.tail(theta.size() - 1)),
        C_(covariance.scaled(centres, log_rho_)) {
    covariance.between(C_, C_, K_, &decline_);
    inverse_ = h_ * K_;
    inverse_.diagonal().array() += h_ * jitter;
    is_good_ = blas::potrf(size(), inverse_.data(), size()) && blas::trtri(size(), inverse_.data(), size());
    inverse_.triangularView<Eigen::StrictlyUpper>().setZero();
    constexpr Index most_kept = Index{1} << 23;  // numbers: 64 MiB
    if (const Index n = covariance_.num_rows(); passes > 2 && n * size_with_linear_part() <= most_kept)
      kept_.resize(static_cast<std::size_t>((n + rows_of_block - 1) / rows_of_block));
  }
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] Index size() const { return C_.rows(); }  ///< of the kernel; after them come those of the linear part          (KM.11)
  [[nodiscard]] Index size_with_linear_part() const { return size() + (covariance_.has_linear_part() ? covariance_.inputs().cols() : 0); }
  [[nodiscard]] Index num_widths() const { return covariance_.num_widths(); }
  [[nodiscard]] double h() const { return h_; }

  // Calls f(lane, first row, Phi [rows, all features], scaled inputs, decline) for blocks of rows; the blocks of a lane follow each other.
  template <typename Function>
  void for_blocks(bool with_decline, Function&& f) const {
    const Index n = covariance_.num_rows(), blocks = (n + rows_of_block - 1) / rows_of_block, m = size();
    const blas::ThreadScope one{blas::ThreadScope::OursAlone{}};
    parallel_for(num_lanes, blas::threads_for(static_cast<double>(n) * static_cast<double>(m) * static_cast<double>(m)), [&](Index lane) {
      Matrix own, decline;
      for (Index block = lane * blocks / num_lanes; block < (lane + 1) * blocks / num_lanes; ++block) {
        pulse();
        const Index first = block * rows_of_block, count = std::min(rows_of_block, n - first);
        const auto inputs = covariance_.inputs().middleRows(first, count);
        Matrix& Phi = kept_.empty() ? own : kept_[static_cast<std::size_t>(block)];
        if (!with_decline && !kept_.empty() && Phi.size() > 0) {
          f(lane, first, Phi, {}, decline);
          continue;
        }
        const Matrix A = covariance_.scaled(inputs, log_rho_);
        covariance_.between(A, C_, Phi, with_decline ? &decline : nullptr);
        Phi *= h_;
        blas::trmm(blas::Side::right, blas::Transpose::yes, count, m, inverse_.data(), m, Phi.data(), count);
        if (covariance_.has_linear_part()) {
          Phi.conservativeResize(count, size_with_linear_part());
          Phi.rightCols(Phi.cols() - m) = covariance_.linear_features(inputs, theta_);
        }
        f(lane, first, Phi, A, decline);
      }
    });
  }

  // Sums over lanes of what f adds for each block.
  template <typename Sum, typename Function>
  [[nodiscard]] Sum sum(Sum start, Function&& f) const {
    std::vector<Sum> lanes(static_cast<std::size_t>(num_lanes), start);
    for_blocks(false, [&](Index lane, Index first, const Matrix& Phi, const Matrix&, const Matrix&) {
      f(lanes[static_cast<std::size_t>(lane)], first, Phi);
    });
    for (const Sum& lane : lanes) start += lane;
    return start;
  }

  [[nodiscard]] Sums sums(const Vector& omega, const Vector& z) const {
    return sum(Sums(size_with_linear_part()), [&](Sums& to, Index first, const Matrix& Phi) {
      const Index count = Phi.rows(), m = Phi.cols();
      const auto o = omega.segment(first, count), y = z.segment(first, count);
      const Vector oy = o.cwiseProduct(y);
      to.f1 += Phi.transpose() * o;
      to.fz += Phi.transpose() * oy;
      to.omega += o.sum(), to.z += oy.sum(), to.zz += oy.dot(y);
      to.rest += o.dot((h_ - Phi.leftCols(size()).rowwise().squaredNorm().array()).matrix());
      const Matrix weighted = o.cwiseSqrt().asDiagonal() * Phi;
      blas::syrk(blas::Transpose::yes, m, count, 1.0, weighted.data(), count, 1.0, to.S.data(), m);
    });
  }

  // Slope in ln rho, by the derivative of the evidence with respect to the kernel:
  //   rows omega o (Phi Y + (z - b) v1' + v0') L^-1 + k x' L^-1,  centres L^-T G L^-1                                              (KM.7)
  [[nodiscard]] Vector slope(const Vector& omega, const Vector& z, const Vector& k, const Matrix& Y, const Vector& v1, const Vector& v0,
                             double b, const Vector& of_k, const Matrix& G) const {
    const Index m = size();
    std::vector<Vector> lanes(static_cast<std::size_t>(num_lanes), Vector::Zero(covariance_.num_widths()));
    for_blocks(true, [&](Index lane, Index first, const Matrix& Phi, const Matrix& A, const Matrix& decline) {
      const Index count = Phi.rows();
      Matrix M = products::times(Phi, Y);
      M += (z.segment(first, count).array() - b).matrix() * v1.transpose();
      M.rowwise() += v0.transpose();
      M = omega.segment(first, count).asDiagonal() * M;
      M += k.segment(first, count) * of_k.transpose();
      blas::trmm(blas::Side::right, blas::Transpose::no, count, m, inverse_.data(), m, M.data(), count);
      M *= h_;
      covariance_.add_slope(A, C_, decline, M, lanes[static_cast<std::size_t>(lane)]);
    });
    Matrix M = G;
    blas::trmm(blas::Side::right, blas::Transpose::no, m, m, inverse_.data(), m, M.data(), m);
    blas::trmm(blas::Side::left, blas::Transpose::yes, m, m, inverse_.data(), m, M.data(), m);
    M *= h_;
    Vector out = Vector::Zero(covariance_.num_widths());
    covariance_.add_slope(C_, C_, decline_, M, out);
    for (const Vector& lane : lanes) out += lane;
    return out;
  }

 private:
  const Covariance& covariance_;
  double h_;
  Vector theta_, log_rho_;
  Matrix C_, K_, decline_, inverse_;  // scaled centres; their kernel; L^-1 of it times h
  mutable std::vector<Matrix> kept_;  // features of each block, or empty
  bool is_good_ = false;
};

Solved solved(const Sums& sums, double intercept_omega, double intercept_z) {
  Solved out;
  const Index m = sums.f1.size();
  out.factor = sums.S;
  out.factor.diagonal().array() += 1;
  if (!blas::potrf(m, out.factor.data(), m)) return out;
  out.factor.triangularView<Eigen::StrictlyUpper>().setZero();
  out.inverse = out.factor;
  static_cast<void>(blas::trtri(m, out.inverse.data(), m));
  blas::lauum(m, out.inverse.data(), m);
  out.inverse.triangularView<Eigen::StrictlyUpper>() = out.inverse.transpose();
  out.g = out.inverse * sums.f1;
  out.one = sums.omega + intercept_omega - sums.f1.dot(out.g);
  out.b = (sums.z + intercept_omega * intercept_z - sums.fz.dot(out.g)) / out.one;
  out.w = out.inverse * (sums.fz - out.b * sums.f1);
  out.log_det = 2 * out.factor.diagonal().array().log().sum();
  return out;
}

// With the intercept as the last weight.
FeaturePosterior posterior_of(const Sums& sums, const Solved& s, double intercept_omega) {
  const Index m = sums.f1.size();
  FeaturePosterior out{Vector(m + 1), Matrix::Zero(m + 1, m + 1)};
  out.mean << s.w, s.b;
  out.factor.topLeftCorner(m, m) = s.factor;
  Vector row = sums.f1;
  blas::trsv(blas::Transpose::no, m, s.factor.data(), m, row.data());
  out.factor.row(m).head(m) = row.transpose();
  out.factor(m, m) = std::sqrt(std::max(sums.omega + intercept_omega - row.squaredNorm(), 1e-300));
  return out;
}

// d / d ln h of the part with the features, and the slope in ln rho. \param ratio  nu/q; classes: 1
void add_slopes(const Features& features, const Sums& sums, const Solved& s, const Vector& omega, const Vector& z, double ratio,
                const Vector& k, const Vector& fk, double of_l_per_kk, Vector& gradient) {
  const Index all = s.w.size(), m = features.size();
  // d/d ln of the scale of the features from `first` on, but for the part that they leave out.
  const auto of_scale = [&](Index first) {
    const Index count = all - first;
    return 0.5 * (ratio * s.w.tail(count).squaredNorm() - (static_cast<double>(count) - s.inverse.diagonal().tail(count).sum()) +
                  s.g.tail(count).squaredNorm() / s.one);
  };
  gradient[0] += of_scale(0) - 0.5 * sums.rest;
  if (all > m) gradient[gradient.size() - 1] += of_scale(m);
  if (features.num_widths() == 0) return;
  const Matrix outer = ratio * s.w * s.w.head(m).transpose() + s.g * s.g.head(m).transpose() / s.one;
  const Matrix Y = Matrix::Identity(all, m) - s.inverse.leftCols(m) - outer;
  Matrix S = sums.S.topLeftCorner(m, m);
  S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
  const Vector f = fk.head(m);
  const Matrix G = -0.5 * (outer.topRows(m) - Matrix::Identity(m, m) + s.inverse.topLeftCorner(m, m) + S) - of_l_per_kk * f * f.transpose();
  gradient.segment(1, features.num_widths()) +=
      features.slope(omega, z, k, Y, ratio * s.w.head(m), s.g.head(m) / s.one, s.b, 2 * of_l_per_kk * f, G);
}

class LowRankRegression final : public LowRankEvidence {
 public:
  LowRankRegression(Covariance covariance, Vector k, Vector y)
      : LowRankEvidence(std::move(covariance), std::move(k), 1), y_(std::move(y)) {}

  Slope at(const Hyperparameters& theta, bool with_gradient) override {
    const Features features(covariance_, centres_, theta);
    if (!features.is_good()) return {};
    const Sums sums = features.sums(k_, y_);
    const Solved s = solved(sums, 0, 0);
    if (s.w.size() == 0) return {};
    const double nu = N_ - 1;
    q_ = std::max(sums.zz - sums.fz.dot(s.inverse * sums.fz) - s.b * s.b * s.one, 1e-200);
    Slope out;
    out.value = log_gamma(0.5 * nu) - 0.5 * nu * std::log(3.14159265358979323846 * q_) - 0.5 * (s.log_det - k_.array().log().sum()) -
                0.5 * std::log(s.one) - 0.5 * sums.rest;
    if (with_gradient) out.gradient = Vector::Zero(theta.size());
    const double l = (N_ * features.h() - sums.f1.head(features.size()).squaredNorm() / N_) / nu;
    const double of_l = add_prior(theta, l, out);
    if (with_gradient) add_slopes(features, sums, s, k_, y_, nu / q_, k_, sums.f1, -of_l / (N_ * nu), out.gradient);
    return out;
  }
  WorkingRows rows(const Hyperparameters& theta) override {
    static_cast<void>(at(theta, false));
    return {.omega = k_, .z = y_, .s2 = q_ / (N_ - 1), .nu = N_ - 1};
  }
  FeaturePosterior posterior(const Hyperparameters& theta) override {
    const Features features(covariance_, centres_, theta);
    const Sums sums = features.sums(k_, y_);
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
    least_gain_ = std::max(nats, 1e-7);
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
    const double of_l = add_prior(theta, l, out);
    if (!with_gradient) return out;
    const Index n = t_.size();
    const Sums sums = features.sums(omega_.head(n), z_.head(n));
    add_slopes(features, sums, solved(sums, omega_[n], z_[n]), omega_.head(n), z_.head(n), 1, k_, fk, -of_l / (N_ * nu), out.gradient);
    return out;
  }
  WorkingRows rows(const Hyperparameters& theta) override {
    static_cast<void>(at(theta, false));
    const Index n = t_.size();
    return {.omega = omega_.head(n), .z = z_.head(n), .intercept_omega = omega_[n], .intercept_z = z_[n]};
  }
  FeaturePosterior posterior(const Hyperparameters& theta) override {
    const Features features(covariance_, centres_, theta);
    const WorkingRows r = rows(theta);
    const Sums sums = features.sums(r.omega, r.z);
    return posterior_of(sums, solved(sums, r.intercept_omega, r.intercept_z), r.intercept_omega);
  }

 private:
  // The expectations of a row, or of the intercept's row.
  struct Row {
    double omega, z, log_likelihood;
  };
  [[nodiscard]] Row row(Index i, double m, double s) const {
    const bool is_row = i < t_.size();
    const double k = is_row ? k_[i] : 1, t = is_row ? t_[i] : 0.5;
    const LogisticExpectation e = expected_logistic(m, s);
    const double omega = k * std::max(e.slope, 1e-9);
    return {omega, m + k * (t - e.sigma) / omega, k * (t * m - e.softplus)};
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
    for (int step = 0; step < 50; ++step) {
      Vector omega(n + 1), z(n + 1);
      for (Index i = 0; i <= n; ++i) {
        const Row r = row(i, in[i], std::exp(in[n + 1 + i]));
        omega[i] = r.omega, z[i] = r.z;
      }
      Vector m(n + 1), s(n + 1);
      const double F = result(features, omega, z, m, s);
      const double gain = F - best;
      if (!(gain > -0.1 * least_gain_)) {
        if (!is_mixed) break;  // the plain step has no more to give
        anderson_.forget();
        in = kept;
        is_mixed = false;
        continue;
      }
      best = F;
      omega_ = std::move(omega), z_ = std::move(z), m_ = std::move(m), s_ = std::move(s);
      out << m_, s_.array().log();
      kept = out;
      if (gain < least_gain_) break;
      anderson_.extrapolate(in, out, unit, mixed);
      is_mixed = mixed.allFinite() && anderson_.has_differences();
      in = is_mixed ? mixed : out;
    }
    return best;
  }

  // The bound with this omega and z, and the means and variances of the scores, the intercept last.
  double result(const Features& features, const Vector& omega, const Vector& z, Vector& m, Vector& s) const {
    const Index n = t_.size(), size = features.size_with_linear_part();
    const Sums sums = features.sums(omega.head(n), z.head(n));
    const Solved p = solved(sums, omega[n], z[n]);
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

std::unique_ptr<LowRankEvidence> low_rank_regression(Covariance covariance, Vector k, Vector y) {
  return std::make_unique<LowRankRegression>(std::move(covariance), std::move(k), std::move(y));
}
std::unique_ptr<LowRankEvidence> low_rank_classes(Covariance covariance, Vector k, Vector t) {
  return std::make_unique<LowRankClasses>(std::move(covariance), std::move(k), std::move(t));
}

}  // namespace ardvark::internal
