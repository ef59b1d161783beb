"""Fits the problems of a folder again, which `ardvark_random --export` wrote with what C++ makes of them, and asks for the same numbers, all of them
to the last bit. A program of its own for test_properties.py: the environment names the library, that of the same build. Another build of BLAS rounds
otherwise, and where a fit stops early that shows.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np

from ardvark import BayesianLinearRegression, BayesianLogisticRegression, _core
from ardvark._base import _options_of


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


def nearly(one, other):
    return one.keys() == other.keys() and all(
        np.allclose(one[name], other[name], rtol=1e-12, atol=0) for name in one if isinstance(one[name], list) and name != "classes"
    )


ESTIMATORS = {"linear": BayesianLinearRegression, "logistic": BayesianLogisticRegression}
NOT_OF_ESTIMATORS = {"model", "weights", "class_names", "column_names", "target"}


def estimator_of(options):
    """The estimator that makes this fit, with the arguments of its constructor; None where it has none for some option."""
    cls = ESTIMATORS.get(options.get("model"))
    if cls is None:
        return None
    names = {option: name for name, option in _options_of(cls).items()} | {"prior": "prior", "flat": "flat"}
    if set(options) - set(names) - NOT_OF_ESTIMATORS:
        return None
    return cls(**{names[option]: value for option, value in options.items() if option in names})


def same(found, model, name, X):
    coef, bound, predicted = found
    mean = np.array(results_of(model)["mean"], float)
    mean = mean.T if mean.ndim == 2 and mean.shape != coef.shape else mean
    is_same = np.array_equal(coef.ravel(), mean.ravel(), equal_nan=True) and np.array_equal(bound, model.to_dict()["bound"])
    return is_same and (predicted is None or np.array_equal(predicted, model.predict(X).to_dict()[name]))


def check_estimator(problem, X, target, options, what):
    """Coefficients, bound and predictions of the estimator, for columns and labels as its users give them. Whether it could be asked."""
    estimator, weights = estimator_of(options), options.get("weights")
    classes = options.get("class_names", [])
    if estimator is None or len(X) < 2 or classes != sorted(classes) or (weights is not None and min(weights) == 0):
        return False
    y = np.array(classes)[target.astype(int)] if classes else target
    labels = np.unique(y)
    if options["model"] == "logistic" and (labels.size < max(2, len(classes)) or (not classes and (labels != labels.round()).any())):
        return False  # no labels for scikit-learn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y, sample_weight=None if weights is None else np.array(weights, float))
    # The estimator may turn the table round in memory, which rounds otherwise.
    either = [fit(np.array(X, order=order), target, options) for order in "FC"]
    is_linear, predicted = options["model"] == "linear", None
    if "prediction" in problem:  # a mean without its sd is the sum over the columns as they are, which rounds otherwise
        predicted = estimator.predict(X, return_std=True)[0] if is_linear else estimator.predict_proba(X)
    found, name = (estimator.coef_, estimator.bound_, predicted), "mean" if is_linear else "probability"
    assert any(same(found, model, name, X) for model in either), what
    return True


def without_warnings(prediction):
    """The training rows are not outside their own range."""
    found = prediction.to_dict()
    assert found.pop("warnings", []) == []
    return found


def main(folder):
    problems = read(folder)
    num_fitted = num_estimators = 0
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
            prediction = without_warnings(model.predict(X))
            # Of one row NumPy has both orders in memory, and the library takes the other one.
            assert prediction == problem["prediction"] or (len(X) == 1 and nearly(prediction, problem["prediction"])), what
            assert without_warnings(_core.from_bytes(model.to_bytes()).predict(X)) == prediction, what
        num_estimators += check_estimator(problem, X, target, options, what)
    assert num_estimators > len(problems) / 10, f"{num_estimators} of {len(problems)} problems could be given to an estimator"
    assert num_fitted > len(problems) / 2, f"{num_fitted} of {len(problems)} problems could be fitted"
    print(f"{num_fitted} fits, {num_estimators} of them by an estimator")


if __name__ == "__main__":
    main(sys.argv[1])
