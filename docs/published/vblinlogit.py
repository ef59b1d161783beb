"""Writes vblinlogit.csv: what the published program gives for the data of the pages in docs/gallery/vblinlogit.

    python docs/published/vblinlogit.py SRC      # SRC: the folder src of VBLinLogit; needs GNU Octave

Each page is run until its data are there. The program sees what it saw in its author's own examples: columns as they are, a column of
ones where the model has a constant.
"""

import ast
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
PAGES = HERE.parent / "gallery" / "vblinlogit"


def data_of(page, wanted):
    """The names of a page at the moment when it has them all."""
    path = PAGES / page
    names = {"__file__": str(path)}
    for statement in ast.parse(path.read_text()).body:
        exec(compile(ast.Module([statement], []), str(path), "exec"), names)
        if all(name in names for name in wanted):
            return [names[name] for name in wanted]
    raise SystemExit(f"{page} defines no {', '.join(wanted)}")


def run(source, tasks, X, y, X_test):
    """What Octave makes of it: a dict for each function."""
    with tempfile.TemporaryDirectory() as folder:
        for name, values in (("X", X), ("y", y), ("X_test", X_test)):
            np.savetxt(f"{folder}/{name}.csv", values, delimiter=",", fmt="%.17g")
        Path(folder, "tasks.txt").write_text("\n".join(tasks) + "\n")
        subprocess.run(["octave-cli", "--quiet", HERE / "vblinlogit.m", source, folder], check=True)
        read = lambda task, name: np.loadtxt(f"{folder}/{task}_{name}.csv", delimiter=",", ndmin=1)  # noqa: E731
        names = ("w", "Vdiag", "scalars", "train", "test")
        return {task: {name: read(task, name) for name in names} for task in tasks}


def main(source):
    rows = []

    def note(figure, program, **quantities):
        rows.extend([figure, program, name.replace("_", " "), repr(float(value))] for name, value in quantities.items())

    def errors(out, y, y_test):
        return {"training_MSE": np.mean((y - out["train"]) ** 2), "test_MSE": np.mean((y_test - out["test"]) ** 2)}

    def wrong(out, y, y_test):
        return {
            "training_error": np.mean((out["train"] > 0.5) != (y == 1)),
            "test_error": np.mean((out["test"] > 0.5) != (y_test == 1)),
        }

    def covered(out, w):
        half = 1.96 * np.sqrt(out["Vdiag"])
        return np.sum(np.abs(out["w"] - w) <= half)

    w, X, X_test, y, y_test = data_of("plot_1_regression.py", ["w", "X", "X_test", "y", "y_test"])
    for unit, program in ((1, "vb_linear_fit"), (10, "vb_linear_fit in tenths")):
        out = run(source, ["vb_linear_fit"], X, unit * y, X_test)["vb_linear_fit"]
        note(1, program, **errors(out, unit * y, unit * y_test), bound=out["scalars"][0], covered=covered(out, unit * w))

    w, X, X_test, y, y_test = data_of("plot_2_sparse_regression.py", ["w", "X", "X_test", "y", "y_test"])
    for program, out in run(source, ["vb_linear_fit", "vb_linear_fit_ard"], X, y, X_test).items():
        distance = np.linalg.norm(out["w"] - w)
        note(2, program, **errors(out, y, y_test), bound=out["scalars"][0], distance_to_w=distance, covered=covered(out, w))

    powers, x, y, x_test, y_test = data_of("plot_3_polynomial_order.py", ["powers", "x", "y", "x_test", "y_test"])
    bounds, tests = {}, {}
    for order in range(10):
        out = run(source, ["vb_linear_fit"], powers(x, order), y, powers(x_test, order))["vb_linear_fit"]
        bounds[order], tests[order] = out["scalars"][0], np.mean((out["test"] - y_test) ** 2)
        note(3, "vb_linear_fit", **{f"bound, order {order}": bounds[order]})
    note(3, "vb_linear_fit", test_MSE=tests[max(bounds, key=bounds.get)])

    w, X, y, X_test, y_test = data_of("plot_4_separating_lines.py", ["w", "X", "y", "X_test", "y_test"])
    X, X_test = (np.column_stack([np.ones(len(table)), table]) for table in (X, X_test))
    for program, out in run(source, ["vb_logit_fit", "vb_logit_fit_iter"], X, y, X_test).items():
        weights = {f"w{j + 1}": value for j, value in enumerate(out["w"])}
        note(4, program, **wrong(out, y, y_test), **weights)

    w, X, X_test, y, y_test = data_of("plot_5_classes_in_1000_dimensions.py", ["w", "X", "X_test", "y", "y_test"])
    programs = ["vb_logit_fit", "vb_logit_fit_iter", "vb_logit_fit_ard"]
    for program, out in run(source, programs, X, y, X_test).items():
        note(5, program, **wrong(out, y, y_test), bound=out["scalars"][0], distance_to_w=np.linalg.norm(out["w"] - w))

    powers, x, y, x_test, y_test = data_of("plot_6_classifier_order.py", ["powers", "x", "y", "x_test", "y_test"])
    for order in range(10):
        out = run(source, ["vb_logit_fit"], powers(x, order), y, powers(x_test, order))["vb_logit_fit"]
        errors_of_order = {f"{name}, order {order}": value for name, value in wrong(out, y, y_test).items()}
        note(6, "vb_logit_fit", **{f"bound, order {order}": out["scalars"][0]}, **errors_of_order)

    with open(HERE / "vblinlogit.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["figure", "program", "quantity", "value"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1])
