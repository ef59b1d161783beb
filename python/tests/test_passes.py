"""Fits of classes whose table is read in pieces, several times."""

import pickle
import threading

import numpy as np
import pandas as pd
import pytest

from ardvark import BayesianLogisticRegression, _core, _pieces
from ardvark._passes import RowSums, TableFacts
from ardvark._pieces import Pieces

ROWS = 12_000  # two blocks, and more than twice the sample


@pytest.fixture(autouse=True)
def passes(monkeypatch):
    """Small tables are read in passes, too."""
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)


def table(seed=0, with_text=False):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(rng.normal(size=(ROWS, 4)) * [1, 10, 0.1, 1] + [0, 5, 0, 100], columns=["age", "rent", "size", "trend"])
    city = rng.choice(["Ulm", "Bern", "Köln"], ROWS)
    score = rows["age"] - 0.05 * rows["rent"] + (city == "Ulm")
    if with_text:
        rows["city"] = city
        rows["city"] = rows["city"].where(rows.index > 6000, "Bern")  # the others come later
    rows["click"] = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-score)), "yes", "no")
    rows["weight"] = rng.integers(1, 4, ROWS).astype(float)
    return rows


def pieces_of(rows, size=5000):
    return [rows.iloc[first : first + size] for first in range(0, len(rows), size)]


def expect_same(model, rows, weighted=False, **options):
    X = rows.drop(columns=["click", "weight"])
    memory = BayesianLogisticRegression(**options).fit(X, rows["click"], rows["weight"] if weighted else None)
    assert model.status_ == memory.status_ == "converged"
    assert model.classes_.tolist() == memory.classes_.tolist()
    assert model.feature_names_in_.tolist() == memory.feature_names_in_.tolist()
    assert np.abs((model.coef_ - memory.coef_) / memory.coef_std_).max() < 0.01
    np.testing.assert_allclose(model.coef_std_, memory.coef_std_, rtol=0.01)
    np.testing.assert_allclose(model.predict_proba(X[:100]), memory.predict_proba(X[:100]), atol=1e-3)
    assert model.bound_ == pytest.approx(memory.bound_, abs=0.01)


@pytest.mark.parametrize("prior", ["ard", "auto"])
@pytest.mark.parametrize("with_text", [False, True])
def test_a_function_that_gives_pieces(prior, with_text):
    rows = table(with_text=with_text)
    model = BayesianLogisticRegression(prior=prior).fit(lambda: pieces_of(rows.drop(columns="weight")), y="click")
    expect_same(model, rows, prior=prior)


def test_sources_of_all_kinds_give_the_same_bits(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    polars = pytest.importorskip("polars")
    rows = table().drop(columns="weight")
    for number, piece in enumerate(pieces_of(rows, 7000)):
        arrow.parquet.write_table(arrow.Table.from_pandas(piece, preserve_index=False), tmp_path / f"part-{number}.parquet")
    whole = arrow.Table.from_pandas(rows, preserve_index=False)
    sources = [
        lambda: pieces_of(rows),
        lambda: pieces_of(rows, 300),
        tmp_path,
        iter(pieces_of(rows, 6000)),
        whole.to_reader(max_chunksize=1111),
        lambda: whole.to_reader(),
        polars.scan_parquet(tmp_path / "*.parquet"),
    ]
    fits = [BayesianLogisticRegression(prior="shared").fit(source, y="click") for source in sources]
    for fit in fits:
        assert fit.coef_.tolist() == fits[0].coef_.tolist()
    spooled = [any("temporary file" in note for note in fit.notes_) for fit in fits]
    assert spooled == [False, False, False, True, True, False, False]


def test_weights_are_a_column():
    rows = table()
    model = BayesianLogisticRegression(prior="ard").fit(lambda: pieces_of(rows), y="click", sample_weight="weight")
    expect_same(model, rows, weighted=True, prior="ard")


@pytest.mark.parametrize("prior", ["auto", "shared", "none"])
@pytest.mark.parametrize("several", [False, True])
def test_notes_are_those_of_the_table_in_memory(prior, several):
    rows = species(with_text=True).rename(columns={"species": "click"}) if several else table(with_text=True)
    rows["city"] = rows["city"].replace("Köln", "NULL")
    rows["twin"] = rows["age"] + 0.02 * np.random.default_rng(9).normal(size=ROWS)
    rows["same"] = 3.0
    model = BayesianLogisticRegression(prior=prior).fit(lambda: pieces_of(rows), y="click", sample_weight="weight")
    memory = BayesianLogisticRegression(prior=prior).fit(rows.drop(columns=["click", "weight"]), rows["click"], rows["weight"])
    said = [note for note in memory.notes_ if "stopped" not in note]
    assert any(f"is the sum of the weights of {ROWS} rows" in note for note in said)
    assert any("has the level 'NULL'" in note for note in said)
    assert [note for note in model.notes_ if "were read" not in note] == said


def test_a_sample_of_all_rows_is_fitted_in_memory():
    rows = table().head(700).drop(columns="weight")
    model = BayesianLogisticRegression().fit(iter(pieces_of(rows, 100)), y="click")
    memory = BayesianLogisticRegression().fit(np.ascontiguousarray(rows.drop(columns="click")), rows["click"])
    assert model.coef_.tolist() == memory.coef_.tolist()
    assert any("the rows were read once for the fit, which was made in memory: there are so few" in note for note in model.notes_)


@pytest.mark.parametrize("with_text", [False, True])
def test_a_small_table_is_the_table_in_memory(monkeypatch, with_text):
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 64 << 20)
    arrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    rows = table(with_text=with_text)[::8].reset_index(drop=True)
    rows["kind"] = rows["click"].where(rows["age"] < 1, "perhaps")  # three classes
    gaps = rows.assign(rent=rows["rent"].where(rows.index % 50 > 0))
    readings = []

    def counted():
        readings.append(1)
        return pieces_of(rows, 400)

    cases = [
        ({"prior": "shared"}, "click", rows),
        ({"prior": "laplace", "folds": 3}, "click", rows),
        ({"prior": "shared"}, "kind", rows),
        ({"prior": "shared", "missing": "drop"}, "click", gaps),
    ]
    for options, target, used in cases:
        unused = {"click", "kind", "weight"} - {target, "weight"}
        used = used.drop(columns=list(unused))
        memory = BayesianLogisticRegression(**options).fit(used, y=target, sample_weight="weight")
        whole = arrow.Table.from_pandas(used, preserve_index=False)
        for source in (iter(pieces_of(used, 400)), lambda: whole.to_reader(max_chunksize=199), whole.to_reader(), iter([polars.DataFrame(whole)[:7], polars.DataFrame(whole)[7:]])):
            model = BayesianLogisticRegression(**options).fit(source, y=target, sample_weight="weight")
            assert model.coef_.tolist() == memory.coef_.tolist() and model.classes_.tolist() == memory.classes_.tolist()
            assert model.notes_ == memory.notes_
    rows = rows.drop(columns=["kind", "weight"])
    BayesianLogisticRegression(prior="shared").fit(counted, y="click")
    assert len(readings) == 1


@pytest.mark.parametrize("can_repeat", [False, True])
def test_a_table_that_turns_out_to_be_long_is_read_from_its_first_row_on(monkeypatch, can_repeat):
    rows = table(with_text=True).drop(columns="weight")
    expected = BayesianLogisticRegression(prior="shared").fit(lambda: pieces_of(rows), y="click")
    readings = []

    def source():
        readings.append(1)
        return iter(pieces_of(rows))

    for limit in (8 * 4000 * rows.shape[1], 8 * ROWS * (rows.shape[1] + 1)):  # the second: only the levels are too many
        monkeypatch.setattr(_pieces, "SMALL_BYTES", limit)
        readings.clear()
        model = BayesianLogisticRegression(prior="shared").fit(source if can_repeat else source(), y="click")
        assert model.coef_.tolist() == expected.coef_.tolist()
        assert model.notes_[:1] == expected.notes_[:1]
        passes = int(next(note for note in model.notes_ if "were read" in note).split("were read ")[1].split()[0])
        assert len(readings) == (passes + 1 if can_repeat else 1)  # and once for the levels


def test_a_file_that_only_numbers_can_be_written_to():
    with Pieces(iter([pd.DataFrame({"a": [1.0, 2], "b": ["x", None]}), pd.DataFrame({"a": [3.0], "b": ["y"]})])) as pieces:
        first, second = ([batch.to_pydict() for batch in pieces] for _ in range(2))
    assert first == second == [{"a": [1.0, 2.0], "b": ["x", None]}, {"a": [3.0], "b": ["y"]}]


CHANGES_OF_A_PIECE = {
    "no rows": lambda rows: rows.head(0),
    "whole numbers": lambda rows: rows.assign(rent=rows["rent"].round().astype(int)),
    "another width": lambda rows: rows.assign(rent=rows["rent"].astype("float32")),
    "categories": lambda rows: rows.assign(city=rows["city"].astype("category")),
    "objects": lambda rows: rows.assign(city=rows["city"].astype(object)),
    "another order": lambda rows: rows[rows.columns[::-1]],
    "texts of numbers": lambda rows: rows.assign(rent=rows["rent"].astype(str)),
    "texts and numbers": lambda rows: rows.assign(rent=[*rows["rent"][1:], "much"]),
    "numbers of texts": lambda rows: rows.assign(city=1.5),
    "a column less": lambda rows: rows.drop(columns="rent"),
    "a column more": lambda rows: rows.assign(other=1.0),
    "labels": lambda rows: rows.assign(click=1),
    "a gap": lambda rows: rows.assign(age=rows["age"].where(rows["age"] < 1)),
    "a gap of texts": lambda rows: rows.assign(city=rows["city"].where(rows["age"] < 1)),
}


@pytest.mark.parametrize("change", CHANGES_OF_A_PIECE)
def test_what_can_be_read_only_once_is_read_as_what_can_be_read_again(change):
    pieces = pieces_of(table(with_text=True).drop(columns="weight"))
    pieces[2] = CHANGES_OF_A_PIECE[change](pieces[2])

    def outcome(source):
        try:
            return BayesianLogisticRegression("shared").fit(source, y="click").coef_.tolist()
        except ValueError as error:
            return str(error)

    once, again = outcome(iter(pieces)), outcome(lambda: pieces)
    assert once == again
    is_refused = change in list(CHANGES_OF_A_PIECE)[list(CHANGES_OF_A_PIECE).index("texts of numbers") :]
    assert isinstance(once, str) == is_refused
    assert not is_refused or "rows after row 10000" in once or "row 1" in once or "earlier rows" in once


def test_a_function_may_give_a_path(tmp_path):
    pytest.importorskip("pyarrow")
    rows = table().drop(columns="weight")
    rows.to_parquet(tmp_path / "rows.parquet")
    by_path, by_function = (BayesianLogisticRegression("shared").fit(source, y="click") for source in (tmp_path, lambda: str(tmp_path)))
    assert by_path.coef_.tolist() == by_function.coef_.tolist()


def test_a_full_disk_is_told_with_what_to_do(monkeypatch):
    monkeypatch.setattr(_pieces.tempfile, "TemporaryFile", lambda **_: open("/dev/full", "r+b", buffering=0))
    with pytest.raises(OSError, match=r"X can be read only once, so its rows .*No space left on device; make room there, set .* TMPDIR"):
        BayesianLogisticRegression().fit(iter(pieces_of(table())), y="click")


def changed(rows, change):
    """A source whose rows are others from the third reading on."""
    readings = 0

    def read():
        nonlocal readings
        readings += 1
        now = rows.copy()
        if readings > 3:
            now = change(now)
        return pieces_of(now)

    return read


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.head(ROWS - 1), f"there were {ROWS} rows, and now there are {ROWS - 1}"),
        (lambda rows: rows.assign(age=rows["age"] + 1e-9), "a value differs"),
        (lambda rows: rows.drop(columns="rent"), "no column 'rent', which earlier rows have"),
        (lambda rows: rows.assign(rent="high"), "column 'rent' holds texts, but numbers in earlier rows"),
        (lambda rows: rows.assign(click="maybe"), "the label 'maybe', which earlier rows do not have"),
    ],
)
def test_rows_that_change_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        BayesianLogisticRegression(prior="shared").fit(changed(table().drop(columns="weight"), change), y="click")


def with_weight(weight, **options):
    rows = table(**options)
    rows.loc[9500, "weight"] = weight
    return rows


def spoiled(row, column, value):
    rows = table().drop(columns="weight")
    if isinstance(value, str):
        rows[column] = rows[column].astype(object)
    rows.loc[row, column] = value
    return lambda: pieces_of(rows)


@pytest.mark.parametrize(
    ("source", "arguments", "message"),
    [
        (spoiled(9500, "age", np.nan), {"y": "click"}, "row 9501 .*'age'"),
        (lambda: pieces_of(table()), {"y": "zz"}, "y is 'zz', which is not a column of X; the columns are 'age', 'rent', 'size', 'trend', 'click', 'weight'"),
        (spoiled(9500, "click", None), {"y": "click"}, "no value at row 9501"),
        (spoiled(9500, "trend", "x"), {"y": "click"}, "column 'trend' holds both texts .'x' at row 9501. and numbers"),
        (lambda: pieces_of(with_weight(-1)), {"y": "click", "sample_weight": "weight"}, "sample_weight at row 9501 is -1"),
        (lambda: pieces_of(with_weight(np.nan)), {"y": "click", "sample_weight": "weight"}, "sample_weight 'weight' has no value at row 9501"),
        (lambda: pieces_of(with_weight(-1, with_text=True)), {"y": "click", "sample_weight": "weight"}, "^row 9501, column 'sample weight': -1 is no"),
        (lambda: pieces_of(table().assign(click=np.arange(ROWS) % 1200)), {"y": "click"}, "more than 1,000 labels .*BayesianLinearRegression"),
        (lambda: pieces_of(table().assign(click=lambda rows: rows["age"])), {"y": "click"}, "Unknown label type: continuous"),
        (lambda: pieces_of(table().assign(click=np.where(np.arange(ROWS) % 2, 2.5, 0))), {"y": "click"}, "Unknown label type: continuous"),
        (lambda: pieces_of(table().assign(click=np.where(np.arange(ROWS) < 6000, np.arange(ROWS) % 2, 2.5))), {"y": "click"}, "Unknown label type"),
        (lambda: [], {"y": "click"}, "X has no rows"),
        (lambda: pieces_of(table().assign(click="yes")), {"y": "click"}, "only one label, 'yes'"),
        (lambda: pieces_of(table()), {"y": "price"}, "price"),
        (lambda: pieces_of(table()), {}, "y must be the name of its column"),
        (lambda: pieces_of(table()), {"y": "click", "sample_weight": [1.0]}, "sample_weight must be the name of its column"),
    ],
)
def test_what_is_wrong_is_named(source, arguments, message):
    with pytest.raises((ValueError, KeyError), match=message):
        BayesianLogisticRegression().fit(source, **arguments)


def species(seed=0, with_text=False):
    rows = table(seed, with_text)
    kind = np.where(rows["click"] == "yes", "cat", np.where(rows["rent"] > 5, "dog", "eel"))
    return rows.drop(columns="click").assign(species=np.where((kind == "eel") & (rows.index < 6000), "dog", kind))  # the eels come later


@pytest.mark.parametrize("prior, coding", [("ard", "one-against-rest"), ("sparse", "automatic"), ("ard", "softmax"), ("auto", "automatic")])
@pytest.mark.parametrize("with_text", [False, True])
def test_several_classes(prior, coding, with_text):
    rows = species(with_text=with_text)
    model = BayesianLogisticRegression(prior=prior, coding=coding).fit(lambda: pieces_of(rows), y="species", sample_weight="weight")
    X = rows.drop(columns=["species", "weight"])
    memory = BayesianLogisticRegression(prior=prior, coding=coding).fit(X, rows["species"], rows["weight"])
    assert model.status_ == memory.status_ == "converged"
    assert model.classes_.tolist() == memory.classes_.tolist() == ["cat", "dog", "eel"]
    assert np.abs((model.coef_ - memory.coef_) / memory.coef_std_).max() < 0.01
    np.testing.assert_allclose(model.coef_std_, memory.coef_std_, rtol=0.03)
    np.testing.assert_allclose(model.predict_proba(X[:100]), memory.predict_proba(X[:100]), atol=1e-3)
    assert model.bound_ == pytest.approx(memory.bound_, abs=0.01)
    machines = "sparse" in prior or "rest" in coding
    assert any("for all 3 regressions together" in note for note in model.notes_) == machines
    assert (model.predict(X[:100]) == memory.predict(X[:100])).mean() > 0.98


def test_several_classes_of_all_kinds():
    rows = species().drop(columns="weight")
    number = rows["species"].map({"cat": 7, "dog": -1, "eel": 30})
    by_text, by_number, at_once = (
        BayesianLogisticRegression(prior="shared").fit(source, y="species")
        for source in (lambda: pieces_of(rows), lambda: pieces_of(rows.assign(species=number)), iter(pieces_of(rows, 4000)))
    )
    assert by_number.classes_.tolist() == [-1, 7, 30]
    assert by_text.coef_.tolist() == at_once.coef_.tolist()
    np.testing.assert_allclose(by_number.coef_[[1, 0, 2]], by_text.coef_, rtol=1e-9)  # the sums over classes have another order
    assert pickle.loads(pickle.dumps(by_text)).predict(rows.drop(columns="species")).tolist() == by_text.predict(rows.drop(columns="species")).tolist()


def test_a_small_table_of_several_classes_is_fitted_in_memory():
    rows = species().tail(700).drop(columns="weight")
    model = BayesianLogisticRegression(coding="one-against-one").fit(iter(pieces_of(rows, 100)), y="species")
    memory = BayesianLogisticRegression(coding="one-against-one").fit(np.ascontiguousarray(rows.drop(columns="species")), rows["species"])
    assert model.coef_.tolist() == memory.coef_.tolist()


def test_a_label_that_comes_later_is_refused_if_the_rows_change():
    rows = species().drop(columns="weight")
    with pytest.raises(ValueError, match="'bat', which earlier rows do not have; the rows have changed"):
        BayesianLogisticRegression(prior="shared").fit(changed(rows, lambda now: now.assign(species="bat")), y="species")


def test_a_coding_that_needs_rows_in_memory_is_refused():
    with pytest.raises(ValueError, match="coding one-against-one needs the whole table.*coding='one-against-rest'"):
        BayesianLogisticRegression(coding="one-against-one").fit(lambda: pieces_of(species()), y="species")


@pytest.mark.parametrize("with_text", [False, True])
def test_a_laplace_prior(with_text):
    rows = table(with_text=with_text)
    X = rows.drop(columns=["click", "weight"])
    given = {"prior": "laplace", "laplace_lambda": 400.0}
    model = BayesianLogisticRegression(**given).fit(lambda: pieces_of(rows), y="click", sample_weight="weight")
    memory = BayesianLogisticRegression(**given).fit(X, rows["click"], rows["weight"])
    assert model.status_ == memory.status_ == "converged"
    assert (model.coef_ == 0).tolist() == (memory.coef_ == 0).tolist() and (model.coef_ == 0).any()
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-7)
    np.testing.assert_allclose(model.coef_std_, memory.coef_std_, rtol=1e-7)
    np.testing.assert_allclose(model.predict_proba(X[:100]), memory.predict_proba(X[:100]), atol=1e-7)
    assert model.bound_ == pytest.approx(memory.bound_, rel=1e-9)


def test_cross_validation_of_a_laplace_prior():
    rows = table()
    fits = [
        BayesianLogisticRegression(prior="laplace", folds=5, lambda_rule=rule).fit(lambda size=size: pieces_of(rows, size), y="click", sample_weight="weight")
        for size, rule in ((5000, None), (777, None), (5000, "1se"))
    ]
    paths = [fit.lambda_path_ for fit in fits]
    assert fits[0].lambda_ == fits[1].lambda_ == paths[0].lambda_min < fits[2].lambda_ == paths[2].lambda_1se
    assert fits[0].coef_.tolist() == fits[1].coef_.tolist()
    memory = BayesianLogisticRegression(prior="laplace", folds=5).fit(rows.drop(columns=["click", "weight"]), rows["click"], rows["weight"])
    np.testing.assert_allclose(paths[0].lambdas, memory.lambda_path_.lambdas, rtol=1e-9)
    np.testing.assert_allclose(paths[0].coef, memory.lambda_path_.coef, atol=1e-4)
    # The folds are others.
    loss, error = np.asarray(memory.lambda_path_.loss), np.asarray(memory.lambda_path_.loss_error)
    assert (np.abs(np.asarray(paths[0].loss) - loss) < error).all()


def test_several_classes_with_the_bound():
    rows = species().drop(columns="weight")
    model = BayesianLogisticRegression("ard", likelihood="jj", tol=1e-9).fit(lambda: pieces_of(rows), y="species")
    X, own = rows.drop(columns="species"), rows["species"] == "dog"
    dog = BayesianLogisticRegression("ard", likelihood="jj", tol=1e-9).fit(X, own)
    assert model.status_ == dog.status_ == "converged"
    assert np.abs((model.coef_[1] - dog.coef_[0]) / dog.coef_std_[0]).max() < 0.01


def test_a_laplace_prior_of_several_classes():
    rows = species()
    model = BayesianLogisticRegression(prior="laplace", laplace_lambda=100.0).fit(lambda: pieces_of(rows), y="species", sample_weight="weight")
    X = rows.drop(columns=["species", "weight"])
    memory = BayesianLogisticRegression(prior="laplace", laplace_lambda=100.0).fit(X, rows["species"], rows["weight"])
    assert model.status_ == memory.status_ == "converged"
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X[:100]), memory.predict_proba(X[:100]), atol=1e-7)
    chosen = BayesianLogisticRegression(prior="laplace", folds=3).fit(lambda: pieces_of(rows), y="species", sample_weight="weight")
    assert len(chosen.lambda_path_) == 3 and chosen.status_ == "converged"


def test_the_progress_counts_rows_and_can_end_the_fit():
    rows, told = table().drop(columns="weight"), []
    BayesianLogisticRegression(prior="shared", callback=told.append).fit(lambda: pieces_of(rows), y="click")
    reading = [progress for progress in told if progress.piece == "row"]
    assert [progress.done for progress in reading[:3]] == [5000, 10000, 12000]
    assert reading[-1].total == ROWS and "rows a second" in reading[-1].text
    with pytest.raises(InterruptedError, match="in pass 2, after 5,000 rows"):
        BayesianLogisticRegression(prior="shared", callback=lambda progress: "pass 2" not in progress.text).fit(lambda: pieces_of(rows), y="click")


def test_an_exception_of_the_source_is_raised():
    def read():
        yield table().drop(columns="weight").head(10_000)
        raise OSError("the file has vanished")

    with pytest.raises(OSError, match="the file has vanished"):
        BayesianLogisticRegression().fit(read, y="click")


def test_fits_in_several_threads():
    rows = table().drop(columns="weight")
    found = [None] * 3

    def work(number):
        found[number] = BayesianLogisticRegression(prior="ard").fit(lambda: pieces_of(rows), y="click").coef_.tolist()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1] == found[2]


def test_sums_and_facts_can_be_pickled():
    rows = table(with_text=True)
    facts = TableFacts("click", "weight").add(rows).end([])
    copy = pickle.loads(pickle.dumps(facts))
    for mine, theirs in zip(facts.numbers(rows), copy.numbers(rows)):
        np.testing.assert_array_equal(mine, theirs)
    data = b"a question that is none"
    with pytest.raises(ValueError):
        RowSums(data)
    kept = []

    def ask(question):
        sums = RowSums(question).update(*facts.numbers(rows))
        kept.append(sums.to_bytes())
        assert pickle.loads(pickle.dumps(sums)).to_bytes() == kept[-1]
        return sums

    _core.fit_rows(ask, model="logistic", prior="ard", encoding=facts.encoding.handle)
    for data in kept[:2]:
        for place in range(0, len(data), len(data) // 50):
            with pytest.raises(ValueError):
                RowSums.from_bytes(data[:place])
            changed_data = bytearray(data)
            changed_data[place] ^= 0x10
            with pytest.raises(ValueError):
                RowSums.from_bytes(bytes(changed_data))


@pytest.mark.parametrize("options", [{"flat": ["age"]}, {"flat": [0]}, {"prior": {"money": ["rent", "trend"]}}])
def test_options_name_columns(options):
    rows = table().drop(columns="weight")
    model = BayesianLogisticRegression(**options).fit(lambda: pieces_of(rows), y="click")
    memory = BayesianLogisticRegression(**options).fit(rows.drop(columns="click"), rows["click"])
    assert model.status_ == memory.status_ == "converged"
    assert np.abs((model.coef_ - memory.coef_) / memory.coef_std_).max() < 0.02


def table_with_a_rare_level(seed, classes, rows=30_000):
    """Correlated columns, long tails, a level of some 15 rows, and at times a rare class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 6)) @ (rng.normal(size=(6, 6)) * 0.5 + np.eye(6))
    rows_of = pd.DataFrame(X, columns=[f"x{j}" for j in range(6)])
    rows_of["x5"] = rows_of.x0 + 0.05 * rng.normal(size=rows)
    rows_of["heavy"], rows_of["noise"] = rng.standard_t(2, size=rows), rng.normal(size=rows)
    score = np.stack([X[:, :4] @ rng.normal(size=4) * 0.4 + rng.normal() * 0.5 for _ in range(classes)], 1)
    level = rng.choice(5, size=rows, p=[0.4, 0.3, 0.2, 0.0995, 0.0005])
    rows_of["place"] = np.array(["a", "b", "c", "d", "rare"])[level]
    score += (rng.normal(size=(5, classes)) * 0.5)[level]
    score[:, -1] -= 4.5 * (seed % 2 == 0)
    P = np.exp(score - score.max(1, keepdims=True))
    return rows_of.assign(y=np.minimum(((P / P.sum(1, keepdims=True)).cumsum(1) < rng.random(rows)[:, None]).sum(1), classes - 1))


@pytest.mark.parametrize("seed, classes", [(25, 4), (26, 5)])
def test_a_softmax_of_a_rare_level_is_that_in_memory(seed, classes):
    """The sample has few rows of the level or none: its coefficients begin far from where they end."""
    rows = table_with_a_rare_level(seed, classes)
    model = BayesianLogisticRegression().fit(lambda: (rows[k : k + 5000] for k in range(0, len(rows), 5000)), y="y")
    memory = BayesianLogisticRegression(tol=1e-12).fit(rows, target="y")
    assert model.status_ == memory.status_ == "converged" and any("times; the passes began" in note for note in model.notes_)
    assert model.bound_ == pytest.approx(memory.bound_, abs=0.01)
    assert (np.abs(model.coef_ - memory.coef_) / memory.coef_std_).max() < 0.02


def test_steps_that_go_to_and_fro_become_shorter():
    """A level of one row, whose weight ard hardly bounds: each step undid most of the last one, and 500 readings were not enough."""
    n, rng = 30_000, np.random.default_rng(7)
    X = rng.standard_normal((n, 8))
    rows = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
    rows["level"] = np.array(["alpha", "beta", "gamma", "rare"])[rng.choice(4, n, p=[0.5, 0.3, 0.1999, 0.0001])]
    score = X[:, 0] - 0.4 * X[:, 3] + 0.03 * X[:, 5] + (rows.level == "beta")
    rng.standard_normal(n)
    rows["w"] = rng.integers(0, 4, n).astype(float)
    rows["y"] = (np.random.default_rng(1).random(n) < 1 / (1 + np.exp(-score))).astype(int)
    assert (rows.level == "rare").sum() == 1
    model = BayesianLogisticRegression(prior="ard").fit(lambda: pieces_of(rows), y="y", sample_weight="w")
    memory = BayesianLogisticRegression(prior="ard").fit(rows.drop(columns="w"), target="y", sample_weight=rows.w)
    assert model.status_ == memory.status_ == "converged"
    assert model.bound_ == pytest.approx(memory.bound_, abs=0.01)


@pytest.mark.parametrize("seed", [3, 7])
def test_a_step_that_loses_a_direction_is_taken_back(seed):
    """Rows of rare levels that are sure of a wrong class pull without a curve: the bound of such a step was thousands of nats too high."""
    n, rng = 20_000, np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    level = rng.choice(6, n, p=[0.6, 0.25, 0.1491, 0.0005, 0.0003, 0.0001])
    rows = pd.DataFrame(X, columns=[f"x{j}" for j in range(6)])
    rows["copy"] = rows.x0 + 1e-3 * rng.standard_normal(n)
    rows["count"] = np.floor(np.exp(2 * rng.standard_normal(n) + 0.5))
    rows["level"] = np.array(["common", "b", "c", "rare1", "rare2", "rare3"])[level]
    rows["w"] = rng.exponential(1, n)
    rows.loc[rng.random(n) < 0.2, "w"] = 0
    score = -0.4 + X[:, 0] - 0.5 * X[:, 1] + 0.1 * X[:, 2] + 0.002 * rows["count"] + np.array([0, 0.3, -0.2, 1.5, -2, 3])[level]
    rng.standard_t(4, n)
    rows["y"] = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "yes", "no")
    model = BayesianLogisticRegression(prior="ard", flat=["count"])
    memory = BayesianLogisticRegression(prior="ard", flat=["count"], tol=1e-12).fit(rows.drop(columns=["w"]), target="y", sample_weight=rows.w)
    model.fit(lambda: (rows[k : k + 5000] for k in range(0, n, 5000)), y="y", sample_weight="w")
    assert model.status_ == memory.status_ == "converged"
    assert model.bound_ == pytest.approx(memory.bound_, abs=0.01)
