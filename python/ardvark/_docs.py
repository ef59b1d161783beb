"""The entries that docstrings share. Each is written here once, and `assembled` inserts it where a docstring names it.

A line ``{max_iter, n_jobs}`` is replaced by these two entries, ``{kernel.width}`` by the entry of the relevance vector
machines, and ``{classes.coef_}`` by the entry of the classifiers; ``{sections.warns}`` by a section,
and ``{examples.classes}`` by the beginning of an example.
"""

from __future__ import annotations

import re
import textwrap
from functools import cached_property
from types import FunctionType
from typing import TypeVar

T = TypeVar("T", bound=type)

_ENTRIES = {
    "": """
X : array-like or table of shape (n_samples, n_features)
    Finite numbers.
y : array-like of shape (n_samples,)
    Finite numbers.
sample_weight : array-like of shape (n_samples,), default=None
    >= 0, not all zero. A weight equals repetition of the row.
level : float, default=0.95
    Probability of the intervals, in (0, 1).
random_state : int, RandomState instance or None, default=None
    Random generator; an int gives the same draws each time.
label : ndarray of shape (n_samples,)
    Elements of ``classes_``.
log_density : ndarray of shape (n_samples,)
    In nats.
self : the estimator
    Fitted.
ValueError
    An argument is wrong. The message names the argument, the value and the constraint.
fit_intercept : bool, default=True
    Whether the model has an intercept; it has no prior.
laplace_lambda : float, default=None
    The penalty of prior="laplace", > 0, for standardised columns: 1/C of `sklearn.linear_model.LogisticRegression`, n_samples times
    alpha of Lasso. None: cross-validation chooses it; see ``lambda_path_``.
lambda_rule : {"min", "1se"}, default=None
    For prior="laplace" without ``laplace_lambda``: the lambda with the smallest loss in cross-validation (None means this), or the
    largest whose loss is at most one standard error above it, which keeps fewer columns.
folds : int, default=None
    For prior="laplace" without ``laplace_lambda``: number of folds, 2 or more; at most 100 for classes that are
    read in pieces. None: 10.
flat : list of int or str, default=None
    Columns without a prior.
lambda_1, lambda_2 : float, default=None
    Shape and rate of the Gamma prior of the precisions of the weights, > 0.
lambda_init : float or array-like of shape (n_features,), default=None
    Starting values for the precisions of the weights, > 0.
prune_at : float, default=None
    Precision at which a column leaves the computation.
max_iter : int, default=None
    Maximum number of sweeps, 1 or more.
tol : float, default=None
    The fit stops when the bound can gain no more than this, in nats per row; under a sparse prior, when the bound changes by less, in nats.
n_jobs : int, default=None
    Number of threads; -1 for all cores. The result does not depend on it.
diagnose : bool, default=False
    Whether to report in ``khat_`` how far the posterior is from the exact one. For counts, for Student-t noise, for two classes, for
    several classes with ``coding="one-against-rest"``, and for the classes of relevance vector machines. It takes 4000 draws, the same ones each time. Above ``khat_threshold_``, a warning names the cause.
fdr : float, default=None
    Under "sparse" and "slab", for regressions, counts and two classes: a false discovery rate, between 0 and 1. The fit then also finds what
    ``select`` needs, for this rate and any other.
guarantee : {"posterior", "knockoffs"}, default="posterior"
    With ``fdr``: why its rate holds. "posterior": on average over the prior. "knockoffs": whatever the effects are, if the columns are
    normal and their covariance is known; it is estimated. Then ``select`` names single columns, up to 1000 are read, and fewer effects
    are found. ``random_state`` is the seed of the knockoffs.
verbose : int, default=0
    1: if the work takes more than a second, it shows what it does, how far it is and, where this can be told, how much
    time is left: as a bar if tqdm is installed, otherwise as a line each second on standard error.
callback : callable, default=None
    Called after each sweep, and in a long step about twice a second, with an object that has ``stage`` ("preparing",
    "fitting" or "checking"), ``sweep``, ``bound`` (nats), ``done`` of ``total`` pieces (0 of 0 where none are
    counted), ``elapsed_seconds`` and ``seconds_left`` (None where it is not known). If it returns False, the fit stops.
sigma_ : ndarray of shape (n_features, n_features)
    Posterior covariance of the coefficients. Computed on first use. Of more than 10,000 weights: ``coef_covariance``.
relevance_ : ndarray of shape (n_features,)
    In [0, 1]. 1: the data determine the coefficient; 0: the prior does. Under a sparse prior the same as ``inclusion_``.
direction_ : ndarray of shape (n_features,)
    In [.5, 1]: probability that a coefficient has the sign of its mean, plus half the probability that it is 0.
bound_history_, scores_ : ndarray of shape (n_iter_,)
    The bound after each sweep, in nats. It never falls, except by rounding, under sparse priors for classes, and
    where it is Laplace's approximation, such as for a softmax (BOUND.5).
n_iter_ : int
    Number of sweeps.
converged_ : bool
    Whether ``status_`` is "converged".
status_ : str
    "converged", "max_sweeps", "stopped_by_user", or what went wrong.
notes_ : list of str
    What was decided for you, and why.
khat_ : float
    With ``diagnose=True``: the shape of the tail of the importance ratios (Vehtari et al. 2024). Up to 0.5, the posterior
    is close to the exact one. Up to ``khat_threshold_`` (0.7), it is usable. Above, intervals and probabilities may be too sure.
khat_given_precisions_ : float
    The same if the precisions of the weights were known: how good the normal distribution alone is.
khat_effective_share_ : float
    With ``diagnose=True``: share of the draws that count, in (0, 1]. If it is near 1, ``khat_`` describes only the far tails.
effective_parameters_ : float
    Number of parameters that the data determine: the sum of the relevances, with that of the intercept.
n_features_in_ : int
    Number of columns of X.
feature_names_in_ : ndarray of shape (n_features_in_,), str
    Only if X has column names that are all strings.
sklearn.exceptions.ConvergenceWarning
    The fit did not converge.
ardvark.ArdvarkWarning
    What you should know before you trust the result.
""",
    "report": """
path : str or path-like
    The file. It is written completely or not at all.
X : array-like or table of shape (n_samples, n_features), default=None
    Rows to compare with their predictions: those of the fit, or others. The page then has residuals and the share of rows in their
    intervals, or the calibration of the probabilities. Of more than 20,000 rows, every k-th is compared.
y : array-like of shape (n_samples,), default=None
    Their target, with X only. A value that is missing, or a class that the fit has not seen, leaves its row out.
title : str, default=None
    Heading of the page. None: what was fitted.
file : str or path-like, default=None
    The file that X comes from. The page then has its name and its SHA-256, instead of the SHA-256 of the numbers.
ValueError
    X does not have the columns of the fit, or only one of X and y is given.
OSError
    The file cannot be written.
""",
    "fit": """
X : array-like or table of shape (n_samples, n_features)
    Finite numbers; in a DataFrame of pandas or polars also texts, and true and false, which count as 1 and 0. Arrays of float64, float32, int8
    and bool, and of uint8 up to 127, are not copied. Linear regressions, classes and counts also take a matrix of scipy.sparse, or a DataFrame
    whose columns are all sparse: compressed columns are read in place, other forms are turned by columns once.
y : array-like of shape (n_samples,)
    Finite numbers. Leave it out with ``target``.
sample_weight : array-like of shape (n_samples,) or str, default=None
    >= 0, not all zero. A weight equals repetition of the row. A str names a column of X.
target : str, default=None
    If X is a DataFrame: the column of X that the model explains, instead of ``y``.
missing : {"refuse", "drop", "impute"}, default="refuse"
    Rows in which a value is missing: NaN, or None, NA and null in a DataFrame. "refuse": an error, which names row and column.
    "drop": they are left out. "impute": the gaps are filled several times, each column from the others and y, and the posterior
    is the average (MI.4); rows with gaps are predicted, too. For regressions and two classes. Under "drop" and "impute", rows
    without y are left out.
imputations : int, default=None
    With ``missing="impute"``: how often the gaps are filled, 5 or more; 20 by default.
random_state : int, default=None
    With ``missing="impute"``: the seed of the draws, 0 or more; 1 by default.
missing_information_ : ndarray of shape (n_features,)
    With ``missing="impute"``: the share of the information on each coefficient that is missing, in [0, 1] (MI.5).
reference : dict of str to str, default=None
    For text columns: ``{column: level}``, the level that the others are compared with. For the other text columns it is the
    level with the most rows.
standardize : bool, default=True
    Whether columns are centred and scaled inside. Results are in your units in any case.
update_rule : {"vb", "mackay"}, default="vb"
    How the precisions are updated; both rules have the same fixed points.
solver : {"automatic", "primal", "dual", "qr"}, default="automatic"
    "qr" is more exact if columns are nearly collinear; "automatic" takes it in this case.
bound_ : float
    Lower bound on the log evidence, in nats.
bound_comparable_ : bool
    Whether ``bound_`` can be compared with the bound of a fit under another prior: every column has a prior (CMP.3).
posterior_ : Posterior
    ``posterior_.sample(n, random_state)`` draws coefficients and intercepts.
columns_ : list of str
    The name of each coefficient. A text column has one for each level but the reference: "sex=male".
""",
    "dropping": """
missing : {"refuse", "drop"}, default="refuse"
    Rows in which a value is missing: NaN, or None, NA and null in a DataFrame. "refuse": an error, which names row and column.
    "drop": they are left out.
""",
    "sparse": """
inclusion_ : ndarray of shape (n_features,)
    Under a sparse prior: posterior probability that a column has an effect of its own.
undecided_ : ndarray of shape (n_features,), bool
    Under a sparse prior: columns for which the data do not decide whether they have an effect of their own. Their
    inclusion is above one half under one hypothesis and not under the other, or it is above one half but the sign is
    not known to 97.5%. A sign that is known to 99.9% decides.
dense_fraction_ : float
    Under a sparse prior: the variance that many small effects explain, divided by the sum of this variance and the noise; in [0, 1).
starts_ : list of dict
    Under a sparse prior: the parts of the average. With up to 20 columns (classes and counts with up to 30 rows: 100): no small effects, and
    small effects, each averaged over its hyper-parameters. With more columns: where each start began, and its result.
start_bounds_ : ndarray of shape (n_starts,)
    Under a sparse prior: the bound of each part, in nats.
start_weights_ : ndarray of shape (n_starts,)
    Under a sparse prior: the weight of each part in the average; they sum to 1.
alternatives_ : list of Alternatives
    Under a sparse prior: for each probable effect, the columns that may have it (``columns``, ``probability``,
    ``inclusion``).
""",
    "classes": """
y : array-like of shape (n_samples,)
    Labels of two or more classes. The texts "true", "TRUE" and "True" together are one label, True.
classes_ : ndarray of shape (n_classes,)
    The labels in ascending order.
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Posterior mean: change of the log odds per unit of the column. With two classes, these are the log odds of
    ``classes_[1]``. "one-against-one" has a row for each pair of classes.
intercept_ : ndarray of shape (1,) or (n_classes,)
    Log odds where every column is 0.
coef_std_, intercept_std_ : ndarray of the same shapes
    Posterior standard deviation; 0 for a pruned column. Of a column that a fit of very many columns does not follow: of an effect that
    may be there, with the probability ``inclusion_``.
sigma_ : ndarray of shape (coef_.size, coef_.size)
    Posterior covariance of the coefficients in the order of ``coef_.ravel()``. For a softmax, the covariance of the
    coefficients that sum to zero over the classes. Computed on first use. Of more than 10,000 weights: ``coef_covariance``.
lambda_ : float or ndarray of shape (n_features,) or (n_classes, n_features)
    Mean precision of the weights, for columns as they are scaled inside. A float under a shared prior; 0 for a flat
    column; infinite for a column that was left out. Under an L1 prior its lambda; under a sparse prior None, because
    it has no precisions.
relevance_ : ndarray of shape (n_features,) or (n_classes, n_features)
    In [0, 1]. 1: the data determine the coefficient; 0: the prior does. Under a sparse prior, the probability
    that the column has an effect of its own.
direction_ : ndarray of shape (n_features,) or (n_classes, n_features)
    In [.5, 1]: probability that a coefficient has the sign of its mean, plus half the probability that it is 0.
support_ : ndarray of shape (n_features,), bool
    Columns that are kept, with several classes for at least one. Under a sparse prior: those with an inclusion above
    one half that are not undecided, and those with a ``direction_`` of .999 or more. The levels of a text column, or the
    columns of a group, are kept together: by their inclusion, or if one sign is known so well. Under "ard": the mean of coef^2 / (sd^2 relevance) over the classes of a
    softmax, and over the levels of a text column, is above 2.
bound_ : float
    Lower bound on the log evidence, in nats. (Softmax: Laplace's approximation of the log evidence; L1: the log
    density at the mode.)
bound_comparable_ : bool
    Whether ``bound_`` can be compared with the bound of a fit under another prior: every column has a prior, and the
    prior is not L1 (CMP.3).
posterior_ : Posterior
    ``posterior_.sample(n, random_state)`` draws coefficients and intercepts.
""",
    "sequential": """
sample_weight : array-like of shape (n_samples,), default=None
    Number of copies of a row, >= 0, not necessarily an integer. The copies are absorbed together. This is not quite
    the same as absorbing them one after the other, because the result depends on the order of the rows.
""",
    "draws": """
n_samples : int, default=1
    Number of draws, 1 or more.
""",
    "process": """
kernel : {"auto", "gaussian", "laplacian", "cauchy", "matern32", "matern52"}, default="auto"
    "auto" averages over gaussian and cauchy by their evidence. "gaussian" is exp(-|x - c|^2 / width^2).
width : "auto", "shared", "each", float or array-like of shape (n_features,), default="auto"
    Width of the kernel: the distance over which the function changes. "shared" finds one width, "each" a width for every input;
    "auto" averages over both by their evidence. A number, > 0, is in standard deviations of the inputs (without ``standardize``,
    in units of the inputs).
input_group : array-like of shape (n_features,), int, default=None
    Inputs with the same number share a width.
centres : "auto", "all" or int, default="auto"
    Rows in whose features the process is computed (KM.7): "auto" takes all up to 2000 rows, else 300. With fewer centres than rows
    there is one kernel with one set of widths, and the centres are the vectors.
vectors : "auto", "all" or int, default="auto"
    Rows that the fitted model keeps. "auto": few whose predictions are within ``divergence``. "all": every row that adds
    anything. A number, 1 or more: at most so many; with several classes, for each of them.
divergence : float, default=0.01
    How far the predictions of the kept rows may be from those of all rows, > 0, in nats per row (KM.6).
averaging : bool, default=True
    Whether to average over the hyper-parameters that the evidence leaves open. False takes half the time; with few rows, intervals
    are then too narrow.
linear_part : bool, default=False
    Whether the function is, besides that of the kernel, a straight line in each feature, which goes on outside the data (KM.11).
    How much of it is a line comes from the evidence: see ``linear_share`` in ``hypotheses_``.
hypotheses_ : list of dict
    What predictions average over: ``kernel``, ``width`` ("shared" or "each"), ``widths``, ``interval`` (95%, of each width),
    ``signal`` (variance of the function in units of the noise variance), ``linear_share`` (of the linear part in it), ``weight``
    (they sum to 1) and ``log_evidence``. Widths are in the units of X with "each" and with a single input, else in standard
    deviations. Several classes: a list for each class.
relevance_vectors_ : ndarray of shape (n_vectors, n_features)
    The rows that the model keeps, in the units of X.
support_ : ndarray of shape (n_vectors,), int
    Positions of these rows among the training rows, from 0.
divergence_ : float
    How far the predictions of the kept rows are from those of all rows, in nats per row; NaN with centres. Several classes: the
    largest one of a class against the rest (the probabilities of all classes together may differ by about twice as much).
variance_share_ : ndarray of shape (n_columns,)
    Regressions and two classes: the share of the variance of the function (classes: of the score) that each input explains by itself,
    if inputs are independent (KM.9). By sampling: the second digit is uncertain. What is missing to 1 are interactions.
odds_power_ : float
    Three classes or more: with p the probability of a class against the rest, classes are predicted in proportion to
    p / (1 - p)^odds_power_, in [0, 1] (KM.12). Near 0, the classes overlap; 1: they hardly do.
input_scale_ : ndarray of shape (n_features,)
    1 / standard deviation of each input; 0 for a constant input, which was left out.
log_evidence_ : float
    In nats, with the hyper-parameters integrated out; comparable between kernels.
""",
    "kernel": """
kernel : {"gaussian", "laplacian", "cauchy", "matern32", "matern52", "linear", "polynomial", "spline"}, default="gaussian"
    "gaussian" is exp(-|x - c|^2 / width^2).
width : "auto", "shared", "each", float or array-like of shape (n_features,), default="auto"
    Width of the kernel, > 0, in standard deviations of the inputs (without ``standardize``, in units of the inputs).
    "auto" and "shared" search for the width with the highest evidence. "each" does the same with one width for every
    input: inputs with small widths matter.
degree : int, default=None
    Degree of the polynomial kernel, 1 or more.
offset : float, default=None
    Offset of the polynomial kernel, 0 or more.
input_group : array-like of shape (n_features,), int, default=None
    With width="each": inputs with the same number share a width.
algorithm : {"variational", "plain", "type-two"}, default="variational"
    "type-two" is the type-II maximum likelihood of Tipping and Faul, without hyper-priors. "plain" is the published
    variational sweeps; it is slow.
centres : "all" or int, default="all"
    Rows that may become relevance vectors. A number: only this many rows, chosen to represent the others.
bands : {"published", "open"}, default="published"
    Uncertainty of predictions away from the data. "published": it does not grow. "open": it grows by the spread of the fitted
    values where no training row is near (KM.8); the curve is the same, and probabilities return towards the middle.
standardize : bool, default=True
    Whether inputs are centred and scaled inside.
relevance_vectors_ : ndarray of shape (n_vectors, n_features)
    The relevance vectors in the units of X.
support_ : ndarray of shape (n_vectors,), int
    Positions of the relevance vectors among the training rows, from 0.
dual_coef_, dual_coef_std_ : ndarray of shape (n_machines, n_vectors)
    Posterior mean and standard deviation of the weights. A regression and two classes have one machine. Several classes
    have one machine for each class against the rest. A weight is 0 if the machine does not use the vector.
intercept_, intercept_std_ : ndarray of shape (n_machines,)
    Posterior mean and standard deviation, in the units of the target or of log odds.
sigma_ : ndarray of shape (n_vectors, n_vectors)
    Posterior covariance of the weights, for a single machine. Computed on first use.
lambda_ : ndarray of shape (n_machines, n_vectors)
    Mean precision of each weight, for kernel columns scaled to standard deviation 1. Infinite if a machine does not
    use the vector.
relevance_ : ndarray of shape (n_machines, n_vectors)
    In [0, 1]. 1: the data determine the weight; 0: the prior does.
kernel_ : str
    The kernel with its parameters.
width_ : float, ndarray of shape (n_features,) or None
    The width in standard deviations of the inputs; None for a kernel without a width.
input_scale_ : ndarray of shape (n_features,)
    ``width_ / input_scale_`` is the width in the units of X. 0 for a constant input, which was left out.
log_evidence_ : float
    In nats; comparable between kernels and widths.
trials_ : list of dict
    What the search for the width tried: ``parameters``, ``log_evidence``, ``num_vectors``.
bound_ : float
    Lower bound on the log evidence of the chosen vectors, in nats; with several classes, the sum.
bound_history_ : ndarray of shape (n_sweeps,), or a list of them, one per class
    The bound after each sweep, in nats.
posterior_ : Posterior
    For a single machine: ``posterior_.sample(n, random_state)`` draws weights and intercepts.
""",
    "plot": """
ax : matplotlib Axes, default=None
    None: a new figure.
ax_ : matplotlib Axes
figure_ : matplotlib Figure
""",
    "dask": """
X : dask.dataframe.DataFrame, dask.array.Array, or what ``fit`` of `ardvark` takes
    The table.
y : dask.dataframe.Series, dask.array.Array of shape (n_samples,), or str
    The target, with the partitions of X; of a DataFrame also the name of its column.
sample_weight : as y, default=None
    Observation weights.
ValueError
    A value is wrong; the message names the partition, the row in it, and the column.
""",
    "dask.classes": """
y : dask.dataframe.Series, dask.array.Array of shape (n_samples,), or str
    The labels, with the partitions of X; of a DataFrame also the name of its column.
""",
    "dask.predict": """
X : dask.dataframe.DataFrame, dask.array.Array, or what ``predict`` of `ardvark` takes
    The rows.
return_std : bool, default=False
    Whether to return the standard deviations of new observations, too.
label : dask.dataframe.Series or dask.array.Array of shape (n_samples,)
    Computed when they are needed.
""",
    "dask.predict_proba": """
X : dask.dataframe.DataFrame, dask.array.Array, or what ``predict_proba`` of `ardvark` takes
    The rows.
""",
}

_PARTS = {  # whole sections, and beginnings of examples
    "sections.fit_numbers": """
Parameters
----------
{fit.X, fit.y, fit.sample_weight, fit.target}

{sections.fitted}
""",
    "sections.fit_linear": """
Parameters
----------
{fit.X}
y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
    Numbers; finite, but for gaps of several targets. The name of a column of X, if X is read in pieces.
{fit.sample_weight, fit.target}
out : ndarray of shape (n_targets, n_features), default=None
    Where ``coef_`` of several targets is written: float64 or float32, row by row; it may be mapped from a file. The array is
    ``coef_`` itself, and predictions read it: give each model that you keep an array of its own, and do not write into it.
out_std : ndarray of shape (n_targets, n_features), default=None
    The same for ``coef_std_``.

{sections.fitted}
""",
    "sections.fit_classes": """
Parameters
----------
{fit.X, classes.y, fit.sample_weight, fit.target}

{sections.fitted}
""",
    "sections.fitted": """
Returns
-------
{self}

Raises
------
{ValueError}
""",
    "sections.warns": """
Warns
-----
{sklearn.exceptions.ConvergenceWarning, ardvark.ArdvarkWarning}
""",
    "sections.relevance_vector_machines": """
{sections.warns}

References
----------
M. E. Tipping (2001), Sparse Bayesian learning and the relevance vector machine, Journal of Machine
Learning Research 1. C. M. Bishop and M. E. Tipping (2000), Variational relevance vector machines, UAI.
M. E. Tipping and A. C. Faul (2003), Fast marginal likelihood maximisation for sparse Bayesian models,
AISTATS.
""",
    "sections.processes": """
Parameters
----------
{process.kernel, process.width, process.input_group, process.centres, process.vectors, process.divergence, process.averaging}
{process.linear_part}
{kernel.standardize, dropping.missing}
{n_jobs, verbose, callback}
""",
    "sections.dask_numbers": """
Parameters
----------
{dask.X, dask.y, dask.sample_weight, fit.target}

{sections.dask_fitted}
""",
    "sections.dask_classes": """
Parameters
----------
{dask.X, dask.classes.y, dask.sample_weight, fit.target}

{sections.dask_fitted}
""",
    "sections.dask_fitted": """
Returns
-------
{self}

Raises
------
{dask.ValueError}
""",
    "examples.model": """
>>> import numpy as np
>>> from ardvark import _core
>>> X = np.random.default_rng(0).normal(size=(50, 2))
>>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
""",
    "examples.filter": """
>>> import numpy as np
>>> from ardvark import _core
>>> X = np.random.default_rng(0).normal(size=(50, 2))
>>> filter = _core.Sequential(2)
>>> filter.update(X, np.where(X[:, 0] > 0, 1, -1))
""",
    "examples.numbers": """
>>> import numpy as np
>>> from ardvark import BayesianLinearRegression
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(size=(200, 3))
>>> y = 1 + 2 * X[:, 0] + 0.1 * rng.normal(size=200)
""",
    "examples.classes": """
>>> import numpy as np
>>> from ardvark import BayesianLogisticRegression
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(size=(300, 3))
>>> y = np.where(3 * X[:, 0] + rng.logistic(size=300) > 0, "yes", "no")
""",
    "examples.genotypes": """
>>> import pathlib, tempfile
>>> import numpy as np
>>> from ardvark import read_plink
>>> folder = tempfile.TemporaryDirectory()
>>> stem = pathlib.Path(folder.name, "study")
>>> _ = stem.with_suffix(".bim").write_text("1 rs1 0 100 A G\\n1 rs2 0 101 C T\\n")
>>> _ = stem.with_suffix(".fam").write_text("".join(f"f{i} i{i} 0 0 1 {i}.5\\n" for i in range(8)))
>>> _ = stem.with_suffix(".bed").write_bytes(bytes.fromhex("6c1b01 8beb 782e"))
>>> X = read_plink(stem)
""",
    "examples.counts": """
>>> import numpy as np
>>> from ardvark import BayesianCountRegression
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(size=(300, 3))
>>> y = rng.poisson(np.exp(1 + 0.5 * X[:, 0]))
""",
    "sections.dask_classes_predicted": """
Parameters
----------
{dask.predict.X}

Returns
-------
{dask.predict.label}
""",
}


def _table() -> dict[str, str]:
    """An entry begins where a line is not indented; its name is the first word."""
    table = {}
    for group, text in _ENTRIES.items():
        for entry in re.split(r"\n(?=\S)", text.strip()):
            name = re.split(r"[ ,\n]", entry, maxsplit=1)[0]
            table[f"{group}.{name}" if group else name] = entry
    return {**table, **{name: text.strip() for name, text in _PARTS.items()}}


_TABLE = _table()
_NAMES = re.compile(r"^( *)\{([\w., ]+)\}$", re.MULTILINE)


def _filled(text: str) -> str:
    def entries(match: re.Match[str]) -> str:
        found = [_filled(_TABLE[name.strip()]) for name in match[2].split(",")]
        return "\n".join(textwrap.indent(entry, match[1]) for entry in found)

    return _NAMES.sub(entries, text)


def assembled(cls: T) -> T:
    """Fills in the docstrings of a class and of its own methods and properties."""
    for thing in (cls, *vars(cls).values()):
        functions = [getattr(thing, name, None) for name in ("__func__", "fget", "func")]  # of a property
        for one in (thing, *functions):
            is_ours = one is cls or isinstance(one, (FunctionType, property, cached_property))
            if is_ours and one.__doc__:
                one.__doc__ = _filled(one.__doc__)
    return cls
