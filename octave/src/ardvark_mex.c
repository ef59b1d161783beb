/* What the functions of this package call: numbers in, numbers out, and the C interface of ardvark (ardvark/ardvark.h) between.
 *
 *     [out1, out2, ...] = ardvark_mex(command, wanted, arguments...)
 *
 * `wanted` is the caller's nargout: results beyond it are neither computed nor copied, and empty. Matrices are read where they lie.
 * Everything is C, so that no exception can cross; what a call holds is in one place (call_), and freed before an error leaves.
 * Builds with Octave's mkoctfile --mex, and is written for MATLAB's mex as well (not tried there).
 */
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ardvark/ardvark.h"
#include "mex.h"

#if defined(__GNUC__) || defined(__clang__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* ---- what a call holds -------------------------------------------------------------------------------------------------------------- */

enum { max_temporaries = 32, max_memory = 64 };

static struct {
  ardvark_options* options;
  ardvark_model* model;
  ardvark_sequential* filter;
  ardvark_result* result;
  mxArray* temporary[max_temporaries]; /* converted arguments */
  int num_temporaries;
  void* memory[max_memory]; /* of malloc */
  int num_memory;
} call_;

static struct {
  bool compat;
  double threads;   /* 0: as the environment says */
  double tolerance; /* of the presets' stop rule; 0: as published */
} settings_;

static void release(void) {
  int i;
  ardvark_result_free(call_.result);
  ardvark_model_free(call_.model);
  ardvark_sequential_free(call_.filter);
  ardvark_options_free(call_.options);
  for (i = 0; i < call_.num_temporaries; ++i) mxDestroyArray(call_.temporary[i]);
  for (i = 0; i < call_.num_memory; ++i) free(call_.memory[i]);
  memset(&call_, 0, sizeof call_);
}

/* Never returns. */
PRINTF_LIKE(2, 3) static void fail(const char* id, const char* format, ...) {
  static char message[4400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  release();
  mexErrMsgIdAndTxt(id, "%s", message);
  abort();
}
#define INVALID "ardvark:invalid_argument"

static void* keep_memory(void* memory) {
  if (memory == NULL) fail("ardvark:environment", "memory is not enough for this problem");
  if (call_.num_memory == max_memory) {
    free(memory);
    fail("ardvark:internal", "a call holds more than %d pieces of memory", max_memory);
  }
  return call_.memory[call_.num_memory++] = memory;
}
static void* allocate(size_t count, size_t size) { return keep_memory(calloc(count > 0 ? count : 1, size)); }
static const mxArray* keep_temporary(mxArray* array) {
  if (call_.num_temporaries == max_temporaries) {
    mxDestroyArray(array);
    fail("ardvark:internal", "a call holds more than %d converted arguments", max_temporaries);
  }
  return call_.temporary[call_.num_temporaries++] = array;
}

static ardvark_error error_;

static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/* The advice of the core is in the words of the program, --prior shared --a0 1; here that is 'prior', 'shared', 'a0', 1.
 * \param to  has room for twice the text */
static void in_our_words(const char* text, char* to) {
  while (*text != '\0') {
    const char *name = text + 2, *end, *value;
    if (text[0] != '-' || text[1] != '-' || !is_word(*name)) {
      *to++ = *text++;
      continue;
    }
    for (end = name; is_word(*end) || (*end == '-' && is_word(end[1]));) ++end;
    *to++ = '\'';
    for (; name < end; ++name) *to++ = *name == '-' ? '_' : *name;
    *to++ = '\'';
    text = end;
    if (*end != ' ' || !is_word(end[1])) continue;
    for (value = ++end; is_word(*end) || ((*end == '-' || *end == '.') && is_word(end[1]));) ++end;
    to += sprintf(to, *value >= '0' && *value <= '9' ? ", %.*s" : ", '%.*s'", (int)(end - value), value);
    text = end;
    if (strncmp(text, " --", 3) == 0) *to++ = ',';
  }
  *to = '\0';
}

/* The core names the arguments of the C interface; a function of this package may call them something else. */
static const char *core_name_, *our_name_;

static void check(ardvark_code code) {
  static const char* const ids[] = {"", "ardvark:internal", INVALID, "ardvark:environment"};
  static char message[2 * sizeof error_.message];
  size_t length;
  if (code == ARDVARK_OK) return;
  in_our_words(error_.message, message);
  if (strncmp(message, "V_inverse ", 10) == 0) fail(ids[code], "invV%s", message + 9);
  if (strncmp(message, "toolbox_", 8) == 0) fail(ids[code], "%s", message + 8);
  length = core_name_ == NULL ? 0 : strlen(core_name_);
  if (length > 0 && strncmp(message, core_name_, length) == 0 && message[length] == ' ')
    fail(ids[code], "%s%s", our_name_, message + length);
  fail(ids[code], "%s", message);
}
static ardvark_error* error(void) {
  error_.struct_size = sizeof error_;
  return &error_;
}

/* ---- interruption ------------------------------------------------------------------------------------------------------------------- */

/* Control-C stops a fit after the sweep in hand; the interpreter then does with it what it does anywhere. In MATLAB the function for it is
 * not documented: mex -DARDVARK_MATLAB_INTERRUPT ... -lut */
#if defined(HAVE_OCTAVE) && defined(__GNUC__)
extern volatile sig_atomic_t octave_signal_caught __attribute__((weak));
static int interrupted(void) { return &octave_signal_caught != NULL && octave_signal_caught != 0; }
#elif defined(ARDVARK_MATLAB_INTERRUPT)
extern bool utIsInterruptPending(void);
static int interrupted(void) { return utIsInterruptPending(); }
#else
static int interrupted(void) { return 0; }
#endif

static int on_progress(const ardvark_progress* progress, void* context) {
  (void)progress;
  (void)context;
  return !interrupted();
}

/* ---- arguments ---------------------------------------------------------------------------------------------------------------------- */

static bool is_plain(const mxArray* array) { return (mxIsDouble(array) || mxIsSingle(array)) && !mxIsSparse(array); }

/* A matrix of numbers, as double or single and full. */
static const mxArray* numbers(const mxArray* array, const char* name) {
  mxArray* converted = NULL;
  if (!(mxIsNumeric(array) || mxIsLogical(array))) fail(INVALID, "%s is of class %s; it must be numbers", name, mxGetClassName(array));
  if (mxIsComplex(array)) fail(INVALID, "%s is complex; it must be real", name);
  if (mxGetNumberOfDimensions(array) > 2)
    fail(INVALID, "%s has %d dimensions; it must be a matrix", name, (int)mxGetNumberOfDimensions(array));
  if (is_plain(array)) return array;
  {
    mxArray* argument = (mxArray*)array;
    if (mexCallMATLAB(1, &converted, 1, &argument, mxIsSparse(array) ? "full" : "double") != 0)
      fail("ardvark:environment", "%s could not be made a full matrix of numbers", name);
  }
  return numbers(keep_temporary(converted), name);
}

static ardvark_matrix matrix_of(const mxArray* array, const char* name) {
  ardvark_matrix out;
  array = numbers(array, name);
  out.struct_size = sizeof out;
  out.data = mxGetData(array);
  out.type = mxIsDouble(array) ? ARDVARK_FLOAT64 : ARDVARK_FLOAT32;
  out.rows = (int64_t)mxGetM(array);
  out.columns = (int64_t)mxGetN(array);
  out.row_stride = 1;
  out.column_stride = out.rows;
  return out;
}
static ardvark_matrix square_of(const mxArray* array, const char* name, int64_t size) {
  const ardvark_matrix out = matrix_of(array, name);
  if (out.rows != size || out.columns != size)
    fail(INVALID, "%s is %d x %d; it must be %d x %d, as w has %d entries", name, (int)out.rows, (int)out.columns, (int)size, (int)size,
         (int)size);
  return out;
}

/* A list of `size` numbers; size < 0: any. */
static const double* list_of(const mxArray* array, const char* name, int64_t size, const char* because) {
  array = numbers(array, name);
  if (mxGetM(array) > 1 && mxGetN(array) > 1)
    fail(INVALID, "%s is %d x %d; it must be a vector", name, (int)mxGetM(array), (int)mxGetN(array));
  if (size >= 0 && (int64_t)mxGetNumberOfElements(array) != size)
    fail(INVALID, "%s has %d entries; it must have %d, %s", name, (int)mxGetNumberOfElements(array), (int)size, because);
  if (mxIsSingle(array)) {
    mxArray *converted = NULL, *argument = (mxArray*)array;
    if (mexCallMATLAB(1, &converted, 1, &argument, "double") != 0) fail("ardvark:environment", "%s could not be made double", name);
    array = keep_temporary(converted);
  }
  return (const double*)mxGetData(array);
}

static double number_of(const mxArray* array, const char* name) {
  const double x = list_of(array, name, 1, "a single number")[0];
  if (!isfinite(x)) fail(INVALID, "%s is %g; it must be finite", name, x);
  return x;
}
static double positive_of(const mxArray* array, const char* name) {
  const double x = number_of(array, name);
  if (!(x > 0)) fail(INVALID, "%s is %g; it must be > 0", name, x);
  return x;
}

/* One entry per row of X, -1 or 1. */
static const double* signs_of(const mxArray* array, const char* name, int64_t rows) {
  const double* const y = list_of(array, name, rows, "one per row of X");
  int64_t i;
  for (i = 0; i < rows; ++i)
    if (y[i] != 1 && y[i] != -1) fail(INVALID, "%s at row %d is %g; it must be -1 or 1", name, (int)i + 1, y[i]);
  return y;
}

static char* text_of(const mxArray* array, const char* name) {
  char *text, *copy;
  if (!mxIsChar(array)) fail(INVALID, "%s is of class %s; it must be a text", name, mxGetClassName(array));
  text = mxArrayToString(array);
  if (text == NULL) fail(INVALID, "%s could not be read as a text", name);
  copy = (char*)malloc(strlen(text) + 1);
  if (copy != NULL) strcpy(copy, text);
  mxFree(text);
  return (char*)keep_memory(copy);
}

/* ---- options ------------------------------------------------------------------------------------------------------------------------ */

static void set_text(const char* name, const char* value) { check(ardvark_options_set_text(call_.options, name, value, error())); }
static void set_number(const char* name, double value) { check(ardvark_options_set_number(call_.options, name, value, error())); }

static void new_options(void) {
  ardvark_options_free(call_.options);
  call_.options = ardvark_options_create();
  if (call_.options == NULL) fail("ardvark:environment", "memory is not enough for this problem");
  ardvark_options_set_progress(call_.options, on_progress, NULL, 0.05);
  if (settings_.threads > 0) set_number("threads", settings_.threads);
}

/* ---- results ------------------------------------------------------------------------------------------------------------------------ */

static mxArray* empty(void) { return mxCreateDoubleMatrix(0, 0, mxREAL); }

/* Takes over what the array holds; rows of the library's become columns of ours. */
static mxArray* take(ardvark_array* array) {
  const int64_t rows = array->dimensions == 0 ? 1 : array->shape[0], columns = array->dimensions == 2 ? array->shape[1] : 1;
  mxArray* const out = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
  double* const to = (double*)mxGetData(out);
  int64_t i, j;
  for (j = 0; j < columns; ++j)
    for (i = 0; i < rows; ++i) to[i + j * rows] = array->data[i * columns + j];
  ardvark_free(array->data);
  return out;
}
/* Of a symmetric matrix either order is the right one. */
static mxArray* take_symmetric(ardvark_array* array) {
  mxArray* const out = mxCreateDoubleMatrix((mwSize)array->shape[0], (mwSize)array->shape[1], mxREAL);
  memcpy(mxGetData(out), array->data, (size_t)(array->shape[0] * array->shape[1]) * sizeof(double));
  ardvark_free(array->data);
  return out;
}
static ardvark_array array_named(const char* name) {
  ardvark_array array;
  memset(&array, 0, sizeof array);
  array.struct_size = sizeof array;
  check(ardvark_result_array(call_.result, name, &array, error()));
  return array;
}
static mxArray* result_named(const char* name) {
  ardvark_array array = array_named(name);
  return take(&array);
}
static double result_number(const char* name) {
  double number;
  check(ardvark_result_number(call_.result, name, &number, error()));
  return number;
}
/* Kept until the call ends. */
static const char* result_text(const char* name) {
  char *text, *copy;
  check(ardvark_result_text(call_.result, name, &text, error()));
  copy = (char*)malloc(strlen(text) + 1);
  if (copy != NULL) strcpy(copy, text);
  ardvark_free(text);
  return (const char*)keep_memory(copy);
}

/* Said once everything is freed: a warning may be made an error. */
static struct { char id[64], text[1024]; } warning_;
static void warn_later(const char* id, const char* text) {
  snprintf(warning_.id, sizeof warning_.id, "%s", id);
  snprintf(warning_.text, sizeof warning_.text, "%s", text);
}

/* Kept until the call ends. */
static const char* message_of_fit(void) {
  const char* const text = result_text("message");
  char* const out = (char*)allocate(2 * strlen(text) + 1, 1);
  in_our_words(text, out);
  return out;
}

/* Trouble that is none of the caller's. `at_most`: how running out of sweeps is called, or NULL to be silent on it. */
static void report_status(const char* at_most) {
  const char* const status = result_text("status");
  char id[64];
  if (strcmp(status, "converged") == 0) return;
  if (strcmp(status, "stopped_by_user") == 0) fail("ardvark:interrupted", "%s", message_of_fit());
  if (strcmp(status, "max_sweeps") == 0) {
    if (at_most != NULL) warn_later(at_most, message_of_fit());
    return;
  }
  snprintf(id, sizeof id, "ardvark:%s", status);
  warn_later(id, message_of_fit());
}

/* ---- VBLinLogit --------------------------------------------------------------------------------------------------------------------- */

typedef struct Arguments {
  int wanted, num_out, num_in;
  mxArray** out;
  const mxArray** in;
} Arguments;

static void need(const Arguments* a, int least, const char* names) {
  if (a->num_in < least) fail(INVALID, "an argument is missing; there must be %s", names);
}

static mxArray* inverse_of_V(const ardvark_matrix* X) {
  ardvark_array array;
  memset(&array, 0, sizeof array);
  array.struct_size = sizeof array;
  check(ardvark_model_V_inverse(call_.model, X, &array, error()));
  return take_symmetric(&array);
}
static mxArray* V(void) {
  ardvark_array array = array_named("V");
  return take_symmetric(&array);
}

/* w, V, invV, logdetV, then what else the function returns: names that end with NULL, or NULL. */
static void give_posterior(const Arguments* a, const ardvark_matrix* X, const char* const* others) {
  int i;
  for (i = 0; i < a->num_out; ++i) {
    if (i >= 4 && (others == NULL || others[i - 4] == NULL)) fail(INVALID, "there are %d outputs; %d are asked for", i, a->num_out);
    if (i >= a->wanted && i > 0)
      a->out[i] = empty();
    else if (i == 1)
      a->out[i] = V();
    else if (i == 2)
      a->out[i] = inverse_of_V(X);
    else
      a->out[i] = result_named(i == 0 ? "mean" : i == 3 ? "log_det_V" : others[i - 4]);
  }
}

/* With compat the published sweeps. Without: the published model, taken to the maximum of its bound. */
static void fit_vblinlogit(const char* preset, const ardvark_matrix* X, const double* y, bool keep_covariance) {
  set_text("preset", preset);
  if (settings_.compat)
    set_number("compat", 1);
  else
    set_number("converge", 1);
  if (settings_.tolerance > 0 && !settings_.compat) set_number("tolerance", settings_.tolerance);
  set_text("keep_covariance", keep_covariance ? "always" : "never");
  check(ardvark_fit(X, y, call_.options, &call_.model, error()));
  check(ardvark_model_result(call_.model, NULL, &call_.result, error()));
}

/* a0, b0, ... after X and y; [] is what the core takes. */
static void set_hyper(const Arguments* a, const char* const* names, int count) {
  int i;
  for (i = 0; i < count && i + 2 < a->num_in; ++i)
    if (!mxIsEmpty(a->in[i + 2])) set_number(names[i], positive_of(a->in[i + 2], names[i]));
}

/* (X, y, a0, b0, c0, d0) -> w, V, invV, logdetV, an, bn, E_a, L */
static void vb_linear(const Arguments* a, const char* preset) {
  static const char* const others[] = {"noise.shape", "noise.rate", "precision", "bound", NULL};
  static const char* const hyper[] = {"a0", "b0", "c0", "d0"};
  ardvark_matrix X;
  const double* y;
  need(a, 2, "X and y");
  X = matrix_of(a->in[0], "X");
  y = list_of(a->in[1], "y", X.rows, "one per row of X");
  new_options();
  set_hyper(a, hyper, 4);
  fit_vblinlogit(preset, &X, y, a->wanted > 1);
  report_status("Bayes:maxIter");
  give_posterior(a, &X, others);
}

/* (X, y, a0, b0) -> w, V, invV, logdetV, E_a, L */
static void vb_logit(const Arguments* a, const char* preset) {
  static const char* const others[] = {"precision", "bound", NULL};
  static const char* const hyper[] = {"a0", "b0"};
  ardvark_matrix X;
  const double* y;
  need(a, 2, "X and y");
  X = matrix_of(a->in[0], "X");
  y = signs_of(a->in[1], "y", X.rows);
  new_options();
  set_hyper(a, hyper, 2);
  core_name_ = "labels", our_name_ = "y";
  fit_vblinlogit(preset, &X, y, a->wanted > 1);
  report_status("Bayes:maxIter");
  give_posterior(a, &X, others);
}

/* (X, y) -> w, V, invV, logdetV; one class only is no mistake here */
static void vb_logit_iter(const Arguments* a) {
  ardvark_matrix X;
  const double* y;
  need(a, 2, "X and y");
  X = matrix_of(a->in[0], "X");
  y = signs_of(a->in[1], "y", X.rows);
  if (X.columns < 1) fail(INVALID, "X is %d x 0; it must have a column", (int)X.rows);
  new_options();
  check(ardvark_sequential_create(X.columns, call_.options, &call_.filter, error()));
  if (X.rows > 0) check(ardvark_sequential_update(call_.filter, &X, y, error()));
  check(ardvark_sequential_model(call_.filter, NULL, &call_.model, error()));
  check(ardvark_model_result(call_.model, NULL, &call_.result, error()));
  report_status(NULL);
  give_posterior(a, NULL, NULL);
}

/* The posterior of (X, w, V, ...) as a model, and its predictions. */
static void predict_from(const Arguments* a, const ardvark_matrix* inverse, double shape, double rate, const char* rule) {
  const int64_t p = (int64_t)mxGetNumberOfElements(a->in[1]);
  const ardvark_matrix X = matrix_of(a->in[0], "X"), V = square_of(a->in[2], "V", p);
  ardvark_moments moments;
  if (X.columns != p) fail(INVALID, "X has %d columns; it must have %d, as w has %d entries", (int)X.columns, (int)p, (int)p);
  moments.struct_size = sizeof moments;
  moments.columns = p;
  moments.mean = list_of(a->in[1], "w", p, "");
  moments.V = &V;
  moments.V_inverse = inverse;
  moments.noise_shape = shape;
  moments.noise_rate = rate;
  new_options();
  core_name_ = "mean", our_name_ = "w";
  check(ardvark_model_from_moments(&moments, call_.options, &call_.model, error()));
  core_name_ = "X_new", our_name_ = "X";
  set_text("rule", rule);
  check(ardvark_predict(call_.model, &X, NULL, call_.options, &call_.result, error()));
}

/* lambda = 1/scale^2: how the published program counts. */
static mxArray* scale_to_precision(void) {
  mxArray* const out = result_named("scale");
  double* const values = (double*)mxGetData(out);
  const size_t count = mxGetNumberOfElements(out);
  size_t i;
  for (i = 0; i < count; ++i) values[i] = 1 / (values[i] * values[i]);
  return out;
}

/* (X, w, V, an, bn) -> mu, lambda, nu */
static void vb_linear_pred(const Arguments* a) {
  need(a, 5, "X, w, V, an and bn");
  predict_from(a, NULL, positive_of(a->in[3], "an"), positive_of(a->in[4], "bn"), "automatic");
  if (a->num_out > 0) a->out[0] = result_named("mean");
  if (a->num_out > 1) a->out[1] = a->wanted > 1 ? scale_to_precision() : empty();
  if (a->num_out > 2) a->out[2] = mxCreateDoubleScalar(result_number("degrees_of_freedom"));
}

/* (X, w, V, invV) -> p(y = 1 | x) */
static void vb_logit_pred(const Arguments* a, const char* published) {
  ardvark_matrix inverse;
  ardvark_array both;
  mxArray* out;
  mwSize i, rows;
  need(a, settings_.compat ? 4 : 3, "X, w, V and invV");
  if (settings_.compat) inverse = square_of(a->in[3], "invV", (int64_t)mxGetNumberOfElements(a->in[1]));
  predict_from(a, settings_.compat ? &inverse : NULL, 0, 0, settings_.compat ? published : "exact");
  both = array_named("probability");
  rows = (mwSize)both.shape[0];
  out = mxCreateDoubleMatrix(rows, 1, mxREAL);
  for (i = 0; i < rows; ++i) ((double*)mxGetData(out))[i] = both.data[2 * i + 1];
  ardvark_free(both.data);
  a->out[0] = out;
}

/* ---- SLR toolbox -------------------------------------------------------------------------------------------------------------------- */

typedef enum Likeness { per_column, shared_by_all, kernel_machine, laplace_prior } Likeness;

/* A program of the toolbox: (x_train, t_train, x_test, t_test, [R | gamma1], 'name', value, ...) */
typedef struct Program {
  const char *name, *preset;
  Likeness likeness;
  bool several;        /* classes */
  bool history;        /* AXall is an output */
  bool has_extra;      /* a fifth argument */
  bool reads_ax0;      /* the published one: all take it, but few pass it on */
  const char* options; /* beyond those of all */
} Program;

#define OF_ALL "scale_mode mean_mode nlearn nstep"
#define OF_SLR " amax usebias norm_sep displaytext ax0"
#define OF_LAP " wmaxiter wdisp_mode"
static const Program programs[] = {
    {"biclsfy_slrvar", "slr_var", per_column, false, true, false, false, OF_SLR " invhessian"},
    {"biclsfy_slrlap", "slr_lap", per_column, false, true, false, false, OF_SLR OF_LAP},
    {"biclsfy_rlrvar", "rlr_var", shared_by_all, false, true, false, false, OF_SLR " invhessian"},
    {"biclsfy_rlrlap", "rlr_lap", shared_by_all, false, true, false, false, OF_SLR OF_LAP " gamma0"},
    {"biclsfy_rvm", "slr_rvm", kernel_machine, false, true, true, false, OF_SLR " kernel"},
    {"biclsfy_l1slrlap", "l1_slr_lap", per_column, false, true, true, false, OF_SLR OF_LAP},
    {"biclsfy_l1slrc", "l1_slr_c", laplace_prior, false, false, true, false, " usebias norm_sep displaytext"},
    {"muclsfy_smlr", "smlr", per_column, true, true, false, false, OF_SLR OF_LAP " gamma0 isplot"},
    {"muclsfy_rmlr", "rmlr", shared_by_all, true, true, false, false, OF_SLR OF_LAP " gamma0 prenlearn"},
    {"muclsfy_slrlapovrm", "slr_lap_ovr", per_column, true, true, false, false, OF_SLR OF_LAP " reduceparm"},
    {"muclsfy_slrvarovrm", "slr_var_ovr", per_column, true, true, false, false, OF_SLR " invhessian reduceparm"},
    {"muclsfy_rlrvarovrm", "rlr_var_ovr", shared_by_all, true, true, false, true, OF_SLR " invhessian reduceparm"},
    {"muclsfy_slrvarovo", "slr_var_ovo", per_column, true, true, false, true, OF_SLR " invhessian combine_mode"},
};

/* How large a problem is, as the toolbox counts. */
typedef struct Size {
  int64_t rows, columns;
  int num_classes, machines; /* columns of ww */
  bool bias;
} Size;

/* Weights of a machine. */
static int64_t width_of(const Program* program, const Size* size) {
  return (program->likeness == kernel_machine ? size->rows : size->columns) + (size->bias ? 1 : 0);
}

/* The classes of the training labels, ascending, and each label as its position. */
typedef struct Labels {
  double* classes;
  int num_classes;
  double* train; /* positions from 0 */
  double* test;
  int64_t num_train, num_test;
} Labels;

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static double position_of(const Labels* labels, double value, const char* name, int64_t row) {
  int low = 0, high = labels->num_classes - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (labels->classes[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  if (labels->classes[low] != value) fail(INVALID, "%s at row %d is %g, a class that t_train has not", name, (int)row + 1, value);
  return low;
}

static Labels labels_of(const mxArray* t_train, const mxArray* t_test, int64_t num_train, int64_t num_test, bool several) {
  Labels out;
  const double* const train = list_of(t_train, "t_train", num_train, "one per row of x_train");
  const double* const test = list_of(t_test, "t_test", num_test, "one per row of x_test");
  int64_t i;
  out.classes = (double*)allocate((size_t)num_train, sizeof(double));
  out.train = (double*)allocate((size_t)num_train, sizeof(double));
  out.test = (double*)allocate((size_t)num_test, sizeof(double));
  out.num_train = num_train;
  out.num_test = num_test;
  out.num_classes = 0;
  for (i = 0; i < num_train; ++i)
    if (!isfinite(train[i])) fail(INVALID, "t_train at row %d is %g; it must be finite", (int)i + 1, train[i]);
  memcpy(out.classes, train, (size_t)num_train * sizeof(double));
  qsort(out.classes, (size_t)num_train, sizeof(double), by_value);
  for (i = 0; i < num_train; ++i)
    if (i == 0 || out.classes[i] != out.classes[i - 1]) {
      const double value = out.classes[i];
      out.classes[out.num_classes++] = value;
    }
  if (several ? out.num_classes < 2 : out.num_classes != 2)
    fail(INVALID, "t_train has %d classes; there must be %s", out.num_classes, several ? "two or more" : "two");
  for (i = 0; i < num_train; ++i) out.train[i] = position_of(&out, train[i], "t_train", i);
  for (i = 0; i < num_test; ++i) out.test[i] = position_of(&out, test[i], "t_test", i);
  return out;
}

/* ---- its options: a struct of what it takes if nothing is said, completed by the caller's names and values */

static mxArray* default_of(const Program* program, const char* name) {
  static const struct {
    const char* name;
    double value;
  } numbers[] = {{"nstep", 100},     {"usebias", 1}, {"norm_sep", 0}, {"displaytext", 1}, {"invhessian", 0},  {"wmaxiter", 50},
                 {"prenlearn", 150}, {"gamma0", 0},  {"isplot", 0},   {"reduceparm", 0},  {"combine_mode", 0}};
  size_t i;
  if (strcmp(name, "nlearn") == 0 || strcmp(name, "amax") == 0) { /* those of the core */
    char field[64];
    double value;
    snprintf(field, sizeof field, "defaults.%s.%s", program->preset, strcmp(name, "amax") == 0 ? "prune_at" : "max_sweeps");
    value = strtod(result_text(field), NULL);
    return mxCreateDoubleScalar(value);
  }
  if (strcmp(name, "ax0") == 0) /* one for all where there is one precision; but of biclsfy_rlrvar it is left empty */
    return program->likeness == shared_by_all && strcmp(program->name, "biclsfy_rlrvar") != 0 ? mxCreateDoubleScalar(1) : empty();
  if (strcmp(name, "kernel") == 0) return mxCreateString("linear");
  if (strcmp(name, "wdisp_mode") == 0) return mxCreateString("iter");
  for (i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    if (strcmp(name, numbers[i].name) == 0) return mxCreateDoubleScalar(numbers[i].value);
  return mxCreateString(strcmp(program->name, "biclsfy_rlrlap") == 0 ? "all" : "each"); /* scale_mode, mean_mode */
}

static mxArray* default_options(const Program* program) {
  mxArray* const parm = mxCreateStructMatrix(1, 1, 0, NULL);
  char names[256];
  char* name;
  (void)keep_temporary(parm);
  check(ardvark_catalogue(&call_.result, error()));
  snprintf(names, sizeof names, "%s%s", OF_ALL, program->options);
  for (name = strtok(names, " "); name != NULL; name = strtok(NULL, " "))
    mxSetFieldByNumber(parm, 0, mxAddField(parm, name), default_of(program, name));
  ardvark_result_free(call_.result);
  call_.result = NULL;
  return parm;
}

static mxArray* merged_options(const Program* program, const mxArray* given) {
  mxArray* const parm = default_options(program);
  const mwSize count = mxGetNumberOfElements(given);
  mwSize i;
  if (!mxIsCell(given) || count % 2 != 0) fail(INVALID, "the options must be pairs: 'name', value, ...");
  for (i = 0; i < count; i += 2) {
    const char* const name = text_of(mxGetCell(given, i), "the name of an option");
    const int field = mxGetFieldNumber(parm, name);
    mxArray* old;
    if (field < 0) {
      char known[1024] = "";
      int k;
      for (k = 0; k < mxGetNumberOfFields(parm); ++k) {
        strncat(known, k > 0 ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, mxGetFieldNameByNumber(parm, k), sizeof known - strlen(known) - 1);
      }
      fail(INVALID, "there is no option '%s'; the options are %s", name, known);
    }
    old = mxGetFieldByNumber(parm, 0, field);
    mxSetFieldByNumber(parm, 0, field, mxDuplicateArray(mxGetCell(given, i + 1)));
    if (old != NULL) mxDestroyArray(old);
  }
  return parm;
}

static double parm_number(const mxArray* parm, const char* name, double otherwise) {
  const mxArray* const value = mxGetField(parm, 0, name);
  return value == NULL || mxIsEmpty(value) ? otherwise : number_of(value, name);
}
static bool parm_flag(const mxArray* parm, const char* name, bool otherwise) {
  const double x = parm_number(parm, name, otherwise);
  if (x != 0 && x != 1) fail(INVALID, "%s is %g; it must be 0 or 1", name, x);
  return x == 1;
}
static int64_t parm_count(const mxArray* parm, const char* name) {
  const double x = parm_number(parm, name, 1);
  if (!(x >= 1 && x <= 1e9) || x != floor(x)) fail(INVALID, "%s is %g; it must be a whole number from 1", name, x);
  return (int64_t)x;
}
static const char* parm_text(const mxArray* parm, const char* name) { return text_of(mxGetField(parm, 0, name), name); }
static void set_parm(mxArray* parm, const char* name, mxArray* value) {
  int field = mxGetFieldNumber(parm, name);
  mxArray* old;
  if (field < 0) field = mxAddField(parm, name);
  old = mxGetFieldByNumber(parm, 0, field);
  if (old != NULL) mxDestroyArray(old);
  mxSetFieldByNumber(parm, 0, field, value);
}

/* ---- its data: columns brought to one size */

static ardvark_matrix normalized(const ardvark_matrix* X, const ardvark_matrix* like, const mxArray* parm, const char* name) {
  ardvark_matrix out = *X;
  double* const data = (double*)allocate((size_t)(X->rows * X->columns), sizeof(double));
  const char *const center = parm_text(parm, "mean_mode"), *const scale = parm_text(parm, "scale_mode");
  core_name_ = "X", our_name_ = name;
  if (strcmp(center, "each") != 0 && strcmp(center, "all") != 0 && strcmp(center, "none") != 0)
    fail(INVALID, "mean_mode is '%s'; it must be one of each, all, none", center);
  if (strcmp(scale, "each") != 0 && strcmp(scale, "all") != 0 && strcmp(scale, "stdeach") != 0 && strcmp(scale, "stdall") != 0 &&
      strcmp(scale, "none") != 0)
    fail(INVALID, "scale_mode is '%s'; it must be one of each, all, stdeach, stdall, none", scale);
  check(ardvark_normalize(X, like, center, scale, data, error()));
  out.data = data;
  out.type = ARDVARK_FLOAT64;
  out.row_stride = 1;
  out.column_stride = X->rows;
  return out;
}

/* ---- its outputs */

/* Rows: the class that is true; columns: the one that is most probable, of two that are equal the second, as published. */
static mxArray* error_table(const mxArray* probability, const double* labels, int64_t rows, int num_classes) {
  mxArray* const out = mxCreateDoubleMatrix((mwSize)num_classes, (mwSize)num_classes, mxREAL);
  double* const count = (double*)mxGetData(out);
  const double* const p = (const double*)mxGetData(probability);
  int64_t i;
  for (i = 0; i < rows; ++i) {
    int c, best = 0;
    for (c = 1; c < num_classes; ++c)
      if (p[i + c * rows] > p[i + best * rows] || (num_classes == 2 && p[i + c * rows] == p[i])) best = c;
    count[(int)labels[i] + best * num_classes] += 1;
  }
  return out;
}

static mxArray* probabilities(const ardvark_matrix* X, const char* name) {
  mxArray* out;
  ardvark_result* const fit = call_.result;
  ardvark_code code;
  core_name_ = "X_new", our_name_ = name;
  call_.result = NULL;
  code = ardvark_predict(call_.model, X, NULL, call_.options, &call_.result, error());
  if (code != ARDVARK_OK) {
    call_.result = fit;
    check(code);
  }
  {
    ardvark_array array;
    memset(&array, 0, sizeof array);
    array.struct_size = sizeof array;
    code = ardvark_result_array(call_.result, "probability", &array, error());
    ardvark_result_free(call_.result);
    call_.result = fit;
    check(code);
    out = take(&array);
  }
  return out;
}

/* ww: columns by weights, the bias last, as the columns were brought to one size. */
static mxArray* weights_of(const Program* program, const Size* size) {
  ardvark_array array = array_named("standardized_mean");
  mxArray* out;
  if (program->likeness == kernel_machine) { /* one per training row; as published those too that leave after the last sweep */
    ardvark_array all = array_named("candidate_mean");
    ardvark_array vectors;
    int64_t i;
    if (settings_.compat) {
      ardvark_free(array.data);
      return take(&all);
    }
    ardvark_free(all.data);
    vectors = array_named("relevance_rows");
    out = mxCreateDoubleMatrix((mwSize)width_of(program, size), 1, mxREAL);
    for (i = 0; i < vectors.shape[0]; ++i) ((double*)mxGetData(out))[(int64_t)vectors.data[i]] = array.data[i];
    if (size->bias) ((double*)mxGetData(out))[size->rows] = array.data[array.shape[0] - 1];
    ardvark_free(vectors.data);
    ardvark_free(array.data);
    return out;
  }
  if (!program->several) return take(&array);
  out = mxCreateDoubleMatrix((mwSize)array.shape[1], (mwSize)array.shape[0], mxREAL); /* weight after weight, as the core has them */
  memcpy(mxGetData(out), array.data, (size_t)(array.shape[0] * array.shape[1]) * sizeof(double));
  ardvark_free(array.data);
  return out;
}

/* Which columns are left, from 1: those with a weight and a precision that has not run away; of programs that lose none every one. */
static mxArray* survivors(const Program* program, const double* w, const double* precision, int64_t num_columns, double amax) {
  const bool every = program->likeness == shared_by_all;
  mxArray* out;
  int64_t j, count = 0;
  bool* const left = (bool*)mxCalloc((size_t)num_columns + 1, sizeof(bool));
  for (j = 0; j < num_columns; ++j) count += left[j] = every || (w[j] != 0 && (precision == NULL || precision[j] < amax));
  if (every && strcmp(program->name, "muclsfy_rmlr") != 0)
    out = mxCreateDoubleMatrix(1, (mwSize)count, mxREAL); /* a row, as published */
  else
    out = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
  for (j = 0, count = 0; j < num_columns; ++j)
    if (left[j]) ((double*)mxGetData(out))[count++] = (double)(j + 1);
  mxFree(left);
  return out;
}

static mxArray* all_survivors(const Program* program, const mxArray* ww, const Size* size, double amax) {
  const int64_t q = (int64_t)mxGetM(ww), columns = q - (size->bias ? 1 : 0);
  const mwSize machines = mxGetN(ww);
  const double* const w = (const double*)mxGetData(ww);
  ardvark_array precision; /* machine after machine */
  mxArray* out;
  mwSize c;
  if (program->likeness == kernel_machine) { /* a list, as published, where the bias is in it as long as it is left */
    ardvark_array vectors = array_named("relevance_rows"), left = array_named("standardized_mean");
    const int64_t count = vectors.shape[0];
    const bool with_bias = settings_.compat && size->bias && left.data[left.shape[0] - 1] != 0;
    int64_t i;
    ardvark_free(left.data);
    out = mxCreateDoubleMatrix((mwSize)(count + (with_bias ? 1 : 0)), 1, mxREAL);
    for (i = 0; i < count; ++i) ((double*)mxGetData(out))[i] = vectors.data[i] + 1;
    if (with_bias) ((double*)mxGetData(out))[count] = (double)(size->rows + 1);
    ardvark_free(vectors.data);
    return out;
  }
  precision = array_named("precision");
  {
    const int64_t rows = precision.dimensions == 2 ? precision.shape[1] : precision.shape[0];
    const bool each = program->likeness == per_column && rows >= columns;
    out = strstr(program->preset, "_ov") != NULL ? mxCreateCellMatrix(machines, 1) : mxCreateCellMatrix(1, machines);
    for (c = 0; c < machines; ++c)
      mxSetCell(out, c, survivors(program, w + (int64_t)c * q, each ? precision.data + (int64_t)c * rows : NULL, columns, amax));
  }
  ardvark_free(precision.data);
  return out;
}

/* The precisions after every nstep passes, those of a bias among them: 0 where it has none. */
static mxArray* history_of(const Program* program, const mxArray* ww, bool bias) {
  const int64_t q = (int64_t)mxGetM(ww), machines = (int64_t)mxGetN(ww);
  ardvark_array array = array_named("precision_history");
  mxArray* out;
  if (array.shape[0] == q * machines || !bias || program->likeness == shared_by_all || array.shape[0] % machines != 0) return take(&array);
  {
    const int64_t rows = array.shape[0] / machines;
    int64_t c, i, k;
    out = mxCreateDoubleMatrix((mwSize)((rows + 1) * machines), (mwSize)array.shape[1], mxREAL);
    for (c = 0; c < machines; ++c)
      for (i = 0; i < rows; ++i)
        for (k = 0; k < array.shape[1]; ++k)
          ((double*)mxGetData(out))[c * (rows + 1) + i + k * (rows + 1) * machines] = array.data[(c * rows + i) * array.shape[1] + k];
  }
  ardvark_free(array.data);
  return out;
}

static mxArray* class_pairs(int num_classes) {
  mxArray* const out = mxCreateDoubleMatrix((mwSize)(num_classes * (num_classes - 1) / 2), 2, mxREAL);
  double* const pair = (double*)mxGetData(out);
  const int count = num_classes * (num_classes - 1) / 2;
  int low, high, at = 0;
  for (low = 1; low <= num_classes; ++low)
    for (high = low + 1; high <= num_classes; ++high, ++at) {
      pair[at] = low;
      pair[at + count] = high;
    }
  return out;
}

static bool is_rvm_gauss(const Program* program, const mxArray* parm) {
  const char* kernel;
  if (program->likeness != kernel_machine) return false;
  kernel = parm_text(parm, "kernel");
  if (strcmp(kernel, "Gaussian") == 0 || strcmp(kernel, "gaussian") == 0) return true;
  if (strcmp(kernel, "linear") == 0 || strcmp(kernel, "Linear") == 0) return false;
  fail(INVALID, "kernel is '%s'; it must be 'linear' or 'Gaussian'", kernel);
  return false;
}

/* The precisions to begin with. The published programs take them all, and but for two do not use them. */
static void set_start(const Program* program, const mxArray* parm, const Size* size) {
  const mxArray* const given = mxGetField(parm, 0, "ax0");
  const int64_t all = program->likeness == shared_by_all ? 1 : width_of(program, size) * size->machines;
  const double* ax0;
  int64_t i;
  if (given == NULL || mxIsEmpty(given)) return;
  ax0 = list_of(given, "ax0", all,
                program->likeness == shared_by_all ? "as all weights share a precision"
                : size->bias                       ? "one per weight in the order of ww, the bias of each column last"
                                                   : "one per weight in the order of ww");
  for (i = 0; i < all; ++i)
    if (!(ax0[i] > 0 && isfinite(ax0[i]))) fail(INVALID, "ax0(%d) is %g; it must be positive and finite", (int)i + 1, ax0[i]);
  if (program->preset[0] == 'l' || (settings_.compat && !program->reads_ax0)) return; /* the mode is one wherever it is sought from */
  check(ardvark_options_set_numbers(call_.options, "start_precision", ax0, all, error()));
}

/* What the toolbox lets its user choose, in the words of the core. */
static void set_program(const Program* program, const mxArray* parm, const mxArray* extra, const Size* size) {
  const double gamma0 = parm_number(parm, "gamma0", 0);
  new_options();
  set_text("preset", program->preset);
  set_number("compat", settings_.compat);
  set_number("standardize", 0);
  if (!size->bias) set_number("intercept", 0);
  set_number("max_sweeps", (double)parm_count(parm, "nlearn"));
  if (program->history) {
    set_number("record_every", (double)parm_count(parm, "nstep"));
    if (program->likeness != shared_by_all && (strcmp(program->preset, "l1_slr_lap") != 0 || settings_.compat)) {
      const double amax = parm_number(parm, "amax", 1);
      if (!(amax > 0)) fail(INVALID, "amax is %g; it must be > 0", amax);
      set_number("prune_at", amax);
    }
  }
  if (gamma0 != 0 && (strcmp(program->preset, "smlr") == 0 || !settings_.compat)) set_number("toolbox_gamma0", gamma0);
  if (parm_flag(parm, "reduceparm", false))
    fail(INVALID,
         "reduceparm is 1; it must be 0: each class has a machine against all others, and the last one's score cannot be 0 beside those; "
         "muclsfy_smlr is one model of all classes");
  if (parm_flag(parm, "combine_mode", false)) set_text("rule", "average");
  set_start(program, parm, size);
  if (program->likeness == kernel_machine) {
    if (is_rvm_gauss(program, parm)) {
      set_text("kernel", "gaussian");
      set_number("toolbox_R", positive_of(extra, "R"));
    } else if (settings_.compat) {
      set_text("kernel", "linear");
    }
  } else if (program->has_extra) {
    set_number("toolbox_gamma1", positive_of(extra, "gamma1"));
  }
}

/* The options as they were taken, and the sizes. */
static mxArray* parm_output(const Program* program, const mxArray* parm, const mxArray* extra, const Size* size, double num_test) {
  mxArray* const out = mxDuplicateArray(parm);
  const mxArray* const ax0 = mxGetField(parm, 0, "ax0");
  const int64_t width = width_of(program, size), all = width * size->machines;
  if (ax0 != NULL && mxIsEmpty(ax0) && program->likeness != shared_by_all) {
    mxArray* const ones = mxCreateDoubleMatrix((mwSize)all, 1, mxREAL);
    int64_t i;
    for (i = 0; i < all; ++i) ((double*)mxGetData(ones))[i] = 1;
    set_parm(out, "ax0", ones);
  }
  set_parm(out, "nclass", mxCreateDoubleScalar(size->num_classes));
  set_parm(out, "nparm", mxCreateDoubleScalar((double)all));
  set_parm(out, "nsamp_tr", mxCreateDoubleScalar((double)size->rows));
  set_parm(out, "nsamp_te", mxCreateDoubleScalar(num_test));
  set_parm(out, "nfeat", mxCreateDoubleScalar((double)(program->likeness == kernel_machine ? size->columns : width)));
  if (program->likeness == kernel_machine) set_parm(out, "R", mxDuplicateArray(extra));
  return out;
}

/* (x_train, t_train, x_test, t_test, options[, R | gamma1]) -> ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte[, pairs] */
static void classify(const Arguments* a, const Program* program) {
  const mxArray* const extra = program->has_extra && a->num_in > 5 ? a->in[5] : NULL;
  ardvark_matrix X, X_test, Z, Z_test;
  Labels labels;
  Size size;
  mxArray *parm, *ww, *Ptr, *Pte;
  int at = 4;
  need(a, program->has_extra ? 6 : 5, "x_train, t_train, x_test and t_test");
  X = matrix_of(a->in[0], "x_train");
  X_test = matrix_of(a->in[2], "x_test");
  if (X.rows < 1 || X.columns < 1) fail(INVALID, "x_train is empty (%d x %d)", (int)X.rows, (int)X.columns);
  if (X_test.rows == 0) X_test.columns = X.columns;
  if (X_test.columns != X.columns) fail(INVALID, "x_test has %d columns; x_train has %d", (int)X_test.columns, (int)X.columns);
  labels = labels_of(a->in[1], a->in[3], X.rows, X_test.rows, program->several);
  parm = merged_options(program, a->in[4]);
  size.rows = X.rows;
  size.columns = X.columns;
  size.num_classes = labels.num_classes;
  size.bias = parm_flag(parm, "usebias", true);
  size.machines = !program->several                             ? 1
                  : strcmp(program->preset, "slr_var_ovo") == 0 ? labels.num_classes * (labels.num_classes - 1) / 2
                                                                : labels.num_classes;
  Z = normalized(&X, NULL, parm, "x_train");
  Z_test = X_test;
  if (X_test.rows > 0) Z_test = normalized(&X_test, parm_flag(parm, "norm_sep", false) ? NULL : &X, parm, "x_test");
  set_program(program, parm, extra, &size);
  core_name_ = "labels", our_name_ = "t_train";
  check(ardvark_fit(&Z, labels.train, call_.options, &call_.model, error()));
  check(ardvark_model_result(call_.model, NULL, &call_.result, error()));
  report_status(settings_.compat ? NULL : "ardvark:max_sweeps");

  ww = weights_of(program, &size);
  Ptr = program->likeness == kernel_machine && settings_.compat ? result_named("candidate_probability") : probabilities(&Z, "x_train");
  Pte = X_test.rows > 0 ? probabilities(&Z_test, "x_test") : mxCreateDoubleMatrix(0, (mwSize)labels.num_classes, mxREAL);
  a->out[0] = ww;
  if (a->num_out > 1) a->out[1] = all_survivors(program, ww, &size, parm_number(parm, "amax", 1));
  if (a->num_out > 2) a->out[2] = error_table(Ptr, labels.train, labels.num_train, labels.num_classes);
  if (a->num_out > 3) a->out[3] = error_table(Pte, labels.test, labels.num_test, labels.num_classes);
  if (a->num_out > 4) a->out[4] = parm_output(program, parm, extra, &size, (double)X_test.rows);
  at = 5;
  if (program->history && a->num_out > at) a->out[at] = a->wanted > at ? history_of(program, ww, size.bias) : empty();
  if (program->history) ++at;
  if (a->num_out > at)
    a->out[at] = Ptr;
  else
    mxDestroyArray(Ptr);
  ++at;
  if (a->num_out > at)
    a->out[at] = Pte;
  else
    mxDestroyArray(Pte);
  ++at;
  if (a->num_out > at) a->out[at] = class_pairs(labels.num_classes);
}

/* (CVRes, COND, noweight, thres) -> SC, percent correct: how often each column is kept, each time weighted by the share that it got right
 */
static void selection_value(const Arguments* a) {
  const mxArray* const results = a->num_in > 0 ? a->in[0] : NULL;
  const bool noweight = a->num_in > 2 && !mxIsEmpty(a->in[2]) && number_of(a->in[2], "noweight") != 0;
  const double least = a->num_in > 3 && !mxIsEmpty(a->in[3]) ? number_of(a->in[3], "thres") : -1;
  mwSize n, k;
  double *sc, *correct;
  bool* seen;
  int64_t columns = -1;
  if (results == NULL || !mxIsStruct(results) || mxIsEmpty(results))
    fail(INVALID, "CVRes must be a struct array with one element for each fold, with ix_eff_all, g and errTable_te");
  n = mxGetNumberOfElements(results);
  for (k = 0; k < n; ++k) {
    const mxArray* const g = mxGetField(results, k, "g");
    const mxArray* const nfeat = g != NULL && mxIsStruct(g) ? mxGetField(g, 0, "nfeat") : NULL;
    const mxArray* const usebias = g != NULL && mxIsStruct(g) ? mxGetField(g, 0, "usebias") : NULL;
    double count;
    int64_t here;
    if (nfeat == NULL) fail(INVALID, "CVRes(%d).g has no field nfeat; it is the output parm of a fit", (int)k + 1);
    count = number_of(nfeat, "CVRes.g.nfeat");
    if (!(count >= 1 && count <= 1e9) || count != floor(count))
      fail(INVALID, "CVRes(%d).g.nfeat is %g; it must be a whole number from 1", (int)k + 1, count);
    here = (int64_t)count - (usebias == NULL || number_of(usebias, "CVRes.g.usebias") != 0 ? 1 : 0);
    if (columns >= 0 && here != columns) fail(INVALID, "CVRes(%d) has %d columns, those before it %d", (int)k + 1, (int)here, (int)columns);
    columns = here;
  }
  if (columns < 1) fail(INVALID, "CVRes.g.nfeat leaves no column");
  seen = (bool*)allocate((size_t)columns, sizeof(bool));
  a->out[0] = mxCreateDoubleMatrix(1, (mwSize)columns, mxREAL);
  sc = (double*)mxGetData(a->out[0]);
  {
    mxArray* const percent = mxCreateDoubleMatrix(n, 1, mxREAL);
    correct = (double*)mxGetData(percent);
    if (a->num_out > 1)
      a->out[1] = percent;
    else
      (void)keep_temporary(percent);
  }
  for (k = 0; k < n; ++k) {
    const mxArray* const table = mxGetField(results, k, "errTable_te");
    const mxArray* kept = mxGetField(results, k, "ix_eff_all");
    mwSize c, cells = 1;
    double weight;
    if (table != NULL) {
      const ardvark_matrix counts = square_of(table, "CVRes.errTable_te", (int64_t)mxGetM(table));
      const double* const count = (const double*)counts.data;
      double right = 0, all = 0;
      int64_t i, j;
      if (counts.type != ARDVARK_FLOAT64) fail(INVALID, "CVRes.errTable_te is single; it must be double");
      for (j = 0; j < counts.columns; ++j)
        for (i = 0; i < counts.rows; ++i) {
          all += count[i + j * counts.rows];
          if (i == j) right += count[i + j * counts.rows];
        }
      correct[k] = 100 * right / all;
    } else if (mxGetField(results, k, "Ncorrect_te") != NULL) {
      correct[k] = number_of(mxGetField(results, k, "Ncorrect_te"), "CVRes.Ncorrect_te");
    } else {
      fail(INVALID, "CVRes(%d) has neither errTable_te nor Ncorrect_te", (int)k + 1);
    }
    weight = least >= 0 || noweight ? 1 : correct[k] / 100;
    if (correct[k] / 100 < least) continue;
    if (kept == NULL) fail(INVALID, "CVRes(%d) has no field ix_eff_all", (int)k + 1);
    memset(seen, 0, (size_t)columns * sizeof(bool));
    if (mxIsCell(kept))
      cells = settings_.compat ? 1 : mxGetNumberOfElements(kept); /* the published program looks at the first class only */
    for (c = 0; c < cells; ++c) {
      const mxArray* const list = mxIsCell(kept) ? mxGetCell(kept, c) : kept;
      const double* const index = list == NULL || mxIsEmpty(list) ? NULL : list_of(list, "CVRes.ix_eff_all", -1, "");
      const mwSize count = index == NULL ? 0 : mxGetNumberOfElements(list);
      mwSize i;
      for (i = 0; i < count; ++i) {
        if (!(index[i] >= 1 && index[i] <= (double)columns) || index[i] != floor(index[i]))
          fail(INVALID, "CVRes(%d).ix_eff_all holds %g; it must be a column from 1 to %d", (int)k + 1, index[i], (int)columns);
        seen[(int64_t)index[i] - 1] = true;
      }
    }
    {
      int64_t j;
      for (j = 0; j < columns; ++j)
        if (seen[j]) sc[j] += weight;
    }
  }
}

/* ---- every model: ardvark_fit, ardvark_predict, ardvark_summary, ardvark_select ------------------------------------------------------ */

/* Positions that count from 1 here, and from 0 in the core. */
static bool counts_from_one(const char* name) {
  static const char* const names[] = {"group", "flat", "input_group", "relevance_rows", "vectors", "most_probable", "columns"};
  size_t i;
  const char* const dot = strrchr(name, '.');
  if (dot != NULL) name = dot + 1;
  for (i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static int64_t num_columns_; /* of the X of this call; 0: it has none */

/* Said here, in the numbers of the caller. */
static void need_position(const char* name, mwSize i, double value) {
  if (!(value >= 1) || value != floor(value)) fail(INVALID, "%s(%d) is %g; it must be a whole number from 1", name, (int)i + 1, value);
  if (num_columns_ > 0 && (strcmp(name, "flat") == 0 || strcmp(name, "group") == 0) && value > (double)num_columns_)
    fail(INVALID, "%s(%d) is %g; X has %lld columns", name, (int)i + 1, value, (long long)num_columns_);
}

static void set_option(const char* name, const mxArray* value) {
  const mwSize count = mxGetNumberOfElements(value);
  mwSize i;
  if (mxIsChar(value)) {
    set_text(name, text_of(value, name));
  } else if (mxIsCell(value)) {
    const char** const texts = (const char**)allocate(count, sizeof(char*));
    char* all; /* one piece of memory for all of them */
    size_t size = 0;
    for (i = 0; i < count; ++i) {
      if (!mxIsChar(mxGetCell(value, i)))
        fail(INVALID, "%s{%d} is of class %s; it must be a text", name, (int)i + 1, mxGetClassName(mxGetCell(value, i)));
      size += 4 * mxGetNumberOfElements(mxGetCell(value, i)) + 1;
    }
    all = (char*)allocate(size, 1);
    for (i = 0; i < count; ++i) {
      char* const text = mxArrayToString(mxGetCell(value, i));
      strcpy(all, text);
      mxFree(text);
      texts[i] = all;
      all += strlen(all) + 1;
    }
    check(ardvark_options_set_texts(call_.options, name, texts, (int64_t)count, error()));
  } else if (count == 1 && !counts_from_one(name)) {
    set_number(name, list_of(value, name, 1, "")[0]);
  } else {
    const double* const values = list_of(value, name, -1, "");
    double* const copy = (double*)allocate(count, sizeof(double));
    for (i = 0; i < count; ++i) {
      if (counts_from_one(name)) need_position(name, i, values[i]);
      copy[i] = values[i] - (counts_from_one(name) ? 1 : 0);
    }
    check(ardvark_options_set_numbers(call_.options, name, copy, (int64_t)count, error()));
  }
}

/* 'name', value, ... ; those of the interface itself are left to the caller. */
static const mxArray* set_options(const mxArray* pairs, const char* own) {
  const mxArray* found = NULL;
  const mwSize count = mxGetNumberOfElements(pairs);
  mwSize i;
  if (!mxIsCell(pairs) || count % 2 != 0) fail(INVALID, "the options must be pairs: 'name', value, ...");
  for (i = 0; i < count; i += 2) {
    const char* const name = text_of(mxGetCell(pairs, i), "the name of an option");
    if (own != NULL && strcmp(name, own) == 0)
      found = mxGetCell(pairs, i + 1);
    else
      set_option(name, mxGetCell(pairs, i + 1));
  }
  return found;
}

/* The results as a struct: their names and texts from the JSON object of them all, their numbers by name, which JSON would round infinities
 * of to null. */
static const char* at_; /* where in the text */

static void skip_space(void) {
  while (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r') ++at_;
}

static char* json_text(void) { /* to be freed by mxFree */
  const char* end = at_ + 1;
  char *text, *to;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  text = to = (char*)mxMalloc((size_t)(end - at_));
  for (++at_; at_ < end; ++at_) {
    if (*at_ != '\\') {
      *to++ = *at_;
      continue;
    }
    ++at_;
    if (*at_ == 'u') { /* a control character: the others come as UTF-8 */
      char code[5] = {0};
      memcpy(code, at_ + 1, 4);
      *to++ = (char)strtol(code, NULL, 16);
      at_ += 4;
    } else {
      *to++ = *at_ == 'n' ? '\n' : *at_ == 't' ? '\t' : *at_ == 'r' ? '\r' : *at_;
    }
  }
  *to = '\0';
  ++at_;
  return text;
}

/* What the core says, and not a name of the caller's. */
static bool is_advice(const char* path) {
  return strcmp(path, "message") == 0 || strncmp(path, "warnings.", 9) == 0 || strncmp(path, "notes.", 6) == 0;
}
static mxArray* advice(const char* text) {
  char* const words = (char*)mxMalloc(2 * strlen(text) + 1);
  mxArray* out;
  in_our_words(text, words);
  out = mxCreateString(words);
  mxFree(words);
  return out;
}

static mxArray* json_value(const char* path);

static mxArray* json_object(const char* path) {
  mxArray* const out = mxCreateStructMatrix(1, 1, 0, NULL);
  for (++at_, skip_space(); *at_ != '}'; skip_space()) {
    char below[256], *name;
    mxArray* value;
    if (*at_ == ',') ++at_, skip_space();
    name = json_text();
    skip_space();
    ++at_; /* : */
    snprintf(below, sizeof below, "%s%s%s", path, path[0] == '\0' ? "" : ".", name);
    value = json_value(below);
    mxSetFieldByNumber(out, 0, mxAddField(out, name), value);
    mxFree(name);
  }
  ++at_;
  return out;
}

static mxArray* json_list(const char* path) {
  mwSize count = 0, room = 16, i;
  bool numbers_only = true;
  mxArray *out, **items = (mxArray**)mxMalloc(room * sizeof(mxArray*));
  for (++at_, skip_space(); *at_ != ']'; skip_space()) {
    char below[256];
    if (*at_ == ',') ++at_, skip_space();
    if (count == room) items = (mxArray**)mxRealloc(items, (room *= 2) * sizeof(mxArray*));
    snprintf(below, sizeof below, "%s.%d", path, (int)count);
    items[count] = json_value(below);
    numbers_only = numbers_only && mxIsDouble(items[count]) && mxGetNumberOfElements(items[count]) == 1;
    ++count;
  }
  ++at_;
  out = numbers_only ? mxCreateDoubleMatrix(count, count > 0 ? 1 : 0, mxREAL) : mxCreateCellMatrix(count, 1);
  for (i = 0; i < count; ++i) {
    if (!numbers_only) {
      mxSetCell(out, i, items[i]);
      continue;
    }
    ((double*)mxGetData(out))[i] = mxGetScalar(items[i]);
    mxDestroyArray(items[i]);
  }
  mxFree(items);
  return out;
}

static mxArray* json_plain(const char* path) {
  mxArray* out;
  char *text, *end;
  skip_space();
  if (*at_ == '{') return json_object(path);
  if (*at_ == '[') return json_list(path);
  if (*at_ == '"') {
    text = json_text();
    out = is_advice(path) ? advice(text) : mxCreateString(text);
    mxFree(text);
    return out;
  }
  if (strncmp(at_, "true", 4) == 0 || strncmp(at_, "false", 5) == 0) {
    out = mxCreateLogicalScalar(*at_ == 't');
    at_ += *at_ == 't' ? 4 : 5;
    return out;
  }
  if (strncmp(at_, "null", 4) == 0) {
    at_ += 4;
    return mxCreateDoubleScalar(mxGetNaN());
  }
  out = mxCreateDoubleScalar(strtod(at_, &end));
  at_ = end;
  return out;
}

static void skip_value(void) {
  int depth = 0;
  do {
    if (*at_ == '[' || *at_ == '{') ++depth;
    if (*at_ == ']' || *at_ == '}') --depth;
    if (*at_ == '"')
      for (++at_; *at_ != '"'; ++at_) at_ += *at_ == '\\';
    ++at_;
  } while (depth > 0 || (*at_ != ',' && *at_ != ']' && *at_ != '}' && *at_ != '\0'));
}

/* An array of numbers as a whole: its rows may be many. */
static mxArray* json_value(const char* path) {
  ardvark_array array;
  bool is_number;
  mxArray* out;
  skip_space();
  is_number = *at_ != '{' && *at_ != '"' && *at_ != 't' && *at_ != 'f';
  memset(&array, 0, sizeof array);
  array.struct_size = sizeof array;
  if (is_number && ardvark_result_array(call_.result, path, &array, NULL) == ARDVARK_OK) {
    skip_value();
    out = take(&array);
  } else {
    out = json_plain(path);
  }
  if (is_number && mxIsDouble(out) && counts_from_one(path)) {
    double* const values = (double*)mxGetData(out);
    const size_t count = mxGetNumberOfElements(out);
    size_t i;
    for (i = 0; i < count; ++i)
      if (values[i] >= 0) values[i] += 1;
  }
  return out;
}

static mxArray* all_results(void) {
  mxArray* out;
  char* text;
  check(ardvark_result_text(call_.result, NULL, &text, error()));
  at_ = text;
  out = json_value("");
  ardvark_free(text);
  return out;
}

static void add_field(mxArray* to, const char* name, mxArray* value) { mxSetFieldByNumber(to, 0, mxAddField(to, name), value); }

/* (X, y, pairs) -> struct; outputs, one of the pairs, names results beyond the usual ones */
static void fit_command(const Arguments* a) {
  ardvark_matrix X;
  const double* y;
  const mxArray* more;
  void* bytes;
  size_t size;
  need(a, 3, "X and y");
  X = matrix_of(a->in[0], "X");
  y = list_of(a->in[1], "y", X.rows, "one per row of X");
  new_options();
  num_columns_ = X.columns;
  more = set_options(a->in[2], "outputs");
  core_name_ = "labels", our_name_ = "y";
  check(ardvark_fit(&X, y, call_.options, &call_.model, error()));
  check(ardvark_model_result(call_.model, call_.options, &call_.result, error()));
  report_status("ardvark:max_sweeps");
  a->out[0] = all_results();
  if (more != NULL) {
    const mwSize count = mxGetNumberOfElements(more);
    mwSize i;
    if (!mxIsCell(more)) fail(INVALID, "outputs is of class %s; it must be a cell of names, as {'covariance'}", mxGetClassName(more));
    for (i = 0; i < count; ++i) {
      const char* const name = text_of(mxGetCell(more, i), "outputs");
      add_field(a->out[0], name, result_named(name));
    }
  }
  check(ardvark_model_to_bytes(call_.model, &bytes, &size, error()));
  {
    mxArray* const model = mxCreateNumericMatrix((mwSize)size, 1, mxUINT8_CLASS, mxREAL);
    memcpy(mxGetData(model), bytes, size);
    ardvark_free(bytes);
    add_field(a->out[0], "model", model);
  }
}

static void load_bytes(const mxArray* model) {
  const mxArray* bytes = model;
  if (mxIsStruct(model)) bytes = mxGetField(model, 0, "model");
  if (bytes == NULL || !mxIsUint8(bytes)) fail(INVALID, "model is none: it must be a struct that ardvark_fit returned");
  check(ardvark_model_from_bytes(mxGetData(bytes), mxGetNumberOfElements(bytes), &call_.model, error()));
}

/* 0: a regression */
static int num_classes_of_model(void) {
  char* classes = NULL;
  int count = 0;
  check(ardvark_model_result(call_.model, NULL, &call_.result, error()));
  if (ardvark_result_text(call_.result, "classes", &classes, NULL) == ARDVARK_OK) {
    at_ = classes;
    {
      mxArray* const list = json_plain("classes");
      count = (int)mxGetNumberOfElements(list);
      mxDestroyArray(list);
    }
    ardvark_free(classes);
  }
  ardvark_result_free(call_.result);
  call_.result = NULL;
  return count;
}

/* (model, X, pairs) -> struct; target is one of the pairs */
static void predict_command(const Arguments* a) {
  ardvark_matrix X;
  const mxArray* target;
  const double* y = NULL;
  need(a, 3, "model and X");
  num_columns_ = 0;
  load_bytes(a->in[0]);
  X = matrix_of(a->in[1], "X");
  new_options();
  target = set_options(a->in[2], "target");
  if (target != NULL) {
    double* const copy = (double*)allocate((size_t)X.rows, sizeof(double));
    const double* const values = list_of(target, "target", X.rows, "one per row of X");
    const int num_classes = num_classes_of_model();
    int64_t i;
    for (i = 0; i < X.rows; ++i) {
      if (!isfinite(values[i])) fail(INVALID, "target(%lld) is %g; it must be finite", (long long)i + 1, values[i]);
      if (num_classes > 0 && (!(values[i] >= 1 && values[i] <= num_classes) || values[i] != floor(values[i])))
        fail(INVALID, "target(%lld) is %g; of a classifier it must be a position in classes, 1 to %d", (long long)i + 1, values[i],
             num_classes);
      copy[i] = values[i] - (num_classes > 0 ? 1 : 0);
    }
    y = copy;
  }
  core_name_ = "X_new", our_name_ = "X";
  check(ardvark_predict(call_.model, &X, y, call_.options, &call_.result, error()));
  a->out[0] = all_results();
}

/* (model, pairs) -> text */
static void summary_command(const Arguments* a) {
  char* text;
  need(a, 2, "model");
  num_columns_ = 0;
  load_bytes(a->in[0]);
  new_options();
  (void)set_options(a->in[1], NULL);
  check(ardvark_model_summary(call_.model, call_.options, &text, error()));
  a->out[0] = advice(text);
  ardvark_free(text);
}

/* (X, labels, pairs) -> struct */
static void select_command(const Arguments* a) {
  ardvark_matrix X;
  const double* y;
  need(a, 3, "X and y");
  X = matrix_of(a->in[0], "X");
  y = list_of(a->in[1], "y", X.rows, "one per row of X");
  new_options();
  num_columns_ = X.columns;
  (void)set_options(a->in[2], NULL);
  core_name_ = "labels", our_name_ = "y";
  check(ardvark_select(&X, y, call_.options, &call_.result, error()));
  report_status("ardvark:max_sweeps");
  a->out[0] = all_results();
}

/* ---- settings ----------------------------------------------------------------------------------------------------------------------- */

/* () -> struct; (name) -> value; (name, value, ...) sets */
static void options_command(const Arguments* a) {
  static const char* const names[] = {"compat", "threads", "tolerance"};
  int i;
  for (i = 0; i + 1 < a->num_in; i += 2) {
    const char* const name = text_of(a->in[i], "the name of an option");
    const double value = number_of(a->in[i + 1], name);
    if (strcmp(name, "compat") == 0) {
      if (value != 0 && value != 1) fail(INVALID, "compat is %g; it must be true or false", value);
      settings_.compat = value == 1;
    } else if (strcmp(name, "threads") == 0) {
      if (value < 0 || value != floor(value))
        fail(INVALID, "threads is %g; it must be a whole number, 0 for as the environment says", value);
      settings_.threads = value;
    } else if (strcmp(name, "tolerance") == 0) {
      if (!(value >= 0)) fail(INVALID, "tolerance is %g; it must be 0, as published, or more", value);
      settings_.tolerance = value;
    } else {
      fail(INVALID, "there is no option '%s'; the options are compat, threads, tolerance", name);
    }
  }
  {
    mxArray* const all = mxCreateStructMatrix(1, 1, 3, (const char**)names);
    mxSetFieldByNumber(all, 0, 0, mxCreateLogicalScalar(settings_.compat));
    mxSetFieldByNumber(all, 0, 1, mxCreateDoubleScalar(settings_.threads));
    mxSetFieldByNumber(all, 0, 2, mxCreateDoubleScalar(settings_.tolerance));
    a->out[0] = all;
    if (a->num_in % 2 == 1) {
      const char* const name = text_of(a->in[a->num_in - 1], "the name of an option");
      mxArray* const value = mxGetField(all, 0, name);
      if (value == NULL) {
        if (a->num_in == 1) fail(INVALID, "there is no option '%s'; the options are compat, threads, tolerance", name);
        fail(INVALID, "option '%s' has no value", name);
      }
      a->out[0] = mxDuplicateArray(value);
      mxDestroyArray(all);
    }
  }
}

/* ---- the gate ----------------------------------------------------------------------------------------------------------------------- */

void mexFunction(int num_out, mxArray* out[], int num_in, const mxArray* in[]) {
  char command[64];
  Arguments a;
  if (!mexIsLocked()) mexLock(); /* the settings, and the threads of BLAS, outlive `clear all` */
  memset(&warning_, 0, sizeof warning_);
  core_name_ = our_name_ = NULL;
  if (num_in < 2 || !mxIsChar(in[0]) || mxGetString(in[0], command, sizeof command) != 0)
    fail(INVALID, "ardvark_mex is called by the functions of this package: see help ardvark_fit");
  a.wanted = (int)mxGetScalar(in[1]);
  a.num_out = num_out > 0 ? num_out : 1;
  a.num_in = num_in - 2;
  a.out = out;
  a.in = in + 2;
  if (strcmp(command, "vb_linear_fit") == 0 || strcmp(command, "vb_linear_fit_ard") == 0)
    vb_linear(&a, command);
  else if (strcmp(command, "vb_logit_fit") == 0 || strcmp(command, "vb_logit_fit_ard") == 0)
    vb_logit(&a, command);
  else if (strcmp(command, "vb_logit_fit_iter") == 0)
    vb_logit_iter(&a);
  else if (strcmp(command, "vb_linear_pred") == 0)
    vb_linear_pred(&a);
  else if (strcmp(command, "vb_logit_pred") == 0)
    vb_logit_pred(&a, "published-batch");
  else if (strcmp(command, "vb_logit_pred_incr") == 0)
    vb_logit_pred(&a, "published-incremental");
  else if (strcmp(command, "options") == 0)
    options_command(&a);
  else if (strcmp(command, "calc_SCval") == 0)
    selection_value(&a);
  else if (strcmp(command, "fit") == 0)
    fit_command(&a);
  else if (strcmp(command, "predict") == 0)
    predict_command(&a);
  else if (strcmp(command, "summary") == 0)
    summary_command(&a);
  else if (strcmp(command, "select") == 0)
    select_command(&a);
  else {
    const size_t count = sizeof programs / sizeof programs[0];
    size_t i = 0;
    while (i < count && strcmp(command, programs[i].name) != 0) ++i;
    if (i == count) fail(INVALID, "ardvark_mex has no command '%s'", command);
    classify(&a, &programs[i]);
  }
  release();
  if (warning_.id[0] != '\0') mexWarnMsgIdAndTxt(warning_.id, "%s", warning_.text);
}
