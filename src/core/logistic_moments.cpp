#include "core/logistic_moments.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/exponential.hpp"

namespace ardvark::internal {
namespace {

// (1 + 2t) exp(t^2) erfc(t) as a polynomial of (t - 3)/(t + 3), t >= 0: interpolated at 24 nodes of Chebyshev; the relative error is
// below 6e-16.
constexpr double middle = 3;
constexpr std::array<double, 24> scaled_erfc = {
    1.2530080582697296,      -0.13562110612458117,    -0.04756229435341891,    0.1296451587027613,      -0.119273663416819,
    0.068308027343948169,    -0.02377051489060672,    0.0025293918164987052,   0.0018886900903269726,   -0.00077983227518514111,
    -0.00010515827823000198, 0.00012509936513620951,  4.9440229042592892e-06,  -2.0100601306111132e-05, -7.1859829962421051e-07,
    3.4724711350797577e-06,  3.364691854764364e-07,   -6.1671172280064468e-07, -1.2037058949587731e-07, 1.0191276444970754e-07,
    2.7771796122048425e-08,  -1.3343131636626518e-08, -3.1682224251502098e-09, 9.9143922701235466e-10};

template <std::size_t... k>
[[gnu::always_inline]] inline double polynomial(double q, std::index_sequence<k...>) {
  double sum = scaled_erfc.back();
  ((sum = sum * q + scaled_erfc[scaled_erfc.size() - 2 - k]), ...);
  return sum;
}

constexpr Index least_rows = 8;  // fewer cost less than a block

// One simple loop of a fixed length: compilers turn it into vector instructions.
[[gnu::always_inline]] inline void add_term(const LogisticTerm& term) {
  constexpr Index block = LogisticTerm::block;
  constexpr double root_half = 0.70710678118654752440, of_density = 0.39894228040143267794,
                   far = 26;  // exp(-t^2) is 1e-294 there, and 0 beyond; NaN stays
  double sigma[block], slope[block], softplus[block], a[block], r[block];
  for (Index i = 0; i < block; ++i) a[i] = term.a[i], r[i] = term.r[i];
  for (Index i = 0; i < block; ++i) {
    const double inverse = term.scale / r[i], z = -a[i] * inverse * root_half, t = z < far ? z : far;
    const double e = z < far ? exponential(-t * t) : 0 * z, up = t + middle, twice = 1 + 2 * t, divided = 1 / (up * twice);
    const double cdf = 0.5 * e * polynomial((t - middle) * twice * divided, std::make_index_sequence<23>{}) * up * divided;
    const double density = of_density * e;
    sigma[i] = term.weight * cdf;
    slope[i] = term.weight * inverse * density;
    softplus[i] = term.weight * (a[i] * cdf + r[i] / term.scale * density);
  }
  for (Index i = 0; i < block; ++i) term.sigma[i] += sigma[i], term.slope[i] += slope[i], term.softplus[i] += softplus[i];
}

#define ARDVARK_LOGISTIC(name, ...) \
  __VA_ARGS__ void add_##name(const LogisticTerm& term) { add_term(term); }
ARDVARK_FOR_SIMD(ARDVARK_LOGISTIC)

}  // namespace

std::span<const LogisticMomentsVersion> logistic_moments_versions() {
#define ARDVARK_LOGISTIC_VERSION(name, ...) LogisticMomentsVersion{simd::Level::name, add_##name},
  static const std::array versions = {ARDVARK_FOR_SIMD(ARDVARK_LOGISTIC_VERSION)};
  return versions;
}

void LogisticMoments::of(const Eigen::Ref<const Vector>& m, const Eigen::Ref<const Vector>& s) {
  static const LogisticMomentsVersion& best = simd::best(logistic_moments_versions());
  constexpr Index block = LogisticTerm::block;
  using Block = Eigen::Array<double, block, 1>;
  const Index n = m.size();
  sigma.resize(n), slope.resize(n), softplus.resize(n);
  if (n < least_rows) {
    for (Index i = 0; i < n; ++i) {
      const LogisticExpectation e = expected_logistic(m[i], s[i]);
      sigma[i] = e.sigma, slope[i] = e.slope, softplus[i] = e.softplus;
    }
    return;
  }
  Block a = Block::Zero(), variance = Block::Zero();
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    a.head(count) = -m.segment(first, count).array().abs();
    variance.head(count) = s.segment(first, count);
    Block of_sigma = Block::Zero(), of_slope = of_sigma, of_softplus = of_sigma;
    for (std::size_t k = 0; k < logistic_scale.size(); ++k) {
      const double scale = logistic_scale[k];
      const Block r = (1 + scale * scale * variance).sqrt();
      best.add({logistic_weight[k], scale, a.data(), r.data(), of_sigma.data(), of_slope.data(), of_softplus.data()});
    }
    sigma.segment(first, count) = of_sigma.head(count);
    slope.segment(first, count) = of_slope.head(count);
    softplus.segment(first, count) = of_softplus.head(count);
  }
  for (Index i = 0; i < n; ++i)
    if (m[i] > 0) sigma[i] = 1 - sigma[i], softplus[i] += m[i];
}

}  // namespace ardvark::internal
