"""
First fit
=========

You learn to fit a regression and a classifier, to see which columns are relevant and how sure this is, and to predict
with the right uncertainty.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLinearRegression, BayesianLogisticRegression
from ardvark.plot import CalibrationDisplay, CoefficientDisplay
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

# the root of the repository
root = next(f for f in [Path.cwd(), *Path.cwd().parents] if (f / "examples/data").is_dir())

# %%
# A regression
# ------------
# Ten measurements of 442 patients, and how far their diabetes had progressed a year later. The fit
# accepts the table as it is: it adds an intercept, scales the columns inside, and gives results in
# your units. It keeps the column names.
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
model = BayesianLinearRegression(prior="ard").fit(X_train, y_train)
print(model.summary())

# %%
# A coefficient has a posterior distribution: given model and data, it lies in its interval with 95%
# probability. (This is not the error bar of a sampling experiment.) Hollow marks are columns that
# the fit does not keep. Each coefficient is per standard deviation of its column and of the target,
# so that columns of any scale can be compared.
CoefficientDisplay.from_estimator(model, standardize=True)
plt.show()

# %%
# A prediction has the standard deviation of a *new observation*, which includes the noise and the
# uncertainty of the coefficients (LIN.4). This is the share of new patients in their intervals:
mean, std = model.predict(X_test, return_std=True)
low, high = model.predict_interval(X_test, level=0.9).T
inside = np.mean((low <= y_test) & (y_test <= high))
print(
    f"R^2 on new patients {model.score(X_test, y_test):.2f}; {100 * inside:.0f}% of {len(y_test)} inside their 90% intervals"
)

# %%
# Classes
# -------
# Seven measurements of 200 women of Pima heritage, diabetic or not, and 332 others to predict.
# Labels may be numbers or texts. Probabilities are averages over the posterior (PRED.2), so that
# they are closer to one half for a woman who is unlike those in the training data.
train, test = (
    pd.read_csv(root / "examples" / "data" / f"Pima.{part}.csv") for part in ("tr", "te")
)
X_train, y_train = train.drop(columns="type"), train["type"].rename("diabetes")
X_test, y_test = test.drop(columns="type"), test["type"].rename("diabetes")
classifier = BayesianLogisticRegression(prior="shared").fit(X_train, y_train)
accuracy = classifier.score(X_test, y_test)
log_loss = -classifier.log_density(X_test, y_test).mean()
print(
    f"classes {classifier.classes_.tolist()}; on new rows accuracy {accuracy:.3f}, log loss {log_loss:.3f} nats"
)

# %%
# Are the probabilities right? Of the women with a probability of 70%, seven in ten should be
# diabetic.
calibration = CalibrationDisplay.from_estimator(classifier, X_test, y_test, n_bins=6)
plt.show()

# %%
# Where to go on
# --------------
# - :doc:`Which prior <plot_2_which_prior>` explains the word ``ard`` above.
# - :doc:`Reading a summary <plot_3_reading_a_summary>` explains each line of the table.
# - ``model.save("file")`` writes a file that the command line and the other languages read.
