"""Displays in the style of scikit-learn: ``from_estimator`` computes, ``plot`` draws, and you can change the
drawing afterwards.

The colours are those of Okabe and Ito, which colour-blind readers can distinguish. Markers or line styles show
the same information as colours.

>>> import numpy as np
>>> from ardvark import BayesianLinearRegression
>>> from ardvark.plot import CoefficientDisplay
>>> X = np.random.default_rng(0).normal(size=(100, 3))
>>> display = CoefficientDisplay.from_estimator(BayesianLinearRegression().fit(X, X[:, 0]))
>>> display.ax_.get_xlabel()
'coefficient, with 95% intervals'
"""

from __future__ import annotations

from ._bound import BoundHistoryDisplay
from ._calibration import CalibrationDisplay
from ._coefficients import CoefficientDisplay
from ._counts import CountDisplay
from ._decision import DecisionBoundaryDisplay
from ._lambda_path import LambdaPathDisplay
from ._predictive import PredictiveDisplay
from ._relevance import RelevanceDisplay
from ._shared import COLORS, GREY, MARKERS
from ._targets import MultiTargetDisplay

__all__ = [
    "BoundHistoryDisplay",
    "CalibrationDisplay",
    "CoefficientDisplay",
    "CountDisplay",
    "DecisionBoundaryDisplay",
    "LambdaPathDisplay",
    "MultiTargetDisplay",
    "PredictiveDisplay",
    "RelevanceDisplay",
]
