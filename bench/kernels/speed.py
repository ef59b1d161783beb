"""Processor seconds of a fit beside scikit-learn's Gaussian processes: the same kernel and the same rows, on one thread.

    .venv/bin/python bench/kernels/speed.py [--sizes 400x1,400x8,2000x13,400x8c] [--widths shared,each]

A size is ROWSxINPUTS, with c for two classes. For each the table has the gaussian kernel with one width and with a width for each input, at the maximum of the
evidence, and the default with all its hypotheses, which is compared with scikit-learn's single fit with one width, and with a width each. `evidence` is the log evidence of ours less
that of theirs, both by their formula, at the hyper-parameters that each has found: at least about 0 means the same optimum or a better one.
"""

import argparse
import time
import warnings

import numpy as np
from problems import friedman_1
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from threadpoolctl import threadpool_limits

from ardvark import KernelClassifier, KernelRegressor

LIMITS = (1e-5, 1e5)


def rows(n, d, classes):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, d))
    y = (3 * np.sin(6 * X[:, 0]) if d < 5 else friedman_1(X)) + rng.normal(size=n)
    return (X - X.mean(0)) / X.std(0), (y > np.median(y)).astype(int) if classes else y


def seconds(fit):
    """The faster one of two, unless it is long."""
    times = []
    for _ in range(2):
        start = time.process_time()
        model = fit()
        times.append(time.process_time() - start)
        if times[0] > 5:
            break
    return min(times), model


def theirs(width, d, classes):
    kernel = ConstantKernel(1.0, LIMITS) * RBF(np.ones(1 if width == "shared" else d), LIMITS)
    return GaussianProcessClassifier(kernel) if classes else GaussianProcessRegressor(kernel + WhiteKernel(1.0, LIMITS), normalize_y=True)


def gain(ours, peer, y):
    """By the formula of scikit-learn, which has no intercept: of a regression only."""
    if isinstance(peer, GaussianProcessClassifier):
        return np.nan
    best = ours.hypotheses_[0]
    widths = np.log(np.minimum(best["widths"], 1e5) / np.sqrt(2))
    noise = (ours.noise_std_ / np.std(y)) ** 2
    return peer.log_marginal_likelihood(np.concatenate([[np.log(best["signal"] * noise)], widths, [np.log(noise)]])) - peer.log_marginal_likelihood_value_


def compare(size, widths):
    classes = size.endswith("c")
    n, d = map(int, size.rstrip("c").split("x"))
    X, y = rows(n, d, classes)
    estimator = KernelClassifier if classes else KernelRegressor
    of_peers = {}
    for width in widths if d > 1 else ["shared"]:
        own, ours = seconds(lambda: estimator(kernel="gaussian", width=width, averaging=False, centres="all", n_jobs=1).fit(X, y))
        peer_seconds, peer = seconds(lambda: theirs(width, d, classes).fit(X, y))
        of_peers[width] = peer_seconds
        print(f"| {size} | {width} | {own:.3f} | {peer_seconds:.3f} | {peer_seconds / own:.1f} | {gain(ours, peer, y):.2f} | {len(ours.support_)} |", flush=True)
    own, ours = seconds(lambda: estimator(n_jobs=1).fit(X, y))
    for width, peer_seconds in of_peers.items():
        print(f"| {size} | default beside {width} | {own:.3f} | {peer_seconds:.3f} | {peer_seconds / own:.1f} | | {len(ours.support_)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: text.split(","), default="400x1,400x8,400x13,400x8c,1000x8".split(","))
    parser.add_argument("--widths", type=lambda text: text.split(","), default=["shared", "each"])
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| rows x inputs | widths | ours, s | scikit-learn, s | ratio | evidence | vectors |\n|---|---|---:|---:|---:|---:|---:|")
    with threadpool_limits(1):
        for size in chosen.sizes:
            compare(size, chosen.widths)


if __name__ == "__main__":
    main()
