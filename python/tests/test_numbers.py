"""The numbers of other programs (tests/data), and those of the command line, whatever the interface."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ardvark import _core

ROOT = Path(__file__).parents[2]
REFS = ROOT / "tests" / "data" / "refs"
PROGRAM = ROOT / "build" / "bin" / "ardvark"


def read(path):
    return np.loadtxt(path, delimiter=",", ndmin=2)


def column(path):
    return read(path)[:, 0]


# As tests/golden/vblinlogit_test.cpp, which says where the tolerance comes from.
PUBLISHED = sorted(
    (folder.parent.name, folder.name.removesuffix("__default"))
    for folder in REFS.glob("*/vb_*__default")
    if folder.parent.name in {"boston_std", "syn_over", "pima_std", "syn_under"} and (folder / "w.csv").exists()
)


@pytest.mark.parametrize("set_name, preset", PUBLISHED)
def test_presets_give_the_published_numbers(set_name, preset):
    folder = REFS / set_name / f"{preset}__default"
    X = read(REFS / set_name / "X.csv")
    y = column(REFS / set_name / ("y_reg.csv" if "linear" in preset else "y_log.csv"))
    model = _core.fit(X, y, preset=preset, compat=True, warn=False)
    w, diagonal = column(folder / "w.csv"), column(folder / "Vdiag.csv")
    assert np.abs(model.array("mean") - w).max() <= 1e-9 * np.abs(w).max()
    assert np.abs(model.array("V_diagonal") / diagonal - 1).max() <= 1e-9
    assert model.number("log_det_V") == pytest.approx(column(folder / "logdetV.csv")[0], rel=1e-9)
    if (folder / "an.csv").exists():
        assert model.number("noise.shape") == pytest.approx(column(folder / "an.csv")[0], rel=1e-9)
        assert model.number("noise.rate") == pytest.approx(column(folder / "bn.csv")[0], rel=1e-9)


# What octave/tests/golden_models_test.m compares, and tests/golden/ in C++: models at the converged optimum of an independent implementation.
CONVERGED = sorted(
    (folder.parent.name, folder.name.removesuffix("__default"))
    for folder in REFS.glob("*/vb_*__default")
    if folder.parent.name in {"boston_std", "pima_std", "syn_over", "syn_tall"} and (folder / "converged" / "w.csv").exists()
)


@pytest.mark.parametrize("set_name, preset", CONVERGED)
def test_models_end_at_the_converged_optimum(set_name, preset):
    at = REFS / set_name / f"{preset}__default" / "converged"
    linear = "linear" in preset
    X, y = read(REFS / set_name / "X.csv"), column(REFS / set_name / ("y_reg.csv" if linear else "y_log.csv"))
    own = {"model": "linear", "c0": 1e-2, "d0": 1e-4} if linear else {"model": "logistic", "likelihood": "jj"}
    model = _core.fit(
        X, y, prior="ard" if preset.endswith("_ard") else "shared", intercept=False, standardize=False, a0=1e-2, b0=1e-4, tolerance=1e-14, **own
    )
    w, bound = column(at / "w.csv"), column(at / "L.csv")[0]
    assert model.text("status") == "converged"
    assert model.number("bound") == pytest.approx(bound, rel=1e-9)
    assert np.abs(model.array("mean") - w).max() <= 1e-5 * np.abs(w).max()
    # Sweep for sweep to where the reference ended, as tests/golden/vblinlogit_test.cpp.
    sweeps = int(re.search(r"iterations=(\d+)", (at / "status.txt").read_text())[1])
    model = _core.fit(X, y, preset=preset, tolerance=0, max_sweeps=sweeps, warn=False)
    assert np.abs(model.array("mean") - w).max() <= 1e-6 * np.abs(w).max()
    for name, file in (("V_diagonal", "Vdiag.csv"), ("precision", "E_a.csv"), ("bound", "L.csv")):
        assert np.allclose(model.array(name), np.squeeze(read(at / file)), rtol=1e-6, atol=0), name


def test_presets_give_the_numbers_of_sparse_bayes_and_of_the_slr_toolbox():
    over, iris = REFS / "syn_over", REFS / "iris_multiclass"
    X = read(over / "X.csv")
    model = _core.fit(X, column(over / "y_reg.csv"), preset="rvm_regression", warn=False)
    assert np.array_equal(np.flatnonzero(model.array("relevant")) + 1, np.sort(column(over / "sb2_gaussian__plain" / "relevant.csv")))
    noise = model.number("noise.shape") / model.number("noise.rate")
    assert noise == pytest.approx(column(over / "sb2_gaussian__plain" / "beta_noise.csv")[0], rel=1e-4)
    y = column(over / "y_log.csv")
    published = [("slr_var", {}, "biclsfy_slrvar", "standardized_mean"), ("slr_rvm", {"kernel": "gaussian", "toolbox_R": 1}, "biclsfy_rvm_gauss", "candidate_mean")]
    for preset, options, program, name in published:
        model = _core.fit(X[:, 1:], y, preset=preset, compat=True, max_sweeps=20, warn=False, **options)
        ww = column(over / f"slr_{program}__nlearn20" / "ww.csv")
        assert np.abs(model.array(name) - ww).max() <= 1e-8 * np.abs(ww).max()
    model = _core.fit(read(iris / "X.csv"), column(iris / "t.csv"), preset="smlr", compat=True, max_sweeps=20, warn=False)
    at = iris / "slr_muclsfy_smlr__nlearn20"
    ww = read(at / "ww.csv")
    assert np.abs(model.array("standardized_mean").T - ww).max() <= 1e-8 * np.abs(ww).max()
    assert np.abs(model.predict(read(iris / "X_test.csv")).array("probability") - read(at / "Pte.csv")).max() <= 1e-8


# A weight vector of ten ill-determined numbers differs by 1e-12 when a sum is done in another order; every fit here ends by the same rule.
CASES = [
    ("medv", ["--model", "linear", "--prior", "ard"], dict(model="linear", prior="ard"), "Boston.csv"),
    ("medv", ["--model", "linear", "--prior", "shared"], dict(model="linear", prior="shared"), "Boston.csv"),
    ("medv", ["--preset", "vb_linear_fit_ard"], dict(preset="vb_linear_fit_ard"), "Boston.csv"),
    ("medv", ["--preset", "vrvm_regression"], dict(preset="vrvm_regression"), "Boston.csv"),
    ("type", ["--model", "logistic", "--prior", "ard"], dict(model="logistic", prior="ard"), "Pima.tr.csv"),
    ("type", ["--model", "logistic", "--likelihood", "jj"], dict(model="logistic", likelihood="jj"), "Pima.tr.csv"),
    ("type", ["--model", "logistic", "--prior", "laplace", "--lambda", "6"], {"model": "logistic", "prior": "laplace", "lambda": 6}, "Pima.tr.csv"),
    ("type", ["--preset", "slr_var"], dict(preset="slr_var"), "Pima.tr.csv"),
]


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
@pytest.mark.parametrize("target, arguments, options, file", CASES)
def test_python_and_the_command_line_agree(target, arguments, options, file):
    path = ROOT / "examples" / "data" / file
    names, *rows = [line.split(",") for line in path.read_text().replace('"', "").split()]
    at = names.index(target)
    y = np.array([{"No": 0, "Yes": 1}.get(row[at], row[at]) for row in rows], float)
    X = np.array([row[:at] + row[at + 1 :] for row in rows], float)
    columns = names[:at] + names[at + 1 :]
    classes = {"class_names": ["No", "Yes"]} if target == "type" else {}
    model = _core.fit(X, y, column_names=columns, target=target, warn=False, **classes, **options)
    printed = subprocess.run([PROGRAM, "fit", path, "--target", target, "--json", *arguments], capture_output=True, check=True)
    expected = json.loads(printed.stdout)
    got = model.to_dict()
    assert {k for k in got if k != "seconds"} == {k for k in expected if k != "seconds"}
    for name in ("status", "sweeps", "columns", "relevant", "prior", "solver"):
        assert got[name] == expected[name]
    for name in ("mean", "variance", "interval", "relevance", "bound"):
        a, b = np.array(got[name], float), np.array(expected[name], float)
        assert np.abs(a - b).max() <= 1e-12 * np.abs(b).max(), name


def test_the_json_holds_the_arrays():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    model = _core.fit(X, X @ [1.0, 0, 2] + rng.normal(size=80), model="linear")
    for name, value in model.to_dict().items():
        if isinstance(value, list) and value and not isinstance(value[0], (str, dict)):
            assert np.array_equal(model.array(name), np.array(value, float))


def test_least_squares_where_the_prior_is_flat():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 4)) * [1, 10, 0.1, 1] + [0, 5, 0, 1]
    y = rng.normal(size=60)
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y, rcond=None)[0]
    model = _core.fit(X, y, model="linear", prior="none")
    assert np.allclose(model.array("mean"), expected[:4], rtol=1e-10, atol=0)
    assert model.number("intercept.mean") == pytest.approx(expected[4], rel=1e-10)


@pytest.mark.parametrize("name, digits", [("Longley", 10), ("Filip", 7), ("Wampler3", 8.5), ("Pontius", 11.5)])
@pytest.mark.parametrize("solver", ["automatic", "qr"])
def test_the_certified_values_of_nist(name, digits, solver):
    """Of all eleven, in every interface: scripts/check nist."""
    table = np.loadtxt(ROOT / "tests" / "data" / "nist" / f"{name}.csv", delimiter=",", skiprows=1)
    certified = read(ROOT / "tests" / "data" / "nist" / f"{name}_certified.csv")[:-1, 0]
    model = _core.fit(table[:, 1:], table[:, 0], model="linear", prior="none", solver=solver)
    found = np.append(model.number("intercept.mean"), model.array("mean"))
    assert np.max(np.abs(found / certified - 1)) <= 10**-digits
    assert model.text("solver") == "qr"
    assert not model.value("warnings")
