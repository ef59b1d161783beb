#include "likelihood/softmax_laplace.hpp"

#include <cmath>

#include "likelihood/intercept_row.hpp"

namespace ardvark::internal {

SoftmaxLaplace::SoftmaxLaplace(std::vector<Index> label, Vector k, Index num_classes, LastRow last)
    : label_(std::move(label)), k_(std::move(k)), num_classes_(num_classes), last_(last) {}

void SoftmaxLaplace::update(const Matrix& F, SoftmaxRows& rows) const {
  const Index n = k_.size(), C = num_classes_, all = F.rows();
  rows.k = last_ == LastRow::intercept ? with_one_more(k_, 0) : k_;
  rows.P.resize(all, C);
  rows.D.resize(all, C);
  rows.E.resize(all, C);
  rows.log_likelihood = 0;
  double part = 0;  // of some rows: a plain sum over many rows would round away what the last steps gain
  for (Index i = 0; i < n; ++i) {
    const Index own = label_[static_cast<std::size_t>(i)];
    const double largest = F.row(i).maxCoeff();
    double sum = 0, besides = 0;  // over all classes; over all but the row's own class
    for (Index c = 0; c < C; ++c) {
      const double e = std::exp(F(i, c) - largest);
      rows.P(i, c) = e;
      sum += e;
      if (c != own) besides += e;
    }
    rows.P.row(i) /= sum;
    rows.D.row(i) = k_[i] * rows.P.row(i);
    rows.E.row(i) = -rows.D.row(i);
    rows.E(i, own) = k_[i] * (besides / sum);  // 1 - p without cancellation
    // ln p = -ln(1 + sum of e^(f_c - f_own) over the others)                                                                  (SMX.1)
    const double to_largest = F(i, own) - largest;
    part += k_[i] * (to_largest == 0 ? -std::log1p(besides) : to_largest - std::log(sum));
    if (i % 256 == 255 || i + 1 == n) rows.log_likelihood += part, part = 0;
  }
  if (last_ == LastRow::observation) return;
  const InterceptScores prior = intercept_scores(F.row(n));
  const double c = prior.narrowing, half = 0.5 * static_cast<double>(C);
  rows.k[n] = half * c * c;
  rows.P.row(n) = prior.probability;
  rows.D.row(n) = rows.k[n] * prior.probability;
  rows.E.row(n) = c * (0.5 - half * prior.probability.array());
  rows.log_likelihood += prior.log_prior;
}

}  // namespace ardvark::internal
