"""The C interface (``include/ardvark/ardvark.h``) in ctypes: its structures and functions, the library, calls and their results."""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Callable, Optional, Union

__all__ = [
    "Array",
    "Ask",
    "Callback",
    "Columns",
    "Csc",
    "Handle",
    "InternalError",
    "Matrix",
    "ReportWords",
    "StoppedError",
    "call",
    "call_for_bytes",
    "call_for_handle",
    "call_for_text",
    "library",
]


class InternalError(RuntimeError):
    """A broken invariant of the library: please report it.

    Examples
    --------
    >>> from ardvark import _core
    >>> issubclass(_core.InternalError, RuntimeError)
    True
    """


class _Error(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("code", c_int32),
        ("message", c_char * 4092),
        ("argument", c_char * 64),
        ("row", c_int64),
        ("row_begin", c_int64),
        ("row_end", c_int64),
        ("column", c_char * 256),
        ("value", c_char * 256),
        ("why", c_char * 1024),
        ("remedy", c_char * 1024),
    ]


class Matrix(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("data", c_void_p),
        ("type", c_int32),
        ("rows", c_int64),
        ("columns", c_int64),
        ("row_stride", c_int64),
        ("column_stride", c_int64),
    ]


class Csc(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("columns", c_int64),
        ("index_bits", c_int32),
        ("start", c_void_p),
        ("row", c_void_p),
        ("value", c_void_p),
        ("dense", c_char_p),
        ("type", c_int32),
    ]


class Array(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("dimensions", c_int64), ("shape", c_int64 * 2)]


class Columns(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("type", c_int32), ("stride", c_int64)]


class ReportWords(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("title", c_char_p), ("command", c_char_p), ("file", c_char_p)]


class _Progress(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("sweep", c_int64),
        ("total", c_int64),
        ("bound", c_double),
        ("elapsed_seconds", c_double),
        ("stage", c_char_p),
        ("piece", c_char_p),
        ("done", c_int64),
        ("seconds_left", c_double),
        ("text", c_char_p),
    ]


Callback = ctypes.CFUNCTYPE(c_int, POINTER(_Progress), c_void_p)
Ask = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, POINTER(c_void_p), c_void_p)
_error, _matrix, _out = POINTER(_Error), POINTER(Matrix), POINTER(c_void_p)

_HANDLES = ("options", "table", "encoding", "model", "result", "sequential", "statistics", "sums", "genotypes", "matrix_file", "targets", "target_statistics")
_SIGNATURES = {
    "ardvark_options_set_text": [c_void_p, c_char_p, c_char_p, _error],
    "ardvark_options_set_number": [c_void_p, c_char_p, c_double, _error],
    "ardvark_options_set_numbers": [c_void_p, c_char_p, c_void_p, c_int64, _error],
    "ardvark_options_set_texts": [c_void_p, c_char_p, POINTER(c_char_p), c_int64, _error],
    "ardvark_options_set_encoding": [c_void_p, c_void_p, _error],
    "ardvark_table_create": [c_int64, _out, _error],
    "ardvark_table_add_numbers": [c_void_p, c_char_p, c_void_p, _error],
    "ardvark_table_add_texts": [c_void_p, c_char_p, c_void_p, _error],
    "ardvark_encoding_create": [c_void_p, c_void_p, _out, _error],
    "ardvark_encoding_apply": [c_void_p, c_void_p, POINTER(Array), _error],
    "ardvark_encoding_apply_csc": [c_void_p, c_void_p, _out, _error],
    "ardvark_encoding_is_sparse": [c_void_p, c_int64, c_void_p, POINTER(c_int32), _error],
    "ardvark_encoding_result": [c_void_p, _out, _error],
    "ardvark_model_encoding": [c_void_p, _out, _error],
    "ardvark_fit": [_matrix, c_void_p, c_void_p, _out, _error],
    "ardvark_fit_csc": [POINTER(Csc), c_void_p, c_void_p, _out, _error],
    "ardvark_genotypes_read": [c_char_p, c_int32, _out, _error],
    "ardvark_genotypes_result": [c_void_p, _out, _error],
    "ardvark_genotypes_phenotype": [c_void_p, _out, _error],
    "ardvark_genotypes_rows": [c_void_p, c_void_p, c_int64, _out, _error],
    "ardvark_genotypes_counts": [c_void_p, c_void_p, _error],
    "ardvark_fit_genotypes": [c_void_p, _matrix, POINTER(c_char_p), c_void_p, c_void_p, _out, _error],
    "ardvark_predict_genotypes": [c_void_p, c_void_p, _matrix, c_int32, c_void_p, c_void_p, _out, _error],
    "ardvark_matrix_file_read": [c_char_p, c_char_p, c_char_p, c_char_p, _out, _error],
    "ardvark_matrix_file_csc": [c_void_p, POINTER(Csc), _error],
    "ardvark_matrix_file_result": [c_void_p, _out, _error],
    "ardvark_model_result": [c_void_p, c_void_p, _out, _error],
    "ardvark_model_covariance": [c_void_p, c_void_p, c_int64, POINTER(Array), _error],
    "ardvark_model_draws": [c_void_p, c_int64, c_void_p, _out, _error],
    "ardvark_model_summary": [c_void_p, c_void_p, _out, _error],
    "ardvark_model_report": [c_void_p, _matrix, c_void_p, c_void_p, POINTER(ReportWords), c_char_p, _out, _error],
    "ardvark_predict": [c_void_p, _matrix, c_void_p, c_void_p, _out, _error],
    "ardvark_predict_csc": [c_void_p, POINTER(Csc), c_void_p, c_void_p, _out, _error],
    "ardvark_predict_joint": [c_void_p, _matrix, c_int64, c_void_p, _out, _error],
    "ardvark_model_save": [c_void_p, c_char_p, _error],
    "ardvark_model_load": [c_char_p, _out, _error],
    "ardvark_model_to_bytes": [c_void_p, _out, POINTER(c_size_t), _error],
    "ardvark_model_from_bytes": [c_char_p, c_size_t, _out, _error],
    "ardvark_select": [_matrix, c_void_p, c_void_p, _out, _error],
    "ardvark_compare": [_matrix, c_void_p, c_char_p, c_char_p, c_void_p, _out, _error],
    "ardvark_path": [_matrix, c_void_p, c_void_p, c_int64, c_double, c_void_p, _out, _error],
    "ardvark_path_csc": [POINTER(Csc), c_void_p, c_void_p, c_int64, c_double, c_void_p, _out, _error],
    "ardvark_sequential_create": [c_int64, c_void_p, _out, _error],
    "ardvark_sequential_update": [c_void_p, _matrix, c_void_p, _error],
    "ardvark_sequential_update_weighted": [c_void_p, _matrix, c_void_p, c_void_p, c_void_p, _error],
    "ardvark_sequential_model": [c_void_p, c_void_p, _out, _error],
    "ardvark_sequential_from_model": [c_void_p, c_void_p, _out, _error],
    "ardvark_sequential_to_bytes": [c_void_p, _out, POINTER(c_size_t), _error],
    "ardvark_sequential_from_bytes": [c_char_p, c_size_t, _out, _error],
    "ardvark_statistics_create": [c_char_p, _out, _error],
    "ardvark_statistics_copy": [c_void_p, _out, _error],
    "ardvark_statistics_set_names": [c_void_p, c_void_p, _error],
    "ardvark_statistics_update": [c_void_p, _matrix, c_void_p, c_void_p, _error],
    "ardvark_statistics_update_table": [c_void_p, c_void_p, c_char_p, c_char_p, _error],
    "ardvark_statistics_encoding": [c_void_p, c_void_p, _out, _error],
    "ardvark_statistics_merge": [c_void_p, c_void_p, _error],
    "ardvark_statistics_result": [c_void_p, _out, _error],
    "ardvark_statistics_to_bytes": [c_void_p, _out, POINTER(c_size_t), _error],
    "ardvark_statistics_from_bytes": [c_char_p, c_size_t, _out, _error],
    "ardvark_statistics_error": [c_void_p, c_void_p, POINTER(c_double), _error],
    "ardvark_sums_create": [c_char_p, c_size_t, c_int64, _out, _error],
    "ardvark_sums_update": [c_void_p, _matrix, c_void_p, c_void_p, _error],
    "ardvark_sums_merge": [c_void_p, c_void_p, _error],
    "ardvark_sums_to_bytes": [c_void_p, _out, POINTER(c_size_t), _error],
    "ardvark_sums_from_bytes": [c_char_p, c_size_t, _out, _error],
    "ardvark_fit_rows": [Ask, c_void_p, c_void_p, _out, _error],
    "ardvark_fit_folds": [POINTER(c_void_p), c_int64, c_void_p, _out, _error],
    "ardvark_fit_targets": [_matrix, _matrix, POINTER(c_char_p), c_void_p, c_int32, *[POINTER(Columns)] * 3, _out, _error],
    "ardvark_targets_result": [c_void_p, _out, _error],
    "ardvark_targets_explained": [c_void_p, c_double, _out, _error],
    "ardvark_targets_directions": [c_void_p, c_int32, _matrix, _out, _error],
    "ardvark_targets_report": [c_void_p, _matrix, _matrix, _matrix, c_double, POINTER(ReportWords), c_char_p, _out, _error],
    "ardvark_targets_predict": [c_void_p, _matrix, _matrix, c_void_p, POINTER(Columns), POINTER(Columns), _error],
    "ardvark_targets_save": [c_void_p, _matrix, c_char_p, _error],
    "ardvark_targets_load": [c_char_p, _out, _error],
    "ardvark_targets_to_bytes": [c_void_p, _matrix, _out, POINTER(c_size_t), _error],
    "ardvark_targets_from_bytes": [c_char_p, c_size_t, _out, _error],
    "ardvark_targets_encoding": [c_void_p, _out, _error],
    "ardvark_target_statistics_create": [_out, _error],
    "ardvark_target_statistics_copy": [c_void_p, _out, _error],
    "ardvark_target_statistics_set_names": [c_void_p, c_void_p, POINTER(c_char_p), c_int64, _error],
    "ardvark_target_statistics_update": [c_void_p, _matrix, _matrix, c_void_p, _error],
    "ardvark_target_statistics_merge": [c_void_p, c_void_p, _error],
    "ardvark_target_statistics_result": [c_void_p, _out, _error],
    "ardvark_target_statistics_to_bytes": [c_void_p, _out, POINTER(c_size_t), _error],
    "ardvark_target_statistics_from_bytes": [c_char_p, c_size_t, _out, _error],
    "ardvark_fit_target_statistics": [c_void_p, c_void_p, c_int32, *[POINTER(Columns)] * 3, _out, _error],
    "ardvark_result_report": [c_void_p, POINTER(ReportWords), c_char_p, _out, _error],
    "ardvark_result_array": [c_void_p, c_char_p, POINTER(Array), _error],
    "ardvark_result_number": [c_void_p, c_char_p, POINTER(c_double), _error],
    "ardvark_result_text": [c_void_p, c_char_p, _out, _error],
    "ardvark_result_json": [c_void_p, c_char_p, _out, _error],
    "ardvark_spell": [c_char_p, c_char_p, POINTER(c_char_p), c_int64, _out, _error],
    "ardvark_progress_line": [c_char_p, c_double, c_double, _out, _error],
    "ardvark_catalogue": [_out, _error],
    "ardvark_csv_form_in": [c_char_p, c_char_p, c_char_p, POINTER(c_char_p), c_int64, c_char_p, _out, _error],
}


def _open() -> ctypes.CDLL:
    here = Path(__file__).parent
    name = {"darwin": "libardvark.dylib", "win32": "ardvark.dll"}.get(sys.platform, "libardvark.so")
    given = os.environ.get("ARDVARK_LIBRARY")
    opened = ctypes.CDLL(given if given else str(here / "_lib" / name))  # CDLL releases the GIL during a call
    for function, arguments in _SIGNATURES.items():
        getattr(opened, function).argtypes = arguments
        getattr(opened, function).restype = c_int
    opened.ardvark_version.restype = c_char_p
    opened.ardvark_options_create.restype = c_void_p
    opened.ardvark_options_set_progress.argtypes = [c_void_p, Callback, c_void_p, c_double]
    opened.ardvark_options_set_progress.restype = None
    for handle in _HANDLES:
        free = getattr(opened, f"ardvark_{handle}_free")
        free.argtypes, free.restype = [c_void_p], None
    opened.ardvark_free.argtypes, opened.ardvark_free.restype = [c_void_p], None
    return opened


library = _open()
_free = {kind: getattr(library, f"ardvark_{kind}_free") for kind in _HANDLES}


class InvalidArgumentError(ValueError):
    """A wrong argument, or a wrong file. What its message says, the attributes say for programs: the words of a message may change.

    Attributes
    ----------
    argument : str
        The name of the argument or parameter. Empty: the error is about none, or several.
    value : str
        The value that is wrong, as a text; ``"NaN"``: it is missing.
    row : int or None
        From 1: of X and y, of the table, or of the file that the message names.
    column : str
        The name of a column.
    why : str
        The constraint that does not hold.
    remedy : str
        What can be done.

    What does not apply, or is not known, is an empty text, or ``None``.

    Examples
    --------
    >>> import ardvark
    >>> try:
    ...     ardvark.BayesianLinearRegression(prior="ridge").fit([[0.0], [1.0], [2.0]], [1, 2, 4])
    ... except ardvark.InvalidArgumentError as error:
    ...     print(error.argument, error.value)
    prior ridge
    """

    __module__ = "ardvark"

    def __init__(
        self, message: str, argument: str = "", *, value: str = "", row: Optional[int] = None, column: str = "", why: str = "", remedy: str = ""
    ):
        super().__init__(message)
        self.argument, self.value, self.row, self.column, self.why, self.remedy = argument, value, row, column, why, remedy
        self._argument_at = 0  # where the message has the name of the argument
        self._rows: list[tuple[int, int, int]] = []  # where it names a row, and the number of this row
        self._counts_piece = False  # the rows are those of the table that was given, not of all that statistics have seen

    def _texts(self) -> list[str]:
        """The message before, between and after the names of rows."""
        cuts = [0, *(place for begin, end, _ in self._rows for place in (begin, end)), len(str(self))]
        return [str(self)[begin:end] for begin, end in zip(cuts[::2], cuts[1::2])]

    def _named_rows(self) -> list[tuple[int, str]]:
        return [(row, str(self)[begin:end]) for begin, end, row in self._rows]

    def _changed(self, texts: list[str], rows: list[tuple[int, str]], **fields: Any) -> InvalidArgumentError:
        """The same error with another message."""
        message, places = texts[0], []
        for (row, name), text in zip(rows, texts[1:]):
            places.append((len(message), len(message) + len(name), row))
            message += name + text
        other = type(self)(message)
        other.__dict__.update(self.__dict__ | {"_rows": places, "row": rows[0][0] if rows else None} | fields)
        return other

    def _in_rows(self, named: Callable[[int], tuple[int, str]]) -> InvalidArgumentError:
        """The same error about rows with other numbers. named: the number and the name of a row."""
        return self._changed(self._texts(), [named(row) for _, _, row in self._rows])

    def _after(self, prefix: str) -> InvalidArgumentError:
        begin, *more = self._texts()
        return self._changed([prefix + begin, *more], self._named_rows(), _argument_at=self._argument_at + len(prefix))

    def _with_remedy(self, remedy: str) -> InvalidArgumentError:
        """Another remedy, with which the message ends."""
        *before, end = self._texts()
        return self._changed([*before, (end[: -len(self.remedy)] if self.remedy else end + "; ") + remedy], self._named_rows(), remedy=remedy)

    def _in_words(self, argument: str, translated: Callable[[str], str]) -> InvalidArgumentError:
        """The same error in other words, except for the names of rows, which may be those of files."""
        begin, *more = self._texts()
        at = self._argument_at
        begin = translated(begin[:at]) + argument + translated(begin[at + len(self.argument) :])
        why, remedy = translated(self.why), translated(self.remedy)
        return self._changed([begin, *map(translated, more)], self._named_rows(), argument=argument, why=why, remedy=remedy)


def prefixed(prefix: str, error: Exception) -> ValueError:
    """The same error with words before its message."""
    return error._after(prefix) if isinstance(error, InvalidArgumentError) else ValueError(f"{prefix}{error}")


def wrong_row(
    *message: Union[str, int], argument: str = "", remedy: str = "", counts_piece: bool = True, **fields: str
) -> InvalidArgumentError:
    """An error about rows of a table that is given. message: its texts, and the rows between them, from 0. It ends with the remedy."""
    texts, rows = [str(text) for text in message[::2]], [int(row) + 1 for row in message[1::2]]
    texts[-1] += f"; {remedy}" if remedy else ""
    error = InvalidArgumentError("", argument, remedy=remedy, **fields)  # type: ignore[arg-type]
    return error._changed(texts, [(row, f"row {row}") for row in rows], _counts_piece=counts_piece)


class StoppedError(RuntimeError):
    """The callback ended a call before there was a result."""


_exceptions = {3: OSError, 130: StoppedError}


def call(function: str, *arguments: Any) -> None:
    error = _Error(ctypes.sizeof(_Error))
    code = getattr(library, function)(*arguments, byref(error))
    if code == 2:
        raise _invalid_argument(error)
    if code != 0:
        kind = MemoryError if code == 3 and error.why == b"memory" else _exceptions.get(code, InternalError)
        raise kind(_text(error.message))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _invalid_argument(error: _Error) -> InvalidArgumentError:
    fields = {name: _text(getattr(error, name)) for name in ("value", "column", "why", "remedy")}
    out = InvalidArgumentError(_text(error.message), _text(error.argument), row=error.row or None, **fields)
    if error.row:
        begin = len(_text(error.message[: error.row_begin]))
        out._rows = [(begin, begin + len(_text(error.message[error.row_begin : error.row_end])), error.row)]
    return out


class Handle:
    """Owns one handle of the library. The object itself is passed to a call, so that it lives until the call ends."""

    def __init__(self, kind: str, pointer: Optional[int]):
        self._as_parameter_ = c_void_p(pointer)
        self._free = _free[kind]

    def given_away(self) -> Optional[int]:
        """The pointer, which another owner frees."""
        pointer, self._as_parameter_ = self._as_parameter_.value, c_void_p(None)
        return pointer

    def __del__(self) -> None:
        self._free(self._as_parameter_)


def call_for_handle(kind: str, function: str, *arguments: Any) -> Handle:
    out = c_void_p()
    call(function, *arguments, byref(out))
    return Handle(kind, out.value)


def without_null(text: bytes) -> bytes:
    """The text without change; refuses a null character, where the text would end for C."""
    if b"\0" in text:
        raise ValueError(f"{text.decode('utf-8', 'replace')!r} holds a null character; names, texts and paths must not have one")
    return text


def call_for_text(function: str, *arguments: Any) -> str:
    out = c_void_p()
    call(function, *arguments, byref(out))
    try:
        return ctypes.string_at(out.value or 0).decode("utf-8", "replace")
    finally:
        library.ardvark_free(out)


def call_for_bytes(function: str, *arguments: Any) -> bytes:
    out, size = c_void_p(), c_size_t()
    call(function, *arguments, byref(out), byref(size))
    try:
        return ctypes.string_at(out.value or 0, size.value)
    finally:
        library.ardvark_free(out)
