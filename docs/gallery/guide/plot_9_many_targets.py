"""
Maps of many targets
====================

You learn to fit a regression to each pixel of an image, to find the pixels that the columns explain at a stated rate
of false discoveries, and to map an effect with its certainty.
"""

import matplotlib.pyplot as plt
import numpy as np
from ardvark import BayesianLinearRegression
from ardvark.plot import MultiTargetDisplay
from scipy.ndimage import gaussian_filter

# %%
# An experiment
# -------------
# Each of 120 scans is an image of 64 x 64 pixels. Three columns describe a scan: a stimulus, the age
# of the person, and a nuisance that acts nowhere. The stimulus acts in one smooth region, age in
# another one, and the noise differs from pixel to pixel.
rng = np.random.default_rng(0)
shape, n = (64, 64), 120
X = np.column_stack([rng.integers(0, 2, n), rng.normal(40, 12, n), rng.normal(size=n)])
names = ["stimulus", "age", "nuisance"]


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
for j, (column, pair) in enumerate(zip(names, axs.T)):
    mean, std = model.coef_[:, j].reshape(shape), model.coef_std_[:, j].reshape(shape)
    largest = np.abs(mean).max()
    image = pair[0].imshow(mean, cmap="RdBu_r", vmin=-largest, vmax=largest)
    figure.colorbar(image, ax=pair[0], shrink=0.8)
    image = pair[1].imshow(mean / std, cmap="RdBu_r", vmin=-8, vmax=8)
    figure.colorbar(image, ax=pair[1], shrink=0.8)
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
# Where to go on
# --------------
# - `Many targets <../../many_targets.html>`_: memory-mapped files, gaps, and the program.
