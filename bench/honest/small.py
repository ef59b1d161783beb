"""Compares builds of the library on small tables and on parts of tables, in one or two minutes per build.

The tables also show the results of sums over subsets and of cross-validation from results.csv. With --all, every family and all real data
are compared, in about ten minutes per build. A last table shows whether the last build meets the conditions for a new default.

    .venv/bin/python bench/honest/small.py                                              # the library that the package finds
    .venv/bin/python bench/honest/small.py --library before=../before new=build/libardvark.so --draws 10 --studies small-linear
    .venv/bin/python bench/honest/small.py --library recorded new=build/libardvark.so --all

NAME=PATH: PATH is a library, which the installed Python package uses; or the root of another checkout, whose build/libardvark.so and
package in python/ are used. "recorded" stands for the results of the prior in results.csv. All fits have the prior `sparse` (or --prior);
run.py makes each one in its own process.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from report import ERRORS, SMALL, compared, figures, small_tables
from run import STUDIES as EVERY
from results import Results

HERE = Path(__file__).resolve().parent
RECORDED = "recorded"
STUDIES = ["small-linear", "small-logistic", "parts"]


def environment(path):
    """The environment variables with which Python finds the library."""
    if path is None:
        return dict(os.environ)
    root = Path(path).resolve()
    if root.is_dir():
        return {**os.environ, "ARDVARK_LIBRARY": str(root / "build" / "libardvark.so"), "PYTHONPATH": str(root / "python")}
    return {**os.environ, "ARDVARK_LIBRARY": str(root)}


def seeds_of(study, draws):
    return range(draws + (study == "parts"))  # parts: also part 0, the whole table; folds and large families have fewer seeds


def rows_of(name, path, chosen, folder):
    """Result rows of the library at `path`, with `name` as the method."""
    results = folder / f"{name}.csv"
    for study in chosen.studies:
        seeds = ",".join(map(str, seeds_of(study, chosen.draws)))
        command = [sys.executable, HERE / "run.py", "--results", results, "--studies", study, "--methods", chosen.prior, "--seeds", seeds]
        subprocess.run([*command, "--families", ",".join(chosen.families)], check=True, env=environment(path), stdout=subprocess.DEVNULL)
    rows = list(Results(results).rows.values())
    for row in rows:
        if row["status"] != "ok":
            print(f"{name}: {row['problem']}, {row['seed']}: {row['status']}", file=sys.stderr)
    return [row | {"method": name} for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--library",
        nargs="+",
        default=["library"],
        metavar="NAME=PATH",
        help="a library or the root of a checkout; default: the library that the package finds",
    )
    parser.add_argument("--draws", type=int, default=20, help="draws of each family, parts of each table; at most 20, as in results.csv")
    parser.add_argument("--studies", type=lambda text: text.split(","), default=STUDIES, help="some of " + ", ".join(EVERY))
    parser.add_argument("--all", action="store_const", const=EVERY, dest="studies", help="all studies")
    parser.add_argument("--families", type=lambda text: text.split(","), default=["*"], help="names of problems, or patterns such as *-p8-*")
    parser.add_argument("--prior", default="sparse", help="sparse or shared")
    parser.add_argument("--peers", type=lambda text: text.split(","), default=SMALL[1:], help="methods of results.csv that are shown")
    chosen = parser.parse_args()
    builds = dict((name, path or None) for name, _, path in (one.partition("=") for one in chosen.library))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in builds.items():
            rows += [] if name == RECORDED else rows_of(name, path, chosen, Path(folder))
    problems = {(row["study"], row["problem"]) for row in rows}
    names = {name: name for name in chosen.peers} | ({chosen.prior: RECORDED} if RECORDED in builds else {})
    for row in Results(HERE / "results" / "results.csv").rows.values():
        if (row["study"], row["problem"]) in problems and int(row["seed"]) in seeds_of(row["study"], chosen.draws) and row["method"] in names:
            rows.append(row | {"method": names[row["method"]]})
    found = {study: compared(rows, study, list(builds)) for study in chosen.studies if study in ERRORS}
    found |= small_tables(rows, [*builds, *chosen.peers]) | {"figures": figures(rows, list(builds))}
    for name, lines in found.items():
        print(f"## {name}\n\n{lines}\n")


if __name__ == "__main__":
    main()
