"""Random problems: Python gives the numbers of C++.

`build/bin/ardvark_random --export` writes problems of the generator of all tests (tests/support/problem_generator.hpp) with what C++ makes of
them; here they are fitted again, many in one process. A failure names the problem's seed: `build/bin/ardvark_random --seed N --show`.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ardvark import _core

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("ARDVARK_RANDOM", ROOT / "build" / "bin" / "ardvark_random"))
SEED = int(os.environ.get("ARDVARK_RANDOM_SEED", 1))
COUNT = int(os.environ.get("ARDVARK_RANDOM_COUNT", 100))


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    if not PROGRAM.exists():
        pytest.skip("the program ardvark_random is not built")
    folder = tmp_path_factory.mktemp("problems")
    subprocess.run([PROGRAM, "--seed", str(SEED), "--count", str(COUNT), "--export", folder], check=True, capture_output=True)
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"), key=lambda path: int(path.stem))]


def fitted(problem):
    X = np.array(problem["X"], float).T  # column by column in memory, as C++ had it: sums then have the same bits
    problem["options"].pop("level", None)  # C++ wrote intervals of 95%
    return X, _core.fit(X, np.array(problem["target"], float), warn=False, **problem["options"])


def test_every_problem_has_the_answer_of_cpp(problems):
    num_fitted = 0
    for problem in problems:
        what = f"seed {problem['seed']}: {problem['text']}"
        if "refusal" in problem:
            with pytest.raises(ValueError) as refused:
                fitted(problem)
            assert problem["refusal"] in str(refused.value), what
            continue
        X, model = fitted(problem)
        num_fitted += 1
        results = model.to_dict()
        results.pop("seconds")
        assert results == problem["results"], what
        if "prediction" in problem:
            prediction = model.predict(X).to_dict()
            assert prediction == problem["prediction"], what
            again = _core.from_bytes(model.to_bytes()).predict(X).to_dict()
            assert again == prediction, what
    assert num_fitted > len(problems) / 2


def test_memory_orders_that_numpy_has_do_not_matter(problems):
    for problem in problems[:25]:
        if "refusal" in problem or problem["results"]["status"] != "converged":
            continue
        X, model = fitted(problem)
        wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
        wide[::2, ::3] = X  # neither rows nor columns are neighbours: the call makes a copy, in an order of its own
        target = np.array(problem["target"], float)
        a = _core.fit(wide[::2, ::3], target, warn=False, **problem["options"]).to_dict()
        either = [_core.fit(np.array(X, order=order), target, warn=False, **problem["options"]).to_dict() for order in "CF"]
        for results in (a, *either):
            results.pop("seconds")
        assert a in either, f"seed {problem['seed']}: {problem['text']}"
