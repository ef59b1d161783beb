"""The picture: does a 95% interval cover, and what does that cost in error? A dot is a family."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.transforms import blended_transform_factory

import families
from report import REGRESSIONS, better_of_both

LABELS = {
    "sparse": "ardvark sparse",
    "shared": "ardvark shared",
    "ard": "ardvark ARD",
    "LassoCV": "LassoCV (plug-in)",
    "RidgeCV": "RidgeCV (plug-in)",
    "ElasticNetCV": "ElasticNetCV (plug-in)",
}
WIDE, TALL = "#d55e00", "#0072b2"  # of Okabe and Ito


def spread(values, width):
    """Heights that keep near dots apart, within one half; the same for the same values."""
    heights = np.zeros(len(values))
    order = np.argsort(values)
    steps = np.array([0, 1, -1, 2, -2, 3, -3, 4, -4]) * 0.09
    placed = []
    for i in order:
        taken = {k for x, k in placed if abs(values[i] - x) < width}
        k = next((k for k in range(len(steps)) if k not in taken), len(placed) % len(steps))
        placed.append((values[i], k))
        heights[i] = steps[k]
    return heights


def dots(axes, row, values, wide, low, high, scale):
    inside = np.clip(values, low, high)
    there = np.isfinite(values)
    heights = np.zeros(len(values))
    heights[there] = spread(scale(inside[there]), 0.016 * (scale(high) - scale(low)))
    for which, colour, marker in ((wide, WIDE, "o"), (~wide, TALL, "D")):
        axes.plot(inside[which], row + heights[which], marker, color=colour, markersize=5.2, alpha=0.85, markeredgecolor="white", markeredgewidth=0.4)
    return np.sum(there & (values > high))


def draw(means, path):
    methods = means.methods(REGRESSIONS)
    signal = [family for family in families.LINEAR if family.effects != "null"]
    wide_all = np.array([family.p > family.n for family in families.LINEAR])
    wide = np.array([family.p > family.n for family in signal])
    names, every = [family.name for family in signal], [family.name for family in families.LINEAR]
    plt.rcParams.update({"font.size": 12, "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 0.62 * len(methods) + 1.9), sharey=True, width_ratios=[1, 1])
    rows = np.arange(len(methods))[::-1]

    left.axvline(0.95, color="0.25", linewidth=1.4, zorder=0)
    right.axvline(1, color="0.25", linewidth=1.4, zorder=0)
    best = better_of_both(means, names)
    low, high = 0.3, 8.0
    for row, method in zip(rows, methods):
        for axes in (left, right):
            axes.axhspan(row - 0.46, row + 0.46, color="0.965" if row % 2 else "1", zorder=-1, linewidth=0)
        dots(left, row, means.over(every, method, "cov_y"), wide_all, 0.0, 1.0, lambda x: x)
        ratio = means.over(names, method, "mse") / best
        dots(right, row, ratio, wide, low, high, np.log)
        middle = np.exp(np.nanmean(np.log(ratio)))
        right.plot([middle, middle], [row - 0.4, row + 0.4], color="black", linewidth=2.4)
        right.text(1.01, row, f"{middle:.2f}", transform=blended_transform_factory(right.transAxes, right.transData), va="center")
    left.set_yticks(rows, [LABELS.get(method, method) for method in methods])
    for label, method in zip(left.get_yticklabels(), methods):
        label.set_fontweight("bold" if method == "sparse" else "normal")
    left.tick_params(left=False)
    right.tick_params(left=False)
    left.set_ylim(-0.55, len(methods) - 0.45)
    left.set_xlim(-0.02, 1.02)
    left.set_xticks([0, 0.25, 0.5, 0.75, 0.95], ["0", "25%", "50%", "75%", "95%"])
    left.set_xlabel("new observations inside their 95% interval")
    left.set_title("Do the intervals tell the truth?", loc="left", fontweight="bold")
    right.set_xscale("log")
    right.set_xlim(0.93 * low, 1.07 * high)
    ticks = [0.3, 0.5, 1, 2, 4, 8]
    right.set_xticks(ticks, [f"{tick:g}" for tick in ticks[:-1]] + ["8+"])
    right.minorticks_off()
    right.set_xlabel("MSE / that of the better of LassoCV and RidgeCV")
    right.set_title("Is the prediction good?", loc="left", fontweight="bold")
    right.text(1.01, len(methods) - 0.42, "mean", transform=blended_transform_factory(right.transAxes, right.transData), va="bottom")
    marks = [
        Line2D([], [], color=WIDE, marker="o", linestyle="", label="a family with more columns than rows"),
        Line2D([], [], color=TALL, marker="D", linestyle="", label="a family with fewer"),
        Line2D([], [], color="black", marker="|", markersize=14, markeredgewidth=2.4, linestyle="", label="geometric mean"),
    ]
    figure.legend(handles=marks, loc="lower center", ncols=3, frameon=False)
    figure.tight_layout(rect=(0, 0.065, 1, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)
