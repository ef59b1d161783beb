"""Files of skops, which asks objects for their state, unless __reduce__ calls their type itself."""

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, LinearStatistics, RelevanceSelector, _core
from estimator_cases import ALL, X, fitted, labels, y

MODELS = [*ALL, RelevanceSelector(BayesianLinearRegression())]


def rows_of(model):
    return model.predict(X) if hasattr(model, "predict") else model.transform(X)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_model_is_read_again(model):
    io = pytest.importorskip("skops.io", reason="skops is not installed (pip install skops): its files are not tried")
    model = fitted(model) if hasattr(model, "predict") else model.fit(X, y)
    data = io.dumps(model)
    unknown = io.get_untrusted_types(data=data)
    assert all(name.startswith("ardvark.") for name in unknown)
    again = io.loads(data, trusted=unknown)
    assert (rows_of(again) == rows_of(model)).all() and repr(again) == repr(model)


def test_a_table_with_texts_and_parts():
    io = pytest.importorskip("skops.io", reason="skops is not installed (pip install skops): its files are not tried")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abcd")).assign(g=np.resize(["u", "v", "w"], len(X)))
    model = BayesianLinearRegression().partial_fit(table, y)
    again = io.loads(data := io.dumps(model), trusted=io.get_untrusted_types(data=data))
    assert np.allclose(again.predict(table), model.predict(table), rtol=1e-12)
    assert np.allclose(again.partial_fit(table, y).coef_, model.partial_fit(table, y).coef_, rtol=1e-9)


def test_the_state_is_all_there_is():
    """As skops reads it: an object that no constructor made, and its state."""
    filter = _core.Sequential(4)
    filter.update(X, np.where(labels == "yes", 1, -1))
    model = fitted(BayesianLinearRegression())._model
    statistics = LinearStatistics().update(X, y)
    for one in (filter, model, statistics):
        again = type(one).__new__(type(one))
        again.__setstate__(one.__getstate__())
        assert again.to_bytes() == one.to_bytes()
