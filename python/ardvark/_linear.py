"""Linear and logistic regression: one coefficient a column, and a class where there are several."""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist
from typing import Any, Callable, ClassVar, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import Classifier, FittedModel, Regressor, _name
from ._docs import assembled
from ._posterior import WithPosterior

Columns = Sequence[Union[int, str]]
Prior = Union[str, Sequence[int], np.ndarray, Sequence[Columns], Mapping[str, Columns]]


_SPARSE_PRIORS = ("sparse", "slab", "dense")
_SPARSE_ATTRIBUTES = ("inclusion_", "dense_fraction_", "starts_", "start_bounds_", "start_weights_", "alternatives_")


class Alternatives(NamedTuple):
    """Columns of which one has an effect, and the data cannot tell which.

    Attributes
    ----------
    columns : ndarray of int
        Most probable first: the fewest that hold 95% of the probability.
    probability : ndarray of float
        That it is this one.
    inclusion : float
        That it is one at all.

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


@assembled
class LinearScore(WithPosterior, FittedModel):
    """What fits have that give each column a coefficient."""

    def _model_options(self) -> dict[str, Any]:
        """Which model, in the names of the library."""
        raise NotImplementedError

    def _prior_options(self) -> dict[str, Any]:
        prior, flat, options = self.prior, self.flat, {}
        if isinstance(prior, Mapping):
            named = {f"group {name!r}": columns for name, columns in prior.items()}
            options = {"prior": "groups", "group": self._groups(named)}
        elif not isinstance(prior, str):
            options = {"prior": "groups", "group": self._listed_groups(prior)}
        elif prior != "auto":
            options = {"prior": prior}
        if flat is not None and len(flat) > 0:
            options["flat"] = [self._position(column, "flat") for column in flat]
        return options

    def _position(self, column: Union[int, str], argument: str) -> int:
        names = list(self._column_names())
        if isinstance(column, str):
            if column not in names:
                raise ValueError(f"{argument} names the column {column!r}, which X does not have")
            return names.index(column)
        if not -self.n_features_in_ <= column < self.n_features_in_:
            raise ValueError(f"{argument} holds {column}; X has {self.n_features_in_} columns")
        return int(column) % self.n_features_in_

    def _listed_groups(self, prior: Any) -> np.ndarray:
        """Lists of columns, or one number a column."""
        if isinstance(prior, (list, tuple)) and any(isinstance(part, (list, tuple, np.ndarray)) for part in prior):
            for g, part in enumerate(prior):
                if not isinstance(part, (list, tuple, np.ndarray)):
                    raise ValueError(f"prior holds lists of columns, and at position {g} {part!r}: write [{part!r}] for a group of one")
            return self._groups({f"group {g}": columns for g, columns in enumerate(prior)})
        group = np.asarray(prior)
        if group.dtype.kind not in "biuf":
            raise ValueError(
                f"prior is {prior!r}; groups are lists of columns, [['a', 'b'], ['c']], or {{'name': columns}}, or one number a column"
            )
        if group.shape != (self.n_features_in_,):
            raise ValueError(
                f"prior has the shape {group.shape}; as groups it must have one number a column: {self.n_features_in_}"
            )
        return group

    def _groups(self, groups: Mapping[str, Columns]) -> np.ndarray:
        """A number for each column; those in no group are groups of their own."""
        number = np.full(self.n_features_in_, -1)
        for g, (name, columns) in enumerate(groups.items()):
            if isinstance(columns, str):
                raise ValueError(f"prior, {name}, is the text {columns!r}; it must be a list of columns: [{columns!r}]")
            for column in columns:
                j = self._position(column, f"prior, {name},")
                if number[j] >= 0:
                    raise ValueError(f"prior has the column {self._column_names()[j]!r} in two groups")
                number[j] = g
        alone = np.flatnonzero(number < 0)
        number[alone] = len(groups) + np.arange(alone.size)
        return number

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.bound_ = model.number("bound")
        self.bound_history_ = model.array("bound_history")
        self._take_coefficients(model)
        self.support_ = model.array("relevant").astype(bool)
        self.lambda_ = _precisions(model, self.n_features_in_)
        for name in _SPARSE_ATTRIBUTES:  # of an earlier fit
            self.__dict__.pop(name, None)
        if model.text("prior") in _SPARSE_PRIORS and self._is_one_score:
            self._take_sparse(model)
        self.effective_parameters_ = model.number("effective_parameters")

    def _take_sparse(self, model: _core.Model) -> None:
        self.inclusion_ = model.array("inclusion")
        self.dense_fraction_ = model.number("dense_fraction")
        self.starts_ = model.value("starts")
        self.start_bounds_ = np.array([np.nan if s["bound"] is None else s["bound"] for s in self.starts_])
        self.start_weights_ = np.array([start["weight"] for start in self.starts_])
        self.alternatives_ = [
            Alternatives(np.array(s["columns"]), np.array(s["probability"]), s["inclusion"])
            for s in model.value("credible_sets")
        ]

    def _take_coefficients(self, model: _core.Model) -> None:
        self.coef_ = model.array("mean")
        self.coef_std_ = model.array("sd")
        self.relevance_ = model.array("relevance")

    @property
    def scores_(self) -> np.ndarray:
        """The bound after each sweep, as scikit-learn calls it.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
        >>> model = BayesianLinearRegression().fit(X, y)
        >>> model.scores_.size == model.n_iter_, bool(model.scores_[-1] == model.bound_)
        (True, True)
        """
        check_is_fitted(self)
        return self.bound_history_

    def coef_interval(self, level: float = 0.95) -> np.ndarray:
        """Central credible intervals of the coefficients.

        Parameters
        ----------
        {level}

        Returns
        -------
        interval : ndarray, the shape of coef_ and 2
            Lower and upper end, in the units of ``coef_``.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
        >>> BayesianLinearRegression().fit(X, y).coef_interval(0.9).round(1)[0].tolist()
        [2.0, 2.0]
        """
        check_is_fitted(self)
        if self._is_one_score:
            return self._model.at_level(level).array("interval").reshape(*self.coef_.shape, 2)
        if not 0 < level < 1:
            raise ValueError(f"level is {level}; it must lie between 0 and 1")
        half = NormalDist().inv_cdf(0.5 + 0.5 * level) * self.coef_std_  # Laplace's approximation: normal
        return np.stack([self.coef_ - half, self.coef_ + half], axis=-1)

    def _weight_names(self) -> Sequence[str]:
        return self._column_names()


def _precisions(model: _core.Model, num_columns: int) -> Any:
    """E[alpha]: one number of a shared prior, else one a column: 0 flat, infinite of one left out."""
    prior = model.text("prior")
    if prior == "laplace":
        return model.number("lambda")
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


@assembled
class BayesianLinearRegression(RegressorMixin, Regressor, LinearScore):
    """Bayesian linear regression: few effects over many small ones, or a precision for all columns, each, or each group.

    Variational Bayes: how large effects are, and how many, the data say, the noise has a distribution, and
    predictions know how unsure they are. Scaling or shifting a column changes nothing; a weight equals repetition.

    Parameters
    ----------
    prior : str, array-like of shape (n_features,) or dict, default="auto"
        "auto", "sparse", "slab", "dense", "shared", "ard" or "none", or groups of columns. "sparse", which
        "auto" takes, is few effects of their own over many small ones, each known only from the data, and honest
        whether columns are few or many beside rows; "slab" is the few alone, "dense" the many alone. Otherwise,
        what shares a precision: all columns ("shared"), none ("ard"), or the columns of one group, given as one
        number a column, as lists of columns, ``[["a", "b"], ["c", "d"]]``, or as ``{"name": [columns]}``;
        columns (names or positions) in no group are alone. "none" is the classical answer. Beside an option that
        "sparse" has no meaning for (posterior="factorised", alpha_1, alpha_2, lambda_1, lambda_2, alpha_init,
        lambda_init, update_rule, prune_at, solver) "auto" takes "ard" where rows are five times the columns, else
        "shared", and ``notes_`` says so.
    posterior : {"joint", "factorised"}, default="joint"
        Whether the prior of the weights is scaled by the noise. "factorised" is the model of
        `sklearn.linear_model.BayesianRidge` and ARDRegression.
    {flat}
    alpha_1, alpha_2 : float, default=None
        Shape and rate of the Gamma prior of the noise precision, > 0.
    {lambda_1}
    alpha_init : float, default=None
        Noise precision to begin with (posterior="factorised"), > 0.
    {lambda_init}
    {fit_intercept}
    standardize : bool, default=True
        Whether columns and target are centred and scaled inside. Results are in your units in any case.
    update_rule : {"vb", "mackay"}, default="vb"
        How the precisions move; both have the same fixed points.
    {prune_at, max_iter, tol}
    solver : {"automatic", "primal", "dual", "spectral"}, default="automatic"
    {n_jobs, verbose, callback}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Posterior mean, units of y per unit of the column.
    intercept_ : float
    coef_std_ : ndarray of shape (n_features,)
        Posterior standard deviation; infinite where too few rows leave it undetermined.
    intercept_std_ : float
    {sigma_}
    alpha_ : float
        Mean noise precision, 1 / units of y squared.
    lambda_ : float or ndarray of shape (n_features,)
        Mean precision of the weights, of columns as they are scaled inside (``standardize``) and, with
        posterior="joint", in units of the noise precision; a float under a shared prior, 0 of a flat column,
        infinite for one that took no part; None under a sparse prior.
    {relevance_}
    {sparse.inclusion_, sparse.dense_fraction_, sparse.starts_, sparse.start_bounds_, sparse.start_weights_}
    {sparse.alternatives_}
    support_ : ndarray of shape (n_features,), bool
        Columns that are kept: under a sparse prior those with an inclusion above one half; under "ard" a mild rule,
        which keeps about one in seven columns of noise; under "shared" and "dense" all.
    bound_ : float
        Lower bound on the log evidence, nats.
    {bound_history_, n_iter_, converged_, status_, notes_, effective_parameters_}
    posterior_ : Posterior
        ``posterior_.sample(n, random_state)`` draws coefficients, intercepts and noise precisions.
    {n_features_in_, feature_names_in_}

    Warns
    -----
    {sklearn.exceptions.ConvergenceWarning, ardvark.ArdvarkWarning}

    References
    ----------
    J. Drugowitsch (2013), Variational Bayesian inference for linear and logistic regression, arXiv:1310.5438.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
    >>> model = BayesianLinearRegression(prior="ard").fit(X, y)
    >>> model.coef_[0].round(1).item(), model.support_.tolist()
    (2.0, [True, False, False])
    >>> mean, std = model.predict(X[:1], return_std=True)
    >>> bool(abs(y[0] - mean[0]) < 4 * std[0])
    True
    """

    _options: ClassVar[dict[str, str]] = {
        "posterior": "posterior",
        "alpha_1": "a0",
        "alpha_2": "b0",
        "lambda_1": "c0",
        "lambda_2": "d0",
        "alpha_init": "start_noise",
        "lambda_init": "start_precision",
        "fit_intercept": "intercept",
        "standardize": "standardize",
        "update_rule": "update_rule",
        "prune_at": "prune_at",
        "max_iter": "max_sweeps",
        "tol": "tolerance",
        "solver": "solver",
        "n_jobs": "threads",
    }

    def __init__(
        self,
        prior: Prior = "auto",
        *,
        posterior: str = "joint",
        flat: Optional[Columns] = None,
        alpha_1: Optional[float] = None,
        alpha_2: Optional[float] = None,
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        alpha_init: Optional[float] = None,
        lambda_init: Union[None, float, Sequence[float]] = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        update_rule: str = "vb",
        prune_at: Optional[float] = None,
        max_iter: Optional[int] = None,
        tol: Optional[float] = None,
        solver: str = "automatic",
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self.prior = prior
        self.posterior = posterior
        self.flat = flat
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.alpha_init = alpha_init
        self.lambda_init = lambda_init
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.update_rule = update_rule
        self.prune_at = prune_at
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianLinearRegression:
        """Fits the model.

        Parameters
        ----------
        {fit.X, y, sample_weight}

        Returns
        -------
        {self}

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
        >>> BayesianLinearRegression().fit(X, y).coef_.round(1)[0].item()
        2.0
        """
        target = _name(y)
        X, y, weights, _ = self._checked(X, y, sample_weight, y_numeric=True)
        self._fit_model(X, y, weights, target=target, **self._model_options(), **self._given_options())
        return self

    def _model_options(self) -> dict[str, Any]:
        return {"model": "linear", **self._prior_options()}

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.intercept_, self.intercept_std_ = _intercept(model)
        rate = model.number("noise.rate")
        self.alpha_ = model.number("noise.shape") / rate if rate > 0 else np.nan  # of a fit that failed

    def _mean(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_ + self.intercept_


@assembled
class LogisticScore(ClassifierMixin, Classifier, LinearScore):
    """What fits of classes have in common: coefficients [classes, columns], of two classes one row."""

    @property
    def _is_one_score(self) -> bool:
        return self.classes_.size == 2 and self._model.array("mean").ndim == 1

    def _take_coefficients(self, model: _core.Model) -> None:
        self.coef_ = np.atleast_2d(model.array("mean"))
        self.coef_std_ = np.atleast_2d(model.array("sd"))
        self.relevance_ = model.array("relevance")
        self.intercept_, self.intercept_std_ = (
            np.atleast_1d(x) for x in _intercept(model, self.coef_.shape[0])
        )

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any) -> Any:
        target = _name(y)
        X, y, weights, _ = self._checked(X, y, sample_weight)
        codes = self._encoded(y)
        names = [str(label) for label in self.classes_]
        options = {"class_names": names, "target": target, **self._model_options(), **self._given_options()}
        self._fit_model(X, codes, weights, **options)
        return self

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
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
        >>> BayesianLogisticRegression().fit(X, y).predict([[2.0, 0, 0], [-2.0, 0, 0]]).tolist()
        ['yes', 'no']
        """
        if self._is_linear():  # a probability is above one half where the score is above 0  (PRED.2)
            X = self._checked_rows(X)
            return self.classes_[(X @ self.coef_[0] + self.intercept_[0] > 0).astype(int)]
        return super().predict(X)

    def predict_score(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of the score, of two classes: the log odds of ``classes_[1]`` given the weights.

        Under a sparse prior those of the average over its starts, their disagreement included.

        Parameters
        ----------
        {X}

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            ``X @ coef_[0] + intercept_[0]``.
        std : ndarray of shape (n_samples,)
            Of what the fit does not know of the weights.

        Raises
        ------
        ValueError
            There are more classes than two, and no one score.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
        >>> mean, std = BayesianLogisticRegression().fit(X, y).predict_score([[2.0, 0, 0], [-2.0, 0, 0]])
        >>> (mean > 0).tolist(), bool((std > 0).all())
        ([True, False], True)
        """
        rows = self._design(X)
        if not self._is_one_score:
            raise ValueError(f"predict_score is of two classes; {self.classes_.size} have probabilities: predict_proba")
        prediction = self._model.predict(rows)
        return prediction.array("mean"), np.sqrt(prediction.array("variance"))

    def _is_linear(self) -> bool:
        # Under a sparse prior probabilities are averaged over starts, of which each has a score of its own.
        return hasattr(self, "classes_") and self.coef_.shape[0] == 1 and not hasattr(self, "inclusion_")


def _intercept(model: _core.Model, size: Optional[int] = None) -> Any:
    """Mean and standard deviation; zeros of a fit without."""
    try:
        mean, variance = model.array("intercept.mean"), model.array("intercept.variance")
    except ValueError:
        return (0.0, 0.0) if size is None else (np.zeros(size), np.zeros(size))
    return (float(mean), float(np.sqrt(variance))) if size is None else (mean, np.sqrt(variance))


@assembled
class BayesianLogisticRegression(LogisticScore):
    """Bayesian logistic regression of two classes or more.

    Few effects over many small ones; one precision for all columns, one each (ARD), or one a group; or L1.
    Predicted probabilities are averaged over the posterior: a row that the fit is unsure of is nearer to one half.

    Parameters
    ----------
    prior : str, array-like of shape (n_features,) or dict, default="auto"
        "auto", "sparse", "slab", "dense", "shared", "ard", "none" or "laplace", or groups of columns. "sparse"
        is few effects of their own over many small ones, each known only from the data, and honest whether columns
        are few or many beside rows; "slab" is the few alone, "dense" the many alone; these three are of two
        classes, and of each class against another. Otherwise, what shares a precision: all columns ("shared"),
        none ("ard"), or the columns of one group, given as one number a column, as lists of columns,
        ``[["a", "b"], ["c", "d"]]``, or as ``{"name": [columns]}``; columns (names or positions) in no group are
        alone. "none" is maximum likelihood. "laplace" (two classes) is L1 with ``laplace_lambda``: the mode, and
        Laplace's approximation among the coefficients that are not zero. "auto" takes "sparse"; for a softmax of
        several classes, and beside an option that "sparse" has no meaning for (likelihood, lambda_1, lambda_2,
        lambda_init, update_rule, prune_at, solver), "ard" where rows are five times the columns, else "shared",
        and ``notes_`` says so.
    likelihood : {"vg", "jj", "laplace"}, default="vg"
        Two classes: the exact Gaussian variational posterior, the Jaakkola-Jordan bound (of the published
        programs; its intervals are too narrow; two classes only), or Laplace's approximation. More classes:
        always Laplace's.
    coding : {"softmax", "one-against-rest", "one-against-one"}, default="softmax"
        How more than two classes are told apart.
    precision_per_class : bool, default=False
        Softmax: a precision for each class and column, not one for a column's weights of all classes.
    laplace_lambda : float, default=None
        Of prior="laplace", > 0: 1/C of scikit-learn's LogisticRegression on standardised columns.
    {flat, lambda_1, lambda_init}
    {fit_intercept}
    standardize : bool, default=True
        Whether columns are centred and scaled inside. Results are in your units in any case.
    update_rule : {"vb", "mackay"}, default=None
        How the precisions move; both have the same fixed points. None: the library's choice for the number of
        classes.
    {prune_at, max_iter, tol}
    solver : {"automatic", "primal", "dual"}, default="automatic"
    {n_jobs, verbose, callback}

    Attributes
    ----------
    {classes.classes_, classes.coef_, classes.intercept_, classes.coef_std_, classes.sigma_}
    {classes.lambda_, classes.relevance_, classes.support_, classes.bound_, bound_history_, n_iter_}
    {sparse.inclusion_, sparse.dense_fraction_, sparse.starts_, sparse.start_bounds_, sparse.start_weights_}
    {sparse.alternatives_, converged_, status_, notes_, effective_parameters_, classes.posterior_, n_features_in_}
    {feature_names_in_}

    Warns
    -----
    {sklearn.exceptions.ConvergenceWarning, ardvark.ArdvarkWarning}

    References
    ----------
    T. S. Jaakkola and M. I. Jordan (2000), Bayesian parameter estimation via variational methods, Statistics
    and Computing 10. J. Drugowitsch (2013), Variational Bayesian inference for linear and logistic
    regression, arXiv:1310.5438.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
    >>> model = BayesianLogisticRegression(prior="ard").fit(X, y)
    >>> model.classes_.tolist(), model.support_.tolist()
    (['no', 'yes'], [True, False, False])
    >>> bool(model.predict_proba([[2.0, 0, 0]])[0, 1] > 0.9)
    True
    """

    _options: ClassVar[dict[str, str]] = {
        "likelihood": "likelihood",
        "coding": "coding",
        "precision_per_class": "precision_per_class",
        "laplace_lambda": "lambda",
        "lambda_1": "a0",
        "lambda_2": "b0",
        "lambda_init": "start_precision",
        "fit_intercept": "intercept",
        "standardize": "standardize",
        "update_rule": "update_rule",
        "prune_at": "prune_at",
        "max_iter": "max_sweeps",
        "tol": "tolerance",
        "solver": "solver",
        "n_jobs": "threads",
    }

    def __init__(
        self,
        prior: Prior = "auto",
        *,
        likelihood: str = "vg",
        coding: str = "softmax",
        precision_per_class: bool = False,
        laplace_lambda: Optional[float] = None,
        flat: Optional[Columns] = None,
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        lambda_init: Union[None, float, Sequence[float]] = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        update_rule: Optional[str] = None,
        prune_at: Optional[float] = None,
        max_iter: Optional[int] = None,
        tol: Optional[float] = None,
        solver: str = "automatic",
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self.prior = prior
        self.likelihood = likelihood
        self.coding = coding
        self.precision_per_class = precision_per_class
        self.laplace_lambda = laplace_lambda
        self.flat = flat
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.lambda_init = lambda_init
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.update_rule = update_rule
        self.prune_at = prune_at
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianLogisticRegression:
        """Fits the model.

        Parameters
        ----------
        {fit.X, classes.y, sample_weight}

        Returns
        -------
        {self}

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
        >>> model = BayesianLogisticRegression().fit(X, y, sample_weight=np.ones(300))
        >>> model.status_, model.classes_.tolist()
        ('converged', ['no', 'yes'])
        """
        return self._fit_classes(X, y, sample_weight)

    def _model_options(self) -> dict[str, Any]:
        return {"model": "logistic", **self._prior_options()}

    def _given_options(self) -> dict[str, Any]:
        options = super()._given_options()
        if self.classes_.size == 2:
            for name in ("coding", "precision_per_class"):
                options.pop(name, None)
        elif options.get("likelihood") == "laplace":
            del options["likelihood"]  # what several classes have in any case
        return options

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        is_l1 = isinstance(self.prior, str) and self.prior == "laplace"
        tags.classifier_tags.multi_class = not is_l1 and self.likelihood != "jj"
        return tags


@assembled
class SparseLogisticRegression(LogisticScore):
    """The sparse logistic regressions of the SLR toolbox: few rows, very many columns, few of which matter.

    Parameters
    ----------
    algorithm : str, default="slr_var"
        "slr_var" (bound of Jaakkola and Jordan), "slr_lap" (Laplace's approximation), both with one precision
        a column, pruned; "rlr_var", "rlr_lap", one precision for all columns; "l1_slr_lap", "l1_slr_c", L1;
        "smlr", "rmlr", softmax of several classes.
    multi_class : {"ovr", "ovo"}, default="ovr"
        More than two classes and an algorithm of two: each class against the rest, or each pair.
    laplace_lambda : float, default=None
        Of the L1 algorithms, > 0.
    compat : bool, default=False
        Exactly as published, defects included.
    {max_iter}
    tol : float, default=None
        Of the algorithm's stopping rule.
    {n_jobs, verbose, callback}

    Attributes
    ----------
    {classes.classes_, classes.coef_, classes.intercept_, classes.coef_std_, classes.sigma_}
    {classes.lambda_, classes.relevance_, classes.support_, classes.bound_, bound_history_, n_iter_}
    {sparse.inclusion_, sparse.dense_fraction_, sparse.starts_, sparse.start_bounds_, sparse.start_weights_}
    {sparse.alternatives_, converged_, status_, notes_, effective_parameters_, classes.posterior_, n_features_in_}
    {feature_names_in_}

    Warns
    -----
    {sklearn.exceptions.ConvergenceWarning, ardvark.ArdvarkWarning}

    References
    ----------
    O. Yamashita et al. (2008), Sparse estimation automatically selects voxels relevant for the decoding of
    fMRI activity patterns, NeuroImage 42. Toolbox of sparse logistic regressions, 1.2.1alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import SparseLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 300))
    >>> y = (3 * X[:, 7] + rng.logistic(size=60) > 0).astype(int)
    >>> model = SparseLogisticRegression().fit(X, y)
    >>> bool(model.support_[7]), bool(model.support_.sum() < 30)
    (True, True)
    """

    _options: ClassVar[dict[str, str]] = {
        "laplace_lambda": "lambda",
        "compat": "compat",
        "max_iter": "max_sweeps",
        "tol": "tolerance",
        "n_jobs": "threads",
    }

    def __init__(
        self,
        algorithm: str = "slr_var",
        *,
        multi_class: str = "ovr",
        laplace_lambda: Optional[float] = None,
        compat: bool = False,
        max_iter: Optional[int] = None,
        tol: Optional[float] = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self.algorithm = algorithm
        self.multi_class = multi_class
        self.laplace_lambda = laplace_lambda
        self.compat = compat
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SparseLogisticRegression:
        """Fits the model.

        Parameters
        ----------
        {fit.X, classes.y, sample_weight}

        Returns
        -------
        {self}

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import SparseLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(90, 20))
        >>> y = np.digitize(3 * X[:, 7] + rng.logistic(size=90), [-2, 2])
        >>> SparseLogisticRegression("smlr").fit(X, y).coef_.shape
        (3, 20)
        """
        return self._fit_classes(X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        known, of_two = _toolbox()
        tags.classifier_tags.multi_class = (
            self.algorithm not in of_two or f"{self.algorithm}_{self.multi_class}" in known
        )
        return tags

    def _model_options(self) -> dict[str, Any]:
        """The library's name of the algorithm for these classes."""
        if self.multi_class not in ("ovr", "ovo"):
            raise ValueError(f"multi_class is {self.multi_class!r}; it must be 'ovr' or 'ovo'")
        known, of_two = _toolbox()
        if self.algorithm not in known:
            raise ValueError(f"algorithm is {self.algorithm!r}; it must be one of {', '.join(known)}")
        if self.classes_.size == 2 or self.algorithm not in of_two:
            return {"preset": self.algorithm}
        return {"preset": f"{self.algorithm}_{self.multi_class}"}


@lru_cache(maxsize=None)
def _toolbox() -> tuple[list[str], list[str]]:
    """Names of the toolbox's algorithms on columns, and of those that are of two classes."""
    presets = [
        p
        for p in _core.catalogue()["presets"]
        if "SLR toolbox" in p["description"] and p["name"] != "slr_rvm"
    ]
    return [p["name"] for p in presets], [
        p["name"] for p in presets if not p["description"].startswith("several classes")
    ]
