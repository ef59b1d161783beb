"""ArdvarkOptimizer inside pysindy, and what pysindy does to it."""

import pickle
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, InvalidArgumentError
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

ps = pytest.importorskip("pysindy", reason="pysindy is not installed (pip install pysindy): its optimizer is not tried")
from ardvark.integrations.pysindy import ArdvarkOptimizer, terms  # noqa: E402

SLOW = 21  # rows of the smoother


@pytest.fixture(scope="module")
def oscillator():
    """A damped oscillator, of which both equations are x0' = -.1 x0 + 2 x1, x1' = -2 x0 - .1 x1."""
    t = np.arange(0, 20, 0.01)
    x = np.stack([np.exp(-0.1 * t) * np.cos(2 * t), -np.exp(-0.1 * t) * np.sin(2 * t)], axis=1)
    return t, x + 1e-3 * np.random.default_rng(0).normal(size=x.shape)


def sindy(optimizer):
    return ps.SINDy(optimizer, differentiation_method=ps.SmoothedFiniteDifference(smoother_kws={"window_length": SLOW}))


TRUE = np.zeros((2, 6), bool)
TRUE[:, 1:3] = True  # of 1, x0, x1, x0^2, x0 x1, x1^2


def table(n=300, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * [1.0, 10.0, 0.1, 1.0, 1e3] + [0, 0, 0, 5, 0]
    Y = np.column_stack([2 * X[:, 0] + 0.05 * X[:, 1], -8 * X[:, 2]]) + [0.2, 0.5] * rng.normal(size=(n, 2))
    return X, Y


def test_a_model_of_pysindy(oscillator, capsys):
    t, x = oscillator
    model = sindy(ArdvarkOptimizer(rows_per_observation=SLOW)).fit(x, t=t)
    optimizer = model.optimizer
    assert (model.coefficients() != 0).tolist() == TRUE.tolist() == optimizer.ind_.tolist()
    np.testing.assert_allclose(model.coefficients()[TRUE], [-0.1, 2, -2, -0.1], atol=0.02)
    assert model.complexity == optimizer.complexity == 4
    assert (optimizer.inclusion_[TRUE] > 0.99).all() and (optimizer.inclusion_[~TRUE] < 0.2).all()
    model.print(precision=1)
    assert capsys.readouterr().out == "(x0)' = -0.1 x0 +  2.0 x1\n(x1)' = -2.0 x0 + -0.1 x1\n"
    # What is predicted is what is printed.
    library = np.column_stack([np.ones(len(x)), x, x[:, 0] ** 2, x[:, 0] * x[:, 1], x[:, 1] ** 2])
    np.testing.assert_allclose(np.asarray(model.predict(x)), library @ model.coefficients().T, atol=1e-12)
    assert model.score(x, t=t) > 0.99
    simulated = model.simulate([1.0, 0.0], t)
    assert np.abs(simulated - np.stack([np.exp(-0.1 * t) * np.cos(2 * t), -np.exp(-0.1 * t) * np.sin(2 * t)], axis=1)).max() < 0.02
    found = terms(model)
    assert found.index.names == ["equation", "term"] and found.loc["x1", "mean"].size == 6
    assert list(found.query("kept").index) == [("x0", "x0"), ("x0", "x1"), ("x1", "x0"), ("x1", "x1")]
    assert list(terms(model, ["u'", "v'"]).index.levels[0]) == ["u'", "v'"]


def test_each_equation_is_our_regression():
    X, Y = table()
    optimizer = ArdvarkOptimizer(rows_per_observation=3).fit(X, Y)
    for k, y in enumerate(Y.T):
        ours = BayesianLinearRegression("slab", fit_intercept=False).fit(X, y, np.full(len(X), 1 / 3))
        kept = ours.inclusion_ >= 0.5
        np.testing.assert_allclose(optimizer.coef_[k], np.where(kept, ours.coef_, 0), rtol=1e-9)
        assert (optimizer.coef_[k][~kept] == 0).all() and 0 < kept.sum() < 5
        np.testing.assert_allclose(optimizer.coef_std_[k], ours.coef_std_, rtol=1e-7)
        np.testing.assert_allclose(optimizer.inclusion_[k], ours.inclusion_, rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(optimizer.noise_std_[k], ours.alpha_**-0.5, rtol=1e-7)
        alone = ArdvarkOptimizer(rows_per_observation=3).fit(X, y)
        for name in ("coef_", "coef_std_", "inclusion_", "noise_std_"):
            np.testing.assert_allclose(getattr(alone, name), getattr(optimizer, name)[k : k + 1], rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(optimizer.noise_std_, [0.2, 0.5], rtol=0.15)


def test_the_threshold_is_of_the_inclusion():
    X, Y = table()
    low, high = ArdvarkOptimizer(threshold=0).fit(X, Y), ArdvarkOptimizer(threshold=1).fit(X, Y)
    np.testing.assert_array_equal(low.coef_, low.model_.coef_)
    assert (low.coef_ != 0).all() and ((high.coef_ != 0) == (high.inclusion_ >= 1)).all()


@pytest.mark.parametrize("prior", ["slab", "sparse", "auto"])
def test_normalized_columns_change_nothing(prior, oscillator):
    """What pysindy divides by norms and forgets to divide again (the standard deviations) is never divided."""
    t, x = oscillator
    plain, normalized = (sindy(ArdvarkOptimizer(prior, rows_per_observation=SLOW, normalize_columns=n)).fit(10 * x, t=t) for n in (False, True))
    for name in ("coef_", "coef_std_", "inclusion_", "noise_std_"):
        np.testing.assert_array_equal(getattr(plain.optimizer, name), getattr(normalized.optimizer, name))
    np.testing.assert_array_equal(np.asarray(plain.predict(x)), np.asarray(normalized.predict(x)))


def test_scales_of_columns_change_nothing():
    X, Y = table()
    units = np.array([1e-6, 1e3, 1.0, 7.0, 1e9])
    one, other = ArdvarkOptimizer().fit(X, Y), ArdvarkOptimizer().fit(X * units, Y)
    np.testing.assert_allclose(other.coef_ * units, one.coef_, rtol=1e-6)
    np.testing.assert_allclose(other.inclusion_, one.inclusion_, rtol=1e-6, atol=1e-9)


def test_ensembles():
    X, Y = table()
    for options in ({"bagging": True}, {"library_ensemble": True}):
        np.random.seed(0)  # the generator of pysindy's ensembles
        ensemble = ps.EnsembleOptimizer(ArdvarkOptimizer(), n_models=5, **options).fit(X, Y)
        assert len(ensemble.coef_list) == 5 and (ensemble.coef_ != 0).sum() >= 3
        assert not hasattr(ensemble, "coef_std_")  # as the page says


def test_clones_copies_and_searches():
    X, Y = table()
    optimizer = ArdvarkOptimizer("sparse", threshold=0.7, rows_per_observation=2).fit(X, Y)
    copy = clone(optimizer)
    assert copy.get_params() == optimizer.get_params() and not hasattr(copy, "coef_")
    assert ArdvarkOptimizer().set_params(threshold=0.9).threshold == 0.9
    again = pickle.loads(pickle.dumps(optimizer))
    np.testing.assert_array_equal(again.coef_, optimizer.coef_)
    np.testing.assert_array_equal(again.predict(X), optimizer.predict(X))
    search = GridSearchCV(ArdvarkOptimizer(), {"threshold": [0.5, 0.9]}, cv=3).fit(X, Y)
    assert search.best_score_ > 0.8  # of the true means: (4.25 / 4.29 + 0.64 / 0.89) / 2 = 0.85


def test_unbias_is_refused():
    X, Y = table()
    for optimizer in (ArdvarkOptimizer(unbias=True), ArdvarkOptimizer().set_params(unbias=True)):
        with pytest.raises(InvalidArgumentError, match="unbias=True replaces the posterior means by least squares") as error:
            optimizer.fit(X, Y)
        assert error.value.argument == "unbias" and error.value.remedy == "set unbias=False"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"prior": "shared"}, "prior is 'shared'; it must be one of 'slab', 'sparse' and 'auto'"),
        ({"prior": ["slab"]}, "prior is \\['slab'\\]"),
        ({"threshold": 1.5}, "threshold is 1.5; it must be a number between 0 and 1"),
        ({"threshold": np.nan}, "threshold is nan"),
        ({"threshold": True}, "threshold is True"),
        ({"rows_per_observation": 0.5}, "rows_per_observation is 0.5; it must be a number of at least 1"),
        ({"rows_per_observation": np.inf}, "rows_per_observation is inf"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(InvalidArgumentError, match=message) as error:
        ArdvarkOptimizer(**options).fit(*table())
    assert error.value.argument == next(iter(options))


def test_gaps_and_complex_numbers():
    X, Y = table()
    for value, word in ((np.nan, "NaN"), (np.inf, "inf")):
        bad = X.copy()
        bad[20, 3] = value
        with pytest.raises(InvalidArgumentError, match=rf"^X at row 21, term of coef_\[:, 3\], is {word}; all values must be finite") as error:
            ArdvarkOptimizer().fit(bad, Y)
        assert error.value.row == 21
        bad = Y.copy()
        bad[7, 1] = value
        with pytest.raises(InvalidArgumentError, match=rf"^y at row 8, equation of coef_\[1\], is {word}; all values must be finite"):
            ArdvarkOptimizer().fit(X, bad)
    with pytest.raises(InvalidArgumentError, match="^X is complex; the regression is of real numbers"):
        ArdvarkOptimizer().fit(X * 1j, Y)
    with pytest.raises(InvalidArgumentError, match="^y is complex"):
        ArdvarkOptimizer().fit(X, Y * 1j)
    with pytest.raises(InvalidArgumentError, match="y \\(299, 2\\)"):
        ArdvarkOptimizer().fit(X, Y[1:])


def test_weights_are_a_number_or_a_vector():
    X = np.random.default_rng(4).normal(size=(60, 3))
    with pytest.raises(InvalidArgumentError, match=r"sample_weight has the shape \(60, 1\); it must be a number, or a vector with a number for each row: 60"):
        ArdvarkOptimizer().fit(X, X[:, 0], np.ones((60, 1)))
    np.testing.assert_array_equal(ArdvarkOptimizer().fit(X, X[:, 0], 2.0).coef_, ArdvarkOptimizer().fit(X, X[:, 0], np.full(60, 2.0)).coef_)


def test_rows_without_derivatives_are_left_out(oscillator):
    t, x = oscillator
    model = ps.SINDy(ArdvarkOptimizer(rows_per_observation=3), differentiation_method=ps.FiniteDifference(drop_endpoints=True)).fit(x, t=t)
    assert model.optimizer.n_left_out_ == 2 and len(model.optimizer.Theta_) == len(t) - 2
    X, Y = table()
    Y[[0, 5]] = np.nan
    left_out, whole = ArdvarkOptimizer().fit(X, Y), ArdvarkOptimizer().fit(np.delete(X, [0, 5], 0), np.delete(Y, [0, 5], 0))
    np.testing.assert_array_equal(left_out.coef_, whole.coef_)
    assert left_out.n_left_out_ == 2 and whole.n_left_out_ == 0


def test_weights_are_repetitions():
    X, Y = table()
    counts = np.random.default_rng(2).integers(0, 3, len(X))
    by_weight, repeated = ArdvarkOptimizer().fit(X, Y, counts), ArdvarkOptimizer().fit(np.repeat(X, counts, 0), np.repeat(Y, counts, 0))
    for name in ("coef_", "coef_std_", "inclusion_", "noise_std_"):
        np.testing.assert_allclose(getattr(by_weight, name), getattr(repeated, name), rtol=1e-6, atol=1e-9)


def test_rows_that_are_alike_make_nothing_certain():
    """Forty copies of each of twelve rows tell what twelve rows tell, if the optimizer is told."""
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(12, 2)), rng.normal(size=(12, 1))
    copies = ArdvarkOptimizer().fit(np.repeat(X, 40, 0), np.repeat(Y, 40, 0))
    told = ArdvarkOptimizer(rows_per_observation=40).fit(np.repeat(X, 40, 0), np.repeat(Y, 40, 0))
    plain = ArdvarkOptimizer().fit(X, Y)
    assert copies.inclusion_.max() > 0.99 > 0.7 > told.inclusion_.max()
    np.testing.assert_allclose(told.inclusion_, plain.inclusion_, rtol=1e-6)


def test_other_optimizers_have_no_probabilities():
    with pytest.raises(TypeError, match="the optimizer of the model is STLSQ"):
        terms(ps.SINDy(ps.STLSQ()).fit(np.random.default_rng(0).normal(size=(50, 2)), t=0.1))


def test_the_wrapper_of_pysindy_throws_the_posterior_away():
    """Why there is an optimizer of our own: by default, WrappedOptimizer fits the terms again by least squares."""
    X, Y = table(30)
    kept = ps.WrappedOptimizer(BayesianLinearRegression("slab", fit_intercept=False), unbias=False).fit(X, Y)
    thrown_away = ps.WrappedOptimizer(BayesianLinearRegression("slab", fit_intercept=False)).fit(X, Y)
    np.testing.assert_allclose(thrown_away.coef_, np.linalg.lstsq(X, Y, rcond=None)[0].T, rtol=1e-8)
    assert np.abs(kept.coef_ - thrown_away.coef_).max() > 0.01


def test_the_adapter_costs_nothing():
    """At most a tenth of our own call, which is made with the same matrices. Each is timed ten times, in turn."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 20))
    Y = X[:, :3] @ rng.normal(size=(3, 3)) + rng.normal(size=(20000, 3))
    ours, adapter = BayesianLinearRegression("slab", fit_intercept=False), ArdvarkOptimizer()
    weights, seconds = np.ones(len(X)), {ours: [], adapter: []}
    for _ in range(10):
        for estimator, arguments in ((ours, (X, Y, weights)), (adapter, (X, Y))):
            start = time.perf_counter()
            estimator.fit(*arguments)
            seconds[estimator].append(time.perf_counter() - start)
    ratio = min(seconds[adapter]) / min(seconds[ours])
    print(f"adapter / own call: {ratio:.3f}")
    assert ratio < 1.5, ratio  # a bound for busy machines; the page of benchmarks has the figure


def test_a_missing_host_is_named():
    code = "import sys; sys.modules['pysindy'] = None\ntry:\n    import ardvark.integrations.pysindy\nexcept ImportError as error:\n    print(error)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "ardvark.integrations.pysindy needs pysindy 2.1 or later: pip install 'ardvark[pysindy]'\n"


def test_no_warnings(oscillator):
    t, x = oscillator
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sindy(ArdvarkOptimizer(rows_per_observation=SLOW)).fit(x, t=t).score(x, t=t)
