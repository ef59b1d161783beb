function [X, y, pairs] = read_target(caller, X, y, pairs)
% The table without its target, the target as numbers (of texts: positions from 0), and the options with the names that these have.
  if isstruct(X) && ischar(y)
    if ! isfield(X, y)
      fields = strjoin(cellfun(@(name) ['''' name ''''], fieldnames(X)', 'UniformOutput', false), ', ');
      error('ardvark:invalid_argument', '%s: y is ''%s'', which is not a field of X; its fields are %s', caller, y, fields);
    end
    pairs = [pairs, {'target', y}];
    [y, X] = deal(X.(y), rmfield(X, y));
  end
  if iscell(y)
    known = ! cellfun(@isempty, y(:));  % '' is a missing value
    labels = y(known);
    y = NaN(numel(known), 1);
    [names, ~, positions] = unique(labels(:));
    y(known) = positions - 1;
    pairs = [pairs, {'class_names', names}];
  end
end
