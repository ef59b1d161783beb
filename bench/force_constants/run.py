"""Force constants of nickel by hiphive: forces on atoms that were moved a little, fitted by our optimizer and by those of trainstation.

    python bench/force_constants/run.py [--draws 8] [--readme FILE]

The forces are those of the EMT potential of ASE on three cells of 108 atoms, of which each was moved by about .03 Angstrom; a fit gets some of their 972 components,
drawn at random. hiphive makes the fit matrix: the 58 free parameters of the force constants of order 2, 3 and 4 with cutoffs of 5, 4 and 3 Angstrom. The error is
that of all forces in two other such cells. Needs `pip install hiphive`.
"""

import argparse
import datetime
import warnings
from pathlib import Path

import numpy as np
from ardvark.integrations.trainstation import ArdvarkOptimizer
from ase.build import bulk
from ase.calculators.emt import EMT
from hiphive import ClusterSpace, StructureContainer
from hiphive.structure_generation import generate_rattled_structures
from hiphive.utilities import prepare_structures
from trainstation import Optimizer

ROWS = (60, 100, 200, 972)
METHODS = {
    "trainstation, least squares": lambda *data: Optimizer(data, train_size=1.0),
    "trainstation, ardr": lambda *data: Optimizer(data, fit_method="ardr", train_size=1.0),
    "trainstation, rfe": lambda *data: Optimizer(data, fit_method="rfe", train_size=1.0),
    "ardvark": lambda *data: ArdvarkOptimizer(data),
}


def space():
    return ClusterSpace(bulk("Ni", "fcc", a=3.52), [5.0, 4.0, 3.0])


def forces(of, cells, seed):
    """The fit matrix and the forces, in eV / Angstrom, of some cells."""
    cell = bulk("Ni", "fcc", a=3.52, cubic=True).repeat(3)
    container = StructureContainer(of)
    for moved in prepare_structures(generate_rattled_structures(cell, cells, 0.03, seed=seed), cell, EMT()):
        container.add_structure(moved)
    return container.get_fit_data()


def error(optimizer, A, y):
    return float(np.sqrt(np.mean((A @ optimizer.parameters - y) ** 2)))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--draws", type=int, default=8)
    options.add_argument("--readme", type=Path)
    given = options.parse_args()
    warnings.simplefilter("ignore")
    of = space()
    (A, y), (A_new, y_new) = forces(of, 3, 1), forces(of, 2, 7)
    draws = {rows: [np.random.default_rng(seed).choice(len(y), rows, replace=False) for seed in range(given.draws if rows < len(y) else 1)] for rows in ROWS}
    text = [f"| error of new forces, 1/1000 of their standard deviation | {' | '.join(f'{rows} rows' for rows in ROWS)} |", f"|---|{'---:|' * len(ROWS)}"]
    inside = {}
    for name, make in METHODS.items():
        errors = []
        for rows in ROWS:
            found = []
            for at in draws[rows]:
                optimizer = make(A[at], y[at])
                optimizer.train()
                found.append(1000 * error(optimizer, A_new, y_new) / y_new.std())
                if name == "ardvark":
                    ends = optimizer.estimator.predict_interval(A_new)
                    inside.setdefault(rows, []).append(np.mean((ends[:, 0] <= y_new) & (y_new <= ends[:, 1])))
            errors.append(f"{np.mean(found):.2f}")
        text.append(f"| {name} | {' | '.join(errors)} |")
    text.append(f"| ardvark: new forces inside their 95% interval | {' | '.join(f'{100 * np.mean(inside[rows]):.0f}%' for rows in ROWS)} |")
    table = "\n".join([*text, "", f"Measured on {datetime.date.today():%-d %B %Y}; means over {given.draws} draws of the rows."])
    print(table)
    if given.readme:
        before, mark, after = given.readme.read_text().partition("<!-- table -->\n")
        given.readme.write_text(before + mark + table + "\n<!-- end of table -->" + after.partition("<!-- end of table -->")[2])


if __name__ == "__main__":
    main()
