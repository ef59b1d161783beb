"""Statistics of rows of many targets, sources that are read in pieces, and partitions of Dask, against the fits of whole tables. (TGT.11)"""

import copy
import pickle
import warnings

import numpy as np
import pandas
import pytest

import ardvark.dask
from ardvark import ArdvarkWarning, BayesianLinearRegression, InvalidArgumentError, LinearStatistics, TargetStatistics, load
from scipy.sparse import csr_array

dask = pytest.importorskip("dask")
dask_array = pytest.importorskip("dask.array")
dask_frame = pytest.importorskip("dask.dataframe")

PRIORS = ["shared", "auto", "slab", "dense", "ard", "none"]
NAMES = [f"t{k}" for k in range(5)]


def rows(n=900, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1, 10, 0.1] + [3, 0, -1]
    Y = X @ (rng.normal(size=(3, 5)) * (rng.random((3, 5)) < 0.7)) + rng.normal(size=(n, 5)) * [0.1, 1, 2, 3, 4] + 5
    return X, Y


def table(n=900, seed=0):
    X, Y = rows(n, seed)
    return pandas.DataFrame(X, columns=["a", "b", "c"]).assign(**{name: Y[:, k] for k, name in enumerate(NAMES)})


def in_pieces(X, Y, size=130, weights=None):
    statistics = TargetStatistics()
    for first in range(0, len(X), size):
        part = slice(first, first + size)
        statistics.update(X[part], Y[part], None if weights is None else weights[part])
    return statistics


def assert_same_fits(found, expected, tolerance=1e-8):
    for name in ("coef_", "coef_std_", "intercept_", "noise_std_", "evidence_", "bound_", "r_squared_", "effective_parameters_", "degrees_of_freedom_"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=tolerance, atol=tolerance * np.max(np.abs(np.nan_to_num(getattr(expected, name)))))
    assert found.target_status_.tolist() == expected.target_status_.tolist()
    assert found.n_iter_ == expected.n_iter_


@pytest.mark.parametrize("prior", PRIORS)
def test_a_fit_of_statistics_is_that_of_the_rows(prior):
    X, Y = rows()
    weights = np.random.default_rng(1).uniform(0, 2, len(X))
    for given in (None, weights):
        found = BayesianLinearRegression(prior).fit(in_pieces(X, Y, weights=given))
        expected = BayesianLinearRegression(prior).fit(X, Y, given)
        assert_same_fits(found, expected)
        mean, std = found.predict(X[:7], return_std=True)
        np.testing.assert_allclose(mean, expected.predict(X[:7]), rtol=1e-7)
        np.testing.assert_allclose(std, expected.predict(X[:7], return_std=True)[1], rtol=1e-7)
        np.testing.assert_allclose(found.target_summary().probability, expected.target_summary().probability, atol=1e-6)
        assert np.isnan(found.r_squared_loo_).all()


def test_statistics_are_the_sums_of_the_rows():
    X, Y = rows()
    statistics = in_pieces(X, Y)
    assert (statistics.n_rows_, statistics.n_features_in_, statistics.n_targets_, statistics.weight_) == (900, 3, 5, 900)
    away, apart = X - X.mean(axis=0), Y - Y.mean(axis=0)
    np.testing.assert_allclose(statistics.mean_, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(statistics.target_mean_, Y.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(statistics.cross_, away.T @ away, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(statistics.target_cross_, apart.T @ away, rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(statistics.target_squares_, (apart**2).sum(axis=0), rtol=1e-13)
    assert "900 rows, 3 columns, 5 targets" in repr(statistics)


def test_pieces_of_any_size_type_and_order_give_the_same_bits():
    rng = np.random.default_rng(2)
    X, Y = rng.integers(-100, 100, (3000, 4)), rng.integers(-100, 100, (3000, 6))
    whole = TargetStatistics().update(X, Y).to_bytes()
    for size in (1, 77, 700, 2999):
        assert in_pieces(X, Y, size).to_bytes() == whole
    for kind in (np.int8, np.float32, np.float64):
        for order in "CF":
            assert in_pieces(np.asarray(X, kind, order=order), np.asarray(Y, kind, order=order)).to_bytes() == whole
    assert in_pieces(pandas.DataFrame(X, columns=list("abcd")).to_numpy()[::1], np.asarray(Y[:, ::-1])[:, ::-1]).to_bytes() == whole


def test_statistics_are_merged_copied_and_kept_in_files(tmp_path):
    X, Y = rows()
    whole = in_pieces(X, Y)
    merged = in_pieces(X[:500], Y[:500]).merge(in_pieces(X[500:], Y[500:]))
    np.testing.assert_allclose(merged.target_cross_, whole.target_cross_, rtol=1e-11)
    assert merged.merge(merged).n_rows_ == 1800
    for again in (pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole), TargetStatistics.from_bytes(whole.to_bytes())):
        assert again.to_bytes() == whole.to_bytes() and again.n_rows_ == 900
    named = TargetStatistics().update(table(), NAMES)
    named.save(tmp_path / "part.stats")
    read = TargetStatistics.load(tmp_path / "part.stats")
    assert read.target_names_.tolist() == NAMES and read.feature_names_in_.tolist() == ["a", "b", "c"]
    assert read.update(table(10, 3), NAMES).n_rows_ == 910
    data = (tmp_path / "part.stats").read_bytes()
    (tmp_path / "cut.stats").write_bytes(data[:-9])
    with pytest.raises(InvalidArgumentError, match="cut.stats.*cannot be read as statistics of many targets"):
        TargetStatistics.load(tmp_path / "cut.stats")
    (tmp_path / "one.stats").write_bytes(LinearStatistics().update(X, Y[:, 0]).to_bytes())
    with pytest.raises(InvalidArgumentError, match="not an ardvark target-statistics file"):
        TargetStatistics.load(tmp_path / "one.stats")


def test_rows_that_are_refused_change_nothing():
    statistics = TargetStatistics().update(table(), NAMES)
    before = statistics.to_bytes()
    wrong = table(20, 1)
    wrong.loc[3, "b"] = np.nan
    with pytest.raises(InvalidArgumentError, match="row 904 has the value nan in column 'b'") as caught:
        statistics.update(wrong, NAMES)
    assert (caught.value.row, caught.value.column) == (904, "b")
    for given, targets, message in (
        (table(5).drop(columns="a"), NAMES, "no column 'a'"),
        (table(5).assign(z=1.0), NAMES, "the column 'z', which earlier rows do not have"),
        (table(5).assign(a="x"), NAMES, "column 'a' of X holds texts"),
        (table(5), [*NAMES, "zz"], "'zz', which is not a column"),
        (table(5), ["t0", "t0"], "names the column 't0' 2 times"),
        (table(5), [*NAMES[1:], "t0"], "the target 't1'; that of earlier rows is 't0'"),
        (table(5), table(5)[NAMES], "'t0' is a column of X and of Y; a target must not explain itself"),
        (table(5), table(5)[NAMES].to_numpy(), "'t0' is a column of X and of Y; a target must not explain itself"),
        (table(5)[["a", "b", "c"]], np.zeros((4, 5)), "Y has 4 rows and X has 5"),
        (table(5)[["a", "b", "c"]], np.zeros((5, 4)), "Y has 4 columns; the statistics have 5"),
    ):
        with pytest.raises(ValueError, match=message):
            statistics.update(given, targets)
    with pytest.raises(InvalidArgumentError, match="row 2.*sample_weight|sample_weight at row 2"):
        statistics.update(table(3), NAMES, np.array([1.0, -1, 1]))
    assert statistics.to_bytes() == before and statistics.n_rows_ == 900
    with pytest.raises(ValueError, match="the table to add has 1 column; the statistics have 3"):
        statistics.merge(TargetStatistics().update([[1.0]], [[1.0, 2.0]]))


def test_tables_give_names_truths_and_weights():
    given = table().assign(flag=lambda rows: rows.a > 3, w=np.linspace(0.5, 2, 900))
    statistics = TargetStatistics().update(given, NAMES, "w")
    model = BayesianLinearRegression("shared").fit(statistics)
    numbers = given.assign(flag=given.flag.astype(float))
    expected = BayesianLinearRegression("shared").fit(numbers.drop(columns=[*NAMES, "w"]), given[NAMES], given.w)
    assert_same_fits(model, expected)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "flag"] and model.target_names_.tolist() == NAMES
    shuffled = given[["w", "flag", "c", *NAMES, "b", "a"]]
    assert TargetStatistics().update(given[:400], NAMES, "w").update(shuffled[400:], NAMES, "w").to_bytes() == statistics.to_bytes()
    flat = BayesianLinearRegression("shared", flat=["b"]).fit(statistics)
    assert_same_fits(flat, BayesianLinearRegression("shared", flat=["b"]).fit(numbers.drop(columns=[*NAMES, "w"]), given[NAMES], given.w))


def test_a_target_with_a_gap_leaves_the_others_as_they_are():
    X, Y = rows()
    expected = BayesianLinearRegression("shared").fit(in_pieces(X, Y))
    Y = Y.copy()
    Y[700, 1], Y[5, 3] = np.nan, 1e200
    statistics = in_pieces(X, Y)
    assert statistics.target_status_.tolist() == ["converged", "not_finite", "converged", "out_of_range", "converged"]
    with pytest.warns(ArdvarkWarning, match="2 of 5 targets are not fitted"):
        model = BayesianLinearRegression("shared").fit(statistics)
    kept = [0, 2, 4]
    np.testing.assert_array_equal(model.coef_[kept], expected.coef_[kept])
    assert np.isnan(model.coef_[[1, 3]]).all() and model.target_status_.tolist() == statistics.target_status_.tolist()


def test_what_needs_rows_is_refused():
    X, Y = rows()
    statistics = in_pieces(X, Y)
    for options, message in (
        ({"missing": "drop"}, "missing"),
        ({"noise": "student"}, "noise"),
        ({"prior": "laplace"}, "lambda"),
        ({"reference": {"a": "x"}}, "no text columns"),
        ({"solver": "iterative", "prior": "shared"}, "iterative"),
    ):
        with pytest.raises(ValueError, match=message):
            BayesianLinearRegression(**options).fit(statistics)
    with pytest.raises(ValueError, match="belong to the rows"):
        BayesianLinearRegression().fit(statistics, Y)
    with pytest.raises(ValueError, match="no rows"):
        BayesianLinearRegression().fit(TargetStatistics())
    with pytest.raises(ValueError, match="weights are all zero"):
        BayesianLinearRegression().fit(TargetStatistics().update(X, Y, np.zeros(len(X))))


def test_a_model_of_statistics_is_saved_and_pickled(tmp_path):
    X, Y = rows()
    model = BayesianLinearRegression("shared").fit(in_pieces(X, Y))
    model.save(tmp_path / "model.ardvark")
    for again in (load(tmp_path / "model.ardvark"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict(X[:5], return_std=True), model.predict(X[:5], return_std=True))
    out = np.zeros((5, 3))
    assert BayesianLinearRegression("shared").fit(in_pieces(X, Y), out=out).coef_ is out
    np.testing.assert_array_equal(out, model.coef_)


def test_partial_fit_adds_rows_of_many_targets():
    X, Y = rows()
    model = BayesianLinearRegression("shared")
    for first in range(0, 900, 300):
        model.partial_fit(X[first : first + 300], Y[first : first + 300])
    assert_same_fits(model, BayesianLinearRegression("shared").fit(X, Y))
    assert model.statistics_.n_rows_ == 900
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="nan"):
        model.partial_fit(np.full((3, 3), np.nan), Y[:3])
    np.testing.assert_array_equal(model.coef_, before)
    other = BayesianLinearRegression("shared").partial_fit(X[:100], Y[:100])
    assert model.merge(other).statistics_.n_rows_ == 1000
    again = pickle.loads(pickle.dumps(model)).partial_fit(X[:50], Y[:50])
    assert again.statistics_.n_rows_ == 1050
    with pytest.raises(InvalidArgumentError, match="fitted to one target, and y has several columns"):
        BayesianLinearRegression("shared").fit(X, Y[:, 0]).partial_fit(X, Y)
    with pytest.raises(InvalidArgumentError, match="fitted to 5 targets, and has no statistics"):
        BayesianLinearRegression("shared").fit(X, Y).partial_fit(X, Y)
    with pytest.raises(ValueError, match="Y has 1 column; the statistics have 5"):
        model.partial_fit(X, Y[:, 0])


def test_sources_in_pieces_have_many_targets(tmp_path):
    whole = table()
    expected = BayesianLinearRegression("shared").fit(whole, target=NAMES)
    parts = [whole.iloc[first : first + 250] for first in range(0, 900, 250)]
    for number, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{number}.parquet")
        part.to_csv(tmp_path / f"{number}.csv", index=False)
    sources = [iter(parts), lambda: iter(parts), f"{tmp_path}/*.parquet", f"{tmp_path}/*.csv", tmp_path / "0.parquet"]
    for source in sources[:-1]:
        model = BayesianLinearRegression("shared").fit(source, target=NAMES)
        assert_same_fits(model, expected)
        assert model.target_names_.tolist() == NAMES and model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert BayesianLinearRegression("shared").fit(sources[-1], target=NAMES).statistics_.n_rows_ == 250
    weighted = BayesianLinearRegression("shared").fit(iter([part.assign(w=2.0) for part in parts]), target=NAMES, sample_weight="w")
    assert weighted.statistics_.weight_ == 1800
    assert model.predict_to(f"{tmp_path}/*.parquet", tmp_path / "out.csv") == 900
    assert pandas.read_csv(tmp_path / "out.csv").columns.tolist() == NAMES


def test_pieces_may_be_pairs_of_arrays():
    X, Y = rows()
    expected = BayesianLinearRegression("shared").fit(X, Y)

    def pieces(*columns):
        return ((X[first : first + 200], Y[first : first + 200][(slice(None), *columns)]) for first in range(0, 900, 200))

    assert_same_fits(BayesianLinearRegression("shared").fit(pieces()), expected)
    assert_same_fits(BayesianLinearRegression("shared").fit(lambda: pieces()), expected)
    one = BayesianLinearRegression("shared").fit(pieces(1))
    np.testing.assert_allclose(one.coef_, expected.coef_[1], rtol=1e-9)
    weighted = BayesianLinearRegression("shared").fit((*piece, np.full(len(piece[0]), 3.0)) for piece in pieces())
    assert weighted.statistics_.weight_ == 2700
    with pytest.raises(ValueError, match="must be the name of its column"):
        BayesianLinearRegression().fit(iter([table()]))
    with pytest.raises(ValueError, match="each may be"):
        BayesianLinearRegression().fit(pieces(), sample_weight="w")
    wrong = X.copy()
    wrong[500, 1] = np.inf
    with pytest.raises(InvalidArgumentError, match="row 501"):
        BayesianLinearRegression().fit((wrong[first : first + 200], Y[first : first + 200]) for first in range(0, 900, 200))


def test_rows_of_sources_are_named_with_their_files(tmp_path):
    for number in range(2):
        table(100, number).to_csv(tmp_path / f"{number}.csv", index=False)
    wrong = table(100, 2)
    wrong.loc[7, "c"] = np.nan
    wrong.to_csv(tmp_path / "2.csv", index=False)
    with pytest.raises(InvalidArgumentError, match=r"row 8 of '.*2.csv' has the value nan in column 'c'.*missing='drop'"):
        BayesianLinearRegression("shared").fit(tmp_path, target=NAMES)
    model = BayesianLinearRegression("shared", missing="drop").fit(tmp_path, target=NAMES)
    assert any("1 row was dropped" in note for note in model.notes_)
    for target, message in (([*NAMES, "zz"], "'zz'"), ([], "empty list"), (["t0", "t0"], "2 times")):
        with pytest.raises(ValueError, match=message):
            BayesianLinearRegression("shared").fit(tmp_path, target=target)


def test_texts_in_files_are_read_in_memory_if_they_are_few(tmp_path):
    whole = table().assign(city=np.resize(["Ulm", "Bern", "Rom"], 900))
    whole.to_csv(tmp_path / "all.csv", index=False)
    model = BayesianLinearRegression("shared").fit(str(tmp_path / "all.csv"), target=NAMES)
    assert_same_fits(model, BayesianLinearRegression("shared").fit(whole, target=NAMES))
    with pytest.raises(InvalidArgumentError, match="column 'city' of X holds texts"):
        BayesianLinearRegression("shared").fit(iter([whole]), target=NAMES)


def test_partitions_of_dask_have_many_targets():
    X, Y = rows()
    expected = BayesianLinearRegression("shared").fit(X, Y)
    x, y = dask_array.from_array(X, chunks=(200, 2)), dask_array.from_array(Y, chunks=(200, 3))
    with dask.config.set(scheduler="synchronous"):
        model = ardvark.dask.BayesianLinearRegression("shared").fit(x, y)
        assert_same_fits(model, expected)
        mean, std = model.predict(x, return_std=True)
        assert mean.shape == std.shape == (900, 5)
        np.testing.assert_allclose(mean.compute(), expected.predict(X), rtol=1e-9)
        np.testing.assert_allclose(std.compute(), expected.predict(X, return_std=True)[1], rtol=1e-9)
        whole = table()
        frame = dask_frame.from_pandas(whole, npartitions=4)
        for fitted in (
            ardvark.dask.BayesianLinearRegression("shared").fit(frame, target=NAMES),
            ardvark.dask.BayesianLinearRegression("shared").fit(frame, NAMES),
            ardvark.dask.BayesianLinearRegression("shared").fit(frame[["a", "b", "c"]], frame[NAMES]),
        ):
            assert_same_fits(fitted, expected)
            assert fitted.target_names_.tolist() == NAMES
        found = fitted.predict(frame).compute()
        pandas.testing.assert_frame_equal(found, pandas.DataFrame(expected.predict(X), columns=NAMES, index=whole.index), rtol=1e-9)
        assert fitted.predict(frame[["a", "b", "c"]], return_std=True)[1].compute().columns.tolist() == NAMES
        more = fitted.partial_fit(frame[["a", "b", "c"]], frame[NAMES])
        assert more.statistics_.n_rows_ == 1800
        assert ardvark.dask.BayesianLinearRegression("shared").fit(frame[["a", "b", "c", "t0"]], target=["t0"]).coef_.shape == (3,)
        other = ardvark.dask.BayesianLinearRegression("shared").fit(x, y + 1)
        assert dask.base.tokenize(other) != dask.base.tokenize(model)
        with pytest.raises(ValueError, match="'t0' is a column of X and of Y"):
            ardvark.dask.BayesianLinearRegression("shared").fit(frame, frame[NAMES])
        with pytest.raises(ValueError, match="in partition 1: row 50 has the value nan in column 'a'"):
            wrong = whole.copy()
            wrong.loc[274, "a"] = np.nan
            ardvark.dask.BayesianLinearRegression("shared").fit(dask_frame.from_pandas(wrong, npartitions=4), target=NAMES)
        with pytest.raises(ValueError, match="noise"):
            ardvark.dask.BayesianLinearRegression("shared", noise="student").fit(x, y)


@pytest.mark.parametrize("names, message", [(["t0", "tt"], "target is 'tt', which is not a column of X"), (["t0", "t1", "t0"], "target names the column 't0' 2 times")])
def test_wrong_names_of_targets_of_pieces_are_said_of_target(names, message, tmp_path):
    table().to_csv(tmp_path / "rows.csv", index=False)
    for source in (tmp_path, lambda: iter([table()])):
        with pytest.raises(InvalidArgumentError, match=message):
            BayesianLinearRegression("shared").fit(source, target=names)


def test_statistics_of_another_kind_are_not_added():
    X, Y = rows()
    one, many = LinearStatistics().update(X, Y[:, 0]), in_pieces(X, Y)
    for statistics, others in ((one, (many, None, BayesianLinearRegression())), (many, (one, None, BayesianLinearRegression()))):
        before = statistics.to_bytes()
        for other in others:
            with pytest.raises(InvalidArgumentError, match=f"right is of the type {type(other).__name__}; only {type(statistics).__name__} can be added"):
                statistics.merge(other)
        assert statistics.to_bytes() == before
    with pytest.raises(InvalidArgumentError, match="right is of the type TargetStatistics"):
        BayesianLinearRegression().fit([one, many])


@pytest.mark.parametrize("kind", [TargetStatistics, LinearStatistics])
def test_columns_named_by_numbers_are_found_by_their_names_in_statistics_of_a_file(kind):
    X, Y = rows()
    Y = Y if kind is TargetStatistics else Y[:, 0]
    given = pandas.DataFrame(X, columns=["x1", "x2", "x3"])
    shuffled = given[["x3", "x1", "x2"]]
    expected = kind().update(given, Y).cross_
    part = kind().update(given[:400], Y[:400])
    for earlier in (part, pickle.loads(pickle.dumps(part)), kind().merge(part), kind().update(X[:400], Y[:400])):
        np.testing.assert_allclose(copy.deepcopy(earlier).update(shuffled[400:], Y[400:]).cross_, expected, rtol=1e-11, atol=1e-9)
        model = BayesianLinearRegression("none").fit(kind.from_bytes(earlier.to_bytes())).partial_fit(shuffled[400:], Y[400:])
        np.testing.assert_allclose(model.statistics_.cross_, expected, rtol=1e-11, atol=1e-9)
    first = kind().update(shuffled, Y)
    assert first.feature_names_in_.tolist() == ["x3", "x1", "x2"]
    np.testing.assert_allclose(first.mean_[:3], X.mean(axis=0)[[2, 0, 1]], rtol=1e-12)


@pytest.mark.parametrize("kind", [TargetStatistics, LinearStatistics])
def test_first_rows_that_are_refused_leave_no_names(kind):
    whole = table()
    Y = whole[NAMES] if kind is TargetStatistics else whole.t0
    X = whole[["a", "b", "c"]]
    wrong = X.assign(b=np.nan)
    for later in (X.rename(columns={"a": "z"}), X[["c", "b"]], X.to_numpy()[:, :2]):
        for given in (Y, Y.to_numpy()):
            statistics = kind()
            with pytest.raises(InvalidArgumentError, match="in column 'b'"):
                statistics.update(wrong, Y)
            assert not hasattr(statistics, "feature_names_in_")
            assert statistics.update(later, given).to_bytes() == kind().update(later, given).to_bytes()
            assert hasattr(statistics, "feature_names_in_") == hasattr(later, "columns")
            assert getattr(statistics, "target_names_", [])[:1] == getattr(kind().update(later, given), "target_names_", [])[:1]


@pytest.mark.parametrize("kind", [TargetStatistics, LinearStatistics])
def test_rows_that_one_model_adds_are_not_those_of_another_model_of_the_same_statistics(kind):
    X, Y = rows()
    Y = Y if kind is TargetStatistics else Y[:, 0]
    statistics = kind().update(X[:500], Y[:500])
    before = statistics.to_bytes()
    models = [BayesianLinearRegression(prior).fit(statistics) for prior in ("none", "shared", "ard")]
    assert all(model.statistics_ is statistics for model in models)
    models[0].partial_fit(X[500:], Y[500:])
    models[1].merge(BayesianLinearRegression().partial_fit(X[500:], Y[500:]))
    models[2].partial_fit(X[500:700], Y[500:700]).partial_fit(X[700:], Y[700:])
    assert statistics.to_bytes() == before
    for model in models:
        assert model.statistics_.n_rows_ == 900
        np.testing.assert_allclose(model.coef_, BayesianLinearRegression(model.prior).fit(X, Y).coef_, rtol=1e-7, atol=1e-9)


def test_a_list_of_statistics_is_the_parts_of_a_table():
    X, Y = rows()
    parts = [in_pieces(X[first : first + 300], Y[first : first + 300]) for first in range(0, 900, 300)]
    before = [part.to_bytes() for part in parts]
    for given in (parts, tuple(parts)):
        model = BayesianLinearRegression("shared").fit(given)
        assert_same_fits(model, BayesianLinearRegression("shared").fit(X, Y))
        assert model.statistics_.n_rows_ == 900
    assert [part.to_bytes() for part in parts] == before
    with pytest.raises(InvalidArgumentError, match="right is of the type LinearStatistics"):
        BayesianLinearRegression().fit([*parts, LinearStatistics()])
    with pytest.raises(InvalidArgumentError, match="the table to add has 2 columns; the statistics have 3"):
        BayesianLinearRegression().fit([*parts, in_pieces(X[:, :2], Y)])
    with pytest.raises(ValueError, match="belong to the rows"):
        BayesianLinearRegression().fit(parts, Y)
    with pytest.raises(ValueError, match="this estimator has no statistics of its rows.*fit to TargetStatistics"):
        BayesianLinearRegression().fit(X, Y).merge(model)


@pytest.mark.parametrize("kind", [TargetStatistics, LinearStatistics])
def test_texts_of_digits_are_refused_and_gaps_of_any_type_have_their_row_and_column(kind):
    X, Y = rows(20)
    Y = Y if kind is TargetStatistics else Y[:, 0]
    named = pandas.DataFrame(X, columns=["a", "b", "c"])
    for given in (X.astype(str), np.where(X > 4, "many", X).astype(object)):
        with pytest.raises(ValueError, match="X holds text"):
            kind().update(given, Y)
    gap = pandas.array([1, 2, None] * 6 + [1, 2], dtype="Int64")
    unknown = X.astype(object)
    unknown[2, 1] = None
    for given, column in ((named.assign(b=gap), "b"), (unknown, "x2")):
        with pytest.raises(InvalidArgumentError, match=f"row 3 has (the value nan|no value) in column '{column}'|row 3, column '{column}'") as caught:
            kind().update(given, Y)
        assert (caught.value.row, caught.value.column) == (3, column)
    assert kind().update(named.astype("Float64"), Y).to_bytes() == kind().update(named, Y).to_bytes()
    assert kind().update(X.astype(object), Y).to_bytes() == kind().update(X, Y).to_bytes()


def test_wrong_targets_and_pieces_are_said_in_words():
    X, Y = rows(30)
    for given in (None, 3.0, Y[:, :, None]):
        with pytest.raises(InvalidArgumentError, match=r"y has the shape \(.*\); it must have a row for each row of X, and a column for each target"):
            TargetStatistics().update(X, given)
    unknown = pandas.Series([1, 2, None] * 10, dtype="Int64")
    assert TargetStatistics().update(X, unknown).target_status_.tolist() == ["not_finite"]
    whole = table(30)
    assert TargetStatistics().update(whole[["a", "b", "t0"]], "t0").to_bytes() == TargetStatistics().update(whole[["a", "b", "t0"]], ["t0"]).to_bytes()
    for piece, kind in (((X,), "tuple"), (X, "ndarray"), (None, "NoneType"), ((X, Y, None, None), "tuple")):
        with pytest.raises(InvalidArgumentError, match=rf"in the rows after row 30: a piece of X is of the type {kind}; after a first piece \(X, y\) each is"):
            BayesianLinearRegression("shared").fit(iter([(X, Y), piece]))
    with pytest.raises(InvalidArgumentError, match="X is sparse; TargetStatistics needs a dense X"):
        BayesianLinearRegression("shared").fit(iter([(csr_array(X), Y)]))
    model = BayesianLinearRegression("shared").fit(iter([(whole[:10], NAMES), (whole[10:10], NAMES), (whole[10:], NAMES)]))
    assert_same_fits(model, BayesianLinearRegression("shared").fit(whole, target=NAMES))
    frame = dask_frame.from_pandas(whole, npartitions=2)
    for target, message in ((["t0", 3], "^target names the column 3; columns of what"), (["t0", "t1", "t0"], "^target names the column 't0' 2 times"), ([], "^target is an empty list")):
        with pytest.raises(ValueError, match=message):
            ardvark.dask.BayesianLinearRegression("shared").fit(frame, target=target)
        with pytest.raises(ValueError, match=message):
            BayesianLinearRegression("shared").fit(iter([whole]), target=target)
    with pytest.raises(InvalidArgumentError, match="^target is 't9', which is not a column of X; the columns are 'a', 'b', 'c', 't0'"):
        ardvark.dask.BayesianLinearRegression("shared").fit(frame, target=["t0", "t9"])


@pytest.mark.parametrize("kind", [TargetStatistics, LinearStatistics])
@pytest.mark.parametrize("add", ["partial_fit", "merge", "dask", "callback"])
def test_rows_whose_fit_is_refused_are_not_in_the_statistics(kind, add):
    X, Y = rows(300)
    Y = Y if kind is TargetStatistics else Y[:, 0]
    near = np.column_stack([X[:, 0], X[:, 0] * (1 + 1e-7 * X[:, 1]), X[:, 2]]) * 1e7  # beside it, the first rows are nothing

    def heard(progress):
        raise RuntimeError("the caller ends the fit")

    def added(model):
        if add == "merge":
            return model.merge(BayesianLinearRegression("shared").fit(kind().update(near, Y)))
        if add == "dask":
            return model.partial_fit(dask_array.from_array(near, chunks=(100, 3)), dask_array.from_array(Y, chunks=(100, *Y.shape[1:])))
        return model.set_params(callback=heard).partial_fit(X[100:], Y[100:]) if add == "callback" else model.partial_fit(near, Y)

    estimator = ardvark.dask.BayesianLinearRegression("none") if add == "dask" else BayesianLinearRegression("none")
    given = kind().update(X[:100], Y[:100])
    model = estimator.fit(given)
    for statistics in (given, None):
        before = {name: value for name, value in vars(model).items() if name != "callback"}
        data, coef, mean = model.statistics_.to_bytes(), model.coef_.copy(), model.predict(X)
        for _ in range(2):
            with pytest.raises((ValueError, RuntimeError), match="collinear|the caller ends the fit"):
                added(model)
        assert {name: value for name, value in vars(model).items() if name != "callback"}.keys() == before.keys()
        assert all(getattr(model, name) is value for name, value in before.items())
        assert model.statistics_.to_bytes() == data
        np.testing.assert_array_equal(model.coef_, coef)
        np.testing.assert_array_equal(model.predict(X), mean)
        model = model.set_params(callback=None).partial_fit(X[100:], Y[100:])
        assert model.statistics_.n_rows_ == (300 if statistics is given else 500)
        if statistics is given:
            np.testing.assert_allclose(model.coef_, BayesianLinearRegression("none").fit(X, Y).coef_, rtol=1e-8, atol=1e-9)
    assert given.n_rows_ == 100


@pytest.mark.parametrize("kind", [TargetStatistics, LinearStatistics])
def test_first_rows_whose_fit_is_refused_leave_an_estimator_as_new(kind):
    X, Y = rows(40)
    Y = Y if kind is TargetStatistics else Y[:, 0]
    named = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = BayesianLinearRegression("shared", max_iter=-3)
    before = set(vars(model))
    for _ in range(2):
        with pytest.raises(InvalidArgumentError, match="max_iter"):
            model.partial_fit(named, Y)
        assert set(vars(model)) == before
    assert model.set_params(max_iter=None).partial_fit(X[:, :2], Y).statistics_.n_rows_ == 40


@pytest.mark.parametrize("kind", [TargetStatistics, LinearStatistics])
def test_copies_have_the_bits_of_rows_that_are_added_to_them(kind):
    X, Y = rows(5000)
    Y = Y if kind is TargetStatistics else Y[:, 0]
    whole = kind().update(X, Y).to_bytes()
    part = kind().update(X[:1700], Y[:1700])
    for again in (copy.copy(part), copy.deepcopy(part)):
        assert again.to_bytes() == part.to_bytes()
        assert again.update(X[1700:], Y[1700:]).to_bytes() == whole and part.n_rows_ == 1700
    named = kind().update(pandas.DataFrame(X, columns=["a", "b", "c"]), Y)
    assert copy.copy(named).feature_names_in_.tolist() == ["a", "b", "c"] and repr(copy.copy(named)) == repr(named)
    model = BayesianLinearRegression("shared")
    for first in range(0, 5000, 1000):
        model.partial_fit(X[first : first + 1000], Y[first : first + 1000])
    assert model.statistics_.to_bytes() == whole


@pytest.mark.parametrize("kind", [TargetStatistics, LinearStatistics])
def test_a_file_of_statistics_tells_whether_the_columns_have_names(kind, tmp_path):
    X, Y = rows(200)
    Y = pandas.DataFrame(Y, columns=NAMES) if kind is TargetStatistics else pandas.Series(Y[:, 0], name="t0")
    given = pandas.DataFrame(X, columns=["x1", "x2", "x3"])
    expected = BayesianLinearRegression("none").fit(given, Y)
    for table_of, weights in ((given, None), (X, None), (X, np.zeros(200)), (given, np.ones(200))):
        statistics = kind().update(table_of, Y, weights)
        statistics.save(tmp_path / "of.stats")
        for again in (kind.load(tmp_path / "of.stats"), pickle.loads(pickle.dumps(statistics)), kind().merge(statistics)):
            assert hasattr(again, "feature_names_in_") == (table_of is given)
            assert again.to_bytes() == statistics.to_bytes()
            if weights is not None and not weights.any():
                again = again.merge(kind().update(X, Y))  # a partition without weights comes first
                assert not hasattr(again, "feature_names_in_")
                continue
            model = BayesianLinearRegression("none").fit(again)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                np.testing.assert_allclose(model.predict(table_of), expected.predict(given), rtol=1e-9)
            if table_of is given:
                for fitted in (expected, model):
                    with pytest.raises(ValueError, match="Feature names must be in the same order"):
                        fitted.predict(given[["x2", "x1", "x3"]])


def test_rows_of_weight_zero_take_no_part_whatever_their_targets_hold():
    X, Y = rows(300)
    weights = np.where(np.arange(300) % 7 == 3, 0, 1.5)
    wrong = Y.copy()
    wrong[weights == 0] = [np.nan, np.inf, 1e200, -np.inf, 3]
    statistics = in_pieces(X, wrong, weights=weights)
    assert statistics.target_status_.tolist() == ["converged"] * 5
    assert statistics.to_bytes() == in_pieces(X, Y, weights=weights).to_bytes()
    for prior in PRIORS:
        assert_same_fits(BayesianLinearRegression(prior).fit(statistics), BayesianLinearRegression(prior).fit(X, wrong, weights))
    with dask.config.set(scheduler="synchronous"):
        x, y, w = (dask_array.from_array(values, chunks=(100, *values.shape[1:])) for values in (X, wrong, weights))
        assert_same_fits(ardvark.dask.BayesianLinearRegression("shared").fit(x, y, w), BayesianLinearRegression("shared").fit(X, Y, weights))


def test_columns_and_targets_of_other_statistics_are_found_by_their_names():
    whole = table()
    expected = TargetStatistics().update(whole[:500], NAMES).merge(TargetStatistics().update(whole[500:], NAMES))
    other = TargetStatistics().update(whole[500:][[*NAMES[::-1], "c", "a", "b"]], [NAMES[k] for k in (3, 0, 4, 1, 2)])
    for right in (other, pickle.loads(pickle.dumps(other))):
        found = TargetStatistics().update(whole[:500], NAMES).merge(right)
        assert found.feature_names_in_.tolist() == ["a", "b", "c"] and found.target_names_.tolist() == NAMES
        for name in ("mean_", "target_mean_", "cross_", "target_cross_", "target_squares_"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-9)
        assert right.target_names_.tolist() == ["t3", "t0", "t4", "t1", "t2"]
    model = BayesianLinearRegression("shared").fit([TargetStatistics().update(whole[:500], NAMES), other])
    assert_same_fits(model, BayesianLinearRegression("shared").fit(whole, target=NAMES))
    with pytest.raises(InvalidArgumentError, match="column 3 is 'c' in the statistics and 'z' in those to add"):
        found.merge(TargetStatistics().update(whole.rename(columns={"c": "z"}), NAMES))
    with pytest.raises(InvalidArgumentError, match="^Y of the rows to add has 1 column; the statistics have 5"):
        found.merge(TargetStatistics().update(whole[["a", "b", "c", "t0"]], ["t0"]))


@pytest.mark.parametrize("host", ["pandas", "polars"])
def test_columns_that_are_no_numbers_are_said_as_what_they_are(host):
    whole = table(20)[["a", "b", "t0"]]
    days, few = pandas.date_range("2020-01-01", periods=20), pandas.Series([1, 2, 3, 4] * 5)
    for values, message in (
        (days, "row 1, column 'z': '2020-01-01 00:00:00' is a date or a time; make a number of it"),
        (days - days[0], "row 1, column 'z': '.*0:00:00' is a duration; make a number of it"),
        (pandas.Categorical(["u", "v"] * 10), "column 'z' of X holds categories; .* write 0 and 1 for each category but one, or leave the column out"),
        (["u", "v"] * 10, "column 'z' of X holds texts; .* write 0 and 1 for each text but one, or leave the column out"),
        ([None] * 20, "column 'z' has no value; leave it out"),
    ):
        given = whole.assign(z=values)
        if host == "polars":
            given = pytest.importorskip("polars").from_pandas(given)
        with pytest.raises(ValueError, match=message):
            TargetStatistics().update(given, ["t0"])
    if host == "pandas":
        with pytest.raises(InvalidArgumentError, match="column 'z' of X holds categories"):
            TargetStatistics().update(whole.assign(z=few.astype("category")), ["t0"])
        assert TargetStatistics().update(whole.assign(z=few.astype(object)), ["t0"]).to_bytes() == TargetStatistics().update(whole.assign(z=few), ["t0"]).to_bytes()


@pytest.mark.parametrize("read", ["TargetStatistics", "LinearStatistics", "many", "one", "partial", "classes", "filter"])
def test_weights_of_text_are_said_with_their_row(read):
    X, Y = rows(20)
    readers = {
        "TargetStatistics": lambda w: TargetStatistics().update(X, Y, w),
        "LinearStatistics": lambda w: LinearStatistics().update(X, Y[:, 0], w),
        "many": lambda w: BayesianLinearRegression("shared").fit(X, Y, w),
        "one": lambda w: BayesianLinearRegression("shared").fit(X, Y[:, 0], w),
        "partial": lambda w: BayesianLinearRegression("shared").partial_fit(X, Y[:, 0], w),
        "classes": lambda w: ardvark.BayesianLogisticRegression("shared").fit(X, Y[:, 0] > 5, w),
        "filter": lambda w: ardvark.SequentialLogisticRegression().fit(X, Y[:, 0] > 5, w),
    }
    words = "; weights are numbers >= 0; if the texts are numbers: pandas.to_numeric"
    wrong: list = [1.0] * 20
    wrong[6] = "many"
    for given in (wrong, np.array(wrong, dtype=object), pandas.Series(wrong)):
        with pytest.raises(InvalidArgumentError, match=f"^sample_weight at row 7 is 'many'{words}") as caught:
            readers[read](given)
        assert (caught.value.argument, caught.value.row, caught.value.value) == ("sample_weight", 7, "many")
    for given in (["2"] * 20, np.array(["2"] * 20), pandas.Categorical(["2"] * 20)):
        with pytest.raises(InvalidArgumentError, match=f"^sample_weight at row 1 is '2'{words}"):
            readers[read](given)
    with pytest.raises(InvalidArgumentError, match="^sample_weight at row 1 is .*; weights are numbers >= 0; give their real part"):
        readers[read](np.full(20, 1 + 1j))
    if read == "TargetStatistics":
        with pytest.raises(InvalidArgumentError, match="^sample_weight at row 7 is 'many'"):
            TargetStatistics().update(table(20).assign(w=wrong), NAMES, "w")
