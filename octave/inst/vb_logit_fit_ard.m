function [w, V, invV, logdetV, E_a, L] = vb_logit_fit_ard(X, y, a0, b0)
% VB_LOGIT_FIT_ARD  Variational Bayesian logistic regression, one precision per weight (automatic relevance determination).
%
%   [w, V, invV, logdetV, E_a, L] = vb_logit_fit_ard(X, y)
%   [...] = vb_logit_fit_ard(X, y, a0, b0)
%
%   Drop-in for the function of VBLinLogit. The model is
%
%       p(y = 1 | x, w) = 1/(1 + exp(-w'*x)),   p(w | alpha) = N(w | 0, inv(diag(alpha))),   p(alpha(i)) = Gam(alpha(i) | a0, b0)
%
%   The fit uses the bound of Jaakkola and Jordan. Arguments and outputs are those of vb_logit_fit, except
%
%   E_a     D x 1 posterior means of alpha; a large value means that the column has little effect
%
%   Example:
%       X = randn(300, 5);
%       y = 2 * (rand(300, 1) < 1 ./ (1 + exp(-X(:, 1:2) * [3; -2]))) - 1;
%       [w, V, invV, logdetV, E_a] = vb_logit_fit_ard(X, y);
%       disp([w, E_a])
%
%   See also vb_logit_fit, vb_logit_pred, ardvark_options, ardvark_fit.
  if nargin < 3, a0 = []; end
  if nargin < 4, b0 = []; end
  [w, V, invV, logdetV, E_a, L] = ardvark_mex('vb_logit_fit_ard', nargout, X, y, a0, b0);
end
