"""Kernel machines whose table is read in pieces, several times."""

import pickle

import numpy as np
import pandas as pd
import pytest

from ardvark import KernelClassifier, KernelRegressor, _pieces, load
from small_sample import use_sample

SAMPLE = 4000
ROWS = 9000  # more than twice the sample


@pytest.fixture(autouse=True)
def passes(monkeypatch):
    """Small tables are read in passes, too, and keep a sample of 4000 rows in place of 20,000."""
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    use_sample(monkeypatch, SAMPLE)


def table(seed=0, with_text=False, n=ROWS):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(rng.normal(size=(n, 3)) * [1, 10, 1], columns=["age", "rent", "size"])
    city = rng.choice(["Ulm", "Bern", "Köln"], n)
    f = np.sin(2 * rows["age"]) + 0.005 * rows["rent"] ** 2 + (city == "Ulm")
    if with_text:
        rows["city"] = city
        rows["city"] = rows["city"].where(rows.index > 3000, "Bern")  # the others come later
    rows["price"] = f + 0.3 * rng.normal(size=n)
    rows["click"] = np.where(rng.random(n) < 1 / (1 + np.exp(1 - 2 * f)), "yes", "no")
    rows["weight"] = rng.integers(1, 4, n).astype(float)
    return rows


def pieces_of(rows, size=2000):
    return [rows.iloc[first : first + size] for first in range(0, len(rows), size)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # the search in the sample may end a little early
@pytest.mark.parametrize(("with_text", "sample", "n"), [(False, 20_000, 42_000), (True, SAMPLE, ROWS)])
def test_a_regression_predicts_as_in_memory(with_text, sample, n, monkeypatch):
    use_sample(monkeypatch, sample)
    rows = table(with_text=with_text, n=n).drop(columns="click")
    model = KernelRegressor("gaussian", width="each", centres=30).fit(lambda: pieces_of(rows), y="price", sample_weight="weight")
    X = rows.drop(columns=["price", "weight"])
    some = slice(0, 2 * sample)  # with more than 40,000 rows, a table in memory goes by passes, too
    memory = KernelRegressor("gaussian", width="each", centres=30).fit(X[some], rows["price"][some], rows["weight"][some])
    assert memory.status_ == "converged" and not any("the rows were read" in note for note in memory.notes_)
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    assert model.score(X, rows["price"], rows["weight"]) > memory.score(X, rows["price"], rows["weight"]) - 0.003
    assert model.predict(X, return_std=True)[1].mean() < 1.05 * memory.predict(X, return_std=True)[1].mean()
    assert any(f"are of a sample of {sample} of {n} rows" in note for note in model.notes_)
    if not with_text:
        np.testing.assert_array_equal(model.relevance_vectors_, X.to_numpy()[model.support_])


@pytest.mark.parametrize("with_text", [False, True])
def test_classes_are_predicted_as_in_memory(with_text, tmp_path):
    rows = table(with_text=with_text).drop(columns=["price", "weight"])
    model = KernelClassifier("gaussian", width="each", centres=30).fit(iter(pieces_of(rows)), y="click")
    X = rows.drop(columns="click")
    memory = KernelClassifier("gaussian", width="each", centres=30).fit(X, rows["click"])
    assert not any("the rows were read" in note for note in memory.notes_)
    assert model.classes_.tolist() == ["no", "yes"]
    yes = (rows["click"] == "yes").to_numpy()
    loss, expected = (-np.mean(np.log(fit.predict_proba(X)[np.arange(ROWS), yes.astype(int)])) for fit in (model, memory))
    assert loss < expected + 0.002
    assert model.score(X, rows["click"]) > memory.score(X, rows["click"]) - 0.005
    assert any("temporary file" in note for note in model.notes_)
    model._model.save(tmp_path / "model.ardvark")
    for other in (load(tmp_path / "model.ardvark"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X[:50]), model.predict_proba(X[:50]))


def test_sources_of_all_kinds_give_the_same_bits(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    rows = table()[["age", "size", "price"]]
    for number, piece in enumerate(pieces_of(rows, 2500)):
        arrow.parquet.write_table(arrow.Table.from_pandas(piece, preserve_index=False), tmp_path / f"part-{number}.parquet")
    whole = arrow.Table.from_pandas(rows, preserve_index=False)
    sources = [lambda: pieces_of(rows), lambda: pieces_of(rows, 999), tmp_path, whole.to_reader(max_chunksize=1111)]
    fits = [KernelRegressor("cauchy", width=1.0, centres=15).fit(source, y="price") for source in sources]
    for fit in fits:
        assert fit.predict(rows[["age", "size"]][:100]).tolist() == fits[0].predict(rows[["age", "size"]][:100]).tolist()


def test_a_small_table_is_fitted_in_memory():
    rows = table().head(300)[["age", "rent", "price"]]
    model = KernelRegressor(centres="all").fit(iter(pieces_of(rows, 70)), y="price")
    memory = KernelRegressor(centres="all").fit(rows[["age", "rent"]].to_numpy(), rows["price"])
    np.testing.assert_array_equal(model.predict(rows[["age", "rent"]]), memory.predict(rows[["age", "rent"]].to_numpy()))
    assert model.support_.tolist() == memory.support_.tolist()


def spoiled(row, column, value):
    rows = table()[["age", "rent", "price"]]
    if isinstance(value, str):
        rows[column] = rows[column].astype(object)
    rows.loc[row, column] = value
    return lambda: pieces_of(rows)


@pytest.mark.parametrize(
    ("source", "options", "arguments", "message"),
    [
        (spoiled(7000, "age", np.nan), {}, {"y": "price"}, "row 7001 .*'age'"),
        (spoiled(7000, "price", "high"), {}, {"y": "price"}, "y holds text .'high'"),
        (spoiled(7000, "price", None), {}, {"y": "price"}, "no value"),
        (lambda: pieces_of(table()[["age", "price"]]), {"centres": "all"}, {"y": "price"}, "centres = all needs the whole table"),
        (lambda: pieces_of(table()[["age", "price"]]), {"vectors": 5}, {"y": "price"}, "vectors needs the whole table"),
        (lambda: [], {}, {"y": "price"}, "X has no rows"),
        (lambda: pieces_of(table()), {}, {}, "y must be the name of its column"),
        (lambda: pieces_of(table()), {"missing": "drop"}, {"y": "price"}, "missing is 'drop'"),
    ],
)
def test_what_is_wrong_is_named(source, options, arguments, message):
    with pytest.raises(ValueError, match=message):
        KernelRegressor(**options).fit(source, **arguments)


def test_rows_that_change_are_refused():
    readings = 0

    def read():
        nonlocal readings
        readings += 1
        rows = table()[["age", "rent", "price"]]
        return pieces_of(rows if readings < 3 else rows.assign(age=rows["age"] + 1e-9))

    with pytest.raises(ValueError, match="a value differs"):
        KernelRegressor("gaussian", width=1.0, centres=10).fit(read, y="price")


def three_labels():
    """Rows whose third label comes late."""
    rows = table().drop(columns=["price", "weight"])
    often = np.random.default_rng(1).random(ROWS) < 1 / (1 + np.exp(-2 * rows["size"]))
    rows["click"] = rows["click"].where((rows.index < 2500) | ~often, "perhaps")
    return rows


def test_three_classes_are_predicted_as_in_memory(tmp_path):
    rows = three_labels()
    options = {"kernel": "gaussian", "width": 1.5, "centres": 100}  # with 60, their choice matters by .004 nats
    model = KernelClassifier(**options).fit(lambda: pieces_of(rows), y="click")
    X = rows.drop(columns="click")
    memory = KernelClassifier(**options).fit(X, rows["click"])
    assert model.classes_.tolist() == ["no", "perhaps", "yes"] and len(model.hypotheses_) == 3
    right = np.searchsorted(model.classes_, rows["click"])
    loss, expected = (-np.mean(np.log(fit.predict_proba(X)[np.arange(ROWS), right])) for fit in (model, memory))
    assert abs(loss - expected) < 0.002
    assert model._model.number("log_loss") == pytest.approx(loss, abs=1e-6)
    assert model._model.number("accuracy") == pytest.approx(model.score(X, rows["click"]), abs=1e-12)
    assert any("for the machines of all 3 classes together" in note for note in model.notes_)
    model._model.save(tmp_path / "model.ardvark")
    np.testing.assert_array_equal(load(tmp_path / "model.ardvark").predict_proba(X[:50]), model.predict_proba(X[:50]))


def test_three_classes_have_the_same_bits_from_sources_of_all_kinds(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    rows = three_labels()
    for number, piece in enumerate(pieces_of(rows, 2500)):
        arrow.parquet.write_table(arrow.Table.from_pandas(piece, preserve_index=False), tmp_path / f"part-{number}.parquet")
    fits = [KernelClassifier("gaussian", width=1.5, centres=15).fit(source, y="click") for source in (lambda: pieces_of(rows, 999), tmp_path, iter(pieces_of(rows)))]
    X = rows.drop(columns="click")[:100]
    for fit in fits:
        assert fit.predict_proba(X).tolist() == fits[0].predict_proba(X).tolist()
