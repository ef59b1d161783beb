% With compat, the functions of the SLR toolbox return what the published programs returned (tests/data/README.md), on all sets, to 1e-8.
% ARDVARK_REFERENCES may name a folder with more reference data.
1;
function A = whole(file)  % like reference(), for a file that may be empty
  A = [];
  d = dir(file);
  if ~isempty(d) && d.bytes > 1, A = dlmread(file, ','); end
end

function count = compare(set, name, kernel, smw, passes)
  label = [strtok(name, '+') kernel strrep(name(numel(strtok(name, '+')) + 1:end), '+', '_') smw '__nlearn' num2str(passes)];
  at = ['slr_' label];
  count = 0;
  ww = reference(set, at, 'ww.csv');
  if isempty(ww), return, end
  if strcmp(set, 'iris_multiclass')
    X = reference(set, 'X.csv'); Z = reference(set, 'X_test.csv');
    t = reference(set, 't.csv'); tz = reference(set, 't_test.csv');
  else
    X = reference_design(set, 'X'); Z = reference_design(set, 'X_test');
    last = columns(X) - strcmp(set, 'syn_rankdef');  % without the column of ones and the column of zeros
    X = X(:, 2:last);
    if isempty(Z), Z = X; else, Z = Z(:, 2:last); end
    t = double(reference(set, 'y_log.csv') > 0);
    tz = t(1 + mod(0:rows(Z) - 1, rows(t)))';
  end
  extra = {}; own = {};
  [program, word] = strtok(name, '+');  % an option or argument that differs from the other cases
  name = program;
  if ~isempty(strfind(name, 'rvm')) && ~isempty(strfind(name, 'biclsfy')), extra = {1.0}; end
  if ~isempty(strfind(name, 'l1slr')), extra = {1.0}; end
  switch word
    case '+gamma1_4', extra = {4};
    case '+R_07', extra = {0.7};
    case '+gamma0_05', own = {'gamma0', 0.5};
    case '+usebias_0', own = {'usebias', 0};
    case '+combine_mode_1', own = {'combine_mode', 1};
    case '+ax0_3', own = {'ax0', 3};
    case '+ax0_ramp', own = {'ax0', 1 + (1:15)' / 4};
  end
  options = [own, {'nlearn', passes, 'nstep', passes}];
  if strcmp(kernel, '_gauss'), options = [options, {'kernel', 'Gaussian'}]; end
  history = ~strcmp(name, 'biclsfy_l1slrc');
  out = cell(1, 7 + history);
  [out{:}] = feval(name, X, t, Z, tz, extra{:}, options{:});
  where = [set ' ' at];
  assert_near(out{1}, ww, 1e-8, [where ' ww']);
  count = 1;
  several = ~isempty(strfind(name, 'muclsfy'));
  for k = 1:2
    files = {'Ptr.csv', 'Pte.csv'};
    P = reference(set, at, files{k});
    if isempty(P), continue, end
    mine = out{6 + history + k - 1};
    if columns(P) == 1, mine = mine(:, 2); end
    difference = max(abs(mine(:) - P(:)));
    if ~(difference <= 1e-8), error('%s %s differs by %g', where, files{k}, difference); end
    count = count + 1;
  end
  tables = {'errTable_tr', 'errTable_te'};
  for k = 1:2
    T = reference(set, at, [tables{k} '.csv']);
    if k == 2 && ~strcmp(set, 'iris_multiclass'), T = []; end  % there are no test labels
    if ~isempty(T) && ~isequal(T, out{2 + k}), error('%s %s is %s; expected %s', where, tables{k}, mat2str(out{2 + k}), mat2str(T)); end
    count = count + ~isempty(T);
  end
  kept = fullfile(reference(), set, at, 'ix_eff.csv');
  if exist(kept, 'file') == 2
    kept = whole(kept);
    mine = out{2};
    if iscell(mine), mine = unique(vertcat(cellfun(@(c) c(:), mine(:), 'UniformOutput', false){:})); end
    kept = unique(kept(:));
    kept = kept(kept <= columns(X) | strcmp(name, 'biclsfy_rvm'));
    if ~isequal(mine(:), kept) && ~(isempty(mine) && isempty(kept)), error('%s ix_eff_all is %s; expected %s', where, mat2str(mine'), mat2str(kept')); end
    count = count + 1;
  end
  alpha = reference(set, at, 'alpha_last.csv');
  if history && ~isempty(alpha)
    mine = out{6}(:, end);
    assert(numel(mine) == numel(alpha) && columns(out{6}) == 2 && (all(out{6}(:, 1) == 1) || ~isempty(strfind(word, 'ax0'))));
    w = ww(:);
    for i = 1:numel(alpha)
      if alpha(i) >= 1e8
        if ~(mine(i) >= 1e8), error('%s AXall(%d) is %g; it has left', where, i, mine(i)); end
        continue
      end
      allowed = 1e-8;  % if a column is about to leave, MacKay's step uses 1 - alpha*S = alpha*w^2, a difference of almost equal numbers
      if numel(w) == numel(alpha) && w(i) ~= 0, allowed = max(allowed, 1e-15 / (alpha(i) * w(i)^2)); end
      if ~(abs(mine(i) / alpha(i) - 1) <= allowed), error('%s AXall(%d) is %.15g; expected %.15g', where, i, mine(i), alpha(i)); end
    end
    count = count + 1;
  end
end

warning('off', 'all');
ardvark_options('compat', true);
binary = {'slrvar', 'slrlap', 'rlrvar', 'rlrlap', 'rvm', 'l1slrlap', 'l1slrc'};
binary = [binary, {'l1slrlap+gamma1_4', 'l1slrc+gamma1_4', 'rvm+R_07', 'rvm+usebias_0', 'l1slrc+usebias_0'}];
several = {'smlr+gamma0_05', 'slrvarovo+combine_mode_1', 'slrvarovo+ax0_ramp', 'rlrvarovrm+ax0_3', 'smlr', 'rmlr', 'slrlapovrm', 'slrvarovrm', 'rlrvarovrm', 'slrvarovo'};
count = 0; folders = 0;
for passes = [20, 200, 300]
  for set = {'syn_over', 'syn_rankdef', 'syn_under', 'synth', 'iris_multiclass'}
    for name = [strcat('biclsfy_', binary), strcat('muclsfy_', several)]
      for variant = {'', '_gauss', '_smw'}
        kernel = ''; smw = '';
        if strcmp(variant{1}, '_gauss'), kernel = '_gauss'; elseif ~isempty(variant{1}), smw = variant{1}; end
        n = compare(set{1}, name{1}, kernel, smw, passes);
        count = count + n;
        folders = folders + (n > 0);
      end
    end
  end
end
ardvark_options('compat', false);
printf('%d outputs in %d folders\n', count, folders);
assert(folders >= 102);
