% reference(path)  numbers of a file in the folder of the reference data; empty if there is no such file. reference() is the folder.
function A = reference(varargin)
  folder = getenv('ARDVARK_REFERENCES');
  if isempty(folder), folder = fullfile(getenv('ARDVARK_TEST_DATA'), 'refs'); end
  if nargin == 0
    A = folder;
    return
  end
  file = fullfile(folder, varargin{:});
  A = [];
  if exist(file, 'file') == 2, A = dlmread(file, ','); end
end
