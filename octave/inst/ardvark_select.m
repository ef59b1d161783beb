function counts = ardvark_select(X, y, varargin)
% ARDVARK_SELECT  Selection counts: how often each column survives a repeated cross-validation of a sparse classification.
%
%   counts = ardvark_select(X, y, 'preset', 'slr_var', 'folds', 10, 'repeats', 10, 'seed', 1)
%
%   X   N x D, a row for each observation
%   y   N labels: numbers, or a cell of texts
%
%   Options: 'preset' or 'model' and its options, as in ardvark_fit; 'folds' and 'repeats', default 10; 'seed', default 1
%
%   counts  a struct: count, share and sc_value of each column, ranking, accuracy and log_loss with their standard errors, fits, ...
%
%   Example:
%       X = randn(100, 10); y = double(X(:, 2) + 0.5 * randn(100, 1) > 0);
%       counts = ardvark_select(X, y, 'preset', 'slr_var', 'repeats', 2);
%       disp(counts.share')
%
%   See also calc_SCval, biclsfy_slrvar, ardvark_fit.
  if iscell(y)
    [names, ~, y] = unique(y(:));
    y = y - 1;
    varargin = [varargin, {'class_names', names}];
  end
  counts = ardvark_mex('select', 1, X, y, varargin);
end

%!test  % the column that separates the classes survives every fold
%! randn('state', 1);
%! X = randn(80, 6); y = double(X(:, 4) + 0.3 * randn(80, 1) > 0);
%! counts = ardvark_select(X, y, 'preset', 'slr_var', 'folds', 4, 'repeats', 2);
%! assert(counts.count(4), 8);
%! assert(counts.share(4), 1);
%! assert(counts.ranking{1}, 'x4');
%! assert(counts.accuracy.mean > 0.8);

%!demo
%! % Which of 200 columns are relevant: counts over twenty folds.
%! randn('state', 3);
%! X = randn(150, 200); y = double(X(:, [20, 90, 150]) * [2; -2; 2] + randn(150, 1) > 0);
%! counts = ardvark_select(X, y, 'preset', 'slr_var', 'folds', 5, 'repeats', 4);
%! bar(counts.share); axis([0, 201, 0, 1.05]); xlabel('column'); ylabel('share of the folds that kept it');
