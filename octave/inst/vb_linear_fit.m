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
%   X       N x D inputs, one row each; for an intercept, add a column of ones yourself
%   y       N outputs
%   a0, b0  prior of the noise precision tau; default 1e-2, 1e-4
%   c0, d0  prior of the precision alpha of the weights; default 1e-2, 1e-4
%
%   w       D x 1 posterior mean of the weights
%   V       D x D: the posterior is q(w | tau) = N(w, V/tau). V is not the covariance of w; the covariance is V * bn/(an - 1). For an
%           interval of w(i), use a Student-t with 2*an degrees of freedom and scale sqrt(V(i,i) * bn/an)
%   invV    inverse of V
%   logdetV log of the determinant of V
%   an, bn  posterior of the noise precision, Gam(an, bn)
%   E_a     posterior mean of alpha
%   L       lower bound on the log evidence ln p(y | X), in nats
%
%   Only the outputs that you ask for are computed.
%
%   Example:
%       X = [ones(50, 1), randn(50, 2)];
%       y = X * [1; 2; 0] + 0.5 * randn(50, 1);
%       [w, V, ~, ~, an, bn] = vb_linear_fit(X, y);
%       [mu, lambda, nu] = vb_linear_pred(X, w, V, an, bn);
%
%   See also vb_linear_fit_ard, vb_linear_pred, ardvark_options, ardvark_fit.
  if nargin < 3, a0 = []; end
  if nargin < 4, b0 = []; end
  if nargin < 5, c0 = []; end
  if nargin < 6, d0 = []; end
  [w, V, invV, logdetV, an, bn, E_a, L] = ardvark_mex('vb_linear_fit', nargout, X, y, a0, b0, c0, d0);
end

%!test  % the equations of the last sweep hold: w = V X'y, invV the inverse of V, logdetV its determinant
%! randn('state', 1);
%! X = [ones(40, 1), randn(40, 3)]; y = X * [1; 2; 0; -1] + 0.3 * randn(40, 1);
%! [w, V, invV, logdetV, an, bn, E_a, L] = vb_linear_fit(X, y);
%! assert(V * (X' * y), w, 1e-10);
%! assert(V * invV, eye(4), 1e-10);
%! assert(logdetV, log(det(V)), 1e-10);
%! assert(an, 0.01 + 20, 1e-12);
%! assert(isscalar(E_a) && isscalar(L) && bn > 0);

%!error <y has 39 entries; it must have 40> vb_linear_fit(randn(40, 2), randn(39, 1))
%!error <X at row 3> vb_linear_fit([1; 2; NaN], [1; 2; 3])
%!error <c0 is 0; it must be > 0> vb_linear_fit([1; 2; 3], [1; 2; 3], 1, 1, 0)

%!demo
%! % A line with its uncertainty: the interval of the next observation.
%! randn('state', 1);
%! x = 4 * rand(25, 1) - 2; y = 1 + 2 * x + randn(25, 1);
%! [w, V, ~, ~, an, bn] = vb_linear_fit([ones(25, 1), x], y);
%! z = linspace(-4, 4, 101)';
%! [mu, lambda, nu] = vb_linear_pred([ones(101, 1), z], w, V, an, bn);
%! sd = sqrt(nu / (nu - 2) ./ lambda);
%! plot(x, y, 'k.', z, mu, 'b', z, [mu - 2 * sd, mu + 2 * sd], 'b--'); axis([-4, 4, -11, 13]);
%! title('mean of the next observation, plus and minus two standard deviations'); xlabel('x'); ylabel('y');
