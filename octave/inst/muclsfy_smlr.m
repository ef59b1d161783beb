function [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
  muclsfy_smlr(x_train, t_train, x_test, t_test, varargin)
% MUCLSFY_SMLR  Sparse multinomial logistic regression, by Laplace's approximation.
%
%   [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
%     muclsfy_smlr(x_train, t_train, x_test, t_test, 'name', value, ...)
%
%   Drop-in for the function of the SLR toolbox. One precision per class and weight;
%   weights that the data do not need leave.
%
%   x_train   N x D training inputs, one row each, without a column of ones
%   t_train   N labels, any C values
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
%     'wmaxiter'     accepted: the inner search for the weights always ends at their mode
%     'wdisp_mode'   accepted: nothing is printed
%     'gamma0'       of muclsfy_smlr: precisions have Gam(gamma0, gamma0) as their prior; default 0: none. Other published functions take it
%                    and do not read it: with compat nor do these, else it must be 0
%     'isplot'       accepted: nothing is drawn
%
%   ww          (D+1) x C weights of the columns as they were brought to size, the bias last; a column that has left has 0
%   ix_eff_all  1 x C cell: of each class the columns that are left, from 1
%   errTable_tr, errTable_te   C x C counts: row: the class that is true, column: the most probable one
%   parm        the options, and nclass, nparm, nsamp_tr, nsamp_te, nfeat
%   AXall       the precisions at the start and after every nstep sweeps, a column each; 0 for a bias without one
%   Ptr, Pte    N x C and K x C probabilities of the classes, in the order of their labels
%
%   By default the fit ends when it has converged, columns that have left may come back, the bias has no precision, and probabilities
%   integrate over the posterior of the weights. ardvark_options('compat', true) brings the published program back, to 1e-8.
%
%   Example:
%       x = randn(200, 20);
%       [~, t] = max([x(:, 1:2), zeros(200, 1)] + 0.5 * randn(200, 3), [], 2);
%       [ww, ix, errTable_tr, errTable_te] = muclsfy_smlr(x(1:150, :), t(1:150), x(151:end, :), t(151:end), 'nlearn', 300);
%       disp(errTable_te)
%
%   See also muclsfy_rmlr, muclsfy_slrlapovrm, calc_SCval, ardvark_options, ardvark_fit.
  [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
    ardvark_mex('muclsfy_smlr', nargout, x_train, t_train, x_test, t_test, varargin);
end

%!test
%! randn('state', 1);
%! x = [randn(40, 2) + 2; randn(40, 2) - 2; randn(40, 2) + [2, -2]];
%! x = [x, randn(120, 3)]; t = kron([10; 20; 30], ones(40, 1));
%! [ww, ix, tr, te, parm, AX, Ptr, Pte] = muclsfy_smlr(x, t, x(1:3:end, :), t(1:3:end));
%! assert(size(ww), [6, 3]);
%! assert(size(ix), [1, 3]);
%! assert(trace(tr) > 100);
%! assert(sum(Pte, 2), ones(40, 1), 1e-12);
%! assert(parm.nclass, 3);
