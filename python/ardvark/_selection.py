"""Selection of columns: those that a sparse fit keeps, in one fit or in repeated fits."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Callable, Optional

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._arrays import READ
from ._base import Estimator
from ._given import frame, gaps_in, refuse_many, require_finite
from ._docs import assembled
from ._hosts import in_memory
from ._linear import BayesianLinearRegression
from ._progress import Watch
from ._report import write_result_report
from ._score import LinearScore
from ._slr import SparseLogisticRegression
from ._tables import is_sparse_table, names_of, with_dense_columns


@assembled
class RelevanceSelector(SelectorMixin, Estimator):
    """Keeps the columns that matter.

    The columns are chosen by one sparse fit, or by how often repeated cross-validation keeps them. A text column is kept or left out as a
    whole: it is kept if one of its levels is, and its score, count and SC-value are the largest among its levels.

    Parameters
    ----------
    estimator : an estimator of this package with a coefficient for each column, default=None
        The estimator that chooses columns. None: `SparseLogisticRegression` if y holds labels, otherwise
        ``BayesianLinearRegression(prior="ard")``.
    by : {"relevance", "counts"}, default="relevance"
        "relevance": one fit to all rows. "counts": repeated cross-validation (of classes: stratified), and the
        share of the fits that kept a column. With few rows, one fit keeps the columns that these rows favour by chance.
    threshold : float, default=None
        A column is kept if its score is at least this. None: for "relevance" the rule of the estimator
        (``support_``), for "counts" one half.
    max_features : int, default=None
        Maximum number of columns; those with the largest scores are kept.
    folds, repeats : int, default=None
        Number of folds and repeats for by="counts".
    random_state : int, RandomState instance or None, default=None
        Random generator for by="counts". An int is the seed of ``ardvark select``, which then gives the same counts. None:
        always the same folds.
    missing : {"refuse", "drop", "impute"}, default="refuse"
        Rows in which a value is missing, as for the estimator, whose parameter this sets unless it is "refuse". "impute" only for
        by="relevance".
    {verbose}
    callback : callable, default=None
        Called after each sweep (by="counts": after each fit), and in a long step about twice a second, with an object that has
        ``stage``, ``sweep`` (by="counts": fits so far), ``bound``, ``done`` of ``total`` pieces, ``elapsed_seconds`` and
        ``seconds_left`` (None where it is not known). If it returns False, the work stops.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        In [0, 1]: relevance (with several classes the largest), or the share of the fits that kept the column.
    support_ : ndarray of shape (n_features,), bool
        The columns that are kept.
    estimator_ : the fitted estimator
        by="relevance" only.
    counts_ : ndarray of shape (n_features,), int
        by="counts" only: how many fits kept the column.
    sc_values_ : ndarray of shape (n_features,)
        by="counts" only: the sum of the test accuracies of those fits; of a regression, of their R^2, if positive.
    accuracy_ : float
        by="counts" and classes only: mean accuracy on test rows, in [0, 1].
    r_squared_ : float
        by="counts" and a regression only: R^2 of test rows, at most 1.
    {n_features_in_, feature_names_in_}

    References
    ----------
    O. Yamashita et al. (2008), Sparse estimation automatically selects voxels relevant for the decoding of
    fMRI activity patterns, NeuroImage 42 (counts and SC-values).

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import RelevanceSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = (3 * X[:, 4] + rng.logistic(size=100) > 0).astype(int)
    >>> selector = RelevanceSelector(by="counts", threshold=1, folds=5, repeats=2).fit(X, y)
    >>> selector.get_feature_names_out().tolist(), selector.transform(X).shape
    (['x4'], (100, 1))
    """

    _has_text: bool = False  # the table of the fit

    def __init__(
        self,
        estimator: Any = None,
        *,
        by: str = "relevance",
        threshold: Optional[float] = None,
        max_features: Optional[int] = None,
        folds: Optional[int] = None,
        repeats: Optional[int] = None,
        random_state: Any = None,
        missing: str = "refuse",
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> RelevanceSelector:
        """Learns which columns to keep.

        Parameters
        ----------
        {fit.X}
        y : array-like of shape (n_samples,)
            Labels, or numbers. Leave it out with ``target``.
        {fit.sample_weight, fit.target}

        {sections.fitted}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import RelevanceSelector
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 5))
        >>> y = 2 * X[:, 3] + 0.1 * rng.normal(size=100)
        >>> RelevanceSelector(max_features=1).fit(X, y).support_.tolist()
        [False, False, False, True, False]
        """
        if self.by not in ("relevance", "counts"):
            raise ValueError(f"by is {self.by!r}; it must be 'relevance' or 'counts'")
        if self.max_features is not None and self.max_features < 0:
            raise ValueError(f"max_features is {self.max_features}; it must be 0 or more")
        X, y, sample_weight, target = self._split(X, y, sample_weight, target)
        refuse_many(y, type(self).__name__)
        estimator = self._chosen(y)
        if self.by == "counts":
            kept = self._count(estimator, X, y, sample_weight, target)
        else:
            kept = self._fit_once(estimator, X, y, sample_weight)
        self._take_columns(estimator)
        if self.threshold is not None:
            kept = self.scores_ >= self.threshold
        if self.max_features is not None and kept.sum() > self.max_features:
            order = np.lexsort((np.arange(kept.size), -self.scores_, ~kept))
            kept = np.isin(np.arange(kept.size), order[: self.max_features])
        self.support_ = kept
        return self

    def _chosen(self, y: Any) -> LinearScore:
        if self.estimator is None:
            estimator = BayesianLinearRegression(prior="ard") if _is_continuous(y) else SparseLogisticRegression()
        else:
            estimator = clone(self.estimator)
        if not isinstance(estimator, LinearScore):
            raise ValueError(
                f"estimator is {estimator!r}; it must be an estimator of ardvark with a coefficient for each column"
            )
        if self.missing != "refuse":
            if "missing" not in estimator.get_params():
                raise ValueError(f"missing is {self.missing!r}; {type(estimator).__name__} needs tables without gaps: leave out such rows")
            estimator.set_params(missing=self.missing)
        return estimator

    def _take_columns(self, estimator: LinearScore) -> None:
        """The columns of the table are those that the estimator has read."""
        self._has_text = estimator._encoding is not None
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(estimator, name):
                setattr(self, name, getattr(estimator, name))

    def _fit_once(self, estimator: LinearScore, X: Any, y: Any, weights: Any) -> np.ndarray:
        self.__dict__.pop("_counted", None)
        watched = {name: getattr(self, name) for name in ("verbose", "callback") if name in estimator.get_params()}
        estimator.set_params(**watched)
        self.estimator_ = estimator.fit(X, y) if weights is None else estimator.fit(X, y, sample_weight=weights)
        self.scores_ = _of_table(np.atleast_2d(estimator.relevance_).max(axis=0), estimator)
        return _of_table(estimator.support_, estimator)

    def _count(self, estimator: LinearScore, X: Any, y: Any, weights: Any, target: Any) -> np.ndarray:
        X, y, weights, _ = estimator._checked(X, y, weights)
        y = estimator._encoded(y)
        with Watch(type(self).__name__, self.verbose, self.callback) as watch:
            try:
                result = _core.select(
                    X,
                    y,
                    callback=watch.function,
                    folds=self.folds,
                    repeats=self.repeats,
                    seed=_seed(self.random_state),
                    weights=weights,
                    class_names=estimator._class_names(),
                    target=target,
                    **estimator._columns_for_library(),
                    **estimator._model_options(),
                    **estimator._given_options(),
                )
            except ValueError as error:
                raise estimator._in_our_names(error) from None
        self._warn(result, estimator)
        self._counted = result
        self.scores_ = _of_table(result.array("share"), estimator)
        self.counts_ = _of_table(result.array("count").astype(int), estimator)
        self.sc_values_ = _of_table(result.array("sc_value"), estimator)
        for name in ("accuracy", "r_squared"):
            self.__dict__.pop(f"{name}_", None)  # left from an earlier fit
        name = "r_squared" if estimator._is_regression else "accuracy"
        setattr(self, f"{name}_", result.number(f"{name}.mean"))
        return self.scores_ >= 0.5

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_counted"}

    def report(self, path: Any) -> None:
        """Writes how often each column is kept as one page of HTML, after ``by="counts"``.

        Parameters
        ----------
        {report.path}

        Raises
        ------
        ValueError
            Nothing was counted; or the selector comes from a pickle, which does not hold what the page needs.
        OSError
            The file cannot be written.

        Examples
        --------
        >>> import numpy as np
        >>> import tempfile
        >>> from pathlib import Path
        >>> from ardvark import RelevanceSelector
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(60, 3))
        >>> selector = RelevanceSelector(by="counts", folds=3, repeats=2).fit(X, X[:, 2] > 0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     selector.report(f"{folder}/report.html")
        ...     "6 fits (3 folds, 2 repeats" in Path(f"{folder}/report.html").read_text("utf-8")
        True
        """
        check_is_fitted(self)
        if not hasattr(self, "_counted"):
            raise ValueError("a report of a selector needs the counts of this fit: by='counts', and not from a pickle")
        write_result_report(self._counted._handle, path, f"{self!r}.fit(X, y)")

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """The columns that are kept.

        Parameters
        ----------
        {X}

        Returns
        -------
        X_kept : array of shape (n_samples, n_kept), or table
            Of a table with text columns: a table. Of a sparse X: a sparse matrix. Other columns of a table, such as the target, are left out.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import RelevanceSelector
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 5))
        >>> RelevanceSelector(max_features=1).fit(X, X[:, 3] + 0.1 * rng.normal(size=100)).transform(X).shape
        (100, 1)
        """
        check_is_fitted(self)
        X = self._without_others(frame(in_memory(X, type(self), is_new=True)))
        if self._has_text:
            validate_data(self, X, reset=False, skip_check_array=True)  # its names
            if names_of(X) is None:
                raise ValueError("the selector was fitted to a table with text columns; X must be a DataFrame with these columns")
            return X[self.get_feature_names_out().tolist()]
        X = X if is_sparse_table(X) else with_dense_columns(X)
        numbers = self._validated(X, dtype=READ, ensure_all_finite=False)
        require_finite(numbers, self._column_names, self._may_miss, "leave out such rows, or fill the gaps")
        return super().transform(X)

    @property
    def _reads_sparse(self) -> bool:
        return self.by == "relevance" and (self.estimator is None or getattr(self.estimator, "_reads_sparse", False))

    @property
    def _takes_sparse(self) -> bool:
        return self._reads_sparse and (self.estimator is None or get_tags(self.estimator).input_tags.sparse)

    @property
    def _may_miss(self) -> bool:
        return super()._may_miss or getattr(self.estimator, "missing", "refuse") != "refuse"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _of_table(values: np.ndarray, estimator: LinearScore) -> np.ndarray:
    """One value for each column of the table from one for each coefficient: of a text column the largest of its levels."""
    encoding = estimator._encoding
    if encoding is None:
        return values
    largest = np.zeros(len(encoding.features), dtype=values.dtype)
    np.maximum.at(largest, encoding.feature_of_column, values)
    return largest


def _is_continuous(y: Any) -> bool:
    """Whether y holds numbers of which some are not whole; gaps do not count."""
    values = np.asarray(y)
    if values.ndim == 1:
        values = np.array(values[~gaps_in(values)].tolist())
    return values.ndim > 0 and type_of_target(values, input_name="y") == "continuous"


def _seed(state: Any) -> Optional[int]:
    """The seed for the library: an int as it is, so that it gives the counts that the shell gives."""
    generator = check_random_state(state)  # refuses what is no state
    if state is None:
        return None
    return int(state) if isinstance(state, Integral) else generator.randint(2**31 - 1)
