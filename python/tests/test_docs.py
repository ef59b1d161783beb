"""The examples in the docstrings run, and every public method says what it takes and returns."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import ardvark
import pytest

MODULES = ["_core", "_posterior", "_linear", "_relevance", "_selection", "_sequential", "plot"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    for package in {"_core": ["numpy"], "plot": ["sklearn", "matplotlib"]}.get(name, ["sklearn"]):
        module = pytest.importorskip(package)
        if package == "matplotlib":
            module.use("Agg")
    found = doctest.testmod(importlib.import_module(f"ardvark.{name}"))
    assert found.attempted > 0 and found.failed == 0


def test_the_readme_runs():
    for package in ("sklearn", "matplotlib"):
        module = pytest.importorskip(package)
    module.use("Agg")
    text = (Path(__file__).parents[1] / "README.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})


def documented():
    from ardvark import plot

    for cls in [getattr(ardvark, name) for name in ardvark._estimators] + [
        getattr(plot, n) for n in plot.__all__
    ]:
        yield cls.__name__, cls
        for name, member in inspect.getmembers(cls, inspect.isfunction):
            if not name.startswith("_") and member.__module__.startswith("ardvark"):
                yield f"{cls.__name__}.{name}", member


def test_every_parameter_is_described():
    pytest.importorskip("sklearn")
    for name, thing in documented():
        text = inspect.getdoc(thing) or ""
        for parameter in inspect.signature(thing).parameters:
            if parameter not in ("self", "cls"):
                head = [line.split(":")[0] for line in text.splitlines() if " : " in line]
                assert any(parameter in line.replace(",", " ").split() for line in head), (name, parameter)
        if inspect.isclass(thing):
            assert "Attributes\n----------" in text and ">>> " in text, name
        else:
            assert "Returns\n-------" in text or name.endswith(".save"), name


def test_every_attribute_is_described():
    np, sklearn = pytest.importorskip("numpy"), pytest.importorskip("sklearn")
    assert sklearn
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    for name in ardvark._estimators:
        estimator = getattr(ardvark, name)()
        fit = estimator.fit(X, y if sklearn.base.is_regressor(estimator) else (y > 0).astype(int))
        text = inspect.getdoc(type(estimator))
        for attribute in vars(fit):
            if attribute.endswith("_") and not attribute.startswith("_"):
                assert attribute in text, (name, attribute)
