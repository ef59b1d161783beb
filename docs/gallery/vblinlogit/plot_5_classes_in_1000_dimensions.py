"""
Figure 5: classes in 1000 dimensions
====================================

You learn which prior predicts best where a tenth of the columns inform, how near the predicted probabilities come to the
true ones, and that the honest posterior costs no accuracy.

The paper, section 3.7.2: 2000 rows, 1000 columns uniform on (-1/2, 1/2), the first 100 coefficients from N(0, 1), the others zero;
10,000 rows to predict.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLogisticRegression, SequentialLogisticRegression
from ardvark.plot import COLORS
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

random = np.random.RandomState(0)
num_columns, num_informative, num_rows, num_test = 1000, 100, 2000, 10000
w = np.zeros(num_columns)
w[:num_informative] = random.standard_normal(num_informative)
X, X_test = random.uniform(-0.5, 0.5, (num_rows, num_columns)), random.uniform(-0.5, 0.5, (num_test, num_columns))
p, p_test = 1 / (1 + np.exp(-X @ w)), 1 / (1 + np.exp(-X_test @ w))
y, y_test = (np.where(random.uniform(size=q.size) < q, 1, -1) for q in (p, p_test))

# %%
fits = {
    "one precision for all": BayesianLogisticRegression("shared").fit(X, y),
    "one precision each (ARD)": BayesianLogisticRegression("ard").fit(X, y),
    "sequential, fixed precision": SequentialLogisticRegression(fit_intercept=False).fit(X, y),
    "linear discriminant": LinearDiscriminantAnalysis(solver="lsqr").fit(X, y),
}
probability = {name: fit.predict_proba(X_test)[:, 1] for name, fit in fits.items()}

# %%
# The picture
# -----------
# Coefficients against the true ones. With the fixed precision of the sequential fit (1000, as published: the number of
# columns) all are shrunk nearly to nothing, though their signs serve; ARD finds the large ones and lets go of most others.
shown = list(fits)[:3]
figure, axes = plt.subplots(1, 3, figsize=(11, 4.0), sharey=True, layout="constrained")
for ax, name, color in zip(axes, shown, (COLORS[0], COLORS[2], COLORS[3])):
    fit = fits[name]
    ax.plot([-3, 3], [-3, 3], "--", color="black", linewidth=0.8)
    ax.vlines(w, *fit.coef_interval()[0].T, color=color, alpha=0.12, linewidth=1)
    ax.plot(w, fit.coef_[0], "o", color=color, markersize=3)
    ax.set(xlabel="true coefficient", title=name, xlim=(-3, 3), ylim=(-3, 3), aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("estimated, with 95% intervals")
plt.show()

# %%
# Probabilities of 200 new rows against the true ones. In the grey quarters a prediction is on the wrong side of even odds.
figure, axes = plt.subplots(1, 3, figsize=(11, 4.0), sharey=True, layout="constrained")
for ax, name, color, marker in zip(axes, shown, (COLORS[0], COLORS[2], COLORS[3]), ("o", "s", "D")):
    ax.fill_between([0, 0.5], 0.5, 1, color="#EEEEEE", linewidth=0)
    ax.fill_between([0.5, 1], 0, 0.5, color="#EEEEEE", linewidth=0)
    ax.plot([0, 1], [0, 1], "--", color="black", linewidth=0.8)
    ax.plot(p_test[:200], probability[name][:200], marker, color=color, markersize=4)
    ax.set(xlabel="true probability of class 1", title=name, xlim=(0, 1), ylim=(0, 1), aspect="equal")
axes[0].set_ylabel("predicted probability of class 1")
plt.show()

# %%
# Beside the published program
# ----------------------------
# VBLinLogit in Octave on the same data: errors on 10,000 rows, standard error 0.005. Log loss tells probabilities that are
# right from those that are merely on the right side; it is infinite or beside the point for lower bounds that do not add
# up to one, and not shown for the published programs.
table = pd.read_csv(
    Path(__file__).resolve().parents[2] / "published" / "vblinlogit.csv", index_col=["figure", "program", "quantity"]
)
published = table["value"].loc[5].unstack()
programs = dict(zip(shown, ("vb_logit_fit", "vb_logit_fit_ard", "vb_logit_fit_iter")))
mine = pd.DataFrame(
    {
        "error on new rows": {name: np.mean((q > 0.5) != (y_test == 1)) for name, q in probability.items()},
        "VBLinLogit": {name: published.loc[program, "test error"] for name, program in programs.items()},
        "log loss": {name: -np.mean(np.log(np.where(y_test == 1, q, 1 - q))) for name, q in probability.items()},
        "mean distance to the true probability": {name: np.mean(np.abs(q - p_test)) for name, q in probability.items()},
    }
)
mine.loc["the true probabilities"] = [
    np.mean((p_test > 0.5) != (y_test == 1)),
    np.nan,
    -np.mean(np.log(np.where(y_test == 1, p_test, 1 - p_test))),
    0,
]
mine.round(4)
