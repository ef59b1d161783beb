"""Comparisons of models in Python are those of the shell."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")

import ardvark

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "ardvark"


def of_the_shell(path, *arguments):
    run = subprocess.run([PROGRAM, "compare", path, *arguments, "--json"], capture_output=True, check=True, text=True)
    return json.loads(run.stdout)


def expect_same(comparison, shell):
    assert comparison.best == shell["best"] and comparison.verdict == shell["verdict"]
    assert [m.name for m in comparison.models] == [m["name"] for m in shell["models"]]
    for ours, theirs in zip(comparison.models, shell["models"]):
        assert ours.bound == pytest.approx(theirs["bound"], abs=1e-9) and ours.status == theirs["status"]
        assert (ours.evidence is None) == (theirs["evidence"] is None)
        assert ours.probable_effects == theirs["probable_effects"]


def test_a_regression_with_a_text_column(tmp_path):
    table = pd.read_csv(ROOT / "examples" / "data" / "Boston.csv")
    table["chas"] = np.where(table["chas"] == 1, "river", "inland")
    table.to_csv(tmp_path / "t.csv", index=False)
    comparison = ardvark.compare(table, target="medv", priors=["shared", "ard", "slab", "sparse"])
    shell = of_the_shell(tmp_path / "t.csv", "--target", "medv", "--model", "linear", "--priors", "shared,ard,slab,sparse")
    expect_same(comparison, shell)
    assert str(comparison).startswith("Comparison of 4 linear models, 506 rows, 13 columns, target medv")
    assert comparison.models[0].noise_std > 0 and comparison.models[0].log_loss is None
    with pytest.raises(ValueError, match="kernels cannot be used with text columns"):
        ardvark.compare(table, target="medv", kernels=["gaussian"])


def test_two_and_three_classes_and_a_kernel(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 3))
    names = np.array(["low", "middle", "high"])
    y = names[np.digitize(X[:, 0] + 0.3 * rng.normal(size=90), [-0.5, 0.5])]
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    read = pd.read_csv(tmp_path / "t.csv")
    comparison = ardvark.compare(read[["a", "b", "c"]], read["y"], kernels=["gaussian"])
    expect_same(comparison, of_the_shell(tmp_path / "t.csv", "--target", "y", "--model", "logistic", "--kernel", "gaussian"))
    assert "each of 3 classes has a regression against the rest" in str(comparison)
    two = ardvark.compare(X, y == "high", priors=["dense", "sparse"])
    assert two.models[0].log_loss > 0 and two.models[0].noise_std is None


def test_rows_with_gaps_are_refused_or_left_out():
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"a": rng.normal(size=80), "city": np.array(["x", "y"])[np.arange(80) % 2]})
    table["z"] = table["a"] + rng.normal(size=80)
    whole = ardvark.compare(table.iloc[3:], target="z", priors=["dense", "sparse"])
    table.loc[0, "a"] = np.nan
    table.loc[1, "city"] = None
    table.loc[2, "z"] = np.nan
    with pytest.raises(ValueError, match="target 'z' has no value at row 3"):
        ardvark.compare(table, target="z")
    dropped = ardvark.compare(table, target="z", priors=["dense", "sparse"], missing="drop")
    assert [m.bound for m in dropped.models] == pytest.approx([m.bound for m in whole.models], abs=1e-9)
    assert str(dropped).endswith("3 rows were dropped because a value was missing; most gaps are in column 'a' (1)")
    numbers = np.where(np.arange(160).reshape(80, 2) == 5, np.nan, np.random.default_rng(6).normal(size=(80, 2)))
    with pytest.raises(ValueError, match="X at row 3, column 'x2' is NaN; .*: missing 'drop' leaves such rows out$"):
        ardvark.compare(numbers, table["z"].fillna(0))
    labels = np.where(table["a"].fillna(0) > 0, "yes", "no").astype(object)
    labels[2] = None
    classes = ardvark.compare(table[["a", "city"]], labels, priors=["dense", "sparse"], missing="drop")
    assert classes.models[0].log_loss > 0 and "3 rows were dropped" in str(classes)
    with pytest.raises(ValueError, match="missing is 'impute'; it must be 'refuse' or 'drop'"):
        ardvark.compare(table, target="z", missing="impute")


def test_what_is_refused_and_stopped():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(ValueError, match="task is 'x'; it must be 'auto', 'regression', 'classification' or 'counts'"):
        ardvark.compare(X, X[:, 0], task="x")
    with pytest.raises(ValueError, match="priors is 'best'"):
        ardvark.compare(X, X[:, 0], priors=["sparse", "best"])
    with pytest.raises(ValueError, match="at least two"):
        ardvark.compare(X, X[:, 0], priors=["sparse"])
    with pytest.raises(ValueError, match="continuous|measurements"):
        ardvark.compare(X, X[:, 0], task="classification")
    calls = []
    ardvark.compare(X, X[:, 0] + X[:, 1] ** 2, callback=lambda progress: calls.append(progress.sweep))
    assert len(calls) > 3


def test_families_of_numbers_and_of_counts(tmp_path):
    random = np.random.default_rng(4)
    X = random.normal(size=(200, 3))
    heavy = X[:, 0] + random.standard_t(2, size=200)
    numbers = ardvark.compare(X, heavy, priors=["shared", "sparse"], families=["normal", "student"])
    assert numbers.models[0].name.endswith(", student") and {one.name for one in numbers.models} >= {"shared, normal", "sparse, student"}
    fits = {noise: ardvark.BayesianLinearRegression("shared", noise=noise).fit(X, heavy) for noise in ("normal", "student")}
    evidence = {one.name: one.evidence for one in numbers.models}
    np.testing.assert_allclose(  # the hyper-priors cost the same in both
        evidence["shared, student"] - evidence["shared, normal"], fits["student"].bound_ - fits["normal"].bound_, rtol=1e-8
    )
    days = random.uniform(1, 20, size=200)
    visits = random.poisson(days * np.exp(0.5 * X[:, 0]) * random.gamma(2, 0.5, size=200)).astype(float)
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "days": days, "visits": visits})
    counts = ardvark.compare(table, target="visits", task="counts", exposure="days", priors=["shared", "dense"])
    assert [one.name.split(", ")[1] for one in counts.models] == ["negative-binomial"] * 2 + ["poisson"] * 2
    assert all(0 < one.deviance_explained < 1 and one.log_loss is None for one in counts.models)
    path = tmp_path / "visits.csv"
    table.to_csv(path, index=False)
    shell = of_the_shell(path, "--target", "visits", "--model", "counts", "--exposure", "days", "--priors", "shared,dense")
    expect_same(counts, shell)
    with pytest.raises(ValueError, match="families is 'normal'; it must be one of negative-binomial, poisson"):
        ardvark.compare(table, target="visits", task="counts", families=["normal"])
    with pytest.raises(ValueError, match="exposure applies only to task='counts'"):
        ardvark.compare(table, target="visits", exposure="days")
