"""The scores of an answer: a dictionary of numbers, NaN if the problem or the method does not have them."""

import numpy as np

FIELDS = [
    "mse",  # from the signal; for real data from y
    "cov_y",
    "cov_f",
    "cov_coef",
    "cov_nonzero",
    "nlpd",  # for classes the log loss
    "error",
    "kl",  # nats, from the true probabilities
    "calibration",
    "noise_sd",
    "selected",
    "found",  # selected columns that have an effect
    "sum_pip",
    "bound",
    "inclusion",  # log score of the inclusion probabilities, nats per column: does the column have an effect of its own?
    "pip_own",  # mean inclusion of the columns with an effect of their own
    "pip_none",  # mean inclusion of the others
    "kept_none",  # share of the others that are kept
    "direction",  # log score of the sign, for columns with an effect of their own
]
BINS = 10
FEW = 20  # up to this number of columns, the score says which ones are kept
SUREST = 0.999  # largest probability that a log score uses


def covered(interval, truth):
    return float(np.mean((interval[:, 0] <= truth) & (truth <= interval[:, 1])))


def calibration_error(probability, truth):
    """Mean |mean probability - mean truth| over ten bins of equal count, by predicted probability. truth: the true probabilities, or labels."""
    order = np.argsort(probability, kind="stable")
    bins = [rows for rows in np.array_split(order, BINS) if rows.size]
    gaps = [rows.size * abs(probability[rows].mean() - truth[rows].mean()) for rows in bins]
    return float(sum(gaps) / order.size)


def kl_divergence(probability, f):
    """Mean KL of the predicted from the true probabilities, which are the logistic function of f; nats."""
    predicted = np.clip(probability, 1e-12, 1 - 1e-12)
    log_true, log_false = -np.logaddexp(0, -f), -np.logaddexp(0, f)
    return float(np.mean(np.exp(log_true) * (log_true - np.log(predicted)) + np.exp(log_false) * (log_false - np.log1p(-predicted))))


def log_score(probability, truth):
    """Mean of -ln of the probability of the true answer, nats."""
    said = np.clip(np.where(truth, probability, 1 - probability), 1 - SUREST, SUREST)
    return -float(np.mean(np.log(said))) if said.size else np.nan


def mean_of(values):
    return float(np.mean(values)) if np.size(values) else np.nan


def score(problem, answer):
    out = dict.fromkeys(FIELDS, np.nan) | {"kept": ""}
    out["nlpd"] = -float(np.mean(answer.log_density))
    if answer.mean is not None:
        truth = problem.y_new if problem.f_new is None else problem.f_new
        out["mse"] = float(np.mean((answer.mean - truth) ** 2))
        out["noise_sd"] = float(answer.noise_sd)
        out["cov_y"] = covered(answer.interval, problem.y_new)
    else:
        out["error"] = float(np.mean(answer.probability.argmax(axis=1) != problem.y_new))
        if problem.f_new is not None:
            out["kl"] = kl_divergence(answer.probability[:, 1], problem.f_new)
            out["calibration"] = calibration_error(answer.probability[:, 1], 1 / (1 + np.exp(-problem.f_new)))
        else:
            hits = np.eye(answer.probability.shape[1])[problem.y_new]
            out["calibration"] = calibration_error(answer.probability.ravel(), hits.ravel())
    if problem.f_new is not None and answer.signal is not None:
        out["cov_f"] = covered(answer.signal, problem.f_new)
    if problem.w is not None and answer.coef is not None:
        out["cov_coef"] = covered(answer.coef, problem.w)
        if problem.w.any():
            out["cov_nonzero"] = covered(answer.coef[problem.w != 0], problem.w[problem.w != 0])
    if answer.selected is not None:
        out["selected"] = int(np.sum(answer.selected))
        if len(answer.selected) <= FEW:
            out["kept"] = "".join("x" if kept else "-" for kept in answer.selected)
        if problem.w is not None:
            out["found"] = int(np.sum(answer.selected & (problem.w != 0)))
        if problem.own is not None:
            out["kept_none"] = mean_of(answer.selected[~problem.own])
    if answer.inclusion is not None:
        out["sum_pip"] = float(np.sum(answer.inclusion))
        if problem.own is not None:
            out["inclusion"] = log_score(answer.inclusion, problem.own)
            out["pip_own"], out["pip_none"] = (mean_of(answer.inclusion[some]) for some in (problem.own, ~problem.own))
    if answer.direction is not None and problem.own is not None:
        out["direction"] = log_score(answer.direction[problem.own], problem.w[problem.own] > 0)
    out["bound"] = float(answer.bound)
    return out
