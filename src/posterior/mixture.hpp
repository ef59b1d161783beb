// The covariance of weights that are sums of a few effects and many small ones, and of a mixture of such posteriors.
//                                                                               docs/math/sparse.md (SP.6), (SP.7), (SP.8), (SP.15)
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "design/design.hpp"

namespace ardvark::internal {

/// The common part of the components of one linear model.
struct DenseBasis {
  std::shared_ptr<double[]> storage;  ///< Z, column by column; may use the memory of X if the caller gave it away
  Vector l;                           ///< [m] Z Z' = diag(l)
  Matrix G;                           ///< [flats, p] what the flat columns subtract from each column
  Matrix R;                           ///< [flats, flats] R'R = (F'OF)^-1
  [[nodiscard]] Eigen::Map<const Matrix> Z() const { return {storage.get(), l.size(), G.cols()}; }
};

/// The part of the covariance from the dense effects u and the flat weights if h has K values h_k of equal weight; E is the mean over them:
///     E[s2_k h_k] I - Z' E[s2_k h_k^2 D_k] Z + Z' E[delta_k delta_k'] Z        E[s2_k] (F'OF)^-1                               (SP.15)
struct DenseSpread {
  double variance = 0;  ///< E[s2_k h_k]: the prior variance of each weight
  Vector narrowing;     ///< [m] E[s2_k h_k^2 D_k]: how much the rows reduce it
  Matrix moves;         ///< [m, K] delta_k / sqrt K: how far the mean moves with h
  double flat = 0;      ///< E[s2_k]
};

struct Marginals {
  Vector variance;  ///< [p] variances of w
  /// Sum of the variances of the training rows in units of s2, given h: the degrees of freedom that the fit uses. At most the number of
  /// flat columns plus the smaller of the numbers of rows and columns of Z.
  double effective_parameters = 0;
};

/// Posterior of the penalised weights w = b + u of one start, and of the flat weights:
///     Cov w = s2 h P + P B P',  P = I - h Z'DZ,  D = 1/(1 + h l),  B = Cov b                                                   (SP.6)
/// If there is a spread, it replaces s2 h P.                                                                                    (SP.15)
/// If Z has at least as many rows as columns, F may be the root of the whole Cov w given h; then h is 0, and the spread is added to
/// it.                                                                                                                        (SP.16)
struct MixtureComponent {
  double weight = 1;
  double s2 = 1, h = 0;
  std::shared_ptr<const DenseBasis> basis;
  Vector w;                   ///< [p] mean
  Vector flat_mean;           ///< [flats]
  Vector v;                   ///< [p] B_jj of columns that are not active, 0 for active ones
  std::vector<Index> active;  ///< columns for which B includes the correlations
  Matrix F;                   ///< [active, active] B_active = F'F
  /// tr(Z_active B_active Z_active')/s2, if it is known from the computation of F; otherwise it is computed.
  std::optional<double> effective_of_active;
  /// Without a value, h is known.
  std::optional<DenseSpread> spread;
  /// Variance of x'w from improbable effects of columns that are not among those of w, on average over the rows: for predictions. (SP.26)
  double beside = 0;

  [[nodiscard]] Marginals marginals() const;
  [[nodiscard]] double effective_parameters() const;  ///< of the marginals, but for rounding, in a third of their time
  [[nodiscard]] Matrix covariance() const;            ///< [p, p] covariance of w
  [[nodiscard]] bool has_dense() const { return h > 0 || spread; }
  [[nodiscard]] DenseSpread dense() const;  ///< the spread; if there is none, the one for the single value h
};

/// Mean and variance of x'w for each row and component.
struct ComponentMoments {
  Matrix mean, variance;  ///< [rows, components]
};

/// A mixture of components, and its first two moments. Columns are columns of a design.
struct Mixture {
  std::vector<MixtureComponent> components;  ///< weights sum to 1
  std::vector<Index> columns, flat_columns;  ///< the columns of w and of the flat weights

  [[nodiscard]] bool empty() const { return components.empty(); }
  /// Scales the weights, each > 0, to a sum of 1 up to rounding, and none above 1. Weights that satisfy this do not change.
  void normalise_weights();
  [[nodiscard]] ComponentMoments component_moments(Design& X) const;  ///< (SP.7)
  /// x_n'Vx_n for each row.
  void row_variance(Design& X, Vector& out) const;
  [[nodiscard]] Vector mean(Index num_columns) const;  ///< for all columns of the design; 0 for columns that are not in the mixture
  [[nodiscard]] Marginals marginals() const;
  [[nodiscard]] double effective_parameters() const;
  [[nodiscard]] Matrix covariance(Index num_columns) const;
  [[nodiscard]] double beside() const;  ///< the mean over the components
};

}  // namespace ardvark::internal
