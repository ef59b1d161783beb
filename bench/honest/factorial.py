"""The simulations of Hastie, Tibshirani and Tibshirani: how far is the prior from the lasso, setting by setting?

    .venv/bin/python bench/honest/factorial.py                                # 480 cells, 2 draws: prints the tables
    .venv/bin/python bench/honest/factorial.py --settings low --draws 40      # one setting, more draws
    .venv/bin/python bench/honest/factorial.py --library before=../before now=build/libardvark.so --methods sparse

*Best subset, forward stepwise or lasso? Analysis and recommendations based on extensive comparisons*, Statistical Science 35 (2020), 579-592.
Rows are N(0, Sigma) with Sigma_ij = rho^|i-j|. The s effects of p columns are: type 1, ones at equal distances; 2, ones in the first s columns;
3, from 10 down to 1/2 in the first s; 5, ones in the first s, and then halves of their neighbours. The noise has the variance that gives the
ratio of signal to noise. The relative error is (E(x'w - its prediction)^2 + s2)/s2 over new x, exactly; a perfect fit has 1, and a fit of the
mean 1 + SNR. Coverage is that of 95% intervals of a new y, over 100 new rows and all y. The lasso is cross-validated, with the settings of run.py.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import methods
import numpy as np
from scipy.stats import norm
from small import environment

SETTINGS = {"low": (100, 10, 5), "medium": (500, 100, 5), "high-5": (50, 1000, 5), "high-10": (100, 1000, 10)}  # n, p, s
TYPES = (1, 2, 3, 5)
RHOS = (0.0, 0.35, 0.7)
SNRS = (0.05, 0.09, 0.14, 0.25, 0.42, 0.71, 1.22, 2.07, 3.52, 6.0)
NEW = 100
OURS = ("sparse", "shared", "ard")


@dataclass(frozen=True)
class Cell:
    setting: str
    type: int
    rho: float
    snr: float


def effects(kind, p, s):
    w = np.zeros(p)
    if kind == 1:
        w[np.round(np.linspace(0, p - 1, s)).astype(int)] = 1
    else:
        w[:s] = np.linspace(10, 0.5, s) if kind == 3 else 1
    if kind == 5:
        w[s:] = 0.5 ** np.arange(1, p - s + 1)
    return w


def columns(random, n, p, rho):
    X = random.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    return X


def variance(w, rho):
    """w' Sigma w, Sigma_ij = rho^|i-j|."""
    tail, sum_ = 0.0, float(w @ w)
    for j in range(1, len(w)):
        tail = rho * (tail + w[j - 1])
        sum_ += 2 * w[j] * tail
    return sum_


def one_fit(cell, seed, method):
    """The relative error and the coverage of a new y."""
    n, p, s = SETTINGS[cell.setting]
    random = np.random.default_rng([seed, n, p, cell.type, round(100 * cell.rho), round(100 * cell.snr)])
    w = effects(cell.type, p, s)
    sd = np.sqrt(variance(w, cell.rho) / cell.snr)
    X, X_new = columns(random, n, p, cell.rho), columns(random, NEW, p, cell.rho)
    y = X @ w + sd * random.normal(size=n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = method.fit(X, y)
        values = np.ravel(model.predict(np.vstack([np.zeros(p), np.eye(p)])))
        interval = method.read(model, X, y, X_new, X_new @ w).interval
    missed = values[1:] - values[0] - w
    covered = norm.cdf((interval - (X_new @ w)[:, None]) / sd)
    return 1 + (values[0] ** 2 + variance(missed, cell.rho)) / sd**2, float(np.mean(covered[:, 1] - covered[:, 0]))


def cells(settings):
    return [Cell(setting, kind, rho, snr) for setting in settings for kind in TYPES for rho in RHOS for snr in SNRS]


def fit_all(chosen, path):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        for name in chosen.methods:
            for cell in cells(chosen.settings):
                for seed in range(chosen.draws):
                    out.writerow([name, cell.setting, cell.type, cell.rho, cell.snr, seed, *one_fit(cell, seed, methods.REGRESSION[name])])


def read(path, label):
    """{method: {(cell, seed): (relative error, coverage)}}"""
    found = {}
    with open(path, newline="") as file:
        for name, setting, kind, rho, snr, seed, error, coverage in csv.reader(file):
            cell = Cell(setting, int(kind), float(rho), float(snr))
            found.setdefault(label(name), {})[cell, int(seed)] = float(error), float(coverage)
    return found


def ratio(some, base, risk=False):
    """Geometric mean over the cells of the ratio of mean errors, and the standard error of its logarithm; risk: of the errors minus 1."""
    by_cell = {}
    for key in some.keys() & base.keys():
        by_cell.setdefault(key[0], []).append((some[key][0] - risk, base[key][0] - risk))
    logs = np.array([np.log(np.divide(*np.mean(pairs, axis=0))) for pairs in by_cell.values()])
    return np.exp(logs.mean()), logs.std() / np.sqrt(len(logs))


def table(found, base, names, groups):
    """A line for each value of `groups`, a function of a cell."""
    print(f"| | {' | '.join(f'{name} / {base}: error | of x’w | coverage' for name in names)} |\n|---|{'---:|---:|---:|' * len(names)}")
    values = {groups(cell): None for cell, _ in found[base]}
    for value in values:
        line = []
        for name in names:
            some = {key: fit for key, fit in found[name].items() if groups(key[0]) == value}
            error, spread = ratio(some, found[base])
            coverage = np.mean([fit[1] for fit in some.values()])
            line.append(f"{error:.4f} ± {spread:.4f} | {ratio(some, found[base], risk=True)[0]:.3f} | {coverage:.3f}")
        print(f"| {value} | {' | '.join(line)} |")
    print()


def by_ratio(found, base, name):
    """A line for each ratio of signal to noise, a column for each setting: errors, and coverages."""
    settings = list({cell.setting: None for cell, _ in found[base]})
    print(f"| {name} / {base}, SNR | {' | '.join(f'{setting} | coverage' for setting in settings)} |\n|---:|{'---:|---:|' * len(settings)}")
    for snr in SNRS:
        line = []
        for setting in settings:
            some = {key: fit for key, fit in found[name].items() if (key[0].setting, key[0].snr) == (setting, snr)}
            error, spread = ratio(some, found[base])
            line.append(f"{error:.3f} ± {spread:.3f} | {np.mean([fit[1] for fit in some.values()]):.3f}")
        print(f"| {snr:g} | {' | '.join(line)} |")
    print()


def fits_of(chosen):
    """{name: {(cell, seed): (relative error, coverage)}} of the methods or, with --library, of the methods with each build."""
    builds = dict((name, path) for name, _, path in (one.partition("=") for one in chosen.library)) or {"": None}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for build, path in builds.items():
            ours = [name for name in chosen.methods if name in OURS]
            out = Path(folder) / f"{build}.csv"
            command = [sys.executable, __file__, "--settings", ",".join(chosen.settings), "--draws", str(chosen.draws), "--out", out]
            some = ours if found else chosen.methods  # the peers are fitted once
            subprocess.run([*command, "--methods", ",".join(some)], check=True, env=environment(path))
            found |= read(out, lambda name: f"{name} {build}".strip() if name in ours else name)
    return found


def main():
    listed = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--settings", type=listed, default=list(SETTINGS))
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--methods", type=listed, default=["sparse", "LassoCV"], help="with a peer, the others are compared with it")
    parser.add_argument("--library", nargs="+", default=[], metavar="NAME=PATH", help="builds, as for small.py; the first is compared with")
    parser.add_argument("--out", help="only write the fits to this file")
    chosen = parser.parse_args()
    if chosen.out:
        return fit_all(chosen, chosen.out)
    found = fits_of(chosen)
    base = next((name for name in found if name in chosen.methods and name not in OURS), next(iter(found)))
    names = [name for name in found if name != base]
    for groups in (lambda cell: "all", lambda cell: cell.setting, lambda cell: f"type {cell.type}", lambda cell: f"rho {cell.rho:g}"):
        table(found, base, names, groups)
    for name in names:
        by_ratio(found, base, name)


if __name__ == "__main__":
    main()
