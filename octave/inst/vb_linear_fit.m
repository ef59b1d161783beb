function [w, V, invV, logdetV, an, bn, E_a, L] = vb_linear_fit(X, y, a0, b0, c0, d0)
% VB_LINEAR_FIT  Variational Bayesian linear regression, one precision for all weights.
%
%   [w, V, invV, logdetV, an, bn, E_a, L] = vb_linear_fit(X, y)
%   [...] = vb_linear_fit(X, y, a0, b0, c0, d0)
%
%   Drop-in for the function of VBLinLogit. The model is y = X*w + noise with
%
%       p(w, tau | alpha) = N(w | 0, inv(tau*alpha)) Gam(tau | a0, b0),   p(alpha) = Gam(alpha | c0, d0)
%
%   X       N x D inputs, one row each; a column of ones, if wanted, is yours to add
%   y       N outputs
%   a0, b0  prior of the noise precision tau; default 1e-2, 1e-4
%   c0, d0  prior of the precision alpha of the weights; default 1e-2, 1e-4
%
%   w       D x 1 posterior mean of the weights
%   V       D x D: the posterior is q(w | tau) = N(w, V/tau). V is not the covariance of w, which is V * bn/(an - 1); an interval of w(i) is
%           that of a Student-t with 2*an degrees of freedom and scale sqrt(V(i,i) * bn/an)
%   invV    its inverse
%   logdetV log of its determinant
%   an, bn  posterior of the noise precision, Gam(an, bn)
%   E_a     posterior mean of alpha
%   L       lower bound on the log evidence ln p(y | X), in nats
%
%   Outputs that are not asked for are not computed.
%
%   Example:
%       X = [ones(50, 1), randn(50, 2)];
%       y = X * [1; 2; 0] + 0.5 * randn(50, 1);
%       [w, V, ~, ~, an, bn] = vb_linear_fit(X, y);
%       [mu, lambda, nu] = vb_linear_pred(X, w, V, an, bn);
%
%   See also vb_linear_fit_ard, vb_linear_pred, ardvark_options, ardvark_fit.
  if nargin < 3, a0 = 1e-2; end
  if nargin < 4, b0 = 1e-4; end
  if nargin < 5, c0 = 1e-2; end
  if nargin < 6, d0 = 1e-4; end
  [w, V, invV, logdetV, an, bn, E_a, L] = ardvark_mex('vb_linear_fit', nargout, X, y, a0, b0, c0, d0);
end
