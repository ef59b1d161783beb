function [w, V, invV, logdetV, E_a, L] = bayes_logit_fit_ard(X, y, a0, b0)
% BAYES_LOGIT_FIT_ARD  The older name of vb_logit_fit_ard.
%
%   [w, V, invV, logdetV, E_a, L] = bayes_logit_fit_ard(X, y, a0, b0)
%
%   See vb_logit_fit_ard for arguments and outputs.
%
%   See also vb_logit_fit_ard.
  if nargin < 3, a0 = []; end
  if nargin < 4, b0 = []; end
  [w, V, invV, logdetV, E_a, L] = ardvark_mex('vb_logit_fit_ard', nargout, X, y, a0, b0);
end
