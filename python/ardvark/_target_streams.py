"""Many targets of tables that are read in pieces, and pieces that are pairs of X and y."""

from __future__ import annotations

import itertools
import time
from typing import Any, Callable, Iterable, Optional, Sequence, Union

import numpy as np

from ._abi import InvalidArgumentError
from ._given import frame, in_source, is_many, series_taken_from
from ._progress import Progress
from ._statistics import LinearStatistics
from ._streams import pieces_of_fit, with_remedy
from ._tables import names_of
from ._target_statistics import TargetStatistics, are_names

__all__ = ["pairs_of", "read_pairs", "read_targets_in_pieces", "require_names_of_targets"]

Tell = Optional[Callable[[Progress], Any]]


def read_targets_in_pieces(
    source: Any, targets: Sequence[str], sample_weight: Optional[str], tell: Tell, named: Sequence[str] = (), notes: Optional[list[str]] = None
) -> TargetStatistics:
    """The statistics of all rows of a source, with these columns as targets. The others are as of `read_in_pieces`."""
    require_names_of_targets(targets)
    pieces = pieces_of_fit(source, [*targets, sample_weight, *named])
    if notes is not None:
        notes += pieces.notes
    statistics = TargetStatistics()

    def add(piece: Any) -> None:
        rows = statistics.n_rows_
        try:
            table = frame(piece)
            if names_of(table) is None:
                why, remedy = "targets that are named are columns of tables", "give DataFrames"
                raise InvalidArgumentError(f"a piece of X is a {type(piece).__name__}; {why}: {remedy}", "X", why=why, remedy=remedy)
            for name in targets:
                series_taken_from(table, name, "target", True)  # refuses one that is not there
            statistics.update(table, list(targets), sample_weight)
        except ValueError as error:
            raise with_remedy(in_source(error, rows, pieces.place_of, counted=rows), source) from None

    _read(pieces, statistics, add, tell)
    return statistics


def require_names_of_targets(targets: Sequence[Any]) -> None:
    """Refuses what cannot be names of different columns."""
    if not targets:
        raise ValueError("target is an empty list; it must name columns of X")
    for name in targets:
        if not isinstance(name, str):
            why = "columns of what is read in pieces have texts as names"
            raise InvalidArgumentError(f"target names the column {name!r}; {why}", "target", value=str(name), why=why)
        if (times := list(targets).count(name)) > 1:
            raise InvalidArgumentError(f"target names the column {name!r} {times} times", "target", value=str(name), column=str(name))


def pairs_of(X: Any) -> Optional[Iterable[tuple[Any, ...]]]:
    """The pieces of an iterator, or of a function that opens one, if they are pairs (X, y) or (X, y, sample_weight); None: they are not."""
    pieces = X() if callable(X) and not hasattr(X, "__next__") else X
    if not hasattr(pieces, "__next__"):
        return None
    first = next(pieces, None)
    return itertools.chain([first], pieces) if isinstance(first, tuple) and len(first) in (2, 3) else None


def read_pairs(pieces: Iterable[tuple[Any, ...]], form: str, tell: Tell) -> Union[LinearStatistics, TargetStatistics]:
    """The statistics of all rows of such pieces: of one target, or of many. form: of those of one target."""
    pieces = iter(pieces)
    first = next(pieces)
    statistics: Any = TargetStatistics() if is_many(first[1]) or are_names(first[1]) else LinearStatistics(form)

    def add(piece: tuple[Any, ...]) -> None:
        rows = statistics.n_rows_
        try:
            if not isinstance(piece, (tuple, list)) or len(piece) not in (2, 3):
                why = "after a first piece (X, y) each is (X, y) or (X, y, sample_weight)"
                raise InvalidArgumentError(f"a piece of X is of the type {type(piece).__name__}; {why}", "X", why=why)
            if np.shape(piece[0])[:1] != (0,):
                statistics.update(*piece)
        except ValueError as error:
            raise in_source(error, rows, counted=rows) from None

    _read(itertools.chain([first], pieces), statistics, add, tell)
    return statistics


def _read(pieces: Iterable[Any], statistics: Any, add: Callable[[Any], None], tell: Tell) -> None:
    started = time.monotonic()
    for piece in pieces:
        add(piece)
        rows, elapsed = statistics.n_rows_, time.monotonic() - started
        text = f"reading: {rows:,} rows, {rows / max(elapsed, 1e-9):,.0f} rows a second"
        if tell is not None and tell(Progress(0, 0, float("-inf"), elapsed, "preparing", "row", rows, None, text)) is False:
            raise InterruptedError(f"the callback ended the reading after {rows:,} rows; there is no fit")
    if statistics.n_rows_ == 0:
        raise ValueError("X has no rows")
