% assert_error(work, pieces)  requires that work() ends with an error whose identifier begins with ardvark: and whose message contains all
% pieces.
function assert_error(work, varargin)
  try
    work();
  catch trouble
    if isempty(strfind(trouble.identifier, 'ardvark:')), error('error %s: %s', trouble.identifier, trouble.message); end
    for i = 1:numel(varargin)
      if isempty(strfind(trouble.message, varargin{i})), error('"%s" is not in: %s', varargin{i}, trouble.message); end
    end
    return
  end
  error('no error; expected one that names %s', varargin{1});
end
