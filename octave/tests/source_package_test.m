% Installs the file that scripts/package-octave --source makes into an empty home folder with pkg install; octave/src/Makefile makes the MEX
% there. This test takes the MEX of the build folder (ARDVARK_BUILD); with ARDVARK_TEST_SOURCE_PACKAGE=1 it builds the core again, which
% takes minutes.
warning('off', 'all');
source_folder = getenv('ARDVARK_SOURCE');
whole = ~isempty(getenv('ARDVARK_TEST_SOURCE_PACKAGE'));
if ~whole, setenv('ARDVARK_BUILD', fileparts(fileparts(getenv('ARDVARK_OCTAVE_FOLDER')))); end
rmpath(getenv('ARDVARK_OCTAVE_FOLDER'));
assert(isempty(which('ardvark_fit')));
[status, out] = system([fullfile(source_folder, 'scripts', 'package-octave') ' --source ' getenv('HOME')]);
if status ~= 0, error('package-octave: %s', out); end
file = strsplit(strtrim(out), "\n"){end};
% the package contains all sources of the core
[status, packed] = system(['tar -tzf ' file]);
packed = strsplit(strtrim(packed), "\n");
for part = {'include', 'src', 'cmake'}
  [status, there] = system(['cd ' source_folder ' && find ' part{1} ' -type f']);
  for name = strsplit(strtrim(there), "\n")
    if ~any(strcmp(packed, [regexp(packed{1}, '^[^/]+', 'match'){1} '/src/core/' name{1}])), error('%s is not in the package', name{1}); end
  end
end
pkg('prefix', fullfile(getenv('HOME'), 'packages'), fullfile(getenv('HOME'), 'packages'));  % also for root
pkg('local_list', fullfile(getenv('HOME'), '.packages'));
started = tic;
pkg('install', '-local', file);
pkg('load', 'ardvark');
assert(strncmp(which('vb_linear_fit'), getenv('HOME'), numel(getenv('HOME'))));
assert(strncmp(which('ardvark_mex'), getenv('HOME'), numel(getenv('HOME'))));
x = [1; 2; 3; 4]; y = [1; 3; 2; 5];
fit = ardvark_fit(x, y, 'model', 'linear', 'prior', 'none');
assert([fit.mean; fit.intercept.mean], [x, ones(4, 1)] \ y, 1e-9);
for name = {'vb_linear_fit', 'biclsfy_slrvar', 'ardvark_predict'}
  assert(test(name{1}, 'quiet', tempname()));
end
% a demo from there, without a window
set(0, 'defaultfigurevisible', 'off');
[code, at] = test('vb_logit_fit', 'grabdemo');
eval(code(at(1):at(2) - 1));
close('all');
if whole, way = 'built and installed'; else, way = 'installed'; end
printf('%s from its source in %.0f s\n', way, toc(started));
