"""Checks whether inclusions and intervals of the sparse prior are calibrated, with many draws of some families (families.py).

    .venv/bin/python bench/honest/calibration.py --replications 400 [--family ar-n200-p40-4-snr2 ...]

Inclusions: the columns of all replications are sorted into ten bins by their inclusion. In each bin, the share of columns with an effect
and the mean inclusion may differ by at most .05. If the standard error of the difference is .02 or more, the bin is too thin: it is only
counted, unless the difference exceeds .05 by more than three standard errors. The standard error is computed from the replications, because
the errors of the columns of one table are correlated. It is at least that of independent columns.
Intervals of 50, 80 and 95%: of the weights, of x'w and (regressions) of y at new rows. The coverage of y must be right within .02. The
other coverages must not be more than .02 too small. They may be larger: the posterior of a weight may have two modes, with and without the
column, and then a normal interval of 50% contains more than 50% of it.

KNOWN lists the families whose inclusions differ by more, and by how much. With few columns, inclusions are too modest: they lose the weight
that the average gives to the hypothesis that all columns have small effects (docs/math/sparse.md (SP.21); for classes it has less prior
weight, (SL.10)). With more than 20 columns, hyper-parameters have their best values (SP.5). Where all effects have one size, the normal
prior of the effects is wrong: small inclusions are too large, and large ones too small if there are few columns.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import families
import numpy as np
from scipy import stats

from ardvark import _core

LEVELS = (0.5, 0.8, 0.95)
NEW_ROWS = 50  # used of each draw
MOST_OFF, THIN = 0.05, 0.02
KNOWN = {  # measured with 3000 replications; those with a size with 400 to 1000
    "ind-n60-p8-2-snr1": 0.27,
    "ind-n200-p8-3-snr0.5": 0.22,
    "ind-n200-p40-4-snr2": 0.21,
    "ar-n200-p40-4-snr2": 0.06,
    "ind-n400-p100-30-snr2": 0.15,
    "ind-n100-p200-5-snr2": 0.15,
    "ar.7-n300-p200-8-size0.4": 0.10,
    "ar.7-n300-p200-8sign-size0.4": 0.39,
    "ind-n200-p8-3-snr2 classes": 0.15,
    "pair-n300-p8-3-size0.8 classes": 0.16,
    "pair-n300-p8-3sign-size0.8 classes": 0.39,
    "ar-n400-p40-4-snr4 classes": 0.10,
    "ar.7-n300-p200-8-size1 classes": 0.10,
    "ar.7-n300-p200-8sign-size1 classes": 0.21,
}


# (family, classes). The settings vary rows, columns, correlation, and number and size of the effects, one or two of these at a time.
SETTINGS = [
    (families.Family(*line), classes)
    for classes, lines in (
        (
            False,
            [
                ("ind", 60, 8, "2", 1.0),
                ("ind", 200, 8, "3", 0.5),
                ("ind", 200, 40, "4", 2.0),
                ("ar", 200, 40, "4", 2.0),
                ("blk", 200, 40, "4", 2.0),
                ("ind", 400, 100, "30", 2.0),
                ("ind", 100, 200, "5", 2.0),
                ("ar.7", 300, 200, "8", None, 0.4),
                ("ar.7", 300, 200, "8sign", None, 0.4),
            ],
        ),
        (
            True,
            [
                ("ind", 200, 8, "3", 2.0),
                ("pair", 300, 8, "3", None, 0.8),
                ("pair", 300, 8, "3sign", None, 0.8),
                ("ind", 400, 40, "4", 4.0),
                ("ar", 400, 40, "4", 4.0),
                ("ar.7", 300, 200, "8", None, 1.0),
                ("ar.7", 300, 200, "8sign", None, 1.0),
            ],
        ),
    )
    for line in lines
]


class Calibration:
    """Sums over replications of one setting."""

    def __init__(self):
        self.rows = []  # for each replication: [10, 3] columns, effects, sum of inclusions in each bin
        self.covered = {}

    def add_inclusions(self, inclusion, true):
        bins = np.minimum((10 * inclusion).astype(int), 9)
        self.rows.append(np.column_stack([np.bincount(bins, x, 10) for x in (np.ones(true.size), true, inclusion)]))

    def add_interval(self, name, error, sd, quantile):
        """quantile(level): half the width of the interval, in sds."""
        for level in LEVELS:
            self.covered.setdefault((name, level), []).append(np.mean(np.abs(error) <= quantile(level) * sd))

    def bins(self):
        """[10, 4] columns, share with an effect, mean inclusion, standard error of their difference, from the replications."""
        rows = np.array(self.rows)
        columns = rows[:, :, 0].sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share, inclusion = rows[:, :, 1].sum(axis=0) / columns, rows[:, :, 2].sum(axis=0) / columns
            # effects minus inclusions in each replication, minus the expected difference
            left = rows[:, :, 1] - rows[:, :, 2] - (share - inclusion) * rows[:, :, 0]
            of_tables = np.sqrt(np.sum(left**2, axis=0)) / columns
            # at least that of independent columns, because few columns may agree by chance
            error = np.maximum(of_tables, np.sqrt(inclusion * (1 - inclusion) / columns))
        return np.column_stack([columns, share, inclusion, error])

    def coverage(self, name, level):
        of_each = np.array(self.covered[name, level])
        return of_each.mean(), of_each.std(ddof=1) / np.sqrt(of_each.size)


def normal_width(level):
    return stats.norm.ppf(0.5 + level / 2)


def replicate(family, classes, seed, calibration):
    problem = families.draw(family, seed, classes)
    if classes and np.ptp(problem.y) == 0:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = _core.fit(problem.X, problem.y.astype(float), model="logistic" if classes else "linear", prior="sparse", threads=1)
    calibration.add_inclusions(model.array("inclusion"), problem.w != 0)
    calibration.add_interval("w", model.array("mean") - problem.w, model.array("sd"), normal_width)
    prediction = model.predict(problem.X_new[:NEW_ROWS])
    error = prediction.array("mean") - problem.f_new[:NEW_ROWS]
    if classes:
        calibration.add_interval("x'w", error, np.sqrt(prediction.array("variance")), normal_width)
        return
    scale, freedom = prediction.array("scale"), prediction.number("degrees_of_freedom")
    noise = model.number("noise.rate") / model.number("noise.shape")
    calibration.add_interval("x'w", error, np.sqrt(np.maximum(scale**2 - noise, 0)), normal_width)
    of_y = prediction.array("mean") - problem.y_new[:NEW_ROWS]
    calibration.add_interval("y", of_y, scale, lambda level: stats.t.ppf(0.5 + level / 2, freedom))


def report(name, calibration, verbose):
    """Prints the figures of one setting. Returns what is wrong with them."""
    thin, worst, wrong = 0, 0.0, []
    for i, (columns, share, inclusion, error) in enumerate(calibration.bins()):
        if verbose and columns > 0:
            print(f"  inclusion {i / 10:.1f} to {(i + 1) / 10:.1f}: {columns:7.0f} columns, mean {inclusion:.3f}, share with an effect {share:.3f} +- {error:.3f}")
        off = abs(share - inclusion)
        if not (error < THIN or off > MOST_OFF + 3 * error):
            thin += 1
            continue
        worst = max(worst, off)
        if off - (0 if error < THIN and name not in KNOWN else 3 * error) > KNOWN.get(name, MOST_OFF):
            wrong.append(f"columns with inclusions of about {inclusion:.2f}: a share of {share:.2f} +- {error:.2f} has an effect")
    parts = []
    for what in ("w", "x'w", "y"):
        if (what, LEVELS[0]) not in calibration.covered:
            continue
        parts.append(what)
        for level in LEVELS:
            covered, error = calibration.coverage(what, level)
            parts[-1] += f" {covered:.3f}"
            off = level - covered if what != "y" else abs(level - covered)
            if off > 0.02 + 3 * error:
                wrong.append(f"intervals of {what} at level {level} cover {covered:.3f}")
    remark = " (known not to be calibrated)" if name in KNOWN else ""
    print(
        f"figure: {name}: inclusions differ by at most {worst:.3f} in {10 - thin} bins, {thin} bins are too thin{remark}; "
        f"50, 80, 95% intervals cover {'; '.join(parts)}"
    )
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replications", type=int, default=400)
    parser.add_argument("--family", nargs="*", default=None, help="names of families (families.py); add ' classes' for two classes")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    failed = []
    for family, classes in SETTINGS:
        name = family.name + (" classes" if classes else "")
        if arguments.family is not None and name not in arguments.family:
            continue
        calibration = Calibration()
        for seed in range(arguments.replications):
            replicate(family, classes, seed, calibration)
        failed += [f"{name}: {what}" for what in report(name, calibration, arguments.verbose)]
        sys.stdout.flush()
    for what in failed:
        print(f"FAILED: {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
