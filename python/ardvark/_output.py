"""Tables that are written in pieces: files of Parquet, Arrow and CSV."""

from __future__ import annotations

import itertools
import os
import shutil
import threading
from contextlib import contextmanager, suppress
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ._files import _arrow, files_at
from ._streams import _is_table
from ._tables import names_of, sentence_near, with_dense_columns

_ROWS = 65536  # at least, of a group of rows in a file
_ROWS_WITHOUT_VALUE = 1 << 20  # so many rows are held in memory while a column has no value

__all__ = ["columns_of", "refuse_own_source", "write_tables"]


def columns_of(piece: Any, keep: Sequence[str], columns: Mapping[str, np.ndarray]) -> Any:
    """A table of Arrow: columns of a piece, and others beside them."""
    arrow = _arrow()
    piece = with_dense_columns(piece)
    names = list(piece.schema.names) if _is_table(piece) else names_of(piece) or []
    out = {}
    for name in keep:
        if not names:
            raise ValueError(f"keep names the column {name!r}, but the columns of the source have no names; give a table, such as a DataFrame")
        if name not in names:
            raise ValueError(f"keep names the column {name!r}, which the source does not have{sentence_near(name, names)}")
        if name in columns:
            raise ValueError(f"keep names the column {name!r}, and the predictions have this name, too; give it another name in the source")
        column = piece.column(name) if _is_table(piece) else piece[name].to_arrow() if hasattr(piece[name], "to_arrow") else arrow.array(piece[name])
        out[name] = column.dictionary_decode() if hasattr(column, "dictionary_decode") and arrow.types.is_dictionary(column.type) else column
    return arrow.table({**out, **{name: arrow.array(values) for name, values in columns.items()}})


def refuse_own_source(path: Any, source: Any) -> None:
    """Refuses to write over what is read, or into the folder that is read."""
    target = os.path.realpath(os.fspath(path))
    for file in files_at(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else list(getattr(source, "files", ())):
        read = os.path.realpath(os.fspath(file))
        if target == read:
            raise ValueError(f"path is {os.fspath(path)!r}, which is read; give another path")
        if os.path.isdir(read) and target.startswith(read + os.sep):
            raise ValueError(f"path is {os.fspath(path)!r}, which is in the folder that is read; give another folder")


def write_tables(path: Any, tables: Iterable[Any]) -> int:
    """Writes tables of Arrow to one file, which is there completely or not at all.

    Parameters
    ----------
    path : str or path-like
        The ending of the name says what the file is: .parquet, .arrow, .feather or .csv.
    tables : iterable of pyarrow.Table
        With the same columns.

    Returns
    -------
    n_rows : int
    """
    path = os.fspath(path)
    ending = os.path.splitext(path)[1].lower()
    if ending not in _WRITERS:
        raise ValueError(f"path is {path!r}; its ending says what the file will be: it must be one of {', '.join(_WRITERS)}")
    groups, rows = _in_groups(tables), 0
    first = next(groups, None)  # what is wrong with the rows comes before there is a file
    if first is None:
        raise ValueError("the source has no rows")
    with _FileInTheMaking(path, _WRITERS[ending], first.schema) as file:
        for table in itertools.chain([first], groups):
            file.write(table)
            rows += table.num_rows
    return rows


def _in_groups(tables: Iterable[Any]) -> Iterator[Any]:
    """The same rows in larger tables of the same types: those that the first rows together have."""
    waiting: list[Any] = []
    schema, enough = None, _ROWS
    for table in tables:
        waiting.append(table if schema is None else _cast(table, schema))
        if sum(one.num_rows for one in waiting) < enough:
            continue
        if schema is None:
            schema = _common_schema(waiting)
            if enough < _ROWS_WITHOUT_VALUE and any(_arrow().types.is_null(field.type) for field in schema):
                schema, enough = None, 2 * enough  # a column without any value so far
                continue
            waiting = [_cast(one, schema) for one in waiting]
        yield _arrow().concat_tables(waiting)
        waiting, enough = [], _ROWS
    if waiting:
        schema = schema or _common_schema(waiting)
        yield _arrow().concat_tables([_cast(one, schema) for one in waiting])


def _common_schema(tables: Sequence[Any]) -> Any:
    """Numbers that are whole in some tables only are not whole, and a column may have no value in some."""
    try:
        return _arrow().unify_schemas([table.schema for table in tables], promote_options="permissive")
    except (ValueError, TypeError):  # texts and numbers; an old pyarrow. _cast says what is wrong
        return tables[0].schema


def _cast(table: Any, schema: Any) -> Any:
    try:
        return table.cast(schema)
    except (ValueError, TypeError):  # those of Arrow
        name, known, here = next((f.name, f.type, table.schema.field(f.name).type) for f in schema if not _fits(table.column(f.name), f.type))
        raise ValueError(
            f"column {name!r} has values of type {here} in later rows, which do not fit the type {known} of the rows before; give it one type in the source"
        ) from None


def _fits(column: Any, type_: Any) -> bool:
    try:
        column.cast(type_)
    except (ValueError, TypeError):
        return False
    return True


def _parquet(file: Any, schema: Any) -> Any:
    return _arrow().parquet.ParquetWriter(file, schema)


def _ipc(file: Any, schema: Any) -> Any:
    return _arrow().ipc.new_file(file, schema)


def _csv(file: Any, schema: Any) -> Any:
    import pyarrow.csv

    return pyarrow.csv.CSVWriter(file, schema)


_WRITERS: dict[str, Callable[[Any, Any], Any]] = {".parquet": _parquet, ".arrow": _ipc, ".feather": _ipc, ".csv": _csv}


class _FileInTheMaking:
    """A file that gets its name when it is complete."""

    def __init__(self, path: str, open_writer: Callable[[Any, Any], Any], schema: Any):
        self._path, self._target = path, os.path.realpath(path)
        self._partial = f"{self._target}.partial-{os.getpid()}-{threading.get_ident()}"
        if os.path.exists(self._target) and not os.path.isfile(self._target):
            raise OSError(f"cannot write {path!r}: it exists and is not a regular file; give another path")
        self._writer: Any = None
        with self._in_words():
            self._file = open(self._partial, "xb")
            try:
                if os.path.exists(self._target):
                    shutil.copymode(self._target, self._partial)
                self._writer = open_writer(self._file, schema)
            except BaseException:
                self._remove()
                raise

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise OSError(f"cannot write {self._path!r}: {reason}; free space, check who may write there, or give another path") from None

    def _remove(self) -> None:
        with suppress(Exception):  # of a full disk, for example
            self._writer.close()
        with suppress(OSError):
            self._file.close()
        os.unlink(self._partial)

    def write(self, table: Any) -> None:
        with self._in_words():
            self._writer.write_table(table) if hasattr(self._writer, "write_table") else self._writer.write(table)

    def __enter__(self) -> _FileInTheMaking:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            if kind is None:
                with self._in_words():
                    self._writer.close()
                    self._file.flush()
                    os.fsync(self._file.fileno())
                    self._file.close()
                    os.replace(self._partial, self._target)
        finally:
            if os.path.exists(self._partial):
                self._remove()
