#include "core.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- interruption ------------------------------------------------------------------------------------------------------------------- */

/* Control-C ends the call as soon as it can; the interpreter then handles it as usual. In MATLAB the function for this is not
 * documented: mex -DARDVARK_MATLAB_INTERRUPT ... -lut */
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
  return interrupted() ? ARDVARK_LEAVE : ARDVARK_GO_ON;
}

/* ---- options ------------------------------------------------------------------------------------------------------------------------ */

void set_text(const char* name, const char* value) { check(ardvark_options_set_text(call_.options, name, value, failure())); }
void set_number(const char* name, double value) { check(ardvark_options_set_number(call_.options, name, value, failure())); }

void new_options(void) {
  ardvark_options_free(call_.options);
  call_.options = ardvark_options_create();
  if (call_.options == NULL) fail("ardvark:environment", "there is not enough memory for this problem");
  ardvark_options_set_progress(call_.options, on_progress, NULL, 0.05);
  if (settings_.threads > 0) set_number("threads", settings_.threads);
}

/* ---- results ------------------------------------------------------------------------------------------------------------------------ */

mxArray* empty(void) { return mxCreateDoubleMatrix(0, 0, mxREAL); }

/* Takes over the data of the array; rows of the library become columns here. */
mxArray* take(ardvark_array* array) {
  const int64_t rows = array->dimensions == 0 ? 1 : array->shape[0], columns = array->dimensions == 2 ? array->shape[1] : 1;
  mxArray* const out = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
  double* const to = (double*)mxGetData(out);
  int64_t i, j;
  for (j = 0; j < columns; ++j)
    for (i = 0; i < rows; ++i) to[i + j * rows] = array->data[i * columns + j];
  ardvark_free(array->data);
  return out;
}
/* For a symmetric matrix, both orders are right. */
mxArray* take_symmetric(ardvark_array* array) {
  mxArray* const out = mxCreateDoubleMatrix((mwSize)array->shape[0], (mwSize)array->shape[1], mxREAL);
  memcpy(mxGetData(out), array->data, (size_t)(array->shape[0] * array->shape[1]) * sizeof(double));
  ardvark_free(array->data);
  return out;
}
ardvark_array new_array(void) {
  ardvark_array array;
  memset(&array, 0, sizeof array);
  array.struct_size = sizeof array;
  return array;
}
ardvark_array array_named(const char* name) {
  ardvark_array array = new_array();
  check(ardvark_result_array(call_.result, name, &array, failure()));
  return array;
}
mxArray* result_named(const char* name) {
  ardvark_array array = array_named(name);
  return take(&array);
}
double result_number(const char* name) {
  double number;
  check(ardvark_result_number(call_.result, name, &number, failure()));
  return number;
}
const char* result_text(const char* name) {
  char *text, *copy;
  check(ardvark_result_text(call_.result, name, &text, failure()));
  copy = keep_copy(text);
  ardvark_free(text);
  return copy;
}

/* Kept until the call ends. */
static const char* message_of_fit(void) {
  char* const text = in_our_words(result_text("message"));
  const char* const copy = keep_copy(text);
  ardvark_free(text);
  return copy;
}

void report_status(const char* at_most) {
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

/* ---- all of them, as a struct ------------------------------------------------------------------------------------------------------- */

bool counts_from_one(const char* name) {
  static const char* const names[] = {"group", "flat", "input_group", "relevance_rows", "vectors", "most_probable", "columns"};
  size_t i;
  const char* const dot = strrchr(name, '.');
  if (dot != NULL) name = dot + 1;
  for (i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

void add_field(mxArray* to, const char* name, mxArray* value) { mxSetFieldByNumber(to, 0, mxAddField(to, name), value); }

/* Whether the result is a text of the core, not a name from the caller. */
static bool is_advice(const char* path) {
  return strcmp(path, "message") == 0 || strncmp(path, "warnings.", 9) == 0 || strncmp(path, "notes.", 6) == 0;
}

static mxArray* text_result(const ardvark_entry* entry) {
  char* written;
  mxArray* out;
  if (!is_advice(entry->path)) return mxCreateString(entry->text);
  written = in_our_words(entry->text);
  out = mxCreateString(written);
  ardvark_free(written);
  return out;
}

static mxArray* numbers_result(const char* path) {
  mxArray* const out = result_named(path);
  double* const values = (double*)mxGetData(out);
  const size_t count = counts_from_one(path) ? mxGetNumberOfElements(out) : 0;
  size_t i;
  for (i = 0; i < count; ++i)
    if (values[i] >= 0) values[i] += 1;
  return out;
}

/* A struct from a record, a cell from a list. `path` NULL: from the whole result. */
static mxArray* entries(const char* path, bool is_record, int64_t count) {
  mxArray* const out = is_record ? mxCreateStructMatrix(1, 1, 0, NULL) : count > 0 ? mxCreateCellMatrix((mwSize)count, 1) : empty();
  int64_t i;
  for (i = 0; i < count; ++i) {
    ardvark_entry entry;
    mxArray* value;
    entry.struct_size = sizeof entry;
    check(ardvark_result_entry(call_.result, path, i, &entry, failure()));
    switch (entry.kind) {
      case ARDVARK_NUMBERS: value = numbers_result(entry.path); break;
      case ARDVARK_FLAG: value = mxCreateLogicalScalar(result_number(entry.path) != 0); break;
      case ARDVARK_TEXT: value = text_result(&entry); break;
      case ARDVARK_NOTHING: value = mxCreateDoubleScalar(mxGetNaN()); break;
      default: value = entries(entry.path, entry.kind == ARDVARK_RECORD, entry.count);
    }
    if (is_record)
      add_field(out, entry.name, value);
    else
      mxSetCell(out, (mwSize)i, value);
  }
  return out;
}

mxArray* all_results(void) {
  int64_t count;
  check(ardvark_result_count(call_.result, NULL, &count, failure()));
  return entries(NULL, true, count);
}
