#include <math.h>
#include <string.h>

#include "binding.h"

/* Takes over the data of the array; rows of the library become columns here. */
SEXP take_array(ardvark_array* array) {
  const int64_t rows = array->dimensions == 0 ? 1 : array->shape[0], columns = array->dimensions == 2 ? array->shape[1] : 1;
  SEXP memory = PROTECT(own_memory(array->data));
  SEXP out = PROTECT(array->dimensions == 2 ? Rf_allocMatrix(REALSXP, (int)rows, (int)columns) : Rf_allocVector(REALSXP, (R_xlen_t)rows));
  double* const to = REAL(out);
  int64_t i, j;
  for (j = 0; j < columns; ++j)
    for (i = 0; i < rows; ++i) to[i + j * rows] = array->data[i * columns + j];
  R_ClearExternalPtr(memory);
  ardvark_free(array->data);
  UNPROTECT(2);
  return out;
}

SEXP take_text(char* text) {
  SEXP memory = PROTECT(own_memory(text));
  SEXP out = PROTECT(Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)));
  R_ClearExternalPtr(memory);
  ardvark_free(text);
  UNPROTECT(2);
  return out;
}

/* Positions, which count from 0 in the library and from 1 here. */
static int counts_from_one(const char* path) {
  static const char* const names[] = {"group", "flat", "input_group", "relevance_rows", "vectors", "most_probable", "columns"};
  const char* const dot = strrchr(path, '.');
  const char* const name = dot == NULL ? path : dot + 1;
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

static SEXP numbers_at(ardvark_result* result, const char* path) {
  ardvark_array array;
  SEXP out;
  R_xlen_t i;
  memset(&array, 0, sizeof array);
  array.struct_size = sizeof array;
  if (ardvark_result_array(result, path, &array, failure()) != ARDVARK_OK) return R_NilValue;
  out = take_array(&array);
  if (counts_from_one(path))
    for (i = 0; i < XLENGTH(out); ++i)
      if (REAL(out)[i] >= 0) REAL(out)[i] += 1;
  return out;
}

static SEXP entries(ardvark_result* result, const char* path, int is_record, int64_t count);

static SEXP value_of(ardvark_result* result, const ardvark_entry* entry) {
  double flag = 0;
  switch (entry->kind) {
    case ARDVARK_NUMBERS: return numbers_at(result, entry->path);
    case ARDVARK_FLAG: (void)ardvark_result_number(result, entry->path, &flag, failure()); return Rf_ScalarLogical(flag != 0);
    case ARDVARK_TEXT: return Rf_ScalarString(Rf_mkCharCE(entry->text, CE_UTF8));
    case ARDVARK_NOTHING: return R_NilValue;
    default: return entries(result, entry->path, entry->kind == ARDVARK_RECORD, entry->count);
  }
}

/* A list with names from a record, without names from a list; a list of texts is a character vector. */
static SEXP entries(ardvark_result* result, const char* path, int is_record, int64_t count) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count)), names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count)), texts;
  int all_texts = !is_record;
  R_xlen_t i;
  for (i = 0; i < count; ++i) {
    ardvark_entry entry;
    memset(&entry, 0, sizeof entry);
    entry.struct_size = sizeof entry;
    if (ardvark_result_entry(result, path, (int64_t)i, &entry, failure()) != ARDVARK_OK) continue;
    all_texts = all_texts && entry.kind == ARDVARK_TEXT;
    SET_STRING_ELT(names, i, Rf_mkCharCE(entry.name, CE_UTF8));
    SET_VECTOR_ELT(out, i, value_of(result, &entry));
  }
  if (is_record) Rf_setAttrib(out, R_NamesSymbol, names);
  if (all_texts) {
    texts = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (i = 0; i < count; ++i) SET_STRING_ELT(texts, i, STRING_ELT(VECTOR_ELT(out, i), 0));
    UNPROTECT(3);
    return texts;
  }
  UNPROTECT(2);
  return out;
}

SEXP results_of(ardvark_result* result) {
  int64_t count = 0;
  if (ardvark_result_count(result, NULL, &count, failure()) != ARDVARK_OK) return failure_list();
  return entries(result, NULL, 1, count);
}
