"""Tables with names: DataFrames of pandas and polars, and how their columns reach the library."""

from __future__ import annotations

import datetime
import numbers
import sys
import unicodedata
from ctypes import c_char_p
from difflib import get_close_matches
from typing import Any, Collection, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from ._abi import Handle, call, call_for_handle, without_null
from ._arrays import call_for_array
from ._options import Options
from ._results import Result

__all__ = ["Encoding", "check_names", "holds_text", "holds_truths", "is_numeric", "names_of", "sentence_near", "table_of", "without"]

Texts = list[Optional[str]]


def _is_polars(table: Any) -> bool:
    return "polars" in sys.modules and isinstance(table, sys.modules["polars"].DataFrame)


def names_of(table: Any) -> Optional[list[str]]:
    """The names of the columns of a DataFrame; None for anything else."""
    is_pandas = "pandas" in sys.modules and isinstance(table, sys.modules["pandas"].DataFrame)
    if not is_pandas and not _is_polars(table):
        return None
    return list(table.columns)


def is_numeric(dtype: Any) -> bool:
    """Whether a column of this type holds numbers or booleans."""
    kind = getattr(dtype, "kind", None)
    if kind is not None:
        return kind in "biuf"
    return bool(dtype.is_numeric() or str(dtype) == "Boolean")


def holds_truths(dtype: Any) -> bool:
    """Whether it is the type of True and False."""
    return str(dtype).lower() in ("bool", "boolean", "bool[pyarrow]")


def holds_text(table: Any) -> bool:
    """Whether the table is a DataFrame with a column that does not hold numbers."""
    return names_of(table) is not None and not all(is_numeric(dtype) for dtype in table.dtypes)


def _column(table: Any, j: int) -> Any:
    return table[:, j] if _is_polars(table) else table.iloc[:, j]


def without(table: Any, names: Iterable[str]) -> Any:
    """The table without these columns."""
    return table.drop(list(names)) if _is_polars(table) else table.drop(columns=list(names))


def sentence_near(name: str, names: Sequence[str]) -> str:
    texts = [n for n in names if isinstance(n, str)]
    for other in texts:
        if other != name and unicodedata.normalize("NFKC", other) == unicodedata.normalize("NFKC", name):
            return (
                f"; did you mean {other!r}? It may look the same, but some of its characters are others, such as an accent that is a character of"
                " its own"
            )
    near = get_close_matches(name, texts, 1)
    if near:
        return f"; did you mean {near[0]!r}?"
    most = 20
    return "; the columns are " + ", ".join(map(repr, names[:most])) + (f", ... and {len(names) - most} more" if len(names) > most else "")


def _numbers(column: Any) -> np.ndarray:
    """A column of numbers or booleans; NaN where a value is missing."""
    if hasattr(column.dtype, "kind"):
        try:
            return np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        except TypeError:  # numpy booleans have no missing value
            return np.ascontiguousarray(column.to_numpy(), dtype=np.float64)
    return np.ascontiguousarray([np.nan if x is None else float(x) for x in column.to_list()])


TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def _values(name: str, column: Any) -> Union[np.ndarray, Texts]:
    """The texts of a column, None where a value is missing; or its numbers, if no entry is a text."""
    if hasattr(column.dtype, "kind"):
        gaps = column.isna().to_numpy()
        values = [None if gap else value for gap, value in zip(gaps, column.astype(object))]
    else:
        values = [None if isinstance(x, float) and x != x else x for x in column.to_list()]
    first_text = first_number = None
    for row, value in enumerate(values):
        if value is None:
            continue
        if isinstance(value, str):
            first_text = row if first_text is None else first_text
        elif isinstance(value, (numbers.Number, np.bool_)) and not isinstance(value, complex):
            first_number = row if first_number is None else first_number
        elif isinstance(value, TIMES):
            raise ValueError(
                f"row {row + 1}, column {name!r}: {str(value)!r} is a date or a time; make a number of it, such as the days since a start"
            )
        else:
            raise ValueError(
                f"row {row + 1}, column {name!r}: a {type(value).__name__} is neither a number nor a text"
            )
    texts = [value for value in values if isinstance(value, str)]
    marker = _marker_among(texts) if first_number is None else next((text for text in texts if text.strip() in _MARKERS), None)
    if marker is not None and (first_number is None or set(texts) == {marker}):
        raise ValueError(
            f"column {name!r} holds numbers, but row {values.index(marker) + 1} holds {marker!r}; if {marker!r} means a missing value, replace"
            f" it: table[{name!r}] = pandas.to_numeric(table[{name!r}].replace({marker!r}, None)), or pandas.read_csv(..., na_values={marker!r})"
        )
    truths = _truths(values)
    if truths is not None:
        return truths
    if first_text is None:
        if first_number is None and len(values) > 0:
            raise ValueError(f"column {name!r} has no value; leave it out")
        found = np.array([np.nan if value is None else float(value) for value in values])
        return _as_texts(column, found) if str(column.dtype) == "category" else found  # whoever makes categories means levels
    if first_number is not None:
        raise ValueError(
            f"column {name!r} holds both texts ({values[first_text]!r} at row {first_text + 1}) and numbers"
            f" ({values[first_number]!r} at row {first_number + 1}); turn it into one kind, for example with astype(str)"
        )
    return values


_MARKERS = (".", "-", "--", "na", "n/a", "n.a.", "N.A.", "<NA>", "NA", "N/A", "Na", "NAN", "NaN", "nan", "None", "none", "null", "Null", "NULL", "nil", "NIL", "missing", "#N/A", "?", "")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _marker_among(texts: Sequence[str]) -> Optional[str]:
    """The only text that is no number, if it often means a missing value and the others, at least two, are numbers."""
    others = {text for text in texts if text.strip() in _MARKERS or not _is_number(text)}
    different = set(texts) - others
    marker = others.pop() if len(others) == 1 else None
    return marker if marker is not None and marker.strip() in _MARKERS and len(different) > 1 else None


def _truths(values: Sequence[Any]) -> Optional[Texts]:
    """Entries that are all True, False or missing, as texts: the library knows what they mean. None: others are among them."""
    if all(value is None for value in values) or not all(value is None or isinstance(value, (bool, np.bool_)) for value in values):
        return None
    return [None if value is None else str(bool(value)) for value in values]


def _as_texts(column: Any, values: np.ndarray) -> Texts:
    """Numbers of a column that the model knows as texts."""
    if holds_truths(column.dtype):
        return [None if x != x else str(bool(x)) for x in values]
    return [None if x != x else str(int(x)) if x == int(x) else repr(float(x)) for x in values]


def check_names(table: Any) -> None:
    """Refuses names of columns that are no texts, or not unique."""
    seen: set[str] = set()
    for name in names_of(table) or []:
        if not isinstance(name, str):
            raise ValueError(f"the column name {name!r} is not a text; rename the columns, for example with table.columns.map(str)")
        if name in seen:
            raise ValueError(f"two columns are named {name!r}; give each column a name of its own")
        seen.add(name)


def table_of(table: Any, only: Optional[Collection[str]] = None, texts: Collection[str] = ()) -> Handle:
    """The columns with these names, or all of them, as a table of the library. texts: columns that the model knows as texts."""
    names = names_of(table) or []
    check_names(table)
    handle = call_for_handle("table", "ardvark_table_create", len(table))
    lacks_some = only is not None and not set(only) <= set(names)
    for j, name in enumerate(names):
        if only is not None and name not in only:
            if lacks_some:  # the message of the library suggests a similar name
                call("ardvark_table_add_numbers", handle, without_null(name.encode()), np.zeros(len(table)).ctypes.data)
            continue
        column = _column(table, j)
        values = _numbers(column) if is_numeric(column.dtype) else _values(name, column)
        if isinstance(values, np.ndarray) and (name in texts or holds_truths(column.dtype)):
            values = _as_texts(column, values)
        key = without_null(name.encode())
        if isinstance(values, np.ndarray):
            call("ardvark_table_add_numbers", handle, key, values.ctypes.data)
        else:
            listed = (c_char_p * len(values))(*[None if text is None else without_null(text.encode()) for text in values])
            call("ardvark_table_add_texts", handle, key, listed)
    return handle


class Encoding:
    """How the columns of a table become the columns of a matrix: texts become columns of 0 and 1."""

    def __init__(self, handle: Handle):
        self.handle = handle
        facts = Result(call_for_handle("result", "ardvark_encoding_result", handle))
        self.columns: list[str] = facts.value("columns")
        self.features: list[str] = facts.value("features")
        self.feature_of_column = facts.array("feature").astype(int)
        self.reference: Optional[Sequence[str]] = None  # "COLUMN=LEVEL", as the caller gave them
        self.text_columns: list[Mapping[str, Any]] = facts.value("text_columns")

    @classmethod
    def of_table(cls, table: Any, options: Mapping[str, Any]) -> tuple["Encoding", np.ndarray]:
        """The encoding that follows from a table, and the encoded table."""
        given = table_of(table)
        encoding = cls(call_for_handle("encoding", "ardvark_encoding_create", given, Options(options)))
        encoding.reference = options.get("reference")
        return encoding, encoding._applied(given)

    def apply(self, table: Any) -> np.ndarray:
        """The encoded table. Columns are found by name; others are not read."""
        truths = {"true", "false"}  # the library knows 1 and 0 as such
        texts = {column["name"] for column in self.text_columns if not {level.lower() for level in column["levels"]} <= truths}
        return self._applied(table_of(table, set(self.features), texts))

    def _applied(self, table: Handle) -> np.ndarray:
        return call_for_array("ardvark_encoding_apply", self.handle, table)
