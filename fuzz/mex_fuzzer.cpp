// The arguments of the functions of Octave and MATLAB: calls of ardvark_mex.c that are correct except in a few places. An input is a list
// of choices, so that any bytes are a call.
#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "memory.hpp"
#include "mex.h"

namespace {

using Tape = FuzzedDataProvider;

template <typename T, std::size_t n>
T pick(Tape& tape, const T (&values)[n]) {
  return values[tape.ConsumeIntegralInRange<std::size_t>(0, n - 1)];
}

double number(Tape& tape) {
  static const double values[] = {0,      1,       -1,           2,      3,        0.5,       1e-3,
                                  10,     1e300,   -1e300,       1e-300, HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN(),
                                  9.3e18, -9.3e18, 4294967297.0, 0.1};
  return tape.ConsumeBool() ? pick(tape, values) : static_cast<double>(tape.ConsumeIntegral<std::int8_t>()) / 16;
}

mxArray* text(const std::string& value) { return mxCreateString(value.c_str()); }

mxArray* word(Tape& tape) {
  static const char* const words[] = {"linear",
                                      "logistic",
                                      "rvm",
                                      "kernel",
                                      "matern52",
                                      "sparse",
                                      "slab",
                                      "dense",
                                      "shared",
                                      "ard",
                                      "none",
                                      "laplace",
                                      "groups",
                                      "vg",
                                      "jj",
                                      "auto",
                                      "classification",
                                      "regression",
                                      "gaussian",
                                      "polynomial",
                                      "spline",
                                      "each",
                                      "all",
                                      "stdeach",
                                      "stdall",
                                      "none",
                                      "Gaussian",
                                      "mixture",
                                      "exact",
                                      "plug-in",
                                      "mackay",
                                      "softmax",
                                      "one-against-rest",
                                      "one-against-one",
                                      "always",
                                      "never",
                                      "primal",
                                      "dual",
                                      "spectral",
                                      "type-two",
                                      "plain",
                                      "variational",
                                      "slr_var",
                                      "smlr",
                                      "vb_linear_fit",
                                      ""};
  return text(tape.ConsumeIntegralInRange(0, 7) != 0 ? std::string(pick(tape, words)) : tape.ConsumeRandomLengthString(12));
}

mxArray* matrix(Tape& tape, mwSize rows, mwSize columns) {
  const int kind = tape.ConsumeIntegralInRange(0, 15);
  const mxClassID id = kind == 1 ? mxSINGLE_CLASS : kind == 2 ? mxLOGICAL_CLASS : kind == 3 ? mxUINT8_CLASS : mxDOUBLE_CLASS;
  mxArray* const out = mxCreateNumericMatrix(rows, columns, id, kind == 4 ? mxCOMPLEX : mxREAL);
  std::uint32_t state = tape.ConsumeIntegral<std::uint8_t>() + 1U;
  for (mwSize i = 0; i < rows * columns; ++i) {
    state = state * 1664525U + 1013904223U;
    const double value = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
    if (id == mxDOUBLE_CLASS) static_cast<double*>(mxGetData(out))[i] = value;
    if (id == mxSINGLE_CLASS) static_cast<float*>(mxGetData(out))[i] = static_cast<float>(value);
    if (id == mxLOGICAL_CLASS) static_cast<bool*>(mxGetData(out))[i] = value > 0;
    if (id == mxUINT8_CLASS) static_cast<unsigned char*>(mxGetData(out))[i] = static_cast<unsigned char>(state >> 24);
  }
  if (id == mxDOUBLE_CLASS && rows * columns > 0 && tape.ConsumeIntegralInRange(0, 7) == 0)
    static_cast<double*>(mxGetData(out))[tape.ConsumeIntegralInRange<mwSize>(0, rows * columns - 1)] = number(tape);
  if (kind == 5) fuzz_mark_sparse(out);
  if (kind == 6 && tape.ConsumeBool()) fuzz_mark_dimensions(out, 3);
  return out;
}

mxArray* list(Tape& tape, mwSize count, const double* values, std::size_t num_values) {
  mxArray* const out = tape.ConsumeBool() ? mxCreateDoubleMatrix(count, 1, mxREAL) : mxCreateDoubleMatrix(1, count, mxREAL);
  for (mwSize i = 0; i < count; ++i) static_cast<double*>(mxGetData(out))[i] = values[i % num_values];
  if (count > 0 && tape.ConsumeIntegralInRange(0, 15) == 0) static_cast<double*>(mxGetData(out))[count - 1] = number(tape);
  return out;
}

mxArray* cell_of(const std::vector<mxArray*>& values) {
  mxArray* const out = mxCreateCellMatrix(1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) mxSetCell(out, i, values[i]);
  return out;
}

mxArray* anything(Tape& tape, int depth = 0) {
  switch (tape.ConsumeIntegralInRange(0, depth < 2 ? 8 : 5)) {
    case 0: return mxCreateDoubleScalar(number(tape));
    case 1: return word(tape);
    case 2: return matrix(tape, tape.ConsumeIntegralInRange<mwSize>(0, 4), tape.ConsumeIntegralInRange<mwSize>(0, 4));
    case 3: return mxCreateLogicalScalar(tape.ConsumeBool());
    case 4: return mxCreateDoubleMatrix(0, 0, mxREAL);
    case 5: return matrix(tape, tape.ConsumeIntegralInRange<mwSize>(0, 12), 1);
    case 6: {
      std::vector<mxArray*> values;
      for (int i = tape.ConsumeIntegralInRange(0, 4); i > 0; --i) values.push_back(anything(tape, depth + 1));
      return cell_of(values);
    }
    default: {
      static const char* const names[] = {"model", "nfeat", "usebias", "g", "errTable_te", "ix_eff_all", "Ncorrect_te"};
      mxArray* const out = mxCreateStructMatrix(1, tape.ConsumeIntegralInRange<mwSize>(0, 2), 0, nullptr);
      for (int i = tape.ConsumeIntegralInRange(0, 3); i > 0; --i) {
        const int field = mxAddField(out, pick(tape, names));
        if (!mxIsEmpty(out)) mxSetFieldByNumber(out, 0, field, anything(tape, depth + 1));
      }
      return out;
    }
  }
}

// 'name', value, ... with little work to do.
mxArray* pairs(Tape& tape, const char* const* names, std::size_t num_names, std::vector<mxArray*> values) {
  for (int i = tape.ConsumeIntegralInRange(0, 4); i > 0; --i) {
    values.push_back(text(names[tape.ConsumeIntegralInRange<std::size_t>(0, num_names - 1)]));
    values.push_back(tape.ConsumeBool() ? word(tape) : tape.ConsumeBool() ? mxCreateDoubleScalar(number(tape)) : anything(tape));
  }
  if (tape.ConsumeIntegralInRange(0, 31) == 0) values.push_back(anything(tape));
  return cell_of(values);
}

constexpr const char* core_options[] = {"model",     "preset",     "compat",          "prior",           "lambda",       "group",
                                        "flat",      "likelihood", "posterior",       "coding",          "a0",           "b0",
                                        "c0",        "d0",         "intercept",       "standardize",     "solver",       "tolerance",
                                        "prune_at",  "threads",    "weights",         "start_precision", "column_names", "class_names",
                                        "target",    "task",       "kernel",          "width",           "degree",       "offset",
                                        "algorithm", "centres",    "input_group",     "level",           "rule",         "folds",
                                        "seed",      "outputs",    "keep_covariance", "record_every"};
constexpr const char* toolbox_options[] = {"scale_mode",  "mean_mode", "nstep",      "amax",       "usebias",      "norm_sep",
                                           "displaytext", "ax0",       "invhessian", "wmaxiter",   "wdisp_mode",   "gamma0",
                                           "kernel",      "isplot",    "prenlearn",  "reduceparm", "combine_mode", "nlearn"};

constexpr double signs[] = {1, -1, 1, 1, -1}, thirds[] = {1, 2, 3, 2, 1, 3, 3}, reals[] = {0.3, -1.2, 2.2, 0.1, 0.9, -0.4};

struct Sizes {
  mwSize rows, columns;
};

mxArray* short_fit(Tape& tape) {
  return pairs(tape, core_options, std::size(core_options), {text("max_sweeps"), mxCreateDoubleScalar(15)});
}

// The model of an earlier fit, as a struct with its bytes, which are mostly unchanged.
mxArray* fitted(Tape& tape, const Sizes& size) {
  mxArray* out[1] = {nullptr};
  const bool classes = tape.ConsumeBool();
  const mxArray* in[] = {text("fit"), mxCreateDoubleScalar(1), matrix(tape, size.rows, size.columns),
                         classes ? list(tape, size.rows, thirds, std::size(thirds)) : list(tape, size.rows, reals, std::size(reals)),
                         short_fit(tape)};
  if (!fuzz_call(1, out, 5, in)) return anything(tape);
  mxArray* const bytes = mxGetField(out[0], 0, "model");
  if (bytes != nullptr && tape.ConsumeIntegralInRange(0, 7) == 0)
    static_cast<unsigned char*>(mxGetData(bytes))[tape.ConsumeIntegralInRange<mwSize>(0, mxGetNumberOfElements(bytes) - 1)] ^= 1U;
  return out[0];
}

mxArray* fold(Tape& tape) {
  static const char* const names[] = {"g", "errTable_te", "ix_eff_all"};
  static const double kept[] = {1, 3, 2};
  mxArray* const out = mxCreateStructMatrix(1, 2, 3, const_cast<const char**>(names));
  for (mwSize k = 0; k < 2; ++k) {
    mxArray* const g = mxCreateStructMatrix(1, 1, 0, nullptr);
    mxSetFieldByNumber(g, 0, mxAddField(g, "nfeat"), mxCreateDoubleScalar(tape.ConsumeIntegralInRange(0, 7) == 0 ? number(tape) : 4));
    mxSetFieldByNumber(out, k, 0, g);
    mxSetFieldByNumber(out, k, 1, matrix(tape, 2, 2));
    mxSetFieldByNumber(out, k, 2, tape.ConsumeBool() ? list(tape, 3, kept, 3) : cell_of({list(tape, 2, kept, 3), list(tape, 1, kept, 3)}));
  }
  return out;
}

std::vector<mxArray*> arguments_of(Tape& tape, const std::string& command, const Sizes& size) {
  const mwSize n = size.rows, p = size.columns;
  const auto few = [&](const double* values, std::size_t count, mwSize rows) { return list(tape, rows, values, count); };
  if (command.starts_with("vb_linear_fit"))
    return {matrix(tape, n, p), few(reals, 6, n), mxCreateDoubleScalar(1e-2), mxCreateDoubleScalar(number(tape))};
  if (command == "vb_linear_pred" || command.starts_with("vb_logit_pred")) {
    mxArray* const V = mxCreateDoubleMatrix(p, p, mxREAL);
    for (mwSize j = 0; j < p; ++j) static_cast<double*>(mxGetData(V))[j * (p + 1)] = 1;
    return {matrix(tape, n, p), few(reals, 6, p), V, command == "vb_linear_pred" ? mxCreateDoubleScalar(2) : mxDuplicateArray(V),
            mxCreateDoubleScalar(3)};
  }
  if (command.starts_with("vb_logit_fit"))
    return {matrix(tape, n, p), few(signs, 5, n), mxCreateDoubleScalar(1), mxCreateDoubleScalar(number(tape))};
  if (command == "options")
    return {tape.ConsumeBool() ? text("compat") : word(tape), mxCreateDoubleScalar(tape.ConsumeBool() ? 1 : number(tape))};
  if (command == "calc_SCval") return {fold(tape), anything(tape), mxCreateDoubleMatrix(0, 0, mxREAL), mxCreateDoubleScalar(number(tape))};
  if (command == "fit") return {matrix(tape, n, p), tape.ConsumeBool() ? few(thirds, 7, n) : few(reals, 6, n), short_fit(tape)};
  if (command == "predict")
    return {fitted(tape, size), matrix(tape, n, p),
            tape.ConsumeBool() ? pairs(tape, core_options, std::size(core_options), {})
                               : pairs(tape, core_options, std::size(core_options), {text("target"), few(thirds, 7, n)})};
  if (command == "summary") return {fitted(tape, size), pairs(tape, core_options, std::size(core_options), {})};
  if (command == "select")
    return {matrix(tape, n, p), few(signs, 5, n),
            pairs(tape, core_options, std::size(core_options),
                  {text("folds"), mxCreateDoubleScalar(2), text("repeats"), mxCreateDoubleScalar(2), text("max_sweeps"),
                   mxCreateDoubleScalar(10)})};
  const bool several = command.starts_with("muclsfy");
  return {matrix(tape, n, p),
          several ? few(thirds, 7, n) : few(signs, 5, n),
          matrix(tape, n, p),
          several ? few(thirds, 7, n) : few(signs, 5, n),
          pairs(tape, toolbox_options, std::size(toolbox_options), {text("nlearn"), mxCreateDoubleScalar(20)}),
          mxCreateDoubleScalar(0.5)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const commands[] = {"vb_linear_fit",
                                         "vb_linear_fit_ard",
                                         "vb_logit_fit",
                                         "vb_logit_fit_ard",
                                         "vb_logit_fit_iter",
                                         "vb_linear_pred",
                                         "vb_logit_pred",
                                         "vb_logit_pred_incr",
                                         "options",
                                         "calc_SCval",
                                         "fit",
                                         "predict",
                                         "summary",
                                         "select",
                                         "biclsfy_slrvar",
                                         "biclsfy_slrlap",
                                         "biclsfy_rlrvar",
                                         "biclsfy_rlrlap",
                                         "biclsfy_rvm",
                                         "biclsfy_l1slrlap",
                                         "biclsfy_l1slrc",
                                         "muclsfy_smlr",
                                         "muclsfy_rmlr",
                                         "muclsfy_slrlapovrm",
                                         "muclsfy_slrvarovrm",
                                         "muclsfy_rlrvarovrm",
                                         "muclsfy_slrvarovo",
                                         "nothing"};
  const ardvark::fuzz::MemoryLimit limit(size, ardvark::fuzz::of_small_tables);
  Tape tape(data, size);
  const Sizes sizes = {tape.ConsumeIntegralInRange<mwSize>(0, 9), tape.ConsumeIntegralInRange<mwSize>(0, 4)};
  // The settings stay between calls: each input begins with the settings of a new session.
  const mxArray* settings[] = {text("options"), mxCreateDoubleScalar(1), text("compat"),    mxCreateLogicalScalar(tape.ConsumeBool()),
                               text("threads"), mxCreateDoubleScalar(0), text("tolerance"), mxCreateDoubleScalar(0)};
  mxArray* ignored[1] = {nullptr};
  fuzz_call(1, ignored, 8, settings);
  for (int call = 0; call < 2 && tape.remaining_bytes() > 0; ++call) {
    const std::string command = pick(tape, commands);
    std::vector<mxArray*> arguments = arguments_of(tape, command, sizes);
    if (tape.ConsumeBool() && !arguments.empty())
      arguments[tape.ConsumeIntegralInRange<std::size_t>(0, arguments.size() - 1)] = anything(tape);
    arguments.resize(arguments.size() - std::min<std::size_t>(arguments.size(), tape.ConsumeIntegralInRange(0, 9) == 0 ? 1 : 0));
    std::vector<const mxArray*> in = {text(command), mxCreateDoubleScalar(tape.ConsumeIntegralInRange(0, 9))};
    in.insert(in.end(), arguments.begin(), arguments.end());
    // After the call, every output that was asked for exists.
    const int num_out = tape.ConsumeIntegralInRange(0, 9);
    mxArray* out[10] = {};
    if (!fuzz_call(num_out, out, static_cast<int>(in.size()), in.data()) && std::strlen(fuzz_message) < 10) std::abort();
  }
  fuzz_sweep();
  return 0;
}
