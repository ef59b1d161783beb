function [SC, NCORRECT_TE] = calc_SCval(CVRes, COND, noweight, thres)
% CALC_SCVAL  Selection counts: how often each column is kept in a cross-validation.
%
%   [SC, NCORRECT_TE] = calc_SCval(CVRes)
%   [SC, NCORRECT_TE] = calc_SCval(CVRes, COND, noweight, thres)
%
%   Drop-in for the function of the SLR toolbox.
%
%   CVRes     struct array, one element for each fold, with the fields ix_eff_all, g (the output parm) and errTable_te, or Ncorrect_te in
%             percent, from biclsfy_* or muclsfy_*
%   COND      names of conditions; accepted, but not printed
%   noweight  0 (default): the weight of a fold is its share of correct test rows; 1: the weight is one
%   thres     only folds with at least this share of correct test rows count, with weight one; default []: all folds
%
%   SC           1 x D: for each column, the sum of the weights of the folds that kept it. With several classes, a fold keeps a column if it
%                does so for any class (with compat, as published, for the first class)
%   NCORRECT_TE  percent of correct test rows of each fold
%
%   ardvark_select counts over many random folds in one call, with standard errors.
%
%   Example:
%       x = randn(120, 10); t = double(x(:, 1) + 0.5 * randn(120, 1) > 0);
%       for k = 1:4
%         test = k:4:120; train = setdiff(1:120, test);
%         [~, R(k).ix_eff_all, ~, R(k).errTable_te, R(k).g] = biclsfy_slrvar(x(train, :), t(train), x(test, :), t(test));
%       end
%       disp(calc_SCval(R))
%
%   See also biclsfy_slrvar, muclsfy_smlr, ardvark_select.
  if nargin < 2, COND = {}; end
  if nargin < 3, noweight = 0; end
  if nargin < 4, thres = []; end
  [SC, NCORRECT_TE] = ardvark_mex('calc_SCval', nargout, CVRes, COND, noweight, thres);
end

%!test  % two folds with 75% and 95% correct test rows
%! R(1).ix_eff_all = {[1; 3]}; R(1).errTable_te = [8, 2; 3, 7]; R(1).g.nfeat = 5;
%! R(2).ix_eff_all = {3}; R(2).errTable_te = [9, 1; 0, 10]; R(2).g.nfeat = 5;
%! [SC, correct] = calc_SCval(R);
%! assert(SC, [0.75, 0, 1.7, 0], 1e-12);
%! assert(correct, [75; 95], 1e-12);
%! assert(calc_SCval(R, {}, 1), [1, 0, 2, 0]);
%! assert(calc_SCval(R, {}, 0, 0.8), [0, 0, 1, 0]);

%!error <CVRes must be a struct array> calc_SCval(3)
