"""Regressions of many targets, ours and those of other programs: processor seconds, memory and errors.

    .venv/bin/python bench/targets/run.py [--rows 1000] [--columns 2000] [--targets 20000] [--new-rows 10000] [--predicted-targets 10000]
                                          [--mapped-targets 100000] [--sparse-tables 500x1000x1000,200x500x1000] [--parts fit,predict,mapped,sparse] [--limit SECONDS] [--tables FOLDER] [--readme FILE]

Each method is a process of its own on one thread of one core (peers.py). All numbers of a table come from one run; a part that is not asked for leaves its table as
it is. Methods whose package is not installed are left out: `pip install himalaya`. The tables of 100,000 targets take 3 GB of disk while they are measured.
"""

import argparse
import datetime
import importlib.util
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from one_process import measured  # noqa: E402
from peers import FEW, FITS, MAPPED, PREDICTIONS, SPARSE  # noqa: E402
from tables import write_tables  # noqa: E402


def gigabytes(megabytes):
    return f"{megabytes / 1024:.2f} GB"


def ratio(seconds, base):
    return f"{seconds / base:.3g}"


def with_table(folder, rows, columns, targets, few_effects=False):
    folder = folder / f"{rows}x{columns}x{targets}{'-few' if few_effects else ''}"
    if not (folder / "Y.npy").exists():
        write_tables(folder, rows, columns, targets, few_effects)
    return folder


def run_each(what, folder, methods, limit, *arguments):
    found = {}
    for method in methods:
        package = method.split(",")[0]
        if package == "himalaya" and importlib.util.find_spec(package) is None:
            print(f"{method}: is not installed", flush=True)
            continue
        numbers, why_not = measured([sys.executable, HERE / "peers.py", what, folder, method, *map(str, arguments)], limit)
        print(f"{method}:", json.dumps(numbers) if numbers else why_not, flush=True)
        if numbers:
            found[method] = numbers
    return found


def of_fits(given):
    folder = with_table(given.tables, given.rows, given.columns, given.targets)
    found = run_each("fit", folder, FITS, given.limit)
    ours = found["ardvark, prior shared"]["processor_seconds"]
    text = [f"**Fits**: {given.rows} rows, {given.columns} columns, {given.targets} targets of single precision", ""]
    text += ["| | processor seconds | times ours | peak memory | error | a penalty for each target | intervals |", "|---|---:|---:|---:|---:|---|---|"]
    for method, took in found.items():
        _, each, intervals = FITS[method]
        seconds = took["processor_seconds"]
        few = f" ({FEW} targets)" if "of_targets" in took else ""
        memory = "" if few else gigabytes(took["peak_mb"])
        text.append(f"| {method} | {seconds:.3g}{' extrapolated' if few else ''} | {ratio(seconds, ours)} | {memory} | {took['error']:.3f}{few} | {'yes' if each else 'no'} | {'yes' if intervals else 'no'} |")
    return text


def of_predictions(given):
    folder = with_table(given.tables, given.rows, given.columns, given.predicted_targets)
    found = run_each("predict", folder, PREDICTIONS, given.limit, given.new_rows)
    base = found["numpy, the product in double precision"]["processor_seconds"]
    text = [f"**Predictions**: {given.new_rows} new rows, {given.columns} columns, {given.predicted_targets} targets; {given.rows} rows in the fit", ""]
    text += ["| | processor seconds | times the product | memory before | peak memory |", "|---|---:|---:|---:|---:|"]
    for method, took in found.items():
        seconds = took["processor_seconds"]
        text.append(f"| {method} | {seconds:.3g} | {ratio(seconds, base)} | {gigabytes(took['before_mb'])} | {gigabytes(took['peak_mb'])} |")
    return text


def of_files(given):
    folder = with_table(given.tables, given.rows, given.columns, given.mapped_targets)
    try:
        found = run_each("mapped", folder, MAPPED, given.limit)
    finally:
        shutil.rmtree(folder)
    files = 4 * given.mapped_targets * (given.rows + given.columns) / 2**20
    text = [f"**Mapped files**: {given.rows} rows, {given.columns} columns, {given.mapped_targets} targets; Y and the coefficients take {gigabytes(files)}", ""]
    text += ["| Y in the file | processor seconds | peak memory, mapped files included | added without mapped files |", "|---|---:|---:|---:|"]
    for method, took in found.items():
        text.append(f"| {method} | {took['processor_seconds']:.3g} | {gigabytes(took['peak_mb'])} | {gigabytes(took['own_mb'])} |")
    return text


def of_few_effects(given):
    text = ["**Few effects**", "", "| table | | processor milliseconds a target | times ours | error | intervals |", "|---|---|---:|---:|---:|---|"]
    for rows, columns, targets in (map(int, table.split("x")) for table in given.sparse_tables.split(",")):
        found = run_each("sparse", with_table(given.tables, rows, columns, targets, True), SPARSE, given.limit)
        ours = found["ardvark, prior sparse, together"]["processor_seconds"]
        for method, took in found.items():
            few = f" ({took['of_targets']} targets)" if "of_targets" in took else ""
            milliseconds = 1000 * took["processor_seconds"] / targets
            text.append(f"| {rows} x {columns} | {method} | {milliseconds:.3g} | {ratio(took['processor_seconds'], ours)} | {took['error']:.3f}{few} | {'yes' if SPARSE[method][1] else 'no'} |")
    return text


PARTS = {"fit": of_fits, "predict": of_predictions, "mapped": of_files, "sparse": of_few_effects}


def put_part(readme, part, text):
    begin, end = f"<!-- {part} -->\n", f"<!-- end of {part} -->"
    before, _, rest = readme.read_text().partition(begin)
    after = rest.partition(end)[2]
    readme.write_text(f"{before}{begin}{text}\n{end}{after}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1000)
    options.add_argument("--columns", type=int, default=2000)
    options.add_argument("--targets", type=int, default=20_000)
    options.add_argument("--new-rows", type=int, default=10_000)
    options.add_argument("--predicted-targets", type=int, default=10_000)
    options.add_argument("--mapped-targets", type=int, default=100_000)
    options.add_argument("--sparse-tables", default="500x1000x1000,200x500x1000", help="rows x columns x targets")
    options.add_argument("--parts", default=",".join(PARTS))
    options.add_argument("--limit", type=float, default=1800)
    options.add_argument("--tables", type=Path, default=Path("build/targets"))
    options.add_argument("--readme", type=Path)
    given = options.parse_args()
    for part in given.parts.split(","):
        text = "\n".join([*PARTS[part](given), "", f"Measured on {datetime.date.today():%-d %B %Y}."])
        print(f"\n{text}\n", flush=True)
        if given.readme:
            put_part(given.readme, part, text)


if __name__ == "__main__":
    main()
