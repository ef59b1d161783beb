"""DataFrames with text columns: fits, predictions, files of the shell and for it, and what is refused."""

import copy
import pickle
import resource
import subprocess
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import ardvark

pd = pytest.importorskip("pandas")


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "sex": rng.choice(["male", "female"], n),
            "group": rng.choice(["mid", "old", "young"], n, p=[0.6, 0.2, 0.2]),
            "smokes": rng.choice([True, False], n),
        }
    )
    table["y"] = 0.05 * table.age + 2.0 * (table.group == "old") + 0.3 * rng.normal(size=n)
    table["ill"] = np.where(table.y + rng.normal(size=n) > 3, "yes", "no")
    table["state"] = np.select([table.y > 3.5, table.y < 2.5], ["bad", "good"], "fair")
    return table


FEATURES = ["age", "sex", "group", "smokes"]
ESTIMATORS = [
    (ardvark.BayesianLinearRegression(), "y"),
    (ardvark.BayesianLinearRegression("ard", tol=1e-9, reference={"group": "old"}), "y"),
    (ardvark.BayesianLinearRegression({"g": ["age", "group"]}, flat=["sex"]), "y"),
    (ardvark.BayesianLogisticRegression(), "ill"),
    (ardvark.BayesianLogisticRegression("laplace", laplace_lambda=2.0), "ill"),
    (ardvark.BayesianLogisticRegression("shared", coding="softmax"), "state"),
    (ardvark.SparseLogisticRegression("slr_lap"), "state"),
    (ardvark.SparseLogisticRegression("slr_var", compat=True, max_iter=50), "ill"),
    (ardvark.RelevanceVectorRegressor(width=2.5, centres=30), "y"),
    (ardvark.RelevanceVectorClassifier(width=2.5, algorithm="type-two"), "ill"),
]


def predicted(model, table):
    return model.predict_proba(table) if hasattr(model, "predict_proba") else model.predict(table)


def by_hand(table, reference="mid", sex="male"):
    """The columns of 0 and 1, made here."""
    levels = [level for level in ["mid", "old", "young"] if level != reference]
    other = "female" if sex == "male" else "male"
    parts = [table.age, *[(table.group == level) for level in levels]]
    parts.insert(1, table.sex == other)
    return np.column_stack([np.asarray(p, dtype=float) for p in [*parts, table.smokes]])


def test_text_becomes_a_column_for_each_level_but_the_most_frequent():
    table = people()
    model = ardvark.BayesianLinearRegression("ard").fit(table[[*FEATURES, "y"]], target="y")
    sex = table.sex.value_counts().idxmax()
    other = "female" if sex == "male" else "male"
    assert model.columns_ == ["age", f"sex={other}", "group=old", "group=young", "smokes"]
    assert model.n_features_in_ == 4 and model.feature_names_in_.tolist() == FEATURES
    plain = ardvark.BayesianLinearRegression([0, 1, 2, 2, 3]).fit(by_hand(table, sex=sex), table.y)
    assert np.array_equal(model.coef_, plain.coef_) or np.allclose(model.coef_, plain.coef_, rtol=1e-9)
    assert f"group: compared with mid, {(table.group == 'mid').sum()} rows" in model.summary()


@pytest.mark.parametrize("estimator, target", ESTIMATORS)
def test_a_file_gives_back_the_estimator_with_its_options(estimator, target, tmp_path):
    table = people()
    model = clone(estimator).fit(table[[*FEATURES, target]], target=target)
    model.save(tmp_path / "m.ardvark")
    again = ardvark.load(tmp_path / "m.ardvark")
    assert type(again) is type(model)
    given = {name: value for name, value in estimator.get_params().items() if name != "prior"}
    assert {name: value for name, value in again.get_params().items() if name != "prior"} == given
    new = people(20, seed=1)
    assert np.array_equal(predicted(again, new), predicted(model, new))
    assert np.array_equal(predicted(clone(again).fit(table[[*FEATURES, target]], target=target), new), predicted(model, new))
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(predicted(copied, new), predicted(model, new))


def test_the_order_of_columns_does_not_matter_and_others_are_not_read():
    table, new = people(), people(20, seed=1)
    model = ardvark.BayesianLinearRegression().fit(table[FEATURES], table.y)
    expected = model.predict(new[FEATURES])
    assert np.array_equal(model.predict(new.assign(when=pd.Timestamp("2020-01-01"))[["when", *reversed(FEATURES)]]), expected)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_of_a_table_of_numbers_other_columns_are_not_read_either(kind):
    table = people()[["age", "y", "smokes"]].assign(name="a")
    if kind == "polars":
        table = pytest.importorskip("polars").from_pandas(table)
    model = ardvark.BayesianLinearRegression().fit(table[["age", "smokes", "y"]], target="y")
    expected = model.predict(table[["age", "smokes"]])
    for named in (["age", "y", "smokes"], ["name", "smokes", "y", "age"]):
        assert np.array_equal(model.predict(table[named]), expected)
    with pytest.raises(ValueError, match="- smokes"):
        model.predict(table[["age", "y", "name"]])


@pytest.mark.parametrize("kind", ["category", "string", "polars", "pyarrow"])
def test_every_kind_of_text_and_of_table_gives_the_same(kind):
    table, new = people(), people(20, seed=1)
    expected = ardvark.BayesianLinearRegression().fit(table[FEATURES], table.y).predict(new[FEATURES])
    if kind in ("polars", "pyarrow"):
        module = pytest.importorskip(kind)

        def convert(frame):
            return module.from_pandas(frame) if kind == "polars" else module.Table.from_pandas(frame)

    else:

        def convert(frame):
            return frame.astype({"sex": kind, "group": kind})

    model = ardvark.BayesianLinearRegression().fit(convert(table[FEATURES]), table.y)
    assert np.array_equal(model.predict(convert(new[FEATURES])), expected)


def test_weights_may_be_a_column():
    table = people().assign(w=np.arange(60) % 3)
    model = ardvark.BayesianLinearRegression("ard").fit(table[[*FEATURES, "y", "w"]], sample_weight="w", target="y")
    other = ardvark.BayesianLinearRegression("ard").fit(table[FEATURES], table.y, table.w)
    assert np.array_equal(model.coef_, other.coef_) and model.n_features_in_ == 4


def shell(*arguments):
    program = Path(__file__).parents[2] / "build" / "bin" / "ardvark"
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("model, target", [("linear", "y"), ("logistic", "ill"), ("logistic", "state"), ("rvm", "y")])
def test_shell_and_python_read_each_others_models_and_tables(model, target, tmp_path):
    table, new = people(), people(20, seed=1)
    table[[*FEATURES, target]].to_csv(tmp_path / "table.csv", index=False)
    new[FEATURES].to_csv(tmp_path / "new.csv", index=False)
    options = ["--width", "2.5"] if model == "rvm" else []
    shell("fit", tmp_path / "table.csv", "--target", target, "--model", model, *options, "-o", tmp_path / "m.ardvark")
    loaded = ardvark.load(tmp_path / "m.ardvark")
    loaded.save(tmp_path / "again.ardvark")
    for file in ("m.ardvark", "again.ardvark"):
        shell("predict", tmp_path / file, tmp_path / "new.csv", "--digits", "17", "-o", tmp_path / "p.csv")
        said = pd.read_csv(tmp_path / "p.csv")
        if target == "y":
            np.testing.assert_allclose(loaded.predict(new), said["mean"], rtol=1e-12)
        elif target == "ill":
            np.testing.assert_allclose(loaded.predict_proba(new)[:, 1], said[f"probability_{loaded.classes_[1]}"], rtol=1e-12)
        else:
            assert loaded.predict(new).tolist() == said["class"].tolist()


def test_a_model_that_knows_numbers_as_texts_reads_numbers(tmp_path):
    table = people().assign(ward=np.arange(60) % 3)
    table[["age", "ward", "y"]].to_csv(tmp_path / "table.csv", index=False)
    shell("fit", tmp_path / "table.csv", "--target", "y", "--model", "linear", "--categorical", "ward", "-o", tmp_path / "m.ardvark")
    loaded = ardvark.load(tmp_path / "m.ardvark")
    assert np.array_equal(loaded.predict(table), loaded.predict(table.astype({"ward": str})))


def refused(table, model=None, **arguments):
    with pytest.raises(ValueError) as caught:
        if model is None:
            ardvark.BayesianLinearRegression().fit(table, **arguments)
        else:
            model.predict(table)
    return str(caught.value)


def test_what_cannot_be_read_is_named_with_its_row_and_column():
    table = people()[[*FEATURES, "y"]]
    model = ardvark.BayesianLinearRegression().fit(table, target="y")
    missing = "the value is missing; missing='drop' leaves such rows out, missing='impute' fills the gaps"
    gap = table.astype({"age": float})
    gap.loc[3, "age"] = np.nan
    assert refused(gap, target="y") == f"row 4, column 'age': {missing}"
    hole = table.copy()
    hole.loc[5, "sex"] = None
    assert refused(hole, target="y") == f"row 6, column 'sex': {missing}"
    assert refused(table.assign(when=pd.Timestamp("2020-05-01")), target="y").startswith(
        "row 1, column 'when': '2020-05-01 00:00:00' is a date or a time; make a number of it"
    )
    assert refused(table.assign(x=["a", 1] * 30), target="y").startswith(
        "column 'x' holds both texts ('a' at row 1) and numbers (1 at row 2)"
    )
    assert refused(table.assign(x=[None] * 60), target="y") == "column 'x' has no value; leave it out"
    assert refused(table.assign(x=[[1]] * 60), target="y") == "row 1, column 'x': a list is neither a number nor a text"
    assert refused(table.set_axis(["age", "sex", "sex", "smokes", "y"], axis=1), target="y").startswith("two columns are named 'sex'")
    new = people(5, seed=3)
    assert refused(new.assign(group="lost"), model) == (
        "row 1, column 'group': 'lost' is not a level that the model knows; it knows 'mid', 'old', 'young'; write one of these, or leave out such rows"
    )
    assert refused(new.rename(columns={"group": "gruop"}), model).endswith("the column 'group', which the model uses; did you mean 'gruop'?")
    assert refused(new.drop(columns=["sex", "age"]), model) == "the table lacks the columns 'age', 'sex', which the model uses"
    assert refused(new[["y"]], model) == "the table lacks the columns 'age', 'sex', 'group', 'smokes', which the model uses"
    assert refused(new.assign(age="ten"), model).startswith("row 1, column 'age': 'ten' is a text, but the model was fitted to numbers there")
    assert refused(np.zeros((2, 4)), model).startswith("the model was fitted to a table with text columns ('sex', 'group')")


def test_the_target_is_named_well_or_refused():
    table = people()[[*FEATURES, "y"]]
    assert refused(table, target="z") == "target is 'z', which is not a column of X; the columns are 'age', 'sex', 'group', 'smokes', 'y'"
    assert refused(table.rename(columns={"y": "outcome"}), target="outcom").endswith("did you mean 'outcome'?")
    assert "did you mean 'gro\u0308\u00dfe'? It may look the same" in refused(table.rename(columns={"y": "gro\u0308\u00dfe"}), target="gr\u00f6\u00dfe")
    assert refused(table, y=table.y, target="y") == "fit has both y and target; give y, or the name of a column as target"
    assert refused(np.zeros((5, 2)), target="y").startswith("target is 'y', the name of a column; X must then be a DataFrame")
    gap = table.copy()
    gap.loc[7, "y"] = np.nan
    assert refused(gap, target="y").startswith("target 'y' has no value at row 8; leave out such rows")
    assert "2D array" in refused(table["age"], y=table.y) or "2-dimensional" in refused(table["age"], y=table.y)


def test_reference_is_checked():
    table = people()
    with pytest.raises(ValueError, match="reference is 'group=lost', but 'lost' is not a level of column 'group'"):
        ardvark.BayesianLinearRegression(reference={"group": "lost"}).fit(table[FEATURES], table.y)
    with pytest.raises(ValueError, match="X has no text columns"):
        ardvark.BayesianLinearRegression(reference={"group": "old"}).fit(table[["age"]], table.y)


def test_text_where_numbers_belong_is_refused_with_a_remedy():
    table = people()[[*FEATURES, "y"]]
    assert refused(table, target="sex").startswith("y holds text ('")
    for y in (table.sex, table.sex.astype("category"), list(table.sex)):
        text = f"y holds text ({table.sex[0]!r} at row 1); a regression needs numbers (for classes: BayesianLogisticRegression)"
        assert refused(table[["age"]], y=y) == text
    assert "for classes: BayesianLogisticRegression" in refused(table, target="sex")
    assert refused(table[FEATURES].values, y=table.y).startswith("X holds text ('")
    with pytest.raises(ValueError, match="SequentialLogisticRegression takes numbers, but X has text columns"):
        ardvark.SequentialLogisticRegression().fit(table, table.sex)


def test_a_target_of_dates_is_refused_with_row_and_remedy():
    table = people()
    days = pd.date_range("2024-02-28", periods=len(table))
    for y in (days, pd.Series(days), days.to_numpy(), list(days.date), days - days[0], pd.Series(days).where(table.index > 0)):
        row = 2 if pd.isna(y[0]) else 1
        for model in (ardvark.BayesianLinearRegression(missing="drop"), ardvark.RelevanceVectorRegressor(missing="drop")):
            with pytest.raises(ValueError, match=f"y at row {row} is '.*', (a date or a time; make a number of it, such as the days since a start|a duration; make a number of it, such as its seconds)"):
                model.fit(table[["age"]], y)


def test_a_target_that_two_columns_name_is_refused():
    table = people()[["age", "y"]]
    twice = pd.concat([table, table[["y"]]], axis=1)
    assert refused(twice, target="y") == "target is 'y', but 2 columns of X are named so; give each column a name of its own"


def test_pictures_name_the_levels():
    plot = pytest.importorskip("ardvark.plot")
    table = people()
    display = plot.CoefficientDisplay.from_estimator(ardvark.BayesianLinearRegression("ard").fit(table[FEATURES], table.y))
    assert any("group=old" in label.get_text() for label in display.ax_.get_yticklabels() + display.ax_.get_xticklabels())


def dummies(table, columns):
    """The columns of 0 and 1 that text columns become, without the level that has the most rows; and the group of each."""
    X, group = [], []
    for g, name in enumerate(columns):
        numbers = pd.api.types.is_numeric_dtype(table[name])
        levels = [] if numbers else sorted(set(table[name]) - {table[name].value_counts().idxmax()})
        X += [table[name]] if numbers else [table[name] == level for level in levels]
        group += [g] * (1 if numbers else len(levels))
    return np.column_stack(X).astype(float), group


@pytest.mark.parametrize("by", ["relevance", "counts"])
def test_a_selector_keeps_text_columns_as_a_whole(by):
    table = people().assign(noise=np.sin(np.arange(60)))
    columns = [*FEATURES, "noise"]
    how = {"by": by, "folds": 4, "repeats": 2}
    selector = ardvark.RelevanceSelector(ardvark.BayesianLinearRegression("ard"), **how).fit(table[[*columns, "y"]], target="y")
    X, group = dummies(table, columns)
    by_hand = ardvark.RelevanceSelector(ardvark.BayesianLinearRegression(group), **how).fit(X, table.y)
    largest = np.zeros(5)
    np.maximum.at(largest, group, by_hand.scores_)
    np.testing.assert_allclose(selector.scores_, largest, rtol=1e-6, atol=1e-9)
    assert selector.n_features_in_ == 5 and selector.feature_names_in_.tolist() == columns
    assert selector.get_support().tolist() == [bool(by_hand.support_[np.array(group) == g].any()) for g in range(5)]
    assert selector.get_feature_names_out().tolist() == [name for name, kept in zip(columns, selector.support_) if kept]
    kept = selector.transform(table)  # the target and other columns are not read
    pd.testing.assert_frame_equal(kept, table[selector.get_feature_names_out().tolist()])
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(selector)).transform(table), kept)
    pipeline = make_pipeline(clone(selector), ardvark.BayesianLinearRegression("ard")).fit(table[columns], table.y)
    direct = ardvark.BayesianLinearRegression("ard").fit(kept, table.y)
    assert np.array_equal(pipeline.predict(table[columns]), direct.predict(kept))
    one = ardvark.RelevanceSelector(ardvark.BayesianLinearRegression("ard"), max_features=1, **how).fit(table[columns], table.y)
    assert one.get_support().sum() == 1
    with pytest.raises(ValueError, match="X must be a DataFrame with these columns"):
        selector.transform(np.zeros((2, 5)))


def test_a_selector_counts_what_the_shell_counts(tmp_path):
    table = people()
    table[[*FEATURES, "ill"]].to_csv(tmp_path / "t.csv", index=False)
    how = ["--folds", "4", "--repeats", "3", "--seed", "2", "-o", tmp_path / "counts.csv"]
    shell("select", tmp_path / "t.csv", "--target", "ill", "--preset", "slr_var", *how)
    counts = pd.read_csv(tmp_path / "counts.csv")
    selector = ardvark.RelevanceSelector(by="counts", folds=4, repeats=3, random_state=2).fit(table[[*FEATURES, "ill"]], target="ill")
    of_column = counts.groupby(counts.feature.str.split("=").str[0])["count"].max()
    assert selector.counts_.tolist() == [of_column[name] for name in FEATURES]


def test_a_selector_leaves_out_rows_with_gaps_and_names_them():
    table = people().astype({"age": float})
    table.loc[2, "age"] = np.nan
    table.loc[5, "sex"] = None
    whole = table.drop(index=[2, 5])
    linear = ardvark.BayesianLinearRegression("ard")
    with pytest.raises(ValueError, match="row 3, column 'age': the value is missing; missing='drop' leaves such rows out"):
        ardvark.RelevanceSelector(linear).fit(table[FEATURES], table.y)
    with pytest.raises(ValueError, match="X at row 3, column 'age' is NaN"):
        ardvark.RelevanceSelector(linear).fit(table[["smokes", "age"]], table.y)
    for selector in (ardvark.RelevanceSelector(linear, missing="drop"), ardvark.RelevanceSelector(clone(linear).set_params(missing="drop"))):
        for by in ("relevance", "counts"):
            dropped = clone(selector).set_params(by=by, folds=3, repeats=2).fit(table[FEATURES], table.y)
            left = ardvark.RelevanceSelector(linear, by=by, folds=3, repeats=2).fit(whole[FEATURES], whole.y)
            np.testing.assert_allclose(dropped.scores_, left.scores_, rtol=1e-9, atol=1e-12)
    sequential = ardvark.RelevanceSelector(ardvark.SequentialLogisticRegression(), missing="drop")
    with pytest.raises(ValueError, match="SequentialLogisticRegression needs tables without gaps: leave out such rows"):
        sequential.fit(table[["age"]], table.ill)


def test_rows_in_parts_name_the_text_columns():
    table = people()
    with pytest.raises(ValueError, match=r"X has text columns \('sex', 'group'\); turn them into columns of 0 and 1 first"):
        ardvark.SequentialLogisticRegression().fit(table[FEATURES], table.ill)
    named = ardvark.SequentialLogisticRegression().fit(table[["age", "smokes", "ill"]], target="ill")
    given = ardvark.SequentialLogisticRegression().fit(table[["age", "smokes"]], table.ill)
    assert np.array_equal(named.coef_, given.coef_)


@pytest.mark.parametrize("name", ["a b", "a,b", 'a"b', "größe", "年齢", "a=b", "(intercept)"])
def test_names_may_hold_anything(name, tmp_path):
    table = people().rename(columns={"group": name})
    model = ardvark.BayesianLinearRegression("ard").fit(table[["age", name]], table.y)
    model.save(tmp_path / "m.ardvark")
    assert np.array_equal(ardvark.load(tmp_path / "m.ardvark").predict(table), model.predict(table))
    assert f"{name}=old" in model.columns_


def test_categories_of_numbers_are_levels():
    rng = np.random.default_rng(8)
    code = np.array([10117, 61348, 80331])[rng.integers(3, size=90)]
    table = pd.DataFrame({"code": code, "y": (code == 61348) * 3.0 + rng.normal(size=90)})
    texts = ardvark.BayesianLinearRegression("shared").fit(table.astype({"code": str}), target="y")
    categories = ardvark.BayesianLinearRegression("shared").fit(table.astype({"code": "category"}), target="y")
    assert categories.columns_ == texts.columns_ and len(texts.columns_) == 2
    np.testing.assert_array_equal(categories.coef_, texts.coef_)
    np.testing.assert_array_equal(categories.predict(table), texts.predict(table.astype({"code": str})))


SPELLINGS = [("true", "false"), ("True", "False"), ("TRUE", "FALSE")]


def owners(n=80, seed=11):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"age": rng.normal(size=n), "owner": rng.choice([True, False], n), "city": rng.choice(["Bonn", "Rome"], n)})
    table["y"] = table.age + 2.0 * table.owner + (table.city == "Rome") + 0.3 * rng.normal(size=n)
    return table


def spelled(table, yes, no):
    return table.assign(owner=np.where(table.owner, yes, no))


def fitted_in_the_shell(table, folder, *options):
    table.to_csv(folder / "table.csv", index=False)
    shell("fit", folder / "table.csv", "--target", "y", "--model", "linear", *options, "-o", folder / "m.ardvark")
    return ardvark.load(folder / "m.ardvark")


@pytest.mark.parametrize("yes, no", SPELLINGS)
@pytest.mark.parametrize("features", [["age", "owner"], ["age", "owner", "city"]])
def test_true_and_false_are_one_and_zero_in_every_spelling_and_language(features, yes, no, tmp_path):
    table, new = owners(), owners(20, seed=12)
    model = ardvark.BayesianLinearRegression().fit(table[[*features, "y"]], target="y")
    assert model.columns_[1] == "owner"
    by_hand = ardvark.BayesianLinearRegression().fit(table.assign(owner=table.owner * 1.0)[[*features, "y"]], target="y")
    expected = by_hand.predict(new.assign(owner=new.owner * 1.0))
    loaded = fitted_in_the_shell(spelled(table, yes, no)[[*features, "y"]], tmp_path)
    assert loaded.columns_ == model.columns_
    kinds = [new, spelled(new, "true", "false"), spelled(new, "TRUE", "FALSE"), new.astype({"owner": float}), new.astype({"owner": object})]
    kinds += [new.astype({"owner": "boolean"}), spelled(new, "True", "False").astype({"owner": "category"}), new.astype({"owner": "category"})]
    for rows in kinds:
        for fit in (model, loaded):
            np.testing.assert_allclose(fit.predict(rows), expected, rtol=1e-12)
    model.save(tmp_path / "p.ardvark")
    for file in ("m.ardvark", "p.ardvark"):
        for rows in (spelled(new, yes, no), new.assign(owner=new.owner * 1)):
            rows.to_csv(tmp_path / "new.csv", index=False)
            shell("predict", tmp_path / file, tmp_path / "new.csv", "--digits", "17", "-o", tmp_path / "out.csv")
            np.testing.assert_allclose(pd.read_csv(tmp_path / "out.csv")["mean"], expected, rtol=1e-12)


def test_true_and_false_with_gaps_are_the_same_model_in_the_shell_and_in_python(tmp_path):
    table = owners()
    gapped = table.astype({"owner": object})
    gapped.loc[::7, "owner"] = None
    loaded = fitted_in_the_shell(gapped, tmp_path, "--missing", "impute", "--imputations", "5")
    for kind in (object, "boolean"):
        for features in (["age", "owner", "city"], ["age", "owner"]):
            there = fitted_in_the_shell(gapped[[*features, "y"]], tmp_path, "--missing", "impute", "--imputations", "5")
            here = ardvark.BayesianLinearRegression(missing="impute", imputations=5).fit(
                gapped.astype({"owner": kind})[[*features, "y"]], target="y"
            )
            assert here.columns_ == there.columns_
            np.testing.assert_allclose(here.predict(gapped), there.predict(gapped), rtol=1e-12)
    assert np.isfinite(loaded.predict(gapped)).all()


@pytest.mark.parametrize("yes, no", SPELLINGS)
def test_levels_true_and_false_of_a_column_listed_as_categorical_are_known_in_every_spelling(yes, no, tmp_path):
    table, new = owners(), owners(20, seed=12)
    loaded = fitted_in_the_shell(spelled(table, yes, no), tmp_path, "--categorical", "owner")
    assert loaded.columns_[1] in (f"owner={yes}", f"owner={no}")
    expected = loaded.predict(spelled(new, yes, no))
    for rows in (new, spelled(new, "TRUE", "False"), new.astype({"owner": int}), new.astype({"owner": object})):
        np.testing.assert_array_equal(loaded.predict(rows), expected)
    spelled(new, "TRUE", "False").to_csv(tmp_path / "new.csv", index=False)
    shell("predict", tmp_path / "m.ardvark", tmp_path / "new.csv", "--digits", "17", "-o", tmp_path / "out.csv")
    np.testing.assert_allclose(pd.read_csv(tmp_path / "out.csv")["mean"], expected, rtol=1e-12)


def test_true_and_false_among_other_texts_are_levels():
    table = owners(90).assign(owner=["true", "false", "unknown"] * 30)
    names = ardvark.BayesianLinearRegression("ard").fit(table, target="y").columns_
    assert names == ["age", "owner=true", "owner=unknown", names[-1]]  # as many rows each: compared with the first
    model = ardvark.BayesianLinearRegression("ard").fit(owners()[["age", "owner", "y"]], target="y")
    assert refused(owners(6).assign(owner=["true", "no", "false"] * 2), model) == (
        "row 2, column 'owner': 'no' is a text, but the model was fitted to numbers there; write a number, or fit again to a table with such texts"
    )


def test_a_target_of_true_and_false_is_a_class_label_in_both(tmp_path):
    table = owners(120)
    data = table.assign(owner=np.where(table.owner, "TRUE", "FALSE"))[["age", "y", "owner"]]
    data.to_csv(tmp_path / "table.csv", index=False)
    said = shell("fit", tmp_path / "table.csv", "--target", "owner", "--model", "logistic", "-o", tmp_path / "m.ardvark")
    assert "TRUE" in said
    loaded = ardvark.load(tmp_path / "m.ardvark")
    assert loaded.classes_.tolist() == [False, True]
    model = ardvark.BayesianLogisticRegression().fit(table[["age", "y", "owner"]], target="owner")
    np.testing.assert_allclose(loaded.predict_proba(table), model.predict_proba(table), rtol=0, atol=1e-12)
    np.testing.assert_allclose(loaded.log_density(table, table.owner), model.log_density(table, table.owner), rtol=1e-11)
    table.to_csv(tmp_path / "pandas.csv", index=False)  # True and False
    program = Path(__file__).parents[2] / "build" / "bin" / "ardvark"
    words = [program, "predict", tmp_path / "m.ardvark", tmp_path / "pandas.csv", "-o", tmp_path / "out.csv"]
    scored = subprocess.run(words, check=True, capture_output=True, text=True).stderr
    assert f"120 rows with 'owner': accuracy {(model.predict(table) == table.owner).mean():.4f}" in scored


def test_a_target_of_true_and_false_in_several_spellings_has_two_classes_in_memory_and_by_path(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    table = owners(120)
    words = [["false", "FALSE", "False"], ["true", "TRUE", "True"]]
    mixed = table.assign(owner=[words[int(truth)][row % 3] for row, truth in enumerate(table.owner)])[["age", "y", "owner"]]
    mixed.to_csv(tmp_path / "t.csv", index=False)
    mixed.to_parquet(tmp_path / "t.parquet")
    said = shell("fit", tmp_path / "t.csv", "--target", "owner", "--model", "logistic", "--prior", "shared", "-o", tmp_path / "m.ardvark")
    assert "probability of True" in said
    expected = ardvark.load(tmp_path / "m.ardvark").predict_proba(table)
    X, truths = table[["age", "y"]], mixed.owner
    kinds = [(mixed, "owner"), (mixed.astype({"owner": "category"}), "owner"), (X, truths), (X, list(truths)), (X, truths.astype("string")), (X, np.array(list(truths)))]
    kinds += [(tmp_path / "t.csv", "owner"), (tmp_path / "t.parquet", "owner")]
    for rows, y in kinds:
        model = ardvark.BayesianLogisticRegression("shared").fit(rows, y)
        assert model.classes_.tolist() == [False, True]
        np.testing.assert_allclose(model.predict_proba(table), expected, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(model.log_density(table, truths), model.log_density(table, table.owner))
        assert model.score(table, truths) == model.score(table, table.owner) > 0.5
    monkeypatch.setattr(ardvark._pieces, "SMALL_BYTES", 0)
    pieces = [mixed[:40], mixed[40:]]
    for source in (tmp_path / "t.csv", tmp_path / "t.parquet", iter(pieces), lambda: iter([spelled(table, "true", "false")[["age", "y", "owner"]][:40], mixed[40:]])):
        model = ardvark.BayesianLogisticRegression("shared").fit(source, "owner")
        assert model.classes_.tolist() == [False, True]
        np.testing.assert_allclose(model.predict_proba(table), expected, rtol=0, atol=1e-6)


def test_labels_true_and_false_in_one_spelling_stay_as_they_are_given():
    table = spelled(owners(), "true", "false")
    model = ardvark.BayesianLogisticRegression("shared").fit(table[["age", "y"]], table.owner)
    assert model.classes_.tolist() == ["false", "true"] and model.score(table[["age", "y"]], table.owner) > 0.5
    with pytest.raises(ValueError, match="y holds text .*; a regression needs numbers"):
        ardvark.BayesianLinearRegression().fit(table[["age"]], table.owner.where(table.index > 9, "TRUE"))


@pytest.mark.parametrize("estimator", [ardvark.BayesianLinearRegression("shared"), ardvark.KernelRegressor(centres=20)], ids=str)
def test_a_column_of_true_and_false_in_several_spellings_is_one_column_in_memory_and_by_path(estimator, tmp_path):
    table = owners()
    mixed = table.assign(owner=np.where(table.index % 2, *(table.owner.map({True: yes, False: no}) for yes, no in SPELLINGS[1:])))[["age", "owner", "y"]]
    mixed.to_csv(tmp_path / "t.csv", index=False)
    expected = clone(estimator).fit(table[["age", "owner", "y"]], "y").predict(table)
    for rows in (mixed, mixed.astype({"owner": "category"}), tmp_path / "t.csv"):
        np.testing.assert_allclose(clone(estimator).fit(rows, "y").predict(mixed), expected, rtol=1e-6)


def told(table, **arguments):
    """The warnings and notes of a fit to the table."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = ardvark.BayesianLinearRegression("shared").fit(table, target="y", **arguments)
    return [str(w.message) for w in said if w.category is ardvark.ArdvarkWarning], model.notes_


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_row_names_that_became_a_column_are_warned_of(kind, tmp_path):
    table = owners()[["age", "y"]]
    table.iloc[::-1].to_csv(tmp_path / "t.csv")
    read = pd.read_csv if kind == "pandas" else pytest.importorskip("polars").read_csv
    said, _ = told(read(tmp_path / "t.csv"))
    assert said == [
        f"column 1 ('{'Unnamed: 0' if kind == 'pandas' else ''}') has no name of its own and numbers the rows: it seems to hold the row names that"
        " another program wrote; leave it out (in pandas: read_csv with index_col=0)"
    ]
    assert told(pd.read_csv(tmp_path / "t.csv", index_col=0))[0] == []
    printed = shell("fit", tmp_path / "t.csv", "--target", "y", "--model", "linear", "-o", tmp_path / "m.ardvark")
    assert "note                  column 1, which has no name in the header, holds row names ('79', ...) and is left out" in printed
    assert ardvark.load(tmp_path / "m.ardvark").columns_ == ["age"]
    known = ardvark.BayesianLinearRegression("shared").fit(pd.read_csv(tmp_path / "t.csv"), target="y")  # it has the column
    known.save(tmp_path / "p.ardvark")
    shell("predict", tmp_path / "p.ardvark", tmp_path / "t.csv", "--digits", "17", "-o", tmp_path / "out.csv")
    np.testing.assert_allclose(pd.read_csv(tmp_path / "out.csv")["mean"], known.predict(pd.read_csv(tmp_path / "t.csv")), rtol=1e-12)


def test_texts_that_are_numbers_are_warned_of_and_codes_are_not():
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"z": rng.normal(size=200), "y": rng.normal(size=200)})
    number = rng.normal(size=200).round(1).astype(str)
    said, _ = told(table.assign(x=number))
    assert len(said) == 1 and said[0].startswith("text column 'x': its texts are numbers ('")
    assert f"and each of the {len({float(text) for text in number})} is a level; if they are measurements, turn them into numbers" in said[0]
    kilos = [f"{w:.1f} kg".replace(".", ",") for w in rng.normal(70, 5, size=200)]
    said, _ = told(table.assign(x=kilos))
    assert len(said) == 1 and "nearly all of its texts begin with a number ('" in said[0] and "write numbers without units" in said[0]
    codes = rng.choice(["10115", "20095", "50667", "60311", "70173", "80331"], 200)
    ages = rng.choice(["18-24", "25-34", "35-44", "45-54", "55-64", "65+"], 200)
    doses = rng.choice(["5 mg", "10 mg", "20 mg"], 200)
    dates = rng.choice(["2020-01-05", "2020-02-05", "2020-03-05", "2020-04-05", "2020-05-05"], 200)
    for texts in (codes, ages, doses, dates):
        assert told(table.assign(x=texts))[0] == []


def test_texts_that_may_mean_a_missing_value_are_asked_for():
    table = owners().assign(city=["Bonn", "n.a.", "Rome", "none"] * 20)
    _, notes = told(table)
    assert [note for note in notes if "level" in note] == [
        "text column 'city' has the level 'n.a.'; if it means a missing value, put a missing value in its place, with missing 'drop' or missing 'impute'"
    ]


def test_the_error_has_a_public_name(tmp_path):
    (tmp_path / "t.csv").write_text("height,weight\n172,65\n")
    with pytest.raises(ardvark.InvalidArgumentError, match="is not an ardvark model or statistics file: it is a text, such as a table") as caught:
        ardvark.load(tmp_path / "t.csv")
    assert isinstance(caught.value, ValueError) and repr(type(caught.value)) == "<class 'ardvark.InvalidArgumentError'>"


def test_numbers_in_other_notations_are_warned_of_in_every_kind_of_table():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    rng = np.random.default_rng(5)
    number = rng.integers(0, 60, 200)
    notations = {
        "marks between thousands": [f"1\u202f{i:03}" for i in number],
        "another character for the minus sign": [f"\u2212{i}.5" for i in number],
        "a currency": [f"CHF {i}.50" for i in number],
        "times or durations": [f"00:{i:02}:30" for i in number],
    }
    table = pd.DataFrame({"y": rng.normal(size=200)}).assign(positive=lambda t: t.y > 0)
    for words, texts in notations.items():
        here = table.assign(x=pd.Series(texts, dtype=object))
        for kind in (here, here.astype({"x": "category"}), polars.from_pandas(here), pyarrow.Table.from_pandas(here)):
            for known, target, other in (
                (ardvark.BayesianLinearRegression("shared"), "y", "positive"),
                (ardvark.BayesianLogisticRegression("shared"), "positive", "y"),
            ):
                rows = kind.drop_columns(other) if isinstance(kind, pyarrow.Table) else kind.drop(columns=other) if hasattr(kind, "iloc") else kind.drop(other)
                with pytest.warns(ardvark.ArdvarkWarning) as said:
                    known.fit(rows, target=target)
                assert any("text column 'x': nearly all of its texts are" in str(w.message) and words in str(w.message) for w in said), (words, type(kind))
    places = table.assign(x=[f"site{i}" for i in number])
    assert told(places)[0] == []


def test_classes_that_are_numbers_in_another_notation_are_warned_of():
    rng = np.random.default_rng(9)
    number = rng.integers(0, 6, 120)
    X = pd.DataFrame({"x": number + rng.normal(size=120)})
    with pytest.warns(ardvark.ArdvarkWarning, match="the target has 6 classes: nearly all of its texts are numbers with another character for the minus"):
        ardvark.BayesianLogisticRegression("shared").fit(X, [f"\u2212{i}.5" for i in number])
    for labels in (number.astype(float), number, [f"grade {i}" for i in number]):
        with warnings.catch_warnings():
            warnings.simplefilter("error", ardvark.ArdvarkWarning)
            ardvark.BayesianLogisticRegression("shared").fit(X, labels)


def test_codes_are_the_same_levels_as_whole_numbers_and_with_fractions():
    rng = np.random.default_rng(6)
    code = rng.integers(1, 4, 90)
    y = code % 3 + 0.1 * rng.normal(size=90)
    kinds = {
        "ints": pd.Series(code).astype("category"),
        "floats": pd.Series(code.astype(float)).astype("category"),
        "both": pd.Series([str(c) if i % 2 else f"{c}.0" for i, c in enumerate(code)]),
    }
    fits = {kind: ardvark.BayesianLinearRegression("shared").fit(pd.DataFrame({"code": column}), y) for kind, column in kinds.items()}
    for known in fits.values():
        assert known.columns_ == fits["ints"].columns_
        for column in [*kinds.values(), pd.Series(code), pd.Series(code.astype(float))]:
            np.testing.assert_array_equal(known.predict(pd.DataFrame({"code": column})), fits["ints"].predict(pd.DataFrame({"code": kinds["ints"]})))
    zeros = pd.DataFrame({"code": ["007", "7"] * 45})
    assert len(ardvark.BayesianLinearRegression("shared").fit(zeros, y).columns_) == 1  # two levels: one has a column


def test_large_codes_keep_their_digits():
    rng = np.random.default_rng(7)
    code = 2**53 + rng.integers(0, 3, 90)
    y = (code - 2**53) % 2 + 0.1 * rng.normal(size=90)
    table = pd.DataFrame({"code": pd.Series(code).astype("category")})
    known = ardvark.BayesianLinearRegression("shared").fit(table, y)
    assert len(known.columns_) == 2
    np.testing.assert_array_equal(known.predict(pd.DataFrame({"code": code})), known.predict(table))


@pytest.mark.parametrize("kind", ["int64", "uint64", "Int64", "UInt64", "int64[pyarrow]", "category"])
def test_large_labels_keep_their_digits(kind):
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(8)
    code = np.arange(90) % 3
    labels = pd.Series(2**53 + code).astype(kind)
    X = pd.DataFrame({"x": code + 0.1 * rng.normal(size=90)})
    for known in (ardvark.BayesianLogisticRegression(), ardvark.RelevanceVectorClassifier(), ardvark.KernelClassifier()):
        known.fit(X, labels)
        assert [int(label) for label in known.classes_] == [2**53, 2**53 + 1, 2**53 + 2]
        np.testing.assert_array_equal(known.predict(X[:3]).astype(np.int64), 2**53 + code[:3])


def many_levels(n, levels, seed=0):
    """A table with a text column of so many levels and a number, and a score that they make."""
    rng = np.random.default_rng(seed)
    code = rng.permutation(np.arange(n) % levels)
    table = pd.DataFrame({"age": rng.normal(size=n), "site": np.array([f"s{c:04d}" for c in code]), "dose": rng.normal(size=n)})
    effect = np.random.default_rng(5).normal(size=levels) * (np.arange(levels) % 10 == 0)
    return table, table["age"].to_numpy() + 1.5 * effect[code]


@pytest.mark.parametrize(
    "estimator, target",
    [
        *((ardvark.BayesianLinearRegression(prior), "number") for prior in ("auto", "slab", "dense", "shared", "ard", "none")),
        (ardvark.BayesianLinearRegression("laplace", laplace_lambda=20.0), "number"),
        (ardvark.BayesianLogisticRegression("shared"), "two"),
        (ardvark.BayesianLogisticRegression("slab"), "two"),
        (ardvark.BayesianLogisticRegression("shared"), "three"),
        (ardvark.BayesianCountRegression("shared"), "count"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{type(value).__name__[8:13]} {value.prior}",
)
def test_many_levels_are_compressed_columns_with_the_numbers_of_dense_ones(estimator, target, monkeypatch):
    from ardvark._tables import Encoding

    n, levels = 4000, 300
    table, score = many_levels(n, levels)
    rng = np.random.default_rng(1)
    noisy = score + rng.normal(size=n)
    y = {
        "number": noisy, "two": noisy > 0, "three": np.digitize(noisy, [-0.7, 0.7]), "count": rng.poisson(np.exp(0.5 * score)),
    }[target]
    weights = rng.integers(0, 3, n).astype(float)
    # Steps for classes and counts end where the bound can gain tol nats a row: what a weight lacks is below sd sqrt(2 tol rows), 1e-5 sd.
    tolerance, error = (1e-9, 1e-10) if target == "number" else (1e-14, 1e-8)
    forms, fit = [], ardvark._core.fit
    monkeypatch.setattr(ardvark._core, "fit", lambda X, *rest, **options: (forms.append(scipy.sparse.issparse(X)), fit(X, *rest, **options))[1])

    def answers():
        model = clone(estimator).set_params(tol=tolerance).fit(table, y, sample_weight=weights)
        given = model.predict_proba(table) if hasattr(model, "predict_proba") else model.predict(table)
        return [np.ravel(model.coef_), np.ravel(model.coef_std_), np.ravel(model.intercept_), np.ravel(given), [model.bound_]], model.columns_

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compressed, names = answers()
        monkeypatch.setattr(Encoding, "_is_sparse", lambda *_: False)
        dense, names_of_dense = answers()
    assert forms == [True, False] and names == names_of_dense
    for one, other in zip(compressed, dense):
        np.testing.assert_allclose(one, other, rtol=error, atol=error * np.abs(other).max())


def test_many_levels_take_the_memory_of_their_ones():
    """20,000 x 5,000 numbers are 800 MB: the process may not have the half of it."""
    table, score = many_levels(20_000, 5000)
    y = score + np.random.default_rng(2).normal(size=20_000)
    limit = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + 400 * 2**20, limit[1]))
    tracemalloc.start()
    try:
        model = ardvark.BayesianLinearRegression("laplace", laplace_lambda=250.0).fit(table, y)
        assert model.coef_.size == 5001 and model.predict(table).shape == (20_000,)
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
        assert max(map(len, model.notes_)) < 1000  # no list of thousands of levels
    finally:
        tracemalloc.stop()
        resource.setrlimit(resource.RLIMIT_AS, limit)


def test_what_needs_a_dense_table_of_many_levels_gets_one():
    table, score = many_levels(4000, 300)
    y = score + np.random.default_rng(3).normal(size=4000)
    dropped = ardvark.BayesianLinearRegression("shared", missing="drop").fit(table.assign(age=table["age"].where(table.index > 3)), y)
    assert dropped.coef_.size == 301
    exact = ardvark.BayesianLinearRegression("shared", solver="qr").fit(table, y)
    usual = ardvark.BayesianLinearRegression("shared").fit(table, y)
    np.testing.assert_allclose(exact.coef_, usual.coef_, rtol=1e-5, atol=1e-6)
    new = table.head(4000).assign(site="elsewhere")
    with pytest.raises(ValueError, match="'elsewhere'"):
        usual.predict(new)
