// Spike and slab over a dense part that is integrated out: mean-field updates, hyper-parameters and bound.           docs/math/sparse.md
//
//     w_j = b_j + u_j      b_j ~ (1 - pi) delta_0 + pi N(0, s2 kappa)      u_j ~ N(0, s2 h)      y = X w + N(0, s2)
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "method/spike_slab/columns_beside.hpp"
#include "method/spike_slab/group_system.hpp"

namespace ardvark::internal {

/// Where h is searched: over its whole range, or within a factor of 4.5 or of 1.4 of its value.
enum class Reach { everywhere, near, closest };

/// The prior of the hyper-parameters where they are averaged; the values are those of regressions.                               (SP.21)
struct PriorOfGrid {
  double narrowest = 0.1;     ///< c: factor exp(-c noise/(2 kappa))
  double dense = 0.5;         ///< probability that all columns have small effects
  double with_effect = 1;     ///< pi has the prior Beta(with_effect, without_effect)
  double without_effect = 1;  ///< see with_effect
};
/// A row of classes says less about its effects than a row with numbers, so that their prior matters more.                         (SL.10)
inline constexpr PriorOfGrid prior_of_class_grid{.narrowest = 0.5, .dense = 0.2, .with_effect = 2, .without_effect = 3};

struct SpikeSlabSettings {
  double num_rows = 0;          ///< sum of the observation weights
  Index columns_beside = 0;     ///< further columns with the same prior, of which none has a probable effect of its own        (SP.26)
  double column_unit = 1;       ///< mean square of a typical column: 1 if columns are standardised
  double smallest_unit = 0;     ///< mean square of the smallest column, if it is much smaller than a typical one
  bool fit_effects = true;      ///< false: pi and kappa are fixed, as at a point of a grid                                     (SP.21)
  bool fit_dense = true;        ///< false: h is fixed
  bool fit_noise = true;        ///< false: s2 is fixed, as for logistic rows
  double least_s2 = 0;          ///< lower limit of s2, which would go to 0 if the rows are fitted exactly                         (SP.5)
  double least_kappa = 0;       ///< lower limit of kappa: a narrower slab would be a second dense part                            (SP.5)
  double noise = 1;             ///< variance of a row, in units of s2; for classes, whose s2 is 1, it is 4                        (SP.21)
  double kappa_tail = 0;        ///< e: prior (1 + kappa/noise)^-e of the slab, if kappa is fitted, in units of the columns        (SP.23)
  double dense_penalty = 0.25;  ///< a: prior Beta(1, 1 + a) of the dense share h l/(1 + h l)                                    (SP.3)
  PriorOfGrid grid = {};        ///< used if the hyper-parameters are averaged
  /// A further factor of the prior: its ln, as a function of the variance of x'w in units of s2; empty: none.                   (SP.20)
  std::function<double(double signal)> log_prior_of_signal = {};
  /// Sets column_unit and smallest_unit from the sums of squares of the columns.
  void take_units(const Vector& squares);
  /// The information of the rows about a typical column: their number, if columns are standardised and the noise is s2.
  [[nodiscard]] double seen() const { return num_rows * column_unit / noise; }
};

/// Z_B Cov(b_B) Z_B' = diag(a) + sign Y Y' + along along'.
struct CovarianceInRows {
  Vector a;  ///< [m]
  Matrix Y;  ///< [m, .]
  double sign = 1;
  Vector along;  ///< [m]
};

/// q(b) of one start, with its hyper-parameters.
class SpikeSlab {
 public:
  /// \param sets  the sets of columns with a joint posterior; nullptr: the groups                                      (SP.10), (SP.14)
  SpikeSlab(const PenalisedColumns& which, const SpikeSlabSettings& settings, std::shared_ptr<const ColumnSets> sets = nullptr);

  /// Sets other rows and keeps q(b). The rows must outlive this object.
  void set_rows(const ReducedRows& rows);
  void set_hyper(const SpikeSlabHyper& hyper);
  void set_mean(const Vector& m);
  void set_state(const Vector& m, const SpikeSlabHyper& hyper);
  /// The same columns by other names.
  void set_which(const PenalisedColumns& which) { which_ = &which; }
  /// From the next sweep on.                                                                                                    (SP.26)
  void set_beside(std::shared_ptr<const ColumnsBeside> columns) { beside_ = std::move(columns); }
  /// One update of every set, in this order.                                                                                   (SP.4)
  void sweep(std::span<const Index> order);
  /// One update of the sets whose odds of inclusion the data raised in the last whole sweep; the others do not change.          (SP.12)
  void sweep_raised();
  /// Sets pi for the next sweep() to the value where it would stop if only pi and q(b) of the sets not raised changed.          (SP.5)
  void anticipate_inclusion();
  /// pi, kappa, then h and s2 together, each the maximiser of the bound given q(b).                                             (SP.5)
  void update_hyper(Reach reach_of_h);
  /// (SP.3), in the units of the rows. Holds after a sweep, until the hyper-parameters change.
  [[nodiscard]] double bound() const;
  /// KL of q(b) from the prior with these pi and kappa.                                                                         (SL.5)
  [[nodiscard]] double divergence() const;
  [[nodiscard]] double log_prior_of_hyper() const;  ///< - a ln(1 + h l-) - e ln(1 + kappa/noise), plus that of the signal
  /// Shape of the Gamma posterior of the noise precision, whose mean is 1/s2.                                                  (SP.11)
  [[nodiscard]] double noise_shape() const;
  /// Of the weights and predictions, because the noise is not known; infinite if it is.                                        (SP.25)
  [[nodiscard]] double student_degrees() const;
  [[nodiscard]] double dense_share() const;  ///< h l- / (1 + h l-)
  /// What the posterior of h given q(b) adds to the covariance; none if h is not fitted.                                      (SP.15)
  [[nodiscard]] std::optional<DenseSpread> dense_spread() const;

  [[nodiscard]] const SpikeSlabHyper& hyper() const { return hyper_; }
  [[nodiscard]] const SpikeSlabSettings& settings() const { return settings_; }
  void set_prior_of_signal(std::function<double(double signal)> log_prior) { settings_.log_prior_of_signal = std::move(log_prior); }
  [[nodiscard]] double signal() const;  ///< p (h + pi kappa), in units of the columns: the variance of x'w over s2
  void free_dense(double h);            ///< from now on h is fitted; it starts at this value
  [[nodiscard]] const ReducedRows& rows() const { return *rows_; }
  [[nodiscard]] const PenalisedColumns& which() const { return *which_; }
  [[nodiscard]] Index num_columns() const { return which_->size() + settings_.columns_beside; }  ///< with those beside          (SP.26)
  [[nodiscard]] const ColumnSets& sets() const { return *sets_; }
  [[nodiscard]] const Vector& mean() const { return m_; }               ///< [p] of b
  [[nodiscard]] Vector variance() const;                                ///< [p]
  [[nodiscard]] const Vector& inclusion() const { return inclusion_; }  ///< [groups]
  [[nodiscard]] Matrix covariance_of(Index set) const;                  ///< of q(b_B), in the order of the set's columns
  [[nodiscard]] const Vector& variance_of_small() const { return v_; }  ///< [p] as variance(); the entries of large groups are undefined
  /// Z_B Cov(b_B) Z_B' of a large group; none: the set is not one.                                             (SL.4), (SL.8), (SP.17)
  [[nodiscard]] std::optional<CovarianceInRows> covariance_in_rows(Index set) const;
  [[nodiscard]] const Vector& D() const { return D_; }   ///< [m] 1/(1 + h l)
  [[nodiscard]] const Vector& Dr() const { return u_; }  ///< [m] D (y - Z m)
  [[nodiscard]] const Vector& g() const { return g_; }   ///< [m] diagonal of Z Cov(b) Z'
  /// Products of every column with the residual and with itself.
  struct AllProducts {
    Vector of_residual;  ///< [p] z_j'Dr
    Vector d;            ///< [p] z_j'Dz_j
  };
  [[nodiscard]] AllProducts look() const;
  [[nodiscard]] double sum_of_inclusion() const { return sums_.included; }

 private:
  struct Sums {               // over sets
    double included = 0;      // sum q
    double slab_columns = 0;  // the columns in them
    double square = 0;        // sum q (tr V + |mu|^2)
    double negentropy = 0;    // sum q (ln q - 1/2 ln|V|)
    Sums& operator+=(const Sums& other);
  };
  // Workspace for the update of a set, with room for the largest one.
  struct Scratch {
    std::vector<const double*> z;
    Vector A, c, change, odds;
  };
  enum class Pass { whole, raised };
  void pass(std::span<const Index> order, Pass which);
  [[nodiscard]] bool update_set(Index set, Sums& part);
  void update_jointly(Index set, Sums& part);
  void update_group(Index set, Sums& part);
  void update_large_group(Index set, Sums& part);
  [[nodiscard]] Vector times_columns(Index set, const Vector& x) const;
  [[nodiscard]] Vector project_on_columns(Index set, const Vector& x) const;
  void update_block(Index set, Sums& part);
  void make_room();
  void gather(Index set);
  [[nodiscard]] Eigen::Map<Matrix> stored_covariance(Index set);
  void take_spread(Index set, Vector& from);
  [[nodiscard]] double dense_objective(double h, const Vector& spread, double& s2) const;
  [[nodiscard]] double best_kappa() const;
  [[nodiscard]] double signal_of(const SpikeSlabHyper& hyper) const;
  [[nodiscard]] double prior_of_signal(const SpikeSlabHyper& hyper) const;
  void heed_prior_of_signal();
  [[nodiscard]] double mean_l() const { return rows_->degrees > 0 ? rows_->l.sum() / rows_->degrees : 0; }
  [[nodiscard]] double num_units() const { return static_cast<double>(which_->num_groups() + settings_.columns_beside); }
  void add_beside();
  [[nodiscard]] bool fits_dense() const { return settings_.fit_dense && rows_->rank() > 0; }
  /// Calls use(h, ln of the posterior of h without a constant and the Jacobian, s2(h)) for h from e^-8 to e^8 times `middle`.
  void along_h(double middle, double step, auto&& use) const;

  const PenalisedColumns* which_;
  SpikeSlabSettings settings_;
  const ReducedRows* rows_ = nullptr;
  SpikeSlabHyper hyper_;
  std::shared_ptr<const ColumnSets> sets_;
  Vector m_, v_, inclusion_;
  std::vector<double> covariance_;  // of all sets with more than one column, one after another; empty until one is needed
  // A group of many columns: Cov b = q s2 inverse + q (1 - q) mu mu'.                                                        (SP.17)
  struct LargeGroup {
    std::shared_ptr<const GroupInverse> inverse;  // none: the group's covariance is stored
    Vector mu;                                    // [k]
    double q = 0, s2 = 1;
    Vector g;  // [m] what it adds to g_
  };
  [[nodiscard]] const LargeGroup* large_group(Index set) const;
  std::vector<LargeGroup> large_;  // of each set, where sets are groups
  Scratch scratch_;
  Vector D_, u_, g_;
  Sums sums_;
  // From the last whole sweep, for sweep_raised(): the raised sets, and the parts of sums_ and g_ that belong to the other sets.
  std::vector<Index> raised_;
  Sums others_;
  double pi_of_others_ = 0;
  std::shared_ptr<const ColumnsBeside> beside_;  // nullptr: there was no pass over the table
  SumsBeside of_beside_;                         // in the last sweep
  double pi_of_beside_ = 1;
  Vector others_g_;  // empty: not yet computed
};

}  // namespace ardvark::internal
