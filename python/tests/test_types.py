"""Types: the package passes mypy, and a program that uses it is told of its mistakes, and of no others."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
import numpy as np
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, RelevanceVectorRegressor
from ardvark import _core
from ardvark.integrations.pysindy import ArdvarkOptimizer
from ardvark.plot import CoefficientDisplay

X, y = np.zeros((10, 2)), np.zeros(10)
model = BayesianLinearRegression(prior={"size": ["x1", "x2"]}, max_iter=20).fit(X, y)
reveal_type(model)                                          # BayesianLinearRegression
reveal_type(model.predict(X))                               # ndarray
reveal_type(model.predict(X, return_std=True))              # tuple
reveal_type(BayesianLogisticRegression.load("m.ardvark"))   # BayesianLogisticRegression
reveal_type(model.posterior_.sample(5).noise_precision)     # ndarray | None
reveal_type(CoefficientDisplay.from_estimator(model))       # CoefficientDisplay
reveal_type(_core.fit(X, y, model="linear").number("bound"))  # float
reveal_type(ArdvarkOptimizer("sparse").fit(X, X))           # ArdvarkOptimizer
RelevanceVectorRegressor(width=[1.0, 2.0], centres=20).fit(X, y, sample_weight=y)
BayesianLinearRegression(prior=3)                           # error: arg-type
BayesianLinearRegression("ard", "joint")                    # error: call-arg
BayesianLogisticRegression().fit(X, target=3)               # error: arg-type
ArdvarkOptimizer("slab", 0.5)                               # error: call-arg
RelevanceVectorRegressor(widths=2.0)                        # error: call-arg
"""


# What strict mode has, and the package need not have (pyproject.toml).
STRICT = """
[[tool.mypy.overrides]]
module = "program"
warn_return_any = true
disallow_subclassing_any = true
"""


def test_the_package_and_a_program(tmp_path):
    """Both at once: each would read the package and numpy again."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + STRICT)
    words = ["--cache-dir", ".", "--config-file", "pyproject.toml", ROOT / "python/ardvark", "program.py"]
    checked = subprocess.run([sys.executable, "-m", "mypy", *words], capture_output=True, text=True, cwd=tmp_path)
    lines = [line for line in checked.stdout.splitlines() if ": note: " in line or ": error:" in line]
    of_program = [line for line in lines if line.startswith("program.py:")]
    assert of_program and [line for line in lines if line not in of_program] == [], checked.stdout + checked.stderr
    said = {int(line.split(":")[1]): line for line in of_program if ": note: Revealed" in line or ": error:" in line}
    for number, line in enumerate(PROGRAM.splitlines(), 1):
        expected = line.partition("# ")[2]
        if not expected:
            assert number not in said, said[number]
        elif expected.startswith("error"):
            assert "error" in said[number] and f"[{expected.split()[1]}]" in said[number], said[number]
        else:
            kind = said[number].partition('Revealed type is "')[2].rstrip('"')
            name = kind.partition("[")[0].partition(" ")[0].rpartition(".")[2]
            assert name == expected.split()[0] and ("None" in kind) == ("None" in expected), said[number]
