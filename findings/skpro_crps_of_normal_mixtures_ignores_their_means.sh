#!/usr/bin/env bash
# skpro 2.16.0: the CRPS of a NormalMixture takes the spread of the mixture as if all its parts had the same mean (energy() without an argument is
# 2 sqrt(2 / pi) times the root of the mean variance of the parts). A mixture whose parts lie apart gets a worse score than it has, and can lose against
# a forecast that is wrong.
# Expected: the score of the distribution, which an integral of (cdf(t) - (t >= y))^2 gives. Seen (parts -2 +- 1 and 3 +- .5, weights .3 and .7; y 1 and
# 3): CRPS 1.750 and 1.229 for 1.061 and .540, on average 1.490 for .801; one normal distribution with the same mean and variance has .762, so that the
# ratio of the two is 1.96 for 1.05. cdf, mean and var of the mixture are right.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check skpro==2.16.0 numpy==2.4.6 scipy==1.17.1 pandas==3.0.6 scikit-learn==1.9.1
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import numpy as np
import pandas as pd
import skpro
from scipy.integrate import quad
from scipy.stats import norm
from skpro.distributions import Normal, NormalMixture
from skpro.metrics import CRPS

y = pd.DataFrame({"y": [1.0, 3.0]})
share, mean, sd = [0.3, 0.7], [-2.0, 3.0], [1.0, 0.5]
frame = {"index": y.index, "columns": y.columns}
mixture = NormalMixture(pi=np.tile(share, (2, 1)), mu=np.tile(np.reshape(mean, (1, 2, 1)), (2, 1, 1)), sigma=np.tile(np.reshape(sd, (1, 2, 1)), (2, 1, 1)), **frame)
assert np.allclose(mixture.mean(), 1.5) and np.allclose(mixture.var(), 5.725)
normal = Normal(mu=np.full((2, 1), 1.5), sigma=np.sqrt(5.725), **frame)


def cdf(t):
    return np.dot(share, norm.cdf(t, mean, sd))


assert np.allclose(np.ravel(mixture.cdf(y)), [cdf(1.0), cdf(3.0)])
of_it = np.ravel(CRPS(multivariate=False).evaluate_by_index(y, mixture)).round(3).tolist()
right = [round(quad(lambda t: (cdf(t) - (t >= v)) ** 2, -15, 15, points=[-2, v, 3], limit=500)[0], 3) for v in (1.0, 3.0)]
seen = {"CRPS": of_it, "integral": right, "of a normal": round(float(CRPS()(y, normal)), 3)}
print(skpro.__version__, np.__version__, pd.__version__, seen)
expected = {"CRPS": [1.75, 1.229], "integral": [1.061, 0.54], "of a normal": 0.762}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
