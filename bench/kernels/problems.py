"""Problems for kernel machines. Each yields splits: training rows, test rows, and what is known of the truth."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

DATA = Path(__file__).parents[2] / "examples/data"
TESTS = 1000  # rows of a simulated problem


@dataclass
class Split:
    X: np.ndarray  # [n, d]
    y: np.ndarray  # [n]
    X_test: np.ndarray  # [m, d]
    y_test: np.ndarray  # [m]
    f_test: Optional[np.ndarray] = None  # [m] the true function
    X_outside: Optional[np.ndarray] = None  # rows away from the data
    f_outside: Optional[np.ndarray] = None


@dataclass
class Problem:
    task: str  # regression or classification
    splits: int
    split: Callable[[int], Split]


def simulated(draw, f, sd, outside=None):
    """draw(rng, rows) -> X. outside(rng) -> rows away from the data."""

    def split(rows, seed):
        rng = np.random.default_rng(seed)
        X, X_test = draw(rng, rows), draw(rng, TESTS)
        away = None if outside is None else outside(rng)
        return Split(
            X, f(X) + sd * rng.normal(size=rows), X_test, f(X_test) + sd * rng.normal(size=TESTS), f(X_test), away, None if away is None else f(away)
        )

    return split


def uniform(low, high):
    low, high = np.asarray(low, float), np.asarray(high, float)
    return lambda rng, rows: rng.uniform(low, high, size=(rows, low.size))


def normal(d):
    return lambda rng, rows: rng.normal(size=(rows, d))


def friedman_1(X):
    return 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


def reactance(X):
    return X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])


def far(d):
    """Ten times as far from the middle as the rows of a standard normal distribution."""
    return lambda rng: 10 * rng.normal(size=(200, d))


SINC = simulated(
    uniform([-10], [10]), lambda X: np.sinc(X[:, 0] / np.pi), 0.1, lambda rng: rng.choice([-1, 1], size=(200, 1)) * rng.uniform(10, 20, size=(200, 1))
)
FRIEDMAN_1 = simulated(uniform(np.zeros(10), np.ones(10)), friedman_1, 1.0)
RANGES = uniform([0, 40 * np.pi, 0, 1], [100, 560 * np.pi, 1, 11])
FRIEDMAN_2 = simulated(RANGES, lambda X: np.sqrt(X[:, 0] ** 2 + reactance(X) ** 2), 125.0)
FRIEDMAN_3 = simulated(RANGES, lambda X: np.arctan(reactance(X) / X[:, 0]), 0.1)
STEPS = simulated(uniform([-3], [3]), lambda X: np.floor(X[:, 0]) % 3, 0.2)
ONE_OF_FIVE = simulated(normal(5), lambda X: np.sin(2 * X[:, 0]), 0.2, far(5))
NOISE = simulated(normal(5), lambda X: np.zeros(len(X)), 1.0, far(5))


def linear(rows, seed):
    w = 0.5 * np.random.default_rng([seed, 1]).normal(size=10)
    return simulated(normal(10), lambda X: X @ w, 0.7)(rows, seed)


def four_gaussians(rows, seed):
    """Two classes of two normal distributions each; the best possible error is about .09."""
    rng = np.random.default_rng(seed)
    centres = np.array([[-0.7, 0.3], [0.3, 0.3], [-0.3, 0.7], [0.4, 0.7]])
    part = rng.integers(0, 4, rows + TESTS)
    X = centres[part] + np.sqrt(0.03) * rng.normal(size=(rows + TESTS, 2))
    y = (part > 1).astype(int)
    return Split(X[:rows], y[:rows], X[rows:], y[rows:])


def class_noise(rows, seed):
    rng = np.random.default_rng(seed)
    return Split(rng.normal(size=(rows, 5)), rng.integers(0, 2, rows), rng.normal(size=(TESTS, 5)), rng.integers(0, 2, TESTS))


def logistic(rows, seed):
    rng = np.random.default_rng(seed)
    w, X = 0.7 * rng.normal(size=10), rng.normal(size=(rows + TESTS, 10))
    y = (rng.uniform(size=rows + TESTS) < 1 / (1 + np.exp(-X @ w))).astype(int)
    return Split(X[:rows], y[:rows], X[rows:], y[rows:])


def table(name, target):
    head, *rows = csv.reader(open(DATA / name))
    at = [column.strip() for column in head].index(target)
    return np.array([[float(v) for j, v in enumerate(row) if j != at] for row in rows]), np.array([row[at] for row in rows])


def folds(load):
    def split(seed):
        X, y = load()
        order = np.random.default_rng(0).permutation(len(y))
        test = order[seed::10]
        train = np.setdiff1d(order, test)
        return Split(X[train], y[train], X[test], y[test])

    return split


def halves(load):
    def split(seed):
        X, y = load()
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[: len(y) // 2], order[len(y) // 2 :]
        return Split(X[train], y[train], X[test], y[test])

    return split


def bundled(load):
    return lambda: load(return_X_y=True)


def boston():
    X, y = table("Boston.csv", "medv")
    return X, y.astype(float)


def given(train, test, target):
    return lambda seed: Split(*table(train, target), *table(test, target))


def of_rows(split, rows):
    return lambda seed: split(rows, seed)


PROBLEMS = {
    "sinc, 50 rows": Problem("regression", 20, of_rows(SINC, 50)),
    "sinc, 100 rows": Problem("regression", 20, of_rows(SINC, 100)),
    "steps, 150 rows": Problem("regression", 20, of_rows(STEPS, 150)),
    "Friedman 1, 240 rows": Problem("regression", 20, of_rows(FRIEDMAN_1, 240)),
    "Friedman 2, 240 rows": Problem("regression", 20, of_rows(FRIEDMAN_2, 240)),
    "Friedman 3, 240 rows": Problem("regression", 20, of_rows(FRIEDMAN_3, 240)),
    "Friedman 1, 60 rows": Problem("regression", 20, of_rows(FRIEDMAN_1, 60)),
    "one input of five, 100 rows": Problem("regression", 20, of_rows(ONE_OF_FIVE, 100)),
    "noise, 20 x 5": Problem("regression", 20, of_rows(NOISE, 20)),
    "linear, 60 x 10": Problem("regression", 20, of_rows(linear, 60)),
    "Boston": Problem("regression", 10, folds(boston)),
    "diabetes": Problem("regression", 10, folds(bundled(load_diabetes))),
    "four Gaussians, 60 rows": Problem("classification", 20, of_rows(four_gaussians, 60)),
    "four Gaussians, 150 rows": Problem("classification", 20, of_rows(four_gaussians, 150)),
    "noise in two classes, 60 x 5": Problem("classification", 20, of_rows(class_noise, 60)),
    "logistic, 100 x 10": Problem("classification", 20, of_rows(logistic, 100)),
    "Ripley's data": Problem("classification", 1, given("synth.tr.csv", "synth.te.csv", "yc")),
    "Pima": Problem("classification", 1, given("Pima.tr.csv", "Pima.te.csv", "type")),
    "iris, halves": Problem("classification", 10, halves(bundled(load_iris))),
    "wine, halves": Problem("classification", 10, halves(bundled(load_wine))),
    "breast cancer, halves": Problem("classification", 10, halves(bundled(load_breast_cancer))),
    "digits, halves": Problem("classification", 2, halves(bundled(load_digits))),
}
