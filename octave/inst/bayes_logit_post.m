function out = bayes_logit_post(X, w, V, invV)
% BAYES_LOGIT_POST  The older name of vb_logit_pred.
%
%   out = bayes_logit_post(X, w, V, invV)
%
%   See vb_logit_pred for arguments and outputs.
%
%   See also vb_logit_pred.
  if nargin < 4, invV = []; end
  out = ardvark_mex('vb_logit_pred', nargout, X, w, V, invV);
end
