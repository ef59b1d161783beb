% With compat, the functions of VBLinLogit return what the published program returned (tests/data/README.md), on all sets, to 1e-9.
% One tolerance is 5e-9: for syn_under, which has more columns than rows, linear ARD turns rounding of 1e-16 into 7e-10 if sums are added in
% another order (vblinlogit_test.cpp), and into 1.2e-9 with the sums of a processor with SSE3.
% ARDVARK_REFERENCES may name a folder with more reference data.
1;
function count = compare(set, name, hyper)
  count = 0;
  at = [name '__' hyper];
  w = reference(set, at, 'w.csv');
  if isempty(w), return, end
  X = reference_design(set, 'X');
  linear = ~isempty(strfind(name, 'linear'));
  if linear, y = reference(set, 'y_reg.csv'); else, y = reference(set, 'y_log.csv'); end
  if strcmp(hyper, 'one_class'), y = ones(rows(X), 1); end
  prior = {};
  if strcmp(hyper, 'alt') && linear, prior = {1, 2, 0.5, 0.1}; end
  if strcmp(hyper, 'alt') && ~linear, prior = {1, 0.5}; end
  out = cell(1, nargout(name));
  [out{:}] = feval(name, X, y, prior{:});
  if linear
    files = {'w', 'V', 'invV', 'logdetV', 'an', 'bn', 'E_a', 'L'};
  else
    files = {'w', 'V', 'invV', 'logdetV', 'E_a', 'L'};
  end
  for i = 1:numel(out)
    expected = reference(set, at, [files{i} '.csv']);
    if ~isempty(expected), assert_near(out{i}, expected, 1e-9, [set ' ' at ' ' files{i}]); count = count + 1; end
  end
  variance = reference(set, at, 'Vdiag.csv');
  difference = max(abs(diag(out{2}) - variance) ./ variance);
  allowed = 1e-9;
  if strcmp(set, 'syn_under') && strcmp(name, 'vb_linear_fit_ard'), allowed = 5e-9; end
  if ~(difference <= allowed), error('%s %s Vdiag differs by %g', set, at, difference); end
  % invV is the inverse of V; the error is relative to the two norms, because V is known to 1e-9
  residual = norm(out{3} * out{2} - eye(columns(X)), 1) / (norm(out{3}, 1) * norm(out{2}, 1));
  if ~(residual <= 1e-9), error('%s %s invV * V is off the identity by %g', set, at, residual); end
  X_test = reference_design(set, 'X_test');
  if linear
    if isempty(X_test), X_test = X; end
    expected = reference(set, at, 'pred_mu.csv');
    if isempty(expected), return, end
    [mu, lambda, nu] = vb_linear_pred(X_test, out{1}, out{2}, out{5}, out{6});
    assert_near(mu, expected, 1e-9, [set ' ' at ' mu']);
    assert_near(lambda, reference(set, at, 'pred_lambda.csv'), 1e-9, [set ' ' at ' lambda']);
    assert_near(nu, reference(set, at, 'pred_nu.csv'), 1e-14, [set ' ' at ' nu']);
    count = count + 3;
    return
  end
  for what = {'train', 'test'}
    Z = X;
    if strcmp(what{1}, 'test'), Z = X_test; end
    for f = {'vb_logit_pred', 'vb_logit_pred_incr'}
      expected = reference(set, at, [f{1} '_' what{1} '.csv']);
      if isempty(expected) || isempty(Z), continue, end
      assert_near(feval(f{1}, Z, out{1}, out{2}, out{3}), expected, 1e-9, [set ' ' at ' ' f{1} '_' what{1}]);
      count = count + 1;
    end
  end
end

warning('off', 'all');
ardvark_options('compat', true);
sets = {'boston_raw', 'boston_std', 'pima_std', 'sinc_rbf', 'syn_over', 'syn_rankdef', 'syn_tall', 'syn_under', 'synth', 'synth_rbf'};
names = {'vb_linear_fit', 'vb_linear_fit_ard', 'vb_logit_fit', 'vb_logit_fit_ard', 'vb_logit_fit_iter'};
count = 0; folders = 0;
for set = sets
  for name = names
    for hyper = {'default', 'alt', 'one_class'}
      n = compare(set{1}, name{1}, hyper{1});
      count = count + n;
      folders = folders + (n > 0);
    end
  end
end
ardvark_options('compat', false);
printf('%d outputs in %d folders\n', count, folders);
assert(folders >= 45);
