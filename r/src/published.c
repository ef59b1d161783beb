/* What the published programs need besides a fit: the inverse of V, posteriors that a caller gives, a filter, and scaled columns. */
#include <string.h>

#include "binding.h"

SEXP V_inverse(SEXP model, SEXP X) {
  SEXP memory, zero = PROTECT(Rf_ScalarInteger(0)), out;
  ardvark_matrix rows;
  ardvark_array array;
  ardvark_code code;
  memset(&array, 0, sizeof array);
  array.struct_size = sizeof array;
  rows = matrix_of(X, zero, R_NilValue, &memory);
  code = ardvark_model_V_inverse(model_of(model), &rows, &array, failure());
  forget(memory);
  out = code == ARDVARK_OK ? take_array(&array) : failure_list();
  UNPROTECT(2);
  return out;
}

/* inverse: NULL, or the inverse of V. shape, rate: of the noise of a regression, else 0. Returns a model. */
SEXP from_moments(SEXP mean, SEXP V, SEXP inverse, SEXP shape, SEXP rate) {
  SEXP handle = PROTECT(own_model(NULL)), zero = PROTECT(Rf_ScalarInteger(0)), of_V, of_inverse = R_NilValue;
  ardvark_model* model = NULL;
  ardvark_matrix covariance, precision;
  ardvark_moments moments;
  ardvark_code code;
  int protected = 3;
  memset(&moments, 0, sizeof moments);
  covariance = matrix_of(V, zero, R_NilValue, &of_V);
  if (inverse != R_NilValue) {
    precision = matrix_of(inverse, zero, R_NilValue, &of_inverse);
    ++protected;
    moments.V_inverse = &precision;
  }
  moments.struct_size = sizeof moments;
  moments.columns = (int64_t)XLENGTH(mean);
  moments.mean = REAL(mean);
  moments.V = &covariance;
  moments.noise_shape = Rf_asReal(shape);
  moments.noise_rate = Rf_asReal(rate);
  code = ardvark_model_from_moments(&moments, NULL, &model, failure());
  forget(of_V);
  if (of_inverse != R_NilValue) forget(of_inverse);
  R_SetExternalPtrAddr(handle, model);
  UNPROTECT(protected);
  return code == ARDVARK_OK ? handle : failure_list();
}

/* A filter that has absorbed the rows with their labels, -1 and 1, as a model. */
SEXP absorb(SEXP X, SEXP y, SEXP list) {
  SEXP options = options_of(list), handle, held, zero, memory;
  ardvark_sequential* filter = NULL;
  ardvark_model* model = NULL;
  ardvark_matrix rows;
  ardvark_code code;
  if (options == NULL) return failure_list();
  PROTECT(options);
  handle = PROTECT(own_model(NULL));
  held = PROTECT(own_filter(NULL));
  zero = PROTECT(Rf_ScalarInteger(0));
  rows = matrix_of(X, zero, R_NilValue, &memory);
  code = ardvark_sequential_create(rows.columns, options_in(options), &filter, failure());
  R_SetExternalPtrAddr(held, filter);
  if (code == ARDVARK_OK && rows.rows > 0) code = ardvark_sequential_update(filter, &rows, REAL(y), failure());
  if (code == ARDVARK_OK) code = ardvark_sequential_model(filter, NULL, &model, failure());
  forget(memory);
  R_SetExternalPtrAddr(handle, model);
  UNPROTECT(5);
  return code == ARDVARK_OK ? handle : failure_list();
}

/* The columns of X, centred and scaled as the columns of `like` (NULL: as their own). */
SEXP normalize(SEXP X, SEXP like, SEXP center, SEXP scale) {
  SEXP zero = PROTECT(Rf_ScalarInteger(0)), out = PROTECT(Rf_allocMatrix(REALSXP, Rf_nrows(X), Rf_ncols(X))), memory, other = R_NilValue;
  const ardvark_matrix rows = matrix_of(X, zero, R_NilValue, &memory);
  ardvark_matrix others;
  ardvark_code code;
  int protected = 3;
  if (like != R_NilValue) {
    others = matrix_of(like, zero, R_NilValue, &other);
    ++protected;
  }
  code = ardvark_normalize(&rows, like == R_NilValue ? NULL : &others, utf8(STRING_ELT(center, 0)), utf8(STRING_ELT(scale, 0)), REAL(out),
                           failure());
  forget(memory);
  if (like != R_NilValue) forget(other);
  UNPROTECT(protected);
  return code == ARDVARK_OK ? out : failure_list();
}
