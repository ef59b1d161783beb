function [mu, lambda, nu] = vb_linear_pred(X, w, V, an, bn)
% VB_LINEAR_PRED  Predictions of vb_linear_fit and vb_linear_fit_ard: a Student-t distribution for each row.
%
%   [mu, lambda, nu] = vb_linear_pred(X, w, V, an, bn)
%
%   Drop-in for the function of VBLinLogit.
%
%   X       K x D inputs, one row each
%   w, V, an, bn   as vb_linear_fit or vb_linear_fit_ard returned them
%
%   mu      K x 1 means
%   lambda  K x 1 precisions of the Student-t: its scale is 1 ./ sqrt(lambda)
%   nu      its degrees of freedom, 2*an
%
%   See also vb_linear_fit, vb_linear_fit_ard, ardvark_predict.
  [mu, lambda, nu] = ardvark_mex('vb_linear_pred', nargout, X, w, V, an, bn);
end
