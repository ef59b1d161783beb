"""
Which words, with what certainty
================================

You learn to fit a table of words that is almost all zeros, to give its columns their names, and to
tell the words that matter from those that only happen to be there.

The texts are the documentation of Python's standard library: the docstrings of modules, classes and
functions. Which words say that a text belongs to a module for the Internet?
"""

import importlib
import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLogisticRegression
from ardvark.plot import COLORS
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

internet = """
    http.client http.server http.cookiejar http.cookies urllib.request urllib.parse urllib.error
    urllib.robotparser email.message email.header email.headerregistry email.utils email.policy
    email.charset email.generator email.parser email.feedparser email.contentmanager smtplib
    imaplib poplib ftplib socketserver xmlrpc.client xmlrpc.server ipaddress wsgiref.headers
    wsgiref.util wsgiref.handlers
""".split()
other = """
    statistics random fractions numbers datetime calendar bisect heapq collections functools
    string textwrap difflib ast dis inspect tokenize pathlib shutil tempfile fnmatch zipfile
    tarfile gzip csv configparser argparse optparse logging logging.handlers unittest.case
    unittest.mock doctest dataclasses enum contextlib copy pickle pickletools json.decoder
    json.encoder threading queue subprocess sched multiprocessing.pool cmd shlex codecs locale
    gettext weakref os timeit pstats traceback xml.dom.minidom xml.etree.ElementTree html.parser
    uuid bdb concurrent.futures._base concurrent.futures.thread _pyio _pydecimal
""".split()

# %%
# The texts
# ---------
# Everything that a module defines and documents, each text once.


def docstrings(name):
    module = importlib.import_module(name)
    members = [one for _, one in inspect.getmembers(module)]
    defined = [one for one in members if getattr(one, "__module__", "") == name]
    methods = [m for one in defined if inspect.isclass(one) for m in vars(one).values()]
    documented = [module, *defined, *filter(inspect.isfunction, methods)]
    return {inspect.cleandoc(one.__doc__) for one in documented if isinstance(one.__doc__, str)}


topic = {text: True for name in internet for text in docstrings(name)}
topic |= {text: False for name in other for text in docstrings(name) if text not in topic}
texts = np.array(sorted(text for text in topic if len(text) > 40), dtype=object)
y = np.array([topic[text] for text in texts])

random = np.random.RandomState(0)
is_new = random.uniform(size=len(texts)) < 0.3  # for a test: the fit does not see them
print(f"{len(texts)} texts, {y.sum()} of them of modules for the Internet")

# %%
# The fit
# -------
# ``TfidfVectorizer`` gives each word a column: how often it is in a text, less if it is in many
# texts. The table is a sparse matrix, and the fit reads it as it is: zeros take neither memory nor
# time. "shared" gives all words one precision, which the fit learns: most words have an effect that
# is small, and no word has none.
words = TfidfVectorizer(
    min_df=15, token_pattern="[a-z]{3,}", sublinear_tf=True, stop_words="english"
)
model = make_pipeline(words, BayesianLogisticRegression("shared"))
model.fit(texts[~is_new], y[~is_new])
X = words.transform(texts)
print(f"{X.shape[1]} words; a text has {X.nnz / X.shape[0]:.0f} of them on average")

# %%
# A sparse matrix has no names of columns, but the step before knows them. A coefficient is per unit
# of its column; times the standard deviation of the column, words can be compared. ``direction_``
# is the probability that a coefficient has the sign of its mean: one half says nothing, 1 is
# certain. ``fit.summary(columns=model[:-1].get_feature_names_out())`` prints the usual table with
# these names.
fit = model[-1]
scale = StandardScaler(with_mean=False).fit(X[~is_new]).scale_
table = pd.DataFrame(
    {
        "texts": np.asarray((X[~is_new] > 0).sum(axis=0)).ravel(),
        "effect": fit.coef_[0] * scale,
        "sd": fit.coef_std_[0] * scale,
        "direction": fit.direction_,
    },
    index=model[:-1].get_feature_names_out(),
).sort_values("effect")
table.iloc[::-1].head(12).round(3)

# %%
# With what certainty
# -------------------
# The picture has the twelve words with the largest effects on either side, with 95% intervals. A
# word on the right says that the text is about the Internet.
figure, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
ax.axvline(0, color="0.7", linewidth=1)
for color, part in zip(COLORS[1::-1], (table.head(12), table.tail(12))):
    ax.errorbar(part["effect"], part.index, xerr=1.96 * part["sd"], fmt="o", color=color)
ax.set(xlabel="change of the log odds per standard deviation of the word")
plt.show()

# %%
# How many words are certain, and how many would be by chance? We shuffle the topics of the texts,
# so that no word says anything, and fit again.
shuffled = clone(model).fit(texts[~is_new], random.permutation(y[~is_new]))[-1]
limits = [0.975, 0.999]
certain = pd.DataFrame(
    {
        "the texts": [(fit.direction_ > limit).sum() for limit in limits],
        "shuffled topics": [(shuffled.direction_ > limit).sum() for limit in limits],
    },
    index=pd.Index(limits, name="direction above"),
)
certain

# %%
# At .999, chance gives no word, or almost none.
#
# Texts that the fit has not seen
# -------------------------------
# A probability must be worth what it says: in each of five groups of the new texts, ordered by
# their probability, we count how many are of modules for the Internet.
probability = model.predict_proba(texts[is_new])[:, 1]
accuracy = model.score(texts[is_new], y[is_new])
order = np.array_split(np.argsort(probability), 5)
groups = pd.DataFrame(
    {
        "texts": [len(group) for group in order],
        "probability": [probability[group].mean() for group in order],
        "share": [y[is_new][group].mean() for group in order],
    }
)
print(f"correct: {accuracy:.3f}; always the larger class: {1 - y[is_new].mean():.3f}")
groups.round(3)

# %%
# Where to go on
# --------------
# - :doc:`/models_and_presets` says which numbers are read where they lie, and which priors a sparse
#   X has.
# - :doc:`/selection` counts how often a column is kept when the rows change.
