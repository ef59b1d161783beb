"""The tables of docs/from_other_programs.md: each name of ours in them is one, and each of scikit-learn's."""

import re
from pathlib import Path

import ardvark
import numpy as np
import pytest
from ardvark import _core

sklearn = pytest.importorskip("sklearn")
TEXT = (Path(__file__).resolve().parents[2] / "docs" / "from_other_programs.md").read_text()
ESTIMATORS = [getattr(ardvark, name) for name in ardvark._estimators]


def tables():
    """(section, header, rows), with cells as lists of what stands in backticks."""
    section = ""
    for block in TEXT.split("\n\n"):
        if block.startswith("## "):
            section = block.splitlines()[0]
        lines = [line for line in block.splitlines() if line.startswith("|")]
        if lines:
            cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
            yield section, cells[0], [
                [re.findall(r"`([^`]+)`", cell) for cell in row] for row in cells[2:]
            ]


def ours():
    """Every piece of code in a column of ours, with its section."""
    for section, header, rows in tables():
        for k, title in enumerate(header):
            if title.startswith("ardvark"):
                for row in rows:
                    yield from ((section, title, code) for code in row[k])


def target_of(estimator, score):
    takes_numbers = sklearn.base.is_regressor(estimator) and not isinstance(estimator, ardvark.BayesianCountRegression)
    return score if takes_numbers else (score > 0).astype(int)


def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + rng.normal(size=40)
    for cls in ESTIMATORS:
        yield cls().fit(X, target_of(cls(), y))


NAMES = {name: getattr(ardvark, name) for name in ardvark._estimators}


def test_there_are_tables():
    assert len(list(tables())) == 13 and len(list(ours())) > 100


@pytest.mark.parametrize(
    "code", sorted({code for *_, code in ours() if "(" in code and "_core" not in code})
)
def test_constructors(code):
    """They accept these parameters, and fit with them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    score = X[:, 0] + 0.5 * rng.normal(size=60)
    estimator = eval(code, dict(NAMES), {"c": 0.2, "a": 0.1, "n_samples": 60})
    estimator.fit(X, np.digitize(score, [-0.5, 0.5]) if "multi_class" in code else target_of(estimator, score))


@pytest.mark.parametrize(
    "code", sorted({code for *_, code in ours() if code.startswith("_core.fit(")})
)
def test_presets(code):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=40)
    model = eval(code, {"_core": _core, "X": X, "y": y, "t": (y > 0).astype(float)})
    assert model.text("status") == "converged"


def test_presets_of_the_shell():
    known = {preset["name"] for preset in _core.catalogue()["presets"]}
    named = set(re.findall(r"--preset (\w+)", TEXT))
    assert named <= known and known - named == {
        "vrvm_regression",
        "vrvm_classification",
        "rvm_regression",
        "rvm_classification",
    }


def test_plain_names():
    """Parameters, attributes and methods of an estimator; options and results of a preset."""
    of_estimators = {name for cls in ESTIMATORS for name in (*cls().get_params(), *dir(cls))} | {
        name for fit in fitted() for name in vars(fit)
    }
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    classes = (X[:, 0] > 0) * 1.0
    logistic = _core.fit(X, classes, preset="vb_logit_fit", warn=False)
    of_presets = {*_core.catalogue()["options"], *dir(_core.Model)}
    for model in (_core.fit(X, X[:, 0], preset="vb_linear_fit"), logistic):
        assert model.array("covariance").shape == (3, 3)
        results = model.to_dict()
        of_presets |= {
            "covariance",
            *results,
            *model.predict(X).to_dict(),
            *(f"noise.{name}" for name in results.get("noise", {})),
        }
    for section, title, code in ours():
        if "(" in code or " " in code:
            continue
        for name in code.split(", "):
            if name.startswith("rule="):
                logistic.predict(X, rule=name[6:-1])
            elif "preset" in title:
                assert name in of_presets, (section, name)
            elif "=" in name:
                assert name.split("=")[0] in of_estimators, (section, name)
            else:
                assert name in of_estimators, (section, name)


def test_names_of_scikit_learn():
    from sklearn import gaussian_process, linear_model, svm

    known = {**vars(linear_model), **vars(svm), **vars(gaussian_process)}
    for section, header, rows in tables():
        if header[0] != "scikit-learn":
            continue
        for row in rows:
            for code in row[0]:
                if "(" in code and not code.startswith("predict"):
                    assert code.split("(")[0] in known, code
                else:
                    for name in re.findall(r"\w+", code.partition("(")[0]):
                        fit = linear_model.BayesianRidge().fit([[0.0], [1], [2]], [0.0, 1, 3])
                        ard = linear_model.ARDRegression().fit([[0.0], [1], [2]], [0.0, 1, 3])
                        assert hasattr(fit, name) or hasattr(ard, name), name


def test_standard_deviations_do_not_depend_on_the_origin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=50)
    model = ardvark.BayesianLinearRegression("shared", posterior="factorised", standardize=False)
    near, far = (model.fit(X + shift, y).predict(X[:5] + shift, return_std=True)[1] for shift in (0, 1000))
    assert np.allclose(near, far, rtol=1e-4) and "478 becomes 92.055" in TEXT
    if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9):
        from sklearn.linear_model import BayesianRidge

        theirs = [BayesianRidge().fit(X + shift, y).predict(X[:5] + shift, return_std=True)[1] for shift in (0, 1000)]
        assert np.allclose(*theirs, rtol=1e-4) and round(theirs[0][0], 3) == 0.478


def test_inclusions_and_t_values_of_boston():
    """The numbers of the text, the t values by least squares of numpy."""
    data = np.loadtxt(Path(__file__).resolve().parents[2] / "examples/data/Boston.csv", delimiter=",", skiprows=1)
    X, y = data[:, :-1], data[:, -1]
    A = np.column_stack([np.ones(len(X)), X])
    w, square, *_ = np.linalg.lstsq(A, y)
    t = w / np.sqrt(square[0] / (len(X) - A.shape[1]) * np.diag(np.linalg.inv(A.T @ A)))
    assert t[[3, 6, 8, 13]].round(1).tolist() == [0.3, 9.1, -7.4, -10.3]
    model = ardvark.BayesianLinearRegression().fit(X, y)
    assert abs(model.inclusion_.min() - 0.15) < 0.02 and abs(model.inclusion_.max() - 0.54) < 0.02
    assert model.support_[[5, 7, 12]].all() and not model.support_[2]
    for word in ("0.3, 9.1, -7.4 and -10.3", "from .15 to .54"):
        assert word in TEXT
