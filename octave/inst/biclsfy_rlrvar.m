function [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
  biclsfy_rlrvar(x_train, t_train, x_test, t_test, varargin)
% BICLSFY_RLRVAR  Regularised logistic regression, two classes, by the variational bound.
%
%   [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
%     biclsfy_rlrvar(x_train, t_train, x_test, t_test, 'name', value, ...)
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
%     'scale_mode'   what columns are divided by: 'each', their largest |x|; 'all', that of the table; 'stdeach', 'stdall', the standard
%                    deviation; or 'none'; default 'each'
%     'mean_mode'    what is taken off before: 'each', their mean; 'all', that of the table; or 'none'; default 'each'
%     'nlearn'       sweeps at most; default 1000. With compat exactly so many
%     'nstep'        sweeps between two columns of AXall; default 100
%     'amax'         a weight whose precision reaches this leaves, where weights have precisions of their own; default 1e8
%     'usebias'      1: a bias is appended, last; 0: none; default 1
%     'norm_sep'     1: test rows are brought to size by themselves; 0: as the training rows; default 0
%     'displaytext'  accepted: nothing is printed
%     'ax0'          precisions to begin with: one per weight in the order of ww, the bias of each column last, or one number where all
%                    weights share one; [] is ones. Where the end is one from wherever it begins (biclsfy_l1slrlap), and with compat where
%                    the published program does not use it (all but muclsfy_slrvarovo and muclsfy_rlrvarovrm), it has no effect
%     'invhessian'   accepted: which matrix is inverted is chosen by size
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
%       [ww, ix, errTable_tr, errTable_te] = biclsfy_rlrvar(x(1:150, :), t(1:150), x(151:end, :), t(151:end), 'nlearn', 300);
%       disp(errTable_te)
%
%   See also biclsfy_rlrlap, biclsfy_slrvar, ardvark_options, ardvark_fit.
  [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
    ardvark_mex('biclsfy_rlrvar', nargout, x_train, t_train, x_test, t_test, varargin);
end
