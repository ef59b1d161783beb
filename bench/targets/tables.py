"""Tables of many targets, in files of numpy: a shared X, and targets with effects of different sizes."""

from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

NEW_ROWS = 200  # of which the means are known
TARGETS_OF_A_PIECE = 2000
SIZES = (0.0, 0.25, 0.5, 1.0, 2.0)  # standard deviations of the means of a target, in those of its noise


def write_tables(folder: Path, rows: int, columns: int, targets: int, few_effects: bool = False) -> None:
    """X.npy [rows, columns] of double precision; Y.npy of single precision, row by row as numpy has it, and Y-by-target.npy, the same with the numbers of a
    target one after the other; X-new.npy and the means of its rows. All columns have effects, or up to seven."""
    rng = np.random.default_rng(1)
    folder.mkdir(parents=True, exist_ok=True)
    X = rng.standard_normal((rows + NEW_ROWS, columns))
    X[:, 1:] += 0.5 * X[:, :-1]
    np.save(folder / "X.npy", X[:rows])
    np.save(folder / "X-new.npy", X[rows:])
    X = X.astype(np.float32)
    Y = open_memmap(folder / "Y.part", "w+", np.float32, (rows, targets))
    by_target = open_memmap(folder / "Y-by-target.npy", "w+", np.float32, (rows, targets), fortran_order=True)
    means = np.empty((NEW_ROWS, targets), np.float32)
    for first in range(0, targets, TARGETS_OF_A_PIECE):
        here = slice(first, min(first + TARGETS_OF_A_PIECE, targets))
        size = np.resize(SIZES, here.stop - first).astype(np.float32)
        effects = rng.standard_normal((columns, len(size)), np.float32)
        if few_effects:
            effects[rng.permuted(np.tile(np.arange(columns), (len(size), 1)), axis=1).T >= rng.integers(1, 8, len(size))] = 0
        of_X = X @ effects
        of_X *= size / np.maximum(of_X.std(0), 1e-30)
        means[:, here] = of_X[rows:]
        Y[:, here] = by_target[:, here] = of_X[:rows] + rng.standard_normal((rows, len(size)), np.float32)
    Y.flush(), by_target.flush()
    np.save(folder / "means-new.npy", means)
    (folder / "Y.part").rename(folder / "Y.npy")  # the last step: the tables are complete
