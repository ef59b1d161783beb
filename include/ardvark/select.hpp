// How often each column survives, and how well the fits predict: repeated stratified cross-validation.   docs/math/selection.md
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark {

/// The input of a method for one fold: training rows, and test rows without their classes.
struct SelectionRows {
  MatrixView X;                 ///< [n,p] training rows
  VectorView labels;            ///< [n] number of the class, 0 .. num_classes - 1; each class has at least one row. Or numbers
  VectorView weights;           ///< [n] > 0; empty: ones
  MatrixView X_new;             ///< [m,p] test rows
  Index num_classes = 2;        ///< >= 2; 0: a regression
  std::function<bool()> go_on;  ///< returns false if the caller has cancelled; the result of the method is then not read
};

/// The result of a method for one fold.
struct SelectionFit {
  std::vector<bool> survived;      ///< [p] columns that the fit kept
  Matrix log_probability;          ///< [m, num_classes] ln of the probability of each class, nats; not NaN. Empty for a regression
  Status status = Status::failed;  ///< of the fit
  Vector mean = {};                ///< a regression: [m] prediction
  std::function<Vector(VectorView y)> log_density = {};  ///< a regression: [m] of the test rows, in nats; called once
};

/// Fits the training rows and returns the columns that survive and the probabilities of the test rows. Several threads call it at the same
/// time; BLAS has one thread. Centring, scaling and all else that it learns must come from `X`, never from `X_new`.
using SelectionMethod = std::function<SelectionFit(const SelectionRows& rows)>;

/// Any model or preset of fit_logistic. A column survives if Fit::relevant is true (without pruning or a prior that removes columns, all
/// survive). Probabilities integrate the posterior (PRED.2); presets of the SLR toolbox with compat use the mean (plug-in). If a fit fails
/// numerically, no column survives and the probabilities are the shares of the classes.
/// \param options  weights must be empty (SelectionOptions has them); threads, on_sweep and keep_covariance are not read
/// \throws InvalidArgument  options.weights is not empty. The method itself throws what fit_logistic throws
[[nodiscard]] SelectionMethod logistic_selection(const FitOptions& options);
/// The same for any model or preset of fit_softmax. A column survives if it is kept for at least one class.
[[nodiscard]] SelectionMethod softmax_selection(const SoftmaxOptions& options);

/// Any model or preset of fit_linear. If a fit fails numerically, no column survives, and the prediction is the normal distribution with
/// the mean and variance of the training rows.
[[nodiscard]] SelectionMethod linear_selection(const FitOptions& options);

struct SelectionProgress {
  Index num_done = 0;  ///< number of fits so far
  Index num_fits = 0;  ///< number of fits in all
  double elapsed_seconds = 0;
};
/// Called after each fit, by one thread at a time; return false to cancel.
using SelectionCallback = std::function<bool(const SelectionProgress&)>;

struct SelectionOptions {
  Task task = Task::logistic;                  ///< linear: the target is numbers
  int folds = 10;                              ///< from 2 to the number of rows
  int repeats = 10;                            ///< >= 1; each divides the rows anew; the first r do not depend on the number of repeats
  std::uint64_t seed = 1;                      ///< the same seed gives the same result to the last bit, with any number of threads
  int threads = 0;                             ///< number of fits at the same time, >= 0; 0: the number of threads of BLAS
  VectorView weights = {};                     ///< [rows] as in FitOptions; also applies to test rows; rows of weight 0 are not used
  SelectionCallback on_fit = {};               ///< progress, and cancellation (status = stopped_by_user)
  std::vector<std::string> column_names = {};  ///< [columns]; empty: x1, x2, ...
  std::vector<std::string> class_names =
      {};  ///< if not empty, labels are positions in this list: 0, 1, ...; otherwise the labels are the names of the classes
};

/// One fit on all folds but one, tested on that one.
struct SelectionFold {
  int repeat = 0;           ///< from 0
  int fold = 0;             ///< from 0
  double num_test = 0;      ///< test rows, as a sum of weights
  double accuracy = 0;      ///< share of the test rows whose most probable class is the true one; a regression: R^2     (SEL.5)
  double log_loss = 0;      ///< mean of -ln of the probability of the true class, nats per test row; or of -ln of the density
  Index num_survivors = 0;  ///< number of columns that survived
  Status status = Status::failed;
};

/// Mean and sd over repeats; each repeat tests every row once. The sd measures the effect of the random division into folds. For the effect
/// of other rows, see the standard errors of SelectionCounts.
struct SelectionSpread {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double sd = std::numeric_limits<double>::quiet_NaN();  ///< NaN with fewer than two repeats
};

/// Of a regression, each `accuracy` is an R^2: one minus the mean squared error divided by the variance of the target.         (SEL.5)
struct SelectionCounts {
  Task task = Task::logistic;
  std::vector<Index> count;               ///< [p] number of fits that the column survived
  Vector share;                           ///< [p] count divided by the number of fits, in [0, 1]
  Vector sc_value;                        ///< [p] sum of the test accuracies of the fits that it survived, in [0, num_fits()]; a negative
                                          ///< R^2 counts as zero                                                                  (SEL.1)
  std::vector<SelectionFold> fits;        ///< in the order of repeats, then folds; after a cancellation, only the fits that were done
  std::vector<std::vector<int>> deal;     ///< [repeats][rows] the fold, from 0, that tested the row; -1: the row was not used
  SelectionSpread accuracy;               ///< (SEL.2)
  SelectionSpread log_loss;               ///< nats per row                                                             (SEL.2)
  SelectionSpread num_survivors;          ///< number of columns that survive a fit
  double accuracy_error = 0;              ///< standard error of the mean over rows                                     (SEL.3)
  double log_loss_error = 0;              ///< the same for the log loss
  double chance_accuracy = 0;             ///< accuracy if only the class frequencies are known: the share of the largest class  (SEL.4)
  double chance_log_loss = 0;             ///< log loss if only these are known: the entropy of the classes, nats       (SEL.4). Of a
                                          ///< regression: 0, and that of a normal distribution with the variance of the target
  std::vector<std::string> column_names;  ///< [p]
  std::string method;                     ///< how the rows were fitted, for the summary; may be empty
  std::string target;                     ///< name of the target, if one was given
  std::vector<std::string> classes;       ///< labels, ascending
  Vector class_weight;                    ///< [classes] rows of each, as sums of weights
  int folds = 0;
  int repeats = 0;
  std::uint64_t seed = 0;
  Status status = Status::failed;  ///< converged, stopped_by_user, or the status of the first fit that ended in another way
  std::string message;             ///< one sentence
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  double seconds = 0;  ///< wall clock

  [[nodiscard]] Index num_fits() const { return static_cast<Index>(fits.size()); }
  [[nodiscard]] Index num_columns() const { return static_cast<Index>(count.size()); }
};

/// Repeated stratified cross-validation (a regression: not stratified). Each repeat divides the rows of every class at random into the
/// folds, so that folds differ by at most one row of each class and by at most one row in all. Each fold is predicted by a fit to the other
/// folds.
///
///     ardvark::SelectionCounts c = ardvark::select_columns(X, labels, ardvark::logistic_selection(options_for_preset("slr_var")));
///
/// A class with fewer rows than folds is absent from the test rows of some folds (a note says so), but never from the training rows.
/// \param X       [n,p] as in fit_logistic. In addition, each thread has a copy of the rows of one fold
/// \param labels  [n] two or more distinct values; the method decides how many classes it accepts. A regression: finite, not constant
/// \throws InvalidArgument  before any work: folds, repeats or threads out of range, labels that are not positions in class_names, fewer
///         than two classes, a class with one row; what the method throws. A fit that does not converge is not an error: read status and
///         warnings.
[[nodiscard]] SelectionCounts select_columns(MatrixView X, VectorView labels, const SelectionMethod& method,
                                             const SelectionOptions& options = {});

/// The columns by SC-value, largest first; columns with equal values keep their order.
[[nodiscard]] std::vector<Index> ranking(const SelectionCounts& counts);

/// The counts as a printed table: the first `top` columns of the ranking, then accuracy, log loss and survivors. top >= 0.
[[nodiscard]] std::string summary(const SelectionCounts& counts, Index top = 20);

}  // namespace ardvark
