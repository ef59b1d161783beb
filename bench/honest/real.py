"""Real data in ten folds: polynomials of Boston and of diabetes; breast cancer, wine, iris, Pima, synth.

A name and a fold determine a problem. Some data are also used in random parts: a name and the number of the part determine a problem.
"""

import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from families import Problem

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "data"
FOLDS = 10
REGRESSIONS = [f"{data}-degree{degree}" for data in ("boston", "diabetes") for degree in (1, 2, 3)]
TWO_FILES = {"pima": "Pima", "synth": "synth"}  # training and test file together
CLASSES = ["breast-cancer", "wine", "iris", "pima", "synth"]
PARTS = 20
IN_PARTS = {"diabetes": False, "boston": False, "pima": True}  # whether the data have classes


@lru_cache(maxsize=None)
def _data(name):
    """X [n, p] before the expansion into polynomials, y [n]."""
    if name == "boston":
        return _examples("Boston.csv")
    if name in TWO_FILES:
        X, y = (np.concatenate(both) for both in zip(*(_examples(f"{TWO_FILES[name]}.{file}.csv") for file in ("tr", "te"))))
        return X, y.astype(int)
    load = {"diabetes": load_diabetes, "breast-cancer": load_breast_cancer, "wine": load_wine, "iris": load_iris}[name]
    return load(return_X_y=True)


def _examples(file):
    table = np.loadtxt(EXAMPLES / file, delimiter=",", skiprows=1, converters=lambda text: float({"Yes": 1, "No": 0}.get(text, text)))
    return table[:, :-1], table[:, -1]


def part(name, number):
    """Part 0 is the whole table. The other parts have 70 to 90% of the rows, at random; the remaining rows are new rows."""
    X, y = _data(name)
    X = StandardScaler().fit_transform(X)
    rng = np.random.default_rng([number, zlib.crc32(name.encode())])
    order = rng.permutation(len(y))
    count = len(y) if number == 0 else round(len(y) * rng.uniform(0.7, 0.9))
    here, new = np.sort(order[:count]), np.sort(order[count:]) if number else order
    return Problem(X[here], y[here], X[new], y[new])


def draw(name, fold):
    """Columns are standardised with mean and standard deviation of the training rows, then expanded into all products up to the degree."""
    name, _, degree = name.partition("-degree")
    X, y = _data(name)
    folds = (KFold if degree else StratifiedKFold)(FOLDS, shuffle=True, random_state=0)
    train, new = list(folds.split(X, y))[fold]
    scale = StandardScaler().fit(X[train])
    powers = PolynomialFeatures(int(degree or 1), include_bias=False)
    X, X_new = powers.fit_transform(scale.transform(X[train])), powers.fit_transform(scale.transform(X[new]))
    varies = np.ptp(X, axis=0) > 0
    return Problem(X[:, varies], y[train], X_new[:, varies], y[new])
