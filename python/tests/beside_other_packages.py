"""What the wheel must do beside scikit-learn, pandas, polars and pyarrow: run by scripts/checks/65-package, not by pytest."""

import sys

import ardvark
import numpy as np
import pandas
import polars
import pyarrow
import sklearn
from ardvark import BayesianLinearRegression, BayesianLogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 10))
y = 2 * X[:, 0] - X[:, 3] + 0.3 * rng.normal(size=200)
columns = {f"c{j}": X[:, j] for j in range(10)}
fit = BayesianLinearRegression().fit(X, y)
assert abs(fit.coef_[0] - 2) < 0.1 and abs(fit.coef_[1]) < 0.1

for table in (pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)):
    model = BayesianLinearRegression().fit(table, y)
    np.testing.assert_allclose(model.coef_, fit.coef_, rtol=1e-12)
    mean, std = model.predict(table, return_std=True)
    np.testing.assert_allclose(mean, fit.predict(X), rtol=1e-12)
    assert np.all(std > 0.2)

# Texts, in a column and as classes, of each kind of table.
site = np.array(["north", "south", "west"])[rng.integers(3, size=200)]
labels = np.where(X[:, 0] + 2.0 * (site == "south") + 0.3 * rng.normal(size=200) > 0.5, "yes", "no")
texts = {"c0": X[:, 0], "site": site.tolist()}
probabilities = [
    BayesianLogisticRegression().fit(table, labels).predict_proba(table)
    for table in (pandas.DataFrame(texts), polars.DataFrame(texts), pyarrow.table(texts))
]
for p in probabilities:
    np.testing.assert_allclose(p, probabilities[0], rtol=1e-12)
assert np.mean((probabilities[0][:, 1] > 0.5) == (labels == "yes")) > 0.9

# An exception of the library is one of Python.
try:
    BayesianLinearRegression(max_iter=0).fit(X, y)
except ValueError as error:
    assert "max_iter" in str(error), error
else:
    raise AssertionError("max_iter=0 is refused")

assert cross_val_score(make_pipeline(StandardScaler(), BayesianLinearRegression()), X, y).min() > 0.9
print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, scikit-learn {sklearn.__version__}, pandas {pandas.__version__},",
      f"polars {polars.__version__}, pyarrow {pyarrow.__version__}: ardvark {ardvark.__version__} works beside them")
