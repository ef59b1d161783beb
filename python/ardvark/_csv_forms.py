"""Files of CSV that other programs have written: how each is written, and a dataset of Arrow that reads it so."""

from __future__ import annotations

import os
import re
from numbers import Real
from typing import Any, Collection, Mapping, Optional, Sequence, Union

from . import _core
from ._abi import InvalidArgumentError

__all__ = ["CsvFiles", "dataset_of", "forms_of", "left_out_of", "with_gaps", "without"]

_GAPS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")  # fields without a value, as the library reads CSV
_BLANKS = [" " * size for size in range(1, 65)]  # Arrow compares whole fields


class CsvFiles(os.PathLike[str]):
    """A file, folder or pattern of CSV whose form is known, wherever a path is read: ``fit``, ``predict_batches``, ``predict_to``.

    Parameters
    ----------
    path : str or path-like
        What is not given below is found in the header and the first rows, as for the path alone.
    delimiter : str, default=None
        One character between the fields.
    decimal : {".", ","}, default=None
        The decimal mark of numbers.
    missing_marker : str or sequence of str, default=()
        Further texts that mean a missing value, such as "OVER" or "-999", which means -999.0, too.

    Examples
    --------
    >>> import os, tempfile
    >>> import ardvark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "t.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("a|y\\n1,5|2\\n2,5|3\\n3,5|5\\n4,5|6\\n")
    ...     model = ardvark.BayesianLinearRegression("none").fit(ardvark.CsvFiles(path, delimiter="|", decimal=","), "y")
    >>> model.coef_.round(6).tolist()
    [1.4]
    """

    def __init__(self, path: Any, *, delimiter: Optional[str] = None, decimal: Optional[str] = None, missing_marker: Union[str, Sequence[str]] = ()):
        self.path = os.fspath(path)
        self.delimiter, self.decimal = delimiter, decimal
        self.missing_marker: list[str] = [missing_marker] if isinstance(missing_marker, (str, Real)) else list(missing_marker)
        for name, value in (("delimiter", delimiter), ("decimal", decimal)):
            if value is not None and (not isinstance(value, str) or len(value.encode()) != 1 or (name == "decimal" and value not in ".,")):
                raise ValueError(f"{name} is {value!r}; it must be {'one character' if name == 'delimiter' else repr('.') + ' or ' + repr(',')}")
        for text in self.missing_marker:
            if not isinstance(text, str) or not text:
                raise ValueError(f"missing_marker has the entry {text!r}; each must be a text, such as '-999'")

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        given = {"delimiter": self.delimiter, "decimal": self.decimal, "missing_marker": self.missing_marker or None}
        return f"CsvFiles({self.path!r}{''.join(f', {name}={value!r}' for name, value in given.items() if value is not None)})"


def forms_of(files: Sequence[str], given: Optional[CsvFiles] = None, texts: Mapping[str, Sequence[str]] = {}) -> dict[str, dict[str, Any]]:
    """How files of CSV are written. Empty: as Arrow expects them. texts: columns that a model knows as texts, with their levels."""
    forms = {}
    known = () if given is None else (given.delimiter, given.decimal, given.missing_marker)
    for file in files:
        if not os.path.isfile(file) or os.path.getsize(file) == 0 or not os.access(file, os.R_OK):
            return {}  # Arrow says what is wrong
        forms[file] = {**_form_of(file, known, texts), "missing_markers": known[2] if known else []}
    with_rows = [form for form in forms.values() if form["lines_before"] > 0]
    is_plain = all(form["delimiter"] == "," and form["decimal"] == "." and form["lines_before"] == 1 and form["plain_header"] and not form["notes"] and not form["refused"] and not len(form["blank"]) and not form["row_names"] and not form["missing_markers"] for form in with_rows)
    return {} if is_plain else {file: form for file, form in forms.items() if form["lines_before"] > 0}


def _form_of(file: str, known: Sequence[Any], texts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The form of a file. A column of texts may have some that look like numbers: they are passed over."""
    delimiter, decimal, markers = known or (None, None, ())
    passed_over: list[str] = []
    while True:
        try:
            return _core.csv_form(file, delimiter, decimal, [*markers, *passed_over])
        except InvalidArgumentError as error:
            if error.column not in texts:
                raise
            others = [text for text in (*texts[error.column], error.value) if text and text not in passed_over]
            if not others:
                raise
            passed_over += others


def _conversion(texts: Collection[str], decimal: str = ".", markers: Sequence[str] = ()) -> Any:
    """How Arrow reads fields of CSV: these columns as texts; numbers may be missing. Of texts, `with_gaps` tells it."""
    import pyarrow.csv

    convert = pyarrow.csv.ConvertOptions(decimal_point=decimal, column_types=dict.fromkeys(texts, pyarrow.string()))
    whole = [marker for marker in markers if marker.lstrip("+-").isdigit()]
    with_zeros = [f"{marker}{decimal}{'0' * digits}" for marker in whole for digits in range(1, 7)]  # Arrow compares texts
    convert.null_values = [*convert.null_values, "?", *_BLANKS, *markers, *with_zeros]
    return convert


_HEXADECIMAL = r"^\s*[+-]?0[xX][0-9A-Fa-f]+\s*$"


def _hexadecimal_in(file: str, form: Optional[dict[str, Any]] = None) -> dict[str, str]:
    """The columns whose first rows hold texts such as 0x1F, of which Arrow would make numbers, with the first such text."""
    import pyarrow
    import pyarrow.compute
    import pyarrow.csv

    try:
        with pyarrow.input_stream(file) as stream:
            head = stream.read(1 << 20)  # what Arrow itself takes the types from
        if not re.search(rb"0[xX][0-9A-Fa-f]", head):
            return {}
        head = head[: head.rfind(b"\n") + 1] or head
        read, parse = pyarrow.csv.ReadOptions(), pyarrow.csv.ParseOptions()
        if form is not None:
            read = pyarrow.csv.ReadOptions(skip_rows=int(form["lines_before"]), column_names=form["names"])
            parse = pyarrow.csv.ParseOptions(delimiter=form["delimiter"])
        names = pyarrow.csv.read_csv(pyarrow.BufferReader(head), read, parse).column_names
        table = pyarrow.csv.read_csv(pyarrow.BufferReader(head), read, parse, _conversion(names))
    except (pyarrow.ArrowException, OSError):  # the reading tells what is wrong
        return {}
    found = [column.filter(pyarrow.compute.match_substring_regex(column, _HEXADECIMAL)) for column in table.columns]
    return {name: column[0].as_py() for name, column in zip(names, found) if len(column) > 0}


def _refusals(dataset: Any, found: dict[str, dict[str, str]]) -> list[str]:
    """Why a fit is refused: columns of numbers in one file that have hexadecimal texts in another one. found: of `_hexadecimal_in`, by the file."""
    import pyarrow

    first = {name: (file, text) for file, texts in reversed(list(found.items())) for name, text in texts.items()}
    refusals = []
    for fragment in dataset.get_fragments() if first else ():
        here = next((texts for file, texts in found.items() if os.path.abspath(file) == os.path.abspath(fragment.path)), {})
        for field in fragment.physical_schema:
            if field.name in first and field.name not in here and (pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)):
                file, text = first[field.name]
                refusals.append(
                    f"column {field.name!r}: {text!r} in {file!r} is a text, but {fragment.path!r} holds numbers there; write all of them to the base 10, or"
                    f" read the files with pandas.read_csv(..., dtype={{{field.name!r}: str}}), and give the DataFrame as X"
                )
    return refusals


def dataset_of(
    files: Sequence[str],
    all_files: Sequence[str],
    forms: dict[str, dict[str, Any]],
    texts: Optional[Collection[str]],
) -> tuple[Any, list[str]]:
    """Files of CSV that may be written in different ways, and why a fit to them is refused.
    forms: of `forms_of`. texts: columns that are read as texts; None: of a fit, for which dates and
    times are texts, as the library reads them."""
    found = {file: _hexadecimal_in(file, forms.get(file)) for file in all_files}
    known = texts or ()
    others = {name for names in found.values() for name in names if name not in known}
    refusals = _refusals(_dataset_of(files, forms, known), found) if others else []
    dataset = _dataset_of(files, forms, {*known, *others})
    times = _times_in(dataset) if texts is None else set()
    return _dataset_of(files, forms, {*others, *times}) if times else dataset, refusals


def _times_in(dataset: Any) -> set[str]:
    """The columns in which Arrow reads dates or times in a file."""
    import pyarrow

    fields = [field for fragment in dataset.get_fragments() for field in fragment.physical_schema]
    return {field.name for field in fields if pyarrow.types.is_temporal(field.type)}


def _dataset_of(files: Sequence[str], forms: dict[str, dict[str, Any]], texts: Collection[str]) -> Any:
    import pyarrow.csv
    import pyarrow.dataset
    import pyarrow.fs

    if not forms:
        plain = pyarrow.dataset.CsvFileFormat(convert_options=_conversion(texts))
        return pyarrow.dataset.dataset(list(files) if len(files) > 1 else files[0], format=plain)
    fragments = []
    for file, form in forms.items():
        read = pyarrow.csv.ReadOptions(skip_rows=int(form["lines_before"]), column_names=form["names"])
        parse = pyarrow.csv.ParseOptions(delimiter=form["delimiter"], newlines_in_values=False)
        convert = _conversion(texts, form["decimal"], form["missing_markers"])
        format_ = pyarrow.dataset.CsvFileFormat(parse, convert_options=convert, read_options=read)
        fragments.append(format_.make_fragment(os.path.abspath(file), pyarrow.fs.LocalFileSystem()))
    left_out = left_out_of(next(iter(forms.values())))
    schema = fragments[0].physical_schema
    for name in left_out:
        schema = schema.remove(schema.get_field_index(name))
    return pyarrow.dataset.FileSystemDataset(fragments, schema, format_, pyarrow.fs.LocalFileSystem())


def with_gaps(piece: Any, markers: Sequence[str], texts: Optional[Collection[str]] = None) -> Any:
    """The piece of CSV without texts that mean a missing value, in these columns, or in all."""
    import pyarrow
    import pyarrow.compute

    gaps = pyarrow.array([*_GAPS, *markers], pyarrow.string())
    for number, field in enumerate(piece.schema):
        if pyarrow.types.is_string(field.type) and (texts is None or field.name in texts):
            column = piece.column(number)
            is_gap = pyarrow.compute.is_in(pyarrow.compute.utf8_trim_whitespace(column), value_set=gaps)
            if pyarrow.compute.any(is_gap).as_py():
                piece = piece.set_column(number, field, pyarrow.compute.if_else(is_gap, pyarrow.scalar(None, pyarrow.string()), column))
    return piece


def left_out_of(form: dict[str, Any]) -> dict[str, bool]:
    """The names of fields that are no columns, and whether they must be empty."""
    names = form["names"]
    out = {names[int(field)]: True for field in form["blank"]}
    return {names[0]: False, **out} if form["row_names"] else out


def without(piece: Any, left_out: dict[str, bool], file: str) -> Any:
    """The piece without fields that are no columns."""
    for name, is_blank in left_out.items():
        at = piece.schema.get_field_index(name)
        if at < 0:
            continue
        column = piece.column(at)
        texts = {str(value) for value in column.unique().to_pylist() if value is not None and str(value).strip()} if is_blank else set()
        if texts:
            raise ValueError(f"the file {file!r} has the value {min(texts)!r} in a field that has no name in the header, and is empty in the rows before; give it a name")
        piece = piece.drop_columns([name])
    return piece
