"""The common part of the estimators: validation, options by the names of the constructor, warnings."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from functools import lru_cache
from typing import Any, ClassVar, Collection, Mapping, Optional, Sequence

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_X_y, get_tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _core
from ._abi import InvalidArgumentError
from ._arrays import READ, compressed, in_read_type, is_sparse, num_added, refuse_sparse, without_mask
from ._core import ArdvarkWarning, _depth
from ._genotypes import Genotypes
from ._given import (
    filled, first_text, frame, gaps_in, listed, name_of, plain_labels, refuse_gaps, refuse_many, refuse_many_names, refuse_times, require_finite,
    require_numbers, require_weights, table_of_fit, taken_from, with_one_spelling,
)
from ._hosts import in_memory
from ._options import option_of, refuse_no_word, refused_in
from ._tables import Encoding, check_names, holds_bytes, holds_text, holds_truths, is_numeric, is_sparse_table, names_of, with_dense_columns, without


@lru_cache(maxsize=None)
def _defaults(cls: Any) -> Mapping[str, Any]:
    return {name: p.default for name, p in inspect.signature(cls).parameters.items()}


@lru_cache(maxsize=None)
def _options_of(cls: Any) -> Mapping[str, str]:
    return option_of([name for name in _defaults(cls) if name not in cls._own])


_ESTIMATORS = {"linear": "BayesianLinearRegression", "logistic": "BayesianLogisticRegression"}


class Estimator(BaseEstimator):
    """Base of the estimators. Parameters at their default are not passed on, because the library has its own defaults."""

    _own: ClassVar[Collection[str]] = ("prior", "flat", "reference", "verbose")  # parameters that are not passed on as they are
    _is_regression: ClassVar[bool] = False
    _reads_text: ClassVar[bool] = True
    _encoding: Optional[Encoding] = None  # of a table with text columns, or of a file
    _repeated: int = 0  # entries of a sparse X that were added to others of their place

    @property
    def _options(self) -> Mapping[str, str]:
        """Constructor parameter -> option of the library."""
        cls: Any = type(self)
        return _options_of(cls)

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
        tags.input_tags.sparse = self._takes_sparse
        return tags

    @property
    def _reads_sparse(self) -> bool:
        """Whether fits and predictions know a sparse X: a matrix of scipy.sparse, or a DataFrame whose columns are all sparse."""
        return False

    @property
    def _reads_genotypes(self) -> bool:
        """Whether fits and predictions know `Genotypes`."""
        return False

    @property
    def _takes_sparse(self) -> bool:
        """Whether a fit takes a sparse X with any target, as far as the parameters tell."""
        return self._reads_sparse and refused_in("sparse X", {"prior": getattr(self, "prior", None), **self._changed_options()}) is None

    # ---- options

    def _keep(self, given: Mapping[str, Any]) -> None:
        """Keeps the arguments of a constructor, its ``locals()``, as attributes of the same names."""
        self.__dict__.update((name, value) for name, value in given.items() if name != "self")

    def _changed_options(self) -> dict[str, Any]:
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
        return options

    def _given_options(self) -> dict[str, Any]:
        """The same as the library takes them, once the columns are known."""
        cls: Any = type(self)
        for name, option in self._options.items():
            refuse_no_word(name, option, getattr(self, name), _defaults(cls)[name] is None)
        options = self._changed_options()
        if options.get("threads") == -1:
            options["threads"] = os.cpu_count()
        if np.ndim(options.get("start_precision", ())) == 0:
            options["start_precision"] = np.full(len(self._column_names()), options["start_precision"])
        for option in ("start_precision", "input_group"):
            if self._encoding is not None and np.shape(options.get(option, ())) == (self.n_features_in_,):
                options[option] = np.asarray(options[option])[self._encoding.feature_of_column]  # a text column has several
        return options

    def _renamed(self) -> dict[str, str]:
        """Options of the library that the constructor calls something else."""
        return {option: name for name, option in self._options.items() if option != name}

    def _translated(self, text: str) -> str:
        """A text of the library, or of a file that the shell wrote, with options under the names of the constructor; all other words stay."""
        text = self._with_options_as_arguments(text)
        unlike_words = {option: name for option, name in self._renamed().items() if re.search(r"[0-9_]", option)}
        return re.sub(r"(?<!\w)'[^']*'|\b\w+\b", lambda match: unlike_words.get(match[0], match[0]), text)  # what is quoted is the user's

    def _in_our_names(self, error: ValueError) -> ValueError:
        if not isinstance(error, InvalidArgumentError):
            return ValueError(self._translated(str(error)))
        is_gap = error.argument in ("X", "y") and error.value == "NaN" and error.remedy
        if is_gap and not self._can_impute:  # the library knows only the model, not what its estimator offers
            error = error._with_remedy("if the value is missing: missing 'drop' leaves such rows out")
        names = self._renamed() | {"weights": "sample_weight", "X_new": "X", "labels": "y"}
        return error._in_words(names.get(error.argument, error.argument), self._translated)

    def _with_options_as_arguments(self, text: str) -> str:
        """``--prior shared``, as the program takes it, as ``prior='shared'``."""
        text = _core.spelled(text, self._renamed())
        for model, estimator in _ESTIMATORS.items():
            text = text.replace(f"model='{model}'", estimator)
        return text

    # ---- data

    def _split(self, X: Any, y: Any, sample_weight: Any, target: Any) -> tuple[Any, Any, Any, Optional[str]]:
        """X, y and weights, where the last two may be columns of the table X; and the name of the target."""
        refuse_many_names(target, type(self).__name__, self._is_regression)
        named = [] if target is None else [target]
        y, sample_weight = without_mask(y), without_mask(sample_weight)
        X = in_memory(X, type(self), has_target=target is not None)
        X = table_of_fit(X, [*named, *([sample_weight] if isinstance(sample_weight, str) else []), *self._named_columns()])
        if target is not None and y is not None:
            raise ValueError("fit has both y and target; give y, or the name of a column as target")
        name = name_of(y) if target is None else str(target)
        if target is not None:
            y = taken_from(X, target, "target", self._may_miss)
        if isinstance(sample_weight, str):
            named.append(sample_weight)
            sample_weight = taken_from(X, sample_weight, "sample_weight")
        return self._sparse_or_dense(without(frame(X), named) if named else X), y, sample_weight, name

    def _sparse_or_dense(self, X: Any) -> Any:
        """X of a fit, where columns that pandas stores sparsely stay so only if all of them can be read as a sparse X."""
        if not self._reads_sparse:
            refuse_sparse(X, type(self).__name__)
        if is_sparse(X) and self._may_miss:
            missing = f"missing={getattr(self, 'missing', None)!r}"
            why, remedy = "a sparse X takes no missing values", f"{missing} needs a dense X: give X.toarray()"
            fields = {"value": str(getattr(self, "missing", None)), "why": why, "remedy": remedy}
            raise InvalidArgumentError(f"{missing} is given, but {why}; {remedy}", "missing", **fields)  # type: ignore[arg-type]
        return X if self._takes_sparse and is_sparse_table(X) else with_dense_columns(X)

    def _named_columns(self) -> list[str]:
        """The columns that parameters name: they are fitted, although they may be the labels of rows."""
        prior = getattr(self, "prior", None)
        groups: list[Any] = []
        if not isinstance(prior, str):
            groups = listed(list(prior.values()) if isinstance(prior, Mapping) else prior) or []
        flat, reference = getattr(self, "flat", None), getattr(self, "reference", None)
        names = [name for group in groups for name in (group if isinstance(group, list) else [])]
        return [name for name in [*names, *([] if flat is None else listed(flat)), *(reference or ())] if isinstance(name, str)]

    def _checked(self, X: Any, y: Any, sample_weight: Any, may_be_sparse: bool = False) -> tuple[Any, Any, Any, Any]:
        """X, y, weights, and the rows with a weight: rows of weight zero are left out. may_be_sparse: columns of 0 and 1 of texts."""
        # The library makes a pass over X in any case, and reports the entry that is not finite.
        refuse_times(X, "X")
        require_weights(sample_weight)
        refuse_many(y, type(self).__name__, self._is_regression)
        y = plain_labels(y if self._is_regression else with_one_spelling(y))
        checks: dict[str, Any] = {"ensure_min_samples": 2, "ensure_all_finite": False}
        checks |= {"y_numeric": self._is_regression, "dtype": READ}
        if self._is_regression:
            require_numbers(y)
        refuse_gaps(sample_weight, "leave out such rows", "sample_weight")
        gaps = None
        if self._may_miss:
            y, gaps = filled(y)
        else:
            refuse_gaps(y, self._remedy_of_gap())
        X = self._without_text(frame(X), sample_weight, may_be_sparse)
        if self._encoding is None:
            given = X
            X, y = self._validated(given, y, **checks)
            self._repeated = num_added(given, X)
        else:
            X, y = check_X_y(X, y, accept_sparse="csc", **checks)
        if gaps is not None:
            y = y.astype(float if self._is_regression else object)
            y[gaps] = np.nan
        if sample_weight is None:
            return X, y, None, None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if not (weights == 0).any():
            return X, y, weights, None
        rows = np.flatnonzero(weights)
        if rows.size == 0:
            raise ValueError("sample_weight is zero for every row; it must be > 0 for one at least")
        remedy = "leave out such rows" if is_sparse(X) else self._remedy_of_gap()
        require_finite(X, self._column_names, self._may_miss, remedy)  # rows of weight zero, too
        if not self._is_regression and gaps is None:
            kept = set(np.unique(y[rows]).tolist())
            lost = [label for label in np.unique(y).tolist() if label not in kept]
            if lost and len(kept) > 1:
                raise ValueError(f"all rows of class {lost[0]!r} have weight zero; leave out these rows, or give some of them a weight")
        return X[rows], y[rows], weights[rows], rows

    def _validated(self, X: Any, *y: Any, **checks: Any) -> Any:
        """X, or X and y, as scikit-learn checks them, in a type that the library reads, with the names of a table. Without y: new rows."""
        new = {} if y else {"reset": False}
        numbers = self._as_read(X)
        if is_sparse(numbers) or is_sparse_table(numbers):
            checks["accept_sparse"] = "csc"
        if names_of(X) is None or numbers is X:
            return validate_data(self, numbers, *y, **new, **checks)
        validate_data(self, X, *y, skip_check_array=True, **new)
        checks |= {"estimator": self}
        return check_X_y(numbers, *y, **checks) if y else check_array(numbers, input_name="X", **checks)

    def _as_read(self, X: Any) -> Any:
        """X where its numbers lie: a sparse X in compressed columns, numbers of one or two bytes in a type that the library reads. Anything else as it is."""
        if self._reads_sparse and (is_sparse(X) and len(X.shape) == 2 or is_sparse_table(X)):
            return compressed(X.sparse.to_coo() if is_sparse_table(X) else X)
        values = X.to_numpy() if holds_bytes(X) else X
        return in_read_type(np.asarray(values)) if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and values.itemsize <= 2 else X

    def _without_text(self, X: Any, sample_weight: Any, may_be_sparse: bool = False) -> Any:
        """The table with its text columns as columns of 0 and 1; sets _encoding. may_be_sparse: as compressed columns, if these are better."""
        self._encoding = None
        if self._reads_sparse and is_sparse(X):
            return X
        reference = getattr(self, "reference", None)
        if (text := first_text(X)) is not None:
            raise ValueError(f"X holds text ({text!r}); pass a DataFrame, whose columns have names, or turn the text into numbers")
        is_read = holds_text(X) or (self._imputes and names_of(X) is not None and any(map(holds_truths, X.dtypes)))
        if not is_read:
            if reference:
                raise ValueError(f"reference is {reference!r}, but X has no text columns; only these have a level that others are compared with")
            return X
        if not self._reads_text:
            texts = ", ".join(repr(name) for name, dtype in zip(names_of(X) or (), X.dtypes) if not is_numeric(dtype))
            raise ValueError(
                f"{type(self).__name__} takes numbers, but X has text columns ({texts}); turn them into columns of 0 and 1 first, for example"
                " with sklearn.preprocessing.OneHotEncoder, or fit BayesianLogisticRegression, which takes text columns"
            )
        check_names(X)
        validate_data(self, X, skip_check_array=True)  # n_features_in_ and feature_names_in_ are those of the table
        options = self._options_of_encoding()
        if sample_weight is not None:
            options["weights"] = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if self._may_miss:
            options["missing"] = getattr(self, "missing")
        if reference:
            options["reference"] = self._references()
        try:
            self._encoding, X = Encoding.of_table(X, options, self._options_of_form() if may_be_sparse and self._takes_sparse else None)
        except ValueError as error:
            raise self._in_our_names(error) from None
        return X

    def _checked_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        if isinstance(X, Genotypes) and self._reads_genotypes:
            return X  # the library finds its variants by their names
        if not self._reads_sparse:
            refuse_sparse(X, type(self).__name__)
        X = in_memory(X, type(self), is_new=True)
        if is_sparse(X):
            return self._checked_sparse_rows(X)
        X = frame(X, getattr(self, "feature_names_in_", ()))
        refuse_times(X, "X")
        encoding = self._encoding
        if encoding is None and self._knows_texts_of(self._without_others(X)):
            encoding = self._model.encoding()
        if encoding is not None and names_of(X) is not None:
            try:
                return encoding.apply(X, {"model": self._model_word, "prior": "shared"} if self._reads_sparse and not self._imputes else None)
            except ValueError as error:
                raise self._in_our_names(error) from None
        self._require_no_texts()
        X = self._without_others(X)
        if self._reads_sparse and is_sparse_table(X):
            return self._checked_sparse_rows(X)
        X = self._validated(with_dense_columns(X), dtype=READ, ensure_all_finite=False)
        require_finite(X, self._column_names, self._imputes, self._remedy_of_new_gap())
        return X

    def _checked_sparse_rows(self, X: Any) -> Any:
        self._require_no_texts()
        X = self._validated(X, dtype=READ, ensure_all_finite=False)
        require_finite(X, self._column_names, False, "leave out such rows, or fill the gaps")
        return X.toarray() if self._imputes else X  # which predicts rows by their gaps

    def _require_no_texts(self) -> None:
        """Refuses rows of numbers where the model needs texts."""
        if self._encoding is not None and self._encoding.text_columns:
            texts = ", ".join(repr(column["name"]) for column in self._encoding.text_columns)
            raise ValueError(f"the model was fitted to a table with text columns ({texts}); X must be a DataFrame with these columns")

    def _options_of_encoding(self) -> dict[str, Any]:
        """What the library must know about the model to read a table."""
        kind = getattr(self, "_kind", "linear")
        if kind != "linear":
            return {"model": kind}
        return {"model": "linear"} if self._can_impute else {"model": "linear", "prior": "laplace"}  # where gaps are not filled

    def _options_of_form(self) -> dict[str, Any]:
        """What of the model decides whether X is compressed columns."""
        prior, changed = getattr(self, "prior", "auto"), self._changed_options()
        word = prior if isinstance(prior, str) else "groups"
        return {"model": self._model_word, "prior": word, **{name: changed[name] for name in ("solver", "missing") if name in changed}}

    @property
    def _model_word(self) -> str:
        """The option `model` of an estimator with coefficients."""
        return "linear" if self._is_regression else "logistic"

    @property
    def _can_impute(self) -> bool:
        """Whether a fit with missing="impute" predicts rows with gaps, as far as the parameters tell."""
        classes = getattr(self, "classes_", ())
        prior = getattr(self, "prior", None)  # or groups, whose comparison with a text is an array
        return "imputations" in self._options and not (isinstance(prior, str) and prior == "laplace") and len(classes) <= 2

    def _remedy_of_gap(self) -> str:
        """What can be done about a gap in a table of a fit."""
        return "leave out such rows" + (", or fit with missing='drop'" if "missing" in self._options else "")

    def _remedy_of_new_gap(self) -> str:
        """What can be done about a gap in new rows."""
        if not self._can_impute:
            return "leave out such rows, or fill the gaps"
        return "leave out such rows, or fit the model again with missing='impute'; it then predicts rows with gaps, too"

    def _columns_for_library(self) -> dict[str, Any]:
        """Names of the columns, or how they are made of a table, as options of the library."""
        if self._encoding is not None:
            return {"encoding": self._encoding.handle, "reference": self._encoding.reference}
        names = getattr(self, "feature_names_in_", None)
        return {"column_names": None if names is None else list(names)}

    def _knows_texts_of(self, X: Any) -> bool:
        """Whether a model of numbers may read a table: the columns are those of the fit, and texts among them may be true and false."""
        names = list(getattr(self, "feature_names_in_", ()))
        return hasattr(self, "_model") and len(names) > 0 and names_of(X) == names and holds_text(X)

    def _without_others(self, X: Any) -> Any:
        """A table that has more columns than those of the fit, such as the target or an identifier: these, in their order."""
        names, given = getattr(self, "feature_names_in_", ()), names_of(X) or ()
        return X[list(names)] if 0 < len(names) < len(given) and set(names) <= set(given) else X

    def _encoded(self, y: Any) -> np.ndarray:
        """Sets classes_; returns the positions of the labels in it; NaN where y has no value.
        The numbers of a regression stay as they are."""
        if self._is_regression:
            return y
        y = np.asarray(y)
        gaps = gaps_in(y) if self._may_miss else np.zeros(y.shape[:1], dtype=bool)
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

    def _class_names(self) -> list[str]:
        """The labels as texts; none of a regression."""
        return [] if self._is_regression else [str(label) for label in getattr(self, "classes_")]

    def _column_names(self) -> Sequence[str]:
        """The name of each coefficient: the names in the data; x1, x2, ... for arrays; "sex=male" for text columns."""
        if self._encoding is not None:
            return self._encoding.columns
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j + 1}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _references(self) -> list[str]:
        """The levels that others are compared with, as the library takes them."""
        reference = getattr(self, "reference", None) or {}
        return [f"{column}={level}" for column, level in reference.items()]

    # ---- warnings of the library

    def _warn(self, result: _core.Result, spoken: Optional[Estimator] = None) -> None:
        """Issues the warnings of a result."""
        spoken = spoken or self
        for message in result.value("warnings"):
            warnings.warn(spoken._translated(message), ArdvarkWarning, stacklevel=_depth())
        if result.text("status") not in ("converged", "stopped_by_user"):
            message = f"{type(self).__name__}: {spoken._translated(result.text('message'))}"
            warnings.warn(message, ConvergenceWarning, stacklevel=_depth())
