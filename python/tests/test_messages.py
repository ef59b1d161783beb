"""What a user is told: mistakes, warnings, progress."""

import re
import sys
import time
import warnings

import numpy as np
import pytest
from ardvark import (
    ArdvarkWarning,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    InvalidArgumentError,
    KernelClassifier,
    RelevanceSelector,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
    SequentialLogisticRegression,
    SparseLogisticRegression,
    _core,
)
from estimator_cases import X, fitted, labels, y
from sklearn.exceptions import ConvergenceWarning


@pytest.mark.parametrize(
    "estimator, target",
    [
        (BayesianLinearRegression(), y),
        (BayesianLinearRegression("ard", standardize=False, fit_intercept=False), y),
        (BayesianLogisticRegression(), labels),
        (RelevanceVectorRegressor(), y),
        (SparseLogisticRegression(), labels),
    ],
)
@pytest.mark.parametrize("value, name", [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_says_which_entry_is_not_finite(estimator, target, value, name):
    wrong = X.copy()
    wrong[7, 2] = value
    with pytest.raises(ValueError, match=f"^X at row 8, column '.*' is {name}; all values must be finite"):
        estimator.fit(wrong, target)
    if name == "NaN":  # also where the row does not count
        weights = np.ones(len(X))
        weights[7] = 0
        with pytest.raises(ValueError, match="NaN"):
            estimator.fit(wrong, target, sample_weight=weights)


@pytest.mark.parametrize(
    "estimator, message",
    [
        (BayesianLinearRegression(max_iter=0), "^max_iter is 0"),
        (BayesianLinearRegression(alpha_1=-1.0), "^alpha_1 is -1"),
        (BayesianLinearRegression(lambda_2=-1.0), "^lambda_2 is -1"),
        (BayesianLinearRegression("ard", prune_at=-1.0), "^prune_at is -1"),
        (BayesianLinearRegression("best"), "prior is 'best'"),
        (BayesianLinearRegression([0, 1]), "one number per column: 4"),
        (BayesianLinearRegression("groups"), r"^prior is 'groups'; give the groups themselves: \[\["),
        (BayesianLogisticRegression(likelihood="probit"), "likelihood is 'probit'"),
        (BayesianLogisticRegression("laplace", laplace_lambda=-1), "laplace_lambda"),
        (BayesianLogisticRegression(lambda_1=0.0), "lambda_1"),
        (SparseLogisticRegression("svm"), "algorithm is 'svm'; it must be one of slr_var"),
        (SparseLogisticRegression(multi_class="all"), "multi_class is 'all'"),
        (RelevanceVectorRegressor(width=-1.0), "width is '-1'"),
        (RelevanceVectorRegressor("linear", width=2.0), "width cannot be used"),
        (RelevanceVectorClassifier(centres=0), "centres is '0'"),
        (SequentialLogisticRegression(precision=-1.0), "precision is -1"),
    ],
    ids=lambda v: repr(v),
)
def test_mistakes_are_named_as_in_the_constructor(estimator, message):
    with pytest.raises(ValueError, match=message):
        fitted(estimator)


def test_negative_weights():
    with pytest.raises(ValueError, match="sample_weight"):
        BayesianLinearRegression().fit(X, y, sample_weight=np.r_[-1, np.ones(149)])
    with pytest.raises(ValueError, match="sample_weight|[Ss]ample weights"):
        BayesianLinearRegression().fit(X, y, sample_weight=np.zeros(150))


def test_no_convergence_is_a_warning():
    with pytest.warns(ConvergenceWarning, match="max_iter") as caught:
        fit = BayesianLogisticRegression("ard", max_iter=1).fit(X, labels)
    assert [w.filename for w in caught] == [__file__]
    assert not fit.converged_ and fit.status_ == "max_sweeps"


def test_warnings_speak_of_parameters():
    wide = np.random.default_rng(1).normal(size=(45, 60))
    with pytest.warns(ArdvarkWarning) as caught:
        BayesianLinearRegression("ard").fit(wide, wide[:, 0])
    text = " ".join(str(w.message) for w in caught)
    assert "prior='sparse'" in text and "--" not in text
    assert all(w.filename == __file__ for w in caught)


def test_summaries_speak_of_parameters():
    wide = np.random.default_rng(1).normal(size=(45, 80))
    with pytest.warns(ArdvarkWarning):
        text = BayesianLinearRegression("ard").fit(wide, wide[:, 0]).summary()
    assert "prior='sparse'" in text and "--" not in text
    assert "  ... the 60 largest of 80 by mean/sd\n" in text


def test_options_by_name_are_named_so():
    with pytest.raises(ValueError, match="^group has 0 entries; it must have one per column of X: 4"):
        _core.fit(X, y, model="linear", prior="groups")
    with pytest.raises(ValueError, match="^flat names column 4; X has columns 0 to 3"):
        _core.fit(X, y, model="linear", prior="shared", flat=[4])
    with pytest.raises(ValueError, match="^folds is 1; it must be at least 2$"):
        _core.fit(X, labels == "yes", model="logistic", prior="laplace", folds=1)
    with pytest.raises(ValueError, match="^prune_at is -1; it must be 0 or more$"):
        _core.fit(X, y, model="linear", prior="ard", prune_at=-1)
    with pytest.raises(ValueError, match="^readmit_every is -1; it must be 0 or more$"):
        _core.fit(X, y, model="linear", prior="ard", prune_at=1e8, readmit_every=-1)
    with pytest.raises(ValueError, match="^task is 'both'; it must be one of classification, regression$"):
        _core.fit(X, y, model="rvm", task="both")
    notes = _core.fit(X, y, model="rvm", width=2).value("notes")
    assert any("so the task is regression; task 'classification'" in note for note in notes)
    with pytest.raises(ValueError, match="^labels holds 150 different numbers in 150 rows; .* measurements need model 'linear'$"):
        _core.fit(X, y, model="logistic")
    with pytest.raises(ValueError, match="^there is no option 'priro'; did you mean 'prior'?"):
        _core.fit(X, y, priro="ard")


@pytest.mark.parametrize("names", [np.arange(24), np.array([f"n{i}" for i in range(24)])], ids=["numbers", "texts"])
@pytest.mark.parametrize("estimator", [BayesianLogisticRegression, RelevanceVectorClassifier])
def test_classes_need_two_rows_each(estimator, names):
    with pytest.raises(ValueError, match="^y holds 24 different (classes|numbers) in 24 rows; more than two classes need two rows each on average"):
        estimator().fit(X[:24], names)


@pytest.mark.parametrize("estimator", [RelevanceVectorRegressor, RelevanceVectorClassifier])
def test_predictions_beyond_the_data_of_a_kernel_machine_warn(estimator):
    pd = pytest.importorskip("pandas")
    x = np.linspace(-3, 3, 60)
    table, target = pd.DataFrame({"length": x}), np.sin(2 * x)
    model = estimator(width=0.5).fit(table, target if estimator is RelevanceVectorRegressor else target > 0)
    far = pd.DataFrame({"length": [0.0, 3.1, 9.0, -50.0]})
    said = "^2 of 4 rows lie far outside the training rows, by more than a kernel width .* row 3, in which 'length' is 9 .training rows: -3 to 3.$"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(table)
        model.predict(far[:2])
    with pytest.warns(ArdvarkWarning, match=said) as caught:
        model.predict(far)
    assert [one.filename for one in caught] == [__file__]
    if estimator is RelevanceVectorClassifier:
        with pytest.warns(ArdvarkWarning, match=said):
            model.predict_proba(far)


def test_callback_sees_every_sweep_and_can_stop():
    bounds = []
    fit = BayesianLogisticRegression("ard", callback=lambda p: bounds.append(p.bound)).fit(X, labels)
    assert len(bounds) >= fit.n_iter_ and np.isclose(bounds[-1], fit.bound_, rtol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stopped = BayesianLogisticRegression("ard", callback=lambda p: p.sweep < 2).fit(X, labels)
    assert stopped.status_ == "stopped_by_user" and stopped.n_iter_ == 2

    def broken(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        BayesianLogisticRegression(callback=broken).fit(X, labels)


def watched(progress, seconds, monkeypatch):
    """What is shown of work that says this once and then takes its time."""
    from ardvark import _progress

    monkeypatch.setattr(_progress, "_PATIENCE", 0.05)
    with _progress.Watch("Fit", 1, None) as watch:
        assert watch.function(progress) is True
        time.sleep(seconds)


FOLDS = dict(stage="fitting", piece="fold", done=37, seconds_left=20.0, text="fitting: fold 37 of 100")


def test_progress_is_shown_in_a_silent_step(capsys, monkeypatch):
    pytest.importorskip("tqdm")
    watched(_core.Progress(0, 0, -12.5, 0.1, stage="preparing", text="preparing"), 0.3, monkeypatch)
    assert "Fit: preparing, 0 s" in capsys.readouterr().err
    watched(_core.Progress(37, 100, 0.0, 12.0, **FOLDS), 0.3, monkeypatch)
    shown = capsys.readouterr().err
    assert re.search(r"Fit: fitting: fold 37 of 100, 0 s, about 20 s left \|[^ |]+ +\|", shown)


def test_progress_without_tqdm(capsys, monkeypatch):
    from ardvark._progress import Watch

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    watched(_core.Progress(37, 100, 0.0, 12.0, **FOLDS), 0.3, monkeypatch)
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 6 and set(lines) == {"Fit: fitting: fold 37 of 100, 0 s, about 20 s left"}
    assert Watch("Fit", 0, None).function is None


def test_fast_work_shows_nothing(capsys):
    BayesianLogisticRegression(verbose=1).fit(X, labels)
    assert capsys.readouterr().err == ""


def test_a_selection_says_how_far_it_is():
    seen = []
    RelevanceSelector(by="counts", folds=4, repeats=2, callback=seen.append).fit(X, labels)
    folds = [p for p in seen if p.piece == "fold" and p.done > 0]
    assert [(p.sweep, p.done, p.total) for p in folds] == [(i, i, 8) for i in range(1, 9)]
    assert {p.stage for p in folds} == {"fitting"} and folds[3].text == "fitting: fold 4 of 8"
    assert all(p.seconds_left >= 0 for p in folds) and folds[-1].seconds_left == 0
    assert all(np.diff([p.elapsed_seconds for p in folds]) >= 0)


def test_a_fit_names_its_stage():
    seen = []
    BayesianLogisticRegression("ard", callback=seen.append).fit(X, labels)
    first = seen[0]
    assert (first.stage, first.sweep, first.total, first.seconds_left, first.text) == ("fitting", 1, 0, None, "fitting: step 1")


# ---- advice that can be followed


def separated():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60, 3))
    return rows, (rows[:, 1] + rows[:, 2] > 0).astype(int)


def test_separated_classes_are_called_so():
    rows, target = separated()
    with pytest.warns(ArdvarkWarning, match="can be separated.*prior='shared', lambda_1=1, lambda_2=1"), pytest.warns(ConvergenceWarning, match="can be separated"):
        fit = BayesianLogisticRegression("none").fit(rows, target)
    assert not fit.converged_ and "collinear" not in fit.summary()
    assert "prior='shared', lambda_1=1, lambda_2=1" in fit.summary()
    assert BayesianLogisticRegression("shared", lambda_1=1, lambda_2=1).fit(rows, target).converged_  # as advised


def test_columns_called_like_options_of_the_library_keep_their_names():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"c0": np.ones(30), "a0": np.r_[np.nan, np.arange(29.0)], "max_sweeps": np.arange(30.0) ** 2})
    fit = BayesianLinearRegression("shared").fit(table.drop(columns="a0"), np.arange(30.0))
    assert any("'c0'" in note for note in fit.notes_)
    with pytest.raises(ValueError, match="column 'a0'"):
        BayesianLinearRegression("shared").fit(table, np.arange(30.0))


def test_weights_that_stand_for_too_few_rows():
    for prior in ("sparse", "slab", "dense", "shared", "ard", "none"):
        with pytest.raises(ValueError, match="^sample_weight have the sum 0.6.*multiply relative weights"):
            BayesianLinearRegression(prior).fit(X, y, sample_weight=np.full(len(X), 0.6 / len(X)))


@pytest.mark.parametrize("model", [BayesianLogisticRegression(), KernelClassifier(), RelevanceVectorClassifier()], ids=lambda model: type(model).__name__)
def test_a_class_whose_rows_all_have_weight_zero_is_named(model):
    target = np.array(["a", "b", "c"])[np.arange(len(X)) % 3]
    with pytest.raises(ValueError, match="^all rows of class 'b' have weight zero"):
        model.fit(X, target, sample_weight=(target != "b").astype(float))


def test_a_sparse_prior_of_several_classes_is_one_of_each_against_the_rest():
    target = np.arange(len(X)) % 3
    fit = BayesianLogisticRegression("sparse").fit(X, target)
    same = BayesianLogisticRegression("sparse", coding="one-against-rest").fit(X, target)
    assert fit.coef_.shape[0] == 3 and np.array_equal(fit.coef_, same.coef_)
    assert np.allclose(fit.predict_proba(X).sum(axis=1), 1, rtol=1e-12)


def test_a_target_far_from_zero_is_not_constant():
    near = BayesianLinearRegression("shared").fit(X, y)
    with pytest.warns(ArdvarkWarning, match="the target varies by .* around 1e\\+14, where numbers are stored in steps of 0.016"):
        far = BayesianLinearRegression("shared").fit(X, 1e14 + y)
    assert np.allclose(far.coef_, near.coef_, atol=0.01)


def test_a_bound_without_a_prior_is_not_comparable():
    fit = BayesianLinearRegression("none").fit(X, y)
    assert "not comparable: no column has a prior" in fit.summary() and not fit.bound_comparable_
    assert BayesianLinearRegression("shared").fit(X, y).bound_comparable_
    assert not BayesianLinearRegression("shared", flat=[0]).fit(X, y).bound_comparable_


def test_one_half_is_one_decision():
    rows, target = np.array([[1.0], [-1], [1], [-1]] * 5), np.array([0, 0, 1, 1] * 5)
    for fit in (
        BayesianLogisticRegression("shared"),
        BayesianLogisticRegression(),
        BayesianLogisticRegression(coding="one-against-rest"),
        SparseLogisticRegression(),
        RelevanceVectorClassifier(width=1.0),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit.fit(rows, target)
        predicted = fit.predict(rows)
        assert np.array_equal(predicted, (fit.predict_proba(rows)[:, 1] > 0.5).astype(int))
        assert fit._model.number("accuracy") == np.mean(predicted == target)


@pytest.mark.parametrize(("label", "said"), [(1, "one class, 1 "), ("a", "one class, 'a' "), (True, "one class, True ")])
def test_one_class_is_named_as_the_user_wrote_it(label, said):
    with pytest.raises(ValueError, match=said):
        BayesianLogisticRegression().fit(X, np.full(len(X), label))


WORDS = "it must be one of ard, auto, dense, groups, laplace, none, shared, slab, sparse"
NO_WORDS = [
    ({"prior": ""}, f"prior is ''; {WORDS}"),
    ({"standardize": None}, "standardize is None; it must be True or False"),
    ({"fit_intercept": None}, "fit_intercept is None; it must be True or False"),
    ({"solver": ""}, "solver is ''; it must be one of automatic, dual, iterative, primal, qr, spectral"),
    ({"solver": None}, "solver is None; it must be one of automatic, dual, iterative, primal, qr, spectral"),
    ({"missing": None}, "missing is None; it must be one of drop, impute, refuse"),
    ({"tol": ""}, "tol is ''; leave it out for the default"),
]
CODING = "it must be one of automatic, one-against-one, one-against-rest, softmax"


@pytest.mark.parametrize(
    "estimator, message",
    [
        *[(cls(**given), message) for cls in (BayesianLinearRegression, BayesianLogisticRegression) for given, message in NO_WORDS],
        (BayesianLogisticRegression(coding="nonsense"), f"coding is 'nonsense'; {CODING}"),
        (BayesianLogisticRegression(coding=None), f"coding is None; {CODING}"),
        (BayesianLogisticRegression(precision_per_class="no"), "precision_per_class is 'no'; it must be True or False"),
        (BayesianLogisticRegression(likelihood=""), "likelihood is ''; it must be one of jj, laplace, vg"),
    ],
    ids=str,
)
def test_what_is_no_word_is_refused_where_the_fit_does_not_need_it(estimator, message):
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(InvalidArgumentError, match=f"^{message}$") as error:
        estimator.fit(X, (X[:, 0] > 0).astype(int))
    assert message.startswith(f"{error.value.argument} is ")
