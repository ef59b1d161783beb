"""Regressions of counts and of numbers with outliers, beside statsmodels, glum and scikit-learn: seconds, errors, coverage.

    python bench/counts/run.py [--tables 20] [--only counts,numbers,times,inclusion]

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


BINS = (0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0001)


def families_of_inclusion():
    """name: rows, columns, number of effects, their size, correlation of neighbours, log rate and k of counts, or the noise of numbers."""
    return {
        "counts": (300, 25, 5, 0.2, 0, (0.7, 0)),
        "counts, rare": (300, 25, 5, 0.4, 0, (-1.2, 0)),
        "counts, large": (200, 25, 5, 0.06, 0, (3.4, 0)),
        "counts, near": (300, 25, 5, 0.25, 0.7, (0.7, 0)),
        "counts, none": (200, 25, 0, 0, 0, (0.7, 0)),
        "counts, one": (200, 25, 1, 0.25, 0, (0.7, 0)),
        "counts, many": (300, 25, 15, 0.12, 0, (0.7, 0)),
        "counts, few rows": (80, 10, 2, 0.3, 0, (0.7, 0)),
        "counts, wide": (150, 200, 5, 0.3, 0, (0.7, 0)),
        "dispersed": (300, 25, 5, 0.3, 0, (0.7, 0.5)),
        "dispersed, near": (300, 25, 5, 0.35, 0.7, (0.7, 0.5)),
        "dispersed, few rows": (80, 10, 2, 0.4, 0, (0.7, 0.5)),
        "dispersed, strongly": (300, 25, 5, 0.4, 0, (0.7, 2)),
        "dispersed, wide": (150, 200, 5, 0.5, 0, (0.7, 0.5)),
        "t3": (200, 25, 5, 0.3, 0, "t3"),
        "t3, near": (200, 25, 5, 0.4, 0.7, "t3"),
        "t3, few rows": (60, 8, 2, 0.5, 0, "t3"),
        "t3, wide": (150, 200, 5, 0.5, 0, "t3"),
        "outliers": (200, 25, 5, 0.3, 0, "outliers"),
        "Cauchy": (200, 25, 5, 0.5, 0, "Cauchy"),
    }


def neighbours(random, n, p, correlation):
    X = random.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return X


def inclusion(tables):
    """Mean inclusion less the share of columns with an effect, by inclusion; effects are normal with the size as standard deviation."""
    print(f"\n### Inclusion less the share that is true, {tables} tables each (columns in the bin)\n")
    print("| family | " + " | ".join(f"{a:g} to {min(b, 1):g}" for a, b in zip(BINS, BINS[1:])) + " |\n|---|" + "---:|" * (len(BINS) - 1))
    rows = []
    for name, (n, p, effects, size, correlation, law) in families_of_inclusion().items():
        said, true = [], []
        for seed in range(tables):
            random = np.random.default_rng(9000 + seed)
            X = neighbours(random, n, p, correlation)
            w = np.zeros(p)
            w[random.permutation(p)[:effects]] = random.normal(size=effects) * size
            if isinstance(law, tuple):
                mu = np.exp(law[0] + X @ w)
                y = random.poisson(mu * random.gamma(1 / law[1], law[1], n) if law[1] else mu)
                if not y.any():
                    continue
                model = BayesianCountRegression().fit(X, y)
            else:
                e = random.standard_t(3, n) if law == "t3" else random.standard_cauchy(n) if law == "Cauchy" else random.normal(size=n)
                if law == "outliers":
                    e[: n // 10] *= 10
                model = BayesianLinearRegression(noise="student").fit(X, X @ w + e)
            said.append(model.inclusion_), true.append(w != 0)
        said, true = np.ravel(said), np.ravel(true)
        cells = [(said >= a) & (said < b) for a, b in zip(BINS, BINS[1:])]
        rows.append([(said[cell] - true[cell]).mean() if cell.any() else np.nan for cell in cells])
        print(f"| {name} | " + " | ".join(f"{row:+.2f} ({cell.sum()})" if cell.any() else "" for row, cell in zip(rows[-1], cells)) + " |", flush=True)
    print("| mean over the families | " + " | ".join(f"{mean:+.3f}" for mean in np.nanmean(rows, axis=0)) + " |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default="times,counts,numbers,inclusion")
    options = parser.parse_args()
    if "times" in options.only:
        times(options.repeats)
    if "counts" in options.only:
        coverage_of_counts(options.tables)
    if "numbers" in options.only:
        outliers(options.tables)
    if "inclusion" in options.only:
        inclusion(options.tables)
