#include <string.h>

#include "binding.h"

static ardvark_error failure_;

ardvark_error* failure(void) {
  failure_.struct_size = sizeof failure_;
  return &failure_;
}

const char* utf8(SEXP text) { return Rf_translateCharUTF8(text); }

static SEXP text(const char* from) { return Rf_ScalarString(Rf_mkCharCE(from, CE_UTF8)); }

SEXP failure_list(void) {
  static const char* const names[] = {"code", "message", "argument", "row", "row_begin", "row_end", "column", "value", "why", "remedy", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, (const char**)names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarInteger(failure_.code));
  SET_VECTOR_ELT(out, 1, text(failure_.message));
  SET_VECTOR_ELT(out, 2, text(failure_.argument));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal((double)failure_.row));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal((double)failure_.row_begin));
  SET_VECTOR_ELT(out, 5, Rf_ScalarReal((double)failure_.row_end));
  SET_VECTOR_ELT(out, 6, text(failure_.column));
  SET_VECTOR_ELT(out, 7, text(failure_.value));
  SET_VECTOR_ELT(out, 8, text(failure_.why));
  SET_VECTOR_ELT(out, 9, text(failure_.remedy));
  Rf_setAttrib(out, R_ClassSymbol, Rf_mkString("ardvark_failure"));
  UNPROTECT(1);
  return out;
}
