/* ardvark_options: the options of all later calls. */
#include <math.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"

/* () -> struct; (name) -> value; (name, value, ...) sets */
void options_command(const Arguments* a) {
  static const char* const names[] = {"compat", "threads", "tolerance"};
  int i;
  for (i = 0; i + 1 < a->num_in; i += 2) {
    const char* const name = text_of(a->in[i], "the name of an option");
    const double value = number_of(a->in[i + 1], name);
    if (strcmp(name, "compat") == 0) {
      if (value != 0 && value != 1) fail(INVALID, "compat is %g; it must be true or false", value);
      settings_.compat = value == 1;
    } else if (strcmp(name, "threads") == 0) {
      if (value < 0 || value != floor(value))
        fail(INVALID, "threads is %g; it must be a whole number >= 0, where 0 means as the environment says", value);
      settings_.threads = value;
    } else if (strcmp(name, "tolerance") == 0) {
      if (!(value >= 0)) fail(INVALID, "tolerance is %g; it must be >= 0, where 0 means the default", value);
      settings_.tolerance = value;
    } else {
      fail(INVALID, "there is no option '%s'; the options are compat, threads, tolerance", name);
    }
  }
  {
    mxArray* const all = mxCreateStructMatrix(1, 1, 3, (const char**)names);
    mxSetFieldByNumber(all, 0, 0, mxCreateLogicalScalar(settings_.compat));
    mxSetFieldByNumber(all, 0, 1, mxCreateDoubleScalar(settings_.threads));
    mxSetFieldByNumber(all, 0, 2, mxCreateDoubleScalar(settings_.tolerance));
    a->out[0] = all;
    if (a->num_in % 2 == 1) {
      const char* const name = text_of(a->in[a->num_in - 1], "the name of an option");
      mxArray* const value = mxGetField(all, 0, name);
      if (value == NULL) {
        if (a->num_in == 1) fail(INVALID, "there is no option '%s'; the options are compat, threads, tolerance", name);
        fail(INVALID, "option '%s' has no value", name);
      }
      a->out[0] = mxDuplicateArray(value);
      mxDestroyArray(all);
    }
  }
}
