"""
Figure 4: separating lines of three classifiers
===============================================

You learn what the uncertainty of a logistic regression looks like in two dimensions, how little a fit that uses each row
once loses against a fit of all rows together, and what a linear discriminant finds in the same rows.

The setting of the paper: a constant and two inputs with coefficients from N(0, 1), where half of the rows lie on each side of
the line of even odds; 100 training rows, 1000 test rows.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLogisticRegression, SequentialLogisticRegression
from ardvark.plot import COLORS, DecisionBoundaryDisplay
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

# the root of the repository
root = next(f for f in [Path.cwd(), *Path.cwd().parents] if (f / "examples/data").is_dir())

random = np.random.RandomState(10)
w = random.standard_normal(3)


def draw(num_rows):
    x2 = random.uniform(-2.5, 2.5, num_rows)
    x3 = random.uniform(-2.5, 2.5, num_rows) - (w[0] + w[1] * x2) / w[2]
    score = w[0] + w[1] * x2 + w[2] * x3
    return np.column_stack([x2, x3]), np.where(
        random.uniform(size=num_rows) < 1 / (1 + np.exp(-score)), 1, -1
    )


X, y = draw(100)
X_test, y_test = draw(1000)

# %%
# The batch fit has one precision for both inputs, a free intercept, and the best Gaussian posterior
# (VG.1). The sequential fit absorbs each row once, in order, with a fixed prior (SEQ.1, SEQ.2): it
# is the paper's fit *without hyper-prior*. Fisher's linear discriminant assumes that the classes
# are two normal distributions with the same covariance.
batch = BayesianLogisticRegression("shared").fit(X, y)
sequential = SequentialLogisticRegression(shuffle=False).fit(X, y)
discriminant = LinearDiscriminantAnalysis().fit(X, y)
fits = {"batch": batch, "sequential": sequential, "linear discriminant": discriminant}
errors = {name: 1 - fit.score(X_test, y_test) for name, fit in fits.items()}

# %%
# The picture
# -----------
# The lines of even odds differ by less than the uncertainty of the batch fit: between the dashed
# lines, neither class has odds of three to one.
display = DecisionBoundaryDisplay.from_estimator(batch, X, y)
ax = display.ax_
ends = np.array(ax.get_xlim())
coefficients = {name: np.r_[fit.intercept_, fit.coef_[0]] for name, fit in fits.items()}
for (name, v), color, style in zip(
    [("true", w), *list(coefficients.items())[1:]],
    ("black", COLORS[2], COLORS[3]),
    (":", "-", "-."),
):
    ax.plot(ends, -(v[0] + v[1] * ends) / v[2], style, color=color, linewidth=2, label=name)
handles, labels = ax.get_legend_handles_labels()
old = ax.get_legend()
ax.legend(
    [*old.legend_handles, *handles[-3:]],
    ["class -1", "class 1", "batch: even odds", "batch: 3 to 1", *labels[-3:]],
    loc="upper left",
    bbox_to_anchor=(1, 1),
    frameon=False,
    fontsize="small",
)
ax.set(xlabel="x2", ylabel="x3")
plt.show()

# %%
# Coefficients and their 95% intervals. The bound of Jaakkola and Jordan, which the published
# programs use, gives intervals that are too narrow. The table has their width divided by that of
# the best Gaussian posterior.
bound_of_paper = BayesianLogisticRegression("shared", likelihood="jj").fit(X, y)
width = np.diff(batch.coef_interval()[0], axis=1)[:, 0]
narrower = np.diff(bound_of_paper.coef_interval()[0], axis=1)[:, 0] / width
estimates = pd.DataFrame({"true": w, **coefficients}, index=["constant", "x2", "x3"])
estimates["batch, 95% from"] = [np.nan, *batch.coef_interval()[0, :, 0]]
estimates["to"] = [np.nan, *batch.coef_interval()[0, :, 1]]
estimates["width by the paper's bound"] = [np.nan, *narrower]
estimates.round(2).astype(object).where(estimates.notna(), "")

# %%
# Compared with the published program
# -----------------------------------
# VBLinLogit in Octave on the same data. ``vb_logit_fit_iter`` and the sequential fit agree in every
# digit. ``vb_logit_fit`` differs from the batch fit: it has another bound, it shrinks the constant
# like the rest, and its stopping rule ends early (:doc:`/math/errata`). It predicts class 1 if a
# *lower bound* on the probability exceeds 1/2 (PRED.1); our fits do so if the probability exceeds
# 1/2 (PRED.2).
table = pd.read_csv(
    root / "docs" / "published" / "vblinlogit.csv", index_col=["figure", "program", "quantity"]
)
published = table["value"].loc[4].unstack()
beside = pd.DataFrame(
    {
        "ardvark": [errors["batch"], errors["sequential"], errors["linear discriminant"]],
        "VBLinLogit": [*published.loc[["vb_logit_fit", "vb_logit_fit_iter"], "test error"], np.nan],
    },
    index=pd.Index(
        ["batch (vb_logit_fit)", "sequential (vb_logit_fit_iter)", "linear discriminant"],
        name="error on 1000 rows",
    ),
)
beside.round(4).astype(object).where(beside.notna(), "")
