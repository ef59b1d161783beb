"""Files of matrices: what Python and the program read of them is the same, and so are their models."""

import gc
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

from ardvark import ArdvarkWarning, BayesianLinearRegression, BayesianLogisticRegression, InvalidArgumentError, load, read_svmlight

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "bin" / "ardvark"
sparse = pytest.importorskip("scipy.sparse")
datasets = pytest.importorskip("sklearn.datasets")


def table(seed=0, n=60, p=7):
    r = np.random.default_rng(seed)
    X = (r.random((n, p)) < 0.4) * np.round(r.normal(size=(n, p)), 3)
    X[:, 0] = 0  # which hides the base of the indices
    return X, np.round(X[:, 2] - 2 * X[:, 5] + 0.3 * r.normal(size=n), 3)


def test_columns_count_as_the_caller_says(tmp_path):
    X, y = table()
    for base in (0, 1):
        path = tmp_path / f"{base}.txt"
        datasets.dump_svmlight_file(X, y, str(path), zero_based=base == 0, query_id=np.arange(len(y)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found, target = read_svmlight(path, base)
        assert isinstance(found, sparse.csc_array) and found.dtype == np.float64
        np.testing.assert_array_equal(found.toarray(), X)
        np.testing.assert_array_equal(target, y)
    with pytest.warns(ArdvarkWarning, match="if they count from 0: index_base=0"):
        found, _ = read_svmlight(tmp_path / "0.txt")
    assert found.shape == (60, 6)


def test_an_index_0_leaves_no_doubt(tmp_path):
    (tmp_path / "a.svm").write_text("1 0:2 3:1\n2 1:5\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X, y = read_svmlight(str(tmp_path / "a.svm"))
    assert X.toarray().tolist() == [[2, 0, 0, 1], [0, 5, 0, 0]] and y.tolist() == [1, 2]


def test_columns_may_be_more_than_in_the_file(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:2\n2\n")
    X, _ = read_svmlight(path, 1, n_features=4)
    assert X.toarray().tolist() == [[2, 0, 0, 0], [0, 0, 0, 0]]
    path.write_text("1\n2\n")
    assert read_svmlight(path, 1, n_features=3)[0].shape == (2, 3)
    path.write_text("1 5:2\n")
    with pytest.raises(InvalidArgumentError, match="n_features is 4; .*up to the index 5") as caught:
        read_svmlight(path, 1, n_features=4)
    assert caught.value.argument == "n_features"


def test_what_is_wrong_is_named(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 0:1\n")
    with pytest.raises(InvalidArgumentError, match="has an index 0, but its columns count from 1; give index_base=0"):
        read_svmlight(path, 1)
    with pytest.raises(InvalidArgumentError, match="index_base is 2; it must be 'auto', 0 or 1"):
        read_svmlight(path, 2)
    with pytest.raises(InvalidArgumentError, match="index_base is True"):
        read_svmlight(path, True)
    path.write_text("1 1:1\n1 1:nan\n")
    with pytest.raises(InvalidArgumentError, match="row 2 .line 2 of .*index 1 is nan"):
        read_svmlight(path, 1)
    with pytest.raises(OSError, match="cannot open"):
        read_svmlight(tmp_path / "none.svm", 1)
    path.write_text("1 1:1 1:2\n")
    with pytest.warns(ArdvarkWarning, match="1 entry of"):
        X, _ = read_svmlight(path, 1)
    assert X.toarray().tolist() == [[3]]


def test_the_arrays_outlive_the_call(tmp_path):
    X, y = table(3)
    datasets.dump_svmlight_file(X, y, str(tmp_path / "a.svm"))
    found, _ = read_svmlight(tmp_path / "a.svm", 0)
    values = found.data
    del found
    gc.collect()
    blocks = [np.full(2000, 7.0) for _ in range(200)]  # would be put where the arrays were
    np.testing.assert_array_equal(np.sort(values), np.sort(X[X != 0]))
    assert len(blocks) == 200


def test_models_of_the_program_predict_the_same(tmp_path):
    X, y = table()
    new, _ = table(1)
    datasets.dump_svmlight_file(X, y, str(tmp_path / "a.svm"))
    datasets.dump_svmlight_file(new, np.zeros(60), str(tmp_path / "new.svm"))
    np.save(tmp_path / "X.npy", np.asfortranarray(X, dtype=np.float32))
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "new.npy", new)
    sparse.save_npz(tmp_path / "X.npz", sparse.csr_array(X))
    sparse.save_npz(tmp_path / "new.npz", sparse.coo_array(new))
    for data, new_data in ((["a.svm", "--index-base", "0"], "new.svm"), (["X.npy", "--target", "y.npy"], "new.npy"), (["X.npz", "--target", "y.npy"], "new.npz")):
        subprocess.run([PROGRAM, "fit", *data, "-q", "-o", "m.ardvark"], cwd=tmp_path, check=True)
        out = subprocess.run([PROGRAM, "predict", "m.ardvark", new_data, "--digits", "17", "-q"], cwd=tmp_path, check=True, capture_output=True, text=True)
        mean = np.array([float(line.split(",")[0]) for line in out.stdout.splitlines()[1:]])
        model = load(tmp_path / "m.ardvark")
        np.testing.assert_allclose(model.predict(new), mean, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(model.predict(sparse.csr_array(new)), mean, rtol=1e-12, atol=1e-12)
        if new_data == "new.svm":
            read, _ = read_svmlight(tmp_path / new_data, 0)
            np.testing.assert_allclose(model.predict(read), mean, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("estimator", [BayesianLinearRegression, BayesianLogisticRegression])
def test_a_fit_takes_what_was_read(tmp_path, estimator):
    X, y = table(2)
    if estimator is BayesianLogisticRegression:
        y = (y > 0).astype(float)
    datasets.dump_svmlight_file(X, y, str(tmp_path / "a.svm"))
    found, target = read_svmlight(tmp_path / "a.svm", 0)
    model = estimator(tol=1e-9).fit(found, target)
    dense = estimator(tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-7, atol=1e-9)
