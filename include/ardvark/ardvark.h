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
} ardvark_error;

/* ---- library ------------------------------------------------------------------------------------------------------------------------ */

/* "0.1.0", static. */
ARDVARK_API const char* ardvark_version(void);
/* Frees what a call handed out: arrays and texts. NULL is allowed. */
ARDVARK_API void ardvark_free(void* memory);

/* ---- options ------------------------------------------------------------------------------------------------------------------------ */

/* What to fit and how, by name. Those of `ardvark fit`, with _ for - and without "no-":
 *
 *     model       linear, logistic (two classes or more), rvm; or
 *     preset      a published program, see ardvark_catalogue(); compat  0 or 1: its defects included
 *     prior       auto (sparse where that has a meaning), sparse, slab, dense, shared, ard, groups, none, laplace (two classes); lambda;
 *                 group  [columns] numbers from 0; flat  positions
 *     likelihood  vg, jj, laplace (two classes); posterior  joint, factorised (linear)
 *     coding      automatic, softmax, one-against-rest, one-against-one (three classes or more); precision_per_class
 *     a0 b0       gamma prior of the noise (regression) or of the precisions (classification); c0 d0  of the precisions (regression)
 *     intercept, standardize, mixed_precision  0 or 1
 *     acceleration  0 or 1; converge  0 or 1: a preset vb_* or vrvm_* is taken to the maximum of its bound, as a model is
 *     solver      automatic, primal, dual, spectral; max_sweeps; tolerance; threads
 *     update_rule vb, mackay; prune_at; readmit_every; record_every
 *     weights     [rows] a weight equals repetition; start_noise
 *     start_precision  [columns], with an intercept one more, last; a number if all columns share one; of several classes those of class
 *                 after class, or of regression after regression; of slr_rvm [rows]
 *     keep_covariance  automatic, always, never
 *     diagnose    0 or 1: results khat, khat_given_precisions, khat_threshold, khat_effective_share and log_ratios [draws] of
 *                 a classification
 *     column_names, class_names, target    texts for messages and summaries; with class_names labels are positions in it
 *   rvm:
 *     task        regression, classification
 *     kernel      gaussian, laplacian, cauchy, linear, polynomial, spline; width  auto, each, a number, a number per input; degree; offset
 *   by the names of the SLR toolbox: toolbox_gamma1  of l1_slr_lap and l1_slr_c, for lambda; toolbox_gamma0  of smlr;
 *               toolbox_R  of slr_rvm, for width
 *     algorithm   variational, plain, type-two; centres  all, a number; input_group  [inputs] those of one number share a width
 *   others:
 *     level       of intervals; rule  of predictions: automatic, mixture, exact, plug-in, mackay, average, published, ...
 *     folds, repeats, seed        of ardvark_select
 *     precision, block_rows       of ardvark_sequential_create
 *     row_order   as-given, by-content (drawn from what is in the rows, equal rows together): of ardvark_sequential_update_weighted and of
 *                 the preset vb_logit_fit_iter
 */
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

/* What the fit found, in the units of the data, columns in the order of X. The names are those of `ardvark fit --json`:
 *
 *     status message sweeps bound bound_history (never falls, but in the fits that docs/math/bound.md names under BOUND.5)
 *     bound_comparable (with fits under other priors) solver solver_reason notes warnings seconds columns classes prior preset ...
 *     mean variance sd interval [p,2] intercept.mean intercept.variance intercept.interval standardized_mean
 *     precision precision_history (of a fit, not of a file) group relevance direction relevant left_out effective_parameters V_diagonal
 * log_det_V posterior noise.shape noise.rate noise.sd noise.sd_interval r_squared | accuracy log_loss class_weight covariance, V [p,p],
 * with an intercept [p+1,p+1], last: formed when asked for; q(w|tau) = N(mean, V/tau) of a joint posterior several classes: mean, variance,
 * sd, precision, relevance [classes, p], intercept.mean [classes]; covariance [classes q, classes q] class after class, of each its p
 * columns and then the intercept rvm: relevance_vectors [m,d] relevance_rows vectors kernel parameters width log_evidence inputs
 * input_center input_scale trials; of several classes machines.0.mean, machines.0.vectors, ...
 *
 * options: `level` is read; may be NULL. */
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
 * and variance of the log odds, of a classification. options: `rule` and `level` are read; may be NULL.
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

/* options (names), presets (name, task, description), version of the library, and of each preset by name what its program takes if nothing
 * is said, defaults.slr_var.max_sweeps and .prune_at (0: nothing leaves), as a result. */
ARDVARK_API ardvark_code ardvark_catalogue(ardvark_result** result, ardvark_error* error);

#ifdef __cplusplus
}
#endif
#endif
