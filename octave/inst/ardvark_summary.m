function [text, found] = ardvark_summary(fit, varargin)
% ARDVARK_SUMMARY  A model as a printed table: coefficients with standard deviation, interval and relevance, and results for the whole fit.
%
%   ardvark_summary(fit)
%   text = ardvark_summary(fit, 'level', 0.9)
%   [text, found] = ardvark_summary(fit, 'fdr', 0.05)      many targets
%
%   fit  the output of ardvark_fit, its field model, or the path of a model file
%
%   Of many targets it is a table with a row for each, those with the highest evidence first: how well the columns explain the rows of the
%   fit, and rows that the fit has not seen; the noise; the effects (how many coefficients the rows determine); evidence; and whether the
%   target is explained at the rate of false discoveries 'fdr', default 0.1. found: all results, as of ardvark_fit, also from a file
%
%   Example:
%       X = randn(60, 3); y = X(:, 1) + 0.3 * randn(60, 1);
%       ardvark_summary(ardvark_fit(X, y, 'model', 'linear', 'column_names', {'dose', 'age', 'weight'}))
%
%   See also ardvark_fit, ardvark_predict.
  text = ardvark_mex('summary', 1, fit, varargin);
  found = [];
  if isstruct(text)
    found = of_targets(text);
    text = table_of_targets(found);
  end
  if nargout == 0
    fprintf('%s', text);
    clear text
  end
end

%!test
%! randn('state', 1);
%! X = randn(60, 2); y = X(:, 1) + 0.3 * randn(60, 1);
%! text = ardvark_summary(ardvark_fit(X, y, 'model', 'linear', 'column_names', {'dose', 'age'}));
%! assert(~isempty(strfind(text, 'dose')) && ~isempty(strfind(text, 'age')));

%!error <level is 2> ardvark_summary(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), 'level', 2)
