function [w, V, invV, logdetV, E_a, L] = bayes_logit_fit(X, y, a0, b0)
% BAYES_LOGIT_FIT  The older name of vb_logit_fit.
%
%   [w, V, invV, logdetV, E_a, L] = bayes_logit_fit(X, y, a0, b0)
%
%   See vb_logit_fit for arguments and outputs.
%
%   See also vb_logit_fit.
  if nargin < 3, a0 = []; end
  if nargin < 4, b0 = []; end
  [w, V, invV, logdetV, E_a, L] = ardvark_mex('vb_logit_fit', nargout, X, y, a0, b0);
end
