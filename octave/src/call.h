/* What a call of the MEX holds, how it fails, and the settings that outlive it. */
#ifndef ARDVARK_MEX_CALL_H
#define ARDVARK_MEX_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "ardvark/ardvark.h"
#include "mex.h"

/* Of the file that these sources become only mexFunction is seen: what they share stands between these two. */
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
  ardvark_model* model;
  ardvark_sequential* filter;
  ardvark_result* result;
} Call;
extern Call call_;

typedef struct Settings {
  bool compat;
  double threads;   /* 0: as the environment says */
  double tolerance; /* of the presets' stop rule; 0: as published */
} Settings;
extern Settings settings_;

/* What the interpreter passes. `wanted` is the caller's nargout. */
typedef struct Arguments {
  int wanted, num_out, num_in;
  mxArray** out;
  const mxArray** in;
} Arguments;

void begin_call(void);
/* Frees what the call holds. */
void release(void);
/* Frees it and says what was warned of meanwhile. */
void end_call(void);

/* Never returns. */
PRINTF_LIKE(2, 3) void fail(const char* id, const char* format, ...);

/* Kept until the call ends. */
void* allocate(size_t count, size_t size);
char* keep_copy(const char* text);
const mxArray* keep_temporary(mxArray* array);

/* check(ardvark_...(..., failure())): fails as the core does, in the names and numbers of this package. */
ardvark_error* failure(void);
void check(ardvark_code code);
/* From now on what the core calls by this name is called ours. */
void call_it(const char* core_name, const char* our_name);
/* A text of the core with its options as one writes them here; to be freed by ardvark_free. */
char* in_our_words(const char* text);

/* Said when the call has freed everything: a warning may be made an error. */
void warn_later(const char* id, const char* text);

HIDDEN_END

#endif
