#include <stdlib.h>

#include "binding.h"

#define OWNER(kind, type, release)                       \
  static void free_##kind(SEXP handle) {                 \
    type* const held = (type*)R_ExternalPtrAddr(handle); \
    R_ClearExternalPtr(handle);                          \
    if (held != NULL) release(held);                     \
  }                                                      \
  SEXP own_##kind(type* held) { return own(held, "ardvark_" #kind, free_##kind); }

static SEXP own(void* held, const char* tag, R_CFinalizer_t release) {
  SEXP handle = PROTECT(R_MakeExternalPtr(held, Rf_install(tag), R_NilValue));
  R_RegisterCFinalizerEx(handle, release, TRUE);
  UNPROTECT(1);
  return handle;
}

OWNER(options, ardvark_options, ardvark_options_free)
OWNER(model, ardvark_model, ardvark_model_free)
OWNER(targets, ardvark_targets, ardvark_targets_free)
OWNER(result, ardvark_result, ardvark_result_free)
OWNER(encoding, ardvark_encoding, ardvark_encoding_free)
OWNER(table, ardvark_table, ardvark_table_free)
OWNER(filter, ardvark_sequential, ardvark_sequential_free)
OWNER(memory, void, ardvark_free)

ardvark_model* model_of(SEXP handle) {
  if (TYPEOF(handle) != EXTPTRSXP || R_ExternalPtrTag(handle) != Rf_install("ardvark_model") || R_ExternalPtrAddr(handle) == NULL)
    Rf_error("this is no model");
  return (ardvark_model*)R_ExternalPtrAddr(handle);
}

ardvark_targets* targets_of(SEXP handle) {
  if (TYPEOF(handle) != EXTPTRSXP || R_ExternalPtrTag(handle) != Rf_install("ardvark_targets")) return NULL;
  if (R_ExternalPtrAddr(handle) == NULL) Rf_error("this is no fit of many targets");
  return (ardvark_targets*)R_ExternalPtrAddr(handle);
}

ardvark_options* options_in(SEXP handle) { return (ardvark_options*)R_ExternalPtrAddr(handle); }
