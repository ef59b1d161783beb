function out = bayes_logit_post_iter(X, w, V, invV)
% BAYES_LOGIT_POST_ITER  An older name of vb_logit_pred_incr.
%
%   out = bayes_logit_post_iter(X, w, V, invV)
%
%   See vb_logit_pred_incr for arguments and outputs.
%
%   See also vb_logit_pred_incr.
  if nargin < 4, invV = []; end
  out = ardvark_mex('vb_logit_pred_incr', nargout, X, w, V, invV);
end
