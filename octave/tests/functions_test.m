% Runs the tests, the examples of the help texts and the demos of every function of the package. INDEX lists the functions. No window opens.
1;
function run_example(code)
  eval(code);
end
warning('off', 'all');
set(0, 'defaultfigurevisible', 'off');
folder = fileparts(which('ardvark_fit'));
names = {};
in = fopen(fullfile(getenv('ARDVARK_SOURCE'), 'octave', 'INDEX'));
while true
  line = fgetl(in);
  if ~ischar(line), break, end
  if ~isempty(line) && line(1) == ' ', names{end + 1} = strtrim(line); end
end
fclose(in);
files = dir(fullfile(folder, '*.m'));
assert(sort(names), sort(strrep({files.name}, '.m', '')));  % INDEX lists exactly the functions that exist
num_tests = 0; num_examples = 0; num_demos = 0;
for name = names
  file = fullfile(folder, [name{1} '.m']);
  text = fileread(file);
  if ~isempty(strfind(text, sprintf('\n%%!')))
    log = tempname();
    [passed, all] = test(file, 'quiet', log);
    if passed ~= all, error('%s: %d of %d tests pass\n%s', name{1}, passed, all, fileread(log)); end
    num_tests = num_tests + all;
    [code, at] = test(file, 'grabdemo');
    for k = 1:numel(at) - 1
      try
        run_example(code(at(k):at(k + 1) - 1));
      catch trouble
        error('demo %d of %s: %s', k, name{1}, trouble.message);
      end
      close('all');
      num_demos = num_demos + 1;
    end
  end
  help_text = get_help_text(name{1});
  if isempty(strtrim(help_text)), error('%s has no help', name{1}); end
  first = strfind(help_text, 'Example:');
  if ~isempty(first)
    example = help_text(first(1) + 8:strfind(help_text, 'See also')(end) - 1);
    try
      evalc('run_example(example)');
    catch trouble
      error('the example of %s: %s', name{1}, trouble.message);
    end
    num_examples = num_examples + 1;
  end
end
printf('%d tests, %d examples, %d demos of %d functions\n', num_tests, num_examples, num_demos, numel(names));
