"""Writes vblinlogit.csv: what the published program gives for the data of the pages in docs/gallery/vblinlogit.

    python docs/published/vblinlogit.py SRC        # SRC: the folder src of VBLinLogit; needs GNU Octave; minutes
    python docs/published/vblinlogit.py SRC 4 6    # these figures only, the others as they are

Each page is run until its data exist. The program gets the same input as in its author's own examples: unscaled columns, and a column
of ones if the model has a constant.
"""

import ast
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
PAGES = HERE.parent / "gallery" / "vblinlogit"


def data_of(page, wanted):
    """The names of a page, as soon as all of them are defined."""
    path = PAGES / page
    os.chdir(PAGES)
    names = {}
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
        command = ["octave-cli", "--quiet", HERE / "vblinlogit.m", source, folder]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        read = lambda task, name: np.loadtxt(
            f"{folder}/{task}_{name}.csv", delimiter=",", ndmin=1
        )  # noqa: E731
        names = ("w", "Vdiag", "scalars", "train", "test")
        return {task: {name: read(task, name) for name in names} for task in tasks}


def errors(out, y, y_test):
    return {
        "training_MSE": np.mean((y - out["train"]) ** 2),
        "test_MSE": np.mean((y_test - out["test"]) ** 2),
    }


def wrong(out, y, y_test):
    return {
        "training_error": np.mean((out["train"] > 0.5) != (y == 1)),
        "test_error": np.mean((out["test"] > 0.5) != (y_test == 1)),
    }


def covered(out, w):
    return np.sum(np.abs(out["w"] - w) <= 1.96 * np.sqrt(out["Vdiag"]))


def figure_1(source, note):
    w, X, X_test, y, y_test = data_of("plot_1_regression.py", ["w", "X", "X_test", "y", "y_test"])
    for unit, program in ((1, "vb_linear_fit"), (10, "vb_linear_fit in tenths")):
        out = run(source, ["vb_linear_fit"], X, unit * y, X_test)["vb_linear_fit"]
        note(
            program,
            **errors(out, unit * y, unit * y_test),
            bound=out["scalars"][0],
            covered=covered(out, unit * w),
        )


def figure_2(source, note):
    w, X, X_test, y, y_test = data_of(
        "plot_2_sparse_regression.py", ["w", "X", "X_test", "y", "y_test"]
    )
    for program, out in run(source, ["vb_linear_fit", "vb_linear_fit_ard"], X, y, X_test).items():
        distance = np.linalg.norm(out["w"] - w)
        note(
            program,
            **errors(out, y, y_test),
            bound=out["scalars"][0],
            distance_to_w=distance,
            covered=covered(out, w),
        )


def figure_3(source, note):
    powers, x, y, x_test, y_test = data_of(
        "plot_3_polynomial_order.py", ["powers", "x", "y", "x_test", "y_test"]
    )
    bounds, tests = {}, {}
    for order in range(10):
        out = run(source, ["vb_linear_fit"], powers(x, order), y, powers(x_test, order))[
            "vb_linear_fit"
        ]
        bounds[order], tests[order] = out["scalars"][0], np.mean((out["test"] - y_test) ** 2)
        note("vb_linear_fit", **{f"bound, order {order}": bounds[order]})
    note("vb_linear_fit", test_MSE=tests[max(bounds, key=bounds.get)])


def figure_4(source, note):
    X, y, X_test, y_test = data_of("plot_4_separating_lines.py", ["X", "y", "X_test", "y_test"])
    X, X_test = (np.column_stack([np.ones(len(table)), table]) for table in (X, X_test))
    for program, out in run(source, ["vb_logit_fit", "vb_logit_fit_iter"], X, y, X_test).items():
        note(
            program,
            **wrong(out, y, y_test),
            **{f"w{j + 1}": value for j, value in enumerate(out["w"])},
        )


def figure_5(source, note):
    names = ["w", "X", "X_test", "y", "y_test"]
    w, X, X_test, y, y_test = data_of("plot_5_classes_in_1000_dimensions.py", names)
    programs = ["vb_logit_fit", "vb_logit_fit_iter", "vb_logit_fit_ard"]
    for program, out in run(source, programs, X, y, X_test).items():
        note(
            program,
            **wrong(out, y, y_test),
            bound=out["scalars"][0],
            distance_to_w=np.linalg.norm(out["w"] - w),
        )


def figure_6(source, note):
    powers, x, y, x_test, y_test = data_of(
        "plot_6_classifier_order.py", ["powers", "x", "y", "x_test", "y_test"]
    )
    for order in range(10):
        out = run(source, ["vb_logit_fit"], powers(x, order), y, powers(x_test, order))[
            "vb_logit_fit"
        ]
        of_order = {
            f"{name}, order {order}": value for name, value in wrong(out, y, y_test).items()
        }
        note("vb_logit_fit", **{f"bound, order {order}": out["scalars"][0]}, **of_order)


def main(source, chosen):
    source = str(Path(source).resolve())
    figures = [figure_1, figure_2, figure_3, figure_4, figure_5, figure_6]
    path = HERE / "vblinlogit.csv"
    old = list(csv.reader(path.open()))[1:] if path.exists() else []
    rows = []
    for number, figure in enumerate(figures, 1):
        if chosen and number not in chosen:
            rows += [row for row in old if row[0] == str(number)]
            continue

        def note(program, **quantities):
            rows.extend(
                [number, program, name.replace("_", " "), repr(float(value))]
                for name, value in quantities.items()
            )

        figure(source, note)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["figure", "program", "quantity", "value"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1], [int(number) for number in sys.argv[2:]])
