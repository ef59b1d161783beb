function out = vb_logit_pred_incr(X, w, V, invV)
% VB_LOGIT_PRED_INCR  Probabilities of class 1 from a fitted Bayesian logistic regression, row by row.
%
%   out = vb_logit_pred_incr(X, w, V, invV)
%
%   Drop-in for the function of VBLinLogit, whose rows do not depend on each other. Here those of vb_logit_pred do not either, and both
%   functions return the same. With ardvark_options('compat', true) it is the published lower bound, each row stopped by itself.
%
%   See also vb_logit_pred, ardvark_options.
  if nargin < 4, invV = []; end
  out = ardvark_mex('vb_logit_pred_incr', nargout, X, w, V, invV);
end
