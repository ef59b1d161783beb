"""Tables of which it is known which columns have an effect."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Family(NamedTuple):
    name: str
    kind: str  # of the target: numbers, classes, or one of counts or of numbers with other noise
    rows: int
    columns: int
    correlation: float
    structure: str  # "ar": of neighbours; "blocks": of ten columns each; "factors": five, which all columns share
    effects: int
    size: float  # of an effect, in units of 1 / sqrt(rows) times the noise; of classes twice that; of counts, about the same
    is_normal: bool  # sizes are normal, with this standard deviation; otherwise all the same, with either sign


FAMILIES = (
    Family("few", "numbers", 500, 200, 0.5, "ar", 5, 4, True),
    Family("many", "numbers", 500, 200, 0.5, "ar", 30, 5, True),
    Family("weak", "numbers", 500, 200, 0.5, "ar", 60, 2.5, True),
    Family("near", "numbers", 500, 200, 0.9, "ar", 30, 8, True),
    Family("wide", "numbers", 300, 600, 0.5, "ar", 20, 6, True),
    Family("blocks", "numbers", 200, 1000, 0.95, "blocks", 10, 7, False),
    Family("classes", "classes", 1000, 200, 0.0, "ar", 10, 4, True),
    Family("classes, many", "classes", 500, 250, 0.5, "ar", 30, 5, True),
    Family("classes, near", "classes", 500, 250, 0.95, "ar", 3, 8, False),
    Family("classes, wide", "classes", 400, 800, 0.5, "ar", 10, 6, False),
    Family("classes, factors", "classes", 300, 1500, 0.5, "factors", 5, 7, False),
    Family("classes, weak", "classes", 800, 160, 0.3, "ar", 60, 3, True),
    Family("Poisson", "Poisson", 300, 60, 0.0, "ar", 5, 5, True),
    Family("Poisson, near", "Poisson", 300, 60, 0.9, "ar", 5, 9, False),
    Family("dispersed", "dispersed", 300, 60, 0.0, "ar", 5, 5, True),
    Family("t noise", "t", 300, 60, 0.0, "ar", 5, 5, True),
    Family("outliers", "outliers", 300, 60, 0.0, "ar", 5, 5, True),
)


def covariance(family: Family, loadings: np.ndarray | None = None) -> np.ndarray:
    """Of the columns, which all have variance 1."""
    p, r = family.columns, family.correlation
    if family.structure == "ar":
        return r ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    if family.structure == "blocks":
        return np.kron(np.eye(p // 10), np.full((10, 10), r)) + (1 - r) * np.eye(p)
    assert loadings is not None
    return loadings.T @ loadings + (1 - r) * np.eye(p)


class Table(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    true: frozenset[int]
    covariance: np.ndarray


def target_of(kind: str, score: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    n = score.size
    if kind == "classes":
        return (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)
    if kind == "Poisson":
        return rng.poisson(np.exp(0.5 + score))
    if kind == "dispersed":  # k = .5
        return rng.poisson(np.exp(0.5 + score) * rng.gamma(2, 0.5, n))
    if kind == "t":
        return score + rng.standard_t(3, n)
    noise = rng.standard_normal(n)
    return score + (noise * np.where(rng.random(n) < 0.1, 10, 1) if kind == "outliers" else noise)


def draw(family: Family, seed: int) -> Table:
    rng = np.random.default_rng([seed, FAMILIES.index(family)])
    n, p, r = family.rows, family.columns, family.correlation
    loadings = None
    X = rng.standard_normal((n, p))
    if family.structure == "ar":
        for j in range(1, p):
            X[:, j] = r * X[:, j - 1] + np.sqrt(1 - r * r) * X[:, j]
    elif family.structure == "blocks":
        X = np.sqrt(r) * np.repeat(rng.standard_normal((n, p // 10)), 10, axis=1) + np.sqrt(1 - r) * X
    else:
        loadings = rng.standard_normal((5, p))
        loadings *= np.sqrt(r) / np.linalg.norm(loadings, axis=0)
        X = rng.standard_normal((n, 5)) @ loadings + np.sqrt(1 - r) * X
    true = rng.choice(p, family.effects, replace=False)
    size = rng.standard_normal(family.effects) if family.is_normal else rng.choice([-1.0, 1.0], family.effects)
    weights = np.zeros(p)
    weights[true] = size * family.size / np.sqrt(n) * (2 if family.kind == "classes" else 1)
    return Table(X, target_of(family.kind, X @ weights, rng), frozenset(true.tolist()), covariance(family, loadings))
