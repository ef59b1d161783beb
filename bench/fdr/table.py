#!/usr/bin/env python3
"""The table of README.md from results.csv: for each family and rate the realised rates and the power of select, beside other rules.
Of select also the mean number of columns of a set.

    python bench/fdr/table.py
"""

from __future__ import annotations

import csv
from pathlib import Path

HEADER = ["family", "rule", "first_seed", "draws", "fdr", "false", "error", "power", "columns", "seconds"]


def main() -> None:
    with open(Path(__file__).with_name("results.csv"), newline="") as file:
        lines = [dict(zip(HEADER, line)) for line in csv.reader(file)]
    by_key = {(line["family"], line["rule"], line["fdr"]): line for line in lines}
    rules = list(dict.fromkeys(line["rule"] for line in lines))
    print("| family | rate | " + " | ".join(rules) + " |\n|---|---:|" + "---|" * len(rules))
    for family, fdr in dict.fromkeys((line["family"], line["fdr"]) for line in lines):
        cells = []
        for rule in rules:
            found = by_key.get((family, rule, fdr))
            if found is None:
                cells.append("")
                continue
            false, error, power = (float(found[name]) for name in ("false", "error", "power"))
            mark = "**" if false > float(fdr) + 2 * error else ""
            columns = f" / {float(found['columns']):.1f}" if rule == "select" else ""  # other rules name single columns
            cells.append(f"{mark}{false:.3f}{mark} ({error:.3f}) / {power:.2f}{columns}")
        print(f"| {family} | {fdr} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
