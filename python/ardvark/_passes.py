"""Fits of classes whose table is not in memory: sums over the rows, asked for several times."""

from __future__ import annotations

import time
from ctypes import byref
from typing import Any, Callable, Optional, Sequence

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from ._abi import InvalidArgumentError, call, call_for_bytes, call_for_handle, wrong_row
from ._arrays import matrix_of, vector_of
from ._given import TRUTHS, frame, gaps_in, in_source, require_numbers, series_taken_from, spellings_of
from ._progress import Progress
from ._statistics import LinearStatistics
from ._files import _arrow
from ._pieces import Pieces
from ._streams import _is_table, _numbers_of
from ._tables import Encoding, holds_text, is_numeric, names_of, numbered, texts_in, without

__all__ = ["RowSums", "TableFacts", "UnknownLabel", "facts_of", "rows_of"]

_MOST_CLASSES = 1000  # as the library
_CHANGED = "the rows have changed since they were read before, and must stay as they are until the fit has ended"


class RowSums:
    """Sums over rows, which answer a question of a fit. They can be pickled.

    Parameters
    ----------
    question : bytes
        What the fit asks.
    stream : int, default=0
        For parts of a table that are added apart and merged: another number for each part, the same in each pass.

    Examples
    --------
    >>> from ardvark._passes import RowSums
    >>> from ardvark import _core
    >>> asked = []
    >>> def ask(question):
    ...     asked.append(question)
    ...     return RowSums(question).update([[1.0], [2.0], [3.0]], [0, 1, 0])
    >>> _core.fit_rows(ask, model="logistic", prior="shared", column_names=["a"]).text("status"), len(asked)
    ('converged', 1)
    """

    def __init__(self, question: bytes, stream: int = 0):
        self.handle = call_for_handle("sums", "ardvark_sums_create", question, len(question), stream)

    def update(self, X: Any, labels: Any, sample_weight: Any = None) -> RowSums:
        """Adds rows: numbers of shape (n_samples, n_features), labels and weights of shape (n_samples,)."""
        view, values = matrix_of(X)
        labels = vector_of(labels, values.shape[0], "y")
        weights = None if sample_weight is None else vector_of(sample_weight, values.shape[0], "sample_weight")
        call("ardvark_sums_update", self.handle, byref(view), labels.ctypes.data, None if weights is None else weights.ctypes.data)
        return self

    def merge(self, right: RowSums) -> RowSums:
        """Adds the rows of other sums, as if they came next."""
        call("ardvark_sums_merge", self.handle, right.handle)
        return self

    def to_bytes(self) -> bytes:
        """The sums in bytes."""
        return call_for_bytes("ardvark_sums_to_bytes", self.handle)

    @classmethod
    def from_bytes(cls, data: bytes) -> RowSums:
        """The sums from the bytes of `to_bytes`."""
        sums = cls.__new__(cls)
        sums.handle = call_for_handle("sums", "ardvark_sums_from_bytes", data, len(data))
        return sums

    def __reduce__(self) -> Any:
        return RowSums.from_bytes, (self.to_bytes(),)


class TableFacts:
    """What must be known of a table before its rows can be numbers: columns, levels of texts, labels.

    Parameters
    ----------
    target, sample_weight : str or None
        Names of columns; None: they are given beside the table.
    model : {"logistic", "kernel"}
        What reads the columns: a kernel has a column for every level of a text.
    is_regression : bool
        Whether the target are numbers, and not labels.

    Examples
    --------
    >>> import pandas
    >>> from ardvark._passes import TableFacts
    >>> facts = TableFacts("click", None).add(pandas.DataFrame({"age": [20, 30], "click": ["no", "yes"]}))
    >>> facts.names, facts.labels
    (['age'], ['no', 'yes'])
    """

    def __init__(self, target: Optional[str], sample_weight: Optional[str], model: str = "logistic", is_regression: bool = False):
        self.target, self.sample_weight = target, sample_weight
        self.model, self.is_regression = model, is_regression
        self.names: Optional[list[str]] = None
        self.has_names = False
        self.labels: list[Any] = []
        self.knows_all = True  # rows; else those of the first piece
        self.rows = 0
        self.statistics: Optional[LinearStatistics] = None  # where there are texts: they know the levels
        self.reference: Sequence[str] = ()
        self.encoding: Optional[Encoding] = None

    def __getstate__(self) -> Any:
        return {**self.__dict__, "encoding": None}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        if self.statistics is not None and (self.is_regression or len(self.labels) > 1):
            self.encoding = self.statistics._encoding(self.reference, self.model)

    def split(self, piece: Any, y: Any = None, weights: Any = None) -> tuple[Any, Any, Any]:
        """Features, labels and weights of a piece."""
        if self.target is None and self.sample_weight is None:
            return piece, y, weights
        piece = frame(piece)
        if self.target is not None:
            y = series_taken_from(piece, self.target, "y")
        if self.sample_weight is not None:
            weights = np.asarray(series_taken_from(piece, self.sample_weight, "sample_weight"))
        named = [name for name in (self.target, self.sample_weight) if name is not None]
        return without(piece, named), y, weights

    def add(self, piece: Any, y: Any = None, weights: Any = None) -> TableFacts:
        """Adds the facts of a piece."""
        X, y, weights = self.split(piece, y, weights)
        if len(X) == 0:
            return self
        positions = np.zeros(0, dtype=int)
        if self.is_regression:
            y = _labels_of(y)
            require_numbers(y)
        else:
            different, positions = _classes_in(y)
            self._add_labels(different)
        names = names_of(X)
        if self.names is None:
            self.names, self.has_names = [f"x{j + 1}" for j in range(np.shape(X)[1])] if names is None else list(names), names is not None
            if names is not None and LinearStatistics().reads_as_table(X):
                self.statistics = LinearStatistics()
        if self.statistics is not None:
            codes = np.asarray(y, dtype=float) if self.is_regression else (positions == 0).astype(float)
            name = self.target or "the label of the row"  # none of the columns
            named = X.with_columns(**{name: codes}) if hasattr(X, "with_columns") else X.assign(**{name: codes})
            self.statistics.update(named, name, None if weights is None else np.asarray(weights, dtype=float))
        elif names is not None and holds_text(X):
            raise ValueError(f"{_text_in(X)} holds texts, but numbers in earlier rows; make it a column of numbers, or of texts, in all rows")
        self.rows += len(X)
        return self

    def _add_labels(self, labels: list[Any]) -> None:
        known = set(self.labels)
        self.labels += [label for label in labels if label not in known]
        try:
            self.labels.sort()
        except TypeError:
            first, is_text = self.labels[0], isinstance(self.labels[0], str)
            other = next((label for label in self.labels if isinstance(label, str) is not is_text), self.labels[-1])
            raise ValueError(f"y holds both texts and numbers: {first!r} and {other!r}") from None
        if len(self.labels) > _MOST_CLASSES:
            raise ValueError(
                f"y has more than {_MOST_CLASSES:,} labels ({', '.join(repr(label) for label in self.labels[:3])}, ...); without the table in memory"
                f" there can be {_MOST_CLASSES:,} classes; if y is measured, use BayesianLinearRegression"
            )

    def merge(self, right: TableFacts) -> TableFacts:
        """Adds the facts of other rows, as if they came next."""
        if right.rows == 0:
            return self
        if self.rows == 0:
            return right
        if set(self.names or []) != set(right.names or []):
            other = sorted(set(self.names or []) ^ set(right.names or []))
            raise ValueError(f"the column {other[0]!r} is not in all parts of the table")
        self._add_labels(right.labels)
        if self.statistics is not None and right.statistics is not None:
            self.statistics.merge(right.statistics)
        self.rows += right.rows
        return self

    def end(self, reference: Sequence[str]) -> TableFacts:
        """Ends the adding. reference: COLUMN=LEVEL, the levels that others are compared with."""
        if self.rows == 0:
            raise ValueError("X has no rows")
        self.labels = sorted(set(spellings_of(self.labels)))
        if len(self.labels) < 2 and not self.is_regression:
            raise ValueError(f"y has only one label, {self.labels[0]!r}; a classification needs two or more")
        self.reference = list(reference)
        if self.statistics is not None:
            self.encoding = self.statistics._encoding(self.reference, self.model)
        return self

    def _require(self, names: Sequence[str]) -> None:
        """The same columns, in any order. names: of the columns of a piece, which may have the target and the weights."""
        known = [*(self.names or []), self.target, self.sample_weight]
        if absent := [name for name in self.names or [] if name not in names]:
            raise ValueError(f"the rows have no column {absent[0]!r}, which earlier rows have")
        if others := [name for name in names if name not in known]:
            raise ValueError(f"the rows have the column {others[0]!r}, which earlier rows do not have")

    def numbers(self, piece: Any, y: Any = None, weights: Any = None) -> tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
        """The rows of a piece as the numbers of a fit: columns, positions in `labels`, weights."""
        if self.encoding is None and self.target is not None and _holds_numbers(piece, self.target):
            self._require(piece.schema.names)
            X: Any = np.empty((piece.num_rows, len(self.names or [])), order="F")
            for j, name in enumerate(self.names or []):
                X[:, j] = _numbers_of(piece, name)
            y = piece.column(self.target)
            weights = None if self.sample_weight is None else _numbers_of(piece, self.sample_weight)
        else:
            X, y, weights = self.split(piece, y, weights)
            if names_of(X) is not None:
                self._require(names_of(X) or [])
            if self.encoding is not None:
                X = self.encoding.apply(X)
            elif names_of(X) is not None:
                if holds_text(X):
                    raise ValueError(f"{_text_in(X)} holds texts, but numbers in earlier rows; make it a column of numbers, or of texts, in all rows")
                X = X[self.names].to_numpy()
        weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        if self.is_regression:
            y = _labels_of(y)
            require_numbers(y)
        codes = np.asarray(y, dtype=np.float64) if self.is_regression else self._codes_of(y)
        return np.asarray(X, dtype=np.float64), codes, weights

    def _codes_of(self, y: Any) -> np.ndarray:
        """The position of the label of each row in `labels`."""
        different, positions = _different_in(y)
        place = {label: float(code) for code, label in enumerate(self.labels)}
        if any(isinstance(label, bool) for label in self.labels):
            place |= {text: place[truth] for text, truth in TRUTHS.items() if truth in place}
        codes = np.array([place.get(label, np.nan) for label in spellings_of(different, place)])
        unknown = np.isnan(codes)
        if unknown.any():
            first = int(np.argmax(unknown[positions]))
            raise UnknownLabel(different[positions[first]], first)
        return codes[positions]


def _text_in(X: Any) -> str:
    """The first column of a DataFrame that holds texts."""
    return f"column {next(name for name, dtype in zip(X.columns, X.dtypes) if not is_numeric(dtype))!r}"


class UnknownLabel(Exception):
    """A label that the facts do not have."""

    def __init__(self, label: Any, row: int):
        end = f" is the label {label!r}, which earlier rows do not have"
        self.refusal = wrong_row("y at ", row, end, argument="y", value=str(label))
        super().__init__(str(self.refusal))
        self.label = label


def _classes_in(y: Any) -> tuple[list[Any], np.ndarray]:
    """The different labels, and the position of each row's label among them. They are refused where a fit of a table in memory refuses
    them: numbers that are not whole."""
    different, positions = _different_in(y)
    if not any(isinstance(label, str) for label in different):
        check_classification_targets(np.tile(different, 2))  # once each, they would look like measurements
    return different, positions


def _different_in(y: Any) -> tuple[list[Any], np.ndarray]:
    """The different labels, and the position of each row's label among them."""
    texts = texts_in(y)
    if texts is not None and (texts.codes >= 0).all():
        return texts.different, texts.codes
    labels = _labels_of(y)
    if labels.dtype.kind in "biuf":
        found, positions = np.unique(labels, return_inverse=True)
        return list(found.tolist()), positions
    return numbered(labels.tolist())


def _labels_of(y: Any) -> np.ndarray:
    y = np.asarray(y)
    if y.dtype == object or y.dtype.kind == "f":
        gaps = gaps_in(y)
        if gaps.any():
            raise wrong_row("y has no value at ", int(np.argmax(gaps)), "", argument="y", value="NaN", remedy="leave out such rows")
    return y


def _holds_numbers(piece: Any, target: str) -> bool:
    """Whether it is a batch of Arrow whose columns, but for the target, are numbers."""
    if not _is_table(piece) or len(set(piece.schema.names)) < len(piece.schema.names) or target not in piece.schema.names:
        return False
    types = _arrow().types
    return all(types.is_floating(field.type) or types.is_integer(field.type) for field in piece.schema if field.name != target)


def facts_of(pieces: Pieces, target: str, sample_weight: Optional[str], reference: Sequence[str], of_all: bool = False, **kind: Any) -> TableFacts:
    """The facts of a table: of its first piece, if they can be those of all, otherwise of all pieces.

    Parameters
    ----------
    of_all : bool
        Of all pieces in any case: a later one has a label that the first one does not have.
    kind
        As of `TableFacts`.
    """
    facts = TableFacts(target, sample_weight, **kind)
    for number, piece in enumerate(pieces):
        try:
            facts.add(piece)
        except ValueError as error:
            raise in_source(error, facts.rows, pieces.place_of, facts.rows) from None  # of the statistics
        knows_enough = facts.statistics is None and (facts.is_regression or len(facts.labels) > 1) and not of_all
        if number == 0 and knows_enough and not pieces.is_spooled:
            facts.knows_all = False
            break
    return facts.end(reference)


def rows_of(pieces: Pieces, facts: TableFacts, tell: Optional[Callable[[Progress], Any]]) -> Callable[[bytes], RowSums]:
    """Answers questions with sums over all pieces.

    Parameters
    ----------
    pieces : Pieces
    facts : TableFacts
        Of these pieces.
    tell : callable
        Called with the progress after each piece.

    Raises
    ------
    UnknownLabel
        The facts are those of the first piece, and another piece has another label.
    """
    number, total, started = 0, 0, time.monotonic()

    def ask(question: bytes) -> RowSums:
        nonlocal number, total
        number += 1
        sums, rows, begun = RowSums(question), 0, time.monotonic()
        for piece in pieces:
            try:
                X, codes, weights = facts.numbers(piece)
            except (UnknownLabel, ValueError) as error:
                if number > 1 or facts.knows_all:  # whatever is wrong would have been found before
                    wrong = error.refusal if isinstance(error, UnknownLabel) else error
                    error = wrong._with_remedy(_CHANGED) if isinstance(wrong, InvalidArgumentError) else ValueError(f"{wrong}; {_CHANGED}")
                if isinstance(error, UnknownLabel):
                    raise
                raise in_source(error, rows, pieces.place_of) from None
            try:
                sums.update(X, codes, weights)
            except ValueError as error:
                raise in_source(error, rows, pieces.place_of, rows) from None
            rows += len(codes)
            if tell is not None:
                now = time.monotonic()
                rate = rows / max(now - begun, 1e-9)
                text = f"pass {number}: {rows:,} rows{f' of {total:,}' if total else ''}, {rate:,.0f} rows a second"
                left = (total - rows) / rate if total else None
                if tell(Progress(0, total, float("-inf"), now - started, "fitting", "row", rows, left, text)) is False:
                    raise InterruptedError(f"the callback ended the fit in pass {number}, after {rows:,} rows; there is no result")
        total = rows
        return sums

    return ask
