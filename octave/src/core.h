/* Options and results of the core, by name. */
#ifndef ARDVARK_MEX_CORE_H
#define ARDVARK_MEX_CORE_H

#include "call.h"

HIDDEN_BEGIN

/* Creates the options of the call, with the settings and otherwise default values. */
void new_options(void);
void set_text(const char* name, const char* value);
void set_number(const char* name, double value);

mxArray* empty(void);
/* Take over the data of the array. */
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
/* Whether the result has positions, which count from 1 here and from 0 in the core. */
bool counts_from_one(const char* path);
void add_field(mxArray* to, const char* name, mxArray* value);

/* Warns or fails if the fit did not converge. `at_most`: identifier of the warning for max_sweeps, or NULL for no such warning. */
void report_status(const char* at_most);

HIDDEN_END

#endif
