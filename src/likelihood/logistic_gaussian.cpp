// Logistic likelihood with the exact Gaussian variational posterior.                                docs/math/logistic_gaussian.md
#include "core/special.hpp"
#include "likelihood/intercept_row.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark {
namespace {

class LogisticGaussian final : public Likelihood {
 public:
  LogisticGaussian(Vector t, Vector k, LastRow last)
      : t_(std::move(t)),
        k_(std::move(k)),
        last_(last),
        m_(Vector::Zero(t_.size() + (last == LastRow::intercept ? 1 : 0))),
        s_(m_),
        slope_(m_) {}

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true, .damped = true, .separable = true}; }

  void start(Rows& rows) override {  // E sigma' and E sigma at m = s = 0
    rows.omega = last_ == LastRow::intercept ? with_one_more(0.25 * k_, 0.25) : Vector(0.25 * k_);
    rows.r = (t_.array() - 0.5) * k_.array();
    if (last_ == LastRow::intercept) rows.r = with_one_more(rows.r, 0);
  }

  void update(const Posterior& q, Rows& rows) override {
    m_ = q.m;
    s_ = q.s;
    write_rows(rows);
  }

  [[nodiscard]] Index state_size() const override { return 2 * m_.size(); }
  void get_state(Eigen::Ref<Vector> state, Eigen::Ref<Vector> weight) const override {
    const Index n = m_.size();
    state.head(n) = m_;
    state.tail(n) = s_.array().max(1e-300).log();
    weight.head(n) = slope_;
    weight.tail(n) = 0.25 * slope_.cwiseProduct(s_);
  }
  void set_state(const Eigen::Ref<const Vector>& state, Rows& rows) override {
    m_ = state.head(m_.size());
    s_ = state.tail(m_.size()).array().min(700.0).exp();
    write_rows(rows);
  }

  // There is no factor of its own: the expectations of the last update are the bound's.
  [[nodiscard]] double bound(const Posterior&) const override { return expected_log_likelihood_; }

 private:
  void write_rows(Rows& rows) {
    expected_log_likelihood_ = 0;
    for (Index n = 0; n < t_.size(); ++n) {
      const LogisticExpectation e = expected_logistic(m_[n], s_[n]);
      slope_[n] = k_[n] * e.slope;
      rows.r[n] = k_[n] * (e.slope * m_[n] + (t_[n] - e.sigma));         // (VG.1)
      expected_log_likelihood_ += k_[n] * (t_[n] * m_[n] - e.softplus);  // (VG.2)
    }
    if (const Index last = t_.size(); last_ == LastRow::intercept) {
      const InterceptRow row = intercept_row(m_[last], s_[last]);
      slope_[last] = row.omega;
      rows.r[last] = row.response;
      expected_log_likelihood_ += row.log_prior;
    }
    rows.omega = slope_;
  }

  Vector t_, k_;
  LastRow last_;
  Vector m_, s_, slope_;
  double expected_log_likelihood_ = 0;
};

}  // namespace

std::unique_ptr<Likelihood> make_logistic_gaussian(Vector t, Vector k, LastRow last) {
  if (k.size() == 0) k = Vector::Ones(t.size());
  return std::make_unique<LogisticGaussian>(std::move(t), std::move(k), last);
}

}  // namespace ardvark
