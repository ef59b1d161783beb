"""two_processors.py PROGRAM OTHER: the same fits by two builds of the program, how far apart they are, and each on the files of the other; and
OTHER on a file of each kind of model, which x86-64 wrote, with the predictions of x86-64 (tests/data).

PROGRAM and OTHER are commands, such as `build/bin/ardvark` and `qemu-aarch64 -L SYSROOT build/arm/bin/ardvark`.
"""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA, EARLIER = ROOT / "examples" / "data", ROOT / "tests" / "data" / "models" / "earlier"
BOSTON, PIMA = ["Boston.csv", "--target", "medv"], ["Pima.tr.csv", "--target", "type"]
FITS = [
    *[[*BOSTON, "--prior", prior] for prior in ("sparse", "slab", "dense", "shared", "ard", "none", "laplace")],
    [*BOSTON, "--noise", "student"],
    *[[*PIMA, "--prior", prior] for prior in ("sparse", "shared", "ard", "laplace")],
    ["Insurance.csv", "--target", "Claims", "--model", "counts", "--exposure", "Holders", "--ignore", "District"],
    ["Insurance.csv", "--target", "Group", "--ignore", "District"],
    ["synth.tr.csv", "--target", "yc", "--model", "rvm", "--centres", "100"],
    ["synth.tr.csv", "--target", "yc", "--model", "kernel"],
]
MOST = 2e-10  # standard deviations, nats: of means and bounds, as two kinds of x86-64 (docs/processors.md); all of these end after as many steps
MOST_OF_PREDICTIONS = 1e-11  # of the same file, as EarlierModels.KeepTheirPredictions


def numbers(value):
    """All numbers in it, in their order."""
    if isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from numbers(inner)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def farthest(one, other, scale=None):
    one, other = list(numbers(one)), list(numbers(other))
    assert len(one) == len(other), (len(one), len(other))
    scale = list(numbers(scale)) if scale is not None else [1 + abs(a) for a in one]
    assert len(one) == len(scale), (len(one), len(scale))
    return max((abs(a - b) / s for a, b, s in zip(one, other, scale) if s > 0), default=0.0)


def predictions_of(program, model, table):
    said = answers(program, "predict", model, table, "--json")
    said.pop("score", None)
    del said["seconds"]
    return said


def answers(command, *arguments):
    done = subprocess.run([*shlex.split(command), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (command, arguments, done.stderr)
    return json.loads(done.stdout)


def compare(programs, fit, folder):
    table, arguments = DATA / fit[0], fit[1:]
    files = [folder / "one.ardvark", folder / "other.ardvark"]
    fits = [answers(program, "fit", table, *arguments, "--json", "-q", "-o", file) for program, file in zip(programs, files)]
    one, other = fits
    assert one.get("sweeps") == other.get("sweeps"), (fit, one.get("sweeps"), other.get("sweeps"))
    means = farthest(one["mean"], other["mean"], one["sd"]) if "sd" in one else 0.0
    bounds = max(abs(a - b) for a, b in zip(numbers(one["bound"]), numbers(other["bound"])))
    predictions = 0.0
    for file in files:
        both = [predictions_of(program, file, table) for program in programs]
        assert both[0].keys() == both[1].keys()
        predictions = max(predictions, farthest(*both))
    print(f"{' '.join(fit):84s} {means:8.1e} {bounds:8.1e} {predictions:8.1e}", flush=True)
    return means, bounds, predictions


def farthest_of_earlier_models(program):
    apart = []
    for line in (EARLIER / "origin.csv").read_text().splitlines()[1:]:
        name, table = line.split(",")[:2]
        said, expected = predictions_of(program, EARLIER / f"{name}.ardvark", EARLIER / table), json.loads((EARLIER / f"{name}.json").read_text())
        assert said.keys() == expected.keys(), name
        apart.append(farthest(said, expected))
    assert apart, EARLIER
    return len(apart), max(apart)


def main():
    print(f"{'largest difference of':84s} {'means/sd':>8s} {'bounds':>8s} predictions of the same file")
    with tempfile.TemporaryDirectory() as folder:
        found = [compare(sys.argv[1:3], fit, Path(folder)) for fit in FITS]
    means, bounds, predictions = (max(column) for column in zip(*found))
    num_files, earlier = farthest_of_earlier_models(sys.argv[2])
    print(
        f"{len(FITS)} fits: means within {means:.1e} posterior standard deviations, bounds within {bounds:.1e} nats; predictions of the same file within "
        f"{predictions:.1e} of 1 + their size, and of {num_files} files of x86-64 within {earlier:.1e}"
    )
    assert means <= MOST and bounds <= MOST, (means, bounds)
    assert max(predictions, earlier) <= MOST_OF_PREDICTIONS, (predictions, earlier)


if __name__ == "__main__":
    main()
