% X = reference_design(set, what)  X.csv or X_test.csv of a set. The kernel columns of synth_rbf have no file and are computed.
function X = reference_design(set, what)
  X = reference(set, [what '.csv']);
  if ~isempty(X), return, end
  if strcmp(set, 'synth_rbf')
    C = reference('synth', 'X.csv'); C = C(:, 2:3);
    Z = reference('synth', [what '.csv']);
    if isempty(Z), return, end
    Z = Z(:, 2:3);
    D = (Z(:, 1) - C(:, 1)').^2 + (Z(:, 2) - C(:, 2)').^2;
    X = [ones(rows(Z), 1), exp(-D / 0.5^2)];
  end
end
