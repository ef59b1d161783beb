"""The pages of the gallery run, and what their prose claims holds."""

import importlib.util
import os
import sys
import warnings
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")
pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn")

DOCS = Path(__file__).resolve().parents[2] / "docs"
GALLERY = DOCS / "gallery"


@lru_cache(maxsize=None)
def page(name):
    """The names of a page after it has run, and what it drew."""
    plt.switch_backend("Agg")
    plt.close("all")  # what other tests have left open
    drawn, show = [], plt.show

    def count(*_, **__):
        drawn.extend(plt.figure(number) for number in plt.get_fignums())
        for figure in drawn:
            figure.canvas.draw()
        plt.close("all")

    plt.show, here = count, Path.cwd()
    os.chdir(GALLERY / Path(name).parent)  # as Sphinx-Gallery does
    main = importlib.util.module_from_spec(importlib.util.spec_from_loader("__main__", None))  # the same
    before = sys.modules["__main__"]
    try:
        sys.modules["__main__"] = main  # alone: modules that the page imports stay, because some cannot be imported twice
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a page that warns shows the reader a warning
            exec(compile((GALLERY / name).read_text(), GALLERY / name, "exec"), main.__dict__)
    finally:
        sys.modules["__main__"] = before
        os.chdir(here)
        plt.show = show
        plt.close("all")
    return SimpleNamespace(
        **{key: value for key, value in vars(main).items() if not key.startswith("__")}, drawn=drawn
    )


@lru_cache(maxsize=None)
def published():
    path = DOCS / "published" / "vblinlogit.csv"
    return pd.read_csv(path, index_col=["figure", "program", "quantity"])["value"].to_dict()


def error_share(fit, X, y):
    return 1 - fit.score(X, y)


def test_every_page_is_tested():
    text = Path(__file__).read_text()
    for path in GALLERY.glob("*/plot_*.py"):
        assert f'"{path.relative_to(GALLERY).as_posix()}"' in text, path


# ---- guide


def test_first_fit():
    p = page("guide/plot_1_first_fit.py")
    assert p.model.converged_ and 0.80 < p.inside < 0.97
    assert p.accuracy > 0.77 and p.log_loss < 0.45
    low, high = p.calibration.interval.T
    assert (
        (low <= p.calibration.expected) & (p.calibration.expected <= high)
    ).sum() >= 5  # of six 95% intervals
    assert len(p.drawn) == 2


def test_which_prior():
    p = page("guide/plot_2_which_prior.py")
    sparse, dense = p.error["sparse"], p.error["dense"]
    for rows in p.row_counts:
        assert sparse["ard", rows] < sparse["shared", rows] < 1.02 * sparse["none", rows]
        assert dense["shared", rows] < 1.01 * min(dense["ard", rows], dense["none", rows])
        assert sparse["sparse", rows] < sparse["ard", rows] and dense["sparse", rows] < 1.05 * dense["shared", rows]
    assert p.default_fit.support_.tolist() == [True] * 4 + [False] * 36
    assert p.ard_fit.support_[:4].all()
    assert 0.02 < p.ard_fit.support_[4:].mean() < 0.35  # about one in seven
    assert p.inside["ard"] < 0.2 and min(p.inside["shared"], p.inside["sparse"]) > 0.9
    assert p.said["sparse"] == [] and "prior='sparse'" in p.said["ard"][0]
    assert p.grouped.relevance_[:4].min() > 0.9 and p.grouped.relevance_[4:].max() < 0.5
    assert p.bounds["groups"] > p.bounds["shared"] + 10 and p.bounds.idxmin() == "ard"


def test_reading_a_summary():
    p = page("guide/plot_3_reading_a_summary.py")
    assert p.kept == ["npreg", "glu", "bmi", "ped", "age"]
    assert p.in_spreads.idxmax() == "glu"
    assert 0.42 < p.test_log_loss < 0.45
    assert "5 times" in p.automatic.notes_[0]
    assert any("can be separated" in message for message in p.messages)
    assert "prior sparse" in p.default.summary() and "dense fraction" in p.default.summary(verbose=True)
    of_relevance = p.model.relevance_.sum()
    assert p.model.effective_parameters_ == pytest.approx(
        of_relevance + 1, abs=1e-6
    )  # the intercept has no prior
    assert (np.diff(p.model.bound_history_) > -1e-9).all()


def test_relevance_vectors_on_a_curve():
    p = page("guide/plot_4_rvm_on_sinc.py")
    assert p.model.support_.size <= 8
    best = p.trials["evidence"].idxmax()
    assert p.trials.loc[best, "width"] == pytest.approx(p.model.width_, rel=1e-6)
    narrow, wide = p.trials["width"] < p.model.width_ / 10, p.trials["width"] > 4 * p.model.width_
    assert p.trials["vectors"][narrow].max() > 2 * p.model.support_.size
    assert p.trials["evidence"][narrow | wide].max() < p.trials["evidence"].max() - 20
    assert 1.5 < p.width < 5
    assert (
        p.std[0] < 1.1 * p.noise and p.std[-1] < 1.1 * p.noise
    )  # far away the band is that of the noise
    at, time = p.far["time"], p.x["time"]
    beyond = np.maximum(time.min() - at, at - time.max()) > p.width  # less than half the range of the rows
    assert f"{beyond.sum()} of 201 rows lie far outside the training rows" in str(p.said[0].message)
    assert p.widths["first"] < 2 and min(p.widths["second"], p.widths["third"]) > 5


def test_bands_open_outside_the_data():
    p = page("guide/plot_7_open_bands.py")
    ends = {name: std[[0, -1]].min() / std[150] for name, std in p.spread.items()}
    assert ends["relevance vector machine"] < 1.1
    assert min(ends["the same, open bands"], ends["kernel machine"]) > 2
    assert len(p.models["kernel machine"].support_) < 25
    near = p.classifier.predict_proba([[-1.5, -0.5], [1.5, 1.0]])[:, 1]
    assert near[0] < 0.1 and near[1] > 0.9
    assert np.abs(p.corner - 0.5).max() < 0.1  # nothing is known
    assert len(p.drawn) == 2


def test_a_table_in_parts():
    pytest.importorskip("distributed")
    p = page("guide/plot_8_table_in_parts.py")
    true = np.array(list(p.minutes_per.values()))
    assert np.abs((p.model.coef_ - true) / p.model.coef_std_).max() < 3.5
    assert p.model.support_.tolist() == [True, True, True, True, False]
    assert p.sums.n_rows_ == 600_000 and len(p.sums.to_bytes()) < 3000
    counts = p.work["task"].value_counts()
    assert counts["read-partition"] == 12 and counts["add-statistics"] == 1
    assert len(p.workers) == 2
    assert p.again.statistics_.to_bytes() == p.sums.to_bytes()
    assert len(p.share) == 12 and np.abs(p.share - 0.9).max() < 0.006  # 4 standard errors
    assert len(p.drawn) == 2


def test_decoding():
    p = page("guide/plot_5_decoding.py")
    found, false, accuracy = (p.report[column] for column in ("found of 10", "false", "accuracy"))
    sparse, dense = ["slr_var", "slr_lap", "l1_slr_c"], ["rlr_var", "shared precision (model)"]
    assert (found[sparse] >= 6).all() and (false[dense] == 990).all()
    assert accuracy[sparse].min() > accuracy[dense].max() + 0.1
    assert false["slr_var"] < false["slr_lap"] < false["l1_slr_c"]
    of_ten = p.is_informative[p.winners].sum()
    assert of_ten > found["slr_var"]
    assert abs(p.on_winners["accuracy"] - accuracy["slr_var"]) < 0.02
    assert p.on_winners["log loss"] > p.report["log loss"]["slr_lap"]


def test_choosing_by_evidence():
    p = page("guide/plot_6_choosing_by_evidence.py")
    assert p.by_bound == p.by_validation == 3
    assert p.odds > 10 and p.weight[2] > 0.9
    assert p.errors["average of all"] < p.errors["ten pairs"]
    assert (np.diff(p.training) < 1e-3).all()
    assert (
        p.of_kernels.index[0] == "gaussian"
        and p.of_kernels["MSE against the true curve"].idxmin() == "gaussian"
    )
    assert p.price["ard"] > 2 * 5 > p.price["shared"]
    assert abs(p.in_cents) < 1e-9


def test_many_targets():
    p = page("guide/plot_9_many_targets.py")
    found, truth = p.table.explained.to_numpy(), p.truth
    standard_error = np.sqrt(0.05 * 0.95 / found.sum())
    assert (~truth[found]).mean() < 0.05 + 2 * standard_error and found[truth].mean() > 0.6
    strong = (np.abs(p.effects[0]) > 1).ravel()
    np.testing.assert_allclose(p.model.coef_[strong, 0].mean(), p.effects[0].ravel()[strong].mean(), rtol=0.1)
    assert np.corrcoef(p.noise.ravel(), p.model.noise_std_)[0, 1] > 0.95
    assert len(p.drawn) == 3
    assert (p.comparison.loc["ardvark"] < 1.05 * p.comparison.drop("ardvark").min()).all()
    of_ridge, ours = p.false_share.values()
    assert of_ridge > 0.12 and ours == (~truth[found]).mean()


def test_equations():
    pytest.importorskip("pysindy", reason="pysindy is not installed (pip install pysindy): its page is not run")
    p = page("guide/plot_9_equations.py")
    assert len(p.drawn) == 2
    assert {name: tuple(count) for name, count in p.found.items()} == {
        "differences": (6, 0), "smoothed over 61 rows": (6, 0), "weak form, rows as if independent": (7, 0), "weak form": (7, 0),
    }
    assert set(p.kept.index) == set(p.truth) and (np.abs(p.kept["mean"] - p.kept["true"]) < 2 * p.kept["std"]).all()
    ours = p.whole["ardvark"]
    assert (ours[:2] == 1).all() and ours[2] >= 0.8 and ours[4] <= 0.4
    assert (p.inside[:3] > 0.95).all() and p.inside[4] < 0.9
    true, false = p.counts["ardvark"].mean(axis=1).T
    assert false.max() < 0.8
    of_low = p.counts["STLSQ, threshold 0.2"].mean(axis=1)
    assert of_low[4, 0] > true[4] and of_low[4, 1] > 1.5 + false[4]
    assert all((share[:3] <= ours[:3]).all() for share in p.whole.values())


def test_volumes():
    pytest.importorskip("nilearn", reason="nilearn is not installed (pip install nilearn): its page is not run")
    p = page("guide/plot_9_volumes.py")
    assert len(p.drawn) == 2
    share = p.comparison["R² of new volumes"]
    assert share["ardvark"] > 0.55 and share["ardvark"] > share["ridge"] + 0.08
    assert 0.05 < p.spread < 0.5  # the spread over folds is no standard deviation
    kept, acts = p.model.inclusion_ > 0.9, p.weights.ravel() != 0
    assert 2 <= kept.sum() <= 6 and acts[kept].all()
    assert (p.found & ~p.acts).sum() <= 2 and p.found[p.acts].mean() > 0.9
    assert p.encoding_maps["inclusion"][p.balls[0] > 0][p.encoding_maps["inclusion"][p.balls[0] > 0] > 0].min() > 0.99


def test_words():
    p = page("guide/plot_9_words.py")
    assert len(p.drawn) == 1 and len(p.table) == p.X.shape[1] > 300
    on_the_right, on_the_left = set(p.table.index[-20:]), set(p.table.index[:20])
    assert len(on_the_right & {"http", "server", "email", "header", "headers", "url", "address", "network", "message", "request", "response", "cookie"}) >= 5
    assert not on_the_left & {"http", "email", "url", "cookie"}
    assert p.certain.loc[0.999, "the texts"] >= 10 and p.certain.loc[0.999, "shuffled topics"] <= 3
    assert p.accuracy > 1 - p.y[p.is_new].mean() + 0.08
    assert (abs(p.groups["probability"] - p.groups["share"]) < 0.1).all()


def test_outliers():
    p = page("guide/plot_9_outliers.py")
    assert len(p.drawn) == 2
    error = p.table["error of the coefficients"]
    assert error["student"] < error["normal"] / 2
    assert p.table["width of the 95% interval"]["student"] < p.table["width of the 95% interval"]["normal"]
    assert p.named.size == p.is_outlier[p.named].sum() == 15 and p.missed == 0
    for model in p.models.values():
        low, high = model.coef_interval().T
        assert ((low <= p.true) & (p.true <= high)).all()
    assert p.models["student"].degrees_of_freedom_ < 4 and p.models["normal"].row_weight_ is None
    assert p.kept["student"] == ["x1", "x2", "x3"] and set(p.kept["normal"]) < {"x1", "x2", "x3"}
    assert p.chosen["with outliers"].noise_family_ == "student" and p.chosen["without"].noise_family_ == "normal"
    assert p.chosen["without"].degrees_of_freedom_ == np.inf


def test_variants():
    p = page("guide/plot_9_variants.py")
    assert len(p.drawn) == 1 and "copies of allele 1" in p.X.notes[0]
    alone, together = p.table.loc["one at a time"], p.table.loc["all at once"]
    assert together["variants"] < alone["variants"] / 2
    assert together["causal"] >= 6 and together["causal"] / together["variants"] > 1.5 * alone["causal"] / alone["variants"]
    assert together["near a causal one"] >= together["variants"] - 1
    assert p.sets["holds a causal one"].mean() >= 0.85
    assert abs(p.swapped - p.predicted).max() < 1e-10 and "allele 2" in str(p.caught[0].message)
    assert 0.3 < p.r_squared < 0.6


# ---- VBLinLogit's figures: the claims, and the preset against the published program


def test_figure_1():
    p = page("vblinlogit/plot_1_regression.py")
    assert p.test_mse["model"] < p.test_mse["least squares"] > p.test_mse["preset"]
    assert p.train_mse["least squares"] < p.train_mse["model"]
    for name, ours in (("training MSE", p.train_mse["preset"]), ("test MSE", p.test_mse["preset"])):
        assert ours == pytest.approx(published()[1, "vb_linear_fit", name], rel=1e-9)
    assert p.preset.number("bound") == pytest.approx(
        published()[1, "vb_linear_fit", "bound"], rel=1e-9
    )
    as_published = p.coverage["as published"]
    assert as_published["y as it is"] == published()[1, "vb_linear_fit", "covered"]
    assert as_published["y in tenths"] == published()[1, "vb_linear_fit in tenths", "covered"] < 30
    assert (p.coverage["ardvark"] >= 88).all() and p.coverage["ardvark"].nunique() == 1


def test_figure_2():
    p = page("vblinlogit/plot_2_sparse_regression.py")
    mse = p.mine["test MSE"]
    assert mse["ardvark, ARD"] < mse["ardvark, one precision"] < mse["least squares"]
    assert mse["vb_linear_fit_ard (Octave)"] < mse["vb_linear_fit (Octave)"] < mse["least squares"]
    distance = p.mine["distance to w"]
    assert distance["ardvark, ARD"] < distance["ardvark, one precision"] < distance["least squares"]
    assert abs(distance["ardvark, ARD"] / distance["vb_linear_fit_ard (Octave)"] - 1) < 0.05
    assert "describes the noise too" in str(p.caught[0].message)
    noise, covered, informative = (p.honesty[column] for column in p.honesty.columns)
    assert noise.iloc[1] < 0.05 and 0.5 < noise.iloc[0] < 1
    assert covered.iloc[0] > 0.93 and covered.iloc[1] < 0.7
    assert informative.iloc[0] < 0.8 and informative.iloc[1] < 0.1


def test_figure_3():
    p = page("vblinlogit/plot_3_polynomial_order.py")
    assert p.best_preset == p.best_model == p.true_order
    theirs = [published()[3, "vb_linear_fit", f"bound, order {order}"] for order in p.orders]
    assert p.preset_bound[:6] == pytest.approx(theirs[:6], rel=1e-9)
    assert p.preset_bound == pytest.approx(theirs, rel=1e-6)
    assert p.errors.loc["model"].item() < 0.1 * p.errors.iloc[0].item()
    assert p.share["true order"] > 0.75 and p.found.size == 200


def test_figure_4():
    p = page("vblinlogit/plot_4_separating_lines.py")
    for j, weight in enumerate(p.coefficients["sequential"]):
        assert weight == pytest.approx(published()[4, "vb_logit_fit_iter", f"w{j + 1}"], rel=1e-9)
    assert p.errors["sequential"] == pytest.approx(
        published()[4, "vb_logit_fit_iter", "test error"], abs=1e-12
    )
    assert abs(p.errors["batch"] - published()[4, "vb_logit_fit", "test error"]) < 0.01
    assert max(p.errors.values()) - min(p.errors.values()) < 0.02
    assert (p.narrower < 0.9).all()
    low, high = p.batch.coef_interval()[0].T
    assert ((low < p.w[1:]) & (p.w[1:] < high)).all()


def test_figure_5():
    p = page("vblinlogit/plot_5_classes_in_1000_dimensions.py")
    error, loss = p.mine["error on new rows"], p.mine["log loss, nats"]
    program = published()
    assert error["ARD, as published"] == pytest.approx(
        program[5, "vb_logit_fit_ard", "test error"], abs=2e-4
    )
    assert p.preset.number("bound") == pytest.approx(
        program[5, "vb_logit_fit_ard", "bound"], rel=1e-9
    )
    assert error["sequential, fixed precision"] == pytest.approx(
        program[5, "vb_logit_fit_iter", "test error"], abs=1e-3
    )
    assert abs(error["one precision for all"] - program[5, "vb_logit_fit", "test error"]) < 0.005
    assert (
        error["ARD, as published"]
        < error["ARD, model"]
        < error["one precision for all"]
        < error["linear discriminant"]
    )
    assert loss.drop("the true probabilities").idxmin() == "L1"
    assert loss["ARD, as published"] < loss["one precision for all"] < loss["ARD, model"]
    large = np.abs(p.w) > 1
    size = {
        name: np.sum(coefficient[large] * np.sign(p.w[large])) / np.abs(p.w[large]).sum()
        for name, (coefficient, *_) in p.shown.items()
    }
    assert (
        0.5 < size["one precision for all"] < 0.8 and 0 < size["sequential, fixed precision"] < 0.05
    )
    assert 1 < size["ARD, as published"] < size["ARD, model"]
    assert p.ard.score(p.X, p.y) > p.preset.number("accuracy") + 0.01
    assert p.ard.support_[100:].sum() > p.preset.array("relevant")[100:].sum()


def test_figure_6():
    p = page("vblinlogit/plot_6_classifier_order.py")
    assert p.best_preset == p.best_model == p.true_order
    theirs = [published()[6, "vb_logit_fit", f"bound, order {order}"] for order in p.orders]
    assert p.preset_bound[:6] == pytest.approx(theirs[:6], rel=1e-9)
    assert p.preset_bound == pytest.approx(theirs, rel=1e-5)
    assert (p.model_bound > p.preset_bound[1:])[1:].all()  # a line: the preset's prior is the tighter one
    assert (
        max(p.train_error[1:]) - min(p.train_error[1:])
        < 0.03
        < p.train_error[0] - max(p.train_error[1:])
    )
    assert max(p.test_error[1:]) - min(p.test_error[1:]) < 0.03
    assert p.share["true order"] > 0.65


# ---- relevance vectors


def test_sinc():
    p = page("relevance_vectors/plot_1_sinc.py")
    of_paper = p.published["sinc, no noise", "RVM"]
    assert abs(p.vectors["RVM"] - of_paper[0]) <= 2 and p.largest_error["RVM"] < of_paper[1]
    assert abs(p.vectors["SVM"] - p.published["sinc, no noise", "SVM"][0]) <= 4
    assert p.largest_error["SVM"] == pytest.approx(0.01, abs=1e-3)
    assert p.noisy_vectors["RVM"] < p.noisy_vectors["SVM"] / 2
    assert 0.02 < p.rms["RVM"] < 0.055 and 0.02 < p.rms["SVM"] < 0.055
    assert p.free.support_.size > 2 * p.vectors["RVM"]
    assert (
        abs(p.mean[2, 1] - p.published["sinc, Gaussian noise", "VRVM"][1])
        < 2 * p.standard_error[2, 1]
    )  # no price
    assert (p.mean[:2, 0] < p.mean[2, 0]).all()
    assert (np.abs(p.mean[:, 2] - 0.1) < 0.006).all()


def test_posterior():
    p = page("relevance_vectors/plot_2_posterior.py")
    assert 4 <= p.relevant[1:].sum() <= 9
    assert (
        p.precision[~p.relevant].min() > 10 * p.precision[p.relevant].max()
    )  # the gap of the picture
    assert p.largest_precision < 5e5 / 10
    assert p.by_weight.sum() > 3 * p.relevant.sum()
    assert p.machine.support_.size <= p.relevant[1:].sum()
    assert 0.07 < p.noise_sd < 0.13 and p.rms < 0.08


def test_ripley():
    p = page("relevance_vectors/plot_3_ripley.py")
    of_rvm, of_svm, error_rvm, error_svm = p.here
    assert of_rvm <= 6 and of_svm >= 5 * of_rvm
    assert abs(error_rvm - 0.093) < 0.02 and abs(error_svm - 0.106) < 0.02
    assert abs(p.ten[:, 2].mean() - p.ten[:, 3].mean()) < 0.02
    assert p.distance["relevance vectors"] > 1.5 * p.distance["support vectors"]
