// The covariance of weights that are the sum of few effects and many small ones, and of a mixture of such posteriors.
//                                                                               docs/math/sparse.md (SP.6), (SP.7), (SP.8), (SP.15)
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "design/design.hpp"

namespace ardvark::internal {

/// What the components of one linear model share.
struct DenseBasis {
  std::shared_ptr<double[]> storage;  ///< Z, by columns; of an X that was given away its memory
  Vector l;                           ///< [m] Z Z' = diag(l)
  Matrix G;                           ///< [flats, p] what the flat columns take off each column
  Matrix R;                           ///< [flats, flats] R'R = (F'OF)^-1
  [[nodiscard]] Eigen::Map<const Matrix> Z() const { return {storage.get(), l.size(), G.cols()}; }
};

/// What the dense effects u, and the flat weights, add to the covariance where h has K values h_k of equal weight, E the mean over them:
///     E[s2_k h_k] I - Z' E[s2_k h_k^2 D_k] Z + Z' E[delta_k delta_k'] Z        E[s2_k] (F'OF)^-1                               (SP.15)
struct DenseSpread {
  double variance = 0;  ///< E[s2_k h_k]: what the prior says of each weight
  Vector narrowing;     ///< [m] E[s2_k h_k^2 D_k]: what the rows take off it
  Matrix moves;         ///< [m, K] delta_k / sqrt K: how far the mean moves with h
  double flat = 0;      ///< E[s2_k]
};

struct Marginals {
  Vector variance;  ///< [p] of w
  /// Sum of the variances of the rows it was made from, in units of s2, given h: what the fit has used of their freedom;
  /// no more than there are rows, or columns, in Z, and flat columns.
  double effective_parameters = 0;
};

/// Posterior of the penalised weights w = b + u of one start, and of the flat ones:
///     Cov w = s2 h P + P B P',  P = I - h Z'DZ,  D = 1/(1 + h l),  B = Cov b                                                   (SP.6)
/// with the spread, if there is one, in the place of s2 h P.                                                                   (SP.15)
/// Where Z has no fewer rows than columns F may be the root of all of Cov w given h: h is 0 then, and the spread what is added to
/// that.                                                                                                                       (SP.16)
struct MixtureComponent {
  double weight = 1;
  double s2 = 1, h = 0;
  std::shared_ptr<const DenseBasis> basis;
  Vector w;                   ///< [p] mean
  Vector flat_mean;           ///< [flats]
  Vector v;                   ///< [p] B_jj of the columns that are not active, 0 for those that are
  std::vector<Index> active;  ///< columns whose B is known with its correlations
  Matrix F;                   ///< [active, active] B_active = F'F
  /// tr(Z_active B_active Z_active')/s2, where F came about in a way that says it; else it is computed.
  std::optional<double> effective_of_active;
  /// None: h is known.
  std::optional<DenseSpread> spread;

  [[nodiscard]] Marginals marginals() const;
  [[nodiscard]] Matrix covariance() const;  ///< [p, p] of w
  [[nodiscard]] bool has_dense() const { return h > 0 || spread; }
  [[nodiscard]] DenseSpread dense() const;  ///< the spread; without one that of the one value h
};

/// Mean and variance of x'w for each row and component.
struct ComponentMoments {
  Matrix mean, variance;  ///< [rows, components]
};

/// A mixture of these, and its first two moments. Columns are those of a design.
struct Mixture {
  std::vector<MixtureComponent> components;  ///< weights sum to 1
  std::vector<Index> columns, flat_columns;  ///< that w and the flat weights are of

  [[nodiscard]] bool empty() const { return components.empty(); }
  /// Brings the weights, each > 0, to a sum of 1 up to rounding and none above 1. Weights that are so already keep their bits.
  void normalise_weights();
  [[nodiscard]] ComponentMoments component_moments(Design& X) const;  ///< (SP.7)
  /// x_n'Vx_n of each row.
  void row_variance(Design& X, Vector& out) const;
  [[nodiscard]] Vector mean(Index num_columns) const;  ///< of all columns of the design, 0 for others
  [[nodiscard]] Marginals marginals() const;
  [[nodiscard]] Matrix covariance(Index num_columns) const;
};

}  // namespace ardvark::internal
