#include "predict/one_class.hpp"

#include <algorithm>
#include <cmath>

#include "core/special.hpp"

namespace ardvark::internal {
namespace {

double power_at(Index i) { return static_cast<double>(i) / (PowerSums::num_powers - 1); }

// Adds k times -ln of the probability of class `own` under each power. p: [classes]
void add_losses(const Vector& p, Index own, double k, Eigen::Ref<Vector> loss) {
  const Vector log_yes = p.array().max(1e-300).log(), log_no = (1 - p.array()).max(1e-16).log();
  for (Index i = 0; i < loss.size(); ++i) {
    const Eigen::ArrayXd odds = (log_yes - power_at(i) * log_no).array() - (log_yes[own] - power_at(i) * log_no[own]);
    const double most = odds.maxCoeff();
    loss[i] += k * (most + std::log((odds - most).exp().sum()));
  }
}

}  // namespace

void given_one_class(Matrix& probability, double power) {
  for (Index n = 0; n < probability.rows(); ++n) {
    auto p = probability.row(n).array();
    const Eigen::ArrayXd no = (1 - p).max(1e-16).transpose();
    p = p.max(1e-300) / (power == 1 ? no : Eigen::ArrayXd(no.pow(power))).transpose();
    p /= p.sum();
  }
}

double left_out_probability(bool is_yes, double k, double m, double v, double rest) {
  const LogisticExpectation e = expected_logistic(m, v + rest);
  const double share = std::min(k, 1.0), without = v / std::max(1 - v * share * e.slope, 0.01);
  return expected_sigmoid(m - without * share * ((is_yes ? 1 : 0) - e.sigma), without + rest);
}

void PowerSums::add(const Matrix& probability, const Matrix& left_out, const std::vector<Index>& own, const Vector& k) {
  for (Index n = 0; n < k.size(); ++n) {
    const Index of_row = own[static_cast<std::size_t>(n)];
    if (of_row < 0) continue;
    add_losses(left_out.row(n), of_row, k[n], numbers_.head(num_powers));
    add_losses(probability.row(n), of_row, k[n], numbers_.segment(num_powers, num_powers));
    Index most = 0;
    probability.row(n).maxCoeff(&most);  // the order of the classes is the same for every power
    if (most == of_row) numbers_[2 * num_powers] += k[n];
  }
}

Index PowerSums::best() const {
  Index best = num_powers - 1;
  for (Index i = best - 1; i >= 0; --i)
    if (numbers_[i] < numbers_[best]) best = i;
  return best;
}

double PowerSums::power() const { return power_at(best()); }
ClassScores PowerSums::scores() const { return {numbers_[2 * num_powers], numbers_[num_powers + best()]}; }

}  // namespace ardvark::internal
