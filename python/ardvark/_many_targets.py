"""A regression of many targets: each column of Y, with a noise, precisions and an evidence of its own."""

from __future__ import annotations

import warnings
from collections import Counter
from contextlib import ExitStack
from functools import partial
from typing import Any, Callable, Optional, Sequence

import numpy as np
from scipy.special import stdtrit  # type: ignore[import-untyped]
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ._abi import InvalidArgumentError, StoppedError, wrong_row
from ._arrays import in_read_type, refuse_sparse
from ._core import ArdvarkWarning, _depth
from ._directions import TargetDirections, checked_rate, directions_of
from ._docs import assembled
from ._given import frame, require_other_names, series_taken_from, table_of_fit, targets_of
from ._hosts import in_memory
from ._predictions import Regressor
from ._progress import Progress, Watch
from ._score import LinearScore
from ._tables import names_of, sentence_near, without
from ._target_statistics import TargetStatistics
from ._targets import ScratchArray, Targets, fit_target_statistics, fit_targets

__all__ = ["ManyTargets", "Outs"]

Outs = tuple[Optional[np.ndarray], Optional[np.ndarray]]  # where coef_ and coef_std_ are written

_MOST_SDS = 10_000_000  # coefficients whose standard deviations are computed by fit
_MOST_INCLUSIONS = 10_000_000  # that are an array; more are a sparse one
_LEAST_INCLUSION = 0.01  # of a sparse array
_NUMBERS_OF_A_BATCH = 1_000_000
_TARGETS_OF_A_BATCH = 1000
_WITH_INCLUSIONS = ("sparse", "slab")
_OF_ONE_TARGET = (
    "_model", "alpha_", "alternatives_", "bound_comparable_", "bound_history_", "degrees_of_freedom_interval_", "dense_fraction_", "direction_", "intercept_std_",
    "khat_", "khat_effective_share_", "khat_given_precisions_", "khat_threshold_", "lambda_", "lambda_path_", "missing_information_", "noise_family_",
    "posterior_", "relevance_", "row_weight_", "sampled_", "scores_", "sigma_", "start_bounds_", "start_weights_", "starts_", "statistics_", "undecided_",
)
_OF_MANY_TARGETS = ("target_names_", "target_status_", "noise_std_", "evidence_", "r_squared_", "r_squared_loo_")
_EACH_ALONE = "fit each column of Y alone: fit(X, Y[:, k])"
_OF_COLUMNS = ("n_features_in_", "feature_names_in_")
_OF_ONE_FIT = {"diagnose", "fdr"}  # options that a fit of many targets does not take


class _OnlyOfOthers(AttributeError, ValueError):
    """What a regression of one target has, and one of many has not, or the reverse."""


@assembled
class ManyTargets(Regressor, LinearScore):
    """What a regression of many targets has."""

    _targets: Optional[Targets] = None
    _effects: Optional[np.ndarray] = None  # sums of the inclusions of each target, where these are an attribute

    def __getattr__(self, name: str) -> Any:
        this = "this" if name.startswith("_") else name
        if name in _OF_ONE_TARGET and self.__dict__.get("_targets") is not None:
            raise _OnlyOfOthers(f"the estimator was fitted to {len(self.coef_)} targets, and {this} is of one target only; {_EACH_ALONE}")
        if name in _OF_MANY_TARGETS and "_model" in self.__dict__:
            raise _OnlyOfOthers(f"the estimator was fitted to one target, and {this} is of a fit to a Y with several columns only")
        return object.__getattribute__(self, name)  # says what a property said

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = not self._imputes and not _OF_ONE_FIT & set(self._changed_options())
        return tags

    def _take(self, model: Any) -> None:
        if self._targets is not None:
            self._forget_results(but=("statistics_",))  # which are of this fit
        super()._take(model)

    def _forget_results(self, but: Sequence[str] = ()) -> None:
        """Leaves no result of an earlier fit, which may have had fewer targets or more."""
        kept = {*_OF_COLUMNS, *but}
        results = [name for name in self.__dict__ if name.endswith("_") and not name.startswith("_") and name not in kept]
        for name in (*results, "_model", "_statistics_of_fit", "_targets", "_effects"):
            self.__dict__.pop(name, None)

    def _fit_targets(self, X: Any, Y: Any, sample_weight: Any, out: Optional[np.ndarray], out_std: Optional[np.ndarray]) -> None:
        """Fits each column of Y."""
        names, Y = targets_of(Y)
        refuse_sparse(X, "a fit of many targets")
        stand_in = np.zeros(Y.shape[0])
        table, stand_in, sample_weight, _ = self._split(X, stand_in, sample_weight, None)
        X, _, weights, rows = self._checked(table, stand_in, sample_weight)
        dtype = np.float32 if Y.dtype.kind == "f" and Y.itemsize == 4 else np.float64
        Y = in_read_type(Y if rows is None else Y[rows])
        columns = getattr(self, "feature_names_in_", ()) if self._encoding is None else self._encoding.features
        require_other_names(names, columns)
        options = {**self._columns_for_library(), **self._model_options(), **self._given_options()}
        fit = partial(fit_targets, X, Y, names=names, weights=weights)
        self._take_fits(fit, (Y.shape[1], len(self._column_names())), dtype, out, out_std, options, ("X", X), ("y", Y))

    def _fit_target_statistics(self, statistics: TargetStatistics, out: Optional[np.ndarray] = None, out_std: Optional[np.ndarray] = None) -> Any:
        """Fits each target of statistics of its rows."""
        if statistics.n_rows_ > 0 and not statistics.weight_ > 0:
            raise ValueError("the weights are all zero; at least one must be positive")
        if self._references():
            raise ValueError(f"reference is {getattr(self, 'reference')!r}, but statistics of many targets have no text columns; only these have a level that others are compared with")
        self._encoding, self.n_features_in_ = None, statistics.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(statistics, "feature_names_in_"):
            self.feature_names_in_ = statistics.feature_names_in_
        shape = (statistics.n_targets_, statistics.n_features_in_)
        self._take_fits(partial(fit_target_statistics, statistics.handle), shape, np.float64, out, out_std, {**self._model_options(), **self._given_options()})
        self.statistics_: Any = statistics
        return self

    def _take_fits(self, fit: Callable[..., Targets], shape: tuple[int, int], dtype: Any, out: Optional[np.ndarray], out_std: Optional[np.ndarray], options: dict[str, Any], *given: tuple[str, Any]) -> None:
        """Fits of so many targets and columns. fit: of the library. given: the arrays that it reads, with their names."""
        if "start_precision" in options:
            options["start_precision"] = self._one_start()
        mean = _checked_out(out, shape, "out") if out is not None else np.empty(shape, dtype)
        sd = None if out_std is None else _checked_out(out_std, shape, "out_std")
        _require_own_memory(("out", mean), ("out_std", sd), *given)
        may_be_many = mean.size > _MOST_INCLUSIONS and options.get("prior", "sparse") in _WITH_INCLUSIONS
        with ExitStack() as stack:
            watch = stack.enter_context(Watch(type(self).__name__, self.verbose, self.callback))
            scratch = stack.enter_context(ScratchArray(shape, mean.dtype)) if may_be_many else None
            told = None if watch.function is None else _Told(watch.function)
            try:
                found = fit(mean=mean, with_sd=mean.size <= _MOST_SDS, sd=sd, inclusion=None if scratch is None else scratch.array, callback=told, **options)
            except ValueError as error:
                raise self._of_one_target(error) from None
            self._forget_results()
            if scratch is not None and found.text("prior") in _WITH_INCLUSIONS:
                self.inclusion_, self._effects = _large(scratch)
        self.coef_ = mean
        self._take_targets(found)
        self._warn_of_targets(found)

    def _with_targets_of(self, X: Any, names: Sequence[Any], sample_weight: Any) -> tuple[Any, Any]:
        """The other columns of a table, and those that are the targets."""
        if not names:
            raise ValueError("target is an empty list; it must name columns of X")
        X = in_memory(X, type(self), has_target=True)
        X = frame(table_of_fit(X, [*names, *([sample_weight] if isinstance(sample_weight, str) else []), *self._named_columns()]))
        given, asked = Counter(names_of(X) or ()), Counter(names)
        for name in names:
            if given[name] != 1:
                series_taken_from(X, name, "target", True)  # refuses it
            if asked[name] > 1:
                raise InvalidArgumentError(f"target names the column {name!r} {asked[name]} times", "target", value=str(name), column=str(name))
        return without(X, names), X[list(names)]

    def _one_start(self) -> Any:
        """Of the precisions of all columns."""
        start = getattr(self, "lambda_init")
        if np.ndim(start) != 0:
            raise self._wrong_start("has a number for each column")
        return start

    def _wrong_start(self, fault: str) -> InvalidArgumentError:
        start = getattr(self, "lambda_init")
        why, remedy = "of several targets it can only be one number, with prior='shared'", _EACH_ALONE
        return InvalidArgumentError(f"lambda_init {fault}; {why}; {remedy}", "lambda_init", value=str(start), why=why, remedy=remedy)

    def _of_one_target(self, error: ValueError) -> ValueError:
        """An error of the library, in the words of Python."""
        argument, value = (error.argument, error.value) if isinstance(error, InvalidArgumentError) else ("", "")
        if (argument, value) == ("start_precision", "1"):
            return self._wrong_start(f"is {getattr(self, 'lambda_init')}, and with this prior the columns do not share a precision")
        if argument == "solver 'iterative'":
            why = "cannot be given for many targets"
            return InvalidArgumentError(f"{argument} {why}; {_EACH_ALONE}", "solver", value="iterative", why=why, remedy=_EACH_ALONE)
        return self._in_our_names(error)

    def _take_targets(self, found: Targets) -> None:
        """The results as attributes."""
        self._targets = found
        if found.deviations is not None:
            self.coef_std_ = found.deviations
        for name, attribute in (("sd", "coef_std_"), ("inclusion", "inclusion_")):
            if (values := found.array_if_any(name)) is not None:
                setattr(self, attribute, values.astype(self.coef_.dtype, copy=False))
                if name == "inclusion":
                    self._effects = self.inclusion_.sum(axis=1, dtype=np.float64)
        count = int(found.number("num_targets"))
        self.target_names_ = np.array(found.names or [f"y{k + 1}" for k in range(count)], dtype=object)
        self.target_status_ = np.array(found.value("status"), dtype=object)
        self.converged_ = bool(np.isin(self.target_status_, ("converged", "constant")).all())
        self.status_ = "converged" if self.converged_ else "max_sweeps" if (self.target_status_ == "max_sweeps").any() else "failed"
        self.n_iter_ = int(found.array("sweeps").max())
        self.notes_ = [self._translated(note) for note in found.value("notes")]
        self.intercept_ = found.array("intercept") if self.fit_intercept else np.zeros(count)
        fields = {"noise_std_": "noise_sd", "bound_": "bound", "evidence_": "evidence", "r_squared_": "r_squared"}
        fields |= {"r_squared_loo_": "r_squared_loo", "effective_parameters_": "effective_parameters", "degrees_of_freedom_": "degrees_of_freedom"}
        self.__dict__.update((name, found.array(field)) for name, field in fields.items())
        self.support_ = ~found.array("left_out").astype(bool)

    def _warn_of_targets(self, found: Targets) -> None:
        for message in found.value("warnings"):
            warnings.warn(self._translated(message), ArdvarkWarning, stacklevel=_depth())
        status = self.target_status_
        unfitted = np.flatnonzero(~np.isin(status, ("converged", "constant", "max_sweeps")))
        if unfitted.size > 0:
            first = unfitted[0]
            are = "is" if unfitted.size == 1 else "are"
            message = f"{unfitted.size} of {status.size} targets {are} not fitted, the first is {self.target_names_[first]!r} ({status[first]}); target_status_ says why"
            warnings.warn(message, ArdvarkWarning, stacklevel=_depth())
        slow = int((status == "max_sweeps").sum())
        if slow > 0:
            message = f"{type(self).__name__}: {slow} of {status.size} targets did not converge; a larger max_iter lets them go on"
            warnings.warn(message, ConvergenceWarning, stacklevel=_depth())

    def _saved(self) -> Any:
        return super()._saved() if self._targets is None else self._targets

    def _of_targets(self, found: Targets) -> Any:
        """Fitted, from a file of many targets."""
        self._take_parameters(found)
        self.coef_ = found.array("mean").astype(found.dtype, copy=False)
        self._take_targets(found)
        return self

    def _predict(self, X: Any, return_std: bool) -> Any:
        if self._targets is None:
            return super()._predict(X, return_std)
        try:
            mean, sd = self._targets.predict(self._checked_rows(X), return_std)
        except ValueError as error:
            raise self._in_our_names(error) from None
        return (mean, sd) if return_std else mean

    def _predict_interval(self, X: Any, level: float, interval: str) -> np.ndarray:
        if self._targets is None:
            return super()._predict_interval(X, level, interval)
        if not 0 < level < 1:
            why = "it must lie between 0 and 1"
            raise InvalidArgumentError(f"level is {level!r}; {why}", "level", value=str(level), why=why)
        if interval == "new" and getattr(self, "noise") != "normal":
            why, remedy = "intervals of new observations of many targets need normal noise", f"interval='mean' gives those of the mean, or {_EACH_ALONE}"
            raise InvalidArgumentError(f"noise is {getattr(self, 'noise')!r}; {why}; {remedy}", "noise", value=str(getattr(self, "noise")), why=why, remedy=remedy)
        try:
            mean, sd = self._targets.predict(self._checked_rows(X), True, interval=interval)
        except ValueError as error:
            raise self._in_our_names(error) from None
        assert sd is not None
        half = sd * _quantile(0.5 + 0.5 * level, self.degrees_of_freedom_).astype(sd.dtype)
        return np.stack([mean - half, mean + half], axis=-1)

    def _named(self, method: str, values: Any) -> dict[str, np.ndarray]:
        if self._targets is None:
            return super()._named(method, values)
        parts = list(zip(("", "_sd"), values)) if isinstance(values, tuple) else [("", values)]
        if method == "predict_interval":
            parts = [("_lower", values[..., 0]), ("_upper", values[..., 1])]
        return {f"{name}{end}": part[:, k] for k, name in enumerate(self.target_names_) for end, part in parts}

    def _score(self, X: Any, y: Any, weights: Any) -> float:
        if self._targets is None:
            return super()._score(X, y, weights)
        fitted = np.flatnonzero(~np.isnan(self.bound_))
        if fitted.size == 0:
            raise ValueError("no target is fitted; target_status_ says why")
        Y = self._given_targets(y)[:, fitted]
        gaps = np.isnan(Y) if Y.dtype.kind == "f" else np.zeros(Y.shape, dtype=bool)
        if gaps.any() and not self._may_miss:
            row, position = np.argwhere(gaps)[0]
            name = str(self.target_names_[fitted[position]])
            raise wrong_row("y has no value at ", row, f", column {name!r}", argument="y", value="NaN", column=name, remedy=self._remedy_of_gap())
        predicted, scores = self._predict(X, False)[:, fitted], np.full(fitted.size, np.nan)
        weights = None if weights is None else np.asarray(weights)
        check_consistent_length(predicted, Y, weights)
        whole = ~gaps.any(axis=0)
        for some in np.array_split(np.flatnonzero(whole), 1 + whole.sum() // _TARGETS_OF_A_BATCH):
            if some.size > 0:  # in doubles: squares of single precision may be beyond its range
                scores[some] = r2_score(Y[:, some].astype(float), predicted[:, some].astype(float), sample_weight=weights, multioutput="raw_values")
        for k in np.flatnonzero(~whole):
            rows = ~gaps[:, k]
            if rows.sum() >= 2:
                scores[k] = r2_score(Y[rows, k].astype(float), predicted[rows, k].astype(float), sample_weight=None if weights is None else weights[rows])
        scored = ~np.isnan(scores)
        absent = len(self.coef_) - fitted.size
        few = fitted.size - int(scored.sum())
        reasons = [f"{absent} not fitted (target_status_ says why)"] * (absent > 0) + [f"{few} with fewer than two values in y"] * (few > 0)
        if reasons:
            warnings.warn(f"score is the mean over {scored.sum()} of {len(self.coef_)} targets, without {' and '.join(reasons)}", ArdvarkWarning, stacklevel=_depth())
        return float(scores[scored].mean()) if scored.any() else float("nan")

    def _given_targets(self, y: Any) -> np.ndarray:
        """The columns of y in the order of the targets of the fit: a table's by their names, if the fit has names."""
        names, Y = targets_of(y)
        Y, known = Y[:, None] if Y.ndim == 1 else Y, self._targets.names if self._targets is not None else None
        if names is not None and known is not None and names != known:
            places = {name: position for position, name in enumerate(names)}
            absent = [name for name in known if name not in places]
            if absent:
                raise InvalidArgumentError(f"y has no column {absent[0]!r}, a target of the fit{sentence_near(absent[0], names)}", "y", column=absent[0])
            Y = Y[:, [places[name] for name in known]]
        if Y.ndim != 2 or Y.shape[1] != len(self.coef_):
            why = f"the estimator was fitted to {len(self.coef_)} targets"
            raise InvalidArgumentError(f"y has the shape {Y.shape}, but {why}: it must have a column for each", "y", value=str(Y.shape), why=why)
        return Y

    def report(
        self, path: Any, X: Any = None, y: Any = None, *, level: float = 0.95, title: Optional[str] = None, file: Any = None, fdr: float = 0.1
    ) -> None:
        """Writes the fit as one page of HTML, to be sent to a colleague.

        The page is one file that loads nothing: it opens without a network, in light and dark, and prints on paper. It says what was
        fitted and on what, the coefficients with their intervals, or which targets the columns explain, what the evidence says, warnings,
        how to make the fit again, and what to write in the methods section.

        Parameters
        ----------
        {report.path}
        {report.X}
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Their target, with X only. A value that is missing leaves its row out.
        {level}
        {report.title}
        {report.file}
        fdr : float, default=0.1
            Many targets: rate of false discoveries among those that are explained, in (0, 1).

        Raises
        ------
        {report.ValueError}
        {report.OSError}

        Examples
        --------
        {examples.numbers}
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     BayesianLinearRegression().fit(X, y).report(f"{folder}/report.html", X, y)
        ...     page = Path(f"{folder}/report.html").read_text("utf-8")
        >>> "They are the rows of the fit" in page, len(page) < 300_000
        (True, True)
        """
        if self._targets is None:
            if fdr != 0.1:
                raise ValueError("fdr is of a report of many targets; the estimator was fitted to one")
            self._write_report(path, X, y, level=level, title=title, file=file)
        else:
            if level != 0.95:
                raise ValueError("level is of the intervals of one target; the report of many targets has none of coefficients")
            self._write_report_of_targets(path, X, y, fdr, title=title, file=file)

    def _write_report_of_targets(self, path: Any, X: Any, y: Any, fdr: float, **words: Any) -> None:
        rate = checked_rate(fdr)
        Y = None if y is None else self._given_targets(y)
        rows = self._checked_rows(X) if self._are_rows_of_report(X, Y) else None
        targets = self._of_many("report")
        targets.report(path, rows, None if Y is None else Y.astype(float), rate, command=f"{self!r}.fit(X, Y)", **words)

    def _of_many(self, method: str) -> Targets:
        check_is_fitted(self)
        if self._targets is None:
            raise ValueError(f"the estimator was fitted to one target; {method} is of a fit to a Y with several columns")
        return self._targets

    def target_summary(self, fdr: float = 0.1) -> Any:
        """How well the columns explain each target, after a fit of many targets.

        Parameters
        ----------
        fdr : float, default=0.1
            Rate of false discoveries among the targets that are ``explained``, in (0, 1): of them so many are expected to have no
            effect of any column.

        Returns
        -------
        summary : DataFrame of pandas, with the names of the targets as its index
            ``r_squared`` of the rows of the fit; ``r_squared_loo`` of rows that the fit has not seen, each predicted from all others
            (NaN of targets that are fitted one by one); ``noise_std``, in the units of the target; ``effects``, how many
            coefficients the rows determine: the effective number of parameters, or the sum of the inclusions under a sparse prior
            (NaN after loading a file of more than ten million inclusions);
            ``evidence``, the log evidence above that of the columns without a prior, in nats (NaN with prior="none"); ``probability`` that the columns explain the target,
            ``explained`` at the stated rate, and ``status``.

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X, Y = rng.normal(size=(200, 5)), rng.normal(size=(200, 50))
        >>> Y[:, :10] += X @ rng.normal(size=(5, 10))
        >>> table = BayesianLinearRegression("shared").fit(X, Y).target_summary(fdr=0.05)
        >>> bool(table.explained[:10].all()), int(table.explained[10:].sum())
        (True, 0)
        """
        import pandas

        targets = self._of_many("target_summary")
        found = targets.explained(checked_rate(fdr))
        effects: Any = self.effective_parameters_ - (1.0 if self.fit_intercept else 0.0)
        if targets.text("prior") in _WITH_INCLUSIONS:
            effects = np.full_like(effects, np.nan) if self._effects is None else self._effects
        return pandas.DataFrame(
            {
                "r_squared": self.r_squared_,
                "r_squared_loo": self.r_squared_loo_,
                "noise_std": self.noise_std_,
                "effects": effects,
                "evidence": self.evidence_,
                "probability": found.array("probability"),
                "explained": found.array("selected").astype(bool),
                "status": self.target_status_,
            },
            index=pandas.Index(self.target_names_, name="target"),
        )

    def target_directions(self, fdr: float = 0.1, pool_noise: bool = True) -> TargetDirections:
        """Which columns raise or lower which targets, after a fit of many targets with ``prior="none"``.

        The coefficients are those of least squares. Each column has rates over targets of its own.

        Parameters
        ----------
        fdr : float, default=0.1
            Rate of wrong directions among those that are stated, in (0, 1): so many are expected to have the other sign, or no effect.
        pool_noise : bool, default=True
            Estimate the noise of a target from its rows and from the noises of all targets, whose variances are taken as inverse gamma
            (Smyth, 2004): more directions are found where rows are few. False: from its rows alone.

        Returns
        -------
        directions : TargetDirections
            Tables of ``direction`` (-1, 0 or 1), ``q_value``, ``p_value``, ``coef`` and ``coef_std``, a row for each target and a column
            for each column of X, and ``found()``, those that are stated. Targets count as independent: if their noises are strongly
            correlated, the rate of one table may be far from ``fdr``.

        Raises
        ------
        {ValueError}

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X, Y = rng.normal(size=(200, 3)), rng.normal(size=(200, 50))
        >>> Y[:, :10] -= X[:, [2]]
        >>> found = BayesianLinearRegression("none").fit(X, Y).target_directions(fdr=0.05)
        >>> found.direction["x3"].head(10).tolist()
        [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
        """
        targets = self._of_many("target_directions")
        rate = checked_rate(fdr)
        if not isinstance(pool_noise, (bool, np.bool_)):
            why = "it must be True or False"
            raise InvalidArgumentError(f"pool_noise is {pool_noise!r}; {why}", "pool_noise", value=str(pool_noise), why=why)
        try:
            found = targets.directions(bool(pool_noise))
        except ValueError as error:
            raise self._in_our_names(error) from None
        return directions_of(found, self.coef_, self.target_names_, self._column_names(), rate)


def _quantile(probability: float, degrees: np.ndarray) -> np.ndarray:
    """Of Student's t of variance one; infinite where it has no variance."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(np.isfinite(degrees), np.sqrt((degrees - 2) / degrees), 1.0)
        return np.where(degrees <= 2, np.inf, scale * stdtrit(degrees, probability))


class _Told:
    """Passes the progress of a fit of many targets on, at least once. The library has no result of targets that were not all fitted: a callback that stops the fit ends the call."""

    def __init__(self, function: Callable[[Progress], Any]):
        self._function = function
        self(Progress(0, 0, -np.inf, 0.0, stage="preparing", text="preparing"))

    def __call__(self, progress: Progress) -> None:
        if self._function(progress) is False:
            raise StoppedError("the callback stopped the fit of many targets before there was a result")


def _large(scratch: ScratchArray) -> tuple[Any, np.ndarray]:
    """The inclusions of _LEAST_INCLUSION or more as a sparse array, and the sums of all of each target. What is read of the array leaves memory again."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

    array = scratch.array
    num_targets, num_columns = array.shape
    effects, counts, columns, values = np.empty(num_targets), np.zeros(num_targets + 1, np.int64), [], []
    batch = max(1, _NUMBERS_OF_A_BATCH // max(1, num_columns))
    for first in range(0, num_targets, batch):
        some = np.array(array[first : first + batch])
        scratch.leave()
        effects[first : first + batch] = some.sum(axis=1, dtype=np.float64)
        rows, found = np.nonzero(some >= _LEAST_INCLUSION)
        counts[first + 1 : first + 1 + len(some)] = np.bincount(rows, minlength=len(some))
        columns.append(found.astype(np.int32))
        values.append(some[rows, found])
    starts = np.cumsum(counts)
    starts = starts.astype(np.int32) if starts[-1] <= np.iinfo(np.int32).max else starts
    return csr_array((np.concatenate(values), np.concatenate(columns), starts), shape=array.shape), effects


def _require_own_memory(*arrays: tuple[str, Any]) -> None:
    """Refuses arrays of results that lie in the memory of another array of the call."""
    for name, array in arrays[:2]:
        for other, read in arrays:
            if other != name and isinstance(array, np.ndarray) and isinstance(read, np.ndarray) and np.may_share_memory(array, read):
                why = "it must be an array of its own"
                name, other = (name, other) if name == "out_std" or other in ("X", "y") else (other, name)
                raise InvalidArgumentError(f"{name} is in the memory of {other}; {why}", name, value=other, why=why)


def _checked_out(out: np.ndarray, shape: tuple[int, int], name: str) -> np.ndarray:
    """Memory of the caller for the coefficients, or for their standard deviations."""
    is_fit = isinstance(out, np.ndarray) and out.dtype in (np.float64, np.float32) and out.shape == shape and out.flags.writeable and out.flags.c_contiguous
    if not is_fit:
        given = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        why = f"it must be an array of float64 or float32 of shape {shape} that can be written, row by row"
        raise InvalidArgumentError(f"{name} is {given}; {why}", name, value=given, why=why)
    return out
