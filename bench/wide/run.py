"""Fits of tables with many columns, ours and those of other programs: seconds, memory, and what was found.

    .venv/bin/python bench/wide/run.py [--tables TEXT] [--only TEXT] [--large] [--limit SECONDS] [--folder FOLDER] [--results FILE] [--readme FILE] [--picture FILE]

Each fit is a process of its own on one thread (peers.py). Its numbers become a row of the results at once; a later run adds what is missing. Then the table and
the picture are made of all rows. Methods whose package is not installed are left out: `pip install adelie celer skglm`,
`apt-get install r-cran-glmnet r-cran-susier plink2`.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from one_process import measured, put_table, store, stored  # noqa: E402
from peers import METHODS, write  # noqa: E402
from report import draw, table_of  # noqa: E402
from tables import LARGE, TABLES  # noqa: E402

FIELDS = ["table", "method", "processor_seconds", "peak_mb", "X_mb", "named", "true", "sets", "sets_true", "error", "coverage", "excess"]


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
            done = {(row["table"], row["method"]) for row in stored(given.results, FIELDS[2:])}
            if given.only not in method or (name, method) in done or not (takes_classes if is_logistic else takes_numbers):
                continue
            if not (folder / "rest.npz").exists():
                write(folder, make())
            numbers, why_not = measured([sys.executable, HERE / "peers.py", folder, method], given.limit)
            print(f"{name}, {method}:", json.dumps(numbers) if numbers else why_not, flush=True)
            if numbers:
                store(given.results, FIELDS, {"table": name, "method": method, **numbers})
    rows = stored(given.results, FIELDS[2:])
    text = table_of(rows, TABLES, METHODS)
    print(text)
    if given.readme:
        put_table(given.readme, text)
    if given.picture:
        draw(rows, given.picture, TABLES, METHODS)


if __name__ == "__main__":
    main()
