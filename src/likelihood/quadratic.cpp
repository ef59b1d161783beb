// Rows whose log likelihood is quadratic, with a noise of variance 1: what stands for rows that are not in memory.      docs/math/passes.md
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {
namespace {

class Quadratic final : public Likelihood {
 public:
  Quadratic(Vector target, double share) : target_(std::move(target)), share_(share) {}
  [[nodiscard]] LikelihoodTraits traits() const override { return {.residual = true, .constant_rows = share_ == 1}; }
  void start(Rows& rows) override {
    rows.omega = Vector::Ones(target_.size());
    rows.r = target_;
  }
  void update(const Posterior&, Rows&) override {}
  [[nodiscard]] double bound(const Posterior& q) const override { return -0.5 * (q.residual + q.explained); }  // (PASS.3)
  [[nodiscard]] double information_share() const override { return share_; }
  [[nodiscard]] std::unique_ptr<Likelihood> with_response(Vector y) const override {
    return std::make_unique<Quadratic>(std::move(y), share_);
  }

 private:
  Vector target_;
  double share_;
};

}  // namespace

std::unique_ptr<Likelihood> make_quadratic(Vector target, double share) { return std::make_unique<Quadratic>(std::move(target), share); }

}  // namespace ardvark::internal
