"""Rules that name columns, or sets of columns, at a false discovery rate."""

from __future__ import annotations

from typing import Callable

import numpy as np
from sklearn.linear_model import LassoCV, LogisticRegressionCV

from ardvark import BayesianLinearRegression, BayesianLogisticRegression
from families import Family, Table

Sets = list[list[int]]
Rule = Callable[[float], Sets]


def estimator(family: Family, **parameters):
    return (BayesianLinearRegression if family.is_linear else BayesianLogisticRegression)(**parameters)


def by_inclusion(inclusion: np.ndarray) -> Rule:
    """The most columns of which the mean of 1 - inclusion is at most the rate."""
    order = np.argsort(-inclusion, kind="stable")
    mean = np.cumsum(1 - inclusion[order]) / np.arange(1, order.size + 1)

    def rule(fdr: float) -> Sets:
        ends = np.flatnonzero(mean <= fdr)
        return [[int(j)] for j in order[: ends[-1] + 1 if ends.size else 0]]

    return rule


class Kept:
    """The last fit under the prior slab, which two rules read."""

    table = model = None


def slab_fit(family: Family, table: Table):
    if Kept.table is not table:
        Kept.table, Kept.model = table, estimator(family, prior="slab", fdr=0.1).fit(table.X, table.y)
    return Kept.model


def slab(family: Family, table: Table) -> Rule:
    return by_inclusion(slab_fit(family, table).inclusion_)


def sparse(family: Family, table: Table) -> Rule:
    return by_inclusion(estimator(family, prior="sparse").fit(table.X, table.y).inclusion_)


def select(family: Family, table: Table) -> Rule:
    model = slab_fit(family, table)
    return lambda fdr: [found.columns.tolist() for found in model.select(fdr)]


def knockoffs(family: Family, table: Table) -> Rule:
    """Gaussian knockoffs of known covariance (equicorrelated), the difference of the lasso's coefficients, and the threshold with + 1."""
    S = table.covariance
    p = S.shape[0]
    s = min(1.0, 1.999 * float(np.linalg.eigvalsh(S)[0]))
    inverse = np.linalg.inv(S)
    V = 2 * s * np.eye(p) - s * s * inverse
    rng = np.random.default_rng(0)
    values, vectors = np.linalg.eigh(V)
    noise = rng.standard_normal(table.X.shape) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    both = np.hstack([table.X, table.X - s * table.X @ inverse + noise])
    both = (both - both.mean(0)) / both.std(0)
    if family.is_linear:
        w = LassoCV(cv=5).fit(both, table.y - table.y.mean()).coef_
    else:
        w = LogisticRegressionCV(Cs=8, cv=5, penalty="l1", solver="liblinear", scoring="neg_log_loss").fit(both, table.y).coef_[0]
    W = np.abs(w[:p]) - np.abs(w[p:])

    def rule(fdr: float) -> Sets:
        for threshold in np.sort(np.abs(W[W != 0])):
            named = int((W >= threshold).sum())
            if named and (1 + (W <= -threshold).sum()) / named <= fdr:
                return [[int(j)] for j in np.flatnonzero(W >= threshold)]
        return []

    return rule


def guarantee(family: Family, table: Table) -> Rule:
    """Knockoffs of estimated covariance, and the difference of inclusions."""
    model = estimator(family, prior="slab", fdr=0.1, guarantee="knockoffs").fit(table.X, table.y)
    return lambda fdr: [found.columns.tolist() for found in model.select(fdr)]


RULES = {"slab": slab, "sparse": sparse, "select": select, "knockoffs": knockoffs, "guarantee": guarantee}
