function [w, V, invV, logdetV] = vb_logit_fit_iter(X, y)
% VB_LOGIT_FIT_ITER  Bayesian logistic regression, one observation at a time, with a fixed prior.
%
%   [w, V, invV, logdetV] = vb_logit_fit_iter(X, y)
%
%   Drop-in for the function of VBLinLogit. The prior of the weights is N(w | 0, I/D). Each row is taken once, in order, and the result
%   depends on that order: it is a filter, not the fit of all rows at once.
%
%   X       N x D inputs, one row each; a column of ones, if wanted, is yours to add
%   y       N labels, -1 or 1
%
%   w       D x 1 posterior mean of the weights
%   V       D x D their posterior covariance
%   invV    its inverse
%   logdetV log of its determinant
%
%   Example:
%       X = [ones(200, 1), randn(200, 2)];
%       y = 2 * (rand(200, 1) < 1 ./ (1 + exp(-X * [0; 2; -1]))) - 1;
%       [w, V, invV] = vb_logit_fit_iter(X, y);
%
%   See also vb_logit_fit, vb_logit_fit_ard, vb_logit_pred.
  [w, V, invV, logdetV] = ardvark_mex('vb_logit_fit_iter', nargout, X, y);
end

%!test  % with a prior alone nothing is known but N(0, I/D); then rows of one class
%! [w, V, invV, logdetV] = vb_logit_fit_iter([1, 0; 0.5, 1], [1; 1]);
%! assert(V * invV, eye(2), 1e-12);
%! assert(logdetV, log(det(V)), 1e-12);
%! assert(all(w > 0) && all(diag(V) < 0.5));
