"""Rules that name columns, or sets of columns, at a false discovery rate."""

from __future__ import annotations

from typing import Callable

import numpy as np
from sklearn.linear_model import LassoCV, LogisticRegressionCV

from ardvark import BayesianCountRegression, BayesianLinearRegression, BayesianLogisticRegression
from families import Family, Table

Sets = list[list[int]]
Rule = Callable[[float], Sets]


def estimator(family: Family, **parameters):
    if family.kind in ("Poisson", "dispersed"):
        return BayesianCountRegression(**parameters)
    if family.kind in ("t", "outliers"):
        return BayesianLinearRegression(noise="student", **parameters)
    return (BayesianLinearRegression if family.kind == "numbers" else BayesianLogisticRegression)(**parameters)


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


class Distances:
    """S of the last covariance: it takes seconds, and most families have one covariance for all their tables."""

    covariance = S = None


def knockoffs(family: Family, table: Table) -> Rule:
    """The Gaussian knockoffs of knockpy for the known covariance, the difference of the lasso's coefficients, and the threshold with + 1."""
    from knockpy.knockoffs import GaussianSampler

    if Distances.covariance is None or not np.array_equal(Distances.covariance, table.covariance):
        Distances.covariance, Distances.S = table.covariance, None
    p = family.columns
    method = "equicorrelated" if family.structure == "factors" else "mvr"  # another covariance in each table; nearly the same there
    sampler = GaussianSampler(table.X, mu=np.zeros(p), Sigma=table.covariance, S=Distances.S, method=method)
    np.random.seed(0)
    both = np.hstack([table.X, sampler.sample_knockoffs()])
    Distances.S = sampler.fetch_S()
    both = (both - both.mean(0)) / both.std(0)
    if family.kind != "classes":
        w = LassoCV(cv=5, eps=0.01, alphas=40).fit(both, table.y - table.y.mean()).coef_
    else:
        how = {"penalty": "l1", "solver": "liblinear", "scoring": "neg_log_loss"}
        w = LogisticRegressionCV(Cs=np.logspace(-3, 0, 13), cv=5, **how).fit(both, table.y).coef_[0]
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
