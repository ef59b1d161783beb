"""
Maps of many targets
====================

You learn to fit a regression to each pixel of an image, to find the pixels that the columns explain at a stated rate
of false discoveries, to map an effect with its certainty, and what this adds to a cross-validated ridge regression.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLinearRegression
from ardvark.plot import MultiTargetDisplay
from matplotlib.colors import ListedColormap
from scipy.ndimage import gaussian_filter
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# %%
# An experiment
# -------------
# Each of 120 scans is an image of 64 x 64 pixels. Three columns describe a scan: a stimulus, the age
# of the person, and a nuisance that acts nowhere. The stimulus acts in one smooth region, age in
# another one, and the noise differs from pixel to pixel.
rng = np.random.default_rng(0)
shape, n = (64, 64), 120
X = np.column_stack([rng.integers(0, 2, n), rng.normal(40, 12, n), rng.normal(size=n)])
names, units = ["stimulus", "age", "nuisance"], ["with the stimulus", "per year", "per unit"]


def region(row, column, width):
    field = np.zeros(shape)
    field[row, column] = 1
    field = gaussian_filter(field, width)
    return np.where(field > 0.15 * field.max(), field / field.max(), 0)


effects = np.stack([2.0 * region(20, 22, 8), -0.08 * region(44, 40, 7), np.zeros(shape)])
smooth = gaussian_filter(rng.normal(size=shape), 8)
noise = np.exp(0.5 * smooth / smooth.std())  # four times as large in some regions as in others
Y = np.tensordot(X, effects, axes=1) + noise * rng.normal(size=(n, *shape))

# %%
# One fit
# -------
# A target is a column of Y, so each image becomes a row. Each pixel gets a noise and a precision of
# its own; the table is decomposed once.
model = BayesianLinearRegression("shared").fit(X, Y.reshape(n, -1).astype(np.float32))
table = model.target_summary(fdr=0.05)
truth = (effects != 0).any(axis=0).ravel()
found = table.explained.to_numpy()
print(f"{found.sum()} of {len(table)} pixels are explained; {np.mean(~truth[found]):.1%} of them have no effect")
print(f"found: {np.mean(found[truth]):.0%} of the pixels with an effect")

# %%
# How well is each pixel explained? R² is of rows that the fit has not seen: each scan is predicted
# from all others. Grey pixels are not explained at a rate of false discoveries of 5%.
MultiTargetDisplay.from_estimator(model, shape=shape, fdr=0.05)
plt.show()

# %%
# Effects and their certainty
# ---------------------------
# The coefficient of a column over all pixels is a map; beside it is how many of its standard
# deviations it lies from zero. The standard deviations follow the noise of each pixel.
figure, axs = plt.subplots(2, 3, figsize=(10, 6.4), layout="constrained")
for j, (column, unit, pair) in enumerate(zip(names, units, axs.T)):
    mean, std = model.coef_[:, j].reshape(shape), model.coef_std_[:, j].reshape(shape)
    largest = np.abs(mean).max()
    image = pair[0].imshow(mean, cmap="RdBu_r", vmin=-largest, vmax=largest)
    figure.colorbar(image, ax=pair[0], shrink=0.8, label=unit)
    image = pair[1].imshow(mean / std, cmap="RdBu_r", vmin=-8, vmax=8)
    figure.colorbar(image, ax=pair[1], shrink=0.8, extend="both")
    pair[0].set_title(f"{column}: effect", fontsize="medium")
    pair[1].set_title("effect / standard deviation", fontsize="medium")
for ax in axs.flat:
    ax.set_xticks([])
    ax.set_yticks([])
plt.show()

# %%
# The noise of each pixel
# -----------------------
# One precision of the noise for the whole image would be wrong nearly everywhere.
print(f"noise: true from {noise.min():.2f} to {noise.max():.2f}; correlation with its estimate {np.corrcoef(noise.ravel(), model.noise_std_)[0, 1]:.2f}")

# %%
# Beside cross-validated ridge regressions
# ----------------------------------------
# RidgeCV of scikit-learn and of himalaya also find a penalty for each target, by cross-validation. All three predict
# new scans equally well. The error is that of the predicted means, in standard deviations of the noise of the pixel.
peers = {"ardvark": model}
alphas = np.logspace(-1, 5, 13)
flat = Y.reshape(n, -1)
ridge = RidgeCV(alphas, alpha_per_target=True).fit(StandardScaler().fit_transform(X), flat)
peers["RidgeCV, scikit-learn"] = make_pipeline(StandardScaler(), RidgeCV(alphas, alpha_per_target=True)).fit(X, flat)
try:
    from himalaya.ridge import RidgeCV as RidgeOfHimalaya
except ImportError:
    print("himalaya is not installed; pip install himalaya compares it, too")
else:
    peers["RidgeCV, himalaya"] = make_pipeline(StandardScaler(), RidgeOfHimalaya(alphas=alphas, fit_intercept=True)).fit(X, flat)
X_new = np.column_stack([rng.integers(0, 2, 500), rng.normal(40, 12, 500), rng.normal(size=500)])
means = np.tensordot(X_new, effects, axes=1).reshape(500, -1)
errors = {name: np.sqrt((((peer.predict(X_new) - means) / noise.ravel()) ** 2).mean(axis=0)) for name, peer in peers.items()}
comparison = pd.DataFrame({"pixels with an effect": {k: e[truth].mean() for k, e in errors.items()}, "other pixels": {k: e[~truth].mean() for k, e in errors.items()}})
print(comparison.round(3))

# %%
# What they do not say is which pixels to believe. A cross-validated R² above zero is no rule: many pixels without an
# effect have one by chance. A rate of false discoveries is kept.
positive = 1 + ridge.best_score_ / flat.var(axis=0) > 0
figure, axs = plt.subplots(1, 2, figsize=(8.2, 4.3), layout="constrained")
false_share = {}
for ax, (name, chosen) in zip(axs, {"RidgeCV: R² of left-out scans > 0": positive, "ardvark: false discoveries 5%": found}.items()):
    false_share[name] = np.mean(~truth[chosen])
    kind = np.where(chosen, np.where(truth, 2, 3), np.where(truth, 1, 0)).reshape(shape)
    ax.imshow(kind, cmap=ListedColormap(["#FFFFFF", "#BBBBBB", "#0072B2", "#D55E00"]), vmin=-0.5, vmax=3.5, interpolation="nearest")
    ax.set_title(f"{name}\n{false_share[name]:.0%} of {chosen.sum()} pixels have no effect", fontsize="medium")
    ax.set_xticks([])
    ax.set_yticks([])
for color, label in (("#0072B2", "found, has an effect"), ("#D55E00", "found, has none"), ("#BBBBBB", "missed")):
    axs[0].plot([], [], "s", color=color, label=label)
figure.legend(loc="outside lower center", ncols=3, frameon=False)
plt.show()

# %%
# Where to go on
# --------------
# - `Many targets <../../../many_targets.html>`_: memory-mapped files, gaps, and the program.
