function out = vb_logit_pred(X, w, V, invV)
% VB_LOGIT_PRED  Probabilities of class 1 from a fitted Bayesian logistic regression.
%
%   out = vb_logit_pred(X, w, V, invV)
%
%   Drop-in for the function of VBLinLogit.
%
%   X       K x D inputs, one row each
%   w, V, invV   outputs of vb_logit_fit, vb_logit_fit_ard or vb_logit_fit_iter; invV is read only with compat, otherwise optional
%
%   out     K x 1 probabilities p(y = 1 | x) = E 1/(1 + exp(-w'*x)) under the posterior N(w, V), to 2.2e-9
%
%   The published program returns a lower bound on this probability: for example 0.437 if the probability is one half and x'*V*x = 10. With
%   ardvark_options('compat', true), this function returns the same bound with the same stopping rule, by which the value of a row depends
%   on the other rows of the call.
%
%   See also vb_logit_pred_incr, vb_logit_fit, ardvark_options, ardvark_predict.
  if nargin < 4, invV = []; end
  out = ardvark_mex('vb_logit_pred', nargout, X, w, V, invV);
end

%!test  % equals the quadrature of E 1/(1 + exp(-u)), u ~ N(m, s); both classes sum to one
%! w = [1; -0.5]; V = [0.5, 0.1; 0.1, 2]; X = [1, 2; -1, 3; 0, 0];
%! p = vb_logit_pred(X, w, V);
%! for k = 1:3
%!   m = X(k, :) * w; s = X(k, :) * V * X(k, :)';
%!   if s == 0, expected = 1 / (1 + exp(-m)); else
%!     expected = quadgk(@(u) 1 ./ (1 + exp(-u)) .* exp(-(u - m).^2 / (2 * s)) / sqrt(2 * pi * s), m - 10 * sqrt(s), m + 10 * sqrt(s)); end
%!   assert(p(k), expected, 5e-9);
%! end
%! assert(p + vb_logit_pred(-X, w, V), ones(3, 1), 1e-12);
%! assert(vb_logit_pred_incr(X, w, V), p);

%!test  % the published bound is lower: 0.437 at x'w = 0 and x'Vx = 10, as in the docs
%! ardvark_options('compat', true);
%! p = vb_logit_pred(sqrt(10), 0, 1, 1);
%! ardvark_options('compat', false);
%! assert(p, 0.437, 5e-4);
