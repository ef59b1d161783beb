/* The functions that R calls, and their registration. */
#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>
#include <R_ext/Visibility.h>
#include <signal.h>
#include <string.h>

#include "binding.h"

/* Numbers of the C interface that R passes as such. */
static int64_t whole(SEXP number) { return (int64_t)Rf_asReal(number); }

static SEXP version(void) { return Rf_mkString(ardvark_version()); }

static SEXP catalogue(void) {
  SEXP handle = PROTECT(own_result(NULL)), out;
  ardvark_result* result = NULL;
  if (ardvark_catalogue(&result, failure()) != ARDVARK_OK) {
    UNPROTECT(1);
    return failure_list();
  }
  R_SetExternalPtrAddr(handle, result);
  out = results_of(result);
  UNPROTECT(1);
  return out;
}

/* Whether a handle is still one: not after readRDS, in another process. */
static SEXP alive(SEXP handle) { return Rf_ScalarLogical(TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrAddr(handle) != NULL); }

/* Raises the interrupt that a call swallowed, now that nothing of it is left. */
static SEXP interrupt(void) {
  raise(SIGINT);
  R_CheckUserInterrupt();
  return R_NilValue;
}

/* X: a matrix, of which `rows` are taken (NULL: all), or a list of the slots of a dgCMatrix. Returns a model. */
static SEXP fit(SEXP X, SEXP skip, SEXP rows, SEXP y, SEXP list) {
  SEXP options, memory, handle = PROTECT(own_model(NULL));
  ardvark_model* model = NULL;
  ardvark_code code;
  options = options_of(list);
  if (options == NULL) {
    UNPROTECT(1);
    return failure_list();
  }
  PROTECT(options);
  if (TYPEOF(X) == VECSXP) {
    const ardvark_csc columns = csc_of(X);
    code = ardvark_fit_csc(&columns, REAL(y), options_in(options), &model, failure());
  } else {
    const ardvark_matrix columns = matrix_of(X, skip, rows, &memory);
    code = ardvark_fit(&columns, REAL(y), options_in(options), &model, failure());
    forget(memory);
    UNPROTECT(1);
  }
  R_SetExternalPtrAddr(handle, model);
  UNPROTECT(2);
  return code == ARDVARK_OK ? handle : failure_list();
}

/* A regression of each column of Y, which is read in place. Returns targets. */
static SEXP fit_targets(SEXP X, SEXP skip, SEXP Y, SEXP names, SEXP list) {
  const R_xlen_t count = XLENGTH(names);
  const char** const texts = (const char**)R_alloc((size_t)count + 1, sizeof(char*));
  ardvark_targets* targets = NULL;
  ardvark_matrix columns, all;
  ardvark_code code;
  SEXP options = options_of(list), handle, memory;
  R_xlen_t k;
  if (options == NULL) return failure_list();
  PROTECT(options);
  handle = PROTECT(own_targets(NULL));
  for (k = 0; k < count; ++k) texts[k] = utf8(STRING_ELT(names, k));
  memset(&all, 0, sizeof all);
  all.struct_size = sizeof all;
  all.data = REAL(Y);
  all.type = ARDVARK_FLOAT64;
  all.rows = Rf_nrows(Y);
  all.columns = Rf_ncols(Y);
  all.row_stride = 1;
  all.column_stride = all.rows;
  columns = matrix_of(X, skip, R_NilValue, &memory);
  code = ardvark_fit_targets(&columns, &all, texts, options_in(options), ARDVARK_TARGETS_LEAVE_ONE_OUT, NULL, NULL, NULL, &targets, failure());
  forget(memory);
  R_SetExternalPtrAddr(handle, targets);
  UNPROTECT(3);
  return code == ARDVARK_OK ? handle : failure_list();
}

/* name NULL: all results as a list, also of targets. */
static SEXP result(SEXP model, SEXP name, SEXP list) {
  ardvark_targets* const targets = name == R_NilValue ? targets_of(model) : NULL;
  SEXP options = options_of(list), handle, out;
  ardvark_result* made = NULL;
  ardvark_code code;
  if (options == NULL) return failure_list();
  PROTECT(options);
  handle = PROTECT(own_result(NULL));
  code = targets != NULL ? ardvark_targets_result(targets, &made, failure())
                         : ardvark_model_result(model_of(model), options_in(options), &made, failure());
  if (code != ARDVARK_OK) {
    UNPROTECT(2);
    return failure_list();
  }
  R_SetExternalPtrAddr(handle, made);
  if (name == R_NilValue) {
    out = results_of(made);
  } else {
    ardvark_array array;
    memset(&array, 0, sizeof array);
    array.struct_size = sizeof array;
    out = ardvark_result_array(made, utf8(STRING_ELT(name, 0)), &array, failure()) == ARDVARK_OK ? take_array(&array) : failure_list();
  }
  UNPROTECT(2);
  return out;
}

static SEXP explained(SEXP targets, SEXP rate) {
  SEXP handle = PROTECT(own_result(NULL)), out;
  ardvark_result* made = NULL;
  const ardvark_code code = ardvark_targets_explained(targets_of(targets), Rf_asReal(rate), &made, failure());
  R_SetExternalPtrAddr(handle, made);
  out = code == ARDVARK_OK ? results_of(made) : failure_list();
  UNPROTECT(1);
  return out;
}

static SEXP directions(SEXP targets, SEXP pool) {
  SEXP handle = PROTECT(own_result(NULL)), out;
  ardvark_result* made = NULL;
  const ardvark_code code = ardvark_targets_directions(targets_of(targets), Rf_asLogical(pool) == TRUE, NULL, &made, failure());
  R_SetExternalPtrAddr(handle, made);
  out = code == ARDVARK_OK ? results_of(made) : failure_list();
  UNPROTECT(1);
  return out;
}

static SEXP draws(SEXP model, SEXP count, SEXP list) {
  SEXP options = options_of(list), handle, out;
  ardvark_result* made = NULL;
  if (options == NULL) return failure_list();
  PROTECT(options);
  handle = PROTECT(own_result(NULL));
  if (ardvark_model_draws(model_of(model), whole(count), options_in(options), &made, failure()) == ARDVARK_OK) {
    R_SetExternalPtrAddr(handle, made);
    out = results_of(made);
  } else {
    out = failure_list();
  }
  UNPROTECT(2);
  return out;
}

static SEXP summary(SEXP model, SEXP list) {
  SEXP options = options_of(list);
  char* text = NULL;
  ardvark_code code;
  if (options == NULL) return failure_list();
  PROTECT(options);
  code = ardvark_model_summary(model_of(model), options_in(options), &text, failure());
  UNPROTECT(1);
  return code == ARDVARK_OK ? take_text(text) : failure_list();
}

/* words: title and command, NA: none. X: a matrix, or NULL: there are no rows. */
static SEXP report(SEXP model, SEXP X, SEXP skip, SEXP target, SEXP list, SEXP words, SEXP path) {
  SEXP options = options_of(list), memory = R_NilValue;
  ardvark_report_words said;
  ardvark_matrix rows;
  ardvark_code code;
  const int has_rows = X != R_NilValue;
  if (options == NULL) return failure_list();
  PROTECT(options);
  memset(&said, 0, sizeof said);
  memset(&rows, 0, sizeof rows);
  said.struct_size = sizeof said;
  if (STRING_ELT(words, 0) != NA_STRING) said.title = utf8(STRING_ELT(words, 0));
  if (STRING_ELT(words, 1) != NA_STRING) said.command = utf8(STRING_ELT(words, 1));
  if (has_rows) rows = matrix_of(X, skip, R_NilValue, &memory);
  code = ardvark_model_report(model_of(model), has_rows ? &rows : NULL, has_rows ? REAL(target) : NULL, options_in(options), &said,
                              utf8(STRING_ELT(path, 0)), NULL, failure());
  if (has_rows) {
    forget(memory);
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return code == ARDVARK_OK ? R_NilValue : failure_list();
}

/* renamed: pairs of an option and its name here. The spelling of Python, prior='shared', is that of R, too. */
static SEXP spell(SEXP text, SEXP renamed) {
  const R_xlen_t count = XLENGTH(renamed);
  const char** const names = (const char**)R_alloc((size_t)count + 1, sizeof(char*));
  char* written = NULL;
  R_xlen_t i;
  for (i = 0; i < count; ++i) names[i] = utf8(STRING_ELT(renamed, i));
  if (ardvark_spell(utf8(STRING_ELT(text, 0)), "python", names, (int64_t)count / 2, &written, failure()) != ARDVARK_OK)
    return failure_list();
  return take_text(written);
}

static SEXP predict(SEXP model, SEXP X, SEXP skip, SEXP target, SEXP list) {
  SEXP options = options_of(list), memory, handle, out;
  ardvark_result* made = NULL;
  ardvark_code code;
  if (options == NULL) return failure_list();
  PROTECT(options);
  handle = PROTECT(own_result(NULL));
  if (TYPEOF(X) == VECSXP) {
    const ardvark_csc rows = csc_of(X);
    code = ardvark_predict_csc(model_of(model), &rows, numbers_or_null(target), options_in(options), &made, failure());
  } else {
    const ardvark_matrix rows = matrix_of(X, skip, R_NilValue, &memory);
    code = ardvark_predict(model_of(model), &rows, numbers_or_null(target), options_in(options), &made, failure());
    forget(memory);
    UNPROTECT(1);
  }
  R_SetExternalPtrAddr(handle, made);
  out = code == ARDVARK_OK ? results_of(made) : failure_list();
  UNPROTECT(2);
  return out;
}

/* A list of mean [rows, targets], and with_sd of sd, else NULL. */
static SEXP predict_targets(SEXP targets, SEXP X, SEXP skip, SEXP count, SEXP with_sd, SEXP list) {
  static const char* const names[] = {"mean", "sd", ""};
  SEXP options = options_of(list), memory, out;
  ardvark_columns mean, sd;
  ardvark_matrix rows;
  ardvark_code code;
  const int has_sd = Rf_asLogical(with_sd);
  if (options == NULL) return failure_list();
  PROTECT(options);
  out = PROTECT(Rf_mkNamed(VECSXP, (const char**)names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, Rf_nrows(X), Rf_asInteger(count)));
  if (has_sd) SET_VECTOR_ELT(out, 1, Rf_allocMatrix(REALSXP, Rf_nrows(X), Rf_asInteger(count)));
  memset(&mean, 0, sizeof mean);
  mean.struct_size = sizeof mean;
  mean.data = REAL(VECTOR_ELT(out, 0));
  mean.type = ARDVARK_FLOAT64;
  sd = mean;
  if (has_sd) sd.data = REAL(VECTOR_ELT(out, 1));
  rows = matrix_of(X, skip, R_NilValue, &memory);
  code = ardvark_targets_predict(targets_of(targets), &rows, NULL, options_in(options), &mean, has_sd ? &sd : NULL, failure());
  forget(memory);
  UNPROTECT(3);
  return code == ARDVARK_OK ? out : failure_list();
}

/* draws 0: mean and covariance of all rows together; else so many draws. */
static SEXP predict_joint(SEXP model, SEXP X, SEXP skip, SEXP draws, SEXP list) {
  SEXP options = options_of(list), memory, handle, out;
  ardvark_result* made = NULL;
  ardvark_matrix rows;
  ardvark_code code;
  if (options == NULL) return failure_list();
  PROTECT(options);
  handle = PROTECT(own_result(NULL));
  rows = matrix_of(X, skip, R_NilValue, &memory);
  code = ardvark_predict_joint(model_of(model), &rows, whole(draws), options_in(options), &made, failure());
  forget(memory);
  R_SetExternalPtrAddr(handle, made);
  out = code == ARDVARK_OK ? results_of(made) : failure_list();
  UNPROTECT(3);
  return out;
}

/* priors, families: names with commas between them. */
static SEXP compare(SEXP X, SEXP skip, SEXP rows, SEXP y, SEXP priors, SEXP families, SEXP list) {
  SEXP options = options_of(list), memory, handle, out;
  ardvark_result* made = NULL;
  ardvark_matrix columns;
  ardvark_code code;
  if (options == NULL) return failure_list();
  PROTECT(options);
  handle = PROTECT(own_result(NULL));
  columns = matrix_of(X, skip, rows, &memory);
  code =
      ardvark_compare(&columns, REAL(y), utf8(STRING_ELT(priors, 0)), utf8(STRING_ELT(families, 0)), options_in(options), &made, failure());
  forget(memory);
  R_SetExternalPtrAddr(handle, made);
  out = code == ARDVARK_OK ? results_of(made) : failure_list();
  UNPROTECT(3);
  return out;
}

/* ---- tables of columns with names ---- */

static ardvark_code encoding_of(SEXP model, ardvark_encoding** of_model) {
  ardvark_targets* const targets = targets_of(model);
  return targets != NULL ? ardvark_targets_encoding(targets, of_model, failure())
                         : ardvark_model_encoding(model_of(model), of_model, failure());
}

/* What the encoding of a model or of targets says of its columns. */
static SEXP encoding(SEXP model) {
  SEXP held = PROTECT(own_encoding(NULL)), handle = PROTECT(own_result(NULL)), out;
  ardvark_encoding* of_model = NULL;
  ardvark_result* made = NULL;
  ardvark_code code = encoding_of(model, &of_model);
  R_SetExternalPtrAddr(held, of_model);
  if (code == ARDVARK_OK) code = ardvark_encoding_result(of_model, &made, failure());
  R_SetExternalPtrAddr(handle, made);
  out = code == ARDVARK_OK ? results_of(made) : failure_list();
  UNPROTECT(2);
  return out;
}

static ardvark_code add_column(ardvark_table* table, const char* name, SEXP column) {
  const R_xlen_t rows = XLENGTH(column);
  const char** texts;
  R_xlen_t i;
  if (TYPEOF(column) != STRSXP) return ardvark_table_add_numbers(table, name, REAL(column), failure());
  texts = (const char**)R_alloc((size_t)rows + 1, sizeof(char*));
  for (i = 0; i < rows; ++i) texts[i] = STRING_ELT(column, i) == NA_STRING ? NULL : utf8(STRING_ELT(column, i));
  return ardvark_table_add_texts(table, name, texts, failure());
}

/* The columns of the model from a list of numbers and texts, with names. */
static SEXP encode(SEXP model, SEXP columns, SEXP rows) {
  SEXP held = PROTECT(own_encoding(NULL)), of_rows = PROTECT(own_table(NULL)), names = Rf_getAttrib(columns, R_NamesSymbol), out;
  ardvark_encoding* of_model = NULL;
  ardvark_table* table = NULL;
  ardvark_array X;
  R_xlen_t j;
  ardvark_code code = encoding_of(model, &of_model);
  R_SetExternalPtrAddr(held, of_model);
  if (code == ARDVARK_OK) code = ardvark_table_create(whole(rows), &table, failure());
  R_SetExternalPtrAddr(of_rows, table);
  for (j = 0; code == ARDVARK_OK && j < XLENGTH(columns); ++j) code = add_column(table, utf8(STRING_ELT(names, j)), VECTOR_ELT(columns, j));
  memset(&X, 0, sizeof X);
  X.struct_size = sizeof X;
  if (code == ARDVARK_OK) code = ardvark_encoding_apply(of_model, table, &X, failure());
  out = code == ARDVARK_OK ? take_array(&X) : failure_list();
  UNPROTECT(2);
  return out;
}

/* ---- files of models and of targets, and their bytes ---- */

static SEXP to_bytes(SEXP model) {
  SEXP memory = PROTECT(own_memory(NULL)), out;
  ardvark_targets* const targets = targets_of(model);
  void* data = NULL;
  size_t size = 0;
  const ardvark_code code = targets != NULL ? ardvark_targets_to_bytes(targets, NULL, &data, &size, failure())
                                            : ardvark_model_to_bytes(model_of(model), &data, &size, failure());
  if (code != ARDVARK_OK) {
    UNPROTECT(1);
    return failure_list();
  }
  R_SetExternalPtrAddr(memory, data);
  out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
  memcpy(RAW(out), data, size);
  R_ClearExternalPtr(memory);
  ardvark_free(data);
  UNPROTECT(2);
  return out;
}

/* A failure is that of the model. */
static SEXP from_bytes(SEXP bytes) {
  SEXP handle = PROTECT(own_model(NULL)), many = PROTECT(own_targets(NULL));
  ardvark_model* model = NULL;
  ardvark_targets* targets = NULL;
  const size_t size = (size_t)XLENGTH(bytes);
  const ardvark_code code = ardvark_model_from_bytes(RAW(bytes), size, &model, failure());
  R_SetExternalPtrAddr(handle, model);
  if (code != ARDVARK_OK && ardvark_targets_from_bytes(RAW(bytes), size, &targets, NULL) == ARDVARK_OK)
    R_SetExternalPtrAddr(many, targets);
  UNPROTECT(2);
  return code == ARDVARK_OK ? handle : targets != NULL ? many : failure_list();
}

static SEXP save(SEXP model, SEXP path) {
  ardvark_targets* const targets = targets_of(model);
  const char* const to = utf8(STRING_ELT(path, 0));
  const ardvark_code code =
      targets != NULL ? ardvark_targets_save(targets, NULL, to, failure()) : ardvark_model_save(model_of(model), to, failure());
  return code == ARDVARK_OK ? R_NilValue : failure_list();
}

static SEXP load(SEXP path) {
  SEXP handle = PROTECT(own_model(NULL)), many = PROTECT(own_targets(NULL));
  ardvark_model* model = NULL;
  ardvark_targets* targets = NULL;
  const char* const from = utf8(STRING_ELT(path, 0));
  const ardvark_code code = ardvark_model_load(from, &model, failure());
  R_SetExternalPtrAddr(handle, model);
  if (code != ARDVARK_OK && ardvark_targets_load(from, &targets, NULL) == ARDVARK_OK) R_SetExternalPtrAddr(many, targets);
  UNPROTECT(2);
  return code == ARDVARK_OK ? handle : targets != NULL ? many : failure_list();
}

/* ---- registration ---- */

#define ENTRY(name, count) \
  { "C_" #name, (DL_FUNC)(void (*)(void))name, count }

static const R_CallMethodDef entries_[] = {
    ENTRY(version, 0),   ENTRY(catalogue, 0),    ENTRY(alive, 1),      ENTRY(interrupt, 0), ENTRY(fit, 5),     ENTRY(result, 3),
    ENTRY(draws, 3),     ENTRY(summary, 2),      ENTRY(spell, 2),      ENTRY(predict, 5),   ENTRY(compare, 7), ENTRY(encoding, 1),
    ENTRY(encode, 3),    ENTRY(to_bytes, 1),     ENTRY(from_bytes, 1), ENTRY(save, 2),      ENTRY(load, 1),    ENTRY(predict_joint, 5),
    ENTRY(V_inverse, 2), ENTRY(from_moments, 5), ENTRY(absorb, 3),     ENTRY(normalize, 4), ENTRY(fit_targets, 5),
    ENTRY(explained, 2), ENTRY(directions, 2), ENTRY(predict_targets, 6), ENTRY(report, 7), {NULL, NULL, 0}};

void R_init_ardvark(DllInfo* library);
void attribute_visible R_init_ardvark(DllInfo* library) {
  R_registerRoutines(library, NULL, entries_, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
