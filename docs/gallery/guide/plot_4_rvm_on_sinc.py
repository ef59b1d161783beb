"""
Relevance vectors on a curve
============================

You learn to fit a curve without choosing a kernel width, to see how the width was found, and what happens where there are no data.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import RelevanceVectorRegressor
from ardvark.plot import COLORS, PredictiveDisplay

random = np.random.RandomState(3)
x = pd.DataFrame({"time": np.sort(random.uniform(-10, 10, 100))})
y = pd.Series(np.sinc(x["time"] / np.pi) + 0.1 * random.standard_normal(100), name="signal")

# %%
# The curve is a sum of kernels, each at one of the rows. The fit starts with no kernel. It adds and
# removes kernels and changes their weights as long as this raises the log evidence (GREEDY.2), and
# ends with sweeps (RVM.2). A hundred rows leave only a few kernels and a constant. Predictions need
# no other rows.
model = RelevanceVectorRegressor().fit(x, y)
PredictiveDisplay.from_estimator(model, x, y)
plt.show()

# %%
print(model.summary())

# %%
# The width
# ---------
# Each width is a model; the fit takes the width with the highest log evidence (RVM.1, RVM.5).
# ``width_`` is in standard deviations of the input. Divided by ``input_scale_``, it is in the units
# of the column.
width = model.width_ / model.input_scale_[0]
print(f"width {width:.2f} in the units of time")
trials = pd.DataFrame(
    {
        "width": [trial["parameters"][0] for trial in model.trials_],
        "evidence": [trial["log_evidence"] for trial in model.trials_],
        "vectors": [trial["num_vectors"] for trial in model.trials_],
    }
).sort_values("width")
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
ax.semilogx(
    trials["width"] / model.input_scale_[0], trials["evidence"], "o-", color=COLORS[0], markersize=5
)
ax.axvline(width, color="black", linewidth=0.8, linestyle="--")
ax.set(xlabel="kernel width, units of time", ylabel="log evidence, nats")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# A kernel that is too narrow needs many vectors, and each has a price. A kernel that is too wide
# cannot follow the curve.
#
# Where there are no data
# -----------------------
# Far from its vectors, a sum of local kernels returns to the constant, and its band has only the
# width of the noise. The band there does not show how uncertain the curve is. If you need this, use
# a linear term or a Gaussian process. A warning says how many rows of a prediction lie far outside
# the data.
far = pd.DataFrame({"time": np.linspace(-25, 25, 201)})
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    mean, std = model.predict(far, return_std=True)
    interval = model.predict_interval(far)
print(said[0].message)
noise = model.alpha_**-0.5
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
PredictiveDisplay(
    far["time"].to_numpy(), mean, interval, 0.95, "time", "signal", points=(x["time"], y)
).plot(ax=ax)
plt.show()
print(f"standard deviation of a new observation at -25: {std[0]:.3f}; of the noise {noise:.3f}")

# %%
# More inputs
# -----------
# ``width="each"`` learns a width for every input. A large width means that the input has little
# effect. Here only the first of three inputs has an effect.
X = random.uniform(-5, 5, (150, 3))
z = np.sinc(X[:, 0] / np.pi) + 0.05 * random.standard_normal(150)
each = RelevanceVectorRegressor(width="each").fit(X, z)
widths = pd.Series(
    each.width_, ["first", "second", "third"], name="width, in standard deviations of the input"
)
widths.to_frame().round(2)
