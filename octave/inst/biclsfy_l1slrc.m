function [ww, ix_eff_all, errTable_tr, errTable_te, parm, Ptr, Pte] = ...
  biclsfy_l1slrc(x_train, t_train, x_test, t_test, gamma1, varargin)
% BICLSFY_L1SLRC  L1 regularised logistic regression, two classes, one weight at a time.
%
%   [ww, ix_eff_all, errTable_tr, errTable_te, parm, Ptr, Pte] = ...
%     biclsfy_l1slrc(x_train, t_train, x_test, t_test, gamma1, 'name', value, ...)
%
%   Drop-in for the function of the SLR toolbox. The weights have a Laplace prior. The result is the mode of the posterior; its optimality
%   conditions hold to 1e-9 gamma1.
%
%   x_train   N x D training inputs, one row each, without a column of ones
%   t_train   N labels, any two values
%   x_test    K x D test inputs, one row each; may be empty
%   t_test    labels of the K rows, for errTable_te
%   gamma1    of the Laplace prior, as in the toolbox: lambda = gamma1
%
%   Options:
%     'scale_mode'   what columns are divided by: 'each': the largest |x| of the column; 'all': that of the table; 'stdeach', 'stdall': the
%                    standard deviation of the column or of the table; or 'none'; default 'each'
%     'mean_mode'    what is subtracted before: 'each': the mean of the column; 'all': that of the table; or 'none'; default 'each'
%     'nlearn'       maximum number of sweeps; default 1000. With compat: the exact number of sweeps
%     'nstep'        number of sweeps between two columns of AXall; default 100
%     'usebias'      1: a bias is added as the last weight; 0: there is no bias; default 1
%     'norm_sep'     1: means and scales for the test rows are computed from the test rows; 0: from the training rows; default 0
%     'displaytext'  accepted, but nothing is printed
%
%   ww          (D+1) x 1 weights of the scaled columns, the bias last; 0 for a column that has left
%   ix_eff_all  1 x 1 cell: positions of the columns that remain, from 1
%   errTable_tr, errTable_te   2 x 2 counts: a row for each true class, a column for each most probable class
%   parm        the options, and nclass, nparm, nsamp_tr, nsamp_te, nfeat
%   Ptr, Pte    N x 2 and K x 2 probabilities of the classes, in the order of their labels
%
%   By default, the fit ends when it has converged, columns that have left may come back, the bias has no precision, and probabilities
%   integrate over the posterior of the weights. ardvark_options('compat', true) reproduces the published program to 1e-8.
%
%   Example:
%       x = randn(200, 20);
%       t = double(x(:, 1) - x(:, 2) + 0.5 * randn(200, 1) > 0);
%       [ww, ix, errTable_tr, errTable_te] = biclsfy_l1slrc(x(1:150, :), t(1:150), x(151:end, :), t(151:end), 1, 'nlearn', 300);
%       disp(errTable_te)
%
%   See also biclsfy_l1slrlap, ardvark_options, ardvark_fit.
  [ww, ix_eff_all, errTable_tr, errTable_te, parm, Ptr, Pte] = ...
    ardvark_mex('biclsfy_l1slrc', nargout, x_train, t_train, x_test, t_test, varargin, gamma1);
end
