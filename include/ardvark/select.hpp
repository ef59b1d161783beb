// Which columns survive, how often, and how well their fits predict: repeated stratified cross-validation.   docs/math/selection.md
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark {

/// What a method is given of one fold: rows to learn from, and rows whose classes it does not see.
struct SelectionRows {
  MatrixView X;                 ///< [n,p]
  VectorView labels;            ///< [n] number of the class, 0 .. num_classes - 1, each of them at least once
  VectorView weights;           ///< [n] > 0; empty: ones
  MatrixView X_new;             ///< [m,p] rows to be predicted
  Index num_classes = 2;        ///< >= 2
  std::function<bool()> go_on;  ///< false once the caller has cancelled: what the method then returns is not read
};

/// What it makes of them.
struct SelectionFit {
  std::vector<bool> survived;      ///< [p] columns that the fit kept
  Matrix log_probability;          ///< [m, num_classes] ln of the probability of each class, nats; not NaN
  Status status = Status::failed;  ///< of the fit
};

/// Fits the rows, says which columns survive, and gives probabilities of the new rows. It is called from several threads at a time, with
/// BLAS held at one; centring, scaling and whatever else it learns come from `X`, never from `X_new`.
using SelectionMethod = std::function<SelectionFit(const SelectionRows& rows)>;

/// Any model or preset of fit_logistic: a column survives if Fit::relevant says so (without pruning or a prior that removes columns, all
/// do). Probabilities integrate the posterior (PRED.2); presets of the SLR toolbox with compat plug the mean in. A fit that fails
/// numerically has no survivors and predicts the shares of the classes. \param options  weights must be empty (SelectionOptions has them);
/// threads, on_sweep and keep_covariance are not read \throws InvalidArgument  options.weights is not empty. The method itself throws what
/// fit_logistic throws
[[nodiscard]] SelectionMethod logistic_selection(const FitOptions& options);
/// Any model or preset of fit_softmax, likewise; a column survives if it is kept for one class at least.
[[nodiscard]] SelectionMethod softmax_selection(const SoftmaxOptions& options);

struct SelectionProgress {
  Index num_done = 0;  ///< fits
  Index num_fits = 0;  ///< in all
  double elapsed_seconds = 0;
};
/// Called after each fit, by one thread at a time; return false to cancel.
using SelectionCallback = std::function<bool(const SelectionProgress&)>;

struct SelectionOptions {
  int folds = 10;                              ///< from 2 to the number of rows
  int repeats = 10;                            ///< >= 1: each deals the rows anew; the first r of them do not depend on how many follow
  std::uint64_t seed = 1;                      ///< the same seed gives the same result, bit for bit, at any number of threads
  int threads = 0;                             ///< fits at a time, >= 0; 0: as many as BLAS would use
  VectorView weights = {};                     ///< [rows] as in FitOptions; rows of weight 0 take no part; also of the test rows
  SelectionCallback on_fit = {};               ///< progress, and cancellation (status = stopped_by_user)
  std::vector<std::string> column_names = {};  ///< [columns]; empty: x1, x2, ...
  std::vector<std::string> class_names =
      {};  ///< if not empty, labels are positions in it: 0, 1, ...; otherwise classes are named by labels
};

/// One fit on all folds but one, tested on that one.
struct SelectionFold {
  int repeat = 0;           ///< from 0
  int fold = 0;             ///< from 0
  double num_test = 0;      ///< test rows, as a sum of weights
  double accuracy = 0;      ///< share of the test rows whose most probable class is theirs
  double log_loss = 0;      ///< -ln of the probability given to their class, nats per test row
  Index num_survivors = 0;  ///< columns
  Status status = Status::failed;
};

/// Over repeats, each of which tests every row once. The sd says how much chance there is in the deal of the rows, not how other rows would
/// do: for that see the standard errors of SelectionCounts.
struct SelectionSpread {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double sd = std::numeric_limits<double>::quiet_NaN();  ///< NaN with fewer than two repeats
};

struct SelectionCounts {
  std::vector<Index> count;               ///< [p] fits that the column survived
  Vector share;                           ///< [p] the same as a part of all fits, in [0, 1]
  Vector sc_value;                        ///< [p] sum of the test accuracies of the fits that it survived, in [0, num_fits()]    (SEL.1)
  std::vector<SelectionFold> fits;        ///< in the order of repeats, then folds; after a cancellation only those that were done
  std::vector<std::vector<int>> deal;     ///< [repeats][rows] the fold, from 0, that tested the row; -1: it took no part
  SelectionSpread accuracy;               ///< (SEL.2)
  SelectionSpread log_loss;               ///< nats per row                                                             (SEL.2)
  SelectionSpread num_survivors;          ///< columns a fit
  double accuracy_error = 0;              ///< standard error of the mean over rows                                     (SEL.3)
  double log_loss_error = 0;              ///< likewise
  double chance_accuracy = 0;             ///< of a guess that knows how frequent the classes are: the share of the most frequent  (SEL.4)
  double chance_log_loss = 0;             ///< of the same: the entropy of the classes, nats                            (SEL.4)
  std::vector<std::string> column_names;  ///< [p]
  std::string method;                     ///< for people: how the rows were fitted, if it was said
  std::string target;                     ///< name of the target, if one was given
  std::vector<std::string> classes;       ///< labels, ascending
  Vector class_weight;                    ///< [classes] rows of each, as sums of weights
  int folds = 0;
  int repeats = 0;
  std::uint64_t seed = 0;
  Status status = Status::failed;  ///< converged, stopped_by_user, or that of the first fit that ended otherwise
  std::string message;             ///< one sentence
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  double seconds = 0;  ///< wall clock

  [[nodiscard]] Index num_fits() const { return static_cast<Index>(fits.size()); }
  [[nodiscard]] Index num_columns() const { return static_cast<Index>(count.size()); }
};

/// Repeated stratified cross-validation: each repeat deals the rows of every class to the folds at random, so that folds differ by at most
/// one row of each class and by at most one row in all; each fold is predicted by a fit of the others.
///
///     ardvark::SelectionCounts c = ardvark::select_columns(X, labels, ardvark::logistic_selection(options_for_preset("slr_var")));
///
/// A class with fewer rows than folds is absent from some folds' test rows (a note says so), never from the rows a fit learns from.
/// \param X       [n,p] as in fit_logistic. Beside it each thread holds a copy of the rows of one fold
/// \param labels  [n] two distinct values or more (how many the method takes is the method's)
/// \throws InvalidArgument  before any work: folds, repeats, threads out of range, labels that are not positions in
///         class_names, fewer than two classes, a class with one row; what the
///         method throws. A fit that does not converge is not an error: read status and warnings.
[[nodiscard]] SelectionCounts select_columns(MatrixView X, VectorView labels, const SelectionMethod& method,
                                             const SelectionOptions& options = {});

/// The columns by SC-value, largest first; equal ones in their order.
[[nodiscard]] std::vector<Index> ranking(const SelectionCounts& counts);

/// The counts as a table for people: the first columns of the ranking, then accuracy, log loss and survivors. top >= 0.
[[nodiscard]] std::string summary(const SelectionCounts& counts, Index top = 20);

}  // namespace ardvark
