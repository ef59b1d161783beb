// Options and results that linear and logistic regression share.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/prior.hpp"
#include "ardvark/report.hpp"
#include "ardvark/types.hpp"

namespace ardvark {

enum class LogisticLikelihood {
  gaussian,  ///< the exact Gaussian variational posterior: honest uncertainty, the default of models        (VG)
  bound,     ///< the Jaakkola-Jordan bound, as the published programs have it                               (JJ)
  laplace    ///< a normal distribution at the mode: Laplace's approximation                                 (LAP)
};

enum class LinearPosterior {
  joint,      ///< the prior of the weights is scaled by the noise, q(w, tau) = N(w, V/tau) Gam: the default          (LIN)
  factorised  ///< it is not, q(w) q(tau): the variational relevance vector machine                                  (VR)
};
[[nodiscard]] const char* to_string(LinearPosterior posterior);
[[nodiscard]] const char* to_string(LogisticLikelihood likelihood);

/// What columns are divided by inside. All but `deviation` belong to published programs.
enum class Scaling {
  deviation,         ///< each by its standard deviation
  largest,           ///< each by its largest |x - mean|
  largest_of_table,  ///< all by the largest of the table, after the mean of the table has been taken off each
};

enum class Keep { automatic, always, never };

/// In which order one observation is taken at a time.                                                                   (SEQ.6)
enum class RowOrder {
  as_given,   ///< as the published program has it: the result depends on the order of the table
  by_content  ///< drawn from what is in the rows, equal rows together: a table sorted in another way gives the same result
};

/// Options of fit_linear and fit_logistic. The defaults are a *model*: intercept, standardised columns, convergence by remaining gain.
/// options_for_preset() gives those of a published program.
struct FitOptions {
  Prior prior = Prior::automatic();
  GammaDistribution precision = {1e-2, 1e-4};  ///< hyper-prior of each precision alpha: c0, d0 of linear, a0, b0 of logistic; > 0, or both
                                               ///< 0 (Jeffreys' prior, with a rule other than vb or with pruning) (LIN.2), (JJ.4)
  GammaDistribution noise = {1e-2, 1e-4};      ///< linear: prior of the noise precision, a0, b0; > 0                            (LIN.1)
  LinearPosterior posterior = LinearPosterior::joint;  ///< linear only
  std::optional<LogisticLikelihood> likelihood = {};   ///< logistic only; none: gaussian (fit_softmax: see there)
  std::optional<UpdateRule> rule = {};      ///< of the precisions; none: vb (fit_softmax: see there); any other than vb: plain sweeps,
                                            ///< converged when the precisions stand still (SLR.3), and no acceleration
  Pruning pruning = {};                     ///< plain sweeps likewise
  RowOrder row_order = RowOrder::as_given;  ///< preset vb_logit_fit_iter only
  double start_xi = 0;                      ///< logistic bound: xi of every row to begin with; >= 0
  bool intercept = true;                 ///< a flat column of ones; of classes, without other flat columns, with a prior (LIN.5), (SP.20)
  bool penalize_intercept = false;       ///< the column of ones has a precision like any other, as in some published programs
  bool standardize = true;               ///< columns (and a linear target) are centred and scaled inside; results are in your units
  Scaling scaling = Scaling::deviation;  ///< how, if `standardize`
  VectorView weights = {};               ///< [rows] a weight equals repetition; >= 0, not all zero; empty: ones           (LIN.6)
  std::optional<double> tolerance = {};  ///< >= 0. Models: stop when the predicted remaining gain <= tolerance nats per row, default 1e-8
                                         ///< (1e-4 with more columns than rows, where the bound has many maxima). Presets: when the bound
                                         ///< changes by less than this part of its value, default 1e-5. Laplace prior: when the optimality
                                         ///< conditions hold within this part of lambda, in (0, 1), default 1e-9. Sparse priors: when
                                         ///< the bound changes by less nats, default 1e-3, classes 2e-3       (L1.2), (SP.8), (SL.6)
  int max_sweeps = 500;                  ///< >= 1
  std::vector<double> start_precision = {};  ///< [columns], with an intercept also one more, last, which is read if that has a precision;
                                             ///< [1] of one precision for all columns. E[alpha] to begin with, > 0, in the units of
                                             ///< Fit::precision; of the columns of a group the first counts; empty: the mean of the
                                             ///< hyper-prior. fit_softmax: those of class after class, or machine after machine
  double start_noise = 0;                    ///< linear, factorised: noise precision to begin with, in units of 1/y^2; 0: 100/variance of y
  SolverKind solver = SolverKind::automatic;  ///< spectral for a shared linear prior, else primal for columns <= rows, dual otherwise;
                                              ///< models: qr instead, where the columns are too near to collinear for a Gram matrix
                                              ///<                                                                   (RIDGE.9)
  bool accelerate = true;  ///< bolder steps than VB's, extrapolated, and taken back when the bound falls: a column with a precision of its
                           ///< own to the best one, groups and more columns than rows by MacKay's rule. Linear with a precision per
                           ///< column, joint, more columns than rows (up to 8 times, solver dual): precisions climb in blocks of columns
                           ///< instead. A preset with it is the published model taken to its maximum as a model is (VBLinLogit's and
                           ///< vrvm_*, without compat)                       (OPT.3), (OPT.6), (OPT.7), (BLOCK.1), (BLOCK.2)
  bool mixed_precision = true;  ///< logistic models, large fits: early sweeps take their O(n p^2) products in single precision; the last
                                ///< sweeps and all that is reported are double. Linear models with a sparse prior, long tables: the Gram
                                ///< matrix, where that is sure not to show                                     (MP.2), (MP.3)
  int record_every = 0;         ///< sweeps between two columns of Fit::precision_history, >= 0; 0: none is kept
  int threads = 0;              ///< during the fit; 0: as many as OpenBLAS has been given
  Keep keep_covariance = Keep::automatic;      ///< the factor that predict() and covariance() need; automatic: unless it exceeds 256 MB
  SweepCallback on_sweep = {};                 ///< after each sweep; return false to stop (status = stopped_by_user)
  std::string preset = {};                     ///< set by options_for_preset
  bool compat = false;                         ///< presets: reproduce the published program exactly, its defects included
  std::vector<std::string> column_names = {};  ///< [columns] for messages and summaries; empty: x1, x2, ...
};

enum class Task {
  linear,
  logistic,
  counts  ///< 0, 1, 2, ...; no function of this header takes them yet
};
[[nodiscard]] const char* to_string(Task task);

/// A published program as data: what options_for_preset() fills in.
struct PresetInfo {
  const char* name;
  Task task;
  const char* description;
};
[[nodiscard]] const std::vector<PresetInfo>& presets();
/// The options that make fit_linear / fit_logistic that published program. \throws InvalidArgument for an unknown name, listing the known
/// ones.
[[nodiscard]] FitOptions options_for_preset(const std::string& name, bool compat = false);
/// The task of a preset. \throws InvalidArgument likewise.
[[nodiscard]] Task task_of_preset(const std::string& name);

struct Interval {
  double lower = 0;
  double upper = 0;
};

/// The intercept of a model, in the units of the data.
struct Intercept {
  double mean = 0;
  double variance = 0;
};

namespace internal {
struct FitState;
}

/// What a fit of a sparse prior is the average of. Of few columns: one of two hypotheses, averaged over its hyper-parameters, of which
/// the numbers below are means (SP.21); of more: one of the places that it began at, and where it came to (SP.8).
struct SparseStart {
  std::string name;  ///< "no small effects", "small effects"; or "ridge", "zero", or "lasso" and the place on the path
  Status status = Status::failed;
  int sweeps = 0;
  double bound = 0;            ///< nats; of a hypothesis its evidence, all of its hyper-parameters together
  double weight = 0;           ///< in the average; they sum to 1
  double inclusion_prior = 0;  ///< pi: the share of the columns with an effect of their own
  double slab_sd = 0;          ///< sd of these effects, per sd of the column (linear: in units of the target)
  double dense_sd = 0;         ///< sd of the small effects, likewise
  double noise_sd = 0;         ///< linear: in units of the target
  double dense_fraction = 0;   ///< of the variance: what the small effects explain over that and the noise
};

/// Columns of which one has an effect, and the data cannot tell which.                                                        (SP.9)
struct CredibleSet {
  std::vector<Index> columns;       ///< most probable first: the fewest that hold 95% of the probability
  std::vector<double> probability;  ///< that it is this one
  double inclusion = 0;             ///< that it is one of them at all
};

/// What is known under a prior `sparse`, `slab` or `dense` beside the coefficients.
struct SparseResult {
  Vector inclusion;             ///< [p] posterior probability of an effect of its own; of a group that of the group
  Vector direction;             ///< [p] in [.5, 1], see direction()
  std::vector<bool> undecided;  ///< [p] `starts` that count disagree on whether the inclusion is above one half; or it is, and the sign of
                                ///< a single column is not known to 97.5%
  double dense_fraction = 0;    ///< in [0, 1), averaged over `starts`
  double peak_bound = 0;        ///< nats: the bound at the best values of the hyper-parameters; NaN: of a file
  std::vector<SparseStart> starts;  ///< without small effects first; or in the order they were made
  std::vector<CredibleSet> sets;    ///< of the columns with inclusion > 0.1, or of an effect they share; by inclusion; groups have none
};

/// What a fit found. Vectors have one entry per column of X, in its order and in its units.
struct Fit {
  Task task = Task::linear;
  Vector mean;      ///< [p] posterior mean of each coefficient
  Vector variance;  ///< [p] marginal posterior variance (linear: V_jj b_N/(a_N - 1), infinite for a_N <= 1)
  std::optional<Intercept> intercept;
  Vector standardized_mean;  ///< [p] the mean in the units in which the fit saw the columns, the intercept, if any, as entry p
  Vector V_diagonal;         ///< [p] diagonal of V; linear: q(w|tau) = N(w, V/tau), so V is not the variance
  double log_det_V = 0;      ///< ln|V|, intercept included; NaN under a sparse prior, where it is not computed
  Vector precision;          ///< [groups] E[alpha], of the standardised columns where there is standardisation; empty under a sparse prior
  Matrix precision_history;  ///< [groups, 1 + max_sweeps/record_every] E[alpha] at the start and after each so many sweeps; where the fit
                             ///< ended before, as it left them, of a published program that is reproduced as at the start; no file has it
  std::vector<Index> group;  ///< [p] group of each column; -1 flat, -2 fixed precision, -3 left out
  Vector relevance;          ///< [p] well-determinedness 1 - a_j V_jj in [0, 1]: 1 = set by the data, 0 = by the prior; under a sparse
                             ///< prior the inclusion
  std::vector<bool> relevant;  ///< [p] kept: its group's precision would stay finite with a margin of two     (OPT.3); true under a shared
                               ///< prior; under a sparse one inclusion above one half, and not undecided
  std::vector<bool> left_out;  ///< [p] constant or duplicated columns that took no part; their mean is 0
  double bound = 0;            ///< lower bound on the log evidence, nats; of likelihood laplace the approximation (LAP.3), no
                               ///< bound; under a Laplace prior the log density of rows and standardised weights at
                               ///< the mode (L1.1), of the published l1_slr_lap without its constant              (L1EM.2)
  std::vector<std::string> column_names;                         ///< [p]
  PriorKind prior = PriorKind::shared;                           ///< the one that was used
  double lambda = 0;                                             ///< of a Laplace prior
  LogisticLikelihood likelihood = LogisticLikelihood::gaussian;  ///< logistic: what `bound` is of; of a Laplace prior: laplace

  LinearPosterior posterior = LinearPosterior::joint;  ///< linear: factorised: V is the covariance of w itself
  GammaDistribution noise = {0, 0};                    ///< linear: posterior of the noise precision (a_N, b_N), in units of 1/y^2
  std::optional<SparseResult> sparse;                  ///< of a prior sparse, slab or dense
  std::string target;                                  ///< name of the target, if one was given
  std::vector<std::string> classes;                    ///< logistic: the two labels; probabilities are of the second

  /// How the fit describes the rows it was made from.
  double num_rows = 0;              ///< sum of the observation weights
  double effective_parameters = 0;  ///< sum of relevance, intercept and flat columns included
  double r_squared = 0;             ///< linear
  double accuracy = 0;              ///< logistic: share of the rows whose class is the more probable one by predict()
  double log_loss = 0;              ///< logistic, nats per row, of the probabilities that predict() gives by its rule `automatic`
  double class_weight[2] = {0, 0};  ///< logistic: rows of each class

  Report report;
  std::shared_ptr<const internal::FitState> state;  ///< what predict(), covariance() and the model file need

  [[nodiscard]] Index num_columns() const { return mean.size(); }
  /// Weights and noise in one posterior: marginals are Student-t and V is scaled by the noise.
  [[nodiscard]] bool is_joint() const { return task == Task::linear && posterior == LinearPosterior::joint; }
  /// Degrees of freedom of the marginals: 2 a_N of a Student-t (linear, joint), infinity (a normal distribution) otherwise.
  [[nodiscard]] double degrees_of_freedom() const { return is_joint() ? 2 * noise.shape : std::numeric_limits<double>::infinity(); }
  /// Posterior covariance of the coefficients [p, p], or [p+1, p+1] with the intercept last; formed when called.
  /// \throws InvalidArgument if the fit kept no covariance factor.
  [[nodiscard]] Matrix covariance() const;
  /// V, of which V_diagonal is the diagonal, likewise: q(w|tau) = N(w, V/tau) of a joint posterior, else V is the covariance.
  [[nodiscard]] Matrix V() const;
};

/// V^-1 = diag(a) + X' diag(omega) X [p,p], not by inverting V.                                                        (RIDGE.1)
/// \param fit  one of columns as they are, without intercept and standardisation, and not from a file
/// \param X    [n,p] the rows that it was made from; not read where one observation was taken at a time, whose V^-1 comes from V's factor
/// \throws InvalidArgument  another fit, or another number of rows or columns
[[nodiscard]] Matrix V_inverse(const Fit& fit, MatrixView X);

/// Central credible interval of coefficient j (of the intercept: j = -1). level in (0, 1).
[[nodiscard]] Interval credible_interval(const Fit& fit, Index j, double level = 0.95);
/// [p] in [.5, 1]: probability that a coefficient has the sign of its mean, half of the probability that it is 0 included; .5 where a
/// column was left out.                                                                                                        (SP.22)
[[nodiscard]] Vector direction(const Fit& fit);
/// Central credible interval of the noise standard deviation 1/sqrt(tau). Linear only.
[[nodiscard]] Interval noise_sd_interval(const Fit& fit, double level = 0.95);
[[nodiscard]] double noise_sd(const Fit& fit);  ///< sqrt(b_N/a_N). Linear only.

/// What `bound` may be compared with. Over columns that have a prior it is of one kind; a column without one adds a density that depends on
/// its unit, and that no price of complexity is taken off.                                                                (LIN.5), (CMP.3)
enum class BoundScope {
  any_prior,  ///< fits of the same rows and target under other priors
  same_flat,  ///< some columns have no prior: fits in which the same columns have none
  nothing     ///< no column has a prior (prior `none`), or it is the density at the mode of a Laplace prior
};
[[nodiscard]] BoundScope bound_scope(const Fit& fit);

/// The fit as a table for people: coefficients with sd, interval and relevance, then what is known of the whole.
[[nodiscard]] std::string summary(const Fit& fit, double level = 0.95);

}  // namespace ardvark
