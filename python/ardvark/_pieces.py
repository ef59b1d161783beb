"""Sources that are read again and again, of which a small one becomes a table in memory."""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from typing import Any, Iterator, Optional, Sequence

import numpy as np

from ._files import _arrow
from ._given import frame, in_source
from ._streams import Rows, _is_table, pieces_of_fit, refuse_other_files
from ._tables import is_numeric, names_of

__all__ = ["Pieces"]

SMALL_BYTES = 64 << 20  # a table that takes no more is fitted in memory; as many as the sample of a larger one


class Pieces:
    """A source that can be read again and again: what can be read only once is written to a temporary file while it is read first.

    Parameters
    ----------
    source : str, path, Arrow stream, dataset, iterator of tables, or function that returns one of these
    named : sequence of str
        Columns that stay, although they may be labels of rows.

    Attributes
    ----------
    is_spooled : bool
        Whether there is such a file.
    notes : list of str
        As of `Rows`, of the last reading.

    Examples
    --------
    >>> import pandas
    >>> from ardvark._pieces import Pieces
    >>> with Pieces(iter([pandas.DataFrame({"a": [1, 2]})])) as pieces:
    ...     [len(list(pieces)) for _ in range(2)]
    [1, 1]
    """

    def __init__(self, source: Any, named: Sequence[Optional[str]] = ()):
        can_repeat = isinstance(source, (str, os.PathLike)) or callable(source) or hasattr(source, "get_fragments") or hasattr(source, "collect_batches")
        self.is_spooled = not (can_repeat or names_of(source) is not None or _is_table(source))
        self._source, self._named = source, named
        self._left_out: set[str] = set()
        self._begun: Optional[Iterator[Any]] = None  # the first reading
        self._rows: Optional[Rows] = None  # the last one
        self._file: Any = None

    def __enter__(self) -> Pieces:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._file is not None:
            self._file.close()

    def __iter__(self) -> Iterator[Any]:
        if self._file is not None:
            return self._read()
        pieces, self._begun = self._opened() if self._begun is None else self._begun, None
        return self._written(pieces) if self.is_spooled else pieces

    def _opened(self) -> Rows:
        rows = pieces_of_fit(self._source, self._named, self._left_out)
        if self._rows is not None:
            refuse_other_files(self._rows.files, rows.files)
        self._rows = rows
        return rows

    def place_of(self, row: int) -> Optional[tuple[str, int]]:
        """As of `Rows`: the file that has a row, and its number there."""
        return None if self._rows is None else self._rows.place_of(row)

    @property
    def notes(self) -> list[str]:
        return [] if self._rows is None else self._rows.notes

    @contextlib.contextmanager
    def naming_files(self) -> Iterator[None]:
        """A fit of the whole table names the file that has a row."""
        try:
            yield
        except ValueError as error:
            if self._rows is None or len(self._rows.files) < 2:
                raise
            raise in_source(error, 0, self.place_of, is_of_piece=False) from None

    def table(self) -> Any:
        """The whole table, if it takes at most SMALL_BYTES as numbers. None: it does not; the next reading begins with the rows that were read here."""
        pieces, head, numbers = self._opened(), [], 0
        if pieces.takes_more_than(SMALL_BYTES):
            self._begun = pieces
            return None
        for piece in pieces:
            head.append(piece)
            numbers += int(np.prod(getattr(piece, "shape", ())))
            if 8 * numbers > SMALL_BYTES:
                break
        table = _joined(head) if 8 * numbers <= SMALL_BYTES else None
        if table is None:
            self._begun = itertools.chain(_released(head), pieces)
        return table

    def _written(self, pieces: Iterator[Any]) -> Iterator[Any]:
        arrow = _arrow()
        self._file = tempfile.TemporaryFile(prefix="ardvark-rows-")
        writer = schema = None
        for piece in pieces:
            if not _is_table(piece) and names_of(piece) is None:
                raise ValueError(f"the pieces of X must be tables with names of columns, such as DataFrames; one is a {type(piece).__name__}")
            try:
                batch = piece if _is_table(piece) else arrow.Table.from_pandas(piece, preserve_index=False) if hasattr(piece, "iloc") else piece.to_arrow()
            except arrow.ArrowException as error:
                yield piece  # whoever reads it can say what is wrong
                raise ValueError(f"X can be read only once, and its rows cannot be written to a temporary file: {error}; give the columns types that Arrow has") from error
            with _spooling():
                if writer is None or not batch.schema.equals(schema):  # a reader of Arrow has one schema
                    if writer is not None:
                        writer.close()
                    writer, schema = arrow.ipc.new_stream(self._file, batch.schema), batch.schema
                writer.write(batch)
            yield batch
        if writer is not None:
            with _spooling():
                writer.close()

    def _read(self) -> Iterator[Any]:
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(0)
        while self._file.tell() < size:
            yield from _arrow().ipc.open_stream(self._file)


def _released(pieces: list[Any]) -> Iterator[Any]:
    """The same pieces; each is forgotten as it is given."""
    pieces.reverse()
    while pieces:
        yield pieces.pop()


@contextlib.contextmanager
def _spooling() -> Iterator[None]:
    """A disk that is full is told with what to do."""
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno,
            f"X can be read only once, so its rows are written to a temporary file in {tempfile.gettempdir()!r}, which failed: {error.strerror or error}; "
            "make room there, set the environment variable TMPDIR to another folder, or give a source that can be read again, such as a path or a function",
        ) from error


def _joined(pieces: Sequence[Any]) -> Any:
    """One DataFrame of pieces whose columns have the same names and kinds, if it takes at most SMALL_BYTES with a column for each level."""
    if not all(names_of(piece) is not None or _is_table(piece) for piece in pieces):
        return None
    frames = [frame(piece) for piece in pieces if len(piece) > 0]
    kinds = [names_of(one) and {name: is_numeric(dtype) for name, dtype in zip(one.columns, one.dtypes)} for one in frames]
    if not frames or not kinds[0] or any(kind != kinds[0] for kind in kinds) or len(kinds[0]) < len(frames[0].columns):
        return None
    if hasattr(frames[0], "iloc"):
        import pandas

        table: Any = pandas.concat([one[list(kinds[0])] for one in frames], ignore_index=True)
        width = sum(1 if is_number else table[name].nunique() for name, is_number in kinds[0].items())
    else:
        import polars

        table = polars.concat([one.select(list(kinds[0])) for one in frames], how="vertical_relaxed")
        width = sum(1 if is_number else table[name].n_unique() for name, is_number in kinds[0].items())
    return table if 8 * len(table) * width <= SMALL_BYTES else None
