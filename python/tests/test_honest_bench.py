"""bench/honest: its problems are what their names say, its scores are what theirs say, and a run that was killed goes on."""

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

ROOT = Path(__file__).resolve().parents[2]
HONEST = ROOT / "bench" / "honest"


@pytest.fixture(scope="module", autouse=True)
def on_the_path():
    sys.path.insert(0, str(HONEST))
    yield
    sys.path.remove(str(HONEST))


def module(name):
    return importlib.import_module(name)


def draw(kind, n, p, what, snr=None, seed=0, classes=False):
    families = module("families")
    return families.draw(families.Family(kind, n, p, what, snr), seed, classes)


def columns_of(kind, p=40, rows=40000):
    return module("families").columns(kind, rows, p, np.random.default_rng(1))


def correlation(X):
    return np.corrcoef(X, rowvar=False)


def test_there_are_39_and_10_families_of_different_names():
    families = module("families")
    assert (len(families.LINEAR), len(families.LOGISTIC)) == (39, 10)
    for some in (families.LINEAR, families.LOGISTIC):
        assert len({family.name for family in some}) == len(some)
    assert families.LINEAR[1].name == "ind-n200-p1000-5-snr2"


@pytest.mark.parametrize("kind", ["ind", "ar", "blk", "dup", "pair"])
def test_columns_have_variance_one(kind):
    X = columns_of(kind)
    assert np.abs(X.mean(axis=0)).max() < 5 / 200 and np.abs(X.var(axis=0) - 1).max() < 5 * np.sqrt(2) / 200


def test_uniform_columns_fill_their_interval():
    X = columns_of("uni")
    assert X.min() > -0.5 and X.max() < 0.5 and X.min() < -0.4999 and X.max() > 0.4999
    assert np.abs(X.var(axis=0) - 1 / 12).max() < 5 * np.sqrt(1 / 180) / 200


@pytest.mark.parametrize("kind", ["ind", "uni"])
def test_independent_columns(kind):
    off_diagonal = correlation(columns_of(kind)) - np.eye(40)
    assert np.abs(off_diagonal).max() < 5 / 200


def test_autoregressive_rows():
    """corr(x_i, x_j) = .9^|i - j|."""
    lag = np.abs(np.subtract.outer(np.arange(40), np.arange(40)))
    assert np.abs(correlation(columns_of("ar")) - 0.9**lag).max() < 5 / 200
    assert np.abs(correlation(columns_of("ar.7")) - 0.7**lag).max() < 5 / 200


def test_effects_of_one_size():
    families = module("families")
    w = families.draw(families.Family("ar.7", 30, 40, "8sign", size=0.4), 3, classes=True).w
    assert np.count_nonzero(w) == 8 and set(w[w != 0]) == {-0.4, 0.4}


def test_blocks():
    block = np.arange(40) // 10
    expected = np.where(block[:, None] == block, 0.95, 0.0)
    np.fill_diagonal(expected, 1)
    assert np.abs(correlation(columns_of("blk")) - expected).max() < 5 / 200


def test_every_column_twice():
    X = columns_of("dup")
    assert (X[:, ::2] == X[:, 1::2]).all()
    assert np.abs(correlation(X[:, ::2]) - np.eye(20)).max() < 5 / 200


def test_pairs():
    """Correlation .6 within a pair, none between."""
    pair = np.arange(40) // 2
    expected = np.where(pair[:, None] == pair, 0.6, 0.0)
    np.fill_diagonal(expected, 1)
    assert np.abs(correlation(columns_of("pair")) - expected).max() < 5 / 200


def test_factors():
    """Covariance A'A + I with five loadings: the rest of the eigenvalues are 1."""
    values = np.linalg.eigvalsh(np.cov(columns_of("fac"), rowvar=False))
    assert np.abs(values[:-5] - 1).max() < 0.1 and values[-5] > 10


@pytest.mark.parametrize("what, number", [("5", 5), ("50", 50), ("dense", 200), ("mix", 200), ("t", 50), ("lap", 200), ("null", 0)])
def test_number_of_effects(what, number):
    w = draw("ind", 50, 200, what).w
    assert w.shape == (200,) and np.count_nonzero(w) == number


def test_effects_in_distribution():
    families, rng = module("families"), np.random.default_rng(2)
    p = 200000
    of = lambda kind, p=p: sum(families.effects(kind, p, rng))
    assert of("dense").std() == pytest.approx(1, abs=0.01)
    assert np.median(np.abs(of("lap"))) == pytest.approx(np.log(2) ** 3, rel=0.03)  # of |Laplace|: ln 2
    mix = np.sort(np.abs(of("mix")))
    assert mix[:-5].std() * np.sqrt(1 / (1 - 2 / np.pi)) == pytest.approx(0.3 * np.sqrt(10 / p), rel=0.02)  # of a half normal
    t = np.concatenate([of("t", 50) for _ in range(2000)])
    assert np.median(np.abs(t)) == pytest.approx(np.sqrt(2 / 3), rel=0.03)  # P(|t_2| < q) = q / sqrt(2 + q^2)


def test_small_effects_are_no_effects_of_their_own():
    families = module("families")
    family = families.Family("pair", 500, 12, "3+small", size=0.4)
    problems = [families.draw(family, seed) for seed in range(100)]
    assert family.name == "pair-n500-p12-3+small-size0.4"
    assert all(problem.own.sum() == 3 and (problem.w != 0).all() for problem in problems)
    of = lambda own: np.concatenate([problem.w[problem.own == own] for problem in problems])
    assert of(False).std() == pytest.approx(0.1, rel=0.1) and of(True).std() == pytest.approx((0.4**2 + 0.1**2) ** 0.5, rel=0.15)
    assert draw("ind", 50, 20, "dense").own.all() and not draw("ind", 50, 20, "null").own.any()


def test_there_are_17_small_families():
    families = module("families")
    small = families.SMALL_LINEAR + families.SMALL_LOGISTIC
    assert len(small) == 17 and {family.columns for family in small} == {"pair"}
    assert all(20 <= family.n <= 500 and 5 <= family.p <= 20 for family in small)


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("kind, what, snr", [("ind", "5", 2.0), ("ar", "dense", 0.3), ("fac", "t", 10.0), ("blk", "mix", 4.0)])
def test_signal_has_the_variance_asked_for(kind, what, snr, classes):
    problem = draw(kind, 300, 60, what, snr, classes=classes)
    f = np.concatenate([problem.X, problem.X_new]) @ problem.w
    assert f.var() == pytest.approx(snr, rel=1e-12)
    np.testing.assert_allclose(problem.f_new, problem.X_new @ problem.w, rtol=0, atol=1e-12)


def test_noise_and_sizes():
    problem = draw("uni", 4000, 30, "10")
    assert problem.X.shape == (4000, 30) and problem.X_new.shape == (1000, 30) and problem.y_new.shape == (1000,)
    noise = np.concatenate([problem.y - problem.X @ problem.w, problem.y_new - problem.f_new])
    assert noise.std() == pytest.approx(1, abs=5 / np.sqrt(2 * 5000)) and abs(noise.mean()) < 5 / np.sqrt(5000)


def test_labels_follow_their_probabilities():
    problem = draw("ind", 20000, 20, "5", 4.0, classes=True)
    probability = 1 / (1 + np.exp(-problem.X @ problem.w))
    assert set(np.unique(problem.y)) == {0, 1}
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1)):
        rows = (low < probability) & (probability < high)
        assert problem.y[rows].mean() == pytest.approx(probability[rows].mean(), abs=4 * 0.5 / np.sqrt(rows.sum()))


def test_family_and_seed_name_a_problem():
    one, same, other = (draw("ind", 50, 20, "5", 2.0, seed=seed) for seed in (0, 0, 1))
    assert (one.X == same.X).all() and (one.y == same.y).all() and not (one.X == other.X).any()
    assert not (one.X == draw("ind", 50, 20, "6", 2.0).X).any()


@pytest.mark.parametrize("name, columns", [("boston-degree1", 13), ("boston-degree2", 104), ("diabetes-degree3", 285), ("wine", 13), ("iris", 4), ("pima", 7), ("synth", 2)])
def test_real_data_in_folds(name, columns):
    """Polynomials of degree d in k columns: (k + d over d) - 1."""
    real = module("real")
    folds = [real.draw(name, fold) for fold in range(real.FOLDS)]
    assert all(problem.X.shape[1] == columns for problem in folds)
    n = folds[0].X.shape[0] + folds[0].X_new.shape[0]
    assert sum(problem.X_new.shape[0] for problem in folds) == n
    first = folds[0].X[:, :5]
    assert np.abs(first.mean(axis=0)).max() < 1e-12 and np.abs(first.std(axis=0) - 1).max() < 1e-12


# ---- scores


def test_scores_by_hand():
    families, methods, scores = module("families"), module("methods"), module("scores")
    problem = families.Problem(
        X=np.zeros((1, 2)), y=np.zeros(1), X_new=np.zeros((4, 2)), y_new=np.array([0.0, 1, 2, 3]), f_new=np.array([0.0, 1, 1, 1]), w=np.array([0.0, 2])
    )
    mean = np.array([0.0, 1, 2, 1])
    around = lambda half: np.column_stack([mean - half, mean + half])
    answer = methods.Answer(
        mean=mean,
        interval=around(1.5),
        log_density=np.array([-1.0, -2, -3, -6]),
        signal=around(0.5),
        coef=np.array([[-1.0, 1], [3, 4]]),
        selected=np.array([True, True]),
        inclusion=np.array([0.5, 0.75]),
    )
    found = scores.score(problem, answer)
    assert found["mse"] == 0.25 and found["cov_y"] == 0.75 and found["cov_f"] == 0.75 and found["nlpd"] == 3
    assert found["cov_coef"] == 0.5 and found["cov_nonzero"] == 0
    assert found["selected"] == 2 and found["found"] == 1 and found["sum_pip"] == 1.25


def test_scores_of_inclusions_and_of_directions_by_hand():
    families, methods, scores = module("families"), module("methods"), module("scores")
    w = np.array([2.0, -1, 0.1, 0])
    problem = families.Problem(np.zeros((1, 4)), np.zeros(1), np.zeros((1, 4)), np.zeros(1), np.zeros(1), w, own=np.array([True, True, False, False]))
    said = np.array([0.9, 0.5, 0.2, 1e-9])
    answer = methods.Answer(
        mean=np.zeros(1), interval=np.zeros((1, 2)), log_density=np.zeros(1), selected=said > 0.1, inclusion=said, direction=np.array([0.8, 1, 0, 0])
    )
    found = scores.score(problem, answer)
    assert found["inclusion"] == pytest.approx(-np.mean(np.log([0.9, 0.5, 0.8, 0.999])))
    assert found["pip_own"] == pytest.approx(0.7) and found["pip_none"] == pytest.approx(0.1) and found["kept_none"] == 0.5
    assert found["direction"] == pytest.approx(-np.mean(np.log([0.8, 0.001])))


def test_scores_of_classes():
    scores = module("scores")
    f = np.array([-1.0, 0, 3])
    true = 1 / (1 + np.exp(-f))
    assert scores.kl_divergence(true, f) == pytest.approx(0, abs=1e-12)
    half = np.full(3, 0.5)
    entropy = -(true * np.log(true) + (1 - true) * np.log(1 - true))
    assert scores.kl_divergence(half, f) == pytest.approx(np.mean(np.log(2) - entropy), rel=1e-9)
    predicted = np.linspace(0.05, 0.75, 1000)
    assert scores.calibration_error(predicted, predicted + 0.2) == pytest.approx(0.2, rel=1e-9)
    assert scores.calibration_error(predicted, predicted) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["shared", "BayesianRidge", "ARDRegression", "LassoCV", "RidgeCV"])
def test_what_a_method_says_of_itself(name):
    """Many rows and strong columns: the interval of the signal is inside that of y, and coefficients are in the units of X."""
    families, methods = module("families"), module("methods")
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1400, 4)) * [1, 10, 0.1, 1]
    w = np.array([1.0, 0.2, -5, 0.8])
    y = X @ w + 2 + 0.5 * rng.normal(size=1400)
    method = methods.REGRESSION[name]
    answer = method.read(method.fit(X[:400], y[:400]), X[:400], y[:400], X[400:], y[400:])
    f = X[400:] @ w + 2
    assert np.mean((answer.mean - f) ** 2) < 0.02
    half = np.diff(answer.interval, axis=1)[:, 0] / 2
    assert half.mean() == pytest.approx(1.96 * 0.5, rel=0.1)
    assert np.mean(answer.log_density) == pytest.approx(-0.5 * np.log(2 * np.pi * np.e * 0.25), abs=0.1)
    if answer.signal is not None:
        # E x' V x = s2 (p + 1)/n for columns of any scale
        of_signal = np.diff(answer.signal, axis=1)[:, 0] / 2
        assert np.sqrt(np.mean(of_signal**2)) == pytest.approx(1.96 * 0.5 * np.sqrt(5 / 400), rel=0.2)
        assert answer.noise_sd == pytest.approx(0.5, rel=0.1)
        sd = np.diff(answer.coef, axis=1)[:, 0] / 2 / 1.96
        np.testing.assert_allclose(sd, 0.5 / 20 / np.array([1, 10, 0.1, 1]), rtol=0.15)
        assert (np.abs(answer.coef.mean(axis=1) - w) < 4 * sd).all()


# ---- the run


def run(path, *options):
    command = [sys.executable, HONEST / "run.py", "--results", path, "--studies", "real", "--families", "diabetes-degree1", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_run_goes_on_where_it_was_killed(tmp_path):
    path = tmp_path / "results.csv"
    first = run(path, "--methods", "shared,RidgeCV", "--seeds", "0,1")
    assert first.count("/4 ") == 4
    whole = path.read_text()
    path.write_text(whole[: whole.rindex(",", 0, -30)])  # in the middle of the last line
    assert run(path, "--methods", "shared,RidgeCV", "--seeds", "0,1").count("/1 ") == 1
    lines = path.read_text().splitlines()
    assert len(lines) == 5 and lines[:4] == whole.splitlines()[:4]
    again = run(path, "--methods", "shared,RidgeCV", "--seeds", "0,1", "--again", "shared")
    assert again.count("shared:") == 2 and "RidgeCV:" not in again
    assert len(path.read_text().splitlines()) == 5


def test_a_fit_at_the_limit_is_recorded_so(tmp_path):
    path = tmp_path / "results.csv"
    command = [sys.executable, HONEST / "run.py", "--results", path, "--families", "ar-n500-p5000-50-snr2", "--seeds", "0", "--limit", "1"]
    subprocess.run([*command, "--methods", "LassoCV,ARDRegression"], check=True, capture_output=True)
    lines = path.read_text().splitlines()
    assert len(lines) == 3 and all("> 1 s" in line for line in lines[1:])


# ---- the report


def results_of(tmp_path, rows):
    """(problem, seed, method, status, mse, cov_y, nlpd) of linear families."""
    results = module("results").Results(tmp_path / "results.csv")
    results.forget(lambda row: False)
    for problem, seed, method, status, mse, cov_y, nlpd in rows:
        numbers = {"mse": mse, "cov_y": cov_y, "nlpd": nlpd, "seconds": 0.5, "n": 200, "p": 1000}
        results.add({"study": "linear", "problem": problem, "seed": seed, "method": method, "status": status} | numbers)
    return results.path


BY_HAND = [
    ("ind-n200-p1000-5-snr2", 0, "LassoCV", "ok", 0.2, 0.9, 1.5),
    ("ind-n200-p1000-5-snr2", 0, "RidgeCV", "ok", 1.0, 0.9, 2.0),
    ("ind-n200-p1000-5-snr2", 0, "sparse", "ok", 0.1, 0.96, 1.25),
    ("ind-n200-p1000-5-snr2", 0, "ARDRegression", "> 300 s", float("nan"), float("nan"), float("nan")),
    ("ar-n200-p1000-5-snr2", 0, "LassoCV", "ok", 0.4, 0.9, 1.5),
    ("ar-n200-p1000-5-snr2", 1, "LassoCV", "ok", 0.8, 0.9, 1.5),
    ("ar-n200-p1000-5-snr2", 0, "RidgeCV", "ok", 0.2, 0.9, 1.5),
    ("ar-n200-p1000-5-snr2", 1, "RidgeCV", "ok", 0.4, 0.9, 1.5),
    ("ar-n200-p1000-5-snr2", 0, "sparse", "ok", 0.5, 0.9, 1.5),
    ("ar-n200-p1000-5-snr2", 1, "sparse", "ok", 0.7, 0.92, 1.5),
]


def cells(lines, first):
    line = next(line for line in lines.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_means_and_ratios_by_hand(tmp_path):
    """sparse: .1 and .6 against LassoCV .2 and .6, RidgeCV 1 and .3: ratios .5 and 1, .1 and 2, of the better .5 and 2."""
    path = results_of(tmp_path, BY_HAND)
    report = module("report")
    found = report.tables(list(module("results").Results(path).rows.values()))
    line = cells(found["linear-summary"], "**sparse**")
    assert line[1:6] == ["2", f"{0.5**0.5:.2f}", f"{0.2**0.5:.2f}", "1.00", "1"]
    assert line[6] == "0.935 (0.91 to 0.96)" and line[7] == "-"
    assert cells(found["linear-summary"], "LassoCV")[9] == "0.12"  # nlpd .25 above the best of one, 0 of the other
    row = cells(found["linear-errors"], "ind 200 x 1000, 5, 2")
    head = cells(found["linear-errors"], "columns n x p, effects, snr")
    assert row[head.index("sparse")] == "**0.1**" and row[head.index("RidgeCV")] == "1"
    assert "ARDRegression" not in head  # it finished nowhere


def test_what_is_missing_or_stopped_has_no_number(tmp_path):
    missing = [row for row in BY_HAND if row[:3] != ("ar-n200-p1000-5-snr2", 1, "sparse")]
    missing += [("ar-n200-p1000-5-snr2", seed, "ARDRegression", "ok", 0.5, 0.1, 9.0) for seed in (0, 1)]
    found = module("report").tables(list(module("results").Results(results_of(tmp_path, missing)).rows.values()))
    head = cells(found["linear-errors"], "columns n x p, effects, snr")
    assert cells(found["linear-errors"], "ar 200 x 1000, 5, 2")[head.index("sparse")] == "-"
    assert cells(found["linear-errors"], "ind 200 x 1000, 5, 2")[head.index("ARDRegression")] == "> limit"


def test_tables_go_between_their_marks(tmp_path):
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- table linear-summary -->\nold\n<!-- end -->\nafter\n<!-- table real-classes -->\nkept\n<!-- end -->\n")
    module("report").put(page, {"linear-summary": "| new |"})
    assert page.read_text().splitlines() == [
        "before", "<!-- table linear-summary -->", "| new |", "<!-- end -->", "after", "<!-- table real-classes -->", "kept", "<!-- end -->"
    ]  # fmt: skip


def test_priors_side_by_side_by_hand(tmp_path):
    """Of the wide families by hand: sparse .1 and .6 against the better of both, .2 and .3."""
    found = module("report").tables(list(module("results").Results(results_of(tmp_path, BY_HAND)).rows.values()))
    line = cells(found["priors"], "**sparse**")
    assert line[1:3] == ["1.00", "0.935 (0.91 to 0.96)"] and line[4:] == ["-", "-", "-"]  # no family with fewer columns than rows
    head = cells(found["priors"], "method")
    assert head[1] == "p >= n (34 families): error" and head[4] == "p < n (5 families): error"


def small_rows(*lines):
    """(problem, seed, method, inclusion, kept_none, mse) of small tables, as the results file has them: text."""
    names = ("problem", "seed", "method", "inclusion", "kept_none", "mse")
    empty = dict.fromkeys(module("results").COLUMNS, "")
    return [empty | {"study": "small-linear", "status": "ok"} | dict(zip(names, map(str, line))) for line in lines]


def test_small_tables_by_hand():
    """Against BIC: +.1 and +.3 in one family, -.2 and -.2 in the other: mean 0, error sqrt(.02/2 + 0)/2. One fit of two keeps a column it should not."""
    one, two = "pair-n60-p8-2-size0.4", "pair-n200-p8-2-size0.4"
    rows = small_rows(
        (one, 0, "BIC", 0.5, 0, 0.1), (one, 1, "BIC", 0.5, 0, 0.3), (two, 0, "BIC", 0.5, 0, 0.1), (two, 1, "BIC", 0.5, 0, 0.1),
        (one, 1, "new", 0.8, 0.5, 0.6), (one, 0, "new", 0.6, 0, 0.2), (two, 0, "new", 0.3, 0, 0.05), (two, 1, "new", 0.3, 0, 0.05),
    )  # fmt: skip
    found = module("report").small_tables(rows, ["new", "BIC"])
    line = cells(found["small-linear-summary"], "new")
    head = cells(found["small-linear-summary"], "method")
    of = dict(zip(head, line))
    assert of["families"] == "2" and of["inclusion, log score"] == "0.500" and of["MSE / BIC"] == "1.00"
    assert line[head.index("less BIC's")] == "+0.000 ± 0.050"
    of = dict(zip(cells(found["small-linear"], "n x p, effects, size"), cells(found["small-linear"], "60 x 8, 2, 0.4")))
    assert of["method"] == "new" and of["inclusion, log score"] == "0.700" and of["fits that keep one"] == "0.50" and of["MSE"] == "0.4"
    assert "100 x 20" not in found["small-linear"]  # nothing was run there


def test_what_parts_of_a_table_keep_by_hand():
    """Two columns of the whole table; of its parts the same, one of them, and four others."""
    rows = [{"study": "parts", "problem": "pima", "method": "BIC", "status": "ok", "seed": k, "kept": kept} for k, kept in enumerate(["xx-----", "xx-----", "x------", "--xxx-x"])]
    line = cells(module("report").small_tables(rows, ["BIC"])["parts"], "pima")
    assert line[1:] == ["BIC", "2", "1 to 4", f"{7 / 3:.1f}", "6", "1 of 3"]


def test_figures_by_hand():
    """The last build against the first: sparse has .1 and .6, new .102 and .66 where the better of the peers has .2 and .3."""
    empty = dict.fromkeys(module("results").COLUMNS, "")
    names = ("problem", "seed", "method", "status", "mse", "cov_y", "nlpd")
    rows = [empty | {"study": "linear"} | dict(zip(names, map(str, line))) for line in BY_HAND]
    rows += [row | {"method": "new", "mse": str(factor * float(row["mse"]))} for row in rows if row["method"] == "sparse" for factor in [1.02 if "ind" in row["problem"] else 1.1]]
    report = module("report")
    lines = report.figures(rows, ["sparse", "new"])
    lost = cells(lines, "linear: problems that lose more than 2% of MSE")
    assert lost[1] == "1: ar-n200-p1000-5-snr2 1.100" and lost[3] == "**no**"
    assert cells(lines, "linear: MSE / better of lasso and ridge")[1:] == [f"{(0.51 * 2.2) ** 0.5:.3f}", "at most .73", "**no**"]
    assert cells(lines, "linear: coverage of new rows, mean")[1:] == ["0.935", ".935 to .965", "yes"]
    table = report.compared(rows, "linear", ["sparse", "new"])
    assert cells(table, "ar-n200-p1000-5-snr2")[1:4] == ["0.6", "0.66", "1.100"]


def test_parts_of_a_table():
    real = module("real")
    whole, part = real.part("diabetes", 0), real.part("diabetes", 1)
    assert whole.X.shape == (442, 10) and 0.7 * 442 <= len(part.X) <= 0.9 * 442 and len(part.X) + len(part.X_new) == 442
    rows = lambda X: {tuple(row) for row in X}
    assert rows(part.X) < rows(whole.X) and not rows(part.X) & rows(part.X_new)


def test_two_builds_side_by_side(tmp_path):
    """The same library twice, by its own path and by what the package finds: one method each, and the same numbers but for the seconds."""
    from ardvark import _abi  # the path of what it opened

    small = HONEST / "small.py"
    command = [sys.executable, small, "--library", "one", f"two={_abi.library._name}", "--draws", "1", "--studies", "small-linear", "--families", "pair-n30-*", "--peers", "BIC,exact"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    table = done.stdout[done.stdout.index("## small-linear\n") : done.stdout.index("## figures")]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    rows = {line[-13]: line[-12:-1] for line in lines[1:]}
    assert list(rows) == ["one", "two", "BIC", "exact"] and rows["one"] == rows["two"] != rows["BIC"]


SMALL_TABLES = ["small-linear-summary", "small-linear", "small-logistic-summary", "small-logistic", "parts"]


def test_every_table_has_a_place_in_the_readme():
    assert "<!-- table priors -->" in (HONEST.parents[1] / "docs" / "which_prior.md").read_text()
    text = (HONEST / "README.md").read_text()
    for name in ("linear-summary", "linear-errors", "linear-sparse", "logistic-summary", "logistic-errors", "real-regressions", "real-classes", *SMALL_TABLES):
        assert f"<!-- table {name} -->" in text


def test_the_picture_is_drawn(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    report, results = module("report"), module("results").Results(results_of(tmp_path, BY_HAND))
    module("picture").draw(report.Means(list(results.rows.values()), "linear"), tmp_path / "picture.png")
    pixels = plt.imread(tmp_path / "picture.png")
    assert pixels.shape[1] > 1000 and len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 10


def test_the_factorial_has_the_effects_of_the_paper():
    factorial = module("factorial")
    assert list(factorial.effects(1, 10, 5)) == [1, 0, 1, 0, 1, 0, 0, 1, 0, 1]
    assert list(factorial.effects(2, 6, 2)) == [1, 1, 0, 0, 0, 0]
    assert factorial.effects(3, 10, 5) == pytest.approx([10, 7.625, 5.25, 2.875, 0.5, 0, 0, 0, 0, 0])
    assert list(factorial.effects(5, 5, 2)) == [1, 1, 0.5, 0.25, 0.125]
    assert len(factorial.cells(factorial.SETTINGS)) == 480


@pytest.mark.parametrize("rho", [0.0, 0.35, 0.7])
def test_the_factorial_has_the_signal_that_is_asked_for(rho):
    factorial = module("factorial")
    w = np.random.default_rng(1).normal(size=6)
    covariance = rho ** np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    assert factorial.variance(w, rho) == pytest.approx(w @ covariance @ w, rel=1e-12)
    X = factorial.columns(np.random.default_rng(2), 20_000, 6, rho)
    assert np.corrcoef(X.T) == pytest.approx(covariance, abs=0.04)
    assert X.var(axis=0) == pytest.approx(np.ones(6), abs=0.06)
