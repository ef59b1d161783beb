"""What the wheel must do where there is numpy and nothing else: run by scripts/wheel, not by pytest."""

import importlib.metadata
import os
import pickle
import sys
import tempfile
from pathlib import Path

import numpy as np

installed = {d.metadata["Name"].lower() for d in importlib.metadata.distributions()}
assert installed <= {"ardvark", "numpy", "pip", "pkg_resources", "setuptools"}, installed

# The library refuses to fit if this is more than it finds in the processor.
flags = set(Path("/proc/cpuinfo").read_text().split())
if {"avx2", "fma"} <= flags:
    os.environ["ARDVARK_SIMD"] = "avx512" if {"avx512f", "avx512dq"} <= flags else "avx2"

import ardvark  # noqa: E402
from ardvark import _core  # noqa: E402

here = Path(ardvark.__file__).parent
assert here.is_relative_to(sys.prefix)
assert ardvark.__version__ == importlib.metadata.version("ardvark")
assert (here / "py.typed").is_file()

# Without a prior the posterior is the classical one: least squares, and Student's t with n - p degrees of freedom.
rng = np.random.default_rng(0)
n, X = 60, rng.normal(size=(60, 3))
y = X @ [1.0, -2, 0] + 3 + 0.5 * rng.normal(size=n)
model = _core.fit(X, y, model="linear", prior="none")
A = np.column_stack([X, np.ones(n)])
w, rss, _, _ = np.linalg.lstsq(A, y, rcond=None)
assert model.text("status") == "converged"
np.testing.assert_allclose(np.append(model.array("mean"), model.number("intercept.mean")), w, rtol=1e-9)

new = rng.normal(size=(5, 3))
prediction = model.predict(new)
B = np.column_stack([new, np.ones(5)])
np.testing.assert_allclose(prediction.array("mean"), B @ w, rtol=1e-9)

# At the maximum of the likelihood the gradient X'(y - p) is zero, and the covariance is the inverse of X' p(1-p) X.
labels = (X @ [2.0, -1, 0] + rng.logistic(size=n) > 0).astype(float)
logistic = _core.fit(X, labels, model="logistic", prior="none", likelihood="laplace", tolerance=1e-14)
weights = np.append(logistic.array("mean"), logistic.number("intercept.mean"))
p = 1 / (1 + np.exp(-(A @ weights)))
np.testing.assert_allclose(A.T @ (labels - p), 0, atol=1e-5)
np.testing.assert_allclose(logistic.array("covariance"), np.linalg.inv(A.T * (p * (1 - p)) @ A), rtol=1e-4)

with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "model.ardvark")
    loaded = _core.load(Path(folder) / "model.ardvark")
assert np.array_equal(loaded.predict(new).array("lower"), prediction.array("lower"))
assert np.array_equal(pickle.loads(pickle.dumps(model)).array("mean"), model.array("mean"))

# All of the linear algebra is that of the wheel.
loaded_files = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
ours = {name for name in loaded_files if "/ardvark" in name}
assert {Path(name).name.split(".so")[0].split("-")[0] for name in ours} >= {"libardvark", "libscipy_openblas"}, ours
assert all(Path(name).is_relative_to(sys.prefix) for name in ours)

# What needs more says so.
for name in ("BayesianLinearRegression", "RelevanceSelector", "plot"):
    try:
        getattr(ardvark, name)
    except ImportError as error:
        assert str(error) == f"ardvark.{name} needs scikit-learn 1.6 or later: pip install ardvark[sklearn]"
    else:
        raise AssertionError(f"{name} without scikit-learn")
assert not hasattr(ardvark, "BayesianRegression")
print("works with numpy alone")
