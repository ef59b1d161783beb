"""k-hat: against arviz, and as an option of the estimators. docs/math/khat.md"""

import warnings

import numpy as np
import pytest

from ardvark import ArdvarkWarning, BayesianCountRegression, BayesianLinearRegression, BayesianLogisticRegression, RelevanceVectorClassifier, _core


def classes(n, p, seed, size=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    w = size * rng.normal(size=p)
    return X, (rng.uniform(size=n) < 1 / (1 + np.exp(-X @ w))).astype(float)


def diagnosed(X, y, **options):
    return _core.fit(X, y, diagnose=1, warn=False, **options)


CASES = [
    {"model": "logistic", "prior": prior, "likelihood": likelihood}
    for prior in ("shared", "ard", "none")
    for likelihood in ("vg", "jj", "laplace")
] + [{"model": "logistic"}, {"model": "logistic", "prior": "dense"}, {"model": "rvm", "task": "classification", "width": 2.0}]


@pytest.mark.parametrize("options", CASES, ids=lambda o: "-".join(str(v) for v in o.values()))
def test_it_is_that_of_arviz_on_the_same_ratios(options):
    """(KHAT.2)"""
    arviz = pytest.importorskip("arviz")
    if not hasattr(arviz, "psislw"):
        pytest.skip("this version of arviz has it elsewhere")
    X, y = classes(120, 3, 1)
    model = diagnosed(X, y, **options)
    ratios = model.array("log_ratios")
    assert ratios.shape == (4000,)
    assert model.number("khat") == pytest.approx(float(arviz.psislw(ratios)[1]), rel=0, abs=1e-6)
    r = np.exp(ratios - ratios.max())
    assert model.number("khat_effective_share") == pytest.approx(r.sum() ** 2 / (r.size * np.sum(r**2)), rel=1e-10)


def test_the_ratios_are_those_of_numpy():
    """(KHAT.1), (KHAT.4) of a posterior and prior in closed form: one weight, without intercept. Of E ln r and the log evidence, by quadrature."""
    X, y = classes(40, 1, 2)
    a0, b0 = 1.5, 0.6
    model = diagnosed(X, y, model="logistic", prior="ard", a0=a0, b0=b0, intercept=0, standardize=0)
    from math import lgamma, log, pi

    w = np.linspace(-12, 12, 240001)[:, None]
    eta = np.where(y > 0.5, 1, -1) * X[:, 0] * w
    log_p = -np.logaddexp(0, -eta).sum(axis=1)
    w = w[:, 0]
    log_p += lgamma(a0 + 0.5) - lgamma(a0) + a0 * log(b0) - (a0 + 0.5) * np.log(b0 + w**2 / 2) - 0.5 * log(2 * pi)
    m, v = model.array("mean")[0], model.array("variance")[0]
    log_q = -0.5 * ((w - m) ** 2 / v + log(2 * pi * v))
    step, q = w[1] - w[0], np.exp(log_q)
    expected = step * np.sum(q * (log_p - log_q))
    spread = np.sqrt(step * np.sum(q * (log_p - log_q - expected) ** 2) / 4000)
    ratios = model.array("log_ratios")
    assert ratios.mean() == pytest.approx(expected, rel=0, abs=4 * spread)
    evidence = log(step * np.exp(log_p).sum())
    assert np.log(np.mean(np.exp(ratios - ratios.max()))) + ratios.max() == pytest.approx(evidence, rel=0, abs=0.02)
    assert model.number("bound") < evidence


def test_estimators_have_it_where_it_is_asked_for(tmp_path):
    X, y = classes(1000, 3, 3, size=0.5)
    fit = BayesianLogisticRegression("shared", diagnose=True).fit(X, y)
    assert fit.khat_ < 0.7 and fit.khat_threshold_ == 0.7 and fit.khat_effective_share_ > 0.95
    assert np.isfinite(fit.khat_given_precisions_)
    assert "k-hat" in fit.summary()
    fit.save(tmp_path / "model")
    assert BayesianLogisticRegression.load(tmp_path / "model").khat_ == fit.khat_
    fit.set_params(diagnose=False).fit(X, y)
    assert not hasattr(fit, "khat_")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArdvarkWarning)
        assert np.isfinite(RelevanceVectorClassifier(width=2.0, diagnose=True).fit(X[:80], y[:80]).khat_)


def test_counts_and_t_noise_have_it(tmp_path):
    """(KHAT.6)"""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 3))
    counts, numbers = rng.poisson(np.exp(1 + 0.3 * X[:, 0])), X[:, 0] + rng.standard_t(3, size=400)
    for model, y in ((BayesianCountRegression("shared", diagnose=True), counts), (BayesianLinearRegression("shared", noise="student", diagnose=True), numbers)):
        model.fit(X, y)
        assert model.khat_ < model.khat_threshold_ and model.khat_effective_share_ > 0.9
        assert "k-hat" in model.summary()
        model.save(tmp_path / "model")
        assert type(model).load(tmp_path / "model").khat_ == model.khat_
    with_offset = BayesianCountRegression("shared", diagnose=True).fit(X, counts, offset=np.full(400, 0.5))
    assert with_offset.khat_ == pytest.approx(BayesianCountRegression("shared", diagnose=True).fit(X, counts).khat_, abs=1e-3)


def test_a_bound_that_is_too_narrow_is_found():
    """Jaakkola and Jordan's intervals are too narrow where classes are far apart; the exact Gaussian ones are not."""
    X, y = classes(300, 2, 4, size=3.0)
    narrow = diagnosed(X, y, model="logistic", prior="none", likelihood="jj")
    good = diagnosed(X, y, model="logistic", prior="none", likelihood="vg")
    assert np.all(narrow.array("sd") < good.array("sd"))
    assert narrow.number("khat") > good.number("khat")


def test_above_the_threshold_it_warns():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 12))
    y = (X[:, 0] + rng.normal(size=30) > 0).astype(float)
    with pytest.warns(ArdvarkWarning, match="k-hat is .*above 0.70"):
        fit = BayesianLogisticRegression("ard", diagnose=True).fit(X, y)
    assert fit.khat_ > 0.7


@pytest.mark.parametrize(
    "options, message",
    [
        ({"model": "linear"}, "diagnose applies to classes, counts and noise 'student'"),
        ({"model": "counts", "prior": "slab"}, "diagnose compares densities"),
        ({"model": "logistic", "prior": "slab"}, "diagnose compares densities"),
        ({"model": "logistic", "prior": "laplace"}, "diagnose compares distributions"),
    ],
)
def test_where_it_has_no_meaning_it_is_refused(options, message):
    X, y = classes(30, 2, 6)
    with pytest.raises(ValueError, match=message):
        diagnosed(X, y, **options)
