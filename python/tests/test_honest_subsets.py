"""bench/honest/subsets.py: its sums over all subsets against sums and integrals written out, on tiny problems."""

import importlib
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

HONEST = Path(__file__).resolve().parents[2] / "bench" / "honest"


@pytest.fixture(scope="module", autouse=True)
def on_the_path():
    sys.path.insert(0, str(HONEST))
    yield
    sys.path.remove(str(HONEST))


def module(name):
    return importlib.import_module(name)


def table(n, p, seed=0, scale=True):
    """Columns of different units, correlated, about other means than zero."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.7 * X[:, :-1]
    y = X[:, 0] * 0.6 + rng.standard_normal(n) + 3
    return (X * (10.0 ** np.arange(p) if scale else 1) + 5, y)


def every(p):
    return [np.array(some, bool) for some in itertools.product([False, True], repeat=p)]


def number(subset):
    return int(subset @ (1 << np.arange(subset.size)))


def posterior(log_weights):
    weights = np.exp(np.asarray(log_weights) - np.max(log_weights))
    return weights / weights.sum()


def test_sweeps_are_determinants_and_residuals():
    rng = np.random.default_rng(1)
    B = rng.standard_normal((9, 5))
    A, b, c = B[:, :4].T @ B[:, :4], B[:, :4].T @ B[:, 4], B[:, 4] @ B[:, 4]
    log_det, rest = module("subsets").of_every_subset(A, b, c)
    for subset in every(4):
        inside = A[np.ix_(subset, subset)]
        assert log_det[number(subset)] == pytest.approx(np.linalg.slogdet(inside)[1], abs=1e-12)
        assert rest[number(subset)] == pytest.approx(c - b[subset] @ np.linalg.solve(inside, b[subset]), rel=1e-12)


def test_bic_is_least_squares_on_every_subset():
    X, y = table(25, 4)
    model = module("subsets").bic(X, y)
    means, covariances, log_weights, noises = [], [], [], []
    for subset in every(4):
        A = np.column_stack([np.ones(25), X[:, subset]])
        w = np.linalg.lstsq(A, y, rcond=None)[0]
        rss = np.sum((y - A @ w) ** 2)
        log_weights.append(-0.5 * 25 * np.log(rss / 25) - 0.5 * subset.sum() * np.log(25))
        noises.append(rss / (25 - A.shape[1]))
        mean, covariance = np.zeros(4), np.zeros((4, 4))
        mean[subset] = w[1:]
        covariance[np.ix_(subset, subset)] = noises[-1] * np.linalg.inv(A.T @ A)[1:, 1:]
        means.append(mean)
        covariances.append(covariance)
    weight, means = posterior(log_weights), np.array(means)
    np.testing.assert_allclose(model.inclusion, weight @ np.array(every(4)), rtol=1e-9)
    mean, covariance = model.moments()
    expected = weight @ means
    np.testing.assert_allclose(mean / model.scale, expected, rtol=1e-8)
    spread = sum(q * (C + np.outer(m - expected, m - expected)) for q, C, m in zip(weight, covariances, means))
    np.testing.assert_allclose(covariance / np.outer(model.scale, model.scale), spread, rtol=1e-7)
    assert model.weight @ model.noise == pytest.approx(weight @ noises, rel=1e-8)


def test_a_copy_of_a_column_is_no_third_one():
    """The subset with both has no least squares, and no weight."""
    X, y = table(25, 2)
    model = module("subsets").bic(np.column_stack([X, X[:, 0]]), y)
    assert np.isfinite(model.moments()[0]).all()
    assert model.inclusion[0] == pytest.approx(model.inclusion[2], rel=1e-9)
    assert model.inclusion[0] + model.inclusion[2] < 1


def test_evidence_is_that_of_the_rows_themselves():
    """y ~ N(level, s2 (I + X diag(v) X')), v = h, and kappa more inside; s2^-1 ds2 integrated, the level projected out."""
    subsets = module("subsets")
    X, y = table(12, 3)
    center, scale, G, g, yy = subsets.moments_of(X, y)
    Q = np.linalg.qr(np.column_stack([np.ones(12), np.eye(12)[:, 1:]]))[0].T[1:]  # rows sum to zero
    Xs, ys = Q @ ((X - center) / scale), Q @ y
    for h in (0.0, 0.3):
        line = subsets.Line(kappa=2.0, h=h, weight=0.0, of_size=np.zeros(4))
        found = subsets.log_evidence(G, g, yy, 12, line)
        for subset in every(3):
            C = np.eye(11) + (Xs * (h + 2.0 * subset)) @ Xs.T
            expected = -0.5 * np.linalg.slogdet(C)[1] - 0.5 * 11 * np.log(ys @ np.linalg.solve(C, ys))
            assert found[number(subset)] == pytest.approx(expected, rel=1e-10)


def grid_of_one_column(n, dense=0.5, tail=0.5, narrowest=0.1, beta=(1, 1)):
    """(weight of the column in, weight of it out, kappa, h) as the page says, for p = 1."""
    logit = np.linspace(np.log(0.5), np.log(3), 8)
    pi = 1 / (1 + np.exp(-logit))
    of_pi = pi ** beta[0] * (1 - pi) ** beta[1]
    of_pi /= of_pi.sum()
    kappa = np.array([4, 16, 64, 256, 1024, 4096, 16384]) / n
    of_kappa = (1 + kappa) ** -tail * np.exp(-narrowest / (2 * kappa))
    h = np.array([0.003, 0.012, 0.048, 0.192, 0.768, 3.072, 12.288])
    x = h / (1 + h)
    of_h = x * (1 - x) ** 1.25
    out = []
    for one, weight in [(0.0, 1 - dense)] + [(one, dense * w / of_h.sum()) for one, w in zip(h, of_h)]:
        for k, v in zip(kappa, of_kappa / of_kappa.sum()):
            out.append((weight * v * (of_pi @ pi), weight * v * (of_pi @ (1 - pi)), k, one))
    return out


def test_exact_sum_of_one_column_is_the_quadrature():
    """Over w and ln(s2), at every point of the grid."""
    n = 15
    X, y = table(n, 1)
    model = module("subsets").exact(X, y)
    x, t = (X[:, 0] - X.mean()) / X.std(), y - y.mean()
    ws, ls = np.linspace(-2.5, 3.5, 1201), np.linspace(-3, 4, 281)
    W, S2 = ws[:, None], np.exp(ls)[None, :]
    residual = t @ t - 2 * W * (x @ t) + W**2 * n
    likelihood = np.exp(-0.5 * residual / S2) * (2 * np.pi * S2) ** (-0.5 * (n - 1))
    cell = (ws[1] - ws[0]) * (ls[1] - ls[0])

    def given(variance):
        """Evidence, and the sums of w, of w^2, of s2 and of w > 0, of a weight of this prior variance, relative to s2."""
        if variance == 0:
            at_zero = np.exp(-0.5 * t @ t / S2[0]) * (2 * np.pi * S2[0]) ** (-0.5 * (n - 1)) * (ls[1] - ls[0])
            return np.array([at_zero.sum(), 0, 0, at_zero @ S2[0], 0.5 * at_zero.sum()])
        density = likelihood * np.exp(-0.5 * W**2 / (S2 * variance)) / np.sqrt(2 * np.pi * S2 * variance) * cell
        return np.array([density.sum(), (density * W).sum(), (density * W**2).sum(), (density * S2).sum(), (density * (W > 0)).sum()])

    lines = grid_of_one_column(n)
    inside = sum(into * given(kappa + h) for into, _, kappa, h in lines)
    outside = sum(out * given(h) for _, out, _, h in lines)
    whole = inside + outside
    mean, covariance = model.moments()
    assert model.inclusion[0] == pytest.approx(inside[0] / whole[0], rel=1e-5)
    assert mean[0] == pytest.approx(whole[1] / whole[0], rel=1e-5)
    assert covariance[0, 0] == pytest.approx(whole[2] / whole[0] - mean[0] ** 2, rel=1e-4)
    assert model.weight @ model.noise == pytest.approx(whole[3] / whole[0], rel=1e-4)
    assert model.direction(1)[0] == pytest.approx(whole[4] / whole[0], abs=0.01)  # Student's t taken for normal


def test_direction_of_what_is_never_there_is_one_half():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((400, 3)), rng.standard_normal(400)
    model = module("subsets").bic(X, y + 2 * X[:, 0])
    said = model.direction(3)
    assert said[0] == pytest.approx(1, abs=1e-9)
    assert np.all(np.abs(said[1:] - 0.5) <= 0.5 * model.inclusion[1:] + 1e-12)


def test_few_members_stand_for_all():
    subsets, rng = module("subsets"), np.random.default_rng(4)
    log_weights = np.append(rng.standard_normal(5000), np.nan)
    weights = np.exp(log_weights[:-1])
    value = rng.standard_normal(5001)
    places, weight = subsets.chosen(log_weights, at_most=2000)
    assert places.size <= 2000 and weight.sum() == pytest.approx(1) and 5000 not in places
    assert weight @ value[places] == pytest.approx(weights @ value[:-1] / weights.sum(), abs=3 / 2000**0.5)
    places, weight = subsets.chosen(log_weights)
    assert weight @ value[places] == pytest.approx(weights @ value[:-1] / weights.sum(), rel=1e-7)


# ---- two classes


def classes(n, p, seed=5):
    X, _ = table(n, p, seed)
    rng = np.random.default_rng(seed)
    f = 1.5 * (X[:, 0] - 5)
    return X, (rng.uniform(size=n) < 1 / (1 + np.exp(-f))).astype(int)


def test_newton_finds_the_maximum():
    subsets = module("subsets")
    X, y = classes(60, 3)
    Z = subsets.with_intercept(X, subsets.standardise(X))
    rows = np.ones(60)
    inside = np.array([[True, False, True, True], [True, True, True, True]])
    precision = np.array([[0.5, 0, 0, 0], [2.0, 1.0, 0.1, 0]])
    found = subsets.newton(Z, y.astype(float), rows, precision, inside)
    for w, value, log_det, inverse, there, a in zip(*found, inside, precision):
        assert (w[~there] == 0).all()
        P = 1 / (1 + np.exp(-Z @ w))
        assert np.abs((Z.T @ (y - P) - a * w)[there]).max() < 1e-6
        assert value == pytest.approx(np.sum(np.log(np.where(y == 1, P, 1 - P))), rel=1e-9)
        A = ((Z.T * (P * (1 - P))) @ Z + np.diag(a))[np.ix_(there, there)]
        assert log_det == pytest.approx(np.linalg.slogdet(A)[1], rel=1e-6)
        np.testing.assert_allclose(inverse[np.ix_(there, there)], np.linalg.inv(A), rtol=1e-5)


def test_bic_of_classes_is_maximum_likelihood_on_every_subset():
    from sklearn.linear_model import LogisticRegression

    X, y = classes(80, 3)
    model = module("subsets").bic_classes(X, y)
    log_weights = []
    for subset in every(3):
        if subset.any():
            Z = (X[:, subset] - X[:, subset].mean(axis=0)) / X[:, subset].std(axis=0)
            P = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(Z, y).predict_proba(Z)[:, 1]
        else:
            P = np.full(80, y.mean())
        log_weights.append(np.sum(np.log(np.where(y == 1, P, 1 - P))) - 0.5 * subset.sum() * np.log(80))
    expected = posterior(log_weights) @ np.array(every(3))
    np.testing.assert_allclose(model.inclusion, expected, atol=1e-4)  # a ridge of 1e-4 keeps separable rows finite


def test_subsets_likely_by_the_parabola_are_the_likely_ones(monkeypatch):
    subsets = module("subsets")
    X, y = classes(150, 8)
    whole = subsets.bic_classes(X, y)
    monkeypatch.setattr(subsets, "SCREENED", 60)
    some = subsets.bic_classes(X, y)
    assert len(some.weight) <= 60 < len(whole.weight)
    np.testing.assert_allclose(some.inclusion, whole.inclusion, atol=0.04)


def test_exact_sum_of_classes_is_near_the_quadrature():
    """Laplace's approximation against the sum over the intercept and the slope; kappa and h four times those of the regression."""
    n = 40
    X, y = classes(n, 1)
    model = module("subsets").exact_classes(X, y)
    x = (X[:, 0] - X.mean()) / X.std()
    bs, ws = np.linspace(-4, 4, 161), np.linspace(-8, 12, 1001)
    B, W = bs[:, None], ws[None, :]
    intercept = -0.5 * np.logaddexp(0, B) - 0.5 * np.logaddexp(0, -B) - np.log(np.pi)
    log_likelihood = intercept + sum(-np.logaddexp(0, -(2 * t - 1) * (B + W * one)) for one, t in zip(x, y))
    likelihood = np.exp(log_likelihood)
    slope = likelihood.sum(axis=0) * (bs[1] - bs[0])

    def given(variance):
        if variance == 0:
            at = np.argmin(np.abs(ws))
            return np.array([slope[at], 0.0])
        density = slope * np.exp(-0.5 * ws**2 / variance) / np.sqrt(2 * np.pi * variance) * (ws[1] - ws[0])
        return np.array([density.sum(), density @ ws])

    lines = grid_of_one_column(n, dense=0.2, tail=1.0, narrowest=0.5, beta=(2, 3))
    inside = sum(into * given(4 * (kappa + h)) for into, _, kappa, h in lines)
    whole = inside + sum(out * given(4 * h) for _, out, _, h in lines)
    assert model.inclusion[0] == pytest.approx(inside[0] / whole[0], abs=0.01)
    assert model.moments()[0][0] == pytest.approx(whole[1] / whole[0], rel=0.1)  # maxima, not means, of skew densities


def test_separable_classes_stay_finite():
    subsets = module("subsets")
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    for fit in (subsets.bic_classes, subsets.exact_classes):
        answer = subsets.read_two_classes(fit(X, y), X, y, X, y)
        assert np.isfinite(answer.coef).all() and (answer.log_density <= 0).all() and answer.probability[-1, 1] > 0.75


def test_what_is_read_of_a_mixture():
    """One certain column, many rows: intervals are those of least squares."""
    subsets = module("subsets")
    rng = np.random.default_rng(6)
    X = rng.standard_normal((1300, 2)) * [1, 10]
    y = X @ [2.0, 0.3] + 1 + 0.5 * rng.standard_normal(1300)
    for fit in (subsets.bic, subsets.exact):
        answer = subsets.read_regression(fit(X[:300], y[:300]), X[:300], y[:300], X[300:], y[300:])
        half = np.diff(answer.coef, axis=1)[:, 0] / 2 / 1.96
        np.testing.assert_allclose(half, 0.5 / np.sqrt(300) / np.array([1, 10]), rtol=0.15)
        assert np.diff(answer.interval, axis=1).mean() / 2 == pytest.approx(1.96 * 0.5, rel=0.1)
        assert np.mean((answer.mean - (X[300:] @ [2.0, 0.3] + 1)) ** 2) < 0.02
        assert answer.noise_sd == pytest.approx(0.5, rel=0.1)
        assert (answer.direction > 0.999).all() and answer.selected.all()


def test_inclusions_of_classes_are_as_good_as_enumeration():
    """Log score of the inclusions of 120 tables of eight columns, against BIC over all subsets (SL.10)."""
    core, subsets = pytest.importorskip("ardvark._core"), module("subsets")
    families, scores = module("families"), module("scores")
    ours, bic = [], []
    for what, size in (("2", 0.8), ("3sign", 0.8), ("null", None)):
        family = families.Family("pair", 250, 8, what, size=size)
        for seed in range(40):
            problem = families.draw(family, seed, classes=True)
            model = core.fit(problem.X, problem.y.astype(float), model="logistic", prior="sparse", threads=1)
            ours.append(scores.log_score(model.array("inclusion"), problem.own))
            bic.append(scores.log_score(subsets.bic_classes(problem.X, problem.y).inclusion, problem.own))
    assert np.mean(ours) <= np.mean(bic) + 0.02, (np.mean(ours), np.mean(bic))
