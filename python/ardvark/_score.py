"""Fits of a linear score: a coefficient for each column (with several classes, for each column and class)."""

from __future__ import annotations

import operator
from functools import cached_property
from statistics import NormalDist
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._abi import InvalidArgumentError
from ._base import _defaults
from ._fitted import FittedModel
from ._given import listed
from ._docs import assembled
from ._options import refuse_no_word
from ._posterior import WithPosterior
from ._tables import sentence_near

Columns = Sequence[Union[int, str]]
Prior = Union[str, Sequence[int], np.ndarray, Sequence[Columns], Mapping[str, Columns]]

_SPARSE_PRIORS = ("sparse", "slab", "dense")
_SPARSE_ATTRIBUTES = ("inclusion_", "dense_fraction_", "starts_", "start_bounds_", "start_weights_", "alternatives_", "undecided_")


class Alternatives(NamedTuple):
    """Columns of which one has an effect, but the data cannot tell which one.

    Attributes
    ----------
    columns : ndarray of int
        The smallest set with 95% of the probability; the most probable column first.
    probability : ndarray of float
        Probability that this column has the effect.
    inclusion : float
        Probability that there is an effect at all.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat(rng.normal(size=(100, 20)), 2, axis=1)
    >>> y = 2 * X[:, 0] + rng.normal(size=100)
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     model = BayesianLinearRegression(prior="sparse").fit(X, y)
    >>> sorted(model.alternatives_[0].columns.tolist())
    [0, 1]
    """

    columns: np.ndarray
    probability: np.ndarray
    inclusion: float


class EffectSet(NamedTuple):
    """Columns of which at least one has an effect, as `select` names them.

    Attributes
    ----------
    columns : ndarray of int
        Positions in ``columns_``; the most probable column first.
    names : list of str
        Their names.
    probability : float
        Probability that one of them, or more, has an effect.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat(rng.normal(size=(100, 20)), 2, axis=1)
    >>> model = BayesianLinearRegression("slab", fdr=0.1).fit(X, 2 * X[:, 0] + rng.normal(size=100))
    >>> sorted(model.select(0.01)[0].columns.tolist())
    [0, 1]
    """

    columns: np.ndarray
    names: list[str]
    probability: float


class LambdaPath(NamedTuple):
    """How cross-validation chose the lambda of prior="laplace".

    The loss is that of rows that a fit has not seen: the squared error of a regression, the log loss (nats) of classes.

    Attributes
    ----------
    lambda_min, lambda_1se : float
        The lambda with the smallest loss, and the largest whose loss is at most one standard error above it.
    lambdas : ndarray of shape (n_lambdas,)
        Falling.
    loss, loss_error : ndarray of shape (n_lambdas,)
        Mean per row, and its standard error from the folds.
    n_nonzero : ndarray of shape (n_lambdas,), int
        Number of coefficients that are not zero in the fit to all rows.
    coef : ndarray of shape (n_lambdas, n_coefficients) or None
        Coefficients of the fits to all rows; None after loading from a file.
    intercept : ndarray of shape (n_lambdas,) or None
        Intercepts of the same fits; None also without an intercept.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> model = BayesianLinearRegression("laplace").fit(X, X[:, 0] + rng.normal(size=100))
    >>> path = model.lambda_path_
    >>> path.coef.shape == (path.lambdas.size, 5), model.lambda_ == path.lambda_min <= path.lambda_1se
    (True, True)
    """

    lambda_min: float
    lambda_1se: float
    lambdas: np.ndarray
    loss: np.ndarray
    loss_error: np.ndarray
    n_nonzero: np.ndarray
    coef: Optional[np.ndarray]
    intercept: Optional[np.ndarray] = None


def _wrong_column(argument: str, column: Any, fault: str) -> InvalidArgumentError:
    """An argument whose columns are not those of X. argument: its name, and the part of it, after a comma."""
    why, _, remedy = fault.partition("; ")
    fields = {"value": str(column), "why": why, "remedy": remedy}
    return InvalidArgumentError(f"{argument} {fault}", argument.partition(",")[0], **fields)  # type: ignore[arg-type]


def _lambda_path(found: Mapping[str, Any]) -> LambdaPath:
    lambdas, loss, error = (np.asarray(found[name], dtype=float) for name in ("lambda", "loss", "loss_error"))
    coef, intercept = (np.asarray(found[name], dtype=float) if name in found else None for name in ("mean", "intercept"))
    count = np.asarray(found["num_nonzero"], dtype=int)
    return LambdaPath(found["lambda_min"], found["lambda_1se"], lambdas, loss, error, count, coef, intercept)


@assembled
class LinearScore(WithPosterior, FittedModel):
    """The common part of fits with a coefficient for each column."""

    def _model_options(self) -> dict[str, Any]:
        return {"model": "linear" if self._is_regression else "logistic", **self._prior_options()}

    def select(self, fdr: float = 0.1) -> list[EffectSet]:
        """Which columns have an effect, at a stated false discovery rate.

        Of the sets of columns that are named, a share of ``fdr`` is expected to hold no column with an effect. Columns that the data cannot
        tell apart are one set, and a set counts once. The model must have been fitted with ``fdr``; it then answers for any rate. With
        ``guarantee="knockoffs"``, a set is one column.

        Parameters
        ----------
        fdr : float, default=0.1
            The rate, between 0 and 1.

        Returns
        -------
        sets : list of EffectSet
            Without a common column; empty if nothing can be named at this rate.

        Raises
        ------
        ValueError
            The model was fitted without ``fdr``.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 20))
        >>> model = BayesianLinearRegression(fdr=0.1).fit(X, X[:, 4] - X[:, 9] + rng.normal(size=200))
        >>> sorted(found.columns.tolist() for found in model.select(0.01))
        [[4], [9]]
        """
        check_is_fitted(self)
        try:
            found = self._model.at_fdr(fdr).value("selected")
        except ValueError as error:
            raise self._in_our_names(error) from None
        return [EffectSet(np.array(one["columns"], dtype=int), list(one["names"]), float(one["probability"])) for one in found]

    def _prior_options(self) -> dict[str, Any]:
        prior, flat, options = self.prior, self.flat, {}
        if not isinstance(prior, (str, Mapping)):
            prior = listed(prior)
        if isinstance(prior, Mapping):
            named = {f"group {name!r}": columns for name, columns in prior.items()}
            options = {"prior": "groups", "group": self._of_columns(self._groups(named))}
        elif not isinstance(prior, str):
            options = {"prior": "groups", "group": self._of_columns(self._listed_groups(prior))}
        elif prior == "groups":
            raise ValueError(
                "prior is 'groups'; give the groups themselves: [['a', 'b'], ['c']], {'name': columns}, or one number per column"
            )
        elif prior != "auto":
            refuse_no_word("prior", "prior", prior)
            options = {"prior": prior}
        if flat is not None and len(flat) > 0:
            features = [self._position(column, "flat") for column in listed(flat)]
            options["flat"] = features if self._encoding is None else np.flatnonzero(np.isin(self._encoding.feature_of_column, features))
        return options

    def _parameters_of(self, model: Any) -> dict[str, Any]:
        found, options = super()._parameters_of(model), model.value("options")
        encoding = model.encoding()
        cls: Any = type(self)
        defaults = _defaults(cls)
        first = [int(np.argmax(encoding.feature_of_column == f)) for f in np.unique(encoding.feature_of_column)]
        if "prior" in defaults:
            if "group" in options and options.get("prior") == "groups":
                found["prior"] = [int(g) for g in np.asarray(options["group"])[first]]
            elif "prior" in options:
                found["prior"] = options["prior"]
        if "flat" in options and "flat" in defaults:
            features = encoding.feature_of_column[np.asarray(options["flat"], dtype=int)]
            found["flat"] = sorted({encoding.features[f] for f in features})
        return found

    def _of_columns(self, group: np.ndarray) -> np.ndarray:
        """The groups of the columns of the table for the coefficients: a text column has several."""
        return group if self._encoding is None else group[self._encoding.feature_of_column]

    def _position(self, column: Union[int, str], argument: str) -> int:
        names = list(self._column_names() if self._encoding is None else self._encoding.features)
        if isinstance(column, str):
            if column not in names:
                raise _wrong_column(
                    argument, column, f"names the column {column!r}, which X does not have{sentence_near(column, names)}"
                )
            return names.index(column)
        if isinstance(column, bool):
            remedy = "it must hold names or positions of columns: of a mask, numpy.flatnonzero(mask)"
            raise _wrong_column(argument, column, f"holds {column}; {remedy}")
        if not -self.n_features_in_ <= column < self.n_features_in_:
            why = f"X has only {self.n_features_in_} columns"
            raise _wrong_column(argument, column, f"holds the column {column}; {why}")
        return int(column) % self.n_features_in_

    def _listed_groups(self, prior: Any) -> np.ndarray:
        """The groups from lists of columns, or from one number per column."""
        if isinstance(prior, list) and any(isinstance(part, list) for part in prior):
            for g, part in enumerate(prior):
                if not isinstance(part, list):
                    raise ValueError(
                        f"prior has {part!r} at position {g}; each entry must be a list of columns: write [{part!r}] for a group of one"
                    )
            return self._groups({f"group {g}": columns for g, columns in enumerate(prior)})
        group = np.asarray(prior)
        if group.dtype.kind not in "biuf":
            raise ValueError(
                f"prior is {prior!r}; groups must be lists of columns, [['a', 'b'], ['c']], or {{'name': columns}}, or one number per column"
            )
        if group.shape != (self.n_features_in_,):
            raise ValueError(
                f"prior has the shape {group.shape}; groups must have one number per column: {self.n_features_in_}"
            )
        return group

    def _groups(self, groups: Mapping[str, Columns]) -> np.ndarray:
        """A group number for each column; a column in no group becomes its own group."""
        number = np.full(self.n_features_in_, -1)
        for g, (name, columns) in enumerate(groups.items()):
            if isinstance(columns, str):
                why = f"is the text {columns!r}; it must be a list of columns: [{columns!r}]"
                raise _wrong_column(f"prior, {name},", columns, why)
            for column in listed(columns):
                j = self._position(column, f"prior, {name},")
                if number[j] >= 0:
                    raise _wrong_column("prior", column, f"has the column {column!r} in two groups")
                number[j] = g
        alone = np.flatnonzero(number < 0)
        number[alone] = len(groups) + np.arange(alone.size)
        return number

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.bound_ = model.number("bound")
        self.bound_comparable_ = bool(model.number("bound_comparable"))
        self.bound_history_ = model.array("bound_history")
        self._take_coefficients(model)
        self.support_ = model.array("relevant").astype(bool)
        self.lambda_ = _precisions(model, self.coef_.shape[-1])
        for name in (*_SPARSE_ATTRIBUTES, "lambda_path_", "sampled_"):  # left from an earlier fit
            self.__dict__.pop(name, None)
        if model.text("prior") in _SPARSE_PRIORS and self._is_one_score:
            self._take_sparse(model)
        self.effective_parameters_ = model.number("effective_parameters")
        if model.text("solver") == "iterative":
            self.sampled_ = model.value("sampled")

    def _take_sparse(self, model: _core.Model) -> None:
        self.inclusion_ = model.array("inclusion")
        self.undecided_ = model.array("undecided").astype(bool)
        self.dense_fraction_ = model.number("dense_fraction")
        self.starts_ = model.value("starts")
        self.start_bounds_ = np.array([np.nan if s["bound"] is None else s["bound"] for s in self.starts_])
        self.start_weights_ = np.array([start["weight"] for start in self.starts_])

    def _take_coefficients(self, model: _core.Model) -> None:
        self.coef_ = model.array("mean")
        self.coef_std_ = model.array("sd")
        self.relevance_ = model.array("relevance")
        self.direction_ = model.array("direction")

    @cached_property
    def alternatives_(self) -> list[Alternatives]:
        """Credible sets of columns: one of them has an effect, but the data cannot tell which. Only for sparse and slab.

        Any two columns of a set are correlated by .5 or more. An effect that many different columns could have has no set.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 5))
        >>> y = 2 * X[:, 1] + rng.normal(size=100)
        >>> model = BayesianLinearRegression("sparse").fit(X, y)
        >>> [alternatives.columns.tolist() for alternatives in model.alternatives_]
        [[1]]
        """
        check_is_fitted(self)
        if "inclusion_" not in self.__dict__:
            raise AttributeError("alternatives_ exists only for one score with the prior sparse, slab or dense")
        return [
            Alternatives(np.array(s["columns"]), np.array(s["probability"]), s["inclusion"])
            for s in self._model.value("credible_sets")
        ]

    @cached_property
    def lambda_path_(self) -> Union[LambdaPath, list[LambdaPath]]:
        """How ``lambda_`` was chosen, if prior is "laplace" and ``laplace_lambda`` is None; with several classes, one for each.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 5))
        >>> model = BayesianLogisticRegression("laplace", lambda_rule="1se").fit(X, X[:, 0] + rng.logistic(size=100) > 0)
        >>> model.lambda_ == model.lambda_path_.lambda_1se
        True
        """
        check_is_fitted(self)
        try:
            found = self._model.value("lambda_path")
        except ValueError:
            raise AttributeError('lambda_path_ exists only with prior="laplace" and without laplace_lambda') from None
        return [_lambda_path(one) for one in found] if isinstance(found, list) else _lambda_path(found)

    @property
    def scores_(self) -> np.ndarray:
        """The bound after each sweep, with the name that scikit-learn uses.

        Examples
        --------
        {examples.numbers}
        >>> model = BayesianLinearRegression().fit(X, y)
        >>> model.scores_.size == model.n_iter_, bool(model.scores_[-1] == model.bound_)
        (True, True)
        """
        check_is_fitted(self)
        return self.bound_history_

    def coef_interval(self, level: float = 0.95, *, standardized: bool = False) -> np.ndarray:
        """Central credible intervals of the coefficients.

        Parameters
        ----------
        {level}
        standardized : bool, default=False
            Whether the coefficients are per standard deviation of the column, and of the target of a regression, so that
            columns of any scale can be compared. A fit that does not scale its columns gives its coefficients.

        Returns
        -------
        interval : ndarray, the shape of coef_ and 2
            Lower and upper end, in the units of ``coef_`` unless standardized.

        Examples
        --------
        {examples.numbers}
        >>> BayesianLinearRegression().fit(X, y).coef_interval(0.9).round(1)[0].tolist()
        [2.0, 2.0]
        """
        check_is_fitted(self)
        if not standardized:
            return self._interval(level)
        mean = np.atleast_2d(self.coef_)
        inside = np.atleast_2d(self._model.array("standardized_mean"))[:, : mean.shape[1]]
        scale = np.divide(inside, mean, out=np.zeros_like(mean), where=mean != 0)
        return self._interval(level) * scale.reshape(*self.coef_.shape, 1)

    def coef_covariance(self, columns: Columns) -> np.ndarray:
        """Posterior covariance of some coefficients, which needs no matrix of all columns. Of a regression or two classes.

        Parameters
        ----------
        columns : sequence of int or str
            Positions in ``columns_``, or names from it.

        Returns
        -------
        covariance : ndarray of shape (n_columns, n_columns)
            Rows and columns of ``sigma_``.

        Raises
        ------
        ValueError
            There is no such column, or there are several scores.

        Examples
        --------
        {examples.numbers}
        >>> model = BayesianLinearRegression().fit(X, y)
        >>> bool(np.allclose(model.coef_covariance([2, 0]), model.sigma_[np.ix_([2, 0], [2, 0])]))
        True
        """
        check_is_fitted(self)
        place = {name: j for j, name in enumerate(self._weight_names())} if any(isinstance(j, str) for j in listed(columns)) else {}
        positions = []
        for column in listed(columns):
            if isinstance(column, str) and column not in place:
                raise _wrong_column("columns", column, f"names {column!r}, which is not in columns_{sentence_near(column, list(place))}")
            j = place[column] if isinstance(column, str) else operator.index(column)
            if not -self.coef_.shape[-1] <= j < self.coef_.shape[-1]:
                raise _wrong_column("columns", column, f"holds {column}; there are only {self.coef_.shape[-1]} coefficients")
            positions.append(j % self.coef_.shape[-1])
        try:
            return self._model.covariance_of(positions)
        except ValueError as error:
            raise self._in_our_names(error) from None

    def _interval(self, level: float) -> np.ndarray:
        if self._is_one_score:
            return self._model.at_level(level).array("interval").reshape(*self.coef_.shape, 2)
        if not 0 < level < 1:
            raise ValueError(f"level is {level}; it must lie between 0 and 1")
        half = NormalDist().inv_cdf(0.5 + 0.5 * level) * self.coef_std_  # Laplace's approximation: normal
        return np.stack([self.coef_ - half, self.coef_ + half], axis=-1)

    @property
    def columns_(self) -> list[str]:
        """The name of each coefficient. A text column has one for each level but the reference.

        Examples
        --------
        >>> import pandas
        >>> from ardvark import BayesianLinearRegression
        >>> table = pandas.DataFrame({"dose": [1, 2, 3, 4, 5, 6], "site": list("aababb"), "y": [1.1, 2.0, 3.8, 4.1, 5.9, 7.0]})
        >>> BayesianLinearRegression("ard").fit(table, target="y").columns_
        ['dose', 'site=b']
        """
        check_is_fitted(self)
        return list(self._column_names())

    def _weight_names(self) -> Sequence[str]:
        return self._column_names()


def _precisions(model: _core.Model, num_columns: int) -> Any:
    """E[alpha]: one number for a shared prior, else one per column: 0 if flat, infinite if left out."""
    prior = model.text("prior")
    if prior == "laplace":
        given = model.value("lambda")
        return np.array(given) if isinstance(given, list) else given
    if prior in _SPARSE_PRIORS:
        return None
    precision = model.array("precision")
    if precision.ndim == 2:
        return precision[:, :num_columns]
    if prior == "shared" and precision.size == 1:
        return float(precision[0])
    group = model.array("group").astype(int)
    out = np.where(group == -3, np.inf, 0.0)
    out[group >= 0] = precision[group[group >= 0]]
    return out


def _intercept(model: _core.Model, size: Optional[int] = None) -> Any:
    """Mean and standard deviation; zeros for a fit without an intercept."""
    try:
        mean, variance = model.array("intercept.mean"), model.array("intercept.variance")
    except ValueError:
        return (0.0, 0.0) if size is None else (np.zeros(size), np.zeros(size))
    return (float(mean), float(np.sqrt(variance))) if size is None else (mean, np.sqrt(variance))
