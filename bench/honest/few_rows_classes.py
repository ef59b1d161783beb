"""Classes and kernel machines with few rows: coverage of 95% intervals, and what the probabilities of new rows lose.

    .venv/bin/python bench/honest/few_rows_classes.py              # a quarter of an hour; prints the tables, draws results/few_rows_classes.png
    .venv/bin/python bench/honest/few_rows_classes.py --tables 20  # a first look

Classes: columns are independent N(0, 1): 1, 5, 20, and twice as many as rows. A third of the tables has no effect, a third one effect of 2
on the log odds, a third an effect of every column, of the same variance together; each class has at least two rows. A probability loses
the divergence between it and the true one. It is *sure* above .8. The exact posterior is that of the prior dense, by a Markov chain over
intercept, slopes and the variance of the slopes.

Kernel regressions: 1, 2 and 5 inputs; a third of the tables is a constant, a third a line, a third a draw of a Gaussian process, with noise
of a fifth, three fifths and twice the standard deviation of the function. Their exact posterior averages over draws of the
hyper-parameters from the priors of (KM.2).
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

from ardvark import BayesianLogisticRegression, KernelClassifier, KernelRegressor
from few_rows import columns_and_effects

HERE = Path(__file__).resolve().parent
NEW = 20
Z = 1.959963984540054
ROWS_OF_CLASSES = [6, 8, 10, 15, 20, 30]
ROWS_OF_CURVES = [3, 4, 5, 6, 8, 10, 15, 20, 30]
PRIORS = ["sparse", "slab", "dense", "shared", "ard", "laplace"]
METHODS = [*PRIORS, "kernel"]


def sigma(x):
    return 1 / (1 + np.exp(-x))


def classes_of(n, p, seed):
    random = np.random.default_rng([n, p, seed, 11])
    while True:
        X, w = columns_and_effects(random, n + NEW, p, seed)
        score = 0.5 + X @ w
        t = (random.uniform(size=n + NEW) < sigma(score)).astype(int)
        if 2 <= t[:n].sum() <= n - 2:
            return X, score, t


def function_of(n, p, seed):
    random = np.random.default_rng([n, p, seed, 7])
    X = random.normal(size=(n + NEW, p))
    if seed % 3 == 0:
        f = np.zeros(n + NEW)
    elif seed % 3 == 1:
        f = X @ random.normal(size=p) / np.sqrt(p)
    else:
        squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        f = np.linalg.cholesky(np.exp(-squares / (2 * p)) + 1e-9 * np.eye(n + NEW)) @ random.normal(size=n + NEW)
    noise = [0.2, 0.6, 2][seed // 3 % 3]
    return X, 1 + f, 1 + f + noise * random.normal(size=n + NEW)


def divergence(q, p):
    return q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p))


def judged(probability, q):
    """Mean loss, stated and true probability of the likelier class, and the same and the number of those that are sure."""
    probability = np.clip(probability, 1e-12, 1 - 1e-12)
    stated = np.maximum(probability, 1 - probability)
    true = np.where(probability >= 0.5, q, 1 - q)
    sure = stated > 0.8
    return [divergence(q, probability).mean(), stated.mean(), true.mean(), stated[sure].sum(), true[sure].sum(), sure.sum()]


def classes(method, n, p, seed):
    X, score, t = classes_of(n, p, seed)
    new, q = X[n:], sigma(score[n:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method == "exact":
            draws = draws_under_dense(X[:n], t[:n], new, seed)
            lower, upper = np.quantile(draws, [0.025, 0.975], axis=0)
            return [np.mean((lower <= score[n:]) & (score[n:] <= upper)), *judged(sigma(draws).mean(axis=0), q)]
        if method == "kernel":
            return [np.nan, *judged(KernelClassifier().fit(X[:n], t[:n]).predict_proba(new)[:, 1], q)]
        model = BayesianLogisticRegression(prior=method).fit(X[:n], t[:n])
        mean, sd = model.predict_score(new)
        return [np.mean(np.abs(mean - score[n:]) <= Z * sd), *judged(model.predict_proba(new)[:, 1], q)]


def draws_under_dense(X, t, new, seed, steps=3000):
    """Draws of x'w + b of new rows: slopes of standardised columns N(0, 4x/p), prior of ln x and of b as in (SP.20), (SP.21)."""
    random = np.random.default_rng(seed)
    p, centre, scale = X.shape[1], X.mean(axis=0), X.std(axis=0)
    A, of_new = (X - centre) / scale / np.sqrt(p), (new - centre) / scale / np.sqrt(p)

    def likelihood(score):
        return -np.logaddexp(0, (1 - 2 * t) * score).sum()

    def prior(u, b):
        c = (1 + np.pi * np.exp(u) / 2) ** -0.5
        return u - 2.25 * np.log1p(np.exp(u)) + np.log(c) - 0.5 * (np.logaddexp(0, c * b) + np.logaddexp(0, -c * b))

    z, u, b, out = random.normal(size=p), 0.0, 0.0, []
    at = A @ z
    now = likelihood(b + 2 * np.exp(u / 2) * at)
    for step in range(steps):
        for _ in range(2):  # elliptical slices
            other = random.normal(size=p)
            of_other, least = A @ other, now + np.log(random.uniform())
            angle = random.uniform(0, 2 * np.pi)
            low, high = angle - 2 * np.pi, angle
            while True:
                there = at * np.cos(angle) + of_other * np.sin(angle)
                value = likelihood(b + 2 * np.exp(u / 2) * there)
                if value > least:
                    break
                low, high = (angle, high) if angle < 0 else (low, angle)
                angle = random.uniform(low, high)
            z, at, now = z * np.cos(angle) + other * np.sin(angle), there, value
        for _ in range(3):
            for du, db in ((1.5 * random.normal(), 0), (0, (1 + np.exp(u / 2) / 2) * random.normal())):
                value = likelihood(b + db + 2 * np.exp((u + du) / 2) * at)
                if np.log(random.uniform()) < value + prior(u + du, b + db) - now - prior(u, b):
                    u, b, now = u + du, b + db, value
        if step >= steps // 6 and step % 3 == 0:
            out.append(b + 2 * np.exp(u / 2) * (of_new @ z))
    return np.array(out)


def curves(method, n, p, seed):
    X, mean, y = function_of(n, p, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method == "exact":
            of_new, of_mean = exact_curve(X[:n], y[:n], X[n:], seed)
        else:
            model = KernelRegressor().fit(X[:n], y[:n])
            of_new, of_mean = model.predict_interval(X[n:]), model.predict_interval(X[n:], interval="mean")
    inside = lambda interval, value: np.mean((interval[:, 0] <= value) & (value <= interval[:, 1]))
    return [inside(of_new, y[n:]), inside(of_mean, mean[n:])]


def exact_curve(X, y, new, seed, draws=1000):
    """Intervals of a new observation and of the mean: draws from (KM.2) with the weights of (KM.1)."""
    from scipy import stats

    random = np.random.default_rng(seed)
    n, p = X.shape
    centre, scale, t = X.mean(axis=0), X.std(axis=0), (y - y.mean()) / y.std()
    kinds = [(kernel, each) for each in ([False, True] if p > 1 else [False]) for kernel in (lambda u: np.exp(-u), lambda u: 1 / (1 + u))]
    parts = []
    for kernel, each in kinds:
        for _ in range(draws // len(kinds)):
            share = random.dirichlet(np.full(p, 1 / p)) if each else np.full(p, 1 / p)
            rho = np.sqrt(np.exp(3 * random.normal()) / 2 * share)
            a, b = (X - centre) / scale * rho, (new - centre) / scale * rho
            K = kernel(((a[:, None] - a[None]) ** 2).sum(axis=2))
            signal = random.beta(1, 1.25)
            h = min(signal / (1 - signal) * (n - 1) / max(n - K.sum() / n, 1e-12), 1e8)
            C = np.linalg.inv(h * K + np.eye(n))
            one, c = C.sum(axis=0), h * kernel(((b[:, None] - a[None]) ** 2).sum(axis=2))
            P = C - np.outer(one, one) / one.sum()
            q = t @ P @ t
            log_weight = -(n - 1) / 2 * np.log(q) + 0.5 * np.linalg.slogdet(C)[1] - 0.5 * np.log(one.sum())
            variance = h - ((c @ C) * c).sum(axis=1) + (1 - c @ one) ** 2 / one.sum()
            parts.append((log_weight, one @ t / one.sum() + c @ (P @ t), np.maximum(variance, 0), q / (n - 1)))
    log_weight, mean, variance, noise = (np.array(part) for part in zip(*parts))
    weight = np.exp(log_weight - log_weight.max())
    seen = weight > 1e-5
    weight, mean, variance, noise = weight[seen] / weight[seen].sum(), mean[seen], variance[seen], noise[seen, None]

    def interval(scale):
        ends = []
        for level in (0.025, 0.975):
            low, high = (mean - 1e3 * scale).min(axis=0), (mean + 1e3 * scale).max(axis=0)
            for _ in range(60):
                middle = (low + high) / 2
                below = weight @ stats.t.cdf((middle - mean) / np.maximum(scale, 1e-12), n - 1) < level
                low, high = np.where(below, middle, low), np.where(below, high, middle)
            ends.append((low + high) / 2)
        return y.mean() + y.std() * np.transpose(ends)

    return interval(np.sqrt(noise * (1 + variance))), interval(np.sqrt(noise * variance))


def measure(one, methods, rows, columns, tables):
    """{(method, n): array [columns, measures]}: means over the tables."""
    found = {}
    for method in methods:
        for n in rows:
            found[method, n] = np.array([np.mean([one(method, n, p, seed) for seed in range(tables)], axis=0) for p in columns(n)])
            print(f"{method:8} {n:3} rows", " ".join(f"{v:.3f}" for v in found[method, n].mean(axis=0)), flush=True)
    return found


def table(title, found, methods, rows, cell):
    print(f"\n{title}\n\n| rows | {' | '.join(methods)} |\n|---:|{'---|' * len(methods)}")
    for n in rows:
        print(f"| {n} | " + " | ".join(cell(found[method, n].mean(axis=0)) for method in methods) + " |")


def number(value):
    return f"{value:.3f}".replace("0.", ".", 1)


def report(of_classes, of_curves, methods, of_kernels):
    table("95% intervals of x'w", of_classes, [m for m in methods if m != "kernel"], ROWS_OF_CLASSES, lambda v: number(v[0]))
    table("nats lost per new row", of_classes, methods, ROWS_OF_CLASSES, lambda v: number(v[1]))
    table("stated and true, of all", of_classes, methods, ROWS_OF_CLASSES, lambda v: f"{number(v[2])} {number(v[3])}")
    table("stated and true, above .8 (share)", of_classes, methods, ROWS_OF_CLASSES,
          lambda v: f"{number(v[4] / v[6])} {number(v[5] / v[6])} ({number(v[6] / NEW)})" if v[6] > 0 else "-")
    table("Kernel regressions: a new observation, the mean", of_curves, of_kernels, ROWS_OF_CURVES, lambda v: f"{number(v[0])} {number(v[1])}")


def draw(of_classes, of_curves, methods, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colours = ["#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#000000", "#7f7f7f"]
    markers = "oDsv^PX*"
    with plt.rc_context({"font.size": 12, "axes.spines.top": False, "axes.spines.right": False}):
        figure, panels = plt.subplots(1, 3, figsize=(13.5, 4.6), layout="constrained")
        for axes, at, title in zip(panels, (0, 1), ("classes: the score $x'w$", "classes: lost probability")):
            for method, colour, marker in zip(methods, colours, markers):
                values = [of_classes[method, n][:, at].mean() for n in ROWS_OF_CLASSES]
                style = "--" if method == "exact" else "-"
                axes.plot(ROWS_OF_CLASSES, values, style, color=colour, marker=marker, label=method, markersize=6)
            axes.set(title=title, ylabel="inside the 95% interval" if at == 0 else "nats per new row", xlabel="rows", xscale="log")
            axes.set_xticks(ROWS_OF_CLASSES, [str(n) for n in ROWS_OF_CLASSES])
        for method, colour, style in (("kernel", "#000000", "-"), ("exact", "#7f7f7f", "--")):
            for at, marker, what in ((0, "o", "a new observation"), (1, "s", "the mean")):
                rows = [n for n in ROWS_OF_CURVES if (method, n) in of_curves]
                panels[2].plot(rows, [of_curves[method, n][:, at].mean() for n in rows], style, color=colour, marker=marker, markersize=6,
                               label=f"{what}{', exact' if method == 'exact' else ''}")
        panels[2].set(title="kernel regressions", ylabel="inside the 95% interval", xlabel="rows", xscale="log", ylim=(0.88, 1.001))
        panels[2].set_xticks(ROWS_OF_CURVES, [str(n) for n in ROWS_OF_CURVES])
        panels[2].legend(frameon=False, fontsize=10, loc="lower right")
        for axes in (panels[0], panels[2]):
            axes.axhspan(0.94, 0.965, color="0.9", zorder=0)
        for axes in panels:
            axes.minorticks_off()
        panels[1].set_yscale("log")
        panels[1].set_yticks([0.05, 0.1, 0.2, 0.5, 1], ["0.05", "0.1", "0.2", "0.5", "1"])
        panels[1].minorticks_off()
        figure.legend(*panels[1].get_legend_handles_labels(), loc="outside right center", frameon=False)
        figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100, help="for each number of rows and of columns")
    parser.add_argument("--exact", type=int, default=12, help="of them, for the exact posteriors; at least 1")
    parser.add_argument("--methods", nargs="*", default=METHODS, choices=METHODS)
    parser.add_argument("--picture", default=HERE / "results" / "few_rows_classes.png")
    arguments = parser.parse_args()
    if arguments.exact < 1 or arguments.tables < 1:
        parser.error("--tables and --exact must be at least 1")
    of_columns, of_inputs = lambda n: (1, 5, 20, 2 * n), lambda n: (1, 2, 5)
    of_classes = measure(classes, arguments.methods, ROWS_OF_CLASSES, of_columns, arguments.tables)
    of_classes |= measure(classes, ["exact"], ROWS_OF_CLASSES, of_columns, arguments.exact)
    of_curves = measure(curves, ["kernel"], ROWS_OF_CURVES, of_inputs, arguments.tables)
    of_curves |= measure(curves, ["exact"], ROWS_OF_CURVES, of_inputs, arguments.exact)
    report(of_classes, of_curves, [*arguments.methods, "exact"], ["kernel", "exact"])
    draw(of_classes, of_curves, [*arguments.methods, "exact"], arguments.picture)


if __name__ == "__main__":
    main()
