#!/usr/bin/env bash
# adelie 1.1.52: matrix.standardize of a matrix of genotypes (matrix.snp_unphased) takes 0 as the mean and 1 as the standard deviation of every column,
# without a message; of a dense matrix with the same numbers it takes those of the columns. A lasso path of "standardized" genotypes is that of the raw
# counts: rare variants are penalised more. Seen (300 x 5, frequencies .05 to .5): centers 0 and scales 1 of the genotypes; those of the dense matrix
# equal numpy's. Given to standardize, centers= and scales= are used.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check adelie==1.1.52 "numpy==1.26.4"
"$folder/venv/bin/python" - "$folder/x.snpdat" <<'PYTHON'
import sys

import adelie
import numpy as np

rng = np.random.default_rng(1)
G = np.asfortranarray(rng.binomial(2, [0.05, 0.1, 0.2, 0.3, 0.5], (300, 5)).astype(np.int8))
adelie.io.snp_unphased(sys.argv[1]).write(G)
file = adelie.io.snp_unphased(sys.argv[1])
file.read()
genotypes = adelie.matrix.standardize(adelie.matrix.snp_unphased(file, dtype=np.float64))
numbers = adelie.matrix.standardize(adelie.matrix.dense(np.asfortranarray(G.astype(float)), method="naive"))
seen = {
    "centers of genotypes": genotypes._centers.tolist(),
    "scales of genotypes": genotypes._scales.tolist(),
    "dense as numpy": bool(np.allclose(numbers._centers, G.mean(0)) and np.allclose(numbers._scales, G.std(0))),
}
print(adelie.__version__, np.__version__, seen)
expected = {"centers of genotypes": [0.0] * 5, "scales of genotypes": [1.0] * 5, "dense as numpy": True}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
