"""The sparse logistic regressions of the SLR toolbox."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, ClassVar, Collection, Optional

from . import _core
from ._docs import assembled
from ._logistic import LogisticScore


@assembled
class SparseLogisticRegression(LogisticScore):
    """The sparse logistic regressions of the SLR toolbox, for few rows and very many columns, of which few matter.

    Parameters
    ----------
    algorithm : str, default="slr_var"
        "slr_var" (bound of Jaakkola and Jordan) and "slr_lap" (Laplace's approximation) have one precision per column
        and prune columns. "rlr_var" and "rlr_lap" have one precision for all columns. "l1_slr_lap" and "l1_slr_c" are
        L1. "smlr" and "rmlr" are a softmax for several classes.
    multi_class : {"ovr", "ovo"}, default="ovr"
        For more than two classes with an algorithm for two: each class against the rest, or each pair of classes.
    laplace_lambda : float, default=None
        Lambda of the L1 algorithms, > 0.
    compat : bool, default=False
        Whether to reproduce the published program exactly, with its defects.
    {max_iter}
    tol : float, default=None
        Tolerance of the stopping rule of the algorithm.
    {dropping.missing}
    {n_jobs, verbose, callback}

    Attributes
    ----------
    {classes.classes_, classes.coef_, classes.intercept_, classes.coef_std_, classes.sigma_}
    {classes.lambda_, classes.relevance_, classes.direction_, classes.support_, classes.bound_}
    {classes.bound_comparable_}
    {bound_history_, n_iter_}
    {converged_, status_, notes_, effective_parameters_, classes.posterior_, fit.columns_, n_features_in_, feature_names_in_}

    {sections.warns}

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

    _own: ClassVar[Collection[str]] = (*LogisticScore._own, "algorithm")  # which is a preset
    _reads_sparse = True

    def __init__(
        self,
        algorithm: str = "slr_var",
        *,
        multi_class: str = "ovr",
        laplace_lambda: Optional[float] = None,
        compat: bool = False,
        max_iter: Optional[int] = None,
        tol: Optional[float] = None,
        missing: str = "refuse",
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> SparseLogisticRegression:
        """Fits the model.

        {sections.fit_classes}

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
        self._fit_table(X, y, sample_weight, target)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        known, of_two = _toolbox()
        tags.classifier_tags.multi_class = (
            self.algorithm not in of_two or f"{self.algorithm}_{self.multi_class}" in known
        )
        return tags

    def _call_of_fit(self) -> str:
        return f"{self!r}.fit(X, y)"

    def _parameters_of(self, model: _core.Model) -> dict[str, Any]:
        found, preset = super()._parameters_of(model), model.value("options").get("preset")
        if preset is None:
            return found
        for suffix in ("ovr", "ovo"):
            if preset.endswith("_" + suffix):
                return {**found, "algorithm": preset[: -len(suffix) - 1], "multi_class": suffix}
        return {**found, "algorithm": preset}

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
    """Names of the algorithms of the toolbox on columns, and names of those for two classes."""
    presets = [p for p in _core.catalogue()["presets"] if p["slr_toolbox"] and not p["kernel"]]
    return [p["name"] for p in presets], [p["name"] for p in presets if not p["several_classes"]]
