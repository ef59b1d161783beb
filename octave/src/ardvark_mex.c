/* The function that all functions of this package call. It passes their numbers to the C interface of ardvark (ardvark/ardvark.h) and the
 * results back.
 *
 *     [out1, out2, ...] = ardvark_mex(command, wanted, arguments...)
 *
 * `wanted` is the caller's nargout: results beyond it are empty; they are not computed and not copied. Matrices are not copied.
 * Everything is C, so that no exception can leave the function. All memory of a call is in one place (call.h) and is freed before an error
 * is raised. It builds with Octave's mkoctfile --mex, and is also written for MATLAB's mex (not tested there).
 */
#include <string.h>

#include "commands.h"

void mexFunction(int num_out, mxArray* out[], int num_in, const mxArray* in[]) {
  char command[64];
  Arguments a;
  if (!mexIsLocked()) mexLock(); /* `clear all` must not unload the settings and the threads of BLAS */
  begin_call();
  if (num_in < 2 || !mxIsChar(in[0]) || mxGetString(in[0], command, sizeof command) != 0)
    fail(INVALID, "ardvark_mex is only for the functions of this package: see help ardvark_fit");
  a.wanted = (int)mxGetScalar(in[1]);
  a.num_out = num_out > 0 ? num_out : 1;
  a.num_in = num_in - 2;
  a.out = out;
  a.in = in + 2;
  if (strcmp(command, "vb_linear_fit") == 0 || strcmp(command, "vb_linear_fit_ard") == 0)
    vb_linear(&a, command);
  else if (strcmp(command, "vb_logit_fit") == 0 || strcmp(command, "vb_logit_fit_ard") == 0)
    vb_logit(&a, command);
  else if (strcmp(command, "vb_logit_fit_iter") == 0)
    vb_logit_iter(&a);
  else if (strcmp(command, "vb_linear_pred") == 0)
    vb_linear_pred(&a);
  else if (strcmp(command, "vb_logit_pred") == 0)
    vb_logit_pred(&a, "published-batch");
  else if (strcmp(command, "vb_logit_pred_incr") == 0)
    vb_logit_pred(&a, "published-incremental");
  else if (strcmp(command, "options") == 0)
    options_command(&a);
  else if (strcmp(command, "calc_SCval") == 0)
    selection_value(&a);
  else if (strcmp(command, "fit") == 0)
    fit_command(&a);
  else if (strcmp(command, "predict") == 0)
    predict_command(&a);
  else if (strcmp(command, "save") == 0)
    save_command(&a);
  else if (strcmp(command, "report") == 0)
    report_command(&a);
  else if (strcmp(command, "summary") == 0)
    summary_command(&a);
  else if (strcmp(command, "select") == 0)
    select_command(&a);
  else if (strcmp(command, "compare") == 0)
    compare_command(&a);
  else if (!classify_by(command, &a))
    fail(INVALID, "ardvark_mex has no command '%s'", command);
  end_call();
}
