"""What a fit of many targets tells while it runs."""

import time

import numpy as np
import pytest
from ardvark import BayesianLinearRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 5))
Y = rng.normal(size=(100, 50))


def test_a_short_fit_calls_its_callback():
    stages = []
    BayesianLinearRegression("shared", callback=lambda progress: stages.append((progress.stage, progress.text))).fit(X, Y)
    assert stages[0] == ("preparing", "preparing")


def test_a_long_fit_calls_its_callback_again_and_again_and_can_be_stopped():
    wide, many = rng.normal(size=(300, 300)), rng.normal(size=(300, 400))
    seconds = []

    def note(progress):
        seconds.append(progress.elapsed_seconds)
        return len(seconds) < 3

    started = time.monotonic()
    with pytest.raises(RuntimeError, match="the callback stopped the fit of many targets before there was a result"):
        BayesianLinearRegression("sparse", callback=note).fit(wide, many)
    assert len(seconds) == 3 and seconds[2] > 0
    assert time.monotonic() - started < 20  # all take a minute


def test_a_fit_that_is_stopped_leaves_the_earlier_one():
    model = BayesianLinearRegression("shared").fit(X, Y)
    before = model.coef_.copy()
    for callback in (lambda progress: False, lambda progress: 1 / 0):
        model.set_params(callback=callback)
        with pytest.raises((RuntimeError, ZeroDivisionError)):
            model.fit(X, -Y)
        np.testing.assert_array_equal(model.coef_, before)
