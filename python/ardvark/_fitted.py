"""An estimator that holds one model of the library, and its file."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Iterator, Optional, Sequence, TypeVar

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _core
from ._abi import InvalidArgumentError
from ._arrays import without_mask
from ._base import Estimator, _defaults
from ._docs import assembled
from ._genotypes import Genotypes
from ._given import gaps_in, in_source, name_of, plain_labels, refuse_gaps, refuse_many_names, require_numbers, with_one_spelling
from ._options import refused_in
from ._output import columns_of, refuse_own_source, write_tables
from ._passes import RowSums, TableFacts, UnknownLabel, facts_of, rows_of
from ._pieces import Pieces
from ._progress import Watch
from ._streams import Rows, is_stream, pieces_of, rows_in

__all__ = ["FittedModel"]

M = TypeVar("M", bound="FittedModel")


@assembled
class FittedModel(Estimator):
    """An estimator that holds one model of the library."""

    _model: _core.Model
    _kind: ClassVar[str] = "linear"  # "linear" of all that has coefficients, "rvm" or "kernel"
    support_: np.ndarray

    @property
    def _added_columns(self) -> list[str]:
        """Columns of the model after those of X."""
        return []

    def _model_options(self) -> dict[str, Any]:
        """The options that choose the model, with the names of the library."""
        task = "regression" if self._is_regression else "classification"
        return {"model": self._kind, "task": task}

    def _fit(self, X: Any, y: Any, sample_weight: Any, target: Optional[str]) -> None:
        """Fits a table in memory, or a source that is read in pieces."""
        refuse_many_names(target, type(self).__name__, self._is_regression)
        if isinstance(X, Genotypes):
            return self._fit_genotypes(X, y, sample_weight, target)
        if isinstance(y, str):
            y, target = None, y
        if is_stream(X) and (target is not None or not hasattr(X, "__arrow_c_stream__")):
            self._fit_stream(X, sample_weight, target)
        else:
            self._fit_table(X, y, sample_weight, target)

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, target: Optional[str]) -> None:
        """Fits a table in memory."""
        table, y, sample_weight, target = self._split(X, y, sample_weight, target)
        X, y, weights, rows = self._checked(table, y, sample_weight, may_be_sparse=True)
        y = self._encoded(y)
        named = {"target": target, "class_names": self._class_names() or None}
        self._fit_model(X, y, weights, **named, **self._model_options(), **self._given_options())
        if self._repeated > 0:
            is_one = self._repeated == 1
            self.notes_.append(f"{self._repeated} {'entry' if is_one else 'entries'} of X {'is' if is_one else 'are'} at a place that has another one: they were added")
        if rows is not None and self._kind != "linear":
            self.support_ = rows[self.support_]  # positions among all rows, also those of weight zero
        self._fitted_to(table, X, y, weights, target)

    def _fit_genotypes(self, X: Genotypes, y: Any, sample_weight: Any, target: Optional[str]) -> None:
        """Fits genotypes of a PLINK fileset. y None: the phenotypes of the fileset that are there."""
        if not self._reads_genotypes:
            np.asarray(X)  # refuses it
        if target is not None or isinstance(y, str):
            raise ValueError("X holds genotypes, so the target must be an array: y, or the phenotype of the fileset")
        of_fileset = y is None
        y = X.phenotype if of_fileset else column_or_1d(plain_labels(y if self._is_regression else with_one_spelling(y)), warn=True)
        check_consistent_length(X, y, sample_weight)
        left_out = 0
        if of_fileset:
            known = np.array([value is not None and value == value for value in y])
            left_out = int((~known).sum())
            if left_out > 0:
                X, y, sample_weight = X[known], y[known], None if sample_weight is None else np.asarray(sample_weight)[known]
        if self._is_regression:
            require_numbers(y)
        refuse_gaps(y, "leave out such samples: X[rows]")
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self._encoding = None
        self.feature_names_in_ = np.array(X.feature_names, dtype=object)
        self.n_features_in_ = X.shape[1]
        values = self._encoded(y if self._is_regression else np.array(y.tolist()))
        named = {"target": "phenotype" if of_fileset else name_of(y), "class_names": self._class_names() or None}
        self._fit_model(X, values, weights, **named, **self._model_options(), **self._given_options())
        if left_out > 0:
            self.notes_.append(f"{left_out} {'sample' if left_out == 1 else 'samples'} without a phenotype {'is' if left_out == 1 else 'are'} left out")
        for name in ("statistics_", "_statistics_of_fit"):
            self.__dict__.pop(name, None)

    def _fitted_to(
        self, table: Any, X: np.ndarray, y: Any, weights: Any, target: Optional[str]
    ) -> None:
        """Keeps what later calls need of the rows of a fit. table: before texts became numbers."""

    def _fit_model(self, X: np.ndarray | Genotypes, y: np.ndarray, weights: Optional[np.ndarray], **options: Any) -> None:
        """Fits, sets _model and the attributes that every fit has, and warns."""
        with Watch(type(self).__name__, self.verbose, self.callback) as watch:
            try:
                model = _core.fit(
                    X,
                    y,
                    callback=watch.function,
                    warn=False,
                    dense="X.sparse.to_dense()" if hasattr(self, "feature_names_in_") else "X.toarray()",
                    weights=weights,
                    **({} if isinstance(X, Genotypes) else self._columns_for_library()),  # which have their own names
                    **options,
                )
            except ValueError as error:
                raise self._in_our_names(error) from None
        if self._encoding is not None:
            self._encoding = model.encoding()  # which knows whether new rows may have gaps
        self._take(model)
        self._warn(model)

    def _fit_stream(self, X: Any, sample_weight: Any, target: Optional[str]) -> None:
        """Fits a source that is read in pieces, by passes over its rows; a small one in memory."""
        target = self._checked_target(sample_weight, target)
        with Pieces(X, [target, sample_weight, *self._named_columns()]) as pieces:
            if self._fit_small(pieces, sample_weight, target):
                return
            self._check_pieces("passes")
            known = (pieces, target, sample_weight, self._references())
            model = "kernel" if self._kind == "kernel" else "logistic"
            with Watch(type(self).__name__, self.verbose, self.callback) as watch:
                facts = facts_of(*known, model=model, is_regression=self._is_regression)
                try:
                    self._fit_passes(facts, rows_of(pieces, facts, watch.function), target, watch)
                except UnknownLabel:
                    facts = facts_of(*known, of_all=True, model=model)
                    self._fit_passes(facts, rows_of(pieces, facts, watch.function), target, watch)
        self.notes_ += pieces.notes
        if pieces.is_spooled:
            self.notes_.append(
                "X can be read only once, so its rows were written to a temporary file, which is gone now"
            )

    def _checked_target(self, sample_weight: Any, target: Optional[str]) -> str:
        """The target of a source that is read in pieces: the name of a column, as are the weights."""
        if target is None:
            example = "price" if self._is_regression else "click"
            raise ValueError(
                f"X is read in pieces, so y must be the name of its column, as in fit(X, y={example!r})"
            )
        if sample_weight is not None and not isinstance(sample_weight, str):
            raise ValueError("X is read in pieces, so sample_weight must be the name of its column")
        return target

    def _fit_small(self, pieces: Pieces, sample_weight: Optional[str], target: str) -> bool:
        """Whether the source is small: it was then fitted in memory."""
        if (table := pieces.table()) is None:
            return False
        with pieces.naming_files():
            self._fit_table(table, None, sample_weight, target)
        self.notes_ += pieces.notes
        return True

    def _check_pieces(self, form: str) -> None:
        """Refuses what needs the table in memory, however few its rows are. form: what the rows become instead."""
        option = refused_in(form, self._changed_options())
        if option is not None:
            name = self._renamed().get(option, option)
            remedy = "leave out rows with gaps in the source, or fill the gaps there; " if option == "missing" else ""
            raise ValueError(f"{name} is {getattr(self, name)!r}, but X is read in pieces; {remedy}a table that fits in memory can be given as a DataFrame")

    def _take_columns(self, facts: TableFacts) -> None:
        """The columns of rows that are not in memory; options may name some of them."""
        self._encoding = facts.encoding
        names = facts.names or []
        self.n_features_in_ = len(names)
        self.__dict__.pop("feature_names_in_", None)
        if facts.has_names:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _fit_passes(
        self, facts: TableFacts, ask: Callable[[bytes], RowSums], target: Optional[str], watch: Watch
    ) -> None:
        """Fits the model to rows that `ask` knows."""
        self._take_columns(facts)
        options: dict[str, Any] = {"target": target, "reference": self._references() or None}
        if facts.encoding is None:
            options["column_names"] = facts.names or []
        else:
            options["encoding"] = facts.encoding.handle
        if not self._is_regression:
            self.classes_ = np.array(facts.labels)
            options["class_names"] = self._class_names()
        options |= self._model_options() | self._given_options()
        try:
            model = _core.fit_rows(ask, callback=watch.function, **options)
        except ValueError as error:
            raise self._in_our_names(error) from error.__cause__
        if self._encoding is not None:
            self._encoding = model.encoding()
        self._take(model)
        self._warn(model)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return state if self._encoding is None else {**state, "_encoding": "of the model"}

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if self._encoding is not None:
            self._encoding = self._saved().encoding()

    def _take(self, model: _core.Model) -> None:
        """The results as attributes."""
        self._model = model
        self.status_ = model.text("status")
        self.converged_ = self.status_ == "converged"
        self.n_iter_ = int(model.number("sweeps"))
        self.notes_ = [self._translated(note) for note in model.value("notes")]
        self._take_diagnosis(model)
        self.__dict__.pop("missing_information_", None)
        if self._imputes and "missing" in model.to_dict():
            self.missing_information_ = model.array("missing.information")

    def _take_diagnosis(self, model: _core.Model) -> None:
        names = ("khat", "khat_given_precisions", "khat_threshold", "khat_effective_share")
        try:
            values = [model.number(name) for name in names]
        except ValueError:  # without diagnose=True
            for name in names:
                self.__dict__.pop(name + "_", None)
            return
        self.khat_, self.khat_given_precisions_, self.khat_threshold_, self.khat_effective_share_ = values

    def summary(
        self, level: float = 0.95, *, verbose: bool = False, odds: bool = False, standardized: bool = False, columns: Optional[Sequence[str]] = None
    ) -> str:
        """The fit as a table to read.

        Parameters
        ----------
        {level}
        verbose : bool, default=False
            Whether to print also how the result was computed: steps, solver, hypotheses that were averaged.
        odds : bool, default=False
            Two classes, and counts: whether to print odds ratios, or rate ratios, with their intervals, instead of coefficients.
        standardized : bool, default=False
            Regressions and two classes: whether to print coefficients per standard deviation of the column, and of the target of a
            regression.
        columns : sequence of str, default=None
            Other names for the columns. In a pipeline, an X without names has them from the steps before:
            ``model[-1].summary(columns=model[:-1].get_feature_names_out())``.

        Returns
        -------
        summary : str
            Text of several lines.

        Examples
        --------
        {examples.numbers}
        >>> print(BayesianLinearRegression("ard").fit(X, y).summary().splitlines()[0])
        Linear regression, prior ard, 200 rows, 3 columns
        """
        check_is_fitted(self)
        names = None if columns is None else [*map(str, columns), *self._added_columns]
        try:
            text = self._model.summary(level, verbose=verbose, odds=odds, standardized=standardized, column_names=names)
        except InvalidArgumentError as error:
            raise error._in_words("columns", self._translated) if error.argument == "column_names" else error
        return self._with_options_as_arguments(text)

    def report(self, path: Any, X: Any = None, y: Any = None, *, level: float = 0.95, title: Optional[str] = None, file: Any = None) -> None:
        """Writes the fit as one page of HTML, to be sent to a colleague.

        The page is one file that loads nothing: it opens without a network, in light and dark, and prints on paper. It says what was
        fitted and on what, the coefficients or curves with their intervals, what the evidence says, warnings, how to make the fit again,
        and what to write in the methods section.

        Parameters
        ----------
        {report.path}
        {report.X}
        {report.y}
        {level}
        {report.title}
        {report.file}

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
        self._write_report(path, X, y, level=level, title=title, file=file)

    def _write_report(self, path: Any, X: Any, y: Any, **words_and_options: Any) -> None:
        check_is_fitted(self)
        if self._are_rows_of_report(X, y):
            X, y = self._rows_of_report(X), self._target_of_report(y)
        self._model.report(path, X, y, command=self._call_of_fit(), **words_and_options)

    def _call_of_fit(self) -> Optional[str]:
        """The call that fits the model again. None: the estimator is not that of the fit, as for a preset of the program, or a file without options."""
        return f"{self!r}.fit(X, y)" if "model" in self._model.value("options") else None

    @staticmethod
    def _are_rows_of_report(X: Any, y: Any) -> bool:
        """Whether there are rows; refuses those without a target."""
        if (X is None) != (y is None):
            raise ValueError("a report compares rows with their target: give X and y, or neither")
        if isinstance(y, str):
            raise ValueError(f"y is the text {y!r}; a report takes the values, as fit(X, y): X[columns] and X[{y!r}]")
        if X is not None:
            check_consistent_length(X, y)
        return X is not None

    def _rows_of_report(self, X: Any) -> Any:
        return self._checked_rows(X)

    def _target_of_report(self, y: Any) -> np.ndarray:
        """Numbers; NaN of those that are missing."""
        y = np.asarray(plain_labels(without_mask(y)))
        gaps = gaps_in(y)
        out = np.full(y.shape, np.nan)
        require_numbers(y[~gaps])
        out[~gaps] = y[~gaps].astype(float)
        return out

    def predict_batches(self, source: Any, method: str = "predict", **arguments: Any) -> Iterator[Any]:
        """Predictions of a source that is read in pieces, so that it may be larger than the memory.

        Parameters
        ----------
        source : str, path, Arrow stream, dataset, lazy frame, iterator of tables, or function that opens one of these
            As in ``fit`` of a linear regression, such as a folder of Parquet. The columns of the fit are found by name; others, such as an
            identifier, may be there.
        method : str, default="predict"
            The method that predicts each piece, such as "predict_proba" or "predict_interval".
        **arguments : object
            Its other arguments.

        Returns
        -------
        predictions : iterator
            Of what the method returns for the rows of one piece, in their order. No row is read before it is asked for.

        Raises
        ------
        ValueError
            There is no such method; or a row cannot be predicted: the message names it, and its file if there are several.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> table = pandas.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
        >>> model = BayesianLinearRegression().fit(table, table.a + 0.1 * rng.normal(size=200))
        >>> pieces = (table.iloc[first : first + 80] for first in range(0, 200, 80))
        >>> [mean.shape for mean in model.predict_batches(pieces)]
        [(80,), (80,), (40,)]
        """
        self._check_method(method)
        return (prediction for _, prediction in self._predict_pieces(self._pieces_of(source), getattr(self, method), arguments))

    def predict_to(self, source: Any, path: Any, method: str = "predict", *, keep: Sequence[str] = (), **arguments: Any) -> int:
        """Writes the predictions of a source that is read in pieces to a file. Neither has to fit in the memory.

        Parameters
        ----------
        source : str, path, Arrow stream, dataset, lazy frame, iterator of tables, or function that opens one of these
            As in `predict_batches`.
        path : str or path-like
            The file: Parquet, Arrow or CSV, as its name ends with .parquet, .arrow or .feather, or .csv. It is there completely or not at all.
        method : str, default="predict"
            The method that predicts each piece, such as "predict_proba" or "predict_interval".
        keep : sequence of str, default=()
            Columns of the source that the file has, too, such as an identifier.
        **arguments : object
            Other arguments of the method.

        Returns
        -------
        n_rows : int
            The rows of the file, at least 1. Its columns are those of ``keep`` and then ``mean``, ``sd``, ``lower`` and ``upper``, ``class``,
            ``log_odds`` and ``log_odds_sd``, or ``probability_CLASS`` for each class: what the method returns.

        Raises
        ------
        ValueError
            There is no such method or column, the name of the file has another ending, or a row cannot be predicted.
        OSError
            The file cannot be written.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas
        >>> import tempfile
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> table = pandas.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"]).assign(id=range(200))
        >>> model = BayesianLinearRegression().fit(table[["a", "b"]], table.a + 0.1 * rng.normal(size=200))
        >>> pieces = (table.iloc[first : first + 80] for first in range(0, 200, 80))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     n_rows = model.predict_to(pieces, f"{folder}/predictions.parquet", keep=["id"], return_std=True)
        ...     predictions = pandas.read_parquet(f"{folder}/predictions.parquet")
        >>> n_rows, list(predictions.columns)
        (200, ['id', 'mean', 'sd'])
        """
        self._check_method(method)
        pairs = self._predict_pieces(self._pieces_of(source), getattr(self, method), arguments)
        keep = [keep] if isinstance(keep, str) else keep
        refuse_own_source(path, source)
        return write_tables(path, (columns_of(piece, keep, self._named(method, prediction)) for piece, prediction in pairs))

    def _named(self, method: str, values: Any) -> dict[str, np.ndarray]:
        """The columns that a method returns, with names."""
        if isinstance(values, tuple):
            names = ["log_odds", "log_odds_sd"] if method == "predict_score" else ["mean", "sd"]
            if any(np.ndim(column) != 1 for column in values):
                raise ValueError("return_cov=True gives a matrix for all rows together, which is no column of a file; leave it out")
        elif np.ndim(values) == 1:
            names, values = ["class" if hasattr(self, "classes_") else "mean"], [values]
        elif method == "predict_interval":
            names, values = ["lower", "upper"], values.T
        else:
            names, values = [f"{method[8:].replace('proba', 'probability')}_{label}" for label in getattr(self, "classes_")], values.T
        return dict(zip(names, values))

    def _pieces_of(self, source: Any) -> Rows:
        return pieces_of(source, {} if self._encoding is None else self._encoding.texts)

    def _check_method(self, method: str) -> None:
        check_is_fitted(self)
        names = [name for name in dir(type(self)) if name.startswith("predict") and name not in ("predict_batches", "predict_to")]
        if method not in names:
            raise ValueError(f"method is {method!r}; it must be one of {', '.join(names)}")

    @staticmethod
    def _predict_pieces(pieces: Rows, predict: Any, arguments: Any) -> Iterator[tuple[Any, Any]]:
        rows = 0
        for piece in pieces:
            try:
                prediction = predict(piece, **arguments)
            except ValueError as error:
                raise in_source(error, rows, pieces.place_of) from None
            yield piece, prediction
            rows += rows_in(piece)

    def save(self, path: Any) -> None:
        """Writes a model file that `load`, the command line and the other languages can read.

        Parameters
        ----------
        path : str or path-like
            The file. It is written completely or not at all.

        Raises
        ------
        OSError
            The file cannot be written.

        Examples
        --------
        {examples.numbers}
        >>> import tempfile
        >>> model = BayesianLinearRegression().fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.ardvark")
        ...     again = BayesianLinearRegression.load(f"{folder}/model.ardvark")
        >>> bool((again.coef_ == model.coef_).all())
        True
        """
        check_is_fitted(self)
        self._saved().save(path)

    def _saved(self) -> Any:
        """What a file has."""
        return self._model

    @classmethod
    def load(cls: type[M], path: Any) -> M:
        """A fitted estimator from a model file. `ardvark.load` finds the class by itself.

        The constructor parameters are those of the fit, as far as they are options of this class, so that
        `sklearn.base.clone` gives an estimator that fits the same model again.

        Parameters
        ----------
        path : str or path-like
            A file of `save`, or of ``ardvark fit -o``.

        Returns
        -------
        estimator : an instance of this class

        Raises
        ------
        OSError
            The file cannot be read.
        ValueError
            The file holds another kind of model.

        Examples
        --------
        {examples.classes}
        >>> import tempfile
        >>> model = BayesianLogisticRegression().fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.ardvark")
        ...     again = BayesianLogisticRegression.load(f"{folder}/model.ardvark")
        >>> again.classes_.tolist(), bool((again.predict(X) == model.predict(X)).all())
        (['no', 'yes'], True)
        """
        model = _core.load(path)
        return cls()._of_file(model)

    def _parameters_of(self, model: Any) -> dict[str, Any]:
        """The constructor parameters that are the options of the model."""
        cls: Any = type(self)
        options, defaults = model.value("options"), _defaults(cls)
        found = {}
        for name, option in self._options.items():
            if option in options:
                value = options[option]
                found[name] = bool(value) if isinstance(defaults[name], bool) else _number_like(value)
        if "reference" in options and "reference" in defaults:
            columns = {column["name"] for column in model.value("text_columns")}
            found["reference"] = {c: t[len(c) + 1 :] for t in options["reference"] for c in columns if t.startswith(c + "=")}
        return found

    def _take_parameters(self, model: Any) -> None:
        """The constructor parameters and the columns, from a file."""
        self._encoding = model.encoding()
        self.set_params(**self._parameters_of(model))
        names = self._encoding.features
        self.n_features_in_ = len(names)
        if names != [f"x{j + 1}" for j in range(len(names))]:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _of_file(self: M, model: _core.Model) -> M:
        found = model.to_dict()
        kind, has_classes = found.get("model", "linear"), "classes" in found
        if (kind, has_classes) != (self._kind, hasattr(self, "predict_proba")):
            kind = {"rvm": "relevance vector machine", "kernel": "kernel machine"}.get(kind, "linear model")
            of_what = "classes" if has_classes else "numbers"
            raise ValueError(f"the file holds a {kind} for {of_what}, which {type(self).__name__} cannot load")
        self._take_parameters(model)
        if hasattr(self, "predict_proba"):
            self.classes_ = _as_labels(model.value("classes"))
        self._take(model)
        return self


def _number_like(value: Any) -> Any:
    """A whole number as an int; a text that holds a number as a float; lists of them."""
    if isinstance(value, str):
        try:
            numbers = [_number_like(float(part)) for part in value.split(",")]
        except ValueError:
            return value
        return numbers[0] if len(numbers) == 1 else numbers
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_labels(texts: list[str]) -> np.ndarray:
    """Turns the texts of a file back into labels: True and False, integers, numbers, or texts."""
    if {text.lower() for text in texts} <= {"true", "false"}:
        return np.asarray([text.lower() == "true" for text in texts])
    for kind in (int, float):
        try:
            return np.asarray([kind(text) for text in texts])
        except ValueError:
            pass
    return np.asarray(texts)
