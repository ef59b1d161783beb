"""Regression of counts."""

from __future__ import annotations

import os
import re
import warnings
from typing import Any, Callable, ClassVar, Collection, Mapping, Optional, Sequence, Union

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import mean_tweedie_deviance

from . import _core
from ._abi import InvalidArgumentError, wrong_row
from ._arrays import is_sparse
from ._docs import assembled
from ._given import without_gaps
from ._hosts import in_memory
from ._predictions import Regressor
from ._score import Columns, LinearScore, Prior, _intercept
from ._streams import is_stream

__all__ = ["BayesianCountRegression"]


@assembled
class BayesianCountRegression(Regressor, LinearScore):
    """Bayesian regression of counts, Poisson or negative binomial: a few effects plus many small ones, or precisions.

    The logarithm of the rate is linear in the columns: a coefficient of 0.1 multiplies the expected count by exp(0.1) per unit of the
    column. The method is variational Bayes with the best normal posterior. A weight equals repetition of the row.

    Parameters
    ----------
    prior : str, array-like of shape (n_features,) or dict, default="auto"
        "auto", "sparse", "slab", "dense", "shared", "ard" or "none", or groups of columns. "auto" takes "sparse": a few columns have
        an effect of their own, and all columns may have a small one. "slab" has only the few effects, "dense" only the many. With
        "shared", all columns share one precision; with "ard", each column has its own; with groups, each group has one. "none" is the
        likelihood alone: the mean is near its maximum, within a quarter of a standard deviation in a few rows of small counts. If you
        set an option that has no meaning for "sparse" (lambda_1, lambda_2, lambda_init, update_rule, prune_at, solver), "auto" takes
        "ard" if there are at least five rows per column, and "shared" otherwise; ``notes_`` says so.
    family : {"auto", "poisson", "negative-binomial"}, default="auto"
        The distribution about the mean mu. "poisson" has the variance mu. "negative-binomial" has mu + k mu^2, with k found in the fit:
        the ``alpha`` of statsmodels; the ``theta`` of R's MASS is 1/k. "auto" fits both, and takes the one with the higher log evidence;
        ``notes_`` says by how much.
    exposure : str or int, default=None
        The column of X, by its name or position, that says how long, or over how much, each row was counted: a number above 0.
        Its logarithm is added to the linear predictor (the "offset" of other programs), so that rates are per unit of it. It has
        no coefficient, and new rows need it, too: predictions are counts at their exposure.
    {flat, fit.reference, lambda_1, lambda_init}
    {fit_intercept}
    {fit.standardize}
    {fit.update_rule}
    {prune_at, max_iter, tol}
    {fit.solver}
    {dropping.missing}
    {n_jobs, verbose, callback}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Posterior mean: change of the logarithm of the rate per unit of the column. exp(coef) is the rate ratio: the factor by which
        a unit of the column multiplies the expected count.
    intercept_ : float
        Logarithm of the rate where all columns are 0; with ``exposure``, of the rate per unit of it.
    coef_std_ : ndarray of shape (n_features,)
        Posterior standard deviation.
    intercept_std_ : float
    {sigma_}
    lambda_ : float or ndarray of shape (n_features,)
        Mean precision of the weights, for columns as they are scaled inside. A float under a shared prior; 0 for a flat column; infinite
        for a column that was left out; None under a sparse prior.
    {relevance_, direction_}
    {sparse.inclusion_, sparse.undecided_, sparse.dense_fraction_, sparse.starts_, sparse.start_bounds_}
    {sparse.start_weights_, sparse.alternatives_}
    support_ : ndarray of shape (n_features,), bool
        Columns that are kept. Under a sparse prior: those with an inclusion above one half that are not undecided, and
        those whose sign is known so well (``direction_`` at least 0.999) that they have an effect in any case; the columns of a group
        together. Under "ard": a mild rule, which keeps about one in seven columns of noise. Under "shared": all.
    family_ : {"poisson", "negative-binomial"}
        The distribution that was fitted.
    dispersion_ : float
        k of the variance mu + k mu^2; 0 for a Poisson distribution. ``dispersion_interval_`` is its central 95% interval.
    deviance_ : float
        Mean deviance of the training rows, about 1 if the counts are Poisson and not small.
    deviance_explained_ : float
        Share of the deviance of a constant rate that the fit explains, in the training rows.
    {fit.bound_, fit.bound_comparable_}
    {bound_history_, n_iter_, converged_, status_, notes_, effective_parameters_}
    {fit.posterior_}
    {fit.columns_, n_features_in_, feature_names_in_}

    {sections.warns}

    Examples
    --------
    {examples.counts}
    >>> model = BayesianCountRegression().fit(X, y)
    >>> model.coef_[0].round(1).item()
    0.5
    >>> model.predict_interval([[0.0, 0, 0]]).tolist()
    [[0.0, 6.0]]

    Counts of visits over days that differ; a prediction is for the days of its row:

    >>> days = rng.uniform(1, 30, size=300)
    >>> visits = rng.poisson(days * np.exp(0.5 * X[:, 0]))
    >>> model = BayesianCountRegression(exposure=3).fit(np.column_stack([X, days]), visits)
    >>> model.predict([[0, 0, 0, 10], [0, 0, 0, 20]]).round().tolist()
    [10.0, 20.0]
    """

    _own: ClassVar[Collection[str]] = (*LinearScore._own, "exposure")
    _reads_sparse = True
    _model_word = "counts"

    def __init__(
        self,
        prior: Prior = "auto",
        *,
        family: str = "auto",
        exposure: Union[None, str, int] = None,
        flat: Optional[Columns] = None,
        reference: Optional[Mapping[str, str]] = None,
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        lambda_init: Union[None, float, Sequence[float]] = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        update_rule: str = "vb",
        prune_at: Optional[float] = None,
        max_iter: Optional[int] = None,
        tol: Optional[float] = None,
        solver: str = "automatic",
        missing: str = "refuse",
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> BayesianCountRegression:
        """Fits the model.

        Parameters
        ----------
        {fit.X}
        y : array-like of shape (n_samples,)
            Whole numbers from 0 to 1e9, not all 0; or the name of their column in the table X.
        {fit.sample_weight, fit.target}

        {sections.fitted}

        Examples
        --------
        {examples.counts}
        >>> BayesianCountRegression("shared").fit(X, y).converged_
        True
        """
        if isinstance(y, str):
            y, target = None, y
        if is_stream(in_memory(X, type(self), has_target=target is not None)) and not hasattr(X, "__arrow_c_stream__"):
            is_text = isinstance(X, (str, os.PathLike)) and re.search(r"\.(csv|tsv|txt)(\.\w+)?$", os.fspath(X), re.IGNORECASE)
            example = f"pandas.read_{'csv' if is_text else 'parquet'}(path)"
            raise ValueError(f"X is read in pieces, but a regression of counts needs the table in memory; read it first, as in {example}")
        self._fit_table(X, y, sample_weight, target)
        return self

    def _model_options(self) -> dict[str, Any]:
        return {"model": "counts", "exposure": self._exposure(), **self._prior_options()}

    def _exposure(self) -> Optional[str]:
        """The name of the exposure among the columns of the fit."""
        if self.exposure is None:
            return None
        if isinstance(self.exposure, (bool, np.bool_)) or not isinstance(self.exposure, (str, int, np.integer)):
            why, remedy = "it must be the name or the position of a column of X", "put the exposures into X"
            raise InvalidArgumentError(f"exposure is a {type(self.exposure).__name__}; {why}: {remedy}", "exposure", why=why, remedy=remedy)
        feature = self._position(self.exposure if isinstance(self.exposure, str) else int(self.exposure), "exposure")
        return (self._column_names() if self._encoding is None else self._encoding.features)[feature]

    def _parameters_of(self, model: _core.Model) -> dict[str, Any]:
        found, name = super()._parameters_of(model), model.value("options").get("exposure")
        return found if name is None else {**found, "exposure": name}

    def _named_columns(self) -> list[str]:
        return [*super()._named_columns(), *([self.exposure] if isinstance(self.exposure, str) else [])]

    def _checked(self, X: Any, y: Any, sample_weight: Any, may_be_sparse: bool = False) -> tuple[Any, Any, Any, Any]:
        _refuse_truths(y)
        return super()._checked(X, y, sample_weight, may_be_sparse)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the deviance of a constant rate that the predictions explain, as `sklearn.linear_model.PoissonRegressor` has it.

        With ``exposure``, the constant rate is per unit of it.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Counts.
        {sample_weight}

        Returns
        -------
        score : float
            At most 1; NaN where a constant rate explains all, as of one row.

        Examples
        --------
        {examples.counts}
        >>> bool(0.2 < BayesianCountRegression().fit(X, y).score(X, y) < 0.6)
        True
        """
        weights = without_gaps(sample_weight, "sample_weight")
        y, mean = without_gaps(y), self.predict(X)
        name, exposure = self._exposure(), np.ones(len(mean))
        if name is not None:
            column: Any = self._checked_rows(X)[:, [list(self._column_names()).index(name)]]
            exposure = np.asarray(column.toarray() if is_sparse(column) else column, dtype=float).ravel()
        constant = exposure * np.average(y, weights=weights) / np.average(exposure, weights=weights)
        found = mean_tweedie_deviance(y, mean, sample_weight=weights, power=1)
        least = mean_tweedie_deviance(y, constant, sample_weight=weights, power=1) if constant.any() else 0.0
        if least == 0:
            warnings.warn("the counts are those of a constant rate: there is no deviance to explain", UndefinedMetricWarning, stacklevel=2)
            return float("nan")
        return 1 - float(found / least)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.intercept_, self.intercept_std_ = _intercept(model)
        self.family_ = model.value("family")
        is_dispersed = self.family_ == "negative-binomial"
        self.dispersion_ = model.number("dispersion") if is_dispersed else 0.0
        self.dispersion_interval_ = model.array("dispersion_interval") if is_dispersed else np.zeros(2)
        self.deviance_ = model.number("deviance")
        self.deviance_explained_ = model.number("deviance_explained")


def _refuse_truths(y: Any) -> None:
    """Refuses a target of True and False, which numpy would count as 1 and 0."""
    values = np.asarray(y)
    truths = [] if values.ndim != 1 or values.dtype.kind not in "bO" else [row for row, value in enumerate(values) if isinstance(value, (bool, np.bool_))]
    if truths:
        value, why = str(bool(values[truths[0]])), "a regression of counts needs numbers (for classes: BayesianLogisticRegression)"
        raise wrong_row("y at ", truths[0], f" is {value}, which is no count; {why}", argument="y", value=value, why=why)
