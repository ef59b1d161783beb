% Compares ardvark_fit with the files that the C++ tests (tests/golden) and the Python tests (python/tests/test_numbers.py) read: the
% converged optimum of the models from an independent implementation, and the results of SparseBayes and the SLR toolbox for the same rows.
1;
function value = iterations(set, at)
  value = str2double(regexp(fileread(fullfile(reference(), set, at, 'status.txt')), 'iterations=(\d+)', 'tokens'){1}{1});
end

function count = converged(set, kind, prior)
  preset = ['vb_' kind '_fit'];
  if strcmp(prior, 'ard'), preset = [preset '_ard']; end
  at = [preset '__default/converged'];
  count = 0;
  w = reference(set, at, 'w.csv');
  if isempty(w), return, end
  X = reference_design(set, 'X');
  own = {'prior', prior, 'intercept', false, 'standardize', false, 'a0', 1e-2, 'b0', 1e-4, 'tolerance', 1e-14};
  if strcmp(kind, 'linear')
    y = reference(set, 'y_reg.csv');
    own = [own, {'model', 'linear', 'c0', 1e-2, 'd0', 1e-4}];
  else
    y = reference(set, 'y_log.csv');
    own = [own, {'model', 'logistic', 'likelihood', 'jj'}];
  end
  fit = ardvark_fit(X, y, own{:});
  assert(fit.status, 'converged');
  assert(fit.bound, reference(set, at, 'L.csv'), -1e-9);
  assert_near(fit.mean, w, 1e-5, [set ' ' at ' w']);  % the bound, 100 to 1000 nats, has a relative error of 1e-12
  if strcmp(kind, 'linear'), assert([fit.noise.shape, fit.noise.rate], [reference(set, at, 'an.csv'), reference(set, at, 'bn.csv')], -1e-7); end
  % the same number of sweeps as the reference, as in tests/golden/vblinlogit_test.cpp
  fit = ardvark_fit(X, y, 'preset', preset, 'tolerance', 0, 'max_sweeps', iterations(set, at));
  assert_near(fit.mean, w, 1e-6, [set ' ' at ' w']);
  assert(fit.V_diagonal, reference(set, at, 'Vdiag.csv'), -1e-6);
  assert(fit.precision, reference(set, at, 'E_a.csv'), -1e-6);
  assert(fit.bound, reference(set, at, 'L.csv'), -1e-6);
  count = 1;
end

warning('off', 'all');
count = 0;
for set = {'boston_std', 'pima_std', 'syn_over', 'syn_tall'}
  for kind = {'linear', 'logit'}
    for prior = {'shared', 'ard'}
      count = count + converged(set{1}, kind{1}, prior{1});
    end
  end
end
assert(count, 12);

% relevance vectors of SparseBayes (tests/golden/sparse_bayes_test.cpp)
fit = ardvark_fit(reference_design('syn_over', 'X'), reference('syn_over', 'y_reg.csv'), 'preset', 'rvm_regression');
assert(find(fit.relevant), sort(reference('syn_over', 'sb2_gaussian__plain', 'relevant.csv')));
assert(fit.noise.shape / fit.noise.rate, reference('syn_over', 'sb2_gaussian__plain', 'beta_noise.csv'), -1e-4);
% the toolbox, after the same number of passes (tests/golden/slr_test.cpp, softmax_test.cpp)
X = reference('syn_over', 'X.csv')(:, 2:end); y = reference('syn_over', 'y_log.csv');
fit = ardvark_fit(X, y, 'preset', 'slr_var', 'compat', true, 'max_sweeps', 20);
assert_near(fit.standardized_mean, reference('syn_over', 'slr_biclsfy_slrvar__nlearn20', 'ww.csv'), 1e-8, 'slr_var');
p = ardvark_predict(fit, X);
assert(p.probability(:, 2), reference('syn_over', 'slr_biclsfy_slrvar__nlearn20', 'Ptr.csv'), 1e-8);
fit = ardvark_fit(X, y, 'preset', 'slr_rvm', 'compat', true, 'kernel', 'gaussian', 'toolbox_R', 1, 'max_sweeps', 20);
assert_near(fit.candidate_mean, reference('syn_over', 'slr_biclsfy_rvm_gauss__nlearn20', 'ww.csv'), 1e-8, 'slr_rvm');
X = reference('iris_multiclass', 'X.csv'); t = reference('iris_multiclass', 't.csv');
fit = ardvark_fit(X, t, 'preset', 'smlr', 'compat', true, 'max_sweeps', 20);
assert_near(fit.standardized_mean', reference('iris_multiclass', 'slr_muclsfy_smlr__nlearn20', 'ww.csv'), 1e-8, 'smlr');
p = ardvark_predict(fit, reference('iris_multiclass', 'X_test.csv'));
assert(p.probability, reference('iris_multiclass', 'slr_muclsfy_smlr__nlearn20', 'Pte.csv'), 1e-8);
printf('%d models and 4 presets\n', count);
