"""ArdvarkOptimizer in the place of trainstation's Optimizer."""

import subprocess
import sys

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, InvalidArgumentError

trainstation = pytest.importorskip("trainstation", reason="trainstation is not installed (pip install trainstation): its optimizer is not tried")
from ardvark.integrations.trainstation import ArdvarkOptimizer  # noqa: E402


def problem(seed, n=60, p=120):
    """Counts of clusters, of which eight have an effect; the first column is of ones."""
    rng = np.random.default_rng(seed)
    A = rng.integers(0, 6, size=(n, p)).astype(float)
    A[:, 0] = 1
    x = np.zeros(p)
    x[0], x[5:13] = -30, rng.choice([-1, 1], 8) * rng.uniform(0.3, 2, 8)
    return A, A @ x + 0.3 * rng.normal(size=n), x


def test_its_results_are_those_of_our_regression():
    A, y, _ = problem(0)
    optimizer = ArdvarkOptimizer((A, y), flat=[0], train_size=0.8)
    optimizer.train()
    rows, others = optimizer.train_set, optimizer.test_set
    ours = BayesianLinearRegression(flat=[0], fit_intercept=False).fit(A[rows], y[rows])
    np.testing.assert_array_equal(optimizer.parameters, ours.coef_)
    np.testing.assert_array_equal(optimizer.parameters_std, ours.coef_std_)
    np.testing.assert_array_equal(optimizer.inclusion, ours.inclusion_)
    assert optimizer.rmse_test == pytest.approx(np.sqrt(np.mean((A[others] @ ours.coef_ - y[others]) ** 2)))
    assert optimizer.scatter_data_test is not None and len(rows) == 48 and len(others) == 12


def test_the_interface_of_the_host(tmp_path):
    A, y, _ = problem(1)
    optimizer = ArdvarkOptimizer((A, y), flat=[0])
    assert optimizer.parameters is None and optimizer.parameters_std is None and optimizer.inclusion is None
    optimizer.train()
    assert optimizer.train_size == 60 and optimizer.test_set is None and optimizer.rmse_test is None
    summary = optimizer.summary
    assert summary["fit_method"] == "ardvark" and summary["parameters_std"].shape == summary["inclusion"].shape == (120,)
    optimizer.write_summary(str(tmp_path / "summary"))
    assert (tmp_path / "summary").stat().st_size > 0 and "ardvark" in str(optimizer)
    assert optimizer.get_contributions(A).shape == (120,)
    assert optimizer.n_nonzero_parameters > 100  # so AIC and BIC of the host count them all, as the page says


def test_integers_are_numbers():
    """trainstation's own methods give wrong parameters for them."""
    A, y, _ = problem(2)
    floats, integers = ArdvarkOptimizer((A, y), flat=[0]), ArdvarkOptimizer((A.astype(int), y), flat=[0])
    floats.train()
    integers.train()
    np.testing.assert_allclose(integers.parameters, floats.parameters, rtol=1e-9)


def test_parameters_and_their_uncertainty():
    """More columns than rows: errors no larger than those of ardr, and intervals that hold."""
    ours, ardr, inside = [], [], []
    for seed in range(8):
        A, y, x = problem(seed)
        optimizer = ArdvarkOptimizer((A, y), flat=[0])
        optimizer.train()
        other = trainstation.Optimizer((A.copy(), y), "ardr", train_size=1.0)
        other.train()
        ours.append(np.sqrt(np.mean((optimizer.parameters - x)[1:] ** 2)))
        ardr.append(np.sqrt(np.mean((other.parameters - x)[1:] ** 2)))
        off = np.abs(optimizer.parameters - x) / optimizer.parameters_std
        inside.append((off[5:13] < 2).mean())
    print(f"error of parameters: {np.mean(ours):.4f}, ardr {np.mean(ardr):.4f}; true ones within two standard deviations: {np.mean(inside):.2f}")
    assert np.mean(ours) < np.mean(ardr) and np.mean(inside) > 0.85


def test_wrong_arguments():
    A, y, _ = problem(3)
    bad = A.copy()
    bad[4, 7] = np.nan
    with pytest.raises(InvalidArgumentError, match="A at row 5, column 7, is NaN; all values must be finite"):
        ArdvarkOptimizer((bad, y)).train()
    gap = y.copy()
    gap[3] = np.nan
    for rows in ({"train_set": [3, 8, 9, 10]}, {"train_set": [8, 9, 10, 11], "test_set": [3, 4]}):
        with pytest.raises(InvalidArgumentError, match="^y at row 4 is NaN; all values must be finite$"):
            ArdvarkOptimizer((A, gap), **rows).train()
    with pytest.raises(InvalidArgumentError, match="prior"):
        ArdvarkOptimizer((A, y), "ridge").train()
    with pytest.raises(TypeError, match="Fit data can not be None"):
        ArdvarkOptimizer(None)


def test_a_missing_host_is_named():
    code = "import sys; sys.modules['trainstation'] = None\ntry:\n    import ardvark.integrations.trainstation\nexcept ImportError as error:\n    print(error)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "ardvark.integrations.trainstation needs trainstation 1.2 or later: pip install 'ardvark[trainstation]'\n"
