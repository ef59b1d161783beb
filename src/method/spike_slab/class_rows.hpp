// The rows of two classes as rows of a linear model.                                                   docs/math/sparse.md (SL.1), (SP.20)
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "design/design.hpp"
#include "method/spike_slab/reduced_rows.hpp"
#include "waist/extent.hpp"

namespace ardvark::internal {

/// Weight, and weight times working target, of each row.                                                                         (SL.1)
struct Sites {
  Vector omega, response;
};
/// Of rows that are read in passes: X'omega X, its lower triangle column by column, the sum of omega, and X'r.
struct SumsOfSites {
  Vector packed;
  double weight = 0;
  Vector response;
};
using WorkingSites = std::variant<Sites, SumsOfSites>;

/// Mean and variance of the log odds of each row.
struct LogOdds {
  Vector m, s;
};
/// Of rows that are read in passes: mean and covariance of the weights that give the log odds.
struct OddsOfWeights {
  Vector w;
  Matrix V;
};
using KnownOdds = std::variant<LogOdds, OddsOfWeights>;
[[nodiscard]] bool are_equal(const KnownOdds& one, const KnownOdds& other);

/// The working rows at given log odds, and the likelihood there.
struct ClassRowsAt {
  WorkingSites sites;
  double log_likelihood = 0;  ///< E ln p(t), the prior of the intercept included
};

/// About 1/omega of a row of classes.                                                                                           (SL.10)
inline constexpr double noise_of_classes = 4;

/// c of (SP.20): under a signal of this variance, the share of the class has the log odds c b.
[[nodiscard]] double narrowing_of(double signal);

/// A variance of the log odds under the prior, and its weight.
struct WeightedSignal {
  double weight = 1, signal = 0;
};

/// The rows of two classes, in memory or read in passes. Which alternative of KnownOdds and WorkingSites it has, only this class knows.
class ClassRows {
 public:
  virtual ~ClassRows() = default;
  [[nodiscard]] virtual Index num_rows() const = 0;
  [[nodiscard]] virtual Index num_columns() const = 0;  ///< of the design
  /// The table, if it is in memory; null: it is not, and there are at least as many rows as columns.
  [[nodiscard]] virtual Design* design() { return nullptr; }
  /// Whether the intercept, the last column of the design, has the prior (SP.20), which is one more row.
  [[nodiscard]] bool is_proper() const { return proper_; }
  /// Variance of a row in units of s2 = 1, about 1/omega: the unit of the prior of the effects.                          (SP.21), (SL.10)
  [[nodiscard]] virtual double noise() const { return noise_of_classes; }
  /// Extent::farthest beyond which the working rows depend on the hyper-parameters.                                              (SL.11)
  [[nodiscard]] virtual double saturated() const { return 30; }
  /// Whether the bound is one of a probability, and so at most 0.
  [[nodiscard]] virtual bool is_evidence(bool has_flat) const { return proper_ || !has_flat; }

  /// The first log odds: those of the shares of the classes, or 0 without a flat column.
  [[nodiscard]] virtual KnownOdds before(bool has_flat) const = 0;
  [[nodiscard]] virtual ClassRowsAt at(const KnownOdds& known) const = 0;
  /// That of at(known), without its sites.
  [[nodiscard]] virtual double log_likelihood(const KnownOdds& known) const = 0;
  /// Says for which log odds log_likelihood() will be asked.
  virtual void expect(const std::vector<const KnownOdds*>& /*known*/) const {}
  /// All rows are separated, with log odds or a standard deviation of at least 100: the coefficients grow without limit.          (VG.5)
  [[nodiscard]] virtual bool are_steps(const KnownOdds& known) const = 0;
  /// Mean and variance of the log odds for weights with this mean and covariance.
  [[nodiscard]] virtual KnownOdds log_odds(const Vector& w, const Matrix& V) = 0;
  /// Of a mixture of such weights. \param parts  with their shares, which sum to 1
  [[nodiscard]] virtual KnownOdds average(const std::vector<std::pair<double, const KnownOdds*>>& parts) const = 0;

  /// The targets z = r/omega of the working rows.
  [[nodiscard]] virtual Vector target_of(const WorkingSites& sites) const = 0;
  [[nodiscard]] virtual double weight_of(const WorkingSites& sites) const = 0;  ///< sum of omega
  /// E sum omega (z - eta)^2 / 2: how far the log odds are from the targets.
  [[nodiscard]] virtual double misfit(const WorkingSites& sites, const Vector& target, const KnownOdds& known) const = 0;
  /// Twice the distance between two log odds, in nats under the quadratic rows.                                                  (SL.6)
  [[nodiscard]] virtual double distance(const KnownOdds& from, const KnownOdds& to, const WorkingSites& sites) const = 0;
  [[nodiscard]] virtual Extent extent(const WorkingSites& sites, const KnownOdds& known) const = 0;  ///< of the rows with weight
  /// reduce_rows() of the working rows.
  [[nodiscard]] virtual bool reduce(const PenalisedColumns& which, const WorkingSites& sites, const Vector& target, KeepBasis basis,
                                    ReducedRows& out) = 0;
  /// Whether log odds are made with ReducedRows::U: there are more columns than rows, or columns beside those of a fit.            (SL.4)
  [[nodiscard]] virtual bool needs_basis(const PenalisedColumns& which) const { return which.size() > num_rows(); }
  /// The working rows if all rows have the log odds of their classes' shares, each with the weight of its observation.
  [[nodiscard]] virtual WorkingSites first_sites() const = 0;

  /// The row for the prior of the intercept is the mean over these signals; at first over one of variance 0.                   (SP.20)
  virtual void set_signals(std::vector<WeightedSignal> signals) { signals_ = std::move(signals); }
  [[nodiscard]] const std::vector<WeightedSignal>& signals() const { return signals_; }
  /// E ln p(b) of the intercept as a function of the signal.
  [[nodiscard]] std::function<double(double signal)> log_prior_of_intercept(const KnownOdds& known) const;

 protected:
  explicit ClassRows(bool proper) : proper_(proper) {}
  /// The row of the prior of the intercept at its mean and variance.
  struct AtIntercept {
    double omega = 0, response = 0, log_likelihood = 0;
  };
  [[nodiscard]] AtIntercept at_intercept(double mean, double variance) const;
  /// Mean and variance of the log odds of that row.
  [[nodiscard]] virtual std::pair<double, double> moments_of_intercept(const KnownOdds& known) const = 0;

 private:
  bool proper_;
  std::vector<WeightedSignal> signals_{{}};
};

/// Rows in memory; a derived class has their likelihood.
class RowsInMemory : public ClassRows {
 public:
  [[nodiscard]] Index num_rows() const override { return k_.size() + (is_proper() ? 1 : 0); }
  [[nodiscard]] Index num_columns() const override { return design_->cols(); }
  [[nodiscard]] Design* design() override { return design_.get(); }
  [[nodiscard]] ClassRowsAt at(const KnownOdds& known) const override;
  [[nodiscard]] double log_likelihood(const KnownOdds& known) const override { return evaluate(std::get<LogOdds>(known), nullptr); }
  [[nodiscard]] KnownOdds log_odds(const Vector& w, const Matrix& V) override;
  [[nodiscard]] KnownOdds average(const std::vector<std::pair<double, const KnownOdds*>>& parts) const override;
  [[nodiscard]] Vector target_of(const WorkingSites& sites) const override;
  [[nodiscard]] double weight_of(const WorkingSites& sites) const override { return std::get<Sites>(sites).omega.sum(); }
  [[nodiscard]] double misfit(const WorkingSites& sites, const Vector& target, const KnownOdds& known) const override;
  [[nodiscard]] double distance(const KnownOdds& from, const KnownOdds& to, const WorkingSites& sites) const override;
  [[nodiscard]] Extent extent(const WorkingSites& sites, const KnownOdds& known) const override;
  [[nodiscard]] bool reduce(const PenalisedColumns& which, const WorkingSites& sites, const Vector& target, KeepBasis basis,
                            ReducedRows& out) override;
  /// The precision of Gram matrices and variances of rows.                                                                       (MP.4)
  void set_products(Products products) { products_ = products; }
  [[nodiscard]] Products products() const { return products_; }
  /// How the working rows are reduced in each step.
  void set_rotation(Rotation rotation) { rotation_ = rotation; }
  /// Other reduced rows than those of the design, with columns beside its own.                                                   (SL.15)
  using Reduction = std::function<bool(const Sites& sites, const Vector& target, KeepBasis basis, ReducedRows& out)>;
  void set_reduction(Reduction reduction, bool needs_basis) {
    reduction_ = std::move(reduction);
    needs_basis_ = needs_basis;
  }
  [[nodiscard]] bool needs_basis(const PenalisedColumns& which) const override { return needs_basis_ || ClassRows::needs_basis(which); }

 protected:
  /// \param k  [n] observation weights
  RowsInMemory(std::unique_ptr<Design> design, const Vector& k, bool proper);
  /// E ln p(t), the prior of the intercept included. \param sites  if not null, gets the working rows
  [[nodiscard]] virtual double evaluate(const LogOdds& known, Sites* sites) const = 0;
  [[nodiscard]] const Vector& weights() const { return k_; }

 private:
  std::unique_ptr<Design> design_;
  const Vector& k_;
  Products products_ = Products::double_precision;
  Rotation rotation_ = Rotation::to_diagonal;
  Reduction reduction_;
  bool needs_basis_ = false;
};

class TableClassRows : public RowsInMemory {
 public:
  /// \param t         [n] shares of the second class, in [0, 1];  \param k  [n] observation weights
  TableClassRows(std::unique_ptr<Design> design, const Vector& t, const Vector& k, bool proper);

  [[nodiscard]] KnownOdds before(bool has_flat) const override;
  [[nodiscard]] bool are_steps(const KnownOdds& known) const override;
  [[nodiscard]] WorkingSites first_sites() const override;

 private:
  [[nodiscard]] double evaluate(const LogOdds& known, Sites* sites) const override;
  [[nodiscard]] std::pair<double, double> moments_of_intercept(const KnownOdds& known) const override;

  const Vector& t_;
};

}  // namespace ardvark::internal
