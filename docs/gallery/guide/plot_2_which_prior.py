"""
Which prior
===========

You learn what the default does and when another prior is better. Two experiments differ in one thing: either a few columns have an effect, or all
have a small one.

=============  ===========================  ======================================================================
``prior``      one precision for            use it if
=============  ===========================  ======================================================================
``"auto"``     the same as ``"sparse"``     you do not know: it is the default
``"sparse"``   (see below)                  always: it learns which of the two experiments the data resemble
``"shared"``   all columns                  there are many columns per row, or all may have an effect
``"ard"``      each column                  there are many rows, and you ask which columns are relevant
a dict         each group of columns        columns belong together
``"none"``     none: flat                   you want the classical result
``"laplace"``  L1, classes only             there are very many columns and you want a short list
=============  ===========================  ======================================================================

With ``"sparse"``, columns have no precisions: a few columns have an effect of their own, and all columns may have a small one. The prior learns from
the data how many effects there are and how large they are. ``"slab"`` has only the few effects, ``"dense"`` only the many small ones.
:doc:`/which_prior` shows how good each prior is on many kinds of data, and how often its intervals are right.
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
# There are forty columns, and 50 to 640 rows. In the *sparse* world, four columns have the
# coefficient 1. In the *dense* world, all columns have coefficients from N(0, 1/10); the signal has
# the same strength. Each point is a mean over ten data sets.
num_columns, row_counts, priors = 40, [50, 80, 160, 320, 640], ["none", "shared", "ard", "sparse"]


def coefficients(world, random):
    if world == "sparse":
        return np.r_[np.ones(4), np.zeros(num_columns - 4)]
    return random.standard_normal(num_columns) / np.sqrt(10)


def excess_error(world, prior, num_rows, seed):
    """Mean square error of the predicted means minus that of the true means; the noise has variance 1."""
    random = np.random.RandomState(seed)
    w = coefficients(world, random)
    X = random.standard_normal((num_rows, num_columns))
    y = X @ w + random.standard_normal(num_rows)
    # On some of these tables one start of the default prior needs more than the default of 500 sweeps.
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
# ARD is better in the sparse world and worse in the dense one. One precision is never bad. A flat
# prior is worst if there are few rows. The default is good in both worlds: it is as good as one
# precision if all columns have an effect, and better than ARD if only a few have one, because it
# learns from the data which is the case (SP.5). The other priors update their precisions by
# (LIN.2).
#
# What the default finds
# ----------------------
# The picture shows the probability that a column has an effect of its own. The first four columns
# have one. Marks above one half are filled.
random = np.random.RandomState(1)
X = pd.DataFrame(
    random.standard_normal((320, num_columns)), columns=[f"x{j + 1}" for j in range(num_columns)]
)
y = X @ coefficients("sparse", random) + random.standard_normal(320)
default_fit = BayesianLinearRegression().fit(X, y)
RelevanceDisplay.from_estimator(default_fit)
plt.show()

# %%
# What ARD finds
# --------------
# The relevance is in [0, 1]: 1 if the data determine a coefficient, 0 if the prior does. "Kept" is
# a mild rule here: it keeps about one in seven columns of pure noise (OPT.3).
ard_fit = BayesianLinearRegression("ard").fit(X, y)
RelevanceDisplay.from_estimator(ard_fit)
plt.show()

# %%
# ARD is bad with many columns. With 60 rows and 120 columns, it explains the noise by columns, and
# an interval that should contain 95 of 100 new observations contains almost none. The fit warns:
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
# Columns that belong together, such as the dummies of a text column or the lags of a signal, can
# share a precision: they are relevant together, or not. (With the default prior, a text column on
# the command line has one indicator for all its dummies, (SP.10).)
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
# The bound clearly prefers the groups to one precision, and this is right: two precisions describe
# these data. ARD is last, but this means little: each of its forty precisions costs about three
# nats for its hyper-prior (:doc:`/math/errata`). Bounds can be compared only between fits with
# about the same number of precisions.
bounds = pd.Series(
    {
        name: BayesianLinearRegression(prior).fit(X, y).bound_
        for name, prior in (("shared", "shared"), ("ard", "ard"), ("groups", groups))
    },
    name="bound, nats",
)
bounds.to_frame().round(1)
