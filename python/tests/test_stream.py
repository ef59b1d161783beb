"""Rows one after the other: partial_fit, weights, order."""

import pickle

import numpy as np
import pytest
from ardvark import SequentialLogisticRegression
from estimator_cases import X, labels, species


def test_partial_fit_is_fit_in_pieces():
    whole = SequentialLogisticRegression(shuffle=False).fit(X, labels)
    pieces = SequentialLogisticRegression()
    for rows in np.array_split(np.arange(150), 7):
        pieces.partial_fit(X[rows], labels[rows], classes=["no", "yes"])
        pieces = pickle.loads(pickle.dumps(pieces))
    np.testing.assert_allclose(pieces.coef_, whole.coef_, rtol=1e-10)
    np.testing.assert_allclose(pieces.sigma_, whole.sigma_, rtol=1e-9)
    assert pieces.n_rows_seen_ == 150 and pieces.score(X, labels) > 0.75
    np.testing.assert_allclose(pieces.intercept_std_, whole.intercept_std_, rtol=1e-10)


def filtered(A, signs, weights):
    """Row after row with a weight on its term of the bound, by matrices, xi at its fixed point (SEQ.5)."""
    precision, h = A.shape[1] * np.eye(A.shape[1]), np.zeros(A.shape[1])
    for x, sign, k in zip(A, signs, weights):
        h, xi = h + 0.5 * k * sign * x, 1.0
        for _ in range(200):
            of_xi = np.tanh(xi / 2) / (4 * xi)
            V = np.linalg.inv(precision + 2 * k * of_xi * np.outer(x, x))
            xi = np.sqrt(x @ V @ x + (x @ V @ h) ** 2)
        precision += 2 * k * of_xi * np.outer(x, x)
    return V @ h, V


def test_weights_multiply_the_rows_of_a_stream():
    weights = np.random.default_rng(0).choice([0.5, 1, 2.5], 150)
    whole = SequentialLogisticRegression(shuffle=False).fit(X, labels, sample_weight=weights)
    mean, V = filtered(np.column_stack([X, np.ones(150)]), np.where(labels == "yes", 1, -1), weights)
    sd = np.sqrt(np.diag(V))  # xi is found to a change of the bound of 1e-5
    assert np.abs(np.append(whole.coef_, whole.intercept_) - mean).max() < 0.02 * sd.min()
    np.testing.assert_allclose(np.append(whole.coef_std_, whole.intercept_std_), sd, rtol=1e-2)
    pieces = SequentialLogisticRegression()
    for rows in np.array_split(np.arange(150), 7):
        pieces.partial_fit(X[rows], labels[rows], classes=["no", "yes"], sample_weight=weights[rows])
    np.testing.assert_allclose(pieces.coef_, whole.coef_, rtol=1e-10)
    unweighted = SequentialLogisticRegression(shuffle=False).fit(X, labels)
    assert np.array_equal(unweighted.coef_, SequentialLogisticRegression(shuffle=False).fit(X, labels, np.ones(150)).coef_)


def test_partial_fit_counts_weights():
    times = np.random.default_rng(0).integers(0, 3, 150)
    weighted = SequentialLogisticRegression().partial_fit(
        X, labels, classes=["no", "yes"], sample_weight=times
    )
    without = SequentialLogisticRegression(shuffle=False).fit(X[times > 0], labels[times > 0], sample_weight=times[times > 0])
    np.testing.assert_allclose(weighted.coef_, without.coef_, rtol=1e-10)
    repeated = SequentialLogisticRegression(shuffle=False).fit(X.repeat(times, axis=0), labels.repeat(times))
    assert np.abs(weighted.coef_ - repeated.coef_).max() < 0.3 * repeated.coef_std_.min()
    with pytest.raises(ValueError, match="[Nn]egative"):
        weighted.partial_fit(X, labels, sample_weight=np.full(150, -1))
    with pytest.raises(ValueError, match="labels that are not in classes"):
        weighted.partial_fit(X, species)
    with pytest.raises(ValueError, match="two classes"):
        SequentialLogisticRegression().partial_fit(X, species, classes=["cat", "dog", "eel"])
    assert weighted.n_rows_seen_ == np.count_nonzero(times)


def test_a_batch_of_a_stream_knows_no_order_and_no_copies():
    times, order = np.random.default_rng(1).integers(0, 3, 150), np.random.default_rng(2).permutation(150)
    fit = SequentialLogisticRegression().fit(X, labels, sample_weight=times)
    again = SequentialLogisticRegression().fit(X[order], labels[order], sample_weight=times[order])
    repeated = SequentialLogisticRegression().fit(X.repeat(times, axis=0)[::-1], labels.repeat(times)[::-1])
    np.testing.assert_allclose(again.coef_, fit.coef_, rtol=1e-12)
    np.testing.assert_allclose(repeated.coef_, fit.coef_, rtol=1e-12)
    np.testing.assert_allclose(repeated.sigma_, fit.sigma_, rtol=1e-12)
    assert (fit.n_rows_seen_, repeated.n_rows_seen_) == (np.count_nonzero(times), times.sum())
    in_order = SequentialLogisticRegression(shuffle=False).fit(X, labels, sample_weight=times)
    assert 1e-6 < np.abs(in_order.coef_ - fit.coef_).max() < fit.coef_std_.max()
    zeros, negative = np.zeros((4, 1)), -np.zeros((4, 1))  # one row, however the zero is written
    both = SequentialLogisticRegression().fit(np.r_[zeros, negative, [[1.0]]], [0, 0, 0, 0, 0, 0, 0, 0, 1])
    weighted = SequentialLogisticRegression().fit([[0.0], [1.0]], [0, 1], sample_weight=[8, 1])
    np.testing.assert_allclose(both.coef_, weighted.coef_, rtol=1e-12)
