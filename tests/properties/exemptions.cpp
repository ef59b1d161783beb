// Where a property is known not to hold of what is drawn, and why. A failure here is counted, not hidden; --strict shows it.
#include <string>

#include "property.hpp"

namespace ardvark::testing {
namespace {

bool is_classification(const Subject& s) { return s.model && !s.is_regression(); }
// The fit tells its own rows apart, or some of them for certain (log odds of 10): the likelihood has no maximum, and only the prior ends a
// long level way.
bool is_separated(const Subject& s) {
  if (!is_classification(s)) return false;
  if (s.is_linear_score() && s.has_posterior()) {
    const Vector m = (s.prepared.X * s.fit().mean).array() + (s.fit().intercept ? s.fit().intercept->mean : 0);
    if (m.cwiseAbs().maxCoeff() > 10) return true;
  }
  return (s.model->relevance ? s.model->relevance->accuracy : s.model->softmax ? s.model->softmax->accuracy : s.fit().accuracy) == 1;
}
bool is_sparse(const Subject& s) {
  if (!s.model || s.model->relevance) return false;
  return s.model->softmax ? !s.model->softmax->machines.empty() && s.model->softmax->machines.front().sparse.has_value()
                          : s.fit().sparse.has_value();
}
bool is_relevance(const Subject& s) { return s.model && s.model->relevance.has_value(); }
bool is_wide(const Subject& s) { return s.model && s.prepared.X.cols() + 1 >= s.prepared.X.rows(); }
bool has_dependent_columns(const Subject& s) {
  for (const char* trait : {"duplicated column", "nearly collinear column", "column that others add up to", "correlated columns",
                            "column far from zero", "tiny or huge column"})
    if (s.problem.has_trait(trait)) return true;
  return false;
}
bool is_sparse_classification(const Subject& s) { return is_sparse(s) && is_classification(s); }
bool is_preset_without_intercept(const Subject& s) { return s.model && s.is_preset() && !s.prepared.options.intercept; }
bool is_preset(const Subject& s) { return s.model && s.is_preset(); }
bool has_flat_columns(const Subject& s) { return !s.problem.flat.empty() || s.prepared.options.prior == "none"; }
bool has_history(const Subject& s) { return s.prepared.options.record_every > 0 || s.prepared.options.preset == "slr_rvm"; }
bool is_unfinished(const Subject& s) { return s.model && !s.is_converged(); }
bool has_odd_weights(const Subject& s) { return s.problem.has_trait("weights far from one"); }
bool is_plain(const Subject& s) { return !s.prepared.options.acceleration; }
bool is_mackay(const Subject& s) { return s.prepared.options.update_rule == "mackay" || s.prepared.options.prune_at.has_value(); }

}  // namespace

const std::vector<Exemption>& exemptions() {
  static const std::vector<Exemption> all = {
      {"saved", has_history, "a file has no precision_history, and none of the candidates of slr_rvm"},
      {"solvers", has_flat_columns, "of an ill-conditioned table without a prior the dual returns something else"},
      {"described", is_preset, "the log loss of presets is of another rule than that of predict"},
      {"described", is_separated, "the log loss of separated rows is of other equations than what is returned"},
      {"described", is_mackay, "the log loss of a pruned fit with the solver dual is not that of what is returned"},
      {"described", is_unfinished, "the log loss of a fit that has not settled is of the rows before its last step"},
      {"sound", has_odd_weights, "weights that sum to little leave no start with a finite bound, or noise that is no number"},
      {"predicted", has_odd_weights, "weights that sum to little may leave noise that is no number"},
      {"predicted", has_dependent_columns, "columns that say the same: covariances carry the condition of the table"},
      {"described", is_wide, "the log loss is of the rows before the last step, which with more columns than rows is large"},
      {"shell", has_history, "a file has none of the candidates of slr_rvm"},
      {"target", has_dependent_columns, "of equal columns one is left out, and with it a flat one"},
      {"converged", is_plain, "plain sweeps climb slowly, and the foretold gain is too small"},
      {"converged", has_flat_columns, "columns without a prior: rounding decides where a fit ends"},
      {"converged", has_dependent_columns, "where columns say the same the bound of ARD has several maxima, with a saddle between"},
      {"solvers", has_dependent_columns, "where columns say the same the bound of ARD has several maxima, with a saddle between"},
      {"rows", has_dependent_columns, "where columns say the same the bound has several maxima, with a saddle between"},
      {"units", has_dependent_columns, "where columns say the same the bound has several maxima, with a saddle between"},
      {"labels", has_dependent_columns, "where columns say the same the bound has several maxima, with a saddle between"},
      {"memory", has_dependent_columns, "where columns say the same the bound has several maxima, with a saddle between"},
      {"weights", has_dependent_columns, "where columns say the same the bound has several maxima, with a saddle between"},
      {"solvers", is_separated, "primal and dual end at other places of separated rows"},
      {"derived", is_sparse,
       "effective parameters by (SP.16) exceed the columns where the noise is all but none; inclusions of sets below zero"},
      {"predicted", is_preset_without_intercept,
       "columns that a preset centres have an intercept even where none is asked for, and it is not told"},
      {"predicted", has_flat_columns, "coefficients without a prior carry the condition of the table"},
      {"converged", is_separated, "of separated rows the bound is level for long, and the foretold gain is too small"},
      {"converged", is_mackay, "MacKay's rule foretells no gain"},
      {"columns", is_sparse, "coordinate ascent takes the columns in their order, and may end at another maximum"},
      {"columns", has_dependent_columns, "columns that say the same: which one is kept follows their order"},
      {"rows", is_separated, "of separated rows the bound is level for long, and rounding decides where a fit ends"},
      {"columns", is_separated, "of separated rows the bound is level for long, and rounding decides where a fit ends"},
      {"units", is_separated, "of separated rows the bound is level for long, and rounding decides where a fit ends"},
      {"labels", is_separated, "of separated rows the bound is level for long, and rounding decides where a fit ends"},
      {"weights", is_separated, "of separated rows the bound is level for long, and rounding decides where a fit ends"},
      {"memory", is_separated, "of separated rows the bound is level for long, and rounding decides where a fit ends"},
      {"converged", is_sparse_classification,
       "the sparse fit of classes is no ascent of one bound (SL.6): rounding may decide at which maximum it ends"},
      {"rows", is_sparse_classification,
       "the sparse fit of classes is no ascent of one bound (SL.6): rounding may decide at which maximum it ends"},
      {"units", is_sparse_classification,
       "the sparse fit of classes is no ascent of one bound (SL.6): rounding may decide at which maximum it ends"},
      {"labels", is_sparse_classification,
       "the sparse fit of classes is no ascent of one bound (SL.6): rounding may decide at which maximum it ends"},
      {"weights", is_sparse_classification,
       "the sparse fit of classes is no ascent of one bound (SL.6): rounding may decide at which maximum it ends"},
      {"memory", is_sparse_classification,
       "the sparse fit of classes is no ascent of one bound (SL.6): rounding may decide at which maximum it ends"},
      {"converged", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"rows", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"columns", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"units", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"target", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"labels", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"weights", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"memory", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"solvers", is_wide, "with more columns than rows the bound has many maxima (FitOptions::tolerance)"},
      {"rows", is_relevance, "the evidence of a kernel machine has several maxima, in its width and its vectors"},
      {"columns", is_relevance, "the evidence of a kernel machine has several maxima, in its width and its vectors"},
      {"units", is_relevance, "the evidence of a kernel machine has several maxima, in its width and its vectors"},
      {"target", is_relevance, "the evidence of a kernel machine has several maxima, in its width and its vectors"},
      {"labels", is_relevance, "the evidence of a kernel machine has several maxima, in its width and its vectors"},
      {"memory", is_relevance, "the evidence of a kernel machine has several maxima, in its width and its vectors"},
  };
  return all;
}

const Exemption* exemption_of(const std::string& property, const Subject& subject) {
  for (const Exemption& exemption : exemptions())
    if (property == exemption.property && exemption.applies(subject)) return &exemption;
  return nullptr;
}

}  // namespace ardvark::testing
