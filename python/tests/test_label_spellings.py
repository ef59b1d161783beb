"""Labels that are spellings of one decimal number are one class, in memory, by path and by parts, as in the program."""

import numpy as np
import pandas as pd
import pytest

from ardvark import (
    BayesianLogisticRegression, KernelClassifier, RelevanceVectorClassifier, SequentialLogisticRegression, SparseLogisticRegression,
)
from ardvark import _pieces
from ardvark._given import code_of

ROWS = 60
rng = np.random.default_rng(3)
X = rng.normal(size=(ROWS, 2))
IS_B = X[:, 0] + 0.5 * rng.normal(size=ROWS) > 0
TEXTS = np.where(IS_B, "b", np.where(np.arange(ROWS) % 2 == 0, "1", "1.0"))
PLAIN = np.where(IS_B, "b", "1")


@pytest.mark.parametrize("kind", [BayesianLogisticRegression, SparseLogisticRegression, RelevanceVectorClassifier, KernelClassifier, SequentialLogisticRegression])
def test_a_label_has_one_spelling(kind):
    model, plain = kind().fit(X, TEXTS), kind().fit(X, PLAIN)
    assert model.classes_.tolist() == ["1", "b"]
    assert (model.predict(X) == plain.predict(X)).all()
    assert model.score(X, TEXTS) == plain.score(X, PLAIN)
    assert model.score(X, np.where(IS_B, "b", "1.00")) == plain.score(X, PLAIN)


@pytest.mark.parametrize("as_labels", [list, pd.Series, lambda y: pd.Series(y, dtype="category"), lambda y: np.array(y, dtype=object)])
def test_every_array_of_labels(as_labels):
    assert BayesianLogisticRegression(prior="shared").fit(X, as_labels(TEXTS)).classes_.tolist() == ["1", "b"]


def test_a_label_with_one_spelling_keeps_it():
    model = BayesianLogisticRegression(prior="shared").fit(X, np.where(IS_B, "2.0", "007"))
    assert model.classes_.tolist() == ["007", "2.0"]
    assert model.score(X, np.where(IS_B, "2", "007")) == model.score(X, np.where(IS_B, "2.0", "007"))
    density = model.log_density(X, np.where(IS_B, "2", "007"))
    assert np.array_equal(density, model.log_density(X, np.where(IS_B, "2.0", "007")))


@pytest.mark.parametrize("in_memory", [True, False])
def test_by_path(tmp_path, monkeypatch, in_memory):
    monkeypatch.setattr(_pieces, "SMALL_BYTES", (64 << 20) * in_memory)
    for part, (start, own) in enumerate([(0, "1"), (20, "1.0"), (40, "1")]):
        rows = slice(start, start + 20)
        table = pd.DataFrame({"a": X[rows, 0], "c": X[rows, 1], "y": np.where(IS_B[rows], "b", own)})
        table.to_parquet(tmp_path / f"part-{part}.parquet")
    model = BayesianLogisticRegression(prior="shared").fit(str(tmp_path), "y")
    assert model.classes_.tolist() == ["1", "b"]
    plain = BayesianLogisticRegression(prior="shared").fit(X, PLAIN)
    assert np.allclose(model.coef_, plain.coef_, rtol=0, atol=1e-6)


def test_parts_of_a_sequential_model():
    model = SequentialLogisticRegression()
    model.partial_fit(X[:30], TEXTS[:30], classes=["1", "b"]).partial_fit(X[30:], TEXTS[30:])
    plain = SequentialLogisticRegression().partial_fit(X[:30], PLAIN[:30], classes=["1", "b"]).partial_fit(X[30:], PLAIN[30:])
    assert (model.coef_ == plain.coef_).all()


def test_the_spelling_is_that_of_the_library():
    same = {
        "1": "1 1.0 1. +1 1e0 1.000000e+00", "-3": "-3.000", "0": "0.0 -0.0 -0 0e+00", "1.5": "1.50 1.5", "-0.1": "-0.1000", "0.1": "0.10 .1",
        "10": "10.00", "12345678901234567890123": "12345678901234567890123.0", "9007199254740993": "9007199254740993e0", "100000": "1e+05 1e5",
        "1500": "1.5E3", "-0.0025": "-2.5e-03", "1e+300": "1E+300 100e+298", "1.2e-300": "1.20e-300",
    }
    for code, texts in same.items():
        assert [code_of(text) for text in texts.split()] == [code] * len(texts.split())
    others = "007 007.0 00.0 +007 007e1 1.5.0 1E5 12E4 . e5 1e 1e+ - 1.0a v1.0 1,0 +-1 0x10 nan inf ١".split() + ["", " 1.0", "1.50 kg", "1\n"]
    assert [code_of(text) for text in others] == others
