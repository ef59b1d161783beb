function ardvark_save(fit, path)
% ARDVARK_SAVE  Writes a model of ardvark_fit to a file that the program and the other languages can read.
%
%   ardvark_save(fit, path)
%
%   fit    the output of ardvark_fit; of many targets, the file has all of them
%   path   the file. ardvark_predict and ardvark_summary take such a path instead of a fit
%
%   Example:
%       fit = ardvark_fit(randn(50, 2), randn(50, 1), 'model', 'linear');
%       path = [tempname(), '.ardvark'];
%       ardvark_save(fit, path);
%       disp(ardvark_predict(path, [0, 0]).mean)
%       delete(path);
%
%   See also ardvark_fit, ardvark_predict.
  ardvark_mex('save', 0, fit, path);
end

%!test
%! x = (1:9)'; fit = ardvark_fit(x, x + [1; 0; 0; 1; 0; 0; 1; 0; 0], 'model', 'linear');
%! path = [tempname(), '.ardvark'];
%! ardvark_save(fit, path);
%! assert(ardvark_predict(path, x).mean, ardvark_predict(fit, x).mean);
%! assert(ardvark_summary(path), ardvark_summary(fit));
%! delete(path);

%!error <model is not a model> ardvark_save(struct(), 'm.ardvark')
%!error <path is of class double; it must be a text> ardvark_save(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), 1)
%!error <cannot> ardvark_save(ardvark_fit((1:5)', (1:5)' + [0; 1; 0; 1; 0], 'model', 'linear'), '/no/such/folder/m.ardvark')
