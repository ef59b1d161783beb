/* The C interface of ardvark. The bindings of all other languages use it.
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
 * Options and results have the same names as on the command line. You set options to describe a fit, and read results by name. An option
 * that you do not set has the default of the library.
 *
 * Several threads may call all functions at the same time. One thread must not change an options handle or a sequential filter while
 * another thread uses it. Models and results never change, so threads may share them. The library keeps no pointer to the caller's arrays
 * and texts, and prints nothing. Texts are UTF-8. Each structure begins with its own size, which the caller sets, so that later versions
 * can add members.
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

/* The return value of a function, equal to the exit codes of the command line. A fit that does not converge or has numerical trouble is not
 * an error: read "status". */
typedef enum ardvark_code {
  ARDVARK_OK = 0,
  ARDVARK_INTERNAL = 1,         /* an error in ardvark: please report it */
  ARDVARK_INVALID_ARGUMENT = 2, /* a wrong argument, or a damaged file: the message names argument, value, constraint */
  ARDVARK_ENVIRONMENT = 3,      /* a file that cannot be read or written, or no memory: the message says what to do */
  ARDVARK_STOPPED = 130         /* the callback ended the call before there was a result */
} ardvark_code;

/* Filled only by the call that you pass it to. May be NULL if you do not need the text. */
typedef struct ardvark_error {
  size_t struct_size; /* sizeof(ardvark_error) */
  int32_t code;       /* the same as the return value; ARDVARK_OK if the call succeeds */
  char message[4092]; /* one sentence, ended by a zero byte; cut if longer */
  /* The argument or option that is wrong. The message begins with this word: a name of this header or of ardvark_catalogue(), or labels or
   * y for a target. Empty if the message is about no argument, or about several. */
  char argument[64];
  /* What else a message of ARDVARK_INVALID_ARGUMENT says, for programs: they need not read the message, whose words may change. Texts are
   * empty if they do not apply, and cut if they are longer. */
  int64_t row;                /* from 1, of the caller's rows or of the file; 0: none */
  int64_t row_begin, row_end; /* message[row_begin] to message[row_end - 1] name the row: "row 3", "row 3 (line 4) of 'a.csv'" */
  char column[256];           /* its name */
  char value[256];            /* that is wrong, without quotes; NaN: a missing value */
  char why[1024];             /* the constraint that does not hold; with ARDVARK_ENVIRONMENT: "memory" if there is not enough of it */
  char remedy[1024];          /* what can be done: the message ends with it */
} ardvark_error;

/* ---- library ------------------------------------------------------------------------------------------------------------------------ */

/* "0.1.0"; a static text, which you must not free. */
ARDVARK_API const char* ardvark_version(void);
/* Frees arrays and texts that a call returned. NULL is allowed. */
ARDVARK_API void ardvark_free(void* memory);

/* ---- options ------------------------------------------------------------------------------------------------------------------------ */

/* What to fit and how, by name. The names are those of `ardvark fit`, with _ instead of - and without "no-". Flags are 0 or 1.
 * ardvark_catalogue() lists the presets. Positions and group numbers count from 0. With class_names, labels are positions in this list.
 * With fdr, there are also the results fdr, guarantee and selected, a list of sets with their columns, their names and their probability;
 * the options of ardvark_model_result may hold another fdr. With diagnose, there are also the results khat, khat_given_precisions,
 * khat_threshold, khat_effective_share and log_ratios [draws]. */
/* clang-format off */
/* options: begin (written by scripts/options)
 *   What is fitted
 *     model               linear, logistic (two classes or more), counts, kernel or rvm. The model for your data: columns are standardised
 *                         inside, an intercept is added; results are in your units. counts: Poisson regression with a log link, under every
 *                         prior but laplace. kernel: curves, surfaces and classes of any shape by a Gaussian process, whose bands open away
 *                         from the data. rvm: a relevance vector machine, as published; away from the data, its curve returns to a
 *                         constant, and the interval does not widen. The program's command fit also goes without model and preset: it takes
 *                         logistic for a target of text, of true and false or of two different numbers, and else linear, and says so.
 *     preset              the name of a published program. Fits this program instead of a model.
 *     compat              off by default. With preset: reproduces the program exactly, including its defects.
 *     converge            off by default. With the presets vb_* and vrvm_*: continues to the maximum of the published bound, as a model
 *                         does, instead of making the published sweeps.
 *   The prior
 *     prior               auto (default), sparse, slab, dense, shared, ard, groups, none or laplace. sparse: a few columns have an effect
 *                         of their own, and all columns may have a small one; its intervals are right with few and with many columns. slab:
 *                         only the few effects. dense: only the small effects. These three apply to regressions, to counts and to two
 *                         classes. shared: one precision for all columns. ard: one for each column. groups: one for each group. none: least
 *                         squares or maximum likelihood. laplace: L1 (lasso), the mode, with most coefficients at zero. auto is sparse,
 *                         except for a softmax of several classes, and with an option that cannot be used with sparse (a0, b0, c0, d0,
 *                         likelihood, posterior, solver, update_rule, prune_at, start values). Then it is ard if there are at least five
 *                         rows per column, and shared otherwise. A note says which prior was taken. Models: linear, logistic, counts.
 *     lambda              a number > 0. With prior laplace: the penalty per unit of |w| of a standardised column; glmnet's lambda times the
 *                         number of rows, or liblinear's 1/C. In a regression it is in units of the target. Without this option,
 *                         cross-validation chooses it. Presets l1_slr_lap and l1_slr_c: 1 by default; with compat, l1_slr_lap takes the
 *                         square of lambda here, as published. Models: linear, logistic.
 *     lambda_rule         min (default) or 1se. With prior laplace and no lambda: which lambda is taken. min: that with the smallest loss
 *                         in cross-validation. 1se: the largest whose loss is at most one standard error above the smallest, which keeps
 *                         fewer columns. Models: linear, logistic.
 *     toolbox_gamma1      a number > 0. Presets l1_slr_lap and l1_slr_c: gamma1 of the SLR toolbox, instead of lambda.
 *     toolbox_gamma0      a number >= 0. Preset smlr: gamma0 of the SLR toolbox. Precisions have the prior Gamma(gamma0, gamma0).
 *     group               a group number for each column. Under sparse and slab, the columns of a group enter the model together. Under
 *                         groups, they share a precision. Models: linear, logistic, counts.
 *     flat                positions of columns. Columns without a prior. Models: linear, logistic, counts.
 *     a0                  a number > 0. Hyper-prior: shape of the noise (regressions) or of the precisions (classifications). The default
 *                         of a linear model depends on the table, see b0. Models: linear, logistic, counts, rvm.
 *     b0                  a number > 0. Hyper-prior: rate of the noise (regressions) or of the precisions (classifications). Linear models:
 *                         in variances of the target if it is standardised, else in squares of its unit. The default is 1e-4 variances with
 *                         as many columns as rows or more, and 1e-10 with fewer, so that it limits the noise only where it must. If no
 *                         column has a prior, a0 and b0 are 1e-20: the classical answers. Models: linear, logistic, counts, rvm.
 *     c0                  a number > 0. Hyper-prior: shape of the precisions (regressions). Models: linear, rvm.
 *     d0                  a number > 0. Hyper-prior: rate of the precisions (regressions). Models: linear, rvm.
 *   The posterior
 *     likelihood          vg (default), jj or laplace. Two classes, and regressions of several classes: the approximation of the logistic
 *                         likelihood. vg: the best Gaussian posterior. jj: the bound of Jaakkola and Jordan. laplace: Laplace's
 *                         approximation. Models: logistic, rvm.
 *     intervals           skewed (default) or gaussian. Two classes and counts, under shared, ard, groups and none: the intervals of
 *                         coefficients. skewed: their ends are those of each coefficient's own distribution, which need not be symmetric;
 *                         with few rows a normal one misses them. gaussian: mean -+ a multiple of the standard deviation. Means, standard
 *                         deviations and predictions are the same. Completed tables, other likelihoods than vg, and rows that are read in
 *                         pieces always have gaussian. Models: logistic, counts.
 *     posterior           joint (default) or factorised. Regressions. joint: one posterior of weights and noise together, as in VBLinLogit.
 *                         factorised: one of the weights and one of the noise, as in the variational RVM. Models: linear.
 *     family              auto (default), poisson or negative-binomial. Counts: the distribution about the mean mu. negative-binomial has
 *                         the variance mu + k mu^2, with k found in the fit. auto fits both and takes the one with the higher log evidence.
 *                         Models: counts.
 *     noise               normal (default), student or auto. Regressions: the distribution of the errors. student: Student-t with the
 *                         degrees of freedom found in the fit, so that outliers get little weight. auto fits both and takes the one with
 *                         the higher log evidence. Models: linear.
 *     coding              automatic (default), softmax, one-against-rest or one-against-one. Three classes or more: one softmax, a logistic
 *                         regression for each class, or one for each pair of classes. automatic is one-against-rest under sparse, slab,
 *                         dense and laplace, and for eight classes or more with few rows; otherwise it is softmax. Models: logistic.
 *     precision_per_class off by default. Softmax: one precision for each class and column, instead of one for the weights of a column in
 *                         all classes. Models: logistic.
 *     diagnose            off by default. Also computes k-hat, which measures with 4000 draws how far the posterior is from the exact one.
 *                         Up to 0.7 is good; above, a warning says what is wrong. It applies to counts, to Student-t noise, to two classes,
 *                         to several classes with one regression each (coding), and to the classes of model rvm. Models: linear, logistic,
 *                         counts, rvm.
 *     fdr                 a number between 0 and 1. Also selects columns at this false discovery rate: of the sets that are named, this
 *                         share is expected to hold no column with an effect. Columns that the data cannot tell apart are one set. It takes
 *                         one more computation, after which the model answers for any rate. It applies to regressions, to counts and to two
 *                         classes, under sparse and slab. Models: linear, logistic, counts.
 *     guarantee           posterior (default) or knockoffs. With fdr: why the rate holds. posterior: on average over the prior; it names
 *                         sets of columns. knockoffs: whatever the effects are, if the columns are normal and their covariance is known; it
 *                         is estimated. It names single columns, takes up to 1000 of them, and finds fewer effects. seed belongs to it.
 *                         Models: linear, logistic, counts.
 *   The table
 *     intercept           on by default. The intercept. Without it, columns are scaled by their root mean square and not centred. Models:
 *                         linear, logistic, counts.
 *     standardize         on by default. Scaling of the columns to the same size. Without it, columns are used as they are.
 *     weights             a number >= 0 for each row. Observation weights: a row with weight 2 counts as two equal rows.
 *     exposure            the name of a column. Counts: the column that says how long, or over how much, each row was counted, a number
 *                         above 0. Rates are per unit of it, and a new row needs it, too. Models: counts.
 *     offset_column       the name of a column. Counts: the column that is added to the linear predictor as it is, such as the logarithm of
 *                         an exposure. It has no coefficient, and a new row needs it, too. Give it or exposure. Models: counts.
 *     row_offset          a number for each row. Counts: what is added to the linear predictor of each row, instead of a column of the
 *                         table. The model knows that there was one: predictions need it for each new row. Models: counts.
 *     column_names        a text for each column. Names for messages and summaries.
 *     class_names         a text for each class. Names of the classes; labels are then positions in this list, from 0.
 *     target              a text. Name of the target.
 *     reference           COLUMN=LEVEL. Text columns: the level of this column that the others are compared with. Without this option, it
 *                         is the level with the most rows. model rvm compares no levels. Models: linear, logistic, counts.
 *     missing             refuse (default), drop or impute. Rows in which a value is missing. refuse: an error, which names row and column.
 *                         drop: they are left out. impute: the gaps are filled several times, each column from the others and the target,
 *                         and the posterior is the average; the model also predicts rows with gaps. impute applies to linear regressions
 *                         and to two classes; under drop and impute, rows without a target are left out.
 *     imputations         a whole number >= 5, default 20. With missing impute: how often the gaps are filled.
 *   The computation
 *     acceleration        on by default. Extrapolation between sweeps, in the fits that have it; the priors sparse, slab and dense, and
 *                         presets as published, do not. Models: linear, logistic, counts.
 *     mixed_precision     on by default. Products in single precision in the early sweeps of large classifications; the last sweeps use
 *                         double precision. Models: linear, logistic, counts.
 *     solver              automatic (default), primal, dual, spectral, qr or iterative. The solver of the linear system. qr keeps the
 *                         digits that other solvers lose if columns are nearly collinear. iterative makes no decomposition: linear, prior
 *                         shared; standard deviations are from draws. It is the default for more than 20,000 rows and columns. Models:
 *                         linear, logistic, counts.
 *     max_sweeps          a whole number >= 1. The largest number of sweeps of a fit: 500 by default; 1000 for presets of the SLR toolbox,
 *                         which make exactly this number with compat; 10000 actions for rvm_regression and rvm_classification. model rvm:
 *                         it applies to the last fit; a search makes other fits. algorithm type-two ignores it. It cannot be used with
 *                         model kernel. Models: linear, logistic, counts, rvm.
 *     tolerance           a number >= 0. A fit ends when this value is reached. Models: the remaining gain in the bound, in nats per row
 *                         (default 1e-8). Under sparse, slab and dense: the last change of the bound, in nats (default 1e-3; classes 2e-3).
 *                         Presets: the relative change of the bound (default 1e-5); those of the SLR toolbox: as for models; rvm_regression
 *                         and rvm_classification: the gain of an action. prior laplace and l1_slr_c: the violation of the conditions of the
 *                         maximum, in units of lambda, between 0 and 1 (default 1e-9). It cannot be used with kernel machines. Models:
 *                         linear, logistic, counts.
 *     update_rule         vb (default) or mackay. How precisions are updated. Models: linear, logistic, counts.
 *     prune_at            a number >= 0, default 0: none leaves; SLR toolbox 1e8. A column leaves the computation at this precision.
 *                         Models: linear, logistic, counts.
 *     readmit_every       a whole number >= 0. Number of sweeps after which columns that left are tested again; 0, the default, is never.
 *                         Models: linear, logistic, counts.
 *     threads             a whole number >= 0. Number of threads, which does not change the result; 0, the default, takes the number from
 *                         the environment. In a selection: number of fits at a time.
 *     record_every        a whole number >= 0. Number of sweeps between two columns of precision_history; 0: nothing is recorded. Models:
 *                         linear, logistic, counts.
 *     keep_covariance     automatic (default), always or never. Whether the fit keeps what it needs to compute the covariance. Models:
 *                         linear, logistic, counts.
 *     start_precision     numbers > 0. Starting values of the precisions: one for each column, and with an intercept optionally one more at
 *                         the end; a single number if all columns share a precision. Several classes: all values of the first class, then
 *                         of the next. Preset slr_rvm: one for each row. Models: linear, logistic, counts.
 *     start_noise         a number >= 0, default 0: 100 / variance of the target. With posterior factorised: the starting value of the
 *                         noise precision. Models: linear, logistic, counts.
 *   Kernel machines
 *     task                regression or classification. The task of a kernel machine (model kernel, model rvm). Without this option, it is
 *                         classification for a target of text or of two different numbers, and else regression. Models: kernel, rvm.
 *     kernel              auto (default), gaussian, laplacian, cauchy, matern32, matern52, linear, polynomial or spline. Kernel of the
 *                         machine. auto: gaussian; with model kernel, gaussian and cauchy, averaged by their evidence. linear, polynomial
 *                         and spline apply only to model rvm. Preset slr_rvm: linear by default. Models: kernel, rvm.
 *     width               auto (default), shared, each, a number > 0, or a number for each input. Width of the kernel, in standard
 *                         deviations of the inputs. shared: one width, found by the log evidence. each: one width for each input. auto:
 *                         shared; with model kernel, shared and each, averaged by their evidence. The columns of one text column share a
 *                         width. Preset slr_rvm with compat: R of the published kernel exp(-R |x-c|^2 / number of inputs). Models: kernel,
 *                         rvm.
 *     toolbox_R           a number > 0. Preset slr_rvm: R of the SLR toolbox, instead of width.
 *     degree              a whole number >= 1, default 2. Degree of the polynomial kernel. Models: rvm.
 *     offset              a number >= 0. Offset of the polynomial kernel; the default is the one with the highest log evidence. Models:
 *                         rvm.
 *     algorithm           variational (default), plain or type-two. plain: variational, with all columns at once, which is slow. type-two:
 *                         type-II maximum likelihood. Models: rvm.
 *     centres             auto (default), all or a number. The rows that may become relevance vectors; auto is all. A number: this many
 *                         rows, each the one that the rows before it explain worst. model kernel: the rows in whose features the process is
 *                         computed; auto is all up to 2000 rows, else 300. Models: kernel, rvm.
 *     bands               published (default) or open. model rvm: the intervals of predictions away from the data. published: they do not
 *                         widen. open: they widen by the spread of the fitted values where no training row is near; the curve is the same,
 *                         and probabilities return towards the middle. open applies to kernels that fall with the distance.
 *     vectors             auto (default), all, or a whole number >= 1. model kernel: the rows that the stored model keeps. auto: few whose
 *                         predictions are within divergence. all: every row that adds anything. A number: at most so many; with several
 *                         classes, for each of them.
 *     divergence          a number > 0, default 0.01. model kernel with vectors auto: how far the predictions of the kept rows may be from
 *                         those of all rows, in nats a row.
 *     averaging           on by default. model kernel: the average over hyper-parameters that the evidence leaves open. Without it, only
 *                         the best ones are used, in half the time; with few rows, intervals are then too narrow.
 *     linear_part         off by default. model kernel: the function is that of the kernel and, besides, a straight line in each input,
 *                         which goes on outside the data. How much of it is a line comes from the evidence.
 *     input_group         a group number for each input. Inputs of one group share a width. Models: kernel, rvm.
 *   Other calls
 *     precision           a number > 0. Sequential regression: precision of the prior.
 *     block_rows          a whole number >= 1. Sequential regression: rows per matrix product; the result does not depend on it.
 *     row_order           as-given (default) or by-content. Sequential regression and preset vb_logit_fit_iter: the order in which rows are
 *                         absorbed. The result depends on it. as-given: the order of the table, as published. by-content: a random order
 *                         that depends only on the content of the rows, with equal rows together.
 *     folds               a whole number >= 2, default 10. Selection, and prior laplace without lambda: the number of parts into which the
 *                         rows are divided, class by class. Each part is predicted by a fit to the others. Models: linear, logistic,
 *                         counts.
 *     repeats             a whole number >= 1, default 10. Selection: how often the rows are divided anew. Models: linear, logistic,
 *                         counts.
 *     seed                a whole number >= 0, default 1. Selection, and prior laplace without lambda: the seed of the random division.
 *                         missing impute: the seed of the draws. guarantee knockoffs: that of the knockoffs. C and Octave: the seed of
 *                         draws from the predictions of a kernel machine; C: of draws of weights. The same seed gives the same result with
 *                         any number of threads. Models: linear, logistic, counts.
 *     rule                automatic (default), exact, plug-in, mackay, published, published-batch, published-incremental, average or
 *                         mixture. Predictions: how a probability or a density is computed from the posterior.
 *     level               a number between 0 and 1, default 0.95. Level of the intervals.
 *     verbose             off by default. Summaries: also how the result was computed: steps, solver, hypotheses that were averaged,
 *                         effective parameters.
 *     odds                off by default. Summaries of two classes and of counts: odds ratios, or rate ratios, with their intervals,
 *                         instead of coefficients. They are the factors by which the odds of the second class, or the expected count,
 *                         change per unit of the column.
 *     standardized        off by default. Summaries of regressions and of two classes: coefficients per standard deviation of the column,
 *                         and of the target of a regression, so that columns can be compared.
 *     interval            new (default) or mean. Predictions of a regression. new: sd and interval of a new observation, with its noise.
 *                         mean: those of the mean, without noise.
 * options: end */
/* clang-format on */
typedef struct ardvark_options ardvark_options;

/* Options with their default values. NULL if there is no memory. */
ARDVARK_API ardvark_options* ardvark_options_create(void);
ARDVARK_API void ardvark_options_free(ardvark_options* options);
/* A number may be given as a text, a text as a number, and a single value as a list of one. An empty text or list sets an option back to
 * its default. ARDVARK_INVALID_ARGUMENT: there is no option of this name, or the value has the wrong kind. */
ARDVARK_API ardvark_code ardvark_options_set_text(ardvark_options* options, const char* name, const char* value, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_options_set_number(ardvark_options* options, const char* name, double value, ardvark_error* error);
/* In a list of positions, the values are whole numbers. */
ARDVARK_API ardvark_code ardvark_options_set_numbers(ardvark_options* options, const char* name, const double* values, int64_t count,
                                                     ardvark_error* error);
ARDVARK_API ardvark_code ardvark_options_set_texts(ardvark_options* options, const char* name, const char* const* values, int64_t count,
                                                   ardvark_error* error);

typedef struct ardvark_progress {
  size_t struct_size;
  int64_t sweep;          /* number of sweeps so far; ardvark_select: number of fits so far */
  int64_t total;          /* number of pieces in all, see `piece`; 0: it is not known */
  double bound;           /* lower bound on the log evidence, nats; -infinity before the first sweep; ardvark_select: 0 */
  double elapsed_seconds; /* of the call, wall clock */
  const char* stage;      /* preparing, fitting, checking (diagnose) or predicting */
  const char* piece;      /* what `done` counts: fold, lambda, prior setting, start, kernel; empty: rows, or nothing */
  int64_t done;           /* number of pieces of this stage that are done */
  double seconds_left;    /* of this stage, from the time that pieces of equal size took so far; NaN: not known */
  const char* text;       /* all this without the times: "fitting: fold 37 of 100"; valid during the callback */
} ardvark_progress;

typedef enum ardvark_answer {
  ARDVARK_LEAVE = -1, /* nobody wants the result: the call ends as soon as it can and returns ARDVARK_STOPPED */
  ARDVARK_STOP = 0,   /* a fit ends after this sweep (status stopped_by_user); diagnose is left out; a prediction returns ARDVARK_STOPPED */
  ARDVARK_GO_ON = 1   /* as any other number */
} ardvark_answer;

/* Called after each sweep; in a long step, also between two sweeps; and after each fit of ardvark_select (then from any thread, one at a
 * time). It returns an ardvark_answer. The function must return: no exception and no longjmp may leave it. */
typedef int (*ardvark_progress_callback)(const ardvark_progress* progress, void* context);
/* callback: NULL for none. seconds: smallest time before the first call and between two calls; 0: a call after every sweep, and in a long
 * step two calls a second. */
ARDVARK_API void ardvark_options_set_progress(ardvark_options* options, ardvark_progress_callback callback, void* context, double seconds);
/* The text of a progress with its times: "fitting: fold 37 of 100, 12 s, about 20 s left". Free *line with ardvark_free. */
ARDVARK_API ardvark_code ardvark_progress_line(const char* text, double elapsed_seconds, double seconds_left, char** line,
                                               ardvark_error* error);

/* ---- data --------------------------------------------------------------------------------------------------------------------------- */

typedef enum ardvark_type { ARDVARK_FLOAT64 = 1, ARDVARK_FLOAT32 = 2, ARDVARK_INT8 = 3 } ardvark_type; /* double, float, int8_t */

/* A matrix in the caller's memory: element (i, j) is data[i * row_stride + j * column_stride]. It is not copied if one of the strides is 1
 * and the other is at least the length of a row or column. With any other strides, the call makes a copy. */
typedef struct ardvark_matrix {
  size_t struct_size;
  const void* data;
  int32_t type; /* ardvark_type */
  int64_t rows, columns;
  int64_t row_stride, column_stride; /* in elements */
} ardvark_matrix;

/* An array that the library returns, row by row. Free data with ardvark_free. */
typedef struct ardvark_array {
  size_t struct_size;
  double* data;
  int64_t dimensions; /* 0 (a number), 1 or 2 */
  int64_t shape[2];
} ardvark_array;

/* A fitted model, and results by name: see below. */
typedef struct ardvark_model ardvark_model;
typedef struct ardvark_result ardvark_result;

/* ---- tables ------------------------------------------------------------------------------------------------------------------------- */

/* Columns of numbers and texts. An encoding says how they become the columns of X: a column of numbers is used unchanged; a column of texts
 * becomes columns of 0 and 1, one for each level ("sex=male"), except in linear and logistic models the level that the others are compared
 * with. Texts that are all true or false (True, TRUE, ...) are a column of 1 and 0. A fit with an encoding names its columns, treats a
 * column of texts as one group, and makes a model that remembers the encoding, in its file, too:
 *
 *     ardvark_table* table = NULL;
 *     ardvark_table_create(rows, &table, &error);
 *     ardvark_table_add_numbers(table, "age", age, &error);
 *     ardvark_table_add_texts(table, "sex", sex, &error);
 *     ardvark_encoding* encoding = NULL;
 *     ardvark_encoding_create(table, options, &encoding, &error);
 *     ardvark_array X = {.struct_size = sizeof X};
 *     ardvark_encoding_apply(encoding, table, &X, &error);      // X.data: row by row
 *     ardvark_options_set_encoding(options, encoding, &error);  // then ardvark_fit; for new rows, ardvark_model_encoding
 */
typedef struct ardvark_table ardvark_table;
typedef struct ardvark_encoding ardvark_encoding;

/* Values are copied. numbers: NaN is a missing value; texts: NULL is one. Names differ. */
ARDVARK_API ardvark_code ardvark_table_create(int64_t rows, ardvark_table** table, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_table_add_numbers(ardvark_table* table, const char* name, const double* values, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_table_add_texts(ardvark_table* table, const char* name, const char* const* values, ardvark_error* error);
ARDVARK_API void ardvark_table_free(ardvark_table* table);

/* The encoding of all columns of the table. options: `reference`, `weights`, and `model` or `preset`, because a kernel has a column for
 * every level.
 */
ARDVARK_API ardvark_code ardvark_encoding_create(const ardvark_table* table, const ardvark_options* options, ardvark_encoding** encoding,
                                                 ardvark_error* error);
/* X [rows, columns]. Columns are found by name, in any order; others are not read. A missing value, a level that the encoding does not
 * know, text instead of numbers or numbers instead of text are errors, which name row and column. */
ARDVARK_API ardvark_code ardvark_encoding_apply(const ardvark_encoding* encoding, const ardvark_table* table, ardvark_array* X,
                                                ardvark_error* error);
/* Whether X is mostly zeros, because texts have many levels, and a fit with these options takes it in compressed columns with the same
 * numbers: 1, else 0. rows: of the table. */
ARDVARK_API ardvark_code ardvark_encoding_is_sparse(const ardvark_encoding* encoding, int64_t rows, const ardvark_options* options,
                                                    int32_t* is_sparse, ardvark_error* error);
/* columns (names of the columns of X), features (names of the columns of the table), feature [columns] (position of each column of X in
 * features), text_columns (a list; each has name, levels, reference). */
ARDVARK_API ardvark_code ardvark_encoding_result(const ardvark_encoding* encoding, ardvark_result** result, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_options_set_encoding(ardvark_options* options, const ardvark_encoding* encoding, ardvark_error* error);
/* The encoding of the training table; of a fit to a matrix: columns of numbers with their names. */
ARDVARK_API ardvark_code ardvark_model_encoding(const ardvark_model* model, ardvark_encoding** encoding, ardvark_error* error);
ARDVARK_API void ardvark_encoding_free(ardvark_encoding* encoding);

/* A matrix in compressed sparse columns, read in place: the entries of column j are start[j] to start[j + 1] - 1; start[0] is 0, and the
 * row numbers, from 0, ascend in each column. struct_size may be that of an earlier version, which ended before dense, or before type. */
typedef struct ardvark_csc {
  size_t struct_size;
  int64_t rows, columns;
  int32_t index_bits; /* 32 or 64: start and row hold int32_t or int64_t */
  const void* start;  /* [columns + 1] */
  const void* row;    /* [entries] */
  const void* value;  /* [entries] */
  const char* dense;  /* how you make the matrix dense, for messages and notes, such as "X.toarray()"; NULL: they do not say it */
  int32_t type;       /* ardvark_type of the values; 0: ARDVARK_FLOAT64 */
} ardvark_csc;

/* A file that holds a matrix without names of columns, as docs/matrix_files.md says: Matrix Market, svmlight, .npy, .npz. */
typedef struct ardvark_matrix_file ardvark_matrix_file;
/* format: NULL: by the end of the path; "svmlight": of any name. index_base, of svmlight: the number of the first column in the file,
 * "auto" (0 if the file has an index 0, otherwise 1), "0" or "1"; NULL: "auto". language: in whose words messages and notes advise, as for
 * ardvark_csv_form_in. Free *file with ardvark_matrix_file_free. */
ARDVARK_API ardvark_code ardvark_matrix_file_read(const char* path, const char* format, const char* index_base, const char* language,
                                                  ardvark_matrix_file** file, ardvark_error* error);
/* The matrix, of which `file` keeps the memory; an error if it is dense, or sparse. struct_size of X must be set. */
ARDVARK_API ardvark_code ardvark_matrix_file_csc(const ardvark_matrix_file* file, ardvark_csc* X, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_matrix_file_dense(const ardvark_matrix_file* file, ardvark_matrix* X, ardvark_error* error);
/* The X of ardvark_encoding_apply in compressed columns, with its errors: *X keeps the memory, as of a file. */
ARDVARK_API ardvark_code ardvark_encoding_apply_csc(const ardvark_encoding* encoding, const ardvark_table* table, ardvark_matrix_file** X,
                                                    ardvark_error* error);
/* rows, columns, sparse (a flag), index_base, target [rows] (of svmlight; otherwise empty), notes. */
ARDVARK_API ardvark_code ardvark_matrix_file_result(const ardvark_matrix_file* file, ardvark_result** result, ardvark_error* error);
ARDVARK_API void ardvark_matrix_file_free(ardvark_matrix_file* file);

/* ---- genotypes ---------------------------------------------------------------------------------------------------------------------- */

/* A PLINK 1 fileset, or some of its samples, 2 bits a genotype. The files must not change while it is used. */
typedef struct ardvark_genotypes ardvark_genotypes;

/* path: "study.bed" or "study"; study.bim and study.fam lie beside it. count_allele: 1, the numbers are copies of allele 1 (the fifth field
 * of .bim), or 2. */
ARDVARK_API ardvark_code ardvark_genotypes_read(const char* path, int32_t count_allele, ardvark_genotypes** genotypes,
                                                ardvark_error* error);
ARDVARK_API void ardvark_genotypes_free(ardvark_genotypes* genotypes);
/* num_samples num_variants num_missing count_allele notes means [variants] (of the genotypes that are known); of each variant the texts
 * name chromosome position counted other (alleles); of each sample FID IID sex. */
ARDVARK_API ardvark_code ardvark_genotypes_result(const ardvark_genotypes* genotypes, ardvark_result** result, ardvark_error* error);
/* The last field of .fam: values [samples] (NaN: missing), classes (two, whose positions the values are; or none) notes. */
ARDVARK_API ardvark_code ardvark_genotypes_phenotype(const ardvark_genotypes* genotypes, ardvark_result** result, ardvark_error* error);
/* The samples at these positions, from 0, in any order. */
ARDVARK_API ardvark_code ardvark_genotypes_rows(const ardvark_genotypes* genotypes, const int64_t* rows, int64_t count,
                                                ardvark_genotypes** some, ardvark_error* error);
/* counts [samples * variants], variant by variant: copies of the counted allele; -127: missing. */
ARDVARK_API ardvark_code ardvark_genotypes_counts(const ardvark_genotypes* genotypes, int8_t* counts, ardvark_error* error);

/* ---- models ------------------------------------------------------------------------------------------------------------------------- */

/* Fits the model that the options name. X: finite, or NaN where a value is missing (option missing); target: [rows] numbers, or labels.
 * *model is set only on success; free it with ardvark_model_free. */
ARDVARK_API ardvark_code ardvark_fit(const ardvark_matrix* X, const double* target, const ardvark_options* options, ardvark_model** model,
                                     ardvark_error* error);
/* The same for a sparse X, which is never written out: models linear, logistic and counts, under every prior, and the presets that go over
 * all columns at once. */
ARDVARK_API ardvark_code ardvark_fit_csc(const ardvark_csc* X, const double* target, const ardvark_options* options, ardvark_model** model,
                                         ardvark_error* error);
/* The same for genotypes of a PLINK fileset, which stay in 2 bits: model linear, or logistic with two classes. beside: NULL, or [samples,
 * any] other columns, which have no prior; names: those of the columns beside, or NULL. The columns of the model are the variants and then
 * those beside; it keeps the alleles of the variants that it uses. */
ARDVARK_API ardvark_code ardvark_fit_genotypes(const ardvark_genotypes* X, const ardvark_matrix* beside, const char* const* names,
                                               const double* target, const ardvark_options* options, ardvark_model** model,
                                               ardvark_error* error);
ARDVARK_API void ardvark_model_free(ardvark_model* model);

/* clang-format off */
/* The results of the fit, in the units of the data, columns in the order of X. The names are those of `ardvark fit --json`:
 *
 *   every fit
 *     status message sweeps bound bound_history (never falls, except in the fits that docs/math/bound.md names under BOUND.5)
 *     bound_comparable (with fits under other priors) solver solver_reason notes warnings seconds columns classes prior preset ...
 *   regressions and two classes
 *     mean variance sd interval [p,2] intercept.mean intercept.variance intercept.interval standardized_mean
 *     precision precision_history (not if the model was loaded from a file) group relevance direction relevant left_out
 *     effective_parameters V_diagonal log_det_V posterior
 *     sampled.draws sampled.sd_error sampled.bound_error sampled.precision_error (solver iterative: standard errors of what comes from
 *     draws; those of sd and precision are relative, that of the bound is in nats)
 *     degrees_of_freedom (regressions: of the marginals, Student-t distributions; infinite: they are normal)
 *     covariance, V [p,p], or [p+1,p+1] with an intercept, which is last: computed only when you ask for them by name. Of more than
 *     10000 weights: ardvark_model_covariance gives that of some columns, ardvark_model_draws draws of all
 *     noise.shape noise.rate noise.sd noise.sd_interval r_squared (regressions; a joint posterior is q(w|tau) = N(mean, V/tau))
 *     accuracy log_loss class_weight (classes)
 *     odds_ratio (e^mean: the factor by which the odds of the second class change per unit of the column; e^interval is its interval;
 *     infinite if the mean exceeds 709)
 *     noise.family (normal or student), noise.degrees_of_freedom noise.degrees_of_freedom_interval row_weight (regressions with Student-t
 *     noise; row_weight [rows] is near 0 for an outlier, and empty if the model was loaded from a file)
 *     family (poisson or negative-binomial) dispersion dispersion_interval (counts; k of the variance mu + k mu^2)
 *     other_family preferred_by (if the fit chose: the other family, and by how many nats its log evidence is lower)
 *     exposure offset_column has_row_offset (counts that had one of them; the first two are names of columns)
 *     deviance deviance_explained rate_ratio (counts; e^mean: the factor by which the expected count changes per unit of the column)
 *     missing.imputations missing.columns missing.gaps missing.information [p] (missing impute)
 *   several classes
 *     mean, variance, sd, precision, relevance [classes, p], intercept.mean [classes]
 *     covariance [classes q, classes q], class after class; for each class its p columns and then the intercept
 *   rvm
 *     relevance_vectors [m,d] relevance_rows vectors kernel parameters width log_evidence inputs input_center input_scale trials
 *     with several classes machines.0.mean, machines.0.vectors, ...
 *
 * options: only `level` is read; may be NULL. */
/* clang-format on */
ARDVARK_API ardvark_code ardvark_model_result(const ardvark_model* model, const ardvark_options* options, ardvark_result** result,
                                              ardvark_error* error);
/* The rows and columns `columns` of the covariance [count, count] of a regression, two classes, or a relevance vector machine of one score,
 * without a matrix of all columns. columns: [count] positions, from 0; p: the intercept. ARDVARK_INVALID_ARGUMENT: there is no such
 * coefficient, or the fit kept no covariance. */
ARDVARK_API ardvark_code ardvark_model_covariance(const ardvark_model* model, const int64_t* columns, int64_t count, ardvark_array* array,
                                                  ardvark_error* error);
/* `count` independent draws from the posterior of the same models: coef [count, p]; intercept [count], if there is one; noise_precision
 * [count] of a regression. options: only `seed` is read; may be NULL. The same seed gives the same draws. ARDVARK_INVALID_ARGUMENT: the
 * fit kept no covariance, or too few rows give it none. */
ARDVARK_API ardvark_code ardvark_model_draws(const ardvark_model* model, int64_t count, const ardvark_options* options,
                                             ardvark_result** result, ardvark_error* error);
/* The moments of a posterior from any source, to make a model for predictions. */
typedef struct ardvark_moments {
  size_t struct_size;
  int64_t columns;                 /* p */
  const double* mean;              /* [p] finite */
  const ardvark_matrix* V;         /* [p,p] finite, symmetric, positive semidefinite, both to 1e-6 of its largest element */
  const ardvark_matrix* V_inverse; /* [p,p] for the published rules, which use w'V^-1 w; NULL: computed from V */
  double noise_shape, noise_rate;  /* regression, q(w|tau) = N(mean, V/tau), q(tau) = Gamma(shape, rate): > 0; else both 0 */
} ardvark_moments;
/* options: only column_names, class_names (two; default "-1" and "1") and target are read; may be NULL. */
ARDVARK_API ardvark_code ardvark_model_from_moments(const ardvark_moments* moments, const ardvark_options* options, ardvark_model** model,
                                                    ardvark_error* error);
/* V^-1 [p,p] of a fit without intercept and without standardisation. It is computed as diag(a) + X' diag(omega) X, without inverting V.
 * X: the training rows. For a model of a filter, V^-1 comes from the factor of V; X is not read and may be NULL. */
ARDVARK_API ardvark_code ardvark_model_V_inverse(const ardvark_model* model, const ardvark_matrix* X, ardvark_array* array,
                                                 ardvark_error* error);
/* Coefficients with their intervals, or the curves of a kernel machine, drawn with characters, as `ardvark show --plot` does. width: of a
 * line, 20 or more; 0: 80. options: only `level` is read; may be NULL. Free *text with ardvark_free. */
ARDVARK_API ardvark_code ardvark_model_drawing(const ardvark_model* model, int32_t width, const ardvark_options* options, char** text,
                                               ardvark_error* error);
/* The table that `ardvark show` prints. options: `level`, `verbose`, `odds` and `standardized` are read, and `column_names`: other names of
 * the columns; may be NULL. Free *text with ardvark_free. */
ARDVARK_API ardvark_code ardvark_model_summary(const ardvark_model* model, const ardvark_options* options, char** text,
                                               ardvark_error* error);

/* What a report says beside the fit and its rows. NULL: see below. */
typedef struct ardvark_report_words {
  size_t struct_size;
  const char* title;   /* heading of the page; NULL: what was fitted */
  const char* command; /* how the fit is made again; NULL: the command of the program ardvark */
  const char* file;    /* path of the file that X comes from, whose name and checksum the page has; NULL: X comes from the memory */
} ardvark_report_words;
/* A page of HTML for a colleague, as of `ardvark report`: one file of less than 300 kB that loads nothing. X: rows that it compares with
 * their predictions, those of the fit or others; NULL: none. target: as in ardvark_predict, but NaN where it is not known; NULL with X
 * NULL. options: `level`, `column_names` and, of counts, `row_offset` are read; may be NULL. words: may be NULL. path: where the page is
 * written, completely or not at all; NULL: *html has it, which you free with ardvark_free. */
ARDVARK_API ardvark_code ardvark_model_report(const ardvark_model* model, const ardvark_matrix* X, const double* target,
                                              const ardvark_options* options, const ardvark_report_words* words, const char* path,
                                              char** html, ardvark_error* error);

/* A predictive distribution for each row. Regression: mean, sd, lower, upper, scale, degrees_of_freedom. Classification: probability
 * [rows, classes], classes, and mean and variance of the log odds. options: `rule`, `interval`, `level` and, of counts, `row_offset`
 * are read; may be NULL.
 * warnings: texts, one if rows lie beyond the data of a kernel machine, else none.
 * target: NULL, or [rows] numbers (classification: positions in `classes`); with it there is also log_density [rows], nats. */
ARDVARK_API ardvark_code ardvark_predict(const ardvark_model* model, const ardvark_matrix* X, const double* target,
                                         const ardvark_options* options, ardvark_result** result, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_predict_csc(const ardvark_model* model, const ardvark_csc* X, const double* target,
                                             const ardvark_options* options, ardvark_result** result, ardvark_error* error);
/* The same for genotypes, whose variants are found by name and alleles: if the two alleles are swapped, the other one is counted; a missing
 * genotype is at the mean of the fit. absent_at_mean: 0: a variant of the model that is not there, or has other alleles, is an error; 1: it
 * is at the mean of the fit. notes: what was done. */
ARDVARK_API ardvark_code ardvark_predict_genotypes(const ardvark_model* model, const ardvark_genotypes* X, const ardvark_matrix* beside,
                                                   int32_t absent_at_mean, const double* target, const ardvark_options* options,
                                                   ardvark_result** result, ardvark_error* error);

/* What the predictions of a kernel machine (model kernel) say of all rows together. draws 0: mean [rows] and covariance [rows, rows]; else
 * draws [rows, draws], independent draws from the joint distribution. Regression: of new observations, or of the function (`interval`
 * mean). Classification: of the log odds; with several classes machines.0.mean, machines.0.draws, ..., of each class against the rest.
 * options: only `interval` and `seed` are read; may be NULL. The same seed gives the same draws. */
ARDVARK_API ardvark_code ardvark_predict_joint(const ardvark_model* model, const ardvark_matrix* X, int64_t draws,
                                               const ardvark_options* options, ardvark_result** result, ardvark_error* error);

/* A model file has all that predictions and the summary need. If a save is interrupted in any way, the path has either the old file or the
 * whole new one. A program that is killed during a save may leave a file PATH.partial-NUMBER. Nothing reads it, and you may delete it. */
ARDVARK_API ardvark_code ardvark_model_save(const ardvark_model* model, const char* path, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_model_load(const char* path, ardvark_model** model, ardvark_error* error);
/* The same bytes in memory. Free *data with ardvark_free. */
ARDVARK_API ardvark_code ardvark_model_to_bytes(const ardvark_model* model, void** data, size_t* size, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_model_from_bytes(const void* data, size_t size, ardvark_model** model, ardvark_error* error);

/* ---- other work --------------------------------------------------------------------------------------------------------------------- */

/* How often the fits of a repeated cross-validation keep each column: count, share, sc_value [p], ranking, accuracy.mean, fits, ... as in
 * `ardvark select --json`. options: model linear or logistic, or a preset; folds, repeats, seed. */
ARDVARK_API ardvark_code ardvark_select(const ardvark_matrix* X, const double* labels, const ardvark_options* options,
                                        ardvark_result** result, ardvark_error* error);

/* Several models of one table, ranked by their log evidence: best, verdict, models[0].name, models[0].evidence, ... as in
 * `ardvark compare --json`, and summary, a table to read. priors: names with commas between them, as "shared,dense,sparse"; NULL: its
 * default. kernels: relevance vector machines with these kernels, as "gaussian", and kernel: the kernel machine of model kernel; NULL:
 * none. Families of numbers (normal, student) or counts (poisson, negative-binomial) may be named there, too: each prior is then fitted
 * with each of them. options: model linear, logistic or counts. */
ARDVARK_API ardvark_code ardvark_compare(const ardvark_matrix* X, const double* target, const char* priors, const char* kernels,
                                         const ardvark_options* options, ardvark_result** result, ardvark_error* error);

/* A page of HTML of a result of ardvark_compare or ardvark_select, as ardvark_model_report. ARDVARK_INVALID_ARGUMENT: another result. */
ARDVARK_API ardvark_code ardvark_result_report(const ardvark_result* result, const ardvark_report_words* words, const char* path,
                                               char** html, ardvark_error* error);

/* Modes under a Laplace prior for many lambdas: lambda, lambda_max, mean [count, p], intercept, log_likelihood, num_nonzero; and of each
 * of them status, message and gap: how far its objective is below the maximum at most, as a part of it, by a feasible point of the dual.
 * lambdas: [count], or NULL for `count` values from lambda_max down to smallest * lambda_max; count or smallest 0: its default. */
ARDVARK_API ardvark_code ardvark_path(const ardvark_matrix* X, const double* labels, const double* lambdas, int64_t count, double smallest,
                                      const ardvark_options* options, ardvark_result** result, ardvark_error* error);
/* The same for a sparse X, which is never written out. */
ARDVARK_API ardvark_code ardvark_path_csc(const ardvark_csc* X, const double* labels, const double* lambdas, int64_t count, double smallest,
                                          const ardvark_options* options, ardvark_result** result, ardvark_error* error);

/* Scales the columns as the SLR toolbox does before a fit: (x - center)/scale, or 0 for a column with a single value.
 * center: "none", "each" (mean of the column) or "all" (mean of the table). scale, after centring: "none", "each" (largest |x| of the
 * column), "all" (largest |x| of the table), "stdeach" or "stdall" (standard deviation of the column or of the table). Both come from the
 * table `like`; NULL: from X. out: array of the caller for the result, with rows and columns as X, column by column. */
ARDVARK_API ardvark_code ardvark_normalize(const ardvark_matrix* X, const ardvark_matrix* like, const char* center, const char* scale,
                                           double* out, ardvark_error* error);

/* Weight, means and cross-products of rows: all that a linear fit needs, so that a table of any length is read once, in pieces. The result
 * has the same bits for pieces of any size.
 *
 *     ardvark_statistics* statistics = NULL;
 *     ardvark_statistics_create(NULL, &statistics, &error);
 *     while (read_rows(&X, y)) ardvark_statistics_update(statistics, &X, y, NULL, &error);
 *     ardvark_fit_statistics(statistics, options, &model, &error);
 *
 * One thread must not change statistics while another thread uses them. */
typedef struct ardvark_statistics ardvark_statistics;
/* form: "gram" (NULL), or "factor", which keeps the digits of nearly collinear columns in twice the work. */
ARDVARK_API ardvark_code ardvark_statistics_create(const char* form, ardvark_statistics** statistics, ardvark_error* error);
ARDVARK_API void ardvark_statistics_free(ardvark_statistics* statistics);
/* Statistics of the same rows, to which others can be added: the result has the same bits as if these were added to `statistics`. */
ARDVARK_API ardvark_code ardvark_statistics_copy(const ardvark_statistics* statistics, ardvark_statistics** copy, ardvark_error* error);
/* Names: options encoding, or column_names, and target. */
ARDVARK_API ardvark_code ardvark_statistics_set_names(ardvark_statistics* statistics, const ardvark_options* options, ardvark_error* error);
/* target: [rows]. weights: [rows] finite, >= 0; a weight is a number of repetitions; NULL: ones. A call that fails changes nothing; a
 * message about a value names its row, counted from 1 over all calls. */
ARDVARK_API ardvark_code ardvark_statistics_update(ardvark_statistics* statistics, const ardvark_matrix* X, const double* target,
                                                   const double* weights, ardvark_error* error);
/* Adds the rows of a table, whose columns have names. A text column has a column of 0 and 1 for each level so far; a later table may have
 * other levels, and its columns in another order. target, weights: names of columns; weights NULL: ones. */
ARDVARK_API ardvark_code ardvark_statistics_update_table(ardvark_statistics* statistics, const ardvark_table* table, const char* target,
                                                         const char* weights, ardvark_error* error);
/* How the columns of the table become those of a fit: each text column without the level that the others are compared with.
 * options: only `reference` is read; may be NULL. */
ARDVARK_API ardvark_code ardvark_statistics_encoding(const ardvark_statistics* statistics, const ardvark_options* options,
                                                     ardvark_encoding** encoding, ardvark_error* error);
/* Adds the rows of `right`, as if they came next. ARDVARK_INVALID_ARGUMENT: another form, other columns or other levels. */
ARDVARK_API ardvark_code ardvark_statistics_merge(ardvark_statistics* statistics, const ardvark_statistics* right, ardvark_error* error);
/* form, num_rows, weight, columns (names; x1, x2, ... without), has_names (of columns), features (columns of the table), has_text,
 * has_levels (text columns have all their levels), target, mean [p+1], cross [p+1,p+1] (sums of weight times product of the differences
 * from the means); the target is last. */
ARDVARK_API ardvark_code ardvark_statistics_result(const ardvark_statistics* statistics, ardvark_result** result, ardvark_error* error);
/* The bytes of a statistics file. Free *data with ardvark_free. */
ARDVARK_API ardvark_code ardvark_statistics_to_bytes(const ardvark_statistics* statistics, void** data, size_t* size, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_statistics_from_bytes(const void* data, size_t size, ardvark_statistics** statistics,
                                                       ardvark_error* error);
/* Mean squared error of the predictions of a linear model for these rows, in units of the target squared. */
ARDVARK_API ardvark_code ardvark_statistics_error(const ardvark_statistics* statistics, const ardvark_model* model, double* mean_square,
                                                  ardvark_error* error);
/* The fit of the rows of `count` statistics. They are the folds of the cross-validation that chooses lambda with prior laplace. */
ARDVARK_API ardvark_code ardvark_fit_folds(const ardvark_statistics* const* folds, int64_t count, const ardvark_options* options,
                                           ardvark_model** model, ardvark_error* error);
/* The linear fit of these rows. options: those of a linear model or preset, without weights. */
ARDVARK_API ardvark_code ardvark_fit_statistics(const ardvark_statistics* statistics, const ardvark_options* options, ardvark_model** model,
                                                ardvark_error* error);

/* Sums over rows that are not in memory, for a fit of classes that reads them several times. A fit asks a question, in bytes, which may
 * be sent to another process; the sums over the rows are the answer. They have the same bits for pieces of any size. One thread must not
 * change sums while another thread uses them. */
typedef struct ardvark_sums ardvark_sums;
/* stream: if parts of a table have sums of their own that are merged: another number for each part, the same in each pass; else 0. */
ARDVARK_API ardvark_code ardvark_sums_create(const void* question, size_t size, int64_t stream, ardvark_sums** sums, ardvark_error* error);
ARDVARK_API void ardvark_sums_free(ardvark_sums* sums);
/* Adds rows, the same ones in each pass. labels [rows]: two to 1000 different numbers in all, or the target of a regression. weights
 * [rows]: >= 0, or NULL for ones. ARDVARK_INVALID_ARGUMENT: a value is wrong; the message names row, column and value. */
ARDVARK_API ardvark_code ardvark_sums_update(ardvark_sums* sums, const ardvark_matrix* X, const double* labels, const double* weights,
                                             ardvark_error* error);
/* Adds the rows of `right`, as if they came next. */
ARDVARK_API ardvark_code ardvark_sums_merge(ardvark_sums* sums, const ardvark_sums* right, ardvark_error* error);
/* Free *data with ardvark_free. */
ARDVARK_API ardvark_code ardvark_sums_to_bytes(const ardvark_sums* sums, void** data, size_t* size, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_sums_from_bytes(const void* data, size_t size, ardvark_sums** sums, ardvark_error* error);
/* Answers a question: *answer gets sums over all rows, which the fit frees. Returns 0; another number ends the fit with ARDVARK_STOPPED. */
typedef int (*ardvark_ask)(const void* question, size_t size, ardvark_sums** answer, void* data);
/* The logistic regression, or the kernel machine, whose rows `ask` knows. options: those of model logistic, or of model
 * kernel with its task, with column_names or an encoding; with class_names, labels are 0, 1, .. */
ARDVARK_API ardvark_code ardvark_fit_rows(ardvark_ask ask, void* data, const ardvark_options* options, ardvark_model** model,
                                          ardvark_error* error);

/* A logistic regression that absorbs each row once. No intercept, no standardisation. options: precision, block_rows, threads;
 * may be NULL. */
typedef struct ardvark_sequential ardvark_sequential;
ARDVARK_API ardvark_code ardvark_sequential_create(int64_t columns, const ardvark_options* options, ardvark_sequential** filter,
                                                   ardvark_error* error);
ARDVARK_API void ardvark_sequential_free(ardvark_sequential* filter);
/* labels: [rows] -1 or +1. A call that fails does not change the filter. */
ARDVARK_API ardvark_code ardvark_sequential_update(ardvark_sequential* filter, const ardvark_matrix* X, const double* labels,
                                                   ardvark_error* error);
/* The same with weights: [rows] finite, >= 0; a weight is the number of copies of the row, absorbed at once; NULL: ones. options: only
 * row_order is read; may be NULL. */
ARDVARK_API ardvark_code ardvark_sequential_update_weighted(ardvark_sequential* filter, const ardvark_matrix* X, const double* labels,
                                                            const double* weights, const ardvark_options* options, ardvark_error* error);
/* The current posterior as a new model. options: only column_names and class_names (two, for -1 and +1) are read; may be NULL. */
ARDVARK_API ardvark_code ardvark_sequential_model(const ardvark_sequential* filter, const ardvark_options* options, ardvark_model** model,
                                                  ardvark_error* error);
/* A filter that goes on from a model of ardvark_sequential_model, or of the preset vb_logit_fit_iter, also after a model file, with the
 * same results up to rounding. options: block_rows, threads; may be NULL. ARDVARK_INVALID_ARGUMENT: another kind of model. */
ARDVARK_API ardvark_code ardvark_sequential_from_model(const ardvark_model* model, const ardvark_options* options,
                                                       ardvark_sequential** filter, ardvark_error* error);
/* The state of the filter as bytes. A filter that continues from these bytes gives the same results to the last bit. */
ARDVARK_API ardvark_code ardvark_sequential_to_bytes(const ardvark_sequential* filter, void** data, size_t* size, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_sequential_from_bytes(const void* data, size_t size, ardvark_sequential** filter, ardvark_error* error);

/* ---- many targets ------------------------------------------------------------------------------------------------------------------- */

/* A linear regression of each column of Y [rows, targets] on the same X. With the option `prior` shared, one decomposition of X serves all
 * targets. A target has the same numbers whatever targets are beside it.
 */
typedef struct ardvark_targets ardvark_targets;

/* Memory of the caller for a matrix of results, which the library fills: the numbers of a target lie one after the other. */
typedef struct ardvark_columns {
  size_t struct_size;
  void* data;
  int32_t type;   /* ARDVARK_FLOAT64 or ARDVARK_FLOAT32 */
  int64_t stride; /* numbers between the first ones of two neighbouring targets; 0: as many as a target has */
} ardvark_columns;

/* What the fits compute beside means, and what they do not keep; bits. */
typedef enum ardvark_targets_what {
  ARDVARK_TARGETS_SD = 1,            /* standard deviations of the coefficients */
  ARDVARK_TARGETS_LEAVE_ONE_OUT = 2, /* r_squared_loo */
  ARDVARK_TARGETS_NO_PREDICTIONS = 4 /* nothing is kept for ardvark_targets_predict: less memory */
} ardvark_targets_what;

/* options: those of model linear without a preset, without diagnose and fdr; may be NULL. With `missing` drop, rows with a gap in X are
 * left out, and a NaN in Y leaves its row out of the fit of its target. Otherwise such a target is not fitted, and its `status` says so.
 * names: [targets] or NULL.
 * mean, sd, inclusion: where these [columns, targets] are written; NULL: they are kept, for ardvark_targets_result; with a pointer, sd is
 * computed in any case. */
ARDVARK_API ardvark_code ardvark_fit_targets(const ardvark_matrix* X, const ardvark_matrix* Y, const char* const* names,
                                             const ardvark_options* options, int32_t what, const ardvark_columns* mean,
                                             const ardvark_columns* sd, const ardvark_columns* inclusion, ardvark_targets** targets,
                                             ardvark_error* error);
ARDVARK_API void ardvark_targets_free(ardvark_targets* targets);
/* One for each target: status (converged, max_sweeps, constant, not_finite, few_rows, out_of_range, failed), sweeps, intercept (if there is
 * one), precision (prior shared), noise_sd, degrees_of_freedom, bound, evidence (nats of `bound` above the constant), r_squared,
 * r_squared_loo, effective_parameters, num_rows; NaN where a target is not fitted. [targets, columns], if they were kept: mean, sd,
 * inclusion. Of all: targets (their names, if there are any), num_targets, num_alone (fitted one by one), prior, columns, left_out,
 * options, text_columns (if there are any), notes, warnings, seconds. */
ARDVARK_API ardvark_code ardvark_targets_result(const ardvark_targets* targets, ardvark_result** result, ardvark_error* error);
/* Which targets the columns explain: share (of all targets), probability [targets], selected [targets] (flags). rate: of false discoveries
 * among the selected, in (0, 1). */
ARDVARK_API ardvark_code ardvark_targets_explained(const ardvark_targets* targets, double rate, ardvark_result** result,
                                                   ardvark_error* error);
/* Which columns raise or lower which targets, after a fit with `prior` none. [targets, columns]: q_value (the sign of the coefficient is
 * stated at a rate of wrong directions of at least this much), p_value, sd; [targets]: noise_sd, degrees_of_freedom; [columns]: no_effect;
 * of all: pooled_degrees (0: not pooled; infinity: all noises are equal), usual_noise_sd. pool: 1 if the noise of a target is estimated
 * from that of all targets, too; otherwise 0. coefficients: as in ardvark_targets_predict. */
ARDVARK_API ardvark_code ardvark_targets_directions(const ardvark_targets* targets, int32_t pool, const ardvark_matrix* coefficients,
                                                    ardvark_result** result, ardvark_error* error);
/* A page of HTML of all targets, as ardvark_model_report. X and Y [rows, targets]: rows that are compared with their predictions, both or
 * neither; NaN in Y: not known. coefficients: as in ardvark_targets_predict. rate: of false discoveries among the targets that are
 * explained, in (0, 1). */
ARDVARK_API ardvark_code ardvark_targets_report(const ardvark_targets* targets, const ardvark_matrix* X, const ardvark_matrix* Y,
                                                const ardvark_matrix* coefficients, double rate, const ardvark_report_words* words,
                                                const char* path, char** html, ardvark_error* error);
/* Predictions of new rows: mean and sd [rows of X, targets] are written where the caller says; sd NULL: without. coefficients [columns,
 * targets]: those of a fit that wrote its means elsewhere; otherwise NULL. options: `interval` ("new" or "mean") and `threads` are read;
 * may be NULL. */
ARDVARK_API ardvark_code ardvark_targets_predict(const ardvark_targets* targets, const ardvark_matrix* X,
                                                 const ardvark_matrix* coefficients, const ardvark_options* options,
                                                 const ardvark_columns* mean, const ardvark_columns* sd, ardvark_error* error);

/* One file of all targets, completely or not at all; and its bytes. coefficients: as in ardvark_targets_predict. */
ARDVARK_API ardvark_code ardvark_targets_save(const ardvark_targets* targets, const ardvark_matrix* coefficients, const char* path,
                                              ardvark_error* error);
ARDVARK_API ardvark_code ardvark_targets_load(const char* path, ardvark_targets** targets, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_targets_to_bytes(const ardvark_targets* targets, const ardvark_matrix* coefficients, void** data,
                                                  size_t* size, ardvark_error* error);
ARDVARK_API ardvark_code ardvark_targets_from_bytes(const void* data, size_t size, ardvark_targets** targets, ardvark_error* error);
/* As ardvark_model_encoding. */
ARDVARK_API ardvark_code ardvark_targets_encoding(const ardvark_targets* targets, ardvark_encoding** encoding, ardvark_error* error);

/* Weight, means and products of the columns with each other and with each target: all that linear fits of many targets need, so that a
 * table of any length is read once, in pieces. The result has the same bits for pieces of any size. One thread must not change statistics
 * while another thread uses them. */
typedef struct ardvark_target_statistics ardvark_target_statistics;
ARDVARK_API ardvark_code ardvark_target_statistics_create(ardvark_target_statistics** statistics, ardvark_error* error);
ARDVARK_API void ardvark_target_statistics_free(ardvark_target_statistics* statistics);
/* As ardvark_statistics_copy. */
ARDVARK_API ardvark_code ardvark_target_statistics_copy(const ardvark_target_statistics* statistics, ardvark_target_statistics** copy,
                                                        ardvark_error* error);
/* Names: the option column_names, and those of `count` targets, which may be NULL. */
ARDVARK_API ardvark_code ardvark_target_statistics_set_names(ardvark_target_statistics* statistics, const ardvark_options* options,
                                                             const char* const* targets, int64_t count, ardvark_error* error);
/* Y: [rows of X, targets]; a value that is not finite leaves its target without a fit, unless the row has weight 0. weights: [rows] finite,
 * >= 0; a weight is a number of repetitions; NULL: ones. A call that fails changes nothing; a message about a value names its row, counted
 * from 1 over all calls. */
ARDVARK_API ardvark_code ardvark_target_statistics_update(ardvark_target_statistics* statistics, const ardvark_matrix* X,
                                                          const ardvark_matrix* Y, const double* weights, ardvark_error* error);
/* Adds the rows of `right`, as if they came next. Its columns and targets may come in another order, if they have names.
 * ARDVARK_INVALID_ARGUMENT: other columns or targets. */
ARDVARK_API ardvark_code ardvark_target_statistics_merge(ardvark_target_statistics* statistics, const ardvark_target_statistics* right,
                                                         ardvark_error* error);
/* num_rows, num_columns, num_targets, columns (names; x1, x2, ... without), has_names (of columns), targets (names, if there are any),
 * weight, mean [columns], target_mean [targets], cross [columns, columns], target_cross [targets, columns] and target_squares [targets]
 * (sums of weight times product of the differences from the means), status [targets]: converged if its sums are right; else not_finite or
 * out_of_range, and they are NaN. */
ARDVARK_API ardvark_code ardvark_target_statistics_result(const ardvark_target_statistics* statistics, ardvark_result** result,
                                                          ardvark_error* error);
/* The bytes of a file. Free *data with ardvark_free. */
ARDVARK_API ardvark_code ardvark_target_statistics_to_bytes(const ardvark_target_statistics* statistics, void** data, size_t* size,
                                                            ardvark_error* error);
ARDVARK_API ardvark_code ardvark_target_statistics_from_bytes(const void* data, size_t size, ardvark_target_statistics** statistics,
                                                              ardvark_error* error);
/* The fits of these rows, as ardvark_fit_targets gives them. what: without ARDVARK_TARGETS_LEAVE_ONE_OUT, which needs rows. */
ARDVARK_API ardvark_code ardvark_fit_target_statistics(const ardvark_target_statistics* statistics, const ardvark_options* options,
                                                       int32_t what, const ardvark_columns* mean, const ardvark_columns* sd,
                                                       const ardvark_columns* inclusion, ardvark_targets** targets, ardvark_error* error);

/* ---- results ------------------------------------------------------------------------------------------------------------------------ */

ARDVARK_API void ardvark_result_free(ardvark_result* result);

/* A numeric result: a number, flags (0 or 1), a list or a matrix. Row numbers count from 0; -1 is a k-means centre, which is not a row.
 * ARDVARK_INVALID_ARGUMENT: there is no result of this name, or it is not numeric. */
ARDVARK_API ardvark_code ardvark_result_array(const ardvark_result* result, const char* name, ardvark_array* array, ardvark_error* error);
/* A single number or flag. */
ARDVARK_API ardvark_code ardvark_result_number(const ardvark_result* result, const char* name, double* number, ardvark_error* error);
/* A text result unchanged, any other result as JSON (infinities and NaN are null; row numbers count from 1; columns are named). name NULL:
 * all results except the covariance, as one JSON object. Free *text with ardvark_free. */
ARDVARK_API ardvark_code ardvark_result_text(const ardvark_result* result, const char* name, char** text, ardvark_error* error);
/* The same, but a text is JSON, too: in quotes. */
ARDVARK_API ardvark_code ardvark_result_json(const ardvark_result* result, const char* name, char** text, ardvark_error* error);

/* ---- the list of results: a tree of names; the functions above read its leaves */

typedef enum ardvark_kind {
  ARDVARK_NOTHING = 0, /* no value: null in JSON, NaN as a number */
  ARDVARK_NUMBERS = 1, /* a number, a list or a matrix: ardvark_result_array reads it */
  ARDVARK_FLAG = 2,    /* true or false: ardvark_result_number gives 1 or 0 */
  ARDVARK_TEXT = 3,    /* a text: it is in the entry itself; ardvark_result_text reads it, too */
  ARDVARK_LIST = 4,    /* a list of entries without names: texts, records */
  ARDVARK_RECORD = 5   /* a record of entries with names */
} ardvark_kind;

/* The texts belong to the result. They are valid until the result is freed. */
typedef struct ardvark_entry {
  size_t struct_size;
  const char* name; /* "shape"; "" for an entry of a list */
  const char* path; /* the name for the functions above: "noise.shape", "warnings.0" */
  int32_t kind;     /* ardvark_kind */
  int64_t count;    /* number of entries of a list or record; else 0 */
  const char* text; /* the text if kind is ARDVARK_TEXT; else NULL */
} ardvark_entry;

/* The entry `index`, from 0, below `path`, in the order of the JSON; path NULL: below the whole result. Results that are computed only when
 * you ask for them by name (covariance, V, components, log_ratios) are not in the list. */
ARDVARK_API ardvark_code ardvark_result_entry(const ardvark_result* result, const char* path, int64_t index, ardvark_entry* entry,
                                              ardvark_error* error);
/* The number of entries below `path`; path NULL: of the whole result. */
ARDVARK_API ardvark_code ardvark_result_count(const ardvark_result* result, const char* path, int64_t* count, ardvark_error* error);

/* A text of a result or an error, with its options written as in another language: "--prior shared --a0 1" becomes prior='shared', a0=1 for
 * "python", and 'prior', 'shared', 'a0', 1 for "octave". renamed: NULL, or [2 count] pairs of an option and the name that the user knows:
 * "a0", "lambda_1". Free *written with ardvark_free. */
ARDVARK_API ardvark_code ardvark_spell(const char* text, const char* language, const char* const* renamed, int64_t count, char** written,
                                       ardvark_error* error);

/* A result that lists: options (names), option_help (values and help of each option, by name), option_facts (by name: kind, which is flag,
 * whole number, number, word, text, positions, numbers or texts; not_in: the models and priors with which the option cannot be used, and
 * the forms of the rows, which are statistics, passes, many rows in passes and sparse X; words: the words that it may be, each with those
 * of the same in which it cannot be used), presets (name, task, description, and the flags slr_toolbox, kernel, which fits the columns of
 * a kernel, and several_classes), version of the library, and the defaults of each preset by name, such as defaults.slr_var.max_sweeps
 * and .prune_at (0: no column leaves). */
ARDVARK_API ardvark_code ardvark_catalogue(ardvark_result** result, ardvark_error* error);

/* How a CSV file is written, as its header and first rows show, for those who read it with another library. delimiter, decimal: one
 * character that is known, or NULL. missing_markers: [count] further texts that mean a missing value. The result: delimiter and decimal
 * (texts); lines_before (lines before the first row; 0: there is no row); names (of all fields of a row; of those without a name
 * "Unnamed: 0", ...); blank (positions of fields without a name, which are empty in the first rows, and must be in all); row_names (a
 * flag: the first field is no column); plain_header (a flag: the names have no blanks around them, and commas between them); refused,
 * reasons (names of columns of numbers in a notation that would make texts of them, and why); notes. A file whose first rows ardvark does
 * not read is refused. */
ARDVARK_API ardvark_code ardvark_csv_form(const char* path, const char* delimiter, const char* decimal, const char* const* missing_markers,
                                          int64_t count, ardvark_result** result, ardvark_error* error);
/* The same, and messages, reasons and notes say what to do in a language: NULL: with options of the program ardvark, as above; "python". */
ARDVARK_API ardvark_code ardvark_csv_form_in(const char* path, const char* delimiter, const char* decimal,
                                             const char* const* missing_markers, int64_t count, const char* language,
                                             ardvark_result** result, ardvark_error* error);

#ifdef __cplusplus
}
#endif
#endif
