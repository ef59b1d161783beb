% Control-C ends a long fit after the current sweep, and the interpreter continues. The test starts another Octave that fits without end,
% and sends it SIGINT.
1;
function yes = within(seconds, happened)
  started = tic;
  while ~(yes = happened()) && toc(started) < seconds, pause(0.1); end
end

octave = fullfile(OCTAVE_HOME(), 'bin', 'octave-cli');
if exist(octave, 'file') ~= 2
  printf('skipped: there is no %s to start\n', octave);
  exit(77);
end
out = fopen('endless.m', 'w');
fprintf(out, 'addpath(''%s'');\n', getenv('ARDVARK_OCTAVE_FOLDER'));
fprintf(out, 'randn(''state'', 1); X = randn(1500, 700); t = sign(X(:, 1) + randn(1500, 1));\n');
fprintf(out, 'fprintf(''begun\\n''); fflush(stdout);\n');
fprintf(out, 'try, while true, vb_logit_fit_ard(X, t); end, catch trouble, fprintf(''%%s\\n'', trouble.identifier); end\n');
fprintf(out, 'fprintf(''goes on\\n'');\n');
fclose(out);
% Octave itself handles a signal that arrives between two fits. Then the test tries again.
for attempt = 1:5
  [status, process] = system([octave ' --norc --quiet endless.m >said 2>&1 & echo $!']);
  assert(status, 0);
  process = strtrim(process);
  assert(within(120, @() ~isempty(strfind(fileread('said'), 'begun'))));
  pause(attempt);
  system(['kill -INT ' process]);
  ended = within(20, @() system(['kill -0 ' process ' 2>/dev/null']) ~= 0);
  said = fileread('said');
  if ~ended
    system(['kill -KILL ' process]);
    error('the fit goes on 20 seconds after the signal, having said: %s', said);
  end
  if ~isempty(strfind(said, 'ardvark:interrupted')), break; end
end
assert(~isempty(strfind(said, 'ardvark:interrupted')), said);
assert(~isempty(strfind(said, 'goes on')), said);
printf('interrupted\n');
