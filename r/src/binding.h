/* What the sources of the binding share. Each function that R calls gets or returns external pointers, whose finalizers free what they
 * hold, so that an error of R in between leaks nothing. An error of the library is returned as a list of class ardvark_failure, which R
 * code raises as a condition. */
#ifndef ARDVARK_R_BINDING_H
#define ARDVARK_R_BINDING_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "ardvark/ardvark.h"

/* ---- errors: failed(ardvark_...(..., failure())), then return failure_list() */
ardvark_error* failure(void);
SEXP failure_list(void);

/* ---- handles */
SEXP own_options(ardvark_options* options);
SEXP own_model(ardvark_model* model);
SEXP own_targets(ardvark_targets* targets);
SEXP own_result(ardvark_result* result);
SEXP own_encoding(ardvark_encoding* encoding);
SEXP own_table(ardvark_table* table);
SEXP own_filter(ardvark_sequential* filter);
SEXP own_memory(void* memory);
ardvark_model* model_of(SEXP handle);
ardvark_targets* targets_of(SEXP handle); /* NULL: the handle is of something else */

/* ---- what R gives */
/* The options of a named list, with a callback that ends the call when the user interrupts it. NULL: an option is wrong, see failure(). */
SEXP options_of(SEXP list);
ardvark_options* options_in(SEXP handle);
/* Rows of a matrix of numbers, without its first `skip` columns, row by row as the program reads them: with the order of the sums, the
 * numbers are the same to the last bit. rows: positions from 1, or NULL for all. The copy lives as long as *memory, which is protected. */
ardvark_matrix matrix_of(SEXP X, SEXP skip, SEXP rows, SEXP* memory);
/* Frees the memory of a handle at once. */
void forget(SEXP memory);
/* The slots p, i, x and Dim of a dgCMatrix, in place. */
ardvark_csc csc_of(SEXP slots);
const double* numbers_or_null(SEXP values);
const char* utf8(SEXP text);

/* ---- what the library returns */
SEXP take_array(ardvark_array* array);
SEXP take_text(char* text);
SEXP results_of(ardvark_result* result);

/* ---- published.c, which R calls */
SEXP V_inverse(SEXP model, SEXP X);
SEXP from_moments(SEXP mean, SEXP V, SEXP inverse, SEXP shape, SEXP rate);
SEXP absorb(SEXP X, SEXP y, SEXP list);
SEXP normalize(SEXP X, SEXP like, SEXP center, SEXP scale);

#endif
