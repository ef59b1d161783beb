"""Columns at a stated false discovery rate."""

import numpy as np
import pytest

from ardvark import BayesianCountRegression, BayesianLinearRegression, BayesianLogisticRegression


def rows(seed=0, n=300, p=30):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, 1.2 * X[:, 3] - X[:, 8] + rng.normal(size=n)


@pytest.mark.parametrize("prior", ["auto", "slab"])
def test_names_what_has_an_effect(prior):
    X, y = rows()
    for model in (BayesianLinearRegression(prior, fdr=0.1).fit(X, y), BayesianLogisticRegression(prior, fdr=0.1).fit(X, y > 0)):
        assert sorted(found.columns.tolist() for found in model.select(0.01)) == [[3], [8]]
        assert all(found.probability > 0.9 for found in model.select(0.01))


@pytest.mark.parametrize("guarantee", ["posterior", "knockoffs"])
def test_of_counts_and_of_outliers(guarantee):
    """(FDR.9), (FDR.10)"""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 24))
    score = X[:, :12] @ np.full(12, 0.3)
    counts, numbers = rng.poisson(rng.gamma(4, 0.25, 400) * np.exp(0.5 + score)), score + 0.7 * rng.standard_t(3, 400)
    for model, y in ((BayesianCountRegression("slab", fdr=0.2, guarantee=guarantee), counts), (BayesianLinearRegression("slab", noise="student", fdr=0.2, guarantee=guarantee), numbers)):
        found = model.fit(X, y).select(0.2)
        assert len(found) >= 8 and np.mean([one.columns.min() >= 12 for one in found]) < 0.4


def test_offsets_are_known_to_the_selection():
    rng = np.random.default_rng(4)
    X, offset = rng.normal(size=(300, 10)), rng.normal(size=300)
    y = rng.poisson(np.exp(offset + 0.5 * X[:, 3]))
    assert [one.columns.tolist() for one in BayesianCountRegression(fdr=0.05).fit(X, y, offset=offset).select(0.05)] == [[3]]
    with pytest.raises(ValueError, match="offset"):
        BayesianCountRegression(fdr=0.2, guarantee="knockoffs").fit(X, y, offset=offset)


def test_names_columns_of_a_table():
    pandas = pytest.importorskip("pandas")
    X, y = rows()
    table = pandas.DataFrame(X).rename(columns="c{}".format)
    model = BayesianLinearRegression(fdr=0.1).fit(table, y)
    assert sorted(found.names for found in model.select(0.01)) == [["c3"], ["c8"]]


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix", "int8", "float32"])
def test_of_any_form_of_X(form):
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(3)
    X = (rng.random((300, 30)) < 0.2) * rng.integers(1, 4, (300, 30))
    y = 1.2 * X[:, 3] - X[:, 8] + rng.normal(size=300)
    made = X.astype(form) if form in ("int8", "float32") else getattr(sparse, form)(X.astype(float))
    for estimator, target in ((BayesianLinearRegression, y), (BayesianLogisticRegression, y > 0.5)):
        found, expected = (estimator("slab", fdr=0.1).fit(x, target).select(0.05) for x in (made, X.astype(float)))
        assert sorted(one.columns.tolist() for one in found) == [[3], [8]]
        np.testing.assert_allclose([one.probability for one in found], [one.probability for one in expected], atol=1e-6)


def test_copies_count_once():
    X, y = rows()
    model = BayesianLinearRegression("slab", fdr=0.1).fit(np.hstack([X, X[:, [3]]]), y)
    assert sorted(sorted(found.columns.tolist()) for found in model.select(0.01)) == [[3, 30], [8]]


def test_of_noise_names_nothing():
    rng = np.random.default_rng(2)
    model = BayesianLinearRegression("slab", fdr=0.05).fit(rng.normal(size=(100, 40)), rng.normal(size=100))
    assert model.select(0.05) == []


def test_says_what_is_missing():
    X, y = rows()
    with pytest.raises(ValueError, match="fitted with fdr"):
        BayesianLinearRegression().fit(X, y).select()
    with pytest.raises(ValueError, match="between 0 and 1"):
        BayesianLinearRegression(fdr=0.1).fit(X, y).select(2)
    with pytest.raises(ValueError, match="prior"):
        BayesianLinearRegression("shared", fdr=0.1).fit(X, y)


def test_knockoffs_name_single_columns():
    """At a rate of .2, at least five columns or none.                                                     (FDR.8)"""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 40))
    y = X[:, :16] @ np.full(16, 0.5) + rng.normal(size=300)
    for model in (BayesianLinearRegression(fdr=0.2, guarantee="knockoffs"), BayesianLogisticRegression("slab", fdr=0.2, guarantee="knockoffs")):
        found = model.fit(X, y if isinstance(model, BayesianLinearRegression) else y > 0).select(0.2)
        assert len(found) >= 5 and all(len(one.columns) == 1 for one in found)
        assert model.select(0.01) == []
    with pytest.raises(ValueError, match="guarantee needs fdr"):
        BayesianLinearRegression(guarantee="knockoffs").fit(X, y)
    with pytest.raises(ValueError, match="random_state"):
        BayesianLinearRegression(fdr=0.2, guarantee="knockoffs", random_state=-1).fit(X, y)
