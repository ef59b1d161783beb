function [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
  biclsfy_rlrlap(x_train, t_train, x_test, t_test, varargin)
% BICLSFY_RLRLAP  Regularised logistic regression, two classes, by Laplace's approximation.
%
%   [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
%     biclsfy_rlrlap(x_train, t_train, x_test, t_test, 'name', value, ...)
%
%   Drop-in for the function of the SLR toolbox. One precision for all
%   weights; no column leaves.
%
%   x_train   N x D training inputs, one row each, without a column of ones
%   t_train   N labels, any two values
%   x_test    K x D inputs to be classified; may be empty
%   t_test    their K labels, for the table
%
%   Options:
%     'scale_mode'  columns are divided by their largest |x|: 'each', the table's: 'all' (default), by the standard deviation: 'stdeach',
%                   'stdall', or not: 'none'
%     'mean_mode'   after their mean: 'each', or that of the table: 'all' (default), has been taken off, or nothing: 'none'
%     'nlearn'      sweeps at most; default 1000. With compat exactly so many
%     'nstep'       sweeps between two columns of AXall; default 100
%     'amax'        a weight whose precision reaches this leaves; default 1e8
%     'usebias'     1 (default): a bias is appended, last; 0: none
%     'norm_sep'    1: test rows are brought to size by themselves; default 0: as the training rows
%     'displaytext' accepted: nothing is printed
%     'ax0'         only [] is there
%     'wmaxiter', 'wdisp_mode'  accepted: the inner search for the weights always ends at their mode
%
%   ww          (D+1) x 1 weights of the columns as they were brought to size, the bias last; a column that has left has 0
%   ix_eff_all  1 x 1 cell: every column
%   errTable_tr, errTable_te   2 x 2 counts: row: the class that is true, column: the most probable one
%   parm        the options, and nclass, nparm, nsamp_tr, nsamp_te, nfeat
%   AXall       the precisions at the start and after every nstep sweeps, a column each; 0 for a bias without one
%   Ptr, Pte    N x 2 and K x 2 probabilities of the classes, in the order of their labels
%
%   By default the fit ends when it has converged, columns that have left may come back, the bias has no precision, and probabilities
%   integrate over the posterior of the weights. ardvark_options('compat', true) brings the published program back, to 1e-8.
%
%   Example:
%       x = randn(200, 20);
%       t = double(x(:, 1) - x(:, 2) + 0.5 * randn(200, 1) > 0);
%       [ww, ix, errTable_tr, errTable_te] = biclsfy_rlrlap(x(1:150, :), t(1:150), x(151:end, :), t(151:end), 'nlearn', 300);
%       disp(errTable_te)
%
%   See also biclsfy_rlrvar, biclsfy_slrlap, ardvark_options, ardvark_fit.
  parm = struct('scale_mode', 'all', 'mean_mode', 'all', 'nlearn', 1000, 'nstep', 100, 'amax', 1e8, 'usebias', 1, 'norm_sep', 0, ...
                'displaytext', 1, 'ax0', [], 'wmaxiter', 50, 'wdisp_mode', 'iter');
  [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
    ardvark_mex('biclsfy_rlrlap', nargout, x_train, t_train, x_test, t_test, parm, varargin);
end
