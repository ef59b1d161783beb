"""Regressions of counts and of numbers with outliers, beside statsmodels, glum and scikit-learn: seconds, errors, coverage.

    python bench/counts/run.py [--tables 20] [--only counts,numbers,times]

The peers are used where they are installed: pip install statsmodels glum. One processor; medians; every table is drawn anew.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

from ardvark import BayesianCountRegression, BayesianLinearRegression

warnings.simplefilter("ignore")
LEVEL = 1.959964


def counts(random, n, p, k, effects=None):
    """X, y, coefficients; the variance of the counts is mu + k mu^2."""
    X = random.normal(size=(n, p))
    w = random.normal(size=p) * 0.2
    if effects is not None:
        w = np.where(np.arange(p) < effects, random.choice([-1, 1], p) * 0.5, 0)
    return X, draw(random, X, w, k), w


def draw(random, X, w, k):
    mu = np.exp(0.7 + X @ w)
    return random.poisson(mu * random.gamma(1 / k, k, len(mu)) if k else mu)


def numbers(random, n, w, noise):
    """X, y, which rows are outliers."""
    X = random.normal(size=(n, len(w)))
    e, outlier = random.normal(size=n), np.zeros(n, bool)
    if noise == "outliers":
        outlier[: n // 10] = True
        e[outlier] += random.choice([-10, 10], outlier.sum())
    elif noise == "t3":
        e = random.standard_t(3, n)
    return X, 1 + X @ w + e, outlier


def ours(prior, family):
    def fit(X, y):
        return BayesianCountRegression(prior, family=family).fit(X, y)

    return fit


def statsmodels_fit(family):
    import statsmodels.api as sm

    def fit(X, y):
        with_intercept = sm.add_constant(X)
        if family == "poisson":
            return sm.GLM(y, with_intercept, family=sm.families.Poisson()).fit()
        return sm.NegativeBinomial(y, with_intercept).fit(disp=0)

    return fit


def glum_fit(family, selects):
    import glum

    def fit(X, y):
        law = "poisson" if family == "poisson" else glum.NegativeBinomialDistribution(theta=0.5)
        if selects:
            return glum.GeneralizedLinearRegressorCV(family=law, l1_ratio=1.0, fit_intercept=True).fit(X, y.astype(float))
        return glum.GeneralizedLinearRegressor(family=law, alpha=0, fit_intercept=True).fit(X, y.astype(float))

    return fit


def with_peers(makers):
    """Those whose package is installed."""
    out = {}
    for name, make in makers.items():
        try:
            out[name] = make()
        except ImportError as error:
            print(f"left out: {name}: {error}")
    return out


def estimate(fit, p):
    """Coefficients, and a function that gives the linear predictor of new rows, without intercept, with its standard deviation."""
    if hasattr(fit, "sigma_"):
        V = fit.sigma_[:p, :p]
        return fit.coef_, lambda X: (X @ fit.coef_, np.sqrt(np.einsum("ij,jk,ik->i", X, V, X)))
    if hasattr(fit, "cov_params"):
        V, w = np.asarray(fit.cov_params())[1 : p + 1, 1 : p + 1], np.asarray(fit.params)[1 : p + 1]
        return w, lambda X: (X @ w, np.sqrt(np.einsum("ij,jk,ik->i", X, V, X)))
    return fit.coef_, None


def seconds(fit, X, y, repeats):
    taken = []
    for _ in range(repeats):
        begin = time.process_time()
        result = fit(X, y)
        taken.append(time.process_time() - begin)
    return np.median(taken), result


def times(repeats):
    print(f"\n### Processor milliseconds, medians of {repeats}\n\n| rows x columns, counts | " + " | ".join(["fit", "ms", "error of the coefficients"]) + " |\n|---|---|---:|---:|")
    random = np.random.default_rng(1)
    for n, p in ((500, 25), (10_000, 50)):
        for family, k in (("poisson", 0), ("negative-binomial", 0.5)):
            X, y, w = counts(random, n, p, k)
            fits = {f"ardvark, shared, {family}": ours("shared", family), "ardvark, shared, auto": ours("shared", "auto"), "ardvark, default": ours("auto", "auto")}
            fits |= with_peers({"statsmodels": lambda: statsmodels_fit(family), "glum (k given)": lambda: glum_fit(family, False), "glum, L1 by cross-validation": lambda: glum_fit(family, True)})
            for name, fit in fits.items():
                taken, result = seconds(fit, X, y, repeats)
                print(f"| {n:,} x {p}, {family} | {name} | {1000 * taken:.1f} | {np.sqrt(((estimate(result, p)[0] - w) ** 2).mean()):.4f} |", flush=True)


def coverage_of_counts(tables):
    print(f"\n### Counts: 95% intervals, {tables} tables\n\n| table | fit | x'w | new y | error |\n|---|---|---:|---:|---:|")
    for n, p, effects, prior in ((500, 25, None, "shared"), (500, 25, None, "auto"), (10_000, 50, None, "shared"), (200, 400, 5, "auto")):
        for family, k in (("poisson", 0), ("negative-binomial", 0.5)):
            found = {}
            for seed in range(tables if n * p < 100_000 else max(tables // 4, 3)):
                random = np.random.default_rng(7000 + seed)
                X, y, w = counts(random, n, p, k, effects)
                X_new = random.normal(size=(200, p))
                y_new = draw(random, X_new, w, k)
                fits = {"ardvark": ours(prior, family)}
                if p < n:
                    fits |= {name: fit for name, fit in with_peers({"statsmodels": lambda: statsmodels_fit(family)}).items()}
                for name, fit in fits.items():
                    result = fit(X, y)
                    coef, predict = estimate(result, p)
                    mean, sd = predict(X_new)
                    row = [(np.abs(mean - X_new @ w) < LEVEL * sd).mean(), np.nan, np.sqrt(((coef - w) ** 2).mean())]
                    if name == "ardvark":
                        ends = result.predict_interval(X_new)
                        row[1] = ((ends[:, 0] <= y_new) & (y_new <= ends[:, 1])).mean()
                    found.setdefault(name, []).append(row)
            for name, rows in found.items():
                mean = np.mean(rows, axis=0)
                print(f"| {n:,} x {p}, {family}, prior {prior} | {name} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.4f} |", flush=True)


def outliers(tables):
    from sklearn.linear_model import HuberRegressor
    from sklearn.metrics import roc_auc_score

    def rlm(norm):
        import statsmodels.api as sm

        return lambda X, y: sm.RLM(y, sm.add_constant(X), M=getattr(sm.robust.norms, norm)()).fit()

    print(f"\n### Numbers with outliers, {tables} tables\n\n| table | fit | mean squared error of the coefficients | x'w | new y | AUC |\n|---|---|---:|---:|---:|---:|")
    for n, p in ((100, 10), (500, 25)):
        for noise in ("outliers", "t3", "normal"):
            found = {}
            for seed in range(tables):
                random = np.random.default_rng(8000 + seed)
                w = random.normal(size=p) * 0.5
                X, y, outlier = numbers(random, n, w, noise)
                X_new, y_new, _ = numbers(random, 200, w, noise)
                fits = {f"ardvark, {prior}, {law}": (lambda X, y, prior=prior, law=law: BayesianLinearRegression(prior, noise=law).fit(X, y))
                        for prior in ("shared", "auto") for law in ("student", "normal")}
                fits |= {"Huber": lambda X, y: HuberRegressor(max_iter=1000).fit(X, y)}
                fits |= with_peers({f"statsmodels RLM, {norm}": lambda norm=norm: rlm(norm) for norm in ("HuberT", "TukeyBiweight")})
                for name, fit in fits.items():
                    result = fit(X, y)
                    coef, predict = estimate(result, p)
                    row = [((coef - w) ** 2).mean(), np.nan, np.nan, np.nan]
                    if predict is not None:
                        mean, sd = predict(X_new)
                        row[1] = (np.abs(mean - X_new @ w) < LEVEL * sd).mean()
                    if name.startswith("ardvark"):
                        ends = result.predict_interval(X_new)
                        row[2] = ((ends[:, 0] <= y_new) & (y_new <= ends[:, 1])).mean()
                        if outlier.any() and result.row_weight_ is not None:
                            row[3] = roc_auc_score(outlier, -result.row_weight_)
                    found.setdefault(name, []).append(row)
            for name, rows in found.items():
                mean = np.mean(rows, axis=0)
                print(f"| {n} x {p}, {noise} | {name} | {mean[0]:.5f} | {mean[1]:.3f} | {mean[2]:.3f} | {mean[3]:.3f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default="times,counts,numbers")
    options = parser.parse_args()
    if "times" in options.only:
        times(options.repeats)
    if "counts" in options.only:
        coverage_of_counts(options.tables)
    if "numbers" in options.only:
        outliers(options.tables)
