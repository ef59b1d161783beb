"""Each display, drawn, and what is in the picture."""

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from ardvark import (  # noqa: E402
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceSelector,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
    SequentialLogisticRegression,
    SparseLogisticRegression,
)
from ardvark.plot import (  # noqa: E402
    COLORS,
    BoundHistoryDisplay,
    CalibrationDisplay,
    CoefficientDisplay,
    DecisionBoundaryDisplay,
    PredictiveDisplay,
    RelevanceDisplay,
)
from matplotlib.colors import to_hex, to_rgb  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_moons  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

rng = np.random.default_rng(3)
NAMES = ["age", "height", "dose", "site"]
X = rng.normal(size=(150, 4))
y = X @ [2.0, 0, -1, 0] + 1 + 0.3 * rng.normal(size=150)
species = np.array(["cat", "dog", "eel"])[np.digitize(X[:, 0] + 0.3 * rng.normal(size=150), [-0.5, 0.5])]
M, moons = make_moons(150, noise=0.25, random_state=0)
moons = np.where(moons == 1, "up", "down")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def frame(array, names):
    return pytest.importorskip("pandas").DataFrame(array, columns=names)


def series(array, name):
    return pytest.importorskip("pandas").Series(array, name=name)


def ink(display):
    """Renders; the share of pixels that are not white."""
    display.figure_.canvas.draw()
    pixels = np.asarray(display.figure_.canvas.buffer_rgba())[..., :3]
    return (pixels != 255).any(axis=2).mean()


def inside(display):
    """No text of the picture is cut off."""
    display.figure_.canvas.draw()
    tight, box = display.figure_.get_tightbbox(), display.figure_.bbox_inches
    return tight.x0 >= -0.02 and tight.y0 >= -0.02 and tight.x1 <= box.x1 + 0.02 and tight.y1 <= box.y1 + 0.02


def labels_of(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def legend_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_colours_differ_in_lightness_or_hue_for_the_colour_blind():
    """Deuteranopia (Vienot 1999): each pair stays apart, in linear RGB of the simulated colours."""
    linear = np.array([to_rgb(color) for color in COLORS]) ** 2.2
    to_lms = np.array(
        [[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714], [0.0299566, 0.184309, 1.46709]]
    )
    blind = np.array([[1, 0, 0], [0.494207, 0, 1.24827], [0, 0, 1]])
    seen = np.clip(linear @ (np.linalg.inv(to_lms) @ blind @ to_lms).T, 0, 1) ** (1 / 2.2)
    distance = np.linalg.norm(seen[:, None] - seen, axis=2) + np.eye(len(COLORS))
    assert distance.min() > 0.15


def test_coefficients():
    fit = BayesianLinearRegression("ard").fit(frame(X, NAMES), y)
    display = CoefficientDisplay.from_estimator(fit, level=0.9)
    kept, others = display.containers_
    assert fit.support_[[0, 2]].all() and not fit.support_.all()
    np.testing.assert_array_equal(kept[0].get_xdata(), fit.coef_[fit.support_])
    np.testing.assert_array_equal(kept[0].get_ydata(), np.flatnonzero(fit.support_))
    ends = np.array([segment[:, 0] for segment in others[2][0].get_segments()])
    np.testing.assert_allclose(ends, fit.coef_interval(0.9)[~fit.support_], rtol=1e-10)
    assert labels_of(display.ax_.yaxis) == NAMES and display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]
    assert display.ax_.get_xlabel() == "coefficient, with 90% intervals"
    assert legend_of(display) == ["kept", "not kept"] and to_hex(others[0].get_markerfacecolor()) == "#ffffff"
    assert ink(display) > 0.02 and inside(display)


def test_coefficients_of_classes():
    three = CoefficientDisplay.from_estimator(BayesianLogisticRegression("ard").fit(frame(X, NAMES), species))
    assert (
        legend_of(three)[:3] == ["cat", "dog", "eel"]
        and len({c[0].get_color() for c in three.containers_}) == 3
    )
    assert len({c[0].get_marker() for c in three.containers_}) == 3 and inside(three)
    two = CoefficientDisplay.from_estimator(BayesianLogisticRegression().fit(X[:, :2], moons))
    assert two.ax_.get_xlabel() == "coefficient of the log odds for up, with 95% intervals"
    assert labels_of(two.ax_.yaxis) == ["x1", "x2"]


def test_standardized_coefficients_are_those_of_standardized_columns():
    table = frame(X * [1, 10, 0.1, 100], NAMES)
    scaled, zero = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    for estimator, target, inside, per in (
        (BayesianLinearRegression(), y, zero, "coefficient, per"),
        (BayesianLogisticRegression(), moons, moons, "coefficient of the log odds for up, per"),
        (BayesianLogisticRegression("ard"), species, species, "coefficient, per"),
    ):
        display = CoefficientDisplay.from_estimator(estimator.fit(table, target), level=0.9, standardize=True)
        other = clone(estimator).fit(scaled, inside)
        np.testing.assert_allclose(display.mean, np.atleast_2d(other.coef_), rtol=1e-6)
        np.testing.assert_allclose(display.interval, other.coef_interval(0.9).reshape(display.interval.shape), rtol=1e-6)
        assert display.ax_.get_xlabel() == f"{per} standard deviation, with 90% intervals"
    one = SequentialLogisticRegression().fit(X, moons)  # it does not scale
    assert np.array_equal(one.coef_interval(standardized=True), one.coef_interval()) and one.coef_interval().shape == (1, 4, 2)


def test_the_largest_of_many_coefficients():
    wide = rng.normal(size=(100, 300))
    target = (wide[:, 4] - wide[:, 9] + 0.5 * rng.logistic(size=100) > 0).astype(int)
    fit = SparseLogisticRegression().fit(wide, target)
    display = CoefficientDisplay.from_estimator(fit, max_features=5)
    assert {"x5", "x10"} <= set(labels_of(display.ax_.yaxis)) and len(display.names) == 5
    assert (
        display.ax_.get_title(loc="left") == "5 of 300 columns: the largest relative to their standard deviation"
    )
    assert (display.mean != 0).all() and inside(display)
    relevance = RelevanceDisplay.from_estimator(fit)
    assert relevance.ax_.get_xlabel() == "column, 1 to 300"
    np.testing.assert_array_equal(relevance.bars_.markerline.get_xdata(), 1 + np.flatnonzero(fit.support_))
    assert inside(relevance) and relevance.ax_.texts[0].get_text() == f"x{1 + fit.relevance_.argmax()}"
    boxes = [text.get_window_extent() for text in relevance.ax_.texts]
    assert len(boxes) > 3 and not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_relevance():
    fit = BayesianLinearRegression("ard").fit(frame(X, NAMES), y)
    display = RelevanceDisplay.from_estimator(fit)
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], fit.relevance_)
    faces = [to_hex(bar.get_facecolor()) for bar in display.bars_]
    assert faces == [COLORS[0].lower() if kept else "#ffffff" for kept in fit.support_]
    assert labels_of(display.ax_.yaxis) == NAMES and legend_of(display) == [
        f"kept ({fit.support_.sum()})",
        f"not kept ({(~fit.support_).sum()})",
    ]
    assert ink(display) > 0.05 and inside(display)


def test_selection_counts():
    selector = RelevanceSelector(by="counts", folds=5, repeats=2).fit(frame(X, NAMES), species)
    display = RelevanceDisplay.from_estimator(selector)
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], selector.counts_ / 10)
    assert display.ax_.get_xlabel() == "share of the fits that kept the column" and inside(display)


def test_bound_by_sweep():
    fit = BayesianLogisticRegression("ard").fit(X, moons)
    display = BoundHistoryDisplay.from_estimator(fit)
    np.testing.assert_array_equal(
        display.lines_[0].get_xydata(), np.column_stack([np.arange(1, fit.n_iter_ + 1), fit.scores_])
    )
    assert display.ax_.get_ylabel().endswith("nats") and display.ax_.get_title(loc="left") == "converged"
    assert [text.get_text() for text in display.ax_.texts] == [f"{fit.bound_:.6g}"] and inside(display)
    machines = BoundHistoryDisplay.from_estimator(RelevanceVectorClassifier(width=2.0).fit(X, species))
    assert len(machines.lines_) == 3 and legend_of(machines) == ["cat", "dog", "eel"]


def test_predictive_band_of_a_machine():
    x = np.linspace(-10, 10, 80)[:, None]
    t = np.sinc(x[:, 0] / np.pi) + 0.1 * rng.normal(size=80)
    table, target = frame(x, ["distance"]), series(t, "signal")
    fit = RelevanceVectorRegressor().fit(table, target)
    display = PredictiveDisplay.from_estimator(fit, table, target, level=0.9, grid_resolution=50)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("distance", "signal")
    np.testing.assert_allclose(
        display.line_.get_ydata(), fit.predict(frame(display.x[:, None], ["distance"]))
    )
    outline = display.band_.get_paths()[0].get_extents()
    assert outline.y0 == pytest.approx(display.interval.min()) and outline.y1 == pytest.approx(
        display.interval.max()
    )
    circles = np.column_stack([x[fit.support_, 0], t[fit.support_]])
    np.testing.assert_allclose(display.vectors_.get_xydata(), circles)
    assert len(display.points_.get_xdata()) == 80 and display.vectors_.get_markerfacecolor() == "none"
    assert legend_of(display) == [
        "90% of new observations",
        "observed",
        "mean",
        f"relevance vectors ({len(circles)})",
    ]
    assert ink(display) > 0.05 and inside(display)


def test_predictions_along_one_of_several_columns():
    fit = BayesianLinearRegression().fit(frame(X, NAMES), y)
    display = PredictiveDisplay.from_estimator(fit, frame(X, NAMES), y, feature="dose")
    slope = np.polyfit(display.line_.get_xdata(), display.line_.get_ydata(), 1)[0]
    assert (
        slope == pytest.approx(fit.coef_[2])
        and display.ax_.get_xlabel() == "dose"
        and display.vectors_ is None
    )
    assert display.ax_.get_title(loc="left") == "the other columns at their medians"
    figure, ax = plt.subplots()
    assert display.plot(ax=ax).figure_ is figure and len(ax.lines) == 2


def test_calibration_of_classes():
    p = np.repeat([0.1, 0.5, 0.9], 1000)
    score = np.log(p / (1 - p))[:, None]
    hit = (np.random.default_rng(0).uniform(size=3000) < p).astype(int)
    fit = LogisticRegression(C=np.inf).fit(score, hit)
    display = CalibrationDisplay.from_estimator(fit, score, hit, n_bins=3)
    np.testing.assert_allclose(display.observed, hit.reshape(3, 1000).mean(axis=1))
    points = display.container_[0].get_xydata()
    np.testing.assert_allclose(points, np.column_stack([display.expected, display.observed]))
    assert np.abs(points[:, 0] - points[:, 1]).max() < 0.03 and display.count.tolist() == [1000] * 3
    z = 1.959963984540054  # Wilson's ends solve |share - q| = z sqrt(q (1 - q)/n)
    for share, ends in zip(display.observed, display.interval):
        np.testing.assert_allclose(np.abs(share - ends), z * np.sqrt(ends * (1 - ends) / 1000), rtol=1e-9)
    assert display.ax_.get_xlabel() == "predicted probability of 1" and inside(display)
    three = BayesianLogisticRegression().fit(X, species)
    assert "most probable" in CalibrationDisplay.from_estimator(three, X, species).ax_.get_xlabel()
    assert CalibrationDisplay.from_estimator(three, X, species, pos_label="eel").target == "eel"


def test_coverage_of_a_regression():
    train, test = slice(0, 75), slice(75, 150)
    fit = BayesianLinearRegression().fit(X[train], series(y[train], "weight"))
    display = CalibrationDisplay.from_estimator(fit, X[test], y[test], n_bins=5)
    np.testing.assert_allclose(display.expected, [0.1, 0.3, 0.5, 0.7, 0.9])
    low, high = fit.predict_interval(X[test], 0.5).T
    assert display.observed[2] == np.mean((low <= y[test]) & (y[test] <= high))
    assert (np.diff(display.observed) >= 0).all()
    assert display.ax_.get_xlabel() == "level of the predictive interval of weight" and inside(display)


def test_decision_boundary():
    fit = RelevanceVectorClassifier(width=1.0).fit(frame(M, ["east", "north"]), series(moons, "side"))
    display = DecisionBoundaryDisplay.from_estimator(
        fit, frame(M, ["east", "north"]), moons, grid_resolution=80
    )
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("east", "north")
    np.testing.assert_allclose(display.vectors_.get_xydata(), fit.relevance_vectors_)
    assert [len(line.get_xdata()) for line in display.points_] == [75, 75]
    assert len({line.get_marker() for line in display.points_}) == 2
    on_line = np.concatenate([path.vertices for path in display.contours_[0].get_paths()])
    p = fit.predict_proba(frame(on_line, ["east", "north"]))[:, 1]
    assert np.abs(p - 0.5).max() < 0.05
    assert legend_of(display) == [
        "down",
        "up",
        f"relevance vectors ({len(fit.support_)})",
        "even odds",
        "3 to 1",
    ]
    assert display.ax_.get_legend().get_title().get_text() == "side"
    at = (np.abs(display.x1 - 1.0).argmin(), np.abs(display.x0 + 0.9).argmin())
    shade = np.asarray(display.image_.get_array())[at]  # deep in the first class: its blue
    assert display.probability[at][0] > 0.9 and shade[2] > shade[0] + 0.2
    assert ink(display) > 0.4 and inside(display)


def test_decision_boundary_of_three_classes_and_of_a_pipeline():
    three = DecisionBoundaryDisplay.from_estimator(
        BayesianLogisticRegression().fit(X[:, :2], species), X[:, :2], species
    )
    assert len(three.points_) == 3 and three.vectors_ is None and len(three.contours_) >= 2
    pipeline = make_pipeline(StandardScaler(), BayesianLogisticRegression()).fit(
        frame(M, ["east", "north"]), moons
    )
    display = DecisionBoundaryDisplay.from_estimator(pipeline, frame(M, ["east", "north"]), moons)
    assert display.ax_.get_xlabel() == "east" and inside(display)
    with pytest.raises(ValueError, match="over two columns"):
        DecisionBoundaryDisplay.from_estimator(pipeline, X, species)
