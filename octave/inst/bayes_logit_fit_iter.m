function [w, V, invV, logdetV] = bayes_logit_fit_iter(X, y)
% BAYES_LOGIT_FIT_ITER  The older name of vb_logit_fit_iter.
%
%   [w, V, invV, logdetV] = bayes_logit_fit_iter(X, y)
%
%   See vb_logit_fit_iter for arguments and outputs.
%
%   See also vb_logit_fit_iter.
  [w, V, invV, logdetV] = ardvark_mex('vb_logit_fit_iter', nargout, X, y);
end
