"""X in the type and the order in which the caller has it: the fits of the same numbers as float64, and no copy of them."""

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas
import pytest
import scipy.sparse
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, InvalidArgumentError, RelevanceSelector, _core
from ardvark._arrays import compressed, csc_of, matrix_of, product
from ardvark._given import require_finite
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.default_rng(4)
WHOLE = rng.binomial(2, rng.uniform(0.1, 0.5, size=9), size=(120, 9))  # as genotypes
WHOLE[:, 4] = 0
WHOLE[7] = 0
y = WHOLE[:, 0] - 0.7 * WHOLE[:, 2] + 0.4 * rng.normal(size=120)
labels = np.where(y + 0.3 * rng.logistic(size=120) > np.median(y), "case", "control")
WEIGHTS = rng.integers(0, 4, size=120).astype(float)

LINEAR, LOGISTIC = BayesianLinearRegression("shared", tol=1e-12), BayesianLogisticRegression("ard", tol=1e-12)


def target_of(estimator):
    return labels if hasattr(estimator, "predict_proba") else y


def require_same(estimator, X, weights=None, rtol=1e-9):
    """The fit and the predictions are those of the same numbers as float64."""
    numbers = np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=float)
    numbers = scipy.sparse.csc_array(numbers) if scipy.sparse.issparse(X) else numbers
    target = target_of(estimator)
    ours, other = (clone(estimator).fit(one, target, sample_weight=weights) for one in (X, numbers))
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(ours.coef_std_, other.coef_std_, rtol=rtol)
    assert ours.score(X, target) == pytest.approx(other.score(numbers, target), abs=1e-12)
    if hasattr(ours, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(X[:30]), other.predict_proba(numbers[:30]), rtol=rtol)
    else:
        for one, two in zip(ours.predict(X[:30], return_std=True), other.predict(numbers[:30], return_std=True)):
            assert one.dtype == np.float64
            np.testing.assert_allclose(one, two, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("estimator", [LINEAR, LOGISTIC], ids=["linear", "logistic"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.uint8, np.int16, np.uint16, np.int64, bool])
def test_arrays(estimator, order, kind):
    require_same(estimator, np.array(WHOLE > 0 if kind is bool else WHOLE, dtype=kind, order=order))


@pytest.mark.parametrize("estimator", [LINEAR, LOGISTIC], ids=["linear", "logistic"])
@pytest.mark.parametrize("form", ["csr_matrix", "csr_array", "csc_matrix", "csc_array", "coo_matrix", "coo_array"])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, np.uint8, np.int64, bool])
def test_sparse_matrices(estimator, form, kind):
    X = getattr(scipy.sparse, form)((WHOLE > 0 if kind is bool else WHOLE).astype(kind))
    require_same(estimator, X if form.startswith("cs") else X.tocsr())
    assert (clone(estimator).fit(X, target_of(estimator)).coef_ == clone(estimator).fit(X.tocsc(), target_of(estimator)).coef_).all()


@pytest.mark.parametrize("X", [WHOLE.astype(np.int8), np.asfortranarray(WHOLE, dtype=np.float32), scipy.sparse.csr_array(WHOLE.astype(np.float32))], ids=["int8", "float32", "csr"])
@pytest.mark.parametrize("weights", [WEIGHTS + 1, WEIGHTS], ids=["positive", "some zero"])
def test_weights(X, weights):
    for estimator in (LINEAR, LOGISTIC):
        require_same(estimator, X, weights)


def test_a_type_of_numbers_changes_nothing_but_the_memory():
    real = rng.normal(size=(120, 9)).astype(np.float32)
    require_same(LINEAR, real)
    require_same(LINEAR, scipy.sparse.csr_array(np.where(WHOLE > 0, real, 0)))


IN_PLACE = [np.float64, np.float32, np.int8, np.uint8, bool]


@pytest.mark.parametrize("kind", IN_PLACE)
def test_the_library_reads_the_array_of_the_caller(kind):
    whole = (WHOLE > 0).astype(kind)
    for X in (whole, np.asfortranarray(whole), whole[::2], whole[:, 2:7]):
        view, kept = matrix_of(X)
        assert view.data == X.ctypes.data and np.shares_memory(kept, X)
    for index in (np.int32, np.int64):
        S = scipy.sparse.csc_array(whole)
        S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
        view, _ = csc_of(S)
        assert (view.start, view.row, view.value) == (S.indptr.ctypes.data, S.indices.ctypes.data, S.data.ctypes.data)
        assert view.index_bits == 8 * np.dtype(index).itemsize


@pytest.mark.parametrize("kind, read", [(np.int16, np.float32), (np.uint16, np.float32), (np.float16, np.float32), (np.int32, np.float64), (np.longdouble, np.float64), (">f4", np.float32), (">f8", np.float64)])
def test_other_types_are_converted_once(kind, read):
    X = WHOLE.astype(kind)
    _, kept = matrix_of(X)
    assert kept.dtype == read and (kept == WHOLE).all()


def test_bytes_above_127_are_converted():
    X = np.array([[0, 200], [1, 7]], dtype=np.uint8)
    assert matrix_of(X)[1].dtype == np.float32 and (matrix_of(X)[1] == X).all()
    assert compressed(scipy.sparse.csr_array(X)).dtype == np.float32
    require_same(LINEAR, WHOLE.astype(np.uint8) * 100)


def test_whole_numbers_of_a_sparse_x_take_a_byte_where_they_fit():
    counts = scipy.sparse.csr_array(WHOLE)
    assert counts.dtype == np.int64 and compressed(counts).dtype == np.int8
    assert compressed(counts * 100).dtype == np.float64
    require_same(LINEAR, counts * 100)


def test_entries_of_one_place_are_added_and_said():
    """Two halves of each number, in bytes that could not hold some of the sums."""
    half = scipy.sparse.coo_array(50 * WHOLE)
    coordinates = (np.tile(half.row, 2), np.tile(half.col, 2))
    twice = scipy.sparse.coo_array((np.tile(half.data, 2).astype(np.int8), coordinates), shape=half.shape)
    whole = LINEAR.fit(scipy.sparse.csc_array(100.0 * WHOLE), y)
    assert not [note for note in whole.notes_ if "they were added" in note]
    rows = scipy.sparse.csr_array(100 * WHOLE)
    rows.data, rows.indices, rows.indptr = np.repeat(rows.data // 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr
    for X in (twice, rows, rows.tocsc()):
        before = X.data.copy()
        model = clone(LINEAR).fit(X, y)
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-12)
        assert f"{half.nnz} entries of X are at a place that has another one: they were added" in model.notes_
        assert (X.data == before).all()


def test_a_memory_map_is_read_where_it_lies(tmp_path):
    for order in ("C", "F"):
        X = np.memmap(tmp_path / order, dtype=np.int8, mode="w+", shape=WHOLE.shape, order=order)
        X[:] = WHOLE
        X.flush()
        X = np.memmap(tmp_path / order, dtype=np.int8, mode="r", shape=WHOLE.shape, order=order)
        assert np.shares_memory(matrix_of(X)[1], X)
        require_same(LINEAR, X)


@pytest.mark.parametrize("model, target", [("linear", y), ("logistic", (labels == "case").astype(float))])
def test_paths_of_lambdas(model, target, tmp_path):
    mapped = np.memmap(tmp_path / "X", dtype=np.float32, mode="w+", shape=WHOLE.shape)
    mapped[:] = WHOLE
    dense = [np.array(WHOLE, dtype=kind, order=order) for kind in (np.float64, np.float32, np.int8) for order in ("C", "F")]
    sparse = [form(WHOLE.astype(kind)) for kind in (np.float64, np.int8) for form in (scipy.sparse.csc_array, scipy.sparse.csr_matrix, scipy.sparse.coo_array)]
    paths = [_core.path(X, target, model=model, count=20) for X in [*dense, mapped, *sparse]]
    for path in paths:
        assert path.value("status") == 20 * ["converged"]
        assert path.array("gap").max() <= 1e-8 and all("of its size" in message for message in path.value("message"))
        np.testing.assert_allclose(path.array("mean"), paths[0].array("mean"), rtol=0, atol=1e-7)


def test_tables_of_truths_and_bytes_have_their_names():
    truths = pandas.DataFrame(WHOLE > 0, columns=[f"word{j}" for j in range(9)])
    for table in (truths, truths.astype(np.int8), truths.astype(np.uint8)):
        model = clone(LINEAR).fit(table, y)
        assert list(model.feature_names_in_) == list(truths.columns)
        np.testing.assert_allclose(model.coef_, clone(LINEAR).fit(truths.astype(float), y).coef_, rtol=1e-9, atol=1e-9)
        reordered = table.assign(other=3)[["other", *table.columns[::-1]]]
        np.testing.assert_allclose(model.predict(reordered), model.predict(table), rtol=1e-12)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table.rename(columns={"word1": "wort1"}))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array], ids=str)
@pytest.mark.parametrize("value, shown", [(np.nan, "NaN"), (np.inf, "inf")])
def test_the_entry_that_is_not_finite_is_named(kind, form, value, shown):
    numbers = WHOLE.astype(kind)
    numbers[11, 3] = value
    message = f"^X at row 12, column 'x4' is {shown}; all values must be finite"
    for estimator in (LINEAR, LOGISTIC):
        with pytest.raises(InvalidArgumentError, match=message):
            clone(estimator).fit(form(numbers), target_of(estimator))
        model = clone(estimator).fit(form(WHOLE.astype(kind)), target_of(estimator))
        with pytest.raises(InvalidArgumentError, match=message):
            model.predict(form(numbers))


def test_the_first_row_that_is_not_finite_is_named_whatever_the_order():
    for order in ("C", "F"):
        wide = np.zeros((3, 1_500_000), dtype=np.float32, order=order)
        wide[2, 5] = wide[1, 1_400_000] = wide[1, 1_400_001] = np.nan
        with pytest.raises(ValueError, match="row 2, column 'x1400001'"):
            require_finite(wide, lambda: [f"x{j + 1}" for j in range(1_500_000)], False, "")


def test_complex_numbers_are_refused():
    for X in (WHOLE + 1j, scipy.sparse.csr_array(WHOLE + 1j)):
        with pytest.raises(ValueError, match="[Cc]omplex"):
            clone(LINEAR).fit(X, y)
        with pytest.raises(ValueError, match="X is complex; all values must be real"):
            _core.fit(X, y, model="linear", prior="shared")


def test_shapes_without_rows_or_columns():
    for kind in (np.int8, np.float32):
        with pytest.raises(ValueError, match="0 feature"):
            clone(LINEAR).fit(scipy.sparse.csr_array((120, 0), dtype=kind), y)
        with pytest.raises(ValueError, match="0 sample"):
            clone(LINEAR).fit(scipy.sparse.csc_array((0, 9), dtype=kind), [])
        with pytest.raises(ValueError, match="0 sample"):
            clone(LINEAR).fit(scipy.sparse.csc_array(WHOLE.astype(kind)), y).predict(scipy.sparse.csr_array((0, 9), dtype=kind))


def test_stored_zeros_are_zeros():
    X = scipy.sparse.csc_array(WHOLE.astype(np.float32) + 1)
    X.data[X.data == 1] = 0
    require_same(LINEAR, X)


# ---- pipelines

TEXTS = [" ".join(rng.choice(["good", "fine", "bad", "poor", "film", "story", "plot", "actor"], size=6)) for _ in range(200)]
BALANCE = np.array([text.count("good") + text.count("fine") - text.count("bad") - text.count("poor") for text in TEXTS])
OPINION = np.where(BALANCE + rng.logistic(size=200, scale=0.3) > 0, "praise", "blame")


@pytest.mark.parametrize("vectorizer", [TfidfVectorizer(), TfidfVectorizer(dtype=np.float32), CountVectorizer(), CountVectorizer(binary=True, dtype=np.int8)], ids=str)
def test_words(vectorizer):
    model = make_pipeline(vectorizer, BayesianLogisticRegression("ard")).fit(TEXTS, OPINION)
    effect = dict(zip(model[:-1].get_feature_names_out(), model[-1].coef_[0]))
    assert min(effect["good"], effect["fine"]) > 0.5 * max(effect.values())
    assert max(effect["bad"], effect["poor"]) < -0.5 * max(effect.values())
    assert model.score(TEXTS, OPINION) > 0.75
    assert model.predict(["good fine", "bad poor"]).tolist() == ["praise", "blame"]


def test_dictionaries_and_texts_beside_numbers():
    rows = [{"site": site, "dose": dose} for site, dose in zip(rng.choice(["a", "b", "c"], 200), rng.normal(size=200))]
    target = [2.0 * (row["site"] == "b") + row["dose"] + 0.1 * rng.normal() for row in rows]
    model = make_pipeline(DictVectorizer(dtype=np.float32), BayesianLinearRegression("shared")).fit(rows, target)
    effect = dict(zip(model[:-1].get_feature_names_out(), model[-1].coef_))
    assert effect["dose"] == pytest.approx(1, abs=0.05)
    assert effect["site=b"] - effect["site=a"] == pytest.approx(2, abs=0.1)
    table = pandas.DataFrame(rows)
    columns = ColumnTransformer([("site", OneHotEncoder(), ["site"]), ("dose", StandardScaler(), ["dose"])], sparse_threshold=1)
    model = make_pipeline(columns, BayesianLinearRegression("shared")).fit(table, target)
    assert scipy.sparse.issparse(model[:-1].transform(table))
    effect = dict(zip(model[:-1].get_feature_names_out(), model[-1].coef_))
    assert effect["site__site_b"] - effect["site__site_a"] == pytest.approx(2, abs=0.1)


def test_the_summary_has_the_words():
    model = make_pipeline(CountVectorizer(), BayesianLogisticRegression("ard")).fit(TEXTS, OPINION)
    assert "\n  x1 " in model[-1].summary()
    text = model[-1].summary(columns=model[:-1].get_feature_names_out())
    assert all(f"\n  {word} " in text for word in ("actor", "bad", "fine", "film", "good")) and "\n  x1 " not in text
    assert "\n  x1 " in model[-1].summary()  # the model keeps its own
    with pytest.raises(InvalidArgumentError, match="^columns has 2 entries; the model has 8 columns"):
        model[-1].summary(columns=["a", "b"])
    three = np.array(["u", "v", "w"])[rng.integers(0, 3, size=200)]
    text = BayesianLogisticRegression("shared").fit(rng.normal(size=(200, 2)), three).summary(columns=["left", "right"])
    assert "left" in text and "right" in text


def test_searches_and_cross_validation():
    model = make_pipeline(TfidfVectorizer(), BayesianLogisticRegression("shared"))
    assert cross_val_score(model, TEXTS, OPINION, cv=4).mean() > 0.8
    search = GridSearchCV(model, {"bayesianlogisticregression__prior": ["shared", "ard"]}, cv=3).fit(TEXTS, OPINION)
    assert search.best_score_ > 0.8
    X = TfidfVectorizer().fit_transform(TEXTS)
    selected = make_pipeline(RelevanceSelector(BayesianLogisticRegression("ard")), BayesianLogisticRegression("shared")).fit(X, OPINION)
    assert selected.score(X, OPINION) > 0.8


# ---- memory

CHILD = """
import resource, sys
import numpy as np, scipy.sparse
from ardvark import BayesianLinearRegression, BayesianLogisticRegression

def made(form):
    rng = np.random.default_rng(0)
    if form == "csc":
        values, rows = rng.normal(size=4_000_000).astype(np.float32), np.empty(4_000_000, dtype=np.int32)
        for j in range(200):
            rows[20_000 * j : 20_000 * (j + 1)] = np.sort(rng.permutation(100_000)[:20_000])
        return scipy.sparse.csc_array((values, rows, np.arange(0, 4_000_001, 20_000, dtype=np.int32)), shape=(100_000, 200))
    numbers = np.empty((100_000, 300), dtype=np.int8 if "int8" in form else np.float32, order=form[0])
    for first in range(0, 100_000, 10_000):
        numbers[first : first + 10_000] = rng.integers(-9, 10, size=(10_000, 300))
    return numbers

form, kind = sys.argv[1:3]
X = made(form)
y = np.random.default_rng(1).normal(size=100_000)
model = BayesianLinearRegression("shared") if kind == "linear" else BayesianLogisticRegression("shared")
target = y if kind == "linear" else y > 0
type(model)("shared").fit(X[:1000], target[:1000]).predict(X[:1000])  # what is loaded once
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.fit(X, target)
fitted = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.predict(X)
predicted = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((fitted - before) / 1024, (predicted - before) / 1024)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "form, kind, limit",
    [("C int8", "linear", 25), ("F int8", "logistic", 25), ("C float32", "logistic", 60), ("F float32", "linear", 25), ("csc", "linear", 25), ("csc", "logistic", 25)],
)
def test_no_copy_of_x_is_made(form, kind, limit):
    """The most memory of a process, in MiB, beyond X and its target. X has 29 as int8, 114 as float32, 31 as entries; as doubles 229 and 153."""
    done = subprocess.run([sys.executable, "-c", CHILD, form, kind], capture_output=True, text=True, env={"OPENBLAS_NUM_THREADS": "1"} | dict(os.environ))
    assert done.returncode == 0, done.stderr
    fit, predict = map(float, done.stdout.split())
    assert max(fit, predict) < limit


def test_numpy_makes_no_copy():
    many = np.tile(WHOLE, (500, 8))
    target = np.tile(y, 500)
    for X in (many.astype(np.int8), np.asfortranarray(many, dtype=np.float32), scipy.sparse.csc_array(many.astype(np.int8))):
        tracemalloc.start()
        BayesianLinearRegression("shared").fit(X, target).predict(X)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 11 * target.nbytes  # checks of the target, and what predictions return; X as doubles has 72 of them


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8])
def test_products_in_blocks(kind, monkeypatch):
    monkeypatch.setattr("ardvark._arrays._BLOCK", 37)
    w = rng.normal(size=9)
    signed = (WHOLE * rng.choice([-1, 1], size=9)).astype(kind)
    for X in (signed, np.asfortranarray(signed), scipy.sparse.csc_array(signed), signed[:0], scipy.sparse.csc_array(signed[:0])):
        numbers = (X.toarray() if scipy.sparse.issparse(X) else X).astype(float)
        np.testing.assert_allclose(product(X, w), numbers @ w, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(product(X, w, np.abs), np.abs(numbers) @ w, rtol=1e-13, atol=1e-14)
