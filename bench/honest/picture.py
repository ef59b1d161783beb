"""Draws the coverage of 95% intervals, and the errors. Each dot is a family."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.transforms import blended_transform_factory

import families
from report import REGRESSIONS, better_of_both, geometric_mean

LABELS = {
    "sparse": "ardvark sparse",
    "shared": "ardvark shared",
    "ard": "ardvark ARD",
    "LassoCV": "LassoCV *",
    "RidgeCV": "RidgeCV *",
    "ElasticNetCV": "ElasticNetCV *",
}
WIDE, TALL = "#d55e00", "#0072b2"  # colours of Okabe and Ito
LOW, HIGH = 0.3, 8.0  # ratios outside are drawn at the edge


def heights_of(positions, width):
    """Moves dots that are closer than `width` into layers above and below the middle of a row."""
    steps = 0.09 * np.array([0, 1, -1, 2, -2, 3, -3, 4, -4])
    heights, placed = np.full(len(positions), np.nan), []
    for i in np.argsort(positions)[: np.isfinite(positions).sum()]:
        taken = {layer for x, layer in placed if positions[i] - x < width}
        layer = next((layer for layer in range(len(steps)) if layer not in taken), len(placed) % len(steps))
        placed.append((positions[i], layer))
        heights[i] = steps[layer]
    return heights


def dots(axes, row, values, is_wide):
    logarithmic = axes.get_xscale() == "log"
    ends = np.log(axes.get_xlim()) if logarithmic else axes.get_xlim()
    heights = heights_of(np.log(values) if logarithmic else values, 0.022 * (ends[1] - ends[0]))
    for which, colour, marker in ((is_wide, WIDE, "o"), (~is_wide, TALL, "D")):
        axes.plot(values[which], row + heights[which], marker, color=colour, markersize=5, alpha=0.85, markeredgecolor="white", markeredgewidth=0.4)


def beside(axes, row, words, **how):
    """Writes to the right of the axes."""
    axes.text(1.02, row, words, transform=blended_transform_factory(axes.transAxes, axes.transData), **how)


STYLE = {"font.size": 12.5, "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False}


@plt.rc_context(STYLE)
def draw(means, path):
    methods = means.methods(REGRESSIONS)
    signal = [family for family in families.LINEAR if family.effects != "null"]
    rows = np.arange(len(methods))[::-1]
    figure, panels = plt.subplots(1, 3, figsize=(13, 0.56 * len(methods) + 2.2), sharey=True, width_ratios=[1, 1, 1.15])
    heads = [
        ("New observations", "share inside the 95% interval", "cov_y"),
        ("The truth, x'w", "share inside the 95% interval", "cov_f"),
        ("Error", "MSE / that of the better of LassoCV and RidgeCV", "mse"),
    ]
    for axes, (title, label, field) in zip(panels, heads):
        axes.set_title(title, loc="left", fontweight="bold")
        axes.set_xlabel(label)
        axes.tick_params(left=False)
        for row in rows[::2]:
            axes.axhspan(row - 0.46, row + 0.46, color="0.96", zorder=-1, linewidth=0)
        is_error = field == "mse"
        if is_error:
            axes.set_xscale("log")
            axes.set_xlim(0.92 * LOW, 1.08 * HIGH)
            axes.set_xticks([0.3, 0.5, 1, 2, 4, HIGH], ["0.3", "0.5", "1", "2", "4", f"{HIGH:g}+"])
            axes.minorticks_off()
            beside(axes, len(methods) - 0.42, "mean", va="bottom")
        else:
            axes.set_xlim(-0.03, 1.03)
            axes.set_xticks([0, 0.25, 0.5, 0.75, 0.95], ["0", "25%", "50%", "75%", "95%"])
        axes.axvline(1 if is_error else 0.95, color="0.25", linewidth=1.4, zorder=0)
        of = signal if is_error else families.LINEAR
        names, is_wide = [family.name for family in of], np.array([family.p > family.n for family in of])
        for row, method in zip(rows, methods):
            values = means.over(names, method, field)
            if not is_error:
                if not np.isfinite(values).any():
                    axes.text(0.5, row, "no intervals", ha="center", va="center", color="0.45", style="italic")
                dots(axes, row, values, is_wide)
                continue
            ratio = values / better_of_both(means, names)
            middle = geometric_mean(ratio)
            dots(axes, row, np.clip(ratio, LOW, HIGH), is_wide)
            axes.plot([middle, middle], [row - 0.42, row + 0.42], color="black", linewidth=2.4)
            beside(axes, row, f"{middle:.2f}", va="center", fontweight="bold" if method == "sparse" else "normal")
    panels[0].set_ylim(-0.55, len(methods) - 0.45)
    panels[0].set_yticks(rows, [LABELS.get(method, method) for method in methods])
    for label, method in zip(panels[0].get_yticklabels(), methods):
        label.set_fontweight("bold" if method == "sparse" else "normal")
    marks = [
        Line2D([], [], color=WIDE, marker="o", linestyle="", label="a family with more columns than rows"),
        Line2D([], [], color=TALL, marker="D", linestyle="", label="a family with fewer"),
        Line2D([], [], color="black", marker="|", markersize=14, markeredgewidth=2.4, linestyle="", label="geometric mean"),
        Line2D([], [], linestyle="", label="* cross-validated error as its noise"),
    ]
    figure.legend(handles=marks, loc="lower center", ncols=4, frameon=False, columnspacing=1.6, handletextpad=0.3)
    figure.tight_layout(rect=(0, 0.06, 1, 1), w_pad=1.5)
    figure.savefig(path, dpi=110)
    plt.close(figure)
