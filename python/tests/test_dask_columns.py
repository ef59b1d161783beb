"""Columns that are taken from one table of Dask, whose partitions its optimisation may join differently."""

import numpy as np
import pytest

import ardvark

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
dataframe = pytest.importorskip("dask.dataframe")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(2)
    table = pandas.DataFrame({"x": rng.normal(size=90), "z": rng.normal(size=90), "w": np.resize([1.0, 2, 3], 90)})
    return table.assign(y=table.x - 2 * table.z + 0.1 * rng.normal(size=90), kind=np.where(table.x + rng.normal(size=90) > 0, "up", "down"))


@pytest.fixture(scope="module")
def table(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for number in range(3):
        rows[30 * number : 30 * number + 30].reset_index(drop=True).to_parquet(folder / f"{number}.parquet")
    read = dataframe.read_parquet(folder)
    assert len(read[["x", "z"]].to_delayed()) != len(read["y"].to_delayed()), "Dask joins partitions of one column: else nothing is tested here"
    return read


def test_a_regression(rows, table):
    from ardvark.dask import BayesianLinearRegression

    X, right = table[["x", "z"]], ardvark.BayesianLinearRegression()
    plain = right.fit(rows[["x", "z"]], rows.y).coef_
    assert np.allclose(BayesianLinearRegression().fit(X, table["y"]).coef_, plain, rtol=1e-9)
    assert np.allclose(BayesianLinearRegression().fit(X, table["y"] + 1).coef_, plain, rtol=1e-9)
    assert np.allclose(BayesianLinearRegression().fit(table[["x"]], table["y"]).coef_, right.fit(rows[["x"]], rows.y).coef_, rtol=1e-9)
    weighted = right.fit(rows[["x", "z"]], rows.y, sample_weight=rows.w).coef_
    for weights in (table["w"], 1 * table["w"]):
        assert np.allclose(BayesianLinearRegression().fit(X, table["y"], sample_weight=weights).coef_, weighted, rtol=1e-9)
    assert np.allclose(BayesianLinearRegression().fit(table[["x", "z", "y"]], "y", sample_weight=table["w"]).coef_, weighted, rtol=1e-9)
    halves = BayesianLinearRegression().partial_fit(X, table["y"]).partial_fit(X, table["y"])
    assert halves.statistics_.n_rows_ == 180
    kept = rows[rows.x > 0]
    found = BayesianLinearRegression().fit(X[table.x > 0], table["y"][table.x > 0]).coef_
    assert np.allclose(found, right.fit(kept[["x", "z"]], kept.y).coef_, rtol=1e-9)


def test_classes_and_machines(rows, table):
    from ardvark.dask import BayesianLogisticRegression, KernelClassifier, KernelRegressor

    X = table[["x", "z"]]
    plain = ardvark.BayesianLogisticRegression("shared").fit(rows[["x", "z"]], rows.kind, sample_weight=rows.w)
    found = BayesianLogisticRegression("shared").fit(X, table["kind"], sample_weight=table["w"])
    assert found.classes_.tolist() == ["down", "up"] and np.allclose(found.coef_, plain.coef_, rtol=1e-5)
    assert KernelClassifier(centres=10).fit(X, table["kind"]).score(rows[["x", "z"]], rows.kind) > 0.6
    assert KernelRegressor(centres=10).fit(X, table["y"]).score(rows[["x", "z"]], rows.y) > 0.9


def test_other_partitions_are_told_with_what_works(rows, table):
    from ardvark.dask import BayesianLinearRegression

    apart = dataframe.from_pandas(rows, npartitions=2)
    with pytest.raises(ValueError, match="X has 3 partitions and y has 2; .* take y from the table that X is taken from, or give the whole table as X"):
        BayesianLinearRegression().fit(table[["x", "z"]], apart["y"])
    wider = dataframe.from_pandas(rows, npartitions=4)
    with pytest.raises(ValueError, match=r"divide y as X, y.repartition\(divisions=X.divisions\)"):
        BayesianLinearRegression().fit(apart[["x", "z"]], wider["y"])
    same = BayesianLinearRegression().fit(apart[["x", "z"]], wider["y"].repartition(divisions=apart.divisions))
    assert np.allclose(same.coef_, BayesianLinearRegression().fit(apart[["x", "z", "y"]], "y").coef_, rtol=1e-9)
