function [w, V, invV, logdetV, E_a, L] = vb_logit_fit(X, y, a0, b0)
% VB_LOGIT_FIT  Variational Bayesian logistic regression, one precision for all weights.
%
%   [w, V, invV, logdetV, E_a, L] = vb_logit_fit(X, y)
%   [...] = vb_logit_fit(X, y, a0, b0)
%
%   Drop-in for the function of VBLinLogit. The model is
%
%       p(y = 1 | x, w) = 1/(1 + exp(-w'*x)),   p(w | alpha) = N(w | 0, inv(alpha)),   p(alpha) = Gam(alpha | a0, b0)
%
%   The fit uses the bound of Jaakkola and Jordan.
%
%   X       N x D inputs, one row each; for an intercept, add a column of ones yourself
%   y       N labels, -1 or 1
%   a0, b0  prior of the precision alpha of the weights; default 1e-2, 1e-4
%
%   w       D x 1 posterior mean of the weights
%   V       D x D posterior covariance of the weights
%   invV    inverse of V
%   logdetV log of the determinant of V
%   E_a     posterior mean of alpha
%   L       lower bound on the log evidence ln p(y | X), in nats
%
%   Only the outputs that you ask for are computed.
%
%   Example:
%       X = [ones(200, 1), randn(200, 2)];
%       y = 2 * (rand(200, 1) < 1 ./ (1 + exp(-X * [0; 2; -1]))) - 1;
%       [w, V, invV] = vb_logit_fit(X, y);
%       p = vb_logit_pred(X, w, V, invV);
%
%   See also vb_logit_fit_ard, vb_logit_fit_iter, vb_logit_pred, ardvark_options, ardvark_fit.
  if nargin < 3, a0 = []; end
  if nargin < 4, b0 = []; end
  [w, V, invV, logdetV, E_a, L] = ardvark_mex('vb_logit_fit', nargout, X, y, a0, b0);
end

%!test
%! randn('state', 1); rand('state', 1);
%! X = [ones(300, 1), randn(300, 2)];
%! y = 2 * (rand(300, 1) < 1 ./ (1 + exp(-X * [0; 2; -1]))) - 1;
%! [w, V, invV, logdetV, E_a, L] = vb_logit_fit(X, y);
%! assert(V * invV, eye(3), 1e-10);
%! assert(logdetV, log(det(V)), 1e-10);
%! assert(invV * w, X' * y / 2, 1e-9);
%! assert(w, [0; 2; -1], 0.6);

%!error <y at row 2 is 0; it must be -1 or 1> vb_logit_fit(randn(3, 1), [1; 0; 1])
%!error <y at row 2 is nan; it must be -1 or 1|y at row 2 is NaN; it must be -1 or 1> vb_logit_fit(randn(3, 1), [1; NaN; -1])

%!demo
%! % Two classes in the plane, and the lines where the probability of one class is 0.1, 0.5 and 0.9.
%! randn('state', 2);
%! X = [randn(50, 2) + 1; randn(50, 2) - 1]; y = [ones(50, 1); -ones(50, 1)];
%! [w, V] = vb_logit_fit([ones(100, 1), X], y);
%! [a, b] = meshgrid(linspace(-4, 4, 41));
%! p = vb_logit_pred([ones(numel(a), 1), a(:), b(:)], w, V);
%! contour(a, b, reshape(p, size(a)), [0.1, 0.5, 0.9], 'linecolor', 'b'); hold on
%! plot(X(y > 0, 1), X(y > 0, 2), 'k+', X(y < 0, 1), X(y < 0, 2), 'ro'); hold off
%! title('where the class + has probability 0.1, 0.5 and 0.9'); xlabel('first column'); ylabel('second column');
