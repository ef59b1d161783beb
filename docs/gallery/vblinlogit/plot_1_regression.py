"""
Figure 1: regression in 100 dimensions
======================================

You learn what shrinkage gains if there are only a few more rows than columns, and why the intervals in the paper's
picture are not correct: they ignore the noise.

The setting of the paper: 100 coefficients from N(0, 1), columns uniform on (-1/2, 1/2), noise of standard deviation 1,
150 training rows and 50 test rows.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLinearRegression, _core
from ardvark.plot import COLORS

# the root of the repository
root = next(f for f in [Path.cwd(), *Path.cwd().parents] if (f / "examples/data").is_dir())

random = np.random.RandomState(0)  # gives the same numbers in every version of numpy
num_columns, num_rows, num_test = 100, 150, 50
w = random.standard_normal(num_columns)
X, X_test = random.uniform(-0.5, 0.5, (num_rows, num_columns)), random.uniform(
    -0.5, 0.5, (num_test, num_columns)
)
y, y_test = X @ w + random.standard_normal(num_rows), X_test @ w + random.standard_normal(num_test)

# %%
# There are three fits: least squares; the published program, reproduced exactly (a *preset* with
# ``compat``: no intercept, no standardisation); and the *model*, which has an intercept and
# standardises columns inside. Both Bayesian fits have one precision for all coefficients (LIN.2).
least_squares = np.linalg.lstsq(X, y, rcond=None)[0]
preset = _core.fit(X, y, preset="vb_linear_fit", compat=True)
model = BayesianLinearRegression("shared").fit(X, y)

estimates = {
    "least squares": (least_squares, X @ least_squares, X_test @ least_squares),
    "preset": (
        preset.array("mean"),
        preset.predict(X).array("mean"),
        preset.predict(X_test).array("mean"),
    ),
    "model": (model.coef_, model.predict(X), model.predict(X_test)),
}
train_mse = {name: np.mean((y - fitted) ** 2) for name, (_, fitted, _) in estimates.items()}
test_mse = {
    name: np.mean((y_test - predicted) ** 2) for name, (_, _, predicted) in estimates.items()
}

# %%
# The picture
# -----------
# Left: the coefficients with 95% intervals against the true ones. Right: the predictions of new
# rows with theirs (Student-t, LIN.4). Least squares (crosses) is further from the diagonal in both.
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.8), layout="constrained")
coefficient_interval = model.coef_interval()
prediction_interval = model.predict_interval(X_test)
for ax, truth, mean, interval, crosses, limit, names in (
    (
        axes[0],
        w,
        model.coef_,
        coefficient_interval,
        least_squares,
        3.8,
        ("true coefficient", "estimated coefficient"),
    ),
    (
        axes[1],
        y_test,
        model.predict(X_test),
        prediction_interval,
        estimates["least squares"][2],
        11,
        ("observed y", "predicted y"),
    ),
):
    ax.plot([-limit, limit], [-limit, limit], "--", color="black", linewidth=0.8)
    ax.vlines(truth, *interval.T, color=COLORS[0], alpha=0.35, linewidth=1.2)
    ax.plot(
        truth,
        mean,
        "o",
        color=COLORS[0],
        markersize=4,
        label="ardvark, one precision, 95% intervals",
    )
    ax.plot(truth, crosses, "+", color=COLORS[1], markersize=6, label="least squares")
    ax.set(
        xlabel=names[0], ylabel=names[1], xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal"
    )
    ax.spines[["top", "right"]].set_visible(False)
axes[0].legend(frameon=False, loc="upper left", fontsize="small")
plt.show()

# %%
# Compared with the published program
# -----------------------------------
# VBLinLogit in Octave on the same data. The preset reproduces it up to rounding. The model differs
# a little, because it has an intercept and scales columns to one standard deviation.
table = pd.read_csv(
    root / "docs" / "published" / "vblinlogit.csv", index_col=["figure", "program", "quantity"]
)
published = table["value"].loc[1].loc["vb_linear_fit"]
mine = pd.DataFrame({"training MSE": train_mse, "test MSE": test_mse})
mine["bound, nats"] = [np.nan, preset.number("bound"), model.bound_]
mine.loc["VBLinLogit"] = published[["training MSE", "test MSE", "bound"]].to_numpy()
mine.round(4).astype(object).where(mine.notna(), "")

# %%
# What differs: the intervals
# ---------------------------
# The paper and its scripts draw w ± 1.96 sqrt(V_jj). But V belongs to the posterior *given* the
# noise precision: q(w | tau) is N(w, V / tau). The posterior of a coefficient is a Student-t
# distribution with squared scale V_jj b_N / a_N (LIN.1). With noise of variance 1, the missing
# factor is close to 1, so the error is not visible. If y has other units, here tenths, the
# published intervals keep their width while the coefficients become ten times larger.


def covered(interval, truth):
    return int(np.sum((interval[:, 0] <= truth) & (truth <= interval[:, 1])))


def as_published(fit):
    return fit.array("mean")[:, None] + 1.96 * np.sqrt(fit.array("V_diagonal"))[:, None] * [-1, 1]


preset_in_tenths = _core.fit(X, 10 * y, preset="vb_linear_fit", compat=True)
model_in_tenths = BayesianLinearRegression("shared").fit(X, 10 * y)
coverage = pd.DataFrame(
    {
        "as published": [
            covered(as_published(preset), w),
            covered(as_published(preset_in_tenths), 10 * w),
        ],
        "ardvark": [
            covered(coefficient_interval, w),
            covered(model_in_tenths.coef_interval(), 10 * w),
        ],
    },
    index=["y as it is", "y in tenths"],
)
coverage.index.name = "true coefficients inside, of 100"
coverage
