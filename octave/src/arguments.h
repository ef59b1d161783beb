/* The caller's arrays in the form that the core reads. The error message of each function names the argument. */
#ifndef ARDVARK_MEX_ARGUMENTS_H
#define ARDVARK_MEX_ARGUMENTS_H

#include "call.h"

HIDDEN_BEGIN

void need(const Arguments* a, int least, const char* names);
ardvark_matrix matrix_of(const mxArray* array, const char* name); /* a sparse one is made full */
ardvark_csc csc_of(const mxArray* array, const char* name);       /* of a sparse one */
ardvark_matrix square_of(const mxArray* array, const char* name, int64_t size);
/* A list of `size` numbers; size < 0: any number of them. */
const double* list_of(const mxArray* array, const char* name, int64_t size, const char* because);
double number_of(const mxArray* array, const char* name);
double positive_of(const mxArray* array, const char* name);
/* One entry per row of X, -1 or 1. */
const double* signs_of(const mxArray* array, const char* name, int64_t rows);
const char* text_of(const mxArray* array, const char* name);

HIDDEN_END

#endif
