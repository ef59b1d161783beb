// The published models taken to their maximum: where the published sweeps are heading.
#include <gtest/gtest.h>

#include "../support/random_problem.hpp"
#include "ardvark/errors.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark {
namespace {

using testing::Random;

template <typename FitOne>
void expect_converged(const std::string& preset, const FitOne& fit_one) {
  SCOPED_TRACE(preset);
  FitOptions published = options_for_preset(preset), patient = published, converged = published;
  patient.tolerance = 1e-14;
  patient.max_sweeps = 200000;
  converged.accelerate = true;
  converged.tolerance = 1e-12;
  const auto early = fit_one(published), late = fit_one(patient), fit = fit_one(converged);
  EXPECT_EQ(fit.report.status, Status::converged);
  EXPECT_LT(fit.report.sweeps, late.report.sweeps);
  EXPECT_GE(fit.bound, early.bound);
  EXPECT_NEAR(fit.bound, late.bound, 1e-6);
  EXPECT_LE((fit.mean - late.mean).norm(), 1e-3 * late.mean.norm());
  FitOptions both = options_for_preset(preset, true);
  both.accelerate = true;
  EXPECT_THROW(static_cast<void>(fit_one(both)), InvalidArgument);
}

TEST(ConvergedPreset, EndsWherePatientPublishedSweepsEnd) {
  Random random(91);
  const Index n = 120, p = 12;
  const Matrix X = random.normals(n, p);
  const Vector y = X.leftCols(3) * Vector::Constant(3, 1.5) + random.normals(n);
  Vector t(n);
  for (Index i = 0; i < n; ++i) t[i] = y[i] + random.normal() > 0 ? 1 : 0;
  for (const char* preset : {"vb_linear_fit", "vb_linear_fit_ard", "vrvm_regression"})
    expect_converged(preset, [&](const FitOptions& options) { return fit_linear(X, y, options); });
  for (const char* preset : {"vb_logit_fit", "vb_logit_fit_ard"})
    expect_converged(preset, [&](const FitOptions& options) { return fit_logistic(X, t, options); });
}

}  // namespace
}  // namespace ardvark
