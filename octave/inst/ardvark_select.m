function counts = ardvark_select(X, y, varargin)
% ARDVARK_SELECT  Selection counts: how often each column survives a repeated cross-validation of a sparse fit.
%
%   counts = ardvark_select(X, y, 'preset', 'slr_var', 'folds', 10, 'repeats', 10, 'seed', 1)
%   counts = ardvark_select(table, 'target', 'model', 'linear', 'prior', 'ard', ...)
%
%   X       N x D, a row for each observation
%   y       N labels: numbers, or a cell of texts; with 'model', 'linear' N numbers
%   table   instead of X, a struct with a column in each field, as in ardvark_fit; y may then be the name of a field. A column of texts has
%           a count for each level but the one with the most rows
%
%   Options: 'preset' or 'model' and its options, as in ardvark_fit; 'folds' and 'repeats', default 10; 'seed', default 1. 'missing' may
%   be 'drop'
%
%   counts  a struct: count, share and sc_value of each column, ranking, accuracy (of a regression r_squared) and log_loss with their
%           standard errors, fits, ...
%
%   Example:
%       X = randn(100, 10); y = double(X(:, 2) + 0.5 * randn(100, 1) > 0);
%       counts = ardvark_select(X, y, 'preset', 'slr_var', 'repeats', 2);
%       disp(counts.share')
%
%   See also ardvark_compare, calc_SCval, biclsfy_slrvar, ardvark_fit.
  [X, y, pairs] = read_target('ardvark_select', X, y, varargin);
  counts = ardvark_mex('select', 1, X, y, pairs);
end

%!test  % a table with texts gives the counts of the columns that it becomes
%! t.age = mod(7 * (1:60)', 23); t.city = repmat({'Rome'; 'Oslo'; 'Bonn'; 'Rome'}, 15, 1); t.z = mod(5 * (1:60)', 17);
%! t.y = 0.3 * t.age + 2 * strcmp(t.city, 'Oslo') + 0.1 * mod(11 * (1:60)', 13);
%! how = {'model', 'linear', 'prior', 'ard', 'folds', 4, 'repeats', 2};
%! counts = ardvark_select(t, 'y', how{:});
%! X = [t.age, strcmp(t.city, 'Bonn'), strcmp(t.city, 'Oslo'), t.z];
%! by_hand = ardvark_select(X, t.y, how{:}, 'group', [1 2 2 3]);
%! assert(counts.count, by_hand.count);
%! assert(counts.sc_value, by_hand.sc_value, 1e-9);
%! assert(any(strcmp(counts.ranking, 'city=Oslo')));
%! assert(counts.target, 'y');
%! t.age(5) = NaN;
%! rows = [1:4, 6:60];
%! left = struct('age', t.age(rows), 'city', {t.city(rows)}, 'z', t.z(rows));
%! dropped = ardvark_select(t, 'y', how{:}, 'missing', 'drop');
%! assert(dropped.count, ardvark_select(left, t.y(rows), how{:}).count);
%! assert(! isempty(strfind(dropped.notes{end}, '1 row was dropped because a value was missing')));
%!error <y is 'w', which is not a field of X> ardvark_select(struct('a', [1; 2]), 'w', 'model', 'linear')
%!error <X at row 2, column 'x1' is NaN; all values must be finite; if the value is missing: 'missing', 'drop' leaves such rows out$|X at row 2.*missing 'drop' leaves such rows out$> ardvark_select([1; NaN; 3; 4], [1; 2; 3; 5], 'model', 'linear', 'folds', 2)

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
