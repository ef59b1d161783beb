"""
Which prior
===========

You learn which of the priors suits which data, from two experiments that differ in one thing: whether few columns matter, or all a little.

=============  ===========================  ======================================================================
``prior``      one precision for            take it when
=============  ===========================  ======================================================================
``"sparse"``   (see below)                  columns are many beside rows, or you want intervals that hold in any case
``"auto"``     ``ard`` or ``shared``        you do not know: ``ard`` if rows are at least five times the columns
``"shared"``   all columns                  columns are many beside rows, or all may matter
``"ard"``      each column                  rows are many, and you ask which columns matter
a dict         each group of columns        columns belong together
``"none"``     none: flat                   you want the classical answer
``"laplace"``  L1, classes only             columns are very many and you want a short list
=============  ===========================  ======================================================================

``"sparse"`` gives no column a precision: it takes few effects of their own over many small ones, and finds from the data how many, how large and
how dense. ``"slab"`` is the few alone, ``"dense"`` the many alone.
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
num_columns, row_counts, priors = 40, [50, 80, 160, 320, 640], ["none", "shared", "ard"]


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
    fit = BayesianLinearRegression(prior).fit(X, y)
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
    for prior, color, marker in zip(
        priors, (COLORS[1], COLORS[0], COLORS[2]), (MARKERS[1], MARKERS[0], MARKERS[2])
    ):
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
# prior is worst where rows are few. The update of the precisions is (LIN.2).
#
# What ARD sees
# -------------
# In [0, 1], how far the data rather than the prior determine a coefficient. The first four columns
# are the ones that matter; "kept" is a mild rule, which keeps about one in seven columns of pure
# noise (OPT.3).
random = np.random.RandomState(1)
X = pd.DataFrame(
    random.standard_normal((320, num_columns)), columns=[f"x{j + 1}" for j in range(num_columns)]
)
y = X @ coefficients("sparse", random) + random.standard_normal(320)
sparse_fit = BayesianLinearRegression("ard").fit(X, y)
RelevanceDisplay.from_estimator(sparse_fit)
plt.show()

# %%
# Groups
# ------
# Columns that belong together, such as the dummies of a text column or the lags of a signal, share
# a precision: they matter together, or not.
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
