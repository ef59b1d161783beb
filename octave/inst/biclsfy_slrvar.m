function [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
  biclsfy_slrvar(x_train, t_train, x_test, t_test, varargin)
% BICLSFY_SLRVAR  Sparse logistic regression, two classes, by the variational bound.
%
%   [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
%     biclsfy_slrvar(x_train, t_train, x_test, t_test, 'name', value, ...)
%
%   Drop-in for the function of the SLR toolbox. Each weight has its own precision. The likelihood has the bound of Jaakkola and Jordan.
%   Columns that the data do not need leave.
%
%   x_train   N x D training inputs, one row each, without a column of ones
%   t_train   N labels, any two values
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
%     'invhessian'   accepted, but the sizes decide which matrix is inverted
%
%   ww          (D+1) x 1 weights of the scaled columns, the bias last; 0 for a column that has left
%   ix_eff_all  1 x 1 cell: positions of the columns that remain, from 1
%   errTable_tr, errTable_te   2 x 2 counts: a row for each true class, a column for each most probable class
%   parm        the options, and nclass, nparm, nsamp_tr, nsamp_te, nfeat
%   AXall       precisions at the start and after every nstep sweeps, one column each time; 0 for a bias without a precision
%   Ptr, Pte    N x 2 and K x 2 probabilities of the classes, in the order of their labels
%
%   By default, the fit ends when it has converged, columns that have left may come back, the bias has no precision, and probabilities
%   integrate over the posterior of the weights. ardvark_options('compat', true) reproduces the published program to 1e-8.
%
%   Example:
%       x = randn(200, 20);
%       t = double(x(:, 1) - x(:, 2) + 0.5 * randn(200, 1) > 0);
%       [ww, ix, errTable_tr, errTable_te] = biclsfy_slrvar(x(1:150, :), t(1:150), x(151:end, :), t(151:end), 'nlearn', 300);
%       disp(errTable_te)
%
%   See also biclsfy_slrlap, biclsfy_rlrvar, calc_SCval, ardvark_options, ardvark_fit.
  [ww, ix_eff_all, errTable_tr, errTable_te, parm, AXall, Ptr, Pte] = ...
    ardvark_mex('biclsfy_slrvar', nargout, x_train, t_train, x_test, t_test, varargin);
end

%!test  % the relevant columns are found, and the tables count every row
%! randn('state', 1);
%! x = randn(200, 10); t = double(x(:, 1) - x(:, 2) + 0.3 * randn(200, 1) > 0);
%! [ww, ix, tr, te, parm, AX, Ptr, Pte] = biclsfy_slrvar(x(1:150, :), t(1:150), x(151:200, :), t(151:200));
%! assert(all(ismember([1; 2], ix{1})));
%! assert(ww(1) > 0 && ww(2) < 0);
%! assert(sum(tr(:)), 150);
%! assert(sum(te(:)), 50);
%! assert(size(AX), [11, 11]);
%! assert(sum(Ptr, 2), ones(150, 1), 1e-12);
%! assert(parm.nfeat, 11);

%!test  % scaling by hand and scaling by the function give the same weights
%! randn('state', 2);
%! x = randn(60, 3) * diag([1, 5, 20]) + 2; t = double(x(:, 2) > 2);
%! z = (x - mean(x)) ./ std(x);
%! w = biclsfy_slrvar(x, t, x, t, 'scale_mode', 'stdeach', 'nlearn', 50);
%! v = biclsfy_slrvar(z, t, z, t, 'scale_mode', 'none', 'mean_mode', 'none', 'nlearn', 50);
%! assert(w, v, 1e-9 * max(abs(v)));

%!error <t_train has 3 classes; there must be two> biclsfy_slrvar(randn(3, 1), [1; 2; 3], [], [])
%!error <t_test at row 1 is 7, which is not a class of t_train> biclsfy_slrvar(randn(4, 1), [1; 2; 1; 2], 0, 7)
%!error <there is no option 'nlern'> biclsfy_slrvar(randn(4, 1), [1; 2; 1; 2], 0, 1, 'nlern', 3)
%!error <x_test has 2 columns; x_train has 1> biclsfy_slrvar(randn(4, 1), [1; 2; 1; 2], [0, 0], 1)
%!error <scale_mode is 'median'> biclsfy_slrvar(randn(4, 1), [1; 2; 1; 2], 0, 1, 'scale_mode', 'median')

%!demo
%! % Three of a hundred columns are relevant: the precisions of the others grow without limit during the fit.
%! randn('state', 1);
%! x = randn(300, 100); t = double(x(:, [5, 40, 80]) * [3; -3; 2] + randn(300, 1) > 0);
%! [ww, ix, ~, ~, ~, AX] = biclsfy_slrvar(x, t, x, t, 'nlearn', 100, 'nstep', 1);
%! figure(1); bar(ww(1:end - 1)); axis([0, 101]); title('weights of the scaled columns'); xlabel('column'); ylabel('weight');
%! figure(2); semilogy(0:100, min(AX', 1e8)); axis([0, 100]); title('precisions: at 1e8 a column leaves'); xlabel('sweep'); ylabel('precision');
