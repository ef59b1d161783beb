"""Genotypes of PLINK 1 filesets, 2 bits each."""

from __future__ import annotations

import numbers
import os
from ctypes import byref, c_int64, c_void_p
from typing import Any, Optional, Sequence, Union

import numpy as np

from ._abi import Handle, InvalidArgumentError, call, call_for_handle, without_null
from ._arrays import matrix_of
from ._docs import assembled
from ._results import Result

__all__ = ["Genotypes", "read_plink"]


@assembled
class Genotypes:
    """Genotypes of a PLINK 1 fileset, as `read_plink` gives them: a table of shape (samples, variants) that stays in 2 bits a genotype.

    `BayesianLinearRegression` and `BayesianLogisticRegression` (two classes) fit and predict it. An entry is the number of copies of the
    counted allele; a missing genotype stands at the mean of its variant. ``X[rows]`` are some of the samples, so that cross-validation
    works. The fileset must not change while it is used.

    Attributes
    ----------
    shape : tuple of int
        Samples, and variants with the columns that `with_columns` added.
    num_missing : int
        Missing genotypes.
    notes : list of str
        What there is to say of the fileset: the counted allele, missing genotypes, variants without a name.
    variants : dict of str to ndarray of shape (variants,)
        ``name``, ``chromosome``, ``position``, ``counted`` and ``other`` (alleles), as texts; and ``mean``, the mean number of copies.
    samples : dict of str to ndarray of shape (samples,)
        ``FID``, ``IID`` and ``sex``, as texts.
    phenotype : ndarray of shape (samples,)
        The last column of .fam: numbers, and NaN where one is missing; or "control", "case", and None. ``classes_`` of a fit has "case"
        first, so that a positive coefficient speaks for "control"; in the program it speaks for "case".

    Examples
    --------
    {examples.genotypes}
    >>> X.shape, X.variants["counted"].tolist(), X.to_numpy()[:2].tolist()
    ((8, 2), ['A', 'C'], [[0.0, 2.0], [1.0, 1.0]])
    """

    ndim = 2

    def __init__(self, handle: Handle, source: tuple[str, int, str], rows: Optional[np.ndarray] = None, beside: Any = None, names: Sequence[str] = ()):
        self.handle = handle
        self._source, self._rows = source, rows  # to read it again
        self._result = Result(call_for_handle("result", "ardvark_genotypes_result", handle))
        self._num_samples, self._num_variants = (int(self._result.number(name)) for name in ("num_samples", "num_variants"))
        self._beside, self._names = beside, list(names)

    @property
    def shape(self) -> tuple[int, int]:
        return self._num_samples, self._num_variants + len(self._names)

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(float)

    @property
    def num_missing(self) -> int:
        return int(self._result.number("num_missing"))

    @property
    def notes(self) -> list[str]:
        return self._result.value("notes")

    @property
    def variants(self) -> dict[str, np.ndarray]:
        texts = {name: np.array(self._result.value(name), dtype=object) for name in ("name", "chromosome", "position", "counted", "other")}
        return texts | {"mean": self._result.array("means")}

    @property
    def samples(self) -> dict[str, np.ndarray]:
        return {name: np.array(self._result.value(name), dtype=object) for name in ("FID", "IID", "sex")}

    @property
    def phenotype(self) -> np.ndarray:
        found = Result(call_for_handle("result", "ardvark_genotypes_phenotype", self.handle))
        values, classes = found.array("values"), found.value("classes")
        return np.array([None if np.isnan(value) else classes[int(value)] for value in values], dtype=object) if classes else values

    @property
    def absent_variants(self) -> str:
        """What a prediction does with a variant that is not there: "refuse" or "mean"."""
        return self._source[2]

    @property
    def feature_names(self) -> list[str]:
        """The names of the variants and of the columns beside them."""
        return [*self._result.value("name"), *self._names]

    @property
    def columns_beside(self) -> list[str]:
        """The names of the columns that `with_columns` added."""
        return list(self._names)

    def __len__(self) -> int:
        return self._num_samples

    def __getitem__(self, key: Any) -> Genotypes:
        if isinstance(key, tuple):
            key, *others = key
            if any(other is not Ellipsis and other != slice(None) for other in others):
                raise InvalidArgumentError("genotypes are indexed by samples; for some variants, make a fileset: plink2 --extract", "X")
        rows = np.ascontiguousarray(np.atleast_1d(np.arange(self._num_samples)[key]), dtype=np.int64)
        some = call_for_handle("genotypes", "ardvark_genotypes_rows", self.handle, rows.ctypes.data, c_int64(rows.size))
        beside = None if self._beside is None else self._beside[rows]
        return Genotypes(some, self._source, rows if self._rows is None else self._rows[rows], beside, self._names)

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        why, remedy = "it is kept in 2 bits a genotype", "give X.to_numpy()"
        raise InvalidArgumentError(f"X holds genotypes, and what is asked for needs a dense X; {remedy}", "X", value="genotypes", why=why, remedy=remedy)

    def __reduce__(self) -> Any:
        return _again, (self._source, self._rows, self._beside, self._names)

    def __repr__(self) -> str:
        return f"<genotypes of {self.shape[0]} samples, {self.shape[1]} columns, from {self._source[0]!r}>"

    def with_columns(self, table: Any, names: Optional[Sequence[str]] = None) -> Genotypes:
        """The same with dense columns after the variants, such as age and sex, and after those that it has. A fit gives them no prior.

        Parameters
        ----------
        table : DataFrame or array of shape (samples, columns)
            Finite numbers, a row for each sample, in their order.
        names : sequence of str, default=None
            Names of the columns. None: those of the DataFrame, or c1, c2, ...

        Returns
        -------
        genotypes : Genotypes
            A new object, of the same memory.

        Examples
        --------
        {examples.genotypes}
        >>> X.with_columns(np.arange(8.0)[:, None], ["age"]).feature_names
        ['rs1', 'rs2', 'age']
        """
        beside = np.atleast_2d(np.asarray(table, dtype=float))
        if beside.shape[0] != self._num_samples or beside.ndim != 2:
            message = f"table has the shape {np.shape(table)}; it must have a row for each of the {self._num_samples} samples"
            raise InvalidArgumentError(message, "table", value=str(np.shape(table)), why="it must have a row for each sample")
        if names is None:
            names = [str(name) for name in getattr(table, "columns", [f"c{j + 1}" for j in range(beside.shape[1])])]
        if len(names) != beside.shape[1]:
            raise InvalidArgumentError(f"names has {len(names)} entries; it must have one for each of the {beside.shape[1]} columns", "names")
        all_beside = beside if self._beside is None else np.hstack([self._beside, beside])
        return Genotypes(self.handle, self._source, self._rows, np.asfortranarray(all_beside), [*self._names, *names])

    def to_numpy(self, dtype: Any = np.float32, missing: Union[str, float] = "mean") -> np.ndarray:
        """The table written out.

        Parameters
        ----------
        dtype : dtype, default=numpy.float32
            Of the array. ``numpy.int8`` takes a byte a genotype.
        missing : {"mean"} or float, default="mean"
            What a missing genotype is: the mean of its variant, or a number, such as NaN or -127.

        Returns
        -------
        array : ndarray of shape (samples, columns)
            In the order of memory of the fileset: by columns.

        Examples
        --------
        {examples.genotypes}
        >>> X.to_numpy(np.int8, missing=-127)[:, 1].tolist()
        [2, 1, 0, -127, 1, 0, 1, 2]
        """
        if missing != "mean" and not isinstance(missing, numbers.Real):
            raise InvalidArgumentError(f"missing is {missing!r}; it must be 'mean' or a number", "missing", value=str(missing))
        counts = np.empty((self._num_samples, self._num_variants), dtype=np.int8, order="F")
        call("ardvark_genotypes_counts", self.handle, c_void_p(counts.ctypes.data))
        out = np.empty(self.shape, dtype=dtype, order="F")
        out[:, : self._num_variants] = counts
        gaps = np.nonzero(counts == -127)
        is_whole = out.dtype.kind not in "fc"
        if gaps[0].size > 0 and is_whole and (missing == "mean" or not float(missing).is_integer()):
            what = "their mean" if missing == "mean" else missing
            message = f"{gaps[0].size} genotypes are missing, and {out.dtype} cannot hold {what}; give missing=-127, or a dtype of float"
            raise InvalidArgumentError(message, "missing", value=str(missing), why=f"whole numbers cannot hold {what}", remedy="give missing=-127")
        out[gaps] = self._result.array("means")[gaps[1]] if missing == "mean" else missing
        if self._beside is not None:
            out[:, self._num_variants :] = self._beside
        return out

    def beside(self) -> tuple[Any, Any]:
        """What the library reads of the columns beside the variants, and what must exist meanwhile."""
        if self._beside is None:
            return None, None
        view, array = matrix_of(self._beside)
        return byref(view), (view, array)


def _again(source: tuple[str, int, str], rows: Optional[np.ndarray], beside: Any, names: Sequence[str]) -> Genotypes:
    whole = read_plink(source[0], count_allele=source[1], absent_variants=source[2])
    some = whole if rows is None else whole[rows]
    return some if beside is None else some.with_columns(beside, names)


def read_plink(path: Union[str, os.PathLike[str]], *, count_allele: int = 1, absent_variants: str = "refuse") -> Genotypes:
    """Reads a PLINK 1 fileset: study.bed, with study.bim and study.fam beside it.

    Parameters
    ----------
    path : str or path
        "study.bed" or "study".
    count_allele : {1, 2}, default=1
        1: an entry is the number of copies of allele 1, the fifth field of .bim, as plink 1.9 --recode A and bed-reader count. 2: of allele
        2, as plink2 --export A and pandas-plink count.
    absent_variants : {"refuse", "mean"}, default="refuse"
        Predictions: what to do with a variant of the model that the fileset does not have, or has with other alleles. "mean": it stands at
        the mean of the fit, and a warning says how many there are.

    Returns
    -------
    genotypes : Genotypes
        A table for `fit` and `predict`.

    Examples
    --------
    >>> from ardvark import read_plink
    >>> read_plink("none.bed")
    Traceback (most recent call last):
    OSError: cannot open 'none.bed': No such file or directory; check the path and the current folder
    """
    if absent_variants not in ("refuse", "mean"):
        why = "it must be 'refuse' or 'mean'"
        raise InvalidArgumentError(f"absent_variants is {absent_variants!r}; {why}", "absent_variants", value=str(absent_variants), why=why)
    name = os.fspath(path)
    handle = call_for_handle("genotypes", "ardvark_genotypes_read", without_null(os.fsencode(name)), int(count_allele))
    return Genotypes(handle, (os.path.abspath(name), int(count_allele), absent_variants))
