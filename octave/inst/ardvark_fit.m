function fit = ardvark_fit(X, y, varargin)
% ARDVARK_FIT  Fits a Bayesian model: linear regression, classification, kernel machine, relevance vector machine.
%
%   fit = ardvark_fit(X, y, 'model', 'linear', 'name', value, ...)
%   fit = ardvark_fit(X, y, 'preset', 'slr_var', ...)
%   fit = ardvark_fit(table, 'target', 'model', 'linear', ...)
%   fit = ardvark_fit(X, Y, 'model', 'linear', ...)            many targets
%   fit = ardvark_fit(table, {'target1', 'target2'}, 'model', 'linear', ...)
%
%   The fit standardises the columns inside and adds an intercept. It ends when there is little left to gain. All results are in the units
%   of your columns.
%
%   For curves, surfaces and classes of any shape, take 'model', 'kernel': a Gaussian process that finds its kernel and widths itself and
%   keeps few rows. A target of numbers needs 'task', 'regression' or 'classification'. ardvark_predict then gives intervals that open away
%   from the data, the covariance of the rows, and draws of whole curves.
%
%   X       N x D, a row for each observation; finite, or with the option 'missing' NaN where a value is missing. double, single, int8 and
%           logical are read as they are, and a sparse X in linear regressions, classes and counts; other fits need full(X)
%   y       N numbers; or labels: numbers, or a cell of texts; NaN and '' as in X
%   Y       N x K, K > 1: a linear regression of each column, with a noise, precisions and a log evidence of its own. With 'prior', 'shared'
%           one decomposition of X serves all. double, single, int8 and logical are read as they are. A target with a NaN is not fitted, its
%           status says so, and a warning counts such targets; with 'missing', 'drop' a gap leaves its row out of the fit of its target
%   table   instead of X, a struct with a column in each field: N numbers, or a cell of N texts. A column of texts becomes columns of 0 and
%           1, one for each level but the one with the most rows ('reference', 'COLUMN=LEVEL' names another); with a kernel one for each
%           level. Texts that are all true or false (TRUE, True, ...) are 1 and 0. y may then be the name of a field
%
%   The options are those of `ardvark fit`, with the same names. Positions and group numbers count from 1 here; flags are true or false.
%   options: begin (written by scripts/options)
%   What is fitted
%     'model'               linear, logistic (two classes or more), counts, kernel or rvm. The model for your data: columns are standardised
%                           inside, an intercept is added; results are in your units. counts: Poisson regression with a log link, under
%                           every prior but laplace. kernel: curves, surfaces and classes of any shape by a Gaussian process, whose bands
%                           open away from the data. rvm: a relevance vector machine, as published; away from the data, its curve returns to
%                           a constant, and the interval does not widen. The program's command fit also goes without 'model' and 'preset':
%                           it takes logistic for a target of text, of true and false or of two different numbers, and else linear, and says
%                           so.
%     'preset'              the name of a published program. Fits this program instead of a model.
%     'compat'              off by default. With 'preset': reproduces the program exactly, including its defects.
%     'converge'            off by default. With the presets vb_* and vrvm_*: continues to the maximum of the published bound, as a model
%                           does, instead of making the published sweeps.
%   The prior
%     'prior'               auto (default), sparse, slab, dense, shared, ard, groups, none or laplace. sparse: a few columns have an effect
%                           of their own, and all columns may have a small one; its intervals are right with few and with many columns.
%                           slab: only the few effects. dense: only the small effects. These three apply to regressions, to counts and to
%                           two classes. shared: one precision for all columns. ard: one for each column. groups: one for each group. none:
%                           least squares or maximum likelihood. laplace: L1 (lasso), the mode, with most coefficients at zero. auto is
%                           sparse, except for a softmax of several classes, and with an option that cannot be used with sparse (a0, b0, c0,
%                           d0, likelihood, posterior, solver, update_rule, prune_at, start values). Then it is ard if there are at least
%                           five rows per column, and shared otherwise. A note says which prior was taken. Models: linear, logistic, counts.
%     'lambda'              a number > 0. With 'prior', 'laplace': the penalty per unit of |w| of a standardised column; glmnet's lambda
%                           times the number of rows, or liblinear's 1/C. In a regression it is in units of the target. Without this option,
%                           cross-validation chooses it. Presets l1_slr_lap and l1_slr_c: 1 by default; with 'compat', l1_slr_lap takes the
%                           square of lambda here, as published. Models: linear, logistic.
%     'lambda_rule'         min (default) or 1se. With 'prior', 'laplace' and no 'lambda': which lambda is taken. min: that with the
%                           smallest loss in cross-validation. 1se: the largest whose loss is at most one standard error above the smallest,
%                           which keeps fewer columns. Models: linear, logistic.
%     'toolbox_gamma1'      a number > 0. Presets l1_slr_lap and l1_slr_c: gamma1 of the SLR toolbox, instead of lambda.
%     'toolbox_gamma0'      a number >= 0. Preset smlr: gamma0 of the SLR toolbox. Precisions have the prior Gamma(gamma0, gamma0).
%     'group'               a group number for each column. Under sparse and slab, the columns of a group enter the model together. Under
%                           groups, they share a precision. Models: linear, logistic, counts.
%     'flat'                positions of columns. Columns without a prior. Models: linear, logistic, counts.
%     'a0'                  a number > 0. Hyper-prior: shape of the noise (regressions) or of the precisions (classifications). The default
%                           of a linear model depends on the table, see 'b0'. Models: linear, logistic, counts, rvm.
%     'b0'                  a number > 0. Hyper-prior: rate of the noise (regressions) or of the precisions (classifications). Linear
%                           models: in variances of the target if it is standardised, else in squares of its unit. The default is 1e-4
%                           variances with as many columns as rows or more, and 1e-10 with fewer, so that it limits the noise only where it
%                           must. If no column has a prior, 'a0' and 'b0' are 1e-20: the classical answers. Models: linear, logistic,
%                           counts, rvm.
%     'c0'                  a number > 0. Hyper-prior: shape of the precisions (regressions). Models: linear, rvm.
%     'd0'                  a number > 0. Hyper-prior: rate of the precisions (regressions). Models: linear, rvm.
%   The posterior
%     'likelihood'          vg (default), jj or laplace. Two classes, and regressions of several classes: the approximation of the logistic
%                           likelihood. vg: the best Gaussian posterior. jj: the bound of Jaakkola and Jordan. laplace: Laplace's
%                           approximation. Models: logistic, rvm.
%     'intervals'           skewed (default) or gaussian. Two classes and counts, under shared, ard, groups and none: the intervals of
%                           coefficients. skewed: their ends are those of each coefficient's own distribution, which need not be symmetric;
%                           with few rows a normal one misses them. gaussian: mean -+ a multiple of the standard deviation. Means, standard
%                           deviations and predictions are the same. Completed tables, other likelihoods than vg, and rows that are read in
%                           pieces always have gaussian. Models: logistic, counts.
%     'posterior'           joint (default) or factorised. Regressions. joint: one posterior of weights and noise together, as in
%                           VBLinLogit. factorised: one of the weights and one of the noise, as in the variational RVM. Models: linear.
%     'family'              auto (default), poisson or negative-binomial. Counts: the distribution about the mean mu. negative-binomial has
%                           the variance mu + k mu^2, with k found in the fit. auto fits both and takes the one with the higher log
%                           evidence. Models: counts.
%     'noise'               normal (default), student or auto. Regressions: the distribution of the errors. student: Student-t with the
%                           degrees of freedom found in the fit, so that outliers get little weight. auto fits both and takes the one with
%                           the higher log evidence. Models: linear.
%     'coding'              automatic (default), softmax, one-against-rest or one-against-one. Three classes or more: one softmax, a
%                           logistic regression for each class, or one for each pair of classes. automatic is one-against-rest under sparse,
%                           slab, dense and laplace, and for eight classes or more with few rows; otherwise it is softmax. Models: logistic.
%     'precision_per_class' off by default. Softmax: one precision for each class and column, instead of one for the weights of a column in
%                           all classes. Models: logistic.
%     'diagnose'            off by default. Also computes k-hat, which measures with 4000 draws how far the posterior is from the exact one.
%                           Up to 0.7 is good; above, a warning says what is wrong. It applies to counts, to Student-t noise, to two
%                           classes, to several classes with one regression each (coding), and to the classes of 'model', 'rvm'. Models:
%                           linear, logistic, counts, rvm.
%     'fdr'                 a number between 0 and 1. Also selects columns at this false discovery rate: of the sets that are named, this
%                           share is expected to hold no column with an effect. Columns that the data cannot tell apart are one set. It
%                           takes one more computation, after which the model answers for any rate. It applies to regressions, to counts and
%                           to two classes, under sparse and slab. Models: linear, logistic, counts.
%     'guarantee'           posterior (default) or knockoffs. With 'fdr': why the rate holds. posterior: on average over the prior; it names
%                           sets of columns. knockoffs: whatever the effects are, if the columns are normal and their covariance is known;
%                           it is estimated. It names single columns, takes up to 1000 of them, and finds fewer effects. 'seed' belongs to
%                           it. Models: linear, logistic, counts.
%   The table
%     'intercept'           on by default. The intercept. Without it, columns are scaled by their root mean square and not centred. Models:
%                           linear, logistic, counts.
%     'standardize'         on by default. Scaling of the columns to the same size. Without it, columns are used as they are.
%     'weights'             a number >= 0 for each row. Observation weights: a row with weight 2 counts as two equal rows.
%     'exposure'            the name of a column. Counts: the column that says how long, or over how much, each row was counted, a number
%                           above 0. Rates are per unit of it, and a new row needs it, too. Models: counts.
%     'offset_column'       the name of a column. Counts: the column that is added to the linear predictor as it is, such as the logarithm
%                           of an exposure. It has no coefficient, and a new row needs it, too. Give it or 'exposure'. Models: counts.
%     'row_offset'          a number for each row. Counts: what is added to the linear predictor of each row, instead of a column of the
%                           table. The model knows that there was one: predictions need it for each new row. Models: counts.
%     'column_names'        a text for each column. Names for messages and summaries.
%     'target'              a text. Name of the target.
%     'reference'           COLUMN=LEVEL. Text columns: the level of this column that the others are compared with. Without this option, it
%                           is the level with the most rows. 'model', 'rvm' compares no levels. Models: linear, logistic, counts.
%     'missing'             refuse (default), drop or impute. Rows in which a value is missing. refuse: an error, which names row and
%                           column. drop: they are left out. impute: the gaps are filled several times, each column from the others and the
%                           target, and the posterior is the average; the model also predicts rows with gaps. impute applies to linear
%                           regressions and to two classes; under drop and impute, rows without a target are left out.
%     'imputations'         a whole number >= 5, default 20. With 'missing', 'impute': how often the gaps are filled.
%   The computation
%     'acceleration'        on by default. Extrapolation between sweeps, in the fits that have it; the priors sparse, slab and dense, and
%                           presets as published, do not. Models: linear, logistic, counts.
%     'mixed_precision'     on by default. Products in single precision in the early sweeps of large classifications; the last sweeps use
%                           double precision. Models: linear, logistic, counts.
%     'solver'              automatic (default), primal, dual, spectral, qr or iterative. The solver of the linear system. qr keeps the
%                           digits that other solvers lose if columns are nearly collinear. iterative makes no decomposition: linear, prior
%                           shared; standard deviations are from draws. It is the default for more than 20,000 rows and columns. Models:
%                           linear, logistic, counts.
%     'max_sweeps'          a whole number >= 1. The largest number of sweeps of a fit: 500 by default; 1000 for presets of the SLR toolbox,
%                           which make exactly this number with 'compat'; 10000 actions for rvm_regression and rvm_classification. 'model',
%                           'rvm': it applies to the last fit; a search makes other fits. 'algorithm', 'type-two' ignores it. It cannot be
%                           used with 'model', 'kernel'. Models: linear, logistic, counts, rvm.
%     'tolerance'           a number >= 0. A fit ends when this value is reached. Models: the remaining gain in the bound, in nats per row
%                           (default 1e-8). Under sparse, slab and dense: the last change of the bound, in nats (default 1e-3; classes
%                           2e-3). Presets: the relative change of the bound (default 1e-5); those of the SLR toolbox: as for models;
%                           rvm_regression and rvm_classification: the gain of an action. 'prior', 'laplace' and l1_slr_c: the violation of
%                           the conditions of the maximum, in units of lambda, between 0 and 1 (default 1e-9). It cannot be used with kernel
%                           machines. Models: linear, logistic, counts.
%     'update_rule'         vb (default) or mackay. How precisions are updated. Models: linear, logistic, counts.
%     'prune_at'            a number >= 0, default 0: none leaves; SLR toolbox 1e8. A column leaves the computation at this precision.
%                           Models: linear, logistic, counts.
%     'readmit_every'       a whole number >= 0. Number of sweeps after which columns that left are tested again; 0, the default, is never.
%                           Models: linear, logistic, counts.
%     'threads'             a whole number >= 0. Number of threads, which does not change the result; 0, the default, takes the number from
%                           the environment. In a selection: number of fits at a time.
%     'record_every'        a whole number >= 0. Number of sweeps between two columns of precision_history; 0: nothing is recorded. Models:
%                           linear, logistic, counts.
%     'keep_covariance'     automatic (default), always or never. Whether the fit keeps what it needs to compute the covariance. Models:
%                           linear, logistic, counts.
%     'start_precision'     numbers > 0. Starting values of the precisions: one for each column, and with an intercept optionally one more
%                           at the end; a single number if all columns share a precision. Several classes: all values of the first class,
%                           then of the next. Preset slr_rvm: one for each row. Models: linear, logistic, counts.
%     'start_noise'         a number >= 0, default 0: 100 / variance of the target. With 'posterior', 'factorised': the starting value of
%                           the noise precision. Models: linear, logistic, counts.
%   Kernel machines
%     'task'                regression or classification. The task of a kernel machine ('model', 'kernel', 'model', 'rvm'). Without this
%                           option, it is classification for a target of text or of two different numbers, and else regression. Models:
%                           kernel, rvm.
%     'kernel'              auto (default), gaussian, laplacian, cauchy, matern32, matern52, linear, polynomial or spline. Kernel of the
%                           machine. auto: gaussian; with 'model', 'kernel', gaussian and cauchy, averaged by their evidence. linear,
%                           polynomial and spline apply only to 'model', 'rvm'. Preset slr_rvm: linear by default. Models: kernel, rvm.
%     'width'               auto (default), shared, each, a number > 0, or a number for each input. Width of the kernel, in standard
%                           deviations of the inputs. shared: one width, found by the log evidence. each: one width for each input. auto:
%                           shared; with 'model', 'kernel', shared and each, averaged by their evidence. The columns of one text column
%                           share a width. Preset slr_rvm with 'compat': R of the published kernel exp(-R |x-c|^2 / number of inputs).
%                           Models: kernel, rvm.
%     'toolbox_R'           a number > 0. Preset slr_rvm: R of the SLR toolbox, instead of width.
%     'degree'              a whole number >= 1, default 2. Degree of the polynomial kernel. Models: rvm.
%     'offset'              a number >= 0. Offset of the polynomial kernel; the default is the one with the highest log evidence. Models:
%                           rvm.
%     'algorithm'           variational (default), plain or type-two. plain: variational, with all columns at once, which is slow. type-two:
%                           type-II maximum likelihood. Models: rvm.
%     'centres'             auto (default), all or a number. The rows that may become relevance vectors; auto is all. A number: this many
%                           rows, each the one that the rows before it explain worst. 'model', 'kernel': the rows in whose features the
%                           process is computed; auto is all up to 2000 rows, else 300. Models: kernel, rvm.
%     'bands'               published (default) or open. 'model', 'rvm': the intervals of predictions away from the data. published: they do
%                           not widen. open: they widen by the spread of the fitted values where no training row is near; the curve is the
%                           same, and probabilities return towards the middle. open applies to kernels that fall with the distance.
%     'vectors'             auto (default), all, or a whole number >= 1. 'model', 'kernel': the rows that the stored model keeps. auto: few
%                           whose predictions are within 'divergence'. all: every row that adds anything. A number: at most so many; with
%                           several classes, for each of them.
%     'divergence'          a number > 0, default 0.01. 'model', 'kernel' with vectors auto: how far the predictions of the kept rows may be
%                           from those of all rows, in nats a row.
%     'averaging'           on by default. 'model', 'kernel': the average over hyper-parameters that the evidence leaves open. Without it,
%                           only the best ones are used, in half the time; with few rows, intervals are then too narrow.
%     'linear_part'         off by default. 'model', 'kernel': the function is that of the kernel and, besides, a straight line in each
%                           input, which goes on outside the data. How much of it is a line comes from the evidence.
%     'input_group'         a group number for each input. Inputs of one group share a width. Models: kernel, rvm.
%     'row_order'           as-given (default) or by-content. Sequential regression and preset vb_logit_fit_iter: the order in which rows
%                           are absorbed. The result depends on it. as-given: the order of the table, as published. by-content: a random
%                           order that depends only on the content of the rows, with equal rows together.
%     'level'               a number between 0 and 1, default 0.95. Level of the intervals.
%     'verbose'             off by default. Summaries: also how the result was computed: steps, solver, hypotheses that were averaged,
%                           effective parameters.
%     'odds'                off by default. Summaries of two classes and of counts: odds ratios, or rate ratios, with their intervals,
%                           instead of coefficients. They are the factors by which the odds of the second class, or the expected count,
%                           change per unit of the column.
%     'standardized'        off by default. Summaries of regressions and of two classes: coefficients per standard deviation of the column,
%                           and of the target of a regression, so that columns can be compared.
%     'interval'            new (default) or mean. Predictions of a regression. new: sd and interval of a new observation, with its noise.
%                           mean: those of the mean, without noise.
%   options: end
%   Options of this function only
%     'outputs'     a cell of additional results: {'covariance'}
%     'fdr'         many targets: the rate of false discoveries among the targets that are explained, in (0, 1); default 0.1
%     'target_names'  many targets: a cell of K names
%
%   fit   a struct with
%         mean, variance, sd, interval, intercept, precision, relevance, relevant, direction (probability of the sign of the mean),
%         bound, bound_comparable (false: a column has no prior, so the bound cannot be compared with that under another prior),
%         bound_history (it may fall under sparse priors for classes and where it is Laplace's approximation, otherwise it never falls),
%         status, message, notes, warnings;
%         priors sparse and slab: inclusion (probability that a column has an effect of its own), undecided (the data do not decide
%         whether it has one) and credible_sets (columns of which one has an effect: positions from 1, with their probabilities);
%         regressions: noise; classifications: classes, accuracy, log_loss; counts: deviance, rate_ratio; rvm and kernel: relevance_vectors; khat, ...;
%         kernel: hypotheses (kernel, widths and their intervals, linear_share, weight and log_evidence of each part of the average),
%         divergence (of the predictions of the rows that are kept from those of all, in nats a row), variance_share (of each input),
%         odds_power (three classes or more, in [0, 1]: how the answers of the classes become probabilities; near 0 if they overlap);
%         and model, which ardvark_predict and ardvark_summary read; you can save it.
%         precision and log_det_V are NaN under a sparse prior, which has no precisions; log_det_V also where gaps were filled
%         Of many targets, a struct with
%         mean, sd (there are none of more than ten million coefficients) and inclusion [D, K];
%         intercept.mean, noise.sd, precision, degrees_of_freedom, bound, evidence (nats of the bound above that of the columns without a
%         prior), r_squared, r_squared_loo (each row predicted from all others; NaN of targets that are fitted one by one), effective_parameters, num_rows,
%         sweeps [1, K]; NaN where a target is not fitted;
%         status, targets (their names) {1, K}; prior, columns, notes, warnings, num_targets, num_alone (fitted one by one);
%         explained: selected [1, K], the targets that the columns explain at the rate fdr, probability [1, K], share of all targets, fdr;
%         directions, with prior none: q_value [D, K], the rate of wrong directions from which on the sign of an effect is stated, over the
%         targets; p_value and sd [D, K] by Student's t, with the noises of all targets pooled by an inverse gamma; noise_sd and
%         degrees_of_freedom [1, K]; no_effect [D, 1], the estimated share of targets without an effect; pooled_degrees and usual_noise_sd;
%         and model. ardvark_summary(fit, 'fdr', 0.05) selects at another rate
%
%   Example:
%       X = randn(100, 4);
%       y = 3 + X * [2; -1; 0; 0] + 0.5 * randn(100, 1);
%       fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'ard', 'column_names', {'a', 'b', 'c', 'd'});
%       ardvark_summary(fit)
%       new = ardvark_predict(fit, randn(5, 4));
%       disp([new.mean, new.lower, new.upper])
%
%       Y = [y, X(:, 3) + randn(100, 2)];
%       many = ardvark_fit(X, Y, 'model', 'linear', 'prior', 'shared', 'fdr', 0.05);
%       disp(many.explained.selected)
%
%       x = linspace(-3, 3, 50)';
%       curve = ardvark_fit(x, sin(2 * x) + 0.2 * randn(50, 1), 'model', 'kernel', 'task', 'regression');
%       p = ardvark_predict(curve, (-6:6)', 'draws', 100);
%       disp([p.mean, p.lower, p.upper])
%
%   See also ardvark_predict, ardvark_summary, ardvark_select, ardvark_compare, vb_linear_fit, biclsfy_slrvar.
  if is_list_of_fields(X, y)
    varargin = [varargin, {'target_names', y}];
    [y, X] = deal(targets_in(X, y), rmfield(X, y));
  end
  [X, y, pairs] = read_target('ardvark_fit', X, y, varargin);
  fit = ardvark_mex('fit', 1, X, y, pairs);
  if ! isfield(fit, 'num_targets'), return, end
  fit = of_targets(fit);
  slow = nnz(strcmp(fit.status, 'max_sweeps'));
  unfitted = find(isnan(fit.bound));
  if slow > 0
    warning('ardvark:max_sweeps', '%d of %d targets did not converge; a larger max_sweeps lets them go on', slow, fit.num_targets);
  end
  if ! isempty(unfitted)
    warning('ardvark:not_fitted', '%d of %d targets not fitted, the first is ''%s'' (%s); the field status says why', numel(unfitted), ...
            fit.num_targets, fit.targets{unfitted(1)}, fit.status{unfitted(1)});
  end
end

function is_list = is_list_of_fields(X, y)
% Labels of rows are not all different names of fields.
  is_list = isstruct(X) && iscellstr(y) && numel(y) > 1 && all(isfield(X, y)) && numel(unique(y)) == numel(y);
end

function Y = targets_in(table, names)
  Y = cellfun(@(name) table.(name)(:), names(:).', 'UniformOutput', false);
  wrong = find(! cellfun(@(y) isnumeric(y) || islogical(y), Y), 1);
  if ! isempty(wrong)
    error('ardvark:invalid_argument', 'ardvark_fit: %s is of class %s; a target among several must be numbers', names{wrong}, class(Y{wrong}));
  end
  rows = cellfun(@numel, Y);
  wrong = find(rows != rows(1), 1);
  if ! isempty(wrong)
    error('ardvark:invalid_argument', 'ardvark_fit: %s has %d entries; %s has %d', names{wrong}, rows(wrong), names{1}, rows(1));
  end
  Y = [Y{:}];
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

%!test  % X in the type in which it is: the same fit and predictions
%! rand('state', 3); randn('state', 3);
%! X = round(6 * rand(60, 5) - 3) .* (rand(60, 5) > 0.5);
%! y = X * [1; 0; -2; 0; 0] + 0.1 * randn(60, 1);
%! options = {'model', 'linear', 'prior', 'shared', 'tolerance', 1e-12};
%! known = ardvark_fit(X, y, options{:}); p = ardvark_predict(known, X, 'target', y);
%! for form = {sparse(X), single(X), int8(X), int32(X)}
%!   fit = ardvark_fit(form{1}, y, options{:});
%!   assert(fit.mean, known.mean, 1e-9); assert(fit.sd, known.sd, 1e-9);
%!   q = ardvark_predict(fit, form{1}, 'target', y);
%!   assert([q.mean, q.sd, q.log_density], [p.mean, p.sd, p.log_density], 1e-8);
%! end
%! known = ardvark_fit(double(X > 0), y > 0, 'model', 'logistic', 'prior', 'ard', 'tolerance', 1e-12);
%! for form = {X > 0, sparse(X > 0), sparse(double(X > 0))}
%!   fit = ardvark_fit(form{1}, y > 0, 'model', 'logistic', 'prior', 'ard', 'tolerance', 1e-12);
%!   assert(fit.mean, known.mean, 1e-6);
%!   assert(ardvark_predict(fit, form{1}).probability, ardvark_predict(known, X > 0).probability, 1e-7);
%! end

%!error <X is sparse, and .* needs a dense X, full\(X\)> ardvark_fit(speye(6), (1:6)', 'model', 'kernel', 'task', 'regression')
%!error <X is complex> ardvark_fit(sparse([1; 2i]), [1; 2], 'model', 'linear')
%!error <X at row 2, column 'x1' is NaN> ardvark_fit(sparse([1; NaN; 0; 2]), (1:4)', 'model', 'linear', 'prior', 'shared')

% what can be done about it
%!error <separate the classes.*'prior', 'shared', 'a0', 1, 'b0', 1\)> ardvark_fit([-3; -2; -1; 1; 2; 3], [0; 0; 0; 1; 1; 1], 'model', 'logistic', 'prior', 'none')

%!error <ardvark_mex: folds is 1; it must be at least 2> ardvark_fit([-3; -2; 1; -1; 2; 3], [0; 0; 0; 1; 1; 1], 'model', 'logistic', 'prior', 'laplace', 'folds', 1)
%!error <ardvark_mex: group has 0 entries; it must have one per column of X: 2> ardvark_fit(randn(20, 2), randn(20, 1), 'model', 'linear', 'prior', 'groups')
%!error <ardvark_mex: task is 'both'; it must be one of classification, regression> ardvark_fit((1:9)', (1:9)', 'model', 'rvm', 'task', 'both')

%!error <y holds 9 different numbers in 9 rows; .* measurements need model 'linear'$> ardvark_fit((1:9)', (1:9)' + 0.5, 'model', 'logistic')
%!error <y is text \('a', ...\); a regression needs numbers \(for classes: model 'logistic'\)> ardvark_fit((1:6)', {'a'; 'b'; 'a'; 'b'; 'a'; 'b'}, 'model', 'linear')
%!error <y holds 9 different numbers in 9 rows; .* measurements need task 'regression'$> ardvark_fit((1:9)', (1:9)' + 0.5, 'model', 'rvm', 'task', 'classification')

%!test  % advice is in the words of these functions
%! randn('state', 1);
%! X = randn(65, 80);
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

%!test  % groups are numbered from 1, and an infinite number stays infinite
%! randn('state', 3);
%! X = randn(50, 4); y = X * [1; 1; 0; 0] + randn(50, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'groups', 'group', [1 1 2 2]);
%! assert(fit.group, [1; 1; 2; 2]);
%! assert(numel(fit.precision), 2);
%! fit = ardvark_fit(X, double(y > 0), 'preset', 'slr_var');
%! assert(any(isinf(fit.precision)) == any(~fit.relevant));

%!test  % a table with texts: the level that has the most rows is the one that the others are compared with
%! t.age = [31; 45; 27; 39; 51; 33; 42; 29; 60; 36];
%! t.city = {'Rome'; 'Oslo'; 'Bonn'; 'Rome'; 'Oslo'; 'Rome'; 'Bonn'; 'Oslo'; 'Rome'; 'Bonn'};
%! t.y = 0.1 * t.age + 2 * strcmp(t.city, 'Oslo') + [0.1; -0.1; 0.2; 0; -0.2; 0.1; 0; 0.1; -0.1; 0];
%! fit = ardvark_fit(t, 'y', 'model', 'linear', 'prior', 'ard');
%! assert(fit.columns, {'age'; 'city=Bonn'; 'city=Oslo'});
%! assert(fit.group, [1; 2; 2]);
%! assert(fit.target, 'y');
%! X = [t.age, strcmp(t.city, 'Bonn'), strcmp(t.city, 'Oslo')];
%! by_hand = ardvark_fit(X, t.y, 'model', 'linear', 'prior', 'ard', 'group', [1 2 2]);
%! assert(fit.mean, by_hand.mean, 1e-9);
%! assert(! isempty(strfind(ardvark_summary(fit), 'city: compared with Rome, 4 rows')));
%! new = rmfield(t, 'y'); new.other = ones(10, 1);  % fields that the model does not know are not read
%! assert(ardvark_predict(fit, orderfields(new)).mean, ardvark_predict(by_hand, X).mean, 1e-9);
%! fit = ardvark_fit(t, 'y', 'model', 'linear', 'reference', 'city=Oslo');
%! assert(fit.columns, {'age'; 'city=Bonn'; 'city=Rome'});
%! fit = ardvark_fit(t, 'city', 'model', 'logistic');
%! assert(fit.classes, {'Bonn'; 'Oslo'; 'Rome'});

%!test  % true and false are 1 and 0, as logical values and in every spelling
%! t.age = [31; 45; 27; 39; 51; 33; 42; 29; 60; 36]; owner = [1; 0; 1; 1; 0; 0; 1; 0; 0; 1];
%! y = 0.1 * t.age + 2 * owner + [0.1; -0.1; 0.2; 0; -0.2; 0.1; 0; 0.1; -0.1; 0];
%! words = {'FALSE', 'TRUE'; 'False', 'True'; 'false', 'true'};
%! by_hand = ardvark_fit([t.age, owner], y, 'model', 'linear', 'column_names', {'age', 'owner'});
%! expected = ardvark_predict(by_hand, [t.age, owner]).mean;
%! for i = 1:3
%!   t.owner = words(i, 1 + owner)(:);
%!   fit = ardvark_fit(t, y, 'model', 'linear');
%!   assert(fit.columns, {'age'; 'owner'});
%!   assert(ardvark_predict(fit, t).mean, expected, 1e-12);
%!   assert(ardvark_predict(fit, setfield(t, 'owner', logical(owner))).mean, expected, 1e-12);
%!   assert(ardvark_predict(by_hand, t).mean, expected, 1e-12);
%!   assert(ardvark_predict(ardvark_fit(setfield(t, 'owner', logical(owner)), y, 'model', 'linear'), t).mean, expected, 1e-12);
%! end

%!function new = a_table_with(city)
%!  new.age = [31; 45; 27]; new.city = {'Rome'; 'Oslo'; city};
%!endfunction
%!function fit = a_fit_to_cities()
%!  t.age = (20:28)'; t.city = repmat({'Rome'; 'Oslo'; 'Bonn'}, 3, 1);
%!  fit = ardvark_fit(t, t.age + [1; 0; 2; 0; 1; 0; 3; 0; 1], 'model', 'linear');
%!endfunction
%!error <row 3, column 'city': 'Lima' is not a level that the model knows> ardvark_predict(a_fit_to_cities(), a_table_with('Lima'))
%!error <row 3, column 'city': the value is missing> ardvark_predict(a_fit_to_cities(), a_table_with(''))
%!error <the table lacks the column 'city', which the model uses$> ardvark_predict(a_fit_to_cities(), rmfield(a_table_with('Rome'), 'city'))
%!error <the table lacks the column 'city', which the model uses; did you mean 'citi'\?> ardvark_predict(a_fit_to_cities(), struct('age', [1; 2], 'citi', {{'Rome'; 'Bonn'}}))
%!error <y is 'z', which is not a field of X; its fields are 'a', 'b'$> ardvark_fit(struct('a', [1; 2], 'b', [3; 4]), 'z', 'model', 'linear')
%!error <X.b has 3 entries; X.a has 2> ardvark_fit(struct('a', [1; 2], 'b', [1; 2; 3]), [1; 2], 'model', 'linear')
%!error <X\.b\{2\} is of class double; it must be a text, or '' if the value is missing> ardvark_fit(struct('a', [1; 2], 'b', {{'u'; 5}}), [1; 2], 'model', 'linear')

%!test  % rows with missing values are left out, or their gaps are filled; such a model predicts rows with gaps
%! randn('state', 1);
%! X = randn(60, 3); y = X * [1; -1; 0] + randn(60, 1);
%! X(1:6:60, 1) = NaN; y(3) = NaN;
%! whole = all(isfinite(X), 2) & isfinite(y);
%! dropped = ardvark_fit(X, y, 'model', 'linear', 'missing', 'drop');
%! left = ardvark_fit(X(whole, :), y(whole), 'model', 'linear');
%! assert(dropped.mean, left.mean, 1e-9);
%! assert(! isempty(strfind(dropped.notes{end}, '11 rows were dropped because a value was missing')));
%! fit = ardvark_fit(X, y, 'model', 'linear', 'missing', 'impute', 'imputations', 5);
%! assert(fit.num_rows, 59);
%! assert(fit.missing.gaps, 10);
%! p = ardvark_predict(fit, [NaN, 0, 0; 0, 0, 0]);
%! assert(p.sd(1) > p.sd(2));  % less is known
%! t.a = X(:, 1); t.c = repmat({'u'; 'v'; ''}, 20, 1);
%! fit = ardvark_fit(t, y, 'model', 'linear', 'missing', 'impute');
%! assert(all(isfinite(ardvark_predict(fit, t).mean)));
%! labels = repmat({'no'; 'yes'; 'no'; 'no'; 'yes'}, 12, 1); labels{4} = '';
%! fit = ardvark_fit(X, labels, 'model', 'logistic', 'missing', 'impute');
%! assert(fit.classes, {'no'; 'yes'});
%! assert(fit.num_rows, 59);
%!error <missing 'impute'|'missing', 'impute'> ardvark_fit([1; NaN; 3; 4], [1; 2; 3; 1], 'model', 'rvm', 'missing', 'impute')

%!test  % k-hat is there if it is asked for and can be computed
%! randn('state', 8); rand('state', 8);
%! X = randn(2000, 2); y = double(rand(2000, 1) < 1 ./ (1 + exp(-X * [1; -1])));
%! fit = ardvark_fit(X, y, 'model', 'logistic', 'prior', 'shared', 'diagnose', true, 'outputs', {'log_ratios'});
%! assert(isfinite(fit.khat) && fit.khat_threshold == 0.7);
%! assert(fit.khat_effective_share > 0.99);  % this posterior is so close to normal that only the far tails differ
%! assert(numel(fit.log_ratios), 4000);
%! assert(~isfield(ardvark_fit(X, y, 'model', 'logistic', 'prior', 'shared'), 'khat'));
%!error <diagnose applies to classes, counts> ardvark_fit([1; 2; 3], [1; 2; 3], 'model', 'linear', 'diagnose', true)

%!test  % the covariance is there if it is asked for
%! randn('state', 4);
%! X = randn(40, 2); y = X * [1; 2] + randn(40, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'shared', 'outputs', {'covariance'});
%! assert(diag(fit.covariance), [fit.variance; fit.intercept.variance], 1e-10);

%!test  % one of two nearly equal columns has the effect: the fit is sure of this, but not of which one
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

%!test  % without a prior option, the prior is sparse; with an option that does not apply to sparse, it is ard or shared, and a note says so
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

%!test  % prior ard with more columns than half the rows gives a warning
%! randn('state', 6);
%! X = randn(65, 40); y = X(:, 1) + randn(65, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'ard');
%! assert(any(cellfun(@(text) ~isempty(strfind(text, 'noise is underestimated')), fit.warnings)));

%!test  % counts: the coefficients of the rate, whole numbers as ends of intervals, the same from a file
%! randn('state', 3); rand('state', 3);
%! X = randn(200, 2); rate = exp(1 + 0.5 * X(:, 1)); y = zeros(200, 1);
%! for i = 1:200, time = -log(rand); while time < rate(i), y(i) += 1; time -= log(rand); end, end
%! fit = ardvark_fit(X, y, 'model', 'counts', 'prior', 'shared');
%! assert(fit.task, 'counts');
%! assert(abs(fit.mean(1) - 0.5) < 0.2 && abs(fit.mean(2)) < 0.2);
%! assert(fit.deviance_explained > 0.1);
%! p = ardvark_predict(fit, X(1:5, :));
%! assert(p.mean, exp(p.log_mean + p.log_variance / 2), 1e-12);
%! assert(all(p.lower == floor(p.lower)) && all(p.lower <= p.mean & p.mean <= p.upper));
%! offset = linspace(-1, 1, 200)';
%! with_offset = ardvark_fit(X, y, 'model', 'counts', 'prior', 'shared', 'row_offset', offset);
%! q = ardvark_predict(with_offset, X(1:5, :), 'row_offset', zeros(5, 1));
%! r = ardvark_predict(with_offset, X(1:5, :), 'row_offset', log(2) * ones(5, 1));
%! assert(r.mean, 2 * q.mean, 1e-12);
%! of_mean = ardvark_predict(fit, X(1:5, :), 'interval', 'mean');
%! assert(all(of_mean.lower > p.lower & of_mean.upper < p.upper));

%!test  % a kernel machine: a curve with bands that open outside the data, and an input that has no part in it
%! randn('state', 4); rand('state', 4);
%! X = [20 * rand(80, 1) - 10, randn(80, 1)];
%! y = sin(X(:, 1)) ./ X(:, 1) + 0.1 * randn(80, 1);
%! fit = ardvark_fit(X, y, 'model', 'kernel', 'task', 'regression');
%! assert(fit.status, 'converged');
%! assert(fit.num_vectors < 40);
%! assert(fit.hypotheses{1}.width, 'each');
%! assert(fit.hypotheses{1}.widths(2) * fit.input_scale(2) > 3 * fit.hypotheses{1}.widths(1) * fit.input_scale(1));
%! assert(sum(cellfun(@(one) one.weight, fit.hypotheses)), 1, 1e-12);
%! p = ardvark_predict(fit, [0.1, 0; 40, 0]);
%! assert(p.mean(1), sin(0.1) / 0.1, 0.2);
%! assert(p.sd(2) > 2 * p.sd(1));
%! assert(all(p.lower < p.mean & p.mean < p.upper));
%! assert(! isempty(strfind(ardvark_summary(fit), 'Kernel machine, regression: 80 rows, 2 inputs')));
%! assert(X(fit.relevance_rows, :), fit.relevance_vectors);
%! one = ardvark_fit(X, y, 'model', 'kernel', 'task', 'regression', 'kernel', 'matern52', 'width', [1, 5], 'vectors', 12, 'averaging', false);
%! assert(one.hypotheses{1}.kernel, 'matern52'); assert(one.num_vectors, 12);
%! few = ardvark_fit(X, y, 'model', 'kernel', 'task', 'regression', 'divergence', 0.3);
%! line = ardvark_fit(X, y + X(:, 2), 'model', 'kernel', 'task', 'regression', 'linear_part', true);
%! assert(line.hypotheses{1}.linear_share > 0.1); assert(ardvark_predict(line, [0.1, 20]).mean, 21, 2);
%! assert(few.num_vectors < fit.num_vectors);
%! classes = ardvark_fit(X, {'far', 'near'}((abs(X(:, 1)) < 5) + 1)', 'model', 'kernel');
%! assert(classes.classes, {'far'; 'near'}); assert(classes.accuracy > 0.9);
%! path = [tempname(), '.ardvark']; ardvark_save(fit, path);
%! assert(ardvark_predict(path, X).mean, ardvark_predict(fit, X).mean); delete(path);
%!error <vectors is '0'; it must be auto, all, or a whole number from 1> ardvark_fit((1:9)', (1:9)', 'model', 'kernel', 'task', 'regression', 'vectors', 0)
%!error <kernel is 'spline'; it must be one of auto> ardvark_fit((1:9)', (1:9)', 'model', 'kernel', 'task', 'regression', 'kernel', 'spline')
%!test
%! fit = ardvark_fit ((1:9)', (1:9)', 'model', 'kernel', 'task', 'regression', 'centres', 3);
%! assert (fit.num_vectors <= 3)
%!error <width of 1e\+300 is so large> ardvark_fit((1:9)', (1:9)', 'model', 'kernel', 'task', 'regression', 'width', 1e300)

%!error <y has 3 entries; it must have 4> ardvark_fit(randn(4, 2), [1; 2; 3], 'model', 'linear')
%!error <X at row 2.*NaN> ardvark_fit([1; NaN; 3], [1; 2; 3], 'model', 'linear')
%!test  % the identifier names the argument
%! for wrong = {{'prior', 'ridge'}, {'max_sweeps', 0}}
%!   try
%!     ardvark_fit([1; 2; 3], [1; 2; 4], 'model', 'linear', wrong{1}{:});
%!     error('%s was taken', wrong{1}{1});
%!   catch trouble
%!     assert(trouble.identifier, ['ardvark:invalid_argument:' wrong{1}{1}]);
%!   end
%! end
%!error <y at row 2 is NaN.*: missing 'drop' and missing 'impute' leave such rows out: it is the target$> ardvark_fit([1; 2; 3], [1; NaN; 3], 'model', 'linear')
%!error <y at row 2 is NaN.*: missing 'drop' leaves such rows out$> ardvark_fit([1; 2; 3], [1; NaN; 3], 'model', 'kernel')
%!error <there is no option 'ignore'; leave the column out of the table$> ardvark_fit([1; 2; 3], [1; 2; 3], 'model', 'linear', 'ignore', 'a')
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
%! % Two classes and forty columns, of which three are relevant: automatic relevance determination finds them.
%! randn('state', 2); rand('state', 2);
%! X = randn(400, 40);
%! y = double(rand(400, 1) < 1 ./ (1 + exp(-X(:, [3, 10, 25]) * [2; -2; 1])));
%! fit = ardvark_fit(X, y, 'model', 'logistic', 'prior', 'ard');
%! errorbar(1:40, fit.mean, fit.mean - fit.interval(:, 1), fit.interval(:, 2) - fit.mean, '.');
%! axis([0, 41, -4, 3]); title('coefficients with their 95% intervals'); xlabel('column'); ylabel('change of the log odds');

%!demo
%! % Three of two hundred columns have an effect of their own: the probability of an effect for each column.
%! randn('state', 3);
%! X = randn(100, 200);
%! y = X(:, [20, 90, 150]) * [1; -1; 0.7] + randn(100, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'prior', 'sparse');
%! stem(fit.inclusion, '.'); axis([0, 201, 0, 1.05]);
%! title('three effects among two hundred columns'); xlabel('column'); ylabel('probability of an effect');
