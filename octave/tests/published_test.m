% Runs the tests and example scripts of VBLinLogit, unchanged, with our functions. They are not in the repository: ARDVARK_VBLINLOGIT names
% a folder of the published program, with test/ and examples/ in it.
1;
function text = run_there(name)
  close('all');
  text = evalc(name);
  close('all');
end
folder = getenv('ARDVARK_VBLINLOGIT');
if isempty(folder) || exist(fullfile(folder, 'test'), 'dir') ~= 7
  printf('skipped: ARDVARK_VBLINLOGIT names no folder of VBLinLogit, with test/ and examples/ in it\n');
  exit(77);
end
warning('off', 'all');
set(0, 'defaultfigurevisible', 'off');
rand('state', 1); randn('state', 1);
failed = {};
for part = {'test', 'examples'}
  files = dir(fullfile(folder, part{1}, '*.m'));
  addpath(fullfile(folder, part{1}), '-end');
  for k = 1:numel(files)
    [~, name] = fileparts(files(k).name);
    if any(strcmp(name, {'vb_tests', 'vb_examples'})), continue, end  % they call the others
    started = tic();
    try
      text = run_there(name);
      num_ok = numel(strfind(text, 'OK')); num_errors = numel(strfind(text, 'ERROR'));
      printf('%-32s %6.2f s', name, toc(started));
      if strcmp(part{1}, 'test'), printf('  %d OK, %d ERROR', num_ok, num_errors); end
      printf('\n');
      if num_errors > 0 || (strcmp(part{1}, 'test') && num_ok == 0), failed{end + 1} = sprintf('%s:\n%s', name, text); end
    catch trouble
      printf('%-32s %s\n', name, trouble.message);
      failed{end + 1} = sprintf('%s: %s', name, trouble.message);
    end
  end
end
assert(strncmp(which('vb_logit_fit'), getenv('ARDVARK_OCTAVE_FOLDER'), numel(getenv('ARDVARK_OCTAVE_FOLDER'))));
if ~isempty(failed), error('%s', strjoin(failed, "\n")); end
