"""Genotypes of PLINK filesets, against the same numbers as an array."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

import ardvark
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, read_plink


def packed(copies):
    """Bytes of the specification: 00 two copies of allele 1, 01 missing, 10 one, 11 none; four samples a byte."""
    code = {2: 0, -1: 1, 1: 2, 0: 3}
    out = bytearray()
    for column in copies.T:
        for i in range(0, len(column), 4):
            out.append(sum(code[int(count)] << (2 * k) for k, count in enumerate(column[i : i + 4])))
    return bytes(out)


def write(stem, copies, alleles=None, names=None, phenotype=None):
    n, p = copies.shape
    alleles = alleles or ["A G"] * p
    names = names or [f"rs{j + 1}" for j in range(p)]
    stem.with_suffix(".bim").write_text("".join(f"1 {name} 0 {j} {pair}\n" for j, (name, pair) in enumerate(zip(names, alleles))))
    phenotype = np.arange(n) + 0.5 if phenotype is None else phenotype
    stem.with_suffix(".fam").write_text("".join(f"f{i} i{i} 0 0 1 {phenotype[i]}\n" for i in range(n)))
    stem.with_suffix(".bed").write_bytes(b"\x6c\x1b\x01" + packed(copies))
    return stem


@pytest.fixture
def copies():
    rng = np.random.default_rng(5)
    out = rng.binomial(2, rng.uniform(0.15, 0.5, 9), size=(83, 9))
    return np.where(rng.random(out.shape) < 0.03, -1, out)


@pytest.fixture
def study(tmp_path, copies):
    return write(tmp_path / "study", copies)


@pytest.fixture
def dense(copies):
    gaps = np.where(copies < 0, np.nan, copies.astype(float))
    return np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)


@pytest.fixture
def y(dense):
    return dense[:, 1] - 1.3 * dense[:, 6] + np.random.default_rng(6).normal(size=len(dense))


def test_an_entry_is_the_number_of_copies_of_the_counted_allele(study, copies, dense):
    X = read_plink(study)
    assert X.shape == copies.shape and len(X) == 83 and X.num_missing == (copies < 0).sum()
    np.testing.assert_array_equal(X.to_numpy(np.int8, missing=-127), np.where(copies < 0, -127, copies))
    np.testing.assert_allclose(X.to_numpy(float), dense, atol=1e-15)
    np.testing.assert_allclose(read_plink(study, count_allele=2).to_numpy(float), 2 - dense, atol=1e-15)
    assert np.isnan(X.to_numpy(missing=np.nan)).sum() == X.num_missing
    assert X.variants["name"].tolist() == [f"rs{j + 1}" for j in range(9)] and set(X.variants["counted"]) == {"A"}
    assert pd.DataFrame(X.samples)["IID"].iloc[7] == "i7"
    np.testing.assert_array_equal(X.phenotype, np.arange(83) + 0.5)
    assert "copies of allele 1" in X.notes[0]
    with pytest.raises(ardvark.InvalidArgumentError, match="missing=-127") as caught:
        X.to_numpy(np.int8)
    assert caught.value.argument == "missing"
    with pytest.raises(ardvark.InvalidArgumentError, match="int8 cannot hold nan; give missing=-127"):
        X.to_numpy(np.int8, missing=np.nan)
    with pytest.raises(ardvark.InvalidArgumentError, match="missing is 'median'; it must be 'mean' or a number"):
        X.to_numpy(missing="median")


@pytest.mark.parametrize("prior", ["sparse", "slab", "shared"])
def test_a_regression_is_that_of_the_same_numbers(study, dense, y, prior):
    X = read_plink(study)
    model, same = (BayesianLinearRegression(prior=prior, tol=1e-10).fit(table, y) for table in (X, dense))
    np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-8)
    assert model.feature_names_in_[3] == "rs4" and model.n_features_in_ == 9
    for one, other in zip(model.predict(X, return_std=True), same.predict(dense, return_std=True)):
        np.testing.assert_allclose(one, other, rtol=1e-7)
    np.testing.assert_allclose(model.predict(pd.DataFrame(dense, columns=X.feature_names)), model.predict(X), rtol=1e-12)
    assert model.score(X, y) == pytest.approx(same.score(dense, y), abs=1e-8)


def test_two_classes_are_those_of_the_same_numbers(study, dense, y):
    labels = np.where(y > np.median(y), "tall", "short")
    X = read_plink(study)
    model, same = (BayesianLogisticRegression("slab").fit(table, labels) for table in (X, dense))
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(dense), atol=1e-8)
    assert (model.predict(X) == same.predict(dense)).all()


def test_samples_are_chosen_and_cross_validated(study, copies, dense, y):
    X = read_plink(study)
    rows = np.array([80, 3, 3, 41])
    np.testing.assert_array_equal(X[rows].to_numpy(np.int8, missing=-127), np.where(copies < 0, -127, copies)[rows])
    assert X[rows].samples["IID"].tolist() == ["i80", "i3", "i3", "i41"]
    assert X[y > 0].shape[0] == (y > 0).sum() and X[10:20].shape == (10, 9)
    assert X[rows][np.array([0, 3])].samples["IID"].tolist() == ["i80", "i41"]
    scores, same = (cross_val_score(BayesianLinearRegression(prior="shared"), table, y, cv=3) for table in (X, dense))
    np.testing.assert_allclose(scores, same, atol=0.02)  # a fold has the means of its own samples
    again = pickle.loads(pickle.dumps(X[rows].with_columns(np.arange(4.0)[:, None], ["age"])))
    np.testing.assert_array_equal(again.to_numpy(), X[rows].with_columns(np.arange(4.0)[:, None], ["age"]).to_numpy())


def test_columns_stand_beside_the_variants(study, dense, y):
    age = np.random.default_rng(1).normal(size=83)
    frame = pd.DataFrame({"age": age})
    X = read_plink(study).with_columns(frame)
    assert X.shape == (83, 10) and X.feature_names[-1] == "age"
    model = BayesianLinearRegression(tol=1e-10).fit(X, y + 2 * age)
    same = BayesianLinearRegression(tol=1e-10, flat=[9]).fit(np.column_stack([dense, age]), y + 2 * age)
    np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-8)
    np.testing.assert_allclose(model.predict(X), same.predict(np.column_stack([dense, age])), atol=1e-8)
    both = X.with_columns(2 * frame, ["twice"])
    assert both.feature_names[-2:] == ["age", "twice"]
    np.testing.assert_array_equal(both.to_numpy(float)[:, -2:], np.column_stack([age, 2 * age]))
    with pytest.raises(ValueError, match="83 samples"):
        read_plink(study).with_columns(frame[:5])


def test_the_phenotypes_of_the_fileset_are_the_target_without_y(tmp_path, copies, dense, y):
    phenotype = [f"{value}" if i % 9 else "-9" for i, value in enumerate(y)]
    X = read_plink(write(tmp_path / "some", copies, phenotype=phenotype))
    known = np.arange(83) % 9 != 0
    model = BayesianLinearRegression(tol=1e-10).fit(X)
    assert any("10 samples without a phenotype are left out" in note for note in model.notes_)
    np.testing.assert_allclose(model.coef_, BayesianLinearRegression(tol=1e-10).fit(X[known], y[known]).coef_, atol=1e-8)
    classes = ["0" if i == 4 else "2" if value > np.median(y) else "1" for i, value in enumerate(y)]
    X = read_plink(write(tmp_path / "classes", copies, phenotype=classes))
    model = BayesianLogisticRegression("shared").fit(X)
    assert model.classes_.tolist() == ["case", "control"]
    largest = np.abs(model.coef_[0]).argmax()
    assert np.sign(model.coef_[0, largest]) == -np.sign(np.corrcoef(dense[:, largest], y)[0, 1])  # cases have large y
    with pytest.raises(ValueError, match="no value at row 5"):
        BayesianLogisticRegression().fit(X, X.phenotype)


def test_variants_are_found_by_name_and_alleles(tmp_path, study, copies, y):
    X = read_plink(study)
    model = BayesianLinearRegression().fit(X, y)
    order = [8, 2, 0, 1, 3, 4, 5, 7, 6]
    turned = copies[:, order].copy()
    turned[:, 1] = np.where(turned[:, 1] < 0, -1, 2 - turned[:, 1])
    names = [f"rs{j + 1}" for j in order]
    other = read_plink(write(tmp_path / "turned", turned, ["A G", "G A"] + ["A G"] * 7, names))
    with pytest.warns(ardvark.ArdvarkWarning, match="of 1 of 9 variants, allele 2 of"):
        np.testing.assert_allclose(model.predict(other), model.predict(X), rtol=1e-10)
    fewer = write(tmp_path / "fewer", copies[:, :8])
    with pytest.raises(ardvark.InvalidArgumentError, match="rs9"):
        model.predict(read_plink(fewer))
    with pytest.warns(ardvark.ArdvarkWarning, match="1 are not in"):
        assert model.predict(read_plink(fewer, absent_variants="mean")).shape == (83,)
    model_of_numbers = BayesianLinearRegression().fit(X.to_numpy(), y)
    with pytest.raises(ardvark.InvalidArgumentError, match="not fitted to genotypes"):
        model_of_numbers.predict(X)


def test_a_model_file_keeps_the_alleles(tmp_path, study, y):
    X = read_plink(study)
    model = BayesianLinearRegression().fit(X, y)
    model.save(tmp_path / "m.ardvark")
    np.testing.assert_array_equal(ardvark.load(tmp_path / "m.ardvark").predict(X), model.predict(X))


def test_what_cannot_read_genotypes_says_what_to_do(study, y):
    X = read_plink(study)
    for estimator in (ardvark.KernelRegressor(), ardvark.BayesianCountRegression()):
        with pytest.raises(ardvark.InvalidArgumentError, match=r"X\.to_numpy\(\)"):
            estimator.fit(X, np.round(np.abs(y)))
    with pytest.raises(ardvark.InvalidArgumentError, match=r"X\.to_numpy\(\)"):
        np.asarray(X)
    with pytest.raises(ardvark.InvalidArgumentError, match="several classes"):
        BayesianLogisticRegression().fit(X, np.digitize(y, [-1, 1]))
    with pytest.raises(ardvark.InvalidArgumentError, match="--extract"):
        X[:, 0]
    with pytest.raises(ardvark.InvalidArgumentError, match="absent_variants"):
        read_plink(study, absent_variants="drop")
