"""Random tables of two classes that are hard for passes: rare levels and classes, long tails, classes that are nearly or fully separated.

    python hard_passes.py [--count 220] [--seed 0]

Each is fitted in memory and by passes, without a prior, with columns without a prior, and under ard and shared. By passes, no fit may be called separated
that has converged in memory, and where both have converged, the means should agree. Prints every table that ends otherwise, and how many there are.
"""

import argparse
import collections
import warnings

import numpy as np
import pandas as pd
from ardvark import BayesianLogisticRegression, _pieces

KINDS = ["plain", "rare level", "rare level of one class", "rare level, mostly one class", "tails", "strong", "near", "near, flips", "rare class", "separated", "cubed"]
PRIORS = ["none", "ard", "shared", "flat ard", "flat shared"]
MOST_OFF = 0.05  # sd


def table_of(kind, rng):
    n, p = int(rng.integers(10_500, 16_000)), int(rng.integers(1, 6))  # more rows than the sample takes
    Z = rng.normal(size=(n, p))
    X, w, noise = Z * 10 ** rng.uniform(-2, 2, p), rng.normal(size=p), rng.logistic(size=n)
    score = Z @ w + 0.3 * rng.normal()
    if kind == "tails":
        X[:, 0] = rng.standard_t(rng.uniform(0.8, 3), size=n)
        score += X[:, 0] * rng.normal() - Z[:, 0] * w[0]
    elif kind == "cubed":
        X[:, 0] = Z[:, 0] ** 5
        score *= rng.uniform(0.5, 20)
    elif kind == "strong":
        score *= 10 ** rng.uniform(0.7, 2)
    elif kind.startswith("near"):
        noise *= 10 ** rng.uniform(-4, -1)
    elif kind == "separated":
        noise *= 0
    elif kind == "rare class":
        score *= rng.uniform(0, 3)
        score -= np.quantile(score + noise, 1 - 10 ** rng.uniform(-3.5, -2))
    y = (score + noise > 0).astype(int)
    if kind == "near, flips":
        flips = rng.choice(n, int(rng.integers(1, 8)), replace=False)
        y[flips] = 1 - y[flips]
    columns = {f"x{j}": X[:, j] for j in range(p)}
    if kind.startswith("rare level"):
        rows = rng.choice(n, int(rng.integers(1, 40)), replace=False)
        columns["level"] = np.isin(np.arange(n), rows).astype(float)
        if kind != "rare level":
            y[rows] = 1 if kind.endswith("of one class") else rng.random(len(rows)) < 0.95
    y[0] = 1 - y[1:].min()  # both classes are there
    return pd.DataFrame({**columns, "y": y})


def compared(seed):
    kind, prior = KINDS[seed % len(KINDS)], PRIORS[seed // len(KINDS) % len(PRIORS)]
    rows = table_of(kind, np.random.default_rng(seed))
    X = rows.drop(columns="y")
    options = {"prior": prior.split()[-1], **({"flat": [X.columns[-1]]} if prior.startswith("flat") else {})}
    memory = BayesianLogisticRegression(**options).fit(X, rows.y)
    passes = BayesianLogisticRegression(**options).fit(lambda: [rows.iloc[first : first + 4000] for first in range(0, len(rows), 4000)], y="y")
    off = np.abs((passes.coef_ - memory.coef_) / memory.coef_std_).max() if memory.status_ == passes.status_ == "converged" else 0.0
    return kind, prior, memory.status_, passes.status_, off


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=220)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    warnings.simplefilter("ignore")
    _pieces.SMALL_BYTES = 0  # small tables are read in passes, too
    judged, unlike, off = 0, collections.Counter(), 0
    for seed in range(given.seed, given.seed + given.count):
        kind, prior, memory, passes, distance = compared(seed)
        judged += passes == "separated" != memory
        unlike[memory, passes] += memory != passes
        off += distance > MOST_OFF
        if memory != passes or distance > MOST_OFF:
            print(f"seed {seed}, {kind}, prior {prior}: in memory {memory}, by passes {passes}, means off by {distance:.2g} sd", flush=True)
    print(f"figure: {given.count} hard tables by passes: wrongly called separated: {judged}; another status than in memory: {sum(unlike.values())}; off by more than {MOST_OFF} sd: {off}")
    raise SystemExit(judged > 0)


if __name__ == "__main__":
    main()
