// The fields of each kind of fit by name.
#pragma once

#include "model/fields.hpp"

namespace ardvark::internal {

void visit(const Fit& fit, double level, Fields& out);
void visit(const SoftmaxFit& fit, double level, Fields& out);
void visit(const RelevanceFit& fit, double level, Fields& out);
void visit(const KernelFit& fit, double level, Fields& out);

/// Sweeps, coefficients and noise: what a fit and a relevance vector machine have in common.
void visit_posterior(const Fit& fit, double level, Fields& out);
void visit_report(const Report& report, Fields& out);
void visit_status(const Report& report, Fields& out);

}  // namespace ardvark::internal
