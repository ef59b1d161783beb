#include "core/logistic_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/decay.hpp"

namespace ardvark::internal {

double logistic_rows(const Vector& m, const Vector& t, const Vector& k, Vector& p, Vector& q) {
  constexpr Index block = 256;  // a product of so many factors up to 2 is finite, so one logarithm is enough for all of them
  const Index n = m.size();
  p.resize(n);
  q.resize(n);
  double sum = 0, e[block];
  for (Index begin = 0; begin < n; begin += block) {
    const Index size = std::min(block, n - begin);
    for (Index i = 0; i < size; ++i) e[i] = std::abs(m[begin + i]);
    decay(e, size);
    double product = 1, part = 0;
    bool alike = true;
    for (Index i = 0; i < size; ++i) alike = alike && k[begin + i] == 1;
    for (Index i = 0; i < size; ++i) {
      const Index row = begin + i;
      const double x = m[row], larger = 1 / (1 + e[i]), smaller = e[i] * larger;
      p[row] = x >= 0 ? larger : smaller;
      q[row] = x >= 0 ? smaller : larger;
      part += k[row] * (t[row] * x - std::max(x, 0.0));
      product *= alike ? 1 + e[i] : 1;
    }
    if (!alike)
      for (Index i = 0; i < size; ++i) part -= k[begin + i] * std::log1p(e[i]);
    sum += part - std::log(product);
  }
  return sum;
}

}  // namespace ardvark::internal
