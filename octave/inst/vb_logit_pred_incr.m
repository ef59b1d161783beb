function out = vb_logit_pred_incr(X, w, V, invV)
% VB_LOGIT_PRED_INCR  Probabilities of class 1 from a fitted Bayesian logistic regression, row by row.
%
%   out = vb_logit_pred_incr(X, w, V, invV)
%
%   Drop-in for the function of VBLinLogit, in which rows do not depend on each other. Here, vb_logit_pred has independent rows, too, and
%   both functions return the same values. With ardvark_options('compat', true), this function returns the published lower bound, with a
%   stopping rule for each row.
%
%   See also vb_logit_pred, ardvark_options.
  if nargin < 4, invV = []; end
  out = ardvark_mex('vb_logit_pred_incr', nargout, X, w, V, invV);
end
