function ardvark_report(fit, path, X, target, varargin)
% ARDVARK_REPORT  Writes a model as one page of HTML, to be sent to a colleague.
%
%   ardvark_report(fit, path)
%   ardvark_report(fit, path, X, target)
%   ardvark_report(fit, path, X, target, 'name', value, ...)      [] for X and target: no rows
%
%   fit     the output of ardvark_fit, its field model, or the path of a model file
%   path    where the page is written, completely or not at all. It is one file that loads nothing
%   X       rows to compare with their predictions: those of the fit, or others; as in ardvark_predict
%   target  their target: numbers; for a classifier, positions in `classes`, from 1; of many targets a column for each
%
%   Options:
%     'title'  heading of the page
%     'level'  level of the intervals; default 0.95
%     'row_offset'  of counts, as in ardvark_predict
%     'fdr'    many targets: rate of false discoveries among those that are explained; default 0.1
%
%   Example:
%       X = randn(60, 2); y = X(:, 1) + 0.3 * randn(60, 1);
%       path = [tempname(), '.html'];
%       ardvark_report(ardvark_fit(X, y, 'model', 'linear'), path, X, y, 'title', 'A fit');
%       delete(path);
%
%   See also ardvark_fit, ardvark_summary.
  if nargin < 3
    X = [];
  end
  if nargin < 4
    target = [];
  end
  ardvark_mex('report', 0, fit, path, X, target, varargin);
end

%!function page = page_of(varargin)
%!  path = [tempname(), '.html'];
%!  ardvark_report(varargin{1}, path, varargin{2:end});
%!  page = fileread(path);
%!  delete(path);
%!endfunction
%!function yes = has(page, text)
%!  yes = ! isempty(strfind(page, text));
%!endfunction

%!test
%! randn('state', 1);
%! X = randn(60, 2); y = X(:, 1) + 0.3 * randn(60, 1);
%! fit = ardvark_fit(X, y, 'model', 'linear', 'column_names', {'<dose>', 'age'});
%! page = page_of(fit, X, y, 'title', 'A & B');
%! assert(has(page, '<h1>A &amp; B</h1>') && has(page, '&lt;dose&gt;') && has(page, 'They are the rows of the fit'));
%! assert(! has(page_of(fit), 'Predictions and observations'));

%!test
%! randn('state', 2);
%! X = randn(80, 2); y = double(X(:, 1) > 0) + 1;
%! fit = ardvark_fit(X, y, 'model', 'logistic', 'prior', 'shared');
%! assert(has(page_of(fit, X, y), 'They are the rows of the fit'));

%!test
%! randn('state', 3);
%! X = randn(70, 3); Y = [X(:, 1) + 0.1 * randn(70, 1), randn(70, 1)];
%! fit = ardvark_fit(X, Y, 'model', 'linear', 'prior', 'shared');
%! page = page_of(fit, X, Y, 'fdr', 0.05);
%! assert(has(page, 'at a rate of false discoveries of 0.05') && has(page, 'rows in memory: 70 rows'));

%!error <give X and target, or neither> ardvark_report(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), tempname(), (1:5)')
%!error <cannot> ardvark_report(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), '/no/such/folder/r.html')
%!error <level is 2> ardvark_report(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), tempname(), [], [], 'level', 2)
