"""Samples the exact posterior of the spike and slab: no method has a smaller error on average over the draws of families.py.

See IDEAS.md, "The least error on these draws".

    .venv/bin/python bench/honest/exact.py ar-n200-p1000-5-snr10 --seeds 0 1 2 3
    .venv/bin/python bench/honest/exact.py ind-n300-p500-5-snr4 --seeds 0 1 2 3 --classes

A weight is N(0, slab) with probability `share`, else 0; the intercept has a flat prior. Regressions: y = Xw + N(0, s2).
Classes: P(y = 1) = 1/(1 + exp(-Xw)).

    known   share, slab and s2 are those of the generator
    vague   share ~ Beta(1, 1); ln(slab) is flat (regressions: relative to s2, over 16 nats; classes: over 10), ln(s2) is flat;
            columns are standardised

The chain moves between subsets of columns, with the weights integrated out. For classes, this is done given Polya-Gamma variables of the
rows (Polson, Scott and Windle 2013), which are drawn again in every sweep. There are two chains: one starts with the true columns, one with
none. The answer is their mean. It accepts families in which a given number of columns has N(0, 1) effects.

It needs only numpy. If numba is installed (`pip install numba`; the package does not need it), it is compiled, and a chain takes some
seconds.
"""

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import argparse
import sys
from math import erfc, exp, log, pi, sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import families
import numpy as np
from scores import kl_divergence

try:
    from numba import njit

    compiled = njit(cache=True)
except ImportError:

    def compiled(function):
        return function


REFUSED = -np.inf
ALIKE = 12  # number of similar columns with which a column may be swapped
SLAB_STEP, SLAB_SHARE = 1.5, 0.1  # regressions: sd of the random walk of ln(slab), and its share of the steps
REGRESSION_STEPS = 400_000
CLASS_SWEEPS, MOVES_A_SWEEP = 6000, 40


# ---- moves from subset to subset


@compiled
def log_odds(k, p, share):
    """ln p(a given subset of k + 1 columns) - ln p(a given one of k). share 0: it is Beta(1, 1), and p(subset) = B(1 + k, 1 + p - k)."""
    if share > 0:
        return log(share / (1 - share))
    return log((k + 1) / (p - k))


@compiled
def move(members, weights, cumulative, alike, share, rng):
    """Proposes a subset near this one. Returns it with ln of p(new)/p(old) q(new to old)/q(old to new). The caller adds the log evidence.

    move       proposal                          move back                           ratio
    add, .3    j with probability weights[j]     drop it, 1/(k + 1)                  p(new)/p(old) / ((k + 1) weights[j])
    drop, .3   one of k                          add it, weights[j]                  p(new)/p(old) k weights[j]
    swap, .3   j for a similar column, 1/ALIKE   the same, if j is similar to it     1
    swap, .1   j for i, weights[i]               weights[j]                          weights[j]/weights[i]
    """
    k, p = members.size, weights.size
    u = rng.random()
    if u < 0.3:
        j = np.searchsorted(cumulative, rng.random(), side="right")
        if np.any(members == j):
            return members, REFUSED
        return np.append(members, j), log_odds(k, p, share) - log((k + 1) * weights[j])
    if k == 0:
        return members, REFUSED
    place = rng.integers(0, k)
    j = members[place]
    if u < 0.6:
        return np.delete(members, place), log(k * weights[j]) - log_odds(k - 1, p, share)
    if u < 0.9:
        i = alike[j, rng.integers(0, alike.shape[1])]
        log_ratio = 0.0 if np.any(alike[i] == j) else REFUSED
    else:
        i = np.searchsorted(cumulative, rng.random(), side="right")
        log_ratio = log(weights[j] / weights[i])
    if np.any(members == i):
        return members, REFUSED
    swapped = members.copy()
    swapped[place] = i
    return swapped, log_ratio


@compiled
def normal(A, b):
    """For the density of w proportional to exp(b'w - w'Aw/2): its mean, the factor L of A = LL', ln|A| and b'A^-1 b."""
    L = np.linalg.cholesky(A)
    t = np.linalg.solve(L, b)
    return np.linalg.solve(L.T, t), L, 2 * np.sum(np.log(np.diag(L))), np.dot(t, t)


# ---- regressions


@compiled
def regression_evidence(gram, slopes, yy, rows, members, slab, known):
    """ln p(y | members, slab), up to a constant, and the mean of the members' weights given both.

    X and y are centred, slab is relative to s2.

    s2 = 1:         -ln|1 + slab X'X|/2 + q/2,  q = y'X (X'X + 1/slab)^-1 X'y
    ln(s2) flat:    -ln|1 + slab X'X|/2 - (rows - 1)/2 ln(y'y - q)
    """
    k = members.size
    mean, log_det, q = np.zeros(0), 0.0, 0.0
    if k > 0:
        A = np.ascontiguousarray(gram[members][:, members]) + np.eye(k) / slab
        mean, _, log_det, q = normal(A, slopes[members])
    of_size = -0.5 * (log_det + k * log(slab))
    if known:
        return of_size + 0.5 * q, mean
    return of_size - 0.5 * (rows - 1) * log(yy - q), mean


@compiled
def regression_chain(gram, slopes, yy, rows, weights, cumulative, alike, members, share, slab, steps, rng):
    """Means of the weights, and inclusion probabilities, over the last four fifths of the steps. share 0: vague."""
    known = share > 0
    evidence, mean = regression_evidence(gram, slopes, yy, rows, members, slab, known)
    weight, inclusion, kept = np.zeros(weights.size), np.zeros(weights.size), 0
    for step in range(steps):
        new, new_slab = members, slab
        if known or rng.random() > SLAB_SHARE:
            new, log_ratio = move(members, weights, cumulative, alike, share, rng)
        else:  # a step of ln(slab), whose prior is flat from 1/rows to 1e7/rows: there, the ratio is 1
            new_slab = slab * exp(SLAB_STEP * rng.standard_normal())
            log_ratio = 0.0 if 1 < new_slab * rows < 1e7 else REFUSED
        if log_ratio > REFUSED:
            new_evidence, new_mean = regression_evidence(gram, slopes, yy, rows, new, new_slab, known)
            if log(1 - rng.random()) < new_evidence - evidence + log_ratio:
                members, slab, evidence, mean = new, new_slab, new_evidence, new_mean
        if step >= steps // 5:
            kept += 1
            weight[members] += mean
            inclusion[members] += 1
    return weight / kept, inclusion / kept


# ---- classes: Polya-Gamma variables

SPLIT = 0.64  # below it, the density of J*(1, z) has the tail of an inverse Gaussian; above it, of an exponential


@compiled
def series_term(n, x):
    """a_n(x) of the alternating series of the density of J*(1, 0)."""
    if x > SPLIT:
        return pi * (n + 0.5) * exp(-((n + 0.5) ** 2) * pi**2 * x / 2)
    return (2 / (pi * x)) ** 1.5 * pi * (n + 0.5) * exp(-2 * (n + 0.5) ** 2 / x)


@compiled
def below_split(z, rng):
    """A draw of the inverse Gaussian with mean 1/z and shape 1, given that it is below SPLIT."""
    if z * SPLIT > 1:  # the mean is below SPLIT
        while True:
            x = rng.wald(1 / z, 1.0)
            if x < SPLIT:
                return x
    while True:  # 1/chi^2 below SPLIT, accepted with probability exp(-z^2 x/2)
        one, two = rng.standard_exponential(), rng.standard_exponential()
        if one**2 <= 2 * two / SPLIT:
            x = SPLIT / (1 + SPLIT * one) ** 2
            if rng.random() <= exp(-(z**2) * x / 2):
                return x


@compiled
def polya_gamma(c, rng):
    """A draw of PG(1, c) = J*(1, |c|/2)/4: proposed from the two tails, accepted by bounds from the alternating series."""
    z = abs(c) / 2
    rate = pi**2 / 8 + z**2 / 2
    below = lambda x: 0.5 * erfc(-x / sqrt(2))  # normal distribution function
    root = sqrt(1 / SPLIT)
    right = pi / (2 * rate) * exp(-rate * SPLIT)
    left = 2 * exp(-z) * (below(root * (SPLIT * z - 1)) + exp(2 * z) * below(-root * (SPLIT * z + 1)))
    while True:
        if rng.random() * (left + right) < right:
            x = SPLIT + rng.standard_exponential() / rate
        else:
            x = below_split(z, rng)
        partial, n = series_term(0, x), 0
        u = rng.random() * partial
        while True:
            n += 1
            if n % 2 == 1:
                partial -= series_term(n, x)
                if u <= partial:
                    return x / 4
            else:
                partial += series_term(n, x)
                if u > partial:
                    break


# ---- classes


@compiled
def with_ones(Xt, members):
    """[k + 1, n]: a row of ones, then the columns of the members as rows."""
    R = np.ones((members.size + 1, Xt.shape[1]))
    for place in range(members.size):
        R[place + 1] = Xt[members[place]]
    return R


@compiled
def class_evidence(Xt, y, omega, members, slab):
    """ln p(y | members, slab, omega), up to a constant: b'A^-1 b/2 - ln|A|/2 - k/2 ln(slab).

    Also the normal distribution of the weights, intercept first: its mean and the factor L of A = LL'.
    A = X' diag(omega) X + diag(0, 1/slab, ...), b = X'(y - 1/2)
    """
    R = with_ones(Xt, members)
    A = np.dot(R * omega, R.T)
    for place in range(1, members.size + 1):
        A[place, place] += 1 / slab
    mean, L, log_det, q = normal(A, np.dot(R, y - 0.5))
    return 0.5 * (q - log_det - members.size * log(slab)), mean, L


@compiled
def slab_given(w, slab, rng):
    """A few steps of ln(slab), whose prior is flat from -5 to 5, given the weights: the ratio is that of prod N(w_j; 0, slab)."""
    for _ in range(5):
        new = slab * exp(rng.standard_normal())
        log_ratio = -0.5 * (w.size * log(new / slab) + np.dot(w, w) * (1 / new - 1 / slab))
        if abs(log(new)) < 5 and log(1 - rng.random()) < log_ratio:
            slab = new
    return slab


@compiled
def class_chain(Xt, Xt_new, y, weights, cumulative, alike, members, share, slab, sweeps, moves, rng):
    """Means of P(y = 1) for the new rows, and inclusion probabilities, over the last four fifths of the sweeps. share 0: vague."""
    known = share > 0
    eta, omega = np.zeros(y.size), np.zeros(y.size)
    probability, inclusion, kept = np.zeros(Xt_new.shape[1]), np.zeros(weights.size), 0
    for sweep in range(sweeps):
        for row in range(y.size):
            omega[row] = polya_gamma(eta[row], rng)
        evidence, mean, L = class_evidence(Xt, y, omega, members, slab)
        for _ in range(moves):
            new, log_ratio = move(members, weights, cumulative, alike, share, rng)
            if log_ratio > REFUSED:
                new_evidence, new_mean, new_L = class_evidence(Xt, y, omega, new, slab)
                if log(1 - rng.random()) < new_evidence - evidence + log_ratio:
                    members, evidence, mean, L = new, new_evidence, new_mean, new_L
        w = mean + np.linalg.solve(L.T, rng.standard_normal(mean.size))
        eta = np.dot(w, with_ones(Xt, members))
        if not known:
            slab = slab_given(w[1:], slab, rng)
        if sweep >= sweeps // 5:
            kept += 1
            probability += 1 / (1 + np.exp(-np.dot(w, with_ones(Xt_new, members))))
            inclusion[members] += 1
    return probability / kept, inclusion / kept


# ---- a problem


def proposals(Z, y):
    """The probability that a column is proposed, its cumulative sums, and the columns that are most similar to each column."""
    slopes = (Z.T @ (y - y.mean())) ** 2
    weights = 0.5 * slopes / slopes.sum() + 0.5 / slopes.size
    cumulative = np.cumsum(weights)
    cumulative[-1] = 1
    correlation = np.abs(Z.T @ Z) / len(Z) - 2 * np.eye(slopes.size)
    return weights, cumulative, np.argsort(-correlation, axis=1)[:, : min(ALIKE, slopes.size - 1)].copy()


def chain(problem, classes, known, start, length, rng):
    """Predictions of one chain for the new rows (regressions: x'w; classes: the probability), and the inclusion probabilities."""
    center, sd = problem.X.mean(axis=0), problem.X.std(axis=0)
    columns = proposals((problem.X - center) / sd, problem.y)
    unit = np.ones_like(sd) if known else sd  # the effects of the generator are for columns that are not standardised
    Z, Z_new = (problem.X - center) / unit, (problem.X_new - center) / unit
    share = np.count_nonzero(problem.w) / problem.w.size if known else 0.0
    if classes:
        slab, transposed = problem.effect_scale**2 if known else 1.0, [np.ascontiguousarray(rows.T) for rows in (Z, Z_new)]
        return class_chain(*transposed, problem.y.astype(float), *columns, start, share, slab, length, MOVES_A_SWEEP, rng)
    slab, y = problem.effect_scale**2 if known else 0.5, problem.y - problem.y.mean()
    weight, inclusion = regression_chain(Z.T @ Z, Z.T @ y, y @ y, y.size, *columns, start, share, slab, length, rng)
    return problem.y.mean() + Z_new @ weight, inclusion


def error(problem, classes, prediction):
    return kl_divergence(prediction, problem.f_new) if classes else float(np.mean((prediction - problem.f_new) ** 2))


def sampled(problem, classes, known, length, seed):
    """Error of the mean of two chains, and of each chain."""
    starts = np.flatnonzero(problem.w), np.zeros(0, dtype=np.int64)
    predictions = [chain(problem, classes, known, start, length, np.random.default_rng([seed, number]))[0] for number, start in enumerate(starts)]
    return [error(problem, classes, prediction) for prediction in (np.mean(predictions, axis=0), *predictions)]


def on_true_columns(problem, classes):
    """Error of least squares, or of maximum likelihood by Newton's steps, on the columns that have an effect."""
    there = np.flatnonzero(problem.w)
    A, A_new = (np.column_stack([np.ones(len(X)), X[:, there]]) for X in (problem.X, problem.X_new))
    if not classes:
        return error(problem, classes, A_new @ np.linalg.lstsq(A, problem.y, rcond=None)[0])
    w = np.zeros(there.size + 1)
    for _ in range(25):
        P = 1 / (1 + np.exp(-A @ w))
        w += np.linalg.solve((A.T * (P * (1 - P))) @ A, A.T @ (problem.y - P))
    return error(problem, classes, 1 / (1 + np.exp(-A_new @ w)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("family", help="name of a family, such as ar-n200-p1000-5-snr10")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3])
    parser.add_argument("--classes", action="store_true")
    parser.add_argument(
        "--length", type=int, help=f"length of a chain; default: {REGRESSION_STEPS} steps (regressions), {CLASS_SWEEPS} sweeps (classes)"
    )
    chosen = parser.parse_args()
    some = {family.name: family for family in (families.LOGISTIC if chosen.classes else families.LINEAR) if family.effects.isdigit()}
    if chosen.family not in some:
        parser.error(f"{chosen.family} is not one of {', '.join(some)}")
    length = chosen.length or (CLASS_SWEEPS if chosen.classes else REGRESSION_STEPS)
    print(f"{'KL' if chosen.classes else 'MSE':4s}  true columns   exact, known (two chains)     exact, vague (two chains)")
    rows = []
    for seed in chosen.seeds:
        problem = families.draw(some[chosen.family], seed, chosen.classes)
        known, vague = (sampled(problem, chosen.classes, way, length, seed) for way in (True, False))
        rows.append([on_true_columns(problem, chosen.classes), *known, *vague])
        print(line(seed, rows[-1]), flush=True)
    print(line("mean", np.mean(rows, axis=0)))


def line(name, numbers):
    """Errors of the mean of two chains and, in parentheses, of each chain."""
    each = "{:14.4f} ({:.4f}, {:.4f})"
    return f"{name!s:4s} {numbers[0]:13.4f} {each.format(*numbers[1:4])} {each.format(*numbers[4:])}"


if __name__ == "__main__":
    main()
