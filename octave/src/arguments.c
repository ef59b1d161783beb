#include "arguments.h"

#include <math.h>

void need(const Arguments* a, int least, const char* names) {
  if (a->num_in < least) fail(INVALID, "an argument is missing; there must be %s", names);
}

static void need_real_matrix(const mxArray* array, const char* name) {
  if (!(mxIsNumeric(array) || mxIsLogical(array))) fail(INVALID, "%s is of class %s; it must be numbers", name, mxGetClassName(array));
  if (mxIsComplex(array)) fail(INVALID, "%s is complex; it must be real", name);
  if (mxGetNumberOfDimensions(array) > 2)
    fail(INVALID, "%s has %d dimensions; it must be a matrix", name, (int)mxGetNumberOfDimensions(array));
}

/* The ardvark_type of the entries, which the core reads in place; 0: it does not know them. */
static int32_t type_of(const mxArray* array) {
  if (mxIsDouble(array)) return ARDVARK_FLOAT64;
  if (mxIsSingle(array)) return ARDVARK_FLOAT32;
  return mxIsInt8(array) || mxIsLogical(array) ? ARDVARK_INT8 : 0;
}

static const mxArray* converted_to(const char* class_name, const mxArray* array, const char* name) {
  mxArray *converted = NULL, *argument = (mxArray*)array;
  if (mexCallMATLAB(1, &converted, 1, &argument, class_name) != 0)
    fail("ardvark:environment", "%s could not be converted to a full matrix of numbers", name);
  return keep_temporary(converted);
}

/* A full matrix of numbers of a type that the core knows; others become double. */
static const mxArray* numbers(const mxArray* array, const char* name) {
  need_real_matrix(array, name);
  if (mxIsSparse(array)) array = converted_to("full", array, name);
  return type_of(array) != 0 ? array : converted_to("double", array, name);
}

ardvark_matrix matrix_of(const mxArray* array, const char* name) {
  ardvark_matrix out;
  array = numbers(array, name);
  out.struct_size = sizeof out;
  out.data = mxGetData(array);
  out.type = type_of(array);
  out.rows = (int64_t)mxGetM(array);
  out.columns = (int64_t)mxGetN(array);
  out.row_stride = 1;
  out.column_stride = out.rows;
  return out;
}

ardvark_csc csc_of(const mxArray* array, const char* name) {
  ardvark_csc out;
  need_real_matrix(array, name);
  out.struct_size = sizeof out;
  out.rows = (int64_t)mxGetM(array);
  out.columns = (int64_t)mxGetN(array);
  out.index_bits = 8 * (int32_t)sizeof(mwIndex);
  out.start = mxGetJc(array);
  out.row = mxGetIr(array);
  out.value = mxGetData(array);
  out.dense = "full(X)";
  out.type = type_of(array);
  return out;
}
ardvark_matrix square_of(const mxArray* array, const char* name, int64_t size) {
  const ardvark_matrix out = matrix_of(array, name);
  if (out.rows != size || out.columns != size)
    fail(INVALID, "%s is %d x %d; it must be %d x %d, as w has %d entries", name, (int)out.rows, (int)out.columns, (int)size, (int)size,
         (int)size);
  return out;
}

const double* list_of(const mxArray* array, const char* name, int64_t size, const char* because) {
  array = numbers(array, name);
  if (mxGetM(array) > 1 && mxGetN(array) > 1)
    fail(INVALID, "%s is %d x %d; it must be a vector", name, (int)mxGetM(array), (int)mxGetN(array));
  if (size >= 0 && (int64_t)mxGetNumberOfElements(array) != size)
    fail(INVALID, "%s has %d entries; it must have %d, %s", name, (int)mxGetNumberOfElements(array), (int)size, because);
  if (!mxIsDouble(array)) array = converted_to("double", array, name);
  return (const double*)mxGetData(array);
}

double number_of(const mxArray* array, const char* name) {
  const double x = list_of(array, name, 1, "a single number")[0];
  if (!isfinite(x)) fail(INVALID, "%s is %g; it must be finite", name, x);
  return x;
}
double positive_of(const mxArray* array, const char* name) {
  const double x = number_of(array, name);
  if (!(x > 0)) fail(INVALID, "%s is %g; it must be > 0", name, x);
  return x;
}

const double* signs_of(const mxArray* array, const char* name, int64_t rows) {
  const double* const y = list_of(array, name, rows, "one per row of X");
  int64_t i;
  for (i = 0; i < rows; ++i)
    if (y[i] != 1 && y[i] != -1) fail(INVALID, "%s at row %d is %g; it must be -1 or 1", name, (int)i + 1, y[i]);
  return y;
}

const char* text_of(const mxArray* array, const char* name) {
  char *text, *copy;
  if (!mxIsChar(array)) fail(INVALID, "%s is of class %s; it must be a text", name, mxGetClassName(array));
  text = mxArrayToString(array);
  if (text == NULL) fail(INVALID, "%s could not be read as a text", name);
  copy = keep_copy(text);
  mxFree(text);
  return copy;
}
