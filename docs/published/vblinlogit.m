% Runs the published program on the tables in a folder: vblinlogit(src, folder) with src the program's src folder.
% Reads X.csv, y.csv, X_test.csv and tasks.txt (one function a line), writes <function>_{w,Vdiag,scalars,train,test}.csv.
arguments = argv();
addpath(arguments{1});
folder = arguments{2};
warning('off', 'Bayes:maxIter');
X = csvread(fullfile(folder, 'X.csv'));
y = csvread(fullfile(folder, 'y.csv'));
X_test = csvread(fullfile(folder, 'X_test.csv'));
tasks = strsplit(strtrim(fileread(fullfile(folder, 'tasks.txt'))), "\n");
for k = 1:numel(tasks)
  task = tasks{k};
  L = NaN; an = NaN; bn = NaN; E_a = NaN;
  switch task
    case {'vb_linear_fit', 'vb_linear_fit_ard'}
      [w, V, ~, ~, an, bn, E_a, L] = feval(task, X, y);
      train = vb_linear_pred(X, w, V, an, bn);
      test = vb_linear_pred(X_test, w, V, an, bn);
    case {'vb_logit_fit', 'vb_logit_fit_ard'}
      [w, V, invV, ~, E_a, L] = feval(task, X, y);
      train = vb_logit_pred(X, w, V, invV);
      test = vb_logit_pred(X_test, w, V, invV);
    case 'vb_logit_fit_iter'
      [w, V, invV] = vb_logit_fit_iter(X, y);
      train = vb_logit_pred(X, w, V, invV);
      test = vb_logit_pred(X_test, w, V, invV);
  end
  out = @(name, values) dlmwrite(fullfile(folder, [task '_' name '.csv']), values, 'precision', '%.17g');
  out('w', w);
  out('Vdiag', diag(V));
  out('scalars', [L; an; bn]);
  out('train', train);
  out('test', test);
end
