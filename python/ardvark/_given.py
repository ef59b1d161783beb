"""What a caller gives: tables, columns of them that arguments name, and values that are missing."""

from __future__ import annotations

import json
import numbers
import re
import sys
import warnings
from collections import Counter
from decimal import Decimal
from typing import Any, Callable, Collection, Iterable, Iterator, Optional, Sequence

import numpy as np

from ._abi import InvalidArgumentError, prefixed, wrong_row
from ._arrays import is_sparse, without_mask
from ._core import ArdvarkWarning, _depth
from ._hosts import kind_of, targets_in_memory
from ._tables import TIMES, _numbers, is_numeric, names_of, sentence_near, texts_in, what_time_is, with_dense_columns, without

__all__ = [
    "TRUTHS", "code_of", "columns_of", "filled", "first_text", "frame", "gaps_in", "in_source", "is_many", "known_targets", "listed", "name_of", "numbers_of", "plain_columns", "plain_labels", "refuse_gaps", "refuse_many", "refuse_many_names",
    "require_finite", "refuse_times", "require_numbers", "require_weights", "row_labels", "series_taken_from", "table_of_fit", "taken_from", "tell_row_labels",
    "spellings_of", "targets_of", "with_one_spelling", "without_gaps",
]


_LABELS = re.compile("__index_level_[0-9]+__|__null_dask_index__")  # columns of row labels, by their names


def row_labels(table: Any) -> list[str]:
    """The columns of a table of Arrow, a schema or a DataFrame that are the labels of pandas' rows: by the metadata of pandas, or by their name."""
    schema = getattr(table, "schema", table)
    names = names_of(table) or getattr(schema, "names", None) or getattr(table, "columns", None)
    metadata = getattr(schema, "metadata", None)
    pandas = metadata.get(b"pandas") if isinstance(metadata, dict) else None
    try:
        known = [] if pandas is None else json.loads(pandas)["index_columns"]
    except (ValueError, KeyError, TypeError):
        known = []
    return [name for name in names if isinstance(name, str) and (name in known or _LABELS.fullmatch(name))] if isinstance(names, list) else []


def tell_row_labels(names: Sequence[str]) -> None:
    """Says which columns of row labels a fit does not read."""
    if names:
        texts, is_one = ", ".join(map(repr, names)), len(names) == 1
        warnings.warn(
            f"{'the column' if is_one else 'the columns'} {texts} {'holds' if is_one else 'hold'} the labels that pandas gave the rows, and {'is' if is_one else 'are'}"
            " left out; to fit it as a column, give it another name, or make it one in pandas with reset_index()",
            ArdvarkWarning,
            stacklevel=_depth(),
        )


def table_of_fit(X: Any, named: Collection[Any]) -> Any:
    """The table of a fit: a DataFrame, if it is a table, without the labels of rows, unless they are named."""
    if names_of(X) is None and not hasattr(X, "__arrow_c_stream__") or getattr(X, "ndim", 2) == 1:
        return X
    left_out = [name for name in row_labels(X) if name not in named]
    tell_row_labels(left_out)
    X = frame(X, named)
    return without(X, set(left_out) & set(names_of(X) or ())) if names_of(X) is not None else X


def frame(X: Any, named: Collection[Any] = ()) -> Any:
    """Converts a table with Arrow's C stream interface to a DataFrame, unless it is one. named: columns that it must have, although they may be
    the labels of its rows."""
    if not hasattr(X, "__arrow_c_stream__") or getattr(X, "ndim", 2) == 1 or names_of(X) is not None:
        return X
    try:
        import pyarrow

        table = X if isinstance(X, pyarrow.RecordBatch) else pyarrow.table(X)
        if not set(named).isdisjoint(row_labels(table)):
            table = table.replace_schema_metadata(None)
        return plain_columns(table).to_pandas()  # needs pandas
    except ImportError:
        pass
    if "polars" in sys.modules and not isinstance(X, sys.modules["polars"].DataFrame):
        return sys.modules["polars"].DataFrame(X)
    return X


def plain_columns(table: Any) -> Any:
    """A table of Arrow without views and without nulls inside dictionaries, for which others have no functions: the same values in plain types."""
    for number, field in enumerate(table.schema):
        column = table.column(number)
        if (plain := _plain_column(column)) is not column:
            table = table.set_column(number, field.with_type(plain.type), plain)
    return table


def _plain_column(column: Any) -> Any:
    import pyarrow

    types, type_ = pyarrow.types, column.type
    if not types.is_dictionary(type_):
        plain = _plain_type(type_)
        return column if plain is None else column.cast(plain, safe=False)
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    plain = _plain_type(type_.value_type)
    if plain is None and all(chunk.dictionary.null_count == 0 for chunk in chunks):
        return column
    decoded = []
    for chunk in chunks:
        levels = chunk.dictionary if plain is None else chunk.dictionary.cast(plain)
        decoded.append(levels.take(chunk.indices))
    if not hasattr(column, "chunks"):
        return decoded[0].dictionary_encode()
    return pyarrow.chunked_array(decoded, plain or type_.value_type).dictionary_encode()


def _plain_type(type_: Any) -> Any:
    """The type that others know in place of a view, or of times with nanoseconds, which are refused anyway; None: they know it."""
    import pyarrow

    others = {"string_view": pyarrow.large_string(), "binary_view": pyarrow.large_binary(), "time64[ns]": pyarrow.time64("us")}
    return others.get(str(type_))


def plain_labels(y: Any) -> Any:
    """Labels of a type that pandas alone has, such as boolean or Int64, as an array with the same values; anything else as it is."""
    is_extension = "pandas" in sys.modules and isinstance(getattr(y, "dtype", None), sys.modules["pandas"].api.extensions.ExtensionDtype)
    if not is_extension or getattr(y, "ndim", 1) != 1:
        return y
    values = np.asarray(y, dtype=object)
    gaps = gaps_in(values)
    if gaps.any():
        values = values.copy()
        values[gaps] = None
        return values
    plain = np.array(values.tolist())
    return plain if plain.dtype.kind in "biuf" else values


# The texts that the library reads as true and false.
TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def truths_of(labels: Sequence[Any]) -> Optional[list[bool]]:
    """Different labels as True and False, if all are texts of these, and two are spellings of one;
    None: they stay as they are."""
    truths = [TRUTHS[label] for label in labels if isinstance(label, str) and label in TRUTHS]
    return truths if len(set(truths)) < len(truths) == len(labels) else None


_DECIMAL = re.compile(
    r"[+-]?(?=\.?[0-9])(?:0|[1-9][0-9]*)?(\.[0-9]*)?(?:e[+-]?[0-9]{1,9}|E[+-][0-9]{1,9}|(?(1)E[0-9]{1,9}|$))?"
)  # in 1E5, without a sign or a point, E may be a letter of a name


def code_of(text: str) -> str:
    """One spelling of a decimal number, digit by digit: '1' of '1.0', '+1' and '1e0'; other texts, such as '007', as they are. The
    library reads the levels of columns in the same way."""
    if _DECIMAL.fullmatch(text) is None:
        return text
    number = Decimal(text)
    if not number:
        return "0"
    sign, parts, _ = number.as_tuple()
    digits = "".join(map(str, parts)).rstrip("0")
    point = number.adjusted() + 1  # digits before it
    minus = "-" if sign else ""
    if not -40 <= point <= len(digits) + 40:
        return f"{minus}{digits[0]}{'.' * (len(digits) > 1)}{digits[1:]}e{point - 1:+03d}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    whole, rest = digits[:point].ljust(point, "0"), digits[point:]
    return f"{minus}{whole}.{rest}" if rest else minus + whole


def spellings_of(labels: Sequence[Any], known: Collection[Any] = ()) -> list[Any]:
    """Different labels with one spelling each: True and False, and the spellings of one decimal number, as a file of CSV has them.

    known: the labels of a fit; a text that is none of them becomes the one that is the same number."""
    truths = truths_of(labels)
    if truths is not None:
        return truths
    codes = [code_of(label) if isinstance(label, str) else label for label in labels]
    number = Counter(codes)
    of_code = {code_of(label): label for label in known if isinstance(label, str)}
    return [
        label if label in known else of_code.get(code, code if number[code] > 1 and not known else label)
        for label, code in zip(labels, codes)
    ]


def with_one_spelling(y: Any, known: Collection[Any] = ()) -> Any:
    """Labels whose different texts are `spellings_of` them; others as they are."""
    y = without_mask(y)
    values = np.asarray(y)
    texts = texts_in(values) if values.ndim == 1 else None
    spelled = None if texts is None else spellings_of(texts.different, known)
    if texts is None or spelled is None or spelled == texts.different:
        return y
    has_gaps = (texts.codes < 0).any()
    return np.array([*spelled, None] if has_gaps else spelled)[texts.codes]


def listed(values: Any) -> Any:
    """What a Series, an Index or an array holds, as a list, in which parts may be such, too; anything else as it is."""
    for method in ("tolist", "to_list"):
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    return [listed(value) for value in values] if isinstance(values, (list, tuple)) else values


def name_of(y: Any) -> Optional[str]:
    """The name of a Series."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def gaps_in(values: np.ndarray) -> np.ndarray:
    """Where an array of one dimension has no value: NaN, None, NA or NaT."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=bool)
    if "pandas" in sys.modules:  # as fast as numbers
        return np.asarray(sys.modules["pandas"].isna(values), dtype=bool)
    return np.array([x is None or type(x).__name__ in ("NAType", "NaTType") or (isinstance(x, float) and x != x) for x in values], dtype=bool)


def filled(y: Any) -> tuple[Any, Optional[np.ndarray]]:
    """y with some value in each gap, and where the gaps are; None: y has none."""
    values = np.asarray(y)
    if values.ndim != 1:
        return y, None
    gaps = gaps_in(values)
    if not gaps.any():
        return y, None
    if gaps.all():
        raise ValueError(f"y has no value: it is missing in all {gaps.size} rows")
    known = np.array(values[~gaps].tolist())
    out = np.empty(gaps.shape, dtype=known.dtype)
    out[gaps] = known[0]
    out[~gaps] = known
    return out, gaps


def refuse_gaps(values: Any, remedy: str, argument: str = "y") -> None:
    """Refuses an argument of one dimension that has no value in a row."""
    values = np.asarray(values)
    missing = gaps_in(values) if values.ndim == 1 else np.zeros(0, dtype=bool)
    if missing.any():
        raise wrong_row(f"{argument} has no value at ", int(np.argmax(missing)), "", argument=argument, value="NaN", remedy=remedy)


def without_gaps(values: Any, argument: str = "y") -> Any:
    """What a score takes; a row without a value is refused, as fit refuses it."""
    values = without_mask(values)
    refuse_gaps(values, "leave out such rows", argument)
    return values


def known_targets(y: Any, may_miss: bool) -> tuple[Any, Optional[np.ndarray]]:
    """What a score takes, and which rows have it; None: all. may_miss: rows without a value are left out, as a fit leaves them out."""
    y = plain_labels(without_mask(y))
    values = np.asarray(y)
    gaps = gaps_in(values) if may_miss and values.ndim == 1 else np.zeros(0, dtype=bool)
    if not gaps.any():
        return without_gaps(y), None
    if gaps.all():
        raise ValueError(f"y has no value: it is missing in all {gaps.size} rows")
    return np.array(values[~gaps].tolist()), ~gaps


Place = Callable[[int], Optional[tuple[str, int]]]  # the file that has a row of the source, and its row there


def in_source(error: ValueError, rows: int, place_of: Optional[Place] = None, counted: int = 0, is_of_piece: bool = True) -> ValueError:
    """The message of a piece, whose rows count from 1, with the rows of the source, or of its files.

    Parameters
    ----------
    error : ValueError
    rows : int
        Before the piece.
    place_of : callable
        As of `Rows`.
    counted : int
        Rows before the piece that an error of the library counts already, as statistics and sums do.
    is_of_piece : bool
        False: it may be one of all rows together.
    """

    if isinstance(error, InvalidArgumentError) and error.row is not None:
        before = rows - (0 if error._counts_piece else counted)

        def named(row: int) -> tuple[int, str]:
            place = None if place_of is None else place_of(row + before)
            return (row + before, f"row {row + before}") if place is None else (place[1], f"row {place[1]} of {place[0]!r}")

        return error._in_rows(named)
    place = None if place_of is None else place_of(rows + 1)
    if rows == 0 or not is_of_piece:
        return error
    prefix = f"in the rows after row {rows}: " if place is None else f"in {place[0]!r}: "
    return prefixed(prefix, error)


def require_finite(X: Any, names: Callable[[], Sequence[str]], may_miss: bool, remedy: str) -> None:
    """Refuses infinite numbers and, unless values may be missing, NaN: with row, column and what can be done. X: an array, or a csc_array.
    names: asked only then, because there may be a million."""
    at = _first_wrong(X.data if is_sparse(X) else X, np.isinf if may_miss else _is_not_finite)
    if at is None:
        return
    number = X.data[at[0]] if is_sparse(X) else X[at]
    row, position = (X.indices[at[0]], int(np.searchsorted(X.indptr, at[0], side="right")) - 1) if is_sparse(X) else at
    value = "NaN" if np.isnan(number) else f"{number}"
    why, advice = "all values must be finite", f"if the value is missing: {remedy}" if value == "NaN" else ""
    column = names()[position]
    end = f", column {column!r} is {value}; {why}"
    raise wrong_row("X at ", row, end, argument="X", value=value, column=str(column), why=why, remedy=advice)


def _is_not_finite(numbers: np.ndarray) -> np.ndarray:
    return ~np.isfinite(numbers)


def _first_wrong(numbers: np.ndarray, is_wrong: Callable[[np.ndarray], np.ndarray]) -> Optional[tuple[int, ...]]:
    """Where the first number is that is wrong, row after row; None: there is none. In blocks: no array has the size of all numbers."""
    if numbers.dtype.kind not in "fc":
        return None  # whole numbers are finite
    by_column = numbers.ndim == 2 and numbers.strides[0] < numbers.strides[1]
    lines = numbers.T if by_column else numbers
    size, places = max(1, 1_000_000 // max(1, lines[:1].size)), []
    for first in range(0, lines.shape[0], size):
        wrong = is_wrong(lines[first : first + size])
        if not wrong.any():
            continue
        place = np.argwhere(wrong.T if by_column else wrong)[0].tolist()
        place[1 if by_column else 0] += first
        places.append(tuple(place))
        if not by_column:
            break
    return min(places, default=None)


def taken_from(table: Any, name: Any, argument: str, may_miss: bool = False) -> np.ndarray:
    """A column of the table, which an argument of fit names."""
    return np.asarray(series_taken_from(table, name, argument, may_miss))


def series_taken_from(table: Any, name: Any, argument: str, may_miss: bool = False) -> Any:
    """The same as a column of a DataFrame: texts need not become objects."""
    table = frame(table)
    names = names_of(table)
    if names is None and type(table).__module__.startswith("dask"):
        raise _no_column(argument, name, ", a column of a table of Dask; the estimators of ardvark.dask take it, others X.compute()")
    if names is None:
        raise _no_column(argument, name, f", the name of a column; X must then be a DataFrame, but is {kind_of(table)}")
    if names.count(name) > 1:
        raise _no_column(argument, name, f", but {names.count(name)} columns of X are named so; give each column a name of its own")
    if name not in names:
        raise _no_column(argument, name, f", which is not a column of X{sentence_near(name, names)}")
    values = table[name]
    missing = values.isna().to_numpy() if hasattr(values, "isna") else gaps_in(np.asarray(values))
    if missing.any() and not may_miss:
        remedy = f"leave out such rows, for example X[X[{name!r}].notna()]" + (", or fit with missing='drop'" if argument == "target" else "")
        begin = f"{argument} {name!r} has no value at "
        raise wrong_row(begin, int(np.argmax(missing)), "", argument=argument, value="NaN", column=str(name), remedy=remedy)
    return values


def _no_column(argument: str, name: Any, why: str) -> InvalidArgumentError:
    """An argument that names no column. why: after the name; what can be done is after a semicolon."""
    why, _, remedy = why.partition("; ")
    end = f"{why}; {remedy}" if remedy else why
    fields = {"value": str(name), "why": why.lstrip(", "), "remedy": remedy}
    return InvalidArgumentError(f"{argument} is {name!r}{end}", argument, **fields)  # type: ignore[arg-type]


def first_text(values: Any) -> Optional[str]:
    """The first text of an array, list or Series; None if it has none."""
    array = np.asarray([]) if names_of(values) is not None else np.asarray(values)
    if array.dtype.kind not in "OUST":
        return None
    return next((str(value) for value in array.ravel() if isinstance(value, str)), None)


def numbers_of(X: Any) -> np.ndarray:
    """The numbers of a table of numbers, or of an array; NaN where a value is missing. Refuses texts, also of digits."""
    values = np.asarray(X.to_numpy() if names_of(X) is not None else X)
    if (text := first_text(values)) is not None:
        raise ValueError(f"X holds text ({text!r}); pass a DataFrame, whose columns have names, or turn the text into numbers")
    return values if values.dtype.kind != "O" else _with_nan(values.ravel()).reshape(values.shape)


_NEEDS_NUMBERS = "a regression needs numbers (for classes: BayesianLogisticRegression)"
_REAL = "Complex data not supported"  # the words of scikit-learn


def require_numbers(y: Any) -> None:
    """Refuses a target of texts, dates or complex numbers, which a regression cannot explain: with row and value."""
    values = np.asarray(y)
    if values.ndim != 1 or values.dtype.kind in "biuf":
        return
    if values.dtype.kind == "c":
        raise InvalidArgumentError(f"{_REAL}: y is complex; give its real part, y.real", "y", value=str(values.dtype), why=_REAL, remedy="give y.real")
    if values.dtype.names is not None:
        why, remedy = "y is a structured array", "make a table of it: pandas.DataFrame(y)"
        raise InvalidArgumentError(f"{why}; {remedy}", "y", why=why, remedy=remedy)
    for row, value in enumerate(values):
        _require_number(value, row)


def _require_number(value: Any, row: int, column: Optional[str] = None) -> None:
    """Refuses an entry of a target that is neither a number nor missing. column: its name, if there are several targets."""
    where, column_of = ("", "") if column is None else (f", column {column!r}", column)
    if isinstance(value, (str, bytes)):
        remedy = "" if column is None else "if the texts are numbers: pandas.to_numeric(column)"
        text = repr(str(value) if isinstance(value, str) else bytes(value))
        parts = (f"y holds text ({text} at ", row, f"{where}); {_NEEDS_NUMBERS}")
        raise wrong_row(*parts, argument="y", value=str(value), why=_NEEDS_NUMBERS, remedy=remedy, column=column_of)
    if isinstance(value, TIMES) and value == value:  # NaT differs from itself
        raise wrong_row("y at ", row, f"{where} is {str(value)!r}, {what_time_is(value)}", argument="y", value=str(value), column=column_of)
    if isinstance(value, (complex, np.complexfloating)):
        raise wrong_row("y at ", row, f"{where} is {value}; {_REAL}", argument="y", value=str(value), why=_REAL, remedy="give the real part", column=column_of)
    is_known = value is None or isinstance(value, (numbers.Number, np.bool_, TIMES)) or type(value).__name__ == "NAType"
    if not is_known:
        raise wrong_row("y at ", row, f"{where} is a {type(value).__name__}; {_NEEDS_NUMBERS}", argument="y", why=_NEEDS_NUMBERS, column=column_of)


def is_many(y: Any) -> bool:
    """Whether y has more than one column."""
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, (list, tuple)) and len(y) > 0 and (isinstance(y[0], (list, tuple)) or np.ndim(y[0]) == 1):
        try:
            shape = np.shape(y)
        except ValueError:  # rows of several lengths
            sizes = [np.size(row) for row in y]
            row = next(i for i, size in enumerate(sizes) if size != sizes[0])
            raise wrong_row("y has ", 0, f" with {sizes[0]} numbers, and ", row, f" with {sizes[row]}; all rows must have as many", argument="y") from None
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] != 1


def refuse_many(y: Any, reader: str, is_regression: bool = True) -> None:
    """Refuses a y with several columns, and a table that is not in memory. reader: what takes one target."""
    targets_in_memory(y)
    if not is_many(y):
        return
    shape, several = getattr(y, "shape", None) or np.shape(y), _who_takes_several(is_regression)
    why = f"{reader} takes one target"
    message = f"y should be a 1d array, got an array of shape {tuple(shape)} instead; {why}; {several}"  # the words of scikit-learn
    raise InvalidArgumentError(message, "y", value=str(tuple(shape)), why=why, remedy=several)


def refuse_many_names(target: Any, reader: str, is_regression: bool = True) -> None:
    """The same where columns of a table are named."""
    if isinstance(listed(target), list):
        why, several = f"{reader} takes one target", _who_takes_several(is_regression)
        raise InvalidArgumentError(f"target is {listed(target)!r}; {why}; {several}", "target", value=str(listed(target)), why=why, remedy=several)


def _who_takes_several(is_regression: bool) -> str:
    return "BayesianLinearRegression takes several: fit(X, Y)" if is_regression else "sklearn.multioutput.MultiOutputClassifier(estimator) fits each column"


def targets_of(Y: Any) -> tuple[Optional[list[str]], np.ndarray]:
    """The columns of Y, each a target, as numbers in which a missing value is NaN; and their names, if Y is a table."""
    if is_sparse(Y):
        why, remedy = "a target has a value in each row", "give Y.toarray()"
        raise InvalidArgumentError(f"y is sparse; {why}: {remedy}", "y", value="sparse", why=why, remedy=remedy)
    table = frame(without_mask(targets_in_memory(Y)))
    given = names_of(table)
    if given is None:
        values = _in_rows(np.asarray(table))
        return None, _array_of_targets(values) if values.ndim == 2 else _array_of_targets(values[:, None])[:, 0]
    names = [f"y{k + 1}" if name is None or name != name else str(name) for k, name in enumerate(given)]
    twice = next((name for name, number in Counter(names).items() if number > 1), None)
    if twice is not None:
        why, remedy = f"{names.count(twice)} columns of y are named {twice!r}", "give each target a name of its own"
        raise InvalidArgumentError(f"{why}; {remedy}", "y", column=twice, why=why, remedy=remedy)
    table = with_dense_columns(table)
    types = set(table.dtypes)
    first = next(iter(types), None)
    if len(types) == 1 and isinstance(first, np.dtype) and first.kind in "biuf":
        return names, table.to_numpy()
    are_short = all(str(getattr(dtype, "numpy_dtype", dtype)).lower() == "float32" for dtype in types)
    out = np.empty((len(table), len(names)), np.float32 if are_short else np.float64, order="F")
    for k, (name, column) in enumerate(zip(names, columns_of(table))):
        out[:, k] = _target_of(column, name)
    return names, out


def require_other_names(targets: Optional[Iterable[str]], columns: Optional[Iterable[str]]) -> None:
    """Refuses a target that is a column, too."""
    both = sorted(set(() if targets is None else targets) & set(() if columns is None else columns))
    if both:
        raise InvalidArgumentError(f"{both[0]!r} is a column of X and of Y; a target must not explain itself: leave it out of X", "X", column=both[0])


def columns_of(table: Any) -> Iterator[Any]:
    """The columns of a DataFrame, whose names need not differ."""
    if hasattr(table, "iloc"):  # whose labels may be of any type
        return (table.iloc[:, position] for position in range(table.shape[1]))
    return (table[name] for name in table.columns)


def _in_rows(values: np.ndarray) -> np.ndarray:
    if values.ndim not in (1, 2):
        why = "it must have a row for each row of X, and a column for each target"
        raise InvalidArgumentError(f"y has the shape {values.shape}; {why}", "y", value=str(values.shape), why=why)
    return values


def _target_of(column: Any, name: str) -> np.ndarray:
    """The numbers of a column of a table; refuses others, with their row."""
    if is_numeric(column.dtype):
        return _numbers(column)
    values = column.to_list()
    for row, value in enumerate(values):
        _require_number(value, row, name)
    return _with_nan(np.array([*values, None], dtype=object)[:-1])  # None: numpy must not look into the values


def _array_of_targets(values: np.ndarray) -> np.ndarray:
    kind = values.dtype.kind
    if kind in "biuf":
        return values
    refuse_times(values, "y")
    if kind == "c":
        remedy = "give y.real, or both parts as targets: numpy.hstack([y.real, y.imag])"
        raise InvalidArgumentError(f"{_REAL}: y is complex; {remedy}", "y", value=str(values.dtype), why=_REAL, remedy=remedy)
    out = np.empty(values.shape, order="F")
    for k, column in enumerate(values.T):
        for row, value in enumerate(column):
            _require_number(value, row, f"y{k + 1}")
        out[:, k] = _with_nan(column)
    return out


def _with_nan(values: np.ndarray) -> np.ndarray:
    """Objects that are numbers or missing."""
    return np.where(gaps_in(values), np.nan, values).astype(np.float64)


def refuse_times(values: Any, argument: str) -> None:
    """Refuses an array of dates or durations, which numpy would turn into numbers of whatever unit it has."""
    dtype = getattr(values, "dtype", None)
    if names_of(values) is not None or getattr(dtype, "kind", None) not in ("m", "M"):
        return
    array = np.asarray(values)
    if array.size > 0:
        row = int(np.argmax(~np.isnat(array).reshape(len(array), -1).all(axis=1)))  # the first that is known
        value = array[row].ravel()[0]
        raise wrong_row(f"{argument} at ", row, f" is {str(value)!r}, {what_time_is(value)}", argument=argument, value=str(value))


def require_weights(sample_weight: Any) -> None:
    """Refuses weights that are texts, also of digits, dates or complex numbers: with row and value. A name of a column is none."""
    refuse_times(sample_weight, "sample_weight")
    values = np.asarray(sample_weight)
    if values.ndim != 1 or values.dtype.kind in "biuf":
        return
    for row, value in enumerate(sample_weight if isinstance(sample_weight, (list, tuple)) else values):  # numpy makes all of a list texts
        if not isinstance(value, (str, bytes, complex, np.complexfloating)):
            continue
        why, text = "weights are numbers >= 0", str(value)
        is_complex = isinstance(value, (complex, np.complexfloating))
        shown, remedy = (text, "give their real part") if is_complex else (repr(text), "if the texts are numbers: pandas.to_numeric(sample_weight)")
        raise wrong_row("sample_weight at ", row, f" is {shown}; {why}", argument="sample_weight", value=text, why=why, remedy=remedy)
