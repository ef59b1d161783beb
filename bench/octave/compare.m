% Compares the published functions with ours, on the same data in the same session: medians in seconds, and their ratio.
%   octave-cli bench/octave/compare.m FOLDER_OF_OURS VBLINLOGIT_SRC [SLR_TOOLBOX]
% FOLDER_OF_OURS: build/octave/ardvark; VBLINLOGIT_SRC: src/ of VBLinLogit; SLR_TOOLBOX: the folder of the toolbox's functions.
% Sizes are those of VBLinLogit's examples with many dimensions. "all" asks for every output, "w" for the weights only.
1;
function s = median_time(work, repeats)
  s = zeros(repeats, 1);
  for r = 1:repeats, tic; work(); s(r) = toc; end
  s = median(s);
end
function compare(name, ours, theirs, work, repeats, sought)
  if isempty(theirs), return, end
  addpath(theirs); work(); published = median_time(work, repeats(1)); rmpath(theirs);
  addpath(ours); work(); own = median_time(work, repeats(2)); rmpath(ours);
  printf('%-44s %10.4f %10.5f %8.1f', name, published, own, published / own);
  if sought > 0, printf('   sought %g', sought); end
  printf('\n'); fflush(stdout);
end
function f_quiet(name, X, t, options)
  evalc('w = feval(name, X, t, X, t, options{:});');
end
function all_of(f, count, varargin)
  out = cell(1, count);
  [out{:}] = feval(f, varargin{:});
end

arguments = argv();
ours = arguments{1}; vb = arguments{2};
slr = '';
if numel(arguments) > 2, slr = arguments{3}; end
warning('off', 'all');
rand('state', 0); randn('state', 0);
printf('%-44s %10s %10s %8s\n', '', 'published', 'ardvark', 'ratio');
D = 1000; D_eff = 100;
w = [randn(D_eff, 1); zeros(D - D_eff, 1)];
X = rand(500, D) - 0.5; y = X * w + randn(500, 1);
compare('vb_linear_fit 500 x 1000, w', ours, vb, @() vb_linear_fit(X, y), [3, 11], 100);
compare('vb_linear_fit 500 x 1000, all', ours, vb, @() all_of('vb_linear_fit', 8, X, y), [3, 7], 0);
compare('vb_linear_fit_ard 500 x 1000, w', ours, vb, @() vb_linear_fit_ard(X, y), [1, 3], 10);
Z = rand(2000, D) - 0.5; t = 2 * (rand(2000, 1) < 1 ./ (1 + exp(-Z * w))) - 1;
compare('vb_logit_fit 2000 x 1000, w', ours, vb, @() vb_logit_fit(Z, t), [1, 3], 4);
compare('vb_logit_fit_ard 2000 x 1000, w', ours, vb, @() vb_logit_fit_ard(Z, t), [1, 1], 8);
compare('vb_logit_fit_iter 2000 x 1000, w', ours, vb, @() vb_logit_fit_iter(Z, t), [1, 5], 100);
addpath(vb); [v, V, invV] = vb_logit_fit(Z(:, 1:300), t); rmpath(vb);
New = rand(10000, 300) - 0.5;
compare('vb_logit_pred 10000 x 300', ours, vb, @() vb_logit_pred(New, v, V, invV), [1, 7], 10);
compare('vb_logit_pred_incr 500 x 300', ours, vb, @() vb_logit_pred_incr(New(1:500, :), v, V, invV), [1, 7], 0);
% the small sizes of the other examples: the time of a call itself
x = [ones(100, 1), rand(100, 2)]; u = x * [1; 2; 3] + randn(100, 1); s = sign(u - mean(u));
compare('vb_linear_fit 100 x 3, all', ours, vb, @() all_of('vb_linear_fit', 8, x, u), [51, 201], 0);
compare('vb_linear_fit_ard 100 x 3, all', ours, vb, @() all_of('vb_linear_fit_ard', 8, x, u), [51, 201], 0);
compare('vb_logit_fit 100 x 3, all', ours, vb, @() all_of('vb_logit_fit', 6, x, s), [51, 201], 0);
compare('vb_logit_fit_iter 100 x 3, all', ours, vb, @() all_of('vb_logit_fit_iter', 4, x, s), [11, 201], 0);
if ~isempty(slr)
  addpath(fullfile(fileparts(mfilename('fullpath')), '..', 'slr_octave'));
  n = 200; p = 2000;
  X = randn(n, p);
  t = double(rand(n, 1) < 1 ./ (1 + exp(-3 * X(:, 1:10) * ones(10, 1) / sqrt(10))));
  names = {'biclsfy_slrvar', 'biclsfy_slrlap', 'biclsfy_rlrvar'};
  sought = [20, 0, 0]; passes = [1000, 20, 20];  % 1000 is the toolbox's own number
  addpath(ours);
  for k = 1:3
    ardvark_options('compat', true);  % the same passes
    quiet = {'nlearn', passes(k), 'nstep', passes(k), 'displaytext', 0};
    rmpath(ours);
    compare(sprintf('%s 200 x 2000, %d passes', names{k}, passes(k)), ours, slr, @() f_quiet(names{k}, X, t, quiet), [1, 3], sought(k));
    addpath(ours);
    ardvark_options('compat', false);
  end
  rmpath(ours);
  compare('biclsfy_slrvar 200 x 2000, by default', ours, slr, @() f_quiet('biclsfy_slrvar', X, t, {'displaytext', 0}), [1, 3], 20);
end
