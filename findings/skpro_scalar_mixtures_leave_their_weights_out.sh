#!/usr/bin/env bash
# skpro 2.16.0: a Mixture of scalar distributions leaves its weights out of its mean, variance and cdf, and draws with them; of distributions in frames of
# one cell all of these have the weights. The variance of a Hurdle distribution (a share of zeros, and a positive distribution) takes the mean of the
# positive part for its square. All without a message.
# Expected: moments of the one distribution that the weights, or the probabilities, give. Seen: N(-2, 1) and N(3, .5) with weights .3 and .7: mean .5 for
# 1.5, variance 6.875 for 5.725, cdf at 1 .499 for .300; Hurdle(p=.3, Poisson(2)): variance .958 for 1.600 (its mean is right, .69).
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
from skpro.distributions import Hurdle, Mixture, Normal, Poisson

np.random.seed(0)
hurdle = Hurdle(p=0.3, distribution=Poisson(2.0))
counts = np.arange(60)
shares = np.array([float(hurdle.pmf(int(k))) for k in counts])
assert np.isclose(shares.sum(), 1)
of_shares = shares @ counts, shares @ counts**2 - (shares @ counts) ** 2
weights = [0.3, 0.7]
mixture = Mixture([Normal(-2.0, 1.0), Normal(3.0, 0.5)], weights=weights)
cell = {"index": [0], "columns": ["y"]}
in_frames = Mixture([Normal(np.array([[mean]]), sd, **cell) for mean, sd in ((-2.0, 1.0), (3.0, 0.5))], weights=weights)
seen = {
    "hurdle": [round(float(hurdle.mean()), 2), round(float(hurdle.var()), 3)],
    "of its probabilities": [round(float(of_shares[0]), 2), round(float(of_shares[1]), 3)],
    "mixture": [float(mixture.mean()), float(mixture.var())],
    "its cdf at 1": round(float(mixture.cdf(1.0)), 3),
    "draws": bool(abs(np.mean([float(mixture.sample()) for _ in range(4000)]) - 1.5) < 0.2),
    "in frames": [round(float(x.iloc[0, 0]), 3) for x in (in_frames.mean(), in_frames.var(), in_frames.cdf(pd.DataFrame({"y": [1.0]})))],
}
print(skpro.__version__, np.__version__, pd.__version__, seen)
expected = {"hurdle": [0.69, 0.958], "of its probabilities": [0.69, 1.6], "mixture": [0.5, 6.875], "its cdf at 1": 0.499, "draws": True, "in frames": [1.5, 5.725, 0.3]}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
