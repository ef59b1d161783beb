/* The commands of ardvark_mex. Their arguments are those after the command and `wanted`. */
#ifndef ARDVARK_MEX_COMMANDS_H
#define ARDVARK_MEX_COMMANDS_H

#include "call.h"

HIDDEN_BEGIN

/* VBLinLogit */
void vb_linear(const Arguments* a, const char* preset);
void vb_logit(const Arguments* a, const char* preset);
void vb_logit_iter(const Arguments* a);
void vb_linear_pred(const Arguments* a);
void vb_logit_pred(const Arguments* a, const char* published);

/* SLR toolbox. \return whether there is a program of this name */
bool classify_by(const char* program, const Arguments* a);
void selection_value(const Arguments* a);

/* every model */
void fit_command(const Arguments* a);
void predict_command(const Arguments* a);
void save_command(const Arguments* a);
void report_command(const Arguments* a);
void summary_command(const Arguments* a);
void select_command(const Arguments* a);
void compare_command(const Arguments* a);

void options_command(const Arguments* a);

HIDDEN_END

#endif
