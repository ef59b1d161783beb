"""Eight threads, a thousand fits, predictions and pickles through the Python binding: the answers of one thread, and under the thread
sanitizer no report. ``tests/robust/many_threads.py [fits]``"""

import pickle
import sys
import threading

import numpy as np

from ardvark import _core

THREADS, FITS = 8, int(sys.argv[1]) if len(sys.argv) > 1 else 1000
random = np.random.default_rng(3)
X = random.normal(size=(40, 5))
y = X[:, 0] - X[:, 3] + 0.2 * random.normal(size=40)
labels = (y > 0).astype(float)
thirds = np.arange(40) % 3
CASES = [
    (y, dict(model="linear", prior="ard")),
    (y, dict(model="linear", prior="sparse")),
    (y, dict(model="linear", prior="shared")),
    (labels, dict(model="logistic", prior="sparse")),
    (labels, dict(preset="slr_var")),
    (thirds, dict(model="logistic", prior="ard", coding="one-against-rest")),
    (y, dict(model="rvm", task="regression", width="1")),
]


def answer(case):
    target, options = CASES[case]
    model = _core.fit(X, target, warn=False, max_sweeps=15, **options)
    again = pickle.loads(pickle.dumps(model))
    prediction = again.predict(X)
    model.summary()  # it says how long the fit took: no part of the answer
    return prediction.array("mean" if target is y else "probability").tobytes() + repr(model.number("bound")).encode()


def work(which):
    for i in range(which, FITS, THREADS):
        if answer(i % len(CASES)) != expected[i % len(CASES)]:
            wrong.append(i)


expected = [answer(case) for case in range(len(CASES))]
wrong = []
threads = [threading.Thread(target=work, args=(which,)) for which in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if wrong:
    sys.exit(f"{len(wrong)} of {FITS} fits have another answer than one thread gives, the first is fit {min(wrong)}")
print(f"figure: {FITS} fits by {THREADS} Python threads: the answers of one thread, bit for bit")
