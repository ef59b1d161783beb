"""The package itself: its names, and what it needs scikit-learn for."""

import json
import subprocess
import sys

import ardvark
import pytest

WITHOUT = """
import json, sys
sys.modules["sklearn"] = None
import ardvark
from ardvark import _core
said = {}
for name in ("BayesianLinearRegression", "RelevanceSelector"):
    try:
        getattr(ardvark, name)
    except ImportError as error:
        said[name] = str(error)
said["version"] = ardvark.__version__
said["modules"] = sorted(m for m in ("scipy", "pandas", "matplotlib") if m in sys.modules)
print(json.dumps(said))
"""


def test_the_package_works_without_scikit_learn():
    said = json.loads(
        subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True).stdout
    )
    assert said["modules"] == [] and said["version"] == ardvark.__version__
    for estimator in ("BayesianLinearRegression", "RelevanceSelector"):
        assert (
            said[estimator]
            == f"ardvark.{estimator} needs scikit-learn 1.6 or later: pip install ardvark[sklearn]"
        )


def test_the_module_knows_its_names():
    assert set(ardvark.__all__) <= set(dir(ardvark))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        ardvark.__getattr__("Nothing")
