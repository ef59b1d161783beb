"""Files of CSV that other programs have written: how each is written, and a dataset of Arrow that reads it so."""

from __future__ import annotations

import os
import re
from typing import Any, Sequence

from . import _core

__all__ = ["dataset_of", "forms_of", "left_out_of", "of_python", "without"]


def forms_of(files: Sequence[str]) -> dict[str, dict[str, Any]]:
    """How files of CSV are written. Empty: as Arrow expects them."""
    forms = {}
    for file in files:
        if not os.path.isfile(file) or os.path.getsize(file) == 0 or not os.access(file, os.R_OK):
            return {}  # Arrow says what is wrong
        try:
            forms[file] = _core.csv_form(file)
        except ValueError as error:
            raise ValueError(of_python(str(error))) from None
    with_rows = [form for form in forms.values() if form["lines_before"] > 0]
    is_plain = all(form["delimiter"] == "," and form["decimal"] == "." and form["lines_before"] == 1 and not len(form["blank"]) and not form["row_names"] for form in with_rows)
    return {} if is_plain else {file: form for file, form in forms.items() if form["lines_before"] > 0}


def of_python(text: str) -> str:
    """A message or note about a file, without the options of the command line."""
    text = re.sub(r": --ignore '[^']*'| \(to read the column as text: [^)]*\)| \(--de\w+\)", "", text)
    text = text.replace("or read such numbers with --decimal ,", "or give decimal_point=',' (ConvertOptions of pyarrow.csv)")
    return re.sub(r"use (--missing-marker for each of them|(?:--missing-marker='[^']*'(?: (?=--missing-marker))?)+)(?: and --missing drop or impute)?", _with_null_values, text)


def _with_null_values(found: Any) -> str:
    markers = ", ".join(["''", *re.findall(r"--missing-marker=('[^']*')", found[1])])
    return (
        f"give null_values=[{markers}] to ConvertOptions of pyarrow.csv, and pyarrow.dataset.dataset(path, format=pyarrow.dataset.CsvFileFormat("
        "convert_options=...)) as X, or read the table with pandas (na_values)"
    )


def dataset_of(forms: dict[str, dict[str, Any]]) -> Any:
    """Files of CSV that may be written in different ways."""
    import pyarrow.csv
    import pyarrow.dataset
    import pyarrow.fs

    fragments = []
    for file, form in forms.items():
        read = pyarrow.csv.ReadOptions(skip_rows=int(form["lines_before"]), column_names=form["names"])
        parse = pyarrow.csv.ParseOptions(delimiter=form["delimiter"], newlines_in_values=False)
        convert = pyarrow.csv.ConvertOptions(decimal_point=form["decimal"])
        format_ = pyarrow.dataset.CsvFileFormat(parse, convert_options=convert, read_options=read)
        fragments.append(format_.make_fragment(os.path.abspath(file), pyarrow.fs.LocalFileSystem()))
    left_out = left_out_of(next(iter(forms.values())))
    schema = fragments[0].physical_schema
    for name in left_out:
        schema = schema.remove(schema.get_field_index(name))
    return pyarrow.dataset.FileSystemDataset(fragments, schema, format_, pyarrow.fs.LocalFileSystem())


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
