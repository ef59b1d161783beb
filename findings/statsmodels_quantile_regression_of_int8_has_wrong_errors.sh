#!/usr/bin/env bash
# statsmodels 0.15.0: QuantReg multiplies whole numbers in their own type, so that of an X of int8 (genotypes 0, 1, 2) the sums of squares in X'X wrap
# around from 128 on: the standard errors are wrong or NaN, without an error. OLS, GLM and RLM of the same X are right.
# Expected: the standard errors of the same X as doubles, or an error. Seen (400 rows): .44, .29, .53, .30 for .10, .10, .10, .10; vcov="iid": NaN.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import numpy
import statsmodels
import statsmodels.api as models

random = numpy.random.default_rng(0)
genotypes = random.binomial(2, 0.4, (400, 4)).astype(numpy.int8)
y = genotypes @ [0.5, 0.0, -0.3, 0.0] + random.normal(size=400)


def errors(type):
    X = numpy.column_stack([numpy.ones(400), genotypes]).astype(type)
    return {
        "OLS": models.OLS(y, X).fit().bse[1:],
        "RLM": models.RLM(y, X).fit().bse[1:],
        "quantile": models.QuantReg(y, X).fit(0.5).bse[1:],
        "quantile, iid": models.QuantReg(y, X).fit(0.5, vcov="iid").bse[1:],
    }


seen, right = errors(numpy.int8), errors(float)
print(statsmodels.__version__, {key: (seen[key].round(2), right[key].round(2)) for key in right})
same = [key for key in right if numpy.allclose(seen[key], right[key], rtol=1e-6)]
wrong = (seen["quantile"] > 2 * right["quantile"]).all() and numpy.isnan(seen["quantile, iid"]).all()
raise SystemExit(0 if same == ["OLS", "RLM"] and wrong else f"changed: same {same}")
PYTHON
