"""
Which prior
===========

You learn what the default does and when another prior serves better, from two experiments that differ in one thing: whether few columns matter, or all a
little.

=============  ===========================  ======================================================================
``prior``      one precision for            take it when
=============  ===========================  ======================================================================
``"auto"``     the same as ``"sparse"``     you do not know: it is the default
``"sparse"``   (see below)                  always: it finds out which of the two experiments it is in
``"shared"``   all columns                  columns are many beside rows, or all may matter
``"ard"``      each column                  rows are many, and you ask which columns matter
a dict         each group of columns        columns belong together
``"none"``     none: flat                   you want the classical answer
``"laplace"``  L1, classes only             columns are very many and you want a short list
=============  ===========================  ======================================================================

``"sparse"`` gives no column a precision: it takes few effects of their own over many small ones, and finds from the data how many, how large and
how dense. ``"slab"`` is the few alone, ``"dense"`` the many alone. What each is worth on many kinds of data, and how often its intervals hold:
:doc:`/which_prior`.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import ArdvarkWarning, BayesianLinearRegression
from ardvark.plot import COLORS, MARKERS, RelevanceDisplay

# %%
# Two worlds
# ----------
# Forty columns, and rows from 50 to 640. In the *sparse* world four columns have the coefficient 1,
# in the *dense* one all have coefficients from N(0, 1/10): the signal is as strong. Each point is a
# mean over ten data sets.
num_columns, row_counts, priors = 40, [50, 80, 160, 320, 640], ["none", "shared", "ard", "sparse"]


def coefficients(world, random):
    if world == "sparse":
        return np.r_[np.ones(4), np.zeros(num_columns - 4)]
    return random.standard_normal(num_columns) / np.sqrt(10)


def excess_error(world, prior, num_rows, seed):
    """Mean square error of the predicted means beyond that of the truth, where the noise has variance 1."""
    random = np.random.RandomState(seed)
    w = coefficients(world, random)
    X = random.standard_normal((num_rows, num_columns))
    y = X @ w + random.standard_normal(num_rows)
    # On some of these tables one start of the default prior climbs slowly; the default is 500 sweeps.
    fit = BayesianLinearRegression(prior, max_iter=2000).fit(X, y)
    return np.sum((fit.coef_ - w) ** 2) + fit.intercept_**2


with warnings.catch_warnings():
    warnings.simplefilter("ignore", ArdvarkWarning)  # ARD with few rows: that is what is compared
    error = pd.Series(
        {
            (world, prior, rows): np.mean(
                [excess_error(world, prior, rows, seed) for seed in range(10)]
            )
            for world in ("sparse", "dense")
            for prior in priors
            for rows in row_counts
        }
    )

figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.0), sharey=True, layout="constrained")
for ax, world, title in zip(
    axes, ("sparse", "dense"), ("sparse: 4 of 40 columns matter", "dense: all matter a little")
):
    for prior, color, marker in zip(priors, COLORS, MARKERS):
        ax.loglog(
            row_counts, error[world][prior], marker + "-", color=color, label=f'prior="{prior}"'
        )
    ax.set(title=title, xlabel="rows", xticks=row_counts, xticklabels=row_counts)
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("excess mean square error (noise has 1)")
axes[0].legend(frameon=False)
plt.show()

# %%
# ARD pays in the sparse world and costs in the dense one; one precision never does harm. A flat
# prior is worst where rows are few. The default has the best of both: it is as good as one
# precision where all columns matter, and better than ARD where few do, for it learns from the data
# which it is (SP.5). The update of the precisions of the others is (LIN.2).
#
# What the default sees
# ---------------------
# The probability that a column has an effect of its own. The first four columns are the ones that
# matter; filled are those above one half.
random = np.random.RandomState(1)
X = pd.DataFrame(
    random.standard_normal((320, num_columns)), columns=[f"x{j + 1}" for j in range(num_columns)]
)
y = X @ coefficients("sparse", random) + random.standard_normal(320)
default_fit = BayesianLinearRegression().fit(X, y)
RelevanceDisplay.from_estimator(default_fit)
plt.show()

# %%
# What ARD sees
# -------------
# In [0, 1], how far the data rather than the prior determine a coefficient. "Kept" is here a mild
# rule, which keeps about one in seven columns of pure noise (OPT.3).
ard_fit = BayesianLinearRegression("ard").fit(X, y)
RelevanceDisplay.from_estimator(ard_fit)
plt.show()

# %%
# Its price where columns are many: of 60 rows and 120 columns it explains the noise away, and an
# interval that should hold 95 of 100 new observations holds next to none. The fit says so.
wide = np.random.RandomState(2)
X_wide, w_wide = wide.standard_normal((60, 120)), np.r_[np.ones(3), np.zeros(117)]
y_wide = X_wide @ w_wide + wide.standard_normal(60)
X_new = wide.standard_normal((1000, 120))
y_new = X_new @ w_wide + wide.standard_normal(1000)
inside, said = {}, {}
for prior in ("ard", "shared", "sparse"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        low, high = BayesianLinearRegression(prior).fit(X_wide, y_wide).predict_interval(X_new).T
    inside[prior] = np.mean((low <= y_new) & (y_new <= high))
    said[prior] = [str(warning.message) for warning in caught]
print(*said["ard"], sep="\n")
pd.Series(inside, name="inside their 95% intervals").to_frame().round(2)

# %%
# Groups
# ------
# Columns that belong together, such as the dummies of a text column or the lags of a signal, share
# a precision: they matter together, or not. (Under the default a text column on the command line has
# one indicator for all its dummies, (SP.10).)
groups = {"signal": ["x1", "x2", "x3", "x4"], "rest": [f"x{j}" for j in range(5, num_columns + 1)]}
grouped = BayesianLinearRegression(groups).fit(X, y)
pd.DataFrame(
    {
        "mean precision": [grouped.lambda_[0], grouped.lambda_[4]],
        "mean relevance": [grouped.relevance_[:4].mean(), grouped.relevance_[4:].mean()],
    },
    index=list(groups),
).round(2)

# %%
# The bound prefers the groups to one precision by far, and rightly: two precisions say what there
# is to say. That of ARD stands last and means little: each of its forty precisions pays some three
# nats for its hyper-prior (:doc:`/math/errata`), so that bounds compare only between fits with
# about as many.
bounds = pd.Series(
    {
        name: BayesianLinearRegression(prior).fit(X, y).bound_
        for name, prior in (("shared", "shared"), ("ard", "ard"), ("groups", groups))
    },
    name="bound, nats",
)
bounds.to_frame().round(1)
