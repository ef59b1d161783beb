"""What the sparse prior promises, on problems of bench/honest: intervals that cover, errors below those of cross-validation, noise found.

Four draws a family. What is asked of coverage, noise and most errors was measured with a prototype on other draws of the same families; errors
are held to those of an independent implementation on these very draws as well (tests/data/sparse_reference.csv), which finds some of them harder.
"""

import importlib
import sys
import warnings
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

from ardvark import ArdvarkWarning, BayesianLinearRegression

ROOT = Path(__file__).resolve().parents[2]
HONEST = ROOT / "bench" / "honest"
SEEDS = range(4)


def module(name):
    if str(HONEST) not in sys.path:
        sys.path.append(str(HONEST))
    return importlib.import_module(name)


def family(name, classes=False):
    families = module("families")
    return next(family for family in (families.LOGISTIC if classes else families.LINEAR) if family.name == name)


def problem(name, seed, classes=False):
    return module("families").draw(family(name, classes), seed, classes)


def quiet(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit()


@lru_cache(maxsize=None)
def result(name, seed, prior="sparse", classes=False):
    """The scores of one fit."""
    methods, p = module("methods"), problem(name, seed, classes)
    method = (methods.CLASSES if classes else methods.REGRESSION)[prior]
    model = quiet(lambda: method.fit(p.X, p.y))
    answer = method.read(model, p.X, p.y, p.X_new, p.y_new)
    return SimpleNamespace(**module("scores").score(p, answer), bound_history=np.array(model.bound_history_))


def mean(name, field, seeds=SEEDS, classes=False):
    return np.mean([getattr(result(name, seed, classes=classes), field) for seed in seeds])


# ---- predictive intervals

MODERATE = [f.name for f in module("families").LINEAR if f.p <= 1000 and f.n <= 800]


@pytest.mark.parametrize("name", MODERATE)
def test_predictive_intervals_cover(name):
    assert 0.915 <= mean(name, "cov_y") <= 0.970


def test_predictive_intervals_cover_on_average():
    assert 0.936 <= np.mean([mean(name, "cov_y") for name in MODERATE]) <= 0.956


def test_intervals_of_the_signal_cover():
    """Of x'w, which know that h was estimated (SP.15). Given h they held .92 of them, and .75 in one family."""
    covered = [mean(name, "cov_f") for name in MODERATE]
    assert 0.93 <= np.mean(covered) <= 0.97 and np.min(covered) >= 0.85


def test_a_hundred_effects_in_a_thousand_columns():
    """The example of VBLinLogit, where ARD covers 1%."""
    name = "uni-n500-p1000-100"
    assert mean(name, "mse") <= 0.95 and mean(name, "nlpd") <= 1.75
    assert 0.93 <= mean(name, "noise_sd") <= 1.07 and 0.93 <= mean(name, "cov_y") <= 0.97


# ---- dense effects: nothing is lost against the ridge whose evidence is highest


def ridge_of_the_highest_evidence(X, y, X_new, a=0.25):
    """w ~ N(0, s2 h) on standardised columns, flat intercept: log evidence with (1 + h tr K/(n - 1))^-a, and predictions.   (SP.3), pi = 0"""
    n, mean, scale = len(y), X.mean(axis=0), X.std(axis=0)
    Xs = (X - mean) / scale
    l, U = np.linalg.eigh(Xs @ Xs.T)
    l, U = l[l > 1e-12 * l.max()], U[:, l > 1e-12 * l.max()]
    r = U.T @ (y - y.mean())
    rest = np.sum((y - y.mean()) ** 2) - r @ r  # of rows outside of the columns

    def evidence(ln_h):
        h, nu = np.exp(ln_h), n - 1
        s2 = (rest + np.sum(r**2 / (1 + h * l))) / nu
        value = -nu / 2 * (np.log(2 * np.pi * s2) + 1) - 0.5 * np.sum(np.log1p(h * l))
        return value - a * np.log1p(h * l.sum() / nu) - 0.5 * np.log(n)

    grid = np.linspace(-23, 12, 3501)
    best = max(grid, key=evidence)
    h = np.exp(best)
    w = h * Xs.T @ (U @ (r / (1 + h * l)))
    return evidence(best), y.mean() + (X_new - mean) / scale @ w


@pytest.mark.parametrize("columns", ["ind", "blk", "ar"])
def test_dense_effects_are_those_of_ridge(columns):
    name = f"{columns}-n200-p1000-dense-snr2"
    errors = []
    for seed in SEEDS:
        p = problem(name, seed)
        evidence, predicted = ridge_of_the_highest_evidence(p.X, p.y, p.X_new)
        assert result(name, seed).bound >= evidence - 0.5
        errors.append(np.mean((predicted - p.f_new) ** 2))
    ratio = [result(name, seed).mse / error for seed, error in zip(SEEDS, errors)]
    assert np.median(ratio) <= 1.01
    # Of one independent draw in four the evidence prefers a single effect, by two nats, over 3.5% of the variance: 1.14 times the error.
    assert mean(name, "mse") <= 1.05 * np.mean(errors)


# ---- few effects: they are found


@pytest.mark.parametrize(
    "name, limit",
    [
        ("ind-n200-p1000-5-snr2", 0.09),
        ("blk-n200-p1000-5-snr2", 0.11),
        ("ind-n100-p5000-5-snr4", 0.35),
    ],
)
def test_few_effects(name, limit):
    assert mean(name, "mse") <= limit


def exact(name):
    """Errors of the exact posterior on the four draws: everything of the generator but the weights known, and nothing of it known.

    Sampled by bench/honest/exact.py. Known, it is the least that any method can have on average over such draws.
    """
    lines = (ROOT / "tests" / "data" / "exact_posterior.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines if line.startswith(name)]
    known, vague = (float(number) for number in rows[0][-2:])
    return SimpleNamespace(known=known, vague=vague)


def test_few_effects_in_correlated_columns():
    """Of other draws the mean error was .049, and .06 was hoped for: over such draws none has less on average than .059, what the exact posterior has on these. Lasso has .21."""
    name = "ar-n200-p1000-5-snr10"
    assert mean(name, "mse") <= 1.15 * exact(name).known


def reference():
    """Family -> mean square error of an independent implementation of the same equations, mean of the four draws."""
    lines = (ROOT / "tests" / "data" / "sparse_reference.csv").read_text().splitlines()[1:]
    return {name: float(mse) for name, mse, *_ in (line.split(",") for line in lines)}


@pytest.mark.parametrize("name", [name for name in MODERATE if not name.endswith("null")])
def test_errors_are_those_of_an_independent_implementation(name):
    """Other starts may find another of several maxima: hence a tenth."""
    assert mean(name, "mse") <= 1.1 * reference()[name]


def test_errors_are_those_of_an_independent_implementation_on_average():
    """It knows no blocks: where columns are correlated its errors are larger.                                            (SP.14)"""
    names = [name for name in MODERATE if not name.endswith("null")]
    ratio = {name: np.log(mean(name, "mse") / reference()[name]) for name in names}
    assert abs(np.mean([ratio[name] for name in names if name[:3] in ("ind", "uni")])) < 0.03
    assert np.mean([ratio[name] for name in names if name[:3] not in ("ind", "uni")]) < -0.03


def test_noise_is_found_where_columns_are_fifty_times_the_rows():
    assert mean("ind-n100-p5000-5-snr4", "noise_sd") > 0.7


@pytest.mark.parametrize("columns", ["ind", "blk"])
def test_nothing_is_found_where_nothing_is(columns):
    name = f"{columns}-n200-p1000-null"
    assert max(result(name, seed).selected for seed in SEEDS) <= 1
    assert mean(name, "mse") <= 0.04 and mean(name, "sum_pip") <= 3


def test_ard_warns_that_its_noise_has_collapsed():
    p = problem("uni-n500-p1000-100", 0)
    with pytest.warns(ArdvarkWarning, match="noise"):
        model = BayesianLinearRegression("ard").fit(p.X, p.y)
    interval = model.predict_interval(p.X_new)
    covered = np.mean((interval[:, 0] <= p.y_new) & (p.y_new <= interval[:, 1]))
    assert covered < 0.1


def test_starts_are_averaged_by_their_bounds():
    """100 x 5000, independent columns, five effects."""
    families = module("families")
    for seed in range(4):
        p = families.draw(families.Family("ind", 100, 5000, "5", 4.0), seed)
        model = quiet(lambda: BayesianLinearRegression("sparse").fit(p.X, p.y))
        bounds, weights = np.asarray(model.start_bounds_), np.asarray(model.start_weights_)
        assert bounds.size == 6 and weights.sum() == pytest.approx(1)
        expected = np.exp((bounds - bounds.max()) / 4)
        expected[expected < 1e-3] = 0
        np.testing.assert_allclose(weights, expected / expected.sum(), atol=1e-12)
        assert ((model.inclusion_ > 0.5) & (p.w == 0)).sum() <= 1


# ---- order of columns, copies of a column


@pytest.mark.parametrize("name", ["dup-n200-p1000-5-snr2", "ar-n200-p1000-5-snr2", "ind-n200-p1000-50-snr2"])
def test_the_order_of_columns_is_of_no_consequence(name):
    p = problem(name, 0)
    order = np.random.default_rng(0).permutation(p.X.shape[1])
    one = quiet(lambda: BayesianLinearRegression("sparse").fit(p.X, p.y))
    other = quiet(lambda: BayesianLinearRegression("sparse").fit(p.X[:, order], p.y))
    mean, sd = one.predict(p.X_new, return_std=True)
    assert np.abs(other.predict(p.X_new[:, order]) - mean).max() < 1e-2 * sd.min()


def test_a_credible_set_holds_both_copies_of_a_column():
    """Columns 2k and 2k + 1 are the same: whoever holds one must hold the other.                    (SP.9)"""
    p = problem("dup-n200-p1000-5-snr2", 0)
    model = quiet(lambda: BayesianLinearRegression("sparse").fit(p.X, p.y))
    strong = np.flatnonzero(np.abs(p.w) > 0.5)
    sets = [set(map(int, alternatives.columns)) for alternatives in model.alternatives_]
    assert sets and all((j ^ 1) in some for some in sets for j in some)
    assert all(any(j in some for some in sets) for j in strong)


# ---- classes


@pytest.mark.parametrize("name", ["ind-n300-p500-5-snr4", "blk-n300-p500-5-snr4"])
def test_few_effects_of_two_classes(name):
    assert 0.8 <= mean(name, "cov_f", classes=True) <= 1
    for seed in SEEDS:
        assert np.diff(result(name, seed, classes=True).bound_history).min() > -1e-3


def test_few_effects_of_two_classes_are_found():
    """Of other draws .019 and .0325. On these the exact posterior has .035, and .025 with the generator known."""
    name = "ind-n300-p500-5-snr4"
    assert mean(name, "kl", classes=True) <= 1.05 * exact(name).vague
    assert mean("blk-n300-p500-5-snr4", "kl", classes=True) <= 0.040


def test_the_example_of_vblinlogit():
    """Error .205 and log loss .43 where the true probabilities have .1694 and .3693: here, as far above those of these draws.

    The log loss, .0607 above the truth's on that draw, is so on the first of these; of all four, .0616 on average. Intervals of x'w hold
    .972, .969, .966 and .951.
    """
    name, above_error, above_log_loss = "uni-n2000-p1000-100", [], []
    for seed in SEEDS:
        found, p = result(name, seed, classes=True), problem(name, seed, classes=True)
        true = 1 / (1 + np.exp(-p.f_new))
        above_error.append(found.error - np.mean((true > 0.5) != p.y_new))
        above_log_loss.append(found.nlpd + np.mean(np.log(np.where(p.y_new == 1, true, 1 - true))))
    assert above_error[0] <= 0.205 - 0.1694 and np.mean(above_error) <= 0.205 - 0.1694
    assert above_log_loss[0] <= 0.43 - 0.3693 and np.mean(above_log_loss) <= 0.065
    assert 0.92 <= mean(name, "cov_f", classes=True) <= 0.97
