"""Fits of tables that Dask holds in partitions, on one machine or on many.

The estimators are those of `ardvark`, with the same parameters. ``fit`` takes Dask DataFrames and Dask Arrays, ``predict`` of them is lazy. Anything
else is fitted and predicted as by the estimators of `ardvark`. Which scheduler does the work is decided as always with Dask: by the
current client, or by ``dask.config``.

It needs Dask: ``pip install "ardvark[dask]"``.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _counts, _kernel, _linear, _logistic
from ._abi import InvalidArgumentError
from ._docs import assembled
from ._fitted import FittedModel
from ._given import listed
from ._many_targets import Outs
from ._partitions import (
    are_several, fit_partitions, in_a_tree, is_dask_collection, lazy_labels, lazy_predictions, lazy_probabilities, lazy_targets, rows_of,
    statistics_of_partition, target_of, task, token_of,
)
from ._progress import Watch
from ._tables import sentence_near
from ._target_streams import require_names_of_targets

__all__ = ["BayesianCountRegression", "BayesianLinearRegression", "BayesianLogisticRegression", "KernelClassifier", "KernelRegressor"]


def statistics_of(X: Any, y: Any, sample_weight: Any = None, form: str = "gram") -> Any:
    """The statistics of a table in partitions, as a delayed value.

    Each partition is read by one task. Partitions are added in their order, in a tree, so the bits depend on the partitions alone: not on the
    workers, nor on the order in which they finish, nor on tasks that are repeated because a worker was lost. The tasks are called
    ``read-partition-NUMBER`` and ``add-statistics-NUMBER``.

    Parameters
    ----------
    X : dask.dataframe.DataFrame or dask.array.Array of shape (n_samples, n_features)
        The lengths of the partitions need not be known. Text columns may have other levels in each partition.
    y : dask.dataframe.Series, dask.array.Array of shape (n_samples,), or str
        The target; of a DataFrame also the name of its column. Several targets: a DataFrame, an Array of shape (n_samples, n_targets), or a
        list of names.
    sample_weight : as y, default=None
        Observation weights.
    form : {"gram", "factor"}, default="gram"
        As in `ardvark.LinearStatistics`.

    Returns
    -------
    statistics : dask.delayed.Delayed
        ``statistics.compute()`` is a `LinearStatistics`; of several targets, a `TargetStatistics`.

    Raises
    ------
    ValueError
        The numbers of partitions differ.

    Examples
    --------
    >>> import dask.array
    >>> from ardvark.dask import statistics_of
    >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
    >>> statistics_of(X, X[:, 0]).compute().n_rows_
    1000
    """
    of_one = None if are_several(y) else form
    parts = [task("read-partition", number, statistics_of_partition, number, *rows, of_one) for number, rows in enumerate(rows_of(X, y, sample_weight))]
    return in_a_tree(parts, "add-statistics")


class _InPartitions(FittedModel):
    """The common part of the estimators."""

    def _fit(self, X: Any, y: Any, sample_weight: Any, target: Optional[str]) -> None:
        if is_dask_collection(X):
            self._fit_partitions(X, target_of(self, y, target), sample_weight)
        else:
            super()._fit(X, y, sample_weight, target)

    def _fit_partitions(self, X: Any, y: Any, sample_weight: Any) -> None:
        fit_partitions(self, X, y, sample_weight)

    def __dask_tokenize__(self) -> Any:
        return token_of(self)


@assembled
class BayesianLinearRegression(_InPartitions, _linear.BayesianLinearRegression):
    """Bayesian linear regression of a table in partitions.

    It has the parameters, attributes and methods of `ardvark.BayesianLinearRegression`, and gives the same fit. Each partition is read
    once; what leaves a worker are the statistics of its rows, about 4 (n_features + 1)^2 bytes for each partition. With ``noise`` "student"
    or "auto", the partitions are read some times, as by `BayesianCountRegression`.

    Examples
    --------
    >>> import dask.array
    >>> from ardvark.dask import BayesianLinearRegression
    >>> rng = dask.array.random.default_rng(0)
    >>> X = rng.normal(size=(10_000, 3), chunks=(1000, 3))
    >>> model = BayesianLinearRegression().fit(X, 2 * X[:, 0] + rng.normal(size=10_000, chunks=1000))
    >>> model.coef_.round(1)[0].item(), model.predict(X).compute().shape
    (2.0, (10000,))
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        target: Union[None, str, Sequence[str]] = None,
        out: Optional[np.ndarray] = None,
        out_std: Optional[np.ndarray] = None,
    ) -> BayesianLinearRegression:
        """Fits the model.

        y may have several columns, a DataFrame or an Array of shape (n_samples, n_targets), or ``target`` may be a list of names: each is a target
        with a regression of its own, as in `ardvark.BayesianLinearRegression`. What leaves a worker are then the sums of its rows, about
        8 n_features n_targets bytes for each partition. ``out`` and ``out_std`` are where ``coef_`` and ``coef_std_`` of
        several targets are written.

        {sections.dask_numbers}

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import BayesianLinearRegression
        >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
        >>> BayesianLinearRegression(prior="none").fit(X, X[:, 0] + X[:, 1] ** 2).coef_.round(0)[0].item()
        1.0
        """
        named = listed(target)
        if is_dask_collection(X) and (are_several(y) or isinstance(named, list)):
            y = target_of(self, listed(y) if isinstance(y, (list, tuple)) else y, named)
            if are_several(y):
                self._fit_many_partitions(X, y, sample_weight, (out, out_std))
                return self
            target, y = None, y
        super().fit(X, y, sample_weight, target=target, out=out, out_std=out_std)
        return self

    def _fit_many_partitions(self, X: Any, y: Any, sample_weight: Any, outs: Outs) -> None:
        self._check_sums()
        if isinstance(y, list):
            require_names_of_targets(y)
            for name in y:
                if name not in getattr(X, "columns", ()):
                    raise InvalidArgumentError(f"target is {name!r}, which is not a column of X{sentence_near(name, list(getattr(X, 'columns', ())))}", "target", value=name, column=name)
        with Watch(type(self).__name__, self.verbose, None):
            statistics = statistics_of(X, y, sample_weight).compute()
        if statistics.n_rows_ == 0:
            raise ValueError("X has no rows")
        self._fit_target_statistics(statistics, *outs)

    def _fit_partitions(self, X: Any, y: Any, sample_weight: Any) -> None:
        if self._is_by_passes:
            super()._fit_partitions(X, y, sample_weight)
            return
        with Watch(type(self).__name__, self.verbose, None):
            statistics = statistics_of(X, y, sample_weight, self._form).compute()
        if statistics.n_rows_ == 0:
            raise ValueError("X has no rows")
        self._fit_statistics(statistics)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianLinearRegression:
        """Adds rows to those of earlier calls, and fits the model to all of them.

        Parameters
        ----------
        X : dask.dataframe.DataFrame, dask.array.Array, or what ``partial_fit`` of `ardvark` takes
            The rows.
        {dask.y, dask.sample_weight}

        Returns
        -------
        {self}

        Raises
        ------
        ValueError
            A value is wrong, or the estimator has no statistics of its rows.

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import BayesianLinearRegression
        >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
        >>> model = BayesianLinearRegression().fit(X, X[:, 0] + X[:, 1] ** 2)
        >>> model.partial_fit(X[:100], X[:100, 0]).statistics_.n_rows_
        1100
        """
        if not is_dask_collection(X):
            super().partial_fit(X, y, sample_weight)
            return self
        with self._as_before_if_refused():
            if self._targets is not None or are_several(y):
                of_all = self._target_statistics_so_far(y)
                self._fit_target_statistics(of_all.merge(statistics_of(X, y, sample_weight).compute()), None)
                return self
            statistics = self._statistics_so_far()
            added = statistics_of(X, y, sample_weight, statistics.form).compute()
            self._fit_statistics(added if statistics.n_rows_ == 0 else statistics.merge(added))
            return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predicts.

        Parameters
        ----------
        {dask.predict.X, dask.predict.return_std}

        Returns
        -------
        mean : dask.dataframe.Series or dask.array.Array of shape (n_samples,)
            Predictive means, computed when they are needed. Of several targets: a DataFrame or an Array of shape (n_samples, n_targets).
        std : the same
            Only with ``return_std``.

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import BayesianLinearRegression
        >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
        >>> mean, std = BayesianLinearRegression().fit(X, X[:, 0] + X[:, 1] ** 2).predict(X, return_std=True)
        >>> bool((std > 0).all().compute())
        True
        """
        if not is_dask_collection(X):
            return super().predict(X, return_std)
        if self._targets is not None:
            return lazy_targets(self, X, return_std)
        return lazy_predictions(self, X, return_std, self._model.value("target") or None)


@assembled
class BayesianCountRegression(_InPartitions, _counts.BayesianCountRegression):
    """Bayesian regression of counts, of a table in partitions.

    It has the parameters, attributes and methods of `ardvark.BayesianCountRegression`, and gives the same fit, within its tolerance. The
    partitions are read some times: to look at the columns, and once for each pass of the fit. An offset is a column: ``exposure`` or
    ``offset_column``.

    Examples
    --------
    >>> import dask.array
    >>> from ardvark.dask import BayesianCountRegression
    >>> rng = dask.array.random.default_rng(0)
    >>> X = rng.normal(size=(20_000, 3), chunks=(5000, 3)).persist()
    >>> y = rng.poisson(dask.array.exp(0.5 * X[:, 0])).rechunk(5000).persist()
    >>> model = BayesianCountRegression(prior="shared").fit(X, y)
    >>> model.status_, model.coef_[0].round(1).item(), model.predict(X).shape
    ('converged', 0.5, (20000,))
    """

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, offset: Any = None, target: Optional[str] = None
    ) -> BayesianCountRegression:
        """Fits the model. offset: only of a table that is not in partitions.

        {sections.dask_numbers}

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import BayesianCountRegression
        >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
        >>> BayesianCountRegression("none").fit(X, dask.array.floor(X[:, 0] ** 2)).converged_
        True
        """
        super().fit(X, y, sample_weight, offset=offset, target=target)
        return self

    def _fit_partitions(self, X: Any, y: Any, sample_weight: Any) -> None:
        if self._row_offset is not None:
            raise ValueError("X is in partitions, so the offset must be a column of it: offset_column='...' instead of offset")
        super()._fit_partitions(X, y, sample_weight)

    def predict(self, X: Any, return_std: bool = False, *, offset: Any = None) -> Any:
        """Expected counts. offset: only of a table that is not in partitions.

        Parameters
        ----------
        {dask.predict.X, dask.predict.return_std}
        offset : array-like of shape (n_samples,), default=None
            As of `ardvark.BayesianCountRegression`; not for a table in partitions.

        Returns
        -------
        mean : dask.dataframe.Series or dask.array.Array of shape (n_samples,)
            Computed when they are needed.
        std : the same
            Only with ``return_std``.

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import BayesianCountRegression
        >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
        >>> mean = BayesianCountRegression().fit(X, dask.array.floor(X[:, 0] ** 2)).predict(X)
        >>> bool((mean > 0).all().compute())
        True
        """
        if not is_dask_collection(X):
            return super().predict(X, return_std, offset=offset)
        if offset is not None:
            raise ValueError("X is in partitions, so the offset must be a column of it: fit with offset_column='...'")
        return lazy_predictions(self, X, return_std)


@assembled
class BayesianLogisticRegression(_InPartitions, _logistic.BayesianLogisticRegression):
    """Bayesian logistic regression of two or more classes, of a table in partitions.

    It has the parameters, attributes and methods of `ardvark.BayesianLogisticRegression`, and gives the same fit, within its tolerance. The
    partitions are read some times: to look at the columns and labels, and once for each pass of the fit. Several classes have the coding
    that they have in memory; regressions of each class against the rest share the passes. Keep the partitions in the memory of the workers with ``persist()`` if they fit there.

    Examples
    --------
    >>> import dask.array
    >>> from ardvark.dask import BayesianLogisticRegression
    >>> rng = dask.array.random.default_rng(0)
    >>> X = rng.normal(size=(20_000, 3), chunks=(5000, 3)).persist()
    >>> y = X[:, 0] + rng.normal(size=20_000, chunks=5000).persist() > 0
    >>> model = BayesianLogisticRegression(prior="shared").fit(X, y)
    >>> model.status_, model.predict_proba(X).shape, model.predict(X[:3]).compute().shape
    ('converged', (20000, 2), (3,))
    """

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None
    ) -> BayesianLogisticRegression:
        """Fits the model.

        {sections.dask_classes}

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import BayesianLogisticRegression
        >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
        >>> BayesianLogisticRegression(prior="ard").fit(X, X[:, 0] + X[:, 1] ** 2 > 1).classes_.tolist()
        [False, True]
        """
        super().fit(X, y, sample_weight, target=target)
        return self

    def predict(self, X: Any) -> Any:
        """The most probable class.

        {sections.dask_classes_predicted}

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import BayesianLogisticRegression
        >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
        >>> BayesianLogisticRegression().fit(X, X[:, 0] > 0.5).predict(X).mean().round(1).compute().item()
        0.3
        """
        return lazy_labels(self, X) if is_dask_collection(X) else super().predict(X)

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class.

        Parameters
        ----------
        {dask.predict_proba.X}

        Returns
        -------
        probability : dask.array.Array of shape (n_samples, n_classes)
            Computed when they are needed. Of a DataFrame, the lengths of the chunks are not known.

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import BayesianLogisticRegression
        >>> X = dask.array.random.default_rng(0).normal(size=(1000, 3), chunks=(200, 3))
        >>> model = BayesianLogisticRegression().fit(X, X[:, 0] > 0.5)
        >>> bool((abs(model.predict_proba(X).sum(axis=1) - 1) < 1e-12).all().compute())
        True
        """
        return lazy_probabilities(self, X) if is_dask_collection(X) else super().predict_proba(X)


@assembled
class KernelRegressor(_InPartitions, _kernel.KernelRegressor):
    """Curves and surfaces of any shape, of a table in partitions.

    It has the parameters, attributes and methods of `ardvark.KernelRegressor`. A sample of the rows says which kernel, widths and centres
    serve; the partitions are read some times for what all rows say. Keep them in the memory of the workers with ``persist()`` if they fit
    there. ``centres="all"`` and ``vectors`` need the table in memory.

    Examples
    --------
    >>> import dask.array
    >>> from ardvark.dask import KernelRegressor
    >>> X = dask.array.random.default_rng(0).uniform(size=(1000, 2), chunks=(200, 2)).persist()
    >>> model = KernelRegressor(centres=20).fit(X, dask.array.sin(6 * X[:, 0]))
    >>> model.predict(X).shape, model.score([[0.25, 0.5], [0.5, 0.5]], [0.9975, 0.1411]) > 0.99
    ((1000,), True)
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> KernelRegressor:
        """Fits the machine.

        {sections.dask_numbers}

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import KernelRegressor
        >>> X = dask.array.random.default_rng(0).uniform(size=(600, 2), chunks=(200, 2))
        >>> noise = dask.array.random.default_rng(1).normal(scale=0.1, size=600, chunks=200)
        >>> KernelRegressor(centres=20).fit(X, X[:, 0] ** 2 + noise).converged_
        True
        """
        super().fit(X, y, sample_weight, target=target)
        return self

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Mean of the predictive distribution.

        Parameters
        ----------
        {dask.predict.X, dask.predict.return_std}
        return_cov : bool, default=False
            As of `ardvark.KernelRegressor`; not for a table in partitions.

        Returns
        -------
        mean : dask.dataframe.Series or dask.array.Array of shape (n_samples,)
            Computed when they are needed.
        std : the same
            Only with ``return_std``.

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import KernelRegressor
        >>> X = dask.array.random.default_rng(0).uniform(size=(600, 2), chunks=(200, 2))
        >>> mean, std = KernelRegressor(centres=20).fit(X, X[:, 0] ** 2).predict(X, return_std=True)
        >>> bool((std > 0).all().compute())
        True
        """
        if not is_dask_collection(X):
            return super().predict(X, return_std, return_cov)
        if return_cov:
            raise ValueError("return_cov cannot be used with a table in partitions: the covariance has a number for every two rows")
        return lazy_predictions(self, X, return_std)


@assembled
class KernelClassifier(_InPartitions, _kernel.KernelClassifier):
    """Classes that no line separates, of a table in partitions.

    It has the parameters, attributes and methods of `ardvark.KernelClassifier`, and reads the partitions as `KernelRegressor`. Three classes
    or more have a machine each, against the rest, and share the passes.

    Examples
    --------
    >>> import dask.array
    >>> from ardvark.dask import KernelClassifier
    >>> X = dask.array.random.default_rng(0).uniform(size=(600, 2), chunks=(200, 2)).persist()
    >>> model = KernelClassifier(centres=20).fit(X, abs(X[:, 0] - 0.5) > 0.25)
    >>> model.predict(X[:2]).shape, model.predict_proba(X).shape
    ((2,), (600, 2))
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> KernelClassifier:
        """Fits the machine.

        {sections.dask_classes}

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import KernelClassifier
        >>> X = dask.array.random.default_rng(0).uniform(size=(600, 2), chunks=(200, 2))
        >>> KernelClassifier(centres=20).fit(X, X[:, 0] > 0.5).classes_.tolist()
        [False, True]
        """
        super().fit(X, y, sample_weight, target=target)
        return self

    def predict(self, X: Any) -> Any:
        """The most probable class.

        {sections.dask_classes_predicted}

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import KernelClassifier
        >>> X = dask.array.random.default_rng(0).uniform(size=(600, 2), chunks=(200, 2))
        >>> KernelClassifier(centres=20).fit(X, X[:, 0] > 0.5).predict(X).mean().round(1).compute().item()
        0.5
        """
        return lazy_labels(self, X) if is_dask_collection(X) else super().predict(X)

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class.

        Parameters
        ----------
        {dask.predict_proba.X}

        Returns
        -------
        probability : dask.array.Array of shape (n_samples, 2)
            Computed when they are needed. Of a DataFrame, the lengths of the chunks are not known.

        Examples
        --------
        >>> import dask.array
        >>> from ardvark.dask import KernelClassifier
        >>> X = dask.array.random.default_rng(0).uniform(size=(600, 2), chunks=(200, 2))
        >>> KernelClassifier(centres=20).fit(X, X[:, 0] > 0.5).predict_proba(X).sum(axis=1).round(9).compute().max().item()
        1.0
        """
        return lazy_probabilities(self, X) if is_dask_collection(X) else super().predict_proba(X)
