"""Linear regression."""

from __future__ import annotations

import contextlib
import copy
import os
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from . import _core
from ._abi import InvalidArgumentError
from ._arrays import READ, is_sparse, product, refuse_sparse, without_mask
from ._genotypes import Genotypes
from ._given import is_many, listed, name_of, refuse_gaps, refuse_times, require_finite, require_numbers, require_weights
from ._hosts import in_memory, targets_in_memory
from ._docs import assembled
from ._passes import RowSums, TableFacts
from ._pieces import Pieces
from ._progress import Watch
from ._statistics import LinearStatistics
from ._streams import is_stream, read_in_pieces
from ._tables import holds_text, holds_truths, names_of, with_dense_columns, with_earlier_columns
from ._many_targets import ManyTargets, Outs
from ._target_statistics import TargetStatistics, TextColumn, sum_of
from ._target_streams import pairs_of, read_pairs, read_targets_in_pieces
from ._score import Columns, Prior, _intercept


@assembled
class BayesianLinearRegression(ManyTargets):
    """Bayesian linear regression: a few effects plus many small ones, or one precision for all columns, each column or each group.

    The method is variational Bayes. It learns from the data how many effects there are and how large they are. The
    noise has a posterior distribution, and predictions include their uncertainty. Scaling or shifting a column does not
    change the result. A weight equals repetition of the row.

    Parameters
    ----------
    prior : str, array-like of shape (n_features,) or dict, default="auto"
        "auto", "sparse", "slab", "dense", "shared", "ard", "none" or "laplace", or groups of columns. "auto" takes "sparse":
        a few columns have an effect of their own, and all columns may have a small one. Its intervals are right with
        few and with many columns. "slab" has only the few effects, "dense" only the many. With "shared", all columns
        share one precision; with "ard", each column has its own; with groups, each group has one. Groups are one
        number per column, lists of columns, ``[["a", "b"], ["c", "d"]]``, or ``{"name": [columns]}``, with names or
        positions of columns; a column in no group is alone. "none" is the classical answer. "laplace" is L1, the lasso: the mode,
        with Laplace's approximation for the coefficients that are not zero. If you set an option that
        has no meaning for "sparse" (posterior="factorised", alpha_1, alpha_2, lambda_1, lambda_2, alpha_init,
        lambda_init, update_rule, prune_at, solver), "auto" takes "ard" if there are at least five rows per column, and
        "shared" otherwise; ``notes_`` says so.
    posterior : {"joint", "factorised"}, default="joint"
        "joint": the prior of the weights scales with the noise. "factorised": it does not, as in
        `sklearn.linear_model.BayesianRidge` and ARDRegression.
    noise : {"normal", "student", "auto"}, default="normal"
        The distribution of the errors. "student": Student-t with degrees of freedom that the fit finds, so that outliers get little
        weight; any prior but "laplace", and of an X that is read in pieces, several times, "shared", "ard", "none" or groups. "auto" fits both, and takes the one with the higher log evidence; ``notes_`` says
        by how much. The posterior is then factorised.
    {laplace_lambda, lambda_rule, folds, flat, fit.reference}
    alpha_1, alpha_2 : float, default=None
        Shape and rate of the Gamma prior of the noise precision, > 0. By default as vague as the table allows (`docs/options.md`, b0).
    {lambda_1}
    alpha_init : float, default=None
        Starting value of the noise precision (posterior="factorised"), > 0.
    {lambda_init}
    {fit_intercept}
    standardize : bool, default=True
        Whether columns and target are centred and scaled inside. Results are in your units in any case.
    {fit.update_rule}
    {prune_at, max_iter, tol}
    solver : {"automatic", "primal", "dual", "spectral", "qr", "iterative"}, default="automatic"
        "qr" is more exact if columns are nearly collinear; "automatic" takes it in this case. "iterative" (prior="shared") makes no
        decomposition, and standard deviations are from draws; "automatic" takes it with more than 20,000 rows and as many columns.
    {diagnose, fdr, guarantee}
    {fit.missing, fit.imputations, fit.random_state}
    {n_jobs, verbose, callback}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Posterior mean, in units of y per unit of the column.
    intercept_ : float
    coef_std_ : ndarray of shape (n_features,)
        Posterior standard deviation; infinite if there are too few rows to determine it. Of a column that a fit of very many columns
        does not follow: of an effect that may be there, with the probability ``inclusion_``.
    intercept_std_ : float
    {sigma_}
    alpha_ : float
        Mean noise precision, 1 / units of y squared; of Student-t noise, 1 / its scale squared.
    noise_family_ : {"normal", "student"}
        The distribution of the errors that was fitted.
    degrees_of_freedom_ : float
        Degrees of freedom of Student-t noise; infinite for normal noise. ``degrees_of_freedom_interval_`` is its central 95% interval.
        After a fit of many targets instead, for each of them, those of the distributions of its coefficients and, with normal noise, of new observations:
        Student's t; infinite if they are normal.
    row_weight_ : ndarray of shape (n_samples,) or None
        Student-t noise: the weight that the fit gave to each of its rows beside ``sample_weight``, about 1, and near 0 for an outlier. None
        for normal noise, or if the estimator was loaded from a file or fitted to an X that is not in memory.
    lambda_ : float or ndarray of shape (n_features,)
        Mean precision of the weights, for columns as they are scaled inside (``standardize``) and, with
        posterior="joint", in units of the noise precision. A float under a shared prior; 0 for a flat column;
        infinite for a column that was left out; None under a sparse prior; under "laplace" its lambda.
    {relevance_, direction_}
    {fit.missing_information_}
    {sparse.inclusion_, sparse.undecided_, sparse.dense_fraction_, sparse.starts_, sparse.start_bounds_}
    {sparse.start_weights_, sparse.alternatives_, khat_, khat_given_precisions_, khat_effective_share_}
    support_ : ndarray of shape (n_features,), bool
        Columns that are kept. Under a sparse prior: those with an inclusion above one half that are not undecided, and
        those with a ``direction_`` of .999 or more. The levels of a text column, or the columns of a group, are kept
        together: by their inclusion, or if one sign is known so well.
        Under "ard": a mild rule, which keeps about one in seven columns of noise. Under "shared" and "dense": all.
    {fit.bound_}
    {fit.bound_comparable_}
    {bound_history_, n_iter_, converged_, status_, notes_, effective_parameters_}
    sampled_ : dict
        Solver "iterative" only: the number of "draws" of the weights, and standard errors of what comes from random vectors: "sd_error" of
        the standard deviations and "precision_error" of ``lambda_``, both relative, and "bound_error" of ``bound_``, in nats.
    posterior_ : Posterior
        ``posterior_.sample(n, random_state)`` draws coefficients, intercepts and noise precisions.
    {fit.columns_, n_features_in_, feature_names_in_}

    {sections.warns}

    References
    ----------
    J. Drugowitsch (2013), Variational Bayesian inference for linear and logistic regression, arXiv:1310.5438.

    Examples
    --------
    {examples.numbers}
    >>> model = BayesianLinearRegression(prior="ard").fit(X, y)
    >>> model.coef_[0].round(1).item(), model.support_.tolist()
    (2.0, [True, False, False])
    >>> mean, std = model.predict(X[:1], return_std=True)
    >>> bool(abs(y[0] - mean[0]) < 4 * std[0])
    True
    """

    _reads_sparse = True
    _reads_genotypes = True

    def __init__(
        self,
        prior: Prior = "auto",
        *,
        posterior: str = "joint",
        noise: str = "normal",
        laplace_lambda: Optional[float] = None,
        lambda_rule: Optional[str] = None,
        folds: Optional[int] = None,
        flat: Optional[Columns] = None,
        reference: Optional[Mapping[str, str]] = None,
        alpha_1: Optional[float] = None,
        alpha_2: Optional[float] = None,
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        alpha_init: Optional[float] = None,
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
        imputations: Optional[int] = None,
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self._keep(locals())

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

        y may have several columns, a table or an array of shape (n_samples, n_targets) in memory or mapped from a file: each is a target with
        a regression of its own. ``coef_``, ``coef_std_`` and ``inclusion_`` then have the shape (n_targets, n_features), in the type
        of y, ``predict`` returns (n_samples, n_targets), ``score`` is the mean over the targets, ``intercept_``, ``noise_std_``, ``degrees_of_freedom_``, ``bound_``, ``evidence_``, ``r_squared_`` and ``target_status_`` an entry for each target, and
        `target_summary` says which targets are explained, and with prior="none" `target_directions` which columns raise or lower which of them.
        With prior="shared" and "none" one decomposition of X serves all targets. ``coef_`` and ``coef_std_`` are written into ``out`` and
        ``out_std``, arrays of shape (n_targets, n_features) that may be mapped from files. Without ``out_std``, ``coef_std_`` of more than ten million coefficients is left out. So many inclusions are a
        `scipy.sparse.csr_array` of those of .01 or more. With missing="drop" a gap in y leaves its row out of the fit of its target.
        Only a y of float32 gives float32, every other type float64. ``target`` may be a list of names: these columns of a table X are the targets.
        A y with one column is one target, and ``coef_`` has the shape (n_features,). ``callback`` is called before the fits, and then
        about twice a second; if it returns False, the call ends with a RuntimeError, because there is no result of some targets only.

        X may also be `LinearStatistics`, or a list of them: the folds of the cross-validation with prior="laplace"; or `TargetStatistics`, or a list of them: the parts of a table. Or it is read in
        pieces, with ``y`` the name of a column, or ``target`` a list of names: the path of a file or folder, or a pattern (Parquet, CSV, Arrow), a dataset, an Arrow stream, a lazy frame of polars, an iterator
        of tables, or a function that opens one of these. Without ``y`` and ``target``, an iterator, or a function that opens one, gives pairs ``(X, y)``, or
        ``(X, y, sample_weight)``, of arrays or tables.

        {sections.fit_linear}

        Examples
        --------
        {examples.numbers}
        >>> BayesianLinearRegression().fit(X, y).coef_.round(1)[0].item()
        2.0
        """
        outs = (out, out_std)
        if isinstance(X, (list, tuple)) and X and isinstance(X[0], TargetStatistics):
            X = sum_of(X)
        folds = [X] if isinstance(X, LinearStatistics) else list(X) if isinstance(X, (list, tuple)) and X and isinstance(X[0], LinearStatistics) else []
        if folds or isinstance(X, TargetStatistics):
            if y is not None or sample_weight is not None or target is not None:
                raise ValueError("y, sample_weight and target cannot be given with statistics: they belong to the rows, in update()")
            return self._fit_target_statistics(X, *outs) if isinstance(X, TargetStatistics) else self._fit_statistics(*folds)
        y, named = targets_in_memory(y), listed(target)
        if target is not None and y is not None and (isinstance(named, list) or is_many(y)):
            raise ValueError("fit has both y and target; give y, or the name of a column as target")
        if y is None and named is None and (callable(X) or hasattr(X, "__next__")) and (pairs := pairs_of(X)) is not None:
            return self._fit_pairs(pairs, sample_weight, outs)
        if isinstance(named, list) and len(named) != 1:
            if named and is_stream(X) and not hasattr(X, "__arrow_c_stream__"):
                return self._fit_target_stream(X, named, sample_weight, outs)
            X, y = self._with_targets_of(X, named, sample_weight)
        elif isinstance(named, list):
            target = named[0]
        if is_many(y):
            self._fit_targets(X, y, sample_weight, *outs)
            return self
        if out is not None or out_std is not None:
            raise ValueError(f"{'out_std' if out is None else 'out'} is for a y with several columns; coef_ of one target is small")
        self._fit(X, y, sample_weight, target)  # type: ignore[arg-type]
        return self

    def _fitted_to(
        self, table: Any, X: np.ndarray, y: Any, weights: Any, target: Optional[str]
    ) -> None:
        """Keeps the statistics of numbers for partial_fit, where they are cheap beside the fit."""
        for name in ("statistics_", "_statistics_of_fit"):
            self.__dict__.pop(name, None)
        if is_sparse(X) or X.shape[1] > 200 or X.size * X.shape[1] > 10_000_000:
            return
        has_others = holds_text(table) or names_of(table) is not None and any(map(holds_truths, table.dtypes))
        if not has_others and np.isfinite(X).all() and np.isfinite(y).all():
            names = getattr(self, "feature_names_in_", None)
            statistics = LinearStatistics(self._form)
            self._statistics_of_fit = statistics.add_numbers(
                X, y, weights, None if names is None else list(names), target
            )

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianLinearRegression:
        """Adds rows to those of earlier calls, and fits the model to all of them.

        After ``fit`` to a table of numbers (up to 200 columns, and not many rows), its rows are among the earlier ones.
        The fit is that of ``fit`` to all rows, up to rounding. The estimator keeps their statistics, in ``statistics_``, and not the rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Numbers; in a DataFrame also texts. Later rows may have other levels.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Finite numbers; with several columns, a target with a value that is not finite is not fitted.
        {fit.sample_weight}

        {sections.fitted}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> model = BayesianLinearRegression()
        >>> for _ in range(5):
        ...     X = rng.normal(size=(100, 2))
        ...     model = model.partial_fit(X, X[:, 0] + 0.1 * rng.normal(size=100))
        >>> model.statistics_.n_rows_, model.coef_.round(1)[0].item()
        (500, 1.0)
        """
        with self._as_before_if_refused():
            return self._fit_with_rows(X, targets_in_memory(y), sample_weight)

    def _fit_with_rows(self, X: Any, y: Any, sample_weight: Any) -> BayesianLinearRegression:
        """The fit of earlier rows and these."""
        if self._targets is not None or is_many(y):
            return self._fit_target_statistics(self._target_statistics_so_far(y).update(X, y, sample_weight))
        statistics = self._statistics_so_far()
        is_first = statistics.n_rows_ == 0
        refuse_sparse(X, "partial_fit")
        y, sample_weight = without_mask(y), without_mask(sample_weight)
        X = with_dense_columns(in_memory(X, type(self)))
        X, target = statistics.as_earlier_rows(X, self._named_columns()), name_of(y)
        if statistics.reads_as_table(X):
            return self._fit_statistics(statistics.update(X, y, sample_weight))
        refuse_times(X, "X")
        require_weights(sample_weight)
        X = with_earlier_columns([] if is_first else list(getattr(self, "feature_names_in_", ())), statistics.n_features_in_, X)
        require_numbers(y)
        refuse_gaps(y, "leave out such rows")
        refuse_gaps(sample_weight, "leave out such rows", "sample_weight")
        X, y = validate_data(self, X, y, dtype=READ, reset=is_first, y_numeric=True, ensure_all_finite=False)
        require_finite(X, self._column_names, False, "leave out such rows")
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        names = getattr(self, "feature_names_in_", None)
        statistics.add_numbers(X, y, weights, None if names is None else list(names), target)
        return self._fit_statistics(statistics)

    def merge(self, other: BayesianLinearRegression) -> BayesianLinearRegression:
        """Adds the rows of another estimator, which ``partial_fit`` or statistics made, and fits the model to all of them.

        Parameters
        ----------
        other : BayesianLinearRegression
            An estimator of the same columns; it does not change.

        Returns
        -------
        {self}

        Raises
        ------
        ValueError
            One of the two has no statistics of its rows, or the columns differ.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
        >>> north = BayesianLinearRegression().partial_fit(X[:60], y[:60])
        >>> south = BayesianLinearRegression().partial_fit(X[60:], y[60:])
        >>> north.merge(south).statistics_.n_rows_
        100
        """
        for estimator, name in ((self, "this estimator"), (other, "other")):
            if not hasattr(estimator, "statistics_"):
                kind = "LinearStatistics" if getattr(estimator, "_targets", None) is None else "TargetStatistics"
                raise ValueError(f"{name} has no statistics of its rows, because fit does not keep them; use partial_fit, or fit to {kind}")
        mine, theirs = copy.copy(self.statistics_), other.statistics_
        if isinstance(mine, TargetStatistics) != isinstance(theirs, TargetStatistics):
            raise ValueError("one of the estimators was fitted to one target, and the other to several; fit both to the same targets")
        with self._as_before_if_refused():
            if isinstance(mine, TargetStatistics):
                return self._fit_target_statistics(mine.merge(theirs))
            return self._fit_statistics(mine.merge(theirs))

    def _statistics_so_far(self) -> LinearStatistics:
        """A copy of them, to which partial_fit adds: other models may have been fitted to them, and the new rows may be refused."""
        if not hasattr(self, "statistics_") and hasattr(self, "_statistics_of_fit"):
            return copy.copy(self._statistics_of_fit)
        if not hasattr(self, "statistics_") and hasattr(self, "_model"):
            why = (
                "this estimator has no statistics of its rows, because model files and fits of large tables,"
                " of a sparse X, of texts and of gaps do not keep them, so partial_fit cannot add to them"
            )
            remedy = (
                "give all rows to partial_fit, or to LinearStatistics, which have a file;"
                " to start again with these rows: clone(estimator).partial_fit(X, y)"
            )
            raise InvalidArgumentError(f"{why}; {remedy}", why=why, remedy=remedy)
        return copy.copy(self.statistics_) if hasattr(self, "statistics_") else LinearStatistics(self._form)

    @contextlib.contextmanager
    def _as_before_if_refused(self) -> Iterator[None]:
        """Where rows are refused, or their fit, the estimator stays that of the rows before. Rows are added to a copy of the statistics."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _target_statistics_so_far(self, y: Any) -> TargetStatistics:
        """The same of many targets."""
        if self._targets is None and not hasattr(self, "_model"):
            return TargetStatistics()
        statistics = getattr(self, "statistics_", None)
        if self._targets is not None and isinstance(statistics, TargetStatistics):
            return copy.copy(statistics)
        remedy = "give all rows to partial_fit, or to TargetStatistics, which have a file; to start again with these rows: clone(estimator).partial_fit(X, y)"
        if self._targets is None:
            why = "the estimator was fitted to one target, and y has several columns, so partial_fit cannot add these rows"
        else:
            why = f"the estimator was fitted to {len(self.coef_)} targets, and has no statistics of its rows, because model files and fits in memory do not keep them, so partial_fit cannot add to them"
        raise InvalidArgumentError(f"{why}; {remedy}", why=why, remedy=remedy)

    @property
    def _form(self) -> str:
        return "factor" if isinstance(self.prior, str) and self.prior == "none" or self.flat is not None else "gram"

    @property
    def _is_by_passes(self) -> bool:
        """Whether statistics of the rows are not enough."""
        return bool(self.noise != "normal")

    def _fit_passes(
        self, facts: TableFacts, ask: Callable[[bytes], RowSums], target: Optional[str], watch: Watch
    ) -> None:
        for name in ("statistics_", "_statistics_of_fit"):
            self.__dict__.pop(name, None)
        super()._fit_passes(facts, ask, target, watch)

    @property
    def _n_parts(self) -> int:
        """In how many parts the rows of a source are added: as many as the cross-validation has folds, if there is one."""
        if not isinstance(self.prior, str) or self.prior != "laplace" or self.laplace_lambda is not None:
            return 1
        folds = 10 if self.folds is None else int(self.folds)
        if folds < 2:
            raise ValueError(f"folds is {folds}; it must be at least 2")
        return folds

    @property
    def _fold_seed(self) -> int:
        return int(self.random_state) if isinstance(self.random_state, (int, np.integer)) else 1  # another value is refused with the options

    def _fit_stream(self, X: Any, sample_weight: Any, target: Optional[str]) -> None:
        """Fits a source that is read in pieces, from the statistics of its rows; with Student-t noise by passes."""
        if self._is_by_passes:
            super()._fit_stream(X, sample_weight, target)
            return
        target = self._checked_target(sample_weight, target)
        if self.missing not in (None, "error", "refuse") and isinstance(X, (str, os.PathLike)):
            with Pieces(X, [target, sample_weight, *self._named_columns()]) as pieces:
                if self._fit_small(pieces, sample_weight, target):
                    return
        self._check_pieces("statistics")
        notes: list[str] = []
        with Watch(type(self).__name__, self.verbose, self.callback) as watch:
            forms = [LinearStatistics(self._form) for _ in range(self._n_parts)]
            parts = read_in_pieces(X, target, sample_weight, forms, watch.function, named=self._named_columns(), seed=self._fold_seed, notes=notes)
        self._fit_statistics(*parts)
        self.notes_ += notes

    def _fit_target_stream(self, X: Any, targets: Sequence[str], sample_weight: Any, outs: Outs) -> BayesianLinearRegression:
        """The same of several targets; a small one with gaps or texts in memory."""
        self._checked_target(sample_weight, targets[0])
        is_path = isinstance(X, (str, os.PathLike))
        if is_path and self.missing not in (None, "error", "refuse") and self._fit_small_targets(X, targets, sample_weight, outs):
            return self
        self._check_sums()
        notes: list[str] = []
        try:
            with Watch(type(self).__name__, self.verbose, self.callback) as watch:
                statistics = read_targets_in_pieces(X, targets, sample_weight, watch.function, named=self._named_columns(), notes=notes)
        except TextColumn:
            if not is_path or not self._fit_small_targets(X, targets, sample_weight, outs):
                raise
            return self
        self._fit_target_statistics(statistics, *outs)
        self.notes_ += notes
        return self

    def _fit_small_targets(self, X: Any, targets: Sequence[str], sample_weight: Any, outs: Outs) -> bool:
        """Whether the source is small: it was then fitted in memory."""
        with Pieces(X, [*targets, sample_weight, *self._named_columns()]) as pieces:
            if (table := pieces.table()) is None:
                return False
            with pieces.naming_files():
                self.fit(table, sample_weight=sample_weight, target=targets, out=outs[0], out_std=outs[1])
            self.notes_ += pieces.notes
        return True

    def _fit_pairs(self, pieces: Iterable[tuple[Any, ...]], sample_weight: Any, outs: Outs) -> BayesianLinearRegression:
        """Fits pieces that are pairs of X and y."""
        if sample_weight is not None:
            raise ValueError("sample_weight cannot be given with pieces (X, y); each may be (X, y, sample_weight)")
        self._check_sums()
        with Watch(type(self).__name__, self.verbose, self.callback) as watch:
            statistics = read_pairs(pieces, self._form, watch.function)
        return self.fit(statistics, out=outs[0], out_std=outs[1])

    def _check_sums(self) -> None:
        """Refuses what sums over rows are not enough for."""
        if self._is_by_passes:
            why, remedy = "sums over rows are enough for normal noise only", "a table that fits in memory can be given as a DataFrame"
            raise InvalidArgumentError(f"noise is {self.noise!r}, but X is read in pieces; {why}; {remedy}", "noise", value=self.noise, why=why, remedy=remedy)
        self._check_pieces("statistics")

    def _fit_statistics(self, *folds: LinearStatistics) -> BayesianLinearRegression:
        statistics = folds[0]
        if len(folds) > 1:
            statistics = LinearStatistics(statistics.form)
            for fold in folds:
                statistics.merge(fold)
        if statistics.n_rows_ > 0 and not statistics.weight_ > 0:
            raise ValueError("the weights are all zero; at least one must be positive")
        reference = self._references()
        try:
            self._encoding = statistics._encoding(reference)
        except ValueError as error:
            raise self._in_our_names(error) from None
        if reference and self._encoding is None:
            raise ValueError(f"reference is {self.reference!r}, but X has no text columns; only these have a level that others are compared with")
        self.n_features_in_ = statistics.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(statistics, "feature_names_in_"):
            self.feature_names_in_ = statistics.feature_names_in_
        options = {"reference": reference or None, **self._model_options(), **self._given_options()}
        with Watch(type(self).__name__, self.verbose, self.callback) as watch:
            try:
                model = _core.fit_statistics([fold.handle for fold in folds], callback=watch.function, target=statistics.target_, **options)
            except ValueError as error:
                raise self._in_our_names(error) from None
        if self._encoding is not None:
            self._encoding = model.encoding()
        self.statistics_ = statistics
        self._take(model)
        self._warn(model)
        return self

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.intercept_, self.intercept_std_ = _intercept(model)
        self.noise_family_ = model.value("noise")["family"]
        is_student = self.noise_family_ == "student"
        self.degrees_of_freedom_ = model.number("noise.degrees_of_freedom") if is_student else np.inf
        self.degrees_of_freedom_interval_ = model.array("noise.degrees_of_freedom_interval") if is_student else np.full(2, np.inf)
        row_weight = model.array("row_weight") if is_student else np.empty(0)
        self.row_weight_ = row_weight if row_weight.size else None
        rate = model.number("noise.rate")
        self.alpha_ = model.number("noise.shape") / rate if rate > 0 else np.nan  # NaN if the fit failed

    def _mean(self, X: np.ndarray) -> np.ndarray:
        by_model = isinstance(X, Genotypes) or (self._imputes and np.isnan(X).any())
        return super()._mean(X) if by_model else product(X, self.coef_) + self.intercept_
