"""
Decoding with sparse logistic regression
========================================

You learn to find the few columns among thousands that differ between two conditions, why one fit is not enough, and how selection counts help.

The experiment is simulated: 100 trials and 1000 voxels. Ten voxels differ between two conditions by one standard deviation, up or down.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLogisticRegression, RelevanceSelector, SparseLogisticRegression
from ardvark.plot import RelevanceDisplay

random = np.random.RandomState(0)
num_voxels, informative = 1000, np.arange(50, 1000, 100)
sign = np.where(np.arange(informative.size) % 2 == 0, 0.5, -0.5)


def experiment(num_trials):
    condition = np.arange(num_trials) % 2
    X = random.standard_normal((num_trials, num_voxels))
    X[:, informative] += np.outer(2 * condition - 1, sign)
    return X, np.where(condition == 1, "face", "house")


X, y = experiment(100)
X_test, y_test = experiment(2000)
is_informative = np.isin(np.arange(num_voxels), informative)

# %%
# One fit each
# ------------
# The algorithms of the SLR toolbox have its names. ``slr_var`` and ``slr_lap`` remove a column when
# its precision exceeds 1e8 (SLR.1, SLR.2); ``rlr_var`` keeps all columns; L1 keeps those at the
# edge of its optimality conditions (L1.2).
fits = {
    "slr_var": SparseLogisticRegression("slr_var"),
    "slr_lap": SparseLogisticRegression("slr_lap"),
    "l1_slr_c": SparseLogisticRegression("l1_slr_c"),
    "rlr_var": SparseLogisticRegression("rlr_var"),
    "shared precision (model)": BayesianLogisticRegression("shared"),
}
report = pd.DataFrame(
    {
        name: {
            "found of 10": fit.fit(X, y).support_[is_informative].sum(),
            "false": fit.support_[~is_informative].sum(),
            "accuracy": fit.score(X_test, y_test),
            "log loss": -fit.log_density(X_test, y_test).mean(),
        }
        for name, fit in fits.items()
    }
).T
report.round(3)

# %%
# The sparse fits find most of the ten voxels. They are far more accurate than the fits with one
# precision, which spread the weight over a thousand columns. But each of them also keeps false
# voxels, and with other trials it would keep others.
#
# Selection counts
# ----------------
# How often does a voxel survive when the trials change? Repeated stratified cross-validation with
# ``slr_var`` gives the share of fits that kept each voxel. In the SC-value (SEL.1), the weight of a
# fit is its accuracy on the trials that were left out. One of the fifty fits needs more than the
# usual 1000 sweeps.
selector = RelevanceSelector(
    SparseLogisticRegression("slr_var", max_iter=5000), by="counts", folds=10, repeats=5, random_state=0
)
selector.fit(X, y)
RelevanceDisplay.from_estimator(selector)
plt.show()

# %%
order = np.argsort(-selector.sc_values_)
ranking = pd.DataFrame(
    {
        "voxel": order[:15] + 1,
        "SC-value": selector.sc_values_[order[:15]].round(1),
        "share of fits": selector.scores_[order[:15]].round(2),
        "informative": np.where(is_informative[order[:15]], "yes", ""),
    },
    index=pd.Index(np.arange(1, 16), name="rank"),
)
ranking

# %%
# More of the first ten are informative than those that the single fit found. (In practice you do
# not know that there are ten: look for the gap in the SC-values.) A fit on these ten alone is as
# accurate as the sparse fit on all, but too sure, because the same trials chose its columns. If you
# need correct probabilities, use ``slr_lap`` on all columns. For the same reason, a
# cross-validation that judges a selection must repeat the selection in each fold. Here the test
# trials had no part in the selection.
winners = order[:10]
final = BayesianLogisticRegression("shared").fit(X[:, winners], y)
on_winners = {
    "accuracy": final.score(X_test[:, winners], y_test),
    "log loss": -final.log_density(X_test[:, winners], y_test).mean(),
}
print(
    f"the first ten, {is_informative[winners].sum()} of them informative: accuracy {on_winners['accuracy']:.3f}, log loss {on_winners['log loss']:.3f}"
)

# %%
# The larger comparison, with correlated voxels and twelve methods, is in ``examples/decoding`` of
# the repository.
