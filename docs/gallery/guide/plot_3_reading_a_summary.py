"""
Reading a summary
=================

You learn what each line of the table says, where the same numbers are as attributes, and what to do about the notes and warnings
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
# Two hundred women of Pima heritage, seven measurements, diabetic or not. With a precision for each
# column; what is different under the default prior stands below.
model = BayesianLogisticRegression("ard").fit(X, y)
print(model.summary())

# %%
# Line by line
# ------------
# **mean, sd, 95% from, to.** The posterior of each coefficient, in change of the log odds of *Yes*
# per unit of the column: a year of age, a kg/m² of body mass. ``coef_``, ``coef_std_``,
# ``coef_interval()``. To see which columns weigh most, multiply by the spread of the column:
in_spreads = pd.Series(
    model.coef_[0] * X.std().to_numpy(), X.columns, name="change of log odds per standard deviation"
)
in_spreads.to_frame().round(2)

# %%
# **relevance.** One minus the share of the prior in the coefficient's precision, 1 - E[alpha] V_jj:
# 1, the data determine it; 0, the prior does. ``relevance_``. **kept** is ``support_``: columns
# whose precision would stay finite without a hyper-prior (OPT.3). A dash is no proof that a column
# does not matter, only that these rows get along without it.
kept = X.columns[model.support_].tolist()
print(kept)

# %%
# **effective parameters** is the sum of the relevances, intercept included: how many numbers the
# data had to pay for. ``effective_parameters_``. Where it comes near the number of rows nothing is
# left to estimate noise from.
print(f"{model.effective_parameters_:.2f} of {X.shape[1] + 1}")

# %%
# **accuracy, log loss, training** flatter, as on training rows they must. On women who were not
# fitted:
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
# A lower bound on the log evidence (BOUND.1). Each sweep of this model raises it, and (BOUND.5) names
# the models of which that is not so; the fit ends when the gain that can still be expected falls
# below 1e-8 nats a row (OPT.1). ``bound_``, ``bound_history_``, ``status_``.
BoundHistoryDisplay.from_estimator(model)
plt.show()

# %%
# Under the default prior
# -----------------------
# In place of the relevance stands the **inclusion**, the probability that a column has an effect of
# its own, beside the small one that every column may have: ``inclusion_``. **direction** is the
# probability that its effect, of its own or small, has the sign of the mean: ``direction_`` (SP.22).
# **kept** are columns whose inclusion is above one half and whose direction is known: ``support_``.
# Where the data do not decide, the column is **undecided**: ``undecided_``. **averaged, by weight**
# are the two hypotheses, that there are small effects beside these and that there are none, each
# averaged over its hyper-parameters (SP.21); of more than 20 columns in its place **starts, by
# weight** (SP.8). **dense fraction** is what the small effects explain, over that and the noise, and
# **alternatives**, where there are any, name columns that could take each other's place (SP.9).
default = BayesianLogisticRegression().fit(X, y)
print(default.summary())

# %%
# Notes and warnings
# ------------------
# Notes say what was decided for you. The default prior has no hyper-priors; who gives some gets a
# prior that has:
automatic = BayesianLogisticRegression(lambda_1=1, lambda_2=1).fit(X, y)
print("\n".join(automatic.notes_) or "(none)")

# %%
# Warnings say what one should know before trusting the result. They are `ardvark.ArdvarkWarning`,
# and name the remedy. Here, sixteen rows and seven columns without a prior; the columns tell the
# classes apart, and nothing keeps the coefficients from growing:
few = pd.concat([train[y == "Yes"].head(8), train[y == "No"].head(8)])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    BayesianLogisticRegression("none").fit(few.drop(columns="type"), few["type"])
messages = [str(warning.message) for warning in caught]
print("\n".join(messages))
