function [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
  muclsfy_slrlapovrm(x_train, t_train, x_test, t_test, varargin)
% MUCLSFY_SLRLAPOVRM  Sparse logistic regressions of each class against the rest, by Laplace's approximation.
%
%   [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
%     muclsfy_slrlapovrm(x_train, t_train, x_test, t_test, 'name', value, ...)
%
%   Drop-in for the function of the SLR toolbox. It fits biclsfy_slrlap to each class against the rest.
%
%   x_train   N x D training inputs, one row each, without a column of ones
%   t_train   N labels, any C values
%   x_test    K x D test inputs, one row each; may be empty
%   t_test    labels of the K rows, for errTable_te
%
%   Options:
%     'scale_mode'   what columns are divided by: 'each': the largest |x| of the column; 'all': that of the table; 'stdeach', 'stdall': the
%                    standard deviation of the column or of the table; or 'none'; default 'each'
%     'mean_mode'    what is subtracted before: 'each': the mean of the column; 'all': that of the table; or 'none'; default 'each'
%     'nlearn'       maximum number of sweeps; default 1000. With compat: the exact number of sweeps
%     'nstep'        number of sweeps between two columns of AXall; default 100
%     'amax'         if weights have their own precisions: a weight leaves when its precision reaches this value; default 1e8
%     'usebias'      1: a bias is added as the last weight; 0: there is no bias; default 1
%     'norm_sep'     1: means and scales for the test rows are computed from the test rows; 0: from the training rows; default 0
%     'displaytext'  accepted, but nothing is printed
%     'ax0'          starting precisions: one per weight in the order of ww, the bias of each column last, or one number if all weights
%                    share a precision; [] is ones. It has no effect if the result does not depend on the start (biclsfy_l1slrlap). With
%                    compat, it has no effect where the published program does not use it (all but muclsfy_slrvarovo and muclsfy_rlrvarovrm)
%     'wmaxiter'     accepted, but the inner search for the weights always ends at their mode
%     'wdisp_mode'   accepted, but nothing is printed
%     'reduceparm'   must be 0: with 1, the published program leaves out the last class and gives it a score of 0, which cannot be compared
%                    with the scores of classes against all others
%
%   ww          (D+1) x C weights of the scaled columns, the bias last; 0 for a column that has left
%   ix_eff_all  C x 1 cell: for each class, positions of the columns that remain, from 1
%   errTable_tr, errTable_te   C x C counts: a row for each true class, a column for each most probable class
%   parm        the options, and nclass, nparm, nsamp_tr, nsamp_te, nfeat
%   AXall       precisions at the start and after every nstep sweeps, one column each time; 0 for a bias without a precision
%   Ptr, Pte    N x C and K x C probabilities of the classes, in the order of their labels
%
%   By default, the fit ends when it has converged, columns that have left may come back, the bias has no precision, and probabilities
%   integrate over the posterior of the weights. ardvark_options('compat', true) reproduces the published program to 1e-8.
%
%   Example:
%       x = randn(200, 20);
%       [~, t] = max([x(:, 1:2), zeros(200, 1)] + 0.5 * randn(200, 3), [], 2);
%       [ww, ix, errTable_tr, errTable_te] = muclsfy_slrlapovrm(x(1:150, :), t(1:150), x(151:end, :), t(151:end), 'nlearn', 300);
%       disp(errTable_te)
%
%   See also muclsfy_smlr, muclsfy_slrvarovrm, calc_SCval, ardvark_options, ardvark_fit.
  [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
    ardvark_mex('muclsfy_slrlapovrm', nargout, x_train, t_train, x_test, t_test, varargin);
end
