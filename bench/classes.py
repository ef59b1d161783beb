"""Classes under the default prior: processor seconds, and memory in addition to the table; each table has its own process.

    .venv/bin/python bench/classes.py [NAME ...] [--threads N] [--prior PRIOR] [--draws N]

Seconds are for the fit alone, all threads together. Memory is the largest resident set during the fit minus the memory before the fit, which includes
the table. Effects are N(0, 1), scaled so that the log odds have a standard deviation of 2, except in VBLinLogit's own example
(X uniform, 100 effects, not scaled). Each fit is compared with one Gram matrix of the table by BLAS alone, X'X (XX' for wide tables).
"""

import argparse
import os
import subprocess
import sys
import time

TABLES = {  # rows, columns, effects, classes
    "1e6x20": (1_000_000, 20, 5, 2),
    "150000x60": (150_000, 60, 10, 2),
    "2000x1000": (2000, 1000, 20, 2),
    "vblinlogit": (2000, 1000, 100, 2),
    "3000x1500": (3000, 1500, 20, 2),
    "200x50000": (200, 50_000, 5, 2),
    "20000x2000": (20_000, 2000, 20, 2),
    "50classes": (3000, 50, 10, 50),
}


def draw(name, seed):
    import numpy as np

    n, p, k, classes = TABLES[name]
    random = np.random.default_rng(seed)
    if name == "vblinlogit":
        X = np.asfortranarray(random.random((n, p)) - 0.5)
        eta = X[:, :k] @ random.standard_normal(k)
        return X, (random.random(n) < 1 / (1 + np.exp(-eta))).astype(int)
    X = np.empty((n, p), order="F")
    for j in range(p):
        X[:, j] = random.standard_normal(n)
    if classes > 2:
        eta = X[:, :k] @ random.standard_normal((k, classes))
        odds = np.exp(eta - eta.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        return X, (random.random((n, 1)) > odds.cumsum(axis=1)).sum(axis=1).clip(max=classes - 1)
    eta = X[:, :k] @ random.standard_normal(k)
    eta *= 2 / eta.std()
    return X, (random.random(n) < 1 / (1 + np.exp(-eta))).astype(int)


def kilobytes(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what))


def fit(name, seed, prior, threads):
    """Prints: seconds of the fit, seconds of one Gram matrix, MB in addition to the table, status, kept columns, milliseconds per predicted row."""
    import numpy as np

    from ardvark import BayesianLogisticRegression

    X, y = draw(name, seed)
    n, p = X.shape
    BayesianLogisticRegression().fit(X[:100, :5], y[:100] > y[:100].mean())  # what a first fit loads
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # VmHWM begins anew
    before = kilobytes("VmRSS")
    start = time.process_time()
    model = BayesianLogisticRegression(prior=prior, n_jobs=threads).fit(X, y)
    seconds = time.process_time() - start
    memory = (kilobytes("VmHWM") - before) / 1024
    rows = X[:1000]
    start = time.process_time()
    model.predict_proba(rows)
    a_row = (time.process_time() - start) / len(rows) * 1e3
    start = time.process_time()
    if n >= p:
        X.T @ X
    else:
        X @ X.T
    bare = time.process_time() - start
    print(seconds, bare, memory, model.status_, int(np.sum(model.support_)), a_row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", choices=[[], *TABLES], metavar="NAME", help=", ".join(TABLES))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--prior", default="auto")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--fit", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        fit(options.fit[0], int(options.fit[1]), options.prior, options.threads)
        return
    print(f"{'table':>12} {'draw':>4} {'seconds':>8} {'Gram matrices':>13} {'MB':>6} {'kept':>5} {'ms a row':>9}  status")
    for name in options.names or TABLES:
        for seed in range(options.draws):
            environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
            command = [sys.executable, __file__, "--fit", name, str(seed), "--prior", options.prior, "--threads", str(options.threads)]
            said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
            seconds, bare, memory, status, kept, a_row = said
            ratio = float(seconds) / float(bare)
            print(f"{name:>12} {seed:>4} {float(seconds):8.2f} {ratio:13.1f} {float(memory):6.0f} {kept:>5} {float(a_row):9.4f}  {status}", flush=True)


if __name__ == "__main__":
    main()
