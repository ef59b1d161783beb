"""Partitions of Dask: sums over them, fits from these, and lazy predictions."""

from __future__ import annotations

import pickle
from typing import Any, Callable, Optional, Sequence

import numpy as np

from ._abi import prefixed
from ._passes import RowSums, TableFacts, UnknownLabel
from ._progress import Watch
from ._statistics import LinearStatistics
from ._target_statistics import TargetStatistics

try:
    from dask.base import is_dask_collection, tokenize
    from dask.delayed import delayed
except ImportError:
    raise ImportError('ardvark.dask needs Dask: pip install "ardvark[dask]"') from None

__all__ = [
    "are_several", "fit_partitions", "in_a_tree", "is_dask_collection", "lazy_labels", "lazy_predictions", "lazy_probabilities", "lazy_targets", "merged", "rows_of",
    "statistics_of_partition", "target_of", "task", "token_of",
]

_BRANCHES = 16  # statistics that one task adds


def _is_frame(X: Any) -> bool:
    return hasattr(X, "map_partitions") and hasattr(X, "to_delayed") and not hasattr(X, "map_blocks")


def _in_rows(values: Any, what: str) -> Any:
    """A Dask DataFrame, Series or Array, whose partitions have whole rows."""
    if not is_dask_collection(values):
        raise ValueError(f"X is a collection of Dask, so {what} must be one, too, with the same partitions, or the name of a column")
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "rechunk") and values.numblocks[1] > 1:
        values = values.rechunk({1: -1})
    return values


def _partitions(collections: Sequence[Any]) -> list[list[Any]]:
    """The partitions of each collection, in their order, as delayed values. Dask's optimisation may read several of one collection at once, such as
    small columns of Parquet, and not those of another: then they are taken as they were."""
    found = [list(np.ravel(values.to_delayed())) for values in collections]
    are_whole = all(len(parts) == getattr(values, "npartitions", len(parts)) for parts, values in zip(found, collections))
    if len(found) == 1 or are_whole:
        return found
    return [list(np.ravel(values.to_delayed(optimize_graph=False))) for values in collections]


def _remedy_of_partitions(X: Any, values: Any, what: str) -> str:
    if not (_is_frame(X) and hasattr(values, "repartition")):
        return f"divide {what} as X, {what}.rechunk(X.chunks[0])"
    if X.known_divisions and values.known_divisions:
        return f"divide {what} as X, {what}.repartition(divisions=X.divisions)"
    return f"take {what} from the table that X is taken from, or give the whole table as X and the name of the column as {what}"


def are_several(y: Any) -> bool:
    """Whether y is a collection with several columns, or a list of names."""
    if isinstance(y, list):
        return True
    return is_dask_collection(y) and getattr(y, "ndim", 1) == 2 and y.shape[1] != 1


def statistics_of_partition(number: int, X: Any, y: Any, sample_weight: Any, form: Optional[str]) -> Any:
    """form: of statistics of one target; None: of several."""
    statistics: Any = TargetStatistics() if form is None else LinearStatistics(form)
    if len(X) == 0:
        return statistics
    try:
        return statistics.update(X, y, sample_weight)
    except ValueError as error:
        raise prefixed(f"in partition {number}: ", error) from None


def merged(parts: Sequence[Any]) -> Any:
    total = pickle.loads(pickle.dumps(parts[0]))  # a task must not change what it is given
    for part in parts[1:]:
        total = total.merge(part)
    return total


def task(name: str, number: int, work: Any, *given: Any) -> Any:
    """A task under a name that the dashboard shows, and errors of the scheduler."""
    return delayed(work)(*given, dask_key_name=f"{name}-{number}-{tokenize(work, *given)}")


def rows_of(X: Any, y: Any, sample_weight: Any) -> list[tuple[Any, Any, Any]]:
    """X, y and weights of each partition."""
    given = {"X": X, "y": y, "sample_weight": sample_weight}
    collections = {what: _in_rows(values, what) for what, values in given.items() if values is not None and not isinstance(values, (str, list))}
    parts = dict(zip(collections, _partitions(list(collections.values()))))
    size = len(parts["X"])
    for what, found in parts.items():
        if len(found) != size:
            raise ValueError(
                f"X has {size} partitions and {what} has {len(found)}; they must be the same: {_remedy_of_partitions(X, given[what], what)}"
            )
    return list(zip(*(parts.get(what) or [values] * size for what, values in given.items())))


def in_a_tree(level: list[Any], name: str) -> Any:
    """The sum of all parts, added in their order."""
    while len(level) > 1:
        groups = [level[first : first + _BRANCHES] for first in range(0, len(level), _BRANCHES)]
        level = [task(name, number, merged, group) for number, group in enumerate(groups)]
    return level[0]


def _facts_of_partition(number: int, X: Any, y: Any, sample_weight: Any, *kind: Any) -> TableFacts:
    target, weights = (name if isinstance(name, str) else None for name in (y, sample_weight))
    try:
        return TableFacts(target, weights, *kind).add(X, None if target else y, None if weights else sample_weight)
    except ValueError as error:
        raise prefixed(f"in partition {number}: ", error) from None


def _sums_of_partition(number: int, X: Any, y: Any, sample_weight: Any, facts: bytes, question: bytes) -> RowSums:
    sums = RowSums(question, number + 1)
    if len(X) == 0:
        return sums
    try:
        return sums.update(*pickle.loads(facts).numbers(X, None if isinstance(y, str) else y, None if isinstance(sample_weight, str) else sample_weight))
    except (ValueError, UnknownLabel) as error:
        raise prefixed(f"in partition {number}: ", error) from None


def target_of(model: Any, y: Any, target: Optional[str]) -> Any:
    """The target of a fit, which may be given as y or as target."""
    if target is not None and y is not None:
        raise ValueError("fit has both y and target; give y, or the name of a column as target")
    y = target if y is None else y
    if isinstance(y, list) and len(y) == 1:
        return y[0]
    if y is None:
        what, their = ("target", "its") if model._is_regression else ("labels", "their")
        raise ValueError(f"y is missing: give the {what}, or the name of {their} column")
    return y


def fit_partitions(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fits a model by passes over all partitions."""
    kind = ("kernel" if model._kind == "kernel" else "logistic", model._is_regression)
    rows = rows_of(X, y, sample_weight)
    with Watch(type(model).__name__, model.verbose, model.callback) as watch:
        parts = [task("look-at-partition", number, _facts_of_partition, number, *part, *kind) for number, part in enumerate(rows)]
        facts = in_a_tree(parts, "add-facts").compute().end(model._references())
        model._fit_passes(facts, _ask_partitions(rows, pickle.dumps(facts)), y if isinstance(y, str) else None, watch)


def _ask_partitions(rows: Sequence[tuple[Any, Any, Any]], facts: bytes) -> Callable[[bytes], RowSums]:
    """Answers questions with sums over all partitions. Partitions are added in their order, so the bits do not depend on the workers."""
    def ask(question: bytes) -> RowSums:
        parts = [task("read-partition", number, _sums_of_partition, number, *part, facts, question) for number, part in enumerate(rows)]
        sums: RowSums = in_a_tree(parts, "add-sums").compute()
        return RowSums.from_bytes(sums.to_bytes())

    return ask


def lazy_probabilities(model: Any, X: Any) -> Any:
    meta = np.empty((0, model.classes_.size))
    if _is_frame(X):
        return X.map_partitions(_probability, model, meta=meta)
    X = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
    return X.map_blocks(_probability, model, dtype=np.float64, chunks=(X.chunks[0], (model.classes_.size,)), meta=meta)


def _label(X: Any, model: Any) -> Any:
    return _as_given(X, _plain(model).predict(X))


def _probability(X: Any, model: Any) -> Any:
    return _plain(model).predict_proba(X)


def token_of(model: Any) -> Any:
    fitted = getattr(model, "_model", None) or getattr(model, "_targets", None)
    return type(model).__name__, repr(model.get_params()), None if fitted is None else fitted.to_bytes()


def _plain(model: Any) -> Any:
    """The methods of `ardvark` itself."""
    own = next(kind for kind in type(model).__mro__ if kind.__module__ == "ardvark.dask")  # a user may derive another
    return super(own, model)


def _mean(X: Any, model: Any) -> Any:
    return _as_given(X, _plain(model).predict(X))


def _std(X: Any, model: Any) -> Any:
    return _as_given(X, _plain(model).predict(X, return_std=True)[1])


def _as_given(X: Any, values: np.ndarray) -> Any:
    """Values as a Series with the index of a DataFrame."""
    if not hasattr(X, "index") or not hasattr(X, "iloc"):
        return values
    import pandas

    return pandas.Series(values, index=X.index)


def _lazily(model: Any, X: Any, work: Any, name: Optional[str], dtype: Any = np.float64) -> Any:
    if _is_frame(X):
        return X.map_partitions(work, model, meta=(name, dtype))
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    return X.map_blocks(work, model, dtype=dtype, drop_axis=1, meta=np.empty(0, dtype=dtype))


def lazy_labels(model: Any, X: Any) -> Any:
    return _lazily(model, X, _label, None, model.classes_.dtype)


def _table_of_targets(X: Any, values: np.ndarray, names: Sequence[str]) -> Any:
    """Predictions of many targets as a DataFrame with the index of that of the columns."""
    if not hasattr(X, "index") or not hasattr(X, "iloc"):
        return values
    import pandas

    return pandas.DataFrame(values, index=X.index, columns=list(names))


def _means(X: Any, model: Any) -> Any:
    return _table_of_targets(X, _plain(model).predict(X), model.target_names_)


def _stds(X: Any, model: Any) -> Any:
    return _table_of_targets(X, _plain(model).predict(X, return_std=True)[1], model.target_names_)


def lazy_targets(model: Any, X: Any, return_std: bool) -> Any:
    """Means and, if asked for, standard deviations of many targets."""
    dtype, count = model.coef_.dtype, len(model.coef_)

    def lazily(work: Any) -> Any:
        if _is_frame(X):
            return X.map_partitions(work, model, meta=dict.fromkeys(model.target_names_, dtype))
        whole = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
        return whole.map_blocks(work, model, dtype=dtype, chunks=(whole.chunks[0], (count,)), meta=np.empty((0, count), dtype))

    return (lazily(_means), lazily(_stds)) if return_std else lazily(_means)


def lazy_predictions(model: Any, X: Any, return_std: bool, name: Optional[str] = None) -> Any:
    """Means and, if asked for, standard deviations. name: of the target."""
    mean = _lazily(model, X, _mean, name)
    return (mean, _lazily(model, X, _std, name)) if return_std else mean
