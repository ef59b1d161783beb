"""The table of results: a CSV file that grows by one line per fit, so that a run that was killed can continue."""

import csv
import os
from pathlib import Path

from scores import FIELDS

KEY = ["study", "problem", "seed", "method"]
COLUMNS = KEY + ["n", "p", "status", "seconds"] + FIELDS + ["kept"]


def key_of(row):
    return tuple(str(row[name]) for name in KEY)


class Results:
    def __init__(self, path):
        self.path = Path(path)
        self.rows = {}
        if self.path.exists():
            with self.path.open(newline="") as file:
                lines = list(csv.DictReader(file))
            whole = [row for row in lines if None not in row and None not in row.values()]  # the last line may be incomplete
            self.rows = {key_of(row): row for row in whole}

    def _rewrite(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_name(self.path.name + f".partial-{os.getpid()}")
        with partial.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows.values())
        partial.replace(self.path)

    def has(self, task):
        return key_of(task) in self.rows

    def forget(self, unwanted):
        """Removes the rows for which `unwanted(row)` is true, and an incomplete last line. A run does this first."""
        self.rows = {key: row for key, row in self.rows.items() if not unwanted(row)}
        self._rewrite()

    def add(self, row):
        line = {name: _digits(row.get(name, "")) for name in COLUMNS}
        self.rows[key_of(line)] = line
        with self.path.open("a", newline="") as file:
            csv.DictWriter(file, COLUMNS).writerow(line)


def _digits(value):
    if isinstance(value, float):
        return "" if value != value else f"{value:.6g}"
    return str(value)
