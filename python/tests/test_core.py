"""The binding: what goes in and comes out, threads, interruption, mistakes, memory."""

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from functools import lru_cache

import numpy as np
import pytest

import ardvark
from ardvark import _core

rng = np.random.default_rng(20)
X = rng.normal(size=(120, 4))
y = X @ [2.0, 0, -1, 0] + 1 + 0.3 * rng.normal(size=120)
labels = (X[:, 0] + 0.5 * rng.normal(size=120) > 0).astype(float)
three = np.digitize(X[:, 0] + 0.3 * rng.normal(size=120), [-0.5, 0.5]).astype(float)


def ard(X=X, **options):
    return _core.fit(X, y, model="linear", prior="ard", **options).array("mean")


def every_second(a):
    room = np.zeros((2 * a.shape[0], 3 * a.shape[1]), a.dtype)
    room[::2, ::3] = a
    return room[::2, ::3]


@pytest.mark.parametrize("layout", [np.asfortranarray, np.ascontiguousarray, every_second, lambda a: a[::-1, ::-1][::-1, ::-1]])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_layout_gives_the_same_fit(layout, dtype):
    rounded = X.astype(dtype)
    assert np.allclose(ard(layout(rounded)), ard(rounded.astype(float)), rtol=0, atol=1e-12)


def test_integers_and_lists_are_converted():
    table = rng.integers(0, 9, size=(30, 3))
    target = table[:, 0] + 0.1 * rng.normal(size=30)
    by_lists = _core.fit(table.tolist(), list(target), model="linear").array("mean")
    assert np.array_equal(_core.fit(table, target, model="linear").array("mean"), by_lists)


# Of this process: the peak that getrusage tells begins at that of the process which started it.
PEAK = """
import numpy as np
from ardvark import _arrays, _core

X = np.random.default_rng(0).standard_normal((256, {rows}), np.{dtype}).T if "{order}" == "F" \\
    else np.random.default_rng(0).standard_normal(({rows}, 256), np.{dtype})
y = X[:, 0] + np.cos(np.arange({rows}))
view, kept = _arrays.matrix_of(X)
assert view.data == X.ctypes.data and kept is X
peak = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
_core.fit(X[:1000], y[:1000], model="linear", prior="shared", warn=False)
before = peak()
model = _core.fit(X, y, model="linear", prior="shared", warn=False)
assert model.text("solver") != "qr"  # which works in a copy
print(peak() - before)
"""


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype, rows", [("float64", 32768), ("float32", 65536)])
def test_no_copy_is_made(order, dtype, rows):
    """A table of 64 MB, fitted in blocks of 8 MB: the peak of memory shows no second table."""
    script = PEAK.format(order=order, dtype=dtype, rows=rows)
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert float(printed) < 40


def test_every_kind_of_model():
    for options, target in [
        (dict(model="logistic", likelihood="vg"), labels),
        (dict(model="logistic", likelihood="jj"), labels),
        (dict(model="logistic", likelihood="laplace"), labels),
        (dict(model="logistic", prior="groups", group=[0, 0, 1, 1]), labels),
        (dict(model="logistic"), three),
        (dict(model="logistic", coding="one-against-rest"), three),
        (dict(model="rvm", task="regression", width=2.0), y),
        (dict(model="rvm", task="classification", width=[2.0, 2, 3, 4]), labels),
        (dict(model="rvm", task="classification", width=2.0), three),
    ]:
        model = _core.fit(X, target, warn=False, **options)
        again = pickle.loads(pickle.dumps(model))
        name = "mean" if options.get("task") == "regression" else "probability"
        first, second = (m.predict(X).array(name) for m in (model, again))
        assert np.array_equal(first, second)
        if name == "probability":
            assert first.shape == (120, 2 if target is labels else 3) and np.allclose(first.sum(axis=1), 1)
            agree = np.mean(first.argmax(axis=1) == target)
            assert agree > 0.7, options


def test_every_preset():
    for preset in _core.catalogue()["presets"]:
        classes = three if preset["name"] in {"smlr", "rmlr"} or preset["name"].endswith(("_ovr", "_ovo")) else labels
        model = _core.fit(X, y if preset["task"] == "linear" else classes, preset=preset["name"], warn=False)
        assert model.text("status") in {"converged", "max_sweeps"}, preset


def test_weights_are_repetition():
    weights = rng.integers(0, 3, size=120).astype(float)
    repeated = np.repeat(np.arange(120), weights.astype(int))
    a = _core.fit(X, y, model="linear", prior="ard", weights=weights)
    b = _core.fit(X[repeated], y[repeated], model="linear", prior="ard")
    assert np.allclose(a.array("mean"), b.array("mean"), rtol=1e-9)
    assert a.number("bound") == pytest.approx(b.number("bound"), rel=1e-9)


def test_covariance_and_intervals_are_of_the_coefficients():
    model = _core.fit(X, y, model="linear", prior="shared")
    covariance = model.array("covariance")
    assert covariance.shape == (5, 5) and np.allclose(covariance, covariance.T)
    assert np.allclose(np.diag(covariance)[:4], model.array("variance"))
    assert covariance[4, 4] == pytest.approx(model.number("intercept.variance"))
    wide, narrow = (np.diff(model.at_level(level).array("interval"), axis=1) for level in (0.99, 0.5))
    assert (wide > 3 * narrow).all()


def test_log_density_is_that_of_the_prediction():
    scipy_stats = pytest.importorskip("scipy.stats")
    prediction = _core.fit(X, y, model="linear").predict(X, y, level=0.9)
    mean, scale = prediction.array("mean"), prediction.array("scale")
    student = scipy_stats.t(prediction.number("degrees_of_freedom"), mean, scale)
    assert np.allclose(prediction.array("log_density"), student.logpdf(y), rtol=1e-10)
    assert np.allclose(prediction.array("upper"), student.ppf(0.95), rtol=1e-10)
    assert np.allclose(prediction.array("sd"), student.std(), rtol=1e-10)


def test_files_are_those_of_the_command_line(tmp_path):
    model = _core.fit(X, labels, model="logistic", column_names=["a", "b", "ü", "d"], class_names=["no", "yes"], target="ill")
    model.save(tmp_path / "m.ardvark")
    loaded = _core.load(tmp_path / "m.ardvark")
    assert loaded.summary() == model.summary() and "ü" in loaded.summary()
    assert loaded.value("classes") == ["no", "yes"]
    assert (tmp_path / "m.ardvark").read_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match="truncated"):
        _core.from_bytes(model.to_bytes()[:-3])
    with pytest.raises(OSError, match="absent"):
        _core.load(tmp_path / "absent")


@pytest.mark.parametrize(
    "options, piece",
    [
        (dict(model="linear", prior="ward"), "prior is 'ward'; it must be one of ard, auto"),
        (dict(model="linear", lambd=1), "there is no option 'lambd'"),
        (dict(model="linear", max_sweeps=0), "max_sweeps is 0; it must be at least 1"),
        (dict(model="linear", max_sweeps=1.5), "max_sweeps is 1.5; it must be a whole number"),
        (dict(model="linear", a0=-1.0), "a0 is -1; it must be > 0 and finite"),
        (dict(model="linear", weights=np.ones(3)), "weights"),
        (dict(model="linear", solver=[1, 2]), "solver is"),
        (dict(model="linear", preset="slr_var"), "cannot be used together"),
        (dict(model="rvm", task="both"), "task"),
        (dict(model="linear", intercept=object()), "intercept is"),
    ],
)
def test_mistakes_name_argument_value_and_constraint(options, piece):
    with pytest.raises(ValueError) as raised:
        _core.fit(X, y, **options)
    assert piece in str(raised.value)


def test_mistakes_in_the_data():
    broken = X.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 4"):
        _core.fit(broken, y, model="linear")
    with pytest.raises(ValueError, match=r"y has the shape \(119,\)"):
        _core.fit(X, y[:-1], model="linear")
    with pytest.raises(ValueError, match="X has 1 dimension; it must have two"):
        _core.fit(y, y, model="linear")
    with pytest.raises(ValueError, match="X_new has 3 columns; the fit has 4"):
        _core.fit(X, y, model="linear").predict(X[:, :3])
    with pytest.raises(ValueError, match="there is no result 'sigma'; the results are status"):
        _core.fit(X, y, model="linear").array("sigma")


def test_warnings_are_ours():
    with pytest.warns(ardvark.ArdvarkWarning, match="the target is constant"):
        _core.fit(X, np.ones(120), model="linear")


def test_the_callback_sees_every_sweep_and_may_stop():
    seen = []
    model = _core.fit(X, labels, model="logistic", prior="shared", callback=lambda p: seen.append((p.sweep, p.bound)))
    assert [s for s, _ in seen] == list(range(1, int(model.number("sweeps")) + 1))
    assert np.array_equal([b for _, b in seen], model.array("bound_history"))
    stopped = _core.fit(X, labels, model="logistic", prior="shared", callback=lambda p: p.sweep < 2)
    assert stopped.text("status") == "stopped_by_user" and stopped.number("sweeps") == 2


def test_the_callback_stops_all_starts_of_the_default_prior():
    seen = []

    def twice(progress):
        seen.append(progress.sweep)
        return len(seen) < 2

    stopped = _core.fit(X, labels, model="logistic", callback=twice)
    assert stopped.text("prior") == "sparse" and stopped.text("status") == "stopped_by_user" and seen == [1, 2]


def test_what_a_callback_raises_arrives():
    def fail(progress):
        raise LookupError(f"sweep {progress.sweep}")

    with pytest.raises(LookupError, match="sweep 1"):
        _core.fit(X, labels, model="logistic", callback=fail)


def long_fit():
    big = np.random.default_rng(1).normal(size=(4000, 300))
    _core.fit(big, (big[:, 0] > 0.3 * big[:, 1]).astype(float), model="logistic", tolerance=0, max_sweeps=10**6, warn=False)


def test_ctrl_c_stops_a_fit():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which is not there where a shell has us in its background
    try:
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            long_fit()
        assert time.monotonic() - start < 20
    finally:
        signal.signal(signal.SIGINT, before)


LONG = {
    "fit": lambda: long_fit(),
    "check": lambda: _core.fit(*long_table(), model="logistic", prior="shared", diagnose=True, keep_covariance="always", warn=False),
    "selection": lambda: _core.select(*long_table(), model="logistic", prior="ard", folds=2, repeats=500, tolerance=0, max_sweeps=10**6),
    "default prior": lambda: [_core.fit(*long_table(20), model="logistic", warn=False) for _ in range(200)],
    "kernel machine": lambda: [_core.fit(*long_table(5, 3000), model="rvm", task="classification", warn=False) for _ in range(200)],
    "prediction": lambda: [long_model().predict(long_table()[0]) for _ in range(10**6)],
}


@lru_cache
def long_table(columns=10, rows=200_000):
    big = np.random.default_rng(1).normal(size=(rows, columns))
    return big, (big[:, 0] + np.random.default_rng(2).normal(size=rows) > 0).astype(float)


@lru_cache
def long_model():
    big, target = long_table(rows=1000)
    return _core.fit(big, target, model="logistic", prior="shared", keep_covariance="always", warn=False)


@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_ends_all_work_within_a_second(work):
    ended = []

    def interrupt():
        ended.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    long_table(), long_model()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.0, interrupt)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt) as raised:
            LONG[work]()
        assert time.monotonic() - ended[0] < 1
        assert raised.value.__context__ is None
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_a_handler_of_the_user_decides():
    calls, sweeps = [], []

    def interrupt_once(progress):
        sweeps.append(progress.sweep)
        if len(sweeps) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return len(sweeps) < 5

    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        big = np.random.default_rng(1).normal(size=(2000, 100))
        target = (big[:, 0] > 0.3 * big[:, 1]).astype(float)
        _core.fit(big, target, model="logistic", tolerance=0, warn=False, callback=interrupt_once)
        assert calls == [signal.SIGINT] and len(sweeps) == 5  # it went on
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_go_on_during_a_fit():
    stop = threading.Event()

    def until_stopped(progress):
        return not stop.is_set()

    big = np.random.default_rng(1).normal(size=(2000, 200))
    worker = threading.Thread(
        target=_core.fit,
        args=(big, (big[:, 0] > 0.3 * big[:, 1]).astype(float)),
        kwargs=dict(model="logistic", tolerance=0, max_sweeps=10**6, warn=False, callback=until_stopped),
    )
    worker.start()
    ticks, end = 0, time.monotonic() + 0.5
    while time.monotonic() < end:
        time.sleep(0.005)
        ticks += 1
    stop.set()
    worker.join()
    assert ticks > 20


def test_many_threads_fit_at_once():
    expected = ard()
    results = [None] * 16
    threads = [threading.Thread(target=lambda i=i: results.__setitem__(i, ard())) for i in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.allclose(r, expected, rtol=0, atol=1e-13) for r in results)


def test_a_forked_process_fits_too():
    expected = ard()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.allclose(ard(), expected, rtol=0, atol=1e-13) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_fits_leave_no_memory_behind():
    small, target = X[:40, :3].copy(), labels[:40]

    def some(number):
        for _ in range(number):
            model = _core.fit(small, target, preset="vb_logit_fit", max_sweeps=3, warn=False)
            model.predict(small[:2]).array("probability")
            with pytest.raises(ValueError):
                model.array("none")

    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * resource.getpagesize() / 2**20

    some(300)
    before = resident()
    some(2000)
    assert resident() - before < 4  # MB; a leak of one small result a fit would be 2 at least, of one handle of the library more


def test_sequential_goes_on_where_it_was():
    signs = 2 * labels - 1
    filter = _core.Sequential(4)
    filter.update(X[:70], signs[:70])
    other = pickle.loads(pickle.dumps(filter))
    for f in (filter, other):
        f.update(X[70:].astype(np.float32).astype(float), signs[70:])
    a, b = filter.model(class_names=["no", "yes"]), other.model()
    assert np.array_equal(a.array("mean"), b.array("mean")) and a.value("classes") == ["no", "yes"]
    with pytest.raises(ValueError, match="-1 or \\+1"):
        filter.update(X, labels)
    assert np.array_equal(filter.model().array("mean"), b.array("mean"))


def test_selection_and_paths():
    seen = []
    counts = _core.select(X, labels, preset="slr_var", folds=4, repeats=2, seed=3, callback=lambda p: seen.append((p.sweep, p.total)))
    assert counts.array("count").shape == (4,) and counts.array("count").max() <= 8 and sorted(seen)[-1] == (8, 8)
    assert counts.array("count")[0] == 8
    path = _core.path(X, labels, [1.0, 30.0, 5.0])
    assert np.array_equal(path.array("lambda"), [30, 5, 1])
    one = _core.fit(X, labels, model="logistic", prior="laplace", **{"lambda": 5})
    assert np.allclose(path.array("mean")[1], one.array("mean"), atol=1e-8)


def test_a_text_that_is_json_stays_a_text():
    X = np.random.RandomState(0).standard_normal((50, 2))
    for name in ("null", "1", "[]", '"', "a\tb", "caf\u00e9"):
        model = _core.fit(X, X[:, 0], model="linear", prior="shared", target=name)
        assert model.value("target") == name
        assert model.text("target") == name
    assert model.value("status") == "converged"


def test_null_characters_are_refused(tmp_path):
    X = np.random.RandomState(0).standard_normal((50, 2))
    model = _core.fit(X, X[:, 0], model="linear", prior="shared")
    with pytest.raises(ValueError, match="null character"):
        model.save(str(tmp_path / "a") + "\0b")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="null character"):
        _core.fit(X, X[:, 0], model="linear", prior="shared", column_names=["a\0b", "a\0c"])


def test_names_must_differ():
    X = np.random.RandomState(0).standard_normal((50, 2))
    with pytest.raises(ValueError, match="class_names has 'a' twice"):
        _core.fit(X, (X[:, 0] > 0) * 1.0, model="logistic", class_names=["a", "a"])
    with pytest.raises(ValueError, match="column_names has 'x' twice"):
        _core.fit(X, X[:, 0], model="linear", column_names=["x", "x"])
