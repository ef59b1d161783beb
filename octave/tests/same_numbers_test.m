% Octave and the command line (`ardvark fit --json`) give the same numbers, up to the last digits, for models and presets of every kind.
1;
function compare(name, mine, theirs, tolerance)
  theirs = theirs(:); mine = mine(:);
  assert(numel(mine), numel(theirs));
  difference = max(abs(mine - theirs)) / max(max(abs(theirs)), realmin);
  if ~(difference <= tolerance), error('%s differs by %g', name, difference); end
end

program = getenv('ARDVARK_PROGRAM');
if isempty(program) || exist(program, 'file') ~= 2
  printf('skipped: the command line is not built\n');
  exit(77);
end
randn('state', 7);
n = 60;
X = randn(n, 4) * diag([1, 3, 0.2, 1]) + 1;
targets = struct('y', X * [1; -0.5; 0; 0] + 0.3 * randn(n, 1), 't', double(X(:, 1) + 0.5 * randn(n, 1) > 1), 'k', 1 + mod((1:n)', 3));
for f = fieldnames(targets)'
  out = fopen([f{1} '.csv'], 'w');
  fprintf(out, 'a,b,c,d,target\n');
  fprintf(out, '%.17g,%.17g,%.17g,%.17g,%.17g\n', [X, targets.(f{1})]');
  fclose(out);
end
cases = {'y', {'model', 'linear', 'prior', 'ard'}; 'y', {'model', 'linear', 'prior', 'shared'}; ...
         'y', {'preset', 'vb_linear_fit'}; 'y', {'preset', 'vb_linear_fit_ard', 'converge', true}; 'y', {'preset', 'vb_linear_fit_ard', 'compat', true}; 'y', {'preset', 'vrvm_regression'}; ...
         'y', {'preset', 'rvm_regression'}; 'y', {'model', 'rvm', 'task', 'regression', 'width', 2}; ...
         't', {'model', 'logistic', 'prior', 'ard'}; 't', {'model', 'logistic', 'prior', 'laplace', 'lambda', 2}; ...
         't', {'preset', 'vb_logit_fit'}; 't', {'preset', 'vb_logit_fit_ard'}; 't', {'preset', 'slr_var'}; 't', {'preset', 'rlr_lap'}; ...
         't', {'preset', 'l1_slr_c'}; 't', {'preset', 'rvm_classification'}; 't', {'model', 'rvm', 'task', 'classification', 'width', 2}; ...
         'k', {'model', 'logistic', 'prior', 'ard'}; 'k', {'preset', 'smlr'}; 'k', {'preset', 'slr_var_ovo'}};
% A model of the program reads true and false as Octave has them, and predicts as the program does.
t.a = X(:, 1); t.owner = X(:, 2) > 1;
out = fopen('owner.csv', 'w');
words = {'FALSE', 'TRUE'};
fprintf(out, 'a,owner,target\n');
for i = 1:n, fprintf(out, '%.17g,%s,%.17g\n', t.a(i), words{1 + t.owner(i)}, targets.y(i)); end
fclose(out);
[status, text] = system([program ' fit owner.csv --target target --model linear -o owner.ardvark && ' program ' predict owner.ardvark owner.csv --json']);
if status ~= 0, error('%s', text); end
other = jsondecode(text(find(text == '{', 1):end));
compare('true and false, prediction', ardvark_predict('owner.ardvark', t).mean, other.mean, 1e-12);
t.owner = words(1 + t.owner)(:);
compare('true and false as texts, prediction', ardvark_predict('owner.ardvark', t).mean, other.mean, 1e-12);
for column = {t.owner, X(:, 2) > 1}
  t.owner = column{1};
  ardvark_save(ardvark_fit(t, targets.y, 'model', 'linear'), 'octave.ardvark');
  [status, text] = system([program ' predict octave.ardvark owner.csv --json']);
  if status ~= 0, error('%s', text); end
  compare('true and false, prediction of a model of Octave', jsondecode(text).mean, other.mean, 1e-12);
end

for i = 1:rows(cases)
  [file, options] = cases{i, :};
  fit = ardvark_fit(X, targets.(file), options{:});
  words = '';
  for k = 1:2:numel(options)
    value = options{k + 1};
    if islogical(value), words = [words ' --' options{k}]; continue, end
    if isnumeric(value), value = num2str(value); end
    words = [words ' --' options{k} ' ' value];
  end
  [status, text] = system([program ' fit ' file '.csv --target target --json' words ' -o model.ardvark 2>&1']);
  if status ~= 0, error('%s: %s', words, text); end
  other = jsondecode(text);
  what = ['ardvark fit' words];
  assert(fit.status, other.status);
  if isfield(other, 'mean')
    mean_there = other.mean;
    if strcmp(file, 'k'), mean_there = reshape(mean_there, size(fit.mean)); end
    compare([what ' mean'], fit.mean, mean_there, 1e-13);
    compare([what ' bound'], fit.bound, other.bound, 1e-13);
  end
  [status, text] = system([program ' predict model.ardvark ' file '.csv --json 2>&1']);
  if status ~= 0, error('%s: %s', words, text); end
  other = jsondecode(text);
  new = ardvark_predict(fit, X);
  if isfield(new, 'scale')
    compare([what ', prediction'], new.mean, other.mean, 1e-13);
    width = 'scale';
    if ~isfield(other, width), width = 'sd'; end
    compare([what ', ' width], new.(width), other.(width), 1e-13);
  else
    p = other.probability;
    if columns(p) == 1, p = [1 - p, p]; end
    if columns(p) == n, p = p'; end  % one list per class
    compare([what ', probability'], new.probability, p, 1e-12);
  end
end
% the functions with published names are the presets with 'converge', which continue to the maximum
[w, V, invV, logdetV, an, bn, E_a, L] = vb_linear_fit(X, targets.y);
fit = ardvark_fit(X, targets.y, 'preset', 'vb_linear_fit', 'converge', true, 'outputs', {'V'});
assert({w, V, logdetV, an, bn, E_a, L}, {fit.mean, fit.V, fit.log_det_V, fit.noise.shape, fit.noise.rate, fit.precision, fit.bound});
s = 2 * targets.t - 1;
[w, V, invV, logdetV, E_a, L] = vb_logit_fit_ard(X, s);
fit = ardvark_fit(X, s, 'preset', 'vb_logit_fit_ard', 'converge', true, 'outputs', {'V'});
assert({w, V, logdetV, E_a, L}, {fit.mean, fit.V, fit.log_det_V, fit.precision, fit.bound});
p = ardvark_predict(fit, X, 'rule', 'exact');
assert(vb_logit_pred(X, w, V), p.probability(:, 2), 1e-12);
% with fewer outputs, the remaining outputs are the same
v = vb_logit_fit_ard(X, s);
assert(v, w, 1e-13 * norm(w));
% single precision, integers, a target in a row, sparse columns
assert(vb_linear_fit(single(X), targets.y), vb_linear_fit(double(single(X)), targets.y), 1e-12);
assert(vb_linear_fit(int32(10 * X), targets.y'), vb_linear_fit(double(int32(10 * X)), targets.y), 1e-14);
assert(vb_linear_fit(sparse(X), targets.y), vb_linear_fit(X, targets.y), 1e-14);
printf('%d models and presets give the same numbers\n', rows(cases));
