"""The tables of bench/wide: many more columns than a person looks at, in the form in which users have them. Seeded.

Each function returns a Table. New rows, for predictions, come from the same distribution.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

NEW_ROWS = 1000


@dataclass
class Table:
    X: Any  # numpy array, or scipy.sparse CSC array
    y: np.ndarray
    signal: np.ndarray  # [rows] what the columns explain
    new_X: Any
    new_y: np.ndarray
    new_signal: np.ndarray
    effects: np.ndarray  # positions of the columns with an effect of their own
    is_logistic: bool = False


def _table(X, signal, noise_sd, effects, rng, is_logistic=False):
    """The last NEW_ROWS rows are the new ones."""
    y = (rng.random(len(signal)) < 1 / (1 + np.exp(-signal))).astype(float) if is_logistic else signal + noise_sd * rng.standard_normal(len(signal))
    n = len(signal) - NEW_ROWS
    if sp.issparse(X):
        by_row = X.tocsr()
        old, new = (_narrow(sp.csc_array(part)) for part in (by_row[:n], by_row[n:]))
    else:
        old, new = np.asfortranarray(X[:n]), np.asfortranarray(X[n:])
    return Table(old, y[:n], signal[:n], new, y[n:], signal[n:], effects, is_logistic)


def _narrow(X):
    """Its places as int32, which every program takes."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _scaled(signal, sd):
    return (signal - signal.mean()) * (sd / signal.std())


def genotypes(rows, columns, effects=20, share=0.3, small_share=0.2, seed=2):
    """Counts 0, 1, 2 (int8) in blocks of 100 correlated variants: `effects` of them explain `share` of the variance, all together `small_share`."""
    rng = np.random.default_rng(seed)
    n, block = rows + NEW_ROWS, 100
    from scipy.special import ndtri

    G = np.empty((n, columns), np.int8, order="F")
    edge = ndtri(rng.uniform(0.05, 0.5, columns))
    small = np.zeros(n)
    for first in range(0, columns, block):
        z = rng.standard_normal((2, n))
        for j in range(first, min(first + block, columns)):
            z = 0.95 * z + np.sqrt(1 - 0.95**2) * rng.standard_normal((2, n))
            G[:, j] = (z < edge[j]).sum(0)
        part = G[:, first : first + block].astype(float)
        part = (part - part.mean(0)) / np.maximum(part.std(0), 1e-6)
        small += part @ rng.standard_normal(part.shape[1])
    chosen = np.sort(rng.choice(columns, effects, replace=False))
    S = G[:, chosen].astype(float)
    big = ((S - S.mean(0)) / S.std(0)) @ (rng.choice([-1.0, 1.0], effects) * np.linspace(1, 0.6, effects))
    signal = _scaled(big, np.sqrt(share)) + (_scaled(small, np.sqrt(small_share)) if small_share > 0 else 0)
    return _table(G, signal, np.sqrt(1 - share - small_share), chosen, rng)


def spectra(rows, columns, effects=10, seed=3):
    """Doubles: smooth curves of thirty factors with noise, of which some places matter."""
    rng = np.random.default_rng(seed)
    n = rows + NEW_ROWS
    place = np.linspace(0, 1, columns)
    X = rng.standard_normal((n, columns))
    for centre, width in zip(rng.uniform(0, 1, 30), rng.uniform(0.002, 0.02, 30)):
        X += np.outer(rng.standard_normal(n), 2 * np.exp(-(((place - centre) / width) ** 2)))
    chosen = np.sort(rng.choice(columns, effects, replace=False))
    return _table(X, _scaled(X[:, chosen] @ rng.standard_normal(effects), np.sqrt(2)), 1.0, chosen, rng)


def voxels(rows, columns, effects=20, seed=4):
    """Doubles and two classes: neighbours are correlated."""
    rng = np.random.default_rng(seed)
    n = rows + NEW_ROWS
    X = rng.standard_normal((n, columns))
    for j in range(1, columns):
        X[:, j] = 0.8 * X[:, j - 1] + 0.6 * X[:, j]
    chosen = np.sort(rng.choice(columns, effects, replace=False))
    return _table(X, _scaled(X[:, chosen] @ rng.standard_normal(effects), 3.0), 0.0, chosen, rng, is_logistic=True)


def words(rows, columns, entries, effects=200, is_logistic=False, seed=1):
    """A text collection: frequencies of words fall as those of a language do, entries are TF-IDF, rows have length 1."""
    rng = np.random.default_rng(seed)
    n = rows + NEW_ROWS
    share = 1 / (np.arange(columns) + 20.0)
    per_row = entries / rows
    for _ in range(60):
        share = np.minimum(share * (per_row / share.sum()), 0.95)
    counts = np.maximum(rng.binomial(n, share), 3)
    row, value = [], []
    for j in range(columns):
        rows_of = np.sort(rng.choice(n, counts[j], replace=False))
        row.append(rows_of.astype(np.int32))
        value.append((1 + np.log(rng.geometric(0.6, counts[j]))) * (np.log(n / counts[j]) + 1))
    start = np.concatenate([[0], np.cumsum(counts)])
    X = sp.csc_array((np.concatenate(value), np.concatenate(row), start), shape=(n, columns))
    length = np.sqrt(np.asarray(X.power(2).sum(axis=1)).ravel())
    X.data /= np.maximum(length, 1e-300)[X.indices]
    weights = np.zeros(columns)
    chosen = np.sort(rng.choice(np.arange(50, max(columns // 5, 250)), effects, replace=False))
    weights[chosen] = rng.standard_normal(effects)
    return _table(X, _scaled(X @ weights, 2.25 if is_logistic else 1.5), 1.0, chosen, rng, is_logistic)


def one_hot(rows, levels, effects=40, seed=5):
    """Text columns with these numbers of levels as columns of 0 and 1 (int8)."""
    rng = np.random.default_rng(seed)
    n = rows + NEW_ROWS
    blocks, first = [], 0
    for count in levels:
        level = np.minimum((count * rng.beta(0.6, 2.0, n)).astype(int), count - 1)
        blocks.append(level + first)
        first += count
    at = np.column_stack(blocks)
    X = sp.csr_array((np.ones(at.size, np.int8), at.ravel(), np.arange(0, at.size + 1, len(levels))), shape=(n, first))
    often = np.flatnonzero(np.asarray(X.astype(int).sum(axis=0)).ravel() > n / 200)
    weights = np.zeros(first)
    chosen = np.sort(rng.choice(often, min(effects, len(often)), replace=False))
    weights[chosen] = rng.standard_normal(len(chosen))
    return _table(X, _scaled(X @ weights, 1.0), 1.0, chosen, rng)


TABLES = {
    "genotypes 2,000 x 50,000": lambda: genotypes(2000, 50_000),
    "genotypes 2,000 x 20,000, 5 effects": lambda: genotypes(2000, 20_000, effects=5, share=0.15, small_share=0, seed=12),
    "spectra 500 x 100,000": lambda: spectra(500, 100_000),
    "voxels 200 x 50,000, two classes": lambda: voxels(200, 50_000),
    "words 20,000 x 100,000": lambda: words(20_000, 100_000, 10_000_000),
    "words 20,000 x 100,000, two classes": lambda: words(20_000, 100_000, 10_000_000, is_logistic=True),
    "one-hot 20,000 x 40,000": lambda: one_hot(20_000, [20, 50, 100, 500, 1000, 5000, 10_000, 23_330]),
    "words 200,000 x 1,000,000": lambda: words(200_000, 1_000_000, 10_000_000, seed=6),
    "words 200,000 x 1,000,000, two classes": lambda: words(200_000, 1_000_000, 10_000_000, is_logistic=True, seed=6),
    "genotypes 5,000 x 500,000": lambda: genotypes(5000, 500_000, seed=7),
}
# Not made unless asked for: minutes, and gigabytes.
LARGE = [name for name in TABLES if "1,000,000" in name or "500,000" in name]
