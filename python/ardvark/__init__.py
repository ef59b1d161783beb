"""Sparse Bayesian linear models: variational Bayes, automatic relevance determination, relevance vector
machines.

The estimators need scikit-learn. The displays in `ardvark.plot` need matplotlib. The rest of the package works
without both.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._abi import InvalidArgumentError
from ._core import ArdvarkWarning, version

if TYPE_CHECKING:  # at run time, __getattr__ imports these on demand
    from . import plot as plot
    from ._compare import compare
    from ._counts import BayesianCountRegression
    from ._csv_forms import CsvFiles
    from ._genotypes import Genotypes, read_plink
    from ._kernel import KernelClassifier, KernelRegressor
    from ._linear import BayesianLinearRegression
    from ._load import load
    from ._logistic import BayesianLogisticRegression
    from ._matrix_files import read_svmlight
    from ._onnx import to_onnx
    from ._relevance import RelevanceVectorClassifier, RelevanceVectorRegressor
    from ._selection import RelevanceSelector
    from ._sequential import SequentialLogisticRegression
    from ._slr import SparseLogisticRegression
    from ._statistics import LinearStatistics
    from ._target_statistics import TargetStatistics

__version__ = version()

_estimators = {
    "BayesianCountRegression": "_counts",
    "BayesianLinearRegression": "_linear",
    "BayesianLogisticRegression": "_logistic",
    "SparseLogisticRegression": "_slr",
    "SequentialLogisticRegression": "_sequential",
    "KernelRegressor": "_kernel",
    "KernelClassifier": "_kernel",
    "RelevanceVectorRegressor": "_relevance",
    "RelevanceVectorClassifier": "_relevance",
    "RelevanceSelector": "_selection",
}

__all__ = [
    "ArdvarkWarning",
    "BayesianCountRegression",
    "BayesianLinearRegression",
    "BayesianLogisticRegression",
    "CsvFiles",
    "Genotypes",
    "InvalidArgumentError",
    "KernelClassifier",
    "KernelRegressor",
    "LinearStatistics",
    "RelevanceSelector",
    "RelevanceVectorClassifier",
    "RelevanceVectorRegressor",
    "SequentialLogisticRegression",
    "SparseLogisticRegression",
    "TargetStatistics",
    "__version__",
    "compare",
    "load",
    "read_plink",
    "read_svmlight",
    "to_onnx",
]


def __getattr__(name: str) -> Any:
    where = {**_estimators, "plot": "plot", "to_onnx": "_onnx", "load": "_load", "compare": "_compare", "LinearStatistics": "_statistics", "TargetStatistics": "_target_statistics", "CsvFiles": "_csv_forms", "Genotypes": "_genotypes", "read_plink": "_genotypes", "read_svmlight": "_matrix_files"}.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f".{where}", __name__)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == "sklearn":
            raise ImportError(
                f"ardvark.{name} needs scikit-learn 1.6 or later: pip install ardvark[sklearn]"
            ) from None
        raise
    return module if name == "plot" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "plot"})
