function [w, V, invV, logdetV, an, bn, E_a, L] = vb_linear_fit_ard(X, y, a0, b0, c0, d0)
% VB_LINEAR_FIT_ARD  Variational Bayesian linear regression, one precision per weight (automatic relevance determination).
%
%   [w, V, invV, logdetV, an, bn, E_a, L] = vb_linear_fit_ard(X, y)
%   [...] = vb_linear_fit_ard(X, y, a0, b0, c0, d0)
%
%   Drop-in for the function of VBLinLogit. The model is y = X*w + noise with
%
%       p(w, tau | alpha) = N(w | 0, inv(tau*diag(alpha))) Gam(tau | a0, b0),   p(alpha(i)) = Gam(alpha(i) | c0, d0)
%
%   Arguments and outputs are those of vb_linear_fit, except
%
%   E_a     D x 1 posterior means of alpha; a large value means that the column has little effect
%
%   Example:
%       X = randn(100, 5);
%       y = X(:, 1:2) * [2; -1] + 0.5 * randn(100, 1);
%       [w, V, ~, ~, an, bn, E_a] = vb_linear_fit_ard(X, y);
%       disp([w, E_a])
%
%   See also vb_linear_fit, vb_linear_pred, ardvark_options, ardvark_fit.
  if nargin < 3, a0 = []; end
  if nargin < 4, b0 = []; end
  if nargin < 5, c0 = []; end
  if nargin < 6, d0 = []; end
  [w, V, invV, logdetV, an, bn, E_a, L] = ardvark_mex('vb_linear_fit_ard', nargout, X, y, a0, b0, c0, d0);
end
