"""The common part of the estimators: validation, options by the names of the constructor, progress, warnings, files."""

from __future__ import annotations

import inspect
import os
import re
import sys
import warnings
from functools import lru_cache
from typing import Any, ClassVar, Literal, Mapping, Optional, Sequence, TypeVar, overload

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite, check_X_y, get_tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, _get_feature_names, check_is_fitted, validate_data

from . import _core
from ._core import ArdvarkWarning, _depth
from ._tables import Encoding, check_names, holds_text, holds_truths, names_of, sentence_near, without
from ._docs import assembled
from ._progress import Watch

M = TypeVar("M", bound="FittedModel")

_FLOATS = [np.float64, np.float32]  # read in place by the library


@lru_cache(maxsize=None)
def _defaults(cls: Any) -> Mapping[str, Any]:
    return {name: p.default for name, p in inspect.signature(cls).parameters.items()}


def _frame(X: Any) -> Any:
    """Converts a table with Arrow's C stream interface to a DataFrame, unless it is one."""
    if not hasattr(X, "__arrow_c_stream__") or getattr(X, "ndim", 2) == 1 or names_of(X) is not None:
        return X
    try:
        import pyarrow

        return pyarrow.table(X).to_pandas()  # needs pandas
    except ImportError:
        pass
    if "polars" in sys.modules and not isinstance(X, sys.modules["polars"].DataFrame):
        return sys.modules["polars"].DataFrame(X)
    return X


def _name(y: Any) -> Optional[str]:
    """The name of a Series."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _gaps_in(values: np.ndarray) -> np.ndarray:
    """Where an array of one dimension has no value: NaN, None, NA or NaT."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=bool)
    return np.array([x is None or type(x).__name__ in ("NAType", "NaTType") or (isinstance(x, float) and x != x) for x in values], dtype=bool)


def _filled(y: Any) -> tuple[Any, Optional[np.ndarray]]:
    """y with some value in each gap, and where the gaps are; None: y has none."""
    values = np.asarray(y)
    if values.ndim != 1:
        return y, None
    gaps = _gaps_in(values)
    if not gaps.any():
        return y, None
    if gaps.all():
        raise ValueError(f"y has no value: it is missing in all {gaps.size} rows")
    known = np.array(values[~gaps].tolist())
    filled = np.empty(gaps.shape, dtype=known.dtype)
    filled[gaps] = known[0]
    filled[~gaps] = known
    return filled, gaps


def _taken_from(table: Any, name: Any, argument: str, may_miss: bool = False) -> np.ndarray:
    """A column of the table, which an argument of fit names."""
    names = names_of(_frame(table))
    if names is None:
        raise ValueError(f"{argument} is {name!r}, the name of a column; X must then be a DataFrame, but is a {type(table).__name__}")
    if name not in names:
        raise ValueError(f"{argument} is {name!r}, which is not a column of X{sentence_near(name, names)}")
    values = np.asarray(_frame(table)[name])
    missing = _gaps_in(values)
    if missing.any() and not may_miss:
        remedy = f"; leave out such rows, for example X[X[{name!r}].notna()]" + (", or fit with missing='drop'" if argument == "target" else "")
        raise ValueError(f"{argument} {name!r} has no value at row {np.argmax(missing) + 1}{remedy}")
    return values


def _first_text(values: Any) -> Optional[str]:
    """The first text of an array, list or Series; None if it has none."""
    array = np.asarray(values) if not hasattr(values, "dtypes") else np.asarray([])
    if array.dtype.kind not in "OUST":
        return None
    return next((str(value) for value in array.ravel() if isinstance(value, str)), None)


_ESTIMATORS = {"linear": "BayesianLinearRegression", "logistic": "BayesianLogisticRegression"}


class Estimator(BaseEstimator):
    """Base of the estimators. Parameters at their default are not passed on, because the library has its own defaults."""

    _options: ClassVar[dict[str, str]] = {}  # constructor parameter -> option of the library
    _reads_text: ClassVar[bool] = True
    _encoding: Optional[Encoding] = None  # of a table with text columns, or of a file

    @property
    def _may_miss(self) -> bool:
        """Whether values may be missing in the table of a fit."""
        return getattr(self, "missing", "refuse") != "refuse"

    @property
    def _imputes(self) -> bool:
        """Whether values may be missing in new rows."""
        return getattr(self, "missing", "refuse") == "impute"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._may_miss
        return tags

    # ---- options

    def _given_options(self) -> dict[str, Any]:
        """The options that differ from the default of the constructor, with the names of the library."""
        cls: Any = type(self)
        defaults, options = _defaults(cls), {}
        for name, option in self._options.items():
            value, default = getattr(self, name), defaults[name]
            if (
                value is None
                or value is default
                or (isinstance(value, (str, int, float)) and value == default)
            ):
                continue
            options[option] = value
        if options.get("threads") == -1:
            options["threads"] = os.cpu_count()
        if np.ndim(options.get("start_precision", ())) == 0:
            options["start_precision"] = np.full(len(self._column_names()), options["start_precision"])
        return options

    def _renamed(self) -> dict[str, str]:
        """Options of the library that the constructor calls something else."""
        return {option: name for name, option in self._options.items() if option != name}

    def _translated(self, text: str, argument: str = "") -> str:
        """A text of the library in the names of the constructor. ``argument``: the one that it begins with."""
        names = self._renamed()
        first = names | {"weights": "sample_weight", "X_new": "X", "labels": "y"}
        text = first.get(argument, argument) + text[len(argument) :]
        text = self._with_options_as_arguments(text)
        unlike_words = {option: name for option, name in names.items() if re.search(r"[0-9_]", option)}
        return re.sub(r"\b\w+\b", lambda match: unlike_words.get(match[0], match[0]), text)

    def _in_our_names(self, error: ValueError) -> ValueError:
        return ValueError(self._translated(str(error), getattr(error, "argument", "")))

    def _with_options_as_arguments(self, text: str) -> str:
        """``--prior shared``, as the program takes it, as ``prior='shared'``."""
        text = _core.spelled(text, self._renamed())
        for model, estimator in _ESTIMATORS.items():
            text = text.replace(f"model='{model}'", estimator)
        return text

    # ---- data

    def _split(self, X: Any, y: Any, sample_weight: Any, target: Any) -> tuple[Any, Any, Any, Optional[str]]:
        """X, y and weights, where the last two may be columns of the table X; and the name of the target."""
        named = [] if target is None else [target]
        if target is not None and y is not None:
            raise ValueError("fit has both y and target; give y, or the name of a column as target")
        name = _name(y) if target is None else str(target)
        if target is not None:
            y = _taken_from(X, target, "target", self._may_miss)
        if isinstance(sample_weight, str):
            named.append(sample_weight)
            sample_weight = _taken_from(X, sample_weight, "sample_weight")
        return without(_frame(X), named) if named else X, y, sample_weight, name

    def _checked(self, X: Any, y: Any, sample_weight: Any, **checks: Any) -> tuple[np.ndarray, Any, Any, Any]:
        """X, y, weights, and the rows with a weight: rows of weight zero are left out."""
        # The library makes a pass over X in any case, and reports the entry that is not finite.
        checks = {"ensure_min_samples": 2, "ensure_all_finite": False} | checks
        if checks.get("y_numeric") and (text := _first_text(y)) is not None:
            raise ValueError(f"y holds text ({text!r}); a regression needs numbers (for classes: BayesianLogisticRegression)")
        gaps = None
        if self._may_miss:
            y, gaps = _filled(y)
        X = self._without_text(_frame(X), sample_weight)
        if self._encoding is None:
            X, y = validate_data(self, X, y, dtype=_FLOATS, **checks)
        else:
            X, y = check_X_y(X, y, dtype=_FLOATS, **checks)
        if gaps is not None:
            y = y.astype(float if checks.get("y_numeric") else object)
            y[gaps] = np.nan
        if sample_weight is None:
            return X, y, None, None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if not (weights == 0).any():
            return X, y, weights, None
        rows = np.flatnonzero(weights)
        if rows.size == 0:
            raise ValueError("sample_weight is zero for every row; it must be > 0 for one at least")
        assert_all_finite(X, allow_nan=self._may_miss, estimator_name=type(self).__name__, input_name="X")  # rows of weight zero, too
        return X[rows], y[rows], weights[rows], rows

    def _without_text(self, X: Any, sample_weight: Any) -> Any:
        """The table with its text columns as columns of 0 and 1; sets _encoding."""
        self._encoding = None
        reference = getattr(self, "reference", None)
        if (text := _first_text(X)) is not None:
            raise ValueError(f"X holds text ({text!r}); pass a DataFrame, whose columns have names, or turn the text into numbers")
        is_read = holds_text(X) or (self._imputes and names_of(X) is not None and any(map(holds_truths, X.dtypes)))
        if not is_read:
            if reference:
                raise ValueError(f"reference is {reference!r}, but X has no text columns; only these have a level that others are compared with")
            return X
        if not self._reads_text:
            raise ValueError(f"{type(self).__name__} takes numbers, but X has text columns; turn them into numbers first")
        check_names(X)
        validate_data(self, X, skip_check_array=True)  # n_features_in_ and feature_names_in_ are those of the table
        options: dict[str, Any] = {"model": getattr(self, "_kind", "linear")}
        if sample_weight is not None:
            options["weights"] = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if self._may_miss:
            options["missing"] = getattr(self, "missing")
        if reference:
            options["reference"] = [f"{column}={level}" for column, level in reference.items()]
        try:
            self._encoding, X = Encoding.of_table(X, options)
        except ValueError as error:
            raise self._in_our_names(error) from None
        return X

    def _checked_rows(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = _frame(X)
        encoding = self._encoding
        if encoding is None and self._knows_texts_of(self._without_others(X)):
            encoding = self._model.encoding()
        if encoding is not None and names_of(X) is not None:
            try:
                return encoding.apply(X)
            except ValueError as error:
                raise self._in_our_names(error) from None
        if self._encoding is not None and self._encoding.text_columns:
            texts = ", ".join(repr(column["name"]) for column in self._encoding.text_columns)
            raise ValueError(f"the model was fitted to a table with text columns ({texts}); X must be a DataFrame with these columns")
        return validate_data(self, self._without_others(X), reset=False, dtype=_FLOATS, ensure_all_finite="allow-nan" if self._imputes else True)

    def _knows_texts_of(self, X: Any) -> bool:
        """Whether a model of numbers may read a table: the columns are those of the fit, and texts among them may be true and false."""
        names = list(getattr(self, "feature_names_in_", ()))
        return hasattr(self, "_model") and len(names) > 0 and names_of(X) == names and holds_text(X)

    def _without_others(self, X: Any) -> Any:
        """A table that has more columns than those of the fit, such as the target or an identifier: these, in their order."""
        names, given = getattr(self, "feature_names_in_", ()), names_of(X) or ()
        return X[list(names)] if 0 < len(names) < len(given) and set(names) <= set(given) else X

    def _encoded(self, y: Any) -> np.ndarray:
        """Sets classes_; returns the positions of the labels in it; NaN where y has no value."""
        y = np.asarray(y)
        gaps = _gaps_in(y) if self._may_miss else np.zeros(y.shape[:1], dtype=bool)
        if gaps.any():
            codes = np.full(y.shape, np.nan)
            codes[~gaps] = self._encoded(np.array(y[~gaps].tolist()))
            return codes
        kind = type_of_target(y, input_name="y")
        if kind not in ("binary", "multiclass"):
            check_classification_targets(y)
        if kind == "multiclass" and not get_tags(self).classifier_tags.multi_class:
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes; y has one class, {self.classes_.tolist()[0]!r}"
                " (rows of weight zero do not count)"
            )
        return codes

    def _column_names(self) -> Sequence[str]:
        """The name of each coefficient: the names in the data; x1, x2, ... for arrays; "sex=male" for text columns."""
        if self._encoding is not None:
            return self._encoding.columns
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j + 1}" for j in range(self.n_features_in_)] if names is None else list(names)

    # ---- warnings of the library

    def _warn(self, result: _core.Result, spoken: Optional[Estimator] = None) -> None:
        """Issues the warnings of a result."""
        spoken = spoken or self
        for message in result.value("warnings"):
            warnings.warn(spoken._translated(message), ArdvarkWarning, stacklevel=_depth())
        if result.text("status") not in ("converged", "stopped_by_user"):
            message = f"{type(self).__name__}: {spoken._translated(result.text('message'))}"
            warnings.warn(message, ConvergenceWarning, stacklevel=_depth())


@assembled
class FittedModel(Estimator):
    """An estimator that holds one model of the library."""

    _model: _core.Model
    _kind: ClassVar[str] = "linear"  # "linear" of all that has coefficients, "rvm" or "kernel"

    def _fit_model(self, X: np.ndarray, y: np.ndarray, weights: Optional[np.ndarray], **options: Any) -> None:
        """Fits, sets _model and the attributes that every fit has, and warns."""
        names = getattr(self, "feature_names_in_", None)
        how: dict[str, Any] = {"column_names": None if names is None else list(names)}
        if self._encoding is not None:
            how = {"encoding": self._encoding.handle, "reference": self._encoding.reference}
        with Watch(type(self).__name__, self.verbose, self.callback) as watch:
            try:
                model = _core.fit(
                    X,
                    y,
                    callback=watch.function,
                    warn=False,
                    weights=weights,
                    **how,
                    **options,
                )
            except ValueError as error:
                raise self._in_our_names(error) from None
        if self._encoding is not None:
            self._encoding = model.encoding()  # which knows whether new rows may have gaps
        self._take(model)
        self._warn(model)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return state if self._encoding is None else {**state, "_encoding": "of the model"}

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if self._encoding is not None:
            self._encoding = self._model.encoding()

    def _take(self, model: _core.Model) -> None:
        """The results as attributes."""
        self._model = model
        self.status_ = model.text("status")
        self.converged_ = self.status_ == "converged"
        self.n_iter_ = int(model.number("sweeps"))
        self.notes_ = [self._translated(note) for note in model.value("notes")]
        self._take_diagnosis(model)
        self.__dict__.pop("missing_information_", None)
        if self._imputes and "missing" in model.to_dict():
            self.missing_information_ = model.array("missing.information")

    def _take_diagnosis(self, model: _core.Model) -> None:
        names = ("khat", "khat_given_precisions", "khat_threshold", "khat_effective_share")
        try:
            values = [model.number(name) for name in names]
        except ValueError:  # without diagnose=True
            for name in names:
                self.__dict__.pop(name + "_", None)
            return
        self.khat_, self.khat_given_precisions_, self.khat_threshold_, self.khat_effective_share_ = values

    def summary(self, level: float = 0.95, *, verbose: bool = False, odds: bool = False, standardized: bool = False) -> str:
        """The fit as a table to read.

        Parameters
        ----------
        {level}
        verbose : bool, default=False
            Whether to print also how the result was computed: steps, solver, hypotheses that were averaged.
        odds : bool, default=False
            Two classes: whether to print odds ratios with their intervals, instead of coefficients.
        standardized : bool, default=False
            Regressions and two classes: whether to print coefficients per standard deviation of the column, and of the target of a
            regression.

        Returns
        -------
        summary : str
            Text of several lines.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
        >>> print(BayesianLinearRegression("ard").fit(X, y).summary().splitlines()[0])
        Linear regression, prior ard, 200 rows, 3 columns
        """
        check_is_fitted(self)
        return self._with_options_as_arguments(self._model.summary(level, verbose=verbose, odds=odds, standardized=standardized))

    def save(self, path: Any) -> None:
        """Writes a model file that `load`, the command line and the other languages can read.

        Parameters
        ----------
        path : str or path-like
            The file. It is written completely or not at all.

        Raises
        ------
        OSError
            The file cannot be written.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
        >>> import tempfile
        >>> model = BayesianLinearRegression().fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.ardvark")
        ...     again = BayesianLinearRegression.load(f"{folder}/model.ardvark")
        >>> bool((again.coef_ == model.coef_).all())
        True
        """
        check_is_fitted(self)
        self._model.save(path)

    @classmethod
    def load(cls: type[M], path: Any) -> M:
        """A fitted estimator from a model file. `ardvark.load` finds the class by itself.

        The constructor parameters are those of the fit, as far as they are options of this class, so that
        `sklearn.base.clone` gives an estimator that fits the same model again.

        Parameters
        ----------
        path : str or path-like
            A file of `save`, or of ``ardvark fit -o``.

        Returns
        -------
        estimator : an instance of this class

        Raises
        ------
        OSError
            The file cannot be read.
        ValueError
            The file holds another kind of model.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
        >>> import tempfile
        >>> model = BayesianLogisticRegression().fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.ardvark")
        ...     again = BayesianLogisticRegression.load(f"{folder}/model.ardvark")
        >>> again.classes_.tolist(), bool((again.predict(X) == model.predict(X)).all())
        (['no', 'yes'], True)
        """
        model = _core.load(path)
        return cls()._of_file(model)

    def _parameters_of(self, model: _core.Model) -> dict[str, Any]:
        """The constructor parameters that are the options of the model."""
        cls: Any = type(self)
        options, defaults = model.value("options"), _defaults(cls)
        found = {}
        for name, option in self._options.items():
            if option in options:
                value = options[option]
                found[name] = bool(value) if isinstance(defaults[name], bool) else _number_like(value)
        if "reference" in options and "reference" in defaults:
            columns = {column["name"] for column in model.value("text_columns")}
            found["reference"] = {c: t[len(c) + 1 :] for t in options["reference"] for c in columns if t.startswith(c + "=")}
        return found

    def _of_file(self: M, model: _core.Model) -> M:
        found = model.to_dict()
        kind, has_classes = found.get("model", "linear"), "classes" in found
        if (kind, has_classes) != (self._kind, hasattr(self, "predict_proba")):
            kind = {"rvm": "relevance vector machine", "kernel": "kernel machine"}.get(kind, "linear model")
            of_what = "classes" if has_classes else "numbers"
            raise ValueError(f"the file holds a {kind} for {of_what}, which {type(self).__name__} cannot load")
        self._encoding = model.encoding()
        self.set_params(**self._parameters_of(model))
        names = self._encoding.features
        self.n_features_in_ = len(names)
        if names != [f"x{j + 1}" for j in range(len(names))]:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        if hasattr(self, "predict_proba"):
            self.classes_ = _as_labels(model.value("classes"))
        self._take(model)
        return self


def _number_like(value: Any) -> Any:
    """A whole number as an int; a text that holds a number as a float; lists of them."""
    if isinstance(value, str):
        try:
            numbers = [_number_like(float(part)) for part in value.split(",")]
        except ValueError:
            return value
        return numbers[0] if len(numbers) == 1 else numbers
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_labels(texts: list[str]) -> np.ndarray:
    """Turns the texts of a file back into labels: True and False, integers, numbers, or texts."""
    if {text.lower() for text in texts} <= {"true", "false"}:
        return np.asarray([text.lower() == "true" for text in texts])
    for kind in (int, float):
        try:
            return np.asarray([kind(text) for text in texts])
        except ValueError:
            pass
    return np.asarray(texts)


@assembled
class Classifier(FittedModel):
    """Predictions of a classifier with a model of the library."""

    classes_: np.ndarray

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, with the uncertainty of the fit.

        Parameters
        ----------
        {X}

        Returns
        -------
        probability : ndarray of shape (n_samples, n_classes)
            In [0, 1]; each row sums to 1; columns in the order of ``classes_``.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
        >>> probability = BayesianLogisticRegression().fit(X, y).predict_proba([[2.0, 0, 0], [0.0, 0, 0]])
        >>> probability.shape, bool(probability[0, 1] > 0.9), probability.sum(axis=1).round(12).tolist()
        ((2, 2), True, [1.0, 1.0])
        """
        X = self._design(X)
        return self._model.predict(X).array("probability")

    def _design(self, X: Any) -> np.ndarray:
        """The rows in the form that the library needs."""
        return self._checked_rows(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probability : ndarray of shape (n_samples, n_classes)
            In nats; minus infinity where a probability is 0.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
        >>> model = BayesianLogisticRegression().fit(X, y)
        >>> bool(np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X)))
        True
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Log odds of the predicted probabilities.

        If the fit is uncertain about a row, its score is nearer to zero than the coefficients alone would give.

        Parameters
        ----------
        {X}

        Returns
        -------
        score : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: log odds of ``classes_[1]``, in nats. More classes: log probabilities.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
        >>> model = BayesianLogisticRegression().fit(X, y)
        >>> score, p = model.decision_function(X), model.predict_proba(X)
        >>> bool(np.allclose(score, np.log(p[:, 1] / p[:, 0])))
        True
        """
        log = np.log(np.maximum(self.predict_proba(X), np.finfo(float).tiny))
        return log[:, 1] - log[:, 0] if self.classes_.size == 2 else log

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class.

        Parameters
        ----------
        {X}

        Returns
        -------
        {label}

        Examples
        --------
        >>> from ardvark import RelevanceVectorClassifier
        >>> from sklearn.datasets import make_moons
        >>> X, y = make_moons(100, noise=0.1, random_state=0)
        >>> model = RelevanceVectorClassifier(width=1.0).fit(X, y)
        >>> model.predict([[-1.0, 0.5], [2.0, 0.0]]).tolist()
        [0, 1]
        """
        return self._most_probable(self._design(X))

    def _most_probable(self, rows: np.ndarray) -> np.ndarray:
        """The decision of the library; if classes are equally probable, the first of them."""
        return self.classes_[self._model.predict(rows).array("most_probable").astype(int)]

    def log_density(self, X: Any, y: Any) -> np.ndarray:
        """Logarithm of the probability of the observed labels: a score to compare predictions.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Labels, all in ``classes_``.

        Returns
        -------
        {log_density}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
        >>> model = BayesianLogisticRegression().fit(X[:200], y[:200])
        >>> density = model.log_density(X[200:], y[200:])
        >>> density.shape, bool(density.mean() > np.log(0.5))
        ((100,), True)
        """
        X, y = self._design(X), np.asarray(y)
        position = np.minimum(np.searchsorted(self.classes_, y), self.classes_.size - 1)
        if (self.classes_[position] != y).any():
            raise ValueError("y holds labels that the fit has not seen")
        return self._model.predict(X, position).array("log_density")


@assembled
class Regressor(FittedModel):
    """Predictions of a regression with a model of the library."""

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> np.ndarray: ...

    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[np.ndarray, np.ndarray]: ...

    @overload
    def predict(self, X: Any, return_std: bool) -> Any: ...

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean of the predictive distribution.

        Parameters
        ----------
        {X}
        return_std : bool, default=False
            Whether to return also the standard deviation of a new observation, with its noise and the uncertainty of
            the fit.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            In the units of y.
        std : ndarray of shape (n_samples,)
            Only with ``return_std``.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
        >>> mean, std = BayesianLinearRegression().fit(X, y).predict([[1.0, 0, 0]], return_std=True)
        >>> mean.round(1).tolist(), std.round(1).tolist()
        ([3.0], [0.1])
        """
        X = self._checked_rows(X)
        if not return_std:
            return self._mean(X)
        prediction = self._model.predict(X)
        return prediction.array("mean"), prediction.array("sd")

    def _mean(self, X: np.ndarray) -> np.ndarray:
        return self._model.predict(X).array("mean")

    def predict_interval(self, X: Any, level: float = 0.95, interval: str = "new") -> np.ndarray:
        """Central interval of a new observation, or of the mean.

        At the end of a pipeline: ``pipe[-1].predict_interval(pipe[:-1].transform(X))``.

        Parameters
        ----------
        {X, level}
        interval : {'new', 'mean'}, default='new'
            "new": the interval of a new observation, with its noise. "mean": the interval of the mean, without noise.

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
            Lower and upper end.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
        >>> interval = BayesianLinearRegression().fit(X, y).predict_interval([[1.0, 0, 0]], level=0.95)
        >>> interval.round(1).tolist()
        [[2.8, 3.2]]
        """
        prediction = self._model_predict(X, level=level, interval=interval)
        return np.column_stack([prediction.array("lower"), prediction.array("upper")])

    def _model_predict(self, X: Any, y: Any = None, **options: Any) -> _core.Result:
        return self._model.predict(self._checked_rows(X), y, **options)

    def log_density(self, X: Any, y: Any) -> np.ndarray:
        """Logarithm of the predictive density of the observations.

        This is a score to compare predictions.

        Parameters
        ----------
        {X, y}

        Returns
        -------
        {log_density}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
        >>> model = BayesianLinearRegression().fit(X[:100], y[:100])
        >>> density = model.log_density(X[100:], y[100:])
        >>> density.shape, bool(density.mean() > 0)
        ((100,), True)
        """
        return self._model_predict(X, y).array("log_density")
