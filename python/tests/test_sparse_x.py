"""Estimators of a scipy.sparse X: those of the same numbers in an array."""

import inspect
import warnings

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ardvark
from ardvark import BayesianCountRegression, BayesianLinearRegression, BayesianLogisticRegression, KernelRegressor, RelevanceSelector, SequentialLogisticRegression, SparseLogisticRegression
from ardvark._arrays import with_right_places

rng = np.random.default_rng(2)
S = scipy.sparse.random(150, 12, density=0.2, random_state=3, format="csc")
D = S.toarray()
y = 2 * D[:, 0] - D[:, 1] + 0.1 * rng.normal(size=150)
labels = np.where(y + 0.3 * rng.normal(size=150) > 0, "up", "down")

FORMS = [scipy.sparse.csc_matrix, scipy.sparse.csc_array, scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.coo_array, scipy.sparse.lil_array]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("prior", ["shared", "ard", "none", [[0, 1, 2], list(range(3, 12))]], ids=str)
def test_regressions(form, prior):
    sparse = BayesianLinearRegression(prior, tol=1e-11).fit(form(S), y)
    dense = BayesianLinearRegression(prior, tol=1e-11, solver="primal" if prior != "shared" else "automatic").fit(D, y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-7)
    np.testing.assert_allclose(sparse.coef_std_, dense.coef_std_, rtol=1e-6)
    for a, b in zip(sparse.predict(form(S[:20]), return_std=True), dense.predict(D[:20], return_std=True)):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(sparse.predict_interval(form(S)), sparse.predict_interval(D), rtol=1e-8, atol=1e-9)
    assert sparse.score(form(S), y) == pytest.approx(dense.score(D, y), abs=1e-9)
    assert sparse.log_density(form(S), y) == pytest.approx(sparse.log_density(D, y), rel=1e-8)


@pytest.mark.parametrize("prior", ["shared", "ard"])
def test_classifications(prior):
    sparse = BayesianLogisticRegression(prior, tol=1e-11).fit(S.tocsr(), labels)
    dense = BayesianLogisticRegression(prior, tol=1e-11).fit(D, labels)
    assert list(sparse.classes_) == ["down", "up"]
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
    np.testing.assert_allclose(sparse.predict_proba(S[:30]), dense.predict_proba(D[:30]), atol=1e-6)
    assert (sparse.predict(S) == sparse.predict(D)).all()


def test_weights_zero_rows_and_other_types():
    weights = np.arange(150) % 4.0
    sparse = BayesianLinearRegression("shared", tol=1e-11).fit(S, y, sample_weight=weights)
    dense = BayesianLinearRegression("shared", tol=1e-11).fit(D, y, sample_weight=weights)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8)
    counts = scipy.sparse.csr_array((D * 10).astype(np.int64))
    sparse = BayesianLinearRegression("shared", tol=1e-11).fit(counts, y)
    np.testing.assert_allclose(sparse.coef_, BayesianLinearRegression("shared", tol=1e-11).fit(counts.toarray(), y).coef_, atol=1e-8)


def test_entries_that_are_repeated_or_unsorted_are_added():
    rows, columns = np.array([0, 0, 2, 1, 3]), np.array([0, 0, 1, 0, 1])
    X = scipy.sparse.coo_array((np.array([1.0, 2, 4, 5, 1]), (rows, columns)), shape=(6, 2)).tocsc()
    unsorted = scipy.sparse.csc_array((X.data[::-1].copy(), X.indices[::-1].copy(), np.array([0, 2, 4])), shape=(6, 2))
    before = unsorted.indices.copy()
    for one in (X, unsorted):
        target = np.arange(6.0)
        np.testing.assert_allclose(
            BayesianLinearRegression("shared", tol=1e-11).fit(one, target).coef_,
            BayesianLinearRegression("shared", tol=1e-11).fit(one.toarray(), target).coef_,
            atol=1e-9,
        )
    assert (unsorted.indices == before).all()  # the caller's matrix is as it was


def test_the_default_prior_file_and_clone(tmp_path):
    model = BayesianLinearRegression().fit(S, y)
    dense = BayesianLinearRegression().fit(D, y)
    np.testing.assert_allclose(model.inclusion_, dense.inclusion_, atol=1e-6)
    np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-6)
    model.save(tmp_path / "m.ardvark")
    again = ardvark.load(tmp_path / "m.ardvark")
    assert (again.predict(S) == model.predict(S)).all()
    assert (clone(model).fit(S, y).coef_ == model.coef_).all()


def test_pipelines():
    color = np.array([["red"], ["green"], ["blue"]] * 50)
    model = make_pipeline(OneHotEncoder(drop="first"), BayesianLinearRegression("shared")).fit(color, (color[:, 0] == "red") + 0.1 * rng.normal(size=150))
    assert model.predict([["red"]])[0] > 0.8
    texts = ["good fine film", "bad poor film", "good story", "poor story bad", "fine good", "bad"] * 20
    model = make_pipeline(TfidfVectorizer(), BayesianLogisticRegression("shared")).fit(texts, ["pos", "neg", "pos", "neg", "pos", "neg"] * 20)
    assert list(model.predict(["good", "bad poor"])) == ["pos", "neg"]


def test_memory_is_that_of_the_entries():
    import tracemalloc

    X = scipy.sparse.random(20_000, 5_000, density=2e-4, random_state=1, format="csc")
    target = np.asarray(X[:, [0, 1]].sum(axis=1)).ravel() + rng.normal(size=20_000)
    tracemalloc.start()
    BayesianLinearRegression("shared").fit(X[:, :200], target)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 5e6  # in Python; a dense copy of 200 columns has 32 MB


@pytest.mark.filterwarnings("ignore::ardvark.ArdvarkWarning")
@pytest.mark.parametrize(
    "estimator, message",
    [
        (BayesianLinearRegression("shared", solver="qr"), "qr"),
        (BayesianLinearRegression("shared", missing="drop"), "missing"),
        (KernelRegressor(), "[Ss]parse"),
    ],
    ids=str,
)
def test_refusals(estimator, message):
    with pytest.raises((ValueError, TypeError), match=message):
        estimator.fit(S, y)


@pytest.mark.parametrize("prior", ["shared", "ard", "sparse", "dense"])
def test_several_classes(prior):
    target = np.array(["a", "b", "c"])[np.digitize(y + 0.3 * rng.normal(size=150), [-0.1, 0.5])]
    sparse, dense = (BayesianLogisticRegression(prior, tol=1e-10).fit(X, target) for X in (S, D))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
    # A bound that changes by 1e-10 nats at the end leaves the scores open to sqrt(2e-10) standard deviations.
    np.testing.assert_allclose(sparse.predict_proba(S), dense.predict_proba(D), atol=1e-5)
    np.testing.assert_allclose(sparse.predict_proba(F.to_numpy()), dense.predict_proba(D), atol=1e-5)


@pytest.mark.parametrize("prior", ["shared", "ard", "none", [[0, 1, 2], list(range(3, 12))]], ids=str)
def test_counts(prior):
    target = rng.poisson(np.exp(0.5 * y))
    sparse, dense = (BayesianCountRegression(prior, tol=1e-11).fit(X, target) for X in (S.tocsr(), D))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-7)
    np.testing.assert_allclose(sparse.predict(S[:20]), dense.predict(D[:20]), rtol=1e-7)
    np.testing.assert_array_equal(sparse.predict_interval(S[:20]), dense.predict_interval(D[:20]))
    assert sparse.score(S, target) == pytest.approx(dense.score(D, target), abs=1e-9)


def test_counts_with_an_exposure():
    days = scipy.sparse.csc_array(rng.uniform(1, 30, size=(150, 1)))
    X = scipy.sparse.hstack([S, days], format="csr")
    target = rng.poisson(days.toarray().ravel() * np.exp(0.3 * y))
    sparse, dense = (BayesianCountRegression("shared", exposure=12, tol=1e-11).fit(one, target) for one in (X, X.toarray()))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-7)
    assert sparse.score(X, target) == pytest.approx(dense.score(X.toarray(), target), abs=1e-9)


@pytest.mark.parametrize("prior", ["sparse", "slab", "dense"])
def test_priors_of_inclusions(prior):
    for estimator, target in ((BayesianLinearRegression(prior, tol=1e-9), y), (BayesianLogisticRegression(prior, tol=1e-9), labels)):
        sparse, dense = (clone(estimator).fit(X, target) for X in (S, D))
        np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-6)
        np.testing.assert_allclose(sparse.coef_std_, dense.coef_std_, rtol=1e-5)
        if prior != "dense":
            np.testing.assert_allclose(sparse.inclusion_, dense.inclusion_, atol=1e-6)


def test_laplace():
    for estimator, target in ((BayesianLinearRegression("laplace"), y), (BayesianLogisticRegression("laplace"), labels)):
        sparse, dense = (clone(estimator).fit(X, target) for X in (S, D))
        assert sparse.lambda_ == pytest.approx(dense.lambda_, rel=1e-9)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-7)


def test_nan_is_named():
    wrong = S.copy()
    wrong.data[0] = np.nan
    row = int(wrong.indices[0])
    with pytest.raises(ValueError, match=f"X at row {row + 1}, column 'x1' is NaN"):
        BayesianLinearRegression("shared").fit(wrong, y)
    model = BayesianLinearRegression("shared").fit(S, y)
    with pytest.raises(ValueError, match=f"X at row {row + 1}, column 'x1' is NaN"):
        model.predict(wrong)


NAMES = [f"c{j}" for j in range(12)]
F = pandas.DataFrame.sparse.from_spmatrix(S, columns=NAMES)


@pytest.mark.parametrize("estimator", [BayesianLinearRegression("shared", tol=1e-11), BayesianLogisticRegression("shared", tol=1e-11)], ids=str)
def test_a_dataframe_of_sparse_columns_is_a_sparse_x_with_names(estimator):
    target = y if isinstance(estimator, BayesianLinearRegression) else labels
    of_matrix, of_frame = clone(estimator).fit(S, target), clone(estimator).fit(F, target)
    assert list(of_frame.feature_names_in_) == NAMES
    assert (of_frame.coef_ == of_matrix.coef_).all()
    others = F.assign(other=1.0)[["other", *NAMES[::-1]]]  # found by name
    for rows in (F, others):
        assert (of_frame.predict(rows) == of_matrix.predict(S)).all()
    by_name = clone(estimator).fit(F.assign(result=target), target="result")
    assert (by_name.coef_ == of_matrix.coef_).all()
    dense = clone(estimator).fit(F.sparse.to_dense(), target)
    np.testing.assert_allclose(dense.predict(F) == target, of_frame.predict(F) == target)


def test_several_entries_of_one_cell_are_added():
    """scipy adds them; pandas keeps one when it makes such a column dense, so that the prior decided what X was."""
    twice = S.copy()
    twice.data *= 0.5
    parts = scipy.sparse.csc_matrix((np.repeat(twice.data, 2), np.repeat(twice.indices, 2), 2 * twice.indptr), S.shape)
    assert (parts.toarray() == D).all()
    frame = pandas.DataFrame.sparse.from_spmatrix(parts, columns=NAMES)
    for prior in ("shared", "dense"):  # of a sparse X, and of a dense one
        np.testing.assert_allclose(BayesianLinearRegression(prior).fit(frame, y).coef_, BayesianLinearRegression(prior).fit(D, y).coef_, rtol=1e-9, atol=1e-12)


def test_the_frame_is_not_made_dense(monkeypatch):
    monkeypatch.setattr("ardvark._tables._dense", lambda column: pytest.fail("a column was made dense"))
    assert (BayesianLinearRegression().fit(F, y).coef_ == BayesianLinearRegression().fit(S, y).coef_).all()


def test_indicators_of_pandas():
    sites = pandas.DataFrame({"site": list("abc") * 50})
    sparse, dense = (pandas.get_dummies(sites, sparse=is_sparse) for is_sparse in (True, False))
    models = [BayesianLinearRegression("shared", tol=1e-11).fit(X, y) for X in (sparse, dense)]
    np.testing.assert_allclose(models[0].predict(sparse), models[1].predict(dense), atol=1e-8)


@pytest.mark.parametrize(
    "estimator",
    [BayesianLinearRegression("shared", missing="drop"), KernelRegressor(), SequentialLogisticRegression()],
    ids=str,
)
def test_a_frame_is_made_dense_for_a_fit_that_needs_it(estimator):
    target = rng.poisson(2, size=150) if not hasattr(estimator, "predict_proba") else labels
    of_frame, dense = (clone(estimator).fit(X, target).predict(F.sparse.to_dense()) for X in (F, F.sparse.to_dense()))
    np.testing.assert_array_equal(of_frame, dense)
    predicted = clone(estimator).fit(F, target).predict(F)  # sums of fewer terms are rounded otherwise
    assert (predicted == dense).all() if dense.dtype.kind == "U" else np.allclose(predicted, dense, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("fill", [1.0, np.nan])
def test_a_sparse_column_may_leave_out_other_values_than_zero(fill):
    X = pandas.DataFrame({"a": pandas.arrays.SparseArray([1.0, 1, 2, 1, 3, 1], fill_value=fill), "b": pandas.arrays.SparseArray([0.0, 1, 0, 0, 2, 0], fill_value=0)})
    target = [1.0, 2, 3, 4, 5, 5]
    of_frame, dense = (BayesianLinearRegression("shared").fit(table, target).coef_ for table in (X, X.astype(float)))
    assert (of_frame == dense).all()


def test_one_dense_column_beside_sparse_ones_makes_a_dense_table():
    mixed = F.assign(more=rng.normal(size=150))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = BayesianLinearRegression("shared").fit(mixed, y)
        assert (model.predict(mixed) == model.predict(mixed.astype(float))).all()


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_selected_columns_stay_sparse(form):
    selector = RelevanceSelector(BayesianLinearRegression("ard"), max_features=2).fit(form(S), y)
    kept = selector.transform(form(S))
    assert scipy.sparse.issparse(kept)
    np.testing.assert_array_equal(kept.toarray(), D[:, selector.support_])
    again = selector.inverse_transform(kept)
    np.testing.assert_array_equal(again.toarray(), np.where(selector.support_, D, 0))
    assert make_pipeline(selector, BayesianLinearRegression("shared")).fit(form(S), y).score(form(S), y) > 0.9


def test_selected_columns_of_a_frame():
    selector = RelevanceSelector(BayesianLinearRegression("ard"), max_features=2).fit(F, y)
    assert list(selector.get_feature_names_out()) == ["c0", "c1"]
    np.testing.assert_array_equal(selector.transform(F).toarray(), D[:, :2])
    named = selector.set_output(transform="pandas").transform(F)
    assert list(named.columns) == ["c0", "c1"] and (named.to_numpy() == D[:, :2]).all()
    with pytest.raises(ValueError, match=r"X is sparse; RelevanceSelector needs a dense X: give X.toarray\(\)"):
        RelevanceSelector(BayesianLinearRegression("ard"), by="counts").fit(S, y)


@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.coo_matrix, lambda X: iter([X[:100], X[100:]]), lambda X: X.toarray()], ids=["csr", "coo", "pieces", "array"])
def test_predictions_in_pieces(form, tmp_path, monkeypatch):
    monkeypatch.setattr("ardvark._streams._ROWS", 64)
    model = BayesianLinearRegression("shared").fit(S, y)
    pieces = list(model.predict_batches(form(S)))
    assert len(pieces) > 1
    np.testing.assert_allclose(np.concatenate(pieces), model.predict(S), rtol=1e-11, atol=1e-13)
    assert model.predict_to(form(S), tmp_path / "p.csv") == 150
    np.testing.assert_allclose(pandas.read_csv(tmp_path / "p.csv")["mean"], model.predict(S), rtol=1e-11, atol=1e-13)


def test_sparse_rows_of_a_model_that_fills_gaps():
    gappy = D.copy()
    gappy[3, 1] = np.nan
    model = BayesianLinearRegression("shared", missing="impute").fit(gappy, y)
    np.testing.assert_array_equal(model.predict(S), model.predict(D))
    np.testing.assert_array_equal(BayesianLinearRegression("shared", missing="impute").fit(pandas.DataFrame(gappy, columns=NAMES), y).predict(F), model.predict(D))


ESTIMATORS = [cls for _, cls in inspect.getmembers(ardvark, inspect.isclass) if issubclass(cls, BaseEstimator) and "y" in inspect.signature(cls.fit).parameters]
SPARSE = (BayesianLinearRegression, BayesianLogisticRegression, BayesianCountRegression, SparseLogisticRegression, RelevanceSelector)
DENSE = [cls() for cls in ESTIMATORS if cls not in SPARSE]


@pytest.mark.filterwarnings("ignore::ardvark.ArdvarkWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", DENSE, ids=str)
def test_all_other_estimators_say_how_x_becomes_dense(estimator):
    target = (y > 0.1).astype(int)
    message = r"^X is sparse; \w+ needs a dense X: give X.toarray\(\)$"
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(S, target)
    if hasattr(estimator, "predict"):
        model = clone(estimator).fit(D, target)
        with pytest.raises(ValueError, match=message):
            model.predict(S)
        with pytest.raises(ValueError, match=message[1:]):
            list(model.predict_batches(S))


@pytest.mark.parametrize(
    "reader",
    [
        lambda: ardvark.compare(S, y),
        lambda: BayesianLinearRegression().partial_fit(S, y),
        lambda: SequentialLogisticRegression().partial_fit(S, labels, classes=["down", "up"]),
        lambda: ardvark.LinearStatistics().update(S, y),
        lambda: BayesianLinearRegression("shared", solver="qr").fit(S, y),
        lambda: BayesianLogisticRegression("shared", diagnose=True).fit(S, labels),
        lambda: BayesianLinearRegression("shared", missing="drop").fit(S, y),
        lambda: BayesianLinearRegression("shared", missing="impute").fit(S, y),
    ],
)
def test_whatever_needs_a_dense_x_says_how_it_is_made(reader):
    with pytest.raises(ValueError, match=r"sparse.*needs a dense X.*X.toarray\(\)"):
        reader()


def test_several_classes_of_a_frame():
    of_frame, of_matrix = (BayesianLogisticRegression("shared").fit(X, np.arange(150) % 3) for X in (F, S))
    assert (of_frame.coef_ == of_matrix.coef_).all() and list(of_frame.feature_names_in_) == NAMES


def test_missing_values_are_not_said_to_be_absent():
    wrong = S.copy()
    wrong.data[0] = np.nan
    for missing in ("drop", "impute"):
        with pytest.raises(ValueError, match=f"a sparse X takes no missing values; missing='{missing}' needs a dense X"):
            BayesianLinearRegression("shared", missing=missing).fit(wrong, y)
    with pytest.raises(ValueError, match="leave out such rows$"):
        BayesianLinearRegression("shared").fit(wrong, y, sample_weight=np.arange(150))


def test_a_prior_is_advised_that_the_x_can_have():
    X = scipy.sparse.random(30, 100, density=0.3, random_state=1, format="csr")
    with pytest.warns(ardvark.ArdvarkWarning, match=r"\(prior='sparse'\)$"):
        BayesianLinearRegression("ard").fit(X, np.random.default_rng(0).normal(size=30))


def test_columns_that_are_kept_beside_predictions(tmp_path):
    model = BayesianLinearRegression("shared").fit(F, y)
    assert model.predict_to(F, tmp_path / "p.parquet", keep=["c3"]) == 150
    assert (pandas.read_parquet(tmp_path / "p.parquet")["c3"] == D[:, 3]).all()
    with pytest.raises(ValueError, match="keep names the column 'c3', but the columns of the source have no names"):
        BayesianLinearRegression("shared").fit(S, y).predict_to(S, tmp_path / "p.parquet", keep=["c3"])


def test_rows_of_a_sparse_x_are_not_kept_for_partial_fit():
    with pytest.raises(ValueError, match="fits of large tables, of a sparse X, of texts"):
        BayesianLinearRegression("shared").fit(S, y).partial_fit(D, y)


def broken(form, part, place, value):
    """S in this form, with one wrong number in an array, or with an array that is cut."""
    X = scipy.sparse.csc_matrix(S).asformat(form)
    numbers = getattr(X, part).copy()
    if place is None:
        numbers = numbers[:value]
    else:
        numbers[place] = value
    setattr(X, part, numbers)
    return X


WRONG = [
    ("csr", "indices", 5, 12, r"an entry in column 12, counted from 0; it must be from 0 to 11;"),
    ("csr", "indices", 5, -1, "an entry in column -1"),
    ("csc", "indices", 5, 10**6, r"an entry in row 1000000, counted from 0; it must be from 0 to 149;"),
    ("csr", "indptr", -1, 10**6, r"indptr\[150\] = 1000000, but only 360 entries in indices"),
    ("csc", "indptr", -1, 361, r"indptr\[12\] = 361, but only 360 entries in indices"),
    ("csr", "indptr", 3, 0, r"indptr\[3\] = 0 after \d+; it must not fall"),
    ("csc", "indptr", 0, 1, r"indptr\[0\] = 1; it must be 0"),
    ("csr", "indptr", None, -1, "150 entries in indptr; there must be 151"),
    ("csr", "data", None, -1, r"indptr\[150\] = 360, but only 359 entries in data"),
    ("csc", "indices", None, -2, r"indptr\[12\] = 360, but only 358 entries in indices"),
    ("coo", "row", 2, 150, "an entry in row 150"),
    ("coo", "col", 2, -1, "an entry in column -1"),
    ("coo", "data", None, -1, "360 row numbers, but 359 values"),
]
READERS = {
    "fit": lambda X: BayesianLinearRegression("shared").fit(X, y),
    "fit of classes": lambda X: BayesianLogisticRegression("shared").fit(X, labels),
    "predict": lambda X: BayesianLinearRegression("shared").fit(S, y).predict(X),
    "predict_proba": lambda X: BayesianLogisticRegression("shared").fit(S, labels).predict_proba(X),
    "pieces": lambda X: list(BayesianLinearRegression("shared").fit(S, y).predict_batches(X)),
    "select": lambda X: RelevanceSelector(BayesianLinearRegression("ard")).fit(X, y),
    "transform": lambda X: RelevanceSelector(BayesianLinearRegression("ard")).fit(S, y).transform(X),
    "library": lambda X: ardvark._core.fit(X, y, model="linear", prior="shared"),
}


@pytest.mark.parametrize("form, part, place, value, message", WRONG)
def test_entries_beyond_the_matrix_are_refused(form, part, place, value, message):
    """scipy would read and write beyond its arrays. Here it is not called: a failure cannot crash."""
    with pytest.raises(ardvark.InvalidArgumentError, match="^X is sparse and has " + message) as found:
        with_right_places(broken(form, part, place, value))
    assert found.value.argument == "X" and str(found.value).endswith(found.value.remedy)


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_all_readers_look_where_the_entries_are(reader, monkeypatch):
    X = broken("csr", "indices", 5, 12)

    def no_call(*arguments):
        raise AssertionError("the matrix reached scipy")

    for name in ("tocsc", "tocsr", "astype", "copy"):
        monkeypatch.setattr(X, name, no_call)
    with pytest.raises(ardvark.InvalidArgumentError, match="^X is sparse and has an entry in column 12"):
        reader(X)


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_right_matrices_of_all_forms_pass(form):
    assert (with_right_places(S.asformat(form)).toarray() == D).all()


def test_arrays_with_steps_and_numbers_of_two_sizes():
    X = scipy.sparse.csc_array(S)
    X.data, X.indices = np.repeat(X.data, 2)[::2], np.repeat(X.indices, 2)[::2]
    assert (BayesianLinearRegression("shared").fit(X, y).coef_ == BayesianLinearRegression("shared").fit(S, y).coef_).all()
    X.indptr = X.indptr.astype(np.int64)
    assert (BayesianLinearRegression("shared").fit(X, y).coef_ == BayesianLinearRegression("shared").fit(S, y).coef_).all()


@pytest.mark.filterwarnings("ignore::ardvark.ArdvarkWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("algorithm", ["slr_var", "slr_lap", "rlr_var", "rlr_lap", "l1_slr_lap", "l1_slr_c", "smlr", "rmlr"])
def test_the_programs_of_the_toolbox_take_it(algorithm):
    random = np.random.default_rng(2)
    S = scipy.sparse.random(120, 200, 0.1, format="csr", random_state=2, data_rvs=random.standard_normal)
    score = np.ravel((4 * S[:, [3]] - 4 * S[:, [5]]).toarray()) + 0.3 * random.normal(size=120)
    targets = [score > 0] + ([np.digitize(score, [-0.4, 0.4])] if algorithm in ("slr_var", "smlr", "rmlr") else [])
    for target in targets:
        for coding in ("ovr", "ovo") if algorithm == "slr_var" else ("ovr",):
            estimator = SparseLogisticRegression(algorithm, multi_class=coding)
            sparse, dense = clone(estimator).fit(S, target), clone(estimator).fit(S.toarray(), target)
            np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8 * np.abs(dense.coef_).max())
            np.testing.assert_allclose(sparse.predict_proba(S[:30]), dense.predict_proba(S[:30].toarray()), atol=1e-8)
    chosen = [RelevanceSelector(SparseLogisticRegression(algorithm)).fit(form, targets[0]).get_support() for form in (S, S.toarray())]
    np.testing.assert_array_equal(*chosen)
    with pytest.raises(ValueError, match="with compat, the scaling and the order of the published program, needs a dense X, X.toarray"):
        SparseLogisticRegression(algorithm, compat=True).fit(S, targets[0])


@pytest.mark.parametrize("rows, columns", [(200, 3), (60, 200)])  # the flat columns are more numbers than the Gram matrix of all, and fewer
def test_flat_columns_that_depend_on_each_other_are_named_as_of_a_dense_table(rows, columns):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.5)
    X[:, 2] = X[:, 0] + X[:, 1]
    y = X[:, 0] + rng.normal(size=rows) > 0
    said = []
    for table in (X, scipy.sparse.csc_matrix(X)):
        with pytest.warns(UserWarning) as caught:
            BayesianLogisticRegression(flat=[0, 1, 2]).fit(table, y)
        said.append([str(one.message) for one in caught])
    assert said[0] == said[1] and "dependent" in said[0][0]
