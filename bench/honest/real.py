"""Real data in ten folds: polynomials of Boston and of diabetes, breast cancer, wine. A name and a fold say every number."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from families import Problem

BOSTON = Path(__file__).resolve().parents[2] / "examples" / "data" / "Boston.csv"
FOLDS = 10
REGRESSIONS = [f"{data}-degree{degree}" for data in ("boston", "diabetes") for degree in (1, 2, 3)]
CLASSES = ["breast-cancer", "wine"]


@lru_cache(maxsize=None)
def _data(name):
    """X [n, p] before any expansion, y [n]."""
    if name == "boston":
        table = np.loadtxt(BOSTON, delimiter=",", skiprows=1)
        return table[:, :-1], table[:, -1]
    load = {"diabetes": load_diabetes, "breast-cancer": load_breast_cancer, "wine": load_wine}[name]
    return load(return_X_y=True)


def draw(name, fold):
    """Columns standardised with the mean and the standard deviation of the training rows, then all products up to the degree."""
    name, _, degree = name.partition("-degree")
    X, y = _data(name)
    folds = (KFold if degree else StratifiedKFold)(FOLDS, shuffle=True, random_state=0)
    train, new = list(folds.split(X, y))[fold]
    scale = StandardScaler().fit(X[train])
    powers = PolynomialFeatures(int(degree or 1), include_bias=False)
    X, X_new = powers.fit_transform(scale.transform(X[train])), powers.fit_transform(scale.transform(X[new]))
    varies = np.ptp(X, axis=0) > 0
    return Problem(X[:, varies], y[train], X_new[:, varies], y[new])
