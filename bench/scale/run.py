"""Linear and logistic regressions of long tables, ours and those of other programs: seconds, memory and errors against the number of rows.

    .venv/bin/python bench/scale/run.py [--rows 1e5,1e6] [--columns 20] [--tasks linear,logistic] [--only TEXT] [--limit SECONDS] [--tables FOLDER]
                                        [--results FILE] [--readme FILE] [--picture FILE]

Each fit is a process of its own on one thread, which reads the table from Parquet (peers.py). Its numbers become a row of the results at once; a later run
adds what is missing, so a long run may be cut into pieces. Then the table and the picture are made of all rows. Methods whose package is not installed are
left out: `pip install dask-ml polars-ols glum numexpr river`.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from one_process import measured, put_table, store, stored  # noqa: E402
from peers import METHODS, write_table  # noqa: E402
from report import draw, table_of  # noqa: E402

FIELDS = ["task", "columns", "rows", "method", "processor_seconds", "seconds", "peak_mb", "error"]
NUMBERS = [field for field in FIELDS if field not in ("task", "method")]


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
                done = {tuple(row[k] for k in FIELDS[:4]) for row in stored(given.results, NUMBERS)}
                if given.only not in method or rows > most_rows or key in done:
                    continue
                if not (folder / "truth.npz").exists():
                    write_table(folder, task, rows, given.columns)
                numbers, why_not = measured([sys.executable, HERE / "peers.py", folder, task, method], given.limit)
                print(", ".join(map(str, key)) + ":", json.dumps(numbers) if numbers else why_not, flush=True)
                if numbers:
                    store(given.results, FIELDS, {**dict(zip(FIELDS, key)), **numbers})
    rows = stored(given.results, NUMBERS)
    text = table_of(rows, METHODS)
    print(text)
    if given.readme:
        put_table(given.readme, text)
    if given.picture:
        draw(rows, given.picture, METHODS)


if __name__ == "__main__":
    main()
