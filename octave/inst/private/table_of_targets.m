function text = table_of_targets(fit)
% How well the columns explain each target, as text: those with the highest evidence first.
  most = 60;
  is_fitted = ! isnan(fit.bound);
  constant = isfield(fit, 'intercept');
  effects = fit.effective_parameters - constant;
  if isfield(fit, 'inclusion'), effects = sum(fit.inclusion, 1); end
  verdict = fit.status;
  decided = is_fitted & ! strcmp(fit.status, 'constant');
  verdict(decided) = {'no'};
  verdict(decided & fit.explained.selected) = {'yes'};
  evidence = fit.evidence;
  evidence(isnan(evidence)) = -Inf;
  [~, order] = sort(evidence, 'descend');
  shown = order(1:min(end, most));
  width = max(6, max(cellfun(@numel, fit.targets(shown))));
  line = sprintf('  %%-%ds  %%7s  %%7s  %%10s  %%7s  %%9s  %%s\n', width);
  text = sprintf('Linear regressions of %d targets, prior %s, %.10g rows, %d columns\n\n', fit.num_targets, fit.prior, max(fit.num_rows), ...
                 numel(fit.columns));
  text = [text, sprintf(line, 'target', 'R^2', 'unseen', 'noise sd', 'effects', 'evidence', 'explained')];
  for k = shown
    text = [text, sprintf(line, fit.targets{k}, number('%.3f', fit.r_squared(k)), number('%.3f', fit.r_squared_loo(k)), ...
                          number('%.4g', fit.noise.sd(k)), number('%.1f', effects(k)), number('%.1f', fit.evidence(k)), verdict{k})];
  end
  if numel(order) > most, text = [text, sprintf('  ... %d more, with less evidence\n', numel(order) - most)]; end
  text = [text, sprintf('\n%-20s  %d of %d targets, at a rate of false discoveries of %g\n', 'explained', nnz(fit.explained.selected), ...
                        fit.num_targets, fit.explained.fdr), ...
          sprintf('%-20s  %.1f%% of the targets, estimated from all of them\n', 'share', 100 * fit.explained.share)];
  if ! all(is_fitted)
    text = [text, sprintf('%-20s  %s, because of what stands in the last column\n', 'not fitted', counted(nnz(! is_fitted)))];
  end
  slow = nnz(strcmp(fit.status, 'max_sweeps'));
  if slow > 0, text = [text, sprintf('%-20s  %s; a larger max_sweeps lets them go on\n', 'not converged', counted(slow))]; end
  text = [text, said('note', fit.notes), said('WARNING', fit.warnings)];
end

function text = number(form, x)
  if isnan(x), text = '-'; else text = sprintf(form, x); end
end

function text = counted(count)
  if count == 1, text = '1 target'; else text = sprintf('%d targets', count); end
end

function text = said(what, texts)
  text = '';
  for k = 1:numel(texts), text = [text, sprintf('%-20s  %s\n', what, texts{k})]; end
end
