"""Tables in several files: what is wrong is told with its file, and nothing is read as something else."""

import decimal
import os
import re
import shutil
import threading
import time

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, KernelClassifier, _files, _pieces

pandas = pytest.importorskip("pandas")
arrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
import pyarrow.dataset  # noqa: E402

FILES, ROWS = 3, 9000  # a piece has at most 8192


def table(with_text=False, seed=0):
    rng = np.random.default_rng(seed)
    rows = pandas.DataFrame(rng.normal(size=(FILES * ROWS, 3)), columns=["a", "b", "c"])
    if with_text:
        rows["city"] = rng.choice(["Ulm", "Bern", "Köln"], len(rows))
    rows["price"] = rows.a + rng.normal(size=len(rows))
    rows["click"] = np.where(rng.random(len(rows)) < 1 / (1 + np.exp(-rows.a)), "yes", "no")
    return rows


def parts_of(rows):
    return [rows[first : first + ROWS].reset_index(drop=True) for first in range(0, len(rows), ROWS)]


def few(parts):
    """Where neither the number of rows nor that of pieces matters."""
    return [part[:600] for part in parts]


def written(parts, folder, ending=".parquet"):
    """The names of the files, in their order."""
    folder.mkdir(exist_ok=True)
    names = [str(folder / f"part-{number}{ending}") for number in range(len(parts))]
    for name, part in zip(names, parts):
        part.to_parquet(name) if ending == ".parquet" else part.to_csv(name, index=False)
    return names


def linear(source):
    return BayesianLinearRegression("shared").fit(source, y="price")


def logistic(source):
    return BayesianLogisticRegression("shared").fit(source, y="click")


def kernel(source):
    return KernelClassifier(centres=5).fit(source, y="click")


WAYS = {"linear": (linear, "click"), "logistic": (logistic, "price"), "passes": (logistic, "price"), "kernel": (kernel, "price"), "datasets": (linear, "click")}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """A fit of a folder, and the column that is none of its columns."""
    if request.param in ("passes", "kernel"):
        monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    fit, unused = WAYS[request.param]
    if request.param == "datasets":
        return lambda path: linear(pyarrow.dataset.dataset(path, format="csv" if list(path.glob("*.csv")) else "parquet")), unused
    return fit, unused


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("with_text", [False, True])
@pytest.mark.parametrize("row", [0, 8500])
def test_a_gap_is_named_by_its_file_and_its_row_there(tmp_path, way, ending, with_text, row):
    fit, unused = way
    parts = parts_of(table(with_text).drop(columns=unused))
    parts[2].loc[row, "b"] = np.nan
    parts[:2] = few(parts[:2])
    names = written(parts, tmp_path / "t", ending)
    with pytest.raises(ValueError, match=rf"row {row + 1} of {re.escape(repr(names[2]))}.*'b'"):
        fit(tmp_path / "t")


def test_a_gap_of_rows_to_predict_is_named_by_its_file(tmp_path):
    for with_text in (False, True):
        rows = table(with_text).drop(columns="click")
        model, parts = BayesianLinearRegression("shared").fit(rows.head(500), y="price"), parts_of(rows)
        parts[1].loc[8499, "c"] = np.nan
        names = written(parts, tmp_path / "t")
        for read in (lambda: list(model.predict_batches(tmp_path / "t")), lambda: model.predict_to(tmp_path / "t", tmp_path / "p.csv", return_std=True)):
            with pytest.raises(ValueError, match=rf"row 8500 of {re.escape(repr(names[1]))}.*'c'"):
                read()
    assert not (tmp_path / "p.csv").exists()


def test_files_of_a_path_are_named_as_the_path_names_them(tmp_path, monkeypatch):
    parts = parts_of(table().drop(columns="click"))
    parts[1].loc[7, "b"] = np.nan
    written(parts, tmp_path / "t")
    monkeypatch.chdir(tmp_path)
    for path in ("t", "t/", "t/*.parquet"):
        with pytest.raises(ValueError, match=r"row 8 of 't/part-1.parquet'"):
            linear(path)
    with pytest.raises(ValueError, match="^row 8 has the value nan"):  # there is only one file
        linear("t/part-1.parquet")


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("with_text", [False, True])
def test_a_column_that_a_file_lacks_is_named(tmp_path, way, ending, with_text):
    fit, unused = way
    parts = few(parts_of(table(with_text).drop(columns=unused)))
    parts[1] = parts[1].drop(columns="b")
    names = written(parts, tmp_path / "t", ending)
    with pytest.raises(ValueError, match=rf"{re.escape(repr(names[1]))}.*column 'b', which earlier rows have"):
        fit(tmp_path / "t")


def test_a_column_that_only_a_later_file_has_is_named(tmp_path, way):
    fit, unused = way
    parts = few(parts_of(table().drop(columns=unused)))
    parts[2] = parts[2].assign(z=1.0)
    names = written(parts, tmp_path / "t")
    if fit in (linear, logistic, kernel):
        with pytest.raises(ValueError, match=rf"{re.escape(repr(names[2]))}.*column 'z', which earlier rows do not have"):
            fit(tmp_path / "t")
    else:
        fit(tmp_path / "t")  # the schema of a dataset says which columns there are


@pytest.mark.parametrize("with_text", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_texts_are_no_numbers_in_another_file(tmp_path, way, with_text, first):
    """As in memory: pandas.concat gives a column of both, which is refused."""
    fit, unused = way
    parts = few(parts_of(table(with_text).drop(columns=unused)))
    changed = [0] if first else [1, 2]
    for number in changed:
        parts[number]["b"] = parts[number]["b"].round(1).astype(str)
    names = written(parts, tmp_path / "t")
    with pytest.raises(ValueError, match=rf"{re.escape(repr(names[1]))}.*'b'.*texts"):
        fit(tmp_path / "t")
    with pytest.raises(ValueError, match="'b' holds both texts .* and numbers"):
        linear(pandas.concat(parts).drop(columns="click", errors="ignore").assign(price=1.0))


def test_numbers_of_other_types_are_the_same_numbers(tmp_path, way):
    fit, unused = way
    parts = few(parts_of(table().drop(columns=unused).assign(b=lambda rows: (10 * rows.b).round())))
    same = fit_of(fit, parts, tmp_path / "same")
    for number, types in enumerate([("float32", "int8", "float64"), ("int16", "float32", "int64"), ("int64", "int32", "float64")]):
        other = [part.assign(b=part.b.astype(type_)) for part, type_ in zip(parts, types)]
        assert np.array_equal(fit_of(fit, other, tmp_path / f"{number}"), same)


def test_decimals_are_numbers(tmp_path, way):
    """In some files or in all, with more or fewer digits in one than in another."""
    fit, unused = way
    parts = few(parts_of(table().drop(columns=unused).assign(b=lambda rows: (4 * rows.b).round() / 4)))
    same = fit_of(fit, parts, tmp_path / "same")
    for number, types in enumerate([(None, (10, 3), None), ((12, 2), (10, 4), (30, 2)), ((8, 2), None, (8, 2))]):
        other = [part if type_ is None else part.assign(b=decimals(part.b, *type_)) for part, type_ in zip(parts, types)]
        assert np.array_equal(fit_of(fit, other, tmp_path / f"{number}"), same)
    if fit in (linear, logistic):
        objects = parts[1].assign(b=[decimal.Decimal(f"{value:.2f}") for value in parts[1].b])
        np.testing.assert_array_equal(fit(lambda: iter([parts[0], objects, other[2]])).coef_, same)


def decimals(values, precision, scale):
    return pandas.array(arrow.array(values).cast(arrow.decimal128(precision, scale)), dtype=pandas.ArrowDtype(arrow.decimal128(precision, scale)))


def fit_of(fit, parts, folder):
    written(parts, folder)
    model = fit(folder)
    return model.predict(parts[0][["a", "b", "c"]]) if not hasattr(model, "coef_") else model.coef_


def test_a_text_among_the_numbers_of_csv_is_told_with_its_row(tmp_path, way):
    fit, unused = way
    parts = parts_of(table().drop(columns=unused))
    parts[1]["b"] = parts[1]["b"].astype(object)
    parts[1].loc[parts[1].index[998], "b"] = "abc"
    names = written(parts, tmp_path / "t", ".csv")
    of_dataset = f"{re.escape(names[1])}': the column 'b' has the value 'abc' at row 999, which does not fit .* null_values"
    with pytest.raises(ValueError, match=f"row 999 .line 1000. of '{re.escape(names[1])}', column 'b': 'abc' is not a number; .* missing_marker=.'abc'.|{of_dataset}"):
        fit(tmp_path / "t")
    many = pandas.concat([parts[0]] * 3 + [parts[1]], ignore_index=True)  # after the rows that show the form of the file
    many.to_csv(names[1], index=False)
    at = int(np.flatnonzero(many.b == "abc")[0]) + 1
    with pytest.raises(ValueError, match=f"{re.escape(names[1])}'(: the|, ).*column 'b'.* 'abc'.*{at}.*(null_values|missing_marker)"):
        fit(tmp_path / "t")


def test_a_csv_column_of_texts_may_look_like_numbers_in_another_file(tmp_path, way):
    fit, unused = way
    parts = few(parts_of(table(True).drop(columns=unused)))
    parts[1]["city"] = "17"
    written(parts, tmp_path / "t", ".csv")
    together = fit(tmp_path / "t")
    assert "city" in together.feature_names_in_
    whole = pandas.concat(parts, ignore_index=True)
    expected = fit(lambda: iter([whole])) if fit in (logistic, kernel) else linear(whole)
    probe = whole[::100].drop(columns=["price", "click"], errors="ignore")
    np.testing.assert_allclose(*(getattr(model, "predict_proba", model.predict)(probe) for model in (together, expected)), rtol=1e-6)


@pytest.mark.parametrize("way", [name for name in WAYS if name != "datasets"], indirect=True)  # a dataset has its own format
def test_what_is_no_table_of_the_same_format_is_named(tmp_path, way):
    fit, unused = way
    parts = few(parts_of(table().drop(columns=unused)))
    fitted = set()
    for ending, other, words in (
        (".csv", "README.txt", "of different formats: '{first}' is CSV, and '{other}' is not; give a pattern .*[*].csv'"),
        (".csv", "z.parquet", "of different formats: '{first}' is CSV, and '{other}' is not; give a pattern .*[*].csv'"),
        (".parquet", "z.csv", "of different formats: '{other}' is CSV, and '{first}' is not; give a pattern"),
        (".parquet", "README.txt", "X is '{path}' with the file '{other}', which cannot be read as Parquet; a path is a file"),
        (".csv", "z.csv", "the file '{other}' is empty: a table has a header row .*; remove the file"),
        (".parquet", "z.parquet", "the file '{other}' is empty"),
        (".csv", "a.csv", "the file '{other}' is empty"),
        (".parquet", "a.parquet", "the file '{other}' is empty"),
    ):
        shutil.rmtree(tmp_path / "t", ignore_errors=True)
        names, other = written(parts, tmp_path / "t", ending), tmp_path / "t" / other
        other.write_text("" if other.suffix == ending else "hello\n")
        for path in (str(tmp_path / "t"), f"{tmp_path}/t/", f"{tmp_path}/t/*"):
            with pytest.raises(ValueError, match=words.format(first=names[0], other=other, path=re.escape(path))):
                fit(path)
        other.unlink()
        if ending not in fitted:  # without it, the folder is a table
            fit(tmp_path / "t")
            fitted.add(ending)


def cut(name):
    data = open(name, "rb").read()
    with open(name, "wb") as file:
        file.write(data[: len(data) // 2])


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_a_file_that_is_cut_is_named(tmp_path, way, ending):
    fit, unused = way
    names = written(parts_of(table().drop(columns=unused)), tmp_path / "t", ending)
    cut(names[1])
    if ending == ".csv":
        with open(names[1], "a") as file:
            file.write("\n1,2,3,4,5,6,7\n")
    with pytest.raises(ValueError, match=rf"the file {re.escape(repr(names[1]))} cannot be read as (Parquet|CSV): .*write it again, or leave it out") as raised:
        fit(tmp_path / "t")
    assert isinstance(raised.value.__cause__, (arrow.ArrowException, OSError))


def later(change):
    """A callback that changes the files once, in the second pass."""
    done = []

    def tell(progress):
        if "pass 2" in progress.text and not done:
            done.append(1)
            change()

    return tell


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda names, parts: os.remove(names[2]), "the file {2} was there when the fit began, and is gone; files must stay as they are"),
        (lambda names, parts: shutil.copy(names[2], names[2].replace("part-2", "part-3")), "the file '.*part-3.parquet' was not there when the fit began; files must stay"),
        (lambda names, parts: cut(names[2]), "the file {2} cannot be read as Parquet: .* must not change while it is read"),
        (lambda names, parts: parts[2].assign(b=parts[2].b + 1).to_parquet(names[2]), "the rows have changed between two passes over them: a value differs"),
        (lambda names, parts: parts[2].drop(columns="b").to_parquet(names[2]), "in {2}: .* no column 'b', which earlier rows have"),
        (lambda names, parts: parts[2].assign(b="high").to_parquet(names[2]), "in {2}: column 'b' holds texts, but numbers in earlier rows"),
        (lambda names, parts: parts[2].assign(click="maybe").to_parquet(names[2]), "y at row 1 of {2} is the label 'maybe', which earlier rows do not have; the rows have changed"),
    ],
)
def test_files_that_change_between_passes_are_named(tmp_path, monkeypatch, change, message):
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    parts = parts_of(table().drop(columns="price"))
    names = written(parts, tmp_path / "t")
    message = message.replace("{2}", re.escape(repr(names[2])))
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        BayesianLogisticRegression("shared", callback=later(lambda: change(names, parts))).fit(tmp_path / "t", y="click")


def test_a_level_that_first_comes_in_a_later_pass_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    parts = parts_of(table(True).drop(columns="price"))
    names = written(parts, tmp_path / "t")

    def change():
        parts[1].loc[8499, "city"] = "Zug"
        parts[1].to_parquet(names[1])

    with pytest.raises(ValueError, match=rf"row 8500 of {re.escape(repr(names[1]))}, column 'city': .*'Zug'.*; the rows have changed since they were read before"):
        BayesianLogisticRegression("shared", callback=later(change)).fit(tmp_path / "t", y="click")


def test_a_reading_that_is_given_up_does_not_wait_for_its_thread():
    """The garbage collector may end it in a thread that holds what the other one needs."""
    may_go_on = threading.Event()

    def pieces():
        yield "first"
        may_go_on.wait(20)
        yield "second"

    reading = _files.ahead(pieces())
    assert next(reading) == "first"
    started = time.monotonic()
    reading.close()
    assert time.monotonic() - started < 10
    may_go_on.set()


def test_a_gap_that_first_comes_in_a_later_pass_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    parts = parts_of(table(True).drop(columns="price"))
    names = written(parts, tmp_path / "t")

    def change():
        parts[1].loc[8499, "b"] = np.nan
        parts[1].to_parquet(names[1])

    with pytest.raises(ValueError, match=rf"row 8500 of {re.escape(repr(names[1]))}, column 'b': the value is missing; the rows have changed since they were read before"):
        BayesianLogisticRegression("shared", callback=later(change)).fit(tmp_path / "t", y="click")
