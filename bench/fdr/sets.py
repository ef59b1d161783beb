#!/usr/bin/env python3
"""Credible sets at 95%, beside those of susieR: how many hold a column with an effect, how large they are, and how many effects they find.

    python bench/fdr/sets.py [--tables 200] [--first-seed 1000] [--without-susie]

Tables of 400 rows and 300 columns; neighbours are correlated .5, .8, .9, .95 and .99, the same number of tables each; 1 to 5 effects of
5 to 9 standard errors, in places that are drawn. Both leave out sets with two columns that are correlated less than .5. Of the effects that
both find, the last column has the mean number of columns of their sets, and behind / that of susieR's. Needs Rscript and r-cran-susier.
"""

from __future__ import annotations

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import argparse
import subprocess
import tempfile
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ardvark import BayesianLinearRegression

ROWS, COLUMNS = 400, 300
CORRELATIONS = (0.5, 0.8, 0.9, 0.95, 0.99)


def draw(seed: int) -> tuple[float, np.ndarray, np.ndarray, frozenset[int]]:
    rng = np.random.default_rng([seed, 7])
    r = CORRELATIONS[seed % len(CORRELATIONS)]
    X = rng.standard_normal((ROWS, COLUMNS))
    for j in range(1, COLUMNS):
        X[:, j] = r * X[:, j - 1] + np.sqrt(1 - r * r) * X[:, j]
    true = rng.choice(COLUMNS, rng.integers(1, 6), replace=False)
    b = rng.choice([-1, 1], true.size) * rng.uniform(5, 9, true.size) / np.sqrt(ROWS)
    return r, X, X[:, true] @ b + rng.standard_normal(ROWS), frozenset(true.tolist())


class Found(NamedTuple):
    columns: tuple[int, ...]
    inclusion: float  # the probability that the set holds an effect


def sets_of_ours(prior: str, X: np.ndarray, y: np.ndarray) -> list[Found]:
    """A set that repeats another one counts once."""
    by_columns: dict[tuple[int, ...], float] = {}
    for one in BayesianLinearRegression(prior).fit(X, y).alternatives_:
        columns = tuple(sorted(int(j) for j in one.columns))
        by_columns[columns] = max(by_columns.get(columns, 0), one.inclusion)
    return [Found(c, inclusion) for c, inclusion in by_columns.items()]


def sets_of_susie(tables: list, folder: str) -> tuple[list[list[list[int]]], float]:
    for i, (_, X, y, _) in enumerate(tables):
        np.concatenate([X.ravel(order="F"), y]).tofile(Path(folder) / f"{i}.bin")
    command = ["Rscript", str(Path(__file__).with_name("sets.R")), folder, str(ROWS), str(COLUMNS), str(len(tables))]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    out: list[list[list[int]]] = [[] for _ in tables]
    seconds = 0.0
    for line in text.splitlines():
        table, kind, *numbers = line.split()
        if kind == "set":
            out[int(table)].append([int(j) for j in numbers])
        else:
            seconds += float(numbers[0])
    return out, seconds / len(tables)


def size_of(sets: list[list[int]], j: int) -> int:
    """The number of columns of the smallest set that holds column j; 0: none does."""
    return min((len(one) for one in sets if j in one), default=0)


def report(name: str, tables: list, sets: list[list[list[int]]], seconds: float, susie: list[list[list[int]]]) -> None:
    by_correlation = defaultdict(list)
    for (r, _, _, true), found, other in zip(tables, sets, susie):
        hits = [not true.isdisjoint(one) for one in found]
        sizes = [(size_of(found, j), size_of(other, j)) for j in true]
        both = [pair for pair in sizes if min(pair) > 0]
        counts = sum(hits), len(found), sum(map(len, found)), sum(own > 0 for own, _ in sizes), len(true)
        by_correlation[r].append((*counts, len(both), sum(own for own, _ in both), sum(theirs for _, theirs in both)))
    for r, counts in [*sorted(by_correlation.items()), ("all", [c for group in by_correlation.values() for c in group])]:
        hits, number, columns, covered, effects, both, own, theirs = np.sum(counts, axis=0)
        error = np.sqrt(max(hits / number * (1 - hits / number), 0) / number) if number else np.nan
        print(f"| {name} | {r} | {number} | {hits / max(number, 1):.3f} ({error:.3f}) | {columns / max(number, 1):.2f} "
              f"| {covered / effects:.3f} | {seconds:.3f} | {own / max(both, 1):.2f} / {theirs / max(both, 1):.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--without-susie", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = [draw(seed) for seed in range(asked.first_seed, asked.first_seed + asked.tables)]
    print("| sets of | correlation | sets | that hold an effect | columns | effects found | s | columns, where both find |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    susie: list[list[list[int]]] = [[] for _ in tables]
    if not asked.without_susie:
        with tempfile.TemporaryDirectory() as folder:
            susie, seconds = sets_of_susie(tables, folder)
        report("susieR", tables, susie, seconds, susie)
    for prior in ("slab", "sparse"):
        started = time.process_time()
        found = [sets_of_ours(prior, X, y) for _, X, y, _ in tables]
        seconds = (time.process_time() - started) / len(tables)
        for least in (0.5, 0.9):
            sets = [[list(one.columns) for one in ones if one.inclusion >= least] for ones in found]
            report(f"{prior}, inclusion {least} and more", tables, sets, seconds, susie)


if __name__ == "__main__":
    main()
