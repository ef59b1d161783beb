function prediction = ardvark_predict(fit, X, varargin)
% ARDVARK_PREDICT  Predictions of a model of ardvark_fit: a distribution for each row.
%
%   prediction = ardvark_predict(fit, X, 'name', value, ...)
%
%   fit  the output of ardvark_fit, its field model, or the path of a model file of ardvark_save, the program or another language
%   X    K x D, with the columns of the fit; or a struct with a column in each field, found by name
%
%   Options:
%     'level'   level of the interval [lower, upper]; default 0.95
%     'interval'  regressions: 'new' (default): sd and interval of a new observation, with its noise; 'mean': those of the mean, without noise
%     'rule'    'automatic' (default); for regressions with a factorised posterior also 'mixture'; for classifications also 'exact',
%               'plug-in', 'mackay', 'published', 'published-batch', 'published-incremental'
%     'outputs' {'covariance'}: for a kernel machine (model 'kernel'), also the covariance of all rows, K x K: of new observations, of
%               the mean with 'interval', 'mean'; for classes, of the log odds
%     'draws'   N: for a kernel machine, also draws, K x N, each a draw of all rows together, as in the covariance. Three classes or
%               more: cells, of each class against the rest. 'seed': a whole number, default 1; the same seed gives the same draws
%     'row_offset'  K numbers, if a fit of counts had them: what is added to the linear predictor of each row
%     'target'  K numbers; for a classifier, positions in `classes`, from 1. With it, the prediction also has log_density
%
%   prediction   a struct. Regression: mean, sd, lower, upper, scale, degrees_of_freedom (the last two
%                are NaN for a kernel machine, which predicts a mixture). Classification: probability [K, classes], classes
%                and most_probable (a position in classes; the first one if several are equally probable). Logistic regression of two
%                classes: also mean and variance of the log odds. warnings: texts, one if rows lie beyond the data of a kernel machine.
%                Many targets: mean and sd [rows, targets], and degrees_of_freedom [1, targets]; options interval and threads
%
%   Example:
%       X = randn(80, 2); y = double(X(:, 1) + 0.5 * randn(80, 1) > 0);
%       fit = ardvark_fit(X, y, 'model', 'logistic');
%       p = ardvark_predict(fit, [1, 0; -1, 0]);
%       disp(p.probability)
%
%   See also ardvark_fit, ardvark_summary.
  prediction = ardvark_mex('predict', 1, fit, X, varargin);
end

%!test  % half the probability of a Student-t is in its central interval of level 1/2
%! randn('state', 1);
%! x = randn(30, 1); y = 2 * x + randn(30, 1);
%! fit = ardvark_fit(x, y, 'model', 'linear', 'prior', 'shared');
%! p = ardvark_predict(fit, [0; 1], 'level', 0.5);
%! nu = p.degrees_of_freedom;
%! z = (p.upper - p.mean) ./ p.scale;
%! assert(betainc(z.^2 ./ (nu + z.^2), 0.5, nu / 2), [0.5; 0.5], 1e-9);
%! density = gamma((nu + 1) / 2) / gamma(nu / 2) / sqrt(nu * pi) ./ p.scale;
%! q = ardvark_predict(fit, [0; 1], 'target', p.mean);
%! assert(exp(q.log_density), density, 1e-9);

%!test  % a new observation varies around the mean by the noise, which is the same in every row
%! x = (1:20)'; fit = ardvark_fit(x, x + mod(7 * x, 5), 'model', 'linear', 'prior', 'shared');
%! new = ardvark_predict(fit, x, 'interval', 'new'); middle = ardvark_predict(fit, x, 'interval', 'mean');
%! assert(ardvark_predict(fit, x).sd, new.sd);
%! assert(middle.mean, new.mean, 1e-12);
%! noise = new.sd.^2 - middle.sd.^2;
%! assert(noise(1) > 0);
%! assert(noise, noise(1) * ones(20, 1), 1e-9);

%!test  % three classes
%! randn('state', 2);
%! X = [randn(20, 2) + 3; randn(20, 2) - 3; randn(20, 2) + [3, -3]];
%! y = kron([1; 2; 3], ones(20, 1));
%! fit = ardvark_fit(X, y, 'model', 'logistic', 'prior', 'shared');
%! p = ardvark_predict(fit, [3, 3; -3, -3; 3, -3], 'target', [1; 2; 3]);
%! assert(p.most_probable, [1; 2; 3]);

%!test  % a kernel machine warns of rows beyond its data, and of no other rows
%! randn('state', 4);
%! x = linspace(-3, 3, 60)';
%! fit = ardvark_fit(x, sin(2 * x) + 0.1 * randn(60, 1), 'model', 'rvm', 'task', 'regression');
%! assert(isempty(ardvark_predict(fit, x).warnings));
%! p = ardvark_predict(fit, [x; 30]);
%! assert(numel(p.warnings), 1);
%! assert(strncmp(p.warnings{1}, '1 of 61 rows lies far outside the training rows, by more than a kernel width', 76));

%!test  % probability one half: accuracy and prediction both take the first class
%! x = [1; -1; 1; -1]; t = [0; 0; 1; 1];
%! fit = ardvark_fit(x, t, 'model', 'logistic', 'prior', 'shared');
%! p = ardvark_predict(fit, x, 'target', t + 1);
%! assert(p.most_probable, 1 + (p.probability(:, 2) > 0.5));
%! assert(fit.accuracy, mean(p.most_probable == t + 1));
%! assert(p.log_density, log(p.probability((1:4)' + 4 * t)), 1e-12);

%!test  % the time per row does not grow with the number of rows
%! X = randn(50, 2); fit = ardvark_fit(X, double(X(:, 1) + randn(50, 1) > 0), 'model', 'logistic', 'prior', 'shared');
%! Z = randn(20000, 2);
%! started = tic; p = ardvark_predict(fit, Z);
%! assert(toc(started) < 10);  % takes some hundredths of a second; it would take minutes if each number were looked up separately
%! assert(size(p.probability), [20000, 2]);

%!test  % classes count from 1, also in error messages
%! randn('state', 3);
%! x = randn(20, 1); model = ardvark_fit(x, double(x + randn(20, 1) > 0), 'model', 'logistic', 'prior', 'shared').model;
%! for wrong = [0, 3, 1.5, NaN]
%!   try
%!     ardvark_predict(model, [0; 1], 'target', [1; wrong]);
%!     error('target %g was taken', wrong);
%!   catch trouble
%!     assert(trouble.identifier, 'ardvark:invalid_argument');
%!     assert(! isempty(regexp(trouble.message, ': target\(2\) is .*; (it must be finite|for a classifier it must be a position in classes, 1 to 2)$')));
%!   end
%! end
%!error <target\(1\) is [Nn]a[Nn]; it must be finite> ardvark_predict(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), 1, 'target', NaN)

%!test  % rows of a kernel machine together: the variances are those of the rows by themselves, and draws vary as the covariance says
%! randn('state', 6);
%! x = linspace(-3, 3, 40)';
%! fit = ardvark_fit(x, sin(2 * x) + 0.1 * randn(40, 1), 'model', 'kernel', 'task', 'regression');
%! at = [-1; -0.9; 4];
%! p = ardvark_predict(fit, at, 'outputs', {'covariance'}, 'draws', 4000, 'seed', 3);
%! assert(sqrt(diag(p.covariance)), p.sd, 1e-9);
%! assert(size(p.draws), [3, 4000]);
%! off = abs(cov(p.draws') - p.covariance);
%! allowed = 6 * sqrt((p.covariance .^ 2 + diag(p.covariance) * diag(p.covariance)') / 4000);
%! assert(all(off(:) < 2 * allowed(:)));  % kurtosis of the mixture: at most four times that of a normal distribution
%! assert(p.draws, ardvark_predict(fit, at, 'draws', 4000, 'seed', 3).draws);
%! f = ardvark_predict(fit, at, 'outputs', {'covariance'}, 'interval', 'mean');
%! assert(diag(f.covariance), f.sd .^ 2, 1e-9);

%!test  % log odds of three classes
%! x = (1:30)'; fit = ardvark_fit(x, kron([1; 2; 3], ones(10, 1)), 'model', 'kernel', 'task', 'classification');
%! p = ardvark_predict(fit, [2; 15], 'draws', 7);
%! assert(size(p.draws), [3, 1]);
%! assert(size(p.draws{2}), [2, 7]);
%! assert(mean(p.draws{2}(2, :)) > mean(p.draws{2}(1, :)));

%!error <joint predictions are those of a kernel machine> ardvark_predict(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), 1, 'draws', 2)
%!error <draws is 0; it must be a whole number from 1> ardvark_predict(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'kernel', 'task', 'regression'), 1, 'draws', 0)
%!error <X_new has 3 columns|X has 3 columns> ardvark_predict(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), ones(2, 3))
%!error <missing is an option of ardvark_fit; a model that was fitted with 'missing', 'impute' predicts rows with gaps> ardvark_predict(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), [1; NaN], 'missing', 'drop')
%!error <prior is no option of ardvark_predict> ardvark_predict(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), 1, 'prior', 'ard')
%!error <X at row 2, column 'x1' is NaN; all values must be finite; if the value is missing: leave out such rows, or fit the model again with> ardvark_predict(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), [1; NaN])
%!error <model is not a model> ardvark_predict(struct(), ones(2, 3))

%!demo
%! % Probabilities of one of two classes. They integrate over the uncertain weights, so the contour lines diverge far from the data.
%! randn('state', 5);
%! X = [randn(15, 2) + 1; randn(15, 2) - 1];
%! y = [ones(15, 1); zeros(15, 1)];
%! fit = ardvark_fit(X, y, 'model', 'logistic', 'prior', 'shared');
%! [a, b] = meshgrid(linspace(-8, 8, 61));
%! p = ardvark_predict(fit, [a(:), b(:)]);
%! [c, h] = contour(a, b, reshape(p.probability(:, 2), size(a)), [0.05, 0.2, 0.5, 0.8, 0.95], 'linecolor', 'b'); hold on
%! clabel(c, h);
%! plot(X(y == 1, 1), X(y == 1, 2), 'k+', X(y == 0, 1), X(y == 0, 2), 'ro'); hold off
%! title('probability of the class +'); xlabel('first column'); ylabel('second column');
