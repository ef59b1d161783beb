function out = vb_logit_pred_iter(X, w, V, invV)
% VB_LOGIT_PRED_ITER  The name of vb_logit_pred_incr in the paper.
%
%   out = vb_logit_pred_iter(X, w, V, invV)
%
%   See vb_logit_pred_incr for arguments and outputs.
%
%   See also vb_logit_pred_incr.
  if nargin < 4, invV = []; end
  out = ardvark_mex('vb_logit_pred_incr', nargout, X, w, V, invV);
end
