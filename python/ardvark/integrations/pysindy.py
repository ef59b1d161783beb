"""An optimizer for `pysindy`: the terms of an equation with their probabilities.

It needs pysindy: ``pip install "ardvark[pysindy]"``.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Optional, Sequence

import numpy as np

try:
    import pysindy
except ModuleNotFoundError as error:
    if error.name != "pysindy":
        raise
    raise ImportError("ardvark.integrations.pysindy needs pysindy 2.1 or later: pip install 'ardvark[pysindy]'") from None

from .._abi import InvalidArgumentError
from .._linear import BayesianLinearRegression
from ._finite import require_finite

__all__ = ["ArdvarkOptimizer", "terms"]

_PRIORS = ("auto", "slab", "sparse")


class ArdvarkOptimizer(pysindy.BaseOptimizer):
    """Finds the terms of each equation by a sparse Bayesian regression, with the probability of each term.

    An optimizer for `pysindy.SINDy`, in the place of `pysindy.STLSQ`. There is no threshold of coefficients to choose. The library of terms may
    have any units: the scale of a column does not matter.

    Parameters
    ----------
    prior : {"slab", "sparse", "auto"}, default="slab"
        "slab": a term is in the equation, or it is not. "sparse", which is what "auto" takes: all terms may have a small coefficient in
        addition. Smoothing and noise in the library leave many small errors, and "sparse" may explain these by all terms together and
        find none.
    threshold : float, default=0.5
        Terms with a smaller ``inclusion_`` have a coefficient of exactly 0; in [0, 1]. Two terms that the rows cannot tell apart share the
        probability of one: a smaller value, such as 0.2, keeps both, where a missed term costs more than a false one.
    rows_per_observation : float, default=1.0
        How many rows tell as much as one independent observation, >= 1. Derivatives that are smoothed over k rows have errors that are alike
        over about k rows: give k. Of a weak form with K domains of half the length H in a record of length T, K H / T is on the safe side. With
        1, the rows count as independent, and terms that are not there become certain.
    normalize_columns : bool, default=False
        As in the other optimizers of pysindy. The result does not depend on it.
    unbias : bool, default=False
        Must be False: pysindy would replace the posterior means by least squares.
    copy_X : bool, default=True
        As in the other optimizers of pysindy. X is never changed.
    n_jobs : int, default=None
        Number of threads; -1 for all cores. The result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        Posterior means; exactly 0 below the threshold.
    coef_std_ : ndarray of shape (n_targets, n_features)
        Posterior standard deviations, also of the terms that are left out.
    inclusion_ : ndarray of shape (n_targets, n_features)
        Probability that the term is in the equation.
    noise_std_ : ndarray of shape (n_targets,)
        Standard deviation of the errors of each derivative (in a weak form: of each integral).
    ind_ : ndarray of shape (n_targets, n_features), bool
        Terms that are kept.
    model_ : BayesianLinearRegression
        The fit before the threshold: its ``coef_`` are the posterior means of all terms, and ``predict(Theta, return_std=True)`` has standard
        deviations. It counts columns from 1: its 'x1' is the first term, ``coef_[:, 0]``.
    n_left_out_ : int
        Rows without any derivative, as `pysindy.FiniteDifference` leaves at the ends with ``drop_endpoints=True``. They are not in the fit.
    history_, Theta_, intercept_, n_features_in_
        As in the other optimizers of pysindy.

    Examples
    --------
    >>> import numpy as np
    >>> import pysindy
    >>> from ardvark.integrations.pysindy import ArdvarkOptimizer, terms
    >>> t = np.arange(0, 20, 0.01)
    >>> rng = np.random.default_rng(0)
    >>> x = np.stack([np.exp(-0.1 * t) * np.cos(2 * t), -np.exp(-0.1 * t) * np.sin(2 * t)], axis=1) + 1e-3 * rng.normal(size=(len(t), 2))
    >>> smoothed = pysindy.SmoothedFiniteDifference(smoother_kws={"window_length": 21})
    >>> model = pysindy.SINDy(ArdvarkOptimizer(rows_per_observation=21), differentiation_method=smoothed).fit(x, t=t)
    >>> model.print(precision=1)
    (x0)' = -0.1 x0 +  2.0 x1
    (x1)' = -2.0 x0 + -0.1 x1
    >>> terms(model).query("kept")["inclusion"].min().item() > 0.99
    True
    """

    def __init__(
        self,
        prior: str = "slab",
        *,
        threshold: float = 0.5,
        rows_per_observation: float = 1.0,
        normalize_columns: bool = False,
        unbias: bool = False,
        copy_X: bool = True,
        n_jobs: Optional[int] = None,
    ):
        super().__init__(normalize_columns=normalize_columns, copy_X=copy_X, unbias=unbias)
        self.prior = prior
        self.threshold = threshold
        self.rows_per_observation = rows_per_observation
        self.n_jobs = n_jobs

    def set_params(self, **parameters: Any) -> ArdvarkOptimizer:
        """Sets parameters.

        Parameters
        ----------
        **parameters
            Those of the constructor, by name.

        Returns
        -------
        self : ArdvarkOptimizer
            The same object. Other optimizers of pysindy return None, so that searches of scikit-learn do not work with them.

        Examples
        --------
        >>> from ardvark.integrations.pysindy import ArdvarkOptimizer
        >>> ArdvarkOptimizer().set_params(threshold=0.9).threshold
        0.9
        """
        super().set_params(**parameters)
        return self

    def fit(self, x_: Any, y: Any, sample_weight: Any = None) -> ArdvarkOptimizer:
        """Fits each equation.

        Parameters
        ----------
        x_ : array-like of shape (n_samples, n_features)
            The terms of the library. Finite numbers.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The derivatives. Finite numbers; a row may be all NaN, and is then left out.
        sample_weight : float or array-like of shape (n_samples,), default=None
            >= 0, not all zero. A weight equals repetition of the row.

        Returns
        -------
        self : ArdvarkOptimizer
            Fitted.

        Raises
        ------
        InvalidArgumentError
            An argument is wrong. The message names the argument, the value and the constraint.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark.integrations.pysindy import ArdvarkOptimizer
        >>> X = np.random.default_rng(0).normal(size=(100, 3))
        >>> ArdvarkOptimizer().fit(X, X[:, :2]).coef_.round(3) + 0
        array([[1., 0., 0.],
               [0., 1., 0.]])
        """
        self._check_parameters()
        X, Y = _numbers("X", x_), _numbers("y", y)
        if X.ndim != 2 or Y.ndim not in (1, 2) or len(X) != len(Y):
            why = "they must be a matrix, and a vector or matrix with the same number of rows"
            raise InvalidArgumentError(f"X has the shape {X.shape} and y {Y.shape}; {why}", "y", value=str(Y.shape), why=why)
        Y = Y[:, None] if Y.ndim == 1 else Y
        weights = None if sample_weight is None else np.asarray(sample_weight, float)
        if weights is not None and weights.shape not in ((), (len(X),)):
            why = f"it must be a number, or a vector with a number for each row: {len(X)}"
            raise InvalidArgumentError(f"sample_weight has the shape {weights.shape}; {why}", "sample_weight", value=str(weights.shape), why=why)
        weights = None if weights is None else np.broadcast_to(weights, len(X))
        self.n_left_out_ = 0
        require_finite("X", X, "term of coef_[:, {}]")
        if not np.isfinite(Y).all():
            rows = ~np.isnan(Y).all(axis=1)
            require_finite("y", np.where(rows[:, None], Y, 0.0), "equation of coef_[{}]")
            self.n_left_out_ = int((~rows).sum())
            X, Y, weights = X[rows], Y[rows], None if weights is None else weights[rows]
        if self.rows_per_observation > 1:
            weights = (np.ones(len(X)) if weights is None else weights) / self.rows_per_observation
        self.n_features_in_ = X.shape[1]
        self.Theta_ = X
        self._reduce(X, Y, weights)
        self.history_ = [self.coef_]
        self.intercept_ = 0.0
        return self

    def _reduce(self, x: np.ndarray, y: np.ndarray, weights: Optional[np.ndarray] = None) -> None:
        """The regressions. The columns of the library include the constant, if it is a candidate: the model has no intercept of its own."""
        model = BayesianLinearRegression(self.prior, fit_intercept=False, n_jobs=self.n_jobs)
        is_one = y.shape[1] == 1
        self.model_ = model.fit(x, y[:, 0] if is_one else y, weights)
        self.inclusion_, self.coef_std_ = np.atleast_2d(model.inclusion_), np.atleast_2d(model.coef_std_)
        self.noise_std_ = np.atleast_1d(model.alpha_**-0.5) if is_one else model.noise_std_
        self.ind_ = self.inclusion_ >= self.threshold
        self.coef_ = np.where(self.ind_, np.atleast_2d(model.coef_), 0.0)

    def _check_parameters(self) -> None:
        if self.unbias is not False:
            why = "unbias=True replaces the posterior means by least squares of the terms that are kept, and their standard deviations would be those of other numbers"
            raise InvalidArgumentError(f"unbias is {self.unbias!r}; {why}; set unbias=False", "unbias", value=str(self.unbias), why=why, remedy="set unbias=False")
        if self.prior not in _PRIORS:
            why = "it must be one of 'slab', 'sparse' and 'auto': other priors do not say which terms are in an equation"
            raise InvalidArgumentError(f"prior is {self.prior!r}; {why}", "prior", value=str(self.prior), why=why)
        for name, low, high in (("threshold", 0.0, 1.0), ("rows_per_observation", 1.0, np.inf)):
            value = getattr(self, name)
            if not isinstance(value, Real) or isinstance(value, bool) or not low <= float(value) <= high or np.isinf(float(value)):
                why = "it must be a number between 0 and 1" if high == 1 else "it must be a number of at least 1"
                raise InvalidArgumentError(f"{name} is {value!r}; {why}", name, value=str(value), why=why)


def terms(model: Any, equations: Optional[Sequence[str]] = None) -> Any:
    """The candidate terms of each equation, with their probabilities.

    Parameters
    ----------
    model : pysindy.SINDy
        Fitted, with an `ArdvarkOptimizer`.
    equations : list of str, default=None
        Names of the equations; by default those of the variables.

    Returns
    -------
    terms : DataFrame of pandas
        A row for each equation and term, which are its index: ``mean`` and ``std`` of the posterior, ``inclusion``, and ``kept``, whether the
        equation has the term.

    Raises
    ------
    TypeError
        The optimizer of the model is another one.

    Examples
    --------
    >>> import numpy as np
    >>> import pysindy
    >>> from ardvark.integrations.pysindy import ArdvarkOptimizer, terms
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 1))
    >>> model = pysindy.SINDy(ArdvarkOptimizer(), pysindy.PolynomialLibrary(degree=2))
    >>> model = model.fit(x, t=0.01, x_dot=-2 * x + 0.1 * rng.normal(size=(200, 1)))
    >>> terms(model).query("kept")["mean"].round(1)
    equation  term
    x0        x0     -2.0
    Name: mean, dtype: float64
    """
    import pandas

    optimizer = model.optimizer
    if not isinstance(optimizer, ArdvarkOptimizer):
        raise TypeError(f"the optimizer of the model is {type(optimizer).__name__}; terms is of a model with an ArdvarkOptimizer")
    names = model.get_feature_names()
    equations = list(model.feature_names)[: len(optimizer.coef_)] if equations is None else list(equations)
    columns = {
        "mean": np.atleast_2d(optimizer.model_.coef_),
        "std": optimizer.coef_std_,
        "inclusion": optimizer.inclusion_,
        "kept": optimizer.ind_,
    }
    index = pandas.MultiIndex.from_product([equations, names], names=["equation", "term"])
    return pandas.DataFrame({name: values.ravel() for name, values in columns.items()}, index=index)


def _numbers(name: str, values: Any) -> np.ndarray:
    values = np.asarray(values)
    if values.dtype.kind == "c":
        why = "the regression is of real numbers"
        remedy = "give real and imaginary parts as variables of their own"
        raise InvalidArgumentError(f"{name} is complex; {why}; {remedy}", name, value=str(values.dtype), why=why, remedy=remedy)
    return values.astype(np.float64, copy=False)
