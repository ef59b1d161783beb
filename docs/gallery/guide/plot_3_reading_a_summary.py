"""
Reading a summary
=================

You learn what each line of the table means, which attributes have the same numbers, and what to do about the notes and warnings
below it.
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLogisticRegression
from ardvark.plot import BoundHistoryDisplay

# the root of the repository
root = next(f for f in [Path.cwd(), *Path.cwd().parents] if (f / "examples/data").is_dir())
data = root / "examples" / "data"
train, test = (pd.read_csv(data / f"Pima.{part}.csv") for part in ("tr", "te"))
X, y = train.drop(columns="type"), train["type"]

# %%
# Two hundred women of Pima heritage, seven measurements, diabetic or not. This fit has a precision
# for each column; a later section explains what is different under the default prior.
model = BayesianLogisticRegression("ard").fit(X, y)
print(model.summary())

# %%
# Line by line
# ------------
# **mean, sd, 95% from, to.** The posterior of each coefficient: the change of the log odds of *Yes*
# per unit of the column, such as a year of age or a kg/m² of body mass. ``coef_``, ``coef_std_``,
# ``coef_interval()``. To see which columns have the largest effect, multiply by the standard
# deviation of the column:
in_spreads = pd.Series(
    model.coef_[0] * X.std().to_numpy(), X.columns, name="change of log odds per standard deviation"
)
in_spreads.to_frame().round(2)

# %%
# **relevance.** One minus the share of the prior in the precision of the coefficient,
# 1 - E[alpha] V_jj. If it is 1, the data determine the coefficient; if it is 0, the prior does.
# ``relevance_``. **kept** is ``support_``: columns whose precision would stay finite without a
# hyper-prior (OPT.3). A dash does not prove that a column has no effect, only that these rows do
# not need it.
kept = X.columns[model.support_].tolist()
print(kept)

# %%
# **effective parameters**, with ``summary(verbose=True)``, is the sum of the relevances, with that of the intercept: the number of
# parameters that the data determine. ``effective_parameters_``. If it is close to the number of
# rows, there is nothing left to estimate the noise from.
print(f"{model.effective_parameters_:.2f} of {X.shape[1] + 1}")

# %%
# **accuracy, log loss, training** are too good, because they are for the training rows. For women
# who are not in the training data:
p = model.predict_proba(test.drop(columns="type"))
test_log_loss = -np.mean(
    np.log(p[np.arange(len(test)), np.searchsorted(model.classes_, test["type"])])
)
print(
    f"accuracy {model.score(test.drop(columns='type'), test['type']):.3f}, log loss {test_log_loss:.3f} nats"
)

# %%
# The bound
# ---------
# A lower bound on the log evidence (BOUND.1). Each sweep of this model raises it; (BOUND.5) names
# the models in which it may fall. The fit ends when the gain that can still be expected falls below
# 1e-8 nats a row (OPT.1). ``bound_``, ``bound_history_``, ``status_``.
BoundHistoryDisplay.from_estimator(model)
plt.show()

# %%
# Under the default prior
# -----------------------
# Instead of the relevance there is the **inclusion**: the probability that a column has an effect
# of its own, in addition to the small one that every column may have. ``inclusion_``. **direction**
# is the probability that the total effect has the sign of the mean: ``direction_`` (SP.22).
# **kept** are columns whose inclusion is above one half and whose direction is known: ``support_``.
# If the data do not decide, the column is **undecided**: ``undecided_``. **alternatives**, if there
# are any, name columns of which one has the effect, and the data do not say which (SP.9).
#
# With ``verbose=True``, the last lines say how this was computed. **averaged, by weight** are two
# hypotheses: there are small effects in addition, or there are none. Each is averaged over its
# hyper-parameters (SP.21). With more than 20 columns, the summary has **starts, by weight** instead
# (SP.8). **dense fraction** is the variance that the small effects explain, divided by the sum of
# this variance and the noise.
default = BayesianLogisticRegression().fit(X, y)
print(default.summary(verbose=True))

# %%
# **odds ratio**: the factor by which the odds of the second class change per unit of the column.
print(default.summary(odds=True))

# %%
# Notes and warnings
# ------------------
# Notes say what was decided for you. The default prior has no hyper-priors. If you give some, you
# get a prior that has them:
automatic = BayesianLogisticRegression(lambda_1=1, lambda_2=1).fit(X, y)
print("\n".join(automatic.notes_) or "(none)")

# %%
# Warnings say what you should know before you trust the result, and what you can do. They are
# `ardvark.ArdvarkWarning`. Here are sixteen rows and seven columns without a prior: the columns
# separate the classes, and nothing keeps the coefficients from growing:
few = pd.concat([train[y == "Yes"].head(8), train[y == "No"].head(8)])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    BayesianLogisticRegression("none").fit(few.drop(columns="type"), few["type"])
messages = [str(warning.message) for warning in caught]
print("\n".join(messages))
