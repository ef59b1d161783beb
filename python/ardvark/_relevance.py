"""Relevance vector machines: sparse sums of kernels at some of the training rows."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Optional, Sequence, Union

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from . import _core
from ._base import Classifier, FittedModel, Regressor, _name
from ._posterior import WithPosterior

Width = Union[str, float, Sequence[float]]


class RelevanceMachine(WithPosterior, FittedModel):
    """What both machines have in common."""

    _is_kernel: ClassVar[bool] = True

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.kernel_ = model.text("kernel")
        self.width_ = _width(model)
        self.input_scale_ = model.array("input_scale")
        self.log_evidence_ = model.number("log_evidence")
        self.relevance_vectors_ = model.array("relevance_vectors").reshape(-1, self.n_features_in_)
        self.support_ = model.array("relevance_rows").astype(int)
        self.trials_ = model.value("trials")
        machines = (
            [f"machines.{k}." for k in range(self.classes_.size)] if not self._has_joint_posterior else [""]
        )
        shape = (len(machines), len(self.relevance_vectors_))
        self.dual_coef_, self.dual_coef_std_, self.relevance_ = (
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
        )
        self.lambda_ = np.full(shape, np.inf)
        for k, machine in enumerate(machines):
            vectors = model.array(machine + "vectors").astype(int)
            self.dual_coef_[k, vectors] = model.array(machine + "mean")
            self.dual_coef_std_[k, vectors] = model.array(machine + "sd")
            self.relevance_[k, vectors] = model.array(machine + "relevance")
            self.lambda_[k, vectors] = model.array(machine + "precision")
        self.intercept_ = np.array([model.number(machine + "intercept.mean") for machine in machines])
        self.intercept_std_ = np.sqrt([model.number(machine + "intercept.variance") for machine in machines])
        histories = [model.array(machine + "bound_history") for machine in machines]
        self.bound_history_ = histories[0] if len(histories) == 1 else histories
        self.bound_ = float(np.sum(model.array("bound")))

    def _weight_names(self) -> Sequence[str]:
        return [f"row {row}" for row in self.support_]


def _width(model: _core.Model) -> Any:
    for name in ("width", "widths"):
        try:
            width = model.array(name)
            return float(width) if width.ndim == 0 else width
        except ValueError:
            continue
    return None


class RelevanceVectorRegressor(RegressorMixin, Regressor, RelevanceMachine):
    """Relevance vector machine: a curve as a sparse sum of kernels, with a predictive distribution. No width
    has to be chosen.

    Parameters
    ----------
    kernel : {"gaussian", "laplacian", "cauchy", "linear", "polynomial", "spline"}, default="gaussian"
        "gaussian" is exp(-|x - c|^2 / width^2).
    width : "auto", "each", float or array-like of shape (n_features,), default="auto"
        Of the kernel, in standard deviations of the inputs (in their units without ``standardize``), > 0.
        "auto" maximises the evidence over one width, "each" over a width for every input: those of small
        widths matter.
    degree : int, default=None
        Of the polynomial kernel, 1 or more.
    offset : float, default=None
        Of the polynomial kernel, 0 or more.
    input_group : array-like of shape (n_features,), int, default=None
        Inputs of one number share a width of width="each".
    algorithm : {"variational", "plain", "type-two"}, default="variational"
        "type-two" is the maximum likelihood of Tipping and Faul, without hyper-priors; "plain" the published
        variational sweeps, slow.
    centres : "all" or int, default="all"
        Rows that may become relevance vectors; a number: so many, chosen to represent the rest.
    standardize : bool, default=True
        Whether inputs are centred and scaled inside.
    alpha_1, alpha_2 : float, default=None
        Shape and rate of the Gamma prior of the noise precision of the standardised target, > 0.
    lambda_1, lambda_2 : float, default=None
        Shape and rate of the Gamma prior of the weights' precisions, > 0.
    max_iter : int, default=None
        Most sweeps, 1 or more.
    n_jobs : int, default=None
        Threads of the linear algebra; -1 for all cores.
    verbose : int, default=0
        1: a progress bar for work over a second.
    callback : callable, default=None
        Called after each sweep with an object of ``sweep``, ``bound`` (nats), ``elapsed_seconds``; False
        stops the fit.

    Attributes
    ----------
    relevance_vectors_ : ndarray of shape (n_vectors, n_features)
        In the units of X.
    support_ : ndarray of shape (n_vectors,), int
        The training rows that these are, from 0.
    dual_coef_, dual_coef_std_ : ndarray of shape (n_machines, n_vectors)
        Posterior mean and standard deviation of the weights: one machine of a regression or two classes, else
        one for each class against the rest, with 0 where it does not use a vector.
    intercept_, intercept_std_ : ndarray of shape (n_machines,)
    sigma_ : ndarray of shape (n_vectors, n_vectors)
        Posterior covariance of the weights of one machine. Formed when asked for.
    lambda_ : ndarray of shape (n_machines, n_vectors)
        Mean precision of each weight, of kernel columns scaled to standard deviation 1; infinite where a
        machine does not use a vector.
    relevance_ : ndarray of shape (n_machines, n_vectors)
        In [0, 1]: 1, the data determine the weight, 0, the prior does.
    kernel_ : str
        With the parameters that were used.
    width_ : float, ndarray of shape (n_features,) or None
        The width used, in standard deviations of the inputs; None of a kernel without.
    input_scale_ : ndarray of shape (n_features,)
        ``width_ / input_scale_`` is the width in the units of X; 0 of an input that is constant and took no
        part.
    log_evidence_ : float
        Comparable between kernels and widths, nats.
    trials_ : list of dict
        What the search of the width tried: ``parameters``, ``log_evidence``, ``num_vectors``.
    bound_ : float
        Lower bound on the log evidence of the chosen vectors, nats; of several classes the sum.
    bound_history_ : ndarray of shape (n_sweeps,), or a list of them, one a class
    n_iter_ : int
        Sweeps.
    converged_ : bool
    status_ : str
        "converged", "max_sweeps", "stopped_by_user", or what went wrong.
    notes_ : list of str
        What was decided for you, and why.
    posterior_ : Posterior
        Of one machine: ``posterior_.sample(n, random_state)`` draws weights and intercepts.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,), str
        Only if X has column names that are all strings.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        The fit did not converge.
    ardvark.ArdvarkWarning
        What one should know before trusting the result.

    References
    ----------
    M. E. Tipping (2001), Sparse Bayesian learning and the relevance vector machine, Journal of Machine
    Learning Research 1. C. M. Bishop and M. E. Tipping (2000), Variational relevance vector machines, UAI.
    M. E. Tipping and A. C. Faul (2003), Fast marginal likelihood maximisation for sparse Bayesian models,
    AISTATS.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import RelevanceVectorRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi) + 0.1 * rng.normal(size=100)
    >>> model = RelevanceVectorRegressor().fit(X, y)
    >>> len(model.support_) < 20
    True
    >>> mean, std = model.predict([[0.0]], return_std=True)
    >>> bool(abs(mean[0] - 1) < 0.15)
    True
    """

    _options: ClassVar[dict[str, str]] = {
        "kernel": "kernel",
        "width": "width",
        "degree": "degree",
        "offset": "offset",
        "input_group": "input_group",
        "algorithm": "algorithm",
        "centres": "centres",
        "standardize": "standardize",
        "alpha_1": "a0",
        "alpha_2": "b0",
        "lambda_1": "c0",
        "lambda_2": "d0",
        "max_iter": "max_sweeps",
        "n_jobs": "threads",
    }

    def __init__(
        self,
        kernel: str = "gaussian",
        *,
        width: Width = "auto",
        degree: Optional[int] = None,
        offset: Optional[float] = None,
        input_group: Optional[Sequence[int]] = None,
        algorithm: str = "variational",
        centres: Union[str, int] = "all",
        standardize: bool = True,
        alpha_1: Optional[float] = None,
        alpha_2: Optional[float] = None,
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        max_iter: Optional[int] = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self.kernel = kernel
        self.width = width
        self.degree = degree
        self.offset = offset
        self.input_group = input_group
        self.algorithm = algorithm
        self.centres = centres
        self.standardize = standardize
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RelevanceVectorRegressor:
        """Fits the machine.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs, finite.
        y : array-like of shape (n_samples,)
            Finite.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight equals repetition; >= 0, not all zero.

        Returns
        -------
        self : RelevanceVectorRegressor

        Raises
        ------
        ValueError
            An argument is wrong: the message names argument, value and constraint.
        """
        target = _name(y)
        X, y, weights, rows = self._checked(X, y, sample_weight, y_numeric=True)
        self._fit_model(X, y, weights, model="rvm", task="regression", target=target, **self._given_options())
        if rows is not None:
            self.support_ = rows[self.support_]
        return self

    def _take(self, model: _core.Model) -> None:
        super()._take(model)
        self.alpha_ = model.number("noise.shape") / model.number("noise.rate")


class RelevanceVectorClassifier(ClassifierMixin, Classifier, RelevanceMachine):
    """Relevance vector machine: classes that no line separates, as a sparse sum of kernels, with honest
    probabilities.

    No width has to be chosen. More than two classes: a machine for each against the rest.

    Parameters
    ----------
    kernel : {"gaussian", "laplacian", "cauchy", "linear", "polynomial", "spline"}, default="gaussian"
        "gaussian" is exp(-|x - c|^2 / width^2).
    width : "auto", "each", float or array-like of shape (n_features,), default="auto"
        Of the kernel, in standard deviations of the inputs (in their units without ``standardize``), > 0.
        "auto" maximises the evidence over one width, "each" over a width for every input: those of small
        widths matter.
    degree : int, default=None
        Of the polynomial kernel, 1 or more.
    offset : float, default=None
        Of the polynomial kernel, 0 or more.
    input_group : array-like of shape (n_features,), int, default=None
        Inputs of one number share a width of width="each".
    algorithm : {"variational", "plain", "type-two"}, default="variational"
        "type-two" is the maximum likelihood of Tipping and Faul, without hyper-priors; "plain" the published
        variational sweeps, slow.
    centres : "all" or int, default="all"
        Rows that may become relevance vectors; a number: so many, chosen to represent the rest.
    standardize : bool, default=True
        Whether inputs are centred and scaled inside.
    likelihood : {"vg", "jj", "laplace"}, default="vg"
        Of the last sweeps: the exact Gaussian variational posterior, the Jaakkola-Jordan bound, or Laplace's
        approximation.
    lambda_1, lambda_2 : float, default=None
        Shape and rate of the Gamma prior of the weights' precisions, > 0.
    max_iter : int, default=None
        Most sweeps, 1 or more.
    n_jobs : int, default=None
        Threads of the linear algebra; -1 for all cores.
    verbose : int, default=0
        1: a progress bar for work over a second.
    callback : callable, default=None
        Called after each sweep with an object of ``sweep``, ``bound`` (nats), ``elapsed_seconds``; False
        stops the fit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, ascending.
    relevance_vectors_ : ndarray of shape (n_vectors, n_features)
        In the units of X.
    support_ : ndarray of shape (n_vectors,), int
        The training rows that these are, from 0.
    dual_coef_, dual_coef_std_ : ndarray of shape (n_machines, n_vectors)
        Posterior mean and standard deviation of the weights: one machine of a regression or two classes, else
        one for each class against the rest, with 0 where it does not use a vector.
    intercept_, intercept_std_ : ndarray of shape (n_machines,)
    sigma_ : ndarray of shape (n_vectors, n_vectors)
        Posterior covariance of the weights of one machine. Formed when asked for.
    lambda_ : ndarray of shape (n_machines, n_vectors)
        Mean precision of each weight, of kernel columns scaled to standard deviation 1; infinite where a
        machine does not use a vector.
    relevance_ : ndarray of shape (n_machines, n_vectors)
        In [0, 1]: 1, the data determine the weight, 0, the prior does.
    kernel_ : str
        With the parameters that were used.
    width_ : float, ndarray of shape (n_features,) or None
        The width used, in standard deviations of the inputs; None of a kernel without.
    input_scale_ : ndarray of shape (n_features,)
        ``width_ / input_scale_`` is the width in the units of X; 0 of an input that is constant and took no
        part.
    log_evidence_ : float
        Comparable between kernels and widths, nats.
    trials_ : list of dict
        What the search of the width tried: ``parameters``, ``log_evidence``, ``num_vectors``.
    bound_ : float
        Lower bound on the log evidence of the chosen vectors, nats; of several classes the sum.
    bound_history_ : ndarray of shape (n_sweeps,), or a list of them, one a class
    n_iter_ : int
        Sweeps.
    converged_ : bool
    status_ : str
        "converged", "max_sweeps", "stopped_by_user", or what went wrong.
    notes_ : list of str
        What was decided for you, and why.
    posterior_ : Posterior
        Of one machine: ``posterior_.sample(n, random_state)`` draws weights and intercepts.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,), str
        Only if X has column names that are all strings.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        The fit did not converge.
    ardvark.ArdvarkWarning
        What one should know before trusting the result.

    References
    ----------
    M. E. Tipping (2001), Sparse Bayesian learning and the relevance vector machine, Journal of Machine
    Learning Research 1. C. M. Bishop and M. E. Tipping (2000), Variational relevance vector machines, UAI.
    M. E. Tipping and A. C. Faul (2003), Fast marginal likelihood maximisation for sparse Bayesian models,
    AISTATS.

    Examples
    --------
    >>> from ardvark import RelevanceVectorClassifier
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(120, noise=0.2, random_state=0)
    >>> model = RelevanceVectorClassifier().fit(X, y)
    >>> model.score(X, y) > 0.9, len(model.support_) < 20
    (True, True)
    """

    _options: ClassVar[dict[str, str]] = {
        "kernel": "kernel",
        "width": "width",
        "degree": "degree",
        "offset": "offset",
        "input_group": "input_group",
        "algorithm": "algorithm",
        "centres": "centres",
        "standardize": "standardize",
        "likelihood": "likelihood",
        "lambda_1": "a0",
        "lambda_2": "b0",
        "max_iter": "max_sweeps",
        "n_jobs": "threads",
    }

    def __init__(
        self,
        kernel: str = "gaussian",
        *,
        width: Width = "auto",
        degree: Optional[int] = None,
        offset: Optional[float] = None,
        input_group: Optional[Sequence[int]] = None,
        algorithm: str = "variational",
        centres: Union[str, int] = "all",
        standardize: bool = True,
        likelihood: str = "vg",
        lambda_1: Optional[float] = None,
        lambda_2: Optional[float] = None,
        max_iter: Optional[int] = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[_core.Progress], Any]] = None,
    ):
        self.kernel = kernel
        self.width = width
        self.degree = degree
        self.offset = offset
        self.input_group = input_group
        self.algorithm = algorithm
        self.centres = centres
        self.standardize = standardize
        self.likelihood = likelihood
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    @property
    def _has_joint_posterior(self) -> bool:
        return self.classes_.size == 2

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RelevanceVectorClassifier:
        """Fits the machine.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs, finite.
        y : array-like of shape (n_samples,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight equals repetition; >= 0, not all zero.

        Returns
        -------
        self : RelevanceVectorClassifier

        Raises
        ------
        ValueError
            An argument is wrong: the message names argument, value and constraint.
        """
        target = _name(y)
        X, y, weights, rows = self._checked(X, y, sample_weight)
        codes = self._encoded(y)
        names = [str(label) for label in self.classes_]
        self._fit_model(
            X,
            codes,
            weights,
            model="rvm",
            task="classification",
            class_names=names,
            target=target,
            **self._given_options(),
        )
        if rows is not None:
            self.support_ = rows[self.support_]
        return self
