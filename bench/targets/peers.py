"""One method in a process of its own, on one thread of one core: prints what it took as one line of JSON.

    python peers.py fit FOLDER METHOD
    python peers.py predict FOLDER METHOD ROWS
    python peers.py mapped FOLDER METHOD
    python peers.py sparse FOLDER METHOD

FOLDER is written by `write_tables`. The methods are those of FITS, PREDICTIONS, MAPPED and SPARSE.
"""

import json
import os
import sys
import threading
import time
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before anything that reads them
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np  # noqa: E402
from numpy.lib.format import open_memmap  # noqa: E402

ALPHAS = np.logspace(1, 5.5, 10)
FEW = 5  # targets that are fitted one by one


def ardvark(X, Y):
    from ardvark import BayesianLinearRegression

    model = BayesianLinearRegression("shared", n_jobs=1).fit(X, Y)
    return model.coef_.T, model.intercept_


def ridge_cv(X, Y):
    from sklearn.linear_model import RidgeCV

    model = RidgeCV(ALPHAS, alpha_per_target=True).fit(X, Y)
    return model.coef_.T, model.intercept_


def himalaya_ridge(X, Y):
    from himalaya.ridge import RidgeCV

    model = RidgeCV(alphas=ALPHAS.astype(np.float32), fit_intercept=True, cv=5).fit(X.astype(np.float32), Y)
    return model.coef_, model.intercept_


def himalaya_kernel(X, Y):
    """With the coefficients of the columns, as the others have them."""
    from himalaya.kernel_ridge import KernelRidgeCV

    X = X.astype(np.float32)
    model = KernelRidgeCV(alphas=ALPHAS.astype(np.float32), fit_intercept=True, cv=5).fit(X, Y)
    return model.get_primal_coef(), model.intercept_


def bayesian_ridge(X, Y):
    from sklearn.linear_model import BayesianRidge

    return one_by_one(BayesianRidge, FEW)(X, Y)


def one_penalty(X, Y):
    """What no method can do without: a decomposition of X X', two products with all targets, the coefficients."""
    center, mean = X.mean(0), Y.mean(0, dtype=np.float64)
    Z = X - center
    values, U = np.linalg.eigh(Z @ Z.T)
    W = Z.T @ (U @ ((U.T @ (Y - mean)) / (values + ALPHAS[4])[:, None]))
    return W, mean - center @ W


# Name: fit, whether it gives each target its own penalty, whether its predictions have intervals.
FITS = {
    "ardvark, prior shared": (ardvark, True, True),
    "scikit-learn, RidgeCV, alpha_per_target": (ridge_cv, True, False),
    "himalaya, RidgeCV": (himalaya_ridge, True, False),
    "himalaya, KernelRidgeCV": (himalaya_kernel, True, False),
    "scikit-learn, BayesianRidge, one by one": (bayesian_ridge, True, True),
    "numpy, one penalty for all": (one_penalty, False, False),
}


def one_by_one(make, count):
    """count: of the targets that are fitted."""

    def fit(X, Y):
        models = [make().fit(X, y) for y in Y.T[:count].astype(float)]
        return np.column_stack([model.coef_ for model in models]), np.array([model.intercept_ for model in models])

    return fit


def sparse(**options):
    from ardvark import BayesianLinearRegression

    return BayesianLinearRegression("sparse", n_jobs=1, **options)


def sparse_together(X, Y):
    model = sparse().fit(X, Y)
    return model.coef_.T, model.intercept_


def lasso_cv():
    from sklearn.linear_model import LassoCV

    return LassoCV(cv=5)


# Of targets with few effects. Name: fit, whether its coefficients have intervals.
SPARSE = {
    "ardvark, prior sparse, together": (sparse_together, True),
    "ardvark, prior sparse, one by one": (one_by_one(sparse, 20), True),
    "scikit-learn, LassoCV, one by one": (one_by_one(lasso_cv, 20), False),
}


def of_model(return_std):
    def prepare(X, Y):
        from ardvark import BayesianLinearRegression

        model = BayesianLinearRegression("shared", n_jobs=1).fit(X, Y)
        return lambda X_new: model.predict(X_new, return_std=return_std)

    return prepare


def of_product(dtype):
    def prepare(X, Y):
        W, intercept = one_penalty(X, Y)
        W, intercept = W.astype(dtype), intercept.astype(dtype)
        return lambda X_new: X_new.astype(dtype, copy=False) @ W + intercept

    return prepare


PREDICTIONS = {
    "numpy, the product in double precision": of_product(np.float64),
    "numpy, the product in single precision": of_product(np.float32),
    "ardvark, means": of_model(False),
    "ardvark, means and standard deviations": of_model(True),
}


def mapped(file, with_sd):
    """X in memory, Y and all results in mapped files."""

    def fit(folder):
        from ardvark import BayesianLinearRegression

        X, Y = np.load(folder / "X.npy"), np.load(folder / file, mmap_mode="r")
        W = open_memmap(folder / "W.npy", "w+", np.float32, (Y.shape[1], X.shape[1]))
        S = open_memmap(folder / "S.npy", "w+", np.float32, W.shape) if with_sd else None
        BayesianLinearRegression("shared", n_jobs=1).fit(X, Y, out=W, out_std=S)

    return fit


MAPPED = {
    "row by row": mapped("Y.npy", False),
    "target by target": mapped("Y-by-target.npy", False),
    "target by target, with standard deviations": mapped("Y-by-target.npy", True),
}


def memory(*names):
    """Megabytes of the process, of /proc/self/status."""
    found = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in open("/proc/self/status") if "kB" in line}
    return [found[name] for name in names]


class OwnMemory(threading.Thread):
    """The peak of what is no mapped file."""

    def __init__(self):
        super().__init__(daemon=True)
        self.ended, self.before, self.peak = threading.Event(), memory("RssAnon")[0], 0.0

    def run(self):
        while not self.ended.wait(0.02):
            self.peak = max(self.peak, memory("RssAnon")[0])


def timed(work):
    """The result, and what it took."""
    own = OwnMemory()
    own.start()
    begin, processor = time.monotonic(), time.process_time()
    result = work()
    took = {"processor_seconds": time.process_time() - processor, "seconds": time.monotonic() - begin}
    own.ended.set()
    own.join()
    return result, took | {"peak_mb": memory("VmHWM")[0], "own_mb": max(0.0, own.peak - own.before)}


def small(rows=100, columns=5, targets=3):
    rng = np.random.default_rng(0)
    return rng.standard_normal((rows, columns)), rng.standard_normal((rows, targets)).astype(np.float32)


def main():
    what, folder, method = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    warnings.simplefilter("ignore")
    if what == "mapped":
        ardvark(*small())
        _, took = timed(lambda: MAPPED[method](folder))
        print(json.dumps(took))
        return
    X, Y = np.load(folder / "X.npy"), np.load(folder / "Y.npy")
    if what in ("fit", "sparse"):
        fit = (FITS if what == "fit" else SPARSE)[method][0]
        fit(*small())  # what is loaded at the first fit is not counted
        (W, intercept), took = timed(lambda: fit(X, Y))
        found = np.load(folder / "X-new.npy") @ np.asarray(W, dtype=float) + intercept
        means = np.load(folder / "means-new.npy")[:, : found.shape[1]]
        took["error"] = float(np.sqrt(np.mean((found - means) ** 2)))
        if found.shape[1] < Y.shape[1]:
            took["processor_seconds"] *= Y.shape[1] / found.shape[1]
            took["of_targets"] = found.shape[1]
    else:
        predict = PREDICTIONS[method](X, Y)
        X_new = np.random.default_rng(2).standard_normal((int(sys.argv[4]), X.shape[1]))
        before = memory("VmRSS")[0]
        _, took = timed(lambda: predict(X_new))
        took["before_mb"] = before
    print(json.dumps(took))


if __name__ == "__main__":
    main()
