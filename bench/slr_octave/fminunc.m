function [w, f, flag, output, g, H] = fminunc(fun, w, options, varargin)
% Replaces MATLAB's fminunc with an exact Hessian, which Octave does not have: Newton steps, halved until f falls.
  flag = 0; output = struct('iterations', 0);
  [f, g, H] = fun(w, varargin{:});
  for iteration = 1:100
    if max(abs(g)) < 1e-10, flag = 1; break; end
    step = -(H \ g); length = 1;
    while true
      [f_try, g_try, H_try] = fun(w + length * step, varargin{:});
      if f_try <= f + 1e-12 * abs(f) || length < 1e-10, break; end
      length = length / 2;
    end
    w = w + length * step; f = f_try; g = g_try; H = H_try;
    output.iterations = iteration;
    if length < 1e-10 || max(abs(length * step)) < 1e-14 * max(1, max(abs(w))), flag = 1; break; end
  end
end
