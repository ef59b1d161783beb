"""ArdvarkOptimizer of trainstation inside hiphive: forces of a metal."""

import sys
from pathlib import Path

import numpy as np
import pytest

hiphive = pytest.importorskip("hiphive", reason="hiphive is not installed (pip install hiphive): its force constants are not fitted")
pytest.importorskip("trainstation")


@pytest.fixture(scope="module")
def bench():
    folder = Path(__file__).parents[2] / "bench" / "force_constants"
    sys.path.insert(0, str(folder))
    try:
        import run
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("run", None)
    return run


def test_force_constants_and_their_uncertainty(bench):
    of = bench.space()
    (A, y), (A_new, y_new) = bench.forces(of, 1, 1), bench.forces(of, 1, 7)
    at = np.random.default_rng(0).choice(len(y), 100, replace=False)
    fits = {name: make(A[at], y[at]) for name, make in bench.METHODS.items() if name != "trainstation, rfe"}
    for fit in fits.values():
        fit.train()
    ours = fits["ardvark"]
    errors = {name: bench.error(fit, A_new, y_new) for name, fit in fits.items()}
    assert errors["ardvark"] < min(1.1 * errors["trainstation, least squares"], 0.75 * errors["trainstation, ardr"])
    assert errors["ardvark"] < 0.01 * y_new.std()
    ends = ours.estimator.predict_interval(A_new)
    assert 0.85 < np.mean((ends[:, 0] <= y_new) & (y_new <= ends[:, 1])) <= 1
    # The best that these rows can tell are the parameters of all rows.
    everything = bench.METHODS["ardvark"](A, y)
    everything.train()
    assert np.mean(np.abs(ours.parameters - everything.parameters) < 3 * ours.parameters_std) > 0.9
    atoms = of.primitive_structure.repeat(6)
    constants = hiphive.ForceConstantPotential(of, ours.parameters).get_force_constants(atoms).get_fc_array(order=2)
    assert np.abs(constants).max() > 1 and np.abs(constants.sum(axis=1)).max() < 1e-6  # eV / Angstrom^2; a shift of all atoms has no force
