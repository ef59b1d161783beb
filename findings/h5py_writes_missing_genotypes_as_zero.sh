#!/usr/bin/env bash
# h5py 3.16.0 (HDF5 2.0.0): NaN is written to a dataset of int8 as 0, without a word, also by create_dataset(data=..., dtype="i1"), and so it is read by
# astype("i1"): a missing genotype becomes two copies of the other allele, a lost spike count a silent cell. numpy and zarr warn of such a cast.
# Expected: an error or a warning. Seen: 0, 1, 2, NaN -> 0, 1, 2, 0, no warning; a fill value of -9 does not help.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check h5py==3.16.0 numpy==2.4.6
"$folder/venv/bin/python" -W error - "$folder/genotypes.h5" <<'PYTHON'
import sys

import h5py
import numpy

genotypes = numpy.array([0, 1, 2, numpy.nan], numpy.float32)
with h5py.File(sys.argv[1], "w") as file:
    file.create_dataset("at once", data=genotypes, dtype="i1")
    file.create_dataset("in place", (4,), "i1", fillvalue=-9)[:] = genotypes
    file.create_dataset("floats", data=genotypes)
with h5py.File(sys.argv[1]) as file:
    seen = {name: file[name][:].tolist() for name in ("at once", "in place")}
    seen["read as int8"] = file["floats"].astype("i1")[:].tolist()
try:
    seen["numpy"] = genotypes.astype("i1").tolist()
except RuntimeWarning as warning:
    seen["numpy"] = str(warning)
print(h5py.__version__, h5py.version.hdf5_version, seen)
zero = [0, 1, 2, 0]
expected = {"at once": zero, "in place": zero, "read as int8": zero, "numpy": "invalid value encountered in cast"}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
