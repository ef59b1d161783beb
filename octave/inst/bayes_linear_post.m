function [mu, lambda, nu] = bayes_linear_post(X, w, V, an, bn)
% BAYES_LINEAR_POST  The older name of vb_linear_pred.
%
%   [mu, lambda, nu] = bayes_linear_post(X, w, V, an, bn)
%
%   See vb_linear_pred for arguments and outputs.
%
%   See also vb_linear_pred.
  [mu, lambda, nu] = ardvark_mex('vb_linear_pred', nargout, X, w, V, an, bn);
end
