"""posteriordb's linear regressions: the published draws judge our integration, and our integration judges the fits. docs/math/linear.md (LIN.1) to (LIN.5)"""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
JUDGES = Path(__file__).resolve().parents[2] / "bench" / "judges"
sys.path.insert(0, str(JUDGES))
import posteriordb  # noqa: E402

sys.path.remove(str(JUDGES))

from ardvark import _core  # noqa: E402

NAMES = sorted(posteriordb.FORMS)
A0, B0, C0, D0 = 1e-2, 1e-4, 1e-2, 1e-4  # of the noise, as given below; of the precisions, the defaults of a model
LEVELS = (0.5, 0.8, 0.95)


def standardized(name):
    """Columns and target of mean 0 and standard deviation 1: then the fit has nothing to standardise, and its hyper-priors are those of this table."""
    X, y = posteriordb.problem(name)
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def fitted(X, y, **options):
    return _core.fit(X, y, model="linear", a0=A0, b0=B0, **options)


def standard_error(known, sd):
    """Of the means. Some are published as a hundredth of what 10,000 independent draws can have, sd/100."""
    return np.maximum(known["mcse_mean"], sd / 100)


@pytest.mark.parametrize("name", NAMES)
def test_the_published_draws_have_the_moments_of_the_integral(name):
    """Within five standard errors, a chance of 6e-7 for each of 130 numbers."""
    known = posteriordb.published()[name]
    first, second = posteriordb.reference_moments(name)
    expected = np.sqrt(second - first**2)
    mean = np.array(known["mean"])
    assert np.all(np.abs(mean - first) < 5 * standard_error(known, expected))
    # 10,000 draws: the standard error of a standard deviation is sd/sqrt(20,000), .7%.
    sd = np.sqrt(np.array(known["mean_squared_value"]) - mean**2)
    assert np.all(np.abs(sd / expected - 1) < 5 * 0.0071 + 1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_a_flat_fit_has_the_means_of_the_published_draws(name):
    """With flat weights the mean is that of least squares whatever the prior of the noise. Others have priors of beta and are left to the integral."""
    if name in posteriordb.WITHOUT_INTERCEPT or name.startswith("kilpisjarvi"):
        pytest.skip("beta has a prior")
    X, y = posteriordb.problem(name)
    known = posteriordb.published()[name]
    model = fitted(X, y, prior="none")
    beta = np.append(model.number("intercept.mean"), model.array("mean"))
    first, second = posteriordb.reference_moments(name)
    assert np.all(np.abs(beta - known["mean"][:-1]) < 5 * standard_error(known, np.sqrt(second - first**2))[:-1])


@pytest.mark.parametrize("name", NAMES)
def test_flat_weights_are_exact(name):
    X, y = standardized(name)
    model = fitted(X, y, prior="none")
    flat = posteriordb.exact(X, y, [-np.inf], np.zeros(1), A0, B0)
    same_posterior(model, flat, 1e-10)
    assert model.number("bound") == pytest.approx(flat.log_evidence, rel=0, abs=1e-9 * y.size)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alpha", [0.3, 30.0])
def test_a_known_precision_is_exact(name, alpha):
    """A hyper-prior of shape 1e15 holds the precision to 1e-13."""
    X, y = standardized(name)
    model = fitted(X, y, prior="shared", c0=1e15, d0=1e15 / alpha)
    known = posteriordb.exact(X, y, [np.log(alpha)], np.zeros(1), A0, B0)
    same_posterior(model, known, 1e-10)


def same_posterior(model, exact, tolerance):
    mean, sd = exact.moments()
    np.testing.assert_allclose(model.array("mean"), mean, rtol=0, atol=tolerance * np.abs(mean).max())
    np.testing.assert_allclose(model.array("sd"), sd, rtol=tolerance)
    assert model.number("noise.shape") == pytest.approx(exact.a_N, rel=tolerance)
    assert model.number("noise.rate") == pytest.approx(exact.b_N[0], rel=tolerance)
    from scipy import stats

    scale = np.sqrt(exact.scale2[0])
    for column in (0, mean.size - 1):
        width = stats.t.ppf(0.975, 2 * exact.a_N) * scale[column]
        low, high = model.array("interval")[column]
        assert [low, high] == pytest.approx([mean[column] - width, mean[column] + width], rel=0, abs=2 * tolerance * (np.abs(mean).max() + width))


# What q(w, tau) q(alpha) loses to the exact posterior. The gap of the bound is the Kullback-Leibler divergence of all that is unknown, and so at least that
# of each weight: were both normal, (r^2 + d^2 - 1)/2 - ln r <= gap, r the ratio of their sds and d the difference of their means in sds of the exact one.
def shared_losses(name):
    """Largest difference of a mean in sd, smallest and largest ratio of sds, gap of the bound, largest difference of an end of an interval in sd."""
    X, y = standardized(name)
    model = fitted(X, y, prior="shared", tolerance=1e-12)
    grid = np.linspace(-30, 25, 5501)
    exact = posteriordb.exact(X, y, grid, posteriordb.log_gamma_density(grid, C0, D0), A0, B0)
    mean, sd = exact.moments()
    ratio = model.array("sd") / sd
    ends = 0.0
    for level in LEVELS:
        of_fit = fitted(X, y, prior="shared", tolerance=1e-12, level=level).array("interval")
        for j in range(mean.size):
            ends = max(ends, np.max(np.abs(of_fit[j] - exact.interval(j, level))) / sd[j])
    gap = exact.log_evidence - model.number("bound")
    return np.max(np.abs(model.array("mean") - mean) / sd), ratio.min(), ratio.max(), gap, ends


@pytest.mark.parametrize("name", NAMES)
def test_a_shared_precision_loses_little(name):
    mean, least, most, gap, ends = shared_losses(name)
    print(f"losses {name}: mean {mean:.4f} sd, sd {least:.4f} to {most:.4f}, bound {gap:.4f} nats, ends {ends:.4f} sd")
    divergence = lambda r, d: 0.5 * (r**2 + d**2 - 1) - np.log(r)
    assert -1e-9 < gap < 0.7  # at most .64 on these tables
    assert divergence(least, 0) <= gap + 1e-6 and divergence(most, 0) <= gap + 1e-6 and divergence(1, mean) <= gap + 1e-6
    assert most < 1.001  # q is the narrower one, as factors are
    assert ends < 4 * np.sqrt(gap)  # a difference of sds of sqrt(gap) at two sds, and as much of the means
