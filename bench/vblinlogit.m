% Times VBLinLogit on its own example sizes and writes the data, so that bench_vblinlogit can time ardvark on the same numbers.
%   octave-cli bench/vblinlogit.m SOURCE_FOLDER OUTPUT_FOLDER
arguments = argv();
addpath(arguments{1});
out = arguments{2};
rand('state', 0); randn('state', 0);
function save_matrix(out, name, A)
  f = fopen([out '/' name], 'w'); fwrite(f, size(A), 'int64'); fwrite(f, A, 'double'); fclose(f);
end
function t = median_time(work, repeats)
  s = zeros(repeats, 1);
  for r = 1:repeats, tic; work(); s(r) = toc; end
  t = median(s);
end
D = 1000; D_eff = 100;
N = 500;  w = [randn(D_eff, 1); zeros(D - D_eff, 1)]; X = rand(N, D) - 0.5; y = X * w + randn(N, 1);
save_matrix(out, 'linear_X', X); save_matrix(out, 'linear_y', y);
t = fopen([out '/times'], 'w');
fprintf(t, '%.6g\n', median_time(@() vb_linear_fit(X, y), 3));
fprintf(t, '%.6g\n', median_time(@() vb_linear_fit_ard(X, y), 3));
N = 2000; w = [randn(D_eff, 1); zeros(D - D_eff, 1)]; X = rand(N, D) - 0.5;
y = 2 * (rand(N, 1) < 1 ./ (1 + exp(-X * w))) - 1;
X_test = rand(10000, D) - 0.5;
save_matrix(out, 'logit_X', X); save_matrix(out, 'logit_y', y); save_matrix(out, 'logit_X_test', X_test);
fprintf(t, '%.6g\n', median_time(@() vb_logit_fit(X, y), 3));
fprintf(t, '%.6g\n', median_time(@() vb_logit_fit_ard(X, y), 1));
fprintf(t, '%.6g\n', median_time(@() vb_logit_fit_iter(X, y), 1));
[w, V, invV] = vb_logit_fit(X, y);
fprintf(t, '%.6g\n', median_time(@() vb_logit_pred(X_test, w, V, invV), 3));
fclose(t);
