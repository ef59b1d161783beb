/* Options and results of the core, by name. */
#ifndef ARDVARK_MEX_CORE_H
#define ARDVARK_MEX_CORE_H

#include "call.h"

HIDDEN_BEGIN

/* Options of the call, all at their defaults but for the settings. */
void new_options(void);
void set_text(const char* name, const char* value);
void set_number(const char* name, double value);

mxArray* empty(void);
/* Take over what the array holds. */
mxArray* take(ardvark_array* array);
mxArray* take_symmetric(ardvark_array* array);
ardvark_array new_array(void);
ardvark_array array_named(const char* name);
mxArray* result_named(const char* name);
double result_number(const char* name);
/* Kept until the call ends. */
const char* result_text(const char* name);
/* All results as a struct. */
mxArray* all_results(void);
/* Whether it is a position, or positions, which count from 1 here and from 0 in the core. */
bool counts_from_one(const char* path);
void add_field(mxArray* to, const char* name, mxArray* value);

/* Trouble that is none of the caller's. `at_most`: how running out of sweeps is called, or NULL to be silent on it. */
void report_status(const char* at_most);

HIDDEN_END

#endif
