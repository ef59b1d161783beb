function out = vb_logit_pred(X, w, V, invV)
% VB_LOGIT_PRED  Probabilities of class 1 from a fitted Bayesian logistic regression.
%
%   out = vb_logit_pred(X, w, V, invV)
%
%   Drop-in for the function of VBLinLogit.
%
%   X       K x D inputs, one row each
%   w, V, invV   as vb_logit_fit, vb_logit_fit_ard or vb_logit_fit_iter returned them; invV may be left out, and is read only with compat
%
%   out     K x 1 probabilities p(y = 1 | x) = E 1/(1 + exp(-w'*x)) under the posterior N(w, V), to 2.2e-9
%
%   The published program returns a lower bound on this: 0.437 where the probability is one half and x'*V*x = 10. It comes back with
%   ardvark_options('compat', true), stopped as there, so that a row's value depends on the other rows of the call.
%
%   See also vb_logit_pred_incr, vb_logit_fit, ardvark_options, ardvark_predict.
  if nargin < 4, invV = []; end
  out = ardvark_mex('vb_logit_pred', nargout, X, w, V, invV);
end
