"""Several models of one table, ranked by their log evidence."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np
from sklearn.utils.multiclass import type_of_target

from . import _core
from ._arrays import refuse_sparse
from ._counts import BayesianCountRegression
from ._given import gaps_in, refuse_many, refuse_many_names
from ._linear import BayesianLinearRegression
from ._logistic import BayesianLogisticRegression
from ._progress import Watch
from ._report import write_result_report
from ._tables import with_dense_columns

__all__ = ["ComparedModel", "Comparison", "compare"]


class ComparedModel(NamedTuple):
    """One of the models of a comparison.

    Attributes
    ----------
    name : str
        The prior, "rvm" and the kernel, or "kernel".
    evidence : float
        Log evidence, in nats; None if it cannot be compared, and ``remark`` says why.
    difference : float
        The evidence minus that of the best model; None likewise.
    bound : float
        What the fit reports as its lower bound on the log evidence, in nats.
    effective_parameters : float
        Number of parameters that the data determine; None for the kernel machine.
    probable_effects : int
        Columns that are kept; None if the prior does not say so.
    noise_std : float
        Regressions: standard deviation of the noise; else None.
    log_loss : float
        Classes: of the training rows, nats per row; else None.
    deviance_explained : float
        Counts: share of the deviance of a constant rate that is explained in the training rows; else None.
    status : str
        How the fit ended.
    remark : str
        What the numbers mean; may be empty.

    Examples
    --------
    >>> import numpy as np
    >>> import ardvark
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 10))
    >>> comparison = ardvark.compare(X, 2 * X[:, 0] + rng.normal(size=100), priors=["dense", "slab"])
    >>> [model.name for model in comparison.models], comparison.models[1].difference < -5
    (['slab', 'dense'], True)
    """

    name: str
    evidence: Optional[float]
    difference: Optional[float]
    bound: float
    effective_parameters: Optional[float]
    probable_effects: Optional[int]
    noise_std: Optional[float]
    log_loss: Optional[float]
    deviance_explained: Optional[float]
    status: str
    remark: str


# The fields of a ComparedModel, as the library names them.
_ENTRIES = (
    "name", "evidence", "difference", "bound", "effective_parameters", "probable_effects", "noise_sd", "log_loss", "deviance_explained",
    "status", "remark",
)


class Comparison(NamedTuple):
    """What `compare` returns; ``print`` shows it as a table.

    Attributes
    ----------
    best : str
        Name of the model with the highest log evidence; None if none can be compared.
    verdict : str
        One sentence: which model to take, and how sure this is.
    models : list of ComparedModel
        The best first; those that cannot be compared are last.
    text : str
        The table.

    Examples
    --------
    >>> import numpy as np
    >>> import ardvark
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 10))
    >>> comparison = ardvark.compare(X, X.sum(axis=1) + rng.normal(size=100))
    >>> str(comparison).splitlines()[0]
    'Comparison of 4 linear models, 100 rows, 10 columns'
    """

    best: Optional[str]
    verdict: str
    models: list[ComparedModel]
    text: str

    def __str__(self) -> str:
        return self.text


def compare(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    target: Optional[str] = None,
    priors: Sequence[str] = ("shared", "ard", "dense", "sparse"),
    families: Sequence[str] = (),
    kernels: Sequence[str] = (),
    models: Sequence[str] = (),
    exposure: Optional[str] = None,
    task: str = "auto",
    missing: str = "refuse",
    report: Any = None,
    verbose: int = 0,
    callback: Optional[Callable[[_core.Progress], Any]] = None,
) -> Comparison:
    """Fits several models to a table and ranks them by their log evidence.

    Parameters
    ----------
    X : array-like or table of shape (n_samples, n_features)
        Finite numbers; in a DataFrame of pandas or polars also texts.
    y : array-like of shape (n_samples,)
        Numbers, or labels of two classes or more. Leave it out with ``target``.
    sample_weight : array-like of shape (n_samples,) or str, default=None
        >= 0, not all zero. A weight equals repetition of the row. A str names a column of X.
    target : str, default=None
        If X is a DataFrame: the column of X that the models explain, instead of ``y``.
    priors : sequence of str, default=("shared", "ard", "dense", "sparse")
        Any of these and "slab". "ard" is fitted and listed, but not ranked.
    families : sequence of str, default=()
        Each prior is fitted with each of them. Numbers: "normal", "student"; by default normal noise. Counts: "poisson",
        "negative-binomial"; by default both. All keep their constants, so that their evidence is on one scale.
    kernels : sequence of str, default=()
        Also relevance vector machines with these kernels: "gaussian", "laplacian", "cauchy", "linear", "polynomial" or "spline".
        They need numbers.
    models : sequence of str, default=()
        ["kernel"]: also the kernel machine of `KernelRegressor` and `KernelClassifier`. It needs numbers.
    exposure : str, default=None
        Counts: the column of X that is their exposure, as in `BayesianCountRegression`.
    task : {"auto", "regression", "classification", "counts"}, default="auto"
        "auto": a regression if y holds numbers of which some are not whole; else classes. Counts must be named.
    missing : {"refuse", "drop"}, default="refuse"
        What happens to rows in which a value is missing: an error, or they are left out, and the text says how many.
    report : str or path-like, default=None
        Also write the comparison there, as one page of HTML.
    verbose : int, default=0
        1: a progress bar if the work takes more than a second.
    callback : callable, default=None
        Called after each sweep; if it returns False, the work stops.

    Returns
    -------
    comparison : Comparison
        The models, the best first. Three classes or more: each number is a sum over the regressions of each class against the rest.

    Raises
    ------
    ValueError
        An argument is wrong. The message names the argument, the value and the constraint.
    OSError
        The report cannot be written.

    Examples
    --------
    >>> import numpy as np
    >>> import ardvark
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 10))
    >>> ardvark.compare(X, X.sum(axis=1) + rng.normal(size=100), priors=["dense", "slab"]).best
    'dense'
    """
    if task not in ("auto", "regression", "classification", "counts"):
        raise ValueError(f"task is {task!r}; it must be 'auto', 'regression', 'classification' or 'counts'")
    if exposure is not None and task != "counts":
        raise ValueError("exposure applies only to task='counts'")
    if missing not in ("refuse", "drop"):
        raise ValueError(f"missing is {missing!r}; it must be 'refuse' or 'drop'")
    refuse_sparse(X, "compare")
    refuse_many(y, "compare")
    refuse_many_names(target, "compare")
    X = with_dense_columns(X)
    estimator: Any = BayesianLinearRegression(missing=missing)
    X, y, sample_weight, target = estimator._split(X, y, sample_weight, target)
    if task == "auto":
        known = np.asarray(y)[~gaps_in(np.asarray(y))]
        task = "regression" if type_of_target(known.tolist(), input_name="y") == "continuous" else "classification"
    if task == "classification":
        estimator = BayesianLogisticRegression(missing=missing)
    elif task == "counts":
        estimator = BayesianCountRegression(missing=missing, exposure=exposure)
    X, y, weights, _ = estimator._checked(X, y, sample_weight)
    y = estimator._encoded(y)
    if isinstance(models, str) or set(models) - {"kernel"}:
        raise ValueError(f"models is {models!r}; it must be ['kernel'], or empty")
    for name, list_ in (("kernels", kernels), ("models", models)):
        if estimator._encoding is not None and len(list_) > 0:
            raise ValueError(f"{name} cannot be used with text columns; give columns of numbers")
    with Watch("compare", verbose, callback) as watch:
        try:
            result = _core.compare(
                X,
                y,
                list(priors),
                [*kernels, *models, *families] or None,
                callback=watch.function,
                model={"regression": "linear", "classification": "logistic"}.get(task, task),
                weights=weights,
                class_names=estimator._class_names(),
                **({} if exposure is None else {"exposure": estimator._name_of("exposure")}),
                target=target,
                missing=missing,
                **estimator._columns_for_library(),
            )
        except ValueError as error:
            raise estimator._in_our_names(error) from None
    if report is not None:
        words = {"priors": list(priors), "kernels": list(kernels), "models": list(models), "families": list(families)}
        given = "".join(f", {name}={value!r}" for name, value in words.items() if value)
        write_result_report(result._handle, report, f"ardvark.compare(X, y, task={task!r}{given})")
    compared = [ComparedModel(*map(one.get, _ENTRIES)) for one in result.value("models")]
    return Comparison(result.value("best"), result.text("verdict"), compared, result.text("summary").rstrip("\n"))
