#!/usr/bin/env python3
"""How many of the columns that a rule names have no effect, and how many effects it finds.

    python bench/fdr/run.py [--draws 40] [--first-seed 1000] [--rules slab,select] [--families "few;wide"] [--results results.csv]

A set of columns is true if it holds a column with an effect, and counts once. Power is the number of true sets divided by that of the effects.
For each rate the line has the realised rate with its standard error, the power, and the mean number of columns of a set; ! marks a rate
that is more than two standard errors above the nominal one. With --results, the file gets a line for each rate; table.py makes the table of
the page from it.
"""

from __future__ import annotations

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import argparse
import csv
import time
import warnings

import numpy as np

from families import FAMILIES, draw
from rules import RULES

RATES = (0.05, 0.1, 0.2)


def score(sets: list[list[int]], true: frozenset[int]) -> tuple[float, float, int, int]:
    """The share of the sets without an effect, and of the effects that are found; the number of sets and that of their columns."""
    hits = [not true.isdisjoint(one) for one in sets]
    return (1 - float(np.mean(hits)) if hits else 0.0), sum(hits) / len(true), len(sets), sum(map(len, sets))


def means(scores: np.ndarray) -> tuple[float, float, float, float]:
    """The realised rate, its standard error, the power, and the mean number of columns of a set."""
    false, power, sets, columns = scores.mean(axis=0)
    error = scores[:, 0].std(ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else np.nan
    return false, error, power, columns / sets if sets else np.nan


def line(scores: np.ndarray, fdr: float) -> str:
    false, error, power, columns = means(scores)
    return f"{fdr:g}: {false:.3f}{'!' if false > fdr + 2 * error else ' '}({error:.3f}) / {power:.2f} / {columns:.1f}"


def write(family: str, rule: str, by_rate: np.ndarray, seconds: float, asked: argparse.Namespace) -> None:
    print(f"{family:17s}{rule:10s}" + "   ".join(line(s, fdr) for s, fdr in zip(by_rate, RATES)) + f"   {seconds:.2f} s", flush=True)
    if not asked.results:
        return
    with open(asked.results, "a", newline="") as file:
        for s, fdr in zip(by_rate, RATES):
            numbers = [*(f"{x:.4f}" for x in means(s)), f"{seconds:.2f}"]
            csv.writer(file, lineterminator="\n").writerow([family, rule, asked.first_seed, asked.draws, fdr, *numbers])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=1000, help="the constants of the rules were chosen on seeds below 100")
    parser.add_argument("--results", help="a CSV file, which gets more lines")
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--families", default=";".join(f.name for f in FAMILIES), help="separated by ;")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for family in FAMILIES:
        if family.name not in asked.families.split(";"):
            continue
        rules = asked.rules.split(",")
        scores: dict[str, list] = {name: [] for name in rules}
        seconds = dict.fromkeys(rules, 0.0)
        for seed in range(asked.first_seed, asked.first_seed + asked.draws):
            table = draw(family, seed)
            for name in rules:
                started = time.process_time()
                rule = RULES[name](family, table)
                scores[name].append([score(rule(fdr), table.true) for fdr in RATES])
                seconds[name] += (time.process_time() - started) / asked.draws
        for name in rules:
            write(family.name, name, np.array(scores[name]).transpose(1, 0, 2), seconds[name], asked)


if __name__ == "__main__":
    main()
