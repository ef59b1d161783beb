function fit = ardvark_fit(X, y, varargin)
% ARDVARK_FIT  Fits a sparse Bayesian linear model: regression, classification, relevance vector machine.
%
%   fit = ardvark_fit(X, y, 'model', 'linear', 'name', value, ...)
%   fit = ardvark_fit(X, y, 'preset', 'slr_var', ...)
%
%   Columns are brought to one size inside, an intercept is added, the fit ends when little is left to gain, and everything is returned in
%   the units of your columns.
%
%   X   N x D, a row for each observation; finite
%   y   N numbers; or labels: numbers, or a cell of texts
%
%   Options, all of `ardvark fit`, in its words:
%     'model'       'linear', 'logistic' (two classes or more), 'rvm' (with 'task', 'regression' or 'classification'), or instead
%     'preset'      a published program: 'vb_linear_fit', 'slr_var', 'smlr', 'vrvm_regression', 'rvm_regression', ...; 'compat', true: its
%                   defects included
%     'prior'       'auto' (default), 'sparse', 'slab', 'dense', 'shared', 'ard', 'groups', 'none', 'laplace' (two classes); 'lambda' of
%                   the latter; 'sparse': few effects of their own over many small ones, honest also where columns are many; 'slab': the
%                   few alone; 'dense': the many alone (linear, and two classes); 'auto': 'sparse', and for a softmax of several classes
%                   or beside an option that it has no meaning for (hyper-priors, 'likelihood', 'posterior', 'solver') 'ard' where rows
%                   are five times the columns, else 'shared', as fit.notes says
%     'group'       D numbers, from 1: columns of one number come in together ('sparse', 'slab') or share a precision; 'flat': positions
%                   of columns without a prior
%     'a0', 'b0', 'c0', 'd0'   hyper-priors
%     'coding'      of three classes or more: 'automatic' (default), 'softmax', 'one-against-rest', 'one-against-one'
%     'likelihood'  of two classes: 'vg' (default), 'jj', 'laplace'; 'posterior' of a regression: 'joint', 'factorised'
%     'intercept', 'standardize', 'acceleration'   true (default) or false; 'converge' of presets vb_*, vrvm_*: false (default) or true
%     'weights'     N observation weights: a weight equals repetition
%     'max_sweeps', 'tolerance', 'solver', 'threads', 'keep_covariance', 'column_names', 'target' (its name)
%     'row_order'   of preset vb_logit_fit_iter: 'as-given' (default), 'by-content': the order of the table plays no part
%     'kernel', 'width', 'algorithm', 'centres'   of relevance vector machines
%     'diagnose'    of two classes, and of 'rvm': true: fit.khat, how far the posterior is from the exact one; up to 0.7 is good, and above
%                   a warning says what is amiss
%     'level'       of intervals, default 0.95
%     'outputs'     a cell of results beyond the usual ones: {'covariance'}
%
%   fit   a struct: mean, variance, sd, interval, intercept, precision, relevance, direction
%         (probability of the sign of the mean), relevant, bound, bound_comparable (false: a column has
%         no prior, so that the bound is not to be compared with that under another prior), bound_history (which may fall under sparse priors of classes and
%         where it is Laplace's approximation, and else never does), status, message, notes, warnings,
%         inclusion (probability that a column has an effect of its own), undecided (the data do not say whether it has) and credible_sets (columns of which one has: positions
%         from 1, with their probabilities) of priors sparse and slab, noise (regressions), classes, accuracy, log_loss (classifications),
%         relevance_vectors (rvm), khat, ..., and model, what ardvark_predict and ardvark_summary read, which may be saved with it; precision and
%         log_det_V are NaN under a sparse prior, which has none
%
%   Example:
%       X = randn(100, 4);
%       y = 3 + X * [2; -1; 0; 0] + 0.5 * randn(100, 1);
%       fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'ard', 'column_names', {'a', 'b', 'c', 'd'});
%       ardvark_summary(fit)
%       new = ardvark_predict(fit, randn(5, 4));
%       disp([new.mean, new.lower, new.upper])
%
%   See also ardvark_predict, ardvark_summary, ardvark_select, vb_linear_fit, biclsfy_slrvar.
  if iscell(y)
    [names, ~, y] = unique(y(:));
    y = y - 1;
    varargin = [varargin, {'class_names', names}];
  end
  fit = ardvark_mex('fit', 1, X, y, varargin);
end

%!test  % two parameters are found, and two columns that say nothing are told from them
%! randn('state', 1);
%! X = randn(200, 4);
%! y = 3 + X * [2; -1; 0; 0] + 0.5 * randn(200, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'ard');
%! assert(fit.status, 'converged');
%! assert(fit.mean, [2; -1; 0; 0], 0.15);
%! assert(fit.intercept.mean, 3, 0.15);
%! assert(fit.relevant, [1; 1; 0; 0]);
%! assert(fit.noise.sd, 0.5, 0.1);

%!test  % of one column without a prior and known answers: least squares
%! x = [1; 2; 3; 4]; y = [1; 3; 2; 5];
%! fit = ardvark_fit(x, y, 'model', 'linear', 'prior', 'none');
%! assert([fit.mean; fit.intercept.mean], [x, ones(4, 1)] \ y, 1e-9);
%! assert(! fit.bound_comparable);
%! assert(! isempty(strfind(ardvark_summary(fit), 'not comparable: no column has a prior')));

% what can be done about it
%!error <separate the classes.*'prior', 'shared', 'a0', 1, 'b0', 1\)> ardvark_fit([-3; -2; -1; 1; 2; 3], [0; 0; 0; 1; 1; 1], 'model', 'logistic', 'prior', 'none')

%!error <ardvark_mex: lambda is not given\. .* about a tenth of it, [0-9.]+$> ardvark_fit([-3; -2; 1; -1; 2; 3], [0; 0; 0; 1; 1; 1], 'model', 'logistic', 'prior', 'laplace')
%!error <ardvark_mex: group has 0 entries; it must have one per column of X: 2> ardvark_fit(randn(20, 2), randn(20, 1), 'model', 'linear', 'prior', 'groups')
%!error <ardvark_mex: task is not given; for model 'rvm' it must be regression or classification> ardvark_fit((1:9)', (1:9)', 'model', 'rvm')

%!error <y holds 9 different numbers in 9 rows; .* measurements need model 'linear'$> ardvark_fit((1:9)', (1:9)' + 0.5, 'model', 'logistic')
%!error <y holds 9 different numbers in 9 rows; .* measurements need task 'regression'$> ardvark_fit((1:9)', (1:9)' + 0.5, 'model', 'rvm', 'task', 'classification')

%!test  % advice is in the words of these functions
%! randn('state', 1);
%! X = randn(30, 80);
%! fit = ardvark_fit(X, X(:, 1), 'model', 'linear', 'prior', 'ard');
%! assert(any(cellfun(@(text) ~isempty(strfind(text, "('prior', 'sparse')")), fit.warnings)));
%! said = [fit.warnings(:)', fit.notes(:)', {fit.message, ardvark_summary(fit)}];
%! assert(all(cellfun(@isempty, regexp(said, '--[a-z]'))));

%!test  % a table of one row, and one of one column: a number is a list of one, a text too
%! one = ardvark_fit([1, 2], 3, 'model', 'linear', 'prior', 'shared', 'weights', 4);
%! four = ardvark_fit(repmat([1, 2], 4, 1), 3 * ones(4, 1), 'model', 'linear', 'prior', 'shared');
%! assert(one.bound, four.bound, 1e-9 * abs(four.bound));
%! assert(one.intercept.mean, 3, 1e-9);
%! fit = ardvark_fit((1:9)', (9:-1:1)' + [1; 0; 0; 1; 0; 0; 1; 0; 0], 'model', 'linear', 'column_names', 'dose');
%! assert(fit.columns, {'dose'});

% positions in the numbers of the caller
%!error <flat\(1\) is 9; X has 2 columns> ardvark_fit(randn(20, 2), randn(20, 1), 'model', 'linear', 'flat', 9)
%!error <flat\(2\) is 0; it must be a whole number from 1> ardvark_fit(randn(20, 2), randn(20, 1), 'model', 'linear', 'flat', [1, 0])
%!error <group\(2\) is 1.5; it must be a whole number from 1> ardvark_fit(randn(20, 2), randn(20, 1), 'model', 'linear', 'group', [1, 1.5])

%!error <weights have the sum 0.5> ardvark_fit((1:5)', [1; 3; 2; 5; 4], 'model', 'linear', 'weights', 0.1 * ones(5, 1))

%!test  % a target far from zero is fitted by its differences
%! x = (-20:20)'; y = 2 * x + mod(7 * x, 5);
%! near = ardvark_fit(x, y, 'model', 'linear', 'prior', 'shared'); far = ardvark_fit(x, 1e14 + y, 'model', 'linear', 'prior', 'shared');
%! assert(far.mean, near.mean, 1e-9);
%! assert(isempty(strfind([far.warnings{:}], 'constant')));

%!test  % labels that are texts
%! randn('state', 2);
%! X = [randn(30, 2) + 2; randn(30, 2) - 2];
%! y = [repmat({'cat'}, 30, 1); repmat({'ant'}, 30, 1)];
%! fit = ardvark_fit(X, y, 'model', 'logistic', 'prior', 'shared');
%! assert(fit.classes, {'ant'; 'cat'});
%! p = ardvark_predict(fit, [2, 2; -2, -2]);
%! assert(p.probability(:, 2) > 0.5, [true; false]);
%! assert(sum(p.probability, 2), [1; 1], 1e-12);

%!test  % groups are numbered from 1, and an infinite number stays one
%! randn('state', 3);
%! X = randn(50, 4); y = X * [1; 1; 0; 0] + randn(50, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'groups', 'group', [1 1 2 2]);
%! assert(fit.group, [1; 1; 2; 2]);
%! assert(numel(fit.precision), 2);
%! fit = ardvark_fit(X, double(y > 0), 'preset', 'slr_var');
%! assert(any(isinf(fit.precision)) == any(~fit.relevant));

%!test  % k-hat when it is asked for, and where it has a meaning
%! randn('state', 8); rand('state', 8);
%! X = randn(2000, 2); y = double(rand(2000, 1) < 1 ./ (1 + exp(-X * [1; -1])));
%! fit = ardvark_fit(X, y, 'model', 'logistic', 'prior', 'shared', 'diagnose', true, 'outputs', {'log_ratios'});
%! assert(isfinite(fit.khat) && fit.khat_threshold == 0.7);
%! assert(fit.khat_effective_share > 0.99);  % of a posterior this near to normal only the far tails differ
%! assert(numel(fit.log_ratios), 4000);
%! assert(~isfield(ardvark_fit(X, y, 'model', 'logistic', 'prior', 'shared'), 'khat'));
%!error <diagnose is of classifications> ardvark_fit([1; 2; 3], [1; 2; 3], 'model', 'linear', 'diagnose', true)

%!test  % the covariance when it is asked for
%! randn('state', 4);
%! X = randn(40, 2); y = X * [1; 2] + randn(40, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'shared', 'outputs', {'covariance'});
%! assert(diag(fit.covariance), [fit.variance; fit.intercept.variance], 1e-10);

%!test  % of two columns that are nearly one, one has the effect: which is open, that it is one of them is not
%! randn('state', 1);
%! X = randn(60, 80); X(:, 2) = X(:, 1) + 0.05 * randn(60, 1);
%! y = X(:, [1, 5]) * [2; -2] + 0.5 * randn(60, 1);
%! for prior = {'sparse', 'slab'}
%!   fit = ardvark_fit(X, y, 'model', 'linear', 'prior', prior{1});
%!   assert(fit.status, 'converged');
%!   assert(size(fit.inclusion), [80, 1]);
%!   assert(all(fit.inclusion >= 0 & fit.inclusion <= 1) && fit.inclusion(5) > 0.99);
%!   sets = cellfun(@(s) {sort(s.columns(:))'}, fit.credible_sets);
%!   assert(any(cellfun(@(s) isequal(s, 5), sets)));  % positions count from 1
%!   assert(any(cellfun(@(s) ismember(1, s) && all(ismember(s, [1, 2])), sets)));
%!   assert(~isempty(strfind(ardvark_summary(fit), 'inclusion')));
%! end
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'dense');
%! assert(~isempty(strfind(ardvark_summary(fit), 'prior dense')));
%! assert(all(fit.variance > 0));

%!test  % what is taken where no prior is named: sparse, and beside an option that it has no meaning for an older one, which a note says
%! randn('state', 5);
%! X = randn(40, 4); y = X * [2; 0; 0; 0] + randn(40, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear');
%! named = ardvark_fit(X, y, 'model', 'linear', 'prior', 'sparse');
%! assert(fit.prior, 'sparse');
%! assert(fit.mean, named.mean);
%! assert(all(isnan(fit.precision)) && isnan(fit.log_det_V));
%! fit = ardvark_fit(X, y, 'model', 'linear', 'solver', 'primal');
%! assert(fit.prior, 'ard');
%! assert(any(cellfun(@(note) ~isempty(strfind(note, 'prior auto: ard was taken')) && ~isempty(strfind(note, 'solver')), fit.notes)));
%! fit = ardvark_fit(X(1:19, :), y(1:19), 'model', 'linear', 'a0', 1);
%! assert(fit.prior, 'shared');

%!test  % more columns than half the rows, and ARD: one is warned
%! randn('state', 6);
%! X = randn(30, 20); y = X(:, 1) + randn(30, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'ard');
%! assert(any(cellfun(@(text) ~isempty(strfind(text, 'noise is underestimated')), fit.warnings)));

%!error <y has 3 entries; it must have 4> ardvark_fit(randn(4, 2), [1; 2; 3], 'model', 'linear')
%!error <X at row 2.*nan> ardvark_fit([1; NaN; 3], [1; 2; 3], 'model', 'linear')
%!error <there is no option 'modle'; did you mean 'model'\?> ardvark_fit([1; 2; 3], [1; 2; 3], 'modle', 'linear')
%!error <model is 'cubic'> ardvark_fit([1; 2; 3], [1; 2; 3], 'model', 'cubic')
%!error <pairs> ardvark_fit([1; 2; 3], [1; 2; 3], 'model')

%!demo
%! % A noisy sinc and a relevance vector machine: few kernels, and an interval for the next observation.
%! randn('state', 1);
%! x = linspace(-10, 10, 100)';
%! y = sin(x) ./ x + 0.1 * randn(100, 1);
%! fit = ardvark_fit(x, y, 'model', 'rvm', 'task', 'regression');
%! z = linspace(-12, 12, 241)';
%! p = ardvark_predict(fit, z);
%! plot(z, [p.lower, p.upper], 'color', [0.6, 0.7, 0.9], z, p.mean, 'b', x, y, 'k.', ...
%!      fit.relevance_vectors, y(fit.relevance_rows), 'ro');
%! title(sprintf('%d relevance vectors of %d rows', fit.num_vectors, numel(x)));
%! axis([-12, 12, -0.6, 1.4]); xlabel('x'); ylabel('y');

%!demo
%! % Two classes and forty columns, of which three matter: automatic relevance determination finds them.
%! randn('state', 2); rand('state', 2);
%! X = randn(400, 40);
%! y = double(rand(400, 1) < 1 ./ (1 + exp(-X(:, [3, 10, 25]) * [2; -2; 1])));
%! fit = ardvark_fit(X, y, 'model', 'logistic', 'prior', 'ard');
%! errorbar(1:40, fit.mean, fit.mean - fit.interval(:, 1), fit.interval(:, 2) - fit.mean, '.');
%! axis([0, 41, -4, 3]); title('coefficients with their 95% intervals'); xlabel('column'); ylabel('change of the log odds');

%!demo
%! % Three of two hundred columns have effects of their own: the probability that each does.
%! randn('state', 3);
%! X = randn(100, 200);
%! y = X(:, [20, 90, 150]) * [1; -1; 0.7] + randn(100, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'sparse');
%! stem(fit.inclusion, '.'); axis([0, 201, 0, 1.05]);
%! title('three effects among two hundred columns'); xlabel('column'); ylabel('probability of an effect');
