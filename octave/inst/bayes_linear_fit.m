function [w, V, invV, logdetV, an, bn, E_a, L] = bayes_linear_fit(X, y, a0, b0, c0, d0)
% BAYES_LINEAR_FIT  The older name of vb_linear_fit.
%
%   [w, V, invV, logdetV, an, bn, E_a, L] = bayes_linear_fit(X, y, a0, b0, c0, d0)
%
%   See vb_linear_fit for arguments and outputs.
%
%   See also vb_linear_fit.
  if nargin < 3, a0 = []; end
  if nargin < 4, b0 = []; end
  if nargin < 5, c0 = []; end
  if nargin < 6, d0 = []; end
  [w, V, invV, logdetV, an, bn, E_a, L] = ardvark_mex('vb_linear_fit', nargout, X, y, a0, b0, c0, d0);
end
