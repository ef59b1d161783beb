function value = ardvark_options(varargin)
% ARDVARK_OPTIONS  Options for all functions of this package. They hold until you change them or the session ends.
%
%   all = ardvark_options()              a struct of all options
%   value = ardvark_options(name)        one option
%   ardvark_options(name, value, ...)    sets options
%
%   'compat'     false (default): correct results. true: the functions of VBLinLogit and of the SLR toolbox reproduce the published
%                programs, with their defects, to 1e-9 (VBLinLogit) or 1e-8 (SLR toolbox)
%   'threads'    number of threads of the linear algebra; 0 (default): as the environment says
%   'tolerance'  for the functions of VBLinLogit without compat: they stop when the bound can gain no more than this, in nats per row;
%                0 (default): 1e-8, or 1e-4 with more columns than rows, where the bound has many maxima
%
%   Example:
%       ardvark_options('compat', true);
%       [w, V, invV] = vb_logit_fit(randn(50, 3), sign(randn(50, 1)));
%       ardvark_options('compat', false);
%
%   See also vb_linear_fit, vb_logit_fit, biclsfy_slrvar, ardvark_fit.
  if nargout == 0 && nargin > 1
    ardvark_mex('options', 0, varargin{:});
  else
    value = ardvark_mex('options', 1, varargin{:});
  end
end

%!test
%! assert(ardvark_options('compat'), false);
%! ardvark_options('compat', true, 'threads', 2);
%! all = ardvark_options();
%! ardvark_options('compat', false, 'threads', 0);
%! assert(all.compat, true);
%! assert(all.threads, 2);
%! assert(ardvark_options('threads'), 0);

%!error <there is no option 'compatible'> ardvark_options('compatible', true)
%!error <compat is 2> ardvark_options('compat', 2)
