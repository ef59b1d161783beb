% assert_near(x, expected, tolerance, what)  requires that the largest difference, relative to the largest |expected|, is at most
% `tolerance`.
function assert_near(x, expected, tolerance, what)
  if ~isequal(size(x), size(expected)) && ~(isvector(x) && isvector(expected) && numel(x) == numel(expected))
    error('%s is %s; expected %s', what, mat2str(size(x)), mat2str(size(expected)));
  end
  if isempty(expected), return, end
  difference = max(abs(x(:) - expected(:))) / max(max(abs(expected(:))), realmin);
  if ~(difference <= tolerance), error('%s differs by %g of its largest; allowed are %g', what, difference, tolerance); end
end
