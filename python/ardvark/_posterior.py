"""The posterior of a linear score, for drawing samples."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from ._core import Model, Result
from ._docs import assembled

__all__ = ["Draws", "Posterior", "WithPosterior"]

_MOST_WEIGHTS = 10_000  # of a matrix of all weights: 800 MB, as in the library


class Draws(NamedTuple):
    """Draws from a posterior.

    Attributes
    ----------
    coef : ndarray of shape (n_draws, n_features) or (n_draws, n_scores, n_features)
        Coefficients per unit of the column, in the units of the target (regression) or of log odds. With more than
        two classes, for each row of ``coef_``.
    intercept : ndarray of shape (n_draws,) or (n_draws, n_scores)
        Zeros for a fit without an intercept.
    noise_precision : ndarray of shape (n_draws,) or None
        For a regression: 1/variance of the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> draws = BayesianLinearRegression().fit(X, X @ [1, 2] + 3).posterior_.sample(7)
    >>> draws.coef.shape, draws.intercept.shape, draws.noise_precision.shape
    ((7, 2), (7,), (7,))
    """

    coef: np.ndarray
    intercept: np.ndarray
    noise_precision: Optional[np.ndarray]


@assembled
class Posterior:
    """The variational posterior of a linear score.

    For classifiers and counts it is normal, also where ``coef_interval`` is skewed. For a regression with
    ``posterior="joint"``, the noise precision tau is Gamma distributed. Given tau, the coefficients are normal with a covariance proportional to 1/tau; without tau, they are
    Student-t distributed. With ``"factorised"``, they are normal and independent of tau. Under the priors sparse, slab
    and dense, they are Student-t distributed with n_samples - 1 degrees of freedom (fewer with flat columns), and each draw
    is from one part of the average over starts or hyper-parameters. With very many columns, some of them have no probable effect,
    and a fit does not follow them: their draws are 0, and an effect of its own with the probability ``inclusion_``.  (SP.25), (SP.28)

    Attributes
    ----------
    mean : ndarray of shape (n_features,) or (n_features + 1,)
        Posterior mean. The intercept, if there is one, is last. With more than two classes, the means of one score
        follow those of the other.
    covariance : ndarray of the shape of mean, twice
        Posterior covariance, of up to 10,000 weights; infinite if a Student-t distribution has none. In a softmax, a constant can be
        added to the weights of all classes; therefore this is the covariance of weights that sum to zero over the classes.
    n_scores : int
        Number of rows of ``coef_``: 1 for a regression and for two classes.
    has_intercept : bool
        Whether each score has an intercept.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> posterior = BayesianLinearRegression().fit(X, X @ [1, 2] + 3).posterior_
    >>> posterior.has_intercept, posterior.mean.round(2).tolist(), posterior.covariance.shape
    (True, [1.0, 2.0, 3.0], (3, 3))
    """

    def __init__(self, model: Model, has_column_of_ones: bool = False):
        self._model = model
        mean = model.array("mean")
        own = _array(model, "intercept.mean")
        self._has_own_intercept = own is not None
        self.has_intercept = self._has_own_intercept or has_column_of_ones
        self.n_scores = mean.shape[0] if mean.ndim == 2 else 1
        self.mean = (mean if own is None else np.column_stack([np.atleast_2d(mean), np.ravel(own)])).ravel()

    @cached_property
    def covariance(self) -> np.ndarray:
        """Posterior covariance, in the order of ``mean``. Computed on first use.

        Raises
        ------
        AttributeError
            There are more than 10,000 weights: ask for the covariance of some columns, or for draws.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> BayesianLinearRegression().fit(X, X @ [1, 2] + 3).posterior_.covariance.shape
        (3, 3)
        """
        return self._of_all_weights("covariance")

    def _of_all_weights(self, name: str) -> np.ndarray:
        """The covariance as the attribute `name`."""
        if self.mean.size > _MOST_WEIGHTS:
            some = "coef_covariance(columns) gives that of some columns, and " if self.n_scores == 1 else ""
            draws = "posterior_.sample(n) draws" if self.n_scores == 1 else "coef_std_ has the standard deviations"
            raise AttributeError(
                f"{name} of {self.mean.size} weights would have {self.mean.size**2:.3g} numbers ({8e-9 * self.mean.size**2:.3g} GB), "
                f"and is made of up to {_MOST_WEIGHTS} weights; {some}{draws}"
            )
        return self._model.array("covariance")

    def sample(self, n: int = 1, random_state: Any = None) -> Draws:
        """Independent draws.

        Parameters
        ----------
        n : int, default=1
            Number of draws, 1 or more.
        {random_state}

        Returns
        -------
        draws : Draws
            ``coef`` (n, n_features), ``intercept`` (n,), ``noise_precision`` (n,) or None. With more than two
            classes: ``coef`` (n, n_scores, n_features), ``intercept`` (n, n_scores).

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> draws = BayesianLinearRegression().fit(X, X @ [1, 2] + 3).posterior_.sample(1000, random_state=0)
        >>> draws.coef.shape, draws.intercept.mean().round(2).item()
        ((1000, 2), 3.0)
        """
        from sklearn.utils import check_random_state

        if n < 1:
            raise ValueError(f"n is {n}; it must be at least 1")
        random = check_random_state(random_state)
        if self.n_scores == 1:
            return self._drawn(n, random.randint(2**31 - 1))
        normal = random.standard_normal((n, self.mean.size))
        w = (self.mean + normal @ _root(self.covariance).T).reshape(n, self.n_scores, -1)
        return Draws(w[..., :-1], w[..., -1], None) if self.has_intercept else Draws(w, np.zeros(w.shape[:-1]), None)

    def _drawn(self, n: int, seed: int) -> Draws:
        found = self._model.draws(n, seed)
        coef, noise = found.array("coef"), _array(found, "noise_precision")
        if self._has_own_intercept:
            return Draws(coef, found.array("intercept"), noise)
        return Draws(coef[:, :-1], coef[:, -1], noise) if self.has_intercept else Draws(coef, np.zeros(n), noise)


def _array(model: Result, name: str) -> Optional[np.ndarray]:
    """A result that not every model has."""
    try:
        return model.array(name)
    except ValueError:
        return None


def _root(covariance: np.ndarray) -> np.ndarray:
    """L with L L' = covariance. Columns that were left out have variance 0: their rows are 0."""
    active = np.flatnonzero(np.diag(covariance) > 0)
    block = covariance[np.ix_(active, active)]
    scale = np.sqrt(np.diag(block))
    correlation = block / np.outer(scale, scale)
    try:
        root = np.linalg.cholesky(correlation)
    except np.linalg.LinAlgError:  # singular to rounding
        values, vectors = np.linalg.eigh(correlation)
        root = vectors * np.sqrt(np.maximum(values, 0))
    out = np.zeros_like(covariance)
    out[np.ix_(active, np.arange(active.size))] = scale[:, None] * root
    return out


@assembled
class WithPosterior:
    """The joint posterior of the weights, for estimators of one linear score."""

    _model: Model

    @property
    def _is_one_score(self) -> bool:
        """A regression, or two classes."""
        return True

    @property
    def _has_posterior(self) -> bool:
        """Whether there is a joint posterior of all scores."""
        return True

    @property
    def _has_column_of_ones(self) -> bool:
        """Whether the last weight of the model is the intercept."""
        return False

    def _weight_names(self) -> Sequence[str]:
        raise NotImplementedError

    def _require_posterior(self, name: str) -> Model:
        if not hasattr(self, "_model"):
            raise AttributeError(f"{type(self).__name__} has no {name} before fit")
        if not self._has_posterior:
            raise AttributeError(f"{name} exists only for one machine; with several classes each has its own vectors")
        return self._model

    @property
    def posterior_(self) -> Posterior:
        """The posterior of the weights, for drawing samples.

        Examples
        --------
        {examples.classes}
        >>> BayesianLogisticRegression().fit(X, y).posterior_.sample(100).coef.shape
        (100, 3)
        """
        return Posterior(self._require_posterior("posterior_"), self._has_column_of_ones)

    @property
    def sigma_(self) -> np.ndarray:
        """Posterior covariance of the weights, without the intercepts, of up to 10,000 of them. Computed on first use.

        Raises
        ------
        AttributeError
            There are more weights: `coef_covariance` gives the covariance of some columns.

        Examples
        --------
        {examples.classes}
        >>> model = BayesianLogisticRegression().fit(X, y)
        >>> bool(np.allclose(np.sqrt(np.diag(model.sigma_)), model.coef_std_))
        True
        """
        posterior = Posterior(self._require_posterior("sigma_"), self._has_column_of_ones)
        covariance = posterior._of_all_weights("sigma_")
        is_weight = np.ones((posterior.n_scores, posterior.mean.size // posterior.n_scores), bool)
        is_weight[:, -1] = not posterior.has_intercept
        weights = np.flatnonzero(is_weight)
        return covariance[np.ix_(weights, weights)]

    def to_arviz(self, n_draws: int = 1000, random_state: Any = None) -> Any:
        """Draws from the posterior for arviz.

        Parameters
        ----------
        n_draws : int, default=1000
            1 or more.
        {random_state}

        Returns
        -------
        data : arviz.InferenceData or xarray.DataTree
            The type depends on the version of arviz. The group ``posterior`` has one chain with ``coef`` (by feature),
            ``intercept`` and, for regressions, ``noise_sd``. With more than two classes, also by ``score``, the rows
            of ``coef_``.

        Raises
        ------
        ImportError
            arviz is not installed.

        Examples
        --------
        {examples.numbers}
        >>> data = BayesianLinearRegression().fit(X, y).to_arviz(500, random_state=0)
        >>> data["posterior"]["coef"].shape
        (1, 500, 3)
        """
        try:
            import arviz
        except ImportError:
            raise ImportError("to_arviz needs arviz: pip install ardvark[arviz]") from None
        draws = self.posterior_.sample(n_draws, random_state)
        values = {"coef": draws.coef[None], "intercept": draws.intercept[None]}
        if draws.noise_precision is not None:
            values["noise_sd"] = draws.noise_precision[None] ** -0.5
        labels: dict[str, Any] = {
            "coords": {"feature": list(self._weight_names())},
            "dims": {"coef": ["feature"]},
        }
        if draws.coef.ndim == 3:
            labels["coords"]["score"] = np.arange(draws.coef.shape[1])
            labels["dims"] = {"coef": ["score", "feature"], "intercept": ["score"]}
        if hasattr(arviz, "InferenceData"):
            return arviz.from_dict(posterior=values, **labels)
        return arviz.from_dict({"posterior": values}, **labels)
