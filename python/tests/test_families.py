"""Families: counts that vary more than Poisson's, and noise with outliers."""

import pickle
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import ardvark
from ardvark import BayesianCountRegression, BayesianLinearRegression, BayesianLogisticRegression, _pieces
from ardvark.plot import CountDisplay

K = 0.5
TRUE = np.array([0.5, 0.0, -0.3])


def counts(seed, n=300, k=K):
    """Rows, and counts with the variance mu + k mu^2. (NB)"""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    mean = np.exp(1 + X @ TRUE)
    return X, rng.poisson(mean if k == 0 else mean * rng.gamma(1 / k, k, n))


def outliers(seed, n=200, share=0.1):
    """Rows, y, and which of them have an error of ten standard deviations."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    is_outlier = np.arange(n) < share * n
    return X, X @ [1, -1, 0.5, 0] + rng.normal(size=n) + 10 * is_outlier * rng.choice([-1, 1], n), is_outlier


@pytest.fixture(scope="module")
def binomial():
    return BayesianCountRegression("shared", family="negative-binomial").fit(*counts(0))


@pytest.fixture(scope="module")
def student():
    return BayesianLinearRegression(noise="student").fit(*outliers(0)[:2])


# ---- counts


def test_the_dispersion_is_inside_its_interval():  # (NB.5)
    inside = 0
    for seed in range(20):
        model = BayesianCountRegression("shared", family="negative-binomial").fit(*counts(seed))
        low, high = model.dispersion_interval_
        assert low < model.dispersion_ < high
        inside += low <= K <= high
    assert inside >= 17  # of 20 intervals of 95%: fewer once in 60 such tests


@pytest.mark.parametrize("k, family", [(0, "poisson"), (K, "negative-binomial")])
def test_auto_takes_the_family_of_the_data(k, family):
    for seed in range(4):
        X, y = counts(seed, k=k)
        chosen, given = BayesianCountRegression("shared").fit(X, y), BayesianCountRegression("shared", family=family).fit(X, y)
        assert chosen.family_ == family and (chosen.coef_ == given.coef_).all() and chosen.dispersion_ == given.dispersion_
        assert any(note.startswith(f"family auto: {family} was taken") for note in chosen.notes_)
        assert (chosen.dispersion_ > 0) == (k > 0) and (chosen.dispersion_interval_ > 0).all() == (k > 0)


@pytest.mark.parametrize("prior", ["shared", "sparse"])
def test_a_weight_of_a_count_is_repetition(prior):
    X, y = counts(1, 120)
    weight = np.random.default_rng(0).integers(1, 4, 120)
    options = dict(family="negative-binomial", tol=1e-10)
    weighted = BayesianCountRegression(prior, **options).fit(X, y, sample_weight=weight)
    repeated = BayesianCountRegression(prior, **options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    np.testing.assert_allclose(weighted.coef_std_, repeated.coef_std_, rtol=1e-4)
    assert weighted.dispersion_ == pytest.approx(repeated.dispersion_, rel=1e-4)


def test_files_and_pickles_of_counts(binomial, tmp_path):
    new = counts(2)[0][:30]
    binomial.save(tmp_path / "m.ardvark")
    for again in (ardvark.load(tmp_path / "m.ardvark"), pickle.loads(pickle.dumps(binomial))):
        assert again.family_ == "negative-binomial" and again.dispersion_ == binomial.dispersion_
        assert (again.dispersion_interval_ == binomial.dispersion_interval_).all()
        assert (again.predict_interval(new) == binomial.predict_interval(new)).all()
        assert again.summary() == binomial.summary()
        assert clone(again).family == "negative-binomial"
    assert re.search(r"dispersion k +0\.\d+ \(95% .* to .*\): the variance is mu \+ k mu\^2", binomial.summary())


def test_predictions_of_counts_are_those_of_draws(binomial):
    new = counts(3)[0][:5]
    mean, std = binomial.predict(new, return_std=True)
    draws, rng = binomial.posterior_.sample(200_000, random_state=1), np.random.default_rng(2)
    k = binomial.dispersion_
    for i, x in enumerate(new):
        expected = np.exp(draws.coef @ x + draws.intercept)
        simulated = rng.poisson(expected * rng.gamma(1 / k, k, len(expected)))
        assert mean[i] == pytest.approx(simulated.mean(), rel=0.02)
        assert std[i] == pytest.approx(simulated.std(), rel=0.04)


def test_intervals_of_new_counts_hold(binomial):
    X, y = counts(4, 400)
    for level in (0.5, 0.95):
        low, high = binomial.predict_interval(X, level).T
        assert (low == np.floor(low)).all() and (high == np.floor(high)).all()
        assert np.mean((low <= y) & (y <= high)) > level - 3.3 * np.sqrt(level * (1 - level) / len(y))
    assert np.mean((low <= y) & (y <= high)) < 0.99  # the lower end is often 0, below which there is nothing
    narrow = BayesianCountRegression("shared", family="poisson").fit(*counts(0)).predict_interval(X)
    assert np.mean((narrow[:, 0] <= y) & (y <= narrow[:, 1])) < 0.9


def test_probabilities_of_counts_sum_to_one(binomial):
    new = counts(5)[0][:3]
    value = np.arange(600)
    p = np.array([np.exp(binomial.log_density(np.tile(x, (600, 1)), value)) for x in new])
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(p @ value, binomial.predict(new), rtol=1e-4)


def test_the_score_of_counts(binomial):
    X, y = counts(0)
    assert 0 < binomial.score(*counts(6, 2000)) < 1
    assert binomial.score(X, y, sample_weight=np.full(len(y), 2.0)) == pytest.approx(binomial.score(X, y), rel=1e-12)


@pytest.mark.parametrize("estimator", [BayesianCountRegression(), BayesianLinearRegression(noise="student")], ids=["counts", "student"])
def test_the_attributes_of_the_docstring_are_there(estimator):
    X, y = counts(0)
    model = estimator.fit(X, y)
    attributes = type(estimator).__doc__.split("Attributes\n")[1].split("References\n")[0].split("Examples\n")[0]
    names = {name for line in re.findall(r"^    (\w+(?:, \w+)*) : ", attributes, re.M) for name in line.split(", ")}
    assert {"coef_", "intercept_"} <= names
    optional = {"feature_names_in_", "sampled_", "missing_information_"}  # of tables with names, of other solvers, of imputed rows
    optional |= {"khat_", "khat_given_precisions_", "khat_effective_share_"}  # of diagnose
    assert [name for name in sorted(names - optional) if not hasattr(model, name)] == []


@pytest.mark.parametrize("prior", ["shared", "sparse"])
def test_displays_of_counts(prior):
    X, y = counts(7, 100)
    model = BayesianCountRegression(prior).fit(X, y)
    display = CountDisplay.from_estimator(model, X, y)
    assert display.observed.sum() == len(y)
    assert display.observed[:3].tolist() == [np.sum(y == value) for value in range(3)] or np.diff(display.count)[0] > 1
    assert 0.95 * len(y) < display.expected.sum() < len(y) + 1e-6
    width = int(np.diff(display.count)[0])
    by_hand = sum(np.exp(model.log_density(X, np.full(len(y), float(value)))).sum() for value in range(width))
    assert display.expected[0] == pytest.approx(by_hand, rel=0.02)
    low, high = display.ax_.get_ylim()
    assert low < 0 and high > np.sqrt(display.expected).max()
    residual = CountDisplay.from_estimator(model, X, y, kind="residuals")
    np.testing.assert_allclose(residual.residual, (y - model.predict(X)) / model.predict(X, return_std=True)[1])
    assert len(residual.points_.get_xdata()) == len(y) and residual.ax_.get_xscale() == "log"
    for wrong in ({"kind": "bars"}, {"max_count": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            CountDisplay.from_estimator(model, X, y, **wrong)
    plt.close("all")


def test_a_display_of_counts_with_an_offset():
    X, y = counts(8, 200, k=0)
    offset = np.zeros(len(y))
    model = BayesianCountRegression("shared").fit(X, y, offset=offset)
    display = CountDisplay.from_estimator(model, X, y, offset=offset)
    same = CountDisplay.from_estimator(BayesianCountRegression("shared").fit(X, y), X, y)
    np.testing.assert_allclose(display.expected, same.expected, rtol=1e-4)
    plt.close("all")


# ---- noise with outliers


def test_outliers_are_named(student):  # (TN.1)
    X, y, is_outlier = outliers(0)
    assert student.noise_family_ == "student" and student.row_weight_.shape == y.shape
    assert roc_auc_score(is_outlier, -student.row_weight_) > 0.99
    low, high = student.degrees_of_freedom_interval_
    assert low < student.degrees_of_freedom_ < high < 10
    true = np.array([1, -1, 0.5, 0])
    normal = BayesianLinearRegression().fit(X, y)
    assert np.mean((student.coef_ - true) ** 2) < np.mean((normal.coef_ - true) ** 2) / 2
    assert normal.row_weight_ is None and normal.degrees_of_freedom_ == np.inf


def test_intervals_of_new_values_have_long_tails():  # (TN.5)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 3))
    y = X @ [1, 0, -1] + rng.standard_t(3, 4000)
    model = BayesianLinearRegression("shared", noise="student").fit(X[:400], y[:400])
    low, high = model.degrees_of_freedom_interval_
    assert low < 3 < high
    for level in (0.5, 0.95):
        lower, upper = model.predict_interval(X[400:], level).T
        assert abs(np.mean((lower <= y[400:]) & (y[400:] <= upper)) - level) < 0.03


def test_auto_takes_normal_noise_for_clean_data():
    X, y, _ = outliers(2, share=0)
    clean = BayesianLinearRegression(noise="auto").fit(X, y)
    assert clean.noise_family_ == "normal" and clean.row_weight_ is None and "noise auto: normal was taken" in clean.notes_[-1]
    X, y, _ = outliers(2)
    assert BayesianLinearRegression(noise="auto").fit(X, y).noise_family_ == "student"


def long_table():
    rng = np.random.default_rng(7)
    table = pandas.DataFrame(rng.normal(size=(16000, 3)), columns=["a", "b", "c"])
    table["site"] = np.array(["x", "y", "z"])[rng.integers(0, 3, size=16000)]
    table["k"] = rng.integers(0, 3, size=16000).astype(float)
    mean = 40 + 2 * table.a - table.c + (table.site == "y")
    table["heavy"], table["clean"] = mean + 3 * rng.standard_t(3, size=16000), mean + rng.normal(size=16000)
    return table


def are_the_same(model, memory):
    assert model.converged_ and model.columns_ == memory.columns_ and model.noise_family_ == memory.noise_family_
    assert model.row_weight_ is None
    np.testing.assert_allclose(model.coef_, memory.coef_, atol=1e-6)
    np.testing.assert_allclose(model.coef_std_, memory.coef_std_, rtol=1e-5)
    assert model.alpha_ == pytest.approx(memory.alpha_, rel=1e-5)
    assert model.bound_ == pytest.approx(memory.bound_, abs=1e-4)
    np.testing.assert_allclose(model.degrees_of_freedom_interval_, memory.degrees_of_freedom_interval_, rtol=1e-5)


@pytest.mark.parametrize(
    "noise, target, prior, parameters",  # every two of noise, target and prior together
    [
        ("student", "heavy", "shared", {}),
        ("student", "clean", "ard", {"flat": ["b"]}),
        ("student", "heavy", "none", {}),
        ("auto", "clean", "shared", {}),
        ("auto", "heavy", "ard", {"flat": ["b"]}),
        ("auto", "clean", "none", {}),
    ],
)
def test_noise_of_a_table_that_is_read_in_pieces(tmp_path, noise, target, prior, parameters, monkeypatch):  # (PASS.12)
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    part = long_table().drop(columns="clean" if target == "heavy" else "heavy")
    part.to_parquet(tmp_path / "table.parquet", row_group_size=5000)
    part.to_csv(tmp_path / "table.csv", index=False)
    fits = [
        BayesianLinearRegression(prior, noise=noise, tol=1e-14, **parameters).fit(source, target, sample_weight="k")
        for source in (part, tmp_path / "table.parquet", tmp_path / "table.csv", lambda: iter([part[:4000], part[4000:]]))
    ]
    assert fits[0].noise_family_ == ("normal" if (noise, target) == ("auto", "clean") else "student")
    for model in fits[1:]:
        are_the_same(model, fits[0])
    if prior == "none":
        with pytest.raises(ValueError, match="prior.*needs the table in memory"):
            BayesianLinearRegression("sparse", noise=noise).fit(tmp_path / "table.csv", target)
        with pytest.raises(ValueError, match="partial_fit cannot add to them"):
            fits[1].partial_fit(part.drop(columns=[target, "k"]), part[target])


def test_noise_of_a_table_in_partitions():  # (PASS.12)
    dataframe = pytest.importorskip("dask.dataframe")
    from ardvark import dask

    table = long_table().drop(columns=["clean", "k"])
    parts = dataframe.from_pandas(table, npartitions=3)
    whole = BayesianLinearRegression("shared", noise="student", tol=1e-14).fit(table, "heavy")
    model = dask.BayesianLinearRegression("shared", noise="student", tol=1e-14).fit(parts, "heavy")
    are_the_same(model, whole)
    predicted = model.predict(parts).compute()
    assert predicted.name == "heavy"
    np.testing.assert_allclose(predicted, whole.predict(table), rtol=1e-6)


def test_files_and_pickles_keep_the_degrees_of_freedom(student, tmp_path):
    X, y, _ = outliers(3)
    student.save(tmp_path / "m.ardvark")
    again = ardvark.load(tmp_path / "m.ardvark")
    assert again.row_weight_ is None and again.noise_family_ == "student"
    for same in (again, pickle.loads(pickle.dumps(student))):
        assert same.degrees_of_freedom_ == student.degrees_of_freedom_
        assert (same.degrees_of_freedom_interval_ == student.degrees_of_freedom_interval_).all()
        assert (same.predict_interval(X) == student.predict_interval(X)).all()
        assert (same.predict(X, return_std=True)[1] == student.predict(X, return_std=True)[1]).all()
        assert clone(same).noise == "student"


def test_a_weight_of_a_row_with_long_tails_is_repetition():
    X, y, _ = outliers(4, 80)
    weight = np.random.default_rng(0).integers(1, 4, 80)
    weighted = BayesianLinearRegression("shared", noise="student", tol=1e-10).fit(X, y, sample_weight=weight)
    repeated = BayesianLinearRegression("shared", noise="student", tol=1e-10).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    np.testing.assert_allclose(np.repeat(weighted.row_weight_, weight), repeated.row_weight_, atol=1e-4)
    assert weighted.degrees_of_freedom_ == pytest.approx(repeated.degrees_of_freedom_, rel=1e-3)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"prior": "laplace", "noise": "student"}, "laplace"),
        ({"posterior": "joint", "noise": "student", "prior": "shared"}, None),
        ({"noise": "heavy"}, "noise is 'heavy'"),
    ],
)
def test_refusals(options, message):
    X, y, _ = outliers(5, 60)
    if message is None:
        assert BayesianLinearRegression(**options).fit(X, y).noise_family_ == "student"  # "joint" is the default, which is not told from a choice
        return
    with pytest.raises(ValueError, match=message):
        BayesianLinearRegression(**options).fit(X, y)


def test_classes_have_no_noise():
    X, y, _ = outliers(5, 60)
    with pytest.raises(TypeError, match="noise"):
        BayesianLogisticRegression(noise="student")
    with pytest.raises(ValueError, match="noise applies only to linear fits"):
        ardvark._core.fit(X, y > 0, model="logistic", noise="student")
    with pytest.raises(ValueError, match="family is 'student'|'student'"):
        BayesianCountRegression(family="student").fit(*counts(0, 50))
