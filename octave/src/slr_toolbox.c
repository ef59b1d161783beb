/* The programs of the SLR toolbox. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"
#include "core.h"

typedef enum Likeness { per_column, shared_by_all, kernel_machine, laplace_prior } Likeness;

/* A program of the toolbox: (x_train, t_train, x_test, t_test, [R | gamma1], 'name', value, ...) */
typedef struct Program {
  const char *name, *preset;
  Likeness likeness;
  bool several;        /* classes */
  bool history;        /* AXall is an output */
  bool has_extra;      /* there is a fifth argument */
  bool reads_ax0;      /* the published program uses ax0; all accept it, but few use it */
  const char* options; /* in addition to those of all programs */
} Program;

#define OF_ALL "scale_mode mean_mode nlearn nstep"
#define OF_SLR " amax usebias norm_sep displaytext ax0"
#define OF_LAP " wmaxiter wdisp_mode"
static const Program programs[] = {
    {"biclsfy_slrvar", "slr_var", per_column, false, true, false, false, OF_SLR " invhessian"},
    {"biclsfy_slrlap", "slr_lap", per_column, false, true, false, false, OF_SLR OF_LAP},
    {"biclsfy_rlrvar", "rlr_var", shared_by_all, false, true, false, false, OF_SLR " invhessian"},
    {"biclsfy_rlrlap", "rlr_lap", shared_by_all, false, true, false, false, OF_SLR OF_LAP " gamma0"},
    {"biclsfy_rvm", "slr_rvm", kernel_machine, false, true, true, false, OF_SLR " kernel"},
    {"biclsfy_l1slrlap", "l1_slr_lap", per_column, false, true, true, false, OF_SLR OF_LAP},
    {"biclsfy_l1slrc", "l1_slr_c", laplace_prior, false, false, true, false, " usebias norm_sep displaytext"},
    {"muclsfy_smlr", "smlr", per_column, true, true, false, false, OF_SLR OF_LAP " gamma0 isplot"},
    {"muclsfy_rmlr", "rmlr", shared_by_all, true, true, false, false, OF_SLR OF_LAP " gamma0 prenlearn"},
    {"muclsfy_slrlapovrm", "slr_lap_ovr", per_column, true, true, false, false, OF_SLR OF_LAP " reduceparm"},
    {"muclsfy_slrvarovrm", "slr_var_ovr", per_column, true, true, false, false, OF_SLR " invhessian reduceparm"},
    {"muclsfy_rlrvarovrm", "rlr_var_ovr", shared_by_all, true, true, false, true, OF_SLR " invhessian reduceparm"},
    {"muclsfy_slrvarovo", "slr_var_ovo", per_column, true, true, false, true, OF_SLR " invhessian combine_mode"},
};

/* The sizes of a problem, as the toolbox counts them. */
typedef struct Size {
  int64_t rows, columns;
  int num_classes, machines; /* columns of ww */
  bool bias;
} Size;

/* Number of weights of a machine. */
static int64_t width_of(const Program* program, const Size* size) {
  return (program->likeness == kernel_machine ? size->rows : size->columns) + (size->bias ? 1 : 0);
}

/* The classes of the training labels, ascending, and each label as its position. */
typedef struct Labels {
  double* classes;
  int num_classes;
  double* train; /* positions from 0 */
  double* test;
  int64_t num_train, num_test;
} Labels;

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static double position_of(const Labels* labels, double value, const char* name, int64_t row) {
  int low = 0, high = labels->num_classes - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (labels->classes[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  if (labels->classes[low] != value) fail(INVALID, "%s at row %d is %g, which is not a class of t_train", name, (int)row + 1, value);
  return low;
}

static Labels labels_of(const mxArray* t_train, const mxArray* t_test, int64_t num_train, int64_t num_test, bool several) {
  Labels out;
  const double* const train = list_of(t_train, "t_train", num_train, "one per row of x_train");
  const double* const test = list_of(t_test, "t_test", num_test, "one per row of x_test");
  int64_t i;
  out.classes = (double*)allocate((size_t)num_train, sizeof(double));
  out.train = (double*)allocate((size_t)num_train, sizeof(double));
  out.test = (double*)allocate((size_t)num_test, sizeof(double));
  out.num_train = num_train;
  out.num_test = num_test;
  out.num_classes = 0;
  for (i = 0; i < num_train; ++i)
    if (!isfinite(train[i])) fail(INVALID, "t_train at row %d is %g; it must be finite", (int)i + 1, train[i]);
  memcpy(out.classes, train, (size_t)num_train * sizeof(double));
  qsort(out.classes, (size_t)num_train, sizeof(double), by_value);
  for (i = 0; i < num_train; ++i)
    if (i == 0 || out.classes[i] != out.classes[i - 1]) {
      const double value = out.classes[i];
      out.classes[out.num_classes++] = value;
    }
  if (several ? out.num_classes < 2 : out.num_classes != 2)
    fail(INVALID, "t_train has %d classes; there must be %s", out.num_classes, several ? "two or more" : "two");
  for (i = 0; i < num_train; ++i) out.train[i] = position_of(&out, train[i], "t_train", i);
  for (i = 0; i < num_test; ++i) out.test[i] = position_of(&out, test[i], "t_test", i);
  return out;
}

/* ---- its options: a struct of the defaults, changed by the caller's names and values */

static mxArray* default_of(const Program* program, const char* name) {
  static const struct {
    const char* name;
    double value;
  } numbers[] = {{"nstep", 100},     {"usebias", 1}, {"norm_sep", 0}, {"displaytext", 1}, {"invhessian", 0},  {"wmaxiter", 50},
                 {"prenlearn", 150}, {"gamma0", 0},  {"isplot", 0},   {"reduceparm", 0},  {"combine_mode", 0}};
  size_t i;
  if (strcmp(name, "nlearn") == 0 || strcmp(name, "amax") == 0) { /* those of the core */
    char field[64];
    snprintf(field, sizeof field, "defaults.%s.%s", program->preset, strcmp(name, "amax") == 0 ? "prune_at" : "max_sweeps");
    return mxCreateDoubleScalar(result_number(field));
  }
  if (strcmp(name, "ax0") == 0) /* a single number if there is one precision; but it is empty for biclsfy_rlrvar */
    return program->likeness == shared_by_all && strcmp(program->name, "biclsfy_rlrvar") != 0 ? mxCreateDoubleScalar(1) : empty();
  if (strcmp(name, "kernel") == 0) return mxCreateString("linear");
  if (strcmp(name, "wdisp_mode") == 0) return mxCreateString("iter");
  for (i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    if (strcmp(name, numbers[i].name) == 0) return mxCreateDoubleScalar(numbers[i].value);
  return mxCreateString(strcmp(program->name, "biclsfy_rlrlap") == 0 ? "all" : "each"); /* scale_mode, mean_mode */
}

static mxArray* default_options(const Program* program) {
  mxArray* const parm = mxCreateStructMatrix(1, 1, 0, NULL);
  char names[256];
  char* name;
  (void)keep_temporary(parm);
  check(ardvark_catalogue(&call_.result, failure()));
  snprintf(names, sizeof names, "%s%s", OF_ALL, program->options);
  for (name = strtok(names, " "); name != NULL; name = strtok(NULL, " "))
    mxSetFieldByNumber(parm, 0, mxAddField(parm, name), default_of(program, name));
  ardvark_result_free(call_.result);
  call_.result = NULL;
  return parm;
}

static mxArray* merged_options(const Program* program, const mxArray* given) {
  mxArray* const parm = default_options(program);
  const mwSize count = mxGetNumberOfElements(given);
  mwSize i;
  if (!mxIsCell(given) || count % 2 != 0) fail(INVALID, "the options must be pairs: 'name', value, ...");
  for (i = 0; i < count; i += 2) {
    const char* const name = text_of(mxGetCell(given, i), "the name of an option");
    const int field = mxGetFieldNumber(parm, name);
    mxArray* old;
    if (field < 0) {
      char known[1024] = "";
      int k;
      for (k = 0; k < mxGetNumberOfFields(parm); ++k) {
        strncat(known, k > 0 ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, mxGetFieldNameByNumber(parm, k), sizeof known - strlen(known) - 1);
      }
      fail(INVALID, "there is no option '%s'; the options are %s", name, known);
    }
    old = mxGetFieldByNumber(parm, 0, field);
    mxSetFieldByNumber(parm, 0, field, mxDuplicateArray(mxGetCell(given, i + 1)));
    if (old != NULL) mxDestroyArray(old);
  }
  return parm;
}

static double parm_number(const mxArray* parm, const char* name, double otherwise) {
  const mxArray* const value = mxGetField(parm, 0, name);
  return value == NULL || mxIsEmpty(value) ? otherwise : number_of(value, name);
}
static bool parm_flag(const mxArray* parm, const char* name, bool otherwise) {
  const double x = parm_number(parm, name, otherwise);
  if (x != 0 && x != 1) fail(INVALID, "%s is %g; it must be 0 or 1", name, x);
  return x == 1;
}
static int64_t parm_count(const mxArray* parm, const char* name) {
  const double x = parm_number(parm, name, 1);
  if (!(x >= 1 && x <= 1e9) || x != floor(x)) fail(INVALID, "%s is %g; it must be a whole number from 1", name, x);
  return (int64_t)x;
}
static const char* parm_text(const mxArray* parm, const char* name) { return text_of(mxGetField(parm, 0, name), name); }
static void set_parm(mxArray* parm, const char* name, mxArray* value) {
  int field = mxGetFieldNumber(parm, name);
  mxArray* old;
  if (field < 0) field = mxAddField(parm, name);
  old = mxGetFieldByNumber(parm, 0, field);
  if (old != NULL) mxDestroyArray(old);
  mxSetFieldByNumber(parm, 0, field, value);
}

/* ---- its data: scaled columns */

static ardvark_matrix normalized(const ardvark_matrix* X, const ardvark_matrix* like, const mxArray* parm, const char* name) {
  ardvark_matrix out = *X;
  double* const data = (double*)allocate((size_t)(X->rows * X->columns), sizeof(double));
  const char *const center = parm_text(parm, "mean_mode"), *const scale = parm_text(parm, "scale_mode");
  call_it("X", name);
  if (strcmp(center, "each") != 0 && strcmp(center, "all") != 0 && strcmp(center, "none") != 0)
    fail(INVALID, "mean_mode is '%s'; it must be one of each, all, none", center);
  if (strcmp(scale, "each") != 0 && strcmp(scale, "all") != 0 && strcmp(scale, "stdeach") != 0 && strcmp(scale, "stdall") != 0 &&
      strcmp(scale, "none") != 0)
    fail(INVALID, "scale_mode is '%s'; it must be one of each, all, stdeach, stdall, none", scale);
  check(ardvark_normalize(X, like, center, scale, data, failure()));
  out.data = data;
  out.type = ARDVARK_FLOAT64;
  out.row_stride = 1;
  out.column_stride = X->rows;
  return out;
}

/* ---- its outputs */

/* A row for each true class, a column for each most probable class; if two are equally probable, the second, as published. */
static mxArray* error_table(const mxArray* probability, const double* labels, int64_t rows, int num_classes) {
  mxArray* const out = mxCreateDoubleMatrix((mwSize)num_classes, (mwSize)num_classes, mxREAL);
  double* const count = (double*)mxGetData(out);
  const double* const p = (const double*)mxGetData(probability);
  int64_t i;
  for (i = 0; i < rows; ++i) {
    int c, best = 0;
    for (c = 1; c < num_classes; ++c)
      if (p[i + c * rows] > p[i + best * rows] || (num_classes == 2 && p[i + c * rows] == p[i])) best = c;
    count[(int)labels[i] + best * num_classes] += 1;
  }
  return out;
}

static mxArray* probabilities(const ardvark_matrix* X, const char* name) {
  mxArray* out;
  ardvark_result* const fit = call_.result;
  ardvark_code code;
  call_it("X_new", name);
  call_.result = NULL;
  code = ardvark_predict(call_.model, X, NULL, call_.options, &call_.result, failure());
  if (code != ARDVARK_OK) {
    call_.result = fit;
    check(code);
  }
  {
    ardvark_array array = new_array();
    code = ardvark_result_array(call_.result, "probability", &array, failure());
    ardvark_result_free(call_.result);
    call_.result = fit;
    check(code);
    out = take(&array);
  }
  return out;
}

/* ww: weights of the scaled columns, the bias last. */
static mxArray* weights_of(const Program* program, const Size* size) {
  ardvark_array array = array_named("standardized_mean");
  mxArray* out;
  if (program->likeness == kernel_machine) { /* one per training row; as published, also those that leave after the last sweep */
    ardvark_array all = array_named("candidate_mean");
    ardvark_array vectors;
    int64_t i;
    if (settings_.compat) {
      ardvark_free(array.data);
      return take(&all);
    }
    ardvark_free(all.data);
    vectors = array_named("relevance_rows");
    out = mxCreateDoubleMatrix((mwSize)width_of(program, size), 1, mxREAL);
    for (i = 0; i < vectors.shape[0]; ++i) ((double*)mxGetData(out))[(int64_t)vectors.data[i]] = array.data[i];
    if (size->bias) ((double*)mxGetData(out))[size->rows] = array.data[array.shape[0] - 1];
    ardvark_free(vectors.data);
    ardvark_free(array.data);
    return out;
  }
  if (!program->several) return take(&array);
  out = mxCreateDoubleMatrix((mwSize)array.shape[1], (mwSize)array.shape[0], mxREAL); /* weight after weight, as in the core */
  memcpy(mxGetData(out), array.data, (size_t)(array.shape[0] * array.shape[1]) * sizeof(double));
  ardvark_free(array.data);
  return out;
}

/* Positions of the columns that remain, from 1: those with a weight and a precision that has not grown without limit. All columns if the
 * program removes none. */
static mxArray* survivors(const Program* program, const double* w, const double* precision, int64_t num_columns, double amax) {
  const bool every = program->likeness == shared_by_all;
  mxArray* out;
  int64_t j, count = 0;
  bool* const left = (bool*)mxCalloc((size_t)num_columns + 1, sizeof(bool));
  for (j = 0; j < num_columns; ++j) count += left[j] = every || (w[j] != 0 && (precision == NULL || precision[j] < amax));
  if (every && strcmp(program->name, "muclsfy_rmlr") != 0)
    out = mxCreateDoubleMatrix(1, (mwSize)count, mxREAL); /* a row, as published */
  else
    out = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
  for (j = 0, count = 0; j < num_columns; ++j)
    if (left[j]) ((double*)mxGetData(out))[count++] = (double)(j + 1);
  mxFree(left);
  return out;
}

static mxArray* all_survivors(const Program* program, const mxArray* ww, const Size* size, double amax) {
  const int64_t q = (int64_t)mxGetM(ww), columns = q - (size->bias ? 1 : 0);
  const mwSize machines = mxGetN(ww);
  const double* const w = (const double*)mxGetData(ww);
  ardvark_array precision; /* machine after machine */
  mxArray* out;
  mwSize c;
  if (program->likeness == kernel_machine) { /* a list, as published; it has the bias as long as this remains */
    ardvark_array vectors = array_named("relevance_rows"), left = array_named("standardized_mean");
    const int64_t count = vectors.shape[0];
    const bool with_bias = settings_.compat && size->bias && left.data[left.shape[0] - 1] != 0;
    int64_t i;
    ardvark_free(left.data);
    out = mxCreateDoubleMatrix((mwSize)(count + (with_bias ? 1 : 0)), 1, mxREAL);
    for (i = 0; i < count; ++i) ((double*)mxGetData(out))[i] = vectors.data[i] + 1;
    if (with_bias) ((double*)mxGetData(out))[count] = (double)(size->rows + 1);
    ardvark_free(vectors.data);
    return out;
  }
  precision = array_named("precision");
  {
    const int64_t rows = precision.dimensions == 2 ? precision.shape[1] : precision.shape[0];
    const bool each = program->likeness == per_column && rows >= columns;
    out = strstr(program->preset, "_ov") != NULL ? mxCreateCellMatrix(machines, 1) : mxCreateCellMatrix(1, machines);
    for (c = 0; c < machines; ++c)
      mxSetCell(out, c, survivors(program, w + (int64_t)c * q, each ? precision.data + (int64_t)c * rows : NULL, columns, amax));
  }
  ardvark_free(precision.data);
  return out;
}

/* The precisions after every nstep sweeps, with those of a bias: 0 if it has none. */
static mxArray* history_of(const Program* program, const mxArray* ww, bool bias) {
  const int64_t q = (int64_t)mxGetM(ww), machines = (int64_t)mxGetN(ww);
  ardvark_array array = array_named("precision_history");
  mxArray* out;
  if (array.shape[0] == q * machines || !bias || program->likeness == shared_by_all || array.shape[0] % machines != 0) return take(&array);
  {
    const int64_t rows = array.shape[0] / machines;
    int64_t c, i, k;
    out = mxCreateDoubleMatrix((mwSize)((rows + 1) * machines), (mwSize)array.shape[1], mxREAL);
    for (c = 0; c < machines; ++c)
      for (i = 0; i < rows; ++i)
        for (k = 0; k < array.shape[1]; ++k)
          ((double*)mxGetData(out))[c * (rows + 1) + i + k * (rows + 1) * machines] = array.data[(c * rows + i) * array.shape[1] + k];
  }
  ardvark_free(array.data);
  return out;
}

static mxArray* class_pairs(int num_classes) {
  mxArray* const out = mxCreateDoubleMatrix((mwSize)(num_classes * (num_classes - 1) / 2), 2, mxREAL);
  double* const pair = (double*)mxGetData(out);
  const int count = num_classes * (num_classes - 1) / 2;
  int low, high, at = 0;
  for (low = 1; low <= num_classes; ++low)
    for (high = low + 1; high <= num_classes; ++high, ++at) {
      pair[at] = low;
      pair[at + count] = high;
    }
  return out;
}

static bool is_rvm_gauss(const Program* program, const mxArray* parm) {
  const char* kernel;
  if (program->likeness != kernel_machine) return false;
  kernel = parm_text(parm, "kernel");
  if (strcmp(kernel, "Gaussian") == 0 || strcmp(kernel, "gaussian") == 0) return true;
  if (strcmp(kernel, "linear") == 0 || strcmp(kernel, "Linear") == 0) return false;
  fail(INVALID, "kernel is '%s'; it must be 'linear' or 'Gaussian'", kernel);
  return false;
}

/* The starting precisions. All published programs accept them, but only two use them. */
static void set_start(const Program* program, const mxArray* parm, const Size* size) {
  const mxArray* const given = mxGetField(parm, 0, "ax0");
  const int64_t all = program->likeness == shared_by_all ? 1 : width_of(program, size) * size->machines;
  const double* ax0;
  int64_t i;
  if (given == NULL || mxIsEmpty(given)) return;
  ax0 = list_of(given, "ax0", all,
                program->likeness == shared_by_all ? "as all weights share a precision"
                : size->bias                       ? "one per weight in the order of ww, the bias of each column last"
                                                   : "one per weight in the order of ww");
  for (i = 0; i < all; ++i)
    if (!(ax0[i] > 0 && isfinite(ax0[i]))) fail(INVALID, "ax0(%d) is %g; it must be positive and finite", (int)i + 1, ax0[i]);
  if (program->preset[0] == 'l' || (settings_.compat && !program->reads_ax0)) return; /* the mode does not depend on the start */
  check(ardvark_options_set_numbers(call_.options, "start_precision", ax0, all, failure()));
}

/* Sets the options of the toolbox as options of the core. */
static void set_program(const Program* program, const mxArray* parm, const mxArray* extra, const Size* size) {
  const double gamma0 = parm_number(parm, "gamma0", 0);
  new_options();
  set_text("preset", program->preset);
  set_number("compat", settings_.compat);
  set_number("standardize", 0);
  if (!size->bias) set_number("intercept", 0);
  set_number("max_sweeps", (double)parm_count(parm, "nlearn"));
  if (program->history) {
    set_number("record_every", (double)parm_count(parm, "nstep"));
    if (program->likeness != shared_by_all && (strcmp(program->preset, "l1_slr_lap") != 0 || settings_.compat)) {
      const double amax = parm_number(parm, "amax", 1);
      if (!(amax > 0)) fail(INVALID, "amax is %g; it must be > 0", amax);
      set_number("prune_at", amax);
    }
  }
  if (gamma0 != 0 && (strcmp(program->preset, "smlr") == 0 || !settings_.compat)) set_number("toolbox_gamma0", gamma0);
  if (parm_flag(parm, "reduceparm", false))
    fail(INVALID,
         "reduceparm is 1; it must be 0: each class has a machine against all others, and a score of 0 for the last class cannot be "
         "compared with theirs; muclsfy_smlr is one model of all classes");
  if (parm_flag(parm, "combine_mode", false)) set_text("rule", "average");
  set_start(program, parm, size);
  if (program->likeness == kernel_machine) {
    if (is_rvm_gauss(program, parm)) {
      set_text("kernel", "gaussian");
      set_number("toolbox_R", positive_of(extra, "R"));
    } else if (settings_.compat) {
      set_text("kernel", "linear");
    }
  } else if (program->has_extra) {
    set_number("toolbox_gamma1", positive_of(extra, "gamma1"));
  }
}

/* The options that were used, and the sizes. */
static mxArray* parm_output(const Program* program, const mxArray* parm, const mxArray* extra, const Size* size, double num_test) {
  mxArray* const out = mxDuplicateArray(parm);
  const mxArray* const ax0 = mxGetField(parm, 0, "ax0");
  const int64_t width = width_of(program, size), all = width * size->machines;
  if (ax0 != NULL && mxIsEmpty(ax0) && program->likeness != shared_by_all) {
    mxArray* const ones = mxCreateDoubleMatrix((mwSize)all, 1, mxREAL);
    int64_t i;
    for (i = 0; i < all; ++i) ((double*)mxGetData(ones))[i] = 1;
    set_parm(out, "ax0", ones);
  }
  set_parm(out, "nclass", mxCreateDoubleScalar(size->num_classes));
  set_parm(out, "nparm", mxCreateDoubleScalar((double)all));
  set_parm(out, "nsamp_tr", mxCreateDoubleScalar((double)size->rows));
  set_parm(out, "nsamp_te", mxCreateDoubleScalar(num_test));
  set_parm(out, "nfeat", mxCreateDoubleScalar((double)(program->likeness == kernel_machine ? size->columns : width)));
  if (program->likeness == kernel_machine) set_parm(out, "R", mxDuplicateArray(extra));
  return out;
}

/* (x_train, t_train, x_test, t_test, options[, R | gamma1]) -> ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte[, pairs] */
static void classify(const Arguments* a, const Program* program) {
  const mxArray* const extra = program->has_extra && a->num_in > 5 ? a->in[5] : NULL;
  ardvark_matrix X, X_test, Z, Z_test;
  Labels labels;
  Size size;
  mxArray *parm, *ww, *Ptr, *Pte;
  int at = 4;
  need(a, program->has_extra ? 6 : 5, "x_train, t_train, x_test and t_test");
  X = matrix_of(a->in[0], "x_train");
  X_test = matrix_of(a->in[2], "x_test");
  if (X.rows < 1 || X.columns < 1) fail(INVALID, "x_train is empty (%d x %d)", (int)X.rows, (int)X.columns);
  if (X_test.rows == 0) X_test.columns = X.columns;
  if (X_test.columns != X.columns) fail(INVALID, "x_test has %d columns; x_train has %d", (int)X_test.columns, (int)X.columns);
  labels = labels_of(a->in[1], a->in[3], X.rows, X_test.rows, program->several);
  parm = merged_options(program, a->in[4]);
  size.rows = X.rows;
  size.columns = X.columns;
  size.num_classes = labels.num_classes;
  size.bias = parm_flag(parm, "usebias", true);
  size.machines = !program->several                             ? 1
                  : strcmp(program->preset, "slr_var_ovo") == 0 ? labels.num_classes * (labels.num_classes - 1) / 2
                                                                : labels.num_classes;
  Z = normalized(&X, NULL, parm, "x_train");
  Z_test = X_test;
  if (X_test.rows > 0) Z_test = normalized(&X_test, parm_flag(parm, "norm_sep", false) ? NULL : &X, parm, "x_test");
  set_program(program, parm, extra, &size);
  call_it("labels", "t_train");
  check(ardvark_fit(&Z, labels.train, call_.options, &call_.model, failure()));
  check(ardvark_model_result(call_.model, NULL, &call_.result, failure()));
  report_status(settings_.compat ? NULL : "ardvark:max_sweeps");

  ww = weights_of(program, &size);
  Ptr = program->likeness == kernel_machine && settings_.compat ? result_named("candidate_probability") : probabilities(&Z, "x_train");
  Pte = X_test.rows > 0 ? probabilities(&Z_test, "x_test") : mxCreateDoubleMatrix(0, (mwSize)labels.num_classes, mxREAL);
  a->out[0] = ww;
  if (a->num_out > 1) a->out[1] = all_survivors(program, ww, &size, parm_number(parm, "amax", 1));
  if (a->num_out > 2) a->out[2] = error_table(Ptr, labels.train, labels.num_train, labels.num_classes);
  if (a->num_out > 3) a->out[3] = error_table(Pte, labels.test, labels.num_test, labels.num_classes);
  if (a->num_out > 4) a->out[4] = parm_output(program, parm, extra, &size, (double)X_test.rows);
  at = 5;
  if (program->history && a->num_out > at) a->out[at] = a->wanted > at ? history_of(program, ww, size.bias) : empty();
  if (program->history) ++at;
  if (a->num_out > at)
    a->out[at] = Ptr;
  else
    mxDestroyArray(Ptr);
  ++at;
  if (a->num_out > at)
    a->out[at] = Pte;
  else
    mxDestroyArray(Pte);
  ++at;
  if (a->num_out > at) a->out[at] = class_pairs(labels.num_classes);
}

bool classify_by(const char* program, const Arguments* a) {
  const size_t count = sizeof programs / sizeof programs[0];
  size_t i = 0;
  while (i < count && strcmp(program, programs[i].name) != 0) ++i;
  if (i < count) classify(a, &programs[i]);
  return i < count;
}
