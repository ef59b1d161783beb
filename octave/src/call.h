/* The handles and memory of a call of the MEX, its errors, and the settings that stay between calls. */
#ifndef ARDVARK_MEX_CALL_H
#define ARDVARK_MEX_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "ardvark/ardvark.h"
#include "mex.h"

/* The library exports only mexFunction: functions that the sources share are declared between these two macros. */
#if defined(__GNUC__) || defined(__clang__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define HIDDEN_BEGIN _Pragma("GCC visibility push(hidden)")
#define HIDDEN_END _Pragma("GCC visibility pop")
#else
#define PRINTF_LIKE(text, first)
#define HIDDEN_BEGIN
#define HIDDEN_END
#endif

HIDDEN_BEGIN

#define INVALID "ardvark:invalid_argument"

/* The handles of the call; release() frees them. */
typedef struct Call {
  ardvark_options* options;
  ardvark_table* table;
  ardvark_encoding* encoding;
  void* matrix; /* of a table */
  ardvark_model* model;
  ardvark_targets* targets; /* a fit of many, in place of a model */
  ardvark_sequential* filter;
  ardvark_result* result;
} Call;
extern Call call_;

typedef struct Settings {
  bool compat;
  double threads;   /* 0: as the environment says */
  double tolerance; /* of VBLinLogit's functions without compat; 0: the default */
} Settings;
extern Settings settings_;

/* The arguments from the interpreter. `wanted` is the caller's nargout. */
typedef struct Arguments {
  int wanted, num_out, num_in;
  mxArray** out;
  const mxArray** in;
} Arguments;

void begin_call(void);
/* Frees the handles and memory of the call. */
void release(void);
/* Frees them and raises the warning of the call, if there is one. */
void end_call(void);

/* Never returns. */
PRINTF_LIKE(2, 3) void fail(const char* id, const char* format, ...);

/* Kept until the call ends. */
void* allocate(size_t count, size_t size);
char* keep_copy(const char* text);
const mxArray* keep_temporary(mxArray* array);

/* check(ardvark_...(..., failure())): raises the error of the core, with the names and numbers of this package. */
ardvark_error* failure(void);
void check(ardvark_code code);
/* From now on, messages have our_name instead of core_name for an argument. */
void call_it(const char* core_name, const char* our_name);
/* A text of the core with its options as they are written in Octave; free it with ardvark_free. */
char* in_our_words(const char* text);

/* The warning is raised after the call has freed everything, because the user may turn warnings into errors. */
void warn_later(const char* id, const char* text);

HIDDEN_END

#endif
