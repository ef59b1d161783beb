"""Compares ideas for the prior `sparse`, in plain numpy, with the fit as it is (IDEAS.md).

    .venv/bin/python bench/honest/ideas.py [--families 'blk-*-50-*'] [--seeds 0,1]

Joint posteriors of correlated columns (SP.13, SP.14), without and with the intervals of (SP.15). The library now has both. Nothing here is
compiled, so a fit takes minutes.
"""

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import argparse
import fnmatch
import itertools
import time
from types import SimpleNamespace

import families
import numpy as np
from reference import Reference, State
from scipy.special import logsumexp
from scipy.stats import norm
from scores import score
from sklearn.linear_model import lasso_path

HALF = norm.ppf(0.975)


class Blocks(Reference):
    """Correlated columns form blocks with a joint posterior, in which at most `most` columns of a block are not zero."""

    def __init__(self, X, y, size=10, least=0.5, most=3):
        super().__init__(X, y)
        self.most, self.blocks, free = most, [], np.ones(self.p, dtype=bool)
        for place, j in enumerate(self.order):  # (SP.13): only the first columns, as many as Z has rows, may start a block
            if free[j]:
                alike = np.where(free, np.abs(self.Z[:, j] @ self.Z) / self.N, 0) if place < self.l.size else np.zeros(self.p)
                alike[j] = 1
                nearest = np.argsort(-alike, kind="stable")[:size]
                self.blocks.append(nearest[alike[nearest] > least])
                free[self.blocks[-1]] = False

    def sweep(self, s, order):
        """(SP.14)"""
        D, r = self.D(s.h), self.yr - self.Z @ s.m
        rank = np.empty(self.p, dtype=int)
        rank[order] = np.arange(self.p)
        s.q, s.v, s.covariances, s.sums = np.zeros(self.p), np.zeros(self.p), [], np.zeros(2)
        for block in sorted(self.blocks, key=lambda block: rank[block].min()):
            Z = self.Z[:, block]
            A = (Z.T * D) @ Z
            c = Z.T @ (D * r) + A @ s.m[block]
            mean, square, s.q[block], sums = posterior_of_subsets(A, c, s, self.most)
            r -= Z @ (mean - s.m[block])
            s.m[block] = mean
            s.covariances.append((block, square - np.outer(mean, mean)))
            s.v[block] = np.diag(s.covariances[-1][1])
            s.sums += sums

    def divergence(self, s):
        return s.sums[0]

    def square(self, s):
        return s.sums[1]

    def spread(self, s):
        return sum(np.einsum("ij,jk,ik->i", self.Z[:, block], C, self.Z[:, block]) for block, C in s.covariances if C.any())

    def within(self, s):
        out, there = np.zeros((self.p, self.p)), np.zeros((self.p, self.p), dtype=bool)
        for block, C in s.covariances:
            out[np.ix_(block, block)], there[np.ix_(block, block)] = C, True
        return out, there

    def uncertain(self, s, size):
        """The same by whole blocks."""
        known = []
        for block, _ in sorted(s.covariances, key=lambda pair: -size[pair[0]].sum()):
            if len(known) + len(block) > self.l.size:
                break
            known.extend(block)
        return np.array(known)


def posterior_of_subsets(A, c, s, most):
    """E b_g, E b_g b_g', inclusions, and (divergence, P): sums over the subsets of a block that are not zero.                  (SP.14)"""
    size, kinds = c.size, []
    for count in range(min(most, size) + 1):
        subsets = np.array(list(itertools.combinations(range(size), count)), dtype=int)
        scaled = np.linalg.inv(A[subsets[:, :, None], subsets[:, None, :]] + np.eye(count) / s.kappa)
        mu = np.einsum("sij,sj->si", scaled, c[subsets])
        stretch = count * np.log(s.kappa) - np.linalg.slogdet(scaled)[1]  # ln |I + kappa A_S|
        prior = count * np.log(s.pi) + (size - count) * np.log1p(-s.pi)
        kinds.append((subsets, mu, s.s2 * scaled, stretch, np.full(len(subsets), prior), prior - 0.5 * stretch + 0.5 * np.sum(c[subsets] * mu, axis=1) / s.s2))
    total = logsumexp(np.concatenate([kind[-1] for kind in kinds]))
    mean, square, inclusion, divergence, P = np.zeros(size), np.zeros((size, size)), np.zeros(size), 0.0, 0.0
    for subsets, mu, V, stretch, prior, log_weight in kinds:
        weight, count = np.exp(log_weight - total), subsets.shape[1]
        second = V + mu[:, :, None] * mu[:, None, :]
        expected = np.trace(second, axis1=1, axis2=2)
        divergence += weight @ (log_weight - total - prior + 0.5 * (expected / (s.s2 * s.kappa) - count + stretch))
        P += weight @ expected
        np.add.at(mean, subsets, weight[:, None] * mu)
        np.add.at(inclusion, subsets, weight[:, None])
        np.add.at(square, (subsets[:, :, None], subsets[:, None, :]), weight[:, None, None] * second)
    return mean, square, inclusion, np.array([divergence, P])


def starts(reference):
    """The starts of (SP.8) at their ends, and their weights."""
    found, n, Z = [reference.from_ridge(), reference.from_zero()], reference.N, reference.Z
    slopes = np.abs(Z.T @ reference.yr)
    path = slopes.max() * 0.02 ** (np.arange(20) / 19)
    for m in lasso_path(Z, reference.yr, alphas=path / len(Z), max_iter=10000)[1].T[[5, 9, 13, 17]]:
        there = max(np.sum(m != 0), 1)
        s2 = (reference.rest + np.sum((reference.yr - Z @ m) ** 2)) / max(reference.nu - there, 1)
        kappa = max(1.5 * m @ m / there / s2, 4 / n)
        s = State(min(there / reference.p, 0.5), kappa, 1e-4 / n, s2, m.copy())
        found.append(reference.ascend(s, np.lexsort((-slopes, -np.abs(m)))))
    weight = np.exp(0.25 * (np.array([s.bound for s in found]) - max(s.bound for s in found)))
    weight[weight < 1e-3] = 0
    return [(w, s) for w, s in zip(weight / weight.sum(), found) if w > 0]


def answer(reference, X_new, y_new, estimated_h):
    """What scores.py needs of a fit."""
    rows, p, components = (X_new - reference.center) / reference.scale, reference.p, starts(reference)
    wanted = np.vstack([rows, np.eye(p)])
    flat = np.concatenate([np.full(len(rows), 1 / reference.N), np.zeros(p)])  # variance of the intercept, relative to s2
    means, variances = [], []
    for _, s in components:
        mean, covariance = reference.covariance(s)
        covariance, s2 = reference.over_h(s, covariance) if estimated_h else (covariance, s.s2)
        means.append(wanted @ mean)
        variances.append(np.einsum("ij,ij->i", wanted @ covariance, wanted) + s2 * flat)
    weight, means, s2 = np.array([w for w, _ in components]), np.array(means), sum(w * s.s2 for w, s in components)
    mean = weight @ means
    sd = np.sqrt(weight @ (np.array(variances) + (means - mean) ** 2))
    f, sd_f, w, sd_w = reference.mean + mean[:-p], sd[:-p], mean[-p:] / reference.scale, sd[-p:] / reference.scale
    sd_y = np.sqrt(sd_f**2 + s2)
    around = lambda middle, half: np.column_stack([middle - HALF * half, middle + HALF * half])
    inclusion = sum(share * s.q for share, s in components)
    return SimpleNamespace(
        mean=f, interval=around(f, sd_y), log_density=norm.logpdf(y_new, f, sd_y), signal=around(f, sd_f), coef=around(w, sd_w),
        noise_sd=np.sqrt(s2), inclusion=inclusion, selected=inclusion > 0.5, bound=max(s.bound for _, s in components),
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--families", type=lambda text: text.split(","), default=["blk-*-p1000-50-*"], help="names of problems, or patterns such as ind-*")
    parser.add_argument("--seeds", type=lambda text: [int(s) for s in text.split(",")], default=[0])
    chosen = parser.parse_args()
    Reference.tolerance = 1e-3
    fields = ["mse", "cov_y", "cov_f", "cov_coef", "cov_nonzero", "nlpd", "bound"]
    print(f"{'':30s} {'':14s} {'seconds':>9s} " + " ".join(f"{field:>11s}" for field in fields))
    for family in families.LINEAR:
        if any(fnmatch.fnmatch(family.name, pattern) for pattern in chosen.families):
            for seed in chosen.seeds:
                problem = families.draw(family, seed)
                for name, kind, estimated_h in (("as it is", Reference, False), ("blocks", Blocks, False), ("blocks, h", Blocks, True)):
                    start = time.process_time()
                    found = score(problem, answer(kind(problem.X, problem.y), problem.X_new, problem.y_new, estimated_h))
                    numbers = " ".join(f"{found[field]:11.4g}" for field in fields)
                    print(f"{family.name:26s} {seed:3d} {name:14s} {time.process_time() - start:9.1f} {numbers}", flush=True)


if __name__ == "__main__":
    main()
