// The rows of two classes as rows of a linear model.                                                   docs/math/sparse.md (SL.1), (SP.20)
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "design/design.hpp"

namespace ardvark::internal {

/// Weight, and weight times working target, of each row.                                                                         (SL.1)
struct Sites {
  Vector omega, response;
};

/// Mean and variance of the log odds of each row.
struct LogOdds {
  Vector m, s;
};

/// The working rows at given log odds, and the likelihood there.
struct ClassRowsAt {
  Sites sites;
  double log_likelihood = 0;  ///< E ln p(t), the prior of the intercept included
};

/// c of (SP.20): under a signal of this variance, the share of the class has the log odds c b.
[[nodiscard]] double narrowing_of(double signal);

/// A variance of the log odds under the prior, and its weight.
struct WeightedSignal {
  double weight = 1, signal = 0;
};

class ClassRows {
 public:
  /// \param t         [n] shares of the second class, in [0, 1];  \param k  [n] observation weights
  /// \param proper    the intercept, the last column of the design, has the prior (SP.20), which is one more row
  ClassRows(std::unique_ptr<Design> design, const Vector& t, const Vector& k, bool proper);

  [[nodiscard]] Design& design() { return *design_; }
  [[nodiscard]] Index size() const { return t_.size() + (proper_ ? 1 : 0); }
  [[nodiscard]] bool is_proper() const { return proper_; }
  /// The first log odds: those of the shares of the classes, or 0 without a flat column.
  [[nodiscard]] LogOdds before(bool has_flat) const;
  [[nodiscard]] ClassRowsAt at(const LogOdds& known) const;
  [[nodiscard]] double log_likelihood(const LogOdds& known) const;  ///< that of at(known), without its sites
  /// The row for the prior of the intercept is the mean over these signals; at first over one of variance 0.                   (SP.20)
  void set_signals(std::vector<WeightedSignal> signals) { signals_ = std::move(signals); }
  [[nodiscard]] const std::vector<WeightedSignal>& signals() const { return signals_; }
  /// E ln p(b) of the intercept as a function of the signal, with b from the log odds of the last row.
  [[nodiscard]] std::function<double(double signal)> log_prior_of_intercept(const LogOdds& known) const;
  /// All rows are separated, with log odds or a standard deviation of at least 100: the coefficients grow without limit.          (VG.5)
  [[nodiscard]] bool are_steps(const LogOdds& known) const;
  /// The precision of Gram matrices and variances of rows.                                                                       (MP.4)
  void set_products(Products products) { products_ = products; }
  [[nodiscard]] Products products() const { return products_; }
  /// m = X w, s_n = x_n'V x_n.
  [[nodiscard]] LogOdds log_odds(const Vector& w, const Matrix& V);

 private:
  template <typename Use>
  void each_row(const LogOdds& known, Use&& use) const;

  std::unique_ptr<Design> design_;
  const Vector &t_, &k_;
  bool proper_;
  Products products_ = Products::double_precision;
  std::vector<WeightedSignal> signals_{{}};
};

}  // namespace ardvark::internal
