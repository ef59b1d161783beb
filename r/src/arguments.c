#include <R_ext/Utils.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* ---- interruption: the callback says whether the user wants to end the call ---- */

static pthread_t main_thread_;

static void check_interrupt(void* unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

/* R may be asked only by its own thread; R_ToplevelExec keeps the jump of an interrupt from leaving the callback. */
static int on_progress(const ardvark_progress* progress, void* context) {
  (void)progress;
  (void)context;
  if (!pthread_equal(pthread_self(), main_thread_)) return ARDVARK_GO_ON;
  return R_ToplevelExec(check_interrupt, NULL) ? ARDVARK_GO_ON : ARDVARK_LEAVE;
}

/* ---- options ---- */

static int takes_texts(const char* name) { return strcmp(name, "column_names") == 0 || strcmp(name, "class_names") == 0; }

static ardvark_code set_texts(ardvark_options* options, const char* name, SEXP values) {
  const R_xlen_t count = XLENGTH(values);
  const char** const texts = (const char**)R_alloc((size_t)count + 1, sizeof(char*));
  R_xlen_t i;
  for (i = 0; i < count; ++i) texts[i] = utf8(STRING_ELT(values, i));
  return ardvark_options_set_texts(options, name, texts, (int64_t)count, failure());
}

static ardvark_code set_option(ardvark_options* options, const char* name, SEXP value) {
  SEXP numbers;
  ardvark_code code;
  if (TYPEOF(value) == STRSXP) {
    if (XLENGTH(value) != 1 || takes_texts(name)) return set_texts(options, name, value);
    return ardvark_options_set_text(options, name, utf8(STRING_ELT(value, 0)), failure());
  }
  numbers = PROTECT(Rf_coerceVector(value, REALSXP));
  if (XLENGTH(numbers) == 1)
    code = ardvark_options_set_number(options, name, REAL(numbers)[0], failure());
  else
    code = ardvark_options_set_numbers(options, name, REAL(numbers), (int64_t)XLENGTH(numbers), failure());
  UNPROTECT(1);
  return code;
}

SEXP options_of(SEXP list) {
  SEXP handle = PROTECT(own_options(NULL)), names = Rf_getAttrib(list, R_NamesSymbol);
  ardvark_options* const options = ardvark_options_create();
  R_xlen_t i;
  if (options == NULL) Rf_error("there is not enough memory for this problem");
  R_SetExternalPtrAddr(handle, options);
  main_thread_ = pthread_self();
  ardvark_options_set_progress(options, on_progress, NULL, 0.05);
  for (i = 0; i < XLENGTH(list); ++i)
    if (set_option(options, utf8(STRING_ELT(names, i)), VECTOR_ELT(list, i)) != ARDVARK_OK) {
      UNPROTECT(1);
      return NULL;
    }
  UNPROTECT(1);
  return handle;
}

/* ---- tables ---- */

ardvark_matrix matrix_of(SEXP X, SEXP skip, SEXP rows, SEXP* memory) {
  enum { block = 64 }; /* of rows that stay in the cache */
  const R_xlen_t all = Rf_nrows(X), first = Rf_asInteger(skip), columns = Rf_ncols(X) - first;
  const R_xlen_t count = rows == R_NilValue ? all : XLENGTH(rows);
  const int* const position = rows == R_NilValue ? NULL : INTEGER(rows);
  const double* const from = REAL(X) + first * all;
  double* const to = (double*)malloc((size_t)(count * columns + 1) * sizeof(double));
  ardvark_matrix out;
  R_xlen_t begin, i, j;
  *memory = PROTECT(own_memory(NULL));
  if (to == NULL) Rf_error("there is not enough memory for a copy of the model matrix (%.0f x %.0f)", (double)count, (double)columns);
  R_SetExternalPtrAddr(*memory, to);
  for (begin = 0; begin < count; begin += block) {
    const R_xlen_t end = begin + block < count ? begin + block : count;
    for (j = 0; j < columns; ++j)
      for (i = begin; i < end; ++i) to[i * columns + j] = from[(position == NULL ? i : position[i] - 1) + j * all];
  }
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.data = to;
  out.type = ARDVARK_FLOAT64;
  out.rows = count;
  out.columns = columns;
  out.row_stride = columns;
  out.column_stride = 1;
  return out;
}

void forget(SEXP memory) {
  free(R_ExternalPtrAddr(memory));
  R_ClearExternalPtr(memory);
}

ardvark_csc csc_of(SEXP slots) {
  ardvark_csc out;
  const int* const size = INTEGER(VECTOR_ELT(slots, 3));
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.rows = size[0];
  out.columns = size[1];
  out.index_bits = 32;
  out.start = INTEGER(VECTOR_ELT(slots, 0));
  out.row = INTEGER(VECTOR_ELT(slots, 1));
  out.value = REAL(VECTOR_ELT(slots, 2));
  out.dense = "as.matrix(x)";
  out.type = ARDVARK_FLOAT64;
  return out;
}

const double* numbers_or_null(SEXP values) { return values == R_NilValue ? NULL : REAL(values); }
