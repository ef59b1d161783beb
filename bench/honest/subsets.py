"""Averages over all subsets of a few columns, with the weights of BIC, or with those of the sparse prior under its own hyper-priors.

    bic       weight exp(-BIC/2), that is, ln(weight) = ln likelihood at its maximum - (k/2) ln n for k columns; before the data, all
              subsets are equally likely
    exact     w_j = b_j + u_j,  b_j ~ (1 - pi) delta_0 + pi N(0, s2 kappa),  u_j ~ N(0, s2 h), columns standardised; ln(s2) and the
              intercept have flat priors. Two hypotheses, h = 0 and h free, have weight 1/2 each. pi, kappa and h are on a grid, with the
              sum over the subsets at each point:

              pi       8 points, ln(pi/(1 - pi)) evenly spaced from ln(.5/p) to ln(3p), weight pi (1 - pi)
              kappa    n kappa = 4, 16, ..., 16384, weight (1 + kappa)^-1/2 exp(-.1/(2 kappa))
              h        h p = .003, .012, ..., 12.288, weight x (1 - x)^1.25, x = h p/(1 + h p)

Regressions are exact: given (kappa, h, subset), the weights and s2 are integrated out, not maximised. For two classes, each subset has
Laplace's approximation at the maximum, which Newton's steps find. kappa/4 and h p/4 are on the grids above, because a row has at most a
quarter of the information of a row with noise 1. The priors are those of classes: h free has weight 1/5, pi has the weight
pi^2 (1 - pi)^3, and kappa/4 = k has (1 + k)^-1 exp(-.5/(2 k)). Two more rows at the means of the columns, one of each class, have weight 1/2: Jeffreys'
prior of the intercept. The posterior of the weights is a mixture; given (kappa, h, subset), it is a Student-t distribution for regressions,
a normal one for classes. Intervals are those of a normal distribution with the mean and the covariance of the mixture.

Each point of the grid needs 2^p numbers: `exact` accepts up to 12 columns (classes: 8), `bic` up to 20. With so many columns, `bic` for two
classes uses only the best subsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from methods import Answer, Method, around, normal_log_density
from scipy.special import expit, log_expit, logsumexp, ndtr

AT_MOST = 20_000  # members of a mixture; if there are more, systematic draws by weight
CLASS_MEMBERS = 1000
SCREENED = 5000  # two classes: number of subsets that are fitted, if there are more
WIDE = 1e4  # BIC has no prior; this prior variance keeps the weights of separable rows finite


@lru_cache(maxsize=4)
def members(p):
    """[2^p, p] bool: bit j of the number of a subset says whether column j is in it."""
    return (np.arange(2**p)[:, None] >> np.arange(p)) % 2 == 1


def of_every_subset(A, b, c):
    """For every subset S of columns: ln|A_SS| and c - b_S' A_SS^-1 b_S. NaN where A_SS is singular.

    Each column in turn is left out, or eliminated from the rest (Schur complement): [2^j, p - j + 1, p - j + 1] after column j.
    """
    rest = np.block([[A, b[:, None]], [b[None, :], np.array([[c]])]])[None]
    log_det = np.zeros(1)
    for size in np.diag(A):
        pivot = rest[:, 0, 0].copy()
        pivot[pivot < 1e-10 * size] = np.nan
        swept = rest[:, 1:, 1:] - rest[:, 1:, :1] * (rest[:, :1, 1:] / pivot[:, None, None])
        rest = np.concatenate([rest[:, 1:, 1:], swept])
        log_det = np.concatenate([log_det, log_det + np.log(pivot)])
    return log_det, rest[:, 0, 0]


# ---- the grid


@dataclass(frozen=True)
class Line:
    """A point (kappa, h) of the grid: the logarithms of its weight, and of the prior of one subset of each size, summed over pi."""

    kappa: float
    h: float
    weight: float
    of_size: np.ndarray  # [p + 1]


def normalised(log_weights):
    return log_weights - logsumexp(log_weights)


@dataclass(frozen=True)
class Priors:
    noise: float = 1.0  # the noise variance to which a row of the likelihood corresponds
    dense: float = 0.5  # weight of h free
    tail: float = 0.5
    narrowest: float = 0.1
    beta: tuple = (1, 1)  # of pi


OF_CLASSES = Priors(noise=4.0, dense=0.2, tail=1.0, narrowest=0.5, beta=(2, 3))


def log_prior_of_sizes(p, beta=(1, 1)):
    """ln of the prior of one given subset of k columns, k = 0, ..., p."""
    logit = np.linspace(np.log(0.5 / p), np.log(3 * p), 8)
    log_in, log_out = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
    weight = normalised(beta[0] * log_in + beta[1] * log_out)
    k = np.arange(p + 1)[:, None]
    return logsumexp(weight + k * log_in + (p - k) * log_out, axis=1)


def grid(n, p, priors=Priors()):
    kappa = 4.0 ** np.arange(1, 8) / n
    of_kappa = normalised(-priors.tail * np.log1p(kappa) - 0.5 * priors.narrowest / kappa)
    dense = 0.003 * 4.0 ** np.arange(7)
    x = dense / (1 + dense)
    of_h = normalised(np.log(x) + 1.25 * np.log1p(-x))
    h = [(0.0, np.log(1 - priors.dense))] + [(one / p, np.log(priors.dense) + weight) for one, weight in zip(dense, of_h)]
    sizes = log_prior_of_sizes(p, priors.beta)
    return [Line(priors.noise * k, priors.noise * one, a + b, sizes) for one, b in h for k, a in zip(kappa, of_kappa)]


# ---- a mixture of normal distributions


@dataclass
class Mixture:
    """A mixture for the weights of standardised columns; if the intercept is one of them, it is the last."""

    weight: np.ndarray  # [m]
    mean: np.ndarray  # [m, q]
    covariance: np.ndarray  # [m, q, q]
    noise: np.ndarray  # [m] E s2; for classes 0
    inclusion: np.ndarray  # [p] from all subsets, not only from those drawn
    center: np.ndarray
    scale: np.ndarray
    level: float = 0.0  # mean of y

    def moments(self):
        mean = self.weight @ self.mean
        away = self.mean - mean
        return mean, np.einsum("m,mij->ij", self.weight, self.covariance) + np.einsum("m,mi,mj->ij", self.weight, away, away)

    def direction(self, p):
        """[p] P(w_j > 0); for a weight that is 0, one half."""
        sd = np.sqrt(np.einsum("mjj->mj", self.covariance))[:, :p]
        z = np.divide(self.mean[:, :p], sd, out=np.zeros_like(sd), where=sd > 0)
        return self.weight @ ndtr(z)


def chosen(log_weights, at_most=AT_MOST):
    """Positions and weights of the members of a mixture: all that matter, or `at_most` drawn at even steps of the sum of weights."""
    weight = np.exp(normalised(np.where(np.isnan(log_weights), -np.inf, log_weights)))
    order = np.argsort(-weight, kind="stable")
    whole = np.cumsum(weight[order])
    count = int(np.searchsorted(whole, 1 - 1e-9)) + 1
    if count <= at_most:
        places = order[:count]
        return places, weight[places] / weight[places].sum()
    drawn, times = np.unique(np.searchsorted(whole, (np.arange(at_most) + 0.5) / at_most), return_counts=True)
    return order[np.minimum(drawn, order.size - 1)], times / at_most


def inclusion_of(log_weights, p):
    """log_weights [lines, 2^p]"""
    of_subset = np.exp(logsumexp(normalised(np.where(np.isnan(log_weights), -np.inf, log_weights)), axis=0))
    return of_subset @ members(p)


# ---- regressions


def standardise(X):
    scale = X.std(axis=0)
    return X.mean(axis=0), np.where(scale > 0, scale, 1.0)


def moments_of(X, y):
    center, scale = standardise(X)
    Xs, ys = (X - center) / scale, y - y.mean()
    return center, scale, Xs.T @ Xs, Xs.T @ ys, ys @ ys


def bic(X, y):
    n, p = X.shape
    center, scale, G, g, yy = moments_of(X, y)
    _, rest = of_every_subset(G, g, yy)
    size = members(p).sum(axis=1)
    log_weight = np.where(size < n - 2, -0.5 * n * np.log(np.maximum(rest, 1e-300)) - 0.5 * size * np.log(n), np.nan)
    places, weight = chosen(log_weight)
    inside = members(p)[places]
    noise = rest[places] / (n - 1 - size[places])
    covariance = np.zeros((places.size, p, p))
    both = inside[:, :, None] & inside[:, None, :]
    inverse = np.linalg.inv(np.where(both, G, np.eye(p)))
    covariance[both] = inverse[both]
    mean = covariance @ g
    return Mixture(weight, mean, covariance * noise[:, None, None], noise, inclusion_of(log_weight[None], p), center, scale, y.mean())


def log_evidence(G, g, yy, n, line):
    """The log evidence of every subset, up to a constant: u is integrated out, then b, then s2.

    y ~ N(Xs b, s2 (I + h XsXs')):  A = G (I + h G)^-1,  a = (I + h G)^-1 g,  rest = yy - h g'(I + h G)^-1 g
    """
    p = g.size
    root, Q = np.linalg.eigh(G)
    D = 1 / (1 + line.h * np.maximum(root, 0))
    A, a, c = (Q * (D * root)) @ Q.T, (Q * D) @ (Q.T @ g), yy - line.h * (D @ (Q.T @ g) ** 2)
    log_det, rest = of_every_subset(A + np.eye(p) / line.kappa, a, c)
    size = members(p).sum(axis=1)
    return 0.5 * (np.log(D).sum() - log_det - size * np.log(line.kappa)) - 0.5 * (n - 1) * np.log(rest)


def exact(X, y):
    n, p = X.shape
    center, scale, G, g, yy = moments_of(X, y)
    lines = grid(n, p)
    size = members(p).sum(axis=1)
    log_weight = np.array([line.weight + line.of_size[size] + log_evidence(G, g, yy, n, line) for line in lines])
    places, weight = chosen(log_weight.ravel())
    variance = prior_variance(lines, places, p)
    mean, covariance = given_variance(G, g, variance)
    noise = (yy - mean @ g) / (n - 3)
    return Mixture(weight, mean, covariance * noise[:, None, None], noise, inclusion_of(log_weight, p), center, scale, y.mean())


def prior_variance(lines, places, p):
    """[m, p] prior variances at positions of [lines, 2^p]: h, plus kappa for the columns of the subset."""
    kappa, h = (np.array([getattr(line, name) for line in lines])[places // 2**p, None] for name in ("kappa", "h"))
    return h + kappa * members(p)[places % 2**p]


def given_variance(G, g, variance):
    """Mean [m, p] and covariance [m, p, p] of w ~ N(0, s2 diag(variance)), relative to s2; a variance may be 0."""
    root = np.sqrt(variance)
    inverse = np.linalg.inv(np.eye(g.size) + root[:, :, None] * G * root[:, None, :])
    covariance = root[:, :, None] * inverse * root[:, None, :]
    return covariance @ g, covariance


def read_regression(model, X, y, X_new, y_new):
    mean, covariance = model.moments()
    Z = (X_new - model.center) / model.scale
    noise = model.weight @ model.noise
    signal, variance = model.level + Z @ mean, np.einsum("ij,jk,ik->i", Z, covariance, Z) + noise / len(y)
    sd = np.sqrt(variance + noise)
    return Answer(
        mean=signal,
        interval=around(signal, sd),
        log_density=normal_log_density(y_new, signal, sd),
        signal=around(signal, np.sqrt(variance)),
        coef=around(mean / model.scale, np.sqrt(np.diag(covariance)) / model.scale),
        noise_sd=np.sqrt(noise),
        selected=model.inclusion > 0.5,
        inclusion=model.inclusion,
        direction=model.direction(len(mean)),
    )


# ---- two classes


def newton(Z, y, rows, precision, inside):
    """For every row of `precision` and `inside` [m, q], the maximum of sum rows ln p(y | Z w) - w' diag(precision) w/2, w zero outside.

    Returns w [m, q], the log likelihood, ln|A| and the inverse of A, the negative Hessian, with ones on its diagonal outside. A step that
    lowers the value is halved.
    """
    m, q = precision.shape
    products = (Z[:, :, None] * Z[:, None, :]).reshape(len(y), q * q)
    both = inside[:, :, None] & inside[:, None, :]
    w, value = np.zeros((m, q)), np.full(m, -np.inf)
    step = np.zeros((m, q))
    for _ in range(60):
        eta = w @ Z.T
        likelihood = (log_expit(np.where(y == 1, eta, -eta))) @ rows
        now = likelihood - 0.5 * np.sum(precision * w**2, axis=1)
        fell = now < value - 1e-9
        if fell.any():
            step[fell] /= 2
            w[fell] -= step[fell]
            if fell.all() or np.abs(step[fell]).max() > 1e-10:
                value = np.where(fell, value, now)
                continue
        value = now
        P = expit(eta)
        A = (P * (1 - P) * rows) @ products
        A = np.where(both, A.reshape(m, q, q), 0) + np.eye(q) * np.where(inside, precision, 1)[:, None, :]
        step = np.linalg.solve(A, (((y - P) * rows) @ Z - precision * w)[:, :, None] * inside[:, :, None])[:, :, 0]
        if np.abs(step).max() < 1e-7:
            break
        w = w + step
    return w, likelihood, np.linalg.slogdet(A)[1], np.linalg.inv(A)


def with_intercept(X, scaled):
    center, scale = scaled
    return np.column_stack([(X - center) / scale, np.ones(len(X))])


def fit_classes(X, y, lines, of_line, rows_more):
    """A mixture of Laplace's approximations for the subsets at every line. lines None: weights of BIC. of_line: subsets, [k, p] bool."""
    p, scaled = X.shape[1], standardise(X)
    Z = with_intercept(X, scaled)
    n, rows, t = len(y), np.ones(len(y)), y.astype(float)
    if rows_more:
        Z, t = np.vstack([Z, np.eye(p + 1)[[p, p]]]), np.append(t, [0.0, 1.0])
        rows = np.append(rows, [0.5, 0.5])
    size = of_line.sum(axis=1)
    found = []
    for line in lines or [None]:
        variance = np.where(of_line, WIDE, 0.0) if line is None else line.h + line.kappa * of_line
        inside = np.column_stack([variance > 0, np.ones(len(of_line), bool)])
        precision = np.column_stack([np.divide(1, variance, out=np.zeros_like(variance), where=variance > 0), np.zeros(len(of_line))])
        w, likelihood, log_det, inverse = newton(Z, t, rows, precision, inside)
        if line is None:
            weight = likelihood - 0.5 * size * np.log(n)
        else:
            of_prior = 0.5 * np.sum(np.log(np.where(precision > 0, precision, 1)) - precision * w**2, axis=1)
            weight = line.weight + line.of_size[size] + likelihood + of_prior - 0.5 * log_det
        found.append((weight, w, np.where(inside[:, :, None] & inside[:, None, :], inverse, 0)))
    weights, w, inverse = (np.array([one[k] for one in found]) for k in range(3))
    places, weight = chosen(weights.ravel(), CLASS_MEMBERS)
    inclusion = np.exp(logsumexp(normalised(weights), axis=0)) @ of_line
    return Mixture(weight, w.reshape(-1, p + 1)[places], inverse.reshape(-1, p + 1, p + 1)[places], np.zeros(places.size), inclusion, *scaled)


def likely(X, y):
    """The SCREENED subsets with the best BIC, by a parabola of the log likelihood at its maximum with all columns.

    Lawless and Singhal (1978).
    """
    n, p = X.shape
    Z = with_intercept(X, standardise(X))
    all_columns = np.ones((1, p + 1), bool)
    w, _, _, inverse = newton(Z, y.astype(float), np.ones(n), np.append(np.full(p, 1 / WIDE), 0.0)[None], all_columns)
    A = np.linalg.inv(inverse[0, :p, :p])  # with the best intercept for each w
    b = A @ w[0, :p]
    _, lost = of_every_subset(A, b, b @ w[0, :p])
    order = np.argsort(lost + members(p).sum(axis=1) * np.log(n), kind="stable")
    return members(p)[order[:SCREENED]]


def bic_classes(X, y):
    return fit_classes(X, y, None, members(X.shape[1]) if 2 ** X.shape[1] <= SCREENED else likely(X, y), rows_more=False)


def exact_classes(X, y):
    n, p = X.shape
    return fit_classes(X, y, grid(n, p, OF_CLASSES), members(p), rows_more=True)


def read_two_classes(model, X, y, X_new, y_new):
    """Each member has probability sigma(m/sqrt(1 + pi s/8)), m and s mean and variance of its score; these are averaged."""
    p = model.inclusion.size
    Z = with_intercept(X_new, (model.center, model.scale))
    variance = np.einsum("mij,ri,rj->mr", model.covariance, Z, Z, optimize=True)
    one = model.weight @ expit(model.mean @ Z.T / np.sqrt(1 + np.pi * variance / 8))
    mean, covariance = model.moments()
    return Answer(
        probability=np.column_stack([1 - one, one]),
        log_density=np.log(np.where(y_new == 1, one, 1 - one)),
        signal=around(Z @ mean, np.sqrt(np.einsum("ij,jk,ik->i", Z, covariance, Z))),
        coef=around(mean[:p] / model.scale, np.sqrt(np.diag(covariance)[:p]) / model.scale),
        selected=model.inclusion > 0.5,
        inclusion=model.inclusion,
        direction=model.direction(p),
    )


REGRESSION = {"BIC": Method(bic, read_regression, max_columns=20), "exact": Method(exact, read_regression, max_columns=12)}
CLASSES = {"BIC": Method(bic_classes, read_two_classes, max_columns=20), "exact": Method(exact_classes, read_two_classes, max_columns=8)}
