"""Errors say in attributes what their messages say in words."""

import pickle

import numpy as np
import pandas
import pytest
import scipy.sparse

import ardvark
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, InvalidArgumentError

X = np.random.default_rng(0).normal(size=(30, 3))
y = X[:, 0] + np.arange(30) % 3


def caught(work):
    with pytest.raises(InvalidArgumentError) as found:
        work()
    return found.value


def fields(error):
    return error.argument, error.value, error.row, error.column


def with_gap(row, column, value=np.nan):
    table = X.copy()
    table[row, column] = value
    return table


def test_of_the_library():
    error = caught(lambda: BayesianLinearRegression("ridge").fit(X, y))
    assert fields(error) == ("prior", "ridge", None, "")
    assert str(error).startswith("prior is 'ridge'; ") and error.why in str(error)
    assert error.remedy == ""
    error = caught(lambda: ardvark._core.fit(with_gap(4, 1), y, model="linear"))
    assert fields(error) == ("X", "NaN", 5, "x2")
    assert error.why == "all values must be finite" and error.remedy and str(error).endswith(error.remedy)


def test_arguments_have_the_names_of_the_constructor():
    error = caught(lambda: BayesianLinearRegression(max_iter=0).fit(X, y))
    assert (error.argument, error.value) == ("max_iter", "0") and str(error).startswith("max_iter is 0; ")
    error = caught(lambda: BayesianLinearRegression("shared").fit(X, y, sample_weight=-np.ones(30)))
    assert fields(error) == ("sample_weight", "-1", 1, "") and str(error).startswith("sample_weight at row 1 is -1; ")
    error = caught(lambda: BayesianLogisticRegression("sparse", diagnose=True).fit(scipy.sparse.csr_array(X), y > y.mean()))
    assert (error.argument, error.value) == ("X", "sparse") and "X.toarray()" in str(error)
    model = BayesianLinearRegression("shared").fit(X, y)
    assert fields(caught(lambda: model.predict(with_gap(2, 0)))) == ("X", "NaN", 3, "x1")


def test_of_checks_in_python():
    gap = with_gap(6, 2)
    error = caught(lambda: BayesianLinearRegression("shared").fit(gap, y, sample_weight=np.arange(30)))
    assert fields(error) == ("X", "NaN", 7, "x3") and str(error).endswith(error.remedy)
    error = caught(lambda: BayesianLinearRegression("shared").fit(X, np.where(np.arange(30) == 3, np.nan, y), sample_weight=np.ones(30)))
    assert fields(error)[:3] == ("y", "NaN", 4)
    table = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(d=[*"xy" * 14, "x", 3])
    error = caught(lambda: BayesianLinearRegression("shared").fit(table, y))
    assert fields(error) == ("", "x", 1, "d") and "(3 at row 30)" in str(error)


def test_rows_of_a_source_are_counted_over_its_files(tmp_path):
    pandas.DataFrame(X, columns=["a", "b", "c"]).assign(y=y).to_csv(tmp_path / "1.csv", index=False)
    pandas.DataFrame(with_gap(1, 2), columns=["a", "b", "c"]).assign(y=y).to_csv(tmp_path / "2.csv", index=False)
    error = caught(lambda: BayesianLinearRegression("shared").fit(str(tmp_path), target="y"))
    assert (error.row, error.column, error.value) == (2, "c", "NaN")
    assert f"row 2 of '{tmp_path}/2.csv'" in str(error) and str(error).endswith(error.remedy)


def test_names_of_files_are_not_translated(tmp_path):
    folder = tmp_path / "max_sweeps"
    folder.mkdir()
    for number in (1, 2):
        rows = [f"{i},{i % 7}" for i in range(30)] if number == 1 else ["1,2", ",3"]
        (folder / f"{number}.csv").write_text("\n".join(["a,y", *rows]) + "\n")
    error = caught(lambda: BayesianLinearRegression().fit(str(folder), target="y"))
    assert f"row 2 of '{folder}/2.csv'" in str(error)


def test_a_file_named_memory_is_no_lack_of_memory(tmp_path):
    with pytest.raises(OSError):
        ardvark.load(tmp_path / "memory.ardvark")


def test_statistics_name_their_file(tmp_path):
    (tmp_path / "bad.stats").write_text("no statistics")
    error = caught(lambda: ardvark.LinearStatistics.load(tmp_path / "bad.stats"))
    assert str(error).startswith(f"'{tmp_path}/bad.stats' cannot be read as statistics: ")


def test_errors_can_be_pickled():
    error = caught(lambda: BayesianLogisticRegression("shared").fit(with_gap(0, 1), (y > 1).astype(int)))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), fields(again), again.remedy) == (str(error), fields(error), error.remedy)


TABLE = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)


@pytest.mark.parametrize(
    "work, argument, value, column, message",
    [
        (lambda: BayesianLinearRegression(flat=[7]).fit(X, y), "flat", "7", "", "flat holds the column 7; X has only 3 columns"),
        (lambda: BayesianLinearRegression(flat=["q"]).fit(TABLE, target="y"), "flat", "q", "", "flat names the column 'q', which X does not have"),
        (lambda: BayesianLinearRegression(flat=[True]).fit(X, y), "flat", "True", "", "flat holds True; it must hold names or positions"),
        (lambda: BayesianLinearRegression({"u": ["q"]}).fit(TABLE, target="y"), "prior", "q", "", "prior, group 'u', names the column 'q'"),
        (lambda: BayesianLinearRegression([["a"], ["a"]]).fit(TABLE, target="y"), "prior", "a", "", "prior has the column 'a' in two groups"),
        (lambda: BayesianLinearRegression({"u": "a"}).fit(TABLE, target="y"), "prior", "a", "", "prior, group 'u', is the text 'a'; it must be a list"),
        (lambda: BayesianLinearRegression().fit(TABLE, target="zz"), "target", "zz", "", "target is 'zz', which is not a column of X"),
        (lambda: BayesianLinearRegression().fit(X, target="zz"), "target", "zz", "", "target is 'zz', the name of a column; X must then be a DataFrame"),
        (lambda: BayesianLinearRegression().fit(TABLE, target="y", sample_weight="w"), "sample_weight", "w", "", "sample_weight is 'w', which is not"),
        (lambda: BayesianLinearRegression(missing="drop").fit(scipy.sparse.csr_array(X), y), "missing", "drop", "", "missing='drop' is given, but"),
        (lambda: ardvark.compare(scipy.sparse.csr_array(X), y), "X", "sparse", "", "X is sparse; compare needs a dense X: give X.toarray()"),
        (lambda: BayesianLinearRegression().fit(TABLE[["a", "b"]], y).partial_fit(TABLE[["a"]], y), "X", "", "b", "X has no column 'b', which"),
    ],
)
def test_of_arguments_that_name_columns(work, argument, value, column, message):
    error = caught(work)
    assert fields(error) == (argument, value, None, column) and str(error).startswith(message)
    assert str(error).endswith(error.remedy)


def test_of_partial_fit_after_a_model_file(tmp_path):
    BayesianLinearRegression().fit(X, y).save(tmp_path / "m.ardvark")
    error = caught(lambda: ardvark.load(tmp_path / "m.ardvark").partial_fit(X, y))
    assert str(error).startswith("this estimator has no statistics of its rows") and str(error).endswith(error.remedy) and error.remedy


def test_of_files_of_csv(tmp_path):
    for number in (1, 2):
        rows = [f"{i},{i % 7}" for i in range(30)]
        rows[3] = "OVER,3" if number == 2 else rows[3]
        (tmp_path / f"{number}.csv").write_text("\n".join(["a,y", *rows]) + "\n")
    for source in (tmp_path / "2.csv", tmp_path):
        for work in (lambda: BayesianLinearRegression().fit(source, "y"), lambda: BayesianLogisticRegression().fit(source, "y")):
            error = caught(work)
            assert (error.value, error.row, error.column) == ("OVER", 4, "a") and error.why == "'OVER' is not a number"
            begin = f"row 4 (line 5) of '{tmp_path}/2.csv', column 'a': 'OVER' is not a number; if 'OVER' means a missing value, give"
            assert str(error).startswith(begin) and str(error).endswith(error.remedy) and "--" not in str(error)
