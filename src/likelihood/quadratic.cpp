// Rows whose log likelihood is quadratic, with a noise of variance 1: what stands for rows that are not in memory.      docs/math/passes.md
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {
namespace {

class Quadratic final : public Likelihood {
 public:
  explicit Quadratic(Vector target) : target_(std::move(target)) {}
  [[nodiscard]] LikelihoodTraits traits() const override { return {.residual = true, .constant_rows = true}; }
  void start(Rows& rows) override {
    rows.omega = Vector::Ones(target_.size());
    rows.r = target_;
  }
  void update(const Posterior&, Rows&) override {}
  [[nodiscard]] double bound(const Posterior& q) const override { return -0.5 * (q.residual + q.explained); }  // (PASS.3)
  [[nodiscard]] std::unique_ptr<Likelihood> with_response(Vector y) const override { return std::make_unique<Quadratic>(std::move(y)); }

 private:
  Vector target_;
};

}  // namespace

std::unique_ptr<Likelihood> make_quadratic(Vector target) { return std::make_unique<Quadratic>(std::move(target)); }

}  // namespace ardvark::internal
