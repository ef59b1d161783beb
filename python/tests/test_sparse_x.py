"""Estimators of a scipy.sparse X: those of the same numbers in an array."""

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ardvark
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, KernelRegressor

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
    assert "ard was taken, not sparse, because it needs a dense X" in " ".join(model.notes_)
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
        (BayesianLinearRegression("sparse"), "X is sparse, and prior 'sparse'"),
        (BayesianLinearRegression("laplace"), "X is sparse, and prior 'laplace'"),
        (BayesianLinearRegression("shared", solver="qr"), "qr"),
        (BayesianLinearRegression("shared", missing="drop"), "missing"),
        (KernelRegressor(), "[Ss]parse"),
    ],
    ids=str,
)
def test_refusals(estimator, message):
    with pytest.raises((ValueError, TypeError), match=message):
        estimator.fit(S, y)


def test_several_classes_need_a_dense_x():
    with pytest.raises(ValueError, match="a fit of several classes needs a dense X"):
        BayesianLogisticRegression("shared").fit(S, np.arange(150) % 3)


def test_nan_is_named():
    wrong = S.copy()
    wrong.data[0] = np.nan
    row = int(wrong.indices[0])
    with pytest.raises(ValueError, match=f"X at row {row + 1}, column 'x1' is NaN"):
        BayesianLinearRegression("shared").fit(wrong, y)
    model = BayesianLinearRegression("shared").fit(S, y)
    with pytest.raises(ValueError, match=f"X at row {row + 1}, column 'x1' is NaN"):
        model.predict(wrong)


@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.coo_matrix, lambda X: iter([X[:100], X[100:]]), lambda X: X.toarray()], ids=["csr", "coo", "pieces", "array"])
def test_predictions_in_pieces(form, tmp_path, monkeypatch):
    monkeypatch.setattr("ardvark._streams._ROWS", 64)
    model = BayesianLinearRegression("shared").fit(S, y)
    pieces = list(model.predict_batches(form(S)))
    assert len(pieces) > 1
    np.testing.assert_allclose(np.concatenate(pieces), model.predict(S), rtol=1e-11, atol=1e-13)
    assert model.predict_to(form(S), tmp_path / "p.csv") == 150
    np.testing.assert_allclose(pandas.read_csv(tmp_path / "p.csv")["mean"], model.predict(S), rtol=1e-11, atol=1e-13)
