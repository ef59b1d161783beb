/* Implements mex.h of this folder. One list has all arrays and memory, so that a call that ends by an error leaks nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mex.h"

struct mxArray {
  mxClassID id;
  mwSize rows, columns, dimensions;
  bool sparse, complex;
  void* data; /* numbers; for a cell or a struct mxArray*, for a struct field after field of each element */
  int num_fields;
  char** fields;
};

/* ---- memory */

typedef struct Piece {
  struct Piece *before, *after;
  bool is_array;
} Piece;
static Piece pieces = {&pieces, &pieces, false};

static void* take(size_t size, bool is_array) {
  Piece* const piece = (Piece*)calloc(1, sizeof(Piece) + size);
  if (piece == NULL) abort();
  piece->is_array = is_array;
  piece->before = &pieces, piece->after = pieces.after;
  pieces.after->before = piece, pieces.after = piece;
  return piece + 1;
}
static void give(void* memory) {
  Piece* const piece = (Piece*)memory - 1;
  piece->before->after = piece->after, piece->after->before = piece->before;
  free(piece);
}
void* mxCalloc(size_t count, size_t size) { return take(count * size, false); }
void* mxMalloc(size_t size) {
  void* const memory = take(size, false);
  memset(memory, 0xA5, size); /* callers must not rely on the contents of new memory */
  return memory;
}
void mxFree(void* memory) {
  if (memory != NULL) give(memory);
}
void* mxRealloc(void* memory, size_t size) {
  Piece *piece, *moved;
  if (memory == NULL) return mxMalloc(size);
  piece = (Piece*)memory - 1;
  piece->before->after = piece->after, piece->after->before = piece->before;
  moved = (Piece*)realloc(piece, sizeof(Piece) + size);
  if (moved == NULL) abort();
  moved->before = &pieces, moved->after = pieces.after;
  pieces.after->before = moved, pieces.after = moved;
  return moved + 1;
}
static void free_members(mxArray* array) {
  int k;
  for (k = 0; k < array->num_fields; ++k) free(array->fields[k]);
  free(array->fields);
  free(array->data);
}
void fuzz_sweep(void) {
  while (pieces.after != &pieces) {
    Piece* const piece = pieces.after;
    if (piece->is_array) free_members((mxArray*)(piece + 1));
    give(piece + 1);
  }
}

/* ---- arrays */

static size_t element_size(mxClassID id) {
  switch (id) {
    case mxDOUBLE_CLASS: return sizeof(double);
    case mxSINGLE_CLASS: return sizeof(float);
    case mxCELL_CLASS:
    case mxSTRUCT_CLASS: return sizeof(mxArray*);
    default: return 1;
  }
}
static mxArray* create(mxClassID id, mwSize rows, mwSize columns, mwSize per_element) {
  mxArray* const array = (mxArray*)take(sizeof(mxArray), true);
  array->id = id;
  array->rows = rows, array->columns = columns, array->dimensions = 2;
  array->data = calloc(rows * columns * per_element, element_size(id));
  if (array->data == NULL) abort();
  return array;
}
mxArray* mxCreateNumericMatrix(mwSize rows, mwSize columns, mxClassID id, mxComplexity complexity) {
  mxArray* const array = create(id, rows, columns, 1);
  array->complex = complexity == mxCOMPLEX;
  return array;
}
mxArray* mxCreateDoubleMatrix(mwSize rows, mwSize columns, mxComplexity complexity) {
  return mxCreateNumericMatrix(rows, columns, mxDOUBLE_CLASS, complexity);
}
mxArray* mxCreateDoubleScalar(double value) {
  mxArray* const array = mxCreateDoubleMatrix(1, 1, mxREAL);
  *(double*)array->data = value;
  return array;
}
mxArray* mxCreateLogicalScalar(bool value) {
  mxArray* const array = create(mxLOGICAL_CLASS, 1, 1, 1);
  *(bool*)array->data = value;
  return array;
}
mxArray* mxCreateString(const char* text) {
  mxArray* const array = create(mxCHAR_CLASS, strlen(text) > 0 ? 1 : 0, strlen(text), 1);
  memcpy(array->data, text, strlen(text));
  return array;
}
mxArray* mxCreateCellMatrix(mwSize rows, mwSize columns) { return create(mxCELL_CLASS, rows, columns, 1); }
mxArray* mxCreateStructMatrix(mwSize rows, mwSize columns, int num_fields, const char** names) {
  mxArray* const array = create(mxSTRUCT_CLASS, rows, columns, 0);
  int k;
  for (k = 0; k < num_fields; ++k) mxAddField(array, names[k]);
  return array;
}
static mwSize num_values(const mxArray* array) {
  const mwSize count = array->rows * array->columns;
  return array->id == mxSTRUCT_CLASS ? count * (mwSize)array->num_fields : count;
}
static bool holds_arrays(const mxArray* array) { return array->id == mxCELL_CLASS || array->id == mxSTRUCT_CLASS; }

mxArray* mxDuplicateArray(const mxArray* array) {
  mxArray* copy;
  mwSize i;
  int k;
  copy = (mxArray*)take(sizeof(mxArray), true);
  *copy = *array;
  copy->fields = NULL, copy->num_fields = 0;
  copy->data = calloc(num_values(array), element_size(array->id));
  if (!holds_arrays(array)) {
    memcpy(copy->data, array->data, num_values(array) * element_size(array->id));
    return copy;
  }
  for (i = 0; i < num_values(array); ++i) {
    const mxArray* const value = ((mxArray**)array->data)[i];
    ((mxArray**)copy->data)[i] = value == NULL ? NULL : mxDuplicateArray(value);
  }
  copy->fields = (char**)calloc((size_t)array->num_fields, sizeof(char*));
  for (k = 0; k < array->num_fields; ++k) copy->fields[k] = strdup(array->fields[k]);
  copy->num_fields = array->num_fields;
  return copy;
}
void mxDestroyArray(mxArray* array) {
  mwSize i;
  if (array == NULL) return;
  if (holds_arrays(array))
    for (i = 0; i < num_values(array); ++i) mxDestroyArray(((mxArray**)array->data)[i]);
  free_members(array);
  give(array);
}

/* ---- questions */

bool mxIsDouble(const mxArray* array) { return array->id == mxDOUBLE_CLASS; }
bool mxIsSingle(const mxArray* array) { return array->id == mxSINGLE_CLASS; }
bool mxIsLogical(const mxArray* array) { return array->id == mxLOGICAL_CLASS; }
bool mxIsNumeric(const mxArray* array) { return mxIsDouble(array) || mxIsSingle(array) || mxIsUint8(array); }
bool mxIsChar(const mxArray* array) { return array->id == mxCHAR_CLASS; }
bool mxIsCell(const mxArray* array) { return array->id == mxCELL_CLASS; }
bool mxIsStruct(const mxArray* array) { return array->id == mxSTRUCT_CLASS; }
bool mxIsUint8(const mxArray* array) { return array->id == mxUINT8_CLASS; }
bool mxIsSparse(const mxArray* array) { return array->sparse; }
bool mxIsComplex(const mxArray* array) { return array->complex; }
bool mxIsEmpty(const mxArray* array) { return array->rows * array->columns == 0; }
const char* mxGetClassName(const mxArray* array) {
  static const char* const names[] = {"double", "single", "logical", "char", "uint8", "cell", "struct"};
  return names[array->id];
}
mwSize mxGetM(const mxArray* array) { return array->rows; }
mwSize mxGetN(const mxArray* array) { return array->columns; }
mwSize mxGetNumberOfElements(const mxArray* array) { return array->rows * array->columns; }
mwSize mxGetNumberOfDimensions(const mxArray* array) { return array->dimensions; }
void* mxGetData(const mxArray* array) { return array->data; }
double mxGetScalar(const mxArray* array) {
  if (mxIsEmpty(array)) mexErrMsgIdAndTxt("stub", "the scalar of an empty array");
  if (array->id == mxDOUBLE_CLASS) return *(double*)array->data;
  if (array->id == mxSINGLE_CLASS) return *(float*)array->data;
  if (holds_arrays(array)) mexErrMsgIdAndTxt("stub", "the scalar of an array of arrays");
  return *(unsigned char*)array->data;
}
double mxGetNaN(void) { return NAN; }
int mxGetString(const mxArray* array, char* to, mwSize size) {
  const mwSize count = mxGetNumberOfElements(array);
  if (!mxIsChar(array) || count + 1 > size) return 1;
  memcpy(to, array->data, count);
  to[count] = '\0';
  return 0;
}
char* mxArrayToString(const mxArray* array) {
  const mwSize count = mxGetNumberOfElements(array);
  char* const text = (char*)mxMalloc(count + 1);
  if (!mxIsChar(array)) return NULL;
  memcpy(text, array->data, count);
  text[count] = '\0';
  return text;
}
mxArray* mxGetCell(const mxArray* array, mwSize at) {
  if (array->id != mxCELL_CLASS || at >= num_values(array)) abort();
  return ((mxArray**)array->data)[at];
}
void mxSetCell(mxArray* array, mwSize at, mxArray* value) {
  if (array->id != mxCELL_CLASS || at >= num_values(array)) abort();
  ((mxArray**)array->data)[at] = value;
}
int mxAddField(mxArray* array, const char* name) {
  const mwSize count = array->rows * array->columns, fields = (mwSize)array->num_fields;
  mxArray** const values = (mxArray**)calloc(count * (fields + 1), sizeof(mxArray*));
  mwSize i;
  if (array->id != mxSTRUCT_CLASS) abort();
  if (mxGetFieldNumber(array, name) >= 0) {
    free(values);
    return mxGetFieldNumber(array, name);
  }
  for (i = 0; i < count; ++i) memcpy(values + i * (fields + 1), (mxArray**)array->data + i * fields, fields * sizeof(mxArray*));
  free(array->data);
  array->data = values;
  array->fields = (char**)realloc(array->fields, (fields + 1) * sizeof(char*));
  array->fields[fields] = strdup(name);
  return array->num_fields++;
}
int mxGetNumberOfFields(const mxArray* array) { return array->num_fields; }
int mxGetFieldNumber(const mxArray* array, const char* name) {
  int k;
  for (k = 0; k < array->num_fields; ++k)
    if (strcmp(array->fields[k], name) == 0) return k;
  return -1;
}
const char* mxGetFieldNameByNumber(const mxArray* array, int field) { return array->fields[field]; }
mxArray* mxGetFieldByNumber(const mxArray* array, mwSize at, int field) {
  if (field < 0 || field >= array->num_fields || at >= array->rows * array->columns) return NULL;
  return ((mxArray**)array->data)[at * (mwSize)array->num_fields + (mwSize)field];
}
mxArray* mxGetField(const mxArray* array, mwSize at, const char* name) {
  return array->id == mxSTRUCT_CLASS ? mxGetFieldByNumber(array, at, mxGetFieldNumber(array, name)) : NULL;
}
void mxSetFieldByNumber(mxArray* array, mwSize at, int field, mxArray* value) {
  if (array->id != mxSTRUCT_CLASS || field < 0 || field >= array->num_fields || at >= array->rows * array->columns) abort();
  ((mxArray**)array->data)[at * (mwSize)array->num_fields + (mwSize)field] = value;
}
void fuzz_mark_sparse(mxArray* array) { array->sparse = true; }
void fuzz_mark_dimensions(mxArray* array, mwSize dimensions) { array->dimensions = dimensions; }

/* ---- calls */

char fuzz_message[8192];
static jmp_buf back;

void mexErrMsgIdAndTxt(const char* id, const char* format, ...) {
  va_list arguments;
  (void)id;
  va_start(arguments, format);
  vsnprintf(fuzz_message, sizeof fuzz_message, format, arguments);
  va_end(arguments);
  longjmp(back, 1);
}
void mexWarnMsgIdAndTxt(const char* id, const char* format, ...) {
  (void)id;
  (void)format;
}
int mexCallMATLAB(int num_out, mxArray* out[], int num_in, mxArray* in[], const char* function) {
  const mxArray* const from = in[0];
  mwSize i;
  if (num_out != 1 || num_in != 1) abort();
  if (strcmp(function, "full") == 0) {
    out[0] = mxDuplicateArray(from);
    out[0]->sparse = false;
    return 0;
  }
  if (strcmp(function, "double") != 0 || holds_arrays(from)) abort();
  out[0] = mxCreateDoubleMatrix(from->rows, from->columns, mxREAL);
  for (i = 0; i < num_values(from); ++i)
    ((double*)out[0]->data)[i] = from->id == mxSINGLE_CLASS   ? (double)((float*)from->data)[i]
                                 : from->id == mxDOUBLE_CLASS ? ((double*)from->data)[i]
                                                              : (double)((unsigned char*)from->data)[i];
  return 0;
}
static bool locked;
bool mexIsLocked(void) { return locked; }
void mexLock(void) { locked = true; }

bool fuzz_call(int num_out, mxArray* out[], int num_in, const mxArray* in[]) {
  fuzz_message[0] = '\0';
  if (setjmp(back) != 0) return false;
  mexFunction(num_out, out, num_in, in);
  return true;
}
