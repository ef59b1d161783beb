"""
Posterior of weights and precisions
===================================

You learn what makes a relevance vector machine sparse: the posterior of the precision of each weight. Most precisions become very large, so
that their weights are almost zero. The data determine the few other weights.

The setting is that of Bishop and Tipping (2000): sin(x)/x at 50 random points, normal noise of standard deviation 0.1, a Gaussian kernel at
each point, and the full variational posterior (VR.1, VR.2) of 51 weights, 51 precisions and the noise. The fit uses the preset
``vrvm_regression`` on the kernel columns: plain sweeps over all of them, as published.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import RelevanceVectorRegressor, _core
from ardvark.plot import COLORS, GREY

# the root of the repository
root = next(f for f in [Path.cwd(), *Path.cwd().parents] if (f / "examples/data").is_dir())

random = np.random.RandomState(0)
x = np.sort(random.uniform(-10, 10, 50))
y = np.sinc(x / np.pi) + 0.1 * random.standard_normal(50)
width = 3.0


def kernel(x):
    """exp(-(x - c)^2 / width^2) at each training point c, and a column of ones (KER.1)."""
    return np.column_stack([np.ones(x.size), np.exp(-(((x[:, None] - CENTRES) / width) ** 2))])


CENTRES = x
Phi = kernel(x)
fit = _core.fit(Phi, y, preset="vrvm_regression", tolerance=1e-9, max_sweeps=20000, warn=False)
print(fit.text("message"))

# %%
# The picture shows columns as relevant if their precision would be finite without a hyper-prior
# (OPT.3).
weight, sd = fit.array("mean"), fit.array("sd")
precision = fit.array("precision")[fit.array("group").astype(int)]  # E[alpha] of each column
relevant = fit.array("relevant") == 1
by_weight = np.abs(weight) > 1e-3 * np.abs(weight).max()  # the paper's rule
places = np.r_[-11.2, x]  # the column of ones is drawn left of the others

figure, axes = plt.subplots(3, 1, figsize=(8, 8.4), sharex=True, layout="constrained")
grid = np.linspace(-10, 10, 400)
prediction = fit.predict(kernel(grid))
axes[0].fill_between(
    grid,
    prediction.array("lower"),
    prediction.array("upper"),
    color=COLORS[5],
    alpha=0.35,
    linewidth=0,
    label="95% of new observations",
)
axes[0].plot(x, y, "o", color="#333333", markersize=3, label="observed")
axes[0].plot(grid, prediction.array("mean"), color=COLORS[0], linewidth=2, label="mean")
axes[0].plot(grid, np.sinc(grid / np.pi), "--", color="black", linewidth=1, label="true")
at = relevant[1:]
axes[0].plot(
    x[at],
    y[at],
    "o",
    markersize=11,
    markerfacecolor="none",
    markeredgecolor=COLORS[1],
    markeredgewidth=1.6,
    label=f"relevant kernels ({at.sum()})",
)
axes[0].set(ylabel="y", ylim=(-0.7, 1.8))
axes[0].legend(frameon=False, fontsize="small", ncols=2, loc="upper right")
for which, color, marker, name in (
    (relevant, COLORS[1], "o", "relevant"),
    (~relevant, GREY, ".", "not relevant"),
):
    axes[1].errorbar(
        places[which],
        weight[which],
        yerr=1.96 * sd[which],
        fmt=marker,
        color=color,
        markersize=5,
        linewidth=1.4,
        label=name,
    )
    axes[2].plot(places[which], precision[which], marker, color=color, markersize=5, label=name)
axes[1].axhline(0, color="black", linewidth=0.6)
axes[1].set_ylabel("weight, with 95% intervals")
axes[1].legend(frameon=False, fontsize="small", loc="upper right")
axes[2].set(
    yscale="log",
    ylabel="posterior mean of the precision",
    xlabel="place of the kernel (left of the line: the constant)",
)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
for ax in axes[1:]:
    ax.axvline(-10.6, color="black", linewidth=0.6, linestyle=":")
plt.show()

# %%
# Compared with the paper
# -----------------------
# The numbers of the paper are means over 25 data sets, with a width from cross-validation. Ours are
# for one data set and a width of 3.
noise_sd = (fit.number("noise.rate") / fit.number("noise.shape")) ** 0.5
rms = np.sqrt(np.mean((prediction.array("mean") - np.sinc(grid / np.pi)) ** 2))
published = pd.read_csv(root / "docs" / "published" / "relevance_vectors.csv")
published = published[
    (published["paper"] == "UAI 2000") & (published["problem"] == "sinc, Gaussian noise")
].set_index("quantity")["value"]
table = pd.DataFrame(
    {
        "published": published[["vectors", "rms error", "noise sd"]].to_list(),
        "here": [relevant[1:].sum(), rms, noise_sd],
    },
    index=["relevant kernels", "rms error", "noise, standard deviation"],
)
table.round(4)

# %%
# What differs, and why
# ---------------------
# A precision cannot become infinite: with the paper's hyper-prior Gam(1e-6, 1e-6), its posterior
# mean is at most (1e-6 + 1/2) / 1e-6, half a million, and in practice it stays far below. So no
# threshold on the precision removes a column (:doc:`/math/errata`). The paper decides by the
# weights: relevant are those above a thousandth of the largest. On a fit that has converged, this
# rule also counts most of the irrelevant columns. The picture shows that the gap between relevant
# and irrelevant columns is in the precisions. The relevance vector machines of this library ask how
# many nats each column is worth (RVM.4), and remove one at a time. This leaves even fewer columns.
machine = RelevanceVectorRegressor(width=width, standardize=False).fit(x[:, None], y)
largest_precision = precision.max()
print(f"largest precision {largest_precision:.0f}")
print(
    f"relevant by the weight {by_weight[1:].sum()}, by the precision {relevant[1:].sum()}, by the worth {machine.support_.size}"
)
