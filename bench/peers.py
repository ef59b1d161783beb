"""Compares the Python package with its peers in one run, with the same data and threads: log density of new rows, and seconds.

    .venv/bin/python bench/peers.py [--limit SECONDS] [--only linear|logistic|relevance] [--repeats N] [--sizes 500x1000,200x4000] [--threads N]

Times are medians of repeated fits. The methods take turns; a fit of less than half a second runs a few times in a row. A fit that takes more than a tenth
of the limit runs once, and one that reaches the limit is stopped. With `pip install sklearn-rvm`, its relevance vector machines are compared, too. Those of
sklearn-bayes (skbayes 0.1.0a1) do not install with Python 3.11 or later, and do not run with scikit-learn 0.24 or later.
"""

import argparse
import signal
import time
import warnings

import numpy as np
import sklearn
from sklearn.linear_model import ARDRegression, BayesianRidge, LogisticRegression, LogisticRegressionCV
from threadpoolctl import threadpool_info, threadpool_limits

import ardvark
from ardvark import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
)

HELD_OUT = 2000  # rows
SIZES = [(500, 1000), (5000, 500), (20000, 1000), (200, 4000)]  # rows, columns


class OutOfTime(Exception):
    pass


def _out_of_time(number, frame):
    raise OutOfTime


def seconds_of(fit, limit):
    """Seconds of one fit, and its result. Infinite and None if it reaches the limit."""
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, limit)
    start = time.perf_counter()
    try:
        made = fit()
        return time.perf_counter() - start, made
    except OutOfTime:
        return np.inf, None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def race(fits, limit, repeats):
    """Median seconds and the last fit of each method. They take turns; a short fit runs some times in a row, because the first one finds cold caches."""
    seconds, made = {name: [] for name in fits}, {}
    for _ in range(repeats):
        for name, fit in fits.items():
            if not seconds[name] or max(seconds[name]) < 0.1 * limit:
                time.sleep(0.5)  # threads of the fit before, which spin for a while, come to rest
                taken, made[name] = seconds_of(fit, limit)
                in_a_row = 1 + min(4, int(0.5 / taken))
                seconds[name] += [taken] + [seconds_of(fit, limit)[0] for _ in range(in_a_row - 1)]
    return {name: np.median(s) for name, s in seconds.items()}, made


def gaussian_log_density(model, X, y):
    mean, sd = model.predict(X, return_std=True)
    return -0.5 * np.log(2 * np.pi) - np.log(sd) - 0.5 * ((y - mean) / sd) ** 2


def log_probability(model, X, y):
    return model.predict_log_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]


def fitted(model, X, y):
    """For methods whose fit does not return them."""
    model.fit(X, y)
    return model


def own(model, X, y):
    return model.log_density(X, y)


def table(title, fits, chosen, X, y, pairs):
    """fits: name -> (how to fit, its log density). pairs: name of ours -> name of the peer."""
    limit = chosen.limit
    seconds, made = race({name: fit for name, (fit, _) in fits.items()}, limit, chosen.repeats)
    score = {name: np.mean(fits[name][1](m, X, y)) for name, m in made.items() if m is not None}
    print(f"\n{title}")
    print(f"  {'':44s}{'seconds':>10s}{'peer / ours':>13s}{'log density a row':>19s}{'above the peer':>16s}")
    for name in fits:
        taken = f"{seconds[name]:.4g}" if np.isfinite(seconds[name]) else f"> {limit:g}"
        line = f"  {name:44s}{taken:>10s}"
        peer = pairs.get(name)
        if peer is not None and np.isfinite(seconds[name]):
            ratio = (seconds[peer] if np.isfinite(seconds[peer]) else limit) / seconds[name]
            line += f"{'' if np.isfinite(seconds[peer]) else '> '}{ratio:.3g}".rjust(13)
        else:
            line += " " * 13
        line += f"{score[name]:19.4f}" if name in score else " " * 19
        if peer in score:
            line += f"{score[name] - score[peer]:+16.4f}"
        print(line.rstrip(), flush=True)


def sparse_regression(n, p, seed):
    """Every tenth column informative, at most a tenth of the rows in number; noise of a third of the standard deviation of y."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + HELD_OUT, p))
    w = np.zeros(p)
    informative = rng.choice(p, min(p, n) // 10, replace=False)
    w[informative] = rng.normal(size=informative.size)
    signal_ = X @ w
    y = 1 + signal_ + signal_.std() / np.sqrt(8) * rng.normal(size=n + HELD_OUT)
    return X[:n], y[:n], X[n:], y[n:]


def linear(chosen):
    print("\n== linear regression: a tenth of the columns informative (at 200 x 4000: 20)")
    vague = BayesianLinearRegression("ard", alpha_1=1e-6, alpha_2=1e-6, lambda_1=1e-6, lambda_2=1e-6)
    for n, p in chosen.sizes:
        X, y, X_new, y_new = sparse_regression(n, p, 0)
        fits = {
            'BayesianLinearRegression(prior="ard")': (lambda: BayesianLinearRegression("ard").fit(X, y), own),
            "  the same, hyper-priors of the peer": (lambda: vague.fit(X, y), own),
            "ARDRegression": (lambda: ARDRegression().fit(X, y), gaussian_log_density),
            'BayesianLinearRegression(prior="sparse")': (lambda: BayesianLinearRegression("sparse").fit(X, y), own),
            'BayesianLinearRegression(prior="shared")': (lambda: BayesianLinearRegression("shared").fit(X, y), own),
            "BayesianRidge": (lambda: BayesianRidge().fit(X, y), gaussian_log_density),
        }
        names = list(fits)
        table(f"{n} x {p}", fits, chosen, X_new, y_new, {names[0]: names[2], names[1]: names[2], names[3]: names[2], names[4]: names[5]})


def logistic(chosen):
    print("\n== logistic regression: a tenth of the columns informative; LogisticRegressionCV chooses its C among ten by five folds")
    for n, p in [(2000, 100), (500, 1000)]:
        X, y, X_new, y_new = sparse_regression(n, p, 1)
        middle = np.median(y)
        y, y_new = y > middle, y_new > middle
        scale = np.sqrt(min(n, p) // 10)
        tuned = LogisticRegressionCV(Cs=10, cv=5, max_iter=1000, scoring="neg_log_loss", **_recent())
        fits = {
            'BayesianLogisticRegression(prior="shared")': (lambda: BayesianLogisticRegression("shared").fit(X, y), own),
            'BayesianLogisticRegression(prior="ard")': (lambda: BayesianLogisticRegression("ard").fit(X, y), own),
            "LogisticRegressionCV": (lambda: tuned.fit(X / scale, y), lambda m, A, b: log_probability(m, A / scale, b)),
            "LogisticRegression (C=1)": (lambda: LogisticRegression(max_iter=1000).fit(X, y), log_probability),
        }
        names = list(fits)
        table(f"{n} x {p}", fits, chosen, X_new, y_new, {names[0]: names[2], names[1]: names[2]})


def _recent():
    """An argument that scikit-learn 1.8 and later ask for."""
    parameters = LogisticRegressionCV().get_params()
    return {"use_legacy_attributes": False} if "use_legacy_attributes" in parameters else {}


def relevance(chosen):
    print("\n== relevance vector machines: a sinc, and two moons; Gaussian kernel of the same width, 300 rows")
    try:
        from sklearn_rvm import EMRVC, EMRVR
    except ImportError:
        print("(pip install sklearn-rvm compares with it)")
        EMRVC = EMRVR = None
    from sklearn.datasets import make_moons

    rng = np.random.default_rng(2)
    X = rng.uniform(-10, 10, size=(300 + HELD_OUT, 1))
    y = np.sinc(X[:, 0] / np.pi) + 0.1 * rng.normal(size=len(X))
    ours = RelevanceVectorRegressor(width=2.0, standardize=False)
    fits = {"RelevanceVectorRegressor": (lambda: ours.fit(X[:300], y[:300]), own)}
    if EMRVR is not None:
        fits["EMRVR"] = (lambda: fitted(EMRVR(kernel="rbf", gamma=0.25), X[:300], y[:300]), gaussian_log_density)
    table("regression", fits, chosen, X[300:], y[300:], {"RelevanceVectorRegressor": "EMRVR"} if EMRVR else {})

    X, y = make_moons(300 + HELD_OUT, noise=0.3, random_state=3)
    machine = RelevanceVectorClassifier(width=1.0, standardize=False)
    fits = {"RelevanceVectorClassifier": (lambda: machine.fit(X[:300], y[:300]), own)}
    if EMRVC is not None:
        fits["EMRVC"] = (
            lambda: fitted(EMRVC(kernel="rbf", gamma=1.0), X[:300], y[:300]),
            lambda m, A, b: np.log(np.maximum(m.predict_proba(A)[np.arange(len(b)), b], 1e-300)),
        )
    table("two classes", fits, chosen, X[300:], y[300:], {"RelevanceVectorClassifier": "EMRVC"} if EMRVC else {})


def sizes(text):
    return [tuple(map(int, size.split("x"))) for size in text.split(",")]


def main():
    sections = {"linear": linear, "logistic": logistic, "relevance": relevance}
    parser = argparse.ArgumentParser(description="The Python package against its peers.")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which a fit is stopped")
    parser.add_argument("--only", choices=sections)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--sizes", type=sizes, default=SIZES, help="of the linear regressions")
    parser.add_argument("--threads", type=int, help="of every BLAS; default: what each takes by itself")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"ardvark {ardvark.__version__}, scikit-learn {sklearn.__version__}, numpy {np.__version__}")
    BayesianLinearRegression().fit(np.eye(4), np.arange(4))
    with threadpool_limits(chosen.threads):
        for blas in threadpool_info():
            if blas["user_api"] == "blas":
                whose = "of ardvark" if "/ardvark/" in blas["filepath"] else "of numpy and scipy"
                print(f"  {blas['internal_api']} {blas['version']} {blas['architecture']}, {blas['num_threads']} threads, {whose}")
        for name, section in sections.items():
            if chosen.only in (None, name):
                section(chosen)


if __name__ == "__main__":
    main()
