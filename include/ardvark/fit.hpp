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
  gaussian,  ///< the best Gaussian posterior, by variational Bayes: its uncertainty is right; the default of models        (VG)
  bound,     ///< the bound of Jaakkola and Jordan, as in the published programs                               (JJ)
  laplace    ///< a normal distribution at the mode: Laplace's approximation                                 (LAP)
};

enum class LinearPosterior {
  joint,      ///< the noise scales the prior of the weights: q(w, tau) = N(w, V/tau) Gamma(tau). The default          (LIN)
  factorised  ///< the noise does not: q(w) q(tau), as in the variational relevance vector machine                                  (VR)
};

/// The distribution of a row about its linear predictor, where a target has more than one.
enum class Family {
  automatic,         ///< the one with the higher log evidence; both are fitted
  normal,            ///< numbers
  student,           ///< numbers: Student-t noise, whose degrees of freedom are found; outliers get little weight                   (TN)
  poisson,           ///< counts with the variance mu
  negative_binomial  ///< counts with the variance mu + k mu^2, k found                                                              (NB)
};
[[nodiscard]] const char* to_string(Family family);
[[nodiscard]] const char* to_string(LinearPosterior posterior);
[[nodiscard]] const char* to_string(LogisticLikelihood likelihood);

/// What the columns are divided by inside. Only published programs use another value than `deviation`.
enum class Scaling {
  deviation,         ///< each column by its standard deviation
  largest,           ///< each column by its largest |x - mean|
  largest_of_table,  ///< all columns by the largest |x - mean| of the table; the mean is that of the table, too
};

/// Intervals of coefficients under the best normal posterior of two classes and of counts.                                        (SKEW)
enum class Intervals {
  skewed,   ///< of each marginal with the best normal distribution of the other weights: the default, right with few rows, too
  gaussian  ///< of the normal posterior: mean -+ a multiple of the standard deviation
};

enum class Keep { automatic, always, never };

/// The order of the rows where a fit absorbs one row at a time.                                                                   (SEQ.6)
enum class RowOrder {
  as_given,   ///< the order of the table, as in the published program: the result depends on it
  by_content  ///< a random order that depends only on the numbers in the rows; equal rows are absorbed together. The result does not
              ///< depend on the order of the table
};

/// Which lambda a Laplace prior without a lambda takes. Cross-validation computes the loss for each lambda of a path.            (L1.12)
enum class LambdaRule {
  smallest_loss,      ///< the lambda with the smallest loss, glmnet's lambda.min
  one_standard_error  ///< the largest lambda whose loss is at most one standard error above the smallest, glmnet's lambda.1se
};

/// Options of fit_linear and fit_logistic. The defaults are those of a *model*: an intercept, standardised columns, and convergence by the
/// remaining gain. options_for_preset() returns those of a published program.
struct FitOptions {
  Prior prior = Prior::automatic();
  GammaDistribution precision = {1e-2, 1e-4};  ///< hyper-prior of each precision alpha: c0, d0 (linear) or a0, b0 (logistic); > 0, or both
                                               ///< 0: Jeffreys' prior, which needs pruning or a rule other than vb (LIN.2), (JJ.4)
  /// Linear: prior of the noise precision, a0, b0; > 0                                                                        (LIN.1)
  /// 0, each for itself: the default, which depends on rows and columns and has its rate in variances of the target (LIN.8). With
  /// standardize, the variance of the target is 1; without, a rate that is given is in units of y^2.
  GammaDistribution noise = {0, 0};
  /// Linear, posterior factorised, without standardize: whether precision.rate is in units of y^2; otherwise the default rate counts in
  /// variances of the target, because alpha is in units of 1/y^2.                                                                (LIN.8)
  bool precision_in_units_of_target = false;
  LinearPosterior posterior = LinearPosterior::joint;  ///< linear only
  /// Linear, priors shared, groups, ard and laplace, no preset, fewer than 60 rows: V and the noise are those about the mean under the
  /// exact posterior for one precision. false: those of the variational posterior or the mode, which are too narrow.               (LIN.9)
  bool integrate_few_rows = true;
  /// Linear: normal, student or automatic; none: normal. Counts: poisson, negative_binomial or automatic; none: automatic. Student-t noise
  /// has a factorised posterior.
  std::optional<Family> family = {};
  std::optional<LogisticLikelihood> likelihood = {};  ///< logistic only; none: gaussian (fit_softmax: see SoftmaxOptions)
  std::optional<UpdateRule> rule = {};  ///< update of the precisions; none: vb (fit_softmax: see SoftmaxOptions). Any other rule than vb
                                        ///< has plain sweeps without acceleration, which converge when the precisions no longer change
                                        ///< (SLR.3)
  Pruning pruning = {};                 ///< if on: plain sweeps, too
  RowOrder row_order = RowOrder::as_given;  ///< preset vb_logit_fit_iter only
  double start_xi = 0;                      ///< likelihood `bound`: starting value of xi for every row; >= 0
  Intervals intervals = Intervals::skewed;  ///< logistic with likelihood gaussian, and counts; priors shared, ard, groups and none
  bool intercept = true;                    ///< add a column of ones without a prior; with classes and no other flat column it has a prior
                                            ///< (LIN.5), (SP.20)
  bool penalize_intercept = false;          ///< the column of ones has a precision like any other column, as in some published programs
  bool standardize = true;                  ///< columns (and a linear target) are centred and scaled inside; results are in your units
  Scaling scaling = Scaling::deviation;     ///< what columns are divided by, if `standardize`
  VectorView weights = {};                  ///< [rows] a weight equals repetition; >= 0, not all zero; empty: ones           (LIN.6)
  std::string exposure = {};             ///< counts: the name of the column that says how long, or over how much, a row was counted; > 0.
                                         ///< Its logarithm is added to the linear predictor, so rates are per unit of it     (POIS.8)
  std::string offset_column = {};        ///< counts: the name of the column that is added to the linear predictor as it is    (POIS.9)
  VectorView row_offset = {};            ///< [rows] counts: added to the linear predictor; then new rows need it, too. One of the three
  std::optional<double> tolerance = {};  ///< >= 0. Models: stop when the predicted remaining gain <= tolerance nats per row, default 1e-8
                                         ///< (1e-4 with more columns than rows, where the bound has many maxima). Presets: when the
                                         ///< relative change of the bound is smaller, default 1e-5. Laplace prior: when the optimality
                                         ///< conditions hold to tolerance * lambda; in (0, 1), default 1e-9. Sparse priors: when the bound
                                         ///< changes by fewer nats, default 1e-3, classes 2e-3       (L1.2), (SP.8), (SL.6)
  int max_sweeps = 500;                  ///< >= 1
  std::vector<double> start_precision = {};  ///< [columns], or [columns + 1] with an intercept, which is last and read if it has a
                                             ///< precision; [1] if all columns share one precision. Starting values of E[alpha], > 0, in
                                             ///< the units of Fit::precision; in a group, the value of its first column is used. Empty: the
                                             ///< mean of the hyper-prior. fit_softmax: the values of each class, or machine, in turn
  double start_noise = 0;                    ///< linear, factorised: starting noise precision, in units of 1/y^2; 0: 100/variance of y
  SolverKind solver = SolverKind::automatic;  ///< automatic: spectral for a shared linear prior (iterative with more than 20,000 rows and
                                              ///< as many columns), else primal for columns <= rows, or dual;
                                              ///< models take qr where the columns are too nearly collinear for a Gram matrix
                                              ///<                                                                   (RIDGE.9)
  bool accelerate = true;  ///< steps that are larger than those of VB, and extrapolated; a step is undone if the bound falls. The precision
                           ///< of a single column is set to its best value given all others; with groups, or more columns than rows,
                           ///< MacKay's rule is used. Joint linear fits with a precision per column, more columns than rows, but at most 8
                           ///< times as many, and solver dual: blocks of columns are optimised in turn instead. Presets vb_* and vrvm_*,
                           ///< without compat: the fit continues to the maximum of the bound of the published model
                           ///<                                    (OPT.3), (OPT.6), (OPT.7), (BLOCK.1), (BLOCK.2)
  bool mixed_precision = true;  ///< logistic models, large fits: early sweeps compute their O(n p^2) products in single precision; the last
                                ///< sweeps and all results are in double. Linear models with a sparse prior, long tables: the Gram matrix
                                ///< is in single precision where this cannot change the result                (MP.2), (MP.3)
  LambdaRule lambda_rule = LambdaRule::smallest_loss;  ///< Laplace prior without a lambda                                      (L1.12)
  int folds = 10;                                      ///< the same: number of folds of the cross-validation, >= 2
  std::uint64_t seed = 1;                              ///< the same: decides which rows are in which fold
  int record_every = 0;                                ///< sweeps between two columns of Fit::precision_history, >= 0; 0: no history
  int threads = 0;                                     ///< during the fit; 0: the number of threads of OpenBLAS
  Keep keep_covariance = Keep::automatic;      ///< the factor that predict() and covariance() need; automatic: if it is at most 256 MB
  SweepCallback on_sweep = {};                 ///< after each sweep; return false to stop (status = stopped_by_user)
  std::string preset = {};                     ///< options_for_preset sets it
  bool compat = false;                         ///< presets: reproduce the published program exactly, its defects included
  std::vector<std::string> column_names = {};  ///< [columns] for messages and summaries; empty: x1, x2, ...
};

enum class Task {
  linear,
  logistic,
  counts  ///< 0, 1, 2, ...
};
[[nodiscard]] const char* to_string(Task task);

/// A published program: a name that options_for_preset() accepts.
struct PresetInfo {
  const char* name;
  Task task;
  const char* description;
};
[[nodiscard]] const std::vector<PresetInfo>& presets();
/// The options with which fit_linear or fit_logistic reproduces this published program. \throws InvalidArgument  an unknown name; the
/// message lists the known ones
[[nodiscard]] FitOptions options_for_preset(const std::string& name, bool compat = false);
/// The task of a preset. \throws InvalidArgument  an unknown name
[[nodiscard]] Task task_of_preset(const std::string& name);

/// The lambdas of a path: those given, or `count` of them from lambda_max down to smallest times lambda_max, evenly spaced in ln lambda.
struct PathGrid {
  std::vector<double> lambdas = {};  ///< each > 0, in any order; the fits begin with the largest
  int count = 50;                    ///< >= 1; read if `lambdas` is empty
  double smallest = 0;               ///< in (0, 1]; 0: 1e-4 with more rows than columns, else 1e-2
};

/// The mode for each lambda, in your units. Each has a certificate, `gap`: so far is its objective below the maximum at most, as a part of
/// it. A status of converged promises 10 times the tolerance, or 1e-6 where rounding does not allow more.                       (L1.16)
struct LambdaPath {
  double lambda_max = 0;             ///< every weight is zero for this lambda and larger ones                      (L1.5)
  Vector lambda;                     ///< [count] falling
  Matrix mean;                       ///< [p, count]
  Vector intercept;                  ///< [count]; empty without an intercept
  Vector log_likelihood;             ///< [count] of the training rows, nats; linear: at its best noise variance
  Vector gap;                        ///< [count] >= 0; infinite: not known
  std::vector<Index> num_nonzero;    ///< [count] penalised columns that are not zero
  std::vector<std::string> classes;  ///< logistic: the two labels; a positive weight raises the probability of the second
  std::vector<Report> reports;       ///< [count]; bound as in Fit
  std::vector<std::string> notes;    ///< what was decided for the caller, and why
  double seconds = 0;                ///< the whole path, wall clock
};

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

/// A part of the average that a fit with a sparse prior is. With few columns: one of two hypotheses, averaged over its hyper-parameters;
/// the numbers below are then means (SP.21). With more columns: one start, and the result that it reached (SP.8).
struct SparseStart {
  std::string name;  ///< "no small effects", "small effects"; or "ridge", "zero", or "lasso" with the position on its path
  Status status = Status::failed;
  int sweeps = 0;
  double bound = 0;            ///< nats; for a hypothesis, its log evidence over all of its hyper-parameters
  double weight = 0;           ///< in the average; the weights sum to 1
  double inclusion_prior = 0;  ///< pi: the share of the columns with an effect of their own
  double slab_sd = 0;          ///< sd of these effects, per sd of the column (linear: in units of the target)
  double dense_sd = 0;         ///< sd of the small effects, in the same units
  double noise_sd = 0;         ///< linear: in units of the target
  double dense_fraction = 0;   ///< variance that the small effects explain, divided by the sum of this variance and the noise
};

/// Columns of which one has an effect; the data do not say which one.                                                        (SP.9)
struct CredibleSet {
  std::vector<Index> columns;       ///< most probable first: the smallest number of columns with 95% of the probability
  std::vector<double> probability;  ///< probability that the effect is that of this column
  double inclusion = 0;             ///< probability that one of the columns has an effect
};

/// Results of the priors `sparse`, `slab` and `dense`, in addition to the coefficients.
struct SparseResult {
  Vector inclusion;             ///< [p] posterior probability that the column has an effect of its own; for a column in a group, that of
                                ///< the group
  Vector direction;             ///< [p] in [.5, 1], see direction()
  std::vector<bool> undecided;  ///< [p] the inclusion is above one half in some of the important `starts` and not in others; or it is above
                                ///< one half, but the sign of a single column is not known to 97.5%. False if it is known to 99.9%
  double dense_fraction = 0;    ///< in [0, 1), averaged over `starts`
  double peak_bound = 0;        ///< nats: the bound at the best values of the hyper-parameters; NaN if the fit was loaded from a file
  std::vector<SparseStart> starts;  ///< the hypothesis without small effects first; or the starts in the order of their fits
  std::vector<CredibleSet> sets;    ///< for columns with inclusion > 0.1, or for an effect that several columns share; by inclusion; none
                                    ///< with groups
};

/// How a cross-validation chose the lambda of a Laplace prior. The loss is that of the mode, per row that no fit to it has seen: the
/// squared error of a regression, in the units of the target squared; the log loss of two classes, in nats.                   (L1.12)
struct LambdaChoice {
  Vector lambda;                                ///< [count] falling
  Vector loss;                                  ///< [count] mean over the rows
  Vector loss_error;                            ///< [count] its standard error, from the folds
  std::vector<Index> num_nonzero;               ///< [count] penalised columns that are not zero in the fit to all rows
  Matrix mean;                                  ///< [p, count] coefficients of the fits to all rows; empty after loading a model file
  Vector intercept;                             ///< [count] of the same fits; empty without an intercept, or after loading a model file
  double smallest_loss = 0;                     ///< the lambda with the smallest loss
  double one_standard_error = 0;                ///< the largest lambda whose loss is at most one standard error above that
  LambdaRule rule = LambdaRule::smallest_loss;  ///< which of the two was taken
  int folds = 0;
};

/// The distribution of the rows about their linear predictors, and its parameter.
struct FamilyResult {
  Family family = Family::normal;
  double dispersion = 0;  ///< negative binomial: k of the variance mu + k mu^2, which maximises the bound                          (NB.4)
  double degrees_of_freedom = std::numeric_limits<double>::infinity();  ///< Student-t noise: nu, which maximises the bound         (TN.3)
  double log_mean = 0, log_sd = 0;  ///< the posterior of ln k or ln nu, about a normal distribution                                (NB.5)
  std::optional<Family> other;      ///< family automatic: the one with the lower log evidence
  double preferred_by = 0;          ///< nats of log evidence above that of `other`
  Vector row_weight;                ///< Student-t noise: [rows] about 1; near 0: an outlier. Empty after loading a model file       (TN.1)
};

/// The result of a fit. Vectors have one entry per column of X, in the order and the units of X.
struct Fit {
  Task task = Task::linear;
  Vector mean;      ///< [p] posterior mean of each coefficient
  Vector variance;  ///< [p] marginal posterior variance (linear, joint: V_jj b_N/(a_N - 1)); infinite for at most two degrees of freedom
  std::optional<Intercept> intercept;
  Vector standardized_mean;    ///< [p], or [p+1] with an intercept, which is last: the mean for the columns as they are scaled inside
  Vector V_diagonal;           ///< [p] diagonal of V; linear: q(w|tau) = N(w, V/tau), so V is not the variance
  double log_det_V = 0;        ///< ln|V|, intercept included; NaN under a sparse prior or after imputation, where it is not computed
  Vector precision;            ///< [groups] E[alpha], for the standardised columns if columns are standardised; empty under a sparse prior
  Matrix precision_history;    ///< [groups, 1 + max_sweeps/record_every] E[alpha] at the start and after every record_every sweeps. If the
                               ///< fit ended earlier, the other columns have the final values (a preset with compat: the starting values).
                               ///< Empty if the fit was loaded from a file
  std::vector<Index> group;    ///< [p] group of each column; -1 flat, -2 fixed precision, -3 left out
  Vector relevance;            ///< [p] 1 - a_j V_jj in [0, 1]: 1 = the data determine the coefficient, 0 = the prior does; under a sparse
                               ///< prior the inclusion
  std::vector<bool> relevant;  ///< [p] kept: the precision of its group would stay finite with a margin of two     (OPT.3); true under a
                               ///< shared prior; under a sparse prior: inclusion above one half, and not undecided; or, of a
                               ///< single column, the sign is known to 99.9%. The columns of a group
                               ///< are kept together, whatever their direction, or if one sign is known so well (SP.22)
  std::vector<bool> left_out;  ///< [p] constant or duplicated columns, which the fit does not use; their mean is 0
  double bound = 0;            ///< lower bound on the log evidence, nats. Likelihood laplace: the approximation (LAP.3), not a bound.
                               ///< Laplace prior: log density of the rows and the standardised weights at the mode (L1.1); preset
                               ///< l1_slr_lap: without its constant (L1EM.2)
  std::vector<std::string> column_names;                         ///< [p]
  PriorKind prior = PriorKind::shared;                           ///< the prior that was used
  double lambda = 0;                                             ///< Laplace prior: its lambda
  std::optional<LambdaChoice> lambda_choice;                     ///< how lambda was chosen, if it was not given
  LogisticLikelihood likelihood = LogisticLikelihood::gaussian;  ///< logistic: the likelihood in `bound`; Laplace prior: laplace

  LinearPosterior posterior = LinearPosterior::joint;  ///< linear; if factorised, V contains the noise: it is the squared scale of w itself
  /// Linear, factorised: the degrees of freedom that the uncertain noise leaves to the marginals of the weights and to predictions, under
  /// the priors sparse, slab and dense the rows minus the flat columns; infinity: normal distributions.                        (SP.25)
  double student_degrees = std::numeric_limits<double>::infinity();
  GammaDistribution noise = {0, 0};    ///< linear: posterior of the noise precision (a_N, b_N), in units of 1/y^2
  FamilyResult family;                 ///< linear and counts
  std::optional<SparseResult> sparse;  ///< only for the priors sparse, slab and dense
  std::string target;                  ///< name of the target, if one was given
  std::vector<std::string> classes;    ///< logistic: the two labels; probabilities are those of the second
  std::optional<Index> exposure;       ///< counts: the column that is the exposure; new rows need it, too                  (POIS.8)
  std::optional<Index> offset_column;  ///< counts: the column that is the offset; the same                                 (POIS.9)
  bool has_row_offset = false;         ///< counts: each row had an offset, and so must new rows

  Index completed_tables = 0;  ///< > 0: values were missing, and the posterior is the average of the fits to so many completed tables

  // How well the fit describes its training rows.
  double num_rows = 0;              ///< sum of the observation weights
  double effective_parameters = 0;  ///< sum of the relevances, with those of the intercept and of flat columns
  double r_squared = 0;             ///< linear
  double accuracy = 0;              ///< logistic: share of the rows whose class is the more probable one by predict()
  double deviance = 0;              ///< counts: 2 sum k [y ln(y/mu) - (y - mu)] / rows, mu the mean of predict()                 (POIS.5)
  double deviance_explained = 0;    ///< counts: 1 - deviance / that of a constant rate; 0 if this is 0                            (POIS.5)
  double log_loss = 0;              ///< logistic: nats per row, by the probabilities of predict() under rule `automatic`
  double class_weight[2] = {0, 0};  ///< logistic: rows of each class, as sums of weights

  Report report;
  std::shared_ptr<const internal::FitState> state;  ///< what predict(), covariance() and the model file need

  [[nodiscard]] Index num_columns() const { return mean.size(); }
  /// Whether weights and noise have a joint posterior: marginals are then Student-t, and the noise scales V.
  [[nodiscard]] bool is_joint() const { return task == Task::linear && posterior == LinearPosterior::joint; }
  /// Degrees of freedom of the marginals, Student-t distributions: 2 a_N (linear, joint), student_degrees otherwise. Infinity: they are
  /// normal.
  [[nodiscard]] double degrees_of_freedom() const { return is_joint() ? 2 * noise.shape : student_degrees; }
  /// Posterior covariance of the coefficients [p, p], or [p+1, p+1] with the intercept last; each call computes it.
  /// \throws InvalidArgument if the fit kept no covariance factor.
  [[nodiscard]] Matrix covariance() const;
  /// V, whose diagonal is V_diagonal, with the same shape and errors. For a joint posterior q(w|tau) = N(w, V/tau); else V is the
  /// squared scale of w: the covariance of normal marginals, (nu - 2)/nu of it for a Student-t of nu degrees of freedom.
  [[nodiscard]] Matrix V() const;
};

/// V^-1 = diag(a) + X' diag(omega) X [p,p], computed without inverting V.                                                        (RIDGE.1)
/// \param fit  a fit without intercept and without standardisation, not loaded from a file
/// \param X    [n,p] the training rows. Not read if the fit absorbed one row at a time: V^-1 then comes from the factor of V
/// \throws InvalidArgument  another kind of fit, or another number of rows or columns
[[nodiscard]] Matrix V_inverse(const Fit& fit, MatrixView X);

/// Central credible interval of coefficient j (of the intercept: j = -1). level in (0, 1). Two classes and counts: of the coefficient's own
/// distribution, unless FitOptions::intervals is gaussian                                                                       (SKEW.5)
[[nodiscard]] Interval credible_interval(const Fit& fit, Index j, double level = 0.95);
/// [p] in [.5, 1]: probability that a coefficient has the sign of its mean, plus half the probability that it is 0; .5 for a column that
/// was left out.                                                                                                        (SP.22)
[[nodiscard]] Vector direction(const Fit& fit);
/// Central credible interval of the noise standard deviation 1/sqrt(tau). Linear only.
[[nodiscard]] Interval noise_sd_interval(const Fit& fit, double level = 0.95);
[[nodiscard]] double noise_sd(const Fit& fit);  ///< sqrt(b_N/a_N); of Student-t noise, its scale. Linear only.
/// Central credible interval of k or nu, from the log-normal distribution (NB.5). \throws InvalidArgument  the family has no parameter
[[nodiscard]] Interval family_interval(const Fit& fit, double level = 0.95);

/// The fits whose `bound` may be compared with this one. A column without a prior adds a density to the bound that depends on its unit and
/// carries no penalty for complexity.                                                                (LIN.5), (CMP.3)
enum class BoundScope {
  any_prior,  ///< fits of the same rows and target under other priors
  same_flat,  ///< some columns have no prior: only fits in which the same columns have none
  nothing  ///< no fit: no column has a prior (prior `none`), the bound is the density at the mode of a Laplace prior, or it is an average
           ///< over completed tables
};
[[nodiscard]] BoundScope bound_scope(const Fit& fit);

/// What a summary prints.
struct SummaryOptions {
  SummaryOptions(double level_of_intervals = 0.95) : level(level_of_intervals) {}
  double level;          ///< of the intervals, in (0, 1)
  bool verbose = false;  ///< also how the result was computed
  bool odds = false;     ///< two classes, and counts: odds ratios or rate ratios, e^coefficient, with their intervals
  /// Linear and logistic regression of two classes: coefficients for columns, and a linear target, divided by their standard deviations;
  /// of a fit that does not scale columns, the coefficients themselves.
  bool standardized = false;
};
/// The fit as a printed table: coefficients with sd, interval and relevance; how good the fit is; status, notes and warnings.
/// \throws InvalidArgument  an option does not apply to this fit
[[nodiscard]] std::string summary(const Fit& fit, const SummaryOptions& options = {});

}  // namespace ardvark
