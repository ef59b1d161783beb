function fit = of_targets(fit)
% Results of many targets, as those of one target are called, with a column for each target.
  numbers = {'status', 'sweeps', 'precision', 'degrees_of_freedom', 'bound', 'evidence', 'r_squared', 'r_squared_loo', ...
             'effective_parameters', 'num_rows', 'mean', 'sd', 'inclusion', 'intercept', 'noise_sd'};
  for name = numbers(isfield(fit, numbers))
    fit.(name{1}) = fit.(name{1}).';
  end
  for name = {'probability', 'selected'}
    fit.explained.(name{1}) = fit.explained.(name{1}).';
  end
  fit.explained.selected = fit.explained.selected == 1;
  if isfield(fit, 'directions')
    for name = {'q_value', 'p_value', 'sd', 'noise_sd', 'degrees_of_freedom'}
      fit.directions.(name{1}) = fit.directions.(name{1}).';
    end
  end
  if isfield(fit, 'intercept'), fit.intercept = struct('mean', fit.intercept); end
  fit.noise = struct('sd', fit.noise_sd);
  fit = rmfield(fit, 'noise_sd');
  if ! isfield(fit, 'targets')
    fit.targets = arrayfun(@(k) sprintf('y%d', k), 1:fit.num_targets, 'UniformOutput', false);
  end
  fit.targets = fit.targets(:).';
end
