"""Sparse Bayesian linear models: variational Bayes, automatic relevance determination, relevance vector machines."""

from ._core import ArdvarkWarning, version

__version__ = version()
__all__ = ["ArdvarkWarning", "__version__"]
