"""Fits the problems of a folder again, which `ardvark_random --export` wrote with what C++ makes of them, and asks for the same numbers, all of them
to the last bit. A program of its own for test_properties.py: the environment names the library, that of the same build. Another build of BLAS rounds
otherwise, and where a fit stops early that shows.
"""

import json
import sys
from pathlib import Path

import numpy as np

from ardvark import _core


def read(folder):
    return [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"), key=lambda path: int(path.stem))]


def table(problem):
    """The columns as C++ had them in memory, one after another, the target, and the options of a fit; intervals there are of 95%."""
    options = {name: value for name, value in problem["options"].items() if name != "level"}
    return np.array(problem["X"], float).T, np.array(problem["target"], float), options


def fit(X, target, options):
    return _core.fit(X, target, warn=False, **options)


def results_of(model):
    return {name: value for name, value in model.to_dict().items() if name != "seconds"}


def main(folder):
    problems = read(folder)
    num_fitted = 0
    for problem in problems:
        what = f"seed {problem['seed']}: {problem['text']}"
        X, target, options = table(problem)
        if "refusal" in problem:
            try:
                fit(X, target, options)
            except ValueError as refusal:
                assert problem["refusal"] in str(refusal), what
            else:
                raise AssertionError(f"not refused: {what}")
            continue
        model = fit(X, target, options)
        num_fitted += 1
        results = results_of(model)
        different = {name for name in results.keys() | problem["results"].keys() if results.get(name) != problem["results"].get(name)}
        assert not different, f"{what}: {sorted(different)}"
        if "prediction" in problem:
            prediction = model.predict(X).to_dict()
            assert prediction == problem["prediction"], what
            assert _core.from_bytes(model.to_bytes()).predict(X).to_dict() == prediction, what
    assert num_fitted > len(problems) / 2, f"{num_fitted} of {len(problems)} problems could be fitted"
    print(f"{num_fitted} fits")


if __name__ == "__main__":
    main(sys.argv[1])
