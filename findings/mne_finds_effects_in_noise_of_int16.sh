#!/usr/bin/env bash
# mne 1.13.2: permutation_t_test, f_oneway and with it permutation_cluster_test square whole numbers in their own type, so that of int16 data (raw counts
# of an amplifier) the squares of numbers beyond 181 wrap around, without a word: p values are others, and F is any number, also a negative one.
# ttest_1samp_no_p is right.
# Expected: the numbers of the same data as doubles, or an error. Seen: p .038 for .106, and .092 for .018; F -12.9 for .3, and 396.5 for 4.0.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check mne==1.13.2 numpy==2.4.6 scipy==1.16.3
"$folder/venv/bin/python" -W error - <<'PYTHON'
import mne
import numpy
from mne.stats import f_oneway, permutation_cluster_test, permutation_t_test, ttest_1samp_no_p

random = numpy.random.default_rng(4)
counts = (random.normal(size=(40, 5)) * 80 + 20).astype(numpy.int16)


def numbers(X):
    return {
        "t": ttest_1samp_no_p(X),
        "permuted p": permutation_t_test(X, n_permutations=2000, rng=0, verbose="error")[1],
        "F": f_oneway(X[:20] * 2, X[20:] * 2),
        "F of clusters": permutation_cluster_test([X[:20] * 2, X[20:] * 2], threshold=4.0, n_permutations=10, rng=0, verbose="error")[0],
    }


seen, right = numbers(counts), numbers(counts.astype(float))
print(mne.__version__, {key: (seen[key].round(3), right[key].round(3)) for key in right})
same = [key for key in right if numpy.allclose(seen[key], right[key])]
wrong = seen["permuted p"][3] < 0.05 < right["permuted p"][3] and seen["permuted p"][2] > 0.05 > right["permuted p"][2]
wrong = wrong and (seen["F of clusters"] == seen["F"]).all() and seen["F"].min() < 0 and seen["F"].max() > 2 * right["F"].max()
raise SystemExit(0 if same == ["t"] and wrong else f"changed: same {same}")
PYTHON
