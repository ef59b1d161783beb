"""
Figure 2: 1000 columns, 100 of them informative
===============================================

You learn what a precision for each column (ARD) gains over one for all if most columns are noise, what least squares
does then, and why you cannot trust any interval with twice as many columns as rows.

The paper, section 2.6.3: 500 rows, 1000 columns uniform on (-1/2, 1/2), the first 100 coefficients from N(0, 1), the others
zero, noise of standard deviation 1, 50 test rows.
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLinearRegression
from ardvark.plot import COLORS

# the root of the repository
root = next(f for f in [Path.cwd(), *Path.cwd().parents] if (f / "examples/data").is_dir())

random = np.random.RandomState(0)
num_columns, num_informative, num_rows, num_test = 1000, 100, 500, 50
w = np.zeros(num_columns)
w[:num_informative] = random.standard_normal(num_informative)
X, X_test = random.uniform(-0.5, 0.5, (num_rows, num_columns)), random.uniform(
    -0.5, 0.5, (num_test, num_columns)
)
y, y_test = X @ w + random.standard_normal(num_rows), X_test @ w + random.standard_normal(num_test)

# %%
# With more columns than rows, least squares fits every row exactly; of all such solutions,
# ``lstsq`` takes the shortest. One model has one precision for all columns, the other has one for
# each column (LIN.2). The library warns of the second model:
least_squares = np.linalg.lstsq(X, y, rcond=None)[0]
shared = BayesianLinearRegression("shared").fit(X, y)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    ard = BayesianLinearRegression("ard").fit(X, y)
print(caught[0].message)

# %%
# The picture
# -----------
# One precision shrinks the large coefficients to half their size, and gives coefficients of the
# same total size to columns that are noise. ARD shrinks the large ones only a little, sets many
# others to zero, and is wrong about some.
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.8), sharey=True, layout="constrained")
for ax, fit, name, color in (
    (axes[0], shared, "one precision for all", COLORS[0]),
    (axes[1], ard, "one precision each (ARD)", COLORS[2]),
):
    ax.plot([-3.2, 3.2], [-3.2, 3.2], "--", color="black", linewidth=0.8)
    ax.vlines(w, *fit.coef_interval().T, color=color, alpha=0.25, linewidth=1)
    ax.plot(w, fit.coef_, "o", color=color, markersize=3)
    ax.set(
        xlabel="true coefficient", title=name, xlim=(-3.2, 3.2), ylim=(-3.2, 3.2), aspect="equal"
    )
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("estimated coefficient, with 95% intervals")
plt.show()

# %%
figure, ax = plt.subplots(figsize=(5.6, 5), layout="constrained")
ax.plot([-11, 11], [-11, 11], "--", color="black", linewidth=0.8)
for name, prediction, marker, color in (
    ("least squares", X_test @ least_squares, "+", COLORS[1]),
    ("one precision for all", shared.predict(X_test), "o", COLORS[0]),
    ("one precision each (ARD)", ard.predict(X_test), "s", COLORS[2]),
):
    ax.plot(
        y_test, prediction, marker, color=color, markersize=6 if marker == "+" else 4, label=name
    )
ax.set(xlabel="observed y", ylabel="predicted y", xlim=(-11, 11), ylim=(-11, 11), aspect="equal")
ax.legend(frameon=False, fontsize="small")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Compared with the published program
# -----------------------------------
# VBLinLogit in Octave on the same data. Its ``vb_linear_fit_ard`` stops when the relative change of
# the bound is below 1e-5. With a bound of -3500 nats this is a change of 0.04, and the rule depends
# on the units of y. The model goes on until at most 1e-8 nats a row can be gained. Neither result
# is *the* optimum: with more columns than rows there are many optima, and the steps of a fit decide
# which one it reaches (:doc:`/math/optimum`). The bounds of the two ARD fits cannot be compared
# with the others, because each column has the price of its own hyper-prior (:doc:`/math/errata`).
table = pd.read_csv(
    root / "docs" / "published" / "vblinlogit.csv", index_col=["figure", "program", "quantity"]
)
published = table["value"].loc[2].unstack()
columns = {"training MSE": (X, y), "test MSE": (X_test, y_test)}
mine = pd.DataFrame(
    {
        "least squares": [np.mean((b - A @ least_squares) ** 2) for A, b in columns.values()],
        "ardvark, one precision": [
            np.mean((b - shared.predict(A)) ** 2) for A, b in columns.values()
        ],
        "vb_linear_fit (Octave)": published.loc["vb_linear_fit", list(columns)].to_list(),
        "ardvark, ARD": [np.mean((b - ard.predict(A)) ** 2) for A, b in columns.values()],
        "vb_linear_fit_ard (Octave)": published.loc["vb_linear_fit_ard", list(columns)].to_list(),
    },
    index=list(columns),
).T
mine["distance to w"] = [
    np.linalg.norm(least_squares - w),
    np.linalg.norm(shared.coef_ - w),
    published.loc["vb_linear_fit", "distance to w"],
    np.linalg.norm(ard.coef_ - w),
    published.loc["vb_linear_fit_ard", "distance to w"],
]
mine.round(3)

# %%
# Which to believe
# ----------------
# ARD predicts best, but it is too sure. It explains the noise by columns: its standard deviation of
# the noise is a hundredth of the true one, and its intervals miss almost all of the relevant
# coefficients. One precision is right on average: 96% of all coefficients are in their intervals.
# But the average hides an error of the prior. The 900 zeros are easily covered. The hundred other
# coefficients are shrunk as if all were alike, and are not covered.


def is_covered(fit):
    low, high = fit.coef_interval().T
    return (low <= w) & (w <= high)


honesty = pd.DataFrame(
    {
        "noise, standard deviation": [fit.alpha_**-0.5 for fit in (shared, ard)],
        "true coefficients in their 95% intervals": [
            is_covered(fit).mean() for fit in (shared, ard)
        ],
        "of the 100 informative": [
            is_covered(fit)[:num_informative].mean() for fit in (shared, ard)
        ],
    },
    index=["one precision for all", "one precision each (ARD)"],
)
honesty.round(3)
