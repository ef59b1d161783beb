"""The linear posteriors of posteriordb, and their exact posteriors under the priors of this library, by quadrature in numpy.

tests/data/posteriordb has the data, and the published means and mean squares of the reference draws (10,000 per posterior).
`reference_moments` integrates the posterior of posteriordb itself, so that the published numbers check the integration; `Exact` integrates
ours.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "posteriordb"


def _table(name):
    with open(DATA / f"{name}.csv") as file:
        names = file.readline().strip().split(",")
        values = np.loadtxt(file, delimiter=",", ndmin=2)
    return dict(zip(names, values.T))


def _z(x, width=1):
    return (x - x.mean()) / (width * x.std(ddof=1))


def _kidiq(centre):
    def columns(d):
        hs, iq = centre(d["mom_hs"], d["mom_iq"])
        return d["kid_score"], [hs, iq, hs * iq]

    return columns


def _volume(d):
    return np.log(d["diam1"] * d["diam2"] * d["canopy_height"])


def _area(d):
    return np.log(d["diam1"] * d["diam2"])


def _shape(d):
    return np.log(d["diam1"] / d["diam2"])


def _nes(d):
    ages = [(d["age_discrete"] == k) * 1.0 for k in (2, 3, 4)]
    return d["partyid7"], [d["real_ideo"], d["race_adj"], *ages, d["educ1"], d["gender"], d["income"]]


# posterior -> target and columns; the intercept comes first in posteriordb's beta.
FORMS = {
    "earnings-earn_height": lambda d: (d["earn"], [d["height"]]),
    "earnings-log10earn_height": lambda d: (np.log10(d["earn"]), [d["height"]]),
    "earnings-logearn_height": lambda d: (np.log(d["earn"]), [d["height"]]),
    "earnings-logearn_height_male": lambda d: (np.log(d["earn"]), [d["height"], d["male"]]),
    "earnings-logearn_interaction": lambda d: (np.log(d["earn"]), [d["height"], d["male"], d["height"] * d["male"]]),
    "earnings-logearn_interaction_z": lambda d: (np.log(d["earn"]), [_z(d["height"]), d["male"], _z(d["height"]) * d["male"]]),
    "earnings-logearn_logheight_male": lambda d: (np.log(d["earn"]), [np.log(d["height"]), d["male"]]),
    "kidiq-kidscore_interaction": _kidiq(lambda hs, iq: (hs, iq)),
    "kidiq-kidscore_momhs": lambda d: (d["kid_score"], [d["mom_hs"]]),
    "kidiq-kidscore_momhsiq": lambda d: (d["kid_score"], [d["mom_hs"], d["mom_iq"]]),
    "kidiq-kidscore_momiq": lambda d: (d["kid_score"], [d["mom_iq"]]),
    "kidiq_with_mom_work-kidscore_interaction_c": _kidiq(lambda hs, iq: (hs - hs.mean(), iq - iq.mean())),
    "kidiq_with_mom_work-kidscore_interaction_c2": _kidiq(lambda hs, iq: (hs - 0.5, iq - 100)),
    "kidiq_with_mom_work-kidscore_interaction_z": _kidiq(lambda hs, iq: (_z(hs, 2), _z(iq, 2))),
    "kidiq_with_mom_work-kidscore_mom_work": lambda d: (d["kid_score"], [(d["mom_work"] == k) * 1.0 for k in (2, 3, 4)]),
    "kilpisjarvi_mod-kilpisjarvi": lambda d: (d["y"], [d["x"]]),
    "mesquite-logmesquite": lambda d: (
        np.log(d["weight"]),
        [np.log(d[c]) for c in ("diam1", "diam2", "canopy_height", "total_height", "density")] + [d["group"]],
    ),
    "mesquite-logmesquite_logva": lambda d: (np.log(d["weight"]), [_volume(d), _area(d), d["group"]]),
    "mesquite-logmesquite_logvas": lambda d: (
        np.log(d["weight"]),
        [_volume(d), _area(d), _shape(d), np.log(d["total_height"]), np.log(d["density"]), d["group"]],
    ),
    "mesquite-logmesquite_logvash": lambda d: (
        np.log(d["weight"]),
        [_volume(d), _area(d), _shape(d), np.log(d["total_height"]), d["group"]],
    ),
    "mesquite-logmesquite_logvolume": lambda d: (np.log(d["weight"]), [_volume(d)]),
    "mesquite-mesquite": lambda d: (
        d["weight"],
        [d[c] for c in ("diam1", "diam2", "canopy_height", "total_height", "density", "group")],
    ),
    "nes2000-nes": _nes,
    "sblrc-blr": lambda d: (d["y"], [d[f"x{j}"] for j in range(1, 6)]),
    "sblri-blr": lambda d: (d["y"], [d[f"x{j}"] for j in range(1, 6)]),
}
WITHOUT_INTERCEPT = ("sblrc-blr", "sblri-blr")


def problem(name):
    """X without the intercept, y."""
    y, columns = FORMS[name](_table(name.split("-")[0]))
    return np.column_stack(columns), y


def published():
    """Posterior -> names, mean, mcse_mean, mean_squared_value of the reference draws."""
    return json.loads((DATA / "reference.json").read_text())


# ---- posteriordb's own posteriors: beta has a normal prior given sigma, or a flat one; sigma has a prior of its own


def reference_moments(name, points=4001):
    """Mean and mean square of beta and sigma under posteriordb's priors: beta is integrated exactly, ln(sigma) is on a grid."""
    X, y = problem(name)
    A = X if name in WITHOUT_INTERCEPT else np.column_stack([np.ones(y.size), X])
    p = A.shape[1]
    centre, precision = np.zeros(p), np.zeros(p)
    log_prior_of_sigma = lambda s: np.zeros_like(s)
    if name in WITHOUT_INTERCEPT:
        precision[:] = 1 / 10**2
        log_prior_of_sigma = lambda s: -0.5 * (s / 10) ** 2
    elif name.startswith("kilpisjarvi"):
        centre[0], precision[:] = 9.31290322580645, [1 / 100**2, 1 / 0.0333333333333333**2]
    elif name.startswith("kidiq-"):
        log_prior_of_sigma = lambda s: -np.log1p((s / 2.5) ** 2)
    # QR, so that columns have the same size; everything else is in the coordinates b = R beta.
    Q, R = np.linalg.qr(A)
    c, rest = Q.T @ y, np.sum((y - Q @ (Q.T @ y)) ** 2)
    sd = np.sqrt(max(rest, 1e-300) / (y.size - p))
    s = sd * np.exp(np.linspace(-1.5, 1.5, points) * 3)
    inverse = np.linalg.solve(R, np.eye(p))
    prior_precision = inverse.T @ np.diag(precision) @ inverse  # of b = R beta
    prior_mean = R @ centre
    values, axes = np.linalg.eigh(prior_precision)
    c_axes, m_axes = axes.T @ c, axes.T @ prior_mean
    v = 1 / (1 / s[:, None] ** 2 + values)  # [points, p] of b along the axes
    mean = v * (c_axes / s[:, None] ** 2 + values * m_axes)
    # exp(-|y - Qb|^2/2s^2 - (b - m)'P(b - m)/2), with b integrated out
    fit = ((c_axes - mean) ** 2).sum(axis=1) / s**2 + (values * (mean - m_axes) ** 2).sum(axis=1)
    log_density = -y.size * np.log(s) - 0.5 * rest / s**2 - 0.5 * fit + 0.5 * np.log(v).sum(axis=1) + log_prior_of_sigma(s) + np.log(s)
    weight = np.exp(log_density - log_density.max())
    weight /= weight.sum()
    to_beta = inverse @ axes
    of_beta = mean @ to_beta.T
    variance = v @ (to_beta**2).T
    first = np.append(weight @ of_beta, weight @ s)
    second = np.append(weight @ (variance + of_beta**2), weight @ s**2)
    return first, second


# ---- ours


@dataclass
class Exact:
    """p(y | w, tau) = N(Xw + intercept, 1/tau), w ~ N(0, 1/(tau alpha)), tau ~ Gam(a0, b0), intercept flat; alpha on a grid with weights.

    X and y are centred if there is an intercept. If the grid has one value, alpha is known.
    """

    mean: np.ndarray  # [points, p] of w
    scale2: np.ndarray  # [points, p] squared scale of w_j, a Student-t with 2 a_N degrees of freedom
    a_N: float
    b_N: np.ndarray  # [points]
    weight: np.ndarray  # [points]
    log_evidence: float

    def moments(self):
        mean = self.weight @ self.mean
        variance = self.weight @ (self.scale2 * self.a_N / (self.a_N - 1) + self.mean**2) - mean**2
        return mean, np.sqrt(variance)

    def interval(self, j, level):
        """The central interval, from the roots of the distribution function."""
        from scipy import optimize, stats

        scale = np.sqrt(self.scale2[:, j])
        cdf = lambda x: self.weight @ stats.t.cdf((x - self.mean[:, j]) / scale, 2 * self.a_N)
        mean, sd = (m[j] for m in self.moments())
        return [optimize.brentq(lambda x: cdf(x) - q, mean - 40 * sd, mean + 40 * sd, xtol=1e-13 * sd) for q in ((1 - level) / 2, (1 + level) / 2)]

    def noise_mean(self):
        return self.weight @ (self.a_N / self.b_N)


def exact(X, y, log_alpha, log_prior_of_alpha, a0, b0, intercept=True):
    """Given alpha, everything is conjugate.

    log_alpha [points] is evenly spaced, and log_prior_of_alpha is the log density of ln(alpha) there; or there is one point of weight 1.
    If alpha is 0 (ln -inf), the weights have a flat prior of density 1 in the units of X, as the intercept has.
    """
    from scipy.special import gammaln

    n, p = X.shape
    if intercept:
        X, y = X - X.mean(axis=0), y - y.mean()
    alpha = np.exp(np.asarray(log_alpha, dtype=float))
    flat = alpha.size == 1 and alpha[0] == 0
    _, singular, W = np.linalg.svd(X, full_matrices=False)
    z = W @ (X.T @ y)  # X'X = W' diag(singular^2) W
    l = singular**2
    rest = max(y @ y - np.sum(z**2 / l), 0)
    V = 1 / (l + alpha[:, None])
    mean = (V * z) @ W
    a_N = a0 + 0.5 * (n - int(intercept) - (p if flat else 0))
    b_N = b0 + 0.5 * (rest + np.sum(z**2 / l * alpha[:, None] * V, axis=1))
    log_p = gammaln(a_N) - gammaln(a0) + a0 * np.log(b0) - a_N * np.log(b_N) + 0.5 * np.log(V).sum(axis=1)
    if not flat:
        log_p += 0.5 * p * np.log(alpha)
    free = n - int(intercept) - (p if flat else 0)
    log_p -= 0.5 * free * np.log(2 * np.pi) + (0.5 * np.log(n) if intercept else 0)
    log_w = log_p + log_prior_of_alpha
    step = np.log(log_alpha[1] - log_alpha[0]) if alpha.size > 1 else 0.0
    evidence = log_w.max() + np.log(np.exp(log_w - log_w.max()).sum()) + step
    return Exact(mean, (V @ W**2) * (b_N / a_N)[:, None], a_N, b_N, np.exp(log_w + step - evidence), evidence)


def log_gamma_density(log_alpha, shape, rate):
    """The log density of ln(alpha), alpha ~ Gam(shape, rate)."""
    from scipy.special import gammaln

    return shape * np.log(rate) - gammaln(shape) + shape * log_alpha - rate * np.exp(log_alpha)
