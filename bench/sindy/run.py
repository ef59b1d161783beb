"""Equations of Lorenz's system from noisy records: the terms that are found by our optimizer of pysindy, by STLSQ and by SBR.

    python bench/sindy/run.py [--draws 20] [--noise 0.01,0.03,0.1,0.2,0.3] [--sampled 1] [--readme FILE]

A record is 10 time units, every .002, from a start that differs in each draw, with normal noise in shares of the standard deviation of each coordinate. All methods
get the same rows: those of a weak form (pysindy's WeakPDELibrary) with 400 domains of half the length .1, and the 10 monomials up to degree 2. `--sampled` says how
many draws of each noise SBR gets, which samples (`pip install jax numpyro`); it is left out where these are not installed.
"""

import argparse
import datetime
import time
import warnings
from pathlib import Path

import numpy as np
import pysindy as ps
from ardvark import BayesianLinearRegression
from ardvark.integrations.pysindy import ArdvarkOptimizer
from pysindy.utils import AxesArray
from scipy.integrate import solve_ivp

STEP, LENGTH, DOMAINS, HALF = 0.002, 10.0, 400, 0.1
ROWS_PER_OBSERVATION = DOMAINS * HALF / LENGTH
TIMES = np.arange(0, LENGTH, STEP)
TRUE = np.zeros((3, 10), bool)  # of 1, x, y, z, x^2, xy, xz, y^2, yz, z^2
TRUE[0, [1, 2]] = TRUE[1, [1, 2, 6]] = TRUE[2, [3, 5]] = True
THRESHOLDS = np.geomspace(0.1, 1.5, 25)


def record(seed, noise):
    rng = np.random.default_rng(seed)
    start = [-8, 8, 27] + 2 * rng.normal(size=3)
    x = solve_ivp(lambda _, u: [10 * (u[1] - u[0]), u[0] * (28 - u[2]) - u[1], u[0] * u[1] - 8 / 3 * u[2]], (0, LENGTH), start, t_eval=TIMES, rtol=1e-9, atol=1e-9).y.T
    return x + noise * x.std(axis=0) * rng.normal(size=x.shape)


def rows_of(seed, noise):
    """Terms and integrals of derivatives of a record, as pysindy.SINDy gives them to its optimizer."""
    np.random.seed(seed)  # places the domains
    x = AxesArray(record(seed, noise), {"ax_time": 0, "ax_coord": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pysindy's own axes
        library = ps.WeakPDELibrary(ps.PolynomialLibrary(degree=2), spatiotemporal_grid=TIMES, K=DOMAINS, H_xt=[HALF], p=4)
        return np.asarray(library.fit_transform([x])[0]), np.asarray(library.convert_u_dot_integral(x))


class Count:
    """How many true and false terms a method keeps, draw by draw."""

    def __init__(self):
        self.found, self.false = [], []

    def add(self, kept):
        self.found.append(int((kept & TRUE).sum()))
        self.false.append(int((kept & ~TRUE).sum()))

    @property
    def whole(self):
        """Draws with all true terms and at most one false."""
        return [found == TRUE.sum() and false <= 1 for found, false in zip(self.found, self.false)]

    @property
    def exact(self):
        return [found == TRUE.sum() and false == 0 for found, false in zip(self.found, self.false)]

    def cells(self):
        return f"{sum(self.whole)} of {len(self.found)} | {sum(self.exact)} | {np.mean(self.found):.2f} | {np.mean(self.false):.2f}"


def of_stlsq(tables, ridge):
    """With the threshold that is best for all draws together; and in how many draws any threshold is right."""
    counts = {threshold: Count() for threshold in THRESHOLDS}
    for X, Y in tables:
        for threshold, count in counts.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "Sparsity parameter is too big"
                count.add(ps.STLSQ(threshold=threshold, alpha=ridge).fit(X, Y).coef_ != 0)
    best = max(counts, key=lambda threshold: (sum(counts[threshold].whole), sum(counts[threshold].exact), np.mean(counts[threshold].found)))
    return counts[best], best, int(np.any([count.whole for count in counts.values()], axis=0).sum())


def of_sbr(tables):
    """Terms whose central 95% interval does not contain zero: SBR itself leaves none out."""
    count, seconds = Count(), []
    for X, Y in tables:
        start = time.perf_counter()
        optimizer = ps.SBR(mcmc_kwargs={"progress_bar": False}).fit(X, Y)
        seconds.append(time.perf_counter() - start)
        low, high = np.quantile(np.asarray(optimizer.mcmc_.get_samples()["beta"]), [0.025, 0.975], axis=0)
        count.add((low > 0) | (high < 0))
    return count, float(np.median(seconds))


def overhead():
    """Our optimizer divided by the call that it makes, with the same numbers: medians of 25 in turn."""
    X, Y = rows_of(0, 0.1)
    weights = np.full(len(X), 1 / ROWS_PER_OBSERVATION)
    calls = {
        "ours": lambda: BayesianLinearRegression("slab", fit_intercept=False).fit(X, Y, weights),
        "adapter": lambda: ArdvarkOptimizer(rows_per_observation=ROWS_PER_OBSERVATION).fit(X, Y),
    }
    seconds = {name: [] for name in calls}
    for _ in range(25):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return np.median(seconds["adapter"]) / np.median(seconds["ours"]), np.median(seconds["adapter"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--noise", default="0.01,0.03,0.1,0.2,0.3")
    parser.add_argument("--sampled", type=int, default=1)
    parser.add_argument("--readme", type=Path)
    given = parser.parse_args()
    lines = ["| noise | method | all true terms, at most one false | none false | true terms of 7 | false terms of 23 |", "|---|---|---:|---:|---:|---:|"]
    for noise in map(float, given.noise.split(",")):
        tables = [rows_of(seed, noise) for seed in range(given.draws)]
        for prior in ("slab", "sparse"):
            half, fifth = Count(), Count()
            for X, Y in tables:
                inclusion = ArdvarkOptimizer(prior, rows_per_observation=ROWS_PER_OBSERVATION).fit(X, Y).inclusion_
                half.add(inclusion >= 0.5)
                fifth.add(inclusion >= 0.2)
            lines.append(f"| {noise:.0%} | ardvark, prior {prior} | {half.cells()} |")
            lines.append(f"| {noise:.0%} | ardvark, prior {prior}, threshold .2 | {fifth.cells()} |")
        unaware = Count()
        for X, Y in tables:
            unaware.add(ArdvarkOptimizer().fit(X, Y).ind_)
        lines.append(f"| {noise:.0%} | ardvark, rows as if independent | {unaware.cells()} |")
        for ridge, name in ((0.05, "STLSQ"), (1e-12, "STLSQ without its ridge penalty")):
            count, best, any_threshold = of_stlsq(tables, ridge)
            lines.append(f"| {noise:.0%} | {name}, best threshold {best:.2f} (a best one for each draw: {any_threshold}) | {count.cells()} |")
        if given.sampled > 0 and hasattr(ps, "SBR"):
            count, seconds = of_sbr(tables[: given.sampled])
            lines.append(f"| {noise:.0%} | SBR, {seconds:.0f} s each | {count.cells()} |")
        print(*(line for line in lines if line.startswith(f"| {noise:.0%} |")), sep="\n", flush=True)
    ratio, seconds = overhead()
    lines += ["", f"A fit takes {1000 * seconds:.0f} ms, {ratio:.2f} times our own call with the same numbers.", "", f"Measured on {datetime.date.today():%-d %B %Y}, while other programs used the machine."]
    print(*lines[-3:], sep="\n")
    if given.readme:
        head, begin, rest = given.readme.read_text().partition("<!-- table -->\n")
        _, end, tail = rest.partition("<!-- end of table -->")
        given.readme.write_text(head + begin + "\n".join(lines) + "\n" + end + tail)


if __name__ == "__main__":
    main()
