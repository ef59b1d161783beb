/* Every model: ardvark_fit, ardvark_predict, ardvark_summary, ardvark_select. */
#include <math.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"
#include "core.h"

static int64_t num_columns_; /* of X in this call; 0: the call has no X */

/* Checked here, because the message must have the caller's numbers, which count from 1. */
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
    char* all; /* one piece of memory for all texts */
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
    check(ardvark_options_set_texts(call_.options, name, texts, (int64_t)count, failure()));
  } else if (count == 1 && !counts_from_one(name)) {
    set_number(name, list_of(value, name, 1, "")[0]);
  } else {
    const double* const values = list_of(value, name, -1, "");
    double* const copy = (double*)allocate(count, sizeof(double));
    for (i = 0; i < count; ++i) {
      if (counts_from_one(name)) need_position(name, i, values[i]);
      copy[i] = values[i] - (counts_from_one(name) ? 1 : 0);
    }
    check(ardvark_options_set_numbers(call_.options, name, copy, (int64_t)count, failure()));
  }
}

/* Sets 'name', value, ... ; the calling function handles the options of the interface itself. */
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

/* (X, y, pairs) -> struct; the pair 'outputs' names additional results */
void fit_command(const Arguments* a) {
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
  call_it("labels", "y");
  check(ardvark_fit(&X, y, call_.options, &call_.model, failure()));
  check(ardvark_model_result(call_.model, call_.options, &call_.result, failure()));
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
  check(ardvark_model_to_bytes(call_.model, &bytes, &size, failure()));
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
  if (bytes == NULL || !mxIsUint8(bytes)) fail(INVALID, "model is not a model: it must be a struct that ardvark_fit returned");
  check(ardvark_model_from_bytes(mxGetData(bytes), mxGetNumberOfElements(bytes), &call_.model, failure()));
}

/* 0: a regression */
static int64_t num_classes_of_model(void) {
  int64_t count = 0;
  check(ardvark_model_result(call_.model, NULL, &call_.result, failure()));
  (void)ardvark_result_count(call_.result, "classes", &count, NULL);
  ardvark_result_free(call_.result);
  call_.result = NULL;
  return count;
}

/* (model, X, pairs) -> struct; one of the pairs is 'target' */
void predict_command(const Arguments* a) {
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
    const int num_classes = (int)num_classes_of_model();
    int64_t i;
    for (i = 0; i < X.rows; ++i) {
      if (!isfinite(values[i])) fail(INVALID, "target(%lld) is %g; it must be finite", (long long)i + 1, values[i]);
      if (num_classes > 0 && (!(values[i] >= 1 && values[i] <= num_classes) || values[i] != floor(values[i])))
        fail(INVALID, "target(%lld) is %g; for a classifier it must be a position in classes, 1 to %d", (long long)i + 1, values[i],
             num_classes);
      copy[i] = values[i] - (num_classes > 0 ? 1 : 0);
    }
    y = copy;
  }
  call_it("X_new", "X");
  check(ardvark_predict(call_.model, &X, y, call_.options, &call_.result, failure()));
  a->out[0] = all_results();
}

/* (model, pairs) -> text */
void summary_command(const Arguments* a) {
  char *text, *written;
  need(a, 2, "model");
  num_columns_ = 0;
  load_bytes(a->in[0]);
  new_options();
  (void)set_options(a->in[1], NULL);
  check(ardvark_model_summary(call_.model, call_.options, &text, failure()));
  written = in_our_words(text);
  ardvark_free(text);
  a->out[0] = mxCreateString(written);
  ardvark_free(written);
}

/* (X, labels, pairs) -> struct */
void select_command(const Arguments* a) {
  ardvark_matrix X;
  const double* y;
  need(a, 3, "X and y");
  X = matrix_of(a->in[0], "X");
  y = list_of(a->in[1], "y", X.rows, "one per row of X");
  new_options();
  num_columns_ = X.columns;
  (void)set_options(a->in[2], NULL);
  call_it("labels", "y");
  check(ardvark_select(&X, y, call_.options, &call_.result, failure()));
  report_status("ardvark:max_sweeps");
  a->out[0] = all_results();
}
