"""Logistic regression of two classes or more."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._arrays import product
from ._options import refuse_other_words
from ._predictions import Classifier
from ._docs import assembled
from ._score import Columns, LinearScore, Prior, _intercept


@assembled
class LogisticScore(Classifier, LinearScore):
    """The common part of fits of classes: coefficients [classes, columns]; for two classes one row."""

    @property
    def _is_one_score(self) -> bool:
        return self.classes_.size == 2 and self._model.array("mean").ndim == 1

    def _take_coefficients(self, model: _core.Model) -> None:
        self.coef_ = np.atleast_2d(model.array("mean"))
        self.coef_std_ = np.atleast_2d(model.array("sd"))
        self.relevance_ = model.array("relevance")
        self.direction_ = model.array("direction")
        self.intercept_, self.intercept_std_ = (
            np.atleast_1d(x) for x in _intercept(model, self.coef_.shape[0])
        )

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class.

        Parameters
        ----------
        {X}

        Returns
        -------
        {label}

        Examples
        --------
        {examples.classes}
        >>> BayesianLogisticRegression().fit(X, y).predict([[2.0, 0, 0], [-2.0, 0, 0]]).tolist()
        ['yes', 'no']
        """
        if not self._is_linear():
            return super().predict(X)
        # A probability is above one half where the score is above 0 (PRED.2). Where rounding could change this, the library decides.
        rows = self._design(X)
        weights, intercept = self.coef_[0], self.intercept_[0]
        X = rows if rows.shape[1] == weights.size else rows[:, : weights.size]
        score = product(X, weights) + intercept
        near = np.isnan(score)  # values are missing
        near |= np.abs(score) <= 1e-6 + 1e-8 * (product(X, np.abs(weights), np.abs) + abs(intercept))
        labels = self.classes_[(score > 0).astype(int)]
        if near.any():
            with suppress(ValueError):  # if the covariance was too large to keep, the score alone decides
                labels[near] = self._most_probable(rows[near])
        return labels

    def predict_score(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of the score: with two classes, the log odds of ``classes_[1]`` given the weights.

        Under a sparse prior, those of the average over the starts, with the differences between the starts.

        Parameters
        ----------
        {X}

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            ``X @ coef_[0] + intercept_[0]``.
        std : ndarray of shape (n_samples,)
            From the uncertainty of the weights.

        Raises
        ------
        ValueError
            There are more than two classes, and therefore several scores.

        Examples
        --------
        {examples.classes}
        >>> mean, std = BayesianLogisticRegression().fit(X, y).predict_score([[2.0, 0, 0], [-2.0, 0, 0]])
        >>> (mean > 0).tolist(), bool((std > 0).all())
        ([True, False], True)
        """
        rows = self._design(X)
        if not self._is_one_score:
            raise ValueError(f"predict_score applies only to two classes; for {self.classes_.size} use predict_proba")
        prediction = self._model.predict(rows)
        return prediction.array("mean"), np.sqrt(prediction.array("variance"))

    def _is_linear(self) -> bool:
        # Under a sparse prior, probabilities are averaged over starts, and each start has its own score.
        return hasattr(self, "classes_") and self.coef_.shape[0] == 1 and not hasattr(self, "inclusion_")


@assembled
class BayesianLogisticRegression(LogisticScore):
    """Bayesian logistic regression of two or more classes.

    The prior is a few effects plus many small ones; one precision for all columns, each column (ARD) or each group; or
    L1. Predicted probabilities are averaged over the posterior. If the fit is uncertain about a row, its probability is
    nearer to one half.

    Parameters
    ----------
    prior : str, array-like of shape (n_features,) or dict, default="auto"
        "auto", "sparse", "slab", "dense", "shared", "ard", "none" or "laplace", or groups of columns. "auto" takes
        "sparse": a few columns have an effect of their own, and all columns may have a small one. Its intervals are
        right with few and with many columns. "slab" has only the few effects, "dense" only the many. With several
        classes, these three fit each class against the rest. With "shared", all columns share one precision; with "ard",
        each column has its own; with groups, each group has one. Groups are one number per column, lists of columns,
        ``[["a", "b"], ["c", "d"]]``, or ``{"name": [columns]}``, with names or positions of columns; a column in no
        group is alone. "none" is maximum likelihood. "laplace" is L1: the mode, with Laplace's
        approximation for the coefficients that are not zero; several classes each against the rest. For a softmax of
        several classes, and if you set an option that has no meaning for "sparse" (likelihood, lambda_1, lambda_2,
        lambda_init, update_rule, prune_at, solver), "auto" takes "ard" if there are at least five rows per column, and
        "shared" otherwise; ``notes_`` says so.
    likelihood : {"vg", "jj", "laplace"}, default="vg"
        Two classes: "vg" is the best Gaussian variational posterior; "jj" the Jaakkola-Jordan bound of the published
        programs, with intervals that are too narrow; "laplace" Laplace's approximation. More than two classes:
        Laplace's approximation, or "jj" for a source that is read in pieces, of which each class then has a regression.
    intervals : {"skewed", "gaussian"}, default="skewed"
        Two classes under "shared", "ard", "none" and groups: ``coef_interval``. "skewed": each coefficient's own distribution, which need
        not be symmetric; with few rows a normal one misses its ends. "gaussian": the mean and a multiple of ``coef_std_`` on both sides.
    coding : {"automatic", "softmax", "one-against-rest", "one-against-one"}, default="automatic"
        How more than two classes are coded. "automatic" is "one-against-rest" under "sparse", "slab", "dense" and
        "laplace". It is also "one-against-rest" for 8 or more classes if there are at most as many rows as twice the columns times the
        classes, where it predicts better. Otherwise it is "softmax".
    precision_per_class : bool, default=False
        Softmax: one precision for each class and column, instead of one for the weights of a column in all classes.
    {laplace_lambda, lambda_rule, folds}
    {flat, fit.reference, lambda_1, lambda_init}
    {fit_intercept}
    {fit.standardize}
    update_rule : {"vb", "mackay"}, default=None
        How the precisions are updated; both rules have the same fixed points. None: the library chooses by the number
        of classes.
    {prune_at, max_iter, tol}
    {fit.solver}
    {diagnose, fdr, guarantee}
    {fit.missing, fit.imputations, fit.random_state}
    {n_jobs, verbose, callback}

    Attributes
    ----------
    {classes.classes_, classes.coef_, classes.intercept_, classes.coef_std_, classes.sigma_}
    {classes.lambda_, classes.relevance_, classes.direction_, classes.support_, classes.bound_}
    {classes.bound_comparable_}
    {bound_history_, n_iter_}
    {sparse.inclusion_, sparse.undecided_, sparse.dense_fraction_, sparse.starts_, sparse.start_bounds_}
    {sparse.start_weights_, sparse.alternatives_, khat_, khat_given_precisions_, khat_effective_share_, converged_, status_, notes_}
    {effective_parameters_, classes.posterior_, fit.columns_, n_features_in_, feature_names_in_}

    {sections.warns}

    References
    ----------
    T. S. Jaakkola and M. I. Jordan (2000), Bayesian parameter estimation via variational methods, Statistics
    and Computing 10. J. Drugowitsch (2013), Variational Bayesian inference for linear and logistic
    regression, arXiv:1310.5438.

    Examples
    --------
    {examples.classes}
    >>> model = BayesianLogisticRegression(prior="ard").fit(X, y)
    >>> model.classes_.tolist(), model.support_.tolist()
    (['no', 'yes'], [True, False, False])
    >>> bool(model.predict_proba([[2.0, 0, 0]])[0, 1] > 0.9)
    True
    """

    _reads_sparse = True
    _reads_genotypes = True

    def __init__(
        self,
        prior: Prior = "auto",
        *,
        likelihood: str = "vg",
        intervals: str = "skewed",
        coding: str = "automatic",
        precision_per_class: bool = False,
        laplace_lambda: Optional[float] = None,
        lambda_rule: Optional[str] = None,
        folds: Optional[int] = None,
        flat: Optional[Columns] = None,
        reference: Optional[Mapping[str, str]] = None,
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        lambda_init: Union[None, float, Sequence[float]] = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        update_rule: Optional[str] = None,
        prune_at: Optional[float] = None,
        max_iter: Optional[int] = None,
        tol: Optional[float] = None,
        solver: str = "automatic",
        diagnose: bool = False,
        fdr: Optional[float] = None,
        guarantee: str = "posterior",
        missing: str = "refuse",
        imputations: Optional[int] = None,
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Optional[str] = None) -> BayesianLogisticRegression:
        """Fits the model.

        X may also be read in pieces, several times, with ``y`` the name of a column of labels: the path of a file or folder, or a pattern (Parquet, CSV, Arrow), a dataset,
        a lazy frame of polars, or a function that opens one of these or gives tables. A source that can be read only once, an iterator or an
        Arrow stream, is written to a temporary file.

        {sections.fit_classes}

        Examples
        --------
        {examples.classes}
        >>> model = BayesianLogisticRegression().fit(X, y, sample_weight=np.ones(300))
        >>> model.status_, model.classes_.tolist()
        ('converged', ['no', 'yes'])
        """
        self._fit(X, y, sample_weight, target)
        return self

    def _given_options(self) -> dict[str, Any]:
        options = super()._given_options()
        if self.classes_.size == 2:
            for name in ("coding", "precision_per_class"):
                refuse_other_words(name, name, options.pop(name, None))
        elif options.get("likelihood") == "laplace":
            del options["likelihood"]  # several classes always have it
        return options

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        is_l1 = isinstance(self.prior, str) and self.prior == "laplace"
        tags.classifier_tags.multi_class = not (is_l1 and self.coding == "softmax") and self.likelihood != "jj"
        return tags
