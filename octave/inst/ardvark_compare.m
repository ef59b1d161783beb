function comparison = ardvark_compare(X, y, varargin)
% ARDVARK_COMPARE  Several models of one table, ranked by their log evidence.
%
%   comparison = ardvark_compare(X, y, 'model', 'linear')
%   comparison = ardvark_compare(X, y, 'model', 'logistic', 'priors', {'shared', 'dense', 'sparse'}, 'kernel', {'gaussian'})
%   comparison = ardvark_compare(table, 'target', 'model', 'linear', ...)
%
%   X       N x D, a row for each observation
%   y       N numbers; or labels of two classes or more: numbers, or a cell of texts
%   table   instead of X, a struct with a column in each field, as in ardvark_fit; y may then be the name of a field
%
%   Options:
%     'model'    linear, or logistic (two classes or more)
%     'priors'   a name or a cell of names: shared, ard, dense, slab, sparse; default all but slab. ard is fitted and listed, but not ranked
%     'kernel'   a name or a cell of names: also relevance vector machines with these kernels: gaussian, laplacian, cauchy, linear,
%                polynomial or spline. They need numbers
%     'models'   'kernel': also the kernel machine, a Gaussian process for curves and surfaces. It needs numbers
%     and of ardvark_fit: algorithm, centres, flat, intercept, standardize, max_sweeps, threads, weights, column_names, reference, and
%     missing, which may be drop
%
%   comparison  a struct: best (the name of the model with the highest log evidence), verdict (which model to take, and how sure this is),
%               models (a cell of structs, the best first, with name, evidence, difference, bound, effective_parameters, ...), notes, and
%               summary, a table to print
%
%   Example:
%       X = randn(100, 10); y = X * ones(10, 1) + randn(100, 1);
%       comparison = ardvark_compare(X, y, 'model', 'linear');
%       disp(comparison.summary)
%
%   See also ardvark_select, ardvark_fit.
  [X, y, pairs] = read_target('ardvark_compare', X, y, varargin);
  [priors, pairs] = names_of('priors', pairs);
  [kernels, pairs] = names_of('kernel', pairs);
  [models, pairs] = names_of('models', pairs);
  if ! (isempty(models) || strcmp(models, 'kernel'))
    error('ardvark:invalid_argument', 'ardvark_compare: models is ''%s''; it must be ''kernel''', models);
  end
  if isempty(kernels), kernels = models; elseif ! isempty(models), kernels = [kernels, ',', models]; end
  comparison = ardvark_mex('compare', 1, X, y, pairs, priors, kernels);
end

function [list, pairs] = names_of(option, pairs)
% The names with commas between them, and the options without this one.
  list = '';
  at = find(cellfun(@(name) ischar(name) && strcmp(name, option), pairs(1:2:end)), 1);
  if isempty(at) || 2 * at > numel(pairs), return, end
  list = pairs{2 * at};
  if ! (ischar(list) || (iscellstr(list) && ! isempty(list)))
    error('ardvark:invalid_argument', 'ardvark_compare: %s is of class %s; it must be a name or a cell of names', option, class(list));
  end
  if iscell(list), list = strjoin(list(:)', ','); end
  pairs(2 * at - 1:2 * at) = [];
end

%!test  % one effect among ten columns: slab explains it better than dense; the bounds are those of the two fits
%! randn('state', 1);
%! X = randn(100, 10); y = 2 * X(:, 1) + randn(100, 1);
%! comparison = ardvark_compare(X, y, 'model', 'linear', 'priors', {'dense', 'slab'});
%! assert(comparison.best, 'slab');
%! assert(cellfun(@(m) m.name, comparison.models, 'UniformOutput', false), {'slab'; 'dense'});
%! assert(comparison.models{2}.difference < -5);
%! assert(comparison.models{1}.difference, 0);
%! for k = 1:2
%!   fit = ardvark_fit(X, y, 'model', 'linear', 'prior', comparison.models{k}.name);
%!   assert(comparison.models{k}.bound, fit.bound, 1e-9);
%! end
%! assert(! isempty(strfind(comparison.summary, comparison.verdict)));
%! same = ardvark_compare(X, y, 'model', 'linear', 'priors', 'dense,slab');
%! assert(same.models{2}.evidence, comparison.models{2}.evidence, 1e-9);

%!test  % tables with texts and with gaps, kernels, classes
%! t.age = mod(7 * (1:60)', 23); t.city = repmat({'Rome'; 'Oslo'; 'Bonn'; 'Rome'}, 15, 1);
%! t.y = 0.3 * t.age + 2 * strcmp(t.city, 'Oslo') + 0.1 * mod(11 * (1:60)', 13);
%! comparison = ardvark_compare(t, 'y', 'model', 'linear', 'priors', {'shared', 'sparse'});
%! X = [t.age, strcmp(t.city, 'Bonn'), strcmp(t.city, 'Oslo')];
%! by_hand = ardvark_compare(X, t.y, 'model', 'linear', 'priors', {'shared', 'sparse'}, 'group', [1 2 2]);
%! for k = 1:2, assert(comparison.models{k}.evidence, by_hand.models{k}.evidence, 1e-6); end
%! holes = t; holes.age(5) = NaN; holes.y(9) = NaN;
%! rows = setdiff(1:60, [5, 9]);
%! left = struct('age', t.age(rows), 'city', {t.city(rows)});
%! dropped = ardvark_compare(holes, 'y', 'model', 'linear', 'missing', 'drop');
%! whole = ardvark_compare(left, t.y(rows), 'model', 'linear');
%! for k = 1:4, assert(dropped.models{k}.bound, whole.models{k}.bound, 1e-9); end
%! assert(! isempty(strfind(dropped.notes{1}, '2 rows were dropped because a value was missing')));
%! curve = ardvark_compare((1:40)', sin((1:40)' / 4), 'model', 'linear', 'priors', 'shared', 'kernel', 'gaussian');
%! assert(curve.best, 'rvm gaussian');
%! curve = ardvark_compare((1:40)', sin((1:40)' / 4), 'model', 'linear', 'priors', 'shared', 'models', 'kernel');
%! assert(curve.best, 'kernel');
%! classes = ardvark_compare(t.age, t.city, 'model', 'logistic', 'priors', {'shared', 'dense'});
%! assert(classes.num_classes, 3);
%!error <X at row 2.*missing 'drop' leaves such rows out$> ardvark_compare([1; NaN; 3; 4], [1; 2; 3; 5], 'model', 'linear')
%!error <use 'missing', 'drop'|use missing 'drop'> ardvark_compare((1:9)', mod(3 * (1:9)', 5), 'model', 'linear', 'missing', 'impute')
%!error <there is only 'dense' to compare> ardvark_compare((1:9)', mod(3 * (1:9)', 5), 'model', 'linear', 'priors', 'dense')
%!error <models is 'rvm'; it must be 'kernel'> ardvark_compare((1:9)', (1:9)', 'model', 'linear', 'models', 'rvm')
%!error <priors is of class double> ardvark_compare((1:9)', (1:9)', 'model', 'linear', 'priors', 3)
%!error <kernels cannot be used with text columns> ardvark_compare(struct('a', {{'u'; 'v'; 'u'; 'v'}}), [1; 2; 1; 3], 'model', 'linear', 'kernel', 'gaussian')

%!demo
%! % Which prior explains a curve? The relevance vector machine, by its log evidence.
%! x = linspace(0, 10, 60)'; y = sin(x) + 0.1 * randn(60, 1);
%! comparison = ardvark_compare(x, y, 'model', 'linear', 'priors', {'shared', 'dense'}, 'kernel', 'gaussian');
%! disp(comparison.summary)
