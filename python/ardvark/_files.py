"""Files of Parquet, CSV and Arrow: which ones a path means, and their rows in batches."""

from __future__ import annotations

import glob
import os
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator, Mapping, Optional, Sequence

import numpy as np

from ._csv_forms import CsvFiles, dataset_of, forms_of, left_out_of
from ._csv_forms import without as without_fields
from ._given import plain_columns, row_labels

ROWS = 8192  # of a piece at most; the result does not depend on it
_BYTES = 4 << 20  # of a piece as numbers, about
_BYTES_OF_A_GROUP = 48 << 20  # of rows in a file of Parquet, if it is read by columns
_BUFFER = 65536  # bytes of each column of a file of Parquet
_FORMATS = {".csv": "csv", ".arrow": "ipc", ".feather": "ipc"}  # of Arrow, by the ending of a file
_NAMES = {"csv": "CSV", "ipc": "Arrow", "parquet": "Parquet"}
AS_THEY_ARE = "files must stay as they are until the fit has ended"

__all__ = ["AS_THEY_ARE", "ROWS", "ahead", "dataset_at", "files_at", "pieces_of_dataset"]


def files_at(path: str) -> list[str]:
    """The path of a file or folder, or the files that a pattern matches, in the order of their names."""
    if os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path)) if glob.has_magic(path) else []
    if not found:
        raise FileNotFoundError(f"X is {path!r}, {'a pattern that no file matches' if glob.has_magic(path) else 'which does not exist'}; check the path and the current folder")
    return found


def _files_in(path: str) -> list[str]:
    """The files in a folder, and in its folders. Arrow skips names that begin with a point or an underscore."""
    found = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    return [file for file in found if not any(part.startswith((".", "_")) for part in os.path.relpath(file, path).split(os.sep))]


def _format_of(file: str) -> str:
    """By the ending of its name."""
    name = file.lower().removesuffix(".gz").removesuffix(".zst")
    return _FORMATS.get(os.path.splitext(name)[1], "parquet")


def _format_of_all(path: str, files: Sequence[str]) -> str:
    first = {_format_of(file): file for file in reversed(files)}
    if len(first) == 1:
        return next(iter(first))
    one, other = sorted(first.values(), key=lambda file: (_format_of(file) == "parquet", files.index(file)))[:2]
    pattern = os.path.join(os.path.dirname(one), "*" + os.path.splitext(one)[1])
    raise ValueError(
        f"X is {path!r}, with files of different formats: {one!r} is {_NAMES[_format_of(one)]}, and {other!r} is not; give a pattern that only files of"
        f" one format match, such as {pattern!r}"
    )


def dataset_at(path: str, given: Optional[CsvFiles], texts: Optional[Mapping[str, Sequence[str]]]) -> tuple[Any, list[str], dict[str, dict[str, Any]]]:
    """A file, a folder or a pattern: of Parquet, or as the endings say. Also, of files of CSV, why a fit is refused, and their forms, by their paths, if one
    of them is not plain."""
    arrow = _arrow()
    files = files_at(path)
    all_files = [file for one in files for file in (sorted(_files_in(one)) if os.path.isdir(one) else [one])]
    if not all_files:
        raise FileNotFoundError(f"X is {path!r}, a folder without files; it must have files of Parquet, CSV or Arrow")
    format_ = _format_of_all(path, all_files) if given is None else "csv"
    forms = forms_of(all_files, given, texts or {}) if format_ == "csv" else {}
    try:
        if format_ == "csv":
            return (*dataset_of(files, all_files, forms, texts), forms)
        return arrow.dataset.dataset(files if len(files) > 1 else files[0], format=format_), [], {}
    except (arrow.ArrowException, OSError) as error:
        for file in all_files:  # which one it is
            try:
                arrow.dataset.dataset(file, format=format_)
            except (arrow.ArrowException, OSError) as of_file:
                raise _unreadable(file, format_, of_file, path) from of_file
        raise ValueError(f"X is {path!r}, which cannot be read as {_NAMES[format_]}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """What Arrow says, without the name of the file and what it may quote of binary files."""
    text = next(iter(str(error).splitlines()), "") or type(error).__name__
    text = re.split(r"': (?:Invalid: )?", text, maxsplit=1)[-1]
    return "".join(character if character.isprintable() and character != "\ufffd" else "?" for character in text[:150])


def _unreadable(file: str, format_: str, error: Exception, path: Optional[str] = None) -> Exception:
    """What to say of a file that Arrow cannot read. path: X, if it is known."""
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(f"the file {file!r} was there when the fit began, and is gone; {AS_THEY_ARE}")
    if os.path.isfile(file) and os.path.getsize(file) == 0:
        return ValueError(f"the file {file!r} is empty: a table has a header row and at least one data row; remove the file, or write it again")
    if isinstance(error, PermissionError):
        return PermissionError(f"the file {file!r} cannot be opened: you may not read it; change its permissions, or leave it out")
    if format_ == "parquet" and os.path.splitext(file)[1].lower() not in ("", ".parquet", ".pq", *_FORMATS, ".gz", ".zst"):
        given = repr(file) if path is None or path == file else f"{path!r} with the file {file!r}"
        return ValueError(
            f"X is {given}, which cannot be read as Parquet; a path is a file, a folder or a pattern of files of Parquet, or of files that end with .csv, .arrow or .feather"
            f" (CSV with another ending: give ardvark.CsvFiles(path) as X; anything else: pyarrow.dataset.dataset): {_reason(error)}"
        )
    return ValueError(
        f"the file {file!r} cannot be read as {_NAMES.get(format_, format_)}: {_reason(error)}; it must be complete, and must not change while it is read:"
        " write it again, or leave it out"
    )


def _refusal_of_value(file: str, names: Sequence[str], error: Exception) -> Optional[ValueError]:
    """A column of CSV has the type that the first rows show, and what does not fit it is told with its name."""
    found = re.search(r"CSV column #(\d+):(?: Row #(\d+):)?.*error to ([\w\[\]]+): invalid value (.*)", str(error))  # of Arrow
    if found is None:
        return None
    row = "" if found[2] is None else f" at row {int(found[2]) - 1}"  # Arrow counts the header
    return ValueError(
        f"X is {file!r}: the column {names[int(found[1])]!r} has the value {found[4]}{row}, which does not fit the type {found[3]} of the first rows; correct it, or give the types of columns"
        " to pyarrow.dataset.dataset (its CsvFileFormat has column_types, and null_values if it means a missing value), and that dataset as X"
    )


def pieces_of_dataset(
    dataset: Any, path: Optional[str], files: list[tuple[int, str]], labels: set[str], forms: dict[str, dict[str, Any]]
) -> Iterator[Any]:
    """Batches of a dataset of Arrow."""
    arrow = _arrow()
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # a dataset that leaves out rows has none
        yield from dataset.to_batches(batch_size=ROWS, batch_readahead=2, fragment_readahead=1)
        return
    rows = 0
    for fragment in fragments:
        file, format_ = getattr(fragment, "path", None), getattr(getattr(fragment, "format", None), "default_extname", "")
        if file is None:
            yield from fragment.to_batches(schema=dataset.schema, batch_size=ROWS, batch_readahead=2)
            continue
        name = os.path.relpath(file) if path is not None and not os.path.isabs(path) else file
        files.append((rows, name))
        left_out = left_out_of(forms[file]) if file in forms else {}
        try:
            labels.update(row_labels(fragment.physical_schema))
            for batch in _batches_of(fragment, dataset.schema, format_ == "csv", path is not None):
                rows += batch.num_rows
                yield without_fields(batch, left_out, name)
        except (arrow.ArrowException, OSError) as error:
            raise _refusal_of_value(name, dataset.schema.names, error) or _unreadable(name, format_, error) from error


def _batches_of(fragment: Any, known: Any, is_csv: bool, all_columns: bool) -> Iterator[Any]:
    """Batches of a file. The reader of a dataset would hold whole row groups, and run ahead by whole files."""
    arrow = _arrow()
    schema = _columns_in(fragment, known, is_csv, all_columns)
    size = max(1024, min(ROWS, _BYTES // (8 * max(len(schema), 1))))
    is_whole_file = (
        isinstance(fragment, arrow.dataset.ParquetFileFragment)
        and fragment.physical_schema.equals(schema)
        and fragment.partition_expression.equals(arrow.dataset.scalar(True))
        and fragment.num_row_groups == fragment.metadata.num_row_groups
    )
    if not is_whole_file:
        yield from fragment.to_batches(schema=schema, batch_size=size, batch_readahead=2)
        return
    with fragment.open() as file:
        yield from _batches_of_parquet(arrow.parquet.ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER), size)


def _batches_of_parquet(file: Any, size: int) -> Iterator[Any]:
    """Batches of a file of Parquet. Of a group of rows that is not large, one column is read after the other: what is needed to decode a column,
    often more than its numbers, is not held for all of them."""
    names, facts = file.schema_arrow.names, file.metadata
    is_flat = facts.num_columns == len(set(names)) == len(names)
    for number in range(file.num_row_groups):
        count = facts.row_group(number).num_rows
        if not is_flat or 8 * count * len(names) > _BYTES_OF_A_GROUP:
            for turn, batch in enumerate(file.iter_batches(size, row_groups=[number], use_threads=False)):
                yield batch
                del batch
                if turn % 8 == 7:
                    _arrow().default_memory_pool().release_unused()
            continue
        columns = [plain_columns(file.read_row_group(number, columns=[name], use_threads=False)).column(0).combine_chunks() for name in names]
        group = _arrow().RecordBatch.from_arrays(columns, names)
        del columns
        _arrow().default_memory_pool().release_unused()
        for first in range(0, count, size):
            batch = group.slice(first, size)
            if first + size >= count:  # a copy, so that the group is gone before the next one is read
                batch, group = batch.take(_arrow().array(np.arange(batch.num_rows))), None
            yield batch
            del batch


def _columns_in(fragment: Any, known: Any, is_csv: bool, all_columns: bool) -> Any:
    """The columns that a file has, with their types: those of the first file, unless one has texts and the other numbers. Arrow itself would
    make numbers of texts, and no value of a column that is not there."""
    arrow = _arrow()
    own = fragment.physical_schema
    keys = arrow.dataset.get_partition_keys(fragment.partition_expression)
    fields = [known.field(name) for name in known.names if name in keys]
    for field in own:
        at = known.get_field_index(field.name)
        if at >= 0:
            fields.append(field.with_type(_type_of(known.field(at).type, field.type, is_csv)))
        elif all_columns or known.names.count(field.name) > 1:
            fields.append(field)
    place = {name: number for number, name in enumerate(known.names)}
    return arrow.schema(sorted(fields, key=lambda field: place.get(field.name, len(place))))


def _type_of(known: Any, here: Any, is_csv: bool) -> Any:
    """The type in which a column of a file is read, of which the first file has another one."""
    types = _arrow().types
    if known.equals(here) or types.is_null(here):
        return known
    if types.is_integer(known) and types.is_integer(here):
        return _arrow().int64()
    if all(types.is_integer(one) or types.is_floating(one) for one in (known, here)):
        return _arrow().float64()
    if is_csv and not types.is_null(known):  # a file of CSV has no types of its own; Arrow names the row of a value that does not fit
        return known
    return known if known.id == here.id and not types.is_decimal(here) else here


def ahead(pieces: Iterator[Any]) -> Iterator[Any]:
    """The same pieces. The next one is read while the caller works on the last one."""
    reader = ThreadPoolExecutor(1)
    try:
        coming = reader.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = reader.submit(next, pieces, None)
            yield piece
            del piece  # or it would be there beside the next two
    finally:
        # After an error the garbage collector may end this, in any thread and at any place: one that waits for another thread could wait for itself.
        reader.shutdown(wait=False)


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.dataset
        import pyarrow.ipc
        import pyarrow.parquet
        import pyarrow.types
    except ImportError:
        raise ImportError("a stream of Arrow or Parquet needs pyarrow: pip install pyarrow") from None
    return pyarrow
