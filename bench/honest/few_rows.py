"""Coverage of 95% intervals of regressions by the number of rows: a new observation, the mean x'w and the intercept.

    .venv/bin/python bench/honest/few_rows.py                      # a quarter of an hour; prints the table, draws results/few_rows.png
    .venv/bin/python bench/honest/few_rows.py --tables 20          # a first look

Columns are independent N(0, 1): 1, 5, 20, and twice as many as rows. A third of the tables has no effect, a third one effect of twice the
noise, a third an effect of every column, of the same variance together. Each table has ten new rows. Priors that need more rows than
columns are measured where they can be fitted. Groups: the columns in turn belong to two.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

from ardvark import BayesianLinearRegression, RelevanceVectorRegressor

HERE = Path(__file__).resolve().parent
ROWS = [3, 4, 5, 6, 8, 10, 15, 20, 30]
EFFECTS = ["none", "one", "all"]
NEW = 10
METHODS = {
    **{prior: (lambda p, prior=prior: BayesianLinearRegression(prior=prior)) for prior in ("sparse", "slab", "dense", "shared")},
    "groups": lambda p: BayesianLinearRegression(prior=np.arange(p) % 2),
    **{prior: (lambda p, prior=prior: BayesianLinearRegression(prior=prior)) for prior in ("ard", "laplace", "none")},
    "rvm": lambda p: RelevanceVectorRegressor(),
}


def columns_and_effects(random, rows, p, seed):
    """X [rows, p] and w [p]."""
    X, w = random.normal(size=(rows, p)), np.zeros(p)
    effects = EFFECTS[seed % 3]
    if effects == "one":
        w[0] = 2
    elif effects == "all":
        w = random.normal(size=p) * 2 / np.sqrt(p)
    return X, w


def table_of(n, p, seed):
    random = np.random.default_rng([n, p, seed])
    X, w = columns_and_effects(random, n + NEW, p, seed)
    mean = 1 + X @ w
    return X, mean, mean + random.normal(size=n + NEW)


def hits(method, n, p, seed):
    """Shares of the new observations and of the means, and whether the intercept, are in their intervals; None if the fit is refused."""
    X, mean, y = table_of(n, p, seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = METHODS[method](p).fit(X[:n], y[:n])
            of_new = model.predict_interval(X[n:])
            if method == "rvm":  # its mean is that of a kernel
                return np.array([np.mean((of_new[:, 0] <= y[n:]) & (y[n:] <= of_new[:, 1])), np.nan, np.nan])
            of_mean = model.predict_interval(X[n:], interval="mean")
            origin = model.predict_interval(np.zeros((1, p)), interval="mean")[0]
    except ValueError:
        return None
    inside = lambda interval, value: np.mean((interval[:, 0] <= value) & (value <= interval[:, 1]))
    return np.array([inside(of_new, y[n:]), inside(of_mean, mean[n:]), float(origin[0] <= 1 <= origin[1])])


def measure(methods, num_tables):
    """{(method, n): array [columns, 3]}: means over the tables of each number of columns."""
    found = {}
    for method in methods:
        for n in ROWS:
            each = []
            for p in (1, 5, 20, 2 * n):
                some = [one for seed in range(num_tables) if (one := hits(method, n, p, seed)) is not None]
                if len(some) == num_tables:
                    each.append(np.mean(some, axis=0))
            found[method, n] = np.array(each)
            print(f"{method:22} {n:3} rows", " ".join("{:.3f}".format(v) for v in found[method, n].mean(axis=0)) if each else "-", flush=True)
    return found


def report(found, methods):
    for i, what in enumerate(["a new observation", "the mean x'w", "the intercept"]):
        print(f"\n95% intervals of {what}\n\n| rows | {' | '.join(methods)} |\n|---:|{'---:|' * len(methods)}")
        for n in ROWS:
            values = [found[method, n] for method in methods]
            print(f"| {n} | " + " | ".join("-" if not len(v) or np.isnan(v[:, i]).all() else f"{v[:, i].mean():.3f}" for v in values) + " |")


def draw(found, methods, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colours = ["#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#8c564b", "#000000", "#7f7f7f"]
    markers = "oDsv<^PX*"
    with plt.rc_context({"font.size": 12, "axes.spines.top": False, "axes.spines.right": False}):
        figure, panels = plt.subplots(1, 3, figsize=(13, 4.6), sharey=True, layout="constrained")
        for i, (axes, what) in enumerate(zip(panels, ["a new observation", "the mean $x'w$", "the intercept"])):
            axes.axhspan(0.94, 0.965, color="0.9")
            for method, colour, marker in zip(methods, colours, markers):
                at = [n for n in ROWS if len(found[method, n]) and not np.isnan(found[method, n][:, i]).all()]
                if at:
                    style = "--" if method == "rvm" else "-"
                    axes.plot(at, [found[method, n][:, i].mean() for n in at], style, color=colour, marker=marker, label=method, markersize=6)
            axes.set_xscale("log")
            axes.set_xticks(ROWS, [str(n) for n in ROWS])
            axes.minorticks_off()
            axes.set(xlabel="rows", title=what, ylim=(0.35, 1.01))
        panels[0].set_ylabel("inside the 95% interval")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
        figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200, help="for each number of rows and of columns")
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--picture", default=HERE / "results" / "few_rows.png")
    arguments = parser.parse_args()
    found = measure(arguments.methods, arguments.tables)
    report(found, arguments.methods)
    draw(found, arguments.methods, arguments.picture)


if __name__ == "__main__":
    main()
