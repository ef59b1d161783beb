"""Linear and logistic regressions of long tables, ours and those of other programs: seconds, memory and errors against the number of rows.

    .venv/bin/python bench/scale/run.py [--rows 1e5,1e6] [--columns 20] [--tasks linear,logistic] [--only TEXT] [--limit SECONDS] [--tables FOLDER]
                                        [--results FILE] [--readme FILE] [--picture FILE]

Each fit is a process of its own on one thread, which reads the table from Parquet (peers.py). Its numbers become a row of the results at once; a later run
adds what is missing, so a long run may be cut into pieces. Then the table and the picture are made of all rows. Methods whose package is not installed are
left out: `pip install dask-ml polars-ols glum numexpr river`.
"""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

from peers import METHODS, write_table
from report import draw, table_of

HERE = Path(__file__).parent
FIELDS = ["task", "columns", "rows", "method", "processor_seconds", "seconds", "peak_mb", "error"]


def stored(path):
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return [{**row, "columns": int(row["columns"]), "rows": int(row["rows"]), **{k: float(row[k]) for k in FIELDS[4:]}} for row in csv.DictReader(file)]


def store(path, row):
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def measured(folder, task, method, limit):
    """What the fit took, or None and why not."""
    try:
        done = subprocess.run([sys.executable, HERE / "peers.py", folder, task, method], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"more than {limit:.0f} s"
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return json.loads(done.stdout.splitlines()[-1]), ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", default="1e5,1e6")
    options.add_argument("--columns", type=int, default=20)
    options.add_argument("--tasks", default="linear,logistic")
    options.add_argument("--only", default="")
    options.add_argument("--limit", type=float, default=600)
    options.add_argument("--tables", type=Path, default=Path("build/scale"))
    options.add_argument("--results", type=Path, default=HERE / "results" / "scale.csv")
    options.add_argument("--readme", type=Path)
    options.add_argument("--picture", type=Path)
    given = options.parse_args()
    for rows in [int(float(text)) for text in given.rows.split(",")]:
        for task in given.tasks.split(","):
            folder = given.tables / f"{task}-{rows}x{given.columns}"
            for method, (_, most_rows, _) in METHODS[task].items():
                key = (task, given.columns, rows, method)
                if given.only not in method or rows > most_rows or key in {tuple(row[k] for k in FIELDS[:4]) for row in stored(given.results)}:
                    continue
                if not (folder / "truth.npz").exists():
                    write_table(folder, task, rows, given.columns)
                numbers, why_not = measured(folder, task, method, given.limit)
                print(", ".join(map(str, key)) + ":", json.dumps(numbers) if numbers else why_not, flush=True)
                if numbers:
                    store(given.results, {**dict(zip(FIELDS, key)), **numbers})
    rows = stored(given.results)
    text = table_of(rows, METHODS)
    print(text)
    if given.readme:
        before, _, rest = given.readme.read_text().partition("<!-- table -->\n")
        after = rest.partition("<!-- end of the table -->")[2]
        given.readme.write_text(f"{before}<!-- table -->\n{text}\n<!-- end of the table -->{after}")
    if given.picture:
        draw(rows, given.picture, METHODS)


if __name__ == "__main__":
    main()
