"""Tables with names: DataFrames of pandas and polars, and how their columns reach the library."""

from __future__ import annotations

import ctypes
import datetime
import numbers
import sys
import unicodedata
from difflib import get_close_matches
from typing import Any, Collection, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from ._abi import Handle, InvalidArgumentError, call, call_for_handle, without_null, wrong_row
from ._arrays import call_for_array, columns_of_file
from ._options import Options
from ._results import Result

__all__ = [
    "Encoding", "Texts", "begins_with_gap", "check_names", "holds_bytes", "holds_text", "holds_truths", "is_numeric", "is_sparse_table", "names_of", "numbered", "sentence_near", "table_of", "texts_in", "values_of", "what_time_is",
    "with_columns_of", "with_dense_columns", "without",
]


class Texts:
    """A column of texts: the different ones, and for each row the position of its text among them, or -1 where a value is missing."""

    def __init__(self, different: Sequence[str], codes: np.ndarray):
        self.different, self.codes = list(different), np.asarray(codes)

    def pointers(self) -> tuple[np.ndarray, Any]:
        """An address of a text for C in each row, and what must live as long as the addresses are used."""
        held = [ctypes.create_string_buffer(without_null(text.encode())) for text in self.different]
        addresses = np.array([*map(ctypes.addressof, held), 0], dtype=np.uintp)  # the last: -1, no value
        return addresses[self.codes], held


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


def begins_with_gap(column: Any) -> bool:
    """Whether the first row of a column has no value."""
    head = column[:1]
    return bool(head.isna().any() if hasattr(head, "isna") else head.is_null().any())


def holds_text(table: Any) -> bool:
    """Whether the table is a DataFrame with a column that does not hold numbers."""
    return names_of(table) is not None and not all(is_numeric(dtype) for dtype in table.dtypes)


def holds_bytes(table: Any) -> bool:
    """Whether it is a DataFrame of pandas whose columns all have one type of numpy of one byte, such as bool: its numbers lie side by side."""
    if names_of(table) is None or _is_polars(table) or table.shape[1] == 0:
        return False
    first = table.dtypes.iloc[0]
    return isinstance(first, np.dtype) and first.kind in "biu" and first.itemsize == 1 and bool((table.dtypes == first).all())


def _sparse_types(table: Any) -> dict[int, Any]:
    """The types of the columns of a DataFrame that pandas stores sparsely, by their positions."""
    if names_of(table) is None or _is_polars(table):
        return {}
    kind = sys.modules["pandas"].SparseDtype
    return {position: dtype for position, dtype in enumerate(table.dtypes) if isinstance(dtype, kind)}


def is_sparse_table(table: Any) -> bool:
    """Whether it is a DataFrame of numbers that pandas stores without the zeros, in every column: a sparse X with names."""
    types = _sparse_types(table)
    return 0 < len(types) == table.shape[1] and all(is_numeric(dtype) and dtype.fill_value == 0 for dtype in types.values())


def _dense(column: Any) -> Any:
    """A column that pandas stores sparsely, as another. Several entries of one row are added, as scipy adds them: pandas keeps one of them."""
    stored = column.array
    if not is_numeric(column.dtype) or column.dtype.fill_value != 0:
        return column.astype(column.dtype.subtype)
    values = np.zeros(len(column), column.dtype.subtype)
    np.add.at(values, stored.sp_index.to_int_index().indices, stored.sp_values)
    return sys.modules["pandas"].Series(values, index=column.index)


def with_dense_columns(table: Any) -> Any:
    """The table with columns that pandas stores sparsely as others; anything else as it is."""
    types = _sparse_types(table)
    if not types or not table.columns.is_unique:
        return table
    out = table.copy(deep=False)
    for position in types:
        out[table.columns[position]] = _dense(table.iloc[:, position])
    return out


def with_columns_of(earlier: Optional[Collection[str]], table: Any) -> Any:
    """A DataFrame with its columns in the order of those of earlier rows; refuses other columns.
    earlier: None or empty: these had no names."""
    names = names_of(table)
    if names is None or not earlier or names == list(earlier):
        return table
    absent = [name for name in earlier if name not in names]
    if absent:
        message = f"X has no column {absent[0]!r}, which earlier rows have"
        raise InvalidArgumentError(message, "X", column=str(absent[0]))
    others = [name for name in names if name not in earlier]
    if others:
        message = f"X has the column {others[0]!r}, which earlier rows do not have"
        raise InvalidArgumentError(message, "X", column=str(others[0]))
    return table[list(earlier)]


def with_earlier_columns(earlier: Optional[Sequence[str]], count: int, table: Any) -> Any:
    """The same after rows of `count` columns, 0 if there are none yet. Without names, these are x1, x2, ...: a file does not tell whether
    a table had these names, or none."""
    numbered = [f"x{j + 1}" for j in range(count)]
    given = names_of(table) or []
    is_numbered = not earlier and len(given) == count and set(given) == set(numbered)
    return with_columns_of(numbered if is_numbered else earlier, table)


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
    listed = "; the columns are " + ", ".join(map(repr, names[:most])) + (f", ... and {len(names) - most} more" if len(names) > most else "")
    are_values = len(texts) == len(names) > 0 and all(map(_is_number, texts))
    return listed + ("; if these are values, the file has no header: write a line of names above them" if are_values else "")


def _numbers(column: Any) -> np.ndarray:
    """A column of numbers or booleans; NaN where a value is missing."""
    if hasattr(column.dtype, "kind"):
        try:
            return np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        except TypeError:  # numpy booleans have no missing value
            return np.ascontiguousarray(column.to_numpy(), dtype=np.float64)
    return np.ascontiguousarray(column.cast(sys.modules["polars"].Float64).to_numpy())


TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def what_time_is(value: Any) -> str:
    """What to say of one of TIMES."""
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        return "a duration; make a number of it, such as its seconds: column.dt.total_seconds(), or array / numpy.timedelta64(1, 's')"
    return "a date or a time; make a number of it, such as the days since a start"


def numbered(values: Sequence[Any]) -> tuple[list[Any], np.ndarray]:
    """The different values but None, in the order in which they come; and the position of each value among them, -1 of None."""
    position: dict[Any, int] = {value: number for number, value in enumerate(value for value in dict.fromkeys(values) if value is not None)}
    different = list(position)
    position[None] = -1
    return different, np.fromiter(map(position.__getitem__, values), dtype=np.intp, count=len(values))


def texts_in(column: Any) -> Optional[Texts]:
    """The texts of a column of a DataFrame, of an array of Arrow or of objects; None: it has other entries. A cell costs no call in Python."""
    if hasattr(column, "dictionary_encode"):
        return _texts_of_arrow(column)
    dtype = getattr(column, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if kind is None:  # polars
        if not str(dtype).startswith(("String", "Utf8", "Categorical", "Enum")):
            return None
        return Texts(*numbered(column.to_list()))
    if "pandas" not in sys.modules:
        values = column.tolist() if kind == "U" else list(column) if kind == "O" else [0]
        return Texts(*numbered(values)) if all(map(_TEXT_OR_NONE.__contains__, map(type, values))) else None
    import pandas

    if str(dtype) == "category":
        names = column.cat.categories
        codes = column.cat.codes.to_numpy()
        if not all(isinstance(name, str) for name in names):
            return None
        used, codes = np.unique(codes, return_inverse=True)
        here = used[used >= 0]
        return Texts([names[code] for code in here], codes - (used.size - here.size))
    is_text = kind == "U" or isinstance(dtype, pandas.StringDtype)
    if not is_text and (kind != "O" or pandas.api.types.infer_dtype(column, skipna=True) != "string"):
        return None
    codes, different = pandas.factorize(column)
    return Texts([str(text) for text in different], codes)


_TEXT_OR_NONE = {str, type(None)}


def _texts_of_arrow(column: Any) -> Optional[Texts]:
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)  # its levels may be those of other rows
    if not (pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type) or pyarrow.types.is_string_view(column.type)):
        return None
    coded = (column.combine_chunks() if hasattr(column, "chunks") else column).dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Texts(coded.dictionary.to_pylist(), codes)


def values_of(name: str, column: Any, is_part: bool = False, is_text: bool = False) -> Union[np.ndarray, Texts]:
    """The texts of a column; or its numbers, if no entry is a text. is_part: other rows may have values where these have none.
    is_text: the model knows it as texts."""
    texts = texts_in(column)
    if texts is not None and texts.different:
        if not is_text and (marker := _marker_among(texts.different)) is not None:
            raise _marked(name, marker, int(np.argmax(texts.codes == texts.different.index(marker))))
        return texts
    if hasattr(column.dtype, "kind"):
        gaps = column.isna().to_numpy()
        values = [None if gap else value for gap, value in zip(gaps, column.astype(object))]
    else:
        values = [None if isinstance(x, float) and x != x else x for x in column.to_list()]
    if is_part and all(value is None for value in values):
        return Texts([], np.full(len(values), -1))
    return _values_of_kinds(name, column, values)


def _marked(name: str, marker: str, row: int) -> ValueError:
    remedy = (
        f"if {marker!r} means a missing value, replace"
        f" it: table[{name!r}] = pandas.to_numeric(table[{name!r}].replace({marker!r}, None)), or pandas.read_csv(..., na_values={marker!r})"
    )
    return wrong_row(f"column {name!r} holds numbers, but ", row, f" holds {marker!r}", value=marker, column=str(name), remedy=remedy)


def _values_of_kinds(name: str, column: Any, values: list[Any]) -> Union[np.ndarray, Texts]:
    """Entries that are not all texts: numbers, or True and False."""
    first_text = first_number = None
    for row, value in enumerate(values):
        if value is None:
            continue
        if isinstance(value, str):
            first_text = row if first_text is None else first_text
        elif isinstance(value, (numbers.Number, np.bool_)) and not isinstance(value, complex):
            first_number = row if first_number is None else first_number
        elif isinstance(value, TIMES):
            raise wrong_row("", row, f", column {name!r}: {str(value)!r} is {what_time_is(value)}", value=str(value), column=str(name))
        else:
            raise wrong_row("", row, f", column {name!r}: a {type(value).__name__} is neither a number nor a text", column=str(name))
    texts = {value for value in values if isinstance(value, str)}
    marker = next((text for text in texts if text.strip() in _MARKERS), None)
    if marker is not None and texts == {marker}:
        raise _marked(name, marker, values.index(marker))
    truths = _truths(values)
    if truths is not None:
        return truths
    if first_text is None:
        if first_number is None and len(values) > 0:
            raise ValueError(f"column {name!r} has no value; leave it out")
        found = np.array([np.nan if value is None else float(value) for value in values])
        return _as_texts(column, found) if str(column.dtype) == "category" else found  # whoever makes categories means levels
    if first_number is not None:
        text, number = values[first_text], values[first_number]
        remedy = "turn it into one kind: pandas.to_numeric(..., errors='coerce') makes texts missing values, astype(str) makes numbers texts"
        parts = (f"column {name!r} holds both texts ({text!r} at ", first_text, f") and numbers ({number!r} at ", first_number, ")")
        raise wrong_row(*parts, value=str(text), column=str(name), remedy=remedy)
    return Texts(*numbered([None if value is None else str(value) for value in values]))


_MARKERS = (".", "-", "--", "na", "n/a", "n.a.", "N.A.", "<NA>", "NA", "N/A", "Na", "NAN", "NaN", "nan", "None", "none", "null", "Null", "NULL", "nil", "NIL", "missing", "#N/A", "?", "")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _marker_among(different: Collection[str]) -> Optional[str]:
    """The only text that is no number, if it often means a missing value and the others, at least two, are numbers."""
    others = {text for text in different if text.strip() in _MARKERS or not _is_number(text)}
    marker = others.pop() if len(others) == 1 else None
    return marker if marker is not None and marker.strip() in _MARKERS and len(different) > 2 else None


def _truths(values: Sequence[Any]) -> Optional[Texts]:
    """Entries that are all True, False or missing, as texts: the library knows what they mean. None: others are among them."""
    if all(value is None for value in values) or not all(value is None or isinstance(value, (bool, np.bool_)) for value in values):
        return None
    return Texts(*numbered([None if value is None else str(bool(value)) for value in values]))


def _as_texts(column: Any, values: np.ndarray) -> Texts:
    """Numbers of a column that the model knows as texts."""
    gaps = np.isnan(values)
    if (np.abs(values[~gaps]) >= 2**53).any():  # whole numbers that differ may be one double
        return Texts(*numbered([None if gap else str(int(value)) if value == int(value) else repr(float(value)) for gap, value in zip(gaps, column.to_list())]))
    different, codes = np.unique(values, return_inverse=True)  # NaN is one of them, the last
    codes[gaps] = -1
    is_truth = holds_truths(column.dtype)
    names = [str(bool(x)) if is_truth else str(int(x)) if x == int(x) else repr(float(x)) for x in different[~np.isnan(different)]]
    return Texts(names, codes)


def check_names(table: Any) -> None:
    """Refuses names of columns that are no texts, or not unique."""
    seen: set[str] = set()
    for name in names_of(table) or []:
        if not isinstance(name, str):
            raise ValueError(f"the column name {name!r} is not a text; rename the columns, for example with table.columns.map(str)")
        if name in seen:
            raise ValueError(f"two columns are named {name!r}; give each column a name of its own")
        seen.add(name)


def table_of(table: Any, only: Optional[Collection[str]] = None, texts: Collection[str] = (), is_part: bool = False) -> Handle:
    """The columns with these names, or all of them, as a table of the library. texts: columns that the model knows as texts. is_part: these
    are not all rows of a fit, so that a column may have no value in them."""
    names = names_of(table) or []
    check_names(table)
    handle = call_for_handle("table", "ardvark_table_create", len(table))
    lacks_some = only is not None and not set(only) <= set(names)
    for name in names:
        if only is not None and name not in only:
            if lacks_some:  # the message of the library suggests a similar name
                call("ardvark_table_add_numbers", handle, without_null(name.encode()), np.zeros(len(table)).ctypes.data)
            continue
        column = table[name]
        values = _numbers(column) if is_numeric(column.dtype) else values_of(name, column, is_part, name in texts)
        if isinstance(values, np.ndarray) and (name in texts or holds_truths(column.dtype)):
            values = _as_texts(column, values)
        key = without_null(name.encode())
        if isinstance(values, np.ndarray):
            call("ardvark_table_add_numbers", handle, key, values.ctypes.data)
        else:
            pointers, held = values.pointers()
            call("ardvark_table_add_texts", handle, key, pointers.ctypes.data)
            del held
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
    def of_table(cls, table: Any, options: Mapping[str, Any], sparse_if: Optional[Mapping[str, Any]] = None) -> tuple["Encoding", Any]:
        """The encoding that follows from a table, and the encoded table. sparse_if: options of a fit that takes compressed columns;
        it gets them if X is mostly zeros."""
        given = table_of(table)
        encoding = cls(call_for_handle("encoding", "ardvark_encoding_create", given, Options(options)))
        encoding.reference = options.get("reference")
        return encoding, encoding._applied(given, len(table), sparse_if)

    def apply(self, table: Any, sparse_if: Optional[Mapping[str, Any]] = None) -> Any:
        """The encoded table. Columns are found by name; others are not read."""
        return self._applied(table_of(table, set(self.features), self.texts, is_part=True), len(table), sparse_if)

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The levels of each text column, but of true and false: the library knows 1 and 0 as such."""
        levels = {column["name"]: column["levels"] for column in self.text_columns}
        return {name: known for name, known in levels.items() if not {level.lower() for level in known} <= {"true", "false"}}

    def _applied(self, table: Handle, rows: int, sparse_if: Optional[Mapping[str, Any]]) -> Any:
        if sparse_if is None or not self._is_sparse(rows, sparse_if):
            return call_for_array("ardvark_encoding_apply", self.handle, table)
        from scipy.sparse import csc_array  # type: ignore[import-untyped]

        shape, (start, row, value) = columns_of_file(call_for_handle("matrix_file", "ardvark_encoding_apply_csc", self.handle, table))
        return csc_array((value, row, start), shape=shape)

    def _is_sparse(self, rows: int, options: Mapping[str, Any]) -> bool:
        answer = ctypes.c_int32()
        call("ardvark_encoding_is_sparse", self.handle, rows, Options(options), ctypes.byref(answer))
        return bool(answer.value)
