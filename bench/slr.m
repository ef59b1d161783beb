% Times the SLR toolbox at 200 trials by 2000 features and writes data and weights, so that bench_slr can time ardvark on the same numbers.
%   octave-cli bench/slr.m TOOLBOX_FOLDER OUTPUT_FOLDER
arguments = argv();
addpath(fullfile(fileparts(mfilename('fullpath')), 'slr_octave'));
addpath(arguments{1});
out = arguments{2};
warning('off', 'all');
rand('state', 0); randn('state', 0);
function save_matrix(out, name, A)
  f = fopen([out '/' name], 'w'); fwrite(f, size(A), 'int64'); fwrite(f, A, 'double'); fclose(f);
end
n = 200; p = 2000; informative = 10;
X = randn(n, p);
score = X(:, 1:informative) * (1.5 * ones(informative, 1)) / sqrt(informative);
t = double(rand(n, 1) < 1 ./ (1 + exp(-2 * score)));
three = X(:, 1:informative) * randn(informative, 3) + 0.3 * randn(n, 3);
[~, classes] = max(three, [], 2);
save_matrix(out, 'X', X); save_matrix(out, 't', t); save_matrix(out, 'classes', classes);
times = fopen([out '/times'], 'w');
function run(out, times, name, passes, work)
  tic; w = work(passes); seconds = toc;
  fprintf(times, '%s %d %.6g\n', name, passes, seconds); fflush(times);
  save_matrix(out, sprintf('w_%s_%d', name, passes), w);
end
quiet = {'displaytext', 0, 'nstep', 100000, 'wdisp_mode', 'off'};
for passes = [100 1000]  % it makes 1000 unless told otherwise; after 100 its features still fall from 25 to 19
  run(out, times, 'slr_var', passes, @(k) biclsfy_slrvar(X, t, X, t, 'nlearn', k, 'invhessian', 0, quiet{1:4}));
end
run(out, times, 'slr_lap', 20, @(k) biclsfy_slrlap(X, t, X, t, 'nlearn', k, quiet{:}));
run(out, times, 'smlr', 10, @(k) muclsfy_smlr(X, classes, X, classes, 'nlearn', k, quiet{:}));
fclose(times);
