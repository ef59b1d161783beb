"""
Outliers
========

You learn what a few wrong values do to a regression, how Student-t noise protects it, and which rows it names.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLinearRegression
from ardvark.plot import COLORS

# %%
# Rows that do not belong
# -----------------------
# 150 rows and eight columns, of which three have an effect. In one row of ten something went wrong: a
# slipped decimal point, two samples exchanged. The errors of the others have a standard deviation of 1.
random = np.random.default_rng(12)
true = np.array([1.5, -1.0, 0.7, 0, 0, 0, 0, 0])
X = pd.DataFrame(random.standard_normal((150, 8)), columns=[f"x{j}" for j in range(1, 9)])
clean = X.to_numpy() @ true + random.standard_normal(150)
is_outlier = np.arange(150) < 15
y = clean + is_outlier * random.choice([-1, 1], 150) * random.uniform(8, 14, 150)

# %%
# Normal noise and Student-t noise
# --------------------------------
# Under normal noise each row counts the same, and the outliers count the most, since errors are squared.
# The Student-t distribution has long tails, and allows for some large errors. How long they are is learned
# from the data (TN.3).
models = {noise: BayesianLinearRegression(noise=noise).fit(X, y) for noise in ("normal", "student")}
table = pd.DataFrame(
    {
        name: {
            "error of the coefficients": np.sqrt(np.mean((model.coef_ - true) ** 2)),
            "width of the 95% interval": np.diff(model.coef_interval()).mean(),
            "degrees of freedom": model.degrees_of_freedom_,
        }
        for name, model in models.items()
    }
).T
kept = {name: [model.columns_[j] for j in np.flatnonzero(model.support_)] for name, model in models.items()}
print(table.round(3).to_string())
for name, columns in kept.items():
    print(f"{name} noise: kept {columns}")

# %%
# The picture shows the coefficients with their 95% intervals, and the true values as crosses. With normal
# noise the intervals are honest, and wide.
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
place = np.arange(8)
for shift, color, (name, model) in zip((-0.12, 0.12), (COLORS[1], COLORS[0]), models.items()):
    lower, upper = model.coef_interval().T
    error = [model.coef_ - lower, upper - model.coef_]
    ax.errorbar(place + shift, model.coef_, error, fmt="o", markersize=4, color=color, label=f"{name} noise")
ax.plot(place, true, "x", color="black", markersize=7, label="true")
ax.axhline(0, color="black", linewidth=0.6)
ax.set_xticks(place, X.columns)
ax.set_ylabel("coefficient")
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Which rows
# ----------
# ``row_weight_`` is the weight that the fit gave to each row: about 1, more in the middle, and near 0 for an
# outlier (TN.1). A row is never thrown away, and you choose the limit below which you look at it.
student = models["student"]
weight = student.row_weight_
named = np.flatnonzero(weight < 0.1)
missed = np.sum(is_outlier & (weight >= 0.1))
print(f"weight below 0.1: {named.size} rows, {is_outlier[named].sum()} of the 15 outliers among them")

figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
residual = y - student.predict(X)
for wrong, color, marker, name in ((False, COLORS[0], "o", "right rows"), (True, COLORS[1], "^", "wrong rows")):
    some = is_outlier == wrong
    ax.plot(residual[some], weight[some], marker, color=color, markersize=5, alpha=0.7, label=name)
ax.axhline(0.1, color="black", linewidth=0.8, linestyle="--")
ax.set_xlabel("y minus its prediction")
ax.set_ylabel("weight of the row")
ax.legend(frameon=False, loc="upper right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Is it worth it?
# ---------------
# ``noise="auto"`` fits both, and takes the one with the higher log evidence. Without outliers this is normal
# noise, and nothing is lost.
chosen = {
    "with outliers": BayesianLinearRegression(noise="auto").fit(X, y),
    "without": BayesianLinearRegression(noise="auto").fit(X, clean),
}
for name, model in chosen.items():
    print(f"{name}: {model.notes_[-1]}")

# %%
# Student-t noise protects against wrong values of y. A wrong value in X may pull the coefficient of its
# column all the same. Predictions of new rows have the long tails, too: their intervals say where a new value
# lies, outliers included (TN.5).
