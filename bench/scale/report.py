"""Table and picture of bench/scale."""


def table_of(rows, methods):
    """One line a method, in Markdown: processor seconds, peak memory and error at each number of rows."""
    text = []
    for task, columns in sorted({(row["task"], row["columns"]) for row in rows}):
        here = {(row["method"], row["rows"]): row for row in rows if (row["task"], row["columns"]) == (task, columns)}
        sizes = sorted({size for _, size in here})
        text += [f"**{task}, {columns:g} columns**: processor seconds, peak memory, error in standard errors", ""]
        text += ["| | intervals | " + " | ".join(f"{size:.0e} rows".replace("e+0", "e") for size in sizes) + " |", "|---|---|" + "---|" * len(sizes)]
        for method, (_, _, has_intervals) in methods[task].items():
            cells = [cell_of(here.get((method, size))) for size in sizes]
            if any(cells):
                text.append(f"| {method} | {'yes' if has_intervals else 'no'} | " + " | ".join(cells) + " |")
        text.append("")
    return "\n".join(text).rstrip()


def cell_of(row):
    return f"{row['processor_seconds']:.3g} s, {row['peak_mb']:.0f} MB, {row['error']:.3g}" if row else ""


def draw(rows, path, methods):
    """Time and memory against rows; ours are thick."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colors = ["#0072B2", "#56B4E9", "#009E73", "#000000", "#E69F00", "#D55E00", "#CC79A7", "#999999", "#8B5A2B", "#F0E442"]  # Okabe and Ito, and two more
    tasks = sorted({row["task"] for row in rows})
    figure, axes = plt.subplots(2, len(tasks), figsize=(5.5 * len(tasks), 9), sharex=True, sharey="row", squeeze=False, layout="constrained")
    for column, task in zip(axes.T, tasks):
        here = [row for row in rows if row["task"] == task]
        columns = min(row["columns"] for row in here)
        for color, method in zip(colors, methods[task]):
            line = sorted((row["rows"], row["processor_seconds"], row["peak_mb"]) for row in here if row["method"] == method and row["columns"] == columns)
            if not line:
                continue
            ours = method.startswith("ardvark")
            for ax, values in zip(column, list(zip(*line))[1:]):
                ax.plot([point[0] for point in line], values, marker="o" if ours else "s", color=color, label=method, linewidth=2.5 if ours else 1.2,
                        markersize=6 if ours else 4)
        column[0].set(title=f"{task}, {columns:g} columns", ylabel="processor seconds, reading included", xscale="log", yscale="log")
        column[1].set(xlabel="rows", ylabel="peak memory (MB)", xscale="log", yscale="log")
        column[1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, fontsize=9, frameon=False)
        for ax in column:
            ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            ax.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:.0e}"[0] in "25" else "")
    figure.savefig(path, dpi=100)
