% The help of each function of the SLR toolbox lists all options of the function and no others, with the texts of toolbox_options.txt, in
% the same order. The defaults in the texts are the values in the output `parm`.
1;
function text = one_line(text), text = strtrim(regexprep(text, '\s+', ' ')); end

in = fopen(fullfile(fileparts(mfilename('fullpath')), 'toolbox_options.txt'));
about = {};
while ischar(line = fgetl(in)), about(end + 1, :) = {regexp(line, '''(\w+)''', 'tokens'){1}{1}, line}; end
fclose(in);
randn('state', 1);
X = randn(30, 2); t = double(X(:, 1) > 0);
given = {'nclass', 'nparm', 'nsamp_tr', 'nsamp_te', 'nfeat', 'R'};  % these come from the data
files = dir(fullfile(getenv('ARDVARK_OCTAVE_FOLDER'), '*clsfy_*.m'));
assert(numel(files), 13);
warning('off', 'all');
for k = 1:numel(files)
  [~, name] = fileparts(files(k).name);
  extra = {};
  if any(strcmp(name, {'biclsfy_rvm', 'biclsfy_l1slrlap', 'biclsfy_l1slrc'})), extra = {1}; end
  [~, ~, ~, ~, parm] = feval(name, X, t, X, t, extra{:});
  names = setdiff(fieldnames(parm), given);
  assert(all(ismember(names, about(:, 1))));
  expected = '';
  for i = find(ismember(about(:, 1), names))'
    value = parm.(about{i, 1});
    if isnumeric(value) && isscalar(value), value = strrep(sprintf('%g', value), 'e+0', 'e'); end
    text = about{i, 2};
    if ischar(value), text = strrep(text, '{}', value); end
    expected = [expected ' ' text];
  end
  help_text = get_help_text(name);
  listed = regexp(help_text, '  Options:\n(.*?)\n\n', 'tokens'){1}{1};
  if ~strcmp(one_line(listed), one_line(expected)), error('%s: %s\nis not\n%s', name, one_line(listed), one_line(expected)); end
end
printf('%d functions\n', numel(files));
