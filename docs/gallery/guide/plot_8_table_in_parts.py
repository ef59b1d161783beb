"""
A table in parts, on several workers
====================================

You learn to fit a regression to a table that no single machine has to hold, with Dask: what the
workers do, what comes back, and what may go wrong on the way.
"""

import dask.dataframe as dd
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark.dask import BayesianLinearRegression
from ardvark.plot import COLORS, CoefficientDisplay
from distributed import Client, LocalCluster, get_task_stream

# %%
# The table
# ---------
# Taxi rides of twelve months, one part each. In your work, this line is
# ``dd.read_parquet("rides/")``; here, a function makes a month when a worker asks for it. So no
# process ever holds the table.
minutes_per = {"km": 2.1, "stops": 0.8, "rain": 1.5, "night": -2.0, "tariff": 0.0}


def month(number, rows=50_000):
    """The rides of one month. The tariff makes no ride longer."""
    random = np.random.RandomState(number)
    rides = pd.DataFrame(
        {
            "km": random.gamma(2.0, 2.5, rows),
            "stops": random.poisson(1.0, rows),
            "rain": random.uniform(size=rows) < 0.3,
            "night": random.uniform(size=rows) < 0.2,
            "tariff": random.normal(size=rows),
        }
    )
    noise = 4 * random.standard_normal(rows)
    rides["minutes"] = 5 + sum(rides[name] * m for name, m in minutes_per.items()) + noise
    return rides


rides = dd.from_map(month, range(12), meta=month(0, rows=1))

# %%
# The fit
# -------
# A ``LocalCluster`` starts worker processes on this machine; a ``Client`` of any other cluster
# serves as well. ``client.dashboard_link`` is the page on which you watch the work, here on any
# free port (it needs ``pip install bokeh``). In a script, such lines stand below
# ``if __name__ == "__main__":``.
cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
client = Client(cluster)

# %%
# The fit is that of ``ardvark.BayesianLinearRegression``, with the same parameters and results. The
# rows stay where they are. What comes back of each month are its sums: means and cross-products
# of its columns (ST.1).
with get_task_stream() as tasks:
    model = BayesianLinearRegression(prior="ard").fit(rides, y="minutes")
sums = model.statistics_
print(model.summary())
print(f"\n{sums.n_rows_:,} rides became {len(sums.to_bytes()):,} bytes")

# %%
# The tariff is not a column that matters, and the interval of each other one is narrow: there are
# many rides.
CoefficientDisplay.from_estimator(model)
plt.show()

# %%
# What the workers did
# --------------------
# The dashboard shows this picture while the work runs. Its tasks have two names of ours:
# ``read-partition``, one for each part, and ``add-statistics``, which adds sixteen parts at a time.
# Before its first part, a worker loads ``ardvark``.
work = pd.DataFrame(
    {"task": task["key"], "worker": task["worker"], "start": step["start"], "stop": step["stop"]}
    for task in tasks.data
    for step in task["startstops"]
    if step["action"] == "compute"
)
names = [str(key).rsplit("-", 2)[0] for key in work["task"]]  # NAME-NUMBER-HASH
ours = ("read-partition", "add-statistics")
work["task"] = [name if name in ours else "make the month" for name in names]
workers = sorted(set(work["worker"]))
figure, ax = plt.subplots(figsize=(6.4, 2.2), layout="constrained")
for color, (name, rows) in zip(COLORS, work.groupby("task")):
    height = [workers.index(worker) + 1 for worker in rows["worker"]]
    begin = rows["start"] - work["start"].min()
    ax.barh(height, rows["stop"] - rows["start"], left=begin, height=0.6, color=color, label=name)
ax.set(xlabel="seconds", ylabel="worker", yticks=range(1, len(workers) + 1))
figure.legend(loc="outside upper center", ncols=3, frameon=False)
plt.show()

# %%
# The parts are added in their order, whoever read them. So the result has the same bits with any
# number of workers, and if one of them is lost: Dask gives its parts to another one.
cluster.scale(1)
again = BayesianLinearRegression(prior="ard").fit(rides, y="minutes")
print("the same bits:", again.statistics_.to_bytes() == sums.to_bytes())

# %%
# Predictions
# -----------
# The predictions of a table in parts are a table in parts, too. They are computed when they are
# needed, here for the share of rides of each month within their 90% interval.
mean, std = model.predict(rides, return_std=True)
inside = ((rides["minutes"] - mean).abs() < 1.645 * std).map_partitions(
    lambda part: pd.Series([part.mean()]), meta=pd.Series([0.0])
)
share = inside.compute()
print(f"inside: {share.min():.3f} to {share.max():.3f} of the rides of a month")
client.close()
cluster.close()

# %%
# Where to go on
# --------------
# - :doc:`/many_rows` has the same for streams, Parquet, the shell, joblib, Spark and Ray.
# - ``pip install "ardvark[dask]"`` installs what this page needs.
