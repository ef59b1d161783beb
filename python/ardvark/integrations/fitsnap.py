"""A solver for FitSNAP: the coefficients of a potential with their uncertainty.

It imports nothing of FitSNAP, which has another licence: it stands in the place of the solver that FitSNAP has made.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from .._linear import BayesianLinearRegression
from ._finite import require_finite

__all__ = ["ArdvarkSolver"]


class ArdvarkSolver:
    """Fits the rows of FitSNAP, each times its weight, by a Bayesian linear regression.

    FitSNAP multiplies each row of energies, forces and stresses by its weight w: the noise of a row has the standard deviation noise_std / w. All other methods and attributes, such as
    ``error_analysis`` and ``errors``, are those of the solver whose place it takes.

    Parameters
    ----------
    solver : object
        ``FitSnap.solver`` of any linear solver, such as SVD.
    prior : str, array-like or dict, default="auto"
        As in `ardvark.BayesianLinearRegression`.
    flat : list of int, default=None
        Columns whose coefficients have no prior. With ``bzeroflag = 0`` the first column of each type is its number of atoms: name it here.
    num_samples : int, default=0
        Number of draws from the posterior in ``fit_sam``.
    random_state : int, RandomState instance or None, default=0
        Of these draws.
    n_jobs : int, default=None
        Number of threads; -1 for all cores. The result does not depend on it.

    Attributes
    ----------
    fit : ndarray of shape (n_columns,)
        Posterior means.
    fit_std : ndarray of shape (n_columns,)
        Posterior standard deviations.
    cov : ndarray of shape (n_columns, n_columns)
        Posterior covariance, of up to 10,000 columns.
    fit_sam : ndarray of shape (num_samples, n_columns) or None
        Draws from the posterior.
    inclusion : ndarray of shape (n_columns,) or None
        Under the priors "auto", "sparse" and "slab": the probability that a column has an effect of its own.
    estimator : BayesianLinearRegression
        The fit, without an intercept. ``estimator.predict(a, return_std=True)`` describes rows of weight 1.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark.integrations.fitsnap import ArdvarkSolver
    >>> rng = np.random.default_rng(0)
    >>> a, w = rng.normal(size=(80, 30)), rng.choice([1.0, 10.0], 80)
    >>> solver = ArdvarkSolver(None)  # FitSNAP: fs.solver = ArdvarkSolver(fs.solver); fs.perform_fit()
    >>> solver.perform_fit(a, 2 * a[:, 0] - a[:, 5] + 0.1 * rng.normal(size=80) / w, w, trainall=True)
    >>> np.flatnonzero(solver.inclusion > 0.5).tolist(), solver.fit[[0, 5]].round(1).tolist()
    ([0, 5], [2.0, -1.0])
    """

    def __init__(
        self,
        solver: Any,
        prior: Any = "auto",
        *,
        flat: Optional[Sequence[int]] = None,
        num_samples: int = 0,
        random_state: Any = 0,
        n_jobs: Optional[int] = None,
    ):
        self.solver = solver
        self.estimator = BayesianLinearRegression(prior, flat=flat, fit_intercept=False, n_jobs=n_jobs)
        self.num_samples, self.random_state = num_samples, random_state
        self._of_fit: dict[str, Any] = {"fit": None, "fit_std": None, "cov": None, "fit_sam": None, "inclusion": None}

    def __getattr__(self, name: str) -> Any:
        of_fit = self.__dict__.get("_of_fit", {})
        if name in of_fit:
            return of_fit[name]
        if name.startswith("__") or self.__dict__.get("solver") is None:
            raise AttributeError(f"'ArdvarkSolver' object has no attribute '{name}'")
        return getattr(self.solver, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("_of_fit", {}):
            self._of_fit[name] = value
            if self.solver is not None:  # its error_analysis reads them
                setattr(self.solver, name, value)
        else:
            super().__setattr__(name, value)

    def perform_fit(self, a: Any = None, b: Any = None, w: Any = None, trainall: bool = False) -> None:
        """Fits the coefficients. `FitSnap.perform_fit` calls it.

        Parameters
        ----------
        a : array of shape (n_rows, n_columns), default=None
            The descriptors. None: the shared arrays of FitSNAP.
        b, w : arrays of shape (n_rows,), default=None
            Targets and weights of the rows. Rows of weight 0 take no part.
        trainall : bool, default=False
            Fit the rows that FitSNAP has set apart for testing, too.

        Raises
        ------
        ValueError
            A value is not finite, or the shapes do not match.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark.integrations.fitsnap import ArdvarkSolver
        >>> a = np.random.default_rng(0).normal(size=(50, 3))
        >>> solver = ArdvarkSolver(None, "none")
        >>> solver.perform_fit(a, a[:, 0], np.ones(50), trainall=True)
        >>> solver.fit.round(6).tolist()
        [1.0, 0.0, 0.0]
        """
        if self.solver is None:
            self._fit(a, b, w, trainall)
        else:
            self.solver.pt.sub_rank_zero(self._fit)(a, b, w, trainall)

    def _fit(self, a: Any, b: Any, w: Any, trainall: bool) -> None:
        if (a is None) != (b is None) or (a is None) != (w is None):
            raise ValueError("a, b and w are given together, or none of them")
        if a is None:
            arrays = self.solver.pt.shared_arrays
            a, b, w = arrays["a"].array, arrays["b"].array, arrays["w"].array
        a, b, w = np.asarray(a, float), np.asarray(b, float), np.asarray(w, float)
        if a.ndim != 2 or b.shape != a.shape[:1] or w.shape != a.shape[:1]:
            raise ValueError(f"a has the shape {a.shape}, b {b.shape} and w {w.shape}; a row of a has a value of b and a weight each")
        rows = w != 0
        if not trainall and self.solver is not None:
            rows &= ~np.asarray(self.solver.pt.fitsnap_dict["Testing"], bool)
        for name, values in (("a", a), ("b", b), ("w", w)):
            require_finite(name, values, rows=np.flatnonzero(rows))
        a, b, w = a[rows], b[rows], w[rows]
        self.estimator.fit(w[:, None] * a, w * b)
        self.fit, self.fit_std = self.estimator.coef_, self.estimator.coef_std_
        self.inclusion = getattr(self.estimator, "inclusion_", None)
        self.cov = self.estimator.sigma_
        self.fit_sam = self.estimator.posterior_.sample(self.num_samples, self.random_state).coef if self.num_samples else None
