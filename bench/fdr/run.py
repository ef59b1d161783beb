#!/usr/bin/env python3
"""How many of the columns that a rule names have no effect, and how many effects it finds.

    python bench/fdr/run.py [--draws 40] [--rules slab,select] [--families "few;wide"]

A set of columns is true if it holds a column with an effect, and counts once. Power is the number of true sets divided by that of the effects.
For each rate the line has the realised rate with its standard error, and the power; ! marks a rate that is more than two standard errors
above the nominal one.
"""

from __future__ import annotations

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import argparse
import time
import warnings

import numpy as np

from families import FAMILIES, draw
from rules import RULES

RATES = (0.05, 0.1, 0.2)


def score(sets: list[list[int]], true: frozenset[int]) -> tuple[float, float]:
    """The share of the sets without an effect, and of the effects that are found."""
    hits = [not true.isdisjoint(one) for one in sets]
    return (1 - float(np.mean(hits)) if hits else 0.0), sum(hits) / len(true)


def line(scores: np.ndarray, fdr: float) -> str:
    false, power = scores.mean(axis=0)
    error = scores[:, 0].std(ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else np.nan
    return f"{fdr:g}: {false:.3f}{'!' if false > fdr + 2 * error else ' '}({error:.3f}) / {power:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--families", default=";".join(f.name for f in FAMILIES), help="separated by ;")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for family in FAMILIES:
        if family.name not in asked.families.split(";"):
            continue
        for name in asked.rules.split(","):
            started, scores = time.process_time(), []
            for seed in range(asked.draws):
                table = draw(family, seed)
                rule = RULES[name](family, table)
                scores.append([score(rule(fdr), table.true) for fdr in RATES])
            by_rate = np.array(scores).transpose(1, 0, 2)
            lines = "   ".join(line(s, fdr) for s, fdr in zip(by_rate, RATES))
            print(f"{family.name:17s}{name:10s}{lines}   {(time.process_time() - started) / asked.draws:.2f} s", flush=True)


if __name__ == "__main__":
    main()
