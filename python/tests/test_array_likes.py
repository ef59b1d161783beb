"""Whatever the documentation calls array-like, or a list or sequence, may be a list, a tuple, an array or a Series."""

import functools
import inspect
import pickle
import re
import warnings

import ardvark
import numpy as np
import pytest
from ardvark import LinearStatistics
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

pandas = pytest.importorskip("pandas")

rng = np.random.default_rng(5)
NAMES = ["a", "b", "c", "d"]
X = rng.normal(size=(60, 4))
y = X @ [1.0, -2, 0, 0.5] + 0.3 * rng.normal(size=60)
TABLE = pandas.DataFrame(X, columns=NAMES)
TEXTS = TABLE.assign(d=rng.choice(["u", "v", "w"], 60))

ARRAY_LIKE = re.compile(r"^ *(\w+(?:, \w+)*) : (.*(?:array-like|sequence|list of).*)$", re.MULTILINE)
ESTIMATORS = [getattr(ardvark, name) for name in ardvark.__all__ if inspect.isclass(getattr(ardvark, name)) and hasattr(getattr(ardvark, name), "get_params")]


def series(values):
    """With labels that are no positions: what is given by position is taken by position."""
    return pandas.Series(list(values), index=[f"r{i}" for i in range(len(values))])


FORMS = {"list": list, "tuple": tuple, "array": lambda values: np.array(list(values)), "Series": series, "Index": pandas.Index}

# (other parameters, values) for each parameter of a constructor that may be array-like
EXAMPLES = {
    "prior": [({}, [0, 0, 1, 1]), ({}, [3.0, 3.0, 1.0, 2.0])],
    "flat": [({"prior": "ard"}, [0, 3]), ({"prior": "ard"}, [2])],
    "lambda_init": [({"prior": "ard"}, [1.0, 2.0, 3.0, 4.0])],
    "width": [({}, [1.0, 2.0, 3.0, 4.0])],
    "input_group": [({"width": "each"}, [0, 0, 1, 1])],
}


def parameters_in(documented):
    """Those before the attributes: the parameters."""
    text = inspect.getdoc(documented) or ""
    text = text.partition("\nParameters\n")[2].partition("\nAttributes\n")[0].partition("\nReturns\n")[0]
    return [name.strip() for found in ARRAY_LIKE.finditer(text) for name in found[1].split(",")]


OF_CONSTRUCTORS = [(kind, name) for kind in ESTIMATORS for name in parameters_in(kind)]


def quick(kind):
    """Parameters that make a fit quick."""
    if kind.__name__.startswith("BayesianLogistic"):
        return {"prior": "shared"}
    if kind.__name__.startswith("Relevance") and "Selector" not in kind.__name__:
        return {"width": 2.0}
    return {"centres": 10, "averaging": False} if kind.__name__.startswith("Kernel") else {}


def target_of(kind):
    if kind is ardvark.BayesianCountRegression:
        return np.round(np.exp(0.3 * y))
    return np.where(y > 0, "yes", "no") if hasattr(kind, "predict_proba") else y


def results(model, table):
    found = [model.predict(table)]
    if hasattr(model, "coef_"):
        found.append(model.coef_)
    return found


def equal(left, right):
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(left, right)]
    return all((a == b).all() if a.dtype.kind in "OUST" else np.allclose(a, b, rtol=1e-11) for a, b in pairs)


def test_the_documentation_is_read():
    found = {name for _, name in OF_CONSTRUCTORS}
    assert found == set(EXAMPLES), "give each array-like parameter an example here"


@functools.lru_cache(maxsize=None)
def of_a_list(kind, parameter, example, named):
    """Results and score with the parameter as a list: those of every form."""
    others, values = EXAMPLES[parameter][example]
    table = TABLE if named else X
    model = kind(**{**quick(kind), **others, parameter: list(values)}).fit(table, target_of(kind))
    return results(model, table), model.score(table, target_of(kind))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind, parameter", OF_CONSTRUCTORS, ids=lambda value: getattr(value, "__name__", value))
def test_parameters_of_constructors(kind, parameter, form, tmp_path):
    for example, (others, values) in enumerate(EXAMPLES[parameter]):
        others = {name: value for name, value in {**quick(kind), **others}.items() if name != parameter}
        given = FORMS[form](values)
        for table in (X, TABLE):
            model = kind(**others, **{parameter: given}).fit(table, target_of(kind))
            expected, score = of_a_list(kind, parameter, example, table is TABLE)
            assert model.get_params()[parameter] is given and parameter in repr(model)
            assert equal(results(model, table), expected)
            assert model.score(table, target_of(kind)) == score
        assert equal(results(clone(model).fit(TABLE, target_of(kind)), TABLE), expected)
        assert equal(results(pickle.loads(pickle.dumps(model)), TABLE), expected)
        model.save(tmp_path / "model")
        loaded = kind.load(tmp_path / "model")
        assert equal(results(loaded, TABLE), expected)
        assert np.allclose(clone(loaded).fit(TABLE, target_of(kind)).score(TABLE, target_of(kind)), score)
    scores = cross_val_score(kind(**others, **{parameter: given}), TABLE, target_of(kind), cv=2, error_score="raise")
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [ardvark.BayesianLinearRegression, ardvark.BayesianLogisticRegression])
def test_groups_and_columns_by_name(kind, form):
    of, target = FORMS[form], target_of(kind)
    right = kind(prior=[["a", "b"], ["c", "d"]]).fit(TABLE, target).predict(TABLE)
    for prior in (of([["a", "b"], ["c", "d"]]) if form in ("list", "tuple", "array") else [of(["a", "b"]), of(["c", "d"])], [of(["a", "b"]), of(["c", "d"])],
                  {"one": of(["a", "b"]), "two": of(["c", "d"])}):
        assert (kind(prior=prior).fit(TABLE, target).predict(TABLE) == right).all()
    right = kind("ard", flat=["b"]).fit(TABLE, target).predict(TABLE)
    assert (kind("ard", flat=of(["b"])).fit(TABLE, target).predict(TABLE) == right).all()
    with pytest.raises(ValueError, match=r"flat holds True; it must hold names or positions of columns: of a mask, numpy.flatnonzero\(mask\)"):
        kind("ard", flat=of([True, False, False, True])).fit(TABLE, target)


def methods():
    for kind in [*ESTIMATORS, LinearStatistics]:
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                yield from ((kind, name, parameter) for parameter in parameters_in(method) if parameter != "X")


def arguments_of(kind, parameter, table=X):
    """Values for a parameter of a method."""
    values = {"y": target_of(kind), "sample_weight": np.arange(60) % 3 + 1.0, "classes": ["no", "yes"], "offset": np.arange(60) % 4 - 1.0}
    return values.get(parameter)


@pytest.mark.parametrize("kind, method, parameter", list(methods()), ids=lambda value: getattr(value, "__name__", value))
def test_parameters_of_methods(kind, method, parameter, tmp_path):
    values = arguments_of(kind, parameter)
    if method == "predict_to":
        parameter, values = "keep", ["a", "b"]
    elif kind is LinearStatistics and method == "add_numbers":
        values = NAMES if parameter == "names" else values
    elif method == "has_columns" or parameter in ("input_features", "columns"):
        values = NAMES
    assert values is not None, "give this parameter an example here"
    found = []
    for of in FORMS.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(outcome(kind, method, parameter, of(values), tmp_path))
    assert all(equal(found[0], one) for one in found[1:])


@functools.lru_cache(maxsize=None)
def fitted(kind, named=False):
    return kind(**quick(kind)).fit(TABLE if named else X, target_of(kind))


def outcome(kind, method, parameter, given, tmp_path):
    target = target_of(kind)
    if kind is LinearStatistics:
        statistics = kind()
        if method == "has_columns":
            return [np.array([statistics.update(TABLE, y).has_columns(given)])]
        first = {"add_numbers": {"values": X, "names": NAMES, "target": "y"}, "update": {"X": X}}[method]
        getattr(statistics, method)(**{**first, "y": y, "sample_weight": None, parameter: given})
        return [statistics.cross_]
    model = kind(**quick(kind))
    if method == "predict_to":
        fitted(kind, named=True).predict_to(iter([TABLE]), tmp_path / "p.csv", keep=given)
        return [pandas.read_csv(tmp_path / "p.csv").to_numpy()]
    if method in ("fit", "partial_fit", "fit_transform"):
        needed = {"classes": ["no", "yes"]} if "classes" in inspect.signature(getattr(model, method)).parameters else {}
        getattr(model, method)(X, **{"y": target, **needed, parameter: given})
        if parameter == "offset":
            return [model.coef_]
        return results(model, X) if hasattr(model, "predict") else [model.scores_]
    if method == "summary":
        return [np.array(fitted(kind).summary(columns=given))]
    if parameter == "input_features":
        return [fitted(kind, named=True).get_feature_names_out(given)]
    assert parameter in inspect.signature(getattr(model, method)).parameters
    if method == "report":
        (model.fit(X, target, offset=given) if parameter == "offset" else fitted(kind)).report(tmp_path / "page.html", X, **{"y": target, parameter: given})
        return [np.frombuffer((tmp_path / "page.html").read_bytes(), np.uint8)]
    if parameter == "offset":
        y_if_taken = {"y": target[:20]} if "y" in inspect.signature(getattr(model, method)).parameters else {}
        return [np.asarray(getattr(model.fit(X, target, offset=given), method)(X[:20], **y_if_taken, offset=given[:20]))]
    if method == "coef_covariance":
        return [fitted(kind, named=True).coef_covariance(given)]
    call = getattr(fitted(kind), method)
    found = call(X, given) if parameter == "y" else call(X, target, given)
    return [np.asarray(found)]


@pytest.mark.parametrize("form", FORMS)
def test_compare(form):
    of = FORMS[form]
    found = ardvark.compare(X.tolist(), of(y), of(np.ones(60)), priors=of(["shared", "dense"]), kernels=of(["linear"]), models=of(["kernel"]))
    right = ardvark.compare(X, y, np.ones(60), priors=["shared", "dense"], kernels=["linear"], models=["kernel"])
    assert [(model.name, model.bound) for model in found.models] == [(model.name, model.bound) for model in right.models]


@pytest.mark.parametrize("kind", [ardvark.BayesianLinearRegression, ardvark.BayesianLogisticRegression])
def test_a_text_column_has_one_entry(kind):
    """An array of shape (n_features,) has an entry for each column of the table, of which a text column makes several coefficients."""
    target = target_of(kind)
    all_alike = kind("ard", lambda_init=2.0).fit(TEXTS, target)
    assert (kind("ard", lambda_init=np.full(4, 2.0)).fit(TEXTS, target).coef_ == all_alike.coef_).all()
    groups = np.array([0, 0, 1, 1])
    assert (kind(groups).fit(TEXTS, target).coef_ == kind([["a", "b"], ["c", "d"]]).fit(TEXTS, target).coef_).all()
    kind(groups).fit(TEXTS, target).predict(TEXTS)


def test_a_text_column_shares_a_width():
    found, right = (
        ardvark.KernelRegressor(width="each", centres=10, input_group=np.array(groups)).fit(TEXTS, y).predict(TEXTS)
        for groups in ([0, 0, 1, 1], [0, 0, 1, 1, 1, 1])  # of the columns, and of what the machine makes of them
    )
    assert (found == right).all()
