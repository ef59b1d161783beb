"""Draws the coverage of predictions for rows with gaps. Each dot is a setting; it moves from the coverage of complete data to that with gaps."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D

COMPLETE, GAPS = "#0072b2", "#d55e00"  # colours of Okabe and Ito
TITLES = {"blocks": "All x of a row are missing", "singles": "Each x is missing by itself"}


@plt.rc_context({"font.size": 12.5, "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False})
def draw(lines, path):
    cases = list(dict.fromkeys(tuple(line["case"]) for line in lines if line["case"][0] == "linear"))
    kinds = list(dict.fromkeys(case[1] for case in cases))
    settings = list(dict.fromkeys((case[2], case[3]) for case in cases))
    rows = np.arange(len(settings))[::-1]
    figure, panels = plt.subplots(1, len(kinds), figsize=(5.8 * len(kinds), 0.34 * len(settings) + 1.9), sharey=True, squeeze=False)
    for axes, kind in zip(panels[0], kinds):
        axes.set_title(TITLES[kind], loc="left", fontweight="bold")
        axes.set_xlabel("new targets inside the 95% interval")
        axes.tick_params(left=False)
        axes.set_xlim(0.88, 1.0)
        axes.set_xticks([0.9, 0.93, 0.95, 0.97, 1.0], ["90%", "93%", "95%", "97%", "100%"])
        axes.axvspan(0.93, 0.97, color="0.96", zorder=-1, linewidth=0)
        axes.axvline(0.95, color="0.25", linewidth=1.4, zorder=0)
        for row, (columns, rho) in zip(rows, settings):
            found = [line["found"] for line in lines if tuple(line["case"][:4]) == ("linear", kind, columns, rho)]
            complete, gaps = (np.array([one[name] for one in found]) for name in ("complete", "gaps"))
            error = 2 * gaps.std() / np.sqrt(len(gaps))
            axes.plot([gaps.mean() - error, gaps.mean() + error], [row, row], color=GAPS, linewidth=1.2, alpha=0.6)
            axes.plot(complete.mean(), row, "D", color=COMPLETE, markersize=5, alpha=0.85, markeredgecolor="white", markeredgewidth=0.4)
            axes.plot(gaps.mean(), row, "o", color=GAPS, markersize=6, alpha=0.9, markeredgecolor="white", markeredgewidth=0.4)
    panels[0][0].set_yticks(rows, [f"{columns} columns, correlation {rho:g}" for columns, rho in settings])
    panels[0][0].set_ylim(-0.6, len(settings) - 0.4)
    marks = [
        Line2D([], [], color=COMPLETE, marker="D", linestyle="", label="complete table, complete new rows"),
        Line2D([], [], color=GAPS, marker="o", linestyle="-", linewidth=1.2, label="both with gaps (two standard errors)"),
    ]
    figure.legend(handles=marks, loc="lower center", ncols=2, frameon=False, columnspacing=1.6, handletextpad=0.3)
    figure.tight_layout(rect=(0, 0.06, 1, 1), w_pad=1.5)
    figure.savefig(path, dpi=110)
    plt.close(figure)
