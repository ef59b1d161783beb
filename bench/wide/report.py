"""Table and picture of bench/wide."""


def table_of(rows, tables, methods):
    """One block a table, one line a method, in Markdown."""
    text = []
    for name in tables:
        here = {row["method"]: row for row in rows if row["table"] == name}
        if not here:
            continue
        has_classes = "two classes" in name
        last = "divergence | excess |" if has_classes else "error | coverage | excess |"
        X_mb = next(iter(here.values()))["X_mb"]
        text += [f"**{name}** (X: {X_mb:.0f} MB)", ""]
        text += [f"| | intervals | processor seconds | MB, X included | columns named, true | sets, true | {last}", "|---" * (8 if has_classes else 9) + "|"]
        for method, (_, has_intervals, _, _) in methods.items():
            if method in here:
                text.append(f"| {method} | {'yes' if has_intervals else 'no'} | " + " | ".join(cells_of(here[method], has_classes)) + " |")
        text.append("")
    return "\n".join(text).rstrip()


def cells_of(row, has_classes):
    def two(one, other):
        return f"{row[one]:.0f}, {row[other]:.0f}" if row[one] is not None else ""

    def number(key, form):
        return format(row[key], form) if row[key] is not None else ""

    cells = [number("processor_seconds", ".3g"), number("peak_mb", ".0f"), two("named", "true"), two("sets", "sets_true"), number("error", ".3g")]
    return [*cells, *([] if has_classes else [number("coverage", ".3f")]), number("excess", ".0e")]


def draw(rows, path, tables, methods):
    """Time and memory of each table: a point a method, each a little lower than the one before it; ours are filled."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colors = ["#0072B2", "#56B4E9", "#003F5C", "#E69F00", "#D55E00", "#009E73", "#CC79A7", "#999999", "#000000", "#8B5A2B"]  # Okabe and Ito, and two more
    shown = [name for name in tables if any(row["table"] == name for row in rows)]
    figure, axes = plt.subplots(1, 2, figsize=(13, 1.2 + 0.8 * len(shown)), sharey=True, layout="constrained")
    for place, (color, method) in enumerate(zip(colors, methods)):
        lower = 0.7 * (place / (len(methods) - 1) - 0.5)
        points = [(shown.index(row["table"]) + lower, row["processor_seconds"], row["peak_mb"]) for row in rows if row["method"] == method and row["table"] in shown]
        if not points:
            continue
        ours = method.startswith("ardvark")
        for ax, value in zip(axes, (1, 2)):
            ax.scatter([point[value] for point in points], [point[0] for point in points], color=color if ours else "none", edgecolor=color, s=45 if ours else 30,
                       linewidth=1.4, label=method, marker="o" if ours else "s", zorder=3)
    for ax, label in zip(axes, ("processor seconds", "memory of the fit, X included (MB)")):
        ax.set(xscale="log", xlabel=label)
        ax.set_yticks(range(len(shown)), shown)
        ax.set_ylim(len(shown) - 0.5, -0.5)
        ax.grid(axis="x", color="#eeeeee")
        for between in range(1, len(shown)):
            ax.axhline(between - 0.5, color="#bbbbbb", linewidth=0.8)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, dpi=100)
