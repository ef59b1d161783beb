"""
Choosing by evidence
====================

You learn to compare models by the log evidence instead of a validation set, when this works, and two cases in which it misleads.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLinearRegression, RelevanceVectorRegressor
from ardvark.plot import COLORS
from sklearn.model_selection import KFold, cross_val_predict

# %%
# How many waves?
# ---------------
# The data are eighty noisy readings of a sum of three waves. The models have one to ten pairs of
# sine and cosine. The picture compares the bound of each (LIN.3) with the error of 10-fold
# cross-validation, which needs ten fits, each without some of the rows.
random = np.random.RandomState(0)
t = np.sort(random.uniform(0, 1, 80))


def waves(t, count):
    angle = 2 * np.pi * t[:, None] * np.arange(1, count + 1)
    return np.column_stack([np.sin(angle), np.cos(angle)])


truth = waves(t, 3) @ [1, 0.5, 0.7, -0.4, 0.6, 0.5]
y = truth + 0.5 * random.standard_normal(t.size)
counts = np.arange(1, 11)
fits = [BayesianLinearRegression("shared").fit(waves(t, count), y) for count in counts]
bound = np.array([fit.bound_ for fit in fits])
folds = KFold(10, shuffle=True, random_state=0)
validated = np.array(
    [
        np.mean(
            (
                cross_val_predict(BayesianLinearRegression("shared"), waves(t, count), y, cv=folds)
                - y
            )
            ** 2
        )
        for count in counts
    ]
)
training = np.array(
    [np.mean((fit.predict(waves(t, count)) - y) ** 2) for count, fit in zip(counts, fits)]
)
by_bound, by_validation = counts[bound.argmax()], counts[validated.argmin()]

figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
axes[0].plot(counts, bound, "o-", color=COLORS[0])
axes[0].set(xlabel="pairs of waves", ylabel="bound on the log evidence, nats", xticks=counts)
axes[1].plot(counts, training, "s-", color=COLORS[2], label="training rows")
axes[1].plot(counts, validated, "D--", color=COLORS[3], label="10-fold cross-validation")
axes[1].set(xlabel="pairs of waves", ylabel="mean square error", xticks=counts)
axes[1].legend(frameon=False)
for ax in axes:
    ax.axvline(3, color="black", linestyle=":", linewidth=1)
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
print(f"by the bound {by_bound}, by cross-validation {by_validation}, true 3")

# %%
# The bound has a clear maximum; the training error only falls. A difference of d nats means odds of
# exp(d) to 1 if both models have the same prior probability:
odds = np.exp(bound.max() - np.sort(bound)[-2])
print(f"the best against the second best: {odds:.0f} to 1")

# %%
# Averaging
# ---------
# You need not choose one model: you can average the predictions, with weights proportional to
# exp(bound). Here the best model has nearly all the weight.
weight = np.exp(bound - bound.max())
weight /= weight.sum()
grid = np.linspace(0, 1, 200)
true_curve = waves(grid, 3) @ [1, 0.5, 0.7, -0.4, 0.6, 0.5]
curves = np.array([fit.predict(waves(grid, count)) for count, fit in zip(counts, fits)])
errors = pd.Series(
    {
        "average of all": np.mean((weight @ curves - true_curve) ** 2),
        "best by the bound": np.mean((curves[bound.argmax()] - true_curve) ** 2),
        "ten pairs": np.mean((curves[-1] - true_curve) ** 2),
    },
    name="MSE against the true curve",
)
errors.to_frame().round(4)

# %%
# Kernels
# -------
# The log evidence of relevance vector machines can be compared between widths, kernels and
# algorithms (RVM.1).
kernels = {
    kernel: RelevanceVectorRegressor(kernel).fit(t[:, None], y)
    for kernel in ("gaussian", "laplacian", "cauchy", "linear")
}
of_kernels = pd.DataFrame(
    {
        "log evidence, nats": {kernel: fit.log_evidence_ for kernel, fit in kernels.items()},
        "vectors": {kernel: fit.support_.size for kernel, fit in kernels.items()},
        "MSE against the true curve": {
            kernel: np.mean((fit.predict(grid[:, None]) - true_curve) ** 2)
            for kernel, fit in kernels.items()
        },
    }
).sort_values("log evidence, nats", ascending=False)
of_kernels.round(4)

# %%
# Where it misleads
# -----------------
# **Different numbers of hyper-priors.** Under ARD, the hyper-prior of each column costs three to
# four nats with the defaults, even if the column has no effect. Compare ARD fits only with the same
# columns, or use one precision, as above (:doc:`/math/errata`). Five columns without an effect cost
# much under ARD, and little under one precision:
noise_columns = random.standard_normal((t.size, 5))
price = pd.Series(
    {
        prior: BayesianLinearRegression(prior).fit(waves(t, 3), y).bound_
        - BayesianLinearRegression(prior)
        .fit(np.column_stack([waves(t, 3), noise_columns]), y)
        .bound_
        for prior in ("shared", "ard")
    },
    name="nats lost by five columns of noise",
)
price.to_frame().round(1)

# %%
# **Other data.** The bound applies only to *these* rows and *this* target. If you drop rows, or
# take the logarithm of y, the new bound cannot be compared with the old one. A change of the units
# of columns does not change the bound (LIN.5):
in_cents = BayesianLinearRegression("shared").fit(100 * waves(t, 3), y).bound_ - bound[2]
print(f"columns in other units change the bound by {in_cents:.1e} nats")
