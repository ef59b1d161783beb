"""What docstrings share: each entry is written here once, and `assembled` puts it where a docstring names it.

A line ``{max_iter, n_jobs}`` stands for these two entries, ``{kernel.width}`` for that of the relevance vector
machines, ``{classes.coef_}`` for that of the classifiers.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import TypeVar

T = TypeVar("T", bound=type)

_ENTRIES = {
    "": """
X : array-like or table of shape (n_samples, n_features)
    Finite.
y : array-like of shape (n_samples,)
    Finite.
sample_weight : array-like of shape (n_samples,), default=None
    A weight equals repetition; >= 0, not all zero.
level : float, default=0.95
    In (0, 1).
random_state : int, RandomState instance or None, default=None
    Of the generator; an int gives the same draws each time.
label : ndarray of shape (n_samples,)
    Elements of ``classes_``.
log_density : ndarray of shape (n_samples,)
    Nats.
self : the estimator
    Fitted.
ValueError
    An argument is wrong: the message names argument, value and constraint.
fit_intercept : bool, default=True
    Whether there is an intercept; it has no prior.
flat : list of int or str, default=None
    Columns without a prior.
lambda_1, lambda_2 : float, default=None
    Shape and rate of the Gamma prior of the weights' precisions, > 0.
lambda_init : float or array-like of shape (n_features,), default=None
    Precisions of the weights to begin with, > 0.
prune_at : float, default=None
    Precision at which a column leaves the computation.
max_iter : int, default=None
    Most sweeps, 1 or more.
tol : float, default=None
    Stop when the bound can gain no more than this, nats a row; under a sparse prior when it moves by less, nats.
n_jobs : int, default=None
    Threads, which do not change the result; -1 for all cores.
diagnose : bool, default=False
    Whether to say, as ``khat_``, how far the posterior is from the exact one; of two classes, of several with
    ``coding="one-against-rest"``, and of relevance vector machines. 4000 draws are taken, the same ones each time. Above ``khat_threshold_`` a warning says what is amiss.
verbose : int, default=0
    1: a progress bar for work over a second.
callback : callable, default=None
    Called after each sweep with an object of ``sweep``, ``bound`` (nats), ``elapsed_seconds``; False
    stops the fit.
sigma_ : ndarray of shape (n_features, n_features)
    Posterior covariance of the coefficients. Formed when asked for.
relevance_ : ndarray of shape (n_features,)
    In [0, 1]: 1, the data determine the coefficient, 0, the prior does; under a sparse prior ``inclusion_``.
direction_ : ndarray of shape (n_features,)
    In [.5, 1]: probability that a coefficient has the sign of its mean, half of that of 0 included.
bound_history_, scores_ : ndarray of shape (n_iter_,)
    The bound after each sweep, nats. It never falls, but by rounding, except under sparse priors of classes and
    where it is Laplace's approximation, as of a softmax (BOUND.5).
n_iter_ : int
    Sweeps.
converged_ : bool
    Whether ``status_`` is "converged".
status_ : str
    "converged", "max_sweeps", "stopped_by_user", or what went wrong.
notes_ : list of str
    What was decided for you, and why.
khat_ : float
    With ``diagnose=True``: the shape of the tail of importance ratios (Vehtari et al. 2024). Up to 0.5 the posterior
    is close to the exact one, up to ``khat_threshold_`` (0.7) it is usable, above intervals and probabilities may be too sure.
khat_given_precisions_ : float
    Likewise, were the precisions of the weights known: how good a normal distribution is by itself.
khat_effective_share_ : float
    With ``diagnose=True``: share of the draws that count, in (0, 1]. Near 1 ``khat_`` is of the far tails alone.
effective_parameters_ : float
    Sum of the relevances, the intercept's included: how many parameters the data determine.
n_features_in_ : int
    Columns of X.
feature_names_in_ : ndarray of shape (n_features_in_,), str
    Only if X has column names that are all strings.
sklearn.exceptions.ConvergenceWarning
    The fit did not converge.
ardvark.ArdvarkWarning
    What one should know before trusting the result.
""",
    "fit": """
X : array-like or table of shape (n_samples, n_features)
    Finite. float64 and float32 arrays are read where they lie.
""",
    "sparse": """
inclusion_ : ndarray of shape (n_features,)
    Under a sparse prior: posterior probability that a column has an effect of its own.
undecided_ : ndarray of shape (n_features,), bool
    Under a sparse prior: columns of which the data do not say whether they have an effect of their own. Their
    inclusion is above one half under one hypothesis and not under the other; or it is above, and the sign is not
    known to 97.5%.
dense_fraction_ : float
    Under a sparse prior: what many small effects explain, over that and the noise; in [0, 1).
starts_ : list of dict
    Under a sparse prior: what was averaged. Of up to 20 columns: no small effects, and small effects, each over its
    hyper-parameters; of more: where the fit began, and what came of it.
start_bounds_ : ndarray of shape (n_starts,)
    Under a sparse prior: the bound of each, nats.
start_weights_ : ndarray of shape (n_starts,)
    Under a sparse prior: the share of each in the average; they sum to 1.
alternatives_ : list of Alternatives
    Under a sparse prior: for each probable effect the columns that it may be of (``columns``, ``probability``,
    ``inclusion``).
""",
    "classes": """
y : array-like of shape (n_samples,)
    Labels of two classes or more.
classes_ : ndarray of shape (n_classes,)
    The labels, ascending.
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Posterior mean, change of the log odds per unit of the column; of two classes in favour of
    ``classes_[1]``; "one-against-one" has a row for each pair of classes.
intercept_ : ndarray of shape (1,) or (n_classes,)
    Log odds where every column is 0.
coef_std_, intercept_std_ : ndarray of the same shapes
    Posterior standard deviation; 0 of a column that was pruned.
sigma_ : ndarray of shape (coef_.size, coef_.size)
    Posterior covariance of the coefficients in the order of ``coef_.ravel()``; of a softmax of those that sum
    to zero over the classes. Formed when asked for.
lambda_ : float or ndarray of shape (n_features,) or (n_classes, n_features)
    Mean precision of the weights, of columns as they are scaled inside; a float under a shared prior, 0
    of a flat column, infinite for one that took no part. Of an L1 prior its lambda; None under a sparse prior,
    which has none.
relevance_ : ndarray of shape (n_features,) or (n_classes, n_features)
    In [0, 1]: 1, the data determine the coefficient, 0, the prior does; under a sparse prior the probability
    of an effect of its own.
direction_ : ndarray of shape (n_features,) or (n_classes, n_features)
    In [.5, 1]: probability that a coefficient has the sign of its mean, half of that of 0 included.
support_ : ndarray of shape (n_features,), bool
    Columns that are kept, for one class at least: under a sparse prior those with an inclusion above one half
    that are not undecided.
bound_ : float
    Lower bound on the log evidence, nats (softmax: Laplace's approximation of it; L1: the log density at
    the mode).
bound_comparable_ : bool
    Whether ``bound_`` can be compared with that of a fit under another prior: every column has one, and it is
    not L1 (CMP.3).
posterior_ : Posterior
    ``posterior_.sample(n, random_state)`` draws coefficients and intercepts.
""",
    "sequential": """
sample_weight : array-like of shape (n_samples,), default=None
    So many copies of a row, which are absorbed at once; >= 0, not only whole ones. Not quite the same as
    the copies one after the other: the result depends on the order of rows, theirs too.
""",
    "kernel": """
kernel : {"gaussian", "laplacian", "cauchy", "linear", "polynomial", "spline"}, default="gaussian"
    "gaussian" is exp(-|x - c|^2 / width^2).
width : "auto", "each", float or array-like of shape (n_features,), default="auto"
    Of the kernel, in standard deviations of the inputs (in their units without ``standardize``), > 0.
    "auto" is the width of the highest evidence that a search finds, "each" the same with a width for every
    input: those of small widths matter.
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
relevance_vectors_ : ndarray of shape (n_vectors, n_features)
    In the units of X.
support_ : ndarray of shape (n_vectors,), int
    The training rows that these are, from 0.
dual_coef_, dual_coef_std_ : ndarray of shape (n_machines, n_vectors)
    Posterior mean and standard deviation of the weights: one machine of a regression or two classes, else
    one for each class against the rest, with 0 where it does not use a vector.
intercept_, intercept_std_ : ndarray of shape (n_machines,)
    Posterior mean and standard deviation, in the units of the target or of log odds.
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
    The bound after each sweep, nats.
posterior_ : Posterior
    Of one machine: ``posterior_.sample(n, random_state)`` draws weights and intercepts.
""",
}


def _table() -> dict[str, str]:
    """An entry begins where a line is not indented; its name is the first word."""
    table = {}
    for group, text in _ENTRIES.items():
        for entry in re.split(r"\n(?=\S)", text.strip()):
            name = re.split(r"[ ,\n]", entry, maxsplit=1)[0]
            table[f"{group}.{name}" if group else name] = entry
    return table


_TABLE = _table()
_NAMES = re.compile(r"^( *)\{([\w., ]+)\}$", re.MULTILINE)


def _filled(text: str) -> str:
    def entries(match: re.Match[str]) -> str:
        return "\n".join(textwrap.indent(_TABLE[name.strip()], match[1]) for name in match[2].split(","))

    return _NAMES.sub(entries, text)


def assembled(cls: T) -> T:
    """Fills in the docstrings of a class and of its own methods."""
    for thing in (cls, *vars(cls).values()):
        thing = getattr(thing, "__func__", thing)  # of a classmethod
        if (inspect.isfunction(thing) or thing is cls) and thing.__doc__:
            thing.__doc__ = _filled(thing.__doc__)
    return cls
