"""The tables of README.md and of docs/which_prior.md, and the picture, from the results.

    .venv/bin/python bench/honest/report.py [--results FILE] [--readme FILE...] [--picture FILE] [--seeds 0,1]

Numbers of a problem are means over its seeds (folds); a method of which one seed is missing or reached the limit has no number there.
"""

import argparse
import re
from collections import defaultdict
from pathlib import Path

import numpy as np

import families
import real
from results import Results
from scores import FIELDS

HERE = Path(__file__).resolve().parent
NUMBERS = ["n", "p", "seconds", *FIELDS]
OURS = ["sparse", "shared", "ard"]
BAYESIAN = [*OURS, "ARDRegression", "BayesianRidge", "susieR"]
REGRESSIONS = [*BAYESIAN, "LassoCV", "ElasticNetCV", "RidgeCV"]
CLASSIFIERS = [*OURS, "LogisticRegressionCV L1", "LogisticRegressionCV L2"]
TITLES = {
    "sparse": "**sparse**",
    "LogisticRegressionCV L1": "L1-CV",
    "LogisticRegressionCV L2": "L2-CV",
}


class Means:
    """Means over the seeds, by problem, method and quantity. NaN where there are none."""

    def __init__(self, rows, study):
        runs, seeds = defaultdict(list), defaultdict(set)
        for row in rows:
            if row["study"] == study:
                seeds[row["problem"]].add(row["seed"])
                runs[row["problem"], row["method"]].append(row)
        self.values = {}
        self.stopped = set()  # reached the limit
        for (problem, method), some in runs.items():
            if any(row["status"].startswith(">") for row in some):
                self.stopped.add((problem, method))
            elif all(row["status"] == "ok" for row in some) and len(some) == len(seeds[problem]):
                for field in NUMBERS:
                    self.values[problem, method, field] = _mean([float(row[field] or "nan") for row in some])

    def __call__(self, problem, method, field):
        return self.values.get((problem, method, field), np.nan)

    def over(self, problems, method, field):
        return np.array([self(problem, method, field) for problem in problems])

    def methods(self, wanted):
        there = {method for _, method, _ in self.values}
        return [method for method in wanted if method in there]


def _mean(values):
    values = np.asarray(values, float)
    values = values[np.isfinite(values)]
    return values.mean() if values.size else np.nan


def text(value, digits=3):
    if not np.isfinite(value):
        return "-"
    if digits < 0:  # that many decimals
        return f"{value:.{-digits}f}"
    shown = f"{value:.{digits}g}"
    return shown if "e" not in shown else f"{value:.5f}".rstrip("0") if abs(value) < 1 else f"{value:.0f}"


def markdown(head, rows):
    return "\n".join(
        ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)] + ["| " + " | ".join(row) + " |" for row in rows]
    )


def title(method):
    return TITLES.get(method, method)


def better_of_both(means, problems):
    return np.fmin(means.over(problems, "LassoCV", "mse"), means.over(problems, "RidgeCV", "mse"))


def lowest_of(means, problems, methods, field):
    return np.fmin.reduce([means.over(problems, method, field) for method in methods])


def geometric_mean(ratio):
    ratio = ratio[np.isfinite(ratio)]
    return np.exp(np.mean(np.log(ratio))) if ratio.size else np.nan


def span(values):
    """Mean, and from where to where."""
    values = values[np.isfinite(values)]
    return f"{values.mean():.3f} ({values.min():.2f} to {values.max():.2f})" if values.size else "-"


def linear_summary(means):
    """One line a method. Ratios over the families with a signal that the method finished."""
    every = [family.name for family in families.LINEAR]
    signal = [family.name for family in families.LINEAR if family.effects != "null"]
    rows = []
    best = better_of_both(means, signal)
    lowest = lowest_of(means, signal, REGRESSIONS, "nlpd")
    for method in means.methods(REGRESSIONS):
        mse = means.over(signal, method, "mse")
        ratios = [mse / means.over(signal, "LassoCV", "mse"), mse / means.over(signal, "RidgeCV", "mse"), mse / best]
        noise = means.over(every, method, "noise_sd")
        seconds = means.over(every, method, "seconds") / means.over(every, "LassoCV", "seconds")
        rows.append(
            [title(method), str(np.isfinite(means.over(every, method, "mse")).sum())]
            + [text(geometric_mean(ratio), -2) for ratio in ratios]
            + [str(int((ratios[2] <= 1.02).sum()))]
            + [span(means.over(every, method, field)) for field in ("cov_y", "cov_f", "cov_coef")]
            + [text(_mean(means.over(signal, method, "nlpd") - lowest), -2)]
            + [f"{np.nanmin(noise):.2f} to {np.nanmax(noise):.2f}" if np.isfinite(noise).any() else "-"]
            + [text(geometric_mean(seconds), 2)]
        )
    head = "method|families|MSE / LassoCV|/ RidgeCV|/ better of both|not worse, of 37|coverage of y|of x'w|of coefficients|NLPD above the best|noise sd, true 1|seconds / LassoCV"
    return markdown(head.split("|"), rows)


def prior_summary(means):
    """One line a method, families with more columns than rows and the others side by side: what docs/which_prior.md shows."""
    shown, rows = means.methods([m for m in REGRESSIONS if m != "susieR"]), []
    halves = [[f for f in families.LINEAR if (f.p >= f.n) == is_wide] for is_wide in (True, False)]
    for method in shown:
        row = [title(method)]
        for half in halves:
            every, signal = [f.name for f in half], [f.name for f in half if f.effects != "null"]
            ratio = means.over(signal, method, "mse") / better_of_both(means, signal)
            row += [text(geometric_mean(ratio), -2)] + [span(means.over(every, method, field)) for field in ("cov_y", "cov_coef")]
        rows.append(row)
    numbers = [len(half) for half in halves]
    head = ["method"]
    for number, size in zip(numbers, ("p >= n", "p < n")):
        head += [f"{size} ({number} families): error", "coverage of y", "of weights"]
    return markdown(head, rows)


def linear_errors(means):
    """MSE of every method."""
    shown = means.methods(REGRESSIONS)
    rows = []
    for family in families.LINEAR:
        values = [means(family.name, method, "mse") for method in shown]
        best = lowest_of(means, [family.name], shown, "mse")[0]
        cells = ["> limit" if (family.name, m) in means.stopped else text(v) for m, v in zip(shown, values)]
        rows.append([described(family)] + [f"**{cell}**" if v <= 1.02 * best else cell for cell, v in zip(cells, values)])
    return markdown(["columns n x p, effects, snr"] + [title(m).strip("*") for m in shown], rows)


def described(family):
    snr = "" if family.snr is None else f", {family.snr:g}"
    return f"{family.columns} {family.n} x {family.p}, {family.effects}{snr}"


def linear_details(means, method):
    """Everything of one method."""
    fields = ["cov_y", "cov_f", "cov_coef", "cov_nonzero", "nlpd", "noise_sd", "selected", "found", "sum_pip", "seconds"]
    rows = []
    for family in families.LINEAR:
        values = [means(family.name, method, field) for field in fields]
        digits = [-3, -2, -3, -2, -3, -2, -1, -1, -1, 2]
        rows.append([described(family), text(means(family.name, method, "mse"))] + [text(v, d) for v, d in zip(values, digits)])
    head = "columns n x p, effects, snr|MSE|coverage of y|of x'w|of coefficients|of those not zero|NLPD|noise sd|selected|with an effect|sum of PIP|seconds"
    return markdown(head.split("|"), rows)


def logistic_errors(means):
    shown = means.methods(CLASSIFIERS)
    rows = []
    for family in families.LOGISTIC:
        kl = [means(family.name, method, "kl") for method in shown]
        best = lowest_of(means, [family.name], shown, "kl")[0]
        row = [described(family)] + [f"**{text(v)}**" if v <= 1.02 * best else text(v) for v in kl]
        row += [text(means(family.name, method, "cov_f"), -2) for method in means.methods(OURS)]
        row += [text(means(family.name, method, "calibration"), -3) for method in shown]
        rows.append(row)
    head = ["columns n x p, effects, variance of x'w"] + [f"KL {title(m).strip('*')}" for m in shown]
    head += [f"coverage of x'w {m}" for m in means.methods(OURS)] + [f"calibration {title(m).strip('*')}" for m in shown]
    return markdown(head, rows)


def logistic_summary(means):
    names = [family.name for family in families.LOGISTIC]
    signal = [family.name for family in families.LOGISTIC if family.effects != "null"]
    shown, rows = means.methods(CLASSIFIERS), []
    best = np.fmin(*(means.over(signal, f"LogisticRegressionCV {kind}", "kl") for kind in ("L1", "L2")))
    for method in shown:
        kl = means.over(signal, method, "kl")
        rows.append(
            [title(method), text(geometric_mean(kl / best), -2), str(int((kl <= 1.02 * best).sum()))]
            + [text(_mean(means.over(names, method, field)), -3) for field in ("error", "nlpd", "calibration")]
            + [span(means.over(names, method, field)) for field in ("cov_f", "cov_coef")]
            + [text(geometric_mean(means.over(names, method, "seconds") / means.over(names, "LogisticRegressionCV L1", "seconds")), 2)]
        )
    head = f"method|KL / better of L1 and L2|not worse, of {len(signal)}|error|log loss|calibration error|coverage of x'w|of coefficients|seconds / L1-CV"
    return markdown(head.split("|"), rows)


def real_regressions(means):
    """RMSE, NLPD and coverage: a line each of every data set."""
    shown, rows = means.methods(REGRESSIONS), []
    for name in real.REGRESSIONS:
        columns = _mean([means(name, method, "p") for method in shown])
        for label, field, digits in (("RMSE", "mse", 3), ("NLPD", "nlpd", -3), ("coverage of y", "cov_y", -3)):
            cells = []
            for method in shown:
                value = means(name, method, field)
                value = np.sqrt(value) if field == "mse" else value
                cells.append("> limit" if (name, method) in means.stopped else text(value, digits))
            size = f"{name.replace('-degree', ', degree ')}, {columns:.0f} columns"
            rows.append([size if field == "mse" else "", label, *cells])
    return markdown(["data", ""] + [title(m).strip("*") for m in shown], rows)


def real_classes(means):
    shown, rows = means.methods(CLASSIFIERS), []
    for name in real.CLASSES:
        for label, field in (("error", "error"), ("log loss", "nlpd"), ("calibration error", "calibration")):
            rows.append([name if field == "error" else "", label] + [text(means(name, m, field), -3) for m in shown])
    return markdown(["data", ""] + [title(m).strip("*") for m in shown], rows)


# ---- the files


def tables(rows):
    """Name -> Markdown, of the studies that were run."""
    linear, logistic, of_real = (Means(rows, study) for study in ("linear", "logistic", "real"))
    out = {}
    if linear.values:
        out |= {"linear-summary": linear_summary(linear), "linear-errors": linear_errors(linear), "priors": prior_summary(linear)}
        if linear.methods(["sparse"]):
            out["linear-sparse"] = linear_details(linear, "sparse")
    if logistic.values:
        out |= {"logistic-summary": logistic_summary(logistic), "logistic-errors": logistic_errors(logistic)}
    if of_real.values:
        out |= {"real-regressions": real_regressions(of_real), "real-classes": real_classes(of_real)}
    return out


def put(readme, found):
    """Each table between its marks, <!-- table NAME --> and <!-- end -->."""
    page = readme.read_text()
    for name, lines in found.items():
        marks = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.S)
        page = marks.sub(lambda match: f"{match[1]}{lines}\n{match[2]}", page)
    readme.write_text(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", type=Path, default=HERE / "results" / "results.csv")
    parser.add_argument("--readme", type=Path, nargs="+", help="pages whose tables are replaced; without it they are printed")
    parser.add_argument("--picture", type=Path, help="PNG to write")
    parser.add_argument("--seeds", type=lambda text: text.split(","), help="of the generated families; default: all")
    chosen = parser.parse_args()
    rows = [row for row in Results(chosen.results).rows.values() if chosen.seeds is None or row["study"] == "real" or row["seed"] in chosen.seeds]
    found = tables(rows)
    if chosen.readme:
        for page in chosen.readme:
            put(page, found)
    else:
        print("\n\n".join(f"## {name}\n\n{lines}" for name, lines in found.items()))
    if chosen.picture:
        from picture import draw

        draw(Means(rows, "linear"), chosen.picture)


if __name__ == "__main__":
    main()
