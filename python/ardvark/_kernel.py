"""Kernel machines for curves, surfaces and classes: Gaussian processes that a few training rows carry."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Literal, Optional, Sequence, Union, overload

import numpy as np

from . import _core
from ._docs import assembled
from ._fitted import FittedModel
from ._predictions import Classifier, Regressor

Width = Union[str, float, Sequence[float]]


class KernelMachine(FittedModel):
    """The common part of both machines."""

    _kind: ClassVar[str] = "kernel"

    def __init__(
        self,
        kernel: str = "auto",
        *,
        width: Width = "auto",
        input_group: Optional[Sequence[int]] = None,
        centres: Union[str, int] = "auto",
        vectors: Union[str, int] = "auto",
        divergence: float = 0.01,
        averaging: bool = True,
        linear_part: bool = False,
        standardize: bool = True,
        missing: str = "refuse",
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        found = model.to_dict()
        machines = found.get("machines", [found])
        self.input_scale_ = model.array("input_scale")
        self.log_evidence_ = model.number("log_evidence")
        self.relevance_vectors_ = model.array("relevance_vectors").reshape(-1, self.input_scale_.size)
        self.support_ = model.array("relevance_rows").astype(int)
        hypotheses = [machine["hypotheses"] for machine in machines]
        self.hypotheses_ = hypotheses if "machines" in found else hypotheses[0]
        self.divergence_ = max(machine.get("divergence", float("nan")) for machine in machines)
        self.__dict__.pop("variance_share_", None)
        if "variance_share" in found:
            self.variance_share_ = model.array("variance_share")
        self.__dict__.pop("odds_power_", None)
        if "odds_power" in found:
            self.odds_power_ = model.number("odds_power")

    def _draws(self, X: Any, n_samples: int, random_state: Any, **options: Any) -> _core.Result:
        if n_samples < 1:
            raise ValueError(f"n_samples is {n_samples}; it must be at least 1")
        return self._model.predict_joint(self._checked_rows(X), n_samples, seed=_seed_of(random_state), **options)


def _seed_of(random_state: Any) -> int:
    """An int is the seed of the library itself: every language then has the same draws."""
    from sklearn.utils import check_random_state

    random = check_random_state(random_state)
    return int(random.randint(2**31) if random_state is None or random is random_state else random_state)


@assembled
class KernelRegressor(Regressor, KernelMachine):
    """Curves and surfaces of any shape: a Gaussian process whose widths come from the evidence.

    You need not choose kernel or width: the prediction is an average over two kernels, with one width and with a width for
    each input, weighted by their evidence, and over what the evidence leaves open (KM.4). Away from the data, the curve
    returns to a constant and the interval opens. A few training rows carry the predictions (KM.6).

    {sections.processes}

    Attributes
    ----------
    {process.hypotheses_, process.relevance_vectors_, process.support_, process.divergence_}
    {process.variance_share_}
    noise_std_ : float
        Standard deviation of the noise.
    signal_std_ : float
        Standard deviation of the fitted function over the training rows.
    {process.input_scale_, process.log_evidence_, n_iter_, converged_, status_, notes_, n_features_in_, feature_names_in_}

    {sections.warns}

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import KernelRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi) + 0.1 * rng.normal(size=100)
    >>> model = KernelRegressor().fit(X, y)
    >>> len(model.support_) < 30
    True
    >>> mean, std = model.predict([[0.0], [20.0]], return_std=True)
    >>> bool(abs(mean[0] - 1) < 0.15), bool(std[1] > 2 * std[0])
    (True, True)
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> KernelRegressor:
        """Fits the machine.

        X may also be read in pieces, several times, with ``y`` the name of a column: the path of a file or folder, or a pattern (Parquet, CSV, Arrow), a dataset, a lazy
        frame of polars, or a function that opens one of these or gives tables. A source that can be read only once, an iterator or an Arrow
        stream, is written to a temporary file.

        {sections.fit_numbers}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import KernelRegressor
        >>> X = np.random.default_rng(0).uniform(size=(80, 3))
        >>> model = KernelRegressor(width="each").fit(X, np.sin(4 * X[:, 0]) + X[:, 1])
        >>> widths = model.hypotheses_[0]["widths"]
        >>> widths[0] < widths[1] < widths[2]
        True
        """
        self._fit(X, y, sample_weight, target)
        return self

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False, return_cov: Literal[False] = False) -> np.ndarray: ...

    @overload
    def predict(self, X: Any, return_std: Literal[True], return_cov: Literal[False] = False) -> tuple[np.ndarray, np.ndarray]: ...

    @overload
    def predict(
        self, X: Any, return_std: Literal[False] = False, *, return_cov: Literal[True]
    ) -> tuple[np.ndarray, np.ndarray]: ...

    @overload
    def predict(self, X: Any, return_std: bool, return_cov: bool = False) -> Any: ...

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Mean of the predictive distribution.

        Parameters
        ----------
        {X}
        return_std : bool, default=False
            Whether to return also the standard deviation of a new observation, with its noise and the uncertainty of
            the fit.
        return_cov : bool, default=False
            Whether to return also the covariance of new observations in all rows (KM.10). Its diagonal is the square of
            the standard deviation. Not together with ``return_std``.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            In the units of y.
        std : ndarray of shape (n_samples,)
            Only with ``return_std``.
        covariance : ndarray of shape (n_samples, n_samples)
            Only with ``return_cov``, in the squared units of y.

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import KernelRegressor
        >>> X = np.linspace(0, 1, 20)[:, None]
        >>> model = KernelRegressor().fit(X, np.sin(6 * X[:, 0]))
        >>> mean, std = model.predict(X, return_std=True)
        >>> covariance = model.predict(X, return_cov=True)[1]
        >>> bool(np.allclose(np.diag(covariance), std**2))
        True
        """
        if not return_cov:
            return super().predict(X, return_std)
        if return_std:
            raise ValueError("return_std and return_cov are both True; the diagonal of the covariance is the square of std")
        joint = self._model.predict_joint(self._checked_rows(X))
        return joint.array("mean"), joint.array("covariance")

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draws of new observations in all rows together, with their noise.

        Parameters
        ----------
        {X, draws.n_samples, random_state}

        Returns
        -------
        y : ndarray of shape (n_rows, n_samples)
            Each column is a draw from the joint distribution (KM.10), in the units of y.

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import KernelRegressor
        >>> X = np.linspace(0, 1, 20)[:, None]
        >>> KernelRegressor().fit(X, np.sin(6 * X[:, 0])).sample_y(X, 5, random_state=0).shape
        (20, 5)
        """
        return self._draws(X, n_samples, random_state).array("draws")

    def sample_f(self, X: Any, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draws of the function in all rows together, without noise: curves that the data leave possible.

        Parameters
        ----------
        {X, draws.n_samples, random_state}

        Returns
        -------
        f : ndarray of shape (n_rows, n_samples)
            Each column is a draw from the joint distribution (KM.10), in the units of y.

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import KernelRegressor
        >>> X = np.linspace(0, 1, 20)[:, None]
        >>> curves = KernelRegressor().fit(X, np.sin(6 * X[:, 0])).sample_f(X, 100, random_state=0)
        >>> bool(np.abs(curves.mean(axis=1) - np.sin(6 * X[:, 0])).max() < 0.05)
        True
        """
        return self._draws(X, n_samples, random_state, interval="mean").array("draws")

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.noise_std_ = model.number("noise_sd")
        self.signal_std_ = model.number("signal_sd")


@assembled
class KernelClassifier(Classifier, KernelMachine):
    """Classes that no line separates, with probabilities that know what is not known.

    A Gaussian process whose widths come from the evidence (KM.5), carried by a few training rows (KM.6). Three classes or
    more have one process for each class against the rest; left-out rows choose how their answers become probabilities (KM.12). Away from the data, the probabilities of two classes return to
    about one half.

    {sections.processes}

    Attributes
    ----------
    {classes.classes_, process.hypotheses_, process.relevance_vectors_, process.support_, process.divergence_}
    {process.variance_share_, process.odds_power_}
    {process.input_scale_, process.log_evidence_, n_iter_, converged_, status_, notes_, n_features_in_, feature_names_in_}

    {sections.warns}

    Examples
    --------
    >>> from ardvark import KernelClassifier
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(120, noise=0.2, random_state=0)
    >>> model = KernelClassifier().fit(X, y)
    >>> model.score(X, y) > 0.9, len(model.support_) < 40
    (True, True)
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> KernelClassifier:
        """Fits the machine.

        X may also be read in pieces, several times, with ``y`` the name of a column of labels: the path of a file or folder, or a pattern (Parquet, CSV, Arrow), a dataset, a lazy
        frame of polars, or a function that opens one of these or gives tables. A source that can be read only once, an iterator or an Arrow
        stream, is written to a temporary file.

        {sections.fit_classes}

        Examples
        --------
        >>> from ardvark import KernelClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> KernelClassifier(averaging=False).fit(X, y).score(X, y) > 0.95
        True
        """
        self._fit(X, y, sample_weight, target)
        return self

    def sample_f(self, X: Any, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draws of the log odds in all rows together.

        Parameters
        ----------
        {X, draws.n_samples, random_state}

        Returns
        -------
        f : ndarray of shape (n_rows, n_samples) or (n_classes, n_rows, n_samples)
            Two classes: log odds of ``classes_[1]``, in nats; each column is a draw from the joint distribution (KM.10).
            More classes: log odds of each class against the rest, independent of those of the other classes.

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> from ardvark import KernelClassifier
        >>> from sklearn.datasets import make_moons
        >>> X, y = make_moons(120, noise=0.2, random_state=0)
        >>> KernelClassifier().fit(X, y).sample_f(X[:10], 5, random_state=0).shape
        (10, 5)
        """
        draws = self._draws(X, n_samples, random_state)
        if self.classes_.size == 2:
            return draws.array("draws")
        return np.array([draws.array(f"machines.{k}.draws") for k in range(self.classes_.size)])
