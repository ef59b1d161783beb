/* The C interface of ardvark, which every binding of another language uses.
 *
 *     ardvark_error error = {.struct_size = sizeof error};
 *     ardvark_options* options = ardvark_options_create();
 *     ardvark_options_set_text(options, "model", "logistic", &error);
 *     ardvark_matrix X = {sizeof X, data, ARDVARK_FLOAT64, rows, columns, columns, 1};
 *     ardvark_model* model = NULL;
 *     if (ardvark_fit(&X, labels, options, &model, &error) != ARDVARK_OK) fprintf(stderr, "%s\n", error.message);
 *     ardvark_result* result = NULL;
 *     ardvark_model_result(model, NULL, &result, &error);
 *     ardvark_array mean = {.struct_size = sizeof mean};
 *     ardvark_result_array(result, "mean", &mean, &error);   // mean.data[0] ... mean.data[mean.shape[0] - 1]
 *     ardvark_free(mean.data);
 *     ardvark_result_free(result); ardvark_model_free(model); ardvark_options_free(options);
 *
 * Options and results have names, the same as those of the command line: a fit is described by setting options and read by asking for
 * results. What is not set has the default of the library.
 *
 * Every function may be called from any thread, several at once; one options handle or sequential filter must not be changed by one thread
 * while another uses it; models and results never change and may be shared. Nothing is kept of arrays and texts that the caller passes,
 * and nothing is printed. Texts are UTF-8. Structures begin with their own size, set by the caller, so that they can grow.
 */
#ifndef ARDVARK_H
#define ARDVARK_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define ARDVARK_API __declspec(dllexport)
#else
#define ARDVARK_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ------------------------------------------------------------------------------------------------------------------------- */

/* What a function returns: the exit codes of the command line. Non-convergence and numerical trouble are no errors: read "status". */
typedef enum ardvark_code {
  ARDVARK_OK = 0,
  ARDVARK_INTERNAL = 1,         /* a broken invariant of ours: please report it */
  ARDVARK_INVALID_ARGUMENT = 2, /* the caller's mistake, or a damaged file: the message names argument, value, constraint */
  ARDVARK_ENVIRONMENT = 3       /* a file that cannot be read or written, memory: the message says what to do */
} ardvark_code;

/* Filled by the call that it was passed to, and by no other; may be NULL where the text is not wanted. */
typedef struct ardvark_error {
  size_t struct_size; /* sizeof(ardvark_error) */
  int32_t code;       /* as returned; of a call that succeeds ARDVARK_OK */
  char message[4092]; /* one sentence, ended by a zero; cut if longer */
  /* The argument or option that the message is about: the message begins with this word, a name of this header, of ardvark_catalogue(), or
   * labels or y for a target. Empty where it is about none, or about several. */
  char argument[64];
} ardvark_error;

/* ---- library ------------------------------------------------------------------------------------------------------------------------ */

/* "0.1.0", static. */
ARDVARK_API const char* ardvark_version(void);
/* Frees what a call handed out: arrays and texts. NULL is allowed. */
ARDVARK_API void ardvark_free(void* memory);

/* ---- options ------------------------------------------------------------------------------------------------------------------------ */

/* What to fit and how, by name. Those of `ardvark fit`, with _ for - and without "no-"; flags are 0 or 1. Names of presets: see
 * ardvark_catalogue(). Positions and group numbers count from 0. With class_names labels are positions in it. With diagnose there are the
 * results khat, khat_given_precisions, khat_threshold, khat_effective_share and log_ratios [draws]. */
/* clang-format off */
/* options: begin (written by scripts/options)
 *   What is fitted
 *     model               linear, logistic (two classes or more) or rvm. What to fit to your data: columns are standardised inside, an
 *                         intercept is added, results come in your units. rvm is a relevance vector machine: sparse, on kernels, for
 *                         numbers or classes.
 *     preset              the name of a published program. Fits this program instead of a model.
 *     compat              off by default. With preset: reproduces that program exactly, its defects included.
 *     converge            off by default. With the presets vb_* and vrvm_*: goes on to the maximum of the published bound, as a model does,
 *                         and not by the published sweeps.
 *   The prior
 *     prior               auto (default), sparse, slab, dense, shared, ard, groups, none; with classes also laplace. sparse: few effects of
 *                         their own over many small ones; honest also where columns are many. slab: the few alone. dense: the many alone.
 *                         These three serve regressions and two classes. shared: one precision for all columns. ard: one for each. groups:
 *                         one for each group. none: least squares or maximum likelihood. laplace: L1, the mode, with most columns at zero.
 *                         auto is sparse; for a softmax of several classes, and beside an option that has no meaning with sparse (a0, b0,
 *                         c0, d0, likelihood, posterior, solver, update_rule, prune_at, start values), it is ard where rows are at least
 *                         five times the columns, and else shared. A note says which was taken.
 *     lambda              a number > 0. With prior laplace: nats per unit of |w| of a standardised column, which is glmnet's lambda times
 *                         the rows, or liblinear's 1/C. Without it the message says from which lambda on every weight is zero. Presets
 *                         l1_slr_lap and l1_slr_c: 1 by default; with compat l1_slr_lap takes the square of lambda here, as published.
 *     toolbox_gamma1      a number > 0. Presets l1_slr_lap and l1_slr_c: gamma1 of the SLR toolbox, in place of lambda.
 *     toolbox_gamma0      a number >= 0. Preset smlr: gamma0 of the SLR toolbox. Precisions have the prior Gamma(gamma0, gamma0).
 *     group               a group number for each column. Columns of one group come in together under sparse and slab, and share a
 *                         precision under groups.
 *     flat                positions of columns. Columns without a prior.
 *     a0                  a number > 0. Hyper-prior: shape of the noise (regressions) or of the precisions (classifications).
 *     b0                  a number > 0. Hyper-prior: rate of the noise (regressions) or of the precisions (classifications).
 *     c0                  a number > 0. Hyper-prior: shape of the precisions (regressions).
 *     d0                  a number > 0. Hyper-prior: rate of the precisions (regressions).
 *   The posterior
 *     likelihood          vg (default), jj or laplace. Two classes: what stands for the logistic likelihood. vg: the best Gaussian
 *                         posterior. jj: the bound of Jaakkola and Jordan. laplace: Laplace's approximation.
 *     posterior           joint (default) or factorised. Regressions: weights and noise together, as VBLinLogit has them, or each by
 *                         itself, as the variational RVM has them.
 *     coding              automatic (default), softmax, one-against-rest or one-against-one. Three classes or more: one softmax, a logistic
 *                         regression for each class, or one for each pair of classes. automatic takes one-against-rest under sparse, slab,
 *                         dense and laplace, and of eight classes or more with few rows, else the softmax.
 *     precision_per_class off by default. Softmax: a precision for each class and column, and not one for the column's weights of all
 *                         classes.
 *     diagnose            off by default. Classifications: also k-hat, which says from 4000 draws how far the posterior is from the exact
 *                         one. Up to 0.7 is good; above, a warning says what is amiss. For two classes, for several that have a regression
 *                         each (coding), and for model rvm.
 *   The table
 *     intercept           on by default. An intercept. Without it, columns are scaled by their root mean square and not centred.
 *     standardize         on by default. Scaling of the columns to one size. Without it, columns are used as they are.
 *     weights             a number >= 0 for each row. Observation weights: a weight is the same as the row so many times.
 *     column_names        a text for each column. Names for messages and summaries.
 *     class_names         a text for each class. Names of the classes; labels are then positions in this list, from 0.
 *     target              a text. Name of what is explained.
 *   The computation
 *     acceleration        on by default. Extrapolation between sweeps, where a fit makes it; the priors sparse, slab and dense, and presets
 *                         as published, do not.
 *     mixed_precision     on by default. Large classifications: early sweeps multiply in single precision; the last ones do not.
 *     solver              automatic (default), primal, dual, spectral or qr. How the linear system is solved. qr keeps the digits that
 *                         nearly collinear columns cost the others.
 *     max_sweeps          a whole number >= 1. At most this many sweeps of a fit: 500 by default; 1000 for presets of the SLR toolbox,
 *                         which make exactly so many with compat; actions of rvm_regression and rvm_classification: 10000. Kernel machines:
 *                         of the last fit; a search makes others, and algorithm type-two does not read it.
 *     tolerance           a number >= 0. When a fit ends. Models: the gain that is left, in nats a row (default 1e-8). Under sparse, slab
 *                         and dense: the last change of the bound in nats (default 1e-3; classes 2e-3). Presets: the relative change of the
 *                         bound (default 1e-5), those of the SLR toolbox as models, rvm_regression and rvm_classification the gain of an
 *                         action. prior laplace and l1_slr_c: how far the conditions of the maximum are violated, in units of lambda,
 *                         between 0 and 1 (default 1e-9). Kernel machines do not take it.
 *     update_rule         vb (default) or mackay. How precisions are updated.
 *     prune_at            a number >= 0, default 0: none leaves; SLR toolbox 1e8. The precision at which a column leaves the computation.
 *     readmit_every       a whole number >= 0. Sweeps between two looks at columns that left; 0, the default, is never.
 *     threads             a whole number >= 0. Threads, which do not change the result; 0, the default, is as the environment says. In a
 *                         selection: fits at a time.
 *     record_every        a whole number >= 0. Sweeps between two columns of precision_history; 0: none is kept.
 *     keep_covariance     automatic (default), always or never. Whether the fit keeps what its covariance is made from.
 *     start_precision     numbers > 0. Precisions to begin with: one for each column, with an intercept one more, last; one number where
 *                         all columns share one. Several classes: those of class after class. Preset slr_rvm: one for each row.
 *     start_noise         a number >= 0, default 0: 100 / variance of the target. With posterior factorised: the noise precision to begin
 *                         with.
 *   Relevance vector machines
 *     task                regression or classification. What the machine explains. A target of text is classified; a target of numbers
 *                         needs this option.
 *     kernel              gaussian (default), laplacian, cauchy, linear, polynomial or spline. Kernel of the machine. Preset slr_rvm:
 *                         linear by default.
 *     width               auto (default), each, a number > 0, or a number for each input. Width of the kernel, in standard deviations of
 *                         the inputs. auto: the width of the highest evidence that a search finds. each: a width for each input, learnt
 *                         (gaussian). The columns of one text column share a width. Preset slr_rvm with compat: R of the published kernel
 *                         exp(-R |x-c|^2 / number of inputs).
 *     toolbox_R           a number > 0. Preset slr_rvm: R of the SLR toolbox, in place of width.
 *     degree              a whole number >= 1, default 2. Degree of the polynomial kernel.
 *     offset              a number >= 0. Offset of the polynomial kernel; by default the one of the highest evidence.
 *     algorithm           variational (default), plain or type-two. plain: variational with all columns at once, which is slow. type-two:
 *                         maximum likelihood of type II.
 *     centres             all (default) or a number. Rows that may become relevance vectors. A number: so many rows, each the one that
 *                         those before it explain worst.
 *     input_group         a group number for each input. Inputs of one group share a width.
 *   Other calls
 *     precision           a number > 0. Sequential regression: precision of the prior.
 *     block_rows          a whole number >= 1. Sequential regression: rows to a matrix product; the result does not depend on it.
 *     row_order           as-given (default) or by-content. Sequential regression and preset vb_logit_fit_iter: the order in which rows are
 *                         absorbed, on which the result depends. as-given: as published. by-content: drawn from what is in the rows, equal
 *                         rows together.
 *     folds               a whole number >= 2, default 10. Selection: parts that the rows are dealt to, class by class; each is predicted
 *                         by a fit of the others.
 *     repeats             a whole number >= 1, default 10. Selection: times that the rows are dealt anew.
 *     seed                a whole number >= 0, default 1. Selection: of the deal. The same seed gives the same counts, at any number of
 *                         threads.
 *     rule                automatic (default), exact, plug-in, mackay, published, published-batch, published-incremental, average or
 *                         mixture. Predictions: how a probability, or a density, follows from the posterior.
 *     level               a number between 0 and 1, default 0.95. Level of the intervals.
 *     interval            new (default) or mean. Predictions of a regression: whether sd and interval are of a new observation, with its
 *                         noise, or of the mean, without.
 * options: end */
/* clang-format on */
typedef struct ardvark_options ardvark_options;

/* All at their defaults; NULL without memory. */
ARDVARK_API ardvark_options* ardvark_options_create(void);
ARDVARK_API void ardvark_options_free(ardvark_options* options);
/* Numbers serve as texts, texts as numbers, one of them as a list of one. An empty text or list takes an option back to its default.
 * ARDVARK_INVALID_ARGUMENT: no option of this name, or a value of another kind. */
ARDVARK_API ardvark_code ardvark_options_set_text(ardvark_options* options, const char* name, const char* value, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_options_set_number(ardvark_options* options, const char* name, double value, ardvark_error* error);
/* Of lists of positions the values are whole numbers. */
ARDVARK_API ardvark_code ardvark_options_set_numbers(ardvark_options* options, const char* name, const double* values, int64_t count,
                                                     ardvark_error* error);
ARDVARK_API ardvark_code ardvark_options_set_texts(ardvark_options* options, const char* name, const char* const* values, int64_t count,
                                                   ardvark_error* error);

typedef struct ardvark_progress {
  size_t struct_size;
  int64_t sweep;          /* sweeps so far; of ardvark_select fits so far */
  int64_t total;          /* of ardvark_select fits in all; else 0: not known beforehand */
  double bound;           /* lower bound on the log evidence, nats; of ardvark_select 0 */
  double elapsed_seconds; /* wall clock */
} ardvark_progress;

/* Called after each sweep, or fit of ardvark_select (then from any thread, one at a time): 0 stops (status stopped_by_user), anything else
 * goes on. It must return: no exception and no longjmp may leave it. */
typedef int (*ardvark_progress_callback)(const ardvark_progress* progress, void* context);
/* callback NULL: none. seconds: at least so many lie before the first call and between two; 0: every sweep is told. */
ARDVARK_API void ardvark_options_set_progress(ardvark_options* options, ardvark_progress_callback callback, void* context, double seconds);

/* ---- data --------------------------------------------------------------------------------------------------------------------------- */

typedef enum ardvark_type { ARDVARK_FLOAT64 = 1, ARDVARK_FLOAT32 = 2 } ardvark_type;

/* A matrix where it lies: element (i, j) is data[i * row_stride + j * column_stride]. It is read in place in either memory order (one of
 * the strides is 1, the other at least as long as a row or column); of any other strides the call makes a copy. */
typedef struct ardvark_matrix {
  size_t struct_size;
  const void* data;
  int32_t type; /* ardvark_type */
  int64_t rows, columns;
  int64_t row_stride, column_stride; /* in elements */
} ardvark_matrix;

/* An array of the library's, row by row; data is to be freed by ardvark_free. */
typedef struct ardvark_array {
  size_t struct_size;
  double* data;
  int64_t dimensions; /* 0 (a number), 1 or 2 */
  int64_t shape[2];
} ardvark_array;

/* ---- models ------------------------------------------------------------------------------------------------------------------------- */

typedef struct ardvark_model ardvark_model;
typedef struct ardvark_result ardvark_result;

/* Fits what the options name. X: finite; target: [rows] numbers, or labels. *model is set on success only, and then to be freed. */
ARDVARK_API ardvark_code ardvark_fit(const ardvark_matrix* X, const double* target, const ardvark_options* options, ardvark_model** model,
                                     ardvark_error* error);
ARDVARK_API void ardvark_model_free(ardvark_model* model);

/* clang-format off */
/* What the fit found, in the units of the data, columns in the order of X. The names are those of `ardvark fit --json`:
 *
 *   every fit
 *     status message sweeps bound bound_history (never falls, but in the fits that docs/math/bound.md names under BOUND.5)
 *     bound_comparable (with fits under other priors) solver solver_reason notes warnings seconds columns classes prior preset ...
 *   regressions and two classes
 *     mean variance sd interval [p,2] intercept.mean intercept.variance intercept.interval standardized_mean
 *     precision precision_history (of a fit, not of a file) group relevance direction relevant left_out effective_parameters
 *     V_diagonal log_det_V posterior
 *     covariance, V [p,p], with an intercept [p+1,p+1], last: formed when asked for
 *     noise.shape noise.rate noise.sd noise.sd_interval r_squared (regressions; a joint posterior is q(w|tau) = N(mean, V/tau))
 *     accuracy log_loss class_weight (classes)
 *     odds_ratio (e^mean: what a unit more of the column multiplies the odds of the second class by; e^interval is its interval;
 *     infinite where the mean exceeds 709)
 *   several classes
 *     mean, variance, sd, precision, relevance [classes, p], intercept.mean [classes]
 *     covariance [classes q, classes q], class after class, of each its p columns and then the intercept
 *   rvm
 *     relevance_vectors [m,d] relevance_rows vectors kernel parameters width log_evidence inputs input_center input_scale trials
 *     with several classes machines.0.mean, machines.0.vectors, ...
 *
 * options: `level` is read; may be NULL. */
/* clang-format on */
ARDVARK_API ardvark_code ardvark_model_result(const ardvark_model* model, const ardvark_options* options, ardvark_result** result,
                                              ardvark_error* error);
/* A posterior in numbers, wherever it comes from, as a model to predict from. */
typedef struct ardvark_moments {
  size_t struct_size;
  int64_t columns;                 /* p */
  const double* mean;              /* [p] finite */
  const ardvark_matrix* V;         /* [p,p] finite, symmetric, positive semidefinite, both to 1e-6 of its largest element */
  const ardvark_matrix* V_inverse; /* [p,p] for the published rules, which see w'V^-1 w; NULL: from V */
  double noise_shape, noise_rate;  /* of a regression, q(w|tau) = N(mean, V/tau), q(tau) = Gamma(shape, rate): > 0; else both 0 */
} ardvark_moments;
/* options: column_names, class_names (two; else "-1" and "1"), target; may be NULL. */
ARDVARK_API ardvark_code ardvark_model_from_moments(const ardvark_moments* moments, const ardvark_options* options, ardvark_model** model,
                                                    ardvark_error* error);
/* V^-1 [p,p] of a fit of columns as they are, without intercept and standardisation, as diag(a) + X' diag(omega) X, not by inverting V.
 * X: the rows that it was made from. Of a filter, whose V^-1 comes from the factor of V, X is not read and may be NULL. */
ARDVARK_API ardvark_code ardvark_model_V_inverse(const ardvark_model* model, const ardvark_matrix* X, ardvark_array* array,
                                                 ardvark_error* error);
/* The table for people, as `ardvark show` prints it; to be freed by ardvark_free. */
ARDVARK_API ardvark_code ardvark_model_summary(const ardvark_model* model, const ardvark_options* options, char** text,
                                               ardvark_error* error);

/* One distribution a row: mean, sd, lower, upper, scale, degrees_of_freedom of a regression; probability [rows, classes], classes, and mean
 * and variance of the log odds, of a classification. options: `rule`, `interval` and `level` are read; may be NULL.
 * target: NULL, or [rows] numbers, of a classifier positions in `classes`: then also log_density [rows], nats. */
ARDVARK_API ardvark_code ardvark_predict(const ardvark_model* model, const ardvark_matrix* X, const double* target,
                                         const ardvark_options* options, ardvark_result** result, ardvark_error* error);

/* A model file holds what prediction and summary need. A path is written whole or not at all, whatever ends the call; a program that is
 * killed in it may leave PATH.partial-NUMBER beside the file, which nothing reads and nobody needs. */
ARDVARK_API ardvark_code ardvark_model_save(const ardvark_model* model, const char* path, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_model_load(const char* path, ardvark_model** model, ardvark_error* error);
/* The same bytes in memory; *data is to be freed by ardvark_free. */
ARDVARK_API ardvark_code ardvark_model_to_bytes(const ardvark_model* model, void** data, size_t* size, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_model_from_bytes(const void* data, size_t size, ardvark_model** model, ardvark_error* error);

/* ---- other work --------------------------------------------------------------------------------------------------------------------- */

/* How often each column survives a repeated cross-validation: count, share, sc_value [p], ranking, accuracy.mean, fits, ... as `ardvark
 * select --json`. options: model logistic or a preset of classes; folds, repeats, seed. */
ARDVARK_API ardvark_code ardvark_select(const ardvark_matrix* X, const double* labels, const ardvark_options* options,
                                        ardvark_result** result, ardvark_error* error);

/* Modes under a Laplace prior for many lambdas: lambda, lambda_max, mean [count, p], intercept, log_likelihood, num_nonzero.
 * lambdas: NULL, and then `count` of them from lambda_max down to smallest * lambda_max; 0 for either: the default. */
ARDVARK_API ardvark_code ardvark_path(const ardvark_matrix* X, const double* labels, const double* lambdas, int64_t count, double smallest,
                                      const ardvark_options* options, ardvark_result** result, ardvark_error* error);

/* Columns brought to one size, as the SLR toolbox does before a fit: (x - center)/scale, 0 where a column has one value.
 * center: "none", "each" (column's mean), "all" (the table's); scale, after that: "none", "each" (largest |x| of the column), "all" (of the
 * table), "stdeach", "stdall" (standard deviation). Both are those of the table `like`; NULL: of X. out: [rows, columns] of X, the
 * caller's, column by column. */
ARDVARK_API ardvark_code ardvark_normalize(const ardvark_matrix* X, const ardvark_matrix* like, const char* center, const char* scale,
                                           double* out, ardvark_error* error);

/* A logistic regression that absorbs each row once. No intercept, no standardisation. options: precision, block_rows, threads;
 * may be NULL. */
typedef struct ardvark_sequential ardvark_sequential;
ARDVARK_API ardvark_code ardvark_sequential_create(int64_t columns, const ardvark_options* options, ardvark_sequential** filter,
                                                   ardvark_error* error);
ARDVARK_API void ardvark_sequential_free(ardvark_sequential* filter);
/* labels: [rows] -1 or +1. A failed call leaves the filter as it was. */
ARDVARK_API ardvark_code ardvark_sequential_update(ardvark_sequential* filter, const ardvark_matrix* X, const double* labels,
                                                   ardvark_error* error);
/* The same with weights: [rows] finite, >= 0, so many copies of a row absorbed at once; NULL: ones. options: row_order; may be NULL. */
ARDVARK_API ardvark_code ardvark_sequential_update_weighted(ardvark_sequential* filter, const ardvark_matrix* X, const double* labels,
                                                            const double* weights, const ardvark_options* options, ardvark_error* error);
/* What it knows now, as a model of its own. options: column_names, class_names (two, of -1 and +1); may be NULL. */
ARDVARK_API ardvark_code ardvark_sequential_model(const ardvark_sequential* filter, const ardvark_options* options, ardvark_model** model,
                                                  ardvark_error* error);
/* The state of the filter, to go on elsewhere: the same bits follow. */
ARDVARK_API ardvark_code ardvark_sequential_to_bytes(const ardvark_sequential* filter, void** data, size_t* size, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_sequential_from_bytes(const void* data, size_t size, ardvark_sequential** filter, ardvark_error* error);

/* ---- results ------------------------------------------------------------------------------------------------------------------------ */

ARDVARK_API void ardvark_result_free(ardvark_result* result);

/* Any result of numbers: a number, flags (0 or 1), a list, a matrix. Rows of a table count from 0; a k-means centre, which is none, is -1.
 * ARDVARK_INVALID_ARGUMENT: no result of this name, or not of numbers. */
ARDVARK_API ardvark_code ardvark_result_array(const ardvark_result* result, const char* name, ardvark_array* array, ardvark_error* error);
/* A single number, or flag. */
ARDVARK_API ardvark_code ardvark_result_number(const ardvark_result* result, const char* name, double* number, ardvark_error* error);
/* A text as it is, anything else as JSON (infinities and NaN are null; rows of a table count from 1; columns go by name). name NULL: all
 * results but the covariance, as one JSON object. *text is to be freed by ardvark_free. */
ARDVARK_API ardvark_code ardvark_result_text(const ardvark_result* result, const char* name, char** text, ardvark_error* error);
/* The same, a text as JSON too: in quotes. */
ARDVARK_API ardvark_code ardvark_result_json(const ardvark_result* result, const char* name, char** text, ardvark_error* error);

/* ---- what results there are: a tree of names, whose leaves are read by the functions above */

typedef enum ardvark_kind {
  ARDVARK_NOTHING = 0, /* there is no such value here: null in JSON, NaN as a number */
  ARDVARK_NUMBERS = 1, /* a number, a list or a matrix: ardvark_result_array */
  ARDVARK_FLAG = 2,    /* true or false: ardvark_result_number, 1 or 0 */
  ARDVARK_TEXT = 3,    /* in the entry itself; or ardvark_result_text */
  ARDVARK_LIST = 4,    /* of entries without a name: texts, records */
  ARDVARK_RECORD = 5   /* of entries with a name */
} ardvark_kind;

/* The texts are the result's, and live as long. */
typedef struct ardvark_entry {
  size_t struct_size;
  const char* name; /* "shape"; of an entry of a list: "" */
  const char* path; /* as the functions above take it: "noise.shape", "warnings.0" */
  int32_t kind;     /* ardvark_kind */
  int64_t count;    /* of a list or a record: its entries; else 0 */
  const char* text; /* of a text: it; else NULL */
} ardvark_entry;

/* The entry `index`, from 0, below `path`; path NULL: of the whole result, in the order of its JSON. Results that are formed only for who
 * asks for them by name (covariance, V, components, log_ratios) are not among them. */
ARDVARK_API ardvark_code ardvark_result_entry(const ardvark_result* result, const char* path, int64_t index, ardvark_entry* entry,
                                              ardvark_error* error);
/* How many there are. */
ARDVARK_API ardvark_code ardvark_result_count(const ardvark_result* result, const char* path, int64_t* count, ardvark_error* error);

/* A text of a result or an error as the user of another language writes the options that it names: "--prior shared --a0 1" becomes
 * prior='shared', a0=1 for "python", and 'prior', 'shared', 'a0', 1 for "octave". renamed: NULL, or [2 count] options and what the user
 * calls them: "a0", "lambda_1". *written is to be freed by ardvark_free. */
ARDVARK_API ardvark_code ardvark_spell(const char* text, const char* language, const char* const* renamed, int64_t count, char** written,
                                       ardvark_error* error);

/* options (names), option_help (of each by name: values, help), presets (name, task, description), version of the library, and of each
 * preset by name what its program takes if nothing is said, defaults.slr_var.max_sweeps and .prune_at (0: nothing leaves), as a result. */
ARDVARK_API ardvark_code ardvark_catalogue(ardvark_result** result, ardvark_error* error);

#ifdef __cplusplus
}
#endif
#endif
