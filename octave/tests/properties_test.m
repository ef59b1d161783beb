% Octave gives the same numbers as C++ for random problems. `ardvark_random --export` writes problems of the generator with the results of
% C++; here they are fitted again, many in one process. A failure names the seed: `build/bin/ardvark_random --seed N --show`.
1;
function value = as_argument(name, value)
  % in Octave, positions and groups count from 1, and a list of texts is a cell
  if any(strcmp(name, {'group', 'flat', 'input_group'})), value = value(:)' + 1; end
end

% jsondecode may miss the last bit of a number; sscanf does not.
function value = exactly(text, name, value)
  if ~isnumeric(value) || isempty(value), return, end
  found = regexp(text, ['"' name '":\s*(\[[-+0-9.eE,\s\[\]]*\]|[-+0-9.eE]+)[\s,}]'], 'tokens', 'once');
  if isempty(found), return, end
  numbers = sscanf(regexprep(found{1}, '[\[\],\s]+', ' '), '%f');
  if numel(numbers) ~= numel(value), return, end
  if isvector(value), value(:) = numbers; else, value = reshape(numbers, fliplr(size(value))).'; end
end

function compare(what, mine, theirs)
  mine = double(mine(:)); theirs = double(theirs(:));
  if numel(mine) ~= numel(theirs), error('%s has %d numbers, not %d', what, numel(mine), numel(theirs)); end
  if isempty(mine), return, end
  same = mine == theirs | (isnan(mine) & isnan(theirs)) | (isinf(mine) & isnan(theirs));  % JSON has null for numbers that are not finite
  off = max(abs(mine(~same) - theirs(~same)));
  if ~isempty(off) && ~(off <= 1e-12 * max(abs(theirs(isfinite(theirs))))), error('%s differs by %g', what, off); end
end

program = getenv('ARDVARK_RANDOM');
if isempty(program) || exist(program, 'file') ~= 2
  printf('skipped: ardvark_random is not built\n');
  exit(77);
end
count = getenv('ARDVARK_RANDOM_COUNT');
if isempty(count), count = '60'; end
seed = getenv('ARDVARK_RANDOM_SEED');
if isempty(seed), seed = '1'; end
folder = tempname();
[status, text] = system(sprintf('"%s" --seed %s --count %s --export "%s"', program, seed, count, folder));
if status ~= 0, error('%s', text); end
files = dir([folder '/*.json']);
num_fitted = 0; num_predicted = 0;
for k = 1:numel(files)
  text = fileread([folder '/' files(k).name]);
  problem = jsondecode(text);
  if isfield(problem, 'refusal') || ~isempty(strfind(problem.text, 'compat 1')), continue, end
  X = exactly(text, 'X', problem.X);
  problem.target = exactly(text, 'target', problem.target);
  if iscolumn(X) && numel(problem.target) > 1 && rows(X) == numel(problem.target), X = X'; end
  X = reshape(X.', numel(problem.target), []);
  arguments = {};
  for name = fieldnames(problem.options)'
    arguments(end + 1:end + 2) = {name{1}, as_argument(name{1}, exactly(text, name{1}, problem.options.(name{1})))};
  end
  class_names = {};
  at = find(strcmp(arguments(1:2:end), 'class_names'));
  y = problem.target;
  if ~isempty(at)  % text labels are a cell
    class_names = arguments{2 * at};
    arguments(2 * at - 1:2 * at) = [];
    y = class_names(y + 1);
  end
  what = sprintf('seed %d: %s', problem.seed, problem.text);
  try
    fit = ardvark_fit(X, y, arguments{:});
  catch failure  % a fit contains its model file, and without a posterior there is no such file
    assert(~isempty(strfind(failure.message, sprintf('no posterior to save (status: %s)', problem.results.status))), ...
           '%s: %s', what, failure.message);
    continue
  end
  num_fitted += 1;
  assert(fit.status, problem.results.status);
  said = [{fit.message}, fit.notes(:)', fit.warnings(:)', {ardvark_summary(fit)}];
  foreign = said(~cellfun(@isempty, regexp(said, '--[a-z]')));
  if ~isempty(foreign), error('%s: advice in the words of the program: %s', what, foreign{1}); end
  for name = {'mean', 'variance', 'relevance', 'bound', 'bound_history', 'log_evidence'}
    if ~isfield(problem.results, name{1}) || ~isfield(fit, name{1}), continue, end
    theirs = problem.results.(name{1});
    if iscell(theirs), continue, end
    mine = fit.(name{1});
    if isfield(problem.results, 'coding') && ismatrix(theirs) && ~isequal(size(theirs), size(mine)), theirs = theirs.'; end
    compare([what ', ' name{1}], mine, theirs);
  end
  if ~isfield(problem, 'prediction'), continue, end
  predicted = ardvark_predict(fit, X);
  num_predicted += 1;
  for name = {'mean', 'sd', 'variance', 'lower', 'upper', 'scale', 'probability'}
    if isfield(problem.prediction, name{1}) && ~isempty(problem.prediction.(name{1}))  % a mixture has no scale
      compare([what ', predicted ' name{1}], predicted.(name{1}), problem.prediction.(name{1}));
    end
  end
end
confirm_recursive_rmdir(false);
rmdir(folder, 's');
assert(num_fitted > str2double(count) / 3);
assert(num_predicted > str2double(count) / 4);
printf('%d of %d problems give the same numbers\n', num_fitted, numel(files));
