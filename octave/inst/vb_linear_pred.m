function [mu, lambda, nu] = vb_linear_pred(X, w, V, an, bn)
% VB_LINEAR_PRED  Predictions of vb_linear_fit and vb_linear_fit_ard: a Student-t distribution for each row.
%
%   [mu, lambda, nu] = vb_linear_pred(X, w, V, an, bn)
%
%   Drop-in for the function of VBLinLogit.
%
%   X       K x D inputs, one row each
%   w, V, an, bn   outputs of vb_linear_fit or vb_linear_fit_ard
%
%   mu      K x 1 means
%   lambda  K x 1 precisions of the Student-t: its scale is 1 ./ sqrt(lambda)
%   nu      degrees of freedom of the Student-t, 2*an
%
%   See also vb_linear_fit, vb_linear_fit_ard, ardvark_predict.
  [mu, lambda, nu] = ardvark_mex('vb_linear_pred', nargout, X, w, V, an, bn);
end

%!test  % one column, by hand: lambda = an/bn/(1 + x V x)
%! [mu, lambda, nu] = vb_linear_pred([1; 2], 3, 0.5, 2, 4);
%! assert(mu, [3; 6], 1e-14);
%! assert(lambda, [0.5 / 1.5; 0.5 / 3], 1e-14);
%! assert(nu, 4);

%!error <V is 3 x 3; it must be 2 x 2> vb_linear_pred(ones(1, 2), [1; 2], eye(3), 1, 1)
%!error <X has 3 columns> vb_linear_pred(ones(1, 3), [1; 2], eye(2), 1, 1)
%!error <bn is -1> vb_linear_pred(ones(1, 2), [1; 2], eye(2), 1, -1)
