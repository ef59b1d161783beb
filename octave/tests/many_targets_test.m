% Many targets: each has the numbers of a fit of its own, in Octave, in files and in the program.
rand('state', 1); randn('state', 1);
program = getenv('ARDVARK_PROGRAM');
n = 90; p = 6; K = 7;
X = randn(n, p);
Y = randn(n, K);
Y(:, 1:3) += 2 * X * randn(p, 3);
new = randn(4, p);

function assert_same_fits(X, Y, new, tolerance, varargin)
  many = ardvark_fit(X, Y, 'model', 'linear', varargin{:});
  predicted = ardvark_predict(many, new);
  of_mean = ardvark_predict(many, new, 'interval', 'mean');
  for k = 1:columns(Y)
    one = ardvark_fit(X, Y(:, k), 'model', 'linear', varargin{:});
    near = @(found, expected) assert(found, expected, tolerance * max(1, max(abs(expected(:)))));
    near(many.mean(:, k), one.mean);
    near(many.sd(:, k), one.sd);
    near(many.intercept.mean(k), one.intercept.mean);
    near(many.noise.sd(k), one.noise.sd);
    near(many.bound(k), one.bound);
    near(many.r_squared(k), one.r_squared);
    near(many.effective_parameters(k), one.effective_parameters);
    assert(many.status{k}, one.status);
    if any(strcmp(one.prior, {'sparse', 'slab'})), near(many.inclusion(:, k), one.inclusion); end
    alone = ardvark_predict(one, new);
    near(predicted.mean(:, k), alone.mean);
    near(predicted.sd(:, k), alone.sd);
    near(predicted.degrees_of_freedom(k), alone.degrees_of_freedom(1));
    near(of_mean.sd(:, k), ardvark_predict(one, new, 'interval', 'mean').sd);
  end
end
assert_same_fits(X, Y, new, 1e-9, 'prior', 'shared');
assert_same_fits(X, Y, new, 1e-9, 'prior', 'shared', 'weights', 1 + (1:n)' / n);
assert_same_fits(X(1:9, :), Y(1:9, :), new, 0, 'prior', 'shared');  % few rows: one by one
for prior = {'sparse', 'slab', 'dense', 'ard', 'none'}
  assert_same_fits(X, Y, new, 1e-9, 'prior', prior{1});
end
assert_same_fits(X, Y, new, 1e-9);  % the default

% the shapes; a target has the same bits whatever targets are beside it
fit = ardvark_fit(X, Y, 'model', 'linear', 'prior', 'shared');
assert(size(fit.mean), [p, K]);
assert(size(fit.sd), [p, K]);
for name = {'bound', 'evidence', 'precision', 'num_rows', 'r_squared', 'r_squared_loo', 'effective_parameters', 'sweeps', 'status', 'targets'}
  assert(size(fit.(name{1})), [1, K]);
end
assert(size(fit.noise.sd), [1, K]);
assert(fit.num_alone, 0);
assert(fit.targets, {'y1', 'y2', 'y3', 'y4', 'y5', 'y6', 'y7'});
few = ardvark_fit(X, Y(:, [5, 2]), 'model', 'linear', 'prior', 'shared');
assert(few.mean, fit.mean(:, [5, 2]));
assert(ardvark_predict(few, new).sd, ardvark_predict(fit, new).sd(:, [5, 2]));
% r_squared_loo, by leaving each row out at the same precisions: V of the fit to all rows, on the standardised columns
Z = (X - mean(X)) ./ std(X, 1);
y = Y(:, 1) - mean(Y(:, 1));
H = Z * ((Z' * Z + fit.precision(1) * eye(p)) \ Z') + 1 / n;
residual = (y - (H - 1 / n) * y) ./ (1 - diag(H));
assert(fit.r_squared_loo(1), 1 - sumsq(residual) / sumsq(y / (1 - 1 / n)), 1e-8);

% Y in the type in which it is
counts = int8(round(10 * Y));
for form = {single(Y), counts, int32(counts), counts > 0, sparse(double(counts > 0))}
  found = ardvark_fit(X, form{1}, 'model', 'linear', 'prior', 'shared');
  assert(found.mean, ardvark_fit(X, double(full(form{1})), 'model', 'linear', 'prior', 'shared').mean, 1e-12);
end
assert(ardvark_fit(single(X), Y, 'model', 'linear', 'prior', 'shared').mean, ...
       ardvark_fit(double(single(X)), Y, 'model', 'linear', 'prior', 'shared').mean, 1e-12);

% which columns raise or lower which targets
plain = ardvark_fit(X, Y, 'model', 'linear', 'prior', 'none');
found = plain.directions;
[n, D] = size(X);
design = [ones(n, 1), X];
w = design \ Y;
assert(plain.mean, w(2:end, :), 1e-9);
s2 = sum((Y - design * w) .^ 2) / (n - D - 1);
d0 = found.pooled_degrees;
if isinf(d0)
  pooled = found.usual_noise_sd ^ 2 * ones(1, K);
else
  pooled = (d0 * found.usual_noise_sd ^ 2 + (n - D - 1) * s2) / (d0 + n - D - 1);
end
assert(found.noise_sd, sqrt(pooled), 1e-9);
se = sqrt(diag(inv(design' * design))(2:end) * pooled);
assert(found.sd, se, 1e-9);
df = found.degrees_of_freedom(1);
t2 = (w(2:end, :) ./ se) .^ 2;
assert(found.p_value, betainc(df ./ (df + t2), df / 2, 0.5), 1e-9);
assert(size(found.q_value), [D, K]);
assert(size(found.no_effect), [D, 1]);
assert(all(found.q_value(:) >= found.p_value(:) * 0.999 / K));
assert(! isfield(fit, 'directions'));

% which targets the columns explain, at two rates
assert(fit.explained.selected, [true, true, true, false, false, false, false]);
assert(fit.explained.fdr, 0.1);
assert(size(fit.explained.probability), [1, K]);
assert(all(fit.explained.probability(1:3) > 0.99));
lax = ardvark_fit(X, Y, 'model', 'linear', 'prior', 'shared', 'fdr', 0.9);
assert(lax.explained.fdr, 0.9);
assert(nnz(lax.explained.selected) > 3);
[text, found] = ardvark_summary(fit, 'fdr', 0.9);
assert(found.explained, lax.explained);
line = sprintf('explained             %d of 7 targets, at a rate of false discoveries of 0.9', nnz(lax.explained.selected));
assert(! isempty(strfind(text, line)));
text = ardvark_summary(fit);
assert(strncmp(text, 'Linear regressions of 7 targets, prior shared, 90 rows, 6 columns', 65));
lines = strsplit(text, sprintf('\n'), 'CollapseDelimiters', false);
[~, best] = max(fit.evidence);
assert(strsplit(strtrim(lines{4}), ' ')([1, 2, 7]), {sprintf('y%d', best), sprintf('%.3f', fit.r_squared(best)), 'yes'});
assert(nnz(cellfun(@(line) ! isempty(regexp(line, 'yes$')), lines)), 3);
assert(nnz(cellfun(@(line) ! isempty(regexp(line, 'no$')), lines)), 4);
long = ardvark_fit(X, randn(n, 70), 'model', 'linear', 'prior', 'shared');
assert(! isempty(strfind(ardvark_summary(long), '... 10 more, with less evidence')));

% gaps
holes = Y; holes(4, 2) = NaN; holes(5, 6) = Inf;
lastwarn('', '');
fit = ardvark_fit(X, holes, 'model', 'linear', 'prior', 'shared');
[message, id] = lastwarn();
assert(id, 'ardvark:not_fitted');
assert(! isempty(strfind(message, '2 of 7 targets not fitted, the first is ''y2'' (not_finite)')));
assert(fit.status([2, 6]), {'not_finite', 'not_finite'});
assert(all(isnan(fit.mean(:, 2))) && all(isnan(ardvark_predict(fit, new).mean(:, 2))));
assert(fit.mean(:, 1), ardvark_fit(X, Y(:, [1, 3]), 'model', 'linear', 'prior', 'shared').mean(:, 1));
assert(! isempty(strfind(ardvark_summary(fit), 'not fitted            2 targets')));
holes(5, 6) = NaN;
X_holes = X; X_holes(9, 1) = NaN;
fit = ardvark_fit(X_holes, holes, 'model', 'linear', 'prior', 'shared', 'missing', 'drop');
assert(fit.num_rows, [89, 88, 89, 89, 89, 88, 89]);
for k = [1, 2, 6]
  rows = isfinite(holes(:, k)) & (1:n)' != 9;
  one = ardvark_fit(X(rows, :), Y(rows, k), 'model', 'linear', 'prior', 'shared');
  assert(fit.mean(:, k), one.mean, 1e-9);
  assert(fit.noise.sd(k), one.noise.sd, 1e-9);
end
assert(! isempty(strfind(ardvark_summary(fit), '1 row was dropped')));
lastwarn('', '');
fit = ardvark_fit(X, [Y(:, 1:2), ones(n, 1)], 'model', 'linear', 'prior', 'shared');
assert(fit.status, {'converged', 'converged', 'constant'});
assert(isempty(lastwarn()));
fit = ardvark_fit(X, Y, 'model', 'linear', 'prior', 'shared', 'max_sweeps', 1, 'tolerance', 0);
[message, id] = lastwarn();
assert(id, 'ardvark:max_sweeps');
assert(! isempty(strfind(ardvark_summary(fit), 'not converged         7 targets')));

% a table with texts, whose fields are the targets; files that the program writes and reads
t = struct('a', X(:, 1), 'site', {{'north', 'south'}(1 + (X(:, 2) > 0))(:)}, 'u', Y(:, 1), 'v', Y(:, 4));
fit = ardvark_fit(t, {'u', 'v'}, 'model', 'linear', 'prior', 'shared');
assert(fit.targets, {'u', 'v'});
assert(fit.columns, ardvark_fit(rmfield(t, 'v'), 'u', 'model', 'linear', 'prior', 'shared').columns);
by_hand = ardvark_fit(rmfield(t, {'u', 'v'}), [t.u, t.v], 'model', 'linear', 'prior', 'shared', 'target_names', {'u', 'v'});
assert(by_hand.mean, fit.mean);
expected = ardvark_predict(fit, rmfield(t, 'u'));
out = fopen('table.csv', 'w');
fprintf(out, 'a,site,u,v\n');
for i = 1:n, fprintf(out, '%.17g,%s,%.17g,%.17g\n', t.a(i), t.site{i}, t.u(i), t.v(i)); end
fclose(out);
function text = said(command)
  [status, text] = system([command, ' 2>&1']);
  if status ~= 0, error('%s: %s', command, text); end
end
said([program ' fit table.csv --target u,v --prior shared -o program.ardvark --json']);
theirs = ardvark_predict('program.ardvark', t);
assert_near(theirs.mean, expected.mean, 1e-12);
assert_near(theirs.sd, expected.sd, 1e-12);
[~, found] = ardvark_summary('program.ardvark');
assert(found.targets, {'u', 'v'});
assert_near(found.mean, fit.mean, 1e-12);
ardvark_save(fit, 'octave.ardvark');
assert(ardvark_predict('octave.ardvark', t), expected);
assert(ardvark_predict(fit.model, t), expected);
shown = jsondecode(said([program ' show octave.ardvark --json']));
assert(shown.targets, {'u'; 'v'});
assert(shown.explained.probability, fit.explained.probability', 1e-15);
said([program ' predict octave.ardvark table.csv --sd --digits 17 -o predicted.csv']);
predicted = dlmread('predicted.csv', ',', 1, 0);
assert(predicted(:, [1, 3]), expected.mean, 1e-12);
assert(predicted(:, [2, 4]), expected.sd, 1e-12);

% bad input
many = @(varargin) ardvark_fit(X, varargin{:});
assert_error(@() many(Y(1:9, :), 'model', 'linear'), 'Y has 9 rows and X has 90');
assert_error(@() many(Y(1:9, :), 'model', 'linear', 'missing', 'drop'), 'Y has 9 rows');
assert_error(@() many(Y + 1i, 'model', 'linear'), 'Y is complex');
assert_error(@() many(ones(n, 2, 2), 'model', 'linear'), 'Y has 3 dimensions');
assert_error(@() many(Y, 'model', 'logistic'), 'Y has several columns', 'model ''linear''');
assert_error(@() many(Y, 'preset', 'vb_linear_fit'), 'Y has several columns');
assert_error(@() many(Y, 'model', 'linear', 'fdr', 1), 'fdr is 1; it must lie between 0 and 1');
assert_error(@() many(Y, 'model', 'linear', 'diagnose', true), 'diagnose');
assert_error(@() many(Y, 'model', 'linear', 'missing', 'impute'), 'missing');
assert_error(@() many(Y, 'model', 'linear', 'prior', 'ridge'), 'prior is ''ridge''');
assert_error(@() many(Y, 'model', 'linear', 'outputs', {'covariance'}), 'outputs cannot be given for many targets');
assert_error(@() many(Y, 'model', 'linear', 'target_names', {'a'}), 'target_names must be a cell of 7 names');
assert_error(@() many(Y, 'model', 'linear', 'flat', 9), 'flat(1) is 9; X has 6 columns');
assert_error(@() ardvark_fit(sparse(X), Y, 'model', 'linear'), 'X is sparse', 'full(X)');
assert_error(@() ardvark_fit([NaN, X(1, 2:end); X(2:end, :)], Y, 'model', 'linear'), 'X at row 1', 'NaN', 'missing ''drop''');
assert_error(@() ardvark_fit(t, {'u', 'site'}, 'model', 'linear'), 'site is of class cell');
assert_error(@() ardvark_fit(setfield(t, 'v', [1; 2]), {'u', 'v'}, 'model', 'linear'), 'v has 2 entries; u has 90');
assert_error(@() ardvark_predict(fit, new), 'X has 6 columns');
assert_error(@() ardvark_predict(fit, rmfield(t, 'a')), 'the table lacks the column ''a''');
assert_error(@() ardvark_predict(fit, t, 'target', Y), 'target cannot be given for many targets; there is interval and threads');
assert_error(@() ardvark_predict(fit, t, 'interval', 'old'), 'interval is ''old''');
assert_error(@() ardvark_summary(fit, 'level', 0.5), 'level cannot be given for many targets; there is fdr');
assert_error(@() ardvark_summary(fit, 'fdr', 0), 'fdr is 0');
assert_error(@() ardvark_save(fit, '/no/such/folder/m.ardvark'), 'cannot');
damaged = fit.model; damaged(end) = bitxor(damaged(end), 1);
assert_error(@() ardvark_predict(damaged, t), 'model');
printf('many targets are the fits of their columns, from 9 rows to %d\n', n);
