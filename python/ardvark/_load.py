"""Loads a model file as the estimator that fits such models."""

from __future__ import annotations

from typing import Any

from . import _core, _targets
from ._counts import BayesianCountRegression
from ._fitted import FittedModel
from ._kernel import KernelClassifier, KernelRegressor
from ._linear import BayesianLinearRegression
from ._logistic import BayesianLogisticRegression
from ._relevance import RelevanceVectorClassifier, RelevanceVectorRegressor
from ._sequential import SequentialLogisticRegression
from ._slr import SparseLogisticRegression, _toolbox

__all__ = ["load"]


def load(path: Any) -> Any:
    """A fitted estimator from a model file, of the class that fits such models.

    Its constructor parameters are the options of the fit, so that `sklearn.base.clone` gives an estimator that fits the
    same model again. (Published programs that no estimator fits, such as preset vb_logit_fit, and files of earlier
    versions leave the parameters at their defaults.) A model of a table with text columns predicts from a DataFrame
    with these columns; other columns are not read.

    Parameters
    ----------
    path : str or path-like
        A file of ``save``, of ``ardvark fit -o``, or of another language.

    Returns
    -------
    estimator : BayesianLinearRegression, BayesianCountRegression, BayesianLogisticRegression, SparseLogisticRegression, \
            SequentialLogisticRegression, KernelRegressor, KernelClassifier, RelevanceVectorRegressor or RelevanceVectorClassifier
        Fitted.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        The file is not a model file, or is damaged.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import ardvark
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = ardvark.BayesianLinearRegression("ard").fit(X, 1 + 2 * X[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.ardvark")
    ...     ardvark.load(f"{folder}/model.ardvark")
    BayesianLinearRegression(prior='ard')
    """
    try:
        model = _core.load(path)
    except ValueError:
        try:
            targets = _targets.load(path)
        except ValueError:
            targets = None
        if targets is None:
            raise
        return BayesianLinearRegression()._of_targets(targets)
    found = model.to_dict()
    has_classes = "classes" in found
    cls: type[FittedModel]
    if found.get("model") == "kernel":
        cls = KernelClassifier if has_classes else KernelRegressor
    elif found.get("model") == "rvm":
        cls = RelevanceVectorClassifier if has_classes else RelevanceVectorRegressor
    elif found.get("task") == "counts":
        cls = BayesianCountRegression
    elif not has_classes:
        cls = BayesianLinearRegression
    elif found.get("solver") == "sequential" and not found.get("preset"):
        cls = SequentialLogisticRegression
    else:
        is_toolbox = found.get("options", {}).get("preset") in _toolbox()[0]
        cls = SparseLogisticRegression if is_toolbox else BayesianLogisticRegression
    return cls()._of_file(model)
