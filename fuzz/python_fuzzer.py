"""What the Python binding takes from outside: bytes and pickles of models and filters, options and arrays of any type. By Atheris; the library is
that of ARDVARK_LIBRARY. Every call ends by itself or by one of the errors that Python programs expect; InternalError is none of them."""

import pickle
import sys

import atheris

with atheris.instrument_imports(include=["ardvark"]):
    from ardvark import _core

import numpy as np

EXPECTED = (ValueError, TypeError, OSError, MemoryError, KeyError, AttributeError, OverflowError)
random = np.random.default_rng(0)
X = random.normal(size=(12, 3))
y = X[:, 0] + 0.1 * random.normal(size=12)
labels = (y > 0).astype(float)
gaps = np.where(random.random(X.shape) < 0.2, np.nan, X)
whole = {
    "linear": _core.fit(X, y, model="linear", prior="ard", warn=False).to_bytes(),
    "logistic": _core.fit(X, labels, model="logistic", prior="sparse", max_sweeps=20, warn=False).to_bytes(),
    "rvm": _core.fit(X, y, model="rvm", task="regression", width="1", warn=False).to_bytes(),
    "kernel": _core.fit(X, y, model="kernel", task="regression", kernel="gaussian", width="shared", averaging=0, warn=False).to_bytes(),
    "gaps": _core.fit(gaps, y, model="linear", prior="dense", missing="impute", imputations=5, warn=False).to_bytes(),
    "lambda": _core.fit(X, labels, model="logistic", prior="laplace", folds=2, warn=False).to_bytes(),
}
_filter = _core.Sequential(3)
_filter.update(X, 2 * labels - 1)
filter_bytes = _filter.to_bytes()
names = sorted(_core.catalogue()["options"])
words = ["linear", "logistic", "rvm", "kernel", "sparse", "ard", "shared", "none", "dense", "regression", "classification", "dual", "gaussian", "slr_var", "smlr", "laplace", "impute", "drop", "1se", ""]


def damaged(tape, data):
    """The bytes with some of them changed, cut or repeated."""
    out = bytearray(data)
    for _ in range(tape.ConsumeIntInRange(1, 4)):
        at = tape.ConsumeIntInRange(0, max(len(out) - 1, 0))
        kind = tape.ConsumeIntInRange(0, 3)
        if kind == 0 and out:
            out[at] = tape.ConsumeIntInRange(0, 255)
        elif kind == 1:
            out[at:at] = tape.ConsumeBytes(8)
        elif kind == 2:
            del out[at : at + tape.ConsumeIntInRange(1, 16)]
        elif tape.ConsumeBool():
            del out[at:]
    return bytes(out)


def anything(tape):
    kind = tape.ConsumeIntInRange(0, 12)
    return [
        lambda: None,
        lambda: tape.ConsumeBool(),
        lambda: tape.ConsumeInt(8),
        lambda: tape.ConsumeFloat(),
        lambda: words[tape.ConsumeIntInRange(0, len(words) - 1)],
        lambda: tape.ConsumeUnicode(8),
        lambda: tape.ConsumeBytes(8),
        lambda: [tape.ConsumeFloat() for _ in range(tape.ConsumeIntInRange(0, 12))],
        lambda: [tape.ConsumeUnicode(3) for _ in range(tape.ConsumeIntInRange(0, 4))],
        lambda: np.arange(tape.ConsumeIntInRange(0, 12)),
        lambda: {"a": 1},
        lambda: 10 ** tape.ConsumeIntInRange(0, 30),
        lambda: object(),
    ][kind]()


def array(tape):
    """A table, mostly of numbers."""
    kind = tape.ConsumeIntInRange(0, 12)
    return [
        lambda: X,
        lambda: X.astype(np.float32),
        lambda: np.asfortranarray(X),
        lambda: X[::-1, ::2],
        lambda: X.astype(">f8"),
        lambda: X.astype(object),
        lambda: X.tolist(),
        lambda: np.broadcast_to(X[0], (12, 3)),
        lambda: gaps,
        lambda: X[:0],
        lambda: X[0],
        lambda: X.astype(complex),
        lambda: anything(tape),
    ][kind]()


def use(model):
    model.summary()
    model.text("status")
    for rows in (X, gaps):
        try:
            model.predict(rows)
            model.predict(rows, y)
        except ValueError:
            pass
    assert _core.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


def one_input(data):
    tape = atheris.FuzzedDataProvider(data)
    kind = tape.ConsumeIntInRange(0, 4)
    try:
        if kind == 0:
            use(_core.from_bytes(damaged(tape, whole[sorted(whole)[tape.ConsumeIntInRange(0, len(whole) - 1)]])))
        elif kind == 1:
            filter = _core.Sequential.from_bytes(damaged(tape, filter_bytes))
            filter.update(X, 2 * labels - 1)
        elif kind == 2:
            # A pickle may hold any program, so only what ours holds is changed: the bytes of the model.
            _, arguments = _core.from_bytes(whole["linear"]).__reduce__()
            pickle.loads(pickle.dumps(_core.from_bytes(*arguments)))
            _core.from_bytes(tape.ConsumeBytes(400))
        else:
            options = {names[tape.ConsumeIntInRange(0, len(names) - 1)]: anything(tape) for _ in range(tape.ConsumeIntInRange(0, 4))}
            options.setdefault("max_sweeps", 10)
            task = tape.ConsumeIntInRange(0, 2)
            options.setdefault("model", ["linear", "logistic", "linear"][task])
            target = anything(tape) if tape.ConsumeIntInRange(0, 15) == 0 else labels if task == 1 else y
            count = [0]

            def stop_soon(progress):
                count[0] += 1
                return count[0] < 30

            use(_core.fit(array(tape), target, callback=stop_soon, warn=False, **options))
    except EXPECTED:
        pass


atheris.Setup(sys.argv, one_input)
atheris.Fuzz()
