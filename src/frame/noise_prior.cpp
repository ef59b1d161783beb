#include "frame/noise_prior.hpp"

namespace ardvark::internal {

GammaDistribution default_noise_prior(const NoiseDegrees& degrees) {
  if (!degrees.show_noise()) return {1e-2, 1e-4};
  return degrees.num_penalised == 0 ? GammaDistribution{1e-20, 1e-20} : GammaDistribution{1e-2, 1e-10};
}

double mean_square_of_target(const Frame& frame) {
  const double square = frame.k.dot(frame.target.cwiseAbs2()) / frame.rows;
  return square > 0 ? square : 1;
}

GammaDistribution noise_prior(const FitOptions& options, double mean_square, const NoiseDegrees& degrees) {
  GammaDistribution out = options.noise;
  const GammaDistribution usual = default_noise_prior(degrees);
  if (out.shape == 0) out.shape = usual.shape;
  if (out.rate == 0) out.rate = usual.rate * (options.standardize ? 1 : mean_square);
  return out;
}

GammaDistribution noise_prior(const Frame& frame, const NoiseDegrees& degrees) {
  return noise_prior(frame.options, mean_square_of_target(frame), degrees);
}

}  // namespace ardvark::internal
