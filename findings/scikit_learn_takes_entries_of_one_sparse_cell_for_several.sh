#!/usr/bin/env bash
# scikit-learn 1.9.1: of a CSR or CSC matrix that holds several entries of one cell (scipy adds them; a list of events, one entry each, is such a matrix,
# and tocsc() keeps them), StandardScaler, normalize, f_regression and Lasso square each entry by itself, without a word; Lasso only warns that it does
# not converge. LinearRegression is right, and so are all after sum_duplicates() or from COO.
# Expected: the numbers of the dense matrix. Seen (200 trials, 3 neurons): scales .46, .49, .44 for .82, .67, .81; F 2365, .01, -7227 for 82.7, .00, 86.2;
# Lasso 0, 0, 0 for .93, 0, -.96.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import warnings

import numpy
import sklearn
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_regression
from sklearn.linear_model import Lasso, LinearRegression
from sklearn.preprocessing import StandardScaler, normalize

warnings.simplefilter("error")
warnings.simplefilter("ignore", ConvergenceWarning)
random = numpy.random.default_rng(0)
counts = random.poisson(0.6, size=(200, 3))
cells = numpy.argwhere(counts)
trials, neurons = numpy.repeat(cells, counts[counts > 0], axis=0).T
ends = numpy.searchsorted(trials, numpy.arange(201))
events = sparse.csr_array((numpy.ones(trials.size), neurons.astype(numpy.int32), ends.astype(numpy.int32)), shape=(200, 3))
dense = counts.astype(float)
y = dense @ [1.0, 0.0, -1.0] + random.normal(size=200)
assert (events.toarray() == dense).all()


def numbers(X):
    X = X.copy()
    return {
        "least squares": LinearRegression().fit(X, y).coef_,
        "lasso": Lasso(alpha=0.05).fit(X, y).coef_,
        "scale": StandardScaler(with_mean=False).fit(X).scale_,
        "norms": normalize(X).sum(axis=0),
        "F": f_regression(X, y)[0],
    }


summed = events.copy()
summed.sum_duplicates()
right = numbers(dense)
seen = {name: numbers(X) for name, X in {"csr": events, "csc": events.tocsc(), "coo": events.tocoo(), "summed": summed}.items()}
same = {name: [key for key in right if numpy.allclose(found[key], right[key], atol=1e-4)] for name, found in seen.items()}
print(sklearn.__version__, {key: (seen["csr"][key], right[key]) for key in right}, same)
expected = {"csr": ["least squares"], "csc": ["least squares"], "coo": list(right), "summed": list(right)}
wrong = not seen["csr"]["lasso"].any() and (seen["csr"]["scale"] < 0.8 * right["scale"]).all() and seen["csr"]["F"].min() < 0
raise SystemExit(0 if same == expected and wrong else f"changed: expected {expected}")
PYTHON
