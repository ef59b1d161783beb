"""Makes the tables of README.md and of docs/which_prior.md, and the picture, from the results.

    .venv/bin/python bench/honest/report.py [--results FILE] [--readme FILE...] [--picture FILE] [--seeds 0,1]

The numbers of a problem are means over its seeds (folds). If a seed of a method is missing or reached the limit, the method has no number
for this problem.
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
SMALL = ["sparse", "BIC", "exact", "LassoCV", "RidgeCV", "LogisticRegressionCV L1", "LogisticRegressionCV L2"]
CLASSIFIERS = [*OURS, "LogisticRegressionCV L1", "LogisticRegressionCV L2"]
TITLES = {
    "sparse": "**sparse**",
    "LogisticRegressionCV L1": "L1-CV",
    "LogisticRegressionCV L2": "L2-CV",
}


class Means:
    """Means over the seeds, by problem, method and quantity. NaN if there are none."""

    def __init__(self, rows, study):
        runs, seeds = defaultdict(list), defaultdict(set)
        for row in rows:
            if row["study"] == study:
                seeds[row["problem"]].add(row["seed"])
                runs[row["problem"], row["method"]].append(row)
        self.values = {}
        self.each = {}  # the value of each seed, in the order of the seeds
        self.stopped = set()  # fits that reached the limit
        for (problem, method), some in runs.items():
            if any(row["status"].startswith(">") for row in some):
                self.stopped.add((problem, method))
            elif all(row["status"] == "ok" for row in some) and len(some) == len(seeds[problem]):
                some.sort(key=lambda row: int(row["seed"]))
                for field in NUMBERS:
                    self.each[problem, method, field] = np.array([float(row.get(field) or "nan") for row in some])
                    self.values[problem, method, field] = _mean(self.each[problem, method, field])

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
    if digits < 0:  # -digits decimals
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
    """Mean (lowest to highest)."""
    values = values[np.isfinite(values)]
    return f"{values.mean():.3f} ({values.min():.2f} to {values.max():.2f})" if values.size else "-"


def linear_summary(means):
    """One line per method. Ratios are over the families with a signal for which the method finished."""
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
    """One line per method: families with p >= n, then the others. docs/which_prior.md shows this table."""
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
    """All results of one method."""
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
    """A line each for RMSE, NLPD and coverage of every data set."""
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


# ---- small tables


def difference(means, problems, one, other, field):
    """The mean difference over the seeds, averaged over the problems that both methods finished, and its standard error."""
    found = []
    for problem in problems:
        pair = [means.each.get((problem, method, field)) for method in (one, other)]
        if pair[0] is not None and pair[1] is not None and np.isfinite(pair[0] - pair[1]).all():
            found.append(pair[0] - pair[1])
    error = np.sqrt(sum(x.var(ddof=1) / x.size for x in found if x.size > 1)) / max(len(found), 1)
    return (np.mean([x.mean() for x in found]), error) if found else (np.nan, np.nan)


def signed(difference):
    return f"{difference[0]:+.3f} ± {difference[1]:.3f}" if np.isfinite(difference[0]) else "-"


def keep_false(means, problem, method):
    """Share of the fits that keep at least one column without an effect of its own."""
    kept = means.each.get((problem, method, "kept_none"), np.array([np.nan]))
    kept = kept[np.isfinite(kept)]
    return (kept > 0).mean() if kept.size else np.nan


def small_summary(means, some, methods, error):
    """One line per method. error: mse or kl. Errors are relative to those of BIC, over the families that both finished."""
    every, signal = [family.name for family in some], [family.name for family in some if family.effects != "null"]
    rows = []
    for method in means.methods(methods):
        ratio = means.over(signal, method, error) / means.over(signal, "BIC", error)
        row = [title(method), str(np.isfinite(means.over(every, method, error)).sum())]
        row += [text(_mean(means.over(every, method, "inclusion")), -3), signed(difference(means, every, method, "BIC", "inclusion"))]
        row += [text(_mean(means.over(every, method, field)), -2) for field in ("pip_own", "pip_none", "kept_none")]
        row += [text(_mean(means.over(every, method, "direction")), -3), signed(difference(means, every, method, "BIC", "direction"))]
        row += [text(geometric_mean(ratio), -2)] + [span(means.over(every, method, field)) for field in ("cov_f", "cov_y", "cov_coef")]
        rows.append(row + [text(_mean(means.over(every, method, "nlpd")), -3), text(_mean(means.over(every, method, "seconds")), 2)])
    what = error.upper()
    head = f"method|families|inclusion, log score|less BIC's|of own|of none|none kept|direction, log score|less BIC's|{what} / BIC|coverage of x'w|of y|of weights|NLPD|seconds"
    return markdown(head.split("|"), rows)


def small_families(means, some, methods, error):
    """One line for each family and method."""
    fields = {"inclusion": -3, "pip_own": -2, "pip_none": -2, "kept_none": -2, "direction": -3, error: 3, "cov_f": -3, "cov_y": -3, "cov_coef": -3, "nlpd": -3}
    rows = []
    for family in some:
        shown = [method for method in means.methods(methods) if np.isfinite(means(family.name, method, error))]
        for method in shown:
            cells = [text(means(family.name, method, field), digits) for field, digits in fields.items()]
            cells.insert(4, text(keep_false(means, family.name, method), -2))
            rows.append([small_name(family) if method == shown[0] else "", title(method).strip("*"), *cells, text(means(family.name, method, "seconds"), 2)])
    head = f"n x p, effects, size|method|inclusion, log score|of own|of none|none kept|fits that keep one|direction|{error.upper()}|coverage of x'w|of y|of weights|NLPD|seconds"
    return markdown(head.split("|"), rows)


def small_name(family):
    return f"{family.n} x {family.p}, {family.effects}" + ("" if family.size is None else f", {family.size:g}")


def kept_of_parts(rows):
    """(data, method) -> the columns that are kept in each part, by the number of the part."""
    kept = defaultdict(dict)
    for row in rows:
        if row["study"] == "parts" and row["status"] == "ok":
            kept[row["problem"], row["method"]][int(row["seed"])] = row["kept"]
    return {key: found for key, found in kept.items() if 0 in found and len(found) > 1}


def changes_of_parts(rows):
    """(data, method) -> for each part, how many columns are kept in only one of the part and the whole table."""
    return {key: [sum(one != other for one, other in zip(found[0], found[part])) for part in found if part] for key, found in kept_of_parts(rows).items()}


def parts_of_tables(rows, methods):
    kept, changes, lines = kept_of_parts(rows), changes_of_parts(rows), []
    for name, method in [(name, method) for name in real.IN_PARTS for method in methods if (name, method) in kept]:
        counts = [found.count("x") for part, found in kept[name, method].items() if part]
        changed = changes[name, method]
        numbers = [str(kept[name, method][0].count("x")), f"{min(counts)} to {max(counts)}", text(np.mean(changed), -1), str(max(changed))]
        lines.append([name, title(method).strip("*"), *numbers, f"{sum(c > 2 for c in changed)} of {len(changed)}"])
    return markdown("data|method|kept of all rows|of parts|other columns, mean|at most|by more than two".split("|"), lines)


def small_tables(rows, methods):
    """Name -> Markdown of the studies of small tables that were run."""
    out = {}
    for kind, some, error in (("linear", families.SMALL_LINEAR, "mse"), ("logistic", families.SMALL_LOGISTIC, "kl")):
        means = Means(rows, f"small-{kind}")
        if means.values:
            out[f"small-{kind}-summary"] = small_summary(means, some, methods, error)
            out[f"small-{kind}"] = small_families(means, some, methods, error)
    if any(row["study"] == "parts" for row in rows):
        out["parts"] = parts_of_tables(rows, methods)
    return out


# ---- one build against another

ERRORS = {"linear": "mse", "logistic": "kl", "real": "nlpd"}


def problems_of(study):
    some = {"linear": families.LINEAR, "logistic": families.LOGISTIC}.get(study)
    return [*real.REGRESSIONS, *real.CLASSES] if some is None else [family.name for family in some]


def compared(rows, study, builds):
    """Error, coverage and seconds of every build on every problem, and the error of the last build relative to that of the first."""
    means, error = Means(rows, study), ERRORS[study]
    lines = []
    for problem in problems_of(study):
        values = [means(problem, build, error) for build in builds]
        if not np.isfinite(values).any():
            continue
        change = text(values[-1] / values[0], -3) if study == "linear" else f"{values[-1] - values[0]:+.4f}"
        line = [problem, *(text(value, 4) for value in values), change]
        for field, digits in (("cov_y", -3), ("cov_f", -3), ("cov_coef", -3), ("seconds", 2)):
            line.append(" / ".join(text(means(problem, build, field), digits) for build in builds))
        lines.append(line)
    change = "last / first" if study == "linear" else "last - first"
    head = ["problem", *(f"{error.upper()} {build}" for build in builds), change, "coverage of y", "of x'w", "of weights", "seconds"]
    return markdown(head, lines)


def worse(means, study, builds):
    """Problems on which the last build is worse than the first by more than is allowed: 2% of MSE, .002 of KL or of log loss."""
    out = []
    for problem in problems_of(study):
        first, last = (means(problem, build, ERRORS[study]) for build in (builds[0], builds[-1]))
        is_ratio = study == "linear"
        if (last / first > 1.02 if is_ratio else last - first > 0.002):
            out.append(f"{problem} {last / first:.3f}" if is_ratio else f"{problem} {last - first:+.4f}")
    return out


def figures(rows, builds):
    """Whether the last build meets the conditions for a new default. Its errors are compared with those of the first build."""
    build, out = builds[-1], []
    add = lambda what, found, wanted, holds: out.append([what, found, wanted, "yes" if holds else "**no**"])
    for study, allowed in (("linear", "2% of MSE"), ("logistic", ".002 of KL"), ("real", ".002 of log density")):
        means = Means(rows, study)
        if means.values and len(builds) > 1:
            lost = worse(means, study, builds)
            add(f"{study}: problems that lose more than {allowed}", f"{len(lost)}: {', '.join(lost)}" if lost else "none", "none", not lost)
    means = Means(rows, "linear")
    if means.values:
        every, signal = problems_of("linear"), [family.name for family in families.LINEAR if family.effects != "null"]
        ratio = geometric_mean(means.over(signal, build, "mse") / better_of_both(means, signal))
        add("linear: MSE / better of lasso and ridge", text(ratio, -3), "at most .73", ratio <= 0.73)
        covered = means.over(every, build, "cov_y")
        covered = covered[np.isfinite(covered)]
        add("linear: coverage of new rows, mean", text(covered.mean(), -3), ".935 to .965", 0.935 <= covered.mean() <= 0.965)
        add("linear: coverage of new rows, each family", span(covered), ".91 to .98", covered.min() >= 0.91 and covered.max() <= 0.98)
    for kind, some in (("linear", families.SMALL_LINEAR), ("logistic", families.SMALL_LOGISTIC)):
        means = Means(rows, f"small-{kind}")
        if means.values:
            less, error = difference(means, [family.name for family in some], build, "BIC", "inclusion")
            add(f"small {kind}: log score of inclusions minus that of BIC", signed((less, error)), "at most 0", less <= 0)
    noise = keep_false(Means(rows, "small-logistic"), "pair-n20-p5-null", build)
    if np.isfinite(noise):
        add("two classes, 20 x 5, no effect: fits that keep a column", text(noise, -2), "at most .05", noise <= 0.05)
    changed = changes_of_parts(rows).get(("diabetes", build))
    if changed:
        add("diabetes: columns kept in only one of a part and the whole table, at most", str(max(changed)), "2", max(changed) <= 2)
    return markdown(["figure", "found", "wanted", "holds"], out)


# ---- the files


def tables(rows):
    """Name -> Markdown of the studies that were run."""
    linear, logistic, of_real = (Means(rows, study) for study in ("linear", "logistic", "real"))
    out = {}
    if linear.values:
        out |= {"linear-summary": linear_summary(linear), "linear-errors": linear_errors(linear), "priors": prior_summary(linear)}
        if linear.methods(["sparse"]):
            out["linear-sparse"] = linear_details(linear, "sparse")
    if logistic.values:
        out |= {"logistic-summary": logistic_summary(logistic), "logistic-errors": logistic_errors(logistic)}
    out |= small_tables(rows, SMALL)
    if of_real.values:
        out |= {"real-regressions": real_regressions(of_real), "real-classes": real_classes(of_real)}
    return out


def put(readme, found):
    """Writes each table between its marks, <!-- table NAME --> and <!-- end -->."""
    page = readme.read_text()
    for name, lines in found.items():
        marks = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.S)
        page = marks.sub(lambda match: f"{match[1]}{lines}\n{match[2]}", page)
    readme.write_text(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", type=Path, default=HERE / "results" / "results.csv")
    parser.add_argument("--readme", type=Path, nargs="+", help="pages whose tables are replaced; default: the tables are printed")
    parser.add_argument("--picture", type=Path, help="PNG to write")
    parser.add_argument("--seeds", type=lambda text: text.split(","), help="seeds of the generated families; default: all")
    chosen = parser.parse_args()
    rows = [row for row in Results(chosen.results).rows.values() if chosen.seeds is None or row["study"] in ("real", "parts") or row["seed"] in chosen.seeds]
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
