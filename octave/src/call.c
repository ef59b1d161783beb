#include "call.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_temporaries = 4096, max_memory = 4096, message_size = 4400 };

Call call_;
Settings settings_;

static struct {
  mxArray* temporary[max_temporaries]; /* converted arguments */
  int num_temporaries;
  void* memory[max_memory]; /* from malloc */
  int num_memory;
} held_;
static struct { const char *core, *ours; } names_;
static struct { char id[64], text[1024]; } warning_;
static ardvark_error failure_;

void begin_call(void) {
  memset(&warning_, 0, sizeof warning_);
  memset(&names_, 0, sizeof names_);
}

void release(void) {
  int i;
  ardvark_result_free(call_.result);
  ardvark_model_free(call_.model);
  ardvark_targets_free(call_.targets);
  ardvark_sequential_free(call_.filter);
  ardvark_free(call_.matrix);
  ardvark_encoding_free(call_.encoding);
  ardvark_table_free(call_.table);
  ardvark_options_free(call_.options);
  memset(&call_, 0, sizeof call_);
  for (i = 0; i < held_.num_temporaries; ++i) mxDestroyArray(held_.temporary[i]);
  for (i = 0; i < held_.num_memory; ++i) free(held_.memory[i]);
  memset(&held_, 0, sizeof held_);
}

void end_call(void) {
  release();
  if (warning_.id[0] != '\0') mexWarnMsgIdAndTxt(warning_.id, "%s", warning_.text);
}

void fail(const char* id, const char* format, ...) {
  static char message[message_size];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  release();
  mexErrMsgIdAndTxt(id, "%s", message);
  abort();
}

static void* keep_memory(void* memory) {
  if (memory == NULL) fail("ardvark:environment", "there is not enough memory for this problem");
  if (held_.num_memory == max_memory) {
    free(memory);
    fail("ardvark:internal", "a call uses more than %d pieces of memory", max_memory);
  }
  return held_.memory[held_.num_memory++] = memory;
}

void* allocate(size_t count, size_t size) { return keep_memory(calloc(count > 0 ? count : 1, size)); }

char* keep_copy(const char* text) {
  char* const copy = (char*)malloc(strlen(text) + 1);
  if (copy != NULL) strcpy(copy, text);
  return (char*)keep_memory(copy);
}

const mxArray* keep_temporary(mxArray* array) {
  if (held_.num_temporaries == max_temporaries) {
    mxDestroyArray(array);
    fail("ardvark:internal", "a call has more than %d converted arguments", max_temporaries);
  }
  return held_.temporary[held_.num_temporaries++] = array;
}

ardvark_error* failure(void) {
  failure_.struct_size = sizeof failure_;
  return &failure_;
}

char* in_our_words(const char* text) {
  char* written = NULL;
  check(ardvark_spell(text, "octave", NULL, 0, &written, failure()));
  return written;
}

void call_it(const char* core_name, const char* our_name) {
  names_.core = core_name;
  names_.ours = our_name;
}

/* Messages of the core have the argument names of its C interface; a function of this package may have another name for an argument. */
static const char* our_name(const char* argument) {
  if (strcmp(argument, "V_inverse") == 0) return "invV";
  if (strncmp(argument, "toolbox_", 8) == 0) return argument + 8;
  return names_.core != NULL && strcmp(argument, names_.core) == 0 ? names_.ours : argument;
}

/* "ardvark:invalid_argument:prior"; without an argument "ardvark:invalid_argument". */
static const char* id_of(ardvark_code code, const char* argument) {
  static const char* const ids[] = {"", "ardvark:internal", INVALID, "ardvark:environment"};
  static char id[128];
  const size_t begin = strlen(ids[code]);
  char* c;
  snprintf(id, sizeof id, "%s%s%s", ids[code], argument[0] == '\0' ? "" : ":", argument);
  for (c = id + begin + (id[begin] == ':'); *c != '\0'; ++c)
    if (!isalnum((unsigned char)*c)) *c = '_';
  return id;
}

void check(ardvark_code code) {
  static char message[message_size];
  char* written = NULL;
  if (code == ARDVARK_OK) return;
  if (code == ARDVARK_STOPPED) fail("ardvark:interrupted", "interrupted: there is no result");
  snprintf(message, sizeof message, "%s%s", our_name(failure_.argument), failure_.message + strlen(failure_.argument));
  if (ardvark_spell(message, "octave", NULL, 0, &written, NULL) == ARDVARK_OK) snprintf(message, sizeof message, "%s", written);
  ardvark_free(written);
  fail(id_of(code, our_name(failure_.argument)), "%s", message);
}

void warn_later(const char* id, const char* text) {
  snprintf(warning_.id, sizeof warning_.id, "%s", id);
  snprintf(warning_.text, sizeof warning_.text, "%s", text);
}
