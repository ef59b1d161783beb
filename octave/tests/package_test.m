% Installs the file that scripts/package-octave makes into an empty home folder with pkg install, and tests the functions from there.
rmpath(getenv('ARDVARK_OCTAVE_FOLDER'));
assert(isempty(which('ardvark_fit')));
[status, out] = system([fullfile(getenv('ARDVARK_SOURCE'), 'scripts', 'package-octave') ' ' getenv('HOME')]);
if status ~= 0, error('package-octave: %s', out); end
lines = strsplit(strtrim(out), "\n");
pkg('prefix', fullfile(getenv('HOME'), 'packages'), fullfile(getenv('HOME'), 'packages'));  % also for root
pkg('local_list', fullfile(getenv('HOME'), '.packages'));
pkg('install', '-local', lines{end});
pkg('load', 'ardvark');
assert(strncmp(which('vb_linear_fit'), getenv('HOME'), numel(getenv('HOME'))));
assert(strncmp(which('ardvark_mex'), getenv('HOME'), numel(getenv('HOME'))));
about = pkg('describe', 'ardvark');
assert(about{1}.name, 'ardvark');
source(fullfile(getenv('ARDVARK_SOURCE'), 'octave', 'tests', 'functions_test.m'));
