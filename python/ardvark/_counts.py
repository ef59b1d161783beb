"""Regression of counts."""

from __future__ import annotations

import warnings
from typing import Any, Callable, ClassVar, Collection, Mapping, Optional, Sequence, Union

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import mean_tweedie_deviance
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _core
from ._abi import InvalidArgumentError, wrong_row
from ._arrays import is_sparse
from ._docs import assembled
from ._given import without_gaps
from ._predictions import Regressor
from ._score import Columns, LinearScore, Prior, _intercept

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
    offset_column : str or int, default=None
        The column of X that is added to the linear predictor as it is, such as the logarithm of an exposure; the rest as for ``exposure``.
        Give one of them, or ``offset`` to ``fit``.
    intervals : {"skewed", "gaussian"}, default="skewed"
        What ``coef_interval`` gives. "skewed": each coefficient's own distribution, which need not be symmetric; with few rows or small
        counts a normal one misses its ends. "gaussian": the mean and a multiple of ``coef_std_`` on both sides.
    {flat, fit.reference, lambda_1, lambda_init}
    {fit_intercept}
    {fit.standardize}
    {fit.update_rule}
    {prune_at, max_iter, tol}
    {fit.solver}
    {diagnose, fdr, guarantee, dropping.missing}
    random_state : int, default=None
        With ``guarantee="knockoffs"``: the seed of the knockoffs. None: 1.
    {n_jobs, verbose, callback}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Posterior mean: change of the logarithm of the rate per unit of the column. exp(coef) is the rate ratio: the factor by which
        a unit of the column multiplies the expected count.
    intercept_ : float
        Logarithm of the rate where all columns, and the offset, are 0; with ``exposure``, of the rate per unit of it.
    coef_std_ : ndarray of shape (n_features,)
        Posterior standard deviation.
    intercept_std_ : float
    {sigma_}
    lambda_ : float or ndarray of shape (n_features,)
        Mean precision of the weights, for columns as they are scaled inside. A float under a shared prior; 0 for a flat column; infinite
        for a column that was left out; None under a sparse prior.
    {relevance_, direction_}
    {sparse.inclusion_, sparse.undecided_, sparse.dense_fraction_, sparse.starts_, sparse.start_bounds_}
    {sparse.start_weights_, sparse.alternatives_, khat_, khat_given_precisions_, khat_effective_share_}
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

    _own: ClassVar[Collection[str]] = (*LinearScore._own, "exposure", "offset_column")
    _reads_sparse = True
    _model_word = "counts"
    _row_offset: Optional[np.ndarray] = None  # of the rows of a fit, while it runs
    _has_offset = False  # whether they had one

    def __init__(
        self,
        prior: Prior = "auto",
        *,
        family: str = "auto",
        exposure: Union[None, str, int] = None,
        offset_column: Union[None, str, int] = None,
        intervals: str = "skewed",
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
        diagnose: bool = False,
        fdr: Optional[float] = None,
        guarantee: str = "posterior",
        missing: str = "refuse",
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, offset: Any = None, target: Optional[str] = None
    ) -> BayesianCountRegression:
        """Fits the model.

        X may also be read in pieces, several times, with ``y`` the name of the column of counts, as by `BayesianLogisticRegression`.

        Parameters
        ----------
        {fit.X}
        y : array-like of shape (n_samples,)
            Whole numbers from 0 to 1e9, not all 0; or the name of their column in the table X.
        {fit.sample_weight}
        offset : array-like of shape (n_samples,), default=None
            Added to the linear predictor of each row, such as the logarithm of an exposure; finite. Then new rows need one, too. Of an X that is
            read in pieces, it is a column: ``offset_column``.
        {fit.target}

        {sections.fitted}

        Examples
        --------
        {examples.counts}
        >>> BayesianCountRegression("shared").fit(X, y).converged_
        True
        >>> days = rng.uniform(1, 30, size=300)
        >>> model = BayesianCountRegression().fit(X, rng.poisson(days * np.exp(0.5 * X[:, 0])), offset=np.log(days))
        >>> model.predict([[0, 0, 0]], offset=[np.log(10)]).round().tolist()
        [10.0]
        """
        self._row_offset = None if offset is None else _finite_offset(offset)
        try:
            self._fit(X, y, sample_weight, target)
        finally:
            self.__dict__.pop("_row_offset", None)
        return self

    def _fit_stream(self, X: Any, sample_weight: Any, target: Optional[str]) -> None:
        if self._row_offset is not None:
            raise ValueError("X is read in pieces, so the offset must be a column of it: offset_column='...' instead of offset")
        super()._fit_stream(X, sample_weight, target)

    def _model_options(self) -> dict[str, Any]:
        named = {name: self._name_of(name) for name in ("exposure", "offset_column")}
        return {"model": "counts", **named, "row_offset": self._row_offset, **self._prior_options()}

    def _name_of(self, parameter: str) -> Optional[str]:
        """The name of the exposure, or the offset, among the columns of the fit."""
        given = getattr(self, parameter)
        if given is None:
            return None
        if isinstance(given, (bool, np.bool_)) or not isinstance(given, (str, int, np.integer)):
            why = "it must be the name or the position of a column of X"
            remedy = "put the exposures into X" if parameter == "exposure" else "give an array as fit(X, y, offset=...)"
            raise InvalidArgumentError(f"{parameter} is a {type(given).__name__}; {why}: {remedy}", parameter, why=why, remedy=remedy)
        feature = self._position(given if isinstance(given, str) else int(given), parameter)
        return (self._column_names() if self._encoding is None else self._encoding.features)[feature]

    def _parameters_of(self, model: _core.Model) -> dict[str, Any]:
        options = model.value("options")
        return super()._parameters_of(model) | {name: options[name] for name in ("exposure", "offset_column") if name in options}

    def _named_columns(self) -> list[str]:
        return [*super()._named_columns(), *(name for name in (self.exposure, self.offset_column) if isinstance(name, str))]

    def _checked(self, X: Any, y: Any, sample_weight: Any, may_be_sparse: bool = False) -> tuple[Any, Any, Any, Any]:
        _refuse_truths(y)
        if self._row_offset is not None:
            check_consistent_length(X, self._row_offset)
        X, y, weights, rows = super()._checked(X, y, sample_weight, may_be_sparse)
        if self._row_offset is not None and rows is not None:
            self._row_offset = self._row_offset[rows]
        return X, y, weights, rows

    def _model_predict(self, X: Any, y: Any = None, *, offset: Any = None, **options: Any) -> _core.Result:
        X = self._checked_rows(X)
        return self._model.predict(X, y, row_offset=self._offset_of(X, offset), **options)

    def _offset_of(self, X: Any, offset: Any) -> Optional[np.ndarray]:
        """The offsets of new rows, which they have if those of the fit had some."""
        if offset is None and self._has_offset:
            raise ValueError("the model was fitted with an offset, so new rows need one, too: give offset, such as the logarithm of the exposure of each row")
        if offset is not None and not self._has_offset:
            raise ValueError("offset is given, but the model was fitted without one")
        if offset is None:
            return None
        check_consistent_length(X, offset := _finite_offset(offset))
        return offset

    def predict(self, X: Any, return_std: bool = False, *, offset: Any = None) -> Any:
        """Expected counts.

        Parameters
        ----------
        {X}
        return_std : bool, default=False
            Whether to return also the standard deviation of a new count, with the uncertainty of the fit.
        offset : array-like of shape (n_samples,), default=None
            As in ``fit``, if it had one; with zeros, the counts are rates per unit of exposure.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            Expected counts.
        std : ndarray of shape (n_samples,)
            Only with ``return_std``.

        Examples
        --------
        {examples.counts}
        >>> model = BayesianCountRegression().fit(X, y, offset=np.zeros(300))
        >>> model.predict(X[:2], offset=[0, 1]).shape
        (2,)
        """
        check_is_fitted(self)
        prediction = self._model_predict(X, offset=offset)
        return (prediction.array("mean"), prediction.array("sd")) if return_std else prediction.array("mean")

    def predict_interval(self, X: Any, level: float = 0.95, interval: str = "new", *, offset: Any = None) -> np.ndarray:
        """Central interval of a new count, or of the expected one.

        Parameters
        ----------
        {X, level}
        interval : {'new', 'mean'}, default='new'
            "new": of a new count: whole numbers, with at least this probability between them. "mean": of its expectation.
        offset : array-like of shape (n_samples,), default=None
            As in `predict`.

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
            Lower and upper end, those of new counts whole.

        Examples
        --------
        {examples.counts}
        >>> BayesianCountRegression().fit(X, y).predict_interval([[0.0, 0, 0]]).tolist()
        [[0.0, 6.0]]
        """
        check_is_fitted(self)
        prediction = self._model_predict(X, offset=offset, level=level, interval=interval)
        return np.column_stack([prediction.array("lower"), prediction.array("upper")])

    def log_density(self, X: Any, y: Any, *, offset: Any = None) -> np.ndarray:
        """Logarithm of the predictive probability of the counts.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Counts.
        offset : array-like of shape (n_samples,), default=None
            As in `predict`.

        Returns
        -------
        {log_density}

        Examples
        --------
        {examples.counts}
        >>> density = BayesianCountRegression().fit(X[:200], y[:200]).log_density(X[200:], y[200:])
        >>> density.shape, bool((density < 0).all())
        ((100,), True)
        """
        check_is_fitted(self)
        return self._model_predict(X, y, offset=offset).array("log_density")

    def report(
        self, path: Any, X: Any = None, y: Any = None, *, level: float = 0.95, title: Optional[str] = None, file: Any = None, offset: Any = None
    ) -> None:
        """Writes the fit as one page of HTML, as `BayesianLinearRegression.report` does.

        Parameters
        ----------
        {report.path}
        {report.X}
        y : array-like of shape (n_samples,), default=None
            Their counts, with X only. A count that is missing leaves its row out.
        {level}
        {report.title}
        {report.file}
        offset : array-like of shape (n_samples,), default=None
            As in `predict`, with X only.

        Raises
        ------
        {report.ValueError}
        {report.OSError}

        Examples
        --------
        {examples.counts}
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     BayesianCountRegression().fit(X, y).report(f"{folder}/report.html", X, y)
        ...     "Rate ratio" in Path(f"{folder}/report.html").read_text("utf-8")
        True
        """
        row_offset = None if offset is None else _finite_offset(offset)
        self._write_report(path, X, y, level=level, title=title, file=file, row_offset=row_offset)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None) -> float:
        """Share of the deviance of a constant rate that the predictions explain, as `sklearn.linear_model.PoissonRegressor` has it.

        With an exposure, or an offset, the constant rate is per unit of it.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Counts.
        {sample_weight}
        offset : array-like of shape (n_samples,), default=None
            As in `predict`.

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
        y, mean = without_gaps(y), self.predict(X, offset=offset)
        exposure = np.ones(len(mean)) if offset is None else np.exp(_finite_offset(offset))
        for parameter in ("exposure", "offset_column"):
            if (name := self._name_of(parameter)) is not None:
                column: Any = self._checked_rows(X)[:, [list(self._column_names()).index(name)]]
                exposure = np.asarray(column.toarray() if is_sparse(column) else column, dtype=float).ravel()
                exposure = exposure if parameter == "exposure" else np.exp(exposure)
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
        self._has_offset = "has_row_offset" in model.to_dict()
        self.deviance_ = model.number("deviance")
        self.deviance_explained_ = model.number("deviance_explained")


def _finite_offset(offset: Any) -> np.ndarray:
    """Numbers that are added to linear predictors."""
    if isinstance(offset, str):
        why, remedy = "it must be an array of numbers", f"for a column of X, BayesianCountRegression(offset_column={offset!r})"
        raise InvalidArgumentError(f"offset is {offset!r}; {why}; {remedy}", "offset", value=offset, why=why, remedy=remedy)
    values = column_or_1d(np.asarray(offset, dtype=float))
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size > 0:
        value, why = f"{values[wrong[0]]:g}", "all values must be finite"
        raise wrong_row("offset at ", int(wrong[0]), f" is {value}; {why}", argument="offset", value=value, why=why)
    return values


def _refuse_truths(y: Any) -> None:
    """Refuses a target of True and False, which numpy would count as 1 and 0."""
    values = np.asarray(y)
    truths = [] if values.ndim != 1 or values.dtype.kind not in "bO" else [row for row, value in enumerate(values) if isinstance(value, (bool, np.bool_))]
    if truths:
        value, why = str(bool(values[truths[0]])), "a regression of counts needs numbers (for classes: BayesianLogisticRegression)"
        raise wrong_row("y at ", truths[0], f" is {value}, which is no count; {why}", argument="y", value=value, why=why)
