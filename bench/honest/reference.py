"""The sparse prior of linear regression in plain numpy, equation by equation (docs/math/sparse.md), without any optimisation.

w = b + u, b_j ~ (1 - pi) delta_0 + pi N(0, s2 kappa), u_j ~ N(0, s2 h). Written only from the formulas, to be compared with the library.
Columns are standardised, and rows have no weights.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

A = 0.25  # a of the prior of the dense share
E = 0.5  # exponent of the prior of the slab, (1 + kappa)^-E
NODES = 5  # values of h that intervals average over


@dataclass
class State:
    pi: float
    kappa: float
    h: float
    s2: float
    m: np.ndarray  # [p] mean of b
    v: np.ndarray = None  # its variance
    q: np.ndarray = None  # inclusion
    mu: np.ndarray = None  # mean of the slab
    slab: np.ndarray = None  # variance of the slab
    bound: float = -np.inf


class Reference:
    tolerance = 1e-10  # nats

    def __init__(self, X, y):
        n, p = X.shape
        self.center, self.scale, self.mean = X.mean(axis=0), X.std(axis=0), y.mean()
        Xs, ys = (X - self.center) / self.scale, y - self.mean
        U, root, Vt = np.linalg.svd(Xs, full_matrices=False)  # (SP.2)
        there = root > 1e-6 * root[0]
        self.Z, self.yr, self.l = root[there, None] * Vt[there], U[:, there].T @ ys, root[there] ** 2
        self.rest = ys @ ys - self.yr @ self.yr
        self.N, self.nu, self.p = n, n - 1, p
        self.share = self.l.sum() / self.nu  # l bar
        self.order = np.argsort(-np.abs(self.Z.T @ self.yr), kind="stable")

    def D(self, h):
        return 1 / (1 + h * self.l)

    def d(self, h):
        return self.D(h) @ self.Z**2

    def sweep(self, s, order):
        """(SP.4)"""
        D, d = self.D(s.h), self.d(s.h)
        r = self.yr - self.Z @ s.m
        for array in ("v", "q", "mu", "slab"):
            setattr(s, array, np.zeros(self.p))
        for j in order:
            z = self.Z[:, j]
            c = z @ (D * r) + d[j] * s.m[j]
            s.mu[j], s.slab[j] = s.kappa * c / (1 + s.kappa * d[j]), s.s2 * s.kappa / (1 + s.kappa * d[j])
            odds = np.log(s.pi) - np.log1p(-s.pi) - 0.5 * np.log1p(s.kappa * d[j]) + c * s.mu[j] / (2 * s.s2)
            s.q[j] = 1 / (1 + np.exp(-odds)) if odds > -700 else 0
            new = s.q[j] * s.mu[j]
            s.v[j] = s.q[j] * (s.slab[j] + s.mu[j] ** 2) - new**2
            r -= (new - s.m[j]) * z
            s.m[j] = new

    def bound(self, s):
        """(SP.3), just after a sweep; without slabs, the log evidence of the ridge."""
        D, r = self.D(s.h), self.yr - self.Z @ s.m
        squares, divergence = self.rest + np.sum(D * r**2), 0
        if s.q is not None:
            squares += D @ self.spread(s)
            divergence = self.divergence(s) + E * np.log1p(s.kappa)  # (SP.23)
        value = -self.nu / 2 * np.log(2 * np.pi * s.s2) - 0.5 * np.sum(np.log1p(s.h * self.l)) - squares / (2 * s.s2)
        return value - divergence - A * np.log1p(s.h * self.share) - 0.5 * np.log(self.N)

    def divergence(self, s):
        """Kullback-Leibler divergence of q(b) from its prior."""
        out = 1 - s.q
        plain = np.where(s.q > 0, s.q * np.log(np.maximum(s.q, 1e-300) / s.pi), 0) + np.where(out > 0, out * np.log(np.maximum(out, 1e-300) / (1 - s.pi)), 0)
        ratio = s.slab / (s.s2 * s.kappa)
        return np.sum(plain + 0.5 * s.q * (ratio + s.mu**2 / (s.s2 * s.kappa) - 1 - np.log(ratio)))

    def spread(self, s):
        """g: the variances of Z b."""
        return self.Z**2 @ s.v

    def square(self, s):
        """P: the sum of the expected b_j^2 in the slabs."""
        return np.sum(s.q * (s.slab + s.mu**2))

    def within(self, s):
        """Covariance of q(b), and where it may differ from 0: [p, p]."""
        return np.diag(s.v), np.eye(self.p, dtype=bool)

    def uncertain(self, s, size):
        """The columns whose correlations are computed: the most uncertain ones, at most as many as Z has rows."""
        return np.argsort(-size)[: self.l.size]

    def objective_of_h(self, s):
        """(SP.5) as functions of h: s2(h), and phi(h)."""
        r, R, inside, g = self.yr - self.Z @ s.m, 0.0, 0.0, 0.0
        if s.q is not None:
            R, inside, g = s.q.sum(), self.square(s) / s.kappa, self.spread(s)

        def s2(h):
            return (self.rest + np.sum(self.D(h) * (r**2 + g)) + inside) / (self.nu + R)

        def phi(h):
            return -0.5 * np.sum(np.log1p(h * self.l)) - A * np.log1p(h * self.share) - 0.5 * (self.nu + R) * np.log(s2(h))

        return s2, phi

    def hyper(self, s, free_dense=True):
        """(SP.5)"""
        if s.q is not None:
            R = s.q.sum()
            s.pi, Q = R / self.p, self.square(s) / s.s2
            s.kappa = max(np.roots([R + 2 * E, R - Q, -Q]).max(), 4 / self.N)  # (SP.23)
        s2, phi = self.objective_of_h(s)
        if free_dense:
            grid = np.linspace(-23, 12, 71)
            loss = lambda t: -phi(np.exp(t))
            best = grid[np.argmin([loss(t) for t in grid])]
            found = minimize_scalar(loss, bounds=(max(-23, best - 0.5), min(12, best + 0.5)), method="bounded", options={"xatol": 1e-10})
            s.h = np.exp(found.x if found.fun < loss(best) else best)
        s.s2 = s2(s.h)

    def ascend(self, s, order=None, free_dense=True, tolerance=None, most=5000):
        last, tolerance = -np.inf, self.tolerance if tolerance is None else tolerance
        for _ in range(most):
            self.sweep(s, self.order if order is None else order)
            s.bound = self.bound(s)
            if abs(s.bound - last) < tolerance:
                return s
            last = s.bound
            self.hyper(s, free_dense)
        raise RuntimeError("the bound does not converge")

    def ridge(self):
        """The fit with pi = 0."""
        s = State(0, 0, 1 / self.N, 1, np.zeros(self.p))
        self.hyper(s)
        s.bound = self.bound(s)
        return s

    def from_ridge(self):
        s = self.ridge()
        return self.ascend(State(0.1, 16 / self.N, s.h, s.s2, np.zeros(self.p)))

    def from_zero(self):
        s = State(0.1, 16 / self.N, 0.0, np.sum(self.yr**2) / self.nu + self.rest / self.nu, np.zeros(self.p))
        self.ascend(s, free_dense=False)
        s.h = 1e-4 / self.N
        return self.ascend(s)

    def covariance(self, s):
        """Mean [p] and covariance [p, p] of w, standardised columns.                                                       (SP.6)"""
        D = self.D(s.h)
        G = (self.Z.T * D) @ self.Z
        P = np.eye(self.p) - s.h * G
        mean = s.m + s.h * self.Z.T @ (D * (self.yr - self.Z @ s.m))
        B = np.zeros((self.p, self.p))
        if s.v is not None:
            within, there = self.within(s)
            B = np.diag(s.v)
            known = self.uncertain(s, s.v * np.diag(G))
            some = np.ix_(known, known)
            size, axes = np.linalg.eigh(within[some])
            S = (axes * np.sqrt(np.maximum(size, 0))) @ axes.T
            B[some] = S @ np.linalg.inv(np.eye(known.size) + S @ np.where(there, 0, G)[some] @ S / s.s2) @ S
        return mean, s.s2 * s.h * P + P @ B @ P.T

    def values_of_h(self, s):
        """Values of h: the middles of NODES parts of equal mass of its posterior given q(b), each with s2.                (SP.15)"""
        s2, phi = self.objective_of_h(s)
        t = np.log(max(s.h, 1 / self.l.sum())) + np.arange(-8, 8.01, 0.25)
        share = np.exp(t) * self.share
        log_density = np.array([phi(h) for h in np.exp(t)]) + np.log(share) - 2 * np.log1p(share)
        mass = np.exp(log_density - log_density.max())
        mass /= mass.sum()
        places = np.interp((np.arange(NODES) + 0.5) / NODES, np.cumsum(mass) - mass / 2, t)
        return [(h, s2(h)) for h in np.exp(places)]

    def over_h(self, s, covariance):
        """Covariance of w with the uncertainty of h, and the mean of s2.                                                 (SP.15)"""
        Z, D, r = self.Z, self.D(s.h), self.yr - self.Z @ s.m
        h, s2 = np.array(self.values_of_h(s)).T
        each = 1 / (1 + np.outer(self.l, h))  # [m, NODES] D
        scale = np.mean(s2 * h) - s.s2 * s.h
        narrowing = each @ (s2 * h**2) / NODES - s.s2 * s.h**2 * D
        moves = ((each * h - (s.h * D)[:, None]) * r[:, None]).T @ Z / np.sqrt(NODES)
        return covariance + scale * np.eye(self.p) - (Z.T * narrowing) @ Z + moves.T @ moves, np.mean(s2)

    def predict(self, s, X):
        """Mean and variance of new observations.                                                                   (SP.7, SP.15)"""
        mean, covariance = self.covariance(s)
        covariance, flat = self.over_h(s, covariance)
        rows = (X - self.center) / self.scale
        return self.mean + rows @ mean, s.s2 + flat / self.N + np.einsum("ij,jk,ik->i", rows, covariance, rows)
