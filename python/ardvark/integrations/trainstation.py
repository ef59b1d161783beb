"""An optimizer for `trainstation`, which icet and hiphive use: the parameters of a cluster expansion with their uncertainty.

It needs trainstation: ``pip install "ardvark[trainstation]"``.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

try:
    import trainstation
except ModuleNotFoundError as error:
    if error.name != "trainstation":
        raise
    raise ImportError("ardvark.integrations.trainstation needs trainstation 1.2 or later: pip install 'ardvark[trainstation]'") from None

from .._linear import BayesianLinearRegression
from ._finite import require_finite

__all__ = ["ArdvarkOptimizer"]


class ArdvarkOptimizer(trainstation.Optimizer):
    """Solves A x = y by a Bayesian linear regression, with the uncertainty of x.

    In the place of `trainstation.Optimizer`, whose results it has, too: ``parameters``, ``rmse_train``, ``rmse_test``, ``summary``, and so on.

    Parameters
    ----------
    fit_data : tuple of ndarray
        The fit matrix of shape (n_rows, n_parameters) and the target values of shape (n_rows,). Finite numbers.
    prior : str, array-like or dict, default="auto"
        As in `ardvark.BayesianLinearRegression`.
    flat : list of int, default=None
        Columns whose parameters have no prior. trainstation has no intercept: if the matrix has a column of ones, name it here.
    train_size : float or int, default=1.0
        Share or number of the rows of the fit. `trainstation.Optimizer` leaves a tenth out unless it is told.
    test_size : float or int, default=None
        Share or number of the rows that are left out and predicted.
    train_set, test_set : list of int, default=None
        The rows of the fit, and those that are predicted, by their numbers from 0.
    seed : int, default=42
        Of the rows that are drawn for ``train_size`` and ``test_size``.
    n_jobs : int, default=None
        Number of threads; -1 for all cores. The result does not depend on it.

    Attributes
    ----------
    parameters : ndarray of shape (n_parameters,)
        Posterior means.
    parameters_std : ndarray of shape (n_parameters,)
        Posterior standard deviations.
    inclusion : ndarray of shape (n_parameters,) or None
        Under the priors "auto", "sparse" and "slab": the probability that a parameter has an effect of its own.
    estimator : BayesianLinearRegression
        The fit.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark.integrations.trainstation import ArdvarkOptimizer
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(80, 30))
    >>> optimizer = ArdvarkOptimizer((A, 2 * A[:, 0] - A[:, 5] + 0.1 * rng.normal(size=80)))
    >>> optimizer.train()
    >>> np.flatnonzero(optimizer.inclusion > 0.5).tolist(), optimizer.parameters[[0, 5]].round(1).tolist()
    ([0, 5], [2.0, -1.0])
    """

    def __init__(
        self,
        fit_data: tuple[np.ndarray, np.ndarray],
        prior: Any = "auto",
        *,
        flat: Optional[Sequence[int]] = None,
        train_size: Any = 1.0,
        test_size: Any = None,
        train_set: Optional[Sequence[int]] = None,
        test_set: Optional[Sequence[int]] = None,
        seed: int = 42,
        n_jobs: Optional[int] = None,
    ):
        # Its own methods do not matter; "least-squares" is one that it knows.
        super().__init__(fit_data, "least-squares", False, train_size, test_size, train_set, test_set, False, seed)
        self._fit_method = "ardvark"
        self.estimator = BayesianLinearRegression(prior, flat=flat, fit_intercept=False, n_jobs=n_jobs)

    def train(self) -> None:
        """Fits the parameters.

        Raises
        ------
        InvalidArgumentError
            A value is not finite, or an argument is wrong.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark.integrations.trainstation import ArdvarkOptimizer
        >>> A = np.random.default_rng(0).normal(size=(50, 3))
        >>> optimizer = ArdvarkOptimizer((A, A[:, 0]), "none", train_size=0.8)
        >>> optimizer.train()
        >>> round(float(optimizer.rmse_test), 6)
        0.0
        """
        for name, values in (("A", np.asarray(self._A, float)), ("y", np.asarray(self._y, float))):
            for rows in (self.train_set, [] if self.test_set is None else self.test_set):
                require_finite(name, values, rows=np.asarray(rows, int))
        A, y = self._A[self.train_set], self._y[self.train_set]
        self.estimator.fit(A, y)
        results = {"parameters_std": self.estimator.coef_std_, "inclusion": getattr(self.estimator, "inclusion_", None)}
        predicted = self.estimator.predict(A)
        self.scatter_data_train = trainstation.optimizer.ScatterData(y, predicted)
        self.scatter_data_test, y_test, predicted_test = None, None, None
        if self.test_set is not None:
            y_test, predicted_test = self._y[self.test_set], self.estimator.predict(self._A[self.test_set])
            self.scatter_data_test = trainstation.optimizer.ScatterData(y_test, predicted_test)
        self.model = trainstation.optimizer.Model.from_fit_data(y, predicted, self.estimator.coef_, y_test, predicted_test, **results)

    @property
    def parameters_std(self) -> Any:
        """Standard deviations of the parameters.

        Returns
        -------
        std : ndarray of shape (n_parameters,)
            None before `train`.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark.integrations.trainstation import ArdvarkOptimizer
        >>> ArdvarkOptimizer((np.eye(3), np.ones(3))).parameters_std is None
        True
        """
        return getattr(self.model, "parameters_std", None)

    @property
    def inclusion(self) -> Any:
        """The probability that a parameter has an effect of its own.

        Returns
        -------
        inclusion : ndarray of shape (n_parameters,)
            None before `train`, and under priors that have none.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark.integrations.trainstation import ArdvarkOptimizer
        >>> ArdvarkOptimizer((np.eye(3), np.ones(3))).inclusion is None
        True
        """
        return getattr(self.model, "inclusion", None)
