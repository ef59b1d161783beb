/* Every model: ardvark_fit, ardvark_predict, ardvark_summary, ardvark_select, ardvark_compare. */
#include <math.h>
#include <stdio.h>
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

/* The texts of a cell. may_miss: an empty entry is a missing value, NULL. */
static const char** texts_of(const mxArray* cell, const char* name, bool may_miss) {
  const mwSize count = mxGetNumberOfElements(cell);
  const char** const texts = (const char**)allocate(count, sizeof(char*));
  char* all; /* one piece of memory for all texts */
  size_t size = 1;
  mwSize i;
  for (i = 0; i < count; ++i) {
    const mxArray* const entry = mxGetCell(cell, i);
    if (!mxIsChar(entry) && !(may_miss && mxGetNumberOfElements(entry) == 0))
      fail(INVALID, "%s{%d} is of class %s; it must be a text%s", name, (int)i + 1, mxGetClassName(entry),
           may_miss ? ", or '' if the value is missing" : "");
    size += 4 * mxGetNumberOfElements(entry) + 1;
  }
  all = (char*)allocate(size, 1);
  for (i = 0; i < count; ++i) {
    char* text;
    if (may_miss && mxGetNumberOfElements(mxGetCell(cell, i)) == 0) continue; /* allocate() sets NULL */
    text = mxArrayToString(mxGetCell(cell, i));
    strcpy(all, text);
    mxFree(text);
    texts[i] = all;
    all += strlen(all) + 1;
  }
  return texts;
}

static void set_option(const char* name, const mxArray* value) {
  const mwSize count = mxGetNumberOfElements(value);
  const bool positions = counts_from_one(name) && strcmp(name, "vectors") != 0; /* the option is a number of rows, the result is a list */
  mwSize i;
  if (mxIsChar(value)) {
    set_text(name, text_of(value, name));
  } else if (mxIsCell(value)) {
    const char** const texts = texts_of(value, name, false);
    check(ardvark_options_set_texts(call_.options, name, texts, (int64_t)count, failure()));
  } else if (count == 1 && !positions) {
    set_number(name, list_of(value, name, 1, "")[0]);
  } else {
    const double* const values = list_of(value, name, -1, "");
    double* const copy = (double*)allocate(count, sizeof(double));
    for (i = 0; i < count; ++i) {
      if (positions) need_position(name, i, values[i]);
      copy[i] = values[i] - (positions ? 1 : 0);
    }
    check(ardvark_options_set_numbers(call_.options, name, copy, (int64_t)count, failure()));
  }
}

/* Refuses options that predictions do not read. */
static void need_options_of_predictions(const mxArray* pairs) {
  static const char* const known[] = {"level", "rule", "interval", "target", "row_offset", "threads", "outputs", "draws", "seed"};
  const mwSize count = mxIsCell(pairs) ? mxGetNumberOfElements(pairs) : 0;
  mwSize i;
  for (i = 0; i < count; i += 2) {
    const char* const name = text_of(mxGetCell(pairs, i), "the name of an option");
    size_t k = 0;
    while (k < sizeof known / sizeof known[0] && strcmp(known[k], name) != 0) ++k;
    if (k < sizeof known / sizeof known[0]) continue;
    if (strcmp(name, "missing") == 0)
      fail(INVALID, "missing is an option of ardvark_fit; a model that was fitted with 'missing', 'impute' predicts rows with gaps; for another "
                    "model leave such rows out: X(all(isfinite(X), 2), :)");
    fail(INVALID, "%s is no option of ardvark_predict; it has level, rule, interval, target, row_offset, outputs, draws, seed and threads", name);
  }
}

/* The value of an option of the pairs; NULL if it is not there. */
static const mxArray* option_named(const mxArray* pairs, const char* name) {
  const mxArray* found = NULL;
  const mwSize count = mxGetNumberOfElements(pairs);
  mwSize i;
  if (!mxIsCell(pairs) || count % 2 != 0) fail(INVALID, "the options must be pairs: 'name', value, ...");
  for (i = 0; i < count; i += 2)
    if (strcmp(text_of(mxGetCell(pairs, i), "the name of an option"), name) == 0) found = mxGetCell(pairs, i + 1);
  return found;
}

/* Sets 'name', value, ... but for those of the list `own`, which ends with NULL: the calling function handles them itself. */
static void set_options(const mxArray* pairs, const char* const* own) {
  const mwSize count = mxGetNumberOfElements(pairs);
  mwSize i;
  if (!mxIsCell(pairs) || count % 2 != 0) fail(INVALID, "the options must be pairs: 'name', value, ...");
  for (i = 0; i < count; i += 2) {
    const char* const name = text_of(mxGetCell(pairs, i), "the name of an option");
    const char* const* one = own;
    while (*one != NULL && strcmp(*one, name) != 0) ++one;
    if (*one == NULL) set_option(name, mxGetCell(pairs, i + 1));
  }
}
static const char* const none_[] = {NULL};

/* The names of the columns that the encoding of the call knows; each is freed by ardvark_free. */
static char** known_columns(int64_t* count) {
  char** names;
  int64_t f;
  check(ardvark_encoding_result(call_.encoding, &call_.result, failure()));
  check(ardvark_result_count(call_.result, "features", count, failure()));
  names = (char**)allocate((size_t)*count, sizeof(char*));
  for (f = 0; f < *count; ++f) {
    char path[40];
    snprintf(path, sizeof path, "features.%lld", (long long)f);
    check(ardvark_result_text(call_.result, path, &names[f], failure()));
  }
  ardvark_result_free(call_.result);
  call_.result = NULL;
  return names;
}

static bool is_among(const char* name, char* const* names, int64_t count) {
  int64_t f;
  for (f = 0; f < count; ++f)
    if (strcmp(names[f], name) == 0) return true;
  return false;
}

/* The fields of a struct as columns; with an encoding only those that it names. */
static void read_table(const mxArray* X) {
  int64_t rows, count = 0;
  char** known = NULL; /* all columns are read */
  bool lacks_some = false;
  int j;
  if (mxGetNumberOfElements(X) != 1)
    fail(INVALID, "X is a list of %d structs; it must be one struct, with a column in each field", (int)mxGetNumberOfElements(X));
  if (mxGetNumberOfFields(X) == 0) fail(INVALID, "X is a struct without fields; each field must be a column");
  rows = (int64_t)mxGetNumberOfElements(mxGetFieldByNumber(X, 0, 0));
  check(ardvark_table_create(rows, &call_.table, failure()));
  if (call_.encoding != NULL) known = known_columns(&count);
  for (j = 0; j < (int)count; ++j) lacks_some = lacks_some || mxGetFieldNumber(X, known[j]) < 0;
  for (j = 0; j < mxGetNumberOfFields(X); ++j) {
    const char* const name = mxGetFieldNameByNumber(X, j);
    const mxArray* const column = mxGetFieldByNumber(X, 0, j);
    char path[128];
    if (known != NULL && !is_among(name, known, count)) {
      if (lacks_some) check(ardvark_table_add_numbers(call_.table, name, allocate((size_t)rows, sizeof(double)), failure())); /* for the message: a similar name */
      continue;
    }
    if ((int64_t)mxGetNumberOfElements(column) != rows)
      fail(INVALID, "X.%s has %d entries; X.%s has %lld", name, (int)mxGetNumberOfElements(column), mxGetFieldNameByNumber(X, 0),
           (long long)rows);
    snprintf(path, sizeof path, "X.%s", name);
    if (mxIsCell(column))
      check(ardvark_table_add_texts(call_.table, name, texts_of(column, path, true), failure()));
    else
      check(ardvark_table_add_numbers(call_.table, name, list_of(column, path, rows, "one per row"), failure()));
  }
  for (j = 0; j < (int)count; ++j) ardvark_free(known[j]);
}

/* X as a matrix. A struct of columns is encoded: as the model of the call knows it, or for a new fit as the options say. */
static ardvark_matrix rows_of(const mxArray* X) {
  ardvark_array encoded = new_array();
  ardvark_matrix out;
  if (!mxIsStruct(X)) return matrix_of(X, "X");
  if (call_.model != NULL) check(ardvark_model_encoding(call_.model, &call_.encoding, failure()));
  if (call_.targets != NULL) check(ardvark_targets_encoding(call_.targets, &call_.encoding, failure()));
  read_table(X);
  if (call_.model == NULL && call_.targets == NULL) {
    check(ardvark_encoding_create(call_.table, call_.options, &call_.encoding, failure()));
    check(ardvark_options_set_encoding(call_.options, call_.encoding, failure()));
  }
  check(ardvark_encoding_apply(call_.encoding, call_.table, &encoded, failure()));
  call_.matrix = encoded.data;
  out.struct_size = sizeof out;
  out.data = encoded.data;
  out.type = ARDVARK_FLOAT64;
  out.rows = encoded.shape[0];
  out.columns = encoded.shape[1];
  out.row_stride = out.columns;
  out.column_stride = 1;
  return out;
}

/* The options of a call with X and y. */
static void begin_problem(const Arguments* a, const char* const* own) {
  need(a, 3, "X and y");
  new_options();
  num_columns_ = mxIsStruct(a->in[0]) ? 0 : (int64_t)mxGetN(a->in[0]);
  set_options(a->in[2], own);
  call_it("labels", "y");
}

static const double* target_of(const Arguments* a, int64_t rows) { return list_of(a->in[1], "y", rows, "one per row of X"); }

/* A table with its target. */
typedef struct Problem {
  ardvark_matrix X;
  const double* y;
} Problem;

static Problem problem_of(const Arguments* a, const char* const* own) {
  Problem out;
  begin_problem(a, own);
  out.X = rows_of(a->in[0]);
  out.y = target_of(a, out.X.rows);
  return out;
}

static bool has_texts(const mxArray* X) {
  int j;
  for (j = 0; mxIsStruct(X) && j < mxGetNumberOfFields(X); ++j)
    if (mxIsCell(mxGetFieldByNumber(X, 0, j))) return true;
  return false;
}

/* Calls add(to, name) for each name in the option 'outputs'. */
static void add_outputs(mxArray* to, const mxArray* names, const char* example, void (*add)(mxArray*, const char*)) {
  mwSize i, count;
  if (names == NULL) return;
  count = mxGetNumberOfElements(names);
  if (!mxIsCell(names)) fail(INVALID, "outputs is of class %s; it must be a cell of names, as {'%s'}", mxGetClassName(names), example);
  for (i = 0; i < count; ++i) add(to, text_of(mxGetCell(names, i), "outputs"));
}

static void add_result(mxArray* to, const char* name) { add_field(to, name, result_named(name)); }

/* Takes over the bytes of a fit. */
static void add_model(mxArray* to, void* bytes, size_t size) {
  mxArray* const model = mxCreateNumericMatrix((mwSize)size, 1, mxUINT8_CLASS, mxREAL);
  memcpy(mxGetData(model), bytes, size);
  ardvark_free(bytes);
  add_field(to, "model", model);
}

/* The pair 'fdr' of many targets. */
static double rate_of(const mxArray* pairs) {
  const mxArray* const given = option_named(pairs, "fdr");
  const double rate = given == NULL ? 0.1 : number_of(given, "fdr");
  if (!(rate > 0 && rate < 1)) fail(INVALID, "fdr is %g; it must lie between 0 and 1", rate);
  return rate;
}

/* Whether the targets were fitted without a prior: then there are directions, unless the noise is Student-t. */
static bool may_have_directions(const mxArray* results) {
  char prior[16];
  const mxArray* const name = mxGetField(results, 0, "prior");
  return name != NULL && mxGetString(name, prior, sizeof prior) == 0 && strcmp(prior, "none") == 0;
}

/* All results of the targets, which of them are explained, and in which direction. */
static mxArray* results_of_targets(double rate) {
  mxArray *out, *explained;
  check(ardvark_targets_result(call_.targets, &call_.result, failure()));
  out = all_results();
  ardvark_result_free(call_.result);
  call_.result = NULL;
  check(ardvark_targets_explained(call_.targets, rate, &call_.result, failure()));
  explained = all_results();
  add_field(explained, "fdr", mxCreateDoubleScalar(rate));
  add_field(out, "explained", explained);
  if (may_have_directions(out)) {
    ardvark_result_free(call_.result);
    call_.result = NULL;
    if (ardvark_targets_directions(call_.targets, 1, NULL, &call_.result, failure()) == ARDVARK_OK) add_field(out, "directions", all_results());
  }
  return out;
}

static bool has_many_targets(const mxArray* y) { return mxGetM(y) > 1 && mxGetN(y) > 1 && (mxIsNumeric(y) || mxIsLogical(y)); }

/* As fit_command. Standard deviations of more than ten million coefficients are not computed. */
static void fit_many(const Arguments* a) {
  static const char* const own[] = {"fdr", "target_names", NULL};
  const mxArray* const names = option_named(a->in[2], "target_names");
  const double rate = rate_of(a->in[2]);
  const char** texts = NULL;
  ardvark_matrix X, Y;
  int32_t what = ARDVARK_TARGETS_LEAVE_ONE_OUT;
  void* bytes;
  size_t size;
  if (option_named(a->in[2], "outputs") != NULL) fail(INVALID, "outputs cannot be given for many targets; fit a column of Y alone");
  if (mxIsSparse(a->in[0])) fail(INVALID, "X is sparse, and a fit of many targets needs a dense X, full(X)");
  begin_problem(a, own);
  X = rows_of(a->in[0]);
  Y = matrix_of(a->in[1], "Y");
  if (names != NULL) {
    if (!mxIsCell(names) || (int64_t)mxGetNumberOfElements(names) != Y.columns)
      fail(INVALID, "target_names must be a cell of %lld names, one per column of Y", (long long)Y.columns);
    texts = texts_of(names, "target_names", false);
  }
  if (X.columns * Y.columns <= 10000000) what |= ARDVARK_TARGETS_SD;
  check(ardvark_fit_targets(&X, &Y, texts, call_.options, what, NULL, NULL, NULL, &call_.targets, failure()));
  a->out[0] = results_of_targets(rate);
  check(ardvark_targets_to_bytes(call_.targets, NULL, &bytes, &size, failure()));
  add_model(a->out[0], bytes, size);
}

/* (X, y, pairs) -> struct; the pair 'outputs' names additional results */
void fit_command(const Arguments* a) {
  static const char* const own[] = {"outputs", NULL};
  void* bytes;
  size_t size;
  need(a, 3, "X and y");
  if (has_many_targets(a->in[1])) {
    fit_many(a);
    return;
  }
  begin_problem(a, own);
  if (mxIsSparse(a->in[0])) {
    const ardvark_csc X = csc_of(a->in[0], "X");
    check(ardvark_fit_csc(&X, target_of(a, X.rows), call_.options, &call_.model, failure()));
  } else {
    const ardvark_matrix X = rows_of(a->in[0]);
    check(ardvark_fit(&X, target_of(a, X.rows), call_.options, &call_.model, failure()));
  }
  check(ardvark_model_result(call_.model, call_.options, &call_.result, failure()));
  report_status("ardvark:max_sweeps");
  a->out[0] = all_results();
  add_outputs(a->out[0], option_named(a->in[2], "outputs"), "covariance", add_result);
  check(ardvark_model_to_bytes(call_.model, &bytes, &size, failure()));
  add_model(a->out[0], bytes, size);
}

/* The model of the call, or its fit of many targets. */
static void load_fit(const mxArray* model) {
  const mxArray* bytes = model;
  ardvark_code code;
  if (mxIsChar(model)) {
    const char* const path = text_of(model, "model");
    code = ardvark_model_load(path, &call_.model, failure());
    if (code != ARDVARK_OK && ardvark_targets_load(path, &call_.targets, NULL) != ARDVARK_OK) check(code);
    return;
  }
  if (mxIsStruct(model)) bytes = mxGetField(model, 0, "model");
  if (bytes == NULL || !mxIsUint8(bytes)) fail(INVALID, "model is not a model: it must be a struct that ardvark_fit returned, or the path of a model file");
  code = ardvark_model_from_bytes(mxGetData(bytes), mxGetNumberOfElements(bytes), &call_.model, failure());
  if (code != ARDVARK_OK && ardvark_targets_from_bytes(mxGetData(bytes), mxGetNumberOfElements(bytes), &call_.targets, NULL) != ARDVARK_OK)
    check(code);
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

/* Observations for the density; positions of classes count from 1. */
static const double* observations(const mxArray* target, int64_t rows) {
  double* const copy = (double*)allocate((size_t)rows, sizeof(double));
  const double* const values = list_of(target, "target", rows, "one per row of X");
  const int num_classes = (int)num_classes_of_model();
  int64_t i;
  for (i = 0; i < rows; ++i) {
    if (!isfinite(values[i])) fail(INVALID, "target(%lld) is %g; it must be finite", (long long)i + 1, values[i]);
    if (num_classes > 0 && (!(values[i] >= 1 && values[i] <= num_classes) || values[i] != floor(values[i])))
      fail(INVALID, "target(%lld) is %g; for a classifier it must be a position in classes, 1 to %d", (long long)i + 1, values[i],
           num_classes);
    copy[i] = values[i] - (num_classes > 0 ? 1 : 0);
  }
  return copy;
}

/* A result of the rows together; with several classes a cell with one for each. */
static void add_joint(mxArray* to, const char* name) {
  int64_t count = 0;
  mxArray* list;
  mwSize k;
  if (ardvark_result_count(call_.result, "machines", &count, NULL) != ARDVARK_OK) {
    add_result(to, name);
    return;
  }
  list = mxCreateCellMatrix((mwSize)count, 1);
  for (k = 0; k < (mwSize)count; ++k) {
    char path[40];
    snprintf(path, sizeof path, "machines.%d.%s", (int)k, name);
    mxSetCell(list, k, result_named(path));
  }
  add_field(to, name, list);
}

static void predict_joint(const ardvark_matrix* X, int64_t draws) {
  ardvark_result_free(call_.result);
  call_.result = NULL;
  check(ardvark_predict_joint(call_.model, X, draws, call_.options, &call_.result, failure()));
}

/* Refuses options that a fit of many targets does not read. */
static void need_options_of_targets(const mxArray* pairs, const char* const* known, const char* list) {
  const mwSize count = mxGetNumberOfElements(pairs);
  mwSize i;
  for (i = 0; i < count; i += 2) {
    const char* const name = text_of(mxGetCell(pairs, i), "the name of an option");
    const char* const* one = known;
    while (*one != NULL && strcmp(*one, name) != 0) ++one;
    if (*one == NULL) fail(INVALID, "%s cannot be given for many targets; there is %s", name, list);
  }
}

/* Memory of a matrix [rows, targets]. */
static ardvark_columns columns_of(const mxArray* matrix) {
  ardvark_columns out = {sizeof out, mxGetData(matrix), ARDVARK_FLOAT64, 0};
  return out;
}

/* As predict_command. */
static void predict_many(const Arguments* a) {
  static const char* const known[] = {"interval", "threads", NULL};
  mxArray *mean, *sd;
  ardvark_matrix X;
  need_options_of_targets(a->in[2], known, "interval and threads");
  if (mxIsSparse(a->in[1])) fail(INVALID, "X is sparse, and a fit of many targets needs a dense X, full(X)");
  X = rows_of(a->in[1]);
  new_options();
  set_options(a->in[2], none_);
  call_it("X_new", "X");
  check(ardvark_targets_result(call_.targets, &call_.result, failure()));
  mean = mxCreateDoubleMatrix((mwSize)X.rows, (mwSize)result_number("num_targets"), mxREAL);
  sd = mxCreateDoubleMatrix(mxGetM(mean), mxGetN(mean), mxREAL);
  {
    const ardvark_columns to_mean = columns_of(mean), to_sd = columns_of(sd);
    check(ardvark_targets_predict(call_.targets, &X, NULL, call_.options, &to_mean, &to_sd, failure()));
  }
  a->out[0] = mxCreateStructMatrix(1, 1, 0, NULL);
  add_field(a->out[0], "mean", mean);
  add_field(a->out[0], "sd", sd);
  add_result(a->out[0], "degrees_of_freedom");
}

/* (model, X, pairs) -> struct; of the pairs, 'target', 'outputs' and 'draws' are not options of the library */
void predict_command(const Arguments* a) {
  static const char* const own[] = {"target", "outputs", "draws", NULL};
  ardvark_matrix X = {0};
  const mxArray *target, *outputs, *draws;
  const bool is_sparse = a->num_in > 1 && mxIsSparse(a->in[1]);
  need(a, 3, "model and X");
  num_columns_ = 0;
  load_fit(a->in[0]);
  need_options_of_predictions(a->in[2]);
  if (call_.targets != NULL) {
    predict_many(a);
    return;
  }
  if (!is_sparse) X = rows_of(a->in[1]);
  new_options();
  set_options(a->in[2], own);
  target = option_named(a->in[2], "target");
  outputs = option_named(a->in[2], "outputs");
  draws = option_named(a->in[2], "draws");
  call_it("X_new", "X");
  if (is_sparse) {
    const ardvark_csc rows = csc_of(a->in[1], "X");
    check(ardvark_predict_csc(call_.model, &rows, target == NULL ? NULL : observations(target, rows.rows), call_.options, &call_.result, failure()));
    if (outputs != NULL || draws != NULL) X = matrix_of(a->in[1], "X"); /* of a kernel machine, which reads no sparse X: an error says so */
  } else {
    check(ardvark_predict(call_.model, &X, target == NULL ? NULL : observations(target, X.rows), call_.options, &call_.result, failure()));
  }
  a->out[0] = all_results();
  if (outputs != NULL) {
    predict_joint(&X, 0);
    add_outputs(a->out[0], outputs, "covariance", add_joint);
  }
  if (draws != NULL) {
    const double count = list_of(draws, "draws", 1, "")[0];
    if (!(count >= 1) || count != floor(count)) fail(INVALID, "draws is %g; it must be a whole number from 1", count);
    predict_joint(&X, (int64_t)count);
    add_joint(a->out[0], "draws");
  }
}

/* (model, path) */
void save_command(const Arguments* a) {
  const char* path;
  need(a, 2, "model and path");
  load_fit(a->in[0]);
  path = text_of(a->in[1], "path");
  check(call_.targets != NULL ? ardvark_targets_save(call_.targets, NULL, path, failure())
                              : ardvark_model_save(call_.model, path, failure()));
}

static ardvark_report_words words_of(const mxArray* pairs) {
  const mxArray* const title = option_named(pairs, "title");
  ardvark_report_words words;
  memset(&words, 0, sizeof words);
  words.struct_size = sizeof words;
  if (title != NULL) words.title = text_of(title, "title");
  return words;
}

/* (model, path, X, target, pairs): without rows both are empty */
void report_command(const Arguments* a) {
  static const char* const own[] = {"title", "fdr", NULL};
  const bool has_rows = a->num_in > 2 && !mxIsEmpty(a->in[2]);
  const char* path;
  ardvark_matrix X = {0}, Y = {0};
  ardvark_report_words words;
  need(a, 5, "model and path");
  num_columns_ = 0;
  load_fit(a->in[0]);
  path = text_of(a->in[1], "path");
  words = words_of(a->in[4]);
  if (has_rows != !mxIsEmpty(a->in[3])) fail(INVALID, "a report compares rows with their target: give X and target, or neither");
  if (has_rows) X = rows_of(a->in[2]);
  if (call_.targets != NULL) {
    static const char* const known[] = {"title", "fdr", NULL};
    const double rate = rate_of(a->in[4]);
    need_options_of_targets(a->in[4], known, "title and fdr");
    if (has_rows) Y = matrix_of(a->in[3], "target");
    call_it("Y", "target");
    check(ardvark_targets_report(call_.targets, has_rows ? &X : NULL, has_rows ? &Y : NULL, NULL, rate, &words, path, NULL, failure()));
    return;
  }
  new_options();
  set_options(a->in[4], own);
  call_it("X_new", "X");
  check(ardvark_model_report(call_.model, has_rows ? &X : NULL, has_rows ? observations(a->in[3], X.rows) : NULL, call_.options, &words, path,
                             NULL, failure()));
}

/* (model, pairs) -> text; of many targets a struct with all results, from which the caller makes a table */
void summary_command(const Arguments* a) {
  char *text, *written;
  need(a, 2, "model");
  num_columns_ = 0;
  load_fit(a->in[0]);
  new_options();
  if (call_.targets != NULL) {
    static const char* const known[] = {"fdr", NULL};
    const double rate = rate_of(a->in[1]);
    need_options_of_targets(a->in[1], known, "fdr");
    a->out[0] = results_of_targets(rate);
    return;
  }
  set_options(a->in[1], none_);
  check(ardvark_model_summary(call_.model, call_.options, &text, failure()));
  written = in_our_words(text);
  ardvark_free(text);
  a->out[0] = mxCreateString(written);
  ardvark_free(written);
}

/* (X, labels, pairs) -> struct */
void select_command(const Arguments* a) {
  const Problem given = problem_of(a, none_);
  check(ardvark_select(&given.X, given.y, call_.options, &call_.result, failure()));
  report_status("ardvark:max_sweeps");
  a->out[0] = all_results();
}

/* NULL: the default */
static const char* names_or_default(const mxArray* list, const char* name) {
  const char* const names = text_of(list, name);
  return names[0] == '\0' ? NULL : names;
}

/* (X, y, pairs, priors, kernels) -> struct */
void compare_command(const Arguments* a) {
  const char *priors, *kernels;
  Problem given;
  need(a, 5, "X and y");
  priors = names_or_default(a->in[3], "priors");
  kernels = names_or_default(a->in[4], "kernel");
  given = problem_of(a, none_);
  if (kernels != NULL && has_texts(a->in[0])) fail(INVALID, "kernels cannot be used with text columns; give columns of numbers");
  check(ardvark_compare(&given.X, given.y, priors, kernels, call_.options, &call_.result, failure()));
  if (strcmp(result_text("status"), "stopped_by_user") == 0) fail("ardvark:interrupted", "interrupted: there is no result");
  a->out[0] = all_results();
  add_field(a->out[0], "summary", mxCreateString(result_text("summary")));
}
