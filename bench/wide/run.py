"""Fits of tables with many columns, ours and those of other programs: seconds, memory, and what was found.

    .venv/bin/python bench/wide/run.py [--tables TEXT] [--only TEXT] [--large] [--limit SECONDS] [--folder FOLDER] [--results FILE] [--readme FILE] [--picture FILE]

Each fit is a process of its own on one thread (peers.py). Its numbers become a row of the results at once; a later run adds what is missing. Then the table and
the picture are made of all rows. Methods whose package is not installed are left out: `pip install adelie celer skglm`,
`apt-get install r-cran-glmnet r-cran-susier plink2`.
"""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

from peers import METHODS, write
from report import draw, table_of
from tables import LARGE, TABLES

HERE = Path(__file__).parent
FIELDS = ["table", "method", "processor_seconds", "peak_mb", "X_mb", "named", "true", "sets", "sets_true", "error", "coverage"]


def stored(path):
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return [{**row, **{k: float(row[k]) if row[k] else None for k in FIELDS[2:]}} for row in csv.DictReader(file)]


def store(path, row):
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def measured(folder, method, limit):
    """What the fit took, or None and why not."""
    try:
        done = subprocess.run([sys.executable, HERE / "peers.py", folder, method], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"more than {limit:.0f} s"
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return json.loads(done.stdout.splitlines()[-1]), ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", default="")
    options.add_argument("--only", default="")
    options.add_argument("--large", action="store_true")
    options.add_argument("--limit", type=float, default=300)
    options.add_argument("--folder", type=Path, default=Path("build/wide"))
    options.add_argument("--results", type=Path, default=HERE / "results" / "wide.csv")
    options.add_argument("--readme", type=Path)
    options.add_argument("--picture", type=Path)
    given = options.parse_args()
    for name, make in TABLES.items():
        if given.tables not in name or (name in LARGE and not given.large):
            continue
        folder = given.folder / name.replace(" ", "-").replace(",", "")
        is_logistic = "two classes" in name
        for method, (_, _, takes_classes, takes_numbers) in METHODS.items():
            done = {(row["table"], row["method"]) for row in stored(given.results)}
            if given.only not in method or (name, method) in done or not (takes_classes if is_logistic else takes_numbers):
                continue
            if not (folder / "rest.npz").exists():
                write(folder, make())
            numbers, why_not = measured(folder, method, given.limit)
            print(f"{name}, {method}:", json.dumps(numbers) if numbers else why_not, flush=True)
            if numbers:
                store(given.results, {"table": name, "method": method, **numbers})
    rows = stored(given.results)
    text = table_of(rows, TABLES, METHODS)
    print(text)
    if given.readme:
        before, _, rest = given.readme.read_text().partition("<!-- table -->\n")
        after = rest.partition("<!-- end of the table -->")[2]
        given.readme.write_text(f"{before}<!-- table -->\n{text}\n<!-- end of the table -->{after}")
    if given.picture:
        draw(rows, given.picture, TABLES, METHODS)


if __name__ == "__main__":
    main()
