function [ww, ix_eff_all, errTable_tr, errTable_te, parm, Ptr, Pte] = ...
  biclsfy_l1slrc(x_train, t_train, x_test, t_test, gamma1, varargin)
% BICLSFY_L1SLRC  L1 regularised logistic regression, two classes, one weight at a time.
%
%   [ww, ix_eff_all, errTable_tr, errTable_te, parm, Ptr, Pte] = ...
%     biclsfy_l1slrc(x_train, t_train, x_test, t_test, gamma1, 'name', value, ...)
%
%   Drop-in for the function of the SLR toolbox. A Laplace prior of the
%   weights; the result is its mode, whose optimality conditions hold to 1e-9 of gamma1.
%
%   x_train   N x D training inputs, one row each, without a column of ones
%   t_train   N labels, any two values
%   x_test    K x D inputs to be classified; may be empty
%   t_test    their K labels, for the table
%   gamma1    of the prior: lambda = gamma1, as in the toolbox
%
%   Options:
%     'scale_mode'   what columns are divided by: 'each', their largest |x|; 'all', that of the table; 'stdeach', 'stdall', the standard
%                    deviation; or 'none'; default 'each'
%     'mean_mode'    what is taken off before: 'each', their mean; 'all', that of the table; or 'none'; default 'each'
%     'nlearn'       sweeps at most; default 1000. With compat exactly so many
%     'nstep'        sweeps between two columns of AXall; default 100
%     'usebias'      1: a bias is appended, last; 0: none; default 1
%     'norm_sep'     1: test rows are brought to size by themselves; 0: as the training rows; default 0
%     'displaytext'  accepted: nothing is printed
%
%   ww          (D+1) x 1 weights of the columns as they were brought to size, the bias last; a column that has left has 0
%   ix_eff_all  1 x 1 cell: the columns that are left, from 1
%   errTable_tr, errTable_te   2 x 2 counts: row: the class that is true, column: the most probable one
%   parm        the options, and nclass, nparm, nsamp_tr, nsamp_te, nfeat
%   Ptr, Pte    N x 2 and K x 2 probabilities of the classes, in the order of their labels
%
%   By default the fit ends when it has converged, columns that have left may come back, the bias has no precision, and probabilities
%   integrate over the posterior of the weights. ardvark_options('compat', true) brings the published program back, to 1e-8.
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
