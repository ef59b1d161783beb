"""The width that is chosen against widths that are given, each fitted by itself (RVM.5)."""

from pathlib import Path

import numpy as np
import pytest

from ardvark import RelevanceVectorClassifier, RelevanceVectorRegressor

SYNTH = Path(__file__).parents[2] / "examples" / "data" / "synth.tr.csv"


def evidences(make, X, y, widths):
    return {width: make(width=width).fit(X, y).log_evidence_ for width in widths}


def test_classes_of_two_peaks():
    """A search by quick fits ends at a width of 5.7, 2 nats too low: there the best quick fit is."""
    table = np.loadtxt(SYNTH, delimiter=",", skiprows=1)
    X, y = table[:, :2], table[:, 2]
    model = RelevanceVectorClassifier().fit(X, y)
    given = evidences(RelevanceVectorClassifier, X, y, [0.4, 0.5, 0.7, 1.2, 5.75])
    assert given[5.75] < given[0.5] - 2
    assert model.log_evidence_ > max(given.values()) - 0.25


@pytest.mark.parametrize("seed", [1, 2])
def test_curves(seed):
    random = np.random.RandomState(seed)
    X = random.uniform(-10, 10, (60, 1))
    y = np.sinc(X[:, 0] / np.pi) + 0.2 * random.normal(size=60)
    model = RelevanceVectorRegressor().fit(X, y)
    given = evidences(RelevanceVectorRegressor, X, y, np.geomspace(0.1, 4, 9))
    assert model.log_evidence_ > max(given.values()) - 0.25
