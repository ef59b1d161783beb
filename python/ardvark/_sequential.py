"""Logistic regression that absorbs each row once."""

from __future__ import annotations

from typing import Any, ClassVar, Collection, Optional

import numpy as np
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import _check_sample_weight, validate_data

from . import _core
from ._arrays import READ, refuse_sparse, without_mask
from ._given import listed, name_of, plain_labels, refuse_gaps, refuse_many, refuse_times, require_finite, require_weights, table_of_fit, with_one_spelling
from ._docs import assembled
from ._fitted import _as_labels
from ._hosts import in_memory
from ._logistic import LogisticScore
from ._tables import with_columns_of, with_dense_columns

_INTERCEPT = "(intercept)"  # the name of its weight in files


@assembled
class SequentialLogisticRegression(LogisticScore):
    """Bayesian logistic regression of a stream: each row is used once and then forgotten.

    It is for two classes. The posterior after n rows is the prior of row n + 1, so memory does not grow with the number
    of rows. The result depends a little on the order of the rows. ``partial_fit`` takes them in the given order. ``fit``
    uses its own order, which does not depend on the order of the table. Nothing is standardised: scale the columns so
    that they are comparable.

    Parameters
    ----------
    precision : float, default=None
        Prior precision of every weight, > 0. None: the number of weights, as published.
    fit_intercept : bool, default=True
        Whether the model has an intercept; it is a weight like the others.
    shuffle : bool, default=True
        True: ``fit`` absorbs the rows in an order that depends only on their contents, and equal rows together. A table
        sorted in another way gives the same result, and a weight equals copies of the row. False: the given order.
    {n_jobs}

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, ascending.
    coef_ : ndarray of shape (1, n_features)
        Posterior mean: change of the log odds of ``classes_[1]`` per unit of the column.
    intercept_ : ndarray of shape (1,)
    coef_std_, intercept_std_ : ndarray of the same shapes
        Posterior standard deviation.
    {sigma_, relevance_, direction_}
    bound_ : float
        Lower bound on the log evidence of the rows so far, in nats.
    bound_comparable_ : bool
        Always True, because every column has a prior.
    bound_history_, scores_ : ndarray of shape (1,)
        The same as ``bound_``.
    {effective_parameters_}
    support_ : ndarray of shape (n_features,), bool
        Always True: every column is kept.
    n_iter_ : int
        Number of passes over each row: 1.
    {converged_}
    status_ : str
        "converged", or "not_positive_definite" if rounding has destroyed the covariance.
    notes_ : list of str
        Always empty.
    n_rows_seen_ : int
        Number of rows absorbed so far, without rows of weight zero.
    {fit.posterior_}
    {n_features_in_, feature_names_in_}

    References
    ----------
    J. Drugowitsch (2013), Variational Bayesian inference for linear and logistic regression, arXiv:1310.5438,
    section 3.5.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import SequentialLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> model = SequentialLogisticRegression()
    >>> for _ in range(10):
    ...     X = rng.normal(size=(50, 3))
    ...     y = (2 * X[:, 0] + rng.logistic(size=50) > 0).astype(int)
    ...     model = model.partial_fit(X, y, classes=[0, 1])
    >>> model.n_rows_seen_, bool(model.predict_proba([[2.0, 0, 0]])[0, 1] > 0.9)
    (500, True)
    """

    _reads_text: ClassVar[bool] = False  # rows come in parts, and a part need not have every level
    _own: ClassVar[Collection[str]] = (*LogisticScore._own, "fit_intercept")  # a column of ones

    def __init__(
        self,
        precision: Optional[float] = None,
        *,
        fit_intercept: bool = True,
        shuffle: bool = True,
        n_jobs: Optional[int] = None,
    ):
        self._keep(locals())

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None
    ) -> SequentialLogisticRegression:
        """Starts again and absorbs these rows.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Labels of two classes. Leave it out with ``target``.
        {sequential.sample_weight}
        {fit.target}

        {sections.fitted}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import SequentialLogisticRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = X[:, 0] + rng.logistic(size=200) > 0
        >>> model = SequentialLogisticRegression().fit(X, y)
        >>> backwards = SequentialLogisticRegression().fit(X[::-1], y[::-1])
        >>> model.n_rows_seen_, bool((model.coef_ == backwards.coef_).all())
        (200, True)
        """
        X, y, sample_weight, target = self._split(X, y, sample_weight, target)
        X, y = self._numbers_of(X, y, reset=True)
        weights = self._weights(sample_weight, X)
        self._encoded(y if weights is None else y[weights > 0])
        self._begin()
        return self._absorb(X, y, weights, target, "by-content" if self.shuffle else None)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> SequentialLogisticRegression:
        """Absorbs more rows.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like of shape (2,), default=None
            Both labels; required in the first call.
        {sequential.sample_weight}

        Returns
        -------
        {self}

        Raises
        ------
        ValueError
            An argument is wrong; the estimator does not change.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import SequentialLogisticRegression
        >>> model = SequentialLogisticRegression()
        >>> model = model.partial_fit([[1.0], [-1.0]], ["up", "down"], classes=["down", "up"])
        >>> model = model.partial_fit([[2.0]], ["up"])
        >>> model.n_rows_seen_, bool(model.coef_[0, 0] > 0)
        (3, True)
        """
        is_first = getattr(self, "classes_", None) is None
        target = name_of(y)
        X, y = self._numbers_of(X, y, is_first, listed(classes if is_first else self.classes_) or ())
        weights = self._weights(sample_weight, X)
        if _check_partial_fit_first_call(self, classes):
            if self.classes_.size != 2:
                number = self.classes_.size
                del self.classes_
                raise ValueError(f"classes has {number} entries; it must hold two classes")
            self._begin()
        if not np.isin(y, self.classes_).all():
            raise ValueError("y holds labels that are not in classes")
        return self._absorb(X, y, weights, target)

    def _numbers_of(self, X: Any, y: Any, reset: bool, labels: Any = ()) -> tuple[np.ndarray, np.ndarray]:
        refuse_sparse(X, type(self).__name__)
        X = with_dense_columns(in_memory(X, type(self)))
        refuse_times(X, "X")
        refuse_many(y, type(self).__name__, is_regression=False)
        y = plain_labels(with_one_spelling(y, labels))
        refuse_gaps(y, self._remedy_of_gap())
        earlier = () if reset else getattr(self, "feature_names_in_", ())
        X = with_columns_of(list(earlier), table_of_fit(X, earlier))
        X, y = validate_data(self, self._without_text(X, None), y, dtype=READ, reset=reset, ensure_all_finite=False)
        require_finite(X, self._column_names, False, self._remedy_of_new_gap())
        return X, y

    @staticmethod
    def _weights(sample_weight: Any, X: np.ndarray) -> Optional[np.ndarray]:
        if sample_weight is None:
            return None
        sample_weight = without_mask(sample_weight)
        require_weights(sample_weight)
        refuse_gaps(sample_weight, "leave out such rows", "sample_weight")
        return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)

    def _begin(self) -> None:
        self.n_rows_seen_ = 0
        try:
            self._filter = _core.Sequential(
                self.n_features_in_ + self._has_column_of_ones, **self._given_options()
            )
        except ValueError as error:
            raise self._in_our_names(error) from None

    def _absorb(
        self,
        X: np.ndarray,
        y: np.ndarray,
        weights: Optional[np.ndarray],
        target: Optional[str],
        row_order: Optional[str] = None,
    ) -> SequentialLogisticRegression:
        signs = np.where(y == self.classes_[1], 1.0, -1.0)
        self._filter.update(self._with_ones(X), signs, weights, row_order=row_order)
        self.n_rows_seen_ += len(X) if weights is None else int(np.count_nonzero(weights))
        names = [*self._column_names(), *self._added_columns]
        labels = [str(label) for label in self.classes_]
        self._take(self._filter.model(column_names=names, class_names=labels, target=target))
        return self

    def _take_coefficients(self, model: _core.Model) -> None:
        p, mean, sd = self.n_features_in_, model.array("mean"), model.array("sd")
        self.coef_, self.coef_std_ = mean[None, :p], sd[None, :p]
        self.relevance_, self.direction_ = (model.array(name)[:p] for name in ("relevance", "direction"))
        has_intercept = mean.size > p
        self.intercept_, self.intercept_std_ = (x[p:] if has_intercept else np.zeros(1) for x in (mean, sd))

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.support_ = self.support_[: self.n_features_in_]
        del self.lambda_  # fixed: the parameter `precision`

    def _interval(self, level: float) -> np.ndarray:
        return self._model.at_level(level).array("interval")[None, : self.n_features_in_]

    @property
    def _added_columns(self) -> list[str]:
        return [_INTERCEPT] if self._has_column_of_ones else []

    @property
    def _has_column_of_ones(self) -> bool:
        return bool(self.fit_intercept)

    def _with_ones(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([X, np.ones(len(X), X.dtype)]) if self._has_column_of_ones else X

    def _design(self, X: Any) -> np.ndarray:
        return self._with_ones(self._checked_rows(X))

    def _call_of_fit(self) -> str:
        return f"{self!r}.fit(X, y)"

    def _of_file(self, model: _core.Model) -> SequentialLogisticRegression:
        """The filter, which goes on; its last weight may be the intercept."""
        found, texts = model.to_dict(), model.encoding().text_columns
        if found.get("solver") != "sequential" or texts:
            why = f"the text column {texts[0]['name']!r}" if texts else "a fit to all rows together"
            raise ValueError(
                f"the file holds {why}, to which SequentialLogisticRegression cannot add rows; ardvark.load reads it for predictions, and"
                " SequentialLogisticRegression().fit(X, y) begins with all rows"
            )
        columns = list(found["columns"])
        self.set_params(**self._parameters_of(model), fit_intercept=columns[-1] == _INTERCEPT)
        if self._has_column_of_ones:
            columns.pop()
        self.n_features_in_ = len(columns)
        if columns != [f"x{j + 1}" for j in range(len(columns))]:
            self.feature_names_in_ = np.asarray(columns, dtype=object)
        self.classes_ = _as_labels(found["classes"])
        self.n_rows_seen_ = int(found["num_rows"])
        self._filter = _core.Sequential.from_model(model)
        self._take(model)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
