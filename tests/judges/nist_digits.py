"""The digits that each interface keeps of the certified values of NIST's linear regressions (tests/data/nist)."""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data" / "nist"
# The least digits over the coefficients; Householder's triangularisation reaches all of them. Wampler1 and 2 have no noise.
REQUIRED = {"Norris": 11.5, "Pontius": 11.5, "NoInt1": 14, "NoInt2": 14, "Filip": 7, "Longley": 10, "Wampler1": 8.5,
            "Wampler2": 12, "Wampler3": 8.5, "Wampler4": 7, "Wampler5": 5}
OPTIONS = {"model": "linear", "prior": "none", "a0": 1e-200, "b0": 1e-200}  # next to no prior of the noise: its classical scale


def of_sd(name):
    """The digits asked of standard deviations and of the residual's."""
    return 7 if name == "Filip" else 9.5


def read(name):
    lines = [line.split(",") for line in (DATA / f"{name}.csv").read_text().split()]
    certified = [[float(v) for v in line.split(",")] for line in (DATA / f"{name}_certified.csv").read_text().split()]
    return lines[0], [[float(v) for v in line] for line in lines[1:]], certified[:-1], certified[-1]


def digits(value, certified):
    error = abs(value - certified) / (abs(certified) or 1)
    return 15.0 if error == 0 else min(-math.log10(error), 15.0) if error == error else 0.0


def has_intercept(name):
    return not name.startswith("NoInt")


def shell(program, name):
    words = [word for key, value in OPTIONS.items() for word in (f"--{key}", str(value))]
    if not has_intercept(name):
        words.append("--no-intercept")
    done = subprocess.run([program, "fit", str(DATA / f"{name}.csv"), "--target", "y", "--json", *words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def python(name):
    import numpy
    from ardvark import _core

    table = numpy.array(read(name)[1])
    model = _core.fit(table[:, 1:], table[:, 0], intercept=has_intercept(name), **OPTIONS)
    return model.to_dict()


def octave(folder, name):
    with tempfile.TemporaryDirectory() as home:
        words = ", ".join(f"'{key}', {value!r}" for key, value in OPTIONS.items())
        script = Path(home) / "digits_of_nist.m"
        script.write_text(
            f"addpath('{os.path.abspath(folder)}');\n"
            f"table = dlmread('{DATA / (name + '.csv')}', ',', 1, 0);\n"
            f"fit = ardvark_fit(table(:, 2:end), table(:, 1), 'intercept', {str(has_intercept(name)).lower()}, {words});\n"
            "show = @(key, v) printf('%s %s\\n', key, sprintf('%.17g ', v));\n"
            "show('mean', fit.mean); show('variance', fit.variance); show('noise', [fit.noise.shape, fit.noise.rate]);\n"
            "if isfield(fit, 'intercept') && isstruct(fit.intercept), show('intercept', [fit.intercept.mean, fit.intercept.variance]); end\n"
        )
        done = subprocess.run(["octave-cli", "--norc", "--quiet", "--no-gui", str(script)], capture_output=True, text=True,
                              env={**os.environ, "HOME": home})
    if done.returncode:
        raise SystemExit(done.stderr)
    found = {line.split()[0]: [float(v) for v in line.split()[1:]] for line in done.stdout.splitlines() if line.strip()}
    fit = {"mean": found["mean"], "variance": found["variance"], "noise": dict(zip(("shape", "rate"), found["noise"]))}
    if "intercept" in found:
        fit["intercept"] = dict(zip(("mean", "variance"), found["intercept"]))
    return fit


def judge(name, fit):
    """Least digits of the coefficients, of their standard deviations, and of the residual one (None where that is 0)."""
    _, _, coefficients, (residual_sd, _) = read(name)
    means, variances = list(fit["mean"]), list(fit["variance"])
    if has_intercept(name):
        means.insert(0, fit["intercept"]["mean"])
        variances.insert(0, fit["intercept"]["variance"])
    shape, rate = fit["noise"]["shape"], fit["noise"]["rate"]
    found = min(digits(m, c[0]) for m, c in zip(means, coefficients))
    if residual_sd == 0:
        return found, None, None
    noise = digits(math.sqrt(rate / shape), residual_sd)
    if not shape > 1:  # Student's t has no variance
        return found, None, noise
    classical = (shape - 1) / shape  # the variance of Student's t is larger
    return found, min(digits(math.sqrt(v * classical), c[1]) for v, c in zip(variances, coefficients)), noise


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("--program", required=True)
    ask.add_argument("--octave", required=True, help="the folder of the built package; skipped where there is none")
    given = ask.parse_args()
    interfaces = {"shell": lambda name: shell(given.program, name), "Python": python}
    if shutil.which("octave-cli") and os.path.isdir(given.octave):
        interfaces["Octave"] = lambda name: octave(given.octave, name)
    else:
        print("figure: Octave skipped: it is not built here")
    failed = 0
    for interface, fit in interfaces.items():
        for name, required in REQUIRED.items():
            found, of_deviations, of_residual = judge(name, fit(name))
            enough = found >= required and all(d is None or d >= of_sd(name) for d in (of_deviations, of_residual))
            failed += not enough
            text = ["-" if d is None else f"{d:.1f}" for d in (found, of_deviations, of_residual)]
            print(f"figure: {interface:7s}{name:9s} digits of coefficients {text[0]:>4s} (at least {required:g}), of their standard deviations "
                  f"{text[1]:>4s}, of the residual's {text[2]:>4s}{'' if enough else '  TOO FEW'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
