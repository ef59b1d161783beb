"""Coverage of intervals if 20% of the values are missing: imputed, complete rows only, and the complete data.

    python bench/missing/coverage.py [--replications 200] [--priors auto,dense,shared,ard] [--imputations 20] [--seed 1]

Prints a table: for each kind of gaps and number of columns, the share of the coefficients in their 95% interval, the
length of the intervals, the bias of the coefficients that are not zero, and the share of new rows with gaps whose
target is in its 95% interval.
"""

import argparse
import warnings

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--priors", default="auto,dense,shared,ard")
    parser.add_argument("--imputations", type=int, default=20)
    parser.add_argument("--tasks", default="linear,logistic")
    parser.add_argument("--columns", default="5,20")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("task      gaps  columns  prior   data       replications  coverage (se)   length   bias     rmse    new rows (se)")
    for task in args.tasks.split(","):
        cls = BayesianLinearRegression if task == "linear" else BayesianLogisticRegression
        for kind in ("MCAR", "MAR"):
            for p in map(int, args.columns.split(",")):
                for prior in args.priors.split(","):
                    rng = np.random.default_rng(args.seed)
                    estimators = [
                        ("complete", cls(prior), "complete"),
                        ("dropped", cls(prior, missing="drop"), "drop"),
                        ("imputed", cls(prior, missing="impute", imputations=args.imputations), "impute"),
                    ]
                    rows = [one(rng, task, p, kind, estimators) for _ in range(args.replications)]
                    for name, _, _ in estimators:
                        values = {key: np.array([r[name][key] for r in rows if name in r and key in r[name]]) for key in
                                  ("coverage", "length", "bias", "rmse", "new rows")}
                        count = values["coverage"].size
                        mean = {key: v.mean() if v.size else np.nan for key, v in values.items()}
                        se = {key: v.std() / np.sqrt(max(v.size, 1)) if v.size else np.nan for key, v in values.items()}
                        new = f"{mean['new rows']:.3f} ({se['new rows']:.3f})" if values["new rows"].size else "-"
                        print(f"{task:9s} {kind:5s} {p:7d}  {prior:7s} {name:10s} {count:12d}  {mean['coverage']:.3f} ({se['coverage']:.3f})"
                              f"  {mean['length']:7.3f}  {mean['bias']:+.3f}  {mean['rmse']:.3f}   {new}", flush=True)


if __name__ == "__main__":
    main()
