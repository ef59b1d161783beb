% Wrong arguments: every function refuses them before any work, with an error ardvark:... that names the argument.
X = [1, 2; 3, 4; 5, 7; 1, 0]; y = [1; 2; 3; 4]; s = [1; -1; 1; -1];
broken = X; broken(3, 2) = NaN;
big = X; big(1, 1) = Inf;
for f = {'vb_linear_fit', 'vb_linear_fit_ard', 'bayes_linear_fit', 'bayes_linear_fit_ard'}
  fit = @(varargin) feval(f{1}, varargin{:});
  assert_error(@() fit(broken, y), 'X', 'row 3', 'NaN');
  assert_error(@() fit(big, y), 'X', 'row 1', 'inf');
  assert_error(@() fit(X, [1; NaN; 3; 4]), 'y', 'row 2', 'NaN');
  assert_error(@() fit(X, y(1:3)), 'y has 3 entries', '4');
  assert_error(@() fit(X, [y, y]), 'y is 4 x 2');
  assert_error(@() fit(X, 'abcd'), 'y is of class char');
  assert_error(@() fit(X + 1i, y), 'X is complex');
  assert_error(@() fit({1}, y), 'X is of class cell');
  assert_error(@() fit(ones(4, 2, 2), y), 'X has 3 dimensions');
  assert_error(@() fit(zeros(0, 2), []), 'X is empty');
  for k = 1:4
    prior = {1, 1, 1, 1}; prior{k} = -1; names = {'a0', 'b0', 'c0', 'd0'};
    assert_error(@() fit(X, y, prior{:}), [names{k} ' is -1']);
    prior{k} = [1, 2];
    assert_error(@() fit(X, y, prior{:}), [names{k} ' has 2 entries']);
    prior{k} = NaN;
    assert_error(@() fit(X, y, prior{:}), [names{k} ' is ']);
  end
end
for f = {'vb_logit_fit', 'vb_logit_fit_ard', 'vb_logit_fit_iter', 'bayes_logit_fit', 'bayes_logit_fit_ard', 'bayes_logit_fit_iter'}
  fit = @(varargin) feval(f{1}, varargin{:});
  assert_error(@() fit(broken, s), 'X', 'row 3', 'NaN');
  assert_error(@() fit(X, [1; 0; 1; 0]), 'y at row 2 is 0', '-1 or 1');
  assert_error(@() fit(X, [1; NaN; 1; -1]), 'y at row 2', '-1 or 1');
  assert_error(@() fit(X, s(1:2)), 'y has 2 entries');
end
w = [1; 2]; V = eye(2);
for f = {'vb_logit_pred', 'vb_logit_pred_incr', 'vb_logit_pred_iter', 'bayes_logit_post', 'bayes_logit_post_incr', 'bayes_logit_post_iter'}
  predict = @(varargin) feval(f{1}, varargin{:});
  for compat = [false, true]
    ardvark_options('compat', compat);
    assert_error(@() predict(broken, w, V, V), 'X', 'row 3', 'NaN');
    assert_error(@() predict(X, w(1), V, V), 'V is 2 x 2');
    assert_error(@() predict([X, y], w, V, V), 'X has 3 columns');
    assert_error(@() predict(X, w, -V, V), 'V is not a covariance matrix');
    assert_error(@() predict(X, w, [1, 0.5; 0, 1], V), 'V is not symmetric');
    assert_error(@() predict(X, [1; NaN], V, V), 'w', 'NaN');
  end
  assert_error(@() predict(X, w, V, eye(3)), 'invV is 3 x 3');
  assert_error(@() predict(X, w, V, [1, 1; 0, 1]), 'invV is not symmetric');
  ardvark_options('compat', false);
end
for f = {'vb_linear_pred', 'bayes_linear_post'}
  assert_error(@() feval(f{1}, X, w, V, 0, 1), 'an is 0');
  assert_error(@() feval(f{1}, X, w, V, 1, Inf), 'bn is ');
  assert_error(@() feval(f{1}, broken, w, V, 1, 1), 'X', 'row 3');
end
t = [0; 1; 0; 1]; three = [1; 2; 3; 1];
for f = {'slrvar', 'slrlap', 'rlrvar', 'rlrlap', 'rvm', 'l1slrlap', 'l1slrc'}
  extra = {};
  if any(strcmp(f{1}, {'rvm', 'l1slrlap', 'l1slrc'})), extra = {1}; end
  classify = @(varargin) feval(['biclsfy_' f{1}], varargin{1:4}, extra{:}, varargin{5:end});
  assert_error(@() classify(broken, t, X, t), 'x_train', 'row 3', 'NaN');
  assert_error(@() classify(X, t, broken, t), 'x_test', 'row 3', 'NaN');
  assert_error(@() classify(X, [0; 1; NaN; 1], X, t), 't_train at row 3');
  assert_error(@() classify(X, three, X, three), 't_train has 3 classes');
  assert_error(@() classify(X, t, X, [0; 1; 2; 1]), 't_test at row 3 is 2');
  assert_error(@() classify(X, t(1:2), X, t), 't_train has 2 entries');
  assert_error(@() classify(X, t, X(:, 1), t), 'x_test has 1 columns');
  assert_error(@() classify(X, t, X, t, 'nlearn', 0), 'nlearn is 0');
  assert_error(@() classify(X, t, X, t, 'mean_mode', 'mode'), 'mean_mode is ''mode''');
  assert_error(@() classify(X, t, X, t, 'what', 1), 'there is no option ''what''', 'nlearn');
  assert_error(@() classify(X, t, X, t, 'nlearn'), 'pairs');
end
assert_error(@() biclsfy_l1slrc(X, t, X, t, -1), 'gamma1 is -1');
assert_error(@() biclsfy_rvm(X, t, X, t, 0, 'kernel', 'Gaussian'), 'R is 0');
assert_error(@() biclsfy_rvm(X, t, X, t, 1, 'kernel', 'cubic'), 'kernel is ''cubic''');
for f = {'smlr', 'rmlr', 'slrlapovrm', 'slrvarovrm', 'rlrvarovrm', 'slrvarovo'}
  classify = @(varargin) feval(['muclsfy_' f{1}], varargin{:});
  assert_error(@() classify(X, ones(4, 1), X, ones(4, 1)), 't_train has 1 classes');
  assert_error(@() classify(broken, three, X, three), 'x_train', 'row 3');
end
assert_error(@() biclsfy_slrvar(X, t, X, t, 'ax0', [1, 2]), 'ax0 has 2 entries', '3');
assert_error(@() biclsfy_slrlap(X, t, X, t, 'ax0', [1, NaN, 1]), 'ax0(2) is ');
assert_error(@() biclsfy_rvm(X, t, X, t, 1, 'ax0', [1, 1, 1]), 'ax0 has 3 entries', '5');
assert_error(@() biclsfy_rlrvar(X, t, X, t, 'ax0', [1, 2, 3]), 'ax0 has 3 entries', 'share');
assert_error(@() biclsfy_rlrlap(X, t, X, t, 'gamma0', 0.5), 'gamma0', 'smlr');
assert_error(@() biclsfy_slrvar(X, t, X, t, 'usebias', 2), 'usebias is 2', '0 or 1');
assert_error(@() muclsfy_slrvarovo(X, three, X, three, 'combine_mode', 2), 'combine_mode is 2', '0 or 1');
assert_error(@() muclsfy_smlr(X, three, X, three, 'ax0', -ones(9, 1)), 'ax0(1) is -1');
for f = {'slrlapovrm', 'slrvarovrm', 'rlrvarovrm'}
  assert_error(@() feval(['muclsfy_' f{1}], X, three, X, three, 'reduceparm', 1), 'reduceparm is 1', 'muclsfy_smlr');
end
assert_error(@() ardvark_mex('nothing', 1), 'no command');
assert_error(@() ardvark_mex(1), 'help ardvark_fit');
printf('every mistake is named\n');
