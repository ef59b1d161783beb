function [w, V, invV, logdetV] = vb_logit_fit_iter(X, y)
% VB_LOGIT_FIT_ITER  Bayesian logistic regression, one observation at a time, with a fixed prior.
%
%   [w, V, invV, logdetV] = vb_logit_fit_iter(X, y)
%
%   Drop-in for the function of VBLinLogit. The prior of the weights is N(w | 0, I/D). The function is a filter: it absorbs each row once,
%   in order, and the result depends on the order. It does not fit all rows at once.
%
%   X       N x D inputs, one row each; for an intercept, add a column of ones yourself
%   y       N labels, -1 or 1
%
%   w       D x 1 posterior mean of the weights
%   V       D x D posterior covariance of the weights
%   invV    inverse of V
%   logdetV log of the determinant of V
%
%   Example:
%       X = [ones(200, 1), randn(200, 2)];
%       y = 2 * (rand(200, 1) < 1 ./ (1 + exp(-X * [0; 2; -1]))) - 1;
%       [w, V, invV] = vb_logit_fit_iter(X, y);
%
%   See also vb_logit_fit, vb_logit_fit_ard, vb_logit_pred.
  [w, V, invV, logdetV] = ardvark_mex('vb_logit_fit_iter', nargout, X, y);
end

%!test  % rows of one class only
%! [w, V, invV, logdetV] = vb_logit_fit_iter([1, 0; 0.5, 1], [1; 1]);
%! assert(V * invV, eye(2), 1e-12);
%! assert(logdetV, log(det(V)), 1e-12);
%! assert(all(w > 0) && all(diag(V) < 0.5));
