"""Gaps that come together: do predictive intervals hold what they say if correlated columns are missing in the same row?

    python bench/missing/together.py [--tasks linear,logistic] [--columns 2,6,20] [--correlations 0,.5,.9,.99,.999]
                                     [--gaps blocks,singles] [--texts 0,1] [--rows 200] [--tables 20] [--prior auto]
                                     [--store FILE] [--picture FILE] [--check]

A table has K columns x with the correlation R between any two, a column z of its own, and a target: x1 + z + noise of sd .3, or two
classes with the log odds 2 (x1 + z). Blocks: all x of a row are missing in a third of the rows. Singles: each x is missing with
probability one third. Texts: a column of three levels, that the common part of the x decides up to noise of the same size, is missing
like an x, and its levels add -1, 0 and 1 to the target. Rows to predict have gaps of the same kind.

Printed for each setting, as means over the tables:
  intervals  share of new targets in their 95% interval: for the model of the complete table and complete new rows, and with gaps
  sd         mean standard deviation of a prediction with gaps / root mean square of its error
  noise      noise of the imputed model / noise of the model of the complete table
  slopes     sum of the coefficients of x in the imputed model (truth: 1, or 2 for classes), and in that of the complete table
  log loss   of classes: that of the model minus that of the true probabilities given what the row shows, complete and with gaps
  calibration  mean probability minus share of the class, among new rows with a probability above and below one half
The random numbers of a table depend only on the setting and its number.
With --store, each table becomes a line of FILE, and what is in FILE is not computed again.
With --check (scripts/check missing), the program fails if, in a setting of regressions, the share of intervals differs from that of
complete data by more than .02 and four standard errors of the difference.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from ardvark import BayesianLinearRegression, BayesianLogisticRegression

SHARE, NOISE, SLOPE, NEW = 1 / 3, 0.3, {"linear": 1.0, "logistic": 2.0}, 400
LEVELS = np.array(["low", "middle", "high"], dtype=object)


def table(rng, task, n, k, rho, text):
    common = rng.normal(size=n)
    x = np.sqrt(rho) * common[:, None] + np.sqrt(1 - rho) * rng.normal(size=(n, k))
    z = rng.normal(size=n)
    level = np.digitize((common + rng.normal(size=n)) / np.sqrt(2), [-0.5, 0.5]) if text else np.ones(n, dtype=int)
    score = SLOPE[task] * (x[:, 0] + z + (level - 1))
    y = score + NOISE * rng.normal(size=n) if task == "linear" else (score + rng.logistic(size=n) > 0).astype(float)
    return x, z, level, y


def gaps(rng, kind, n, width):
    return np.repeat(rng.random((n, 1)) < SHARE, width, axis=1) if kind == "blocks" else rng.random((n, width)) < SHARE


def frame(x, z, level, text, hidden=None):
    k = x.shape[1]
    hidden = np.zeros((x.shape[0], k + 1), dtype=bool) if hidden is None else hidden
    columns = {f"x{j + 1}": np.where(hidden[:, j], np.nan, x[:, j]) for j in range(k)}
    columns["z"] = z
    if text:
        columns["level"] = np.where(hidden[:, k], None, LEVELS[level])
    return pd.DataFrame(columns)


def best_probability(rng, x, z, rho, hidden, draws=400):
    """Of the class given the values that a row shows: x1 is normal given the others. Without texts."""
    k, out = x.shape[1], np.empty(len(z))
    covariance = rho * np.ones((k, k)) + (1 - rho) * np.eye(k)
    for i, row in enumerate(x):
        mean, variance = row[0], 0.0
        if hidden[i, 0]:
            known = np.flatnonzero(~hidden[i, :k])
            along = np.linalg.solve(covariance[np.ix_(known, known)], covariance[known, 0]) if known.size else np.zeros(0)
            mean, variance = along @ row[known], 1 - along @ covariance[known, 0]
        score = SLOPE["logistic"] * (mean + np.sqrt(max(variance, 0)) * rng.normal(size=draws) + z[i])
        out[i] = np.mean(1 / (1 + np.exp(-score)))
    return out


def log_loss(p, y):
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return -np.mean(np.where(y == 1, np.log(p), np.log1p(-p)))


def one(rng, task, kind, k, rho, text, n, prior):
    estimator = BayesianLinearRegression if task == "linear" else BayesianLogisticRegression
    x, z, level, y = table(rng, task, n, k, rho, text)
    hidden = gaps(rng, kind, n, k + 1)
    new_x, new_z, new_level, new_y = table(rng, task, NEW, k, rho, text)
    new_hidden = gaps(rng, kind, NEW, k + 1)
    whole = estimator(prior).fit(frame(x, z, level, text), y)
    imputed = estimator(prior, missing="impute").fit(frame(x, z, level, text, hidden), y)
    complete, gapped = frame(new_x, new_z, new_level, text), frame(new_x, new_z, new_level, text, new_hidden)
    some = new_hidden[:, : k + int(text)].any(axis=1)
    found = {"slopes": float(imputed.coef_.ravel()[:k].sum()), "slopes of complete": float(whole.coef_.ravel()[:k].sum())}
    if task == "linear":
        inside = lambda fit, rows: (lambda ends: (ends[:, 0] <= new_y) & (new_y <= ends[:, 1]))(fit.predict_interval(rows))
        mean, sd = imputed.predict(gapped, return_std=True)
        found |= {
            "complete": inside(whole, complete).mean(), "gaps": inside(imputed, gapped)[some].mean(),
            "sd": sd[some].mean() / np.sqrt(np.mean((mean - new_y)[some] ** 2)),
            "noise": np.sqrt(whole.alpha_ / imputed.alpha_),
        }
    else:
        p, of_complete = imputed.predict_proba(gapped)[:, 1], whole.predict_proba(complete)[:, 1]
        above = p > 0.5
        found |= {"above": (p - new_y)[above].mean(), "below": (p - new_y)[~above].mean(),
                  "above of complete": (of_complete - new_y)[of_complete > 0.5].mean(),
                  "below of complete": (of_complete - new_y)[of_complete <= 0.5].mean()}
        loss, loss_of_complete = log_loss(p, new_y), log_loss(of_complete, new_y)
        if not text:
            loss -= log_loss(best_probability(rng, new_x, new_z, rho, new_hidden), new_y)
            loss_of_complete -= log_loss(1 / (1 + np.exp(-SLOPE[task] * (new_x[:, 0] + new_z))), new_y)
        found |= {"gaps": loss, "complete": loss_of_complete}
    return {key: float(value) for key, value in found.items()}


def run(cases, args):
    store = Path(args.store) if args.store else None
    lines = [json.loads(line) for line in store.read_text().splitlines()] if store and store.exists() else []
    done = {(tuple(line["case"]), line["table"]) for line in lines}
    for case in cases:
        for t in range(args.tables):
            if (case, t) in done:
                continue
            task, kind, k, rho, text, n = case
            rng = np.random.default_rng([t, k, n, int(1000 * rho), task == "linear", kind == "blocks", text])
            lines.append({"case": case, "table": t, "found": one(rng, task, kind, k, rho, text, n, args.prior)})
            if store:
                with store.open("a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    return [line for line in lines if tuple(line["case"]) in set(cases)]


def show(cases, lines):
    for task in dict.fromkeys(case[0] for case in cases):
        print({"linear": "| gaps | columns | text | rows | correlation | intervals, complete | with gaps (se) | sd | noise | slopes, complete | with gaps |",
               "logistic": "| gaps | columns | text | rows | correlation | log loss, complete | with gaps (se) | p - share above .5 (complete) | below .5 (complete) | slopes, complete | with gaps |"}[task])
        print("|---|---|---|---|---|---|---|---|---|---|---|")
        for case in (case for case in cases if case[0] == task):
            found = [line["found"] for line in lines if tuple(line["case"]) == case]
            if not found:
                continue
            mean = {key: np.mean([one[key] for one in found]) for key in found[0]}
            error = np.std([one["gaps"] for one in found]) / np.sqrt(len(found))
            _, kind, k, rho, text, n = case
            head = f"| {kind} | {k} | {'yes' if text else 'no'} | {n} | {rho:g} | {mean['complete']:.3f} | {mean['gaps']:.3f} ({error:.3f}) | "
            middle = (f"{mean['sd']:.2f} | {mean['noise']:.2f} | " if task == "linear" else
                      f"{mean['above']:+.3f} ({mean['above of complete']:+.3f}) | {mean['below']:+.3f} ({mean['below of complete']:+.3f}) | ")
            print(head + middle + f"{mean['slopes of complete']:.2f} | {mean['slopes']:.2f} |", flush=True)


def faults(cases, lines):
    """What --check finds, each as a sentence."""
    for case in (case for case in cases if case[0] == "linear"):
        apart = np.array([line["found"]["gaps"] - line["found"]["complete"] for line in lines if tuple(line["case"]) == case])
        if abs(apart.mean()) > 0.02 + 4 * apart.std(ddof=1) / np.sqrt(apart.size):
            yield f"{', '.join(map(str, case))}: with gaps, the share of intervals is {apart.mean():+.3f} apart from that of complete data"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words = {"tasks": "linear,logistic", "columns": "2,6,20", "correlations": "0,.5,.9,.99,.999", "gaps": "blocks,singles",
             "texts": "0", "rows": "200", "prior": "auto"}
    for name, value in words.items():
        parser.add_argument(f"--{name}", default=value)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--store")
    parser.add_argument("--picture")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    several = lambda name, kind: [kind(word) for word in getattr(args, name).split(",")]
    cases = [(task, gaps, k, rho, text, n) for task in several("tasks", str) for gaps in several("gaps", str)
             for k in several("columns", int) for text in several("texts", int) for n in several("rows", int)
             for rho in several("correlations", float)]
    lines = run(cases, args)
    show(cases, lines)
    if args.picture:
        from together_picture import draw
        draw(lines, args.picture)
    if args.check:
        found = list(faults(cases, lines))
        print("\n".join(found) or f"figure: gaps that come together: {len(cases)} settings, {args.tables} tables each: intervals hold as often as those of complete data")
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
