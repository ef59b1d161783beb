"""Generated problems: 39 families of linear regressions, 10 of two classes, and 17 of small tables.

A family and a seed determine a problem.

Columns X                                                 effects w
    ind  N(0, 1), independent                                 5, 50, ...  that many N(0, 1) at random places, the others 0
    uni  uniform on (-1/2, 1/2), independent                  dense       all N(0, 1)
    ar   each row an AR(1) sequence, correlation .9           mix         all with sd .3 sqrt(10/p), plus five N(0, 1)
         (ar.7: correlation .7)                               3sign       three that are 1 or -1
    blk  blocks of 10 columns, correlation .95 inside         t           fifty, Student t with 2 degrees of freedom
    dup  independent columns, each of them twice              lap         all, the cube of a Laplace variable
    fac  five factors, N(0, 1) loadings, plus N(0, 1)         null        none
    pair N(0, 1), in pairs of correlation .6                  3+small     all N(0, 1/16), plus three N(0, 1)

The signal f = Xw is scaled so that its variance over all rows, training and test, is `snr`; or the effects are multiplied by `size`.
Without either of them, the effects stay as drawn. Regressions: y = f + N(0, 1). Classes: P(y = 1) = 1/(1 + exp(-f)).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Optional

import numpy as np

NEW_ROWS = 1000


@dataclass(frozen=True)
class Family:
    columns: str
    n: int
    p: int
    effects: str
    snr: Optional[float] = None
    size: Optional[float] = None

    @property
    def name(self):
        snr = "" if self.snr is None else f"-snr{self.snr:g}"
        size = "" if self.size is None else f"-size{self.size:g}"
        return f"{self.columns}-n{self.n}-p{self.p}-{self.effects}{snr}{size}"


@dataclass(frozen=True)
class Problem:
    """Training rows and new rows. For real data, the fields that only a generator knows are None."""

    X: np.ndarray  # [n, p]
    y: np.ndarray  # [n]; classes are 0, 1, ...
    X_new: np.ndarray  # [m, p]
    y_new: np.ndarray  # [m]
    f_new: Optional[np.ndarray] = None  # [m] the signal, x'w
    w: Optional[np.ndarray] = None  # [p]
    own: Optional[np.ndarray] = None  # [p] bool: has an effect of its own, not only one of the many small ones that all columns have
    effect_scale: Optional[float] = None  # the factor of the effects in the table above that gives the signal its variance


def columns(kind, rows, p, rng):
    """X [rows, p]."""
    if kind == "ind":
        return rng.standard_normal((rows, p))
    if kind == "uni":
        return rng.uniform(-0.5, 0.5, (rows, p))
    if kind.startswith("ar"):
        correlation = float(kind[2:] or 0.9)
        X = rng.standard_normal((rows, p))
        X[:, 1:] *= np.sqrt(1 - correlation**2)
        for j in range(1, p):
            X[:, j] += correlation * X[:, j - 1]
        return X
    if kind == "blk":
        common = rng.standard_normal((rows, -(-p // 10)))
        return np.sqrt(0.95) * np.repeat(common, 10, axis=1)[:, :p] + np.sqrt(0.05) * rng.standard_normal((rows, p))
    if kind == "dup":
        return np.repeat(rng.standard_normal((rows, -(-p // 2))), 2, axis=1)[:, :p]
    if kind == "pair":
        common = rng.standard_normal((rows, -(-p // 2)))
        return np.sqrt(0.6) * np.repeat(common, 2, axis=1)[:, :p] + np.sqrt(0.4) * rng.standard_normal((rows, p))
    if kind == "fac":
        return rng.standard_normal((rows, 5)) @ rng.standard_normal((5, p)) + rng.standard_normal((rows, p))
    raise ValueError(f"no columns of the kind {kind!r}")


def effects(kind, p, rng):
    """The many small effects [p], and the effects that columns have of their own [p], before scaling; w is their sum."""
    none, some = np.zeros(p), lambda count, draw: _at_random_places(p, draw(size=min(count, p)), rng)
    if kind == "null":
        return none, none
    if kind == "dense":
        return none, rng.standard_normal(p)
    if kind == "lap":
        return none, rng.laplace(size=p) ** 3
    if kind == "t":
        return none, some(50, lambda size: rng.standard_t(2, size))
    if kind == "mix":
        return 0.3 * np.sqrt(10 / p) * rng.standard_normal(p), some(5, rng.standard_normal)
    if kind.endswith("+small"):
        return 0.25 * rng.standard_normal(p), some(int(kind.partition("+")[0]), rng.standard_normal)
    if kind.endswith("sign"):
        return none, some(int(kind.removesuffix("sign")), lambda size: rng.choice([-1.0, 1.0], size))
    return none, some(int(kind), rng.standard_normal)


def _at_random_places(p, values, rng):
    w = np.zeros(p)
    w[rng.choice(p, values.size, replace=False)] = values
    return w


def draw(family, seed, classes=False):
    """The problem that a family and a seed determine."""
    rng = np.random.default_rng([seed, zlib.crc32(family.name.encode()), int(classes)])
    X = columns(family.columns, family.n + NEW_ROWS, family.p, rng)
    small, own = effects(family.effects, family.p, rng)
    w = small + own
    scale = family.size or (1.0 if family.snr is None else np.sqrt(family.snr) / np.std(X @ w))
    w *= scale
    f = X @ w
    if classes:
        y = (rng.uniform(size=f.size) < 1 / (1 + np.exp(-f))).astype(int)
    else:
        y = f + rng.standard_normal(f.size)
    n = family.n
    return Problem(X[:n], y[:n], X[n:], y[n:], f[n:], w, own != 0, scale)


def _families(lines):
    out = []
    for line in lines.split("\n"):
        if line.strip():
            kind, n, p, what, *snr = line.split()
            out.append(Family(kind, int(n), int(p), what, float(snr[0]) if snr else None))
    return out


def _small(lines):
    """Families with columns in pairs, one per line: rows, columns, effects, size of the effects."""
    return [Family("pair", int(n), int(p), what, size=float(size[0]) if size else None) for n, p, what, *size in map(str.split, lines.strip().split("\n"))]


LINEAR = _families(
    """
    uni  500 1000 100
    ind  200 1000 5     2
    ind  200 1000 50    2
    ind  200 1000 dense 2
    ind  200 1000 mix   2
    ar   200 1000 5     2
    ar   200 1000 50    2
    ar   200 1000 dense 2
    blk  200 1000 5     2
    blk  200 1000 50    2
    blk  200 1000 dense 2
    blk  200 1000 mix   2
    dup  200 1000 5     2
    dup  200 1000 50    2
    ind  200 1000 null
    blk  200 1000 null
    ind  200 1000 t     2
    blk  200 1000 t     2
    ind  200 1000 lap   2
    ind 2000  200 20    1
    ind 2000  200 dense 1
    ar  2000  200 20    1
    ar  2000  200 dense 1
    ind  100  200 5     .3
    blk  200 1000 5     .3
    ind  200 1000 dense .3
    ind  200 1000 50    10
    blk  200 1000 50    10
    ar   200 1000 5     10
    fac  200 1000 5     2
    fac  200 1000 dense 2
    uni  800 1000 100
    uni  500  200 100
    ind  100 5000 5     4
    blk  100 5000 5     4
    ind  500 5000 50    2
    ar   500 5000 50    2
    ar   500 5000 dense 2
    ar   500 5000 500   4
    """
)

# The last family is the example of VBLinLogit, with new draws. snr is the variance of the log odds.
LOGISTIC = _families(
    """
    ind  300  500 5     4
    ind  300  500 50    4
    ind  300  500 dense 4
    blk  300  500 5     4
    blk  300  500 50    4
    ind  300  500 null
    ind 1000  100 10    4
    ar  1000  100 dense 4
    ar   300  500 mix   4
    uni 2000 1000 100
    """
)

# Typical small tables. The noise has variance 1; the weight of a column with an effect of its own is N(0, size^2), or +-size (3sign).
SMALL_LINEAR = _small(
    """
     30  5 2       .4
     60  8 2       .4
    200  8 2       .4
    200  8 3       .4
    200  8 dense   .4
    300  8 null
    100 20 4       .4
    500 12 3+small .4
    """
)
SMALL_LOGISTIC = _small(
    """
     20  5 null
    100  5 2       1
    200  8 3       .8
    200  8 2       .8
    300  8 3sign   .8
    300  8 dense   .8
    300  8 null
    400 20 4       .8
    500 12 3+small .8
    """
)
