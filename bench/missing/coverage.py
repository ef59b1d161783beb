"""Coverage of intervals if 20% of the values are missing: imputed, complete rows only, and the complete data.

    python bench/missing/coverage.py [--replications 200] [--priors auto,dense,shared,ard] [--imputations 20] [--seed 1]
                                     [--store FILE] [--seconds S] [--check]

Prints a table: for each kind of gaps and number of columns, the share of the coefficients in their 95% interval, the
length of the intervals, the bias of the coefficients that are not zero, and the share of new rows with gaps whose
target is in its 95% interval (regressions), or how much the mean probability of a class exceeds its share there.

A long run can be made in pieces: with --store, each replication becomes a line of FILE, what is in FILE is not
computed again, and --seconds ends a piece after this time. The random numbers of a replication depend only on the
seed and its number.

With --check (scripts/check missing), the program fails if the intervals of imputed tables cover less often than those of
the complete data: by more than z standard errors of the difference of two binomial shares of all intervals, as if they
were independent. The tables are the same, so the true standard error is smaller. It also fails if fewer than 95% of the
new rows of a regression are covered, by more than z standard errors over the tables. z is such that a correct program
fails in one of a thousand runs.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from statistics import NormalDist
from statistics import NormalDist

import numpy as np

from ardvark import BayesianLinearRegression, BayesianLogisticRegression

N, RHO, SHARE = 200, 0.5, 0.2


def table(rng, n, p):
    """Columns with correlation RHO between neighbours."""
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = RHO * X[:, j - 1] + np.sqrt(1 - RHO**2) * X[:, j]
    return X


def with_gaps(rng, X, y, kind):
    """MCAR: each value with the same probability. MAR: not in the first column, and more often where that and y are large."""
    if kind == "MCAR":
        return np.where(rng.random(X.shape) < SHARE, np.nan, X)
    score = X[:, :1] + (y[:, None] - y.mean()) / y.std()
    gaps = rng.random(X.shape) < 1 / (1 + np.exp(1.7 - score))
    gaps[:, 0] = False
    return np.where(gaps, np.nan, X)


def one(rng, task, p, kind, estimators):
    w = np.zeros(p)
    w[:: max(p // 5, 1)] = [1, -0.5, 0.5, 0.25, -1][: len(w[:: max(p // 5, 1)])]
    X, new = table(rng, N, p), table(rng, N, p)
    if task == "linear":
        y, y_new = 1 + X @ w + rng.normal(size=N), 1 + new @ w + rng.normal(size=N)
    else:
        y, y_new = (X @ w + rng.logistic(size=N) > 0).astype(float), (new @ w + rng.logistic(size=N) > 0).astype(float)
    gaps = with_gaps(rng, X, y, kind)
    new = np.where(rng.random(new.shape) < SHARE, np.nan, new)
    found = {}
    for name, estimator, data in estimators:
        try:
            fit = estimator.fit(X if data == "complete" else gaps, y)
        except ValueError:
            continue
        if not np.isfinite(fit.coef_std_).all():
            continue
        interval = fit.coef_interval(0.95).reshape(p, 2)
        error = fit.coef_.ravel() - w
        found[name] = {
            "coverage": np.mean((interval[:, 0] <= w) & (w <= interval[:, 1])),
            "length": np.mean(interval[:, 1] - interval[:, 0]),
            "bias": np.mean((error * np.sign(w))[w != 0]),
            "rmse": np.sqrt(np.mean(error**2)),
        }
        if data == "impute":
            if task == "linear":
                low, high = fit.predict_interval(new).T
                found[name]["new rows"] = np.mean((low <= y_new) & (y_new <= high))
            else:  # calibration: the mean probability minus the share of the class
                found[name]["new rows"] = fit.predict_proba(new)[:, 1].mean() - y_new.mean()
    return found


def run(cases, args):
    """The lines of the store, with those that were missing and fit into the time."""
    store = Path(args.store) if args.store else None
    lines = [json.loads(line) for line in store.read_text().splitlines()] if store and store.exists() else []
    done = {(tuple(line["case"]), line["replication"]) for line in lines}
    begin = time.monotonic()
    for k in range(args.replications):
        for case in cases:
            if (case, k) in done or time.monotonic() - begin > args.seconds:
                continue
            task, kind, p, prior = case
            cls = BayesianLinearRegression if task == "linear" else BayesianLogisticRegression
            estimators = [
                ("complete", cls(prior), "complete"),
                ("dropped", cls(prior, missing="drop"), "drop"),
                ("imputed", cls(prior, missing="impute", imputations=args.imputations), "impute"),
            ]
            found = one(np.random.default_rng([args.seed, k]), task, p, kind, estimators)
            lines.append({"case": case, "replication": k, "found": found})
            if store:
                with store.open("a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    return lines


def show(case, rows):
    """Prints the lines of one case of the table."""
    task, kind, p, prior = case
    for name in ("complete", "dropped", "imputed"):
        values = {key: np.array([r[name][key] for r in rows if name in r and key in r[name]]) for key in
                  ("coverage", "length", "bias", "rmse", "new rows")}
        count = values["coverage"].size
        mean = {key: v.mean() if v.size else np.nan for key, v in values.items()}
        se = {key: v.std() / np.sqrt(max(v.size, 1)) if v.size else np.nan for key, v in values.items()}
        new = f"{mean['new rows']:.3f} ({se['new rows']:.3f})" if values["new rows"].size else "-"
        print(f"{task:9s} {kind:5s} {p:7d}  {prior:7s} {name:10s} {count:12d}  {mean['coverage']:.3f} ({se['coverage']:.3f})"
              f"  {mean['length']:7.3f}  {mean['bias']:+.3f}  {mean['rmse']:.3f}   {new}", flush=True)


FAILS_BY_CHANCE, LEVEL = 1e-3, 0.95


def too_low(case, rows, num_comparisons):
    """The shares that are too low, each as a sentence."""
    z = NormalDist().inv_cdf(1 - FAILS_BY_CHANCE / num_comparisons)
    share = {name: np.mean([r[name]["coverage"] for r in rows if name in r]) for name in ("complete", "imputed")}
    count = sum("imputed" in r for r in rows) * case[2]
    bound = share["complete"] - z * np.sqrt(2 * LEVEL * (1 - LEVEL) / count)
    if not share["imputed"] >= bound:
        yield f"{share['imputed']:.3f} of the coefficients are covered after imputation; at least {bound:.3f} should be"
    if case[0] == "linear":
        new = np.array([r["imputed"]["new rows"] for r in rows if "imputed" in r])
        bound = LEVEL - z * new.std(ddof=1) / np.sqrt(new.size)
        if not new.mean() >= bound:
            yield f"{new.mean():.3f} of the new rows are covered; at least {bound:.3f} should be"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--priors", default="auto,dense,shared,ard")
    parser.add_argument("--imputations", type=int, default=20)
    parser.add_argument("--tasks", default="linear,logistic")
    parser.add_argument("--kinds", default="MCAR,MAR")
    parser.add_argument("--columns", default="5,20")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store")
    parser.add_argument("--seconds", type=float, default=np.inf)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    cases = [(task, kind, int(p), prior) for task in args.tasks.split(",") for p in args.columns.split(",")
             for prior in args.priors.split(",") for kind in args.kinds.split(",")]
    lines = run(cases, args)
    print("task      gaps  columns  prior   data       replications  coverage (se)   length   bias     rmse    new rows (se)")
    for case in cases:
        rows = [line["found"] for line in lines if tuple(line["case"]) == case]
        if rows:
            show(case, rows)
    if args.check:
        comparisons = sum(2 if case[0] == "linear" else 1 for case in cases)
        faults = [f"{', '.join(map(str, case))}: {fault}" for case in cases
                  for fault in too_low(case, [line["found"] for line in lines if tuple(line["case"]) == case], comparisons)]
        print("\n".join(faults) or f"figure: {args.tasks}: {len(cases)} settings, {args.replications} tables each: imputed tables cover as complete ones do")
        sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
