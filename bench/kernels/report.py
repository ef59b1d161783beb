"""The table and the picture of bench/kernels."""

import numpy as np


def means(rows):
    """(problem, method) -> field -> mean and standard error over the splits."""
    groups = {}
    for row in rows:
        groups.setdefault((row["problem"], row["method"]), []).append(row)
    out = {}
    for key, group in groups.items():
        out[key] = {}
        for field in ("error", "log_density", "inside", "outside", "vectors", "seconds"):
            values = np.array([float(row[field]) for row in group if row[field]])
            if values.size:
                out[key][field] = values.mean(), values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else np.nan
    return out


def cell(found, field, form, error=False):
    if field not in found:
        return ""
    mean, of_mean = found[field]
    return format(mean, form) + (f" ({of_mean:.2g})" if error and np.isfinite(of_mean) else "")


def print_table(rows):
    print("| problem | method | error | log density | inside | outside | vectors | seconds |\n|---|---|---:|---:|---:|---:|---:|---:|")
    for (problem, method), found in means(rows).items():
        cells = [cell(found, "error", ".4g", True), cell(found, "log_density", ".3f", True), cell(found, "inside", ".3f"), cell(found, "outside", ".3f")]
        print(f"| {problem} | {method} | {' | '.join([*cells, cell(found, 'vectors', '.0f'), cell(found, 'seconds', '.2g')])} |")


TABLES = (
    ("Errors", "error", ".4g"),
    ("Log density of new rows, nats a row", "log_density", ".3f"),
    ("Share of new observations in their 95% interval", "inside", ".3f"),
    ("Share of true values away from the data in their 95% interval", "outside", ".3f"),
    ("Vectors", "vectors", ".0f"),
    ("Seconds", "seconds", ".2g"),
)
SHORT = {
    "scikit-learn GP, one width": "GP, one width",
    "scikit-learn GP, a width each": "GP, a width each",
    "scikit-learn SVM, CV": "SVM, CV",
    "scikit-learn boosting": "boosting",
}


def write_tables(rows, path):
    """A table for each quantity, problems by methods, between the marks of this page."""
    found = means(rows)
    problems, methods = (list(dict.fromkeys(key[at] for key in found)) for at in (0, 1))
    splits = {problem: len({row["split"] for row in rows if row["problem"] == problem}) for problem in problems}
    lines = []
    for title, field, form in TABLES:
        here = [method for method in methods if any(field in found.get((problem, method), {}) for problem in problems)]
        lines += ["", f"**{title}**", "", "| problem | splits | " + " | ".join(SHORT.get(m, m) for m in here) + " |", "|---|---:|" + "---:|" * len(here)]
        for problem in problems:
            cells = [cell(found.get((problem, method), {}), field, form, field == "error" and method == "kernel") for method in here]
            if any(cells):
                lines.append(f"| {problem} | {splits[problem]} | {' | '.join(cells)} |")
    head, rest = path.read_text().split("<!-- tables -->")
    tail = rest.split("<!-- end of tables -->")[1]
    path.write_text(head + "<!-- tables -->" + "\n".join(lines) + "\n\n<!-- end of tables -->" + tail)


COLOURS = {
    "kernel": "#0072b2",
    "RVM": "#d55e00",
    "scikit-learn GP, a width each": "#009e73",
    "scikit-learn GP, one width": "#56b4e9",
    "scikit-learn SVM, CV": "#cc79a7",
    "scikit-learn boosting": "0.5",
}  # of Okabe and Ito


def draw(rows, path):
    """Left: the error over that of the kernel machine. Right: log density below it, in nats a row."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = means(rows)
    problems = list(dict.fromkeys(problem for problem, method in found if method == "kernel"))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 0.42 * len(problems) + 1.3), sharey=True)
    at = np.arange(len(problems))[::-1]
    for place, (method, colour) in enumerate(COLOURS.items()):
        height = at + 0.11 * (2.5 - place)  # dots at the same value stay visible
        style = dict(color=colour, label=method, markersize=6 if method == "kernel" else 5, linestyle="", zorder=3 if method == "kernel" else 2)
        marker = "D" if method == "kernel" else "o"
        pairs = [(found.get((problem, method), {}), found[problem, "kernel"]) for problem in problems]
        ratio = np.array([a["error"][0] / b["error"][0] if "error" in a and b["error"][0] > 0 else np.nan for a, b in pairs])
        lost = np.array([b["log_density"][0] - a["log_density"][0] if "log_density" in a else np.nan for a, b in pairs])
        left.plot(np.clip(ratio, 0.5, 4), height, marker, **style)
        right.plot(np.clip(lost, -0.2, 1), height, marker, **style)
    left.set_yticks(at, problems)
    left.set_ylim(-0.6, len(problems) - 0.4)
    left.set_xscale("log")
    left.set_xticks([0.5, 0.7, 1, 1.5, 2, 3, 4], ["0.5", "0.7", "1", "1.5", "2", "3", "4+"])
    left.minorticks_off()
    left.set_title("Error / that of the kernel machine", loc="left", fontweight="bold")
    right.set_xticks([-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1], ["-0.2", "0", "0.2", "0.4", "0.6", "0.8", "1+"])
    right.set_title("Log density lost, nats a row", loc="left", fontweight="bold")
    for axes, same in ((left, 1), (right, 0)):
        axes.axvline(same, color="0.6", linewidth=0.8, zorder=0)
        axes.grid(axis="y", color="0.92", zorder=-1)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(left=False)
    figure.legend(*left.get_legend_handles_labels(), loc="lower center", ncols=3, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.55 / figure.get_figheight(), 1, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)
