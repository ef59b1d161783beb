// A likelihood of two classes with one more row: the prior of the intercept.                              docs/math/sparse.md (SP.20)
#include <cmath>

#include "likelihood/intercept_row.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {
namespace {

class WithInterceptRow final : public Likelihood {
 public:
  WithInterceptRow(std::unique_ptr<Likelihood> observed, InterceptForm form, double start_xi)
      : observed_(std::move(observed)), form_(form), start_xi_(start_xi) {}

  [[nodiscard]] LikelihoodTraits traits() const override { return observed_->traits(); }

  void start(Rows& rows) override {
    observed_->start(rows_);
    add_row(form_ == InterceptForm::bound ? start_xi_ : 0, 0, rows);
  }
  void update(const Posterior& q, Rows& rows) override {
    observed_->update(of_observed(q), rows_);
    const Index last = q.m.size() - 1;
    add_row(q.m[last], form_ == InterceptForm::mode ? 0 : q.s[last], rows);
  }

  // The prior of the intercept as it is: with its width.
  [[nodiscard]] std::optional<ExpectedRows> expected_at(const Vector& m, const Vector& s, Rows& rows) const override {
    if (form_ != InterceptForm::moments) return {};
    const Index n = m.size() - 1;
    Rows of_others{Vector(n), Vector(n)};
    std::optional<ExpectedRows> sum = observed_->expected_at(m.head(n), s.head(n), of_others);
    if (!sum) return {};
    const InterceptRow row = intercept_row_of(row_.narrowing, m[n], s[n]);
    rows.omega = with_one_more(of_others.omega, row.omega);
    rows.r = with_one_more(of_others.r, row.response);
    sum->value += row.log_prior;
    return sum;
  }

  [[nodiscard]] Index state_size() const override { return observed_->state_size() + own_state(); }
  void get_state(Eigen::Ref<Vector> state, Eigen::Ref<Vector> weight) const override {
    Vector of_others(state.size() - own_state()), weights(of_others.size());
    observed_->get_state(of_others, weights);
    const double first = form_ == InterceptForm::bound ? std::sqrt(square()) : m_;
    state = joined(of_others, first, std::log(std::max(s_, 1e-300)));
    weight = joined(weights, row_.omega, 0.25 * row_.omega * s_);
  }
  void set_state(const Eigen::Ref<const Vector>& state, Rows& rows) override {
    const Index own = own_state(), size = state.size() - own, part = first_part(size);
    if (own == 0) return;
    Vector of_others(size);
    of_others << state.head(part), state.segment(part + 1, size - part);
    observed_->set_state(of_others, rows_);
    add_row(state[part], own > 1 ? std::exp(std::min(state[size + 1], 700.0)) : 0, rows);
  }

  [[nodiscard]] double bound(const Posterior& q) const override {
    const double sum = observed_->bound(of_observed(q)) + row_.log_prior;
    if (form_ != InterceptForm::bound) return sum;
    const Index last = q.m.size() - 1;
    return sum - 0.5 * row_.omega * (q.m[last] * q.m[last] + q.s[last] - square());  // (JJ.1)
  }
  [[nodiscard]] double log_likelihood() const override { return observed_->log_likelihood() + row_.log_prior; }

 private:
  [[nodiscard]] Index own_state() const { return form_ == InterceptForm::moments ? 2 : form_ == InterceptForm::bound ? 1 : 0; }
  // Each part of the state has the entry of the last row at its end: the means, then the logarithms of the variances.
  [[nodiscard]] Index first_part(Index size) const { return own_state() > 1 ? size / 2 : size; }
  [[nodiscard]] Vector joined(const Vector& of_others, double first, double second) const {
    const Index own = own_state(), size = of_others.size(), part = first_part(size);
    if (own == 0) return of_others;
    Vector out(size + own);
    out.head(part + 1) << of_others.head(part), first;
    if (own > 1) out.tail(part + 1) << of_others.tail(part), second;
    return out;
  }
  [[nodiscard]] double square() const { return m_ * m_ + std::max(s_, 0.0); }

  void add_row(double m, double s, Rows& rows) {
    m_ = m, s_ = s;
    row_ = form_ == InterceptForm::bound ? intercept_row_of_bound(square()) : intercept_row(m, s);
    rows.omega = with_one_more(rows_.omega, row_.omega);
    rows.r = with_one_more(rows_.r, row_.response);
  }

  // What the rows of observations read of q.
  [[nodiscard]] Posterior of_observed(const Posterior& q) const {
    Posterior out;
    out.m = q.m.head(q.m.size() - 1);
    out.s = q.s.head(std::max<Index>(q.s.size() - 1, 0));
    out.explained = q.explained;
    return out;
  }

  std::unique_ptr<Likelihood> observed_;
  InterceptForm form_;
  double start_xi_;
  Rows rows_;             // of the observations
  double m_ = 0, s_ = 0;  // of the intercept
  InterceptRow row_;      // for these
};

}  // namespace

std::unique_ptr<Likelihood> with_intercept_row(std::unique_ptr<Likelihood> observed, InterceptForm form, double start_xi) {
  return std::make_unique<WithInterceptRow>(std::move(observed), form, start_xi);
}

}  // namespace ardvark::internal
