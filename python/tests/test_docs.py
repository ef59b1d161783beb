"""The examples in the docstrings run, and every public method says what it takes and returns."""

import doctest
import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import ardvark
import matplotlib
import pytest
from ardvark import _core, _posterior, plot
from numpydoc.validate import validate

ROOT = Path(__file__).parents[2]
MODULES = ["_abi", "_progress", "_results", "_core", "_fitted", "_predictions", "_posterior", "_score", "_linear", "_directions", "_many_targets", "_counts", "_logistic", "_kernel", "_slr", "_sequential"]
MODULES += ["_relevance", "_selection", "_compare", "_onnx", "_statistics", "dask", "integrations.pysindy", "integrations.trainstation", "integrations.fitsnap"]
MODULES += [
    f"plot.{name}"
    for name in ("_shared", "_bound", "_calibration", "_coefficients", "_counts", "_decision", "_lambda_path", "_predictive", "_relevance", "_targets")
]

# Of numpydoc's checks all but: an extended summary (ES01), "See Also" (SA01), imperatives (SS05), and a
# return value without its name (RT02). Of the binding `_core` also the sections for each parameter and return value (PR01, RT01).
LEFT_OUT = {"ES01", "SA01", "SS05", "RT02"}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    matplotlib.use("Agg")
    if name.startswith("integrations."):
        host = name.partition(".")[2]
        pytest.importorskip(host, reason=f"{host} is not installed (pip install {host}): the examples of its optimizer are not run")
    found = doctest.testmod(importlib.import_module(f"ardvark.{name}"))
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("file, number", [("README.md", 1), ("python/README.md", 2)])
def test_the_readme_runs(file, number, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(), re.S)
    assert len(examples) == number
    for example in examples:
        exec(compile(example, file, "exec"), {})


def public():
    for name in ardvark._estimators:
        yield f"ardvark.{name}", getattr(ardvark, name)
    yield "ardvark.to_onnx", ardvark.to_onnx
    yield "ardvark.LinearStatistics", ardvark.LinearStatistics
    yield "ardvark.dask.statistics_of", importlib.import_module("ardvark.dask").statistics_of
    for host in ("fitsnap", "pysindy", "trainstation"):  # the first imports nothing of its host
        if host == "fitsnap" or importlib.util.find_spec(host) is not None:
            module = importlib.import_module(f"ardvark.integrations.{host}")
            yield from ((f"ardvark.integrations.{host}.{name}", getattr(module, name)) for name in module.__all__)
    for name in plot.__all__:
        yield f"ardvark.plot.{name}", getattr(plot, name)
    for name in ("Posterior", "Draws"):
        yield f"ardvark._posterior.{name}", getattr(_posterior, name)
    for name in _core.__all__:
        yield f"ardvark._core.{name}", getattr(_core, name)


def test_docstrings_are_those_of_numpydoc():
    mistakes = []
    for name, thing in public():
        members = inspect.getmembers(thing, lambda m: inspect.isfunction(m) or inspect.ismethod(m)) if inspect.isclass(thing) else []
        ours = [f"{name}.{n}" for n, m in members if n[0] != "_" and (m.__module__ or "").startswith("ardvark")]
        left_out = LEFT_OUT | ({"PR01", "RT01"} if name.startswith("ardvark._") else set())
        for full in [name, *ours]:
            mistakes += [(full, *error) for error in validate(full)["errors"] if error[0] not in left_out]
    assert mistakes == []


def members():
    """What is public, with its methods and properties: its name, where it is written, its docstring."""
    for name, thing in public():
        yield name, thing.__module__, thing.__doc__
        for member, value in inspect.getmembers(thing) if inspect.isclass(thing) else []:
            value = value.fget if isinstance(value, property) else value
            is_ours = callable(value) and (getattr(value, "__module__", None) or "").startswith("ardvark")
            if member[0] != "_" and is_ours:
                yield f"{name}.{member}", value.__module__, value.__doc__


def test_everything_public_has_an_example_and_no_entry_is_left_to_fill_in():
    run = {f"ardvark.{module}" for module in MODULES}
    lacking = [name for name, module, text in members() if ">>> " not in (text or "") or module not in run]
    assert lacking == []
    assert len({name for name, _, _ in members()}) > 100
    for name, _, text in members():
        assert not re.search(r"^ *\{[\w., ]+\}$", text, re.M), name


def test_no_entry_is_written_twice():
    """What two docstrings share stands in _docs.py."""
    seen = {}
    for path in (ROOT / "python/ardvark").glob("_*.py"):
        for entry in re.findall(r"^ +(\w+(?:, \w+)* : [^\n]+\n(?: {8,}\S[^\n]*\n)+)", path.read_text(), re.M):
            entry = inspect.cleandoc(entry)
            assert entry not in seen, (path.name, seen[entry], entry)
            seen[entry] = path.name


def documented():
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
                assert any(parameter in line.replace(",", " ").replace("*", " ").split() for line in head), (name, parameter)
        if inspect.isclass(thing):
            assert "Attributes\n----------" in text and ">>> " in text, name
        else:
            assert "Returns\n-------" in text or name.endswith((".save", ".report")), name


def test_every_attribute_is_described():
    np, sklearn = pytest.importorskip("numpy"), pytest.importorskip("sklearn")
    assert sklearn
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    for name in ardvark._estimators:
        estimator = getattr(ardvark, name)()
        takes_numbers = sklearn.base.is_regressor(estimator) and name != "BayesianCountRegression"
        fit = estimator.fit(X, y if takes_numbers else (y > 0).astype(int))
        text = inspect.getdoc(type(estimator))
        for attribute in vars(fit):
            if attribute.endswith("_") and not attribute.startswith("_"):
                assert attribute in text, (name, attribute)


def test_every_page_is_in_a_table_of_contents():
    docs = ROOT / "docs"
    pages = {str(path.relative_to(docs).with_suffix("")) for path in docs.rglob("*.md")} - {"index"}
    listed = set()
    for path in docs.rglob("*.md"):
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", path.read_text(), re.M | re.S):
            listed |= {str((path.parent / line).relative_to(docs)) for line in block.split("\n") if line and line[0] != ":"}
    assert pages <= listed, pages - listed


def test_the_citation_and_the_changelog_name_this_version():
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    citation, changes = (ROOT / "CITATION.cff").read_text(), (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {version}\n" in citation
    name, date = re.search(r"^## (\S+) \((.+)\)$", changes, re.M).groups()  # the newest
    if date != "unreleased":
        assert (name, f'\ndate-released: "{date}"\n' in citation) == (version, True)


def test_every_label_that_the_code_cites_is_defined():
    pages = "".join(path.read_text() for path in (ROOT / "docs/math").glob("*.md"))
    defined = set(re.findall(r"\*\*\(([A-Z][A-Z0-9]*\.\d+[a-z]?)\)", pages))
    families = "|".join({label.split(".")[0] for label in defined})
    cited = re.compile(rf"\(([A-Z][A-Z0-9]*\.\d+[a-z]?)\)|(?<![\w.])((?:{families})\.\d+[a-z]?)(?!\w)")
    unknown = {}
    for folder in ["include", "src", "cli", "octave", "r", "python/ardvark", "tests"]:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".cpp", ".hpp", ".h", ".c", ".m", ".py", ".R"}:
                labels = {a or b for a, b in cited.findall(path.read_text())}
                unknown |= {label: path.name for label in labels - defined}
    assert len(defined) > 150 and unknown == {}


def test_words_of_options_are_those_of_their_table():
    """A parameter that is an option by its name may be what the library's table says, and has its default."""
    table = _core.catalogue()["option_help"]
    seen = set()
    for name in ardvark._estimators:
        doc = inspect.getdoc(getattr(ardvark, name))
        for option, words, default in re.findall(r"^(\w+) : \{(.*?)\}, default=\"?([\w-]+)", doc, re.M):
            if option not in table or name == "SparseLogisticRegression":  # whose `algorithm` is a preset
                continue
            values = table[option]["values"]
            said = set(re.findall(r'"([\w-]+)"', words))
            # A solver or a default may be left out where it has no meaning; a word that the table lacks may not stand there.
            known = set(re.findall(r"\b(?:[a-z]|\d(?=[a-z]))[\w-]*", values)) - {"default", "or"}
            assert said <= known, (name, option, said - known)
            if option not in ("solver", "missing", "kernel"):  # kernel machines do not impute; each kind has its kernels
                assert said == known, (name, option, known - said)
            if default != "None" and option != "kernel":
                assert f"{default} (default)" in values, (name, option)
            seen.add(option)
    assert seen >= {"kernel", "algorithm", "likelihood", "posterior", "coding", "solver", "update_rule"}
