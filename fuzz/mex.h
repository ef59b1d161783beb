/* The part of the mx interface that octave/src uses, for the fuzz target. Arrays know their sizes, so that the address sanitizer finds
 * reads beyond them. It is neither Octave's nor MATLAB's header. */
#ifndef ARDVARK_FUZZ_MEX_H
#define ARDVARK_FUZZ_MEX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mxArray mxArray;
typedef size_t mwSize;
typedef enum { mxREAL, mxCOMPLEX } mxComplexity;
typedef enum { mxDOUBLE_CLASS, mxSINGLE_CLASS, mxLOGICAL_CLASS, mxCHAR_CLASS, mxUINT8_CLASS, mxCELL_CLASS, mxSTRUCT_CLASS } mxClassID;

void mexFunction(int num_out, mxArray* out[], int num_in, const mxArray* in[]);
void mexErrMsgIdAndTxt(const char* id, const char* format, ...);
void mexWarnMsgIdAndTxt(const char* id, const char* format, ...);
int mexCallMATLAB(int num_out, mxArray* out[], int num_in, mxArray* in[], const char* function);
bool mexIsLocked(void);
void mexLock(void);

void* mxMalloc(size_t size);
void* mxCalloc(size_t count, size_t size);
void* mxRealloc(void* memory, size_t size);
void mxFree(void* memory);
mxArray* mxCreateNumericMatrix(mwSize rows, mwSize columns, mxClassID id, mxComplexity complexity);
mxArray* mxCreateDoubleMatrix(mwSize rows, mwSize columns, mxComplexity complexity);
mxArray* mxCreateDoubleScalar(double value);
mxArray* mxCreateLogicalScalar(bool value);
mxArray* mxCreateString(const char* text);
mxArray* mxCreateCellMatrix(mwSize rows, mwSize columns);
mxArray* mxCreateStructMatrix(mwSize rows, mwSize columns, int num_fields, const char** names);
mxArray* mxDuplicateArray(const mxArray* array);
void mxDestroyArray(mxArray* array);

bool mxIsDouble(const mxArray* array);
bool mxIsSingle(const mxArray* array);
bool mxIsLogical(const mxArray* array);
bool mxIsNumeric(const mxArray* array);
bool mxIsChar(const mxArray* array);
bool mxIsCell(const mxArray* array);
bool mxIsStruct(const mxArray* array);
bool mxIsUint8(const mxArray* array);
bool mxIsSparse(const mxArray* array);
bool mxIsComplex(const mxArray* array);
bool mxIsEmpty(const mxArray* array);
const char* mxGetClassName(const mxArray* array);
mwSize mxGetM(const mxArray* array);
mwSize mxGetN(const mxArray* array);
mwSize mxGetNumberOfElements(const mxArray* array);
mwSize mxGetNumberOfDimensions(const mxArray* array);
void* mxGetData(const mxArray* array);
double mxGetScalar(const mxArray* array);
double mxGetNaN(void);
int mxGetString(const mxArray* array, char* to, mwSize size);
char* mxArrayToString(const mxArray* array);
mxArray* mxGetCell(const mxArray* array, mwSize at);
void mxSetCell(mxArray* array, mwSize at, mxArray* value);
int mxAddField(mxArray* array, const char* name);
int mxGetNumberOfFields(const mxArray* array);
int mxGetFieldNumber(const mxArray* array, const char* name);
const char* mxGetFieldNameByNumber(const mxArray* array, int field);
mxArray* mxGetField(const mxArray* array, mwSize at, const char* name);
mxArray* mxGetFieldByNumber(const mxArray* array, mwSize at, int field);
void mxSetFieldByNumber(mxArray* array, mwSize at, int field, mxArray* value);

/* ---- for the fuzz target ---------------------------------------------------------------------------------------------------------------
 */

/* Calls mexFunction. If it ends by an error, returns false, and fuzz_message has the message. fuzz_sweep frees all that the call leaves. */
bool fuzz_call(int num_out, mxArray* out[], int num_in, const mxArray* in[]);
extern char fuzz_message[8192];
void fuzz_mark_sparse(mxArray* array);
void fuzz_mark_dimensions(mxArray* array, mwSize dimensions);
/* Frees all arrays and memory of the interface, as an interpreter does at the end of a statement. */
void fuzz_sweep(void);

#ifdef __cplusplus
}
#endif
#endif
