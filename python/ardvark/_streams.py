"""Tables that are read in pieces: Arrow streams, datasets, files, and functions that open them."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Callable, Collection, Iterator, Mapping, Optional, Sequence

import numpy as np

from ._abi import InvalidArgumentError
from ._arrays import is_sparse, with_right_places
from ._csv_forms import CsvFiles, with_gaps
from ._files import AS_THEY_ARE, _arrow, ahead, dataset_at, pieces_of_dataset
from ._files import ROWS as _ROWS
from ._folds import RowFolds
from ._given import frame, in_source, plain_columns, row_labels, tell_row_labels
from ._progress import Progress
from ._statistics import LinearStatistics
from ._tables import names_of, without

__all__ = ["Rows", "is_stream", "pieces_of", "pieces_of_fit", "read_in_pieces", "refuse_other_files", "rows_in", "with_remedy"]


def is_stream(X: Any) -> bool:
    """Whether X is a source that is read in pieces: not a table or an array in memory."""
    if isinstance(X, (str, os.PathLike)) or callable(X) or any(hasattr(X, name) for name in ("to_batches", "collect_batches")):
        return not _is_table(X)
    if hasattr(X, "__arrow_c_stream__"):
        return names_of(X) is None and not _is_table(X)
    return hasattr(X, "__next__")


def _is_table(X: Any) -> bool:
    """Whether X is a table of Arrow in memory."""
    return type(X).__name__ in ("Table", "RecordBatch") and hasattr(X, "schema")


def rows_in(piece: Any) -> int:
    """How many rows a table, an array or a matrix has; 1 of anything else."""
    if is_sparse(piece):
        return int(piece.shape[0])
    return piece.num_rows if hasattr(piece, "num_rows") else len(piece) if hasattr(piece, "__len__") else 1


class Rows:
    """The tables of a source that have rows, one after the other, and the files that they are in.

    Parameters
    ----------
    pieces : iterator of tables
    dataset : pyarrow.dataset.Dataset
        What they are read from, if it is one.
    files : list of (int, str)
        The first row, counted from 0, and the name of each file that was begun. It grows as they are read.

    labels : set of str
        Columns that are the labels of rows, as the files that were begun say. It grows, too.

    Attributes
    ----------
    for_a_fit : bool
        Whether columns of decimals are read as numbers, and the labels of rows are left out; predictions keep columns as they are.
    named : collection of str
        Columns that stay, although they may be labels of rows.
    left_out : set of str
        Labels of rows that were left out.
    markers : list of str
        Of files of CSV: further texts that mean a missing value. None: these are no files of CSV.
    texts : collection of str
        Columns that a model knows as texts.
    notes : list of str
        What was found in the form of the files that a reader of CSV does not expect.
    refused : list of str
        Why a fit is refused: columns of numbers in a notation that would make levels of them.
    """

    def __init__(
        self, pieces: Iterator[Any], dataset: Any = None, files: Optional[list[tuple[int, str]]] = None, labels: Optional[set[str]] = None
    ):
        self._pieces, self._begun = pieces, [] if files is None else files
        self.for_a_fit = False
        self.named: Collection[str] = ()
        self.left_out: set[str] = set()
        self.markers: Optional[list[str]] = None
        self.texts: Collection[str] = ()
        self._labels = set() if labels is None else labels
        self.notes: list[str] = []
        self.refused: list[str] = []
        self.dataset = dataset
        self.files: list[str] = list(getattr(dataset, "files", ()))  # all

    def __iter__(self) -> Rows:
        return self

    def __next__(self) -> Any:
        piece = next(self._pieces)
        while rows_in(piece) == 0:
            piece = next(self._pieces)
        piece = plain_columns(piece) if _is_table(piece) else piece
        piece = piece if self.markers is None else with_gaps(piece, self.markers, None if self.for_a_fit else self.texts)
        return _with_decimals_as_numbers(self._without_labels(piece)) if self.for_a_fit else piece

    def _without_labels(self, piece: Any) -> Any:
        """The piece without the labels of rows, which are told once."""
        names = names_of(piece) or (piece.schema.names if _is_table(piece) else [])
        known = {*self._labels, *row_labels(piece)}
        labels = [name for name in names if name in known and name not in self.named]
        tell_row_labels([name for name in labels if name not in self.left_out])
        self.left_out.update(labels)
        if not labels:
            return piece
        return piece.select([name for name in names if name not in labels]) if _is_table(piece) else without(piece, labels)

    def place_of(self, row: int) -> Optional[tuple[str, int]]:
        """The file that has a row, and its number there. Rows count from 1. None: there are no files, or one."""
        begun = [one for one in self._begun if one[0] < row]
        return (begun[-1][1], row - begun[-1][0]) if begun and len(self.files) > 1 else None

    def takes_more_than(self, size: int) -> bool:
        """Whether it is known before they are read that the rows have more than so many bytes as numbers."""
        if self.dataset is None or not hasattr(self.dataset, "get_fragments") or len(self.files) == 0:
            return False
        left = size
        with contextlib.suppress(_arrow().ArrowException, OSError):  # the reading tells what is wrong
            for fragment in self.dataset.get_fragments():
                left -= 8 * fragment.metadata.num_rows * len(self.dataset.schema) if hasattr(fragment, "row_groups") else 0
                if left < 0:
                    return True
        return False


def _with_decimals_as_numbers(piece: Any) -> Any:
    """The table, with numbers in place of exact decimals."""
    if hasattr(piece, "iloc"):
        import pandas

        def is_decimal(column: Any) -> bool:
            return str(column.dtype).startswith("decimal") or (column.dtype == object and pandas.api.types.infer_dtype(column, skipna=True) == "decimal")

        names = [name for name in piece.columns if is_decimal(piece[name])] if piece.columns.is_unique else []
        return piece.astype(dict.fromkeys(names, np.float64)) if names else piece
    if _is_table(piece):
        types = _arrow().types
        for number, field in enumerate(piece.schema):
            if types.is_decimal(field.type):
                piece = piece.set_column(number, field.with_type(_arrow().float64()), piece.column(number).cast(_arrow().float64()))
    return piece


def refuse_other_files(before: list[str], now: list[str]) -> None:
    """Refuses a reading of other files than those of the one before."""
    if gone := [name for name in before if name not in now]:
        raise FileNotFoundError(f"the file {gone[0]!r} was there when the fit began, and is gone; {AS_THEY_ARE}")
    if new := [name for name in now if name not in before]:
        raise ValueError(f"the file {new[0]!r} was not there when the fit began; {AS_THEY_ARE}")


def pieces_of_fit(source: Any, named: Collection[Optional[str]] = (), left_out: Optional[set[str]] = None) -> Rows:
    """The tables that a source of a fit consists of, one after the other. named, left_out: as of `Rows`."""
    pieces = pieces_of(source, None)
    if pieces.refused:
        raise ValueError(pieces.refused[0])
    pieces.for_a_fit = True
    pieces.named = {name for name in named if name is not None}
    pieces.left_out = set() if left_out is None else left_out
    return pieces


def pieces_of(source: Any, texts: Optional[Mapping[str, Sequence[str]]] = {}) -> Rows:
    """The tables that a source consists of, one after the other. texts: columns that a model knows as texts, with their levels; None: of a fit."""
    if callable(source):
        source = source()
        if source is None:
            raise ValueError("the function that X is gave None; it must open the source anew each time it is called, and return it")
    if isinstance(source, (str, os.PathLike)):
        given = source if isinstance(source, CsvFiles) else None
        dataset, refused, forms = dataset_at(os.fspath(source), given, texts)
        rows = _rows_of_dataset(dataset, os.fspath(source), forms)
        rows.refused += refused
        is_csv = getattr(getattr(dataset, "format", None), "default_extname", "") == "csv"
        rows.markers, rows.texts = (given.missing_marker if given else []) if is_csv else None, texts or {}
        return rows
    if hasattr(source, "get_fragments"):
        return _rows_of_dataset(source)
    return Rows(_tables_of(source))


def _tables_of(source: Any) -> Iterator[Any]:
    for name in ("to_batches", "collect_batches"):  # of Arrow, and of a lazy frame of polars
        if hasattr(source, name):
            return iter(getattr(source, name)())
    if hasattr(source, "__arrow_c_stream__") and names_of(source) is None:
        return iter(_arrow().RecordBatchReader.from_stream(source))
    if hasattr(source, "partitions") and hasattr(type(source), "columns"):  # of Dask
        return (part.compute() for part in source.partitions)
    if is_sparse(source) or (isinstance(source, np.ndarray) and source.ndim == 2):
        rows = with_right_places(source).tocsr() if is_sparse(source) else source
        return (rows[first : first + _ROWS] for first in range(0, rows.shape[0], _ROWS))
    return iter([source]) if names_of(source) is not None else iter(source)


def _rows_of_dataset(dataset: Any, path: Optional[str] = None, forms: Optional[dict[str, dict[str, Any]]] = None) -> Rows:
    """path: of a dataset that is all columns of all files there. forms: of files of CSV that are not plain."""
    files: list[tuple[int, str]] = []
    labels = set(row_labels(dataset.schema))
    forms = {os.path.abspath(file): form for file, form in (forms or {}).items()}
    rows = Rows(ahead(pieces_of_dataset(dataset, path, files, labels, forms)), dataset, files, labels)
    for form in forms.values():
        rows.notes += [note for note in form["notes"] if note not in rows.notes]
        rows.refused += form["reasons"]
    return rows


def _places_in_parts(part_of: Optional[np.ndarray]) -> Iterator[tuple[int, Any]]:
    """The parts that rows of a piece are in, and which of its rows each of them has."""
    if part_of is None:
        yield 0, slice(None)
        return
    for part in np.unique(part_of):
        yield int(part), np.flatnonzero(part_of == part)


def _add_to_parts(parts: Sequence[LinearStatistics], part_of: Optional[np.ndarray], add: Callable[[LinearStatistics, Any], Any]) -> None:
    """Adds the rows of a piece; an error counts the rows of the piece."""
    for number, places in _places_in_parts(part_of):
        before = parts[number].n_rows_
        try:
            try:
                add(parts[number], places)
            except ValueError:
                add(parts[number], slice(None))  # for the number of the row in the piece
                raise
        except ValueError as error:
            raise in_source(error, 0, None, before) from None


def _add(piece: Any, target: str, sample_weight: Optional[str], parts: Sequence[LinearStatistics], folds: Optional[RowFolds]) -> int:
    """Adds a piece; the rows of the piece."""
    part_of = None if folds is None else folds.of(piece)
    if _add_numbers(piece, target, sample_weight, parts, part_of):
        return int(piece.num_rows)
    table = frame(piece)
    if names_of(table) is None:
        parts[0].update(table, target, sample_weight)  # refuses it
    _add_to_parts(parts, part_of, lambda part, places: part.update(table.iloc[places] if hasattr(table, "iloc") else table[places], target, sample_weight))
    return len(table)


def _add_numbers(piece: Any, target: str, sample_weight: Optional[str], parts: Sequence[LinearStatistics], part_of: Optional[np.ndarray]) -> bool:
    """Adds a batch of Arrow whose columns are numbers without a DataFrame between; False: it is none, and nothing was added."""
    named = [target] if sample_weight is None else [target, sample_weight]
    if not _is_table(piece) or not set(named) <= set(piece.schema.names) or len(set(piece.schema.names)) < len(piece.schema.names):
        return False
    types = _arrow().types
    if not all(types.is_floating(one.type) or types.is_integer(one.type) or (types.is_boolean(one.type) and one.name in named) for one in piece.schema):
        return False
    names = [name for name in piece.schema.names if name not in named]
    if not all(part.has_columns(names) for part in parts):
        return False
    X = np.empty((piece.num_rows, len(names)), order="F")
    for j, name in enumerate(names):
        X[:, j] = _numbers_of(piece, name)
    weights = None if sample_weight is None else _numbers_of(piece, sample_weight)
    y = _numbers_of(piece, target)

    def add(part: LinearStatistics, places: Any) -> None:
        part.add_numbers(X[places], y[places], None if weights is None else weights[places], names, target)

    _add_to_parts(parts, part_of, add)
    return True


def _numbers_of(piece: Any, name: str) -> np.ndarray:
    column = piece.column(name)
    values = column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float64)


def _after_a_look(pieces: Iterator[Any], folds: RowFolds) -> Iterator[Any]:
    """The same pieces, the first ones after they have given the folds their units."""
    first = []
    for piece in pieces:
        first.append(piece)
        if not folds.looks_at(piece):
            break
    while first:
        yield first.pop(0)
    yield from pieces


def with_remedy(error: ValueError, source: Any) -> ValueError:
    """An error of a fit. What it says of a value that is missing is completed by what a fit of a path can do."""
    if isinstance(source, (str, os.PathLike)) and isinstance(error, InvalidArgumentError) and error.row is not None and error.value == "NaN":
        return error._with_remedy("leave out the row, fill the gap, or fit with missing='drop' (a table of up to 64 MiB as numbers)")
    return error


def read_in_pieces(
    source: Any,
    target: str,
    sample_weight: Optional[str],
    parts: Sequence[LinearStatistics],
    tell: Optional[Callable[[Progress], Any]],
    named: Sequence[str] = (),
    seed: int = 1,
    notes: Optional[list[str]] = None,
) -> list[LinearStatistics]:
    """Adds all rows of a source to statistics; those that have rows.

    Parameters
    ----------
    source : str, path, Arrow stream, dataset, iterator of tables, or function that returns one of these
    target, sample_weight : str
        Names of columns.
    parts : sequence of LinearStatistics
        Each row is added to one of them, which `RowFolds` tells.
    tell : callable
        Called with the progress after each piece; it may raise.
    named : sequence of str
        Other columns that stay, although they may be labels of rows.
    seed : int
        Of the division among the parts.
    notes : list of str
        What there is to say of the files is added.
    """
    rows, started = 0, time.monotonic()
    pieces = pieces_of_fit(source, [target, sample_weight, *named])
    if notes is not None:
        notes += pieces.notes
    folds = RowFolds(len(parts), seed, target, sample_weight) if len(parts) > 1 else None
    for piece in pieces if folds is None else _after_a_look(pieces, folds):
        try:
            rows += _add(piece, target, sample_weight, parts, folds)
        except ValueError as error:
            raise with_remedy(in_source(error, rows, pieces.place_of), source) from None
        elapsed = time.monotonic() - started
        rate = rows / max(elapsed, 1e-9)
        text = f"reading: {rows:,} rows, {rate:,.0f} rows a second"
        if tell is not None and tell(Progress(0, 0, float("-inf"), elapsed, "preparing", "row", rows, None, text)) is False:
            raise InterruptedError(f"the callback ended the reading after {rows:,} rows; there is no fit")
    if rows == 0:
        raise ValueError("X has no rows")
    return [part for part in parts if part.n_rows_ > 0]
