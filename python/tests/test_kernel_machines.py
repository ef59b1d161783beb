"""Kernel machines in Python: tables with texts, gaps, copies, files of the shell and of Octave, what is refused."""

import copy
import json
import pickle
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")

from scipy.stats import t as student
from sklearn.base import clone

import ardvark
from ardvark import KernelClassifier, KernelRegressor

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "ardvark"
MEX = ROOT / "build" / "octave" / "ardvark"


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"dose": rng.uniform(-3, 3, n), "city": rng.choice(["Bonn", "Oslo", "Rome"], n), "age": rng.normal(size=n)})
    data["y"] = np.sin(1.5 * data.dose) + (data.city == "Oslo") + 0.2 * rng.normal(size=n)
    data["ill"] = np.where(np.abs(data.dose) + 0.3 * rng.normal(size=n) > 1.5, "yes", "no")
    data["grade"] = np.array(["high", "low", "middle"])[np.digitize(data.dose, [-1, 1])]
    return data


INPUTS = ["dose", "city", "age"]


def of_the_shell(folder, data, target, task, *more):
    data[[*INPUTS, target]].to_csv(folder / "table.csv", index=False)
    words = [PROGRAM, "fit", "table.csv", "--target", target, "--model", "kernel", "--task", task, "--json", "-o", "m.ardvark", *more]
    run = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, cwd=folder)
    return json.loads(run.stdout)


def test_a_regression_with_texts_is_that_of_the_shell(tmp_path):
    data = table()
    shell = of_the_shell(tmp_path, data, "y", "regression")
    model = KernelRegressor().fit(data[INPUTS], data.y)
    assert model.hypotheses_ == shell["hypotheses"]
    assert (model.support_ + 1).tolist() == shell["relevance_rows"]
    assert np.allclose(model.relevance_vectors_, shell["relevance_vectors"], rtol=0, atol=0)
    assert model.log_evidence_ == shell["log_evidence"] and model.noise_std_ == shell["noise_sd"] and model.signal_std_ == shell["signal_sd"]
    each = [one for one in model.hypotheses_ if one["width"] == "each"][0]
    assert len(each["widths"]) == len(each["interval"]) == 5  # three columns of one text, which share a width in standard deviations
    in_sd = np.array(each["widths"]) * model.input_scale_
    assert np.ptp(in_sd[1:4]) < 1e-9
    loaded = ardvark.load(tmp_path / "m.ardvark")
    assert type(loaded) is KernelRegressor
    for ours, theirs in zip(model.predict(data[INPUTS], return_std=True), loaded.predict(data[INPUTS], return_std=True)):
        assert np.abs(ours - theirs).max() < 1e-12


@pytest.mark.parametrize("target", ["ill", "grade"])
def test_classes_with_texts_are_those_of_the_shell(tmp_path, target):
    data = table()
    shell = of_the_shell(tmp_path, data, target, "classification")
    model = KernelClassifier().fit(data[INPUTS], data[target])
    assert model.classes_.tolist() == shell["classes"]
    assert model.hypotheses_ == (shell["hypotheses"] if target == "ill" else [machine["hypotheses"] for machine in shell["machines"]])
    probabilities = model.predict_proba(data[INPUTS])
    assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-12 and model.score(data[INPUTS], data[target]) > 0.85
    assert np.abs(ardvark.load(tmp_path / "m.ardvark").predict_proba(data[INPUTS]) - probabilities).max() < 1e-12


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_predict_the_same(copied):
    data = table()
    for model, predict in (
        (KernelRegressor(averaging=False).fit(data[INPUTS], data.y), lambda m: np.array(m.predict(data[INPUTS], return_std=True))),
        (KernelClassifier(averaging=False).fit(data[INPUTS], data.grade), lambda m: m.predict_proba(data[INPUTS])),
    ):
        assert np.array_equal(predict(copied(model)), predict(model))
        assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "hypotheses_")


def test_intervals_and_densities_are_those_of_one_distribution():
    """A single part: a Student-t distribution. The interval holds its mass; the density integrates to one and is that of scipy."""
    data = table()
    X = data[["dose", "age"]].to_numpy()
    model = KernelRegressor("gaussian", width="shared", averaging=False, vectors="all").fit(X, data.y)
    mean, std = model.predict(X, return_std=True)
    nu = len(X) - 1
    scale = std * np.sqrt((nu - 2) / nu)
    lower, upper = model.predict_interval(X, level=0.9).T
    assert np.allclose(upper, mean + scale * student.ppf(0.95, nu), rtol=1e-7)
    assert np.allclose(lower, mean - scale * student.ppf(0.95, nu), rtol=1e-7)
    assert np.allclose(model.log_density(X, data.y), student.logpdf(data.y, nu, mean, scale), rtol=1e-9, atol=1e-9)


def test_the_density_of_a_mixture_integrates_to_one():
    data = table(25)
    model = KernelRegressor().fit(data[["dose"]].to_numpy(), data.y)
    at = np.linspace(-60, 60, 24001)
    density = np.exp(model.log_density(np.full((at.size, 1), 2.0), at))
    assert density.sum() * (at[1] - at[0]) == pytest.approx(1, abs=1e-4)
    lower, upper = model.predict_interval([[2.0]], level=0.8)[0]
    inside = (at > lower) & (at < upper)
    assert density[inside].sum() * (at[1] - at[0]) == pytest.approx(0.8, abs=5e-3)


def test_the_linear_part_is_that_of_the_shell_and_goes_on(tmp_path):
    data = table()
    data["y"] += 2 * data.age
    shell = of_the_shell(tmp_path, data, "y", "regression", "--linear-part")
    model = KernelRegressor(linear_part=True).fit(data[INPUTS], data.y)
    assert model.hypotheses_ == shell["hypotheses"] and 0.2 < model.hypotheses_[0]["linear_share"] < 1
    loaded = ardvark.load(tmp_path / "m.ardvark")
    assert loaded.linear_part is True and np.abs(loaded.predict(data[INPUTS]) - model.predict(data[INPUTS])).max() < 1e-12
    far = data[INPUTS].head(1).assign(age=[20.0])
    mean, std = model.predict(far, return_std=True)
    expected = data.y[0] + 2 * (20 - data.age[0])
    assert abs(mean[0] - expected) < 3 * std[0]
    assert abs(KernelRegressor().fit(data[INPUTS], data.y).predict(far)[0] - expected) > 2 * abs(mean[0] - expected)
    assert "linear share" in model.summary() and "linear share" not in KernelRegressor().fit(data[["dose"]], data.y).summary()


def test_the_covariance_of_all_rows():
    data = table()
    X = data[["dose", "age"]].to_numpy()
    model = KernelRegressor().fit(X, data.y)
    mean, std = model.predict(X, return_std=True)
    again, covariance = model.predict(X, return_cov=True)
    assert np.abs(again - mean).max() < 1e-12 and np.allclose(np.sqrt(np.diag(covariance)), std, rtol=1e-10)
    assert np.array_equal(covariance, covariance.T) and np.linalg.eigvalsh(covariance)[0] > 0  # the noise is at least so large
    with pytest.raises(ValueError, match="return_std and return_cov are both True"):
        model.predict(X, True, True)
    with pytest.raises(ValueError, match="X has 1 features|X_new has 1 columns"):
        model.predict(X[:, :1], return_cov=True)


def test_draws_vary_as_the_covariance_says():
    data = table()
    X = data[["dose"]].to_numpy()
    model = KernelRegressor().fit(X, data.y)
    at = np.array([[0.0], [0.1], [6.0]])
    mean, covariance = model.predict(at, return_cov=True)
    draws = model.sample_y(at, 20000, random_state=5)
    assert draws.shape == (3, 20000) and np.array_equal(draws[:, :7], model.sample_y(at, 7, random_state=5))
    assert not np.array_equal(draws[:, :7], model.sample_y(at, 7))
    products = (draws - mean[:, None])[:, None] * (draws - mean[:, None])[None]
    assert (np.abs(products.mean(axis=-1) - covariance) < 5 * products.std(axis=-1) / np.sqrt(20000)).all()
    curves = model.sample_f(at, 20000, random_state=5)
    assert np.corrcoef(curves[:2])[0, 1] > 0.9 > np.corrcoef(draws[:2])[0, 1]  # neighbours on a curve; observations have noise
    assert model.sample_y(at, 2, random_state=np.random.RandomState(0)).shape == (3, 2)
    with pytest.raises(ValueError, match="n_samples is 0; it must be at least 1"):
        model.sample_y(at, 0)


def test_draws_of_classes():
    data = table()
    X = data[["dose", "age"]].to_numpy()
    two, three = KernelClassifier(averaging=False).fit(X, data.ill), KernelClassifier(averaging=False).fit(X, data.grade)
    draws = 1 / (1 + np.exp(-two.sample_f(X[:4], 20000, random_state=1)))
    assert np.allclose(draws.mean(axis=1), two.predict_proba(X[:4])[:, 1], atol=5 * 0.5 / np.sqrt(20000))
    assert three.sample_f(X[:4], 6, random_state=1).shape == (3, 4, 6)
    assert 0 <= three.odds_power_ <= 1 and not hasattr(two, "odds_power_")


def test_rows_of_vectors_count_those_that_were_dropped():
    data = table()
    X = data[["dose", "age"]].to_numpy().copy()
    X[::5, 0] = np.nan
    model = KernelRegressor(missing="drop", averaging=False).fit(X, data.y)
    assert np.isfinite(X[model.support_]).all() and np.array_equal(X[model.support_], model.relevance_vectors_)
    with pytest.raises(ValueError, match="missing 'drop' leaves such rows out$"):  # this model fills no gaps
        KernelRegressor().fit(X, data.y)


def test_no_warning_outside_the_data_where_the_bands_open():
    data = table()
    X = data[["dose"]].to_numpy()
    model = KernelRegressor(averaging=False).fit(X, data.y - (data.city == "Oslo"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        std = model.predict([[0.0], [30.0]], return_std=True)[1]
    assert std[1] > 2 * std[0]


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(kernel="linear"), "kernel"),
        (dict(width=0), "width"),
        (dict(width=1e300), "the same for every two rows"),
        (dict(width=[1, 2, 3]), "width has 3 numbers"),
        (dict(vectors=0), "vectors"),
        (dict(vectors="some"), "vectors"),
        (dict(divergence=0), "divergence is 0"),
        (dict(divergence=np.nan), "divergence is nan"),
        (dict(input_group=[0]), "input_group"),
        (dict(n_jobs=-2), "n_jobs"),
        (dict(missing="impute"), "missing"),
    ],
)
def test_refuses_what_is_no_value(options, words):
    data = table()
    with pytest.raises(ValueError, match=words):
        KernelRegressor(**options).fit(data[["dose", "age"]], data.y)


def test_refuses_tables_without_a_function():
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match="class"):
        KernelClassifier().fit(X, ["a"] * 6)
    with pytest.raises(ValueError, match="row 2"):
        KernelRegressor().fit(np.array([[1.0], [np.inf], [3.0]]), [1, 2, 3])
    with pytest.raises(ValueError, match="at least 2|minimum of 2|1 row"):
        KernelRegressor().fit([[1.0]], [1.0])
    model = KernelRegressor().fit(X, np.ones(6))  # all targets equal
    assert np.allclose(model.predict(X), 1)


def test_onnx_is_refused_with_a_sentence():
    pytest.importorskip("onnx")
    data = table()
    with pytest.raises(ValueError, match=r"estimator is KernelRegressor\(.*\); it must be a linear or logistic estimator"):
        ardvark.to_onnx(KernelRegressor(averaging=False).fit(data[["dose"]].to_numpy(), data.y))


def test_a_comparison_is_that_of_the_shell(tmp_path):
    data = table()[["dose", "age", "y"]]
    data.to_csv(tmp_path / "t.csv", index=False)
    words = [PROGRAM, "compare", tmp_path / "t.csv", "--target", "y", "--model", "linear", "--models", "kernel", "--json"]
    shell = json.loads(subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout)
    comparison = ardvark.compare(data, target="y", models=["kernel"])
    assert comparison.best == "kernel" == shell["best"] and comparison.models[0].effective_parameters is None
    assert comparison.models[0].evidence == pytest.approx(shell["models"][0]["evidence"], abs=1e-9)
    assert "1 kernel machine" in str(comparison)
    with pytest.raises(ValueError, match="models is"):
        ardvark.compare(data, target="y", models="kernel")
    with pytest.raises(ValueError, match="models cannot be used with text columns"):
        ardvark.compare(table()[[*INPUTS, "y"]], target="y", models=["kernel"])


def test_octave_predicts_from_a_file_of_the_shell(tmp_path):
    """Octave is installed and built by scripts/test, so its absence is an error."""
    data = table()
    data["city"] = (data.city == "Oslo").astype(float)
    of_the_shell(tmp_path, data, "y", "regression")
    np.savetxt(tmp_path / "X.txt", data[INPUTS].to_numpy(float), fmt="%.17g")
    code = f"addpath('{MEX}'); X = load('X.txt'); p = ardvark_predict('m.ardvark', X); printf('%.17g %.17g\\n', [p.mean, p.sd]');"
    run = subprocess.run(["octave", "--norc", "--quiet", "--eval", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    ours = np.array(ardvark.load(tmp_path / "m.ardvark").predict(data[INPUTS], return_std=True)).T
    theirs = np.array([line.split() for line in run.stdout.splitlines()], float)
    assert np.abs(theirs - ours).max() < 1e-12


@pytest.mark.parametrize("seed", [5, 16, 20])
def test_narrow_widths_of_a_few_rows_do_not_hide_the_function(seed):
    """Repeated rows have one class, which speaks for narrow widths; seen from there, these centres know of no function."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5000, 3))
    f = 2 * np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - 1
    y = (rng.random(5000) < 1 / (1 + np.exp(-f))).astype(int)
    repeats = rng.integers(0, 4, size=5000).astype(float)
    model = KernelClassifier("gaussian", width="each", centres=40).fit(X, y, repeats)
    assert -np.log(model.predict_proba(X)[np.arange(5000), y]).mean() < 0.52  # .47 with the true function, .69 without any


@pytest.mark.parametrize("seed", [1, 13])
def test_an_input_of_which_few_rows_say_nothing_is_found(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(4000, 6))
    f = 3 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 10 * (X[:, 2] - 0.5) ** 2 + 3 * X[:, 3] - 4
    p = 1 / (1 + np.exp(-f))
    model = KernelClassifier("gaussian", width="each", centres=40).fit(X, (rng.random(4000) < p).astype(int))
    assert model.hypotheses_[0]["widths"][2] < 3  # standard deviations of the input
    q = model.predict_proba(X)[:, 1]
    assert (p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))).mean() < 0.012
