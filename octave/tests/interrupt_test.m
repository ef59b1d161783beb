% Control-C ends long work within about a second, and the interpreter continues. The test starts another Octave that works without end, and
% sends it SIGINT.
1;
function yes = within(seconds, happened)
  started = tic;
  while ~(yes = happened()) && toc(started) < seconds, pause(0.1); end
end

% What the other Octave says until it ends; `work` is repeated until it is interrupted.
function [said, seconds] = interrupted(octave, work, attempt)
  out = fopen('endless.m', 'w');
  fprintf(out, 'addpath(''%s'');\n', getenv('ARDVARK_OCTAVE_FOLDER'));
  fprintf(out, 'randn(''state'', 1); X = randn(1500, 700); t = sign(X(:, 1) + randn(1500, 1));\n');
  fprintf(out, 'fprintf(''begun\\n''); fflush(stdout);\n');
  fprintf(out, 'try, while true, %s end, catch trouble, fprintf(''%%s\\n'', trouble.identifier); end\n', work);
  fprintf(out, 'fprintf(''goes on\\n''); fflush(stdout);\n');
  fclose(out);
  [status, process] = system([octave ' --norc --quiet endless.m >said 2>&1 & echo $!']);
  assert(status, 0);
  process = strtrim(process);
  assert(within(120, @() ~isempty(strfind(fileread('said'), 'begun'))));
  pause(attempt);
  started = tic;
  system(['kill -INT ' process]);
  within(20, @() ~isempty(strfind(fileread('said'), 'goes on')));
  seconds = toc(started);
  ended = within(20, @() system(['kill -0 ' process ' 2>/dev/null']) ~= 0);
  said = fileread('said');
  if ~ended
    system(['kill -KILL ' process]);
    error('%s goes on 20 seconds after the signal, having said: %s', work, said);
  end
end

octave = fullfile(OCTAVE_HOME(), 'bin', 'octave-cli');
if exist(octave, 'file') ~= 2
  printf('skipped: there is no %s to start\n', octave);
  exit(77);
end
works = {'vb_logit_fit_ard(X, t);'};
for i = 1:numel(works)
  % Octave itself handles a signal that arrives between two fits. Then the test tries again.
  for attempt = 1:5
    [said, seconds] = interrupted(octave, works{i}, attempt);
    if ~isempty(strfind(said, 'ardvark:interrupted')), break; end
  end
  assert(~isempty(strfind(said, 'ardvark:interrupted')), said);
  assert(~isempty(strfind(said, 'goes on')), said);
  assert(seconds < 1.5);
end
printf('interrupted\n');
