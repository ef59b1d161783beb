"""Relevance vector machines: sparse sums of kernels at some of the training rows."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Optional, Sequence, Union

import numpy as np

from . import _core
from ._fitted import FittedModel
from ._predictions import Classifier, Regressor
from ._docs import assembled
from ._posterior import WithPosterior

Width = Union[str, float, Sequence[float]]


class RelevanceMachine(WithPosterior, FittedModel):
    """The common part of both machines."""

    _kind: ClassVar[str] = "rvm"

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.kernel_ = model.text("kernel")
        self.width_ = _width(model)
        self.input_scale_ = model.array("input_scale")
        self.log_evidence_ = model.number("log_evidence")
        self.relevance_vectors_ = model.array("relevance_vectors").reshape(-1, self.input_scale_.size)
        self.support_ = model.array("relevance_rows").astype(int)
        self.trials_ = model.value("trials")
        machines = (
            [f"machines.{k}." for k in range(self.classes_.size)] if not self._is_one_score else [""]
        )
        shape = (len(machines), len(self.relevance_vectors_))
        self.dual_coef_, self.dual_coef_std_, self.relevance_ = (
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
        )
        self.lambda_ = np.full(shape, np.inf)
        for k, machine in enumerate(machines):
            vectors = model.array(machine + "vectors").astype(int)
            self.dual_coef_[k, vectors] = model.array(machine + "mean")
            self.dual_coef_std_[k, vectors] = model.array(machine + "sd")
            self.relevance_[k, vectors] = model.array(machine + "relevance")
            self.lambda_[k, vectors] = model.array(machine + "precision")
        self.intercept_ = np.array([model.number(machine + "intercept.mean") for machine in machines])
        self.intercept_std_ = np.sqrt([model.number(machine + "intercept.variance") for machine in machines])
        histories = [model.array(machine + "bound_history") for machine in machines]
        self.bound_history_ = histories[0] if len(histories) == 1 else histories
        self.bound_ = float(np.sum(model.array("bound")))

    def _weight_names(self) -> Sequence[str]:
        return [f"row {row}" for row in self.support_]


def _width(model: _core.Model) -> Any:
    for name in ("width", "widths"):
        try:
            width = model.array(name)
            return float(width) if width.ndim == 0 else width
        except ValueError:
            continue
    return None


@assembled
class RelevanceVectorRegressor(Regressor, RelevanceMachine):
    """Relevance vector machine: a curve as a sparse sum of kernels, with a predictive distribution.

    You need not choose the width of the kernel. Away from the data, the kernels vanish: the curve returns to a constant, and
    the interval does not widen, although nothing is known there. Predictions warn of such rows. For curves and
    surfaces take `KernelRegressor`, whose intervals open there.

    Parameters
    ----------
    {kernel.kernel, kernel.width, kernel.degree, kernel.offset, kernel.input_group, kernel.algorithm}
    {kernel.centres, kernel.bands, kernel.standardize}
    alpha_1, alpha_2 : float, default=None
        Shape and rate of the Gamma prior of the noise precision of the standardised target, > 0.
    {lambda_1, max_iter}
    {dropping.missing}
    {n_jobs, verbose, callback}

    Attributes
    ----------
    {kernel.relevance_vectors_, kernel.support_, kernel.dual_coef_, kernel.intercept_, kernel.sigma_}
    {kernel.lambda_, kernel.relevance_, kernel.kernel_, kernel.width_, kernel.input_scale_}
    {kernel.log_evidence_, kernel.trials_, kernel.bound_, kernel.bound_history_, n_iter_, converged_}
    {status_, notes_, kernel.posterior_, n_features_in_, feature_names_in_}

    {sections.relevance_vector_machines}

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import RelevanceVectorRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi) + 0.1 * rng.normal(size=100)
    >>> model = RelevanceVectorRegressor().fit(X, y)
    >>> len(model.support_) < 20
    True
    >>> mean, std = model.predict([[0.0]], return_std=True)
    >>> bool(abs(mean[0] - 1) < 0.15)
    True
    """

    def __init__(
        self,
        kernel: str = "gaussian",
        *,
        width: Width = "auto",
        degree: Optional[int] = None,
        offset: Optional[float] = None,
        input_group: Optional[Sequence[int]] = None,
        algorithm: str = "variational",
        centres: Union[str, int] = "all",
        bands: str = "published",
        standardize: bool = True,
        alpha_1: Optional[float] = None,
        alpha_2: Optional[float] = None,
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        max_iter: Optional[int] = None,
        missing: str = "refuse",
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> RelevanceVectorRegressor:
        """Fits the machine.

        {sections.fit_numbers}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import RelevanceVectorRegressor
        >>> X = np.linspace(-10, 10, 100)[:, None]
        >>> y = np.sinc(X[:, 0] / np.pi) + 0.01 * np.random.default_rng(0).normal(size=100)
        >>> model = RelevanceVectorRegressor(width=2.0, standardize=False).fit(X, y)
        >>> model.relevance_vectors_.shape[0] < 20
        True
        """
        self._fit_table(X, y, sample_weight, target)
        return self

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.alpha_ = model.number("noise.shape") / model.number("noise.rate")


@assembled
class RelevanceVectorClassifier(Classifier, RelevanceMachine):
    """Relevance vector machine for classes that no line separates: a sparse sum of kernels.

    Probabilities include the uncertainty of the fit. You need not choose the width of the kernel. With more than two
    classes, there is one machine for each class against the rest. Away from the data, the kernels vanish: the probabilities
    return to constants. Predictions warn of such rows. `KernelClassifier` returns to about one half there.

    Parameters
    ----------
    {kernel.kernel, kernel.width, kernel.degree, kernel.offset, kernel.input_group, kernel.algorithm}
    {kernel.centres, kernel.bands, kernel.standardize}
    likelihood : {"vg", "jj", "laplace"}, default="vg"
        Used in the last sweeps: the best Gaussian variational posterior ("vg"), the Jaakkola-Jordan bound ("jj"), or
        Laplace's approximation ("laplace").
    {lambda_1, max_iter}
    {diagnose, dropping.missing, n_jobs, verbose, callback}

    Attributes
    ----------
    {classes.classes_, kernel.relevance_vectors_, kernel.support_, kernel.dual_coef_, kernel.intercept_}
    {kernel.sigma_, kernel.lambda_, kernel.relevance_, kernel.kernel_, kernel.width_, kernel.input_scale_}
    {kernel.log_evidence_, kernel.trials_, kernel.bound_, kernel.bound_history_, n_iter_, converged_}
    {khat_, khat_given_precisions_, khat_effective_share_, status_, notes_, kernel.posterior_, n_features_in_, feature_names_in_}

    {sections.relevance_vector_machines}

    Examples
    --------
    >>> from ardvark import RelevanceVectorClassifier
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(120, noise=0.2, random_state=0)
    >>> model = RelevanceVectorClassifier().fit(X, y)
    >>> model.score(X, y) > 0.9, len(model.support_) < 20
    (True, True)
    """

    def __init__(
        self,
        kernel: str = "gaussian",
        *,
        width: Width = "auto",
        degree: Optional[int] = None,
        offset: Optional[float] = None,
        input_group: Optional[Sequence[int]] = None,
        algorithm: str = "variational",
        centres: Union[str, int] = "all",
        bands: str = "published",
        standardize: bool = True,
        likelihood: str = "vg",
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        max_iter: Optional[int] = None,
        diagnose: bool = False,
        missing: str = "refuse",
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

    @property
    def _is_one_score(self) -> bool:
        return self.classes_.size == 2

    @property
    def _has_posterior(self) -> bool:
        return self._is_one_score

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> RelevanceVectorClassifier:
        """Fits the machine.

        {sections.fit_classes}

        Examples
        --------
        >>> from ardvark import RelevanceVectorClassifier
        >>> from sklearn.datasets import make_moons
        >>> X, y = make_moons(100, noise=0.1, random_state=0)
        >>> RelevanceVectorClassifier(width=1.0).fit(X, y).score(X, y) > 0.95
        True
        """
        self._fit_table(X, y, sample_weight, target)
        return self
