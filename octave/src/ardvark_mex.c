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
static __attribute__((unused)) void* allocate(size_t count, size_t size) { return keep_memory(calloc(count > 0 ? count : 1, size)); }
static const mxArray* keep_temporary(mxArray* array) {
  if (call_.num_temporaries == max_temporaries) {
    mxDestroyArray(array);
    fail("ardvark:internal", "a call holds more than %d converted arguments", max_temporaries);
  }
  return call_.temporary[call_.num_temporaries++] = array;
}

static ardvark_error error_;

/* The core names the arguments of the C interface; a function of this package may call them something else. */
static const char *core_name_, *our_name_;

static void check(ardvark_code code) {
  static const char* const ids[] = {"", "ardvark:internal", INVALID, "ardvark:environment"};
  size_t length;
  if (code == ARDVARK_OK) return;
  length = core_name_ == NULL ? 0 : strlen(core_name_);
  if (length > 0 && strncmp(error_.message, core_name_, length) == 0 && error_.message[length] == ' ')
    fail(ids[code], "%s%s", our_name_, error_.message + length);
  fail(ids[code], "%s", error_.message);
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
  if (mxGetNumberOfDimensions(array) > 2) fail(INVALID, "%s has %d dimensions; it must be a matrix", name, (int)mxGetNumberOfDimensions(array));
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
static struct {
  char id[64], text[1024];
} warning_;
static void warn_later(const char* id, const char* text) {
  snprintf(warning_.id, sizeof warning_.id, "%s", id);
  snprintf(warning_.text, sizeof warning_.text, "%s", text);
}

/* Trouble that is none of the caller's. `at_most`: how running out of sweeps is called, or NULL to be silent on it. */
static void report_status(const char* at_most) {
  const char* const status = result_text("status");
  char id[64];
  if (strcmp(status, "converged") == 0) return;
  if (strcmp(status, "stopped_by_user") == 0) fail("ardvark:interrupted", "%s", result_text("message"));
  if (strcmp(status, "max_sweeps") == 0) {
    if (at_most != NULL) warn_later(at_most, result_text("message"));
    return;
  }
  snprintf(id, sizeof id, "ardvark:%s", status);
  warn_later(id, result_text("message"));
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

/* w, V, invV, logdetV, then what else the function returns. */
static void give_posterior(const Arguments* a, const ardvark_matrix* X, const char* const* others) {
  int i;
  for (i = 0; i < a->num_out; ++i) {
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

static void fit_preset(const char* preset, const ardvark_matrix* X, const double* y, bool keep_covariance) {
  set_text("preset", preset);
  set_number("compat", settings_.compat);
  set_text("keep_covariance", keep_covariance ? "always" : "never");
  check(ardvark_fit(X, y, call_.options, &call_.model, error()));
  check(ardvark_model_result(call_.model, NULL, &call_.result, error()));
}

/* (X, y, a0, b0, c0, d0) -> w, V, invV, logdetV, an, bn, E_a, L */
static void vb_linear(const Arguments* a, const char* preset) {
  static const char* const others[] = {"noise.shape", "noise.rate", "precision", "bound"};
  static const char* const hyper[] = {"a0", "b0", "c0", "d0"};
  ardvark_matrix X;
  const double* y;
  int i;
  need(a, 2, "X and y");
  X = matrix_of(a->in[0], "X");
  y = list_of(a->in[1], "y", X.rows, "one per row of X");
  new_options();
  for (i = 2; i < a->num_in && i < 6; ++i) set_number(hyper[i - 2], positive_of(a->in[i], hyper[i - 2]));
  if (settings_.tolerance > 0 && !settings_.compat) set_number("tolerance", settings_.tolerance);
  fit_preset(preset, &X, y, a->wanted > 1);
  report_status("Bayes:maxIter");
  give_posterior(a, &X, others);
}

/* (X, y, a0, b0) -> w, V, invV, logdetV, E_a, L */
static void vb_logit(const Arguments* a, const char* preset) {
  static const char* const others[] = {"precision", "bound"};
  static const char* const hyper[] = {"a0", "b0"};
  ardvark_matrix X;
  const double* y;
  int i;
  need(a, 2, "X and y");
  X = matrix_of(a->in[0], "X");
  y = signs_of(a->in[1], "y", X.rows);
  new_options();
  for (i = 2; i < a->num_in && i < 4; ++i) set_number(hyper[i - 2], positive_of(a->in[i], hyper[i - 2]));
  if (settings_.tolerance > 0 && !settings_.compat) set_number("tolerance", settings_.tolerance);
  core_name_ = "labels", our_name_ = "y";
  fit_preset(preset, &X, y, a->wanted > 1);
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
  if (settings_.compat) core_name_ = "V_inverse", our_name_ = "invV";
  predict_from(a, settings_.compat ? &inverse : NULL, 0, 0, settings_.compat ? published : "exact");
  both = array_named("probability");
  rows = (mwSize)both.shape[0];
  out = mxCreateDoubleMatrix(rows, 1, mxREAL);
  for (i = 0; i < rows; ++i) ((double*)mxGetData(out))[i] = both.data[2 * i + 1];
  ardvark_free(both.data);
  a->out[0] = out;
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
      if (value < 0 || value != floor(value)) fail(INVALID, "threads is %g; it must be a whole number, 0 for as the environment says", value);
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
  else
    fail(INVALID, "ardvark_mex has no command '%s'", command);
  release();
  if (warning_.id[0] != '\0') mexWarnMsgIdAndTxt(warning_.id, "%s", warning_.text);
}
