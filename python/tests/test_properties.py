"""Random problems: Python gives the numbers of C++.

`build/bin/ardvark_random --export` writes problems of the generator of all tests (tests/support/problem_generator.hpp) with what C++ makes of
them; here they are fitted again, by the same build of the library (answers_of_cpp.py). A failure names the problem's seed: `build/bin/ardvark_random --seed N --show`.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from answers_of_cpp import fit, read, results_of, table

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("ARDVARK_RANDOM", ROOT / "build" / "bin" / "ardvark_random"))
SEED = int(os.environ.get("ARDVARK_RANDOM_SEED", 1))
LIBRARY = PROGRAM.parents[1] / "libardvark.so"
COUNT = int(os.environ.get("ARDVARK_RANDOM_COUNT", 100))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not PROGRAM.exists():
        pytest.skip("the program ardvark_random is not built")
    folder = tmp_path_factory.mktemp("problems")
    subprocess.run([PROGRAM, "--seed", str(SEED), "--count", str(COUNT), "--export", folder], check=True, capture_output=True)
    return folder


def test_every_problem_has_the_answer_of_cpp(folder):
    if not LIBRARY.exists():
        pytest.skip("the library for C is not built")
    program = Path(__file__).with_name("answers_of_cpp.py")
    outcome = subprocess.run(
        [sys.executable, program, folder], env={**os.environ, "ARDVARK_LIBRARY": str(LIBRARY)}, capture_output=True, text=True
    )
    assert outcome.returncode == 0, outcome.stderr[-2000:]


def test_memory_orders_that_numpy_has_do_not_matter(folder):
    for problem in read(folder)[:25]:
        if "refusal" in problem or problem["results"]["status"] != "converged":
            continue
        X, target, options = table(problem)
        wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
        wide[::2, ::3] = X  # neither rows nor columns are neighbours: the call makes a copy, in an order of its own
        a = results_of(fit(wide[::2, ::3], target, options))
        either = [results_of(fit(np.array(X, order=order), target, options)) for order in "CF"]
        assert a in either, f"seed {problem['seed']}: {problem['text']}"
