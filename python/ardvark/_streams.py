"""Tables that are read in pieces: Arrow streams, datasets, files of Parquet, and functions that open them."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Collection, Iterator, Mapping, Optional, Sequence

import numpy as np

from ._abi import InvalidArgumentError
from ._arrays import is_sparse
from ._csv_forms import CsvFiles, dataset_of, forms_of, left_out_of, of_python, with_gaps
from ._csv_forms import without as without_fields
from ._folds import RowFolds
from ._given import frame, in_source, plain_columns, row_labels, tell_row_labels
from ._progress import Progress
from ._statistics import LinearStatistics
from ._tables import names_of, without

_ROWS = 8192  # of a piece at most; the result does not depend on it
_BYTES = 4 << 20  # of a piece as numbers, about
_BYTES_OF_A_GROUP = 48 << 20  # of rows in a file of Parquet, if it is read by columns
_BUFFER = 65536  # bytes of each column of a file of Parquet
_FORMATS = {".csv": "csv", ".arrow": "ipc", ".feather": "ipc"}  # of Arrow, by the ending of a file
_NAMES = {"csv": "CSV", "ipc": "Arrow", "parquet": "Parquet"}
_AS_THEY_ARE = "files must stay as they are until the fit has ended"

__all__ = ["Rows", "files_at", "is_stream", "pieces_of", "pieces_of_fit", "read_in_pieces", "refuse_other_files", "rows_in"]


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
        raise FileNotFoundError(f"the file {gone[0]!r} was there when the fit began, and is gone; {_AS_THEY_ARE}")
    if new := [name for name in now if name not in before]:
        raise ValueError(f"the file {new[0]!r} was not there when the fit began; {_AS_THEY_ARE}")


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
        dataset, refused, forms = _dataset_at(os.fspath(source), given, texts)
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
        rows = source.tocsr() if is_sparse(source) else source
        return (rows[first : first + _ROWS] for first in range(0, rows.shape[0], _ROWS))
    return iter([source]) if names_of(source) is not None else iter(source)


def files_at(path: str) -> list[str]:
    """The path of a file or folder, or the files that a pattern matches, in the order of their names."""
    if os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path)) if glob.has_magic(path) else []
    if not found:
        raise FileNotFoundError(f"X is {path!r}, {'a pattern that no file matches' if glob.has_magic(path) else 'which does not exist'}; check the path and the current folder")
    return found


def _files_in(path: str) -> list[str]:
    """The files in a folder, and in its folders. Arrow skips names that begin with a point or an underscore."""
    found = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    return [file for file in found if not any(part.startswith((".", "_")) for part in os.path.relpath(file, path).split(os.sep))]


def _format_of(file: str) -> str:
    """By the ending of its name."""
    name = file.lower().removesuffix(".gz").removesuffix(".zst")
    return _FORMATS.get(os.path.splitext(name)[1], "parquet")


def _format_of_all(path: str, files: Sequence[str]) -> str:
    first = {_format_of(file): file for file in reversed(files)}
    if len(first) == 1:
        return next(iter(first))
    one, other = sorted(first.values(), key=lambda file: (_format_of(file) == "parquet", files.index(file)))[:2]
    pattern = os.path.join(os.path.dirname(one), "*" + os.path.splitext(one)[1])
    raise ValueError(
        f"X is {path!r}, with files of different formats: {one!r} is {_NAMES[_format_of(one)]}, and {other!r} is not; give a pattern that only files of"
        f" one format match, such as {pattern!r}"
    )


def _dataset_at(path: str, given: Optional[CsvFiles], texts: Optional[Mapping[str, Sequence[str]]]) -> tuple[Any, list[str], dict[str, dict[str, Any]]]:
    """A file, a folder or a pattern: of Parquet, or as the endings say. Also, of files of CSV, why a fit is refused, and their forms, by their paths, if one
    of them is not plain."""
    arrow = _arrow()
    files = files_at(path)
    all_files = [file for one in files for file in (sorted(_files_in(one)) if os.path.isdir(one) else [one])]
    if not all_files:
        raise FileNotFoundError(f"X is {path!r}, a folder without files; it must have files of Parquet, CSV or Arrow")
    format_ = _format_of_all(path, all_files) if given is None else "csv"
    forms = forms_of(all_files, given, texts or {}) if format_ == "csv" else {}
    try:
        if format_ == "csv":
            return (*dataset_of(files, all_files, forms, texts), forms)
        return arrow.dataset.dataset(files if len(files) > 1 else files[0], format=format_), [], {}
    except (arrow.ArrowException, OSError) as error:
        for file in all_files:  # which one it is
            try:
                arrow.dataset.dataset(file, format=format_)
            except (arrow.ArrowException, OSError) as of_file:
                raise _unreadable(file, format_, of_file, path) from of_file
        raise ValueError(f"X is {path!r}, which cannot be read as {_NAMES[format_]}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """What Arrow says, without the name of the file and what it may quote of binary files."""
    text = next(iter(str(error).splitlines()), "") or type(error).__name__
    text = re.split(r"': (?:Invalid: )?", text, maxsplit=1)[-1]
    return "".join(character if character.isprintable() and character != "\ufffd" else "?" for character in text[:150])


def _unreadable(file: str, format_: str, error: Exception, path: Optional[str] = None) -> Exception:
    """What to say of a file that Arrow cannot read. path: X, if it is known."""
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(f"the file {file!r} was there when the fit began, and is gone; {_AS_THEY_ARE}")
    if os.path.isfile(file) and os.path.getsize(file) == 0:
        return ValueError(f"the file {file!r} is empty: a table has a header row and at least one data row; remove the file, or write it again")
    if isinstance(error, PermissionError):
        return PermissionError(f"the file {file!r} cannot be opened: you may not read it; change its permissions, or leave it out")
    if format_ == "parquet" and os.path.splitext(file)[1].lower() not in ("", ".parquet", ".pq", *_FORMATS, ".gz", ".zst"):
        given = repr(file) if path is None or path == file else f"{path!r} with the file {file!r}"
        return ValueError(
            f"X is {given}, which cannot be read as Parquet; a path is a file, a folder or a pattern of files of Parquet, or of files that end with .csv, .arrow or .feather"
            f" (CSV with another ending: give ardvark.CsvFiles(path) as X; anything else: pyarrow.dataset.dataset): {_reason(error)}"
        )
    return ValueError(
        f"the file {file!r} cannot be read as {_NAMES.get(format_, format_)}: {_reason(error)}; it must be complete, and must not change while it is read:"
        " write it again, or leave it out"
    )


def _refusal_of_value(file: str, names: Sequence[str], error: Exception) -> Optional[ValueError]:
    """A column of CSV has the type that the first rows show, and what does not fit it is told with its name."""
    found = re.search(r"CSV column #(\d+):(?: Row #(\d+):)?.*error to ([\w\[\]]+): invalid value (.*)", str(error))
    if found is None:
        return None
    row = "" if found[2] is None else f" at row {int(found[2]) - 1}"  # Arrow counts the header
    return ValueError(
        f"X is {file!r}: the column {names[int(found[1])]!r} has the value {found[4]}{row}, which does not fit the type {found[3]} of the first rows; correct it, or give the types of columns"
        " to pyarrow.dataset.dataset (its CsvFileFormat has column_types, and null_values if it means a missing value), and that dataset as X"
    )


def _rows_of_dataset(dataset: Any, path: Optional[str] = None, forms: Optional[dict[str, dict[str, Any]]] = None) -> Rows:
    """path: of a dataset that is all columns of all files there. forms: of files of CSV that are not plain."""
    files: list[tuple[int, str]] = []
    labels = set(row_labels(dataset.schema))
    forms = {os.path.abspath(file): form for file, form in (forms or {}).items()}
    rows = Rows(_ahead(_pieces_of_dataset(dataset, path, files, labels, forms)), dataset, files, labels)
    for form in forms.values():
        rows.notes += [note for note in map(of_python, form["notes"]) if note not in rows.notes]
        rows.refused += map(of_python, form["reasons"])
    return rows


def _pieces_of_dataset(
    dataset: Any, path: Optional[str], files: list[tuple[int, str]], labels: set[str], forms: dict[str, dict[str, Any]]
) -> Iterator[Any]:
    """Batches of a dataset of Arrow."""
    arrow = _arrow()
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # a dataset that leaves out rows has none
        yield from dataset.to_batches(batch_size=_ROWS, batch_readahead=2, fragment_readahead=1)
        return
    rows = 0
    for fragment in fragments:
        file, format_ = getattr(fragment, "path", None), getattr(getattr(fragment, "format", None), "default_extname", "")
        if file is None:
            yield from fragment.to_batches(schema=dataset.schema, batch_size=_ROWS, batch_readahead=2)
            continue
        name = os.path.relpath(file) if path is not None and not os.path.isabs(path) else file
        files.append((rows, name))
        left_out = left_out_of(forms[file]) if file in forms else {}
        try:
            labels.update(row_labels(fragment.physical_schema))
            for batch in _batches_of(fragment, dataset.schema, format_ == "csv", path is not None):
                rows += batch.num_rows
                yield without_fields(batch, left_out, name)
        except (arrow.ArrowException, OSError) as error:
            raise _refusal_of_value(name, dataset.schema.names, error) or _unreadable(name, format_, error) from error


def _batches_of(fragment: Any, known: Any, is_csv: bool, all_columns: bool) -> Iterator[Any]:
    """Batches of a file. The reader of a dataset would hold whole row groups, and run ahead by whole files."""
    arrow = _arrow()
    schema = _columns_in(fragment, known, is_csv, all_columns)
    size = max(1024, min(_ROWS, _BYTES // (8 * max(len(schema), 1))))
    is_whole_file = (
        isinstance(fragment, arrow.dataset.ParquetFileFragment)
        and fragment.physical_schema.equals(schema)
        and fragment.partition_expression.equals(arrow.dataset.scalar(True))
        and fragment.num_row_groups == fragment.metadata.num_row_groups
    )
    if not is_whole_file:
        yield from fragment.to_batches(schema=schema, batch_size=size, batch_readahead=2)
        return
    with fragment.open() as file:
        yield from _batches_of_parquet(arrow.parquet.ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER), size)


def _batches_of_parquet(file: Any, size: int) -> Iterator[Any]:
    """Batches of a file of Parquet. Of a group of rows that is not large, one column is read after the other: what is needed to decode a column,
    often more than its numbers, is not held for all of them."""
    names, facts = file.schema_arrow.names, file.metadata
    is_flat = facts.num_columns == len(set(names)) == len(names)
    for number in range(file.num_row_groups):
        count = facts.row_group(number).num_rows
        if not is_flat or 8 * count * len(names) > _BYTES_OF_A_GROUP:
            for turn, batch in enumerate(file.iter_batches(size, row_groups=[number], use_threads=False)):
                yield batch
                del batch
                if turn % 8 == 7:
                    _arrow().default_memory_pool().release_unused()
            continue
        columns = [plain_columns(file.read_row_group(number, columns=[name], use_threads=False)).column(0).combine_chunks() for name in names]
        group = _arrow().RecordBatch.from_arrays(columns, names)
        del columns
        _arrow().default_memory_pool().release_unused()
        for first in range(0, count, size):
            batch = group.slice(first, size)
            if first + size >= count:  # a copy, so that the group is gone before the next one is read
                batch, group = batch.take(_arrow().array(np.arange(batch.num_rows))), None
            yield batch
            del batch


def _columns_in(fragment: Any, known: Any, is_csv: bool, all_columns: bool) -> Any:
    """The columns that a file has, with their types: those of the first file, unless one has texts and the other numbers. Arrow itself would
    make numbers of texts, and no value of a column that is not there."""
    arrow = _arrow()
    own = fragment.physical_schema
    keys = arrow.dataset.get_partition_keys(fragment.partition_expression)
    fields = [known.field(name) for name in known.names if name in keys]
    for field in own:
        at = known.get_field_index(field.name)
        if at >= 0:
            fields.append(field.with_type(_type_of(known.field(at).type, field.type, is_csv)))
        elif all_columns or known.names.count(field.name) > 1:
            fields.append(field)
    place = {name: number for number, name in enumerate(known.names)}
    return arrow.schema(sorted(fields, key=lambda field: place.get(field.name, len(place))))


def _type_of(known: Any, here: Any, is_csv: bool) -> Any:
    """The type in which a column of a file is read, of which the first file has another one."""
    types = _arrow().types
    if known.equals(here) or types.is_null(here):
        return known
    if types.is_integer(known) and types.is_integer(here):
        return _arrow().int64()
    if all(types.is_integer(one) or types.is_floating(one) for one in (known, here)):
        return _arrow().float64()
    if is_csv and not types.is_null(known):  # a file of CSV has no types of its own; Arrow names the row of a value that does not fit
        return known
    return known if known.id == here.id and not types.is_decimal(here) else here


def _ahead(pieces: Iterator[Any]) -> Iterator[Any]:
    """The same pieces. The next one is read while the caller works on the last one."""
    reader = ThreadPoolExecutor(1)
    try:
        coming = reader.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = reader.submit(next, pieces, None)
            yield piece
            del piece  # or it would be there beside the next two
    finally:
        # After an error the garbage collector may end this, in any thread and at any place: one that waits for another thread could wait for itself.
        reader.shutdown(wait=False)


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.dataset
        import pyarrow.ipc
        import pyarrow.parquet
        import pyarrow.types
    except ImportError:
        raise ImportError("a stream of Arrow or Parquet needs pyarrow: pip install pyarrow") from None
    return pyarrow


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
            raise in_source(error, 0, None, before if isinstance(error, InvalidArgumentError) else 0) from None


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


def _with_remedy(error: ValueError, source: Any) -> ValueError:
    """An error of a fit. What it says of a value that is missing is completed by what a fit of a path can do."""
    text = str(error)
    if not isinstance(source, (str, os.PathLike)) or not re.search("has (the value nan|no value) in .*; .*leave out the row, or fill the gap", text):
        return error
    return type(error)(
        text.replace("leave out the row, or fill the gap", "leave out the row, fill the gap, or fit with missing='drop' (a table of up to 64 MiB as numbers)"),
        *([error.argument] if isinstance(error, InvalidArgumentError) else []),
    )


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
            raise _with_remedy(in_source(error, rows, pieces.place_of), source) from None
        elapsed = time.monotonic() - started
        rate = rows / max(elapsed, 1e-9)
        text = f"reading: {rows:,} rows, {rate:,.0f} rows a second"
        if tell is not None and tell(Progress(0, 0, float("-inf"), elapsed, "preparing", "row", rows, None, text)) is False:
            raise InterruptedError(f"the callback ended the reading after {rows:,} rows; there is no fit")
    if rows == 0:
        raise ValueError("X has no rows")
    return [part for part in parts if part.n_rows_ > 0]
