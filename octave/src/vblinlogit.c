/* The functions of VBLinLogit. */
#include <string.h>

#include "arguments.h"
#include "commands.h"
#include "core.h"

static mxArray* inverse_of_V(const ardvark_matrix* X) {
  ardvark_array array = new_array();
  check(ardvark_model_V_inverse(call_.model, X, &array, failure()));
  return take_symmetric(&array);
}
static mxArray* V(void) {
  ardvark_array array = array_named("V");
  return take_symmetric(&array);
}

/* Returns w, V, invV, logdetV, and then the results `others`: names that end with NULL, or NULL. */
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

/* With compat: the published sweeps. Without: the published model, fitted to the maximum of its bound. */
static void fit_vblinlogit(const char* preset, const ardvark_matrix* X, const double* y, bool keep_covariance) {
  set_text("preset", preset);
  if (settings_.compat)
    set_number("compat", 1);
  else
    set_number("converge", 1);
  if (settings_.tolerance > 0 && !settings_.compat) set_number("tolerance", settings_.tolerance);
  set_text("keep_covariance", keep_covariance ? "always" : "never");
  check(ardvark_fit(X, y, call_.options, &call_.model, failure()));
  check(ardvark_model_result(call_.model, NULL, &call_.result, failure()));
}

/* a0, b0, ... after X and y; [] is the default of the core. */
static void set_hyper(const Arguments* a, const char* const* names, int count) {
  int i;
  for (i = 0; i < count && i + 2 < a->num_in; ++i)
    if (!mxIsEmpty(a->in[i + 2])) set_number(names[i], positive_of(a->in[i + 2], names[i]));
}

/* (X, y, a0, b0, c0, d0) -> w, V, invV, logdetV, an, bn, E_a, L */
void vb_linear(const Arguments* a, const char* preset) {
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
void vb_logit(const Arguments* a, const char* preset) {
  static const char* const others[] = {"precision", "bound", NULL};
  static const char* const hyper[] = {"a0", "b0"};
  ardvark_matrix X;
  const double* y;
  need(a, 2, "X and y");
  X = matrix_of(a->in[0], "X");
  y = signs_of(a->in[1], "y", X.rows);
  new_options();
  set_hyper(a, hyper, 2);
  call_it("labels", "y");
  fit_vblinlogit(preset, &X, y, a->wanted > 1);
  report_status("Bayes:maxIter");
  give_posterior(a, &X, others);
}

/* (X, y) -> w, V, invV, logdetV; a single class is allowed here */
void vb_logit_iter(const Arguments* a) {
  ardvark_matrix X;
  const double* y;
  need(a, 2, "X and y");
  X = matrix_of(a->in[0], "X");
  y = signs_of(a->in[1], "y", X.rows);
  if (X.columns < 1) fail(INVALID, "X is %d x 0; it must have a column", (int)X.rows);
  new_options();
  check(ardvark_sequential_create(X.columns, call_.options, &call_.filter, failure()));
  if (X.rows > 0) check(ardvark_sequential_update(call_.filter, &X, y, failure()));
  check(ardvark_sequential_model(call_.filter, NULL, &call_.model, failure()));
  check(ardvark_model_result(call_.model, NULL, &call_.result, failure()));
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
  call_it("mean", "w");
  check(ardvark_model_from_moments(&moments, call_.options, &call_.model, failure()));
  call_it("X_new", "X");
  set_text("rule", rule);
  check(ardvark_predict(call_.model, &X, NULL, call_.options, &call_.result, failure()));
}

/* lambda = 1/scale^2, as in the published program. */
static mxArray* scale_to_precision(void) {
  mxArray* const out = result_named("scale");
  double* const values = (double*)mxGetData(out);
  const size_t count = mxGetNumberOfElements(out);
  size_t i;
  for (i = 0; i < count; ++i) values[i] = 1 / (values[i] * values[i]);
  return out;
}

/* (X, w, V, an, bn) -> mu, lambda, nu */
void vb_linear_pred(const Arguments* a) {
  need(a, 5, "X, w, V, an and bn");
  predict_from(a, NULL, positive_of(a->in[3], "an"), positive_of(a->in[4], "bn"), "automatic");
  if (a->num_out > 0) a->out[0] = result_named("mean");
  if (a->num_out > 1) a->out[1] = a->wanted > 1 ? scale_to_precision() : empty();
  if (a->num_out > 2) a->out[2] = mxCreateDoubleScalar(result_number("degrees_of_freedom"));
}

/* (X, w, V, invV) -> p(y = 1 | x) */
void vb_logit_pred(const Arguments* a, const char* published) {
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
