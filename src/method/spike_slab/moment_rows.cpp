#include "method/spike_slab/moment_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ardvark::internal {

MomentRows::MomentRows(std::unique_ptr<Design> design, const MomentLikelihood& likelihood, Vector start, const Vector& k, double most_noise)
    : RowsInMemory(std::move(design), k, false), likelihood_(likelihood), start_(std::move(start)) {
  // All rows at the predictor that is best for them: Newton's method.
  constexpr int most = 50;
  double m = k.dot(start_) / k.sum();
  for (int i = 0; i < most; ++i) {
    static_cast<void>(evaluate({Vector::Constant(k.size(), m), Vector::Zero(k.size())}, &first_));
    const double step = std::clamp(first_.response.sum() / first_.omega.sum() - m, -1.0, 1.0);
    if (!(std::abs(step) > 1e-9)) break;
    m += step;
  }
  Rows rows;
  static_cast<void>(likelihood_.expect(Vector::Constant(k.size(), m), Vector::Zero(k.size()), rows, own_));
  noise_ = std::min(k.sum() / first_.omega.sum(), most_noise);
}

Extent MomentRows::extent(const WorkingSites& sites, const KnownOdds& known) const {
  const Vector& omega = std::get<Sites>(sites).omega;
  const Vector& s = std::get<LogOdds>(known).s;
  Extent out;
  for (Index i = 0; i < omega.size(); ++i)
    if (weights()[i] > 0) out.add(0, s[i]);
  return out;
}

double MomentRows::evaluate(const LogOdds& known, Sites* sites) const {
  Rows rows;
  Vector own = own_;
  const double expected = likelihood_.expect(known.m, known.s, rows, own), lacks = 1 - likelihood_.share_at(known.m, known.s, own);
  const double gain = 0.5 * lacks * rows.omega.dot(known.s);
  rows.r -= lacks * rows.omega.cwiseProduct(known.m);  // (TN.6)
  rows.omega *= 1 - lacks;
  if (sites != nullptr) *sites = {std::move(rows.omega), std::move(rows.r)};
  return expected + gain;
}

}  // namespace ardvark::internal
