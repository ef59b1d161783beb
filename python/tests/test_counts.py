"""Regressions of counts."""

import pickle
import sys

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import PoissonRegressor

import ardvark
from ardvark import BayesianCountRegression, _pieces

rng = np.random.default_rng(5)
X = rng.normal(size=(300, 3))
y = rng.poisson(np.exp(1 + 0.5 * X[:, 0] - 0.3 * X[:, 2]))


def test_without_a_prior_it_is_maximum_likelihood():
    ours = BayesianCountRegression("none", tol=1e-12).fit(X, y)
    theirs = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(X, y)
    # the mean of a variational posterior differs from the mode in the second order of the standard deviations
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=0.1 * ours.coef_std_.max())
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=2e-3)
    assert ours.score(X, y) == pytest.approx(ours.deviance_explained_, abs=1e-9)


def test_standard_deviations_are_those_of_the_curvature():
    model = BayesianCountRegression("none").fit(X, y)
    design = np.column_stack([X, np.ones(len(y))])
    information = design.T * model.predict(X) @ design
    np.testing.assert_allclose(model.coef_std_, np.sqrt(np.diag(np.linalg.inv(information))[:3]), rtol=0.01)


def test_predictions():
    model = BayesianCountRegression("shared").fit(X[:200], y[:200])
    mean, std = model.predict(X[200:], return_std=True)
    assert (std > np.sqrt(mean)).all()
    interval = model.predict_interval(X[200:])
    assert (interval == np.floor(interval)).all()
    assert 0.9 <= np.mean((interval[:, 0] <= y[200:]) & (y[200:] <= interval[:, 1])) <= 1
    of_mean = model.predict_interval(X[200:], interval="mean")
    assert (interval[:, 0] <= of_mean[:, 0]).all() and (of_mean[:, 1] <= interval[:, 1]).all()
    density = model.log_density(X[200:], y[200:])
    assert density.shape == (100,) and np.isfinite(density).all()


def test_a_file_and_a_clone_give_the_same_model(tmp_path):
    model = BayesianCountRegression("ard", tol=1e-9).fit(pandas.DataFrame(X, columns=list("abc")), y)
    model.save(tmp_path / "m.ardvark")
    again = ardvark.load(tmp_path / "m.ardvark")
    assert isinstance(again, BayesianCountRegression)
    assert (again.coef_ == model.coef_).all() and again.deviance_ == model.deviance_
    assert (clone(again).fit(pandas.DataFrame(X, columns=list("abc")), y).coef_ == model.coef_).all()


def test_texts_weights_and_draws():
    table = pandas.DataFrame({"site": np.where(X[:, 0] > -0.2, "a", "b"), "dose": X[:, 1], "visits": y})
    model = BayesianCountRegression("shared").fit(table, target="visits", sample_weight=np.full(300, 2.0))
    assert model.columns_ == ["site=b", "dose"]
    assert model.coef_[0] < 0
    draws = model.posterior_.sample(4000, random_state=0)
    np.testing.assert_allclose(draws.coef.std(axis=0), model.coef_std_, rtol=0.1)
    assert draws.noise_precision is None


@pytest.mark.parametrize(
    "options, target, message",
    [
        ({"prior": "laplace"}, y, "sparse, slab, dense, shared, ard, groups and none"),
        ({"prior": "best"}, y, "prior is 'best'; it must be one of ard, auto, dense, groups, none, shared, slab, sparse"),
        ({}, y - 0.5, "whole number"),
        ({}, -y, "whole number"),
        ({}, 0 * y, "every count is 0"),
        ({"missing": "impute"}, y, "missing"),
    ],
)
def test_refusals(options, target, message):
    with pytest.raises(ValueError, match=message):
        BayesianCountRegression(**options).fit(X, target)


@pytest.mark.parametrize("prior", ["auto", "sparse", "slab", "dense"])
def test_sparse_priors(prior, tmp_path):  # (SL.16)
    model = BayesianCountRegression(prior).fit(pandas.DataFrame(X, columns=list("abc")), y)
    assert model.converged_ and model.inclusion_.shape == (3,) and model.lambda_ is None
    if prior != "dense":
        assert model.inclusion_[[0, 2]].min() > 0.8 and model.inclusion_[1] < 0.3 and model.support_.tolist() == [True, False, True]
        assert sorted(a.columns.tolist() for a in model.alternatives_) == [[0], [2]]
    assert abs(model.coef_[0] - 0.5) < 3 * model.coef_std_[0]
    assert "rate ratio" in model.summary(odds=True)
    model.save(tmp_path / "m.ardvark")
    again, rows = ardvark.load(tmp_path / "m.ardvark"), pandas.DataFrame(X[:20], columns=list("abc"))
    assert (again.inclusion_ == model.inclusion_).all() and (again.predict_interval(rows) == model.predict_interval(rows)).all()
    draws = model.posterior_.sample(4000, random_state=0)
    np.testing.assert_allclose(draws.coef.std(axis=0), model.coef_std_, rtol=0.15)


def test_predictions_of_a_mixture():  # (SL.16): several parts, of which none is the posterior
    rows = slice(0, 25)
    model = BayesianCountRegression("sparse").fit(X[rows], y[rows])
    assert len(model._model.value("components")) > 1
    new = X[30:40]
    counts = np.arange(400)
    p = np.exp([model.log_density(np.tile(x, (400, 1)), counts) for x in new])
    mean, std = model.predict(new, return_std=True)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(p @ counts, mean, rtol=1e-4)
    np.testing.assert_allclose(np.sqrt(p @ counts**2 - (p @ counts) ** 2), std, rtol=1e-3)
    lower, upper = model.predict_interval(new).T.astype(int)
    below = np.cumsum(p, axis=1)
    for i in range(10):
        assert below[i, upper[i]] >= 0.975 - 1e-4 and (upper[i] == 0 or below[i, upper[i] - 1] < 0.975 + 1e-4)
        assert below[i, lower[i]] >= 0.025 - 1e-4 and (lower[i] == 0 or below[i, lower[i] - 1] < 0.025 + 1e-4)
    of_mean = model.predict_interval(new, interval="mean")
    assert (of_mean[:, 0] < mean).all() and (mean < of_mean[:, 1]).all()


def test_rate_ratios():
    model = BayesianCountRegression("shared").fit(pandas.DataFrame(X, columns=list("abc")), y)
    text = model.summary(odds=True)
    assert "rate ratio" in text and f"{np.exp(model.coef_[0]):.3f}" in text


def test_counts_that_vary_more_than_poisson():
    with pytest.warns(ardvark.ArdvarkWarning, match="they vary more"):
        BayesianCountRegression(family="poisson").fit(X, rng.poisson(np.exp(1 + rng.normal(size=300))))


@pytest.mark.parametrize(
    "truths",
    [np.arange(300) % 2 == 1, (np.arange(300) % 2 == 1).tolist(), pandas.array(np.arange(300) % 2 == 1, dtype="boolean"), [3.0, *[True] * 299]],
    ids=["numpy", "list", "pandas", "among_numbers"],
)
def test_true_and_false_are_no_counts(truths):
    if isinstance(truths, list) and truths[0] == 3:
        truths = np.array(truths, dtype=object)
    row = next(row for row, value in enumerate(truths, 1) if isinstance(value, (bool, np.bool_)))
    message = f"y at row {row} is {'True' if truths[row - 1] else 'False'}, which is no count; a regression of counts needs numbers"
    with pytest.raises(ValueError, match=message):
        BayesianCountRegression().fit(X, truths)
    with pytest.raises(ValueError, match=message):
        BayesianCountRegression().fit(pandas.DataFrame(X, columns=list("abc")).assign(visits=truths), target="visits")


def test_a_gap_is_not_advised_to_be_imputed():
    gappy = X.copy()
    gappy[4, 1] = np.nan
    with pytest.raises(ValueError, match="row 5, column 'x2' is NaN.*missing 'drop' leaves such rows out$"):
        BayesianCountRegression().fit(gappy, y)


def test_a_table_of_dask_with_its_target():
    dask = pytest.importorskip("dask.dataframe")
    table = dask.from_pandas(pandas.DataFrame({"dose": X[:, 0], "visits": y}), npartitions=2)
    with pytest.raises(ValueError, match=r"X is a dask DataFrame.*X\.compute\(\)"):
        BayesianCountRegression().fit(table, target="visits")


def exposed():
    days = np.random.default_rng(9).integers(1, 30, size=300).astype(float)
    visits = np.random.default_rng(8).poisson(days * np.exp(0.2 + 0.4 * X[:, 0]))
    return pandas.DataFrame({"dose": X[:, 0], "days": days, "age": X[:, 1]}), visits


def test_an_exposure_scales_the_counts_as_an_offset_does(tmp_path):
    table, visits = exposed()
    model = BayesianCountRegression("none", exposure="days", tol=1e-12).fit(table, visits)
    # a Poisson regression of rates, whose weights are the exposures, has the same likelihood
    theirs = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(table[["dose", "age"]], visits / table.days, table.days)
    np.testing.assert_allclose(model.coef_[[0, 2]], theirs.coef_, atol=0.02 * model.coef_std_.max())
    assert model.coef_[1] == 0 and model.coef_std_[1] == 0
    twice = table.assign(days=2 * table.days)
    np.testing.assert_allclose(model.predict(twice), 2 * model.predict(table), rtol=1e-12)
    assert model.score(table, visits) == pytest.approx(model.deviance_explained_, abs=1e-9)
    np.testing.assert_allclose(model.predict(table), table.days * theirs.predict(table[["dose", "age"]]), rtol=0.01)
    model.save(tmp_path / "m.ardvark")
    again = ardvark.load(tmp_path / "m.ardvark")
    # to the last bit but one: with AVX-512, a sum of OpenBLAS depends on where the table lies in memory
    np.testing.assert_allclose(again.predict(table), model.predict(table), rtol=1e-15)
    assert (clone(again).fit(table, visits).coef_ == model.coef_).all()
    by_position = BayesianCountRegression("none", exposure=1, tol=1e-12).fit(table.to_numpy(), visits)
    assert (by_position.coef_ == model.coef_).all()


@pytest.mark.parametrize("wrong", [True, ["days"], np.ones(300), 1.5])
def test_an_exposure_is_a_column(wrong):
    table, visits = exposed()
    with pytest.raises(ardvark.InvalidArgumentError, match="exposure is a .*; it must be the name or the position of a column of X: put the"):
        BayesianCountRegression(exposure=wrong).fit(table, visits)


def test_a_model_that_is_loaded_knows_its_exposure_by_name(tmp_path):
    table, visits = exposed()
    BayesianCountRegression(exposure=1).fit(table, visits).save(tmp_path / "m.ardvark")
    again = ardvark.load(tmp_path / "m.ardvark")
    assert again.exposure == "days"
    other = clone(again).fit(table[["days", "age", "dose"]], visits)
    assert other.coef_[0] == 0 and (other.predict(table[["days", "age", "dose"]]) > 0).all()


def test_an_exposure_does_not_count_for_the_prior():
    table, visits = exposed()
    few = BayesianCountRegression(exposure="days", lambda_1=1.0).fit(table[:10], visits[:10])
    assert any("ard" in note and "10 rows are at least 5 times 2 columns" in note for note in few.notes_)


def test_the_score_of_rows_of_one_rate():
    table, visits = exposed()
    model = BayesianCountRegression("shared", exposure="days").fit(table, visits)
    for rows, counts in ((1, visits[:1]), (5, np.zeros(5))):
        with pytest.warns(UndefinedMetricWarning, match="constant rate"):
            assert np.isnan(model.score(table[:rows], counts))


def test_a_row_of_weight_0_may_have_no_exposure():
    table, visits = exposed()
    table.loc[7, "days"] = 0
    weights = np.ones(300)
    weights[7] = 0
    model = BayesianCountRegression("shared", exposure="days").fit(table, visits, weights)
    np.testing.assert_allclose(model.coef_, BayesianCountRegression("shared", exposure="days").fit(table.drop(7), np.delete(visits, 7)).coef_, rtol=1e-9)


def test_an_exposure_beside_a_text_column():
    table, visits = exposed()
    table.insert(0, "site", np.where(X[:, 2] > 0, "a", "b"))
    model = BayesianCountRegression(exposure="days").fit(table, visits)
    assert model.columns_[2] == "days" and model.coef_[2] == 0
    with pytest.raises(ardvark.InvalidArgumentError, match="exposure 'site' is not a column of numbers of the table"):
        BayesianCountRegression(exposure="site").fit(table, visits)


@pytest.mark.parametrize("wrong", [0.0, -1.0])
def test_no_exposure_is_named_with_its_row(wrong):
    table, visits = exposed()
    model = BayesianCountRegression(exposure="days").fit(table, visits)
    table.loc[4, "days"] = wrong
    for refused in (lambda: model.predict(table), lambda: BayesianCountRegression(exposure="days").fit(table, visits)):
        with pytest.raises(ardvark.InvalidArgumentError, match=f"column 'days' is {wrong:g}; the exposure must be above 0") as caught:
            refused()
        assert (caught.value.row, caught.value.column) == (5, "days")
    with pytest.raises(ValueError, match="exposure names the column 'hours'"):
        BayesianCountRegression(exposure="hours").fit(table, visits)


def test_an_exposure_in_onnx():
    onnx = pytest.importorskip("onnx.reference") and sys.modules["onnx"]
    table, visits = exposed()
    model = BayesianCountRegression(exposure="days").fit(table, visits)
    mean, std = onnx.reference.ReferenceEvaluator(ardvark.to_onnx(model)).run(None, {"X": table.to_numpy()})
    np.testing.assert_allclose((mean, std), model.predict(table, return_std=True), rtol=1e-9)


def test_an_offset_is_a_logarithm_of_an_exposure(tmp_path):
    table, visits = exposed()
    by_exposure = BayesianCountRegression("ard", exposure="days", tol=1e-13).fit(table, visits)
    logs, rest = table.assign(days=np.log(table.days)), table[["dose", "age"]]
    by_column = BayesianCountRegression("ard", offset_column="days", tol=1e-13).fit(logs, visits)
    by_rows = BayesianCountRegression("ard", tol=1e-13).fit(rest, visits, offset=logs.days)
    np.testing.assert_allclose(by_column.coef_, by_exposure.coef_, rtol=1e-10)
    np.testing.assert_allclose(by_rows.coef_, by_exposure.coef_[[0, 2]], rtol=1e-10)
    assert by_rows.deviance_explained_ == pytest.approx(by_exposure.deviance_explained_, rel=1e-10)
    for model, X_new, given in ((by_column, logs, {}), (by_rows, rest, {"offset": logs.days})):
        np.testing.assert_allclose(model.predict(X_new, True, **given), by_exposure.predict(table, True), rtol=1e-9)
        np.testing.assert_allclose(model.predict_interval(X_new, **given), by_exposure.predict_interval(table))
        np.testing.assert_allclose(model.log_density(X_new, visits, **given), by_exposure.log_density(table, visits), rtol=1e-9)
        assert model.score(X_new, visits, **given) == pytest.approx(by_exposure.score(table, visits), rel=1e-9)
        model.save(tmp_path / "m.ardvark")
        again = ardvark.load(tmp_path / "m.ardvark")
        np.testing.assert_allclose(again.predict(X_new, **given), model.predict(X_new, **given), rtol=1e-15)
        assert (clone(again).fit(X_new, visits, **given).coef_ == model.coef_).all()
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_allclose(again.predict(X_new, **given), model.predict(X_new, **given), rtol=1e-15)
    assert "offset" in by_column.summary() and by_column.columns_[1] == "days"


def test_a_fit_with_offsets_asks_for_those_of_new_rows():
    table, visits = exposed()
    X_new = table[["dose", "age"]]
    model, without = BayesianCountRegression().fit(X_new, visits, offset=np.log(table.days)), BayesianCountRegression().fit(X_new, visits)
    for call in (model.predict, model.predict_interval, lambda X: model.log_density(X, visits), lambda X: model.score(X, visits)):
        with pytest.raises(ValueError, match="the model was fitted with an offset, so new rows need one, too"):
            call(X_new)
    with pytest.raises(ValueError, match="offset is given, but the model was fitted without one"):
        without.predict(X_new, offset=np.zeros(300))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.predict(X_new, offset=np.zeros(2))
    model.fit(X_new, visits)
    assert model.predict(X_new).shape == (300,)


@pytest.mark.parametrize("fit, message", [
    (lambda: BayesianCountRegression().fit(X, y, offset=np.r_[np.zeros(299), np.inf]), r"offset at row 300 is inf; all values must be finite"),
    (lambda: BayesianCountRegression().fit(X, y, offset=np.r_[np.zeros(299), 750]), "offset at row 300 is 750; the offset must be from -709 to"),
    (lambda: BayesianCountRegression(offset_column=1).fit(np.c_[X[:, 0], y - 800], y), r"X at row 1, .* is -[78]\d\d; the offset must be from -709"),
    (lambda: BayesianCountRegression().fit(X, y, offset=np.zeros(3)), "inconsistent numbers of samples"),
    (lambda: BayesianCountRegression().fit(X, y, offset="days"), r"offset is 'days'; it must be an array of numbers; .*offset_column='days'"),
    (lambda: BayesianCountRegression(exposure=0, offset_column=1).fit(np.abs(X), y), "offset_column cannot be given beside exposure"),
    (lambda: BayesianCountRegression(offset_column=1).fit(X, y, offset=np.zeros(300)), "cannot be given beside exposure or offset_column"),
    (lambda: BayesianCountRegression(offset_column=1, flat=[1]).fit(X, y), "is also named by flat; it has no coefficient"),
    (lambda: BayesianCountRegression(offset_column=2.5).fit(X, y), r"offset_column is a float; .*fit\(X, y, offset=...\)"),
])
def test_what_is_no_offset(fit, message):
    with pytest.raises(ValueError, match=message):
        fit()


def test_offsets_of_rows_that_are_left_out():
    table, visits = exposed()
    X_new, offset, weights = table[["dose", "age"]].copy(), np.log(table.days.to_numpy()), np.ones(300)
    weights[:20] = 0
    kept = BayesianCountRegression("shared", tol=1e-13).fit(X_new[20:], visits[20:], offset=offset[20:])
    weighted = BayesianCountRegression("shared", tol=1e-13).fit(X_new, visits, weights, offset=offset)
    np.testing.assert_allclose(weighted.coef_, kept.coef_, rtol=1e-9)
    X_new.iloc[:10, 0] = np.nan
    gaps = visits.astype(float)
    gaps[10:20] = np.nan  # a count that is missing
    dropped = BayesianCountRegression("shared", missing="drop", tol=1e-13).fit(X_new, gaps, offset=offset)
    np.testing.assert_allclose(dropped.coef_, kept.coef_, rtol=1e-9)
    assert any("20 rows were dropped because a value was missing" in note for note in dropped.notes_)


def test_offsets_of_a_sparse_x():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    offset = np.linspace(-1, 1, 300)
    dense, sparse = (BayesianCountRegression("shared", tol=1e-12).fit(one, y, offset=offset) for one in (X, scipy_sparse.csc_matrix(X)))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-7)
    np.testing.assert_allclose(sparse.predict(scipy_sparse.csr_matrix(X), offset=offset), dense.predict(X, offset=offset), rtol=1e-7)


def test_an_offset_in_onnx():
    onnx = pytest.importorskip("onnx.reference") and sys.modules["onnx"]
    table, visits = exposed()
    logs = table.assign(days=np.log(table.days))
    by_column = BayesianCountRegression(offset_column="days").fit(logs, visits)
    got = onnx.reference.ReferenceEvaluator(ardvark.to_onnx(by_column)).run(None, {"X": logs.to_numpy()})
    np.testing.assert_allclose(got, by_column.predict(logs, return_std=True), rtol=1e-9)
    by_rows = BayesianCountRegression().fit(table[["dose", "age"]], visits, offset=logs.days)
    given = {"X": table[["dose", "age"]].to_numpy(), "offset": logs.days.to_numpy()}
    got = onnx.reference.ReferenceEvaluator(ardvark.to_onnx(by_rows)).run(None, given)
    np.testing.assert_allclose(got, by_rows.predict(table[["dose", "age"]], return_std=True, offset=logs.days), rtol=1e-9)


def large():
    random = np.random.default_rng(5)
    table = pandas.DataFrame(random.normal(size=(12000, 3)), columns=["dose", "age", "height"])
    table["days"] = random.uniform(1, 30, size=12000)
    table["site"] = np.array(["a", "b", "c"])[random.integers(0, 3, size=12000)]
    table["k"] = random.integers(0, 3, size=12000).astype(float)
    table["visits"] = random.poisson(table.days * np.exp(-2 + 0.3 * table.dose + 0.2 * (table.site == "b")))
    return table


@pytest.mark.parametrize("weights", [None, "k"])
def test_a_table_that_is_read_in_pieces(tmp_path, weights, monkeypatch):  # (PASS.10)
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    table = large() if weights else large().drop(columns="k")
    table.to_parquet(tmp_path / "visits.parquet", row_group_size=5000)
    table.to_csv(tmp_path / "visits.csv", index=False)
    for prior, parameters in [("shared", {"exposure": "days"}), ("ard", {}), ("none", {"offset_column": "height"}), ("shared", {"flat": ["age"], "exposure": "days"})]:
        fits = [
            BayesianCountRegression(prior, family="poisson", tol=1e-14, **parameters).fit(source, "visits", sample_weight=weights)
            for source in (table, tmp_path / "visits.parquet", tmp_path / "visits.csv", lambda: iter([table[:4000], table[4000:]]))
        ]
        for model in fits[1:]:
            assert model.converged_ and model.columns_ == fits[0].columns_
            np.testing.assert_allclose(model.coef_, fits[0].coef_, atol=1e-8)
            assert model.deviance_explained_ == pytest.approx(fits[0].deviance_explained_, abs=1e-9)
            assert any("the rows were read" in note for note in model.notes_)
            assert model.score(table, table.visits) == pytest.approx(fits[0].score(table, table.visits), abs=1e-7)


def varied():  # counts that vary more than those of a Poisson distribution: k = .5
    table = large()
    table["visits"] = np.random.default_rng(6).negative_binomial(2, 2 / (2 + table.days * np.exp(-2 + 0.3 * table.dose)))
    return table


@pytest.mark.parametrize("family", ["negative-binomial", "auto"])
def test_a_dispersion_of_a_table_that_is_read_in_pieces(tmp_path, family, monkeypatch):  # (PASS.11)
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    table = varied()
    table.to_parquet(tmp_path / "visits.parquet", row_group_size=5000)
    fits = [
        BayesianCountRegression("shared", family=family, tol=1e-14, exposure="days").fit(source, "visits", sample_weight="k")
        for source in (table, tmp_path / "visits.parquet", lambda: iter([table[:4000], table[4000:]]))
    ]
    for model in fits[1:]:
        assert model.converged_ and model.family_ == "negative-binomial"
        np.testing.assert_allclose(model.coef_, fits[0].coef_, atol=1e-7)
        assert model.dispersion_ == pytest.approx(fits[0].dispersion_, rel=1e-5)  # in memory, ln k ends 5e-5 of its sd from the best one
        np.testing.assert_allclose(model.dispersion_interval_, fits[0].dispersion_interval_, rtol=1e-5)
        assert model.bound_ == pytest.approx(fits[0].bound_, abs=1e-4)


def test_what_pieces_do_not_have(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_pieces, "SMALL_BYTES", 0)
    table = large().drop(columns="k")
    table.to_parquet(tmp_path / "visits.parquet")
    with pytest.raises(ValueError, match="X is read in pieces, so the offset must be a column of it: offset_column="):
        BayesianCountRegression().fit(tmp_path / "visits.parquet", "visits", offset=np.zeros(12000))
    table.loc[11000, "visits"] = -1
    table.to_parquet(tmp_path / "visits.parquet")
    with pytest.raises(ValueError, match="-1; a count is a whole number"):
        BayesianCountRegression().fit(tmp_path / "visits.parquet", "visits")
    table.loc[11000, "visits"], table.loc[11500, "days"] = 1, 0
    table.to_parquet(tmp_path / "visits.parquet")
    with pytest.raises(ValueError, match="the exposure must be above 0") as caught:
        BayesianCountRegression(exposure="days").fit(tmp_path / "visits.parquet", "visits")
    assert (caught.value.row, caught.value.column) == (11501, "days")


def test_a_table_in_partitions():
    dataframe = pytest.importorskip("dask.dataframe")
    from ardvark import dask

    table = large().drop(columns="k")
    parts = dataframe.from_pandas(table, npartitions=3)
    whole = BayesianCountRegression("shared", exposure="days", tol=1e-14).fit(table, "visits")
    model = dask.BayesianCountRegression("shared", exposure="days", tol=1e-14).fit(parts, "visits")
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-8)
    np.testing.assert_allclose(model.predict(parts).compute(), whole.predict(table), rtol=1e-7)
    more = varied().drop(columns="k")
    fits = [
        kind("shared", exposure="days", tol=1e-14).fit(given, "visits")
        for kind, given in [(BayesianCountRegression, more), (dask.BayesianCountRegression, dataframe.from_pandas(more, npartitions=3))]
    ]
    assert [model.family_ for model in fits] == ["negative-binomial"] * 2
    np.testing.assert_allclose(fits[1].coef_, fits[0].coef_, atol=1e-7)
    assert fits[1].dispersion_ == pytest.approx(fits[0].dispersion_, rel=1e-5)
    with pytest.raises(ValueError, match="X is in partitions, so the offset must be a column of it"):
        dask.BayesianCountRegression().fit(parts, "visits", offset=np.zeros(12000))
