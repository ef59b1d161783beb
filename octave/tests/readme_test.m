% Runs the example of the README without `pkg load`, because the folder is on the path.
1;
function run_example(code)
  eval(code);
  assert(size(w), [5, 1]);
  assert(abs(w([1, 4])' - [2, -1]) < 0.1);
  assert(size(new.mean), [3, 1]);
end
text = fileread(fullfile(getenv('ARDVARK_SOURCE'), 'README.md'));
blocks = regexp(text, '```octave\n(.*?)```', 'tokens');
assert(numel(blocks) >= 1);
for k = 1:numel(blocks), evalc('run_example(strrep(blocks{k}{1}, ''pkg load ardvark'', ''''));'); end
