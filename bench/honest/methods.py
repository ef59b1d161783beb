"""The methods: how each one is fitted, and its results for new rows and coefficients.

Only `fit(X, y)` of a method is timed. `read(model, X, y, X_new, y_new)` fills an Answer; a result that the method does not have stays None.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
from scipy.stats import norm
from sklearn.linear_model import ARDRegression, BayesianRidge, ElasticNetCV, LassoCV, LogisticRegressionCV, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ardvark import BayesianLinearRegression, BayesianLogisticRegression

HERE = Path(__file__).resolve().parent
LEVEL = 0.95
HALF = norm.ppf(0.5 + 0.5 * LEVEL)


@dataclass
class Answer:
    mean: Optional[np.ndarray] = None  # [m] of y
    interval: Optional[np.ndarray] = None  # [m, 2] interval of a new y
    log_density: Optional[np.ndarray] = None  # [m] of y_new; for classes its log probability
    probability: Optional[np.ndarray] = None  # [m, classes]
    signal: Optional[np.ndarray] = None  # [m, 2] interval of x'w plus the intercept
    coef: Optional[np.ndarray] = None  # [p, 2] intervals
    noise_sd: float = np.nan
    selected: Optional[np.ndarray] = None  # [p] bool
    inclusion: Optional[np.ndarray] = None  # [p] probabilities
    direction: Optional[np.ndarray] = None  # [p] P(w_j > 0)
    bound: float = np.nan
    seconds: Optional[float] = None  # if the method measures its own time


@dataclass(frozen=True)
class Method:
    fit: Callable[[np.ndarray, np.ndarray], Any]
    read: Callable[..., Answer]
    max_columns: float = np.inf  # with more columns it is not run, because it would take too long
    is_there: Callable[[], bool] = lambda: True


def around(mean, sd):
    return np.column_stack([mean - HALF * sd, mean + HALF * sd])


def normal_log_density(y, mean, sd):
    return norm.logpdf(y, mean, sd)


def standardised(estimator):
    return make_pipeline(StandardScaler(), estimator)


# ---- ours


def noise_variance(model, p):
    """The variance of the noise: that of a new observation at the origin, minus that of the intercept."""
    _, sd = model.predict(np.zeros((1, p)), return_std=True)
    return sd[0] ** 2 - model.intercept_std_**2


def selection(model):
    """The columns that the prior kept, and the inclusion probabilities. None if the prior does not have them."""
    inclusion = getattr(model, "inclusion_", None)
    if inclusion is not None:
        return np.atleast_2d(model.support_).any(axis=0), np.atleast_2d(inclusion).max(axis=0)  # several classes: the largest
    return (np.ravel(model.support_), None) if model.prior == "ard" else (None, None)


def direction(model):
    """P(w_j > 0): from the probability of direction of the model or, if it has none, from a normal distribution."""
    coef, said = np.ravel(model.coef_), getattr(model, "direction_", None)
    said = norm.cdf(np.abs(coef) / np.ravel(model.coef_std_)) if said is None else np.ravel(said)
    return np.where(coef > 0, said, 1 - said)


def read_ours(model, X, y, X_new, y_new):
    mean, sd = model.predict(X_new, return_std=True)
    noise = noise_variance(model, X.shape[1])
    selected, inclusion = selection(model)
    return Answer(
        mean=mean,
        interval=model.predict_interval(X_new, LEVEL),
        log_density=model.log_density(X_new, y_new),
        signal=around(mean, np.sqrt(np.maximum(sd**2 - noise, 0))),
        coef=model.coef_interval(LEVEL),
        noise_sd=model.alpha_**-0.5,
        selected=selected,
        inclusion=inclusion,
        direction=direction(model),
        bound=model.bound_,
    )


def read_our_classes(model, X, y, X_new, y_new):
    answer = Answer(probability=model.predict_proba(X_new), log_density=model.log_density(X_new, y_new), bound=model.bound_)
    answer.selected, answer.inclusion = selection(model)
    if len(model.classes_) == 2:
        answer.coef = model.coef_interval(LEVEL)[0]
        answer.direction = direction(model)
        answer.signal = around(*score(model, X_new))
    return answer


def score(model, X):
    """Mean and standard deviation of x'w plus the intercept."""
    if hasattr(model, "predict_score"):
        return model.predict_score(X)
    ones = np.column_stack([X, np.ones(len(X))])
    posterior = model.posterior_
    return ones @ posterior.mean, np.sqrt(np.einsum("ij,ij->i", ones @ posterior.covariance, ones))


def ours(prior, classes=False):
    if not classes:
        return Method(lambda X, y: BayesianLinearRegression(prior=prior).fit(X, y), read_ours)

    def fit(X, y):
        several = prior == "sparse" and len(np.unique(y)) > 2  # it applies only to two classes: each class against the others
        return BayesianLogisticRegression(prior=prior, coding="one-against-rest" if several else "softmax").fit(X, y)

    return Method(fit, read_our_classes)


# ---- scikit-learn, every column standardised


def read_bayesian(model, X, y, X_new, y_new):
    """A normal distribution with the fitted covariance of the weights and the fitted noise, as in its predict()."""
    mean, sd = model.predict(X_new, return_std=True)
    last, scale = model[-1], model[0].scale_
    variance = np.zeros(X.shape[1])
    kept = np.ones(X.shape[1], bool)
    if isinstance(last, ARDRegression):  # sigma_ is only for the columns that it kept
        kept = last.lambda_ < last.threshold_lambda
    variance[kept] = np.diag(last.sigma_)
    return Answer(
        mean=mean,
        interval=around(mean, sd),
        log_density=normal_log_density(y_new, mean, sd),
        signal=around(mean, np.sqrt(np.maximum(sd**2 - 1 / last.alpha_, 0))),
        coef=around(last.coef_ / scale, np.sqrt(variance) / scale),
        noise_sd=last.alpha_**-0.5,
        selected=kept if isinstance(last, ARDRegression) else None,
    )


def read_validated(model, X, y, X_new, y_new):
    """It has no intervals. It gets a normal distribution around the prediction, with the cross-validated error at the chosen penalty."""
    mean, last = model.predict(X_new), model[-1]
    error = -last.best_score_ if isinstance(last, RidgeCV) else np.min(np.mean(last.mse_path_, axis=-1))
    return Answer(
        mean=mean,
        interval=around(mean, np.sqrt(error)),
        log_density=normal_log_density(y_new, mean, np.sqrt(error)),
        selected=None if isinstance(last, RidgeCV) else last.coef_ != 0,
    )


def read_classes(model, X, y, X_new, y_new):
    log = model.predict_log_proba(X_new)
    return Answer(
        probability=np.exp(log),
        log_density=log[np.arange(len(y_new)), np.searchsorted(model.classes_, y_new)],
        selected=(model[-1].coef_ != 0).any(axis=0) if model[-1].l1_ratios == (1,) else None,
    )


def cross_validated_classes(l1_ratio, Cs):
    """C is chosen by log loss. The ten values of scikit-learn, a factor of 8 apart, are too few for a fair comparison.

    liblinear accepts only two classes, and penalises the intercept a little.
    """

    def fit(X, y):
        two = len(np.unique(y)) == 2
        solver = "lbfgs" if l1_ratio == 0 else "liblinear" if two else "saga"
        more = {"intercept_scaling": 10.0, "random_state": 0} if solver == "liblinear" else {}
        cv = LogisticRegressionCV(
            Cs=Cs,
            l1_ratios=(l1_ratio,),
            cv=5,
            solver=solver,
            scoring="neg_log_loss",
            max_iter=5000,
            use_legacy_attributes=False,
            **more,
        )
        return standardised(cv).fit(X, y)

    return Method(fit, read_classes)


# ---- R


@lru_cache(maxsize=None)
def has_susie():
    try:
        return subprocess.run(["Rscript", "-e", "library(susieR)"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def fit_susie(X, y):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.asfortranarray(X).T.tofile(folder / "X")
        y.tofile(folder / "y")
        subprocess.run(["Rscript", HERE / "susie.R", folder, *map(str, X.shape)], check=True, capture_output=True)
        out = {path.stem: np.fromfile(path) for path in folder.glob("*.out")}
    shape = (X.shape[1], -1)
    return {name: x.reshape(shape) if name in ("mean", "second") else x for name, x in out.items()}


def read_susie(model, X, y, X_new, y_new):
    """mean, second [p, L]: first and second moments of each effect. Effects are independent; only one column of an effect is not 0."""
    first, second = model["mean"], model["second"]
    centred = X_new - X.mean(axis=0)
    mean = y.mean() + centred @ first.sum(axis=1)
    variance = centred**2 @ second.sum(axis=1) - ((centred @ first) ** 2).sum(axis=1)
    noise = model["noise"][0]
    sd = np.sqrt(np.maximum(variance, 0) + noise)
    return Answer(
        mean=mean,
        interval=around(mean, sd),
        log_density=normal_log_density(y_new, mean, sd),
        signal=around(mean, np.sqrt(np.maximum(variance, 0))),
        coef=around(first.sum(axis=1), np.sqrt((second - first**2).sum(axis=1))),
        noise_sd=np.sqrt(noise),
        selected=model["inclusion"] > 0.5,
        inclusion=model["inclusion"],
        bound=model["bound"][0],
        seconds=model["seconds"][0],
    )


REGRESSION = {
    "shared": ours("shared"),
    "ard": ours("ard"),
    "sparse": ours("sparse"),
    "LassoCV": Method(lambda X, y: standardised(LassoCV(cv=5)).fit(X, y), read_validated),
    "RidgeCV": Method(lambda X, y: standardised(RidgeCV(alphas=np.logspace(-2, 6, 33))).fit(X, y), read_validated),
    "ElasticNetCV": Method(lambda X, y: standardised(ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9], cv=5)).fit(X, y), read_validated),
    "BayesianRidge": Method(lambda X, y: standardised(BayesianRidge()).fit(X, y), read_bayesian),
    "ARDRegression": Method(lambda X, y: standardised(ARDRegression()).fit(X, y), read_bayesian, max_columns=2000),
    "susieR": Method(fit_susie, read_susie, is_there=has_susie),
}

CLASSES = {
    "shared": ours("shared", classes=True),
    "ard": ours("ard", classes=True),
    "sparse": ours("sparse", classes=True),
    "LogisticRegressionCV L1": cross_validated_classes(1, np.logspace(-2.5, 2, 19)),
    "LogisticRegressionCV L2": cross_validated_classes(0, np.logspace(-5, 2, 29)),
}

SMALL = ["sparse", "LassoCV", "RidgeCV", "LogisticRegressionCV L1", "LogisticRegressionCV L2"]  # the methods for small tables
SELECTING = ["sparse", "LassoCV", "LogisticRegressionCV L1"]  # those of them that select columns
