"""
Bands that open outside the data
================================

You learn what a kernel machine says where there are no rows, of a curve and of two classes, and what a relevance vector machine says there.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from ardvark import KernelClassifier, KernelRegressor, RelevanceVectorRegressor
from ardvark.plot import COLORS

# %%
# A curve
# -------
# Sixty noisy values of sinc between -10 and 10. Both machines predict new observations between
# -25 and 25.
random = np.random.default_rng(4)
x = np.sort(random.uniform(-10, 10, (60, 1)), axis=0)
y = np.sinc(x[:, 0] / np.pi) + 0.1 * random.standard_normal(60)
far = np.linspace(-25, 25, 301)[:, None]
truth = np.sinc(far[:, 0] / np.pi)
models = {
    "relevance vector machine": RelevanceVectorRegressor(),
    "the same, open bands": RelevanceVectorRegressor(bands="open"),
    "kernel machine": KernelRegressor(),
}
figure, axes = plt.subplots(3, 1, figsize=(6.4, 7), sharex=True, sharey=True, layout="constrained")
spread = {}
for ax, (name, model) in zip(axes, models.items()):
    model.fit(x, y)
    with warnings.catch_warnings():  # one of them warns that its rows are outside
        warnings.simplefilter("ignore")
        mean, spread[name] = model.predict(far, return_std=True)
        lower, upper = model.predict_interval(far).T
    ax.fill_between(far[:, 0], lower, upper, color=COLORS[0], alpha=0.2, linewidth=0)
    ax.plot(far, mean, color=COLORS[0])
    ax.plot(far, truth, color="black", linewidth=0.8, linestyle="--")
    ax.plot(x, y, ".", color="black", markersize=3)
    ax.set_title(f"{name}: {len(model.support_)} relevance vectors", loc="left", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The relevance vector machine is as certain at 25 as it is at 5. With ``bands="open"`` its interval
# widens by the spread of the curve. The curve itself is the same (KM.8). The kernel machine has its
# prior on the function, not on weights: its band opens by itself (KM.1).
for name, std in spread.items():
    print(f"{name}: standard deviation {std[0]:.2f} at -25, {std[150]:.2f} at 0")

# %%
# Two classes
# -----------
# Between the classes, the probability changes fast. Far from all rows, nothing is known: the score has
# a wide distribution there, and the probability returns to about one half.
rows = np.vstack([random.normal([-1, 0], 0.6, (80, 2)), random.normal([1, 0.5], 0.6, (40, 2))])
label = np.repeat([0, 1], [80, 40])
classifier = KernelClassifier().fit(rows, label)
axis = np.linspace(-15, 15, 121)
grid = np.stack(np.meshgrid(axis, axis), axis=-1)
probability = classifier.predict_proba(grid.reshape(-1, 2))[:, 1].reshape(121, 121)
figure, ax = plt.subplots(figsize=(5.4, 4.4), layout="constrained")
shades = ax.pcolormesh(axis, axis, probability, cmap="RdBu_r", vmin=0, vmax=1, shading="auto")
ax.plot(*rows[label == 0].T, ".", color="black", markersize=3, label="first class")
ax.plot(*rows[label == 1].T, "x", color="black", markersize=4, label="second class")
ax.legend(loc="upper left", frameon=False)
figure.colorbar(shades, label="probability of the second class")
plt.show()
corner = probability[[0, 0, -1, -1], [0, -1, 0, -1]]
print("in the four corners:", corner.round(2))
